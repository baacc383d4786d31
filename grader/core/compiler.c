/* Which compiler builds submissions; see kit.h. */
#include "grader/core/kit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const words[] = {[COMPILER_NVCC] = "nvcc", [COMPILER_CLANG] = "clang"};

const char *compiler_word(CompilerKind kind)
{
    return words[kind];
}

const char *compiler_describe(Arena *a, const Compiler *c)
{
    const char *text = arena_printf(a, "%s %s", words[c->kind], c->version ? c->version : "");
    return text ? text : "";
}

/* "release 13.0, V13.0.88": the longer number where it is there. */
static Status find_nvcc(Arena *a, const Kit *kit, Compiler *c, Diag *d)
{
    const char *release = kit_nvcc_version(a, kit), *whole = strstr(release, ", V");
    const char *version = whole ? whole + 3 : strchr(release, ' ');
    version = version ? version + (whole == NULL) : "";
    *c = (Compiler){.kind = COMPILER_NVCC,
                    .version = arena_strndup(a, version, strspn(version, "0123456789."))};
    if (!c->version)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (c->version[0])
        return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, kit->nvcc ? "nvcc does not work: %s" : "nvcc was not found", kit->nvcc);
    diag_hint(d, "install the CUDA toolkit 13.0 or newer, and set CUDA_HOME or PATH; or take clang");
    return STATUS_NOT_FOUND;
}

/* The folder above bin/, when it is no part of the system: a sandbox shows it then, and clang is called by
 * its place there. */
static bool find_clang_home(Arena *a, Compiler *c)
{
    char path[PATH_MAX];
    if (!realpath(c->clang, path))
        return false;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    c->clang_home = arena_strndup(a, path, strlen(path));
    if (c->clang_home && strncmp(path, "/usr/", 5) != 0)
        c->clang = arena_printf(a, "%s/bin/clang++", path);
    return c->clang_home && c->clang;
}

/* labcc says "labcc, with clang 19.1.7", and in the next line which one that is. */
static Status find_clang(Arena *a, const Kit *kit, Compiler *c, Diag *d)
{
    const char *labcc = arena_printf(a, "%s/bin/labcc", kit->build);
    char *const options[] = {"labcc", "--version", NULL};
    char text[PATH_MAX + 128];
    static const char begins[] = "labcc, with clang ";
    *c = (Compiler){.kind = COMPILER_CLANG};
    if (!labcc)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    kit_ask(labcc, options, text, sizeof text);
    char *second = strchr(text, '\n');
    if (strncmp(text, begins, sizeof begins - 1) == 0 && second) {
        *second++ = '\0';
        c->version = arena_strndup(a, text + sizeof begins - 1, strlen(text) - sizeof begins + 1);
        c->clang = arena_strndup(a, second, strcspn(second, "\n"));
        if (c->version && c->clang && find_clang_home(a, c))
            return STATUS_OK;
    }
    if (access(labcc, X_OK) != 0) {
        diag_set(d, STATUS_NOT_FOUND, "%s is not built", labcc);
        diag_hint(d, "run `make` in %s", kit->root);
        return STATUS_NOT_FOUND;
    }
    diag_set(d, STATUS_NOT_FOUND, "clang was not found: %.*s", (int)strcspn(text, "\n"), text);
    diag_hint(d, "make setup installs it where there is no nvcc, or: sudo apt-get install clang");
    return STATUS_NOT_FOUND;
}

Status compiler_find(Arena *a, const Kit *kit, CompilerKind kind, Compiler *c, Diag *d)
{
    return kind == COMPILER_NVCC ? find_nvcc(a, kit, c, d) : find_clang(a, kit, c, d);
}

Status compiler_choose(Arena *a, Kit *kit, const char *word, Diag *d)
{
    bool automatic = !word || strcmp(word, "auto") == 0;
    for (CompilerKind kind = COMPILER_NVCC; !automatic && kind <= COMPILER_CLANG; kind++)
        if (strcmp(word, words[kind]) == 0)
            return compiler_find(a, kit, kind, &kit->compiler, d);
    if (!automatic)
        return diag_set(d, STATUS_INVALID, "--compiler must be nvcc, clang or auto, not '%s'", word);
    if (compiler_find(a, kit, COMPILER_NVCC, &kit->compiler, d) == STATUS_OK ||
        compiler_find(a, kit, COMPILER_CLANG, &kit->compiler, d) == STATUS_OK)
        return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, "neither nvcc nor clang was found");
    diag_hint(
        d, "make setup installs clang; nvcc comes with the CUDA toolkit (13.0 or newer; CUDA_HOME or PATH)");
    return STATUS_NOT_FOUND;
}
