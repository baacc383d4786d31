/* The gradebook's log, receipts and attempts; see gradebook.h. */
#include "grader/db/gradebook.h"
#include "grader/db/gradebook_internal.h"
#include "grader/db/sql.h"

#include <string.h>

static const struct {
    const char *word, *meaning;
} kinds[] = {
#define CHANGE(NAME, word, meaning) {word, meaning},
#include "grader/db/changes.def"
#undef CHANGE
};

const char *change_word(ChangeKind kind)
{
    return kinds[kind].word;
}

const char *change_meaning(ChangeKind kind)
{
    return kinds[kind].meaning;
}

/* The log --------------------------------------------------------------------------------------------- */

typedef struct ChangeList {
    Arena *arena;
    GradebookChange *items; /* malloc'd */
    size_t n, cap;
} ChangeList;

static Status read_change(sqlite3_stmt *s, void *context, Diag *d)
{
    ChangeList *list = context;
    Arena *a = list->arena;
    const char *word = sql_text(s, 3);
    if (!VEC_GROW(list->items, list->n, list->cap))
        return sql_no_memory(d);
    GradebookChange *c = &list->items[list->n];
    *c = (GradebookChange){.id = sqlite3_column_int64(s, 0),
                           .at = sqlite3_column_int64(s, 1),
                           .who = sql_keep(a, s, 2),
                           .kind = CHANGE_N,
                           .student = sql_keep(a, s, 4),
                           .lab = sql_keep(a, s, 5),
                           .value = sqlite3_column_double(s, 6),
                           .text = sql_keep(a, s, 7),
                           .why = sql_keep(a, s, 8)};
    for (int i = 0; i < CHANGE_N; i++)
        if (strcmp(kinds[i].word, word) == 0)
            c->kind = (ChangeKind)i;
    if (!c->who || !c->student || !c->lab || !c->text || !c->why)
        return sql_no_memory(d);
    if (c->kind == CHANGE_N)
        return diag_set(d, STATUS_PARSE, "gradebook: no kind of change: %s", word);
    list->n++;
    return STATUS_OK;
}

/* Marks what later lines withdraw; a withdrawal can be withdrawn, too. */
static void mark_withdrawn(GradebookChange *items, size_t n)
{
    for (size_t i = n; i-- > 0;)
        for (size_t j = 0; items[i].kind == CHANGE_WITHDRAW && !items[i].withdrawn && j < i; j++)
            if ((double)items[j].id == items[i].value)
                items[j].withdrawn = true;
}

Status gradebook_changes(Gradebook *g, Arena *a, GradebookChange **changes, size_t *n, Diag *d)
{
    ChangeList list = {.arena = a};
    *changes = NULL;
    *n = 0;
    Status status =
        sql_each_row(g->db, read_change, &list, d,
                     "SELECT id, at, who, kind, student, lab, value, text, why FROM changes ORDER BY id", "");
    GradebookChange *items = VEC_KEEP(a, list.items, list.n);
    if (status == STATUS_OK && !items)
        status = sql_no_memory(d);
    if (status != STATUS_OK)
        return status;
    mark_withdrawn(items, list.n);
    *changes = items;
    *n = list.n;
    return STATUS_OK;
}

/* Whether the change that is to be withdrawn is there and stands. */
static Status check_withdrawal(Gradebook *g, const GradebookChange *c, Diag *d)
{
    Arena a = {0};
    GradebookChange *log;
    size_t n;
    Status s = gradebook_changes(g, &a, &log, &n, d);
    bool found = false;
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        found = found || ((double)log[i].id == c->value && !log[i].withdrawn);
    arena_free(&a);
    if (s == STATUS_OK && !found)
        s = diag_set(d, STATUS_NOT_FOUND, "the log has no change %.0f that still holds", c->value);
    return s;
}

