/* managed: where the pages of managed memory lie, what moving them costs, and who uses them too early.
 *
 * Managed memory has one address for the host and all devices, and its pages move to whoever uses them. Here
 * they move in blocks of 64 KiB, for each of which is kept who holds it: nobody yet, the host, a device, or
 * several (memory advised as read mostly):
 *
 *      kernel uses a block that its device does not hold    page fault: FAULT_NS, and the copy
 *      host uses a block that it does not hold              the same, the other way
 *      cudaMemPrefetchAsync                                 one copy of what is not there yet
 *      the device is full                                   the block used longest ago goes to the host
 *
 * What the host uses it does without a call. The facade looks which pages it has touched and says so in
 * OP_HOST_PAGES before each message to which that matters.
 *
 * What it writes there is seen by the page: all of a page that it has used counts as written. Managed memory whose
 * pages nobody tells of has no init bitmap: it counts as written.
 *
 * It also says the touches of memory that a kernel under way may use (OP_HOST_TOUCH). Such touches are
 * kept until the kernels that were asked for by then have run; if one of them writes the very place, or uses
 * what the host wrote, and nobody had waited for it, that is a race.
 *
 * Limits: variables declared __managed__ are held by all at all times; advice other than read mostly changes
 * nothing; blocks are smaller than what a driver moves at its best.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_BYTES = 64 * 1024, TOUCHES_MAX = 1024, DEVICES_HELD_MAX = 63 };

/* Of a fault that moves a block, on the device or on the host: the interrupt, the driver's work, the tables
 * of pages. Measured figures in the literature go from 20 to 50 microseconds. */
enum { FAULT_NS = 20000 };

#define HELD_BY_HOST ((uint64_t)1 << 63)

typedef struct Block {
    uint64_t holders; /* bit d: device d; HELD_BY_HOST; 0: nobody yet */
    uint64_t used;    /* number of the last use by a device */
} Block;

typedef struct Range {
    uint32_t serial; /* of the allocation */
    uint64_t addr, bytes;
    bool read_mostly;
    Block *blocks;
    size_t n;
    uint8_t *init; /* the allocation's bitmap, NULL: none */
} Range;

/* Touches by one instruction, in steps of `stride` bytes. */
typedef struct Touch {
    uint64_t addr, stride, n;
    uint64_t site, last_seq; /* last_seq: the newest operation asked for by then */
    bool write;
    OrderClock host; /* what had been waited for */
} Touch;

struct Managed {
    Range *ranges;
    size_t n, cap;
    uint64_t uses, extra_ns; /* extra_ns: of the operation that runs */
    Touch *touches;
    size_t n_touches, touches_cap;
};

static uint64_t bitmap_bytes(uint64_t bytes)
{
    return bytes / 8 + sizeof(uint64_t);
}

static void drop_range(Range *r)
{
    free(r->blocks);
    if (r->init)
        munmap(r->init, bitmap_bytes(r->bytes));
}

/* NULL without memory. */
static struct Managed *managed_of(DeviceServer *s)
{
    if (!s->managed)
        s->managed = calloc(1, sizeof *s->managed);
    return s->managed;
}

static Range *find_range(const DeviceServer *s, uint64_t addr)
{
    const struct Managed *m = s->managed;
    for (size_t i = 0; m && i < m->n; i++)
        if (addr - m->ranges[i].addr < m->ranges[i].bytes)
            return &m->ranges[i];
    return NULL;
}

