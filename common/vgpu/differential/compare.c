/* Two files of answers, line by line: kernels whose hashes differ, with the first slot that does and its
 * instruction (made again from the seed); values of approximate functions against the bounds of forms.def,
 * which are doubled for neither side: the virtual GPU's results are near the exact ones, so a card's error is
 * theirs alone. */
#include "common/vgpu/differential/differential.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Comparison {
    StrBuf *text;
    int limit, n_lines, n_differ, n_skipped, n_errors;
    int by_family[N_FAMILIES];
} Comparison;

uint32_t answer_hash(const uint64_t *words, int n)
{
    uint64_t h = 0;
    for (int i = 0; i < n; i++)
        h = rng_mix(h ^ words[i]) + (uint64_t)i;
    return (uint32_t)(h >> 32);
}

/* A NaN of the given width becomes the greatest of it. */
static uint64_t fold_nan(uint64_t bits, int width, int mantissa)
{
    const uint64_t all = width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1;
    const uint64_t size = bits & all >> 1, infinity = (all >> 1) & ~(((uint64_t)1 << mantissa) - 1);
    return size > infinity ? all >> 1 : bits;
}

void answer_fold_nans(const Kernel *k, Answer *answer)
{
    for (int s = 0; s < k->n_slots; s++)
        for (int t = 0; k->slots[s].any_nan && t < THREADS; t++) {
            uint64_t *v = &answer->out[s][t];
            if (k->slots[s].class == CLASS_E)
                *v = fold_nan(*v, 64, 52);
            else if (k->slots[s].class == CLASS_F)
                *v = fold_nan(*v, 32, 23);
            else
                *v = fold_nan(*v & 0xFFFF, 16, 10) | fold_nan(*v >> 16 & 0xFFFF, 16, 10) << 16;
        }
}

