/* Notes: what the checkers see while a launch runs.
 *
 * Each worker has a table of its own, so that no lock is taken. A note counts its occurrences, and keeps the
 * details of the one in the first block (by linear index): whichever worker ran it, the details are the same.
 *
 * When the launch ends the tables are merged and sorted, places and names become text, and the result joins
 * the set's findings.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- one worker's table ---- */

static bool same_key(const NoteKey *a, const NoteKey *b)
{
    return a->kind == b->kind && a->space == b->space && a->access == b->access &&
           a->other_access == b->other_access && a->place == b->place && a->other == b->other;
}

static size_t hash_key(const NoteKey *k)
{
    uint64_t h = k->place * 0x9E3779B97F4A7C15u;
    h ^= (k->other + 0x7F4A7C15u) * 0xBF58476D1CE4E5B9u;
    h ^= (uint64_t)(k->kind | k->space << 8 | k->access << 16 | k->other_access << 20) * 0x94D049BB133111EBu;
    return (size_t)(h ^ h >> 29);
}

static bool grow_slots(NoteTable *t)
{
    size_t n = t->n_slots ? t->n_slots * 2 : 64;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < t->n; i++) {
        size_t at = hash_key(&t->notes[i].key) & (n - 1);
        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->n_slots = n;
    return true;
}

static Note *find_or_make(NoteTable *t, const NoteKey *key, bool *made)
{
    *made = false;
    if (t->n * 2 >= t->n_slots && !grow_slots(t))
        return NULL;
    size_t at = hash_key(key) & (t->n_slots - 1);
    for (; t->slots[at]; at = (at + 1) & (t->n_slots - 1))
        if (same_key(&t->notes[t->slots[at] - 1].key, key))
            return &t->notes[t->slots[at] - 1];
    if (t->n >= CHECK_NOTES_MAX || !VEC_GROW(t->notes, t->n, t->cap))
        return NULL;
    Note *n = &t->notes[t->n++];
    *n = (Note){.key = *key};
    t->slots[at] = (uint32_t)t->n;
    *made = true;
    return n;
}

Note *note_add(NoteTable *t, const NoteKey *key, uint32_t block, uint64_t count, bool *fresh)
{
    bool made;
    Note *n = find_or_make(t, key, &made);
    if (!n) {
        t->dropped += count;
        return NULL;
    }
    n->count += count;
    *fresh = made || block < n->order;
    if (*fresh)
        n->order = block;
    return n;
}

void note_table_clear(NoteTable *t)
{
    t->n = 0;
    t->dropped = 0;
    if (t->slots)
        memset(t->slots, 0, t->n_slots * sizeof *t->slots);
}

void note_table_free(NoteTable *t)
{
    free(t->notes);
    free(t->slots);
    *t = (NoteTable){0};
}

/* ---- from notes to findings ---- */

static void unflatten(uint64_t linear, const uint32_t dim[3], uint32_t out[3])
{
    out[0] = (uint32_t)(linear % dim[0]);
    out[1] = (uint32_t)(linear / dim[0] % dim[1]);
    out[2] = (uint32_t)(linear / dim[0] / dim[1]);
}

