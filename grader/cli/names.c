/* Names that options give, held against those that are known. */
#include "common/base/nearest.h"
#include "grader/cli/cli.h"
#include "grader/core/files.h"

#include <string.h>

enum { LISTED_MAX = 6 };

void cli_hint_nearest(Diag *d, const char *word, const char *const *names, size_t n, const char *otherwise)
{
    const char *near = nearest_name(word, names, n);
    if (near)
        diag_hint(d, "the nearest is %s", near);
    else if (otherwise)
        diag_hint(d, "%s", otherwise);
}

/* "there are s001, s002, s003": the first of them, for a hint. */
static const char *list_some(Arena *a, const KnownNames *known)
{
    const char *text = known->n ? "there are " : "there are none";
    for (size_t i = 0; text && i < known->n && i < LISTED_MAX; i++)
        text = arena_printf(a, "%s%s%s", text, i ? ", " : "", known->names[i]);
    if (text && known->n > LISTED_MAX)
        text = arena_printf(a, "%s and %zu more", text, known->n - LISTED_MAX);
    return text;
}

Status cli_choose(Arena *a, const KnownNames *known, const char *text, const char ***chosen, Diag *d)
{
    size_t n = 0;
    *chosen = NULL;
    if (!text)
        return STATUS_OK;
    *chosen = cli_split(a, text, &n);
    if (!*chosen)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (n == 0) {
        diag_set(d, STATUS_INVALID, "--%s names no %s", known->option, known->what);
        diag_hint(d, "names, separated by commas; leave the option out for all");
        return STATUS_INVALID;
    }
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < known->n && strcmp(known->names[k], (*chosen)[i]) != 0)
            k++;
        if (k < known->n)
            continue;
        diag_set(d, STATUS_NOT_FOUND, "--%s: there is no %s %s in %s", known->option, known->what,
                 (*chosen)[i], known->place);
        cli_hint_nearest(d, (*chosen)[i], known->names, known->n, list_some(a, known));
        return STATUS_NOT_FOUND;
    }
    return STATUS_OK;
}

static bool add_once(const char **names, size_t *n, const char *name)
{
    size_t at = *n;
    while (at > 0 && strcmp(names[at - 1], name) > 0)
        at--;
    if (at > 0 && strcmp(names[at - 1], name) == 0)
        return false;
    memmove(&names[at + 1], &names[at], (*n - at) * sizeof *names);
    names[at] = name;
    (*n)++;
    return true;
}

Status cli_book_names(Arena *a, Gradebook *book, const Roster *roster, BookNames *names, Diag *d)
{
    GradebookRow *rows;
    size_t n = 0;
    *names = (BookNames){0};
    Status s = gradebook_latest(book, a, &rows, &n, d);
    names->students = ARENA_NEW_ARRAY(a, const char *, n + roster->n + 1);
    names->labs = ARENA_NEW_ARRAY(a, const char *, n + 1);
    if (s == STATUS_OK && (!names->students || !names->labs))
        s = diag_set(d, STATUS_NO_MEMORY, "no memory");
    for (size_t i = 0; s == STATUS_OK && i < n; i++) { /* sorted by student: found at the end */
        add_once(names->students, &names->n_students, rows[i].student);
        add_once(names->labs, &names->n_labs, rows[i].lab);
    }
    for (size_t i = 0; s == STATUS_OK && i < roster->n; i++)
        add_once(names->students, &names->n_students, roster->rows[i].cells[ROSTER_STUDENT]);
    return s;
}

Status cli_choose_in_book(Arena *a, const Options *o, Gradebook *book, const Roster *roster,
                          const char ***students, const char ***labs, Diag *d)
{
    BookNames names;
    Status s = cli_book_names(a, book, roster, &names, d);
    KnownNames known = {"students", "student", "the gradebook", names.students, names.n_students};
    if (s == STATUS_OK)
        s = cli_choose(a, &known, o->students, students, d);
    known = (KnownNames){"labs", "lab", "the gradebook", names.labs, names.n_labs};
    return s == STATUS_OK ? cli_choose(a, &known, o->labs, labs, d) : s;
}

Status cli_choose_kit_labs(Arena *a, const Kit *kit, const char *text, const char ***labs, Diag *d)
{
    KnownNames known = {"labs", "lab", "the kit", NULL, 0};
    const char **names = NULL, *dir = arena_printf(a, "%s/labs", kit->root);
    Status s = dir ? dir_list(a, dir, &names, &known.n, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
    known.names = names;
    return s == STATUS_OK ? cli_choose(a, &known, text, labs, d) : s;
}
