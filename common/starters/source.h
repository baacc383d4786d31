/* source: a solution's text with markers, and the texts made from it (docs/contracts.md, "Starters from
 * solutions").
 *
 *   //@ solution N    what the student writes for TODO N begins: left out of the starter
 *   //@ stub          what stands there in the starter instead begins (optional)
 *   //| code          a line of the stub
 *   //@ end           ends the innermost block
 *   //@ show NAME     a region that a handout shows
 *
 * In YAML the markers are `#@` and `#|`.
 *
 * A Source owns its texts (source_free).
 */
#ifndef COMMON_STARTERS_SOURCE_H
#define COMMON_STARTERS_SOURCE_H

#include "common/base/status.h"
#include "common/base/strbuf.h"

enum { SOURCE_TODOS_MAX = 99, SOURCE_REGIONS_MAX = 32, SOURCE_NAME_MAX = 48 };

/* A region `//@ show NAME`, as bytes of the starter. */
typedef struct SourceRegion {
    char name[SOURCE_NAME_MAX];
    size_t start, length;
} SourceRegion;

typedef struct Source {
    StrBuf starter;              /* the student's version: no markers, stubs for solutions */
    StrBuf solution;             /* the instructor's version without markers and stubs */
    StrBuf secret;               /* the lines of solution blocks only, one after the other */
    int todos[SOURCE_TODOS_MAX]; /* the N of each solution block, in the order of the file, each once */
    size_t n_todos;
    SourceRegion regions[SOURCE_REGIONS_MAX];
    size_t n_regions;
} Source;

/* Reads the markers of text; `name` is the file's name in messages. STATUS_PARSE with line when they do not
 * fit. */
Status source_parse(const char *name, const char *text, Source *source, Diag *diag);
void source_free(Source *source);

/* The whole of a file as text, appended to *text (which the caller frees). */
Status source_read_file(const char *path, StrBuf *text, Diag *diag);
/* Replaces a file by text, atomically. */
Status source_write_file(const char *path, const StrBuf *text, Diag *diag);

#endif
