/* The sandbox, tried with small shell programs: what must work does, what must not does not, and nothing is
 * left behind.
 *
 * The helper runs `/bin/sh -c SCRIPT` in a new sandbox. As root every test runs as the sandbox's own user;
 * `make test` by an ordinary user tries the other way. Where bubblewrap does not work the tests skip and say
 * so.
 */
#include "grader/runner/meter.h"
#include "grader/sandbox/sandbox.h"
#include "grader/sandbox/step.h"
#include "grader/sandbox/test/hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Fixture {
    Arena arena;
    Sandbox sandbox;
    char kit[64], save[64]; /* the runner's copy, where every user can read it; where files are saved */
} Fixture;

static const char *runner_source(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < 4; i++) /* BUILD/grader/sandbox/test/test_sandbox */
        *strrchr(path, '/') = '\0';
    return strcat(path, "/bin/grade-runner");
}

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    char command[2 * PATH_MAX];
    strcpy(f->kit, "/tmp/sandbox-test-kit-XXXXXX");
    strcpy(f->save, "/tmp/sandbox-test-save-XXXXXX");
    if (!mkdtemp(f->kit) || !mkdtemp(f->save) || chmod(f->kit, 0755))
        return -1;
    snprintf(command, sizeof command,
             "cp '%s' %s/runner && cp /proc/%d/exe %s/self && chmod 755 %s/runner %s/self && mkdir %s/out",
             runner_source(), f->kit, (int)getpid(), f->kit, f->kit, f->kit, f->save);
    *state = f;
    if (system(command) != 0)
        return -1;
    return sandbox_probe(&f->arena, NULL, &f->sandbox, NULL);
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s %s", f->kit, f->save);
    sandbox_forget(&f->sandbox);
    arena_free(&f->arena);
    int r = system(command);
    free(f);
    return r;
}

static const WireLimits modest = {
    .wall_ms = 3000,
    .cpu_ms = 3000,
    .memory_kib = 128 << 10,
    .processes = 16,
    .output_bytes = 10000,
    .file_bytes = 1 << 20,
    .collect_bytes = 4 << 20,
    .collect_files = 10,
};

static Status sandbox_run(SandboxProcess *p, const SandboxStep *step, Arena *a, SandboxAnswer *answer, Diag *d)
{
    Status s = sandbox_ask(p, step, d);
    return s == STATUS_OK ? sandbox_answer(p, step, a, answer, d) : s;
}

/* Starts a sandbox, runs one step in it, and ends it. */
static Status sandbox_run_once(const Sandbox *sandbox, const SandboxSpec *spec, const SandboxStep *step,
                               Arena *a, SandboxAnswer *answer, Diag *d)
{
    SandboxProcess process;
    Status s = sandbox_start(sandbox, spec, &process, d);
    if (s != STATUS_OK)
        return s;
    s = sandbox_run(&process, step, a, answer, d);
    char errors[256];
    sandbox_stop(&process, errors, sizeof errors);
    errors[strcspn(errors, "\n")] = '\0';
    if (s != STATUS_OK && errors[0])
        s = diag_set(d, s, "the sandbox failed: %s", errors);
    return s;
}

static SandboxAnswer run_under(Fixture *f, const char *script, WireLimits limits)
{
    if (f->sandbox.weak) {
        print_message("skipped: %s\n", f->sandbox.problem);
        skip();
    }
    SandboxBind bind = {.host = f->kit, .inside = "/kit"};
    SandboxScratch scratch[] = {{"/tmp", 16 << 20}, {"/case", 16 << 20}, {"/dev/shm", 1 << 20}};
    SandboxSpec spec = {
        .binds = &bind, .n_binds = 1, .scratch = scratch, .n_scratch = 3, .runner = "/kit/runner"};
    const char *args[] = {"/bin/sh", "-c", script, NULL};
    const char *env[] = {"PATH=/usr/bin:/bin", NULL};
    const char *collect[] = {"/case/out", "/case/one", NULL};
    SandboxStep step = {.dir = "/tmp",
                        .args = args,
                        .env = env,
                        .collect = collect,
                        .collect_from = "/case",
                        .save_to = f->save,
                        .limits = limits};
    SandboxAnswer answer;
    Diag d;
    Status s = sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &answer, &d);
    if (s != STATUS_OK)
        fail_msg("%s", d.message);
    return answer;
}

