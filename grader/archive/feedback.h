/* feedback: pages for a class, under the names by which a system's upload of many files finds their students.
 *
 *     canvas   NAME_USER_UPLOAD_feedback.html    as Canvas names a file of the submission: user and upload
 * are the numbers of the download, which must be at hand moodle
 * NAME_PARTICIPANT_assignsubmission_file/feedback.html
 */
#ifndef GRADER_ARCHIVE_FEEDBACK_H
#define GRADER_ARCHIVE_FEEDBACK_H

#include "grader/archive/download.h"

typedef struct FeedbackPage {
    const char *student, *html;
    size_t length;
    const char *path; /* set by the functions below; NULL: the student has no place there */
} FeedbackPage;

/* The first upload of each student in a download of Canvas's (folder or archive). A student is who the roster
 * says, else the number. */
Status feedback_name_canvas(Arena *a, const char *download, const Roster *roster, FeedbackPage *pages,
                            size_t n, Diag *d);
/* By the participants' numbers and names of the roster; a student whose id is the number needs none. */
Status feedback_name_moodle(Arena *a, const Roster *roster, FeedbackPage *pages, size_t n, Diag *d);
/* Writes the pages that have a path as a zip, the same bytes for the same pages. */
Status feedback_write_zip(const char *path, const FeedbackPage *pages, size_t n, Diag *d);

#endif
