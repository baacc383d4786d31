/* labcc: the kit's compiler driver for CUDA. Exit status: 0; 1 or clang's where the source is at fault; 2
 * where the kit or its use is, and 3 where that is an option. */
#include "common/cuda/driver/driver.h"

#include <stdio.h>

enum { EXIT_KIT = 2, EXIT_OPTION = 3 };

static void say(const Diag *d)
{
    fprintf(stderr, "%s%s\n", d->message[0] == '-' ? "labcc: " : "", d->message);
    if (d->hint[0])
        fprintf(stderr, "  hint: %s\n", d->hint);
}

int main(int argc, char **argv)
{
    Arena arena = {0};
    Options options;
    Tools tools;
    Diag d = {0};
    int status = EXIT_OPTION;
    Status s = options_read(&options, &arena, argc, argv, &d);
    if (s == STATUS_OK) {
        status = EXIT_KIT;
        s = options.goal == GOAL_HELP ? s : tools_find(&tools, &arena, &d);
    }
    if (s == STATUS_OK)
        status = driver_run(&options, &tools);
    else
        say(&d);
    options_free(&options);
    arena_free(&arena);
    return status;
}
