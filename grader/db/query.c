/* Reading the gradebook; see gradebook.h. */
#include "grader/db/gradebook.h"
#include "grader/db/gradebook_internal.h"
#include "grader/db/sql.h"

#include <stdlib.h>
#include <string.h>

static const char *query_keep(Arena *a, sqlite3_stmt *s, int column)
{
    const char *text = sql_text(s, column);
    return arena_strndup(a, text, strlen(text));
}

static Status read_row(Arena *a, sqlite3_stmt *s, GradebookRow *row, Diag *d)
{
    *row = (GradebookRow){
        .student = query_keep(a, s, 0),
        .lab = query_keep(a, s, 1),
        .score = sqlite3_column_double(s, 3),
        .max_score = sqlite3_column_double(s, 4),
        .submission_sha256 = query_keep(a, s, 5),
        .weak_sandbox = sqlite3_column_int(s, 6) != 0,
        .kit_version = query_keep(a, s, 7),
        .seed = strtoull(sql_text(s, 8), NULL, 10),
    };
    if (!row->student || !row->lab || !row->submission_sha256 || !row->kit_version)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the gradebook");
    if (!verdict_from_word(sql_text(s, 2), &row->verdict))
        return diag_set(d, STATUS_PARSE, "gradebook: no verdict: %s", sql_text(s, 2));
    return STATUS_OK;
}

Status gradebook_latest(Gradebook *g, Arena *a, GradebookRow **rows, size_t *n, Diag *d)
{
    sqlite3_stmt *s;
    GradebookRow *list = NULL;
    size_t cap = 0;
    *n = 0;
    *rows = NULL;
    Status status =
        sql_prepare(g->db, &s, d,
                    "SELECT l.student, l.lab, l.verdict, l.score, l.max_score, l.sha256, l.weak_sandbox,"
                    " runs.kit_version, runs.seed FROM latest l JOIN results r ON r.id = l.result"
                    " JOIN runs ON runs.id = r.run ORDER BY l.student, l.lab",
                    "");
    if (status != STATUS_OK)
        return status;
    int got = SQLITE_DONE;
    while (status == STATUS_OK && (got = sqlite3_step(s)) == SQLITE_ROW) {
        status = VEC_GROW(list, *n, cap) ? read_row(a, s, &list[*n], d)
                                         : diag_set(d, STATUS_NO_MEMORY, "no memory to read the gradebook");
        *n += status == STATUS_OK;
    }
    if (status == STATUS_OK && got != SQLITE_DONE)
        status = sql_fail(g->db, "cannot read", d);
    sqlite3_finalize(s);
    *rows = ARENA_NEW_ARRAY(a, GradebookRow, *n + 1);
    if (*rows && *n)
        memcpy(*rows, list, *n * sizeof *list);
    free(list);
    return *rows || status != STATUS_OK ? status
                                        : diag_set(d, STATUS_NO_MEMORY, "no memory to read the gradebook");
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
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the gradebook");
    sqlite3_stmt *s;
    Status status = sql_prepare(g->db, &s, d,
                                "SELECT 1 FROM latest l JOIN results r ON r.id = l.result"
                                " WHERE l.student = ? AND l.lab = ? AND r.json = ?",
                                "ttt", r->student, r->lab, text);
    if (status == STATUS_OK) {
        int got = sqlite3_step(s);
        *holds = got == SQLITE_ROW;
        if (got != SQLITE_ROW && got != SQLITE_DONE)
            status = sql_fail(g->db, "cannot read", d);
    }
    sqlite3_finalize(s);
    free(text);
    return status;
}
