/* See answer_check.h. */
#include "grader/submission/answer_check.h"

#include "common/base/strbuf.h"
#include "grader/submission/case_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Checker {
    const LabCase *lab_case;
    const AnswerFile *file;
    const AnswerTruths *truths;
    AnswerCheck *check;
    StrBuf message;
    size_t n_right;
} Checker;

/* A line of the message about one answer. */
static void answer_check_tell(Checker *k, const LabAnswer *wanted, const AnswerValue *v, const char *what)
{
    strbuf_printf(&k->message, "%s%s, line %d: %s is not right%s%s.", k->message.length ? "\n" : "",
                  wanted->of, v->line, v->text, what[0] ? ": " : "", what);
}

/* card: where it has one, the real card's. */
static bool number_of_run(const Checker *k, const char *name, const CardCounters *card, double *number)
{
    const VgpuReport *report = k->truths->report;
    if (card && counters_number(card, name, number))
        return true;
    return report && case_number(k->lab_case, report, name, number);
}

/* The truth over what it is divided by; false when the run has no such number. */
static bool truth_of_run(const Checker *k, const LabAnswer *wanted, const CardCounters *card, double *truth)
{
    double over = 1;
    if (!number_of_run(k, wanted->truth, card, truth) ||
        (wanted->over[0] && !number_of_run(k, wanted->over, card, &over)))
        return false;
    *truth /= over;
    return isfinite(*truth);
}

static bool is_in_band(const Checker *k, const LabAnswer *wanted, const AnswerValue *v,
                       const CardCounters *card)
{
    double truth;
    return truth_of_run(k, wanted, card, &truth) &&
           fabs(v->number - truth) <= wanted->atol + wanted->rtol * fabs(truth);
}

static bool is_one_of(const LabAnswer *wanted, const AnswerValue *v)
{
    for (size_t i = 0; i < wanted->n_one_of; i++)
        if (v->form->n_words ? strcmp(wanted->one_of[i], v->text) == 0
                             : strtod(wanted->one_of[i], NULL) == v->number)
            return true;
    return false;
}

static bool is_in_bounds(const LabAnswer *wanted, const AnswerValue *v)
{
    if (isnan(wanted->at_least) && isnan(wanted->at_most))
        return false;
    return !(v->number < wanted->at_least) && !(v->number > wanted->at_most);
}

/* A number that a whole report does not have is one that the lab names wrongly. A quotient by the time of kernels that never ran is not: that
 * is the program's doing. */
static bool is_misnamed(const Checker *k, const char *name)
{
    const LabBaseline *b = &k->lab_case->baseline;
    const char *of = b->name && strcmp(name, b->name) == 0 ? b->of : name;
    double number;
    return name[0] && k->truths->report && !vgpu_report_number(k->truths->report, of, &number);
}

/* Whether the value is right; *known is false when no run can say what would be. */
static bool is_right(const Checker *k, const LabAnswer *wanted, const AnswerValue *v, bool *known)
{
    *known = true;
    if (is_one_of(wanted, v) || (v->form->n_words == 0 && is_in_bounds(wanted, v)))
        return true;
    if (!wanted->truth[0])
        return false;
    if (v->form->n_words)
        return k->truths->report && strcmp(k->truths->report->bound, v->text) == 0;
    *known = !is_misnamed(k, wanted->truth) && !is_misnamed(k, wanted->over);
    return is_in_band(k, wanted, v, NULL) || (k->truths->card && is_in_band(k, wanted, v, k->truths->card));
}

/* Whether another number in the place of the answer would be right. */
static bool would_be_right(const Checker *k, const LabAnswer *wanted, const AnswerValue *v, double number)
{
    AnswerValue other = *v;
    bool known;
    other.number = number;
    return isfinite(number) && is_right(k, wanted, &other, &known);
}

enum { BYTES_OF_FLOAT = 4 };

/* The case's number of elements, 0 where it names none. */
static double elements_of(const LabCase *c)
{
    for (size_t i = 0; i < c->n_params; i++)
        if (strcmp(c->params[i].key, "n") == 0)
            return strtod(c->params[i].value, NULL);
    return 0;
}

/* What is wrong with a number from which the right one follows: a quotient the wrong way round, floats for bytes, one element for all, a unit. NULL: none of them. */
static const char *slip_of(const Checker *k, const LabAnswer *wanted, const AnswerValue *v)
{
    static const double units[] = {1e3, 1e6, 1e9, 1e12};
    if (v->form->n_words || v->number == 0 || wanted->n_one_of)
        return NULL;
    if (strstr(wanted->truth, "bytes") && !wanted->over[0] && would_be_right(k, wanted, v, v->number * BYTES_OF_FLOAT))
        return "it is a fourth of what it should be: bytes are asked for, and a float has four";
    if (would_be_right(k, wanted, v, 1 / v->number))
        return "it is the right quotient the wrong way round";
    if (elements_of(k->lab_case) > 1 && would_be_right(k, wanted, v, v->number * elements_of(k->lab_case)))
        return "it is that of one element: the whole launch is asked for, so multiply by n";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (would_be_right(k, wanted, v, v->number * units[i]) || would_be_right(k, wanted, v, v->number / units[i]))
            return "its digits are right, and its unit is not: plain numbers are asked for, without kilo, mega or micro";
    return NULL;
}

static void worsen(Checker *k, Verdict verdict)
{
    k->check->verdict = verdict_worse(k->check->verdict, verdict);
}

static void check_one(Checker *k, const LabAnswer *wanted)
{
    const AnswerValue *v = answers_find(k->file, wanted->of);
    bool known = true;
    if (!v || v->problem[0]) {
        worsen(k, VERDICT_MISSING_OUTPUT);
        strbuf_printf(&k->message, "%s%s.", k->message.length ? "\n" : "", v ? v->problem : wanted->of);
    } else if (is_right(k, wanted, v, &known)) {
        k->check->points += wanted->points;
        k->n_right++;
    } else if (known) {
        worsen(k, VERDICT_WRONG_RESULT);
        const char *slip = slip_of(k, wanted, v);
        answer_check_tell(k, wanted, v, slip ? slip : wanted->why);
    } else {
        worsen(k, VERDICT_KIT_ERROR);
        answer_check_tell(k, wanted, v, "or cannot be told: the run has no such number");
    }
}

/* A case without answers asks for the file's form. */
static void check_form(Checker *k)
{
    if (k->file->problems[0]) {
        worsen(k, VERDICT_MISSING_OUTPUT);
        strbuf_puts(&k->message, k->file->problems);
    }
}

Status answer_check(Arena *a, const LabCase *c, const AnswerFile *file, const AnswerTruths *truths,
                    AnswerCheck *check, Diag *d)
{
    *check = (AnswerCheck){.verdict = VERDICT_PASS, .message = ""};
    Checker k = {.lab_case = c, .file = file, .truths = truths, .check = check};
    if (!file->readable || c->n_answers == 0)
        check_form(&k);
    for (size_t i = 0; file->readable && i < c->n_answers; i++)
        check_one(&k, &c->answers[i]);
    if (c->n_answers > 1 && file->readable)
        strbuf_printf(&k.message, "%s%zu of %zu answers are right.", k.message.length ? "\n" : "", k.n_right,
                      c->n_answers);
    if (c->n_answers == 0 && check->verdict == VERDICT_PASS)
        strbuf_puts(&k.message, "The answer file has the right form.");
    check->message = strbuf_keep(&k.message, a);
    return check->message ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory to check answers");
}
