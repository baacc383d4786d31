/* tools: which clang compiles, and where the kit's headers and runtime are. */
#include "common/base/io.h"
#include "common/cuda/driver/driver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLANG_MAJOR_MAX = 40 };

static bool take_version(Tools *t, const char *version)
{
    snprintf(t->version, sizeof t->version, "%.*s", (int)strspn(version, "0123456789."), version);
    t->major = atoi(t->version);
    return t->major >= CLANG_MAJOR_MIN;
}

/* The version that a clang says it has. */
static bool ask_version(Tools *t)
{
    char command[PATH_MAX + 32], line[256] = "";
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", t->clang);
    FILE *f = strchr(t->clang, '\'') ? NULL : popen(command, "r");
    if (!f)
        return false;
    bool got = fgets(line, sizeof line, f) != NULL;
    pclose(f);
    const char *version = strstr(line, "version ");
    return got && version && take_version(t, version + strlen("version "));
}

static Status find_clang(Tools *t, Arena *arena, Diag *d)
{
    const char *set = getenv("LABCC_CLANG"), *known = getenv("LABCC_CLANG_VERSION");
    char name[32];
    if (set && *set) {
        t->clang = strchr(set, '/') ? set : io_find_program(arena, set);
        if (t->clang && (known ? take_version(t, known) : ask_version(t)))
            return STATUS_OK;
        return diag_set(d, STATUS_NOT_FOUND, "LABCC_CLANG is %s, which is no clang++ from version %d on", set,
                        CLANG_MAJOR_MIN);
    }
    for (int major = CLANG_MAJOR_MAX; major >= CLANG_MAJOR_MIN; major--) {
        snprintf(name, sizeof name, "clang++-%d", major);
        t->clang = io_find_program(arena, name);
        if (t->clang && ask_version(t))
            return STATUS_OK;
    }
    t->clang = io_find_program(arena, "clang++");
    if (t->clang && ask_version(t))
        return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, "no clang++ from version %d on is installed", CLANG_MAJOR_MIN);
    diag_hint(d, "make setup installs it");
    return STATUS_NOT_FOUND;
}

/* BUILD/bin/labcc has its headers in BUILD/include/cuda, precompiled ones in BUILD/precompiled, the runtime in
 * BUILD/lib/vgpu and NVRTC in BUILD/lib/labcc. */
static Status find_kit(Tools *t, Arena *arena, Diag *d)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return diag_set(d, STATUS_IO, "cannot find out where labcc stands");
    path[n] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    t->include = arena_printf(arena, "%s/include/cuda", path);
    t->runtime_dir = arena_printf(arena, "%s/lib/vgpu", path);
    t->precompiled = arena_printf(arena, "%s/precompiled", path);
    t->nvrtc_dir = arena_printf(arena, "%s/lib/labcc", path);
    if (!t->include || !t->runtime_dir || !t->precompiled || !t->nvrtc_dir)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for paths");
    if (access(t->include, R_OK) != 0)
        return diag_set(d, STATUS_NOT_FOUND, "%s is not there: labcc must stay in the kit's build folder",
                        t->include);
    return STATUS_OK;
}

Status tools_find(Tools *t, Arena *arena, Diag *d)
{
    *t = (Tools){0};
    Status s = find_kit(t, arena, d);
    return s == STATUS_OK ? find_clang(t, arena, d) : s;
}

int tools_target(int clang_major, int target)
{
    static const struct {
        int target, since; /* the first clang that compiles for it */
    } known[] = {{75, 10}, {80, 11}, {86, 12}, {87, 16}, {89, 16}, {90, 16}, {100, 20}, {120, 20}};
    int best = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].since <= clang_major && known[i].target <= target)
            best = known[i].target;
    return best;
}
