/* device_internal: what the files of device/ share. See device.h for the idea.
 *
 *   server ── devices[] ── mem, modules, streams, check set, perf set, sticky error
 *          ── queue: operations of all devices in the order they were asked for
 *          ── host clock, engines of each device: modelled time
 */
#ifndef COMMON_VGPU_DEVICE_DEVICE_INTERNAL_H
#define COMMON_VGPU_DEVICE_DEVICE_INTERNAL_H

#include "common/base/arena.h"
#include "common/base/strbuf.h"
#include "common/vgpu/check/check.h"
#include "common/vgpu/device/device.h"
#include "common/vgpu/exec/exec.h"
#include "common/vgpu/film/film.h"
#include "common/vgpu/ir/ir.h"
#include "common/vgpu/mem/mem.h"
#include "common/vgpu/perf/perf.h"

/* ---- modelled time (clock.c) ---- */

typedef enum Engine {
    ENGINE_COMPUTE,
    ENGINE_TO_DEVICE,
    ENGINE_TO_HOST,
    ENGINE_DEVICE_COPY,
    N_ENGINES
} Engine;

typedef struct Interval {
    uint64_t start, end;
    double share; /* of the engine, 0 to 1 */
} Interval;

typedef struct EngineTimes {
    Interval *items;
    size_t n, cap;
} EngineTimes;

/* ---- the order that is promised between operations (order.c) ---- */

enum { ORDER_STREAMS = 64 }; /* streams that are followed at one time */

/* For each stream the number of its newest operation that has ended by then. */
typedef struct OrderClock {
    uint64_t seq[ORDER_STREAMS];
} OrderClock;

typedef struct OrderNote OrderNote;

typedef struct OrderBook {
    bool used[ORDER_STREAMS];
    OrderClock host; /* what the host has waited for */
    OrderNote **notes;
    size_t n, cap;
    OrderNote *now; /* of the operation that runs; NULL: not followed */
} OrderBook;

/* ---- streams, events and their queue ---- */

typedef struct Stream {
    uint32_t id;
    uint32_t flags;
    int32_t priority;
    uint64_t last_seq; /* last operation asked for, 0: none */
    uint64_t end_ns;   /* of the last operation that ran */
    uint64_t waited_ns; /* of the last end that a thread of the host has waited for, or seen */
    uint32_t n_queued;
    uint64_t first_asked_ns; /* when the first of those that are queued was asked for */
    uint32_t n_queries;      /* of unfinished work in a row */
    bool destroyed;          /* the handle is gone, queued work is not */
    uint64_t site;           /* where the program made it; 0: it did not */
    uint8_t slot;            /* in an OrderClock */
    OrderClock clock;        /* of the last operation asked for */
} Stream;

typedef struct Event {
    uint32_t id;
    bool timing, recorded;
    uint64_t record_seq; /* of the last record */
    bool done, waited;   /* it has run; a thread of the host has waited for it, or seen it */
    uint64_t end_ns;
    uint32_t n_queries;
    uint32_t device;
    uint64_t site;    /* where the program made it */
    OrderClock clock; /* of the last record */
} Event;

typedef enum QueueKind {
    QUEUE_LAUNCH,
    QUEUE_COPY,
    QUEUE_FILL,
    QUEUE_RECORD,
    QUEUE_WAIT,
    QUEUE_HOST,
    QUEUE_FREE,
    QUEUE_MIGRATE,
    QUEUE_CONDITION, /* a condition gets its value for a launch of the graph */
    QUEUE_BRANCH
} QueueKind;

typedef struct Grid Grid;

