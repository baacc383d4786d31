/* The leaderboard: who is right, by the metric of the case that ranks the lab (lab.yaml: leaderboard).
 *
 * On it is whose cases are all right: passed, or slow, which is right too. A wrong result that is fast is
 * worth nothing, and a right one with a race is not right. Students stand there under names made of two
 * words, drawn by a hash of their own name and the run's seed: the same in every list of a run, and nobody's
 * guess without the seed.
 */
#include "grader/report/report_internal.h"

#include "grader/core/sha256.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const first_words[] = {
#define FIRST(word) word,
#define SECOND(word)
#include "grader/report/leaderboard.def"
#undef FIRST
#undef SECOND
};
static const char *const second_words[] = {
#define FIRST(word)
#define SECOND(word) word,
#include "grader/report/leaderboard.def"
#undef FIRST
#undef SECOND
};

enum {
    N_FIRST = sizeof first_words / sizeof *first_words,
    N_SECOND = sizeof second_words / sizeof *second_words,
    N_NAMES = N_FIRST * N_SECOND
};

/* ---- Names ---- */

static size_t alias_number(uint64_t seed, const char *student)
{
    char key[64];
    unsigned char digest[SHA256_BYTES];
    Sha256 hash;
    snprintf(key, sizeof key, "leaderboard %llu ", (unsigned long long)seed);
    sha256_start(&hash);
    sha256_add(&hash, key, strlen(key));
    sha256_add(&hash, student, strlen(student));
    sha256_end(&hash, digest);
    return ((size_t)digest[0] << 16 | (size_t)digest[1] << 8 | digest[2]) % N_NAMES;
}

/* The next free name where two hashes meet, with a number behind it once all names are taken. */
const char **report_made_up_names(Arena *a, const ReportClass *c)
{
    const char **names = ARENA_NEW_ARRAY(a, const char *, c->n_students + 1);
    unsigned *taken = ARENA_NEW_ARRAY(a, unsigned, N_NAMES);
    if (!names || !taken)
        return NULL;
    memset(taken, 0, N_NAMES * sizeof *taken);
    for (size_t i = 0; i < c->n_students; i++) {
        size_t k = alias_number(c->n_results ? c->results[0]->seed : 0, c->students[i]);
        unsigned round = (unsigned)(i / N_NAMES);
        while (taken[k] > round)
            k = (k + 1) % N_NAMES;
        taken[k]++;
        names[i] = round == 0
                       ? arena_printf(a, "%s %s", first_words[k / N_SECOND], second_words[k % N_SECOND])
                       : arena_printf(a, "%s %s %u", first_words[k / N_SECOND], second_words[k % N_SECOND],
                                      round + 1);
        if (!names[i])
            return NULL;
    }
    return names;
}

static const char *name_of(const ReportClass *c, const char *const *names, const char *student)
{
    for (size_t i = 0; i < c->n_students; i++)
        if (strcmp(c->students[i], student) == 0)
            return names[i];
    return "";
}

/* ---- Ranks ---- */

bool report_rank(const Result *r, const CaseResult **ranked, double *value)
{
    *ranked = NULL;
    bool right = r->build_verdict == VERDICT_PASS;
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        right = right && (c->verdict == VERDICT_PASS || c->verdict == VERDICT_SLOW);
        for (size_t j = 0; c->leaderboard && j < c->n_metrics; j++)
            if (strcmp(c->metrics[j].name, c->leaderboard) == 0 && isfinite(c->metrics[j].value)) {
                *ranked = c;
                *value = c->metrics[j].value;
            }
    }
    return right && *ranked;
}

static int compare_ranks(const void *a, const void *b)
{
    const ReportRank *x = a, *y = b;
    double difference = x->ranked->highest_first ? y->value - x->value : x->value - y->value;
    return difference < 0 ? -1 : difference > 0 ? 1 : strcmp(x->name, y->name);
}

Status report_leaderboard(Arena *a, const ReportClass *c, const char *lab, ReportRank **ranks, size_t *n,
                          Diag *d)
{
    *n = 0;
    *ranks = ARENA_NEW_ARRAY(a, ReportRank, c->n_results + 1);
    const char **names = report_made_up_names(a, c);
    if (!*ranks || !names)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a leaderboard");
    for (size_t i = 0; i < c->n_results; i++) {
        ReportRank rank = {.result = c->results[i]};
        if (strcmp(rank.result->lab, lab) != 0 || !report_rank(rank.result, &rank.ranked, &rank.value))
            continue;
        rank.name = name_of(c, names, rank.result->student);
        (*ranks)[(*n)++] = rank;
    }
    if (*n)
        qsort(*ranks, *n, sizeof **ranks, compare_ranks);
    for (size_t i = 0; i < *n; i++) {
        bool tied = i > 0 && (*ranks)[i].value == (*ranks)[i - 1].value;
        (*ranks)[i].place = tied ? (*ranks)[i - 1].place : i + 1;
    }
    return STATUS_OK;
}

