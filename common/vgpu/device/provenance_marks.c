/* provenance: the granules of memory, and who wrote each of them last. See provenance.h.
 *
 * A granule of which a part is written gets the number of the later one, unless the earlier one is worse:
 * what is not a kernel's counts more than what is, so that no byte of the host's passes for a kernel's.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { G = PROVENANCE_GRANULE };

/* ---- tables ---- */

static void *map_zeros(uint64_t bytes)
{
    void *q = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return q == MAP_FAILED ? NULL : q;
}

static bool is_shared(const Device *d, const MemAlloc *a)
{
    return !mem_in_window(d->mem, a->addr);
}

static void free_marks(ProvMarks *m)
{
    if (!m)
        return;
    if (m->known)
        munmap(m->known, m->bytes);
    free(m->ids);
    free(m);
}

static ProvMarks *marks_make(Provenance *p, Device *d, const MemAlloc *a)
{
    ProvMarks *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    *m = (ProvMarks){.alloc = a,
                     .serial = a->serial,
                     .owner = d,
                     .addr = a->addr,
                     .bytes = a->bytes,
                     .n = (a->bytes + G - 1) / G,
                     .host = a->host,
                     .shared = is_shared(d, a)};
    m->low = m->out_low = UINT64_MAX;
    m->ids = calloc(m->n + 1, sizeof *m->ids);
    m->known = m->shared ? map_zeros(m->bytes) : NULL;
    if (m->ids && (!m->shared || (m->known && VEC_GROW(p->shared, p->n_shared, p->shared_cap)))) {
        if (m->shared)
            p->shared[p->n_shared++] = m;
        return m;
    }
    free_marks(m);
    return NULL;
}

ProvMarks *marks_of(Provenance *p, Device *d, const MemAlloc *a)
{
    uint32_t k = d->index;
    while (p->n_marks[k] <= a->serial) {
        if (!VEC_GROW(p->marks[k], p->n_marks[k], p->marks_cap[k])) {
            provenance_cut(p, "memory");
            return NULL;
        }
        p->marks[k][p->n_marks[k]++] = NULL;
    }
    ProvMarks **at = &p->marks[k][a->serial];
    if (!*at && !(*at = marks_make(p, d, a)))
        provenance_cut(p, "memory");
    return *at;
}

ProvMarks *marks_find(Provenance *p, Device *d, const MemAlloc *a)
{
    Device *owner = d;
    if (mem_find(d->mem, a->addr) != a)
        device_find(p->server, a->addr, &owner);
    return marks_of(p, owner, a);
}

static void marks_drop(Provenance *p, ProvMarks *m)
{
    for (size_t i = 0; i < p->n_shared; i++)
        if (p->shared[i] == m)
            p->shared[i--] = p->shared[--p->n_shared];
    p->marks[m->owner->index][m->serial] = NULL;
    free_marks(m);
}

void provenance_drop(Provenance *p, Device *owner, const MemAlloc *a)
{
    if (a->serial >= p->n_marks[owner->index] || !p->marks[owner->index][a->serial])
        return;
    ProvMarks *m = p->marks[owner->index][a->serial];
    if (m->shared)
        marks_show(p, m, m->addr, m->bytes);
    marks_drop(p, m);
}

/* Another worker may just use its granules. */
void provenance_drop_heap(Provenance *p, Device *owner, const MemAlloc *a)
{
    pthread_mutex_lock(&p->lock);
    ProvMarks **at = a->serial < p->n_marks[owner->index] ? &p->marks[owner->index][a->serial] : NULL;
    if (at && *at && VEC_GROW(p->dead, p->n_dead, p->dead_cap)) {
        p->dead[p->n_dead++] = *at;
        *at = NULL;
    }
    pthread_mutex_unlock(&p->lock);
}

static void free_dead(Provenance *p)
{
    while (p->n_dead > 0)
        free_marks(p->dead[--p->n_dead]);
}

