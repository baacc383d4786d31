/* What may stand in a place of the syntax tree instead: one function for each kind of place. */
#include "common/mutants/mutants_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { CHILDREN_MAX = 64, NAME_MAX_BYTES = 128 };

typedef struct Children {
    CXCursor child[CHILDREN_MAX];
    unsigned n;
} Children;

static enum CXChildVisitResult collect_mutants(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Children *c = data;
    (void)parent;
    if (c->n < CHILDREN_MAX)
        c->child[c->n++] = cursor;
    return CXChildVisit_Continue;
}

static Children children_of(CXCursor cursor)
{
    Children c = {.n = 0};
    clang_visitChildren(cursor, collect_mutants, &c);
    return c;
}

static Span span_of(CXCursor cursor)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    unsigned begin = 0, end = 0;
    clang_getExpansionLocation(clang_getRangeStart(range), NULL, NULL, NULL, &begin);
    clang_getExpansionLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    return (Span){begin, end};
}

/* For printf's %.*s: the bytes of a span. */
#define TEXT(m, s) (int)((s).end - (s).begin), (m)->source + (s).begin

static bool is_text(const Mutants *m, Span s, const char *text)
{
    return s.end >= s.begin && s.end - s.begin == strlen(text) &&
           memcmp(m->source + s.begin, text, strlen(text)) == 0;
}

static Span trimmed(const Mutants *m, Span s)
{
    while (s.begin < s.end && isspace((unsigned char)m->source[s.begin]))
        s.begin++;
    while (s.end > s.begin && isspace((unsigned char)m->source[s.end - 1]))
        s.end--;
    return s;
}

/* What a cursor is called, in a buffer that the next call uses again. */
static const char *name_of(CXCursor cursor)
{
    static _Thread_local char name[NAME_MAX_BYTES];
    CXString text = clang_getCursorSpelling(cursor);
    strncpy(name, clang_getCString(text) ? clang_getCString(text) : "", sizeof name - 1);
    clang_disposeString(text);
    return name;
}

/* Below what libclang does not show: casts and parentheses of the compiler's own. */
static CXCursor without_cover(CXCursor cursor)
{
    while (clang_getCursorKind(cursor) == CXCursor_UnexposedExpr) {
        Children c = children_of(cursor);
        if (c.n != 1)
            break;
        cursor = c.child[0];
    }
    return cursor;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_device_function(CXCursor function)
{
    Children c = children_of(function);
    for (unsigned i = 0; i < c.n; i++)
        if (clang_getCursorKind(c.child[i]) == CXCursor_CUDAGlobalAttr ||
            clang_getCursorKind(c.child[i]) == CXCursor_CUDADeviceAttr)
            return true;
    return false;
}

/* ---- Operations of two sides ---- */

typedef struct Replacement {
    const char *from, *to;
    MutantOperator operator;
} Replacement;

static const Replacement replacements[] = {
    {"<", "<=", MUTANT_BOUND},       {"<=", "<", MUTANT_BOUND},     {">", ">=", MUTANT_BOUND},
    {">=", ">", MUTANT_BOUND},       {"==", "!=", MUTANT_EQUALITY}, {"!=", "==", MUTANT_EQUALITY},
    {"&&", "||", MUTANT_LOGIC},      {"||", "&&", MUTANT_LOGIC},    {"+", "-", MUTANT_ARITHMETIC},
    {"-", "+", MUTANT_ARITHMETIC},   {"*", "+", MUTANT_ARITHMETIC}, {"+=", "=", MUTANT_STORE},
    {"-=", "+=", MUTANT_ARITHMETIC},
};

/* The bytes of the operator between the two sides. */
static Span sign_of(const Mutants *m, Children sides)
{
    return trimmed(m, (Span){span_of(sides.child[0]).end, span_of(sides.child[1]).begin});
}

/* `(x + y - 1) / y`: the span of x, empty where it is something else. */
static Span rounded_up(const Mutants *m, CXCursor quotient)
{
    Children sides = children_of(quotient);
    CXCursor top = sides.n == 2 ? without_cover(sides.child[0]) : clang_getNullCursor();
    if (sides.n != 2 || !is_text(m, sign_of(m, sides), "/") || clang_getCursorKind(top) != CXCursor_ParenExpr)
        return (Span){0, 0};
    Children inner = children_of(top);
    Children less = children_of(without_cover(inner.child[0]));
    if (inner.n != 1 || less.n != 2 || !is_text(m, sign_of(m, less), "-") ||
        !is_text(m, span_of(less.child[1]), "1"))
        return (Span){0, 0};
    Children sum = children_of(without_cover(less.child[0]));
    return sum.n == 2 && is_text(m, sign_of(m, sum), "+") ? span_of(sum.child[0]) : (Span){0, 0};
}

static void of_binary(Mutants *m, CXCursor cursor)
{
    Children sides = children_of(cursor);
    if (sides.n != 2)
        return;
    Span all = span_of(cursor), left = span_of(sides.child[0]), right = span_of(sides.child[1]),
         sign = sign_of(m, sides);
    for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++)
        if (is_text(m, sign, replacements[i].from))
            mutants_add(m, replacements[i].operator, sign, "%s", replacements[i].to);
    if (is_text(m, sign, "&&") || is_text(m, sign, "||")) {
        mutants_add(m, MUTANT_DROPPED_CONDITION, all, "%.*s", TEXT(m, left));
        mutants_add(m, MUTANT_DROPPED_CONDITION, all, "%.*s", TEXT(m, right));
    }
    bool is_sum = is_text(m, sign, "+") || is_text(m, sign, "-"),
         is_product = is_text(m, sign, "*") || is_text(m, sign, "/");
    if (is_sum || is_product)
        mutants_add(m, MUTANT_MISSING_TERM, all, "%.*s", TEXT(m, left));
    if (is_text(m, sign, "+") || is_text(m, sign, "*"))
        mutants_add(m, MUTANT_MISSING_TERM, all, "%.*s", TEXT(m, right));
    Span up = rounded_up(m, cursor);
    if (up.end > 0) {
        mutants_add(m, MUTANT_ROUNDING, left, "(%.*s)", TEXT(m, up));
        mutants_add(m, MUTANT_ROUNDING, all, "((%.*s) / (%.*s) + 1)", TEXT(m, up), TEXT(m, right));
    }
    bool is_call = clang_getCursorKind(without_cover(sides.child[1])) == CXCursor_CallExpr;
    if (is_text(m, sign, "=") && is_call)
        mutants_add(m, MUTANT_DROPPED_RESULT, all, "%.*s", TEXT(m, right));
}

