/* film: reads the record that the devices wrote, and completes it. */
#include "common/vgpu/tool/film.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { SOURCE_LINES_MAX = 4000, SOURCE_LINE_MAX = 400, SOURCE_BYTES_MAX = 300000, SOURCES_MAX = 8, FILM_DIGITS_MAX = 9 };

/* ---- the record ---- */

typedef struct FilmRecord {
    void *all; /* the file */
    uint64_t size;
    const char *film, *steps;
    uint64_t n_film, n_steps;
} FilmRecord;

/* The last of the records in the file: behind the lengths of its two texts these. False: there is none. */
static bool find_last(FilmRecord *r)
{
    uint64_t n[2];
    for (uint64_t at = 0; r->size - at > sizeof n; at += n[0] + n[1]) {
        const char *begin = (const char *)r->all + at;
        memcpy(n, begin, sizeof n);
        at += sizeof n;
        if (n[0] > r->size - at || n[1] > r->size - at - n[0])
            break;
        r->film = begin + sizeof n;
        r->n_film = n[0];
        r->steps = r->film + n[0];
        r->n_steps = n[1];
    }
    return r->film != NULL;
}

static bool open_record(int fd, FilmRecord *r)
{
    struct stat st;
    *r = (FilmRecord){.size = fd >= 0 && fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0};
    r->all = r->size == 0 ? MAP_FAILED : mmap(NULL, r->size, PROT_READ, MAP_PRIVATE, fd, 0);
    return r->all != MAP_FAILED && find_last(r);
}

static void close_record(FilmRecord *r)
{
    if (r->all != MAP_FAILED)
        munmap(r->all, r->size);
}

static uint64_t get_number(const json_t *o, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

static uint32_t lanes_of_warp(const json_t *film, uint64_t warp)
{
    const json_t *block = json_object_get(film, "block");
    uint64_t threads = 1;
    for (size_t i = 0; i < 3; i++)
        threads *= (uint64_t)json_integer_value(json_array_get(block, i));
    uint64_t left = threads - warp * 32;
    return left >= 32 ? 0xFFFFFFFFu : (1u << left) - 1;
}

/* What a step leaves out because it is as ever. The page does the same (film.js). */
static void say_all(const json_t *film, json_t *step)
{
    if (!json_object_get(step, "m"))
        json_object_set_new(step, "m", json_integer(lanes_of_warp(film, get_number(step, "w")) & ~(uint32_t)get_number(step, "g")));
    if (json_object_get(step, "k") && !json_object_get(step, "e"))
        json_object_set_new(step, "e", json_string("access"));
    if (json_object_get(step, "z") && !json_object_get(step, "s"))
        json_object_set_new(step, "s", json_string("global"));
}

/* For those who go through the steps one by one: they become members of their blocks. */
static void add_steps(json_t *film, const FilmRecord *r)
{
    const json_t *blocks = json_object_get(film, "blocks");
    json_t *all = json_loadb(r->steps, r->n_steps, 0, NULL), *block;
    size_t i, k;
    json_array_foreach(blocks, i, block)
    {
        json_t *steps = json_array_get(all, i), *step;
        json_array_foreach(steps, k, step) say_all(film, step);
        json_object_set(block, "steps", steps);
    }
    json_decref(all);
}

/* ---- sources ---- */

static const char *get_text(const json_t *o, const char *name)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

/* The kernel's own lines come first in the table; its file is the one with most of the instructions. */
static const char *main_file(const json_t *film)
{
    const json_t *lines = json_object_get(film, "lines");
    const char *best = "";
    uint64_t most = 0;
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const char *file = get_text(json_array_get(lines, i), "file");
        uint64_t sum = 0;
        for (size_t k = 0; k < json_array_size(lines); k++)
            sum += strcmp(get_text(json_array_get(lines, k), "file"), file) == 0
                       ? get_number(json_array_get(lines, k), "warp_instructions") + 1
                       : 0;
        if (sum > most) {
            most = sum;
            best = file;
        }
    }
    return best;
}