void marks_free(Provenance *p)
{
    free_dead(p);
    for (uint32_t d = 0; p->marks && p->n_marks && d < p->server->n_devices; d++) {
        for (size_t i = 0; i < p->n_marks[d]; i++)
            free_marks(p->marks[d][i]);
        free(p->marks[d]);
    }
}

/* ---- numbers of a range ---- */

static bool is_store(const Provenance *p, uint16_t id)
{
    return p->kinds[id] == PROV_STORE;
}

/* Of a granule that `id` writes a part of. */
static void set_part(const Provenance *p, ProvMarks *m, uint64_t granule, uint16_t id)
{
    uint16_t *at = &m->ids[granule];
    if (is_store(p, *at) || *at == 0 || !is_store(p, id))
        *at = id;
}

/* From here on each granule has a number of its own. */
void marks_mix(ProvMarks *m)
{
    if (m->mixed)
        return;
    if (m->same != 0 || m->written)
        for (uint64_t i = 0; i < m->n; i++)
            m->ids[i] = m->same;
    m->written = true;
    __atomic_store_n(&m->mixed, true, __ATOMIC_RELEASE);
}

void marks_set(Provenance *p, ProvMarks *m, uint64_t addr, uint64_t bytes, uint16_t id)
{
    uint64_t from = addr - m->addr, to = from + bytes, first = (from + G - 1) / G, last = to / G;
    if (to == m->bytes)
        last = m->n;
    if (from == 0 && to == m->bytes) {
        m->same = id;
        m->mixed = false;
        return;
    }
    if (!m->mixed && m->same == id)
        return;
    marks_mix(m);
    m->changed = true;
    if (from % G != 0)
        set_part(p, m, from / G, id);
    for (uint64_t i = first; i < last; i++)
        m->ids[i] = id;
    if (to % G != 0 && last < m->n && (last >= first || from % G == 0))
        set_part(p, m, last, id);
}

/* Finds again which allocations have one number only. */
void marks_launch_begin(Provenance *p)
{
    for (uint32_t d = 0; d < p->server->n_devices; d++)
        for (size_t k = 0; k < p->n_marks[d]; k++) {
            ProvMarks *m = p->marks[d][k];
            if (!m || !m->changed || !m->mixed)
                continue;
            uint64_t i = 1;
            while (i < m->n && m->ids[i] == m->ids[0])
                i++;
            m->mixed = i < m->n;
            m->same = m->ids[0];
            m->changed = false;
        }
}

/* ---- memory that the host shares ---- */

/* A range of an allocation, and what is there. */
typedef struct Look {
    ProvMarks *m;
    uint64_t from, to;
    const uint8_t *now; /* at `from` */
} Look;

/* Bytes [from, to) are the host's. */
static void marks_take(Provenance *p, const Look *l, uint64_t from, uint64_t to)
{
    ProvMarks *m = l->m;
    uint64_t begin = provenance_begin(p);
    from = from > l->from ? from : l->from;
    to = to < l->to ? to : l->to;
    memcpy(m->known + from, l->now + (from - l->from), to - from);
    provenance_add(p, m->known + from, to - from);
    uint16_t id = provenance_host(p, PROV_SHARED, begin);
    marks_set(p, m, m->addr + from, to - from, id);
    if (p->n_taken < PROVENANCE_TAKEN_MAX)
        p->taken[p->n_taken] = id;
    p->n_taken++;
}

static bool differs(const Look *l, uint64_t from, uint64_t to)
{
    from = from > l->from ? from : l->from;
    to = to < l->to ? to : l->to;
    return memcmp(l->now + (from - l->from), l->m->known + from, to - from) != 0;
}

static bool is_store_at(const Provenance *p, const ProvMarks *m, uint64_t granule)
{
    return is_store(p, m->mixed ? m->ids[granule] : m->same);
}

