/* Films of random kernels, played: what steps store and load agrees, byte for byte, with a memory that only they fill; each thread ends once, and nobody does anything
 * who waits at a barrier. A film with little room has all steps of its turns and no others, as the whole one has them, with the same totals. */
#include "common/vgpu/film/test/rig.h"

enum { KERNELS = 90, LITTLE = 24000, THREADS = KERNEL_THREADS_MAX, SHARED = 1 << 15, LOCAL = 1 << 12, GLOBAL = 1 << 15 };

/* ---- memory ---- */

typedef struct Bytes {
    uint8_t *value, *known;
    size_t n;
} Bytes;

typedef struct Player {
    const Rig *rig;
    const json_t *film;
    Bytes shared, local, in, out;
    uint32_t waiting[32], gone[32], lanes[32];
    uint64_t compared, stored, vectors, guarded; /* bytes; accesses of 8 bytes and more; by some lanes of those that are there */
    uint64_t atomics, barriers, waited;          /* steps in which somebody waits */
} Player;

static Bytes new_bytes(size_t n, const void *value)
{
    Bytes b = {calloc(n, 1), calloc(n, 1), n};
    assert_true(b.value && b.known);
    if (value) {
        memcpy(b.value, value, n);
        memset(b.known, 1, n);
    }
    return b;
}

static void free_bytes(Bytes *b)
{
    free(b->value);
    free(b->known);
}

static uint32_t lanes_of(const json_t *step)
{
    return (uint32_t)(json_object_get(step, "x") ? number(step, "x") : number(step, "m"));
}

static size_t decode(const char *text, uint8_t *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t v = 0, bits = 0;
    size_t n = 0;
    for (; *text && *text != '='; text++) {
        v = v << 6 | (uint32_t)(strchr(digits, *text) - digits);
        if ((bits += 6) >= 8)
            out[n++] = (uint8_t)(v >> (bits -= 8));
    }
    return n;
}

/* Where a lane's bytes are kept; NULL: of no interest here. *at: the first of them. */
static Bytes *place_of(Player *p, const json_t *step, uint32_t lane, uint64_t *at)
{
    const char *space = text(step, "s");
    Bytes *b = NULL;
    if (strcmp(space, "shared") == 0)
        b = &p->shared;
    else if (strcmp(space, "local") == 0)
        *at += ((number(step, "w") * 32 + lane) * LOCAL), b = *at % LOCAL + number(step, "z") <= LOCAL ? &p->local : NULL;
    else if (strcmp(space, "global") == 0)
        b = number(step, "a") == p->rig->in->serial ? &p->in : number(step, "a") == p->rig->out->serial ? &p->out : NULL;
    return b && *at + number(step, "z") <= b->n ? b : NULL;
}

static void play_lane(Player *p, const json_t *step, uint32_t lane, uint64_t at, const uint8_t *value)
{
    const char *kind = text(step, "k");
    uint64_t n = number(step, "z");
    Bytes *b = place_of(p, step, lane, &at);
    if (!b)
        return;
    for (uint64_t i = at; strcmp(kind, "store") != 0 && i < at + n; i++) {
        if (b->known[i] && b->value[i] != value[i - at])
            fail_msg("lane %u: byte %llu is %u, not %u: %s", lane, (unsigned long long)i, b->value[i], value[i - at], json_dumps(step, 0));
        p->compared += b->known[i];
    }
    memcpy(b->value + at, value, n);
    memset(b->known + at, 1, n);
    p->stored += strcmp(kind, "store") == 0 ? n : 0;
}

static void play_access(Player *p, const json_t *step)
{
    uint8_t values[32 * 16];
    const json_t *run;
    uint32_t left = lanes_of(step), nth = 0;
    const uint64_t each = number(step, "z");
    const bool atomic = strcmp(text(step, "k"), "atomic") == 0;
    size_t i, n = decode(text(step, "v"), values);
    if (n == 0)
        return;
    assert_true(n == each || n == each * (uint64_t)__builtin_popcount(left));
    p->vectors += each >= 8;
    p->atomics += atomic;
    p->guarded += left != (uint32_t)number(step, "m");
    json_array_foreach(json_object_get(step, "r"), i, run)
        for (json_int_t k = 0; k < json_integer_value(json_array_get(run, 0)); k++, nth++, left &= left - 1) {
            uint64_t at = (uint64_t)(json_integer_value(json_array_get(run, 1)) + k * json_integer_value(json_array_get(run, 2)));
            play_lane(p, step, (uint32_t)__builtin_ctz(left), at, values + (n == each ? 0 : nth * each));
        }
    if (!atomic)
        return;
    left = lanes_of(step); /* what it leaves there is not said */
    json_array_foreach(json_object_get(step, "r"), i, run)
        for (json_int_t k = 0; k < json_integer_value(json_array_get(run, 0)); k++, left &= left - 1) {
            uint64_t at = (uint64_t)(json_integer_value(json_array_get(run, 1)) + k * json_integer_value(json_array_get(run, 2)));
            Bytes *b = place_of(p, step, (uint32_t)__builtin_ctz(left), &at);
            if (b)
                memset(b->known + at, 0, each);
        }
}

