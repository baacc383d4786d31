/* See sanitize.h. */
#include "grader/submission/sanitize.h"

#include "grader/judge/sanitizer_report.h"
#include "grader/submission/program_run.h"
#include "grader/submission/tool.h"

#include <string.h>
#include <unistd.h>

enum { LOG_BYTES = 16 << 20 };

static const char print_limit[] = "100"; /* reports; of some programs each thread makes one */

static const char *const scopes[] = {[SANITIZE_NONE] = "none",
                                     [SANITIZE_FIRST] = "first",
                                     [SANITIZE_PUBLIC] = "public",
                                     [SANITIZE_ALL] = "all"};

const char *sanitize_scope_word(SanitizeScope scope)
{
    return scopes[scope];
}

bool sanitize_scope_from_word(const char *word, SanitizeScope *scope)
{
    for (size_t i = SANITIZE_FIRST; i < sizeof scopes / sizeof *scopes; i++)
        if (strcmp(word, scopes[i]) == 0) {
            *scope = (SanitizeScope)i;
            return true;
        }
    return false;
}

bool sanitize_wants(const GradeRun *run, const Lab *lab, const LabCase *c)
{
    switch (run->sanitizer.scope) {
    case SANITIZE_NONE:
        return false;
    case SANITIZE_FIRST:
        return c == lab->cases;
    case SANITIZE_PUBLIC:
        return !c->hidden;
    case SANITIZE_ALL:
        break;
    }
    return true;
}

/* Finding the tool ----------------------------------------------------------------------------- */

Status sanitize_find(Arena *a, const Kit *kit, Tool *tool, Diag *d)
{
    if (tool_find(a, kit, "compute-sanitizer", "../compute-sanitizer/compute-sanitizer", tool))
        return STATUS_OK;
    diag_set(d, STATUS_NOT_FOUND, "compute-sanitizer is neither in the toolkit nor on the PATH");
    diag_hint(d, "it is a part of the CUDA Toolkit: install the package cuda-sanitizer-13-0 of NVIDIA's "
                 "repository, or put its folder on the PATH; without --sanitize cases are run without it");
    return STATUS_NOT_FOUND;
}

/* Running -------------------------------------------------------------------------------------- */

/* One tool. What goes wrong in its sandbox is said, and no more. */
static Status run_tool(Arena *a, const CaseInput *in, Box *box, SanitizerTool tool, VgpuReport *report,
                       Diag *d)
{
    const SanitizerToolInfo *info = sanitizer_tool(tool);
    const char *options[] = {
        "--print-limit", print_limit, "--tool", info->word, info->option[0] ? info->option : NULL,
        info->value,     NULL};
    const char *log = arena_printf(a, "%s.log", info->word), *why = "";
    ToolRun run;
    if (!log)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a tool");
    Status s = tool_run(a, in, &in->run->sanitizer.tool, box, options, log, LOG_BYTES, &run, d);
    if (s != STATUS_OK)
        return s;
    bool read = !run.problem[0] && sanitizer_report_add(report, tool, run.bytes, run.length, &why);
    if (!read || !tool_ended(&run))
        sanitizer_report_add_failure(report, tool, tool_reason(&report->arena, &run, why));
    return STATUS_OK;
}

Status sanitize_case(Arena *a, const CaseInput *in, VgpuReport **out, Diag *d)
{
    VgpuReport *report = sanitizer_report_create();
    Box box = tool_box(in, &in->run->sanitizer.tool);
    Status status = report ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for a tool's report");
    int turn = program_take_gpu(in->run, false);
    for (int tool = 0; status == STATUS_OK && tool < SANITIZER_N_TOOLS; tool++)
        status = run_tool(a, in, &box, (SanitizerTool)tool, report, d);
    if (turn >= 0)
        close(turn);
    box_stop(&box);
    if (report)
        vgpu_report_strip_folder(report, in->places->in_src);
    if (status != STATUS_OK) {
        vgpu_report_free(report);
        report = NULL;
    }
    *out = report;
    return status;
}
