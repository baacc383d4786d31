/* launch: is a launch valid, and what happens when it runs.
 *
 * Which error an invalid launch gives was measured on hardware (cudart/test/errors-hardware.txt): nearly all
 * of them are "invalid value" with runtime 13.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"
#include "common/vgpu/device/queue.h"
#include "common/vgpu/device/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PerfBlockNeeds launch_needs(const IrFunction *f, uint32_t threads, uint64_t dynamic_shared)
{
    return (PerfBlockNeeds){.threads = threads,
                            .regs_per_thread = f->n_regs32,
                            .shared_bytes = f->static_shared_bytes + (uint32_t)dynamic_shared};
}

/* ---- checking ---- */

static bool valid_shape(const Device *d, const DeviceLaunchMsg *l, const IrFunction *f)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (l->grid[0] == 0 || l->grid[1] == 0 || l->grid[2] == 0 || threads == 0)
        return false;
    if (l->grid[0] > DEVICE_GRID_X_MAX || l->grid[1] > DEVICE_GRID_YZ_MAX || l->grid[2] > DEVICE_GRID_YZ_MAX)
        return false;
    if (l->block[0] > DEVICE_BLOCK_XY_MAX || l->block[1] > DEVICE_BLOCK_XY_MAX ||
        l->block[2] > DEVICE_BLOCK_Z_MAX)
        return false;
    if (threads > d->model->threads_per_block || (f->max_threads > 0 && threads > f->max_threads))
        return false;
    for (int i = 0; i < 3; i++)
        if (f->req_ntid[i] > 0 && f->req_ntid[i] != l->block[i])
            return false;
    return true;
}

/* By the estimate of the registers, and, unless the program was told of that, by the fewest that a compilation may take. */
static DeviceError check_resources(const Device *d, const DeviceLaunchMsg *l, const IrFunction *f, bool told)
{
    PerfBlockNeeds needs = launch_needs(f, l->block[0] * l->block[1] * l->block[2], l->dynamic_shared);
    PerfOccupancy o;
    perf_occupancy(d->model, &needs, &o);
    if (o.blocks_per_sm == 0 && !told) { /* by the estimate: is it so in every compilation? */
        needs.regs_per_thread = f->n_regs32_least;
        perf_occupancy(d->model, &needs, &o);
    }
    if (o.blocks_per_sm == 0)
        return DEVICE_OUT_OF_RESOURCES;
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (l->cooperative && blocks > (uint64_t)o.blocks_per_sm * d->model->n_sms)
        return DEVICE_COOPERATIVE_TOO_LARGE;
    return DEVICE_OK;
}

DeviceError launch_valid(const Device *d, const DeviceLaunchMsg *l, const IrFunction *f, bool told, uint64_t dynamic_max)
{
    if (!valid_shape(d, l, f) || l->dynamic_shared > dynamic_max)
        return DEVICE_INVALID_VALUE;
    for (int i = 0; i < 3; i++)
        if (f->cluster[i] > 1) /* whose blocks would read each other's shared memory */
            return DEVICE_NOT_SUPPORTED;
    return check_resources(d, l, f, told);
}

/* A card may refuse it: that depends on how many registers its assembler takes. */
static void advise_registers(Device *d, const DeviceMsg *m, const IrFunction *f)
{
    char message[160], hint[120];
    uint32_t threads = (uint32_t)(m->launch.block[0] * m->launch.block[1] * m->launch.block[2]);
    PerfBlockNeeds needs = launch_needs(f, threads, m->launch.dynamic_shared);
    PerfOccupancy o;
    perf_occupancy(d->model, &needs, &o);
    if (o.blocks_per_sm > 0)
        return;
    snprintf(message, sizeof message,
             "a card may refuse this launch: %u threads with about %u registers each are more than the %u of "
             "a block",
             threads, f->n_regs32, d->model->regs_per_block);
    snprintf(hint, sizeof hint, "promise the compiler the size of the block: __launch_bounds__(%u)", threads);
    check_advise(d->check, NULL, 0, m->site, message, hint);
}

