/* Runs every PTX file of test/ptx as ptx_case.h describes: with one job, with four, and with other orders of
 * blocks. */
#include "common/vgpu/exec/test/ptx_case.h"

#include "common/base/strbuf.h"
#include "common/vgpu/ptx/ptx.h"

#include <ctype.h>
#include <dirent.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const folder = "common/vgpu/exec/test/ptx";

/* ---- reading a case ---- */

static uint32_t word_of(const char *text, char **end)
{
    const char *p = text;
    char *stop;
    float f = strtof(p, &stop);
    if (*stop == 'f' && strpbrk(text, ".") && strpbrk(text, ".") < stop) {
        uint32_t bits;
        memcpy(&bits, &f, 4);
        *end = stop + 1;
        return bits;
    }
    return (uint32_t)strtoll(text, end, 0);
}

/* Adds the words that a token stands for: V, VxN, A..B, A..B/STEP. */
static void add_words(const char *token, uint32_t *words, size_t *n, size_t max)
{
    char *end;
    uint32_t first = word_of(token, &end);
    uint32_t last = first, step = 0;
    size_t count = 1;
    if (*end == 'x') {
        count = strtoul(end + 1, NULL, 0);
    } else if (strncmp(end, "..", 2) == 0) {
        last = word_of(end + 2, &end);
        step = *end == '/' ? (uint32_t)strtoul(end + 1, NULL, 0) : 1;
        count = (last - first) / step + 1;
    }
    for (size_t i = 0; i < count && *n < max; i++)
        words[(*n)++] = first + (uint32_t)i * step;
}

static uint32_t *read_words(char *value, size_t *n)
{
    enum { MAX = 1 << 16 };
    uint32_t *words = calloc(MAX, sizeof *words);
    *n = 0;
    for (char *token = strtok(value, " "); token; token = strtok(NULL, " "))
        add_words(token, words, n, MAX);
    return words;
}

static void add_param(PtxCase *c, uint64_t value, uint32_t bytes)
{
    c->n_params = (c->n_params + bytes - 1) / bytes * bytes;
    memcpy(c->params + c->n_params, &value, bytes);
    c->n_params += bytes;
}

static void add_memory(PtxCase *c, const char *kind, char *value)
{
    CaseMemory *m = &c->memories[c->n_memories++];
    m->kind = kind;
    m->written = -1;
    bool counted = strcmp(kind, "empty") == 0 || strcmp(kind, "freed") == 0;
    if (counted)
        m->n_words = strtoul(value, NULL, 0);
    else
        m->words = read_words(value, &m->n_words);
    m->host = calloc(m->n_words + 1, 4);
    add_param(c, 0, 8);
    m->param = c->n_params - 8;
}

static void read_dimensions(const char *value, uint32_t dim[3])
{
    dim[0] = dim[1] = dim[2] = 1;
    sscanf(value, "%u %u %u", &dim[0], &dim[1], &dim[2]);
}

static void add_print(PtxCase *c, const char *value)
{
    size_t n = strlen(c->prints);
    for (; *value && n + 1 < sizeof c->prints; value++) {
        bool escaped = *value == '\\' && value[1];
        value += escaped;
        c->prints[n++] = escaped && *value == 'n' ? '\n' : *value;
    }
    c->prints[n] = '\0';
}

/* Keys with a number of their own: "expect 0". */
static bool take_indexed(PtxCase *c, const char *key, char *value)
{
    unsigned k;
    if (sscanf(key, "expect %u", &k) == 1 && k < CASE_MEMORIES)
        c->memories[k].expect = read_words(value, &c->memories[k].n_expect);
    else if (sscanf(key, "written %u", &k) == 1 && k < CASE_MEMORIES)
        c->memories[k].written = atol(value);
    else
        return false;
    return true;
}

static bool take_memory(PtxCase *c, const char *key, char *value)
{
    static const char *const kinds[] = {"buffer", "empty", "freed", "constant", "pinned", "host"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(key, kinds[i]) != 0)
            continue;
        add_memory(c, kinds[i], value);
        return true;
    }
    return false;
}

