/* A case in the judge: parameters, inputs and expectations, and the functions of judge.h that an author
 * calls.
 *
 * Author's functions return pointers without a status, so that a reference reads like the mathematics. When
 * they cannot, they leave through `author_fault` to judge_run_*, which returns the Status.
 */
#include "common/lab/judge_internal.h"

#include "common/base/rng.h"
#include "common/lab/npy.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fault(JudgeCase *c, Status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static _Noreturn void fault(JudgeCase *c, Status code, const char *format, ...)
{
    char text[DIAG_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_set(&c->diag, code, "%s", text);
    longjmp(c->author_fault, 1);
}

/* ---- The life of a case ---- */

Status judge_case_open(JudgeCase *c, uint64_t seed, char *const *params, size_t n, Diag *diag)
{
    memset(c, 0, sizeof *c);
    c->seed = seed;
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(params[i], '=');
        size_t key_length = equals ? (size_t)(equals - params[i]) : 0;
        if (key_length == 0 || key_length >= LAB_NAME_MAX || n > JUDGE_PARAMS_MAX)
            return diag_set(diag, STATUS_INVALID, "'%s' is not KEY=VALUE, or there are more than %d",
                            params[i], JUDGE_PARAMS_MAX);
        JudgeParam *p = &c->params[c->n_params++];
        p->key = arena_strndup(&c->arena, params[i], key_length);
        p->value = arena_strndup(&c->arena, equals + 1, strlen(equals + 1));
        if (!p->key || !p->value)
            return diag_set(diag, STATUS_NO_MEMORY, "no memory for the parameters");
    }
    return STATUS_OK;
}

void judge_case_free(JudgeCase *c)
{
    arena_free(&c->arena);
}

static Status run_case_function(JudgeCase *c, void (*function)(JudgeCase *), Diag *diag)
{
    if (setjmp(c->author_fault) == 0) {
        function(c);
        return STATUS_OK;
    }
    if (diag)
        *diag = c->diag;
    return c->diag.code;
}

Status judge_run_inputs(JudgeCase *c, Diag *diag)
{
    return run_case_function(c, judge_inputs, diag);
}

Status judge_run_reference(JudgeCase *c, Diag *diag)
{
    return run_case_function(c, judge_reference, diag);
}

void judge_run_mistakes(JudgeCase *c)
{
    if (judge_mistakes && !c->has_mistakes)
        run_case_function(c, judge_mistakes, NULL);
    c->has_mistakes = true;
}

/* ---- Parameters ---- */

static const char *find_param(const JudgeCase *c, const char *key)
{
    for (size_t i = 0; i < c->n_params; i++)
        if (strcmp(c->params[i].key, key) == 0)
            return c->params[i].value;
    return NULL;
}

const char *judge_param_text(JudgeCase *c, const char *key)
{
    const char *value = find_param(c, key);
    if (!value)
        fault(c, STATUS_NOT_FOUND, "the case has no parameter '%s'", key);
    return value;
}

int64_t judge_param_int(JudgeCase *c, const char *key)
{
    const char *value = judge_param_text(c, key);
    char *end = NULL;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (errno || end == value || *end)
        fault(c, STATUS_INVALID, "parameter '%s' is '%s', an integer is expected", key, value);
    return number;
}

double judge_param_float(JudgeCase *c, const char *key)
{
    const char *value = judge_param_text(c, key);
    char *end = NULL;
    double number = strtod(value, &end);
    if (end == value || *end)
        fault(c, STATUS_INVALID, "parameter '%s' is '%s', a number is expected", key, value);
    return number;
}

int judge_has_param(JudgeCase *c, const char *key)
{
    return find_param(c, key) != NULL;
}

/* ---- Arrays ---- */

static const LabArray *find_input(const JudgeCase *c, const char *name)
{
    for (size_t i = 0; i < c->n_inputs; i++)
        if (strcmp(c->inputs[i].name, name) == 0)
            return &c->inputs[i];
    return NULL;
}

