/* nvrtc: the functions that programs call (NVRTC documentation, sections 3.1 to 3.4). Programs are theirs:
 * nothing is checked of a pointer but that it is not NULL, as NVRTC does. */
#include "common/cuda/nvrtc/nvrtc_internal.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { VERSION_MAJOR = 13, VERSION_MINOR = 0 };

/* ---- in general ---- */

EXPORT const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch (result) {
#define RESULT(name)                                                                                         \
    case name:                                                                                               \
        return #name;
        RESULT(NVRTC_SUCCESS)
        RESULT(NVRTC_ERROR_OUT_OF_MEMORY)
        RESULT(NVRTC_ERROR_PROGRAM_CREATION_FAILURE)
        RESULT(NVRTC_ERROR_INVALID_INPUT)
        RESULT(NVRTC_ERROR_INVALID_PROGRAM)
        RESULT(NVRTC_ERROR_INVALID_OPTION)
        RESULT(NVRTC_ERROR_COMPILATION)
        RESULT(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
        RESULT(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
        RESULT(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
        RESULT(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
        RESULT(NVRTC_ERROR_INTERNAL_ERROR)
        RESULT(NVRTC_ERROR_TIME_FILE_WRITE_FAILED)
        RESULT(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED)
        RESULT(NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED)
        RESULT(NVRTC_ERROR_PCH_CREATE)
        RESULT(NVRTC_ERROR_CANCELLED)
        RESULT(NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED)
#undef RESULT
    }
    return "NVRTC_ERROR unknown";
}

EXPORT nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = VERSION_MAJOR;
    *minor = VERSION_MINOR;
    return NVRTC_SUCCESS;
}

/* What labcc takes; clang compiles for the highest that it knows and that is not above. */
static const int targets[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *n)
{
    if (!n)
        return NVRTC_ERROR_INVALID_INPUT;
    *n = sizeof targets / sizeof *targets;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetSupportedArchs(int *out)
{
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, targets, sizeof targets);
    return NVRTC_SUCCESS;
}

/* ---- programs ---- */

static const char *copy_of(Arena *a, const char *text)
{
    return text ? arena_strndup(a, text, strlen(text)) : NULL;
}

static void free_program(nvrtcProgram p)
{
    free(p->expressions);
    strbuf_free(&p->log);
    strbuf_free(&p->ptx);
    Arena arena = p->arena;
    free(p);
    arena_free(&arena);
}

static bool fill_program(nvrtcProgram p, const char *source, const char *name, size_t n,
                         const char *const *headers, const char *const *names)
{
    p->source = copy_of(&p->arena, source);
    p->name = copy_of(&p->arena, name && *name ? name : "default_program");
    p->headers = ARENA_NEW_ARRAY(&p->arena, Header, n + 1);
    bool ok = p->source && p->name && p->headers;
    for (; ok && p->n_headers < n; p->n_headers++) {
        Header *h = &p->headers[p->n_headers];
        h->text = copy_of(&p->arena, headers[p->n_headers]);
        h->name = copy_of(&p->arena, names[p->n_headers]);
        ok = h->text && h->name;
    }
    return ok;
}

EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int n,
                                      const char *const *headers, const char *const *names)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!source || n < 0 || (n > 0 && (!headers || !names)))
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < n; i++)
        if (!headers[i] || !names[i])
            return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram p = calloc(1, sizeof *p);
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (!fill_program(p, source, name, (size_t)n, headers, names)) {
        free_program(p);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    *program = p;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    free_program(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression)
        return NVRTC_ERROR_INVALID_INPUT;
    if (p->was_tried)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    const char *text = copy_of(&p->arena, expression);
    if (!text || !VEC_GROW(p->expressions, p->n_expressions, p->cap_expressions))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->expressions[p->n_expressions++] = (Expression){.text = text};
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (n < 0 || (n > 0 && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    return compile_program(p, n, options);
}

EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name)
{
    if (!p)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!p->is_compiled)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t i = 0; i < p->n_expressions; i++)
        if (strcmp(p->expressions[i].text, expression) == 0) {
            *name = p->expressions[i].lowered;
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---- what came out ---- */

static nvrtcResult give_size(const struct _nvrtcProgram *p, bool is_there, const StrBuf *text, size_t *bytes)
{
    if (!p || !bytes)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    *bytes = is_there ? text->length + 1 : 0;
    return NVRTC_SUCCESS;
}

static nvrtcResult give_text(const struct _nvrtcProgram *p, bool is_there, const StrBuf *text, char *out)
{
    if (!p || !out)
        return p ? NVRTC_ERROR_INVALID_INPUT : NVRTC_ERROR_INVALID_PROGRAM;
    if (is_there)
        memcpy(out, text->text ? text->text : "", text->length + 1);
    return NVRTC_SUCCESS;
}

EXPORT nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes)
{
    return give_size(p, true, p ? &p->log : NULL, bytes);
}

EXPORT nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log)
{
    return give_text(p, true, p ? &p->log : NULL, log);
}

EXPORT nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes)
{
    return give_size(p, true, p ? &p->ptx : NULL, bytes);
}

EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx)
{
    return give_text(p, true, p ? &p->ptx : NULL, ptx);
}

/* There is machine code for no card here: the image is the PTX, which modules take just as well. */
EXPORT nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes)
{
    return give_size(p, p && p->has_cubin, p ? &p->ptx : NULL, bytes);
}

EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin)
{
    return give_text(p, p && p->has_cubin, p ? &p->ptx : NULL, cubin);
}

/* -dlto is refused, so that there never is any. */
EXPORT nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t *bytes)
{
    return give_size(p, false, p ? &p->ptx : NULL, bytes);
}

EXPORT nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char *code)
{
    return give_text(p, false, p ? &p->ptx : NULL, code);
}
