/* Decoding a function's body, and all functions of all modules.
 *
 * Instructions are appended in order; branches name PTX instructions until all places are known. `ret`
 * becomes a branch to one epilogue. Then come the flow graph with its meeting points, the lives of registers,
 * and their places.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED_TEXT_MAX = 160 };

bool decode_refuse(Decoder *d, const char *format, ...)
{
    va_list args;
    if (d->reason[0])
        return false;
    va_start(args, format);
    vsnprintf(d->reason, sizeof d->reason, format, args);
    va_end(args);
    return false;
}

bool decode_emit(Decoder *d, const IrInst *inst)
{
    if (d->l->status || !VEC_GROW(d->insts, d->n_insts, d->cap_insts)) {
        link_no_memory(d->l);
        return false;
    }
    IrInst *in = &d->insts[d->n_insts++];
    *in = *inst;
    if (in->opcode != PTX_BRA)
        in->target = IR_NO_PC;
    in->reconverge = IR_NO_PC;
    in->guard = d->guard;
    in->loc = d->loc;
    in->ptx_line = d->line;
    return true;
}

/* ---- instructions that are not supported ---- */

/* The instruction's text on one line, at most QUOTED_TEXT_MAX long. */
static void quote(const Decoder *d, const PtxInst *pi, char *buf)
{
    const char *text = d->pm->text + pi->text;
    size_t n = 0;
    for (uint32_t i = 0; i < pi->text_length && n < QUOTED_TEXT_MAX - 1; i++) {
        bool blank = (unsigned char)text[i] <= ' ';
        if (!blank || (n > 0 && buf[n - 1] != ' '))
            buf[n++] = blank ? ' ' : text[i];
    }
    while (n > 0 && buf[n - 1] == ' ')
        n--;
    buf[n] = '\0';
}

static void emit_unsupported(Decoder *d, const PtxInst *pi)
{
    Linker *l = d->l;
    char text[QUOTED_TEXT_MAX];
    quote(d, pi, text);
    IrInst in = {.opcode = PTX_UNSUPPORTED, .n_vec = 1};
    in.text = arena_printf(l->arena, "%s: %s", text, d->reason);
    if (!in.text)
        link_no_memory(l);
    l->m->n_unsupported++;
    if (!l->noted_unsupported && !l->status)
        diag_set_at(l->diag, STATUS_UNSUPPORTED, d->pm->name, pi->line, pi->column, "in '%s': %s", d->f->name,
                    in.text);
    l->noted_unsupported = true;
    decode_emit(d, &in);
}

/* ---- instructions ---- */

static void set_guard(Decoder *d, const PtxOperand *guard)
{
    d->guard = (IrOperand){.kind = IR_NONE};
    if (guard->kind == PTX_OPERAND_REG)
        d->guard = (IrOperand){.kind = IR_REG, .negated = guard->negated, .off = guard->reg};
}

/* Code at line 0 has no place of its own: it keeps the one before. */
static void set_place(Decoder *d, const PtxInst *pi)
{
    d->line = (uint32_t)pi->line;
    if (pi->loc < d->pf->n_locs && d->pf->locs[pi->loc].line != 0)
        d->loc = pi->loc;
}

static void decode_one(Decoder *d, uint32_t i)
{
    const PtxInst *pi = &d->pf->insts[i];
    size_t n_before = d->n_insts;
    set_guard(d, &pi->guard);
    set_place(d, pi);
    d->inst_pc[i] = (uint32_t)n_before;
    bool last = i + 1 == d->pf->n_insts;
    if (last && d->pm->variants[pi->variant].opcode == PTX_RET && pi->guard.kind == PTX_OPERAND_NONE)
        return; /* falls into the epilogue */
    d->reason[0] = '\0';
    if (decode_instruction(d, pi) || d->l->status)
        return;
    d->n_insts = n_before;
    emit_unsupported(d, pi);
}

static uint32_t target_pc(const Decoder *d, uint32_t ptx_inst)
{
    return d->inst_pc[ptx_inst < d->pf->n_insts ? ptx_inst : d->pf->n_insts];
}

static void settle_targets(Decoder *d)
{
    for (size_t pc = 0; pc < d->n_insts; pc++) {
        IrInst *in = &d->insts[pc];
        if (in->opcode == PTX_BRA)
            in->target = target_pc(d, in->target);
        if (in->opcode == PTX_RET && pc != d->f->epilogue) {
            in->opcode = PTX_BRA;
            in->target = d->return_pc;
        }
        for (uint32_t i = 0; i < in->n_targets; i++)
            in->targets[i] = target_pc(d, in->targets[i]);
    }
}

static void decode_epilogue(Decoder *d)
{
    d->guard = (IrOperand){.kind = IR_NONE};
    d->return_pc = (uint32_t)d->n_insts;
    d->inst_pc[d->pf->n_insts] = d->return_pc;
    decode_results(d);
    d->f->epilogue = (uint32_t)d->n_insts;
    decode_emit(d, &(IrInst){.opcode = PTX_RET, .n_vec = 1});
}