static void make_array(JudgeCase *c, LabArray *array, const char *name, LabType type, int n_dims,
                       const size_t *shape)
{
    *array = (LabArray){0};
    if (strlen(name) >= sizeof array->name || strpbrk(name, "/ \t\n"))
        fault(c, STATUS_INVALID, "'%s' cannot be the name of an array", name);
    strcpy(array->name, name);
    if (npy_set_shape(array, type, n_dims, shape, &c->diag))
        longjmp(c->author_fault, 1);
    size_t bytes = array->elements * npy_type_bytes(type);
    if (bytes > JUDGE_ARRAY_BYTES_MAX)
        fault(c, STATUS_LIMIT, "array '%s' of %zu bytes is larger than the judge makes", name, bytes);
    array->data = arena_alloc(&c->arena, bytes ? bytes : 1);
    if (!array->data)
        fault(c, STATUS_NO_MEMORY, "no memory for the %zu bytes of array '%s'", bytes, name);
}

LabArray *judge_input_make(JudgeCase *c, const char *name, LabType type, int n_dims, const size_t *shape)
{
    if (c->n_inputs == JUDGE_ARRAYS_MAX || find_input(c, name))
        fault(c, STATUS_INVALID, "input '%s' is made twice, or there are more than %d", name,
              JUDGE_ARRAYS_MAX);
    LabArray *array = &c->inputs[c->n_inputs];
    make_array(c, array, name, type, n_dims, shape);
    c->n_inputs++;
    return array;
}

float *judge_input_make_f32(JudgeCase *c, const char *name, size_t n)
{
    return judge_input_make(c, name, LAB_F32, 1, &n)->data;
}

int32_t *judge_input_make_i32(JudgeCase *c, const char *name, size_t n)
{
    return judge_input_make(c, name, LAB_I32, 1, &n)->data;
}

const LabArray *judge_input(JudgeCase *c, const char *name)
{
    const LabArray *array = find_input(c, name);
    if (!array)
        fault(c, STATUS_NOT_FOUND, "judge_inputs made no input '%s'", name);
    return array;
}

static const void *typed_input(JudgeCase *c, const char *name, LabType type, size_t *n)
{
    const LabArray *array = judge_input(c, name);
    if (array->type != type)
        fault(c, STATUS_INVALID, "input '%s' is not %s", name, npy_type_name(type));
    if (n)
        *n = array->elements;
    return array->data;
}

const float *judge_input_f32(JudgeCase *c, const char *name, size_t *n)
{
    return typed_input(c, name, LAB_F32, n);
}

const int32_t *judge_input_i32(JudgeCase *c, const char *name, size_t *n)
{
    return typed_input(c, name, LAB_I32, n);
}

/* ---- Filling ---- */

/* A generator for one array: the seed and the name decide, so that adding an input leaves the others as they
 * were. */
static Rng generator_for(const JudgeCase *c, const char *name)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (const char *p = name; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 0x100000001B3u;
    return (Rng){.state = rng_mix(c->seed) ^ hash};
}

/* binary16 of a value in its normal range, rounded toward zero: exact enough for an input, which is what it
 * becomes. */
static uint16_t half_bits(double value)
{
    int exponent = 0;
    double fraction = frexp(fabs(value), &exponent);
    uint16_t sign = value < 0 ? 0x8000 : 0;
    if (value == 0 || exponent < -13)
        return sign;
    if (exponent > 16)
        return sign | 0x7BFF;
    return (uint16_t)(sign | (uint16_t)((exponent + 14) << 10) | (uint16_t)((fraction * 2 - 1) * 1024));
}

/* Values are drawn in pieces of so many, and then stored: what type they get is asked once a piece. */
enum { PIECE = 256 };

#define STORE_AS(T, x)                                                                                       \
    for (size_t i = 0; i < n; i++) {                                                                         \
        double value = values[i];                                                                            \
        ((T *)array->data)[first + i] = (T)(x);                                                              \
    }                                                                                                        \
    break

static void store_piece(LabArray *array, size_t first, const double *values, size_t n)
{
    switch (array->type) {
    case LAB_F16:
        STORE_AS(uint16_t, half_bits(value));
    case LAB_F32:
        STORE_AS(float, value);
    case LAB_F64:
        STORE_AS(double, value);
    case LAB_I8:
    case LAB_U8:
        STORE_AS(uint8_t, (int64_t)value);
    case LAB_I16:
    case LAB_U16:
        STORE_AS(uint16_t, (int64_t)value);
    case LAB_I32:
    case LAB_U32:
        STORE_AS(uint32_t, (int64_t)value);
    case LAB_I64:
        STORE_AS(int64_t, value);
    case LAB_U64:
        STORE_AS(uint64_t, value);
    case LAB_N_TYPES:
        break;
    }
}

