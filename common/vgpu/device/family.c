/* family: grids that kernels launch (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").
 *
 * A launch of the host's and all that comes of it are one operation of its stream. The guide promises little
 * about the order inside, and nothing here happens earlier than it must, so that a program that relies on
 * more shows it:
 *
 *      parent         ============                         runs to its end, as if nobody else did
 *      child 1                    =====                    then what it launched, in the order of the launches;
 *      child 2                         ======              within a block's stream that order is promised
 *      grandchild                            ====          a grid ends when all that it launched has ended
 *      tail launches                             =====     last, one after the other
 *
 * An event makes a stream of a block begin after what another one held when it was recorded. In the modelled order
 * that holds anyway; what counts is who knows of whose writes, and the time.
 *
 * Errors of the device's runtime belong to the thread that met them. Sizes that the guide does not give are
 * those that cudaDeviceGetLimit answers on hardware.
 */
#include "common/vgpu/device/provenance.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 24, PARAMS_MIN = 16, EVENTS_MAX = 1 << 16, WAITS_MAX = 1 << 16 };

/* Of cudaError_t. */
typedef enum ChildError {
    CHILD_OK = 0,
    CHILD_INVALID_VALUE = 1,
    CHILD_NO_MEMORY = 2,
    CHILD_INVALID_CONFIGURATION = 9,
    CHILD_TOO_DEEP = 65,
    CHILD_TOO_MANY = 69,
    CHILD_INVALID_FUNCTION = 98,
    CHILD_INVALID_HANDLE = 400,
    CHILD_OUT_OF_RESOURCES = 701,
} ChildError;

/* Stream handles in a kernel: 0 to 2 the block's default one, 3 and 4 those with a name, others have been
 * made. */
enum { STREAM_DEFAULT_LAST = 2, STREAM_TAIL = 3, STREAM_FORGET = 4, STREAM_NONBLOCKING = 1 };
enum { EVENT_DISABLE_TIMING = 2 };
#define STREAM_MADE 0x4354000000000000u
#define EVENT_MADE  0x4345000000000000u

typedef struct Child {
    ExecChild what;
    ExecAsker by;
    MemAlloc *params;
    char *name; /* readable; NULL until it runs */
    uint64_t stream;
    uint32_t depth;
    bool launched, begun;
    uint32_t first, last; /* blocks of it and of all that it launched */
    uint64_t end_ns;      /* from the end of its launcher on, as far as its stream goes */
} Child;

typedef struct ThreadError {
    ExecAsker who;
    int error;
} ThreadError;

typedef struct GridSpan {
    size_t child;
    uint64_t start_ns, ns; /* from the operation's start */
} GridSpan;

/* Grids of a block's stream, those launched before the child of number `until`. */
typedef struct StreamPast {
    uint64_t stream;
    size_t until;
} StreamPast;

typedef struct ChildEvent {
    uint32_t block;
    bool destroyed;
    StreamPast *past; /* of its record */
    size_t n, cap;
} ChildEvent;

/* Grids of a block's stream from number `from` on begin after those of `past`. */
typedef struct StreamWait {
    uint32_t block;
    uint64_t stream;
    size_t from;
    StreamPast past;
} StreamWait;

typedef struct Family {
    Child *items;
    size_t n, cap;
    ThreadError *errors;
    size_t n_errors, errors_cap;
    GridSpan *spans;
    size_t n_spans, spans_cap;
    const IrInstance *instance;
    uint32_t depth;    /* of the grid that runs */
    uint64_t n_blocks; /* of all grids so far */
    uint64_t n_pending, n_streams;
    ChildEvent *events;
    size_t n_events, events_cap;
    StreamWait *waits;
    size_t n_waits, waits_cap;
} Family;

/* ---- what kernels ask for ---- */

static Family *family_of(Device *d)
{
    if (!d->family)
        d->family = calloc(1, sizeof *d->family);
    return d->family;
}

static bool same_thread(ExecAsker a, ExecAsker b)
{
    return a.block == b.block && a.thread == b.thread;
}

