/* build: the commands of each goal, one after the other, in a folder of their own for what lies between. */
#include "common/cuda/driver/driver.h"
#include "common/cuda/driver/pack.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_FINE = 0, EXIT_WORK = 1, EXIT_KIT = 2, EXIT_BACK_END = 70, NAME_MAX_BYTES = 4096 };

typedef struct Job {
    const Options *o;
    const Tools *t;
    char folder[NAME_MAX_BYTES]; /* temporary */
    size_t n_temporary;
} Job;

static int build_no_memory(void)
{
    fprintf(stderr, "labcc: no memory\n");
    return EXIT_KIT;
}

/* ---- commands ---- */

int run_command(const Options *o, const Words *command, const char *said)
{
    for (size_t i = 0; o->verbose && i < command->n; i++)
        fprintf(stderr, "%s%s", command->items[i], i + 1 < command->n ? " " : "\n");
    if (o->dry_run)
        return EXIT_FINE;
    char **args = calloc(command->n + 1, sizeof *args);
    if (!args)
        return build_no_memory();
    memcpy(args, command->items, command->n * sizeof *args);
    pid_t pid = fork();
    if (pid == 0) {
        if (!said || freopen(said, "w", stderr))
            execv(args[0], args);
        fprintf(stderr, "labcc: cannot start %s: %s\n", args[0], strerror(errno));
        _exit(EXIT_KIT);
    }
    free(args);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0) {
        fprintf(stderr, "labcc: cannot start a process: %s\n", strerror(errno));
        return EXIT_KIT;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool add_all(Words *to, const Words *from)
{
    bool ok = true;
    for (size_t i = 0; i < from->n; i++)
        ok = ok && words_add(to, from->items[i]);
    return ok;
}

static bool add_many(Words *to, const char *const *from)
{
    bool ok = true;
    for (; *from; from++)
        ok = ok && words_add(to, *from);
    return ok;
}

/* Runs what `ok` says was put together whole. */
static int run_and_free(Job *job, Words *command, bool ok)
{
    int status = ok ? run_command(job->o, command, NULL) : build_no_memory();
    words_free(command);
    return status;
}

static const char *temporary(Job *job, const char *suffix)
{
    return arena_printf(job->o->arena, "%s/%zu%s", job->folder, job->n_temporary++, suffix);
}

/* ---- names ---- */

static const char *suffix_of(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    return dot && (!slash || dot > slash) ? dot : "";
}

static bool has_suffix(const char *name, const char *const *suffixes)
{
    for (; *suffixes; suffixes++)
        if (strcmp(suffix_of(name), *suffixes) == 0)
            return true;
    return false;
}

static bool is_cuda(const Options *o, const char *name)
{
    return o->language ? strcmp(o->language, "cu") == 0 : strcmp(suffix_of(name), ".cu") == 0;
}

static bool is_host_source(const Options *o, const char *name)
{
    static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", NULL};
    return o->language ? strcmp(o->language, "cu") != 0 : has_suffix(name, suffixes);
}

static bool is_linked(const char *name)
{
    static const char *const suffixes[] = {".o", ".a", ".so", NULL};
    return has_suffix(name, suffixes) || strstr(name, ".so.");
}

/* What an input becomes without -o: its name in this folder, with another suffix. */
static const char *named_after(Job *job, const char *input, const char *suffix)
{
    const char *slash = strrchr(input, '/'), *base = slash ? slash + 1 : input;
    size_t n = strlen(base) - strlen(suffix_of(base));
    return arena_printf(job->o->arena, "%.*s%s", (int)n, base, suffix);
}

/* ---- compiling ---- */

/* What both passes of a CUDA source have. clang must not find a toolkit that is installed; the version of
 * CUDA that it is told is the newest whose way of launching kernels all of our clangs know. */
static bool begin_cuda(Job *job, Words *command)
{
    const char *const words[] = {job->t->clang,
                                 "-x",
                                 "cuda",
                                 job->o->standard,
                                 "-nocudainc",
                                 "-nocudalib",
                                 arena_printf(job->o->arena, "--cuda-path=%s", job->t->include),
                                 "-Xclang",
                                 "-target-sdk-version=11.0",
                                 NULL};
    return words[6] && add_many(command, words) && (!job->o->relocatable || words_add(command, "-fgpu-rdc"));
}

/* The kit's headers, after the student's, and the source. */
static bool end_cuda(Job *job, Words *command, const char *input)
{
    const char *const path[] = {"-isystem", job->t->include, NULL};
    const char *const needed[] = {"-isystem", arena_printf(job->o->arena, "%s/kit/clang", job->t->include), NULL};
    const char *runtime = arena_printf(job->o->arena, "%s/cuda_runtime.h", job->t->include);
    return needed[1] && runtime && add_all(command, &job->o->both) && add_many(command, needed) &&
           (job->o->no_header_path || add_many(command, path)) &&
           words_add(command, "-include") && words_add(command, runtime) &&
           (!job->o->default_device ||
            (words_add(command, "-include") && words_add(command, arena_printf(job->o->arena, "%s/kit/default_device.h", job->t->include)))) &&
           words_add(command, input);
}

static int read_whole_file(const char *path, StrBuf *out)
{
    FILE *f = fopen(path, "rb");
    char part[65536];
    size_t n;
    if (!f) {
        fprintf(stderr, "labcc: cannot read %s: %s\n", path, strerror(errno));
        return EXIT_KIT;
    }
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        strbuf_append(out, part, n);
    bool failed = ferror(f) || out->failed;
    fclose(f);
    return failed ? build_no_memory() : EXIT_FINE;
}

/* Whether clang's back end broke at what its optimizations made of right code. */
static bool broke_back_end(const char *said)
{
    StrBuf text = {0};
    bool broke = said && read_whole_file(said, &text) == EXIT_FINE && text.text && strstr(text.text, "error in backend");
    strbuf_free(&text);
    return broke;
}

/* Compiles a source with the precompiled header for these words (`begun`), where there is one and clang has
 * nothing to say; else the plain way, so that messages are the same with it and without. EXIT_BACK_END, for a device: clang's back
 * end broke, and nothing was said. */
static int compile_cuda(Job *job, Words *begun, const char *const *more, const char *input, bool of_device)
{
    const Options *o = job->o;
    Words command = {0};
    struct stat st;
    const char *header = o->verbose || o->default_device || o->no_header_path ? NULL : precompiled_find(o, job->t, begun);
    const char *said = header ? temporary(job, ".said") : NULL;
    bool ok = said && add_all(&command, begun) && add_all(&command, &o->both) &&
              precompiled_include(o, job->t, header, &command) && add_many(&command, more) &&
              words_add(&command, input);
    bool done = ok && run_command(o, &command, said) == EXIT_FINE && stat(said, &st) == 0 && st.st_size == 0;
    bool broke = of_device && ok && !done && broke_back_end(said);
    words_free(&command);
    if (done || broke) {
        words_free(begun);
        return done ? EXIT_FINE : EXIT_BACK_END;
    }
    ok = add_many(begun, more) && end_cuda(job, begun, input);
    return run_and_free(job, begun, ok);
}

/* The newest PTX that this clang writes and all devices of the kit take. */
static const char *ptx_feature(int clang_major)
{
    return clang_major >= 18 ? "+ptx83" : clang_major >= 16 ? "+ptx78" : "+ptx75";
}

/* What decides the device's part, but the source, its folders and what is written. */
static bool begin_device(Job *job, Words *command, int target)
{
    const Options *o = job->o;
    const char *const words[] = {"--cuda-device-only",
                                 "-S",
                                 o->goal == GOAL_PTX ? "-S" : "-w", /* else the host's pass warns */
                                 arena_printf(o->arena, "--cuda-gpu-arch=sm_%d", target),
                                 "-Xclang",
                                 "-target-feature",
                                 "-Xclang",
                                 ptx_feature(job->t->major),
                                 o->device_debug ? "-O0" : "-O3",
                                 NULL};
    return begin_cuda(job, command) && words[3] && add_many(command, words) &&
           (!o->line_info || o->device_debug || words_add(command, "-gline-tables-only")) &&
           (!o->device_debug || (words_add(command, "-g") && words_add(command, "-fno-standalone-debug"))) &&
           add_all(command, &o->device);
}

/* The same in two steps: what is optimized becomes PTX without further ado. clang 15 cannot choose an instruction for a product of
 * which a loop needs the parity alone. */
static int compile_device_in_steps(Job *job, const char *input, int target, const char *ptx)
{
    Words front = {0}, back = {0};
    const char *ir = temporary(job, ".ll");
    const char *const to_ir[] = {"-emit-llvm", "-o", ir, NULL};
    const char *const to_ptx[] = {job->t->clang,
                                  "-x",
                                  "ir",
                                  "-S",
                                  "-O0",
                                  "--target=nvptx64-nvidia-cuda",
                                  "-Xclang",
                                  "-target-cpu",
                                  "-Xclang",
                                  arena_printf(job->o->arena, "sm_%d", target),
                                  "-Xclang",
                                  "-target-feature",
                                  "-Xclang",
                                  ptx_feature(job->t->major),
                                  "-o",
                                  ptx,
                                  ir,
                                  NULL};
    bool ok = ir && begin_device(job, &front, target) && add_many(&front, to_ir) && end_cuda(job, &front, input);
    int status = run_and_free(job, &front, ok);
    if (status != EXIT_FINE)
        return status;
    ok = to_ptx[9] && add_many(&back, to_ptx);
    return run_and_free(job, &back, ok);
}

static int compile_device(Job *job, const char *input, int target, const char *ptx)
{
    Words command = {0};
    const char *const output[] = {"-o", ptx, NULL};
    if (!ptx || !begin_device(job, &command, target)) {
        words_free(&command);
        return build_no_memory();
    }
    int status = compile_cuda(job, &command, output, input, true);
    return status == EXIT_BACK_END ? compile_device_in_steps(job, input, target, ptx) : status;
}

static bool begin_host(Job *job, Words *command)
{
    return begin_cuda(job, command) && words_add(command, "--cuda-host-only") &&
           add_all(command, &job->o->host);
}

/* The host's part: an object with the fat binary in it. */
static int compile_host(Job *job, const char *input, const char *fatbin, const char *object)
{
    Words command = {0};
    const char *const words[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin, "-c", "-o", object,
                                 NULL};
    if (begin_host(job, &command))
        return compile_cuda(job, &command, words, input, false);
    words_free(&command);
    return build_no_memory();
}

/* -E, -M and -MM. */
static int preprocess_host(Job *job, const char *input, const char *goal)
{
    const char *output = job->o->output;
    Words command = {0};
    bool ok = begin_host(job, &command) && words_add(&command, goal) && end_cuda(job, &command, input) &&
              (!output || (words_add(&command, "-o") && words_add(&command, output)));
    return run_and_free(job, &command, ok);
}

static int compile_plain(Job *job, const char *input, const char *goal, const char *output)
{
    const char *const words[] = {"-isystem", job->t->include, goal, NULL};
    bool c = strcmp(suffix_of(input), ".c") == 0 || (job->o->language && strcmp(job->o->language, "c") == 0);
    Words command = {0};
    bool ok = words_add(&command, job->t->clang) && words_add(&command, "-x") &&
              words_add(&command, c ? "c" : "c++") && (c || words_add(&command, job->o->standard)) &&
              add_all(&command, &job->o->host) && add_all(&command, &job->o->both) &&
              add_many(&command, words) && words_add(&command, input) &&
              (!output || (words_add(&command, "-o") && words_add(&command, output)));
    return run_and_free(job, &command, ok);
}

/* ---- the device's part ---- */

static int write_file(const char *path, const StrBuf *text)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(text->text, 1, text->length, f) == text->length;
    if (f && fclose(f) != 0)
        ok = false;
    if (!ok)
        fprintf(stderr, "labcc: cannot write %s: %s\n", path, strerror(errno));
    return ok ? EXIT_FINE : EXIT_KIT;
}