static double half_value(uint32_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double value_of_bits(Class class, uint64_t bits)
{
    float f;
    double d;
    const uint32_t word = (uint32_t)bits;
    switch (class) {
    case CLASS_F:
        memcpy(&f, &word, sizeof f);
        return (double)f;
    case CLASS_E:
        memcpy(&d, &bits, sizeof d);
        return d;
    default:
        return half_value(word & 0xFFFF);
    }
}

/* Whether a value is within the bounds, plus the rounding of the last place on both sides. */
static bool is_near(const Slot *slot, double want, double got)
{
    const double place = slot->class == CLASS_F ? 0x1p-23 : slot->class == CLASS_E ? 0x1p-52 : 0x1p-10;
    const double least = slot->class == CLASS_F ? 0x1p-148 : slot->class == CLASS_E ? 0x1p-1073 : 0x1p-23;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return want == got;
    const double relative = slot->relative * fabs(want),
                 bound = relative > slot->absolute ? relative : slot->absolute;
    return fabs(want - got) <= bound + place * fabs(want) + least;
}

static bool slot_is_near(const Slot *slot, uint64_t want, uint64_t got)
{
    if (slot->class != CLASS_X)
        return is_near(slot, value_of_bits(slot->class, want), value_of_bits(slot->class, got));
    return is_near(slot, half_value((uint32_t)want & 0xFFFF), half_value((uint32_t)got & 0xFFFF)) &&
           is_near(slot, half_value((uint32_t)want >> 16 & 0xFFFF), half_value((uint32_t)got >> 16 & 0xFFFF));
}

static void compare_tell(Comparison *c, Family family, const char *line)
{
    c->n_differ++;
    c->by_family[family]++;
    if (c->limit-- > 0)
        strbuf_puts(c->text, line);
}

static void compare_values(Comparison *c, const Kernel *k, int s, char *want, char *got)
{
    char line[512];
    for (int t = 0; t < THREADS; t++) {
        const uint64_t w = strtoull(want, &want, 16), g = strtoull(got, &got, 16);
        if (slot_is_near(&k->slots[s], w, g))
            continue;
        snprintf(line, sizeof line, "%s %llu: slot %d, thread %d: %s: wanted about %llx, got %llx\n",
                 family_name(k->family), (unsigned long long)k->seed, s, t, k->slots[s].text,
                 (unsigned long long)w, (unsigned long long)g);
        compare_tell(c, k->family, line);
        return;
    }
}

/* After the kernel's hash: the hash of the threads' memory, then one a slot. */
static void compare_hashes(Comparison *c, const Kernel *k, const char *want, const char *got)
{
    char line[512];
    int n = 0, first = -1;
    for (int s = 0; s < k->n_slots; s++)
        if (strncmp(want + 18 + 9 * s, got + 18 + 9 * s, 8) != 0) {
            first = first < 0 ? s : first;
            n++;
        }
    snprintf(line, sizeof line, "%s %llu: %d of %d slots differ; first %d: %s\n", family_name(k->family),
             (unsigned long long)k->seed, n, k->n_slots, first,
             first < 0 ? "memory alone" : k->slots[first].text);
    compare_tell(c, k->family, line);
}

static void compare_lines(Comparison *c, char *want, char *got)
{
    char name[32], line[600];
    unsigned long long seed;
    int slot = 0, at = 0;
    Kernel k;
    if (sscanf(want, "%31s %llu%n", name, &seed, &at) < 2)
        return;
    const Family family = family_find(name);
    if (family == N_FAMILIES)
        return;
    if (want[at] == '.')
        slot = (int)strtol(want + at + 1, NULL, 10);
    const char *says = strchr(want + at, ' '),
               *other = strncmp(want, got, (size_t)(says - want)) == 0 ? got + (says - want) : NULL;
    c->n_lines++;
    if (other && strcmp(says, other) == 0 && strncmp(says, " error", 6) != 0)
        return;
    if (!other || strncmp(says, " error", 6) == 0 || strncmp(other, " error", 6) == 0) {
        snprintf(line, sizeof line, "%s %llu: wanted%.100s, got%.300s\n", name, seed, says,
                 other ? other : " no such line");
        c->n_errors++;
        compare_tell(c, family, line);
    } else if (strcmp(says, " skipped") == 0 || strcmp(other, " skipped") == 0) {
        c->n_skipped++;
    } else if (kernel_make(&k, family, seed, NULL) == STATUS_OK) {
        if (strncmp(says, " values", 7) == 0)
            compare_values(c, &k, slot, (char *)says + 7, (char *)other + 7);
        else
            compare_hashes(c, &k, says + 1, other + 1);
        generated_free(&k);
    }
}

/* A file in memory, its lines cut apart. */
typedef struct Lines {
    char *text, **line;
    size_t n, next; /* next: where the next look begins; files mostly have one order */
} Lines;

static bool lines_read(const char *path, Lines *l)
{
    StrBuf all = {0};
    char piece[4096];
    FILE *f = fopen(path, "r");
    *l = (Lines){0};
    if (!f)
        return false;
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;)
        strbuf_append(&all, piece, n);
    fclose(f);
    for (size_t i = 0; i < all.length; i++)
        l->n += all.text[i] == '\n';
    l->text = all.text;
    l->line = calloc(l->n + 1, sizeof *l->line);
    if (all.failed || !l->line)
        return false;
    char *at = all.text;
    for (size_t i = 0; i < l->n; i++) {
        l->line[i] = at;
        at = strchr(at, '\n');
        *at++ = '\0';
    }
    return true;
}

static void lines_free(Lines *l)
{
    free(l->text);
    free(l->line);
}

/* The line that begins with the same family and seed; "" when there is none. */
static char *lines_find(Lines *l, const char *want)
{
    static char none[1];
    const char *family_end = strchr(want, ' '), *end = family_end ? strchr(family_end + 1, ' ') : NULL;
    for (size_t i = 0; end && i < l->n; i++) {
        char *line = l->line[(l->next + i) % l->n];
        if (strncmp(line, want, (size_t)(end + 1 - want)) != 0)
            continue;
        l->next = (l->next + i + 1) % l->n;
        return line;
    }
    return none;
}

int compare_files(const char *wanted, const char *got, int limit, StrBuf *text, Diag *diag)
{
    Comparison c = {.text = text, .limit = limit};
    Lines w, g = {0};
    const bool read = lines_read(wanted, &w) && lines_read(got, &g);
    for (size_t i = 0; read && i < w.n; i++)
        compare_lines(&c, w.line[i], lines_find(&g, w.line[i]));
    lines_free(&w);
    lines_free(&g);
    if (!read)
        return diag_set(diag, STATUS_IO, "cannot read %s or %s", wanted, got), -1;
    for (int f = 0; f < N_FAMILIES; f++)
        if (c.by_family[f])
            strbuf_printf(text, "%s: %d differ\n", family_name((Family)f), c.by_family[f]);
    strbuf_printf(text, "%d answers compared, %d differ (%d of them errors), %d skipped\n", c.n_lines,
                  c.n_differ, c.n_errors, c.n_skipped);
    return c.n_lines == 0 ? diag_set(diag, STATUS_INVALID, "%s has no answers", wanted), -1 : c.n_differ;
}
