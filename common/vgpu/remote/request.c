/* request: takes in a message and looks at all that is in it.
 *
 * A message's structure is copied out of its packet first, then every pointer in it is replaced, then its
 * numbers are looked at: what the devices believe of a caller in their own process is true of this one too.
 * Texts get NULs behind their end. What the devices check for any caller (handles, addresses, sizes of
 * allocations, shapes of launches) is left to them.
 */
#include "common/vgpu/remote/request.h"

#include <stdlib.h>
#include <string.h>

#define TEXELS_MAX ((uint64_t)1 << 20)
enum { END_BYTES = 16, OUT_BYTES_MIN = 4096 };

_Static_assert(OUT_BYTES_MIN >= sizeof(DeviceInfo) && OUT_BYTES_MIN >= sizeof(DeviceFunctionInfo),
               "an answer of fixed size fits");

/* A byte that says true or false, whatever the client put there. */
static void clean_bool(bool *b)
{
    unsigned char byte;
    memcpy(&byte, b, 1);
    *b = byte != 0;
}

static bool reserve_buffer(uint8_t **buffer, size_t *cap, uint64_t bytes)
{
    if (bytes <= *cap)
        return true;
    uint8_t *grown = realloc(*buffer, bytes);
    if (!grown)
        return false;
    *buffer = grown;
    *cap = bytes;
    return true;
}

/* ---- taking in ---- */

/* Where the parts of the payload go: after, lengths, in, and NULs. */
static bool take_payload(Wire *w, Request *q, uint32_t call_bytes)
{
    DeviceMsg *m = &q->msg;
    uint64_t n_images = m->op == OP_MODULE_LOAD ? m->module.n_images : 0, in = m->in.bytes;
    if (call_bytes >= sizeof q->call || m->n_after > REQUEST_AFTER_MAX || n_images > REQUEST_IMAGES_MAX ||
        in > REQUEST_IN_MAX)
        return false;
    uint64_t numbers = (m->n_after + n_images) * sizeof(uint64_t), bytes = numbers + in;
    if (w->payload != call_bytes + bytes || !reserve_buffer(&q->payload, &q->payload_cap, bytes + END_BYTES))
        return false;
    memset(q->payload + bytes, 0, END_BYTES);
    q->call[call_bytes] = 0;
    if (!wire_take(w, q->call, call_bytes) || !wire_take(w, q->payload, bytes))
        return false;
    m->after = (const uint64_t *)q->payload;
    m->in.data = q->payload + numbers;
    if (m->op == OP_MODULE_LOAD)
        m->module.lengths = (const uint64_t *)q->payload + m->n_after;
    return true;
}

bool request_take(Wire *w, Request *q)
{
    WireRequest r;
    const void *fixed = wire_fixed(w, WIRE_REQUEST, sizeof r);
    if (!fixed)
        return false;
    memcpy(&r, fixed, sizeof r);
    q->msg = r.msg;
    q->n_calls = r.n_calls;
    q->no_reply = r.no_reply != 0;
    q->out_bytes = r.msg.out.bytes;
    uint64_t room = q->out_bytes < OUT_BYTES_MIN ? OUT_BYTES_MIN : q->out_bytes;
    bool ok = (unsigned)r.msg.op < DEVICE_N_OPS && q->n_calls <= REQUEST_CALLS_MAX &&
              q->out_bytes <= REQUEST_OUT_MAX && take_payload(w, q, r.call_bytes) &&
              reserve_buffer(&q->out, &q->out_cap, room);
    if (!ok) {
        w->broken = true;
        return false;
    }
    memset(q->out, 0, room);
    q->msg.out = (DeviceSpan){.data = q->out, .bytes = room};
    q->msg.call = q->call[0] == 0 ? NULL : q->call;
    clean_bool(&q->msg.sticky);
    return true;
}

void request_free(Request *q)
{
    free(q->payload);
    free(q->out);
    *q = (Request){.payload = NULL};
}

/* ---- looking ---- */

/* Do rows end before the end of the address space? */
static bool is_fit_extent(uint64_t addr, uint64_t pitch, uint64_t slice, const DeviceBox *shape)
{
    uint64_t slices, rows, bytes;
    if (shape->width == 0 || shape->height == 0 || shape->depth == 0)
        return true;
    return !__builtin_mul_overflow(shape->depth - 1, slice, &slices) &&
           !__builtin_mul_overflow(shape->height - 1, pitch, &rows) &&
           !__builtin_add_overflow(slices, rows, &bytes) &&
           !__builtin_add_overflow(bytes, shape->width, &bytes) && bytes <= REQUEST_ADDRESS_MAX &&
           addr <= REQUEST_ADDRESS_MAX - bytes;
}

/* Are rows apart? Else few bytes could be copied for ever, and need any memory on the way. */
static bool is_apart(uint64_t pitch, uint64_t slice, const DeviceBox *shape)
{
    return (shape->height <= 1 || pitch >= shape->width) &&
           (shape->depth <= 1 || slice >= (shape->height - 1) * pitch + shape->width);
}

