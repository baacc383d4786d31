/* server: makes the devices, and sends each message to the function that handles it.
 *
 * A device with a sticky error answers every message that touches it with that error, whatever else is wrong.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"
#include "common/vgpu/device/queue.h"
#include "common/vgpu/device/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors and models ---- */

static const bool sticky_errors[] = {
#define X(name, is_sticky, meaning) [DEVICE_##name] = is_sticky,
#include "common/vgpu/device/errors.def"
#undef X
};

bool device_error_sticky(DeviceError e)
{
    return sticky_errors[e];
}

static Status find_model(const char *name, const PerfModel **out, Diag *diag)
{
    *out = name ? perf_model_find(name) : perf_model(0);
    if (*out)
        return STATUS_OK;
    StrBuf known = {0};
    for (size_t i = 0; perf_model(i); i++)
        strbuf_printf(&known, "%s%s", i == 0 ? "" : ", ", perf_model(i)->name);
    diag_set(diag, STATUS_INVALID, "no device model '%s'; there are %s", name, known.text);
    strbuf_free(&known);
    return STATUS_INVALID;
}

/* ---- devices ---- */

/* Values measured with runtime 13.0. */
enum {
    STACK_BYTES = 1024,
    PRINTF_BYTES = 8650752,
    HEAP_BYTES = 8388608,
    PENDING_GRIDS = 2048,
    DEVICES_MAX = 64
};

static Status make_memory(Device *d)
{
    return mem_create((int)d->index, d->model->memory_bytes, d->server->options.seed + 1, &d->mem);
}

static void set_limits(Device *d)
{
    d->limits[DEVICE_LIMIT_STACK] = STACK_BYTES;
    d->limits[DEVICE_LIMIT_PRINTF] = PRINTF_BYTES;
    d->limits[DEVICE_LIMIT_HEAP] = HEAP_BYTES;
    d->limits[DEVICE_LIMIT_PENDING] = PENDING_GRIDS;
    d->heap_used = 0;
    d->heap_fixed = false;
}

static const char *demangle(void *self, const char *mangled)
{
    return record_demangle(((Device *)self)->server, mangled);
}

const MemAlloc *device_locate(const DeviceServer *s, uint64_t addr, unsigned *owner)
{
    for (uint32_t i = 0; i < s->n_devices; i++)
        if (mem_in_window(s->devices[i]->mem, addr)) {
            *owner = i;
            return mem_find_nearest(s->devices[i]->mem, addr);
        }
    return NULL;
}

static const MemAlloc *locate(void *self, uint64_t addr, unsigned *owner)
{
    return device_locate(((Device *)self)->server, addr, owner);
}

static Status fill_device(Device *d, unsigned tools, uint64_t raised)
{
    DeviceServer *s = d->server;
    CheckOptions check = {
        .tools = tools, .raised = raised, .jobs = s->jobs, .device = d->index, .self = d, .report = record_finding};
    check.demangle = demangle;
    check.locate = locate;
    Status st = make_memory(d);
    if (st == STATUS_OK)
        st = check_create(&check, &d->check);
    if (st == STATUS_OK)
        st = perf_create(d->model, s->jobs, &d->perf);
    if (st == STATUS_OK && s->options.lines && !perf_keep_lines(d->perf))
        st = STATUS_NO_MEMORY;
    if (st == STATUS_OK)
        st = stream_make_default(d);
    origin_observe(d);
    set_limits(d);
    return st;
}

static void destroy_device(Device *d)
{
    if (!d)
        return;
    stream_free_all(d);
    clock_free(d);
    texture_free_all(d);
    family_free(d);
    origin_free(d);
    free(d->mapped);
    if (d->check)
        check_destroy(d->check);
    if (d->perf)
        perf_destroy(d->perf);
    if (d->mem)
        mem_destroy(d->mem);
    free(d);
}

Device *device_of(DeviceServer *s, uint32_t index)
{
    return index < s->n_devices ? s->devices[index] : NULL;
}

static Status add_devices(DeviceServer *s, unsigned tools, uint64_t raised, Diag *diag)
{
    const PerfModel *model;
    Status st = find_model(s->options.model, &model, diag);
    if (st != STATUS_OK)
        return st;
    s->model = *model;
    if (s->options.memory_bytes > 0)
        s->model.memory_bytes = s->options.memory_bytes;
    uint32_t wanted = s->options.n_devices > DEVICES_MAX ? DEVICES_MAX : s->options.n_devices;
    s->devices = calloc(wanted + 1, sizeof *s->devices);
    for (uint32_t i = 0; i < wanted && s->devices; i++) {
        Device *d = calloc(1, sizeof *d);
        if (!d)
            return diag_set(diag, STATUS_NO_MEMORY, "no memory for a device");
        s->devices[i] = d;
        s->n_devices = i + 1;
        d->server = s;
        d->index = i;
        d->model = &s->model;
        st = fill_device(d, tools, raised);
        if (st != STATUS_OK)
            return diag_set(diag, st, "device %u cannot be made: %s", i, status_name(st));
    }
    return s->devices ? STATUS_OK : diag_set(diag, STATUS_NO_MEMORY, "no memory for devices");
}

