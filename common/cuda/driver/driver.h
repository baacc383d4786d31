/* driver: labcc, which compiles CUDA by clang and the kit's headers, with nvcc's options.
 *
 *      name.cu --clang, device--> name.ptx --pack--> name.fatbin --clang, host--> name.o --clang, link-->
 * program
 *
 * No tool of a toolkit runs: pack writes the fat binary (pack.h), and the program links the kit's
 * libcudart.so.13. With -rdc=true the device's part of each object is kept relocatable, and the link adds a
 * stub that registers all of them together (relocatable.c); the virtual GPU links their PTX.
 *
 * An Options owns nothing: its texts live in its arena or are the command line's.
 */
#ifndef COMMON_CUDA_DRIVER_DRIVER_H
#define COMMON_CUDA_DRIVER_DRIVER_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A list of words for a command. */
typedef struct Words {
    const char **items;
    size_t n, cap;
} Words;

typedef enum Goal {
    GOAL_PROGRAM,
    GOAL_OBJECT,       /* -c */
    GOAL_PTX,          /* -ptx */
    GOAL_FATBIN,       /* -fatbin */
    GOAL_DEVICE_LINK,  /* -dlink */
    GOAL_PREPROCESS,   /* -E */
    GOAL_DEPENDENCIES, /* -M, -MM */
    GOAL_PRECOMPILE,   /* --precompile */
    GOAL_VERSION,
    GOAL_HELP,
} Goal;

typedef struct Options {
    Arena *arena;
    Goal goal;
    Words inputs;
    Words both, host, device, link; /* for both passes, for one, for the link */
    Words targets;                  /* numbers as "75", in the order of the command line */
    const char *output, *language;  /* of -o and -x, or NULL */
    const char *dependencies;       /* -M, -MM */
    bool relocatable, line_info, device_debug, default_device, no_header_path, verbose, dry_run;
    const char *standard;
} Options;

/* The clang that is used, and the kit's folders. */
typedef struct Tools {
    const char *clang; /* path of clang++ */
    int major;
    char version[64];                  /* as "19.1.7" */
    const char *include, *runtime_dir, *nvrtc_dir; /* of the kit */
    const char *precompiled;           /* the folder of its precompiled headers */
} Tools;

enum { CLANG_MAJOR_MIN = 14, TARGET_MIN = 75 };

bool words_add(Words *w, const char *word);
void words_free(Words *w);

/* Reads nvcc's options. STATUS_INVALID or STATUS_UNSUPPORTED: the option is named. */
Status options_read(Options *o, Arena *arena, int argc, char **argv, Diag *d);
void options_free(Options *o);
/* What --help prints: made of the table. */
void options_help(void);

/* The newest clang from CLANG_MAJOR_MIN on that is installed, or the one that LABCC_CLANG names: it is asked for its version, unless
 * LABCC_CLANG_VERSION says it (the grader knows it; to ask costs a tenth of what compiling a lab does). */
Status tools_find(Tools *t, Arena *arena, Diag *d);

/* The number that clang compiles for when `target` is asked for: the highest that it knows and that is not
 * above; 0 when there is none. */
int tools_target(int clang_major, int target);

/* Runs a command and waits: its exit status, or 128 and the signal; shown first where the options ask for it.
 * `said`: the file that takes its standard error, or NULL. */
int run_command(const Options *o, const Words *command, const char *said);

/* Does what the options ask for: the exit status. */
int driver_run(const Options *o, const Tools *t);

/* precompiled.c: cuda_runtime.h, parsed, for each list of words that decides how a pass reads it.
 *
 * The file for these words, or NULL where there is none, or options that a header may ask about. */
const char *precompiled_find(const Options *o, const Tools *t, const Words *words);
/* Adds the words that take it in place of cuda_runtime.h. */
bool precompiled_include(const Options *o, const Tools *t, const char *file, Words *command);
/* Whether there is one, and clang takes it. */
bool precompiled_serves(const Options *o, const Tools *t, const Words *words);
/* Makes it: an exit status. */
int precompiled_make(const Options *o, const Tools *t, const Words *words);

/* The C source that registers relocatable objects together: the names are those that they call. NULL: no
 * memory. */
char *relocatable_stub(Arena *a, const char *const *names, size_t n);
/* The names of __cudaRegisterLinkedBinary functions that the objects and archives call and do not define,
 * each once. */
Status relocatable_names(Arena *a, const Words *files, Words *names, Diag *d);

#endif
