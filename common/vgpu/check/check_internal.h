/* What the files of check share.
 *
 *   observe.c  the observer's callbacks: who they concern, and which checkers hear of them
 *   block.c    the blocks that run
 *   note.c     notes: findings while a launch runs, one table a worker; merged into findings when it ends
 *   fault.c    faults of exec -> notes            hint.c    hints that the facts support
 *   init.c     bitmaps of written bytes           host.c    the host's side: frees, copies, leaks
 *   local.c    the same for local memory             undefined.c  what such reads leave in registers
 *   segment.c  lanes that go together             record.c  what a warp instruction did, by number
 *   race.c     accesses -> lines of shadow        cell.c    one line: what races, what is kept
 *   quick.c    shared memory: the common accesses, without the two above
 *   wide*.c    accesses of whole blocks, kept aside while nothing meets them
 *   guess.c    reads that a compare-and-swap checks     polled.c   volatile loads that poll
 *   order.c    happens-before beyond barriers     vector_clock.c
 *   order_publish.c  flags and locks              order_move.c  dropping clocks
 *   check.c    the set and the list of findings
 *   finding*.c texts and JSON                     pool.c    memory that a launch takes
 *   base.c     which parameter an address is of     launch_text.c  a launch as its caller wrote it
 */
#ifndef COMMON_VGPU_CHECK_INTERNAL_H
#define COMMON_VGPU_CHECK_INTERNAL_H

#include "common/base/arena.h"
#include "common/vgpu/check/check.h"
#include "common/vgpu/check/pool.h"
#include "common/vgpu/check/record.h"
#include "common/vgpu/check/segment.h"
#include "common/vgpu/check/vector_clock.h"
#include "common/vgpu/check/wide.h"

#include <pthread.h>

enum {
    CHECK_WORKERS_MAX = 256,
    CHECK_NOTES_MAX = 4096,     /* distinct notes of one worker in one launch */
    CHECK_BLOCK_CHUNKS = 16384, /* of slots, see block.c */
    CHECK_LINE_LOCKS = 256,
    NO_PLACE = 0xFFFFFFFFu,
};

/* ---- notes ---- */

/* A place in the launch's module: the function's first place + pc (CheckSet.place_base). */
typedef uint32_t Place;

typedef struct NoteKey {
    uint8_t kind;                 /* FindingKind */
    uint8_t space;                /* IrSpace */
    uint8_t access, other_access; /* ExecAccessKind */
    Place place, other;           /* other: NO_PLACE without another party */
} NoteKey;

typedef struct Note {
    NoteKey key;
    uint32_t order; /* linear index of the block that made the note, as all blocks here in its family */
    uint32_t block, thread; /* linear; thread in the block */
    uint32_t other_block, other_thread;
    uint32_t bytes;
    uint64_t address;
    uint64_t count;
    uint32_t parameter;    /* number of the one that the address is of, 1 is the first; 0: not known */
    uint64_t shared_bytes; /* of the block */
    uint32_t mask, lane;   /* faults: lanes at fault, and the first of them */
    bool has_alloc;
    MemAlloc alloc;     /* as it was then: a later free does not change it */
    const char *detail; /* assert's text and the like, in the worker's pool; or NULL */
    bool has_use;
    Place use; /* what nobody wrote decides something here */
    bool unwritten;  /* a race: the read came first, of shared memory that nobody had written */
    bool warp_waited; /* a race: a lane of the reader's warp comes behind the write, but not the reader */
    bool after_exit; /* what nobody wrote: threads of the kernel had ended before a barrier of it */
} Note;

typedef struct NoteTable {
    Note *notes;
    size_t n, cap;
    uint32_t *slots; /* hash of keys: index + 1 */
    size_t n_slots;
    uint64_t dropped;
} NoteTable;

/* The note of this key, made if it is new; *fresh: its details are to be filled in (it is new, or the block
 * comes before the one noted so far). Adds count. NULL when the table is full or the host has no memory. */