/* ---- Where a thread is, and what it indexes ---- */

static void of_member(Mutants *m, CXCursor cursor)
{
    static const char *const other[][2] = {{"threadIdx", "blockIdx"},
                                           {"blockIdx", "threadIdx"},
                                           {"blockDim", "gridDim"},
                                           {"gridDim", "blockDim"}};
    Children base = children_of(cursor);
    Span all = span_of(cursor);
    if (base.n != 1 || all.end == 0)
        return;
    Span object = span_of(base.child[0]), axis = {all.end - 1, all.end};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        if (!is_text(m, object, other[i][0]))
            continue;
        mutants_add(m, MUTANT_BUILTIN, object, "%s", other[i][1]);
        for (const char *a = "xyz"; *a; a++)
            mutants_add(m, MUTANT_AXIS, axis, "%c", *a);
    }
}

static void of_subscript(Mutants *m, CXCursor cursor)
{
    Children c = children_of(cursor);
    if (c.n != 2)
        return;
    Span index = span_of(c.child[1]);
    mutants_add(m, MUTANT_OFF_BY_ONE, index, "%.*s + 1", TEXT(m, index));
    mutants_add(m, MUTANT_OFF_BY_ONE, index, "%.*s - 1", TEXT(m, index));
}

static void of_number(Mutants *m, CXCursor cursor)
{
    Span s = span_of(cursor);
    if (s.end <= s.begin || (s.begin == m->kept.begin && s.end == m->kept.end) ||
        !isdigit((unsigned char)m->source[s.begin]) || s.end - s.begin > 9)
        return;
    if (s.end - s.begin > 2 && tolower((unsigned char)m->source[s.begin + 1]) == 'x')
        return;
    mutants_add(m, MUTANT_CONSTANT, s, "(%.*s + 1)", TEXT(m, s));
    mutants_add(m, MUTANT_CONSTANT, s, "(%.*s - 1)", TEXT(m, s));
}

/* ---- Statements ---- */

static void of_if(Mutants *m, CXCursor cursor)
{
    Children c = children_of(cursor);
    if (c.n < 2)
        return;
    Span condition = span_of(c.child[0]);
    bool leaves = clang_getCursorKind(c.child[1]) == CXCursor_ReturnStmt;
    mutants_add(m, MUTANT_DROPPED_GUARD, condition, "%s", leaves ? "false" : "true");
    if (c.n == 3)
        mutants_add(m, MUTANT_DROPPED_GUARD, condition, "false");
}