static SandboxAnswer run_script(Fixture *f, const char *script)
{
    return run_under(f, script, modest);
}

/* What works ----------------------------------------------------------------------------------- */

static void test_output_and_status(void **state)
{
    SandboxAnswer a = run_script(*state, "echo hello; echo oops >&2; exit 3");
    assert_int_equal(WIRE_END_NONE, a.end);
    assert_int_equal(3, a.status);
    assert_string_equal("hello\n", a.out);
    assert_string_equal("oops\n", a.err);
}

static void test_signal(void **state)
{
    SandboxAnswer a = run_script(*state, "kill -SEGV $$");
    assert_int_equal(0, a.status);
    assert_int_equal(SIGSEGV, a.signal);
}

static void test_environment_is_built_from_nothing(void **state)
{
    setenv("SECRET_OF_THE_GRADER", "1", 1);
    SandboxAnswer a = run_script(*state, "env | sort");
    assert_string_equal("PATH=/usr/bin:/bin\nPWD=/tmp\n", a.out);
}

static void test_files_are_handed_over(void **state)
{
    Fixture *f = *state;
    SandboxAnswer a = run_script(f, "mkdir /case/out; echo data >/case/out/c.npy; echo r >/case/one");
    assert_int_equal(2, a.n_files);
    assert_string_equal("", sandbox_find_file(&a, "out/c.npy")->why);
    assert_int_equal(5, sandbox_find_file(&a, "out/c.npy")->bytes);
    char path[128], text[16] = "";
    snprintf(path, sizeof path, "%s/out/c.npy", f->save);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal("data\n", text);
}

static void test_odd_files_are_refused(void **state)
{
    SandboxAnswer a = run_script(
        *state,
        "mkdir /case/out; cd /case/out; ln -s /etc/ld.so.cache link; mkfifo fifo; mkdir folder;"
        "echo x >twice; ln twice also; truncate -s 1048576 whole; truncate -s 1048577 big 2>/dev/null;"
        "echo y >'bad name'; ln -s /usr /case/one");
    assert_string_equal("symbolic-link", sandbox_find_file(&a, "out/link")->why);
    assert_string_equal("not-a-file", sandbox_find_file(&a, "out/fifo")->why);
    assert_string_equal("not-a-file", sandbox_find_file(&a, "out/folder")->why);
    assert_string_equal("hard-link", sandbox_find_file(&a, "out/twice")->why);
    assert_string_equal("", sandbox_find_file(&a, "out/whole")->why);
    assert_null(sandbox_find_file(&a, "out/bad name"));
    assert_string_equal("symbolic-link", sandbox_find_file(&a, "one")->why);
}

static void test_too_many_files(void **state)
{
    SandboxAnswer a =
        run_script(*state, "mkdir /case/out; cd /case/out; for i in $(seq 30); do echo >f$i; done");
    size_t saved = 0;
    for (size_t i = 0; i < a.n_files; i++)
        saved += a.files[i].why[0] == '\0';
    assert_int_equal(10, saved);
}

/* Walls ---------------------------------------------------------------------------------------- */

static void test_no_privileges(void **state)
{
    SandboxAnswer a =
        run_script(*state, "grep -E '^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):' "
                           "/proc/self/status | tr -d '\\t\\n';"
                           "test $(id -u) != 0 && echo ' plain'");
    assert_string_equal(
        "CapInh:0000000000000000CapPrm:0000000000000000CapEff:0000000000000000CapBnd:0000000000000000"
        "CapAmb:0000000000000000NoNewPrivs:1Seccomp:2 plain\n",
        a.out);
}

static void test_system_is_read_only(void **state)
{
    SandboxAnswer a = run_script(
        *state,
        "for d in / /usr /kit /dev /etc /proc /usr/bin; do (: >$d/x) 2>/dev/null && echo wrote $d; done;"
        "mount -o remount,rw /usr 2>/dev/null && echo remounted; : >/tmp/x && echo tmp");
    assert_string_equal("tmp\n", a.out);
}

static void test_nothing_of_the_host_is_there(void **state)
{
    SandboxAnswer a =
        run_script(*state, "ls -d /root /home /work /tmp/* /etc/passwd /etc/shadow /var /sys /run "
                           "2>/dev/null; ls /proc | grep -c '^[0-9]'");
    /* the runner, the shell, ls or grep */
    assert_string_equal("3\n", strcmp(a.out, "4\n") == 0 ? "3\n" : a.out);
}

