/* Target sanitizer: any bytes as what a tool of compute-sanitizer printed; the first says which tool. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/judge/sanitizer_report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *why = NULL;
    VgpuReport *r = sanitizer_report_create();
    if (!r || size == 0) {
        vgpu_report_free(r);
        return 0;
    }
    SanitizerTool tool = (SanitizerTool)(data[0] % SANITIZER_N_TOOLS);
    if (!sanitizer_report_add(r, tool, (const char *)data + 1, size - 1, &why))
        sanitizer_report_add_failure(r, tool, why);
    if (r->n_findings > VGPU_REPORT_FINDINGS_MAX || r->n_errors > VGPU_REPORT_ERRORS_MAX)
        abort();
    for (size_t i = 0; i < r->n_findings; i++) {
        const Finding *f = &r->findings[i];
        if (f->advice != (*f->verdict == 0) || strchr(f->place.file, '/') || strpbrk(f->text, "\033\007"))
            abort();
    }
    vgpu_report_strip_folder(r, "/src");
    vgpu_report_free(r);
    return 0;
}
