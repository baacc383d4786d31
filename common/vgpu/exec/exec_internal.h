/* What the files of exec share. Theory of operation:
 *
 * A launch (ExecRun) has workers and blocks. A worker runs a block until it ends, gives up its turn, or needs
 * a turn that it does not have (schedule.c, block.c). A block runs all its warps together as long as their
 * lanes part and meet as the code's structure says (wide.h); otherwise round robin, each until it waits or its
 * slice is over, which is what follows.
 *
 * The lanes of a warp that go the same way are a split (ExecSplit). A branch on which lanes disagree makes
 * two of one, and a join (ExecJoin) at the place where they meet again:
 *
 *      split {0-31}  --bra-->  split {0-15}  ---> arrives at the join's pc: its lanes wait in the join
 *                              split {16-31} ---> arrives: all expected lanes are there: split {0-31} goes on
 *
 * A join is only there to make lanes run together again: when the other splits of a warp spin (for a lock
 * that a waiting lane holds) the waiting lanes leave the join and go on alone. Exited lanes are no longer
 * expected.
 *
 * A called function has a frame (ExecFrame) with registers of its own; lanes of different splits may be in
 * different frames.
 *
 * Instructions are counted by run: a piece of straight-line code that lanes went through adds 1 at its first
 * instruction and takes 1 off after its last; prefix sums give the count of each instruction when the
 * launch ends (count.c).
 */
#ifndef COMMON_VGPU_EXEC_EXEC_INTERNAL_H
#define COMMON_VGPU_EXEC_EXEC_INTERNAL_H

#include "common/vgpu/exec/exec.h"
#include "common/vgpu/exec/alu/warp.h"

#include "common/base/bits.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    EXEC_SLICE = 1 << 16,     /* instructions of a warp before the next warp gets its turn */
    EXEC_PROBE_SLICE = 1 << 11, /* the same in a block that is probed */
    EXEC_CALM_DOUBLINGS = 5,
    EXEC_POLLS_MAX = 32,      /* polls without a store after which a warp counts as spinning */
    EXEC_SPIN_SLICES = 2,     /* slices that lanes wait at a join for spinning ones before they go on alone */
    EXEC_DRY_SLICES = 64,     /* the same when the others do not poll */
    EXEC_SPIN_ROUNDS = 4,     /* rounds in which all warps spin before a block gives up its turn */
    EXEC_RESIDENT_MAX = 4096, /* blocks of an ordinary launch that are there at once */
    EXEC_AHEAD_MAX = 64,      /* blocks that run ahead of their turn */
    EXEC_BATCH_MAX = 8,       /* blocks that a worker takes at one go */
    EXEC_ROW_MAX = 64,        /* the same when they go as planned */
    EXEC_STACK_DEFAULT = 1024, /* bytes, when the launch names no limit */
    EXEC_CYCLES_PER_INST = 4,  /* of the virtual clock */
};
/* Instructions before the limit of a launch from which on each warp is watched. */
#define EXEC_LIMIT_NEAR ((uint64_t)EXEC_WARPS_MAX * EXEC_SLICE * 2)
#define EXEC_BLOCK_QUANTUM                                                                                   \
    ((uint64_t)1 << 27) /* instructions of a block before it gives up its turn anyway */
#define EXEC_CALM_QUANTUM                                                                                    \
    ((uint64_t)1 << 22) /* instructions without a store after which a block is probed (hang.c); doubled each time in vain */
#define EXEC_SUSPECT_QUANTUM ((uint64_t)1 << 20) /* the same when another block was seen not to go on */
#define EXEC_CALM 0x80000000u /* in ExecWarp.polls: no store since the warp was refuelled */

/* Loops over lanes are built twice, for AVX2 too; the loader picks. Sanitizers do not see through that. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define EXEC_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define EXEC_CLONES
#endif
#define EXEC_INLINE static inline __attribute__((always_inline))

/* Tells those observers of a launch that want to know of the event: EXEC_TELL(launch, warp_sync, who, mask); */
#define EXEC_TELL(launch, event, ...)                                                                        \
    do                                                                                                       \
        for (size_t told = 0; told < (launch)->n_observers; told++)                                          \
            if ((launch)->observers[told].event)                                                             \
                (launch)->observers[told].event((launch)->observers[told].self, __VA_ARGS__);                \
    while (0)

