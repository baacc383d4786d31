/* What was handed in, for pages that show it. */
#ifndef GRADER_CLI_SOURCES_H
#define GRADER_CLI_SOURCES_H

#include "grader/cli/cli.h"
#include "grader/report/source.h"

typedef struct Sources {
    Arena *arena;
    Kit kit;
    const char *submissions;
    const ReportClass *students; /* for the ids of students under made-up names; NULL: names are ids */
    Lab **labs;
    size_t n_labs, cap_labs;
    ReportFinder finder; /* of these sources */
} Sources;

/* The sources of a class's folder; x stays where it is until sources_close. */
Status sources_open(Arena *a, const char *submissions, const ReportClass *c, Sources *x, Diag *d);
void sources_close(Sources *x);

#endif
