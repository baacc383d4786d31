/* The observer: what warps do becomes steps of their blocks.
 *
 * Instructions of one warp at one line, under one mask, are put together until something happens that is worth a step of its own.
 * Loads are told before their effect, and so are stores: what a load will get lies in memory, what a store gives in its registers.
 */
#include "common/vgpu/film/film_internal.h"

#include "common/base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES_MAX = 16 };

/* What goes with a step. */
typedef struct Payload {
    FilmRun runs[WARP_LANES];
    uint8_t values[WARP_LANES * VALUE_BYTES_MAX];
} Payload;

/* ---- functions ---- */

static bool fill_code(Film *f, FilmCode *c, const IrFunction *function)
{
    *c = (FilmCode){.function = function, .place = ARENA_NEW_ARRAY(&f->arena, const IrLoc *, function->n_insts + 1)};
    for (uint32_t pc = 0; c->place && pc < function->n_insts; pc++)
        c->place[pc] = ir_place(f->launch.instance->module, function, pc);
    return c->place && film_want_values(f, c);
}

/* Index of a function, noted on first sight; -1: no memory. */
static int code_of(Film *f, const IrFunction *function)
{
    for (size_t i = 0; i < f->n_codes; i++)
        if (f->codes[i].function == function)
            return (int)i;
    if (f->n_codes > UINT16_MAX || !VEC_GROW(f->codes, f->n_codes, f->codes_cap) ||
        !fill_code(f, &f->codes[f->n_codes], function)) {
        f->no_memory = true;
        return -1;
    }
    return (int)f->n_codes++;
}

static bool same_line(const IrLoc *a, const IrLoc *b)
{
    return a == b || (a && b && a->file == b->file && a->line == b->line);
}

/* ---- arrays ---- */

static bool is_written(const MemAlloc *a, uint64_t at)
{
    return !a->init || a->init[at / 8] >> at % 8 & 1;
}

/* Bytes that nobody has written, as far as there is room for them. */
static void note_unwritten(FilmArray *array, const MemAlloc *a)
{
    enum { RANGES = sizeof array->unwritten / sizeof array->unwritten[0] };
    for (uint64_t at = 0; at < a->bytes && a->init && array->n_unwritten < RANGES; at++) {
        uint64_t from = at + mem_first_uninit(a, a->addr + at, a->bytes - at);
        if (from >= a->bytes)
            return;
        for (at = from; at < a->bytes && !is_written(a, at); at++) {
        }
        array->unwritten[array->n_unwritten].from = from;
        array->unwritten[array->n_unwritten++].to = at;
    }
}

static void note_arrays(Film *f)
{
    enum { UNWRITTEN_BYTES_MAX = 1 << 20 };
    const MemAlloc *a;
    f->n_arrays = f->more_arrays = 0;
    for (size_t i = 0; (a = mem_at(f->exec->mem, i)); i++) {
        if (a->kind == MEM_INTERNAL || f->n_arrays == FILM_ARRAYS_MAX) {
            f->more_arrays += a->kind != MEM_INTERNAL;
            continue;
        }
        FilmArray *array = &f->arrays[f->n_arrays++];
        *array = (FilmArray){.serial = a->serial, .addr = a->addr, .bytes = a->bytes, .site = a->site, .kind = a->kind};
        array->name = a->name ? arena_strndup(&f->arena, a->name, strlen(a->name)) : NULL;
        if (a->bytes <= UNWRITTEN_BYTES_MAX)
            note_unwritten(array, a);
    }
}

static uint32_t array_of(Film *f, const MemAlloc *a)
{
    for (size_t i = 0; a && i < f->n_arrays; i++)
        if (f->arrays[i].serial == a->serial && f->arrays[i].addr == a->addr) {
            f->arrays[i].used = true;
            return a->serial;
        }
    return 0;
}

/* ---- blocks ---- */

