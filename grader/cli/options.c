/* The options of `grade`; see cli.h, options.def and common/base/options.h. */
#include "grader/cli/cli.h"

#include <string.h>

static const OptionRow rows[] = {
#define TEXT(name, field, value, meaning) {name, OPTION_TEXT, offsetof(Options, field), value, 0, 0, NULL, meaning},
#define WORD(name, field, value, alone, meaning)                                                                       \
    {name, OPTION_WORD, offsetof(Options, field), value, 0, 0, alone, meaning},
#define COUNT(name, field, min, max, meaning)                                                                          \
    {name, OPTION_COUNT, offsetof(Options, field), "N", min, max, NULL, meaning},
#define FLAG(name, field, meaning) {name, OPTION_FLAG, offsetof(Options, field), "", 0, 0, NULL, meaning},
#include "grader/cli/options.def"
#undef TEXT
#undef WORD
#undef COUNT
#undef FLAG
};

enum { N_ROWS = sizeof rows / sizeof *rows };

const OptionRow *cli_option(size_t i)
{
    return i < N_ROWS ? &rows[i] : NULL;
}

bool cli_takes_option(const Command *command, const char *name, bool *required)
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

static bool takes(const void *command, const char *name)
{
    return cli_takes_option(command, name, NULL);
}

void cli_print_options(const Command *command)
{
    const OptionTable table = {
        .separator = ' ', .rows = rows, .n = N_ROWS, .takes = command ? takes : NULL, .self = command};
    options_print(&table);
}

Status cli_parse_options(Arena *a, const Command *command, int argc, char **argv, Options *o, Diag *d)
{
    *o = (Options){
        .jobs = -1, .seed = -1, .per_task = -1, .task = -1, .change = -1, .percent = -1, .common = -1, .port = -1};
    const OptionTable table = {.program = arena_printf(a, "grade %s", command->name),
                               .separator = ' ',
                               .rows = rows,
                               .n = N_ROWS,
                               .takes = takes,
                               .self = command};
    o->operands = ARENA_NEW_ARRAY(a, const char *, argc + 1);
    if (!o->operands || !table.program)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    return options_parse(&table, argc, argv, o, o->operands, &o->n_operands, d);
}
