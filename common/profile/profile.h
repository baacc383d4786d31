/* profile: what `make profile` shows of a program, from the virtual GPU's report or from NVIDIA's profilers,
 * in one table.
 *
 * Whatever the source, a launch becomes the same inputs (inputs.def) and a copy the same operation, and the
 * rows (rows.def) are worked out of them: the tables of two sources can be held side by side. A Profile owns
 * what it points to (profile_free).
 */
#ifndef COMMON_PROFILE_PROFILE_H
#define COMMON_PROFILE_PROFILE_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"

typedef enum ProfileInput {
#define X(name, ...) INPUT_##name,
#include "common/profile/inputs.def"
#undef X
    N_PROFILE_INPUTS
} ProfileInput;

enum { PROFILE_KERNELS_MAX = 200, PROFILE_OPERATIONS_MAX = 64 };

/* One kernel: how often it was launched, and the inputs of its longest launch. */
typedef struct ProfileKernel {
    const char *name;
    unsigned launches;
    double total_us;
    double inputs[N_PROFILE_INPUTS]; /* NAN: the source does not have it */
    const char *shape;               /* "grid x block" of that launch, "" when unknown */
    const char *bound;               /* memory, compute, latency, overhead; "" when unknown */
} ProfileKernel;

/* All copies of one direction, all fills, all kernels. */
typedef struct ProfileOperation {
    const char *name; /* as Nsight Systems calls it */
    unsigned count;
    double total_us;
    double bytes; /* NAN: none or unknown */
} ProfileOperation;

typedef struct Profile {
    Arena arena;
    ProfileKernel kernels[PROFILE_KERNELS_MAX]; /* in the order in which they first came */
    size_t n_kernels;
    double totals[N_PROFILE_INPUTS]; /* over all launches; NAN: the source does not have it */
    ProfileOperation operations[PROFILE_OPERATIONS_MAX];
    size_t n_operations;
} Profile;

/* The metrics that profile_read_ncu() wants, for ncu's --metrics: names, with commas between them. */
void profile_ncu_metrics(StrBuf *out);

/* Adds the launches of `ncu --csv --page raw`: lines that are no CSV are passed over. STATUS_NOT_FOUND when
 * no launch is in it, STATUS_PARSE when its columns are not those of such a page, STATUS_LIMIT past
 * PROFILE_KERNELS_MAX. */
Status profile_read_ncu(const char *text, Profile *profile, Diag *diag);

/* Adds the operations of `nsys stats --format csv` with the reports cuda_gpu_kern_sum, cuda_gpu_mem_time_sum
 * and cuda_gpu_mem_size_sum, in any order. STATUS_NOT_FOUND when none is in it. */
Status profile_read_nsys(const char *text, Profile *profile, Diag *diag);

/* Adds the launches of a report of the virtual GPU (vgpu --report). STATUS_PARSE when it is none. */
Status profile_read_report(const char *text, Profile *profile, Diag *diag);

/* Adds the operations of a time line of the virtual GPU (vgpu --timeline). STATUS_PARSE when it is none. */
Status profile_read_timeline(const char *text, Profile *profile, Diag *diag);

/* The table of kernels, the one with most time first; the table of copies and kernels of the whole program.
 */
void profile_put_kernels(const Profile *profile, StrBuf *out);
void profile_put_operations(const Profile *profile, StrBuf *out);

/* The few totals that a roofline needs, by the names that lab.yaml uses for them, and each kernel's longest
 * launch. */
void profile_put_totals(const Profile *profile, StrBuf *out);

/* What lab.yaml can ask of a run, by its names there, out of a report of the virtual GPU. STATUS_PARSE when
 * it is none. */
Status profile_put_numbers(const char *report, StrBuf *out, Diag *diag);

void profile_free(Profile *profile);

#endif
