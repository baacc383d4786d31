/* gradebook: see gradebook.h. Reading is in query.c. */
#include "grader/db/gradebook.h"

#include "grader/core/files.h"
#include "grader/db/gradebook_internal.h"
#include "grader/db/sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "CLKb": says whose file this is, and `file` shows it. */
enum { APPLICATION_ID = 0x434C4B62, BUSY_MS = 10000 };

static int64_t pragma_number(sqlite3 *db, const char *pragma)
{
    sqlite3_stmt *s;
    int64_t value = -1;
    if (sqlite3_prepare_v2(db, pragma, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
        value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

/* Makes what the versions after `from` have, in one transaction. */
static Status make_tables(sqlite3 *db, int64_t from, Diag *d)
{
    static const struct {
        int version;
        const char *text;
    } statements[] = {
#define SQL(version, text) {version, text},
#include "grader/db/schema.def"
#undef SQL
    };
    char stamp[64];
    Status s = sql_run(db, d, "BEGIN IMMEDIATE", "");
    if (s == STATUS_OK && pragma_number(db, "PRAGMA user_version") != from)
        return sql_run(db, d, "ROLLBACK", ""); /* another process has just done it */
    for (size_t i = 0; i < sizeof statements / sizeof statements[0] && s == STATUS_OK; i++)
        if (statements[i].version > from)
            s = sql_run(db, d, statements[i].text, "");
    snprintf(stamp, sizeof stamp, "PRAGMA user_version = %d", GRADEBOOK_VERSION);
    if (s == STATUS_OK)
        s = sql_run(db, d, stamp, "");
    snprintf(stamp, sizeof stamp, "PRAGMA application_id = %d", APPLICATION_ID);
    if (s == STATUS_OK)
        s = sql_run(db, d, stamp, "");
    return s == STATUS_OK ? sql_run(db, d, "COMMIT", "") : s;
}

static Status check_version(sqlite3 *db, const char *path, Diag *d)
{
    int64_t version = pragma_number(db, "PRAGMA user_version");
    int64_t tables = pragma_number(db, "SELECT count(*) FROM sqlite_schema");
    if (version < 0 || tables < 0)
        return sql_fail(db, path, d);
    bool ours = pragma_number(db, "PRAGMA application_id") == APPLICATION_ID;
    if ((version == 0 && tables == 0) || (ours && version >= 1 && version < GRADEBOOK_VERSION))
        return make_tables(db, version, d);
    if (version == GRADEBOOK_VERSION && ours)
        return STATUS_OK;
    diag_set(d, STATUS_UNSUPPORTED, "%s is no gradebook of version %d", path, GRADEBOOK_VERSION);
    diag_hint(d, "a later kit made it, or it is something else: use that kit, or another --out");
    return STATUS_UNSUPPORTED;
}

Status gradebook_open(const char *path, Gradebook **out, Diag *d)
{
    *out = NULL;
    Gradebook *g = calloc(1, sizeof *g);
    if (!g)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the gradebook");
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    Status s = STATUS_OK;
    if (sqlite3_open_v2(path, &g->db, flags, NULL) != SQLITE_OK)
        s = sql_fail(g->db, path, d);
    if (s == STATUS_OK) {
        sqlite3_busy_timeout(g->db, BUSY_MS);
        sqlite3_db_config(g->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        s = sql_run(g->db, d, "PRAGMA foreign_keys = ON", "");
    }
    if (s == STATUS_OK)
        s = check_version(g->db, path, d);
    if (s == STATUS_OK)
        *out = g;
    else
        gradebook_close(g);
    return s;
}

void gradebook_close(Gradebook *g)
{
    if (!g)
        return;
    sqlite3_close(g->db);
    free(g);
}

Status gradebook_start_run(Gradebook *g, GradebookRun *run, Diag *d)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    Status s = sql_run(g->db, d,
                       "INSERT INTO runs (kit_version, device_kind, device_name, seed, started_at)"
                       " VALUES (?, ?, ?, ?, ?)",
                       "tttti", run->kit_version, run->device_kind, run->device_name, seed, run->started_at);
    run->id = s == STATUS_OK ? sqlite3_last_insert_rowid(g->db) : 0;
    return s;
}

/* The row of what was handed in, made when missing. */
static Status submission_id(sqlite3 *db, const Result *r, int64_t *id, Diag *d)
{
    Status s = sql_run(db, d, "INSERT OR IGNORE INTO submissions (student, lab, sha256) VALUES (?, ?, ?)",
                       "ttt", r->student, r->lab, r->submission_sha256);
    sqlite3_stmt *find;
    if (s == STATUS_OK)
        s = sql_prepare(db, &find, d,
                        "SELECT id FROM submissions WHERE student = ? AND lab = ? AND sha256 = ?", "ttt",
                        r->student, r->lab, r->submission_sha256);
    if (s != STATUS_OK)
        return s;
    if (sqlite3_step(find) == SQLITE_ROW)
        *id = sqlite3_column_int64(find, 0);
    else
        s = sql_fail(db, "cannot find the submission", d);
    sqlite3_finalize(find);
    return s;
}

static Status save_cases(sqlite3 *db, int64_t result, const Result *r, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; i < r->n_cases && s == STATUS_OK; i++) {
        const CaseResult *c = &r->cases[i];
        s = sql_run(db, d,
                    "INSERT INTO cases (result, position, name, hidden, points, max_points, verdict, message)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    "iitiddtt", result, (int64_t)i, c->name, (int64_t)c->hidden, c->points, c->max_points,
                    verdict_word(c->verdict), c->message);
    }
    return s;
}

static Status save_result(sqlite3 *db, int64_t run, const Result *r, const Timing *timing, const char *json,
                          Diag *d)
{
    int64_t submission = 0;
    bool weak = r->n_sandbox > 0 && strcmp(r->sandbox[0], "weak") == 0;
    Status s = sql_run(db, d,
                       "DELETE FROM results WHERE run = ? AND submission IN"
                       " (SELECT id FROM submissions WHERE student = ? AND lab = ?)",
                       "itt", run, r->student, r->lab);
    if (s == STATUS_OK)
        s = submission_id(db, r, &submission, d);
    if (s == STATUS_OK)
        s = sql_run(
            db, d,
            "INSERT INTO results (run, submission, verdict, score, max_score, weak_sandbox, json, total_s)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            timing ? "iitdditd" : "iitdditn", run, submission, verdict_word(r->verdict), r->score,
            r->max_score, (int64_t)weak, json, timing ? timing->total_s : 0.0);
    return s == STATUS_OK ? save_cases(db, sqlite3_last_insert_rowid(db), r, d) : s;
}

Status gradebook_save(Gradebook *g, int64_t run, const Result *r, const Timing *timing, Diag *d)
{
    json_t *json = result_to_json(r);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (!text)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to save a result");
    Status s = sql_run(g->db, d, "BEGIN IMMEDIATE", "");
    if (s == STATUS_OK) {
        s = save_result(g->db, run, r, timing, text, d);
        if (s == STATUS_OK)
            s = sql_run(g->db, d, "COMMIT", "");
        if (s != STATUS_OK)
            sql_run(g->db, NULL, "ROLLBACK", "");
    }
    free(text);
    return s;
}
