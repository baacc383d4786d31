/* Lab 16: inputs and right answers.
 *
 * Parameters: `function`, which is compile (`source`: what is compiled; `log`: what its log must hold, or nothing; `long`: log and PTX get many empty lines at their ends),
 * load (`source`: its module, and a name that is not in it), refused (functions of NVRTC fail in turn), kernel (`source`, `n`, `a`), power (`n`, `exponent`) or cache (`requests`:
 * a letter each, see driver.c, of which r is the request s with another name of the file; `n`).
 * `beside` and `first` are the driver's: another kernel that is there too, and the exponent of a call before.
 */
#include "judge.h"

#include "sources.h"

#include <math.h>
#include <stdio.h>
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
enum { NVRTC_INVALID_OPTION = 5, NVRTC_COMPILATION = 6, NVRTC_INTERNAL = 11, CUDA_INVALID_PTX = 218, CUDA_NOT_FOUND = 500, CUDA_NOT_PERMITTED = 800 };

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

/* The file's name is no part of what a kernel is made of. */
static char as_key(char letter)
{
    return letter == 'r' ? 's' : letter;
}

static int is_known(const char *requests, const char *at)
{
    for (const char *before = requests; before < at; before++)
        if (as_key(*before) == as_key(*at))
            return 1;
    return 0;
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
        int known = is_known(requests, letter);
        size_t loads = begin < n ? count_calls(calls, begin, at, "MODULE_LOAD") : 0;
        if (loads != (size_t)(*letter != 'm' && !known))
            judge_refuse(c, known ? "The device got a module for something that had been asked for before."
                                  : "The device did not get one module for each new request.");
        if (*letter != 'm' && (begin >= n || count_calls(calls, begin, at, "LAUNCH") == 0))
            judge_refuse(c, "Not every request led to a launch.");
    }
}

/* A copy of n bytes for n floats leaves the rest as it was. */
static void judge_copies(JudgeCase *c, const JudgeCall *calls, size_t n_calls)
{
    uint64_t n = (uint64_t)judge_param_int(c, "n"), to_host = 0, copies = 0;
    for (size_t i = 0; i < n_calls; i++)
        if (is_call(&calls[i], "COPY") && strcmp(calls[i].text, "to-host") == 0) {
            to_host += calls[i].number;
            copies++;
        }
    if (n > 0 && copies == 1 && to_host == n)
        judge_refuse(c, "kernel_map (TODO 4) copies as many bytes back as there are elements: cuMemAlloc, cuMemcpyHtoD and cuMemcpyDtoH count bytes, and n floats are n * sizeof(float) of them.");
}