typedef struct QueueOp {
    uint64_t seq;
    uint64_t prev_in_stream; /* seq, 0: none */
    uint64_t *deps;          /* seqs of other streams that must have ended */
    size_t n_deps, deps_cap;
    uint64_t ready_ns; /* not before */
    uint32_t device, stream;
    uint8_t kind; /* QueueKind */
    bool needed;
    bool done;
    uint64_t inside; /* number of the branch that runs it, 0: none */
    uint32_t body, depth; /* of the branch; how many branches it is inside of */
    uint64_t end_ns; /* of its last run */
    bool in_graph; /* its stream's order means nothing to it */
    bool behind;   /* cannot begin before the launch that runs has ended */
    uint64_t site;
    OrderClock clock;
    uint8_t slot;    /* of its stream */
    uint8_t *params; /* QUEUE_LAUNCH: parameter buffer; QUEUE_COPY: staged bytes of pageable memory */
    union {
        DeviceLaunchMsg launch;
        DeviceCopy copy;
        struct {
            uint64_t dst, pitch, width, height, depth, slice;
            uint32_t value;
            uint8_t element;
        } fill;
        struct {
            uint32_t id;
        } event;
        struct {
            uint64_t token;
        } host;
        struct {
            uint64_t addr, bytes;
            uint32_t to;
        } range;
        struct {
            uint64_t handle;
            uint32_t value, n_bodies;
            uint8_t kind; /* DeviceBranch */
            bool assign;
        } condition;
    };
} QueueOp;

typedef struct Queue {
    QueueOp **ops; /* by seq */
    size_t n, cap;
    uint64_t last_seq;
} Queue;

/* ---- modules ---- */

typedef struct Function {
    uint32_t module, index; /* in the module's IrModule */
    uint64_t dynamic_shared_max;
    char *title; /* readable name */
} Function;

typedef struct Module {
    IrModule *ir; /* NULL: unloaded */
    IrInstance *instance;
    MemAlloc **globals; /* [global], NULL for shared ones */
    uint32_t device;
    bool owned; /* by the program, which loaded it at site */
    uint64_t site;
} Module;

/* ---- a device ---- */

/* Which bytes of an allocation were last written by a kernel: one byte a byte, made on the first such write.
 */
typedef struct Origin {
    uint32_t serial;
    uint8_t *by_kernel;
    uint64_t bytes;
} Origin;

typedef struct MemoryTotals {
    uint64_t h2d, d2h, d2h_kernel, d2d, peak, used;
    uint64_t page_faults, host_faults, migrated_to_device, migrated_to_host, evicted; /* managed.c */
    uint64_t taken; /* times that memory was taken from the system */
} MemoryTotals;

typedef struct Device {
    DeviceServer *server;
    uint32_t index;
    const PerfModel *model;
    Mem *mem;
    CheckSet *check;
    PerfSet *perf;
    DeviceError error; /* sticky */
    Stream **streams;  /* [0] is the legacy default stream */
    size_t n_streams, streams_cap;
    EngineTimes engines[N_ENGINES];
    uint64_t limits[DEVICE_N_LIMITS];
    uint64_t heap_used;
    bool heap_fixed; /* a kernel that may allocate has run: the heap's limit cannot change any more */
    bool peers[64];
    Origin *origins; /* by serial */
    size_t n_origins, origins_cap;
    MemoryTotals totals;
    ExecObserver origin_observer;
    MemAlloc *workspace; /* of grid barriers */
    const char *launch_kernel;
    const QueueOp *launch_op;     /* of the launch that runs */
    uint64_t launch_instructions; /* of it and what it has launched */
    uint64_t branch_instructions; /* of a branch, and what it has run */
    uint64_t launch_ns;           /* of its own grid, without those that it launches */
    ExecFault fault;              /* the first of the launch, without its pointers */
    bool has_fault;
    uint64_t end_ns;                     /* of the last operation */
    uint64_t first_ns, last_ns, busy_ns; /* operations that take time: first begin, last end, sum */
    OrderClock order_all;                /* of all operations asked for */
    uint64_t n_blocks_held;              /* of managed memory */
    struct {
        uint64_t live, held, keep; /* bytes: in use, held, held at least when somebody has waited */
    } pool;
    uint64_t n_launches;
    uint64_t n_allocs, n_allocs_prepared; /* origin.c */
    size_t n_findings_told;               /* as text (record.c) */
    struct Family *family;                /* family.c; NULL: no kernel has launched one yet */
    struct Mapped *mapped; /* map.c: what shows at this window's addresses, in order of address */
    size_t n_mapped, mapped_cap;
    struct TextureTable *textures;        /* texture.c; NULL: none made yet */
} Device;

/* Where kernels have allocated. Tokens of such places have the bit, and the number of one of these; those of the host's
 * places, which the program counts, are smaller. */
#define HEAP_SITE ((uint64_t)1 << 39)
typedef struct HeapPlace {
    char *file;
    uint32_t line;
} HeapPlace;