const IrFunction *check_function(const CheckSet *set, Place place, uint32_t *pc)
{
    const IrModule *m = set->launch->instance->module;
    uint32_t low = 0, high = m->n_functions;
    while (high - low > 1) { /* the last function whose first place is not after it */
        uint32_t middle = low + (high - low) / 2;
        if (set->place_base[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    *pc = place - set->place_base[low];
    return &m->functions[low];
}

static void resolve_place(CheckSet *set, Place place, FindingPlace *out, uint32_t *pc)
{
    *out = (FindingPlace){.file = ""};
    *pc = 0;
    if (place == NO_PLACE)
        return;
    const IrModule *m = set->launch->instance->module;
    const IrFunction *f = check_function(set, place, pc);
    const IrLoc *l = ir_place(m, f, *pc);
    if (!l)
        return;
    out->file = check_intern(set, m->files[l->file]);
    out->line = l->line;
    out->column = l->column;
    if (l->parent >= 0) {
        const IrLoc *into = &f->locs[l->parent];
        out->inlined_into_file = check_intern(set, m->files[into->file]);
        out->inlined_into_line = into->line;
    }
}

static const char *kernel_name(CheckSet *set, uint32_t function)
{
    return check_readable(set, set->launch->instance->module->functions[function].name);
}

static const char hint_family[] = "a grid that a kernel launches sees what its thread did before the launch, "
                                  "and nobody waits for it: leave what it "
                                  "uses alone after the launch, and read its results in a grid launched "
                                  "later in the same stream, in a tail launch "
                                  "(cudaStreamTailLaunch), or on the host";

/* The grid of the family that a block belongs to. */
static const CheckGrid *grid_of(const CheckSet *set, uint32_t block)
{
    size_t low = 0, high = set->n_grids;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (set->grids[middle].first_block <= block)
            low = middle;
        else
            high = middle;
    }
    return &set->grids[low];
}

static void put_launched(CheckSet *set, const CheckGrid *g, StrBuf *text)
{
    FindingPlace place;
    uint32_t pc;
    const CheckSpawn *s = &set->spawns[g->number - 1];
    resolve_place(set, s->place, &place, &pc);
    const char *file = strrchr(place.file, '/');
    strbuf_printf(text, "%s, launched by %s", kernel_name(set, g->function),
                  kernel_name(set, set->grids[s->launcher].function));
    if (place.line > 0)
        strbuf_printf(text, " at %s:%u", file ? file + 1 : place.file, place.line);
}

/* The message, and which launches in kernels led to it. */
static const char *with_launches(CheckSet *set, const char *message, const CheckGrid *g,
                                 const CheckGrid *other)
{
    StrBuf text = {0};
    if (g->number == 0 && (!other || other->number == 0))
        return message;
    strbuf_printf(&text, "%s (", message);
    if (g->number > 0)
        put_launched(set, g, &text);
    if (other && other != g) {
        strbuf_puts(&text, g->number > 0 ? "; the other in " : "the other in ");
        if (other->number > 0)
            put_launched(set, other, &text);
        else
            strbuf_puts(&text, kernel_name(set, other->function));
    }
    strbuf_puts(&text, ")");
    const char *kept = check_intern(set, text.failed ? message : text.text);
    strbuf_free(&text);
    return kept;
}

/* Two accesses on two lines are one pair, whichever of the two reads, writes or is named first, and wherever on the line they stand. */
static void make_pair(FindingKey *key)
{
    key->access = key->other_access = 0;
    if (key->line)
        key->column = 0;
    if (key->other_line)
        key->other_column = 0;
    bool apart = key->file == key->other_file && key->line > key->other_line;
    if (apart) {
        uint32_t line = key->line;
        key->line = key->other_line;
        key->other_line = line;
    }
}

/* What nobody wrote is told where it is read; and where it is used, if that is another line. */
static const char *detail_of(CheckSet *set, const Note *n, const FindingPlace *read)
{
    FindingPlace use;
    uint32_t pc;
    resolve_place(set, n->has_use ? n->use : NO_PLACE, &use, &pc);
    bool same = use.line == read->line && strcmp(use.file, read->file) == 0;
    if (!use.line || same)
        return n->detail;
    const char *file = strrchr(use.file, '/');
    StrBuf text = {0};
    strbuf_printf(&text, "the value is used at %s:%u", file ? file + 1 : use.file, use.line);
    const char *kept = check_intern(set, text.failed ? "" : text.text);
    strbuf_free(&text);
    return kept;
}

/* Of a grid that a kernel launched the parameters are another launch's. */
static const char *launch_text(CheckSet *set, const CheckGrid *g)
{
    const ExecLaunch *l = set->launch;
    StrBuf text = {0};
    check_put_launch(&text, &(CheckLaunchText){.function = &l->instance->module->functions[g->function],
                                               .grid = g->grid,
                                               .block = g->block,
                                               .dynamic_shared = g->number == l->family_grid ? l->dynamic_shared : 0,
                                               .params = g->number == l->family_grid ? l->params : NULL,
                                               .mem = l->mem});
    const char *kept = check_intern(set, text.failed ? "" : text.text);
    strbuf_free(&text);
    return kept;
}

void check_finding_of(CheckSet *set, const Note *n, Finding *out, FindingKey *out_key)
{
    const CheckGrid *g = grid_of(set, n->block), *other = NULL;
    const char *kernel = kernel_name(set, g->function);
    Finding f = {
        .kind = finding_kind_text((FindingKind)n->key.kind),
        .kernel = kernel,
        .has_thread = n->key.place != NO_PLACE,
        .address = n->address,
        .bytes = n->bytes,
        .access = n->bytes ? check_access_text(n->key.access) : "",
        .space = n->bytes ? check_space_text(n->key.space) : "",
        .site = {.token = set->launch_site},
        .launched_as = launch_text(set, g),
        .count = n->count,
        .launch = set->launch_number,
        .other_access = "",
    };
    FindingKey key = {.kind = n->key.kind,
                      .space = n->key.space,
                      .access = n->key.access,
                      .other_access = n->key.other_access};
    resolve_place(set, n->key.place, &f.place, &key.pc);
    resolve_place(set, n->key.other, &f.other, &key.other_pc);
    unflatten(n->block - g->first_block, g->grid, f.block);
    unflatten(n->thread, g->block, f.thread);
    if (n->key.other != NO_PLACE) {
        f.has_other = f.has_other_thread = true;
        f.other_access = check_access_text(n->key.other_access);
        other = grid_of(set, n->other_block);
        unflatten(n->other_block - other->first_block, other->grid, f.other_block);
        unflatten(n->other_thread, other->block, f.other_thread);
    }
    f.parameter = n->parameter;
    check_put_alloc(set, &f, n->has_alloc ? &n->alloc : NULL);
    f.message = with_launches(set, check_title(set, &f, detail_of(set, n, &f.place)), g, other);
    bool family_race = other && other != g;
    f.hint = family_race ? hint_family : hint_for(set, &f, n);

    key.kernel = kernel;
    key.file = f.place.file;
    key.line = f.place.line;
    key.column = f.place.column;
    key.other_file = f.other.file;
    key.other_line = f.other.line;
    key.other_column = f.other.column;
    if (f.place.line)
        key.pc = 0;
    if (f.other.line)
        key.other_pc = 0;
    if (n->key.kind == FINDING_RACE && !set->options.every_race)
        make_pair(&key);
    *out = f;
    *out_key = key;
}

static void add_note(CheckSet *set, const Note *n)
{
    Finding f;
    FindingKey key;
    check_finding_of(set, n, &f, &key);
    check_add_finding(set, &f, &key);
}

/* The order of a launch's findings: the first block's first, then by place. */
static int compare_notes(const void *pa, const void *pb)
{
    const Note *a = pa, *b = pb;
#define BY(field)                                                                                            \
    if (a->field != b->field)                                                                                \
    return a->field < b->field ? -1 : 1
    BY(order);
    BY(key.place);
    BY(key.kind);
    BY(key.other);
    BY(key.space);
    BY(key.access);
    BY(key.other_access);
#undef BY
    return 0;
}

/* All notes of a launch in the first worker's table. */
static NoteTable *join_tables(CheckSet *set)
{
    NoteTable *to = &set->workers[0].notes;
    for (unsigned w = 1; w < set->n_workers; w++) {
        NoteTable *from = &set->workers[w].notes;
        for (size_t i = 0; i < from->n; i++) {
            bool fresh;
            Note *n = note_add(to, &from->notes[i].key, from->notes[i].order, from->notes[i].count, &fresh);
            if (n && fresh) {
                uint64_t count = n->count;
                *n = from->notes[i];
                n->count = count;
            }
        }
        to->dropped += from->dropped;
    }
    return to;
}

/* Of a store that races: that nothing orders it has been said. */
static bool is_in_race(const NoteTable *t, const Note *n)
{
    for (size_t k = 0; k < t->n; k++) {
        const NoteKey *race = &t->notes[k].key;
        if (race->kind == FINDING_RACE && (race->place == n->key.place || race->other == n->key.place))
            return true;
    }
    return false;
}

/* Threads that have exited miss every barrier after that: what is told is the first barrier of a kernel, and not even that
 * where threads came apart at one. */
static bool is_told(const CheckSet *set, const NoteTable *t, size_t i)
{
    const Note *n = &t->notes[i];
    if (n->key.kind == FINDING_VOLATILE || n->key.kind == FINDING_SAME_VALUE)
        return is_in_race(t, n);
    for (size_t k = 0; n->key.kind == FINDING_BARRIER_EXITED && k < t->n; k++) {
        const Note *other = &t->notes[k];
        bool says_it = other->key.kind == FINDING_BARRIER_DIVERGENT || (other->key.kind == n->key.kind && k < i);
        if (says_it && grid_of(set, other->block)->function == grid_of(set, n->block)->function)
            return true;
    }
    return false;
}

/* Who has ended before a barrier has loaded nothing of what others read behind it. */
static void tell_exits(const CheckSet *set, NoteTable *t)
{
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; t->notes[i].key.kind == FINDING_UNINITIALIZED && k < t->n; k++)
            if (t->notes[k].key.kind == FINDING_BARRIER_EXITED &&
                grid_of(set, t->notes[k].block)->function == grid_of(set, t->notes[i].block)->function)
                t->notes[i].after_exit = true;
}

void check_merge(CheckSet *set)
{
    undefined_end_launch(set);
    NoteTable *t = join_tables(set);
    bool limited = false;
    for (unsigned w = 0; w < set->n_workers; w++)
        limited |= set->workers[w].limited;
    if (t->n || limited) {
        if (t->n)
            qsort(t->notes, t->n, sizeof *t->notes, compare_notes);
        tell_exits(set, t);
        for (size_t i = 0; i < t->n; i++)
            if (!is_told(set, t, i))
                add_note(set, &t->notes[i]);
        if (limited) {
            Note n = {.key = {.kind = FINDING_LIMIT, .place = NO_PLACE, .other = NO_PLACE}, .count = 1};
            add_note(set, &n);
        }
    }
    set->dropped += t->dropped;
    for (unsigned w = 0; w < set->n_workers; w++)
        note_table_clear(&set->workers[w].notes);
}