/* The targets that clang compiles for, each once; the oldest where none is asked for. */
static int choose_targets(const Job *job, int targets[], size_t max, size_t *n)
{
    const Options *o = job->o;
    *n = 0;
    for (size_t i = 0; i < o->targets.n || (i == 0 && o->targets.n == 0); i++) {
        int wanted = o->targets.n ? atoi(o->targets.items[i]) : TARGET_MIN;
        int target = tools_target(job->t->major, wanted);
        bool again = false;
        if (target != wanted)
            fprintf(stderr, "labcc: clang %d knows no sm_%d; compiled for sm_%d\n", job->t->major, wanted,
                    target);
        for (size_t j = 0; j < *n; j++)
            again = again || targets[j] == target;
        if (!again && *n < max)
            targets[(*n)++] = target;
    }
    return EXIT_FINE;
}

static int make_fatbin(Job *job, const char *input, const char *fatbin)
{
    enum { TARGETS_MAX = 16 };
    int targets[TARGETS_MAX];
    size_t n, lengths[TARGETS_MAX + 1] = {0};
    StrBuf all = {0}, packed = {0};
    PackImage images[TARGETS_MAX];
    int status = choose_targets(job, targets, TARGETS_MAX, &n);
    for (size_t i = 0; status == EXIT_FINE && i < n; i++) {
        const char *ptx = temporary(job, ".ptx");
        status = compile_device(job, input, targets[i], ptx);
        if (status == EXIT_FINE && !job->o->dry_run)
            status = read_whole_file(ptx, &all);
        lengths[i + 1] = all.length;
    }
    for (size_t i = 0; i < n; i++)
        images[i] = (PackImage){all.text ? all.text + lengths[i] : "", lengths[i + 1] - lengths[i],
                                (uint32_t)targets[i]};
    if (status == EXIT_FINE && !job->o->dry_run) {
        pack_container(&packed, images, n);
        status = packed.failed ? build_no_memory() : write_file(fatbin, &packed);
    }
    strbuf_free(&all);
    strbuf_free(&packed);
    return status;
}

