/* grade submit, grade import: archives of what is handed in. */
#include "grader/archive/archive.h"
#include "grader/archive/download.h"
#include "grader/cli/cli.h"
#include "grader/core/files.h"
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
    strbuf_print(&line, file);
}

/* What the log of imports gets; see import_log_add. */
typedef struct Log {
    ImportLine *lines;
    size_t n, cap;
} Log;

static Status log_line(Log *log, const ImportLine *line, Diag *d)
{
    if (!VEC_GROW(log->lines, log->n, log->cap))
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the log of imports");
    log->lines[log->n++] = *line;
    return STATUS_OK;
}

static Status log_download(Log *log, const HandinDownload *download, const HandinList *taken,
                           const HandinList *left, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < taken->n; i++) {
        const HandinListItem *item = &taken->items[i];
        const char *slash = strrchr(item->text, '/');
        s = log_line(
            log, &(ImportLine){item->name, slash ? slash + 1 : "", "taken", download->path, item->note}, d);
    }
    for (size_t i = 0; s == STATUS_OK && i < left->n; i++)
        s = log_line(log,
                     &(ImportLine){"", download->lab ? download->lab : "", "left", left->items[i].name,
                                   left->items[i].text},
                     d);
    return s;
}

static void print_taken(const char *where, const char *note)
{
    print_line(stdout, "", where, note[0] ? ": " : "", note);
}

/* One download of a class: prints what was taken, and on standard error what was not. */
static Status import_download(Arena *a, const HandinDownload *download, Log *log, int *status, Diag *d)
{
    HandinList taken = {0}, left = {0};
    Status s = handin_import_download(a, download, &taken, &left, d);
    for (size_t i = 0; i < taken.n; i++)
        print_taken(taken.items[i].text, taken.items[i].note);
    for (size_t i = 0; i < left.n; i++)
        print_line(stderr, "not taken: ", left.items[i].name, ": ", left.items[i].text);
    if (s == STATUS_OK)
        printf("%zu submission%s taken, %zu %s not\n", taken.n, taken.n == 1 ? "" : "s", left.n,
               left.n == 1 ? "entry" : "entries");
    if (taken.n == 0)
        *status = EXIT_SHORT;
    Diag other;
    Status logged = log_download(log, download, &taken, &left, s == STATUS_OK ? d : &other);
    free(taken.items);
    free(left.items);
    return s == STATUS_OK ? logged : s;
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

static int import_downloads(Arena *a, const Options *o, KnownLabs *known, Log *log)
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
        s = import_download(a, &download, log, &status, &d);
    }
    return s == STATUS_OK ? status : cli_fail(&d);
}

/* Archives of one student each. One bad archive is its student's; the others are still taken. */
static int import_archives(Arena *a, const Options *o, KnownLabs *known, Log *log)
{
    int status = EXIT_FINE;
    for (size_t i = 0; i < o->n_operands; i++) {
        HandinImport import = {.path = o->operands[i],
                               .out_dir = o->submissions,
                               .student = o->students,
                               .lab = o->labs,
                               .allow = allowed_files,
                               .context = known};
        HandinPlaced placed;
        Diag d;
        bool taken = handin_import(a, &import, &placed, &d) == STATUS_OK;
        const char *why = taken ? placed.note : arena_printf(a, "%s", d.message);
        if (taken)
            print_taken(placed.where, placed.note);
        else
            cli_fail(&d);
        status = taken ? status : EXIT_SHORT;
        ImportLine line = {placed.student, placed.lab, taken ? "taken" : "left", import.path, why ? why : ""};
        if (log_line(log, &line, &d) != STATUS_OK)
            return cli_fail(&d);
    }
    return status;
}

/* Accepting ---------------------------------------------------------------------------------------- */

/* The kit's labs that have a file of that name; *all are the names of all files, for the nearest one. */
static Status labs_with_file(KnownLabs *known, const char *name, const char **lab, size_t *n_labs,
                             HandinList *all, Diag *d)
{
    const char **names, *dir = arena_printf(known->arena, "%s/labs", known->kit.root);
    size_t n = 0, n_files;
    *n_labs = 0;
    Status s = dir ? dir_list(known->arena, dir, &names, &n, d) : diag_set(d, STATUS_NO_MEMORY, "no memory");
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        const char *const *files = allowed_files(known, names[i], &n_files);
        for (size_t k = 0; files && k < n_files; k++) {
            if (!VEC_GROW(all->items, all->n, all->cap))
                return diag_set(d, STATUS_NO_MEMORY, "no memory");
            all->items[all->n++] = (HandinListItem){files[k], names[i], ""};
            if (strcmp(files[k], name) != 0)
                continue;
            *lab = names[i];
            (*n_labs)++;
        }
    }
    return s;
}

