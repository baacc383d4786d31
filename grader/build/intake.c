/* Taking files; see intake.h. */
#include "grader/build/intake.h"

#include "grader/core/files.h"

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

/* Takes one file; what is wrong with it goes into intake, what is wrong with the machine is returned. */
static Status take_file(Arena *a, int from, const char *to, const char *name, Intake *intake, Sha256 *sum,
                        Diag *d)
{
    char *bytes;
    size_t length;
    Diag problem;
    Status s = file_read_untrusted(a, from, name, INTAKE_FILE_BYTES_MAX, &bytes, &length, &problem);
    if (s == STATUS_NO_MEMORY)
        return diag_set(d, s, "%s", problem.message);
    if (s == STATUS_NOT_FOUND) {
        const char *missing = arena_printf(a, "%s is missing.", name);
        add_problem(a, intake, missing ? missing : "A file is missing.");
        return STATUS_OK;
    }
    intake->submitted = true;
    if (s != STATUS_OK) {
        const char *refused = arena_printf(a, "%s. Hand in a plain file.", problem.message);
        add_problem(a, intake, refused ? refused : "A file is not a plain file.");
        return STATUS_OK;
    }
    hash_file(sum, name, bytes, length);
    return to ? write_copy(to, name, bytes, length, d) : STATUS_OK;
}

Status intake_take(Arena *a, const Lab *lab, const char *from, const char *to, Intake *intake, Diag *d)
{
    *intake = (Intake){.problem = ""};
    int dir = open(from, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return STATUS_OK; /* nothing was handed in */
    Sha256 sum;
    sha256_start(&sum);
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < lab->n_files; i++)
        s = take_file(a, dir, to, lab->files[i], intake, &sum, d);
    close(dir);
    if (intake->submitted && intake->problem[0])
        sha256_add(&sum, intake->problem, strlen(intake->problem));
    if (intake->submitted)
        sha256_end_hex(&sum, intake->sha256);
    return s;
}
