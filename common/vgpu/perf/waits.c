/* Which loads a warp waits for: those that begin a wait.
 *
 * Loads that do not need one another are under way together, so that a warp waits for all of them once; a
 * load whose address came from another load, or that stands behind a store or a barrier, has to wait for its
 * turn:
 *
 *      ld a; ld b; add a, b; st;  ld c        two waits: begun by a and by c
 *
 * Worked out for a piece of straight code at a time, without regard to the order in which independent loads
 * are written, since the assembler moves them forward. Depth of a register: the waits that its value has
 * behind it. Waits for global memory and for shared memory are told apart.
 */
#include "common/vgpu/perf/perf_internal.h"

#include <stdlib.h>

enum {
    DEPTH_MAX = 255,
    SKIP_MAX = 12 /* instructions that a forward branch may jump over and still be no branch on the card */
};

typedef struct Piece {
    uint32_t *label; /* [register offset / 4] of the piece's number << 8 | depth */
    uint32_t n_labels, number;
    unsigned floor, most; /* depth that a load has at least; that of the last wait so far */
} Piece;

static unsigned depth_of(const Piece *p, const IrOperand *o)
{
    uint32_t label = o->kind == IR_REG && o->off / 4 < p->n_labels ? p->label[o->off / 4] : 0;
    return label >> 8 == p->number ? label & DEPTH_MAX : 0;
}

static void set_depth(const Piece *p, const IrOperand *o, unsigned depth)
{
    if (o->kind == IR_REG && o->off / 4 < p->n_labels)
        p->label[o->off / 4] = p->number << 8 | (depth < DEPTH_MAX ? depth : DEPTH_MAX);
}

static bool is_load(const IrInst *i)
{
    return i->opcode == PTX_LD || i->opcode == PTX_LDU || (i->opcode == PTX_ATOM && !i->result_unused);
}

static bool is_write(const IrInst *i)
{
    PtxClass class = ptx_opcode_class((PtxOpcode)i->opcode);
    return i->opcode == PTX_ST || class == PTX_CLASS_ATOMIC || class == PTX_CLASS_SYNC;
}

/* A write to one of the two memories is no reason for loads from the other one to wait; atomics and barriers
 * are. */
static bool holds_back(const IrInst *i, bool of_shared)
{
    if (i->opcode != PTX_ST)
        return is_write(i);
    return i->space == SPACE_GENERIC || (i->space == SPACE_SHARED) == of_shared;
}

static bool asks(const IrInst *i, bool of_shared)
{
    if (i->texture)
        return !of_shared && i->texture->n_out > 0;
    if (!is_load(i))
        return false;
    return of_shared ? i->space == SPACE_SHARED : i->space == SPACE_GLOBAL || i->space == SPACE_GENERIC;
}

static unsigned depth_of_sources(const Piece *p, const IrInst *i)
{
    unsigned most = depth_of(p, &i->guard);
    for (int s = 0; s < 4; s++)
        most = depth_of(p, &i->src[s]) > most ? depth_of(p, &i->src[s]) : most;
    for (unsigned k = 0; !is_load(i) && i->vec && k < i->n_vec; k++)
        most = depth_of(p, &i->vec[k]) > most ? depth_of(p, &i->vec[k]) : most;
    return most;
}

/* Whether the instruction begins a wait. */
static bool waits_step(Piece *p, const IrInst *i, bool of_shared)
{
    unsigned depth = depth_of_sources(p, i);
    bool begins = false;
    if (asks(i, of_shared)) {
        unsigned floor = i->sem == SEM_NC ? 0 : p->floor; /* nobody writes what it reads */
        depth = (depth > floor ? depth : floor) + 1;
        begins = depth > p->most;
        p->most = begins ? depth : p->most;
    }
    set_depth(p, &i->dst, depth);
    set_depth(p, &i->dst2, depth);
    for (unsigned k = 0; i->dst.kind == IR_NONE && i->vec && k < i->n_vec; k++)
        set_depth(p, &i->vec[k], depth);
    if (holds_back(i, of_shared))
        p->floor = p->most;
    return begins;
}

/* A short branch forward is no branch on the card: what it jumps over is executed under a predicate. */
static bool skips_few(const IrFunction *f, uint32_t pc)
{
    const IrInst *i = &f->insts[pc];
    return i->opcode == PTX_BRA && i->target > pc && i->target - pc <= SKIP_MAX;
}

static void mark_targets(const IrFunction *f, uint8_t *flags)
{
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        const IrInst *i = &f->insts[pc];
        if (skips_few(f, pc))
            continue;
        if (i->opcode == PTX_BRA && i->target < f->n_insts)
            flags[i->target] |= WAIT_PIECE;
        for (uint32_t k = 0; k < i->n_targets; k++)
            if (i->targets[k] < f->n_insts)
                flags[i->targets[k]] |= WAIT_PIECE;
        if (ptx_opcode_class((PtxOpcode)i->opcode) == PTX_CLASS_CONTROL && pc + 1 < f->n_insts)
            flags[pc + 1] |= WAIT_PIECE;
    }
}

static void mark_waits(const IrFunction *f, uint8_t *flags, Piece *p, bool of_shared)
{
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        if (flags[pc] & WAIT_PIECE || pc == 0) {
            p->number++;
            p->floor = p->most = 0;
        }
        if (waits_step(p, &f->insts[pc], of_shared))
            flags[pc] |= of_shared ? WAIT_SHARED : WAIT_GLOBAL;
    }
}

Waits *waits_new(const IrFunction *f)
{
    Waits *w = calloc(1, sizeof *w + f->n_insts);
    Piece p = {.n_labels = f->reg_bytes / 4};
    p.label = calloc(p.n_labels + 1, sizeof *p.label);
    if (!w || !p.label) {
        free(w);
        free(p.label);
        return NULL;
    }
    w->function = f;
    mark_targets(f, w->flags);
    mark_waits(f, w->flags, &p, false);
    mark_waits(f, w->flags, &p, true);
    free(p.label);
    return w;
}

void waits_free(Waits *w)
{
    for (Waits *next; w; w = next) {
        next = w->next;
        free(w);
    }
}
