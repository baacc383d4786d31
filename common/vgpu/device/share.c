/* share: memory and events that the devices of several processes of one run use: the runtime's IPC handles.
 *
 *      owner                                    others
 *      share_memory: the allocation moves       share_open: a range of addresses of the current device's window
 *      into the shared file, and gets a         shows the same bytes, and the same bits of what was written
 *      number                                   (kind MEM_OPENED); once a device, the uses are counted
 *
 * Events need no state that others see: the runtime has a stream run up to the record of an event for other processes at once
 * (OP_EVENT_RUN), so that whoever is told of the record later finds it done, and no process waits for the queue of another one.
 *
 * Each process checks its own accesses: bounds and what was written, as of its own memory. What two processes do without order
 * nobody compares. A launch uses what it opened as long as its owner has it; afterwards it is freed memory here, too.
 */
#include "common/vgpu/device/share.h"
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/queue.h"

#include <stdlib.h>

int device_shared_file(bool inherited)
{
    return mem_shared_file(inherited);
}

bool share_is_used(const DeviceServer *s)
{
    return s->shares;
}

/* The file is opened with the first thing that is shared. */
static bool is_there(DeviceServer *s)
{
    if (!s->shared && s->options.shared_fd > 0)
        s->shared = mem_shared_open(s->options.shared_fd);
    s->shares = s->shared != NULL;
    return s->shares;
}

static DeviceError error_of(Status st)
{
    return st == STATUS_OK          ? DEVICE_OK
           : st == STATUS_NOT_FOUND ? DEVICE_INVALID_VALUE
           : st == STATUS_INVALID   ? DEVICE_INVALID_CONTEXT
           : st == STATUS_IO        ? DEVICE_MAP_FAILED
                                    : DEVICE_NO_MEMORY;
}

/* ---- memory ---- */

DeviceError share_memory(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    Device *owner = d;
    if (!is_there(d->server))
        return DEVICE_NOT_SUPPORTED;
    MemAlloc *a = device_find(d->server, m->range.addr, &owner);
    if (!a || a->kind != MEM_DEVICE)
        return DEVICE_INVALID_VALUE;
    r->value = mem_share(d->server->shared, owner->mem, a);
    r->value2 = a->bytes;
    return r->value ? DEVICE_OK : DEVICE_NO_MEMORY;
}

static Opened *find_opened(DeviceServer *s, uint32_t device, uint32_t number)
{
    for (size_t i = 0; i < s->n_opened; i++)
        if (s->opened[i].device == device && s->opened[i].number == number)
            return &s->opened[i];
    return NULL;
}

DeviceError share_open(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    if (!is_there(s))
        return DEVICE_NOT_SUPPORTED;
    share_look(s);
    Opened *o = m->range.addr <= UINT32_MAX ? find_opened(s, d->index, (uint32_t)m->range.addr) : NULL;
    if (o && !o->gone) {
        o->n_refs++;
        r->value = o->addr;
        return DEVICE_OK;
    }
    MemAlloc *a = NULL;
    Status st = m->range.addr > UINT32_MAX ? STATUS_NOT_FOUND : STATUS_NO_MEMORY;
    if (st != STATUS_NOT_FOUND && VEC_GROW(s->opened, s->n_opened, s->opened_cap))
        st = mem_open_shared(s->shared, d->mem, (uint32_t)m->range.addr, m->site, &a);
    if (st != STATUS_OK)
        return error_of(st);
    s->opened[s->n_opened++] = (Opened){.addr = a->addr, .device = d->index, .number = a->shared, .n_refs = 1};
    d->n_allocs++;
    r->value = a->addr;
    return DEVICE_OK;
}

DeviceError share_close(DeviceServer *s, const DeviceMsg *m)
{
    size_t i = 0;
    while (i < s->n_opened && s->opened[i].addr != m->range.addr)
        i++;
    if (i == s->n_opened)
        return DEVICE_INVALID_VALUE;
    Device *d = s->devices[s->opened[i].device];
    DeviceError error = queue_run_device(d); /* what is queued may use it */
    if (error != DEVICE_OK || --s->opened[i].n_refs > 0)
        return error;
    host_wait(s, d->end_ns);
    order_waited(s, &d->order_all);
    if (!s->opened[i].gone)
        device_free_now(d, m->range.addr, m->site);
    s->opened[i] = s->opened[--s->n_opened];
    return DEVICE_OK;
}

void share_look(DeviceServer *s)
{
    for (size_t i = 0; i < s->n_opened; i++) {
        Opened *o = &s->opened[i];
        if (o->gone || !mem_shared_is_gone(s->shared, o->number))
            continue;
        o->gone = true;
        device_free_now(s->devices[o->device], o->addr, 0);
    }
}

void share_tell_freed(Device *d, const MemAlloc *a, uint64_t site)
{
    if (a->shared && a->kind != MEM_OPENED && mem_shared_is_used(d->server->shared, a->shared))
        check_advise(d->check, a, a->addr, site, "memory is freed that another process has open",
                     "let that process call cudaIpcCloseMemHandle first: what it does with the memory after this is undefined");
}

void share_leaks(const Device *d)
{
    const DeviceServer *s = d->server;
    for (size_t i = 0; i < s->n_opened; i++) {
        const MemAlloc *a = s->opened[i].gone ? NULL : mem_find(d->mem, s->opened[i].addr);
        if (a && s->opened[i].device == d->index)
            check_handle_leak(d->check, a->site, "memory of another process");
    }
}

void share_reset(Device *d)
{
    DeviceServer *s = d->server;
    for (size_t i = s->n_opened; i-- > 0;)
        if (s->opened[i].device == d->index)
            s->opened[i] = s->opened[--s->n_opened];
}

void share_end(DeviceServer *s)
{
    for (size_t i = 0; i < s->n_opened; i++) {
        Opened *o = &s->opened[i];
        if (!o->gone)
            device_free_now(s->devices[o->device], o->addr, 0);
        o->gone = true;
    }
    for (uint32_t i = 0; i < s->n_devices && s->shares; i++) {
        const MemAlloc *a;
        for (size_t k = 0; (a = mem_at(s->devices[i]->mem, k)); k++)
            mem_forget_shared(s->shared, a->shared);
    }
}

/* ---- events ---- */

DeviceError share_event(DeviceServer *s, const DeviceMsg *m, DeviceReply *r)
{
    Event *e = event_find(s, m->event.id);
    if (!e)
        return DEVICE_INVALID_HANDLE;
    if (!is_there(s))
        return DEVICE_NOT_SUPPORTED;
    e->shared = e->shared ? e->shared : mem_share_name(s->shared);
    r->value = e->shared;
    return r->value ? DEVICE_OK : DEVICE_NO_MEMORY;
}

DeviceError share_open_event(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    if (!is_there(s))
        return DEVICE_NOT_SUPPORTED;
    Status st = m->range.addr > UINT32_MAX ? STATUS_NOT_FOUND
                                           : mem_find_shared_name(s->shared, (uint32_t)m->range.addr);
    return st == STATUS_OK ? event_make(d, m, r) : error_of(st);
}

void share_forget_event(DeviceServer *s, const Event *e)
{
    if (e->shared)
        mem_forget_shared(s->shared, e->shared);
}
