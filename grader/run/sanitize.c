/* See sanitize.h. */
#include "grader/run/sanitize.h"

#include "grader/core/files.h"
#include "grader/core/text.h"
#include "grader/judge/sanitizer_report.h"
#include "grader/run/program_run.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ARGS_MAX = 16,
    WALL_FACTOR = 5,     /* kernels are slower under a tool */
    WALL_MIN_MS = 30000, /* it starts slowly, too */
    WALL_MAX_MS = 120000,
    CPU_FACTOR = 4,     /* of the wall's time: a tool has threads of its own */
    TOOL_KIB = 8 << 20, /* what a tool keeps beside the program */
    TOOL_PROCESSES = 64,
    LOG_BYTES = 16 << 20,
    REASON_MAX = 200
};

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

/* DIR/compute-sanitizer may be a script, beside whose folder that of the program itself stands. */
static bool take_from(Arena *a, const char *dir, size_t length, Sanitizer *s)
{
    char path[PATH_MAX], real[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/compute-sanitizer", (int)length, dir);
    if (length == 0 || access(path, X_OK) != 0 || !realpath(path, real))
        return false;
    const char *beside = arena_printf(a, "%.*s/../compute-sanitizer/compute-sanitizer",
                                      (int)(strrchr(real, '/') - real), real);
    if (beside && access(beside, X_OK) == 0 && !realpath(beside, real))
        return false;
    s->program = arena_strndup(a, real, strlen(real));
    s->folder = arena_strndup(a, real, (size_t)(strrchr(real, '/') - real));
    return s->program && s->folder;
}

Status sanitize_find(Arena *a, const Kit *kit, Sanitizer *s, Diag *d)
{
    const char *bin = kit->cuda_home ? arena_printf(a, "%s/bin", kit->cuda_home) : NULL;
    if (bin && take_from(a, bin, strlen(bin), s))
        return STATUS_OK;
    const char *dirs = getenv("PATH");
    for (dirs = dirs ? dirs : ""; *dirs;) {
        size_t n = strcspn(dirs, ":");
        if (take_from(a, dirs, n, s))
            return STATUS_OK;
        dirs += n + (dirs[n] == ':');
    }
    diag_set(d, STATUS_NOT_FOUND, "compute-sanitizer is neither in the toolkit nor on the PATH");
    diag_hint(d, "it is a part of the CUDA Toolkit: install the package cuda-sanitizer-13-0 of NVIDIA's "
                 "repository, or put its folder on the PATH; without --sanitize cases are run without it");
    return STATUS_NOT_FOUND;
}

/* Running -------------------------------------------------------------------------------------- */

static const char *const *command_of(Arena *a, const CaseInput *in, SanitizerTool tool, const char *log)
{
    const SanitizerToolInfo *info = sanitizer_tool(tool);
    const char **args = ARENA_NEW_ARRAY(a, const char *, ARGS_MAX);
    size_t n = 0;
    if (!args)
        return NULL;
    args[n++] = in->run->sanitizer.program;
    args[n++] = "--tool";
    args[n++] = info->word;
    if (info->option[0]) {
        args[n++] = info->option;
        args[n++] = info->value;
    }
    args[n++] = "--print-limit";
    args[n++] = print_limit;
    args[n++] = "--log-file";
    args[n++] = log;
    args[n++] = arena_printf(a, "%s/program", in->places->in_prog);
    args[n++] = in->places->in_case;
    return args;
}

static WireLimits limits_of(const LabCase *c, WireLimits own)
{
    int64_t wall_ms = (int64_t)(c->limits.wall_s * 1000) * WALL_FACTOR;
    wall_ms = wall_ms < WALL_MIN_MS ? WALL_MIN_MS : wall_ms > WALL_MAX_MS ? WALL_MAX_MS : wall_ms;
    own.wall_ms = wall_ms;
    own.cpu_ms = CPU_FACTOR * wall_ms;
    own.memory_kib += TOOL_KIB;
    own.processes += TOOL_PROCESSES;
    if (own.file_bytes < LOG_BYTES)
        own.file_bytes = LOG_BYTES;
    return own;
}

/* Why a tool gave no result, as a sentence. */
static const char *reason_of(Arena *a, const SandboxAnswer *ran, const WireLimits *limits, const char *why)
{
    if (ran->end == WIRE_END_WALL || ran->end == WIRE_END_CPU)
        return arena_printf(a, "it came to no end within %lld s", (long long)(limits->wall_ms / 1000));
    if (ran->end == WIRE_END_EXEC)
        return arena_printf(a, "it could not be started: %s", strerror(ran->status));
    if (ran->end != WIRE_END_NONE)
        return "it passed a limit of the sandbox";
    if (why[0])
        return why;
    char *said = text_clean(a, ran->err, strcspn(ran->err, "\n"), REASON_MAX);
    return said && said[0] ? said : "it ended before its summary";
}

/* The tool's own file; where it made none, what it printed. */
static void read_log(Arena *a, const CaseInput *in, const char *name, const SandboxAnswer *ran,
                     const char **bytes, size_t *length)
{
    char *text = NULL;
    int dir = open(in->places->case_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *bytes = ran->out;
    *length = ran->out_bytes;
    if (dir < 0)
        return;
    size_t n;
    if (sandbox_find_file(ran, name) &&
        file_read_untrusted(a, dir, name, LOG_BYTES, &text, &n, NULL) == STATUS_OK && n > 0) {
        *bytes = text;
        *length = n;
    }
    unlinkat(dir, name, 0);
    close(dir);
}

/* One tool. What goes wrong in its sandbox is said, and no more. */
static Status run_tool(Arena *a, const CaseInput *in, Box *box, SanitizerTool tool, VgpuReport *report,
                       Diag *d)
{
    const Places *p = in->places;
    const char *name = arena_printf(a, "%s.log", sanitizer_tool(tool)->word);
    const char *log = name ? arena_printf(a, "%s/%s", p->in_case, name) : NULL;
    const char *collect[] = {log, NULL};
    SandboxStep step = {.dir = p->in_case,
                        .args = command_of(a, in, tool, log),
                        .env = program_environment(a, in),
                        .collect = collect,
                        .collect_from = p->in_case,
                        .save_to = p->case_dir,
                        .limits = limits_of(in->lab_case, program_limits(in))};
    if (!log || !step.args || !step.env)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a tool");
    SandboxAnswer ran;
    Diag problem = {0};
    if (box_run(box, true, &step, a, &ran, &problem) != STATUS_OK) {
        sanitizer_report_add_failure(report, tool, problem.message);
        return STATUS_OK;
    }
    const char *bytes, *why = "";
    size_t length;
    read_log(a, in, name, &ran, &bytes, &length);
    if (!sanitizer_report_add(report, tool, bytes, length, &why) || ran.end != WIRE_END_NONE)
        sanitizer_report_add_failure(report, tool, reason_of(&report->arena, &ran, &step.limits, why));
    return STATUS_OK;
}

Status sanitize_case(Arena *a, const CaseInput *in, VgpuReport **out, Diag *d)
{
    const Sanitizer *s = &in->run->sanitizer;
    VgpuReport *report = sanitizer_report_create();
    Box box = *in->box;
    box.process = (SandboxProcess){0};
    box.sandbox = &s->sandbox;
    box.tool_folder = s->folder;
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
