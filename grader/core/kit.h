/* kit: where the kit stands on this machine, and which compilers are here. */
#ifndef GRADER_CORE_KIT_H
#define GRADER_CORE_KIT_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* What compiles submissions: nvcc of the toolkit, or clang by the kit's labcc. */
typedef enum CompilerKind { COMPILER_NVCC, COMPILER_CLANG } CompilerKind;

typedef struct Compiler {
    CompilerKind kind;
    const char *version; /* as "13.0.88" or "19.1.7"; NULL: none is chosen */
    const char *clang;   /* of labcc: the program, and the folder that holds its bin/ */
    const char *clang_home;
} Compiler;

/* Absolute paths without links, owned by the caller's arena. */
typedef struct Kit {
    const char *root;      /* holds labs/, common/, and for instructors solutions/ */
    const char *build;     /* holds bin/, lib/, labs/ */
    const char *cuda_home; /* holds bin/nvcc; NULL when there is none */
    const char *nvcc;
    Compiler compiler; /* that compiler_choose chose */
} Kit;

/* The first line and more of what a program prints when it is run with these words, cut to the size of `text`;
 * "" when it cannot be run. */
void kit_ask(const char *program, char *const words[], char *text, size_t size);

/* Finds the kit from the running program (BUILD/bin/NAME) and the toolkit from CUDA_HOME, PATH or
 * /usr/local/cuda. */
Status kit_find(Arena *a, Kit *kit, Diag *d);

/* STATUS_NOT_FOUND, with what to do as the hint, when something that grading a lab needs has not been built. */
Status kit_check_lab(const Kit *kit, const char *lab, Diag *d);

/* Fills versions for `grade doctor`: the line of `nvcc --version` with the release; "" when nvcc does not
 * answer. */
const char *kit_nvcc_version(Arena *a, const Kit *kit);

/* compiler.c ------------------------------------------------------------------------------------ */

const char *compiler_word(CompilerKind kind);
/* "nvcc 13.0.88": the compiler and its version as one text. */
const char *compiler_describe(Arena *a, const Compiler *c);
/* A compiler that works here; STATUS_NOT_FOUND, and how to get it as the hint. */
Status compiler_find(Arena *a, const Kit *kit, CompilerKind kind, Compiler *c, Diag *d);
/* Sets kit->compiler: the one of that name, or for "auto" and NULL nvcc where it works, else clang. */
Status compiler_choose(Arena *a, Kit *kit, const char *word, Diag *d);

#endif
