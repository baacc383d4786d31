/* What registers and variables hold. Of registers an instruction's destinations say which ones change (IrFunction.writes); of variables
 * in local memory, which anything may store to, what they hold is compared with what was told last.
 */
#include "common/vgpu/film/film_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is wanted ---- */

static uint32_t elements_of(const IrVariable *v)
{
    return v->count == 0 ? 1 : v->count < FILM_ELEMENTS_MAX ? v->count : FILM_ELEMENTS_MAX;
}

bool film_want_values(Film *f, FilmCode *c)
{
    const IrFunction *function = c->function;
    size_t n = 0;
    if (!f->options.registers && function->n_variables == 0)
        return true;
    for (uint32_t i = 0; i < function->n_variables; i++)
        n += function->variables[i].in_local ? elements_of(&function->variables[i]) : 0;
    c->wanted = ARENA_NEW_ARRAY(&f->arena, bool, function->n_regs + 1u);
    c->locals = ARENA_NEW_ARRAY(&f->arena, FilmLocal, n + 1);
    if (!c->wanted || !c->locals)
        return false;
    memset(c->wanted, f->options.registers, function->n_regs + 1u);
    for (uint32_t i = 0; i < function->n_variables; i++) {
        const IrVariable *v = &function->variables[i];
        uint32_t bytes = ptx_type_bits((PtxType)v->type) / 8;
        if (!v->in_local && v->place < function->n_regs)
            c->wanted[v->place] = true;
        for (uint32_t k = 0; v->in_local && k < elements_of(v); k++)
            if ((uint64_t)v->place + (k + 1u) * (uint64_t)bytes <= function->frame_bytes)
                c->locals[c->n_locals++] = (FilmLocal){.variable = i, .element = k, .offset = v->place + k * bytes, .bytes = bytes};
    }
    return true;
}

bool film_wants_values(const Film *f)
{
    const IrModule *m = f->launch.instance->module;
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (m->functions[i].n_variables > 0)
            return true;
    return f->options.registers;
}

/* ---- which registers change ---- */

static void note_changed(Film *f, FilmWarp *w, const IrWrite *write, uint16_t code, bool lost)
{
    size_t own = w->n_changed;
    for (size_t i = 0; i < w->n_changed; i++) {
        if (w->changed[i].code != code)
            continue;
        w->changed[i].lost |= !lost && w->changed[i].write->off == write->off;
        own = w->changed[i].write->reg == write->reg ? i : own;
    }
    if (own == w->n_changed && !VEC_GROW(w->changed, w->n_changed, w->cap)) {
        f->no_memory = true;
        return;
    }
    w->n_changed += own == w->n_changed;
    w->changed[own].write = write;
    w->changed[own].code = code;
    w->changed[own].lost = lost;
}

void film_settle_write(Film *f, FilmBlock *b, uint32_t warp)
{
    FilmWarp *w = b->warps ? &b->warps[warp] : NULL;
    if (!w)
        return;
    for (uint32_t i = 0; i < w->n_fresh; i++)
        note_changed(f, w, &w->fresh[i], w->fresh_code, false);
    w->n_fresh = 0;
}

void film_note_write(Film *f, FilmBlock *b, uint32_t warp, uint16_t code, uint32_t pc)
{
    const IrFunction *function = f->codes[code].function;
    FilmWarp *w = b->warps ? &b->warps[warp] : NULL;
    if (!w || !f->codes[code].wanted)
        return;
    w->fresh = &function->writes[function->write_at[pc]];
    w->n_fresh = function->write_at[pc + 1] - function->write_at[pc];
    w->fresh_code = code;
}

void film_mark_again(Film *f, FilmBlock *b, uint32_t warp, const FilmHeld *h)
{
    const FilmCode *c = &f->codes[h->code];
    const IrFunction *function = c->function;
    FilmWarp *w = b->warps && warp < f->n_warps ? &b->warps[warp] : NULL;
    uint8_t *told = w && h->key >= function->n_regs ? film_per_code(&w->told, h->code, c->n_locals, FILM_LOCAL_BYTES) : NULL;
    if (told)
        told[(h->key - function->n_regs) * (size_t)FILM_LOCAL_BYTES] = 0;
    for (uint32_t i = 0; w && h->key < function->n_regs && i < function->write_at[function->n_insts]; i++) {
        const IrWrite *write = &function->writes[i];
        bool taken = false; /* by another register since */
        if (write->reg != h->key)
            continue;
        for (size_t k = 0; k < w->n_changed; k++)
            if (w->changed[k].code == h->code && w->changed[k].write->reg == write->reg)
                return; /* it has changed anyway */
            else
                taken |= w->changed[k].write->off == write->off && w->changed[k].code == h->code;
        note_changed(f, w, write, h->code, taken || h->form == HELD_LOST);
        return;
    }
}

