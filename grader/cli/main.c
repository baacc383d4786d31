/* grade: judges submissions. The commands are in commands.def; `grade --help` lists them. */
#include "grader/cli/cli.h"

#include "grader/core/version.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Command {
    const char *name;
    int (*run)(Arena *a, const Options *o);
    const char *arguments, *meaning;
} Command;

static const Command commands[] = {
#define COMMAND(name, function, arguments, meaning) {name, function, arguments, meaning},
#include "grader/cli/commands.def"
#undef COMMAND
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static int print_help(void)
{
    printf("grade: judges the labs of the CUDA Lab Kit\n\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        printf("  grade %s %s\n        %s\n", commands[i].name, commands[i].arguments, commands[i].meaning);
    printf("\noptions:\n");
    options_print();
    printf("\nexit status: 0 fine, 1 the work judged falls short, 2 the kit or its use is at fault\n");
    return EXIT_FINE;
}

static const Command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int run_command(Arena *a, int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0) {
        printf("grade %s\n", KIT_VERSION);
        return EXIT_FINE;
    }
    const Command *command = find_command(argv[1]);
    if (!command)
        return cli_fail_text("that is no command", "grade --help lists the commands");
    Options options;
    Diag d;
    if (options_parse(a, argc - 2, argv + 2, &options, &d) != STATUS_OK)
        return cli_fail(&d);
    if (options.help) {
        printf("grade %s %s\n  %s\n", command->name, command->arguments, command->meaning);
        return EXIT_FINE;
    }
    return command->run(a, &options);
}

int main(int argc, char **argv)
{
    Arena arena = {0};
    umask(022); /* the sandbox's user must be able to read what is made for it */
    int status = run_command(&arena, argc, argv);
    arena_free(&arena);
    return status;
}