/* The lab whose file it is to be: that of --labs, or the only one that has it. */
static Status choose_accepting_lab(KnownLabs *known, const Options *o, const char *name, const char **lab,
                                   Diag *d)
{
    HandinList all = {0};
    size_t n_labs, n_files;
    const char *only = NULL;
    Status s = labs_with_file(known, name, &only, &n_labs, &all, d);
    const char **names = ARENA_NEW_ARRAY(known->arena, const char *, all.n + 1);
    size_t n_names = names ? all.n : 0;
    for (size_t i = 0; i < n_names; i++)
        names[i] = all.items[i].name;
    const char *const *own = o->labs ? allowed_files(known, o->labs, &n_files) : NULL;
    bool has = false;
    for (size_t i = 0; own && i < n_files; i++)
        has = has || strcmp(own[i], name) == 0;
    *lab = o->labs ? o->labs : only;
    if (s == STATUS_OK && (o->labs ? !has : n_labs == 0)) {
        s = diag_set(d, STATUS_NOT_FOUND, "no file %s is asked for by %s", name,
                     o->labs ? o->labs : "any lab");
        cli_hint_nearest(d, name, o->labs ? own : names, o->labs ? n_files : n_names,
                         "`files` of its lab.yaml names a lab's files");
    } else if (s == STATUS_OK && !o->labs && n_labs > 1) {
        s = diag_set(d, STATUS_INVALID, "several labs ask for a file %s", name);
        diag_hint(d, "--labs says which");
    }
    free(all.items);
    return s;
}

/* The student must have a folder. */
static Status check_accepting_student(Arena *a, const Options *o, const char *student, Diag *d)
{
    const char **names, **chosen;
    KnownNames known = {"submissions", "student", o->submissions, NULL, 0};
    Status s = dir_list(a, o->submissions, &names, &known.n, d);
    known.names = names;
    return s == STATUS_OK ? cli_choose(a, &known, student, &chosen, d) : s;
}

/* accept STUDENT FILE as NAME */
static int accept_file(Arena *a, const Options *o, KnownLabs *known, Log *log)
{
    if (o->n_operands != 5 || strcmp(o->operands[3], "as") != 0 || o->layout || o->students)
        return cli_fail_text("which file is to be taken?",
                             "grade import --submissions DIR [--labs NAME] accept STUDENT FILE as NAME");
    Diag d;
    HandinPlaced placed;
    HandinAccept accept = {
        .out_dir = o->submissions, .student = o->operands[1], .file = o->operands[2], .name = o->operands[4]};
    Status s = check_accepting_student(a, o, accept.student, &d);
    if (s == STATUS_OK)
        s = choose_accepting_lab(known, o, accept.name, &accept.lab, &d);
    if (s == STATUS_OK)
        s = handin_accept(a, &accept, &placed, &d);
    if (s != STATUS_OK)
        return cli_fail(&d);
    print_taken(placed.where, placed.note);
    ImportLine line = {placed.student, placed.lab, "accepted", accept.file,
                       arena_printf(a, "as %s%s%s", accept.name, placed.note[0] ? ", " : "", placed.note)};
    line.text = line.text ? line.text : "";
    return log_line(log, &line, &d) == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}

static int import_some(Arena *a, const Options *o, KnownLabs *known, Log *log)
{
    if (strcmp(o->operands[0], "accept") == 0)
        return accept_file(a, o, known, log);
    if (o->students && o->n_operands != 1)
        return cli_fail_text("--students names the student of one archive",
                             "without it the name comes from each file's name");
    return o->layout ? import_downloads(a, o, known, log) : import_archives(a, o, known, log);
}

int cli_import(Arena *a, const Options *o)
{
    Diag d;
    KnownLabs known = {.arena = a};
    Log log = {0};
    const char **labs;
    if (!o->submissions || !o->n_operands)
        return cli_fail_text("--submissions and archives must be given",
                             "grade import --submissions DIR ARCHIVE..., or with --layout for a whole class");
    if (kit_find(a, &known.kit, &d) != STATUS_OK ||
        cli_choose_kit_labs(a, &known.kit, o->labs, &labs, &d) != STATUS_OK)
        return cli_fail(&d);
    if (labs && labs[1])
        return cli_fail_text(
            "import takes one lab at a time",
            "give --labs one name, or leave it out where folders or a MANIFEST name the labs");
    int status = import_some(a, o, &known, &log);
    if (import_log_add(o->submissions, log.lines, log.n, &d) != STATUS_OK)
        status = cli_fail(&d);
    free(log.lines);
    forget_labs(&known);
    return status;
}