static FilmBlock *block_of(const Film *f, const ExecWho *who)
{
    return who->slot < f->n_open ? f->open[who->slot] : NULL;
}

void *film_per_code(FilmPerCode *all, uint16_t code, size_t count, size_t size)
{
    if (code < all->n && all->of[code])
        return all->of[code];
    if (code >= all->n) {
        void **grown = realloc(all->of, (code + 1u) * sizeof *grown);
        if (!grown)
            return NULL;
        memset(grown + all->n, 0, (code + 1u - all->n) * sizeof *grown);
        all->of = grown;
        all->n = code + 1u;
    }
    return all->of[code] = calloc(count, size);
}

void film_forget_per_code(FilmPerCode *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->of[i]);
    free(all->of);
    *all = (FilmPerCode){0};
}

static void forget_turns(Film *f, FilmBlock *b)
{
    film_forget_warps(f, b);
    film_forget_per_code(&b->turns);
    free(b->here.of);
    b->here = (FilmWaits){0};
}

/* How often the step's warp has come by its last instruction before. NULL: no memory. */
static uint32_t *turn_of(Film *f, FilmBlock *b, const FilmStep *s)
{
    const size_t n_insts = f->codes[s->code].function->n_insts;
    uint32_t *turns = film_per_code(&b->turns, s->code, f->n_warps * n_insts + 1, sizeof *turns);
    f->no_memory |= !turns;
    return turns ? &turns[s->warp * n_insts + s->pc] : NULL;
}

/* Will the pending step be kept if it ends now? Then what else it says need not be found out. */
static bool will_be_kept(Film *f, FilmBlock *b)
{
    const uint32_t *turn = turn_of(f, b, &b->pending);
    return turn && *turn % b->every == 0;
}

/* The pending step is over. */
static void close_step(Film *f, FilmBlock *b, const FilmRun *runs, const uint8_t *values)
{
    FilmStep *s = &b->pending;
    uint32_t *turn = turn_of(f, b, s);
    if (!turn)
        return;
    if (s->event == FILM_BARRIER) /* of the turn in which its warp came there */
        s->turn = *turn ? *turn - 1 : 0;
    else
        s->turn = (*turn)++;
    f->steps++;
    b->seen++;
    if (film_is_kept(b, s)) {
        b->n_told = b->waits.n;
        s->n_waits = (uint32_t)b->n_told;
        film_take_held(f, b);
        s->held_bytes = (uint32_t)f->n_held;
        s->bytes = (uint32_t)(sizeof *s + s->n_runs * sizeof *runs + (uint32_t)s->n_values * s->n_value_bytes);
        s->bytes = (s->bytes + 7) / 8 * 8 + s->held_bytes;
        film_keep(f, b, s, runs, values);
    }
    s->n_insts = s->n_lanes = 0;
}

static bool is_pending(const FilmBlock *b)
{
    return b->pending.n_insts > 0;
}

static void flush(Film *f, FilmBlock *b)
{
    if (!is_pending(b))
        return;
    film_settle_write(f, b, b->pending.warp);
    close_step(f, b, NULL, NULL);
}

/* The pending step of who's warp, which an event is about to end; without one, an empty one. */
static FilmStep *step_for(Film *f, FilmBlock *b, const ExecWho *who, FilmEvent event, uint32_t mask)
{
    FilmStep *s = &b->pending;
    if (is_pending(b) && s->warp != who->warp)
        flush(f, b);
    if (!is_pending(b)) {
        int code = code_of(f, who->function);
        uint32_t pc = who->inst ? (uint32_t)(who->inst - who->function->insts) : 0;
        *s = (FilmStep){.warp = (uint8_t)who->warp, .code = (uint16_t)(code < 0 ? 0 : code), .pc = pc};
        s->active = mask;
        s->live = who->live;
    }
    s->event = (uint8_t)event;
    s->mask = mask;
    return s;
}