static void test_no_network(void **state)
{
    SandboxAnswer a =
        run_script(*state, "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '; perl -MSocket -e "
                           "'print socket(S, AF_INET, SOCK_STREAM, 0) ? \"socket\" : \"none\"'");
    assert_true(strcmp(a.out, "lo\nnone") == 0 ||
                strcmp(a.out, "lo\n") == 0); /* without perl, only the first */
}

static void test_system_calls_are_filtered(void **state)
{
    SandboxAnswer a = run_script(
        *state, "unshare -U true 2>/dev/null && echo unshared;"
                "unshare -m true 2>/dev/null && echo mounts; ipcmk -M 4096 2>/dev/null && echo shm;"
                "prlimit --pid 1 --nofile=1:1 2>/dev/null && echo prlimit; echo done");
    assert_string_equal("done\n", a.out);
}

static void test_runner_cannot_be_reached(void **state)
{
    SandboxAnswer a = run_script(
        *state,
        "kill -9 1; kill -STOP 1; kill -TERM 1; ls /proc/1/fd >/dev/null 2>&1 && echo descriptors;"
        "cat /proc/1/environ >/dev/null 2>&1 && echo environment; echo x 2>/dev/null >&3 && echo socket;"
        "ls /proc/self/fd | tr '\\n' ' '");
    assert_int_equal(WIRE_END_NONE, a.end);
    assert_string_equal("0 1 2 3 ", a.out); /* 3 is ls's own */
}

static void test_sandboxes_share_nothing(void **state)
{
    run_script(*state, "echo secret >/tmp/s; echo secret >/case/s; echo secret >/dev/shm/s");
    SandboxAnswer a = run_script(*state, "cat /tmp/s /case/s /dev/shm/s 2>/dev/null; echo end");
    assert_string_equal("end\n", a.out);
}

/* Two steps in one sandbox, which is emptied in between: the second finds nothing of the first. */
static void test_emptied_sandbox_is_as_new(void **state)
{
    static const char leave[] = "for d in /tmp /dev/shm /case; do cd $d; echo x >file; echo x >.hidden; echo "
                                "x >\"$(printf 'a\\nb')\";"
                                "mkdir -p locked/inside full/deep; echo x >locked/inside/f; chmod 0 "
                                "locked/inside locked; mkfifo pipe;"
                                "for i in $(seq 200); do mkdir d; echo x >d/f; cd d; done; cd $d; mkdir "
                                ".moved-0; ln file .moved-0/two;"
                                "chmod 1777 $d; done; chmod 0 /tmp; sleep 60 & exit 0";
    static const char look[] = "find /tmp /dev/shm -printf '%p %m\\n' | sort; find /case -not -path "
                               "'/case/in/*' | sort; ls /proc | grep -c '^[0-9]'";
    static const char *const folders[] = {"/tmp", "/dev/shm", "/case", "/not-there", NULL};
    Fixture *f = *state;
    if (f->sandbox.weak)
        skip();
    SandboxBind binds[] = {{f->kit, "/kit"}, {f->save, "/case/in"}};
    SandboxScratch scratch[] = {{"/tmp", 16 << 20}, {"/case", 16 << 20}, {"/dev/shm", 1 << 20}};
    SandboxSpec spec = {
        .binds = binds, .n_binds = 2, .scratch = scratch, .n_scratch = 3, .runner = "/kit/runner"};
    const char *args[] = {"/bin/sh", "-c", leave, NULL}, *env[] = {"PATH=/usr/bin:/bin", NULL};
    SandboxStep step = {.dir = "/", .args = args, .env = env, .limits = modest};
    SandboxProcess process;
    SandboxAnswer first, second;
    assert_int_equal(0, chmod(f->save, 0755));
    assert_int_equal(STATUS_OK, sandbox_start(&f->sandbox, &spec, &process, NULL));
    assert_int_equal(STATUS_OK, sandbox_run(&process, &step, &f->arena, &first, NULL));
    assert_string_equal("", first.err);
    assert_true(sandbox_empty(&process, folders));
    args[2] = look;
    assert_int_equal(STATUS_OK, sandbox_run(&process, &step, &f->arena, &second, NULL));
    sandbox_stop(&process, NULL, 0);
    /* the runner, the shell, ls and grep */
    assert_string_equal("/dev/shm 755\n/tmp 755\n/case\n/case/in\n4\n", second.out);
}

