/* origin: was a byte of device memory last written by a kernel?
 *
 * The grader asks which bytes of a result came from a kernel. An allocation gets one mark a byte when the
 * first launch starts after it was made (pages that stay 0 cost nothing). Stores and atomics of kernels set
 * marks, copies from the host and other fills clear them, copies on the device carry them along. Marks are
 * whole bytes, so that workers need no lock.
 *
 * Memory that the host shares with kernels (managed, pinned, registered) is read without a copy. Its marked
 * bytes count as having gone to the host once: those of managed memory when the host has used their page, the
 * others when the memory is freed or the program ends. Limit: what the
 * host writes there after the kernel is not seen, and keeps the kernel's mark.
 *
 * A fill with 0 sets marks too: counters that kernels add to begin so, and those that nothing was added to
 * stay so. Nothing but zeros can be made that way.
 */
#include "common/vgpu/device/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static Origin *find_origin(const Device *d, uint32_t serial)
{
    return serial < d->n_origins && d->origins[serial].by_kernel ? &d->origins[serial] : NULL;
}

/* The marks of an allocation, made if need be; NULL when the machine has no room for them. */
static Origin *make_origin(Device *d, const MemAlloc *a)
{
    while (d->n_origins <= a->serial) {
        if (!VEC_GROW(d->origins, d->n_origins, d->origins_cap))
            return NULL;
        d->origins[d->n_origins++] = (Origin){0};
    }
    Origin *o = &d->origins[a->serial];
    if (!o->by_kernel) {
        void *marks =
            mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (marks == MAP_FAILED)
            return NULL;
        *o = (Origin){.serial = a->serial, .by_kernel = marks, .bytes = a->bytes};
    }
    return o;
}

void origin_prepare(Device *d)
{
    const MemAlloc *a;
    if (d->n_allocs == d->n_allocs_prepared)
        return;
    d->n_allocs_prepared = d->n_allocs;
    for (size_t i = 0; (a = mem_at(d->mem, i)); i++)
        make_origin(d, a);
}

void origin_drop(Device *d, uint32_t serial)
{
    Origin *o = find_origin(d, serial);
    if (!o)
        return;
    munmap(o->by_kernel, o->bytes);
    *o = (Origin){0};
}

void origin_free(Device *d)
{
    for (size_t i = 0; i < d->n_origins; i++)
        origin_drop(d, (uint32_t)i);
    free(d->origins);
    d->origins = NULL;
    d->n_origins = d->origins_cap = 0;
}

void origin_clear(Device *d, const MemAlloc *a, uint64_t addr, uint64_t bytes)
{
    Origin *o = find_origin(d, a->serial);
    if (o)
        memset(o->by_kernel + (addr - a->addr), 0, bytes);
}

void origin_fill(Device *d, const MemAlloc *a, uint64_t addr, uint64_t bytes, uint8_t value)
{
    Origin *o = value == 0 ? make_origin(d, a) : find_origin(d, a->serial);
    if (o)
        memset(o->by_kernel + (addr - a->addr), value == 0, bytes);
}

void origin_copy(Device *to, const MemAlloc *ta, uint64_t t, Device *from, const MemAlloc *fa, uint64_t f,
                 uint64_t bytes)
{
    const Origin *source = find_origin(from, fa->serial);
    if (!source) {
        origin_clear(to, ta, t, bytes);
        return;
    }
    const uint8_t *marks = source->by_kernel + (f - fa->addr);
    Origin *target = make_origin(to, ta);
    if (target)
        memmove(target->by_kernel + (t - ta->addr), marks, bytes);
}

uint64_t origin_count(const Device *d, const MemAlloc *a, uint64_t addr, uint64_t bytes)
{
    const Origin *o = find_origin(d, a->serial);
    uint64_t n = 0;
    if (o)
        for (uint64_t i = 0; i < bytes; i++)
            n += o->by_kernel[addr - a->addr + i];
    return n;
}

