/* calls: what a program asked of the devices and what they answered, in order, for who judges it by that.
 *
 *   vgpu-calls 1                    begins the record of a process: several of them, several programs
 *   OP ERROR NUMBER TEXT            a line each
 *   cut                             there were more
 *
 *   OP           a row of ops.def, without what only asks; a stream or an event that is asked about has a line when it is done
 *   ERROR        a row of errors.def: OK, NO_MEMORY, ILLEGAL_ADDRESS...
 *   NUMBER TEXT  ALLOC: bytes, and "pinned" where they are the host's, "managed" where they are managed. COPY: bytes, and "to-host" where they go to the program's own memory. FILL: bytes, and where
 *                they begin in their allocation. LAUNCH: blocks; threads of a block and the kernel's name. MODULE_LOAD: a number that texts
 *                alike have in common; one that is only tried, as a linker does, has no line. STREAM_CREATE: a thread's own default stream has no line. MAY_FAIL: the code of the error, of the call that was made to fail; the others have
 *                no line. NOTE: a line of the program's own (OP_NOTE), or `kept` and the name of a variable (kept.c)
 *
 * A line is written when the message has been answered, so that nothing can be taken back.
 */
#include "common/vgpu/device/memory.h"

#include <errno.h>
#include <unistd.h>

enum { CALL_LINES_MAX = 50000, NOTES_MAX = 10000 };

static const char *const op_names[] = {
#define X(NAME, ...) [OP_##NAME] = #NAME,
#include "common/vgpu/device/ops.def"
#undef X
};

static const char *const error_names[] = {
#define X(NAME, ...) #NAME,
#include "common/vgpu/device/errors.def"
#undef X
};

static void write_text(const DeviceServer *s, const char *at, size_t left)
{
    while (left > 0) {
        ssize_t n = write(s->options.calls_fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        at += n;
        left -= (size_t)n;
    }
}

void calls_start(DeviceServer *s)
{
    static const char head[] = "vgpu-calls 1\n";
    if (s->options.calls_fd > 0)
        write_text(s, head, sizeof head - 1);
}

static uint64_t hash_of(const DeviceSpan *in)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (uint64_t i = 0; i < in->bytes; i++)
        hash = (hash ^ ((const uint8_t *)in->data)[i]) * 0x100000001B3u;
    return hash;
}

static void put_fill(DeviceServer *s, const DeviceMsg *m, StrBuf *line)
{
    const MemAlloc *a = device_find(s, m->fill.dst, NULL);
    strbuf_printf(line, "%llu ", (unsigned long long)(m->fill.width * m->fill.height * m->fill.depth));
    if (a)
        strbuf_printf(line, "%llu", (unsigned long long)(m->fill.dst - a->addr));
}

static void put_launch(DeviceServer *s, const DeviceMsg *m, StrBuf *line)
{
    const IrFunction *ir = function_ir(s, m->launch.function);
    strbuf_printf(line, "%llu %llu %u %s",
                  (unsigned long long)m->launch.grid[0] * m->launch.grid[1] * m->launch.grid[2],
                  (unsigned long long)m->launch.block[0] * m->launch.block[1] * m->launch.block[2],
                  ir ? function_threads_max(s, m->launch.function) : 0, ir ? ir->name : "");
}

/* NUMBER TEXT; false: the message has no line. */
static bool put_what(DeviceServer *s, const DeviceMsg *m, const DeviceReply *r, StrBuf *line)
{
    const DeviceCopy *c = &m->copy;
    switch (m->op) {
    case OP_ALLOC:
        strbuf_printf(line, "%llu %s", (unsigned long long)m->alloc.bytes, m->alloc.kind == DEVICE_MEMORY_PINNED    ? "pinned"
                      : m->alloc.kind == DEVICE_MEMORY_MANAGED ? "managed"
                                                               : "");
        return true;
    case OP_COPY:
        strbuf_printf(line, "%llu %s", (unsigned long long)(c->width * c->height * c->depth),
                      c->host_dst.data ? "to-host" : "");
        return true;
    case OP_FILL:
        put_fill(s, m, line);
        return true;
    case OP_LAUNCH:
        put_launch(s, m, line);
        return true;
    case OP_MODULE_LOAD:
        strbuf_printf(line, "%llu ", (unsigned long long)hash_of(&m->in));
        return m->module.use != MODULE_TRIED;
    case OP_MAY_FAIL:
        strbuf_printf(line, "%llu ", (unsigned long long)m->token);
        return r->value != 0;
    case OP_NOTE:
        strbuf_printf(line, "0 %s", (const char *)m->in.data);
        return true;
    case OP_FREE:
    case OP_DEVICE_SYNC:
    case OP_STREAM_SYNC:
    case OP_EVENT_SYNC:
    case OP_DEVICE_RESET:
    case OP_MODULE_UNLOAD:
    case OP_STREAM_DESTROY:
    case OP_EVENT_CREATE:
    case OP_EVENT_DESTROY:
    case OP_HOST_FUNCTION:
        strbuf_puts(line, "0 ");
        return true;
    case OP_STREAM_CREATE: /* a thread's own default stream was made in no line of the program */
        strbuf_puts(line, "0 ");
        return m->site != 0;
    case OP_STREAM_QUERY: /* one that is told to go on has waited, too */
    case OP_EVENT_QUERY:
        strbuf_puts(line, "0 ");
        return r->error == DEVICE_OK;
    default:
        return false;
    }
}

/* Lines that say what is left out count for themselves: a program that calls much keeps its notes. */
static bool has_room(DeviceServer *s, const DeviceMsg *m)
{
    uint64_t *n = m->op == OP_NOTE ? &s->n_notes : &s->n_call_lines, most = m->op == OP_NOTE ? NOTES_MAX : CALL_LINES_MAX;
    if (*n == most)
        write_text(s, "cut\n", 4);
    return (*n)++ < most;
}

/* A note of the devices' own. */
static void add_note(DeviceServer *s, const char *what, const char *value)
{
    StrBuf line = {0};
    const DeviceMsg note = {.op = OP_NOTE};
    strbuf_printf(&line, "NOTE OK 0 %s %.200s\n", what, value);
    if (!line.failed && has_room(s, &note))
        write_text(s, line.text, line.length);
    strbuf_free(&line);
}

void calls_kept(DeviceServer *s, const char *variable)
{
    add_note(s, "kept", record_demangle(s, variable));
}

void calls_parted(DeviceServer *s, const char *kernel)
{
    if (s->options.calls_fd > 0 && !s->parted_told)
        add_note(s, "parted", record_demangle(s, kernel));
    s->parted_told = true;
}

void calls_add(DeviceServer *s, const DeviceMsg *m, const DeviceReply *r)
{
    StrBuf line = {0};
    bool could_be = m->place == PLACE_CHECK && r->error == DEVICE_OK; /* a graph's work has its line when it is launched */
    if (s->options.calls_fd <= 0 || r->error == DEVICE_HOST_WORK || could_be)
        return;
    strbuf_printf(&line, "%s %s ", op_names[m->op], error_names[r->error]);
    if (put_what(s, m, r, &line) && has_room(s, m)) {
        strbuf_puts(&line, "\n");
        if (!line.failed)
            write_text(s, line.text, line.length);
    }
    strbuf_free(&line);
}
