/* Lab 16: makes a context, hands sources to the student's functions, and runs what comes back.
 *
 * It stands between the student's code and NVRTC, to count compilations and programs that are never destroyed, and to let calls fail. What was loaded
 * and launched is in the devices' record of calls, with notes of what was asked for (reference.c). NVRTC's own headers are where NVRTC's library is: in the toolkit that the machine has.
 */
#include "lab.h"

#include "runtime_compilation.h"
#include "sources.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- what NVRTC is asked for ---- */

static int n_compilations, n_refused_sources, n_programs;

/* What the last compilation gave. While `answers` is not 0, programs are not compiled: this is given once more, and the function
 * that `refused` names, if any, fails. */
static struct {
    int answers, was_asked; /* was_asked: for what it refuses */
    const char *refused;
    char *ptx, *name, *log;
} stand_in;

/* A kernel's name as the student gets it, and the program that it belongs to; when that is destroyed, its letters become GONE. */
enum { GONE = '?' };
static struct {
    char *name;
    nvrtcProgram program;
} lent;
/* Bytes that come behind a log and the PTX, for texts that are longer than an array of a guessed size. */
enum { LONG_TEXT = 200000 };
static int texts_are_long;

static const nvrtcResult REFUSED = NVRTC_ERROR_INTERNAL_ERROR;

static int refuses(const char *function)
{
    int it = stand_in.refused != NULL && strcmp(stand_in.refused, function) == 0;
    stand_in.was_asked += it;
    return it;
}

static void *find_next(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) {
        fprintf(stderr, "neither libnvrtc nor libcuda has %s\n", name);
        exit(2);
    }
    return symbol;
}

/* `next`: NVRTC's own function of this name. */
#define FIND_NEXT(name, ...)                                                                                           \
    nvrtcResult (*next)(__VA_ARGS__);                                                                                  \
    void *symbol = find_next(name);                                                                                    \
    memcpy(&next, &symbol, sizeof next)

static void keep_text(char **kept, const char *text)
{
    free(*kept);
    *kept = strdup(text);
}

/* Puts empty lines behind a text. */
static void lengthen(char *text)
{
    char *end = text + strlen(text);
    memset(end, '\n', LONG_TEXT);
    end[LONG_TEXT] = 0;
}

static const char *text_or_none(const char *text)
{
    return text == NULL ? "" : text;
}

LAB_API nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int n_headers,
                                       const char *const *headers, const char *const *header_names)
{
    FIND_NEXT("nvrtcCreateProgram", nvrtcProgram *, const char *, const char *, int, const char *const *,
              const char *const *);
    if (refuses("nvrtcCreateProgram"))
        return REFUSED;
    nvrtcResult result = next(program, source, name, n_headers, headers, header_names);
    n_programs += result == NVRTC_SUCCESS;
    return result;
}

LAB_API nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    FIND_NEXT("nvrtcAddNameExpression", nvrtcProgram, const char *);
    return refuses("nvrtcAddNameExpression") ? REFUSED : next(program, expression);
}

LAB_API nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int n_options, const char *const *options)
{
    FIND_NEXT("nvrtcCompileProgram", nvrtcProgram, int, const char *const *);
    if (refuses("nvrtcCompileProgram"))
        return REFUSED;
    if (stand_in.answers)
        return NVRTC_SUCCESS;
    n_compilations++;
    nvrtcResult result = next(program, n_options, options);
    n_refused_sources += result != NVRTC_SUCCESS;
    return result;
}

LAB_API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
    FIND_NEXT("nvrtcGetProgramLogSize", nvrtcProgram, size_t *);
    if (refuses("nvrtcGetProgramLogSize"))
        return REFUSED;
    if (!stand_in.answers) {
        nvrtcResult result = next(program, size);
        *size += result == NVRTC_SUCCESS && texts_are_long ? LONG_TEXT : 0;
        return result;
    }
    *size = 1;
    return NVRTC_SUCCESS;
}

