/* One case; see case_run.h. */
#include "grader/submission/case_run.h"

#include "common/base/hints.h"
#include "grader/core/text.h"
#include "grader/judge/explain.h"
#include "grader/judge/timeline.h"
#include "grader/submission/case_numbers.h"
#include "grader/submission/counters.h"
#include "grader/submission/error_rules.h"
#include "grader/submission/modelled.h"
#include "grader/submission/outputs.h"
#include "grader/submission/program_run.h"
#include "grader/submission/sanitize.h"
#include "grader/submission/turn.h"
#include "grader/submission/speed.h"
#include "grader/submission/verdict_rules.h"
#include "grader/submission/work.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { STDERR_SHOWN_MAX = 16 << 10 };

/* A case under way. */
typedef struct CaseWork {
    Arena *arena;
    const CaseInput *in;
    CaseInput of_run; /* what `in` is while a case is run several times */
    uint64_t seed;
    SandboxAnswer ran;
    bool reported;
    VgpuReport *report;
    JudgeAnswer answer;
    bool judged;
    bool work_judged;
    ProvenanceFound work;
    AnswerCheck answers;
    bool answers_checked;
    bool timed;
    SpeedMeasured measured;
    SpeedJudgement speed;
    bool on_card; /* counted on a real card, too, or tried */
    CardCounters card;
    Evidence evidence;
} CaseWork;

/* Judging -------------------------------------------------------------------------------------- */

static const char *say_lines(Arena *a, Language language, const char *english)
{
    StrBuf out = {0};
    language_put_lines(language, english, &out);
    const char *said = strbuf_keep(&out, a);
    return said ? said : english;
}

/* The virtual GPU's sentences in the lab's language. */
static void translate_findings(VgpuReport *r, Language language)
{
    for (size_t i = 0; language != LANGUAGE_ENGLISH && i < r->n_findings; i++) {
        Finding *f = &r->findings[i];
        f->message = say_lines(&r->arena, language, f->message);
        f->hint = say_lines(&r->arena, language, f->hint);
        f->text = say_lines(&r->arena, language, f->text);
    }
}

/* A finding's text ends with its hint. */
static void drop_hints(VgpuReport *r)
{
    for (size_t i = 0; !hints_wanted() && i < r->n_findings; i++) {
        Finding *f = &r->findings[i];
        const char *hint = strstr(f->text, "\n  hint: ");
        if (hint)
            f->text = arena_strndup(&r->arena, f->text, (size_t)(hint - f->text));
        f->text = f->text ? f->text : "";
        f->hint = "";
    }
}

