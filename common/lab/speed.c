/* A timed run on a GPU, as the program's side sees it (theory of operation in grader/submission/speed.h).
 *
 * Whoever times it is at the other end of the socket that LAB_SPEED_FD names, and has the clock. A question
 * is a line, and its answer comes when the device has done all that it asks for:
 *
 *   ready                     said once, when the arrays are there
 *   round work CALLS SEED     CALLS times: new inputs, made on the device from SEED; the caches flushed; the
 *                             student's function; the output folded to 64 bits. Answer: those, call after
 * call round blank CALLS SEED    the same without the function: what all that takes by itself round copy
 * CALLS 0        copies on the device; answer: "done BYTES", read and written, of each round spend CALLS 0
 * multiply-adds; answer: "done OPERATIONS" of each round link CALLS 0        copies from pinned host memory;
 * answer: "done BYTES" of each round launch CALLS 0      launches of a kernel that has nothing to do; answer:
 * "done 1" end
 *
 * Nothing in here is a secret or has to hold against the student's code, which is in the same process: an
 * answer is right only if the work was done, and it is too late when it comes late.
 */
#include "common/lab/lab.h"
#include "common/lab/speed_kernels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CALLS_MAX = 256,
    THREADS = 256,
    BLOCKS_EACH = 8,
    SPEND_ROUNDS = 4,
    CACHES_WRITTEN = 2,
    CACHES_COPIED = 4,
    LINE_MAX_BYTES = 128
};

typedef struct Timed {
    const LabSpeed *speed;
    int fd;
    unsigned blocks;
    cudaLibrary_t library;
    cudaKernel_t fill, fold, spend;
    uint64_t *sums; /* on the device: one a call */
    void *flush;    /* a buffer larger than the second-level cache */
    size_t flush_bytes, copy_bytes;
} Timed;

int lab_is_timed(void)
{
    return getenv("LAB_SPEED_FD") != NULL;
}

static void send_answer(const Timed *t, const void *bytes, size_t n)
{
    if (send(t->fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n)
        exit(2); /* nobody is there who would want to know */
}

static void launch_timed(cudaKernel_t kernel, unsigned blocks, void **arguments)
{
    CUDA_CHECK(
        cudaLaunchKernel((const void *)kernel, (dim3){blocks, 1, 1}, (dim3){THREADS, 1, 1}, arguments, 0, 0));
}

/* ---- One call of the student's function ---- */

static void fill(const Timed *t, const LabSpeedArray *array, uint64_t seed)
{
    uint64_t words = array->bytes / 4;
    uint32_t kind = array->fill;
    void *arguments[] = {(void *)&array->device, &words, &seed, &kind};
    launch_timed(t->fill, t->blocks, arguments);
}

static void fold(const Timed *t, uint64_t seed, int call)
{
    const LabSpeedArray *output = &t->speed->output;
    uint64_t words = output->bytes / 4, *sum = t->sums + call;
    void *arguments[] = {(void *)&output->device, &words, &seed, &sum};
    launch_timed(t->fold, t->blocks, arguments);
}

/* Seeds of arrays and calls lie so far apart that none of their words has the number of another. */
static void make_call(const Timed *t, int works, uint64_t seed, int call)
{
    seed += (uint64_t)call << 44;
    for (int i = 0; i < t->speed->n_inputs; i++)
        fill(t, &t->speed->inputs[i], seed + ((uint64_t)i << 40));
    CUDA_CHECK(cudaMemsetAsync(t->flush, 0, t->flush_bytes, 0));
    if (works)
        CUDA_CHECK(t->speed->call(t->speed->context));
    fold(t, seed + ((uint64_t)15 << 40), call);
}

static void answer_calls(const Timed *t, int works, int calls, uint64_t seed)
{
    static uint64_t sums[CALLS_MAX];
    CUDA_CHECK(cudaMemsetAsync(t->sums, 0, sizeof sums, 0));
    for (int i = 0; i < calls; i++)
        make_call(t, works, seed, i);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(sums, t->sums, (size_t)calls * sizeof *sums, cudaMemcpyDeviceToHost));
    send_answer(t, sums, (size_t)calls * sizeof *sums);
}

/* ---- What the card does at best ---- */

static void answer_done(const Timed *t, double amount)
{
    char text[LINE_MAX_BYTES];
    CUDA_CHECK(cudaDeviceSynchronize());
    send_answer(t, text, (size_t)snprintf(text, sizeof text, "done %.0f", amount));
}

