/* stream: streams, events and host functions.
 *
 * Handles are numbers that look like pointers, so that a stale or invented one is refused and never followed:
 *
 *      stream  0x5354 0000 0000 0000 | id << 4        0: default stream, 1: legacy, 2: this thread's own
 *      event   0x4556 0000 0000 0000 | id << 4
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdio.h>

#define STREAM_TAG 0x5354000000000000u
#define EVENT_TAG  0x4556000000000000u

static void *to_handle(uint64_t tag, uint64_t id)
{
    return (void *)(uintptr_t)(tag | id << 4);
}

/* 0: not one of ours. */
static uint64_t to_id(uint64_t tag, const void *handle)
{
    uint64_t value = (uint64_t)(uintptr_t)handle;
    return (value & 0xFFFF00000000000Fu) == tag ? (value & 0xFFFFFFFFFFFFu) >> 4 : 0;
}

/* Notes the device of a new id; false without memory. */
static bool note_device(uint32_t **table, size_t *n, size_t *cap, uint64_t id, uint32_t device)
{
    while (*n <= id) {
        if (!vec_grow((void **)table, *n, cap, sizeof **table))
            return false;
        (*table)[(*n)++] = 0;
    }
    (*table)[id] = device + 1;
    return true;
}

static cudaError_t make_stream(Call *call, cudaStream_t *out, unsigned flags, int priority, uint64_t *id)
{
    Facade *f = facade();
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_STREAM_CREATE};
    msg.stream_flags.flags = flags;
    msg.stream_flags.priority = priority;
    if (out) /* not a thread's own default stream */
        call_site(call);
    cudaError_t error = call_send(call, &msg, &reply);
    if (error != cudaSuccess)
        return error;
    if (!note_device(&f->stream_device, &f->n_streams, &f->streams_cap, reply.value, call_device()))
        return cudaErrorMemoryAllocation;
    *id = reply.value;
    if (out)
        *out = to_handle(STREAM_TAG, reply.value);
    return cudaSuccess;
}

/* The thread's own default stream is made when it is first used. */
static bool thread_stream(Call *call, uint32_t *stream)
{
    uint32_t *mine = &thread_state()->default_stream[call_device()];
    uint64_t id;
    if (*mine != 0 && facade()->stream_device[*mine] == 0)
        *mine = 0; /* another thread reset the device */
    if (*mine == 0 && make_stream(call, NULL, cudaStreamDefault, 0, &id) == cudaSuccess)
        *mine = (uint32_t)id;
    *stream = *mine;
    return *mine != 0;
}

bool stream_of(Call *call, cudaStream_t handle, uint32_t *stream, uint32_t *device)
{
    const Facade *f = facade();
    *device = call_device();
    *stream = DEVICE_STREAM_LEGACY;
    if (!handle || handle == cudaStreamLegacy)
        return true;
    if (handle == cudaStreamPerThread)
        return thread_stream(call, stream);
    uint64_t id = to_id(STREAM_TAG, handle);
    if (id == 0 || id >= f->n_streams || f->stream_device[id] == 0)
        return false;
    *stream = (uint32_t)id;
    *device = f->stream_device[id] - 1;
    return true;
}

bool stream_fits(Call *call, cudaStream_t handle, uint32_t device, const char *what)
{
    uint32_t stream, owner;
    if (!stream_of(call, handle, &stream, &owner) || owner == device)
        return true;
    char text[160];
    snprintf(text, sizeof text, "a stream of device %u is given to %s device %u", owner, what, device);
    call_advise(
        call, NULL, text,
        "a stream and an event belong to the device that was current when they were made, and a kernel runs "
        "on the current one: call cudaSetDevice first, and make them for each device");
    return false;
}

bool event_of(cudaEvent_t handle, uint32_t *event, uint32_t *device)
{
    const Facade *f = facade();
    uint64_t id = to_id(EVENT_TAG, handle);
    if (id == 0 || id >= f->n_events || f->event_device[id] == 0)
        return false;
    *event = (uint32_t)id;
    *device = f->event_device[id] - 1;
    return true;
}

/* ---- making and destroying streams ---- */

