/* review_page: the pages of `grade review`: a class, a submission with forms beside its source, and one case
 * across the class. They are whole without scripts; REVIEW_JS adds keys, and the click on a line's number.
 */
#ifndef GRADER_REPORT_REVIEW_PAGE_H
#define GRADER_REPORT_REVIEW_PAGE_H

#include "grader/report/source.h"

/* One submission's page. Students stand under the class's names for them, which may be made up. */
typedef struct ReviewPage {
    const ReportClass *c;
    const char *student, *lab;
    const ReportFiles *files;
    const GradebookChange *changes; /* of the student in the lab, that still hold */
    size_t n_changes;
    const GradebookChange *rubric; /* the lab's items */
    size_t n_rubric;
    const char *said; /* what became of the last form; NULL */
    bool bad;         /* it was refused */
} ReviewPage;

extern const char REVIEW_JS[];
void review_put_index(StrBuf *out, const ReportClass *c);
void review_put_submission(StrBuf *out, const ReviewPage *page);
/* What became of a case, or with case NULL of the lab, student by student. */
void review_put_case(StrBuf *out, const ReportClass *c, const char *lab, const char *name);
/* A page that says one thing: a refusal. */
void review_put_message(StrBuf *out, const char *heading, const char *text, const char *link);
/* "/s?student=...&lab=...", as a URL that is not yet escaped for HTML. */
void review_put_url(StrBuf *out, const char *student, const char *lab);

#endif
