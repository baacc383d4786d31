/* grade submit, grade import: archives of what is handed in. */
#include "grader/archive/archive.h"
#include "grader/archive/download.h"
#include "grader/cli/cli.h"
#include "grader/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cli_submit(Arena *a, const Options *o)
{
    if (o->n_operands != 1)
        return cli_fail_text("which lab?", "grade submit LABDIR");
    Diag d;
    Lab *lab;
    Status s = lab_load(o->operands[0], NULL, &lab, &d);
    if (s != STATUS_OK)
        return cli_fail(&d);
    const char *path = o->to ? o->to : arena_printf(a, "%s/%s.tar.gz", o->operands[0], lab->lab);
    s = path ? handin_write(path, o->operands[0], lab->lab, lab->files, lab->n_files, &d)
             : diag_set(&d, STATUS_NO_MEMORY, "no memory");
    if (s == STATUS_OK)
        printf("%s\n", path);
    lab_free(lab);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}

/* The lists of files that an import asked for; they live until its end. */
typedef struct KnownLabs {
    Arena *arena;
    Kit kit;
    Lab **labs;
    size_t n, cap;
} KnownLabs;

static const char *const *allowed_files(void *context, const char *lab, size_t *n_files)
{
    KnownLabs *known = context;
    *n_files = 0;
    for (size_t i = 0; i < known->n; i++) {
        if (strcmp(known->labs[i]->lab, lab) == 0) {
            *n_files = known->labs[i]->n_files;
            return known->labs[i]->files;
        }
    }
    const char *dir = strchr(lab, '/') || lab[0] == '.'
                          ? NULL
                          : arena_printf(known->arena, "%s/labs/%s", known->kit.root, lab);
    if (!dir || !VEC_GROW(known->labs, known->n, known->cap) ||
        lab_load(dir, NULL, &known->labs[known->n], NULL) != STATUS_OK)
        return NULL;
    *n_files = known->labs[known->n]->n_files;
    return known->labs[known->n++]->files;
}

static void forget_labs(KnownLabs *known)
{
    for (size_t i = 0; i < known->n; i++)
        lab_free(known->labs[i]);
    free(known->labs);
}

static void print_line(FILE *file, const char *before, const char *name, const char *between,
                       const char *text)
{
    StrBuf line = {0};
    strbuf_puts(&line, before);
    report_plain(&line, name, strlen(name));
    strbuf_puts(&line, between);
    report_plain(&line, text, strlen(text));
    strbuf_puts(&line, "\n");
    if (line.text)
        fwrite(line.text, 1, line.length, file);
    strbuf_free(&line);
}

/* One download of a class: prints what was taken, and on standard error what was not. */
static Status import_download(Arena *a, const HandinDownload *download, int *status, Diag *d)
{
    HandinList taken = {0}, left = {0};
    Status s = handin_import_download(a, download, &taken, &left, d);
    for (size_t i = 0; i < taken.n; i++)
        print_line(stdout, "", taken.items[i].text, "", "");
    for (size_t i = 0; i < left.n; i++)
        print_line(stderr, "not taken: ", left.items[i].name, ": ", left.items[i].text);
    if (s == STATUS_OK)
        printf("%zu submissions taken, %zu entries not\n", taken.n, left.n);
    if (taken.n == 0)
        *status = EXIT_SHORT;
    free(taken.items);
    free(left.items);
    return s;
}

static int refuse_layout(const char *word)
{
    const char *words[LAYOUT_N];
    Diag d;
    for (int i = 0; i < LAYOUT_N; i++)
        words[i] = handin_layout_word((HandinLayout)i);
    diag_set(&d, STATUS_INVALID, "%s is no layout", word);
    cli_hint_nearest(&d, word, words, LAYOUT_N, "--layout must be canvas, moodle, gradescope or folders");
    return cli_fail(&d);
}

static int import_downloads(Arena *a, const Options *o, KnownLabs *known)
{
    Roster roster;
    HandinDownload download = {
        .out_dir = o->submissions, .lab = o->labs, .allow = allowed_files, .context = known};
    if (!handin_layout_from_word(o->layout, &download.layout))
        return refuse_layout(o->layout);
    if (o->students)
        return cli_fail_text("--students is not for downloads of a class", "--roster says who is who");
    Diag d;
    Status s = o->roster ? roster_load(a, o->roster, &roster, &d) : STATUS_OK;
    download.roster = o->roster ? &roster : NULL;
    int status = EXIT_FINE;
    for (size_t i = 0; s == STATUS_OK && i < o->n_operands; i++) {
        download.path = o->operands[i];
        s = import_download(a, &download, &status, &d);
    }
    return s == STATUS_OK ? status : cli_fail(&d);
}

/* Archives of one student each. One bad archive is its student's; the others are still taken. */
static int import_archives(Arena *a, const Options *o, KnownLabs *known)
{
    int status = EXIT_FINE;
    for (size_t i = 0; i < o->n_operands; i++) {
        HandinImport import = {.path = o->operands[i],
                               .out_dir = o->submissions,
                               .student = o->students,
                               .lab = o->labs,
                               .allow = allowed_files,
                               .context = known};
        const char *where;
        Diag d;
        if (handin_import(a, &import, &where, &d) == STATUS_OK) {
            printf("%s\n", where);
            continue;
        }
        cli_fail(&d);
        status = EXIT_SHORT;
    }
    return status;
}

int cli_import(Arena *a, const Options *o)
{
    Diag d;
    KnownLabs known = {.arena = a};
    if (!o->submissions || !o->n_operands)
        return cli_fail_text("--submissions and archives must be given",
                             "grade import --submissions DIR ARCHIVE..., or with --layout for a whole class");
    if (o->students && o->n_operands != 1)
        return cli_fail_text("--students names the student of one archive",
                             "without it the name comes from each file's name");
    const char **labs;
    if (kit_find(a, &known.kit, &d) != STATUS_OK ||
        cli_choose_kit_labs(a, &known.kit, o->labs, &labs, &d) != STATUS_OK)
        return cli_fail(&d);
    if (labs && labs[1])
        return cli_fail_text("import takes one lab at a time",
                             "give --labs one name, or leave it out where folders "
                             "or a MANIFEST name the labs");
    int status = o->layout ? import_downloads(a, o, &known) : import_archives(a, o, &known);
    forget_labs(&known);
    return status;
}
