/* grade submit, grade import: archives of what is handed in. */
#include "grader/archive/archive.h"
#include "grader/cli/cli.h"

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

int cli_import(Arena *a, const Options *o)
{
    Diag d;
    KnownLabs known = {.arena = a};
    if (!o->submissions || !o->n_operands)
        return cli_fail_text("--submissions and archives must be given",
                             "grade import --submissions DIR ARCHIVE...");
    if (o->students && o->n_operands != 1)
        return cli_fail_text("--students names the student of one archive",
                             "without it the name comes from each file's name");
    if (kit_find(a, &known.kit, &d) != STATUS_OK)
        return cli_fail(&d);
    int status = EXIT_FINE;
    for (size_t i = 0; i < o->n_operands; i++) {
        HandinImport import = {.path = o->operands[i],
                               .out_dir = o->submissions,
                               .student = o->students,
                               .lab = o->labs,
                               .allow = allowed_files,
                               .context = &known};
        const char *where;
        /* One bad archive is its student's; the others are still taken. */
        if (handin_import(a, &import, &where, &d) == STATUS_OK) {
            printf("%s\n", where);
        } else {
            cli_fail(&d);
            status = EXIT_SHORT;
        }
    }
    forget_labs(&known);
    return status;
}
