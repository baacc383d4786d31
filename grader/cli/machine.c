/* The machine's part of `grade doctor`: compiler, driver, devices, libraries, room. Each problem is printed
 * with the sentence in which the CUDA runtime would tell of it, where it has one, the cause here, and the
 * command that mends it. The driver is in driver.c, what programs find in libraries.c. */
#include "grader/cli/doctor.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { NVCC_MAJOR_MIN = 13, MEMORY_MIB_MIN = 2048, DISK_MIB_MIN = 1024 };

/* ---- Telling and asking ---- */

void doctor_note(const char *what, const char *state)
{
    printf("%-14s %s\n", what, state);
}

/* What keeps most from working comes first: nothing is built without a compiler, and no lab without the kit. */
static const char *const topics[] = {"compiler", "nvcc",      "room",    "labs",  "memory",
                                     "runtime",  "libraries", "visible", "driver"};
enum { N_TOPICS = sizeof topics / sizeof *topics };

static size_t rank_of(const char *what)
{
    size_t i = 0;
    while (i < N_TOPICS && strcmp(topics[i], what) != 0)
        i++;
    return i;
}

bool doctor_problem(const Doctor *d, const char *what, const char *runtime_says, const char *cause,
                    const char *mend)
{
    DoctorFirst *first = d->first;
    if (!first->cause || rank_of(what) < first->rank)
        *first = (DoctorFirst){rank_of(what), arena_printf(d->arena, "%s", cause),
                               arena_printf(d->arena, "%s", mend)};
    printf("%-14s PROBLEM: %s\n", what, cause);
    if (runtime_says)
        printf("%-14s the CUDA runtime would say: %s\n", "", runtime_says);
    printf("%-14s mend: %s\n", "", mend);
    return false;
}

bool doctor_in_path(const char *program)
{
    char path[PATH_MAX];
    const char *dirs = getenv("PATH");
    for (dirs = dirs ? dirs : ""; *dirs;) {
        size_t n = strcspn(dirs, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)n, dirs, program);
        if (n && access(path, X_OK) == 0)
            return true;
        dirs += n + (dirs[n] == ':');
    }
    return false;
}

bool doctor_ask(const char *command, char *line, int size)
{
    line[0] = '\0';
    FILE *pipe = popen(command, "r");
    bool got = pipe && fgets(line, size, pipe);
    char rest[256];
    while (got && fgets(rest, sizeof rest, pipe))
        ;
    int status = pipe ? pclose(pipe) : -1;
    line[strcspn(line, "\n")] = '\0';
    return got && status == 0;
}

const char *doctor_path(const Doctor *d, const char *path)
{
    const char *full = arena_printf(d->arena, "%s%s", d->root, path);
    return full ? full : "";
}

bool doctor_has(const Doctor *d, const char *path)
{
    return access(doctor_path(d, path), F_OK) == 0;
}

bool doctor_read(const Doctor *d, const char *path, char *text, int size)
{
    FILE *file = fopen(doctor_path(d, path), "r");
    size_t n = file ? fread(text, 1, (size_t)size - 1, file) : 0;
    if (file)
        fclose(file);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    return n > 0;
}

/* ---- Compilers ---- */

/* nvcc takes some compilers and refuses others, and says so only when it compiles. */
static bool check_together(const Doctor *d)
{
    char line[512];
    const char *command = arena_printf(
        d->arena,
        "cd \"${TMPDIR:-/tmp}\" && echo 'int main() { return 0; }' | '%s' -arch=compute_75 -x cu -E - 2>&1 "
        ">/dev/null | grep -m1 -iE 'error|not supported|not found'",
        d->kit->nvcc);
    if (!command || !doctor_ask(command, line, sizeof line))
        return true;
    const char *cause = arena_printf(d->arena, "nvcc cannot use this compiler: %s", line);
    return doctor_problem(
        d, "compiler", NULL, cause ? cause : line,
        "sudo apt-get install gcc g++ of a version that nvcc names, and export NVCC_CCBIN=g++-13");
}

static bool check_compilers(const Doctor *d, const char *nvcc_release)
{
    char version[64];
    int major = 0;
    if (!doctor_in_path("gcc"))
        return doctor_problem(d, "compiler", NULL, "gcc is not on the PATH, and nvcc needs it", "make setup");
    const char *text = doctor_ask("gcc -dumpfullversion 2>/dev/null", version, sizeof version)
                           ? arena_printf(d->arena, "gcc %s", version)
                           : NULL;
    doctor_note("compiler", text ? text : "gcc");
    if (sscanf(nvcc_release, "release %d", &major) == 1 && major < NVCC_MAJOR_MIN)
        return doctor_problem(
            d, "nvcc", NULL, "it is older than 13.0; the kit is a runtime of CUDA 13",
            "install the CUDA Toolkit 13.0 or newer, and put its bin folder first on the PATH");
    return !d->kit->nvcc || check_together(d);
}

/* ---- Room ---- */

static int64_t memory_free_mib(void)
{
    char line[256];
    long long kib = -1;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lld", &kib) != 1)
            kib = -1;
    if (file)
        fclose(file);
    return kib < 0 ? -1 : kib / 1024;
}

static bool check_room(const Doctor *d)
{
    const char *set = getenv("TMPDIR"), *place = set && *set ? set : "/tmp";
    bool fine = true;
    struct statvfs v;
    if (access(place, W_OK | X_OK) != 0) {
        const char *cause = arena_printf(d->arena, "%s cannot be written to: %s", place, strerror(errno));
        fine = doctor_problem(d, "room", NULL, cause ? cause : place,
                              "export TMPDIR=a folder that you can write to");
    } else if (statvfs(place, &v) == 0) {
        uint64_t mib = (uint64_t)v.f_bavail * v.f_frsize / (1024 * 1024);
        const char *text = arena_printf(d->arena, "%llu MiB free in %s", (unsigned long long)mib, place);
        doctor_note("room", text ? text : place);
        if (mib < DISK_MIB_MIN)
            fine = doctor_problem(d, "room", NULL, "less than 1 GiB of room is left to build in",
                                  "make space there, or export TMPDIR=a folder with more");
    }
    int64_t memory = memory_free_mib();
    const char *text = arena_printf(d->arena, "%lld MiB available", (long long)memory);
    doctor_note("memory", text ? text : "");
    if (memory >= 0 && memory < MEMORY_MIB_MIN)
        fine = doctor_problem(d, "memory", "out of memory",
                              "less than 2 GiB of memory is available; nvcc and a case need that much",
                              "end other programs, or grade with --jobs 1");
    return fine;
}

bool doctor_check_machine(const Doctor *d, const char *nvcc_release)
{
    bool compilers = check_compilers(d, nvcc_release), driver = doctor_check_driver(d);
    bool visible = doctor_check_visible(d), libraries = doctor_check_libraries(d), room = check_room(d);
    return compilers && driver && visible && libraries && room;
}
