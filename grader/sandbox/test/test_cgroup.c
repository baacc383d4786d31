/* Sandboxes in groups of the kernel (cgroup v2): what the watcher does not look at, the kernel still bounds. The tests skip
 * where this user may make no groups; `grader/sandbox/test/guest.sh` runs them in a virtual machine. */
#include "grader/sandbox/cgroup.h"
#include "grader/sandbox/step.h"
#include "grader/sandbox/test/hostile.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NEVER_MS = 60000 }; /* between two looks of the watcher: it sees nothing */

typedef struct Fixture {
    Arena arena;
    Sandbox sandbox;
    char kit[64];
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    char command[512];
    strcpy(f->kit, "/tmp/cgroup-test-kit-XXXXXX");
    if (!mkdtemp(f->kit) || chmod(f->kit, 0755))
        return -1;
    snprintf(command, sizeof command,
             "cp \"$(dirname \"$(readlink -f /proc/%d/exe)\")/../../../bin/grade-runner\" %s/runner && "
             "cp /proc/%d/exe %s/self && chmod 755 %s/self %s/runner",
             (int)getpid(), f->kit, (int)getpid(), f->kit, f->kit, f->kit);
    *state = f;
    return system(command) == 0 ? (int)sandbox_probe(&f->arena, NULL, &f->sandbox, NULL) : -1;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->kit);
    sandbox_forget(&f->sandbox);
    arena_free(&f->arena);
    free(f);
    return system(command);
}

static const WireLimits unwatched = {.wall_ms = 8000,
                                     .cpu_ms = 60000,
                                     .tick_ms = NEVER_MS,
                                     .memory_kib = 48 << 10,
                                     .processes = 32,
                                     .output_bytes = 1000,
                                     .file_bytes = 1 << 20};

static void need_groups(const Fixture *f)
{
    if (f->sandbox.cgroup)
        return;
    print_message("skipped: no group of cgroup v2 may be made here\n");
    skip();
}

static Status start_in_cgroup(const Fixture *f, SandboxProcess *p)
{
    SandboxBind bind = {.host = f->kit, .inside = "/kit"};
    SandboxScratch scratch = {"/tmp", 16 << 20};
    SandboxSpec spec = {
        .binds = &bind, .n_binds = 1, .scratch = &scratch, .n_scratch = 1, .runner = "/kit/runner"};
    return sandbox_start(&f->sandbox, &spec, p, NULL);
}

static Status sandbox_run(SandboxProcess *p, const SandboxStep *step, Arena *a, SandboxAnswer *answer, Diag *d)
{
    Status s = sandbox_ask(p, step, d);
    return s == STATUS_OK ? sandbox_answer(p, step, a, answer, d) : s;
}

static SandboxAnswer run_one(Fixture *f, const char *name, WireLimits limits)
{
    const char *args[] = {"/kit/self", "--as", name, NULL};
    SandboxStep step = {.dir = "/tmp", .args = args, .limits = limits};
    SandboxProcess p;
    SandboxAnswer a;
    assert_int_equal(STATUS_OK, start_in_cgroup(f, &p));
    assert_int_equal(STATUS_OK, sandbox_run(&p, &step, &f->arena, &a, NULL));
    sandbox_stop(&p, NULL, 0);
    return a;
}

static void test_layer(void **state)
{
    const Fixture *f = *state;
    need_groups(f);
    bool found = false;
    for (size_t i = 0; i < f->sandbox.n_layers; i++)
        found = found || strcmp(f->sandbox.layers[i], "cgroup") == 0;
    assert_true(found);
}

static void expect_end(Fixture *f, const char *name, WireLimits limits, WireEnd wanted)
{
    SandboxAnswer a = run_one(f, name, limits);
    if (a.end != wanted)
        fail_msg("%s: %s, status %d, signal %d, %lld KiB: %s", name, wire_end_word(a.end), a.status, a.signal,
                 (long long)a.rss_kib, a.err);
}

/* Resident memory and page tables: both are the group's, and the watcher never looks. */
static void test_memory_is_bounded_by_the_kernel(void **state)
{
    need_groups(*state);
    expect_end(*state, "headless", unwatched, WIRE_END_MEMORY);
    expect_end(*state, "page-tables", unwatched, WIRE_END_MEMORY);
    WireLimits enough = unwatched;
    enough.memory_kib = 400 << 10;
    expect_end(*state, "headless", enough, WIRE_END_NONE);
}

