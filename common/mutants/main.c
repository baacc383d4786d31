/* mutate: the mutants of a source, as a list or one of them whole.
 *
 *   mutate [--sample=N --seed=S] FILE [OPTION OF THE COMPILER...]
 *       a line each, separated by tabs: number, operator, TODO, line, bytes from, bytes, the lines as they are, and as the mutant has them
 *   mutate --whole=TO [--sample=N --seed=S] FILE [OPTION...]
 *       also writes the whole source of each to TO/NUMBER.cu
 *   mutate --style=launches|wide FILE [OPTION...]
 *       the source in that style (mutants.h)
 *   mutate --operators
 *       a line each: operator, verdicts that tell it rightly, mistake
 *
 * Numbers count from 0 in the order of the whole source, also in a sample. Exit status: 0, 2 when the source
 * cannot be read.
 */
#include "common/mutants/mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines that [begin, end) touches, without indentation, with " / " between them. */
static void put_changed_lines(const char *text, size_t begin, size_t end)
{
    while (begin > 0 && text[begin - 1] != '\n')
        begin--;
    for (const char *line = text + begin; line < text + end || line == text + begin;) {
        line += strspn(line, " \t");
        size_t length = strcspn(line, "\n");
        printf("%.*s", (int)length, line);
        line += length + (line[length] == '\n');
        if (*line == '\0' || line >= text + end)
            break;
        fputs(" / ", stdout);
    }
}

static int put_operators(void)
{
    for (int o = 0; o < MUTANT_OPERATORS; o++)
        printf("%s\t%s\t%s\n", mutant_operator_name((MutantOperator)o),
               mutant_operator_verdicts((MutantOperator)o), mutant_operator_mistake((MutantOperator)o));
    return 0;
}

static bool write_whole(const Mutants *m, const Mutant *mutant, const char *folder, size_t number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%zu.cu", folder, number);
    FILE *file = fopen(path, "w");
    const char *text = mutant_source(m, mutant);
    if (!file || !text || fputs(text, file) < 0 || fclose(file) != 0) {
        fprintf(stderr, "mutate: %s cannot be written\n", path);
        return false;
    }
    return true;
}

/* How many of the whole list come before it in the source. */
static size_t mutant_number(const Mutants *all, const Mutant *mutant)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i].begin == mutant->begin && all->list[i].length == mutant->length &&
            strcmp(all->list[i].text, mutant->text) == 0)
            return i;
    return all->n;
}

static int put_restyled(const char *name, const char *path, const char *const *options, int n_options)
{
    Arena arena = {0};
    Diag diag = {0};
    const char *text = NULL;
    int style = 0;
    while (style < STYLES && strcmp(style_names[style], name) != 0)
        style++;
    Status status = style == STYLES ? diag_set(&diag, STATUS_INVALID, "there is no style %s", name)
                                    : mutants_restyle(&text, &arena, (Style)style, path, options, n_options, &diag);
    if (status == STATUS_OK)
        fputs(text, stdout);
    else
        fprintf(stderr, "mutate: %s\n", diag.message);
    arena_free(&arena);
    return status == STATUS_OK ? 0 : 2;
}

int main(int argc, char **argv)
{
    const char *whole = NULL, *style = NULL;
    size_t sample = 0;
    uint64_t seed = 1;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--operators") == 0)
            return put_operators();
        if (strncmp(argv[i], "--sample=", 9) == 0)
            sample = strtoul(argv[i] + 9, NULL, 10);
        else if (strncmp(argv[i], "--seed=", 7) == 0)
            seed = strtoull(argv[i] + 7, NULL, 10);
        else if (strncmp(argv[i], "--whole=", 8) == 0)
            whole = argv[i] + 8;
        else if (strncmp(argv[i], "--style=", 8) == 0)
            style = argv[i] + 8;
        else
            return fprintf(stderr, "mutate: there is no option %s\n", argv[i]), 2;
    }
    if (i >= argc)
        return fputs("usage: mutate [--whole=TO] [--sample=N --seed=S] FILE [OPTION...]\n", stderr), 2;
    if (style)
        return put_restyled(style, argv[i], (const char *const *)&argv[i + 1], argc - i - 1);
    Arena arena = {0};
    Diag diag = {0};
    Mutants m;
    if (mutants_find(&m, &arena, argv[i], (const char *const *)&argv[i + 1], argc - i - 1, &diag) !=
        STATUS_OK)
        return fprintf(stderr, "mutate: %s\n", diag.message), arena_free(&arena), 2;
    Mutants all = m;
    all.list = ARENA_NEW_ARRAY(&arena, Mutant, m.n + 1);
    if (m.n > 0)
        memcpy(all.list, m.list, m.n * sizeof *m.list);
    if (sample > 0)
        mutants_sample(&m, sample, seed);
    bool ok = true;
    for (size_t k = 0; ok && k < (sample > 0 && sample < m.n ? sample : m.n); k++) {
        const Mutant *mutant = &m.list[k];
        size_t number = mutant_number(&all, mutant);
        const char *text = mutant_source(&m, mutant);
        printf("%zu\t%s\t%d\t%d\t%zu\t%zu\t", number, mutant_operator_name(mutant->operator), mutant->todo,
               mutant->line, mutant->begin, mutant->length);
        put_changed_lines(m.source, mutant->begin, mutant->begin + mutant->length);
        putchar('\t');
        put_changed_lines(text, mutant->begin, mutant->begin + strlen(mutant->text));
        putchar('\n');
        ok = !whole || write_whole(&m, mutant, whole, number);
    }
    arena_free(&arena);
    return ok ? 0 : 2;
}
