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
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static Facade the_facade = {.lock = PTHREAD_MUTEX_INITIALIZER, .stream_fd = -1};

Facade *facade(void)
{
    return &the_facade;
}

/* ---- options ---- */

/* False: the variable is set to something that is not a number; says so. */
static bool read_number(const char *name, uint64_t fallback, uint64_t *out)
{
    const char *text = getenv(name);
    *out = fallback;
    if (text == NULL || *text == 0)
        return true;
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (errno == 0 && *end == 0 && *text != '-')
        return true;
    facade_say("%s=%s is not a number", name, text);
    return false;
}

static bool read_options(DeviceOptions *o)
{
    uint64_t n_devices, jobs, fd, memory_mib;
    *o = (DeviceOptions){.model = getenv("VGPU_DEVICE"), .checks = getenv("VGPU_CHECK")};
    bool ok = read_number("VGPU_DEVICES", 1, &n_devices) && read_number("VGPU_JOBS", 1, &jobs) &&
              read_number("VGPU_MEMORY", 0, &memory_mib) &&
              read_number("VGPU_SEED", 0, &o->seed) &&
              read_number("VGPU_MAX_INSTRUCTIONS", 0, &o->max_instructions) &&
              read_number("VGPU_FAIL_AT", 0, &facade()->fail_at) &&
              read_number("VGPU_STREAM_FD", UINT64_MAX, &fd);
    o->n_devices = n_devices > DEVICES_MAX ? DEVICES_MAX : (uint32_t)n_devices;
    o->memory_bytes = memory_mib > (1u << 24) ? 0 : memory_mib << 20;
    o->jobs = jobs > 256 ? 256 : (unsigned)jobs;
    o->stream_fd = fd > 1000000 ? -1 : (int)fd;
    o->timeline = getenv("VGPU_TIMELINE") != NULL;
    o->lines = getenv("VGPU_LINES") != NULL;
    facade()->stream_fd = o->stream_fd;
    return ok;
}

/* ---- start and end ---- */

static void after_fork(void)
{
    the_facade.forked = the_facade.started;
    the_facade.watching = false; /* it stayed with the parent */
    pthread_mutex_init(&the_facade.lock, NULL);
}

static cudaError_t start(void)
{
    Facade *f = facade();
    DeviceOptions options;
    Diag diag = {0};
    if (!read_options(&options))
        return cudaErrorInitializationError;
    if (device_server_create(&options, &f->server, &diag) != STATUS_OK) {
        facade_say("%s", diag.message);
        return cudaErrorInitializationError;
    }
    visible_read(getenv("CUDA_VISIBLE_DEVICES"), options.n_devices);
    host_fault_install();
    pthread_atfork(NULL, NULL, after_fork);
    return cudaSuccess;
}

cudaError_t facade_start(void)
{
    Facade *f = facade();
    if (f->finished)
        return cudaErrorCudartUnloading;
    if (f->forked)
        return cudaErrorInitializationError;
    if (!f->started) {
        f->started = true;
        f->start_error = start();
    }
    return f->start_error;
}

/* The process ends in an orderly way: what is still queued runs, leaks are looked for, totals go out. */
__attribute__((destructor)) static void finish(void)
{
    Facade *f = facade();
    progress_end();
    if (!f->started || f->server == NULL || f->finished || f->forked)
        return;
    Call call = {.site = thread_state()->failed_launch};
    DeviceReply reply;
    if (call.site != 0)
        call_advise(&call, NULL, "this launch failed, and the program never asked: <<<...>>> returns nothing",
                    "call cudaGetLastError after each launch, and look at what it returns");
    call_send_to(&call, 0, &(DeviceMsg){.op = OP_FINISH}, &reply);
    f->finished = true;
    host_fault_remove();
    managed_end();
    device_server_destroy(f->server);
    f->server = NULL;
}
