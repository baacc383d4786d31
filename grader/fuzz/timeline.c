/* Target timeline: any bytes as the timeline that a program's virtual GPU left. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/judge/timeline.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena = {0};
    CaseResult c = {0};
    Diag diag = {0};
    Status s = timeline_parse(&arena, (const char *)data, size, &c, &diag);
    if (c.n_spans > TIMELINE_SPANS_MAX || (s != STATUS_OK && c.n_spans > 0))
        abort();
    for (size_t i = 0; i < c.n_spans; i++) {
        const ResultSpan *span = &c.spans[i];
        if (!(span->start_us >= 0 && span->end_us >= span->start_us) || strchr(span->name, '\x1b'))
            abort();
    }
    arena_free(&arena);
    return 0;
}
