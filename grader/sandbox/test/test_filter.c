/* The system-call filters, run over every call and the arguments that matter by a small machine for BPF: nothing is asked
 * of the kernel. What they must say is told twice: by the table, read here row by row, and by two lists of calls that
 * have to be refused and allowed whatever the table says. */
#include "grader/sandbox/sandbox_internal.h"
#include "grader/sandbox/syscalls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CALLS = 700, VALUES_MAX = 400 };

typedef struct Fixture {
    Arena arena;
    struct sock_fprog filters[SANDBOX_N_FILTERS];
} Fixture;

static int set_up(void **state)
{
    static Fixture f;
    Diag d;
    *state = &f;
    return sandbox_make_filters(&f.arena, f.filters, &d) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    arena_free(&((Fixture *)*state)->arena);
    return 0;
}

#ifdef __aarch64__
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#else
#define THIS_MACHINE AUDIT_ARCH_X86_64
#endif

/* What a filter says to a call. */
static uint32_t run_filter(const struct sock_fprog *p, const struct seccomp_data *data)
{
    uint32_t a = 0;
    for (size_t pc = 0; pc < p->len; pc++) {
        const struct sock_filter *i = &p->filter[pc];
        bool taken = false;
        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            memcpy(&a, (const char *)data + i->k, sizeof a);
            continue;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= i->k;
            continue;
        case BPF_RET | BPF_K:
            return i->k;
        case BPF_JMP | BPF_JA:
            pc += i->k;
            continue;
        case BPF_JMP | BPF_JEQ | BPF_K:
            taken = a == i->k;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            taken = a > i->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            taken = a >= i->k;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            taken = (a & i->k) != 0;
            break;
        default:
            fail_msg("an instruction that this machine does not know: %#x", i->code);
        }
        pc += taken ? i->jt : i->jf;
    }
    fail_msg("a filter without an end");
    return 0;
}

/* The error with which a kind's filter refuses a call with these arguments; 0: it is allowed. */
static int refused(const Fixture *f, SandboxFilter kind, int call, const uint64_t args[6])
{
    struct seccomp_data data = {.nr = call, .arch = THIS_MACHINE};
    memcpy(data.args, args, sizeof data.args);
    uint32_t what = run_filter(&f->filters[kind], &data);
    if (what == SECCOMP_RET_ALLOW)
        return 0;
    assert_int_equal(SECCOMP_RET_ERRNO, what & SECCOMP_RET_ACTION_FULL);
    return (int)(what & SECCOMP_RET_DATA);
}

