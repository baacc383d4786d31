/* compile: a program's files in a folder of its own, and labcc over them; see nvrtc_internal.h. */
#include "common/cuda/nvrtc/nvrtc_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LABCC_FINE = 0, LABCC_SOURCE = 1, LABCC_OPTION = 3 };

/* ---- files ---- */

static bool write_text(const char *path, const char *text, size_t length)
{
    FILE *f = fopen(path, "we");
    bool ok = f && fwrite(text, 1, length, f) == length;
    return f && fclose(f) == 0 && ok;
}

static bool read_text(const char *path, StrBuf *out)
{
    char part[65536];
    size_t n;
    FILE *f = fopen(path, "re");
    while (f && (n = fread(part, 1, sizeof part, f)) > 0)
        strbuf_append(out, part, n);
    bool ok = f && !ferror(f) && !out->failed;
    if (f)
        fclose(f);
    return ok;
}

/* The name of a header stays below the folder. */
static bool is_below(const char *name)
{
    for (const char *part = name; *part; part += strspn(part, "/")) {
        size_t n = strcspn(part, "/");
        if (n == 0 || (n == 2 && strncmp(part, "..", 2) == 0))
            return false;
        part += n;
    }
    return *name != '\0';
}

static bool write_header(Arena *a, const char *folder, const Header *h)
{
    char *path = is_below(h->name) ? arena_printf(a, "%s/%s", folder, h->name) : NULL;
    for (char *slash = path ? path + strlen(folder) + 1 : NULL; slash && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    return path && write_text(path, h->text, strlen(h->text));
}

/* Messages call the source what the program calls it. */
static bool write_source(const struct _nvrtcProgram *p, const char *path)
{
    StrBuf text = {0};
    strbuf_puts(&text, "#line 1 ");
    strbuf_json_string(&text, p->name, strlen(p->name));
    strbuf_printf(&text, "\n%s\n", p->source);
    names_ask(p, &text);
    bool ok = !text.failed && write_text(path, text.text, text.length);
    strbuf_free(&text);
    return ok;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

/* ---- labcc ---- */

/* LIB/labcc/libnvrtc.so.13 stands beside BIN/labcc: "../../bin/labcc" of its folder. */
static const char *labcc_path(Arena *a)
{
    static const char here;
    Dl_info info;
    char path[PATH_MAX];
    if (!dladdr(&here, &info) || !realpath(info.dli_fname, path))
        return NULL;
    for (int i = 0; i < 3; i++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return arena_printf(a, "%s/bin/labcc", path);
}

/* Of NVRTC alone, and of no consequence here. */
static bool is_ignored(const char *option)
{
    static const char *const begins[] = {"extra-device-vectorization", "no-source-include", "builtin-move-forward",
                                         "builtin-initializer-list", "restrict", "dopt", "brief-diagnostics",
                                         "split-compile", "no-cache", "version-ident", "display-error-number",
                                         "no-display-error-number", "err-no", "optimization-info", "ofast-compile",
                                         "jump-table-density", "device-stack-protector", "minimal"};
    option += strspn(option, "-");
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t n = strlen(begins[i]);
        if (strncmp(option, begins[i], n) == 0 && (option[n] == '\0' || option[n] == '='))
            return true;
    }
    return false;
}

static bool is_for_card(const char *option)
{
    const char *value = strchr(option, '=');
    option += strspn(option, "-");
    return value && (strncmp(option, "arch=", 5) == 0 || strncmp(option, "gpu-architecture=", 17) == 0) &&
           strncmp(value + 1, "sm_", 3) == 0;
}

/* The words of the command, NULL at their end; the caller frees the list. */
static const char **make_words(const char *labcc, const char *folder, const char *source,
                               const char *ptx, int n_options, const char *const *options)
{
    const char **words = calloc((size_t)n_options + 14, sizeof *words);
    size_t n = 0;
    if (!words)
        return NULL;
    const char *const begin[] = {labcc, "-ptx", "--line-messages", "--no-header-path", "-D__CUDACC_RTC__", "-I", folder, "-o", ptx};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        words[n++] = begin[i];
    for (int i = 0; i < n_options; i++)
        if (!is_ignored(options[i]))
            words[n++] = options[i];
    words[n++] = source;
    return words;
}

/* Its exit status; -1: it did not run. Nothing of the program's environment, the virtual GPU least of all, nor
 * any of its descriptors goes along. */
static int run_labcc(Arena *a, const char *const *words, const char *folder, const char *log)
{
    const char *clang = getenv("LABCC_CLANG"), *path = getenv("PATH");
    const char *const environment[] = {arena_printf(a, "PATH=%s", path && *path ? path : "/usr/bin:/bin"),
                                       arena_printf(a, "TMPDIR=%s", folder), "LC_ALL=C.UTF-8",
                                       clang ? arena_printf(a, "LABCC_CLANG=%s", clang) : NULL, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    if (!environment[0] || !environment[1] || posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    bool ok = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
              posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 &&
              posix_spawn_file_actions_addclosefrom_np(&actions, 3) == 0 &&
              posix_spawn(&pid, words[0], &actions, NULL, (char *const *)words, (char *const *)environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    while (ok && waitpid(pid, &status, 0) < 0)
        ok = errno == EINTR;
    return ok && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- the log ---- */

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* What the compiler said of the source; labcc's own notes and clang's count are no part of it. */
static void take_log(struct _nvrtcProgram *p, const StrBuf *said)
{
    for (const char *line = said->text ? said->text : ""; *line;) {
        size_t n = strcspn(line, "\n");
        const char *count = memmem(line, n, " generated when compiling for ", 30);
        if (!begins(line, "labcc: clang ") && !count)
            strbuf_append(&p->log, line, n + (line[n] == '\n'));
        line += n + (line[n] == '\n');
    }
}

/* ---- all of it ---- */

static nvrtcResult compile_in(struct _nvrtcProgram *p, Arena *a, const char *folder, int n,
                              const char *const *options)
{
    const char *labcc = labcc_path(a), *source = arena_printf(a, "%s/source.cu", folder);
    const char *ptx = arena_printf(a, "%s/ptx", folder), *log = arena_printf(a, "%s/log", folder);
    const char *headers = arena_printf(a, "%s/headers", folder);
    if (!labcc || !source || !ptx || !log || !headers)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (mkdir(headers, 0700) != 0 || !write_source(p, source))
        return NVRTC_ERROR_INTERNAL_ERROR;
    for (size_t i = 0; i < p->n_headers; i++)
        if (!write_header(a, headers, &p->headers[i]))
            return NVRTC_ERROR_INVALID_INPUT;
    const char **words = make_words(labcc, headers, source, ptx, n, options);
    if (!words)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    StrBuf said = {0};
    int status = run_labcc(a, words, folder, log);
    free(words);
    bool read = read_text(log, &said);
    take_log(p, &said);
    strbuf_free(&said);
    if (status == LABCC_OPTION)
        return NVRTC_ERROR_INVALID_OPTION;
    if (status != LABCC_FINE)
        return status == LABCC_SOURCE ? NVRTC_ERROR_COMPILATION : NVRTC_ERROR_INTERNAL_ERROR;
    return read && read_text(ptx, &p->ptx) ? names_take(p) : NVRTC_ERROR_INTERNAL_ERROR;
}

nvrtcResult compile_program(struct _nvrtcProgram *p, int n, const char *const *options)
{
    const char *base = getenv("TMPDIR");
    char folder[PATH_MAX];
    Arena a = {0};
    strbuf_free(&p->log);
    strbuf_free(&p->ptx);
    p->log = p->ptx = (StrBuf){0};
    p->is_compiled = p->has_cubin = false;
    snprintf(folder, sizeof folder, "%s/nvrtc-XXXXXX", base && base[0] == '/' ? base : "/tmp");
    if (!mkdtemp(folder))
        return NVRTC_ERROR_INTERNAL_ERROR;
    nvrtcResult result = compile_in(p, &a, folder, n, options);
    nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    arena_free(&a);
    p->is_compiled = result == NVRTC_SUCCESS;
    p->was_tried = p->was_tried || result != NVRTC_ERROR_INVALID_OPTION;
    for (int i = 0; i < n; i++)
        p->has_cubin = p->has_cubin || (p->is_compiled && is_for_card(options[i]));
    return result;
}
