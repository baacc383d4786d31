/* The set: what it keeps between launches, the list of findings, and interned text. See check.h. */
#include "common/vgpu/check/check_internal.h"
#include "common/vgpu/check/finding_internal.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of places that are told of a variable's races. */
enum { RACE_PAIRS_MAX = 4 };

/* Most bytes of race shadow that one worker takes from the host in one launch. */
#define SHADOW_BYTES_MAX ((size_t)1 << 30)

/* ---- tools ---- */

static const struct {
    const char *name;
    unsigned bit;
} tool_names[] = {
    {"memory", CHECK_MEMORY}, {"race", CHECK_RACE}, {"init", CHECK_INIT}, {"sync", CHECK_SYNC},
    {"leak", CHECK_LEAK},     {"all", CHECK_ALL},   {"none", CHECK_NONE},
};

Status check_parse_tools(const char *text, unsigned *tools, Diag *diag)
{
    unsigned bits = 0;
    for (const char *word = text;;) {
        size_t length = strcspn(word, ",");
        size_t i = 0, n = sizeof tool_names / sizeof *tool_names;
        while (i < n &&
               (strlen(tool_names[i].name) != length || strncmp(tool_names[i].name, word, length) != 0))
            i++;
        if (i == n) {
            Status s = diag_set(diag, STATUS_INVALID, "no check is called '%.*s'", (int)length, word);
            diag_hint(diag, "all, none, or a list of memory,race,init,sync,leak");
            return s;
        }
        bits |= tool_names[i].bit;
        if (word[length] == '\0')
            break;
        word += length + 1;
    }
    *tools = bits;
    return STATUS_OK;
}

_Static_assert(FINDING_N_KINDS <= 64, "a bit each");

/* The kinds that may be raised, as a hint. */
static void hint_raised(Diag *diag)
{
    StrBuf list = {0};
    for (int k = 0; k < FINDING_N_KINDS; k++)
        if (finding_kind_may_rise((FindingKind)k))
            strbuf_printf(&list, "%s%s", list.length ? ", " : "", finding_kind_text((FindingKind)k));
    diag_hint(diag, "advice that can count as a finding: %s", list.failed ? "" : list.text);
    strbuf_free(&list);
}

Status check_parse_raised(const char *text, uint64_t *raised, Diag *diag)
{
    uint64_t bits = 0;
    for (const char *word = text;; word++) {
        FindingKind kind;
        size_t length = strcspn(word, ",");
        if (!finding_kind_named(word, length, &kind) || !finding_kind_may_rise(kind)) {
            Status s = diag_set(diag, STATUS_INVALID, "'%.*s' is no advice that can be raised", (int)length, word);
            hint_raised(diag);
            return s;
        }
        bits |= (uint64_t)1 << kind;
        word += length;
        if (*word == '\0')
            break;
    }
    *raised = bits;
    return STATUS_OK;
}

/* ---- the set ---- */

static void init_locks(CheckSet *set)
{
    pthread_mutex_init(&set->lock, NULL);
    pthread_mutex_init(&set->wide_lock, NULL);
    for (unsigned i = 0; i < CHECK_LINE_LOCKS; i++)
        pthread_mutex_init(&set->line_locks[i], NULL);
}

Status check_create(const CheckOptions *options, CheckSet **out)
{
    unsigned jobs = options->jobs ? options->jobs : 1;
    if (jobs > CHECK_WORKERS_MAX)
        return STATUS_LIMIT;
    CheckSet *set = calloc(1, sizeof *set);
    if (!set)
        return STATUS_NO_MEMORY;
    init_locks(set);
    set->options = *options;
    set->options.jobs = jobs;
    set->n_workers = jobs;
    set->workers = calloc(jobs, sizeof *set->workers);
    set->order = order_launch_create();
    if (!set->workers || !set->order || !record_store_init(&set->records)) {
        check_destroy(set);
        return STATUS_NO_MEMORY;
    }
    for (unsigned w = 0; w < jobs; w++)
        set->workers[w].pool.limit = SHADOW_BYTES_MAX / jobs;
    check_fill_observer(set);
    *out = set;
    return STATUS_OK;
}

void check_destroy(CheckSet *set)
{
    if (!set)
        return;
    check_free_blocks(set);
    for (unsigned w = 0; set->workers && w < set->n_workers; w++) {
        note_table_free(&set->workers[w].notes);
        pool_free(&set->workers[w].pool);
    }
    pthread_mutex_destroy(&set->lock);
    pthread_mutex_destroy(&set->wide_lock);
    for (unsigned i = 0; i < CHECK_LINE_LOCKS; i++)
        pthread_mutex_destroy(&set->line_locks[i]);
    order_launch_free(set->order);
    record_store_free(&set->records);
    free(set->copies);
    free(set->kept);
    free(set->workers);
    free(set->place_base);
    free(set->grids);
    free(set->spawns);
    free(set->slots);
    free(set->names);
    arena_free(&set->arena);
    free(set);
}

