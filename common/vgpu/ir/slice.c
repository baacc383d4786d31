/* Backward slices; see slice.h.
 *
 * Made once a tree, for each function: its flow graph, the branches on which each block depends, and, for
 * each register that an instruction reads, the chain of the definitions before it in its block:
 *
 *      use -> def -> def under a guard ... -> KILLED, or LIVE_IN: what the blocks before it define
 *
 * A slice is what can be reached from its instruction. Of a register that is live in and has several
 * definitions, those that reach a block are looked for once a tree; most registers have one definition.
 */
#include "common/vgpu/ir/ir_internal.h"
#include "common/vgpu/ir/slice_internal.h"

#include <stdlib.h>

enum { KILLED = -2, LIVE_IN = -1 };
enum { SEVERAL = -2, NONE = -1 };
enum { CARRY = 1 }; /* the carry flag, as a register: no other begins there */

typedef struct Def {
    uint32_t pc;
    int32_t before;
} Def;

typedef struct Use {
    uint32_t reg;
    int32_t head; /* of the chain */
} Use;

/* A register in a block. */
typedef struct Exit {
    uint64_t key;    /* block and register, + 1; 0: free */
    int32_t head;    /* of its chain at the end of the block */
    bool defined;    /* the block defines it */
    bool known;      /* the definitions that reach the block's beginning: */
    size_t first, n; /* in Slicer.reaching */
} Exit;

/* A function of the tree; pcs and blocks are its own. */
typedef struct Member {
    const IrFunction *f;
    Cfg cfg;
    uint32_t first_block;        /* in the tree */
    uint32_t *pred, *pred_begin; /* [block] */
    uint32_t *control,
        *control_begin; /* [block]: the blocks whose last instruction decides whether it runs */
    Use *uses;
    uint32_t *use_begin; /* [pc] */
    size_t n_uses, uses_cap;
    Def *defs;
    size_t n_defs, defs_cap;
    int32_t *only; /* [slot_of a register]: the pc that defines it, where there is one alone; SEVERAL, NONE */
} Member;

/* Instructions of the whole tree. */
typedef struct PcList {
    uint32_t *pcs;
    size_t n, cap;
} PcList;

typedef struct Slicer {
    IrTree *t;
    Member *members;
    uint32_t n_blocks;
    Exit *exits;
    size_t n_exits, exits_cap; /* a power of two */
    PcList shared_stores, local_stores, frame_stores, calls, exit_insts, barriers;
    PcList reaching;
    /* the search for definitions that goes on */
    uint32_t *seen, search; /* [block of the tree]: the last search that was there */
    PcList blocks;
    /* the slice that is made */
    uint8_t *bits;
    PcList work;
    bool took_shared, took_local, took_frames, took_calls, took_exits, took_barriers, failed;
} Slicer;

/* ---- what instructions do to memory ---- */

typedef struct Effect {
    bool reads_shared, writes_shared, reads_local, writes_local, barrier;
} Effect;

static bool may_be(const IrInst *in, IrSpace space)
{
    return in->space == space || in->space == SPACE_GENERIC;
}

static Effect async_effect(const IrInst *in)
{
    switch ((IrAsync)in->async) {
    case ASYNC_COPY:
        return (Effect){.writes_shared = true};
    case ASYNC_BULK_LOAD:
        return (Effect){.writes_shared = true, .barrier = true};
    case ASYNC_BULK_LOAD_SHARED:
        return (Effect){.reads_shared = true, .writes_shared = true, .barrier = true};
    case ASYNC_BULK_STORE:
        return (Effect){.reads_shared = true};
    case ASYNC_ARRIVE_AFTER:
    case ASYNC_ARRIVE_AFTER_NOINC:
    case ASYNC_MBAR_INIT:
    case ASYNC_MBAR_INVAL:
    case ASYNC_MBAR_ARRIVE:
    case ASYNC_MBAR_ARRIVE_TX:
    case ASYNC_MBAR_DROP:
    case ASYNC_MBAR_DROP_TX:
    case ASYNC_MBAR_EXPECT_TX:
    case ASYNC_MBAR_COMPLETE_TX:
    case ASYNC_MBAR_TEST:
    case ASYNC_MBAR_TEST_PARITY:
    case ASYNC_MBAR_PENDING:
        return (Effect){.writes_shared = true, .barrier = true};
    default:
        return (Effect){0};
    }
}

