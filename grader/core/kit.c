/* Finding the kit's and the toolkit's folders; see kit.h. */
#include "grader/core/kit.h"
#include "common/base/io.h"

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

/* The toolkit that holds the given nvcc. */
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

void kit_ask(const char *program, char *const words[], char *text, size_t size)
{
    int ends[2];
    text[0] = '\0';
    if (pipe(ends) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        execv(program, words);
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n;
         pid > 0 && length < size - 1 && (n = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)n;
    text[length] = '\0';
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

/* The toolkit of an nvcc in the PATH. Where that is a script that stands for the true one elsewhere, it is
 * asked. */
static const char *home_in_path(Arena *a, const char *nvcc)
{
    const char *home = home_of(a, nvcc);
    const char *header = home ? arena_printf(a, "%s/include/cuda_runtime.h", home) : NULL;
    if (!header || access(header, R_OK) == 0)
        return home;
    char *const options[] = {"nvcc", "--dryrun", "-x", "cu", "/dev/null", NULL};
    char text[8192];
    kit_ask(nvcc, options, text, sizeof text);
    const char *top = strstr(text, " TOP=");
    top = top ? real(a, arena_strndup(a, top + 5, strcspn(top + 5, "\n"))) : NULL;
    return top ? top : home;
}

static void find_toolkit(Arena *a, Kit *kit)
{
    const char *set = getenv("CUDA_HOME");
    if (set && *set)
        kit->cuda_home = home_of(a, arena_printf(a, "%s/bin/nvcc", set));
    const char *in_path = kit->cuda_home ? NULL : io_find_program(a, "nvcc");
    if (in_path)
        kit->cuda_home = home_in_path(a, in_path);
    if (!kit->cuda_home)
        kit->cuda_home = home_of(a, "/usr/local/cuda/bin/nvcc");
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
    return STATUS_OK;
}

const char *kit_nvcc_version(Arena *a, const Kit *kit)
{
    if (!kit->nvcc)
        return "";
    char *const options[] = {"nvcc", "--version", NULL};
    char text[2048];
    kit_ask(kit->nvcc, options, text, sizeof text);
    const char *release = strstr(text, "release ");
    return release ? arena_strndup(a, release, strcspn(release, "\n")) : "";
}
