/* Calling sbatch, squeue and scancel; see slurm.h. No shell is between, and what they print is read from
 * files in memory, so that neither can block the other. */
#include "grader/class/slurm_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 64, PRINTED_BYTES_MAX = 16 << 20, COMPLAINT_BYTES_MAX = 512 };

static const char *read_back(Arena *a, int fd, size_t bytes_max)
{
    off_t end = lseek(fd, 0, SEEK_END);
    size_t length = end < 0 ? 0 : (size_t)end < bytes_max ? (size_t)end : bytes_max;
    char *text = arena_alloc(a, length + 1);
    if (text && length && pread(fd, text, length, 0) != (ssize_t)length)
        text[0] = '\0';
    return text;
}

/* In the child. */
static _Noreturn void become(const char *const *words, int out, int err)
{
    dup2(out, 1);
    dup2(err, 2);
    execvp(words[0], (char *const *)words);
    dprintf(2, "%s\n", strerror(errno));
    _exit(127);
}

static Status run_between(Arena *a, const char *const *words, int out, int err, const char **printed, Diag *d)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        become(words, out, err);
    if (pid < 0)
        return diag_set(d, STATUS_IO, "cannot start %s: %s", words[0], strerror(errno));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *printed = read_back(a, out, PRINTED_BYTES_MAX);
    const char *complaint = read_back(a, err, COMPLAINT_BYTES_MAX);
    if (!*printed || !complaint)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for what %s printed", words[0]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return STATUS_OK;
    diag_set(d, STATUS_IO, "%s failed: %.*s", words[0], (int)strcspn(complaint, "\n"), complaint);
    diag_hint(d, "SLURM's commands must be on the PATH, and the controller must answer: try sinfo");
    return STATUS_IO;
}

/* Runs a command; *printed is what it wrote to standard output. */
static Status run_slurm_command(Arena *a, const char *const *words, const char **printed, Diag *d)
{
    int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
    Status s = out >= 0 && err >= 0
                   ? run_between(a, words, out, err, printed, d)
                   : diag_set(d, STATUS_IO, "no file in memory for %s: %s", words[0], strerror(errno));
    if (out >= 0)
        close(out);
    if (err >= 0)
        close(err);
    return s;
}

/* Appends the words of a text; false when there are too many. */
static bool add_words(Arena *a, const char **words, size_t *n, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " \t\n");
        if (length && *n == WORDS_MAX - 2)
            return false;
        if (length)
            words[(*n)++] = arena_strndup(a, text, length);
        text += length + (text[length] != '\0');
    }
    return true;
}

Status slurm_submit(const SlurmPlace *place, const char *folder, size_t n_tasks, long *array, Diag *d)
{
    Arena a = {0};
    const char *words[WORDS_MAX] = {
        "sbatch",
        "--parsable",
        "--no-requeue",
        "--open-mode=append",
        arena_printf(&a, "--job-name=%s", place->name),
        arena_printf(&a, "--array=0-%zu", n_tasks - 1),
        arena_printf(&a, "--output=%s/%%a.log", folder),
        arena_printf(&a, "--chdir=%s", folder),
        arena_printf(&a, "--cpus-per-task=%d", place->processors),
        arena_printf(&a, "--mem=%lldM", (long long)place->memory_mib),
    };
    size_t n = 0;
    while (words[n])
        n++;
    if (!add_words(&a, words, &n, place->options ? place->options : "")) {
        arena_free(&a);
        return diag_set(d, STATUS_INVALID, "too many options for sbatch");
    }
    words[n] = arena_printf(&a, "%s/script", folder);
    const char *printed = NULL;
    Status s = words[n] ? run_slurm_command(&a, words, &printed, d)
                        : diag_set(d, STATUS_NO_MEMORY, "no memory for sbatch");
    *array = s == STATUS_OK ? strtol(printed, NULL, 10) : 0; /* "ID" or "ID;CLUSTER" */
    if (s == STATUS_OK && *array <= 0)
        s = diag_set(d, STATUS_IO, "sbatch named no job");
    arena_free(&a);
    return s;
}

Status slurm_list(Arena *a, const SlurmPlace *place, SlurmTask **tasks, size_t *n, Diag *d)
{
    const char *words[] = {"squeue",    "--noheader", "--array",  "--name",
                           place->name, "--format",   "%F %K %T", NULL};
    const char *text = NULL;
    Status s = run_slurm_command(a, words, &text, d);
    if (s != STATUS_OK)
        return s;
    size_t lines = 0;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    *tasks = ARENA_NEW_ARRAY(a, SlurmTask, lines + 1);
    *n = 0;
    for (; *tasks && *text; text += strcspn(text, "\n"), text += *text == '\n') {
        SlurmTask t;
        char state[32];
        /* COMPLETING: its work is over, however long a dead node takes to say so. */
        if (sscanf(text, "%ld %ld %31s", &t.array, &t.index, state) == 3 &&
            strcmp(state, "COMPLETING") != 0 && *n < lines)
            (*tasks)[(*n)++] = t;
    }
    return *tasks ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for the list of tasks");
}

Status slurm_cancel(const SlurmPlace *place, Diag *d)
{
    Arena a = {0};
    const char *words[] = {"scancel", "--quiet", "--name", place->name, NULL};
    const char *printed = NULL;
    Status s = run_slurm_command(&a, words, &printed, d);
    arena_free(&a);
    return s;
}
