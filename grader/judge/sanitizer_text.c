/* A finding that a tool of compute-sanitizer reported, in the words of the virtual GPU's table of findings:
 *
 *   vector_add.cu:12: out-of-bounds: write of 4 bytes outside every allocation of global memory
 *     by thread (96,0,0) of block (3,0,0) in add(const float *, float *, int)
 *     at 0x7f00000003e8, 1 byte after an allocation of 1,000 bytes
 *     launched at vector_add.cu:40 in vector_add
 *     hint: compare the index with the size that was allocated
 *     memcheck said: Invalid __global__ write of size 4 bytes
 *       at add(const float *, float *, int)+0x80 in vector_add.cu:12
 *       ...
 */
#include "common/base/hints.h"
#include "common/base/strbuf.h"
#include "grader/judge/sanitizer_internal.h"

#include <stdio.h>
#include <string.h>

enum { RAW_LINES_MAX = 8 };

typedef struct KindRow {
    const char *text, *verdict;
    bool advice;
    const char *title, *hint;
} KindRow;

static const KindRow kinds[N_KINDS] = {
#define X(name, ...) [KIND_##name] = {__VA_ARGS__},
#include "common/vgpu/check/findings.def"
#undef X
};

static void put_count(StrBuf *out, uint64_t n, const char *what)
{
    strbuf_grouped(out, n);
    strbuf_printf(out, " %s%s", what, n == 1 ? "" : "s");
}

static const char *region(const Finding *f)
{
    if (strcmp(f->space, "shared") == 0)
        return "the block's shared memory";
    return strcmp(f->space, "local") == 0 ? "the thread's local memory" : "every allocation of global memory";
}

static void put_word(StrBuf *out, const SanitizerFacts *facts, const Finding *f, const char *word,
                     size_t length)
{
    const char *other = facts->other_access ? facts->other_access : "access";
    if (strncmp(word, "access", length) == 0)
        strbuf_puts(out, f->access[0] ? f->access : "access");
    else if (strncmp(word, "other", length) == 0)
        strbuf_puts(out, other);
    else if (strncmp(word, "space", length) == 0)
        strbuf_puts(out, f->space);
    else if (strncmp(word, "region", length) == 0)
        strbuf_puts(out, region(f));
    else if (strncmp(word, "bytes", length) == 0)
        put_count(out, f->bytes, "byte");
    else if (strncmp(word, "alloc", length) == 0)
        put_count(out, f->alloc_bytes, "byte");
}

/* The kind's title with its words filled in. */
static const char *make_title(Arena *a, const SanitizerFacts *facts, const Finding *f)
{
    StrBuf out = {0};
    for (const char *p = facts->title ? facts->title : kinds[facts->kind].title; *p;) {
        size_t plain = strcspn(p, "{");
        strbuf_append(&out, p, plain);
        p += plain;
        if (*p == '{') {
            size_t length = strcspn(p + 1, "}");
            put_word(&out, facts, f, p + 1, length);
            p += length + 2;
        }
    }
    return strbuf_keep(&out, a);
}

static void put_place(StrBuf *out, const char *before, const SanitizerPlace *p)
{
    if (!p->line)
        return;
    strbuf_printf(out, "  %s at %s:%lld", before, p->file, (long long)p->line);
    strbuf_printf(out, p->function[0] ? " in %s\n" : "\n", p->function);
}

static void put_who(StrBuf *out, const Finding *f)
{
    const uint32_t *t = f->thread, *b = f->block;
    if (f->has_thread)
        strbuf_printf(out, "  by thread (%u,%u,%u) of block (%u,%u,%u)%s", t[0], t[1], t[2], b[0], b[1], b[2],
                      f->kernel[0] ? "" : "\n");
    if (f->kernel[0])
        strbuf_printf(out, "%sin %s\n", f->has_thread ? " " : "  ", f->kernel);
}

static void sanitizer_put_address(StrBuf *out, const SanitizerFacts *facts, const Finding *f)
{
    if (!f->has_address)
        return;
    strbuf_printf(out, "  at 0x%llx", (unsigned long long)f->address);
    if (f->has_alloc && facts->kind != KIND_LEAK) {
        strbuf_puts(out, ", ");
        if (f->distance)
            put_count(out, (uint64_t)(f->distance < 0 ? -f->distance : f->distance), "byte");
        strbuf_puts(out, f->distance < 0 ? " before" : f->distance > 0 ? " after" : "inside");
        strbuf_puts(out, " an allocation of ");
        put_count(out, f->alloc_bytes, "byte");
    }
    strbuf_puts(out, "\n");
}

/* The tool's own lines, but for the way through the host's libraries. */
static void put_raw(StrBuf *out, const SanitizerFacts *facts)
{
    strbuf_printf(out, "  %s said: %s\n", sanitizer_tool(facts->tool)->word, facts->head);
    for (size_t i = 0, n = 0; i < facts->n_details && n < RAW_LINES_MAX; i++) {
        if (strstr(facts->details[i], "Host Frame:") || strstr(facts->details[i], "host backtrace"))
            continue;
        strbuf_printf(out, "    %s\n", facts->details[i]);
        n++;
    }
}

static const char *make_text(Arena *a, const SanitizerFacts *facts, const Finding *f)
{
    StrBuf out = {0};
    if (f->place.line)
        strbuf_printf(&out, "%s:%u: ", f->place.file, f->place.line);
    strbuf_printf(&out, "%s%s: %s\n", f->advice ? "advice: " : "", f->kind, f->message);
    put_who(&out, f);
    put_place(&out, facts->other_access ? facts->other_access : "", &facts->other);
    sanitizer_put_address(&out, facts, f);
    if (f->kernel[0])
        put_place(&out, "launched", &facts->launch);
    if (f->hint[0] && hints_wanted())
        strbuf_printf(&out, "  hint: %s\n", f->hint);
    put_raw(&out, facts);
    return strbuf_keep(&out, a);
}

bool sanitizer_word_finding(Arena *a, const SanitizerFacts *facts, Finding *f)
{
    const KindRow *kind = &kinds[facts->kind];
    f->kind = kind->text;
    f->advice = kind->advice;
    f->verdict = kind->advice ? "" : kind->verdict;
    f->hint = kind->hint;
    f->message = make_title(a, facts, f);
    f->text = f->message ? make_text(a, facts, f) : NULL;
    return f->text != NULL;
}
