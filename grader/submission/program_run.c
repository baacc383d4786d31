/* Running a case's program; see program_run.h. */
#include "grader/submission/program_run.h"

#include "common/base/heap_check.h"
#include "grader/submission/turn.h"
#include "grader/submission/work.h"
#include "grader/runner/meter.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_TIME_SHARE 0.9

enum {
    ARGS_MAX = 64,
    ENVIRONMENT_MAX = 16,
    COLLECT_FILES = 128,
    REPORTS_MAX = 6,               /* report, calls, timeline, provenance and its bytes, the end */
    COLLECT_MAX = 2 + REPORTS_MAX, /* out, after, and those */
    EXTRA_PROCESSES = 4,           /* the vgpu command and its helper beside the student's program */
    GPU_START_MS = 30000,     /* a driver starts slowly, the more so when many programs start at a time */
    GPU_DRIVER_KIB = 1 << 20, /* what a driver maps into a program of its own */
    DEVICE_OPEN_FILES = 4096, /* one for each piece of memory that it shares with the program */
    DEVICE_WALL_FACTOR = 8    /* of the virtual GPU's sandbox: it ends after the program */
};

/* A program under way. */
typedef struct ProgramWork {
    Arena *arena;
    const CaseInput *in;
    uint64_t seed;
} ProgramWork;

/* What it is started with ----------------------------------------------------------------------- */

/* "a,b" of the lab's list. */
static const char *raised_list(Arena *a, const Lab *lab)
{
    const char *list = "";
    for (size_t i = 0; list && i < lab->n_raise; i++)
        list = arena_printf(a, "%s%s%s", list, i ? "," : "", lab->raise[i]);
    return list;
}

/* A kernel ends before the program's own limits do, so that its line is told; 0, no limit of its own, where those are short. */
static long long seconds_of_kernels(const LabLimits *l)
{
    double least = l->wall_s < l->cpu_s ? l->wall_s : l->cpu_s;
    return (long long)(least * KERNEL_TIME_SHARE);
}

/* vgpu [options], without the program. serves: only the devices, behind descriptor 3. */
static size_t put_vgpu(const ProgramWork *w, bool serves, const char **args)
{
    const Places *p = w->in->places;
    const LabCase *c = w->in->lab_case;
    Arena *a = w->arena;
    size_t n = 0;
    args[n++] = arena_printf(a, "%s/bin/vgpu", p->in_kit);
    args[n++] = "--quiet";
    args[n++] = "--jobs=1";
    args[n++] = arena_printf(a, "--seed=%llu", (unsigned long long)w->seed);
    args[n++] = arena_printf(a, "--max-instructions=%lld", (long long)c->limits.instructions);
    args[n++] = arena_printf(a, "--max-seconds=%lld", seconds_of_kernels(&c->limits));
    args[n++] = arena_printf(a, "--report=%s/report.json", p->in_case);
    args[n++] = arena_printf(a, "--calls=%s/calls", p->in_case);
    args[n++] = arena_printf(a, "--sources=%s", p->in_src);
    if (w->in->lab->n_raise)
        args[n++] = arena_printf(a, "--raise=%s", raised_list(a, w->in->lab));
    if (c->timeline)
        args[n++] = arena_printf(a, "--timeline=%s/timeline.json", p->in_case);
    if (work_is_judged(c))
        args[n++] = w->in->watched ? arena_printf(a, "--provenance=%s/provenance.json", p->in_case)
                                   : "--provenance=none";
    if (serves)
        args[n++] = "--serve=3";
    if (w->in->run->device[0])
        args[n++] = arena_printf(a, "--device=%s", w->in->run->device);
    if (c->devices > 1)
        args[n++] = arena_printf(a, "--devices=%lld", (long long)c->devices);
    for (size_t i = 0; i < c->n_vgpu && n < ARGS_MAX - 2; i++)
        args[n++] = c->vgpu[i];
    return n;
}

/* The program alone, or with the vgpu command before it. */
static const char *const *command_of(const ProgramWork *w, bool vgpu, bool serves)
{
    const Places *p = w->in->places;
    const char **args = ARENA_NEW_ARRAY(w->arena, const char *, ARGS_MAX + 1);
    if (!args)
        return NULL;
    size_t n = vgpu ? put_vgpu(w, serves, args) : 0;
    args[n++] = arena_printf(w->arena, "%s/program", p->in_prog);
    args[n++] = p->in_case;
    return args;
}

