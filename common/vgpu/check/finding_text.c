/* A finding as a person reads it:
 *
 *   vector_add.cu:12:10: out-of-bounds: write of 4 bytes outside every allocation of global memory
 *      12 |     c[i] = a[i] + b[i];
 *         |          ^
 *     by thread (232,0,0) of block (3,0,0) in add(float const*, float const*, float*, int)
 *     at 0x2000000103e8, 1 byte after allocation 3 (1,000 bytes at 0x200000010000, made at ...)
 *     launched at vector_add.cu:40 in main as <<<4, 256>>>(#1, #2, #3, 1000)
 *     24 times, this is the first
 *     hint: ...
 */
#include "common/base/hints.h"
#include "common/vgpu/check/finding_internal.h"

#include <string.h>

#define BOLD  "\033[1m"
#define RED   "\033[1;31m"
#define CYAN  "\033[1;36m"
#define PLAIN "\033[0m"

static bool is_known_site(const FindingSite *site)
{
    return site->file && *site->file;
}

static const char *color(const FindingLookup *lookup, const char *code)
{
    return lookup && lookup->color ? code : "";
}

static void put_triple(StrBuf *out, const uint32_t v[3])
{
    strbuf_printf(out, "(%u,%u,%u)", v[0], v[1], v[2]);
}

/* " at file:line in function": nothing when the place is unknown. */
static void put_site(StrBuf *out, const FindingSite *site)
{
    if (!is_known_site(site))
        return;
    strbuf_printf(out, " at %s:%u", site->file, site->line);
    if (site->function && *site->function)
        strbuf_printf(out, " in %s", site->function);
}

static bool is_host_finding(const Finding *f)
{
    return *f->kernel == '\0';
}

/* Where the finding's first line points: the kernel's line, or the host's. */
static FindingPlace headline_place(const Finding *f)
{
    if (!is_host_finding(f))
        return f->place;
    return (FindingPlace){.file = f->site.file, .line = is_known_site(&f->site) ? f->site.line : 0};
}

static void put_headline(const Finding *f, const FindingLookup *lookup, const FindingPlace *place,
                         StrBuf *out)
{
    if (place->line) {
        strbuf_printf(out, "%s%s:%u:", color(lookup, BOLD), place->file, place->line);
        if (place->column)
            strbuf_printf(out, "%u:", place->column);
        strbuf_printf(out, "%s ", color(lookup, PLAIN));
    }
    strbuf_printf(out, "%s%s%s:%s %s\n", color(lookup, f->advice ? CYAN : RED), f->advice ? "advice: " : "",
                  f->kind, color(lookup, PLAIN), f->message);
}

static void put_source(const FindingLookup *lookup, const FindingPlace *place, StrBuf *out)
{
    const char *text = place->line && lookup && lookup->source_line
                           ? lookup->source_line(lookup->self, place->file, place->line)
                           : NULL;
    if (!text)
        return;
    strbuf_printf(out, "%6u | %s\n", place->line, text);
    if (!place->column || place->column > strlen(text) + 1)
        return;
    strbuf_puts(out, "       | ");
    for (uint32_t i = 0; i + 1 < place->column; i++)
        strbuf_puts(out, text[i] == '\t' ? "\t" : " ");
    strbuf_puts(out, "^\n");
}

static void put_who(const Finding *f, StrBuf *out)
{
    if (is_host_finding(f))
        return;
    strbuf_puts(out, "  ");
    if (f->has_thread) {
        strbuf_printf(out, "%s%sby thread ", f->has_other ? f->access : "", f->has_other ? " " : "");
        put_triple(out, f->thread);
        strbuf_puts(out, " of block ");
        put_triple(out, f->block);
        strbuf_puts(out, " ");
    }
    strbuf_printf(out, "in %s\n", f->kernel);
    if (f->place.inlined_into_file && *f->place.inlined_into_file)
        strbuf_printf(out, "  inlined at %s:%u\n", f->place.inlined_into_file, f->place.inlined_into_line);
    if (f->place.line == 0 && f->has_thread)
        strbuf_puts(out, "  compile with -lineinfo to see the line\n");
}

static void put_other_operation(const Finding *f, StrBuf *out)
{
    const FindingSite *site = &f->other_site, *mine = &f->site;
    if (!is_known_site(site))
        return;
    bool same = is_known_site(mine) && site->line == mine->line && strcmp(site->file, mine->file) == 0;
    strbuf_puts(out, "  the other operation:");
    put_site(out, site);
    strbuf_puts(out, same ? ", the same line, for another stream\n" : "\n");
}

