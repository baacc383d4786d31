/* The host's side: frees, copies, leaks, and advice about runtime calls. Places of these findings are host
 * places. */
#include "common/vgpu/check/check_internal.h"

#include <string.h>

static Finding host_finding(FindingKind kind, uint64_t site)
{
    Finding f;
    finding_init(&f);
    f.kind = finding_kind_text(kind);
    f.site.token = site;
    f.count = 1;
    return f;
}

const char *check_readable(CheckSet *set, const char *name)
{
    const char *demangled = set->options.demangle ? set->options.demangle(set->options.self, name) : NULL;
    return check_intern(set, demangled ? demangled : name);
}

/* A variable as the program calls it: without all that stands before it, as a namespace, or the function `void scan<int>(int*)::`. */
static const char *name_of_variable(CheckSet *set, const char *name)
{
    const char *text = check_readable(set, name), *last = text;
    for (const char *at = strstr(text, "::"); at; at = strstr(at + 2, "::"))
        last = at + 2;
    return check_intern(set, last);
}

void check_put_alloc(CheckSet *set, Finding *f, const MemAlloc *a)
{
    if (!a)
        return;
    f->has_alloc = true;
    f->alloc_address = a->addr;
    f->alloc_bytes = a->bytes;
    f->alloc_serial = a->serial;
    f->alloc_name = a->name ? name_of_variable(set, a->name) : "";
    f->alloc_freed = a->freed;
    f->alloc_site.token = a->site;
    f->free_site.token = a->freed ? a->free_site : 0;
    bool wraps = a->serial == 0 && f->address > INT32_MAX && f->address <= UINT32_MAX; /* shared memory, at a negative index */
    if (wraps)
        f->distance = (int64_t)f->address - ((int64_t)UINT32_MAX + 1);
    else if (f->address < a->addr)
        f->distance = -(int64_t)(a->addr - f->address);
    else if (f->address >= a->addr + a->bytes)
        f->distance = (int64_t)(f->address - (a->addr + a->bytes)) + 1;
}

/* Host findings are one when kind, place, and the place and size of the allocation agree. */
static void add_host(CheckSet *set, Finding *f)
{
    FindingKey key = {
        .kind = (uint8_t)finding_kind(f),
        .kernel = "",
        .file = "",
        .other_file = "",
        .site = f->site.token,
        .alloc_site = f->has_alloc ? f->alloc_site.token : 0,
        .alloc_bytes = f->has_alloc ? f->alloc_bytes : 0,
        .message = f->message,
    };
    check_add_finding(set, f, &key);
}

void check_bad_free(CheckSet *set, uint64_t addr, const MemAlloc *nearest, uint64_t site)
{
    if (!check_has(set, CHECK_MEMORY))
        return;
    bool again = nearest && nearest->freed && nearest->addr == addr;
    Finding f = host_finding(again ? FINDING_DOUBLE_FREE : FINDING_INVALID_FREE, site);
    f.address = addr;
    if (again || (nearest && addr >= nearest->addr && addr < nearest->addr + nearest->bytes))
        check_put_alloc(set, &f, nearest);
    f.message = check_title(set, &f, NULL);
    f.hint = hint_for(set, &f, NULL);
    add_host(set, &f);
}

void check_host_write(CheckSet *set, MemAlloc *a, uint64_t addr, uint64_t bytes)
{
    if (addr + bytes - a->addr > a->host_end)
        a->host_end = addr + bytes - a->addr;
    if (check_has(set, CHECK_INIT) && a->init && bytes)
        init_mark(a->init, addr - a->addr, bytes, false);
}

void check_host_read(CheckSet *set, const MemAlloc *a, uint64_t addr, uint64_t bytes, const char *call,
                     uint64_t site)
{
    if (!check_has(set, CHECK_INIT) || !a->init || !bytes)
        return;
    uint64_t at = init_first_clear(a->init, addr - a->addr, bytes);
    if (at == bytes || undefined_host_read(set, a, addr, bytes))
        return;
    Finding f = host_finding(FINDING_API_UNINITIALIZED, site);
    f.address = addr + at;
    f.access = "read";
    f.space = "global";
    check_put_alloc(set, &f, a);
    f.message = check_title(set, &f, call);
    f.hint = hint_for(set, &f, NULL);
    add_host(set, &f);
}