/* Keeps the error for the thread's cudaGetLastError, and returns it. */
static int set_error(Family *f, ExecAsker who, int error)
{
    for (size_t i = 0; i < f->n_errors; i++)
        if (same_thread(f->errors[i].who, who)) {
            f->errors[i].error = error;
            return error;
        }
    if (VEC_GROW(f->errors, f->n_errors, f->errors_cap))
        f->errors[f->n_errors++] = (ThreadError){who, error};
    return error;
}

static int on_error(void *self, ExecAsker who, bool clear)
{
    Family *f = family_of(self);
    for (size_t i = 0; f && i < f->n_errors; i++)
        if (same_thread(f->errors[i].who, who)) {
            int error = f->errors[i].error;
            if (clear)
                f->errors[i] = f->errors[--f->n_errors];
            return error;
        }
    return CHILD_OK;
}

static DeviceLaunchMsg shape_of(const ExecChild *c)
{
    return (DeviceLaunchMsg){.grid = {c->grid[0], c->grid[1], c->grid[2]},
                             .block = {c->block[0], c->block[1], c->block[2]},
                             .dynamic_shared = c->shared};
}

static uint64_t blocks_of(const ExecChild *c)
{
    return (uint64_t)c->grid[0] * c->grid[1] * c->grid[2];
}

static ChildError check_child(Device *d, const Family *f, const ExecChild *c)
{
    const IrModule *m = f->instance->module;
    if (c->function >= m->n_functions)
        return CHILD_INVALID_FUNCTION;
    if (f->depth + 1 > DEPTH_MAX)
        return CHILD_TOO_DEEP;
    if (f->n_pending >= d->limits[DEVICE_LIMIT_PENDING] || f->n_blocks + blocks_of(c) > UINT32_MAX / 2)
        return CHILD_TOO_MANY;
    const IrFunction *ir = &m->functions[c->function];
    const DeviceLaunchMsg shape = shape_of(c);
    uint64_t room = d->model->shared_per_block - ir->static_shared_bytes;
    switch (launch_valid(d, &shape, ir, false, room)) {
    case DEVICE_OK:
        return CHILD_OK;
    case DEVICE_OUT_OF_RESOURCES:
        return CHILD_OUT_OF_RESOURCES;
    default:
        return CHILD_INVALID_CONFIGURATION;
    }
}

static uint64_t on_buffer(void *self, ExecAsker who, const ExecChild *what)
{
    Device *d = self;
    Family *f = family_of(d);
    if (!f)
        return 0;
    ChildError error = check_child(d, f, what);
    if (error == CHILD_OK && !VEC_GROW(f->items, f->n, f->cap))
        error = CHILD_NO_MEMORY;
    MemAlloc *params = NULL;
    if (error == CHILD_OK) {
        uint32_t bytes = f->instance->module->functions[what->function].param_bytes;
        params = mem_alloc(d->mem, bytes > PARAMS_MIN ? bytes : PARAMS_MIN, MEM_INTERNAL, 0, NULL);
        error = params ? CHILD_OK : CHILD_NO_MEMORY;
    }
    if (error != CHILD_OK) {
        set_error(f, who, error);
        return 0;
    }
    f->items[f->n++] = (Child){.what = *what, .by = who, .params = params, .depth = f->depth + 1};
    f->n_pending++;
    return params->addr;
}

static bool is_stream(const Family *f, uint64_t handle)
{
    return handle <= STREAM_FORGET || (handle > STREAM_MADE && handle - STREAM_MADE <= f->n_streams);
}

static bool is_waiting(const Child *c, uint64_t buffer)
{
    return c->params && c->params->addr == buffer && !c->launched;
}

static int on_launch(void *self, ExecAsker who, uint64_t buffer, uint64_t stream, uint32_t *number)
{
    Family *f = family_of(self);
    size_t i = f ? f->n : 0;
    while (i > 0 && !is_waiting(&f->items[i - 1], buffer))
        i--;
    if (!f || i == 0)
        return f ? set_error(f, who, CHILD_INVALID_VALUE) : CHILD_NO_MEMORY;
    if (!is_stream(f, stream))
        return set_error(f, who, CHILD_INVALID_HANDLE);
    f->items[i - 1].launched = true;
    f->items[i - 1].stream = stream <= STREAM_DEFAULT_LAST ? 0 : stream;
    *number = (uint32_t)i;
    return CHILD_OK;
}

