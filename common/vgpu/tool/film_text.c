/* The film as text: one sentence a step. The page says the same sentences (common/vgpu/film/page/sentence.js; a test compares them). */
#include "common/vgpu/tool/film.h"

#include "common/base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES_MAX = 32 * 16, RUNS_SHOWN = 3, GIVERS_SHOWN = 4, VALUES_SHOWN = 4, TEXT_MAX = 64 };

static const char *get_text(const json_t *o, const char *name)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

static uint64_t get_number(const json_t *o, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

static const json_t *at(const json_t *list, size_t i)
{
    return json_array_get(list, i);
}

/* Control characters of a name or a source would move the cursor. */
static void put_plain(StrBuf *b, const char *text)
{
    for (; *text; text++)
        strbuf_append(b, (unsigned char)*text < 0x20 || *text == 0x7f ? "?" : text, 1);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *main_source(const json_t *film)
{
    return get_text(at(json_object_get(film, "sources"), 0), "file");
}

/* ---- threads ---- */

static void put_threads(StrBuf *b, uint64_t n)
{
    strbuf_printf(b, n == 1 ? "1 thread" : "%llu threads", (unsigned long long)n);
}

static uint32_t lanes_of_warp(const json_t *film, uint64_t warp)
{
    const json_t *block = json_object_get(film, "block");
    uint64_t threads = 1;
    for (size_t i = 0; i < 3; i++)
        threads *= (uint64_t)json_integer_value(at(block, i));
    uint64_t left = threads - warp * 32;
    return left >= 32 ? 0xFFFFFFFFu : (1u << left) - 1;
}

/* "lanes 0-7, 12", "lane 3". */
static void put_numbers(StrBuf *b, const char *one, uint32_t mask)
{
    const char *separator = mask & (mask - 1) ? "s " : " ";
    strbuf_puts(b, one);
    for (int i = 0; i < 32; i++) {
        int last = i;
        if (!(mask >> i & 1))
            continue;
        while (last < 31 && mask >> (last + 1) & 1)
            last++;
        strbuf_printf(b, last > i ? "%s%d-%d" : "%s%d", separator, i, last);
        separator = ", ";
        i = last;
    }
}

/* " (lanes 0-7, 12)" when they are not all that the warp still has. */
static void put_lanes(StrBuf *b, const json_t *film, const json_t *step, uint32_t mask)
{
    uint32_t live = lanes_of_warp(film, get_number(step, "w")) & ~(uint32_t)get_number(step, "g");
    if (mask == live || mask == 0)
        return;
    strbuf_puts(b, " (");
    put_numbers(b, "lane", mask);
    strbuf_puts(b, ")");
}

/* ---- values ---- */

static float half_value(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    float v = exponent == 31 ? (mantissa ? NAN : INFINITY)
              : exponent     ? ldexpf((float)(mantissa + 1024), exponent - 25)
                             : ldexpf((float)mantissa, -24);
    return h >> 15 ? -v : v;
}

static void put_real(StrBuf *b, double v)
{
    if (v != v)
        strbuf_puts(b, "nan");
    else
        strbuf_printf(b, "%.6g", v);
}

static void put_element(StrBuf *b, const char *type, const uint8_t *p, unsigned bytes)
{
    uint64_t u = 0;
    memcpy(&u, p, bytes < 8 ? bytes : 8);
    float f;
    double d;
    if (type[0] == 'f' && bytes == 4) {
        memcpy(&f, p, 4);
        put_real(b, (double)f);
    } else if (type[0] == 'f' && bytes == 8) {
        memcpy(&d, p, 8);
        put_real(b, d);
    } else if (type[0] == 'f' && bytes == 2) {
        put_real(b, (double)half_value((uint16_t)u));
    } else if (type[0] == 's' && bytes < 8) {
        strbuf_printf(b, "%lld", (long long)((int64_t)(u << (64 - 8 * bytes)) >> (64 - 8 * bytes)));
    } else if (type[0] == 's') {
        strbuf_printf(b, "%lld", (long long)u);
    } else {
        strbuf_printf(b, "%llu", (unsigned long long)u);
    }
}

static unsigned decode_base64(const char *text, uint8_t *out, unsigned max)
{
    uint32_t v = 0, bits = 0;
    unsigned n = 0;
    for (; *text && *text != '='; text++) {
        int c = *text;
        int digit = c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : 63;
        v = v << 6 | (uint32_t)digit;
        bits += 6;
        if (bits >= 8 && n < max) {
            bits -= 8;
            out[n++] = (uint8_t)(v >> bits);
        }
    }
    return n;
}

/* Whose type elements have: the declared one, else the instruction's. Its size goes into every access of the array. */
static const char *element_type(const json_t *place, const json_t *inst, uint64_t access)
{
    const char *type = get_text(place, "type");
    unsigned bytes = film_type_bytes(type);
    return bytes > 0 && access % bytes == 0 ? type : get_text(inst, "type");
}

static unsigned element_bytes(const char *type, uint64_t access, uint64_t vector)
{
    unsigned bytes = film_type_bytes(type);
    if (bytes > 0 && access % bytes == 0)
        return bytes;
    return (unsigned)(vector > 0 && access % vector == 0 ? access / vector : access);
}

static void put_value(StrBuf *b, const char *type, const uint8_t *p, unsigned access, unsigned each)
{
    if (each == 0 || each >= access) {
        put_element(b, type, p, access);
        return;
    }
    for (unsigned i = 0; i + each <= access; i += each) {
        strbuf_puts(b, i == 0 ? "(" : ", ");
        put_element(b, type, p + i, each);
    }
    strbuf_puts(b, ")");
}

/* ": 3" or ": 0, 1, ... 31". */
static void put_values(StrBuf *b, const json_t *step, const char *type, unsigned access, unsigned each)
{
    uint8_t bytes[VALUE_BYTES_MAX];
    unsigned n = access == 0 ? 0 : decode_base64(get_text(step, "v"), bytes, sizeof bytes) / access;
    for (unsigned i = 0; i < n; i++) {
        if (n > VALUES_SHOWN && i == VALUES_SHOWN - 1) {
            strbuf_puts(b, ", ...");
            i = n - 1;
            strbuf_puts(b, " ");
        } else {
            strbuf_puts(b, i == 0 ? ": " : ", ");
        }
        put_value(b, type, bytes + i * access, access, each);
    }
}

/* ---- places in memory ---- */

static const json_t *array_with(const json_t *film, uint64_t id)
{
    const json_t *arrays = json_object_get(film, "arrays");
    for (size_t i = 0; id != 0 && i < json_array_size(arrays); i++)
        if (get_number(at(arrays, i), "id") == id)
            return at(arrays, i);
    return NULL;
}

/* What the access is to: an array, a shared variable, or NULL; *base is where that begins. */
static const json_t *step_place(const json_t *film, const json_t *step, uint64_t *base)
{
    *base = 0;
    if (strcmp(get_text(step, "s"), "shared") != 0)
        return array_with(film, get_number(step, "a"));
    const json_t *shared = json_object_get(film, "shared"), *run = at(json_object_get(step, "r"), 0);
    uint64_t first = (uint64_t)json_integer_value(at(run, 1));
    for (size_t i = 0; i < json_array_size(shared); i++) {
        const json_t *s = at(shared, i);
        if (first - get_number(s, "offset") < get_number(s, "bytes")) {
            *base = get_number(s, "offset");
            return s;
        }
    }
    return NULL;
}

static void put_index(StrBuf *b, int64_t bytes, int64_t each)
{
    strbuf_printf(b, bytes % each == 0 ? "%lld" : "byte %lld", (long long)(bytes % each == 0 ? bytes / each : bytes));
}

/* name NULL: outside of all arrays. */
static void put_run(StrBuf *b, const char *name, const json_t *run, uint64_t base, unsigned each, unsigned access)
{
    int64_t n = json_integer_value(at(run, 0)), stride = json_integer_value(at(run, 2)), first = json_integer_value(at(run, 1));
    if (json_is_string(at(run, 1))) {
        strbuf_printf(b, "address %s", json_string_value(at(run, 1)));
        return;
    }
    if (!name) {
        strbuf_printf(b, "address 0x%llx", (unsigned long long)first);
        return;
    }
    first -= (int64_t)base;
    int64_t last = first + stride * (n - 1);
    bool forward = stride == (int64_t)access;
    put_plain(b, name);
    strbuf_puts(b, "[");
    put_index(b, first, each);
    if (n == 1 || stride == 0) {
        if (access > each)
            strbuf_puts(b, ".."), put_index(b, first + access - each, each);
    } else {
        strbuf_puts(b, "..");
        put_index(b, forward ? last + access - each : last, each);
        if (!forward) {
            strbuf_puts(b, " by ");
            put_index(b, stride, each);
        }
    }
    strbuf_puts(b, "]");
}

FilmAccess film_access(const json_t *film, const json_t *step)
{
    FilmAccess a = {.bytes = (unsigned)get_number(step, "z")};
    const json_t *inst = at(json_object_get(film, "insts"), get_number(step, "i"));
    const char *space = get_text(step, "s");
    a.place = step_place(film, step, &a.base);
    a.name = a.place ? get_text(a.place, "name") : strcmp(space, "global") == 0 ? NULL : space;
    a.type = element_type(a.place, inst, a.bytes);
    a.each = element_bytes(a.type, a.bytes, get_number(inst, "vector"));
    a.each += a.each == 0;
    return a;
}

static void put_places(StrBuf *b, const FilmAccess *a, const json_t *runs)
{
    size_t n = json_array_size(runs);
    for (size_t i = 0; i < n && i < RUNS_SHOWN; i++) {
        strbuf_puts(b, i == 0 ? " " : ", ");
        put_run(b, a->name, at(runs, i), a->base, a->each, a->bytes);
    }
    if (n > RUNS_SHOWN)
        strbuf_printf(b, n == RUNS_SHOWN + 1 ? " and %zu more place" : " and %zu more places", n - RUNS_SHOWN);
}

/* ---- events ---- */

static void put_access(StrBuf *b, const json_t *film, const json_t *step, uint64_t n)
{
    const char *kind = get_text(step, "k");
    const FilmAccess a = film_access(film, step);
    bool one = n == 1;
    if (strcmp(kind, "load") == 0)
        strbuf_puts(b, one ? " loads" : " load");
    else if (strcmp(kind, "store") == 0)
        strbuf_puts(b, one ? " stores" : " store");
    else
        strbuf_puts(b, one ? " changes atomically" : " change atomically");
    put_places(b, &a, json_object_get(step, "r"));
    if (get_number(step, "d"))
        strbuf_puts(b, " by an asynchronous copy");
    put_values(b, step, a.type, a.bytes, a.each);
    uint64_t sectors = get_number(step, "c"), passes = get_number(step, "p"), least = get_number(step, "q");
    if (sectors > 0)
        strbuf_printf(b, "; %llu sector%s", (unsigned long long)sectors, sectors == 1 ? "" : "s");
    if (passes > 0)
        strbuf_printf(b, "; %llu pass%s", (unsigned long long)passes, passes == 1 ? "" : "es");
    if (passes > least)
        strbuf_printf(b, " where %llu would do: bank conflicts", (unsigned long long)least);
}

static void put_shuffle(StrBuf *b, const json_t *step, uint32_t mask)
{
    const json_t *runs = json_object_get(step, "r");
    size_t n = json_array_size(runs);
    strbuf_puts(b, " shuffle");
    for (size_t i = 0; i < n && i < GIVERS_SHOWN; i++) {
        int lane = 0;
        for (size_t skip = i; lane < 32; lane++)
            if (mask >> lane & 1 && skip-- == 0)
                break;
        strbuf_printf(b, i == 0 ? ": lane %d gets lane %lld's value" : ", %d gets %lld's", lane, (long long)json_integer_value(at(at(runs, i), 1)));
    }
    if (n > GIVERS_SHOWN)
        strbuf_puts(b, ", ...");
}

static void put_event(StrBuf *b, const json_t *film, const json_t *step, uint32_t mask)
{
    const char *event = get_text(step, "e");
    uint64_t n = (uint64_t)__builtin_popcount(mask), arrived = get_number(step, "A");
    if (strcmp(event, "barrier") == 0) {
        strbuf_puts(b, "the barrier has all its threads, and they go on");
        return;
    }
    put_threads(b, n);
    put_lanes(b, film, step, mask);
    if (strcmp(event, "access") == 0)
        put_access(b, film, step, n);
    else if (strcmp(event, "arrive") == 0)
        strbuf_printf(b, get_number(step, "d") ? n == 1 ? " arrives at the barrier and goes on; %llu of the block have come there" : " arrive at the barrier and go on; %llu of the block have come there"
                      : arrived == 1 ? " at the barrier; %llu of the block waits there" : " at the barrier; %llu of the block wait there", (unsigned long long)arrived);
    else if (strcmp(event, "shuffle") == 0)
        put_shuffle(b, step, mask);
    else if (strcmp(event, "warp-sync") == 0)
        strbuf_puts(b, " of the warp meet");
    else if (strcmp(event, "fence") == 0)
        strbuf_puts(b, " at a memory fence");
    else if (strcmp(event, "exit") == 0)
        strbuf_puts(b, n == 1 ? " ends" : " end");
    else {
        strbuf_puts(b, " at fault");
        const FilmAccess a = film_access(film, step);
        if (json_array_size(json_object_get(step, "r")) > 0) {
            strbuf_puts(b, ":");
            put_places(b, &a, json_object_get(step, "r"));
        }
    }
}

static void put_rest(StrBuf *b, const json_t *step)
{
    static const struct {
        const char *member, *text;
    } rests[] = {{"o", "elsewhere in the code"}, {"j", "where the branch ends"}, {"y", "at a warp operation"}};
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        uint32_t mask = (uint32_t)get_number(step, rests[i].member);
        if (mask == 0)
            continue;
        strbuf_puts(b, "; ");
        put_threads(b, (uint64_t)__builtin_popcount(mask));
        strbuf_printf(b, i == 0 ? " %s" : mask & (mask - 1) ? " wait %s" : " waits %s", rests[i].text);
    }
}

/* "line 17", "line 7 of other.h", "PTX line 9". */
static void put_where(StrBuf *b, const json_t *film, const json_t *inst)
{
    if (get_number(inst, "line") == 0) {
        strbuf_printf(b, "PTX line %llu", (unsigned long long)get_number(inst, "ptx"));
        return;
    }
    strbuf_printf(b, "line %llu", (unsigned long long)get_number(inst, "line"));
    if (strcmp(get_text(inst, "file"), main_source(film)) != 0) {
        strbuf_puts(b, " of ");
        put_plain(b, file_name(get_text(inst, "file")));
    }
}

/* ---- who waits ---- */

void film_wait_step(FilmWaiting *w, const json_t *step)
{
    const json_t *changes = json_object_get(step, "u"), *change;
    size_t i;
    json_array_foreach(changes, i, change)
    {
        const bool all = json_array_size(change) == 1;
        const uint64_t inst = (uint64_t)json_integer_value(at(change, 0)), warp = (uint64_t)json_integer_value(at(change, 1));
        size_t left = 0;
        for (size_t k = 0; k < w->n; k++)
            if (w->of[k].inst != inst || (!all && w->of[k].warp != warp))
                w->of[left++] = w->of[k];
        w->n = left;
        const uint32_t lanes = (uint32_t)json_integer_value(at(change, 2));
        if (lanes == 0 || !VEC_GROW(w->of, w->n, w->cap))
            continue;
        w->of[w->n].inst = inst;
        w->of[w->n].warp = (uint32_t)warp;
        w->of[w->n++].lanes = lanes;
    }
}

uint32_t film_waiting_lanes(const FilmWaiting *w, uint64_t warp)
{
    uint32_t lanes = 0;
    for (size_t i = 0; i < w->n; i++)
        lanes |= w->of[i].warp == warp ? w->of[i].lanes : 0;
    return lanes;
}

static bool is_same_line(const json_t *a, const json_t *b)
{
    return get_number(a, "line") == get_number(b, "line") && strcmp(get_text(a, "file"), get_text(b, "file")) == 0 &&
           (get_number(a, "line") > 0 || get_number(a, "ptx") == get_number(b, "ptx"));
}

/* "; 8 threads of warp 3 wait at the barrier of line 18": of each line once. Of a step that comes to one it says itself how many are there. */
static void put_waiting(StrBuf *b, const json_t *film, const json_t *step, const FilmWaiting *w)
{
    const json_t *insts = json_object_get(film, "insts"), *own = strcmp(get_text(step, "e"), "arrive") == 0 ? at(insts, get_number(step, "i")) : NULL;
    for (size_t i = 0; i < w->n; i++) {
        const json_t *inst = at(insts, w->of[i].inst);
        uint64_t n = 0;
        uint32_t warps = 0;
        bool said = own && is_same_line(inst, own);
        for (size_t k = 0; k < w->n; k++) {
            if (!is_same_line(inst, at(insts, w->of[k].inst)))
                continue;
            said |= k < i;
            n += (uint64_t)__builtin_popcount(w->of[k].lanes);
            warps |= 1u << w->of[k].warp % 32;
        }
        if (said)
            continue;
        strbuf_puts(b, "; ");
        put_threads(b, n);
        put_numbers(b, " of warp", warps);
        strbuf_puts(b, n == 1 ? " waits at the barrier of " : " wait at the barrier of ");
        put_where(b, film, inst);
    }
}

void film_sentence(const json_t *film, const json_t *step, const FilmWaiting *w, StrBuf *b)
{
    const json_t *inst = at(json_object_get(film, "insts"), get_number(step, "i")), *x = json_object_get(step, "x");
    uint32_t active = (uint32_t)get_number(step, "m"), mask = x ? (uint32_t)json_integer_value(x) : active;
    uint64_t n = get_number(step, "n"), turn = get_number(step, "t");
    strbuf_printf(b, "warp %llu, ", (unsigned long long)get_number(step, "w"));
    put_where(b, film, inst);
    strbuf_puts(b, ": ");
    if (json_object_get(step, "e")) {
        put_event(b, film, step, mask);
    } else {
        put_threads(b, (uint64_t)__builtin_popcount(active));
        put_lanes(b, film, step, active);
        strbuf_printf(b, ": %llu instruction%s", (unsigned long long)n, n == 1 ? "" : "s");
    }
    put_rest(b, step);
    put_waiting(b, film, step, w);
    if (turn > 0)
        strbuf_printf(b, " [time %llu here]", (unsigned long long)turn + 1);
}

/* ---- what is left out ---- */

/* "32nd". */
static void put_nth(StrBuf *b, uint64_t n)
{
    const char *end = n % 100 >= 11 && n % 100 <= 13 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
    strbuf_printf(b, "%llu%s", (unsigned long long)n, end);
}

static void put_share(StrBuf *b, uint64_t some, uint64_t all, const char *what)
{
    strbuf_printf(b, "%llu of %llu %s", (unsigned long long)some, (unsigned long long)all, what);
}

/* What of the launch its steps do not show. The totals count all of it. */
static void put_left_out(StrBuf *b, const json_t *film)
{
    const json_t *blocks = json_object_get(film, "blocks"), *grid = json_object_get(film, "grid"), *block;
    uint64_t n_blocks = 1, seen = 0, kept = 0, shown = 0, all = get_number(json_object_get(film, "counters"), "warp_instructions");
    size_t i;
    for (i = 0; i < 3; i++)
        n_blocks *= (uint64_t)json_integer_value(at(grid, i));
    json_array_foreach(blocks, i, block)
    {
        seen += get_number(block, "seen");
        kept += get_number(block, "kept");
        shown += get_number(block, "shown");
    }
    if (json_array_size(blocks) == n_blocks && seen == kept) {
        strbuf_puts(b, "All of it is shown, step by step.");
    } else {
        strbuf_puts(b, "Shown of it: ");
        put_share(b, json_array_size(blocks), n_blocks, n_blocks == 1 ? "block, " : "blocks, ");
        if (seen > kept)
            put_share(b, kept, seen, "steps of these, ");
        put_share(b, shown, all, "instructions of warps.");
    }
    if (get_number(film, "more_arrays"))
        strbuf_printf(b, " Of %llu more allocations no names are known.", (unsigned long long)get_number(film, "more_arrays"));
    if (get_number(film, "more_lines"))
        strbuf_printf(b, " The table leaves out %llu lines.", (unsigned long long)get_number(film, "more_lines"));
}

/* Of one block. */
static void put_left_out_of(StrBuf *b, const json_t *block)
{
    uint64_t seen = get_number(block, "seen"), kept = get_number(block, "kept");
    if (seen == kept) {
        strbuf_printf(b, "%llu steps", (unsigned long long)seen);
        return;
    }
    put_share(b, kept, seen, "steps: of each instruction every ");
    put_nth(b, get_number(block, "every"));
    strbuf_puts(b, " time that a warp comes by it, the first one always; ");
    put_share(b, get_number(block, "shown"), get_number(block, "instructions"), "instructions of warps are in these steps");
    strbuf_puts(b, json_is_true(json_object_get(block, "cut")) ? "; and the film ends before the block does" : "");
}

/* ---- the whole ---- */

static void put_triple(StrBuf *b, const json_t *t)
{
    strbuf_printf(b, "%lld,%lld,%lld", (long long)json_integer_value(at(t, 0)), (long long)json_integer_value(at(t, 1)),
                  (long long)json_integer_value(at(t, 2)));
}

static void put_head(StrBuf *b, const json_t *film)
{
    const json_t *counters = json_object_get(film, "counters"), *arrays = json_object_get(film, "arrays");
    strbuf_puts(b, "Film of ");
    put_plain(b, get_text(film, "kernel"));
    strbuf_printf(b, ", launch %llu: grid ", (unsigned long long)get_number(film, "launch"));
    put_triple(b, json_object_get(film, "grid"));
    strbuf_puts(b, ", block ");
    put_triple(b, json_object_get(film, "block"));
    strbuf_printf(b, "\nThe whole launch: %llu instructions of warps, %llu sectors loaded, %llu stored, %llu bank conflicts, %llu divergent branches, %llu barriers\n",
                  (unsigned long long)get_number(counters, "warp_instructions"), (unsigned long long)get_number(counters, "global_load_sectors"),
                  (unsigned long long)get_number(counters, "global_store_sectors"), (unsigned long long)get_number(counters, "shared_bank_conflicts"),
                  (unsigned long long)get_number(counters, "divergent_branches"), (unsigned long long)get_number(counters, "barriers"));
    put_left_out(b, film);
    strbuf_puts(b, "\n");
    for (size_t i = 0; i < json_array_size(arrays); i++) {
        strbuf_puts(b, i == 0 ? "Arrays: " : ", ");
        put_plain(b, get_text(at(arrays, i), "name"));
        strbuf_printf(b, " (%llu bytes)", (unsigned long long)get_number(at(arrays, i), "bytes"));
    }
    strbuf_puts(b, json_array_size(arrays) > 0 ? "\n" : "");
}

static void film_text_put_lines(StrBuf *b, const json_t *film)
{
    const json_t *lines = json_object_get(film, "lines");
    const char *file = main_source(film);
    if (json_array_size(lines) > 0)
        strbuf_puts(b, "\n      warps' instr.  lanes lost     sectors   conflicts  line\n");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *l = at(lines, i);
        uint64_t warps = get_number(l, "warp_instructions"), threads = get_number(l, "thread_instructions");
        strbuf_printf(b, "%19llu %10.0f%% %11llu %11llu  %llu", (unsigned long long)warps,
                      warps == 0 ? 0 : 100.0 - 100.0 * (double)threads / (32.0 * (double)warps), (unsigned long long)get_number(l, "sectors"),
                      (unsigned long long)get_number(l, "bank_conflicts"), (unsigned long long)get_number(l, "line"));
        if (strcmp(get_text(l, "file"), file) != 0) {
            strbuf_puts(b, " of ");
            put_plain(b, file_name(get_text(l, "file")));
        }
        for (size_t k = 0; k < json_array_size(json_object_get(film, "sources")); k++) {
            const json_t *s = at(json_object_get(film, "sources"), k);
            const char *text = json_string_value(at(json_object_get(s, "text"), get_number(l, "line") - 1));
            if (text && strcmp(get_text(s, "file"), get_text(l, "file")) == 0) {
                strbuf_puts(b, ": ");
                put_plain(b, text + strspn(text, " \t"));
            }
        }
        strbuf_puts(b, "\n");
    }
}

