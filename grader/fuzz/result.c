/* Target result: any bytes as a result.json. What is understood is written and understood again, as the same.
 */
#include "grader/core/result.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdlib.h>

static Result *again(const Result *r, json_t **json)
{
    Result *second = NULL;
    Diag diag = {0};
    *json = result_to_json(r);
    if (!*json || result_from_json(*json, &second, &diag) != STATUS_OK)
        abort();
    return second;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Result *first = NULL;
    Diag diag = {0};
    json_error_t error;
    json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, &error);
    if (json && result_from_json(json, &first, &diag) == STATUS_OK) {
        json_t *written, *rewritten;
        Result *second = again(first, &written), *third = again(second, &rewritten);
        if (!json_equal(written, rewritten))
            abort();
        json_decref(written);
        json_decref(rewritten);
        result_free(second);
        result_free(third);
    }
    result_free(first);
    json_decref(json);
    return 0;
}
