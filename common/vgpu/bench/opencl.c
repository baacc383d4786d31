/* The benchmark's kernels through OpenCL: PoCL compiles them to native code for the processor, and checks
 * nothing. Argument: the file of the kernels. Status 2: no OpenCL processor. */
#define CL_TARGET_OPENCL_VERSION 120
#include "common/vgpu/bench/bench.h"

#include <CL/cl.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_device_id device;
static cl_mem a, b, c, d, words, results;
static float *host_a, *host_b, *host_c, *want;
static uint32_t *host_words, *host_results, *want_words;

static void check_cl(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "bench-opencl: %s: error %d\n", what, (int)error);
    exit(1);
}

static void find_device(void)
{
    cl_platform_id platforms[8];
    cl_uint n = 0;
    bool found = false;
    if (clGetPlatformIDs(8, platforms, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint i = 0; i < n && !found; i++)
        found = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS;
    if (!found) {
        fprintf(stderr, "bench-opencl: no OpenCL processor\n");
        exit(2);
    }
}

static void build_program(const char *file)
{
    char source[16384], options[512];
    const char *text = source;
    FILE *f = fopen(file, "r");
    size_t length = f ? fread(source, 1, sizeof source - 1, f) : 0;
    cl_int error;
    if (f)
        fclose(f);
    source[length] = 0;
    snprintf(options, sizeof options,
             "-DTILE=%d -DREDUCE_BLOCK=%d -DBINS=%d -DDIVERGENT_STEPS=%d -DSCATTER_N=%d -DSCATTER_FACTOR=%d",
             TILE, REDUCE_BLOCK, BINS, DIVERGENT_STEPS, SCATTER_N, SCATTER_FACTOR);
    program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    check_cl(error, file);
    check_cl(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram");
}

static cl_kernel kernel(const char *name)
{
    cl_int error;
    cl_kernel k = clCreateKernel(program, name, &error);
    check_cl(error, name);
    return k;
}

static void set_buffer(cl_kernel k, cl_uint i, cl_mem buffer)
{
    check_cl(clSetKernelArg(k, i, sizeof buffer, &buffer), "clSetKernelArg");
}

static void set_int(cl_kernel k, cl_uint i, int value)
{
    check_cl(clSetKernelArg(k, i, sizeof value, &value), "clSetKernelArg");
}

static void launch_cl(cl_kernel k, cl_uint dimensions, size_t gx, size_t gy, size_t lx, size_t ly)
{
    size_t global[] = {gx, gy}, local[] = {lx, ly};
    check_cl(clEnqueueNDRangeKernel(queue, k, dimensions, NULL, global, local, 0, NULL, NULL), "launch");
}

static void finish_queue(void)
{
    check_cl(clFinish(queue), "clFinish");
}

static void read_back(cl_mem from, void *to, size_t bytes)
{
    check_cl(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "read");
}

static bool same_floats(cl_mem buffer, int n)
{
    read_back(buffer, host_c, (size_t)n * sizeof(float));
    return bench_same_floats(host_c, want, n);
}

static bool same_words(int n)
{
    read_back(results, host_results, (size_t)n * sizeof(uint32_t));
    return bench_same_words(host_results, want_words, n);
}

static void clear_results(void)
{
    cl_uint zero = 0;
    check_cl(clEnqueueFillBuffer(queue, results, &zero, sizeof zero, 0, BINS * sizeof zero, 0, NULL, NULL),
             "fill");
    finish_queue();
}

static cl_kernel add, naive, tiled, reduce, histogram_global, histogram_shared, stencil, divergent, scattered,
    lock;

/* The arguments of the cases, once: buffers in the order of the kernel's parameters, then n (0: none). */
static cl_kernel prepare_cl_kernel(const char *name, const cl_mem *buffers, cl_uint n_buffers, int n)
{
    cl_kernel k = kernel(name);
    for (cl_uint i = 0; i < n_buffers; i++)
        set_buffer(k, i, buffers[i]);
    if (n)
        set_int(k, n_buffers, n);
    return k;
}

static void prepare_all(void)
{
    const cl_mem a_b_c[] = {a, b, c}, a_c[] = {a, c}, words_results[] = {words, results};
    add = prepare_cl_kernel("add_kernel", a_b_c, 3, ADD_N);
    naive = prepare_cl_kernel("naive_kernel", a_b_c, 3, NAIVE_N);
    tiled = prepare_cl_kernel("tiled_kernel", a_b_c, 3, TILED_N);
    reduce = prepare_cl_kernel("reduce_kernel", a_c, 2, 0);
    histogram_global = prepare_cl_kernel("histogram_global_kernel", words_results, 2, HISTOGRAM_N);
    histogram_shared = prepare_cl_kernel("histogram_shared_kernel", words_results, 2, HISTOGRAM_N);
    stencil = kernel("stencil_kernel");
    set_int(stencil, 2, STENCIL_N);
    divergent = prepare_cl_kernel("divergent_kernel", words_results, 2, 0);
    scattered = prepare_cl_kernel("scattered_kernel", a_c, 2, 0);
    lock = prepare_cl_kernel("lock_kernel", &results, 1, 0);
}

static void add_run(void)
{
    launch_cl(add, 1, ADD_N, 1, 256, 1);
    finish_queue();
}

static bool add_check(void)
{
    plain_add(host_a, host_b, want);
    return same_floats(c, ADD_N);
}

static void naive_run(void)
{
    launch_cl(naive, 2, NAIVE_N, NAIVE_N, 16, 16);
    finish_queue();
}

static bool naive_check(void)
{
    plain_naive(host_a, host_b, want);
    return same_floats(c, NAIVE_N * NAIVE_N);
}

static void tiled_run(void)
{
    launch_cl(tiled, 2, TILED_N, TILED_N, TILE, TILE);
    finish_queue();
}

static bool tiled_check(void)
{
    plain_tiled(host_a, host_b, want);
    return same_floats(c, TILED_N * TILED_N);
}

static void reduce_run(void)
{
    launch_cl(reduce, 1, REDUCE_N, 1, REDUCE_BLOCK, 1);
    finish_queue();
}

static bool reduce_check(void)
{
    plain_reduce(host_a, want);
    return same_floats(c, REDUCE_N / REDUCE_BLOCK);
}

static void histogram_global_run(void)
{
    launch_cl(histogram_global, 1, HISTOGRAM_N, 1, 256, 1);
    finish_queue();
}

static void histogram_shared_run(void)
{
    launch_cl(histogram_shared, 1, 64 * BINS, 1, BINS, 1);
    finish_queue();
}

static bool histogram_check(void)
{
    plain_histogram(host_words, want_words);
    return same_words(BINS);
}

static void stencil_reset(void)
{
    check_cl(clEnqueueWriteBuffer(queue, d, CL_TRUE, 0, STENCIL_N * STENCIL_N * sizeof(float), host_a, 0,
                                  NULL, NULL),
             "write");
}

static void stencil_run(void)
{
    cl_mem from = d, to = c;
    for (int step = 0; step < STENCIL_STEPS; step++) {
        set_buffer(stencil, 0, from);
        set_buffer(stencil, 1, to);
        launch_cl(stencil, 2, STENCIL_N, STENCIL_N, 32, 8);
        cl_mem swap = from;
        from = to;
        to = swap;
    }
    finish_queue();
}

static bool stencil_check(void)
{
    memcpy(want, host_a, STENCIL_N * STENCIL_N * sizeof(float));
    plain_stencil(want, host_c);
    return same_floats(d, STENCIL_N * STENCIL_N);
}

static void divergent_run(void)
{
    launch_cl(divergent, 1, DIVERGENT_N, 1, 256, 1);
    finish_queue();
}

static bool divergent_check(void)
{
    plain_divergent(host_words, want_words);
    return same_words(DIVERGENT_N);
}

static void scattered_run(void)
{
    launch_cl(scattered, 1, SCATTER_N, 1, 256, 1);
    finish_queue();
}

static bool scattered_check(void)
{
    plain_scattered(host_a, want);
    return same_floats(c, SCATTER_N);
}

static void lock_run(void)
{
    launch_cl(lock, 1, LOCK_BLOCKS * LOCK_THREADS, 1, LOCK_THREADS, 1);
    finish_queue();
}

static bool lock_check(void)
{
    plain_lock(want_words);
    return same_words(1);
}

static cl_mem buffer_of(void *host)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   WORDS_MAX * sizeof(float), host, &error);
    check_cl(error, "clCreateBuffer");
    return buffer;
}