LAB_API nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    FIND_NEXT("nvrtcGetProgramLog", nvrtcProgram, char *);
    if (refuses("nvrtcGetProgramLog"))
        return REFUSED;
    if (!stand_in.answers) {
        nvrtcResult result = next(program, log);
        if (result == NVRTC_SUCCESS && texts_are_long)
            lengthen(log);
        if (result == NVRTC_SUCCESS)
            keep_text(&stand_in.log, log);
        return result;
    }
    *log = 0;
    return NVRTC_SUCCESS;
}

LAB_API nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
    FIND_NEXT("nvrtcGetPTXSize", nvrtcProgram, size_t *);
    if (refuses("nvrtcGetPTXSize"))
        return REFUSED;
    if (!stand_in.answers) {
        nvrtcResult result = next(program, size);
        *size += result == NVRTC_SUCCESS && texts_are_long ? LONG_TEXT : 0;
        return result;
    }
    *size = strlen(text_or_none(stand_in.ptx)) + 1;
    return NVRTC_SUCCESS;
}

LAB_API nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
    FIND_NEXT("nvrtcGetPTX", nvrtcProgram, char *);
    if (refuses("nvrtcGetPTX"))
        return REFUSED;
    nvrtcResult result = stand_in.answers ? NVRTC_SUCCESS : next(program, ptx);
    if (stand_in.answers)
        strcpy(ptx, text_or_none(stand_in.ptx));
    else if (result == NVRTC_SUCCESS) {
        if (texts_are_long)
            lengthen(ptx);
        keep_text(&stand_in.ptx, ptx);
    }
    return result;
}

enum { NAMES_LENT = 256 };
static char *names_lent[NAMES_LENT];
static size_t n_names_lent;

LAB_API nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name)
{
    FIND_NEXT("nvrtcGetLoweredName", nvrtcProgram, const char *, const char **);
    if (refuses("nvrtcGetLoweredName"))
        return REFUSED;
    nvrtcResult result = stand_in.answers ? NVRTC_SUCCESS : next(program, expression, name);
    if (stand_in.answers)
        *name = text_or_none(stand_in.name);
    else if (result == NVRTC_SUCCESS) {
        keep_text(&stand_in.name, *name);
        names_lent[n_names_lent++ % NAMES_LENT] = lent.name; /* another program's: it stays, too */
        lent.program = program;
        *name = lent.name = strdup(*name);
    }
    return result;
}

LAB_API nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    FIND_NEXT("nvrtcDestroyProgram", nvrtcProgram *);
    int is_lender = program != NULL && *program == lent.program;
    nvrtcResult result = next(program);
    n_programs -= result == NVRTC_SUCCESS;
    if (result == NVRTC_SUCCESS && is_lender && lent.name != NULL)
        memset(lent.name, GONE, strlen(lent.name)); /* and stays: who still reads it gets no other text by chance */
    return result;
}

/* ---- the driver, when a module is loaded or unloaded and when a kernel is looked up ---- */

LAB_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    CUresult (*next)(CUfunction *, CUmodule, const char *);
    void *symbol = find_next("cuModuleGetFunction");
    memcpy(&next, &symbol, sizeof next);
    return refuses("cuModuleGetFunction") ? CUDA_ERROR_NOT_FOUND : next(function, module, name);
}

LAB_API CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    CUresult (*next)(CUmodule *, const void *);
    void *symbol = find_next("cuModuleLoadData");
    memcpy(&next, &symbol, sizeof next);
    return refuses("cuModuleLoadData") ? CUDA_ERROR_INVALID_PTX : next(module, image);
}

static const CUresult UNLOADING_FAILED = CUDA_ERROR_NOT_PERMITTED;

LAB_API CUresult cuModuleUnload(CUmodule module)
{
    CUresult (*next)(CUmodule);
    void *symbol = find_next("cuModuleUnload");
    memcpy(&next, &symbol, sizeof next);
    if (!refuses("cuModuleUnload") || stand_in.was_asked > 1)
        return next(module); /* a jump when optimised, so that an error has the line of the caller */
    next(module);
    return UNLOADING_FAILED;
}

