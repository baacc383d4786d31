/* site: where in the program was a call made?
 *
 * The address of the caller alone does not tell: the runtime's headers wrap calls in templates, and programs
 * wrap them in functions. So a place is the stack of a few return addresses outside this library. The `vgpu`
 * command, which has the debug information, picks the first that lies in the program's own source.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum { FRAMES_MAX = 8, STACK_MAX = 20, SITES_MAX = 1 << 20 };

typedef struct Site {
    void *frames[FRAMES_MAX];
} Site;

/* All places so far, and a hash of them: slots hold index + 1. */
typedef struct Sites {
    Site *items;
    size_t n, cap;
    uint32_t *slots;
    size_t n_slots;
} Sites;

/* NULL without memory. */
static Sites *sites(void)
{
    Facade *f = facade();
    if (!f->sites)
        f->sites = calloc(1, sizeof *f->sites);
    return f->sites;
}

static uint64_t hash_site(const Site *s)
{
    uint64_t h = 1469598103934665603u;
    for (int i = 0; i < FRAMES_MAX; i++)
        h = (h ^ (uint64_t)(uintptr_t)s->frames[i]) * 1099511628211u;
    return h ^ h >> 29;
}

static bool grow_slots(Sites *all)
{
    if (all->n * 2 < all->n_slots)
        return true;
    size_t n = all->n_slots == 0 ? 256 : all->n_slots * 2;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < all->n; i++) {
        size_t k = hash_site(&all->items[i]) % n;
        while (slots[k] != 0)
            k = (k + 1) % n;
        slots[k] = (uint32_t)i + 1;
    }
    free(all->slots);
    all->slots = slots;
    all->n_slots = n;
    return true;
}

/* Notes where a library is mapped, given an address in it: its frames are left out. */
static int find_own(struct dl_phdr_info *info, size_t size, void *data)
{
    Facade *f = facade();
    uintptr_t first = UINTPTR_MAX, last = 0, here = *(const uintptr_t *)data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        first = start < first ? start : first;
        last = start + p->p_memsz > last ? start + p->p_memsz : last;
    }
    if (here < first || here >= last)
        return 0;
    int i = f->own[0].end == 0 ? 0 : 1;
    f->own[i].start = first;
    f->own[i].end = last;
    return 1;
}

static void find_this(void)
{
    uintptr_t here = (uintptr_t)&site_here;
    if (facade()->own[0].end == 0)
        dl_iterate_phdr(find_own, &here);
}

void vgpu_own_library(const void *address)
{
    uintptr_t there = (uintptr_t)address;
    find_this();
    dl_iterate_phdr(find_own, &there);
}

bool site_is_own(const void *address)
{
    const Facade *f = facade();
    uintptr_t at = (uintptr_t)address;
    find_this();
    return (at >= f->own[0].start && at < f->own[0].end) || (at >= f->own[1].start && at < f->own[1].end);
}

/* ---- the stack ---- */

typedef struct Walk {
    void **stack;
    int n, max;
    uintptr_t frame; /* of the last one */
} Walk;

/* Ends where there is no more, or the same frame again. */
static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *data)
{
    Walk *w = data;
    void *address = (void *)_Unwind_GetIP(context);
    uintptr_t frame = _Unwind_GetCFA(context);
    if (w->n == w->max || !address || (w->n > 0 && w->stack[w->n - 1] == address && w->frame == frame))
        return _URC_END_OF_STACK;
    w->stack[w->n++] = address;
    w->frame = frame;
    return _URC_NO_REASON;
}

int site_walk(void **stack, int max)
{
    Walk w = {.stack = stack, .max = max};
    _Unwind_Backtrace(take_frame, &w);
    return w.n;
}

/* The frames outside this library, from the caller on. A sanitizer's frame may lie on top of our own. */
static void take_frames(Site *out)
{
    void *stack[STACK_MAX];
    int n = site_walk(stack, STACK_MAX), i = 0, kept = 0;
    *out = (Site){0};
    while (i < n && !site_is_own(stack[i]))
        i++;
    for (; i < n && kept < FRAMES_MAX; i++)
        if (!site_is_own(stack[i]))
            out->frames[kept++] = stack[i];
}

/* The object that holds an address. */
typedef struct Holder {
    uintptr_t at, base;
    const char *path;
} Holder;

static int find_holder(struct dl_phdr_info *info, size_t size, void *data)
{
    Holder *h = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || h->at < start || h->at - start >= p->p_memsz)
            continue;
        h->base = info->dlpi_addr;
        h->path = info->dlpi_name;
        return 1;
    }
    return 0;
}

/* The program's own path, read once. */
static const char *program_path(void)
{
    Facade *f = facade();
    char path[4096];
    if (!f->program) {
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        path[length < 0 ? 0 : length] = 0;
        f->program = strdup(path);
    }
    return f->program ? f->program : "";
}

/* Each frame is the address of the call in its object, not of its return, and the object's path. */
static void put_frame(StrBuf *b, void *frame)
{
    Holder h = {.at = (uintptr_t)frame};
    if (dl_iterate_phdr(find_holder, &h) == 0)
        return;
    const char *path = h.path[0] == 0 ? program_path() : h.path;
    uint64_t address = h.at - 1 - h.base;
    strbuf_append(b, (const char *)&address, sizeof address);
    strbuf_append(b, path, strlen(path) + 1);
}

static void record_site(uint64_t id, const Site *s)
{
    StrBuf b = {0};
    for (int i = 0; i < FRAMES_MAX && s->frames[i]; i++)
        put_frame(&b, s->frames[i]);
    if (!b.failed)
        facade_send(&(DeviceMsg){.op = OP_SITE,
                                 .device = call_device(),
                                 .token = id,
                                 .in = {.data = b.text, .bytes = b.length}},
                    NULL);
    strbuf_free(&b);
}

static uint64_t site_number(const Site *here)
{
    Sites *all = sites();
    if (!all || facade()->n_devices == 0 || !grow_slots(all) || all->n >= SITES_MAX)
        return 0;
    size_t k = hash_site(here) % all->n_slots;
    for (; all->slots[k] != 0; k = (k + 1) % all->n_slots)
        if (memcmp(&all->items[all->slots[k] - 1], here, sizeof *here) == 0)
            return all->slots[k];
    if (!VEC_GROW(all->items, all->n, all->cap))
        return 0;
    all->items[all->n++] = *here;
    all->slots[k] = (uint32_t)all->n;
    record_site(all->n, here);
    return all->n;
}

uint64_t site_here(void)
{
    Site here;
    take_frames(&here);
    return site_number(&here);
}

/* Frames hold return addresses, which the instruction itself is not. */
uint64_t site_of_signal(uintptr_t pc)
{
    void *stack[STACK_MAX];
    int n = site_walk(stack, STACK_MAX), at = 0, kept = 0;
    Site here = {0};
    while (at < n && (uintptr_t)stack[at] != pc)
        at++;
    here.frames[kept++] = (void *)(pc + 1);
    for (int i = at + 1; i < n && kept < FRAMES_MAX; i++)
        if (!site_is_own(stack[i]))
            here.frames[kept++] = stack[i];
    return site_number(&here);
}
