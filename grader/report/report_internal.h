/* What the files of the report module share. */
#ifndef GRADER_REPORT_REPORT_INTERNAL_H
#define GRADER_REPORT_REPORT_INTERNAL_H

#include "grader/report/report.h"
#include "grader/report/source.h"

/* How a verdict is coloured; its word always stands beside the colour. */
typedef enum Tone { TONE_GOOD, TONE_WARN, TONE_BAD, TONE_PERSON, TONE_NONE } Tone;
Tone report_tone(Verdict v);
/* A word of ours in its tone's colour, plain where the style has none. */
void report_paint(StrBuf *out, ReportStyle style, Tone tone, const char *text);

/* Points: at most two decimals, no zeros at the end. */
void report_points(StrBuf *out, double points);
/* "35/100" */
void report_score(StrBuf *out, double score, double max_score);
/* "Score: 17/20", or that it is ungraded; a line. */
void report_score_line(StrBuf *out, const Result *r, ReportStyle style);

/* The notes of a grade, an escaped line each with `before` in front. */
void report_put_notes(StrBuf *out, const Grade *g, bool student_view, const char *before);

/* The points that count: "35/100", "0/100" for nothing handed in; or "ungraded". */
void report_counting(StrBuf *out, GradeThatCounts counting, double max_score);

/* Mean, median and extremes of a lab's points that count. */
typedef struct LabStatistics {
    size_t n_results, n_submitted, n_passed, n_person, n_ungraded;
    double mean, median, least, most, max_score;
    size_t verdicts[VERDICT_N];
} LabStatistics;
LabStatistics report_lab_statistics(const ReportClass *c, const char *lab);

/* Whether a case's message begins with the meaning of its verdict. */
bool report_tells_meaning(const CaseResult *c, Language language);

/* Whether a finding's text already stands in the case's message. */
bool report_finding_is_told(const CaseResult *c, const Finding *f);

/* Whether `make show CASE=NAME` films what a case says: a public one that fell short, with a finding in a kernel. Its name is then one word of a
 * shell and text in every format. */
bool report_has_film(const CaseResult *c);

/* A made-up name for each student of the class, in their order. NULL without memory. */
const char **report_made_up_names(Arena *a, const ReportClass *c);

/* What most of those who failed got; VERDICT_PASS when nobody failed. */
Verdict report_usual_failure(const size_t verdicts[VERDICT_N]);
/* The cases of a lab are those that its longest result lists. NULL: the lab has no result. */
const Result *report_longest_result(const ReportClass *c, const char *lab);

/* HTML: the style sheet; the page's beginning and end; text; a verdict's badge. home is the way back to the
 * index, NULL on the index itself. */
extern const char REPORT_CSS[];
/* The index's script, and the part of the policy that lets it run. */
extern const char REPORT_JS[];
void html_script_source(StrBuf *out);
void html_begin(StrBuf *out, const char *title, const char *heading, const char *home);
void html_end(StrBuf *out);
void html_text(StrBuf *out, const char *text);
/* A box that scrolls what is too wide, by the keyboard too: it needs a name that no other of the page has,
 * "WHAT OF" or "WHAT". The caller closes the div. */
void html_scroll(StrBuf *out, const char *what, const char *of);
void html_badge(StrBuf *out, Verdict v);
/* Writes the two kinds of page. A student's page is made from the student's view of a result. */
/* The modelled timeline of a case, as a picture and a table; nothing where it has none. */
void html_timeline(StrBuf *out, const CaseResult *c);
/* A lab's leaderboard, as a part of a page. */
void html_leaderboard(StrBuf *out, const char *lab, const ReportRank *ranks, size_t n, bool names);
/* Each lab's figures, as a part of the index. */
void html_labs(StrBuf *out, const ReportClass *c);
void html_index(StrBuf *out, const ReportClass *c, const char *title, bool similar);
/* Writes a page whole or not at all, and frees it. */
Status html_write(const char *path, StrBuf *page, Diag *d);
/* c: the class, for the ways to other submissions; NULL makes the student's own page, whose result is the
 * student's view. files: what was handed in; NULL where it is not at hand. */
void html_submission(StrBuf *out, const ReportClass *c, const Result *r, const Grade *g,
                     const ReportFiles *files, const char *title);
/* The student before (step -1) or after (1) who has a result in the lab; NULL at an end. */
const char *report_class_neighbour(const ReportClass *c, const char *student, const char *lab, int step);
/* A submission's cases and build log, as parts of a page. */
void html_outcome(StrBuf *out, const Result *r);
/* How the points came to be. */
void html_grade(StrBuf *out, const Result *r, const Grade *g, bool student_view);

/* The writers of formats.def. */
#define FORMAT(name, function, one, meaning) Status function(const ReportClass *c, StrBuf *out, Diag *d);
#include "grader/report/formats.def"
#undef FORMAT

/* What the hint says beyond the message: a finding's text ends in its own hint, which is the hint's first
 * line. */
const char *report_hint_beyond_message(const CaseResult *c);

#endif
