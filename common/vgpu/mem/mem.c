/* A device's memory: reservations, allocation and lookup. See mem.h for the picture.
 *
 * Allocation goes upwards through the window, a gap after each range, until the end; then the first range
 * between live allocations that is long enough is taken again, and the records of freed allocations there are
 * retired (kept until the end, because exec may still hold one in a cache: it then sees that it is freed).
 */
#include "common/vgpu/mem/mem_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WINDOW_FACTOR = 4 }; /* window bytes for each byte of the card, if the host lets us */
#define WINDOW_LEAST ((uint64_t)16 << 20)
#define WINDOW_FRONT                                                                                         \
    ((uint64_t)1 << 20) /* left free, so that what lies before the first allocation is in the window too */

#ifdef __SANITIZE_THREAD__
enum { USUAL_PLACE_ALLOWED = false }; /* its run time ends a program that maps where it expects nothing */
#else
enum { USUAL_PLACE_ALLOWED = true };
#endif

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0 /* an older kernel takes the address as a hint; what it gives is compared */
#endif

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint8_t *reserve_host_range(void *address, uint64_t bytes, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED_NOREPLACE : 0);
    void *got = mmap(address, bytes, protection, flags, -1, 0);
    if (got == MAP_FAILED)
        return NULL;
    if (address && got != address) {
        munmap(got, bytes);
        return NULL;
    }
    return got;
}

static void release_windows(Mem *m)
{
    if (m->window)
        munmap(m->window, m->window_bytes);
    if (m->backing)
        munmap(m->backing, m->window_bytes);
    if (m->init)
        munmap(m->init, m->window_bytes / 8);
    m->window = m->backing = m->init = NULL;
}

/* The three reservations for a window of this size; false (and nothing reserved) when the host refuses one.
 */
static bool reserve_windows(Mem *m, int device, uint64_t bytes)
{
    void *usual = (void *)(uintptr_t)(MEM_GLOBAL_BASE + (uint64_t)device * MEM_GLOBAL_STRIDE);
    m->window_bytes = bytes;
    m->window = USUAL_PLACE_ALLOWED ? reserve_host_range(usual, bytes, PROT_NONE) : NULL;
    if (!m->window)
        m->window = reserve_host_range(NULL, bytes, PROT_NONE);
    m->backing = reserve_host_range(NULL, bytes, PROT_READ | PROT_WRITE);
    m->init = reserve_host_range(NULL, bytes / 8, PROT_READ | PROT_WRITE);
    m->base = (uint64_t)(uintptr_t)m->window;
    if (m->window && m->backing && m->init)
        return true;
    release_windows(m);
    return false;
}

static Status reserve_what_we_can(Mem *m, int device, uint64_t total)
{
    uint64_t wanted = total > MEM_GLOBAL_STRIDE / WINDOW_FACTOR ? MEM_GLOBAL_STRIDE : total * WINDOW_FACTOR;
    wanted = round_up(wanted < WINDOW_LEAST ? WINDOW_LEAST : wanted, MEM_PAGE);
    for (uint64_t bytes = wanted; bytes >= WINDOW_LEAST; bytes = round_up(bytes / 2, MEM_PAGE))
        if (reserve_windows(m, device, bytes))
            return STATUS_OK;
    return STATUS_NO_MEMORY;
}

Status mem_create(int device, uint64_t total, uint64_t fill_seed, Mem **out)
{
    *out = NULL;
    if (device < 0 || total == 0 || total > MEM_GLOBAL_STRIDE)
        return STATUS_INVALID;
    Mem *m = calloc(1, sizeof *m);
    if (!m)
        return STATUS_NO_MEMORY;
    m->total = total;
    m->next = WINDOW_FRONT;
    Status s = reserve_what_we_can(m, device, total);
    if (s == STATUS_OK)
        s = mem_pattern_create(&m->pattern, fill_seed);
    if (s != STATUS_OK) {
        release_windows(m);
        free(m);
        return s;
    }
    pthread_rwlock_init(&m->lock, NULL);
    *out = m;
    return STATUS_OK;
}