static int on_stream(void *self, ExecAsker who, uint32_t flags, uint64_t *handle)
{
    Family *f = family_of(self);
    if (!f)
        return CHILD_NO_MEMORY;
    if (flags != STREAM_NONBLOCKING)
        return set_error(f, who, CHILD_INVALID_VALUE);
    *handle = STREAM_MADE + ++f->n_streams;
    return CHILD_OK;
}

/* ---- events: one stream of a block waits for what another one held ---- */

/* The latest of one stream counts. */
static bool add_past(ChildEvent *e, StreamPast past)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->past[i].stream == past.stream) {
            e->past[i].until = e->past[i].until > past.until ? e->past[i].until : past.until;
            return true;
        }
    if (!VEC_GROW(e->past, e->n, e->cap))
        return false;
    e->past[e->n++] = past;
    return true;
}

/* What the stream holds, and what it waits for itself. */
static ChildError record_child_event(const Family *f, ChildEvent *e, uint64_t stream)
{
    e->n = 0;
    bool ok = add_past(e, (StreamPast){stream, f->n});
    for (size_t i = 0; i < f->n_waits && ok; i++)
        if (f->waits[i].block == e->block && f->waits[i].stream == stream)
            ok = add_past(e, f->waits[i].past);
    return ok ? CHILD_OK : CHILD_NO_MEMORY;
}

static bool waits_already(const Family *f, const StreamWait *w)
{
    for (size_t i = 0; i < f->n_waits; i++) {
        const StreamWait *has = &f->waits[i];
        if (has->block == w->block && has->stream == w->stream && has->past.stream == w->past.stream &&
            has->past.until >= w->past.until)
            return true;
    }
    return false;
}

static ChildError wait_for_child_event(Family *f, const ChildEvent *e, uint64_t stream)
{
    for (size_t i = 0; i < e->n; i++) {
        const StreamWait w = {.block = e->block, .stream = stream, .from = f->n, .past = e->past[i]};
        if (waits_already(f, &w))
            continue;
        if (f->n_waits >= WAITS_MAX || !VEC_GROW(f->waits, f->n_waits, f->waits_cap))
            return CHILD_NO_MEMORY;
        f->waits[f->n_waits++] = w;
    }
    return CHILD_OK;
}

static ChildError create_event(Family *f, ExecAsker who, uint32_t flags, uint64_t *handle)
{
    if (flags != EVENT_DISABLE_TIMING)
        return CHILD_INVALID_VALUE;
    if (f->n_events >= EVENTS_MAX || !VEC_GROW(f->events, f->n_events, f->events_cap))
        return CHILD_NO_MEMORY;
    f->events[f->n_events++] = (ChildEvent){.block = who.block};
    *handle = EVENT_MADE + f->n_events;
    return CHILD_OK;
}

/* An event is its block's; the named streams take none. */
static ChildError use_event(Family *f, ExecAsker who, ExecEventCall what, uint64_t stream, uint32_t flags,
                            uint64_t handle)
{
    bool known = handle > EVENT_MADE && handle - EVENT_MADE <= f->n_events;
    ChildEvent *e = known ? &f->events[handle - EVENT_MADE - 1] : NULL;
    if (!e || e->destroyed || e->block != who.block || !is_stream(f, stream))
        return CHILD_INVALID_HANDLE;
    if (flags != 0 || stream == STREAM_TAIL || stream == STREAM_FORGET)
        return CHILD_INVALID_VALUE;
    uint64_t in = stream <= STREAM_DEFAULT_LAST ? 0 : stream;
    if (what == EXEC_EVENT_RECORD)
        return record_child_event(f, e, in);
    if (what == EXEC_EVENT_WAIT)
        return wait_for_child_event(f, e, in);
    e->destroyed = true; /* what waits for it goes on waiting */
    return CHILD_OK;
}

static int on_event(void *self, ExecAsker who, ExecEventCall what, uint64_t stream, uint32_t flags,
                    uint64_t *handle)
{
    Family *f = family_of(self);
    if (!f)
        return CHILD_NO_MEMORY;
    ChildError error = what == EXEC_EVENT_CREATE ? create_event(f, who, flags, handle)
                                                 : use_event(f, who, what, stream, flags, *handle);
    return error == CHILD_OK ? CHILD_OK : set_error(f, who, error);
}

