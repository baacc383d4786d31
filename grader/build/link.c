/* The link line and the reference; see link.h. */
#include "grader/build/link.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIXED_ARGS = 20, SAID_BYTES = 400 };

/* What the kit has of the libraries that labs may name. */
static const char *own_library(const char *name)
{
    return strcmp(name, "cuda") == 0    ? "libcuda.so.1"
           : strcmp(name, "nvrtc") == 0 ? "libnvrtc.so.13"
                                        : NULL;
}

/* The kit's own libraries: clang's programs link nothing of a toolkit. */
static size_t add_own_libraries(Arena *a, const LinkLine *line, const char **args, size_t n)
{
    args[n++] = arena_printf(a, "-L%s/lib/vgpu", line->kit_folder);
    args[n++] = "-l:libcudart.so.13";
    for (size_t i = 0; i < line->lab->n_libraries; i++)
        args[n++] = arena_printf(a, "-l:%s", own_library(line->lab->libraries[i]));
    return n;
}

/* The toolkit's runtime, and what the lab links beside it. The toolkit's own libraries are found where they
 * are; the driver's is the virtual GPU's or the system's, and only a stub of it is linked. */
static size_t add_toolkit_libraries(Arena *a, const LinkLine *line, const char **args, size_t n)
{
    const Lab *lab = line->lab;
    args[n++] = arena_printf(a, "-L%s/lib64", line->cuda_home);
    args[n++] = "-lcudart";
    if (lab->n_libraries == 0)
        return n;
    args[n++] = arena_printf(a, "-L%s/lib64/stubs", line->cuda_home);
    args[n++] = arena_printf(a, "-Wl,--enable-new-dtags,-rpath,%s/lib64", line->cuda_home);
    for (size_t i = 0; i < lab->n_libraries; i++)
        args[n++] = arena_printf(a, "-l%s", lab->libraries[i]);
    return n;
}

/* What a program needs of the C++ library is linked into it: each case starts the program anew, and half of
 * the start was finding thousands of names of that library. Its demangler is for the virtual GPU in the
 * program's process, which makes kernels' names readable with it.
 *
 * The reference has no student's function, and names every library of the line, used or not. */
const char *const *link_arguments(Arena *a, const LinkLine *line)
{
    const char **args =
        ARENA_NEW_ARRAY(a, const char *, FIXED_ARGS + line->n_objects + line->lab->n_libraries);
    if (!args)
        return NULL;
    size_t n = 0;
    args[n++] = "/usr/bin/g++";
    args[n++] = "-o";
    args[n++] = line->program;
    args[n++] = "-static-libstdc++";
    args[n++] = "-static-libgcc";
    args[n++] = "-Wl,-u,__cxa_demangle";
    args[n++] = "-Wl,--export-dynamic-symbol=__cxa_demangle";
    if (line->reference)
        args[n++] = "-Wl,--no-as-needed,--unresolved-symbols=ignore-all";
    for (size_t i = 0; i < line->n_objects; i++)
        args[n++] = line->objects[i];
    args[n++] = arena_printf(a, "%s/labs/%s/driver.o", line->kit_folder, line->lab->lab);
    args[n++] = arena_printf(a, "%s/lib/liblab.a", line->kit_folder);
    n = line->compiler == COMPILER_NVCC ? add_toolkit_libraries(a, line, args, n)
                                        : add_own_libraries(a, line, args, n);
    args[n++] = "-lm";
    for (size_t i = 0; i < n; i++)
        if (!args[i])
            return NULL;
    return args;
}

/* Runs the linker with an environment as it has in a sandbox; what it says goes to `said`. Its exit status,
 * -1 when it could not be run. */
static int run_linker(const char *const *args, const char *work, char said[SAID_BYTES])
{
    char folder[SAID_BYTES];
    int ends[2], status = -1;
    size_t length = 0;
    snprintf(folder, sizeof folder, "TMPDIR=%s", work);
    char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", folder, "LC_ALL=C.UTF-8", NULL};
    said[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        execve(args[0], (char *const *)args, environment);
        _exit(127);
    }
    close(ends[1]);
    char rest[SAID_BYTES];
    for (ssize_t n = 1; pid > 0 && n > 0;) {
        bool room = length < SAID_BYTES - 1;
        n = room ? read(ends[0], said + length, SAID_BYTES - 1 - length) : read(ends[0], rest, sizeof rest);
        length += room && n > 0 ? (size_t)n : 0;
    }
    said[length] = '\0';
    close(ends[0]);
    bool ended = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status);
    return ended ? WEXITSTATUS(status) : -1;
}

/* Labs that need a library of the toolkit are nvcc's alone. */
static Status check_libraries(const Kit *kit, const Lab *lab, Diag *d)
{
    for (size_t i = 0; kit->compiler.kind == COMPILER_CLANG && i < lab->n_libraries; i++) {
        if (own_library(lab->libraries[i]))
            continue;
        diag_set(d, STATUS_UNSUPPORTED, "%s links lib%s, which the CUDA Toolkit alone has", lab->lab,
                 lab->libraries[i]);
        diag_hint(d, "grade this lab with --compiler nvcc, and the others, chosen by --labs, with clang");
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

Status link_reference(const Kit *kit, const Lab *lab, const char *work, Diag *d)
{
    Arena a = {0};
    char said[SAID_BYTES];
    const char *folder = arena_printf(&a, "%s/kit", work);
    const char *program = arena_printf(&a, "%s/kit/labs/%s/" LINK_REFERENCE, work, lab->lab);
    const LinkLine line = {.compiler = kit->compiler.kind,
                           .kit_folder = folder,
                           .cuda_home = kit->cuda_home,
                           .lab = lab,
                           .program = program,
                           .reference = true};
    Status s = check_libraries(kit, lab, d);
    const char *const *args = s == STATUS_OK && folder && program ? link_arguments(&a, &line) : NULL;
    if (s != STATUS_OK)
        ;
    else if (!args)
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for a link");
    else if (run_linker(args, work, said) != 0)
        s = diag_set(d, STATUS_IO, "programs of %s cannot be linked: %s", lab->lab,
                     said[0] ? said : "g++ cannot be started");
    arena_free(&a);
    return s;
}
