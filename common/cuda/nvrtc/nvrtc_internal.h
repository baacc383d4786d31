/* nvrtc: libnvrtc.so.13 by the kit's labcc, for programs that compile kernels while they run, on a machine
 * without NVIDIA's.
 *
 *      source, headers --files in a folder of its own--> labcc -ptx, a process of its own --> PTX and log
 *
 * Name expressions are lines behind the source: a variable each that holds the address of what the expression
 * names. Its initialiser in the PTX is the lowered name; the lines of these variables are taken out again.
 *
 * A program is used by one thread at a time, as NVRTC's; several programs by several threads.
 */
#ifndef COMMON_CUDA_NVRTC_INTERNAL_H
#define COMMON_CUDA_NVRTC_INTERNAL_H

#include "common/base/arena.h"
#include "common/base/strbuf.h"

#include <nvrtc.h>
#include <stdbool.h>

typedef struct Header {
    const char *name, *text;
} Header;

typedef struct Expression {
    const char *text;
    const char *lowered; /* NULL before it is compiled */
} Expression;

struct _nvrtcProgram {
    Arena arena; /* copies of all that the caller gave */
    const char *source, *name;
    Header *headers;
    size_t n_headers;
    Expression *expressions;
    size_t n_expressions, cap_expressions;
    StrBuf log, ptx;
    bool was_tried;   /* the compiler has seen it */
    bool is_compiled; /* it worked: there is PTX */
    bool has_cubin;   /* it was for a card (sm_XX) */
};

/* Compiles into p->ptx and p->log. */
nvrtcResult compile_program(struct _nvrtcProgram *p, int n, const char *const *options);

/* Behind the source: what makes the names of its expressions. */
void names_ask(const struct _nvrtcProgram *p, StrBuf *source);
/* Takes these lines out of the PTX, and the lowered names with them. */
nvrtcResult names_take(struct _nvrtcProgram *p);

#endif
