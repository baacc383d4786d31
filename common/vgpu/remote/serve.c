/* serve: the server's side; see remote.h. */
#include "common/vgpu/remote/remote.h"
#include "common/vgpu/remote/remote_internal.h"
#include "common/vgpu/remote/request.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 64, ACCESSES_MAX = 16, END_WAIT_MS = 2000, EXIT_GONE = 0, EXIT_START = 2 };
enum { KEPT_MAX = 3000 };
/* What a client may tell of itself (places, errors of calls). */
#define TOLD_BYTES_MAX ((uint64_t)64 << 20)

/* A piece of memory that is shared with the client, and its file. The file stays open, so that who counts this process's
 * memory finds all of its pages, which the client can fill and unmap again. */
typedef struct Kept {
    void *p;
    int fd;
} Kept;

typedef struct Serving {
    Wire wire;
    Request request;
    DeviceHost host;
    pthread_mutex_t asking;
    DeviceServer *server;
    int stream_fd;
    bool finished;
    uint64_t told_bytes;
    uint32_t n_accesses;
    Kept kept[KEPT_MAX];
    size_t n_kept;
} Serving;

/* ---- the client's memory ---- */

/* Waits for the answer to what was just asked; true when it holds that many bytes. */
static bool answered(Wire *w, uint64_t bytes)
{
    bool ok = wire_next(w) && w->type == WIRE_ANSWER && w->fixed == 0 && w->payload == bytes;
    w->broken = w->broken || !ok;
    return ok;
}

static bool host_read(void *self, const DeviceBox *from, void *to)
{
    Wire *w = &((Serving *)self)->wire;
    uint64_t bytes;
    return wire_box_bytes(from, &bytes) && wire_send(w, WIRE_READ, from, sizeof *from, NULL, 0, -1) &&
           answered(w, bytes) && wire_take(w, to, bytes);
}

static bool host_write(void *self, const DeviceBox *to, const void *from)
{
    Wire *w = &((Serving *)self)->wire;
    uint64_t bytes;
    return wire_box_bytes(to, &bytes) &&
           wire_send(w, WIRE_WRITE, to, sizeof *to, &(WirePart){from, bytes}, 1, -1) && answered(w, 0);
}