void check_host_copy(CheckSet *set, MemAlloc *to, uint64_t to_addr, const MemAlloc *from, uint64_t from_addr,
                     uint64_t bytes)
{
    if (!check_has(set, CHECK_INIT) || !to->init || !bytes)
        return;
    uint64_t to_off = to_addr - to->addr, from_off = from_addr - from->addr;
    if (!from->init) {
        init_mark(to->init, to_off, bytes, false);
        return;
    }
    for (uint64_t done = 0; done < bytes;) { /* a run of written bytes, then a run of others */
        uint64_t set_run = init_first_clear(from->init, from_off + done, bytes - done);
        if (set_run)
            init_mark(to->init, to_off + done, set_run, false);
        done += set_run;
        for (; done < bytes && init_first_clear(from->init, from_off + done, 1) == 0; done++) {
            uint64_t bit = to_off + done;
            to->init[bit / 8] &= (uint8_t) ~(1u << bit % 8);
        }
    }
}

void check_late_use(CheckSet *set, const MemAlloc *a, uint64_t addr, uint64_t bytes, const char *what,
                    uint64_t site)
{
    if (!check_has(set, CHECK_MEMORY))
        return;
    Finding f = host_finding(FINDING_USE_AFTER_FREE, site);
    f.address = addr;
    f.bytes = (uint32_t)bytes;
    f.access = what;
    check_put_alloc(set, &f, a);
    f.message = check_title(set, &f, NULL);
    f.hint = "a free waits for the device that the memory belongs to, not for the streams of other devices: "
             "let the host wait for all that use it before";
    add_host(set, &f);
}

void check_host_overrun(CheckSet *set, const MemAlloc *a, uint64_t addr, uint64_t site)
{
    if (!check_has(set, CHECK_MEMORY))
        return;
    Finding f = host_finding(FINDING_HOST_OVERRUN, site);
    f.address = addr;
    check_put_alloc(set, &f, a);
    f.message = check_title(set, &f, NULL);
    f.hint = hint_for(set, &f, NULL);
    add_host(set, &f);
}

void check_advise(CheckSet *set, const MemAlloc *alloc, uint64_t address, uint64_t site, const char *message,
                  const char *hint)
{
    Finding f = host_finding(FINDING_API_MISUSE, site);
    f.address = address;
    check_put_alloc(set, &f, alloc);
    f.message = check_intern(set, message);
    f.hint = check_intern(set, hint);
    add_host(set, &f);
}

static void put_use(StrBuf *text, const CheckStreamUse *use, const char *other_stream, bool with_device)
{
    strbuf_printf(text, "a %s%s", use->what, use->in_default ? " in the default stream" : other_stream);
    if (with_device)
        strbuf_printf(text, "%s device %u", use->in_default ? " of" : " on", use->device);
    strbuf_printf(text, " %s", use->access);
}

static const char *hint_stream_race(CheckSet *set, const Finding *f, const CheckStreamUse *later,
                                    const CheckStreamUse *earlier)
{
    if (later->waited_for_nothing || earlier->waited_for_nothing)
        return "one of the two streams waited for an event that nobody had recorded yet, and such a wait does nothing: first record "
               "the event behind what the other stream does, and let the stream wait for it after that (cudaEventRecord, then "
               "cudaStreamWaitEvent)";
    if (strcmp(later->what, "copy") == 0 && strcmp(earlier->what, "copy") == 0 && strcmp(later->access, earlier->access) == 0)
        return "two copies write the same bytes: does each begin at a place of its own, counted from the first element of its part, and is it "
               "as long as that part, in bytes? If one is to follow the other, let its stream wait for an event behind the other";
    if (later->device != earlier->device)
        return "streams of two devices have no order, their default streams neither: record an event behind "
               "the "
               "first, in its stream, and let the other device's stream wait for it (cudaStreamWaitEvent)";
    if (later->in_default || earlier->in_default)
        return "is a stream argument missing? cudaMemcpyAsync takes it last, a launch as its fourth: "
               "<<<blocks, "
               "threads, 0, stream>>>; or let one stream wait for an event of the other: the default stream and one of cudaStreamNonBlocking do "
               "not wait for each other";
    return hint_for(set, f, NULL);
}

void check_stream_race(CheckSet *set, const MemAlloc *a, uint64_t address, const CheckStreamUse *later,
                       const CheckStreamUse *earlier)
{
    if (!check_has(set, CHECK_RACE))
        return;
    Finding f = host_finding(FINDING_STREAM_RACE, later->site);
    f.address = address;
    f.has_other = true;
    f.other_site.token = earlier->site;
    f.access = later->access;
    f.other_access = earlier->access;
    check_put_alloc(set, &f, a);
    StrBuf text = {0};
    bool two_devices = later->device != earlier->device;
    put_use(&text, later, "", two_devices);
    strbuf_puts(&text, " memory that ");
    put_use(&text, earlier, two_devices ? "" : " in another stream", two_devices);
    strbuf_puts(&text, ", and nothing orders the two");
    f.message = check_intern(set, text.failed ? "" : text.text);
    strbuf_free(&text);
    f.hint = hint_stream_race(set, &f, later, earlier);
    /* One finding for memory that was made at one place: each pair of operations on it tells the same. */
    FindingKey key = {
        .kind = (uint8_t)finding_kind(&f),
        .kernel = "",
        .file = "",
        .other_file = "",
        .alloc_site = f.alloc_site.token,
        .alloc_bytes = f.alloc_bytes,
    };
    check_add_finding(set, &f, &key);
}