static void judge_record(JudgeCase *c, int fails)
{
    size_t n = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    if (!calls)
        return;
    if (is_text(c, "function", "cache"))
        judge_cache(c, judge_param_text(c, "requests"), calls, n);
    if (is_text(c, "function", "kernel") || is_text(c, "function", "power"))
        judge_copies(c, calls, n);
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
    judge_expect_value(c, "the_ptx_is_for_compute_75", 1);
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
#define EXPECT_LOG(function) judge_expect_value(c, LOG_KEY(function), 1);
    FUNCTIONS_BEHIND(EXPECT_LOG)
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

static const double CACHE_A = 1.5; /* of all requests to the cache (driver.c) */

static double mapped(const char *source, double x, double a)
{
    if (strcmp(source, "shift") == 0)
        return x + 3 * a;
    if (strcmp(source, "blend") == 0)
        return 2 * x + a;
    return strcmp(source, "halves") == 0 ? a * rounded_to_half(x) : a * x;
}

static double requested(char letter, double x, double a)
{
    switch (letter) {
    case 's':
    case 'r':
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
    case 'g':
        return 5 * x + a;
    case 'h':
    case 'i':
        return 5 - 3 * x + a; /* a macro is a text */
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
        int again = is_known(requests, at);
        mistakes += *at == 'm';
        different += *at != 'm' && !again;
        total += *at != 'm' ? n : 0;
    }
    double *out = judge_expect_precise(c, "out", LAB_F32, 1, &total);
    for (const char *at = requests; *at != 0; at++)
        for (size_t i = 0; i < n && *at != 'm'; i++)
            *out++ = requested(*at, in[i], CACHE_A);
    judge_expect_value(c, "compilations", different + mistakes);
    judge_expect_value(c, "cache_destroy_of_none_returned", 0);
    judge_expect_value(c, "logs", different + mistakes);
    judge_expect_value(c, "answers_that_leave_k_or_log_as_it_was", 0);
    judge_expect_value(c, "kernels_that_stayed", (double)strlen(requests) - mistakes);
    judge_expect_value(c, "returned_when_cuModuleUnload_failed", CUDA_NOT_PERMITTED);
    judge_expect_value(c, "kernels_of_many_that_stayed", 48);
    judge_expect_value(c, "the_first_of_many_is_still_there", 1);
    judge_expect_value(c, "kernels_of_many_given_for_another_request", 0);
    if (judge_has_param(c, "indent")) {
        judge_expect_value(c, "kernels_given_for_options_with_other_ends", 0);
        judge_expect_value(c, "kernels_given_for_another_long_option", 0);
    }
    judge_expect_value(c, "cache_get_returned_when_cuModuleGetFunction_failed", CUDA_NOT_FOUND);
    judge_expect_value(c, "log_is_there_when_cuModuleGetFunction_failed", 1);
    judge_expect_value(c, "kernel_is_there_when_cuModuleGetFunction_failed", 0);
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
        judge_expect_value(c, "returned_when_cuModuleLoadData_failed", CUDA_INVALID_PTX);
        judge_expect_value(c, "there_is_a_module_when_cuModuleLoadData_failed", 0);
        judge_expect_value(c, "kernel_unload_of_none_returned", 0);
        return;
    }
    if (is_text(c, "function", "power") && judge_has_param(c, "first")) {
        judge_expect_value(c, "power_returned_when_nvrtcCompileProgram_failed", NVRTC_INTERNAL);
        judge_expect_value(c, "power_returned_when_cuModuleGetFunction_failed", CUDA_NOT_FOUND);
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

/* ---- What certain mistakes give ---- */

/* What a request of the cache is made of (driver.c). */
typedef struct Texts {
    char source;
    const char *expression, *options[3]; /* NULL: no more */
} Texts;

static Texts texts_of(char letter)
{
    switch (letter) {
    case 'b':
        return (Texts){'b', "blend", {"-DFACTOR=2"}};
    case 'c':
        return (Texts){'b', "blend", {"-DFACTOR=3"}};
    case 'd':
        return (Texts){'b', "blend", {"-DFACTOR=3", "-lineinfo"}};
    case 'e':
        return (Texts){'b', "blend", {"-DFACTOR=2", "-lineinfo"}};
    case 'f':
        return (Texts){'b', "blend", {"-lineinfo", "-DFACTOR=3"}};
    case 'g':
        return (Texts){'b', "blend", {"-DDK=3", "-DFACTOR=5", "-DK"}};
    case 'h':
        return (Texts){'b', "blend", {"-DDK=3", "-DFACTOR=5-DK"}};
    case 'i':
        return (Texts){'b', "blend", {"-DDK=3", "-DFACTOR=5 -DK"}};
    case 't':
        return (Texts){'t', "lab::shift<3>", {NULL}};
    case 'u':
        return (Texts){'t', "lab::shift<5>", {NULL}};
    default: /* s, r, n, m */
        return (Texts){as_key(letter), "scale", {NULL}};
    }
}

typedef enum KeySlip { NO_SOURCE, NO_EXPRESSION, NO_OPTIONS, FIRST_OPTION, LAST_OPTION, NO_END, A_BLANK, ONLY_ONE, KEY_SLIPS } KeySlip;

static const struct {
    const char *when, *hint;
} key_slips[KEY_SLIPS] = {
    [NO_SOURCE] = {"the source is not looked at", "Compare what the source says, letter by letter: neither where it lies nor the name of the file, which are the same each time."},
    [NO_EXPRESSION] = {"the expression is not looked at", "Two instances of a template are two kernels: is the expression in the key?"},
    [NO_OPTIONS] = {"the options are not looked at", "The same source with other options is another kernel: are they in the key, with what they say?"},
    [FIRST_OPTION] = {"only the first option is looked at", "Do all options come into the key?"},
    [LAST_OPTION] = {"only the last option is looked at", "Do all options come into the key, or does each one take the place of the one before?"},
    [NO_END] = {"the texts stand one after the other with nothing between them", "Two options can be the same letters as one longer option: what shows in the key where a text ends? A 0 byte is in none of them."},
    [A_BLANK] = {"the texts stand one after the other with a blank between them", "An option may have a blank in it: what shows in the key where a text ends? A 0 byte is in none of them."},
    [ONLY_ONE] = {"whatever came first is given each time", "What is compared before a kernel is taken out of the cache?"},
};

enum { KEY_MAX = 160, ROWS_MAX = 16, TEXT_MAX = 900 };

static void key_with(KeySlip slip, char letter, char key[KEY_MAX])
{
    Texts t = texts_of(letter);
    int n = 0, many = 0;
    while (many < 3 && t.options[many] != NULL)
        many++;
    const char *between = slip == NO_END ? "" : slip == A_BLANK ? " " : "\n";
    memset(key, 0, KEY_MAX);
    if (slip == ONLY_ONE)
        return;
    if (slip != NO_SOURCE)
        key[n++] = t.source;
    if (slip != NO_EXPRESSION)
        n += snprintf(key + n, (size_t)(KEY_MAX - n), "%s\n", t.expression);
    int first = slip == NO_OPTIONS ? many : slip == LAST_OPTION && many > 0 ? many - 1 : 0;
    for (int i = first; i < (slip == FIRST_OPTION && many > 1 ? 1 : many); i++)
        n += snprintf(key + n, (size_t)(KEY_MAX - n), "%s%s", t.options[i], between);
}

/* given: the letter whose kernel each request that is no mistake gets. */
static size_t ask_with(KeySlip slip, const char *requests, char given[ROWS_MAX])
{
    size_t n = 0;
    for (const char *at = requests; *at != 0 && n < ROWS_MAX; at++) {
        char own[KEY_MAX], other[KEY_MAX];
        key_with(slip, *at, own);
        if (*at == 'm')
            continue;
        given[n] = *at;
        for (const char *before = at; before-- > requests;) { /* the first of them at the end */
            key_with(slip, *before, other);
            if (*before != 'm' && memcmp(own, other, KEY_MAX) == 0)
                given[n] = *before;
        }
        n++;
    }
    return n;
}

/* All slips that give the same rows are told together. */
static void name_key(JudgeCase *c, const char *requests, KeySlip first, const float *in, size_t n)
{
    static char sentences[KEY_SLIPS][TEXT_MAX], hints[KEY_SLIPS][TEXT_MAX];
    char given[ROWS_MAX] = {0}, other[ROWS_MAX] = {0}, *sentence = sentences[first], *hint = hints[first];
    size_t rows = ask_with(first, requests, given);
    int at = snprintf(sentence, TEXT_MAX, "a request gets the kernel of another one, as when "), hint_at = 0;
    for (int s = 0; s < KEY_SLIPS; s++) {
        ask_with((KeySlip)s, requests, other);
        if (memcmp(given, other, rows) != 0)
            continue;
        if (s < (int)first)
            return;
        at += snprintf(sentence + at, (size_t)(TEXT_MAX - at), "%s%s", s > (int)first ? ", or " : "", key_slips[s].when);
        hint_at += snprintf(hint + hint_at, (size_t)(TEXT_MAX - hint_at), "%s%s", s > (int)first ? " " : "", key_slips[s].hint);
    }
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t row = 0; row < rows && out != NULL; row++)
        for (size_t i = 0; i < n; i++)
            *out++ = requested(given[row], in[i], CACHE_A);
}

/* All rows with another a and in times a factor; or in itself. */
static void name_rows(JudgeCase *c, const char *requests, double a, double in_factor, int is_in, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (const char *at = requests; *at != 0 && out != NULL; at++)
        for (size_t i = 0; i < n && *at != 'm'; i++)
            *out++ = is_in ? in[i] : requested(*at, in_factor * in[i], a);
}

static void name_values(JudgeCase *c, const char *key, int from, int to, const char *hint)
{
    for (int value = from; value < to; value++)
        judge_mistake_value(c, key, value, hint);
}

static void name_cache(JudgeCase *c)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    const char *requests = judge_param_text(c, "requests");
    int total = (int)strlen(requests), different = 0, mistakes = 0;
    for (const char *at = requests; *at != 0; at++) {
        mistakes += *at == 'm';
        different += *at != 'm' && !is_known(requests, at);
    }
    for (int s = 0; s < KEY_SLIPS; s++)
        name_key(c, requests, (KeySlip)s, in, n);
    name_rows(c, requests, 0, 1, 0, "all of it is what a = 0 gives", "kernel_map (TODO 4): is the address of the float a, no double and no int, among the arguments, as the fourth?");
    name_rows(c, requests, trunc(CACHE_A), 1, 0, "they are what comes out when a has lost its fraction", "kernel_map (TODO 4): of which type is what a goes through on its way to the arguments?");
    name_rows(c, requests, CACHE_A, 0, 0, "all of it is what in = 0 gives", "kernel_map (TODO 4): is all of in copied to the device, into the memory whose address is the first argument?");
    name_rows(c, requests, 0, 0, 1, "each row is in, unchanged", "kernel_map (TODO 4): which device memory is copied back, and does the kernel run?");
    for (int pairs = 1; pairs <= 28; pairs++) /* of 8 lists */
        judge_mistake_value(c, "kernels_given_for_options_with_other_ends", pairs, "Two options got the kernel of one, in which a sign stands between the same letters (a new line, a tab or one of | ; , : /). What shows in the key where a text ends? A 0 byte is in none of them, or the key has the lengths.");
    judge_mistake_value(c, "kernels_given_for_another_long_option", 1, "Two options of thousands of letters, which differ in the last one, got the same kernel. Do they come into the key to their ends, or does it have a fixed number of letters?");
    for (int pairs = 1; pairs <= 2; pairs++)
        judge_mistake_value(c, "kernels_of_many_given_for_another_request", pairs, "Two requests that differ have got one kernel: a hash of the texts is the same for some texts that are not. Where hashes agree, are the texts compared, too?");
    judge_mistake_value(c, "the_first_of_many_is_still_there", 0, "48 different requests came, and the first of them was compiled again after that: a kernel stays in the cache until cache_destroy, however many come.");
    judge_mistake_value(c, "log_is_there_when_cuModuleGetFunction_failed", 0, "The compiler ran, and then the kernel could not be loaded: what the compiler said is the caller's whatever came behind it. Where is *log set, before or behind kernel_load?");
    judge_mistake_value(c, "cache_get_returned_when_cuModuleGetFunction_failed", 0, "Is the value of kernel_load kept, and returned by cache_get?");
    judge_mistake_value(c, "kernel_is_there_when_cuModuleGetFunction_failed", 1, "Where the kernel could not be loaded, *k is NULL, and the cache does not have it.");
    judge_mistake_value(c, "returned_when_cuModuleUnload_failed", 0, "cache_destroy has two kernels to unload here, and the driver says of the first that it could not be. What does cache_destroy do with that value? It goes on, and returns the first error at the end: what works afterwards must not take its place. The value of kernel_unload is to be kept, too.");
    name_values(c, "kernels_that_stayed", 0, total - mistakes, "The Kernels that cache_get gave out before lie somewhere else by now, as in an array that grows, or have changed: each entry needs a place of its own.");
    name_values(c, "mistakes_that_were_told", 0, mistakes, "A source that does not compile: each time that it is asked for, NVRTC's error is returned, *k is NULL, and *log has what the compiler said. Is it kept in the cache, or the log freed?");
    name_values(c, "compilations", 0, different + mistakes, mistakes > 0 ? "Requests that differ were taken for the same, or a source that does not compile was kept: what makes two requests the same, and when does one come into the cache?" : "Requests that differ were taken for the same: source, expression, and each option in its order make a request what it is. Which of them is not in the key, or runs into the next?");
    if (strchr(requests, 'r') != NULL)
        judge_mistake_value(c, "compilations", 1 + different + mistakes, "The same source, expression and options under another file's name were compiled again: the name is for messages, and is no part of what makes two requests the same. Or does the cache have only what came last?");
    name_values(c, "compilations", different + mistakes + 1, total + 1, "What had been asked for before was compiled again: is it put into the cache, and are the contents of the texts compared? The caller overwrites its texts, so the cache needs copies.");
    name_values(c, "logs", 0, different + mistakes, "Where there are as many compilations, look at those first. Otherwise: *log is what the compiler said whenever it ran, also when all went well; then it is an empty text, and not NULL.");
    name_values(c, "logs", different + mistakes + 1, total + 1, "Where there are as many compilations, look at those first. Otherwise: *log is NULL when the compiler did not run.");
}

