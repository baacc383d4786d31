/* Parsing options; see cli.h and options.def. `--name value` and `--name=value` mean the same, but for
 * a WORD, whose value only stands behind `=`; `--` ends them. */
#include "grader/cli/cli.h"

#include "common/base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum OptionType { OPTION_TEXT, OPTION_WORD, OPTION_COUNT, OPTION_FLAG } OptionType;

typedef struct OptionRow {
    const char *name;
    OptionType type;
    size_t offset;
    int64_t min, max;
    const char *alone; /* of a word: what it is without its value */
    const char *value; /* as help names it; "" for a flag */
    const char *meaning;
} OptionRow;

static const OptionRow rows[] = {
#define TEXT(name_, field, value_, meaning_)                                                                 \
    {.name = name_,                                                                                          \
     .type = OPTION_TEXT,                                                                                    \
     .offset = offsetof(Options, field),                                                                     \
     .value = value_,                                                                                        \
     .meaning = meaning_},
#define WORD(name_, field, value_, alone_, meaning_)                                                         \
    {.name = name_,                                                                                          \
     .type = OPTION_WORD,                                                                                    \
     .offset = offsetof(Options, field),                                                                     \
     .alone = alone_,                                                                                        \
     .value = value_,                                                                                        \
     .meaning = meaning_},
#define COUNT(name_, field, min_, max_, meaning_)                                                            \
    {.name = name_,                                                                                          \
     .type = OPTION_COUNT,                                                                                   \
     .offset = offsetof(Options, field),                                                                     \
     .value = "N",                                                                                           \
     .min = min_,                                                                                            \
     .max = max_,                                                                                            \
     .meaning = meaning_},
#define FLAG(name_, field, meaning_)                                                                         \
    {.name = name_,                                                                                          \
     .type = OPTION_FLAG,                                                                                    \
     .offset = offsetof(Options, field),                                                                     \
     .value = "",                                                                                            \
     .meaning = meaning_},
#include "grader/cli/options.def"
#undef TEXT
#undef WORD
#undef COUNT
#undef FLAG
};

enum { N_ROWS = sizeof rows / sizeof *rows };

bool options_text(size_t i, OptionText *text)
{
    if (i >= N_ROWS)
        return false;
    *text = (OptionText){rows[i].name, rows[i].value, rows[i].meaning, rows[i].type == OPTION_WORD};
    return true;
}

bool options_takes(const Command *command, const char *name, bool *required)
{
    size_t length = strlen(name);
    for (const char *p = command->options; *p; p += strspn(p, " ")) {
        size_t word = strcspn(p, " "), own = word - (word > 0 && p[word - 1] == '!');
        if (required)
            *required = own < word;
        if (own == length && strncmp(p, name, length) == 0)
            return true;
        p += word;
    }
    if (required)
        *required = false;
    return strcmp(name, "help") == 0;
}

/* Prints text from column `column` on, broken at blanks before the 100th. */
static void print_wrapped(const char *text, int column)
{
    enum { WIDTH = 100 };
    int at = column;
    for (const char *p = text; *p;) {
        int length = (int)strcspn(p, " ");
        if (at > column && at + 1 + length > WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        } else if (at > column) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, p);
        at += length;
        p += length + (p[length] == ' ');
    }
    putchar('\n');
}

void options_print(const Command *command)
{
    enum { COLUMN = 26 };
    for (size_t i = 0; i < N_ROWS; i++) {
        bool program_only = command && strcmp(rows[i].name, "version") == 0;
        if (program_only || (command && !options_takes(command, rows[i].name, NULL)))
            continue;
        char left[80];
        bool word = rows[i].type == OPTION_WORD;
        snprintf(left, sizeof left, "  --%s%s%s%s", rows[i].name,
                 !rows[i].value[0] ? ""
                 : word            ? "[="
                                   : " ",
                 rows[i].value, word ? "]" : "");
        if (strlen(left) < COLUMN)
            printf("%-*s", COLUMN, left);
        else
            printf("%s\n%*s", left, COLUMN, "");
        print_wrapped(rows[i].meaning, COLUMN);
    }
}

static const OptionRow *find_row(const char *name, size_t length)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