static void of_choice(Mutants *m, CXCursor cursor)
{
    Children c = children_of(cursor);
    if (c.n != 3)
        return;
    mutants_add(m, MUTANT_BRANCH, span_of(cursor), "%.*s", TEXT(m, span_of(c.child[1])));
    mutants_add(m, MUTANT_BRANCH, span_of(cursor), "%.*s", TEXT(m, span_of(c.child[2])));
}

static void of_for(Mutants *m, CXCursor cursor)
{
    Children c = children_of(cursor);
    for (unsigned i = 0; i + 1 < c.n; i++) {
        CXCursor part = without_cover(c.child[i]);
        Children inner = children_of(part);
        if (clang_getCursorKind(part) == CXCursor_CompoundAssignOperator && inner.n == 2) {
            Span step = span_of(inner.child[1]);
            mutants_add(m, MUTANT_LOOP_STEP, step, "1");
            mutants_add(m, MUTANT_LOOP_STEP, step, "2 * (%.*s)", TEXT(m, step));
        }
        if (clang_getCursorKind(part) != CXCursor_DeclStmt || inner.n != 1)
            continue;
        Children start = children_of(inner.child[0]);
        if (start.n > 0) {
            Span s = span_of(start.child[start.n - 1]);
            mutants_add(m, MUTANT_LOOP_START, s, "%.*s + 1", TEXT(m, s));
        }
    }
}

/* ---- Variables and types ---- */

/* `threads(32, 4)`: a value of numbers alone. */
static bool are_numbers(const Mutants *m, Span value)
{
    const char *at = memchr(m->source + value.begin, '(', value.end - value.begin);
    for (; at && at < m->source + value.end; at++)
        if (!strchr("(0123456789, )", *at))
            return false;
    return at;
}

static void of_variable(Mutants *m, CXCursor cursor, CXCursor parent)
{
    static const char *const narrower[][2] = {{"size_t", "int"}, {"float", "int"}, {"double", "float"}};
    Span all = span_of(cursor);
    if (clang_getCursorKind(parent) != CXCursor_DeclStmt)
        return;
    Children c = children_of(cursor);
    if (clang_getCursorType(cursor).kind == CXType_ConstantArray && c.n > 0) {
        for (unsigned i = 0; i < c.n; i++) {
            Span size = span_of(c.child[i]);
            if (size.begin > all.begin && m->source[size.end] == ']')
                mutants_add(m, MUTANT_SHARED_SIZE, size, "%.*s - 1", TEXT(m, size));
        }
        return;
    }
    for (size_t i = 0; i < sizeof narrower / sizeof *narrower; i++) {
        Span word = {all.begin, all.begin + strlen(narrower[i][0])};
        if (word.end < all.end && is_text(m, word, narrower[i][0]) && m->source[word.end] == ' ' &&
            m->source[word.end + 1] != '*')
            mutants_add(m, MUTANT_TYPE, word, "%s", narrower[i][1]);
    }
    if (is_device_function(clang_getCursorSemanticParent(cursor)))
        return;
    Span value = c.n > 0 ? span_of(c.child[c.n - 1]) : all;
    bool is_constant = clang_getCursorType(cursor).kind != CXType_Pointer &&
                       strcspn(m->source + value.begin, "0123456789") == 0;
    if (clang_getCursorType(cursor).kind == CXType_Record && c.n > 0)
        is_constant = are_numbers(m, value);
    if (c.n > 0 && !is_constant && clang_Cursor_getStorageClass(cursor) == CX_SC_None &&
        clang_getCursorKind(clang_getCursorSemanticParent(cursor)) == CXCursor_FunctionDecl)
        mutants_add(m, MUTANT_STATIC, (Span){all.begin, all.begin}, "static ");
}

static void of_cast(Mutants *m, CXCursor cursor)
{
    Children c = children_of(cursor);
    bool narrows = c.n > 0 && clang_getCursorType(cursor).kind != CXType_Pointer;
    if (narrows)
        mutants_add(m, MUTANT_TYPE, span_of(cursor), "%.*s", TEXT(m, span_of(c.child[c.n - 1])));
}

static void of_sizeof(Mutants *m, CXCursor cursor)
{
    Span s = span_of(cursor);
    if (s.end - s.begin > 7 && begins_with(m->source + s.begin, "sizeof"))
        mutants_add(m, MUTANT_SIZE, s, "1");
}

