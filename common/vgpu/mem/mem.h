/* mem: a device's global memory, and what is known of every byte of it.
 *
 * A device pointer is an address in a window that the host has reserved without access (PROT_NONE), so that host
 * code that follows one faults as it does with hardware. The bytes lie elsewhere, at a fixed distance:
 *
 *      window  (host: no access)   [base ............................ base + total)   what programs see
 *      backing (host: our bytes)   [backing ......................... + total)        backing + (addr - base)
 *      init    (1 bit a byte)      [...]                                              lazily committed
 *
 * Pinned, mapped and managed memory is ordinary host memory whose device address equals its host address; it has
 * allocations of the same kind, outside the window, with shadow of its own.
 *
 * The window is larger than the card where the host lets it be (up to four times), so that freed addresses stay
 * recognisable. Where the address MEM_GLOBAL_BASE is taken, the window lies where the host has room; where the host
 * refuses so much address space (a limit), the window shrinks and the card is full sooner.
 *
 * An allocation starts on a multiple of 256 bytes, as with cudaMalloc; between two allocations lie at least 256 bytes
 * that belong to nobody. Freed address ranges are not reused until the window has been used up once, so that a use
 * after free is always told from a use of something new. New memory is filled with a seeded pattern, never zeros: no
 * byte of it is 0. Large allocations get it lazily, as private mappings of one small file of the pattern, so that
 * allocating gigabytes costs nothing until they are written. Of a large freed allocation the host gets the memory back.
 *
 * Thread-safety: allocation and free happen while no kernel runs, except by kernels' own malloc (locked).
 */
#ifndef COMMON_VGPU_MEM_MEM_H
#define COMMON_VGPU_MEM_MEM_H

#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Generic-address windows of the per-block and per-thread spaces (PTX ISA 5.1): below any host or device pointer's range. */
#define MEM_SHARED_WINDOW 0x0000500000000000u /* + offset in the block's shared memory */
#define MEM_LOCAL_WINDOW  0x0000510000000000u /* + offset in the lane's local memory */
#define MEM_PARAM_WINDOW  0x0000520000000000u /* + offset in the kernel's parameter buffer */
#define MEM_WINDOW_BYTES  0x0000000100000000u
/* Device d's global window starts at MEM_GLOBAL_BASE + d * MEM_GLOBAL_STRIDE. */
#define MEM_GLOBAL_BASE   0x0000200000000000u
#define MEM_GLOBAL_STRIDE 0x0000008000000000u

typedef enum MemKind {
    MEM_DEVICE,     /* cudaMalloc and its kin */
    MEM_POOL,       /* cudaMallocAsync */
    MEM_MANAGED, MEM_PINNED, MEM_REGISTERED, /* device address == host address */
    MEM_GLOBAL_VAR, MEM_CONST_VAR,           /* module variables */
    MEM_HEAP,       /* device malloc */
    MEM_ARRAY,      /* cudaArray */
    MEM_INTERNAL,   /* the device's own (grid sync workspace): never reported as a leak */
    MEM_MAPPED,     /* memory without an address of its own (MemPhysical), where it is mapped and may be used */
    MEM_OPENED,     /* memory of another process's device (MemShared) */
} MemKind;

typedef struct MemAlloc {
    uint64_t addr, bytes;   /* device address, size as asked for */
    uint8_t *host;          /* where the bytes are */
    uint8_t *init;          /* init bitmap of this allocation (bit i: byte addr+i was written), NULL: all initialised
                             * (registered memory is: the host writes it unseen) */
    uint8_t kind;           /* MemKind */
    bool freed;
    uint16_t pool;          /* MEM_POOL: number of its pool */
    uint64_t peers;         /* MEM_MAPPED: bit i: device i may use it, too */
    uint32_t shared;        /* its number among what processes share; 0: it is this process's alone */
    uint64_t host_end;      /* one past the last byte that a copy or a fill of the host's has written */
    uint32_t serial;        /* 1, 2, 3... in order of allocation, never reused */
    uint64_t site;          /* token of the place that allocated it, resolved by the client; 0 unknown */
    uint64_t free_site;
    const char *name;       /* module variables, while they live; else NULL */
    void *shadow;           /* race checker's, made on first use */
    uint64_t shadow_launch;
    struct MemAlloc *next_freed;
} MemAlloc;

typedef struct Mem Mem;

/* A memory of `total` bytes (the modelled card's size) for device index `device`. STATUS_NO_MEMORY when the host
 * refuses the reservation. fill_seed chooses the pattern of fresh memory. */
Status mem_create(int device, uint64_t total, uint64_t fill_seed, Mem **out);
void mem_destroy(Mem *m);

/* Allocates; bytes > 0. NULL when the card is full (bytes free < bytes). initialised: contents count as written. */
MemAlloc *mem_alloc(Mem *m, uint64_t bytes, MemKind kind, uint64_t site, const char *name);
/* Registers host memory (pinned, managed, registered) under its own address; the caller owns the bytes. NULL when a part of it is registered
 * already, or lies in the window. */