static void copy_locs(Decoder *d)
{
    IrFunction *f = d->f;
    uint32_t base = d->l->file_base[d->module];
    f->locs = link_alloc(d->l, d->pf->n_locs, sizeof *f->locs);
    f->n_locs = d->pf->n_locs;
    f->has_lines = d->pf->has_lines;
    for (uint32_t i = 0; i < f->n_locs && f->locs; i++) {
        const PtxLoc *from = &d->pf->locs[i];
        bool known = from->line != 0 && from->file < d->pm->n_files;
        f->locs[i] = (IrLoc){.file = known ? base + from->file : 0,
                             .line = from->line,
                             .column = from->column,
                             .parent = from->parent,
                             .function = from->function ? link_text(d->l, from->function) : NULL};
    }
}

/* ---- a function ---- */

static bool start_registers(Decoder *d)
{
    d->n_regs = d->cap_regs = d->pf->n_regs;
    d->reg_bytes = malloc(d->n_regs + 1);
    d->inst_pc = calloc((size_t)d->pf->n_insts + 1, sizeof *d->inst_pc);
    if (!d->reg_bytes || !d->inst_pc) {
        link_no_memory(d->l);
        return false;
    }
    for (size_t i = 0; i < d->n_regs; i++)
        d->reg_bytes[i] = (uint8_t)type_reg_bytes((PtxType)d->pf->reg_types[i]);
    return true;
}

static void keep_tuning(IrFunction *f, const PtxFunction *pf)
{
    uint64_t product = (uint64_t)pf->max_ntid[0] * pf->max_ntid[1];
    product = product > UINT32_MAX ? UINT32_MAX : product * pf->max_ntid[2];
    f->max_threads = product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
    memcpy(f->req_ntid, pf->req_ntid, sizeof f->req_ntid);
    memcpy(f->cluster, pf->cluster, sizeof f->cluster);
    f->min_blocks = pf->min_blocks;
}

/* An assembler spills what is over .maxnreg, or more than a thread can have, and so much that the blocks fit that .maxntid and .minnctapersm ask
 * for, of the 64 Ki registers of a multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per
 * Compute Capability"). They are given out by eights. */
static void limit_registers(IrFunction *f, uint32_t max_regs)
{
    const uint32_t multiprocessor = 64 * 1024, least = 24, of_thread = 255;
    uint64_t warps = ((uint64_t)f->max_threads + WARP_LANES - 1) / WARP_LANES;
    uint64_t threads = warps * WARP_LANES * (f->min_blocks > 1 ? f->min_blocks : 1);
    uint32_t most = threads == 0 ? of_thread : (uint32_t)(multiprocessor / threads) & ~7u;
    most = most < least ? least : most > of_thread ? of_thread : most;
    if (max_regs > 0 && max_regs < most)
        most = max_regs;
    f->n_regs32 = f->n_regs32 < most ? f->n_regs32 : most;
    f->n_regs32_least = f->n_regs32_least < most ? f->n_regs32_least : most;
}

/* What the first block begins with, nobody has written. */
static bool list_unset(Decoder *d, const Lives *lives)
{
    IrFunction *f = d->f;
    size_t n = 0;
    for (size_t w = 0; f->is_entry && lives->in && w < lives->words; w++)
        n += (size_t)__builtin_popcountll(lives->in[w]);
    if (n == 0)
        return true;
    f->unset = link_alloc(d->l, n, sizeof *f->unset);
    for (size_t w = 0; f->unset && w < lives->words; w++)
        for (uint64_t left = lives->in[w]; left; left &= left - 1) {
            uint32_t reg = lives->wide_reg[w * 64 + (size_t)__builtin_ctzll(left)];
            if (d->reg_bytes[reg] > 0)
                f->unset[f->n_unset++] = (IrOperand){.kind = IR_REG, .bytes = d->reg_bytes[reg], .off = reg};
        }
    return f->unset != NULL;
}

/* Meeting points, lives of registers, their places. */
static void analyse(Decoder *d)
{
    Cfg cfg = {0};
    Lives lives = {0};
    bool ok = cfg_build(d->f, &cfg);
    if (ok)
        cfg_set_reconvergence(d->f, &cfg);
    ok = ok && live_compute(d->f, d->n_regs, &cfg, &lives) &&
         pressure_compute(d->f, d->reg_bytes, &cfg, &lives) && list_unset(d, &lives);
    Status status = ok ? regs_allocate(d->f, d->reg_bytes, d->n_regs, &lives) : STATUS_NO_MEMORY;
    if (status == STATUS_LIMIT)
        link_fail(d->l, STATUS_LIMIT, d->pm, d->pf->line, d->pf->column,
                  "'%s' needs more than %d bytes of registers a warp", d->pf->name, IR_REGISTER_BYTES_MAX);
    else if (status)
        link_no_memory(d->l);
    live_free(&lives);
    cfg_free(&cfg);
}