/* ---- Calls and launches ---- */

/* `kernel<<<blocks, threads, shared, stream>>>`: spans of what stands between the brackets. */
static unsigned launch_parts(const Mutants *m, Span all, Span parts[4])
{
    const char *end = m->source + all.end, *at = m->source + all.begin;
    while (at + 3 <= end && strncmp(at, "<<<", 3) != 0)
        at++;
    if (at + 3 > end)
        return 0;
    unsigned n = 0;
    int depth = 0;
    const char *from = at += 3;
    for (; at + 3 <= end && n < 4; at++) {
        bool closes = depth == 0 && strncmp(at, ">>>", 3) == 0;
        if (closes || (depth == 0 && *at == ','))
            parts[n++] = trimmed(m, (Span){(size_t)(from - m->source), (size_t)(at - m->source)}),
            from = at + 1;
        if (closes)
            return n;
        depth += (*at == '(') - (*at == ')');
    }
    return 0;
}

static void of_launch(Mutants *m, Span all)
{
    Span p[4];
    unsigned n = launch_parts(m, all, p);
    if (n < 2)
        return;
    mutants_add(m, MUTANT_LAUNCH_SHAPE, (Span){p[0].begin, p[1].end}, "%.*s, %.*s", TEXT(m, p[1]),
                TEXT(m, p[0]));
    mutants_add(m, MUTANT_LAUNCH_SHAPE, p[0], "1");
    if (n >= 3 && is_text(m, p[2], "0"))
        m->kept = p[2]; /* a byte of shared memory that nobody uses changes nothing */
    else if (n >= 3)
        mutants_add(m, MUTANT_LAUNCH_SHAPE, p[2], "0");
    if (n == 4)
        mutants_add(m, MUTANT_LAUNCH_SHAPE, p[3], "0");
}

static bool is_in(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

static void exchange_arguments(Mutants *m, CXCursor call)
{
    int n = clang_Cursor_getNumArguments(call);
    for (int i = 0; i + 1 < n; i++) {
        CXCursor a = clang_Cursor_getArgument(call, (unsigned)i),
                 b = clang_Cursor_getArgument(call, (unsigned)i + 1);
        CXType ta = clang_getCanonicalType(clang_getCursorType(without_cover(a))),
               tb = clang_getCanonicalType(clang_getCursorType(without_cover(b)));
        Span sa = span_of(a), sb = span_of(b);
        bool same = ta.kind == tb.kind && ta.kind != CXType_Record && ta.kind != CXType_Invalid;
        if (same && sa.end < sb.begin)
            mutants_add(m, MUTANT_ARGUMENTS, (Span){sa.begin, sb.end}, "%.*s%.*s%.*s", TEXT(m, sb),
                        (int)(sb.begin - sa.end), m->source + sa.end, TEXT(m, sa));
    }
}

static void of_call(Mutants *m, CXCursor cursor)
{
    static const char *const barriers[] = {"__syncthreads", "__syncwarp", "__threadfence",
                                           "__threadfence_block", NULL};
    static const char *const dropped[] = {"cudaFree",
                                          "cudaFreeHost",
                                          "cudaStreamSynchronize",
                                          "cudaDeviceSynchronize",
                                          "cudaEventRecord",
                                          "cudaStreamWaitEvent",
                                          "cudaEventSynchronize",
                                          "cudaMemset",
                                          "cudaMemsetAsync",
                                          "cudaMemcpy",
                                          "cudaMemcpyAsync",
                                          "cudaStreamDestroy",
                                          "cudaEventDestroy",
                                          "cudaMemcpyToSymbol",
                                          "cudaFuncSetAttribute",
                                          "cudaSetDevice",
                                          "cudaMemPrefetchAsync",
                                          "cudaMemAdvise",
                                          NULL};
    static const char *const pairs[][2] = {
        {"min", "max"}, {"fminf", "fmaxf"}, {"__shfl_down_sync", "__shfl_up_sync"}};
    Span all = span_of(cursor);
    char name[NAME_MAX_BYTES];
    strcpy(name, name_of(cursor));
    size_t head = strlen(name);
    bool plain = head > 0 && begins_with(m->source + all.begin, name) && m->source[all.begin + head] == '(';
    if (!plain) {
        of_launch(m, all);
        exchange_arguments(m, cursor);
        return;
    }
    if (is_in(name, barriers))
        mutants_add(m, MUTANT_DROPPED_BARRIER, all, "(void)0");
    if (is_in(name, dropped))
        mutants_add(m, MUTANT_DROPPED_CALL, all, "cudaSuccess");
    if (strcmp(name, "cudaGetLastError") == 0)
        mutants_add(m, MUTANT_DROPPED_CHECK, all, "cudaSuccess");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int side = 0; side < 2; side++)
            if (strcmp(name, pairs[i][side]) == 0)
                mutants_add(m, MUTANT_EXTREME, (Span){all.begin, all.begin + head}, "%s", pairs[i][1 - side]);
    if (strcmp(name, "atomicAdd") == 0 && clang_Cursor_getNumArguments(cursor) == 2)
        mutants_add(m, MUTANT_ATOMIC, all, "*(%.*s) += %.*s",
                    TEXT(m, span_of(clang_Cursor_getArgument(cursor, 0))),
                    TEXT(m, span_of(clang_Cursor_getArgument(cursor, 1))));
    if (strcmp(name, "min") != 0 && strcmp(name, "max") != 0 && strcmp(name, "fminf") != 0 &&
        strcmp(name, "fmaxf") != 0)
        exchange_arguments(m, cursor);
}

