/* Sentences with values in them, as the virtual GPU says them (findings_zh_cn.def): the English that has been made is taken to pieces by
 * its row, and put together in the other language. So what makes a finding knows of one language only, and a report holds that one. */
#include "common/base/language.h"

#include <ctype.h>
#include <string.h>

enum { HOLES_MAX = 8, NESTED_MAX = 6, LENGTH_MAX = 1000 /* of a sentence; a longer one stays as it is */ };

typedef struct Row {
    const char *english, *other;
} Row;

/* What stands in a hole of a row. */
typedef struct Value {
    const char *name, *text; /* the name is in the row */
    size_t name_length, length;
} Value;

typedef struct Match {
    Value values[HOLES_MAX];
    int n;
} Match;

static const Row chinese[] = {
#define X(english, other) {english, other},
#include "common/base/findings_zh_cn.def"
#undef X
    {0},
};

static const Row *const tables[N_LANGUAGES] = {[LANGUAGE_CHINESE] = chinese};

static bool is_named(const Value *v, const char *name)
{
    return strlen(name) == v->name_length && memcmp(name, v->name, v->name_length) == 0;
}

/* Numbers and single words are told by their names, so that no other sentence is taken for one with them. */
static bool fits(const Value *v)
{
    static const char *const words[] = {"access", "other", "space", "Address", "Thread", "Block", "Status"};
    if (is_named(v, "n") || is_named(v, "N"))
        return strspn(v->text, "0123456789,") >= v->length;
    if (is_named(v, "bytes") || is_named(v, "alloc"))
        return isdigit((unsigned char)*v->text) && v->length > 5 && memchr(v->text, ' ', v->length) &&
               (memcmp(v->text + v->length - 5, " byte", 5) == 0 || memcmp(v->text + v->length - 5, "bytes", 5) == 0);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_named(v, words[i]))
            return !memchr(v->text, ' ', v->length);
    return true;
}

/* Whether the text is what the row's rest says, with the shortest values that make it so. */
static bool match(const char *row, const char *text, size_t length, Match *m)
{
    while (*row && *row != '{') {
        if (length == 0 || *text != *row)
            return false;
        row++, text++, length--;
    }
    if (!*row)
        return length == 0;
    const char *end = strchr(row, '}');
    if (m->n == HOLES_MAX || !end)
        return false;
    int i = m->n++;
    for (size_t taken = 1; taken <= length; taken++) {
        m->values[i] = (Value){.name = row + 1, .name_length = (size_t)(end - row - 1), .text = text, .length = taken};
        m->n = i + 1;
        if (fits(&m->values[i]) && match(end + 1, text + taken, length - taken, m))
            return true;
    }
    return false;
}

static bool fill(const Row *table, const char *text, size_t length, int nested, StrBuf *out);

static void put_value(const Row *table, const Match *m, const char *name, size_t name_length, int nested, StrBuf *out)
{
    for (int i = 0; i < m->n; i++) {
        const Value *v = &m->values[i];
        if (v->name_length != name_length || memcmp(v->name, name, name_length) != 0)
            continue;
        bool as_it_is = *name >= 'A' && *name <= 'Z';
        if (as_it_is || !fill(table, v->text, v->length, nested + 1, out))
            strbuf_append(out, v->text, v->length);
    }
}

static bool fill(const Row *table, const char *text, size_t length, int nested, StrBuf *out)
{
    Match m;
    const Row *row = nested < NESTED_MAX ? table : NULL;
    while (row && row->english && (m.n = 0, !match(row->english, text, length, &m)))
        row++;
    if (!row || !row->english)
        return false;
    for (const char *at = row->other; *at;) {
        size_t plain = strcspn(at, "{");
        strbuf_append(out, at, plain);
        at += plain;
        if (*at) {
            size_t name = strcspn(at + 1, "}");
            put_value(table, &m, at + 1, name, nested, out);
            at += name + 2;
        }
    }
    return true;
}

bool language_fill(Language language, const char *english, size_t length, StrBuf *out)
{
    return tables[language] && length <= LENGTH_MAX && fill(tables[language], english, length, 0, out);
}

/* A colour of the terminal: "\033[1m". */
static size_t color_length(const char *at, const char *end)
{
    size_t n = 0;
    if (end - at > 2 && at[0] == '\033' && at[1] == '[')
        while (at + n < end && at[n++] != 'm')
            ;
    return n;
}

/* Behind a colon and its blank: where a sentence may begin. NULL when there is none. */
static const char *behind_colon(const char *at, const char *end)
{
    for (; at < end; at++)
        if (*at == ':') {
            const char *next = at + 1;
            next += color_length(next, end);
            if (next + 1 < end && *next == ' ')
                return next + 1 + color_length(next + 1, end);
        }
    return NULL;
}

static void put_line(Language language, const char *at, const char *end, StrBuf *out)
{
    size_t blanks = strspn(at, " ");
    const char *from = at + blanks < end ? at + blanks : end;
    strbuf_append(out, at, (size_t)(from - at));
    for (const char *sentence = from; sentence; sentence = behind_colon(sentence, end)) {
        StrBuf said = {0};
        if (language_fill(language, sentence, (size_t)(end - sentence), &said)) {
            strbuf_append(out, from, (size_t)(sentence - from));
            strbuf_append(out, said.text, said.length);
            strbuf_free(&said);
            return;
        }
        strbuf_free(&said);
    }
    strbuf_append(out, from, (size_t)(end - from));
}

void language_put_lines(Language language, const char *text, StrBuf *out)
{
    while (*text) {
        const char *end = text + strcspn(text, "\n");
        put_line(language, text, end, out);
        if (*end)
            strbuf_puts(out, "\n");
        text = *end ? end + 1 : end;
    }
}
