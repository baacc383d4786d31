/* Taking files; see intake.h. */
#include "grader/build/intake.h"

#include "grader/build/slips.h"
#include "grader/core/files.h"
#include "grader/text/encoding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void add_problem(Arena *a, Intake *intake, const char *text)
{
    const char *both = arena_printf(a, "%s%s%s", intake->problem, intake->problem[0] ? "\n" : "", text);
    intake->problem = both ? both : text;
}

/* What is hashed of a file: "NAME BYTES\n" and its contents. */
static void hash_file(Sha256 *sum, const char *name, const char *bytes, size_t length)
{
    char head[256];
    int n = snprintf(head, sizeof head, "%s %zu\n", name, length);
    sha256_add(sum, head, (size_t)n);
    sha256_add(sum, bytes, length);
}

static Status write_copy(const char *folder, const char *name, const char *bytes, size_t length, Diag *d)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool fine = fd >= 0 && write(fd, bytes, length) == (ssize_t)length;
    int error = errno;
    if (fd >= 0 && close(fd) != 0)
        fine = false;
    return fine ? STATUS_OK : diag_set(d, STATUS_IO, "cannot write %s: %s", path, strerror(error));
}

/* What take_file needs. */
typedef struct Taking {
    Arena *arena;
    int from;
    const char *to;
    Intake *intake;
    Slips slips;
    Sha256 sum;
} Taking;

static void add_found(Taking *t, const char *line)
{
    const char *found = t->slips.found;
    const char *both = line ? arena_printf(t->arena, "%s%s%s", found, found[0] ? "\n" : "", line) : NULL;
    t->slips.found = both ? both : found;
}

/* What no compiler here reads is not taken; false then. */
static bool check_encoding(Taking *t, const char *name, const char *bytes, size_t length)
{
    Encoding e = encoding_of(bytes, length);
    if (e == ENCODING_UTF16_LE || e == ENCODING_UTF16_BE) {
        add_found(t,
                  arena_printf(t->arena,
                               "Found: %s is %s, which the compiler cannot read. Save it as UTF-8, or `grade "
                               "import accept STUDENT %s as %s` converts it.",
                               name, encoding_word(e), name, name));
        return false;
    }
    if (e != ENCODING_8BIT)
        return true;
    const char *line = arena_printf(t->arena, "%s%s%s is %s, not UTF-8; compiled as it is.", t->slips.taken,
                                    t->slips.taken[0] ? "\n" : "", name, encoding_word(e));
    t->slips.taken = line ? line : t->slips.taken;
    return true;
}

/* What is wrong with a file that is there. */
static void refuse_file(Taking *t, const char *name, Status s, const Diag *problem)
{
    if (s == STATUS_IO) {
        add_found(t,
                  arena_printf(t->arena, "Found: %s, which cannot be read: `chmod u+r` mends that.", name));
        return;
    }
    const char *refused = arena_printf(t->arena, "%s. Hand in a plain file.", problem->message);
    t->intake->submitted = true;
    add_problem(t->arena, t->intake, refused ? refused : "A file is not a plain file.");
}

/* Takes one file; what is wrong with it goes into intake, what is wrong with the machine is returned. */
static Status take_file(Taking *t, const char *name, Diag *d)
{
    char *bytes = NULL;
    size_t length;
    Diag problem;
    const char *real = slips_file(t->arena, t->from, name, &t->slips);
    Status s =
        real ? file_read_untrusted(t->arena, t->from, real, INTAKE_FILE_BYTES_MAX, &bytes, &length, &problem)
             : STATUS_NOT_FOUND;
    if (s == STATUS_NO_MEMORY)
        return diag_set(d, s, "%s", problem.message);
    if (s == STATUS_NOT_FOUND) {
        const char *missing = arena_printf(t->arena, "%s is missing.", name);
        add_problem(t->arena, t->intake, missing ? missing : "A file is missing.");
        return STATUS_OK;
    }
    if (s != STATUS_OK) {
        refuse_file(t, name, s, &problem);
        return STATUS_OK;
    }
    if (!check_encoding(t, name, bytes, length))
        return STATUS_OK;
    t->intake->submitted = true;
    hash_file(&t->sum, name, bytes, length);
    return t->to ? write_copy(t->to, name, bytes, length, d) : STATUS_OK;
}

/* A file that was found and not taken is one that is missing, too, where others were handed in. */
static void finish_taking(Taking *t)
{
    Intake *intake = t->intake;
    if (intake->submitted && t->slips.found[0])
        add_problem(t->arena, intake, t->slips.found);
    intake->notes = t->slips.taken;
    intake->found = intake->submitted ? "" : t->slips.found;
    if (intake->submitted && intake->problem[0])
        sha256_add(&t->sum, intake->problem, strlen(intake->problem));
    sha256_add(&t->sum, intake->notes, strlen(intake->notes));
    sha256_add(&t->sum, intake->found, strlen(intake->found));
    if (intake->submitted || intake->found[0])
        sha256_end_hex(&t->sum, intake->sha256);
}

Status intake_take(Arena *a, const Lab *lab, const char *from, const char *to, Intake *intake, Diag *d)
{
    Taking t = {.arena = a, .to = to, .intake = intake};
    *intake = (Intake){.problem = ""};
    t.from = slips_open(a, lab, from, &t.slips);
    sha256_start(&t.sum);
    Status s = STATUS_OK;
    for (size_t i = 0; t.from >= 0 && s == STATUS_OK && i < lab->n_files; i++)
        s = take_file(&t, lab->files[i], d);
    if (!intake->submitted && !t.slips.found[0])
        slips_look(a, lab, from, t.from, &t.slips);
    if (t.from >= 0)
        close(t.from);
    finish_taking(&t);
    return s;
}
