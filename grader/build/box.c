/* See box.h. */
#include "grader/build/box.h"

#include <string.h>

enum { TMP_MIB = 512, SHM_MIB = 64, ERRORS_MAX = 256, FOLDERS_MAX = 6 };

/* All that is writable inside. */
static const char *const scratch_folders[] = {"/tmp", "/build", "/case", "/dev/shm", NULL};

int64_t box_case_bytes(const Lab *lab)
{
    int64_t mib = 1;
    for (size_t i = 0; i < lab->n_cases; i++)
        if (lab->cases[i].limits.memory_mib > mib)
            mib = lab->cases[i].limits.memory_mib;
    return mib << 20;
}

static Status start_box(Box *box, Diag *d)
{
    const Places *p = box->places;
    const Compiler *c = &box->kit->compiler;
    const char *compiler = c->kind == COMPILER_NVCC ? box->kit->cuda_home : c->clang_home;
    Arena arena = {0};
    const char *in = arena_printf(&arena, "%s/in", p->case_dir);
    const char *runner =
        box->sandbox->weak ? arena_printf(&arena, "%s/bin/grade-runner", p->kit) : "/kit/bin/grade-runner";
    SandboxBind binds[FOLDERS_MAX] = {
        {p->kit, "/kit"}, {p->src, "/src"}, {p->prog, "/prog"}, {in, "/case/in"}};
    size_t n_binds = 4;
    const char *outside[] = {compiler, box->tool_folder};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (outside[i] && strncmp(outside[i], "/usr/", 5) != 0) /* else it is a part of the system already */
            binds[n_binds++] = (SandboxBind){outside[i], outside[i]};
    SandboxScratch scratch[] = {{"/tmp", (int64_t)TMP_MIB << 20},
                                {"/build", (int64_t)TMP_MIB << 20},
                                {"/case", box->case_bytes_max},
                                {"/dev/shm", (int64_t)SHM_MIB << 20}};
    SandboxSpec spec = {.binds = binds,
                        .n_binds = n_binds,
                        .scratch = scratch,
                        .n_scratch = sizeof scratch / sizeof *scratch,
                        .devices = box->devices,
                        .n_devices = box->n_devices,
                        .hide = &box->kit->root,
                        .n_hide = 1,
                        .runner = runner,
                        .slot = box->slot};
    Status s = in && runner ? sandbox_start(box->sandbox, &spec, &box->process, d)
                            : diag_set(d, STATUS_NO_MEMORY, "no memory for a sandbox");
    arena_free(&arena);
    return s;
}

/* Whether what ran before leaves nothing behind, once files are gone. */
static bool can_be_cleaned(const Box *box)
{
    return !box->sandbox->weak && box->sandbox->filters[0].len > 0;
}

/* Ends a sandbox that failed, and says what it said. */
static Status failed(Box *box, Status s, Diag *d)
{
    char errors[ERRORS_MAX] = "";
    sandbox_stop(&box->process, errors, sizeof errors);
    errors[strcspn(errors, "\n")] = '\0';
    return errors[0] ? diag_set(d, s, "the sandbox failed: %s", errors) : s;
}

Status box_ask(Box *box, bool afresh, const SandboxStep *step, Diag *d)
{
    if (afresh && box->process.pid > 0 &&
        !(can_be_cleaned(box) && sandbox_empty(&box->process, scratch_folders)))
        box_stop(box);
    Status s = box->process.pid > 0 ? STATUS_OK : start_box(box, d);
    if (s == STATUS_OK)
        s = sandbox_ask(&box->process, step, d);
    return s == STATUS_OK ? s : failed(box, s, d);
}

Status box_answer(Box *box, const SandboxStep *step, Arena *a, SandboxAnswer *answer, Diag *d)
{
    Status s = sandbox_answer(&box->process, step, a, answer, d);
    return s == STATUS_OK ? s : failed(box, s, d);
}

Status box_run(Box *box, bool afresh, const SandboxStep *step, Arena *a, SandboxAnswer *answer, Diag *d)
{
    Status s = box_ask(box, afresh, step, d);
    return s == STATUS_OK ? box_answer(box, step, a, answer, d) : s;
}

void box_stop(Box *box)
{
    sandbox_stop(&box->process, NULL, 0);
}