DeviceError launch_add(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    const DeviceLaunchMsg *l = &m->launch;
    const IrFunction *f = function_ir(s, l->function);
    if (!f)
        return DEVICE_INVALID_FUNCTION;
    if (!stream_find(d, m->stream))
        return DEVICE_INVALID_HANDLE;
    const Function *function = &s->functions[l->function - 1];
    DeviceError error = launch_valid(d, l, f, function->told, function->dynamic_shared_max);
    if (error == DEVICE_INVALID_VALUE && l->dynamic_shared > function->dynamic_shared_max) { /* told of the refusal */
        r->value = function->dynamic_shared_max;
        r->value2 = 1;
    }
    if (error != DEVICE_OK || m->place == PLACE_CHECK)
        return error;
    advise_registers(d, m, f);
    QueueOp *op = queue_add(d, m, QUEUE_LAUNCH);
    if (!op)
        return DEVICE_NO_MEMORY;
    op->launch = *l;
    op->params = calloc(1, f->param_bytes + 1);
    if (op->params && m->in.data)
        memcpy(op->params, m->in.data, m->in.bytes < f->param_bytes ? m->in.bytes : f->param_bytes);
    return DEVICE_OK;
}

/* ---- what the device lends to a launch ---- */

static void on_print(void *self, const char *text, size_t length)
{
    Device *d = self;
    StrBuf *out = &d->server->output;
    size_t limit = d->limits[DEVICE_LIMIT_PRINTF];
    if (out->length + length <= limit)
        strbuf_append(out, text, length);
}

static Mem *on_memory_of(void *self, uint64_t addr)
{
    Device *d = self, *owner;
    const MemAlloc *a = device_find(d->server, addr, &owner);
    if (!a)
        return NULL;
    bool shared = a->kind == MEM_PINNED || a->kind == MEM_MANAGED || a->kind == MEM_REGISTERED;
    return owner == d || shared || device_may_use(d, owner, a) ? owner->mem : NULL;
}

/* The first fault of a launch decides what the host is told; of several workers the one that gets here first.
 * The text of a failed assertion goes to standard error, as with hardware, whatever is checked. */
static void on_fault(void *self, const ExecWho *who, const ExecFault *fault)
{
    (void)who;
    Device *d = self;
    if (__atomic_exchange_n(&d->has_fault, true, __ATOMIC_ACQ_REL))
        return;
    d->fault = *fault;
    d->fault.addr = NULL;
    d->fault.detail = NULL;
    if (fault->kind == FAULT_ASSERT && fault->detail)
        strbuf_printf(&d->server->messages, "%s\n", fault->detail);
}

/* A word for the grid barrier of a cooperative launch, 0 at its start. */
static uint64_t grid_workspace(Device *d)
{
    if (!d->workspace)
        d->workspace = mem_alloc(d->mem, 256, MEM_INTERNAL, 0, NULL);
    if (!d->workspace)
        return 0;
    memset(d->workspace->host, 0, 256);
    mem_mark_init(d->workspace, d->workspace->addr, 256, true);
    return d->workspace->addr;
}

/* ---- running ---- */

static const uint8_t error_of[] = {
    [EXEC_OK] = DEVICE_OK,
    [EXEC_ILLEGAL_ADDRESS] = DEVICE_ILLEGAL_ADDRESS,
    [EXEC_MISALIGNED] = DEVICE_MISALIGNED,
    [EXEC_INVALID_ADDRESS_SPACE] = DEVICE_ADDRESS_SPACE,
    [EXEC_INVALID_PC] = DEVICE_INVALID_PC,
    [EXEC_STACK_OVERFLOW] = DEVICE_ILLEGAL_ADDRESS,
    [EXEC_ASSERT] = DEVICE_ASSERT,
    [EXEC_TRAP] = DEVICE_LAUNCH_FAILURE,
    [EXEC_TIMEOUT] = DEVICE_TIMEOUT,
    [EXEC_DEADLOCK] = DEVICE_TIMEOUT,
    [EXEC_INTERRUPTED] = DEVICE_TIMEOUT,
    [EXEC_ILLEGAL_INSTRUCTION] = DEVICE_ILLEGAL_INSTRUCTION,
    [EXEC_NO_MEMORY] = DEVICE_LAUNCH_FAILURE,
};

/* Measured: a shared address beyond the window that the hardware gives a block (16 MiB) counts as an illegal
 * instruction. */
#define SHARED_WINDOW_BYTES ((uint64_t)16 << 20)

