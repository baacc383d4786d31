/* driver: what the driver API's library needs of the runtime's state (cudart.h). */
#include "common/vgpu/cudart/cudart_internal.h"

static bool must_fail(cudaError_t fail)
{
    Facade *f = facade();
    return fail != cudaSuccess && f->fail_at != 0 && ++f->n_can_fail == f->fail_at;
}

cudaError_t vgpu_begin(const char *name, cudaError_t fail)
{
    thread_state()->driver_call = name;
    pthread_mutex_lock(&facade()->lock);
    cudaError_t error = facade_start();
    if (error == cudaSuccess && must_fail(fail))
        error = fail;
    pthread_mutex_unlock(&facade()->lock);
    return error;
}

void vgpu_end(int code, const char *error_name)
{
    if (error_name != NULL) {
        Call call = {.locked = true};
        pthread_mutex_lock(&facade()->lock);
        call_record_error(&call, code, error_name);
        pthread_mutex_unlock(&facade()->lock);
    }
    thread_state()->driver_call = NULL;
}

bool vgpu_runtime_used(void)
{
    pthread_mutex_lock(&facade()->lock);
    bool used = facade()->runtime_used;
    pthread_mutex_unlock(&facade()->lock);
    return used;
}

void vgpu_say(const char *text)
{
    facade_say("%s", text);
}

int vgpu_thread_device(bool *bound)
{
    *bound = thread_state()->bound;
    return thread_state()->device;
}

void vgpu_thread_bind(int device, bool bound)
{
    thread_state()->device = device;
    thread_state()->bound = bound;
}

bool vgpu_primary_used(int device)
{
    pthread_mutex_lock(&facade()->lock);
    bool used = facade()->primary_used[device];
    pthread_mutex_unlock(&facade()->lock);
    return used;
}

bool vgpu_find_memory(const void *p, uint64_t *base, uint64_t *bytes, uint32_t *serial)
{
    Call call;
    DeviceReply reply = {0};
    DeviceMsg msg = {.op = OP_POINTER};
    msg.range.addr = (uint64_t)(uintptr_t)p;
    if (call_enter(&call, API_cudaPointerGetAttributes))
        call_send(&call, &msg, &reply);
    call_leave(&call, cudaSuccess);
    *base = reply.pointer.base;
    *bytes = reply.pointer.bytes;
    *serial = reply.pointer.serial;
    return reply.pointer.kind > DEVICE_MEMORY_NOWHERE;
}