/* What the host has written goes into one row as far as no kernel's granule lies in between. */
void marks_look(Provenance *p, ProvMarks *m, uint64_t addr, uint64_t bytes, const uint8_t *now)
{
    enum { CHUNK = 1024 }; /* granules */
    const Look l = {m, addr - m->addr, addr - m->addr + bytes, now};
    uint64_t end = (l.to + G - 1) / G, first = UINT64_MAX, last = 0;
    for (uint64_t i = l.from / G, next; i < end; i = next) {
        next = i + CHUNK < end ? i + CHUNK : end;
        bool alike = !differs(&l, i * G, next * G);
        for (uint64_t k = i; k < next && !(alike && first == UINT64_MAX); k++) {
            if (!alike && differs(&l, k * G, k * G + G)) {
                first = first == UINT64_MAX ? k : first;
                last = k + 1;
            } else if (first != UINT64_MAX && is_store_at(p, m, k)) {
                marks_take(p, &l, first * G, last * G);
                first = UINT64_MAX;
            }
        }
    }
    if (first != UINT64_MAX)
        marks_take(p, &l, first * G, last * G);
}

/* What the launch has stored: the device knows it from the stores themselves, but of atomics by what is
 * there. */
static void learn(Provenance *p, ProvMarks *m)
{
    for (uint64_t i = m->low; i < m->high; i++) {
        uint64_t at = i * G, n = m->bytes - at < G ? m->bytes - at : G;
        uint16_t id = m->mixed ? m->ids[i] : m->same;
        if (is_store(p, id) && p->untold[id])
            memcpy(m->known + at, m->host + at, n);
    }
    if (m->low < m->high) {
        m->out_low = m->low < m->out_low ? m->low : m->out_low;
        m->out_high = m->high > m->out_high ? m->high : m->out_high;
    }
    m->low = UINT64_MAX;
    m->high = 0;
}

void marks_launch_end(Provenance *p)
{
    p->n_taken = 0;
    free_dead(p);
    for (size_t i = 0; i < p->n_shared; i++) {
        ProvMarks *m = p->shared[i];
        if (m->looked != p->launch)
            continue;
        learn(p, m);
        marks_look(p, m, m->addr, m->bytes, m->host);
    }
}

/* ---- what goes to the host ---- */

/* The numbers of a range of bytes, as runs. */
static void add_runs(Provenance *p, size_t first_run, const ProvMarks *m, uint64_t addr, uint64_t bytes)
{
    uint64_t at = addr - m->addr, end = at + bytes;
    if (!m->mixed) {
        provenance_run(p, first_run, bytes, m->same);
        return;
    }
    while (at < end) {
        uint64_t i = at / G, from = at;
        uint16_t id = m->ids[i];
        while (at < end && m->ids[at / G] == id)
            at = (at / G + 1) * G;
        at = at < end ? at : end;
        provenance_run(p, first_run, at - from, id);
    }
}

void marks_show(Provenance *p, ProvMarks *m, uint64_t addr, uint64_t bytes)
{
    uint64_t low = (addr - m->addr) / G, high = (addr - m->addr + bytes + G - 1) / G;
    if (m->out_low >= m->out_high || low >= m->out_high || high <= m->out_low)
        return;
    bool all = low <= m->out_low && high >= m->out_high;
    low = low > m->out_low ? low : m->out_low;
    high = high < m->out_high ? high : m->out_high;
    uint64_t from = low * G, to = high * G < m->bytes ? high * G : m->bytes, begin = provenance_begin(p);
    size_t first_run = p->n_runs;
    provenance_add(p, m->known + from, to - from);
    add_runs(p, first_run, m, m->addr + from, to - from);
    provenance_out(p, PROV_SHARED, begin, first_run);
    if (all) {
        m->out_low = UINT64_MAX;
        m->out_high = 0;
    } else if (low == m->out_low) {
        m->out_low = high;
    } else if (high == m->out_high) {
        m->out_high = low;
    } /* else a part in the middle: it is shown once more with the rest */
}

void provenance_show(Provenance *p, Device *owner, const MemAlloc *a, uint64_t addr, uint64_t bytes)
{
    ProvMarks *m = marks_of(p, owner, a);
    if (m && m->shared)
        marks_show(p, m, addr, bytes);
}

