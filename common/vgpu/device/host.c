/* host: the caller's memory: pinned, managed and registered.
 *
 * In the caller's own process, registered memory is used where it is. Where the caller is another process
 * (DeviceOptions.host), pinned and managed memory is shared with it, and registered memory has a shadow here
 * and a copy of the shadow as it came:
 *
 *      before a kernel      caller's bytes -> shadow, copy
 *      the kernel           reads and writes the shadow
 *      after it             where shadow and copy differ -> caller's bytes
 *
 * so that a kernel's writes reach the caller, and do not undo what other threads of it write meanwhile. A
 * caller that looks at registered memory while a kernel runs sees it as it was before.
 */
#include "common/base/page.h"
#include "common/vgpu/device/memory.h"

#include <string.h>
#include <sys/mman.h>

/* Between the devices' windows and those of shared and local memory (mem/mem.h). */
#define HOST_MEMORY_BASE 0x0000480000000000u

static uint64_t page_round(uint64_t bytes)
{
    const uint64_t page = page_bytes();
    return (bytes + page - 1) & ~(page - 1);
}

static void *map_pages(void *wanted, uint64_t bytes, int sharing)
{
    const int flags = sharing | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p =
        wanted ? mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0) : MAP_FAILED;
    if (p == MAP_FAILED)
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* After the last ones, where that is free. */
static void *map_next(DeviceServer *s, uint64_t bytes, int sharing)
{
    const DeviceHost *host = s->options.host;
    uint64_t size = page_round(bytes), wanted = HOST_MEMORY_BASE + s->host_memory_used;
    s->host_memory_used += size + page_round(1);
    return host ? host->map(host->self, wanted, size) : map_pages((void *)(uintptr_t)wanted, size, sharing);
}

void *host_map(DeviceServer *s, uint64_t bytes)
{
    return map_next(s, bytes, MAP_PRIVATE);
}

void *host_map_twice(DeviceServer *s, uint64_t bytes, uint8_t **here)
{
    uint8_t *p = map_next(s, bytes, MAP_SHARED);
    *here = p;
    if (!p || s->options.host) /* the program's pages are in its own process */
        return p;
    void *again = mremap(p, 0, page_round(bytes), MREMAP_MAYMOVE); /* the same pages a second time */
    if (again == MAP_FAILED) {
        munmap(p, page_round(bytes));
        return NULL;
    }
    *here = again;
    return p;
}

void host_unmap(DeviceServer *s, void *p, uint64_t bytes)
{
    const DeviceHost *host = s->options.host;
    if (host)
        host->unmap(host->self, p, page_round(bytes));
    else
        munmap(p, page_round(bytes));
}

void host_unmap_again(DeviceServer *s, uint8_t *here, uint64_t bytes)
{
    if (!s->options.host)
        munmap(here, page_round(bytes));
}

/* ---- registered memory ---- */

uint8_t *host_shadow(DeviceServer *s, uint64_t addr, uint64_t bytes)
{
    if (!s->options.host)
        return (uint8_t *)(uintptr_t)addr;
    if (bytes > UINT64_MAX / 4)
        return NULL;
    s->n_shadows++;
    return map_pages(NULL, 2 * page_round(bytes), MAP_PRIVATE);
}

void host_shadow_free(DeviceServer *s, uint8_t *shadow, uint64_t bytes)
{
    if (!s->options.host)
        return;
    s->n_shadows--;
    munmap(shadow, 2 * page_round(bytes));
}

/* Calls visit for each allocation that has a shadow. */
static void each_shadow(DeviceServer *s, void (*visit)(const DeviceHost *host, const MemAlloc *a))
{
    if (!s->options.host || s->n_shadows == 0)
        return;
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const MemAlloc *a;
        for (size_t k = 0; (a = mem_at(s->devices[i]->mem, k)); k++)
            if (a->kind == MEM_REGISTERED)
                visit(s->options.host, a);
    }
}

static DeviceBox row(uint64_t addr, uint64_t bytes)
{
    return (DeviceBox){.addr = addr, .pitch = bytes, .slice = bytes, .width = bytes, .height = 1, .depth = 1};
}

static void refresh(const DeviceHost *host, const MemAlloc *a)
{
    DeviceBox from = row(a->addr, a->bytes);
    host->read(host->self, &from, a->host);
    memcpy(a->host + page_round(a->bytes), a->host, a->bytes);
}

/* Runs of bytes that differ go back one by one: a byte between two runs may be another thread's. */
static void give_back(const DeviceHost *host, const MemAlloc *a)
{
    const uint8_t *before = a->host + page_round(a->bytes);
    enum { CHUNK = 4096 };
    for (uint64_t at = 0; at < a->bytes;) {
        uint64_t left = a->bytes - at, chunk = left < CHUNK ? left : CHUNK, end;
        if (memcmp(a->host + at, before + at, chunk) == 0) {
            at += chunk;
            continue;
        }
        while (a->host[at] == before[at])
            at++;
        for (end = at; end < a->bytes && a->host[end] != before[end]; end++)
            ;
        DeviceBox to = row(a->addr + at, end - at);
        host->write(host->self, &to, a->host + at);
        at = end;
    }
}

void host_refresh(DeviceServer *s)
{
    each_shadow(s, refresh);
}

void host_give_back(DeviceServer *s)
{
    each_shadow(s, give_back);
}
