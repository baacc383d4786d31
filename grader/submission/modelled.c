/* See modelled.h. */
#include "grader/submission/modelled.h"

#include "grader/build/intake.h"
#include "grader/core/files.h"
#include "grader/submission/speed.h"

/* Answers whose truth nobody but the virtual GPU knows whole: its counters, and what limited a kernel. */
static bool asks_for_counts(const LabCase *c)
{
    for (size_t i = 0; i < c->n_answers; i++) {
        const char *names[] = {c->answers[i].truth, c->answers[i].over};
        for (int n = 0; n < 2; n++)
            if (names[n][0])
                return true;
    }
    return false;
}

bool modelled_wants(const GradeRun *run, const Lab *lab, const LabCase *c)
{
    return run->gpu && c->run && (lab_names_device(c) || asks_for_counts(c)) && !speed_wants(run, lab, c);
}

static Box box_of(const Box *box, const Modelled *m)
{
    Box own = *box;
    own.process = (SandboxProcess){0};
    own.places = &m->places;
    own.devices = NULL;
    own.n_devices = 0;
    return own;
}

static Status modelled_make(Arena *a, const CaseInput *in, Modelled *m, Diag *d)
{
    Intake intake;
    BuildInput build = {.kit = &in->run->kit, .lab = in->lab, .places = &m->places, .box = &m->box};
    m->run = *in->run;
    m->run.gpu = false;
    m->run.isolated = in->run->isolates_models;
    m->run.sanitizer.scope = SANITIZE_NONE;
    m->box = box_of(in->box, m);
    m->device_box = box_of(in->device_box, m);
    Status s = places_make(a, in->run->work, in->box->slot + SANDBOX_SLOTS_MAX, in->run->sandbox.weak,
                           &m->places, d);
    if (s == STATUS_OK)
        s = intake_take(a, in->lab, in->places->src, m->places.src, &intake, d);
    if (s == STATUS_OK)
        s = build_submission(a, &build, &m->built, d);
    m->made = s == STATUS_OK;
    if (!m->made)
        modelled_free(m);
    return s;
}

Status modelled_prepare(Arena *a, const CaseInput *in, CaseInput *inner, Diag *d)
{
    Modelled *m = in->modelled;
    *inner = *in;
    inner->run = &m->run;
    inner->places = &m->places;
    inner->box = &m->box;
    inner->device_box = &m->device_box;
    inner->on_card = in;
    return m->made ? STATUS_OK : modelled_make(a, in, m, d);
}

/* What is said of the card's counters, after `said`. */
static const char *tell_counters(Arena *a, const CaseInput *inner, const CardCounters *card, const char *said)
{
    Language language = inner->lab->language;
    const char *name = inner->run->gpu_name && inner->run->gpu_name[0] ? inner->run->gpu_name : "GPU";
    if (!card->measured)
        return arena_printf(
            a, language_say(language, "%s Its counters are the virtual GPU's alone: ncu gave none (%s)."),
            said, card->why);
    said = arena_printf(a, language_say(language, "%s Its counters were also measured by ncu, on the %s."),
                        said, name);
    for (int i = 0; said && i < NCU_N_NUMBERS; i++)
        if (!card->agrees[i])
            said =
                arena_printf(a, language_say(language, "%s ncu's %s is another number, and does not count."),
                             said, ncu_number_name((NcuNumber)i));
    return said;
}

void modelled_tell(Arena *a, const CaseInput *inner, const CardCounters *card, CaseResult *r)
{
    const char *said = language_say(
        inner->lab->language, "This case is about a card that the virtual GPU models, and was run there.");
    said = card ? tell_counters(a, inner, card, said) : said;
    said = said ? arena_printf(a, "%s%s%s", r->message, r->message[0] ? "\n" : "", said) : NULL;
    r->message = said ? said : r->message;
}

void modelled_free(Modelled *m)
{
    box_stop(&m->box);
    box_stop(&m->device_box);
    if (m->places.home)
        dir_remove(m->places.home, NULL);
}