static void name_compile(JudgeCase *c, int fails)
{
    if (fails) {
        static const char first[] = "That is not what nvrtcCompileProgram returns for such a source. It is the first error, and the one to return: what fails behind it must not take its place. If nothing was compiled, something before it failed.";
        judge_mistake_value(c, "source_compile_returned", 0, "The value of nvrtcCompileProgram is lost: what is fetched behind it works, and must not take its place.");
        for (int value = 1; value <= NVRTC_INTERNAL; value++)
            if (value != NVRTC_COMPILATION)
                judge_mistake_value(c, "source_compile_returned", value, first);
    } else {
        judge_mistake_value(c, "source_compile_returned", NVRTC_COMPILATION, "The compiler refuses a right source: which options does it get, and as many as the number says?");
        judge_mistake_value(c, "source_compile_returned", NVRTC_INVALID_OPTION, "NVRTC calls an option invalid: --gpu-architecture=compute_75 and those of the caller are all, and the number counts both.");
    }
    judge_mistake_value(c, "there_is_ptx", fails, fails ? "There is no PTX when a compilation has failed: out->ptx stays NULL." : "out->ptx is NULL: is the PTX fetched, when the compilation has worked, and kept?");
    judge_mistake_value(c, "the_ptx_is_for_compute_75", 0, "For which architecture is the source compiled? The contract asks for compute_75: which option says so, and does it reach nvrtcCompileProgram?");
    judge_mistake_value(c, "there_is_a_name", fails, fails ? "There is no name when a compilation has failed: out->name stays NULL." : "out->name is not there: nvrtcAddNameExpression before the compilation, nvrtcGetLoweredName behind it, and a copy of what it gives.");
    judge_mistake_value(c, "the_name_is_nvrtcs", 0, "out->name is not what nvrtcGetLoweredName gave. That text belongs to the program, and is gone after nvrtcDestroyProgram: copy it before.");
    judge_mistake_value(c, "there_is_a_log", 0, "out->log is NULL: it is fetched whatever came out of the compilation, and is an empty text when the compiler has nothing to say.");
    judge_mistake_value(c, "the_log_is_whole", 0, "out->log is not all that nvrtcGetProgramLog gives: how large is what it is put into, by nvrtcGetProgramLogSize, and is it fetched also when the compilation has failed?");
    judge_mistake_value(c, "the_log_names_the_place", 0, "The log does not name the file and line: is it the compiler's log, and does nvrtcCreateProgram get `file` as its third argument?");
}

