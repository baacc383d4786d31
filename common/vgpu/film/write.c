/* The record as JSON: docs/contracts.md, "A film of a launch", has the format. Steps are many, and their members have names of one
 * letter. */
#include "common/vgpu/film/film_internal.h"

#include "common/base/bits.h"
#include "common/base/hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 2000, NAME_MAX_SHOWN = 200, EXACT_BITS = 53 };

static const char *const event_names[FILM_N_EVENTS] = {
    [FILM_CODE] = "code",       [FILM_ACCESS] = "access",       [FILM_ARRIVE] = "arrive", [FILM_BARRIER] = "barrier",
    [FILM_SHUFFLE] = "shuffle", [FILM_WARP_SYNC] = "warp-sync", [FILM_FENCE] = "fence",   [FILM_FAULT] = "fault",
    [FILM_EXIT] = "exit"};
static const char *const kind_names[] = {
    [ACCESS_LOAD] = "load", [ACCESS_STORE] = "store", [ACCESS_ATOMIC] = "atomic", [ACCESS_REDUCTION] = "atomic"};
static const char *const array_kinds[] = {
    [MEM_DEVICE] = "device",         [MEM_POOL] = "pool",           [MEM_MANAGED] = "managed", [MEM_PINNED] = "pinned",
    [MEM_REGISTERED] = "registered", [MEM_GLOBAL_VAR] = "variable", [MEM_CONST_VAR] = "constant", [MEM_HEAP] = "heap",
    [MEM_ARRAY] = "array",           [MEM_INTERNAL] = "internal",     [MEM_MAPPED] = "mapped",      [MEM_OPENED] = "opened"};

static const char *space_name(uint8_t space)
{
    switch (space) {
    case SPACE_GLOBAL:
        return "global";
    case SPACE_SHARED:
        return "shared";
    case SPACE_CONST:
        return "constant";
    case SPACE_PARAM:
        return "parameter";
    default:
        return "local";
    }
}

/* ---- values ---- */

static void film_put_text(StrBuf *b, const char *name, const char *text)
{
    strbuf_printf(b, ",\"%s\":", name);
    strbuf_json_string(b, text ? text : "", text ? strlen(text) : 0);
}

