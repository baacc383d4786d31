/* Findings as text and JSON, against golden files in test/golden (BLESS=1 writes them anew; read the diff).
 */
#include "common/vgpu/check/test/rig.h"

static void look_up(FindingSite *site)
{
    static const char *const functions[] = {"main", "run_case", ""};
    if (site->token != 0 && site->token != 999)
        *site = (FindingSite){site->token, "driver.cu", functions[site->token % 3], (uint32_t)site->token};
}

/* A finding whose host places have been looked up. */
static Finding complete(const Finding *f)
{
    Finding c = *f;
    look_up(&c.site);
    look_up(&c.alloc_site);
    look_up(&c.free_site);
    look_up(&c.other_site);
    return c;
}

static const char *source_line(void *self, const char *file, uint32_t line)
{
    (void)self;
    if (strcmp(file, "k.cu") != 0)
        return NULL;
    return line == 101 ? "    c[i] = a[i] + b[i];" : line == 102 ? "\tsum += tile[threadIdx.x + 1];" : NULL;
}

/* Where mem places allocations is its own affair: addresses near `base` become "<base + offset>". */
static void without_base(const char *text, uint64_t base, StrBuf *out)
{
    for (const char *p = text; *p;) {
        char *end = NULL;
        uint64_t n = strncmp(p, "0x", 2) == 0 ? strtoull(p, &end, 16) : 0;
        if (end && n >= base && n < base + (1 << 20)) {
            strbuf_printf(out, "<base + %llu>", (unsigned long long)(n - base));
            p = end;
        } else {
            strbuf_append(out, p++, 1);
        }
    }
}

static void compare_finding_texts(const char *name, const Rig *r, const StrBuf *raw)
{
    StrBuf stable = {0}, *got = &stable;
    without_base(raw->text, mem_at(r->mem, 0)->addr, &stable);
    char path[512];
    const char *kit = getenv("KIT");
    snprintf(path, sizeof path, "%s/common/vgpu/check/test/golden/%s", kit ? kit : ".", name);
    if (getenv("BLESS")) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fwrite(got->text, 1, got->length, out);
        fclose(out);
    }
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("cannot read %s", path);
    static char wanted[1 << 16];
    wanted[fread(wanted, 1, sizeof wanted - 1, in)] = '\0';
    fclose(in);
    assert_string_equal(got->text, wanted);
    strbuf_free(&stable);
}

