/* The judge's `check`: what a program left behind, against what is right.
 *
 * The steps run in the order of their verdicts, a cause before its symptom, and the first that fails decides:
 *   outputs can be read -> guard zones -> inputs unchanged -> values -> outputs.
 * All files are hostile: they are opened without following links, and are at most as large as what is
 * expected.
 */
#include "common/base/hints.h"
#include "common/lab/diagnose.h"
#include "common/lab/judge_internal.h"
#include "common/lab/npy.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NPY_HEADER_BYTES_MAX = 64 * 1024 + 16, TEXT_FILE_BYTES_MAX = 64 * 1024 };

static const char crash_hint[] = "hint: Did it crash, or call exit, before your function returned?\n";

/* One check in progress. */
typedef struct Check {
    JudgeCase *c;
    const Tolerance *tolerance;
    int out_fd, after_fd; /* -1: the folder is not there */
    NpyFile outputs[JUDGE_ARRAYS_MAX];
    char *guards, *values; /* texts of out/guards and out/values */
    const char *verdict;
    StrBuf message;
    StrBuf outputs_json;
} Check;

static bool verdict_is(Check *k, const char *verdict)
{
    k->verdict = verdict;
    return false;
}

static void put_hint(Check *k, const char *hint)
{
    if (hints_wanted())
        strbuf_puts(&k->message, language_say(k->c->language, hint));
}

/* ---- Reading ---- */

/* The whole of a small regular file as text, malloc'd; NULL when there is none or it is too long. */
static char *judge_read_text(int folder_fd, const char *name)
{
    int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info;
    if (fd < 0)
        return NULL;
    char *text = NULL;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= TEXT_FILE_BYTES_MAX)
        text = calloc(1, (size_t)info.st_size + 1);
    size_t n = 0;
    ssize_t got = 0;
    while (text && n < (size_t)info.st_size && (got = read(fd, text + n, (size_t)info.st_size - n)) > 0)
        n += (size_t)got;
    close(fd);
    return text;
}

static bool same_shape(const LabArray *a, const LabArray *b)
{
    return a->n_dims == b->n_dims && memcmp(a->shape, b->shape, (size_t)a->n_dims * sizeof a->shape[0]) == 0;
}

/* Reads folder_fd/NAME.npy as an array of the type and shape; else appends why not to the message. */
static bool read_array(Check *k, int folder_fd, const char *folder, const LabArray *like, LabType type,
                       NpyFile *file)
{
    char name[LAB_NAME_MAX + 8], shape[256], wanted_shape[256];
    Diag diag = {0};
    snprintf(name, sizeof name, "%s.npy", like->name);
    size_t bytes_max = like->elements * npy_type_bytes(type) + NPY_HEADER_BYTES_MAX;
    Status status = npy_read(folder_fd, name, bytes_max, file, &diag);
    if (status == STATUS_NOT_FOUND) {
        strbuf_printf(&k->message,
                      language_say(k->c->language, "%s: the program ended without writing %s/%s.\n"),
                      like->name, folder, name);
        put_hint(k, crash_hint);
        return false;
    }
    if (status) {
        strbuf_printf(&k->message, language_say(k->c->language, "%s: %s/%s cannot be read: %s.\n"),
                      like->name, folder, name, diag.message);
        return false;
    }
    snprintf(file->array.name, sizeof file->array.name, "%s", like->name);
    if (file->array.type == type && same_shape(&file->array, like))
        return true;
    npy_format_shape(&file->array, shape, sizeof shape);
    npy_format_shape(like, wanted_shape, sizeof wanted_shape);
    strbuf_printf(
        &k->message,
        language_say(k->c->language, "%s: %s/%s holds %s of shape %s; %s of shape %s is expected.\n"),
        like->name, folder, name, npy_type_name(file->array.type), shape, npy_type_name(type), wanted_shape);
    return false;
}