/* A report that is missing or spoilt is not an error of ours: the rules take it as the program's doing. */
static void read_report(CaseWork *w)
{
    int dir = open(w->in->places->case_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return;
    vgpu_report_read(dir, "report.json", &w->report, NULL);
    if (w->report) {
        vgpu_report_strip_folder(w->report, w->in->places->in_src);
        drop_hints(w->report);
        translate_findings(w->report, w->in->lab->language);
    }
    close(dir);
}

/* What the judge would else believe the program. */
static bool has_calls(const CaseWork *w)
{
    const char *path = arena_printf(w->arena, "%s/calls", w->in->places->case_dir);
    return path && access(path, R_OK) == 0;
}

/* A virtual GPU that cannot start (a library that is missing, say) tells why on its way out. */
static Status no_calls(const CaseWork *w, Diag *d)
{
    const char *said = w->ran.err ? w->ran.err : "";
    size_t n = strlen(said);
    while (n > 0 && said[n - 1] == '\n')
        n--;
    size_t from = n;
    while (from > 0 && said[from - 1] != '\n')
        from--;
    return diag_set(d, STATUS_IO, "the virtual GPU left no record of calls; exit status %d%s%.*s", w->ran.status,
                    n > from ? ": " : "", (int)(n - from), said + from);
}

/* Only a program that ended by itself has outputs worth judging. */
static Status judge_outputs(CaseWork *w, Diag *d)
{
    const LabCase *c = w->in->lab_case;
    bool no_call = w->report && error_is_injected(c) && !w->report->injected && w->report->can_fail == 0;
    if ((!c->check_output && !no_call) || w->ran.end != WIRE_END_NONE)
        return STATUS_OK;
    if (w->reported && !w->in->run->gpu && !has_calls(w))
        return no_calls(w, d);
    Status s = judge_check(w->in->judge, w->in->places->case_dir, w->seed, c, &w->answer, d);
    w->judged = s == STATUS_OK;
    return s;
}

/* A right result, and the virtual GPU's record of where it comes from. */
static Status judge_work(CaseWork *w, Diag *d)
{
    const CaseInput *in = w->in;
    if (!w->judged || w->answer.verdict != VERDICT_PASS || in->run->gpu || !w->report ||
        !in->watched)
        return STATUS_OK;
    Status s =
        work_judge(w->arena, in->lab_case, in->places->case_dir, &w->answer, in->lab->language, &w->work, d);
    w->work_judged = s == STATUS_OK;
    return s;
}

/* The student's answers, where the case asks for any or for nothing else. */
static Status check_answers(CaseWork *w, Diag *d)
{
    const LabCase *c = w->in->lab_case;
    if (!w->in->answers || (c->run && c->n_answers == 0))
        return STATUS_OK;
    AnswerTruths truths = {.report = w->report,
                           .card = w->on_card && w->card.measured ? &w->card : NULL};
    Status s = answer_check(w->arena, c, w->in->answers, &truths, &w->answers, d);
    w->answers_checked = s == STATUS_OK;
    return s;
}

static void gather_evidence(CaseWork *w)
{
    const LabCase *c = w->in->lab_case;
    w->evidence = (Evidence){
        .lab_case = c,
        .failed_before = w->evidence.failed_before,
        .virtual_device = !w->in->run->gpu,
        .isolated = w->in->run->isolated,
        .end = w->ran.end,
        .status = w->ran.status,
        .signal = w->ran.signal,
        .report = w->report,
        .answer = w->judged ? &w->answer : NULL,
        .answers = w->answers_checked ? &w->answers : NULL,
        .speed = w->timed ? &w->speed : NULL,
        .work = w->work_judged ? &w->work : NULL,
    };
    double again;
    w->evidence.has_returned = outputs_value(w->in->places->case_dir, "returned", &w->evidence.returned);
    w->evidence.returned_again = outputs_value(w->in->places->case_dir, "returned_again", &again);
    if (!c->metric[0] || w->timed)
        return;
    w->evidence.has_metric =
        case_metric(c, w->report, w->judged ? &w->answer : NULL, &w->evidence.metric);
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

/* What the program said on its standard error. */
static const char *stderr_of(CaseWork *w)
{
    const Places *p = w->in->places;
    char *text = text_clean(w->arena, w->ran.err, w->ran.err_bytes, STDERR_SHOWN_MAX);
    const char *folders[] = {p->in_src, p->in_prog, p->in_case};
    for (size_t i = 0; text && i < sizeof folders / sizeof *folders; i++)
        text_strip_folder(text, folders[i]);
    return text;
}

/* What was measured, in the order of names. */
static void keep_speed(CaseWork *w, CaseResult *r)
{
    const SpeedCeilings *c = &w->measured.ceilings;
    const SpeedJudgement *j = &w->speed;
    const ResultMetric metrics[] = {{"speed_call_us", j->call_us},
                                    {"speed_ceiling_copy_gb_s", c->copy_bytes_s / 1e9},
                                    {"speed_ceiling_launch_us", c->launch_s * 1e6},
                                    {"speed_ceiling_link_gb_s", c->link_bytes_s / 1e9},
                                    {"speed_ceiling_tflop_s", c->ops_s / 1e12},
                                    {"speed_reference_us", j->reference_us},
                                    {"speed_roofline_us", j->roofline_us},
                                    {"speed_share", j->share},
                                    {"speed_spread", j->spread}};
    r->metrics = ARENA_NEW_ARRAY(w->arena, ResultMetric, sizeof metrics / sizeof *metrics);
    if (!r->metrics)
        return;
    memcpy(r->metrics, metrics, sizeof metrics);
    r->n_metrics = sizeof metrics / sizeof *metrics;
}

/* A picture for the report; without one there is none, as with a report. */
static void read_timeline(CaseWork *w, CaseResult *r)
{
    int dir = open(w->in->places->case_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return;
    timeline_read(w->arena, dir, "timeline.json", r, NULL);
    close(dir);
}

/* Whether a run went on to its end: what a fault or an error ended shows nothing of what comes after it. */
static bool ran_through(Verdict verdict)
{
    return verdict == VERDICT_WRONG_RESULT || verdict == VERDICT_UNINITIALIZED || verdict == VERDICT_NO_GPU_WORK ||
           verdict == VERDICT_SUSPECT;
}

/* The TODO at hand in a case that falls short; see lab_schema.def under `signs`. */
static int64_t todo_of(const CaseWork *w, Verdict verdict)
{
    const Lab *lab = w->in->lab;
    const LabSign *first_missing = NULL;
    bool any = false;
    for (size_t i = 0; i < lab->n_signs; i++) {
        const LabSign *s = &lab->signs[i];
        double total = 0;
        if (!lab_is_of(w->in->lab_case, s->of))
            continue;
        if (s->verdict[0] && strcmp(s->verdict, verdict_word(verdict)) == 0)
            return s->todo;
        if (!s->total[0] || !ran_through(verdict) || !w->report || !vgpu_report_number(w->report, s->total, &total))
            continue;
        any = any || total >= s->at_least;
        if (total < s->at_least && !first_missing)
            first_missing = s;
    }
    return any && first_missing ? first_missing->todo : w->in->lab_case->todo;
}

static void case_run_tell(CaseWork *w, CaseResult *r)
{
    const LabCase *c = w->in->lab_case;
    r->verdict = verdict_of(&w->evidence);
    r->points = points_of(&w->evidence, r->verdict);
    r->todo = todo_of(w, r->verdict);
    CaseFacts facts = {
        .language = w->in->lab->language,
        .lab_case = c,
        .answer = w->judged ? &w->answer : NULL,
        .report = w->report,
        .virtual_device = w->evidence.virtual_device,
        .exit_status = evidence_exit_status(&w->evidence),
        .exit_signal = evidence_exit_signal(&w->evidence),
        .start_error = w->ran.end == WIRE_END_REFUSED ? w->ran.status : 0,
        .stderr_text = stderr_of(w),
        .limit_hit = limit_text(w),
        .work_message = w->work_judged ? w->work.message : NULL,
        .speed_message = w->timed ? w->speed.message : NULL,
        .kit_message =
            c->metric[0] ? arena_printf(w->arena, "The metric %s is not in the report.", c->metric) : NULL,
        .metric_name = w->evidence.has_metric ? c->metric : NULL,
        .metric_value = w->evidence.metric,
        .answers = w->answers_checked ? w->answers.message : NULL,
        .answers_verdict = w->answers.verdict,
        .errors = error_fault_text(w->arena, &w->evidence, w->in->lab->language),
    };
    explain_case(w->arena, &facts, r);
    if (w->report)
        explain_findings(w->arena, w->report, r);
    if (w->timed)
        keep_speed(w, r);
    else
        keep_metrics(w, r);
    if (w->on_card && w->card.measured)
        counters_keep(w->arena, &w->card, r);
    if (w->in->on_card)
        modelled_tell(w->arena, w->in, w->on_card ? &w->card : NULL, r);
    if (c->timeline && w->reported)
        read_timeline(w, r);
    if (c->leaderboard[0] && w->evidence.has_metric) {
        r->leaderboard = c->metric;
        r->highest_first = strcmp(c->leaderboard, "highest") == 0;
    }
}

static void tell_kit_error(Arena *a, const CaseInput *in, const Diag *d, CaseResult *r)
{
    r->verdict = VERDICT_KIT_ERROR;
    CaseFacts facts = {.language = in->lab->language, .lab_case = in->lab_case, .kit_message = d->message};
    explain_case(a, &facts, r);
}

/* What only the virtual GPU can do, in a run of its own: make calls fail, and count for a metric. Where speed
 * is measured, nobody counts. */
static bool needs_virtual_gpu(const LabCase *c, bool timed)
{
    bool counts = c->metric[0] && strncmp(c->metric, LAB_RIGHT, strlen(LAB_RIGHT)) != 0;
    return !timed && (c->n_vgpu > 0 || counts);
}

const char *case_not_here(Arena *a, const GradeRun *run, const Lab *lab, const LabCase *c)
{
    Language language = lab->language;
    if (!run->gpu)
        return NULL;
    if (needs_virtual_gpu(c, speed_wants(run, lab, c)))
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

/* The case beside the lab's solution, with a clock. */
static Status time_and_judge(CaseWork *w, Diag *d)
{
    const CaseInput *in = w->in;
    Status s = STATUS_OK;
    if (!in->reference->built)
        s = speed_reference_make(w->arena, in->run, in->lab, in->device_box->slot, in->reference, d);
    if (s == STATUS_OK)
        s = speed_measure(w->arena, in, w->seed, &w->measured, &w->ran, d);
    if (s == STATUS_OK)
        s = judge_outputs(w, d);
    w->timed = s == STATUS_OK;
    if (w->timed)
        w->speed = speed_judge(w->arena, &in->lab_case->speed, &w->measured);
    return s;
}

/* A case that was run on the virtual GPU is counted on the card too, where answers are about that. */
static Status count_on_card(CaseWork *w, Diag *d)
{
    const CaseInput *card = w->in->on_card;
    w->on_card = card && w->report && w->ran.end == WIRE_END_NONE && counters_concern(w->in->lab_case);
    return w->on_card ? counters_measure(w->arena, card, w->seed, w->report, &w->card, d) : STATUS_OK;
}

/* Inputs, the program, and its report. */
static Status run_once(CaseWork *w, const CaseInput *in, Diag *d)
{
    Status s = places_clear_case(in->places, in->run->sandbox.weak, d);
    if (s == STATUS_OK)
        s = judge_make(in->judge, in->places->case_dir, w->seed, in->lab_case, d);
    if (s == STATUS_OK)
        s = program_run(w->arena, in, w->seed, &w->ran, &w->reported, d);
    if (s == STATUS_OK && w->reported)
        read_report(w);
    return s;
}

/* Whether the run under way ended in an error of the student's. */
static bool ended_in_error(const CaseWork *w)
{
    double returned;
    Evidence e = {.virtual_device = true, .isolated = w->in->run->isolated, .report = w->report, .status = w->ran.status};
    return outputs_value(w->in->places->case_dir, "returned", &returned) || evidence_exit_status(&e) != 0;
}

static Status judge_run(CaseWork *w, Diag *d)
{
    Status s = judge_outputs(w, d);
    return s == STATUS_OK ? judge_work(w, d) : s;
}

/* What the last run left. */
static void forget_run(CaseWork *w)
{
    judge_answer_free(&w->answer);
    vgpu_report_free(w->report);
    w->answer = (JudgeAnswer){0};
    w->report = NULL;
    w->judged = w->work_judged = w->reported = false;
}

/* A case in which calls are made to fail (error_rules.h): of the runs the first that falls short counts, or the last. */
static Status run_failing(CaseWork *w, Diag *d)
{
    const LabCase *c = w->in->lab_case;
    CaseInput other = *w->in;
    other.lab_case = error_case_first(w->arena, c);
    Status s = other.lab_case ? run_once(w, &other, d) : diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
    int64_t runs = s == STATUS_OK ? error_runs(c, w->report) : 0;
    if (runs == 0)
        return s == STATUS_OK ? judge_run(w, d) : s;
    w->evidence.failed_before = ended_in_error(w);
    if (w->evidence.failed_before) /* what went wrong there is what there is to mend */
        return judge_run(w, d);
    for (int64_t i = 1; i <= runs && s == STATUS_OK; i++) {
        other.lab_case = error_case_run(w->arena, c, w->report, i);
        forget_run(w);
        s = other.lab_case ? run_once(w, &other, d) : diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
        if (s == STATUS_OK)
            s = judge_run(w, d);
        gather_evidence(w);
        if (s != STATUS_OK || verdict_of(&w->evidence) != VERDICT_PASS)
            break;
    }
    return s;
}

/* One run, or as many as the case says, with other parameters and inputs: the first that falls short counts, or the last. */
static Status run_varied(CaseWork *w, Diag *d)
{
    const LabCase *c = w->in->lab_case;
    w->of_run = *w->in;
    w->in = &w->of_run;
    for (int64_t run = 0; run < c->runs; run++) {
        const LabCase *now = lab_case_of_run(w->arena, w->in->lab, c, run, d);
        if (!now)
            return d->code;
        w->of_run.lab_case = now;
        forget_run(w);
        w->seed += run > 0;
        Status s = run_once(w, w->in, d);
        if (s == STATUS_OK)
            s = judge_run(w, d);
        if (s != STATUS_OK)
            return s;
        gather_evidence(w);
        if (verdict_of(&w->evidence) != VERDICT_PASS)
            break;
    }
    return STATUS_OK;
}

/* A run or more, and what came out of the one that counts. */
static Status run_and_judge(CaseWork *w, Diag *d)
{
    const CaseInput *in = w->in;
    if (speed_wants(in->run, in->lab, in->lab_case))
        return time_and_judge(w, d);
    if (error_is_injected(in->lab_case) && !in->run->gpu)
        return run_failing(w, d);
    Status s = run_varied(w, d);
    return s == STATUS_OK ? count_on_card(w, d) : s;
}

/* In a run on a GPU, a case about a card that is modelled. */
static void run_modelled(Arena *a, const CaseInput *in, CaseResult *r, CaseTiming *timing)
{
    CaseInput inner;
    const char *device_name = ""; /* the run's is the real card's */
    Diag d = {0};
    if (modelled_prepare(a, in, &inner, &d) != STATUS_OK) {
        tell_kit_error(a, in, &d, r);
        return;
    }
    const BuildOutput *built = &in->modelled->built;
    if (built->verdict == VERDICT_PASS) {
        case_run(a, &inner, r, timing, &device_name);
        return;
    }
    CaseFacts facts = {.language = in->lab->language, .lab_case = in->lab_case};
    r->verdict = built->verdict;
    explain_case(a, &facts, r);
    const char *told = arena_printf(a, "%s\n%s", r->message, built->log);
    r->message = told ? told : r->message;
}

void case_run(Arena *a, const CaseInput *in, CaseResult *r, CaseTiming *timing, const char **device_name)
{
    const LabCase *c = in->lab_case;
    CaseWork w = {.arena = a, .in = in, .seed = submission_case_seed(in->run, in->lab, c)};
    Diag d = {0};
    *r = (CaseResult){.name = c->name,
                      .hidden = c->hidden,
                      .todo = c->todo,
                      .max_points = c->points,
                      .message = "",
                      .lesson = "",
                      .hint = ""};
    r->replay = c->hidden || !c->run ? "" : arena_printf(a, "make run CASE=%s", c->name);
    *timing = (CaseTiming){.name = c->name};
    if (modelled_wants(in->run, in->lab, c)) {
        run_modelled(a, in, r, timing);
        return;
    }
    const char *why = case_not_here(a, in->run, in->lab, c);
    if (why) {
        tell_inconclusive(a, in, why, r);
        return;
    }
    Status s = c->run ? run_and_judge(&w, &d) : STATUS_OK;
    if (s == STATUS_OK)
        s = check_answers(&w, &d);
    if (s == STATUS_OK && c->run && !w.timed && w.ran.end == WIRE_END_NONE &&
        sanitize_wants(in->run, in->lab, c))
        s = sanitize_case(a, in, &w.report, &d);
    gather_evidence(&w);
    if (s == STATUS_OK)
        case_run_tell(&w, r);
    else
        tell_kit_error(a, in, &d, r);
    if (w.report && w.report->device_name[0])
        *device_name = arena_strndup(a, w.report->device_name, strlen(w.report->device_name));
    *timing = (CaseTiming){
        .name = c->name, .wall_s = w.ran.wall_s, .cpu_s = w.ran.cpu_s, .max_rss_kib = w.ran.rss_kib,
        .ran_short = turn_was_short(w.ran.end == WIRE_END_WALL, w.ran.wall_s, w.ran.waited_s, c->limits.wall_s)};
    judge_answer_free(&w.answer);
    vgpu_report_free(w.report);
}
