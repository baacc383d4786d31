/* What the files of `grade doctor` share: how things are told, and where they are looked for.
 *
 * Each topic is a line, or a problem: the cause here, the sentence in which the CUDA runtime would tell of
 * it, where it has one, and the command that mends it. */
#ifndef GRADER_CLI_DOCTOR_H
#define GRADER_CLI_DOCTOR_H

#include "common/base/arena.h"
#include "grader/core/kit.h"

#include <stdbool.h>

/* The problem that matters most of those that were told; cause is NULL as long as there is none. */
typedef struct DoctorFirst {
    size_t rank;
    const char *cause, *mend;
} DoctorFirst;

typedef struct Doctor {
    Arena *arena;
    const Kit *kit;
    DoctorFirst *first;
    const char *root; /* put before /dev, /proc, /sys and /usr: "", or the tests' folder (KIT_DOCTOR_ROOT) */
} Doctor;

void doctor_note(const char *what, const char *state);
/* false, so that a check can end with it. */
bool doctor_problem(const Doctor *d, const char *what, const char *runtime_says, const char *cause,
                    const char *mend);

/* Whether a program of that name stands in the PATH. */
bool doctor_in_path(const char *program);
/* The first line that a command prints, "" when it prints none; false when it fails. */
bool doctor_ask(const char *command, char *line, int size);
/* root + path; "" without memory. */
const char *doctor_path(const Doctor *d, const char *path);
bool doctor_has(const Doctor *d, const char *path);
/* The start of a small file, without the end of its last line; false when it cannot be read. */
bool doctor_read(const Doctor *d, const char *path, char *text, int size);

/* libcuda.so.1, as the loader finds it, asked in a process of its own: it is code of unknown origin. */
typedef struct DriverProbe {
    bool loaded, answered; /* answered: it did not crash or hang */
    char path[512];
    int init, version, devices; /* of cuInit, cuDriverGetVersion, cuDeviceGetCount */
} DriverProbe;
DriverProbe driver_probe(void);

/* The checks: false when there is a problem. That of the machine does the others (compiler, driver, devices,
 * libraries, room); nvcc_release is "release 13.0, ..." or "". */
bool doctor_check_machine(const Doctor *d, const char *nvcc_release);
bool doctor_check_driver(const Doctor *d);
bool doctor_check_visible(const Doctor *d);
bool doctor_check_libraries(const Doctor *d);

#endif
