/* Which libraries and which GPUs a program would find: LD_LIBRARY_PATH and CUDA_VISIBLE_DEVICES, for `grade
 * doctor`. */
#include "grader/cli/doctor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- LD_LIBRARY_PATH ---- */

static const char shelf[] = "libraries";

/* One folder of the path. `first_runtime` says that no folder before it held a runtime. */
static bool check_folder(const Doctor *d, const char *folder, bool *first_runtime)
{
    char path[PATH_MAX + 32], real[PATH_MAX], toolkit[PATH_MAX], runtime[PATH_MAX + 32];
    size_t n = strlen(folder);
    bool stubs = n >= 6 && strcmp(folder + n - 6, "/stubs") == 0;
    snprintf(path, sizeof path, "%s/libcuda.so", folder);
    stubs = stubs && (access(path, R_OK) == 0 || access(strcat(path, ".1"), R_OK) == 0);
    if (stubs)
        return doctor_problem(d, shelf, "CUDA driver is a stub library",
                              "LD_LIBRARY_PATH holds the toolkit's stubs folder, which is for linking only",
                              "unset LD_LIBRARY_PATH, or take that folder out of it");
    snprintf(path, sizeof path, "%s/libcudart.so.13", folder);
    if (!*first_runtime || !realpath(path, real))
        return true;
    *first_runtime = false;
    if (strncmp(real, d->kit->build, strlen(d->kit->build)) == 0)
        return doctor_problem(
            d, shelf, NULL,
            "LD_LIBRARY_PATH holds the kit's own runtime: every CUDA program runs on the virtual "
            "GPU, and on no other",
            "unset LD_LIBRARY_PATH; the vgpu command sets it for the program that it runs");
    snprintf(runtime, sizeof runtime, "%s/lib64/libcudart.so.13", d->kit->cuda_home ? d->kit->cuda_home : "");
    if (!d->kit->cuda_home || !realpath(runtime, toolkit) || strcmp(real, toolkit) == 0)
        return true;
    const char *cause =
        arena_printf(d->arena, "LD_LIBRARY_PATH puts %s before the runtime of the toolkit that builds", real);
    const char *mend =
        arena_printf(d->arena, "unset LD_LIBRARY_PATH, or begin it with %s/lib64", d->kit->cuda_home);
    return doctor_problem(d, shelf, "API call is not supported in the installed CUDA driver",
                          cause ? cause : real, mend ? mend : "unset LD_LIBRARY_PATH");
}

static bool check_runtime(const Doctor *d)
{
    char path[PATH_MAX + 32];
    if (!d->kit->cuda_home)
        return true; /* told under nvcc */
    snprintf(path, sizeof path, "%s/lib64/libcudart.so.13", d->kit->cuda_home);
    if (access(path, R_OK) == 0) {
        doctor_note("runtime", path);
        return true;
    }
    const char *cause = arena_printf(d->arena, "the toolkit has no %s", path);
    return doctor_problem(d, "runtime", NULL, cause ? cause : "the toolkit has no libcudart.so.13",
                          "install the whole toolkit: sudo apt-get install cuda-toolkit-13-0");
}

bool doctor_check_libraries(const Doctor *d)
{
    bool runtime = check_runtime(d), fine = true, first_runtime = true;
    const char *list = getenv("LD_LIBRARY_PATH");
    doctor_note(shelf, list && *list ? list : "the system's (LD_LIBRARY_PATH is not set)");
    for (list = list ? list : ""; fine && *list;) {
        size_t n = strcspn(list, ":");
        const char *folder = arena_printf(d->arena, "%.*s", (int)n, list);
        fine = !folder || !n || check_folder(d, folder, &first_runtime);
        list += n + (list[n] == ':');
    }
    return runtime && fine;
}

/* ---- CUDA_VISIBLE_DEVICES ---- */

enum { GPUS_MAX = 64 };

/* The GPUs as `nvidia-smi -L` lists them: "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1234...)", and their
 * instances below them. */
typedef struct Gpus {
    size_t n;                     /* GPUs */
    char uuids[GPUS_MAX * 8][80]; /* of GPUs and instances */
    size_t n_uuids;
} Gpus;

/* false when nobody can say. */
static bool list_gpus(Gpus *g)
{
    char line[256];
    *g = (Gpus){0};
    FILE *pipe = doctor_in_path("nvidia-smi") ? popen("nvidia-smi -L 2>/dev/null", "r") : NULL;
    while (pipe && fgets(line, sizeof line, pipe)) {
        const char *uuid = strstr(line, "UUID: ");
        g->n += strncmp(line, "GPU ", 4) == 0;
        if (uuid && g->n_uuids < sizeof g->uuids / sizeof *g->uuids)
            snprintf(g->uuids[g->n_uuids++], sizeof *g->uuids, "%.*s", (int)strcspn(uuid + 6, ")\n"),
                     uuid + 6);
    }
    return pipe && pclose(pipe) == 0 && g->n > 0;
}

/* Whether an entry of the list names a GPU: a number, or the beginning of a UUID. Where the GPUs are not
 * known, any number and UUID may. */
static bool names_gpu(const Gpus *g, bool known, const char *entry, size_t length)
{
    char *end;
    unsigned long number = strtoul(entry, &end, 10);
    if (length > 0 && *entry >= '0' && *entry <= '9' && end == entry + length)
        return !known || number < g->n;
    if (strncmp(entry, "GPU-", 4) != 0 && strncmp(entry, "MIG-", 4) != 0)
        return false;
    for (size_t i = 0; i < g->n_uuids; i++)
        if (strncmp(g->uuids[i], entry, length) == 0)
            return true;
    return !known;
}

/* As the driver reads it: the list ends at the first entry that names no device. */
bool doctor_check_visible(const Doctor *d)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    doctor_note("visible", list ? list : "all devices (CUDA_VISIBLE_DEVICES is not set)");
    if (!list)
        return true;
    static const char says[] = "no CUDA-capable device is detected", mend[] = "unset CUDA_VISIBLE_DEVICES";
    Gpus *gpus = ARENA_NEW(d->arena, Gpus);
    bool known = gpus && list_gpus(gpus);
    size_t n = strcspn(list, ",");
    if (!gpus || names_gpu(gpus, known, list, n)) {
        for (const char *at = list; gpus && *at; n = strcspn(at, ",")) {
            if (!names_gpu(gpus, known, at, n)) {
                const char *cause =
                    arena_printf(d->arena,
                                 "CUDA_VISIBLE_DEVICES names \"%.*s\", which is not there; it and all behind "
                                 "it are hidden",
                                 (int)n, at);
                return doctor_problem(d, "visible", "invalid device ordinal", cause ? cause : "", mend);
            }
            at += n + (at[n] == ',');
        }
        return true;
    }
    const char *cause =
        known ? arena_printf(d->arena,
                             "CUDA_VISIBLE_DEVICES names \"%.*s\"; the machine's %zu GPU%s 0%s, "
                             "and all are hidden",
                             (int)n, list, gpus->n, gpus->n == 1 ? " is number" : "s have numbers from",
                             gpus->n == 1 ? "" : " on")
              : NULL;
    return doctor_problem(d, "visible", says,
                          cause ? cause : "CUDA_VISIBLE_DEVICES names no device, which hides them all", mend);
}