static void end_simple(Film *f, const ExecWho *who, FilmEvent event, uint32_t mask)
{
    FilmBlock *b = block_of(f, who);
    if (!b)
        return;
    step_for(f, b, who, event, mask);
    close_step(f, b, NULL, NULL);
}

/* ---- events ---- */

static void film_on_launch_begin(void *self, const ExecLaunch *launch)
{
    Film *f = self;
    f->exec = launch;
    memcpy(f->grid, launch->grid, sizeof f->grid);
    memcpy(f->block, launch->block, sizeof f->block);
    f->n_blocks = (uint64_t)f->grid[0] * f->grid[1] * f->grid[2];
    f->n_warps = (f->block[0] * f->block[1] * f->block[2] + WARP_LANES - 1) / WARP_LANES;
    const IrFunction *entry = &launch->instance->module->functions[launch->function];
    f->param_bytes = entry->param_bytes;
    f->params = arena_alloc(&f->arena, entry->param_bytes + 1);
    if (f->params && launch->params)
        memcpy(f->params, launch->params, entry->param_bytes);
    f->ends = FILM_ENDS;
    note_arrays(f);
    code_of(f, entry);
}

static bool film_on_wants_steps(void *self, uint64_t block)
{
    return film_block_wanted(self, block);
}

static void film_on_block_begin(void *self, const ExecWho *who, uint32_t shared_bytes)
{
    Film *f = self;
    f->shared_bytes = shared_bytes;
    if (who->slot >= f->n_open) {
        FilmBlock **grown = realloc(f->open, (who->slot + 1u) * sizeof(FilmBlock *));
        f->no_memory |= !grown;
        if (!grown)
            return;
        memset(grown + f->n_open, 0, (who->slot + 1u - f->n_open) * sizeof(FilmBlock *));
        f->open = grown;
        f->n_open = who->slot + 1u;
    }
    uint64_t linear = who->block[0] + (uint64_t)f->grid[0] * (who->block[1] + (uint64_t)f->grid[1] * who->block[2]);
    f->open[who->slot] = NULL;
    if (!film_block_wanted(f, linear))
        return;
    FilmBlock *b = calloc(1, sizeof *b);
    f->no_memory |= !b;
    if (!b)
        return;
    if (film_wants_values(f) && !(b->warps = calloc(f->n_warps, sizeof *b->warps)))
        f->no_memory = true;
    b->linear = (uint32_t)linear;
    memcpy(b->index, who->block, sizeof b->index);
    b->every = 1;
    *(f->last ? &f->last->next : &f->blocks) = b;
    f->last = f->open[who->slot] = b;
}

static void keep_shuffle(Film *f, FilmBlock *b, const ExecWho *who, const ExecStep *step)
{
    Payload p = {.runs = {{0}}};
    FilmStep *s = step_for(f, b, who, FILM_SHUFFLE, step->mask);
    uint32_t n = 0;
    for (uint32_t left = step->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        p.runs[n] = (FilmRun){.base = step->from[lane], .n = 1};
        memcpy(p.values + (size_t)n * 4, &step->value[step->from[lane] & 31], 4);
        n++;
    }
    s->n_runs = s->n_values = (uint8_t)n;
    s->n_value_bytes = 4;
    close_step(f, b, p.runs, p.values);
}

/* Which barrier the lanes come to; 0 where the instruction names none. */
static uint8_t barrier_number(const ExecWho *who, const ExecStep *step)
{
    const IrOperand *o = &who->inst->src[0];
    const uint8_t *lanes = o->kind == IR_CONST ? who->function->pool : o->kind == IR_REG ? step->regs : NULL;
    uint8_t number = 0;
    if (lanes && o->bytes)
        memcpy(&number, lanes + o->off + (size_t)__builtin_ctz(step->mask) * o->bytes, sizeof number);
    return number;
}