struct Request;
/* An atomic operation of all lanes in turn; `out` gets the old values (NULL: nobody reads them). True: some
 * word has changed. */
typedef bool (*ExecLaneOp)(const struct Request *r, const void *b_lanes, const void *c_lanes, void *out_lanes,
                           bool contended);

typedef struct ExecRun ExecRun;
typedef struct ExecBlock ExecBlock;
typedef struct ExecWorker ExecWorker;

/* What a worker keeps for an instruction. */
typedef struct ExecPc {
    MemAlloc *alloc;       /* the allocation of the last access */
    int64_t runs, lanes;   /* differences, see above: pc's counts are the sums up to it */
    IrHandler sync;        /* warp-synchronising instructions: what runs when the lanes are there */
    ExecLaneOp atomic;     /* atom, red: the operation, once it was looked up */
    void *tensor;          /* mma: where its elements are, once that was worked out; freed with this */
    uint32_t diverged;     /* times that lanes went both ways here */
    uint8_t class;         /* PtxClass */
    uint8_t ops, ops_each; /* count.c: which operations a lane does, and how many */
} ExecPc;

/* A function as one worker knows it. */
typedef struct ExecCode {
    const IrFunction *function;
    const uint8_t *pool;
    ExecPc *pcs;           /* n_insts + 1 */
    struct ExecCode *next; /* of those that the worker ran */
} ExecCode;

typedef struct ExecFrame {
    struct ExecFrame *caller, *next_free;
    const IrFunction *function;
    const IrCall *call; /* that made it; NULL: the kernel's own */
    uint8_t *regs;
    uint32_t index; /* of function */
    uint32_t base;  /* in each lane's local memory */
    uint32_t lanes; /* that are in it or in what it called */
    uint32_t return_pc;
} ExecFrame;

typedef struct ExecJoin {
    struct ExecJoin *parent; /* also: next free one */
    ExecFrame *frame;
    uint32_t pc;
    uint32_t expected, arrived;
    uint32_t since; /* the warp's slice in which the first lanes arrived */
} ExecJoin;

typedef enum SplitState { SPLIT_FREE, SPLIT_READY, SPLIT_BARRIER, SPLIT_SYNC } SplitState;

/* The last look at a place that others may change. */
typedef struct ExecPoll {
    const IrFunction *function; /* NULL: there was none */
    uint32_t pc, bytes;
    uint64_t addr; /* of the first lane */
    uint8_t space;
} ExecPoll;

typedef struct ExecSplit {
    uint32_t mask, pc;
    ExecFrame *frame;
    ExecJoin *join;
    uint8_t state;   /* SplitState */
    uint8_t barrier; /* SPLIT_BARRIER: which */
    ExecPoll poll;
} ExecSplit;

typedef enum WarpAction {
    ACTION_NONE,
    ACTION_FRAME, /* the split is in another frame now */
    ACTION_YIELD, /* the slice is over, or the split spins */
    ACTION_PARK,  /* the split waits */
    ACTION_DEAD,  /* the split has no lanes left */
    ACTION_TURN,  /* the instruction is to be run again when the block has its turn */
    ACTION_STOP,  /* the launch ends */
} WarpAction;

typedef struct Warp {
    ExecWarp base; /* first: handlers get a pointer to it */
    ExecSplit splits[WARP_LANES];
    uint32_t used;   /* slots of splits that are not free */
    uint32_t ready;  /* those that can run */
    uint32_t parked; /* those in SPLIT_SYNC; what is used and neither ready nor parked is in SPLIT_BARRIER */
    uint32_t cursor; /* slot that runs next */
    uint32_t exists; /* lanes of the block; the last warp may have fewer than 32 */
    int32_t fuel_start;
    uint32_t yielded; /* slots that used up their slice in this visit */
    bool all_spun;    /* each of them was spinning */
    bool visiting;    /* a visit was interrupted to wait for the turn */
    uint32_t slices;  /* used up so far */
    bool parted;      /* lanes at a barrier were told apart from the rest of the warp: reported */
    const IrInst *apart; /* while lanes at several instructions do what is one operation: the first of these */
    ExecFrame entry;
} Warp;

