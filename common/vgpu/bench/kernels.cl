/* The benchmark's kernels in OpenCL C, as close to cuda.cu as the languages allow. */

__kernel void add_kernel(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

__kernel void naive_kernel(__global const float *a, __global const float *b, __global float *c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__kernel void tiled_kernel(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        a_tile[ty][tx] = a[y * n + t + tx];
        b_tile[ty][tx] = b[(t + ty) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += a_tile[ty][k] * b_tile[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

__kernel void reduce_kernel(__global const float *a, __global float *sums)
{
    __local float s[REDUCE_BLOCK];
    int t = get_local_id(0);
    s[t] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_n = REDUCE_BLOCK / 2; half_n > 0; half_n /= 2) {
        if (t < half_n)
            s[t] += s[t + half_n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        sums[get_group_id(0)] = s[0];
}

__kernel void histogram_global_kernel(__global const uint *words, volatile __global uint *bins, int n)
{
    int i = get_global_id(0);
    if (i < n)
        atomic_add(&bins[words[i] % BINS], 1u);
}

__kernel void histogram_shared_kernel(__global const uint *words, volatile __global uint *bins, int n)
{
    __local uint own[BINS];
    own[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_add(&own[words[i] % BINS], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], own[get_local_id(0)]);
}

__kernel void stencil_kernel(__global const float *from, __global float *to, int n)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * n + x;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
    else
        to[i] = from[i];
}

__kernel void divergent_kernel(__global const uint *words, __global uint *steps)
{
    int i = get_global_id(0);
    uint x = words[i] + 1, n = 0;
    while (x != 1 && n < DIVERGENT_STEPS) {
        if (x & 1) {
            x = 3 * x + 1;
            n++;
        } else {
            do {
                x >>= 1;
                n++;
            } while (!(x & 1));
        }
    }
    steps[i] = n;
}

__kernel void scattered_kernel(__global const float *a, __global float *out)
{
    uint i = get_global_id(0);
    out[i * SCATTER_FACTOR % SCATTER_N] = a[(i * 7919u + 13) % SCATTER_N];
}

__kernel void lock_kernel(volatile __global uint *counter)
{
    bool done = false;
    while (!done) {
        if (atomic_cmpxchg(&counter[1], 0u, 1u) == 0) {
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            counter[0] = counter[0] + 1;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(&counter[1], 0u);
            done = true;
        }
    }
}
