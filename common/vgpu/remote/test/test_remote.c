/* The server's side of the wire: what a client of ours gets, what becomes of one that is not, and what a
 * server may still do once it is confined. The client's side and whole programs are in isolated.t, hostile
 * sessions in the fuzz target remote. */
#include "common/base/page.h"
#include "common/vgpu/device/test/twice.h"
#include "common/vgpu/remote/remote.h"
#include "common/vgpu/remote/remote_internal.h"
#include "common/vgpu/remote/request.h"
#include "common/vgpu/remote/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A server in a thread, and the client's end of its connection. */
typedef struct Session {
    pthread_t thread;
    int server, client;
    Status status;
    Wire wire;
} Session;

static void *serve_thread(void *data)
{
    Session *s = data;
    RemoteOptions o = {.device = {.n_devices = 1, .memory_bytes = 64 << 20, .stream_fd = -1, .quiet = true, .fail_at = 7}};
    s->status = remote_serve_one(s->server, &o, NULL);
    close(s->server);
    return NULL;
}

static int begin_session(void **state)
{
    int pair[2];
    Session *s = calloc(1, sizeof *s);
    if (!s || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return -1;
    s->client = pair[0];
    s->server = pair[1];
    wire_init(&s->wire, s->client);
    *state = s;
    return pthread_create(&s->thread, NULL, serve_thread, s);
}

static int end_session(void **state)
{
    Session *s = *state;
    close(s->client);
    pthread_join(s->thread, NULL);
    if (s->wire.passed >= 0)
        close(s->wire.passed);
    int result = s->status == STATUS_OK ? 0 : -1;
    free(s);
    return result;
}

static void greeted(Session *s)
{
    assert_true(wire_next(&s->wire));
    const WireHello *h = wire_fixed(&s->wire, WIRE_HELLO, sizeof *h);
    assert_non_null(h);
    assert_int_equal(STATUS_OK, h->status);
    assert_int_equal(1, h->n_devices);
    assert_int_equal(1, h->may_fail);
    assert_int_equal(0, h->has_records);
}

static void ask_session(Session *s, DeviceMsg msg)
{
    WireRequest r = {.msg = msg};
    r.msg.in.data = NULL;
    WirePart in = {msg.in.data, msg.in.bytes};
    uint64_t length = msg.in.bytes; /* of a module's only image */
    WirePart parts[] = {{&length, msg.op == OP_MODULE_LOAD && msg.module.n_images == 1 ? sizeof length : 0},
                        in};
    assert_true(wire_send(&s->wire, WIRE_REQUEST, &r, sizeof r, parts, 2, -1));
}

static WireReply hear(Session *s)
{
    WireReply r;
    assert_true(wire_next(&s->wire));
    const void *fixed = wire_fixed(&s->wire, WIRE_REPLY, sizeof r);
    assert_non_null(fixed);
    memcpy(&r, fixed, sizeof r);
    static char rest[1 << 20];
    assert_true(s->wire.payload <= sizeof rest);
    assert_true(wire_take(&s->wire, rest, s->wire.payload));
    return r;
}

static WireReply tell(Session *s, DeviceMsg msg)
{
    ask_session(s, msg);
    return hear(s);
}

static DeviceMsg alloc_of(uint64_t bytes, DeviceMemoryKind kind)
{
    DeviceMsg m = {.op = OP_ALLOC};
    m.alloc.bytes = bytes;
    m.alloc.kind = (uint8_t)kind;
    return m;
}

/* ---- a client of ours ---- */

static void test_a_session(void **state)
{
    Session *s = *state;
    greeted(s);
    assert_int_equal(1, tell(s, (DeviceMsg){.op = OP_DEVICE_COUNT}).reply.value);
    WireReply r = tell(s, alloc_of(1000, DEVICE_MEMORY_DEVICE));
    assert_int_equal(DEVICE_OK, r.reply.error);
    assert_true(r.reply.value > 0);
    assert_null(r.reply.output); /* no address of the server's goes out */
    DeviceMsg look = {.op = OP_POINTER};
    look.range.addr = r.reply.value + 10;
    r = tell(s, look);
    assert_int_equal(DEVICE_MEMORY_DEVICE, r.reply.pointer.kind);
    assert_int_equal(1000, r.reply.pointer.bytes);
    assert_int_equal(DEVICE_INVALID_DEVICE,
                     tell(s, (DeviceMsg){.op = OP_DEVICE_SYNC, .device = 9}).reply.error);
}

/* After its end nothing is heard any more. */
static void test_after_the_end(void **state)
{
    Session *s = *state;
    greeted(s);
    assert_int_equal(DEVICE_OK, tell(s, (DeviceMsg){.op = OP_FINISH}).reply.error);
    assert_int_equal(DEVICE_UNAVAILABLE, tell(s, alloc_of(10, DEVICE_MEMORY_DEVICE)).reply.error);
    assert_int_equal(DEVICE_UNAVAILABLE, tell(s, (DeviceMsg){.op = OP_FINISH}).reply.error);
}

/* The server fetches a copy's source, row by row, and an answer of another length ends the session. */
static void test_copies(void **state)
{
    Session *s = *state;
    greeted(s);
    uint64_t there = tell(s, alloc_of(100, DEVICE_MEMORY_DEVICE)).reply.value;
    DeviceMsg m = {.op = OP_COPY};
    m.copy = (DeviceCopy){.dst = there,
                          .src = 0x1000,
                          .dst_pitch = 10,
                          .src_pitch = 20,
                          .width = 10,
                          .height = 3,
                          .depth = 1,
                          .host_src = {.data = (void *)0x1000, .bytes = 50}};
    for (int round = 0; round < 2; round++) {
        ask_session(s, m);
        assert_true(wire_next(&s->wire));
        const DeviceBox *box = wire_fixed(&s->wire, WIRE_READ, sizeof *box);
        assert_non_null(box);
        assert_int_equal(0x1000, box->addr);
        assert_int_equal(20, box->pitch);
        assert_int_equal(3, box->height);
        WirePart bytes = {"012345678901234567890123456789", round == 0 ? 30 : 29};
        assert_true(wire_send(&s->wire, WIRE_ANSWER, NULL, 0, &bytes, 1, -1));
        if (round == 0)
            assert_int_equal(DEVICE_OK, hear(s).reply.error);
    }
    while (wire_next(&s->wire)) /* what was under way is answered, then nobody is there */
        s->wire.payload = 0;
    assert_true(s->wire.broken);
}

/* The file of shared memory has its length for good. */
static void test_shared_memory(void **state)
{
    Session *s = *state;
    greeted(s);
    ask_session(s, alloc_of(2 * page_bytes(), DEVICE_MEMORY_PINNED));
    assert_true(wire_next(&s->wire));
    const DeviceBox *box = wire_fixed(&s->wire, WIRE_MAP, sizeof *box);
    assert_non_null(box);
    assert_int_equal(2 * page_bytes(), box->width);
    int file = s->wire.passed;
    assert_true(file >= 0);
    assert_int_equal(-1, ftruncate(file, 0));
    assert_int_equal(EPERM, errno);
    assert_int_equal(-1, ftruncate(file, 1 << 20));
    assert_int_equal(-1, fcntl(file, F_ADD_SEALS, F_SEAL_WRITE));
    assert_true(wire_send(&s->wire, WIRE_ANSWER, NULL, 0, NULL, 0, -1)); /* it did not work here */
    assert_int_equal(DEVICE_NO_MEMORY, hear(s).reply.error);
}

/* ---- another client ---- */

/* Numbers out of range: refused, and the session goes on. */
static void test_refused(void **state)
{
    Session *s = *state;
    greeted(s);
    uint64_t there = tell(s, alloc_of(100, DEVICE_MEMORY_DEVICE)).reply.value;
    DeviceMsg bad[12] = {{.op = OP_COPY},        {.op = OP_COPY},     {.op = OP_FILL},
                         {.op = OP_FILL},        {.op = OP_PEER},     {.op = OP_TEXTURE_CREATE},
                         {.op = OP_MODULE_LOAD}, {.op = OP_REGISTER}, {.op = OP_COPY},
                         {.op = OP_FILL},        {.op = OP_REGISTER}, {.op = OP_REGISTER}};
    bad[0].copy = (DeviceCopy){
        .dst = there, .src = there, .dst_pitch = UINT64_MAX / 2, .width = 1, .height = 5, .depth = 1};
    bad[1].copy = (DeviceCopy){.dst = there,
                               .width = UINT64_MAX / 2,
                               .height = 4,
                               .depth = 1,
                               .host_src = {.data = (void *)0x1000, .bytes = UINT64_MAX}};
    bad[2].fill.dst = bad[3].fill.dst = there;
    bad[2].fill.width = bad[2].fill.height = bad[2].fill.depth = 1;
    bad[2].fill.element = 200;
    bad[3].fill.width = bad[3].fill.height = bad[3].fill.depth = UINT64_MAX / 3;
    bad[3].fill.element = 1;
    memset(&bad[4].peer.what, 0x77, sizeof bad[4].peer.what);
    DeviceTexture texture;
    memset(&texture, 0xEE, sizeof texture);
    bad[5].in = (DeviceSpan){.data = &texture, .bytes = sizeof texture};
    bad[6].in = (DeviceSpan){.data = "no lengths", .bytes = 10};
    bad[7].range.addr = UINT64_MAX - 10;
    bad[7].range.bytes = 100;
    bad[8].copy =
        (DeviceCopy){/* one row, a thousand million times */
                     .dst = there, .dst_pitch = 1,      .width = 1,
                     .height = 1,  .depth = 1000000000, .host_src = {.data = (void *)0x1000, .bytes = 50}};
    bad[9].fill.dst = there;
    bad[9].fill.width = bad[9].fill.depth = 1;
    bad[9].fill.height = UINT64_C(1) << 40;
    bad[9].fill.element = 1;
    bad[10].range.addr = there + 4096; /* where device memory will be */
    bad[10].range.bytes = 8192;
    bad[11].range.addr = there - (1 << 30); /* and from before it into it */
    bad[11].range.bytes = UINT64_C(1) << 31;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(DEVICE_INVALID_VALUE, tell(s, bad[i]).reply.error);
    DeviceMsg place = {.op = OP_STREAM_MARK, .place = (DevicePlace)9};
    assert_int_equal(DEVICE_INVALID_VALUE, tell(s, place).reply.error);
    assert_int_equal(1, tell(s, (DeviceMsg){.op = OP_DEVICE_COUNT}).reply.value);
}

static void send_raw(Session *s, WireHead head, size_t more)
{
    char packet[2048] = {0};
    memcpy(packet, &head, sizeof head);
    assert_true(send(s->client, packet, sizeof head + more, MSG_NOSIGNAL) > 0);
}

static void assert_left(Session *s)
{
    assert_false(wire_next(&s->wire));
}

static void test_unknown_packet(void **state)
{
    greeted(*state);
    send_raw(*state, (WireHead){.type = 77}, 0);
    assert_left(*state);
}

static void test_short_packet(void **state)
{
    greeted(*state);
    Session *s = *state;
    assert_int_equal(3, send(s->client, "abc", 3, MSG_NOSIGNAL));
    assert_left(s);
}

static void test_wrong_size(void **state)
{
    greeted(*state);
    send_raw(*state, (WireHead){.type = WIRE_REQUEST, .fixed = 100}, 100);
    assert_left(*state);
}

static void test_fixed_past_the_packet(void **state)
{
    greeted(*state);
    send_raw(*state, (WireHead){.type = WIRE_REQUEST, .fixed = sizeof(WireRequest)}, 20);
    assert_left(*state);
}

static void test_endless_payload(void **state)
{
    Session *s = *state;
    greeted(s);
    WireRequest r = {.msg = {.op = OP_FUNCTION_FIND, .in = {.bytes = UINT64_MAX / 2}}};
    struct {
        WireHead head;
        WireRequest request;
    } packet = {.head = {.type = WIRE_REQUEST, .fixed = sizeof r, .payload = UINT64_MAX / 2}, .request = r};
    assert_true(send(s->client, &packet, sizeof packet, MSG_NOSIGNAL) > 0);
    assert_left(s);
}

static void test_unknown_operation(void **state)
{
    Session *s = *state;
    greeted(s);
    ask_session(s, (DeviceMsg){.op = (DeviceOp)4000});
    assert_left(s);
}

static void test_too_many_calls(void **state)
{
    Session *s = *state;
    greeted(s);
    WireRequest r = {.msg = {.op = OP_DEVICE_COUNT}, .n_calls = UINT64_MAX};
    assert_true(wire_send(&s->wire, WIRE_REQUEST, &r, sizeof r, NULL, 0, -1));
    assert_left(s);
}

/* ---- each member of each message (fields.def) ---- */

static void put_field(DeviceMsg *m, const RequestField *f, uint64_t value)
{
    memcpy((char *)m + f->at, &value, f->bytes);
}

static bool is_fit(const RequestField *f, uint64_t value)
{
    Request q = {.msg = {.op = f->op}};
    put_field(&q.msg, f, value);
    return request_is_fit(&q);
}

/* Every operation has a row, a number past its limit is refused, and flags become true or false. */
static void test_fields(void **state)
{
    (void)state;
    bool known[DEVICE_N_OPS] = {false};
    const RequestField *f;
    for (size_t i = 0; (f = request_field(i)); i++) {
        known[f->op] = true;
        if (f->rule == REQUEST_AT_MOST) {
            assert_false(is_fit(f, f->limit + 1));
            assert_false(is_fit(f, UINT64_MAX));
            assert_true(f->op == OP_MODULE_LOAD || is_fit(f, f->limit)); /* there are no images here */
        }
        if (f->rule != REQUEST_FLAG)
            continue;
        Request q = {.msg = {.op = f->op}};
        put_field(&q.msg, f, 0x77);
        request_is_fit(&q);
        assert_int_equal(1, *((char *)&q.msg + f->at));
    }
    for (int op = 0; op < DEVICE_N_OPS; op++)
        assert_true(known[op] || op == OP_TEXTURE_CREATE || op == OP_NOTE); /* all of it lies in what it brings along */
}

/* A note is one line: printable characters, and the NUL that ends it. */
static void test_notes(void **state)
{
    (void)state;
    static char longest[DEVICE_NOTE_BYTES_MAX + 1];
    memset(longest, 'a', sizeof longest - 2);
    static const struct {
        const char *text;
        uint64_t bytes;
        bool fit;
    } rows[] = {
        {"value a=1", 10, true}, {"", 1, true},          {"", 0, false},          {"value a=1", 9, false},    {"a\nALLOC OK 1 ", 14, false},
        {"a\tb", 4, false},      {"\xC3\xA4", 3, false}, {"a\177", 3, false},     {"a\0b", 4, false},
        {longest, DEVICE_NOTE_BYTES_MAX, true}, {longest, DEVICE_NOTE_BYTES_MAX - 1, false}, {longest, DEVICE_NOTE_BYTES_MAX + 1, false},
    };
    longest[DEVICE_NOTE_BYTES_MAX - 1] = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[DEVICE_NOTE_BYTES_MAX + 1];
        memset(text, 'x', sizeof text);
        memcpy(text, rows[i].text, rows[i].bytes);
        Request q = {.msg = {.op = OP_NOTE, .in = {.data = text, .bytes = rows[i].bytes}}};
        if (request_is_fit(&q) != rows[i].fit)
            fail_msg("note %zu, of %d bytes", i, (int)rows[i].bytes);
    }
}