typedef struct ExecBarrier {
    bool used;
    bool all;       /* no count: all threads of the block */
    uint8_t mode;   /* IrBar of those that wait */
    uint32_t count; /* threads expected */
    uint32_t arrived[EXEC_WARPS_MAX];
    uint32_t popc; /* bar.red: votes so far */
    bool every, some;
    const IrInst *inst; /* of the last arrival */
    const IrFunction *function;
} ExecBarrier;

typedef enum BlockState { BLOCK_IDLE, BLOCK_RUNNING, BLOCK_SPUN, BLOCK_DONE } BlockState;
typedef enum BlockOutcome {
    BLOCK_GOES_ON,
    BLOCK_ENDED,
    BLOCK_GAVE_WAY,
    BLOCK_NEEDS_TURN,
    BLOCK_STOPPED
} BlockOutcome;

/* What hang.c keeps of a block. */
typedef struct ExecCalm {
    uint64_t epoch; /* ExecRun.epoch when it last gave up its turn */
    uint64_t state; /* a hash of what it was then, or some turns ago */
    uint32_t turns, length;
    bool closed; /* it was in that state again: as long as nobody writes it goes round in a circle */
} ExecCalm;

struct ExecBlock {
    ExecRun *run;
    ExecWorker *worker; /* that runs it now */
    Warp *warps;
    uint8_t *regs, *shared, *local;
    ExecFrame *free_frames;
    ExecJoin *free_joins;
    struct ExecChunk *chunks; /* memory of frames and joins */
    uint64_t position;        /* in the reference order */
    uint32_t n_planned;       /* this one and the blocks after it that run in its place and go as planned (plan.h); 0: not even this one */
    uint32_t linear, index[3];
    uint32_t slot;
    uint32_t n_threads, live_threads, live_warps;
    ExecBarrier barriers[EXEC_N_BARRIERS + 1];
    bool barriers_used;
    bool steps;    /* observers are told of each instruction (.step) */
    bool followed; /* some warp was, and the block goes on warp by warp: ExecWho.follow */
    uint64_t retired, turn_start; /* instructions; when it last gave up its turn */
    bool recheck;                 /* threads exited: barriers may be complete */
    uint32_t cursor;              /* warp that runs next */
    uint32_t round_left;          /* warps still to be visited in this round */
    bool round_any, round_progress;
    uint32_t spin_rounds;
    bool stored;     /* in this turn */
    uint32_t probe;  /* rounds that are turns of their own, warp by warp, for hang.c */
    uint32_t probed; /* times in vain */
    uint64_t calm_start; /* instructions retired at the last store that was noticed, or when it was last probed */
    ExecCalm calm;
    uint8_t state; /* BlockState, under the run's lock */
    atomic_bool has_turn;
    struct Wide *wide;        /* all warps at one instruction; NULL: this launch runs warp by warp */
    struct AsyncState *async; /* copies that have not landed; NULL until the first one */
    ExecBlock *next;          /* of free blocks, or of those put aside */
    ExecBlock *next_made;
};

struct ExecWorker {
    ExecRun *run;
    uint32_t index;
    ExecCode **codes; /* by function; made when first run */
    ExecCode *touched;
    bool runs_through; /* the last block it ran ended without waiting for anybody */
    ExecWho who;
    uint64_t divergent_branches;
    uint64_t retired; /* instructions, of a launch without a limit */
    uint64_t planned; /* blocks that went as the launch's plan says */
    pthread_t thread;
};

/* Who is told of accesses. */
typedef struct ExecWatcher {
    void (*access)(void *self, const ExecWho *who, const ExecAccess *access);
    bool (*access_wide)(void *self, const ExecWho *who, const ExecWideAccess *access);
    void *self;
    bool writes_only, takes_rows;
} ExecWatcher;

