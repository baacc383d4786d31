/* The init checker for local memory: the arrays and variables of a thread that the compiler did not keep in
 * registers. A read of an element that this thread has not written since its frame began is a finding.
 *
 * Lanes lie side by side, as in registers: one word for each byte, with a bit for each lane that has not
 * written it. Threads mostly use one index at a time, so that an access of a warp is a word or a few:
 *
 *      byte of local memory      0         1         2     ...
 *      unwritten            [lanes 31..0][31..0][31..0]
 *
 * Only local variables are followed, from the moment their function is called: arguments and results count
 * as written, and so does what lies beyond all frames. Nothing is kept while no function with local variables
 * runs, and nothing is looked at while a warp has written all it has. An element counts as written once any byte of it is: structs have padding, and copies of them read
 * it. And a read is no finding when its value goes straight to another place in local memory or to an
 * argument of a call: the copy of an object of which a part has no value is right, and without optimisation
 * (-G) compilers make many.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *local_row(const LocalShadow *s, uint32_t warp)
{
    return s->unwritten + (size_t)warp * s->stride;
}

/* Makes `stride` bytes of each thread followed; what is new counts as written. */
static bool local_shadow_grow(LocalShadow *s, uint32_t stride)
{
    size_t n = (size_t)s->n_warps * stride;
    uint32_t *bigger = calloc(n, sizeof *bigger);
    if (!bigger)
        return false;
    for (uint32_t w = 0; w < s->n_warps && s->stride; w++)
        memcpy(bigger + (size_t)w * stride, local_row(s, w), s->stride * sizeof *bigger);
    free(s->unwritten);
    s->unwritten = bigger;
    s->stride = stride;
    s->cap = n;
    return true;
}

void local_begin_block(CheckSet *set, CheckBlock *b)
{
    LocalShadow *s = &b->local;
    const ExecLaunch *l = set->launch;
    const IrFunction *f = &l->instance->module->functions[l->function];
    s->n_warps = (b->n_threads + WARP_LANES - 1) / WARP_LANES;
    s->stride = 0;
    memset(s->open, 0, sizeof s->open);
    if (f->locals_begin == f->locals_end)
        return;
    if ((size_t)s->n_warps * f->locals_end > s->cap && !local_shadow_grow(s, f->locals_end)) {
        s->n_warps = 0;
        return;
    }
    s->stride = f->locals_end;
    for (uint32_t w = 0; w < s->n_warps; w++) {
        uint32_t *row = local_row(s, w), n = b->n_threads - w * WARP_LANES;
        uint32_t exists = n >= WARP_LANES ? UINT32_MAX : (1u << n) - 1;
        memset(row, 0, f->locals_begin * sizeof *row);
        for (uint32_t i = f->locals_begin; i < f->locals_end; i++)
            row[i] = exists;
        s->open[w] = f->locals_end - f->locals_begin;
    }
}

static void set_byte(LocalShadow *s, uint32_t warp, uint64_t i, uint32_t lanes)
{
    uint32_t *at = local_row(s, warp) + i;
    s->open[warp] += (uint32_t)(lanes != 0) - (uint32_t)(*at != 0);
    *at = lanes;
}

void local_push_frame(const CheckEvent *e, uint32_t mask, uint32_t base)
{
    LocalShadow *s = &e->block->local;
    const IrFunction *f = e->who->function;
    bool has_locals = f->locals_begin < f->locals_end;
    uint32_t first = base + f->locals_begin, end = base + f->frame_bytes;
    if (e->who->warp >= s->n_warps)
        return;
    if (has_locals && end > s->stride && !local_shadow_grow(s, end > 2 * s->stride ? end : 2 * s->stride)) {
        e->worker->limited = true;
        return;
    }
    if (!s->stride)
        return;
    const uint32_t *row = local_row(s, e->who->warp);
    for (uint32_t i = base; i < end && i < s->stride; i++)
        set_byte(s, e->who->warp, i, row[i] & ~mask);
    for (uint32_t i = first; has_locals && i < base + f->locals_end; i++)
        set_byte(s, e->who->warp, i, row[i] | mask);
}

/* Lanes of mask that have written no byte of [from, from + n). */
static uint32_t lanes_without(const LocalShadow *s, const uint32_t *row, uint64_t from, uint32_t n,
                              uint32_t mask)
{
    if (from + n > s->stride)
        return 0;
    for (uint32_t i = 0; i < n && mask; i++)
        mask &= row[from + i];
    return mask;
}