Note *note_add(NoteTable *t, const NoteKey *key, uint32_t block, uint64_t count, bool *fresh);
void note_table_clear(NoteTable *t);
void note_table_free(NoteTable *t);

/* ---- blocks and workers ---- */

struct OrderBlock;
struct RaceLine;
struct UndefinedBlock;
struct UndefinedCopies;
struct UndefinedKept;

/* Local memory of a block's threads that nobody wrote. */
typedef struct LocalShadow {
    uint32_t *unwritten; /* [warp][stride]: a bit a lane for each byte of its local memory */
    uint32_t open[EXEC_WARPS_MAX]; /* bytes that some lane of the warp has not written */
    uint32_t n_warps;
    uint32_t stride; /* bytes that are followed; 0: no thread has local variables */
    size_t cap;      /* words */
} LocalShadow;

/* State of a block that runs, in a slot of its own, so that it may move between workers. */
typedef struct CheckBlock {
    uint32_t linear;
    uint32_t n_threads;
    uint32_t shared_bytes;
    uint32_t interval;    /* block-wide barriers passed */
    uint8_t *shared_init; /* 1 bit a byte */
    size_t shared_cap;    /* bytes of shared memory that shared_init and lines are good for */
    struct RaceLine *lines;
    RecordStore records; /* of shared memory, since the last block-wide barrier */
    RecordMaker maker;
    Cell learnt_mark;         /* global memory: a publication may have told of accesses below; 0: of none */
    struct OrderBlock *order; /* NULL until a fence or a warp sync */
    Pool pool;                /* cells of lines; kept for the next block */
    LocalShadow local;
    struct UndefinedBlock *undefined; /* NULL until a register holds what nobody wrote; kept for the next block */
    uint32_t undefined_warps;
    WideBlock wide;
    uint64_t opened; /* number of the launch (CheckSet.n_launches) in which it is open; 0: closed */
} CheckBlock;

/* An answer of guess_is_checked, or, with other 0, of polled_is. */
typedef struct GuessMemo {
    Place read, other; /* plus 1; read 0: empty */
    bool checked;
} GuessMemo;
enum { GUESS_MEMO = 64 };

/* The record that a warp made for an instruction last (solid.c). */
typedef struct SolidMemo {
    const IrInst *inst;
    uint32_t block, interval, warp, record;
} SolidMemo;
enum { SOLID_MEMO = 256 };

typedef struct CheckWorker {
    NoteTable notes;
    SolidMemo solid[SOLID_MEMO]; /* of the launch */
    GuessMemo guesses[GUESS_MEMO]; /* of the launch */
    Pool pool; /* reset at each launch */
    RecordMaker maker;
    WideWorker wide;
    CheckBlock *block;
    uint32_t block_linear; /* of *block when it was looked up */
    bool has_block;
    bool limited; /* some checker ran out of room */
} CheckWorker;

/* ---- the set ---- */

typedef struct FindingKey {
    uint8_t kind, space, access, other_access;
    const char *kernel, *file, *other_file;                        /* interned */
    uint32_t line, column, pc, other_line, other_column, other_pc; /* pc: only where the line is unknown */
    uint64_t site, alloc_site, alloc_bytes;                        /* host findings */
    const char *message;                                           /* advice */
} FindingKey;

typedef struct FindingSlot {
    Finding finding;
    FindingKey key;
    uint64_t reported_count;
} FindingSlot;

/* A grid of the family that runs (dynamic parallelism). */
typedef struct CheckGrid {
    uint32_t first_block, number;
    uint32_t grid[3], block[3], function;
} CheckGrid;

/* A launch in a kernel: the place, and what happened before it. */
typedef struct CheckSpawn {
    Place place;
    uint32_t launcher; /* index in grids */
    VectorClock before;
} CheckSpawn;

