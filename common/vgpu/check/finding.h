/* finding: what a checker found, as data. Text and JSON come from it in one place each.
 *
 * Findings of one place (same kind, kernel, instruction and other party's place) are one Finding with a
 * count. A Finding owns nothing: its texts belong to the CheckSet that made it and live as long as that.
 */
#ifndef COMMON_VGPU_CHECK_FINDING_H
#define COMMON_VGPU_CHECK_FINDING_H

#include "common/base/status.h"
#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows of findings.def: X(NAME, text, verdict, advice, title, hint). text is the `kind` in JSON and on the
 * terminal, verdict the word of the grader's table that it leads to, "" for advice. */
typedef enum FindingKind {
#define X(name, ...) FINDING_##name,
#include "common/vgpu/check/findings.def"
#undef X
    FINDING_N_KINDS
} FindingKind;

/* A place in a source file. file "" = unknown. */
typedef struct FindingPlace {
    const char *file;
    uint32_t line, column;
    const char *inlined_into_file; /* the caller's place when the code was inlined, else NULL */
    uint32_t inlined_into_line;
} FindingPlace;

typedef struct Finding {
    FindingKind kind;
    bool advice;        /* shown, costs nothing */
    const char *kernel; /* demangled; "" for API findings */
    FindingPlace place;
    uint32_t block[3], thread[3];
    bool has_thread;
    uint64_t address;
    uint32_t bytes;
    const char *access; /* "read", "write", "atomic"; "" */
    const char *space;  /* "global", "shared", "local"...; "" */
    /* the allocation concerned (the one containing or nearest to address) */
    bool has_alloc;
    uint64_t alloc_address, alloc_bytes;
    uint32_t alloc_serial;
    const char *alloc_name; /* variable's name or NULL */
    bool alloc_freed;
    uint64_t alloc_site, free_site, site; /* host places (tokens); site: the API call or launch concerned */
    int64_t distance;                     /* bytes before (<0) or after (>0) the allocation, 0 inside */
    /* the other party of a race */
    bool has_other;
    FindingPlace other;
    uint32_t other_block[3], other_thread[3];
    const char *other_access;
    uint64_t other_site; /* host place of the other operation (token) */
    uint64_t count;      /* occurrences */
    const char *message; /* one plain sentence, no numbers that vary between runs but those above */
    const char *hint;    /* what to look at; "" */
    uint32_t id; /* index in the CheckSet's list: a later record of the same id replaces the earlier one */
    uint64_t launch; /* number of the launch that it was first seen in, 1 is the first; 0: none */
} Finding;

const char *finding_kind_text(FindingKind kind);
/* As in the table, placeholders unfilled. Lookups only: a signal handler may call them. */
const char *finding_kind_title(FindingKind kind);
const char *finding_kind_hint(FindingKind kind);
/* The grader's word for this finding: "" when it is advice (finding.advice). */
const char *finding_verdict(const Finding *f);

/* A host place, resolved from its token. */
typedef struct FindingSite {
    const char *file, *function; /* "" when unknown */
    uint32_t line;               /* 0 when unknown */
} FindingSite;

/* What the formatter asks its caller. Any may be NULL. */
typedef struct FindingLookup {
    void *self;
    bool (*site)(void *self, uint64_t token, FindingSite *out); /* false: unknown */
    const char *(*source_line)(void *self, const char *file,
                               uint32_t line); /* text without newline, or NULL */
    bool color;
} FindingLookup;

/* Appends the finding as a person reads it: several lines, each ending in a newline. */
void finding_text(const Finding *f, const FindingLookup *lookup, StrBuf *out);
/* Appends the finding as one JSON object without newline; members as in docs/contracts.md, and "id" and
 * "launch". */
void finding_json(const Finding *f, const FindingLookup *lookup, StrBuf *out);

#endif
