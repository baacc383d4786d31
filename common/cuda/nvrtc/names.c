/* names: what a name expression is called in the PTX; see nvrtc_internal.h. */
#include "common/cuda/nvrtc/nvrtc_internal.h"

#include <stdlib.h>
#include <string.h>

#define VARIABLE "kit_name_expression_"

void names_ask(const struct _nvrtcProgram *p, StrBuf *source)
{
    for (size_t i = 0; i < p->n_expressions; i++)
        strbuf_printf(
            source,
            "\n#line 1 \"name expression\"\n__device__ __attribute__((used, nodebug)) const void *" VARIABLE
            "%zu = (const void *)(%s);\n",
            i, p->expressions[i].text);
}

/* The name in "... kit_name_expression_0 = NAME;", with generic(NAME) and [1] = {NAME} as well. */
static const char *initialiser(Arena *a, const char *line, const char *end)
{
    const char *at = memchr(line, '=', (size_t)(end - line));
    for (at = at ? at + 1 : end; at < end && (*at == ' ' || *at == '{'); at++)
        ;
    if ((size_t)(end - at) > 8 && strncmp(at, "generic(", 8) == 0)
        at += 8;
    size_t n = 0;
    while (at + n < end && !strchr(" ;,)}", at[n]))
        n++;
    return n ? arena_strndup(a, at, n) : NULL;
}

/* A line that declares one of the variables; false where it is another line. */
static bool take_line(struct _nvrtcProgram *p, const char *line, const char *end)
{
    static const size_t length = sizeof VARIABLE - 1;
    const char *at = memmem(line, (size_t)(end - line), VARIABLE, length);
    if (!at)
        return false;
    size_t i = strtoul(at + length, NULL, 10);
    if (i < p->n_expressions)
        p->expressions[i].lowered = initialiser(&p->arena, at, end);
    return true;
}

nvrtcResult names_take(struct _nvrtcProgram *p)
{
    StrBuf all = p->ptx;
    p->ptx = (StrBuf){0};
    for (const char *line = all.text ? all.text : ""; *line;) {
        const char *end = line + strcspn(line, "\n");
        if (!take_line(p, line, end))
            strbuf_append(&p->ptx, line, (size_t)(end - line) + (*end == '\n'));
        line = end + (*end == '\n');
    }
    bool failed = all.failed || p->ptx.failed;
    strbuf_free(&all);
    for (size_t i = 0; i < p->n_expressions; i++)
        if (!p->expressions[i].lowered)
            return failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    return failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS;
}
