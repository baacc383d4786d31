/* vgpu: runs a CUDA program on the virtual GPU. Options are at the usage text below; tool.h says how it
 * works. */
#include "common/base/version.h"
#include "common/vgpu/check/check.h"
#include "common/vgpu/perf/perf.h"
#include "common/vgpu/tool/tool.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FAULTS = 1, EXIT_KIT = 2 };

static const char usage[] =
    "usage: vgpu [options] program [arguments]\n"
    "Runs a program built with nvcc -cudart shared on the virtual GPU, and reports what it does wrong.\n"
    "\n"
    "  --check=LIST            all, none, or some of memory,race,init,sync,leak (default all)\n"
    "  --raise=LIST            advice that counts as findings: barrier-exited\n"
    "  --device=NAME           model of card (--list-devices names them)\n"
    "  --devices=N             that many cards of it (default 1)\n"
    "  --memory=MIB            of each card, instead of what the model has\n"
    "  --list-devices          names the models and ends\n"
    "  --profile               a table of kernels, modelled times and counters\n"
    "  --report=FILE           a report as JSON\n"
    "  --provenance=FILE       where each byte came from, as JSON, and the bytes in FILE.bin\n"
    "  --calls=FILE            what the program asked of the devices, a line each\n"
    "  --timeline=FILE         the modelled time line as Chrome trace events\n"
    "  --timeline-text         the same as text, one row a stream\n"
    "  --svg=FILE              a picture: the modelled time line, and the card's roofline with the kernels\n"
    "  --seed=N                order of blocks and warps, contents of fresh memory\n"
    "  --sources=DIR           quotes lines of files below this folder only\n"
    "  --fail-at=N             the N-th call that can fail for want of a resource or a device does\n"
    "  --max-instructions=N    a launch ends as timed out after N instructions of warps (default 10^11; 0: never)\n"
    "  --isolated              the virtual GPU in a process of its own, out of the program's reach\n"
    "  --serve=N               only that process, for the program at the other end of descriptor N\n"
    "  --jobs=N                blocks run on N threads (default 1, the reference)\n"
    "  --error-exitcode=N      exit status when there are findings and the program exits 0 (default 1)\n"
    "  --color=WHEN            never, always, auto (default auto)\n"
    "  --quiet                 print nothing of our own\n"
    "  --help, --version\n"
    "\n"
    "Exit status: the program's; 128 + signal when a signal ended it; 2 when vgpu itself could not do its "
    "work.\n";

typedef enum Option {
    OPT_CHECK = 256,
    OPT_DEVICE,
    OPT_DEVICES,
    OPT_MEMORY,
    OPT_LIST,
    OPT_PROFILE,
    OPT_REPORT,
    OPT_PROVENANCE,
    OPT_CALLS,
    OPT_TIMELINE,
    OPT_TIMELINE_TEXT,
    OPT_SVG,
    OPT_SEED,
    OPT_SOURCES,
    OPT_FAIL_AT,
    OPT_MAX,
    OPT_RAISE,
    OPT_JOBS,
    OPT_ISOLATED,
    OPT_SERVE,
    OPT_EXITCODE,
    OPT_COLOR,
    OPT_QUIET,
    OPT_HELP,
    OPT_VERSION
} Option;

static const struct option long_options[] = {
    {"check", required_argument, NULL, OPT_CHECK},
    {"raise", required_argument, NULL, OPT_RAISE},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"devices", required_argument, NULL, OPT_DEVICES},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"list-devices", no_argument, NULL, OPT_LIST},
    {"profile", no_argument, NULL, OPT_PROFILE},
    {"report", required_argument, NULL, OPT_REPORT},
    {"provenance", required_argument, NULL, OPT_PROVENANCE},
    {"calls", required_argument, NULL, OPT_CALLS},
    {"timeline", required_argument, NULL, OPT_TIMELINE},
    {"timeline-text", no_argument, NULL, OPT_TIMELINE_TEXT},
    {"svg", required_argument, NULL, OPT_SVG},
    {"seed", required_argument, NULL, OPT_SEED},
    {"sources", required_argument, NULL, OPT_SOURCES},
    {"fail-at", required_argument, NULL, OPT_FAIL_AT},
    {"max-instructions", required_argument, NULL, OPT_MAX},
    {"jobs", required_argument, NULL, OPT_JOBS},
    {"isolated", no_argument, NULL, OPT_ISOLATED},
    {"serve", required_argument, NULL, OPT_SERVE},
    {"error-exitcode", required_argument, NULL, OPT_EXITCODE},
    {"color", required_argument, NULL, OPT_COLOR},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {0},
};