static int make_object(Job *job, const char *input, const char *object)
{
    if (!is_cuda(job->o, input))
        return compile_plain(job, input, "-c", object);
    const char *fatbin = temporary(job, ".fatbin");
    int status = fatbin ? make_fatbin(job, input, fatbin) : build_no_memory();
    return status == EXIT_FINE ? compile_host(job, input, fatbin, object) : status;
}

/* ---- goals ---- */

static int make_ptx(Job *job, const char *input, const char *output)
{
    int targets[1];
    size_t n;
    choose_targets(job, targets, 1, &n);
    return compile_device(job, input, targets[0], output);
}

static int for_each_input(Job *job, const char *suffix)
{
    const Options *o = job->o;
    int status = EXIT_FINE;
    for (size_t i = 0; status == EXIT_FINE && i < o->inputs.n; i++) {
        const char *input = o->inputs.items[i];
        const char *output = o->output ? o->output : suffix ? named_after(job, input, suffix) : NULL;
        if (!is_cuda(o, input) && !is_host_source(o, input)) {
            fprintf(stderr, "labcc: %s: neither CUDA, C nor C++ by its name\n", input);
            return EXIT_WORK;
        }
        switch (o->goal) {
        case GOAL_OBJECT:
            status = make_object(job, input, output);
            break;
        case GOAL_PTX:
            status = make_ptx(job, input, output);
            break;
        case GOAL_FATBIN:
            status = make_fatbin(job, input, output);
            break;
        default: {
            const char *goal = o->goal == GOAL_PREPROCESS ? "-E" : o->dependencies;
            status = is_cuda(o, input) ? preprocess_host(job, input, goal)
                                       : compile_plain(job, input, goal, output);
        }
        }
    }
    return status;
}