void film_forget_warps(Film *f, FilmBlock *b)
{
    for (uint32_t i = 0; b->warps && i < f->n_warps; i++) {
        film_forget_per_code(&b->warps[i].told);
        free(b->warps[i].changed);
    }
    free(b->warps);
    b->warps = NULL;
}

/* ---- what they hold ---- */

size_t film_held_bytes(const FilmHeld *h)
{
    size_t data = h->bytes == 0 || h->form == HELD_ALIKE || h->form == HELD_LOST ? 8 : h->form == HELD_EVEN ? 16 : (size_t)h->bytes * WARP_LANES;
    return sizeof *h + data;
}

static void put_held(Film *f, const FilmHeld *h, const void *data)
{
    size_t n = film_held_bytes(h), cap = f->held_cap ? f->held_cap : 4096;
    while (cap < f->n_held + n)
        cap *= 2;
    uint8_t *grown = cap > f->held_cap ? realloc(f->held, cap) : f->held;
    f->no_memory |= !grown;
    if (!grown)
        return;
    f->held = grown;
    f->held_cap = cap;
    memcpy(f->held + f->n_held, h, sizeof *h);
    memcpy(f->held + f->n_held + sizeof *h, data, n - sizeof *h);
    f->n_held += n;
}

static uint64_t number_at(const uint8_t *at, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

/* lanes: `bytes` of each of the 32, of which those of `exists` count. */
static void hold(Film *f, FilmHeld h, const uint8_t *lanes, uint32_t exists)
{
    const uint64_t kept = h.bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * h.bytes) - 1;
    uint64_t ends[2] = {number_at(lanes, h.bytes), 0};
    bool even = true;
    for (int lane = 1; lane < WARP_LANES && even; lane++) {
        if (!(exists >> lane & 1))
            continue;
        uint64_t value = number_at(lanes + (size_t)lane * h.bytes, h.bytes);
        if (lane == 1)
            ends[1] = (value - ends[0]) & kept;
        even = value == ((ends[0] + (uint64_t)lane * ends[1]) & kept);
    }
    h.form = (uint8_t)(even ? (ends[1] ? HELD_EVEN : HELD_ALIKE) : HELD_EACH);
    put_held(f, &h, even ? (const void *)ends : lanes);
}

/* Variables in local memory: those that hold something else than was told. */
static void take_locals(Film *f, FilmBlock *b, FilmWarp *w, uint32_t exists)
{
    const uint16_t code = b->pending.code;
    const FilmCode *c = &f->codes[code];
    uint8_t *told = c->n_locals && b->local ? film_per_code(&w->told, code, c->n_locals, FILM_LOCAL_BYTES) : NULL;
    for (uint32_t i = 0; told && i < c->n_locals; i++, told += FILM_LOCAL_BYTES) {
        const IrVariable *v = &c->function->variables[c->locals[i].variable];
        uint8_t lanes[8 * WARP_LANES] = {0};
        if (b->pending.pc < v->begin || b->pending.pc >= v->end)
            continue;
        for (uint32_t left = exists; left; left &= left - 1) {
            size_t lane = (size_t)__builtin_ctz(left);
            memcpy(lanes + lane * c->locals[i].bytes, b->local + lane * b->local_stride + c->locals[i].offset, c->locals[i].bytes);
        }
        if (told[0] && memcmp(told + 8, lanes, sizeof lanes) == 0)
            continue;
        told[0] = 1;
        memcpy(told + 8, lanes, sizeof lanes);
        hold(f, (FilmHeld){.key = c->function->n_regs + i, .code = code, .bytes = (uint8_t)c->locals[i].bytes}, lanes, exists);
    }
}

void film_take_held(Film *f, FilmBlock *b)
{
    FilmWarp *w = b->warps ? &b->warps[b->pending.warp] : NULL;
    const FilmCode *c = &f->codes[b->pending.code];
    uint32_t left = f->block[0] * f->block[1] * f->block[2] - b->pending.warp * WARP_LANES;
    uint32_t exists = left >= WARP_LANES ? UINT32_MAX : (1u << left) - 1;
    f->n_held = 0;
    if (!w || !c->wanted || b->pending.n_insts == 0)
        return;
    size_t n_left = 0;
    for (size_t i = 0; i < w->n_changed; i++) {
        const IrWrite *write = w->changed[i].write;
        if (w->changed[i].code != b->pending.code) {
            w->changed[n_left++] = w->changed[i];
            continue;
        }
        FilmHeld h = {.key = write->reg, .code = b->pending.code, .bytes = write->bytes};
        if (write->reg >= c->function->n_regs || !c->wanted[write->reg] || write->bytes > 8)
            continue;
        if (write->bytes == 0 || w->changed[i].lost) {
            uint64_t mask = number_at(b->regs + write->off, 4);
            h.form = w->changed[i].lost ? HELD_LOST : HELD_ALIKE;
            put_held(f, &h, &mask);
        } else {
            hold(f, h, b->regs + write->off, exists);
        }
    }
    w->n_changed = n_left;
    take_locals(f, b, w, exists);
}