static DeviceError launch_error(const Device *d, const ExecResult *result)
{
    bool memory = result->error == EXEC_ILLEGAL_ADDRESS || result->error == EXEC_MISALIGNED;
    if (memory && d->has_fault && d->fault.space == SPACE_SHARED && d->fault.address >= SHARED_WINDOW_BYTES)
        return DEVICE_ILLEGAL_INSTRUCTION;
    return (DeviceError)error_of[result->error];
}

static void say_unsupported(Device *d, const ExecResult *result)
{
    if (result->error == EXEC_ILLEGAL_INSTRUCTION && result->diag.message[0] != 0)
        strbuf_printf(&d->server->messages, "vgpu: %s\n", result->diag.message);
}

static void on_touch(void *self, const MemAlloc *a, uint64_t from, uint64_t to, PerfTouch access)
{
    Device *d = self;
    order_touch(d, a, from, to, access);
    if (a->kind == MEM_MANAGED) {
        managed_compare(d, d->launch_op, a, from, to, access);
        managed_use(d, a, from, to, access);
    }
}

static bool on_is_host(void *self, uint64_t addr)
{
    const DeviceHost *host = ((Device *)self)->server->options.host;
    return host->has(host->self, addr);
}

/* The host's next calls may write to memory too, unless it waits for the kernel. */
static bool on_others_may_write(void *self)
{
    const Device *d = self;
    switch (d->server->msg->op) {
    case OP_DEVICE_SYNC:
    case OP_DEVICE_RESET:
    case OP_STREAM_SYNC:
    case OP_EVENT_SYNC:
    case OP_COPY:
    case OP_FREE:
    case OP_FINISH:
        return family_has_pending(d) || queue_has_writers_beside(d->server, d->launch_op);
    default:
        return true;
    }
}

/* The budget is for the host's launch and all that comes of it. */
static uint64_t instructions_left(const Device *d)
{
    uint64_t most = d->server->options.max_instructions;
    return most == 0 ? 0 : most > d->launch_instructions ? most - d->launch_instructions : 1;
}

/* Is there to be a film of this grid? It shows what its lines cost. */
static bool film_wanted(Device *d, const QueueOp *op, const Grid *g)
{
    DeviceServer *s = d->server;
    const FilmLaunch l = {.number = ++s->n_grids,
                          .kernel = g->kernel,
                          .site = op->site,
                          .instance = g->instance,
                          .function = g->function};
    return s->film && film_begin(s->film, &l) && perf_keep_lines(d->perf);
}

/* The findings from number `first` on are those of the grid. */
static void end_film(Device *d, size_t first)
{
    enum { FINDINGS_MAX = 64 };
    const Finding *findings[FINDINGS_MAX];
    size_t n = 0;
    while (n < FINDINGS_MAX && (findings[n] = check_finding(d->check, first + n)))
        n++;
    FilmCounts counts = {.counters = perf_last(d->perf)};
    counts.lines = perf_lines(d->perf, &counts.n_lines);
    if (film_end(d->server->film, &counts, findings, n))
        record_film(d->server);
}