/* What would show a finding that the film does not. */
static void put_missing(StrBuf *b, const json_t *film, const json_t *finding)
{
    const json_t *block = json_object_get(finding, "block"), *grid = json_object_get(film, "grid");
    uint64_t n[3] = {0}, size[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        n[i] = (uint64_t)json_integer_value(at(block, i));
        size[i] = (uint64_t)json_integer_value(at(grid, i));
    }
    if (block)
        strbuf_printf(b, "\n  not in this film: --film-blocks=%llu shows its block", (unsigned long long)(n[0] + size[0] * (n[1] + size[1] * n[2])));
    else
        strbuf_puts(b, "\n  not in this film: --film-blocks names the blocks to be shown");
}

static void put_party(StrBuf *b, const json_t *party, const json_t *block)
{
    put_plain(b, *get_text(party, "access") ? get_text(party, "access") : "access");
    strbuf_puts(b, " by thread ");
    put_triple(b, json_object_get(party, "thread"));
    strbuf_puts(b, " of block ");
    put_triple(b, block);
    if (get_number(party, "line"))
        strbuf_printf(b, " at line %llu", (unsigned long long)get_number(party, "line"));
}

/* Who did what: of a race both. */
static void put_parties(StrBuf *b, const json_t *finding)
{
    const json_t *other = json_object_get(finding, "other"), *block = json_object_get(finding, "block");
    if (!json_object_get(finding, "thread"))
        return;
    strbuf_puts(b, "\n  ");
    put_party(b, finding, block);
    if (!json_object_get(other, "thread"))
        return;
    strbuf_puts(b, "; ");
    put_party(b, other, json_object_get(other, "block") ? json_object_get(other, "block") : block);
}