/* A file in memory that nobody can make shorter: pages that vanish would be our death. */
static int make_file(uint64_t bytes)
{
    int fd = memfd_create("vgpu-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, (off_t)bytes) != 0 ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static void *map_file(int fd, uint64_t wanted, uint64_t bytes)
{
    void *p = mmap((void *)(uintptr_t)wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                   fd, 0);
    if (p == MAP_FAILED)
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Asks something that is answered with a byte, or with none. */
static bool ask_client(Wire *w, WireType type, const DeviceBox *where, int fd)
{
    bool ok = wire_send(w, type, where, sizeof *where, NULL, 0, fd) && wire_next(w) &&
              w->type == WIRE_ANSWER && w->fixed == 0 && w->payload <= 1;
    w->broken = w->broken || !ok;
    char byte;
    return ok && w->payload == 1 && wire_take(w, &byte, 1);
}

/* Takes over a file. Without room for it, its pages are this process's own from now on. */
static void keep_file(Serving *s, void *p, uint64_t bytes, int fd)
{
    int kept = s->n_kept < KEPT_MAX ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (kept >= 0)
        s->kept[s->n_kept++] = (Kept){p, kept};
    else
        madvise(p, bytes, MADV_POPULATE_WRITE);
}

static void drop_file(Serving *s, const void *p)
{
    for (size_t i = s->n_kept; i-- > 0;) {
        if (s->kept[i].p != p)
            continue;
        close(s->kept[i].fd);
        s->kept[i] = s->kept[--s->n_kept];
        return;
    }
}

static void *host_map(void *self, uint64_t wanted, uint64_t bytes)
{
    Serving *s = self;
    int fd = make_file(bytes);
    void *p = fd < 0 ? NULL : map_file(fd, wanted, bytes);
    DeviceBox where = {.addr = (uint64_t)(uintptr_t)p, .width = bytes};
    if (p && !ask_client(&s->wire, WIRE_MAP, &where, fd)) {
        munmap(p, bytes);
        p = NULL;
    }
    if (p)
        keep_file(s, p, bytes, fd);
    if (fd >= 0)
        close(fd);
    return p;
}

static void host_unmap(void *self, void *p, uint64_t bytes)
{
    Wire *w = &((Serving *)self)->wire;
    DeviceBox where = {.addr = (uint64_t)(uintptr_t)p, .width = bytes};
    drop_file(self, p);
    munmap(p, bytes);
    if (wire_send(w, WIRE_UNMAP, &where, sizeof where, NULL, 0, -1))
        answered(w, 0);
}

/* Workers of a launch may ask at one time. */
static bool host_has(void *self, uint64_t addr)
{
    Serving *s = self;
    pthread_mutex_lock(&s->asking);
    bool has = ask_client(&s->wire, WIRE_HAS, &(DeviceBox){.addr = addr}, -1);
    pthread_mutex_unlock(&s->asking);
    return has;
}

static void serve_on_access(void *self, const DeviceHostAccess *access)
{
    Serving *s = self;
    DeviceReply where = {.error = DEVICE_OK};
    DeviceHostAccess a = *access;
    if (!s->server || s->stream_fd < 0 || s->n_accesses++ >= ACCESSES_MAX)
        return;
    for (size_t i = 0; i < DEVICE_FRAMES_MAX; i++)
        a.frames[i].path[DEVICE_PATH_BYTES - 1] = 0;
    unsigned char write;
    memcpy(&write, &access->write, 1);
    a.write = write != 0;
    if (a.what == HOST_TOUCHED_DEVICE || a.what == HOST_TOUCHED_NOTHING)
        device_look_up(s->server, a.address, &where);
    device_record_access(s->stream_fd, &a, &where);
}

/* ---- a message ---- */

static void reply(Serving *s, const DeviceReply *r)
{
    WireReply head = {.reply = *r, .out_bytes = s->request.out_bytes};
    const char *name = r->pointer.name;
    head.reply.output = head.reply.messages = head.reply.pointer.name = NULL;
    head.reply.diag = (Diag){0};
    head.name_bytes = name ? (uint32_t)strlen(name) + 1 : 0;
    head.diag_bytes = r->diag.code == STATUS_OK ? 0 : sizeof r->diag;
    const WirePart parts[] = {{s->request.out, s->request.out_bytes},
                              {&r->diag, head.diag_bytes},
                              {r->output, r->output_bytes},
                              {r->messages, r->message_bytes},
                              {name, head.name_bytes}};
    wire_send(&s->wire, WIRE_REPLY, &head, sizeof head, parts, sizeof parts / sizeof parts[0], -1);
}

/* A client may not fill the records with what it tells. */
static bool may_tell(Serving *s)
{
    DeviceOp op = s->request.msg.op;
    if (op != OP_SITE && op != OP_FAILED && op != OP_ADVICE && op != OP_NOTE)
        return true;
    s->told_bytes += s->request.msg.in.bytes + 256;
    return s->told_bytes <= TOLD_BYTES_MAX;
}

static void handle(Serving *s)
{
    Request *q = &s->request;
    DeviceReply r = {.error = DEVICE_UNAVAILABLE};
    for (uint64_t i = 0; i < q->n_calls && !s->finished; i++)
        device_send(s->server, &(DeviceMsg){.op = OP_CALL, .device = q->msg.device, .thread = q->msg.thread}, &r);
    bool fit = request_is_fit(q) && may_tell(s);
    if (s->finished)
        r.error = DEVICE_UNAVAILABLE;
    else if (fit)
        device_send(s->server, &q->msg, &r);
    else
        r = (DeviceReply){.error = DEVICE_INVALID_VALUE};
    s->finished = s->finished || (q->msg.op == OP_FINISH && r.error != DEVICE_HOST_WORK);
    if (!q->no_reply)
        reply(s, &r);
}

/* ---- a connection ---- */

static void greet(Serving *s, const RemoteOptions *o, Status st, const Diag *diag)
{
    WireHello h = {.bytes_of_message = sizeof(WireRequest),
                   .bytes_of_reply = sizeof(WireReply),
                   .status = st,
                   .n_devices = o->device.n_devices,
                   .may_fail = o->device.fail_at != 0,
                   .fail_questions = o->device.fail_questions,
                   .has_records = o->device.stream_fd >= 0};
    WirePart why = {diag->message, strlen(diag->message)};
    wire_send(&s->wire, WIRE_HELLO, &h, sizeof h, &why, st != STATUS_OK, -1);
}

static Status start_serving(Serving *s, const RemoteOptions *o, Diag *diag)
{
    DeviceOptions device = o->device;
    s->host = (DeviceHost){.self = s,
                           .read = host_read,
                           .write = host_write,
                           .map = host_map,
                           .unmap = host_unmap,
                           .has = host_has};
    device.host = &s->host;
    s->stream_fd = device.stream_fd;
    Status st = device_server_create(&device, &s->server, diag);
    greet(s, o, st, diag);
    return st;
}

static void serve_requests(Serving *s)
{
    while (wire_next(&s->wire) && request_take(&s->wire, &s->request))
        handle(s);
}

static Serving *serving_new(int socket)
{
    Serving *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    wire_init(&s->wire, socket);
    pthread_mutex_init(&s->asking, NULL);
    s->wire.self = s;
    s->wire.on_access = serve_on_access;
    return s;
}

Status remote_serve_one(int socket, const RemoteOptions *options, Diag *diag)
{
    Diag none = {0};
    Serving *s = serving_new(socket);
    diag = diag ? diag : &none;
    if (!s)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a connection");
    Status st = start_serving(s, options, diag);
    if (st == STATUS_OK)
        serve_requests(s);
    s->wire.broken = true; /* nobody is asked any more */
    device_server_destroy(s->server);
    while (s->n_kept > 0)
        close(s->kept[--s->n_kept].fd);
    request_free(&s->request);
    free(s);
    return st;
}

/* ---- the door ---- */

/* The servers of all connections. */
typedef struct Servers {
    pid_t pids[CONNECTIONS_MAX];
    size_t n, running;
    bool ok; /* none was ended by a signal */
} Servers;

/* A launch of this process's that runs is to end. */
static Serving *volatile serving_here;

static void serve_on_interrupt(int signal)
{
    (void)signal;
    if (serving_here->server)
        device_interrupt(serving_here->server);
}

/* The process of a connection. What it holds goes with it. Signals of the terminal are the program's. */
static _Noreturn void become_server(int door, int socket, const RemoteOptions *options)
{
    Diag diag = {0};
    close(door);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    Serving *s = serving_new(socket);
    serving_here = s;
    if (s)
        sigaction(SIGTERM, &(struct sigaction){.sa_handler = serve_on_interrupt, .sa_flags = SA_RESTART},
                  NULL);
    if (!s || start_serving(s, options, &diag) != STATUS_OK || !confine_this_process())
        _exit(EXIT_START);
    serve_requests(s);
    device_write_provenance(s->server); /* of a client that went without a word */
    _exit(EXIT_GONE);
}

static Servers *volatile servers_here;

void remote_interrupt(void)
{
    const Servers *all = servers_here;
    for (size_t i = 0; all && i < all->n; i++)
        if (all->pids[i] > 0)
            kill(all->pids[i], SIGTERM);
}

static void reap(Servers *all, bool wait)
{
    for (size_t i = 0; i < all->n; i++) {
        int status = 0;
        pid_t pid = 0;
        while (all->pids[i] > 0 && (pid = waitpid(all->pids[i], &status, wait ? 0 : WNOHANG)) < 0 &&
               errno == EINTR) {
        }
        if (all->pids[i] <= 0 || pid == 0)
            continue;
        all->ok = all->ok && WIFEXITED(status);
        all->pids[i] = 0;
        all->running--;
    }
}

/* Somebody came in. */
static void admit(Servers *all, int door, int socket, const RemoteOptions *options)
{
    pid_t pid = socket < 0 || all->n == CONNECTIONS_MAX ? -1 : fork();
    if (pid == 0)
        become_server(door, socket, options);
    if (socket >= 0)
        close(socket);
    if (pid > 0) {
        all->pids[all->n++] = pid;
        all->running++;
    }
    reap(all, false);
}

/* Gives those who still serve a while to see that their clients are gone, then ends them: a daemon of the
 * program's may hold a connection for ever. */
static void end_soon(Servers *all)
{
    int wait_ms = END_WAIT_MS;
    for (size_t i = 0; i < all->n; i++) {
        struct pollfd p = {.fd = all->pids[i] > 0 ? (int)syscall(SYS_pidfd_open, all->pids[i], 0) : -1,
                           .events = POLLIN};
        if (p.fd < 0)
            continue;
        if (poll(&p, 1, wait_ms) <= 0) {
            kill(all->pids[i], SIGKILL);
            waitpid(all->pids[i], NULL, 0);
            all->pids[i] = 0;
            wait_ms = 0;
        }
        close(p.fd);
    }
    reap(all, true);
}

/* True when somebody is at the door, or nobody can come any more; false when it is time to stop. */
static bool wait_at(int door, int stop)
{
    struct pollfd p[2] = {{.fd = door, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
    while (poll(p, 2, -1) < 0 && errno == EINTR) {
    }
    return p[0].revents != 0;
}

bool remote_serve(int door, int stop, const RemoteOptions *options)
{
    Servers all = {.ok = true};
    Wire *w = malloc(sizeof *w);
    if (!w)
        return false;
    if (!options->watched)
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* nobody traces it, or reads its memory */
    wire_init(w, door);
    servers_here = &all;
    while (wait_at(door, stop) && wire_next(w)) {
        admit(&all, door, w->passed, options);
        w->passed = -1;
    }
    if (stop >= 0)
        end_soon(&all);
    else
        reap(&all, true);
    servers_here = NULL;
    free(w);
    return all.ok;
}