/* What the messages below are about. */
enum { MAPPED_BYTES = 2 << 20 };

typedef struct Things {
    uint32_t module, function, stream, events[2];
    uint64_t memory;
    uint32_t physical;
    uint64_t range; /* of addresses */
    uint64_t condition;
} Things;

static const char module_text[] = ".version 8.0\n.target sm_75\n.address_size 64\n.global .u32 "
                                  "counter;\n.visible .entry nothing()\n{\n\tret;\n}\n";

static DeviceMsg about(DeviceOp op, const Things *t)
{
    DeviceMsg m = {.op = op, .stream = t->stream};
    switch (op) {
    case OP_ALLOC:
        m.alloc.bytes = 64;
        m.alloc.kind = DEVICE_MEMORY_DEVICE;
        break;
    case OP_FREE:
        m.free.addr = t->memory;
        m.free.kind = DEVICE_MEMORY_DEVICE;
        break;
    case OP_MIGRATE:
        m.range.addr = t->memory;
        break;
    case OP_MODULE_LOAD:
        m.module.n_images = 1;
        m.in = (DeviceSpan){(void *)module_text, sizeof module_text - 1};
        break;
    case OP_MODULE_UNLOAD:
    case OP_FUNCTION_FIND:
    case OP_VARIABLE_FIND:
        m.module.id = t->module;
        m.in = op == OP_VARIABLE_FIND ? (DeviceSpan){"counter", 8} : (DeviceSpan){"nothing", 8};
        break;
    case OP_FUNCTION_PARAMS:
    case OP_FUNCTION_INFO:
    case OP_FUNCTION_SET:
    case OP_OCCUPANCY:
        m.function.id = t->function;
        m.function.block_threads = 32;
        break;
    case OP_LAUNCH:
        m.launch = (DeviceLaunchMsg){.function = t->function, .grid = {1, 1, 1}, .block = {32, 1, 1}};
        break;
    case OP_STREAM_WAIT:
    case OP_EVENT_DESTROY:
    case OP_EVENT_RECORD:
    case OP_EVENT_SYNC:
    case OP_EVENT_RUN:
    case OP_EVENT_QUERY:
    case OP_EVENT_ELAPSED:
        m.event.id = t->events[0];
        m.event.other = t->events[1];
        break;
    case OP_PHYSICAL_CREATE:
    case OP_PHYSICAL_RELEASE:
    case OP_ADDRESS_RESERVE:
    case OP_ADDRESS_FREE:
    case OP_MAP:
        m.map.bytes = MAPPED_BYTES;
        m.map.addr = t->range;
        m.map.physical = t->physical;
        break;
    case OP_CONDITION_BEGIN:
    case OP_BRANCH:
        m.condition.handle = t->condition;
        break;
    default:
        break;
    }
    return m;
}

