/* sanitizer_report: see sanitizer_report.h. */
#include "grader/judge/sanitizer_report.h"

#include "grader/core/text.h"
#include "grader/judge/sanitizer_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCH_DISTANCE_MAX = 1 << 30, NULL_PAGE = 4096, WORD_MAX = 64 };

static const char mark[] = "=========";

static const SanitizerToolInfo tools[SANITIZER_N_TOOLS] = {
#define X(name, ...) [SANITIZER_##name] = {__VA_ARGS__},
#include "grader/judge/sanitizer_tools.def"
#undef X
};

typedef struct ReportRow {
    const char *begins, *holds;
    SanitizerKind kind;
    const char *title;
} ReportRow;

static const ReportRow rows[] = {
#define X(begins, holds, kind, title) {begins, holds, KIND_##kind, title},
#include "grader/judge/sanitizer_reports.def"
#undef X
};

const SanitizerToolInfo *sanitizer_tool(SanitizerTool tool)
{
    return &tools[tool];
}

VgpuReport *sanitizer_report_create(void)
{
    VgpuReport *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->device_kind = r->device_name = r->bound = "";
    r->findings = ARENA_NEW_ARRAY(&r->arena, Finding, VGPU_REPORT_FINDINGS_MAX);
    r->errors = ARENA_NEW_ARRAY(&r->arena, VgpuError, VGPU_REPORT_ERRORS_MAX);
    if (r->findings && r->errors)
        return r;
    vgpu_report_free(r);
    return NULL;
}

/* Reading a line ------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static const char *copy(Arena *a, const char *text, size_t length)
{
    if (length > VGPU_REPORT_TEXT_MAX)
        length = VGPU_REPORT_TEXT_MAX;
    const char *made = arena_strndup(a, text, length);
    return made ? made : "";
}

/* "13,200" -> 13200; a number too long for an int64 is cut. */
static int64_t sanitizer_read_number(const char *text)
{
    int64_t n = 0;
    for (; (*text >= '0' && *text <= '9') || *text == ','; text++)
        if (*text != ',' && n < INT64_MAX / 10 - 10)
            n = 10 * n + (*text - '0');
    return n;
}

/* The text behind the first `word`; NULL when it is not there. */
static const char *behind(const char *text, const char *word)
{
    const char *found = strstr(text, word);
    return found ? found + strlen(word) : NULL;
}

static int64_t number_behind(const char *text, const char *word)
{
    const char *at = behind(text, word);
    return at ? sanitizer_read_number(at) : 0;
}

/* "FUNCTION+0x80 in FILE:LINE", with anything behind the line. Folders are not told. */
static SanitizerPlace read_place(Arena *a, const char *text)
{
    SanitizerPlace p = {.function = "", .file = ""};
    text += strspn(text, " ");
    const char *in = strstr(text, " in "), *end = strstr(text, "+0x");
    if (!end || (in && in < end))
        end = in;
    p.function = copy(a, text, end ? (size_t)(end - text) : strcspn(text, "["));
    const char *file = in ? in + 4 : "", *line = strpbrk(file, ": ");
    if (!line || *line != ':' || line[1] < '0' || line[1] > '9')
        return p;
    for (const char *c = file; c < line; c++)
        if (*c == '/')
            file = c + 1;
    p.file = copy(a, file, (size_t)(line - file));
    p.line = sanitizer_read_number(line + 1);
    return p;
}

/* "by thread (96,0,0) in block (3,0,0)" */
static bool read_thread(const char *text, Finding *f)
{
    long long t[3], b[3];
    if (sscanf(text, "by thread (%9lld,%9lld,%9lld) in block (%9lld,%9lld,%9lld)", &t[0], &t[1], &t[2], &b[0],
               &b[1], &b[2]) != 6)
        return false;
    for (int i = 0; i < 3; i++) {
        f->thread[i] = (uint32_t)t[i];
        f->block[i] = (uint32_t)b[i];
    }
    return true;
}

/* "0x7f00000003e8" at the start of text. */
static void read_address(const char *text, Finding *f)
{
    f->has_address = text && begins_with(text, "0x");
    f->address = f->has_address ? strtoull(text, NULL, 16) : 0;
}

/* "and is 1 bytes after the nearest allocation at 0x7f.. of size 1,000 bytes"; one that is far away has
 * nothing to do with the access. */
static void read_nearest(const char *text, Finding *f)
{
    int64_t distance = number_behind(text, "is ");
    f->has_alloc = distance < LAUNCH_DISTANCE_MAX;
    f->distance = strstr(text, " before ") ? -distance : distance;
    f->alloc_bytes = (uint64_t)number_behind(text, "of size ");
}

/* Reading a report ----------------------------------------------------------------------------- */

/* "Invalid __global__ write of size 4 bytes", "Uninitialized __global__ memory read of size 4 bytes" */
static void read_access(Arena *a, const char *head, Finding *f)
{
    const char *space = behind(head, "__"), *end = space ? strstr(space, "__ ") : NULL, *word;
    f->bytes = number_behind(head, "of size ");
    if (!end)
        return;
    f->space = copy(a, space, (size_t)(end - space));
    word = end + 3;
    if (begins_with(word, "memory "))
        word += 7;
    f->access = copy(a, word, strcspn(word, " "));
}

