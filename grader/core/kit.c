/* Finding the kit's and the toolkit's folders; see kit.h. */
#include "grader/core/kit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Cuts the last part off a path. */
static void cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

static const char *real(Arena *a, const char *path)
{
    char resolved[PATH_MAX];
    return realpath(path, resolved) ? arena_strndup(a, resolved, strlen(resolved)) : NULL;
}

/* The toolkit that holds the given nvcc; a script that stands for it elsewhere is not followed. */
static const char *home_of(Arena *a, const char *nvcc)
{
    const char *path = real(a, nvcc);
    char home[PATH_MAX];
    if (!path || access(path, X_OK) != 0)
        return NULL;
    snprintf(home, sizeof home, "%s", path);
    cut_last(home);
    cut_last(home);
    return arena_strndup(a, home, strlen(home));
}

static const char *nvcc_in_path(Arena *a)
{
    const char *path = getenv("PATH");
    for (path = path ? path : ""; *path;) {
        size_t n = strcspn(path, ":");
        const char *nvcc = n ? arena_printf(a, "%.*s/nvcc", (int)n, path) : NULL;
        if (nvcc && access(nvcc, X_OK) == 0)
            return nvcc;
        path += n + (path[n] == ':');
    }
    return NULL;
}

static void find_toolkit(Arena *a, Kit *kit)
{
    const char *set = getenv("CUDA_HOME");
    const char *candidates[] = {set && *set ? arena_printf(a, "%s/bin/nvcc", set) : NULL, nvcc_in_path(a),
                                "/usr/local/cuda/bin/nvcc"};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates && !kit->cuda_home; i++)
        kit->cuda_home = candidates[i] ? home_of(a, candidates[i]) : NULL;
    kit->nvcc = kit->cuda_home ? arena_printf(a, "%s/bin/nvcc", kit->cuda_home) : NULL;
}

Status kit_find(Arena *a, Kit *kit, Diag *d)
{
    char path[PATH_MAX];
    *kit = (Kit){0};
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return diag_set(d, STATUS_IO, "cannot find out where the program stands");
    path[n] = '\0';
    cut_last(path);
    cut_last(path);
    kit->build = arena_strndup(a, path, strlen(path));
    cut_last(path);
    kit->root = arena_strndup(a, path, strlen(path));
    if (!kit->build || !kit->root)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    const char *labs = arena_printf(a, "%s/labs", kit->root);
    if (!labs || access(labs, R_OK) != 0)
        return diag_set(d, STATUS_NOT_FOUND,
                        "no labs folder beside %s: the grade command must stay in the kit's build folder",
                        kit->build);
    find_toolkit(a, kit);
    return STATUS_OK;
}

Status kit_check_lab(const Kit *kit, const char *lab, Diag *d)
{
    const char *const parts[] = {"bin/vgpu", "bin/grade-runner", "lib/liblab.a", "lib/vgpu/libcudart.so.13",
                                 "lib/vgpu/libcuda.so.1"};
    const char *const lab_parts[] = {"driver.o", "judge"};
    const size_t n_parts = sizeof parts / sizeof *parts;
    char path[PATH_MAX];
    for (size_t i = 0; i < n_parts + 2; i++) {
        if (i < n_parts)
            snprintf(path, sizeof path, "%s/%s", kit->build, parts[i]);
        else
            snprintf(path, sizeof path, "%s/labs/%s/%s", kit->build, lab, lab_parts[i - n_parts]);
        if (access(path, R_OK) == 0)
            continue;
        diag_set(d, STATUS_NOT_FOUND, "%s is not built", path);
        diag_hint(d, "run `make` in %s", kit->root);
        return STATUS_NOT_FOUND;
    }
    if (kit->nvcc)
        return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, "nvcc was not found");
    diag_hint(d, "install the CUDA toolkit 13.0 or newer, and set CUDA_HOME or PATH");
    return STATUS_NOT_FOUND;
}

const char *kit_nvcc_version(Arena *a, const Kit *kit)
{
    if (!kit->nvcc)
        return "";
    int ends[2];
    if (pipe(ends) != 0)
        return "";
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        execl(kit->nvcc, "nvcc", "--version", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char text[2048];
    size_t length = 0;
    for (ssize_t n; pid > 0 && length < sizeof text - 1 &&
                    (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)n;
    text[length] = '\0';
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    const char *release = strstr(text, "release ");
    return release ? arena_strndup(a, release, strcspn(release, "\n")) : "";
}