static uint64_t made(Session *s, DeviceMsg m)
{
    WireReply r = tell(s, m);
    assert_int_equal(DEVICE_OK, r.reply.error);
    assert_true(r.reply.value != 0);
    return r.reply.value;
}

static Things make_things(Session *s, DeviceOp for_op)
{
    Things t = {.module = (uint32_t)made(s, about(OP_MODULE_LOAD, &(Things){.module = 0}))};
    t.function = (uint32_t)made(s, about(OP_FUNCTION_FIND, &t));
    t.stream = (uint32_t)made(s, (DeviceMsg){.op = OP_STREAM_CREATE});
    t.memory = made(s, about(OP_ALLOC, &t));
    if (for_op == OP_PHYSICAL_RELEASE || for_op == OP_MAP)
        t.physical = (uint32_t)made(s, about(OP_PHYSICAL_CREATE, &t));
    if (for_op == OP_ADDRESS_FREE || for_op == OP_MAP)
        t.range = made(s, about(OP_ADDRESS_RESERVE, &t));
    t.condition = made(s, (DeviceMsg){.op = OP_CONDITION_CREATE});
    for (int i = 0; i < 2; i++) {
        DeviceMsg m = {.op = OP_EVENT_CREATE};
        m.event.timing = true;
        t.events[i] = (uint32_t)made(s, m);
        m = about(OP_EVENT_RECORD, &t);
        m.event.id = t.events[i];
        assert_int_equal(DEVICE_OK, tell(s, m).reply.error);
    }
    assert_int_equal(DEVICE_OK, tell(s, (DeviceMsg){.op = OP_DEVICE_SYNC}).reply.error);
    return t;
}

