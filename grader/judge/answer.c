/* answer: the judge's lines of JSON, read into plain structs. */
#include "grader/judge/json_fields.h"
#include "grader/judge/judge_internal.h"

#include <math.h>
#include <string.h>

enum { ANSWER_TEXT_MAX = 64 << 10 };

Status judge_parse_line(const char *line, size_t length, json_t **json, Diag *d)
{
    json_error_t error;
    *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    if (!*json)
        return diag_set(d, STATUS_PARSE, "the judge's answer is not JSON: %s", error.text);
    if (json_is_true(json_object_get(*json, "ok")))
        return STATUS_OK;
    const char *message = json_string_value(json_object_get(*json, "message"));
    diag_set(d, STATUS_INVALID, "the judge refused: %s", message ? message : "it gave no reason");
    json_decref(*json);
    *json = NULL;
    return STATUS_INVALID;
}

/* A number; "nan", "inf" and "-inf" stand for those that JSON has none for, and null is NaN too. */
static double parse_number(JsonFields *f, const json_t *item, const char *key)
{
    const char *word = json_string_value(json_object_get(item, key));
    if (!word)
        return json_field_number(f, item, key);
    if (strcmp(word, "inf") == 0 || strcmp(word, "-inf") == 0)
        return word[0] == '-' ? -INFINITY : INFINITY;
    if (strcmp(word, "nan") != 0)
        json_fields_fail(f, STATUS_PARSE, key, "expected a number");
    return NAN;
}

/* An index is one number, or a list with one for each dimension. */
static void parse_index(JsonFields *f, const json_t *item, JudgeMismatch *m)
{
    json_t *index = json_object_get(item, "index");
    if (!json_is_array(index)) {
        m->index = m->indexes[0] = json_field_integer(f, item, "index");
        m->rank = 1;
        return;
    }
    for (size_t i = 0; i < json_array_size(index) && i < JUDGE_RANK_MAX; i++) {
        if (!json_is_integer(json_array_get(index, i)))
            json_fields_fail(f, STATUS_PARSE, "index", "expected whole numbers");
        m->indexes[m->rank++] = json_integer_value(json_array_get(index, i));
    }
    m->index = m->indexes[0];
}

static void parse_mismatches(JsonFields *f, const json_t *object, JudgeOutput *o)
{
    json_t *list = json_field_array(f, object, "first");
    for (size_t i = 0; i < json_array_size(list) && i < JUDGE_FIRST_MAX; i++) {
        json_t *item = json_array_get(list, i);
        if (!json_is_object(item)) {
            json_fields_fail(f, STATUS_PARSE, "first", "expected objects");
            return;
        }
        JudgeMismatch *m = &o->first[o->n_first++];
        *m = (JudgeMismatch){
            .got = parse_number(f, item, "got"),
            .wanted = parse_number(f, item, "wanted"),
            .error = parse_number(f, item, "error"),
            .allowed = parse_number(f, item, "allowed"),
        };
        parse_index(f, item, m);
    }
}

static void parse_outputs(JsonFields *f, const json_t *json, JudgeAnswer *answer)
{
    json_t *list = json_field_array(f, json, "outputs");
    size_t n = json_array_size(list) < JUDGE_OUTPUTS_MAX ? json_array_size(list) : JUDGE_OUTPUTS_MAX;
    answer->outputs = ARENA_NEW_ARRAY(&answer->arena, JudgeOutput, n + 1);
    if (!answer->outputs)
        json_fields_fail(f, STATUS_NO_MEMORY, "outputs", "no memory");
    for (size_t i = 0; i < n && f->status == STATUS_OK; i++) {
        json_t *item = json_array_get(list, i);
        if (!json_is_object(item)) {
            json_fields_fail(f, STATUS_PARSE, "outputs", "expected objects");
            return;
        }
        JudgeOutput *o = &answer->outputs[answer->n_outputs++];
        o->name = json_field_text(f, item, "name");
        o->elements = json_field_integer(f, item, "elements");
        o->mismatches = json_field_integer(f, item, "mismatches");
        o->max_error = parse_number(f, item, "max_error");
        o->pattern = json_field_text(f, item, "pattern");
        parse_mismatches(f, item, o);
    }
}

/* The verdicts that a judge may give: what is about the output and nothing else. */
static bool is_judges_verdict(Verdict v)
{
    return v == VERDICT_MISSING_OUTPUT || v == VERDICT_HOST_OVERRUN || v == VERDICT_INPUT_MODIFIED ||
           v == VERDICT_WRONG_RESULT || v == VERDICT_PASS;
}

Status judge_parse_answer(const json_t *json, JudgeAnswer *answer, Diag *d)
{
    JsonFields f = {
        .arena = &answer->arena, .file = "the judge's answer", .text_max = ANSWER_TEXT_MAX, .d = d};
    const char *word = json_field_text(&f, json, "verdict");
    if (!verdict_from_word(word, &answer->verdict) || !is_judges_verdict(answer->verdict))
        json_fields_fail(&f, STATUS_PARSE, "verdict", "no verdict that a judge gives");
    answer->message = json_field_text(&f, json, "message");
    parse_outputs(&f, json, answer);
    return f.status;
}

void judge_answer_free(JudgeAnswer *answer)
{
    Arena arena = answer->arena;
    arena_free(&arena);
    *answer = (JudgeAnswer){0};
}
