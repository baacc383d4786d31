/* judge: see judge.h.
 *
 * One socket pair is the process's standard input and output (a write to a dead judge is an error code there,
 * not SIGPIPE); its standard error goes to an unnamed file in memory, whose end is quoted when it dies.
 */
#include "grader/judge/judge.h"

#include "common/base/io.h"
#include "common/base/strbuf.h"
#include "grader/judge/judge_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STDERR_SHOWN = 400, QUIT_MS = 1000 };

struct Judge {
    pid_t pid; /* 0 when it is gone */
    int socket, stderr_fd;
    double make_s, check_s;
    StrBuf input; /* what has been read past the last line */
    Diag death;   /* why it is gone */
};

extern char **environ;

/* Starts program with child_socket as input and output. The judge inherits no other descriptor: all of ours
 * are close-on-exec. */
static int spawn(const char *program, Language language, int child_socket, int stderr_fd, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, child_socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, child_socket, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, stderr_fd, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    char option[32];
    snprintf(option, sizeof option, "--lang=%s", language_name(language));
    char *const argv[] = {(char *)program, language == LANGUAGE_ENGLISH ? NULL : option, NULL};
    int error = posix_spawn(pid, program, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void close_all(Judge *j)
{
    if (j->socket >= 0)
        close(j->socket);
    if (j->stderr_fd >= 0)
        close(j->stderr_fd);
    j->socket = j->stderr_fd = -1;
}

Status judge_start(const char *program, const JudgeOptions *options, Judge **out, Diag *d)
{
    *out = NULL;
    Judge *j = calloc(1, sizeof *j);
    if (!j)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the judge");
    j->make_s = options && options->make_s > 0 ? options->make_s : JUDGE_SECONDS;
    j->check_s = options && options->check_s > 0 ? options->check_s : JUDGE_SECONDS;
    j->socket = -1;
    j->stderr_fd = memfd_create("judge-stderr", MFD_CLOEXEC);
    int pair[2] = {-1, -1};
    int error = 0;
    if (j->stderr_fd < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        error = errno;
    j->socket = pair[0];
    if (!error)
        error =
            spawn(program, options ? options->language : LANGUAGE_ENGLISH, pair[1], j->stderr_fd, &j->pid);
    if (pair[1] >= 0)
        close(pair[1]);
    if (error) {
        close_all(j);
        free(j);
        diag_set(d, error == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, "cannot start the judge %s: %s", program,
                 strerror(error));
        diag_hint(d, "it is built by `make`");
        return error == ENOENT ? STATUS_NOT_FOUND : STATUS_IO;
    }
    *out = j;
    return STATUS_OK;
}

/* What the judge last wrote to its standard error, as one line. */
static void last_words(const Judge *j, char *text, size_t size)
{
    off_t end = lseek(j->stderr_fd, 0, SEEK_END);
    off_t from = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    ssize_t n = pread(j->stderr_fd, text, size - 1, from);
    text[n > 0 ? n : 0] = '\0';
    for (size_t length = strlen(text); length > 0 && text[length - 1] == '\n';)
        text[--length] = '\0';
}

/* Ends the process and keeps the reason for this and every later call. */
static Status bury(Judge *j, const char *reason, Diag *d)
{
    char words[STDERR_SHOWN], how[64] = "";
    int status = 0;
    kill(j->pid, SIGKILL);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR) {
    }
    last_words(j, words, sizeof words);
    if (WIFEXITED(status))
        snprintf(how, sizeof how, " (exit status %d)", WEXITSTATUS(status));
    else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        snprintf(how, sizeof how, " (signal %d)", WTERMSIG(status));
    diag_set(&j->death, STATUS_IO, "%s%s%s%s", reason, how, words[0] ? ": " : "", words);
    j->pid = 0;
    close_all(j);
    if (d)
        *d = j->death;
    return STATUS_IO;
}

static bool send_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

typedef enum Got { GOT_MORE, GOT_END, GOT_TIMEOUT, GOT_NO_MEMORY } Got;

/* Reads what is there, or waits until `deadline`. */
static Got read_more(Judge *j, double deadline)
{
    struct pollfd p = {.fd = j->socket, .events = POLLIN};
    double left = deadline - io_now_s();
    int ready = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
    if (ready == 0)
        return GOT_TIMEOUT;
    if (ready < 0)
        return errno == EINTR ? GOT_MORE : GOT_END;
    char buffer[8192];
    ssize_t n = recv(j->socket, buffer, sizeof buffer, 0);
    if (n < 0 && errno == EINTR)
        return GOT_MORE;
    if (n <= 0)
        return GOT_END;
    strbuf_append(&j->input, buffer, (size_t)n);
    return j->input.failed ? GOT_NO_MEMORY : GOT_MORE;
}

/* Waits for one line; *length is without its newline. The line stays in j->input until drop_line. */
static Status read_line(Judge *j, double seconds, size_t *length, Diag *d)
{
    double deadline = io_now_s() + seconds;
    size_t searched = 0;
    for (;;) {
        char *newline = j->input.length > searched
                            ? memchr(j->input.text + searched, '\n', j->input.length - searched)
                            : NULL;
        if (newline) {
            *length = (size_t)(newline - j->input.text);
            return STATUS_OK;
        }
        searched = j->input.length;
        if (searched > JUDGE_LINE_MAX)
            return bury(j, "the judge's answer is longer than any should be", d);
        switch (read_more(j, deadline)) {
        case GOT_MORE:
            break;
        case GOT_END:
            return bury(j, "the judge ended before it answered", d);
        case GOT_TIMEOUT:
            return bury(j, "the judge did not answer in time", d);
        case GOT_NO_MEMORY:
            return bury(j, "no memory for the judge's answer", d);
        }
    }
}

static void drop_line(Judge *j, size_t length)
{
    size_t rest = j->input.length - length - 1;
    memmove(j->input.text, j->input.text + length + 1, rest);
    j->input.length = rest;
}

/* Sends the command (which it frees) and reads the JSON of the answer, a new reference. */
static Status ask_judge(Judge *j, StrBuf *command, double seconds, json_t **json, Diag *d)
{
    *json = NULL;
    strbuf_puts(command, "\n");
    bool fine = !command->failed && j->pid != 0;
    fine = fine && send_all(j->socket, command->text, command->length);
    bool no_memory = command->failed;
    strbuf_free(command);
    if (j->pid == 0) {
        if (d)
            *d = j->death;
        return STATUS_IO;
    }
    if (no_memory)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to ask the judge");
    if (!fine)
        return bury(j, "the judge ended before it was asked", d);
    size_t length = 0;
    Status s = read_line(j, seconds, &length, d);
    if (s != STATUS_OK)
        return s;
    s = judge_parse_line(j->input.text, length, json, d);
    drop_line(j, length);
    return s;
}

/* A field must not contain what separates fields and lines. */
static bool add_field(StrBuf *command, const char *key, const char *text)
{
    strbuf_printf(command, "\t%s%s%s", key, key[0] ? "=" : "", text);
    return !strpbrk(key, "\t\n\r") && !strpbrk(text, "\t\n\r");
}

static Status finish_command(StrBuf *command, bool fine, const LabCase *c, Diag *d)
{
    for (size_t i = 0; i < c->n_params; i++)
        fine = add_field(command, c->params[i].key, c->params[i].value) && fine;
    if (fine)
        return STATUS_OK;
    strbuf_free(command);
    return diag_set(d, STATUS_INVALID, "case %s: a tab or a newline in a folder's name or a parameter",
                    c->name);
}

Status judge_make(Judge *j, const char *case_dir, uint64_t seed, const LabCase *c, Diag *d)
{
    StrBuf command = {0};
    strbuf_puts(&command, "make");
    bool fine = add_field(&command, "", case_dir);
    strbuf_printf(&command, "\t%llu", (unsigned long long)seed);
    Status s = finish_command(&command, fine, c, d);
    if (s != STATUS_OK)
        return s;
    json_t *json;
    s = ask_judge(j, &command, j->make_s, &json, d);
    json_decref(json);
    return s;
}

Status judge_check(Judge *j, const char *case_dir, uint64_t seed, const LabCase *c, JudgeAnswer *answer,
                   Diag *d)
{
    *answer = (JudgeAnswer){0};
    StrBuf command = {0};
    strbuf_puts(&command, "check");
    bool fine = add_field(&command, "", case_dir);
    strbuf_printf(&command, "\t%llu\t%.17g\t%.17g\t%s", (unsigned long long)seed, c->tolerance.rtol,
                  c->tolerance.atol, c->tolerance.nan);
    Status s = finish_command(&command, fine, c, d);
    if (s != STATUS_OK)
        return s;
    json_t *json;
    s = ask_judge(j, &command, j->check_s, &json, d);
    if (s == STATUS_OK)
        s = judge_parse_answer(json, answer, d);
    json_decref(json);
    if (s != STATUS_OK)
        judge_answer_free(answer);
    return s;
}

/* Whether it ended by itself within QUIT_MS. Its end of the socket closes when it does. */
static bool ends_by_itself(Judge *j)
{
    double deadline = io_now_s() + QUIT_MS * 1e-3;
    if (!send_all(j->socket, "quit\n", 5))
        return false;
    shutdown(j->socket, SHUT_WR);
    for (;;) {
        Got got = read_more(j, deadline);
        if (got != GOT_MORE || j->input.length > JUDGE_LINE_MAX)
            return got == GOT_END;
    }
}

void judge_stop(Judge *j)
{
    if (!j)
        return;
    if (j->pid != 0) {
        if (!ends_by_itself(j))
            kill(j->pid, SIGKILL);
        while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close_all(j);
    strbuf_free(&j->input);
    free(j);
}
