/* exec: runs one kernel launch. One decoded instruction at a time over the 32 lanes of a warp, under a mask, or over all warps of
 * a block while they go one way (wide.h).
 *
 * exec knows ir and mem; it never names check or perf: they observe it through ExecObserver. It never crashes on a
 * bad kernel: a fault ends the launch with an ExecError, after the observer was told.
 *
 * Order and determinism. With jobs = 1 blocks run one after the other in the order that the seed gives, each until it
 * ends or must wait for another; that order is the reference. With more jobs blocks run side by side, and an operation
 * whose result depends on the order of blocks (an atomic whose result is used, a float atomic, a volatile, relaxed, acquire or
 * release load or store, printf, device malloc) waits until all earlier blocks in the reference
 * order have ended (or have given up their turn in a way that jobs = 1 would have too): the bytes are the same.
 * %clock counts the instructions of the block, as if all blocks began at once, and needs no turn.
 *
 * A block gives up its turn when all its warps spin (loads that must not be cached, atomics that change nothing,
 * nanosleep, and no store between them), or after very many instructions; then the next block of the order begins, and when all
 * have begun, those put aside go on in turn. When nothing changes any more, whoever goes on, the launch ends as a deadlock
 * (hang.c). Integer add, min, max, and, or, xor without a used result commute, and need no turn.
 */
#ifndef COMMON_VGPU_EXEC_EXEC_H
#define COMMON_VGPU_EXEC_EXEC_H

#include "common/base/status.h"
#include "common/vgpu/ir/ir.h"
#include "common/vgpu/mem/mem.h"

/* What ends a launch early; device turns one into the cudaError that hardware gives (sticky or not). */
enum { EXEC_WARPS_MAX = 32 }; /* of a block: 1024 threads */
enum { EXEC_N_BARRIERS = 16 /* that a program can name */, EXEC_CLUSTER_BARRIER = EXEC_N_BARRIERS };

typedef enum ExecError {
    EXEC_OK = 0,
    EXEC_ILLEGAL_ADDRESS,     /* cudaErrorIllegalAddress */
    EXEC_MISALIGNED,          /* cudaErrorMisalignedAddress */
    EXEC_INVALID_ADDRESS_SPACE,
    EXEC_INVALID_PC,          /* call through a bad function pointer */
    EXEC_STACK_OVERFLOW,      /* local memory over the limit: cudaErrorLaunchFailure (hardware stack error) */
    EXEC_ASSERT,
    EXEC_TRAP,                /* cudaErrorLaunchFailure */
    EXEC_TIMEOUT,             /* instruction budget used up: cudaErrorLaunchTimeout */
    EXEC_DEADLOCK,            /* every live warp waits for something that cannot come */
    EXEC_INTERRUPTED,         /* somebody wants the launch to end: cudaErrorLaunchTimeout */
    EXEC_ILLEGAL_INSTRUCTION, /* not supported here; the diag says which */
    EXEC_NO_MEMORY,           /* the host's */
} ExecError;

typedef enum ExecAccessKind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESS_REDUCTION } ExecAccessKind;
typedef enum ExecPattern { PATTERN_UNIFORM, PATTERN_UNIT_STRIDE, PATTERN_OTHER } ExecPattern;

/* An asynchronous copy writes shared memory at any moment from the instruction on; here it does so as late as it may. Both
 * ends are told: a store that begins leaves memory as it is (it counts as traffic, and may race), one that lands writes it. */
typedef enum ExecAsync { ACCESS_NOW, ACCESS_BEGINS, ACCESS_LANDS } ExecAsync;

/* A texture instruction that filters reads up to eight texels: each is an access of its own. */
typedef enum ExecTextureAccess { ACCESS_PLAIN, ACCESS_TEXTURE, ACCESS_TEXTURE_MORE, ACCESS_SURFACE } ExecTextureAccess;

