/* Which launches a film looks at, and which blocks it records and shows. */
#include "common/vgpu/film/film_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists of blocks ---- */

/* The next range of "0,5-7"; false at the list's end, and where it is none: *at stands there then. */
static bool next_range(const char **at, uint64_t *from, uint64_t *to)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *from = *to = strtoull(*at, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        *to = strtoull(end + 1, &end, 10);
    if (*from > *to)
        return false;
    *at = *end == ',' ? end + 1 : end;
    return true;
}

Status film_check_blocks(const char *list, Diag *diag)
{
    uint64_t from, to;
    const char *at = list;
    if (!list)
        return STATUS_OK;
    while (next_range(&at, &from, &to)) {
    }
    return *list && *at == 0 && at[-1] != ',' ? STATUS_OK : diag_set(diag, STATUS_INVALID, "%s is no list of blocks, such as 0,5-7", list);
}

static bool is_in(const char *list, uint64_t linear)
{
    uint64_t from, to;
    while (next_range(&list, &from, &to))
        if (linear >= from && linear <= to)
            return true;
    return false;
}

bool film_block_wanted(const Film *f, uint64_t linear)
{
    if (f->options.blocks)
        return is_in(f->options.blocks, linear);
    return linear < f->ends || linear + f->ends >= f->n_blocks;
}

/* Before anything is known of the findings, blocks at both ends are recorded: most are found in the first or in the last one. A block
 * that is recorded costs many times one that is not, where its warps go together otherwise. */
void film_set_ends(Film *f, uint64_t block_insts)
{
    uint64_t ends = FILM_INSTS / 2 / (block_insts ? block_insts : 1), share = f->n_blocks / FILM_SHARE;
    ends = ends > share ? ends : share;
    f->ends = ends < FILM_ENDS_LEAST ? FILM_ENDS_LEAST : ends > FILM_ENDS ? FILM_ENDS : ends;
}

/* ---- launches ---- */

/* "add" is the name of "void ns::add<float>(float *)"; templates' arguments and what follows are no part of it. */
static bool is_named(const char *kernel, const char *name)
{
    size_t length = strlen(name), end = strcspn(kernel, "<(");
    return strcmp(kernel, name) == 0 ||
           (end >= length && strncmp(kernel + end - length, name, length) == 0 &&
            (end == length || kernel[end - length - 1] == ' ' || kernel[end - length - 1] == ':'));
}

static bool ends_in(const char *text, const char *end, size_t length)
{
    size_t n = strlen(text);
    return n >= length && memcmp(text + n - length, end, length) == 0 &&
           (n == length || length == 0 || text[n - length - 1] == '/');
}

static bool has_line(const FilmLaunch *l, const char *file, size_t length, uint32_t line)
{
    const IrModule *m = l->instance->module;
    const IrFunction *f = &m->functions[l->function];
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        const IrLoc *place = ir_place(m, f, pc);
        if (place && place->line == line && ends_in(m->files[place->file], file, length))
            return true;
    }
    return false;
}

bool film_launch_wanted(const Film *f, const FilmLaunch *l)
{
    const char *which = f->options.launch;
    if (!which)
        return true;
    if (*which && strspn(which, "0123456789") == strlen(which))
        return l->number == strtoull(which, NULL, 10);
    const char *colon = strrchr(which, ':');
    if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) && (colon == which || colon[-1] != ':'))
        return has_line(l, which, (size_t)(colon - which), (uint32_t)strtoul(colon + 1, NULL, 10));
    return is_named(l->kernel, which) || is_named(l->instance->module->functions[l->function].name, which);
}

/* ---- the blocks that are shown ---- */

static FilmBlock *recorded(const Film *f, uint64_t linear)
{
    FilmBlock *b = f->blocks;
    while (b && b->linear != linear)
        b = b->next;
    return b;
}

static size_t add_block(const Film *f, uint64_t linear, FilmBlock **out, size_t n)
{
    FilmBlock *b = n < FILM_BLOCKS_MAX && linear < f->n_blocks ? recorded(f, linear) : NULL;
    for (size_t i = 0; b && i < n; i++)
        if (out[i] == b)
            b = NULL;
    if (b)
        out[n++] = b;
    return n;
}

static int by_index(const void *a, const void *b)
{
    uint32_t x = (*(FilmBlock *const *)a)->linear, y = (*(FilmBlock *const *)b)->linear;
    return (x > y) - (x < y);
}

static uint64_t linear_of(const Film *f, const uint32_t index[3])
{
    return index[0] + (uint64_t)f->grid[0] * (index[1] + (uint64_t)f->grid[1] * index[2]);
}

size_t film_choose_blocks(const Film *f, const Finding *const *findings, size_t n_findings, FilmBlock *out[FILM_BLOCKS_MAX])
{
    size_t n = 0;
    for (const FilmBlock *b = f->blocks; b && f->options.blocks; b = b->next)
        n = add_block(f, b->linear, out, n);
    if (!f->options.blocks) {
        for (size_t i = 0; i < n_findings && n == 0; i++) {
            if (!findings[i]->has_thread)
                continue;
            uint64_t at = linear_of(f, findings[i]->block);
            n = add_block(f, at, out, n);
            if (findings[i]->has_other_thread)
                n = add_block(f, linear_of(f, findings[i]->other_block), out, n);
            n = add_block(f, at - 1, out, n);
            n = add_block(f, at + 1, out, n);
        }
        n = add_block(f, 0, out, n);
        if (n_findings == 0)
            n = add_block(f, 1, out, n);
        n = add_block(f, f->n_blocks - 1, out, n);
    }
    qsort(out, n, sizeof(FilmBlock *), by_index);
    return n;
}