#define OP_NE(x, y) ((x) != (uint64_t)(y))
/* The same by the table, row for row. */
static int refused_by_table(SandboxFilter kind, int call, const uint64_t args[6])
{
#define ROW(who, name, error, holds)                                                                         \
    if (((who) >> kind & 1) && call == __NR_##name && (holds))                                               \
        return error;
#define X(who, name, error) ROW(who, name, error, true)
#define E(who, name, error, arg, value) ROW(who, name, error, (uint32_t)args[arg] == (uint32_t)(value))
#define A(who, name, error, arg, op, value) ROW(who, name, error, OP_##op(args[arg], value))
#define M(who, name, error, arg, mask, value)                                                                \
    ROW(who, name, error, (args[arg] & (uint64_t)(mask)) == (uint64_t)(value))
#include "grader/sandbox/syscalls.def"
#undef X
#undef E
#undef A
#undef M
    return call > NEWEST_CALL ? ENOSYS : 0;
}

/* The table's values, the next ones, and all of them with something in the upper half. */
static size_t values(uint64_t *v)
{
    size_t n = 0;
#define X(...)
#define E(who, name, error, arg, value) v[n++] = (uint32_t)(value);
#define A(who, name, error, arg, op, value) v[n++] = (uint64_t)(value);
#define M(who, name, error, arg, mask, value) v[n++] = (uint64_t)(value);
#include "grader/sandbox/syscalls.def"
#undef X
#undef E
#undef A
#undef M
    for (size_t i = 0, known = n; i < known; i++)
        v[n++] = v[i] + 1;
    for (size_t i = 0, known = n; i < known; i++)
        v[n++] = v[i] | (uint64_t)1 << 32;
    assert_true(n <= VALUES_MAX);
    return n;
}

static void test_filters_say_what_the_table_says(void **state)
{
    static uint64_t v[VALUES_MAX];
    size_t n = values(v);
    for (int kind = 0; kind < SANDBOX_N_FILTERS; kind++)
        for (int call = 0; call < CALLS; call++)
            for (size_t i = 0; i < n; i++)
                for (int arg = 0; arg < 6; arg++) {
                    uint64_t args[6] = {0};
                    args[arg] = v[i];
                    int wanted = refused_by_table((SandboxFilter)kind, call, args);
                    int got = refused(*state, (SandboxFilter)kind, call, args);
                    if (wanted != got)
                        fail_msg("kind %d, call %d, argument %d = %#llx: %d, not %d", kind, call, arg,
                                 (unsigned long long)v[i], got, wanted);
                }
}

typedef struct Call {
    int call, error;
    uint64_t args[6];
} Call;

/* What a student's program must not do, wherever its device is. */
static const Call refused_to_students[] = {
    {SYS_ptrace, EPERM, {0}},
    {SYS_fadvise64, EPERM, {3, 0, 0, POSIX_FADV_DONTNEED}},
    {SYS_preadv2, EOPNOTSUPP, {3, 0, 1, 0, 0, 8 /* RWF_NOWAIT */}},
    {SYS_pwritev2, EOPNOTSUPP, {3, 0, 1, 0, 0, 1}},
    {SYS_mincore, EPERM, {0}},
    {__NR_cachestat, EPERM, {0}},
    {SYS_readahead, EPERM, {0}},
    {SYS_sync_file_range, EPERM, {0}},
    {SYS_madvise, EPERM, {0, 4096, MADV_PAGEOUT}},
    {SYS_madvise, EPERM, {0, 4096, MADV_PAGEOUT | (uint64_t)1 << 32}},
    {SYS_madvise, EPERM, {0, 4096, MADV_WILLNEED}},
    {SYS_process_madvise, EPERM, {0}},
    {SYS_flock, EPERM, {3, 2}},
    {SYS_fcntl, EPERM, {3, F_SETLK}},
    {SYS_fcntl, EPERM, {3, F_SETLK | (uint64_t)1 << 32}},
    {SYS_fcntl, EPERM, {3, F_OFD_SETLKW}},
    {SYS_fcntl, EPERM, {3, F_GETLK}},
    {SYS_fcntl, EPERM, {3, F_SETLEASE}},
    {SYS_fcntl, EPERM, {3, F_NOTIFY}},
    {SYS_inotify_init1, EPERM, {0}},
    {SYS_inotify_add_watch, EPERM, {0}},
    {SYS_fanotify_init, EPERM, {0}},
    {SYS_io_uring_setup, ENOSYS, {0}},
    {SYS_userfaultfd, EPERM, {0}},
    {SYS_vmsplice, EPERM, {0}},
    {SYS_shmget, EPERM, {0}},
    {SYS_ioctl, EPERM, {0, TIOCSTI | (uint64_t)1 << 32}},
    {SYS_prctl, EPERM, {PR_SET_DUMPABLE | (uint64_t)1 << 32, 0}},
    {SYS_clone, EPERM, {CLONE_NEWUSER}},
    {SYS_clone, EPERM, {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND}},
    {SYS_clone3, ENOSYS, {0}},
    {SYS_socket, EPERM, {AF_INET, SOCK_STREAM}},
    {NEWEST_CALL + 1, ENOSYS, {0}},
};

/* And when its device is elsewhere. */
static const Call refused_when_isolated[] = {
    {SYS_memfd_create, EPERM, {0}},
    {SYS_mmap, EPERM, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS}},
    {SYS_mmap, EPERM, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_ANONYMOUS}},
    {SYS_mmap, EPERM, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB}},
    {SYS_setpriority, EPERM, {PRIO_PROCESS, 0, 19}},
    {SYS_sched_setscheduler, EPERM, {0, SCHED_IDLE}},
};

