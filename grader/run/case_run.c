/* One case; see case_run.h. */
#include "grader/run/case_run.h"

#include "grader/core/files.h"
#include "grader/core/text.h"
#include "grader/judge/explain.h"
#include "grader/run/outputs.h"
#include "grader/run/verdict_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    ARGS_MAX = 64,
    STDERR_SHOWN_MAX = 16 << 10,
    COLLECT_FILES = 128,
    EXTRA_PROCESSES = 4,     /* the vgpu command and its helper beside the student's program */
    GPU_START_MS = 30000,    /* a driver starts slowly, the more so when many programs start at a time */
    GPU_DRIVER_KIB = 1 << 20 /* what a driver maps into a program of its own */
};

/* A case under way. */
typedef struct CaseWork {
    Arena *arena;
    const CaseInput *in;
    uint64_t seed;
    SandboxAnswer ran;
    VgpuReport *report;
    JudgeAnswer answer;
    bool judged;
    AnswerCheck answers;
    bool answers_checked;
    Evidence evidence;
} CaseWork;

/* Running -------------------------------------------------------------------------------------- */

/* On the virtual GPU: vgpu [options] PROGRAM CASEDIR; on hardware PROGRAM CASEDIR. */
static const char *const *command_of(CaseWork *w)
{
    const Places *p = w->in->places;
    const LabCase *c = w->in->lab_case;
    Arena *a = w->arena;
    const char **args = ARENA_NEW_ARRAY(a, const char *, ARGS_MAX + 1);
    size_t n = 0;
    if (!args)
        return NULL;
    if (!w->in->run->gpu) {
        args[n++] = arena_printf(a, "%s/bin/vgpu", p->in_kit);
        args[n++] = "--quiet";
        args[n++] = "--jobs=1";
        args[n++] = arena_printf(a, "--seed=%llu", (unsigned long long)w->seed);
        args[n++] = arena_printf(a, "--max-instructions=%lld", (long long)c->limits.instructions);
        args[n++] = arena_printf(a, "--report=%s/report.json", p->in_case);
        if (w->in->run->device[0])
            args[n++] = arena_printf(a, "--device=%s", w->in->run->device);
        if (c->devices > 1)
            args[n++] = arena_printf(a, "--devices=%lld", (long long)c->devices);
        for (size_t i = 0; i < c->n_vgpu && n < ARGS_MAX - 2; i++)
            args[n++] = c->vgpu[i];
    }
    args[n++] = arena_printf(a, "%s/program", p->in_prog);
    args[n++] = p->in_case;
    return args;
}

static const char *const *environment_of(CaseWork *w)
{
    const char **env = ARENA_NEW_ARRAY(w->arena, const char *, 8);
    size_t n = 0;
    if (!env)
        return NULL;
    env[n++] = "PATH=/usr/bin:/bin";
    env[n++] = "LC_ALL=C.UTF-8";
    env[n++] = arena_printf(w->arena, "HOME=%s", w->in->places->in_tmp);
    env[n++] = arena_printf(w->arena, "TMPDIR=%s", w->in->places->in_tmp);
    if (w->in->run->gpu)
        env[n++] = arena_printf(w->arena, "LD_LIBRARY_PATH=%s/lib64", w->in->run->kit.cuda_home);
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"); /* the cards that a cluster gave to this job */
    if (w->in->run->gpu && visible)
        env[n++] = arena_printf(w->arena, "CUDA_VISIBLE_DEVICES=%s", visible);
#ifdef __SANITIZE_ADDRESS__
    env[n++] = "ASAN_OPTIONS=detect_leaks=0"; /* the leak detector traces, which the sandbox forbids */
#endif
    return env;
}

static WireLimits limits_of(const LabLimits *l, bool gpu)
{
    return (WireLimits){
        .wall_ms = (int64_t)(l->wall_s * 1000) + (gpu ? GPU_START_MS : 0),
        .cpu_ms = (int64_t)(l->cpu_s * 1000) + (gpu ? GPU_START_MS : 0),
        .memory_kib = (l->memory_mib << 10) + (gpu ? GPU_DRIVER_KIB : 0),
        .processes = l->processes + EXTRA_PROCESSES,
        .output_bytes = l->output_kib << 10,
        .file_bytes = l->file_mib << 20,
        .collect_bytes = l->memory_mib << 20,
        .collect_files = COLLECT_FILES,
    };
}

