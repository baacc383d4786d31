/* Students' ids that are one id to a person: see archive.h. */
#include "grader/archive/archive.h"

#include "grader/core/files.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

typedef struct FoldedId {
    char *folded; /* malloc'd; NULL without memory */
    const char *id;
} FoldedId;

/* What two ids share that differ by case, by a normal form or by the width of a character only: NFKC_Casefold
 * of the Unicode Standard, 3.13. */
static char *fold(const char *id)
{
    return (char *)utf8proc_NFKC_Casefold((const utf8proc_uint8_t *)id);
}

static int compare_folded(const void *a, const void *b)
{
    const FoldedId *x = a, *y = b;
    int order = strcmp(x->folded, y->folded);
    return order ? order : strcmp(x->id, y->id);
}

static Status refuse_pair(const char *one, const char *other, Diag *d)
{
    diag_set(d, STATUS_INVALID,
             "'%s' (%zu bytes) and '%s' (%zu bytes) differ by case or by the form of characters only", one,
             strlen(one), other, strlen(other));
    diag_hint(d, "they are one student to a person: rename one of the two, or put their folders together");
    return STATUS_INVALID;
}

Status handin_refuse_twins(const char *const *students, size_t n, Diag *d)
{
    FoldedId *ids = calloc(n + 1, sizeof *ids);
    Status s = ids ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for the students");
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        ids[i] = (FoldedId){fold(students[i]), students[i]};
        if (!ids[i].folded)
            s = diag_set(d, STATUS_NO_MEMORY, "no memory for the students");
    }
    if (s == STATUS_OK && n)
        qsort(ids, n, sizeof *ids, compare_folded);
    for (size_t i = 1; s == STATUS_OK && i < n; i++)
        if (strcmp(ids[i - 1].folded, ids[i].folded) == 0 && strcmp(ids[i - 1].id, ids[i].id) != 0)
            s = refuse_pair(ids[i - 1].id, ids[i].id, d);
    for (size_t i = 0; ids && i < n; i++)
        free(ids[i].folded);
    free(ids);
    return s;
}

Status handin_refuse_twin_in(const char *out_dir, const char *student, Diag *d)
{
    Arena a = {0};
    const char **names;
    size_t n = 0;
    Status s = dir_list(&a, out_dir, &names, &n, d);
    char *folded = fold(student);
    if (s == STATUS_NOT_FOUND) { /* the first one makes it */
        s = STATUS_OK;
        n = 0;
    }
    if (s == STATUS_OK && !folded)
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for the students");
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        char *other =
            handin_student_is_fit(names[i]) && strcmp(names[i], student) != 0 ? fold(names[i]) : NULL;
        if (other && strcmp(other, folded) == 0)
            s = refuse_pair(student, names[i], d);
        free(other);
    }
    free(folded);
    arena_free(&a);
    return s;
}
