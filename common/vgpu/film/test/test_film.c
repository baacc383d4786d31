/* Films of random kernels: with nothing left out, the steps add up to the counters; with little room, what is left is what the rule
 * says. And which launches and blocks are shown, who gives what to whom in a shuffle, and what registers hold. */
#include "common/vgpu/film/test/rig.h"

enum { KERNELS = 120 };

typedef struct Sums {
    uint64_t warp_insts, thread_insts, barriers, syncs, fences, loads, load_sectors, load_bytes, stores, store_sectors, store_bytes, atomics;
    uint64_t shared_loads, shared_stores, shared_atomics, shared_bytes, wavefronts, conflicts, local_loads, local_stores, constants, shuffles, parted, steps;
} Sums;

static void add_access(Sums *s, const json_t *step)
{
    const char *space = text(step, "s"), *kind = text(step, "k");
    uint64_t lanes = (uint64_t)__builtin_popcount((uint32_t)(json_object_get(step, "x") ? number(step, "x") : number(step, "m")));
    uint64_t in_runs = 0;
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(step, "r"), i, one) in_runs += (uint64_t)json_integer_value(json_array_get(one, 0));
    assert_int_equal(lanes, in_runs);
    if (strcmp(space, "global") == 0 && strcmp(kind, "load") == 0) {
        s->loads++;
        s->load_sectors += number(step, "c");
        s->load_bytes += lanes * number(step, "z");
    } else if (strcmp(space, "global") == 0 && strcmp(kind, "store") == 0) {
        s->stores++;
        s->store_sectors += number(step, "c");
        s->store_bytes += lanes * number(step, "z");
    } else if (strcmp(space, "global") == 0) {
        s->atomics++;
    } else if (strcmp(space, "local") == 0) {
        s->local_loads += strcmp(kind, "load") == 0;
        s->local_stores += strcmp(kind, "store") == 0;
    } else if (strcmp(space, "constant") == 0) {
        s->constants++;
    } else if (strcmp(space, "shared") == 0) {
        s->shared_loads += strcmp(kind, "load") == 0;
        s->shared_stores += strcmp(kind, "store") == 0;
        s->shared_atomics += strcmp(kind, "atomic") == 0;
        s->shared_bytes += lanes * number(step, "z");
        s->wavefronts += number(step, "p");
        s->conflicts += number(step, "p") - number(step, "q");
    }
}

static void add_step(Sums *s, const json_t *step)
{
    const char *event = text(step, "e");
    s->steps++;
    s->warp_insts += number(step, "n");
    s->thread_insts += number(step, "l");
    s->barriers += strcmp(event, "barrier") == 0;
    s->syncs += strcmp(event, "warp-sync") == 0;
    s->fences += strcmp(event, "fence") == 0;
    s->shuffles += strcmp(event, "shuffle") == 0;
    s->parted += number(step, "o") != 0;
    if (strcmp(event, "access") == 0)
        add_access(s, step);
}

static Sums add_up(const json_t *film)
{
    Sums s = {0};
    size_t i, k;
    json_t *block, *step;
    json_array_foreach(json_object_get(film, "blocks"), i, block)
        json_array_foreach(json_object_get(block, "steps"), k, step) add_step(&s, step);
    return s;
}