static void film_put_number(StrBuf *b, const char *name, uint64_t value)
{
    strbuf_printf(b, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void put_some(StrBuf *b, const char *name, uint64_t value)
{
    if (value)
        film_put_number(b, name, value);
}

static void put_triple(StrBuf *b, const char *name, const uint32_t v[3])
{
    strbuf_printf(b, ",\"%s\":[%u,%u,%u]", name, v[0], v[1], v[2]);
}

/* Numbers that a double cannot hold are texts. */
static void film_put_address(StrBuf *b, uint64_t value)
{
    strbuf_printf(b, value >> EXACT_BITS ? "\"0x%llx\"" : "%llu", (unsigned long long)value);
}

static void put_base64(StrBuf *b, const char *name, const uint8_t *bytes, size_t n)
{
    strbuf_printf(b, ",\"%s\":\"", name);
    strbuf_base64(b, bytes, n);
    strbuf_puts(b, "\"");
}

/* ---- what steps refer to ---- */

typedef struct Writer {
    Film *film;
    StrBuf *out;
    uint32_t **inst; /* [code][pc]: index + 1 of those that steps name */
    uint32_t n_insts;
    uint32_t **held; /* [code][key]: the same of what steps say that it holds something */
    uint32_t n_held;
    FilmWaits told;  /* who waits at barriers, as the block's steps so far say */
    FilmWaits changed;
    uint64_t shown;  /* instructions of warps in them */
} Writer;

/* What a shuffle passes on has no type in PTX: that of the nearest instruction above which makes it, through moves. */
static PtxType shuffled_type(const IrFunction *f, uint32_t pc)
{
    enum { MOVES_MAX = 8 };
    IrOperand from = f->insts[pc].src[0];
    for (int moves = 0; from.kind == IR_REG && moves < MOVES_MAX; moves++) {
        const IrInst *maker = NULL;
        for (uint32_t at = pc; at > 0 && !maker; at--)
            for (uint32_t i = f->write_at[at - 1]; i < f->write_at[at]; i++)
                if (f->writes[i].off == from.off)
                    maker = &f->insts[pc = at - 1];
        if (!maker || maker->opcode == PTX_SHFL)
            break;
        if (maker->opcode != PTX_MOV || maker->src[0].kind != IR_REG)
            return ptx_type_class((PtxType)maker->type) == PTX_TYPES_FLOAT ? PTX_TYPE_F32 : PTX_TYPE_S32;
        from = maker->src[0];
    }
    return PTX_TYPE_S32;
}

static void put_insts(Writer *w)
{
    const Film *f = w->film;
    const IrModule *m = f->launch.instance->module;
    const char *separator = "";
    strbuf_puts(w->out, ",\"insts\":[");
    for (uint32_t wanted = 1; wanted <= w->n_insts; wanted++)
        for (size_t c = 0; c < f->n_codes; c++)
            for (uint32_t pc = 0; pc < f->codes[c].function->n_insts; pc++) {
                if (w->inst[c][pc] != wanted)
                    continue;
                const IrInst *inst = &f->codes[c].function->insts[pc];
                const IrLoc *place = f->codes[c].place[pc];
                strbuf_printf(w->out, "%s\n{\"op\":\"%s\"", separator, ptx_opcode_name((PtxOpcode)inst->opcode));
                film_put_text(w->out, "type", ptx_type_name(inst->opcode == PTX_SHFL ? shuffled_type(f->codes[c].function, pc) : (PtxType)inst->type));
                film_put_number(w->out, "vector", inst->n_vec ? inst->n_vec : 1);
                if (place) {
                    film_put_text(w->out, "file", m->files[place->file]);
                    film_put_number(w->out, "line", place->line);
                }
                put_some(w->out, "pc", pc);
                put_some(w->out, "ptx", inst->ptx_line);
                film_put_text(w->out, "function", f->codes[c].function->name);
                strbuf_puts(w->out, "}");
                separator = ",";
            }
    strbuf_puts(w->out, "]");
}

/* [code][n of each]; false: no memory. */
static bool make_numbers(const Film *f, uint32_t ***out, bool held)
{
    *out = calloc(f->n_codes + 1, sizeof **out);
    for (size_t c = 0; *out && c < f->n_codes; c++) {
        const FilmCode *code = &f->codes[c];
        size_t n = held ? code->function->n_regs + (size_t)code->n_locals : code->function->n_insts;
        if (!((*out)[c] = calloc(n + 1, sizeof ***out)))
            return false;
    }
    return *out != NULL;
}

static void free_numbers(const Film *f, uint32_t **numbers)
{
    for (size_t c = 0; numbers && c < f->n_codes; c++)
        free(numbers[c]);
    free(numbers);
}

/* The first of what a step says of registers and variables, and the end of all that. */
static const FilmHeld *helds(const FilmStep *s, const FilmHeld **end)
{
    *end = (const FilmHeld *)(const void *)((const uint8_t *)s + s->bytes);
    return film_held(s);
}

static void number_inst(Writer *w, uint16_t code, uint32_t pc)
{
    uint32_t *number = &w->inst[code][pc];
    *number = *number ? *number : ++w->n_insts;
}

/* Numbers the instructions, and what steps say of registers and variables, in order of their first step. */
static bool number_all(Writer *w, FilmBlock *const *blocks, size_t n)
{
    const Film *f = w->film;
    if (!make_numbers(f, &w->inst, false) || !make_numbers(f, &w->held, true))
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t waits = 0;
        for (size_t at = 0; at < blocks[i]->n_bytes; at += film_step_at(blocks[i], at)->bytes) {
            const FilmStep *s = film_step_at(blocks[i], at);
            number_inst(w, s->code, s->pc);
            for (; waits < s->n_waits; waits++)
                number_inst(w, blocks[i]->waits.of[waits].code, blocks[i]->waits.of[waits].pc);
            const FilmHeld *end;
            for (const FilmHeld *h = helds(s, &end); h < end; h = film_next_held(h)) {
                uint32_t *number = &w->held[h->code][h->key];
                *number = *number ? *number : ++w->n_held;
            }
        }
    }
    return true;
}

static const FilmArray *array_with(const Film *f, uint32_t serial)
{
    for (size_t i = 0; serial && i < f->n_arrays; i++)
        if (f->arrays[i].serial == serial)
            return &f->arrays[i];
    return NULL;
}

/* ---- steps ---- */

static void put_event(Writer *w, const FilmStep *s)
{
    StrBuf *b = w->out;
    const FilmRun *runs = film_runs(s);
    const FilmArray *array = array_with(w->film, s->array);
    if (s->event != FILM_ACCESS)
        film_put_text(b, "e", event_names[s->event]);
    if (s->mask != s->active)
        film_put_number(b, "x", s->mask);
    if (s->event == FILM_ACCESS)
        film_put_text(b, "k", kind_names[s->kind]);
    if (s->event == FILM_ACCESS || (s->event == FILM_FAULT && s->n_runs)) {
        if (s->space != SPACE_GLOBAL)
            film_put_text(b, "s", space_name(s->space));
        film_put_number(b, "z", s->access_bytes);
    }
    put_some(b, "d", s->async == ACCESS_BEGINS || s->passes);
    put_some(b, "a", s->array);
    put_some(b, "c", s->sectors);
    put_some(b, "p", s->wavefronts);
    put_some(b, "q", s->least);
    put_some(b, "A", s->arrived);
    for (uint8_t i = 0; i < s->n_runs; i++) {
        strbuf_printf(b, "%s[%u,", i ? "," : ",\"r\":[", runs[i].n);
        film_put_address(b, runs[i].base - (array ? array->addr : 0));
        strbuf_printf(b, ",%lld]%s", (long long)runs[i].stride, i + 1 == s->n_runs ? "]" : "");
    }
    if (s->n_values)
        put_base64(b, "v", (const uint8_t *)(runs + s->n_runs), (size_t)s->n_values * s->n_value_bytes);
}

/* Numbers that a double cannot hold are texts; lanes' values that have no rule are their bytes. */
static void put_held(Writer *w, const FilmHeld *h)
{
    StrBuf *b = w->out;
    uint64_t ends[2];
    strbuf_printf(b, "[%u", w->held[h->code][h->key] - 1);
    if (h->form == HELD_LOST) {
        strbuf_puts(b, "]");
        return;
    }
    strbuf_puts(b, ",");
    memcpy(ends, film_held_data(h), h->bytes == 0 || h->form == HELD_ALIKE ? 8 : sizeof ends);
    if (h->bytes && h->form == HELD_EACH) {
        strbuf_puts(b, "\"");
        strbuf_base64(b, film_held_data(h), (size_t)h->bytes * WARP_LANES);
        strbuf_puts(b, "\"]");
        return;
    }
    film_put_address(b, ends[0]);
    strbuf_puts(b, ",");
    film_put_address(b, h->bytes && h->form == HELD_EVEN ? ends[1] : 0);
    strbuf_puts(b, "]");
}

static void put_step_helds(Writer *w, const FilmStep *s)
{
    const FilmHeld *end;
    const char *separator = ",\"h\":[";
    for (const FilmHeld *h = helds(s, &end); h < end; h = film_next_held(h)) {
        strbuf_puts(w->out, separator);
        put_held(w, h);
        separator = ",";
    }
    strbuf_puts(w->out, s->held_bytes ? "]" : "");
}

static bool is_same_inst(const FilmWait *a, const FilmWait *b)
{
    return a->code == b->code && a->pc == b->pc;
}

static FilmWait *append_place(Writer *w, FilmWaits *list, const FilmWait *place)
{
    if (!VEC_GROW(list->of, list->n, list->cap)) {
        w->out->failed = true;
        return NULL;
    }
    list->of[list->n] = *place;
    return &list->of[list->n++];
}

/* What the steps so far say of a warp at a place: how many lanes wait. */
static uint32_t *told_of(Writer *w, const FilmWait *place)
{
    FilmWaits *t = &w->told;
    for (size_t i = 0; i < t->n; i++)
        if (t->of[i].warp == place->warp && is_same_inst(&t->of[i], place))
            return &t->of[i].mask;
    FilmWait *told = append_place(w, t, place);
    if (!told)
        return NULL;
    told->mask = 0;
    return &told->mask;
}

static bool somebody_waits(const Writer *w, const FilmWait *place)
{
    for (size_t i = 0; i < w->told.n; i++)
        if (w->told.of[i].mask && is_same_inst(&w->told.of[i], place))
            return true;
    return false;
}

/* Who waits at barriers from this step on. Where nobody waits any more that is said once. */
static void put_waits(Writer *w, const FilmWait *waits, size_t n)
{
    size_t n_put = 0;
    w->changed.n = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t *told = told_of(w, &waits[i]);
        if (!told || *told == waits[i].mask || !append_place(w, &w->changed, &waits[i]))
            continue;
        *told = waits[i].mask;
    }
    for (size_t i = 0; i < w->changed.n; i++) {
        const FilmWait *c = &w->changed.of[i];
        const bool nobody = !somebody_waits(w, c);
        bool said = false;
        for (size_t k = 0; nobody && k < i; k++)
            said |= is_same_inst(&w->changed.of[k], c);
        if (said)
            continue;
        strbuf_printf(w->out, n_put++ ? ",[%u" : ",\"u\":[[%u", w->inst[c->code][c->pc] - 1);
        if (!nobody)
            strbuf_printf(w->out, ",%u,%u", c->warp, c->mask);
        strbuf_puts(w->out, "]");
    }
    strbuf_puts(w->out, n_put ? "]" : "");
}