static Effect tensor_effect(const IrInst *in)
{
    switch ((IrTensorOp)in->tensor->op) {
    case TENSOR_LOAD:
        return (Effect){.reads_shared = may_be(in, SPACE_SHARED), .reads_local = may_be(in, SPACE_LOCAL)};
    case TENSOR_STORE:
        return (Effect){.writes_shared = may_be(in, SPACE_SHARED), .writes_local = may_be(in, SPACE_LOCAL)};
    case TENSOR_LDMATRIX:
        return (Effect){.reads_shared = true};
    case TENSOR_STMATRIX:
        return (Effect){.writes_shared = true};
    default:
        return (Effect){0};
    }
}

static Effect effect_of(const IrInst *in)
{
    bool shared = may_be(in, SPACE_SHARED), local = may_be(in, SPACE_LOCAL);
    if (in->async != ASYNC_NONE)
        return async_effect(in);
    if (in->tensor)
        return tensor_effect(in);
    switch (in->opcode) {
    case PTX_LD:
    case PTX_LDU:
        return (Effect){.reads_shared = shared, .reads_local = local};
    case PTX_ST:
        return (Effect){.writes_shared = shared, .writes_local = local};
    case PTX_ATOM:
    case PTX_RED:
        return (Effect){.reads_shared = shared, .writes_shared = shared};
    default:
        return (Effect){0};
    }
}

static bool is_frame(const IrInst *in, PtxOpcode opcode)
{
    return in->opcode == opcode && in->space == SPACE_FRAME;
}

/* ---- lists ---- */

static bool pc_list_put(PcList *l, uint32_t pc)
{
    if (!VEC_GROW(l->pcs, l->n, l->cap))
        return false;
    l->pcs[l->n++] = pc;
    return true;
}

static bool list_inst(Slicer *s, const Member *m, uint32_t base, uint32_t pc)
{
    const IrInst *in = &m->f->insts[pc];
    const Effect e = effect_of(in);
    bool leaves = in->opcode == PTX_EXIT && (in->guard.kind != IR_NONE || m != s->members);
    return (!e.writes_shared || pc_list_put(&s->shared_stores, base + pc)) &&
           (!e.writes_local || pc_list_put(&s->local_stores, base + pc)) &&
           (!e.barrier || pc_list_put(&s->barriers, base + pc)) &&
           (!is_frame(in, PTX_ST) || pc_list_put(&s->frame_stores, base + pc)) &&
           (in->opcode != PTX_CALL || pc_list_put(&s->calls, base + pc)) &&
           (!leaves || pc_list_put(&s->exit_insts, base + pc));
}

/* ---- what blocks do to registers ---- */

static uint64_t exit_key(uint32_t block, uint32_t reg)
{
    return ((uint64_t)block << 32 | reg) + 1;
}

static Exit *exit_slot(Exit *exits, size_t cap, uint64_t key)
{
    size_t i = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (cap - 1);
    while (exits[i].key != 0 && exits[i].key != key)
        i = (i + 1) & (cap - 1);
    return &exits[i];
}

/* NULL: the block does not define it, and nobody has asked for it. */
static const Exit *exit_find(const Slicer *s, uint32_t block, uint32_t reg)
{
    const Exit *e = s->exits_cap == 0 ? NULL : exit_slot(s->exits, s->exits_cap, exit_key(block, reg));
    return !e || e->key == 0 ? NULL : e;
}

/* NULL: no memory. */
static Exit *exit_of(Slicer *s, uint32_t block, uint32_t reg)
{
    uint64_t key = exit_key(block, reg);
    if (2 * s->n_exits >= s->exits_cap) {
        size_t cap = s->exits_cap == 0 ? 1024 : 2 * s->exits_cap;
        Exit *exits = calloc(cap, sizeof *exits);
        if (!exits)
            return NULL;
        for (size_t i = 0; i < s->exits_cap; i++)
            if (s->exits[i].key != 0)
                *exit_slot(exits, cap, s->exits[i].key) = s->exits[i];
        free(s->exits);
        s->exits = exits;
        s->exits_cap = cap;
    }
    Exit *e = exit_slot(s->exits, s->exits_cap, key);
    if (e->key == 0) {
        *e = (Exit){.key = key, .head = LIVE_IN};
        s->n_exits++;
    }
    return e;
}

