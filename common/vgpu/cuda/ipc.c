/* ipc: memory and events of another process: the runtime's (cudart/ipc.c). */
#include "common/vgpu/cuda/cuda_internal.h"

#include <string.h>

_Static_assert(sizeof(CUipcMemHandle) == sizeof(cudaIpcMemHandle_t), "both libraries read the same handle");

static CUresult open_memory(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)
{
    cudaIpcMemHandle_t same;
    void *p = NULL;
    memcpy(&same, &handle, sizeof same);
    CUresult result = address ? from_runtime(cudaIpcOpenMemHandle(&p, same, flags)) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *address = (CUdeviceptr)(uintptr_t)p;
    return result;
}

static CUresult open_event(CUevent *event, CUipcEventHandle handle)
{
    cudaIpcEventHandle_t same;
    memcpy(&same, &handle, sizeof same);
    return from_runtime(cudaIpcOpenEventHandle(event, same));
}

DEFINE(cuIpcGetMemHandle, NEEDS_CONTEXT, (CUipcMemHandle * handle, CUdeviceptr address),
       from_runtime(cudaIpcGetMemHandle((cudaIpcMemHandle_t *)(void *)handle, to_pointer(address))))
DEFINE(cuIpcOpenMemHandle, NEEDS_CONTEXT, (CUdeviceptr * address, CUipcMemHandle handle, unsigned flags),
       open_memory(address, handle, flags))
DEFINE(cuIpcOpenMemHandle_v2, NEEDS_CONTEXT, (CUdeviceptr * address, CUipcMemHandle handle, unsigned flags),
       open_memory(address, handle, flags))
DEFINE(cuIpcCloseMemHandle, NEEDS_CONTEXT, (CUdeviceptr address), from_runtime(cudaIpcCloseMemHandle(to_pointer(address))))
DEFINE(cuIpcGetEventHandle, NEEDS_CONTEXT, (CUipcEventHandle * handle, CUevent event),
       from_runtime(cudaIpcGetEventHandle((cudaIpcEventHandle_t *)(void *)handle, event)))
DEFINE(cuIpcOpenEventHandle, NEEDS_CONTEXT, (CUevent * event, CUipcEventHandle handle), open_event(event, handle))