/* "... Race reported between Write access at FUNCTION in FILE:LINE" */
static void read_race(Arena *a, SanitizerFacts *facts, Finding *f)
{
    const char *word = behind(facts->head, "between "), *place = behind(facts->head, " access at ");
    f->space = "shared";
    if (!word || !place)
        return;
    f->access = strncmp(word, "Write", 5) == 0 ? "write" : strncmp(word, "Read", 4) == 0 ? "read" : "access";
    facts->at = read_place(a, place);
}

/* "and Read access at FUNCTION in FILE:LINE [508 hazards]" */
static void read_other(Arena *a, const char *text, SanitizerFacts *facts, Finding *f)
{
    const char *count = strrchr(text, '[');
    int64_t hazards = count ? sanitizer_read_number(count + 1) : 0;
    f->count += hazards > 0 ? hazards - (facts->other_access ? 0 : 1) : 0;
    if (facts->other_access)
        return;
    facts->other_access = begins_with(text, "and Write") ? "write" : "read";
    facts->other = read_place(a, behind(text, " access at "));
}

static bool is_source(const char *file)
{
    size_t n = strlen(file);
    return n > 3 && strcmp(file + n - 3, ".cu") == 0;
}

/* The host's frames stand from the inside out. The first of the student's own is told, else the first that
 * has a line: the toolkit's headers have frames too. Of a call to cudaLaunchKernel the first is the kernel's
 * stub, named as the kernel is; where there is another frame it is that. */
static void read_host_frame(Arena *a, const char *text, SanitizerFacts *facts)
{
    SanitizerPlace p = read_place(a, text), *had = &facts->launch;
    bool stub = strstr(facts->head, "call to cudaLaunchKernel") && strchr(had->function, '(');
    bool better = had->line == 0 || (is_source(p.file) && (stub || !is_source(had->file)));
    if (p.line && better && !strstr(text, "__device_stub") && !strstr(text, ".stub.c"))
        *had = p;
}

/* The device's frames go outwards too. The last is the kernel; an access in a header of the toolkit's is told
 * where the student called it. */
static void read_device_frame(Arena *a, const char *text, SanitizerFacts *facts, Finding *f)
{
    SanitizerPlace p = read_place(a, text);
    f->kernel = p.function;
    if (!is_source(facts->at.file) && is_source(p.file))
        facts->at = p;
}

/* A line that belongs to a report. */
static void read_detail(Arena *a, const char *text, SanitizerFacts *facts, Finding *f)
{
    const char *rest;
    if (begins_with(text, "at ")) {
        facts->at = read_place(a, text + 3);
        f->kernel = facts->at.function;
    } else if (begins_with(text, "by thread "))
        f->has_thread = f->has_thread || read_thread(text, f);
    else if (begins_with(text, "and is ") && strstr(text, "nearest allocation"))
        read_nearest(text, f);
    else if (begins_with(text, "and ") && strstr(text, " access at "))
        read_other(a, text, facts, f);
    else if ((rest = behind(text, "Device Frame:")))
        read_device_frame(a, rest, facts, f);
    else if ((rest = behind(text, "Host Frame:")))
        read_host_frame(a, rest, facts);
    else if (begins_with(text, "Access ") || begins_with(text, "Address ")) {
        if ((rest = strstr(text, "0x")))
            read_address(rest, f);
        if (strstr(text, "misaligned"))
            facts->kind = KIND_MISALIGNED;
    }
}

/* What its first line tells, by kind. */
static void read_head(Arena *a, SanitizerFacts *facts, Finding *f)
{
    switch (facts->kind) {
    case KIND_OUT_OF_BOUNDS:
    case KIND_UNINITIALIZED:
        read_access(a, facts->head, f);
        break;
    case KIND_RACE:
    case KIND_SAME_VALUE:
        read_race(a, facts, f);
        f->kernel = facts->at.function;
        break;
    case KIND_LEAK:
        f->has_alloc = true;
        f->alloc_bytes = number_behind(facts->head, "Leaked ");
        read_address(strstr(facts->head, "0x"), f);
        break;
    case KIND_API_UNINITIALIZED:
        f->bytes = number_behind(facts->head, "of size ");
        break;
    default:
        break;
    }
}

static bool same_finding(const Finding *a, const Finding *b)
{
    return strcmp(a->kind, b->kind) == 0 && a->place.line == b->place.line && strcmp(a->place.file, b->place.file) == 0 &&
           strcmp(a->kernel, b->kernel) == 0 && strcmp(a->access, b->access) == 0;
}

/* Adds a finding, or counts it with one that is there. */
static void keep_finding(VgpuReport *r, const SanitizerFacts *facts, Finding *f)
{
    if (!sanitizer_word_finding(&r->arena, facts, f))
        return;
    for (size_t i = 0; i < r->n_findings; i++)
        if (same_finding(&r->findings[i], f)) {
            r->findings[i].count += f->count;
            return;
        }
    if (r->n_findings < VGPU_REPORT_FINDINGS_MAX)
        r->findings[r->n_findings++] = *f;
    else
        r->cut = true;
}

