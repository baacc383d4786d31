/* Making and comparing plans; see plan.h. The file is in plan_file.c. */
#include "grader/class/plan.h"

#include "grader/build/intake.h"
#include "grader/core/files.h"
#include "grader/core/sha256.h"
#include "common/base/version.h"
#include "grader/submission/sanitize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HASHED_BYTES_MAX = 1 << 30 };

/* Hashes ------------------------------------------------------------------------------------------ */

static void add_text(Sha256 *sum, const char *text)
{
    sha256_add(sum, text, strlen(text) + 1); /* with the NUL, so that no two lists look alike */
}

static const char *end_text(Arena *a, Sha256 *sum, Diag *d)
{
    char hex[SHA256_HEX];
    sha256_end_hex(sum, hex);
    const char *text = arena_strndup(a, hex, SHA256_HEX - 1);
    if (!text)
        diag_set(d, STATUS_NO_MEMORY, "no memory for the plan");
    return text;
}

/* A file by name and contents; one that is absent counts by its name alone. */
static Status add_file(Sha256 *sum, const char *path, const char *name, Diag *d)
{
    Arena a = {0};
    char *bytes;
    size_t length = 0;
    Status s = file_read(&a, path, HASHED_BYTES_MAX, &bytes, &length, d);
    char head[32];
    snprintf(head, sizeof head, "%zu", length);
    add_text(sum, name);
    add_text(sum, s == STATUS_OK ? head : "absent");
    if (s == STATUS_OK)
        sha256_add(sum, bytes, length);
    arena_free(&a);
    return s == STATUS_NOT_FOUND ? STATUS_OK : s;
}

/* All files below a folder in the order of their names, but for the entry `skip` of the folder itself. */
static Status add_folder(Sha256 *sum, const char *dir, const char *skip, Diag *d)
{
    Arena a = {0};
    const char **names;
    size_t n;
    Status s = dir_list(&a, dir, &names, &n, d);
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        struct stat st;
        const char *path = arena_printf(&a, "%s/%s", dir, names[i]);
        if (strcmp(names[i], skip) == 0)
            continue;
        if (!path || stat(path, &st) != 0)
            s = diag_set(d, STATUS_IO, "cannot read %s/%s", dir, names[i]);
        else if (S_ISDIR(st.st_mode))
            s = add_folder(sum, path, "", d);
        else
            s = add_file(sum, path, names[i], d);
    }
    arena_free(&a);
    return s;
}

/* What every submission is built and run with, and the grader itself. */
static Status hash_kit(Arena *a, const GradeRun *run, const char **sha256, Diag *d)
{
    Sha256 sum;
    sha256_start(&sum);
    const char *kit = arena_printf(a, "%s/kit", run->work);
    if (!kit)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the plan");
    add_text(&sum, KIT_VERSION);
    Status s = add_folder(&sum, kit, "labs", d);
    if (s == STATUS_OK)
        s = add_file(&sum, "/proc/self/exe", "grade", d);
    *sha256 = s == STATUS_OK ? end_text(a, &sum, d) : NULL;
    return s == STATUS_OK && !*sha256 ? STATUS_NO_MEMORY : s;
}

/* What a lab judges by: its staged headers and driver, its judge, its cases. */
static Status hash_lab(Arena *a, const GradeRun *run, const Lab *lab, const char **sha256, Diag *d)
{
    Sha256 sum;
    sha256_start(&sum);
    const char *staged = arena_printf(a, "%s/kit/labs/%s", run->work, lab->lab);
    const char *files[] = {arena_printf(a, "%s/labs/%s/judge", run->kit.build, lab->lab),
                           arena_printf(a, "%s/lab.yaml", lab->dir),
                           arena_printf(a, "%s/solutions/%s/hidden.yaml", run->kit.root, lab->lab)};
    static const char *const names[] = {"judge", "lab.yaml", "hidden.yaml"};
    if (!staged || !files[0] || !files[1] || !files[2])
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the plan");
    Status s = add_folder(&sum, staged, "", d);
    for (size_t i = 0; s == STATUS_OK && i < 3; i++)
        s = add_file(&sum, files[i], names[i], d);
    *sha256 = s == STATUS_OK ? end_text(a, &sum, d) : NULL;
    return s == STATUS_OK && !*sha256 ? STATUS_NO_MEMORY : s;
}

static const char *lab_sha256(const Plan *plan, const char *lab)
{
    for (size_t i = 0; i < plan->n_labs; i++)
        if (strcmp(plan->labs[i].lab, lab) == 0)
            return plan->labs[i].sha256;
    return "";
}

const char *plan_key(Arena *a, const Plan *plan, const char *lab, const char *submission_sha256)
{
    Sha256 sum;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, plan->seed);
    sha256_start(&sum);
    add_text(&sum, seed);
    add_text(&sum, plan->kit_sha256);
    add_text(&sum, plan->compiler);
    add_text(&sum, plan->setting);
    add_text(&sum, lab);
    add_text(&sum, lab_sha256(plan, lab));
    add_text(&sum, submission_sha256);
    return end_text(a, &sum, NULL);
}

