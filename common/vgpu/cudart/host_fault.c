/* host_fault: what the student is told when host code follows a device pointer, or one to nothing.
 *
 * A device's addresses are not mapped on the host (mem/mem.h): whoever follows one gets SIGSEGV, as with
 * hardware, and would learn no more than that. So once the devices are there this file takes the signal,
 * writes a record of the address, the allocation and the stack, and lets the signal do what it would have
 * done: the program's own handler runs, or the process ends by the signal. The record is made in
 * device/access.c, or by the server process, where there is one.
 *
 * An address that is no device's is told with the line too: nothing is there, or the stack is full. Near pinned memory its allocation
 * is named. So is the line that called abort(), or the function of the heap that found it damaged and did, and the line that
 * divided a whole number by 0, where the processor says so (x86-64). Who raises SIGILL has found an index outside of its array
 * (common/lab/bounds.c).
 *
 * All this happens in a signal handler, perhaps in the middle of malloc: nothing here takes memory, and a
 * lock is only tried. The stack is walked as for the place of a call (site_walk), which has been done by then: every allocation noted
 * its place with it. Objects are found in /proc/self/maps, not with the loader, whose lock may be taken.
 *
 * Limits: a handler that the program installs after its first call of the runtime replaces ours. While
 * another thread is inside the runtime, the allocation stays unnamed.
 */
#include "common/base/io.h"
#include "common/base/small_text.h"
#include "common/vgpu/check/finding.h"
#include "common/vgpu/cudart/cudart_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    FRAMES_MAX = DEVICE_FRAMES_MAX,
    STACK_MAX = 32,
    TRIES_MAX = 1000,        /* for the runtime's lock */
    RECORDS_MAX = 16,        /* of a program that lives on after such faults */
    SIGNAL_STACK = 64 * 1024 /* bytes */
};

static const int signals[] = {SIGSEGV, SIGBUS, SIGTRAP, SIGABRT, SIGFPE, SIGILL};
enum { N_SIGNALS = sizeof signals / sizeof signals[0] };
_Static_assert(N_SIGNALS == sizeof((Facade *)0)->signals_before / sizeof((Facade *)0)->signals_before[0], "one each");

typedef struct Fault {
    DeviceHostAccess access;
    uintptr_t frames[FRAMES_MAX]; /* addresses of calls, not of their returns */
    DeviceReply where;            /* pointer.bytes 0: no allocation is known */
} Fault;

/* ---- where the code is ---- */

/* The frames of the program from the faulting instruction on. */
static void walk_stack(Fault *f, uintptr_t pc)
{
    void *stack[STACK_MAX];
    int n = site_walk(stack, STACK_MAX), at = 0;
    while (at < n && (uintptr_t)stack[at] != pc)
        at++;
    uint32_t *kept = &f->access.n_frames;
    if (!site_is_own((const void *)pc))
        f->frames[(*kept)++] = pc;
    for (int i = at + 1; i < n && *kept < FRAMES_MAX; i++)
        if (!site_is_own(stack[i]))
            f->frames[(*kept)++] = (uintptr_t)stack[i] - 1;
}

static uint64_t read_hex(const char **at)
{
    uint64_t n = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            n = n * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            n = n * 16 + (uint64_t)(c - 'a' + 10);
        else
            return n;
    }
}

/* A line of maps: "start-end perms offset device inode   /path". */
static void match_line(Fault *f, const char *line)
{
    uint64_t start = read_hex(&line);
    line += *line == '-';
    uint64_t end = read_hex(&line);
    line += strlen(line) >= 6 ? 6 : 0;
    uint64_t offset = read_hex(&line);
    const char *path = strchr(line, '/');
    size_t length = path ? strlen(path) : 0;
    for (uint32_t i = 0; i < f->access.n_frames && length > 0 && length < DEVICE_PATH_BYTES; i++)
        if (f->frames[i] >= start && f->frames[i] < end) {
            f->access.frames[i].offset = f->frames[i] - start + offset;
            memcpy(f->access.frames[i].path, path, length + 1);
        }
}

/* Where the main thread's stack begins at present, by its line in maps; 0: this is another line. */
static uint64_t stack_start(const char *line)
{
    return strstr(line, "[stack]") ? read_hex(&line) : 0;
}