static void take_finding(VgpuReport *r, SanitizerFacts *facts)
{
    Arena *a = &r->arena;
    Finding f;
    finding_init(&f);
    f.count = 1;
    read_head(a, facts, &f);
    for (size_t i = 0; i < facts->n_details; i++)
        read_detail(a, facts->details[i], facts, &f);
    if (facts->kind == KIND_OUT_OF_BOUNDS && f.has_address && f.address < NULL_PAGE &&
        strcmp(f.space, "global") == 0) {
        facts->kind = KIND_NULL_POINTER;
        f.has_alloc = false;
    }
    const SanitizerPlace *p = f.kernel[0] ? &facts->at : &facts->launch;
    f.place.file = p->file;
    f.place.line = (uint32_t)p->line;
    keep_finding(r, facts, &f);
}

/* "Program hit cudaErrorX (error 1) due to "..." on CUDA API call to cudaMemcpy." */
static void take_error(VgpuReport *r, SanitizerFacts *facts)
{
    char error[WORD_MAX];
    const char *call = behind(facts->head, "call to ");
    if (r->n_errors == VGPU_REPORT_ERRORS_MAX || !call ||
        sscanf(facts->head, "Program hit %63[A-Za-z0-9_] ", error) != 1)
        return;
    for (size_t i = 0; i < facts->n_details; i++)
        if (behind(facts->details[i], "Host Frame:"))
            read_host_frame(&r->arena, behind(facts->details[i], "Host Frame:"), facts);
    r->errors[r->n_errors++] = (VgpuError){.call = copy(&r->arena, call, strcspn(call, ". ")),
                                           .error = copy(&r->arena, error, strlen(error)),
                                           .code = number_behind(facts->head, "(error "),
                                           .file = facts->launch.file,
                                           .line = facts->launch.line};
}

static void take_report(VgpuReport *r, SanitizerFacts *facts)
{
    if (!facts->head)
        return;
    facts->at = facts->launch = facts->other = (SanitizerPlace){.function = "", .file = ""};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (begins_with(facts->head, rows[i].begins) && strstr(facts->head, rows[i].holds)) {
            facts->kind = rows[i].kind;
            facts->title = rows[i].title;
            take_finding(r, facts);
            return;
        }
    if (begins_with(facts->head, "Program hit cuda")) /* what the runtime asks the driver is its own affair */
        take_error(r, facts);
}

/* Reading a text ------------------------------------------------------------------------------- */

/* A text under way: the report whose lines are being read, and what has been seen of the end. */
typedef struct Reading {
    VgpuReport *r;
    SanitizerFacts facts;
    bool complete;
    const char *failure;
} Reading;

/* A line without its mark: one blank and a first line, or more and a line that belongs to it. */
static void take_line(Reading *in, const char *text)
{
    size_t blanks = strspn(text, " ");
    const char *line = text + blanks;
    if (blanks > 1) {
        if (in->facts.n_details < SANITIZER_DETAILS_MAX)
            in->facts.details[in->facts.n_details++] = line;
        return;
    }
    take_report(in->r, &in->facts);
    in->facts = (SanitizerFacts){.tool = in->facts.tool, .head = *line ? line : NULL};
    in->complete =
        in->complete || begins_with(line, "ERROR SUMMARY: ") || begins_with(line, "RACECHECK SUMMARY: ");
    if (begins_with(line, "Error: ") && !strstr(line, "Race reported") && !in->failure[0])
        in->failure = line + strlen("Error: ");
}

bool sanitizer_report_add(VgpuReport *r, SanitizerTool tool, const char *bytes, size_t length,
                          const char **why)
{
    if (length > SANITIZER_TEXT_MAX)
        length = SANITIZER_TEXT_MAX;
    Reading in = {.r = r, .facts = {.tool = tool}, .failure = ""};
    char *text = text_clean(&r->arena, bytes, length, SANITIZER_TEXT_MAX), *line;
    while (text && (line = strsep(&text, "\n")))
        if (begins_with(line, mark))
            take_line(&in, line + strlen(mark));
    take_report(r, &in.facts);
    *why = in.failure;
    return in.complete;
}

void sanitizer_report_add_failure(VgpuReport *r, SanitizerTool tool, const char *why)
{
    const char *word = tools[tool].word;
    const char *message =
        arena_printf(&r->arena, "%s gave no result (%s); what it would have found is not known", word,
                     why[0] ? why : "it ended before its summary");
    const char *text = message ? arena_printf(&r->arena, "advice: no-result: %s\n", message) : NULL;
    if (!text || r->n_findings == VGPU_REPORT_FINDINGS_MAX)
        return;
    Finding *f = &r->findings[r->n_findings++];
    finding_init(f);
    f->kind = "no-result";
    f->advice = true;
    f->count = 1;
    f->message = message;
    f->text = text;
}