static bool take_key(PtxCase *c, const char *key, char *value)
{
    if (strcmp(key, "kernel") == 0)
        snprintf(c->kernel, sizeof c->kernel, "%s", value);
    else if (strcmp(key, "grid") == 0)
        read_dimensions(value, c->grid);
    else if (strcmp(key, "block") == 0)
        read_dimensions(value, c->block);
    else if (strcmp(key, "dynamic") == 0)
        c->dynamic = (uint32_t)atol(value);
    else if (strcmp(key, "stack") == 0)
        c->stack = (uint32_t)atol(value);
    else if (strcmp(key, "limit") == 0)
        c->limit = strtoull(value, NULL, 0);
    else if (strcmp(key, "cooperative") == 0)
        c->cooperative = true;
    else if (strcmp(key, "order") == 0)
        c->fixed_order = true;
    else if (strcmp(key, "error") == 0)
        snprintf(c->error, sizeof c->error, "%s", value);
    else if (strcmp(key, "detail") == 0)
        snprintf(c->detail, sizeof c->detail, "%s", value);
    else if (strcmp(key, "fault") == 0)
        snprintf(c->faults[c->n_faults++ % CASE_FAULTS], sizeof c->faults[0], "%s", value);
    else if (strcmp(key, "prints") == 0)
        add_print(c, value);
    else if (strcmp(key, "u32") == 0)
        add_param(c, strtoull(value, NULL, 0), 4);
    else if (strcmp(key, "u64") == 0)
        add_param(c, strtoull(value, NULL, 0), 8);
    else if (strcmp(key, "instructions") == 0)
        c->instructions = strtoull(value, NULL, 0);
    else if (strcmp(key, "each") == 0)
        snprintf(c->each[c->n_each++ % CASE_EACH], sizeof c->each[0], "%s", value);
    else if (strcmp(key, "counts") == 0)
        return sscanf(value, "%15s %lu %lu", c->class, &c->warp_insts, &c->thread_insts) == 3;
    else
        return take_indexed(c, key, value) || take_memory(c, key, value);
    return true;
}

/* A line "// key: value" with a key of lower-case letters and digits; other comments are comments. */
static bool take_line(PtxCase *c, const char *line, size_t length, char *problem, size_t size)
{
    char copy[CASE_LINE];
    if (length < 3 || strncmp(line, "// ", 3) != 0 || length >= sizeof copy)
        return true;
    memcpy(copy, line + 3, length - 3);
    copy[length - 3] = '\0';
    char *colon = strchr(copy, ':');
    for (char *p = copy; colon && p < colon; p++)
        if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != ' ')
            return true;
    if (!colon || (colon[1] && colon[1] != ' '))
        return true;
    *colon = '\0';
    if (take_key(c, copy, colon[1] ? colon + 2 : colon + 1))
        return true;
    snprintf(problem, size, "unknown key \"%s\"", copy);
    return false;
}

bool case_read(const char *path, PtxCase *c, char *problem, size_t size)
{
    *c = (PtxCase){.grid = {1, 1, 1}, .block = {1, 1, 1}, .error = "OK"};
    FILE *f = fopen(path, "rb");
    c->text = calloc(1, CASE_TEXT);
    c->length = f ? fread(c->text, 1, CASE_TEXT - 1, f) : 0;
    if (f)
        fclose(f);
    for (const char *line = c->text; *line;) {
        size_t length = strcspn(line, "\n");
        if (!take_line(c, line, length, problem, size))
            return false;
        line += length + (line[length] == '\n');
    }
    snprintf(problem, size, "empty file");
    return c->length > 0;
}

void case_free(PtxCase *c)
{
    for (size_t i = 0; i < c->n_memories; i++) {
        free(c->memories[i].words);
        free(c->memories[i].host);
        free(c->memories[i].expect);
    }
    free(c->text);
}

/* ---- running it ---- */

