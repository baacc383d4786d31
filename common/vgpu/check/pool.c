/* Pool: see pool.h. A list of blocks; resetting starts again at the first. */
#include "common/vgpu/check/pool.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_BLOCK_BYTES = 256 * 1024, POOL_FIRST_BYTES = 4096 };

typedef struct PoolBlock {
    struct PoolBlock *next;
    size_t size;
    _Alignas(16) unsigned char bytes[];
} PoolBlock;

/* Puts a new block after the current one. */
static PoolBlock *add_block(Pool *p, size_t size)
{
    size_t bytes = p->first ? POOL_BLOCK_BYTES : POOL_FIRST_BYTES;
    if (bytes < size)
        bytes = size;
    if (p->limit && p->taken + bytes > p->limit)
        return NULL;
    PoolBlock *b = malloc(sizeof *b + bytes);
    if (!b)
        return NULL;
    b->size = bytes;
    p->taken += bytes;
    if (p->current) {
        b->next = p->current->next;
        p->current->next = b;
    } else {
        b->next = p->first;
        p->first = b;
    }
    return b;
}

void *pool_alloc(Pool *p, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (!p->current && p->first) {
        p->current = p->first;
        p->used = 0;
    }
    while (!p->current || p->current->size - p->used < size) {
        PoolBlock *next = p->current ? p->current->next : NULL;
        if (!next || next->size < size)
            next = add_block(p, size);
        if (!next)
            return NULL;
        p->current = next;
        p->used = 0;
    }
    void *at = p->current->bytes + p->used;
    p->used += size;
    return at;
}

void *pool_zalloc(Pool *p, size_t size)
{
    void *at = pool_alloc(p, size);
    if (at)
        memset(at, 0, size);
    return at;
}

void pool_reset(Pool *p)
{
    p->current = NULL;
    p->used = 0;
}

void pool_join(Pool *p, Pool *other)
{
    PoolBlock **end = &other->first;
    while (*end)
        end = &(*end)->next;
    *end = p->first;
    p->first = other->first;
    p->taken += other->taken;
    *other = (Pool){.limit = other->limit};
}

void pool_free(Pool *p)
{
    for (PoolBlock *b = p->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *p = (Pool){.limit = p->limit};
}