static Status add_change(Gradebook *g, GradebookChange *c, Diag *d)
{
    Status s = c->kind == CHANGE_WITHDRAW ? check_withdrawal(g, c, d) : STATUS_OK;
    if (s == STATUS_OK)
        s = sql_run(g->db, d,
                    "INSERT INTO changes (at, who, kind, student, lab, value, text, why)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    "itttt"
                    "dtt",
                    c->at, c->who, kinds[c->kind].word, c->student, c->lab, c->value, c->text, c->why);
    if (s == STATUS_OK)
        c->id = sqlite3_last_insert_rowid(g->db);
    return s;
}

Status gradebook_change(Gradebook *g, GradebookChange *changes, size_t n, Diag *d)
{
    Status s = sql_run(g->db, d, "BEGIN IMMEDIATE", "");
    if (s != STATUS_OK)
        return s;
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        s = add_change(g, &changes[i], d);
    if (s == STATUS_OK)
        s = sql_run(g->db, d, "COMMIT", "");
    if (s != STATUS_OK)
        sql_run(g->db, NULL, "ROLLBACK", "");
    return s;
}

Status gradebook_knows(Gradebook *g, const char *student, const char *lab, bool *known, Diag *d)
{
    *known = false;
    return sql_each_row(g->db, sql_is_there, known, d,
                        "SELECT 1 FROM latest WHERE (student = ? OR ? = '') AND (lab = ? OR ? = '') LIMIT 1",
                        "tttt", student, student, lab, lab);
}

/* Attempts ---------------------------------------------------------------------------------------------- */

typedef struct AttemptList {
    Arena *arena;
    GradebookAttempt *items; /* malloc'd */
    size_t n, cap;
} AttemptList;

static Status read_attempt(sqlite3_stmt *s, void *context, Diag *d)
{
    AttemptList *list = context;
    if (!VEC_GROW(list->items, list->n, list->cap))
        return sql_no_memory(d);
    GradebookAttempt *t = &list->items[list->n];
    *t = (GradebookAttempt){.student = sql_keep(list->arena, s, 0),
                            .lab = sql_keep(list->arena, s, 1),
                            .result = sqlite3_column_int64(s, 2),
                            .score = sqlite3_column_double(s, 4),
                            .max_score = sqlite3_column_double(s, 5),
                            .has_time = sqlite3_column_type(s, 6) != SQLITE_NULL,
                            .received_at = sqlite3_column_int64(s, 6),
                            .late = sqlite3_column_int(s, 7) != 0};
    if (!t->student || !t->lab)
        return sql_no_memory(d);
    if (!verdict_from_word(sql_text(s, 3), &t->verdict))
        return diag_set(d, STATUS_PARSE, "gradebook: no verdict: %s", sql_text(s, 3));
    list->n++;
    return STATUS_OK;
}

Status gradebook_attempts(Gradebook *g, Arena *a, GradebookAttempt **attempts, size_t *n, Diag *d)
{
    AttemptList list = {.arena = a};
    *attempts = NULL;
    *n = 0;
    Status status =
        sql_each_row(g->db, read_attempt, &list, d,
                     "SELECT student, lab, result, verdict, score, max_score, received_at, late FROM attempts"
                     " ORDER BY student, lab, result",
                     "");
    GradebookAttempt *items = VEC_KEEP(a, list.items, list.n);
    if (status == STATUS_OK && !items)
        status = sql_no_memory(d);
    if (status == STATUS_OK) {
        *attempts = items;
        *n = list.n;
    }
    return status;
}

Status gradebook_receive(Gradebook *g, const char *student, const char *lab, const char *sha256,
                         bool has_time, int64_t received_at, bool late, Diag *d)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO receipts (submission, late, received_at)"
        " SELECT id, ?, ? FROM submissions WHERE student = ? AND lab = ? AND sha256 = ?";
    return has_time
               ? sql_run(g->db, d, sql, "iittt", (int64_t)late, received_at, student, lab, sha256)
               : sql_run(g->db, d,
                         "INSERT OR REPLACE INTO receipts (submission, late, received_at)"
                         " SELECT id, ?, NULL FROM submissions WHERE student = ? AND lab = ? AND sha256 = ?",
                         "ittt", (int64_t)late, student, lab, sha256);
}