static uint32_t lanes_of_warp(const Film *f, uint32_t warp)
{
    uint32_t left = f->block[0] * f->block[1] * f->block[2] - warp * WARP_LANES;
    return left >= WARP_LANES ? 0xFFFFFFFFu : (1u << left) - 1;
}

/* waits: those that have changed with it. */
static void put_step(Writer *w, const FilmStep *s, const FilmWait *waits, size_t n_waits)
{
    StrBuf *b = w->out;
    strbuf_printf(b, "{\"w\":%u,\"i\":%u", s->warp, w->inst[s->code][s->pc] - 1);
    if (s->active != s->live)
        film_put_number(b, "m", s->active);
    put_some(b, "n", s->n_insts);
    if (s->n_lanes != s->n_insts * bits_count(s->active))
        film_put_number(b, "l", s->n_lanes);
    put_some(b, "t", s->turn);
    if (s->live != lanes_of_warp(w->film, s->warp))
        film_put_number(b, "g", lanes_of_warp(w->film, s->warp) & ~s->live);
    put_some(b, "o", s->other);
    put_some(b, "j", s->joining);
    put_some(b, "y", s->sync);
    if (s->event != FILM_CODE)
        put_event(w, s);
    put_waits(w, waits, n_waits);
    put_step_helds(w, s);
    strbuf_puts(b, "}");
}