/* What conditional nodes of a graph look at (branch.c). */
typedef struct Condition {
    MemAlloc *word;
    uint32_t device;
    bool released;
} Condition;

/* Where a thread of the host is on the modelled time line. It begins where the first thread is at its first call. */
typedef struct HostClock {
    uint64_t ns;
    bool alive;
} HostClock;

/* Memory without an address (map.c). */
typedef struct Physical {
    MemPhysical *memory; /* NULL: gone */
    Device *device;
    uint32_t n_mapped;
    bool released;
} Physical;

struct DeviceServer {
    DeviceOptions options;
    struct Provenance *provenance; /* provenance.h; NULL: nobody wants it */
    struct Film *film;             /* NULL: nobody wants one */
    uint64_t n_grids;              /* that have run or are running */
    unsigned jobs;
    Device **devices;
    uint32_t n_devices;
    Module **modules;
    size_t n_modules, modules_cap;
    Function *functions;
    size_t n_functions, functions_cap;
    Event **events;
    size_t n_events, events_cap;
    uint32_t n_streams_made; /* stream ids are unique in the server */
    PerfModel model;         /* of all devices */
    Queue queue;
    OrderBook order;
    struct Managed *managed; /* managed.c; NULL: none made yet */
    uint64_t host_ns; /* clock of the host's thread whose message is under way */
    HostClock *clocks; /* by thread */
    size_t n_clocks, clocks_cap;
    uint64_t ended_ns; /* of threads that have ended: the first one's clock is not behind it */
    uint64_t pool_peers[DEVICE_POOLS_MAX]; /* bit i: device i may use memory of that pool, too */
    Physical *physicals; /* map.c; by number - 1 */
    size_t n_physicals, physicals_cap;
    HeapPlace *heap_places; /* memory.c; by number */
    size_t n_heap_places, heap_places_cap;
    Condition *conditions; /* branch.c */
    size_t n_conditions, conditions_cap;
    size_t n_shadows;          /* of registered memory (host.c) */
    uint64_t host_memory_used; /* address space given out for pinned and managed memory */
    uint64_t n_launch_records, n_span_records;
    uint64_t kernel_ns;                    /* of all launches */
    uint64_t n_call_lines, n_notes;        /* of the record of calls, so far */
    uint64_t n_can_fail;                   /* calls that can fail, so far */
    uint64_t n_errors_given, n_errors_met; /* errors that calls were answered with, and those that were told back */
    char *demangled;         /* of the last name asked for */
    StrBuf output, messages; /* of the reply under way */
    volatile int running, interrupted; /* a launch runs; it is to end */
    const DeviceMsg *msg;    /* under way */
    DeviceReply *reply;
};

/* ---- server.c ---- */
Device *device_of(DeviceServer *s, uint32_t index); /* NULL: none */

