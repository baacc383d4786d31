/* ipc: memory and events of another process of the run (device/share.c).
 *
 * A handle holds what tells it from other bytes, and the number under which the devices know the thing. Whoever records an event
 * that other processes may know of has its stream run up to there at once: nobody else could.
 */
#include "common/vgpu/cudart/cudart_internal.h"
#include "common/vgpu/cudart/refused.h"

#include <string.h>

#define MEM_HANDLE   0x6D656D2D75706776u
#define EVENT_HANDLE 0x746E652D75706776u

typedef struct Handle {
    uint64_t what;
    uint64_t number;
} Handle;

_Static_assert(sizeof(Handle) <= sizeof(cudaIpcMemHandle_t), "it fits");
_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(cudaIpcEventHandle_t), "both are alike");

static void write_handle(void *out, uint64_t what, uint64_t number)
{
    const Handle h = {.what = what, .number = number};
    memset(out, 0, sizeof(cudaIpcMemHandle_t));
    memcpy(out, &h, sizeof h);
}

/* 0: it is none of that kind. */
static uint64_t read_handle(const void *in, uint64_t what)
{
    Handle h;
    memcpy(&h, in, sizeof h);
    return h.what == what ? h.number : 0;
}

static cudaError_t send_shared(Call *call, DeviceMsg *msg, DeviceReply *reply)
{
    cudaError_t error = call_send(call, msg, reply);
    if (error == cudaErrorNotSupported) /* only then do the devices answer so */
        api_say_refused(call_name(call), " where a run is graded or its provenance recorded");
    return error;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p)
{
    DeviceReply reply;
    ENTER(API_cudaIpcGetMemHandle);
    if (!handle || !p)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = send_shared(&call, &(DeviceMsg){.op = OP_SHARE, .range.addr = (uint64_t)(uintptr_t)p}, &reply);
    if (error == cudaSuccess)
        write_handle(handle, MEM_HANDLE, reply.value);
    return call_leave(&call, error);
}

cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned int flags)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_SHARED_OPEN, .range.addr = read_handle(&handle, MEM_HANDLE)};
    ENTER(API_cudaIpcOpenMemHandle);
    if (!p || flags != cudaIpcMemLazyEnablePeerAccess || msg.range.addr == 0)
        return call_leave(&call, cudaErrorInvalidValue);
    call_site(&call);
    cudaError_t error = send_shared(&call, &msg, &reply);
    if (error == cudaSuccess)
        *p = (void *)(uintptr_t)reply.value;
    return call_leave(&call, error);
}

cudaError_t cudaIpcCloseMemHandle(void *p)
{
    ENTER(API_cudaIpcCloseMemHandle);
    call_site(&call);
    return call_leave(&call, call_send(&call, &(DeviceMsg){.op = OP_SHARED_CLOSE, .range.addr = (uint64_t)(uintptr_t)p}, NULL));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_SHARE_EVENT};
    ENTER(API_cudaIpcGetEventHandle);
    if (!handle)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!event_for_processes(event, &msg.event.id))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    cudaError_t error = send_shared(&call, &msg, &reply);
    if (error == cudaSuccess)
        write_handle(handle, EVENT_HANDLE, reply.value);
    return call_leave(&call, error);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_SHARED_EVENT_OPEN, .range.addr = read_handle(&handle, EVENT_HANDLE)};
    ENTER(API_cudaIpcOpenEventHandle);
    if (!event || msg.range.addr == 0)
        return call_leave(&call, cudaErrorInvalidValue);
    call_site(&call);
    cudaError_t error = send_shared(&call, &msg, &reply);
    return call_leave(&call, error == cudaSuccess ? event_adopt(event, reply.value, cudaEventInterprocess) : error);
}