/* Who: valid during the callback. */
typedef struct ExecWho {
    uint32_t block[3], block_linear; /* linear: in the family, see ExecLaunch.first_block */
    uint32_t block_dim[3];
    uint32_t warp;          /* in the block */
    uint32_t first_thread;  /* linear thread index in the block of lane 0: warp * 32 */
    uint32_t worker;        /* 0 .. jobs-1: observers keep one state a worker, and merge when the launch ends */
    const IrFunction *function;
    const IrInst *inst;
    /* Blocks that wait for another are put aside, and may go on in another worker: `slot` tells the blocks that are
     * there at once apart (0, 1, 2...; a block keeps its slot from block_begin to block_end, then another gets it). */
    uint32_t slot;
    uint32_t live;          /* lanes of the warp that have not exited */
    const void *frame;      /* which call's registers the instruction uses: tells the frames of a lane apart */
    /* An observer that sets it in `access`, or when told of FAULT_SHUFFLE_UNNAMED, is told of what this warp executes from now on (.follow), until it takes it back there. NULL:
     * it cannot be. */
    bool *follow;
} ExecWho;

/* One memory instruction of one warp, after its checks passed and before its effect. */
typedef struct ExecAccess {
    uint8_t kind;           /* ExecAccessKind */
    uint8_t space;          /* IrSpace, generic resolved: GLOBAL SHARED LOCAL CONST (never GENERIC); lanes of several spaces come as several events */
    uint8_t pattern;        /* ExecPattern of the active lanes */
    uint8_t sem, scope;     /* IrSem, IrScope */
    uint32_t bytes;         /* a lane, all elements of a vector together */
    uint32_t mask;          /* active lanes */
    const uint64_t *addr;   /* [32] global: device address; shared, local: offset in the block's / lane's memory */
    uint64_t low;           /* the first active lane's */
    uint32_t solid_bytes;   /* the active lanes have these bytes from `low` on, side by side or all the same; 0: not known to */
    MemAlloc *alloc;        /* global: the allocation of all active lanes, NULL when they differ */
    uint8_t *const *host;   /* [32] where the bytes are; NULL when all lie in one piece: exec_access_host */
    uint8_t *host0;         /* host address of the first active lane */
    uint64_t lane_stride;   /* from lane to lane, beside the addresses: local memory */
    uint64_t changed;       /* not used yet: 0 */
    /* Stores: element k of lane i is the low bytes / n_values bytes at value[k] + i * value_stride (the source registers);
     * the race checker tells by it whether two threads write the same value. n_values 0: not told. */
    const uint8_t *const *value;
    uint8_t n_values, value_stride;
    uint8_t async;          /* ExecAsync */
    /* Lanes that go together, as the rows of a 2D block do; told when all 32 are active. 32: the pattern is uniform or unit stride;
     * 16 or 8: each group of so many lanes (0-15, 16-31) is uniform in itself, or each is at unit stride (group_pattern); 0: none. */
    uint8_t group_lanes, group_pattern;
    uint8_t texture;        /* ExecTextureAccess */
} ExecAccess;

/* Where an active lane's bytes are. */
static inline uint8_t *exec_access_host(const ExecAccess *a, unsigned lane)
{
    unsigned first = (unsigned)__builtin_ctz(a->mask);
    return a->host ? a->host[lane] : a->host0 + (int64_t)(a->addr[lane] - a->addr[first]) + (lane - first) * a->lane_stride;
}

/* One weak load or store of many threads of a block at once, at addresses that are an affine function of the thread's index: thread
 * (x, y, z) accesses `bytes` bytes at base + x * step[0] + y * step[1] + z * step[2], which neither wraps nor leaves one piece of
 * memory. The threads of linear index below n_threads take part: all of the block, or the first ones of a block with one
 * dimension; none of them has exited. After the checks passed and before the effect; who->warp is 0. */