static cudaError_t create_stream(Api api, cudaStream_t *stream, unsigned flags, int priority)
{
    uint64_t id;
    ENTER(api);
    if (!stream || (flags & ~(unsigned)cudaStreamNonBlocking) != 0)
        return call_leave(&call, cudaErrorInvalidValue);
    return call_leave(&call, make_stream(&call, stream, flags, priority, &id));
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return create_stream(API_cudaStreamCreate, stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return create_stream(API_cudaStreamCreateWithFlags, stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    return create_stream(API_cudaStreamCreateWithPriority, stream, flags, priority);
}

/* A message about one stream. */
static cudaError_t send_stream(Call *call, cudaStream_t handle, DeviceMsg *msg, DeviceReply *reply)
{
    uint32_t device;
    if (!stream_of(call, handle, &msg->stream, &device))
        return cudaErrorInvalidResourceHandle;
    return call_send_to(call, device, msg, reply);
}

static cudaError_t stream_call(Api api, cudaStream_t stream, DeviceOp op)
{
    DeviceReply reply = {0};
    ENTER(api);
    cudaError_t error = send_stream(&call, stream, &(DeviceMsg){.op = op}, &reply);
    return call_leave(&call, op == OP_STREAM_SYNC ? call_waited(error, &reply) : error);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_STREAM_DESTROY};
    ENTER(API_cudaStreamDestroy);
    call_site(&call);
    cudaError_t error = send_stream(&call, stream, &msg, &reply);
    if (error == cudaSuccess) {
        capture_drop_stream(msg.stream);
        facade()->stream_device[msg.stream] = 0;
    }
    return call_leave(&call, error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return stream_call(API_cudaStreamSynchronize, stream, OP_STREAM_SYNC);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return stream_call(API_cudaStreamQuery, stream, OP_STREAM_QUERY);
}

/* ---- asking about streams ---- */

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    ENTER(API_cudaDeviceGetStreamPriorityRange);
    if (least)
        *least = 0;
    if (greatest)
        *greatest = DEVICE_PRIORITY_HIGHEST;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    DeviceReply reply;
    ENTER(API_cudaStreamGetPriority);
    if (!priority)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = send_stream(&call, stream, &(DeviceMsg){.op = OP_STREAM_INFO}, &reply);
    if (error == cudaSuccess)
        *priority = (int)(int64_t)reply.value2;
    return call_leave(&call, error);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    DeviceReply reply;
    ENTER(API_cudaStreamGetFlags);
    if (!flags)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = send_stream(&call, stream, &(DeviceMsg){.op = OP_STREAM_INFO}, &reply);
    if (error == cudaSuccess)
        *flags = (unsigned)reply.value;
    return call_leave(&call, error);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    uint32_t number, device;
    ENTER(API_cudaStreamGetId);
    if (!id)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!stream_of(&call, stream, &number, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    *id = number + 1ull;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *out)
{
    uint32_t number, device;
    ENTER(API_cudaStreamGetDevice);
    if (!out)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!stream_of(&call, stream, &number, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    for (int i = 0; i < facade()->n_devices; i++)
        if (facade()->visible[i] == device)
            *out = i;
    return call_leave(&call, cudaSuccess);
}

/* ---- host functions ---- */

cudaError_t stream_send_host_function(Call *call, cudaStream_t stream, const HostFunction *fn)
{
    Facade *f = facade();
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_HOST_FUNCTION};
    if (!VEC_GROW(f->host_functions, f->n_host_functions, f->host_functions_cap))
        return cudaErrorMemoryAllocation;
    HostFunction mine = *fn;
    mine.stream = stream;
    mine.token = msg.token = ++f->last_token;
    call->host = &mine;
    cudaError_t error = send_stream(call, stream, &msg, &reply);
    if (error == cudaSuccess && !call->diverted)
        f->host_functions[f->n_host_functions++] = mine;
    call->host = NULL;
    return error;
}

static cudaError_t add_host_function(Api api, cudaStream_t stream, const HostFunction *fn)
{
    ENTER(api);
    if (!fn->run && !fn->callback)
        return call_leave(&call, cudaErrorInvalidValue);
    return call_leave(&call, stream_send_host_function(&call, stream, fn));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    return add_host_function(API_cudaLaunchHostFunc, stream, &(HostFunction){.run = fn, .data = data});
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    (void)flags; /* reserved, must be 0 */
    return add_host_function(API_cudaStreamAddCallback, stream,
                             &(HostFunction){.callback = callback, .data = data});
}

/* Attaching managed memory to a stream only tells the driver who uses it. */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length, unsigned int flags)
{
    DeviceReply reply;
    uint32_t number, device;
    DeviceMsg msg = {.op = OP_POINTER};
    (void)length, (void)flags;
    ENTER(API_cudaStreamAttachMemAsync);
    if (!stream_of(&call, stream, &number, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    msg.range.addr = (uint64_t)(uintptr_t)p;
    call_send(&call, &msg, &reply);
    bool managed =
        reply.pointer.kind == DEVICE_MEMORY_MANAGED || reply.pointer.kind == DEVICE_MEMORY_VARIABLE;
    return call_leave(&call, managed ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- events ---- */

cudaError_t event_adopt(cudaEvent_t *event, uint64_t id, unsigned flags)
{
    Facade *f = facade();
    while (f->n_event_flags <= id) {
        if (!VEC_GROW(f->event_flags, f->n_event_flags, f->event_flags_cap))
            return cudaErrorMemoryAllocation;
        f->event_flags[f->n_event_flags++] = 0;
    }
    if (!note_device(&f->event_device, &f->n_events, &f->events_cap, id, call_device()))
        return cudaErrorMemoryAllocation;
    f->event_flags[id] = flags;
    *event = to_handle(EVENT_TAG, id);
    return cudaSuccess;
}

bool event_for_processes(cudaEvent_t event, uint32_t *id)
{
    uint32_t device;
    return event_of(event, id, &device) && (facade()->event_flags[*id] & cudaEventInterprocess);
}

static cudaError_t create_event(Api api, cudaEvent_t *event, unsigned flags)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_EVENT_CREATE};
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    ENTER(api);
    bool shared_with_timing = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
    if (!event || (flags & ~known) != 0 || shared_with_timing)
        return call_leave(&call, cudaErrorInvalidValue);
    msg.event.timing = !(flags & cudaEventDisableTiming);
    call_site(&call);
    cudaError_t error = call_send(&call, &msg, &reply);
    return call_leave(&call, error == cudaSuccess ? event_adopt(event, reply.value, flags) : error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return create_event(API_cudaEventCreate, event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return create_event(API_cudaEventCreateWithFlags, event, flags);
}

static cudaError_t event_call(Api api, cudaEvent_t event, DeviceOp op)
{
    DeviceMsg msg = {.op = op};
    DeviceReply reply = {0};
    uint32_t device;
    ENTER(api);
    if (!event_of(event, &msg.event.id, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    cudaError_t error = call_send_to(&call, device, &msg, &reply);
    if (op == OP_EVENT_DESTROY && error == cudaSuccess) {
        capture_drop_event(msg.event.id);
        facade()->event_device[msg.event.id] = 0;
    }
    return call_leave(&call, op == OP_EVENT_SYNC ? call_waited(error, &reply) : error);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return event_call(API_cudaEventDestroy, event, OP_EVENT_DESTROY);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return event_call(API_cudaEventSynchronize, event, OP_EVENT_SYNC);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return event_call(API_cudaEventQuery, event, OP_EVENT_QUERY);
}

cudaError_t stream_send_event(Call *call, cudaEvent_t event, cudaStream_t stream, bool record)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = record ? OP_EVENT_RECORD : OP_STREAM_WAIT};
    uint32_t device;
    if (!event_of(event, &msg.event.id, &device))
        return cudaErrorInvalidResourceHandle;
    return send_stream(call, stream, &msg, &reply);
}

static cudaError_t record_event(Api api, cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    uint32_t id, device;
    ENTER(api);
    if (!event_of(event, &id, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    if ((flags & ~(unsigned)cudaEventRecordExternal) != 0)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!stream_fits(&call, stream, device, "cudaEventRecord with an event of"))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    call.external = flags == cudaEventRecordExternal;
    cudaError_t error = stream_send_event(&call, event, stream, true);
    DeviceMsg run = {.op = OP_EVENT_RUN, .event.id = id};
    if (error == cudaSuccess && !call.diverted && event_for_processes(event, &id))
        error = call_send_to(&call, device, &run, NULL);
    return call_leave(&call, error);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return record_event(API_cudaEventRecord, event, stream, 0);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    return record_event(API_cudaEventRecordWithFlags, event, stream, flags);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    uint32_t id, device;
    ENTER(API_cudaStreamWaitEvent);
    if (!event_of(event, &id, &device))
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    if ((flags & ~(unsigned)cudaEventWaitExternal) != 0)
        return call_leave(&call, cudaErrorInvalidValue);
    call.external = flags == cudaEventWaitExternal;
    return call_leave(&call, stream_send_event(&call, event, stream, false));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_EVENT_ELAPSED};
    uint32_t device, device2;
    ENTER(API_cudaEventElapsedTime);
    if (!ms)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!event_of(start, &msg.event.id, &device) || !event_of(end, &msg.event.other, &device2) ||
        device != device2)
        return call_leave(&call, cudaErrorInvalidResourceHandle);
    cudaError_t error = call_send_to(&call, device, &msg, &reply);
    if (error == cudaSuccess)
        *ms = (float)((double)(int64_t)reply.value / 1e6);
    return call_leave(&call, error);
}