/* A descriptor that is passed on is the command's third, nobody else holds it, and two sandboxes talk over a
 * pair. */
static void test_passed_descriptor(void **state)
{
    Fixture *f = *state;
    if (f->sandbox.weak)
        skip();
    SandboxBind bind = {.host = f->kit, .inside = "/kit"};
    SandboxSpec spec = {.binds = &bind, .n_binds = 1, .runner = "/kit/runner"};
    const char *ask[] = {"/bin/sh", "-c", "ls /proc/self/fd; echo question >&3; head -n 1 <&3", NULL};
    const char *answer[] = {"/bin/sh", "-c",
                            "read -r line <&3; echo \"answer to $line\" >&3; cat <&3; echo end", NULL};
    const char *env[] = {"PATH=/usr/bin:/bin", NULL};
    SandboxStep asks = {.dir = "/", .args = ask, .env = env, .limits = modest, .passes = true};
    SandboxStep answers = {.dir = "/", .args = answer, .env = env, .limits = modest, .passes = true};
    SandboxProcess one, other;
    SandboxAnswer first, second, third;
    int pair[2];
    assert_int_equal(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    asks.pass = pair[0];
    answers.pass = pair[1];
    assert_int_equal(STATUS_OK, sandbox_start(&f->sandbox, &spec, &one, NULL));
    assert_int_equal(STATUS_OK, sandbox_start(&f->sandbox, &spec, &other, NULL));
    assert_int_equal(STATUS_OK, sandbox_ask(&other, &answers, NULL));
    assert_int_equal(STATUS_OK, sandbox_ask(&one, &asks, NULL));
    close(pair[0]);
    close(pair[1]);
    assert_int_equal(STATUS_OK, sandbox_answer(&one, &asks, &f->arena, &first, NULL));
    assert_int_equal(STATUS_OK, sandbox_answer(&other, &answers, &f->arena, &second, NULL));
    ask[2] = "ls /proc/self/fd";
    asks.passes = false;
    assert_int_equal(STATUS_OK, sandbox_run(&one, &asks, &f->arena, &third, NULL));
    sandbox_stop(&one, NULL, 0);
    sandbox_stop(&other, NULL, 0);
    assert_string_equal("0\n1\n2\n3\n4\nanswer to question\n", first.out); /* 4: ls looks at the folder */
    assert_string_equal("end\n", second.out);                              /* the pipe's end came */
    assert_string_equal("0\n1\n2\n3\n", third.out);
}

/* Limits --------------------------------------------------------------------------------------- */

static void test_sleeper(void **state)
{
    WireLimits l = modest;
    l.wall_ms = 300;
    SandboxAnswer a = run_under(*state, "trap '' TERM INT HUP; sleep 60", l);
    assert_int_equal(WIRE_END_WALL, a.end);
    assert_true(a.wall_s < 2);
}

/* Programs that take this process's processor away from what it starts. */
static void start_rivals(pid_t *rivals, int n)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(0, sched_setaffinity(0, sizeof one, &one));
    for (int i = 0; i < n; i++) {
        rivals[i] = fork();
        if (rivals[i] != 0)
            continue;
        setsid(); /* the scheduler may share by sessions; where it does not, as nice as the command is */
        if (nice(5) < 0)
            _exit(1);
        for (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);;)
            ;
    }
}

static void end_rivals(const pid_t *rivals, int n, const cpu_set_t *before)
{
    for (int i = 0; i < n; i++) {
        kill(rivals[i], SIGKILL);
        waitpid(rivals[i], NULL, 0);
    }
    sched_setaffinity(0, sizeof *before, before);
}

/* With three rivals it gets a quarter of a processor or less, and needs more of it than would fit into its
 * time; but time in which it waits for the processor is not its own. Without an end it ends all the same. */
static void test_busy_machine(void **state)
{
    enum { RIVALS = 3 };
    WireLimits l = modest;
    pid_t rivals[RIVALS];
    cpu_set_t before;
    l.wall_ms = 1500;
    l.cpu_ms = 20000;
    sched_getaffinity(0, sizeof before, &before);
    start_rivals(rivals, RIVALS);
    SandboxAnswer a = run_under(*state, "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 7", l);
    l.wall_ms = 300;
    SandboxAnswer b = run_under(*state, "while :; do :; done", l);
    end_rivals(rivals, RIVALS, &before);
    assert_int_equal(WIRE_END_NONE, a.end);
    assert_int_equal(7, a.status);
    assert_int_equal(WIRE_END_WALL, b.end);
}

