/* collect: launches become kernels, and copies of one direction one operation. */
#include "common/profile/profile_internal.h"

#include <math.h>
#include <string.h>

Status profile_add_launch(Profile *profile, const ProfileKernel *launch, Diag *diag)
{
    for (int i = 0; i < N_PROFILE_INPUTS; i++)
        profile->totals[i] += launch->inputs[i];
    size_t k = 0;
    while (k < profile->n_kernels && strcmp(profile->kernels[k].name, launch->name) != 0)
        k++;
    if (k == PROFILE_KERNELS_MAX)
        return diag_set(diag, STATUS_LIMIT, "more than %d different kernels", PROFILE_KERNELS_MAX);
    ProfileKernel *kernel = &profile->kernels[k];
    double us = isnan(launch->inputs[INPUT_TIME]) ? 0 : launch->inputs[INPUT_TIME];
    if (k == profile->n_kernels) {
        profile->n_kernels++;
        *kernel = *launch;
        kernel->launches = 1;
        kernel->total_us = us;
        return STATUS_OK;
    }
    unsigned launches = kernel->launches + 1;
    double total_us = kernel->total_us + us;
    if (us > kernel->inputs[INPUT_TIME])
        *kernel = *launch;
    kernel->launches = launches;
    kernel->total_us = total_us;
    return STATUS_OK;
}

Status profile_add_operation(Profile *profile, const ProfileOperation *operation, Diag *diag)
{
    size_t i = 0;
    while (i < profile->n_operations && strcmp(profile->operations[i].name, operation->name) != 0)
        i++;
    if (i == PROFILE_OPERATIONS_MAX)
        return diag_set(diag, STATUS_LIMIT, "more than %d kinds of operations", PROFILE_OPERATIONS_MAX);
    ProfileOperation *to = &profile->operations[i];
    if (i == profile->n_operations) {
        profile->n_operations++;
        *to = *operation;
        return STATUS_OK;
    }
    to->count += operation->count;
    to->total_us += operation->total_us;
    if (!isnan(operation->bytes))
        to->bytes = isnan(to->bytes) ? operation->bytes : to->bytes + operation->bytes;
    return STATUS_OK;
}

void profile_free(Profile *profile)
{
    arena_free(&profile->arena);
    *profile = (Profile){0};
}
