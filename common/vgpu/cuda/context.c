/* context: contexts, the stack of them that each thread has, and devices' primary contexts.
 *
 * All contexts of a device share its memory here: a pointer of one is a pointer of the other. So a context is
 * a name, a device and flags; what it stands for is set free when the last one of its device goes and the
 * runtime does not use the device: then the device is reset, leaks are looked for, and modules end.
 *
 * The thread's context and the runtime's current device are two views of one thing. Both libraries change it:
 * whoever looks compares first (context_current).
 */
#include "common/vgpu/cuda/cuda_internal.h"

#include <pthread.h>
#include <stdlib.h>

enum { CONTEXT_STACK_MAX = 64 };

struct CUctx_st {
    CUdevice device;
    unsigned flags;
    bool primary, alive;
    unsigned n_retained; /* of a primary context */
    unsigned long long id;
    struct CUctx_st *next;
};

typedef struct Contexts {
    pthread_mutex_t lock;
    struct CUctx_st primary[DEVICES_MAX];
    struct CUctx_st *made; /* never forgotten before the end: a stale handle is told from a wrong one */
    unsigned long long last_id;
} Contexts;

static Contexts contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct Stack {
    CUcontext items[CONTEXT_STACK_MAX];
    int n;
} Stack;

static Stack *stack(void)
{
    static _Thread_local Stack mine;
    return &mine;
}

__attribute__((destructor)) static void forget_contexts(void)
{
    while (contexts.made) {
        CUcontext c = contexts.made;
        contexts.made = c->next;
        free(c);
    }
}

/* ---- what a context is ---- */

bool device_valid(CUdevice device)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess && device >= 0 && device < n;
}

int context_device(CUcontext context)
{
    return context->device;
}

static CUcontext primary_of(CUdevice device)
{
    CUcontext c = &contexts.primary[device];
    pthread_mutex_lock(&contexts.lock);
    c->primary = true;
    c->device = device;
    if (c->id == 0)
        c->id = ++contexts.last_id;
    pthread_mutex_unlock(&contexts.lock);
    return c;
}

static bool is_active(CUcontext primary)
{
    return primary->n_retained > 0 || vgpu_primary_used(primary->device);
}

static bool is_known_context(CUcontext context)
{
    if (context >= contexts.primary && context < contexts.primary + DEVICES_MAX)
        return context->id != 0;
    pthread_mutex_lock(&contexts.lock);
    CUcontext c = contexts.made;
    while (c && c != context)
        c = c->next;
    pthread_mutex_unlock(&contexts.lock);
    return c != NULL;
}