/* ---- chains ---- */

/* Where the walk through a block stands. */
typedef struct Walk {
    Member *m;
    int32_t *head;   /* [register / 4] */
    uint32_t *block; /* [register / 4]: the block, + 1, for which that counts */
    uint32_t now;
    uint32_t pc;
    PcList touched; /* registers that the block defines */
    bool ok;
} Walk;

static size_t slot_of(uint32_t reg)
{
    return reg == CARRY ? 0 : reg / 4 + 1;
}

static int32_t head_of(const Walk *w, uint32_t reg)
{
    return w->block[slot_of(reg)] == w->now + 1 ? w->head[slot_of(reg)] : LIVE_IN;
}

static void use(Walk *w, uint32_t reg)
{
    Member *m = w->m;
    w->ok = w->ok && VEC_GROW(m->uses, m->n_uses, m->uses_cap);
    if (w->ok)
        m->uses[m->n_uses++] = (Use){.reg = reg, .head = head_of(w, reg)};
}

static void define(Walk *w, uint32_t reg, bool for_sure)
{
    Member *m = w->m;
    int32_t before = for_sure ? KILLED : head_of(w, reg);
    w->ok = w->ok && VEC_GROW(m->defs, m->n_defs, m->defs_cap);
    if (!w->ok)
        return;
    m->defs[m->n_defs] = (Def){.pc = w->pc, .before = before};
    int32_t *only = &m->only[slot_of(reg)];
    *only = *only == NONE ? (int32_t)w->pc : SEVERAL;
    if (w->block[slot_of(reg)] != w->now + 1)
        w->ok = pc_list_put(&w->touched, reg);
    w->block[slot_of(reg)] = w->now + 1;
    w->head[slot_of(reg)] = (int32_t)m->n_defs++;
}

static void walk_inst(Walk *w, const IrInst *in)
{
    uint32_t n_dests = ir_vec_dests(in);
    bool for_sure = in->guard.kind == IR_NONE;
    if (in->guard.kind == IR_REG)
        use(w, in->guard.off);
    for (int i = 0; i < 4; i++)
        if (in->src[i].kind == IR_REG)
            use(w, in->src[i].off);
    for (uint32_t i = n_dests; in->vec && i < in->n_vec; i++)
        if (in->vec[i].kind == IR_REG)
            use(w, in->vec[i].off);
    if (in->carry_in)
        use(w, CARRY);
    for (uint32_t i = 0; i < n_dests; i++)
        if (in->vec[i].kind == IR_REG)
            define(w, in->vec[i].off, for_sure);
    if (in->dst.kind == IR_REG)
        define(w, in->dst.off, for_sure);
    if (in->dst2.kind == IR_REG)
        define(w, in->dst2.off, for_sure);
    if (in->carry_out)
        define(w, CARRY, for_sure);
}

static bool leave_block(Slicer *s, Walk *w)
{
    for (size_t i = 0; i < w->touched.n; i++) {
        uint32_t reg = w->touched.pcs[i];
        Exit *e = exit_of(s, w->m->first_block + w->now, reg);
        if (!e)
            return false;
        e->head = head_of(w, reg);
        e->defined = true;
    }
    w->touched.n = 0;
    return true;
}

static bool make_chains(Slicer *s, Member *m)
{
    size_t slots = m->f->reg_bytes / 4u + 2;
    Walk w = {.m = m, .head = malloc(slots * sizeof *w.head), .block = calloc(slots, sizeof *w.block)};
    m->use_begin = malloc((m->f->n_insts + 1u) * sizeof *m->use_begin);
    m->only = malloc(slots * sizeof *m->only);
    w.ok = w.head && w.block && m->use_begin && m->only;
    for (size_t i = 0; w.ok && i < slots; i++)
        m->only[i] = NONE;
    for (w.now = 0; w.ok && w.now < m->cfg.n_blocks; w.now++) {
        for (w.pc = m->cfg.start[w.now]; w.pc < m->cfg.start[w.now + 1]; w.pc++) {
            m->use_begin[w.pc] = (uint32_t)m->n_uses;
            walk_inst(&w, &m->f->insts[w.pc]);
        }
        w.ok = w.ok && leave_block(s, &w);
    }
    if (w.ok)
        m->use_begin[m->f->n_insts] = (uint32_t)m->n_uses;
    free(w.head);
    free(w.block);
    free(w.touched.pcs);
    return w.ok;
}

