/* vgpu_report: see vgpu_report.h. */
#include "grader/judge/vgpu_report.h"

#include "grader/core/files.h"
#include "grader/core/text.h"
#include "grader/judge/json_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *clean(void *fields, const char *text, bool one_line)
{
    return one_line ? json_clean_name(fields, text) : json_clean_text(fields, text);
}

/* "verdict" is a word of the grader's table, or "" for advice. An unknown word makes the report invalid: it must not lose a
 * finding. */
static void parse_finding(JsonFields *f, const json_t *item, Finding *finding)
{
    FindingWrong wrong;
    Verdict verdict;
    if (!finding_read(finding, item, FINDING_REPORT, &wrong))
        json_fields_fail(f, STATUS_PARSE, wrong.name, wrong.wanted);
    if (f->status != STATUS_OK)
        return;
    finding_each_text(finding, clean, f);
    if (*finding->verdict && !verdict_from_word(finding->verdict, &verdict))
        json_fields_fail(f, STATUS_PARSE, "verdict", "expected a verdict of the table");
    finding->advice = finding->advice || !*finding->verdict;
    if (finding->advice)
        finding->verdict = "";
}

static void parse_error(JsonFields *f, const json_t *item, VgpuError *e)
{
    e->call = json_field_name(f, item, "call");
    e->error = json_field_name(f, item, "error");
    e->code = json_field_integer(f, item, "code");
    e->file = json_field_name(f, item, "file");
    e->line = json_field_integer(f, item, "line");
    e->sticky = json_field_bool(f, item, "sticky");
    e->met = json_field_bool(f, item, "met");
}

/* The length of a list, cut at most; its items are objects. */
static size_t list_length(JsonFields *f, VgpuReport *r, const json_t *list, size_t most, const char *key)
{
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n && i < most; i++)
        if (!json_is_object(json_array_get(list, i)))
            json_fields_fail(f, STATUS_PARSE, key, "expected objects");
    r->cut = r->cut || n > most;
    return f->status != STATUS_OK ? 0 : n < most ? n : most;
}

static void parse_findings(JsonFields *f, VgpuReport *r, const json_t *json)
{
    json_t *list = json_field_array(f, json, "findings");
    size_t n = list_length(f, r, list, VGPU_REPORT_FINDINGS_MAX, "findings");
    r->findings = ARENA_NEW_ARRAY(&r->arena, Finding, n + 1);
    for (; r->findings && r->n_findings < n && f->status == STATUS_OK; r->n_findings++)
        parse_finding(f, json_array_get(list, r->n_findings), &r->findings[r->n_findings]);
}

static void parse_errors(JsonFields *f, VgpuReport *r, const json_t *json)
{
    json_t *list = json_field_array(f, json, "errors");
    size_t n = list_length(f, r, list, VGPU_REPORT_ERRORS_MAX, "errors");
    r->errors = ARENA_NEW_ARRAY(&r->arena, VgpuError, n + 1);
    for (; r->errors && r->n_errors < n && f->status == STATUS_OK; r->n_errors++)
        parse_error(f, json_array_get(list, r->n_errors), &r->errors[r->n_errors]);
}

/* The product of a list of numbers. */
static double parse_product(JsonFields *f, const json_t *object, const char *key)
{
    const json_t *list = json_field_array(f, object, key);
    double product = 1;
    for (size_t i = 0; i < json_array_size(list); i++)
        product *= json_number_value(json_array_get(list, i));
    return product;
}

static void parse_launches(JsonFields *f, VgpuReport *r, const json_t *json)
{
    json_t *list = json_field_array(f, json, "launches");
    size_t n = list_length(f, r, list, VGPU_REPORT_LAUNCHES_MAX, "launches");
    double longest = -1;
    r->bound = "";
    r->launches = ARENA_NEW_ARRAY(&r->arena, VgpuLaunch, n + 1);
    for (size_t i = 0; r->launches && i < n && f->status == STATUS_OK; i++) {
        const json_t *launch = json_array_get(list, i);
        r->launches[r->n_launches++] = (VgpuLaunch){.kernel = json_field_name(f, launch, "kernel"),
                                                    .launched_as = json_field_name(f, launch, "launched_as"),
                                                    .blocks = parse_product(f, launch, "grid"),
                                                    .threads = parse_product(f, launch, "block"),
                                                    .stored = json_field_number(f, json_field_object(f, launch, "counters"), "global_store_bytes")};
        double time = json_field_number(f, launch, "time_us");
        if (time <= longest || isnan(time))
            continue;
        longest = time;
        r->bound = json_field_name(f, launch, "bound");
    }
}

static int compare_numbers(const void *a, const void *b)
{
    return strcmp(((const VgpuNumber *)a)->name, ((const VgpuNumber *)b)->name);
}

/* An object of numbers: its members in name order. Members that are objects or lists of their own are passed
 * over. */
static VgpuNumber *parse_numbers(JsonFields *f, VgpuReport *r, const json_t *json, const char *key, size_t *n)
{
    json_t *object = json_field_object(f, json, key);
    size_t size = json_object_size(object);
    r->cut = r->cut || size > VGPU_REPORT_NUMBERS_MAX;
    VgpuNumber *numbers = ARENA_NEW_ARRAY(
        &r->arena, VgpuNumber, (size < VGPU_REPORT_NUMBERS_MAX ? size : VGPU_REPORT_NUMBERS_MAX) + 1);
    if (!numbers) {
        json_fields_fail(f, STATUS_NO_MEMORY, key, "no memory");
        return NULL;
    }
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (json_is_object(value) || json_is_array(value) || *n == VGPU_REPORT_NUMBERS_MAX)
            continue;
        numbers[*n] =
            (VgpuNumber){.name = json_clean_name(f, name), .value = json_field_number(f, object, name)};
        *n += !isnan(numbers[*n].value);
    }
    qsort(numbers, *n, sizeof *numbers, compare_numbers);
    return numbers;
}

