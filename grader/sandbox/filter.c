/* The system-call filter; see syscalls.def. libseccomp makes the program from the table. */
#include "grader/sandbox/sandbox_internal.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* clone() with this bit makes a user namespace, the key to the others. */
#define CLONE_NAMESPACES CLONE_NEWUSER

/* Adds the table's rows; 0 or a negative errno. */
static int add_rules(scmp_filter_ctx filter, bool for_tools)
{
    int failed = 0;
#define KEEP(call)                                                                                           \
    do {                                                                                                     \
        int r = (call);                                                                                      \
        if (r < 0 && !failed)                                                                                \
            failed = r;                                                                                      \
    } while (0)
#define X(name, error) KEEP(seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), SCMP_SYS(name), 0));
#define A(name, error, arg, op, value)                                                                       \
    KEEP(seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), SCMP_SYS(name), 1,                                  \
                          SCMP_CMP(arg, SCMP_CMP_##op, (scmp_datum_t)(value))));
#define M(name, error, arg, mask, value)                                                                     \
    KEEP(seccomp_rule_add(filter, SCMP_ACT_ERRNO(error), SCMP_SYS(name), 1,                                  \
                          SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, (scmp_datum_t)(mask), (scmp_datum_t)(value))));
#define XT(name, error)                                                                                      \
    if (!for_tools)                                                                                          \
    X(name, error)
#define AT(name, error, arg, op, value)                                                                      \
    if (!for_tools)                                                                                          \
    A(name, error, arg, op, value)
#include "grader/sandbox/syscalls.def"
#undef X
#undef A
#undef M
#undef XT
#undef AT
#undef KEEP
    return failed;
}

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
    out->filter = arena_alloc(a, (size_t)bytes);
    out->len = (unsigned short)((size_t)bytes / sizeof *out->filter);
    bool fine = out->filter && pread(file, out->filter, (size_t)bytes, 0) == bytes;
    close(file);
    return fine ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for the system-call filter");
}

Status sandbox_make_filter(Arena *a, bool for_tools, struct sock_fprog *out, Diag *d)
{
    *out = (struct sock_fprog){0};
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &(unsigned){SECCOMP_RET_ERRNO}) != 0)
        return diag_set(d, STATUS_UNSUPPORTED, "the kernel has no seccomp filters: %s", strerror(errno));
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the system-call filter");
    int failed = add_rules(filter, for_tools);
    Status s = failed ? diag_set(d, STATUS_IO, "cannot make the system-call filter: %s", strerror(-failed))
                      : export_filter(a, filter, out, d);
    seccomp_release(filter);
    return s;
}

Status sandbox_for_tools(Arena *a, const Sandbox *s, Sandbox *tools, Diag *d)
{
    *tools = *s;
    return s->filter.len ? sandbox_make_filter(a, true, &tools->filter, d) : STATUS_OK;
}
