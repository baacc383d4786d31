/* grade doctor: what this machine offers; grade schema: the reference of lab.yaml. */
#include "grader/cli/cli.h"
#include "grader/cli/doctor.h"
#include "grader/core/files.h"
#include "common/base/version.h"
#include "grader/submission/counters.h"
#include "grader/submission/sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARAMS_BYTES_MAX = 1 << 16 };

static void line(const char *what, const char *state)
{
    printf("%-14s %s\n", what, state);
}

static void show_sandbox(Arena *a, const Options *o)
{
    Sandbox s;
    Diag d;
    if (sandbox_probe(a, o->bwrap, &s, &d) != STATUS_OK) {
        line("sandbox", d.message);
        return;
    }
    const char *layers = "";
    for (size_t i = 0; layers && i < s.n_layers; i++)
        layers = arena_printf(a, "%s%s%s", layers, i ? ", " : "", s.layers[i]);
    line("bubblewrap", s.weak ? s.problem : s.bwrap);
    if (s.mend[0])
        printf("%-14s mend: %s\n", "", s.mend);
    line("sandbox", layers ? layers : "");
    line("user", s.switch_user ? "root: submissions run as an unprivileged user"
                               : "not root: submissions run as this user, in a user namespace");
    line("cgroup v2", s.cgroup ? "each sandbox has a group, and the watcher counts"
                               : "none that this user may use (docs/security.md); the watcher counts");
    sandbox_forget(&s);
}

/* Both compilers: one is enough, and `auto` takes nvcc where it works. */
static bool show_compilers(const Doctor *doctor, const char *nvcc_release)
{
    Arena *a = doctor->arena;
    const Kit *kit = doctor->kit;
    Compiler clang, chosen;
    Diag d;
    bool has_clang = compiler_find(a, kit, COMPILER_CLANG, &clang, &d) == STATUS_OK;
    line("nvcc", kit->nvcc ? kit->nvcc : "not found (the CUDA toolkit 13.0 or newer, by CUDA_HOME or PATH)");
    if (nvcc_release[0])
        line("", nvcc_release);
    line("clang", has_clang ? clang.clang : d.message);
    if (has_clang)
        line("", arena_printf(a, "version %s, by the kit's labcc", clang.version));
    Kit own = *kit;
    bool compiles = compiler_choose(a, &own, NULL, &d) == STATUS_OK;
    chosen = own.compiler;
    if (compiles)
        line("compiles labs",
             arena_printf(a, "%s (--compiler, COMPILER= say otherwise)", compiler_word(chosen.kind)));
    else
        doctor_problem(doctor, "compiler", NULL, d.message, "make setup");
    return compiles;
}

/* What `--sanitize` needs on a GPU; without one nothing is missing. */
static void show_sanitizer(Arena *a, const Kit *kit)
{
    Tool tool = {0};
    Diag d;
    if (sanitize_find(a, kit, &tool, &d) == STATUS_OK) {
        line("sanitizer", tool.program);
        return;
    }
    line("sanitizer", "none (it is for --device gpu --sanitize; the virtual GPU checks by itself)");
    line("", "to get it: the package cuda-sanitizer-13-0 of NVIDIA's repository");
}

/* What answers about counters are held against on a GPU; without it the virtual GPU's counters are all. */
static void show_profiler(Arena *a, const Kit *kit)
{
    const char *root = getenv("KIT_DOCTOR_ROOT");
    const char *path = arena_printf(a, "%s/proc/driver/nvidia/params", root ? root : "");
    Tool tool = {0};
    char *text;
    size_t length;
    if (!counters_find(a, kit, &tool)) {
        line("profiler", "none (ncu is for answers about counters, in a run with --device gpu)");
        line("", "to get it: the package cuda-nsight-compute-13-0 of NVIDIA's repository");
        return;
    }
    line("profiler", tool.program);
    if (path && file_read(a, path, PARAMS_BYTES_MAX, &text, &length, NULL) == STATUS_OK)
        line("", strstr(text, "RmProfilingAdminOnly: 1")
                     ? "the driver shows counters to the administrator alone, and so not to submissions"
                     : "the driver shows counters to every user");
}

/* Each lab of the kit: whether it can be graded. What is not built is told once. */
static bool show_labs(const Doctor *doctor)
{
    Arena *a = doctor->arena;
    const Kit *kit = doctor->kit;
    const char **names, *dir = arena_printf(a, "%s/labs", kit->root);
    size_t n, n_ready = 0, n_labs = 0;
    Diag d, not_built = {0};
    bool fine = true;
    if (!dir || dir_list(a, dir, &names, &n, &d) != STATUS_OK)
        return false;
    for (size_t i = 0; i < n; i++) {
        Lab *lab = NULL;
        const char *path = arena_printf(a, "%s/%s", dir, names[i]),
                   *yaml = arena_printf(a, "%s/%s/lab.yaml", dir, names[i]);
        if (!path || !yaml || access(yaml, R_OK) != 0)
            continue;
        n_labs++;
        if (lab_load(path, cli_hidden_path(a, kit, names[i]), &lab, &d) != STATUS_OK)
            fine = doctor_problem(doctor, names[i], NULL, d.message, d.hint);
        else if (kit_check_lab(kit, names[i], &d) == STATUS_OK)
            n_ready++;
        else if (!not_built.message[0])
            not_built = d;
        lab_free(lab);
    }
    line("labs", arena_printf(a, "%zu of %zu are ready", n_ready, n_labs));
    return (!not_built.message[0] ||
            doctor_problem(doctor, "labs", NULL, not_built.message, not_built.hint)) &&
           fine;
}

int cli_doctor(Arena *a, const Options *o)
{
    Kit kit;
    Diag d;
    line("grade", KIT_VERSION);
    if (kit_find(a, &kit, &d) != STATUS_OK)
        return cli_fail(&d);
    line("kit", kit.root);
    const char *nvcc = kit_nvcc_version(a, &kit), *root = getenv("KIT_DOCTOR_ROOT");
    DoctorFirst first = {0};
    Doctor doctor = {.arena = a, .kit = &kit, .first = &first, .root = root ? root : ""};
    bool compiles = show_compilers(&doctor, nvcc);
    bool machine = doctor_check_machine(&doctor, nvcc);
    show_sanitizer(a, &kit);
    show_profiler(a, &kit);
    show_sandbox(a, o);
    bool labs = show_labs(&doctor);
    if (first.cause)
        printf("\nfirst of all: %s\n    %s\n", first.cause, first.mend);
    else
        printf("\nno problem: everything is ready\n");
    return machine && labs && compiles ? EXIT_FINE : EXIT_KIT;
}

int cli_schema(Arena *a, const Options *o)
{
    (void)a;
    (void)o;
    StrBuf out = {0};
    lab_schema_markdown(&out);
    return strbuf_print(&out, stdout) ? EXIT_FINE : EXIT_KIT;
}
