/* Asking the runner, and taking in its answer; see step.h. */
#include "grader/sandbox/step.h"

#include "grader/sandbox/cgroup.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GRACE_MS = 15000, /* how much later than the wall limit an answer may come */
    EMPTY_MS = 2000,  /* after which a new sandbox is sooner there than an empty one */
    FILES_MAX = 4096,
    OUTPUT_BYTES_MAX = 128 << 20
};

typedef struct Session {
    SandboxProcess *process;
    const SandboxStep *step;
    Arena *arena;
    SandboxAnswer *answer;
    Wire *wire;
    int64_t deadline_ms;
    size_t files_cap;
    int save_dir;
} Session;

/* Request -------------------------------------------------------------------------------------- */

static bool put_list(WireOut *out, const char *word, const char *const *items)
{
    for (; items && *items; items++) {
        if (strchr(*items, '\n'))
            return false;
        wire_putf(out, "%s %s\n", word, *items);
    }
    return true;
}

/* A descriptor goes with its own line, behind what was gathered. */
static bool pass_on(WireOut *out, const char *word, int number, int passed)
{
    return wire_flush(out) && wire_pass(out->fd, word, number, passed);
}

static bool send_request(int fd, const SandboxStep *step)
{
    WireOut out;
    wire_out_init(&out, fd);
    wire_putf(&out, "dir %s\n", step->dir);
    wire_putf(&out, "filter %d\n", (int)step->filter);
    bool fine = put_list(&out, "arg", step->args) && put_list(&out, "env", step->env) &&
                put_list(&out, "collect", step->collect) &&
                (!step->passes || pass_on(&out, "pass", 3, step->pass)) &&
                (!step->metered || pass_on(&out, "meter", step->slot, step->meter));
#define X(name, ...) wire_putf(&out, "limit " #name " %lld\n", (long long)step->limits.name);
#include "grader/runner/limits.def"
#undef X
    wire_putf(&out, "go\n");
    return fine && wire_flush(&out);
}

/* Answer --------------------------------------------------------------------------------------- */

static bool read_exit(Session *s, const char *text)
{
    char word[32];
    long long wall_us, cpu_us, rss_kib, waited_us;
    SandboxAnswer *a = s->answer;
    if (sscanf(text, "%d %d %31s %lld %lld %lld %lld", &a->status, &a->signal, word, &wall_us, &cpu_us,
               &rss_kib, &waited_us) != 7)
        return false;
    a->end = wire_end_of(word);
    a->wall_s = (double)wall_us / 1e6;
    a->cpu_s = (double)cpu_us / 1e6;
    a->waited_s = (double)waited_us / 1e6;
    a->rss_kib = rss_kib;
    return a->end < WIRE_N_ENDS;
}

static bool read_output(Session *s, const char *text, const char **bytes, size_t *length, bool *cut)
{
    long long n;
    int was_cut;
    if (sscanf(text, "%lld %d", &n, &was_cut) != 2 || n < 0 || n > OUTPUT_BYTES_MAX)
        return false;
    char *copy = arena_alloc(s->arena, (size_t)n + 1);
    if (!copy || !wire_read_bytes(s->wire, copy, (size_t)n, s->deadline_ms))
        return false;
    *bytes = copy;
    *length = (size_t)n;
    *cut = was_cut != 0;
    return true;
}

/* NAME or FOLDER/NAME, each a plain name: the runner sends no others, but it stood beside hostile code. */
static bool is_fit_path(const char *name)
{
    int slashes = 0;
    for (const char *p = name; *p; p++) {
        bool first = p == name || p[-1] == '/';
        if (!(isalnum((unsigned char)*p) || *p == '_' || (!first && strchr("./-", *p))))
            return false;
        slashes += *p == '/';
    }
    return name[0] && slashes <= 1;
}

/* `path` as a name below collect_from; NULL when it is not there. */
static const char *name_below(const Session *s, const char *path)
{
    const char *from = s->step->collect_from;
    size_t n = from ? strlen(from) : 0;
    if (!n || strncmp(path, from, n) != 0 || path[n] != '/' || !is_fit_path(path + n + 1))
        return NULL;
    return path + n + 1;
}

static bool add_file(Session *s, const char *name, const char *why, int64_t bytes)
{
    SandboxAnswer *a = s->answer;
    if (a->n_files == s->files_cap) { /* doubled in the arena: the old array stays there */
        size_t cap = s->files_cap ? 2 * s->files_cap : 16;
        SandboxFile *grown = cap <= FILES_MAX ? ARENA_NEW_ARRAY(s->arena, SandboxFile, cap) : NULL;
        if (!grown)
            return false;
        if (a->n_files)
            memcpy(grown, a->files, a->n_files * sizeof *grown);
        a->files = grown;
        s->files_cap = cap;
    }
    SandboxFile *f = &a->files[a->n_files++];
    *f = (SandboxFile){.name = arena_strndup(s->arena, name, strlen(name)),
                       .why = arena_strndup(s->arena, why, strlen(why)),
                       .bytes = bytes};
    return f->name && f->why;
}