/* One of each kind that has a text of its own. */
static Rig *make_findings(void)
{
    Rig *r = rig_new(CHECK_ALL, 1);
    MemAlloc *a = mem_alloc(r->mem, 4000, MEM_DEVICE, 31, NULL),
             *gone = mem_alloc(r->mem, 512, MEM_DEVICE, 32, NULL);
    MemAlloc *var = mem_alloc(r->mem, 64, MEM_GLOBAL_VAR, 0, "table");
    uint64_t gone_addr = gone->addr, unknown = mem_alloc(r->mem, 128, MEM_DEVICE, 999, NULL)->addr;
    mem_free(r->mem, gone_addr, 40);
    check_set_launch_site(r->set, 42);
    rig_begin(r, 4, 256);
    rig_block(r, 3, 0);
    rig_fault(r, 1, 7,
              (ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                          .access = ACCESS_STORE,
                          .space = SPACE_GLOBAL,
                          .bytes = 4,
                          .lane = 8,
                          .mask = 0xFFFFFF00u,
                          .thread = {232, 0, 0},
                          .address = a->addr + 4000});
    rig_fault(
        r, 3, 0,
        (ExecFault){
            .kind = FAULT_FREED, .space = SPACE_GLOBAL, .bytes = 8, .mask = 1, .address = gone_addr + 16});
    rig_fault(r, 4, 0,
              (ExecFault){.kind = FAULT_HOST_POINTER,
                          .space = SPACE_GLOBAL,
                          .bytes = 4,
                          .mask = 1,
                          .address = 0x7ffc12345678});
    rig_fault(
        r, 5, 0,
        (ExecFault){
            .kind = FAULT_MISALIGNED, .space = SPACE_GLOBAL, .bytes = 16, .mask = 1, .address = a->addr + 4});
    rig_fault(r, 6, 0,
              (ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                          .space = SPACE_SHARED,
                          .bytes = 4,
                          .mask = 1,
                          .address = RIG_SHARED + 8});
    rig_fault(r, 7, 0,
              (ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                          .space = SPACE_GLOBAL,
                          .bytes = 1,
                          .mask = 1,
                          .address = var->addr - 1});
    rig_fault(r, 8, 0, (ExecFault){.kind = FAULT_ASSERT, .mask = 2, .thread = {1, 0, 0}, .detail = "i < n"});
    rig_fault(r, 9, 0, (ExecFault){.kind = FAULT_BARRIER_EXITED, .mask = 1});
    rig_fault(r, 10, 0,
              (ExecFault){.kind = FAULT_OUT_OF_BOUNDS,
                          .space = SPACE_GLOBAL,
                          .bytes = 4,
                          .mask = 1,
                          .address = unknown + 160});
    rig_access(r, LOAD(.space = SPACE_GLOBAL, .alloc = a, .inst = 11, .mask = 1, .base = a->addr + 400));
    rig_access(r, STORE(.space = SPACE_SHARED, .inst = 1, .warp = 0, .stride = 4));
    rig_access(r, LOAD(.space = SPACE_SHARED, .inst = 2, .warp = 1, .stride = 4));
    rig_access(r,
               (RigAccess){.kind = ACCESS_STORE, .space = SPACE_SHARED, .inst = 12, .base = 512, .value = 1});
    rig_block_end(r);
    rig_end(r);
    check_bad_free(r->set, gone_addr, mem_find_nearest(r->mem, gone_addr), 50);
    check_bad_free(r->set, 0x7ffc00000000, NULL, 999);
    check_advise(r->set, NULL, 0, 51, "cudaMemcpyAsync from pageable memory waits until the copy is staged",
                 "allocate with cudaMallocHost");
    check_leaks(r->set, r->mem);
    return r;
}

static void text(void **state)
{
    (void)state;
    FindingLookup lookup = {.source_line = source_line};
    StrBuf b = {0};
    Rig *r = make_findings();
    for (size_t i = 0; check_finding(r->set, i); i++) {
        Finding f = complete(check_finding(r->set, i));
        finding_text(&f, &lookup, &b);
        strbuf_puts(&b, "\n");
    }
    compare_finding_texts("text.txt", r, &b);
    strbuf_free(&b);
    rig_free(r);
}

static void json(void **state)
{
    (void)state;
    StrBuf b = {0};
    Rig *r = make_findings();
    for (size_t i = 0; check_finding(r->set, i); i++) {
        Finding f = complete(check_finding(r->set, i));
        StrBuf said = {0};
        finding_text(&f, NULL, &said);
        f.text = said.text;
        finding_write(&f, FINDING_REPORT, &b);
        strbuf_free(&said);
        strbuf_puts(&b, "\n");
    }
    compare_finding_texts("json.txt", r, &b);
    strbuf_free(&b);
    rig_free(r);
}

/* Colour adds escapes and no words; without a lookup nothing is resolved and nothing breaks. */
static void color_and_no_lookup(void **state)
{
    (void)state;
    Rig *r = make_findings();
    FindingLookup lookup = {.color = true};
    StrBuf plain = {0}, colored = {0}, stripped = {0};
    for (size_t i = 0; check_finding(r->set, i); i++) {
        finding_text(check_finding(r->set, i), NULL, &plain);
        finding_text(check_finding(r->set, i), &lookup, &colored);
    }
    for (const char *p = colored.text; *p;) {
        if (*p == '\033')
            p += strcspn(p, "m") + 1;
        else
            strbuf_append(&stripped, p++, 1);
    }
    assert_true(colored.length > plain.length);
    assert_string_equal(stripped.text, plain.text);
    strbuf_free(&plain);
    strbuf_free(&colored);
    strbuf_free(&stripped);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),
        cmocka_unit_test(json),
        cmocka_unit_test(color_and_no_lookup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