/* An object of the stub that registers what the files hold of relocatable code; NULL where they hold none. */
static int make_stub(Job *job, const Words *files, const char *object, bool *made)
{
    Diag d = {0};
    Words names = {0}, command = {0};
    Status s = job->o->dry_run ? STATUS_OK : relocatable_names(job->o->arena, files, &names, &d);
    *made = names.n > 0;
    if (s != STATUS_OK || !*made) {
        if (s != STATUS_OK)
            fprintf(stderr, "labcc: %s\n", d.message);
        words_free(&names);
        return s == STATUS_OK ? EXIT_FINE : EXIT_KIT;
    }
    const char *source = temporary(job, ".c");
    char *text = relocatable_stub(job->o->arena, names.items, names.n);
    words_free(&names);
    if (!text || !source)
        return build_no_memory();
    int status = write_file(source, &(StrBuf){.text = text, .length = strlen(text)});
    const char *const words[] = {job->t->clang, "-x", "c", "-O1", "-fPIC", "-c", source, "-o", object, NULL};
    bool ok = add_many(&command, words);
    return status == EXIT_FINE ? run_and_free(job, &command, ok) : (words_free(&command), status);
}

/* Objects of the sources among the inputs, and the others as they are. */
static int make_objects(Job *job, Words *files)
{
    const Options *o = job->o;
    for (size_t i = 0; i < o->inputs.n; i++) {
        const char *input = o->inputs.items[i], *object = input;
        int status = EXIT_FINE;
        if (is_cuda(o, input) || is_host_source(o, input)) {
            object = temporary(job, ".o");
            status = object ? make_object(job, input, object) : build_no_memory();
        } else if (!is_linked(input)) {
            fprintf(stderr, "labcc: %s: no source, object or library by its name\n", input);
            status = EXIT_WORK;
        }
        if (status != EXIT_FINE)
            return status;
        if (!words_add(files, object))
            return build_no_memory();
    }
    return EXIT_FINE;
}

