/* See tool.h. */
#include "grader/submission/tool.h"

#include "grader/core/files.h"
#include "grader/core/text.h"
#include "grader/submission/program_run.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ARGS_MAX = 24,
    WALL_FACTOR = 5,     /* kernels are slower under a tool */
    WALL_MIN_MS = 30000, /* it starts slowly, too */
    WALL_MAX_MS = 120000,
    CPU_FACTOR = 4,     /* of the wall's time: a tool has threads of its own */
    TOOL_KIB = 8 << 20, /* what a tool keeps beside the program */
    TOOL_PROCESSES = 64,
    REASON_MAX = 200
};

/* Finding it ------------------------------------------------------------------------------------ */

static bool take_from(Arena *a, const char *dir, size_t length, const char *name, const char *beside,
                      Tool *tool)
{
    char path[PATH_MAX], real[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/%s", (int)length, dir, name);
    if (length == 0 || access(path, X_OK) != 0 || !realpath(path, real))
        return false;
    const char *other =
        beside ? arena_printf(a, "%.*s/%s", (int)(strrchr(real, '/') - real), real, beside) : NULL;
    if (other && access(other, X_OK) == 0 && !realpath(other, real))
        return false;
    tool->program = arena_strndup(a, real, strlen(real));
    tool->folder = arena_strndup(a, real, (size_t)(strrchr(real, '/') - real));
    return tool->program && tool->folder;
}

bool tool_find(Arena *a, const Kit *kit, const char *name, const char *beside, Tool *tool)
{
    const char *bin = kit->cuda_home ? arena_printf(a, "%s/bin", kit->cuda_home) : NULL;
    if (bin && take_from(a, bin, strlen(bin), name, beside, tool))
        return true;
    const char *dirs = getenv("PATH");
    for (dirs = dirs ? dirs : ""; *dirs;) {
        size_t n = strcspn(dirs, ":");
        if (take_from(a, dirs, n, name, beside, tool))
            return true;
        dirs += n + (dirs[n] == ':');
    }
    return false;
}

/* Running it ------------------------------------------------------------------------------------ */

Box tool_box(const CaseInput *in, const Tool *tool)
{
    Box box = *in->box;
    box.process = (SandboxProcess){0};
    box.tool_folder = tool->folder;
    return box;
}

static const char *const *command_of(Arena *a, const CaseInput *in, const Tool *tool,
                                     const char *const *options, const char *log)
{
    const char **args = ARENA_NEW_ARRAY(a, const char *, ARGS_MAX);
    size_t n = 0;
    if (!args)
        return NULL;
    args[n++] = tool->program;
    for (; *options && n < ARGS_MAX - 5; options++)
        args[n++] = *options;
    args[n++] = "--log-file";
    args[n++] = log;
    args[n++] = arena_printf(a, "%s/program", in->places->in_prog);
    args[n++] = in->places->in_case;
    return args;
}

static WireLimits limits_of(const CaseInput *in, size_t log_bytes_max)
{
    WireLimits own = program_limits(in);
    int64_t wall_ms = (int64_t)(in->lab_case->limits.wall_s * 1000) * WALL_FACTOR;
    wall_ms = wall_ms < WALL_MIN_MS ? WALL_MIN_MS : wall_ms > WALL_MAX_MS ? WALL_MAX_MS : wall_ms;
    own.wall_ms = wall_ms;
    own.cpu_ms = CPU_FACTOR * wall_ms;
    own.memory_kib += TOOL_KIB;
    own.processes += TOOL_PROCESSES;
    if (own.file_bytes < (int64_t)log_bytes_max)
        own.file_bytes = (int64_t)log_bytes_max;
    return own;
}

static void read_log(Arena *a, const CaseInput *in, const char *name, size_t bytes_max, ToolRun *run)
{
    char *text = NULL;
    int dir = open(in->places->case_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    run->bytes = run->ran.out;
    run->length = run->ran.out_bytes;
    if (dir < 0)
        return;
    size_t n;
    Status s = sandbox_find_file(&run->ran, name)
                   ? file_read_untrusted(a, dir, name, bytes_max, &text, &n, NULL)
                   : STATUS_NOT_FOUND;
    if (s == STATUS_OK && n > 0) {
        run->bytes = text;
        run->length = n;
    } else if (s == STATUS_LIMIT) {
        run->problem = "its report is too long";
    }
    unlinkat(dir, name, 0);
    close(dir);
}

Status tool_run(Arena *a, const CaseInput *in, const Tool *tool, Box *box, const char *const *options,
                const char *name, size_t bytes_max, ToolRun *run, Diag *d)
{
    const Places *p = in->places;
    const char *log = arena_printf(a, "%s/%s", p->in_case, name);
    const char *collect[] = {log, NULL};
    SandboxStep step = {.dir = p->in_case,
                        .args = command_of(a, in, tool, options, log),
                        .env = program_environment(a, in),
                        .collect = collect,
                        .collect_from = p->in_case,
                        .save_to = p->case_dir,
                        .filter = SANDBOX_FILTER_TOOL,
                        .limits = limits_of(in, bytes_max)};
    *run = (ToolRun){.bytes = "", .limits = step.limits, .problem = ""};
    if (!log || !step.args || !step.env)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a tool");
    Diag problem = {0};
    if (box_run(box, true, &step, a, &run->ran, &problem) != STATUS_OK) {
        run->problem = arena_strndup(a, problem.message, strlen(problem.message));
        return run->problem ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for a tool");
    }
    read_log(a, in, name, bytes_max, run);
    return STATUS_OK;
}

bool tool_ended(const ToolRun *run)
{
    return !run->problem[0] && run->ran.end == WIRE_END_NONE && run->ran.signal == 0;
}

const char *tool_reason(Arena *a, const ToolRun *run, const char *why)
{
    const SandboxAnswer *ran = &run->ran;
    if (run->problem[0])
        return run->problem;
    if (ran->end == WIRE_END_WALL || ran->end == WIRE_END_CPU)
        return arena_printf(a, "it came to no end within %lld s", (long long)(run->limits.wall_ms / 1000));
    if (ran->end == WIRE_END_EXEC || ran->end == WIRE_END_REFUSED)
        return arena_printf(a, "it could not be started: %s", strerror(ran->status));
    if (ran->end != WIRE_END_NONE)
        return "it passed a limit of the sandbox";
    if (ran->signal != 0)
        return arena_printf(a, "it was ended by signal %d", ran->signal);
    if (why[0])
        return why;
    char *said = text_clean(a, ran->err, strcspn(ran->err, "\n"), REASON_MAX);
    return said && said[0] ? said : "it ended before its summary";
}