static void free_records(MemIndex *index)
{
    for (size_t i = 0; i < index->n; i++) {
        index->items[i]->shadow = NULL;
        free(index->items[i]);
    }
    free(index->items);
}

void mem_destroy(Mem *m)
{
    if (!m)
        return;
    for (size_t k = 0; k < m->live.n; k++)
        mem_let_go(m, m->live.items[k]);
    free_records(&m->live);
    free_records(&m->freed);
    free(m->by_serial.items);
    free(m->reserved);
    while (m->retired) {
        MemAlloc *next = m->retired->next_freed;
        free(m->retired);
        m->retired = next;
    }
    release_windows(m);
    mem_pattern_destroy(&m->pattern);
    pthread_rwlock_destroy(&m->lock);
    free(m);
}

/* Does [at, at + bytes) touch reserved addresses? *end is where they end. */
static bool is_reserved(const Mem *m, uint64_t at, uint64_t bytes, uint64_t *end)
{
    for (size_t i = 0; i < m->n_reserved; i++)
        if (at < m->reserved[i].at + m->reserved[i].bytes && m->reserved[i].at < at + bytes) {
            if (end)
                *end = m->reserved[i].at + m->reserved[i].bytes;
            return true;
        }
    return false;
}

/* The first offset from `at` on, before which reserved addresses end. */
static uint64_t after_reserved(const Mem *m, uint64_t at, uint64_t bytes, uint64_t align)
{
    uint64_t end;
    while (is_reserved(m, at, bytes + MEM_ALIGN, &end))
        at = round_up(end + MEM_ALIGN, align);
    return at;
}

/* Offset of a free range of `bytes` between live allocations, from the window's start; UINT64_MAX: none. */
static uint64_t first_fit(const Mem *m, uint64_t bytes, uint64_t align)
{
    uint64_t at = WINDOW_FRONT;
    for (size_t i = 0; i < m->live.n; i++) {
        const MemAlloc *a = m->live.items[i];
        if (!mem_in_window(m, a->addr) || is_reserved(m, a->addr - m->base, 1, NULL))
            continue;
        at = after_reserved(m, at, bytes, align);
        if (at + bytes + MEM_ALIGN <= a->addr - m->base)
            return at;
        uint64_t end = round_up(a->addr - m->base + a->bytes + MEM_ALIGN, align);
        at = end > at ? end : at;
    }
    at = after_reserved(m, at, bytes, align);
    return at + bytes <= m->window_bytes ? at : UINT64_MAX;
}

static uint64_t choose_place(Mem *m, uint64_t bytes)
{
    uint64_t align = bytes >= MEM_LARGE ? MEM_PAGE : MEM_ALIGN;
    uint64_t room = bytes >= MEM_LARGE ? round_up(bytes, MEM_PAGE) : bytes;
    uint64_t at = round_up(m->next, align);
    if (at + room > m->window_bytes)
        at = first_fit(m, room, align);
    else
        m->next = round_up(at + room + MEM_ALIGN, MEM_ALIGN);
    return at;
}

size_t mem_count_freed(const Mem *m, uint64_t site)
{
    size_t n = 0;
    for (size_t i = 0; i < m->freed.n; i++)
        n += m->freed.items[i]->site == site;
    for (const MemAlloc *a = m->retired; a; a = a->next_freed)
        n += a->site == site;
    return n;
}

void mem_retire_freed(Mem *m, uint64_t addr, uint64_t end)
{
    size_t at = mem_index_position(&m->freed, addr);
    while (at < m->freed.n && m->freed.items[at]->addr < end) {
        MemAlloc *old = m->freed.items[at];
        mem_index_remove(&m->freed, at);
        old->next_freed = m->retired;
        m->retired = old;
    }
}

