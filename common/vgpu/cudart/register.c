/* register: what the code that nvcc adds to a program tells the runtime before main runs.
 *
 * Registration only takes notes. A fat binary becomes a module on a device when something of it is used there
 * first: so a program whose image fits no device still starts, and gets its error where hardware gives it.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdlib.h>
#include <string.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t bytes,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t bytes, int constant, int global);
char __cudaInitModule(void **handle);

/* ---- registering ---- */

EXPORT void **__cudaRegisterFatBinary(void *wrapper)
{
    FatBinary *fat = calloc(1, sizeof *fat);
    if (!fat)
        return NULL;
    Facade *f = facade();
    pthread_mutex_lock(&f->lock);
    fat->wrapper = wrapper;
    fat->next = f->fats;
    f->fats = fat;
    pthread_mutex_unlock(&f->lock);
    return (void **)fat;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Its kernels and variables can no longer be named; work that is queued keeps the module. */
EXPORT void __cudaUnregisterFatBinary(void **handle)
{
    FatBinary *fat = (FatBinary *)handle;
    if (fat)
        fat->ended = true;
}

Kernel *kernel_add(FatBinary *fat, const void *host, const char *name)
{
    Kernel *k = calloc(1, sizeof *k);
    char *copy = strdup(name);
    if (!k || !copy) {
        free(k);
        free(copy);
        return NULL;
    }
    k->fat = fat;
    k->host = host;
    k->name = copy;
    k->next = fat->kernels;
    fat->kernels = k;
    return k;
}

void kernel_free(Kernel *k)
{
    free(k->name);
    free(k->params);
    free(k);
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                                   int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    FatBinary *fat = (FatBinary *)handle;
    if (!fat)
        return;
    pthread_mutex_lock(&facade()->lock);
    kernel_add(fat, host, name);
    pthread_mutex_unlock(&facade()->lock);
}

static void add_variable(FatBinary *fat, void *host, const char *name, size_t bytes, bool constant,
                         bool managed)
{
    Variable *v = fat ? calloc(1, sizeof *v) : NULL;
    if (!v)
        return;
    v->fat = fat;
    v->host = host;
    v->name = strdup(name);
    if (!v->name) {
        free(v);
        return;
    }
    v->bytes = bytes;
    v->constant = constant;
    v->managed = managed;
    pthread_mutex_lock(&facade()->lock);
    v->next = fat->variables;
    fat->variables = v;
    pthread_mutex_unlock(&facade()->lock);
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t bytes, int constant, int global)
{
    (void)device, (void)ext, (void)global;
    add_variable((FatBinary *)handle, host, name, bytes, constant != 0, false);
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                                     size_t bytes, int constant, int global)
{
    (void)device, (void)ext, (void)global;
    add_variable((FatBinary *)handle, host, name, bytes, constant != 0, true);
}

/* ---- finding ---- */

Kernel *kernel_of(const void *host_or_handle)
{
    for (FatBinary *fat = facade()->fats; fat; fat = fat->next)
        for (Kernel *k = fat->kernels; k && !fat->ended; k = k->next)
            if (k->host == host_or_handle || (const void *)k == host_or_handle)
                return k;
    return NULL;
}

Variable *variable_of(const void *host)
{
    for (FatBinary *fat = facade()->fats; fat; fat = fat->next)
        for (Variable *v = fat->variables; v && !fat->ended; v = v->next)
            if (v->managed ? *(void **)v->host == host && host : v->host == host)
                return v;
    return NULL;
}

/* ---- loading ---- */

/* The PTX of every container that has any for this device. */
static cudaError_t collect_texts(const FatBinary *fat, uint32_t arch, ImageTexts *texts)
{
    const void **containers = calloc(FATBIN_IMAGES_MAX, sizeof *containers);
    uint32_t n_containers = 0, highest_seen = 0;
    Diag diag = {0};
    if (!containers)
        return cudaErrorMemoryAllocation;
    Status st = fatbin_containers(fat->wrapper, containers, FATBIN_IMAGES_MAX, &n_containers, &diag);
    for (uint32_t i = 0; i < n_containers && (st == STATUS_OK || st == STATUS_NOT_FOUND); i++)
        st = image_extract(containers[i], CONTAINER_BYTES_MAX, arch, texts, &highest_seen, &diag);
    free(containers);
    if (st != STATUS_OK && st != STATUS_NOT_FOUND) {
        facade_say("%s", diag.message);
        return st == STATUS_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidKernelImage;
    }
    if (texts->n > 0)
        return cudaSuccess;
    if (highest_seen > 0) {
        image_has_no_code("program", highest_seen, arch, &diag);
        facade_say("%s", diag.message);
    }
    return cudaErrorNoKernelImageForDevice;
}

cudaError_t texts_load(Call *call, const ImageTexts *texts, ModuleUse use, uint32_t *module, Diag *diag)
{
    StrBuf all = {0};
    uint64_t *lengths = calloc(texts->n + 1, sizeof *lengths);
    for (size_t i = 0; i < texts->n && lengths; i++) {
        strbuf_append(&all, texts->items[i].text, texts->items[i].length);
        lengths[i] = texts->items[i].length;
    }
    cudaError_t error = cudaErrorMemoryAllocation;
    DeviceReply reply = {0};
    if (lengths && !all.failed) {
        DeviceMsg msg = {.op = OP_MODULE_LOAD, .in = {.data = all.text, .bytes = all.length}};
        msg.module.n_images = (uint32_t)texts->n;
        msg.module.lengths = lengths;
        msg.module.use = (uint8_t)use;
        error = call_send(call, &msg, &reply);
        *module = (uint32_t)reply.value;
        if (diag)
            *diag = reply.diag;
        else if (error != cudaSuccess && reply.diag.message[0] != 0)
            facade_say("module cannot be loaded: %s (line %d of its PTX)", reply.diag.message,
                       reply.diag.line);
    }
    strbuf_free(&all);
    free(lengths);
    return error;
}

/* The program's own fat binary, for the current device. */
static cudaError_t load_registered(Call *call, FatBinary *fat, uint32_t *module)
{
    DeviceInfo info = {0};
    ImageTexts texts = {0};
    cudaError_t error = call_send(
        call, &(DeviceMsg){.op = OP_DEVICE_INFO, .out = {.data = &info, .bytes = sizeof info}}, NULL);
    if (error == cudaSuccess)
        error = collect_texts(fat, info.newest_target, &texts);
    if (error == cudaSuccess)
        error = texts_load(call, &texts, MODULE_OF_PROGRAM, module, NULL);
    vgpu_texts_free(&texts);
    return error;
}

static cudaError_t load_fat(Call *call, FatBinary *fat, uint32_t *module)
{
    Loaded *on = &fat->on[call_device()];
    if (!on->tried && fat->origin == FAT_MODULE) /* loaded on its device when it was made */
        return cudaErrorInvalidResourceHandle;
    if (!on->tried) {
        on->error = fat->origin == FAT_LIBRARY ? texts_load(call, &fat->texts, MODULE_OWNED, &on->id, NULL)
                                               : load_registered(call, fat, &on->id);
        on->tried = true;
    }
    *module = on->id;
    return on->error;
}

static cudaError_t load_params(Call *call, Kernel *k, uint32_t function, const DeviceFunctionInfo *info)
{
    if (k->params)
        return cudaSuccess;
    k->params = calloc(info->n_params + 1, sizeof *k->params);
    if (!k->params)
        return cudaErrorMemoryAllocation;
    k->n_params = info->n_params;
    k->param_bytes = info->param_bytes;
    DeviceMsg msg = {.op = OP_FUNCTION_PARAMS,
                     .out = {.data = k->params, .bytes = info->n_params * sizeof *k->params}};
    msg.function.id = function;
    return call_send(call, &msg, NULL);
}

cudaError_t kernel_load(Call *call, Kernel *k, uint32_t *function)
{
    Loaded *on = &k->on[call_device()];
    if (!on->tried) {
        uint32_t module;
        on->error = load_fat(call, k->fat, &module);
        DeviceFunctionInfo info = {0};
        if (on->error == cudaSuccess) {
            DeviceReply reply;
            DeviceMsg msg = {.op = OP_FUNCTION_FIND,
                             .in = {.data = k->name, .bytes = strlen(k->name)},
                             .out = {.data = &info, .bytes = sizeof info}};
            msg.module.id = module;
            on->error = call_send(call, &msg, &reply);
            on->id = (uint32_t)reply.value;
        }
        if (on->error == cudaSuccess)
            on->error = load_params(call, k, on->id, &info);
        on->tried = true;
    }
    *function = on->id;
    return on->error;
}

cudaError_t variable_load(Call *call, Variable *v, uint64_t *address)
{
    Loaded *on = &v->on[call_device()];
    if (!on->tried) {
        uint32_t module;
        on->error = load_fat(call, v->fat, &module);
        if (on->error == cudaSuccess) {
            DeviceReply reply;
            DeviceMsg msg = {.op = OP_VARIABLE_FIND, .in = {.data = v->name, .bytes = strlen(v->name)}};
            msg.module.id = module;
            on->error = call_send(call, &msg, &reply);
            on->address = reply.value;
            on->bytes = reply.value2;
        }
        on->tried = true;
    }
    *address = on->address;
    return on->error;
}

/* The program touches a managed variable on the host: its pointers are set now. */
EXPORT char __cudaInitModule(void **handle)
{
    FatBinary *fat = (FatBinary *)handle;
    Call call;
    if (!fat || !call_enter(&call, API___cudaInitModule)) {
        call_leave(&call, cudaSuccess);
        return 0;
    }
    cudaError_t error = cudaSuccess;
    for (Variable *v = fat->variables; v && error == cudaSuccess; v = v->next) {
        uint64_t address;
        if (!v->managed)
            continue;
        error = variable_load(&call, v, &address);
        if (error == cudaSuccess) {
            *(void **)v->host = (void *)(uintptr_t)address;
            facade()->shares_memory = true;
        }
    }
    call_leave(&call, error);
    return error == cudaSuccess;
}

void registered_forget(uint32_t device)
{
    for (FatBinary *fat = facade()->fats; fat; fat = fat->next) {
        fat->ended = fat->ended || (fat->origin == FAT_MODULE && fat->device == device);
        fat->on[device] = (Loaded){0};
        for (Kernel *k = fat->kernels; k; k = k->next)
            k->on[device] = (Loaded){0};
        for (Variable *v = fat->variables; v; v = v->next)
            v->on[device] = (Loaded){0};
    }
}