/* The buffers are there before the clock starts: the question is asked a second time then. */
static void answer_copies(const Timed *t, int calls)
{
    static char *buffer;
    if (!buffer)
        CUDA_CHECK(cudaMalloc((void **)&buffer, 2 * t->copy_bytes));
    for (int i = 0; i < calls; i++)
        CUDA_CHECK(
            cudaMemcpyAsync(buffer + t->copy_bytes, buffer, t->copy_bytes, cudaMemcpyDeviceToDevice, 0));
    answer_done(t, 2.0 * (double)t->copy_bytes);
}

static void answer_link(const Timed *t, int calls)
{
    static void *host, *device;
    if (!host) {
        CUDA_CHECK(cudaMallocHost(&host, t->copy_bytes));
        CUDA_CHECK(cudaMalloc(&device, t->copy_bytes));
        memset(host, 0, t->copy_bytes);
    }
    for (int i = 0; i < calls; i++)
        CUDA_CHECK(cudaMemcpyAsync(device, host, t->copy_bytes, cudaMemcpyHostToDevice, 0));
    answer_done(t, (double)t->copy_bytes);
}

/* All in one launch, whose own cost is lost in it. */
static void answer_spend(const Timed *t, int calls)
{
    uint64_t rounds = (uint64_t)SPEND_ROUNDS * (uint64_t)calls;
    void *arguments[] = {(void *)&t->sums, &rounds};
    launch_timed(t->spend, t->blocks, arguments);
    answer_done(t, 2.0 * SPEND_ROUNDS * SPEED_FMAS * t->blocks * THREADS);
}

static void answer_launches(const Timed *t, int calls)
{
    uint64_t rounds = 0;
    void *arguments[] = {(void *)&t->sums, &rounds};
    for (int i = 0; i < calls; i++)
        launch_timed(t->spend, 1, arguments);
    answer_done(t, 1);
}

/* ---- Questions ---- */

static void answer_round(const Timed *t, const char *kind, int calls, uint64_t seed)
{
    static const struct {
        const char *kind;
        void (*answer)(const Timed *t, int calls);
    } ceilings[] = {
        {"copy", answer_copies}, {"link", answer_link}, {"spend", answer_spend}, {"launch", answer_launches}};
    for (size_t i = 0; i < sizeof ceilings / sizeof *ceilings; i++)
        if (strcmp(kind, ceilings[i].kind) == 0) {
            ceilings[i].answer(t, calls);
            return;
        }
    answer_calls(t, strcmp(kind, "work") == 0, calls, seed);
}

/* Answers until there are no more questions. */
static void serve_timed_calls(const Timed *t)
{
    char line[LINE_MAX_BYTES], kind[16];
    int calls;
    unsigned long long seed;
    send_answer(t, "ready", 5);
    for (;;) {
        ssize_t n = recv(t->fd, line, sizeof line - 1, 0);
        if (n < 0 && errno == EINTR)
            continue;
        line[n > 0 ? n : 0] = '\0';
        if (sscanf(line, "round %15s %d %llu", kind, &calls, &seed) != 3 || calls < 1 || calls > CALLS_MAX)
            return;
        answer_round(t, kind, calls, seed);
    }
}

static void open_device(Timed *t)
{
    int processors = 0, cache = 0;
    CUDA_CHECK(cudaLibraryLoadData(&t->library, speed_kernels, NULL, NULL, 0, NULL, NULL, 0));
    CUDA_CHECK(cudaLibraryGetKernel(&t->fill, t->library, "speed_fill"));
    CUDA_CHECK(cudaLibraryGetKernel(&t->fold, t->library, "speed_fold"));
    CUDA_CHECK(cudaLibraryGetKernel(&t->spend, t->library, "speed_spend"));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0));
    t->blocks = (unsigned)(processors * BLOCKS_EACH);
    t->flush_bytes = CACHES_WRITTEN * (size_t)cache;
    t->copy_bytes = CACHES_COPIED * (size_t)cache;
    CUDA_CHECK(cudaMalloc(&t->flush, t->flush_bytes));
    CUDA_CHECK(cudaMalloc((void **)&t->sums, CALLS_MAX * sizeof *t->sums));
}

void lab_speed(const LabSpeed *speed)
{
    const char *fd = getenv("LAB_SPEED_FD");
    if (!fd)
        return;
    Timed t = {.speed = speed, .fd = atoi(fd)};
    open_device(&t);
    serve_timed_calls(&t);
    close(t.fd);
    CUDA_CHECK(cudaFree(t.flush));
    CUDA_CHECK(cudaFree(t.sums));
    CUDA_CHECK(cudaLibraryUnload(t.library));
}