/* ---- which branches decide ---- */

typedef struct Edges {
    uint32_t *from, *to;
    size_t n, from_cap, to_cap;
} Edges;

static bool add_edge(Edges *e, uint32_t from, uint32_t to)
{
    if (!VEC_GROW(e->from, e->n, e->from_cap) || !VEC_GROW(e->to, e->n, e->to_cap))
        return false;
    e->from[e->n] = from;
    e->to[e->n++] = to;
    return true;
}

/* Edges by where they lead: from[begin[to] .. begin[to + 1]). */
static bool sort_edges(const Edges *e, uint32_t n_blocks, uint32_t **from, uint32_t **begin)
{
    *from = malloc((e->n + 1) * sizeof **from);
    *begin = calloc(n_blocks + 2u, sizeof **begin);
    if (!*from || !*begin)
        return false;
    for (size_t i = 0; i < e->n; i++)
        (*begin)[e->to[i] + 2]++;
    for (uint32_t b = 0; b < n_blocks; b++)
        (*begin)[b + 2] += (*begin)[b + 1];
    for (size_t i = 0; i < e->n; i++)
        (*from)[(*begin)[e->to[i] + 1]++] = e->from[i];
    return true;
}

/* Of each edge, the blocks from its end up to the post-dominator of its beginning depend on the branch there.
 */
static bool add_control(Edges *control, const Cfg *cfg, const uint32_t *ipdom, uint32_t b, uint32_t to)
{
    bool ok = true;
    uint32_t steps = 0;
    for (uint32_t r = to; ok && r != IR_NO_PC && r != ipdom[b] && steps++ <= cfg->n_blocks; r = ipdom[r])
        ok = add_edge(control, b, r);
    return ok;
}

static bool make_graph(Member *m)
{
    const Cfg *cfg = &m->cfg;
    uint32_t *ipdom = malloc((cfg->n_blocks + 1u) * sizeof *ipdom);
    Edges flow = {0}, control = {0};
    bool ok = ipdom && cfg_thread_postdominators(cfg, ipdom);
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        for (uint32_t e = cfg->succ_begin[b]; ok && e < cfg->succ_begin[b + 1]; e++)
            ok = add_edge(&flow, b, cfg->succ[e]) && (cfg->succ_begin[b + 1] - cfg->succ_begin[b] < 2 ||
                                                      add_control(&control, cfg, ipdom, b, cfg->succ[e]));
    ok = ok && sort_edges(&flow, cfg->n_blocks, &m->pred, &m->pred_begin) &&
         sort_edges(&control, cfg->n_blocks, &m->control, &m->control_begin);
    free(ipdom);
    free(flow.from);
    free(flow.to);
    free(control.from);
    free(control.to);
    return ok;
}

/* ---- the slicer ---- */

static bool make_member(Slicer *s, uint32_t i)
{
    Member *m = &s->members[i];
    m->f = &s->t->module->functions[s->t->functions[i]];
    m->first_block = s->n_blocks;
    if (m->f->n_insts == 0)
        return true;
    bool ok = cfg_build(m->f, &m->cfg);
    s->n_blocks += ok ? m->cfg.n_blocks : 0;
    ok = ok && make_graph(m) && make_chains(s, m);
    for (uint32_t pc = 0; ok && pc < m->f->n_insts; pc++)
        ok = list_inst(s, m, s->t->base[i], pc);
    return ok;
}

void slicer_free(Slicer *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; s->members && i < s->t->n; i++) {
        Member *m = &s->members[i];
        cfg_free(&m->cfg);
        void *parts[] = {m->pred, m->pred_begin, m->control, m->control_begin,
                         m->uses, m->use_begin,  m->defs,    m->only};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            free(parts[k]);
    }
    PcList *lists[] = {&s->shared_stores, &s->local_stores, &s->frame_stores, &s->calls,   &s->exit_insts,
                       &s->barriers,      &s->work,         &s->blocks,       &s->reaching};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        free(lists[k]->pcs);
    free(s->members);
    free(s->exits);
    free(s->seen);
    free(s);
}