static void forget_events(Family *f)
{
    for (size_t i = 0; i < f->n_events; i++)
        free(f->events[i].past);
    f->n_events = f->n_waits = 0;
}

ExecFamily family_host(Device *d)
{
    return (ExecFamily){.self = d,
                        .buffer = on_buffer,
                        .launch = on_launch,
                        .error = on_error,
                        .stream = on_stream,
                        .event = on_event};
}

/* ---- running ---- */

bool family_has_pending(const Device *d)
{
    return d->family && d->family->n_pending > 0;
}

void family_begin(Device *d, uint64_t blocks)
{
    if (d->family)
        d->family->n = d->family->n_spans = 0;
    Family *f = family_of(d);
    if (!f)
        return;
    f->instance =
        d->server->modules[d->server->functions[d->launch_op->launch.function - 1].module - 1]->instance;
    f->depth = 0;
    f->n_blocks = blocks;
    f->n_pending = f->n_streams = f->n_errors = 0;
    forget_events(f);
}

/* Is child k in what is past for the children of a block? */
static bool is_past(const Child *k, size_t number, uint32_t block, const StreamPast *past)
{
    return number < past->until && k->stream == past->stream && k->by.block == block;
}

/* Of a child: it ends before another one; and all that it waited for itself is marked, too. */
enum { ENDS_BEFORE = 1, PAST_MARKED = 2 };

/* Marks those that child i begins after: the ones before it in its stream, and what events make the stream wait for. */
static void mark_before(const Family *f, size_t from, size_t i, uint8_t *marks)
{
    const Child *c = &f->items[i];
    if (c->stream == STREAM_FORGET)
        return;
    for (size_t k = from; k < i; k++)
        if (is_past(&f->items[k], k, c->by.block, &(StreamPast){c->stream, i}))
            marks[k - from] = ENDS_BEFORE | PAST_MARKED; /* the waits of an earlier one are among those of a later one */
    for (size_t n = 0; n < f->n_waits; n++) {
        const StreamWait *w = &f->waits[n];
        for (size_t k = from; k < i && w->block == c->by.block && w->stream == c->stream && w->from <= i; k++)
            marks[k - from] |= is_past(&f->items[k], k, w->block, &w->past) ? ENDS_BEFORE : 0;
    }
}

/* Blocks that ended before child i begins, by its stream and events, from the newest grid down, since each of them
 * has others before it. Side by side they are one. marks: 0 for each child from `from` on. */
static size_t before_in_stream(const Family *f, size_t from, size_t i, uint8_t *marks, ExecAfter *after,
                               uint64_t *start_ns)
{
    size_t n = 0;
    mark_before(f, from, i, marks);
    for (size_t k = i; k-- > from;)
        if (marks[k - from] == ENDS_BEFORE)
            mark_before(f, from, k, marks);
    for (size_t k = from; k < i; k++) {
        const Child *c = &f->items[k];
        bool ended = marks[k - from] != 0 && c->begun;
        marks[k - from] = 0;
        if (!ended)
            continue;
        *start_ns = *start_ns > c->end_ns ? *start_ns : c->end_ns;
        if (n > 0 && after[n - 1].last + 1 == c->first)
            after[n - 1].last = c->last;
        else
            after[n++] = (ExecAfter){c->first, c->last};
    }
    return n;
}

static void free_params(Device *d, Child *c)
{
    if (c->params && d->server->provenance)
        provenance_drop(d->server->provenance, d, c->params);
    if (c->params)
        mem_free(d->mem, c->params->addr, 0);
    c->params = NULL;
}

static uint64_t run_children(Device *d, const QueueOp *op, const Grid *parent, size_t from, uint64_t base_ns);