typedef struct ExecWideAccess {
    uint8_t kind, space; /* ACCESS_LOAD or ACCESS_STORE; SPACE_GLOBAL or SPACE_SHARED */
    uint8_t sem;         /* SEM_WEAK or SEM_NC */
    uint32_t bytes;      /* of a thread, all elements of a vector together */
    uint32_t n_threads;
    uint64_t base;
    int64_t step[3];
    uint64_t low, end;   /* all bytes lie in [low, end) */
    MemAlloc *alloc;     /* global: the allocation of them all */
    uint8_t *host;       /* where `low` is; the bytes up to `end` follow */
    /* Stores: element k of lane i of warp w is the low bytes / n_values bytes at value[k] + w * warp_stride + i * value_stride. */
    const uint8_t *const *value;
    uint8_t n_values, value_stride;
    size_t warp_stride;
    /* Observers with takes_rows: the same in n_blocks blocks of consecutive linear index, of which who's is the first, each block_step
     * bytes on from the one before; low and end are those of all. Told before any of it was done, without values. 1: only this block. */
    uint32_t n_blocks;
    int64_t block_step;
} ExecWideAccess;

typedef enum ExecFaultKind {
    FAULT_OUT_OF_BOUNDS, FAULT_FREED, FAULT_NULL, FAULT_HOST_POINTER, FAULT_WRONG_SPACE, FAULT_MISALIGNED, FAULT_READ_ONLY,
    FAULT_OTHER_DEVICE, FAULT_BAD_CALL, FAULT_STACK, FAULT_ASSERT, FAULT_TRAP, FAULT_TIMEOUT, FAULT_DEADLOCK, FAULT_INTERRUPTED, FAULT_UNSUPPORTED,
    FAULT_BARRIER_EXITED,    /* a barrier whose missing threads have exited (hardware goes on; still a finding); who.warp, lane, mask: theirs */
    FAULT_BARRIER_DIVERGENT, /* threads of one warp (mask) wait at a barrier that others of it have not reached, or reach another one */
    FAULT_SYNC_MASK,         /* *.sync names live lanes (mask) that never come, or does not name the executing lanes (mask) */
    FAULT_SHUFFLE_SOURCE,    /* lanes (mask) read by a shuffle from lanes that the mask names and that have exited: they get 0 */
    FAULT_SHUFFLE_UNNAMED,   /* lanes (mask) read from lanes that the mask does not name: they get 0 */
    FAULT_MATRIX_ALIGNMENT,  /* wmma.load or .store from where the programming guide forbids (hardware may go on); detail: what is wrong */
    FAULT_SURFACE_BOUNDS,    /* a surface access outside, in trap mode; detail: where */
    FAULT_TEXTURE_UNKNOWN,   /* a handle that no texture or surface ever had */
    FAULT_TEXTURE_MISUSED,   /* a handle that is 0 or destroyed, or an instruction that does not fit the object (hardware goes on) */
} ExecFaultKind;

typedef struct ExecFault {
    uint8_t kind;       /* ExecFaultKind */
    uint8_t access;     /* ExecAccessKind for memory faults */
    uint8_t space;      /* IrSpace */
    uint8_t lane;       /* the first lane at fault */
    uint32_t mask;      /* all lanes at fault */
    uint32_t thread[3]; /* of `lane` */
    uint32_t bytes;
    uint64_t address;   /* of `lane` */
    const uint64_t *addr; /* [32] or NULL */
    const char *detail; /* assert's text, an unsupported opcode, who waits where when a launch hangs; or NULL */
} ExecFault;

