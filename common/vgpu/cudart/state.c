/* state: the facade's one global, its options, its start and its end.
 *
 * The devices start with the first call that needs them: a child that forks before can start its own. After a
 * fork the child of a process that has started them has none, as with hardware
 * (cudaErrorInitializationError).
 *
 * Options come from the environment, where the `vgpu` command puts them:
 *   VGPU_DEVICE VGPU_DEVICES VGPU_CHECK VGPU_SEED VGPU_JOBS VGPU_MAX_INSTRUCTIONS VGPU_FAIL_AT VGPU_TIMELINE VGPU_LINES
 *   VGPU_MEMORY (MiB of a card)
 *   VGPU_STREAM_FD (records for the command), CUDA_VISIBLE_DEVICES (as with hardware)
 * or VGPU_SERVER_FD alone: the devices are in a process of their own, which knows the rest
 * (common/vgpu/remote).
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static Facade the_facade = {.lock = PTHREAD_MUTEX_INITIALIZER, .stream_fd = -1};

Facade *facade(void)
{
    return &the_facade;
}

bool facade_is_served(void)
{
    return the_facade.server || the_facade.remote;
}

/* ---- threads of the host: each has a clock of its own ---- */

static pthread_key_t thread_key;

/* Numbers of threads that have ended are given again. */
static struct {
    uint64_t used[DEVICE_THREADS_MAX / 64];
    bool has_key;
} threads = {.used = {1}};

static void thread_ended(void *number)
{
    Facade *f = facade();
    uint32_t n = (uint32_t)(uintptr_t)number;
    pthread_mutex_lock(&f->lock);
    if (f->started && !f->finished && !f->forked && facade_is_served()) {
        DeviceReply reply;
        facade_send(&(DeviceMsg){.op = OP_THREAD_END}, &reply);
    }
    threads.used[n / 64] &= ~((uint64_t)1 << n % 64);
    pthread_mutex_unlock(&f->lock);
}

/* Called with the lock held. The thread that began the process is number 0, and so are those for which there is no number. */
static uint32_t thread_number(void)
{
    Thread *t = thread_state();
    if (t->number > 0 || t->is_first)
        return t->number;
    t->is_first = getpid() == gettid();
    if (!threads.has_key)
        threads.has_key = pthread_key_create(&thread_key, thread_ended) == 0;
    for (uint32_t i = 0; i < DEVICE_THREADS_MAX && !t->is_first && threads.has_key && t->number == 0; i++)
        if (!(threads.used[i / 64] >> i % 64 & 1) && pthread_setspecific(thread_key, (void *)(uintptr_t)i) == 0) {
            threads.used[i / 64] |= (uint64_t)1 << i % 64;
            t->number = i;
        }
    return t->number;
}

void facade_send(const DeviceMsg *msg, DeviceReply *reply)
{
    DeviceMsg mine = *msg;
    DeviceReply unread;
    reply = reply ? reply : &unread;
    mine.thread = thread_number();
    if (the_facade.remote)
        remote_send(the_facade.remote, &mine, reply);
    else
        device_send(the_facade.server, &mine, reply);
    interrupt_deliver();
}

/* ---- start and end ---- */

static void after_fork(void)
{
    Facade *f = facade();
    f->forked = f->has_looked;
    f->watching = false; /* it stayed with the parent */
    if (f->remote)
        remote_forked(f->remote);
    if (f->started && !f->has_looked) { /* before any call: the child's first one has devices of its own */
        host_fault_remove();
        f->started = false;
        f->server = NULL;
        f->remote = NULL;
    }
    pthread_mutex_init(&f->lock, NULL);
}

/* The devices in this process. */
static Status start_here(uint32_t *n_devices, Diag *diag)
{
    Facade *f = facade();
    DeviceOptions options;
    Status st = device_options_read(&options, diag);
    if (st != STATUS_OK)
        return st;
    f->may_fail = options.fail_at != 0;
    f->fail_questions = options.fail_questions;
    f->stream_fd = options.stream_fd;
    f->has_records = options.stream_fd >= 0;
    *n_devices = options.n_devices;
    return device_server_create(&options, &f->server, diag);
}

/* Those of a server process, behind an inherited descriptor. */
static Status start_there(uint64_t door, uint32_t *n_devices, Diag *diag)
{
    Facade *f = facade();
    RemoteHello hello;
    Status st = remote_connect((int)door, &f->remote, &hello, diag);
    if (st != STATUS_OK)
        return st;
    f->may_fail = hello.may_fail;
    f->fail_questions = hello.fail_questions;
    f->has_records = hello.has_records;
    *n_devices = hello.n_devices;
    return STATUS_OK;
}

static cudaError_t start_devices(void)
{
    Diag diag = {0};
    uint32_t n_devices = 0;
    uint64_t door;
    Status st = device_option_number(REMOTE_ENVIRONMENT, INT_MAX, &door, &diag);
    if (st == STATUS_OK)
        st = door < INT_MAX ? start_there(door, &n_devices, &diag) : start_here(&n_devices, &diag);
    if (st != STATUS_OK) {
        facade_say("%s", diag.message);
        return cudaErrorInitializationError;
    }
    facade()->n_devices_there = n_devices;
    host_fault_install();
    if (the_facade.server)
        interrupt_install();
    pthread_atfork(NULL, NULL, after_fork);
    return cudaSuccess;
}

cudaError_t facade_prepare(void)
{
    Facade *f = facade();
    if (f->finished)
        return cudaErrorCudartUnloading;
    if (f->forked)
        return cudaErrorInitializationError;
    if (!f->started) {
        f->started = true;
        f->start_error = start_devices();
    }
    return f->start_error;
}

cudaError_t facade_start(void)
{
    Facade *f = facade();
    cudaError_t error = facade_prepare();
    if (error == cudaSuccess && !f->has_looked) {
        f->has_looked = true;
        visible_read(getenv("CUDA_VISIBLE_DEVICES"), f->n_devices_there);
    }
    return error;
}

/* The process ends in an orderly way: what is still queued runs, leaks are looked for, totals go out. */
__attribute__((destructor)) static void finish(void)
{
    Facade *f = facade();
    progress_end();
    if (!f->started || !facade_is_served() || f->finished || f->forked)
        return;
    Call call = {0};
    call_tell_failed();
    graph_leaks();
    call_send_to(&call, 0, &(DeviceMsg){.op = OP_FINISH}, NULL);
    f->finished = true;
    host_fault_remove();
    managed_end();
    device_server_destroy(f->server);
    remote_close(f->remote);
    f->server = NULL;
    f->remote = NULL;
}
