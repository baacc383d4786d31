/* source: what a student handed in, with what there is to say about its lines beside them: what the compiler
 * said, the findings of cases, and comments.
 *
 * A comment whose text begins with "FILE:LINE: " is about that line.
 */
#ifndef GRADER_REPORT_SOURCE_H
#define GRADER_REPORT_SOURCE_H

#include "grader/report/report.h"

enum { SOURCE_LINES_MAX = 20 * 1000, SOURCE_LINE_BYTES_MAX = 2000 };

typedef struct ReportFile {
    const char *name, *text;
    size_t length;
} ReportFile;

typedef struct ReportFiles {
    const ReportFile *files;
    size_t n;
    bool changed; /* they are not what the result is of: something else was handed in since */
} ReportFiles;

/* Finds the files of a submission, if they are there; their texts live as long as the arena. */
typedef struct ReportFinder {
    Status (*find)(void *context, Arena *a, const Result *r, ReportFiles *files, Diag *d);
    void *context;
} ReportFinder;

/* A sentence about a line. */
typedef struct ReportRemark {
    const char *file; /* the arena's */
    int64_t line;
    const char *kind; /* "compiler", a finding's, "comment" */
    const char *text;
    bool bad; /* it cost points, or the build */
} ReportRemark;

/* The place that a text begins with: "vector_add.cu:23: a guard is missing"; *rest is what follows. False
 * where it begins with none. */
bool report_comment_place(Arena *a, const char *text, const char **file, int64_t *line, const char **rest);
/* All remarks about lines of a result that its view has, each once, sorted by file and line. */
bool report_remarks(Arena *a, const Result *r, const Grade *g, bool student_view, ReportRemark **remarks,
                    size_t *n);

/* The files as tables of numbered lines, with the remarks below their lines. Each line has the id
 * "L-FILE-LINE", FILE counted from 1. */
void html_sources(StrBuf *out, const ReportFiles *files, const Result *r, const Grade *g, bool student_view);

#endif
