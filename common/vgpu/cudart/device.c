/* device: choosing devices, waiting for them, their limits; peers. */
#include "common/vgpu/cudart/cudart_internal.h"

static bool valid_device(int device)
{
    return device >= 0 && device < facade()->n_devices;
}

/* ---- which devices ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    ENTER_LIGHT(API_cudaGetDeviceCount);
    if (!count)
        return call_leave(&call, cudaErrorInvalidValue);
    if (facade()->n_devices == 0) /* measured: *count is left alone */
        return call_leave(&call, facade()->no_device);
    *count = facade()->n_devices;
    return call_leave(&call, cudaSuccess);
}

/* The first call for a device makes its context, and can fail. Going back to one that is in use cannot: that is how programs clean up. */
cudaError_t cudaSetDevice(int device)
{
    ENTER_QUERY(API_cudaSetDevice);
    if (!valid_device(device))
        return call_leave(&call, cudaErrorInvalidDevice);
    if (!facade()->primary_used[device] && call_must_fail(cudaErrorNoDevice))
        return call_leave(&call, cudaErrorNoDevice);
    thread_state()->device = device;
    call_use_context(CONTEXT_PRIMARY);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGetDevice(int *device)
{
    ENTER_QUERY(API_cudaGetDevice);
    if (!device)
        return call_leave(&call, cudaErrorInvalidValue);
    *device = thread_state()->device;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaSetValidDevices(int *devices, int n)
{
    ENTER(API_cudaSetValidDevices);
    if (!devices && n > 0)
        return call_leave(&call, cudaErrorInvalidValue);
    for (int i = 0; i < n; i++)
        if (!valid_device(devices[i]))
            return call_leave(&call, cudaErrorInvalidDevice);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags, (void)flags;
    ENTER(API_cudaInitDevice);
    return call_leave(&call, valid_device(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

/* Measured: what is read back has "map host memory" set, which is always so. */
cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    const unsigned known =
        cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
    ENTER(API_cudaSetDeviceFlags);
    if (flags & ~known)
        return call_leave(&call, cudaErrorInvalidValue);
    facade()->flags[thread_state()->device] = flags;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    ENTER(API_cudaGetDeviceFlags);
    if (!flags)
        return call_leave(&call, cudaErrorInvalidValue);
    *flags = facade()->flags[thread_state()->device] | cudaDeviceMapHost;
    return call_leave(&call, cudaSuccess);
}

/* ---- waiting, resetting ---- */

cudaError_t cudaDeviceSynchronize(void)
{
    DeviceReply reply = {0};
    ENTER(API_cudaDeviceSynchronize);
    cudaError_t error = call_send(&call, &(DeviceMsg){.op = OP_DEVICE_SYNC, .site = call_site(&call)}, &reply);
    return call_leave(&call, call_waited(error, &reply));
}

static bool was_reset;

int vgpu_lab_was_reset(void)
{
    return __atomic_load_n(&was_reset, __ATOMIC_RELAXED);
}

/* All handles of the device are gone afterwards, and the error of this thread with it (measured). */
cudaError_t cudaDeviceReset(void)
{
    ENTER(API_cudaDeviceReset);
    Facade *f = facade();
    uint32_t device = call_device();
    cudaError_t error = call_send(&call, &(DeviceMsg){.op = OP_DEVICE_RESET}, NULL);
    registered_forget(device);
    capture_forget(device);
    f->primary_used[thread_state()->device] = false;
    arrays_forget(device);
    objects_forget(device);
    for (size_t i = 0; i < f->n_streams; i++)
        if (f->stream_device[i] == device + 1)
            f->stream_device[i] = 0;
    for (size_t i = 0; i < f->n_events; i++)
        if (f->event_device[i] == device + 1)
            f->event_device[i] = 0;
    thread_state()->default_stream[device] = 0;
    bool told = error == cudaSuccess && !f->is_driver;
    error = call_leave(&call, error);
    if (told) { /* a lab's own program may do so, its student's function not */
        vgpu_lab_note("device-reset ");
        __atomic_store_n(&was_reset, true, __ATOMIC_RELAXED);
    }
    return error;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    ENTER_LIGHT(API_cudaDriverGetVersion);
    if (!version)
        return call_leave(&call, cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    ENTER_LIGHT(API_cudaRuntimeGetVersion);
    if (!version)
        return call_leave(&call, cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return call_leave(&call, cudaSuccess);
}

/* ---- limits and preferences ---- */

static bool known_limit(enum cudaLimit limit, uint32_t *which)
{
    switch (limit) {
    case cudaLimitStackSize:
        *which = DEVICE_LIMIT_STACK;
        return true;
    case cudaLimitPrintfFifoSize:
        *which = DEVICE_LIMIT_PRINTF;
        return true;
    case cudaLimitMallocHeapSize:
        *which = DEVICE_LIMIT_HEAP;
        return true;
    case cudaLimitDevRuntimePendingLaunchCount:
        *which = DEVICE_LIMIT_PENDING;
        return true;
    default:
        return false;
    }
}

/* Hints about the second-level cache are kept and given back; NULL: the limit is none of these. */
static size_t *cache_limit(enum cudaLimit limit)
{
    int device = thread_state()->device;
    return limit == cudaLimitPersistingL2CacheSize   ? &facade()->persisting_l2[device]
           : limit == cudaLimitMaxL2FetchGranularity ? &facade()->fetch_bytes[device]
                                                     : NULL;
}

enum { FETCH_BYTES_USUAL = 64, FETCH_BYTES_MAX = 128 };

static cudaError_t set_cache_limit(Call *call, enum cudaLimit limit, size_t value)
{
    DeviceInfo info = {0};
    DeviceMsg msg = {.op = OP_DEVICE_INFO, .out = {.data = &info, .bytes = sizeof info}};
    cudaError_t error = call_send(call, &msg, NULL);
    if (error != cudaSuccess)
        return error;
    if (info.major < 8)
        return cudaErrorUnsupportedLimit;
    bool fetch = limit == cudaLimitMaxL2FetchGranularity;
    if (value > (fetch ? FETCH_BYTES_MAX : info.l2_bytes / 8 * 5))
        return cudaErrorInvalidValue;
    *cache_limit(limit) = value + fetch;
    return cudaSuccess;
}

static cudaError_t get_cache_limit(enum cudaLimit limit, size_t *value)
{
    size_t kept = *cache_limit(limit);
    bool fetch = limit == cudaLimitMaxL2FetchGranularity;
    *value = !fetch ? kept : kept == 0 ? FETCH_BYTES_USUAL : kept - 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    DeviceMsg msg = {.op = OP_LIMIT_SET, .limit.value = value};
    ENTER(API_cudaDeviceSetLimit);
    if (cache_limit(limit))
        return call_leave(&call, set_cache_limit(&call, limit, value));
    if (!known_limit(limit, &msg.limit.which))
        return call_leave(&call, cudaErrorInvalidValue);
    return call_leave(&call, call_send(&call, &msg, NULL));
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_LIMIT_GET};
    ENTER(API_cudaDeviceGetLimit);
    if (value && cache_limit(limit))
        return call_leave(&call, get_cache_limit(limit, value));
    if (!value || !known_limit(limit, &msg.limit.which))
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = call_send(&call, &msg, &reply);
    *value = reply.value;
    return call_leave(&call, error);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    ENTER(API_cudaDeviceGetCacheConfig);
    if (!config)
        return call_leave(&call, cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    ENTER(API_cudaDeviceGetSharedMemConfig);
    if (!config)
        return call_leave(&call, cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return call_leave(&call, cudaSuccess);
}

/* ---- peers ---- */

static cudaError_t send_peer(Call *call, int device, int peer, int what, uint64_t *value)
{
    DeviceReply reply;
    DeviceMsg msg = {.op = OP_PEER};
    msg.peer.peer = facade()->visible[peer];
    msg.peer.what = what;
    cudaError_t error = call_send_to(call, facade()->visible[device], &msg, &reply);
    *value = reply.value;
    return error;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    uint64_t value = 0;
    ENTER_QUERY(API_cudaDeviceCanAccessPeer);
    if (!valid_device(device) || !valid_device(peer))
        return call_leave(&call, cudaErrorInvalidDevice);
    if (!can)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = send_peer(&call, device, peer, PEER_QUERY, &value);
    *can = value != 0;
    return call_leave(&call, error);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    uint64_t value;
    ENTER(API_cudaDeviceEnablePeerAccess);
    if (flags != 0)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!valid_device(peer))
        return call_leave(&call, cudaErrorInvalidDevice);
    return call_leave(&call, send_peer(&call, thread_state()->device, peer, PEER_ENABLE, &value));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    uint64_t value;
    ENTER(API_cudaDeviceDisablePeerAccess);
    if (!valid_device(peer))
        return call_leave(&call, cudaErrorInvalidDevice);
    return call_leave(&call, send_peer(&call, thread_state()->device, peer, PEER_DISABLE, &value));
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
    ENTER(API_cudaDeviceGetP2PAttribute);
    if (!value)
        return call_leave(&call, cudaErrorInvalidValue);
    if (!valid_device(from) || !valid_device(to) || from == to)
        return call_leave(&call, cudaErrorInvalidDevice);
    *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
    return call_leave(&call, cudaSuccess);
}
