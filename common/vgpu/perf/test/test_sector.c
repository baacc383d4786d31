/* Sectors, meetings of atomics and bank conflicts of one warp, for random lanes, beside the plainest way to
 * count them. */
#include "common/vgpu/perf/perf_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t draw_below(uint64_t *random, uint64_t n)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (*random >> 33) % n;
}

/* Lanes in a stretch of 64 bytes to 64 KB, so that they meet often or hardly ever. */
static void draw_lanes(uint64_t *random, ExecAccess *a, uint64_t *addr)
{
    uint64_t base = ((uint64_t)1 << 40) + 256 * draw_below(random, 64),
             reach = (uint64_t)64 << draw_below(random, 11);
    a->bytes = 1u << draw_below(random, 5);
    a->mask = draw_below(random, 3)
                  ? 0xFFFFFFFFu
                  : 1u << draw_below(random, 32) | (uint32_t)draw_below(random, (uint64_t)1 << 32);
    a->addr = addr;
    a->pattern = PATTERN_OTHER;
    for (int lane = 0; lane < WARP_LANES; lane++)
        addr[lane] = base + draw_below(random, reach / a->bytes) * a->bytes;
}

static bool is_on(const ExecAccess *a, int lane)
{
    return a->mask >> lane & 1;
}

/* Is this the first active lane with that address, or that sector? */
static bool is_first(const ExecAccess *a, int lane, uint64_t unit)
{
    for (int other = 0; other < lane; other++)
        if (is_on(a, other) && a->addr[other] / unit == a->addr[lane] / unit)
            return false;
    return true;
}

static unsigned lanes_like(const ExecAccess *a, int lane)
{
    unsigned n = 0;
    for (int other = 0; other < WARP_LANES; other++)
        n += is_on(a, other) && a->addr[other] == a->addr[lane];
    return n;
}

static void check_list(const ExecAccess *a, const SectorList *s)
{
    unsigned n_lines = 0, n_sectors = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if (!is_on(a, lane))
            continue;
        uint64_t line = a->addr[lane] / LINE_BYTES, bit = a->addr[lane] / SECTOR_BYTES % LINE_SECTORS;
        unsigned at = 0;
        while (at < s->n && s->line[at] != line)
            at++;
        assert_true(at < s->n);
        assert_true(s->sectors[at] >> bit & 1);
        if (is_first(a, lane, LINE_BYTES) && a->kind == ACCESS_LOAD)
            assert_int_equal(at, n_lines); /* in the order of the lanes */
        n_lines += is_first(a, lane, LINE_BYTES);
        n_sectors += is_first(a, lane, SECTOR_BYTES);
    }
    assert_int_equal(s->n, n_lines);
    assert_int_equal(s->n_sectors, n_sectors);
}

/* The most lanes of one address in lane's sector. */
static unsigned most_in_sector(const ExecAccess *a, int lane)
{
    unsigned most = 0;
    for (int other = 0; other < WARP_LANES; other++)
        if (is_on(a, other) && a->addr[other] / SECTOR_BYTES == a->addr[lane] / SECTOR_BYTES)
            most = lanes_like(a, other) > most ? lanes_like(a, other) : most;
    return most;
}

static void check_turns(const ExecAccess *a, const SectorList *s)
{
    Turns *t = calloc(1, sizeof *t);
    assert_non_null(t);
    unsigned conflicts, done = turns_add(t, a, s, false, &conflicts), want_done = 0, want_conflicts = 0;
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if (!is_on(a, lane))
            continue;
        want_conflicts += lanes_like(a, lane) > 1;
        want_done += is_first(a, lane, SECTOR_BYTES) ? most_in_sector(a, lane) : 0;
    }
    uint64_t sum = 0;
    for (int i = 0; i < TURN_PLACES; i++)
        sum += t->of[i];
    assert_int_equal(conflicts, want_conflicts);
    assert_int_equal(done, want_done);
    assert_int_equal(sum, (uint64_t)TURN_INT * want_done);
    free(t);
}

static void lanes_anywhere(void **state)
{
    (void)state;
    static const uint8_t kinds[] = {ACCESS_LOAD, ACCESS_STORE, ACCESS_REDUCTION};
    uint64_t random = 1;
    for (int i = 0; i < 1500; i++) {
        uint64_t addr[WARP_LANES];
        ExecAccess a = {.kind = kinds[i % 3], .space = SPACE_GLOBAL};
        SectorList s;
        draw_lanes(&random, &a, addr);
        sector_list(&a, &s);
        check_list(&a, &s);
        if (a.kind == ACCESS_REDUCTION)
            check_turns(&a, &s);
    }
}

/* Does a lane before `lane`, of the group from `first` on, want this word of shared memory? */
static bool is_wanted(const ExecAccess *a, int first, int lane, uint64_t word)
{
    unsigned words_each = a->bytes < 4 ? 1 : a->bytes / 4;
    for (int other = first; other < lane; other++)
        if (is_on(a, other) && word - a->addr[other] / 4 < words_each)
            return true;
    return false;
}

static unsigned passes(const ExecAccess *a, int first, int n)
{
    enum { BANKS = 32 };
    unsigned words[BANKS] = {0}, most = 0, words_each = a->bytes < 4 ? 1 : a->bytes / 4;
    for (int lane = first; lane < first + n; lane++)
        for (unsigned k = 0; is_on(a, lane) && k < words_each; k++) {
            uint64_t word = a->addr[lane] / 4 + k;
            words[word % BANKS] += !is_wanted(a, first, lane, word);
            most = words[word % BANKS] > most ? words[word % BANKS] : most;
        }
    return most;
}

static void banks_anywhere(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < 1000; i++) {
        uint64_t addr[WARP_LANES];
        ExecAccess a = {.kind = ACCESS_LOAD, .space = SPACE_SHARED};
        unsigned wavefronts, least, want = 0;
        draw_lanes(&random, &a, addr);
        for (int lane = 0; lane < WARP_LANES; lane++)
            addr[lane] -= (uint64_t)1 << 40;
        perf_wavefronts(&a, &wavefronts, &least);
        int n = a.bytes <= 4 ? 32 : a.bytes == 8 ? 16 : 8;
        for (int first = 0; first < WARP_LANES; first += n)
            want += passes(&a, first, n);
        assert_int_equal(wavefronts, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_anywhere), cmocka_unit_test(banks_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
