/* memory: allocations of a device, what shows at its addresses, and what is written there. */
#ifndef COMMON_VGPU_DEVICE_MEMORY_H
#define COMMON_VGPU_DEVICE_MEMORY_H

#include "common/vgpu/device/device_internal.h"

/* ---- memory.c: allocations ---- */
DeviceError device_alloc(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError device_free(Device *d, const DeviceMsg *m);
DeviceError device_register(Device *d, const DeviceMsg *m);
DeviceError device_unregister(Device *d, const DeviceMsg *m);
/* The allocation of any device that contains addr, live, and its device; NULL when there is none. */
MemAlloc *device_find(DeviceServer *s, uint64_t addr, Device **owner);
/* The allocation nearest to addr on the device whose window it is in; NULL when it is in none. */
const MemAlloc *device_locate(const DeviceServer *s, uint64_t addr, unsigned *owner);
/* Releases the memory of a queued free. */
void device_free_now(Device *d, uint64_t addr, uint64_t site);
void device_free_all(Device *d);
void device_pool_access(Device *d, const DeviceMsg *m);
/* May a kernel of d use the allocation of another device? */
bool device_may_use(const Device *d, const Device *owner, const MemAlloc *a);

/* ---- map.c: virtual memory management ---- */
DeviceError map_create(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError map_release(DeviceServer *s, const DeviceMsg *m);
DeviceError map_reserve(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError map_unreserve(DeviceServer *s, const DeviceMsg *m);
DeviceError map_memory(DeviceServer *s, const DeviceMsg *m);
DeviceError map_unmap(DeviceServer *s, const DeviceMsg *m);
DeviceError map_access(DeviceServer *s, const DeviceMsg *m);
/* All that is mapped in the device's window goes, and the memory of the device. */
void map_free(Device *d);

/* Somebody has waited: pools give back what they may not keep. */
void device_trim_pool(Device *d);
void device_note_used(Device *d, int64_t bytes);
/* Finds what host code has written past the end of pinned and managed memory, in the last page. */
void device_check_slack(Device *d, uint64_t site);
uint64_t device_heap_alloc(void *self, uint64_t bytes, uint64_t site);
bool device_heap_free(void *self, uint64_t addr);
/* A place where a kernel has allocated becomes its file and line; others stay. */
void device_heap_place(const DeviceServer *s, FindingSite *site);
void heap_places_free(DeviceServer *s);

/* ---- host.c: the caller's memory ---- */
/* Page-aligned memory for pinned and managed allocations, at an address that is the same in every run; NULL.
 */
void *host_map(DeviceServer *s, uint64_t bytes);
void host_unmap(DeviceServer *s, void *p, uint64_t bytes);
/* The same for managed memory: the program's address; *here is where the device reaches the same pages. */
void *host_map_twice(DeviceServer *s, uint64_t bytes, uint8_t **here);
void host_unmap_again(DeviceServer *s, uint8_t *here, uint64_t bytes);
/* Where the bytes of registered memory are for kernels: the memory itself, or a shadow of another process's.
 */
uint8_t *host_shadow(DeviceServer *s, uint64_t addr, uint64_t bytes);
void host_shadow_free(DeviceServer *s, uint8_t *shadow, uint64_t bytes);
/* Around what may use them, shadows are made like the caller's memory, and what changed is given back. */
void host_refresh(DeviceServer *s);
void host_give_back(DeviceServer *s);

/* ---- copy.c ---- */
DeviceError device_copy(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError device_fill(Device *d, const DeviceMsg *m);
/* Run what the queue holds; give the modelled duration. */
uint64_t copy_run(Device *d, QueueOp *op, Engine *engine, uint64_t *bytes);
uint64_t fill_run(Device *d, QueueOp *op);

/* ---- managed.c: managed memory ---- */
void managed_add(Device *d, const MemAlloc *a);
void managed_drop(Device *d, MemAlloc *a);
void managed_free(DeviceServer *s);
/* Is there any? */
bool managed_wanted(const Device *d);
void managed_host_pages(Device *d, const DeviceMsg *m);
void managed_host_touch(Device *d, const DeviceMsg *m);
void managed_advise(Device *d, const DeviceMsg *m);
/* What a copy from a device's memory has written, which the record of provenance knows already. */
void managed_copied(DeviceServer *s, uint64_t addr, uint64_t bytes);
/* The launch that runs used bytes [from, to) of an allocation: moves them, and looks for touches that came
 * too early. */
void managed_use(Device *d, const MemAlloc *a, uint64_t from, uint64_t to, PerfTouch how);
void managed_compare(Device *d, const QueueOp *op, const MemAlloc *a, uint64_t from, uint64_t to,
                     PerfTouch how);
/* What moving has cost the launch, once. */
uint64_t managed_take_ns(Device *d);
/* Runs a prefetch; gives its duration. */
uint64_t managed_prefetch(Device *d, const QueueOp *op, Engine *engine);
/* Touches that no work can clash with any more; all of them. */
void managed_forget_touches(DeviceServer *s, bool all);

/* ---- texture.c: texture and surface objects ---- */
DeviceError texture_create(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError texture_destroy(Device *d, const DeviceMsg *m);
void texture_free_all(Device *d);
/* Tells of objects that were never destroyed. */
void texture_leaks(const Device *d);
/* For ExecHost: self is the Device. */
const ExecTexture *texture_of(void *self, uint64_t handle);

/* ---- origin.c: who wrote a byte ---- */
void origin_observe(Device *d);
void origin_clear(Device *d, const MemAlloc *a, uint64_t addr, uint64_t bytes);
void origin_fill(Device *d, const MemAlloc *a, uint64_t addr, uint64_t bytes, uint8_t value);
void origin_copy(Device *to, const MemAlloc *ta, uint64_t t, Device *from, const MemAlloc *fa, uint64_t f,
                 uint64_t bytes);
uint64_t origin_count(const Device *d, const MemAlloc *a, uint64_t addr, uint64_t bytes);
/* Counts what kernels wrote to memory that the host shares, as if it had been copied to the host; once. */
void origin_count_shared(Device *d, const MemAlloc *a);
void origin_drop(Device *d, uint32_t serial);
void origin_free(Device *d);
/* Lets a launch mark: makes the tables of all allocations, so that workers need not. */
void origin_prepare(Device *d);

#endif