static void of_name(Mutants *m, CXCursor cursor)
{
    static const char *const directions[][2] = {{"cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost"},
                                                {"cudaMemcpyDeviceToHost", "cudaMemcpyHostToDevice"}};
    Span s = span_of(cursor);
    for (size_t i = 0; i < 2; i++)
        if (is_text(m, s, directions[i][0]))
            mutants_add(m, MUTANT_DIRECTION, s, "%s", directions[i][1]);
}

/* A function of the host that returns an int: from the second call on it does nothing. */
static void of_function(Mutants *m, CXCursor cursor)
{
    Children c = children_of(cursor);
    if (c.n == 0 || clang_getCursorKind(c.child[c.n - 1]) != CXCursor_CompoundStmt ||
        clang_getCursorResultType(cursor).kind != CXType_Int)
        return;
    if (is_device_function(cursor))
        return;
    size_t body = span_of(c.child[c.n - 1]).begin + 1;
    const char *written = strstr(m->source + body, "//@ solution");
    if (written && written < m->source + span_of(cursor).end &&
        clang_getCursorLinkage(cursor) == CXLinkage_External)
        mutants_add(m, MUTANT_DEAD_SECOND_CALL, (Span){body, body},
                    " static int calls; if (calls++ > 0) return 0;");
}

/* ---- A first value that nobody reads ---- */

typedef struct FirstUse {
    const Mutants *m;
    CXCursor variable;
    size_t used, written; /* bytes; 0: not found */
} FirstUse;

/* Where a cursor begins; in an argument of a macro, there. */
static size_t place_of(CXCursor cursor)
{
    unsigned begin = 0;
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(cursor)), NULL, NULL, NULL, &begin);
    return begin;
}

/* `&variable` where a function of CUDA takes a pointer to what it writes. */
static void find_writing_call(FirstUse *f, CXCursor call)
{
    CXType function = clang_getCursorType(clang_getCursorReferenced(call));
    int n = begins_with(name_of(call), "cuda") ? clang_Cursor_getNumArguments(call) : 0;
    for (int i = 0; i < n && f->written == 0; i++) {
        CXType parameter = clang_getCanonicalType(clang_getArgType(function, (unsigned)i));
        CXCursor address = without_cover(clang_Cursor_getArgument(call, (unsigned)i));
        Children c = children_of(address);
        bool writes =
            parameter.kind == CXType_Pointer && !clang_isConstQualifiedType(clang_getPointeeType(parameter));
        if (!writes || clang_getCursorKind(address) != CXCursor_UnaryOperator || c.n != 1 ||
            f->m->source[place_of(address)] != '&')
            continue;
        if (clang_equalCursors(clang_getCursorReferenced(c.child[0]), f->variable))
            f->written = place_of(c.child[0]);
    }
}

static enum CXChildVisitResult find_first_use(CXCursor cursor, CXCursor parent, CXClientData data)
{
    FirstUse *f = data;
    (void)parent;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_CallExpr)
        find_writing_call(f, cursor);
    if (kind == CXCursor_DeclRefExpr && clang_equalCursors(clang_getCursorReferenced(cursor), f->variable)) {
        f->used = place_of(cursor);
        return CXChildVisit_Break;
    }
    return CXChildVisit_Recurse;
}

