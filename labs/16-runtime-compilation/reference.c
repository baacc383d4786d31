/* Lab 16: inputs and right answers.
 *
 * Parameters: `function`, which is compile (`source`: what is compiled; `log`: what its log must hold, or nothing),
 * kernel (`source`, `n`, `a`), power (`n`, `exponent`) or cache (`requests`: a letter each, see driver.c; `n`).
 */
#include "judge.h"

#include <math.h>
#include <string.h>

static int is_text(JudgeCase *c, const char *key, const char *text)
{
    return strcmp(judge_param_text(c, key), text) == 0;
}

void judge_inputs(JudgeCase *c)
{
    if (!is_text(c, "function", "compile"))
        judge_fill_f32(c, judge_input_make_f32(c, "in", (size_t)judge_param_int(c, "n")), -1.2, 1.6);
}

/* NVRTC's numbers, which are part of its interface. */
enum { NVRTC_COMPILATION = 6 };

static void expect_compile(JudgeCase *c)
{
    int fails = is_text(c, "source", "mistake") || is_text(c, "source", "no-headers") || is_text(c, "source", "no-kernel");
    judge_expect_value(c, "source_compile_returned", fails ? NVRTC_COMPILATION : 0);
    judge_expect_value(c, "there_is_ptx", !fails);
    judge_expect_value(c, "there_is_a_name", !fails);
    judge_expect_value(c, "there_is_a_log", 1);
    if (!is_text(c, "log", "nothing"))
        judge_expect_value(c, "the_log_names_the_place", 1);
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
        return 2 * x + a;
    case 'c':
    case 'd':
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
    if (mistakes > 0)
        judge_expect_value(c, "mistakes_that_were_told", mistakes);
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    judge_expect_value(c, "programs_not_destroyed", 0);
    if (is_text(c, "function", "compile")) {
        expect_compile(c);
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