Status device_server_create(const DeviceOptions *options, DeviceServer **out, Diag *diag)
{
    unsigned tools = CHECK_ALL;
    uint64_t raised = 0;
    Status st = check_parse_tools(options->checks ? options->checks : "all", &tools, diag);
    if (st == STATUS_OK && options->raised)
        st = check_parse_raised(options->raised, &raised, diag);
    if (st != STATUS_OK)
        return st;
    DeviceServer *s = calloc(1, sizeof *s);
    if (!s)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for the device server");
    s->options = *options;
    s->jobs = options->jobs == 0 ? 1 : options->jobs;
    st = add_devices(s, tools, raised, diag);
    if (st != STATUS_OK) {
        device_server_destroy(s);
        return st;
    }
    if (s->n_devices > 0 && s->options.provenance_fd > 0 && !(s->provenance = provenance_new(s))) {
        device_server_destroy(s);
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a record of provenance");
    }
    if (s->n_devices > 0 && s->options.film_fd > 0) {
        const FilmOptions film = {
            .launch = s->options.film_launch, .blocks = s->options.film_blocks, .registers = s->options.film_registers};
        st = film_create(&film, &s->film, diag);
        if (st != STATUS_OK) {
            device_server_destroy(s);
            return st;
        }
    }
    if (s->n_devices > 0) {
        record_start(s);
        calls_start(s);
    }
    *out = s;
    return STATUS_OK;
}

void device_server_destroy(DeviceServer *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n_devices; i++) {
        queue_drop(s->devices[i]);
        module_free_all(s, i);
    }
    provenance_free(s->provenance);
    s->provenance = NULL;
    film_destroy(s->film);
    s->film = NULL;
    for (uint32_t i = 0; i < s->n_devices; i++) /* memory of one shows in the window of another */
        if (s->devices[i]->mem)
            map_free(s->devices[i]);
    for (uint32_t i = 0; i < s->n_devices; i++)
        destroy_device(s->devices[i]);
    for (size_t i = 0; i < s->queue.n; i++) {
        free(s->queue.ops[i]->deps);
        free(s->queue.ops[i]->params);
        free(s->queue.ops[i]);
    }
    for (size_t i = 0; i < s->n_modules; i++)
        free(s->modules[i]);
    event_free_all(s);
    mem_shared_close(s->shared);
    free(s->opened);
    order_free(s);
    managed_free(s);
    free(s->queue.ops);
    free(s->modules);
    for (size_t i = 0; i < s->n_functions; i++)
        free(s->functions[i].title);
    free(s->functions);
    free(s->clocks);
    free(s->conditions);
    heap_places_free(s);
    free(s->physicals);
    free(s->devices);
    free(s->demangled);
    strbuf_free(&s->output);
    strbuf_free(&s->messages);
    free(s);
}

/* ---- messages about the device as a whole ---- */

static void device_info(const Device *d, const DeviceMsg *m)
{
    const PerfModel *p = d->model;
    DeviceInfo *out = m->out.data;
    *out = (DeviceInfo){
        .major = p->major,
        .minor = p->minor,
        .n_sms = p->n_sms,
        .newest_target = module_newest_target(p),
        .clock_khz = p->clock_khz,
        .memory_clock_khz = p->memory_clock_khz,
        .memory_bus_bits = p->memory_bus_bits,
        .memory_bytes = p->memory_bytes,
        .l2_bytes = p->l2_bytes,
        .shared_per_block = p->shared_per_block,
        .shared_per_block_optin = p->shared_per_block_optin,
        .shared_per_sm = p->shared_per_sm,
        .shared_reserved = p->shared_reserved,
        .regs_per_block = p->regs_per_block,
        .regs_per_sm = p->regs_per_sm,
        .threads_per_block = p->threads_per_block,
        .threads_per_sm = p->threads_per_sm,
        .blocks_per_sm = p->blocks_per_sm,
        .copy_engines = p->copy_engines,
        .window_base = mem_window_base(d->mem),
        .window_bytes = mem_window_bytes(d->mem),
    };
    snprintf(out->name, sizeof out->name, "%s", p->title);
}

