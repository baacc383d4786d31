/* finding: what a checker found, as data, and the three forms in which it is passed on as JSON (finding_fields.def).
 *
 * A Finding owns nothing: its texts live as long as what it was made of or read from.
 */
#ifndef COMMON_BASE_FINDING_H
#define COMMON_BASE_FINDING_H

#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* A place in a source file; line 0: unknown. */
typedef struct FindingPlace {
    const char *file;
    uint32_t line, column;
    const char *inlined_into_file; /* the caller's place when the code was inlined */
    uint32_t inlined_into_line;
} FindingPlace;

/* A host place: the token by which the program knows it, and what it stands for once that has been looked up. */
typedef struct FindingSite {
    uint64_t token;
    const char *file, *function; /* file NULL or "": unknown */
    uint32_t line;
} FindingSite;

/* Texts that are not known are "" or NULL until the finding has been read, and "" after that. */
typedef struct Finding {
    uint32_t id;         /* index in the CheckSet's list: a later record of the same id replaces the earlier one */
    const char *kind;    /* "race"...: a row of common/vgpu/check/findings.def, or a word of the grader's own */
    const char *verdict; /* the grader's word that it leads to; "" for advice */
    bool advice;         /* shown, costs nothing */
    uint64_t launch;     /* number of the launch that it was first seen in, 1 is the first; 0: none */
    const char *kernel;  /* demangled; "" for findings of the API */
    FindingPlace place;
    bool has_thread, has_address, has_alloc, has_other, has_other_thread;
    uint32_t block[3], thread[3];
    uint64_t address, bytes;
    const char *access; /* "read", "write", "atomic" */
    const char *space;  /* "global", "shared", "local"... */
    /* the allocation concerned: the one containing or nearest to address */
    uint64_t alloc_address, alloc_bytes;
    uint32_t alloc_serial;
    const char *alloc_name; /* of a variable */
    bool alloc_freed;
    FindingSite alloc_site, free_site;
    uint32_t parameter; /* number of the kernel's that leads to the allocation, 1 is the first; 0: not known */
    int64_t distance; /* bytes before (<0) or after (>0) the allocation, 0 inside */
    /* the other party of a race: a thread, or an operation of the host's */
    const char *other_access;
    FindingPlace other;
    uint32_t other_block[3], other_thread[3];
    FindingSite other_site;
    FindingSite site; /* the API call or launch concerned */
    const char *launched_as; /* "<<<4, 256>>>(#1, 1000)", the launch as its caller wrote it; "" for findings of the API */
    uint64_t count;   /* occurrences */
    const char *message; /* one plain sentence, no numbers that vary between runs but those above */
    const char *hint;    /* what to look at */
    const char *text;    /* all of it as printed on a terminal */
} Finding;

typedef enum FindingForm {
    FINDING_RECORD = 1, /* the devices' record for the `vgpu` command: host places are tokens */
    FINDING_REPORT = 2, /* docs/contracts.md, "The virtual GPU's report": what does not apply is left out */
    FINDING_RESULT = 4, /* result.json: every field is there */
} FindingForm;

struct json_t; /* jansson's; the devices write findings and read none */

/* A finding with nothing in it; its texts are "". */
void finding_init(Finding *f);
/* Appends the finding as one JSON object without newline. */
void finding_write(const Finding *f, FindingForm form, StrBuf *out);

/* What was not as it should be. */
typedef struct FindingWrong {
    const char *name;   /* of the field or object */
    const char *wanted; /* "expected text" */
} FindingWrong;

/* Reads a finding; its texts that are not "" are the JSON's. False, and the first thing that is wrong, when a field
 * has another type or is out of range, and in a result when one is missing. (finding_read.c) */
bool finding_read(Finding *f, const struct json_t *json, FindingForm form, FindingWrong *wrong);
/* Has each text that is not "" replaced; one_line: it is a NAME. */
void finding_each_text(Finding *f, const char *(*change)(void *self, const char *text, bool one_line), void *self);

#endif
