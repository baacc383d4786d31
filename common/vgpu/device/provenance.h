/* provenance: where each byte came from, when somebody wants to know. Theory of operation:
 *
 * Each granule (4 bytes) of device memory has the number of who wrote it last:
 *
 *      0       nobody, or nobody knows
 *      host    bytes of the program's process: copies, parameters, constants, immediates, shared memory
 *      fill    a memset
 *      store   an instruction of a kernel, in a launch (a group of launches when there are many)
 *
 * Copies on the device and between devices carry the numbers along. What goes to the host becomes a row of
 * its bytes and their numbers. Of each launch is kept, for each instruction, how many operations it did and
 * which numbers it read; of each kernel, which instructions a store depends on (ir/slice.h). A judge closes
 * over all of that: what reached a result. docs/contracts.md, "The virtual GPU's provenance", has the format.
 *
 * Everything is bounded. When a limit cuts the record, it says so (`cut`), and is not complete.
 *
 * Memory that the host shares (managed, pinned, registered) is judged by its bytes: `known` is what the
 * device last knew of them. What differs when a kernel or a copy reads there is the host's.
 *
 *      provenance.c         the record: numbers, rows, bytes
 *      provenance_marks.c   granules of memory: copies, fills, shared memory
 *      provenance_launch.c  launches: an observer of stores and loads, operations
 *      provenance_write.c   the record as JSON and bytes
 */
#ifndef COMMON_VGPU_DEVICE_PROVENANCE_H
#define COMMON_VGPU_DEVICE_PROVENANCE_H

#include "common/vgpu/device/device_internal.h"
#include "common/vgpu/exec/ops.h"
#include "common/vgpu/ir/slice.h"

#include <pthread.h>

enum {
    PROVENANCE_GRANULE = 4,
    PROVENANCE_IDS = 65536,
    PROVENANCE_GROUP_IDS_MAX = 32768, /* from here on launches share their kernel's numbers */
    PROVENANCE_HOST_IDS_MAX = 57344,  /* from here on host rows share one */
    PROVENANCE_GROUPS_MAX = 256,      /* launches that are kept apart */
    PROVENANCE_ROWS_MAX = 1 << 18,    /* host rows and rows that went to the host, of each kind */
    PROVENANCE_RUNS_MAX = 1 << 21,    /* of numbers, in all rows */
    PROVENANCE_TEXT_RUNS_MAX = 64,    /* of a row that the JSON names; more are written as bytes */
    PROVENANCE_FUNCTIONS_MAX = 4096,
    PROVENANCE_TAKEN_MAX = 64, /* rows of what the host wrote while a launch ran */
};
#define PROVENANCE_BIN_MAX ((uint64_t)64 << 20)

typedef enum ProvKind { PROV_NOBODY, PROV_HOST, PROV_FILL, PROV_STORE } ProvKind;

/* The names are provenance_how's. */
typedef enum ProvHow { PROV_COPY, PROV_PARAMETER, PROV_CONSTANT, PROV_IMMEDIATE, PROV_SHARED } ProvHow;

typedef struct ProvHost {
    uint16_t id;
    uint8_t how; /* ProvHow */
    bool merged; /* stands for several; `bytes` is their sum, and none of them are kept */
    uint64_t at, bytes, hash;
    uint64_t times;
    uint32_t next; /* of its bucket, + 1 */
} ProvHost;

typedef struct ProvFill {
    uint16_t id;
    uint32_t value;
    uint64_t times;
} ProvFill;

typedef struct ProvRun {
    uint64_t bytes;
    uint16_t id;
} ProvRun;

typedef struct ProvOut {
    uint8_t how;
    uint64_t at, bytes, hash, times;
    size_t first_run, n_runs;
    uint64_t runs_at; /* of many, in the bytes that are written */
    uint32_t next;
} ProvOut;

typedef struct ProvStore {
    uint16_t id;
    uint32_t group, site;
} ProvStore;

typedef struct ProvOps {
    uint32_t pc;
    uint64_t count;
} ProvOps;

typedef struct ProvReads {
    uint32_t pc, n;
    size_t first; /* in ProvGroup.ids */
} ProvReads;

typedef struct ProvGroup {
    uint32_t function;
    uint64_t launches;
    uint64_t changes; /* see ProvFunction.rows */
    ProvOps *ops;
    ProvReads *reads;
    uint16_t *ids;
    size_t n_ops, n_reads, n_ids, ids_cap;
} ProvGroup;

