/* The student's view of a result: hidden cases show their name, points, verdict and lesson, and nothing from
 * which their data could be made. */
#include "grader/report/report_internal.h"

#include <string.h>

Result *report_student_view(const Result *r)
{
    json_t *json = result_to_json(r);
    Result *view = NULL;
    Status s = json ? result_from_json(json, &view, NULL) : STATUS_NO_MEMORY;
    json_decref(json);
    if (s != STATUS_OK)
        return NULL;
    view->seed = 0; /* hidden cases draw their seeds from the run's */
    for (size_t i = 0; i < view->n_cases; i++) {
        CaseResult *c = &view->cases[i];
        if (!c->hidden)
            continue;
        c->message = c->hint = c->replay = "";
        c->n_findings = c->n_metrics = c->n_spans = 0;
        c->leaderboard = NULL;
    }
    return view;
}

const char *report_hint_beyond_message(const CaseResult *c)
{
    const char *end = strchr(c->hint, '\n');
    size_t length = end ? (size_t)(end - c->hint) : strlen(c->hint);
    bool told = length > 0 && memmem(c->message, strlen(c->message), c->hint, length);
    return !told ? c->hint : end ? end + 1 : "";
}
