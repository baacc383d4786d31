/* Findings: the table of kinds, and the titles that are made from it. */
#include "common/vgpu/check/check_internal.h"
#include "common/vgpu/check/finding_internal.h"

#include <assert.h>
#include <string.h>

typedef struct KindInfo {
    const char *text, *verdict;
    bool advice;
    const char *title, *hint;
} KindInfo;

static const KindInfo kinds[FINDING_N_KINDS] = {
#define X(name, ...) [FINDING_##name] = {__VA_ARGS__},
#include "common/vgpu/check/findings.def"
#undef X
};

const char *finding_kind_text(FindingKind kind)
{
    return kinds[kind].text;
}

const char *finding_kind_verdict(FindingKind kind)
{
    return kinds[kind].verdict;
}

const char *finding_kind_title(FindingKind kind)
{
    return kinds[kind].title;
}

const char *finding_kind_hint(FindingKind kind)
{
    return kinds[kind].hint;
}

bool finding_kind_is_advice(FindingKind kind)
{
    return kinds[kind].advice;
}

bool finding_kind_named(const char *text, size_t length, FindingKind *kind)
{
    for (int k = 0; k < FINDING_N_KINDS; k++)
        if (strlen(kinds[k].text) == length && memcmp(kinds[k].text, text, length) == 0) {
            *kind = (FindingKind)k;
            return true;
        }
    return false;
}

FindingKind finding_kind(const Finding *f)
{
    FindingKind kind = FINDING_N_KINDS;
    finding_kind_named(f->kind, strlen(f->kind), &kind);
    assert(kind < FINDING_N_KINDS);
    return kind;
}

bool finding_kind_may_rise(FindingKind kind)
{
    return kinds[kind].advice && kinds[kind].verdict[0];
}

const char *check_access_text(uint8_t access)
{
    static const char *const texts[] = {[ACCESS_LOAD] = "read",
                                        [ACCESS_STORE] = "write",
                                        [ACCESS_ATOMIC] = "atomic",
                                        [ACCESS_REDUCTION] = "atomic"};
    return access < sizeof texts / sizeof *texts ? texts[access] : "";
}

const char *check_space_text(uint8_t space)
{
    static const char *const texts[] = {
        [SPACE_GENERIC] = "global", [SPACE_GLOBAL] = "global",  [SPACE_SHARED] = "shared",
        [SPACE_LOCAL] = "local",    [SPACE_CONST] = "constant", [SPACE_PARAM] = "parameter",
        [SPACE_FRAME] = "local"};
    return space < sizeof texts / sizeof *texts ? texts[space] : "";
}

void finding_put_count(StrBuf *out, uint64_t n, const char *what)
{
    strbuf_grouped(out, n);
    strbuf_printf(out, " %s%s", what, n == 1 ? "" : "s");
}

/* What an access out of bounds is outside of. */
static const char *region(const Finding *f)
{
    if (strcmp(f->space, "shared") == 0)
        return f->alloc_name && *f->alloc_name ? "an array in the block's shared memory" : "the block's shared memory";
    if (strcmp(f->space, "local") == 0)
        return "the thread's local memory";
    return strcmp(f->space, "constant") == 0 ? "every constant variable"
                                             : "every allocation of global memory";
}

static void put_word(StrBuf *out, const Finding *f, const char *detail, const char *word, size_t length)
{
    if (strncmp(word, "access", length) == 0)
        strbuf_puts(out, f->access);
    else if (strncmp(word, "other", length) == 0)
        strbuf_puts(out, f->other_access);
    else if (strncmp(word, "space", length) == 0)
        strbuf_puts(out, f->space);
    else if (strncmp(word, "region", length) == 0)
        strbuf_puts(out, region(f));
    else if (strncmp(word, "bytes", length) == 0)
        finding_put_count(out, f->bytes, "byte");
    else if (strncmp(word, "detail", length) == 0)
        strbuf_puts(out, detail ? detail : "");
    else if (strncmp(word, "alloc", length) == 0)
        finding_put_count(out, f->alloc_bytes, "byte");
}

const char *check_title(CheckSet *set, const Finding *f, const char *detail)
{
    StrBuf out = {0};
    const char *template = finding_kind_title(finding_kind(f));
    for (const char *p = template; *p;) {
        size_t plain = strcspn(p, "{");
        strbuf_append(&out, p, plain);
        p += plain;
        if (*p == '{') {
            size_t length = strcspn(p + 1, "}");
            put_word(&out, f, detail, p + 1, length);
            p += length + 2;
        }
    }
    if (detail && *detail && !strstr(template, "{detail}"))
        strbuf_printf(&out, ": %s", detail);
    const char *title = check_intern(set, out.failed ? "" : out.text);
    strbuf_free(&out);
    return title;
}
