/* Lab 16: inputs and right answers.
 *
 * Parameters: `function`, which is compile (`source`: what is compiled; `log`: what its log must hold, or nothing; `long`: log and PTX get many empty lines at their ends),
 * load (`source`: its module, and a name that is not in it), refused (functions of NVRTC fail in turn), kernel (`source`, `n`, `a`), power (`n`, `exponent`) or cache (`requests`:
 * a letter each, see driver.c; `n`).
 * `beside` and `first` are the driver's: another kernel that is there too, and the exponent of a call before.
 */
#include "judge.h"

#include "sources.h"

#include <math.h>
#include <string.h>

static int is_text(JudgeCase *c, const char *key, const char *text)
{
    return strcmp(judge_param_text(c, key), text) == 0;
}

void judge_inputs(JudgeCase *c)
{
    if (!is_text(c, "function", "compile") && !is_text(c, "function", "load") && !is_text(c, "function", "refused"))
        judge_fill_f32(c, judge_input_make_f32(c, "in", (size_t)judge_param_int(c, "n")), -1.2, 1.6);
}

/* Numbers of NVRTC and of the driver, which are part of their interfaces. */
enum { NVRTC_COMPILATION = 6, NVRTC_INTERNAL = 11, CUDA_NOT_FOUND = 500, CUDA_NOT_PERMITTED = 800 };

/* ---- The record of calls ---- */

static int is_call(const JudgeCall *call, const char *op)
{
    return strcmp(call->op, op) == 0 && strcmp(call->error, "OK") == 0;
}

static size_t count_calls(const JudgeCall *calls, size_t from, size_t to, const char *op)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        n += is_call(&calls[i], op);
    return n;
}

/* A module for what has not been asked for before, none for the rest, and a launch for all but mistakes. */
static void judge_cache(JudgeCase *c, const char *requests, const JudgeCall *calls, size_t n)
{
    size_t at = 0;
    for (const char *letter = requests; *letter != 0; letter++) {
        while (at < n && !judge_note(&calls[at], "request"))
            at++;
        size_t begin = at++;
        while (at < n && !judge_note(&calls[at], "request") && !judge_note(&calls[at], "requested"))
            at++;
        int known = memchr(requests, *letter, (size_t)(letter - requests)) != NULL;
        size_t loads = begin < n ? count_calls(calls, begin, at, "MODULE_LOAD") : 0;
        if (loads != (size_t)(*letter != 'm' && !known))
            judge_refuse(c, known ? "The device got a module for something that had been asked for before."
                                  : "The device did not get one module for each new request.");
        if (*letter != 'm' && (begin >= n || count_calls(calls, begin, at, "LAUNCH") == 0))
            judge_refuse(c, "Not every request led to a launch.");
    }
}

static void judge_record(JudgeCase *c, int fails)
{
    size_t n = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    if (!calls)
        return;
    if (is_text(c, "function", "cache"))
        judge_cache(c, judge_param_text(c, "requests"), calls, n);
    if (!is_text(c, "function", "compile"))
        return;
    if (!fails && (count_calls(calls, 0, n, "MODULE_LOAD") != 1 || count_calls(calls, 0, n, "LAUNCH") != 1))
        judge_refuse(c, "What came out of the compilation is no module in which the device finds the kernel.");
    if (fails && count_calls(calls, 0, n, "MODULE_LOAD") != 0)
        judge_refuse(c, "There is nothing to load when a compilation has failed.");
}

/* What the compiler does not take. */
static int fails_to_compile(JudgeCase *c)
{
    return is_text(c, "function", "compile") &&
           (is_text(c, "source", "mistake") || is_text(c, "source", "no-headers") || is_text(c, "source", "no-kernel"));
}

