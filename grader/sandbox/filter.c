/* The system-call filter; see syscalls.def. libseccomp makes the program from the table. */
#include "grader/sandbox/sandbox_internal.h"
#include "grader/sandbox/syscalls.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* A row of the table: the call fails with `error`; n_args is 0 or 1. */
static void refuse_call(scmp_filter_ctx filter, bool wanted, int call, int error, unsigned n_args,
                        struct scmp_arg_cmp arg, int *failed)
{
    if (!wanted || call < 0) /* a call that this machine does not have */
        return;
    int r = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO((unsigned)error), call, n_args, &arg);
    if (r < 0 && !*failed)
        *failed = r;
}

/* Adds the table's rows for a kind of command; 0 or a negative errno. */
static int add_rules(scmp_filter_ctx filter, SandboxFilter kind)
{
    int failed = 0;
#define WANTED(who) (((who) >> kind & 1) != 0)
#define X(who, name, error)                                                                                  \
    refuse_call(filter, WANTED(who), __NR_##name, error, 0, (struct scmp_arg_cmp){0}, &failed);
#define E(who, name, error, arg, value)                                                                      \
    refuse_call(filter, WANTED(who), __NR_##name, error, 1,                                                  \
                SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, UINT32_MAX, (uint32_t)(value)), &failed);
#define A(who, name, error, arg, op, value)                                                                  \
    refuse_call(filter, WANTED(who), __NR_##name, error, 1,                                                  \
                SCMP_CMP(arg, SCMP_CMP_##op, (scmp_datum_t)(value), 0), &failed);
#define M(who, name, error, arg, mask, value)                                                                \
    refuse_call(filter, WANTED(who), __NR_##name, error, 1,                                                  \
                SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, (scmp_datum_t)(mask), (scmp_datum_t)(value)), &failed);
#include "grader/sandbox/syscalls.def"
#undef X
#undef E
#undef A
#undef M
#undef WANTED
    return failed;
}

/* What stands before libseccomp's instructions: calls that the table does not know of do not exist. */
static const struct sock_filter newer_calls[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST_CALL, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
};

/* The filter's instructions, by way of a file in memory, as libseccomp writes them to a descriptor only. */
static Status export_filter(Arena *a, scmp_filter_ctx filter, struct sock_fprog *out, Diag *d)
{
    int file = memfd_create("filter", MFD_CLOEXEC);
    if (file < 0 || seccomp_export_bpf(filter, file) < 0) {
        if (file >= 0)
            close(file);
        return diag_set(d, STATUS_IO, "cannot make the system-call filter: %s", strerror(errno));
    }
    off_t bytes = lseek(file, 0, SEEK_END);
    out->filter = arena_alloc(a, sizeof newer_calls + (size_t)bytes);
    out->len = (unsigned short)((sizeof newer_calls + (size_t)bytes) / sizeof *out->filter);
    size_t n_newer = sizeof newer_calls / sizeof *newer_calls;
    bool fine = out->filter && pread(file, out->filter + n_newer, (size_t)bytes, 0) == bytes;
    if (fine)
        memcpy(out->filter, newer_calls, sizeof newer_calls);
    close(file);
    return fine ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for the system-call filter");
}

static Status make_filter(Arena *a, SandboxFilter kind, struct sock_fprog *out, Diag *d)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the system-call filter");
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree; older libraries make a list */
    int failed = add_rules(filter, kind);
    Status s = failed ? diag_set(d, STATUS_IO, "cannot make the system-call filter: %s", strerror(-failed))
                      : export_filter(a, filter, out, d);
    seccomp_release(filter);
    return s;
}

Status sandbox_make_filters(Arena *a, struct sock_fprog filters[SANDBOX_N_FILTERS], Diag *d)
{
    Status s = STATUS_OK;
    memset(filters, 0, SANDBOX_N_FILTERS * sizeof *filters);
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &(unsigned){SECCOMP_RET_ERRNO}) != 0)
        return diag_set(d, STATUS_UNSUPPORTED, "the kernel has no seccomp filters: %s", strerror(errno));
    for (int i = 0; s == STATUS_OK && i < SANDBOX_N_FILTERS; i++)
        s = make_filter(a, (SandboxFilter)i, &filters[i], d);
    if (s != STATUS_OK) /* all of them, or none */
        memset(filters, 0, SANDBOX_N_FILTERS * sizeof *filters);
    return s;
}
