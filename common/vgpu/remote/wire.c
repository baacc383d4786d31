/* wire: see wire.h. */
#include "common/vgpu/remote/wire.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void wire_init(Wire *w, int fd)
{
    memset(w, 0, offsetof(Wire, in));
    w->fd = fd;
    w->broken = fd < 0;
    w->passed = -1;
}

/* ---- sending ---- */

static bool send_packet(Wire *w, size_t bytes, int pass)
{
    struct iovec iov = {.iov_base = w->out, .iov_len = bytes};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {.bytes = {0}};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    if (pass >= 0) {
        m.msg_control = control.bytes;
        m.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &pass, sizeof pass);
    }
    ssize_t n;
    do
        n = w->broken ? -1 : sendmsg(w->fd, &m, MSG_NOSIGNAL);
    while (n < 0 && !w->broken && errno == EINTR);
    w->broken = w->broken || n != (ssize_t)bytes;
    return !w->broken;
}

/* A message as it is being put into packets. */
typedef struct Sending {
    Wire *w;
    size_t used; /* of the packet */
    int pass;
    uint64_t left; /* of the payload */
} Sending;

static void begin_message(Sending *s, WireType type, const void *fixed, size_t fixed_bytes)
{
    WireHead head = {.type = type, .fixed = (uint32_t)fixed_bytes, .payload = s->left};
    memcpy(s->w->out, &head, sizeof head);
    if (fixed_bytes > 0)
        memcpy(s->w->out + sizeof head, fixed, fixed_bytes);
    s->used = sizeof head + fixed_bytes;
}

static void wire_add(Sending *s, const void *data, size_t bytes)
{
    const uint8_t *from = data;
    while (bytes > 0) {
        if (s->used == WIRE_PACKET_MAX) {
            send_packet(s->w, s->used, s->pass);
            s->pass = -1;
            begin_message(s, WIRE_DATA, NULL, 0);
        }
        size_t room = WIRE_PACKET_MAX - s->used, n = bytes < room ? bytes : room;
        memcpy(s->w->out + s->used, from, n);
        s->used += n;
        s->left -= n;
        from += n;
        bytes -= n;
    }
}

bool wire_send(Wire *w, WireType type, const void *fixed, size_t fixed_bytes, const WirePart *parts,
               size_t n_parts, int pass)
{
    Sending s = {.w = w, .pass = pass};
    for (size_t i = 0; i < n_parts; i++)
        s.left += parts[i].bytes;
    begin_message(&s, type, fixed, fixed_bytes);
    for (size_t i = 0; i < n_parts; i++)
        wire_add(&s, parts[i].data, parts[i].bytes);
    return send_packet(w, s.used, s.pass);
}

/* ---- receiving ---- */

static int passed_descriptor(struct msghdr *m)
{
    int fd = -1;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof fd))
            memcpy(&fd, CMSG_DATA(c), sizeof fd);
    return fd;
}

/* One packet; *n is what it holds after its head. */
static bool receive(Wire *w, WireHead *head, size_t *n)
{
    struct iovec iov = {.iov_base = w->in, .iov_len = sizeof w->in};
    union {
        char bytes[CMSG_SPACE(sizeof(int))]; /* room for one: the kernel drops more */
        struct cmsghdr align;
    } control;
    struct msghdr m = {.msg_iov = &iov,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = w->broken ? -1 : recvmsg(w->fd, &m, MSG_CMSG_CLOEXEC);
    while (got < 0 && !w->broken && errno == EINTR);
    if (got >= 0) {
        if (w->passed >= 0)
            close(w->passed);
        w->passed = passed_descriptor(&m);
    }
    if (got < (ssize_t)sizeof *head || (m.msg_flags & MSG_TRUNC)) {
        w->broken = true;
        return false;
    }
    memcpy(head, w->in, sizeof *head);
    *n = (size_t)got - sizeof *head;
    return true;
}

/* An access packet is handled here; false when it is another's turn. */
static bool is_access(Wire *w, const WireHead *head, size_t n)
{
    if (head->type != WIRE_ACCESS || !w->on_access)
        return false;
    if (head->fixed != sizeof(DeviceHostAccess) || n != sizeof(DeviceHostAccess)) {
        w->broken = true;
        return true;
    }
    DeviceHostAccess access;
    memcpy(&access, w->in + sizeof *head, sizeof access);
    w->on_access(w->self, &access);
    return true;
}

static bool receive_other(Wire *w, WireHead *head, size_t *n)
{
    do
        if (!receive(w, head, n))
            return false;
    while (is_access(w, head, *n));
    return !w->broken;
}

bool wire_next(Wire *w)
{
    WireHead head;
    size_t n;
    if (w->payload > 0 || !receive_other(w, &head, &n)) {
        w->broken = true;
        return false;
    }
    bool valid = head.type < WIRE_DATA && head.fixed <= WIRE_FIXED_MAX && head.fixed <= n &&
                 n - head.fixed <= head.payload;
    if (!valid) {
        w->broken = true;
        return false;
    }
    w->type = (WireType)head.type;
    w->fixed = head.fixed;
    w->payload = head.payload;
    w->here = w->in + sizeof head + head.fixed;
    w->n_here = n - head.fixed;
    return true;
}

const void *wire_fixed(const Wire *w, WireType type, size_t bytes)
{
    return !w->broken && w->type == type && w->fixed == bytes ? w->in + sizeof(WireHead) : NULL;
}

static bool more(Wire *w)
{
    WireHead head;
    size_t n;
    if (!receive_other(w, &head, &n) || head.type != WIRE_DATA || head.fixed != 0 || n == 0 ||
        n > w->payload) {
        w->broken = true;
        return false;
    }
    w->here = w->in + sizeof head;
    w->n_here = n;
    return true;
}

bool wire_take(Wire *w, void *to, size_t bytes)
{
    uint8_t *at = to;
    while (bytes > 0) {
        if (w->broken || w->payload == 0 || (w->n_here == 0 && !more(w))) {
            w->broken = true;
            return false;
        }
        size_t n = bytes < w->n_here ? bytes : w->n_here;
        memcpy(at, w->here, n);
        w->here += n;
        w->n_here -= n;
        w->payload -= n;
        at += n;
        bytes -= n;
    }
    return true;
}

/* ---- rows ---- */

bool wire_box_bytes(const DeviceBox *b, uint64_t *bytes)
{
    return !__builtin_mul_overflow(b->width, b->height, bytes) &&
           !__builtin_mul_overflow(*bytes, b->depth, bytes);
}

static uint8_t *box_row(const DeviceBox *b, uint64_t y, uint64_t z)
{
    return (uint8_t *)(uintptr_t)(b->addr + z * b->slice + y * b->pitch);
}

bool wire_send_box(Wire *w, WireType type, const DeviceBox *b)
{
    Sending s = {.w = w, .pass = -1};
    if (!wire_box_bytes(b, &s.left))
        return false;
    begin_message(&s, type, NULL, 0);
    for (uint64_t z = 0; z < b->depth; z++)
        for (uint64_t y = 0; y < b->height; y++)
            wire_add(&s, box_row(b, y, z), b->width);
    return send_packet(w, s.used, -1);
}

bool wire_take_box(Wire *w, const DeviceBox *b)
{
    for (uint64_t z = 0; z < b->depth; z++)
        for (uint64_t y = 0; y < b->height; y++)
            if (!wire_take(w, box_row(b, y, z), b->width))
                return false;
    return true;
}
