/* Mistakes that show by their result: what a lab's judge_mistakes names, and which of them an output or a value is. */
#include "common/lab/diagnose.h"
#include "common/lab/guard.h"
#include "common/lab/judge_internal.h"
#include "common/lab/npy.h"

#include <string.h>

static JudgeMistake *add_mistake(JudgeCase *c, const char *name, const char *sentence, const char *hint)
{
    if (c->n_mistakes == JUDGE_MISTAKES_MAX)
        return NULL;
    JudgeMistake *m = &c->mistakes[c->n_mistakes];
    *m = (JudgeMistake){.name = name, .sentence = sentence, .hint = hint};
    return m;
}

void *judge_mistake(JudgeCase *c, const char *name, const char *sentence, const char *hint)
{
    const LabArray *wanted = NULL;
    for (size_t i = 0; i < c->n_expected; i++)
        if (strcmp(c->expected[i].array.name, name) == 0)
            wanted = &c->expected[i].array;
    size_t bytes = wanted ? wanted->elements * npy_type_bytes(wanted->type) : 0;
    JudgeMistake *m = wanted ? add_mistake(c, wanted->name, sentence, hint) : NULL;
    void *data = m ? arena_alloc(&c->arena, bytes + 1) : NULL;
    if (!data)
        return NULL;
    m->array = *wanted;
    m->array.data = memcpy(data, wanted->data, bytes);
    c->n_mistakes++;
    return data;
}

void judge_mistake_value(JudgeCase *c, const char *key, double wrong, const char *hint)
{
    JudgeMistake *m = add_mistake(c, key, "", hint);
    if (!m)
        return;
    m->value = wrong;
    c->n_mistakes++;
}

const JudgeMistake *judge_find_value_mistake(const JudgeCase *c, const char *key, double got)
{
    for (size_t i = 0; i < c->n_mistakes; i++) {
        const JudgeMistake *m = &c->mistakes[i];
        if (!m->array.data && m->value == got && strcmp(m->name, key) == 0)
            return m;
    }
    return NULL;
}

/* Nobody wrote it: neither on the host, nor in new device memory that was copied from there. */
static bool is_left(const LabArray *got, size_t i, bool is_wrong)
{
    size_t size = npy_type_bytes(got->type);
    return diagnose_is_unwritten(got, i) || (is_wrong && guard_is_fresh((const char *)got->data + i * size, size));
}

/* Each element that was written is the mistake's, and one of them is wrong. */
static bool is_mistake(const JudgeMistake *m, const LabArray *got, const uint8_t *wrong, const Tolerance *tolerance)
{
    bool any_wrong = false;
    double error, allowed;
    for (size_t i = 0; i < got->elements; i++) {
        if (compare_at(got, i, &m->array, i, tolerance, &error, &allowed))
            any_wrong |= wrong[i];
        else if (!is_left(got, i, wrong[i]))
            return false;
    }
    return any_wrong;
}

const JudgeMistake *judge_find_mistake(const JudgeCase *c, const LabArray *got, const uint8_t *wrong, const Tolerance *tolerance)
{
    for (size_t i = 0; i < c->n_mistakes; i++) {
        const JudgeMistake *m = &c->mistakes[i];
        if (m->array.data && strcmp(m->name, got->name) == 0 && is_mistake(m, got, wrong, tolerance))
            return m;
    }
    return NULL;
}