static void expect_compile(JudgeCase *c)
{
    int fails = fails_to_compile(c);
    judge_expect_value(c, "source_compile_returned", fails ? NVRTC_COMPILATION : 0);
    judge_expect_value(c, "there_is_ptx", !fails);
    judge_expect_value(c, "there_is_a_name", !fails);
    judge_expect_value(c, "the_name_is_nvrtcs", 1);
    judge_expect_value(c, "there_is_a_log", 1);
    judge_expect_value(c, "the_log_is_whole", 1);
    if (!is_text(c, "log", "nothing"))
        judge_expect_value(c, "the_log_names_the_place", 1);
}

static void expect_refused(JudgeCase *c)
{
#define EXPECT(function) judge_expect_value(c, REFUSED_KEY(function), NVRTC_INTERNAL);
    REFUSED_FUNCTIONS(EXPECT)
}

/* To the nearest number with 11 bits, ties to even: what a conversion to half and back does, for what is neither
 * tiny nor huge. */
static double rounded_to_half(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    double scaled = ldexp(fraction, 11), whole = floor(scaled), rest = scaled - whole;
    if (exponent < -13)
        return ldexp(rint(ldexp(x, 24)), -24);
    int up = rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0);
    return ldexp(whole + up, exponent - 11);
}

static double to_the_power(double x, int64_t exponent)
{
    double product = 1;
    for (int64_t i = 0; i < exponent; i++)
        product *= x;
    return product;
}

static double mapped(const char *source, double x, double a)
{
    if (strcmp(source, "shift") == 0)
        return x + 3 * a;
    if (strcmp(source, "blend") == 0)
        return 2 * x + a;
    return strcmp(source, "halves") == 0 ? a * rounded_to_half(x) : a * x;
}

static double requested(char letter, double x)
{
    const double a = 1.5;
    switch (letter) {
    case 's':
        return a * x;
    case 'n':
        return -a * x;
    case 'b':
    case 'e':
        return 2 * x + a;
    case 'c':
    case 'd':
    case 'f':
        return 3 * x + a;
    case 't':
        return x + 3 * a;
    case 'u':
        return x + 5 * a;
    default: /* m: it has no result */
        return 0;
    }
}

static void expect_cache(JudgeCase *c, const float *in, size_t n)
{
    const char *requests = judge_param_text(c, "requests");
    size_t total = 0;
    int different = 0, mistakes = 0;
    for (const char *at = requests; *at != 0; at++) {
        int again = memchr(requests, *at, (size_t)(at - requests)) != NULL;
        mistakes += *at == 'm';
        different += *at != 'm' && !again;
        total += *at != 'm' ? n : 0;
    }
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &total);
    for (const char *at = requests; *at != 0; at++)
        for (size_t i = 0; i < n && *at != 'm'; i++)
            *out++ = requested(*at, in[i]);
    judge_expect_value(c, "compilations", different + mistakes);
    judge_expect_value(c, "logs", different + mistakes);
    judge_expect_value(c, "kernels_that_stayed", (double)strlen(requests) - mistakes);
    judge_expect_value(c, "returned_when_cuModuleUnload_failed", CUDA_NOT_PERMITTED);
    if (mistakes > 0)
        judge_expect_value(c, "mistakes_that_were_told", mistakes);
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    judge_record(c, fails_to_compile(c));
    judge_expect_value(c, "programs_not_destroyed", 0);
    if (is_text(c, "function", "compile")) {
        expect_compile(c);
        return;
    }
    if (is_text(c, "function", "load")) {
        judge_expect_value(c, "kernel_load_returned", CUDA_NOT_FOUND);
        judge_expect_value(c, "there_is_a_module", 0);
        judge_expect_value(c, "kernel_unload_of_none_returned", 0);
        return;
    }
    if (is_text(c, "function", "refused")) {
        expect_refused(c);
        return;
    }
    const float *in = judge_input_f32(c, "in", &n);
    if (is_text(c, "function", "cache")) {
        expect_cache(c, in, n);
        return;
    }
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &n);
    for (size_t i = 0; i < n; i++)
        out[i] = is_text(c, "function", "power") ? to_the_power(in[i], judge_param_int(c, "exponent"))
                                                 : mapped(judge_param_text(c, "source"), in[i], judge_param_float(c, "a"));
}
