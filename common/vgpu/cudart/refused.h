/* refused: what the generated entry points of refused.c do. */
#ifndef COMMON_VGPU_CUDART_REFUSED_H
#define COMMON_VGPU_CUDART_REFUSED_H

/* cudaErrorNotSupported; says so on standard error the first time for each name. */
int api_refuse(const char *name);
/* Says so, once; with the lock held. where: "", or under which circumstances. */
void api_say_refused(const char *name, const char *where);
/* cudaSuccess. */
int api_accept(void);

#endif