static void put_steps(Writer *w, const FilmBlock *block)
{
    size_t waits = 0;
    w->told.n = 0;
    w->shown = 0;
    for (size_t at = 0; at < block->n_bytes; at += film_step_at(block, at)->bytes) {
        const FilmStep *s = film_step_at(block, at);
        strbuf_puts(w->out, at ? ",\n" : "\n");
        put_step(w, s, block->waits.of + waits, s->n_waits - waits);
        waits = s->n_waits;
        w->shown += s->n_insts;
    }
}

/* A block, and its steps in the other text. */
static void put_block(Writer *w, const FilmBlock *block, StrBuf *steps)
{
    StrBuf *b = w->out;
    w->out = steps;
    put_steps(w, block);
    w->out = b;
    strbuf_printf(b, "{\"linear\":%u", block->linear);
    put_triple(b, "index", block->index);
    film_put_number(b, "seen", block->seen);
    film_put_number(b, "kept", block->kept);
    film_put_number(b, "every", block->every);
    film_put_number(b, "instructions", block->insts);
    film_put_number(b, "shown", w->shown);
    strbuf_printf(b, ",\"cut\":%s}", block->cut ? "true" : "false");
}

static void put_blocks(Writer *w, FilmBlock *const *blocks, size_t n, StrBuf *steps)
{
    steps->length = 0;
    strbuf_puts(w->out, ",\"blocks\":[");
    strbuf_puts(steps, "[");
    for (size_t i = 0; i < n; i++) {
        strbuf_puts(w->out, i ? ",\n" : "\n");
        strbuf_puts(steps, i ? ",[" : "[");
        put_block(w, blocks[i], steps);
        strbuf_puts(steps, "]");
    }
    strbuf_puts(w->out, "]");
    strbuf_puts(steps, "]");
}