static void compare_film_and_sums(const json_t *film, const Sums *s, const char *ptx)
{
    const struct {
        const char *counter;
        uint64_t sum;
    } pairs[] = {{"warp_instructions", s->warp_insts},
                 {"kernel_instructions", s->thread_insts},
                 {"barriers", s->barriers},
                 {"warp_syncs", s->syncs},
                 {"fences", s->fences},
                 {"global_load_requests", s->loads},
                 {"global_load_sectors", s->load_sectors},
                 {"global_load_bytes", s->load_bytes},
                 {"global_store_requests", s->stores},
                 {"global_store_sectors", s->store_sectors},
                 {"global_store_bytes", s->store_bytes},
                 {"global_atomic_requests", s->atomics},
                 {"shared_atomic_requests", s->shared_atomics},
                 {"shared_bytes", s->shared_bytes},
                 {"local_load_requests", s->local_loads},
                 {"local_store_requests", s->local_stores},
                 {"const_requests", s->constants},
                 {"shared_load_requests", s->shared_loads},
                 {"shared_store_requests", s->shared_stores},
                 {"shared_wavefronts", s->wavefronts},
                 {"shared_bank_conflicts", s->conflicts}};
    const json_t *counters = json_object_get(film, "counters");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (number(counters, pairs[i].counter) != pairs[i].sum)
            fail_msg("%s: counted %llu, the film's steps add up to %llu\n%s", pairs[i].counter,
                     (unsigned long long)number(counters, pairs[i].counter), (unsigned long long)pairs[i].sum, ptx);
    assert_int_equal(number(film, "steps"), s->steps);
    assert_int_equal(number(film, "shuffles"), s->shuffles);
}

static void test_steps_add_up(void **state)
{
    Sums all = {0};
    uint64_t compared = 0;
    (void)state;
    for (uint32_t k = 0; k < KERNELS; k++) {
        const uint32_t *shape = shapes[k % N_SHAPES];
        StrBuf ptx = {0};
        kernel_write(&ptx, (KernelChoices){.rng = {k * 7919 + 5}}, shape[0] * shape[1] * shape[2] % WARP_LANES == 0);
        Rig r;
        load_ptx(&r, ptx.text, ptx.length);
        Film *film = new_film(NULL, "0-9", ROOM);
        json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
        Sums s = add_up(json);
        assert_int_equal(0, r.planned);
        if (s.steps == number(json, "steps")) { /* else it was too long for a film */
            compare_film_and_sums(json, &s, ptx.text);
            compared++;
        }
        for (size_t i = 0; i < sizeof s / sizeof(uint64_t); i++)
            ((uint64_t *)&all)[i] += ((const uint64_t *)&s)[i];
        json_decref(json);
        film_destroy(film);
        unload(&r);
        strbuf_free(&ptx);
    }
    assert_in_range(compared, KERNELS * 3 / 4, KERNELS);
    for (size_t i = 0; i < sizeof all / sizeof(uint64_t); i++) /* all of it does happen */
        assert_in_range(((const uint64_t *)&all)[i], 20, UINT64_MAX);
    assert_in_range(all.steps, 100 * KERNELS, UINT64_MAX);
}

static const char loop_ptx[] = HEAD ENTRY "ld.param.u64 %rd1, [in];\nmov.u32 %r1, 0;\nAGAIN:\n"
    "ld.global.u32 %r2, [%rd1];\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra AGAIN;\nret;\n}\n";

static void test_little_room(void **state)
{
    const uint32_t shape[3] = {64, 1, 1};
    size_t i, first = 0;
    json_t *step;
    Rig r;
    (void)state;
    load_ptx(&r, loop_ptx, sizeof loop_ptx - 1);
    Film *film = new_film(NULL, "2", 20000);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    const json_t *blocks = json_object_get(json, "blocks"), *block = json_array_get(blocks, 0);
    assert_int_equal(1, json_array_size(blocks));
    assert_int_equal(2, number(block, "linear"));
    assert_in_range(number(block, "every"), 2, 1024);
    assert_in_range(number(block, "seen"), 2001, 5000);
    assert_int_equal(number(block, "kept"), json_array_size(json_object_get(block, "steps")));
    assert_in_range(number(block, "kept"), 32, 20000 / 100);
    json_array_foreach(json_object_get(block, "steps"), i, step)
    {
        assert_int_equal(0, number(step, "t") % number(block, "every"));
        first += number(step, "t") == 0;
    }
    assert_in_range(first, 4, 20);
    assert_int_equal(BLOCKS * 2 * 1000, number(json_object_get(json, "counters"), "global_load_requests"));
    json_decref(json);
    film_destroy(film);
    unload(&r);
}