static void test_busy(void **state)
{
    WireLimits l = modest;
    l.cpu_ms = 300;
    SandboxAnswer a = run_under(*state, "while :; do :; done", l);
    assert_int_equal(WIRE_END_CPU, a.end);
}

static void test_memory_hog(void **state)
{
    WireLimits l = modest;
    l.wall_ms = l.cpu_ms = 60000; /* a slow machine takes its time to fill it */
    SandboxAnswer a = run_under(*state, "x=$(head -c 400000000 /dev/zero | tr '\\0' x)", l);
    assert_int_equal(WIRE_END_MEMORY, a.end);
}

/* Runs a script in a sandbox while another command, which the meter knows of, uses or waits that much. */
static SandboxAnswer run_metered(Fixture *f, const char *script, WireLimits limits, MeterSlot other)
{
    if (f->sandbox.weak)
        skip();
    SandboxBind bind = {.host = f->kit, .inside = "/kit"};
    SandboxSpec spec = {.binds = &bind, .n_binds = 1, .runner = "/kit/runner"};
    const char *args[] = {"/bin/sh", "-c", script, NULL}, *env[] = {"PATH=/usr/bin:/bin", NULL};
    SandboxStep step = {.dir = "/",
                        .args = args,
                        .env = env,
                        .limits = limits,
                        .metered = true,
                        .meter = meter_create(),
                        .slot = 1};
    Meter *m = meter_map(step.meter);
    assert_non_null(m);
    m->slots[0] = other;
    SandboxAnswer answer;
    Status s = sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &answer, NULL);
    assert_int_equal(STATUS_OK, s);
    assert_int_equal(0, m->slots[1].memory_kib); /* the dead use nothing */
    assert_int_equal(other.memory_kib, m->slots[0].memory_kib);
    meter_unmap(m);
    close(step.meter);
    return answer;
}

/* Each alone is within the limit. */
static void test_memory_of_two(void **state)
{
    const char *script = "x=$(head -c 20000000 /dev/zero | tr '\\0' x); sleep 0.3";
    MeterSlot little = {.memory_kib = 8 << 10}, much = {.memory_kib = 120 << 10};
    assert_int_equal(WIRE_END_NONE, run_metered(*state, script, modest, little).end);
    assert_int_equal(WIRE_END_MEMORY, run_metered(*state, script, modest, much).end);
}

/* The clock stands still while the other one waits for a processor, but not for ever. */
static void test_wait_of_the_other(void **state)
{
    WireLimits l = modest;
    l.wall_ms = 300;
    assert_int_equal(WIRE_END_WALL, run_metered(*state, "sleep 0.6", l, (MeterSlot){0}).end);
    assert_int_equal(WIRE_END_NONE, run_metered(*state, "sleep 0.6", l, (MeterSlot){.waited_ms = 9000}).end);
    assert_int_equal(WIRE_END_WALL, run_metered(*state, "sleep 9", l, (MeterSlot){.waited_ms = 9000}).end);
}

static void test_memory_in_files(void **state)
{
    WireLimits l = modest;
    l.memory_kib = 8 << 10;
    SandboxAnswer a =
        run_under(*state, "for i in $(seq 12); do head -c 1048576 /dev/zero >/tmp/f$i; done; sleep 1", l);
    assert_int_equal(WIRE_END_MEMORY, a.end);
}

static void test_scratch_has_a_size(void **state)
{
    WireLimits l = modest;
    l.memory_kib = 1 << 20;
    SandboxAnswer a =
        run_under(*state, "for i in $(seq 40); do head -c 1000000 /dev/zero >/tmp/f$i || exit 9; done", l);
    assert_int_equal(9, a.status);
}

static void test_fork_bomb(void **state)
{
    /* Each process stays, so that there are ever more: the watcher sees them, or, on a busy machine, the kernel's limit refused a fork
     * before, and whichever process could not fork said so. */
    SandboxAnswer a = run_script(*state, "f() { f | f & sleep 60; }; f");
    if (a.end != WIRE_END_PROCESSES && !strstr(a.err, "fork"))
        fail_msg("end %d, status %d: %s", (int)a.end, a.status, a.err);
}