static void fail(const char *message, const char *detail)
{
    fprintf(stderr, "vgpu: %s%s%s\n", message, detail == NULL ? "" : ": ", detail == NULL ? "" : detail);
    exit(EXIT_KIT);
}

/* ---- options ---- */

static const char *number_option(const char *name, const char *text)
{
    char *end;
    errno = 0;
    strtoull(text, &end, 10);
    if (errno != 0 || *end != 0 || *text == '-' || *text == 0) {
        fprintf(stderr, "vgpu: --%s wants a number, not '%s'\n", name, text);
        exit(EXIT_KIT);
    }
    return text;
}

static bool wants_color(const char *when)
{
    const char *none = getenv("NO_COLOR");
    if (strcmp(when, "always") == 0)
        return true;
    if (strcmp(when, "never") == 0)
        return false;
    if (strcmp(when, "auto") != 0)
        fail("--color is never, always or auto", NULL);
    return isatty(STDERR_FILENO) && (none == NULL || *none == 0);
}

static void list_devices(void)
{
    for (size_t i = 0; perf_model(i) != NULL; i++) {
        const PerfModel *m = perf_model(i);
        printf("%-12s %-31s compute capability %u.%u, %3u multiprocessors, %llu GiB%s\n", m->name, m->title,
               m->major, m->minor, m->n_sms, (unsigned long long)(m->memory_bytes >> 30),
               i == 0 ? " (default)" : "");
    }
    exit(0);
}

static const char *check_option(const char *text)
{
    unsigned tools;
    Diag diag = {0};
    if (check_parse_tools(text, &tools, &diag) != STATUS_OK)
        fail("--check", diag.message);
    return text;
}

static const char *raise_option(const char *text)
{
    uint64_t raised;
    Diag diag = {0};
    if (check_parse_raised(text, &raised, &diag) != STATUS_OK)
        fail("--raise", diag.message);
    return text;
}

static const char *device_option(const char *text)
{
    if (perf_model_find(text) == NULL)
        fail("no such device model (--list-devices names them)", text);
    return text;
}

static void set_option(int option, const char *arg, ToolOptions *o)
{
    switch ((Option)option) {
    case OPT_CHECK:
        o->check = check_option(arg);
        break;
    case OPT_DEVICE:
        o->device = device_option(arg);
        break;
    case OPT_DEVICES:
        o->devices = number_option("devices", arg);
        break;
    case OPT_MEMORY:
        o->memory = number_option("memory", arg);
        break;
    case OPT_LIST:
        list_devices();
        break;
    case OPT_PROFILE:
        o->profile = true;
        break;
    case OPT_REPORT:
        o->report = arg;
        break;
    case OPT_PROVENANCE:
        o->provenance = arg;
        break;
    case OPT_CALLS:
        o->calls = arg;
        break;
    case OPT_TIMELINE:
        o->timeline = arg;
        break;
    case OPT_TIMELINE_TEXT:
        o->timeline_text = true;
        break;
    case OPT_SVG:
        o->svg = arg;
        break;
    case OPT_RAISE:
        o->raise = raise_option(arg);
        break;
    case OPT_SEED:
        o->seed = number_option("seed", arg);
        break;
    case OPT_SOURCES:
        o->sources = arg;
        break;
    case OPT_FAIL_AT:
        o->fail_at = number_option("fail-at", arg);
        break;
    case OPT_MAX:
        o->max_instructions = number_option("max-instructions", arg);
        break;
    case OPT_JOBS:
        o->jobs = number_option("jobs", arg);
        break;
    case OPT_ISOLATED:
        o->isolated = true;
        break;
    case OPT_SERVE:
        o->serve = atoi(number_option("serve", arg));
        break;
    case OPT_EXITCODE:
        o->error_exitcode = atoi(number_option("error-exitcode", arg)) & 255;
        break;
    case OPT_COLOR:
        o->color = wants_color(arg);
        break;
    case OPT_QUIET:
        o->quiet = true;
        break;
    case OPT_HELP:
        fputs(usage, stdout);
        exit(0);
    case OPT_VERSION:
        puts("vgpu " KIT_VERSION);
        exit(0);
    }
}