/* What the lanes of a warp are about to do, and where the others are: each live lane is in one of these. A guard may leave no lane. */
typedef struct ExecStep {
    uint32_t active;  /* go through the instruction together */
    uint32_t mask;    /* of them those that the guard lets execute; all of them at a branch */
    uint32_t other;   /* elsewhere in the code, and can run */
    uint32_t joining; /* wait where the sides of a branch meet */
    uint32_t barrier; /* wait at a barrier */
    uint32_t sync;    /* wait at a warp operation for lanes that it names */
    const uint8_t *from;   /* a shuffle: [32] which lane's value each one gets; else NULL */
    const uint32_t *value; /* a shuffle: [32] the values that lanes give; else NULL */
    const uint8_t *regs;   /* who->function's register file, in this frame (ir.h) */
    const uint8_t *local;  /* lane 0's local memory from the beginning of this frame on; NULL: none */
    size_t local_stride;   /* from lane to lane */
} ExecStep;

/* What a warp has done with who->inst. */
typedef struct ExecDone {
    uint32_t mask;  /* lanes that executed it */
    uint32_t first; /* selp: those that took the first source */
    uint32_t zero[2]; /* and: those whose source 0, or 1, was 0 */
    const uint8_t *from; /* [32] shfl: the lane that each one reads; else NULL */
} ExecDone;

typedef struct ExecLaunch ExecLaunch;
struct ExecCounts;
struct ExecInstCount;

/* Callbacks may be NULL. `self` is passed through. From several threads at once when jobs > 1 (see ExecWho.worker). */
typedef struct ExecObserver {
    void *self;
    void (*launch_begin)(void *self, const ExecLaunch *launch);
    void (*block_begin)(void *self, const ExecWho *who, uint32_t shared_bytes);
    void (*access)(void *self, const ExecWho *who, const ExecAccess *access);
    /* A whole block's access at once. False: this observer wants it warp by warp, and gets an `access` for each. NULL: always so. */
    bool (*access_wide)(void *self, const ExecWho *who, const ExecWideAccess *access);
    /* A warp is about to execute who->inst. Blocks that this is wanted of run warp by warp. */
    void (*step)(void *self, const ExecWho *who, const ExecStep *step);
    /* Is .step wanted of the block of this linear index? Asked before it begins. NULL: of each. */
    bool (*wants_steps)(void *self, uint64_t block);
    /* A warp has executed who->inst: ExecWho.follow. A launch with an observer that has this plans no block that reads what nobody wrote
     * before the launch began. */
    void (*follow)(void *self, const ExecWho *who, const ExecDone *done);
    /* Lanes (mask) have called who->function: its frame begins at byte `base` of each one's local memory, and holds nothing but
     * arguments. A kernel's own frame begins at 0 with block_begin. */
    void (*frame)(void *self, const ExecWho *who, uint32_t mask, uint32_t base);
    /* All threads of the block that take part have arrived, and go on together. */
    void (*barrier)(void *self, const ExecWho *who, uint32_t barrier_id);
    /* A barrier of some threads only (bar.sync and bar.arrive with a count): lanes of each of the n_warps warps that arrived, and
     * those of them that waited, which go on. An observer without it gets `barrier`. */
    void (*barrier_part)(void *self, const ExecWho *who, const uint32_t *arrived, const uint32_t *waited, uint32_t n_warps);
    /* Lanes of a warp met at __syncwarp (bar.warp.sync); shuffles and votes give no memory order and are not told. */
    void (*warp_sync)(void *self, const ExecWho *who, uint32_t mask);
    /* membar, fence. */
    void (*fence)(void *self, const ExecWho *who, uint32_t mask, IrSem sem, IrScope scope);
    void (*fault)(void *self, const ExecWho *who, const ExecFault *fault);
    /* A lane has launched the grid of this number (dynamic parallelism): what it did and knows happens before that grid. */
    void (*spawn)(void *self, const ExecWho *who, uint32_t lane, uint32_t grid);
    /* What the blocks that a worker (who->worker) ran have retired, once before launch_end. */
    void (*retired)(void *self, const ExecWho *who, const struct ExecCounts *counts);
    /* The same by instruction, once for each function that the worker ran: counts[pc], n_insts of them. */
    void (*retired_code)(void *self, const ExecWho *who, const IrFunction *f, const struct ExecInstCount *counts);
    void (*block_end)(void *self, const ExecWho *who);
    void (*launch_end)(void *self, const ExecLaunch *launch);
    bool takes_rows;  /* .access_wide may be told of several blocks that have no barriers at once */
    bool writes_only; /* .access is not told of loads */
} ExecObserver;

