/* managed: what the host does with managed memory, which it uses without any call.
 *
 * Where it was. The pages of managed memory are mapped for the program apart from where kernels reach them.
 * So the program's own page table says which of them it has used: before each message that may run or queue
 * work, those are read (/proc/self/pagemap), told to the device, and taken out of the table again; the bytes
 * stay. Nothing stops the program for that, and system calls on the memory count as well.
 *
 * Whether it was too early. While a launch is queued, memory that it can reach is mapped without access: what
 * its parameters point to, and what that points to in turn. A touch is a signal: it is told to the device, and
 * the page is the host's for this instruction. Kernels that run later and use that very place differently
 * make the finding.
 *
 *      launch: guard what it reaches ... host touches p[0]: signal, told, page open, one step, guarded again
 *      ... host touches p[1]: the same ... wait: kernel runs, writes p[1]
 *
 * Whether it wrote what a kernel reads. Each page that the host has used counts as written by it.
 *
 * Limits: without /proc, and of allocations beyond SCAN_BYTES, the host counts as having used nothing and
 * written everything; a system call on guarded memory fails with EFAULT instead; after STEPS_MAX touches of a
 * program only the first one of each page is seen, and none while another thread is inside the runtime.
 */
#include "common/base/page.h"
#include "common/vgpu/cudart/cudart_internal.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGES_AT_ONCE = 512, TRIES_MAX = 100, STEPS_MAX = 20000 };
#define SCAN_BYTES ((uint64_t)1 << 30)

typedef struct Shared {
    uint32_t device; /* server's */
    uint64_t addr, bytes;
    uint64_t launch; /* newest that reaches it; 0: not guarded */
} Shared;

struct Managed {
    Shared *items;
    size_t n, cap;
    size_t n_guarded;
    int pagemap;
    unsigned n_steps;
    uintptr_t touched; /* last */
    /* Who changes items or guards their pages, and who looks at them in a signal handler. Nobody touches guarded
     * memory while he holds it. */
    bool held;
};

