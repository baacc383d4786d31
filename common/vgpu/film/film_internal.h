/* What the files of film share.
 *
 *   record.c   the observer: steps of blocks        choose.c   which launches and blocks
 *   thin.c     a block's steps become fewer          write.c    the record as JSON
 *   match.c    findings and their steps             held.c     what registers and variables hold
 *   wait.c     who waits at barriers
 */
#ifndef COMMON_VGPU_FILM_INTERNAL_H
#define COMMON_VGPU_FILM_INTERNAL_H

#include "common/base/arena.h"
#include "common/vgpu/film/film.h"

/* What a step ends with. The names are event_names of write.c. */
typedef enum FilmEvent {
    FILM_CODE, /* nothing: other instructions only */
    FILM_ACCESS,
    FILM_ARRIVE,    /* lanes have come to a barrier */
    FILM_BARRIER,   /* all that it waits for have come, and go on */
    FILM_SHUFFLE,
    FILM_WARP_SYNC,
    FILM_FENCE,
    FILM_FAULT,
    FILM_EXIT,
    FILM_N_EVENTS
} FilmEvent;

/* Lanes side by side whose addresses go up (or down) evenly. */
typedef struct FilmRun {
    uint64_t base;
    int64_t stride;
    uint32_t n;
} FilmRun;

typedef struct FilmStep {
    _Alignas(8) uint32_t bytes; /* of this record with its runs and values, a multiple of 8: runs follow */
    uint32_t turn;  /* how often the warp had come by this instruction before */
    uint32_t pc;    /* of the last instruction */
    uint16_t code;  /* index of FilmCode */
    uint8_t warp, event;
    uint32_t active, live, other, joining, sync; /* lanes, as in ExecStep */
    uint32_t n_insts, n_lanes; /* instructions, and those times the lanes that executed them */
    uint32_t mask;             /* lanes of the event */
    uint32_t arrived;          /* threads that wait at the barrier with those of this step; where these pass: that have come there */
    uint32_t n_waits;          /* of FilmBlock.waits: what has changed up to this step */
    uint32_t array;            /* serial of the allocation; 0: none, or several */
    uint16_t sectors, lines;       /* global */
    uint16_t wavefronts, least;    /* shared */
    uint16_t n_value_bytes;        /* of each value that was kept */
    uint32_t held_bytes;           /* of FilmHelds at the record's end */
    uint8_t n_values;              /* 1: all lanes have the same; else one for each lane of the mask; 0: none */
    uint8_t n_runs;
    uint8_t kind, space, access_bytes, async; /* ExecAccess; kind: of a fault, too */
    bool passes;               /* arrives at a barrier without waiting there */
} FilmStep; /* followed by the runs, then the values, then the FilmHelds */

/* What a register or a variable in local memory holds as the step's last instruction is about to be done, if that changed since the
 * warp's step before. It is followed by 8 bytes that all lanes have, or 8 bytes of lane 0's and 8 of what each lane adds, or `bytes`
 * of each of the 32 lanes; a predicate has 4 bytes, a bit a lane. All of it is filled up to a multiple of 8. A register that nobody
 * reads any more may lose its place to another (ir.h) before what was written to it is told. */
typedef enum FilmForm { HELD_ALIKE, HELD_EVEN, HELD_EACH, HELD_LOST } FilmForm;
typedef struct FilmHeld {
    _Alignas(8) uint32_t key; /* a register's number, or IrFunction.n_regs and an index of FilmCode.locals */
    uint16_t code;
    uint8_t form, bytes; /* bytes 0: a predicate */
} FilmHeld;

/* A number in local memory: a variable, or an element of one. */
typedef struct FilmLocal {
    uint32_t variable, element; /* index in IrFunction.variables */
    uint32_t offset, bytes;     /* in the function's frame */
} FilmLocal;

/* Lanes of a warp that have come to a barrier. */
typedef struct FilmWait {
    uint32_t mask, pc;
    uint16_t code;
    uint8_t warp, id;
    bool passes; /* they do not wait there (bar.arrive, barrier.cluster.arrive) */
} FilmWait;