static bool read_outputs(Check *k)
{
    bool complete = true;
    for (size_t i = 0; i < k->c->n_expected; i++) {
        const JudgeExpected *e = &k->c->expected[i];
        complete &= read_array(k, k->out_fd, "out", &e->array, e->file_type, &k->outputs[i]);
    }
    if (!complete)
        return verdict_is(k, "missing-output");
    k->guards = judge_read_text(k->out_fd, "guards");
    k->values = judge_read_text(k->out_fd, "values");
    if (k->guards && k->values)
        return true;
    strbuf_puts(&k->message,
                language_say(
                    k->c->language,
                    "The program did not reach its end: it left no record of its guard zones and values.\n"));
    return verdict_is(k, "missing-output");
}

/* ---- Guard zones ---- */

static void write_zone(Check *k, const char *name, bool before, size_t changed, size_t nearest)
{
    if (changed > 0)
        strbuf_printf(&k->message,
                      language_say(k->c->language,
                                   before ? "%s: host memory before the array was changed: %zu byte%s, the "
                                            "nearest %zu byte%s before it.\n"
                                          : "%s: host memory after the array was changed: %zu byte%s, the "
                                            "nearest %zu byte%s after it.\n"),
                      name, changed, changed == 1 ? "" : "s", nearest, nearest == 1 ? "" : "s");
}

/* A line of out/guards: one array's zones. */
typedef struct GuardLine {
    char name[LAB_NAME_MAX];
    size_t front, front_nearest, back, back_nearest;
} GuardLine;

/* Exactly what lab_case_finish writes: read back, the line is the same. */
static bool read_guard_line(const char *line, GuardLine *g)
{
    char again[LAB_NAME_MAX + 128];
    if (sscanf(line, "%63s front %zu %zu back %zu %zu", g->name, &g->front, &g->front_nearest, &g->back,
               &g->back_nearest) != 5)
        return false;
    snprintf(again, sizeof again, "%s front %zu %zu back %zu %zu", g->name, g->front, g->front_nearest, g->back,
             g->back_nearest);
    return strcmp(again, line) == 0;
}

/* Notes that an array has its line; false when it has one more. Arrays that the judge does not know may have some. */
static bool note_guard(const Check *k, const char *name, bool seen[2][JUDGE_ARRAYS_MAX])
{
    bool known = false;
    for (size_t i = 0; i < k->c->n_inputs + k->c->n_expected; i++) {
        bool input = i < k->c->n_inputs;
        size_t at = input ? i : i - k->c->n_inputs;
        const LabArray *array = input ? &k->c->inputs[at] : &k->c->expected[at].array;
        if (strcmp(array->name, name) != 0)
            continue;
        known = true;
        if (seen[!input][at])
            continue;
        seen[!input][at] = true;
        return true;
    }
    return !known;
}

static bool all_seen(const Check *k, bool seen[2][JUDGE_ARRAYS_MAX])
{
    for (size_t i = 0; i < k->c->n_inputs; i++)
        if (!seen[0][i])
            return false;
    for (size_t i = 0; i < k->c->n_expected; i++)
        if (!seen[1][i])
            return false;
    return true;
}

/* The record is the program's own word, and can only cost points. A line that is missing, odd or there twice is what
 * an overrun leaves, or who hides one. */
static bool check_guards(Check *k)
{
    bool clean = true, whole = true, seen[2][JUDGE_ARRAYS_MAX] = {{false}};
    char *rest = k->guards;
    for (char *line; whole && (line = strsep(&rest, "\n"));) {
        GuardLine g;
        if (!*line)
            continue;
        whole = read_guard_line(line, &g) && note_guard(k, g.name, seen);
        if (!whole)
            break;
        write_zone(k, g.name, true, g.front, g.front_nearest);
        write_zone(k, g.name, false, g.back, g.back_nearest);
        clean &= g.front == 0 && g.back == 0;
    }
    if (!whole || !all_seen(k, seen)) {
        strbuf_puts(&k->message, language_say(k->c->language, "The record of the guard zones is damaged.\n"));
        return verdict_is(k, "host-overrun");
    }
    if (clean)
        return true;
    put_hint(k, "hint: Look at the number of bytes copied back, and at host loops that write the array.\n");
    return verdict_is(k, "host-overrun");
}