/* The objects of the frames; *stack: where the stack begins. */
static void find_objects(Fault *f, uint64_t *stack)
{
    char piece[2048], line[DEVICE_PATH_BYTES + 128];
    size_t length = 0;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t n;
    while (fd >= 0 && (n = read(fd, piece, sizeof piece)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (piece[i] != '\n') {
                if (length + 1 < sizeof line)
                    line[length++] = piece[i];
                continue;
            }
            line[length] = 0;
            match_line(f, line);
            *stack = stack_start(line) > 0 ? stack_start(line) : *stack;
            length = 0;
        }
    if (fd >= 0)
        close(fd);
}

/* ---- what was touched ---- */

static bool find_device(uintptr_t address, uint32_t *device)
{
    const Facade *f = facade();
    for (uint32_t i = 0; i < DEVICES_MAX; i++)
        if (address - f->windows[i].base < f->windows[i].bytes) {
            *device = i;
            return true;
        }
    return false;
}

static void find_allocation(Fault *fault)
{
    Facade *f = facade();
    int tries = 0;
    while (pthread_mutex_trylock(&f->lock) != 0) {
        if (++tries == TRIES_MAX)
            return;
        sched_yield();
    }
    if (f->server)
        device_look_up(f->server, fault->access.address, &fault->where);
    pthread_mutex_unlock(&f->lock);
}

/* ---- telling ---- */

/* Without the command: a sentence on standard error. */
static void write_sentence(const Fault *f)
{
    SmallText t = {.n = 0};
    FindingKind kind = device_access_kind(f->access.what);
    int64_t far = device_access_distance(f->access.address, &f->where);
    small_text_puts(&t, finding_kind_text(kind));
    small_text_puts(&t, ": ");
    small_text_puts(&t, finding_kind_title(kind));
    if (kind != FINDING_HOST_ABORT && kind != FINDING_HOST_DIVISION && kind != FINDING_HOST_INDEX) {
        small_text_puts(&t, ": 0x");
        small_text_number(&t, f->access.address, 16);
    }
    if (f->where.pointer.bytes > 0) {
        small_text_puts(&t, " is ");
        small_text_number(&t,
                          far < 0   ? (uint64_t)-far
                          : far > 0 ? (uint64_t)far
                                    : f->access.address - f->where.pointer.base,
                          10);
        small_text_puts(&t, far < 0   ? " bytes before allocation "
                            : far > 0 ? " bytes after allocation "
                                      : " bytes into allocation ");
        small_text_number(&t, f->where.pointer.serial, 10);
        small_text_puts(&t, " (");
        small_text_number(&t, f->where.pointer.bytes, 10);
        small_text_puts(&t, f->where.pointer.freed ? " bytes, freed)" : " bytes)");
    }
    small_text_puts(&t, "\n  hint: ");
    small_text_puts(&t, finding_kind_hint(kind));
    small_text_puts(&t, "\n");
    io_write_all(STDERR_FILENO, t.bytes, t.n);
}

#ifdef __x86_64__
static uintptr_t instruction_of(const ucontext_t *c)
{
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
}
static uintptr_t stack_pointer(const ucontext_t *c)
{
    return (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
}
/* Bit 1 of a page fault's error code. */
static bool is_write(const ucontext_t *c)
{
    return (c->uc_mcontext.gregs[REG_ERR] & 2) != 0;
}
/* Bit 8 of the flags: the processor stops behind each instruction. */
static bool set_trap_flag(ucontext_t *c, bool on)
{
    c->uc_mcontext.gregs[REG_EFL] &= ~((greg_t)1 << 8);
    c->uc_mcontext.gregs[REG_EFL] |= (greg_t)on << 8;
    return true;
}
#elif defined(__aarch64__)
static uintptr_t instruction_of(const ucontext_t *c)
{
    return (uintptr_t)c->uc_mcontext.pc;
}
static uintptr_t stack_pointer(const ucontext_t *c)
{
    return (uintptr_t)c->uc_mcontext.sp;
}
/* The syndrome is one of the records behind the registers: WnR is bit 6 of a data abort's. */
static bool is_write(const ucontext_t *c)
{
    const unsigned char *at = c->uc_mcontext.__reserved, *end = at + sizeof c->uc_mcontext.__reserved;
    for (struct _aarch64_ctx head; at + sizeof head <= end; at += head.size) {
        struct esr_context found;
        memcpy(&head, at, sizeof head);
        if (head.magic == 0 || head.size < sizeof head)
            break;
        if (head.magic != ESR_MAGIC || at + sizeof found > end)
            continue;
        memcpy(&found, at, sizeof found);
        return (found.esr >> 6 & 1) != 0;
    }
    return false;
}
/* A program cannot make itself stop behind an instruction: of each page the first touch alone is seen. */
static bool set_trap_flag(ucontext_t *c, bool on)
{
    (void)c;
    (void)on;
    return false;
}
#else
#error "host_fault.c reads the registers of x86-64 and arm64"
#endif

/* What was touched lies below the stack as far as it has grown, near the stack pointer or with that below it too. */
static bool is_stack_full(uintptr_t address, uintptr_t pointer, uint64_t start)
{
    const uintptr_t near = 64 * 1024;
    return address < start && (pointer < start || pointer - address < near || address - pointer < near);
}

static void host_fault_tell(int signal, uintptr_t address, const ucontext_t *context)
{
    Facade *f = facade();
    uint64_t stack = 0;
    bool touched = signal != SIGABRT && signal != SIGFPE && signal != SIGILL;
    Fault fault = {.access = {.address = touched ? address : 0, .write = touched && is_write(context)}};
    if (__atomic_fetch_add(&f->n_host_faults, 1, __ATOMIC_RELAXED) >= RECORDS_MAX)
        return;
    walk_stack(&fault, instruction_of(context));
    find_objects(&fault, &stack);
    if (!touched)
        fault.access.what = signal == SIGABRT ? HOST_ABORTED : signal == SIGILL ? HOST_INDEXED : HOST_DIVIDED;
    else if (!find_device(address, &fault.access.device))
        fault.access.what = is_stack_full(address, stack_pointer(context), stack) ? HOST_STACK_FULL : HOST_TOUCHED_NOTHING;
    if (f->server && fault.access.what != HOST_STACK_FULL && touched)
        find_allocation(&fault);
    if (!f->has_records) {
        write_sentence(&fault);
        return;
    }
    if (f->remote) /* which finds the allocation itself */
        remote_tell_access(f->remote, &fault.access);
    else
        device_record_access(f->stream_fd, &fault.access, &fault.where);
}

/* ---- the signal ---- */

/* Does what would have happened without us. A fault comes again when its instruction is run again; a signal
 * that somebody sent does not. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    const struct sigaction *before = facade()->signals_before;
    for (int i = 0; signals[i] != signal; i++)
        before++;
    bool sent = info->si_code <= 0 || signal == SIGTRAP; /* nor does a trap */
    bool own =
        (before->sa_flags & SA_SIGINFO) || (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN);
    if (!own) {
        if (sent && before->sa_handler == SIG_IGN)
            return;
        sigaction(signal, before, NULL);
        if (sent)
            raise(signal);
        return;
    }
    if (before->sa_flags & (int)SA_RESETHAND)
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    pthread_sigmask(SIG_BLOCK, &before->sa_mask, NULL);
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(signal, info, context);
    else
        before->sa_handler(signal);
}

/* ---- single steps ---- */

static void on_signal(int signal, siginfo_t *info, void *context);

/* The instruction that touches guarded memory runs alone; SIGTRAP comes behind it. */
static void step(uintptr_t address, ucontext_t *c)
{
    Thread *t = thread_state();
    struct sigaction now;
    bool ours = sigaction(SIGTRAP, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal;
    if (!ours || sigismember(&c->uc_sigmask, SIGTRAP) != 0 || t->n_stepping == 2)
        return;
    if (set_trap_flag(c, true))
        t->stepping[t->n_stepping++] = address;
}

static bool step_done(const siginfo_t *info, ucontext_t *c)
{
    Thread *t = thread_state();
    if (info->si_code != TRAP_TRACE || t->n_stepping == 0)
        return false;
    while (t->n_stepping > 0)
        managed_guard_again(t->stepping[--t->n_stepping]);
    set_trap_flag(c, false);
    return true;
}

/* Whether the program goes on as if nothing had been. */
static bool is_managed(int signal, const siginfo_t *info, ucontext_t *c)
{
    bool again;
    if (signal == SIGTRAP)
        return step_done(info, c);
    uintptr_t address = (uintptr_t)info->si_addr;
    if (signal == SIGFPE || signal == SIGILL || info->si_code <= 0 || !managed_touched(address, is_write(c), instruction_of(c), &again))
        return false;
    if (again)
        step(address, c);
    return true;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    if (is_managed(signal, info, context)) {
        errno = saved;
        return;
    }
    bool by_itself = info->si_code > 0 && signal != SIGTRAP && signal != SIGILL && (signal != SIGFPE || info->si_code == FPE_INTDIV);
    if (by_itself || ((signal == SIGABRT || signal == SIGILL) && info->si_code == SI_TKILL && info->si_pid == getpid()))
        host_fault_tell(signal, (uintptr_t)info->si_addr, context);
    errno = saved;
    pass_on(signal, info, context);
}

/* A stack of its own, for the thread that starts the devices, where it has none. */
static void give_stack(Facade *f)
{
    stack_t now;
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    f->signal_stack = malloc(SIGNAL_STACK);
    if (f->signal_stack)
        sigaltstack(&(stack_t){.ss_sp = f->signal_stack, .ss_size = SIGNAL_STACK}, NULL);
}

/* Nobody else gets addresses of the devices here: those of a server process would be free. */
static void keep_window(const DeviceInfo *info)
{
    mmap((void *)(uintptr_t)info->window_base, info->window_bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

static bool find_windows(Facade *f)
{
    for (uint32_t i = 0; i < DEVICES_MAX; i++) {
        DeviceReply reply;
        DeviceInfo info = {0};
        facade_send(
            &(DeviceMsg){.op = OP_DEVICE_INFO, .device = i, .out = {.data = &info, .bytes = sizeof info}},
            &reply);
        if (reply.error != DEVICE_OK)
            return i > 0;
        if (f->remote)
            keep_window(&info);
        f->windows[i].base = info.window_base;
        f->windows[i].bytes = info.window_bytes;
    }
    return true;
}

void host_fault_install(void)
{
    Facade *f = facade();
    if (!find_windows(f))
        return;
    give_stack(f);
    for (int i = 0; i < N_SIGNALS; i++) {
        struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigaction(signals[i], NULL, &f->signals_before[i]);
        sigaction(signals[i], &action, NULL);
    }
}

/* A handler that came after ours stays. */
void host_fault_remove(void)
{
    Facade *f = facade();
    memset(f->windows, 0, sizeof f->windows);
    for (int i = 0; i < N_SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
            now.sa_sigaction == on_signal)
            sigaction(signals[i], &f->signals_before[i], NULL);
    }
}
