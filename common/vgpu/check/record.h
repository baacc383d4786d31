/* Records: what a warp instruction did, once for all the places in shadow memory that point to it.
 *
 * A cell of shadow memory is 32 bits: the number of a record and a lane. Numbers only go up until they run
 * out; 0 stands for nothing. Those of shared memory are forgotten at each block-wide barrier by raising
 * `base`, so cells with older numbers are empty without being touched.
 *
 *      bits 31..5  number of the record      bits 4..0  lane
 */
#ifndef COMMON_VGPU_CHECK_RECORD_H
#define COMMON_VGPU_CHECK_RECORD_H

#include "common/vgpu/exec/exec.h"

#include <pthread.h>

typedef uint32_t Cell;

enum {
    LANE_BITS = 5,
    RECORD_CHUNK = 1024,
    RECORDS_MAX = 1 << 24, /* of a launch, or of a block between two barriers */
    RECORD_CACHE = 256,
};

/* Flags. Atomic: may meet another atomic one without a race; narrow: one of the same block only; told: a write that may meet an
 * atomic read; data: volatile, and no flag that somebody polls. */
enum { RECORD_WRITES = 1, RECORD_ATOMIC = 2, RECORD_TOLD = 4, RECORD_NARROW = 8, RECORD_DATA = 16 };

typedef struct Record {
    uint32_t block, interval, epoch;
    uint32_t place;
    uint16_t first_thread; /* of the warp */
    uint8_t flags, access, bytes, space;
    uint16_t unused;
} Record;

/* Records that several workers may make: each takes numbers by the piece. */
typedef struct RecordStore {
    Record **chunks;
    uint32_t base;  /* number of the first record */
    uint32_t next;  /* first number that nobody has taken */
    uint32_t limit; /* records at most: RECORDS_MAX, or fewer */
} RecordStore;

/* What one maker keeps: its numbers, and what it made last. */
typedef struct RecordMaker {
    uint32_t next, end;
    uint32_t cache[RECORD_CACHE];
} RecordMaker;

static inline Cell cell_of(uint32_t record, uint32_t lane)
{
    return record << LANE_BITS | lane;
}

static inline const Record *record_of(const RecordStore *s, Cell cell)
{
    uint32_t i = (cell >> LANE_BITS) - s->base;
    return &s->chunks[i / RECORD_CHUNK][i % RECORD_CHUNK];
}

static inline uint32_t thread_of(const Record *r, Cell cell)
{
    return r->first_thread + (cell & (WARP_LANES - 1));
}

bool record_store_init(RecordStore *s);
void record_store_free(RecordStore *s);
/* All records are forgotten; numbers start again at 1, so that cells must be cleared. */
void record_store_reset(RecordStore *s);
/* All records are forgotten, and cells that point to them are empty. False: numbers are running out. */
bool record_store_forget(RecordStore *s);
/* The number of a record like this one, made if need be; 0 when there are too many or the host has no memory.
 * piece: how many numbers to take at once (1 for a store with one maker). */
uint32_t record_make(RecordStore *s, RecordMaker *m, const Record *like, uint32_t piece,
                     pthread_mutex_t *lock);

#endif