static ToolOptions parse_options(int argc, char **argv)
{
    ToolOptions o = {.error_exitcode = EXIT_FAULTS, .color = wants_color("auto"), .serve = -1};
    int option;
    while ((option = getopt_long(argc, argv, "+", long_options, NULL)) != -1) {
        if (option == '?')
            exit(EXIT_KIT);
        set_option(option, optarg, &o);
    }
    if (optind == argc) {
        fputs(usage, stderr);
        exit(EXIT_KIT);
    }
    o.program = argv + optind;
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

static void write_file(const char *name, const StrBuf *text)
{
    FILE *file = fopen(name, "w");
    bool ok = file != NULL && !text->failed && fwrite(text->text, 1, text->length, file) == text->length;
    if (file != NULL && fclose(file) != 0)
        ok = false;
    if (!ok)
        fail(name, strerror(errno));
}

static void write_outputs(const Records *r, const ToolOptions *o, const Ending *e)
{
    StrBuf b = {0};
    if (o->report != NULL) {
        report_json(r, o, e, &b);
        write_file(o->report, &b);
    }
    b.length = 0;
    if (o->timeline != NULL) {
        timeline_json(r, &b);
        write_file(o->timeline, &b);
    }
    b.length = 0;
    if (o->svg != NULL) {
        picture_svg(r, o, &b);
        write_file(o->svg, &b);
    }
    strbuf_free(&b);
}

static int exit_status(const Records *r, const ToolOptions *o, const Ending *e)
{
    if (e->signal != 0)
        return 128 + e->signal;
    return e->status == 0 && records_n_faults(r) > 0 ? o->error_exitcode : e->status;
}

int main(int argc, char **argv)
{
    ToolOptions o = parse_options(argc, argv);
    Program program;
    if (program_inspect(o.program[0], &program) != STATUS_OK)
        fail("no such program", o.program[0]);
    if (program.kind == PROGRAM_STATIC || program.kind == PROGRAM_OTHER_RUNTIME)
        refuse_program(&program);
    Ending ending = {0};
    Diag diag = {0};
    Records records;
    ToolFiles files = {-1, -1, -1};
    if (spawn_program(&o, &program, &ending, &files, &diag) != STATUS_OK ||
        records_read(files.records, o.sources, &records, &diag) != STATUS_OK)
        fail(diag.message, NULL);
    close(files.records);
    if (o.provenance != NULL &&
        provenance_save(files.provenance, records.start != NULL, o.provenance, &diag) != STATUS_OK)
        fail(diag.message, NULL);
    if (o.calls != NULL && calls_save(files.calls, o.calls, &diag) != STATUS_OK)
        fail(diag.message, NULL);
    int status = exit_status(&records, &o, &ending);
    StrBuf text = {0};
    if (o.profile)
        print_profile(&records, &text);
    if (o.timeline_text)
        print_timeline(&records, &text);
    if (!o.quiet && (program.kind == PROGRAM_CUDA || records.start != NULL))
        print_findings(&records, &o, &program, &ending, status, &text);
    if (text.length > 0)
        fwrite(text.text, 1, text.length, stderr);
    strbuf_free(&text);
    write_outputs(&records, &o, &ending);
    records_free(&records);
    return status;
}