/* ---- who waits, who has ended ---- */

static void play_waits(uint32_t waiting[32], const json_t *step)
{
    const json_t *change;
    size_t i;
    json_array_foreach(json_object_get(step, "u"), i, change)
    {
        size_t n = json_array_size(change); /* all these kernels' threads meet at one place at a time */
        assert_true(n == 1 || n == 3);
        if (n == 1)
            memset(waiting, 0, 32 * sizeof *waiting);
        else
            waiting[json_integer_value(json_array_get(change, 1))] = (uint32_t)json_integer_value(json_array_get(change, 2));
    }
}

static void play_step(Player *p, const json_t *step)
{
    const char *event = text(step, "e");
    const uint64_t w = number(step, "w");
    const uint32_t m = (uint32_t)number(step, "m"), gone = (uint32_t)number(step, "g");
    uint64_t n_waiting = 0;
    if (p->gone[w] != gone)
        fail_msg("gone: %x, %s", p->gone[w], json_dumps(step, 0));
    if (m & p->waiting[w])
        fail_msg("waits: %x, %s", p->waiting[w], json_dumps(step, 0));
    if (m & gone && strcmp(event, "fault") != 0) /* a barrier that others have ended without is told of those */
        fail_msg("gone: %x, %s", gone, json_dumps(step, 0));
    if (strcmp(event, "barrier") == 0)
        for (int i = 0; i < 32; i++)
            assert_int_equal(p->lanes[i], p->waiting[i] | p->gone[i]);
    play_waits(p->waiting, step);
    for (int i = 0; i < 32; i++) {
        n_waiting += (uint64_t)__builtin_popcount(p->waiting[i]);
        assert_int_equal(0, p->waiting[i] & ~p->lanes[i]);
    }
    p->waited += n_waiting > 0;
    if (strcmp(event, "arrive") == 0) {
        assert_int_equal(lanes_of(step), p->waiting[w] & lanes_of(step));
        assert_int_equal(n_waiting, number(step, "A"));
    } else if (strcmp(event, "barrier") == 0) {
        assert_int_equal(0, n_waiting);
        p->barriers++;
    } else if (strcmp(event, "exit") == 0) {
        p->gone[w] |= lanes_of(step);
    } else if (strcmp(event, "access") == 0) {
        play_access(p, step);
    }
}

static void play_block(Player *p, const json_t *block, const uint32_t shape[3])
{
    const uint32_t threads = shape[0] * shape[1] * shape[2];
    const json_t *step;
    size_t i;
    p->shared = new_bytes(SHARED, NULL);
    p->local = new_bytes((size_t)THREADS * LOCAL, NULL);
    for (uint32_t w = 0; w < 32; w++) {
        p->waiting[w] = p->gone[w] = 0;
        p->lanes[w] = threads >= 32 * (w + 1) ? UINT32_MAX : threads > 32 * w ? (1u << (threads - 32 * w)) - 1 : 0;
    }
    json_array_foreach(json_object_get(block, "steps"), i, step) play_step(p, step);
    assert_memory_equal(p->lanes, p->gone, sizeof p->lanes);
    free_bytes(&p->shared);
    free_bytes(&p->local);
}

static Player play_film(const Rig *r, const json_t *film, const uint32_t shape[3])
{
    uint8_t *nothing = calloc(r->out->bytes, 1);
    Player p = {.rig = r, .film = film, .in = new_bytes(r->in->bytes, r->in->host), .out = new_bytes(r->out->bytes, nothing)};
    const json_t *block;
    size_t i;
    json_array_foreach(json_object_get(film, "blocks"), i, block) play_block(&p, block, shape);
    for (uint64_t at = 0; at < p.out.n; at++) /* and so it ends */
        if (p.out.known[at])
            assert_int_equal(r->out->host[at], p.out.value[at]);
    free_bytes(&p.in);
    free_bytes(&p.out);
    free(nothing);
    return p;
}

/* ---- a film with little room ---- */

/* Names a step: its warp, its instruction, its turn, what it is. */
static void put_key(const json_t *film, const json_t *step, char key[200])
{
    const json_t *inst = json_array_get(json_object_get(film, "insts"), (size_t)number(step, "i"));
    snprintf(key, 200, "%d %s %d %d %s", (int)number(step, "w"), text(inst, "function"), (int)number(inst, "pc"), (int)number(step, "t"), text(step, "e"));
}

/* A step, as all films have it: without numbers of instructions, and with those who wait as a list of lanes. */
static json_t *plain_step(const json_t *step, const uint32_t waiting[32])
{
    json_t *plain = json_copy((json_t *)step), *who = json_array();
    json_object_del(plain, "i");
    json_object_del(plain, "u");
    for (int i = 0; i < 32; i++)
        json_array_append_new(who, json_integer(waiting[i]));
    json_object_set_new(plain, "who", who);
    return plain;
}