/* The options of the link; of the toolkit's libraries the kit's own are taken, NVRTC where it is. */
static bool add_link_options(Job *job, Words *command)
{
    const Options *o = job->o;
    bool ok = true;
    for (size_t i = 0; ok && i < o->link.n; i++) {
        const char *word = o->link.items[i];
        if (strcmp(word, "-lcuda") == 0)
            ok = words_add(command, "-l:libcuda.so.1");
        else if (strcmp(word, "-lnvrtc") == 0)
            ok = words_add(command, "-l:libnvrtc.so.13") &&
                 words_add(command, arena_printf(o->arena, "-L%s", job->t->nvrtc_dir)) &&
                 words_add(command,
                           arena_printf(o->arena, "-Wl,--enable-new-dtags,-rpath,%s", job->t->nvrtc_dir));
        else
            ok = words_add(command, word);
    }
    return ok;
}

static int link_program(Job *job)
{
    const Options *o = job->o;
    Words files = {0}, command = {0};
    const char *stub = temporary(job, ".o");
    bool made = false;
    int status = make_objects(job, &files);
    if (status == EXIT_FINE)
        status = stub ? make_stub(job, &files, stub, &made) : build_no_memory();
    if (status == EXIT_FINE) {
        const char *const begin[] = {job->t->clang, "-o", o->output ? o->output : "a.out", NULL};
        const char *const end[] = {arena_printf(o->arena, "-L%s", job->t->runtime_dir), "-l:libcudart.so.13",
                                   "-lm", NULL};
        bool ok = end[0] && add_many(&command, begin) && add_all(&command, &files) &&
                  (!made || words_add(&command, stub)) && add_link_options(job, &command) &&
                  add_many(&command, end);
        status = run_and_free(job, &command, ok);
    }
    words_free(&files);
    return status;
}

static int link_device(Job *job)
{
    bool made;
    const char *output = job->o->output ? job->o->output : "a_dlink.o";
    int status = make_stub(job, &job->o->inputs, output, &made);
    if (status == EXIT_FINE && !made) {
        fprintf(stderr, "labcc: nothing to link: the inputs hold no relocatable device code\n");
        return EXIT_WORK;
    }
    return status;
}

/* Precompiles cuda_runtime.h for both passes with these options, unless what is there serves (both have read
 * the same headers: one is asked). */
static int precompile(Job *job)
{
    const Options *o = job->o;
    int targets[1];
    size_t n;
    Words device = {0}, host = {0};
    choose_targets(job, targets, 1, &n);
    int status = EXIT_FINE;
    if (!begin_device(job, &device, targets[0]) || !begin_host(job, &host))
        status = build_no_memory();
    else if (!precompiled_find(o, job->t, &host) || !precompiled_serves(o, job->t, &device)) {
        status = precompiled_make(o, job->t, &device);
        if (status == EXIT_FINE)
            status = precompiled_make(o, job->t, &host);
    }
    words_free(&device);
    words_free(&host);
    return status;
}

static int do_goal(Job *job)
{
    switch (job->o->goal) {
    case GOAL_PROGRAM:
        return link_program(job);
    case GOAL_DEVICE_LINK:
        return link_device(job);
    case GOAL_OBJECT:
        return for_each_input(job, ".o");
    case GOAL_PTX:
        return for_each_input(job, ".ptx");
    case GOAL_FATBIN:
        return for_each_input(job, ".fatbin");
    case GOAL_PREPROCESS:
    case GOAL_DEPENDENCIES:
        return for_each_input(job, NULL);
    case GOAL_PRECOMPILE:
        return precompile(job);
    case GOAL_VERSION:
        printf("labcc, with clang %s\n%s\n", job->t->version, job->t->clang);
        return EXIT_FINE;
    case GOAL_HELP:
        options_help();
        return EXIT_FINE;
    }
    return EXIT_FINE;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

int driver_run(const Options *o, const Tools *t)
{
    const char *base = getenv("TMPDIR");
    Job job = {.o = o, .t = t};
    snprintf(job.folder, sizeof job.folder, "%s/labcc-XXXXXX", base && base[0] == '/' ? base : "/tmp");
    if (!mkdtemp(job.folder)) {
        fprintf(stderr, "labcc: cannot make a folder %s: %s\n", job.folder, strerror(errno));
        return EXIT_KIT;
    }
    int status = do_goal(&job);
    nftw(job.folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return status;
}
