/* The further runs of a case, whose parameters are drawn anew; see lab.h and `vary` in lab_schema.def.
 *
 * Sizes that somebody chose are those that somebody thought of. A mistake that shows only where, say, a row is shorter than a warp and the
 * next size is odd is met by chance, which is here the same for everybody: SplitMix64, seeded by the names of lab and case and the run.
 */
#include "grader/core/lab_internal.h"

#include "common/base/formula.h"
#include "common/base/rng.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_MAX = 1 << 30 };

/* LOW..HIGH by STEP. */
typedef struct Range {
    int64_t low, step, n; /* low, low + step, ...: n of them */
} Range;

static uint64_t mix_text(uint64_t state, const char *text)
{
    for (; *text; text++)
        state = rng_mix(state ^ (unsigned char)*text);
    return rng_mix(state);
}

/* The beginning of the next alternative, blanks cut off at both ends; NULL behind the last one. */
static const char *next_word(const char **at, size_t *length)
{
    if (!*at)
        return NULL;
    const char *word = *at, *end = strchr(word, '|');
    *at = end ? end + 1 : NULL;
    end = end ? end : word + strlen(word);
    while (word < end && *word == ' ')
        word++;
    while (end > word && end[-1] == ' ')
        end--;
    *length = (size_t)(end - word);
    return word;
}

/* A whole number: the value of the first `length` bytes. */
static Status bound(Arena *a, const LabCase *c, const char *text, size_t length, int64_t *value, Diag *d)
{
    const char *formula = arena_strndup(a, text, length), *problem = NULL;
    if (!formula)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
    double number = floor(formula_value(formula, lab_find_param, c, &problem));
    if (!problem && !(number >= -VALUE_MAX && number <= VALUE_MAX))
        problem = "its value is no number from -2^30 to 2^30";
    *value = problem ? 0 : (int64_t)number;
    return problem ? diag_set(d, STATUS_PARSE, "'%s': %s", formula, problem) : STATUS_OK;
}

static Status range_of(Arena *a, const LabCase *c, const char *text, Range *range, Diag *d)
{
    const char *dots = strstr(text, ".."), *by = strstr(dots + 2, " by ");
    const char *end = by ? by : text + strlen(text);
    int64_t high = 0;
    *range = (Range){.step = 1};
    Status s = bound(a, c, text, (size_t)(dots - text), &range->low, d);
    if (s == STATUS_OK)
        s = bound(a, c, dots + 2, (size_t)(end - dots - 2), &high, d);
    if (s == STATUS_OK && by)
        s = bound(a, c, by + 4, strlen(by + 4), &range->step, d);
    if (s == STATUS_OK && (high < range->low || range->step < 1))
        s = diag_set(d, STATUS_PARSE, "'%s' has no number in it", text);
    range->n = s == STATUS_OK ? (high - range->low) / range->step + 1 : 0;
    return s;
}

/* The number of the range that is next to `value`. */
static int64_t nearest(const Range *range, int64_t value)
{
    int64_t i = (value - range->low + range->step / 2) / range->step;
    i = i < 0 ? 0 : i >= range->n ? range->n - 1 : i;
    return range->low + i * range->step;
}

/* Small numbers as often as large ones; one in four is an end of the range, and three in eight are powers of two, times 1, 3 or 5,
 * or one beside that. */
static int64_t draw_number(Rng *rng, const Range *range)
{
    uint64_t way = rng_below(rng, 8);
    int64_t span = (range->n - 1) * range->step, high = range->low + span;
    if (way <= 1)
        return rng_below(rng, 2) ? high : range->low;
    int bits = 1;
    while (INT64_C(1) << bits <= span)
        bits++;
    int64_t power = INT64_C(1) << rng_below(rng, (uint64_t)bits + 1);
    int64_t times[] = {1, 3, 5}, beside[] = {-1, 0, 1};
    int64_t value = power * times[rng_below(rng, 3)] + beside[rng_below(rng, 3)];
    if (way <= 4 && value >= range->low && value <= high)
        return nearest(range, value);
    return range->low + (int64_t)rng_below(rng, (uint64_t)(power < span ? power : span) + 1) / range->step * range->step;
}