const ExecObserver *check_observer(const CheckSet *set)
{
    return &set->observer;
}

void check_set_launch_site(CheckSet *set, uint64_t site)
{
    set->launch_site = site;
}

void check_set_kept(CheckSet *set, const char *name)
{
    set->kept_variable = name ? check_intern(set, name) : NULL;
}

/* ---- interned text ---- */

static size_t hash_text(const char *text)
{
    uint64_t h = 0xCBF29CE484222325u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001B3u;
    return (size_t)h;
}

static bool grow_names(CheckSet *set)
{
    size_t cap = set->cap_names ? set->cap_names * 2 : 64;
    const char **names = calloc(cap, sizeof *names);
    if (!names)
        return false;
    for (size_t i = 0; i < set->cap_names; i++) {
        if (!set->names[i])
            continue;
        size_t at = hash_text(set->names[i]) & (cap - 1);
        while (names[at])
            at = (at + 1) & (cap - 1);
        names[at] = set->names[i];
    }
    free(set->names);
    set->names = names;
    set->cap_names = cap;
    return true;
}

const char *check_intern(CheckSet *set, const char *text)
{
    if (!text || !*text || (set->n_names * 2 >= set->cap_names && !grow_names(set)))
        return "";
    size_t at = hash_text(text) & (set->cap_names - 1);
    for (; set->names[at]; at = (at + 1) & (set->cap_names - 1))
        if (strcmp(set->names[at], text) == 0)
            return set->names[at];
    const char *copy = arena_strndup(&set->arena, text, strlen(text));
    if (!copy)
        return "";
    set->names[at] = copy;
    set->n_names++;
    return copy;
}

/* ---- the list ---- */

static bool same_finding(const FindingKey *a, const FindingKey *b)
{
    return a->kind == b->kind && a->space == b->space && a->access == b->access &&
           a->other_access == b->other_access && a->kernel == b->kernel && a->file == b->file &&
           a->other_file == b->other_file && a->line == b->line && a->column == b->column && a->pc == b->pc &&
           a->other_line == b->other_line && a->other_column == b->other_column &&
           a->other_pc == b->other_pc && a->site == b->site && a->alloc_site == b->alloc_site &&
           a->alloc_bytes == b->alloc_bytes && a->message == b->message;
}

/* The finding that counts this one, too: one of the same key; for races, the first of a variable that has RACE_PAIRS_MAX pairs of
 * places already, since they have one cause most often. NULL: it is a new one. */
static FindingSlot *counting_slot(CheckSet *set, const Finding *f, const FindingKey *key)
{
    FindingSlot *first = NULL;
    int pairs = 0;
    for (size_t i = 0; i < set->n_slots; i++) {
        FindingSlot *slot = &set->slots[i];
        if (same_finding(&slot->key, key))
            return slot;
        bool variable = key->kind == FINDING_RACE && slot->key.kind == key->kind && slot->key.kernel == key->kernel &&
                        slot->key.space == key->space && slot->finding.alloc_address == f->alloc_address;
        first = variable && !first ? slot : first;
        pairs += variable;
    }
    return pairs >= RACE_PAIRS_MAX && !set->options.every_race ? first : NULL;
}

void check_add_finding(CheckSet *set, const Finding *f, const FindingKey *key)
{
    FindingSlot *counts = counting_slot(set, f, key);
    if (counts) {
        counts->finding.count += f->count;
        return;
    }
    if (set->n_slots >= CHECK_FINDINGS_MAX || !VEC_GROW(set->slots, set->n_slots, set->cap_slots)) {
        set->dropped += f->count;
        return;
    }
    FindingSlot *slot = &set->slots[set->n_slots++];
    *slot = (FindingSlot){.finding = *f, .key = *key, .reported_count = f->count};
    slot->finding.id = (uint32_t)(set->n_slots - 1);
    slot->finding.has_address = f->address || f->bytes || f->has_alloc;
    slot->finding.advice = finding_kind_is_advice(key->kind) && !(set->options.raised >> key->kind & 1);
    slot->finding.verdict = slot->finding.advice ? "" : finding_kind_verdict(key->kind);
    if (set->options.report)
        set->options.report(set->options.self, &slot->finding);
}

void check_finish(CheckSet *set)
{
    for (size_t i = 0; i < set->n_slots; i++) {
        FindingSlot *slot = &set->slots[i];
        if (slot->finding.count != slot->reported_count && set->options.report)
            set->options.report(set->options.self, &slot->finding);
        slot->reported_count = slot->finding.count;
    }
}

const Finding *check_finding(const CheckSet *set, size_t i)
{
    return i < set->n_slots ? &set->slots[i].finding : NULL;
}

size_t check_n_findings(const CheckSet *set)
{
    return set->n_slots;
}

uint64_t check_dropped(const CheckSet *set)
{
    return set->dropped;
}
