/* branch: operations that decide whether others run: the conditional nodes of graphs (CUDA C++ Programming Guide,
 * "Conditional Graph Nodes").
 *
 * A condition is a word of the device's memory, which kernels set; its handle is the word's address. Operations that are
 * queued inside a branch belong to one of its bodies. They wait for nobody outside, and nothing else runs them:
 *
 *      asked for:  1:begin  2:kernel  3:branch  4:kernel (inside 3)  5:kernel (inside 3, after 4)  6:kernel (after 3)
 *      runs:       1 2 3: 4 5 4 5 4 5 6          a loop of three rounds
 *
 * The condition of a loop is looked at before each round.
 */
#include "common/vgpu/device/queue.h"

#include <string.h>

/* What a round takes of the launch's budget of instructions, beside its kernels: a loop that nothing ends ends. */
enum { ROUND_INSTRUCTIONS = 100000, CONDITIONS_MAX = 1 << 16 };

/* ---- conditions ---- */

static Condition *condition_of(DeviceServer *s, uint64_t handle)
{
    for (size_t i = 0; i < s->n_conditions; i++)
        if (s->conditions[i].word && s->conditions[i].word->addr == handle)
            return &s->conditions[i];
    return NULL;
}

bool branch_is_condition(void *self, uint64_t handle)
{
    const Device *d = self;
    const Condition *c = condition_of(d->server, handle);
    return c && c->device == d->index;
}

static bool is_queued(const DeviceServer *s, uint64_t handle)
{
    for (size_t i = 0; i < s->queue.n; i++) {
        const QueueOp *op = s->queue.ops[i];
        if ((op->kind == QUEUE_BRANCH || op->kind == QUEUE_CONDITION) && op->condition.handle == handle)
            return true;
    }
    return false;
}

/* One that was given back, and that nothing queued looks at; NULL. */
static Condition *find_free(DeviceServer *s, uint32_t device)
{
    for (size_t i = 0; i < s->n_conditions; i++) {
        Condition *c = &s->conditions[i];
        if (c->released && c->device == device && !is_queued(s, c->word->addr))
            return c;
    }
    return NULL;
}

DeviceError condition_create(Device *d, DeviceReply *r)
{
    DeviceServer *s = d->server;
    Condition *c = find_free(s, d->index);
    if (!c && s->n_conditions < CONDITIONS_MAX && VEC_GROW(s->conditions, s->n_conditions, s->conditions_cap)) {
        MemAlloc *word = mem_alloc(d->mem, sizeof(uint32_t), MEM_GLOBAL_VAR, 0, "condition of a graph");
        if (word) {
            c = &s->conditions[s->n_conditions++];
            *c = (Condition){.word = word, .device = d->index};
        }
    }
    if (!c)
        return DEVICE_NO_MEMORY;
    c->released = false;
    mem_mark_init(c->word, c->word->addr, sizeof(uint32_t), false);
    r->value = c->word->addr;
    return DEVICE_OK;
}

void condition_destroy(Device *d, const DeviceMsg *m)
{
    Condition *c = condition_of(d->server, m->condition.handle);
    if (c)
        c->released = true;
}

void conditions_forget(Device *d)
{
    DeviceServer *s = d->server;
    size_t kept = 0;
    for (size_t i = 0; i < s->n_conditions; i++)
        if (s->conditions[i].device != d->index)
            s->conditions[kept++] = s->conditions[i];
    s->n_conditions = kept;
}

static DeviceError add_condition_op(Device *d, const DeviceMsg *m, QueueKind kind)
{
    if (!branch_is_condition(d, m->condition.handle))
        return DEVICE_INVALID_VALUE;
    if (m->place == PLACE_CHECK)
        return DEVICE_OK;
    QueueOp *op = queue_add(d, m, kind);
    if (!op)
        return stream_find(d, m->stream) == NULL ? DEVICE_INVALID_HANDLE : DEVICE_NO_MEMORY;
    op->condition.handle = m->condition.handle;
    op->condition.value = m->condition.value;
    op->condition.n_bodies = m->condition.n_bodies;
    op->condition.kind = m->condition.kind;
    op->condition.assign = m->condition.assign;
    return DEVICE_OK;
}

DeviceError condition_begin(Device *d, const DeviceMsg *m)
{
    return add_condition_op(d, m, QUEUE_CONDITION);
}

