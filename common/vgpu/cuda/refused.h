/* refused: what the generated entry points of refused.c do. The result is a CUresult. */
#ifndef COMMON_VGPU_CUDA_REFUSED_H
#define COMMON_VGPU_CUDA_REFUSED_H

/* CUDA_ERROR_NOT_SUPPORTED; says so on standard error the first time for each name. */
enum cudaError_enum api_refuse(const char *name);
/* CUDA_SUCCESS. */
enum cudaError_enum api_accept(void);

typedef int ApiFunction(void);

/* Every entry point, in the order of api.def. */
extern ApiFunction *const api_functions[];

#endif