/* ---- Inputs ---- */

/* An input as it is afterwards; false, with a message, when it differs from the one that was given. */
static bool check_input(Check *k, const LabArray *input)
{
    NpyFile after;
    if (!read_array(k, k->after_fd, "after", input, input->type, &after))
        return false;
    size_t size = npy_type_bytes(input->type);
    size_t changed = 0, first = 0;
    for (size_t i = input->elements; i-- > 0;)
        if (memcmp((char *)input->data + i * size, (char *)after.array.data + i * size, size) != 0) {
            changed++;
            first = i;
        }
    if (changed > 0) {
        strbuf_printf(
            &k->message,
            language_say(k->c->language, "%s: this input was changed: %zu of %zu elements, the first at "),
            input->name, changed, input->elements);
        diagnose_write_index(&k->message, input, first);
        strbuf_puts(&k->message, language_say(k->c->language, ", from "));
        diagnose_write_element(&k->message, input, first);
        strbuf_puts(&k->message, language_say(k->c->language, " to "));
        diagnose_write_element(&k->message, &after.array, first);
        strbuf_puts(
            &k->message,
            language_say(k->c->language,
                         ".\nhint: Inputs belong to the caller: which copy or which kernel writes to it?\n"));
    }
    npy_free(&after);
    return changed == 0;
}

static bool check_inputs(Check *k)
{
    bool unchanged = true;
    for (size_t i = 0; i < k->c->n_inputs; i++)
        unchanged &= check_input(k, &k->c->inputs[i]);
    return unchanged ? true : verdict_is(k, "input-modified");
}

/* ---- Values ---- */

/* The number in the record of calls; NaN when there is none, or more than one. */
static double recorded_value(const JudgeCase *c, const char *key)
{
    size_t length = strlen(key), n = 0;
    double value = NAN;
    for (size_t i = 0; i < c->n_calls; i++) {
        const char *text = judge_note(&c->calls[i], "value");
        if (!text || strncmp(text, key, length) != 0 || text[length] != '=')
            continue;
        value = n++ == 0 ? strtod(text + length + 1, NULL) : NAN;
    }
    return value;
}

/* The number in out/values; NaN when there is none. */
static double reported_value(const char *values, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = values; line && *line;) {
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return strtod(line + length + 1, NULL);
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return NAN;
}

/* The function is a guest on the device: its caller may have memory, streams and events there. */
static bool was_reset(const JudgeCase *c)
{
    for (size_t i = 0; i < c->n_calls; i++)
        if (judge_note(&c->calls[i], "device-reset"))
            return true;
    return false;
}

static bool check_values(Check *k)
{
    bool right = true;
    if (was_reset(k->c)) {
        strbuf_puts(&k->message, language_say(k->c->language, "cudaDeviceReset was called: it destroys all memory, streams and events on the device, also "
                                                              "those of the caller. Free what the function has made, and nothing else.\n"));
        return verdict_is(k, "wrong-result");
    }
    if (k->c->calls_fault && (k->c->n_values > 0 || k->c->needs_calls)) {
        strbuf_printf(&k->message, language_say(k->c->language, "What the program did cannot be told: %s.\n"), k->c->calls_fault);
        return verdict_is(k, "wrong-result");
    }
    for (size_t i = 0; i < k->c->n_values; i++) {
        const JudgeValue *v = &k->c->values[i];
        double got = k->c->has_calls ? recorded_value(k->c, v->key) : reported_value(k->values, v->key);
        if (got == v->wanted)
            continue;
        right = false;
        if (isnan(got))
            strbuf_printf(&k->message,
                          language_say(k->c->language, "%s: no number was reported; %.10g is wanted.\n"),
                          v->key, v->wanted);
        else
            strbuf_printf(&k->message, language_say(k->c->language, "%s: got %.10g; %.10g is wanted.\n"),
                          v->key, got, v->wanted);
        judge_run_mistakes(k->c);
        const JudgeMistake *m = judge_find_value_mistake(k->c, v->key, got);
        if (m && hints_wanted())
            strbuf_printf(&k->message, language_say(k->c->language, "hint: %s\n"), language_say(k->c->language, m->hint));
    }
    for (size_t i = 0; i < k->c->n_refusals; i++)
        strbuf_printf(&k->message, "%s\n", k->c->refusals[i]);
    return right && k->c->n_refusals == 0 ? true : verdict_is(k, "wrong-result");
}