/* ---- memory.c: allocations ---- */
void device_alloc(Device *d, const DeviceMsg *m, DeviceReply *r);
void device_free(Device *d, const DeviceMsg *m, DeviceReply *r);
void device_register(Device *d, const DeviceMsg *m, DeviceReply *r);
void device_unregister(Device *d, const DeviceMsg *m, DeviceReply *r);
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
void map_create(Device *d, const DeviceMsg *m, DeviceReply *r);
void map_release(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void map_reserve(Device *d, const DeviceMsg *m, DeviceReply *r);
void map_unreserve(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void map_memory(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void map_unmap(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void map_access(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
/* All that is mapped in the device's window goes, and the memory of the device. */
void map_free(Device *d);

/* Somebody has waited: pools give back what they may not keep. */
void device_trim_pool(Device *d);
void device_note_used(Device *d, int64_t bytes);
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
void device_copy(Device *d, const DeviceMsg *m, DeviceReply *r);
void device_fill(Device *d, const DeviceMsg *m, DeviceReply *r);
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
void texture_create(Device *d, const DeviceMsg *m, DeviceReply *r);
void texture_destroy(Device *d, const DeviceMsg *m, DeviceReply *r);
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

/* ---- module.c ---- */
/* The newest .target of PTX that the model takes. A card older than 7.5 lends its figures to code for 7.5:
 * nvcc makes no older code any more. */
uint32_t module_newest_target(const PerfModel *model);
void module_load(Device *d, const DeviceMsg *m, DeviceReply *r);
void module_unload(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void module_free_all(DeviceServer *s, uint32_t device);
/* A finding for each module that the program loaded and never unloaded. */
void module_leaks(DeviceServer *s, uint32_t device);
void function_find(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void function_params(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void function_info(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void function_set(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void function_occupancy(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
void variable_find(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
/* NULL: no such function. */
const IrFunction *function_ir(DeviceServer *s, uint32_t id);

/* ---- launch.c ---- */
void launch_add(Device *d, const DeviceMsg *m, DeviceReply *r);
/* Runs a queued launch: its duration and the share of the device that it uses. */
uint64_t launch_run(Device *d, QueueOp *op, double *share);
/* A grid that runs: the host's, or one that a kernel launched. */
struct Grid {
    const IrInstance *instance;
    uint32_t function;     /* in the instance's module */
    DeviceLaunchMsg shape; /* its `function` means nothing here */
    const uint8_t *params;
    const char *kernel;           /* readable name */
    const Grid *launcher;         /* NULL: the host */
    const MemAlloc *params_at;    /* where the launcher has stored the parameters; NULL: they are the host's */
    uint32_t number, first_block; /* in its family; the host's: 0 */
    const ExecAfter *after;
    size_t n_after;
};

/* What is wrong with a launch of this shape. */
DeviceError launch_valid(const Device *d, const DeviceLaunchMsg *l, const IrFunction *f,
                         uint64_t dynamic_max);
/* Runs one grid of the operation and records it; its time, and the share of the device that it takes. */
uint64_t grid_run(Device *d, const QueueOp *op, const Grid *g, double *share);
PerfBlockNeeds launch_needs(const IrFunction *f, uint32_t threads, uint64_t dynamic_shared);

/* ---- family.c: grids that kernels launch ---- */

/* The host's grid of so many blocks is about to run. */
void family_begin(Device *d, uint64_t blocks);
/* What kernels ask for while a grid runs. */
ExecFamily family_host(Device *d);
/* Grids of the family that have been asked for have not run. */
bool family_has_pending(const Device *d);
/* Runs what the grid has launched, and what that launches; their time. The grid itself took own_ns. */
uint64_t family_run(Device *d, const QueueOp *op, const Grid *root, uint64_t own_ns);
/* Writes the spans of the grids that ran: the operation began at start_ns. Their grids are forgotten. */
void family_record(Device *d, const QueueOp *op, uint64_t start_ns);
void family_free(Device *d);

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
void condition_create(Device *d, DeviceReply *r);
void condition_destroy(Device *d, const DeviceMsg *m);
void condition_begin(Device *d, const DeviceMsg *m, DeviceReply *r);
void branch_add(Device *d, const DeviceMsg *m, DeviceReply *r);
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
void stream_handle(Device *d, const DeviceMsg *m, DeviceReply *r);
void event_handle(Device *d, const DeviceMsg *m, DeviceReply *r);
Event *event_find(DeviceServer *s, uint32_t id);
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

/* ---- calls.c ---- */
void calls_start(DeviceServer *s);
/* A message that has been answered. */
void calls_add(DeviceServer *s, const DeviceMsg *m, const DeviceReply *r);

/* ---- record.c ---- */
void record_line(DeviceServer *s, const StrBuf *line);
void record_start(DeviceServer *s);
void record_site(DeviceServer *s, const DeviceMsg *m);
void record_injected(DeviceServer *s, uint64_t code);
void record_failed(Device *d, const DeviceMsg *m);
void record_finding(void *device, const Finding *f);
void record_texts(DeviceServer *s);
typedef struct LaunchFigures {
    const PerfCounters *counters;
    const PerfLaunchTime *time;
    const PerfOccupancy *occupancy;
    uint64_t blocks;
} LaunchFigures;

void record_launch(Device *d, const QueueOp *op, const Grid *g, const LaunchFigures *l);
void record_film(DeviceServer *s);
void record_span(Device *d, const QueueOp *op, const char *what, const char *name, uint64_t start_ns,
                 uint64_t end_ns, uint64_t bytes);
void record_totals(DeviceServer *s);
const char *record_demangle(void *self, const char *mangled);

#endif