static void test_process_limit_binds(void **state)
{
    WireLimits l = modest;
    l.processes = 4;
    /* Forks faster than the watcher looks: the kernel's own limit stands behind it, 8 above. */
    SandboxAnswer a = run_under(*state, "for i in $(seq 40); do sleep 0.01 & done; wait", l);
    assert_true(a.end == WIRE_END_PROCESSES || strstr(a.err, "fork"));
}

static void test_output_flood(void **state)
{
    SandboxAnswer a = run_script(*state, "yes");
    assert_int_equal(WIRE_END_OUTPUT, a.end);
    assert_int_equal(10000, a.out_bytes);
    assert_true(a.out_cut);
    a = run_script(*state, "head -c 10000 /dev/zero");
    assert_int_equal(WIRE_END_NONE, a.end);
    a = run_script(*state, "head -c 10001 /dev/zero");
    assert_int_equal(WIRE_END_OUTPUT, a.end);
}

static void test_output_is_cut_where_it_may_be(void **state)
{
    WireLimits l = modest;
    l.output_cut = 1;
    SandboxAnswer a = run_under(*state, "head -c 50000 /dev/zero; exit 4", l);
    assert_int_equal(WIRE_END_NONE, a.end);
    assert_int_equal(4, a.status);
    assert_true(a.out_cut);
}

static void test_file_size(void **state)
{
    SandboxAnswer a = run_script(*state, "exec head -c 2000000 /dev/zero >/tmp/big");
    assert_int_equal(SIGXFSZ, a.signal);
}

static void test_daemon_is_ended(void **state)
{
    /* It leaves session and group, closes its descriptors and ignores signals; still it dies before files are
     * read. */
    SandboxAnswer a =
        run_script(*state, "mkdir /case/out; echo first >/case/out/v; (trap '' HUP TERM; exec setsid "
                           "sh -c 'sleep 0.3; echo later >/case/out/v' "
                           ">/dev/null 2>&1 </dev/null) & exit 0");
    assert_int_equal(WIRE_END_NONE, a.end);
    assert_int_equal(6, sandbox_find_file(&a, "out/v")->bytes);
}

static void test_orphan_that_holds_the_pipe(void **state)
{
    SandboxAnswer a = run_script(*state, "echo out; (sleep 60) & exit 0");
    assert_string_equal("out\n", a.out);
    assert_true(a.wall_s < 1);
}

static void test_program_that_is_not_there(void **state)
{
    Fixture *f = *state;
    if (f->sandbox.weak)
        skip();
    SandboxBind bind = {.host = f->kit, .inside = "/kit"};
    SandboxSpec spec = {.binds = &bind, .n_binds = 1, .runner = "/kit/runner"};
    const char *args[] = {"/no/such/program", NULL};
    SandboxStep step = {.dir = "/", .args = args, .limits = modest};
    SandboxAnswer a;
    assert_int_equal(STATUS_OK, sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &a, NULL));
    assert_int_equal(WIRE_END_EXEC, a.end);
    assert_int_equal(ENOENT, a.status);
}

/* Files that are there, may be executed, and are no programs. */
static void test_program_that_the_kernel_refuses(void **state)
{
    static const struct {
        const char *text;
        int error;
    } files[] = {
        {"", ENOEXEC}, {"\177ELF", ENOEXEC}, {"#!/no/such/interpreter\n", ENOENT}, {"#!/etc\n", EACCES}};
    Fixture *f = *state;
    if (f->sandbox.weak)
        skip();
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/odd", f->kit);
    SandboxBind bind = {.host = f->kit, .inside = "/kit"};
    SandboxSpec spec = {.binds = &bind, .n_binds = 1, .runner = "/kit/runner"};
    const char *args[] = {"/kit/odd", NULL};
    SandboxStep step = {.dir = "/", .args = args, .limits = modest};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        SandboxAnswer a;
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(files[i].text, file);
        fclose(file);
        assert_int_equal(0, chmod(path, 0755));
        assert_int_equal(STATUS_OK, sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &a, NULL));
        assert_int_equal(WIRE_END_REFUSED, a.end);
        assert_int_equal(files[i].error, a.status);
        assert_int_equal(0, chmod(path, 0644)); /* the grader's own mistake */
        assert_int_equal(STATUS_OK, sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &a, NULL));
        assert_int_equal(WIRE_END_EXEC, a.end);
        assert_int_equal(EACCES, a.status);
    }
    unlink(path);
}