/* "--include-path=" and the folder of CUDA's headers, which is beside or above that of NVRTC's library. */
static void find_headers(char *option, size_t size)
{
    Dl_info info;
    char path[PATH_MAX];
    void *symbol = find_next("nvrtcVersion");
    if (dladdr(symbol, &info) != 0 && realpath(info.dli_fname, path) != NULL)
        for (char *end = strrchr(path, '/'); end != NULL; end = strrchr(path, '/')) {
            static const char *const folders[] = {"include", "include/cuda"}; /* a toolkit's, the kit's own */
            *end = 0;
            for (int i = 0; i < 2; i++) {
                char header[PATH_MAX + 64];
                snprintf(option, size, "--include-path=%s/%s", path, folders[i]);
                snprintf(header, sizeof header, "%s/%s/cuda_fp16.h", path, folders[i]);
                if (access(header, R_OK) == 0)
                    return;
            }
        }
    fprintf(stderr, "no headers of CUDA beside NVRTC's library\n");
    exit(2);
}

/* ---- failing ---- */

static void driver_check(CUresult result, const char *what)
{
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fprintf(stderr, "%s returned %d (%s)\n", what, (int)result, name == NULL ? "no error of the driver" : name);
    exit(1);
}

static void compiler_check(int result, const char *what, const char *log)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s returned %d (%s)\n", what, result, nvrtcGetErrorString((nvrtcResult)result));
    fprintf(stderr, log == NULL ? "and there is no log\n" : "the compiler says:\n%s\n", log);
    exit(1);
}

/* ---- cases ---- */

typedef struct Request {
    const char *source, *file, *expression;
    const char *options[OPTIONS_MAX];
    int n_options;
} Request;

static char headers[PATH_MAX + 32];

static Request request_of(const char *name)
{
    if (strcmp(name, "shift") == 0)
        return (Request){.source = shift_source, .file = "shift.cu", .expression = "lab::shift<3>"};
    if (strcmp(name, "blend") == 0)
        return (Request){blend_source, "blend.cu", "blend", {"-DFACTOR=2"}, 1};
    if (strcmp(name, "mistake") == 0)
        return (Request){.source = mistake_source, .file = "mistake.cu", .expression = "scale"};
    if (strcmp(name, "negative") == 0)
        return (Request){.source = negative_source, .file = "negative.cu", .expression = "scale"};
    if (strcmp(name, "unused") == 0)
        return (Request){.source = unused_source, .file = "unused.cu", .expression = LONG_NAME};
    if (strcmp(name, "no-headers") == 0)
        return (Request){halves_source, "halves.cu", "halves", {"--include-path=/nowhere"}, 1};
    if (strcmp(name, "no-kernel") == 0)
        return (Request){.source = scale_source, .file = "scale.cu", .expression = "scales"};
    if (strcmp(name, "halves") == 0) {
        find_headers(headers, sizeof headers);
        return (Request){halves_source, "halves.cu", "halves", {"-DOPTION_1", "-DOPTION_2", "-DOPTION_3", "-DOPTION_4", "-DOPTION_5", "-DOPTION_6", "-DOPTION_7", headers}, OPTIONS_MAX};
    }
    return (Request){.source = scale_source, .file = "scale.cu", .expression = "scale"};
}

/* The options lie right before a page that nobody may read. */
static int compile(const Request *r, Compiled *c)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)r->n_options * sizeof *r->options;
    char *room = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || mprotect(room + page, page, PROT_NONE) != 0)
        return source_compile(r->source, r->file, r->expression, r->options, r->n_options, c);
    char *options = room + page - bytes;
    memcpy(options, r->options, bytes);
    int result = source_compile(r->source, r->file, r->expression, (const char *const *)options, r->n_options, c);
    munmap(room, 2 * page);
    return result;
}

/* PTX is right when it can be loaded and has a kernel of that name. */
static void try_compiled(const Compiled *compiled)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr nothing = 0;
    int n = 0;
    float a = 0;
    void *arguments[] = {&nothing, &nothing, &n, &a};
    lab_own_calls(1);
    if (cuModuleLoadData(&module, compiled->ptx) == CUDA_SUCCESS) {
        if (cuModuleGetFunction(&function, module, compiled->name) == CUDA_SUCCESS &&
            cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS)
            cuCtxSynchronize();
        cuModuleUnload(module);
    }
    lab_own_calls(0);
}