/* The kit's runtime is in front of NVIDIA's, and finds the devices behind descriptor 3. */
static size_t put_client(const ProgramWork *w, const char **env)
{
    const char *kit = w->in->places->in_kit;
    StrBuf malloc_library = {0};
    heap_check_preload(&malloc_library);
    env[0] = arena_printf(w->arena, "LD_PRELOAD=%s/lib/vgpu/libcudart.so.13%s", kit, malloc_library.text ? malloc_library.text : "");
    env[1] = arena_printf(w->arena, "LD_LIBRARY_PATH=%s/lib/vgpu", kit);
    env[2] = "VGPU_SERVER_FD=3";
    env[3] = HEAP_CHECK_VARIABLE "=" HEAP_CHECK_ABORT;
    strbuf_free(&malloc_library);
    return 4;
}

static const char *const *environment_of(const ProgramWork *w, bool client)
{
    const char **env = ARENA_NEW_ARRAY(w->arena, const char *, ENVIRONMENT_MAX);
    size_t n = 0;
    if (!env)
        return NULL;
    env[n++] = "PATH=/usr/bin:/bin";
    env[n++] = "LC_ALL=C.UTF-8";
    env[n++] = arena_printf(w->arena, "HOME=%s", w->in->places->in_tmp);
    env[n++] = arena_printf(w->arena, "TMPDIR=%s", w->in->places->in_tmp);
    if (client)
        n += put_client(w, env + n);
    if (w->in->run->gpu)
        env[n++] = arena_printf(w->arena, "LD_LIBRARY_PATH=%s/lib64", w->in->run->kit.cuda_home);
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"); /* the cards that a cluster gave to this job */
    if (w->in->run->gpu && visible)
        env[n++] = arena_printf(w->arena, "CUDA_VISIBLE_DEVICES=%s", visible);
#ifdef __SANITIZE_ADDRESS__
    env[n++] = "ASAN_OPTIONS=detect_leaks=0"; /* the leak detector traces, which the sandbox forbids */
#endif
    return env;
}

static WireLimits limits_of(const LabLimits *l, bool gpu)
{
    return (WireLimits){
        .wall_ms = (int64_t)(l->wall_s * 1000) + (gpu ? GPU_START_MS : 0),
        .cpu_ms = (int64_t)(l->cpu_s * 1000) + (gpu ? GPU_START_MS : 0),
        .memory_kib = (l->memory_mib << 10) + (gpu ? GPU_DRIVER_KIB : 0),
        .processes = l->processes + EXTRA_PROCESSES,
        .output_bytes = l->output_kib << 10,
        .file_bytes = l->file_mib << 20,
        .collect_bytes = l->memory_mib << 20,
        .collect_files = COLLECT_FILES,
    };
}

const char *const *program_environment(Arena *a, const CaseInput *in)
{
    ProgramWork w = {.arena = a, .in = in};
    return environment_of(&w, false);
}

WireLimits program_limits(const CaseInput *in)
{
    return limits_of(&in->lab_case->limits, in->run->gpu);
}

/* Running -------------------------------------------------------------------------------------- */

/* Without a sandbox's views the inputs are where the program looks for them by way of a link. */
Status program_show_inputs(Arena *a, const CaseInput *in, Diag *d)
{
    if (!in->run->sandbox.weak)
        return STATUS_OK;
    const char *from = arena_printf(a, "%s/in", in->places->case_dir);
    const char *to = arena_printf(a, "%s/in", in->places->in_case);
    if (!from || !to || symlink(from, to) != 0)
        return diag_set(d, STATUS_IO, "cannot show the inputs to the program");
    return STATUS_OK;
}

/* On a GPU a case that is timed has the card to itself, and the others share it. */
int program_take_gpu(const GradeRun *run, bool alone)
{
    return run->gpu ? turn_take(run->work, "gpu", alone) : -1;
}

/* What the vgpu command writes: its report, the timeline of a case that shows it, and where its outputs come
 * from. */
static void collect_reports(const ProgramWork *w, const char *collect[REPORTS_MAX])
{
    const Places *p = w->in->places;
    size_t n = 0;
    collect[n++] = arena_printf(w->arena, "%s/report.json", p->in_case);
    collect[n++] = arena_printf(w->arena, "%s/calls", p->in_case);
    if (w->in->lab_case->timeline)
        collect[n++] = arena_printf(w->arena, "%s/timeline.json", p->in_case);
    if (w->in->watched) {
        collect[n++] = arena_printf(w->arena, "%s/provenance.json", p->in_case);
        collect[n++] = arena_printf(w->arena, "%s/provenance.json.bin", p->in_case);
    }
    collect[n] = NULL;
}

