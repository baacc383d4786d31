/* Accesses that stay inside of the block's shared memory and leave the array they mean.
 *
 *      tile: 256 floats          partial: 8 floats
 *      [.....................]   [.][.]...        tile[threadIdx.x + 1] of the last thread is partial[0]
 *
 * Neither a card nor its sanitizer sees these: the address is the block's own. Decoding knows the variable where nothing but numbers is added to its
 * address (ir/array.c).
 */
#include "common/vgpu/check/check_internal.h"

/* Dynamic memory reaches to the end, so that what lies behind it is the block's no more. */
static bool find_extent(const CheckEvent *e, MemAlloc *out, bool *dynamic)
{
    const IrFunction *f = e->who->function;
    uint32_t variable = f->shared_variable ? f->shared_variable[e->who->inst - f->insts] : 0;
    if (variable == 0)
        return false;
    const IrModule *m = e->set->launch->instance->module;
    const IrGlobal *g = &m->globals[variable - 1];
    uint64_t begin = g->is_dynamic_shared ? m->functions[e->set->launch->function].static_shared_bytes : g->shared_offset;
    uint64_t end = g->is_dynamic_shared ? e->block->shared_bytes : begin + g->bytes;
    *dynamic = g->is_dynamic_shared;
    *out = (MemAlloc){.addr = begin, .bytes = end > begin ? end - begin : 0, .name = g->name};
    return true;
}

bool array_find(const CheckEvent *e, MemAlloc *out)
{
    bool dynamic;
    return find_extent(e, out, &dynamic) && !dynamic;
}

bool array_is_left(const CheckEvent *e, uint64_t low, uint64_t end)
{
    MemAlloc array;
    bool dynamic;
    return check_has(e->set, CHECK_MEMORY) && find_extent(e, &array, &dynamic) && (low < array.addr || end > array.addr + array.bytes);
}

void array_observe(const CheckEvent *e, const ExecAccess *a)
{
    MemAlloc array;
    bool dynamic;
    if (!check_has(e->set, CHECK_MEMORY) || !find_extent(e, &array, &dynamic))
        return;
    uint32_t left = 0;
    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t at = a->addr[__builtin_ctz(rest)];
        if (at < array.addr || at + a->bytes > array.addr + array.bytes)
            left |= rest & -rest;
    }
    if (left == 0)
        return;
    unsigned lane = (unsigned)__builtin_ctz(left);
    uint32_t thread = e->who->first_thread + lane;
    const uint32_t *dim = e->who->block_dim;
    fault_observe_array(e,
                        &(ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                                     .access = a->kind,
                                     .space = SPACE_SHARED,
                                     .lane = (uint8_t)lane,
                                     .mask = left,
                                     .thread = {thread % dim[0], thread / dim[0] % dim[1], thread / dim[0] / dim[1]},
                                     .bytes = a->bytes,
                                     .address = a->addr[lane]},
                        &array);
}