static void hold_items(struct Managed *m)
{
    while (__atomic_test_and_set(&m->held, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void let_go_of_items(struct Managed *m)
{
    __atomic_clear(&m->held, __ATOMIC_RELEASE);
}

static void *page_at(uintptr_t address)
{
    return (void *)(address / page_bytes() * page_bytes());
}

static uint64_t whole_pages(uint64_t bytes)
{
    const uint64_t page = page_bytes();
    return (bytes + page - 1) / page * page;
}

/* From now on it is told which pages the host uses. */
static void tell_watched(const Shared *s)
{
    DeviceMsg msg = {.op = OP_HOST_PAGES, .device = s->device};
    msg.range.addr = s->addr;
    msg.range.bytes = s->bytes;
    msg.range.flag = true;
    facade_send(&msg, NULL);
}

void managed_allocated(uint32_t device, uint64_t addr, uint64_t bytes)
{
    Facade *f = facade();
    if (!f->managed && (f->managed = calloc(1, sizeof *f->managed)))
        f->managed->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    struct Managed *m = f->managed;
    /* What is used is to be seen by the page. */
    madvise((void *)(uintptr_t)addr, whole_pages(bytes), MADV_NOHUGEPAGE);
    if (!m)
        return;
    hold_items(m);
    bool known = VEC_GROW(m->items, m->n, m->cap);
    if (known)
        m->items[m->n++] = (Shared){.device = device, .addr = addr, .bytes = bytes};
    let_go_of_items(m);
    if (known && m->pagemap >= 0 && bytes <= SCAN_BYTES)
        tell_watched(&m->items[m->n - 1]);
}

static void open_again(struct Managed *m, Shared *s)
{
    if (s->launch == 0)
        return;
    mprotect((void *)(uintptr_t)s->addr, whole_pages(s->bytes), PROT_READ | PROT_WRITE);
    s->launch = 0;
    m->n_guarded--;
}

static void forget_shared(const DeviceMsg *msg)
{
    struct Managed *m = facade()->managed;
    hold_items(m);
    for (size_t i = m->n; i-- > 0;) {
        Shared *s = &m->items[i];
        bool gone = msg->op == OP_DEVICE_RESET ? s->device == msg->device : s->addr == msg->free.addr;
        if (!gone)
            continue;
        open_again(m, s);
        *s = m->items[--m->n];
    }
    let_go_of_items(m);
}

/* ---- what the host has used ---- */

static void tell_pages(const Shared *s, uint64_t from, uint64_t to)
{
    DeviceMsg msg = {.op = OP_HOST_PAGES, .device = s->device};
    msg.range.addr = s->addr + from;
    msg.range.bytes = (to < s->bytes ? to : s->bytes) - from;
    facade_send(&msg, NULL);
}

/* Tells the runs of pages that are in the program's page table. */
static void scan_pages(int pagemap, const Shared *s)
{
    const uint64_t page = page_bytes();
    uint64_t entries[PAGES_AT_ONCE], n = whole_pages(s->bytes) / page, run = UINT64_MAX;
    for (uint64_t i = 0; i < n; i += PAGES_AT_ONCE) {
        uint64_t count = n - i < PAGES_AT_ONCE ? n - i : PAGES_AT_ONCE;
        ssize_t got = pread(pagemap, entries, count * sizeof entries[0],
                            (off_t)((s->addr / page + i) * sizeof entries[0]));
        if (got != (ssize_t)(count * sizeof entries[0])) { /* not known: all of them */
            tell_pages(s, 0, n * page);
            return;
        }
        for (uint64_t k = 0; k < count; k++) {
            bool present = entries[k] >> 62; /* there, or swapped out */
            if (present && run == UINT64_MAX)
                run = i + k;
            if (!present && run != UINT64_MAX) {
                tell_pages(s, run * page, (i + k) * page);
                run = UINT64_MAX;
            }
        }
    }
    if (run != UINT64_MAX)
        tell_pages(s, run * page, n * page);
}

static void take_pages_back(const Shared *s)
{
    madvise((void *)(uintptr_t)s->addr, whole_pages(s->bytes), MADV_DONTNEED);
}

static void scan(void)
{
    const struct Managed *m = facade()->managed;
    for (size_t i = 0; i < m->n && m->pagemap >= 0; i++)
        if (m->items[i].bytes <= SCAN_BYTES) {
            scan_pages(m->pagemap, &m->items[i]);
            take_pages_back(&m->items[i]);
        }
}

/* ---- what a launch can reach ---- */

static Shared *find_shared(const struct Managed *m, uint64_t addr)
{
    for (size_t i = 0; i < m->n; i++)
        if (addr - m->items[i].addr < m->items[i].bytes)
            return &m->items[i];
    return NULL;
}

/* Marks what the words of a piece of memory point to. True: something new, which has to be looked into. */
static bool reach(struct Managed *m, const uint8_t *from, uint64_t bytes, uint64_t launch)
{
    bool any = false;
    for (uint64_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        Shared *s = find_shared(m, word);
        if (!s || s->launch == launch)
            continue;
        m->n_guarded += s->launch == 0;
        s->launch = launch;
        any = true;
    }
    return any;
}

static void guard(const DeviceMsg *msg, uint64_t launch)
{
    struct Managed *m = facade()->managed;
    hold_items(m);
    for (size_t i = 0; i < m->n; i++) /* readable, to be looked into */
        if (m->items[i].launch != 0)
            mprotect((void *)(uintptr_t)m->items[i].addr, whole_pages(m->items[i].bytes),
                     PROT_READ | PROT_WRITE);
    bool more = reach(m, msg->in.data, msg->in.bytes, launch);
    while (more) {
        more = false;
        for (size_t i = 0; i < m->n; i++)
            if (m->items[i].launch == launch && m->items[i].bytes <= SCAN_BYTES)
                more |= reach(m, (const uint8_t *)(uintptr_t)m->items[i].addr, m->items[i].bytes, launch);
    }
    for (size_t i = 0; i < m->n; i++) {
        take_pages_back(&m->items[i]);
        if (m->items[i].launch != 0)
            mprotect((void *)(uintptr_t)m->items[i].addr, whole_pages(m->items[i].bytes), PROT_NONE);
    }
    let_go_of_items(m);
}

/* ---- around each message ---- */

/* It may run or queue work that uses managed memory. */
static bool concerns(const DeviceMsg *msg)
{
    switch (msg->op) {
    case OP_DEVICE_SYNC:
    case OP_DEVICE_RUN:
    case OP_DEVICE_RESET:
    case OP_FREE:
    case OP_COPY:
    case OP_FILL:
    case OP_MIGRATE:
    case OP_LAUNCH:
    case OP_STREAM_SYNC:
    case OP_STREAM_QUERY:
    case OP_EVENT_SYNC:
    case OP_EVENT_QUERY:
    case OP_MODULE_UNLOAD:
    case OP_TEXTURE_DESTROY:
    case OP_FINISH:
        return msg->place != PLACE_CHECK;
    default:
        return false;
    }
}

void managed_before(const DeviceMsg *msg)
{
    const struct Managed *m = facade()->managed;
    if (m && m->n > 0 && concerns(msg))
        scan();
}

void managed_after(const DeviceMsg *msg, const DeviceReply *reply)
{
    struct Managed *m = facade()->managed;
    if (!m || m->n == 0)
        return;
    if (msg->op == OP_LAUNCH && reply->error == DEVICE_OK && reply->seq != 0)
        guard(msg, reply->seq);
    hold_items(m);
    for (size_t i = 0; i < m->n && m->n_guarded > 0; i++)
        if (reply->oldest_launch == 0 || reply->oldest_launch > m->items[i].launch)
            open_again(m, &m->items[i]);
    let_go_of_items(m);
    bool freed = msg->op == OP_FREE && msg->free.kind == DEVICE_MEMORY_DEVICE;
    if (reply->error == DEVICE_OK && (freed || msg->op == OP_DEVICE_RESET))
        forget_shared(msg);
}

/* ---- the signal ---- */

static void tell_touch(const Shared *s, uintptr_t address, bool write, uintptr_t pc)
{
    DeviceMsg msg = {.op = OP_HOST_TOUCH, .device = s->device, .site = site_of_signal(pc)};
    msg.range.addr = address;
    msg.range.flag = write;
    facade_send(&msg, NULL);
}

/* Another thread may hold the lock for as long as a kernel runs. */
static bool try_lock(Facade *f)
{
    for (int i = 0; i < TRIES_MAX; i++) {
        if (pthread_mutex_trylock(&f->lock) == 0)
            return true;
        sched_yield();
    }
    return false;
}

bool managed_touched(uintptr_t address, bool write, uintptr_t pc, bool *again)
{
    Facade *f = facade();
    struct Managed *m = f->managed;
    *again = false;
    if (!m)
        return false;
    bool locked = try_lock(f);
    hold_items(m);
    const Shared *s = find_shared(m, address);
    bool found = s != NULL;
    if (found)
        mprotect(page_at(address), page_bytes(), PROT_READ | PROT_WRITE);
    let_go_of_items(m);
    if (locked && found && s->launch != 0 && f->n_host_functions_running == 0) {
        tell_touch(s, address, write, pc);
        *again = m->n_steps < STEPS_MAX;
        m->n_steps += *again;
        __atomic_fetch_add(&f->n_places, address != m->touched, __ATOMIC_RELAXED);
        m->touched = address;
    }
    if (locked)
        pthread_mutex_unlock(&f->lock);
    return found;
}

void managed_guard_again(uintptr_t address)
{
    struct Managed *m = facade()->managed;
    if (!m)
        return;
    hold_items(m);
    const Shared *s = find_shared(m, address);
    if (s && s->launch != 0)
        mprotect(page_at(address), page_bytes(), PROT_NONE);
    let_go_of_items(m);
}

void managed_end(void)
{
    struct Managed *m = facade()->managed;
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++)
        open_again(m, &m->items[i]);
    if (m->pagemap >= 0)
        close(m->pagemap);
    free(m->items);
    free(m);
    facade()->managed = NULL;
}
