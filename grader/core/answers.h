/* answers: an answer file that a student wrote, read as what it is: a file that may hold anything.
 *
 * The form (docs/contracts.md): a map of sections, each a map of fields, each a word or a number. libyaml's
 * events are read one by one and nothing is built from them but the values that the lab asks for, so that no
 * file can make work that its length does not; anchors, aliases, tags and deeper nesting are refused, as
 * nobody needs them here. Whatever is wrong is told with its line, in words for a beginner. None of it is an
 * error of the kit: only the machine can fail.
 *
 *     demo.line: 17          ->  value "17", number 17
 *     demo.line: seventeen   ->  value "seventeen", problem "demo.line, line 2: 'seventeen' is no number..."
 *     demo.line:             ->  no value, problem "demo.line, line 2: no answer yet"
 */
#ifndef GRADER_CORE_ANSWERS_H
#define GRADER_CORE_ANSWERS_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/lab.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    ANSWERS_BYTES_MAX = 64 << 10,
    ANSWERS_SHOWN_MAX = 40,    /* bytes of a value that a message repeats */
    ANSWERS_PROBLEMS_MAX = 12, /* faults that are told; a line says how many more there are */
};

typedef struct AnswerValue {
    const char *section, *field;
    const LabField *form;
    int line;            /* in the file; 0: the field is not there */
    const char *text;    /* as written; "" when there is no answer */
    double number;       /* of a field without words */
    const char *problem; /* why it is no answer, as the student reads it; "" */
} AnswerValue;

typedef struct AnswerFile {
    AnswerValue *values; /* one for each field that the lab asks for, in its order */
    size_t n_values;
    bool readable;        /* false: no value is to be trusted, `problems` says why */
    const char *problems; /* what is wrong with the file as a whole, and with each field, a line each; "" */
} AnswerFile;

/* Reads the lab's answer file in the folder dir_fd; all text is the arena's. Not OK only when the machine
 * fails. */
Status answers_read(Arena *a, const Lab *lab, int dir_fd, AnswerFile *file, Diag *d);
/* The same from bytes in memory. */
Status answers_parse(Arena *a, const Lab *lab, const char *bytes, size_t length, AnswerFile *file, Diag *d);

/* The value of "SECTION.FIELD"; NULL when the lab asks for no such field. */
const AnswerValue *answers_find(const AnswerFile *file, const char *of);

#endif