/* `int n = 0;` whose first use is `&n` in a call that writes it: any number will do. */
static bool is_written_first(const Mutants *m, CXCursor variable)
{
    FirstUse f = {.m = m, .variable = variable};
    clang_visitChildren(clang_getCursorSemanticParent(variable), find_first_use, &f);
    return f.used > 0 && f.used == f.written;
}

/* ---- Styles: the same program, written otherwise ---- */

/* `kernel<<<blocks, threads>>>(x)` as a call: style_launch(kernel, dim3(blocks), dim3(threads), 0, 0, x). */
static void launch_as_call(Mutants *m, CXCursor cursor)
{
    Span p[4], all = span_of(cursor);
    unsigned n = launch_parts(m, all, p);
    if (n < 2 || m->source[all.end - 1] != ')')
        return;
    const char *start = m->source + all.begin, *brackets = strstr(start, "<<<"),
               *arguments = strchr(m->source + p[n - 1].end, '(') + 1;
    if (memchr(start, '(', (size_t)(brackets - start))) /* a call with a launch in it */
        return;
    Span given = trimmed(m, (Span){(size_t)(arguments - m->source), all.end - 1});
    char text[4096];
    int length = snprintf(text, sizeof text, "style_launch(%.*s, dim3(%.*s), dim3(%.*s)", (int)(brackets - start), start,
                          TEXT(m, p[0]), TEXT(m, p[1]));
    for (unsigned i = 2; i < 4 && length < (int)sizeof text; i++)
        length += i < n ? snprintf(text + length, sizeof text - (size_t)length, ", %.*s", TEXT(m, p[i]))
                        : snprintf(text + length, sizeof text - (size_t)length, ", 0");
    if (length < (int)sizeof text)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%.*s)", given.end > given.begin ? ", " : "",
                           TEXT(m, given));
    if (length < (int)sizeof text)
        mutants_change(m, all, text);
}

/* `int i = x` of a kernel as `long long i = (int)(x)`, where x may wrap; of several in one statement all at once. */
static void widen_variable(Mutants *m, CXCursor cursor)
{
    Span all = span_of(cursor), word = {all.begin, all.begin + 3};
    if (clang_getCursorType(cursor).kind != CXType_Int || !is_text(m, word, "int") ||
        !is_device_function(clang_getCursorSemanticParent(cursor)))
        return;
    bool is_first = true;
    for (size_t i = 0; i < m->n; i++)
        is_first = is_first && m->list[i].begin != word.begin;
    if (is_first)
        mutants_change(m, word, "long long");
    Children c = children_of(cursor);
    Span value = c.n > 0 ? span_of(c.child[c.n - 1]) : (Span){0, 0};
    if (value.end > value.begin)
        mutants_change(m, value, arena_printf(m->arena, "(int)(%.*s)", TEXT(m, value)));
}

void style_of_cursor(Mutants *m, Style style, CXCursor cursor)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (style == STYLE_LAUNCHES && kind == CXCursor_CallExpr)
        launch_as_call(m, cursor);
    if (style == STYLE_WIDE && kind == CXCursor_VarDecl)
        widen_variable(m, cursor);
}

static const struct {
    enum CXCursorKind kind;
    void (*add)(Mutants *m, CXCursor cursor);
} kinds[] = {
    {CXCursor_BinaryOperator, of_binary},
    {CXCursor_CompoundAssignOperator, of_binary},
    {CXCursor_MemberRefExpr, of_member},
    {CXCursor_ArraySubscriptExpr, of_subscript},
    {CXCursor_IntegerLiteral, of_number},
    {CXCursor_IfStmt, of_if},
    {CXCursor_ConditionalOperator, of_choice},
    {CXCursor_ForStmt, of_for},
    {CXCursor_CStyleCastExpr, of_cast},
    {CXCursor_UnaryExpr, of_sizeof},
    {CXCursor_CallExpr, of_call},
    {CXCursor_DeclRefExpr, of_name},
    {CXCursor_FunctionDecl, of_function},
};

bool mutants_of_cursor(Mutants *m, CXTranslationUnit unit, CXCursor cursor, CXCursor parent)
{
    (void)unit;
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_VarDecl) {
        of_variable(m, cursor, parent);
        Children c = children_of(cursor);
        bool is_number =
            c.n > 0 && clang_getCursorKind(without_cover(c.child[c.n - 1])) == CXCursor_IntegerLiteral;
        if (is_number && is_written_first(m, cursor))
            return false;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            kinds[i].add(m, cursor);
    return true;
}