DeviceError branch_add(Device *d, const DeviceMsg *m)
{
    return add_condition_op(d, m, QUEUE_BRANCH);
}

/* ---- running ---- */

void condition_run(Device *d, const QueueOp *op)
{
    const Condition *c = condition_of(d->server, op->condition.handle);
    if (!c)
        return;
    mem_mark_init(c->word, c->word->addr, sizeof(uint32_t), op->condition.assign);
    memcpy(c->word->host, &op->condition.value, sizeof(uint32_t));
}

static uint32_t condition_value(Device *d, const QueueOp *op)
{
    const Condition *c = condition_of(d->server, op->condition.handle);
    uint32_t value = 0;
    if (!c)
        return 0;
    if (mem_first_uninit(c->word, c->word->addr, sizeof value) < sizeof value) {
        check_advise(d->check, NULL, 0, op->site,
                     "a conditional node of a graph looks at a condition that nothing has set",
                     "give it a value for each launch (cudaGraphCondAssignDefault), or call "
                     "cudaGraphSetConditional in a kernel before the node");
        return 0;
    }
    memcpy(&value, c->word->host, sizeof value);
    return value;
}

/* The body that runs next; n_bodies: none. */
static uint32_t choose_body(const QueueOp *op, uint32_t value)
{
    if (op->condition.kind == DEVICE_BRANCH_SWITCH)
        return value < op->condition.n_bodies ? value : op->condition.n_bodies;
    if (op->condition.kind == DEVICE_BRANCH_IF && value == 0)
        return op->condition.n_bodies > 1 ? 1 : op->condition.n_bodies;
    return value != 0 ? 0 : op->condition.n_bodies;
}

static bool is_in_body(const QueueOp *op, const QueueOp *branch, uint32_t body)
{
    return op->inside == branch->seq && op->body == body;
}

/* Runs a body from at_ns on; its end. */
static uint64_t run_body(Device *d, const QueueOp *branch, uint32_t body, uint64_t at_ns)
{
    const Queue *q = &d->server->queue;
    uint64_t end_ns = at_ns;
    for (size_t i = 0; i < q->n; i++)
        if (is_in_body(q->ops[i], branch, body)) {
            q->ops[i]->done = false;
            q->ops[i]->ready_ns = at_ns;
        }
    for (size_t i = 0; i < q->n && d->error == DEVICE_OK; i++) {
        QueueOp *op = q->ops[i];
        if (!is_in_body(op, branch, body))
            continue;
        queue_run_op(d, op);
        d->branch_instructions += op->kind == QUEUE_LAUNCH ? d->launch_instructions : 0;
        end_ns = end_ns > op->end_ns ? end_ns : op->end_ns;
    }
    return end_ns;
}

/* Bodies that did not run, and what is inside them, are done with. */
static void end_bodies(const Queue *q, const QueueOp *branch)
{
    for (size_t i = 0; i < q->n; i++) {
        QueueOp *op = q->ops[i];
        if (op->inside != branch->seq)
            continue;
        op->done = true;
        if (op->kind == QUEUE_BRANCH)
            end_bodies(q, op);
    }
}

static void end_round(Device *d)
{
    DeviceServer *s = d->server;
    const uint64_t most = s->options.max_instructions;
    d->branch_instructions += ROUND_INSTRUCTIONS;
    if (d->error != DEVICE_OK || (!s->interrupted && (most == 0 || d->branch_instructions <= most)))
        return;
    strbuf_puts(&s->messages, "vgpu: the body of a while node of a graph runs for ever: nothing makes its condition 0\n");
    d->error = DEVICE_TIMEOUT;
}

uint64_t branch_run(Device *d, const QueueOp *op)
{
    DeviceServer *s = d->server;
    uint64_t end_ns = op->ready_ns;
    bool again = true;
    if (op->inside == 0)
        d->branch_instructions = 0;
    while (again && d->error == DEVICE_OK) {
        s->running = 1;
        uint32_t body = choose_body(op, condition_value(d, op));
        again = body < op->condition.n_bodies && op->condition.kind == DEVICE_BRANCH_WHILE;
        if (body < op->condition.n_bodies)
            end_ns = run_body(d, op, body, end_ns);
        if (again)
            end_round(d);
    }
    s->running = 0;
    end_bodies(&s->queue, op);
    return end_ns;
}