static const char *const error_names[] = {
    "OK",         "ILLEGAL_ADDRESS", "MISALIGNED",  "INVALID_ADDRESS_SPACE",
    "INVALID_PC", "STACK_OVERFLOW",  "ASSERT",      "TRAP",
    "TIMEOUT",    "DEADLOCK",        "INTERRUPTED", "ILLEGAL_INSTRUCTION",
    "NO_MEMORY"};
static const char *const fault_names[] = {"OUT_OF_BOUNDS",   "FREED",          "NULL",
                                          "HOST_POINTER",    "WRONG_SPACE",    "MISALIGNED",
                                          "READ_ONLY",       "OTHER_DEVICE",   "BAD_CALL",
                                          "STACK",           "ASSERT",         "TRAP",
                                          "TIMEOUT",         "DEADLOCK",       "INTERRUPTED",
                                          "UNSUPPORTED",     "BARRIER_EXITED", "BARRIER_DIVERGENT",
                                          "SYNC_MASK",       "SHUFFLE_SOURCE", "SHUFFLE_UNNAMED",
                                          "MATRIX_ALIGNMENT"};
static const char *const access_names[] = {"load", "store", "atomic", "reduction"};

typedef struct SeenFault {
    ExecFault fault;
    uint32_t block[3], warp;
    char detail[1024];
} SeenFault;

typedef struct Run {
    PtxCase *c;
    Mem *mem;
    IrModule *module;
    IrInstance *instance;
    ExecResult result;
    pthread_mutex_t lock;
    SeenFault faults[CASE_FAULTS];
    size_t n_faults;
    StrBuf printed, problems;
    ExecCounts counts;
} Run;

static void see_fault(void *self, const ExecWho *who, const ExecFault *fault)
{
    Run *run = self;
    pthread_mutex_lock(&run->lock);
    SeenFault *seen = &run->faults[run->n_faults++ % CASE_FAULTS];
    seen->fault = *fault;
    seen->fault.addr = NULL;
    memcpy(seen->block, who->block, sizeof seen->block);
    seen->warp = who->warp;
    snprintf(seen->detail, sizeof seen->detail, "%s", fault->detail ? fault->detail : "");
    pthread_mutex_unlock(&run->lock);
}

static void see_counts(void *self, const ExecWho *who, const ExecCounts *counts)
{
    Run *run = self;
    (void)who;
    pthread_mutex_lock(&run->lock);
    for (int i = 0; i < EXEC_N_CLASSES; i++) {
        run->counts.warp_insts[i] += counts->warp_insts[i];
        run->counts.thread_insts[i] += counts->thread_insts[i];
    }
    pthread_mutex_unlock(&run->lock);
}

static void see_print(void *self, const char *text, size_t length)
{
    strbuf_append(&((Run *)self)->printed, text, length);
}

static uint64_t heap_alloc(void *self, uint64_t bytes, uint64_t site)
{
    MemAlloc *a = mem_alloc(((Run *)self)->mem, bytes, MEM_HEAP, site, NULL);
    return a ? a->addr : 0;
}

static bool heap_free(void *self, uint64_t addr)
{
    return mem_free(((Run *)self)->mem, addr, 0) == STATUS_OK;
}

static void place_memories(Run *run)
{
    PtxCase *c = run->c;
    for (size_t i = 0; i < c->n_memories; i++) {
        CaseMemory *m = &c->memories[i];
        uint64_t bytes = m->n_words ? m->n_words * 4 : 4;
        MemKind kind = strcmp(m->kind, "constant") == 0 ? MEM_CONST_VAR : MEM_DEVICE;
        m->alloc = NULL;
        if (strcmp(m->kind, "host") == 0 || strcmp(m->kind, "pinned") == 0)
            m->addr = (uint64_t)(uintptr_t)memcpy(m->host, m->words, bytes);
        if (strcmp(m->kind, "pinned") == 0)
            m->alloc = mem_register(run->mem, m->host, bytes, MEM_PINNED, 0);
        else if (strcmp(m->kind, "host") != 0)
            m->alloc = mem_alloc(run->mem, bytes, kind, 0, NULL);
        if (m->alloc && m->words && m->alloc->host != (uint8_t *)m->host) {
            memcpy(m->alloc->host, m->words, m->n_words * 4);
            mem_mark_init(m->alloc, m->alloc->addr, m->n_words * 4, true);
        }
        m->addr = m->alloc ? m->alloc->addr : m->addr;
        if (strcmp(m->kind, "freed") == 0)
            mem_free(run->mem, m->addr, 0);
        memcpy(c->params + m->param, &m->addr, 8);
    }
}

