/* The list of a source's mutants: reading, regions of TODOs, samples. */
#include "common/mutants/mutants_internal.h"

#include "common/base/rng.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *verdicts, *mistake;
} operators[MUTANT_OPERATORS] = {
#define X(id, name, verdicts, mistake) {name, verdicts, mistake},
#include "common/mutants/operators.def"
#undef X
};

const char *mutant_operator_name(MutantOperator o)
{
    return operators[o].name;
}

const char *mutant_operator_verdicts(MutantOperator o)
{
    return operators[o].verdicts;
}

const char *mutant_operator_mistake(MutantOperator o)
{
    return operators[o].mistake;
}

/* The TODO in whose solution the byte stands, 0 for none. */
static int todo_at(const Mutants *m, size_t offset)
{
    int todo = 0;
    for (const char *line = m->source; line && (size_t)(line - m->source) <= offset;
         line = strchr(line, '\n'), line += line != NULL) {
        const char *mark = line + strspn(line, " ");
        if (strncmp(mark, "//@ solution ", 13) == 0)
            todo = atoi(mark + 13);
        else if (strncmp(mark, "//@ stub", 8) == 0 || strncmp(mark, "//@ end", 7) == 0)
            todo = 0;
    }
    return todo;
}

static int line_at(const Mutants *m, size_t offset)
{
    int line = 1;
    for (size_t i = 0; i < offset; i++)
        line += m->source[i] == '\n';
    return line;
}

static bool is_known_mutant(const Mutants *m, const Mutant *new)
{
    if (strlen(new->text) == new->length && memcmp(new->text, m->source + new->begin, new->length) == 0)
        return true;
    for (size_t i = 0; i < m->n; i++)
        if (m->list[i].begin == new->begin &&
            m->list[i].length == new->length &&strcmp(m->list[i].text, new->text) == 0)
            return true;
    return false;
}

static void append_mutant(Mutants *m, Mutant new)
{
    if (m->n == m->capacity) {
        size_t more = m->capacity ? 2 * m->capacity : 64;
        Mutant *list = ARENA_NEW_ARRAY(m->arena, Mutant, more);
        if (!list)
            return;
        if (m->n > 0)
            memcpy(list, m->list, m->n * sizeof *list);
        m->list = list;
        m->capacity = more;
    }
    new.text = arena_strndup(m->arena, new.text, strlen(new.text));
    m->list[m->n++] = new;
}

void mutants_add(Mutants *m, MutantOperator operator, Span span, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (span.end < span.begin || span.end > m->source_length || length < 0 || length >= (int)sizeof text)
        return;
    Mutant new = {.operator= operator, .begin = span.begin, .length = span.end - span.begin, .text = text};
    new.todo = todo_at(m, span.begin);
    new.line = line_at(m, span.begin);
    bool goes_beyond = todo_at(m, span.end) != new.todo;
    if ((new.todo == 0 || goes_beyond) && operator!= MUTANT_DEAD_SECOND_CALL)
        return;
    if (!is_known_mutant(m, &new))
        append_mutant(m, new);
}

void mutants_change(Mutants *m, Span span, const char *text)
{
    append_mutant(m, (Mutant){.begin = span.begin, .length = span.end - span.begin, .text = text});
}

typedef struct Visit {
    Mutants *m;
    Style style; /* STYLES: mutants */
    CXTranslationUnit unit;
    CXFile source;
} Visit;

/* Whether a cursor stands in the source; what begins with a macro stands where that is used. */
static bool is_in_source(const Visit *v, CXCursor cursor)
{
    CXFile file = NULL;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    return file && clang_File_isEqual(file, v->source);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    Visit *v = data;
    if (!is_in_source(v, cursor))
        return CXChildVisit_Continue;
    if (v->style != STYLES)
        return style_of_cursor(v->m, v->style, cursor), CXChildVisit_Recurse;
    return mutants_of_cursor(v->m, v->unit, cursor, parent) ? CXChildVisit_Recurse : CXChildVisit_Continue;
}

static int by_place(const void *a, const void *b)
{
    const Mutant *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return x->operator!= y->operator? (x->operator<y->operator? -1 : 1) : strcmp(x->text, y->text);
}

