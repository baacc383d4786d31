/* cli: the commands of `grade`. Each takes the parsed options and gives back the exit status: 0 fine, 1 the
 * work judged falls short, 2 the kit or its use is at fault. Here, and only here, things are printed. */
#ifndef GRADER_CLI_CLI_H
#define GRADER_CLI_CLI_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/kit.h"
#include "grader/core/lab.h"
#include "grader/run/submission.h"

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

/* Parses what stands after the command's name. */
Status options_parse(Arena *a, int argc, char **argv, Options *o, Diag *d);
/* The options, for the help text. */
void options_print(void);

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

/* What `run` and `regrade` ask of their options; EXIT_FINE, or it has been said what is wrong. */
int cli_check_class_options(const Options *o, const char *usage);

/* The path of a lab's hidden.yaml; NULL when the kit has none. */
const char *cli_hidden_path(Arena *a, const Kit *kit, const char *lab);

/* For `grade doctor`: prints what the machine has (compiler, driver, devices, libraries, room) and each
 * problem with what mends it; false when there is one. nvcc_release is "release 13.0, ..." or "". */
bool cli_check_machine(Arena *a, const Kit *kit, const char *nvcc_release);

#endif