CUresult context_check(CUcontext context)
{
    if (!context || !is_known_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    bool alive = context->primary ? is_active(context) : context->alive;
    return alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* ---- the thread's stack ---- */

static void bind_top(void)
{
    const Stack *s = stack();
    ThreadContext now;
    int device = vgpu_thread_device(&now);
    if (s->n == 0)
        vgpu_thread_bind(device, CONTEXT_NONE);
    else
        vgpu_thread_bind(s->items[s->n - 1]->device,
                         s->items[s->n - 1]->primary ? CONTEXT_PRIMARY : CONTEXT_MADE);
}

/* The runtime may have chosen another device, or made the first context, since we looked last. */
CUcontext context_current(void)
{
    Stack *s = stack();
    ThreadContext now;
    int device = vgpu_thread_device(&now);
    CUcontext top = s->n == 0 ? NULL : s->items[s->n - 1];
    if (now == CONTEXT_PRIMARY && (!top || !top->primary || top->device != device)) {
        s->n = top ? s->n : 1;
        s->items[s->n - 1] = primary_of(device);
    }
    return s->n == 0 ? NULL : s->items[s->n - 1];
}

static CUresult push(CUcontext context)
{
    Stack *s = stack();
    context_current();
    if (s->n == CONTEXT_STACK_MAX)
        return CUDA_ERROR_OUT_OF_MEMORY;
    s->items[s->n++] = context;
    bind_top();
    return CUDA_SUCCESS;
}

static CUresult pop(CUcontext *out)
{
    Stack *s = stack();
    CUcontext top = context_current();
    if (!top)
        return CUDA_ERROR_INVALID_CONTEXT;
    s->n--;
    bind_top();
    if (out)
        *out = top;
    return CUDA_SUCCESS;
}

static CUresult push_checked(CUcontext context)
{
    CUresult result = context_check(context);
    return result == CUDA_SUCCESS ? push(context) : result;
}

static CUresult set_current(CUcontext context)
{
    Stack *s = stack();
    if (!context) {
        pop(NULL);
        return CUDA_SUCCESS;
    }
    CUresult result = context_check(context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!context_current())
        return push(context);
    s->items[s->n - 1] = context;
    bind_top();
    return CUDA_SUCCESS;
}

static CUresult get_current(CUcontext *out)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = context_current();
    return CUDA_SUCCESS;
}

DEFINE(cuCtxPushCurrent_v2, NEEDS_INIT, (CUcontext c), push_checked(c))
DEFINE(cuCtxPopCurrent_v2, NEEDS_INIT, (CUcontext * out), pop(out))
DEFINE(cuCtxSetCurrent, NEEDS_INIT, (CUcontext c), set_current(c))
DEFINE(cuCtxGetCurrent, NEEDS_INIT, (CUcontext * out), get_current(out))

/* ---- the end of a device's last context ---- */

static bool in_use(CUdevice device)
{
    bool used = is_active(&contexts.primary[device]);
    pthread_mutex_lock(&contexts.lock);
    for (CUcontext c = contexts.made; c; c = c->next)
        used = used || (c->alive && c->device == device);
    pthread_mutex_unlock(&contexts.lock);
    return used;
}

static CUresult reset(CUdevice device)
{
    ThreadContext before;
    int device_before = vgpu_thread_device(&before);
    vgpu_thread_bind(device, before);
    CUresult result = from_runtime(cudaDeviceReset());
    vgpu_thread_bind(device_before, before);
    return result;
}

static CUresult end_device(CUdevice device)
{
    return in_use(device) ? CUDA_SUCCESS : reset(device);
}

/* ---- contexts that the program makes ---- */

static CUresult create(CUcontext *out, unsigned flags, CUdevice device, bool plain)
{
    if (!out || (flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!plain)
        return CUDA_ERROR_NOT_SUPPORTED;
    CUcontext c = calloc(1, sizeof *c);
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = push(c);
    if (result != CUDA_SUCCESS) {
        free(c);
        return result;
    }
    pthread_mutex_lock(&contexts.lock);
    *c = (struct CUctx_st){
        .device = device, .flags = flags, .alive = true, .id = ++contexts.last_id, .next = contexts.made};
    contexts.made = c;
    pthread_mutex_unlock(&contexts.lock);
    bind_top();
    *out = c;
    return CUDA_SUCCESS;
}

static bool no_parameters(const CUctxCreateParams *p)
{
    return !p || (p->numExecAffinityParams == 0 && !p->cigParams);
}

static CUresult destroy(CUcontext context)
{
    CUresult result = context_check(context);
    if (result != CUDA_SUCCESS)
        return result;
    if (context->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context_current() == context)
        pop(NULL);
    context->alive = false;
    return end_device(context->device);
}

DEFINE(cuCtxCreate_v2, NEEDS_INIT, (CUcontext * out, unsigned flags, CUdevice device),
       create(out, flags, device, true))
DEFINE(cuCtxCreate_v3, NEEDS_INIT,
       (CUcontext * out, CUexecAffinityParam *params, int n, unsigned flags, CUdevice device),
       create(out, flags, device, !params || n == 0))
DEFINE(cuCtxCreate_v4, NEEDS_INIT,
       (CUcontext * out, CUctxCreateParams *params, unsigned flags, CUdevice device),
       create(out, flags, device, no_parameters(params)))
DEFINE(cuCtxDestroy_v2, NEEDS_INIT, (CUcontext c), destroy(c))

/* ---- primary contexts ---- */

static CUresult retain(CUcontext *out, CUdevice device)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *out = primary_of(device);
    (*out)->n_retained++;
    return CUDA_SUCCESS;
}

static CUresult release_primary(CUdevice device)
{
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    CUcontext c = primary_of(device);
    if (c->n_retained == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    c->n_retained--;
    return end_device(device);
}

static CUresult reset_primary(CUdevice device)
{
    return device_valid(device) ? reset(device) : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult set_primary_flags(CUdevice device, unsigned flags)
{
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    if ((flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    primary_of(device)->flags = flags;
    return CUDA_SUCCESS;
}

static CUresult primary_state(CUdevice device, unsigned *flags, int *active)
{
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_valid(device))
        return CUDA_ERROR_INVALID_DEVICE;
    CUcontext c = primary_of(device);
    *flags = c->flags;
    *active = is_active(c);
    return CUDA_SUCCESS;
}

DEFINE(cuDevicePrimaryCtxRetain, NEEDS_INIT, (CUcontext * out, CUdevice device), retain(out, device))
DEFINE(cuDevicePrimaryCtxRelease, NEEDS_INIT, (CUdevice device), release_primary(device))
DEFINE(cuDevicePrimaryCtxRelease_v2, NEEDS_INIT, (CUdevice device), release_primary(device))
DEFINE(cuDevicePrimaryCtxReset, NEEDS_INIT, (CUdevice device), reset_primary(device))
DEFINE(cuDevicePrimaryCtxReset_v2, NEEDS_INIT, (CUdevice device), reset_primary(device))
DEFINE(cuDevicePrimaryCtxSetFlags, NEEDS_INIT, (CUdevice device, unsigned flags),
       set_primary_flags(device, flags))
DEFINE(cuDevicePrimaryCtxSetFlags_v2, NEEDS_INIT, (CUdevice device, unsigned flags),
       set_primary_flags(device, flags))
DEFINE(cuDevicePrimaryCtxGetState, NEEDS_INIT, (CUdevice device, unsigned *flags, int *active),
       primary_state(device, flags, active))

/* ---- asking about a context ---- */

static CUresult get_device(CUcontext context, CUdevice *out)
{
    CUresult result = context_check(context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = context->device;
    return CUDA_SUCCESS;
}

static CUresult get_flags(unsigned *out)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = context_current()->flags | CU_CTX_MAP_HOST;
    return CUDA_SUCCESS;
}

static CUresult set_flags(unsigned flags)
{
    if ((flags & ~(unsigned)CU_CTX_FLAGS_MASK) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    context_current()->flags = flags;
    return CUDA_SUCCESS;
}

static CUresult get_id(CUcontext context, unsigned long long *out)
{
    CUresult result = context_check(context ? context : context_current());
    if (result != CUDA_SUCCESS)
        return result;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (context ? context : context_current())->id;
    return CUDA_SUCCESS;
}

static CUresult get_version(CUcontext context, unsigned *out)
{
    CUresult result = context_check(context ? context : context_current());
    if (result != CUDA_SUCCESS)
        return result;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = 3020; /* what every context since CUDA 3.2 says */
    return CUDA_SUCCESS;
}

static CUresult synchronize(CUcontext context)
{
    ThreadContext before;
    int device = vgpu_thread_device(&before);
    CUresult result = context_check(context);
    if (result != CUDA_SUCCESS)
        return result;
    vgpu_thread_bind(context->device, before);
    result = from_runtime(cudaDeviceSynchronize());
    vgpu_thread_bind(device, before);
    return result;
}

static CUresult get_limit(size_t *value, CUlimit limit)
{
    return value ? from_runtime(cudaDeviceGetLimit(value, (enum cudaLimit)limit)) : CUDA_ERROR_INVALID_VALUE;
}

/* Banks of shared memory are four bytes wide on every supported card; asking for others is in vain. */
static CUresult get_banks(CUsharedconfig *out)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

DEFINE(cuCtxGetDevice, NEEDS_CONTEXT, (CUdevice * out), get_device(context_current(), out))
DEFINE(cuCtxGetDevice_v2, NEEDS_INIT, (CUdevice * out, CUcontext c),
       get_device(c ? c : context_current(), out))
DEFINE(cuCtxGetFlags, NEEDS_CONTEXT, (unsigned *out), get_flags(out))
DEFINE(cuCtxSetFlags, NEEDS_CONTEXT, (unsigned flags), set_flags(flags))
DEFINE(cuCtxGetId, NEEDS_INIT, (CUcontext c, unsigned long long *out), get_id(c, out))
DEFINE(cuCtxGetApiVersion, NEEDS_INIT, (CUcontext c, unsigned *out), get_version(c, out))
DEFINE(cuCtxSynchronize, NEEDS_CONTEXT, (void), synchronize(context_current()))
DEFINE(cuCtxSynchronize_v2, NEEDS_INIT, (CUcontext c), synchronize(c ? c : context_current()))
DEFINE(cuCtxGetLimit, NEEDS_CONTEXT, (size_t * value, CUlimit limit), get_limit(value, limit))
DEFINE(cuCtxSetLimit, NEEDS_CONTEXT, (CUlimit limit, size_t value),
       from_runtime(cudaDeviceSetLimit((enum cudaLimit)limit, value)))
DEFINE(cuCtxGetCacheConfig, NEEDS_CONTEXT, (CUfunc_cache * out),
       from_runtime(cudaDeviceGetCacheConfig((enum cudaFuncCache *)out)))
DEFINE(cuCtxSetCacheConfig, NEEDS_CONTEXT, (CUfunc_cache config),
       from_runtime(cudaDeviceSetCacheConfig((enum cudaFuncCache)config)))
DEFINE(cuCtxGetSharedMemConfig, NEEDS_CONTEXT, (CUsharedconfig * out), get_banks(out))
DEFINE(cuCtxSetSharedMemConfig, NEEDS_CONTEXT, (CUsharedconfig config), ((void)config, CUDA_SUCCESS))
DEFINE(cuCtxGetStreamPriorityRange, NEEDS_CONTEXT, (int *least, int *greatest),
       from_runtime(cudaDeviceGetStreamPriorityRange(least, greatest)))

/* ---- peers ---- */

static CUresult enable_peer(CUcontext peer, unsigned flags)
{
    CUresult result = context_check(peer);
    return result != CUDA_SUCCESS ? result : from_runtime(cudaDeviceEnablePeerAccess(peer->device, flags));
}

static CUresult disable_peer(CUcontext peer)
{
    CUresult result = context_check(peer);
    return result != CUDA_SUCCESS ? result : from_runtime(cudaDeviceDisablePeerAccess(peer->device));
}

DEFINE(cuCtxEnablePeerAccess, NEEDS_CONTEXT, (CUcontext peer, unsigned flags), enable_peer(peer, flags))
DEFINE(cuCtxDisablePeerAccess, NEEDS_CONTEXT, (CUcontext peer), disable_peer(peer))
