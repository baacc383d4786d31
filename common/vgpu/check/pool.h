/* Pool: memory given out piece by piece and taken back all at once, without giving it back to the host.
 *
 * For shadow memory: a launch takes megabytes of it, and the next launch takes the same again. pool_alloc
 * leaves the bytes as they are; pool_reset makes all of it free again; pool_free returns it. A limit keeps a
 * huge launch from taking all of the host's memory.
 */
#ifndef COMMON_VGPU_CHECK_POOL_H
#define COMMON_VGPU_CHECK_POOL_H

#include <stddef.h>

typedef struct Pool {
    struct PoolBlock *first, *current;
    size_t used;  /* in current */
    size_t taken; /* bytes held from the host */
    size_t limit; /* of taken; 0: none */
} Pool;

/* `size` bytes aligned to 16, not zeroed; NULL at the limit or when the host has none. */
void *pool_alloc(Pool *p, size_t size);
void *pool_zalloc(Pool *p, size_t size);
void pool_reset(Pool *p);
/* p holds what `other` held, too, until it is reset or freed; other is empty then. */
void pool_join(Pool *p, Pool *other);
void pool_free(Pool *p);

#endif
