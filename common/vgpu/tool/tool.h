/* tool: the `vgpu` command: runs a program on the virtual GPU and says what was found.
 *
 * It starts the program with our runtime in front (LD_PRELOAD: a program's RUNPATH or RPATH cannot win) and a
 * file descriptor on which the runtime writes records, one JSON object a line (device/record.c). When the
 * program has ended it reads them, finds the source lines of host places in the program's debug information,
 * and prints and writes the reports.
 *
 * What a program writes to that descriptor is believed. With --isolated the program has no such descriptor:
 * the devices are in a process of their own (common/vgpu/remote), which alone writes records; the program's
 * end of a socket to it is all that it inherits. With --serve the program is started by somebody else, out of
 * our sight: the grader, in another sandbox.
 */
#ifndef COMMON_VGPU_TOOL_TOOL_H
#define COMMON_VGPU_TOOL_TOOL_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"
#include "common/vgpu/check/finding.h"

#include <jansson.h>
#include <stdint.h>

/* Processes whose records are read: the program and its first children. */
enum { TOOL_PROCESSES_MAX = 64 };

/* sources: the only folder whose lines are quoted. isolated: the devices in a process of their own. serve: the door of
 * somebody else's program; -1: we start it. */
typedef struct ToolOptions {
#define TEXT(name, field, ...)   const char *field; /* NULL when not given */
#define NUMBER(name, field, ...) const char *field; /* the same */
#define COUNT(name, field, ...)  int64_t field;
#define FLAG(name, field, ...)   bool field;
#include "common/vgpu/tool/options.def"
#undef TEXT
#undef NUMBER
#undef COUNT
#undef FLAG
    bool color;
    char **program; /* its name and arguments, NULL at the end */
} ToolOptions;

/* ---- what a program is (inspect.c) ---- */

typedef enum ProgramKind {
    PROGRAM_CUDA,          /* linked with -cudart shared, or with the driver API alone */
    PROGRAM_STATIC,        /* kernels linked with the static runtime */
    PROGRAM_OTHER_RUNTIME, /* linked with a runtime of another version */
    PROGRAM_PLAIN,         /* no CUDA inside, or not a file that we understand */
} ProgramKind;

typedef struct Program {
    char path[4096];
    ProgramKind kind;
    char runtime[64];    /* OTHER_RUNTIME: name of the library */
    bool has_debug;      /* .debug_line */
    bool has_malloc;     /* a library's that it is linked with: a sanitizer's, say */
} Program;

/* Looks the name up as execvp does. STATUS_NOT_FOUND: there is no such program. */
Status program_inspect(const char *name, Program *out);

/* ---- running (spawn.c) ---- */

typedef struct Ending {
    int status, signal; /* exit status, or the signal that ended it (0: none) */
} Ending;

/* What the devices have written, from their beginning. */
typedef struct ToolFiles {
    int records;
    int provenance, calls, film; /* -1: nobody wants it */
    int shared;                  /* memory of several processes; -1: they share none */
} ToolFiles;

/* Runs the program to its end; signals that we get are handed on. With --serve: until nobody can come through
 * the door any more. */
Status spawn_program(const ToolOptions *o, const Program *p, Ending *out, ToolFiles *files, Diag *diag);

/* ---- provenance (provenance.c) ---- */

/* Writes what the devices say of who wrote which bytes to the file, and the bytes to that with the suffix ".bin".
 * started: a device was made. */
bool provenance_is_written(const ToolOptions *o);
Status provenance_save(int fd, bool started, const char *file, Diag *diag);

/* Writes the record of calls as it is (device/calls.c). */
Status calls_save(int fd, const char *file, Diag *diag);

/* ---- files that the program names (untrusted.c) ---- */

/* A regular file of 1 to bytes_max bytes, open for reading; -1: there is none. */
int untrusted_open(const char *path, int64_t bytes_max);
/* The same of a file below the folder, through no link and no ".."; a relative path begins in the folder. */
int untrusted_open_below(const char *folder, const char *path, int64_t bytes_max);
/* What is in it, malloc'd, with a NUL at its end and "?" for those before; NULL without memory or descriptor. */
char *untrusted_read(int fd, int64_t bytes_max);

/* ---- host places (places.c) ---- */

typedef struct Places Places;

/* sources: the only folder whose lines are quoted, or NULL; the caller's. */
Places *places_new(const char *sources);
void places_free(Places *p);
/* Notes a "site" record of a process. */
void places_add(Places *p, uint32_t process, const json_t *record);
/* Notes the frames of a "host-access" record; gives back their token, 0 without memory. */
uint64_t places_add_fault(Places *p, const json_t *record);
/* What stands for a process's own token among all processes: 0 stays 0, "unknown". */
uint64_t places_token(uint32_t process, uint64_t token);
/* Completes a host place from its token; false, and as it was, when nothing is known of it. */
bool places_find(Places *p, FindingSite *site);
/* True when some object that calls came from has debug information. */
bool places_has_debug(const Places *p);
/* FindingLookup's callback; self is a Places. */
const char *places_source_line(void *self, const char *file, uint32_t line);

/* The whole text of a source, or NULL. It is the program's to choose what it names. */
const char *places_source(Places *p, const char *file);

/* ---- records (records.c) ---- */

typedef struct CallError {
    const char *call, *error;
    int64_t code;
    FindingSite site;
    bool sticky, met; /* met: the devices gave such an answer */
} CallError;

typedef struct Records {
    Arena arena;
    json_t **lines; /* owns every record, for the texts in findings */
    size_t n_lines, lines_cap;
    Finding *findings;
    uint32_t *finding_source; /* process and device of each */
    size_t n_findings, findings_cap, source_cap;
    CallError *errors;
    size_t n_errors, errors_cap;
    json_t **launches, **spans;
    size_t n_launches, launches_cap, n_spans, spans_cap;
    const json_t *start, *end, *injected; /* NULL: not seen */
    Places *places;
    int64_t *processes; /* ids in order of their first record: the program itself first */
    size_t n_processes, processes_cap;
} Records;

/* sources: as of places_new. */
Status records_read(int fd, const char *sources, Records *out, Diag *diag);
void records_free(Records *r);
/* Findings that are no advice. */
size_t records_n_faults(const Records *r);

/* ---- output ---- */

/* Findings, errors of calls and the summary as text for standard error (print.c). */
void print_findings(const Records *r, const ToolOptions *o, const Program *p, const Ending *e, int status,
                    StrBuf *out);
/* A table of kernels and counters (profile.c). */
void print_profile(const Records *r, StrBuf *out);
/* docs/contracts.md, "The virtual GPU's report" (report.c). */
void report_json(const Records *r, const ToolOptions *o, const Ending *e, StrBuf *out);
/* Chrome trace events (timeline.c). */
void timeline_json(const Records *r, StrBuf *out);
/* The time line as text (timeline_text.c). */
void print_timeline(const Records *r, StrBuf *out);
/* Time line and roofline as a picture (picture.c). */
void picture_svg(const Records *r, const ToolOptions *o, StrBuf *out);

#endif
