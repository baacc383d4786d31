/* Bubblewrap's command line; see sandbox.h for what it makes. */
#include "grader/sandbox/sandbox_internal.h"

#include <string.h>
#include <unistd.h>

enum { ARGS_MAX = 512 };

/* Folders of the system that compilers and programs need. */
static const char *const system_folders[] = {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
static const char *const system_files[] = {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
                                           "/etc/alternatives"};

typedef struct Args {
    Arena *arena;
    const char **items;
    size_t n;
} Args;

static void bwrap_add(Args *a, const char *item)
{
    if (a->n < ARGS_MAX)
        a->items[a->n++] = item;
}

static void add3(Args *a, const char *option, const char *x, const char *y)
{
    bwrap_add(a, option);
    bwrap_add(a, x);
    bwrap_add(a, y);
}

/* /bin is a link to usr/bin on most systems, and a folder on others. */
static void add_system(Args *a)
{
    for (size_t i = 0; i < sizeof system_folders / sizeof *system_folders; i++) {
        const char *path = system_folders[i];
        char target[256];
        ssize_t n = readlink(path, target, sizeof target);
        if (n > 0 && (size_t)n < sizeof target)
            add3(a, "--symlink", arena_strndup(a->arena, target, (size_t)n), path);
        else
            add3(a, "--ro-bind-try", path, path);
    }
    for (size_t i = 0; i < sizeof system_files / sizeof *system_files; i++)
        add3(a, "--ro-bind-try", system_files[i], system_files[i]);
}

static void add_scratch(Args *a, const char *inside, int64_t bytes_max)
{
    bwrap_add(a, "--size");
    bwrap_add(a, arena_printf(a->arena, "%lld", (long long)bytes_max));
    bwrap_add(a, "--tmpfs");
    bwrap_add(a, inside);
}

static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* The kit may be installed somewhere below /usr; then its folder must not be seen as part of the system. */
static void add_hidden(Args *a, const SandboxSpec *spec)
{
    for (size_t i = 0; i < spec->n_hide; i++)
        for (size_t j = 0; j < sizeof system_folders / sizeof *system_folders; j++)
            if (is_below(spec->hide[i], system_folders[j]))
                add_scratch(a, spec->hide[i], 4096);
}

static void add_namespaces(Args *a)
{
    static const char *const options[] = {
        "--unshare-user", "--unshare-pid",        "--unshare-net",     "--unshare-ipc", "--unshare-uts",
        "--as-pid-1",     "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        bwrap_add(a, options[i]);
    bwrap_add(a, "--cap-drop");
    bwrap_add(a, "ALL");
    bwrap_add(a, "--hostname");
    bwrap_add(a, "sandbox");
}

const char **sandbox_bwrap_args(Arena *arena, const char *bwrap, const SandboxSpec *spec)
{
    Args a = {.arena = arena, .items = ARENA_NEW_ARRAY(arena, const char *, ARGS_MAX + 1)};
    if (!a.items)
        return NULL;
    bwrap_add(&a, bwrap);
    add_namespaces(&a);
    add_system(&a);
    add_hidden(&a, spec);
    bwrap_add(&a, "--proc");
    bwrap_add(&a, "/proc");
    bwrap_add(&a, "--dev");
    bwrap_add(&a, "/dev");
    /* Reads as zeros, too, but cannot be mapped: shared mappings of /dev/zero are memory of no process. */
    if (spec->n_devices == 0)
        add3(&a, "--dev-bind", "/dev/full", "/dev/zero");
    for (size_t i = 0; i < spec->n_devices; i++)
        add3(&a, "--dev-bind-try", spec->devices[i], spec->devices[i]);
    for (size_t i = 0; i < spec->n_scratch; i++)
        add_scratch(&a, spec->scratch[i].inside, spec->scratch[i].bytes_max);
    for (size_t i = 0; i < spec->n_binds; i++)
        add3(&a, "--ro-bind", spec->binds[i].host, spec->binds[i].inside);
    bwrap_add(&a, "--remount-ro"); /* bubblewrap's own file systems have no size */
    bwrap_add(&a, "/dev");
    bwrap_add(&a, "--remount-ro");
    bwrap_add(&a, "/");
    bwrap_add(&a, "--chdir");
    bwrap_add(&a, "/");
    return a.n < ARGS_MAX ? a.items : NULL;
}
