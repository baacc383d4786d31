/* Every instruction form of alu_cases.def gives what hardware gave, bit for bit, in every variant and under
 * every mask. */
#include "common/vgpu/exec/test/alu_harness.h"
#include "common/vgpu/exec/test/alu_inputs.h"

typedef struct Case {
    const char *text, *dst, *sources;
    AluInputs inputs;
    uint64_t hash;
} Case;

static const Case cases[] = {
#define X(text, dst, sources, inputs, hash) {text, dst, sources, INPUTS_##inputs, hash},
#include "common/vgpu/exec/test/alu_cases.def"
#undef X
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* "b32" and 1 -> "%r1" */
static void name_register(const char *type, int i, char *buf, size_t size)
{
    const char letter = strncmp(type, "b64", 3) == 0   ? 'd'
                        : strncmp(type, "b32", 3) == 0 ? 'r'
                        : strncmp(type, "b16", 3) == 0 ? 'h'
                        : strncmp(type, "f32", 3) == 0 ? 'f'
                        : strncmp(type, "f64", 3) == 0 ? 'e'
                                                       : 'p';
    snprintf(buf, size, "%%%c%d", letter, i);
}

/* The instruction with registers: sources are numbered 0 to 3, the result 5, its predicate 6. */
static void write_instruction(const Case *c, char *buf, size_t size)
{
    const char *immediate = strchr(c->text, ' ');
    const int name_length = immediate ? (int)(immediate - c->text) : (int)strlen(c->text);
    char reg[16];
    name_register(c->dst, 5, reg, sizeof reg);
    int n = snprintf(buf, size, "%.*s %s%s", name_length, c->text, reg, strchr(c->dst, '|') ? "|%p6" : "");
    int i = 0;
    for (const char *type = c->sources; *type; i++) {
        name_register(type, i, reg, sizeof reg);
        n += snprintf(buf + n, size - (size_t)n, ", %s", reg);
        type += strcspn(type, " ");
        type += *type == ' ';
    }
    if (immediate)
        snprintf(buf + n, size - (size_t)n, ",%s", immediate);
}

static void load_warp(Harness *h, uint64_t rows[][4], int first)
{
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < WARP_LANES; lane++)
            harness_set(h, &h->inst->src[i], lane, rows[first + lane][i]);
}

/* Runs the case in one variant under a full mask; its results, in order. */
static bool run_full(Harness *h, const Case *c, AluVariant v, uint64_t rows[][4], uint64_t *results)
{
    const IrHandler handler = harness_handler(h, v, c->text);
    if (!handler)
        return false;
    for (int first = 0; first < ALU_N_INPUTS; first += WARP_LANES) {
        load_warp(h, rows, first);
        harness_poison_results(h);
        handler(&h->warp, h->inst, FULL_MASK);
        for (int lane = 0; lane < WARP_LANES; lane++)
            results[first + lane] = harness_result(h, lane);
    }
    return true;
}

/* Lanes of the mask get what they got before, the others keep what was there. */
static bool partial_mask_holds(Harness *h, const Case *c, AluVariant v, uint32_t mask, uint64_t rows[][4],
                               const uint64_t *full)
{
    const IrHandler handler = harness_handler(h, v, c->text);
    for (int first = 0; first < 4 * WARP_LANES; first += WARP_LANES) {
        load_warp(h, rows, first);
        harness_poison_results(h);
        const uint64_t untouched = harness_result(h, 0);
        handler(&h->warp, h->inst, mask);
        for (int lane = 0; lane < WARP_LANES; lane++) {
            const uint64_t want = mask >> lane & 1 ? full[first + lane] : untouched;
            if (harness_result(h, lane) == want)
                continue;
            print_error("%s: variant %d, mask %08x, lane %d: wanted %llx, got %llx\n", c->text, v, mask, lane,
                        (unsigned long long)want, (unsigned long long)harness_result(h, lane));
            return false;
        }
    }
    return true;
}

/* One case in all variants; whether all went well. */
static bool check_case(const Case *c)
{
    static const uint32_t masks[] = {0x00000001, 0x80000000, 0x0FF0A5C3, 0x7FFFFFFF};
    static uint64_t rows[ALU_N_INPUTS][4], results[ALU_N_INPUTS];
    char body[256];
    Harness h;
    write_instruction(c, body, sizeof body);
    alu_make_inputs(c->inputs, rows);
    if (!harness_decode(&h, body))
        return false;
    const bool across_lanes = exec_lanes_handler(h.inst) != NULL; /* test_lanes.c has their masks */
    bool good = true;
    for (AluVariant v = ALU_BASE; v < ALU_N_VARIANTS && good; v++) {
        if (!alu_variant_usable(v))
            continue;
        good = run_full(&h, c, v, rows, results);
        if (good && alu_hash(results, ALU_N_INPUTS) != c->hash) {
            print_error("%s: variant %d differs from hardware somewhere\n", c->text, v);
            good = false;
        }
        for (size_t i = 0; i < sizeof masks / sizeof masks[0] && good && !across_lanes; i++)
            good = partial_mask_holds(&h, c, v, masks[i], rows, results);
    }
    harness_free(&h);
    return good;
}

static void every_case_gives_what_hardware_gave(void **state)
{
    (void)state;
    int failed = 0;
    for (int i = 0; i < N_CASES; i++)
        failed += !check_case(&cases[i]);
    assert_int_equal(failed, 0);
}