static json_t *index_steps(const json_t *film, const json_t *block)
{
    uint32_t waiting[32] = {0};
    json_t *all = json_object();
    const json_t *step;
    char key[200];
    size_t i;
    json_array_foreach(json_object_get(block, "steps"), i, step)
    {
        play_waits(waiting, step);
        put_key(film, step, key);
        json_object_set_new(all, key, plain_step(step, waiting));
    }
    return all;
}

static void check_thin_block(const json_t *whole_film, const json_t *whole, const json_t *film, const json_t *block)
{
    json_t *all = index_steps(whole_film, whole), *some = index_steps(film, block), *step;
    const uint64_t every = number(block, "every");
    const char *key;
    uint64_t shown = 0, wanted = 0;
    json_object_foreach(some, key, step)
    {
        if (!json_equal(step, json_object_get(all, key)))
            fail_msg("%s: %s\n%s", key, json_dumps(step, JSON_SORT_KEYS), json_dumps(json_object_get(all, key), JSON_SORT_KEYS));
        shown += number(step, "n");
    }
    json_object_foreach(all, key, step) wanted += number(step, "t") % every == 0 || strcmp(text(step, "e"), "fault") == 0;
    if (json_is_true(json_object_get(block, "cut")))
        assert_in_range(json_object_size(some), 1, wanted - 1);
    else
        assert_int_equal(wanted, json_object_size(some));
    assert_int_equal(number(block, "kept"), json_array_size(json_object_get(block, "steps")));
    assert_int_equal(number(whole, "seen"), number(block, "seen"));
    assert_int_equal(number(whole, "instructions"), number(block, "instructions"));
    assert_int_equal(number(whole, "shown"), number(whole, "instructions"));
    assert_int_equal(shown, number(block, "shown"));
    json_decref(all);
    json_decref(some);
}

/* True: something was left out. */
static bool check_thin(const char *ptx, size_t length, const json_t *whole, const uint32_t shape[3])
{
    Rig r;
    load_ptx(&r, ptx, length);
    Film *film = new_film(NULL, "0-9", LITTLE);
    json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
    const json_t *blocks = json_object_get(json, "blocks"), *block;
    uint64_t instructions = 0;
    bool thinned = false;
    size_t i;
    assert_true(json_equal(json_object_get(whole, "counters"), json_object_get(json, "counters")));
    assert_int_equal(number(whole, "steps"), number(json, "steps"));
    json_array_foreach(blocks, i, block)
    {
        check_thin_block(whole, json_array_get(json_object_get(whole, "blocks"), i), json, block);
        thinned |= number(block, "every") > 1 && !json_is_true(json_object_get(block, "cut"));
        instructions += number(block, "instructions");
    }
    assert_int_equal(instructions, number(json_object_get(json, "counters"), "warp_instructions"));
    json_decref(json);
    film_destroy(film);
    unload(&r);
    return thinned;
}

static void test_random_kernels(void **state)
{
    Player all = {.rig = NULL};
    uint32_t thinned = 0;
    (void)state;
    for (uint32_t k = 0; k < KERNELS; k++) {
        const uint32_t *shape = shapes[k % N_SHAPES];
        StrBuf ptx = {0};
        kernel_write(&ptx, (KernelChoices){.rng = {k * 104729 + 11}}, shape[0] * shape[1] * shape[2] % WARP_LANES == 0);
        Rig r;
        load_ptx(&r, ptx.text, ptx.length);
        Film *film = new_film(NULL, "0-9", ROOM);
        json_t *json = run_filmed(&r, film, 1, "k", shape, NULL, 0);
        if (number(json_array_get(json_object_get(json, "blocks"), 0), "every") == 1 && number(json, "steps") < 6000) {
            Player p = play_film(&r, json, shape);
            all.compared += p.compared;
            all.stored += p.stored;
            all.vectors += p.vectors;
            all.guarded += p.guarded;
            all.atomics += p.atomics;
            all.barriers += p.barriers;
            all.waited += p.waited;
            thinned += check_thin(ptx.text, ptx.length, json, shape);
        }
        json_decref(json);
        film_destroy(film);
        unload(&r);
        strbuf_free(&ptx);
    }
    assert_in_range(thinned, KERNELS / 10, KERNELS);
    assert_in_range(all.compared, 100000, UINT64_MAX); /* all of it does happen */
    assert_in_range(all.stored, 100000, UINT64_MAX);
    assert_in_range(all.vectors, 500, UINT64_MAX);
    assert_in_range(all.guarded, 30, UINT64_MAX);
    assert_in_range(all.atomics, 200, UINT64_MAX);
    assert_in_range(all.barriers, 200, UINT64_MAX);
    assert_in_range(all.waited, 2000, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
