/* Lab 14: calls the function that the case names with the case's host arrays. What it has returned is read at
 * once: nobody waits here. With `again` it is called twice before, for half of the elements (and of the table) and
 * for none, with another result; and another table is there beside the last one. In the last call `held` KiB of the device's memory are taken.
 * Behind a call that fails there is another one, which is to return nothing of the error before.
 */
#include "lab.h"

#include "unified_memory.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 16 };

/* What a function is to work out from this part of the case's elements. */
typedef enum Part { NOTHING, HALF, ALL } Part;

static int part_of(int n, Part part)
{
    return part == ALL ? n : part == HALF ? n / 2 : 0;
}

static int size_param(LabCase *c, const char *key)
{
    return (int)lab_param_int(c, key);
}

/* The case's output, or another array of as many floats for a call before. */
static float *output_of(LabCase *c, size_t n, Part part)
{
    return part == ALL ? lab_output_f32(c, "out", n) : malloc((n + 1) * sizeof(float));
}

static int run_correct(LabCase *c, Part part)
{
    size_t n = 0, n_table = 0;
    int rounds = size_param(c, "rounds");
    const int *reading = lab_input_i32(c, "reading", &n);
    const float *table = lab_input_f32(c, "table", &n_table);
    float *out = output_of(c, n, part), control[ROUNDS_MAX] = {0};
    double sum = 0;
    if (part == HALF)
        n_table = (n_table + 1) / 2;
    int status = correct(table, (int)n_table, reading, out, part_of((int)n, part), rounds, control);
    for (int r = 0; r < rounds; r++)
        sum += (double)(r + 1) * control[r];
    if (part == ALL)
        lab_value(c, "control", sum);
    else
        free(out);
    return status;
}

/* The hits of a key, as the host finds them; -1: it is not in its list, or the list has no end. */
static int hits_of(const Table *table, int key, int n_keys)
{
    const Node *node = table->buckets[bucket_of(key, table->n_buckets)];
    for (int steps = 0; node != NULL && steps < n_keys; steps++, node = node->next)
        if (node->key == key)
            return node->hits;
    return -1;
}

/* Whether there is managed memory at this place. */
static int is_managed(const void *place)
{
    struct cudaPointerAttributes at = {.type = cudaMemoryTypeUnregistered};
    lab_own_calls(1);
    if (place)
        CUDA_CHECK(cudaPointerGetAttributes(&at, place));
    lab_own_calls(0);
    return at.type == cudaMemoryTypeManaged;
}

static int run_table(LabCase *c, Part part)
{
    size_t n_keys = 0, n = 0;
    const int *keys = lab_input_i32(c, "keys", &n_keys), *queries = lab_input_i32(c, "queries", &n);
    int *out = part == ALL ? lab_output_i32(c, "hits", n_keys) : NULL, calls = size_param(c, "calls"), n_here = part_of((int)n_keys, part);
    static Table nobody;
    Table *table = &nobody; /* not NULL, which table_create makes it when it fails */
    Table *other = NULL;    /* of the last keys, while the first one is there */
    int status = table_create(&table, keys, n_here, size_param(c, "buckets"));
    if (status != 0 && !is_managed(table))
        table_destroy(table); /* of NULL, for which there is nothing to do; a table that is there is left behind */
    if (status != 0 || table == NULL || table == &nobody)
        return status;
    if (part == ALL && lab_has_param(c, "again"))
        status = table_create(&other, keys + (n_here - n_here / 3), n_here / 3, size_param(c, "buckets"));
    for (int i = 0; i < calls && status == 0; i++)
        status = table_count(table, queries, part_of((int)n, part));
    for (int i = 0; out != NULL && i < n_here && status == 0; i++)
        out[i] = hits_of(table, keys[i], n_here);
    table_destroy(other); /* NULL, where there is none */
    int destroyed = table_destroy(table);
    return status == 0 ? destroyed : status;
}

/* The functions from one array to another of the same length. */
static int run_array(LabCase *c, const char *function, Part part)
{
    size_t n = 0;
    const float *in = lab_input_f32(c, "in", &n);
    float *out = output_of(c, n, part);
    int n_here = part_of((int)n, part), status;
    if (strcmp(function, "scale") == 0)
        status = scale(in, out, n_here, (float)lab_param_float(c, "factor"));
    else if (strcmp(function, "relax") == 0)
        status = relax(in, out, n_here, size_param(c, "rounds"));
    else if (strcmp(function, "smooth_frames") == 0)
        status = smooth_frames(in, out, n_here / size_param(c, "frames"), size_param(c, "frames"));
    else
        status = grind(in, out, n_here, size_param(c, "rounds"));
    if (part != ALL)
        free(out);
    return status;
}

static int run(LabCase *c, Part part)
{
    const char *function = lab_param_text(c, "function");
    lab_note(part == NOTHING || (lab_has_param(c, "n") && size_param(c, "n") == 0) ? "nothing" : "something");
    if (strcmp(function, "correct") == 0)
        return run_correct(c, part);
    if (strcmp(function, "table") == 0)
        return run_table(c, part);
    return run_array(c, function, part);
}

/* So many KiB of the device are somebody else's from now on. */
static void *hold(LabCase *c)
{
    void *held = NULL;
    lab_own_calls(1);
    if (lab_has_param(c, "held"))
        CUDA_CHECK(cudaMalloc(&held, (size_t)lab_param_int(c, "held") * 1024));
    lab_own_calls(0);
    return held;
}

void lab_main(LabCase *c)
{
    int status = 0;
    if (lab_has_param(c, "again"))
        status = run(c, HALF);
    if (lab_has_param(c, "again") && status == 0)
        status = run(c, NOTHING);
    void *held = hold(c);
    if (status == 0)
        status = run(c, ALL);
    lab_own_calls(1);
    CUDA_CHECK(cudaFree(held));
    lab_status(c, lab_param_text(c, "function"), status);
    if (status != 0 && lab_has_param(c, "again")) {
        lab_own_calls(0);
        lab_next_status(c, lab_param_text(c, "function"), run(c, HALF));
    }
}
