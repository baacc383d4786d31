/* Lab 14: what you write, in unified_memory.cu.
 *
 * Each function returns 0 (cudaSuccess) or the code of the first CUDA call that failed, and leaves no memory
 * behind when it fails; all but table_create leave none behind when they succeed. An error of cudaFree
 * may be returned or not. in, out, table, frames, keys and queries are ordinary host arrays. n is 0 to 525,000; for 0 nothing is launched, and else as many blocks
 * as n needs. n_keys is 0 to 1,000, n_buckets 1 to 256, n_table 1 to 17,000, n_frames 1 to 8, and n * n_frames at most 25,000.
 */
#ifndef UNIFIED_MEMORY_H
#define UNIFIED_MEMORY_H

#ifdef __cplusplus
extern "C" {
#endif

/* TODO 1: out[i] = factor * in[i], through one managed array. */
int scale(const float *in, float *out, int n, float factor);

/* TODO 2: out is in after `rounds` (1 or more) rounds of relax_kernel: each cell becomes the mean of its
 * neighbours and itself, which counts twice. Two managed arrays take turns. */
int relax(const float *in, float *out, int n, int rounds);

/* TODO 3: the table has n_table floats. out[i] is the sum over all rounds r from 0 on of
 * table[(reading[i] + r) % n_table], worked out by correct_kernel, one launch a round. After round r the host
 * takes a sample: control[r] = out[(31 * r) % n] - table[(97 * r) % n_table], of out as it is by then. There is
 * one table in managed memory for both of them. reading[i] is at least 0. */
int correct(const float *table, int n_table, const int *reading, float *out, int n, int rounds, float *control);

/* A table of keys that host and device walk through with the same pointers. Keys with the same bucket_of form
 * a list; each key is in it once. */
typedef struct Node {
    int key;
    int hits;          /* how often it was asked for */
    struct Node *next; /* NULL: the last of its list */
} Node;

typedef struct Table {
    int n_buckets;
    Node **buckets; /* [n_buckets], each the first node of a list or NULL */
    Node *nodes;    /* [n_keys], yours to use */
} Table;

/* Which list a key belongs to: the same on host and device. */
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline int
    bucket_of(int key, int n_buckets)
{
    return (int)(((unsigned)key * 2654435761u >> 7) % (unsigned)n_buckets);
}

/* TODO 4: *table becomes a table of the keys, which differ and may be negative, with no hits; or NULL when that fails. Several tables may be
 * there at a time. */
int table_create(Table **table, const int *keys, int n_keys, int n_buckets);
/* TODO 4: counts a hit for each query whose key is in the table. When it returns, the host may walk through the
 * lists and read the hits. Several calls add up. */
int table_count(Table *table, const int *queries, int n);
/* TODO 4: gives a table back; nothing to do for NULL. */
int table_destroy(Table *table);

/* TODO 5: n_frames frames of n floats, one after the other in frames; each is smoothed by two rounds of
 * relax_kernel into its place in out. The device memory for that is not allocated anew for each frame. */
int smooth_frames(const float *frames, float *out, int n, int n_frames);

/* TODO 6: out is in after `rounds` rounds of grind_kernel. The array is in managed memory, and may be larger
 * than the memory of the device. */
int grind(const float *in, float *out, int n, int rounds);

#ifdef __cplusplus
}
#endif

#endif