/* The compiler's answer alone: is it told as it is, with its log? */
static void run_compile(LabCase *c)
{
    Request r = request_of(lab_param_text(c, "source"));
    Compiled compiled = {0};
    texts_are_long = lab_has_param(c, "long");
    int result = compile(&r, &compiled);
    lab_value(c, "source_compile_returned", result);
    lab_value(c, "there_is_ptx", compiled.ptx != NULL);
    lab_value(c, "the_ptx_is_for_compute_75", compiled.ptx == NULL || strstr(compiled.ptx, ".target sm_75") != NULL);
    lab_value(c, "there_is_a_name", compiled.name != NULL && compiled.name[0] != 0);
    lab_value(c, "the_name_is_nvrtcs", result != 0 || strcmp(text_or_none(compiled.name), text_or_none(stand_in.name)) == 0);
    lab_value(c, "there_is_a_log", compiled.log != NULL);
    lab_value(c, "the_log_is_whole", strcmp(text_or_none(compiled.log), text_or_none(stand_in.log)) == 0);
    const char *wanted = lab_param_text(c, "log");
    if (strcmp(wanted, "nothing") != 0)
        lab_value(c, "the_log_names_the_place", compiled.log != NULL && strstr(compiled.log, wanted) != NULL);
    if (compiled.log != NULL && compiled.log[0] != 0)
        fprintf(stderr, "the compiler says:\n%.8000s\n", compiled.log);
    if (result == 0 && compiled.ptx != NULL && compiled.name != NULL && compiled.name[0] != GONE)
        try_compiled(&compiled);
    compiled_free(&compiled);
}

/* The name of the number that says whether the log is there; NULL where the compiler need not have run. */
static const char *log_key(const char *function)
{
#define LOG_NAMES(function) {#function, LOG_KEY(function)},
    static const char *const functions[][2] = {FUNCTIONS_BEHIND(LOG_NAMES)};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i][0], function) == 0)
            return functions[i][1];
    return NULL;
}

/* Each function of NVRTC fails once: is it told? One that is not called cannot be, but nothing compiles without nvrtcCompileProgram. */
static void run_refused(LabCase *c)
{
#define NAMES(function) {#function, REFUSED_KEY(function)},
    static const char *const functions[][2] = {REFUSED_FUNCTIONS(NAMES)};
    Request r = request_of("scale");
    stand_in.answers = 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        Compiled compiled = {0};
        stand_in.refused = functions[i][0];
        stand_in.was_asked = 0;
        int result = compile(&r, &compiled);
        int must_be_asked = strcmp(functions[i][0], "nvrtcCompileProgram") == 0;
        lab_value(c, functions[i][1], stand_in.was_asked || must_be_asked ? result : (int)REFUSED);
        if (log_key(functions[i][0]) != NULL)
            lab_value(c, log_key(functions[i][0]), !stand_in.was_asked || compiled.log != NULL);
        compiled_free(&compiled);
    }
}

static void compile_named(const char *source, Compiled *compiled)
{
    Request r = request_of(source);
    int result = compile(&r, compiled);
    compiler_check(result, "source_compile", compiled->log);
}

/* PTX that the driver does not take, for a Kernel that holds anything. */
static void refuse_ptx(LabCase *c, const Compiled *compiled)
{
    static int anything;
    Kernel k = {.module = (CUmodule)&anything};
    stand_in.refused = "cuModuleLoadData";
    stand_in.was_asked = 0;
    int result = kernel_load(&k, compiled);
    stand_in.refused = NULL;
    lab_value(c, "returned_when_cuModuleLoadData_failed", stand_in.was_asked ? result : (int)CUDA_ERROR_INVALID_PTX);
    lab_value(c, "there_is_a_module_when_cuModuleLoadData_failed", k.module != NULL);
}

/* A module in which the kernel is not: what does kernel_load say, and what does it leave? */
static void run_load(LabCase *c)
{
    Compiled compiled = {0};
    Kernel k = {0}, none = {0};
    compile_named(lab_param_text(c, "source"), &compiled);
    if (compiled.name != NULL && compiled.name[0] != 0)
        compiled.name[0] = '_';
    lab_value(c, "kernel_load_returned", kernel_load(&k, &compiled));
    lab_value(c, "there_is_a_module", k.module != NULL);
    refuse_ptx(c, &compiled);
    lab_value(c, "kernel_unload_of_none_returned", kernel_unload(&none));
    compiled_free(&compiled);
}

