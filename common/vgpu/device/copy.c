/* copy: copies and fills, checked when they are asked for and done when the stream gets there.
 *
 * Pageable host memory is read at the call (staged), as documented for cudaMemcpyAsync; pinned and managed
 * memory is read and written when the copy runs. A copy to pageable memory ends before the call returns.
 *
 * Where the caller is another process, its pageable memory is fetched into a buffer and put back from one,
 * and registered memory goes by its shadow (host.c).
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"
#include "common/vgpu/device/queue.h"

#include <stdlib.h>
#include <string.h>

/* One side of a copy. */
typedef struct Side {
    MemAlloc *alloc; /* NULL: pageable host memory */
    Device *owner;
    uint8_t *bytes; /* of the first row */
    uint64_t addr, pitch, slice;
    bool on_device; /* device or managed memory: checked and counted */
    bool pinned;
    bool away; /* pageable memory of another process: bytes is an address there */
} Side;

static uint64_t extent(uint64_t pitch, uint64_t slice, const DeviceCopy *c)
{
    return (c->depth - 1) * slice + (c->height - 1) * pitch + c->width;
}

static bool inside(const MemAlloc *a, uint64_t addr, uint64_t bytes)
{
    return a && bytes <= a->bytes && addr - a->addr <= a->bytes - bytes;
}

/* False when the side is no memory, or not enough of it. */
static bool find_side(DeviceServer *s, const DeviceSpan *span, uint64_t addr, uint64_t pitch, uint64_t slice,
                      const DeviceCopy *c, Side *out)
{
    *out = (Side){.addr = addr, .pitch = pitch, .slice = slice};
    uint64_t bytes = extent(pitch, slice, c);
    if (span->data) {
        out->bytes = span->data;
        out->away = s->options.host != NULL;
        return bytes <= span->bytes;
    }
    out->alloc = device_find(s, addr, &out->owner);
    if (!inside(out->alloc, addr, bytes))
        return false;
    out->bytes = out->alloc->host + (addr - out->alloc->addr);
    out->pinned = out->alloc->kind == MEM_PINNED || out->alloc->kind == MEM_REGISTERED;
    out->on_device = !out->pinned;
    return true;
}

static void advise_freed(Device *d, const DeviceMsg *m, uint64_t addr, uint64_t bytes)
{
    unsigned owner;
    const MemAlloc *a = device_locate(d->server, addr, &owner);
    if (!a || !a->freed || addr - a->addr >= a->bytes)
        return;
    StrBuf text = {0};
    strbuf_printf(&text, "%s: %s of %llu bytes in memory that was freed", m->call ? m->call : "a call",
                  m->op == OP_FILL ? "a fill" : "a copy", (unsigned long long)bytes);
    check_advise(d->check, a, addr, m->site, text.failed ? "" : text.text,
                 "free it after the last call that uses it; a graph's nodes keep the addresses that they "
                 "were made with");
    strbuf_free(&text);
}

/* Says why a copy or fill was refused: how much there is, and how much was wanted; or that it is gone. */
static void advise_refused(Device *d, const DeviceMsg *m, const Side *side, uint64_t bytes)
{
    if (!d->check)
        return;
    if (!side->alloc) {
        advise_freed(d, m, side->addr, bytes);
        return;
    }
    StrBuf text = {0};
    strbuf_printf(&text, "%s of %llu bytes from byte %llu of an allocation of %llu bytes",
                  m->call ? m->call : "copy", (unsigned long long)bytes,
                  (unsigned long long)(side->addr - side->alloc->addr),
                  (unsigned long long)side->alloc->bytes);
    bool pointer = bytes == sizeof(void *) && side->alloc->bytes < bytes;
    check_advise(d->check, side->alloc, side->addr, m->site, text.text,
                 pointer ? "8 bytes are those of a pointer: is it sizeof of the pointer, where the size of what it points to belongs?"
                         : "count in bytes, and compare with the size that was allocated");
    strbuf_free(&text);
}

/* ---- asking ---- */

/* Rows of the caller's memory, packed. */
static bool fetch(DeviceServer *s, const DeviceBox *from, uint8_t *to)
{
    const DeviceHost *host = s->options.host;
    if (host)
        return host->read(host->self, from, to);
    const uint8_t *base = (const uint8_t *)(uintptr_t)from->addr;
    for (uint64_t z = 0; z < from->depth; z++)
        for (uint64_t y = 0; y < from->height; y++, to += from->width)
            memcpy(to, base + z * from->slice + y * from->pitch, from->width);
    return true;
}