static void mark(const Device *d, const MemAlloc *a, uint64_t addr, uint32_t bytes)
{
    const Origin *o = find_origin(d, a->serial);
    if (o && addr >= a->addr && addr + bytes <= a->addr + o->bytes)
        memset(o->by_kernel + (addr - a->addr), 1, bytes);
}

/* Lanes all over one allocation. What is marked already is not written again: workers would take turns at it.
 */
static void mark_lanes(const Device *d, const ExecAccess *access)
{
    const MemAlloc *a = access->alloc;
    const Origin *o = find_origin(d, a->serial);
    static const uint32_t four = 0x01010101;
    if (!o)
        return;
    for (uint32_t mask = access->mask; mask != 0; mask &= mask - 1) {
        uint64_t at = access->addr[__builtin_ctz(mask)] - a->addr;
        if (at + access->bytes > o->bytes)
            continue;
        if (access->bytes != sizeof four)
            memset(o->by_kernel + at, 1, access->bytes);
        else if (memcmp(o->by_kernel + at, &four, sizeof four) != 0)
            memcpy(o->by_kernel + at, &four, sizeof four);
    }
}

/* A warp writes global memory. */
static void origin_on_access(void *self, const ExecWho *who, const ExecAccess *access)
{
    (void)who;
    const Device *d = self;
    if (access->kind == ACCESS_LOAD || access->space != SPACE_GLOBAL)
        return;
    if (access->alloc && access->pattern != PATTERN_OTHER && access->mask != 0) {
        int first = __builtin_ctz(access->mask), last = 31 - __builtin_clz(access->mask);
        bool dense = access->mask >> first == 0xFFFFFFFFu >> (31 - (last - first));
        if (dense) {
            mark(d, access->alloc, access->addr[first],
                 (uint32_t)(access->addr[last] - access->addr[first]) + access->bytes);
            return;
        }
    }
    if (access->alloc) {
        mark_lanes(d, access);
        return;
    }
    for (uint32_t mask = access->mask; mask != 0; mask &= mask - 1) {
        uint64_t addr = access->addr[__builtin_ctz(mask)];
        const MemAlloc *a = mem_find(d->mem, addr);
        if (a)
            mark(d, a, addr, access->bytes);
    }
}

/* A block does: rows of threads that go up in x. */
static bool origin_on_access_wide(void *self, const ExecWho *who, const ExecWideAccess *access)
{
    const Device *d = self;
    const uint32_t *dim = who->block_dim;
    uint32_t row = access->n_threads < dim[0] ? access->n_threads : dim[0];
    bool dense = access->step[0] == (int64_t)access->bytes;
    if (access->space != SPACE_GLOBAL)
        return true;
    if (dense && row == access->n_threads) {
        mark(d, access->alloc, access->base, row * access->bytes);
        return true;
    }
    for (uint32_t y = 0; y < access->n_threads / row; y++) {
        uint64_t at = access->base + (uint64_t)access->step[1] * (y % dim[1]) +
                      (uint64_t)access->step[2] * (y / dim[1]);
        if (dense)
            mark(d, access->alloc, at, row * access->bytes);
        for (uint32_t x = 0; !dense && x < row; x++)
            mark(d, access->alloc, at + (uint64_t)access->step[0] * x, access->bytes);
    }
    return true;
}

void origin_observe(Device *d)
{
    d->origin_observer = (ExecObserver){
        .self = d, .access = origin_on_access, .access_wide = origin_on_access_wide, .writes_only = true};
}

void origin_count_shared(Device *d, const MemAlloc *a)
{
    bool shared = a->kind == MEM_MANAGED || a->kind == MEM_PINNED || a->kind == MEM_REGISTERED;
    if (!shared || !find_origin(d, a->serial))
        return;
    d->totals.d2h_kernel += origin_count(d, a, a->addr, a->bytes);
    origin_clear(d, a, a->addr, a->bytes);
}
