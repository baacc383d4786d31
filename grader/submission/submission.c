/* One submission; see submission.h. */
#include "grader/submission/submission.h"

#include "common/base/io.h"
#include "grader/build/build.h"
#include "grader/build/intake.h"
#include "grader/core/files.h"
#include "grader/core/sha256.h"
#include "common/base/version.h"
#include "grader/submission/case_run.h"
#include "grader/submission/modelled.h"
#include "grader/submission/speed.h"
#include "grader/submission/turn.h"
#include "grader/submission/watched.h"
#include "grader/submission/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A submission under way. */
typedef struct Work {
    const GradeRun *run;
    const Submission *submission;
    int slot;
    Result *result;
    Timing *timing;
    Places places;
    Box box, device_box;
    SpeedReference reference;
    Modelled modelled;
    AnswerFile answers; /* of a lab that has an answer file */
    bool *watched;      /* [case of the lab]: watched.h */
} Work;

/* Processor time of this process, or of those of its children that it has waited for. */
static double processor_s(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

uint64_t submission_case_seed(const GradeRun *run, const Lab *lab, const LabCase *c)
{
    if (!c->hidden)
        return (uint64_t)c->seed;
    char text[256];
    int n = snprintf(text, sizeof text, "%llu\n%s\n%s\n", (unsigned long long)run->seed, lab->lab, c->name);
    unsigned char digest[SHA256_BYTES];
    Sha256 sum;
    sha256_start(&sum);
    sha256_add(&sum, text, (size_t)n);
    sha256_end(&sum, digest);
    uint64_t seed = 0;
    for (int i = 0; i < 8; i++)
        seed = seed << 8 | digest[i];
    return seed & ((UINT64_C(1) << 53) - 1); /* exact in every reader of JSON */
}

/* The public cases stand before the hidden ones. */
static bool is_wanted(const GradeRun *run, const Lab *lab, const LabCase *c)
{
    if (run->public_most && (c->hidden || c - lab->cases >= run->public_most))
        return false;
    return !run->only || strcmp(run->only, c->name) == 0;
}

/* A Result with a row for each case, none of them run. */
static Result *new_result(const GradeRun *run, const Submission *s)
{
    Result *r = result_create();
    if (!r)
        return NULL;
    Arena *a = &r->arena;
    r->student = arena_strndup(a, s->student, strlen(s->student));
    r->lab = arena_strndup(a, s->lab->lab, strlen(s->lab->lab));
    r->kit_version = KIT_VERSION;
    r->seed = run->seed;
    r->device_kind = run->gpu ? "gpu" : "virtual";
    r->device_name = run->gpu && run->gpu_name ? run->gpu_name : "";
    r->compiler = compiler_word(run->kit.compiler.kind);
    r->compiler_version = run->kit.compiler.version;
    r->sandbox = run->sandbox.layers;
    r->n_sandbox = run->sandbox.n_layers;
    r->cases = ARENA_NEW_ARRAY(a, CaseResult, s->lab->n_cases + 1);
    if (!r->student || !r->lab || !r->cases) {
        result_free(r);
        return NULL;
    }
    return r;
}

/* Every case gets the same verdict, when none could be run. */
static void fill_cases(Result *r, const GradeRun *run, const Lab *lab, Verdict v, const char *message)
{
    r->n_cases = 0;
    for (const LabCase *c = lab->cases; c < lab->cases + lab->n_cases; c++) {
        if (!is_wanted(run, lab, c))
            continue;
        r->cases[r->n_cases++] = (CaseResult){
            .name = c->name,
            .hidden = c->hidden,
            .points = verdict_credit(v) == CREDIT_FULL ? c->points : 0,
            .todo = c->todo,
            .max_points = c->points,
            .verdict = v,
            .message = message,
            .lesson = "",
            .hint = "",
            .replay = "",
        };
    }
    r->build_verdict = v;
}

Result *submission_lost(const GradeRun *run, const Submission *s, const char *message)
{
    Result *r = new_result(run, s);
    const char *copy = r ? arena_strndup(&r->arena, message, strlen(message)) : NULL;
    if (!r)
        return NULL;
    fill_cases(r, run, s->lab, VERDICT_KIT_ERROR, copy ? copy : "");
    result_sum_up(r);
    return r;
}

/* A verdict's sentence in the lab's language. */
static const char *meaning_of(const Work *w, Verdict v)
{
    return language_say(w->submission->lab->language, verdict_meaning(v));
}

static void fill_kit_error(Work *w, const Diag *d)
{
    const char *message =
        arena_printf(&w->result->arena, "%s\n%s", meaning_of(w, VERDICT_KIT_ERROR), d->message);
    fill_cases(w->result, w->run, w->submission->lab, VERDICT_KIT_ERROR,
               message ? message : meaning_of(w, VERDICT_KIT_ERROR));
}

/* What lies there instead is for the student, too. */
static void fill_not_submitted(Work *w, const char *found)
{
    const char *meaning = meaning_of(w, VERDICT_NOT_SUBMITTED);
    const char *message = found[0] ? arena_printf(&w->result->arena, "%s\n%s", meaning, found) : meaning;
    fill_cases(w->result, w->run, w->submission->lab, VERDICT_NOT_SUBMITTED, message ? message : meaning);
    w->result->build_log = found;
}

/* What was taken though it was not as it should be stands before what the compiler says. */
static const char *with_notes(Arena *a, const char *notes, const char *log)
{
    const char *both = notes[0] ? arena_printf(a, "%s\n%s", notes, log) : log;
    return both ? both : log;
}

/* The answer file as it was handed in; nothing where the lab has none. */
static bool read_answers(Work *w)
{
    const Lab *lab = w->submission->lab;
    Diag d = {0};
    if (!lab->sheet.file)
        return true;
    int dir = open(w->places.src, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    Status s = dir < 0 ? diag_set(&d, STATUS_IO, "cannot open %s: %s", w->places.src, strerror(errno))
                       : answers_read(&w->result->arena, lab, dir, &w->answers, &d);
    if (dir >= 0)
        close(dir);
    if (s != STATUS_OK)
        fill_kit_error(w, &d);
    return s == STATUS_OK;
}

/* Takes and builds; true when there is a program to run. */
static bool make_program(Work *w)
{
    Arena *a = &w->result->arena;
    const Submission *s = w->submission;
    Diag d = {0};
    Intake intake;
    if (places_make(a, w->run->work, w->slot, w->run->sandbox.weak, &w->places, &d) != STATUS_OK ||
        intake_take(a, s->lab, s->folder, w->places.src, &intake, &d) != STATUS_OK) {
        fill_kit_error(w, &d);
        return false;
    }
    w->result->submission_sha256 = arena_strndup(a, intake.sha256, strlen(intake.sha256));
    if (!intake.submitted) {
        fill_not_submitted(w, intake.found);
        return false;
    }
    if (intake.problem[0]) {
        fill_cases(w->result, w->run, w->submission->lab, VERDICT_BUILD_ERROR, intake.problem);
        w->result->build_log = with_notes(a, intake.notes, intake.problem);
        return false;
    }
    BuildInput in = {
        .kit = &w->run->kit, .lab = s->lab, .places = &w->places, .box = &w->box, .gpu = w->run->gpu};
    BuildOutput out;
    int turn = turn_take(w->run->work, "processors", false); /* with the other workers */
    Status built = build_submission(a, &in, &out, &d);
    if (turn >= 0)
        close(turn);
    if (built != STATUS_OK) {
        fill_kit_error(w, &d);
        return false;
    }
    w->result->build_log = with_notes(a, intake.notes, out.log);
    w->timing->build_s = out.seconds;
    w->timing->processor_s.compile = out.compile_cpu_s;
    w->timing->processor_s.link = out.link_cpu_s;
    if (out.verdict != VERDICT_PASS)
        fill_cases(w->result, w->run, w->submission->lab, out.verdict, meaning_of(w, out.verdict));
    return out.verdict == VERDICT_PASS;
}

/* A case to be run. */
typedef struct CaseTurn {
    Work *work;
    const CaseInput *in;
    CaseResult *result;
    CaseTiming *timing;
} CaseTurn;

static bool run_in_turn(void *self)
{
    CaseTurn *t = self;
    Result *result = t->work->result;
    case_run(&result->arena, t->in, t->result, t->timing, &result->device_name);
    t->work->timing->processor_s.cases += t->timing->cpu_s;
    return t->timing->ran_short;
}

/* Runs a case. One whose time ran out while others had the processors is run again alone, with nothing of this run beside it. */
static void run_case(Work *w, const CaseInput *in, CaseResult *r, CaseTiming *timing)
{
    turn_run(w->run->work, "processors", run_in_turn,
             &(CaseTurn){.work = w, .in = in, .result = r, .timing = timing});
}

/* The row of a case that is not run any more. */
static void leave_out(Work *w, const LabCase *c, CaseResult *r, CaseTiming *timing)
{
    Language language = w->submission->lab->language;
    const char *why = arena_printf(
        &w->result->arena,
        language_say(language, "%s This case was not run: %d cases before it had not ended in time."),
        meaning_of(w, VERDICT_TIMEOUT), SUBMISSION_TIMEOUTS_MAX);
    *timing = (CaseTiming){.name = c->name};
    *r = (CaseResult){.name = c->name,
                      .hidden = c->hidden,
                      .todo = c->todo,
                      .max_points = c->points,
                      .verdict = VERDICT_TIMEOUT,
                      .message = why ? why : meaning_of(w, VERDICT_TIMEOUT),
                      .lesson = "",
                      .hint = "",
                      .replay = ""};
}

/* All that can be where the record is made anyway: a sample of them else. */
static Status draw_watched(Work *w, Diag *d)
{
    const Lab *lab = w->submission->lab;
    Arena *a = &w->result->arena;
    w->watched = ARENA_NEW_ARRAY(a, bool, lab->n_cases + 1);
    if (!w->watched)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the cases");
    for (size_t i = 0; i < lab->n_cases; i++)
        w->watched[i] = is_wanted(w->run, lab, &lab->cases[i]) && work_is_judged(&lab->cases[i]);
    return w->run->isolated ? watched_draw(a, w->run->seed, w->result->submission_sha256, lab, w->watched, d)
                            : STATUS_OK;
}

static bool is_found(const CaseResult *r)
{
    return r->verdict == VERDICT_NO_GPU_WORK || r->verdict == VERDICT_SUSPECT;
}

/* A watched case was found: what was not watched before is run again, and takes nothing over but that. A
 * hidden case may have run in between, and nothing of it may be told. */
static void watch_again(Work *w, const CaseInput *like)
{
    Result *r = w->result;
    const Lab *lab = w->submission->lab;
    for (size_t i = 0, row = 0; row < r->n_cases; i++) {
        const LabCase *c = &lab->cases[i];
        if (!is_wanted(w->run, lab, c))
            continue;
        CaseResult *old = &r->cases[row++], again = {0};
        CaseTiming timing = {0};
        CaseInput in = *like;
        if (w->watched[i] || !work_is_judged(c) || old->points == 0)
            continue;
        in.lab_case = c;
        in.watched = w->watched[i] = true;
        run_case(w, &in, &again, &timing);
        if (again.verdict == old->verdict)
            continue;
        if (is_found(&again))
            old->points = again.points;
        old->verdict = is_found(&again) ? again.verdict : VERDICT_SUSPECT; /* it ends otherwise each time */
        old->message = meaning_of(w, old->verdict);
    }
}

static void run_cases(Work *w)
{
    Result *r = w->result;
    const Lab *lab = w->submission->lab;
    Judge *judge = NULL;
    JudgeOptions options = {.language = lab->language};
    Diag d = {0};
    const char *program = arena_printf(&r->arena, "%s/labs/%s/judge", w->run->kit.build, lab->lab);
    w->timing->cases = ARENA_NEW_ARRAY(&r->arena, CaseTiming, lab->n_cases + 1);
    if (!program || !w->timing->cases || draw_watched(w, &d) != STATUS_OK ||
        judge_start(program, &options, &judge, &d) != STATUS_OK) {
        fill_kit_error(w, &d);
        return;
    }
    CaseInput in = {.run = w->run,
                    .lab = lab,
                    .places = &w->places,
                    .answers = lab->sheet.file ? &w->answers : NULL,
                    .judge = judge,
                    .box = &w->box,
                    .device_box = &w->device_box,
                    .reference = &w->reference,
                    .modelled = &w->modelled};
    bool found = false;
    for (size_t i = 0, n_timeouts = 0; i < lab->n_cases; i++) {
        if (!is_wanted(w->run, lab, &lab->cases[i]))
            continue;
        w->watched[i] |= found && work_is_judged(&lab->cases[i]);
        CaseResult *row = &r->cases[r->n_cases++];
        CaseTiming *timing = &w->timing->cases[w->timing->n_cases++];
        if (n_timeouts >= SUBMISSION_TIMEOUTS_MAX) {
            leave_out(w, &lab->cases[i], row, timing);
            continue;
        }
        in.lab_case = &lab->cases[i];
        in.watched = w->watched[i];
        run_case(w, &in, row, timing);
        n_timeouts += row->verdict == VERDICT_TIMEOUT;
        found |= in.watched && is_found(row);
    }
    if (found)
        watch_again(w, &in);
    double before_s = processor_s(RUSAGE_CHILDREN);
    judge_stop(judge);
    w->timing->processor_s.judge = processor_s(RUSAGE_CHILDREN) - before_s;
}

/* Of all that the sandboxes used, what no step in them did. The arguments are what this process and its
 * children had used when the submission's turn began. */
static void share_out_time(Phases *p, double self_before_s, double children_before_s)
{
    double steps_s = p->compile + p->link + p->cases + p->judge;
    double rest_s = processor_s(RUSAGE_CHILDREN) - children_before_s - steps_s;
    p->sandbox = rest_s > 0 ? rest_s : 0; /* clocks of two kinds */
    p->grader = processor_s(RUSAGE_SELF) - self_before_s;
}

Result *submission_grade(const GradeRun *run, const Submission *s, int slot, Timing *timing)
{
    *timing = (Timing){.started_at = (int64_t)time(NULL)};
    double started = io_now_s(), self_s = processor_s(RUSAGE_SELF), children_s = processor_s(RUSAGE_CHILDREN);
    Work w = {.run = run, .submission = s, .slot = slot, .timing = timing, .result = new_result(run, s)};
    if (!w.result)
        return NULL;
    w.box = (Box){.sandbox = &run->sandbox,
                  .kit = &run->kit,
                  .places = &w.places,
                  .case_bytes_max = box_case_bytes(s->lab),
                  .devices = run->gpu_devices,
                  .n_devices = run->n_gpu_devices,
                  .slot = slot};
    w.device_box = w.box;
    w.device_box.slot = slot + SANDBOX_SLOTS_MAX / 2; /* another user */
    if (make_program(&w) && read_answers(&w))
        run_cases(&w);
    box_stop(&w.box);
    box_stop(&w.device_box);
    speed_reference_free(&w.reference);
    modelled_free(&w.modelled);
    if (w.places.home)
        dir_remove(w.places.home, NULL);
    result_sum_up(w.result);
    timing->total_s = io_now_s() - started;
    share_out_time(&timing->processor_s, self_s, children_s);
    return w.result;
}