static DeviceBox box_of(uint64_t addr, uint64_t pitch, uint64_t slice, const DeviceCopy *c)
{
    return (DeviceBox){.addr = addr,
                       .pitch = pitch,
                       .slice = slice,
                       .width = c->width,
                       .height = c->height,
                       .depth = c->depth};
}

/* Keeps the bytes of pageable memory, rows packed, so that the program may change them after the call. */
static bool stage(DeviceServer *s, QueueOp *op)
{
    DeviceCopy *c = &op->copy;
    DeviceBox from = box_of((uint64_t)(uintptr_t)c->host_src.data, c->src_pitch, c->src_slice, c);
    op->params = malloc(c->width * c->height * c->depth);
    if (!op->params || !fetch(s, &from, op->params)) {
        free(op->params);
        op->params = NULL;
        return false;
    }
    c->host_src = (DeviceSpan){.data = op->params, .bytes = c->width * c->height * c->depth};
    c->src_pitch = c->width;
    c->src_slice = c->width * c->height;
    return true;
}

static bool valid_copy(Device *d, const DeviceMsg *m)
{
    const DeviceCopy *c = &m->copy;
    Side dst, src;
    if (!find_side(d->server, &c->host_dst, c->dst, c->dst_pitch, c->dst_slice, c, &dst)) {
        advise_refused(d, m, &dst, extent(c->dst_pitch, c->dst_slice, c));
        return false;
    }
    if (!find_side(d->server, &c->host_src, c->src, c->src_pitch, c->src_slice, c, &src)) {
        advise_refused(d, m, &src, extent(c->src_pitch, c->src_slice, c));
        return false;
    }
    return true;
}

static DeviceError finish_copy(Device *d, uint64_t seq, DeviceReply *r)
{
    r->resume = seq;
    DeviceError error = queue_run(d->server, seq);
    if (error != DEVICE_OK)
        return error;
    const Stream *stream = stream_find(d, d->server->msg->stream);
    if (stream) {
        host_wait(d->server, stream->end_ns);
        order_waited(d->server, &stream->clock);
    }
    return d->error;
}

static void fence_peers(Device *d, QueueOp *op)
{
    const DeviceCopy *c = &op->copy;
    Side dst, src;
    if (find_side(d->server, &c->host_dst, c->dst, c->dst_pitch, c->dst_slice, c, &dst) && dst.on_device &&
        find_side(d->server, &c->host_src, c->src, c->src_pitch, c->src_slice, c, &src) && src.on_device &&
        dst.owner != src.owner)
        queue_fence(op, dst.owner, src.owner);
}

DeviceError device_copy(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    if (m->resume != 0)
        return finish_copy(d, m->resume, r);
    if (m->copy.width == 0 || m->copy.height == 0 || m->copy.depth == 0)
        return DEVICE_OK;
    if (!stream_find(d, m->stream))
        return DEVICE_INVALID_HANDLE;
    if (!valid_copy(d, m))
        return DEVICE_INVALID_VALUE;
    if (m->place == PLACE_CHECK)
        return DEVICE_OK;
    QueueOp *op = queue_add(d, m, QUEUE_COPY);
    if (!op)
        return DEVICE_NO_MEMORY;
    op->copy = m->copy;
    if (m->place == PLACE_STREAM && m->stream == DEVICE_STREAM_LEGACY)
        fence_peers(d, op);
    if (m->place == PLACE_GRAPH)
        return DEVICE_OK; /* pageable memory too is read and written when the graph gets there */
    bool now = !m->copy.async || m->copy.host_dst.data;
    if (!now && m->copy.host_src.data && !stage(d->server, op))
        now = true;
    return now ? finish_copy(d, op->seq, r) : DEVICE_OK;
}

/* ---- doing ---- */

/* Bytes without gaps count as one long row. */
static DeviceCopy merge_rows(DeviceCopy c)
{
    if (c.dst_pitch == c.width && c.src_pitch == c.width &&
        (c.depth == 1 || (c.dst_slice == c.width * c.height && c.src_slice == c.width * c.height))) {
        c.width *= c.height * c.depth;
        c.height = c.depth = 1;
    }
    return c;
}