/* ---- lines ---- */

static void film_put_lines(Writer *w, const FilmCounts *counts)
{
    strbuf_puts(w->out, ",\"lines\":[");
    for (size_t i = 0; i < counts->n_lines && i < LINES_MAX; i++) {
        const PerfLine *l = &counts->lines[i];
        strbuf_printf(w->out, "%s{\"line\":%u", i ? ",\n" : "\n", l->line);
        film_put_text(w->out, "file", l->file);
        film_put_number(w->out, "warp_instructions", l->v[PERF_LINE_INSTRUCTIONS]);
        film_put_number(w->out, "thread_instructions", l->v[PERF_LINE_THREAD_INSTRUCTIONS]);
        film_put_number(w->out, "divergent_branches", l->v[PERF_LINE_DIVERGENT_BRANCHES]);
        film_put_number(w->out, "requests",
                        l->v[PERF_LINE_GLOBAL_REQUESTS] + l->v[PERF_LINE_SHARED_REQUESTS] + l->v[PERF_LINE_LOCAL_REQUESTS]);
        film_put_number(w->out, "sectors", l->v[PERF_LINE_GLOBAL_SECTORS]);
        film_put_number(w->out, "bank_conflicts", l->v[PERF_LINE_BANK_CONFLICTS]);
        strbuf_puts(w->out, "}");
    }
    strbuf_puts(w->out, "]");
}

/* ---- registers and variables ---- */

/* What PTX says of its content: that of an instruction that writes it. */
static PtxType register_type(const IrFunction *f, uint32_t reg)
{
    unsigned bytes = 0;
    for (uint32_t pc = 0; pc < f->n_insts; pc++)
        for (uint32_t i = f->write_at[pc]; i < f->write_at[pc + 1]; i++) {
            const PtxType type = (PtxType)f->insts[pc].type;
            if (f->writes[i].reg != reg)
                continue;
            bytes = f->writes[i].bytes;
            if (bytes == 0 || (ptx_type_class(type) == PTX_TYPES_FLOAT && ptx_type_bits(type) == 8 * bytes))
                return bytes ? type : PTX_TYPE_PRED;
        }
    return bytes == 8 ? PTX_TYPE_S64 : bytes == 2 ? PTX_TYPE_S16 : PTX_TYPE_S32;
}

static void put_held_name(Writer *w, size_t code, uint32_t key)
{
    const FilmCode *c = &w->film->codes[code];
    const IrFunction *f = c->function;
    char name[NAME_MAX_SHOWN];
    PtxType type;
    if (key < f->n_regs) {
        ir_reg_name(f, key, name, sizeof name);
        type = register_type(f, key);
    } else {
        const FilmLocal *l = &c->locals[key - f->n_regs];
        const IrVariable *v = &f->variables[l->variable];
        snprintf(name, sizeof name, v->count ? "%s[%u]" : "%s", v->name, l->element);
        type = (PtxType)v->type;
    }
    strbuf_puts(w->out, "{\"function\":");
    strbuf_json_string(w->out, f->name, strlen(f->name));
    film_put_text(w->out, "name", name);
    film_put_text(w->out, "type", ptx_type_name(type));
    film_put_number(w->out, "bytes", ptx_type_bits(type) / 8);
    strbuf_puts(w->out, "}");
}