/* Instruction counts that exec keeps itself (cheap), given to `retired` when the launch ends. */
enum { EXEC_N_CLASSES = 16 };
typedef struct ExecCounts {
    uint64_t warp_insts[EXEC_N_CLASSES];   /* by PtxClass */
    uint64_t thread_insts[EXEC_N_CLASSES]; /* times active lanes */
    uint64_t flops32, flops64, flops16;    /* thread operations: fma counts 2 */
    uint64_t int_ops;
    uint64_t tensor_ops;                   /* of matrix products, all lanes together: a multiply-add counts 2 */
    uint64_t branches, divergent_branches;
} ExecCounts;

typedef struct ExecInstCount {
    uint64_t warp_insts, thread_insts, divergent;
} ExecInstCount;

/* A texture or surface object, as the instructions see it. Texel (x, y, z or layer) lies at addr + z * slice + y * pitch + x * texel. */
typedef enum ExecChannel { CHANNEL_UNSIGNED, CHANNEL_SIGNED, CHANNEL_FLOAT } ExecChannel;
typedef enum ExecAddressing { ADDRESSING_WRAP, ADDRESSING_CLAMP, ADDRESSING_MIRROR, ADDRESSING_BORDER } ExecAddressing;
typedef enum ExecResource { RESOURCE_ARRAY, RESOURCE_LINEAR, RESOURCE_PITCHED } ExecResource;
typedef struct ExecTexture {
    bool surface, destroyed;
    uint8_t resource;                /* ExecResource */
    bool layered, cube;              /* depth: layers; six faces for each cube */
    uint8_t channel, bits, n_channels; /* ExecChannel; of one channel: 8 16 32 */
    bool normalized_coords, linear_filter, srgb;
    bool normalized_read;            /* integers become floats in [0, 1] or [-1, 1] */
    uint8_t addressing[3];           /* ExecAddressing */
    uint32_t width, height, depth;   /* in texels; height, depth 0: there is no such dimension */
    uint64_t addr, pitch, slice;
    float border[4];
} ExecTexture;

/* Text of printf in block order. */
typedef void (*ExecPrint)(void *self, const char *text, size_t length);

/* A grid that a thread asks for. */
typedef struct ExecChild {
    uint32_t function; /* index of an entry of the launch's module */
    uint32_t grid[3], block[3], shared;
} ExecChild;

/* The thread that asks: its errors are its own, its block's streams the block's. */
typedef struct ExecAsker {
    uint32_t block, thread; /* linear; blocks of all grids of a family are counted through (ExecLaunch.first_block) */
} ExecAsker;

/* What a thread asks of an event of its block. */
typedef enum ExecEventCall { EXEC_EVENT_CREATE, EXEC_EVENT_RECORD, EXEC_EVENT_WAIT, EXEC_EVENT_DESTROY } ExecEventCall;

/* Dynamic parallelism: errors are numbers of cudaError_t. */
typedef struct ExecFamily {
    void *self;
    uint64_t (*buffer)(void *self, ExecAsker who, const ExecChild *child); /* room for its parameters; 0: refused */
    int (*launch)(void *self, ExecAsker who, uint64_t buffer, uint64_t stream, uint32_t *grid);
    int (*error)(void *self, ExecAsker who, bool clear);
    int (*stream)(void *self, ExecAsker who, uint32_t flags, uint64_t *handle);
    int (*event)(void *self, ExecAsker who, ExecEventCall what, uint64_t stream, uint32_t flags, uint64_t *handle);
} ExecFamily;

