/* Lab 14: calls the function that the case names with the case's host arrays. What it has returned is read at
 * once: nobody waits here.
 */
#include "lab.h"

#include "unified_memory.h"

#include <string.h>

enum { ROUNDS_MAX = 16 };

static int size_param(LabCase *c, const char *key)
{
    return (int)lab_param_int(c, key);
}

static int run_correct(LabCase *c)
{
    size_t n = 0, n_table = 0;
    int rounds = size_param(c, "rounds");
    const int *reading = lab_input_i32(c, "reading", &n);
    const float *table = lab_input_f32(c, "table", &n_table);
    float *out = lab_output_f32(c, "out", n), control[ROUNDS_MAX] = {0};
    double sum = 0;
    int status = correct(table, (int)n_table, reading, out, (int)n, rounds, control);
    for (int r = 0; r < rounds; r++)
        sum += (double)(r + 1) * control[r];
    lab_value(c, "control", sum);
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

static int run_table(LabCase *c)
{
    size_t n_keys = 0, n = 0;
    const int *keys = lab_input_i32(c, "keys", &n_keys), *queries = lab_input_i32(c, "queries", &n);
    int *out = lab_output_i32(c, "hits", n_keys), calls = size_param(c, "calls");
    Table *table = NULL;
    int status = table_create(&table, keys, (int)n_keys, size_param(c, "buckets"));
    if (status != 0 || table == NULL)
        return status;
    for (int i = 0; i < calls && status == 0; i++)
        status = table_count(table, queries, (int)n);
    for (size_t i = 0; i < n_keys && status == 0; i++)
        out[i] = hits_of(table, keys[i], (int)n_keys);
    int destroyed = table_destroy(table);
    return status == 0 ? destroyed : status;
}

static int run_frames(LabCase *c)
{
    size_t n = 0;
    int n_frames = size_param(c, "frames");
    const float *frames = lab_input_f32(c, "in", &n);
    float *out = lab_output_f32(c, "out", n);
    return smooth_frames(frames, out, (int)n / n_frames, n_frames);
}

/* The functions from one array to another of the same length. */
static int run_array(LabCase *c, const char *function)
{
    size_t n = 0;
    const float *in = lab_input_f32(c, "in", &n);
    float *out = lab_output_f32(c, "out", n);
    if (strcmp(function, "scale") == 0)
        return scale(in, out, (int)n, (float)lab_param_float(c, "factor"));
    if (strcmp(function, "relax") == 0)
        return relax(in, out, (int)n, size_param(c, "rounds"));
    return grind(in, out, (int)n, size_param(c, "rounds"));
}

void lab_main(LabCase *c)
{
    const char *function = lab_param_text(c, "function");
    int status;
    if (strcmp(function, "correct") == 0)
        status = run_correct(c);
    else if (strcmp(function, "table") == 0)
        status = run_table(c);
    else if (strcmp(function, "smooth_frames") == 0)
        status = run_frames(c);
    else
        status = run_array(c, function);
    lab_status(c, function, status);
}
