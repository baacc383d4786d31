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
    OrderClock ended; /* of a graph's operations that have run, and are forgotten */
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
    bool waited_for_nothing; /* for an event that nobody had recorded yet */
    uint8_t slot;            /* in an OrderClock */
    OrderClock clock;        /* of the last operation asked for */
    OrderClock work;         /* of the last one but frees: what a wait can fail for */
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
    uint32_t shared;  /* its number for other processes, 0: none */
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
    bool waited_for_nothing; /* its stream, before it was asked for */
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
    bool told;   /* the program has asked what blocks it can have, and that holds from then on */
    char *title; /* readable name */
} Function;

typedef struct Module {
    IrModule *ir; /* NULL: unloaded */
    IrInstance *instance;
    MemAlloc **globals; /* [global], NULL for shared ones */
    bool *kept_told;    /* [global]: its note is written, or is not to be (kept.c) */
    bool *launched;     /* [function] */
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
    OrderClock order_work;               /* of all but frees */
    uint64_t n_blocks_held;              /* of managed memory */
    struct {
        uint64_t live, held, keep; /* bytes: in use, held, held at least when somebody has waited */
    } pool;
    uint64_t n_launches;
    uint64_t n_allocs, n_allocs_prepared; /* origin.c */
    uint64_t n_slacks;                    /* memory.c: allocations that the host writes, too */
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

/* Memory of another process (share.c). */
typedef struct Opened {
    uint64_t addr;
    uint32_t device, number, n_refs;
    bool gone;
} Opened;

struct DeviceServer {
    DeviceOptions options;
    MemShared *shared; /* NULL: processes share nothing */
    bool shares;       /* something was shared or opened */
    Opened *opened;
    size_t n_opened, opened_cap;
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
    bool parted_told;                      /* in it: that activemask has named some of the lanes */
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

/* ---- module.c ---- */
/* The newest .target of PTX that the model takes. A card older than 7.5 lends its figures to code for 7.5:
 * nvcc makes no older code any more. */
uint32_t module_newest_target(const PerfModel *model);
DeviceError module_load(Device *d, const DeviceMsg *m, DeviceReply *r);
DeviceError module_unload(DeviceServer *s, const DeviceMsg *m);
void module_free_all(DeviceServer *s, uint32_t device);
/* A finding for each module that the program loaded and never unloaded. */
void module_leaks(DeviceServer *s, uint32_t device);
DeviceError function_find(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
DeviceError function_params(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
DeviceError function_info(DeviceServer *s, const DeviceMsg *m);
DeviceError function_set(DeviceServer *s, const DeviceMsg *m);
DeviceError function_occupancy(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
DeviceError variable_find(DeviceServer *s, const DeviceMsg *m, DeviceReply *r);
/* NULL: no such function. */
const IrFunction *function_ir(DeviceServer *s, uint32_t id);
/* The largest block that the kernel can have. There is such a function. */
uint32_t function_threads_max(DeviceServer *s, uint32_t id);

/* ---- launch.c ---- */
/* Where too much dynamic shared memory is asked for, r->value2 is 1, and r->value what the kernel may have. */
DeviceError launch_add(Device *d, const DeviceMsg *m, DeviceReply *r);
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

/* What is wrong with a launch of this shape. told: the program knows how many registers the kernel is estimated to have. */
DeviceError launch_valid(const Device *d, const DeviceLaunchMsg *l, const IrFunction *f, bool told, uint64_t dynamic_max);
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

/* ---- calls.c ---- */
void calls_start(DeviceServer *s);
/* A message that has been answered. */
void calls_add(DeviceServer *s, const DeviceMsg *m, const DeviceReply *r);
/* A variable keeps something (kept.c). */
void calls_kept(DeviceServer *s, const char *variable);
void calls_parted(DeviceServer *s, const char *kernel); /* once */

/* ---- kept.c: the host's launch is about to run ---- */
void kept_tell(Device *d, const Grid *g);

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
