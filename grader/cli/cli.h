/* cli: the commands of `grade`. Each takes the parsed options and gives back the exit status: 0 fine, 1 the
 * work judged falls short, 2 the kit or its use is at fault. Here, and only here, things are printed. */
#ifndef GRADER_CLI_CLI_H
#define GRADER_CLI_CLI_H

#include "common/base/arena.h"
#include "common/base/options.h"
#include "common/base/status.h"
#include "grader/core/kit.h"
#include "grader/core/lab.h"
#include "grader/core/roster.h"
#include "grader/db/gradebook.h"
#include "grader/submission/submission.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { EXIT_FINE = 0, EXIT_SHORT = 1, EXIT_KIT = 2 };

typedef struct Options {
#define TEXT(name, field, ...)  const char *field; /* NULL when not given */
#define WORD(name, field, ...)  const char *field; /* the same */
#define COUNT(name, field, ...) int64_t field;     /* -1 when not given */
#define FLAG(name, field, ...)  bool field;
#include "grader/cli/options.def"
#undef TEXT
#undef WORD
#undef COUNT
#undef FLAG
    const char **operands;
    size_t n_operands;
} Options;

/* A command of the program; the table ends with a row without a name. */
typedef struct Command {
    const char *name;
    int (*run)(Arena *a, const Options *o);
    const char *operands, *options, *meaning; /* see commands.def */
} Command;

const Command *cli_commands(void);
const Command *cli_find_command(const char *name);
/* The names of all commands, for the nearest one; *n of them. */
const char **cli_command_names(Arena *a, size_t *n);

/* Parses what stands after the command's name. */
Status cli_parse_options(Arena *a, const Command *command, int argc, char **argv, Options *o, Diag *d);
/* The i-th option of the table; NULL past the last one. */
const OptionRow *cli_option(size_t i);
/* Whether the command takes the option; *required, which may be NULL, says whether it must be given. */
bool cli_takes_option(const Command *command, const char *name, bool *required);
/* All options, for the help text of the program, or those of a command. */
void cli_print_options(const Command *command);

#define COMMAND(name, function, ...) int function(Arena *a, const Options *o);
#include "grader/cli/commands.def"
#undef COMMAND

/* Shared by the commands ----------------------------------------------------------------------- */

/* Prints a Diag on standard error and gives back EXIT_KIT. */
int cli_fail(const Diag *d);
/* The same for a plain sentence. */
int cli_fail_text(const char *text, const char *hint);

/* Whether a cluster does the work, and this machine only submits it. */
bool cli_is_for_cluster(const Options *o);

/* A comma-separated list as an array, NULL-terminated; n may be NULL. */
const char **cli_split(Arena *a, const char *text, size_t *n);
/* Whether a name is in such a list; everything is in the list NULL. */
bool cli_listed(const char *const *list, const char *name);

/* The names of a list, each of which must be known: STATUS_NOT_FOUND names the unknown one and the nearest
 * known one. option is its name, what is "student" or "lab", place says where they are known. text NULL:
 * *chosen is NULL, which stands for all. */
typedef struct KnownNames {
    const char *option, *what, *place;
    const char *const *names;
    size_t n;
} KnownNames;
Status cli_choose(Arena *a, const KnownNames *known, const char *text, const char ***chosen, Diag *d);
/* The students and labs of a gradebook, each once, sorted; with the roster's students, those who left too. */
typedef struct BookNames {
    const char **students, **labs;
    size_t n_students, n_labs;
} BookNames;
Status cli_book_names(Arena *a, Gradebook *book, const Roster *roster, BookNames *names, Diag *d);
/* --students and --labs held against a gradebook and OUT/roster.csv. */
Status cli_choose_in_book(Arena *a, const Options *o, Gradebook *book, const Roster *roster,
                          const char ***students, const char ***labs, Diag *d);
/* Opens OUT/gradebook.db, which must be there, and loads the class that the options choose. */
typedef struct ReportClass ReportClass;
Status cli_load_class(Arena *a, const Options *o, Gradebook **book, ReportClass **c, Diag *d);
/* --labs held against the kit's labs. */
Status cli_choose_kit_labs(Arena *a, const Kit *kit, const char *text, const char ***labs, Diag *d);
/* Adds to a message which of the known names may be meant. */
void cli_hint_nearest(Diag *d, const char *word, const char *const *names, size_t n, const char *otherwise);

/* Whether the driver of a card is here. */
bool cli_has_card(Arena *a);
/* Finds the machine's cards, and fills in the run what it needs of them. */
Status cli_find_cards(Arena *a, GradeRun *run, Diag *d);

/* Finds kit, device and sandbox, and makes run->work; a weak sandbox is allowed when weak_is_fine. */
/* Has the virtual GPU run in a sandbox of its own from here on, where there are sandboxes. */
Status cli_isolate(Arena *a, const Options *o, GradeRun *run, Diag *d);
Status cli_prepare(Arena *a, const Options *o, bool weak_is_fine, GradeRun *run, Diag *d);
/* Removes run->work. */
void cli_clean_up(const GradeRun *run);

/* Set by SIGINT and SIGTERM after cli_catch_signals. */
extern volatile sig_atomic_t cli_stop;
void cli_catch_signals(void);

/* Refuses an --out inside --submissions; EXIT_FINE, or it has been said. */
int cli_check_out(const Options *o);
/* What `run` and `regrade` ask of their options; EXIT_FINE, or it has been said what is wrong. */
int cli_check_class_options(const Options *o, const char *usage);

/* The path of a lab's hidden.yaml; NULL when the kit has none. */
const char *cli_hidden_path(Arena *a, const Kit *kit, const char *lab);

#endif