/* With parameter `beside`, another source is compiled and loaded in the meantime, and stays until the end. */
static void run_kernel(LabCase *c)
{
    size_t n = 0;
    const float *in = lab_input_f32(c, "in", &n);
    float *out = lab_output_f32(c, "out", n);
    int n_kernels = lab_has_param(c, "beside") ? 2 : 1, result = 0;
    const char *source[2] = {lab_param_text(c, "source"), n_kernels == 2 ? lab_param_text(c, "beside") : NULL};
    Compiled compiled[2] = {{0}};
    Kernel k[2] = {{0}};
    for (int i = 0; i < n_kernels; i++)
        compile_named(source[i], &compiled[i]);
    for (int i = 0; i < n_kernels; i++) {
        if (result == 0)
            result = kernel_load(&k[i], &compiled[i]);
        compiled_free(&compiled[i]);
    }
    lab_status(c, "kernel_load", result);
    if (result != 0)
        return;
    lab_status(c, "kernel_map", kernel_map(&k[0], in, out, (int)n, (float)lab_param_float(c, "a")));
    for (int i = 0; i < n_kernels; i++)
        lab_status(c, "kernel_unload", kernel_unload(&k[i]));
}

/* What power returns for one element when the function `refused` fails; what was compiled last is compiled again. `otherwise`: power does not ask for it. */
static int refuse_power(const char *refused, int otherwise)
{
    const float one = 1;
    float other = 0;
    stand_in.answers = 1;
    stand_in.refused = refused;
    stand_in.was_asked = 0;
    int result = power(&one, &other, 1, 2);
    stand_in.refused = NULL;
    stand_in.answers = 0;
    return stand_in.was_asked ? result : otherwise;
}

static void run_power(LabCase *c)
{
    size_t n = 0;
    const float *in = lab_input_f32(c, "in", &n);
    float *out = lab_output_f32(c, "out", n);
    int result = 0;
    if (lab_has_param(c, "first")) /* another exponent, for half of the elements */
        result = power(in, out, (int)n / 2, (int)lab_param_int(c, "first"));
    if (result == 0)
        result = power(in, out, (int)n, (int)lab_param_int(c, "exponent"));
    if (result != 0) {
        fprintf(stderr, "power returned %d\n", result);
        exit(1);
    }
    if (!lab_has_param(c, "first"))
        return;
    lab_value(c, "power_returned_when_nvrtcCompileProgram_failed", refuse_power("nvrtcCompileProgram", REFUSED));
    lab_value(c, "power_returned_when_cuModuleGetFunction_failed", refuse_power("cuModuleGetFunction", CUDA_ERROR_NOT_FOUND));
}

/* Asks the cache for what `requests` says, letter by letter, each in texts that are overwritten afterwards, and runs what
 * comes back over a row of the input.
 *
 *      s: scale   b, c: blend with FACTOR 2, 3   e, d: the same with one option more behind it   t, u: shift<3>, shift<5>
 *      f: d with its options the other way round   n: another kernel called scale   m: a source with a mistake
 *      g: blend with FACTOR 5 and a K of nothing   h, i: with FACTOR 5-DK, which is 5 - 3: the texts of g without an end between two
 *      of them, and with a blank there
 */
static Request request_of_letter(char letter)
{
    Request r = request_of(letter == 's' || letter == 'r' ? "scale"
                           : letter == 'n' ? "negative"
                           : letter == 'm' ? "mistake"
                           : letter <= 'i' ? "blend"
                                           : "shift");
    r.file = letter == 'r' ? "renamed.cu" : "kernel.cu"; /* r: what s is, under another name */
    if (letter == 'c' || letter == 'd' || letter == 'f')
        r.options[0] = "-DFACTOR=3";
    if (letter >= 'd' && letter <= 'f')
        r.options[r.n_options++] = "-lineinfo";
    if (letter == 'f') {
        r.options[1] = r.options[0];
        r.options[0] = "-lineinfo";
    }
    if (letter >= 'g' && letter <= 'i') {
        r.options[0] = "-DDK=3";
        r.options[1] = letter == 'g' ? "-DFACTOR=5" : letter == 'h' ? "-DFACTOR=5-DK" : "-DFACTOR=5 -DK";
        r.options[2] = "-DK";
        r.n_options = letter == 'g' ? 3 : 2;
    }
    if (letter == 'u')
        r.expression = "lab::shift<5>";
    return r;
}

