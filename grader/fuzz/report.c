/* Target report: any bytes as the report that a program's virtual GPU left. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/judge/vgpu_report.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    VgpuReport *r = NULL;
    Diag diag = {0};
    if (vgpu_report_parse((const char *)data, size, &r, &diag) == STATUS_OK) {
        double value = 0;
        if (vgpu_report_number(r, "instructions", &value) && !isfinite(value))
            abort();
        if (r->n_findings > VGPU_REPORT_FINDINGS_MAX || r->n_errors > VGPU_REPORT_ERRORS_MAX ||
            r->n_totals + r->n_memory + r->n_metrics > VGPU_REPORT_NUMBERS_MAX)
            abort();
        const Finding *worst = vgpu_report_worst(r);
        if (worst && worst->advice)
            abort();
        vgpu_report_strip_folder(r, "/src");
    } else if (r)
        abort();
    vgpu_report_free(r);
    return 0;
}
