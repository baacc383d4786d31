/* refused: what the generated entry points of refused.c do. */
#ifndef COMMON_VGPU_CUDART_REFUSED_H
#define COMMON_VGPU_CUDART_REFUSED_H

/* cudaErrorNotSupported; says so on standard error the first time for each name. */
int api_refuse(const char *name);
/* cudaSuccess. */
int api_accept(void);

#endif