static const char wide_ptx[] = HEAD ENTRY "ld.param.u64 %rd1, [in];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 16;\nadd.u64 %rd1, %rd1, %rd2;\nmov.u32 %r1, 0;\n"
    "AGAIN:\nld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 150;\n@%p1 bra AGAIN;\nret;\n}\n";

/* What blocks may keep is more than a film may have: it has as much as it may, and no more. */
static void test_largest(void **state)
{
    const uint32_t shape[3] = {256, 1, 1};
    bool thinned = false;
    size_t i;
    json_t *block;
    Rig r;
    (void)state;
    load_ptx(&r, wide_ptx, sizeof wide_ptx - 1);
    Film *film = new_film(NULL, "0-3", ROOM);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    assert_in_range(film_json(film)->length + film_steps(film)->length, FILM_JSON_BYTES / 3, FILM_JSON_BYTES);
    json_array_foreach(json_object_get(json, "blocks"), i, block)
    {
        thinned |= number(block, "every") > 1;
        assert_int_equal(number(block, "kept"), json_array_size(json_object_get(block, "steps")));
    }
    assert_true(thinned);
    json_decref(json);
    film_destroy(film);
    unload(&r);
}

static const char rounds_ptx[] = HEAD ENTRY "mov.u32 %r1, 0;\nAGAIN:\nbar.sync 0;\n"
    "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra AGAIN;\nret;\n}\n";

/* The steps of a kind in the film's first block. */
static uint64_t events(const json_t *film, const char *event, int warp)
{
    uint64_t n = 0;
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(json_array_get(json_object_get(film, "blocks"), 0), "steps"), i, step)
        n += strcmp(text(step, "e"), event) == 0 && (warp < 0 || number(step, "w") == (uint64_t)warp);
    return n;
}

/* Of a round that is shown its end is shown, too. */
static void test_rounds_stay_whole(void **state)
{
    const uint32_t shape[3] = {96, 1, 1};
    Rig r;
    (void)state;
    load_ptx(&r, rounds_ptx, sizeof rounds_ptx - 1);
    Film *film = new_film(NULL, "1", 30000);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    const uint64_t every = number(json_array_get(json_object_get(json, "blocks"), 0), "every"), rounds = (1000 + every - 1) / every;
    assert_in_range(every, 2, 500);
    for (int warp = 0; warp < 3; warp++)
        assert_int_equal(rounds, events(json, "arrive", warp));
    assert_int_equal(rounds, events(json, "barrier", -1));
    json_decref(json);
    film_destroy(film);
    unload(&r);
}

/* Three warps, two barriers of 64 threads each: warp 2 passes the first, which lets warp 0 go on, and completes the second. */
static const char numbers_ptx[] = HEAD ENTRY "mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nsetp.eq.u32 %p1, %r2, 0;\nsetp.eq.u32 %p2, %r2, 1;\nmov.u32 %r3, 2;\n"
    "@%p1 bra FIRST;\n@%p2 bra SECOND;\nbar.arrive 1, 64;\nbar.sync 2, 64;\nret;\nFIRST: bar.sync 1, 64;\nret;\nSECOND: bar.sync %r3, 64;\nret;\n}\n";

