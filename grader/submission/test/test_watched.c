/* Which cases are watched: one of each four by their work, by a secret. */
#include "grader/submission/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 11, MAY = 9 };
static LabCase cases[N];
static Lab lab = {.lab = "02-vector-add", .cases = cases, .n_cases = N};

/* The cases as bits; no secret has another submission's choice. */
static unsigned draw_watched(uint64_t secret, const char *digest)
{
    static const char *const names[N] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    Arena a = {0};
    bool watched[N];
    unsigned bits = 0;
    for (int i = 0; i < N; i++) {
        cases[i] = (LabCase){.name = names[i], .min_ops = 1 + (i * 7) % N};
        watched[i] = i < MAY;
    }
    assert_int_equal(STATUS_OK, watched_draw(&a, secret, digest, &lab, watched, NULL));
    for (int i = 0; i < N; i++)
        bits |= (unsigned)watched[i] << i;
    arena_free(&a);
    return bits;
}

static void test_share(void **state)
{
    (void)state;
    for (uint64_t secret = 0; secret < 200; secret++) {
        unsigned bits = draw_watched(secret, "0123");
        assert_int_equal((MAY + WATCHED_ONE_IN - 1) / WATCHED_ONE_IN, __builtin_popcount(bits));
        assert_int_equal(0, bits >> MAY);
        int of_most_work = 0;
        for (int i = 0; i < MAY; i++) {
            int more = 0;
            for (int k = 0; k < MAY; k++)
                more += cases[k].min_ops > cases[i].min_ops;
            of_most_work += (bits >> i & 1) && more < WATCHED_ONE_IN;
        }
        assert_int_equal(1, of_most_work);
    }
}

/* Every case is watched for some secret, about as often as every other of its four. */
static void test_secret(void **state)
{
    (void)state;
    int times[MAY] = {0};
    for (uint64_t secret = 0; secret < 4000; secret++)
        for (int i = 0; i < MAY; i++)
            times[i] += draw_watched(secret, "0123") >> i & 1;
    for (int i = 0; i < MAY; i++)
        assert_true(times[i] == 4000 || (times[i] > 850 && times[i] < 1150));
}

static void test_same_again(void **state)
{
    (void)state;
    int other_secret = 0, other_digest = 0;
    for (uint64_t secret = 1; secret < 100; secret++) {
        assert_int_equal(draw_watched(secret, "0123"), draw_watched(secret, "0123"));
        other_secret += draw_watched(secret, "0123") != draw_watched(secret << 32, "0123");
        other_digest += draw_watched(secret, "0123") != draw_watched(secret, "0124");
    }
    assert_true(other_secret > 50);
    assert_true(other_digest > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_secret),
        cmocka_unit_test(test_same_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