/* A member that the devices look up: wrong, it is an error; right, the same message is none afterwards. */
static void test_looked_up(void **state)
{
    Session *s = *state;
    greeted(s);
    const RequestField *f;
    size_t n = 0;
    for (size_t i = 0; (f = request_field(i)); i++) {
        if (f->rule != REQUEST_DEVICE || f->op == OP_FINISH || f->op == OP_DEVICE_RESET)
            continue;
        Things t = make_things(s, f->op);
        DeviceMsg right = about(f->op, &t), wrong = right;
        put_field(&wrong, f, UINT64_C(0x1EEEEEEEEEEE));
        if (tell(s, wrong).reply.error == DEVICE_OK)
            fail_msg("%s of message %d may be anything", f->member, (int)f->op);
        bool alone = f->op != OP_UNREGISTER && f->op != OP_HOST_FUNCTION; /* those need the client's help */
        alone = alone && (f->op != OP_MAP || maps_pages_twice());
        if (alone && tell(s, right).reply.error != DEVICE_OK)
            fail_msg("message %d is refused, so that nothing is known of its %s", (int)f->op, f->member);
        n++;
    }
    assert_true(n > 40);
}

/* What request_take makes of a request whose payload never comes: how many bytes it took room for. */
static size_t room_for(WireRequest request, uint64_t payload)
{
    Request q = {.n_calls = 0};
    Wire *w = calloc(1, sizeof *w);
    assert_non_null(w);
    wire_init(w, 1 << 20); /* nobody there */
    memcpy(w->in + sizeof(WireHead), &request, sizeof request);
    w->type = WIRE_REQUEST;
    w->fixed = sizeof request;
    w->payload = payload;
    bool taken = request_take(w, &q);
    size_t room = taken ? SIZE_MAX : q.payload_cap;
    request_free(&q);
    free(w);
    return room;
}

