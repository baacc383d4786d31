/* diagnose: tries the patterns of patterns.def in their order, and writes what a student reads.
 *
 *   c: 744 of 1000000 elements differ: the elements from 999256 to the end were never written.
 *          index           got        wanted       error     allowed
 *       [999256]     unwritten    1.25031495           -    1.25e-06
 *   An element is right when |got - wanted| <= 1e-06 * |wanted|.
 *   hint: The end is missing: ...
 */
#include "common/lab/diagnose.h"

#include "common/base/hints.h"
#include "common/lab/diagnose_internal.h"
#include "common/lab/guard.h"
#include "common/lab/npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Pattern {
    const char *slug, *hint;
    Finder *find;
} Pattern;

static const Pattern patterns[] = {
#define X(slug_, finder_, hint_) {slug_, hint_, find_##finder_},
#include "common/lab/patterns.def"
#undef X
};

bool diagnose_is_unwritten(const LabArray *array, size_t i)
{
    size_t size = npy_type_bytes(array->type);
    return guard_is_poison((const char *)array->data + i * size, i * size, size);
}

static bool is_one_of(const char *slug, const char *const *slugs)
{
    while (*slugs && strcmp(slug, *slugs) != 0)
        slugs++;
    return *slugs != NULL;
}

/* Patterns of a part that is not as it should be: what is 0 there may have been stored. */
static const char *const missing_parts[] = {"corner", "first-block", "tail-whole", "tail", NULL};
/* Of what is wrong, or missing, from some place on. */
static const char *const ends[] = {"corner", "corner-wrong", "tail-whole", "tail", "tail-wrong", NULL};

/* The first wrong element, its row or its column is the first that 15 or 16 bits have no number for. */
static bool begins_at_limit(const Evidence *e)
{
    size_t i = diagnose_first_wrong(e), width = e->wanted->n_dims > 1 ? e->wanted->shape[e->wanted->n_dims - 1] : e->wanted->elements;
    const size_t at[] = {i, i / width, i % width};
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++)
        if (at[k] == (size_t)INT16_MAX + 1 || at[k] == (size_t)UINT16_MAX + 1)
            return true;
    return false;
}

Diagnosis diagnose_result(const Evidence *e)
{
    Diagnosis d = {
        .slug = "scattered",
        .hint = language_say(e->language, HINT_BY_HAND_SOME)};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (patterns[i].find(e, d.sentence)) {
            d.slug = patterns[i].slug;
            d.at_limit = is_one_of(d.slug, ends) && begins_at_limit(e);
            d.hint = language_say(e->language, is_one_of(d.slug, missing_parts) && diagnose_is_zero_there(e) ? HINT_ZERO_THERE : patterns[i].hint);
            return d;
        }
    snprintf(d.sentence, sizeof d.sentence, "%s",
             language_say(e->language, e->result.mismatches == 1
                                           ? "just this one is wrong"
                                           : "the wrong elements show no simple pattern"));
    return d;
}

void diagnose_write_element(StrBuf *text, const LabArray *array, size_t i)
{
    if (diagnose_is_unwritten(array, i))
        strbuf_puts(text, "unwritten");
    else if (array->type == LAB_I64)
        strbuf_printf(text, "%" PRId64, ((const int64_t *)array->data)[i]);
    else if (array->type == LAB_U64)
        strbuf_printf(text, "%" PRIu64, ((const uint64_t *)array->data)[i]);
    else
        strbuf_printf(text, "%.10g", compare_element(array, i));
}

void diagnose_write_index(StrBuf *text, const LabArray *array, size_t i)
{
    if (array->n_dims == 0) {
        strbuf_puts(text, "[]");
        return;
    }
    size_t stride = array->elements;
    for (int d = 0; d < array->n_dims; d++) {
        stride /= array->shape[d];
        strbuf_printf(text, "%s%zu", d ? ", " : "[", i / stride);
        i %= stride;
    }
    strbuf_puts(text, "]");
}

/* Appends a column: what `write` gives for element i, right-aligned. */
static void write_column(StrBuf *text, int width, void (*write)(StrBuf *, const LabArray *, size_t),
                         const LabArray *array, size_t i)
{
    StrBuf cell = {0};
    write(&cell, array, i);
    strbuf_printf(text, " %*s", width, cell.text ? cell.text : "");
    strbuf_free(&cell);
}

