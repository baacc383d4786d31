/* Reading the gradebook; see gradebook.h. */
#include "grader/db/gradebook.h"
#include "grader/db/gradebook_internal.h"
#include "grader/db/sql.h"

#include <stdlib.h>
#include <string.h>

typedef struct RowList {
    Arena *arena;
    GradebookRow *items; /* malloc'd */
    size_t n, cap;
} RowList;

static Status read_row(sqlite3_stmt *s, void *context, Diag *d)
{
    RowList *list = context;
    Arena *a = list->arena;
    if (!VEC_GROW(list->items, list->n, list->cap))
        return sql_no_memory(d);
    GradebookRow *row = &list->items[list->n];
    *row = (GradebookRow){
        .student = sql_keep(a, s, 0),
        .lab = sql_keep(a, s, 1),
        .score = sqlite3_column_double(s, 3),
        .max_score = sqlite3_column_double(s, 4),
        .submission_sha256 = sql_keep(a, s, 5),
        .weak_sandbox = sqlite3_column_int(s, 6) != 0,
        .kit_version = sql_keep(a, s, 7),
        .seed = strtoull(sql_text(s, 8), NULL, 10),
    };
    if (!row->student || !row->lab || !row->submission_sha256 || !row->kit_version)
        return sql_no_memory(d);
    if (!verdict_from_word(sql_text(s, 2), &row->verdict))
        return diag_set(d, STATUS_PARSE, "gradebook: no verdict: %s", sql_text(s, 2));
    list->n++;
    return STATUS_OK;
}

Status gradebook_latest(Gradebook *g, Arena *a, GradebookRow **rows, size_t *n, Diag *d)
{
    RowList list = {.arena = a};
    Status status =
        sql_each_row(g->db, read_row, &list, d,
                     "SELECT l.student, l.lab, l.verdict, l.score, l.max_score, l.sha256, l.weak_sandbox,"
                     " runs.kit_version, runs.seed FROM latest l JOIN results r ON r.id = l.result"
                     " JOIN runs ON runs.id = r.run ORDER BY l.student, l.lab",
                     "");
    *rows = VEC_KEEP(a, list.items, list.n);
    *n = *rows ? list.n : 0;
    return *rows || status != STATUS_OK ? status : sql_no_memory(d);
}

/* The result in the first column of s's row, which it finishes; the names are for messages. */
static Status read_result(Gradebook *g, sqlite3_stmt *s, const char *student, const char *lab, Result **r,
                          Diag *d)
{
    Status status;
    int got = sqlite3_step(s);
    if (got == SQLITE_ROW) {
        json_error_t error;
        json_t *json = json_loads(sql_text(s, 0), JSON_REJECT_DUPLICATES, &error);
        status = json ? result_from_json(json, r, d)
                      : diag_set(d, STATUS_PARSE, "gradebook: a result is not JSON: %s", error.text);
        json_decref(json);
    } else {
        status = got == SQLITE_DONE
                     ? diag_set(d, STATUS_NOT_FOUND, "the gradebook has no result of %s in %s", student, lab)
                     : sql_fail(g->db, "cannot read", d);
    }
    sqlite3_finalize(s);
    return status;
}

Status gradebook_result_by_id(Gradebook *g, int64_t result, Result **r, Diag *d)
{
    *r = NULL;
    sqlite3_stmt *s;
    Status status = sql_prepare(g->db, &s, d, "SELECT json FROM results WHERE id = ?", "i", result);
    return status != STATUS_OK ? status : read_result(g, s, "somebody", "some lab", r, d);
}

Status gradebook_result(Gradebook *g, const char *student, const char *lab, Result **r, Diag *d)
{
    *r = NULL;
    sqlite3_stmt *s;
    Status status = sql_prepare(g->db, &s, d,
                                "SELECT r.json FROM latest l JOIN results r ON r.id = l.result"
                                " WHERE l.student = ? AND l.lab = ?",
                                "tt", student, lab);
    return status != STATUS_OK ? status : read_result(g, s, student, lab, r, d);
}

Status gradebook_holds(Gradebook *g, const Result *r, bool *holds, Diag *d)
{
    *holds = false;
    json_t *json = result_to_json(r);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (!text)
        return sql_no_memory(d);
    Status status = sql_each_row(g->db, sql_is_there, holds, d,
                                 "SELECT 1 FROM latest l JOIN results r ON r.id = l.result"
                                 " WHERE l.student = ? AND l.lab = ? AND r.json = ?",
                                 "ttt", r->student, r->lab, text);
    free(text);
    return status;
}
