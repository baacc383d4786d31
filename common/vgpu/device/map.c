/* map: the driver API's virtual memory management: memory without an address, addresses without memory, and which device may use
 * what is mapped.
 *
 *      Physical   memory of a device, by number        Mapped   what of a window's addresses shows which, and who may use it
 *
 * What lies side by side with the same users is one allocation (kind MEM_MAPPED), so that kernels and copies go over it as over
 * any other. It belongs to the device in whose window the addresses are: a device that may use it alone has to be that one, or
 * both may.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"
#include "common/vgpu/device/queue.h"

#include <string.h>

typedef struct Mapped {
    uint64_t addr, bytes;
    uint32_t physical;
    uint64_t users;  /* bit i: device i */
    uint64_t opened; /* the allocation that it is a part of begins here; 0: in none */
    uint64_t site;
} Mapped;

/* ---- memory ---- */

static Physical *physical_of(DeviceServer *s, uint32_t number)
{
    bool exists = number > 0 && number <= s->n_physicals && s->physicals[number - 1].memory;
    return exists ? &s->physicals[number - 1] : NULL;
}

static void drop_if_unused(Physical *p)
{
    if (!p->released || p->n_mapped > 0)
        return;
    device_note_used(p->device, -(int64_t)mem_physical_bytes(p->memory));
    mem_physical_destroy(p->device->mem, p->memory);
    p->memory = NULL;
}

DeviceError map_create(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    if (m->map.bytes == 0 || m->map.bytes % MEM_MAP_UNIT != 0)
        return DEVICE_INVALID_VALUE;
    MemPhysical *memory = VEC_GROW(s->physicals, s->n_physicals, s->physicals_cap) ? mem_physical_create(d->mem, m->map.bytes) : NULL;
    if (!memory)
        return DEVICE_NO_MEMORY;
    s->physicals[s->n_physicals++] = (Physical){.memory = memory, .device = d};
    d->totals.taken++;
    device_note_used(d, (int64_t)m->map.bytes);
    r->value = s->n_physicals;
    return DEVICE_OK;
}

DeviceError map_release(DeviceServer *s, const DeviceMsg *m)
{
    Physical *p = physical_of(s, m->map.physical);
    if (!p || p->released)
        return DEVICE_INVALID_VALUE;
    p->released = true;
    drop_if_unused(p);
    return DEVICE_OK;
}

/* ---- addresses ---- */

static Device *window_of(DeviceServer *s, uint64_t addr)
{
    for (uint32_t i = 0; i < s->n_devices; i++)
        if (mem_in_window(s->devices[i]->mem, addr))
            return s->devices[i];
    return NULL;
}

DeviceError map_reserve(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    uint64_t align = m->map.align > MEM_MAP_UNIT ? m->map.align : MEM_MAP_UNIT;
    if (m->map.bytes == 0 || m->map.bytes % MEM_MAP_UNIT != 0 || (align & (align - 1)) != 0)
        return DEVICE_INVALID_VALUE;
    r->value = mem_reserve(d->mem, m->map.bytes, align, m->map.addr);
    return r->value == 0 ? DEVICE_NO_MEMORY : DEVICE_OK;
}

/* The first of d's mapped pieces that ends after addr. */
static size_t position(const Device *d, uint64_t addr)
{
    size_t i = 0;
    while (i < d->n_mapped && d->mapped[i].addr + d->mapped[i].bytes <= addr)
        i++;
    return i;
}

static bool touches(const Device *d, uint64_t addr, uint64_t bytes)
{
    size_t i = position(d, addr);
    return i < d->n_mapped && d->mapped[i].addr < addr + bytes;
}

DeviceError map_unreserve(DeviceServer *s, const DeviceMsg *m)
{
    Device *d = window_of(s, m->map.addr);
    bool ok = d && !touches(d, m->map.addr, m->map.bytes) && mem_unreserve(d->mem, m->map.addr, m->map.bytes);
    return ok ? DEVICE_OK : DEVICE_INVALID_VALUE;
}

/* ---- mapping ---- */

static void close_run(Device *d, Mapped *piece, uint64_t site)
{
    if (piece->opened == 0)
        return;
    uint64_t begin = piece->opened;
    const MemAlloc *a = mem_find(d->mem, begin);
    if (a) {
        origin_count_shared(d, a);
        if (d->server->provenance)
            provenance_drop(d->server->provenance, d, a);
        origin_drop(d, a->serial);
    }
    mem_close(d->mem, begin, site);
    for (size_t i = 0; i < d->n_mapped; i++)
        if (d->mapped[i].opened == begin)
            d->mapped[i].opened = 0;
}

/* The end, in pieces, of those from i on that are one allocation. */
static size_t run_end(const Device *d, size_t i)
{
    size_t end = i + 1;
    while (end < d->n_mapped && d->mapped[end].users == d->mapped[i].users &&
           d->mapped[end].addr == d->mapped[end - 1].addr + d->mapped[end - 1].bytes)
        end++;
    return end;
}

static bool is_open(const Device *d, size_t from, size_t to)
{
    bool open = to == d->n_mapped || d->mapped[to].opened != d->mapped[from].addr;
    for (size_t i = from; i < to; i++)
        open &= d->mapped[i].opened == d->mapped[from].addr;
    return open;
}

