/* What the commands share; see cli.h. */
#include "grader/cli/cli.h"

#include "grader/build/places.h"
#include "grader/core/files.h"
#include "grader/submission/counters.h"
#include "grader/submission/sanitize.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t cli_stop;

static void on_signal(int signal)
{
    (void)signal;
    cli_stop = 1;
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: a wait shall end */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int cli_fail(const Diag *d)
{
    char text[DIAG_TEXT_MAX + DIAG_FILE_MAX + DIAG_HINT_MAX + 64];
    diag_format(d, NULL, text, sizeof text);
    fprintf(stderr, "grade: %s", text);
    return EXIT_KIT;
}

int cli_fail_text(const char *text, const char *hint)
{
    Diag d;
    diag_set(&d, STATUS_INVALID, "%s", text);
    if (hint)
        diag_hint(&d, "%s", hint);
    return cli_fail(&d);
}

/* The path itself, or, where it is not there yet, the nearest folder above it that is; false without one. */
static bool real_place(const char *path, char out[PATH_MAX])
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    while (!realpath(copy, out)) {
        char *slash = strrchr(copy, '/');
        if (!slash)
            return realpath(".", out) != NULL;
        if (slash == copy)
            return realpath("/", out) != NULL;
        *slash = '\0';
    }
    return true;
}

int cli_check_out(const Options *o)
{
    char class[PATH_MAX], out[PATH_MAX];
    if (!o->submissions || !o->out || !realpath(o->submissions, class) || !real_place(o->out, out))
        return EXIT_FINE;
    size_t length = strlen(class);
    bool inside = strncmp(out, class, length) == 0 && (out[length] == '\0' || out[length] == '/');
    return inside ? cli_fail_text("--out lies inside --submissions, where it would be graded as a student",
                                  "give --out a folder beside the class's")
                  : EXIT_FINE;
}

int cli_check_class_options(const Options *o, const char *usage)
{
    if (!o->submissions || !o->out)
        return cli_fail_text("--submissions and --out must be given", usage);
    if (o->n_operands)
        return cli_fail_text("this command takes options only", usage);
    if (o->executor && !cli_is_for_cluster(o) && strcmp(o->executor, "local") != 0)
        return cli_fail_text(
            "--executor must be local or slurm",
            "local spreads over the processors of this machine (--jobs), slurm over a cluster");
    if ((o->sbatch || o->per_task > 0) && !cli_is_for_cluster(o))
        return cli_fail_text("--sbatch and --per-task are for --executor slurm", usage);
    return cli_check_out(o);
}

bool cli_is_for_cluster(const Options *o)
{
    return o->executor && strcmp(o->executor, "slurm") == 0;
}

const char **cli_split(Arena *a, const char *text, size_t *n)
{
    size_t count = 0;
    for (const char *p = text; p && *p; p++)
        count += *p == ',';
    const char **list = text ? ARENA_NEW_ARRAY(a, const char *, count + 2) : NULL;
    size_t used = 0;
    while (list && *text) {
        text += strspn(text, " ");
        size_t length = strcspn(text, ","), kept = length;
        while (kept > 0 && text[kept - 1] == ' ')
            kept--;
        if (kept)
            list[used++] = arena_strndup(a, text, kept);
        text += length + (text[length] == ',');
    }
    if (n)
        *n = used;
    return list;
}

