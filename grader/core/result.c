/* A Result's life, its sums, and its file; the JSON is in result_json.c. See result.h. */
#include "grader/core/result.h"

#include "grader/core/files.h"
#include "grader/core/result_internal.h"

#include <stdlib.h>
#include <string.h>

enum { RESULT_BYTES_MAX = 64 << 20 };

Result *result_create(void)
{
    Result *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->student = r->lab = r->submission_sha256 = r->kit_version = r->device_kind = r->device_name =
        r->compiler = r->compiler_version = "";
    r->build_log = "";
    r->verdict = r->build_verdict = VERDICT_PASS;
    return r;
}

void result_free(Result *r)
{
    if (!r)
        return;
    Arena arena = r->arena;
    arena_free(&arena);
    free(r);
}

void result_sum_up(Result *r)
{
    r->score = r->max_score = 0;
    r->verdict = r->build_verdict;
    for (size_t i = 0; i < r->n_cases; i++) {
        r->score += r->cases[i].points;
        r->max_score += r->cases[i].max_points;
        r->verdict = verdict_worse(r->verdict, r->cases[i].verdict);
    }
}

const CaseResult *result_case(const Result *r, const char *name)
{
    for (size_t i = 0; name && i < r->n_cases; i++)
        if (strcmp(r->cases[i].name, name) == 0)
            return &r->cases[i];
    return NULL;
}

bool result_needs_person(const Result *r)
{
    return verdict_needs_person(r->verdict) ||
           (r->verdict == VERDICT_NOT_SUBMITTED && r->submission_sha256[0] != '\0');
}

bool result_falls_short(const Result *r)
{
    return r->verdict != VERDICT_PASS;
}

Status result_load(const char *path, Result **r, Diag *d)
{
    *r = NULL;
    Arena arena = {0};
    char *text;
    size_t length;
    Status s = file_read(&arena, path, RESULT_BYTES_MAX, &text, &length, d);
    if (s != STATUS_OK) {
        arena_free(&arena);
        return s;
    }
    json_error_t error;
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    s = json ? result_from_json(json, r, d)
             : diag_set_at(d, STATUS_PARSE, path, error.line, error.column, "not JSON: %s", error.text);
    json_decref(json);
    arena_free(&arena);
    return s;
}

/* Writes json, which it takes over, as DIR/NAME. */
static Status save_json(json_t *json, const char *dir, const char *name, Diag *d)
{
    Arena arena = {0};
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
    const char *path = arena_printf(&arena, "%s/%s", dir, name);
    Status s = STATUS_NO_MEMORY;
    if (text && path) {
        size_t length = strlen(text);
        text[length] = '\n'; /* in place of the NUL: the file ends in a newline */
        s = file_write_atomic(path, text, length + 1, d);
    } else {
        diag_set(d, s, "no memory to write %s", name);
    }
    free(text);
    json_decref(json);
    arena_free(&arena);
    return s;
}

Status result_save(const Result *r, const Timing *t, const char *dir, Diag *d)
{
    Status s = dir_make(dir, d);
    if (s == STATUS_OK)
        s = save_json(timing_to_json(t), dir, "timing.json", d);
    return s != STATUS_OK ? s : save_json(result_to_json(r), dir, "result.json", d);
}