static Slicer *slicer_new(IrTree *t)
{
    Slicer *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->t = t;
    s->members = calloc(t->n, sizeof *s->members);
    bool ok = s->members != NULL;
    for (uint32_t i = 0; ok && i < t->n; i++)
        ok = make_member(s, i);
    s->seen = calloc(s->n_blocks + 1u, sizeof *s->seen);
    if (ok && s->seen)
        return s;
    slicer_free(s);
    return NULL;
}

/* ---- a slice ---- */

static void mark(Slicer *s, uint32_t pc)
{
    if (s->bits[pc / 8] >> pc % 8 & 1)
        return;
    s->bits[pc / 8] |= (uint8_t)(1u << pc % 8);
    s->failed |= !pc_list_put(&s->work, pc);
}

static void mark_all(Slicer *s, const PcList *l, bool *took)
{
    for (size_t i = 0; !*took && i < l->n; i++)
        mark(s, l->pcs[i]);
    *took = true;
}

static void search(Slicer *s, uint32_t member, uint32_t block)
{
    uint32_t *seen = &s->seen[s->members[member].first_block + block];
    if (*seen != s->search)
        s->failed |= !pc_list_put(&s->blocks, block);
    *seen = s->search;
}

/* What the blocks before one leave in a register. */
static void search_preds(Slicer *s, uint32_t member, uint32_t block, uint32_t reg)
{
    const Member *m = &s->members[member];
    for (uint32_t i = m->pred_begin[block]; i < m->pred_begin[block + 1]; i++) {
        uint32_t before = m->pred[i];
        const Exit *e = exit_find(s, m->first_block + before, reg);
        int32_t head = e && e->defined ? e->head : LIVE_IN;
        for (; head >= 0; head = m->defs[head].before)
            s->failed |= !pc_list_put(&s->reaching, s->t->base[member] + m->defs[head].pc);
        if (head == LIVE_IN)
            search(s, member, before);
    }
}

/* What a block's beginning has in a register is wanted. */
static void want_at_entry(Slicer *s, uint32_t member, uint32_t block, uint32_t reg)
{
    Exit *e = exit_of(s, s->members[member].first_block + block, reg);
    if (!e) {
        s->failed = true;
        return;
    }
    if (!e->known) {
        e->known = true;
        e->first = s->reaching.n;
        s->search++;
        search(s, member, block);
        while (!s->failed && s->blocks.n > 0)
            search_preds(s, member, s->blocks.pcs[--s->blocks.n], reg);
        e->n = s->reaching.n - e->first;
    }
    for (size_t i = 0; i < e->n; i++)
        mark(s, s->reaching.pcs[e->first + i]);
}

static void follow(Slicer *s, uint32_t member, uint32_t block, uint32_t reg, int32_t head)
{
    const Member *m = &s->members[member];
    for (; head >= 0; head = m->defs[head].before)
        mark(s, s->t->base[member] + m->defs[head].pc);
    int32_t only = head == LIVE_IN ? m->only[slot_of(reg)] : NONE;
    if (only >= 0)
        mark(s, s->t->base[member] + (uint32_t)only);
    else if (only == SEVERAL)
        want_at_entry(s, member, block, reg);
}

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

static uint32_t access_bytes(const IrInst *in)
{
    return (ptx_type_bits((PtxType)in->type) + 7) / 8 * (in->n_vec > 0 ? in->n_vec : 1);
}

static bool in_params(const IrParam *params, uint32_t n, uint64_t at, uint64_t bytes)
{
    for (uint32_t i = 0; i < n; i++)
        if (overlap(params[i].offset, params[i].bytes, at, bytes))
            return true;
    return false;
}

/* Stores to places of a function's frame, and those that may lead to any local memory. */
static void follow_frame(Slicer *s, uint32_t member, uint64_t at, uint64_t bytes)
{
    for (size_t i = 0; i < s->frame_stores.n; i++) {
        uint32_t of;
        const IrInst *in = ir_tree_inst(s->t, s->frame_stores.pcs[i], &of);
        if (of == member && overlap((uint64_t)in->offset, access_bytes(in), at, bytes))
            mark(s, s->frame_stores.pcs[i]);
    }
    mark_all(s, &s->local_stores, &s->took_local);
}