static Status load_module(Run *run, Diag *diag)
{
    PtxModule *ptx = NULL;
    Status s = ptx_parse(run->c->text, run->c->length, "test.ptx", &ptx, diag);
    if (s == STATUS_OK)
        s = ir_decode(&ptx, 1, &run->module, diag);
    ptx_module_free(ptx);
    if (s != STATUS_OK)
        return s;
    exec_bind(run->module, NULL);
    uint64_t *places = calloc(run->module->n_globals + 1u, sizeof *places);
    MemAlloc **allocs = calloc(run->module->n_globals + 1u, sizeof *allocs);
    for (uint32_t i = 0; i < run->module->n_globals; i++) {
        const IrGlobal *g = &run->module->globals[i];
        if (g->space == SPACE_SHARED || !g->bytes)
            continue;
        allocs[i] = mem_alloc(run->mem, g->bytes, g->space == SPACE_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR, 0,
                              g->name);
        places[i] = allocs[i]->addr;
    }
    s = ir_instantiate(run->module, places, &run->instance);
    for (uint32_t i = 0; s == STATUS_OK && i < run->module->n_globals; i++) {
        if (!allocs[i])
            continue;
        memset(allocs[i]->host, 0, allocs[i]->bytes);
        ir_global_init(run->instance, i, allocs[i]->host);
        mem_mark_init(allocs[i], allocs[i]->addr, allocs[i]->bytes, true);
    }
    free(places);
    free(allocs);
    return s;
}

static uint32_t find_kernel(const Run *run)
{
    if (run->c->kernel[0])
        return (uint32_t)ir_find_function(run->module, run->c->kernel);
    uint32_t i = 0;
    while (!run->module->functions[i].is_entry)
        i++;
    return i;
}

static void launch(Run *run, unsigned jobs, uint64_t seed)
{
    PtxCase *c = run->c;
    ExecHost host = {.self = run, .print = see_print, .heap_alloc = heap_alloc, .heap_free = heap_free};
    ExecObserver observer = {.self = run, .fault = see_fault, .retired = see_counts};
    MemAlloc *workspace = mem_alloc(run->mem, 16, MEM_INTERNAL, 0, NULL);
    memset(workspace->host, 0, 16);
    ExecLaunch l = {.instance = run->instance,
                    .function = find_kernel(run),
                    .grid = {c->grid[0], c->grid[1], c->grid[2]},
                    .block = {c->block[0], c->block[1], c->block[2]},
                    .dynamic_shared = c->dynamic,
                    .params = c->params,
                    .mem = run->mem,
                    .cooperative = c->cooperative,
                    .grid_workspace = workspace->addr,
                    .seed = seed,
                    .max_instructions = c->limit,
                    .stack_limit = c->stack,
                    .jobs = jobs,
                    .host = &host,
                    .observers = &observer,
                    .n_observers = 1};
    exec_launch(&l, &run->result);
}

/* ---- comparing ---- */

