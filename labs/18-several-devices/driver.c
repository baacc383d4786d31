/* Lab 18: brings a case's arrays into pinned memory, and calls the function that the case names.
 *
 * Before the call a device that is not the last of several, or that which the parameter `current` names, is made the current one, and it must be so
 * afterwards.
 * The parameter `calls` repeats train, on the weights of the call before. With `fails` a call of CUDA fails, and nobody asks what the arrays hold.
 */
#include "lab.h"

#include "several_devices.h"

#include <string.h>

typedef struct Job {
    LabCase *c;
    const char *function;
    size_t n;
    float *in, *out; /* of transform and heat */
    float *x, *y, *w;
} Job;

static int param(LabCase *c, const char *key)
{
    return (int)lab_param_int(c, key);
}

static float *pinned_copy(const float *from, size_t n)
{
    float *array = NULL;
    CUDA_CHECK(cudaMallocHost((void **)&array, (n == 0 ? 1 : n) * sizeof(float)));
    memcpy(array, from, n * sizeof(float));
    return array;
}

/* How many numbers of an input, if there is such a copy, are no longer what they were. */
static size_t changes(LabCase *c, const char *name, const float *copy)
{
    size_t n = 0, changed = 0;
    const float *array = copy != NULL ? lab_input_f32(c, name, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        changed += memcmp(copy + i, array + i, sizeof *copy) != 0;
    return changed;
}

static int call(Job *j, int n_devices)
{
    LabCase *c = j->c;
    if (strcmp(j->function, "transform") == 0)
        return transform(j->in, j->out, (int)j->n, n_devices);
    if (strcmp(j->function, "heat") == 0)
        return heat(j->in, j->out, (int)j->n, param(c, "steps"), n_devices);
    int status = 0, calls = lab_has_param(c, "calls") ? param(c, "calls") : 1;
    for (int i = 0; i < calls && status == 0; i++) /* the first of several has a device less */
        status = train(j->x, j->y, j->w, param(c, "n"), param(c, "micro"), param(c, "steps"),
                       (float)lab_param_float(c, "rate"), calls > 1 && i == 0 && n_devices > 1 ? n_devices - 1 : n_devices);
    return status;
}

static void run(Job *j, float *result, size_t n_result)
{
    int n_devices = param(j->c, "devices"), current = 0;
    CUDA_CHECK(cudaSetDevice(lab_has_param(j->c, "current") ? param(j->c, "current") : (n_devices - 1) / 2));
    lab_own_calls(0);
    int status = call(j, n_devices);
    lab_own_calls(1);
    CUDA_CHECK(cudaGetDevice(&current));
    lab_value(j->c, "current_device", current);
    lab_value(j->c, "elements_that_changed_and_should_not", (double)(changes(j->c, "in", j->in) + changes(j->c, "x", j->x) + changes(j->c, "y", j->y)));
    if (result != NULL)
        memcpy(result, j->w != NULL ? j->w : j->out, n_result * sizeof(float)); /* nobody waits in between */
    lab_status(j->c, j->function, status);
}

static void run_shares(LabCase *c)
{
    int n_devices = param(c, "devices");
    int32_t *first = lab_output_i32(c, "first", (size_t)n_devices),
            *count = lab_output_i32(c, "count", (size_t)n_devices);
    share_of(100, 3, 1); /* nothing of this may stay */
    for (int d = 0; d < n_devices; d++) {
        Share s = share_of(param(c, "n"), n_devices, d);
        first[d] = s.first;
        count[d] = s.count;
    }
}

void lab_main(LabCase *c)
{
    Job j = {.c = c, .function = lab_param_text(c, "function")};
    lab_own_calls(1);
    int fails = lab_has_param(c, "fails");
    float *result = NULL;
    size_t n = 0, n_result;
    if (strcmp(j.function, "share_of") == 0) {
        run_shares(c);
        return;
    }
    if (strcmp(j.function, "train") == 0) {
        const float *x = lab_input_f32(c, "x", &n);
        j.x = pinned_copy(x, n);
        const float *y = lab_input_f32(c, "y", &n);
        j.y = pinned_copy(y, n);
        const float *w = lab_input_f32(c, "first", &n);
        j.w = pinned_copy(w, n);
        n_result = n;
        if (!fails)
            result = lab_output_f32(c, "w", n);
    } else {
        const float *in = lab_input_f32(c, "in", &j.n);
        j.in = pinned_copy(in, j.n);
        n_result = j.n;
        if (!fails)
            result = lab_output_f32(c, "out", j.n);
        j.out = pinned_copy(fails ? j.in : result, j.n); /* poisoned: what nobody writes shows */
    }
    run(&j, result, n_result);
    float *arrays[] = {j.in, j.out, j.x, j.y, j.w};
    for (int i = 0; i < 5; i++)
        if (arrays[i] != NULL)
            cudaFreeHost(arrays[i]); /* an error of the student's is told already */
}