/* Lengths: what is past a limit gets no memory. */
static void test_lengths(void **state)
{
    (void)state;
    WireRequest r = {.msg = {.op = OP_STREAM_MARK}};
    r.msg.n_after = REQUEST_AFTER_MAX;
    assert_true(room_for(r, r.msg.n_after * 8) >= r.msg.n_after * 8);
    r.msg.n_after++;
    assert_int_equal(0, room_for(r, r.msg.n_after * 8));
    r.msg.n_after = 0;
    r.msg.in.bytes = REQUEST_IN_MAX;
    assert_true(room_for(r, r.msg.in.bytes) >= r.msg.in.bytes);
    r.msg.in.bytes++;
    assert_int_equal(0, room_for(r, r.msg.in.bytes));
    r.msg.in.bytes = 8;
    r.call_bytes = REQUEST_CALL_MAX;
    assert_int_equal(0, room_for(r, r.call_bytes + 8));
    r.call_bytes--;
    assert_true(room_for(r, r.call_bytes + 8) > 0);
    assert_int_equal(0, room_for(r, r.call_bytes + 7)); /* the parts are not the whole */
    r = (WireRequest){.msg = {.op = OP_MODULE_LOAD}};
    r.msg.module.n_images = REQUEST_IMAGES_MAX;
    assert_true(room_for(r, REQUEST_IMAGES_MAX * 8) > 0);
    r.msg.module.n_images++;
    assert_int_equal(0, room_for(r, (REQUEST_IMAGES_MAX + 1) * 8));
    r = (WireRequest){.msg = {.op = OP_DEVICE_INFO, .out = {.bytes = REQUEST_OUT_MAX}},
                      .n_calls = REQUEST_CALLS_MAX};
    assert_int_equal(SIZE_MAX, room_for(r, 0));
    r.msg.out.bytes++;
    assert_int_equal(0, room_for(r, 0));
    r.msg.out.bytes = 0;
    r.n_calls++;
    assert_int_equal(0, room_for(r, 0));
    r = (WireRequest){.msg = {.op = DEVICE_N_OPS}};
    assert_int_equal(0, room_for(r, 0));
}