void managed_add(Device *d, const MemAlloc *a)
{
    struct Managed *m = managed_of(d->server);
    size_t n = (a->bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    Block *blocks = calloc(n, sizeof *blocks);
    if (!m || !blocks || !VEC_GROW(m->ranges, m->n, m->cap)) {
        free(blocks);
        return;
    }
    m->ranges[m->n++] =
        (Range){.serial = a->serial, .addr = a->addr, .bytes = a->bytes, .blocks = blocks, .n = n};
}

void managed_drop(Device *d, MemAlloc *a)
{
    struct Managed *m = d->server->managed;
    Range *r = find_range(d->server, a->addr);
    if (!r)
        return;
    for (size_t i = 0; i < r->n; i++)
        for (uint32_t k = 0; k < d->server->n_devices; k++)
            d->server->devices[k]->n_blocks_held -= r->blocks[i].holders >> k & 1;
    a->init = NULL;
    drop_range(r);
    *r = m->ranges[--m->n];
}

void managed_free(DeviceServer *s)
{
    struct Managed *m = s->managed;
    for (size_t i = 0; m && i < m->n; i++)
        drop_range(&m->ranges[i]);
    if (m) {
        free(m->ranges);
        free(m->touches);
    }
    free(m);
    s->managed = NULL;
}

bool managed_wanted(const Device *d)
{
    return d->server->managed && d->server->managed->n > 0;
}

/* ---- moving blocks ---- */

static uint64_t block_bytes(const Range *r, size_t i)
{
    uint64_t left = r->bytes - (uint64_t)i * BLOCK_BYTES;
    return left < BLOCK_BYTES ? left : BLOCK_BYTES;
}

static uint64_t link_ns(const Device *d, uint64_t bytes)
{
    return perf_copy_ns(d->model, PERF_COPY_PINNED, bytes) - perf_copy_ns(d->model, PERF_COPY_PINNED, 0);
}

/* The device whose link the block goes over when the host wants it. */
static Device *holder_of(DeviceServer *s, const Block *b)
{
    for (uint32_t i = 0; i < s->n_devices && i < DEVICES_HELD_MAX; i++)
        if (b->holders >> i & 1)
            return s->devices[i];
    return NULL;
}

static void set_holders(DeviceServer *s, Block *b, uint64_t holders)
{
    for (uint32_t i = 0; i < s->n_devices && i < DEVICES_HELD_MAX; i++) {
        s->devices[i]->n_blocks_held += holders >> i & 1;
        s->devices[i]->n_blocks_held -= b->holders >> i & 1;
    }
    b->holders = holders;
}

/* Gives the host a block. True: it was on a device and moved. */
static bool to_host(DeviceServer *s, Range *r, size_t i, uint64_t *ns)
{
    Block *b = &r->blocks[i];
    if (b->holders & HELD_BY_HOST)
        return false;
    Device *from = holder_of(s, b);
    if (from) {
        from->totals.migrated_to_host += block_bytes(r, i);
        *ns += link_ns(from, block_bytes(r, i));
    }
    set_holders(s, b, r->read_mostly ? b->holders | HELD_BY_HOST : HELD_BY_HOST);
    return from != NULL;
}

/* Makes room for one block more: what was used longest ago goes. */
static void evict(Device *d, uint64_t *ns)
{
    struct Managed *m = d->server->managed;
    Range *oldest = NULL;
    size_t at = 0;
    for (size_t k = 0; k < m->n; k++)
        for (size_t i = 0; i < m->ranges[k].n; i++) {
            const Block *b = &m->ranges[k].blocks[i];
            if ((b->holders >> d->index & 1) && (!oldest || b->used < oldest->blocks[at].used)) {
                oldest = &m->ranges[k];
                at = i;
            }
        }
    if (!oldest)
        return;
    Block *b = &oldest->blocks[at];
    uint64_t others = b->holders & ~((uint64_t)1 << d->index);
    if (others == 0) {
        d->totals.migrated_to_host += block_bytes(oldest, at);
        *ns += link_ns(d, block_bytes(oldest, at));
        others = HELD_BY_HOST;
    }
    d->totals.evicted += block_bytes(oldest, at);
    set_holders(d->server, b, others);
}

/* Gives a device a block, alone or beside those who hold it. True: it was not there. */
static bool to_device(Device *d, Range *r, size_t i, bool shared, uint64_t *ns)
{
    Block *b = &r->blocks[i];
    uint64_t mine = (uint64_t)1 << d->index;
    bool had = b->holders & mine;
    b->used = ++d->server->managed->uses;
    if (!had) {
        while (d->n_blocks_held > 0 && (d->n_blocks_held + 1) * BLOCK_BYTES > mem_free_bytes(d->mem))
            evict(d, ns);
        if (b->holders != 0) {
            d->totals.migrated_to_device += block_bytes(r, i);
            *ns += link_ns(d, block_bytes(r, i));
        }
    }
    set_holders(d->server, b, shared ? b->holders | mine : mine);
    return !had;
}

/* ---- who uses them ---- */

/* What kernels have written there has come to the host, once. */
static void count_fetched(DeviceServer *s, uint64_t addr, uint64_t bytes)
{
    Device *owner;
    const MemAlloc *a = device_find(s, addr, &owner);
    if (!a || bytes > a->bytes - (addr - a->addr))
        return;
    owner->totals.d2h_kernel += origin_count(owner, a, addr, bytes);
    origin_clear(owner, a, addr, bytes);
    if (s->provenance)
        provenance_show(s->provenance, owner, a, addr, bytes);
}

/* A copy of the devices has written there. Of pages that the host holds nobody will say that it uses them: they count as fetched. */
void managed_copied(DeviceServer *s, uint64_t addr, uint64_t bytes)
{
    Range *r = find_range(s, addr);
    if (!r || bytes == 0)
        return;
    for (uint64_t from = addr, end = addr + bytes; from < end;) {
        uint64_t i = (from - r->addr) / BLOCK_BYTES, next = r->addr + (i + 1) * BLOCK_BYTES;
        uint64_t to = next < end ? next : end;
        if (i < r->n && r->blocks[i].holders & HELD_BY_HOST)
            count_fetched(s, from, to - from);
        from = to;
    }
}

/* From now on it is known which of its bytes were written: none so far. */
static void watch(MemAlloc *a, Range *r)
{
    void *bits = r->init ? MAP_FAILED
                         : mmap(NULL, bitmap_bytes(r->bytes), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bits != MAP_FAILED)
        a->init = r->init = bits;
}

void managed_host_pages(Device *d, const DeviceMsg *m)
{
    DeviceServer *s = d->server;
    Range *r = find_range(s, m->range.addr);
    MemAlloc *a = device_find(s, m->range.addr, NULL);
    if (!r || !a || m->range.bytes == 0)
        return;
    if (m->range.flag) {
        watch(a, r);
        return;
    }
    uint64_t first = (m->range.addr - r->addr) / BLOCK_BYTES,
             last = (m->range.addr - r->addr + m->range.bytes - 1) / BLOCK_BYTES;
    for (uint64_t i = first; i <= last && i < r->n; i++) {
        uint64_t ns = 0;
        if (!to_host(s, r, i, &ns))
            continue;
        d->totals.host_faults++;
        s->host_ns += FAULT_NS + ns;
    }
    if (m->range.bytes <= a->bytes - (m->range.addr - a->addr))
        check_host_write(d->check, a, m->range.addr, m->range.bytes);
    count_fetched(s, m->range.addr, m->range.bytes);
}

void managed_advise(Device *d, const DeviceMsg *m)
{
    Range *r = find_range(d->server, m->range.addr);
    if (r)
        r->read_mostly = m->range.flag;
}

/* The kernel that runs used bytes [from, to) of an allocation. */
void managed_use(Device *d, const MemAlloc *a, uint64_t from, uint64_t to, PerfTouch how)
{
    Range *r = a->kind == MEM_MANAGED ? find_range(d->server, a->addr) : NULL;
    if (!r || d->index >= DEVICES_HELD_MAX)
        return;
    bool shared = r->read_mostly && how == PERF_TOUCH_LOAD;
    for (uint64_t i = (from - r->addr) / BLOCK_BYTES; i <= (to - 1 - r->addr) / BLOCK_BYTES; i++)
        if (to_device(d, r, i, shared, &d->server->managed->extra_ns)) {
            d->totals.page_faults++;
            d->server->managed->extra_ns += FAULT_NS;
        }
}

uint64_t managed_take_ns(Device *d)
{
    struct Managed *m = d->server->managed;
    uint64_t ns = m ? m->extra_ns : 0;
    if (m)
        m->extra_ns = 0;
    return ns;
}

uint64_t managed_prefetch(Device *d, const QueueOp *op, Engine *engine)
{
    DeviceServer *s = d->server;
    Range *r = find_range(s, op->range.addr);
    Device *to = device_of(s, op->range.to);
    uint64_t ns = perf_copy_ns(d->model, PERF_COPY_PINNED, 0);
    *engine = !to && d->model->copy_engines > 1 ? ENGINE_TO_HOST : ENGINE_TO_DEVICE;
    if (!r || (to && to->index >= DEVICES_HELD_MAX))
        return ns;
    uint64_t first = (op->range.addr - r->addr) / BLOCK_BYTES,
             last = (op->range.addr - r->addr + op->range.bytes - 1) / BLOCK_BYTES;
    for (uint64_t i = first; i <= last && i < r->n; i++) {
        if (!to)
            to_host(s, r, i, &ns);
        else
            to_device(to, r, i, r->read_mostly, &ns);
    }
    return ns;
}

/* ---- uses that come too early ---- */

/* One more step of a touch: it takes it in. */
static bool is_next(Touch *t, const Touch *now)
{
    uint64_t stride = t->n == 1 ? now->addr - t->addr : t->stride;
    bool same = t->site == now->site && t->last_seq == now->last_seq && t->write == now->write &&
                memcmp(&t->host, &now->host, sizeof t->host) == 0;
    if (!same || now->addr <= t->addr || now->addr - t->addr != stride * t->n)
        return false;
    t->stride = stride;
    t->n++;
    return true;
}

void managed_host_touch(Device *d, const DeviceMsg *m)
{
    DeviceServer *s = d->server;
    struct Managed *all = managed_of(s);
    if (!all || s->queue.n == 0)
        return;
    Touch now = {.addr = m->range.addr,
                 .n = 1,
                 .site = m->site,
                 .last_seq = s->queue.last_seq,
                 .write = m->range.flag,
                 .host = s->order.host};
    if (all->n_touches > 0 && is_next(&all->touches[all->n_touches - 1], &now))
        return;
    if (all->n_touches < TOUCHES_MAX && VEC_GROW(all->touches, all->n_touches, all->touches_cap))
        all->touches[all->n_touches++] = now;
}

/* Whether one of its places lies in [from, to): *at. */
static bool touches_range(const Touch *t, uint64_t from, uint64_t to, uint64_t *at)
{
    uint64_t skip = from <= t->addr || t->stride == 0 ? 0 : (from - t->addr + t->stride - 1) / t->stride;
    *at = t->addr + skip * t->stride;
    return skip < t->n && *at >= from && *at < to;
}

void managed_compare(Device *d, const QueueOp *op, const MemAlloc *a, uint64_t from, uint64_t to,
                     PerfTouch how)
{
    const struct Managed *m = d->server->managed;
    for (size_t i = 0; i < m->n_touches; i++) {
        const Touch *t = &m->touches[i];
        bool waited = op->slot >= ORDER_STREAMS || op->seq <= t->host.seq[op->slot];
        bool clash = how != PERF_TOUCH_LOAD || t->write; /* an atomic writes, too */
        uint64_t at;
        if (op->seq <= t->last_seq && !waited && clash && touches_range(t, from, to, &at)) {
            check_host_race(d->check, a, at, t->write ? "writes" : "reads", t->site,
                            how == PERF_TOUCH_LOAD ? "reads" : "writes", op->site);
            return;
        }
    }
}

void managed_forget_touches(DeviceServer *s, bool all)
{
    if (s->managed && (all || s->queue.n == 0))
        s->managed->n_touches = 0;
}
