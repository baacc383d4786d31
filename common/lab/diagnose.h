/* diagnose: what kind of wrong a result is, in words that help.
 *
 * A dump of numbers tells a beginner nothing; "elements 256 to the end were never written" tells nearly all.
 */
#ifndef COMMON_LAB_DIAGNOSE_H
#define COMMON_LAB_DIAGNOSE_H

#include "common/base/language.h"
#include "common/base/strbuf.h"
#include "common/lab/compare.h"

/* What is known about one wrong output. All arrays stay the caller's. */
typedef struct Evidence {
    const LabArray *got, *wanted; /* as many elements; the shape is wanted's */
    Tolerance tolerance;
    CompareResult result; /* at least one mismatch */
    const uint8_t *wrong; /* one per element, from compare_arrays */
    const LabArray *inputs;
    size_t n_inputs;
    Language language; /* of what is written */
} Evidence;

enum { DIAGNOSIS_TEXT_MAX = 256 };

typedef struct Diagnosis {
    const char *slug; /* a pattern of patterns.def, or "scattered" */
    const char *hint; /* "" for scattered */
    bool at_limit;    /* what is wrong begins where an index of 16 bits ends */
    char sentence[DIAGNOSIS_TEXT_MAX];
} Diagnosis;

Diagnosis diagnose_result(const Evidence *e);

enum { DIAGNOSE_FIRST = 5 };

/* Appends the message a student reads: how many differ, the pattern, the first five, the tolerance, the hint.
 */
void diagnose_write(StrBuf *text, const Evidence *e, const Diagnosis *diagnosis);
/* Appends element i of an array as a number, or "unwritten" where it still is the poison of guard.h. */
void diagnose_write_element(StrBuf *text, const LabArray *array, size_t i);
/* Whether element i of a result was never written by anyone. */
bool diagnose_is_unwritten(const LabArray *array, size_t i);
/* Appends the index of element i as "[7]", or "[1, 3]" in two and more dimensions. */
void diagnose_write_index(StrBuf *text, const LabArray *array, size_t i);

#endif
