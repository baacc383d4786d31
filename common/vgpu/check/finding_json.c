/* A finding as one JSON object: the members that docs/contracts.md names, and id and launch. Members that do
 * not apply are left out; the order is fixed. */
#include "common/vgpu/check/finding_internal.h"

#include <string.h>

static void put_text(StrBuf *out, const char *name, const char *text)
{
    strbuf_printf(out, ",\"%s\":", name);
    strbuf_json_string(out, text, strlen(text));
}

static void put_triple(StrBuf *out, const char *name, const uint32_t v[3])
{
    strbuf_printf(out, ",\"%s\":[%u,%u,%u]", name, v[0], v[1], v[2]);
}

static void put_number(StrBuf *out, const char *name, uint64_t n)
{
    strbuf_printf(out, ",\"%s\":%llu", name, (unsigned long long)n);
}

static void put_place(StrBuf *out, const FindingPlace *p)
{
    if (!p->line)
        return;
    put_text(out, "file", p->file);
    put_number(out, "line", p->line);
    if (p->column)
        put_number(out, "column", p->column);
}

/* "prefixfile" and "prefixline" of a host place. */
static void put_site_members(StrBuf *out, const FindingLookup *lookup, uint64_t token, const char *file,
                             const char *line)
{
    FindingSite site;
    if (!finding_site(lookup, token, &site) || !site.line)
        return;
    put_text(out, file, site.file);
    put_number(out, line, site.line);
}

static void put_alloc(StrBuf *out, const Finding *f, const FindingLookup *lookup)
{
    strbuf_printf(out, ",\"allocation\":{\"address\":\"0x%llx\"", (unsigned long long)f->alloc_address);
    put_number(out, "bytes", f->alloc_bytes);
    put_number(out, "serial", f->alloc_serial);
    if (f->alloc_name)
        put_text(out, "name", f->alloc_name);
    strbuf_printf(out, ",\"freed\":%s", f->alloc_freed ? "true" : "false");
    put_site_members(out, lookup, f->alloc_site, "file", "line");
    if (f->alloc_freed)
        put_site_members(out, lookup, f->free_site, "freed_file", "freed_line");
    strbuf_printf(out, ",\"distance\":%lld}", (long long)f->distance);
}

static void put_other(StrBuf *out, const Finding *f, const FindingLookup *lookup)
{
    strbuf_puts(out, ",\"other\":{");
    size_t start = out->length;
    put_text(out, "access", f->other_access);
    FindingSite site;
    if (f->other_site && finding_site(lookup, f->other_site, &site))
        put_place(out, &(FindingPlace){.file = site.file, .line = site.line});
    if (!f->other_site) {
        put_place(out, &f->other);
        put_triple(out, "block", f->other_block);
        put_triple(out, "thread", f->other_thread);
    }
    if (!out->failed) /* the first member's comma */
        memmove(out->text + start, out->text + start + 1, out->length - start);
    out->length -= !out->failed;
    strbuf_puts(out, "}");
}

static void put_site(StrBuf *out, const FindingLookup *lookup, uint64_t token)
{
    FindingSite site;
    if (!finding_site(lookup, token, &site))
        return;
    strbuf_puts(out, ",\"site\":{\"file\":");
    strbuf_json_string(out, site.file, strlen(site.file));
    put_number(out, "line", site.line);
    put_text(out, "function", site.function);
    strbuf_puts(out, "}");
}

static void put_rendered(StrBuf *out, const Finding *f, const FindingLookup *lookup)
{
    FindingLookup plain = lookup ? *lookup : (FindingLookup){0};
    StrBuf text = {0};
    plain.color = false;
    finding_text(f, &plain, &text);
    put_text(out, "text", text.text ? text.text : "");
    out->failed |= text.failed;
    strbuf_free(&text);
}

void finding_json(const Finding *f, const FindingLookup *lookup, StrBuf *out)
{
    strbuf_printf(out, "{\"id\":%u", f->id);
    put_text(out, "kind", finding_kind_text(f->kind));
    put_text(out, "verdict", finding_verdict(f));
    strbuf_printf(out, ",\"advice\":%s", *finding_verdict(f) ? "false" : "true");
    if (f->launch)
        put_number(out, "launch", f->launch);
    if (*f->kernel)
        put_text(out, "kernel", f->kernel);
    put_place(out, &f->place);
    if (f->has_thread) {
        put_triple(out, "block", f->block);
        put_triple(out, "thread", f->thread);
    }
    if (f->address || f->bytes || f->has_alloc)
        strbuf_printf(out, ",\"address\":\"0x%llx\"", (unsigned long long)f->address);
    if (f->bytes)
        put_number(out, "bytes", f->bytes);
    if (*f->access)
        put_text(out, "access", f->access);
    if (*f->space)
        put_text(out, "space", f->space);
    if (f->has_alloc)
        put_alloc(out, f, lookup);
    if (f->has_other)
        put_other(out, f, lookup);
    put_site(out, lookup, f->site);
    put_number(out, "count", f->count);
    put_text(out, "message", f->message);
    put_text(out, "hint", f->hint);
    put_rendered(out, f, lookup);
    strbuf_puts(out, "}");
}
