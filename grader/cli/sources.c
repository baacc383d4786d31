/* What was handed in, for pages that show it: read from the class's folder as it lies there, never run. */
#include "grader/build/intake.h"
#include "grader/build/slips.h"
#include "grader/cli/sources.h"
#include "grader/core/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Lab *find_lab(Sources *x, const char *name)
{
    for (size_t i = 0; i < x->n_labs; i++)
        if (strcmp(x->labs[i]->lab, name) == 0)
            return x->labs[i];
    const char *dir = arena_printf(x->arena, "%s/labs/%s", x->kit.root, name);
    if (!dir || !VEC_GROW(x->labs, x->n_labs, x->cap_labs) ||
        lab_load(dir, NULL, &x->labs[x->n_labs], NULL) != STATUS_OK)
        return NULL;
    return x->labs[x->n_labs++];
}

static Status read_files(Arena *a, const Lab *lab, const char *folder, ReportFiles *files, Diag *d)
{
    Slips slips = {.taken = "", .found = ""};
    ReportFile *list = ARENA_NEW_ARRAY(a, ReportFile, lab->n_files + 1);
    if (!list)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for what was handed in");
    int dir = slips_open(a, lab, folder, &slips);
    for (size_t i = 0; dir >= 0 && i < lab->n_files; i++) {
        const char *name = slips_file(a, dir, lab->files[i], &slips);
        char *bytes;
        size_t length;
        if (name &&
            file_read_untrusted(a, dir, name, INTAKE_FILE_BYTES_MAX, &bytes, &length, NULL) == STATUS_OK)
            list[files->n++] = (ReportFile){lab->files[i], bytes, length};
    }
    if (dir >= 0)
        close(dir);
    files->files = list;
    return STATUS_OK;
}

static Status find_source(void *context, Arena *a, const Result *r, ReportFiles *files, Diag *d)
{
    Sources *x = context;
    const char *student = x->students ? report_student_id(x->students, r->student) : r->student;
    const Lab *lab = find_lab(x, r->lab);
    const char *folder = arena_printf(a, "%s/%s/%s", x->submissions, student, r->lab);
    *files = (ReportFiles){0};
    if (!lab || !folder || r->verdict == VERDICT_NOT_SUBMITTED)
        return STATUS_OK;
    Intake intake;
    Status s = read_files(a, lab, folder, files, d);
    if (s == STATUS_OK && files->n)
        s = intake_take(a, lab, folder, NULL, &intake, d);
    if (s == STATUS_OK && files->n)
        files->changed = strcmp(intake.sha256, r->submission_sha256) != 0;
    return s;
}

Status sources_open(Arena *a, const char *submissions, const ReportClass *c, Sources *x, Diag *d)
{
    *x = (Sources){.arena = a, .submissions = submissions, .students = c, .finder = {find_source, x}};
    Status s = kit_find(a, &x->kit, d);
    if (s == STATUS_OK && access(submissions, R_OK | X_OK) != 0)
        s = diag_set(d, STATUS_NOT_FOUND, "--submissions: there is no folder %s that can be read",
                     submissions);
    return s;
}

void sources_close(Sources *x)
{
    for (size_t i = 0; i < x->n_labs; i++)
        lab_free(x->labs[i]);
    free(x->labs);
}
