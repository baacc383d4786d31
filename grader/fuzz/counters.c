/* Target counters: any bytes as the page that Nsight Compute wrote. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/judge/ncu_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena a = {0};
    NcuCounters c;
    const char *why = NULL;
    bool fine = ncu_report_read(&a, (const char *)data, size, &c, &why);
    if (fine != (why[0] == '\0') || fine != (c.n_launches > 0) || c.n_launches > NCU_REPORT_LAUNCHES_MAX ||
        strpbrk(why, "\033\007"))
        abort();
    for (int i = 0; i < NCU_N_NUMBERS; i++)
        if (!isfinite(c.numbers[i]) || c.numbers[i] < 0 || (!fine && c.numbers[i] != 0))
            abort();
    arena_free(&a);
    return 0;
}
