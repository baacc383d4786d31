/* memory: allocating, freeing and looking up addresses; the kernels' heap.
 *
 * Pinned and managed memory is ordinary host memory (host.c), registered with the device under its own
 * address. Managed memory is mapped for the device apart from the program's pages, so that what the program
 * touches can be told from what kernels do.
 */
#include "common/base/page.h"
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"
#include "common/vgpu/device/queue.h"
#include "common/vgpu/device/share.h"

#include <stdlib.h>
#include <string.h>

void device_note_used(Device *d, int64_t bytes)
{
    d->totals.used += (uint64_t)bytes;
    if (d->totals.used > d->totals.peak)
        d->totals.peak = d->totals.used;
}

/* ---- behind the end of what the host may write ---- */

/* The rest of the last page holds a pattern. What the page protects faults with its line; what is in it shows when the memory is freed, when
 * the host waits for the device, and at the program's end. */
static uint8_t slack_byte(uint64_t i)
{
    return (uint8_t)(0xA5 + i * 29);
}

static uint64_t slack_bytes(const MemAlloc *a)
{
    return -a->bytes & (page_bytes() - 1);
}

static void fill_slack(MemAlloc *a)
{
    for (uint64_t i = 0, n = slack_bytes(a); i < n; i++)
        a->host[a->bytes + i] = slack_byte(i);
}

static void check_slack(Device *d, MemAlloc *a, uint64_t site)
{
    if (a->kind != MEM_PINNED && a->kind != MEM_MANAGED)
        return;
    uint64_t i = 0, n = slack_bytes(a);
    while (i < n && a->host[a->bytes + i] == slack_byte(i))
        i++;
    if (i == n)
        return;
    if (d->check)
        check_host_overrun(d->check, a, a->addr + a->bytes + i, site);
    fill_slack(a); /* told once */
}

void device_check_slack(Device *d, uint64_t site)
{
    MemAlloc *a;
    for (size_t i = 0; d->n_slacks > 0 && (a = mem_at(d->mem, i)); i++)
        check_slack(d, a, site);
}

static MemAlloc *alloc_pinned(Device *d, uint64_t bytes, uint64_t site)
{
    void *p = bytes > d->model->memory_bytes ? NULL : host_map(d->server, bytes);
    if (!p)
        return NULL;
    MemAlloc *a = mem_register(d->mem, p, bytes, MEM_PINNED, site);
    if (!a) {
        host_unmap(d->server, p, bytes);
        return NULL;
    }
    mem_fill_host(a);
    fill_slack(a);
    d->n_slacks++;
    return a;
}

/* Managed memory may be larger than the device's, up to what a host could have. On hardware it is zero most often, which nothing promises. */
#define MANAGED_BYTES_MAX ((uint64_t)1 << 40)

static MemAlloc *alloc_managed(Device *d, uint64_t bytes, uint64_t site)
{
    uint8_t *here = NULL;
    void *p = bytes > MANAGED_BYTES_MAX ? NULL : host_map_twice(d->server, bytes, &here);
    if (!p)
        return NULL;
    MemAlloc *a = mem_register_at(d->mem, (uint64_t)(uintptr_t)p, here, bytes, MEM_MANAGED, site);
    if (!a) {
        host_unmap(d->server, p, bytes);
        host_unmap_again(d->server, here, bytes);
        return NULL;
    }
    mem_fill_host(a);
    fill_slack(a);
    d->n_slacks++;
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

DeviceError device_alloc(Device *d, const DeviceMsg *m, DeviceReply *r)
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
        if (a)
            device_note_used(d, (int64_t)m->alloc.bytes);
        break;
    }
    d->n_allocs++;
    if (!a)
        return DEVICE_NO_MEMORY;
    r->value = a->addr;
    a->pool = m->alloc.pool;
    if (a->kind == MEM_POOL)
        pool_take(d, a->bytes);
    else
        d->totals.taken++;
    return DEVICE_OK;
}

