/* submission: the wrong and the unusual submissions of a lab, as whole sources.
 *
 * solutions/NN-name/broken and accepted hold them: a file stands for the first of the lab's files, a folder
 * has some of them. Each file is the whole source, or an edit of the solution (edit.h), whose name has
 * EDIT_SUFFIX behind the source's.
 */
#ifndef COMMON_STARTERS_SUBMISSION_H
#define COMMON_STARTERS_SUBMISSION_H

#include "common/base/status.h"
#include "common/base/strbuf.h"
#include "common/starters/labfile.h"

enum { SUBMISSION_PATH_MAX = 512 };

typedef struct SubmissionLab {
    const LabFile *lab;
    char solution_dir[SUBMISSION_PATH_MAX]; /* solutions/NN-name */
} SubmissionLab;

/* Finds the solutions beside a folder of labs/. STATUS_NOT_FOUND when they are not here. */
Status submission_open(const char *lab_dir, const LabFile *lab, SubmissionLab *s, Diag *diag);

/* Appends the whole source of a submission: `kind` is broken or accepted, `name` as no-guard, no-guard.cu or
 * half-mended/smooth.cu. */
Status submission_read(const SubmissionLab *s, const char *kind, const char *name, StrBuf *whole, Diag *diag);

/* Writes all of both kinds as whole sources to TO/broken and TO/accepted. What cannot be made is told as a
 * line in *report, counted in *n_faults, and left out. */
Status submission_write_all(const SubmissionLab *s, const char *to, StrBuf *report, size_t *n_faults,
                            Diag *diag);

/* Appends the edit that makes the file at `path` of the solution: of the lab's file of that name, else of its
 * first one. */
Status submission_make_edit(const SubmissionLab *s, const char *path, StrBuf *edit, Diag *diag);

#endif
