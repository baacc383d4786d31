/* Compiling and linking; see build.h. */
#include "grader/build/build.h"

#include "common/base/messages.h"
#include "grader/build/elf_judge.h"
#include "grader/build/link.h"
#include "grader/core/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BUILD_TICK_MS = 100, /* compilers grow slowly, and a look at all their processes has its price */
    BUILD_PROCESSES = 64,
    BUILD_FILE_MIB = 256,
    KEEP_FILES = 64,
    ARGS_MAX = 64
};

typedef struct Build {
    Arena *arena;
    const BuildInput *in;
    BuildOutput *out;
    StrBuf log;
    double cpu_s;                  /* of the last step */
    const char *objects[ARGS_MAX]; /* inside, in the order of the lab's files */
    size_t n_objects;
} Build;

static const char *suffix_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot : "";
}

static bool is_source(const char *name)
{
    const char *suffix = suffix_of(name);
    return strcmp(suffix, ".cu") == 0 || strcmp(suffix, ".c") == 0 || strcmp(suffix, ".cpp") == 0;
}

static bool forbids_includes(const Lab *lab)
{
    for (size_t i = 0; i < lab->n_forbid; i++)
        if (lab->forbid[i].include[0])
            return true;
    return false;
}

/* Limits, folders and environment that compiler and linker share. */
static SandboxStep new_step(Build *b, const char *const *args, const char *const *collect)
{
    const Places *p = b->in->places;
    const Compiler *c = &b->in->kit->compiler;
    const char **env = ARENA_NEW_ARRAY(b->arena, const char *, 8);
    if (env) {
        env[0] = c->kind == COMPILER_NVCC ? arena_printf(b->arena, "PATH=%s/bin:/usr/local/bin:/usr/bin:/bin",
                                                         b->in->kit->cuda_home)
                                          : "PATH=/usr/local/bin:/usr/bin:/bin";
        env[1] = arena_printf(b->arena, "TMPDIR=%s", p->in_tmp);
        env[2] = arena_printf(b->arena, "HOME=%s", p->in_tmp);
        env[3] = "LC_ALL=C.UTF-8";
        if (c->kind == COMPILER_CLANG) {
            env[4] = arena_printf(b->arena, "LABCC_CLANG=%s", c->clang);
            env[5] = arena_printf(b->arena, "LABCC_CLANG_VERSION=%s", c->version);
        }
    }
    return (SandboxStep){
        .dir = p->in_src,
        .args = args,
        .env = env,
        .collect = collect,
        .collect_from = p->in_build,
        .save_to = p->prog,
        .filter = SANDBOX_FILTER_KIT,
        .limits =
            {
                .wall_ms = (int64_t)(b->in->lab->compile_s * 1000),
                .cpu_ms = (int64_t)(b->in->lab->compile_s * 1000),
                .tick_ms = BUILD_TICK_MS,
                .memory_kib = b->in->lab->compile_mib << 10,
                .processes = BUILD_PROCESSES,
                .output_bytes = BUILD_LOG_BYTES_MAX,
                .output_cut = 1,
                .file_bytes = (int64_t)BUILD_FILE_MIB << 20,
                .collect_bytes = (int64_t)BUILD_FILE_MIB << 20,
                .collect_files = KEEP_FILES,
            },
    };
}

/* nvcc names its temporary files after process ids; where one shows in a message, the number goes. */
static void drop_temporary_numbers(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (strncmp(from, "tmpxft_", 7) != 0) {
            *to++ = *from++;
            continue;
        }
        memmove(to, from, 6);
        to += 6;
        for (from += 6; *from == '_' || isxdigit((unsigned char)*from); from++)
            if (*from == '_' && !isxdigit((unsigned char)from[1]))
                break;
    }
    *to = '\0';
}

static void add_log(Build *b, const char *bytes, size_t length)
{
    char *text = length ? text_clean(b->arena, bytes, length, BUILD_LOG_BYTES_MAX) : NULL;
    if (!text)
        return;
    drop_temporary_numbers(text);
    text_strip_folder(text, b->in->places->in_src);
    text_strip_folder(text, b->in->places->in_build);
    messages_of_compiler(b->in->lab->language, text, &b->log);
    if (text[0] && text[strlen(text) - 1] != '\n')
        strbuf_puts(&b->log, "\n");
}

/* Runs a command of the build; the verdict is set when it did not come to a good end. */
static Status run_step(Build *b, const SandboxStep *step, Diag *d)
{
    SandboxAnswer answer = {0};
    if (!step->args || !step->env)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a build");
    Status s = box_run(b->in->box, false, step, b->arena, &answer, d);
    if (s != STATUS_OK)
        return s;
    b->out->seconds += answer.wall_s;
    b->cpu_s = answer.cpu_s;
    add_log(b, answer.err, answer.err_bytes);
    add_log(b, answer.out, answer.out_bytes);
    switch (answer.end) {
    case WIRE_END_WALL:
    case WIRE_END_CPU:
        b->out->verdict = VERDICT_TIMEOUT;
        strbuf_printf(&b->log, "The compiler did not end within %g seconds.\n", b->in->lab->compile_s);
        return STATUS_OK;
    case WIRE_END_MEMORY:
    case WIRE_END_PROCESSES:
        b->out->verdict = VERDICT_MEMORY_LIMIT;
        strbuf_printf(&b->log, "The compiler used more than %lld MiB of memory or %d processes.\n",
                      (long long)b->in->lab->compile_mib, BUILD_PROCESSES);
        return STATUS_OK;
    case WIRE_END_EXEC:
    case WIRE_END_REFUSED:
        return diag_set(d, STATUS_NOT_FOUND, "cannot start %s: %s", step->args[0], strerror(answer.status));
    default:
        if (answer.status != 0 || answer.signal != 0)
            b->out->verdict = VERDICT_BUILD_ERROR;
        return STATUS_OK;
    }
}