static void test_device_files(void **state)
{
    Fixture *f = *state;
    if (f->sandbox.weak)
        skip();
    SandboxBind bind = {.host = f->kit, .inside = "/kit"};
    const char *devices[] = {"/dev/kmsg", "/dev/no-such-device"};
    SandboxSpec spec = {.binds = &bind, .n_binds = 1, .runner = "/kit/runner"};
    const char *args[] = {"/usr/bin/test", "-c", "/dev/kmsg", NULL};
    SandboxStep step = {.dir = "/", .args = args, .limits = modest};
    SandboxAnswer a;
    assert_int_equal(STATUS_OK, sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &a, NULL));
    assert_int_equal(1, a.status);
    spec.devices = devices;
    spec.n_devices = 2;
    assert_int_equal(STATUS_OK, sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &a, NULL));
    assert_int_equal(0, a.status);
}

static void test_hidden_folders(void **state)
{
    Fixture *f = *state;
    if (f->sandbox.weak)
        skip();
    SandboxBind bind = {.host = f->kit, .inside = "/kit"};
    const char *hide[] = {"/usr/share", "/home/not-below-the-system"};
    SandboxSpec spec = {.binds = &bind, .n_binds = 1, .hide = hide, .n_hide = 2, .runner = "/kit/runner"};
    const char *args[] = {"/bin/sh", "-c", "ls -A /usr/share; ls -d /home 2>/dev/null; echo end", NULL};
    const char *env[] = {"PATH=/usr/bin", NULL};
    SandboxStep step = {.dir = "/", .args = args, .env = env, .limits = modest};
    SandboxAnswer a;
    assert_int_equal(STATUS_OK, sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &a, NULL));
    assert_string_equal("end\n", a.out);
}

static void test_runner_that_is_not_there(void **state)
{
    Fixture *f = *state;
    if (f->sandbox.weak)
        skip();
    SandboxSpec spec = {.runner = "/kit/runner"};
    const char *args[] = {"/bin/true", NULL};
    SandboxStep step = {.dir = "/", .args = args, .limits = {.wall_ms = 1000}};
    SandboxAnswer a;
    Diag d;
    assert_int_equal(STATUS_IO, sandbox_run_once(&f->sandbox, &spec, &step, &f->arena, &a, &d));
    assert_non_null(strstr(d.message, "/kit/runner"));
}

static void test_probe_says_what_is_missing(void **state)
{
    Fixture *f = *state;
    Sandbox s;
    assert_int_equal(STATUS_OK, sandbox_probe(&f->arena, "/no/such/bwrap", &s, NULL));
    assert_true(s.weak);
    assert_string_equal("weak", s.layers[0]);
    assert_non_null(strstr(s.problem, "/no/such/bwrap"));
}

/* Weak: no bubblewrap around it, the runner and its limits still hold. */
static void test_weak_sandbox(void **state)
{
    Fixture *f = *state;
    Sandbox weak = f->sandbox;
    weak.weak = true;
    char runner[128], tmp[128];
    snprintf(runner, sizeof runner, "%s/runner", f->kit);
    snprintf(tmp, sizeof tmp, "%s", f->kit);
    SandboxSpec spec = {.runner = runner};
    const char *args[] = {"/bin/sh", "-c", "(setsid sleep 77 &) ; sleep 60", NULL};
    SandboxStep step = {.dir = tmp, .args = args, .limits = modest};
    step.limits.wall_ms = 300;
    SandboxAnswer a;
    Diag d;
    Status s = sandbox_run_once(&weak, &spec, &step, &f->arena, &a, &d);
    if (s != STATUS_OK)
        fail_msg("%s", d.message);
    assert_int_equal(WIRE_END_WALL, a.end);
}

/* What all processes use ------------------------------------------------------------------------ */

/* A command of hostile.c. */
static SandboxAnswer run_hostile(Fixture *f, const char *name, WireLimits limits)
{
    char script[64];
    snprintf(script, sizeof script, "exec /kit/self --as %s", name);
    SandboxAnswer a = run_under(f, script, limits);
    assert_int_not_equal(99, a.status);
    return a;
}

/* 6 children of 0.4 s each, under limits of 1.6 s and of 10 s for all. */
static void test_processor_time_of_all(void **state)
{
    static const char *const names[] = {"children", "forgotten-children"};
    for (int i = 0; i < 2; i++) {
        WireLimits l = modest;
        l.wall_ms = 15000;
        l.cpu_ms = 1600;
        assert_int_equal(WIRE_END_CPU, run_hostile(*state, names[i], l).end);
        l.cpu_ms = 10000;
        assert_int_equal(WIRE_END_NONE, run_hostile(*state, names[i], l).end);
    }
}