/* Without a sandbox's views the inputs are where the program looks for them by way of a link. */
static bool show_inputs(CaseWork *w)
{
    const Places *p = w->in->places;
    const char *from = arena_printf(w->arena, "%s/in", p->case_dir);
    const char *to = arena_printf(w->arena, "%s/in", p->in_case);
    return from && to && symlink(from, to) == 0;
}

static int lock_file(const char *work, const char *name, int operation)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", work, name);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (fd >= 0 && flock(fd, operation) != 0 && errno == EINTR)
        ;
    return fd;
}

/* On a GPU a case that is timed has the card to itself, and the others share it. Who waits for the card holds
 * the queue, so that those who share it do not go past for ever. The descriptor that holds the turn; -1 where
 * none is needed. */
static int take_gpu(const CaseInput *in)
{
    if (!in->run->gpu)
        return -1;
    int queue = lock_file(in->run->work, "gpu.queue", LOCK_EX);
    int turn = lock_file(in->run->work, "gpu.turn", in->lab_case->metric[0] ? LOCK_EX : LOCK_SH);
    if (queue >= 0)
        close(queue);
    return turn;
}

/* The program in the submission's sandbox, with its inputs and empty folders. */
static Status run_program(CaseWork *w, Diag *d)
{
    const CaseInput *in = w->in;
    const Places *p = in->places;
    const char *collect[] = {arena_printf(w->arena, "%s/out", p->in_case),
                             arena_printf(w->arena, "%s/after", p->in_case),
                             arena_printf(w->arena, "%s/report.json", p->in_case), NULL};
    SandboxStep step = {.dir = p->in_case,
                        .args = command_of(w),
                        .env = environment_of(w),
                        .collect = collect,
                        .collect_from = p->in_case,
                        .save_to = p->case_dir,
                        .limits = limits_of(&in->lab_case->limits, in->run->gpu)};
    if (!step.args || !step.env)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
    if (in->run->sandbox.weak && !show_inputs(w))
        return diag_set(d, STATUS_IO, "cannot show the inputs to the program");
    int turn = take_gpu(in);
    Status s = box_run(in->box, true, &step, w->arena, &w->ran, d);
    if (turn >= 0)
        close(turn);
    if (s == STATUS_OK && w->ran.end == WIRE_END_EXEC)
        s = diag_set(d, STATUS_IO, "cannot start %s: %s", step.args[0], strerror(w->ran.status));
    return s;
}

/* Judging -------------------------------------------------------------------------------------- */