static void put_held_names(Writer *w)
{
    const Film *f = w->film;
    strbuf_puts(w->out, ",\"held\":[");
    for (uint32_t wanted = 1; wanted <= w->n_held; wanted++)
        for (size_t c = 0; c < f->n_codes; c++)
            for (uint32_t key = 0; key < f->codes[c].function->n_regs + f->codes[c].n_locals; key++)
                if (w->held[c][key] == wanted) {
                    strbuf_puts(w->out, wanted > 1 ? ",\n" : "\n");
                    put_held_name(w, c, key);
                }
    strbuf_puts(w->out, "]");
}

/* Where variables of the source are: in which of those, in which instructions. */
static void put_variable(Writer *w, const IrFunction *f, const IrVariable *v, const char *name, uint32_t held, const char *separator)
{
    strbuf_printf(w->out, "%s\n{\"function\":", separator);
    strbuf_json_string(w->out, f->name, strlen(f->name));
    film_put_text(w->out, "name", name);
    film_put_text(w->out, "type", ptx_type_name((PtxType)v->type));
    film_put_number(w->out, "held", held);
    film_put_number(w->out, "from", v->begin);
    film_put_number(w->out, "to", v->end);
    strbuf_puts(w->out, "}");
}

static void put_variables(Writer *w)
{
    const Film *f = w->film;
    const char *separator = "";
    strbuf_puts(w->out, ",\"variables\":[");
    for (size_t c = 0; c < f->n_codes; c++) {
        const FilmCode *code = &f->codes[c];
        const IrFunction *fn = code->function;
        for (uint32_t i = 0; i < fn->n_variables; i++) {
            const IrVariable *v = &fn->variables[i];
            if (v->in_local || v->place >= fn->n_regs || !w->held[c][v->place])
                continue;
            put_variable(w, fn, v, v->name, w->held[c][v->place] - 1, separator);
            separator = ",";
        }
        for (uint32_t i = 0; i < code->n_locals; i++) {
            const IrVariable *v = &fn->variables[code->locals[i].variable];
            char name[NAME_MAX_SHOWN];
            if (!w->held[c][fn->n_regs + i])
                continue;
            snprintf(name, sizeof name, v->count ? "%s[%u]" : "%s", v->name, code->locals[i].element);
            put_variable(w, fn, v, name, w->held[c][fn->n_regs + i] - 1, separator);
            separator = ",";
        }
    }
    strbuf_puts(w->out, "]");
}

/* ---- memory ---- */

/* Digits and a name of that length, to the end or to what tells variables of one name apart ("_0"): the name; NULL: none begins here. */
static const char *last_name(const char *digits, size_t *length)
{
    char *end;
    unsigned long n = strtoul(digits, &end, 10);
    if (n == 0 || n > strlen(end) || (end[n] != 0 && end[n] != '_'))
        return NULL;
    *length = n;
    return end;
}

/* "tile" of _ZZ3addPfE4tile, a variable of a function: the last name in it. */
static void plain_name(const char *mangled, char *out, size_t size)
{
    const char *name = mangled;
    size_t length = strlen(mangled);
    for (const char *at = strncmp(mangled, "_Z", 2) == 0 ? mangled + 2 : ""; *at; at++) {
        const char *found = *at >= '1' && *at <= '9' ? last_name(at, &length) : NULL;
        if (found) {
            name = found;
            break;
        }
    }
    size_t n = length < size - 1 ? length : size - 1;
    memcpy(out, name, n);
    out[n] = 0;
}

