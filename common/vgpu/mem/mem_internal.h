/* What the files of mem share: the state of a device's memory, its index of allocations and its pattern. */
#ifndef COMMON_VGPU_MEM_MEM_INTERNAL_H
#define COMMON_VGPU_MEM_MEM_INTERNAL_H

#include "common/vgpu/mem/mem.h"

#include <pthread.h>

enum {
    MEM_ALIGN = 256,      /* of allocations, and the gap between two */
    MEM_PAGE = 64 * 1024, /* large allocations own whole pieces of this size: a multiple of any host's page */
    MEM_LARGE = 1024 * 1024,                  /* from here on the pattern is mapped, not written */
    MEM_PATTERN_BYTES = 64 * 1024,            /* after which the pattern repeats */
    MEM_PATTERN_FILE_BYTES = 4 * 1024 * 1024, /* one mapping of it; 80 GiB are 20,480 mappings */
};

/* Allocations in order of address, or of serial. */
typedef struct MemIndex {
    MemAlloc **items;
    size_t n, cap;
} MemIndex;

/* The pattern of fresh memory: the byte at address a is bytes[a % MEM_PATTERN_BYTES]. */
typedef struct MemPattern {
    uint8_t *bytes;
    int file; /* MEM_PATTERN_FILE_BYTES of it, made for the first large allocation; -1: none yet; -2: none can
                 be had */
} MemPattern;

struct Mem {
    uint64_t total, used;             /* bytes of the modelled card */
    uint64_t base, window_bytes;      /* of the window */
    uint8_t *window, *backing, *init; /* the three reservations */
    uint64_t next;                    /* offset in the window where the next allocation is tried first */
    uint32_t last_serial;
    MemPattern pattern;
    MemIndex live, freed; /* by address; freed ones whose range was not reused */
    MemIndex by_serial;   /* live ones */
    struct MemRange {
        uint64_t at, bytes; /* offset in the window */
    } *reserved;          /* by map.c, in order of offset */
    size_t n_reserved, reserved_cap;
    MemAlloc *retired;    /* records whose range was reused: kept, as others may still look at them */
    MemShared *shared;    /* where its shared allocations are; NULL: there are none */
    pthread_rwlock_t lock;
};

/* mem.c: enters a record in the indexes, or makes it a freed one; the caller has the lock. NULL (and the record is freed): no memory. */
MemAlloc *mem_enter(Mem *m, MemAlloc *a);
bool mem_leave(Mem *m, MemAlloc *a, uint64_t site);
/* Freed allocations whose range [addr, end) touches are forgotten. */
void mem_retire_freed(Mem *m, uint64_t addr, uint64_t end);

/* A range of the window for an allocation whose bytes lie at host; kind, site and name are the caller's to fill in. NULL: no room. */
MemAlloc *mem_place(Mem *m, uint64_t bytes, uint8_t *host, uint8_t *init);
/* Lets the host have back what an allocation's own place in the backing holds. */
void mem_clear_place(MemAlloc *a);
/* shared.c: an allocation that is shared, and has been freed, is not used here any more. */
void mem_let_go(Mem *m, MemAlloc *a);

/* First position in the index whose allocation ends after addr. */
size_t mem_index_position(const MemIndex *index, uint64_t addr);
MemAlloc *mem_index_find(const MemIndex *index, uint64_t addr);
bool mem_index_insert(MemIndex *index, size_t at, MemAlloc *a);
void mem_index_remove(MemIndex *index, size_t at);
/* Makes room for one more, so that the next insert cannot fail. */
bool mem_index_reserve(MemIndex *index);

Status mem_pattern_create(MemPattern *p, uint64_t seed);
void mem_pattern_destroy(MemPattern *p);
/* Fills bytes at `host`, which back the window's offset `offset`: writes, or maps when the range is large. */
void mem_pattern_fill(MemPattern *p, uint8_t *host, uint64_t offset, uint64_t bytes);

#endif