static const char *describe_setting(Arena *a, const GradeRun *run)
{
    const char *cases = run->only ? run->only : "all";
    if (run->public_most)
        cases = arena_printf(a, "%s of the first %lld public ones", cases, (long long)run->public_most);
    const char *text = arena_printf(a, "device %s, model %s, case %s, sandbox", run->gpu ? "gpu" : "virtual",
                                    run->device[0] ? run->device : "default", cases ? cases : "");
    for (size_t i = 0; text && i < run->sandbox.n_layers; i++)
        text = arena_printf(a, "%s %s", text, run->sandbox.layers[i]);
    if (text && run->sanitizer.scope != SANITIZE_NONE)
        text = arena_printf(a, "%s, sanitize %s", text, sanitize_scope_word(run->sanitizer.scope));
    return text;
}

static Status add_entry(Arena *a, const Submission *s, Plan *plan, Diag *d)
{
    Arena scratch = {0};
    Intake intake;
    Status status = intake_take(&scratch, s->lab, s->folder, NULL, &intake, d);
    PlanEntry *e = &plan->entries[plan->n_entries++];
    *e = (PlanEntry){.student = s->student, .lab = s->lab->lab};
    if (status == STATUS_OK) {
        e->sha256 = arena_strndup(a, intake.sha256, strlen(intake.sha256));
        e->key = e->sha256 ? plan_key(a, plan, e->lab, e->sha256) : NULL;
        if (!e->key)
            status = diag_set(d, STATUS_NO_MEMORY, "no memory for the plan");
    }
    arena_free(&scratch);
    return status;
}

Status plan_make(Arena *a, const GradeRun *run, Lab *const *labs, size_t n_labs,
                 const Submission *submissions, size_t n, Plan *plan, Diag *d)
{
    *plan = (Plan){.seed = run->seed,
                   .compiler = compiler_describe(a, &run->kit.compiler),
                   .setting = describe_setting(a, run),
                   .labs = ARENA_NEW_ARRAY(a, PlanLab, n_labs + 1),
                   .entries = ARENA_NEW_ARRAY(a, PlanEntry, n + 1)};
    if (!plan->setting || !plan->labs || !plan->entries)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the plan");
    Status s = hash_kit(a, run, &plan->kit_sha256, d);
    for (size_t i = 0; s == STATUS_OK && i < n_labs; i++) {
        plan->labs[plan->n_labs].lab = labs[i]->lab;
        s = hash_lab(a, run, labs[i], &plan->labs[plan->n_labs++].sha256, d);
    }
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        s = add_entry(a, &submissions[i], plan, d);
    return s;
}

/* Comparing --------------------------------------------------------------------------------------- */

const PlanEntry *plan_find(const Plan *plan, const char *student, const char *lab)
{
    for (size_t i = 0; i < plan->n_entries; i++)
        if (strcmp(plan->entries[i].student, student) == 0 && strcmp(plan->entries[i].lab, lab) == 0)
            return &plan->entries[i];
    return NULL;
}

Status plan_merge(Arena *a, Plan *plan, const Plan *old, Diag *d)
{
    PlanEntry *entries = ARENA_NEW_ARRAY(a, PlanEntry, plan->n_entries + old->n_entries + 1);
    PlanLab *labs = ARENA_NEW_ARRAY(a, PlanLab, plan->n_labs + old->n_labs + 1);
    if (!entries || !labs)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the plan");
    memcpy(entries, plan->entries, plan->n_entries * sizeof *entries);
    memcpy(labs, plan->labs, plan->n_labs * sizeof *labs);
    size_t n_entries = plan->n_entries, n_labs = plan->n_labs;
    for (size_t i = 0; i < old->n_entries; i++)
        if (!plan_find(plan, old->entries[i].student, old->entries[i].lab))
            entries[n_entries++] = old->entries[i];
    for (size_t i = 0; i < old->n_labs; i++)
        if (!lab_sha256(plan, old->labs[i].lab)[0])
            labs[n_labs++] = old->labs[i];
    plan->entries = entries;
    plan->n_entries = n_entries;
    plan->labs = labs;
    plan->n_labs = n_labs;
    return STATUS_OK;
}

void plan_compare(const Plan *old, const Plan *now, PlanChanges *c)
{
    *c = (PlanChanges){0};
    if (strcmp(old->kit_sha256, now->kit_sha256) != 0)
        strbuf_puts(&c->rules, "the kit's programs\n");
    if (strcmp(old->compiler, now->compiler) != 0)
        strbuf_printf(&c->rules, "the compiler (was: %s; is: %s)\n", old->compiler, now->compiler);
    if (old->seed != now->seed)
        strbuf_puts(&c->rules, "the seed of the hidden cases\n");
    if (strcmp(old->setting, now->setting) != 0)
        strbuf_printf(&c->rules, "the settings (were: %s; are: %s)\n", old->setting, now->setting);
    for (size_t i = 0; i < now->n_labs; i++) {
        const char *was = lab_sha256(old, now->labs[i].lab);
        if (was[0] && strcmp(was, now->labs[i].sha256) != 0)
            strbuf_printf(&c->rules, "the lab %s\n", now->labs[i].lab);
    }
    for (size_t i = 0; i < now->n_entries; i++) {
        const PlanEntry *e = &now->entries[i], *was = plan_find(old, e->student, e->lab);
        if (was && strcmp(was->sha256, e->sha256) != 0)
            strbuf_printf(&c->submissions, "%s %s\n", e->student, e->lab);
    }
}

void plan_changes_free(PlanChanges *changes)
{
    strbuf_free(&changes->rules);
    strbuf_free(&changes->submissions);
}
