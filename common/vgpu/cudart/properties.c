/* properties: what a program can ask about a device. */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdio.h>
#include <string.h>

static cudaError_t get_info(Call *call, int device, DeviceInfo *out)
{
    if (device < 0 || device >= facade()->n_devices)
        return cudaErrorInvalidDevice;
    return call_send_to(call, facade()->visible[device],
                        &(DeviceMsg){.op = OP_DEVICE_INFO, .out = {.data = out, .bytes = sizeof *out}}, NULL);
}

/* The same for the program's question, of which the first about a device can be made to fail. */
static cudaError_t get_asked(Call *call, int device, DeviceInfo *out)
{
    Facade *f = facade();
    cudaError_t error = get_info(call, device, out);
    if (error != cudaSuccess || !f->fail_questions || f->asked[device] || f->is_driver || thread_state()->driver_call)
        return error;
    f->asked[device] = true;
    return call_must_fail(cudaErrorInvalidDevice) ? cudaErrorInvalidDevice : cudaSuccess;
}

static int bus_of(int device)
{
    return (int)facade()->visible[device] + 1;
}

/* Single-precision over double-precision throughput: the data-centre chips of 7.0 to 10.0 have half as many
 * double units. */
static int single_to_double(const DeviceInfo *i)
{
    bool data_centre = i->minor == 0 && i->major >= 7 && i->major <= 10;
    return data_centre ? 2 : 32;
}

static bool find_attribute(enum cudaDeviceAttr attribute, const DeviceInfo *i, int device, int *value)
{
    switch (attribute) {
#define X(name, expression)                                                                                  \
    case name:                                                                                               \
        *value = (int)(expression);                                                                          \
        return true;
#include "common/vgpu/cudart/attributes.def"
#undef X
    default:
        return false;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    DeviceInfo info = {0};
    ENTER_QUERY(API_cudaDeviceGetAttribute);
    if (!value)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = get_asked(&call, device, &info);
    if (error == cudaSuccess && !find_attribute(attribute, &info, device, value))
        error = cudaErrorInvalidValue;
    return call_leave(&call, error);
}

/* ---- cudaDeviceProp ---- */

static void fill_limits(struct cudaDeviceProp *p, const DeviceInfo *i)
{
    p->totalGlobalMem = i->memory_bytes;
    p->sharedMemPerBlock = i->shared_per_block;
    p->regsPerBlock = (int)i->regs_per_block;
    p->warpSize = 32;
    p->memPitch = 2147483647;
    p->maxThreadsPerBlock = (int)i->threads_per_block;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = DEVICE_BLOCK_XY_MAX;
    p->maxThreadsDim[2] = DEVICE_BLOCK_Z_MAX;
    p->maxGridSize[0] = DEVICE_GRID_X_MAX;
    p->maxGridSize[1] = p->maxGridSize[2] = DEVICE_GRID_YZ_MAX;
    p->totalConstMem = DEVICE_CONST_BYTES;
    p->multiProcessorCount = (int)i->n_sms;
    p->memoryBusWidth = (int)i->memory_bus_bits;
    p->l2CacheSize = (int)i->l2_bytes;
    p->persistingL2CacheMaxSize = i->major >= 8 ? (int)(i->l2_bytes / 8 * 5) : 0;
    p->accessPolicyMaxWindowSize = i->major >= 8 ? 128 << 20 : 0;
    p->maxThreadsPerMultiProcessor = (int)i->threads_per_sm;
    p->sharedMemPerMultiprocessor = i->shared_per_sm;
    p->regsPerMultiprocessor = (int)i->regs_per_sm;
    p->sharedMemPerBlockOptin = i->shared_per_block_optin;
    p->maxBlocksPerMultiProcessor = (int)i->blocks_per_sm;
    p->reservedSharedMemPerBlock = i->shared_reserved;
    p->asyncEngineCount = (int)i->copy_engines;
}

static void fill_features(struct cudaDeviceProp *p)
{
    p->textureAlignment = 512;
    p->texturePitchAlignment = 32;
    p->surfaceAlignment = 512;
    p->canMapHostMemory = 1;
    p->concurrentKernels = 1;
    p->unifiedAddressing = 1;
    p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = p->localL1CacheSupported = 1;
    p->managedMemory = 1;
    p->concurrentManagedAccess = 1;
    p->computePreemptionSupported = 1;
    p->canUseHostPointerForRegisteredMem = 1;
    p->cooperativeLaunch = 1;
    p->hostRegisterSupported = 1;
    p->hostRegisterReadOnlySupported = 1;
    p->memoryPoolsSupported = 1;
    p->unifiedFunctionPointers = 1;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    DeviceInfo info = {0};
    ENTER_QUERY(API_cudaGetDeviceProperties);
    if (!prop)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = get_asked(&call, device, &info);
    if (error != cudaSuccess)
        return call_leave(&call, error);
    *prop = (struct cudaDeviceProp){0};
    memcpy(prop->name, info.name, sizeof info.name);
    unsigned char uuid[16];
    visible_uuid(facade()->visible[device], uuid);
    memcpy(prop->uuid.bytes, uuid, sizeof uuid);
    prop->major = (int)info.major;
    prop->minor = (int)info.minor;
    prop->pciBusID = bus_of(device);
    fill_limits(prop, &info);
    fill_features(prop);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    ENTER_QUERY(API_cudaChooseDevice);
    if (!device || !prop)
        return call_leave(&call, cudaErrorInvalidValue);
    *device = 0; /* all virtual devices of a process are alike */
    return call_leave(&call, cudaSuccess);
}

/* ---- PCI names ---- */

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    ENTER_QUERY(API_cudaDeviceGetPCIBusId);
    if (!text || length < 13)
        return call_leave(&call, cudaErrorInvalidValue);
    if (device < 0 || device >= facade()->n_devices)
        return call_leave(&call, cudaErrorInvalidDevice);
    snprintf(text, (size_t)length, "0000:%02X:00.0", (unsigned)bus_of(device) & 0xFF);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    unsigned bus = 0;
    ENTER_QUERY(API_cudaDeviceGetByPCIBusId);
    if (!device || !text)
        return call_leave(&call, cudaErrorInvalidValue);
    if (sscanf(text, "0000:%x:00.0", &bus) != 1 && sscanf(text, "%x:00.0", &bus) != 1)
        return call_leave(&call, cudaErrorInvalidDevice);
    for (int i = 0; i < facade()->n_devices; i++)
        if ((unsigned)bus_of(i) == bus) {
            *device = i;
            return call_leave(&call, cudaSuccess);
        }
    return call_leave(&call, cudaErrorInvalidDevice);
}