static void put_other(const Finding *f, StrBuf *out)
{
    if (!f->has_other)
        return;
    if (is_host_finding(f)) {
        put_other_operation(f, out);
        return;
    }
    strbuf_printf(out, "  %s by thread ", f->other_access);
    put_triple(out, f->other_thread);
    strbuf_puts(out, " of block ");
    put_triple(out, f->other_block);
    if (f->other.line) {
        bool same = f->other.line == f->place.line && strcmp(f->other.file, f->place.file) == 0;
        strbuf_printf(out, " at %s:%u%s", f->other.file, f->other.line, same ? ", the same line" : "");
    }
    strbuf_puts(out, "\n");
}

static void put_distance(const Finding *f, StrBuf *out)
{
    if (f->distance < 0) {
        finding_put_count(out, (uint64_t)-f->distance, "byte");
        strbuf_puts(out, " before ");
    } else if (f->distance > 0) {
        finding_put_count(out, (uint64_t)f->distance, "byte");
        strbuf_puts(out, " after ");
    } else if (f->address != f->alloc_address) {
        strbuf_puts(out, "byte ");
        strbuf_grouped(out, f->address - f->alloc_address);
        strbuf_puts(out, " of ");
    } else {
        strbuf_puts(out, "the start of ");
    }
}

static void put_alloc(const Finding *f, StrBuf *out)
{
    put_distance(f, out);
    if (f->alloc_serial == 0) { /* shared memory: it has no place of its own */
        bool array = f->alloc_name && *f->alloc_name;
        if (array)
            strbuf_printf(out, "the array %s, which has ", f->alloc_name);
        else
            strbuf_puts(out, "the block's ");
        finding_put_count(out, f->alloc_bytes, "byte");
        if (!array)
            strbuf_puts(out, " of shared memory");
        return;
    }
    if (f->alloc_name && *f->alloc_name)
        strbuf_printf(out, "the variable %s (", f->alloc_name);
    else
        strbuf_printf(out, "allocation %u (", f->alloc_serial);
    finding_put_count(out, f->alloc_bytes, "byte");
    strbuf_printf(out, " at 0x%llx", (unsigned long long)f->alloc_address);
    if (is_known_site(&f->alloc_site)) {
        strbuf_puts(out, ", made");
        put_site(out, &f->alloc_site);
    }
    if (f->alloc_freed) {
        strbuf_puts(out, ", freed");
        put_site(out, &f->free_site);
    }
    strbuf_puts(out, ")");
    if (f->parameter)
        strbuf_printf(out, ", parameter %u of the kernel", f->parameter);
}

/* The allocation of a leak: nothing lies inside or outside of it. */
static void put_leak(const Finding *f, StrBuf *out)
{
    strbuf_printf(out, "  allocation %u, at 0x%llx\n", f->alloc_serial, (unsigned long long)f->alloc_address);
}

static bool is_of_kind(const Finding *f, FindingKind kind)
{
    return strcmp(f->kind, finding_kind_text(kind)) == 0;
}

static void finding_put_address(const Finding *f, StrBuf *out)
{
    if (is_of_kind(f, FINDING_LEAK)) {
        put_leak(f, out);
        return;
    }
    bool shared = strcmp(f->space, "shared") == 0;
    if (!f->has_alloc && !f->address && !f->bytes)
        return;
    if (is_of_kind(f, FINDING_SURFACE_BOUNDS) ||
        is_of_kind(f, FINDING_UNSET)) /* a texel has no address, and a register none */
        return;
    if (strcmp(f->space, "local") == 0) {
        strbuf_puts(out, "  at byte ");
        strbuf_grouped(out, f->address);
        strbuf_puts(out, " of the thread's local memory\n");
        return;
    }
    strbuf_printf(out, shared ? "  at shared address 0x%llx" : "  at 0x%llx", (unsigned long long)f->address);
    if (f->has_alloc) {
        strbuf_puts(out, ", ");
        put_alloc(f, out);
    }
    strbuf_puts(out, "\n");
}

void finding_text(const Finding *f, const FindingLookup *lookup, StrBuf *out)
{
    FindingPlace place = headline_place(f);
    put_headline(f, lookup, &place, out);
    put_source(lookup, &place, out);
    put_who(f, out);
    put_other(f, out);
    finding_put_address(f, out);
    if (!is_host_finding(f) && is_known_site(&f->site)) {
        strbuf_puts(out, "  launched");
        put_site(out, &f->site);
        if (f->launched_as && *f->launched_as)
            strbuf_printf(out, " as %s", f->launched_as);
        strbuf_puts(out, "\n");
    }
    if (is_host_finding(f) && place.line == 0 && !(lookup && lookup->has_debug))
        strbuf_puts(out, "  compile the host code with -g to see the line\n");
    if (f->count > 1) {
        strbuf_puts(out, "  ");
        strbuf_grouped(out, f->count);
        strbuf_puts(out, " times, this is the first\n");
    }
    if (*f->hint && hints_wanted())
        strbuf_printf(out, "  hint: %s\n", f->hint);
}