/* Neighbours differ, as long as there are two values to choose from. */
static double draw_integers(Rng *rng, double *values, size_t n, double low, double high, double before)
{
    uint64_t steps = (uint64_t)(high - low) + 1;
    for (size_t i = 0; i < n; i++) {
        double value = low + (double)rng_below(rng, steps);
        if (value == before)
            value = value + 1 > high ? low : value + 1;
        before = values[i] = value;
    }
    return before;
}

static void draw_reals(Rng *rng, double *values, size_t n, double low, double high)
{
    for (size_t i = 0; i < n; i++)
        values[i] = low + (high - low) * rng_unit(rng);
}

void judge_fill(JudgeCase *c, LabArray *array, double low, double high)
{
    Rng rng = generator_for(c, array->name);
    bool is_real = npy_type_kind(array->type) == 'f';
    double values[PIECE], before = NAN;
    for (size_t first = 0; first < array->elements; first += PIECE) {
        size_t left = array->elements - first, n = left < PIECE ? left : PIECE;
        if (is_real)
            draw_reals(&rng, values, n, low, high);
        else
            before = draw_integers(&rng, values, n, low, high, before);
        store_piece(array, first, values, n);
    }
}

static LabArray *array_of(JudgeCase *c, const void *data)
{
    for (size_t i = 0; i < c->n_inputs; i++)
        if (c->inputs[i].data == data)
            return &c->inputs[i];
    fault(c, STATUS_INVALID, "only an array made by judge_input_make can be filled");
}

void judge_fill_f32(JudgeCase *c, float *vector, double low, double high)
{
    judge_fill(c, array_of(c, vector), low, high);
}

void judge_fill_i32(JudgeCase *c, int32_t *vector, int32_t low, int32_t high)
{
    judge_fill(c, array_of(c, vector), low, high);
}

/* ---- Expectations ---- */

static void *expect_array(JudgeCase *c, const char *name, LabType type, LabType file_type, int n_dims,
                          const size_t *shape)
{
    for (size_t i = 0; i < c->n_expected; i++)
        if (strcmp(c->expected[i].array.name, name) == 0)
            fault(c, STATUS_INVALID, "output '%s' is expected twice", name);
    if (c->n_expected == JUDGE_ARRAYS_MAX)
        fault(c, STATUS_LIMIT, "more than %d expected outputs", JUDGE_ARRAYS_MAX);
    JudgeExpected *e = &c->expected[c->n_expected];
    make_array(c, &e->array, name, type, n_dims, shape);
    e->file_type = file_type;
    c->n_expected++;
    return e->array.data;
}

void *judge_expect(JudgeCase *c, const char *name, LabType type, int n_dims, const size_t *shape)
{
    return expect_array(c, name, type, type, n_dims, shape);
}

float *judge_expect_f32(JudgeCase *c, const char *name, size_t n)
{
    return expect_array(c, name, LAB_F32, LAB_F32, 1, &n);
}

int32_t *judge_expect_i32(JudgeCase *c, const char *name, size_t n)
{
    return expect_array(c, name, LAB_I32, LAB_I32, 1, &n);
}

int32_t *judge_expect_share_i32(JudgeCase *c, const char *name, size_t n)
{
    int32_t *elements = expect_array(c, name, LAB_I32, LAB_I32, 1, &n);
    c->expected[c->n_expected - 1].is_share = true;
    return elements;
}

double *judge_expect_precise(JudgeCase *c, const char *name, LabType type, int n_dims, const size_t *shape)
{
    if (npy_type_kind(type) != 'f')
        fault(c, STATUS_INVALID, "output '%s': only floating point can be expected precisely", name);
    return expect_array(c, name, LAB_F64, type, n_dims, shape);
}

void judge_expect_value(JudgeCase *c, const char *key, double wanted)
{
    if (c->n_values == JUDGE_VALUES_MAX || strlen(key) >= LAB_NAME_MAX)
        fault(c, STATUS_LIMIT, "value '%s': more than %d, or its name is too long", key, JUDGE_VALUES_MAX);
    c->values[c->n_values++] = (JudgeValue){.key = key, .wanted = wanted};
}
