/* Target policy: any bytes as a course's policy of deadlines. What is taken has sensible numbers. */
#include "grader/core/policy.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena = {0};
    Policy policy = {0};
    Diag diag = {0};
    if (policy_read(&arena, "policy.yaml", (const char *)data, size, &policy, &diag) == STATUS_OK) {
        for (size_t i = 0; i < policy.n_due; i++)
            if (!policy_due(&policy, policy.due[i].lab))
                abort();
        if (policy.has_late && !(policy.late.deduct >= 0 && policy.late.grace_minutes >= 0))
            abort();
    }
    arena_free(&arena);
    return 0;
}
