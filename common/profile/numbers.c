/* numbers: what lab.yaml can ask of a run (docs/contracts.md: metrics), by the names that it uses: members of
 * the virtual GPU's report, sorted, in columns. */
#include "common/profile/profile_internal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 256, COLUMNS = 2, NAME_WIDTH = 26, VALUE_WIDTH = 11 };

typedef struct Number {
    const char *name;
    double value;
} Number;

typedef struct Numbers {
    Number all[NUMBERS_MAX];
    size_t n;
} Numbers;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Number *)a)->name, ((const Number *)b)->name);
}

/* The numbers of an object; those that are 0 only where they say something all the same. */
static void numbers_take(const json_t *object, bool with_zeros, Numbers *numbers)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        if (numbers->n < NUMBERS_MAX && json_is_number(value) &&
            (with_zeros || json_number_value(value) != 0))
            numbers->all[numbers->n++] = (Number){name, json_number_value(value)};
    }
}

static void put_metrics(const Numbers *numbers, StrBuf *out)
{
    size_t rows = (numbers->n + COLUMNS - 1) / COLUMNS;
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = row; i < numbers->n; i += rows)
            strbuf_printf(out, "  %-*s %*.*g", NAME_WIDTH, numbers->all[i].name, VALUE_WIDTH,
                          numbers->all[i].value < 1e6 ? 6 : 10, numbers->all[i].value);
        strbuf_puts(out, "\n");
    }
}

Status profile_put_numbers(const char *report, StrBuf *out, Diag *diag)
{
    json_error_t error;
    json_t *json = json_loads(report, 0, &error);
    const json_t *metrics = json_object_get(json, "metrics");
    Numbers numbers = {.n = 0};
    if (!json_is_object(metrics)) {
        json_decref(json);
        return diag_set(diag, STATUS_PARSE, "the virtual GPU's report has no metrics");
    }
    numbers_take(metrics, true, &numbers);
    numbers_take(json_object_get(json, "memory"), true, &numbers);
    numbers_take(json_object_get(json, "totals"), false, &numbers);
    qsort(numbers.all, numbers.n, sizeof *numbers.all, by_name);
    put_metrics(&numbers, out);
    json_decref(json);
    return STATUS_OK;
}
