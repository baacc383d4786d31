/* Reading the record; see provenance_internal.h. */
#include "grader/judge/provenance_internal.h"

#include "grader/judge/json_fields.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

typedef struct RecordReader {
    JsonFields f;
    Arena *arena;
    Record *r;
    const unsigned char *bin;
    size_t bin_length;
    size_t ids_cap;           /* of the record's read_ids */
    RecordOut *out;           /* that is being read */
    RecordFunction *function; /* the same */
} RecordReader;

static void wrong(RecordReader *w, const char *where, const char *what)
{
    json_fields_fail(&w->f, STATUS_PARSE, where, what);
}

static bool fine(const RecordReader *w)
{
    return w->f.status == STATUS_OK;
}

/* A whole number from 0 to most. */
static uint64_t record_number(RecordReader *w, const json_t *value, uint64_t most, const char *where)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most) {
        wrong(w, where, "expected a whole number in its range");
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static uint64_t number_at(RecordReader *w, const json_t *object, const char *key, uint64_t most)
{
    return record_number(w, json_object_get(object, key), most, key);
}

/* Reads a list, which must be there: each item into an element of *items, of which there are *n so far. */
static void read_list(RecordReader *w, const json_t *object, const char *key, size_t size, void *items, size_t *n,
                      void (*read)(RecordReader *w, const json_t *item, void *to))
{
    const json_t *list = json_object_get(object, key);
    if (!json_is_array(list)) {
        wrong(w, key, "expected a list");
        return;
    }
    char *room = arena_alloc(w->arena, size * (json_array_size(list) + 1));
    if (!room)
        json_fields_fail(&w->f, STATUS_NO_MEMORY, key, "no memory");
    memcpy(items, &room, sizeof room);
    for (size_t i = 0; i < json_array_size(list) && fine(w); i++) {
        ++*n;
        read(w, json_array_get(list, i), room + i * size);
    }
}

static uint64_t times_of(RecordReader *w, const json_t *item)
{
    return json_object_get(item, "times") ? number_at(w, item, "times", INT64_MAX) : 1;
}

/* The bytes of FILE.bin that an item names. */
static const unsigned char *bytes_of(RecordReader *w, const json_t *item, size_t *n)
{
    uint64_t at = number_at(w, item, "at", w->bin_length);
    *n = number_at(w, item, "bytes", w->bin_length);
    if (fine(w) && *n > w->bin_length - at)
        wrong(w, "bytes", "more than there are");
    return w->bin + (fine(w) ? at : 0);
}

/* Each id has one row. */
static uint32_t define_id(RecordReader *w, const json_t *item, OriginKind kind, size_t at)
{
    uint32_t id = (uint32_t)number_at(w, item, "id", PROVENANCE_IDS - 1);
    if (!fine(w))
        return 0;
    if (id == 0 || w->r->origins[id].kind != ORIGIN_NOBODY)
        wrong(w, "id", "0, or a second time");
    w->r->origins[id].kind = (uint8_t)kind;
    w->r->origins[id].at = (uint32_t)at;
    return id;
}

static void read_host(RecordReader *w, const json_t *item, void *to)
{
    RecordHost *h = to;
    h->id = define_id(w, item, ORIGIN_HOST, w->r->n_hosts - 1);
    h->merged = json_field_bool(&w->f, item, "merged");
    if (h->merged)
        h->n = number_at(w, item, "bytes", INT64_MAX);
    else
        h->bytes = bytes_of(w, item, &h->n);
    h->times = times_of(w, item);
    h->copied = strcmp(json_field_text(&w->f, item, "how"), "copy") == 0;
}

static void read_fill(RecordReader *w, const json_t *item, void *to)
{
    RecordFill *fill = to;
    fill->id = define_id(w, item, ORIGIN_FILL, w->r->n_fills - 1);
    fill->value = number_at(w, item, "value", INT64_MAX);
    fill->times = times_of(w, item);
}

static void add_run(RecordReader *w, RecordOut *out, uint64_t bytes, uint64_t id)
{
    uint64_t at = out->n_runs ? out->runs[out->n_runs].start : 0;
    if (bytes > out->n - at || id >= PROVENANCE_IDS) {
        wrong(w, "origins", "more bytes than the row has, or no such id");
        return;
    }
    out->runs[out->n_runs++].id = (uint32_t)id;
    out->runs[out->n_runs].start = at + bytes;
    out->id_last = id > out->id_last ? (uint32_t)id : out->id_last;
}

static void read_text_run(RecordReader *w, const json_t *run, void *to)
{
    (void)to; /* add_run knows */
    uint64_t bytes = record_number(w, json_array_get(run, 0), w->out->n, "origins");
    uint64_t id = record_number(w, json_array_get(run, 1), PROVENANCE_IDS - 1, "origins");
    add_run(w, w->out, bytes, id);
}

/* [at, n]: n pairs of 32 bits in FILE.bin, the lower byte first. */
static void read_byte_runs(RecordReader *w, const json_t *where, RecordOut *out)
{
    enum { PAIR = 8 };
    size_t at = record_number(w, json_array_get(where, 0), w->bin_length, "runs");
    size_t n = record_number(w, json_array_get(where, 1), (w->bin_length - at) / PAIR, "runs");
    out->runs = ARENA_NEW_ARRAY(w->arena, RecordRun, n + 1);
    if (!out->runs)
        json_fields_fail(&w->f, STATUS_NO_MEMORY, "runs", "no memory");
    for (size_t i = 0; i < n && fine(w); i++) {
        uint32_t pair[2];
        memcpy(pair, w->bin + at + i * PAIR, sizeof pair);
        add_run(w, out, le32toh(pair[0]), le32toh(pair[1]));
    }
}

/* (bytes, id), which sum to the row's bytes. */
static void read_runs(RecordReader *w, const json_t *item, RecordOut *out)
{
    const json_t *where = json_object_get(item, "runs");
    size_t n = 0;
    w->out = out;
    if (where)
        read_byte_runs(w, where, out);
    else
        read_list(w, item, "origins", sizeof *out->runs, &out->runs, &n, read_text_run);
    if (fine(w) && out->runs[out->n_runs].start != out->n)
        wrong(w, "origins", "they do not sum to the bytes");
}

static void read_out(RecordReader *w, const json_t *item, void *to)
{
    RecordOut *out = to;
    out->bytes = bytes_of(w, item, &out->n);
    out->times = times_of(w, item);
    if (fine(w))
        read_runs(w, item, out);
}

static void read_store(RecordReader *w, const json_t *item, void *to)
{
    RecordStore *s = to;
    s->id = define_id(w, item, ORIGIN_STORE, w->r->n_stores - 1);
    s->group = (uint32_t)number_at(w, item, "group", UINT32_MAX);
    s->site = (uint32_t)number_at(w, item, "site", PROVENANCE_FUNCTION_MAX - 1);
}

static void read_op(RecordReader *w, const json_t *op, void *to)
{
    *(RecordOp *)to = (RecordOp){
        .pc = (uint32_t)record_number(w, json_array_get(op, 0), PROVENANCE_FUNCTION_MAX - 1, "ops"),
        .count = (double)record_number(w, json_array_get(op, 1), INT64_MAX, "ops")};
}

static int by_pc(const void *a, const void *b)
{
    uint32_t p = ((const RecordRead *)a)->pc, q = ((const RecordRead *)b)->pc;
    return (p > q) - (p < q);
}

static bool room_for_ids(RecordReader *w, size_t n)
{
    Record *r = w->r;
    if (r->n_read_ids + n <= w->ids_cap)
        return true;
    size_t more = 2 * (r->n_read_ids + n);
    uint32_t *ids = more < UINT32_MAX ? arena_alloc(w->arena, more * sizeof *ids) : NULL;
    if (!ids) {
        json_fields_fail(&w->f, STATUS_NO_MEMORY, "reads", "no memory");
        return false;
    }
    if (r->n_read_ids)
        memcpy(ids, r->read_ids, r->n_read_ids * sizeof *ids);
    r->read_ids = ids;
    w->ids_cap = more;
    return true;
}

/* [pc, [id, ...]]. */
static void read_read(RecordReader *w, const json_t *read, void *row)
{
    const json_t *ids = json_array_get(read, 1);
    RecordRead *to = row;
    to->pc = (uint32_t)record_number(w, json_array_get(read, 0), PROVENANCE_FUNCTION_MAX - 1, "reads");
    to->first = (uint32_t)w->r->n_read_ids;
    to->n = (uint32_t)json_array_size(ids);
    if (!json_is_array(ids))
        wrong(w, "reads", "expected a list of ids");
    if (!fine(w) || !room_for_ids(w, to->n))
        return;
    for (size_t k = 0; k < to->n; k++)
        w->r->read_ids[w->r->n_read_ids++] =
            (uint32_t)record_number(w, json_array_get(ids, k), PROVENANCE_IDS - 1, "reads");
}

static void read_group(RecordReader *w, const json_t *item, void *to)
{
    RecordGroup *g = to;
    g->function = (uint32_t)number_at(w, item, "function", UINT32_MAX);
    g->changes = json_object_get(item, "changes") ? number_at(w, item, "changes", UINT32_MAX) : 0;
    if (fine(w))
        read_list(w, item, "ops", sizeof *g->ops, &g->ops, &g->n_ops, read_op);
    if (fine(w))
        read_list(w, item, "reads", sizeof *g->reads, &g->reads, &g->n_reads, read_read);
    if (fine(w) && g->n_reads > 0)
        qsort(g->reads, g->n_reads, sizeof *g->reads, by_pc);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal digits, two a byte, the lowest pc in the lowest bit of the first. */
static const uint8_t *read_bits(RecordReader *w, const char *hex, size_t digits, uint32_t n)
{
    size_t bytes = ((size_t)n + 7) / 8;
    uint8_t *bits = arena_alloc(w->arena, bytes + 1);
    if (!bits)
        json_fields_fail(&w->f, STATUS_NO_MEMORY, "pcs", "no memory");
    if (digits % 2 != 0 || digits / 2 > bytes)
        wrong(w, "pcs", "more bits than instructions");
    for (size_t i = 0; i < digits && fine(w); i++) {
        int digit = digit_of(hex[i]);
        if (digit < 0)
            wrong(w, "pcs", "expected hexadecimal digits");
        else
            bits[i / 2] |= (uint8_t)(i % 2 == 0 ? digit << 4 : digit);
    }
    if (fine(w) && n % 8 != 0 && bits[bytes - 1] >> n % 8 != 0)
        wrong(w, "pcs", "more bits than instructions");
    return bits;
}

static int by_site(const void *a, const void *b)
{
    uint32_t p = ((const RecordSlice *)a)->site, q = ((const RecordSlice *)b)->site;
    return (p > q) - (p < q);
}

static void read_slice(RecordReader *w, const json_t *slice, void *to)
{
    const json_t *pcs = json_object_get(slice, "pcs");
    RecordSlice *s = to;
    s->site = (uint32_t)number_at(w, slice, "site", PROVENANCE_FUNCTION_MAX - 1);
    if (!json_is_string(pcs))
        wrong(w, "pcs", "expected text");
    else
        s->pcs = read_bits(w, json_string_value(pcs), json_string_length(pcs), w->function->n);
}

static void read_function(RecordReader *w, const json_t *item, void *to)
{
    RecordFunction *f = w->function = to;
    f->n = (uint32_t)number_at(w, item, "n", PROVENANCE_FUNCTION_MAX);
    if (fine(w))
        read_list(w, item, "slices", sizeof *f->slices, &f->slices, &f->n_slices, read_slice);
    if (fine(w) && f->n_slices > 0)
        qsort(f->slices, f->n_slices, sizeof *f->slices, by_site);
}

/* What rows say of one another. */
static void check_references(RecordReader *w)
{
    const Record *r = w->r;
    for (size_t i = 0; i < r->n_stores && fine(w); i++)
        if (r->stores[i].group >= r->n_groups)
            wrong(w, "group", "no such group");
    for (size_t i = 0; i < r->n_groups && fine(w); i++)
        if (r->groups[i].function >= r->n_functions)
            wrong(w, "function", "no such function");
}

static void read_whole(RecordReader *w, const json_t *json)
{
    if (!json_is_object(json) || number_at(w, json, "schema", 1) != 1) {
        wrong(w, "schema", "expected an object of schema 1");
        return;
    }
    w->r->complete = json_field_bool(&w->f, json, "complete");
    w->r->cut = json_field_text(&w->f, json, "cut");
#define LIST(key, items, read)                                                                               \
    if (fine(w))                                                                                             \
    read_list(w, json, key, sizeof *w->r->items, &w->r->items, &w->r->n_##items, read)
    LIST("host", hosts, read_host);
    LIST("fills", fills, read_fill);
    LIST("out", outs, read_out);
    LIST("stores", stores, read_store);
    LIST("groups", groups, read_group);
    LIST("functions", functions, read_function);
#undef LIST
    if (fine(w))
        check_references(w);
}

Status record_parse(Arena *a, const char *json, size_t length, const unsigned char *bin, size_t bin_length,
                    Record **record, Diag *d)
{
    *record = NULL;
    if (length > PROVENANCE_JSON_MAX || bin_length > PROVENANCE_BYTES_MAX)
        return diag_set(d, STATUS_LIMIT, "the record of provenance is too long");
    RecordReader w = {.f = {.arena = a, .file = "provenance.json", .text_max = 200, .d = d},
                      .arena = a,
                      .r = ARENA_NEW(a, Record),
                      .bin = bin,
                      .bin_length = bin_length};
    if (!w.r)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the record of provenance");
    json_error_t error;
    json_t *parsed = json_loadb(json, length, JSON_REJECT_DUPLICATES, &error);
    if (parsed)
        read_whole(&w, parsed);
    else
        w.f.status =
            diag_set_at(d, STATUS_PARSE, "provenance.json", error.line, error.column, "%s", error.text);
    json_decref(parsed);
    *record = w.f.status == STATUS_OK ? w.r : NULL;
    return w.f.status;
}
