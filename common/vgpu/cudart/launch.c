/* launch: the ways to start a kernel. */
#include "common/vgpu/cudart/cudart_internal.h"
#include "common/vgpu/cudart/refused.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                      cudaStream_t stream);
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *kernel, void **args);

/* ---- kernel<<<grid, block, shared, stream>>> ---- */

/* The compiler's code calls this with the student's launch line as its caller; what follows comes from
 * generated functions. */
EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    Thread *t = thread_state();
    if (t->n_configs == CONFIGS_MAX)
        return 1;
    Facade *f = facade();
    pthread_mutex_lock(&f->lock);
    uint64_t site = facade_start() == cudaSuccess ? site_here() : 0;
    pthread_mutex_unlock(&f->lock);
    t->configs[t->n_configs++] =
        (LaunchConfig){.grid = grid, .block = block, .shared = shared, .stream = stream, .site = site};
    return 0;
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    Thread *t = thread_state();
    if (t->n_configs == 0)
        return cudaErrorMissingConfiguration;
    const LaunchConfig *c = &t->configs[--t->n_configs];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    memcpy(stream, &c->stream, sizeof c->stream);
    t->launch_site = c->site;
    t->popped = true;
    return cudaSuccess;
}

/* Only a handle: whether there is code for the device shows at the launch, as with hardware. */
EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    pthread_mutex_lock(&facade()->lock);
    *kernel = (cudaKernel_t)kernel_of(host);
    pthread_mutex_unlock(&facade()->lock);
    return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

/* ---- launching ---- */

/* The parameter buffer of a launch: each argument at its place. NULL arguments leave zeros. */
static uint8_t *pack_params(const Kernel *k, void **args)
{
    uint8_t *buffer = calloc(1, k->param_bytes + 1);
    for (uint32_t i = 0; i < k->n_params && buffer && args; i++)
        if (args[i] && k->params[i].offset + k->params[i].bytes <= k->param_bytes)
            memcpy(buffer + k->params[i].offset, args[i], k->params[i].bytes);
    return buffer;
}

/* The limits of all cards ("Technical Specifications per Compute Capability", CUDA C++ Programming Guide). */
enum { BLOCK_THREADS_MAX = 1024, BLOCK_Z_MAX = 64, GRID_YZ_MAX = 65535, GRID_X_MAX = INT32_MAX };

/* Notes which limit a refused launch is beyond, if it is one of these. */
static void note_limit(Call *call, dim3 grid, dim3 block)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    const struct {
        uint64_t n, max;
        const char *what;
    } limits[] = {{threads, BLOCK_THREADS_MAX, "threads a block"}, {block.z, BLOCK_Z_MAX, "threads a block in z"},
                  {grid.x, GRID_X_MAX, "blocks in x"},            {grid.y, GRID_YZ_MAX, "blocks in y"},
                  {grid.z, GRID_YZ_MAX, "blocks in z"}};
    StrBuf text = {0};
    for (size_t i = 0; i < sizeof limits / sizeof *limits && text.length == 0; i++) {
        if (limits[i].n > limits[i].max) {
            strbuf_grouped(&text, limits[i].n);
            strbuf_printf(&text, " %s; ", limits[i].what);
            strbuf_grouped(&text, limits[i].max);
            strbuf_puts(&text, " is the limit");
        } else if (limits[i].n == 0) {
            strbuf_printf(&text, "0 %s; there must be one at least", limits[i].what);
        }
    }
    if (text.length > 0 && !text.failed)
        snprintf(call->why, sizeof call->why, "%s", text.text);
    strbuf_free(&text);
}

static void note_shared(Call *call, uint64_t bytes, uint64_t allowed)
{
    StrBuf text = {0};
    strbuf_grouped(&text, bytes);
    strbuf_puts(&text, " bytes of dynamic shared memory; the kernel may have ");
    strbuf_grouped(&text, allowed);
    if (!text.failed)
        snprintf(call->why, sizeof call->why, "%s", text.text);
    strbuf_free(&text);
}