static bool may_call(const IrInst *call, uint32_t function, const IrModule *module)
{
    if (call->call->function >= 0)
        return (uint32_t)call->call->function == function;
    return call->call->builtin == BUILTIN_NONE && !module->functions[function].is_entry;
}

static void follow_frame_load(Slicer *s, uint32_t member, const IrInst *in)
{
    const IrFunction *f = s->members[member].f;
    uint64_t at = (uint64_t)in->offset, bytes = access_bytes(in);
    bool of_caller = !f->is_entry && in_params(f->params, f->n_params, at, bytes);
    follow_frame(s, member, at, bytes);
    for (size_t i = 0; i < s->calls.n; i++) {
        uint32_t of;
        const IrInst *call = ir_tree_inst(s->t, s->calls.pcs[i], &of);
        bool result = of == member && in_params(call->call->results, call->call->n_results, at, bytes);
        if (result || (of_caller && may_call(call, s->t->functions[member], s->t->module)))
            mark(s, s->calls.pcs[i]);
    }
}

/* A call gives its arguments, and takes what the callee has stored as its results. */
static void follow_call(Slicer *s, uint32_t member, const IrInst *in)
{
    const IrCall *c = in->call;
    for (uint32_t i = 0; i < c->n_args; i++)
        follow_frame(s, member, c->args[i].offset, c->args[i].bytes);
    for (uint32_t k = 0; k < s->t->n; k++) {
        const IrFunction *f = s->members[k].f;
        if (!may_call(in, s->t->functions[k], s->t->module))
            continue;
        for (uint32_t i = 0; i < f->n_results; i++)
            follow_frame(s, k, f->results[i].offset, f->results[i].bytes);
    }
}

static void follow_local(Slicer *s)
{
    mark_all(s, &s->local_stores, &s->took_local);
    mark_all(s, &s->frame_stores, &s->took_frames);
    mark_all(s, &s->calls, &s->took_calls);
}

static void follow_memory(Slicer *s, uint32_t member, const IrInst *in)
{
    const Effect e = effect_of(in);
    if (e.reads_shared)
        mark_all(s, &s->shared_stores, &s->took_shared);
    if (e.reads_local)
        follow_local(s);
    if (e.barrier && (in->dst.kind == IR_REG || in->dst2.kind == IR_REG))
        mark_all(s, &s->barriers, &s->took_barriers);
    if (is_frame(in, PTX_LD))
        follow_frame_load(s, member, in);
    if (in->opcode == PTX_CALL)
        follow_call(s, member, in);
}

/* Whoever calls the function decides whether it runs. */
static void follow_callers(Slicer *s, uint32_t member)
{
    for (size_t i = 0; member > 0 && i < s->calls.n; i++) {
        uint32_t of;
        if (may_call(ir_tree_inst(s->t, s->calls.pcs[i], &of), s->t->functions[member], s->t->module))
            mark(s, s->calls.pcs[i]);
    }
}

static void follow_inst(Slicer *s, uint32_t at)
{
    uint32_t member;
    const IrInst *in = ir_tree_inst(s->t, at, &member);
    const Member *m = &s->members[member];
    uint32_t pc = at - s->t->base[member], block = m->cfg.block_of[pc];
    for (uint32_t i = m->use_begin[pc]; i < m->use_begin[pc + 1]; i++)
        follow(s, member, block, m->uses[i].reg, m->uses[i].head);
    for (uint32_t i = m->control_begin[block]; i < m->control_begin[block + 1]; i++)
        mark(s, s->t->base[member] + m->cfg.start[m->control[i] + 1] - 1);
    follow_memory(s, member, in);
    follow_callers(s, member);
    mark_all(s, &s->exit_insts, &s->took_exits);
}

bool ir_tree_slice(IrTree *t, uint32_t pc, uint8_t *bits)
{
    if (!t->slicer)
        t->slicer = slicer_new(t);
    Slicer *s = t->slicer;
    if (!s)
        return false;
    s->bits = bits;
    s->took_shared = s->took_local = s->took_frames = s->took_calls = s->took_exits = s->took_barriers =
        false;
    s->failed = false;
    s->work.n = s->blocks.n = 0;
    mark(s, pc);
    while (!s->failed && s->work.n > 0)
        follow_inst(s, s->work.pcs[--s->work.n]);
    return !s->failed;
}