static void name_refused(JudgeCase *c)
{
    static const char hint[] = "That function failed, and source_compile returned 0: is its value looked at, and not replaced by that of a later call that works?";
#define NAME(function) judge_mistake_value(c, REFUSED_KEY(function), 0, hint);
    REFUSED_FUNCTIONS(NAME)
    static const char log_hint[] = "The compiler has run, and then that function failed: out->log is there all the same. Is the log fetched before the PTX and the name, or on every way out?";
#define NAME_LOG(function) judge_mistake_value(c, LOG_KEY(function), 0, log_hint);
    FUNCTIONS_BEHIND(NAME_LOG)
}

static void name_load(JudgeCase *c)
{
    judge_mistake_value(c, "kernel_load_returned", 0, "The error of cuModuleGetFunction is lost: unloading the module works, and its value is not the one to return.");
    judge_mistake_value(c, "there_is_a_module", 1, "After the load has failed k->module has to be NULL, unloaded or not: whoever unloads k would do it once more.");
    judge_mistake_value(c, "returned_when_cuModuleLoadData_failed", 0, "The error of cuModuleLoadData is lost: it is the one to return, and without a module there is nothing to look up.");
    judge_mistake_value(c, "there_is_a_module_when_cuModuleLoadData_failed", 1, "k holds anything when kernel_load is called: where cuModuleLoadData fails, who makes k->module NULL?");
    static const double errors[] = {1, 201, 400}; /* CUDA_ERROR_INVALID_VALUE, _INVALID_CONTEXT, _INVALID_HANDLE */
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        judge_mistake_value(c, "kernel_unload_of_none_returned", errors[i], "Where k->module is NULL there is nothing to unload, and kernel_unload returns 0.");
}