struct ExecRun {
    const ExecLaunch *launch;
    const IrModule *module;
    const IrFunction *entry;
    uint64_t n_blocks;
    atomic_uint looks; /* hang_look */
    uint64_t order_factor, order_shift; /* position -> block: (position * factor + shift) mod n_blocks */
    uint32_t n_threads, n_warps;
    uint32_t shared_bytes, local_bytes; /* of a block; of a lane */
    uint32_t stack_end;                 /* local memory that frames may use up to */
    bool wide;                          /* blocks begin with all warps at one instruction (wide.h) */
    struct Plan *plan;                  /* what most blocks do; NULL: there is none (plan.h) */
    ExecWatcher *watchers;              /* the observers that have .access */
    unsigned n_watchers;
    bool steps;                         /* some observer has .step: run_tells_steps says of which blocks */
    bool follows;                       /* some observer has .follow */
    uint8_t *shared_fill;
    ExecWorker *workers;
    unsigned n_workers;
    /* schedule.c, under lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t next_start;         /* position */
    uint64_t n_started, n_turns; /* blocks, or rows of them, that were given out; of them, those whose turn has come */
    uint64_t n_resident, resident_max;
    ExecBlock *holder; /* of the turn */
    ExecBlock *aside_first, *aside_last;
    ExecBlock *ahead[EXEC_AHEAD_MAX]; /* begun before their turn */
    ExecBlock *free_blocks, *made_blocks;
    uint32_t n_slots;
    bool finished;
    /* hang.c, under lock */
    uint64_t epoch, closed_epoch; /* turns in which something changed; of n_closed */
    uint64_t n_closed;            /* blocks that go round in circles */
    bool hang_off;                /* somebody outside may end the waiting */
    atomic_bool suspects, watching, host_seen; /* a circle was seen; all reads are looked at; one was of memory that the host shares */
    struct {
        uint8_t kind; /* ExecFaultKind; 0: none */
        Warp *warp;   /* NULL: any that waits */
        const IrFunction *function;
        const IrInst *inst;
        uint32_t mask;
    } hang;
    /* anywhere */
    atomic_bool stop;
    atomic_uint_fast64_t retired;
    ExecResult *result;
};

static inline Warp *warp_of(ExecWarp *w)
{
    return (Warp *)w;
}

/* Instructions that were retired so far, of a launch with a limit. One worker's own count is all. */
static inline uint64_t run_retired(const ExecRun *run)
{
    return run->n_workers == 1 ? run->workers[0].retired : atomic_load(&run->retired);
}

/* The warp looks at places that others may change, and stores nothing. */
static inline bool warp_spins(const ExecWarp *w)
{
    return (w->polls & ~EXEC_CALM) > EXEC_POLLS_MAX;
}

static inline void count_divergence(ExecWarp *w)
{
    w->block->worker->divergent_branches++;
    w->pcs[w->pc].diverged++;
}

/* A lane's value of a 16, 32 or 64-bit source operand. */
static inline uint64_t operand_value(const ExecWarp *w, const IrOperand *o, int lane)
{
    const uint8_t *lanes = warp_src(w, o);
    switch (o->bytes) {
    case 2:
        return ((const uint16_t *)lanes)[lane];
    case 8:
        return ((const uint64_t *)lanes)[lane];
    default:
        return ((const uint32_t *)lanes)[lane];
    }
}

static inline int first_lane(uint32_t mask)
{
    return __builtin_ctz(mask);
}

