/* source: one pass over the lines with a stack of open blocks.
 *
 * A marker begins with the sign of a comment: `//`, or `#` in YAML.
 *
 *   line                       starter   solution   secret
 *   outside of a block         yes       yes        no
 *   solution N ... stub/end    no        yes        yes
 *   stub, `//| code`           code      no         no
 */
#include "common/starters/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

typedef enum BlockKind { BLOCK_SHOW, BLOCK_SOLUTION, BLOCK_STUB } BlockKind;

typedef struct Block {
    BlockKind kind;
    int line;      /* where it began */
    size_t region; /* of BLOCK_SHOW */
} Block;

typedef struct Parser {
    const char *name;
    int line;
    Block stack[DEPTH_MAX];
    int depth;
    Source *source;
    Diag *diag;
} Parser;

static Status fail(const Parser *p, const char *message)
{
    return diag_set_at(p->diag, STATUS_PARSE, p->name, p->line, 0, "%s", message);
}

static BlockKind innermost(const Parser *p)
{
    return p->depth > 0 ? p->stack[p->depth - 1].kind : BLOCK_SHOW;
}

static bool in_solution(const Parser *p)
{
    return innermost(p) == BLOCK_SOLUTION;
}

static Status push(Parser *p, BlockKind kind, size_t region)
{
    if (p->depth == DEPTH_MAX)
        return fail(p, "blocks are nested too deeply");
    p->stack[p->depth++] = (Block){.kind = kind, .line = p->line, .region = region};
    return STATUS_OK;
}

static Status begin_solution(Parser *p, const char *number)
{
    char *end = NULL;
    long todo = strtol(number, &end, 10);
    if (end == number || *end || todo < 1 || todo > SOURCE_TODOS_MAX)
        return fail(p, "`//@ solution N` needs the number of a TODO, from 1");
    if (innermost(p) != BLOCK_SHOW)
        return fail(p, "a solution block inside another");
    Source *s = p->source;
    size_t i = 0;
    while (i < s->n_todos && s->todos[i] != todo)
        i++;
    if (i == s->n_todos)
        s->todos[s->n_todos++] = (int)todo;
    return push(p, BLOCK_SOLUTION, 0);
}

static Status begin_show(Parser *p, const char *name)
{
    Source *s = p->source;
    if (!*name || strlen(name) >= SOURCE_NAME_MAX || strchr(name, ' '))
        return fail(p, "`//@ show NAME` needs one word");
    if (innermost(p) != BLOCK_SHOW)
        return fail(p, "a region cannot begin inside a solution block");
    for (size_t i = 0; i < s->n_regions; i++)
        if (strcmp(s->regions[i].name, name) == 0)
            return fail(p, "this region's name is used twice");
    if (s->n_regions == SOURCE_REGIONS_MAX)
        return fail(p, "too many regions");
    SourceRegion *r = &s->regions[s->n_regions];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->start = s->starter.length;
    return push(p, BLOCK_SHOW, s->n_regions++);
}

static Status begin_stub(Parser *p)
{
    if (!in_solution(p))
        return fail(p, "`//@ stub` belongs inside a solution block, once");
    p->stack[p->depth - 1].kind = BLOCK_STUB;
    return STATUS_OK;
}

static Status end_block(Parser *p)
{
    if (p->depth == 0)
        return fail(p, "`//@ end` without a block");
    const Block *block = &p->stack[--p->depth];
    if (block->kind == BLOCK_SHOW) {
        SourceRegion *r = &p->source->regions[block->region];
        r->length = p->source->starter.length - r->start;
    }
    return STATUS_OK;
}

/* A marker line: what follows `//@`. */
static Status take_marker(Parser *p, const char *text)
{
    while (*text == ' ')
        text++;
    if (strncmp(text, "solution ", 9) == 0)
        return begin_solution(p, text + 9);
    if (strncmp(text, "show ", 5) == 0)
        return begin_show(p, text + 5);
    if (strcmp(text, "stub") == 0)
        return begin_stub(p);
    if (strcmp(text, "end") == 0)
        return end_block(p);
    return fail(p, "not a marker: expected solution N, stub, end or show NAME after //@");
}

