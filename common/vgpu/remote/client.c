/* client: the program's side; see remote.h. */
#include "common/vgpu/remote/remote.h"
#include "common/vgpu/remote/wire.h"

#include "common/base/page.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CALLS_TOGETHER = 1 << 16, TEXTS_BYTES = 4096 };

struct Remote {
    uint64_t n_calls; /* that the server has not been told of */
    uint32_t calls_thread; /* of the host, which made them */
    char *texts;      /* of the last reply */
    size_t texts_cap;
    bool shares; /* memory with the devices, or did: host addresses may mean something to them */
    uint64_t windows_from, windows_to; /* where the addresses of devices lie */
    Wire wire; /* the last: its buffers are not cleared, as they would be the largest part of a small program's memory */
};

/* ---- connecting ---- */

/* Through the door goes one end of a new pair; the bytes beside it mean nothing. Once it is sent nobody here
 * holds it, so that the end of a server is seen. */
static bool knock(Wire *w, int door, int end)
{
    Wire *front = malloc(sizeof *front);
    bool ok = front != NULL;
    if (ok) {
        wire_init(front, door);
        ok = wire_send(front, WIRE_HELLO, NULL, 0, NULL, 0, end);
    }
    close(end);
    free(front);
    return ok && wire_next(w);
}

static Status read_hello(Wire *w, RemoteHello *out, Diag *diag)
{
    WireHello h;
    const void *fixed = wire_fixed(w, WIRE_HELLO, sizeof h);
    if (!fixed)
        return diag_set(diag, STATUS_IO, "no server answers for the virtual GPU");
    memcpy(&h, fixed, sizeof h);
    if (h.bytes_of_message != sizeof(WireRequest) || h.bytes_of_reply != sizeof(WireReply))
        return diag_set(diag, STATUS_IO, "the server of the virtual GPU is of another build");
    *out = (RemoteHello){.n_devices = h.n_devices, .may_fail = h.may_fail != 0, .fail_questions = h.fail_questions != 0, .has_records = h.has_records != 0};
    if (h.status == STATUS_OK)
        return STATUS_OK;
    char why[DIAG_TEXT_MAX] = "";
    size_t n = w->payload < sizeof why - 1 ? (size_t)w->payload : sizeof why - 1;
    wire_take(w, why, n);
    return diag_set(diag, STATUS_INVALID, "%s", why);
}

Status remote_connect(int door, Remote **out, RemoteHello *hello, Diag *diag)
{
    int pair[2];
    Remote *r = malloc(sizeof *r);
    if (!r)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a connection");
    memset(r, 0, offsetof(Remote, wire));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        free(r);
        return diag_set(diag, STATUS_IO, "no socket for the virtual GPU");
    }
    wire_init(&r->wire, pair[0]);
    r->texts = malloc(TEXTS_BYTES); /* a signal handler takes no memory, if its reply is short */
    r->texts_cap = r->texts ? TEXTS_BYTES : 0;
    bool answered = knock(&r->wire, door, pair[1]);
    Status st = answered ? read_hello(&r->wire, hello, diag)
                         : diag_set(diag, STATUS_IO, "no server answers for the virtual GPU");
    if (st == STATUS_OK)
        *out = r;
    else
        remote_close(r);
    return st;
}

void remote_close(Remote *r)
{
    if (!r)
        return;
    if (r->wire.fd >= 0)
        close(r->wire.fd);
    free(r->texts);
    free(r);
}

void remote_forked(Remote *r)
{
    close(r->wire.fd);
    r->wire.fd = -1;
    r->wire.broken = true;
}

/* ---- what the server asks for ---- */

static bool answer_map(Wire *w, const DeviceBox *b)
{
    void *wanted = (void *)(uintptr_t)b->addr;
    char yes = 1;
    void *p = w->passed < 0 ? MAP_FAILED
                            : mmap(wanted, b->width, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                                   w->passed, 0);
    if (p != wanted && p != MAP_FAILED)
        munmap(p, b->width);
    if (w->passed >= 0)
        close(w->passed);
    w->passed = -1;
    return wire_send(w, WIRE_ANSWER, NULL, 0, &(WirePart){&yes, 1}, p == wanted, -1);
}

/* False: it was no question, or nobody is there. */
static bool answer_server(Remote *r)
{
    Wire *w = &r->wire;
    DeviceBox box;
    const void *fixed = wire_fixed(w, w->type, sizeof box);
    if (!fixed)
        return false;
    memcpy(&box, fixed, sizeof box);
    switch (w->type) {
    case WIRE_READ:
        return wire_send_box(w, WIRE_ANSWER, &box);
    case WIRE_WRITE:
        return wire_take_box(w, &box) && wire_send(w, WIRE_ANSWER, NULL, 0, NULL, 0, -1);
    case WIRE_MAP:
        r->shares = true;
        return answer_map(w, &box);
    case WIRE_HAS:
        return wire_send(w, WIRE_ANSWER, NULL, 0, &(WirePart){"y", 1}, page_is_mapped(box.addr), -1);
    case WIRE_UNMAP:
        munmap((void *)(uintptr_t)box.addr, box.width);
        return wire_send(w, WIRE_ANSWER, NULL, 0, NULL, 0, -1);
    default:
        return false;
    }
}