void marks_show_all(Provenance *p, bool managed_too)
{
    for (size_t i = 0; i < p->n_shared; i++) {
        ProvMarks *m = p->shared[i];
        if (managed_too || m->alloc->kind != MEM_MANAGED)
            marks_show(p, m, m->addr, m->bytes);
    }
}

/* ---- fills ---- */

void provenance_fill(Provenance *p, Device *owner, const MemAlloc *a, uint64_t addr, uint64_t bytes,
                     uint32_t value)
{
    ProvMarks *m = marks_of(p, owner, a);
    if (!m)
        return;
    marks_set(p, m, addr, bytes, provenance_fill_id(p, value));
    if (m->shared)
        memcpy(m->known + (addr - m->addr), m->host + (addr - m->addr), bytes);
}

void provenance_variable(Provenance *p, Device *d, const MemAlloc *a, bool zero)
{
    ProvMarks *m = marks_of(p, d, a);
    uint64_t begin = provenance_begin(p);
    if (!m)
        return;
    if (!zero)
        provenance_add(p, a->host, a->bytes);
    marks_set(p, m, a->addr, a->bytes,
              zero ? provenance_fill_id(p, 0) : provenance_host(p, PROV_CONSTANT, begin));
    if (m->shared)
        memcpy(m->known, m->host, m->bytes);
}

/* ---- copies ---- */

typedef void RowVisitor(Provenance *p, ProvMarks *to, uint64_t t, ProvMarks *from, uint64_t f,
                        uint64_t bytes);

static ProvMarks *side_marks(Provenance *p, const ProvSide *s)
{
    return s->alloc ? marks_of(p, s->owner, s->alloc) : NULL;
}

/* Rows without gaps on a side count as one. */
static bool is_solid(const DeviceCopy *c, const ProvSide *s)
{
    return (c->height == 1 || s->pitch == c->width) && (c->depth == 1 || s->slice == c->width * c->height);
}

typedef struct Rows {
    uint64_t width, height, depth;
} Rows;

static Rows rows_of(const DeviceCopy *c, const ProvSide *a, const ProvSide *b)
{
    if (is_solid(c, a) && (!b || is_solid(c, b)))
        return (Rows){c->width * c->height * c->depth, 1, 1};
    return (Rows){c->width, c->height, c->depth};
}

static uint64_t row_at(const ProvSide *s, uint64_t z, uint64_t y)
{
    return s->addr + z * s->slice + y * s->pitch;
}

/* The number of bytes that begin at an address, to one that takes four of them from two granules. */
static uint16_t number_at(const Provenance *p, const ProvMarks *m, uint64_t addr)
{
    uint64_t at = addr - m->addr, next = (at + G - 1) / G;
    uint16_t a = m->ids[at / G], b = next < m->n ? m->ids[next] : a;
    return is_store(p, a) ? b : a;
}

static void carry_row(Provenance *p, ProvMarks *to, uint64_t t, const ProvMarks *from, uint64_t f,
                      uint64_t bytes)
{
    if (!from->mixed) {
        marks_set(p, to, t, bytes, from->same);
        return;
    }
    bool aligned = (t - to->addr) % G == 0 && (f - from->addr) % G == 0 && bytes % G == 0;
    marks_mix(to);
    to->changed = true;
    if (aligned) {
        memmove(to->ids + (t - to->addr) / G, from->ids + (f - from->addr) / G, bytes / G * sizeof *to->ids);
        return;
    }
    for (uint64_t done = 0, n; done < bytes; done += n) {
        uint64_t at = t + done - to->addr;
        n = G - at % G < bytes - done ? G - at % G : bytes - done;
        marks_set(p, to, t + done, n, number_at(p, from, f + done));
    }
}

/* Bytes that a copy of the devices has brought there wait to be shown, as those that a launch has stored. */
static void wait_to_show(ProvMarks *m, uint64_t addr, uint64_t bytes)
{
    uint64_t low = (addr - m->addr) / G, high = (addr - m->addr + bytes + G - 1) / G;
    m->out_low = low < m->out_low ? low : m->out_low;
    m->out_high = high > m->out_high ? high : m->out_high;
}

