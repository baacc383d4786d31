/* The machine's part of `grade doctor`: compiler, driver, devices, libraries, room. Each problem is printed
 * with the sentence in which the CUDA runtime would tell of it, where it has one, the cause here, and the
 * command that mends it.
 *
 * A missing driver or GPU is no problem: the virtual GPU needs none. What is wrong about one that is there,
 * is. */
#include "grader/cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Driver branches and the newest runtime that they serve: CUDA Toolkit release notes, "CUDA Driver". */
enum { NVCC_MAJOR_MIN = 13, DRIVER_MAJOR_MIN = 580, MEMORY_MIB_MIN = 2048, DISK_MIB_MIN = 1024 };

static void note(const char *what, const char *state)
{
    printf("%-14s %s\n", what, state);
}

static bool problem(const char *what, const char *runtime_says, const char *cause, const char *mend)
{
    printf("%-14s PROBLEM: %s\n", what, cause);
    if (runtime_says)
        printf("%-14s the CUDA runtime would say: %s\n", "", runtime_says);
    printf("%-14s mend: %s\n", "", mend);
    return false;
}

static bool in_path(const char *program)
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

static bool check_compilers(const char *nvcc_release)
{
    bool fine = true;
    if (in_path("gcc"))
        note("compiler", "gcc");
    else
        fine = problem("compiler", NULL, "gcc is not on the PATH, and nvcc needs it", "make setup");
    int major = 0;
    if (sscanf(nvcc_release, "release %d", &major) == 1 && major < NVCC_MAJOR_MIN)
        fine = problem("nvcc", NULL, "it is older than 13.0; the kit is a runtime of CUDA 13",
                       "install the CUDA Toolkit 13.0 or newer, and put its bin folder first on the PATH");
    return fine;
}

/* The first line that nvidia-smi prints for a query; false when it fails or prints none. */
static bool ask_driver(char *line, int size)
{
    FILE *pipe = popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null", "r");
    bool got = pipe && fgets(line, size, pipe) != NULL;
    int status = pipe ? pclose(pipe) : -1;
    if (got)
        line[strcspn(line, "\n")] = '\0';
    return got && status == 0;
}

static bool check_driver(void)
{
    char version[128];
    if (!in_path("nvidia-smi")) {
        note("driver", "none; the virtual GPU needs none");
        return true;
    }
    if (!ask_driver(version, sizeof version))
        return problem(
            "driver", "no CUDA-capable device is detected",
            "nvidia-smi is installed, and no driver answers it",
            "sudo modprobe nvidia (in a container: start it with --gpus all); or make run DEVICE=virtual");
    note("driver", version);
    if (atoi(version) < DRIVER_MAJOR_MIN)
        return problem("driver", "CUDA driver version is insufficient for CUDA runtime version",
                       "a runtime of CUDA 13 needs a driver of version 580 or newer",
                       "install a newer driver; or make run DEVICE=virtual");
    return true;
}

/* As the runtime reads it: the list ends at the first entry that names no device. */
static bool check_visible(void)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    note("visible", list ? list : "all devices (CUDA_VISIBLE_DEVICES is not set)");
    if (!list || (*list >= '0' && *list <= '9') || strncmp(list, "GPU-", 4) == 0 ||
        strncmp(list, "MIG-", 4) == 0)
        return true;
    return problem("visible", "no CUDA-capable device is detected",
                   "CUDA_VISIBLE_DEVICES names no device, which hides them all",
                   "unset CUDA_VISIBLE_DEVICES");
}

/* The toolkit's stub of the driver is for linking; a program that loads it finds no driver behind it. */
static bool check_libraries(void)
{
    char path[PATH_MAX];
    const char *dirs = getenv("LD_LIBRARY_PATH");
    note("libraries", dirs && *dirs ? dirs : "the system's (LD_LIBRARY_PATH is not set)");
    for (dirs = dirs ? dirs : ""; *dirs;) {
        size_t n = strcspn(dirs, ":");
        snprintf(path, sizeof path, "%.*s/libcuda.so", (int)n, dirs);
        if (n >= 6 && strncmp(dirs + n - 6, "/stubs", 6) == 0 && access(path, R_OK) == 0)
            return problem("libraries", "CUDA driver is a stub library",
                           "LD_LIBRARY_PATH holds the toolkit's stubs folder, which is for linking only",
                           "unset LD_LIBRARY_PATH, or take that folder out of it");
        dirs += n + (dirs[n] == ':');
    }
    return true;
}

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

static bool check_room(Arena *a)
{
    const char *set = getenv("TMPDIR"), *place = set && *set ? set : "/tmp";
    bool fine = true;
    struct statvfs v;
    if (access(place, W_OK | X_OK) != 0) {
        const char *cause = arena_printf(a, "%s cannot be written to: %s", place, strerror(errno));
        fine = problem("room", NULL, cause ? cause : place, "export TMPDIR=a folder that you can write to");
    } else if (statvfs(place, &v) == 0) {
        uint64_t mib = (uint64_t)v.f_bavail * v.f_frsize / (1024 * 1024);
        const char *text = arena_printf(a, "%llu MiB free in %s", (unsigned long long)mib, place);
        note("room", text ? text : place);
        if (mib < DISK_MIB_MIN)
            fine = problem("room", NULL, "less than 1 GiB of room is left to build in",
                           "make space there, or export TMPDIR=a folder with more");
    }
    int64_t memory = memory_free_mib();
    const char *text = arena_printf(a, "%lld MiB available", (long long)memory);
    note("memory", text ? text : "");
    if (memory >= 0 && memory < MEMORY_MIB_MIN)
        fine = problem("memory", "out of memory",
                       "less than 2 GiB of memory is available; nvcc and a case need that much",
                       "end other programs, or grade with --jobs 1");
    return fine;
}

bool cli_check_machine(Arena *a, const char *nvcc_release)
{
    bool compilers = check_compilers(nvcc_release), driver = check_driver(), visible = check_visible();
    bool libraries = check_libraries(), room = check_room(a);
    return compilers && driver && visible && libraries && room;
}
