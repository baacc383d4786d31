/* film: one launch as its warps went through it, step by step, for the eye of a person.
 *
 * A Film looks at launches until it has the one that is wanted, and keeps its record as JSON (docs/contracts.md, "A film
 * of a launch"). A step is what one warp did at one line without parting: some instructions, and at most one event at their end
 * (an access, an atomic, a barrier, a shuffle, a fault). Totals count the whole launch, whatever is shown of it: they are perf's.
 *
 * Everything is bounded. A block that has too many steps keeps every 2nd, 4th, 8th... time that a warp came by an instruction
 * (the first time always), and says so; one that has too many all the same is cut, and says so.
 *
 * A film is of one device and of launches with one worker; the blocks that are recorded run warp by warp (ExecObserver.step), the
 * others as ever. A Film owns what it returns.
 */
#ifndef COMMON_VGPU_FILM_FILM_H
#define COMMON_VGPU_FILM_FILM_H

#include "common/base/finding.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"
#include "common/vgpu/exec/exec.h"
#include "common/vgpu/perf/perf.h"

typedef struct Film Film;

typedef struct FilmOptions {
    /* Which launch: "3", the third; "add", the first of that kernel; ":17" or "file.cu:17", the first of a kernel with code of that
     * line. NULL: the first with a finding, and the first of all where none has one. */
    const char *launch;
    /* Which blocks, by linear index: "0,5-7". NULL: the first finding's and its neighbours, the first and the last. */
    const char *blocks;
    bool registers;       /* what they hold; else only those that have variables of the source, where debug information tells */
    uint32_t block_bytes; /* of recorded steps that a block keeps; 0: FILM_BLOCK_BYTES */
} FilmOptions;

enum {
    FILM_BLOCK_BYTES = 1 << 18,
    FILM_BLOCKS_MAX = 8,         /* in a film */
    FILM_ENDS = 96,              /* blocks at either end of the grid that are recorded when none are named, */
    FILM_ENDS_LEAST = 2,         /* and the fewest; as many as take FILM_INSTS instructions of warps, or */
    FILM_INSTS = 1 << 16,        /* one in FILM_SHARE of a large grid at either end, if those are more */
    FILM_SHARE = 128,
    FILM_LAUNCHES_MAX = 100,     /* that are looked at for one with a finding */
    FILM_JSON_BYTES = 2500000,   /* of both texts together */
    FILM_ARRAYS_MAX = 64,
};

/* A launch that is about to run. */
typedef struct FilmLaunch {
    uint64_t number;    /* 1: the program's first */
    const char *kernel; /* readable name */
    uint64_t site;      /* token of the host's place */
    const IrInstance *instance;
    uint32_t function;
} FilmLaunch;

/* STATUS_INVALID: blocks is no list of numbers. */
Status film_create(const FilmOptions *options, Film **out, Diag *diag);
void film_destroy(Film *f);

/* Is this launch to be looked at? Then it must run with film_observer, and film_end must follow. */
bool film_begin(Film *f, const FilmLaunch *launch);
const ExecObserver *film_observer(Film *f);
typedef struct FilmCounts { /* of the whole launch */
    const PerfCounters *counters;
    const PerfLine *lines;
    size_t n_lines;
} FilmCounts;
/* The launch has ended, with these counts; findings are those that are new since it began. True: there is a film now, or a better one. */
bool film_end(Film *f, const FilmCounts *counts, const Finding *const *findings, size_t n_findings);
/* The film as one JSON object without its first brace; empty while there is none. Its blocks have no steps: */
const StrBuf *film_json(const Film *f);
/* they are a list for each block. No "<" is in it. */
const StrBuf *film_steps(const Film *f);

#endif
