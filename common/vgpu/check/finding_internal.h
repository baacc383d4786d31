/* Shared by finding.c, finding_text.c and hint.c. */
#ifndef COMMON_VGPU_CHECK_FINDING_INTERNAL_H
#define COMMON_VGPU_CHECK_FINDING_INTERNAL_H

#include "common/vgpu/check/finding.h"

bool finding_kind_is_advice(FindingKind kind);
/* Advice that a lab may raise to a finding. */
bool finding_kind_may_rise(FindingKind kind);

/* "1,234 bytes", "1 byte". */
void finding_put_count(StrBuf *out, uint64_t n, const char *what);

#endif
