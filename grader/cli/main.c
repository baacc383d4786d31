/* grade: judges submissions. The commands are in commands.def; `grade --help` lists them. */
#include "grader/cli/cli.h"

#include "common/base/version.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What grading a class takes, whatever becomes of the results. */
#define RUNS                                                                                                 \
    "submissions! out! labs students case jobs device compiler sanitize public model executor sbatch "       \
    "per-task bwrap allow-weak-sandbox in-process no-sharing"

static const Command commands[] = {
#define COMMAND(name, function, operands, options, meaning) {name, function, operands, options, meaning},
#include "grader/cli/commands.def"
#undef COMMAND
    {0},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands - 1 };

const Command *cli_commands(void)
{
    return commands;
}

const Command *cli_find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

const char **cli_command_names(Arena *a, size_t *n)
{
    const char **names = ARENA_NEW_ARRAY(a, const char *, N_COMMANDS);
    *n = names ? N_COMMANDS : 0;
    for (size_t i = 0; i < *n; i++)
        names[i] = commands[i].name;
    return names;
}

/* "grade status --out DIR [--students NAMES] [--labs NAMES]" */
static void print_usage(const Command *command)
{
    const OptionRow *text;
    printf("grade %s", command->name);
    for (int must = 1; must >= 0; must--) {
        for (size_t i = 0; (text = cli_option(i)); i++) {
            bool required;
            if (!cli_takes_option(command, text->name, &required) || strcmp(text->name, "help") == 0 ||
                required != must)
                continue;
            printf(" %s--%s%s%s%s%s", must ? "" : "[", text->name,
                   !text->value[0]             ? ""
                   : text->type == OPTION_WORD ? "[="
                                               : " ",
                   text->value, text->type == OPTION_WORD ? "]" : "", must ? "" : "]");
        }
    }
    printf("%s%s\n", command->operands[0] ? " " : "", command->operands);
}

static void print_status_line(void)
{
    printf("\nexit status: 0 fine, 1 the work judged falls short, 2 the kit or its use is at fault\n");
}

static int print_help(void)
{
    printf("grade: judges the labs of the CUDA Lab Kit\n\n");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        printf("  ");
        print_usage(&commands[i]);
        printf("        %s\n", commands[i].meaning);
    }
    printf("\n`grade COMMAND --help` tells of one of them.\n\noptions:\n");
    cli_print_options(NULL);
    print_status_line();
    return EXIT_FINE;
}

static int print_command_help(const Command *command)
{
    print_usage(command);
    printf("  %s\n\noptions:\n", command->meaning);
    cli_print_options(command);
    print_status_line();
    return EXIT_FINE;
}

static int refuse_command(Arena *a, const char *name)
{
    Diag d;
    size_t n;
    const char **names = cli_command_names(a, &n);
    diag_set(&d, STATUS_INVALID, "%s is no command", name);
    cli_hint_nearest(&d, name, names, n, "grade --help lists the commands");
    return cli_fail(&d);
}

static int run_command(Arena *a, int argc, char **argv)
{
    bool helped = argc >= 2 && strcmp(argv[1], "help") == 0;
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || (helped && argc == 2))
        return print_help();
    if (strcmp(argv[1], "--version") == 0) {
        printf("grade %s\n", KIT_VERSION);
        return EXIT_FINE;
    }
    const char *name = argv[1 + helped];
    const Command *command = cli_find_command(name);
    if (!command)
        return refuse_command(a, name);
    Options options;
    Diag d;
    if (helped)
        return print_command_help(command);
    if (cli_parse_options(a, command, argc - 2, argv + 2, &options, &d) != STATUS_OK)
        return cli_fail(&d);
    return options.help ? print_command_help(command) : command->run(a, &options);
}

int main(int argc, char **argv)
{
    Arena arena = {0};
    umask(022); /* the sandbox's user must be able to read what is made for it */
    int status = run_command(&arena, argc, argv);
    arena_free(&arena);
    return status;
}