/* A variable of a kernel's is in its name: _ZZ3addPfE4tile of _Z3addPf. Kernels share offsets. */
static bool is_of_other_kernel(const IrModule *m, uint32_t function, const char *name)
{
    for (uint32_t i = 0; strncmp(name, "_ZZ", 3) == 0 && i < m->n_functions; i++) {
        const char *kernel = m->functions[i].name;
        size_t n = strncmp(kernel, "_Z", 2) == 0 ? strlen(kernel + 2) : 0;
        if (i != function && m->functions[i].is_entry && n > 0 && strncmp(name + 3, kernel + 2, n) == 0 && name[3 + n] == 'E')
            return true;
    }
    return false;
}

static void put_shared(Writer *w)
{
    const Film *f = w->film;
    const IrModule *m = f->launch.instance->module;
    uint32_t fixed = m->functions[f->launch.function].static_shared_bytes;
    const char *separator = "";
    char name[NAME_MAX_SHOWN];
    strbuf_puts(w->out, ",\"shared\":[");
    for (uint32_t i = 0; i < m->n_globals; i++) {
        const IrGlobal *g = &m->globals[i];
        uint64_t offset = f->launch.instance->global_address[i], bytes = g->is_dynamic_shared ? f->shared_bytes - fixed : g->bytes;
        if (g->space != SPACE_SHARED || bytes == 0 || offset + bytes > f->shared_bytes || is_of_other_kernel(m, f->launch.function, g->name))
            continue;
        plain_name(g->name, name, sizeof name);
        strbuf_printf(w->out, "%s{\"offset\":%llu,\"bytes\":%llu", separator, (unsigned long long)offset, (unsigned long long)bytes);
        film_put_text(w->out, "symbol", g->name);
        film_put_text(w->out, "name", name);
        strbuf_printf(w->out, ",\"dynamic\":%s}", g->is_dynamic_shared ? "true" : "false");
        separator = ",";
    }
    strbuf_puts(w->out, "]");
}

static void put_arrays(Writer *w)
{
    const Film *f = w->film;
    const char *separator = "";
    char name[NAME_MAX_SHOWN];
    strbuf_puts(w->out, ",\"arrays\":[");
    for (size_t i = 0; i < f->n_arrays; i++) {
        const FilmArray *a = &f->arrays[i];
        if (!a->used)
            continue;
        strbuf_printf(w->out, "%s{\"id\":%u,\"address\":\"0x%llx\",\"bytes\":%llu", separator, a->serial, (unsigned long long)a->addr,
                      (unsigned long long)a->bytes);
        film_put_text(w->out, "kind", array_kinds[a->kind]);
        plain_name(a->name ? a->name : "", name, sizeof name);
        film_put_text(w->out, "name", name);
        put_some(w->out, "site", a->site);
        strbuf_puts(w->out, ",\"unwritten\":[");
        for (uint32_t k = 0; k < a->n_unwritten; k++)
            strbuf_printf(w->out, "%s[%llu,%llu]", k ? "," : "", (unsigned long long)a->unwritten[k].from,
                          (unsigned long long)a->unwritten[k].to);
        strbuf_puts(w->out, "]}");
        separator = ",\n";
    }
    strbuf_puts(w->out, "]");
}

/* Parameters that point into an array name it. */
static void put_params(Writer *w)
{
    Film *f = w->film;
    const IrFunction *entry = &f->launch.instance->module->functions[f->launch.function];
    strbuf_puts(w->out, ",\"params\":[");
    for (uint32_t i = 0; i < entry->n_params; i++) {
        const IrParam *p = &entry->params[i];
        uint64_t value = 0;
        if (f->params && p->offset + p->bytes <= f->param_bytes)
            memcpy(&value, f->params + p->offset, p->bytes < 8 ? p->bytes : 8);
        strbuf_printf(w->out, "%s{\"bytes\":%u,\"value\":", i ? "," : "", p->bytes);
        film_put_address(w->out, p->bytes <= 8 ? value : 0);
        for (size_t a = 0; a < f->n_arrays && p->bytes == 8; a++)
            if (value - f->arrays[a].addr < f->arrays[a].bytes) {
                f->arrays[a].used = true;
                film_put_number(w->out, "array", f->arrays[a].serial);
                film_put_number(w->out, "offset", value - f->arrays[a].addr);
            }
        strbuf_puts(w->out, "}");
    }
    strbuf_puts(w->out, "]");
}

