/* vgpu: runs a CUDA program on the virtual GPU. Its options are in options.def; tool.h says how it works. */
#include "common/base/language.h"
#include "common/base/options.h"
#include "common/base/version.h"
#include "common/base/wrap.h"
#include "common/vgpu/check/check.h"
#include "common/vgpu/perf/perf.h"
#include "common/vgpu/tool/film.h"
#include "common/vgpu/tool/tool.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FAULTS = 1, EXIT_KIT = 2 };

static const OptionRow option_rows[] = {
#define TEXT(name, field, value, meaning) {name, OPTION_TEXT, offsetof(ToolOptions, field), value, 0, 0, NULL, meaning},
#define NUMBER(name, field, value, meaning)                                                                            \
    {name, OPTION_NUMBER, offsetof(ToolOptions, field), value, 0, 0, NULL, meaning},
#define COUNT(name, field, min, max, meaning)                                                                          \
    {name, OPTION_COUNT, offsetof(ToolOptions, field), "N", min, max, NULL, meaning},
#define FLAG(name, field, meaning) {name, OPTION_FLAG, offsetof(ToolOptions, field), "", 0, 0, NULL, meaning},
#include "common/vgpu/tool/options.def"
#undef TEXT
#undef NUMBER
#undef COUNT
#undef FLAG
};

static const OptionTable option_table = {.program = "vgpu",
                                         .separator = '=',
                                         .rows = option_rows,
                                         .n = sizeof option_rows / sizeof *option_rows,
                                         .operands_end = true};

static void fail_with(const char *message, const char *detail)
{
    fprintf(stderr, "vgpu: %s%s%s\n", message, detail ? ": " : "", detail ? detail : "");
    exit(EXIT_KIT);
}

/* ---- options ---- */

static bool wants_color(const char *when)
{
    const char *none = getenv("NO_COLOR");
    if (strcmp(when, "always") == 0)
        return true;
    if (strcmp(when, "never") == 0)
        return false;
    if (strcmp(when, "auto") != 0)
        fail_with("--color is never, always or auto", NULL);
    return isatty(STDERR_FILENO) && (!none || *none == 0);
}

static void list_devices(void)
{
    for (size_t i = 0; perf_model(i); i++) {
        const PerfModel *m = perf_model(i);
        printf("%-12s %-31s compute capability %u.%u, %3u multiprocessors, %llu GiB%s\n", m->name, m->title,
               m->major, m->minor, m->n_sms, (unsigned long long)(m->memory_bytes >> 30),
               i == 0 ? " (default)" : "");
    }
    exit(0);
}

static bool is_film(const char *suffix)
{
    return strcmp(suffix, ".html") == 0 || strcmp(suffix, ".txt") == 0 || strcmp(suffix, ".svg") == 0;
}

static void check_options(const ToolOptions *o)
{
    unsigned tools;
    uint64_t raised;
    Diag diag = {0};
    if (o->check && check_parse_tools(o->check, &tools, &diag) != STATUS_OK)
        fail_with("--check", diag.message);
    if (o->raise && check_parse_raised(o->raise, &raised, &diag) != STATUS_OK)
        fail_with("--raise", diag.message);
    const char *suffix = o->film ? strrchr(o->film, '.') : NULL;
    if (o->film && (!suffix || !is_film(suffix)))
        fail_with("--film: a film is FILE.html, FILE.txt or FILE.svg", o->film);
    if (o->film_step && !film_moment_valid(o->film_step))
        fail_with("--film-step is a number, :LINE or :LINE+N", NULL);
    if (o->shape && !film_shapes_valid(o->shape))
        fail_with("--shape is a list such as in=64x64,out=32x32", NULL);
    if (o->device && !perf_model_find(o->device))
        fail_with("no such device model (--list-devices names them)", o->device);
}

static void print_help(void)
{
    printf("usage: vgpu [options] program [arguments]\n"
           "Runs a program built with nvcc -cudart shared on the virtual GPU, and reports what it does wrong.\n\n");
    options_print(&option_table);
    printf("\nExit status: the program's; 128 + signal when a signal ended it; 2 when vgpu itself could not do its "
           "work.\n");
}

static ToolOptions parse_options(int argc, char **argv)
{
    ToolOptions o = {.error_exitcode = EXIT_FAULTS, .serve = -1};
    size_t n_operands;
    Diag diag = {0};
    /* The program's name and arguments take the place of ours; behind them main's NULL becomes theirs. */
    if (options_parse(&option_table, argc - 1, argv + 1, &o, (const char **)argv, &n_operands, &diag) != STATUS_OK) {
        fprintf(stderr, "vgpu: %s\n%s%s%s", diag.message, *diag.hint ? "  " : "", diag.hint, *diag.hint ? "\n" : "");
        exit(EXIT_KIT);
    }
    check_options(&o);
    if (o.list_devices)
        list_devices();
    if (o.help)
        print_help();
    if (o.version)
        puts("vgpu " KIT_VERSION);
    if (o.help || o.version)
        exit(0);
    if (n_operands == 0)
        fail_with("which program? vgpu --help explains", NULL);
    o.color = wants_color(o.color_when ? o.color_when : "auto");
    argv[n_operands] = NULL;
    o.program = argv;
    return o;
}