struct CheckSet {
    CheckOptions options;
    ExecObserver observer;
    Arena arena; /* texts of findings */
    FindingSlot *slots;
    size_t n_slots, cap_slots;
    const char **names; /* interned, open addressing */
    size_t n_names, cap_names;
    uint64_t dropped;

    const ExecLaunch *launch; /* the one that runs, or NULL */
    CheckGrid *grids;         /* of its family, by first block; one, unless a kernel launches grids */
    size_t n_grids, cap_grids;
    CheckSpawn *spawns; /* by number, from 1 on */
    size_t n_spawns, cap_spawns;
    VectorClock before; /* of every block of the launch when it begins */
    uint64_t launch_number;
    uint64_t launch_site;
    const char *kept_variable; /* a variable of one element that the launch finds as an earlier one left it; NULL */
    Place *place_base; /* first place of each function of the module, and one past the last */
    size_t place_cap;
    CheckWorker *workers;
    unsigned n_workers;
    pthread_mutex_t lock; /* new chunks of shadow, and of blocks */
    CheckBlock **blocks[CHECK_BLOCK_CHUNKS];
    uint64_t n_launches; /* those of grids that kernels launched count as well */
    RecordStore records; /* of global memory */
    pthread_mutex_t line_locks[CHECK_LINE_LOCKS];
    struct OrderLaunch *order; /* publications of the launch */
    struct UndefinedCopies *copies; /* NULL until a kernel stores what nobody wrote */
    struct UndefinedKept *kept;     /* what became of them in launches that have ended */
    pthread_mutex_t wide_lock; /* telling of a log */
    CheckBlock wide_block;     /* stands for the block that is told of */
};

static inline bool check_has(const CheckSet *set, unsigned tool)
{
    return (set->options.tools & tool) != 0;
}

/* What a checker needs to know of an event. */
typedef struct CheckEvent {
    CheckSet *set;
    CheckWorker *worker;
    CheckBlock *block;
    const ExecWho *who;
    bool replays; /* it is told late, see wide.h */
} CheckEvent;

Place check_place(const CheckSet *set, const ExecWho *who);
/* The function of a place, and the instruction's pc in it. */
const IrFunction *check_function(const CheckSet *set, Place place, uint32_t *pc);
/* Adds a note about the event's instruction; thread: linear index in the block. NULL: nothing to fill in. */
Note *check_note(const CheckEvent *e, const NoteKey *key, uint32_t thread, uint64_t count);
/* The finding of a note of the launch that runs. */
void check_finding_of(CheckSet *set, const Note *n, Finding *f, FindingKey *key);
/* Turns the notes of all workers into findings, in order, and reports the new ones. */
void check_merge(CheckSet *set);
/* Adds a finding to the list or to the count of one with the same key; reports it when it is new. */
void check_add_finding(CheckSet *set, const Finding *f, const FindingKey *key);
/* One copy of each text, kept by the set; "" when the host has no memory. */
const char *check_intern(CheckSet *set, const char *text);
const char *check_access_text(uint8_t access);
const char *check_space_text(uint8_t space);
/* Tells of the allocation, if there is one, and how far the finding's address is from it. */
/* Demangled, if it can be. */
const char *check_readable(CheckSet *set, const char *name);
void check_put_alloc(CheckSet *set, Finding *f, const MemAlloc *a);
/* The title of a kind with its places filled in, interned. */
const char *check_title(CheckSet *set, const Finding *f, const char *detail);

/* ---- checkers ---- */

void check_fill_observer(CheckSet *set);
/* The block of an event; NULL: it is not open. */
CheckBlock *block_find(CheckSet *set, const ExecWho *who);
/* Opens a block; what it held is of one before. NULL: no memory. */
CheckBlock *block_take(CheckSet *set, const ExecWho *who);
void check_free_blocks(CheckSet *set);
/* Each block that is open. */
void check_each_block(CheckSet *set, void (*visit)(void *self, CheckBlock *b), void *self);

