/* Parsing options; see cli.h and options.def. `--name value` and `--name=value` mean the same, but for
 * a WORD, whose value only stands behind `=`; `--` ends them. */
#include "grader/cli/cli.h"

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
    const char *meaning;
} OptionRow;

static const OptionRow rows[] = {
#define TEXT(name_, field, meaning_)                                                                         \
    {.name = name_, .type = OPTION_TEXT, .offset = offsetof(Options, field), .meaning = meaning_},
#define WORD(name_, field, alone_, meaning_)                                                                 \
    {.name = name_,                                                                                          \
     .type = OPTION_WORD,                                                                                    \
     .offset = offsetof(Options, field),                                                                     \
     .alone = alone_,                                                                                        \
     .meaning = meaning_},
#define COUNT(name_, field, min_, max_, meaning_)                                                            \
    {.name = name_,                                                                                          \
     .type = OPTION_COUNT,                                                                                   \
     .offset = offsetof(Options, field),                                                                     \
     .min = min_,                                                                                            \
     .max = max_,                                                                                            \
     .meaning = meaning_},
#define FLAG(name_, field, meaning_)                                                                         \
    {.name = name_, .type = OPTION_FLAG, .offset = offsetof(Options, field), .meaning = meaning_},
#include "grader/cli/options.def"
#undef TEXT
#undef WORD
#undef COUNT
#undef FLAG
};

enum { N_ROWS = sizeof rows / sizeof *rows };

void options_print(void)
{
    for (size_t i = 0; i < N_ROWS; i++)
        printf("  --%-20s %s\n", rows[i].name, rows[i].meaning);
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

/* Handles the option argv[*i]; moves *i past its value. */
static Status parse_one(int argc, char **argv, int *i, Options *o, Diag *d)
{
    const char *name = argv[*i] + 2;
    size_t length = strcspn(name, "=");
    const OptionRow *row = find_row(name, length);
    if (!row)
        return diag_set(d, STATUS_INVALID, "unknown option --%.*s", (int)length, name);
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
        return diag_set(d, STATUS_INVALID, "--%s needs a value", row->name);
    if (row->type == OPTION_COUNT)
        return set_count(row, value, field, d);
    *(const char **)field = value;
    return STATUS_OK;
}

Status options_parse(Arena *a, int argc, char **argv, Options *o, Diag *d)
{
    *o = (Options){
        .jobs = -1, .seed = -1, .per_task = -1, .task = -1, .change = -1, .percent = -1, .common = -1};
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
            return diag_set(d, STATUS_INVALID, "unknown option %s", argv[i]);
        Status s = parse_one(argc, argv, &i, o, d);
        if (s != STATUS_OK)
            return s;
    }
    return STATUS_OK;
}