static void test_numbers_of_barriers(void **state)
{
    const uint32_t shape[3] = {96, 1, 1};
    size_t i, nth = 0;
    json_t *step;
    Rig r;
    (void)state;
    load_ptx(&r, numbers_ptx, sizeof numbers_ptx - 1);
    Film *film = new_film(NULL, "0", ROOM);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    json_array_foreach(json_object_get(json_array_get(json_object_get(json, "blocks"), 0), "steps"), i, step)
    {
        static const struct {
            const char *event;
            int warp, come, passes, changes, members; /* warp -1: any; members of the first change: 3, a warp comes; 1, nobody is there any more */
        } wanted[] = {{"arrive", 0, 32, 0, 1, 3}, {"arrive", 1, 32, 0, 1, 3}, {"arrive", 2, 64, 1, 0, 0}, {"barrier", -1, 0, 0, 1, 1}, {"arrive", 2, 64, 0, 1, 3}, {"barrier", -1, 0, 0, 2, 1}};
        if (strcmp(text(step, "e"), "arrive") != 0 && strcmp(text(step, "e"), "barrier") != 0)
            continue;
        assert_in_range(nth, 0, sizeof wanted / sizeof *wanted - 1);
        assert_string_equal(wanted[nth].event, text(step, "e"));
        assert_true(wanted[nth].warp < 0 || (uint64_t)wanted[nth].warp == number(step, "w"));
        assert_int_equal(wanted[nth].come, number(step, "A"));
        assert_int_equal(wanted[nth].passes, number(step, "d"));
        assert_int_equal(wanted[nth].changes, json_array_size(json_object_get(step, "u")));
        assert_int_equal(wanted[nth].members, json_array_size(json_array_get(json_object_get(step, "u"), 0)));
        nth++;
    }
    assert_int_equal(6, nth);
    json_decref(json);
    film_destroy(film);
    unload(&r);
}

static const char cluster_ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" ENTRY "mov.u32 %r1, 1;\nbarrier.cluster.arrive;\nadd.u32 %r1, %r1, 1;\nbarrier.cluster.wait;\n"
    "add.u32 %r1, %r1, 1;\nret;\n}\n";

/* Of two warps the first comes, and waits; when the second has come nobody does, and it goes on at once. */
static void test_cluster_barrier(void **state)
{
    const uint32_t shape[3] = {64, 1, 1};
    size_t i, waited = 0, passed = 0;
    json_t *step, *last = NULL;
    Rig r;
    (void)state;
    load_ptx(&r, cluster_ptx, sizeof cluster_ptx - 1);
    Film *film = new_film(NULL, "0", ROOM);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    json_array_foreach(json_object_get(json_array_get(json_object_get(json, "blocks"), 0), "steps"), i, step)
    {
        if (strcmp(text(step, "e"), "arrive") == 0) {
            passed += number(step, "d");
            waited += !number(step, "d");
            assert_int_equal(number(step, "d") && number(step, "w") ? 64 : 32, number(step, "A"));
        }
        last = json_object_get(step, "u") ? json_object_get(step, "u") : last;
    }
    assert_int_equal(2, passed);
    assert_int_equal(1, waited);
    assert_int_equal(1, events(json, "barrier", -1));
    assert_int_equal(1, json_array_size(json_array_get(last, 0))); /* nobody waits any more */
    json_decref(json);
    film_destroy(film);
    unload(&r);
}

static const char shuffle_ptx[] = HEAD ENTRY "mov.u32 %r1, %tid.x;\nadd.u32 %r1, %r1, 100;\n"
    "shfl.sync.down.b32 %r2, %r1, 16, 31, -1;\nret;\n}\n";

static void test_shuffle(void **state)
{
    const uint32_t shape[3] = {32, 1, 1};
    const char *values = NULL;
    size_t i;
    json_t *step, *runs = NULL;
    Rig r;
    (void)state;
    load_ptx(&r, shuffle_ptx, sizeof shuffle_ptx - 1);
    Film *film = new_film(NULL, NULL, 0);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    json_array_foreach(json_object_get(json_array_get(json_object_get(json, "blocks"), 0), "steps"), i, step) if (
        strcmp(text(step, "e"), "shuffle") == 0)
    {
        runs = json_object_get(step, "r");
        values = text(step, "v");
    }
    assert_int_equal(32, json_array_size(runs));
    for (size_t lane = 0; lane < 32; lane++) /* beyond the warp's end a lane keeps its own */
        assert_int_equal(lane < 16 ? lane + 16 : lane, json_integer_value(json_array_get(json_array_get(runs, lane), 1)));
    assert_memory_equal("dAAAAHUAAAB2AAAAdwAAAHgAAAB5", values, 28); /* 116, 117 ... */
    assert_int_equal(BLOCKS, number(json, "shuffles"));
    json_decref(json);
    film_destroy(film);
    unload(&r);
}