/* room: how many blocks of the grid are on the card at one time, 0: not known. A block that waits for one which has not begun may wait for ever. */
static void execute(Device *d, const QueueOp *op, const Grid *g, uint64_t room, ExecResult *result)
{
    DeviceServer *s = d->server;
    const bool filmed = film_wanted(d, op, g);
    const ExecObserver fault_observer = {.self = d, .fault = on_fault};
    ExecObserver observers[6];
    size_t n = 0;
    if (check_observer(d->check))
        observers[n++] = *check_observer(d->check);
    observers[n++] = *perf_observer(d->perf);
    observers[n++] = d->origin_observer;
    observers[n++] = fault_observer;
    if (s->provenance) {
        provenance_launch_begin(s->provenance, d, g);
        observers[n++] = s->provenance->observer;
    }
    const size_t n_findings = check_n_findings(d->check);
    if (filmed)
        observers[n++] = *film_observer(s->film);
    const ExecFamily family = family_host(d);
    const ExecHost host = {.self = d,
                           .print = on_print,
                           .heap_alloc = device_heap_alloc,
                           .heap_free = device_heap_free,
                           .memory_of = on_memory_of,
                           .texture_of = texture_of,
                           .is_host = s->options.host ? on_is_host : NULL,
                           .others_may_write = on_others_may_write,
                           .is_condition = branch_is_condition,
                           .family = &family,
                           .clock_start = op->ready_ns / 1000 * d->model->clock_khz / 1000};
    ExecLaunch launch = {
        .instance = g->instance,
        .function = g->function,
        .grid = {g->shape.grid[0], g->shape.grid[1], g->shape.grid[2]},
        .block = {g->shape.block[0], g->shape.block[1], g->shape.block[2]},
        .dynamic_shared = (uint32_t)g->shape.dynamic_shared,
        .params = g->params,
        .mem = d->mem,
        .resident_max = g->launcher ? 0 : room,
        .cooperative = g->shape.cooperative,
        .shares_memory = share_is_used(d->server),
        .grid_workspace = g->shape.cooperative ? grid_workspace(d) : 0,
        .grid_id = ++d->n_launches,
        .family_grid = g->number,
        .first_block = g->first_block,
        .after = g->after,
        .n_after = g->n_after,
        .seed = s->options.seed,
        .part_lanes = s->options.part_lanes,
        .max_instructions = instructions_left(d),
        .max_cpu_ns = s->options.max_seconds * 1000000000u,
        .interrupted = &s->interrupted,
        .stack_limit = (uint32_t)d->limits[DEVICE_LIMIT_STACK],
        .n_sms = d->model->n_sms,
        .jobs = filmed ? 1 : s->jobs,
        .host = &host,
        .observers = observers,
        .n_observers = n,
    };
    kept_tell(d, g);
    check_set_launch_site(d->check, op->site);
    perf_watch(d->perf, order_wanted(d) || managed_wanted(d) ? on_touch : NULL, d);
    s->running = 1;
    exec_launch(&launch, result);
    s->running = 0;
    if (result->parted)
        calls_parted(s, g->instance->module->functions[g->function].name);
    if (filmed)
        end_film(d, n_findings);
    if (s->provenance)
        provenance_launch_end(s->provenance);
}

static uint64_t volume(const uint32_t d[3])
{
    return (uint64_t)d[0] * d[1] * d[2];
}

uint64_t grid_run(Device *d, const QueueOp *op, const Grid *g, double *share)
{
    const IrFunction *f = &g->instance->module->functions[g->function];
    PerfBlockNeeds needs = launch_needs(f, (uint32_t)volume(g->shape.block), g->shape.dynamic_shared);
    PerfOccupancy o;
    perf_occupancy(d->model, &needs, &o);
    const uint64_t blocks = volume(g->shape.grid), room = (uint64_t)o.blocks_per_sm * d->model->n_sms;
    ExecResult result = {0};
    origin_prepare(d);
    execute(d, op, g, room, &result);
    d->launch_instructions += result.instructions;
    d->error = launch_error(d, &result);
    say_unsupported(d, &result);

    const PerfCounters *counters = perf_last(d->perf);
    PerfLaunchTime time;
    perf_launch_time(d->model, counters, &needs, blocks, &time);
    uint64_t moving_ns = managed_take_ns(d);
    time.total_ns += moving_ns;
    if (moving_ns > time.total_ns / 2)
        time.bound = "page faults";
    *share = room == 0 || blocks >= room ? 1 : (double)blocks / (double)room;
    record_launch(d, op, g,
                  &(LaunchFigures){.counters = counters, .time = &time, .occupancy = &o, .blocks = blocks});
    return time.total_ns;
}

/* The grid that the host launched, and all that it launches itself. */
uint64_t launch_run(Device *d, QueueOp *op, double *share)
{
    const IrFunction *f = function_ir(d->server, op->launch.function);
    if (!f || !op->params) {
        d->error = DEVICE_LAUNCH_FAILURE;
        d->launch_kernel = "";
        return 0;
    }
    const Function *function = &d->server->functions[op->launch.function - 1];
    d->launch_kernel = function->title ? function->title : f->name;
    d->has_fault = false;
    d->launch_op = op;
    d->launch_instructions = 0;
    const Grid grid = {.instance = d->server->modules[function->module - 1]->instance,
                       .function = function->index,
                       .shape = op->launch,
                       .params = op->params,
                       .kernel = d->launch_kernel};
    family_begin(d, volume(op->launch.grid));
    host_refresh(d->server);
    d->launch_ns = grid_run(d, op, &grid, share);
    uint64_t children_ns = family_run(d, op, &grid, d->launch_ns);
    host_give_back(d->server);
    return d->launch_ns + children_ns;
}
