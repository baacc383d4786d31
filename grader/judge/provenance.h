/* provenance: did kernels work out what the program put out?
 *
 * The device's server records where each byte of device memory came from (`vgpu --provenance`; the format is
 * in docs/contracts.md). Here that record is held against the bytes of the case: its inputs, as the judge
 * made them, and its outputs, as the program left them. The program itself is not asked.
 *
 *   1. cover       each output is laid out with pieces of what went from device memory to the host; what no
 *                  piece covers was made by the host. The origins of the pieces are where the closure begins.
 *   2. closure     a store leads to what its slice loads: the ids that those loads read, until nothing
 *                  changes.
 *   3. operations  of the instructions in these slices; fewer than the case's `min_ops`: no-gpu-work.
 *   4. foreign     bytes from the host among the origins that are no input, in no form, and that the device
 *                  had not sent out before. As many as the outputs would be by the same measure: no-gpu-work;
 *                  more than a sixteenth: suspect.
 *   5. dependence  where a case has inputs, and anything to work out, one of the origins is one.
 *
 * Outputs that are zeros alone are none to work out: who stores zeros, and then what the inputs ask for, has stored
 * zeros.
 *
 * A record that is cut or cannot be read proves nothing: suspect. What is still possible is told in
 * docs/security.md.
 */
#ifndef GRADER_JUDGE_PROVENANCE_H
#define GRADER_JUDGE_PROVENANCE_H

#include "common/base/arena.h"
#include "common/base/language.h"
#include "common/base/status.h"
#include "grader/core/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROVENANCE_JSON_MAX = 64 << 20,
    PROVENANCE_BYTES_MAX = 64 << 20, /* of FILE.bin */
    PROVENANCE_IDS = 1 << 16,
    PROVENANCE_FUNCTION_MAX = 1 << 18, /* instructions of a function with all that it calls */
    PROVENANCE_FLOOR = 512,            /* bytes: so much from the host any program may need */
    PROVENANCE_SHARE = 16,             /* one part in so many of the outputs */
    PROVENANCE_TABLE = 4, /* so much of the outputs' size a table of the host's may have, whatever they say */
};

/* An array of the case: elements of `width` bytes of a `kind` ('f', 'i' or 'u'). */
typedef struct ProvenanceArray {
    char kind;
    size_t width, bytes;
    const unsigned char *data;
} ProvenanceArray;

typedef struct ProvenanceCase {
    const ProvenanceArray *in, *out;
    size_t n_in, n_out;
    bool host_finish;   /* the host may finish what kernels began: outputs need no cover */
    int64_t min_ops;    /* 0: there is nothing to work out */
    int64_t host_bytes; /* foreign bytes that the lab wants */
    Language language;
} ProvenanceCase;

typedef struct ProvenanceFound {
    Verdict verdict;     /* VERDICT_PASS, VERDICT_SUSPECT or VERDICT_NO_GPU_WORK */
    const char *message; /* what a student reads; "" when it passes */
    uint64_t out_bytes;  /* of all outputs */
    uint64_t host_made;  /* of these, no piece from a kernel covers */
    uint64_t foreign;
    double ops;
    bool has_input; /* an origin is an input */
} ProvenanceFound;

/* Judges a case by its record: the JSON, and the bytes that it names. Fails only for want of memory. */
Status provenance_judge(Arena *a, const ProvenanceCase *c, const char *json, size_t length,
                        const unsigned char *bin, size_t bin_length, ProvenanceFound *found, Diag *d);

/* The same where the files cannot be had: suspect. */
void provenance_missing(const ProvenanceCase *c, ProvenanceFound *found);

#endif