static void copy_row(Device *d, const QueueOp *op, const Side *dst, const Side *src, uint64_t to,
                     uint64_t from, uint64_t bytes)
{
    if (src->alloc)
        order_touch(d, src->alloc, src->addr + from, src->addr + from + bytes, PERF_TOUCH_LOAD);
    if (dst->alloc)
        order_touch(d, dst->alloc, dst->addr + to, dst->addr + to + bytes, PERF_TOUCH_STORE);
    if (src->on_device && !dst->on_device) {
        check_host_read(d->check, src->alloc, src->addr + from, bytes, "cudaMemcpy", op->site);
        d->totals.d2h += bytes;
        d->totals.d2h_kernel += origin_count(src->owner, src->alloc, src->addr + from, bytes);
        if (src->alloc->kind == MEM_MANAGED) /* counted */
            origin_clear(src->owner, src->alloc, src->addr + from, bytes);
    }
    memmove(dst->bytes + to, src->bytes + from, bytes);
    if (!dst->on_device)
        return;
    if (src->on_device) {
        d->totals.d2d += bytes;
        check_host_copy(d->check, dst->alloc, dst->addr + to, src->alloc, src->addr + from, bytes);
        origin_copy(dst->owner, dst->alloc, dst->addr + to, src->owner, src->alloc, src->addr + from, bytes);
    } else {
        d->totals.h2d += bytes;
        check_host_write(d->check, dst->alloc, dst->addr + to, bytes);
        origin_clear(dst->owner, dst->alloc, dst->addr + to, bytes);
    }
}

static uint64_t copy_time(const Device *d, const Side *dst, const Side *src, uint64_t bytes, Engine *engine)
{
    if (dst->on_device && src->on_device) {
        *engine = ENGINE_DEVICE_COPY;
        return perf_copy_ns(d->model, dst->owner == src->owner ? PERF_COPY_DEVICE : PERF_COPY_PEER, bytes);
    }
    *engine = dst->on_device || d->model->copy_engines < 2 ? ENGINE_TO_DEVICE : ENGINE_TO_HOST;
    bool pinned = dst->on_device ? src->pinned : dst->pinned;
    return perf_copy_ns(d->model, pinned ? PERF_COPY_PINNED : PERF_COPY_PAGEABLE, bytes);
}

/* The memory was there when the copy was asked for. */
static void fail_late(Device *d, const QueueOp *op, const char *what, uint64_t addr, uint64_t bytes)
{
    unsigned owner;
    d->error = DEVICE_ILLEGAL_ADDRESS;
    check_late_use(d->check, device_locate(d->server, addr, &owner), addr, bytes, what, op->site);
}

static void run_rows(Device *d, const QueueOp *op, const DeviceCopy *c, const Side *dst, const Side *src)
{
    const DeviceCopy rows = merge_rows(*c);
    for (uint64_t z = 0; z < rows.depth; z++)
        for (uint64_t y = 0; y < rows.height; y++)
            copy_row(d, op, dst, src, z * c->dst_slice + y * c->dst_pitch,
                     z * c->src_slice + y * c->src_pitch, rows.width);
}

/* The same to memory of another process, by way of a buffer. */
static bool run_to_away(Device *d, const QueueOp *op, const DeviceCopy *c, const Side *src)
{
    const DeviceHost *host = d->server->options.host;
    DeviceBox to = box_of((uint64_t)(uintptr_t)c->host_dst.data, c->dst_pitch, c->dst_slice, c);
    DeviceCopy packed = *c;
    packed.dst_pitch = c->width;
    packed.dst_slice = c->width * c->height;
    Side dst = {.bytes = malloc(c->width * c->height * c->depth)};
    bool ok = dst.bytes != NULL;
    if (ok) {
        run_rows(d, op, &packed, &dst, src);
        ok = host->write(host->self, &to, dst.bytes);
    }
    free(dst.bytes);
    return ok;
}

static bool is_shadowed(const DeviceServer *s, const Side *side)
{
    return s->options.host && side->alloc && side->alloc->kind == MEM_REGISTERED;
}

static bool run_sides(Device *d, QueueOp *op, const DeviceCopy *c, const Side *dst, const Side *src)
{
    DeviceServer *s = d->server;
    bool shadows = is_shadowed(s, dst) || is_shadowed(s, src), ok = true;
    if (shadows)
        host_refresh(s);
    if (dst->away)
        ok = run_to_away(d, op, c, src);
    else
        run_rows(d, op, c, dst, src);
    if (shadows)
        host_give_back(s);
    if (ok && s->provenance)
        provenance_copy(
            s->provenance, c,
            &(ProvSide){dst->owner, dst->alloc, dst->on_device, dst->addr, dst->pitch, dst->slice},
            &(ProvSide){src->owner, src->alloc, src->on_device, src->addr, src->pitch, src->slice});
    if (ok && src->on_device && dst->alloc && dst->alloc->kind == MEM_MANAGED)
        managed_copied(s, dst->addr, extent(dst->pitch, dst->slice, c));
    return ok;
}