/* Makes the allocations those that the pieces ask for. */
static DeviceError open_runs(Device *d, uint64_t site)
{
    DeviceError error = DEVICE_OK;
    for (size_t i = 0, end; i < d->n_mapped; i = end) {
        end = run_end(d, i);
        if (d->mapped[i].users == 0 || is_open(d, i, end))
            continue;
        for (size_t k = i; k < end; k++)
            close_run(d, &d->mapped[k], site);
        uint64_t bytes = d->mapped[end - 1].addr + d->mapped[end - 1].bytes - d->mapped[i].addr;
        MemAlloc *a = mem_open(d->mem, d->mapped[i].addr, bytes, site);
        if (!a) {
            error = DEVICE_NO_MEMORY;
            continue;
        }
        d->n_allocs++;
        a->peers = d->mapped[i].users;
        for (size_t k = i; k < end; k++)
            d->mapped[k].opened = d->mapped[i].addr;
    }
    return error;
}

DeviceError map_memory(DeviceServer *s, const DeviceMsg *m)
{
    Device *d = window_of(s, m->map.addr);
    Physical *p = physical_of(s, m->map.physical);
    uint64_t bytes = p ? mem_physical_bytes(p->memory) : 0;
    if (!d || !p || p->released || !mem_is_reserved(d->mem, m->map.addr, bytes) ||
        (m->map.addr - mem_window_base(d->mem)) % MEM_MAP_UNIT != 0 || touches(d, m->map.addr, bytes))
        return DEVICE_INVALID_VALUE;
    if (!VEC_GROW(d->mapped, d->n_mapped, d->mapped_cap) || !mem_map(d->mem, m->map.addr, p->memory))
        return DEVICE_NO_MEMORY;
    size_t at = position(d, m->map.addr);
    memmove(&d->mapped[at + 1], &d->mapped[at], (d->n_mapped++ - at) * sizeof *d->mapped);
    d->mapped[at] = (Mapped){.addr = m->map.addr, .bytes = bytes, .physical = m->map.physical, .site = m->site};
    p->n_mapped++;
    return DEVICE_OK;
}

/* The pieces [*from, *to) that a range of addresses is made of; false: it is made of none, or of parts. */
static bool find_pieces(const Device *d, const DeviceMsg *m, size_t *from, size_t *to)
{
    uint64_t end = m->map.addr;
    *from = *to = position(d, m->map.addr);
    while (*to < d->n_mapped && d->mapped[*to].addr == end && end < m->map.addr + m->map.bytes)
        end += d->mapped[(*to)++].bytes;
    return end > m->map.addr && end == m->map.addr + m->map.bytes;
}

/* What is queued may use the memory: it runs first, as on a card. */
static DeviceError wait_for_all(DeviceServer *s)
{
    DeviceError error = DEVICE_OK;
    for (uint32_t i = 0; i < s->n_devices && error == DEVICE_OK; i++) {
        error = queue_run_device(s->devices[i]);
        if (error == DEVICE_OK) {
            host_wait(s, s->devices[i]->end_ns);
            order_waited(s, &s->devices[i]->order_all);
        }
    }
    return error;
}

static void unmap_pieces(Device *d, size_t from, size_t to, uint64_t site)
{
    if (from == to)
        return;
    for (size_t i = from; i < to; i++) {
        close_run(d, &d->mapped[i], site);
        mem_unmap(d->mem, d->mapped[i].addr, d->mapped[i].bytes);
        Physical *p = &d->server->physicals[d->mapped[i].physical - 1];
        p->n_mapped--;
        drop_if_unused(p);
    }
    memmove(&d->mapped[from], &d->mapped[to], (d->n_mapped - to) * sizeof *d->mapped);
    d->n_mapped -= to - from;
}

DeviceError map_unmap(DeviceServer *s, const DeviceMsg *m)
{
    Device *d = window_of(s, m->map.addr);
    size_t from, to;
    if (!d || !find_pieces(d, m, &from, &to))
        return DEVICE_INVALID_VALUE;
    DeviceError error = wait_for_all(s);
    if (error != DEVICE_OK)
        return error;
    unmap_pieces(d, from, to, m->site);
    return open_runs(d, m->site);
}

DeviceError map_access(DeviceServer *s, const DeviceMsg *m)
{
    Device *d = window_of(s, m->map.addr);
    size_t from, to;
    if (!d || !find_pieces(d, m, &from, &to) || m->map.peer >= s->n_devices)
        return DEVICE_INVALID_VALUE;
    DeviceError error = m->map.may ? DEVICE_OK : wait_for_all(s);
    if (error != DEVICE_OK)
        return error;
    uint64_t bit = (uint64_t)1 << m->map.peer;
    for (size_t i = from; i < to && !m->map.may; i++)
        close_run(d, &d->mapped[i], m->site);
    for (size_t i = from; i < to; i++)
        d->mapped[i].users = m->map.may ? d->mapped[i].users | bit : d->mapped[i].users & ~bit;
    return open_runs(d, m->site);
}

void map_free(Device *d)
{
    unmap_pieces(d, 0, d->n_mapped, 0);
    for (size_t i = 0; i < d->server->n_physicals; i++) {
        Physical *p = &d->server->physicals[i];
        if (p->memory && p->device == d) {
            p->released = true;
            drop_if_unused(p);
        }
    }
}
