/* driver: what the driver API's library needs of the runtime's state (cudart.h). */
#include "common/vgpu/cudart/cudart_internal.h"

cudaError_t vgpu_begin(const char *name)
{
    thread_state()->driver_call = name;
    pthread_mutex_lock(&facade()->lock);
    cudaError_t error = facade_start();
    if (error == cudaSuccess && facade()->n_devices == 0)
        error = cudaErrorNoDevice;
    pthread_mutex_unlock(&facade()->lock);
    return error;
}

cudaError_t vgpu_count(cudaError_t fail)
{
    pthread_mutex_lock(&facade()->lock);
    cudaError_t error = call_must_fail(fail) ? fail : cudaSuccess;
    call_tick();
    pthread_mutex_unlock(&facade()->lock);
    return error;
}

void vgpu_end(int code, const char *error_name)
{
    if (error_name) {
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

void vgpu_advise(const void *address, const char *message, const char *hint)
{
    Call call;
    if (call_enter(&call, API_cudaLaunchKernel))
        call_advise(&call, address, message, hint);
    call_leave(&call, cudaSuccess);
}

int vgpu_thread_device(ThreadContext *context)
{
    *context = thread_state()->context;
    return thread_state()->device;
}

void vgpu_thread_bind(int device, ThreadContext context)
{
    thread_state()->device = device;
    thread_state()->context = context;
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

cudaError_t vgpu_fill(void *dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t height,
                      cudaStream_t stream)
{
    DeviceMsg msg = {.op = OP_FILL};
    uint32_t device;
    ENTER(API_cudaMemsetAsync);
    if (!stream_of(&call, stream, &msg.stream, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    msg.fill.dst = (uint64_t)(uintptr_t)dst;
    msg.fill.pitch = pitch;
    msg.fill.width = width * element;
    msg.fill.height = height;
    msg.fill.depth = 1;
    msg.fill.value = value;
    msg.fill.element = (uint8_t)element;
    call_site(&call);
    return call_leave(&call, call_send_to(&call, device, &msg, NULL));
}