MemAlloc *mem_enter(Mem *m, MemAlloc *a)
{
    if (!mem_index_reserve(&m->live) || !mem_index_reserve(&m->by_serial)) {
        free(a);
        return NULL;
    }
    a->serial = ++m->last_serial;
    mem_index_insert(&m->live, mem_index_position(&m->live, a->addr), a);
    mem_index_insert(&m->by_serial, m->by_serial.n, a);
    return a;
}

MemAlloc *mem_place(Mem *m, uint64_t bytes, uint8_t *host, uint8_t *init)
{
    uint64_t at = choose_place(m, bytes);
    MemAlloc *a = at == UINT64_MAX ? NULL : calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->addr = m->base + at;
    a->bytes = bytes;
    a->host = host ? host : m->backing + at;
    a->init = init ? init : m->init + at / 8;
    mem_retire_freed(m, a->addr, a->addr + bytes);
    return mem_enter(m, a);
}

static MemAlloc *take_range(Mem *m, uint64_t bytes)
{
    uint64_t cost = round_up(bytes, MEM_ALIGN);
    if (bytes == 0 || bytes > m->total || cost > m->total - m->used)
        return NULL;
    MemAlloc *a = mem_place(m, bytes, NULL, NULL);
    if (!a)
        return NULL;
    m->used += cost;
    mem_pattern_fill(&m->pattern, a->host, a->addr - m->base, bytes);
    return a;
}

MemAlloc *mem_alloc(Mem *m, uint64_t bytes, MemKind kind, uint64_t site, const char *name)
{
    pthread_rwlock_wrlock(&m->lock);
    MemAlloc *a = take_range(m, bytes);
    if (a) {
        a->kind = (uint8_t)kind;
        a->site = site;
        a->name = name;
    }
    pthread_rwlock_unlock(&m->lock);
    return a;
}

MemAlloc *mem_register(Mem *m, void *host, uint64_t bytes, MemKind kind, uint64_t site)
{
    return mem_register_at(m, (uint64_t)(uintptr_t)host, host, bytes, kind, site);
}

MemAlloc *mem_register_at(Mem *m, uint64_t addr, void *host, uint64_t bytes, MemKind kind, uint64_t site)
{
    bool apart =
        bytes > 0 && addr + bytes > addr && (addr + bytes <= m->base || addr >= m->base + m->window_bytes);
    MemAlloc *a = apart ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return NULL;
    *a = (MemAlloc){.addr = addr, .bytes = bytes, .host = host, .kind = (uint8_t)kind, .site = site};
    pthread_rwlock_wrlock(&m->lock);
    size_t at = mem_index_position(&m->live, a->addr);
    if (at < m->live.n && m->live.items[at]->addr < a->addr + bytes) {
        free(a); /* a part of it is registered already */
        a = NULL;
    } else {
        mem_retire_freed(m, a->addr, a->addr + bytes);
        a = mem_enter(m, a);
    }
    pthread_rwlock_unlock(&m->lock);
    return a;
}

void mem_fill_host(MemAlloc *a)
{
    for (uint64_t i = 0; i < a->bytes && i < MEM_HOST_FILLED; i++)
        a->host[i] = mem_host_fresh(i);
}

/* Zeroes bytes; whole pages of many are dropped instead, so that the host gets them back. */
static void zero(uint8_t *from, uint64_t bytes)
{
    uint64_t skip = (uint64_t)(-(uintptr_t)from & (MEM_PAGE - 1));
    if (bytes >= 4 * MEM_PAGE) {
        uint64_t whole = (bytes - skip) & ~(uint64_t)(MEM_PAGE - 1);
        madvise(from + skip, whole, MADV_DONTNEED);
        memset(from + skip + whole, 0, bytes - skip - whole);
        bytes = skip;
    }
    memset(from, 0, bytes);
}

/* Gives large memory back to the host (the pattern shows again), and forgets which bytes were written. */
void mem_clear_place(MemAlloc *a)
{
    if (a->bytes >= MEM_LARGE)
        madvise(a->host, round_up(a->bytes, MEM_PAGE), MADV_DONTNEED);
    zero(a->init, round_up(a->bytes, MEM_ALIGN) / 8);
}

