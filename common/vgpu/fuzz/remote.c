/* Target remote: a session of a hostile client with the server of the devices, as text, a line a packet:
 *
 *      OP DEVICE STREAM PLACE CALLS OUT WORD... | BYTES     a request: numbers, the words lie over the message's
 *                                                           own members, then what it brings along
 *      answer N                                             N bytes, as if the server had asked
 *      packet TYPE FIXED PAYLOAD | BYTES                    whatever it is
 *
 * All packets lie in the socket before the server looks at the first; its own go nowhere. So it never waits.
 */
#include "common/vgpu/fuzz/fuzz.h"
#include "common/vgpu/remote/remote.h"
#include "common/vgpu/remote/wire.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORDS_MAX = 16, LINES_MAX = 64, BUFFER_BYTES = 4 << 20, INSTRUCTIONS_MAX = 2000 };

/* Words for the messages that a session is made of; others go by their numbers. */
static const struct {
    const char *name;
    DeviceOp op;
} names[] = {
    {"count", OP_DEVICE_COUNT},
    {"info", OP_DEVICE_INFO},
    {"sync", OP_DEVICE_SYNC},
    {"reset", OP_DEVICE_RESET},
    {"limit", OP_LIMIT_SET},
    {"peer", OP_PEER},
    {"alloc", OP_ALLOC},
    {"free", OP_FREE},
    {"register", OP_REGISTER},
    {"unregister", OP_UNREGISTER},
    {"pointer", OP_POINTER},
    {"copy", OP_COPY},
    {"fill", OP_FILL},
    {"migrate", OP_MIGRATE},
    {"pages", OP_HOST_PAGES},
    {"touch", OP_HOST_TOUCH},
    {"mostly", OP_READ_MOSTLY},
    {"texture", OP_TEXTURE_CREATE},
    {"untexture", OP_TEXTURE_DESTROY},
    {"module", OP_MODULE_LOAD},
    {"unload", OP_MODULE_UNLOAD},
    {"find", OP_FUNCTION_FIND},
    {"params", OP_FUNCTION_PARAMS},
    {"set", OP_FUNCTION_SET},
    {"variable", OP_VARIABLE_FIND},
    {"occupancy", OP_OCCUPANCY},
    {"launch", OP_LAUNCH},
    {"stream", OP_STREAM_CREATE},
    {"unstream", OP_STREAM_DESTROY},
    {"wait", OP_STREAM_WAIT},
    {"hostfn", OP_HOST_FUNCTION},
    {"hostdone", OP_HOST_DONE},
    {"event", OP_EVENT_CREATE},
    {"record", OP_EVENT_RECORD},
    {"elapsed", OP_EVENT_ELAPSED},
    {"site", OP_SITE},
    {"failed", OP_FAILED},
    {"may-fail", OP_MAY_FAIL},
    {"advice", OP_ADVICE},
    {"note", OP_NOTE},
    {"finish", OP_FINISH},
};

static uint64_t word_number(const char *word)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(word, names[i].name) == 0)
            return names[i].op;
    return strtoull(word, NULL, 0);
}

typedef struct Line {
    uint64_t numbers[6 + WORDS_MAX];
    size_t n;
    const char *bytes; /* after the bar */
    size_t n_bytes;
} Line;

static Line read_line(const char *at, const char *end)
{
    Line l = {.bytes = end};
    const char *bar = memchr(at, '|', (size_t)(end - at)), *stop = bar ? bar : end;
    while (at < stop && l.n < sizeof l.numbers / sizeof l.numbers[0]) {
        char word[32] = "";
        size_t length = 0;
        while (at < stop && *at == ' ')
            at++;
        for (; at < stop && *at != ' '; at++)
            if (length + 1 < sizeof word)
                word[length++] = *at;
        if (length > 0)
            l.numbers[l.n++] = word_number(word);
    }
    if (bar) {
        l.bytes = bar + 1;
        l.n_bytes = (size_t)(end - bar - 1);
    }
    return l;
}

static void send_request(Wire *w, const Line *l)
{
    WireRequest r = {.msg = {.op = (DeviceOp)l->numbers[0],
                             .device = (uint32_t)l->numbers[1],
                             .stream = (uint32_t)l->numbers[2],
                             .place = (DevicePlace)l->numbers[3],
                             .in = {.bytes = l->n_bytes},
                             .out = {.bytes = l->numbers[5]}},
                     .n_calls = l->numbers[4]};
    size_t room = sizeof r.msg - offsetof(DeviceMsg, limit);
    memcpy(&r.msg.limit, l->numbers + 6,
           room < sizeof(uint64_t) * WORDS_MAX ? room : sizeof(uint64_t) * WORDS_MAX);
    uint64_t length = l->n_bytes; /* of a module's only image */
    WirePart parts[2] = {
        {&length, r.msg.op == OP_MODULE_LOAD && r.msg.module.n_images == 1 ? sizeof length : 0},
        {l->bytes, l->n_bytes}};
    wire_send(w, WIRE_REQUEST, &r, sizeof r, parts, 2, -1);
}

static void send_answer(Wire *w, uint64_t bytes)
{
    static const uint8_t zeros[4096];
    wire_send(w, WIRE_ANSWER, NULL, 0, &(WirePart){zeros, bytes < sizeof zeros ? bytes : sizeof zeros}, 1,
              -1);
}

static void send_packet(int fd, const Line *l)
{
    struct {
        WireHead head;
        char bytes[1024];
    } packet = {.head = {.type = (uint32_t)l->numbers[0],
                         .fixed = (uint32_t)l->numbers[1],
                         .payload = l->numbers[2]}};
    size_t n = l->n_bytes < sizeof packet.bytes ? l->n_bytes : sizeof packet.bytes;
    memcpy(packet.bytes, l->bytes, n);
    send(fd, &packet, sizeof packet.head + n, MSG_NOSIGNAL);
}

static bool starts_with(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

static void send_line(Wire *w, const char *at, const char *end)
{
    if (at == end || *at == '#')
        return;
    if (starts_with(at, end, "answer ")) {
        Line l = read_line(at + 7, end);
        send_answer(w, l.numbers[0]);
    } else if (starts_with(at, end, "packet ")) {
        Line l = read_line(at + 7, end);
        send_packet(w->fd, &l);
    } else {
        Line l = read_line(at, end);
        send_request(w, &l);
    }
}

static void send_all(int fd, const char *text, size_t size)
{
    Wire *w = malloc(sizeof *w);
    if (!w)
        abort();
    wire_init(w, fd);
    const char *end = text + size;
    for (int lines = 0; text < end && lines < LINES_MAX; lines++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        send_line(w, text, stop);
        text = stop + 1;
    }
    free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int nowhere;
    int pair[2], bytes = BUFFER_BYTES;
    if (nowhere == 0 && (nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0)
        abort();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
        abort();
    for (int i = 0; i < 2; i++)
        setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    send_all(pair[0], (const char *)data, size);
    shutdown(pair[0], SHUT_WR);
    RemoteOptions o = {.device = {.n_devices = 2,
                                  .seed = 1,
                                  .max_instructions = INSTRUCTIONS_MAX,
                                  .stream_fd = -1,
                                  .calls_fd = nowhere, /* what is recorded is made, too */
                                  .provenance_fd = nowhere,
                                  .memory_bytes = 64 << 20,
                                  .quiet = true}};
    remote_serve_one(pair[1], &o, NULL);
    close(pair[0]);
    close(pair[1]);
    return 0;
}