/* Bytes of a line that are shown: as many whole characters as there is room for. */
static size_t shown_of(const char *line, size_t n)
{
    if (n <= SOURCE_LINE_MAX)
        return n;
    n = SOURCE_LINE_MAX;
    while (n > 0 && ((unsigned char)line[n] & 0xC0) == 0x80)
        n--;
    return n;
}

/* Bytes that they take in the page, where some stand for themselves and others for six. */
static size_t page_bytes(const char *text, size_t n)
{
    size_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += text[i] == '<' || text[i] == '"' || text[i] == '\\' || (unsigned char)text[i] < ' ' ? 6 : 1;
    return sum;
}

/* Of a line that is not UTF-8 other bytes than those of ASCII are "?". */
static json_t *line_of(const char *text, size_t n)
{
    char plain[SOURCE_LINE_MAX];
    json_t *line = json_stringn(text, n);
    if (line)
        return line;
    for (size_t i = 0; i < n; i++)
        plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    return json_stringn(plain, n);
}

/* {"file":..., "text":[line, ...]}: lines as long as there is room for them, in *room bytes for all sources. */
static json_t *source_of(const Records *r, const char *file, size_t *room)
{
    enum { BESIDE = 3 }; /* what stands between two lines */
    json_t *lines = json_array();
    const char *text = places_source(r->places, file);
    for (const char *at = text; at && *at && json_array_size(lines) < SOURCE_LINES_MAX;) {
        size_t n = strcspn(at, "\r\n"), shown = shown_of(at, n), bytes = page_bytes(at, shown) + BESIDE;
        if (bytes > *room)
            break;
        *room -= bytes;
        json_array_append_new(lines, line_of(at, shown));
        at += n;
        at += *at == '\r';
        at += *at == '\n';
    }
    return json_pack("{s:s, s:o}", "file", file, "text", lines);
}

static void add_sources(json_t *film, const Records *r)
{
    const json_t *lines = json_object_get(film, "lines");
    json_t *sources = json_array();
    size_t room = SOURCE_BYTES_MAX;
    const char *first = main_file(film);
    if (*first)
        json_array_append_new(sources, source_of(r, first, &room));
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const char *file = get_text(json_array_get(lines, i), "file");
        bool known = false;
        for (size_t k = 0; k < json_array_size(sources); k++)
            known |= strcmp(get_text(json_array_get(sources, k), "file"), file) == 0;
        if (!known && *file && json_array_size(sources) < SOURCES_MAX)
            json_array_append_new(sources, source_of(r, file, &room));
    }
    json_object_set_new(film, "sources", sources);
}

/* ---- names ---- */

/* "add" of "void ns::add<float>(float *)". */
static void base_name(const char *kernel, char out[FILM_NAME_MAX])
{
    size_t end = strcspn(kernel, "<("), begin = end;
    while (begin > 0 && kernel[begin - 1] != ' ' && kernel[begin - 1] != ':')
        begin--;
    size_t n = end - begin < FILM_NAME_MAX ? end - begin : FILM_NAME_MAX - 1;
    memcpy(out, kernel + begin, n);
    out[n] = 0;
}

static json_t *array_with(const json_t *film, uint64_t id)
{
    const json_t *arrays = json_object_get(film, "arrays");
    for (size_t i = 0; i < json_array_size(arrays); i++)
        if (get_number(json_array_get(arrays, i), "id") == id)
            return json_array_get(arrays, i);
    return NULL;
}

static void set_text(json_t *o, const char *name, const char *text)
{
    json_object_set_new(o, name, json_string(text));
}

static void set_dims(json_t *o, const char *name, const uint32_t *dims, uint32_t n)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer(dims[i]));
    json_object_set_new(o, name, list);
}

static void name_parameters(json_t *film, const char *source)
{
    char kernel[FILM_NAME_MAX];
    const json_t *params = json_object_get(film, "params");
    base_name(get_text(film, "kernel"), kernel);
    for (size_t i = 0; i < json_array_size(params); i++) {
        json_t *p = json_array_get(params, i);
        FilmName n;
        if (!source || !film_parameter(source, kernel, (uint32_t)i, &n)) {
            n = (FilmName){.type = ""};
            snprintf(n.name, sizeof n.name, "parameter%zu", i + 1);
        }
        set_text(p, "name", n.name);
        set_text(p, "type", n.type);
        json_t *array = json_object_get(p, "array") ? array_with(film, get_number(p, "array")) : NULL;
        if (array && !*get_text(array, "name")) {
            set_text(array, "name", n.name);
            set_text(array, "type", n.type);
        }
    }
}