static Status set_count(const OptionRow *row, const char *value, int64_t *out, Diag *d)
{
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (end == value || *end || errno || number < row->min || number > row->max)
        return diag_set(d, STATUS_INVALID, "--%s must be a whole number from %lld to %lld, not '%s'",
                        row->name, (long long)row->min, (long long)row->max, value);
    *out = number;
    return STATUS_OK;
}

/* Says that the command has no such option, and which may be meant. */
static Status refuse(const Command *command, const OptionRow *row, const char *name, size_t length, Diag *d)
{
    char word[64];
    const char *own[N_ROWS];
    size_t n = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        if (options_takes(command, rows[i].name, NULL))
            own[n++] = rows[i].name;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    if (row)
        diag_set(d, STATUS_INVALID, "--%s is no option of grade %s", word, command->name);
    else
        diag_set(d, STATUS_INVALID, "unknown option --%s", word);
    const char *near = nearest_name(word, own, n);
    if (near)
        diag_hint(d, "the nearest is --%s; `grade %s --help` explains all", near, command->name);
    else
        diag_hint(d, "`grade %s --help` explains those it has", command->name);
    return STATUS_INVALID;
}

/* The same for one dash. */
static Status refuse_short(const Command *command, const char *word, Diag *d)
{
    const OptionRow *row = find_row(word + 1, strlen(word + 1));
    diag_set(d, STATUS_INVALID, "unknown option %s", word);
    if (row && options_takes(command, row->name, NULL))
        diag_hint(d, "options begin with two dashes: -%s", word);
    else
        diag_hint(d, "`grade %s --help` explains those it has", command->name);
    return STATUS_INVALID;
}

static Status needs_value(const OptionRow *row, Diag *d)
{
    diag_set(d, STATUS_INVALID, "--%s needs a value", row->name);
    diag_hint(d, "--%s %s: %s", row->name, row->value, row->meaning);
    return STATUS_INVALID;
}

static Status given_twice(const OptionRow *row, Diag *d)
{
    diag_set(d, STATUS_INVALID, "--%s is given twice", row->name);
    diag_hint(d, "several names are one value, separated by commas: --%s a,b", row->name);
    return STATUS_INVALID;
}

/* Handles the option argv[*i]; moves *i past its value. */
static Status parse_one(const Command *command, int argc, char **argv, int *i, Options *o, Diag *d)
{
    const char *name = argv[*i] + 2;
    size_t length = strcspn(name, "=");
    const OptionRow *row = find_row(name, length);
    if (!row || !options_takes(command, row->name, NULL))
        return refuse(command, row, name, length, d);
    void *field = (char *)o + row->offset;
    const char *value = name[length] ? name + length + 1 : NULL;
    if (row->type == OPTION_FLAG) {
        *(bool *)field = true;
        return value ? diag_set(d, STATUS_INVALID, "--%s takes no value", row->name) : STATUS_OK;
    }
    if (!value && row->type == OPTION_WORD)
        value = row->alone;
    if (!value && ++*i < argc)
        value = argv[*i];
    if (!value)
        return needs_value(row, d);
    if (row->type == OPTION_COUNT)
        return set_count(row, value, field, d);
    if (*(const char **)field && strcmp(row->value, "NAMES") == 0)
        return given_twice(row, d);
    *(const char **)field = value;
    return STATUS_OK;
}

Status options_parse(Arena *a, const Command *command, int argc, char **argv, Options *o, Diag *d)
{
    *o = (Options){.jobs = -1,
                   .seed = -1,
                   .per_task = -1,
                   .task = -1,
                   .change = -1,
                   .percent = -1,
                   .common = -1,
                   .port = -1};
    o->operands = ARENA_NEW_ARRAY(a, const char *, argc + 1);
    if (!o->operands)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        if (ended || argv[i][0] != '-' || argv[i][1] == '\0') {
            o->operands[o->n_operands++] = argv[i];
            continue;
        }
        ended = strcmp(argv[i], "--") == 0;
        if (ended)
            continue;
        if (argv[i][1] != '-')
            return refuse_short(command, argv[i], d);
        Status s = parse_one(command, argc, argv, &i, o, d);
        if (s != STATUS_OK)
            return s;
    }
    return STATUS_OK;
}
