/* The harness: the main program of every lab.
 *
 *   PROGRAM CASEDIR    runs the case in the folder (docs/contracts.md, "Running one case")
 *   PROGRAM            runs the case that `make run` left in build/case
 *
 * Exit status: 0; 1 when the student's function returned an error, or CUDA_CHECK failed; 2 when the case
 * folder is at fault. It does not compare: the judge does that, in a process that shares nothing with this
 * one.
 */
#include "common/lab/lab_internal.h"

#include <stdlib.h>

static const char default_folder[] = "build/case";

_Noreturn void lab_fail(const Diag *diag)
{
    char text[DIAG_TEXT_MAX + DIAG_FILE_MAX + DIAG_HINT_MAX];
    diag_format(diag, NULL, text, sizeof text);
    fflush(stdout);
    fprintf(stderr, "lab: %s", text);
    exit(LAB_EXIT_KIT);
}

LAB_API int main(int argc, char **argv)
{
    static LabCase c; /* some 100 KB */
    Diag diag = {0};
    if (argc > 2) {
        fprintf(stderr, "usage: %s [CASEDIR]\n", argv[0]);
        return LAB_EXIT_KIT;
    }
    if (lab_case_open(&c, argc == 2 ? argv[1] : default_folder, &diag)) {
        diag_hint(&diag, "`make run` makes a case and runs the program on it");
        lab_fail(&diag);
    }
    lab_begin();
    lab_main(&c);
    if (lab_case_finish(&c, &diag))
        lab_fail(&diag);
    bool failed = c.function_failed;
    lab_case_close(&c);
    return failed ? LAB_EXIT_CUDA : LAB_EXIT_FINE;
}
