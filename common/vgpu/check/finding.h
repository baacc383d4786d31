/* finding: the kinds of findings (findings.def), and a finding as text; common/base/finding.h has its fields and JSON.
 *
 * Findings of one place (same kind, kernel, instruction and other party's place) are one Finding with a
 * count. Its texts belong to the CheckSet that made it and live as long as that.
 */
#ifndef COMMON_VGPU_CHECK_FINDING_H
#define COMMON_VGPU_CHECK_FINDING_H

#include "common/base/finding.h"

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

const char *finding_kind_text(FindingKind kind);
/* As in the table, placeholders unfilled. Lookups only: a signal handler may call them. */
const char *finding_kind_title(FindingKind kind);
const char *finding_kind_hint(FindingKind kind);
/* The grader's word for findings of this kind: "" when they are advice. */
const char *finding_kind_verdict(FindingKind kind);
/* False: there is no kind of that name. */
bool finding_kind_named(const char *text, size_t length, FindingKind *kind);
/* The kind of a finding that a checker made. */
FindingKind finding_kind(const Finding *f);

/* What the formatter asks its caller. Any may be NULL. */
typedef struct FindingLookup {
    void *self;
    const char *(*source_line)(void *self, const char *file,
                               uint32_t line); /* text without newline, or NULL */
    bool color;
    bool has_debug; /* the host code has line numbers: a place without one is nothing that -g would mend */
} FindingLookup;

/* Appends the finding as a person reads it: several lines, each ending in a newline. */
void finding_text(const Finding *f, const FindingLookup *lookup, StrBuf *out);

/* Sets message and hint of a HOST_FAULT whose allocation says more than the kind does. */
void finding_tell_host_fault(Finding *f);

#endif