static bool is_fit_copy(DeviceMsg *m)
{
    const DeviceCopy *c = &m->copy;
    DeviceBox shape = {.width = c->width, .height = c->height, .depth = c->depth};
    uint64_t bytes;
    const void *dst = c->host_dst.data, *src = c->host_src.data;
    return wire_box_bytes(&shape, &bytes) &&
           is_fit_extent(dst ? (uint64_t)(uintptr_t)dst : c->dst, c->dst_pitch, c->dst_slice, &shape) &&
           is_fit_extent(src ? (uint64_t)(uintptr_t)src : c->src, c->src_pitch, c->src_slice, &shape) &&
           is_apart(c->dst_pitch, c->dst_slice, &shape) && is_apart(c->src_pitch, c->src_slice, &shape);
}

static bool is_fit_fill(DeviceMsg *m)
{
    DeviceBox shape = {.width = m->fill.width, .height = m->fill.height, .depth = m->fill.depth};
    uint64_t bytes, element = m->fill.element;
    return (element == 1 || element == 2 || element == 4) && wire_box_bytes(&shape, &bytes) &&
           is_fit_extent(m->fill.dst, m->fill.pitch, m->fill.slice, &shape) &&
           is_apart(m->fill.pitch, m->fill.slice, &shape);
}

static bool is_fit_range(DeviceMsg *m)
{
    return m->range.bytes <= REQUEST_ADDRESS_MAX && m->range.addr <= REQUEST_ADDRESS_MAX - m->range.bytes;
}

/* One line of text. */
static bool is_fit_note(DeviceMsg *m)
{
    const char *text = m->in.data;
    size_t n = m->in.bytes;
    if (n == 0 || n > DEVICE_NOTE_BYTES_MAX || text[n - 1] != 0)
        return false;
    for (size_t i = 0; i + 1 < n; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    return true;
}

static bool is_fit_texture(DeviceMsg *m)
{
    DeviceSpan in = m->in;
    if (in.bytes != sizeof(DeviceTexture))
        return false;
    DeviceTexture t;
    memcpy(&t, in.data, sizeof t);
    bool *flags[] = {&t.surface,       &t.layered, &t.cube,           &t.normalized_coords,
                     &t.linear_filter, &t.srgb,    &t.normalized_read};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        clean_bool(flags[i]);
    memcpy(in.data, &t, sizeof t);
    for (int i = 0; i < 3; i++)
        if (t.addressing[i] > 3)
            return false;
    return t.resource <= DEVICE_TEXTURE_PITCHED && t.channel <= DEVICE_CHANNEL_FLOAT &&
           (t.bits == 8 || t.bits == 16 || t.bits == 32) &&
           (t.n_channels == 1 || t.n_channels == 2 || t.n_channels == 4) &&
           (t.channel != DEVICE_CHANNEL_FLOAT || t.bits >= 16) && t.height <= TEXELS_MAX &&
           t.depth <= TEXELS_MAX && t.width <= 1u << 30 && t.addr <= REQUEST_ADDRESS_MAX &&
           t.pitch <= REQUEST_ADDRESS_MAX / TEXELS_MAX && t.slice <= REQUEST_ADDRESS_MAX / TEXELS_MAX * 16;
}

static bool is_fit_module(DeviceMsg *m)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->module.n_images; i++)
        if (m->module.lengths[i] > m->in.bytes || (sum += m->module.lengths[i]) > m->in.bytes)
            return false;
    return m->module.n_images > 0 && sum == m->in.bytes;
}

#define AT_MOST REQUEST_AT_MOST
#define FLAG    REQUEST_FLAG
#define DEVICE  REQUEST_DEVICE
#define ANY     REQUEST_ANY
#define FIELD(OP, member, rule, limit)                                                                       \
    {OP_##OP, #member, offsetof(DeviceMsg, member), sizeof(((DeviceMsg *)0)->member), rule, limit},
#define RELATION(OP, function)
static const RequestField fields[] = {
#include "common/vgpu/remote/fields.def"
};
#undef FIELD
#undef RELATION

#define FIELD(OP, member, rule, limit)
#define RELATION(OP, function) [OP_##OP] = function,
static bool (*const relations[DEVICE_N_OPS])(DeviceMsg *m) = {
#include "common/vgpu/remote/fields.def"
};
#undef FIELD
#undef RELATION

const RequestField *request_field(size_t i)
{
    return i < sizeof fields / sizeof fields[0] ? &fields[i] : NULL;
}

static uint64_t field_value(const DeviceMsg *m, const RequestField *f)
{
    uint64_t value = 0; /* little-endian, as all machines of this kit are */
    memcpy(&value, (const char *)m + f->at, f->bytes);
    return value;
}

static bool is_fit_field(DeviceMsg *m, const RequestField *f)
{
    if (f->rule == REQUEST_FLAG)
        clean_bool((bool *)((char *)m + f->at));
    return f->rule != REQUEST_AT_MOST || field_value(m, f) <= f->limit;
}

bool request_is_fit(Request *q)
{
    DeviceMsg *m = &q->msg;
    bool known = relations[m->op] != NULL;
    if ((unsigned)m->place > PLACE_CHECK)
        return false;
    for (const RequestField *f = fields; f < fields + sizeof fields / sizeof fields[0]; f++) {
        if (f->op != m->op)
            continue;
        known = true;
        if (!is_fit_field(m, f))
            return false;
    }
    return known && (!relations[m->op] || relations[m->op](m));
}