static void name_shared(json_t *film, const char *source)
{
    const json_t *shared = json_object_get(film, "shared");
    for (size_t i = 0; i < json_array_size(shared); i++) {
        json_t *s = json_array_get(shared, i);
        FilmName n;
        if (!source || !film_shared(source, get_text(s, "name"), &n)) {
            set_text(s, "type", "");
            continue;
        }
        set_text(s, "type", n.type);
        uint64_t bytes = film_type_bytes(n.type);
        for (uint32_t d = 0; d < n.n_dims; d++)
            bytes *= n.dims[d];
        if (bytes > 0 && bytes == get_number(s, "bytes"))
            set_dims(s, "shape", n.dims, n.n_dims);
    }
}

static void name_arrays(json_t *film)
{
    json_t *arrays = json_object_get(film, "arrays");
    for (size_t i = 0; i < json_array_size(arrays); i++) {
        json_t *a = json_array_get(arrays, i);
        char name[32];
        snprintf(name, sizeof name, "array%llu", (unsigned long long)get_number(a, "id"));
        if (!*get_text(a, "name"))
            set_text(a, "name", name);
        if (!json_object_get(a, "type"))
            set_text(a, "type", "");
    }
}

/* ---- shapes that the user gives ---- */

typedef struct Shape {
    char name[FILM_NAME_MAX];
    uint32_t dims[FILM_DIMS_MAX], n_dims;
    uint32_t halo[FILM_DIMS_MAX], n_halo; /* elements at either end: one number for all lengths, or one for each */
} Shape;

/* "18x36": how many numbers of at least `least`; 0: that is none. */
static uint32_t next_lengths(const char **at, uint32_t least, uint32_t out[FILM_DIMS_MAX])
{
    uint32_t n = 0;
    do {
        char *end;
        *at += n > 0;
        if (n == FILM_DIMS_MAX || **at < '0' || **at > '9')
            return 0;
        out[n] = (uint32_t)strtoul(*at, &end, 10);
        if (out[n++] < least || end - *at > FILM_DIGITS_MAX)
            return 0;
        *at = end;
    } while (**at == 'x');
    return n;
}

/* The next of "in=64x64,tile=18x18+1,slab=20x36+2x1". */
static bool next_shape(const char **at, Shape *shape)
{
    size_t length = strcspn(*at, "=,");
    *shape = (Shape){.n_halo = 0};
    if (length == 0 || length >= FILM_NAME_MAX || (*at)[length] != '=')
        return false;
    memcpy(shape->name, *at, length);
    *at += length + 1;
    if ((shape->n_dims = next_lengths(at, 1, shape->dims)) == 0)
        return false;
    if (**at == '+') {
        ++*at;
        shape->n_halo = next_lengths(at, 0, shape->halo);
        if (shape->n_halo != 1 && shape->n_halo != shape->n_dims)
            return false;
    }
    if (**at == ',')
        return *++*at != 0;
    return **at == 0;
}

bool film_shapes_valid(const char *shapes)
{
    Shape shape;
    do
        if (!next_shape(&shapes, &shape))
            return false;
    while (*shapes);
    return true;
}

/* A shape of more elements than there are is another array's. */
static bool is_too_large(const json_t *place, const Shape *shape)
{
    const unsigned each = film_type_bytes(get_text(place, "type"));
    double elements = 1;
    for (uint32_t i = 0; i < shape->n_dims; i++)
        elements *= shape->dims[i];
    return elements * (each ? each : 1) > (double)get_number(place, "bytes");
}

static void set_shape(json_t *place, const Shape *shape)
{
    if (is_too_large(place, shape))
        return;
    set_dims(place, "shape", shape->dims, shape->n_dims);
    json_object_del(place, "halo");
    uint32_t halo[FILM_DIMS_MAX], sum = 0;
    for (uint32_t i = 0; i < shape->n_dims; i++)
        sum |= halo[i] = shape->halo[shape->n_halo == 1 ? 0 : i];
    if (sum > 0)
        set_dims(place, "halo", halo, shape->n_dims);
}