/* Moves `length` bytes from the wire into a new file of the save folder. */
static bool save_bytes(Session *s, const char *name, int64_t length)
{
    int fd = openat(s->save_dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    char chunk[1 << 16];
    bool fine = fd >= 0;
    while (length > 0) {
        size_t n = length < (int64_t)sizeof chunk ? (size_t)length : sizeof chunk;
        if (!wire_read_bytes(s->wire, chunk, n, s->deadline_ms))
            fine = false, length = 0;
        else if (fine && write(fd, chunk, n) != (ssize_t)n)
            fine = false;
        length -= (int64_t)n;
    }
    if (fd >= 0 && close(fd) != 0)
        fine = false;
    return fine;
}

static bool read_file_line(Session *s, char *text)
{
    char *space = strrchr(text, ' ');
    if (!space)
        return false;
    *space = '\0';
    int64_t length = strtoll(space + 1, NULL, 10);
    const char *name = name_below(s, text);
    if (!name || length < 0 || length > s->step->limits.collect_bytes)
        return false;
    return save_bytes(s, name, length) && add_file(s, name, "", length);
}

static bool read_skipped(Session *s, char *text)
{
    char *space = strrchr(text, ' ');
    if (!space)
        return false;
    *space = '\0';
    const char *name = name_below(s, text);
    return name && add_file(s, name, space + 1, 0);
}

static bool read_answer(Session *s)
{
    char line[WIRE_LINE_MAX];
    SandboxAnswer *a = s->answer;
    bool seen_exit = false;
    while (wire_read_line(s->wire, line, s->deadline_ms)) {
        if (strcmp(line, "end") == 0)
            return seen_exit;
        char *text = strchr(line, ' ');
        if (!text)
            return false;
        *text++ = '\0';
        bool fine = false;
        if (strcmp(line, "exit") == 0)
            fine = seen_exit = read_exit(s, text);
        else if (strcmp(line, "stdout") == 0)
            fine = read_output(s, text, &a->out, &a->out_bytes, &a->out_cut);
        else if (strcmp(line, "stderr") == 0)
            fine = read_output(s, text, &a->err, &a->err_bytes, &a->err_cut);
        else if (strcmp(line, "file") == 0)
            fine = read_file_line(s, text);
        else if (strcmp(line, "skipped") == 0)
            fine = read_skipped(s, text);
        if (!fine)
            return false;
    }
    return false;
}

static Status no_answer(Diag *d)
{
    return diag_set(d, STATUS_IO, "the sandbox's runner did not answer");
}

Status sandbox_ask(SandboxProcess *p, const SandboxStep *step, Diag *d)
{
    if (p->cgroup[0]) {
        cgroup_limit(p->cgroup, &step->limits);
        p->kills = cgroup_kills(p->cgroup);
    }
    return send_request(p->socket, step) ? STATUS_OK : no_answer(d);
}

Status sandbox_answer(SandboxProcess *p, const SandboxStep *step, Arena *a, SandboxAnswer *answer, Diag *d)
{
    *answer = (SandboxAnswer){.out = "", .err = ""};
    Wire *wire = malloc(sizeof *wire); /* large, and the arena is the whole submission's */
    if (!wire)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a sandbox's answer");
    wire_begin(wire, p->socket);
    Session s = {.process = p,
                 .step = step,
                 .arena = a,
                 .answer = answer,
                 .wire = wire,
                 .deadline_ms = wire_now_ms() + (1 + WIRE_WAIT_FACTOR) * step->limits.wall_ms + GRACE_MS,
                 .save_dir = -1};
    if (step->save_to)
        s.save_dir = open(step->save_to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool fine = (!step->save_to || s.save_dir >= 0) && read_answer(&s);
    if (s.save_dir >= 0)
        close(s.save_dir);
    free(wire);
    /* The kernel was there before the watcher. */
    if (fine && answer->end == WIRE_END_NONE && p->cgroup[0] && cgroup_kills(p->cgroup) > p->kills)
        answer->end = WIRE_END_MEMORY;
    return fine ? STATUS_OK : no_answer(d);
}

bool sandbox_empty(SandboxProcess *p, const char *const *folders)
{
    Wire wire;
    WireOut out;
    int64_t deadline_ms = wire_now_ms() + EMPTY_MS;
    wire_begin(&wire, p->socket);
    wire_out_init(&out, p->socket);
    for (const char *const *folder = folders; *folder; folder++)
        wire_putf(&out, "empty %s\n", *folder);
    bool fine = wire_flush(&out);
    for (; fine && *folders; folders++) {
        char line[WIRE_LINE_MAX];
        fine = wire_read_line(&wire, line, deadline_ms) && strncmp(line, "empty ", 6) == 0 &&
               strcmp(line + 6, *folders) == 0;
    }
    return fine;
}

const SandboxFile *sandbox_find_file(const SandboxAnswer *answer, const char *name)
{
    for (size_t i = 0; i < answer->n_files; i++)
        if (strcmp(answer->files[i].name, name) == 0)
            return &answer->files[i];
    return NULL;
}