static Status draw(Arena *a, const LabCase *c, const char *text, Rng *rng, const char **value, Diag *d)
{
    Range range;
    if (strstr(text, "..")) {
        Status s = range_of(a, c, text, &range, d);
        *value = s == STATUS_OK ? arena_printf(a, "%lld", (long long)draw_number(rng, &range)) : "";
        return *value ? s : diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
    }
    size_t n = 0, length = 0;
    for (const char *at = text; next_word(&at, &length);)
        n++;
    const char *at = text, *word = next_word(&at, &length);
    for (uint64_t skipped = rng_below(rng, n); skipped > 0; skipped--)
        word = next_word(&at, &length);
    *value = arena_strndup(a, word, length);
    return *value ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
}

static LabParam *param_of(LabCase *c, const char *key)
{
    for (size_t i = 0; i < c->n_params; i++)
        if (strcmp(c->params[i].key, key) == 0)
            return &c->params[i];
    return NULL;
}

/* What who falls short reads: of these sizes first, and then the case's own question, which is about its own ones. */
static bool tell_run(Arena *a, const Lab *lab, LabCase *c)
{
    const char *list = "", *own = c->hint;
    for (size_t i = 0; list && i < c->n_vary; i++)
        list = arena_printf(a, "%s%s%s = %s", list, i ? ", " : "", c->vary[i].key, param_of(c, c->vary[i].key)->value);
    c->message = !list ? NULL : arena_printf(a, language_say(lab->language, "The case was run several times, with other sizes and inputs. It falls short with %s."), list);
    c->hint = language_say(lab->language, "Runs before this one were right: what is special about these numbers? Which is smaller than a block, a warp or a tile, odd, no multiple, larger than "
                                          "what one turn of a loop does, or larger than another one? Where does the code take such a thing for granted, and is a whole number worked out in float on the way?");
    if (own && own[0])
        c->hint = arena_printf(a, language_say(lab->language, "%s Of its own numbers the case asks: %s"), c->hint, own);
    return c->message && c->hint;
}

const LabCase *lab_case_of_run(Arena *a, const Lab *lab, const LabCase *c, int64_t run, Diag *d)
{
    if (run == 0)
        return c;
    LabCase *other = ARENA_NEW(a, LabCase);
    LabParam *params = ARENA_NEW_ARRAY(a, LabParam, c->n_params + 1);
    if (!other || !params) {
        diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
        return NULL;
    }
    *other = *c;
    other->params = params;
    memcpy(params, c->params, c->n_params * sizeof *params);
    other->metric = ""; /* its tiers are of the case's own sizes */
    other->n_tiers = 0;
    other->baseline = (LabBaseline){0};
    Rng rng = {mix_text(mix_text((uint64_t)run, lab->lab), c->name)};
    Status s = STATUS_OK;
    for (size_t i = 0; i < c->n_vary && s == STATUS_OK; i++)
        s = draw(a, other, c->vary[i].value, &rng, &param_of(other, c->vary[i].key)->value, d);
    other->host_bytes = c->has_host_bytes ? c->host_bytes : 0;
    if (s == STATUS_OK)
        s = lab_set_case_work(lab, other, lab->dir, d);
    if (s == STATUS_OK && !tell_run(a, lab, other))
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
    return s == STATUS_OK ? other : NULL;
}

Status lab_check_vary(const Lab *lab, const LabCase *c, const char *path, Diag *d)
{
    if ((c->runs > 1) != (c->n_vary > 0))
        return diag_set_at(d, STATUS_PARSE, path, c->line, 0, "case '%s' must have both 'runs' and 'vary', or neither", c->name);
    if (c->n_vary > 0 && (!c->hidden || !c->run || c->n_answers > 0 || c->speed.of || c->timeline || c->expect_error[0]))
        return diag_set_at(d, STATUS_PARSE, path, c->line, 0, "case '%s' has 'vary': that is for hidden cases that ask for a result, and for no answers, errors, speed or timeline", c->name);
    for (size_t i = 0; i < c->n_vary; i++)
        if (!param_of((LabCase *)c, c->vary[i].key))
            return diag_set_at(d, STATUS_PARSE, path, c->line, 0, "'%s' in 'vary' of case '%s' is none of its 'params'", c->vary[i].key, c->name);
    Arena a = {0};
    Status s = STATUS_OK;
    for (int64_t run = 1; run < c->runs && s == STATUS_OK; run++) {
        Diag why = {0};
        if (!lab_case_of_run(&a, lab, c, run, &why))
            s = diag_set_at(d, STATUS_PARSE, path, c->line, 0, "'vary' of case '%s': %s", c->name, why.message);
    }
    arena_free(&a);
    return s;
}
