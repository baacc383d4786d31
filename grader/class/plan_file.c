/* plan.json, read and written; see plan.h. */
#include "grader/class/plan.h"

#include "grader/core/files.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { PLAN_SCHEMA = 1, PLAN_BYTES_MAX = 256 << 20 };

static json_t *plan_to_json(const Plan *plan)
{
    json_t *labs = json_array(), *entries = json_array();
    for (size_t i = 0; i < plan->n_labs; i++)
        json_array_append_new(
            labs, json_pack("{s:s, s:s}", "lab", plan->labs[i].lab, "sha256", plan->labs[i].sha256));
    for (size_t i = 0; i < plan->n_entries; i++) {
        const PlanEntry *e = &plan->entries[i];
        json_array_append_new(entries, json_pack("{s:s, s:s, s:s, s:s}", "student", e->student, "lab", e->lab,
                                                 "sha256", e->sha256, "key", e->key));
    }
    return json_pack("{s:i, s:I, s:s, s:s, s:s, s:o, s:o}", "schema", PLAN_SCHEMA, "seed",
                     (json_int_t)plan->seed, "kit_sha256", plan->kit_sha256, "compiler", plan->compiler,
                     "setting", plan->setting, "labs", labs, "submissions", entries);
}

Status plan_save(const Plan *plan, const char *path, Diag *d)
{
    json_t *json = plan_to_json(plan);
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
    json_decref(json);
    if (!text)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the plan");
    size_t length = strlen(text);
    text[length] = '\n'; /* in place of the NUL */
    Status s = file_write_secret(path, text, length + 1, d);
    free(text);
    return s;
}

/* A text of an object; "" and *fine false when there is none. */
static const char *plan_file_take(Arena *a, const json_t *object, const char *key, bool *fine)
{
    const char *text = json_string_value(json_object_get(object, key));
    const char *copy = text ? arena_strndup(a, text, strlen(text)) : NULL;
    *fine = *fine && copy;
    return copy ? copy : "";
}

static bool read_plan(Arena *a, const json_t *json, Plan *plan)
{
    const json_t *labs = json_object_get(json, "labs"), *entries = json_object_get(json, "submissions");
    bool fine = json_integer_value(json_object_get(json, "schema")) == PLAN_SCHEMA && json_is_array(labs) &&
                json_is_array(entries);
    plan->seed = (uint64_t)json_integer_value(json_object_get(json, "seed"));
    plan->kit_sha256 = plan_file_take(a, json, "kit_sha256", &fine);
    plan->compiler = json_object_get(json, "compiler") ? plan_file_take(a, json, "compiler", &fine) : "";
    plan->setting = plan_file_take(a, json, "setting", &fine);
    plan->labs = ARENA_NEW_ARRAY(a, PlanLab, json_array_size(labs) + 1);
    plan->entries = ARENA_NEW_ARRAY(a, PlanEntry, json_array_size(entries) + 1);
    fine = fine && plan->labs && plan->entries;
    for (size_t i = 0; fine && i < json_array_size(labs); i++) {
        const json_t *row = json_array_get(labs, i);
        plan->labs[plan->n_labs++] = (PlanLab){.lab = plan_file_take(a, row, "lab", &fine),
                                               .sha256 = plan_file_take(a, row, "sha256", &fine)};
    }
    for (size_t i = 0; fine && i < json_array_size(entries); i++) {
        const json_t *row = json_array_get(entries, i);
        plan->entries[plan->n_entries++] = (PlanEntry){.student = plan_file_take(a, row, "student", &fine),
                                                       .lab = plan_file_take(a, row, "lab", &fine),
                                                       .sha256 = plan_file_take(a, row, "sha256", &fine),
                                                       .key = plan_file_take(a, row, "key", &fine)};
    }
    return fine;
}

Status plan_load(Arena *a, const char *path, Plan *plan, Diag *d)
{
    char *text;
    size_t length;
    *plan = (Plan){0};
    Status s = file_read(a, path, PLAN_BYTES_MAX, &text, &length, d);
    if (s != STATUS_OK)
        return s;
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    bool fine = json && read_plan(a, json, plan);
    json_decref(json);
    if (fine)
        return STATUS_OK;
    diag_set(d, STATUS_PARSE, "%s is no plan of this version of the kit", path);
    diag_hint(d, "move it away: results that fit are kept, and the others graded again");
    return STATUS_PARSE;
}