static void decode_body(Decoder *d)
{
    IrFunction *f = d->f;
    decode_prologue(d);
    for (uint32_t i = 0; i < d->pf->n_insts && !d->l->status; i++)
        decode_one(d, i);
    decode_epilogue(d);
    if (d->l->status)
        return;
    settle_targets(d);
    f->insts = link_alloc(d->l, d->n_insts, sizeof *f->insts);
    f->n_insts = (uint32_t)d->n_insts;
    if (!f->insts)
        return;
    memcpy(f->insts, d->insts, d->n_insts * sizeof *f->insts);
    if (!names_note_writes(d) || !arrays_find(d))
        return;
    analyse(d);
    names_place_writes(f);
    names_copy(d);
    pool_finish(d);
    copy_locs(d);
    keep_tuning(f, d->pf);
    limit_registers(f, d->pf->max_regs);
    f->frame_bytes = (d->frame_end + 15u) & ~15u;
    f->uses_grid_sync = d->uses->grid_sync;
}

void decode_function(Linker *l, uint32_t index)
{
    const FunctionSource *s = &l->sources[index];
    Decoder d = {.l = l,
                 .module = s->module,
                 .index = index,
                 .pm = l->modules[s->module],
                 .pf = s->function,
                 .f = &l->m->functions[index],
                 .uses = &l->uses[index]};
    if (start_registers(&d))
        frame_layout(&d);
    if (!l->status)
        decode_body(&d);
    const_pool_free(&d.pool);
    free(d.insts);
    free(d.reg_bytes);
    free(d.variable_place);
    free(d.inst_pc);
}

/* ---- all modules ---- */

static bool start_link(Linker *l)
{
    l->variable_global = calloc(l->n_modules + 1, sizeof *l->variable_global);
    l->file_base = calloc(l->n_modules + 1, sizeof *l->file_base);
    l->forms = calloc(l->n_modules + 1, sizeof *l->forms);
    bool ok = l->variable_global && l->file_base && l->forms;
    for (size_t i = 0; i < l->n_modules && ok; i++) {
        l->forms[i] = calloc((size_t)l->modules[i]->n_variants + 1, sizeof **l->forms);
        ok = l->forms[i] != NULL;
        if (l->modules[i]->target > l->m->target)
            l->m->target = l->modules[i]->target;
        if (l->modules[i]->version > l->m->ptx_version)
            l->m->ptx_version = l->modules[i]->version;
    }
    if (!ok)
        link_no_memory(l);
    return ok;
}

static void free_uses(FunctionUses *u)
{
    free(u->callees);
    free(u->shared);
}

static void end_link(Linker *l)
{
    for (size_t i = 0; i < l->n_functions; i++)
        free_uses(&l->uses[i]);
    for (size_t i = 0; i < l->n_modules; i++) {
        if (l->variable_global)
            free(l->variable_global[i]);
        if (l->forms)
            free(l->forms[i]);
    }
    free(l->variable_global);
    free(l->file_base);
    free(l->forms);
    free(l->sources);
    free(l->uses);
    free(l->variables);
    free(l->shared_refs);
    symbols_free(&l->symbols);
}

/* The lists of functions and globals grew by realloc; the module keeps them in its arena. */
static void settle_lists(Linker *l)
{
    IrModule *m = l->m;
    IrFunction *functions = link_alloc(l, l->n_functions, sizeof *functions);
    IrGlobal *globals = link_alloc(l, l->n_globals, sizeof *globals);
    if (functions && l->n_functions)
        memcpy(functions, m->functions, l->n_functions * sizeof *functions);
    if (globals && l->n_globals)
        memcpy(globals, m->globals, l->n_globals * sizeof *globals);
    free(m->functions);
    free(m->globals);
    m->functions = functions;
    m->globals = globals;
    m->n_functions = (uint32_t)l->n_functions;
    m->n_globals = (uint32_t)l->n_globals;
}

Status ir_decode(PtxModule *const *modules, size_t n, IrModule **out, Diag *diag)
{
    *out = NULL;
    IrModule *m = calloc(1, sizeof *m);
    if (!m)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a decoded module");
    Linker l = {.m = m, .arena = &m->arena, .diag = diag, .modules = modules, .n_modules = n};
    if (start_link(&l))
        link_symbols(&l);
    for (uint32_t i = 0; i < l.n_functions && !l.status; i++)
        if (!m->functions[i].is_extern)
            decode_function(&l, i);
    if (!l.status)
        link_initialisers(&l);
    if (!l.status)
        link_shared(&l);
    settle_lists(&l);
    end_link(&l);
    if (l.status) {
        ir_module_free(m);
        return l.status;
    }
    *out = m;
    return STATUS_OK;
}

void ir_module_free(IrModule *m)
{
    if (!m)
        return;
    arena_free(&m->arena);
    free(m);
}