/* Sources begin with so many blanks. */
static int indent;
enum { OPTION_BYTES = 6000 }; /* of the longest option, and its 0 byte */
/* Answers of cache_get in which it left one of the caller's variables as it was. */
static int n_unset;

static int ask_cache(Cache *cache, const Request *r, const Kernel **k, char **log)
{
    static char source[16384], expression[64], options[3][OPTION_BYTES]; /* the same addresses each time */
    const char *list[3] = {options[0], options[1], options[2]};
    snprintf(source, sizeof source, "%*s%s", indent, "", r->source);
    snprintf(expression, sizeof expression, "%s", r->expression);
    for (int i = 0; i < r->n_options; i++)
        snprintf(options[i], sizeof options[i], "%s", r->options[i]);
    static const Kernel no_kernel;
    static char no_log[1];
    *k = &no_kernel; /* what the caller's variables held before */
    *log = no_log;
    int result = cache_get(cache, source, r->file, expression, list, r->n_options, k, log);
    n_unset += *k == &no_kernel || *log == no_log;
    *k = *k == &no_kernel ? NULL : *k;
    *log = *log == no_log ? NULL : *log;
    memset(source, '?', sizeof source - 1);
    memset(expression, '?', sizeof expression - 1);
    memset(options, '?', sizeof options);
    return result;
}

static int run_row(const Kernel *k, const float *in, float *out, int n)
{
    if (k == NULL) {
        fprintf(stderr, "cache_get returned 0, and no kernel\n");
        exit(1);
    }
    return kernel_map(k, in, out, n, 1.5f);
}

/* Both are 0, or the driver's error. */
static int told(LabCase *c, const char *function, int result)
{
    lab_status(c, function, result);
    return result;
}

enum { KERNELS_MAX = 48 };

/* What the cache gave is the same at the end. */
typedef struct Given {
    const Kernel *at[KERNELS_MAX];
    Kernel as_given[KERNELS_MAX];
    int n;
} Given;

static void keep_given(Given *g, const Kernel *k)
{
    if (k == NULL || g->n == KERNELS_MAX)
        return;
    g->at[g->n] = k;
    g->as_given[g->n++] = *k;
}

/* Kernels that were given for more than one of the requests from `from` up to `to`. */
static int count_same(const Given *g, int from, int to)
{
    int n = 0;
    for (int i = from; i < g->n && i < to; i++)
        for (int k = from; k < i; k++)
            n += g->at[i] == g->at[k];
    return n;
}

static int count_kept(const Given *g)
{
    int n = 0;
    for (int i = 0; i < g->n; i++)
        n += g->at[i]->module == g->as_given[i].module && g->at[i]->function == g->as_given[i].function;
    return n;
}

/* Of many requests: the first have pairs of letters that common hashes of texts (times 33 and times 31, letter by letter) take for the same.
 * Then come two options, and the same letters as one option with a sign between them that may stand in a macro's text; then two long
 * options that differ in their last letter. */
static const char *const alike[] = {"-DNUMBER=Ez", "-DNUMBER=FY", "-DNUMBER=Aa", "-DNUMBER=BB"};
static const char signs[] = "\n\t|;,:/";
enum {
    ENDS = sizeof alike / sizeof *alike, /* where those begin, and so on */
    LONGS = ENDS + sizeof signs,
    NUMBERS = LONGS + 2,
};