void fault_observe(const CheckEvent *e, const ExecFault *fault);
/* An access in the block's shared memory, but outside of the array that its instruction means. */
void fault_observe_array(const CheckEvent *e, const ExecFault *fault, const MemAlloc *array);
/* The array of shared memory that the event's instruction means, as an allocation without a serial; the name is the linker's. False: not known, or it is
 * dynamic and so is all that lies behind it. */
bool array_find(const CheckEvent *e, MemAlloc *out);
/* Tells of the lanes that leave the array of shared memory which the instruction means, where that is known. */
void array_observe(const CheckEvent *e, const ExecAccess *a);
/* Does an access to shared memory in [low, end) leave that array? */
bool array_is_left(const CheckEvent *e, uint64_t low, uint64_t end);

/* The hint for a finding about a kernel's access; interned or constant. */
const char *hint_for(CheckSet *set, const Finding *f, const Note *n);
/* Of memory that is still there at the end, where n_freed other allocations of its place were freed. */
const char *hint_leak(CheckSet *set, const MemAlloc *a, size_t n_freed, const Finding *f);

/* Bitmaps: bit i of byte i / 8 stands for byte i of the memory. */
void init_mark(uint8_t *bits, uint64_t from, uint64_t n, bool shared_by_workers);
/* Index of the first clear bit of [from, from + n), counted from `from`; n when all are set. */
uint64_t init_first_clear(const uint8_t *bits, uint64_t from, uint64_t n);
/* True when all of [from, from + n) is set. */
bool init_is_set(const uint8_t *bits, uint64_t from, uint64_t n);
void init_observe(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments);

/* Takes segments of shared memory that init and race have nothing to say about off the list. */
void quick_observe(const CheckEvent *e, const ExecAccess *a, SegmentList *segments);
/* Lanes of an access that a checker must report: of reductions often none are left. */
uint32_t quick_adds(const CheckEvent *e, const ExecAccess *a);

/* True: init and race have nothing to say about an access to global memory side by side. */
bool solid_observe(const CheckEvent *e, const ExecAccess *a);
/* False: tell it warp by warp. */
bool wide_observe(const CheckEvent *e, const ExecWideAccess *w);
/* An access to shared memory goes the general way. */
void wide_settle_shared(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments);
/* A block begins, or has passed a block-wide barrier. */
void wide_forget_block(CheckBlock *b);

/* The block begins with the entry's frame. */
void local_begin_block(CheckSet *set, CheckBlock *b);
/* Lanes of the event's warp have called the event's function. */
void local_push_frame(const CheckEvent *e, uint32_t mask, uint32_t base);
void local_observe(const CheckEvent *e, const ExecAccess *a);

/* A lane has read bytes that nobody wrote (a bit each; the first is at `address`). False: the read itself is to be reported. */
bool undefined_load(const CheckEvent *e, const ExecAccess *a, unsigned lane, uint32_t missing, uint64_t address, const MemAlloc *alloc);
/* Lanes have read all of a register so from local memory. */
bool undefined_local(const CheckEvent *e, const ExecAccess *a, const IrOperand *o, uint32_t lanes, uint64_t address);
/* A shuffle that reads lanes which its mask does not name, in these lanes. */
void undefined_shuffle(const CheckEvent *e, uint32_t lanes);
/* A store begins: what it stores may be nothing that anybody wrote. */
void undefined_store(const CheckEvent *e, const ExecAccess *a);
void undefined_follow(const CheckEvent *e, const ExecDone *done);
void undefined_begin_block(CheckBlock *b);
void undefined_free_block(CheckBlock *b);
void undefined_forget_launch(CheckSet *set);
/* The launch has ended: what it stored without a value is kept for the host's copies. */
void undefined_end_launch(CheckSet *set);
/* The host copies bytes of an allocation that hold nothing. True: a kernel has stored that there, and it is reported as its finding. */
bool undefined_host_read(CheckSet *set, const MemAlloc *a, uint64_t addr, uint64_t bytes);
/* All of the allocation, of which so many bytes are about to be looked up, is initialised; false: it is not known. */
bool wide_is_all_written(const CheckEvent *e, MemAlloc *alloc, uint64_t bytes);
/* Bytes of an allocation, or (NULL) of shared memory, are not written any more: what wide accesses know of written ranges is over. */
void wide_forget_written(const CheckEvent *e, MemAlloc *alloc);