cudaError_t launch_kernel(Call *call, const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t handle, bool cooperative)
{
    uint32_t stream, device, function;
    DeviceReply reply;
    cudaError_t error = call_send(call, &(DeviceMsg){.op = OP_DEVICE_ERROR}, &reply);
    if (error != cudaSuccess)
        return error;
    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    Kernel *k = kernel_of(kernel);
    if (!k || !stream_of(call, handle, &stream, &device) ||
        !stream_fits(call, handle, call_device(), "a launch on"))
        return cudaErrorInvalidResourceHandle;
    error = kernel_load(call, k, &function);
    if (error != cudaSuccess)
        return error;
    call->kernel = k;
    uint8_t *params = pack_params(k, args);
    if (!params)
        return cudaErrorMemoryAllocation;
    DeviceMsg msg = {.op = OP_LAUNCH, .stream = stream, .in = {.data = params, .bytes = k->param_bytes}};
    msg.launch = (DeviceLaunchMsg){.function = function,
                                   .grid = {grid.x, grid.y, grid.z},
                                   .block = {block.x, block.y, block.z},
                                   .dynamic_shared = shared,
                                   .cooperative = cooperative};
    error = call_send(call, &msg, &reply);
    if (error == cudaErrorInvalidValue && reply.value2 == 1)
        note_shared(call, shared, reply.value);
    progress_watch();
    free(params);
    return error;
}

/* A launch in clusters of more than one block, by its attributes or by the kernel's own. */
static void say_clusters(Call *call)
{
    snprintf(call->why, sizeof call->why, "the virtual GPU has no clusters of more than one block");
    api_say_refused(call->api == API___cudaLaunchKernel ? "cudaLaunchKernel" : api_name(call->api), " in clusters of more than one block");
}

/* What took a configuration back just before is code that the compiler made of <<<>>>: nvcc's calls
 * __cudaLaunchKernel, clang's cudaLaunchKernel. Its launch line is where the configuration was pushed. */
static cudaError_t enter_and_launch(Api api, const void *kernel, dim3 grid, dim3 block, void **args,
                                    size_t shared, cudaStream_t stream, bool cooperative)
{
    Thread *t = thread_state();
    bool by_brackets = t->popped && !cooperative;
    t->popped = false;
    if (by_brackets && api == API_cudaLaunchKernel)
        api = API___cudaLaunchKernel;
    Call call;
    bool enters = call_enter(&call, api);
    call.site = by_brackets ? t->launch_site : 0; /* of one that is made to fail, too */
    if (!enters)
        return call_leave(&call, call.error);
    call_site(&call);
    cudaError_t error = launch_kernel(&call, kernel, grid, block, args, shared, stream, cooperative);
    if (error != cudaSuccess && by_brackets)
        t->failed_launch = call.site;
    if (error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue)
        note_limit(&call, grid, block);
    if (error == cudaErrorNotSupported)
        say_clusters(&call);
    return call_leave(&call, error);
}

#define LAUNCH(name, Kernel, cooperative)                                                                    \
    WITH_STREAM(name,                                                                                        \
                (Kernel kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),     \
                enter_and_launch(api, kernel, grid, block, args, shared, stream, cooperative))
LAUNCH(__cudaLaunchKernel, cudaKernel_t, false)
LAUNCH(cudaLaunchKernel, const void *, false)
LAUNCH(cudaLaunchCooperativeKernel, const void *, true)

/* ---- launches with attributes ---- */

/* What the attributes ask for. False: one that is not supported here and changes the result. */
static bool read_attributes(const cudaLaunchConfig_t *config, bool *cooperative)
{
    *cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        switch (a->id) {
        case cudaLaunchAttributeCooperative:
            *cooperative = a->val.cooperative != 0;
            break;
        case cudaLaunchAttributeClusterDimension:
            if (a->val.clusterDim.x * a->val.clusterDim.y * a->val.clusterDim.z > 1)
                return false;
            break;
        default: /* hints: cache policy, priority, early start of dependent launches */
            break;
        }
    }
    return true;
}

static cudaError_t launch_ex(Api api, const cudaLaunchConfig_t *config, const void *kernel, void **args,
                             bool ptsz)
{
    bool cooperative;
    if (!config || !read_attributes(config, &cooperative)) {
        ENTER(api);
        call_site(&call);
        if (config)
            say_clusters(&call);
        return call_leave(&call, config ? cudaErrorNotSupported : cudaErrorInvalidValue);
    }
    cudaStream_t stream = ptsz ? per_thread(config->stream) : config->stream;
    return enter_and_launch(api, kernel, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                            stream, cooperative);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **args)
{
    return launch_ex(API_cudaLaunchKernelExC, config, kernel, args, false);
}

EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *kernel, void **args)
{
    return launch_ex(API_cudaLaunchKernelExC_ptsz, config, kernel, args, true);
}