static void parse_fail_at(JsonFields *f, VgpuReport *r, const json_t *json)
{
    json_t *object = json_field_object(f, json, "fail_at");
    if (!object)
        return;
    r->can_fail = json_field_integer(f, object, "calls");
    r->injected = json_field_bool(f, object, "failed");
    r->injected_code = json_field_integer(f, object, "code");
}

static double number_or_0(JsonFields *f, const json_t *json, const char *key)
{
    double number = json_field_number(f, json, key);
    return isnan(number) ? 0 : number;
}

static void parse_whole(JsonFields *f, VgpuReport *r, const json_t *json)
{
    if (!json_is_object(json) || json_field_integer(f, json, "schema") != 1) {
        json_fields_fail(f, STATUS_PARSE, "schema", "expected an object of schema 1");
        return;
    }
    json_t *device = json_field_object(f, json, "device"), *ending = json_field_object(f, json, "exit");
    r->device_kind = json_field_name(f, device, "kind");
    r->device_name = json_field_name(f, device, "name");
    r->exit_status = json_field_integer(f, ending, "status");
    r->exit_signal = json_field_integer(f, ending, "signal");
    parse_findings(f, r, json);
    parse_errors(f, r, json);
    r->totals = parse_numbers(f, r, json, "totals", &r->n_totals);
    r->memory = parse_numbers(f, r, json, "memory", &r->n_memory);
    r->metrics = parse_numbers(f, r, json, "metrics", &r->n_metrics);
    parse_launches(f, r, json);
    parse_fail_at(f, r, json);
    r->timeline_us = number_or_0(f, json, "timeline_us");
    r->kernel_us = number_or_0(f, json, "kernel_us");
    if (!r->findings || !r->errors)
        json_fields_fail(f, STATUS_NO_MEMORY, "findings", "no memory");
}

Status vgpu_report_parse(const char *bytes, size_t length, VgpuReport **out, Diag *d)
{
    *out = NULL;
    if (length > VGPU_REPORT_BYTES_MAX)
        return diag_set(d, STATUS_LIMIT, "the report has more than %d bytes", VGPU_REPORT_BYTES_MAX);
    VgpuReport *r = calloc(1, sizeof *r);
    if (!r)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the report");
    json_error_t error;
    json_t *json = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    JsonFields f = {.arena = &r->arena, .file = "report.json", .text_max = VGPU_REPORT_TEXT_MAX, .d = d};
    if (json)
        parse_whole(&f, r, json);
    else
        f.status = diag_set_at(d, STATUS_PARSE, "report.json", error.line, error.column, "%s", error.text);
    json_decref(json);
    if (f.status != STATUS_OK) {
        vgpu_report_free(r);
        return f.status;
    }
    *out = r;
    return STATUS_OK;
}

Status vgpu_report_read(int dir_fd, const char *name, VgpuReport **r, Diag *d)
{
    *r = NULL;
    Arena arena = {0};
    char *bytes;
    size_t length;
    Status s = file_read_untrusted(&arena, dir_fd, name, VGPU_REPORT_BYTES_MAX, &bytes, &length, d);
    if (s == STATUS_OK)
        s = vgpu_report_parse(bytes, length, r, d);
    arena_free(&arena);
    return s;
}

void vgpu_report_strip_folder(VgpuReport *r, const char *folder)
{
    for (size_t i = 0; i < r->n_findings; i++) {
        Finding *f = &r->findings[i];
        const char *texts[] = {f->place.file, f->site.file, f->alloc_site.file, f->free_site.file, f->other.file, f->text, f->message};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            if (texts[k])
                text_strip_folder((char *)texts[k], folder); /* the arena's, or "" */
    }
    for (size_t i = 0; i < r->n_errors; i++)
        text_strip_folder((char *)r->errors[i].file, folder);
}

void vgpu_report_free(VgpuReport *r)
{
    if (!r)
        return;
    Arena arena = r->arena;
    arena_free(&arena);
    free(r);
}

static bool find_number(const VgpuNumber *numbers, size_t n, const char *name, double *value)
{
    VgpuNumber key = {.name = name};
    const VgpuNumber *found = n ? bsearch(&key, numbers, n, sizeof key, compare_numbers) : NULL;
    if (found)
        *value = found->value;
    return found != NULL;
}

bool vgpu_report_number(const VgpuReport *r, const char *name, double *value)
{
    if (strcmp(name, "timeline_us") == 0) {
        *value = r->timeline_us;
        return true;
    }
    if (strcmp(name, "kernel_us") == 0) {
        *value = r->kernel_us;
        return true;
    }
    return find_number(r->totals, r->n_totals, name, value) ||
           find_number(r->metrics, r->n_metrics, name, value) ||
           find_number(r->memory, r->n_memory, name, value);
}

Verdict vgpu_finding_verdict(const Finding *f)
{
    Verdict verdict = VERDICT_PASS;
    if (!f->advice)
        verdict_from_word(f->verdict, &verdict);
    return verdict;
}

const Finding *vgpu_report_worst(const VgpuReport *r)
{
    const Finding *worst = NULL;
    for (size_t i = 0; i < r->n_findings; i++) {
        const Finding *f = &r->findings[i];
        if (!f->advice && (!worst || vgpu_finding_verdict(f) < vgpu_finding_verdict(worst)))
            worst = f;
    }
    return worst;
}