/* ---- Outputs ---- */

static void json_text(StrBuf *json, const StrBuf *text)
{
    strbuf_json_string(json, text->text ? text->text : "", text->length);
}

/* A number, or a string where JSON has no number for it. */
static void json_double(StrBuf *json, double value)
{
    if (isfinite(value))
        strbuf_json_number(json, value);
    else
        strbuf_puts(json, isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
}

static void json_first(StrBuf *json, const Evidence *e)
{
    size_t shown = 0;
    for (size_t i = 0; i < e->wanted->elements && shown < DIAGNOSE_FIRST; i++) {
        if (!e->wrong[i])
            continue;
        double error, allowed;
        StrBuf index = {0};
        compare_at(e->got, i, e->wanted, i, &e->tolerance, &error, &allowed);
        diagnose_write_index(&index, e->wanted, i);
        strbuf_puts(json, shown++ ? ",{\"index\":" : "{\"index\":");
        strbuf_puts(json, index.text ? index.text : "[]");
        strbuf_puts(json, ",\"got\":");
        json_double(json, compare_element(e->got, i));
        strbuf_puts(json, ",\"wanted\":");
        json_double(json, compare_element(e->wanted, i));
        strbuf_puts(json, ",\"error\":");
        json_double(json, error);
        strbuf_puts(json, ",\"allowed\":");
        json_double(json, allowed);
        strbuf_puts(json, "}");
        strbuf_free(&index);
    }
}

static void json_output(StrBuf *json, const Evidence *e, const char *pattern)
{
    strbuf_puts(json, json->length ? ",{\"name\":" : "{\"name\":");
    strbuf_json_string(json, e->wanted->name, strlen(e->wanted->name));
    strbuf_printf(json, ",\"elements\":%zu,\"mismatches\":%zu,\"max_error\":", e->result.elements,
                  e->result.mismatches);
    json_double(json, e->result.max_error);
    strbuf_puts(json, ",\"pattern\":");
    strbuf_json_string(json, pattern, strlen(pattern));
    strbuf_puts(json, ",\"first\":[");
    json_first(json, e);
    strbuf_puts(json, "]}");
}

/* The marker of unwritten elements is a NaN: where NaN is right it still does not count as one. */
static void condemn_unwritten(Evidence *e, uint8_t *wrong)
{
    if (npy_type_kind(e->got->type) != 'f')
        return;
    for (size_t i = 0; i < e->wanted->elements; i++)
        if (!wrong[i] && diagnose_is_unwritten(e->got, i)) {
            wrong[i] = 1;
            e->result.mismatches++;
        }
}

/* A mistake that the lab names by what it gives is told before a pattern. */
static Diagnosis diagnose_output(Check *k, const Evidence *e)
{
    judge_run_mistakes(k->c);
    const JudgeMistake *m = judge_find_mistake(k->c, e->got, e->wrong, &e->tolerance);
    if (!m)
        return diagnose_result(e);
    Diagnosis d = {.slug = "mistake", .hint = language_say(e->language, m->hint)};
    snprintf(d.sentence, sizeof d.sentence, "%s", language_say(e->language, m->sentence));
    return d;
}

static Status check_output(Check *k, size_t i, bool *right, Diag *diag)
{
    const LabArray *wanted = &k->c->expected[i].array;
    uint8_t *wrong = malloc(wanted->elements + 1);
    if (!wrong)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory to compare '%s'", wanted->name);
    Evidence e = {.got = &k->outputs[i].array,
                  .wanted = wanted,
                  .tolerance = *k->tolerance,
                  .wrong = wrong,
                  .inputs = k->c->inputs,
                  .n_inputs = k->c->n_inputs,
                  .language = k->c->language};
    e.result = compare_arrays(e.got, wanted, k->tolerance, wrong);
    condemn_unwritten(&e, wrong);
    Diagnosis diagnosis = {.slug = ""};
    if (e.result.mismatches > 0 && !k->c->expected[i].is_share) {
        diagnosis = diagnose_output(k, &e);
        diagnose_write(&k->message, &e, &diagnosis);
        *right = false;
    }
    json_output(&k->outputs_json, &e, diagnosis.slug);
    free(wrong);
    return STATUS_OK;
}

/* A variable of the device that an earlier launch has changed: meant by some programs, and forgotten by others. */
static void tell_kept(Check *k)
{
    for (size_t i = 0; i < k->c->n_calls && hints_wanted(); i++) {
        const char *name = judge_note(&k->c->calls[i], "kept");
        if (name)
            strbuf_printf(&k->message, language_say(k->c->language, "hint: the device's variable %s holds at the beginning of a launch what an earlier one left in it: who sets it back?\n"), name);
    }
}

static void tell_parted(Check *k)
{
    const char *kernel = NULL;
    for (size_t i = 0; i < k->c->n_calls && !kernel; i++)
        kernel = judge_note(&k->c->calls[i], "parted");
    if (kernel && hints_wanted())
        strbuf_printf(&k->message, language_say(k->c->language, "hint: __activemask() says which lanes run together at this moment. In this run of %s the lanes of a warp had parted, as they may: it named half of them. Which condition says that a lane takes part?\n"), kernel);
}

static Status check_outputs(Check *k, Diag *diag)
{
    bool right = true;
    for (size_t i = 0; i < k->c->n_expected; i++) {
        Status status = check_output(k, i, &right, diag);
        if (status)
            return status;
    }
    if (!right)
        verdict_is(k, "wrong-result");
    return STATUS_OK;
}

/* ---- All of it ---- */

static void open_folders(Check *k, const char *folder)
{
    int case_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    k->out_fd = case_fd < 0 ? -1 : openat(case_fd, "out", flags);
    k->after_fd = case_fd < 0 ? -1 : openat(case_fd, "after", flags);
    if (case_fd >= 0)
        close(case_fd);
}

static void close_check(Check *k)
{
    for (size_t i = 0; i < k->c->n_expected; i++)
        npy_free(&k->outputs[i]);
    free(k->guards);
    free(k->values);
    if (k->out_fd >= 0)
        close(k->out_fd);
    if (k->after_fd >= 0)
        close(k->after_fd);
    strbuf_free(&k->message);
    strbuf_free(&k->outputs_json);
}

static bool folders_are_there(Check *k)
{
    if (k->out_fd >= 0 && k->after_fd >= 0)
        return true;
    strbuf_puts(&k->message,
                language_say(k->c->language, "The program ended without writing its results.\n"));
    put_hint(k, crash_hint);
    return verdict_is(k, "missing-output");
}

Status judge_check_case(JudgeCase *c, const char *folder, const Tolerance *tolerance, StrBuf *json,
                        Diag *diag)
{
    Check k = {.c = c, .tolerance = tolerance, .verdict = "pass"};
    Status status = STATUS_OK;
    open_folders(&k, folder);
    bool comparable = folders_are_there(&k) && read_outputs(&k) && check_guards(&k) && check_inputs(&k);
    if (comparable) {
        check_values(&k);
        status = check_outputs(&k, diag);
    }
    if (strcmp(k.verdict, "wrong-result") == 0) {
        tell_kept(&k);
        tell_parted(&k);
    }
    if (!status) {
        strbuf_printf(json, "{\"ok\":true,\"verdict\":\"%s\",\"message\":", k.verdict);
        json_text(json, &k.message);
        strbuf_puts(json, ",\"outputs\":[");
        strbuf_puts(json, k.outputs_json.text ? k.outputs_json.text : "");
        strbuf_puts(json, "]}");
        if (json->failed || k.message.failed || k.outputs_json.failed)
            status = diag_set(diag, STATUS_NO_MEMORY, "no memory for the answer");
    }
    close_check(&k);
    return status;
}
