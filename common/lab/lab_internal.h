/* What the files of the lab library share: a case as the harness sees it. */
#ifndef COMMON_LAB_LAB_INTERNAL_H
#define COMMON_LAB_LAB_INTERNAL_H

#include "common/base/status.h"
#include "common/lab/lab.h"
#include "common/lab/npy.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of a lab program. */
enum { LAB_EXIT_FINE = 0, LAB_EXIT_CUDA = 1, LAB_EXIT_KIT = 2 };

enum {
    LAB_ARRAYS_MAX = 32,
    LAB_PARAMS_MAX = 64,
    LAB_VALUES_MAX = 64,
    LAB_NOTE_MAX = 256,
    LAB_TEXT_MAX = 256,
    LAB_PARAMS_BYTES_MAX = 64 * 1024
};

typedef struct LabText {
    char key[LAB_NAME_MAX];
    char value[LAB_TEXT_MAX];
} LabText;

struct LabCase {
    int folder_fd; /* the case folder */
    LabText params[LAB_PARAMS_MAX];
    size_t n_params;
    LabArray inputs[LAB_ARRAYS_MAX], outputs[LAB_ARRAYS_MAX];
    size_t n_inputs, n_outputs;
    LabText values[LAB_VALUES_MAX];
    size_t n_values;
    bool function_failed; /* a student's function returned an error */
};

/* Opens a case folder and reads its parameters. */
Status lab_case_open(LabCase *c, const char *folder, Diag *diag);
/* Writes out/, after/, the guards and the values. */
Status lab_case_finish(LabCase *c, Diag *diag);
void lab_case_close(LabCase *c);

/* Ends the program as the kit's fault; in main.c, so that a program with the case functions has the harness's
 * main. */
_Noreturn void lab_fail(const Diag *diag);

/* Has the virtual GPU ready, where there is one. */
void lab_begin(void);

/* A hint for a CUDA error, or NULL; and its name, meaning and hint as indented lines. */
const char *lab_error_hint(int error);
void lab_print_error(int error, FILE *to);

#endif