static DeviceError device_sync(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    r->value = !order_has_waited(d->server, &d->order_work, 0);
    DeviceError error = queue_run_device(d);
    if (error != DEVICE_OK)
        return error;
    host_wait(d->server, d->end_ns);
    for (size_t i = 0; i < d->n_streams; i++)
        d->streams[i]->waited_ns = d->streams[i]->end_ns;
    order_waited(d->server, &d->order_all);
    device_check_slack(d, m->site);
    return d->error;
}

/* Leaks are looked for before everything goes. A device that failed does not come back in this process, as
 * measured on hardware: its memory may be damaged. */
static DeviceError device_reset(Device *d)
{
    DeviceServer *s = d->server;
    if (queue_run_device(d) == DEVICE_HOST_WORK)
        return DEVICE_HOST_WORK;
    bool failed = d->error != DEVICE_OK;
    if (!failed) {
        check_leaks(d->check, d->mem);
        module_leaks(s, d->index);
        stream_leaks(d);
        share_leaks(d);
        texture_leaks(d);
    }
    module_free_all(s, d->index);
    stream_free_all(d);
    for (size_t i = 0; i < s->n_events; i++)
        if (s->events[i] && s->events[i]->device == d->index) {
            share_forget_event(s, s->events[i]);
            free(s->events[i]);
            s->events[i] = NULL;
        }
    map_free(d);
    share_reset(d);
    conditions_forget(d);
    device_free_all(d);
    texture_free_all(d);
    set_limits(d);
    memset(d->peers, 0, sizeof d->peers);
    d->error = failed ? DEVICE_UNAVAILABLE : DEVICE_OK;
    return stream_make_default(d) == STATUS_OK ? DEVICE_OK : DEVICE_NO_MEMORY;
}

/* What runs because nobody waits (a host that looks at memory until a kernel has changed it) is compared with
 * no touch of the host's. */
static DeviceError run_unwaited(Device *d)
{
    managed_forget_touches(d->server, true);
    return queue_run_device(d);
}

static DeviceError limit_set(Device *d, const DeviceMsg *m)
{
    /* A thread's stack is bounded by what a card could hold of them all. */
    bool absurd = m->limit.which == DEVICE_LIMIT_STACK && m->limit.value > 512 * 1024;
    bool late = m->limit.which == DEVICE_LIMIT_HEAP && d->heap_fixed;
    if (m->limit.which >= DEVICE_N_LIMITS || absurd || late)
        return DEVICE_INVALID_VALUE;
    d->limits[m->limit.which] = m->limit.value;
    return DEVICE_OK;
}

static DeviceError limit_get(const Device *d, const DeviceMsg *m, DeviceReply *r)
{
    if (m->limit.which >= DEVICE_N_LIMITS)
        return DEVICE_INVALID_VALUE;
    r->value = d->limits[m->limit.which];
    return DEVICE_OK;
}

static DeviceError peer(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    uint32_t other = m->peer.peer;
    if (!device_of(d->server, other))
        return DEVICE_INVALID_DEVICE;
    if (m->peer.what == PEER_QUERY) {
        r->value = other != d->index;
        return DEVICE_OK;
    }
    if (m->peer.what == PEER_ENABLE && (other == d->index || d->peers[other]))
        return other == d->index ? DEVICE_PEER_UNSUPPORTED : DEVICE_PEER_ALREADY;
    if (m->peer.what != PEER_ENABLE && !d->peers[other])
        return DEVICE_PEER_NOT_ENABLED;
    d->peers[other] = m->peer.what == PEER_ENABLE;
    return DEVICE_OK;
}

static void memory_info(const Device *d, DeviceReply *r)
{
    r->value = mem_free_bytes(d->mem);
    r->value2 = mem_total(d->mem);
}

static DeviceError migrate(Device *d, const DeviceMsg *m)
{
    QueueOp *op = queue_add(d, m, QUEUE_MIGRATE);
    if (!op)
        return DEVICE_INVALID_HANDLE;
    op->range.addr = m->range.addr;
    op->range.bytes = m->range.bytes;
    op->range.to = m->range.to;
    return DEVICE_OK;
}

static void advise(Device *d, const DeviceMsg *m)
{
    const char *message = m->in.data;
    const char *hint = message + strlen(message) + 1;
    switch (m->range.bytes) {
    case ADVICE_LEAK:
        check_handle_leak(d->check, m->site, message);
        break;
    case ADVICE_HOST_OVERREAD:
        check_host_overread(d->check, m->site, message);
        break;
    case ADVICE_COPY_DIRECTION:
        check_copy_direction(d->check, m->site);
        break;
    default:
        check_advise(d->check, device_find(d->server, m->range.addr, NULL), m->range.addr, m->site, message, hint);
        break;
    }
}

