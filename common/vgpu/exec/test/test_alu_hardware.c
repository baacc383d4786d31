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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_gives_what_hardware_gave),
        cmocka_unit_test(every_row_has_a_case),
        cmocka_unit_test(hash_notices_one_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