MemAlloc *mem_register(Mem *m, void *host, uint64_t bytes, MemKind kind, uint64_t site);
/* The same for memory of another process: its bytes are kept at host. */
MemAlloc *mem_register_at(Mem *m, uint64_t addr, void *host, uint64_t bytes, MemKind kind, uint64_t site);
/* New pinned and managed memory holds a pattern without zeros, which is known at each offset, up to MEM_HOST_FILLED bytes; beyond them it is zero. */
#define MEM_HOST_FILLED ((uint64_t)1 << 20)
void mem_fill_host(MemAlloc *a);
static inline uint8_t mem_host_fresh(uint64_t offset)
{
    return offset < MEM_HOST_FILLED ? (uint8_t)(0x9D + offset * 0x4F) | 1 : 0;
}
/* Frees the live allocation that starts at addr. STATUS_NOT_FOUND: none starts there (mem_find_any tells whether it was freed). */
Status mem_free(Mem *m, uint64_t addr, uint64_t site);

/* How many allocations made at this place have been freed. */
size_t mem_count_freed(const Mem *m, uint64_t site);

/* The live allocation that contains addr, or NULL. O(log n); exec keeps the last answer per instruction. */
MemAlloc *mem_find(const Mem *m, uint64_t addr);
/* The allocation (freed ones included) that contains addr; else the nearest one (before or after); NULL if there are none. */
MemAlloc *mem_find_nearest(const Mem *m, uint64_t addr);
/* Live allocations in order of serial: start with i = 0; NULL at the end. */
MemAlloc *mem_at(const Mem *m, size_t i);

/* ---- memory and addresses taken apart (map.c) ---- */

/* Sizes and offsets in the window of what is mapped are multiples of it, as on a card. */
#define MEM_MAP_UNIT ((uint64_t)2 << 20)

typedef struct MemPhysical MemPhysical;

/* Memory of the card that lies at no address. NULL when the card is full, or the host has no room. */
MemPhysical *mem_physical_create(Mem *m, uint64_t bytes);
/* No part of it is mapped any more. */
void mem_physical_destroy(Mem *m, MemPhysical *p);
uint64_t mem_physical_bytes(const MemPhysical *p);
/* Addresses that nothing else gets: at `wanted` if that is free, else where there is room. 0: nowhere. */
uint64_t mem_reserve(Mem *m, uint64_t bytes, uint64_t align, uint64_t wanted);
/* False: no such range was reserved. */
bool mem_unreserve(Mem *m, uint64_t addr, uint64_t bytes);
bool mem_is_reserved(const Mem *m, uint64_t addr, uint64_t bytes);
/* All of p shows at addr, also where else it is mapped. */
bool mem_map(Mem *m, uint64_t addr, MemPhysical *p);
void mem_unmap(Mem *m, uint64_t addr, uint64_t bytes);
/* What is mapped there is one allocation from now on (kind MEM_MAPPED); and none any more, though its bytes stay. */
MemAlloc *mem_open(Mem *m, uint64_t addr, uint64_t bytes, uint64_t site);
void mem_close(Mem *m, uint64_t addr, uint64_t site);

/* ---- memory that the devices of several processes use (shared.c) ---- */

typedef struct MemShared MemShared;

/* A new file for the processes of one run; -1: none can be had. inherited: a program that is executed keeps it open. */
int mem_shared_file(bool inherited);
/* The same in each process; NULL: it is no such file. The caller keeps the descriptor open. */
MemShared *mem_shared_open(int fd);
void mem_shared_close(MemShared *s);

/* Gives an allocation of m, and the bits that say what of it was written, to the other processes: its number. 0: there is no room. */
uint32_t mem_share(MemShared *s, Mem *m, MemAlloc *a);
/* Shows what another process shares, in this window. STATUS_NOT_FOUND: there is no such number, or it is no memory;
 * STATUS_INVALID: it is this process's own; STATUS_IO: its owner has freed it, or is gone. */
Status mem_open_shared(MemShared *s, Mem *m, uint32_t number, uint64_t site, MemAlloc **out);
/* Things without bytes have numbers, too. 0: there is no room. */
uint32_t mem_share_name(MemShared *s);
Status mem_find_shared_name(const MemShared *s, uint32_t number);
void mem_forget_shared(MemShared *s, uint32_t number);
/* Has the process that shared it freed it, or ended? */
bool mem_shared_is_gone(const MemShared *s, uint32_t number);
/* Does another process have it open? */
bool mem_shared_is_used(const MemShared *s, uint32_t number);

/* True when addr lies in this memory's device window (allocated or not). */
bool mem_in_window(const Mem *m, uint64_t addr);
uint64_t mem_total(const Mem *m);
uint64_t mem_free_bytes(const Mem *m);

/* Marks [addr, addr + bytes) of an allocation as initialised (copies, memset), or not. */
void mem_mark_init(MemAlloc *a, uint64_t addr, uint64_t bytes, bool initialised);
/* First address of the window, and its size. */
uint64_t mem_window_base(const Mem *m);
uint64_t mem_window_bytes(const Mem *m);

/* Index of the first uninitialised byte in the range, or `bytes` when all are initialised. */
uint64_t mem_first_uninit(const MemAlloc *a, uint64_t addr, uint64_t bytes);

#endif