/* A row of the tables that no case reaches is a row without a test. */
static void every_row_has_a_case(void **state)
{
    (void)state;
    size_t n;
    int missing = 0;
    const AluRow *rows = alu_rows(ALU_BASE, &n);
    for (size_t i = 0; i < n; i++) {
        if (harness_row_seen[i] || row_is_by_hand(&rows[i]))
            continue;
        print_error("no case for row %s\n", rows[i].name);
        missing++;
    }
    assert_int_equal(missing, 0);
}

/* What the recorded hashes rest on: a changed bit of any result changes the hash. */
static void hash_notices_one_bit(void **state)
{
    (void)state;
    uint64_t results[ALU_N_INPUTS] = {0};
    const uint64_t before = alu_hash(results, ALU_N_INPUTS);
    results[ALU_N_INPUTS - 1] ^= (uint64_t)1 << 63;
    assert_true(alu_hash(results, ALU_N_INPUTS) != before);
}

/* ---- what is parsed is executed or refused ---- */

static bool is_refused(const char *body)
{
    Harness h;
    Diag diag = {0};
    if (!harness_try(&h, body, &diag))
        return true;
    bool refused = false;
    for (uint32_t i = 0; i < h.module->functions[0].n_insts; i++)
        refused |= h.module->functions[0].insts[i].opcode == PTX_UNSUPPORTED;
    harness_free(&h);
    return refused;
}

static bool is_name_char(char c)
{
    return c == '_' || c == '%' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* The text with `what` before or behind its k-th operand, which is a register or a symbol; false: it has no k-th one. */
static bool change_operand(const char *body, int k, const char *before, const char *behind, char *out, size_t size)
{
    int brackets = 0;
    for (const char *at = strchr(body, ' '); at && *at; at++) {
        brackets += (*at == '[') - (*at == ']');
        if (is_name_char(at[-1]) || !is_name_char(*at) || (*at >= '0' && *at <= '9') || brackets)
            continue;
        const char *end = at;
        while (is_name_char(*end))
            end++;
        if (k-- == 0) {
            snprintf(out, size, "%.*s%s%.*s%s%s", (int)(at - body), body, before, (int)(end - at), at, behind, end);
            return true;
        }
        at = end - 1;
    }
    return false;
}

/* Each operand outside of brackets as a sum, and each that is no predicate negated: nothing executes that. */
static int check_mutants(const char *body)
{
    char mutant[320];
    int wrong = 0;
    if (is_refused(body)) {
        print_error("%s: is refused as it stands\n", body);
        return 1;
    }
    for (int k = 0; change_operand(body, k, "", " + 1", mutant, sizeof mutant); k++)
        if (!is_refused(mutant) && ++wrong)
            print_error("%s: is not refused\n", mutant);
    for (int k = 0; change_operand(body, k, "!", "", mutant, sizeof mutant); k++)
        if (!strstr(mutant, "!%p") && !is_refused(mutant) && ++wrong)
            print_error("%s: is not refused\n", mutant);
    return wrong;
}

/* Forms that are not among the arithmetic ones. */
static const char *const other_forms[] = {
    "st.global.u32 [%d0], %r1",
    "st.global.u32 [%d0+4], %r1",
    "st.global.v2.u32 [%d0], {%r1, %r2}",
    "st.shared.u16 [%r0], %h1",
    "ld.global.u32 %r1, [%d0]",
    "ld.global.L2::cache_hint.u32 %r1, [%d0], %d1",
    "ld.global.v4.f32 {%f0, %f1, %f2, _}, [%d0+16]",
    "mov.u32 %r1, %tid.x",
    "mov.u64 %d1, %clock64",
    "mov.b64 %d1, {%r0, %r1}",
    "mov.b64 {%r0, %r1}, %d1",
    "add.u32 %r1, %r2, %laneid",
    "cvta.to.global.u64 %d1, %d2",
    "atom.global.add.u32 %r1, [%d0], %r2",
    "atom.global.cas.b32 %r1, [%d0], %r2, %r3",
    "atom.global.add.L2::cache_hint.u32 %r1, [%d0], %r2, %d1",
    "red.shared.add.u32 [%r0], %r1",
    "bar.sync %r0, %r1",
    "bar.red.popc.u32 %r1, 0, %p0",
    "bar.warp.sync %r0",
    "vote.sync.ballot.b32 %r1, %p0, %r2",
    "selp.b32 %r1, %r2, %r3, %p0",
    "setp.lt.and.s32 %p1|%p2, %r0, %r1, %p3",
    "nanosleep.u32 %r0",
    "isspacep.shared %p0, %d0",
    "match.all.sync.b32 %r1|%p0, %r2, %r3",
};

/* An operand that is of no effect has its kind all the same. */
static const char *const no_hints[] = {
    "ld.global.u32 %r1, [%d0], %r2",
    "ld.global.u32 %r1, [%d0], %tid.x",
    "st.global.u32 [%d0], %r1, %r2",
    "atom.global.add.u32 %r1, [%d0], %r2, %r3",
    "red.global.add.u32 [%d0], %r1, 5",
};

static void parts_of_operands_are_executed_or_refused(void **state)
{
    (void)state;
    int wrong = 0;
    char body[256];
    for (int i = 0; i < N_CASES; i++) {
        write_instruction(&cases[i], body, sizeof body);
        wrong += check_mutants(body);
    }
    for (size_t i = 0; i < sizeof other_forms / sizeof *other_forms; i++)
        wrong += check_mutants(other_forms[i]);
    for (size_t i = 0; i < sizeof no_hints / sizeof *no_hints; i++)
        if (!is_refused(no_hints[i]) && ++wrong)
            print_error("%s: is not refused\n", no_hints[i]);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_gives_what_hardware_gave),
        cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(hash_notices_one_bit),
        cmocka_unit_test(parts_of_operands_are_executed_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