typedef struct FilmWaits {
    FilmWait *of;
    size_t n, cap;
} FilmWaits;

/* A function as the launch ran it. */
typedef struct FilmCode {
    const IrFunction *function;
    const IrLoc **place; /* [pc]; NULL: unknown */
    bool *wanted;        /* [register]: what it holds is kept; NULL: of none */
    FilmLocal *locals;
    uint32_t n_locals;
} FilmCode;

/* Something of each function of the launch, made when it is first asked for. */
typedef struct FilmPerCode {
    void **of; /* [code]; NULL: nobody has asked */
    size_t n;
} FilmPerCode;

/* What a warp of a block that runs has done to registers since its last step that was kept. */
typedef struct FilmWarp {
    struct {
        const IrWrite *write;
        uint16_t code;
        bool lost; /* another register has taken its place */
    } *changed;    /* each register once */
    size_t n_changed, cap;
    const IrWrite *fresh; /* of the instruction that it is about to do or has just done: n_fresh of them */
    uint32_t n_fresh;
    uint16_t fresh_code;
    FilmPerCode told; /* uint8_t: what locals held in the last step that was kept, a FILM_LOCAL_BYTES each */
} FilmWarp;

typedef struct FilmBlock {
    struct FilmBlock *next;
    uint32_t linear, index[3];
    uint8_t *steps; /* FilmSteps one after the other */
    size_t n_bytes, cap;
    uint64_t seen, kept; /* steps */
    uint32_t every;      /* turns whose number is a multiple of it are kept; a power of two */
    bool cut, faulted;
    FilmWaits here;    /* who is at barriers now; while it runs */
    FilmWaits waits;   /* what changed of who waits: the lanes of a warp that wait there from then on */
    size_t n_told;     /* of those that belong to steps that are kept */
    uint64_t insts;    /* of warps */
    FilmPerCode turns; /* uint32_t: [warp * n_insts + pc]; while it runs */
    FilmWarp *warps;   /* while it runs; NULL: nobody wants to know what registers hold */
    FilmStep pending;  /* n_insts 0: none */
    const uint8_t *regs, *local; /* as in ExecStep, of the pending step's last instruction */
    size_t local_stride;
} FilmBlock;

typedef struct FilmArray {
    uint32_t serial;
    uint64_t addr, bytes, site;
    uint8_t kind; /* MemKind */
    const char *name;
    struct {
        uint64_t from, to; /* bytes that nobody had written when the launch began */
    } unwritten[16];
    uint32_t n_unwritten;
    bool used;
} FilmArray;

struct Film {
    FilmOptions options;
    ExecObserver observer;
    StrBuf json, steps_json;
    bool done;       /* no launch is looked at any more */
    uint64_t looked; /* launches */
    /* the launch that runs */
    FilmLaunch launch;
    Arena arena;
    const ExecLaunch *exec;
    uint32_t grid[3], block[3], n_warps;
    uint64_t n_blocks;
    uint32_t shared_bytes;
    uint8_t *params;
    uint32_t param_bytes;
    FilmCode *codes;
    size_t n_codes, codes_cap;
    FilmBlock *blocks, *last; /* in order of their beginning */
    FilmBlock **open;         /* [slot] */
    size_t n_open;
    FilmArray arrays[FILM_ARRAYS_MAX];
    size_t n_arrays, more_arrays; /* that there is no room for */
    uint64_t ends;  /* blocks at either end of the grid that are recorded when none are named */
    uint64_t steps, shuffles; /* of the blocks that were recorded */
    uint8_t *held;  /* of the step that is put together */
    size_t n_held, held_cap;
    bool no_memory;
};

/* record.c */
/* A function's: `count` of `size` bytes each, zeros at first. NULL: no memory. */
void *film_per_code(FilmPerCode *all, uint16_t code, size_t count, size_t size);
void film_forget_per_code(FilmPerCode *all);