/* ---- sending ---- */

static bool send_request(Remote *r, const DeviceMsg *m, bool no_reply)
{
    WireRequest q = {.msg = *m, .n_calls = r->n_calls, .no_reply = no_reply};
    WirePart parts[4];
    size_t n = 0;
    q.call_bytes = m->call ? (uint32_t)strlen(m->call) : 0;
    parts[n++] = (WirePart){m->call, q.call_bytes};
    parts[n++] = (WirePart){m->after, m->n_after * sizeof *m->after};
    if (m->op == OP_MODULE_LOAD)
        parts[n++] = (WirePart){m->module.lengths, m->module.n_images * sizeof *m->module.lengths};
    parts[n++] = (WirePart){m->in.data, m->in.data ? m->in.bytes : 0};
    if (!m->in.data)
        q.msg.in.bytes = 0;
    r->n_calls = 0;
    return wire_send(&r->wire, WIRE_REQUEST, &q, sizeof q, parts, n, -1);
}

/* Texts of a reply stay until the next one. */
static char *take_texts(Remote *r, uint64_t bytes)
{
    if (bytes + 1 > r->texts_cap) {
        char *grown = realloc(r->texts, bytes + 1);
        if (!grown)
            return NULL;
        r->texts = grown;
        r->texts_cap = bytes + 1;
    }
    r->texts[bytes] = 0;
    return wire_take(&r->wire, r->texts, bytes) ? r->texts : NULL;
}

static bool take_reply(Remote *r, const DeviceMsg *m, DeviceReply *reply)
{
    WireReply head;
    const void *fixed = wire_fixed(&r->wire, WIRE_REPLY, sizeof head);
    if (!fixed)
        return false;
    memcpy(&head, fixed, sizeof head);
    *reply = head.reply;
    bool fits = head.out_bytes <= m->out.bytes && head.diag_bytes <= sizeof reply->diag;
    if (!fits || !wire_take(&r->wire, m->out.data, head.out_bytes) ||
        !wire_take(&r->wire, &reply->diag, head.diag_bytes))
        return false;
    const char *texts = take_texts(r, r->wire.payload);
    if (!texts)
        return false;
    reply->output = texts;
    reply->messages = texts + reply->output_bytes;
    reply->pointer.name = head.name_bytes == 0 ? NULL : texts + reply->output_bytes + reply->message_bytes;
    return true;
}

/* These only tell: nobody waits for an answer. */
static bool only_tells(DeviceOp op)
{
    return op == OP_SITE || op == OP_FAILED || op == OP_HOST_PAGES || op == OP_HOST_TOUCH;
}

/* What a pageable address is needs no asking. */
static bool is_pageable(const Remote *r, const DeviceMsg *m)
{
    bool window = m->range.addr >= r->windows_from && m->range.addr < r->windows_to;
    return m->op == OP_POINTER && r->windows_to > 0 && !window && !r->shares;
}

/* Notes what addresses mean something from now on. */
static void note(Remote *r, const DeviceMsg *m, const DeviceReply *reply)
{
    r->shares = r->shares || m->op == OP_REGISTER;
    if (m->op != OP_DEVICE_INFO || reply->error != DEVICE_OK)
        return;
    const DeviceInfo *info = m->out.data;
    uint64_t end = info->window_base + info->window_bytes;
    if (r->windows_to == 0 || info->window_base < r->windows_from)
        r->windows_from = info->window_base;
    r->windows_to = end > r->windows_to ? end : r->windows_to;
}

/* Calls of the runtime that take the host time are told with the next message. */
static bool goes_later(Remote *r, const DeviceMsg *m)
{
    if (m->op != OP_CALL || r->n_calls + 1 == CALLS_TOGETHER)
        return false;
    r->n_calls++;
    r->calls_thread = m->thread;
    return true;
}

void remote_send(Remote *r, const DeviceMsg *m, DeviceReply *reply)
{
    *reply = (DeviceReply){0};
    if (r->n_calls > 0 && r->calls_thread != m->thread) {
        r->n_calls--;
        send_request(r, &(DeviceMsg){.op = OP_CALL, .thread = r->calls_thread}, true);
    }
    if (goes_later(r, m) || is_pageable(r, m))
        return;
    bool ok = send_request(r, m, only_tells(m->op));
    if (ok && only_tells(m->op))
        return;
    while ((ok = ok && wire_next(&r->wire)) && r->wire.type != WIRE_REPLY)
        ok = answer_server(r);
    if (ok && take_reply(r, m, reply)) {
        note(r, m, reply);
        return;
    }
    r->wire.broken = true;
    *reply = (DeviceReply){.error = DEVICE_UNAVAILABLE};
}

/* Its own packet, past the buffers that are perhaps in use. */
void remote_tell_access(Remote *r, const DeviceHostAccess *access)
{
    struct {
        WireHead head;
        DeviceHostAccess access;
    } packet = {.head = {.type = WIRE_ACCESS, .fixed = sizeof *access}, .access = *access};
    send(r->wire.fd, &packet, sizeof packet, MSG_NOSIGNAL);
}