/* The granules of an allocation. */
typedef struct ProvMarks {
    const MemAlloc *alloc; /* it may be gone: look at serial */
    uint32_t serial;
    Device *owner;
    uint64_t addr, bytes, n; /* n granules */
    uint16_t *ids;
    uint16_t same; /* of all granules, unless they are mixed */
    bool mixed, changed;
    bool written;               /* there is something in `ids`, which counts while they are mixed */
    bool shared;                /* with the host */
    uint8_t *known;             /* shared: the bytes that the device knows */
    uint8_t *host;              /* shared: where the bytes are */
    uint64_t looked;            /* the launch that has looked for what the host wrote */
    uint64_t low, high;         /* granules that the launch has stored to: [low, high) */
    uint64_t out_low, out_high; /* granules that the host may see next */
} ProvMarks;

/* An instruction in the launch that runs. */
typedef struct ProvPc {
    uint16_t store_id; /* 0: none yet */
    uint16_t last;     /* number read last; 0: none, or nobody's */
    uint64_t *read;    /* a bit for each number; NULL: nothing read */
    const MemAlloc *alloc;
    uint32_t serial;
    ProvMarks *marks; /* of alloc */
    uint64_t ops;
    bool ran;
} ProvPc;

/* A number that an instruction reads in every launch in which it runs: an immediate. */
typedef struct ProvConstant {
    uint32_t pc;
    uint16_t id;
} ProvConstant;

/* A kernel and all that it calls, as one space of pcs. */
typedef struct ProvFunction {
    char *name;
    const IrModule *module; /* NULL: unloaded */
    uint32_t entry;
    IrTree tree;
    bool has_tree;
    uint32_t n;
    ProvPc *pcs;
    uint16_t *merged_ids;  /* [pc]: of the group that stands for many launches */
    uint32_t merged_group; /* + 1; 0: none */
    /* Of the kernel's last launch by the host: its parameters' rows, and its shape. What the next one has in
     * another way is a change: which of few rows a launch gets, and how large it is, are bytes of the host,
     * too. */
    uint16_t *rows;
    uint32_t shape[7]; /* grid, block, dynamic shared memory */
    bool launched;
    ProvConstant *constants;
    size_t n_constants, constants_cap;
    uint8_t *sites;   /* [pc]: its slice is wanted */
    uint8_t **slices; /* [pc]: bits of its slice, or NULL */
} ProvFunction;

enum { PROV_BUCKETS = 4096 };

/* The order of launches by the host: which kernel followed last time on the four before it. In most programs
 * the same follows; each that does not is a change of its group, and so is every eighth four that had not
 * come before. */
enum { PROV_BEFORE = 4, PROV_ORDERS = 4096, PROV_FRESH_FREE = 8 };
typedef struct ProvOrder {
    uint32_t before[PROV_BEFORE];  /* functions + 1 */
    uint32_t follows[PROV_ORDERS]; /* [hash of before]: function + 1; 0: none yet */
    uint32_t fresh;
} ProvOrder;

typedef struct Provenance {
    DeviceServer *server;
    pthread_mutex_t lock; /* workers of a launch */
    const char *cut;      /* NULL: complete */
    bool written;
    uint8_t *kinds;  /* [id]: ProvKind; after them, in the same memory: */
    uint8_t *untold; /* [id]: of an instruction whose stores are told without their values, as atomics are */
    uint8_t *used;   /* [id]: of a store that has been done */
    uint32_t n_ids;  /* the next one */
    uint16_t many;   /* the host row that stands for those that came too late; 0: none yet */
    uint8_t *bin;
    uint64_t n_bin, n_pages; /* bytes of `bin`; of them, and behind them, those that have memory */
    ProvHost *hosts;
    ProvFill *fills;
    ProvOut *outs;
    ProvRun *runs;
    ProvStore *stores;
    ProvGroup *groups;
    ProvFunction **functions;
    size_t n_hosts, hosts_cap, n_fills, fills_cap, n_outs, outs_cap, n_runs, runs_cap, n_stores, stores_cap,
        n_groups, groups_cap, n_functions, functions_cap;
    uint32_t host_buckets[PROV_BUCKETS], out_buckets[PROV_BUCKETS];
    ProvMarks ***marks; /* [device][serial] */
    size_t *n_marks, *marks_cap;
    ProvMarks **shared; /* of them those that the host shares */
    size_t n_shared, shared_cap;
    uint16_t taken[PROVENANCE_TAKEN_MAX]; /* the last rows of what the host wrote */
    size_t n_taken;
    ProvMarks **dead; /* freed by kernels, and gone when the launch ends */
    size_t n_dead, dead_cap;
    /* the launch that runs */
    ProvFunction *function;
    uint32_t group;
    uint64_t launch;   /* 1, 2... */
    ProvOrder *orders; /* [device]: threads of the host, one for each, may take turns as they like */
    Device *device;
    bool merged;
    ExecObserver observer;
} Provenance;

