/* The constant pool of a function: each value once, spread over all 32 lanes, at a multiple of 64 bytes.
 *
 * Addresses of globals and functions become relocations; addresses in shared memory are filled in when it has
 * been laid out.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_ALIGN = 64 };

static uint32_t hash_entry(const PoolEntry *e)
{
    uint64_t h = (e->value ^ (uint64_t)e->symbol << 32) + ((uint64_t)e->kind << 8 | e->bytes);
    h = (h ^ h >> 31) * 0xBF58476D1CE4E5B9u;
    return (uint32_t)(h ^ h >> 29);
}

static bool same_entry(const PoolEntry *a, const PoolEntry *b)
{
    return a->kind == b->kind && a->bytes == b->bytes && a->symbol == b->symbol && a->value == b->value;
}

static uint32_t *pool_find_slot(const Pool *p, const PoolEntry *e)
{
    for (size_t i = hash_entry(e) & (p->n_slots - 1);; i = (i + 1) & (p->n_slots - 1))
        if (p->slots[i] == 0 || same_entry(&p->entries[p->slots[i] - 1], e))
            return &p->slots[i];
}

static bool pool_grow(Pool *p)
{
    size_t n_slots = p->n_slots ? p->n_slots * 2 : 64;
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return false;
    free(p->slots);
    p->slots = slots;
    p->n_slots = n_slots;
    for (size_t i = 0; i < p->n; i++)
        *pool_find_slot(p, &p->entries[i]) = (uint32_t)i + 1;
    return true;
}

bool pool_add(Decoder *d, PoolKind kind, unsigned bytes, uint32_t symbol, uint64_t value, IrOperand *out)
{
    Pool *p = &d->pool;
    PoolEntry e = {
        .kind = (uint8_t)kind, .bytes = (uint8_t)bytes, .symbol = symbol, .off = p->bytes, .value = value};
    if ((p->n * 2 >= p->n_slots && !pool_grow(p)) || !VEC_GROW(p->entries, p->n, p->cap)) {
        link_no_memory(d->l);
        return false;
    }
    uint32_t *slot = pool_find_slot(p, &e);
    if (*slot == 0) {
        if (p->bytes >= IR_POOL_BYTES_MAX) {
            link_fail(d->l, STATUS_LIMIT, d->pm, d->pf->line, d->pf->column,
                      "'%s' has more than %d bytes of constants", d->pf->name, IR_POOL_BYTES_MAX);
            return false;
        }
        uint32_t size = bytes * WARP_LANES;
        p->entries[p->n] = e;
        p->bytes += size > POOL_ALIGN ? size : POOL_ALIGN;
        *slot = (uint32_t)++p->n;
    }
    *out = (IrOperand){.kind = IR_CONST, .bytes = (uint8_t)bytes, .off = p->entries[*slot - 1].off};
    return true;
}

const PoolEntry *pool_entry(const Pool *p, uint32_t off)
{
    size_t low = 0, high = p->n; /* its offset is in [low, high), and offsets grow */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p->entries[middle].off <= off)
            low = middle;
        else
            high = middle;
    }
    return &p->entries[low];
}

void pool_put(uint8_t *pool, uint32_t off, unsigned bytes, uint64_t value)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        memcpy(pool + off + (size_t)lane * bytes, &value,
               bytes); /* little-endian, as all hosts of the virtual GPU are */
}

static void note_shared(Decoder *d, const PoolEntry *e)
{
    Linker *l = d->l;
    if (!VEC_GROW(l->shared_refs, l->n_shared_refs, l->cap_shared_refs)) {
        link_no_memory(l);
        return;
    }
    l->shared_refs[l->n_shared_refs++] = (SharedRef){.function = d->index,
                                                     .off = e->off,
                                                     .global = e->symbol,
                                                     .bytes = e->bytes,
                                                     .addend = (int64_t)e->value};
}

static void finish_entry(Decoder *d, const PoolEntry *e)
{
    IrFunction *f = d->f;
    uint32_t predicate = e->value ? UINT32_MAX : 0;
    switch ((PoolKind)e->kind) {
    case POOL_VALUE:
        pool_put(f->pool, e->off, e->bytes, e->value);
        break;
    case POOL_PRED:
        memcpy(f->pool + e->off, &predicate, sizeof predicate);
        break;
    case POOL_SHARED:
        note_shared(d, e);
        break;
    case POOL_GLOBAL:
    case POOL_FUNCTION:
        f->relocs[f->n_relocs++] = (IrReloc){.off = e->off,
                                             .bytes = e->bytes,
                                             .is_function = e->kind == POOL_FUNCTION,
                                             .symbol = e->symbol,
                                             .addend = (int64_t)e->value};
        break;
    }
}

void pool_finish(Decoder *d)
{
    Pool *p = &d->pool;
    size_t n_relocs = 0;
    for (size_t i = 0; i < p->n; i++)
        n_relocs += p->entries[i].kind == POOL_GLOBAL || p->entries[i].kind == POOL_FUNCTION;
    d->f->pool = link_alloc(d->l, p->bytes + POOL_ALIGN, 1);
    d->f->pool_bytes = p->bytes;
    d->f->relocs = link_alloc(d->l, n_relocs, sizeof *d->f->relocs);
    for (size_t i = 0; i < p->n && !d->l->status; i++)
        finish_entry(d, &p->entries[i]);
}

void const_pool_free(Pool *p)
{
    free(p->entries);
    free(p->slots);
    *p = (Pool){0};
}