/* ---- the whole ---- */

static void film_put_findings(Writer *w, FilmBlock *const *blocks, size_t n, const Finding *const *findings,
                              size_t n_findings)
{
    const char *separator = "";
    strbuf_puts(w->out, ",\"findings\":[");
    for (size_t i = 0; i < n_findings; i++) {
        if (!findings[i]->kernel || !findings[i]->kernel[0])
            continue;
        FilmMoment m = film_find(w->film, blocks, n, findings[i]);
        strbuf_printf(w->out, "%s\n{\"block\":%d,\"step\":%lld,\"other\":%lld,\"finding\":", separator, m.block, (long long)m.step,
                      (long long)m.other);
        Finding shown = *findings[i];
        if (!hints_wanted())
            shown.hint = "";
        finding_write(&shown, FINDING_RECORD, w->out);
        strbuf_puts(w->out, "}");
        separator = ",";
    }
    strbuf_puts(w->out, "]");
}

static void put_totals(Writer *w, const PerfCounters *counters)
{
    film_put_number(w->out, "steps", w->film->steps);
    film_put_number(w->out, "shuffles", w->film->shuffles);
    strbuf_puts(w->out, ",\"counters\":");
    perf_counters_json(counters, false, w->out);
}

static uint64_t bytes_of(FilmBlock *const *blocks, size_t n, FilmBlock **largest)
{
    uint64_t sum = 0;
    *largest = NULL;
    for (size_t i = 0; i < n; i++) {
        sum += blocks[i]->n_bytes;
        if (!*largest || blocks[i]->n_bytes > (*largest)->n_bytes)
            *largest = blocks[i];
    }
    return sum;
}

static void write_film(Writer *w, const FilmCounts *counts, const Finding *const *findings, size_t n_findings,
                       FilmBlock *const *blocks, size_t n)
{
    const Film *f = w->film;
    w->out->length = 0;
    strbuf_puts(w->out, "\"film\":1");
    film_put_text(w->out, "kernel", f->launch.kernel);
    film_put_text(w->out, "symbol", f->launch.instance->module->functions[f->launch.function].name);
    film_put_number(w->out, "launch", f->launch.number);
    put_some(w->out, "site", f->launch.site);
    put_triple(w->out, "grid", f->grid);
    put_triple(w->out, "block", f->block);
    film_put_number(w->out, "shared_bytes", f->shared_bytes);
    put_shared(w);
    put_params(w);
    put_arrays(w);
    put_some(w->out, "more_arrays", f->more_arrays);
    put_totals(w, counts->counters);
    film_put_lines(w, counts);
    put_some(w->out, "more_lines", counts->n_lines > LINES_MAX ? counts->n_lines - LINES_MAX : 0);
    put_insts(w);
    put_held_names(w);
    put_variables(w);
    film_put_findings(w, blocks, n, findings, n_findings);
    put_blocks(w, blocks, n, &w->film->steps_json);
    strbuf_puts(w->out, "}");
}

void film_write(Film *f, const FilmCounts *counts, const Finding *const *findings, size_t n_findings)
{
    FilmBlock *blocks[FILM_BLOCKS_MAX], *largest;
    Writer w = {.film = f, .out = &f->json};
    size_t n = film_choose_blocks(f, findings, n_findings, blocks);
    while (bytes_of(blocks, n, &largest) > FILM_JSON_BYTES && film_thin(f, largest)) {
    }
    const bool numbered = f->exec && number_all(&w, blocks, n);
    do /* what it takes as a text is known when it is there */
        if (numbered)
            write_film(&w, counts, findings, n_findings, blocks, n);
    while (numbered && f->json.length + f->steps_json.length > FILM_JSON_BYTES && bytes_of(blocks, n, &largest) > 0 && film_thin(f, largest));
    f->json.failed |= !numbered || f->no_memory;
    free_numbers(f, w.inst);
    free_numbers(f, w.held);
    free(w.told.of);
    free(w.changed.of);
}
