/* map: memory and addresses taken apart: the driver API's virtual memory management.
 *
 *      MemPhysical   bytes, init bits      shared pages of ours, at no address of the window
 *      reserved      [at, at + bytes)      addresses of the window that nothing else gets
 *      mem_map       the pages show at the addresses' usual place in the backing, and in the init bitmap
 *
 * So one MemPhysical can show in several places, keeps its contents when it goes to another, and what is mapped side by side
 * is one piece of memory for copies and kernels.
 */
#include "common/base/arena.h"
#include "common/vgpu/mem/mem_internal.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Pages are filled with the pattern of fresh memory up to so many bytes; beyond them they are zero. */
#define MAP_FILLED_MAX ((uint64_t)256 << 20)

struct MemPhysical {
    uint64_t bytes;
    uint8_t *host, *init;
};

static uint8_t *shared_pages(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

MemPhysical *mem_physical_create(Mem *m, uint64_t bytes)
{
    if (bytes == 0 || bytes % MEM_MAP_UNIT != 0 || bytes > m->total - m->used)
        return NULL;
    MemPhysical *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    *p = (MemPhysical){.bytes = bytes, .host = shared_pages(bytes), .init = shared_pages(bytes / 8)};
    m->used += bytes;
    if (!p->host || !p->init) {
        mem_physical_destroy(m, p);
        return NULL;
    }
    for (uint64_t at = 0; at < bytes && bytes <= MAP_FILLED_MAX; at += MEM_PATTERN_BYTES)
        mem_pattern_fill(&m->pattern, p->host + at, at, MEM_PATTERN_BYTES);
    return p;
}

void mem_physical_destroy(Mem *m, MemPhysical *p)
{
    if (p->host)
        munmap(p->host, p->bytes);
    if (p->init)
        munmap(p->init, p->bytes / 8);
    m->used -= p->bytes;
    free(p);
}

uint64_t mem_physical_bytes(const MemPhysical *p)
{
    return p->bytes;
}

/* ---- addresses ---- */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Is nothing in [at, at + bytes), neither an allocation nor a reserved range? */
static bool is_free(const Mem *m, uint64_t at, uint64_t bytes)
{
    if (at > m->window_bytes || bytes > m->window_bytes - at)
        return false;
    for (size_t i = 0; i < m->n_reserved; i++)
        if (at < m->reserved[i].at + m->reserved[i].bytes && m->reserved[i].at < at + bytes)
            return false;
    size_t next = mem_index_position(&m->live, m->base + at);
    return next == m->live.n || m->live.items[next]->addr >= m->base + at + bytes;
}

/* The end of the first thing in [at, at + bytes), for which there is no room. */
static uint64_t end_of_obstacle(const Mem *m, uint64_t at, uint64_t bytes)
{
    uint64_t end = at + MEM_MAP_UNIT;
    for (size_t i = 0; i < m->n_reserved; i++)
        if (at < m->reserved[i].at + m->reserved[i].bytes && m->reserved[i].at < at + bytes)
            return m->reserved[i].at + m->reserved[i].bytes;
    size_t next = mem_index_position(&m->live, m->base + at);
    if (next < m->live.n && m->live.items[next]->addr < m->base + at + bytes)
        end = m->live.items[next]->addr - m->base + m->live.items[next]->bytes;
    return end > at ? end : at + MEM_MAP_UNIT;
}

static uint64_t choose(Mem *m, uint64_t bytes, uint64_t align)
{
    uint64_t at = round_up(m->next, align);
    if (at <= m->window_bytes && bytes <= m->window_bytes - at) {
        m->next = at + bytes;
        return at;
    }
    for (at = align; at <= m->window_bytes && bytes <= m->window_bytes - at;
         at = round_up(end_of_obstacle(m, at, bytes), align))
        if (is_free(m, at, bytes))
            return at;
    return UINT64_MAX;
}

uint64_t mem_reserve(Mem *m, uint64_t bytes, uint64_t align, uint64_t wanted)
{
    uint64_t at = UINT64_MAX, offset = wanted - m->base;
    if (bytes == 0 || bytes > m->window_bytes || !VEC_GROW(m->reserved, m->n_reserved, m->reserved_cap))
        return 0;
    if (wanted > m->base && offset % align == 0 && offset >= m->next && is_free(m, offset, bytes)) {
        at = offset;
        m->next = at + bytes;
    }
    if (at == UINT64_MAX)
        at = choose(m, bytes, align);
    if (at == UINT64_MAX)
        return 0;
    mem_retire_freed(m, m->base + at, m->base + at + bytes);
    m->reserved[m->n_reserved++] = (struct MemRange){at, bytes};
    return m->base + at;
}

bool mem_unreserve(Mem *m, uint64_t addr, uint64_t bytes)
{
    for (size_t i = 0; i < m->n_reserved; i++)
        if (m->base + m->reserved[i].at == addr && m->reserved[i].bytes == bytes) {
            m->reserved[i] = m->reserved[--m->n_reserved];
            return true;
        }
    return false;
}

bool mem_is_reserved(const Mem *m, uint64_t addr, uint64_t bytes)
{
    uint64_t at = addr - m->base;
    for (size_t i = 0; i < m->n_reserved; i++)
        if (at >= m->reserved[i].at && at - m->reserved[i].at < m->reserved[i].bytes &&
            bytes <= m->reserved[i].bytes - (at - m->reserved[i].at))
            return true;
    return false;
}

/* ---- mapping ---- */

/* A second view of shared pages (mremap(2): an old size of zero). */
static bool show(uint8_t *pages, uint64_t bytes, uint8_t *at)
{
    return mremap(pages, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at;
}

static void hide(uint8_t *at, uint64_t bytes)
{
    mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool mem_map(Mem *m, uint64_t addr, MemPhysical *p)
{
    uint64_t at = addr - m->base;
    return show(p->host, p->bytes, m->backing + at) && show(p->init, p->bytes / 8, m->init + at / 8);
}

void mem_unmap(Mem *m, uint64_t addr, uint64_t bytes)
{
    uint64_t at = addr - m->base;
    hide(m->backing + at, bytes);
    hide(m->init + at / 8, bytes / 8);
}

MemAlloc *mem_open(Mem *m, uint64_t addr, uint64_t bytes, uint64_t site)
{
    MemAlloc *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    *a = (MemAlloc){.addr = addr, .bytes = bytes, .kind = MEM_MAPPED, .site = site};
    a->host = m->backing + (addr - m->base);
    a->init = m->init + (addr - m->base) / 8;
    pthread_rwlock_wrlock(&m->lock);
    mem_retire_freed(m, addr, addr + bytes);
    a = mem_enter(m, a);
    pthread_rwlock_unlock(&m->lock);
    return a;
}

void mem_close(Mem *m, uint64_t addr, uint64_t site)
{
    pthread_rwlock_wrlock(&m->lock);
    MemAlloc *a = mem_index_find(&m->live, addr);
    if (a && a->kind == MEM_MAPPED)
        mem_leave(m, a, site);
    pthread_rwlock_unlock(&m->lock);
}
