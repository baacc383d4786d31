/* starters: makes the starters and handouts of labs from their solutions, or checks that they agree.
 *
 *   starters [--check] [--kit DIR] [LAB...]     without a LAB: all of DIR/solutions
 *
 * Exit status: 0; 1 when a check found a fault; 2 when a file is at fault.
 */
#include "common/starters/starters.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_FINE = 0, EXIT_FAULT = 1, EXIT_KIT = 2 };

typedef struct Options {
    bool check;
    const char *kit;
} Options;

static int complain(const Diag *diag)
{
    char text[DIAG_TEXT_MAX + DIAG_FILE_MAX + DIAG_HINT_MAX];
    diag_format(diag, NULL, text, sizeof text);
    fprintf(stderr, "starters: %s", text);
    return EXIT_KIT;
}

static int serve_lab(const Options *o, const char *name)
{
    StarterLab lab;
    StrBuf report = {0};
    Diag diag = {0};
    size_t n_faults = 0;
    Status status = starters_open(o->kit, name, &lab, &diag);
    if (!status)
        status =
            o->check ? starters_check(&lab, &report, &n_faults, &diag) : starters_write(&lab, &report, &diag);
    strbuf_print(&report, stdout);
    fflush(stdout);
    return status ? complain(&diag) : n_faults > 0 ? EXIT_FAULT : EXIT_FINE;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

static int serve_all(const Options *o)
{
    char pattern[STARTERS_PATH_MAX];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/solutions/[0-9][0-9]-*", o->kit);
    if (glob(pattern, 0, NULL, &found) != 0) {
        fprintf(stderr, "starters: no solutions in %s\n", o->kit);
        return EXIT_KIT;
    }
    int status = EXIT_FINE;
    for (size_t i = 0; i < found.gl_pathc; i++)
        status = worse(status, serve_lab(o, strrchr(found.gl_pathv[i], '/') + 1));
    globfree(&found);
    return status;
}

int main(int argc, char **argv)
{
    Options o = {.kit = "."};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--check") == 0) {
            o.check = true;
        } else if (strcmp(argv[i], "--kit") == 0 && i + 1 < argc) {
            o.kit = argv[++i];
        } else {
            fprintf(stderr, "usage: starters [--check] [--kit DIR] [LAB...]\n");
            return EXIT_KIT;
        }
    }
    if (i == argc)
        return serve_all(&o);
    int status = EXIT_FINE;
    for (; i < argc; i++)
        status = worse(status, serve_lab(&o, argv[i]));
    return status;
}