static void name_map(JudgeCase *c, const char *source, double in_factor, double a, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = mapped(source, in_factor * in[i], a);
}

static const char a_hint[] = "Is the address of the float a among the arguments, as the fourth? A double or an int in its place has other bytes: the first four of a double may be 0, and those of an int are a float near 0.";
static const char in_hint[] = "Is all of in copied to the device, into the memory whose address is the first argument?";
static const char out_hint[] = "Which device memory is copied back, is its address the second argument, and does the kernel run?";

static void name_maps(JudgeCase *c)
{
    const char *source = judge_param_text(c, "source");
    double a = judge_param_float(c, "a");
    int adds = strcmp(source, "shift") == 0, multiplies = !adds && strcmp(source, "blend") != 0;
    if (judge_has_param(c, "beside"))
        name_map(c, judge_param_text(c, "beside"), 1, a, "it is what the other kernel gives", "Are module and function kept in the Kernel that the caller has, and in no place that both share?");
    if (adds)
        name_map(c, "shift", 1, 0, "it is in, which is also what a = 0 gives", "Which device memory is copied back, and does the kernel run? Is the address of the float a, no double and no int, among the arguments, as the fourth?");
    else if (multiplies)
        name_map(c, source, 1, 0, "it is 0, which is what a = 0 gives, or in = 0", "Is the address of the float a, no double and no int, among the arguments, as the fourth? Is all of in copied to the device, into the memory whose address is the first argument?");
    else
        name_map(c, source, 1, 0, "it is what a = 0 gives", a_hint);
    if (!multiplies)
        name_map(c, source, 0, a, "it is what in = 0 gives", in_hint);
    name_map(c, "shift", 1, 0, "it is in, unchanged", out_hint);
    if (a != trunc(a) && trunc(a) != 0)
        name_map(c, source, 1, trunc(a), "they are what comes out when a has lost its fraction", "Of which type is what a goes through on its way to the arguments? The kernel's parameter is a float.");
}