/* ---- confined ---- */

static bool is_refused(long result)
{
    return result < 0 && errno == EPERM;
}

/* In a child: its exit status names the first thing that was not as it should be. */
static int try_confined(void)
{
    int file = memfd_create("records", MFD_CLOEXEC);
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (open("/proc/self/maps", O_RDONLY) < 0 || !confine_this_process())
        return 1;
    if (!is_refused(open("/proc/self/maps", O_RDONLY)))
        return 2;
    if (!is_refused(socket(AF_UNIX, SOCK_STREAM, 0)) || !is_refused(socket(AF_INET, SOCK_STREAM, 0)))
        return 3;
    if (!is_refused(kill(getppid(), 0)) || !is_refused(fork() < 0 ? -1 : 0))
        return kill(getppid(), 0) == 0 ? 4 : 5;
    if (!is_refused(mprotect(page, 4096, PROT_READ | PROT_EXEC)))
        return 6;
    if (!is_refused(execl("/bin/true", "true", (char *)NULL)))
        return 7;
    if (write(file, "record\n", 7) != 7)
        return 8;
    char *more = malloc(8 << 20);
    if (!more || mprotect(page, 4096, PROT_READ) != 0)
        return 9;
    memset(more, 1, 8 << 20);
    free(more);
    return 0;
}

static void test_confined(void **state)
{
    (void)state;
    if (prctl(PR_GET_SECCOMP) < 0)
        skip(); /* no filters of system calls, as under qemu-user */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* not confined, as the sanitizer's run time opens files */
#endif
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(try_confined());
    assert_int_equal(child, waitpid(child, &status, 0));
    assert_true(WIFEXITED(status));
    assert_int_equal(0, WEXITSTATUS(status));
}

#define SESSION(test) cmocka_unit_test_setup_teardown(test, begin_session, end_session)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SESSION(test_a_session),         SESSION(test_after_the_end),     SESSION(test_copies),
        SESSION(test_shared_memory),     SESSION(test_refused),           SESSION(test_unknown_packet),
        SESSION(test_short_packet),      SESSION(test_wrong_size),        SESSION(test_fixed_past_the_packet),
        SESSION(test_endless_payload),   SESSION(test_unknown_operation), SESSION(test_too_many_calls),
        SESSION(test_looked_up),         cmocka_unit_test(test_fields),   cmocka_unit_test(test_notes), cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_confined),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