/* One busy process beside twelve of another sandbox, on one processor: it gets as much as they,
 * not a twelfth of that. */
static void test_a_crowd_gets_one_share(void **state)
{
    Fixture *f = *state;
    need_groups(f);
    cpu_set_t before, one;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    const char *crowd[] = {"/kit/self", "--as", "crowd", NULL}, *alone[] = {"/kit/self", "--as", "alone", NULL};
    SandboxStep first = {.dir = "/tmp", .args = crowd, .limits = unwatched}, second = first;
    second.args = alone;
    first.limits.tick_ms = second.limits.tick_ms = 50;
    first.limits.memory_kib = second.limits.memory_kib = 1 << 20;
    first.limits.wall_ms = second.limits.wall_ms = 3000;
    SandboxProcess p, q;
    SandboxAnswer a, b;
    assert_int_equal(STATUS_OK, start_in_cgroup(f, &p));
    assert_int_equal(STATUS_OK, start_in_cgroup(f, &q));
    assert_int_equal(STATUS_OK, sandbox_ask(&p, &first, NULL));
    assert_int_equal(STATUS_OK, sandbox_ask(&q, &second, NULL));
    assert_int_equal(STATUS_OK, sandbox_answer(&q, &second, &f->arena, &b, NULL));
    assert_int_equal(STATUS_OK, sandbox_answer(&p, &first, &f->arena, &a, NULL));
    sandbox_stop(&p, NULL, 0);
    sandbox_stop(&q, NULL, 0);
    sched_setaffinity(0, sizeof before, &before);
    if (b.cpu_s < 0.4 * a.cpu_s)
        fail_msg("alone it got %.2f s of %.2f s, the crowd %.2f s", b.cpu_s, b.wall_s, a.cpu_s);
}

static void test_nothing_is_left(void **state)
{
    const Fixture *f = *state;
    need_groups(f);
    SandboxProcess p;
    struct stat st;
    char path[sizeof p.cgroup];
    assert_int_equal(STATUS_OK, start_in_cgroup(f, &p));
    strcpy(path, p.cgroup);
    assert_int_equal(0, stat(path, &st));
    sandbox_stop(&p, NULL, 0);
    assert_int_equal(-1, stat(path, &st));
}

/* A number that no process has. */
static int number_of_the_dead(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return (int)child;
}

/* Folders stand for groups: removing one with something in it fails in both. */
static void test_what_the_killed_left(void **state)
{
    (void)state;
    int dead = number_of_the_dead();
    char base[] = "/tmp/cgroup-sweep-XXXXXX", command[1024], left[256] = "";
    assert_non_null(mkdtemp(base));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p grade-%d/7-0 grade-%d-self grade-%d grade-%d-other grade-%dx grade-0 grade--1 other-%d "
             "grade-1 && touch grade-%d-other/file",
             base, dead, dead, (int)getpid(), dead, dead, dead, dead);
    assert_int_equal(0, system(command));
    cgroup_sweep(base);
    snprintf(command, sizeof command, "cd %s && LC_ALL=C ls -d * | sed s/%d/DEAD/ | tr '\\n' ' '; rm -r %s", base, dead, base);
    FILE *f = popen(command, "r");
    assert_non_null(fgets(left, sizeof left, f));
    pclose(f);
    assert_string_equal("grade--1 grade-0 grade-1 grade-DEAD-other grade-DEADx other-DEAD ", left);
}

/* What lives in a group of a killed grader keeps it. */
static void test_what_lives_stays(void **state)
{
    (void)state;
    int dead = number_of_the_dead();
    char base[] = "/tmp/cgroup-sweep-XXXXXX", command[256];
    assert_non_null(mkdtemp(base));
    snprintf(command, sizeof command, "mkdir -p %s/grade-%d/7-0 && touch %s/grade-%d/7-0/busy", base, dead, base, dead);
    assert_int_equal(0, system(command));
    cgroup_sweep(base);
    snprintf(command, sizeof command, "test -e %s/grade-%d/7-0/busy && rm -r %s", base, dead, base);
    assert_int_equal(0, system(command));
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--as") == 0)
        return hostile_run(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layer),
        cmocka_unit_test(test_memory_is_bounded_by_the_kernel),
        cmocka_unit_test(test_a_crowd_gets_one_share),
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_what_the_killed_left),
        cmocka_unit_test(test_what_lives_stays),
    };
    return cmocka_run_group_tests_name("cgroup", tests, set_up, tear_down);
}