static void film_text_put_findings(StrBuf *b, const json_t *film)
{
    const json_t *findings = json_object_get(film, "findings"), *blocks = json_object_get(film, "blocks");
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = at(findings, i), *finding = json_object_get(f, "finding");
        int64_t block = json_integer_value(json_object_get(f, "block")), step = json_integer_value(json_object_get(f, "step")),
                other = json_integer_value(json_object_get(f, "other"));
        strbuf_puts(b, i == 0 ? "\n" : "");
        put_plain(b, get_text(finding, "kind"));
        strbuf_puts(b, ": ");
        put_plain(b, get_text(finding, "message"));
        put_parties(b, finding);
        if (block >= 0 && step >= 0) {
            strbuf_puts(b, "\n  block ");
            put_triple(b, json_object_get(at(blocks, (size_t)block), "index"));
            strbuf_printf(b, ", step %lld", (long long)step);
            if (other >= 0)
                strbuf_printf(b, ", and step %lld", (long long)other);
        } else {
            put_missing(b, film, finding);
        }
        if (*get_text(finding, "hint")) {
            strbuf_puts(b, "\n  hint: ");
            put_plain(b, get_text(finding, "hint"));
        }
        strbuf_puts(b, "\n");
    }
}

static void put_block(StrBuf *b, const json_t *film, const json_t *block)
{
    const json_t *steps = json_object_get(block, "steps");
    FilmWaiting waiting = {.n = 0};
    strbuf_puts(b, "\nBlock ");
    put_triple(b, json_object_get(block, "index"));
    strbuf_puts(b, ": ");
    put_left_out_of(b, block);
    strbuf_puts(b, "\n");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        strbuf_printf(b, "%7zu  ", i);
        film_wait_step(&waiting, at(steps, i));
        film_sentence(film, at(steps, i), &waiting, b);
        strbuf_puts(b, "\n");
    }
    free(waiting.of);
}

void film_text(const json_t *film, StrBuf *out)
{
    const json_t *blocks = json_object_get(film, "blocks");
    put_head(out, film);
    film_text_put_lines(out, film);
    film_text_put_findings(out, film);
    for (size_t i = 0; i < json_array_size(blocks); i++)
        put_block(out, film, at(blocks, i));
}
