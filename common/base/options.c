/* See options.h. */
#include "common/base/options.h"

#include "common/base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 128 };

static bool is_taken(const OptionTable *t, const OptionRow *row)
{
    return !t->takes || t->takes(t->self, row->name);
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

void options_print(const OptionTable *t)
{
    enum { COLUMN = 26 };
    for (const OptionRow *row = t->rows; row < t->rows + t->n; row++) {
        if (!is_taken(t, row))
            continue;
        char left[80];
        bool word = row->type == OPTION_WORD;
        char before[] = {row->value[0] ? t->separator : '\0', '\0'};
        snprintf(left, sizeof left, "  --%s%s%s%s", row->name, word ? "[=" : before, row->value, word ? "]" : "");
        if (strlen(left) < COLUMN)
            printf("%-*s", COLUMN, left);
        else
            printf("%s\n%*s", left, COLUMN, "");
        print_wrapped(row->meaning, COLUMN);
    }
}

static const OptionRow *find_row(const OptionTable *t, const char *name, size_t length)
{
    for (const OptionRow *row = t->rows; row < t->rows + t->n; row++)
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
            return row;
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

static Status check_number(const OptionRow *row, const char *value, Diag *d)
{
    errno = 0;
    strtoull(value, NULL, 10);
    if (*value && value[strspn(value, "0123456789")] == '\0' && errno == 0)
        return STATUS_OK;
    return diag_set(d, STATUS_INVALID, "--%s wants a number, not '%s'", row->name, value);
}

static Status explains(const OptionTable *t, Diag *d)
{
    diag_hint(d, "`%s --help` explains those it has", t->program);
    return STATUS_INVALID;
}

/* Says that there is no such option, and which may be meant. */
static Status refuse_value(const OptionTable *t, const OptionRow *row, const char *name, size_t length,
                           Diag *d)
{
    char word[64];
    const char *own[ROWS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < t->n && n < ROWS_MAX; i++)
        if (is_taken(t, &t->rows[i]))
            own[n++] = t->rows[i].name;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    if (row)
        diag_set(d, STATUS_INVALID, "--%s is no option of %s", word, t->program);
    else
        diag_set(d, STATUS_INVALID, "unknown option --%s", word);
    const char *near = nearest_name(word, own, n);
    if (!near)
        return explains(t, d);
    diag_hint(d, "the nearest is --%s; `%s --help` explains all", near, t->program);
    return STATUS_INVALID;
}

/* The same for one dash. */
static Status refuse_short(const OptionTable *t, const char *word, Diag *d)
{
    const OptionRow *row = find_row(t, word + 1, strlen(word + 1));
    diag_set(d, STATUS_INVALID, "unknown option %s", word);
    if (!row || !is_taken(t, row))
        return explains(t, d);
    diag_hint(d, "options begin with two dashes: -%s", word);
    return STATUS_INVALID;
}

static Status needs_value(const OptionTable *t, const OptionRow *row, Diag *d)
{
    diag_set(d, STATUS_INVALID, "--%s needs a value", row->name);
    diag_hint(d, "--%s%c%s: %s", row->name, t->separator, row->value, row->meaning);
    return STATUS_INVALID;
}

static Status given_twice(const OptionRow *row, Diag *d)
{
    diag_set(d, STATUS_INVALID, "--%s is given twice", row->name);
    diag_hint(d, "several names are one value, separated by commas: --%s a,b", row->name);
    return STATUS_INVALID;
}

/* Handles the option argv[*i]; moves *i past its value. */
static Status parse_one(const OptionTable *t, int argc, char **argv, int *i, void *options, Diag *d)
{
    const char *name = argv[*i] + 2;
    size_t length = strcspn(name, "=");
    const OptionRow *row = find_row(t, name, length);
    if (!row || !is_taken(t, row))
        return refuse_value(t, row, name, length, d);
    void *field = (char *)options + row->offset;
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
        return needs_value(t, row, d);
    if (row->type == OPTION_COUNT)
        return set_count(row, value, field, d);
    if (*(const char **)field && strcmp(row->value, "NAMES") == 0)
        return given_twice(row, d);
    *(const char **)field = value;
    return row->type == OPTION_NUMBER ? check_number(row, value, d) : STATUS_OK;
}

Status options_parse(const OptionTable *t, int argc, char **argv, void *options, const char **operands,
                     size_t *n_operands, Diag *d)
{
    bool ended = false;
    *n_operands = 0;
    for (int i = 0; i < argc; i++) {
        if (ended || argv[i][0] != '-' || argv[i][1] == '\0') {
            operands[(*n_operands)++] = argv[i];
            ended = ended || t->operands_end;
            continue;
        }
        ended = strcmp(argv[i], "--") == 0;
        if (ended)
            continue;
        if (argv[i][1] != '-')
            return refuse_short(t, argv[i], d);
        Status s = parse_one(t, argc, argv, &i, options, d);
        if (s != STATUS_OK)
            return s;
    }
    return STATUS_OK;
}
