/* What the tests of films share: a kernel that runs under a film's eyes, and the record as one JSON value. */
#ifndef COMMON_VGPU_FILM_TEST_RIG_H
#define COMMON_VGPU_FILM_TEST_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/vgpu/film/film.h"
#include "common/vgpu/fuzz/kernels/kernels.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4, ROOM = 1 << 26 };

static const uint32_t shapes[][3] = {{64, 1, 1}, {100, 1, 1}, {16, 4, 1}, {8, 8, 2}, {5, 7, 3}, {256, 1, 1}, {20, 1, 1}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

typedef struct Rig {
    PtxModule *ptx;
    IrModule *module;
    IrInstance *instance;
    Mem *mem;
    PerfSet *perf;
    MemAlloc *in, *out, *sum;
    uint32_t grid;
    uint64_t planned; /* blocks of the last launch */
} Rig;

static inline IrInstance *instantiate(const IrModule *m, Mem *mem)
{
    uint64_t places[8] = {0};
    MemAlloc *allocs[8] = {NULL};
    IrInstance *instance;
    assert_in_range(m->n_globals, 0, 8);
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (m->globals[i].space == SPACE_CONST) {
            allocs[i] = mem_alloc(mem, m->globals[i].bytes, MEM_CONST_VAR, 0, m->globals[i].name);
            memset(allocs[i]->host, 0, allocs[i]->bytes);
            places[i] = allocs[i]->addr;
        }
    assert_int_equal(STATUS_OK, ir_instantiate(m, places, &instance));
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (allocs[i])
            ir_global_init(instance, i, allocs[i]->host);
    return instance;
}

static inline void load_ptx(Rig *r, const char *text, size_t length)
{
    Diag diag = {0};
    *r = (Rig){.grid = BLOCKS};
    if (ptx_parse(text, length, "film.ptx", &r->ptx, &diag) || ir_decode(&r->ptx, 1, &r->module, &diag) || exec_bind(r->module, &diag))
        fail_msg("line %d: %s\n%s", diag.line, diag.message, text);
    assert_int_equal(STATUS_OK, mem_create(0, 1 << 20, 1, &r->mem));
    r->in = mem_alloc(r->mem, KERNEL_IN_BYTES, MEM_DEVICE, 0, NULL);
    r->out = mem_alloc(r->mem, BLOCKS * KERNEL_THREADS_MAX * KERNEL_OUT_BYTES, MEM_DEVICE, 0, NULL);
    r->sum = mem_alloc(r->mem, KERNEL_SUM_BYTES, MEM_DEVICE, 0, NULL);
    for (uint32_t i = 0; i < KERNEL_IN_BYTES / 4; i++)
        ((uint32_t *)r->in->host)[i] = i % 7 ? (uint32_t)rng_mix(i) : i;
    memset(r->out->host, 0, r->out->bytes);
    memset(r->sum->host, 0, r->sum->bytes);
    r->instance = instantiate(r->module, r->mem);
    assert_int_equal(STATUS_OK, perf_create(perf_model(0), 1, &r->perf));
    assert_true(perf_keep_lines(r->perf));
}

static inline void unload(Rig *r)
{
    perf_destroy(r->perf);
    ir_instance_free(r->instance);
    mem_destroy(r->mem);
    ir_module_free(r->module);
    ptx_module_free(r->ptx);
}

static inline void launch_kernel(Rig *r, Film *film, const uint32_t shape[3])
{
    struct {
        uint64_t in, out, sum;
        uint32_t n;
    } params = {r->in->addr, r->out->addr, r->sum->addr, 50};
    const ExecObserver observers[] = {*perf_observer(r->perf), film ? *film_observer(film) : (ExecObserver){0}};
    const ExecLaunch l = {.instance = r->instance,
                          .function = (uint32_t)ir_find_function(r->module, "k"),
                          .grid = {r->grid, 1, 1},
                          .block = {shape[0], shape[1], shape[2]},
                          .params = (const uint8_t *)&params,
                          .mem = r->mem,
                          .jobs = 1,
                          .observers = observers,
                          .n_observers = film ? 2 : 1};
    ExecResult result;
    exec_launch(&l, &result);
    assert_int_equal(EXEC_OK, result.error);
    r->planned = result.planned;
}

static inline uint64_t number(const json_t *o, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

/* What a step leaves out because it is as ever: docs/contracts.md. */
static inline void say_all(json_t *step, uint32_t threads)
{
    uint32_t left = threads - 32 * (uint32_t)number(step, "w"), m = (left >= 32 ? UINT32_MAX : (1u << left) - 1) & ~(uint32_t)number(step, "g");
    if (json_object_get(step, "m"))
        m = (uint32_t)number(step, "m");
    json_object_set_new(step, "m", json_integer(m));
    if (number(step, "n") && !json_object_get(step, "l"))
        json_object_set_new(step, "l", json_integer((json_int_t)number(step, "n") * __builtin_popcount(m)));
    if (json_object_get(step, "k") && !json_object_get(step, "e"))
        json_object_set_new(step, "e", json_string("access"));
    if (json_object_get(step, "z") && !json_object_get(step, "s"))
        json_object_set_new(step, "s", json_string("global"));
}

/* The steps become members of their blocks. */
static inline void add_steps(json_t *film, const StrBuf *steps, uint32_t threads)
{
    json_error_t error;
    json_t *lists = json_loadb(steps->text, steps->length, JSON_REJECT_DUPLICATES, &error), *list, *step;
    size_t i, k;
    if (!lists)
        fail_msg("%s at %d\n%s", error.text, error.position, steps->text);
    assert_null(strchr(steps->text, '<'));
    assert_int_equal(json_array_size(json_object_get(film, "blocks")), json_array_size(lists));
    json_array_foreach(lists, i, list)
    {
        json_array_foreach(list, k, step) say_all(step, threads);
        json_object_set(json_array_get(json_object_get(film, "blocks"), i), "steps", list);
    }
    json_decref(lists);
}

/* Runs the kernel under the film's eyes, and gives the record. NULL: the film did not want it. */
static inline json_t *run_filmed(Rig *r, Film *film, uint64_t number, const char *kernel, const uint32_t shape[3],
                          const Finding *const *findings, size_t n_findings)
{
    const FilmLaunch launch = {.number = number, .kernel = kernel, .instance = r->instance, .function = (uint32_t)ir_find_function(r->module, "k")};
    if (!film_begin(film, &launch))
        return NULL;
    launch_kernel(r, film, shape);
    FilmCounts counts = {.counters = perf_last(r->perf)};
    counts.lines = perf_lines(r->perf, &counts.n_lines);
    film_end(film, &counts, findings, n_findings);
    const StrBuf *text = film_json(film);
    StrBuf whole = {0};
    strbuf_puts(&whole, "{");
    strbuf_append(&whole, text->text, text->length);
    json_error_t error;
    json_t *json = json_loadb(whole.text, whole.length, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s at %d\n%s", error.text, error.position, whole.text);
    strbuf_free(&whole);
    add_steps(json, film_steps(film), shape[0] * shape[1] * shape[2]);
    return json;
}

static const char *text(const json_t *o, const char *name)
{
    const char *t = json_string_value(json_object_get(o, name));
    return t ? t : "";
}

static inline Film *new_film(const char *launch, const char *blocks, uint32_t room)
{
    Film *film;
    Diag diag = {0};
    assert_int_equal(STATUS_OK, film_create(&(FilmOptions){.launch = launch, .blocks = blocks, .block_bytes = room}, &film, &diag));
    return film;
}

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define ENTRY ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum, .param .u32 n)\n{\n" \
    ".reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"

#endif
