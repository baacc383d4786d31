/* share: memory and events that the devices of several processes use. */
#ifndef COMMON_VGPU_DEVICE_SHARE_H
#define COMMON_VGPU_DEVICE_SHARE_H

#include "common/vgpu/device/device_internal.h"

DeviceError share_memory(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError share_open(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError share_close(DeviceServer *s, const DeviceMsg *m);
DeviceError share_event(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
DeviceError share_open_event(Device *d, const DeviceMsg *m, DeviceReply *r);
/* May other processes change memory that this one uses? */
bool share_is_used(const DeviceServer *s);
/* What its owner has freed, or left, is freed here too: an operation is about to use memory. */
void share_look(DeviceServer *s);
/* The allocation goes, for others too. */
void share_tell_freed(Device *d, const MemAlloc *a, uint64_t site);
void share_forget_event(DeviceServer *s, const Event *e);
/* Tells of what is still open; and forgets it. */
void share_leaks(const Device *d);
void share_reset(Device *d);
/* The process ends: others see that, and it holds nothing of theirs. */
void share_end(DeviceServer *s);

#endif
