/* fill: the gradebook file that a system gave, with the class's points in it: the system finds in it the rows
 * and the assignments that it wrote itself, so that every grade arrives. Only the cells of the grades change,
 * and what a comment says; every other byte stays.
 *
 * A row is the student's who has one of its ids in the roster; without a roster the one whose own id it has;
 * without an id the only one of that name. A student without a row, or with two, makes the whole refused: no
 * grade is lost silently. What does not count (grade.h) leaves its cell as it was. Where the system's points
 * for an assignment are others than the lab's, the grades are in its points, and *notes says so.
 */
#ifndef GRADER_REPORT_FILL_H
#define GRADER_REPORT_FILL_H

#include "grader/core/sheet.h"
#include "grader/report/report.h"

typedef struct FillOptions {
    const char *column;   /* the grade's heading; NULL: Grade for Moodle, the lab's name for Canvas */
    const char *comments; /* Moodle: the comment's heading; NULL: Feedback comments, where there is one */
} FillOptions;

/* Canvas's gradebook (Export Entire Gradebook). A lab goes into the assignment of its name, or of the heading
 * that `column` says (one lab); one that Canvas does not have yet becomes a column at the end. EX stays. */
Status report_fill_canvas(const ReportClass *c, const Sheet *sheet, const FillOptions *options, StrBuf *out,
                          StrBuf *notes, Diag *d);
/* Moodle's grading worksheet of an assignment: of one lab. The comment is what the student may read. */
Status report_fill_moodle(const ReportClass *c, const Sheet *sheet, const FillOptions *options, StrBuf *out,
                          StrBuf *notes, Diag *d);

#endif