enum { INDEX_WIDTH = 14, VALUE_WIDTH = 16, ERROR_WIDTH = 12 };

/* A word of a column, right-aligned. A character of more than two bytes (Chinese) takes two columns of a
 * terminal. */
static void write_word(StrBuf *text, int width, const char *word)
{
    int columns = 0;
    for (const unsigned char *at = (const unsigned char *)word; *at; at++)
        if ((*at & 0xC0) != 0x80)
            columns += *at >= 0xE0 ? 2 : 1;
    strbuf_printf(text, "%*s%s", width > columns ? width - columns : 0, "", word);
}

static void write_row(StrBuf *text, const Evidence *e, size_t i)
{
    double error, allowed;
    compare_at(e->got, i, e->wanted, i, &e->tolerance, &error, &allowed);
    allowed = isnan(allowed) ? (double)NAN : allowed; /* of an infinity and no part of it: its sign is the machine's */
    write_column(text, INDEX_WIDTH, diagnose_write_index, e->wanted, i);
    if (diagnose_is_unwritten(e->got, i))
        write_word(text, VALUE_WIDTH + 1, language_say(e->language, "unwritten"));
    else
        write_column(text, VALUE_WIDTH, diagnose_write_element, e->got, i);
    write_column(text, VALUE_WIDTH, diagnose_write_element, e->wanted, i);
    if (diagnose_is_unwritten(e->got, i) || isnan(error))
        strbuf_printf(text, " %*s %*.3g\n", ERROR_WIDTH, "-", ERROR_WIDTH, allowed);
    else
        strbuf_printf(text, " %*.3g %*.3g\n", ERROR_WIDTH, error, ERROR_WIDTH, allowed);
}

static void write_tolerance(StrBuf *text, const Tolerance *t, Language language)
{
    if (t->rtol == 0 && t->atol == 0)
        strbuf_puts(text, language_say(language, "An element is right when it is exactly the wanted value"));
    else if (t->rtol == 0)
        strbuf_printf(text, language_say(language, "An element is right when |got - wanted| <= %g"), t->atol);
    else if (t->atol == 0)
        strbuf_printf(text,
                      language_say(language, "An element is right when |got - wanted| <= %g * |wanted|"),
                      t->rtol);
    else
        strbuf_printf(text,
                      language_say(language, "An element is right when |got - wanted| <= %g + %g * |wanted|"),
                      t->atol, t->rtol);
    strbuf_puts(text, language_say(language, t->nan_equal ? "; NaN is right where NaN is wanted.\n" : ".\n"));
}

void diagnose_write(StrBuf *text, const Evidence *e, const Diagnosis *d)
{
    size_t wrong = e->result.mismatches, elements = e->result.elements;
    Language language = e->language;
    strbuf_printf(text,
                  language_say(language, elements == 1 ? "%s: %zu of %zu element differs: %s.\n"
                                         : wrong == 1  ? "%s: %zu of %zu elements differs: %s.\n"
                                                       : "%s: %zu of %zu elements differ: %s.\n"),
                  e->wanted->name, wrong, elements, d->sentence);
    strbuf_puts(text, " ");
    write_word(text, INDEX_WIDTH, language_say(language, "index"));
    write_word(text, VALUE_WIDTH + 1, language_say(language, "got"));
    write_word(text, VALUE_WIDTH + 1, language_say(language, "wanted"));
    write_word(text, ERROR_WIDTH + 1, language_say(language, "error"));
    write_word(text, ERROR_WIDTH + 1, language_say(language, "allowed"));
    strbuf_puts(text, "\n");
    size_t shown = 0;
    for (size_t i = 0; i < e->wanted->elements && shown < DIAGNOSE_FIRST; i++)
        if (e->wrong[i]) {
            write_row(text, e, i);
            shown++;
        }
    if (wrong > shown)
        strbuf_printf(text, language_say(language, " %*s and %zu more\n"), INDEX_WIDTH, "...", wrong - shown);
    write_tolerance(text, &e->tolerance, language);
    if (d->hint[0] && hints_wanted())
        strbuf_printf(text, language_say(language, "hint: %s\n"), d->hint);
    if (d->at_limit && hints_wanted())
        strbuf_printf(text, language_say(language, "hint: %s\n"), language_say(language, HINT_LIMIT));
}