/* Blocks first to last of grids that ended before this one begins. */
typedef struct ExecAfter {
    uint32_t first, last;
} ExecAfter;

typedef struct ExecHost { /* what the device lends to a launch: all may be called from a worker that has its turn */
    void *self;
    ExecPrint print;
    uint64_t (*heap_alloc)(void *self, uint64_t bytes, uint64_t site); /* device malloc, at function's index << 32 | pc: 0 when the heap is full */
    bool (*heap_free)(void *self, uint64_t addr);
    Mem *(*memory_of)(void *self, uint64_t addr); /* memory of another device that this one may access, or NULL */
    const ExecTexture *(*texture_of)(void *self, uint64_t handle); /* destroyed ones too; NULL: never was one */
    bool (*is_host)(void *self, uint64_t addr); /* memory that the host has mapped? NULL: the host is this process */
    bool (*others_may_write)(void *self); /* something else can go on while the launch runs, and write to memory? NULL: nothing can */
    bool (*is_condition)(void *self, uint64_t handle); /* the condition of a graph: a word at this address? NULL: nothing is */
    const ExecFamily *family; /* NULL: kernels cannot launch kernels */
    uint64_t clock_start; /* value of %clock64 when the launch starts (virtual cycles) */
} ExecHost;

struct ExecLaunch {
    const IrInstance *instance;
    uint32_t function;      /* index of an entry */
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    const uint8_t *params;  /* param_bytes of the entry */
    Mem *mem;
    uint64_t resident_max;  /* blocks that the device has room for at one time, of a launch that is not cooperative; 0: any number */
    bool cooperative;       /* grid sync: all blocks are resident */
    bool shares_memory;     /* other processes may change memory meanwhile */
    uint64_t grid_workspace;/* device address of the grid barrier's word (%envreg1:2), 0 without */
    uint64_t grid_id;
    /* A grid of a family (dynamic parallelism): its number (the host's own launch is 0), the number of its first block in the
     * family, and what of the family ended before, beside what its launching thread knows. */
    uint32_t family_grid, first_block;
    const ExecAfter *after;
    size_t n_after;
    uint64_t seed;          /* order of blocks and warps; 0: ascending */
    bool part_lanes;        /* activemask names to each lane those of even or of odd numbers alone, whichever it is one of: as if the warp had parted */
    bool narrow;            /* one warp after the other, never all warps of a block at once: slower; the same results, but for the order of accesses */
    uint64_t max_instructions; /* warp instructions of the whole launch; 0: no limit */
    uint64_t max_cpu_ns; /* processor time of the process at which a launch ends as timed out; 0: no limit */
    const volatile int *interrupted; /* not 0: the launch is to end; a signal handler may say so. NULL: nobody does */
    uint32_t stack_limit;   /* bytes of local memory a thread may use (cudaLimitStackSize applies to call frames) */
    uint32_t n_sms;         /* for %nsmid, %smid */
    unsigned jobs;
    const ExecHost *host;
    const ExecObserver *observers; /* n_observers of them */
    size_t n_observers;
};

typedef struct ExecResult {
    ExecError error;
    uint64_t instructions;  /* warp instructions retired */
    bool parted;            /* with part_lanes: activemask has named fewer lanes than ran */
    uint64_t planned;       /* blocks that did what was worked out before the launch began (plan.h) */
    Diag diag;              /* for EXEC_ILLEGAL_INSTRUCTION and the like */
} ExecResult;

/* Sets the handler of every instruction of a decoded module. STATUS_UNSUPPORTED names the first instruction (file, line, PTX
 * text) that exec has no handler for; such an instruction keeps a handler that raises EXEC_ILLEGAL_INSTRUCTION when reached. */
Status exec_bind(IrModule *m, Diag *diag);

/* Runs a launch to its end. Grid and block must be valid for the device (device checks them). */
void exec_launch(const ExecLaunch *launch, ExecResult *result);

#endif
