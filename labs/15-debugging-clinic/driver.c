/* Lab 15: calls the program that parameter `request` names on the arrays of a case.
 *
 * Parameter `calls` calls it several times, as somebody does who uses it all day; `first` before that for a picture or a list of so small a side; `others` calls all other programs
 * before, for little.
 */
#include "lab.h"

#include "debugging_clinic.h"

#include <string.h>

typedef struct Request {
    const LabArray *in;
    float *out;
    int width, height, n; /* of the case's parameters, those that it has */
} Request;

static int run_brighten(LabCase *c, const Request *r)
{
    return brighten(r->in->data, r->out, r->width, r->height, (float)lab_param_float(c, "by"));
}

static int run_moving_sum(LabCase *c, const Request *r)
{
    (void)c;
    return moving_sum(r->in->data, r->out, r->n);
}

static int run_roughness(LabCase *c, const Request *r)
{
    (void)c;
    return roughness(r->in->data, r->out, r->n);
}

static int run_row_maxima(LabCase *c, const Request *r)
{
    (void)c;
    return row_maxima(r->in->data, r->out, r->width, r->height);
}

static int run_lengths(LabCase *c, const Request *r)
{
    (void)c;
    return lengths(r->in->data, r->out, r->n);
}

static int run_smooth(LabCase *c, const Request *r)
{
    return smooth(r->in->data, r->out, r->n, (int)lab_param_int(c, "times"));
}

static int run_negative(LabCase *c, const Request *r)
{
    (void)c;
    return negative(r->in->data, r->out, r->width, r->height);
}

static int run_stretch(LabCase *c, const Request *r)
{
    return stretch(r->in->data, (int)lab_param_int(c, "length"), r->out, r->n);
}

/* The programs, and the form of what each puts out: a picture, a number for each row, or a list of n. */
typedef enum Form { PICTURE, ROWS, LIST } Form;

static const struct {
    const char *name;
    int (*run)(LabCase *c, const Request *r);
    Form form;
} requests[] = {
    {"brighten", run_brighten, PICTURE}, {"moving_sum", run_moving_sum, LIST},
    {"roughness", run_roughness, LIST},  {"row_maxima", run_row_maxima, ROWS},
    {"lengths", run_lengths, LIST},      {"smooth", run_smooth, LIST},
    {"negative", run_negative, PICTURE}, {"stretch", run_stretch, LIST},
};

static int optional(LabCase *c, const char *key, int otherwise)
{
    return lab_has_param(c, key) ? (int)lab_param_int(c, key) : otherwise;
}

static float *make_output(LabCase *c, const Request *r, Form form)
{
    size_t shape[] = {(size_t)(form == LIST ? r->n : r->height), (size_t)r->width};
    return lab_output(c, "out", LAB_F32, form == PICTURE ? 2 : 1, shape)->data;
}

/* All programs but one, for four numbers or a picture of one pixel. */
static int run_others(LabCase *c, const float *in, float *out, size_t but)
{
    (void)c;
    int status = 0;
    for (size_t i = 0; i < sizeof requests / sizeof *requests && status == 0; i++)
        status = i == but                               ? 0
                 : requests[i].run == run_brighten      ? brighten(in, out, 1, 1, 1)
                 : requests[i].run == run_moving_sum    ? moving_sum(in, out, 4)
                 : requests[i].run == run_roughness     ? roughness(in, out, 4)
                 : requests[i].run == run_row_maxima    ? row_maxima(in, out, 1, 1)
                 : requests[i].run == run_lengths       ? lengths(in, out, 4)
                 : requests[i].run == run_smooth        ? smooth(in, out, 4, 2)
                 : requests[i].run == run_negative      ? negative(in, out, 1, 1)
                                                        : stretch(in, 4, out, 4);
    return status;
}

void lab_main(LabCase *c)
{
    const char *name = lab_param_text(c, "request");
    Request r = {.in = lab_input(c, "in"),
                 .width = optional(c, "width", 0),
                 .height = optional(c, "height", 0),
                 .n = optional(c, "n", 0)};
    size_t i = 0;
    while (strcmp(requests[i].name, name) != 0)
        i++;
    r.out = make_output(c, &r, requests[i].form);
    int status = 0, first = optional(c, "first", 0);
    if (first > 0)
        status = requests[i].run(c, &(Request){.in = r.in, .out = r.out, .width = first, .height = first, .n = first});
    if (optional(c, "others", 0))
        status = run_others(c, r.in->data, r.out, i);
    for (int call = optional(c, "calls", 1); call > 0 && status == 0; call--)
        status = requests[i].run(c, &r);
    lab_status(c, name, status);
}