void race_observe(const CheckEvent *e, const ExecAccess *a, const SegmentList *segments);
/* Makes the shared shadow of a block good for `bytes`; false when the host has no memory. */
bool race_prepare_block(CheckBlock *b, uint32_t bytes);
/* A block begins, or has passed a block-wide barrier: what its shared shadow holds is over. */
void race_forget_block(CheckBlock *b);
void race_free_block(CheckBlock *b);

/* ---- guesses ---- */

/* True when what the load at pc reads only goes into the compare-and-swap at `swap` (IR_NO_PC: none is known) or into those of the same
 * address, as compare and as what the new value is made of. */
bool guess_is_checked(const IrFunction *f, uint32_t pc, uint32_t swap);

/* True when a comparison asks for what the volatile load at pc reads: a flag; false: it is data. */
bool polled_is(const IrFunction *f, uint32_t pc);

/* True when both instructions stand in a loop without a barrier that takes another number of turns in each thread of a block. */
bool loop_differs(const IrFunction *f, uint32_t pc, uint32_t other);
/* The index of the kernel's parameter, a pointer, that the address of a memory instruction is worked out from; -1: none, or not one alone. (base.c) */
int check_base_parameter(const IrFunction *f, const IrInst *inst);
/* Whether the two stand in one loop, with a barrier between them in each of its turns. */
bool loop_has_barrier_between(const IrModule *m, const IrFunction *f, uint32_t pc, uint32_t other);

/* ---- order ---- */

struct OrderLaunch *order_launch_create(void);
void order_launch_reset(struct OrderLaunch *o);
void order_launch_free(struct OrderLaunch *o);
/* The clock of the lane, for a grid that it launches. */
VectorClock order_spawn(const CheckEvent *e, unsigned lane);
/* The same and the ends of all blocks of the ranges. */
VectorClock order_after(CheckSet *set, VectorClock before, const ExecAfter *after, size_t n);
/* A block begins with this clock. */
void order_block_begin(CheckSet *set, CheckBlock *b, VectorClock before);
/* The epoch of a warp: raised by each warp sync and fence, so that accesses before and after differ. */
uint32_t order_epoch(const CheckBlock *b, uint32_t warp);
void order_barrier(const CheckEvent *e);
/* A barrier of some threads: lanes of each warp that arrived, and those of them that waited. */
void order_part_barrier(const CheckEvent *e, const uint32_t *arrived, const uint32_t *waited,
                        uint32_t n_warps);
void order_warp_sync(const CheckEvent *e, uint32_t mask);
void order_fence(const CheckEvent *e, uint32_t mask, IrSem sem, IrScope scope);
/* A scope that takes in the own block only: clusters have one block here. */
static inline bool order_is_narrow(IrScope scope)
{
    return scope == SCOPE_CTA || scope == SCOPE_CLUSTER;
}
/* True when this thread has fenced since the launch began: its next strong store publishes. */
bool order_has_fenced(const CheckBlock *b, uint32_t thread);
/* Strong reads and writes, and atomics: what they learn, before the access is checked, and what they publish, after that. */
void order_strong_read(const CheckEvent *e, const ExecAccess *a);
void order_strong_write(const CheckEvent *e, const ExecAccess *a);
/* True when `thread` of the event's block, at this moment, comes after p. Not for p of the same thread. */
bool order_is_after(const CheckEvent *e, uint32_t thread, const OrderPoint *p);

#endif
