/* sql: see sql.h. */
#include "grader/db/sql.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

Status sql_fail(sqlite3 *db, const char *what, Diag *d)
{
    int code = db ? sqlite3_errcode(db) & 0xFF : SQLITE_NOMEM;
    Status s = code == SQLITE_NOMEM ? STATUS_NO_MEMORY : code == SQLITE_NOTADB ? STATUS_PARSE : STATUS_IO;
    return diag_set(d, s, "gradebook: %s: %s", what, db ? sqlite3_errmsg(db) : "no memory");
}

static int bind_one(sqlite3_stmt *s, int i, char type, va_list *args)
{
    switch (type) {
    case 't':
        return sqlite3_bind_text(s, i, va_arg(*args, const char *), -1, SQLITE_STATIC);
    case 'i':
        return sqlite3_bind_int64(s, i, va_arg(*args, int64_t));
    case 'd':
        return sqlite3_bind_double(s, i, va_arg(*args, double));
    default:
        return sqlite3_bind_null(s, i);
    }
}

static Status sql_prepare_typed(sqlite3 *db, sqlite3_stmt **out, Diag *d, const char *sql, const char *types,
                                va_list *args)
{
    *out = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, out, NULL) != SQLITE_OK)
        return sql_fail(db, "cannot prepare", d);
    for (int i = 0; types[i]; i++) {
        if (bind_one(*out, i + 1, types[i], args) != SQLITE_OK) {
            sqlite3_finalize(*out);
            *out = NULL;
            return sql_fail(db, "cannot bind", d);
        }
    }
    return STATUS_OK;
}

Status sql_prepare(sqlite3 *db, sqlite3_stmt **out, Diag *d, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    Status s = sql_prepare_typed(db, out, d, sql, types, &args);
    va_end(args);
    return s;
}

Status sql_run(sqlite3 *db, Diag *d, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list args;
    va_start(args, types);
    Status s = sql_prepare_typed(db, &statement, d, sql, types, &args);
    va_end(args);
    if (s != STATUS_OK)
        return s;
    int got;
    while ((got = sqlite3_step(statement)) == SQLITE_ROW) {
    }
    if (got != SQLITE_DONE)
        s = sql_fail(db, "cannot write", d);
    sqlite3_finalize(statement);
    return s;
}

Status sql_each_row(sqlite3 *db, Status (*read)(sqlite3_stmt *s, void *context, Diag *d), void *context, Diag *d,
                    const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list args;
    va_start(args, types);
    Status s = sql_prepare_typed(db, &statement, d, sql, types, &args);
    va_end(args);
    int got = SQLITE_DONE;
    while (s == STATUS_OK && (got = sqlite3_step(statement)) == SQLITE_ROW)
        s = read(statement, context, d);
    if (s == STATUS_OK && got != SQLITE_DONE)
        s = sql_fail(db, "cannot read", d);
    sqlite3_finalize(statement);
    return s;
}

Status sql_is_there(sqlite3_stmt *s, void *there, Diag *d)
{
    (void)s, (void)d;
    *(bool *)there = true;
    return STATUS_OK;
}

const char *sql_text(sqlite3_stmt *s, int column)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    return text ? (const char *)text : "";
}

const char *sql_keep(Arena *a, sqlite3_stmt *s, int column)
{
    const char *text = sql_text(s, column);
    return arena_strndup(a, text, strlen(text));
}

Status sql_no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory to read the gradebook");
}