/* Makes the options of request i, and gives their number. */
static int make_options(int i, char options[2][OPTION_BYTES])
{
    snprintf(options[0], OPTION_BYTES, "-DNUMBER=%d", i);
    snprintf(options[1], OPTION_BYTES, "-DK");
    if (i < ENDS)
        strcpy(options[0], alike[i]);
    if (indent == 0) /* the rest is asked where sources are long, too */
        return 1;
    if (i < LONGS && i > ENDS)
        snprintf(options[0], OPTION_BYTES, "-DNUMBER=%d%c-DK", ENDS, signs[i - ENDS - 1]);
    else if (i >= LONGS && i < NUMBERS)
        snprintf(options[0], OPTION_BYTES, "-DNUMBER=%*d", OPTION_BYTES - 10, i);
    return i == ENDS ? 2 : 1;
}

/* So many requests, of which no two are the same, and then the first once more. */
static void ask_for_many(LabCase *c, Cache *cache)
{
    static char options[2][OPTION_BYTES];
    Given given = {.n = 0};
    const Kernel *k = NULL;
    Request r = request_of("scale");
    int status = 0;
    r.options[0] = options[0];
    r.options[1] = options[1];
    for (int i = 0; i <= KERNELS_MAX && status == 0; i++) {
        char *log = NULL;
        r.n_options = make_options(i % KERNELS_MAX, options);
        status = ask_cache(cache, &r, &k, &log);
        free(log);
        keep_given(&given, k);
    }
    int by_ends = indent > 0 ? count_same(&given, ENDS, LONGS) : 0, by_length = indent > 0 ? count_same(&given, LONGS, NUMBERS) : 0;
    told(c, "cache_get of many kernels", status);
    lab_value(c, "kernels_of_many_that_stayed", status != 0 ? KERNELS_MAX : count_kept(&given));
    if (indent > 0) {
        lab_value(c, "kernels_given_for_options_with_other_ends", by_ends);
        lab_value(c, "kernels_given_for_another_long_option", by_length);
    }
    lab_value(c, "kernels_of_many_given_for_another_request", count_same(&given, 0, KERNELS_MAX) - by_ends - by_length);
    lab_value(c, "the_first_of_many_is_still_there", status != 0 || (given.n > 0 && k == given.at[0]));
}

/* The compiler ran, and the kernel cannot be loaded: what the compiler said is the caller's all the same. */
static void lose_kernel(LabCase *c, Cache *cache)
{
    Request r = request_of("blend");
    const Kernel *k = NULL;
    char *log = NULL;
    stand_in.refused = "cuModuleGetFunction";
    int result = ask_cache(cache, &r, &k, &log);
    stand_in.refused = NULL;
    if (result != (int)CUDA_ERROR_NOT_FOUND) /* where another call has failed */
        told(c, "cache_get", result);
    lab_value(c, "cache_get_returned_when_cuModuleGetFunction_failed", result);
    lab_value(c, "log_is_there_when_cuModuleGetFunction_failed", log != NULL);
    lab_value(c, "kernel_is_there_when_cuModuleGetFunction_failed", k != NULL);
    free(log);
}

/* With what has been compiled last. What it loads must be unloaded again, although the driver says of the first that it was not. */
static void use_another_cache(LabCase *c)
{
    static const char *const sources[] = {"scale", "negative"};
    Cache *cache = cache_create();
    stand_in.answers = 1;
    for (int i = 0; i < 2 && cache != NULL; i++) {
        Request r = request_of(sources[i]);
        const Kernel *k = NULL;
        char *log = NULL;
        told(c, "cache_get of a second cache", ask_cache(cache, &r, &k, &log));
        free(log);
    }
    if (cache != NULL) {
        ask_for_many(c, cache);
        lose_kernel(c, cache);
    }
    stand_in.refused = "cuModuleUnload";
    stand_in.was_asked = 0;
    int result = cache_destroy(cache);
    lab_value(c, "returned_when_cuModuleUnload_failed", stand_in.was_asked ? result : (int)UNLOADING_FAILED);
    stand_in.refused = NULL;
}

enum { OTHER = 0xA5, OTHERS_BYTES_MAX = 1024, OTHERS_STEP = 16, OTHERS_EACH = 8 };

/* Somebody else's memory; each piece begins with the address of the one before. */
static void *others;

/* Somebody else takes memory of all sizes that a cache may have freed, writes to it, and keeps it: what a cache has does not grow where it
 * lies. */