/* A report that is missing or spoilt is not an error of ours: the rules take it as the program's doing. */
static void read_report(CaseWork *w)
{
    int dir = open(w->in->places->case_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return;
    vgpu_report_read(dir, "report.json", &w->report, NULL);
    if (w->report)
        vgpu_report_strip_folder(w->report, w->in->places->in_src);
    close(dir);
}

/* Only a program that ended by itself has outputs worth judging. */
static Status judge_outputs(CaseWork *w, Diag *d)
{
    const LabCase *c = w->in->lab_case;
    if (!c->check_output || w->ran.end != WIRE_END_NONE)
        return STATUS_OK;
    Status s = judge_check(w->in->judge, w->in->places->case_dir, w->seed, c, &w->answer, d);
    w->judged = s == STATUS_OK;
    return s;
}

/* The student's answers, where the case asks for any or for nothing else. */
static Status check_answers(CaseWork *w, Diag *d)
{
    const LabCase *c = w->in->lab_case;
    if (!w->in->answers || (c->run && c->n_answers == 0))
        return STATUS_OK;
    AnswerTruths truths = {.report = w->report, .case_dir = w->in->places->case_dir};
    Status s = answer_check(w->arena, c, w->in->answers, &truths, &w->answers, d);
    w->answers_checked = s == STATUS_OK;
    return s;
}

static void gather_evidence(CaseWork *w)
{
    const LabCase *c = w->in->lab_case;
    w->evidence = (Evidence){
        .lab_case = c,
        .virtual_device = !w->in->run->gpu,
        .end = w->ran.end,
        .status = w->ran.status,
        .signal = w->ran.signal,
        .report = w->report,
        .answer = w->judged ? &w->answer : NULL,
        .answers = w->answers_checked ? &w->answers : NULL,
        .output_bytes = outputs_total_bytes(w->in->places->case_dir),
    };
    if (!c->metric[0])
        return;
    if (strncmp(c->metric, "value.", 6) == 0)
        w->evidence.has_metric = outputs_value(w->in->places->case_dir, c->metric + 6, &w->evidence.metric);
    else
        w->evidence.has_metric = w->report && vgpu_report_number(w->report, c->metric, &w->evidence.metric);
}

/* Telling -------------------------------------------------------------------------------------- */

static const char *limit_text(CaseWork *w)
{
    const LabLimits *l = &w->in->lab_case->limits;
    Language language = w->in->lab->language;
    switch (w->ran.end) {
    case WIRE_END_WALL:
        return arena_printf(w->arena, language_say(language, "%g s of wall time"), l->wall_s);
    case WIRE_END_CPU:
        return arena_printf(w->arena, language_say(language, "%g s of processor time"), l->cpu_s);
    case WIRE_END_MEMORY:
        return arena_printf(w->arena, language_say(language, "%lld MiB of memory"), (long long)l->memory_mib);
    case WIRE_END_PROCESSES:
        return arena_printf(w->arena, language_say(language, "%lld processes and threads"),
                            (long long)l->processes);
    case WIRE_END_OUTPUT:
        return arena_printf(w->arena, language_say(language, "%lld KiB of output"), (long long)l->output_kib);
    default:
        break;
    }
    return evidence_exit_signal(&w->evidence) == 25 /* SIGXFSZ */
               ? arena_printf(w->arena, language_say(language, "%lld MiB in one file"),
                              (long long)l->file_mib)
               : NULL;
}

static void keep_metrics(CaseWork *w, CaseResult *r)
{
    size_t n = w->report ? w->report->n_metrics : 0;
    bool extra = w->evidence.has_metric;
    for (size_t i = 0; i < n; i++)
        extra = extra && strcmp(w->report->metrics[i].name, w->in->lab_case->metric) != 0;
    r->metrics = ARENA_NEW_ARRAY(w->arena, ResultMetric, n + 2);
    for (size_t i = 0; r->metrics && i < n; i++) {
        const VgpuNumber *m = &w->report->metrics[i];
        if (extra && strcmp(w->in->lab_case->metric, m->name) < 0) {
            r->metrics[r->n_metrics++] = (ResultMetric){w->in->lab_case->metric, w->evidence.metric};
            extra = false;
        }
        r->metrics[r->n_metrics++] =
            (ResultMetric){arena_strndup(w->arena, m->name, strlen(m->name)), m->value};
    }
    if (extra && r->metrics)
        r->metrics[r->n_metrics++] = (ResultMetric){w->in->lab_case->metric, w->evidence.metric};
}

static void tell(CaseWork *w, CaseResult *r)
{
    const LabCase *c = w->in->lab_case;
    r->verdict = verdict_of(&w->evidence);
    r->points = points_of(&w->evidence, r->verdict);
    CaseFacts facts = {
        .language = w->in->lab->language,
        .lab_case = c,
        .answer = w->judged ? &w->answer : NULL,
        .report = w->report,
        .exit_status = evidence_exit_status(&w->evidence),
        .exit_signal = evidence_exit_signal(&w->evidence),
        .stderr_text = text_clean(w->arena, w->ran.err, w->ran.err_bytes, STDERR_SHOWN_MAX),
        .limit_hit = limit_text(w),
        .kit_message =
            c->metric[0] ? arena_printf(w->arena, "The metric %s is not in the report.", c->metric) : NULL,
        .metric_name = w->evidence.has_metric ? c->metric : NULL,
        .metric_value = w->evidence.metric,
        .answers = w->answers_checked ? w->answers.message : NULL,
        .answers_verdict = w->answers.verdict,
    };
    explain_case(w->arena, &facts, r);
    if (w->report)
        explain_findings(w->arena, w->report, r);
    keep_metrics(w, r);
    if (c->leaderboard[0] && w->evidence.has_metric) {
        r->leaderboard = c->metric;
        r->highest_first = strcmp(c->leaderboard, "highest") == 0;
    }
}

static void tell_kit_error(Arena *a, const CaseInput *in, const Diag *d, CaseResult *r)
{
    r->verdict = VERDICT_KIT_ERROR;
    r->points = in->lab_case->points;
    CaseFacts facts = {.language = in->lab->language, .lab_case = in->lab_case, .kit_message = d->message};
    explain_case(a, &facts, r);
}

static bool is_counted(const char *name)
{
    return name[0] && strncmp(name, "value.", 6) != 0;
}

/* What only the virtual GPU can do: make calls fail, and count. */
static bool needs_virtual_gpu(const LabCase *c)
{
    bool counts = is_counted(c->metric);
    for (size_t i = 0; i < c->n_answers; i++)
        counts = counts || is_counted(c->answers[i].truth) || is_counted(c->answers[i].over);
    return c->n_vgpu > 0 || counts;
}

const char *case_not_here(Arena *a, const GradeRun *run, const LabCase *c, Language language)
{
    if (!run->gpu)
        return NULL;
    if (needs_virtual_gpu(c))
        return language_say(language, "This case can be judged on the virtual GPU only.");
    if ((size_t)c->devices <= run->n_gpus)
        return NULL;
    const char *why =
        arena_printf(a, language_say(language, "This case needs %lld GPUs, and this machine has %zu."),
                     (long long)c->devices, run->n_gpus);
    return why ? why : language_say(language, "This case needs more GPUs than this machine has.");
}

static void tell_inconclusive(Arena *a, const CaseInput *in, const char *why, CaseResult *r)
{
    r->verdict = VERDICT_INCONCLUSIVE;
    r->points = in->lab_case->points;
    CaseFacts facts = {.language = in->lab->language, .lab_case = in->lab_case, .kit_message = why};
    explain_case(a, &facts, r);
}

/* Inputs, the program, and what came out of it. */
static Status run_and_judge(CaseWork *w, Diag *d)
{
    const CaseInput *in = w->in;
    Status s = places_clear_case(in->places, in->run->sandbox.weak, d);
    if (s == STATUS_OK)
        s = judge_make(in->judge, in->places->case_dir, w->seed, in->lab_case, d);
    if (s == STATUS_OK)
        s = run_program(w, d);
    if (s == STATUS_OK && !in->run->gpu)
        read_report(w);
    return s == STATUS_OK ? judge_outputs(w, d) : s;
}

void case_run(Arena *a, const CaseInput *in, CaseResult *r, CaseTiming *timing, const char **device_name)
{
    const LabCase *c = in->lab_case;
    CaseWork w = {.arena = a, .in = in, .seed = submission_case_seed(in->run, in->lab, c)};
    Diag d = {0};
    *r = (CaseResult){.name = c->name,
                      .hidden = c->hidden,
                      .max_points = c->points,
                      .message = "",
                      .lesson = "",
                      .hint = ""};
    r->replay = c->hidden || !c->run ? "" : arena_printf(a, "make run CASE=%s", c->name);
    *timing = (CaseTiming){.name = c->name};
    const char *why = case_not_here(a, in->run, c, in->lab->language);
    if (why) {
        tell_inconclusive(a, in, why, r);
        return;
    }
    Status s = c->run ? run_and_judge(&w, &d) : STATUS_OK;
    if (s == STATUS_OK)
        s = check_answers(&w, &d);
    gather_evidence(&w);
    if (s == STATUS_OK)
        tell(&w, r);
    else
        tell_kit_error(a, in, &d, r);
    if (w.report && w.report->device_name[0])
        *device_name = arena_strndup(a, w.report->device_name, strlen(w.report->device_name));
    *timing = (CaseTiming){
        .name = c->name, .wall_s = w.ran.wall_s, .cpu_s = w.ran.cpu_s, .max_rss_kib = w.ran.rss_kib};
    judge_answer_free(&w.answer);
    vgpu_report_free(w.report);
}