bool cli_listed(const char *const *list, const char *name)
{
    if (!list)
        return true;
    for (; *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

const char *cli_hidden_path(Arena *a, const Kit *kit, const char *lab)
{
    const char *path = arena_printf(a, "%s/solutions/%s/hidden.yaml", kit->root, lab);
    return path && access(path, R_OK) == 0 ? path : NULL;
}

/* Devices: the virtual GPU, of some model, or real hardware. */
static Status choose_device(Arena *a, const Options *o, GradeRun *run, Diag *d)
{
    bool automatic = o->device && strcmp(o->device, "auto") == 0 && !cli_is_for_cluster(o);
    bool clang = o->compiler && strcmp(o->compiler, compiler_word(COMPILER_CLANG)) == 0;
    run->gpu = automatic ? !clang && cli_has_card(a) : o->device && strcmp(o->device, "gpu") == 0;
    run->device = o->model ? o->model : "";
    if (o->device && !run->gpu && !automatic && strcmp(o->device, "virtual") != 0)
        return diag_set(d, STATUS_INVALID,
                        "--device must be virtual or gpu, or auto on this machine, not '%s'", o->device);
    if (run->gpu && clang)
        return diag_set(d, STATUS_INVALID,
                        "clang's programs run on the virtual GPU alone: --compiler nvcc is for --device gpu");
    if (run->gpu && cli_is_for_cluster(o))
        return STATUS_OK; /* the nodes look for themselves */
    return run->gpu ? cli_find_cards(a, run, d) : STATUS_OK;
}

/* One compiler for a run; only nvcc writes code for a card. */
static Status choose_compiler(Arena *a, const Options *o, GradeRun *run, Diag *d)
{
    bool automatic = !o->compiler || strcmp(o->compiler, "auto") == 0;
    return compiler_choose(a, &run->kit, run->gpu && automatic ? "nvcc" : o->compiler, d);
}

/* The tools that look on at hardware; the virtual GPU checks every access by itself. */
static Status choose_sanitizer(Arena *a, const Options *o, GradeRun *run, Diag *d)
{
    Sanitizer *s = &run->sanitizer;
    if (!o->sanitize)
        return STATUS_OK;
    if (!run->gpu) {
        diag_set(d, STATUS_INVALID, "--sanitize is for --device gpu");
        diag_hint(d,
                  "on the virtual GPU every case is checked for all that compute-sanitizer finds, and more");
        return STATUS_INVALID;
    }
    if (!sanitize_scope_from_word(o->sanitize, &s->scope))
        return diag_set(d, STATUS_INVALID, "--sanitize takes all, public or first, not '%s'", o->sanitize);
    if (cli_is_for_cluster(o))
        return STATUS_OK; /* the nodes look for themselves */
    return sanitize_find(a, &run->kit, &s->tool, d);
}

/* Nsight Compute, where it is here: answers about counters are then held against a card's, too. */
static void choose_profiler(Arena *a, const Options *o, GradeRun *run)
{
    if (run->gpu && !cli_is_for_cluster(o))
        counters_find(a, &run->kit, &run->ncu);
}

static Status choose_sandbox(Arena *a, const Options *o, bool weak_is_fine, GradeRun *run, Diag *d)
{
    Status s = sandbox_probe(a, o->bwrap, &run->sandbox, d);
    if (s != STATUS_OK || !run->sandbox.weak || weak_is_fine)
        return s;
    diag_set(d, STATUS_UNSUPPORTED, "submissions cannot be shut in here: %s", run->sandbox.problem);
    if (run->sandbox.mend[0]) {
        diag_hint(d, "allow it, as the kit's `make setup` offers: %s", run->sandbox.mend);
        return STATUS_UNSUPPORTED;
    }
    diag_hint(d, "install or allow bubblewrap (it needs user namespaces; docs/security.md), or, where every "
                 "submission can be "
                 "trusted, give --allow-weak-sandbox: every result will be marked");
    return STATUS_UNSUPPORTED;
}

static Status choose_cases(const Options *o, GradeRun *run, Diag *d)
{
    char *end = "";
    if (!o->public)
        return STATUS_OK;
    run->public_most = strcmp(o->public, "all") == 0 ? INT64_MAX : strtoll(o->public, &end, 10);
    return run->public_most > 0 && !*end
               ? STATUS_OK
               : diag_set(d, STATUS_INVALID, "--public takes a number of cases, not '%s'", o->public);
}

Status cli_prepare(Arena *a, const Options *o, bool weak_is_fine, GradeRun *run, Diag *d)
{
    *run = (GradeRun){.only = o->only, .speed_clock = getenv("KIT_SPEED_CLOCK")};
    Status s = choose_cases(o, run, d);
    if (s == STATUS_OK)
        s = kit_find(a, &run->kit, d);
    if (s == STATUS_OK)
        s = choose_device(a, o, run, d);
    if (s == STATUS_OK)
        s = choose_compiler(a, o, run, d);
    if (s == STATUS_OK)
        s = choose_sandbox(a, o, weak_is_fine, run, d);
    if (s == STATUS_OK)
        s = choose_sanitizer(a, o, run, d);
    if (s == STATUS_OK)
        choose_profiler(a, o, run);
    if (s == STATUS_OK)
        s = places_make_work(a, &run->work, d);
    return s;
}

/* A sanitizer's runtime would have to come before ours, which is put in front of the program. */
#ifdef __SANITIZE_ADDRESS__
enum { CAN_ISOLATE = false };
#else
enum { CAN_ISOLATE = true };
#endif

Status cli_isolate(Arena *a, const Options *o, GradeRun *run, Diag *d)
{
    Sandbox *s = &run->sandbox;
    run->isolates_models = CAN_ISOLATE && !o->in_process && !s->weak;
    if (!run->isolates_models || run->gpu)
        return STATUS_OK;
    const char **layers = ARENA_NEW_ARRAY(a, const char *, s->n_layers + 1);
    if (!layers)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    memcpy(layers, s->layers, s->n_layers * sizeof *layers);
    layers[s->n_layers++] = "isolated-gpu";
    s->layers = layers;
    run->isolated = true;
    return STATUS_OK;
}

void cli_clean_up(const GradeRun *run)
{
    if (run->work)
        dir_remove(run->work, NULL);
    sandbox_forget(&run->sandbox);
}