/* The cluster's barrier is waited for by another instruction than the one that comes to it; by nobody if it has ended by then. */
static void come_to_barrier(Film *f, FilmBlock *b, const ExecWho *who, const ExecStep *step)
{
    FilmStep *s = &b->pending;
    const bool cluster = who->inst->async != 0;
    FilmWait w = {.mask = step->mask, .pc = s->pc, .code = s->code, .warp = s->warp, .id = cluster ? EXEC_CLUSTER_BARRIER : barrier_number(who, step)};
    if (who->inst->async == ASYNC_CLUSTER_WAIT)
        w.mask &= film_have_passed(b, who->warp, EXEC_CLUSTER_BARRIER);
    w.passes = cluster ? who->inst->async == ASYNC_CLUSTER_ARRIVE : who->inst->mode == BAR_ARRIVE;
    if (!w.mask)
        return;
    s->arrived = film_wait_arrive(f, b, &w);
    s->passes = w.passes;
    end_simple(f, who, FILM_ARRIVE, w.mask);
}

static void film_on_step(void *self, const ExecWho *who, const ExecStep *step)
{
    Film *f = self;
    FilmBlock *b = block_of(f, who);
    if (!b)
        return;
    b->insts++;
    film_settle_write(f, b, who->warp);
    int code = code_of(f, who->function);
    if (code < 0)
        return;
    FilmStep *s = &b->pending;
    uint32_t pc = (uint32_t)(who->inst - who->function->insts);
    const FilmCode *c = &f->codes[code];
    if (is_pending(b) && (s->warp != who->warp || s->code != code || s->active != step->active ||
                          !same_line(c->place[pc], c->place[s->pc])))
        flush(f, b);
    uint32_t n_insts = s->n_insts, n_lanes = s->n_lanes;
    *s = (FilmStep){.warp = (uint8_t)who->warp,
                    .code = (uint16_t)code,
                    .pc = pc,
                    .active = step->active,
                    .live = who->live,
                    .other = step->other,
                    .joining = step->joining,
                    .sync = step->sync,
                    .n_insts = n_insts + 1,
                    .n_lanes = n_lanes + bits_count(step->mask),
                    .mask = step->mask};
    b->regs = step->regs;
    b->local = step->local;
    b->local_stride = step->local_stride;
    PtxOpcode opcode = (PtxOpcode)who->inst->opcode;
    if (!step->mask)
        return;
    film_note_write(f, b, who->warp, (uint16_t)code, pc);
    if (opcode == PTX_SHFL) {
        f->shuffles++;
        keep_shuffle(f, b, who, step);
    } else if ((opcode == PTX_BAR || opcode == PTX_BARRIER) && (who->inst->async || who->inst->mode != BAR_WARP)) {
        come_to_barrier(f, b, who, step);
    } else if (opcode == PTX_EXIT || (opcode == PTX_RET && f->codes[code].function->is_entry)) {
        end_simple(f, who, FILM_EXIT, step->mask);
    }
}

static uint8_t make_runs(const uint64_t *addr, uint32_t mask, FilmRun *runs)
{
    uint8_t n = 0;
    int last = -2;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        FilmRun *r = n ? &runs[n - 1] : NULL;
        int64_t step = r ? (int64_t)(addr[lane] - (r->base + (uint64_t)r->stride * (r->n - 1))) : 0;
        if (r && lane == last + 1 && (r->n == 1 || step == r->stride)) {
            r->stride = step;
            r->n++;
        } else {
            runs[n++] = (FilmRun){.base = addr[lane], .n = 1};
        }
        last = lane;
    }
    return n;
}

