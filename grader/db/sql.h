/* sql: one statement of SQLite at a time, with bound parameters only. */
#ifndef GRADER_DB_SQL_H
#define GRADER_DB_SQL_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <sqlite3.h>

/* Turns SQLite's last error into a Status. A full disk and a locked or damaged file are the machine's fault:
 * STATUS_IO. */
Status sql_fail(sqlite3 *db, const char *what, Diag *d);

/* Prepares sql and binds its parameters by `types`, a letter each: t const char *, i int64_t, d double, n
 * NULL (no argument). Text must live until the statement ends. */
Status sql_prepare(sqlite3 *db, sqlite3_stmt **out, Diag *d, const char *sql, const char *types, ...);

/* The same, run to its end; rows are ignored. */
Status sql_run(sqlite3 *db, Diag *d, const char *sql, const char *types, ...);

/* The same, with `read` run on each row. */
Status sql_each_row(sqlite3 *db, Status (*read)(sqlite3_stmt *s, void *context, Diag *d), void *context, Diag *d,
                    const char *sql, const char *types, ...);
/* To read with: sets a bool, its context, since there is a row. */
Status sql_is_there(sqlite3_stmt *s, void *there, Diag *d);

/* Text of a column as bytes that are never NULL; valid until the next step, or the arena's. */
const char *sql_text(sqlite3_stmt *s, int column);
const char *sql_keep(Arena *a, sqlite3_stmt *s, int column);
Status sql_no_memory(Diag *d);

#endif