static void problem(Run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void problem(Run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_puts(&run->problems, "#   ");
    strbuf_vprintf(&run->problems, format, args);
    strbuf_puts(&run->problems, "\n");
    va_end(args);
}

static void compare_memory(Run *run, size_t k)
{
    const CaseMemory *m = &run->c->memories[k];
    for (size_t i = 0; i < m->n_expect; i++) {
        uint32_t got;
        memcpy(&got, m->alloc->host + 4 * i, 4);
        if (got == m->expect[i])
            continue;
        problem(run, "memory %zu word %zu: expected %d (0x%x), got %d (0x%x)", k, i, (int)m->expect[i],
                m->expect[i], (int)got, got);
        return;
    }
    if (m->written >= 0) {
        uint64_t first = mem_first_uninit(m->alloc, m->alloc->addr, m->alloc->bytes);
        if (first != (uint64_t)m->written)
            problem(run, "memory %zu: expected first byte not written %ld, got %lu", k, m->written, first);
    }
}

static bool same_number(const char *text, const char *key, uint64_t value, char *why, size_t size)
{
    char found[32];
    snprintf(found, sizeof found, " %s ", key);
    const char *at = strstr(text, found);
    if (!at || strtoull(at + strlen(found), NULL, 0) == value)
        return true;
    snprintf(why, size, "%s is 0x%lx", key, value);
    return false;
}

static bool same_fault(const Run *run, const char *text, const SeenFault *s, char *why, size_t size)
{
    const char *name = fault_names[s->fault.kind];
    unsigned k, thread[3];
    int offset;
    snprintf(why, size, "it is %s", name);
    if (strncmp(text, name, strlen(name)) != 0 || (text[strlen(name)] && text[strlen(name)] != ' '))
        return false;
    bool same = same_number(text, "block", s->block[0], why, size) &&
                same_number(text, "warp", s->warp, why, size) &&
                same_number(text, "lane", s->fault.lane, why, size) &&
                same_number(text, "mask", s->fault.mask, why, size) &&
                same_number(text, "bytes", s->fault.bytes, why, size);
    const char *at = strstr(text, " at "), *of = strstr(text, " thread "), *access = strstr(text, " access ");
    if (same && at && sscanf(at, " at %u+%d", &k, &offset) == 2 &&
        s->fault.address != run->c->memories[k].addr + (uint64_t)(int64_t)offset) {
        snprintf(why, size, "address is %ld from there", (long)(s->fault.address - run->c->memories[k].addr));
        return false;
    }
    if (same && of && sscanf(of, " thread %u %u %u", &thread[0], &thread[1], &thread[2]) == 3 &&
        memcmp(thread, s->fault.thread, sizeof thread) != 0) {
        snprintf(why, size, "thread is %u %u %u", s->fault.thread[0], s->fault.thread[1], s->fault.thread[2]);
        return false;
    }
    if (same && access &&
        strncmp(access + 8, access_names[s->fault.access], strlen(access_names[s->fault.access])) != 0) {
        snprintf(why, size, "access is %s", access_names[s->fault.access]);
        return false;
    }
    return same;
}

static void compare_faults(Run *run)
{
    const PtxCase *c = run->c;
    char why[128];
    if (run->n_faults != c->n_faults)
        problem(run, "expected %zu faults, got %zu (first: %s %s)", c->n_faults, run->n_faults,
                run->n_faults ? fault_names[run->faults[0].fault.kind] : "none",
                run->n_faults ? run->faults[0].detail : "");
    for (size_t i = 0; i < c->n_faults && i < run->n_faults; i++)
        if (!same_fault(run, c->faults[i], &run->faults[i], why, sizeof why))
            problem(run, "expected fault %s, but %s", c->faults[i], why);
    if (c->detail[0] && run->n_faults && !strstr(run->faults[run->n_faults - 1].detail, c->detail))
        problem(run, "expected detail \"%s\", got \"%s\"", c->detail, run->faults[run->n_faults - 1].detail);
}

static void compare(Run *run)
{
    const PtxCase *c = run->c;
    const char *printed = run->printed.text ? run->printed.text : "";
    if (strcmp(c->error, error_names[run->result.error]) != 0)
        problem(run, "expected error %s, got %s (%s)", c->error, error_names[run->result.error],
                run->result.diag.message);
    compare_faults(run);
    if (strcmp(c->prints, printed) != 0)
        problem(run, "expected output <%s>, got <%s>", c->prints, printed);
    for (size_t i = 0; i < c->n_memories; i++)
        compare_memory(run, i);
    if (c->instructions && c->instructions != run->result.instructions)
        problem(run, "expected %lu instructions, got %lu", c->instructions, run->result.instructions);
    static const char *const classes[PTX_N_CLASSES] = {"arith",  "float",   "special", "memory",
                                                       "atomic", "control", "sync",    "warp",
                                                       "tensor", "texture", "misc"};
    for (int i = 0; c->class[0] && i < PTX_N_CLASSES; i++) {
        bool this = strcasecmp(c->class, classes[i]) == 0;
        if (this &&
            (run->counts.warp_insts[i] != c->warp_insts || run->counts.thread_insts[i] != c->thread_insts))
            problem(run, "%s: expected %lu %lu, got %lu %lu", c->class, c->warp_insts, c->thread_insts,
                    run->counts.warp_insts[i], run->counts.thread_insts[i]);
    }
}

static void run_case(PtxCase *c, unsigned jobs, uint64_t seed, StrBuf *problems)
{
    Run run = {.c = c};
    Diag diag = {0};
    pthread_mutex_init(&run.lock, NULL);
    if (mem_create(0, (uint64_t)64 << 20, 3, &run.mem) != STATUS_OK ||
        load_module(&run, &diag) != STATUS_OK) {
        problem(&run, "not loaded: line %d: %s", diag.line, diag.message);
    } else {
        place_memories(&run);
        launch(&run, jobs, seed);
        compare(&run);
    }
    if (run.problems.length)
        strbuf_printf(problems, "# with %u jobs and seed %lu:\n%s", jobs, seed, run.problems.text);
    ir_instance_free(run.instance);
    ir_module_free(run.module);
    mem_destroy(run.mem);
    strbuf_free(&run.printed);
    strbuf_free(&run.problems);
    pthread_mutex_destroy(&run.lock);
}

static void run_orders(PtxCase *c, StrBuf *problems)
{
    run_case(c, 1, 0, problems);
    run_case(c, 4, 0, problems);
    if (!c->fixed_order) {
        run_case(c, 1, 12345, problems);
        run_case(c, 3, 67890, problems);
    }
}

/* The case with one text in place of each word EACH. */
static void run_with(const PtxCase *c, const char *text, StrBuf *problems)
{
    static const char word[] = "EACH";
    StrBuf whole = {0};
    const char *from = c->text;
    for (const char *at; (at = strstr(from, word)); from = at + strlen(word)) {
        strbuf_append(&whole, from, (size_t)(at - from));
        strbuf_puts(&whole, text);
    }
    strbuf_puts(&whole, from);
    PtxCase one = *c;
    one.text = whole.text;
    one.length = whole.length;
    size_t before = problems->length;
    run_orders(&one, problems);
    if (problems->length > before)
        strbuf_printf(problems, "# with %s\n", text);
    strbuf_free(&whole);
}

static bool run_file(const char *name, int number)
{
    static PtxCase c;
    char path[512], why[256] = "";
    StrBuf problems = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!case_read(path, &c, why, sizeof why))
        strbuf_printf(&problems, "# %s\n", why);
    else if (!c.n_each)
        run_orders(&c, &problems);
    for (size_t i = 0; i < c.n_each; i++)
        run_with(&c, c.each[i], &problems);
    bool ok = problems.length == 0;
    printf("%s %d - %s\n%s", ok ? "ok" : "not ok", number, name, ok ? "" : problems.text);
    fflush(stdout);
    strbuf_free(&problems);
    case_free(&c);
    return ok;
}

static int is_ptx(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".ptx") == 0;
}

/* With arguments: only the files named. */
int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    int n = argc > 1 ? argc - 1 : scandir(folder, &entries, is_ptx, alphasort), failed = 0;
    printf("1..%d\n", n);
    for (int i = 0; i < n; i++)
        failed += !run_file(argc > 1 ? argv[i + 1] : entries[i]->d_name, i + 1);
    for (int i = 0; entries && i < n; i++)
        free(entries[i]);
    free(entries);
    return failed || n <= 0;
}