/* 0: not looked at; 1: looked at; 2: it is the film. */
static int shown(Rig *r, Film *film, uint64_t nth, const char *kernel, const Finding *finding)
{
    const uint32_t shape[3] = {32, 1, 1};
    json_t *json = run_filmed(r, film, nth, kernel, shape, &finding, finding != NULL);
    int is = !json ? 0 : number(json, "launch") == nth ? 2 : 1;
    json_decref(json);
    return is;
}

static void test_launches(void **state)
{
    Finding advice, finding;
    Rig r;
    (void)state;
    load_ptx(&r, shuffle_ptx, sizeof shuffle_ptx - 1);
    finding_init(&advice);
    advice.advice = true;
    advice.kernel = finding.kernel = "k";
    finding_init(&finding);
    finding.kernel = "k";
    Film *film = new_film(NULL, NULL, 0);
    assert_int_equal(2, shown(&r, film, 1, "a", NULL));
    assert_int_equal(1, shown(&r, film, 2, "b", NULL));
    assert_int_equal(1, shown(&r, film, 3, "c", &advice));
    assert_int_equal(2, shown(&r, film, 4, "d", &finding));
    assert_int_equal(0, shown(&r, film, 5, "e", &finding));
    film_destroy(film);
    film = new_film("3", NULL, 0);
    assert_int_equal(0, shown(&r, film, 1, "a", &finding));
    assert_int_equal(2, shown(&r, film, 3, "a", NULL));
    film_destroy(film);
    film = new_film("add", NULL, 0);
    assert_int_equal(0, shown(&r, film, 1, "void myadd<float>(float *)", NULL));
    assert_int_equal(2, shown(&r, film, 2, "void ns::add<float>(float *)", NULL));
    assert_int_equal(0, shown(&r, film, 3, "add(float *)", NULL));
    film_destroy(film);
    film = new_film(NULL, NULL, 0);
    for (uint64_t i = 1; i <= FILM_LAUNCHES_MAX; i++)
        assert_int_equal(i == 1 ? 2 : 1, shown(&r, film, i, "k", NULL));
    assert_int_equal(0, shown(&r, film, FILM_LAUNCHES_MAX + 1, "k", &finding));
    film_destroy(film);
    unload(&r);
}

static void test_lists_of_blocks(void **state)
{
    static const char *const good[] = {"0", "0,5-7", "12-12"}, *const bad[] = {"", ",", "0,", "a", "7-5", "1-", "-1", "1;2"};
    Film *film;
    Diag diag = {0};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(STATUS_OK, film_create(&(FilmOptions){.blocks = good[i]}, &film, &diag));
        film_destroy(film);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(STATUS_INVALID, film_create(&(FilmOptions){.blocks = bad[i]}, &film, &diag));
}

static const char plain_ptx[] = HEAD ENTRY "ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\n"
    "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 64, %r1;\nmul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd4, %rd1, %rd3;\n"
    "ld.global.u32 %r4, [%rd4];\nadd.u32 %r4, %r4, %r3;\nmul.wide.u32 %rd5, %r3, 4;\nadd.u64 %rd6, %rd2, %rd5;\nst.global.u32 [%rd6], %r4;\nret;\n}\n";

