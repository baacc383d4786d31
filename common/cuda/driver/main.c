/* labcc: the kit's compiler driver for CUDA. Exit status: 0; 1 or clang's where the source is at fault; 2
 * where the kit or its use is. */
#include "common/cuda/driver/driver.h"

#include <stdio.h>

enum { EXIT_KIT = 2 };

static int say(const Diag *d)
{
    fprintf(stderr, "%s%s\n", d->message[0] == '-' ? "labcc: " : "", d->message);
    if (d->hint[0])
        fprintf(stderr, "  hint: %s\n", d->hint);
    return EXIT_KIT;
}

int main(int argc, char **argv)
{
    Arena arena = {0};
    Options options;
    Tools tools;
    Diag d = {0};
    Status s = options_read(&options, &arena, argc, argv, &d);
    if (s == STATUS_OK && options.goal != GOAL_HELP)
        s = tools_find(&tools, &arena, &d);
    int status = s == STATUS_OK ? driver_run(&options, &tools) : say(&d);
    options_free(&options);
    arena_free(&arena);
    return status;
}
