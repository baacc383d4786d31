/* The pool: every job runs once, in a slot of its own, and a job that dies harms no other. */
#include "grader/class/pool.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 20, SLOTS = 3 };

/* Shared with the jobs' processes. */
typedef struct Shared {
    int ran[N], in_slot[SLOTS], on_cpu[CPU_SETSIZE], clashes;
} Shared;

typedef struct Context {
    Shared *shared;
    int ended[N], status[N], n_ended;
    volatile sig_atomic_t stop;
    int stop_after;
} Context;

static void nap(int ms)
{
    struct timespec t = {.tv_nsec = ms * 1000000L};
    nanosleep(&t, NULL);
}

static int work(void *context, size_t job, int slot)
{
    Shared *s = ((Context *)context)->shared;
    __atomic_add_fetch(&s->ran[job], 1, __ATOMIC_SEQ_CST);
    if (slot < 0 || slot >= SLOTS || __atomic_add_fetch(&s->in_slot[slot], 1, __ATOMIC_SEQ_CST) != 1)
        __atomic_add_fetch(&s->clashes, 1, __ATOMIC_SEQ_CST);
    nap(5);
    __atomic_sub_fetch(&s->in_slot[slot], 1, __ATOMIC_SEQ_CST);
    if (job == 7)
        abort();
    return (int)job;
}

static void done(void *context, size_t job, int status)
{
    Context *c = context;
    c->ended[job]++;
    c->status[job] = status;
    if (++c->n_ended == c->stop_after)
        c->stop = 1;
}

static Context new_context(void)
{
    Context c = {.shared =
                     mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
    return c;
}

static Pool new_pool(Context *c)
{
    return (Pool){.n_jobs = N, .n_slots = SLOTS, .work = work, .done = done, .context = c, .stop = &c->stop};
}

static void test_all_run_once(void **state)
{
    (void)state;
    Context c = new_context();
    Pool pool = new_pool(&c);
    assert_int_equal(STATUS_OK, pool_run(&pool, NULL));
    for (int i = 0; i < N; i++) {
        assert_int_equal(1, c.shared->ran[i]);
        assert_int_equal(1, c.ended[i]);
        if (i == 7)
            assert_true(WIFSIGNALED(c.status[i]));
        else
            assert_int_equal(i, WEXITSTATUS(c.status[i]));
    }
    assert_int_equal(0, c.shared->clashes);
}

static void test_more_slots_than_jobs(void **state)
{
    (void)state;
    Context c = new_context();
    Pool pool = new_pool(&c);
    pool.n_jobs = 1;
    assert_int_equal(STATUS_OK, pool_run(&pool, NULL));
    assert_int_equal(1, c.n_ended);
    pool.n_jobs = 0;
    assert_int_equal(STATUS_OK, pool_run(&pool, NULL));
    assert_int_equal(1, c.n_ended);
}

static void test_stop(void **state)
{
    (void)state;
    Context c = new_context();
    c.stop_after = 5;
    Pool pool = new_pool(&c);
    Diag d;
    assert_int_equal(STATUS_LIMIT, pool_run(&pool, &d));
    assert_int_equal(5, c.n_ended);
    assert_int_equal(-1, waitpid(-1, NULL, WNOHANG)); /* nobody is left behind */
    assert_int_equal(ECHILD, errno);
}

/* Which processors a job may use; of one that keeps to a processor, that no other does. */
static int work_on_one(void *context, size_t job, int slot)
{
    (void)job, (void)slot;
    Shared *s = ((Context *)context)->shared;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 2;
    bool one = CPU_COUNT(&set) == 1;
    int cpu = sched_getcpu();
    if (one && __atomic_add_fetch(&s->on_cpu[cpu], 1, __ATOMIC_SEQ_CST) != 1)
        __atomic_add_fetch(&s->clashes, 1, __ATOMIC_SEQ_CST);
    nap(5);
    if (one)
        __atomic_sub_fetch(&s->on_cpu[cpu], 1, __ATOMIC_SEQ_CST);
    return one;
}

static void test_a_processor_each(void **state)
{
    (void)state;
    cpu_set_t before, after;
    assert_int_equal(0, sched_getaffinity(0, sizeof before, &before));
    if (CPU_COUNT(&before) < 2)
        skip();
    for (int more = 0; more < 2; more++) {
        Context c = new_context();
        Pool pool = new_pool(&c);
        pool.work = work_on_one;
        pool.n_slots = CPU_COUNT(&before) + more;
        pool.one_processor = true;
        assert_int_equal(STATUS_OK, pool_run(&pool, NULL));
        assert_int_equal(0, c.shared->clashes);
        int n_on_one = 0;
        for (int i = 0; i < N; i++) {
            assert_true(WIFEXITED(c.status[i]) && WEXITSTATUS(c.status[i]) < 2);
            n_on_one += WEXITSTATUS(c.status[i]);
        }
        if (more)
            assert_in_range(n_on_one, 1, N); /* whose turn comes while all are taken runs where it likes */
        else
            assert_int_equal(N, n_on_one);
    }
    assert_int_equal(0, sched_getaffinity(0, sizeof after, &after));
    assert_true(CPU_EQUAL(&before, &after)); /* the caller's own are as they were */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_run_once),
        cmocka_unit_test(test_more_slots_than_jobs),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_a_processor_each),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
