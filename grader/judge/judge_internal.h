/* What the files of the judge module share. */
#ifndef GRADER_JUDGE_JUDGE_INTERNAL_H
#define GRADER_JUDGE_JUDGE_INTERNAL_H

#include "grader/judge/judge.h"

#include <jansson.h>

/* Reads the judge's line of JSON. *json is a new reference; a line that says "ok": false is STATUS_INVALID
 * with its message. */
Status judge_parse_line(const char *line, size_t length, json_t **json, Diag *d);

/* Fills the answer from the JSON of a check; the answer's arena owns what it points to. */
Status judge_parse_answer(const json_t *json, JudgeAnswer *answer, Diag *d);

#endif
