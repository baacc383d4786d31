/* spans: the operations of a time line, read once for the text and the picture. */
#ifndef COMMON_VGPU_TOOL_SPANS_H
#define COMMON_VGPU_TOOL_SPANS_H

#include "common/vgpu/tool/tool.h"

typedef enum SpanKind { SPAN_IN, SPAN_KERNEL, SPAN_OUT, SPAN_ON_DEVICE, SPAN_N_KINDS } SpanKind;

typedef struct Span {
    SpanKind kind;
    uint32_t row; /* of its stream in Spans.rows */
    uint64_t start_ns, end_ns, bytes;
    const char *name;
} Span;

typedef struct SpanRow {
    int64_t device, stream; /* stream 0: the default stream */
} SpanRow;

/* Owns items and rows; names belong to the records. */
typedef struct Spans {
    Span *items; /* in the order in which they ran */
    size_t n, cap;
    SpanRow *rows; /* by device and stream */
    size_t n_rows, rows_cap;
    uint64_t first_ns, last_ns;      /* first begin, last end */
    uint64_t total_ns[SPAN_N_KINDS]; /* sum of durations */
} Spans;

Spans spans_read(const Records *r);
void spans_free(Spans *s);
/* "stream 3", "default stream"; with the device when there are several. */
void spans_row_name(const Spans *s, size_t row, StrBuf *out);
/* Sum of all durations over the time from the first begin to the last end; 0 without operations. */
double spans_overlap(const Spans *s);

#endif