static void name_power(JudgeCase *c, int64_t exponent, const char *sentence, const char *hint)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    double *out = judge_mistake(c, "out", sentence, hint);
    for (size_t i = 0; i < n && out != NULL; i++)
        out[i] = to_the_power(in[i], exponent);
}

static void name_powers(JudgeCase *c)
{
    int64_t exponent = judge_param_int(c, "exponent");
    static const char hint[] = "Which number stands behind -DEXPONENT= when the source is compiled, and how many turns has the loop then?";
    if (judge_has_param(c, "first"))
        name_power(c, judge_param_int(c, "first"), "the exponent is that of the call before", "What is kept from call to call: a static text, a compiled source, a kernel? The exponent is a part of each.");
    name_power(c, 0, "the exponent is 0", hint);
    name_power(c, 1, "it is in, which is in to the power of 1", "Which device memory is copied back? And which number stands behind -DEXPONENT= when the source is compiled?");
    if (exponent > 0)
        name_power(c, exponent - 1, "the exponent is one too small", hint);
    name_power(c, exponent + 1, "the exponent is one too large", hint);
    name_power(c, exponent % 10, "the exponent has lost all digits but the last", "How long is the text that the option is written into?");
    name_power(c, exponent / 10, "the exponent has lost its last digit", "How long is the text that the option is written into? It has a 0 byte at its end.");
    if (!judge_has_param(c, "first"))
        return;
    static const char lost[] = "power returns the first error of what it calls: is the value of each step looked at, and does no later one that works, such as unloading, take its place?";
    judge_mistake_value(c, "power_returned_when_nvrtcCompileProgram_failed", 0, lost);
    judge_mistake_value(c, "power_returned_when_cuModuleGetFunction_failed", 0, lost);
}

void judge_mistakes(JudgeCase *c)
{
    if (is_text(c, "function", "compile"))
        name_compile(c, fails_to_compile(c));
    else if (is_text(c, "function", "refused"))
        name_refused(c);
    else if (is_text(c, "function", "load"))
        name_load(c);
    else if (is_text(c, "function", "cache"))
        name_cache(c);
    else if (is_text(c, "function", "power"))
        name_powers(c);
    else
        name_maps(c);
    name_values(c, "programs_not_destroyed", 1, 9, "Each program that nvrtcCreateProgram made is destroyed by nvrtcDestroyProgram, on every path out of source_compile, also where something has failed.");
}
