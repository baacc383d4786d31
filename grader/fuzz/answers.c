/* Target answers: any bytes as a student's answer file, of a lab that asks for words and numbers. A value
 * that has no problem must be one that the lab allows. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/core/answers.h"

#include <stdlib.h>
#include <string.h>

static const char *sections[] = {"first", "second"}, *words[] = {"race", "leak"};
static LabField fields[] = {{.name = "fault", .words = words, .n_words = 2},
                            {.name = "line", .min = 1, .max = 500, .whole = true},
                            {.name = "share", .min = -1, .max = 1e6}};
static LabSection section = {.names = sections, .n_names = 2, .fields = fields, .n_fields = 3};
static const Lab lab = {.sheet = {.file = "answers.yaml", .sections = &section, .n_sections = 1}};

static bool is_allowed(const AnswerValue *v)
{
    for (size_t i = 0; i < v->form->n_words; i++)
        if (strcmp(v->text, v->form->words[i]) == 0)
            return true;
    return v->form->n_words == 0 && v->number >= v->form->min && v->number <= v->form->max;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena = {0};
    AnswerFile file = {0};
    Diag diag = {0};
    if (answers_parse(&arena, &lab, (const char *)data, size, &file, &diag) == STATUS_OK) {
        if (file.n_values != 6 || !answers_find(&file, "second.share"))
            abort();
        for (size_t i = 0; file.readable && i < file.n_values; i++)
            if (!file.values[i].problem[0] && !is_allowed(&file.values[i]))
                abort();
    }
    arena_free(&arena);
    return 0;
}