/* "step_us of case speed, lowest first", as text that is not yet escaped. */
static const char *measure_of(Arena *a, const CaseResult *c)
{
    const char *metric = strncmp(c->leaderboard, "value.", 6) == 0 ? c->leaderboard + 6 : c->leaderboard;
    const char *text =
        arena_printf(a, "%s of case %s, %s first", metric, c->name, c->highest_first ? "highest" : "lowest");
    return text ? text : "";
}

static const char *device_of(Arena *a, const Result *r)
{
    bool gpu = strcmp(r->device_kind, "gpu") == 0;
    const char *text = arena_printf(a, "%s on %s", gpu ? "measured" : "modelled",
                                    r->device_name && r->device_name[0] ? r->device_name : "the virtual GPU");
    return text ? text : "";
}

/* ---- Showing ---- */

void report_leaderboard_text(StrBuf *out, const char *lab, const ReportRank *ranks, size_t n, bool names)
{
    Arena a = {0};
    report_plain(out, lab, strlen(lab));
    const char *measure = n ? measure_of(&a, ranks[0].ranked) : "nobody is on it yet";
    strbuf_puts(out, ": ");
    report_plain(out, measure, strlen(measure));
    strbuf_puts(out, "\n");
    for (size_t i = 0; i < n; i++) {
        const char *device = device_of(&a, ranks[i].result);
        strbuf_printf(out, "%4zu  %-20s %12.6g  ", ranks[i].place, ranks[i].name, ranks[i].value);
        report_plain(out, device, strlen(device));
        if (names) {
            strbuf_puts(out, "  ");
            report_plain(out, ranks[i].result->student, strlen(ranks[i].result->student));
        }
        strbuf_puts(out, "\n");
    }
    arena_free(&a);
}

static void put_rank(StrBuf *out, const char *device, const ReportRank *rank, bool names)
{
    strbuf_printf(out, "<tr><td class=\"num\">%zu</td><th scope=\"row\">", rank->place);
    html_text(out, rank->name);
    strbuf_puts(out, "</th>");
    if (names) {
        strbuf_puts(out, "<td>");
        html_text(out, rank->result->student);
        strbuf_puts(out, "</td>");
    }
    strbuf_printf(out, "<td class=\"num\">%.6g</td><td>", rank->value);
    html_text(out, device);
    strbuf_puts(out, "</td></tr>\n");
}

void html_leaderboard(StrBuf *out, const char *lab, const ReportRank *ranks, size_t n, bool names)
{
    Arena a = {0};
    strbuf_puts(out, "<h2>");
    html_text(out, lab);
    strbuf_puts(out, "</h2>\n");
    if (n == 0) {
        strbuf_puts(out, "<p>Nobody is on it yet.</p>\n");
        return;
    }
    html_scroll(out, "Leaderboard of", lab);
    strbuf_puts(out, "<table>\n<caption>");
    html_text(out, measure_of(&a, ranks[0].ranked));
    strbuf_printf(
        out,
        ".</caption>\n<thead><tr><th scope=\"col\" class=\"num\">Place</th><th scope=\"col\">Name</th>"
        "%s<th scope=\"col\" class=\"num\">Value</th><th scope=\"col\">Where</th></tr></thead>\n<tbody>\n",
        names ? "<th scope=\"col\">Student</th>" : "");
    for (size_t i = 0; i < n; i++)
        put_rank(out, device_of(&a, ranks[i].result), &ranks[i], names);
    strbuf_puts(out, "</tbody></table></div>\n");
    arena_free(&a);
}

bool report_lab_ranks(const ReportClass *c, const char *lab)
{
    for (size_t i = 0; i < c->n_results; i++)
        for (size_t j = 0; strcmp(c->results[i]->lab, lab) == 0 && j < c->results[i]->n_cases; j++)
            if (c->results[i]->cases[j].leaderboard)
                return true;
    return false;
}

Status report_leaderboard_page(const ReportClass *c, const char *title, bool names, StrBuf *out, Diag *d)
{
    Arena a = {0};
    Status s = STATUS_OK;
    html_begin(out, title, "Leaderboard", NULL);
    strbuf_puts(out, "<p class=\"soft\">Right programs only: every case passed, or is right and slow. "
                     "Names are made up.</p>\n</header>\n<main>\n");
    for (size_t i = 0; s == STATUS_OK && i < c->n_labs; i++) {
        ReportRank *ranks;
        size_t n;
        if (!report_lab_ranks(c, c->labs[i]))
            continue;
        s = report_leaderboard(&a, c, c->labs[i], &ranks, &n, d);
        if (s == STATUS_OK)
            html_leaderboard(out, c->labs[i], ranks, n, names);
    }
    html_end(out);
    arena_free(&a);
    return s == STATUS_OK && out->failed ? diag_set(d, STATUS_NO_MEMORY, "no memory for a leaderboard") : s;
}