void check_host_race(CheckSet *set, const MemAlloc *a, uint64_t address, const char *host_access,
                     uint64_t host_site, const char *kernel_access, uint64_t launch_site)
{
    if (!check_has(set, CHECK_RACE))
        return;
    Finding f = host_finding(FINDING_HOST_RACE, host_site);
    f.address = address;
    f.has_other = true;
    f.other_site.token = launch_site;
    f.access = host_access;
    f.other_access = kernel_access;
    check_put_alloc(set, &f, a);
    StrBuf text = {0};
    strbuf_printf(
        &text,
        "the host %s managed memory that a kernel launched before %s, and has not waited for that kernel",
        host_access, kernel_access);
    f.message = check_intern(set, text.failed ? "" : text.text);
    strbuf_free(&text);
    f.hint = hint_for(set, &f, NULL);
    /* One finding for a place of the host's and memory that was made at one place. */
    FindingKey key = {
        .kind = (uint8_t)finding_kind(&f),
        .kernel = "",
        .file = "",
        .other_file = "",
        .site = f.site.token,
        .alloc_site = f.alloc_site.token,
        .alloc_bytes = f.alloc_bytes,
    };
    check_add_finding(set, &f, &key);
}

static bool can_leak(const MemAlloc *a)
{
    return !a->freed && a->kind != MEM_GLOBAL_VAR && a->kind != MEM_CONST_VAR && a->kind != MEM_INTERNAL &&
           a->kind != MEM_OPENED;
}

/* Memory of the program's own, which may be there as long as the program: nothing is lost. */
static void tell_registered(CheckSet *set, const MemAlloc *a)
{
    Finding f = host_finding(FINDING_HANDLE_LEAK, a->site);
    f.address = a->addr;
    check_put_alloc(set, &f, a);
    f.message = "host memory that was never unregistered";
    f.hint = "memory that cudaHostRegister has locked needs its cudaHostUnregister, before it is freed and on every way out of the function";
    add_host(set, &f);
}

void check_leaks(CheckSet *set, const Mem *m)
{
    if (!check_has(set, CHECK_LEAK))
        return;
    enum { LEAKS_COUNTED = 100 }; /* of which it is asked how many others of their line were freed */
    MemAlloc *a;
    size_t n = 0;
    for (size_t i = 0; (a = mem_at(m, i)); i++) {
        if (!can_leak(a))
            continue;
        if (a->kind == MEM_REGISTERED) {
            tell_registered(set, a);
            continue;
        }
        Finding f = host_finding(FINDING_LEAK, a->site);
        f.address = a->addr;
        check_put_alloc(set, &f, a);
        f.message = check_title(set, &f, NULL);
        f.hint = hint_leak(set, a, n++ < LEAKS_COUNTED ? mem_count_freed(m, a->site) : 0, &f);
        add_host(set, &f);
    }
}

void check_module_leak(CheckSet *set, uint64_t site)
{
    if (!check_has(set, CHECK_LEAK))
        return;
    Finding f = host_finding(FINDING_MODULE_LEAK, site);
    f.message = check_title(set, &f, NULL);
    f.hint = hint_for(set, &f, NULL);
    add_host(set, &f);
}

void check_host_overread(CheckSet *set, uint64_t site, const char *detail)
{
    if (!check_has(set, CHECK_MEMORY))
        return;
    Finding f = host_finding(FINDING_HOST_OVERREAD, site);
    f.message = check_title(set, &f, detail);
    f.hint = hint_for(set, &f, NULL);
    add_host(set, &f);
}

void check_copy_direction(CheckSet *set, uint64_t site)
{
    Finding f = host_finding(FINDING_COPY_DIRECTION, site);
    f.message = check_title(set, &f, NULL);
    f.hint = hint_for(set, &f, NULL);
    add_host(set, &f);
}

void check_handle_leak(CheckSet *set, uint64_t site, const char *what)
{
    if (!check_has(set, CHECK_LEAK))
        return;
    Finding f = host_finding(FINDING_HANDLE_LEAK, site);
    f.message = check_title(set, &f, what);
    f.hint = hint_for(set, &f, NULL);
    add_host(set, &f);
}
