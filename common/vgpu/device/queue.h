/* queue: operations that were asked for: their streams, their order, and when they run. */
#ifndef COMMON_VGPU_DEVICE_QUEUE_H
#define COMMON_VGPU_DEVICE_QUEUE_H

#include "common/vgpu/device/device_internal.h"

/* ---- queue.c ---- */
QueueOp *queue_add(Device *d, const DeviceMsg *m, QueueKind kind);
/* Makes a copy between devices a and b, just added, wait for all their streams, and these for it. */
void queue_fence(QueueOp *op, const Device *a, const Device *b);
bool queue_pending(const DeviceServer *s, uint64_t seq);
/* Runs the operation and all it depends on. DEVICE_HOST_WORK when a host function is due first. */
DeviceError queue_run(DeviceServer *s, uint64_t seq);
/* The same for the last operation of a stream, and of all streams of a device. */
/* Something is queued that could run beside the operation, and write to memory. */
bool queue_has_writers_beside(DeviceServer *s, const QueueOp *op);
DeviceError queue_run_stream(Device *d, Stream *stream);
DeviceError queue_run_device(Device *d);
/* Forgets what is queued on a device. */
void queue_drop(Device *d);
void queue_host_done(DeviceServer *s, uint64_t token);

/* Runs one operation, and nothing that it waits for. */
void queue_run_op(Device *d, QueueOp *op);

/* ---- branch.c: conditional nodes of graphs ---- */
DeviceError condition_create(Device *d, DeviceReply *r);
void condition_destroy(Device *d, const DeviceMsg *m);
DeviceError condition_begin(Device *d, const DeviceMsg *m);
DeviceError branch_add(Device *d, const DeviceMsg *m);
void condition_run(Device *d, const QueueOp *op);
/* Runs what the condition chooses; its end. */
uint64_t branch_run(Device *d, const QueueOp *op);
/* For ExecHost: self is the Device. */
bool branch_is_condition(void *self, uint64_t handle);
/* The device's memory goes. */
void conditions_forget(Device *d);

/* ---- stream.c ---- */
Stream *stream_find(Device *d, uint32_t id);
Status stream_make_default(Device *d);
void stream_free_all(Device *d);
/* Tells of streams and events that were never destroyed. */
void stream_leaks(const Device *d);
DeviceError stream_handle(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError event_handle(Device *d, const DeviceMsg *m, DeviceReply *r);
Event *event_find(DeviceServer *s, uint32_t id);
DeviceError event_make(Device *d, const DeviceMsg *m, DeviceReply *r);
void event_free_all(DeviceServer *s);
/* Frees a stream that was destroyed and has nothing queued any more. */
void stream_reap(Device *d, Stream *stream);
/* Host time passes while it waits for the end of something. */
void host_wait(DeviceServer *s, uint64_t end_ns);

/* ---- order.c ---- */
void order_join(OrderClock *to, const OrderClock *from);
uint8_t order_take_slot(DeviceServer *s);
void order_give_slot(DeviceServer *s, uint8_t slot);
/* An operation is asked for. */
void order_asked(Device *d, QueueOp *op, Stream *stream);
/* op, the last of its stream, waits for what the clock says. */
void order_event(QueueOp *op, Stream *stream, const OrderClock *event);
/* The host has waited. */
void order_waited(DeviceServer *s, const OrderClock *clock);
/* Has it waited for all of it before? Of what is asked of a stream in no slot (ORDER_STREAMS) that is not known. */
bool order_has_waited(const DeviceServer *s, const OrderClock *clock, uint8_t slot);
/* An operation runs; what it touches is told next. */
void order_begin(Device *d, const QueueOp *op);
/* Does anybody want to know what the operation touches? */
bool order_wanted(const Device *d);
/* The operation that runs uses bytes [from, to) of an allocation of d's. */
void order_touch(Device *d, const MemAlloc *a, uint64_t from, uint64_t to, PerfTouch access);
void order_free(DeviceServer *s);

/* ---- clock.c ---- */
/* The clock of the host's thread becomes host_ns, and takes it back. */
void clock_enter(DeviceServer *s, uint32_t thread);
void clock_leave(DeviceServer *s, uint32_t thread);
void thread_end(DeviceServer *s, const DeviceMsg *m);
uint64_t clock_place(Device *d, Engine e, uint64_t ready_ns, uint64_t duration_ns, double share);
/* Counts an operation that has been placed, for the overlap ratio. */
void clock_count(Device *d, uint64_t start_ns, uint64_t duration_ns);
/* Time of all operations over the time from the first begin to the last end; 0 without operations. */
double clock_overlap(const DeviceServer *s);
void clock_free(Device *d);

#endif