/* Only the blocks that are recorded run warp by warp, and all is counted as ever. */
static void test_others_run_as_ever(void **state)
{
    const uint32_t shape[3] = {64, 1, 1};
    Rig with, without;
    (void)state;
    load_ptx(&with, plain_ptx, sizeof plain_ptx - 1);
    load_ptx(&without, plain_ptx, sizeof plain_ptx - 1);
    Film *film = new_film(NULL, "1", ROOM);
    json_t *json = run_filmed(&with, film, 1, "k", shape, NULL, 0);
    launch_kernel(&without, NULL, shape);
    assert_int_equal(BLOCKS, without.planned);
    assert_int_equal(BLOCKS - 1, with.planned);
    assert_memory_equal(perf_last(without.perf), perf_last(with.perf), sizeof(PerfCounters));
    assert_memory_equal(without.out->host, with.out->host, without.out->bytes);
    Sums s = add_up(json);
    assert_int_equal(2, s.loads);
    assert_int_equal(2, s.stores);
    assert_int_equal(s.steps, number(json, "steps"));
    json_decref(json);
    film_destroy(film);
    unload(&with);
    unload(&without);
}

/* Is the block of a finding in the film? */
static bool is_block_shown(Rig *r, const char *blocks, uint32_t block)
{
    const uint32_t shape[3] = {64, 1, 1};
    Finding finding, *one = &finding;
    finding_init(&finding);
    finding.kernel = "k";
    finding.has_thread = true;
    finding.block[0] = block;
    Film *film = new_film(NULL, blocks, 0);
    json_t *json = run_filmed(r, film, 1, "k", shape, (const Finding *const *)&one, 1);
    bool is = json_integer_value(json_object_get(json_array_get(json_object_get(json, "findings"), 0), "block")) >= 0;
    json_decref(json);
    film_destroy(film);
    return is;
}

/* Blocks that take many instructions are recorded nearer to the grid's ends, others FILM_ENDS from them. */
static void test_ends(void **state)
{
    Rig r;
    (void)state;
    load_ptx(&r, loop_ptx, sizeof loop_ptx - 1);
    r.grid = 400;
    const uint32_t ends = FILM_INSTS / 2 / (2 * 4003); /* two warps, so many each */
    assert_in_range(ends, FILM_ENDS_LEAST + 1, FILM_ENDS - 1);
    assert_true(is_block_shown(&r, NULL, 0));
    assert_true(is_block_shown(&r, NULL, ends - 1));
    assert_false(is_block_shown(&r, NULL, ends));
    assert_false(is_block_shown(&r, NULL, r.grid - 1 - ends));
    assert_true(is_block_shown(&r, NULL, r.grid - ends));
    assert_true(is_block_shown(&r, "200", 200));
    unload(&r);
    load_ptx(&r, shuffle_ptx, sizeof shuffle_ptx - 1);
    r.grid = 400;
    assert_true(is_block_shown(&r, NULL, FILM_ENDS - 1));
    assert_false(is_block_shown(&r, NULL, FILM_ENDS));
    unload(&r);
}

static Film *new_register_film(uint32_t room)
{
    Film *film;
    Diag diag = {0};
    assert_int_equal(STATUS_OK, film_create(&(FilmOptions){.blocks = "1", .block_bytes = room, .registers = true}, &film, &diag));
    return film;
}

/* What a step tells of a register of this name, as in the contract: [number, lane 0's, what each lane adds]; NULL: nothing. */
static const json_t *held_in(const json_t *film, const json_t *step, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(step, "h"), i, one)
    {
        const json_t *held = json_array_get(json_object_get(film, "held"), (size_t)json_integer_value(json_array_get(one, 0)));
        if (strcmp(text(held, "name"), name) == 0)
            return one;
    }
    return NULL;
}

