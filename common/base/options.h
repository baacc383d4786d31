/* options: a command line's options by a table, from which help, manual and completions are made too.
 *
 * `--name value` and `--name=value` mean the same, but for a WORD, whose value only stands behind `=`; `--` ends them.
 */
#ifndef COMMON_BASE_OPTIONS_H
#define COMMON_BASE_OPTIONS_H

#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TEXT, WORD (its value may be left out), NUMBER (a text of digits): const char *, NULL when not given.
 * COUNT: int64_t, -1 when not given. FLAG: bool. */
typedef enum OptionType { OPTION_TEXT, OPTION_WORD, OPTION_NUMBER, OPTION_COUNT, OPTION_FLAG } OptionType;

typedef struct OptionRow {
    const char *name;
    OptionType type;
    size_t offset; /* of the field in the program's struct of options */
    const char *value; /* as help names it; "" for a flag. NAMES: names separated by commas, which may be given once */
    int64_t min, max;  /* of a count */
    const char *alone; /* of a word: what it is without its value */
    const char *meaning;
} OptionRow;

typedef struct OptionTable {
    const char *program; /* "vgpu", "grade check" */
    char separator;      /* in help, before a value */
    const OptionRow *rows;
    size_t n;
    bool operands_end; /* the first operand ends the options: what follows is another program's */
    bool (*takes)(const void *self, const char *name); /* whether an option is for this command; NULL: all are */
    const void *self;
} OptionTable;

/* Prints the options that the command takes, with their meanings. */
void options_print(const OptionTable *table);
/* Sets fields of *options, whose counts and operands the caller has prepared: operands has room for argc texts. */
Status options_parse(const OptionTable *table, int argc, char **argv, void *options, const char **operands,
                     size_t *n_operands, Diag *d);

#endif