static void carry(Provenance *p, const DeviceCopy *c, const ProvSide *dst, const ProvSide *src)
{
    ProvMarks *to = side_marks(p, dst), *from = side_marks(p, src);
    Rows r = rows_of(c, dst, src);
    if (!to || !from)
        return;
    for (uint64_t z = 0; z < r.depth; z++)
        for (uint64_t y = 0; y < r.height; y++) {
            uint64_t t = row_at(dst, z, y), f = row_at(src, z, y);
            const uint8_t *came = dst->alloc->host + (t - to->addr);
            if (from->shared)
                marks_look(p, from, f, r.width, came);
            carry_row(p, to, t, from, f, r.width);
            if (to->shared)
                memcpy(to->known + (t - to->addr), from->shared ? came : src->alloc->host + (f - from->addr),
                       r.width);
            if (to->shared && dst->on_device)
                wait_to_show(to, t, r.width);
        }
}

static void come_from_host(Provenance *p, const DeviceCopy *c, const ProvSide *dst)
{
    ProvMarks *to = side_marks(p, dst);
    Rows r = rows_of(c, dst, NULL);
    uint64_t begin = provenance_begin(p);
    if (!to)
        return;
    for (uint64_t z = 0; z < r.depth; z++)
        for (uint64_t y = 0; y < r.height; y++)
            provenance_add(p, dst->alloc->host + (row_at(dst, z, y) - dst->alloc->addr), r.width);
    uint16_t id = provenance_host(p, PROV_COPY, begin);
    for (uint64_t z = 0; z < r.depth; z++)
        for (uint64_t y = 0; y < r.height; y++) {
            uint64_t t = row_at(dst, z, y);
            marks_set(p, to, t, r.width, id);
            if (to->shared)
                memcpy(to->known + (t - to->addr), to->host + (t - to->addr), r.width);
        }
}

static void go_to_host(Provenance *p, const DeviceCopy *c, const ProvSide *src)
{
    ProvMarks *from = side_marks(p, src);
    Rows r = rows_of(c, src, NULL);
    uint64_t begin = provenance_begin(p);
    size_t first_run = p->n_runs;
    if (!from)
        return;
    for (uint64_t z = 0; z < r.depth; z++)
        for (uint64_t y = 0; y < r.height; y++) {
            uint64_t f = row_at(src, z, y);
            if (from->shared)
                marks_look(p, from, f, r.width, from->host + (f - from->addr));
            const uint8_t *bytes = from->shared ? from->known : src->alloc->host;
            provenance_add(p, bytes + (f - from->addr), r.width);
            add_runs(p, first_run, from, f, r.width);
        }
    provenance_out(p, PROV_COPY, begin, first_run);
}

/* Is a byte of pinned memory that is copied a kernel's? Then numbers are carried; else the rows are one row.
 */
static bool has_stores(Provenance *p, const DeviceCopy *c, const ProvSide *src)
{
    const ProvMarks *m = side_marks(p, src);
    uint64_t end = src->addr + (c->depth - 1) * src->slice + (c->height - 1) * src->pitch + c->width;
    for (uint64_t i = (src->addr - src->alloc->addr) / G; m && i < (end - src->alloc->addr + G - 1) / G; i++)
        if (is_store_at(p, m, i))
            return true;
    return false;
}

void provenance_copy(Provenance *p, const DeviceCopy *c, const ProvSide *dst, const ProvSide *src)
{
    if (src->on_device && !dst->on_device)
        go_to_host(p, c, src);
    if (src->on_device ? dst->alloc != NULL
                       : dst->on_device && src->alloc && (is_solid(c, src) || has_stores(p, c, src)))
        carry(p, c, dst, src);
    else if (dst->on_device && !src->on_device)
        come_from_host(p, c, dst);
}