/* What the C library, threads, Thrust, NVRTC and the kit's library ask for. */
static const Call allowed[] = {
    {SYS_mmap, 0, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS}},
    {SYS_mmap, 0, {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, 5}},
    {SYS_mmap, 0, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, 5}},
    {SYS_msync, 0, {4096, 1, MS_ASYNC}},
    {SYS_madvise, 0, {4096, 4096, MADV_DONTNEED}},
    {SYS_madvise, 0, {4096, 4096, MADV_NOHUGEPAGE}},
    {SYS_mremap, 0, {0}},
    {SYS_fcntl, 0, {3, F_GETFL}},
    {SYS_fcntl, 0, {3, F_SETFD, FD_CLOEXEC}},
    {SYS_fcntl, 0, {3, F_DUPFD_CLOEXEC, 10}},
    {SYS_preadv2, 0, {3, 0, 1, 0, 0, 0}},
    {SYS_clone, 0, {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS}},
    {SYS_clone, 0, {17 /* SIGCHLD */}},
    {SYS_socketpair, 0, {AF_UNIX, SOCK_SEQPACKET}},
    {SYS_socket, 0, {AF_UNIX, SOCK_STREAM}},
    {SYS_futex, 0, {0}},
    {SYS_sched_getaffinity, 0, {0}},
    {SYS_getrandom, 0, {0}},
    {SYS_execve, 0, {0}},
    {SYS_prlimit64, 0, {0}},
    {SYS_openat, 0, {0}},
    {SYS_fsync, 0, {3}},
};

static void expect_calls(const Fixture *f, SandboxFilter kind, const Call *calls, size_t n, bool as_said)
{
    for (size_t i = 0; i < n; i++) {
        int got = refused(f, kind, calls[i].call, calls[i].args);
        if (got != (as_said ? calls[i].error : 0))
            fail_msg("kind %d, row %zu, call %d: %d", (int)kind, i, calls[i].call, got);
    }
}

#define N(list) (sizeof list / sizeof *list)

static void test_lists(void **state)
{
    for (int kind = 0; kind < SANDBOX_N_FILTERS; kind++)
        expect_calls(*state, (SandboxFilter)kind, allowed, N(allowed), true);
    expect_calls(*state, SANDBOX_FILTER_PROGRAM, refused_to_students, N(refused_to_students), true);
    expect_calls(*state, SANDBOX_FILTER_PROGRAM_WITH_DEVICE, refused_to_students, N(refused_to_students),
                 true);
    expect_calls(*state, SANDBOX_FILTER_PROGRAM, refused_when_isolated, N(refused_when_isolated), true);
    /* the device's server, and the virtual GPU in the program's process, make memory to share */
    expect_calls(*state, SANDBOX_FILTER_KIT, refused_when_isolated, N(refused_when_isolated), false);
    expect_calls(*state, SANDBOX_FILTER_PROGRAM_WITH_DEVICE, refused_when_isolated, N(refused_when_isolated),
                 false);
}

/* A tool traces the program and uses the loopback, and locks its files; of the page cache it learns nothing. */
static void test_tools_may_do_more(void **state)
{
    static const Call more[] = {{SYS_ptrace, 0, {0}},
                                {SYS_process_vm_readv, 0, {0}},
                                {SYS_socket, 0, {AF_INET, SOCK_STREAM}},
                                {SYS_flock, 0, {3, 2}}};
    static const Call never[] = {{SYS_fadvise64, EPERM, {0}},
                                 {SYS_mincore, EPERM, {0}},
                                 {SYS_unshare, EPERM, {CLONE_NEWUSER}},
                                 {SYS_bpf, EPERM, {0}}};
    expect_calls(*state, SANDBOX_FILTER_TOOL, more, N(more), true);
    expect_calls(*state, SANDBOX_FILTER_TOOL, never, N(never), true);
}

/* Numbers of another machine's calls would pass for other calls of this one. */
static void test_other_machines_are_killed(void **state)
{
    const Fixture *f = *state;
    for (int kind = 0; kind < SANDBOX_N_FILTERS; kind++) {
        struct seccomp_data data = {.nr = 1, .arch = AUDIT_ARCH_I386};
        uint32_t what = run_filter(&f->filters[kind], &data) & SECCOMP_RET_ACTION_FULL;
        assert_true(what == SECCOMP_RET_KILL_THREAD || what == SECCOMP_RET_KILL_PROCESS);
        data = (struct seccomp_data){.nr = 0x40000000 + SYS_write, .arch = THIS_MACHINE};
        assert_int_not_equal(SECCOMP_RET_ALLOW, run_filter(&f->filters[kind], &data));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_say_what_the_table_says),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_tools_may_do_more),
        cmocka_unit_test(test_other_machines_are_killed),
    };
    return cmocka_run_group_tests_name("filter", tests, set_up, tear_down);
}