/* The values of the lanes: those that are stored, or those that memory has. */
static void keep_values(FilmStep *s, const ExecAccess *a, uint8_t *values)
{
    uint32_t n = 0, bytes = a->bytes;
    bool stores = a->kind == ACCESS_STORE;
    if (bytes == 0 || bytes > VALUE_BYTES_MAX || (stores && !a->n_values) || (!stores && !a->host && !a->host0) ||
        a->async == ACCESS_BEGINS)
        return;
    for (uint32_t left = a->mask; left; left &= left - 1, n++) {
        int lane = __builtin_ctz(left);
        uint8_t *to = values + (size_t)n * bytes;
        if (!stores)
            memcpy(to, exec_access_host(a, (unsigned)lane), bytes);
        for (uint32_t k = 0, each = stores ? bytes / a->n_values : 0; stores && k < a->n_values; k++)
            memcpy(to + k * each, a->value[k] + (size_t)lane * a->value_stride, each);
    }
    bool same = true;
    for (uint32_t i = 1; i < n && same; i++)
        same = memcmp(values, values + (size_t)i * bytes, bytes) == 0;
    s->n_values = (uint8_t)(same ? 1 : n);
    s->n_value_bytes = (uint16_t)bytes;
}

static void set_cost(FilmStep *s, const ExecAccess *a)
{
    unsigned lines = 0, wavefronts = 0, least = 0;
    s->sectors = a->space == SPACE_GLOBAL ? (uint16_t)perf_sectors(a, &lines) : 0;
    if (a->space == SPACE_SHARED)
        perf_wavefronts(a, &wavefronts, &least);
    s->lines = (uint16_t)lines;
    s->wavefronts = (uint16_t)wavefronts;
    s->least = (uint16_t)least;
}

static void film_on_access(void *self, const ExecWho *who, const ExecAccess *a)
{
    Film *f = self;
    FilmBlock *b = block_of(f, who);
    if (!b || !a->mask || a->async == ACCESS_LANDS) /* shown when it began */
        return;
    Payload p;
    FilmStep *s = step_for(f, b, who, FILM_ACCESS, a->mask);
    if (will_be_kept(f, b)) {
        s->kind = a->kind;
        s->space = a->space;
        s->async = a->async;
        s->access_bytes = (uint8_t)a->bytes;
        set_cost(s, a);
        s->array = array_of(f, a->alloc);
        s->n_runs = make_runs(a->addr, a->mask, p.runs);
        keep_values(s, a, p.values);
    }
    close_step(f, b, p.runs, p.values);
}

/* Blocks that nobody records need not be told warp by warp. */
static bool film_on_access_wide(void *self, const ExecWho *who, const ExecWideAccess *a)
{
    (void)a;
    return !block_of(self, who);
}

static void film_on_barrier(void *self, const ExecWho *who, uint32_t id)
{
    Film *f = self;
    FilmBlock *b = block_of(f, who);
    if (!b)
        return;
    flush(f, b);
    film_wait_end(f, b, id);
    end_simple(f, who, FILM_BARRIER, 0);
}

static void film_on_barrier_part(void *self, const ExecWho *who, const uint32_t *arrived,
                                 const uint32_t *waited, uint32_t n_warps)
{
    Film *f = self;
    FilmBlock *b = block_of(f, who);
    if (!b)
        return;
    flush(f, b);
    film_wait_end_part(f, b, arrived, waited, n_warps);
    end_simple(f, who, FILM_BARRIER, 0);
}

static void film_on_warp_sync(void *self, const ExecWho *who, uint32_t mask)
{
    Film *f = self;
    end_simple(f, who, FILM_WARP_SYNC, mask);
}

static void film_on_fence(void *self, const ExecWho *who, uint32_t mask, IrSem sem, IrScope scope)
{
    (void)sem, (void)scope;
    Film *f = self;
    end_simple(f, who, FILM_FENCE, mask);
}

static void film_on_fault(void *self, const ExecWho *who, const ExecFault *fault)
{
    Film *f = self;
    FilmBlock *b = block_of(f, who);
    if (!b)
        return;
    Payload p;
    FilmStep *s = step_for(f, b, who, FILM_FAULT, fault->mask);
    s->kind = fault->kind;
    s->space = fault->space;
    s->access_bytes = (uint8_t)fault->bytes;
    s->n_runs = fault->addr && fault->mask ? make_runs(fault->addr, fault->mask, p.runs) : 0;
    b->faulted = true;
    close_step(f, b, p.runs, NULL);
}

