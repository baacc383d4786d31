/* bounds: what a student's host code is told whose index lies outside of an array that it has declared.
 *
 *   runtime_compilation.cu:41: index 8 is outside of 'const char *[8]'
 *
 * Submissions are compiled with -fsanitize=bounds, so that the compiler calls this before such an access. Nothing of the
 * sanitizer's library is linked. The types are those of the compilers' interface to it.
 */
#include "common/lab/lab.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct TypeName {
    uint16_t kind; /* 0: a whole number, of 1 << (info >> 1) bits; info & 1: it has a sign */
    uint16_t info;
    char name[]; /* in quotes */
} TypeName;

typedef struct OutOfBounds {
    const char *file;
    uint32_t line, column;
    const TypeName *array, *index;
} OutOfBounds;

/* Where a program is linked with the sanitizer's library, that has the function. */
LAB_API __attribute__((weak)) void __ubsan_handle_out_of_bounds_abort(const OutOfBounds *where, uintptr_t index);

void __ubsan_handle_out_of_bounds_abort(const OutOfBounds *where, uintptr_t index)
{
    unsigned bits = where->index->info >> 1 < 6 ? 1u << (where->index->info >> 1) : 64;
    int64_t number = (int64_t)((uint64_t)index << (64 - bits));
    bool has_sign = where->index->kind == 0 && where->index->info & 1;
    fflush(stdout);
    fprintf(stderr, "%s:%" PRIu32 ": index ", where->file, where->line);
    if (has_sign)
        fprintf(stderr, "%" PRId64, number >> (64 - bits));
    else
        fprintf(stderr, "%" PRIu64, (uint64_t)number >> (64 - bits));
    fprintf(stderr, " is outside of %s\n", where->array->name);
    raise(SIGILL); /* told with the line by the virtual GPU (host_fault.c) */
    abort();
}