/* %r1 counts the loop's turns: what was told of it last is the turn of each step that loads, whatever steps were left out between. */
static void check_counter(uint32_t room, bool thinned)
{
    const uint32_t shape[3] = {64, 1, 1};
    int64_t told[2] = {-1, -1};
    size_t i, loads = 0;
    json_t *step;
    Rig r;
    load_ptx(&r, loop_ptx, sizeof loop_ptx - 1);
    Film *film = new_register_film(room);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    const json_t *block = json_array_get(json_object_get(json, "blocks"), 0);
    assert_int_equal(thinned, number(block, "every") > 1);
    json_array_foreach(json_object_get(block, "steps"), i, step)
    {
        const json_t *counter = held_in(json, step, "%r1");
        if (counter)
            told[number(step, "w")] = json_integer_value(json_array_get(counter, 1));
        if (strcmp(text(step, "e"), "access") != 0)
            continue;
        assert_int_equal(number(step, "t"), told[number(step, "w")]);
        loads++;
    }
    assert_in_range(loads, thinned ? 16 : 2000, 2000);
    json_decref(json);
    film_destroy(film);
    unload(&r);
}

static void test_registers(void **state)
{
    (void)state;
    check_counter(ROOM, false);
    check_counter(60000, true);
    check_counter(9000, true);
}

static const char forms_ptx[] = HEAD ENTRY ".reg .f32 %f<2>;\n.reg .pred %odd;\nld.param.u64 %rd1, [in];\nmov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, 3;\n"
    "sub.u32 %r2, 7, %r2;\nmov.u32 %r6, 77;\nmul.lo.u32 %r3, %r1, %r1;\nmov.f32 %f1, 0f3F800000;\nand.b32 %r4, %r1, 1;\nsetp.ne.u32 %odd, %r4, 0;\n"
    "st.global.u32 [%rd1], %r3;\nadd.u32 %r5, %r2, %r3;\nadd.u32 %r5, %r5, %r4;\n@%odd st.global.u32 [%rd1], %r5;\nst.global.f32 [%rd1], %f1;\nret;\n}\n";

static void test_forms_of_registers(void **state)
{
    const uint32_t shape[3] = {40, 1, 1};
    size_t i;
    json_t *step, *first = NULL;
    Rig r;
    (void)state;
    load_ptx(&r, forms_ptx, sizeof forms_ptx - 1);
    Film *film = new_register_film(ROOM);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    json_array_foreach(json_object_get(json_array_get(json_object_get(json, "blocks"), 0), "steps"), i, step)
        first = first || strcmp(text(step, "e"), "access") != 0 || number(step, "w") != 1 ? first : step;
    const json_t *even = held_in(json, first, "%r2"), *each = held_in(json, first, "%r3"), *alike = held_in(json, first, "%f1"), *odd = held_in(json, first, "%odd");
    assert_non_null(even);
    assert_int_equal((uint32_t)(7 - 3 * 32), json_integer_value(json_array_get(even, 1)));
    assert_int_equal((uint32_t)-3, json_integer_value(json_array_get(even, 2)));
    assert_int_equal(2, json_array_size(each)); /* squares have no rule: bytes of 32 lanes, 8 of which there are */
    assert_int_equal(4 * 43, strlen(json_string_value(json_array_get(each, 1))));
    assert_memory_equal("AAQAAEEEAACE", json_string_value(json_array_get(each, 1)), 12); /* 32 * 32, 33 * 33, 34 ... */
    assert_int_equal(0x3F800000, json_integer_value(json_array_get(alike, 1)));
    assert_int_equal(0, json_integer_value(json_array_get(alike, 2)));
    assert_int_equal(0xAA, json_integer_value(json_array_get(odd, 1)) & 0xFF);
    assert_int_equal(1, json_array_size(held_in(json, first, "%r6"))); /* nobody reads it: %r3 has its place */
    json_decref(json);
    film_destroy(film);
    unload(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_add_up), cmocka_unit_test(test_little_room), cmocka_unit_test(test_rounds_stay_whole), cmocka_unit_test(test_largest),
                                       cmocka_unit_test(test_numbers_of_barriers), cmocka_unit_test(test_cluster_barrier), cmocka_unit_test(test_shuffle),
                                       cmocka_unit_test(test_launches), cmocka_unit_test(test_lists_of_blocks),
                                       cmocka_unit_test(test_others_run_as_ever), cmocka_unit_test(test_ends), cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_forms_of_registers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