/* ---- provenance.c ---- */
/* NULL: no memory. */
Provenance *provenance_new(DeviceServer *s);
void provenance_free(Provenance *p);
/* The record is not complete any more. The first reason stays. */
void provenance_cut(Provenance *p, const char *why);
/* A new number; 0: there are none. */
uint16_t provenance_id(Provenance *p, ProvKind kind);
/* Rows are put together of pieces: where the next one begins; a piece of it; its end. */
uint64_t provenance_begin(const Provenance *p);
void provenance_add(Provenance *p, const void *bytes, uint64_t n);
uint16_t provenance_host(Provenance *p, ProvHow how, uint64_t begin);
uint16_t provenance_fill_id(Provenance *p, uint32_t value);
/* Runs of the row that began there: first what provenance_run adds, then the end. */
void provenance_run(Provenance *p, size_t first_run, uint64_t bytes, uint16_t id);
void provenance_out(Provenance *p, ProvHow how, uint64_t begin, size_t first_run);

/* ---- provenance_marks.c ---- */
/* The granules of a live allocation of d's, made if need be. NULL: no memory. */
ProvMarks *marks_of(Provenance *p, Device *d, const MemAlloc *a);
/* The same for one of any device. */
ProvMarks *marks_find(Provenance *p, Device *d, const MemAlloc *a);
/* From here on each granule has a number of its own. */
void marks_mix(ProvMarks *m);
void marks_set(Provenance *p, ProvMarks *m, uint64_t addr, uint64_t bytes, uint16_t id);
/* Before a kernel or a copy reads there: what the host has put there becomes a row. */
void marks_look(Provenance *p, ProvMarks *m, uint64_t addr, uint64_t bytes, const uint8_t *now);
/* A launch begins: finds again which allocations have one number only. Ends: the device knows what it stored.
 */
void marks_launch_begin(Provenance *p);
void marks_launch_end(Provenance *p);
void marks_free(Provenance *p);
/* What the host may see now: of one allocation, a part of it; of all but managed memory; of all. */
void marks_show(Provenance *p, ProvMarks *m, uint64_t addr, uint64_t bytes);
void marks_show_all(Provenance *p, bool managed_too);
void provenance_fill(Provenance *p, Device *owner, const MemAlloc *a, uint64_t addr, uint64_t bytes,
                     uint32_t value);
/* A side of a copy; alloc NULL: memory that the device does not know. */
typedef struct ProvSide {
    Device *owner;
    const MemAlloc *alloc;
    bool on_device;
    uint64_t addr, pitch, slice;
} ProvSide;
void provenance_copy(Provenance *p, const DeviceCopy *c, const ProvSide *dst, const ProvSide *src);
/* An allocation is about to go. */
void provenance_drop(Provenance *p, Device *owner, const MemAlloc *a);
/* The same of a kernel's heap, while it runs. */
void provenance_drop_heap(Provenance *p, Device *owner, const MemAlloc *a);
/* The host has looked at a part of an allocation that it shares. */
void provenance_show(Provenance *p, Device *owner, const MemAlloc *a, uint64_t addr, uint64_t bytes);
/* A module's variable has its first value; NULL: zeros. */
void provenance_variable(Provenance *p, Device *d, const MemAlloc *a, bool zero);

/* ---- provenance_launch.c ---- */
void provenance_launch_begin(Provenance *p, Device *d, const Grid *g);
void provenance_launch_end(Provenance *p);
void provenance_forget_module(Provenance *p, const IrModule *m);
void provenance_function_free(ProvFunction *f);

/* ---- provenance_write.c ---- */
/* Writes the record, once: a head of two numbers, the JSON, the bytes. */
void provenance_write(Provenance *p, int fd);

#endif