static void take_freed_memory(void)
{
    for (size_t bytes = OTHERS_STEP; bytes <= OTHERS_BYTES_MAX; bytes += OTHERS_STEP)
        for (int i = 0; i < OTHERS_EACH; i++) {
            void *piece = malloc(bytes);
            if (piece == NULL)
                return;
            memset(piece, OTHER, bytes);
            memcpy(piece, &others, sizeof others);
            others = piece;
        }
}

static void give_others_back(void)
{
    while (others != NULL) {
        void *piece = others;
        memcpy(&others, piece, sizeof others);
        free(piece);
    }
}

/* After an error the cache is as it was, so that the same request works now. */
static void ask_once_more(LabCase *c, Cache *cache, const Request *r, const float *in, float *out, int n)
{
    const Kernel *k = NULL;
    char *log = NULL;
    int result = ask_cache(cache, r, &k, &log);
    free(log);
    if (result == 0)
        result = k == NULL ? CUDA_ERROR_NOT_FOUND : kernel_map(k, in, out, n, 1.5f);
    lab_next_status(c, "cache_get once more", result);
}

static void run_cache(LabCase *c)
{
    Given given = {.n = 0};
    const char *requests = lab_param_text(c, "requests");
    size_t n = 0, n_rows = 0, row = 0;
    int failed = 0, logs = 0, status = 0;
    for (const char *at = requests; *at != 0; at++)
        n_rows += *at != 'm'; /* a mistake has no result */
    const float *in = lab_input_f32(c, "in", &n);
    float *out = lab_output_f32(c, "out", n * n_rows);
    indent = lab_has_param(c, "indent") ? (int)lab_param_int(c, "indent") : 0;
    Cache *cache = cache_create();
    if (cache == NULL) {
        fprintf(stderr, "cache_create returned NULL\n");
        return;
    }
    for (const char *at = requests; *at != 0 && status == 0; at++) {
        Request r = request_of_letter(*at);
        int refused_before = n_refused_sources;
        const Kernel *k = NULL;
        char *log = NULL;
        lab_note("request %c", *at);
        int result = ask_cache(cache, &r, &k, &log);
        logs += log != NULL;
        if (*at == 'm') {
            failed += result == NVRTC_ERROR_COMPILATION && k == NULL && log != NULL && strstr(log, r.file) != NULL;
        } else {
            if (n_refused_sources > refused_before)
                compiler_check(result, "cache_get", log);
            status = told(c, "cache_get", result);
            if (status != 0)
                ask_once_more(c, cache, &r, in, out, (int)n);
            keep_given(&given, k);
            take_freed_memory();
            if (status == 0)
                status = told(c, "kernel_map", run_row(k, in, out + n * row++, (int)n));
        }
        free(log);
    }
    lab_value(c, "cache_destroy_of_none_returned", cache_destroy(NULL));
    lab_note("requested");
    lab_value(c, "kernels_that_stayed", count_kept(&given));
    give_others_back();
    int destroyed = told(c, "cache_destroy", cache_destroy(cache));
    if (status == 0 && destroyed == 0 && stand_in.name != NULL)
        use_another_cache(c);
    lab_value(c, "compilations", n_compilations);
    lab_value(c, "logs", logs);
    lab_value(c, "answers_that_leave_k_or_log_as_it_was", n_unset);
    if (strchr(requests, 'm') != NULL)
        lab_value(c, "mistakes_that_were_told", failed);
}

void lab_main(LabCase *c)
{
    const char *function = lab_param_text(c, "function");
    CUdevice device;
    CUcontext context;
    lab_own_calls(1);
    driver_check(cuInit(0), "cuInit");
    driver_check(cuDeviceGet(&device, 0), "cuDeviceGet");
    driver_check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    driver_check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    lab_own_calls(0);
    if (strcmp(function, "compile") == 0)
        run_compile(c);
    else if (strcmp(function, "refused") == 0)
        run_refused(c);
    else if (strcmp(function, "load") == 0)
        run_load(c);
    else if (strcmp(function, "kernel") == 0)
        run_kernel(c);
    else if (strcmp(function, "power") == 0)
        run_power(c);
    else
        run_cache(c);
    lab_value(c, "programs_not_destroyed", n_programs);
    lab_own_calls(1);
    driver_check(cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease");
}