/* The program's step: what it writes is collected, and with `report` the vgpu command's report. */
static SandboxStep program_step(const ProgramWork *w, const char *collect[COLLECT_MAX], bool report)
{
    const CaseInput *in = w->in;
    const Places *p = in->places;
    bool isolated = in->run->isolated;
    collect[0] = arena_printf(w->arena, "%s/out", p->in_case);
    collect[1] = arena_printf(w->arena, "%s/after", p->in_case);
    collect[2] = NULL;
    if (report)
        collect_reports(w, collect + 2);
    return (SandboxStep){.dir = p->in_case,
                         .args = command_of(w, !in->run->gpu && !isolated, false),
                         .env = environment_of(w, isolated),
                         .collect = collect,
                         .collect_from = p->in_case,
                         .save_to = p->case_dir,
                         .filter = isolated ? SANDBOX_FILTER_PROGRAM : SANDBOX_FILTER_PROGRAM_WITH_DEVICE,
                         .limits = limits_of(&in->lab_case->limits, in->run->gpu)};
}

/* The step of the devices' sandbox. It ends with the program, and then writes the report; its own limit of
 * the clock only stands behind the program's. Of files it has the report and what it shares with the program.
 */
static SandboxStep device_step(const ProgramWork *w, const char *collect[REPORTS_MAX])
{
    const Places *p = w->in->places;
    collect_reports(w, collect);
    SandboxStep step = {.dir = p->in_case,
                        .args = command_of(w, true, true),
                        .env = environment_of(w, false),
                        .collect = collect,
                        .collect_from = p->in_case,
                        .save_to = p->case_dir,
                        .filter = SANDBOX_FILTER_KIT,
                        .limits = limits_of(&w->in->lab_case->limits, false)};
    step.limits.wall_ms *= DEVICE_WALL_FACTOR;
    step.limits.file_bytes = step.limits.memory_kib << 10;
    step.limits.open_files = DEVICE_OPEN_FILES;
    return step;
}

/* Does the virtual GPU answer before the program does? */
static bool device_is_first(const CaseInput *in)
{
    struct pollfd p[2] = {{.fd = in->box->process.socket, .events = POLLIN},
                          {.fd = in->device_box->process.socket, .events = POLLIN}};
    while (poll(p, 2, -1) < 0 && errno == EINTR)
        ;
    return !p[0].revents && p[1].revents;
}

static Status take_served(const ProgramWork *w, const SandboxStep *devices, SandboxAnswer *served, Diag *d)
{
    Status s = box_answer(w->in->device_box, devices, w->arena, served, d);
    if (s == STATUS_OK && (served->end == WIRE_END_EXEC || served->end == WIRE_END_REFUSED))
        s = diag_set(d, STATUS_IO, "cannot start %s: %s", devices->args[0], strerror(served->status));
    return s;
}

/* Both run. A limit that the one passes ends the other too: nobody waits for a kernel without end, or
 * computes for a program that was ended. */
static Status wait_for_both(const ProgramWork *w, const SandboxStep *step, const SandboxStep *devices,
                            SandboxAnswer *ran, SandboxAnswer *served, Diag *d)
{
    const CaseInput *in = w->in;
    bool first = device_is_first(in);
    Status s = first ? take_served(w, devices, served, d) : STATUS_OK;
    if (s != STATUS_OK || (first && served->end != WIRE_END_NONE)) {
        box_stop(in->box);
        *ran = (SandboxAnswer){.out = "", .err = "", .end = served->end, .wall_s = served->wall_s};
        return s;
    }
    s = box_answer(in->box, step, w->arena, ran, d);
    if (s == STATUS_OK && ran->end == WIRE_END_NONE && !first)
        s = take_served(w, devices, served, d);
    else if (!first)
        box_stop(in->device_box);
    return s;
}

/* A step that works with another: its end of a pair of sockets, its slot of the meter that adds both up. */
static void join(SandboxStep *step, int end, int meter, int slot)
{
    step->passes = step->metered = true;
    step->pass = end;
    step->meter = meter;
    step->slot = slot;
}

/* The virtual GPU in a sandbox of its own, the program in the submission's; each has an end of a pair of
 * sockets, and their memory and their waits count as one. */
