/* build: from a clean tree of the student's files to a program, in the sandbox.
 *
 * Compiler and linker run in the submission's sandbox, before anything of its own does: nvcc, or clang by the
 * kit's labcc, for each source file, then one link with the lab's driver and library. The link calls g++
 * itself with the options that nvcc would give it: without relocatable device code there is nothing to link
 * for the device, and nvcc takes twice as long to find that out.
 */
#ifndef GRADER_BUILD_BUILD_H
#define GRADER_BUILD_BUILD_H

#include "grader/build/box.h"
#include "grader/build/places.h"
#include "grader/core/verdict.h"
#include "grader/sandbox/step.h"

enum { BUILD_LOG_BYTES_MAX = 64 << 10 };

typedef struct BuildInput {
    const Kit *kit;
    const Lab *lab;
    const Places *places;
    Box *box;
    bool gpu; /* for the GPU of this machine, so that no driver has to compile PTX for each case */
} BuildInput;

typedef struct BuildOutput {
    Verdict verdict; /* pass: PLACES/prog/program is there; or build-error, forbidden-call, timeout,
                        memory-limit */
    const char *log; /* what the student reads: cleaned and cut */
    double seconds;
    double compile_cpu_s, link_cpu_s;
} BuildOutput;

/* Not OK when the kit or the machine failed. The log belongs to the arena. */
Status build_submission(Arena *a, const BuildInput *in, BuildOutput *out, Diag *d);

/* forbidden.c: what a lab forbids -------------------------------------------------------------- */

/* Appends a line for each imported symbol of the object file that the lab forbids; *n counts them. An object
 * that cannot be read is STATUS_PARSE. */
Status forbidden_symbols(const Lab *lab, const char *object, const char *source, StrBuf *why, size_t *n,
                         Diag *d);
/* The same for the headers named in a dependency file as `-MD` writes it. */
Status forbidden_includes(const Lab *lab, const char *dependencies, const char *source, StrBuf *why,
                          size_t *n, Diag *d);

#endif