/* The first error of the source itself: what is in headers does not matter. */
static Status first_error(CXTranslationUnit unit, Diag *diag)
{
    Status status = STATUS_OK;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit) && status == STATUS_OK; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error &&
            clang_Location_isFromMainFile(clang_getDiagnosticLocation(d))) {
            CXString text = clang_formatDiagnostic(d, CXDiagnostic_DisplaySourceLocation);
            status = diag_set(diag, STATUS_PARSE, "%s", clang_getCString(text));
            clang_disposeString(text);
        }
        clang_disposeDiagnostic(d);
    }
    return status;
}

static Status read_source(Mutants *m, const char *path, Diag *diag)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return diag_set(diag, STATUS_IO, "%s: cannot be read", path);
    char *text = arena_alloc(m->arena, 1 << 20);
    size_t length = text ? fread(text, 1, (1 << 20) - 1, file) : 0;
    fclose(file);
    if (!text)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory");
    text[length] = '\0';
    m->source = text;
    m->source_length = length;
    return STATUS_OK;
}

/* The list of a style's changes, or of mutants (STYLES). */
static Status find(Mutants *m, Style style, Arena *arena, const char *path, const char *const *options,
                   int n_options, Diag *diag)
{
    *m = (Mutants){.arena = arena};
    Status status = read_source(m, path, diag);
    if (status != STATUS_OK)
        return status;
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    if (clang_parseTranslationUnit2(index, path, options, n_options, NULL, 0, CXTranslationUnit_KeepGoing,
                                    &unit) != CXError_Success)
        status = diag_set(diag, STATUS_PARSE, "%s: libclang cannot read it", path);
    else
        status = first_error(unit, diag);
    if (status == STATUS_OK) {
        Visit v = {m, style, unit, clang_getFile(unit, path)};
        clang_visitChildren(clang_getTranslationUnitCursor(unit), visit, &v);
        if (m->n > 0)
            qsort(m->list, m->n, sizeof *m->list, by_place);
    }
    if (unit)
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return status;
}

Status mutants_find(Mutants *m, Arena *arena, const char *path, const char *const *options, int n_options,
                    Diag *diag)
{
    return find(m, STYLES, arena, path, options, n_options, diag);
}

const char *const style_names[STYLES] = {[STYLE_LAUNCHES] = "launches", [STYLE_WIDE] = "wide"};

Status mutants_restyle(const char **text, Arena *arena, Style style, const char *path, const char *const *options,
                       int n_options, Diag *diag)
{
    Mutants m;
    Status status = find(&m, style, arena, path, options, n_options, diag);
    if (status != STATUS_OK)
        return status;
    /* From the last place to the first: what stands before it stays where it is. */
    for (size_t i = m.n; i-- > 0 && m.source;)
        m.source = mutant_source(&m, &m.list[i]);
    *text = m.source;
    return m.source ? STATUS_OK : diag_set(diag, STATUS_NO_MEMORY, "no memory");
}

/* Of all that are left, the one of this operator that the dice choose; -1 for none. */
static long draw_mutant(const Mutants *m, size_t from, MutantOperator operator, Rng * rng)
{
    size_t n = 0;
    for (size_t i = from; i < m->n; i++)
        n += m->list[i].operator== operator;
    if (n == 0)
        return -1;
    size_t k = (size_t)rng_below(rng, n);
    for (size_t i = from; i < m->n; i++)
        if (m->list[i].operator== operator&& k-- == 0)
            return (long)i;
    return -1;
}

void mutants_sample(Mutants *m, size_t n, uint64_t seed)
{
    Rng rng = {seed};
    size_t taken = 0, turn = (size_t)rng_below(&rng, MUTANT_OPERATORS);
    for (size_t idle = 0; taken < n && taken < m->n && idle < MUTANT_OPERATORS; turn++) {
        long i = draw_mutant(m, taken, (MutantOperator)(turn % MUTANT_OPERATORS), &rng);
        idle = i < 0 ? idle + 1 : 0;
        if (i < 0)
            continue;
        Mutant chosen = m->list[i];
        memmove(&m->list[taken + 1], &m->list[taken], ((size_t)i - taken) * sizeof chosen);
        m->list[taken++] = chosen;
    }
}

const char *mutant_source(const Mutants *m, const Mutant *mutant)
{
    return arena_printf(m->arena, "%.*s%s%s", (int)mutant->begin, m->source, mutant->text,
                        m->source + mutant->begin + mutant->length);
}
