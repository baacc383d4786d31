/* Timing a submission beside the solution; see speed.h. */
#include "grader/submission/speed.h"

#include "common/base/io.h"
#include "grader/build/build.h"
#include "grader/build/intake.h"
#include "grader/core/files.h"
#include "grader/submission/program_run.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CALLS_MAX = 256,
    READY_MS = 60000, /* a driver starts slowly */
    ROUND_MS = 30000,
    LINE_MAX_BYTES = 128
};

#define ROUND_S_MIN 0.02 /* as many calls as take so long */

/* One process of either program under way. */
typedef struct Talk {
    const CaseInput *in;
    SpeedMeasured *m;
    bool is_reference;
    bool first; /* of the reference's: the ceilings and the number of calls are still to be found */
    int calls;
    uint64_t seeds[SPEED_ROUNDS + 1];
    uint64_t (*answers)[CALLS_MAX]; /* of the reference's rounds: [SPEED_ROUNDS + 1] */
    bool failed;                    /* it gave no answer, or none in time */
} Talk;

bool speed_wants(const GradeRun *run, const Lab *lab, const LabCase *c)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/solutions/%s", run->kit.root, lab->lab);
    return run->gpu && c->speed.n_tiers > 0 && access(path, R_OK) == 0;
}

/* ---- Clocks ---- */

/* What a test's clock says a round took; its text is "BLANK REFERENCE STUDENT", microseconds a call. */
static double told_s(const Talk *t, const char *kind, int calls)
{
    double us[3] = {0, 0, 0};
    if (sscanf(t->in->run->speed_clock, "%lf %lf %lf", &us[0], &us[1], &us[2]) != 3)
        return 0;
    int which = strcmp(kind, "work") != 0 ? 0 : t->is_reference ? 1 : 2;
    return 1e-6 * us[which] * calls;
}

/* ---- A question and its answer ---- */

