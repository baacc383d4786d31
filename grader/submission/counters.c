/* See counters.h. */
#include "grader/submission/counters.h"

#include "grader/submission/program_run.h"
#include "grader/submission/tool.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char intensity[] = "arithmetic_intensity";
static const char log_name[] = "ncu.csv";
/* Where NVIDIA's packages put what bin/ncu of a toolkit starts. */
static const char packages[] = "/opt/nvidia/nsight-compute";

static bool is_below(const char *path, const char *folder)
{
    size_t n = folder ? strlen(folder) : 0;
    return n > 0 && strncmp(path, folder, n) == 0 && path[n] == '/';
}

bool counters_find(Arena *a, const Kit *kit, Tool *tool)
{
    if (!tool_find(a, kit, "ncu", NULL, tool))
        return false;
    bool visible = is_below(tool->program, "/usr") || is_below(tool->program, kit->cuda_home);
    if (visible && access(packages, R_OK | X_OK) == 0)
        tool->folder = packages;
    return true;
}

/* What it concerns ------------------------------------------------------------------------------ */

static bool is_of_card(const char *name)
{
    bool is = strcmp(name, intensity) == 0;
    for (int i = 0; i < NCU_N_NUMBERS; i++)
        is = is || strcmp(name, ncu_number_name((NcuNumber)i)) == 0;
    return is;
}

bool counters_concern(const LabCase *c)
{
    for (size_t i = 0; i < c->n_answers; i++)
        if (is_of_card(c->answers[i].truth) || is_of_card(c->answers[i].over))
            return true;
    return false;
}

/* Measuring ------------------------------------------------------------------------------------- */

/* The inputs are made again, for the program that was built for this card. */
static Status make_inputs(Arena *a, const CaseInput *in, uint64_t seed, Diag *d)
{
    Status s = places_clear_case(in->places, in->run->sandbox.weak, d);
    if (s == STATUS_OK)
        s = judge_make(in->judge, in->places->case_dir, seed, in->lab_case, d);
    return s == STATUS_OK ? program_show_inputs(a, in, d) : s;
}

static Status run_ncu(Arena *a, const CaseInput *in, ToolRun *run, Diag *d)
{
    const Tool *tool = &in->run->ncu;
    const char *metrics = ncu_report_metrics(a);
    /* Its own caches are emptied before each pass (the default); clocks are the machine's business. */
    const char *options[] = {"--csv",           "--page", "raw",       "--print-units", "base",
                             "--clock-control", "none",   "--metrics", metrics,         NULL};
    if (!metrics)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a tool");
    Box box = tool_box(in, tool);
    int turn = program_take_gpu(in->run, true); /* counters are the card's: others' work would be in them */
    Status s = tool_run(a, in, tool, &box, options, log_name, NCU_REPORT_BYTES_MAX, run, d);
    if (turn >= 0)
        close(turn);
    box_stop(&box);
    return s;
}

/* Holds what was measured against what was counted. */
static void compare_counters(const NcuCounters *measured, const VgpuReport *report, CardCounters *c)
{
    double launches = 0, own = 0;
    if (!report || !vgpu_report_number(report, "launches", &launches) ||
        launches != (double)measured->n_launches) {
        c->why = "it saw other launches than the virtual GPU";
        return;
    }
    c->measured = true;
    for (int i = 0; i < NCU_N_NUMBERS; i++) {
        c->numbers[i] = measured->numbers[i];
        bool has = vgpu_report_number(report, ncu_number_name((NcuNumber)i), &c->counted[i]);
        c->agrees[i] = has && fabs(c->numbers[i] - c->counted[i]) <= COUNTERS_AGREE * c->counted[i];
    }
    double bytes = c->counted[NCU_READ] + c->counted[NCU_WRITTEN];
    c->has_intensity = bytes > 0 && vgpu_report_number(report, intensity, &own) &&
                       fabs(own * bytes - c->counted[NCU_FLOPS32]) <= 1e-9 * c->counted[NCU_FLOPS32];
}

Status counters_measure(Arena *a, const CaseInput *in, uint64_t seed, const VgpuReport *report,
                        CardCounters *c, Diag *d)
{
    NcuCounters measured;
    ToolRun run;
    const char *why = "";
    *c = (CardCounters){.why = "Nsight Compute is not on this machine"};
    if (!in->run->ncu.program)
        return STATUS_OK;
    Status s = make_inputs(a, in, seed, d);
    if (s == STATUS_OK)
        s = run_ncu(a, in, &run, d);
    if (s != STATUS_OK)
        return s;
    bool read = run.length > 0 && ncu_report_read(a, run.bytes, run.length, &measured, &why);
    if (read && tool_ended(&run))
        compare_counters(&measured, report, c);
    else
        c->why = tool_reason(a, &run, why);
    return STATUS_OK;
}

static double best_known(const CardCounters *c, NcuNumber number)
{
    return c->agrees[number] ? c->numbers[number] : c->counted[number];
}

bool counters_number(const CardCounters *c, const char *name, double *number)
{
    for (int i = 0; i < NCU_N_NUMBERS; i++)
        if (c->agrees[i] && strcmp(name, ncu_number_name((NcuNumber)i)) == 0) {
            *number = c->numbers[i];
            return true;
        }
    if (!c->has_intensity || strcmp(name, intensity) != 0)
        return false;
    *number = best_known(c, NCU_FLOPS32) / (best_known(c, NCU_READ) + best_known(c, NCU_WRITTEN));
    return true;
}

void counters_keep(Arena *a, const CardCounters *c, CaseResult *r)
{
    ResultMetric *all = ARENA_NEW_ARRAY(a, ResultMetric, r->n_metrics + NCU_N_NUMBERS);
    size_t n = 0, i = 0;
    if (!all)
        return;
    for (; i < r->n_metrics && strcmp(r->metrics[i].name, "ncu_") < 0; i++)
        all[n++] = r->metrics[i];
    for (int number = 0; number < NCU_N_NUMBERS; number++) {
        const char *name = arena_printf(a, "ncu_%s", ncu_number_name((NcuNumber)number));
        if (name)
            all[n++] = (ResultMetric){name, c->numbers[number]};
    }
    for (; i < r->n_metrics; i++)
        all[n++] = r->metrics[i];
    r->metrics = all;
    r->n_metrics = n;
}