uint64_t copy_run(Device *d, QueueOp *op, Engine *engine, uint64_t *bytes)
{
    bool away = d->server->options.host && op->copy.host_src.data && !op->params;
    Side dst, src;
    if (away && !stage(d->server, op)) {
        d->error = DEVICE_ILLEGAL_ADDRESS;
        return 0;
    }
    const DeviceCopy c = op->copy;
    if (!find_side(d->server, &c.host_dst, c.dst, c.dst_pitch, c.dst_slice, &c, &dst)) {
        fail_late(d, op, "copy", c.dst, extent(c.dst_pitch, c.dst_slice, &c));
        return 0;
    }
    if (!find_side(d->server, &c.host_src, c.src, c.src_pitch, c.src_slice, &c, &src)) {
        fail_late(d, op, "copy", c.src, extent(c.src_pitch, c.src_slice, &c));
        return 0;
    }
    if (!run_sides(d, op, &c, &dst, &src)) {
        d->error = DEVICE_NO_MEMORY;
        return 0;
    }
    *bytes = c.width * c.height * c.depth;
    if (!dst.on_device && !src.on_device)
        return 0;
    return copy_time(d, &dst, &src, *bytes, engine);
}

/* ---- fills ---- */

DeviceError device_fill(Device *d, const DeviceMsg *m)
{
    if (m->fill.width == 0 || m->fill.height == 0 || m->fill.depth == 0)
        return DEVICE_OK;
    if (!stream_find(d, m->stream))
        return DEVICE_INVALID_HANDLE;
    DeviceCopy shape = {.width = m->fill.width, .height = m->fill.height, .depth = m->fill.depth};
    Side side;
    if (!find_side(d->server, &(DeviceSpan){0}, m->fill.dst, m->fill.pitch, m->fill.slice, &shape, &side)) {
        advise_refused(d, m, &side, extent(m->fill.pitch, m->fill.slice, &shape));
        return DEVICE_INVALID_VALUE;
    }
    if (m->place == PLACE_CHECK)
        return DEVICE_OK;
    QueueOp *op = queue_add(d, m, QUEUE_FILL);
    if (!op)
        return DEVICE_NO_MEMORY;
    op->fill.dst = m->fill.dst;
    op->fill.pitch = m->fill.pitch;
    op->fill.slice = m->fill.slice;
    op->fill.width = m->fill.width;
    op->fill.height = m->fill.height;
    op->fill.depth = m->fill.depth;
    op->fill.value = m->fill.value;
    op->fill.element = m->fill.element;
    return DEVICE_OK;
}

static void fill_row(uint8_t *row, uint32_t value, uint32_t element, uint64_t bytes)
{
    if (element <= 1)
        memset(row, (int)(value & 0xFF), bytes);
    else
        for (uint64_t i = 0; i + element <= bytes; i += element)
            memcpy(row + i, &value, element); /* the low bytes */
}

/* Four bytes of what it fills with. */
static uint32_t fill_word(const QueueOp *op)
{
    uint32_t word;
    fill_row((uint8_t *)&word, op->fill.value, op->fill.element, sizeof word);
    return word;
}

uint64_t fill_run(Device *d, QueueOp *op)
{
    Device *owner;
    MemAlloc *a = device_find(d->server, op->fill.dst, &owner);
    if (!a) {
        fail_late(d, op, "fill", op->fill.dst, op->fill.width);
        return 0;
    }
    const Side side = {.alloc = a};
    if (is_shadowed(d->server, &side))
        host_refresh(d->server);
    for (uint64_t z = 0; z < op->fill.depth; z++)
        for (uint64_t y = 0; y < op->fill.height; y++) {
            uint64_t addr = op->fill.dst + z * op->fill.slice + y * op->fill.pitch;
            order_touch(d, a, addr, addr + op->fill.width, PERF_TOUCH_STORE);
            fill_row(a->host + (addr - a->addr), op->fill.value, op->fill.element, op->fill.width);
            check_host_write(d->check, a, addr, op->fill.width);
            origin_fill(owner, a, addr, op->fill.width, op->fill.value != 0);
            if (d->server->provenance)
                provenance_fill(d->server->provenance, owner, a, addr, op->fill.width, fill_word(op));
        }
    if (is_shadowed(d->server, &side))
        host_give_back(d->server);
    return perf_copy_ns(d->model, PERF_MEMSET, op->fill.width * op->fill.height * op->fill.depth);
}