/* A message within the time; its length, 0 for none. */
static size_t receive(int fd, void *bytes, size_t size, int within_ms)
{
    double until = io_now_s() + within_ms / 1000.0;
    for (;;) {
        double left = until - io_now_s();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = poll(&p, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t n = ready > 0 ? recv(fd, bytes, size, MSG_DONTWAIT) : 0;
        return n > 0 ? (size_t)n : 0;
    }
}

/* Seconds from the question to the answer, which goes to `reply`; less than 0 when there is none of that
 * length (0: of any). */
static double ask_timed_program(const Talk *t, int fd, const char *kind, int calls, uint64_t seed,
                                void *reply, size_t size, size_t length)
{
    char line[LINE_MAX_BYTES];
    int n = snprintf(line, sizeof line, "round %s %d %llu", kind, calls, (unsigned long long)seed);
    double start = io_now_s();
    if (send(fd, line, (size_t)n, MSG_NOSIGNAL) != n)
        return -1;
    size_t got = receive(fd, reply, size, ROUND_MS);
    double took = io_now_s() - start;
    if (got == 0 || (length > 0 && got != length))
        return -1;
    return t->in->run->speed_clock ? told_s(t, kind, calls) : took;
}

static void speed_keep(SpeedTimes *times, double round_s, int calls)
{
    if (times->n < SPEED_TIMES_MAX)
        times->s[times->n++] = round_s / calls;
}

/* ---- What is asked of the solution alone ---- */

/* How much a second, of `calls` of a kind, the better of two rounds after one that does not count; 0 when
 * there is no answer. */
static double measure_rate(Talk *t, int fd, const char *kind, int calls)
{
    double best = 0;
    if (t->in->run->speed_clock)
        calls = 1; /* nobody's time counts */
    for (int i = 0; i < 3; i++) {
        char reply[LINE_MAX_BYTES] = "";
        double amount = 0, s = ask_timed_program(t, fd, kind, calls, 0, reply, sizeof reply - 1, 0);
        reply[sizeof reply - 1] = '\0';
        if (s < 0 || sscanf(reply, "done %lf", &amount) != 1) {
            t->failed = true;
            return 0;
        }
        double rate = s > 0 ? amount * calls / s : 0;
        best = i > 0 && rate > best ? rate : best;
    }
    return best;
}

static void measure_ceilings(Talk *t, int fd)
{
    SpeedCeilings *c = &t->m->ceilings;
    c->copy_bytes_s = measure_rate(t, fd, "copy", 32);
    c->ops_s = t->failed ? 0 : measure_rate(t, fd, "spend", CALLS_MAX);
    c->link_bytes_s = t->failed ? 0 : measure_rate(t, fd, "link", 8);
    double launches = t->failed ? 0 : measure_rate(t, fd, "launch", CALLS_MAX);
    c->launch_s = launches > 0 ? 1 / launches : 0;
}

/* As many calls as make a round long enough for the clock. */
static void choose_calls(Talk *t, int fd)
{
    uint64_t reply[CALLS_MAX];
    double s = 0;
    for (int i = 0; i < 2 && s >= 0; i++)
        s = ask_timed_program(t, fd, "work", 1, t->seeds[0], reply, sizeof reply, sizeof *reply);
    t->failed = t->failed || s < 0;
    double wanted = s > 0 ? ROUND_S_MIN / s : CALLS_MAX;
    t->calls = t->in->run->speed_clock ? 2 : wanted < 1 ? 1 : wanted > CALLS_MAX ? CALLS_MAX : (int)wanted;
}

static void measure_blank(Talk *t, int fd)
{
    uint64_t reply[CALLS_MAX];
    for (int i = 0; i <= SPEED_ROUNDS && !t->failed; i++) {
        double s = ask_timed_program(t, fd, "blank", t->calls, t->seeds[i], reply, sizeof reply,
                                     (size_t)t->calls * sizeof *reply);
        t->failed = s < 0;
        if (i > 0 && !t->failed)
            speed_keep(&t->m->blank, s, t->calls);
    }
}

/* ---- Rounds ---- */

static void measure_work(Talk *t, int fd)
{
    uint64_t reply[CALLS_MAX];
    SpeedTimes *times = t->is_reference ? &t->m->reference : &t->m->student;
    size_t bytes = (size_t)t->calls * sizeof *reply;
    for (int i = 0; i <= SPEED_ROUNDS && !t->failed; i++) {
        double s = ask_timed_program(t, fd, "work", t->calls, t->seeds[i], reply, sizeof reply, bytes);
        t->failed = s < 0;
        if (t->failed)
            return;
        if (i > 0)
            speed_keep(times, s, t->calls);
        if (t->is_reference)
            memcpy(t->answers[i], reply, bytes);
        else
            t->m->differs = t->m->differs || memcmp(t->answers[i], reply, bytes) != 0;
    }
}

/* Both ends of the conversation: the program has started, and ends when this returns. */
static void converse(void *context, int fd)
{
    Talk *t = context;
    char ready[LINE_MAX_BYTES];
    t->failed = receive(fd, ready, sizeof ready, READY_MS) != 5 || memcmp(ready, "ready", 5) != 0;
    if (t->first && !t->failed)
        measure_ceilings(t, fd);
    if (t->first && !t->failed)
        choose_calls(t, fd);
    if (t->is_reference && !t->failed)
        measure_blank(t, fd);
    if (!t->failed)
        measure_work(t, fd);
    send(fd, "end", 3, MSG_NOSIGNAL);
}

/* ---- The programs ---- */

/* The case with what its speed needs: parameters with a prefix. */
static const LabCase *timed_case(Arena *a, const LabCase *c)
{
    LabCase *timed = ARENA_NEW(a, LabCase);
    LabParam *params = ARENA_NEW_ARRAY(a, LabParam, c->n_params + c->speed.n_params + 1);
    if (!timed || !params)
        return NULL;
    *timed = *c;
    for (size_t i = 0; i < c->n_params; i++)
        params[i] = c->params[i];
    for (size_t i = 0; i < c->speed.n_params; i++)
        params[c->n_params + i] = (LabParam){.key = arena_printf(a, "speed_%s", c->speed.params[i].key),
                                             .value = c->speed.params[i].value};
    timed->params = params;
    timed->n_params += c->speed.n_params;
    return timed;
}

static Status run_one(Arena *a, const CaseInput *in, uint64_t seed, Talk *t, SandboxAnswer *ran, Diag *d)
{
    Status s = places_clear_case(in->places, in->run->sandbox.weak, d);
    if (s == STATUS_OK)
        s = judge_make(in->judge, in->places->case_dir, seed, in->lab_case, d);
    return s == STATUS_OK ? program_run_timed(a, in, converse, t, ran, d) : s;
}

static Status draw_seeds(Talk *t, Diag *d)
{
    if (getrandom(t->seeds, sizeof t->seeds, 0) != sizeof t->seeds)
        return diag_set(d, STATUS_IO, "no random numbers: %s", strerror(errno));
    return STATUS_OK;
}

/* A pair: the solution, then the submission with the same seeds. *goes_on: both gave all answers. */
static Status run_pair(Arena *a, const CaseInput *reference, const CaseInput *student, uint64_t seed, Talk *t,
                       SandboxAnswer *ran, bool *goes_on, Diag *d)
{
    SandboxAnswer of_reference = {0};
    Status s = draw_seeds(t, d);
    t->is_reference = true;
    t->in = reference;
    if (s == STATUS_OK)
        s = run_one(a, reference, seed, t, &of_reference, d);
    if (s == STATUS_OK && t->failed)
        s = diag_set(d, STATUS_INVALID, "the lab's solution could not be timed: %.200s",
                     of_reference.err_bytes ? of_reference.err : "it gave no answer");
    t->is_reference = t->first = false;
    t->in = student;
    if (s == STATUS_OK)
        s = run_one(a, student, seed, t, ran, d);
    t->m->silent = s == STATUS_OK && t->failed;
    *goes_on = !t->m->differs &&
        s == STATUS_OK && !t->failed && ran->end == WIRE_END_NONE && ran->status == 0 && ran->signal == 0;
    return s;
}

Status speed_measure(Arena *a, const CaseInput *in, uint64_t seed, SpeedMeasured *m, SandboxAnswer *ran,
                     Diag *d)
{
    CaseInput student = *in, reference = *in;
    Talk t = {.m = m, .first = true};
    *m = (SpeedMeasured){0};
    student.lab_case = timed_case(a, in->lab_case);
    t.answers = arena_alloc(a, (SPEED_ROUNDS + 1) * sizeof *t.answers);
    if (!student.lab_case || !t.answers)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a timed case");
    reference.lab_case = student.lab_case;
    reference.places = &in->reference->places;
    reference.box = &in->reference->box;
    int turn = program_take_gpu(in->run, true);
    Status s = STATUS_OK;
    bool goes_on = true;
    int pairs = in->run->speed_clock ? 1 : SPEED_PAIRS; /* a test's clock says the same again */
    for (int pair = 0; pair < pairs && s == STATUS_OK && goes_on; pair++)
        s = run_pair(a, &reference, &student, seed, &t, ran, &goes_on, d);
    if (turn >= 0)
        close(turn);
    return s;
}

/* ---- The solution ---- */

static Status build_reference(Arena *a, const GradeRun *run, const Lab *lab, SpeedReference *r, Diag *d)
{
    Intake intake;
    BuildOutput out;
    const char *folder = arena_printf(a, "%s/solutions/%s", run->kit.root, lab->lab);
    BuildInput in = {.kit = &run->kit, .lab = lab, .places = &r->places, .box = &r->box, .gpu = run->gpu};
    Status s = folder ? intake_take(a, lab, folder, r->places.src, &intake, d)
                      : diag_set(d, STATUS_NO_MEMORY, "no memory for the solution");
    if (s == STATUS_OK)
        s = build_submission(a, &in, &out, d);
    if (s == STATUS_OK && out.verdict != VERDICT_PASS)
        s = diag_set(d, STATUS_INVALID, "the lab's solution cannot be built here: %.200s", out.log);
    return s;
}

/* A worker that has built the solution leaves the program for others, under a name that is there at once or
 * not at all. */
Status speed_reference_make(Arena *a, const GradeRun *run, const Lab *lab, int slot, SpeedReference *r,
                            Diag *d)
{
    Status s = places_make(a, run->work, slot, run->sandbox.weak, &r->places, d);
    r->box = (Box){.sandbox = &run->sandbox,
                   .kit = &run->kit,
                   .places = &r->places,
                   .case_bytes_max = box_case_bytes(lab),
                   .devices = run->gpu_devices,
                   .n_devices = run->n_gpu_devices,
                   .slot = slot};
    const char *kept = arena_printf(a, "%s/reference-%s", run->work, lab->lab);
    const char *program = s == STATUS_OK ? arena_printf(a, "%s/program", r->places.prog) : NULL;
    if (s == STATUS_OK && (!kept || !program))
        s = diag_set(d, STATUS_NO_MEMORY, "no memory for the solution");
    if (s == STATUS_OK && link(kept, program) != 0) {
        s = build_reference(a, run, lab, r, d);
        if (s == STATUS_OK && link(program, kept) != 0 && errno != EEXIST)
            s = diag_set(d, STATUS_IO, "cannot keep %s: %s", kept, strerror(errno));
    }
    r->built = s == STATUS_OK;
    return s;
}

void speed_reference_free(SpeedReference *r)
{
    box_stop(&r->box);
    if (r->places.home)
        dir_remove(r->places.home, NULL);
}
