/* ptx_case: a test written as a PTX file, with the launch and what must come of it in comments `// key:
 * value`.
 *
 *   kernel: NAME            which entry; the first one if not given
 *   grid: X Y Z  block: X Y Z          default 1
 *   dynamic: BYTES  stack: BYTES  limit: INSTRUCTIONS  cooperative: yes
 *   order: fixed            results depend on the order of blocks or warps: no run with another seed
 *   buffer: WORDS           device memory with these 32-bit words; its address is the next kernel parameter
 *   empty: N                N words of fresh memory; address as parameter
 *   freed: N                the same, freed before the launch
 *   constant: WORDS         a constant variable's memory; address as parameter
 *   pinned: WORDS           registered host memory
 *   host:                   the address of host memory that is not registered
 *   u32: V   u64: V         a value as parameter
 *   expect K: WORDS         contents of the K-th memory of the list above, afterwards (as many words as
 * given) written K: BYTES        index of its first byte that counts as not written error: NAME what ends the
 * launch; default OK fault: KIND [block X] [warp W] [lane L] [mask M] [thread X Y Z] [at K+OFFSET] [bytes N]
 * [access load|store|atomic|reduction] each fault and finding, in order; fields left out are not compared
 *   detail: TEXT            what the last fault's detail must contain
 *   prints: TEXT            what printf must have written, with \n and \\; several lines add up
 *   counts: CLASS WARP THREAD   instructions of a class
 *   instructions: N         retired
 *   each: TEXT              the case is run with TEXT in place of the word EACH, for each line of this key
 *
 * WORDS: numbers (decimal, 0x, 1.5f, -1), runs a..b and a..b/step, repetitions 7x32.
 */
#ifndef COMMON_VGPU_EXEC_TEST_PTX_CASE_H
#define COMMON_VGPU_EXEC_TEST_PTX_CASE_H

#include "common/vgpu/exec/exec.h"

#include <stdio.h>

enum {
    CASE_MEMORIES = 8,
    CASE_FAULTS = 8,
    CASE_EACH = 16,
    CASE_PARAM_BYTES = 128,
    CASE_LINE = 4096,
    CASE_TEXT = 1024 * 1024,
    CASE_PRINTS = 4096
};

typedef struct CaseMemory {
    const char *kind;
    uint32_t *words, *expect, *host; /* host: what a pinned or unregistered memory is */
    size_t n_words, n_expect;
    long written; /* -1: not compared */
    MemAlloc *alloc;
    uint64_t addr;
    uint32_t param; /* offset */
} CaseMemory;

typedef struct PtxCase {
    char *text;
    size_t length;
    char kernel[64], error[32], detail[256], prints[CASE_PRINTS], class[16];
    uint32_t grid[3], block[3], dynamic, stack;
    uint64_t limit;
    bool cooperative, fixed_order;
    CaseMemory memories[CASE_MEMORIES];
    size_t n_memories;
    uint8_t params[CASE_PARAM_BYTES];
    uint32_t n_params;
    char faults[CASE_FAULTS][256];
    size_t n_faults;
    uint64_t warp_insts, thread_insts, instructions;
    char each[CASE_EACH][64];
    size_t n_each;
} PtxCase;

/* Reads a case; false, with why in problem, when it is not well written. */
bool case_read(const char *path, PtxCase *c, char *problem, size_t size);
void case_free(PtxCase *c);

#endif