void device_pool_access(Device *d, const DeviceMsg *m)
{
    uint64_t *peers = &d->server->pool_peers[m->pool.number];
    uint64_t bit = (uint64_t)1 << m->pool.peer;
    *peers = m->pool.may ? *peers | bit : *peers & ~bit;
}

/* Pools and mapped memory say who may use them; peer access means nothing to these (CUDA Runtime API, "Stream Ordered Memory
 * Allocator"). */
bool device_may_use(const Device *d, const Device *owner, const MemAlloc *a)
{
    if (a->kind == MEM_POOL)
        return d->server->pool_peers[a->pool] >> d->index & 1;
    if (a->kind == MEM_MAPPED)
        return a->peers >> d->index & 1;
    return d->peers[owner->index];
}

/* ---- looking up ---- */

MemAlloc *device_find(DeviceServer *s, uint64_t addr, Device **owner)
{
    for (uint32_t i = 0; i < s->n_devices; i++) {
        MemAlloc *a = mem_find(s->devices[i]->mem, addr);
        if (a) {
            if (owner)
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
    [MEM_MAPPED] = DEVICE_MEMORY_DEVICE,         [MEM_OPENED] = DEVICE_MEMORY_DEVICE,
};

static void tell_pointer(const Device *owner, const MemAlloc *a, DeviceReply *r)
{
    r->pointer.device = owner->index;
    if (!a)
        return;
    r->pointer.base = a->addr;
    r->pointer.bytes = a->bytes;
    r->pointer.serial = a->serial;
    r->pointer.freed = a->freed;
    r->pointer.site = a->site;
    r->pointer.free_site = a->free_site;
    r->pointer.name = a->name;
}

/* So far behind pinned memory an address is taken for one beyond it; so far before it free() looks for a size. */
enum { BEYOND_PINNED_MAX = 1 << 20, BEFORE_PINNED_MAX = 16 };

static bool is_meant(const MemAlloc *a, uint64_t addr)
{
    if (addr < a->addr)
        return a->addr - addr <= BEFORE_PINNED_MAX;
    if (addr - a->addr < a->bytes)
        return true; /* it has been freed */
    return !a->freed && addr - (a->addr + a->bytes) < BEYOND_PINNED_MAX;
}

/* Takes no memory from the host: a signal handler may ask. */
void device_look_up(DeviceServer *s, uint64_t addr, DeviceReply *r)
{
    Device *owner;
    const MemAlloc *a = device_find(s, addr, &owner);
    r->pointer.kind = DEVICE_MEMORY_NONE;
    if (a) {
        r->pointer.kind = reply_kinds[a->kind];
        tell_pointer(owner, a, r);
        return;
    }
    for (uint32_t i = 0; i < s->n_devices; i++)
        if (mem_in_window(s->devices[i]->mem, addr)) {
            r->pointer.kind = DEVICE_MEMORY_NOWHERE;
            tell_pointer(s->devices[i], mem_find_nearest(s->devices[i]->mem, addr), r);
            return;
        }
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const MemAlloc *near = mem_find_nearest(s->devices[i]->mem, addr);
        if (near && is_meant(near, addr)) {
            tell_pointer(s->devices[i], near, r);
            return;
        }
    }
}

/* ---- freeing ---- */

static DeviceError bad_free(Device *d, const DeviceMsg *m)
{
    const MemAlloc *nearest = mem_find_nearest(d->mem, m->free.addr);
    if (d->check)
        check_bad_free(d->check, m->free.addr, nearest, m->site);
    return DEVICE_INVALID_VALUE;
}

void device_free_now(Device *d, uint64_t addr, uint64_t site)
{
    MemAlloc *a = mem_find(d->mem, addr);
    if (!a || a->addr != addr)
        return;
    uint8_t kind = a->kind;
    uint64_t bytes = a->bytes;
    uint32_t serial = a->serial;
    uint8_t *host = a->host;
    share_tell_freed(d, a, site);
    origin_count_shared(d, a);
    if (d->server->provenance)
        provenance_drop(d->server->provenance, d, a);
    check_slack(d, a, site);
    d->n_slacks -= kind == MEM_PINNED || kind == MEM_MANAGED;
    if (kind == MEM_MANAGED)
        managed_drop(d, a);
    if (mem_free(d->mem, addr, site) != STATUS_OK)
        return;
    origin_drop(d, serial);
    if (kind == MEM_PINNED || kind == MEM_MANAGED)
        host_unmap(d->server, (void *)(uintptr_t)addr, bytes);
    if (kind == MEM_MANAGED)
        host_unmap_again(d->server, host, bytes);
    else if (kind == MEM_REGISTERED)
        host_shadow_free(d->server, host, bytes);
    if (kind == MEM_DEVICE || kind == MEM_POOL) /* what device_alloc counted */
        device_note_used(d, -(int64_t)bytes);
}

/* A reset: no pointer of the program's stays valid. Registered memory is the program's own. */
void device_free_all(Device *d)
{
    const MemAlloc *a;
    while ((a = mem_at(d->mem, 0)))
        device_free_now(d, a->addr, 0);
    d->pool.live = d->pool.held = 0;
    d->workspace = NULL;
}

/* A free on a stream: the memory goes when the stream gets there; a second one is refused at once. */
static DeviceError free_later(Device *owner, const DeviceMsg *m)
{
    const Queue *q = &owner->server->queue;
    for (size_t i = 0; i < q->n; i++)
        if (q->ops[i]->kind == QUEUE_FREE && !q->ops[i]->done && q->ops[i]->range.addr == m->free.addr)
            return bad_free(owner, m);
    QueueOp *op = queue_add(owner, m, QUEUE_FREE);
    if (!op)
        return DEVICE_INVALID_HANDLE;
    op->range.addr = m->free.addr;
    return DEVICE_OK;
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

DeviceError device_free(Device *d, const DeviceMsg *m)
{
    Device *owner = d;
    const MemAlloc *a = device_find(d->server, m->free.addr, &owner);
    if (!a || a->addr != m->free.addr || !may_free(m->free.kind, a->kind))
        return bad_free(owner, m);
    uint64_t of_pool = a->kind == MEM_POOL ? a->bytes : 0;
    if (m->free.kind == DEVICE_MEMORY_POOL) {
        DeviceError error = free_later(owner, m);
        if (error == DEVICE_OK) /* what comes later in the stream may get it */
            owner->pool.live -= of_pool;
        return error;
    }
    /* cudaFree waits for the device (CUDA Runtime API, "Memory Management"): kernels in flight may use the
     * memory. */
    DeviceError error = queue_run_device(owner);
    if (error != DEVICE_OK)
        return error;
    host_wait(owner->server, owner->end_ns);
    order_waited(owner->server, &owner->order_all);
    if (owner->error == DEVICE_OK)
        device_free_now(owner, m->free.addr, m->site);
    owner->pool.live -= of_pool;
    return DEVICE_OK;
}

static bool register_range(Device *d, const DeviceMsg *m)
{
    uint8_t *host = host_shadow(d->server, m->range.addr, m->range.bytes);
    if (!host)
        return false;
    if (mem_register_at(d->mem, m->range.addr, host, m->range.bytes, MEM_REGISTERED, m->site))
        return true;
    host_shadow_free(d->server, host, m->range.bytes);
    return false;
}

/* Whether a range touches what a device hands out; also when it has no end. */
static bool touches_device(const DeviceServer *s, uint64_t addr, uint64_t bytes)
{
    bool touches = addr + bytes <= addr;
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const Mem *mem = s->devices[i]->mem;
        uint64_t base = mem_window_base(mem);
        touches |= addr < base + mem_window_bytes(mem) && addr + bytes > base;
    }
    return touches;
}

DeviceError device_register(Device *d, const DeviceMsg *m)
{
    d->n_allocs++;
    if (m->range.addr == 0 || touches_device(d->server, m->range.addr, m->range.bytes))
        return DEVICE_INVALID_VALUE;
    if (device_find(d->server, m->range.addr, NULL) ||
        device_find(d->server, m->range.addr + m->range.bytes - 1, NULL))
        return DEVICE_ALREADY_REGISTERED;
    return register_range(d, m) ? DEVICE_OK : DEVICE_NO_MEMORY;
}

DeviceError device_unregister(Device *d, const DeviceMsg *m)
{
    Device *owner = d;
    const MemAlloc *a = device_find(d->server, m->range.addr, &owner);
    if (m->range.addr == 0 || (a && a->addr != m->range.addr))
        return DEVICE_INVALID_VALUE;
    if (!a || a->kind != MEM_REGISTERED)
        return DEVICE_NOT_REGISTERED;
    DeviceError error = queue_run_device(owner);
    if (error != DEVICE_OK)
        return error;
    order_waited(owner->server, &owner->order_all);
    device_free_now(owner, m->range.addr, m->site);
    return DEVICE_OK;
}

/* ---- the kernels' heap: malloc and free in a kernel ---- */

/* The token of a place in the module of the launch that runs; 0: not known. */
static uint64_t heap_site(Device *d, uint64_t place)
{
    DeviceServer *s = d->server;
    const IrModule *m = s->modules[s->functions[d->launch_op->launch.function - 1].module - 1]->instance->module;
    const IrLoc *l = place >> 32 < m->n_functions ? ir_place(m, &m->functions[place >> 32], (uint32_t)place) : NULL;
    if (!l || l->line == 0)
        return 0;
    for (size_t i = 0; i < s->n_heap_places; i++)
        if (s->heap_places[i].line == l->line && strcmp(s->heap_places[i].file, m->files[l->file]) == 0)
            return HEAP_SITE | i;
    char *file = strdup(m->files[l->file]);
    if (!file || !VEC_GROW(s->heap_places, s->n_heap_places, s->heap_places_cap)) {
        free(file);
        return 0;
    }
    s->heap_places[s->n_heap_places] = (HeapPlace){.file = file, .line = l->line};
    return HEAP_SITE | s->n_heap_places++;
}

void device_heap_place(const DeviceServer *s, FindingSite *site)
{
    uint64_t i = site->token ^ HEAP_SITE;
    if (i < s->n_heap_places)
        *site = (FindingSite){.file = s->heap_places[i].file, .function = "", .line = s->heap_places[i].line};
}

void heap_places_free(DeviceServer *s)
{
    for (size_t i = 0; i < s->n_heap_places; i++)
        free(s->heap_places[i].file);
    free(s->heap_places);
}

uint64_t device_heap_alloc(void *self, uint64_t bytes, uint64_t site)
{
    Device *d = self;
    d->heap_fixed = true;
    uint64_t size = bytes == 0 ? 16 : bytes;
    if (size > d->limits[DEVICE_LIMIT_HEAP] || d->heap_used + size > d->limits[DEVICE_LIMIT_HEAP])
        return 0;
    const MemAlloc *a = mem_alloc(d->mem, size, MEM_HEAP, heap_site(d, site), NULL);
    if (!a)
        return 0;
    d->heap_used += size;
    return a->addr;
}

bool device_heap_free(void *self, uint64_t addr)
{
    Device *d = self;
    const MemAlloc *a = mem_find(d->mem, addr);
    if (!a || a->addr != addr || a->kind != MEM_HEAP)
        return false;
    d->heap_used -= a->bytes;
    if (d->server->provenance)
        provenance_drop_heap(d->server->provenance, d, a);
    return mem_free(d->mem, addr, 0) == STATUS_OK;
}