static Status run_isolated(const ProgramWork *w, SandboxAnswer *ran, bool *reported, Diag *d)
{
    const CaseInput *in = w->in;
    int door[2];
    const char *collect[COLLECT_MAX], *device_collect[REPORTS_MAX];
    SandboxStep step = program_step(w, collect, false), devices = device_step(w, device_collect);
    SandboxAnswer served = {.end = WIRE_END_NONE, .status = -1};
    if (!step.args || !step.env || !devices.args || !devices.env)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, door) != 0)
        return diag_set(d, STATUS_IO, "no socket for the virtual GPU: %s", strerror(errno));
    int meter = meter_create();
    if (meter < 0) {
        close(door[0]);
        close(door[1]);
        return diag_set(d, STATUS_IO, "no memory to share between sandboxes: %s", strerror(errno));
    }
    join(&devices, door[0], meter, 0);
    join(&step, door[1], meter, 1);
    Status s = box_ask(in->device_box, true, &devices, d), t = s;
    close(door[0]);
    if (s == STATUS_OK)
        t = box_ask(in->box, true, &step, d);
    close(door[1]); /* the last end but the program's own */
    close(meter);
    if (t == STATUS_OK)
        t = wait_for_both(w, &step, &devices, ran, &served, d);
    else
        box_stop(in->device_box);
    /* Exit status 1 says that there are findings. */
    *reported = t == STATUS_OK && served.end == WIRE_END_NONE && served.signal == 0 &&
                (served.status == 0 || served.status == 1);
    if (t == STATUS_OK && ran->end == WIRE_END_NONE)
        ran->end = served.end;
    ran->cpu_s += served.cpu_s;
    ran->rss_kib += served.rss_kib;
    return t;
}

/* The program in the submission's sandbox, with its inputs and empty folders. */
static Status run_alone(const ProgramWork *w, SandboxAnswer *ran, bool *reported, Diag *d)
{
    const CaseInput *in = w->in;
    const char *collect[COLLECT_MAX];
    SandboxStep step = program_step(w, collect, true);
    if (!step.args || !step.env)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
    Status s = program_show_inputs(w->arena, in, d);
    if (s != STATUS_OK)
        return s;
    int turn = program_take_gpu(in->run, in->lab_case->metric[0] != '\0');
    s = box_run(in->box, true, &step, w->arena, ran, d);
    if (turn >= 0)
        close(turn);
    *reported = !in->run->gpu;
    return s;
}

/* The environment of a program that somebody times through its descriptor 3. */
static const char *const *environment_of_timed(const ProgramWork *w)
{
    const char *const *plain = environment_of(w, false);
    const char **env = plain ? ARENA_NEW_ARRAY(w->arena, const char *, ENVIRONMENT_MAX + 1) : NULL;
    size_t n = 0;
    for (; env && plain[n]; n++)
        env[n] = plain[n];
    if (env)
        env[n] = "LAB_SPEED_FD=3";
    return env;
}

Status program_run_timed(Arena *a, const CaseInput *in, void (*talk)(void *context, int fd), void *context,
                         SandboxAnswer *ran, Diag *d)
{
    ProgramWork w = {.arena = a, .in = in};
    const char *collect[COLLECT_MAX];
    int ends[2];
    SandboxStep step = program_step(&w, collect, true);
    step.env = environment_of_timed(&w);
    if (!step.args || !step.env)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a case");
    Status s = program_show_inputs(a, in, d);
    if (s != STATUS_OK)
        return s;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return diag_set(d, STATUS_IO, "no socket for a timed run: %s", strerror(errno));
    step.passes = true;
    step.pass = ends[1];
    s = box_ask(in->box, true, &step, d);
    close(ends[1]); /* the last end but the program's own */
    if (s == STATUS_OK)
        talk(context, ends[0]);
    close(ends[0]);
    if (s == STATUS_OK)
        s = box_answer(in->box, &step, a, ran, d);
    if (s == STATUS_OK && ran->end == WIRE_END_EXEC)
        s = diag_set(d, STATUS_IO, "cannot start the program: %s", strerror(ran->status));
    return s;
}

Status program_run(Arena *a, const CaseInput *in, uint64_t seed, SandboxAnswer *ran, bool *reported, Diag *d)
{
    ProgramWork w = {.arena = a, .in = in, .seed = seed};
    *reported = false;
    Status s = in->run->isolated ? run_isolated(&w, ran, reported, d) : run_alone(&w, ran, reported, d);
    if (s == STATUS_OK && ran->end == WIRE_END_EXEC)
        s = diag_set(d, STATUS_IO, "cannot start the program: %s", strerror(ran->status));
    return s;
}
