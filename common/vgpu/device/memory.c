/* memory: allocating, freeing and looking up addresses; the kernels' heap.
 *
 * Pinned and managed memory is ordinary host memory of this process, made here so that it is page-aligned,
 * and registered with the device under its own address. Managed memory is mapped twice: once for the program,
 * at that address, once for the device, so that what the program touches can be told from what kernels do.
 */
#include "common/vgpu/device/device_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Between the devices' windows and those of shared and local memory (mem/mem.h). */
#define HOST_MEMORY_BASE 0x0000480000000000u

void device_note_used(Device *d, int64_t bytes)
{
    d->totals.used += (uint64_t)bytes;
    if (d->totals.used > d->totals.peak)
        d->totals.peak = d->totals.used;
}

static uint64_t page_round(uint64_t bytes)
{
    return (bytes + 4095) & ~(uint64_t)4095;
}

/* Host pages at an address that is the same in every run, so that reports are: after the last ones, where
 * that is free. */
static void *map_host(DeviceServer *s, uint64_t bytes, int sharing)
{
    uint64_t size = page_round(bytes);
    const int flags = sharing | MAP_ANONYMOUS | MAP_NORESERVE;
    void *wanted = (void *)(uintptr_t)(HOST_MEMORY_BASE + s->host_memory_used);
    void *p = mmap(wanted, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    s->host_memory_used += size + 4096;
    return p == MAP_FAILED ? NULL : p;
}

void *device_map_host(DeviceServer *s, uint64_t bytes)
{
    return map_host(s, bytes, MAP_PRIVATE);
}

static MemAlloc *alloc_pinned(Device *d, uint64_t bytes, uint64_t site)
{
    void *p = bytes > d->model->memory_bytes ? NULL : device_map_host(d->server, bytes);
    if (p == NULL)
        return NULL;
    MemAlloc *a = mem_register(d->mem, p, bytes, MEM_PINNED, site);
    if (a == NULL)
        munmap(p, page_round(bytes));
    return a;
}

/* Managed memory may be larger than the device's, up to what a host could have. It is zero on hardware too.
 */
#define MANAGED_BYTES_MAX ((uint64_t)1 << 40)

static MemAlloc *alloc_managed(Device *d, uint64_t bytes, uint64_t site)
{
    void *p = bytes > MANAGED_BYTES_MAX ? NULL : map_host(d->server, bytes, MAP_SHARED);
    if (p == NULL)
        return NULL;
    void *again = mremap(p, 0, page_round(bytes), MREMAP_MAYMOVE); /* the same pages a second time */
    MemAlloc *a = again == MAP_FAILED ? NULL : mem_register(d->mem, p, bytes, MEM_MANAGED, site);
    if (a == NULL) {
        munmap(p, page_round(bytes));
        if (again != MAP_FAILED)
            munmap(again, page_round(bytes));
        return NULL;
    }
    a->host = again;
    managed_add(d, a);
    return a;
}

/* Pools hold what was freed until somebody waits, and what they may keep after that. */
static void pool_take(Device *d, uint64_t bytes)
{
    d->pool.live += bytes;
    if (d->pool.live <= d->pool.held)
        return;
    d->pool.held = d->pool.live;
    d->totals.taken++;
}

void device_trim_pool(Device *d)
{
    uint64_t least = d->pool.live > d->pool.keep ? d->pool.live : d->pool.keep;
    if (d->pool.held > least)
        d->pool.held = least;
}

static MemKind device_kind(uint8_t kind)
{
    return kind == DEVICE_MEMORY_POOL ? MEM_POOL : kind == DEVICE_MEMORY_ARRAY ? MEM_ARRAY : MEM_DEVICE;
}

void device_alloc(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    MemAlloc *a = NULL;
    switch ((DeviceMemoryKind)m->alloc.kind) {
    case DEVICE_MEMORY_MANAGED:
        a = alloc_managed(d, m->alloc.bytes, m->site);
        break;
    case DEVICE_MEMORY_PINNED:
        a = alloc_pinned(d, m->alloc.bytes, m->site);
        break;
    default:
        if (m->alloc.bytes <= mem_total(d->mem))
            a = mem_alloc(d->mem, m->alloc.bytes, device_kind(m->alloc.kind), m->site, NULL);
        if (a != NULL)
            device_note_used(d, (int64_t)m->alloc.bytes);
        break;
    }
    d->n_allocs++;
    if (a == NULL) {
        r->error = DEVICE_NO_MEMORY;
        return;
    }
    r->value = a->addr;
    if (a->kind == MEM_POOL)
        pool_take(d, a->bytes);
    else
        d->totals.taken++;
}

/* ---- looking up ---- */

MemAlloc *device_find(DeviceServer *s, uint64_t addr, Device **owner)
{
    for (uint32_t i = 0; i < s->n_devices; i++) {
        MemAlloc *a = mem_find(s->devices[i]->mem, addr);
        if (a != NULL) {
            if (owner != NULL)
                *owner = s->devices[i];
            return a;
        }
    }
    return NULL;
}

static const uint8_t reply_kinds[] = {
    [MEM_DEVICE] = DEVICE_MEMORY_DEVICE,         [MEM_POOL] = DEVICE_MEMORY_POOL,
    [MEM_MANAGED] = DEVICE_MEMORY_MANAGED,       [MEM_PINNED] = DEVICE_MEMORY_PINNED,
    [MEM_REGISTERED] = DEVICE_MEMORY_REGISTERED, [MEM_GLOBAL_VAR] = DEVICE_MEMORY_VARIABLE,
    [MEM_CONST_VAR] = DEVICE_MEMORY_VARIABLE,    [MEM_HEAP] = DEVICE_MEMORY_DEVICE,
    [MEM_ARRAY] = DEVICE_MEMORY_DEVICE,          [MEM_INTERNAL] = DEVICE_MEMORY_DEVICE,
};

static void tell_pointer(const Device *owner, const MemAlloc *a, DeviceReply *r)
{
    r->pointer.device = owner->index;
    if (a == NULL)
        return;
    r->pointer.base = a->addr;
    r->pointer.bytes = a->bytes;
    r->pointer.serial = a->serial;
    r->pointer.freed = a->freed;
    r->pointer.site = a->site;
    r->pointer.free_site = a->free_site;
    r->pointer.name = a->name;
}

/* Takes no memory from the host: a signal handler may ask. */
void device_pointer(DeviceServer *s, const DeviceMsg *m, DeviceReply *r)
{
    Device *owner;
    const MemAlloc *a = device_find(s, m->range.addr, &owner);
    r->pointer.kind = DEVICE_MEMORY_NONE;
    if (a != NULL) {
        r->pointer.kind = reply_kinds[a->kind];
        tell_pointer(owner, a, r);
        return;
    }
    for (uint32_t i = 0; i < s->n_devices; i++)
        if (mem_in_window(s->devices[i]->mem, m->range.addr)) {
            r->pointer.kind = DEVICE_MEMORY_NOWHERE;
            tell_pointer(s->devices[i], mem_find_nearest(s->devices[i]->mem, m->range.addr), r);
        }
}

/* ---- freeing ---- */

static void bad_free(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    const MemAlloc *nearest = mem_find_nearest(d->mem, m->free.addr);
    if (d->check != NULL)
        check_bad_free(d->check, m->free.addr, nearest, m->site);
    r->error = DEVICE_INVALID_VALUE;
}

void device_free_now(Device *d, uint64_t addr, uint64_t site)
{
    const MemAlloc *a = mem_find(d->mem, addr);
    if (a == NULL || a->addr != addr)
        return;
    uint8_t kind = a->kind;
    uint64_t bytes = a->bytes;
    uint32_t serial = a->serial;
    void *host = a->host;
    origin_count_shared(d, a);
    if (kind == MEM_MANAGED)
        managed_drop(d, a);
    if (mem_free(d->mem, addr, site) != STATUS_OK)
        return;
    origin_drop(d, serial);
    if (kind == MEM_PINNED || kind == MEM_MANAGED)
        munmap((void *)(uintptr_t)addr, page_round(bytes));
    if (kind == MEM_MANAGED)
        munmap(host, page_round(bytes));
    if (kind == MEM_DEVICE || kind == MEM_POOL) /* what device_alloc counted */
        device_note_used(d, -(int64_t)bytes);
}

/* A reset: no pointer of the program's stays valid. Registered memory is the program's own. */
void device_free_all(Device *d)
{
    const MemAlloc *a;
    while ((a = mem_at(d->mem, 0)) != NULL)
        device_free_now(d, a->addr, 0);
    d->pool.live = d->pool.held = 0;
    d->workspace = NULL;
}

/* A free on a stream: the memory goes when the stream gets there; a second one is refused at once. */
static void free_later(Device *owner, const DeviceMsg *m, DeviceReply *r)
{
    const Queue *q = &owner->server->queue;
    for (size_t i = 0; i < q->n; i++)
        if (q->ops[i]->kind == QUEUE_FREE && !q->ops[i]->done && q->ops[i]->range.addr == m->free.addr) {
            bad_free(owner, m, r);
            return;
        }
    QueueOp *op = queue_add(owner, m, QUEUE_FREE);
    if (op == NULL)
        r->error = DEVICE_INVALID_HANDLE;
    else
        op->range.addr = m->free.addr;
}

/* Whether the call that frees `kind` may free an allocation of that kind. */
static bool may_free(uint8_t kind, uint8_t mem_kind)
{
    if (kind == DEVICE_MEMORY_PINNED)
        return mem_kind == MEM_PINNED;
    if (kind == DEVICE_MEMORY_ARRAY)
        return mem_kind == MEM_ARRAY;
    return mem_kind == MEM_DEVICE || mem_kind == MEM_POOL || mem_kind == MEM_MANAGED;
}

void device_free(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    Device *owner = d;
    const MemAlloc *a = device_find(d->server, m->free.addr, &owner);
    if (a == NULL || a->addr != m->free.addr || !may_free(m->free.kind, a->kind)) {
        bad_free(owner, m, r);
        return;
    }
    uint64_t of_pool = a->kind == MEM_POOL ? a->bytes : 0;
    if (m->free.kind == DEVICE_MEMORY_POOL) {
        free_later(owner, m, r);
        if (r->error == DEVICE_OK) /* what comes later in the stream may get it */
            owner->pool.live -= of_pool;
        return;
    }
    /* cudaFree waits for the device (CUDA Runtime API, "Memory Management"): kernels in flight may use the
     * memory. */
    r->error = queue_run_device(owner);
    if (r->error != DEVICE_OK)
        return;
    host_wait(owner->server, owner->end_ns);
    order_waited(owner->server, &owner->order_all);
    if (owner->error == DEVICE_OK)
        device_free_now(owner, m->free.addr, m->site);
    owner->pool.live -= of_pool;
}

void device_register(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    if (m->range.addr == 0 || m->range.bytes == 0)
        r->error = DEVICE_INVALID_VALUE;
    else if (device_find(d->server, m->range.addr, NULL) != NULL ||
             device_find(d->server, m->range.addr + m->range.bytes - 1, NULL) != NULL)
        r->error = DEVICE_ALREADY_REGISTERED;
    else if (mem_register(d->mem, (void *)(uintptr_t)m->range.addr, m->range.bytes, MEM_REGISTERED,
                          m->site) == NULL)
        r->error = DEVICE_NO_MEMORY;
    d->n_allocs++;
}

void device_unregister(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    Device *owner = d;
    const MemAlloc *a = device_find(d->server, m->range.addr, &owner);
    if (m->range.addr == 0 || (a != NULL && a->addr != m->range.addr)) {
        r->error = DEVICE_INVALID_VALUE;
        return;
    }
    if (a == NULL || a->kind != MEM_REGISTERED) {
        r->error = DEVICE_NOT_REGISTERED;
        return;
    }
    r->error = queue_run_device(owner);
    if (r->error != DEVICE_OK)
        return;
    order_waited(owner->server, &owner->order_all);
    device_free_now(owner, m->range.addr, m->site);
}

/* ---- the kernels' heap: malloc and free in a kernel ---- */

uint64_t device_heap_alloc(void *self, uint64_t bytes, uint64_t site)
{
    Device *d = self;
    d->heap_fixed = true;
    uint64_t size = bytes == 0 ? 16 : bytes;
    if (size > d->limits[DEVICE_LIMIT_HEAP] || d->heap_used + size > d->limits[DEVICE_LIMIT_HEAP])
        return 0;
    const MemAlloc *a = mem_alloc(d->mem, size, MEM_HEAP, site, NULL);
    if (a == NULL)
        return 0;
    d->heap_used += size;
    return a->addr;
}

bool device_heap_free(void *self, uint64_t addr)
{
    Device *d = self;
    const MemAlloc *a = mem_find(d->mem, addr);
    if (a == NULL || a->addr != addr || a->kind != MEM_HEAP)
        return false;
    d->heap_used -= a->bytes;
    return mem_free(d->mem, addr, 0) == STATUS_OK;
}