/* choose.c */
Status film_check_blocks(const char *list, Diag *diag);
bool film_launch_wanted(const Film *f, const FilmLaunch *l);
/* Is the block to be recorded? */
bool film_block_wanted(const Film *f, uint64_t linear);
/* A block has taken so many instructions: how many blocks may be recorded? */
void film_set_ends(Film *f, uint64_t block_insts);
/* The blocks that the film shows, by ascending index: how many. */
size_t film_choose_blocks(const Film *f, const Finding *const *findings, size_t n, FilmBlock *out[FILM_BLOCKS_MAX]);

/* held.c */
enum { FILM_LOCAL_BYTES = 8 + 8 * WARP_LANES, FILM_ELEMENTS_MAX = 16 /* of an array in local memory */ };
/* Which registers and variables of a function are wanted. False: no memory. */
bool film_want_values(Film *f, FilmCode *c);
bool film_wants_values(const Film *f);
/* A warp is about to do an instruction; it has done the one before. */
void film_note_write(Film *f, FilmBlock *b, uint32_t warp, uint16_t code, uint32_t pc);
void film_settle_write(Film *f, FilmBlock *b, uint32_t warp);
/* What has changed for the pending step, into f->held. */
void film_take_held(Film *f, FilmBlock *b);
/* What was said of it is gone: the warp's next step that is kept is to say it again. */
void film_mark_again(Film *f, FilmBlock *b, uint32_t warp, const FilmHeld *h);
void film_forget_warps(Film *f, FilmBlock *b);
size_t film_held_bytes(const FilmHeld *h);
static inline const uint8_t *film_held_data(const FilmHeld *h)
{
    return (const uint8_t *)(h + 1);
}

/* wait.c */
/* Lanes come to a barrier: how many threads wait there with them, or have come there if they pass. */
uint32_t film_wait_arrive(Film *f, FilmBlock *b, const FilmWait *w);
/* Lanes of a warp that have come to a barrier and passed it, and that has not ended since. */
uint32_t film_have_passed(const FilmBlock *b, uint32_t warp, uint32_t id);
/* All that have come to the barrier of this number go on. */
void film_wait_end(Film *f, FilmBlock *b, uint32_t id);
/* The same of a barrier of some threads; whose number is found by who waited there. */
void film_wait_end_part(Film *f, FilmBlock *b, const uint32_t *arrived, const uint32_t *waited, uint32_t n_warps);
/* Steps have gone: what changed between two that stay is said once. */
void film_thin_waits(FilmBlock *b);

/* thin.c */
/* Is a step of this turn to be kept? */
bool film_is_kept(const FilmBlock *b, const FilmStep *s);
/* Half as many turns are kept. False: that leaves what is there. */
bool film_thin(Film *f, FilmBlock *b);
/* Appends a step with its runs, its values and f->held, and thins where there is no room. */
void film_keep(Film *f, FilmBlock *b, const FilmStep *s, const FilmRun *runs, const uint8_t *values);
static inline const FilmStep *film_step_at(const FilmBlock *b, size_t at)
{
    return (const FilmStep *)(const void *)(b->steps + at);
}
static inline const FilmRun *film_runs(const FilmStep *s)
{
    return (const FilmRun *)(const void *)(s + 1);
}

static inline const FilmHeld *film_next_held(const FilmHeld *h)
{
    return (const FilmHeld *)(const void *)((const uint8_t *)h + film_held_bytes(h));
}
static inline const FilmHeld *film_held(const FilmStep *s)
{
    return (const FilmHeld *)(const void *)((const uint8_t *)s + s->bytes - s->held_bytes);
}

/* match.c */
typedef struct FilmMoment {
    int block;            /* index among those shown; -1: not shown */
    int64_t step, other;  /* indexes of steps in it; -1: not found */
} FilmMoment;
FilmMoment film_find(const Film *f, FilmBlock *const *blocks, size_t n, const Finding *finding);

/* write.c */
void film_write(Film *f, const FilmCounts *counts, const Finding *const *findings, size_t n_findings);

#endif