/* The share of its time in which a command was kept waiting by others, on one processor. */
static double waited_share(Fixture *f, const char *name)
{
    WireLimits l = modest;
    l.wall_ms = 1000;
    l.cpu_ms = 60000;
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    start_rivals(NULL, 0);
    SandboxAnswer a = run_hostile(f, name, l);
    sched_setaffinity(0, sizeof before, &before);
    assert_int_equal(WIRE_END_WALL, a.end);
    return a.waited_s / a.wall_s;
}

/* A command that keeps itself waiting waits no longer than one that does not: on a quiet machine, not at all. On a busy one others may
 * come between the two: in one pair of several they do not. */
static void test_own_crowd_stops_no_clock(void **state)
{
    enum { PAIRS = 5 };
    double crowd = 1, alone = 0;
    for (int i = 0; i < PAIRS && crowd > alone + 0.3; i++) {
        crowd = waited_share(*state, "crowd");
        alone = waited_share(*state, "alone");
    }
    if (crowd > alone + 0.3)
        fail_msg("the crowd waited %.2f of its time, one alone %.2f", crowd, alone);
}

static void test_memory_of_every_kind(void **state)
{
    static const char *const names[] = {"headless", "page-tables", "sockets", "mappings"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        WireLimits l = modest;
        l.memory_kib = 100 << 10;
        l.wall_ms = l.cpu_ms = 15000;
        SandboxAnswer a = run_hostile(*state, names[i], l);
        if (a.end != WIRE_END_MEMORY)
            fail_msg("%s: %s, status %d, signal %d", names[i], wire_end_word(a.end), a.status, a.signal);
        l.memory_kib = 1 << 20;
        assert_int_equal(WIRE_END_NONE, run_hostile(*state, names[i], l).end);
    }
}

static void test_memory_is_somebodys(void **state)
{
    assert_int_equal(0, run_hostile(*state, "nobodys-memory", modest).status);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--as") == 0)
        return hostile_run(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_and_status),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_environment_is_built_from_nothing),
        cmocka_unit_test(test_files_are_handed_over),
        cmocka_unit_test(test_odd_files_are_refused),
        cmocka_unit_test(test_too_many_files),
        cmocka_unit_test(test_no_privileges),
        cmocka_unit_test(test_system_is_read_only),
        cmocka_unit_test(test_nothing_of_the_host_is_there),
        cmocka_unit_test(test_no_network),
        cmocka_unit_test(test_system_calls_are_filtered),
        cmocka_unit_test(test_runner_cannot_be_reached),
        cmocka_unit_test(test_sandboxes_share_nothing),
        cmocka_unit_test(test_emptied_sandbox_is_as_new),
        cmocka_unit_test(test_sleeper),
        cmocka_unit_test(test_busy_machine),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_memory_hog),
        cmocka_unit_test(test_memory_of_two),
        cmocka_unit_test(test_wait_of_the_other),
        cmocka_unit_test(test_memory_in_files),
        cmocka_unit_test(test_scratch_has_a_size),
        cmocka_unit_test(test_fork_bomb),
        cmocka_unit_test(test_process_limit_binds),
        cmocka_unit_test(test_output_flood),
        cmocka_unit_test(test_output_is_cut_where_it_may_be),
        cmocka_unit_test(test_file_size),
        cmocka_unit_test(test_passed_descriptor),
        cmocka_unit_test(test_daemon_is_ended),
        cmocka_unit_test(test_orphan_that_holds_the_pipe),
        cmocka_unit_test(test_program_that_is_not_there),
        cmocka_unit_test(test_program_that_the_kernel_refuses),
        cmocka_unit_test(test_device_files),
        cmocka_unit_test(test_hidden_folders),
        cmocka_unit_test(test_runner_that_is_not_there),
        cmocka_unit_test(test_probe_says_what_is_missing),
        cmocka_unit_test(test_weak_sandbox),
        cmocka_unit_test(test_processor_time_of_all),
        cmocka_unit_test(test_own_crowd_stops_no_clock),
        cmocka_unit_test(test_memory_of_every_kind),
        cmocka_unit_test(test_memory_is_somebodys),
    };
    return cmocka_run_group_tests_name("sandbox", tests, set_up, tear_down);
}
