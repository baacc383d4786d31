/* The record as JSON: docs/contracts.md, "A film of a launch", has the format. Steps are many, and their members have names of one
 * letter. */
#include "common/vgpu/film/film_internal.h"

#include "common/base/bits.h"

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
    [MEM_ARRAY] = "array",           [MEM_INTERNAL] = "internal"};

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
} Writer;

static void put_insts(Writer *w)
{
    const Film *f = w->film;
    const IrModule *m = f->exec->instance->module;
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
                film_put_text(w->out, "type", ptx_type_name((PtxType)inst->type));
                film_put_number(w->out, "vector", inst->n_vec ? inst->n_vec : 1);
                if (place) {
                    film_put_text(w->out, "file", m->files[place->file]);
                    film_put_number(w->out, "line", place->line);
                }
                put_some(w->out, "ptx", inst->ptx_line);
                film_put_text(w->out, "function", f->codes[c].function->name);
                strbuf_puts(w->out, "}");
                separator = ",";
            }
    strbuf_puts(w->out, "]");
}

/* Numbers the instructions in order of their first step. */
static bool number_insts(Writer *w, FilmBlock *const *blocks, size_t n)
{
    const Film *f = w->film;
    w->inst = calloc(f->n_codes + 1, sizeof *w->inst);
    for (size_t c = 0; w->inst && c < f->n_codes; c++)
        if (!(w->inst[c] = calloc(f->codes[c].function->n_insts + 1u, sizeof **w->inst)))
            return false;
    for (size_t i = 0; w->inst && i < n; i++)
        for (size_t at = 0; at < blocks[i]->n_bytes; at += film_step_at(blocks[i], at)->bytes) {
            const FilmStep *s = film_step_at(blocks[i], at);
            uint32_t *number = &w->inst[s->code][s->pc];
            *number = *number ? *number : ++w->n_insts;
        }
    return w->inst != NULL;
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
    film_put_text(b, "e", event_names[s->event]);
    if (s->mask != s->active)
        film_put_number(b, "x", s->mask);
    if (s->event == FILM_ACCESS)
        film_put_text(b, "k", kind_names[s->kind]);
    if (s->event == FILM_ACCESS || (s->event == FILM_FAULT && s->n_runs)) {
        film_put_text(b, "s", space_name(s->space));
        film_put_number(b, "z", s->access_bytes);
    }
    put_some(b, "d", s->async == ACCESS_BEGINS);
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

static uint32_t lanes_of_warp(const Film *f, uint32_t warp)
{
    uint32_t left = f->block[0] * f->block[1] * f->block[2] - warp * WARP_LANES;
    return left >= WARP_LANES ? 0xFFFFFFFFu : (1u << left) - 1;
}

static void put_step(Writer *w, const FilmStep *s)
{
    StrBuf *b = w->out;
    strbuf_printf(b, "{\"w\":%u,\"i\":%u,\"m\":%u", s->warp, w->inst[s->code][s->pc] - 1, s->active);
    put_some(b, "n", s->n_insts);
    put_some(b, "l", s->n_lanes);
    put_some(b, "t", s->turn);
    if (s->live != lanes_of_warp(w->film, s->warp))
        film_put_number(b, "g", lanes_of_warp(w->film, s->warp) & ~s->live);
    put_some(b, "o", s->other);
    put_some(b, "j", s->joining);
    put_some(b, "b", s->barrier);
    put_some(b, "y", s->sync);
    if (s->event != FILM_CODE)
        put_event(w, s);
    strbuf_puts(b, "}");
}

static void put_block(Writer *w, const FilmBlock *block)
{
    StrBuf *b = w->out;
    strbuf_printf(b, "{\"linear\":%u", block->linear);
    put_triple(b, "index", block->index);
    film_put_number(b, "seen", block->seen);
    film_put_number(b, "kept", block->kept);
    film_put_number(b, "every", block->every);
    strbuf_printf(b, ",\"cut\":%s,\"steps\":[", block->cut ? "true" : "false");
    for (size_t at = 0; at < block->n_bytes; at += film_step_at(block, at)->bytes) {
        strbuf_puts(b, at ? ",\n" : "\n");
        put_step(w, film_step_at(block, at));
    }
    strbuf_puts(b, "]}");
}

static void put_blocks(Writer *w, FilmBlock *const *blocks, size_t n)
{
    strbuf_puts(w->out, ",\"blocks\":[");
    for (size_t i = 0; i < n; i++) {
        strbuf_puts(w->out, i ? ",\n" : "\n");
        put_block(w, blocks[i]);
    }
    strbuf_puts(w->out, "]");
}

/* ---- lines ---- */

typedef struct Line {
    const IrLoc *place;
    uint64_t warp_insts, thread_insts, divergent, requests, sectors, conflicts;
} Line;

static int by_place(const void *a, const void *b)
{
    const IrLoc *x = ((const Line *)a)->place, *y = ((const Line *)b)->place;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static size_t sum_lines(const Film *f, Line *lines)
{
    size_t n = 0;
    for (size_t c = 0; c < f->n_codes; c++)
        for (uint32_t pc = 0; pc < f->codes[c].function->n_insts; pc++) {
            const FilmCode *code = &f->codes[c];
            const IrLoc *place = code->place[pc];
            size_t at = 0;
            if (!place || (!code->counts[pc].warp_insts && !code->requests[pc]))
                continue;
            while (at < n && (lines[at].place->file != place->file || lines[at].place->line != place->line))
                at++;
            if (at == LINES_MAX)
                continue;
            if (at == n)
                lines[n++] = (Line){.place = place};
            lines[at].warp_insts += code->counts[pc].warp_insts;
            lines[at].thread_insts += code->counts[pc].thread_insts;
            lines[at].divergent += code->counts[pc].divergent;
            lines[at].requests += code->requests[pc];
            lines[at].sectors += code->sectors[pc];
            lines[at].conflicts += code->conflicts[pc];
        }
    qsort(lines, n, sizeof *lines, by_place);
    return n;
}

static void film_put_lines(Writer *w)
{
    const IrModule *m = w->film->exec->instance->module;
    Line *lines = calloc(LINES_MAX, sizeof *lines);
    size_t n = lines ? sum_lines(w->film, lines) : 0;
    strbuf_puts(w->out, ",\"lines\":[");
    for (size_t i = 0; i < n; i++) {
        strbuf_printf(w->out, "%s{\"line\":%u", i ? ",\n" : "\n", lines[i].place->line);
        film_put_text(w->out, "file", m->files[lines[i].place->file]);
        film_put_number(w->out, "warp_instructions", lines[i].warp_insts);
        film_put_number(w->out, "thread_instructions", lines[i].thread_insts);
        film_put_number(w->out, "divergent_branches", lines[i].divergent);
        film_put_number(w->out, "requests", lines[i].requests);
        film_put_number(w->out, "sectors", lines[i].sectors);
        film_put_number(w->out, "bank_conflicts", lines[i].conflicts);
        strbuf_puts(w->out, "}");
    }
    strbuf_puts(w->out, "]");
    free(lines);
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
    const IrModule *m = f->exec->instance->module;
    uint32_t fixed = m->functions[f->launch.function].static_shared_bytes;
    const char *separator = "";
    char name[NAME_MAX_SHOWN];
    strbuf_puts(w->out, ",\"shared\":[");
    for (uint32_t i = 0; i < m->n_globals; i++) {
        const IrGlobal *g = &m->globals[i];
        uint64_t offset = f->exec->instance->global_address[i], bytes = g->is_dynamic_shared ? f->shared_bytes - fixed : g->bytes;
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
    const IrFunction *entry = &f->exec->instance->module->functions[f->launch.function];
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
        finding_write(findings[i], FINDING_RECORD, w->out);
        strbuf_puts(w->out, "}");
        separator = ",";
    }
    strbuf_puts(w->out, "]");
}

static void put_totals(Writer *w, const PerfCounters *counters)
{
    const Film *f = w->film;
    strbuf_printf(w->out, ",\"steps\":%llu", (unsigned long long)f->totals.steps);
    film_put_number(w->out, "shuffles", f->totals.shuffles);
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

static void write_film(Writer *w, const PerfCounters *counters, const Finding *const *findings, size_t n_findings,
                       FilmBlock *const *blocks, size_t n)
{
    const Film *f = w->film;
    w->out->length = 0;
    strbuf_puts(w->out, "\"film\":1");
    film_put_text(w->out, "kernel", f->launch.kernel);
    film_put_text(w->out, "symbol", f->exec->instance->module->functions[f->launch.function].name);
    film_put_number(w->out, "launch", f->launch.number);
    put_some(w->out, "site", f->launch.site);
    put_triple(w->out, "grid", f->grid);
    put_triple(w->out, "block", f->block);
    film_put_number(w->out, "shared_bytes", f->shared_bytes);
    put_shared(w);
    put_params(w);
    put_arrays(w);
    put_totals(w, counters);
    film_put_lines(w);
    put_insts(w);
    film_put_findings(w, blocks, n, findings, n_findings);
    put_blocks(w, blocks, n);
    strbuf_puts(w->out, "}");
}

void film_write(Film *f, const PerfCounters *counters, const Finding *const *findings, size_t n_findings)
{
    FilmBlock *blocks[FILM_BLOCKS_MAX], *largest;
    Writer w = {.film = f, .out = &f->json};
    size_t n = film_choose_blocks(f, findings, n_findings, blocks);
    while (bytes_of(blocks, n, &largest) > FILM_JSON_BYTES * 2u / 3u && film_thin(largest)) {
    }
    if (f->exec && !f->no_memory && number_insts(&w, blocks, n))
        write_film(&w, counters, findings, n_findings, blocks, n);
    else
        f->json.failed = true;
    for (size_t c = 0; w.inst && c < f->n_codes; c++)
        free(w.inst[c]);
    free(w.inst);
}