/* ---- programs that cannot work ---- */

static void refuse_program(const Program *p)
{
    if (p->kind == PROGRAM_STATIC)
        fprintf(stderr,
                "vgpu: %s is linked with the static CUDA runtime, nvcc's default, which only a real GPU can "
                "serve.\n"
                "  link it with the shared one:  nvcc -cudart shared -arch=compute_75 -lineinfo -g ...\n",
                p->path);
    else
        fprintf(stderr, "vgpu: %s is linked with %s: build it with CUDA 13\n", p->path, p->runtime);
    exit(EXIT_KIT);
}

/* ---- output ---- */

/* A terminal would break words where its lines end. */
static void print_for_reader(StrBuf *text)
{
    StrBuf wrapped = {0};
    int columns, rows;
    if (text->text && terminal_size(STDERR_FILENO, &columns, &rows)) {
        text_wrap(&wrapped, text->text, columns);
        strbuf_free(text);
        *text = wrapped;
    }
    strbuf_print(text, stderr);
}

static void write_file(const char *name, const StrBuf *text)
{
    FILE *file = fopen(name, "w");
    bool ok = file && !text->failed && fwrite(text->text, 1, text->length, file) == text->length;
    if (file && fclose(file) != 0)
        ok = false;
    if (!ok)
        fail_with(name, strerror(errno));
}

static void write_outputs(const Records *r, const ToolOptions *o, const Ending *e)
{
    StrBuf b = {0};
    if (o->report) {
        report_json(r, o, e, &b);
        write_file(o->report, &b);
    }
    b.length = 0;
    if (o->timeline) {
        timeline_json(r, &b);
        write_file(o->timeline, &b);
    }
    b.length = 0;
    if (o->svg) {
        picture_svg(r, o, &b);
        write_file(o->svg, &b);
    }
    strbuf_free(&b);
}

/* A program may have no launch for a film: that is said, and is no fault of anybody's. */
static void write_film(const Records *r, const ToolOptions *o, int fd)
{
    StrBuf b = {0};
    Diag diag = {0};
    if (film_save(fd, r, o, &b, &diag) == STATUS_OK)
        write_file(o->film, &b);
    else
        fprintf(stderr, "vgpu: %s\n", diag.message);
    strbuf_free(&b);
}

static int exit_status(const Records *r, const ToolOptions *o, const Ending *e)
{
    if (e->signal != 0)
        return 128 + e->signal;
    return e->status == 0 && records_n_faults(r) > 0 ? (int)o->error_exitcode & 255 : e->status;
}

/* What is said of the run, in the student's language: KIT_LANG, as in labs. The report is in English always. */
static void print_in_language(const Records *r, const ToolOptions *o, const Program *p, const Ending *e, int status, StrBuf *out)
{
    StrBuf english = {0};
    Language language;
    language_find(getenv("KIT_LANG"), &language);
    print_findings(r, o, p, e, status, &english);
    if (english.length > 0)
        language_put_lines(language, english.text, out);
    strbuf_free(&english);
}

int main(int argc, char **argv)
{
    ToolOptions o = parse_options(argc, argv);
    Program program;
    if (program_inspect(o.program[0], &program) != STATUS_OK)
        fail_with("no such program", o.program[0]);
    if (program.kind == PROGRAM_STATIC || program.kind == PROGRAM_OTHER_RUNTIME)
        refuse_program(&program);
    Ending ending = {0};
    Diag diag = {0};
    Records records;
    ToolFiles files = {-1, -1, -1, -1, -1};
    if (spawn_program(&o, &program, &ending, &files, &diag) != STATUS_OK ||
        records_read(files.records, o.sources, &records, &diag) != STATUS_OK)
        fail_with(diag.message, NULL);
    close(files.records);
    if (provenance_is_written(&o) &&
        provenance_save(files.provenance, records.start != NULL, o.provenance, &diag) != STATUS_OK)
        fail_with(diag.message, NULL);
    if (o.calls && calls_save(files.calls, o.calls, &diag) != STATUS_OK)
        fail_with(diag.message, NULL);
    int status = exit_status(&records, &o, &ending);
    StrBuf profile = {0}, timeline = {0}, findings = {0};
    if (o.profile)
        print_profile(&records, &profile);
    if (o.timeline_text)
        print_timeline(&records, &timeline);
    if (!o.quiet && (program.kind == PROGRAM_CUDA || records.start))
        print_in_language(&records, &o, &program, &ending, status, &findings);
    print_for_reader(&profile);
    strbuf_print(&timeline, stderr); /* drawn, not written */
    print_for_reader(&findings);
    write_outputs(&records, &o, &ending);
    if (o.film)
        write_film(&records, &o, files.film);
    records_free(&records);
    return status;
}
