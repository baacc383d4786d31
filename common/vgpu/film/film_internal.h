/* What the files of film share.
 *
 *   record.c   the observer: steps of blocks        choose.c   which launches and blocks
 *   thin.c     a block's steps become fewer          write.c    the record as JSON
 *   match.c    findings and their steps
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
    uint32_t active, live, other, joining, barrier, sync; /* lanes, as in ExecStep */
    uint32_t n_insts, n_lanes; /* instructions, and those times the lanes that executed them */
    uint32_t mask;             /* lanes of the event */
    uint32_t arrived;          /* threads that wait at the barrier, with those of this step */
    uint32_t array;            /* serial of the allocation; 0: none, or several */
    uint16_t sectors, lines;       /* global */
    uint16_t wavefronts, least;    /* shared */
    uint16_t n_value_bytes;        /* of each value that was kept */
    uint8_t n_values;              /* 1: all lanes have the same; else one for each lane of the mask; 0: none */
    uint8_t n_runs;
    uint8_t kind, space, access_bytes, async; /* ExecAccess; kind: of a fault, too */
} FilmStep; /* followed by the runs, then the values */

/* A function as the launch ran it. Counts are those of the whole launch. */
typedef struct FilmCode {
    const IrFunction *function;
    const IrLoc **place; /* [pc]; NULL: unknown */
    ExecInstCount *counts;
    uint64_t *requests, *sectors, *wavefronts, *conflicts; /* [pc]; wavefronts beyond the fewest */
} FilmCode;

typedef struct FilmBlock {
    struct FilmBlock *next;
    uint32_t linear, index[3];
    uint8_t *steps; /* FilmSteps one after the other */
    size_t n_bytes, cap;
    uint64_t seen, kept; /* steps */
    uint32_t every;      /* turns whose number is a multiple of it are kept; a power of two */
    bool cut, faulted;
    uint32_t waiting;  /* threads at barriers */
    uint32_t **turns;  /* [code]: [warp * n_insts + pc]; while it runs */
    size_t n_turns;
    FilmStep pending;  /* n_insts 0: none */
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

typedef struct FilmCounts {
    uint64_t steps, warp_insts, thread_insts, requests, sectors, wavefronts, barriers, warp_syncs, fences, shuffles;
} FilmCounts;

struct Film {
    FilmOptions options;
    ExecObserver observer;
    StrBuf json;
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
    size_t n_arrays;
    FilmCounts totals;
    bool no_memory;
};

/* choose.c */
Status film_check_blocks(const char *list, Diag *diag);
bool film_launch_wanted(const Film *f, const FilmLaunch *l);
/* Is the block to be recorded? */
bool film_block_wanted(const Film *f, uint64_t linear);
/* The blocks that the film shows, by ascending index: how many. */
size_t film_choose_blocks(const Film *f, const Finding *const *findings, size_t n, FilmBlock *out[FILM_BLOCKS_MAX]);

/* thin.c */
/* Half as many turns are kept. False: that leaves what is there. */
bool film_thin(FilmBlock *b);
/* Appends a step with its runs and values, thinning first where there is no room. */
void film_keep(FilmBlock *b, const FilmStep *s, const FilmRun *runs, const uint8_t *values, size_t room);
static inline const FilmStep *film_step_at(const FilmBlock *b, size_t at)
{
    return (const FilmStep *)(const void *)(b->steps + at);
}
static inline const FilmRun *film_runs(const FilmStep *s)
{
    return (const FilmRun *)(const void *)(s + 1);
}

/* match.c */
typedef struct FilmMoment {
    int block;            /* index among those shown; -1: not shown */
    int64_t step, other;  /* indexes of steps in it; -1: not found */
} FilmMoment;
FilmMoment film_find(const Film *f, FilmBlock *const *blocks, size_t n, const Finding *finding);

/* write.c */
void film_write(Film *f, const PerfCounters *counters, const Finding *const *findings, size_t n_findings);

#endif