static void make_arrays(void)
{
    host_a = malloc(WORDS_MAX * sizeof(float));
    host_b = malloc(WORDS_MAX * sizeof(float));
    host_c = malloc(WORDS_MAX * sizeof(float));
    want = malloc(WORDS_MAX * sizeof(float));
    host_words = malloc(WORDS_MAX * sizeof(uint32_t));
    host_results = malloc(WORDS_MAX * sizeof(uint32_t));
    want_words = malloc(WORDS_MAX * sizeof(uint32_t));
    bench_inputs(host_a, host_b, host_words);
    a = buffer_of(host_a);
    b = buffer_of(host_b);
    c = buffer_of(host_a);
    d = buffer_of(host_a);
    words = buffer_of(host_words);
    results = buffer_of(host_words);
}

int main(int argc, char **argv)
{
    cl_int error;
    find_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check_cl(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check_cl(error, "clCreateCommandQueue");
    build_program(argc > 1 ? argv[1] : "kernels.cl");
    make_arrays();
    prepare_all();
    static const BenchCase cases[] = {
        {"vector-add", add_run, add_check, NULL},
        {"matmul-naive", naive_run, naive_check, NULL},
        {"matmul-tiled", tiled_run, tiled_check, NULL},
        {"reduction", reduce_run, reduce_check, NULL},
        {"histogram-global", histogram_global_run, histogram_check, clear_results},
        {"histogram-shared", histogram_shared_run, histogram_check, clear_results},
        {"stencil", stencil_run, stencil_check, stencil_reset},
        {"divergent", divergent_run, divergent_check, NULL},
        {"scattered", scattered_run, scattered_check, NULL},
        {"spin-lock", lock_run, lock_check, clear_results},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        bench_measure(&cases[i]);
    return 0;
}