static void note_lanes(const CheckEvent *e, const ExecAccess *a, uint32_t lanes, uint64_t at)
{
    NoteKey key = {.kind = FINDING_UNINITIALIZED,
                   .space = SPACE_LOCAL,
                   .access = a->kind,
                   .place = check_place(e->set, e->who),
                   .other = NO_PLACE};
    uint32_t thread = e->who->first_thread + (uint32_t)__builtin_ctz(lanes);
    Note *n = check_note(e, &key, thread, (uint64_t)__builtin_popcount(lanes));
    if (!n)
        return;
    n->address = at;
    n->bytes = a->bytes;
}

enum { COPY_SPAN = 16 }; /* instructions between a load and the store that it is for */

static bool same_register(const IrOperand *a, const IrOperand *b)
{
    return a->kind == IR_REG && b->kind == IR_REG && a->off == b->off;
}

static bool inst_reads(const IrInst *inst, const IrOperand *reg)
{
    bool found = false;
    for (int i = 0; i < (int)(sizeof inst->src / sizeof *inst->src); i++)
        found |= same_register(&inst->src[i], reg);
    for (uint32_t k = 0; inst->vec && k < inst->n_vec; k++)
        found |= same_register(&inst->vec[k], reg);
    return found;
}

/* True when the first instruction that reads what this load gives is a store of it that stays with the
 * thread. */
static bool is_copy(const ExecWho *who, const IrOperand *reg)
{
    const IrInst *end = who->function->insts + who->function->n_insts;
    for (const IrInst *i = who->inst + 1; i < end && i - who->inst <= COPY_SPAN; i++) {
        if (i->opcode == PTX_ST && !same_register(&i->src[0], reg) && inst_reads(i, reg))
            return i->space == SPACE_LOCAL || i->space == SPACE_FRAME;
        if (i->opcode == PTX_BRA || inst_reads(i, reg))
            return false;
    }
    return false;
}

/* What the program's author did not write: code without a line among lines is the compiler's own, such as the
 * copy of an object, and headers of the toolkit set bit-fields of objects that hold nothing yet. */
static bool is_foreign(const CheckEvent *e)
{
    const IrFunction *f = e->who->function;
    const ExecLaunch *launch = e->set->launch;
    const IrModule *m = launch->instance->module;
    bool has_lines = m->functions[launch->function].has_lines;
    if (e->who->inst->loc >= f->n_locs)
        return has_lines;
    const IrLoc *l = &f->locs[e->who->inst->loc];
    while (l->parent >= 0)
        l = &f->locs[l->parent];
    return l->line == 0 ? has_lines : ir_is_system_file(m->files[l->file]);
}

/* Elements of a vector go to registers of their own; one that goes to none is not read. */
static void read_elements(const CheckEvent *e, const ExecAccess *a, const uint32_t *row, uint64_t from,
                          uint32_t mask)
{
    const IrInst *inst = e->who->inst;
    uint32_t n = inst->vec && inst->n_vec > 1 ? inst->n_vec : 1, bytes = a->bytes / n;
    for (uint32_t k = 0; k < n; k++) {
        if (n > 1 && inst->vec[k].kind != IR_REG)
            continue;
        uint32_t missing = lanes_without(&e->block->local, row, from + (uint64_t)k * bytes, bytes, mask);
        const IrOperand *o = n > 1 ? &inst->vec[k] : &inst->dst;
        if (!missing || is_foreign(e) || (a->kind == ACCESS_LOAD && is_copy(e->who, o)))
            continue;
        if (!undefined_local(e, a, o, missing, from + (uint64_t)k * bytes)) {
            note_lanes(e, a, missing, from + (uint64_t)k * bytes);
            return;
        }
    }
}

/* Lanes of mask access the same bytes of their memories. */
static void access_at(const CheckEvent *e, const ExecAccess *a, uint64_t from, uint32_t mask)
{
    LocalShadow *s = &e->block->local;
    const uint32_t *row = local_row(s, e->who->warp);
    if (a->kind != ACCESS_STORE)
        read_elements(e, a, row, from, mask);
    if (a->kind == ACCESS_LOAD)
        return;
    for (uint64_t i = from; i < from + a->bytes && i < s->stride; i++)
        set_byte(s, e->who->warp, i, row[i] & ~mask);
}

void local_observe(const CheckEvent *e, const ExecAccess *a)
{
    const LocalShadow *s = &e->block->local;
    if (s->stride == 0 || e->who->warp >= s->n_warps || s->open[e->who->warp] == 0)
        return;
    if (a->pattern == PATTERN_UNIFORM) {
        access_at(e, a, a->addr[__builtin_ctz(a->mask)], a->mask);
        return;
    }
    for (uint32_t left = a->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        access_at(e, a, a->addr[lane], 1u << lane);
    }
}