/* Of several shapes of a name the last one counts. */
static void set_shapes(json_t *film, const char *shapes)
{
    static const char *const lists[] = {"arrays", "shared"};
    Shape shape;
    while (shapes && *shapes && next_shape(&shapes, &shape))
        for (int l = 0; l < 2; l++) {
            const json_t *list = json_object_get(film, lists[l]);
            for (size_t i = 0; i < json_array_size(list); i++)
                if (strcmp(get_text(json_array_get(list, i), "name"), shape.name) == 0)
                    set_shape(json_array_get(list, i), &shape);
        }
}

/* ---- host places ---- */

static void add_place(json_t *o, const Records *r, uint32_t process)
{
    FindingSite site = {.token = places_token(process, get_number(o, "site"))};
    json_object_del(o, "site");
    if (places_find(r->places, &site))
        json_object_set_new(o, "made_at", json_pack("{s:s, s:i}", "file", site.file, "line", (int)site.line));
}

static void add_places(json_t *film, const Records *r)
{
    uint32_t process = 0;
    int64_t id = (int64_t)get_number(film, "p");
    while (process < r->n_processes && r->processes[process] != id)
        process++;
    json_object_del(film, "p");
    add_place(film, r, process);
    json_t *arrays = json_object_get(film, "arrays");
    for (size_t i = 0; i < json_array_size(arrays); i++)
        add_place(json_array_get(arrays, i), r, process);
}

/* What only the command knows: sources, names of arrays, host places. */
static void complete(json_t *film, const Records *r, const ToolOptions *o)
{
    add_places(film, r);
    add_sources(film, r);
    const char *file = main_file(film), *source = *file ? places_source(r->places, file) : NULL;
    name_parameters(film, source);
    name_shared(film, source);
    name_arrays(film);
    set_shapes(film, o->shape);
}

/* ---- without sources ---- */

/* Of every file the name alone. */
static void drop_folders(json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_array(value))
        json_array_foreach (value, i, member)
            drop_folders(member);
    if (!json_is_object(value))
        return;
    for (int k = 0; k < 2; k++) {
        const char *name = k == 0 ? "file" : "inlined_file", *file = json_string_value(json_object_get(value, name));
        const char *slash = file ? strrchr(file, '/') : NULL;
        json_t *short_name = slash ? json_string(slash + 1) : NULL;
        if (short_name)
            json_object_set_new(value, name, short_name);
    }
    json_object_foreach (value, key, member)
        drop_folders(member);
}

static void drop_sources(json_t *film)
{
    json_t *sources = json_object_get(film, "sources");
    for (size_t i = 0; i < json_array_size(sources); i++)
        json_object_set_new(json_array_get(sources, i), "text", json_array());
    drop_folders(film);
}

/* False: there is no such moment. */
static bool put_film(json_t *film, const FilmRecord *record, const ToolOptions *o, StrBuf *out)
{
    const char *end = strrchr(o->film, '.');
    if (end && strcmp(end, ".html") == 0) {
        film_page(film, record->steps, record->n_steps, out);
        return true;
    }
    add_steps(film, record);
    if (end && strcmp(end, ".svg") == 0)
        return film_still(film, o->film_step, out);
    film_text(film, out);
    return true;
}

Status film_save(int fd, const Records *r, const ToolOptions *o, StrBuf *out, Diag *diag)
{
    FilmRecord record;
    Status st = STATUS_OK;
    json_t *film = open_record(fd, &record) ? json_loadb(record.film, record.n_film, 0, NULL) : NULL;
    if (film) {
        complete(film, r, o);
        if (o->film_no_source)
            drop_sources(film);
        if (!put_film(film, &record, o, out))
            st = diag_set(diag, STATUS_NOT_FOUND, "no such moment in the film%s%s", o->film_step ? ": " : "", o->film_step ? o->film_step : "");
    } else {
        st = diag_set(diag, STATUS_NOT_FOUND, "no launch for a film%s%s", o->film_launch ? ": none is " : "", o->film_launch ? o->film_launch : "");
    }
    json_decref(film);
    close_record(&record);
    return st;
}
