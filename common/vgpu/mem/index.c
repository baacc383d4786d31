/* Sorted arrays of allocations: found by binary search, inserted by moving what follows.
 *
 * The window is filled upwards, so that an insertion nearly always appends.
 */
#include "common/base/arena.h"
#include "common/vgpu/mem/mem_internal.h"

#include <string.h>

size_t mem_index_position(const MemIndex *index, uint64_t addr)
{
    size_t low = 0, high = index->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->items[middle]->addr + index->items[middle]->bytes <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

MemAlloc *mem_index_find(const MemIndex *index, uint64_t addr)
{
    size_t at = mem_index_position(index, addr);
    return at < index->n && index->items[at]->addr <= addr ? index->items[at] : NULL;
}

bool mem_index_reserve(MemIndex *index)
{
    return VEC_GROW(index->items, index->n, index->cap);
}

bool mem_index_insert(MemIndex *index, size_t at, MemAlloc *a)
{
    if (!mem_index_reserve(index))
        return false;
    memmove(index->items + at + 1, index->items + at, (index->n - at) * sizeof *index->items);
    index->items[at] = a;
    index->n++;
    return true;
}

void mem_index_remove(MemIndex *index, size_t at)
{
    index->n--;
    memmove(index->items + at, index->items + at + 1, (index->n - at) * sizeof *index->items);
}