/* Child i, which begins start_ns after the operation, and what it launches. Their time. */
static uint64_t run_child(Device *d, const QueueOp *op, const Grid *parent, size_t i, const ExecAfter *after,
                          size_t n_after, uint64_t start_ns, double *share)
{
    Family *f = d->family;
    Child *c = &f->items[i]; /* until something runs: then there may be more of them */
    c->begun = true;
    c->name = strdup(record_demangle(d->server, f->instance->module->functions[c->what.function].name));
    f->n_pending--;
    f->depth = c->depth;
    const Grid grid = {.instance = f->instance,
                       .function = c->what.function,
                       .shape = shape_of(&c->what),
                       .params = c->params->host,
                       .kernel = c->name ? c->name : "",
                       .launcher = parent,
                       .params_at = c->params,
                       .number = (uint32_t)i + 1,
                       .first_block = (uint32_t)f->n_blocks,
                       .after = after,
                       .n_after = n_after};
    f->n_blocks += blocks_of(&c->what);
    size_t from = f->n;
    uint64_t ns = grid_run(d, op, &grid, share);
    free_params(d, &f->items[i]);
    if (VEC_GROW(f->spans, f->n_spans, f->spans_cap))
        f->spans[f->n_spans++] = (GridSpan){i, start_ns, ns};
    ns += run_children(d, op, &grid, from, start_ns + ns);
    f->items[i].first = grid.first_block;
    f->items[i].last = (uint32_t)f->n_blocks - 1;
    return ns;
}

/* Streams run side by side as far as there is room on the card. */
static uint64_t run_in_streams(Device *d, const QueueOp *op, const Grid *parent, size_t from, size_t to,
                               uint8_t *marks, ExecAfter *after, uint64_t base_ns)
{
    Family *f = d->family;
    uint64_t longest = 0;
    double filled = 0;
    for (size_t i = from; i < to && d->error == DEVICE_OK; i++) {
        if (!f->items[i].launched || f->items[i].stream == STREAM_TAIL)
            continue;
        uint64_t start_ns = 0;
        double share;
        size_t n = before_in_stream(f, from, i, marks, after, &start_ns);
        uint64_t ns = run_child(d, op, parent, i, after, n, base_ns + start_ns, &share);
        f->items[i].end_ns = start_ns + ns;
        longest = longest > start_ns + ns ? longest : start_ns + ns;
        filled += (double)ns * share;
    }
    return longest > (uint64_t)filled ? longest : (uint64_t)filled;
}

static uint64_t run_children(Device *d, const QueueOp *op, const Grid *parent, size_t from, uint64_t base_ns)
{
    Family *f = d->family;
    size_t to = f->n;
    ExecAfter *after = from < to ? calloc(to - from, sizeof *after) : NULL;
    uint8_t *marks = from < to ? calloc(to - from, sizeof *marks) : NULL;
    if (!after || !marks) {
        free(after);
        free(marks);
        return 0;
    }
    uint64_t ns = run_in_streams(d, op, parent, from, to, marks, after, base_ns);
    free(marks);
    for (size_t i = from; i < to && d->error == DEVICE_OK; i++) {
        double share;
        const ExecAfter all = {parent->first_block, (uint32_t)f->n_blocks - 1};
        if (f->items[i].launched && f->items[i].stream == STREAM_TAIL)
            ns += run_child(d, op, parent, i, &all, 1, base_ns + ns, &share);
    }
    free(after);
    return ns;
}

uint64_t family_run(Device *d, const QueueOp *op, const Grid *root, uint64_t own_ns)
{
    return !d->family || d->error != DEVICE_OK ? 0 : run_children(d, op, root, 0, own_ns);
}

/* ---- the end ---- */

static void forget_children(Device *d)
{
    Family *f = d->family;
    for (size_t i = 0; i < f->n; i++) {
        free_params(d, &f->items[i]);
        free(f->items[i].name);
    }
    f->n = f->n_spans = 0;
}

void family_record(Device *d, const QueueOp *op, uint64_t start_ns)
{
    Family *f = d->family;
    if (!f)
        return;
    for (size_t i = 0; i < f->n_spans; i++) {
        const GridSpan *s = &f->spans[i];
        const char *name = f->items[s->child].name;
        record_span(d, op, "kernel", name ? name : "", start_ns + s->start_ns, start_ns + s->start_ns + s->ns,
                    0);
    }
    forget_children(d);
}

void family_free(Device *d)
{
    if (!d->family)
        return;
    forget_children(d);
    forget_events(d->family);
    free(d->family->events);
    free(d->family->waits);
    free(d->family->items);
    free(d->family->errors);
    free(d->family->spans);
    free(d->family);
    d->family = NULL;
}