/* fault.c */
/* True: the block has its turn. False: the instruction will be run again when it has. */
bool exec_turn(ExecWarp *w);
/* Ends the launch, after the observers were told; thread and lane are filled in from mask. */
void exec_fault(ExecWarp *w, const IrInst *inst, ExecFault fault);
/* Tells the observers, and the launch goes on. */
void exec_note(ExecWarp *w, const IrFunction *function, const IrInst *inst, ExecFault fault);
/* What a launch that has stopped is told to have ended with. The observers know. */
void exec_end(ExecRun *run, ExecFaultKind kind, const IrFunction *f, const IrInst *inst, const char *detail);
/* Ends the launch without a fault of the kernel's: no memory. */
void exec_fail(ExecRun *run, ExecError error, const char *message);
/* Whether warps are followed from their first instruction on: some registers are read that may hold nothing. */
static inline bool run_follows_unset(const ExecRun *run)
{
    return run->follows && run->entry->n_unset > 0;
}
static inline const ExecWho *exec_who(ExecWarp *w, const IrFunction *function, const IrInst *inst)
{
    ExecWho *who = &w->block->worker->who;
    who->warp = w->index;
    who->first_thread = w->index * WARP_LANES;
    who->function = function;
    who->inst = inst;
    who->live = w->live;
    who->frame = w->regs;
    who->follow = w->block->run->follows && !w->block->n_planned ? &w->follow : NULL;
    return who;
}
/* After an access was told: an observer may want to follow the warp. */
void exec_look_followed(ExecWarp *w);

/* access.c */
void exec_tell_access(ExecWarp *w, const IrInst *inst, const ExecAccess *access);
/* The live allocation with these bytes, on this device or one whose memory it may access; or NULL. */
MemAlloc *exec_find_alloc(const ExecWarp *w, uint64_t addr, uint64_t bytes);
/* Writes n bytes as a store of the lane would, and tells who watches. False, and no fault: there are not as
 * many. */
bool exec_poke(ExecWarp *w, const IrInst *inst, int lane, uint64_t addr, const void *from, size_t n);
/* Copies up to n bytes at a generic address as lane sees it; the number of bytes that could be read. No
 * fault. */
size_t exec_peek(ExecWarp *w, int lane, uint64_t addr, void *to, size_t n);
bool exec_is_const(ExecWarp *w, uint64_t addr);

/* builtin.c, child.c, printf.c */
void exec_child(ExecWarp *w, const IrInst *inst, uint32_t mask);
void exec_builtin(ExecWarp *w, const IrInst *inst, uint32_t mask);
void exec_vprintf(ExecWarp *w, const IrInst *inst, uint32_t mask);
/* All bytes of argument i of a call as lane passes it. */
void builtin_arg_bytes(const ExecWarp *w, const IrCall *call, uint32_t i, int lane, void *to);
/* Argument i of a call as lane passes it, zero-extended. */
uint64_t builtin_arg(const ExecWarp *w, const IrCall *call, uint32_t i, int lane);
void builtin_result(ExecWarp *w, const IrCall *call, int lane, uint64_t value);

/* Handlers of special kinds of mov, of cvta and isspacep; NULL for other instructions. In special.c. */
IrHandler exec_special_handler(const IrInst *inst);
/* Special registers: those that lanes of a warp read differently, and what the others read. */
bool sreg_differs_by_lane(PtxSreg sreg);
uint64_t sreg_of_warp(const ExecWarp *w, PtxSreg sreg);
/* What cvta adds to an address of the space. */
uint64_t exec_window_of(uint8_t space);
/* tensor.c: wmma mma ldmatrix stmatrix movmatrix. async.c: IrInst.async. NULL for other instructions. */
IrHandler exec_tensor_handler(const IrInst *inst);
IrHandler exec_async_handler(const IrInst *inst);
/* tensor_extra.c: conversions of 8-bit floats, atomic operations on vectors. */
IrHandler exec_extra_handler(const IrInst *inst);
/* video.c: IrInst.video. */
IrHandler exec_video_handler(const IrInst *inst);
/* texture.c, surface.c: IrInst.texture. NULL: no such query. */
IrHandler exec_texture_handler(const IrInst *inst);
/* Forgets the copies of the block before. */
void async_begin_block(ExecBlock *b);
/* Handlers of ld and st, of atom and red. */
IrHandler exec_atomic_handler(const IrInst *inst);
/* Whether what it does, or gives, depends on which block or warp comes first. */
bool exec_atomic_is_ordered(const IrInst *inst);

#endif