static void film_on_block_end(void *self, const ExecWho *who)
{
    Film *f = self;
    FilmBlock *b = block_of(f, who);
    if (!b)
        return;
    flush(f, b);
    forget_turns(f, b);
    f->open[who->slot] = NULL;
    if (b == f->blocks)
        film_set_ends(f, b->insts);
}

/* Blocks that a fault has cut short have not ended. */
static void film_on_launch_end(void *self, const ExecLaunch *launch)
{
    (void)launch;
    Film *f = self;
    for (size_t i = 0; i < f->n_open; i++) {
        if (!f->open[i])
            continue;
        flush(f, f->open[i]);
        forget_turns(f, f->open[i]);
        f->open[i] = NULL;
    }
}

/* ---- a film ---- */

Status film_create(const FilmOptions *options, Film **out, Diag *diag)
{
    Status st = film_check_blocks(options->blocks, diag);
    if (st != STATUS_OK)
        return st;
    Film *f = *out = calloc(1, sizeof *f);
    if (!f)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a film");
    f->options = *options;
    if (f->options.block_bytes == 0)
        f->options.block_bytes = FILM_BLOCK_BYTES;
    f->observer = (ExecObserver){.self = f,
                                 .launch_begin = film_on_launch_begin,
                                 .block_begin = film_on_block_begin,
                                 .access = film_on_access,
                                 .access_wide = film_on_access_wide,
                                 .takes_rows = true,
                                 .step = film_on_step,
                                 .wants_steps = film_on_wants_steps,
                                 .barrier = film_on_barrier,
                                 .barrier_part = film_on_barrier_part,
                                 .warp_sync = film_on_warp_sync,
                                 .fence = film_on_fence,
                                 .fault = film_on_fault,
                                 .block_end = film_on_block_end,
                                 .launch_end = film_on_launch_end};
    return STATUS_OK;
}

static void forget_launch(Film *f)
{
    for (FilmBlock *b = f->blocks, *next; b; b = next) {
        next = b->next;
        forget_turns(f, b);
        free(b->steps);
        free(b->waits.of);
        free(b);
    }
    f->blocks = f->last = NULL;
    free(f->codes);
    f->codes = NULL;
    f->n_codes = f->codes_cap = 0;
    f->steps = f->shuffles = 0;
    f->no_memory = false;
    arena_free(&f->arena);
    f->arena = (Arena){0};
}

void film_destroy(Film *f)
{
    if (!f)
        return;
    forget_launch(f);
    free(f->open);
    free(f->held);
    strbuf_free(&f->json);
    strbuf_free(&f->steps_json);
    free(f);
}

bool film_begin(Film *f, const FilmLaunch *launch)
{
    if (f->done || !film_launch_wanted(f, launch))
        return false;
    f->looked++;
    forget_launch(f);
    f->launch = *launch;
    return true;
}

const ExecObserver *film_observer(Film *f)
{
    return &f->observer;
}

/* A finding that has nothing to do with the kernel makes no launch the wanted one. */
static bool has_finding(const Finding *const *findings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!findings[i]->advice && findings[i]->kernel && findings[i]->kernel[0])
            return true;
    return false;
}

bool film_end(Film *f, const FilmCounts *counts, const Finding *const *findings, size_t n_findings)
{
    bool found = f->options.launch || has_finding(findings, n_findings);
    bool better = found || f->json.length == 0;
    if (better)
        film_write(f, counts, findings, n_findings);
    f->done = found || f->looked >= FILM_LAUNCHES_MAX;
    forget_launch(f);
    return better && !f->json.failed && !f->steps_json.failed;
}

const StrBuf *film_json(const Film *f)
{
    return &f->json;
}

const StrBuf *film_steps(const Film *f)
{
    return &f->steps_json;
}