static bool work_queued(const Device *d)
{
    for (size_t i = 0; i < d->server->queue.n; i++)
        if (d->server->queue.ops[i]->device == d->index && d->server->queue.ops[i]->kind == QUEUE_LAUNCH)
            return true;
    return false;
}

void device_write_provenance(DeviceServer *s)
{
    if (s->provenance)
        provenance_write(s->provenance, s->options.provenance_fd);
}

/* The program ends. What it never waited for runs now, so that its faults are found; its printf is lost, as
 * with hardware. */
static DeviceError end_program(DeviceServer *s)
{
    for (uint32_t i = 0; i < s->n_devices; i++) {
        Device *d = s->devices[i];
        if (work_queued(d))
            check_advise(d->check, NULL, 0, 0, "the program ended before its kernels did",
                         "wait for them, with cudaDeviceSynchronize");
        size_t printed = s->output.length;
        DeviceError error = queue_run_device(d);
        s->output.length = printed;
        if (error != DEVICE_OK)
            return error;
    }
    bool failed = false; /* then frees fail too, on whichever device the memory is */
    for (uint32_t i = 0; i < s->n_devices; i++)
        failed |= s->devices[i]->error != DEVICE_OK;
    for (uint32_t i = 0; i < s->n_devices; i++) {
        device_check_slack(s->devices[i], 0);
        if (!failed) {
            check_leaks(s->devices[i]->check, s->devices[i]->mem);
            module_leaks(s, i);
            stream_leaks(s->devices[i]);
            share_leaks(s->devices[i]);
            texture_leaks(s->devices[i]);
        }
        check_finish(s->devices[i]->check);
    }
    device_write_provenance(s);
    record_totals(s);
    return DEVICE_OK;
}

static DeviceError finish_program(DeviceServer *s)
{
    DeviceError error = end_program(s);
    if (error != DEVICE_HOST_WORK)
        share_end(s);
    return error;
}

/* ---- dispatch ---- */

/* The call of the options' choice fails. Who fails is chosen and noted here, where the program does not reach. */
static void may_fail(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    if (s->options.fail_at == 0 || ++s->n_can_fail != s->options.fail_at)
        return;
    s->n_errors_given++;
    record_injected(s, m->token);
    r->value = 1;
}

/* Whether the answer is an error that a program can meet. */
static bool gives_error(const DeviceMsg *m, const DeviceReply *r)
{
    return r->error != DEVICE_OK && r->error != DEVICE_NOT_READY && r->error != DEVICE_HOST_WORK &&
           m->op != OP_DEVICE_ERROR;
}

typedef enum AfterError { FAILS, WORKS } AfterError;

static const AfterError after_error[] = {
#define X(NAME, after, ...) [OP_##NAME] = after,
#include "common/vgpu/device/ops.def"
#undef X
};

static void handle(DeviceServer *s, Device *d, const DeviceMsg *m, DeviceReply *r)
{
    switch (m->op) {
#define X(NAME, after, call, meaning)                                                                        \
    case OP_##NAME:                                                                                          \
        call;                                                                                                \
        break;
#include "common/vgpu/device/ops.def"
#undef X
    case DEVICE_N_OPS:
        break;
    }
}

bool device_interrupt(DeviceServer *s)
{
    s->interrupted |= s->running;
    return s->running;
}

static uint64_t oldest_launch(const DeviceServer *s)
{
    for (size_t i = 0; i < s->queue.n; i++)
        if (s->queue.ops[i]->kind == QUEUE_LAUNCH && !s->queue.ops[i]->done)
            return s->queue.ops[i]->seq;
    return 0;
}

void device_send(DeviceServer *s, const DeviceMsg *m, DeviceReply *r)
{
    *r = (DeviceReply){0};
    s->output.length = s->messages.length = 0;
    s->msg = m;
    s->reply = r;
    Device *d = device_of(s, m->device);
    if (!d && m->op != OP_DEVICE_COUNT) {
        r->error = DEVICE_INVALID_DEVICE;
        return;
    }
    bool fails = after_error[m->op] == FAILS;
    clock_enter(s, m->thread);
    if (!fails || d->error == DEVICE_OK)
        handle(s, d, m, r);
    clock_leave(s, m->thread);
    managed_forget_touches(s, false);
    if (s->provenance)
        marks_show_all(s->provenance, false);
    r->oldest_launch = oldest_launch(s);
    if (fails && d->error != DEVICE_OK && r->error != DEVICE_HOST_WORK)
        r->error = d->error;
    s->n_errors_given += gives_error(m, r);
    calls_add(s, m, r);
    record_texts(s);
    r->output = s->output.text;
    r->output_bytes = s->output.length;
    r->messages = s->messages.text;
    r->message_bytes = s->messages.length;
}