static void remove_serial(MemIndex *index, const MemAlloc *a)
{
    size_t low = 0, high = index->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->items[middle]->serial < a->serial)
            low = middle + 1;
        else
            high = middle;
    }
    mem_index_remove(index, low);
}

bool mem_leave(Mem *m, MemAlloc *a, uint64_t site)
{
    if (!mem_index_reserve(&m->freed))
        return false;
    mem_index_remove(&m->live, mem_index_position(&m->live, a->addr));
    remove_serial(&m->by_serial, a);
    a->freed = true;
    a->free_site = site;
    a->name = NULL; /* its module may go */
    a->shadow = NULL;
    mem_index_insert(&m->freed, mem_index_position(&m->freed, a->addr), a);
    return true;
}

static Status free_at(Mem *m, uint64_t addr, uint64_t site)
{
    size_t at = mem_index_position(&m->live, addr);
    MemAlloc *a = at < m->live.n ? m->live.items[at] : NULL;
    if (!a || a->addr != addr)
        return STATUS_NOT_FOUND;
    if (!mem_leave(m, a, site))
        return STATUS_NO_MEMORY;
    if (mem_in_window(m, addr) && a->kind != MEM_OPENED)
        m->used -= round_up(a->bytes, MEM_ALIGN);
    if (a->shared)
        mem_let_go(m, a);
    else if (mem_in_window(m, addr))
        mem_clear_place(a);
    return STATUS_OK;
}

Status mem_free(Mem *m, uint64_t addr, uint64_t site)
{
    pthread_rwlock_wrlock(&m->lock);
    Status s = free_at(m, addr, site);
    pthread_rwlock_unlock(&m->lock);
    return s;
}

static pthread_rwlock_t *lock_of(const Mem *m)
{
    return &((Mem *)(uintptr_t)m)->lock; /* looking changes nothing that callers see */
}

MemAlloc *mem_find(const Mem *m, uint64_t addr)
{
    pthread_rwlock_rdlock(lock_of(m));
    MemAlloc *a = mem_index_find(&m->live, addr);
    pthread_rwlock_unlock(lock_of(m));
    return a;
}

/* How far addr is outside of a: 0 inside. */
static uint64_t distance(const MemAlloc *a, uint64_t addr)
{
    if (addr < a->addr)
        return a->addr - addr;
    return addr < a->addr + a->bytes ? 0 : addr - (a->addr + a->bytes) + 1;
}

/* The nearer of `best` and the neighbours of addr in the index; `best` when equally near. */
static MemAlloc *nearer(MemAlloc *best, const MemIndex *index, uint64_t addr)
{
    size_t at = mem_index_position(index, addr);
    for (size_t i = at ? at - 1 : 0; i <= at && i < index->n; i++)
        if (!best || distance(index->items[i], addr) < distance(best, addr))
            best = index->items[i];
    return best;
}

MemAlloc *mem_find_nearest(const Mem *m, uint64_t addr)
{
    pthread_rwlock_rdlock(lock_of(m));
    MemAlloc *a = nearer(nearer(NULL, &m->live, addr), &m->freed, addr);
    pthread_rwlock_unlock(lock_of(m));
    return a;
}

MemAlloc *mem_at(const Mem *m, size_t i)
{
    return i < m->by_serial.n ? m->by_serial.items[i] : NULL;
}

bool mem_in_window(const Mem *m, uint64_t addr)
{
    return addr - m->base < m->window_bytes;
}

uint64_t mem_total(const Mem *m)
{
    return m->total;
}

uint64_t mem_free_bytes(const Mem *m)
{
    return m->total - m->used;
}

uint64_t mem_window_base(const Mem *m)
{
    return m->base;
}

uint64_t mem_window_bytes(const Mem *m)
{
    return m->window_bytes;
}
