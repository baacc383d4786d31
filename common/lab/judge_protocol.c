/* The judge's command lines: fields separated by tabs (docs/contracts.md, "The judge").
 *
 *   make   CASEDIR SEED KEY=VALUE...                   -> {"ok":true}
 *   check  CASEDIR SEED RTOL ATOL NAN KEY=VALUE...     ->
 * {"ok":true,"verdict":...,"message":...,"outputs":[...]} quit
 */
#include "common/lab/judge_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = JUDGE_PARAMS_MAX + 8 };

typedef struct Command {
    char *fields[FIELDS_MAX];
    size_t n;
} Command;

static Status split(char *line, Command *command, Diag *diag)
{
    char *rest = line;
    command->n = 0;
    for (char *field; (field = strsep(&rest, "\t"));) {
        if (command->n == FIELDS_MAX)
            return diag_set(diag, STATUS_LIMIT, "a command has more than %d fields", FIELDS_MAX);
        command->fields[command->n++] = field;
    }
    return STATUS_OK;
}

static Status parse_seed(const char *text, uint64_t *seed, Diag *diag)
{
    char *end = NULL;
    errno = 0;
    *seed = strtoull(text, &end, 0);
    if (errno || end == text || *end || *text == '-')
        return diag_set(diag, STATUS_INVALID, "'%s' is no seed: an integer from 0 to 2^64-1 is expected",
                        text);
    return STATUS_OK;
}

static Status parse_bound(const char *text, const char *what, double *bound, Diag *diag)
{
    char *end = NULL;
    *bound = strtod(text, &end);
    if (end == text || *end || !(*bound >= 0))
        return diag_set(diag, STATUS_INVALID, "'%s' is no %s: a number from 0 is expected", text, what);
    return STATUS_OK;
}

static Status parse_tolerance(char *const *fields, Tolerance *tolerance, Diag *diag)
{
    Status status = parse_bound(fields[0], "rtol", &tolerance->rtol, diag);
    if (!status)
        status = parse_bound(fields[1], "atol", &tolerance->atol, diag);
    if (status)
        return status;
    tolerance->nan_equal = strcmp(fields[2], "equal") == 0;
    if (!tolerance->nan_equal && strcmp(fields[2], "never") != 0)
        return diag_set(diag, STATUS_INVALID, "'%s': equal or never is expected", fields[2]);
    return STATUS_OK;
}

static Status make_case(JudgeCase *c, const Command *command, Diag *diag)
{
    Status status = judge_run_inputs(c, diag);
    return status ? status : judge_write_inputs(c, command->fields[1], diag);
}

static Status check_case(JudgeCase *c, const Command *command, StrBuf *answer, Diag *diag)
{
    Tolerance tolerance;
    Status status = parse_tolerance(&command->fields[3], &tolerance, diag);
    if (!status)
        status = judge_run_inputs(c, diag);
    if (!status)
        status = judge_read_calls(c, command->fields[1], diag);
    if (!status)
        status = judge_run_reference(c, diag);
    return status ? status : judge_check_case(c, command->fields[1], &tolerance, answer, diag);
}

static void refuse_order(StrBuf *answer, const Diag *diag)
{
    char text[DIAG_TEXT_MAX + DIAG_FILE_MAX + DIAG_HINT_MAX];
    diag_format(diag, NULL, text, sizeof text);
    size_t length = strcspn(text, "\n");
    strbuf_free(answer);
    strbuf_puts(answer, "{\"ok\":false,\"message\":");
    strbuf_json_string(answer, text, length);
    strbuf_puts(answer, "}");
}

/* Runs a command on a case; n_fixed fields stand before the parameters. */
static Status with_case(const Command *command, size_t n_fixed, Language language, StrBuf *answer, Diag *diag)
{
    uint64_t seed = 0;
    Status status = parse_seed(command->fields[2], &seed, diag);
    JudgeCase *c = calloc(1, sizeof *c);
    if (!c)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a case");
    if (!status)
        status = judge_case_open(c, seed, &command->fields[n_fixed], command->n - n_fixed, diag);
    c->language = language;
    if (!status && n_fixed == 3) {
        status = make_case(c, command, diag);
        if (!status)
            strbuf_puts(answer, "{\"ok\":true}");
    } else if (!status) {
        status = check_case(c, command, answer, diag);
    }
    judge_case_free(c);
    free(c);
    return status;
}

Status judge_command(char *line, Language language, StrBuf *answer, bool *quit, Diag *diag)
{
    Command command;
    Status status = split(line, &command, diag);
    if (status)
        return status;
    const char *name = command.fields[0];
    *quit = strcmp(name, "quit") == 0;
    if (*quit)
        return STATUS_OK;
    size_t n_fixed = strcmp(name, "make") == 0 ? 3 : strcmp(name, "check") == 0 ? 6 : 0;
    if (n_fixed == 0 || command.n < n_fixed)
        return diag_set(diag, STATUS_INVALID, "'%s' with %zu fields is no command of the judge", name,
                        command.n - 1);
    Diag fault = {0};
    if (with_case(&command, n_fixed, language, answer, &fault))
        refuse_order(answer, &fault);
    return STATUS_OK;
}