/* The files of a source that stay: its object and dependencies, where the lab forbids something. */
static const char *const *kept_files(Build *b, const char *object, const char *dependencies)
{
    const char **kept = ARENA_NEW_ARRAY(b->arena, const char *, 4);
    if (kept && b->in->lab->n_forbid) {
        kept[0] = object;
        kept[1] = forbids_includes(b->in->lab) ? dependencies : NULL;
    }
    return kept;
}

static Status compile(Build *b, const char *file, Diag *d)
{
    const Places *p = b->in->places;
    Arena *a = b->arena;
    const char *object = arena_printf(a, "%s/%s.o", p->in_build, file);
    const char *dependencies = arena_printf(a, "%s/%s.d", p->in_build, file);
    const char *args[ARGS_MAX] = {
        b->in->kit->compiler.kind == COMPILER_NVCC ? b->in->kit->nvcc
                                                   : arena_printf(a, "%s/bin/labcc", p->in_kit),
        b->in->gpu ? "-arch=native" : "-arch=compute_75",
        PLACES_COMPILE_OPTIONS,
        "-I",
        arena_printf(a, "%s/labs/%s", p->in_kit, b->in->lab->lab),
        "-I",
        arena_printf(a, "%s/common/lab", p->in_kit),
        "-c",
        file,
        "-o",
        object,
    };
    if (forbids_includes(b->in->lab)) {
        args[13] = "-MD";
        args[14] = "-MF";
        args[15] = dependencies;
    }
    SandboxStep step = new_step(b, args, kept_files(b, object, dependencies));
    b->objects[b->n_objects++] = object;
    Status s = run_step(b, &step, d);
    b->out->compile_cpu_s += b->cpu_s;
    return s;
}

/* Whether the linker made what it makes of ordinary code. */
static Status judge_program(Build *b, const char *program, Diag *d)
{
    const char *reference =
        arena_printf(b->arena, "%s/labs/%s/" LINK_REFERENCE, b->in->places->kit, b->in->lab->lab);
    char why[ELF_WHY_BYTES];
    if (!reference)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a build");
    Status s = elf_judge(program, reference, why, d);
    if (s != STATUS_OK || !why[0])
        return s;
    char *text = text_clean(b->arena, why, strlen(why), ELF_WHY_BYTES);
    strbuf_printf(&b->log,
                  "The linked program is not as the kit's link makes it: %s. Look for inline assembler, or a "
                  "section attribute, that writes into a section of the linker's own.\n",
                  text ? text : "");
    b->out->verdict = VERDICT_BUILD_ERROR;
    return STATUS_OK;
}

static Status link_program(Build *b, Diag *d)
{
    const Places *p = b->in->places;
    Arena *a = b->arena;
    const LinkLine line = {.kit_folder = p->in_kit,
                           .compiler = b->in->kit->compiler.kind,
                           .cuda_home = b->in->kit->cuda_home,
                           .lab = b->in->lab,
                           .objects = b->objects,
                           .n_objects = b->n_objects,
                           .program = arena_printf(a, "%s/program", p->in_build)};
    const char *const *args = link_arguments(a, &line);
    if (!args)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a build");
    const char *collect[] = {line.program, NULL};
    SandboxStep step = new_step(b, args, collect);
    Status s = run_step(b, &step, d);
    b->out->link_cpu_s = b->cpu_s;
    const char *program = arena_printf(a, "%s/program", p->prog);
    if (s != STATUS_OK || b->out->verdict != VERDICT_PASS)
        return s;
    if (!program || chmod(program, 0755) != 0)
        return diag_set(d, STATUS_IO, "the linked program did not come out of the sandbox");
    return judge_program(b, program, d);
}

/* What the lab forbids in one source; the verdict is set when something is found. */
static Status check_forbidden(Build *b, const char *file, Diag *d)
{
    const Lab *lab = b->in->lab;
    if (!lab->n_forbid)
        return STATUS_OK;
    char path[PATH_MAX];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/%s.o", b->in->places->prog, file);
    Status s = forbidden_symbols(lab, path, file, &b->log, &n, d);
    snprintf(path, sizeof path, "%s/%s.d", b->in->places->prog, file);
    if (s == STATUS_OK && forbids_includes(lab))
        s = forbidden_includes(lab, path, file, &b->log, &n, d);
    if (n)
        b->out->verdict = VERDICT_FORBIDDEN_CALL;
    return s;
}

static Status build_all(Build *b, Diag *d)
{
    const Lab *lab = b->in->lab;
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && b->out->verdict == VERDICT_PASS && i < lab->n_files; i++) {
        if (!is_source(lab->files[i]))
            continue;
        if (b->n_objects == ARGS_MAX - 1)
            return diag_set(d, STATUS_LIMIT, "a lab may have at most %d source files", ARGS_MAX - 1);
        s = compile(b, lab->files[i], d);
        if (s == STATUS_OK && b->out->verdict == VERDICT_PASS)
            s = check_forbidden(b, lab->files[i], d);
    }
    if (s == STATUS_OK && b->out->verdict == VERDICT_PASS)
        s = link_program(b, d);
    return s;
}

Status build_submission(Arena *a, const BuildInput *in, BuildOutput *out, Diag *d)
{
    *out = (BuildOutput){.verdict = VERDICT_PASS, .log = ""};
    Build b = {.arena = a, .in = in, .out = out};
    Status s = build_all(&b, d);
    out->log = strbuf_keep(&b.log, a);
    if (!out->log)
        out->log = "";
    return s;
}
