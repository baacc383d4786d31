/* confine: what a server may still ask of the kernel once it is ready: memory, its threads, the sockets and
 * files that it has open, memory files for its client. It opens no file, starts no program, reaches no other
 * process and no network, and makes no memory executable. Everything else fails with EPERM, as libraries know
 * to do without.
 *
 * The filter is the kernel's own (classic BPF, seccomp(2)), made by hand of one table, so that the `vgpu`
 * command needs no library for it.
 */
#include "common/vgpu/remote/remote_internal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "confine.c knows the system calls of x86-64 and arm64"
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = true }; /* its run time opens files and reads the process's maps */
#else
enum { SANITIZED = false };
#endif

static const int allowed[] = {
    SYS_write,
    SYS_writev,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_sendto,
    SYS_close,
    SYS_munmap,
    SYS_madvise,
    SYS_mremap,
    SYS_brk,
    SYS_futex,
    SYS_exit,
    SYS_exit_group,
    SYS_rt_sigreturn,
    SYS_rt_sigprocmask,
    SYS_memfd_create,
    SYS_ftruncate,
    SYS_fcntl,
    SYS_clock_gettime,
    SYS_getpid,
    SYS_gettid,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getrandom,
    SYS_fstat,
    SYS_restart_syscall,
    SYS_lseek,
};
/* Not with PROT_EXEC, their third argument. */
static const int allowed_without_exec[] = {SYS_mmap, SYS_mprotect};

enum {
    N_ALLOWED = sizeof allowed / sizeof allowed[0],
    N_WITHOUT_EXEC = sizeof allowed_without_exec / sizeof allowed_without_exec[0],
    PROGRAM_MAX = 2 * N_ALLOWED + 5 * N_WITHOUT_EXEC + 12
};

typedef struct Program {
    struct sock_filter items[PROGRAM_MAX];
    unsigned short n;
} Program;

static void confine_add(Program *p, struct sock_filter item)
{
    if (p->n < PROGRAM_MAX)
        p->items[p->n++] = item;
}

static struct sock_filter load_from_seccomp_data(size_t offset)
{
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset);
}

static struct sock_filter give(unsigned what)
{
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what);
}

/* Skips `skip` instructions unless the loaded word is `value`. */
static struct sock_filter unless(unsigned value, unsigned char skip)
{
    return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
}

static void make_program(Program *p)
{
    const unsigned refuse = SECCOMP_RET_ERRNO | EPERM;
    confine_add(p, load_from_seccomp_data(offsetof(struct seccomp_data, arch)));
    confine_add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    confine_add(p, give(SECCOMP_RET_KILL_PROCESS));
    confine_add(p, load_from_seccomp_data(offsetof(struct seccomp_data, nr)));
    for (int i = 0; i < N_ALLOWED; i++) {
        confine_add(p, unless((unsigned)allowed[i], 1));
        confine_add(p, give(SECCOMP_RET_ALLOW));
    }
    confine_add(p, unless(SYS_clone3, 1)); /* its flags cannot be looked at; the C library falls back to clone */
    confine_add(p, give(SECCOMP_RET_ERRNO | ENOSYS));
    confine_add(p, unless(SYS_clone, 4)); /* threads, no processes */
    confine_add(p, load_from_seccomp_data(offsetof(struct seccomp_data, args[0])));
    confine_add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
    confine_add(p, give(refuse));
    confine_add(p, give(SECCOMP_RET_ALLOW));
    for (int i = 0; i < N_WITHOUT_EXEC; i++) {
        confine_add(p, unless((unsigned)allowed_without_exec[i], 4));
        confine_add(p, load_from_seccomp_data(offsetof(struct seccomp_data, args[2])));
        confine_add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1));
        confine_add(p, give(refuse));
        confine_add(p, give(SECCOMP_RET_ALLOW));
    }
    confine_add(p, give(refuse));
}

bool confine_this_process(void)
{
    Program p = {.n = 0};
    make_program(&p);
    struct sock_fprog program = {.len = p.n, .filter = p.items};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    return SANITIZED || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
