/* Findings: the table of their fields, and its writer. See finding.h. */
#include "common/base/finding.h"

#include "common/base/finding_internal.h"

#include <string.h>

#define SIZE_OF(member) sizeof(((const Finding *)NULL)->member)
#define RECORD          FINDING_RECORD
#define REPORT          FINDING_REPORT
#define RESULT          FINDING_RESULT
#define ALWAYS(member)  0, 0
#define SET(member)     offsetof(Finding, member), SIZE_OF(member)
#define IF(gate)        offsetof(Finding, gate), SIZE_OF(gate) IGNORE
#define IGNORE(member)

const FindingField finding_fields[] = {
#define X(type, member, object, name, forms, when)                                                                     \
    {FIELD_##type, object, name, forms, offsetof(Finding, member), SIZE_OF(member), when(member)},
#include "common/base/finding_fields.def"
#undef X
};
const size_t finding_n_fields = sizeof finding_fields / sizeof *finding_fields;

void finding_init(Finding *f)
{
    static const char *const nothing = "";
    *f = (Finding){0};
    for (size_t i = 0; i < finding_n_fields; i++)
        if (finding_field_is_text(&finding_fields[i]))
            memcpy((char *)f + finding_fields[i].at, &nothing, sizeof nothing);
}

static const char *text_of(const Finding *f, size_t at)
{
    const char *text;
    memcpy(&text, (const char *)f + at, sizeof text);
    return text ? text : "";
}

/* A member of 1 to 8 bytes; this machine stores the low one first. */
static uint64_t finding_number(const Finding *f, size_t at, size_t size)
{
    uint64_t n = 0;
    memcpy(&n, (const char *)f + at, size);
    return n;
}

/* Whether the member that decides it is set. */
static bool is_there(const Finding *f, const FindingField *field)
{
    if (field->when_size == 0)
        return true;
    if (field->when_at == field->at && finding_field_is_text(field))
        return *text_of(f, field->at) != '\0';
    return finding_number(f, field->when_at, field->when_size) != 0;
}

static void put_value(StrBuf *out, const Finding *f, const FindingField *field, bool there)
{
    const char *text;
    uint32_t v[3];
    uint64_t n = field->size <= sizeof n ? finding_number(f, field->at, field->size) : 0;
    switch (field->type) {
    case FIELD_TEXT:
    case FIELD_NAME:
        text = text_of(f, field->at);
        strbuf_json_string(out, text, strlen(text));
        break;
    case FIELD_FLAG:
        strbuf_puts(out, n ? "true" : "false");
        break;
    case FIELD_NUMBER:
        strbuf_printf(out, "%llu", (unsigned long long)n);
        break;
    case FIELD_SIGNED:
        strbuf_printf(out, "%lld", (long long)n);
        break;
    case FIELD_HEX:
        if (there)
            strbuf_printf(out, "\"0x%llx\"", (unsigned long long)n);
        else
            strbuf_puts(out, "\"\"");
        break;
    case FIELD_TRIPLE:
        memcpy(v, (const char *)f + field->at, sizeof v);
        if (there)
            strbuf_printf(out, "[%u,%u,%u]", v[0], v[1], v[2]);
        else
            strbuf_puts(out, "null");
        break;
    }
}

void finding_write(const Finding *f, FindingForm form, StrBuf *out)
{
    const char *object = "", *separator = "";
    strbuf_puts(out, "{");
    for (const FindingField *field = finding_fields; field < finding_fields + finding_n_fields; field++) {
        bool there = is_there(f, field);
        if (!(field->forms & form) || !(there || form == FINDING_RESULT))
            continue;
        if (strcmp(object, field->object) != 0) {
            strbuf_puts(out, *object ? "}" : "");
            if (*field->object) {
                strbuf_printf(out, "%s\"%s\":{", *object ? "," : separator, field->object);
                separator = "";
            }
            object = field->object;
        }
        strbuf_printf(out, "%s\"%s\":", separator, field->name);
        put_value(out, f, field, there);
        separator = ",";
    }
    strbuf_puts(out, *object ? "}}" : "}");
}