/* The length of the sign that a comment begins with; 0 where there is none. */
static size_t comment_sign(const char *text)
{
    return strncmp(text, "//", 2) == 0 ? 2 : text[0] == '#' ? 1 : 0;
}

/* A stub line: what stands before `//|` and after it. */
static Status take_stub_line(Parser *p, const char *line, size_t blanks)
{
    if (innermost(p) != BLOCK_STUB)
        return fail(p, "`//|` outside of a stub");
    const char *code = line + blanks + comment_sign(line + blanks) + 1;
    if (*code == ' ')
        code++;
    if (*code)
        strbuf_append(&p->source->starter, line, blanks);
    strbuf_puts(&p->source->starter, code);
    strbuf_puts(&p->source->starter, "\n");
    return STATUS_OK;
}

static Status take_line(Parser *p, const char *line)
{
    size_t blanks = strspn(line, " \t");
    const char *text = line + blanks;
    size_t sign = comment_sign(text);
    if (sign > 0 && text[sign] == '@')
        return take_marker(p, text + sign + 1);
    if (sign > 0 && text[sign] == '|')
        return take_stub_line(p, line, blanks);
    if (innermost(p) == BLOCK_STUB)
        return fail(p, "lines of a stub begin with `//| `");
    StrBuf *targets[] = {&p->source->solution, in_solution(p) ? &p->source->secret : &p->source->starter};
    for (int i = 0; i < 2; i++) {
        strbuf_puts(targets[i], line);
        strbuf_puts(targets[i], "\n");
    }
    return STATUS_OK;
}

static Status parse_lines(Parser *p, char *text)
{
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (!rest && !*line) /* after the last newline */
            break;
        p->line++;
        Status status = take_line(p, line);
        if (status)
            return status;
    }
    if (p->depth > 0) {
        p->line = p->stack[p->depth - 1].line;
        return fail(p, "this block has no `//@ end`");
    }
    return STATUS_OK;
}

Status source_parse(const char *name, const char *text, Source *source, Diag *diag)
{
    *source = (Source){0};
    Parser p = {.name = name, .source = source, .diag = diag};
    char *copy = strdup(text);
    if (!copy)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for %s", name);
    Status status = parse_lines(&p, copy);
    free(copy);
    if (!status && (source->starter.failed || source->solution.failed || source->secret.failed))
        status = diag_set(diag, STATUS_NO_MEMORY, "no memory for %s", name);
    if (status)
        source_free(source);
    return status;
}

void source_free(Source *source)
{
    strbuf_free(&source->starter);
    strbuf_free(&source->solution);
    strbuf_free(&source->secret);
    *source = (Source){0};
}

Status source_read_file(const char *path, StrBuf *text, Diag *diag)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return diag_set_at(diag, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, path, 0, 0, "%s",
                           strerror(errno));
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;)
        strbuf_append(text, chunk, n);
    strbuf_append(text, "", 0); /* a NUL even when the file is empty */
    bool bad = ferror(file) != 0 || text->failed;
    fclose(file);
    if (bad)
        return diag_set_at(diag, STATUS_IO, path, 0, 0, "read failed");
    if (strlen(text->text) != text->length)
        return diag_set_at(diag, STATUS_PARSE, path, 0, 0, "not a text file: it holds a NUL byte");
    return STATUS_OK;
}

Status source_write_file(const char *path, const StrBuf *text, Diag *diag)
{
    char temporary[DIAG_FILE_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.new", path) >= (int)sizeof temporary)
        return diag_set_at(diag, STATUS_LIMIT, path, 0, 0, "the path is too long");
    FILE *file = fopen(temporary, "w");
    if (!file)
        return diag_set_at(diag, STATUS_IO, temporary, 0, 0, "%s", strerror(errno));
    bool good = fwrite(text->text, 1, text->length, file) == text->length;
    good = fclose(file) == 0 && good;
    if (!good || rename(temporary, path) != 0) {
        remove(temporary);
        return diag_set_at(diag, STATUS_IO, path, 0, 0, "write failed");
    }
    return STATUS_OK;
}
