/* Slices of random kernels, judged by force: the result of each instruction in turn is made wrong while the
 * kernel runs. What comes out different then must be of a store whose slice has the instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/vgpu/exec/exec_internal.h"
#include "common/vgpu/fuzz/kernels/kernels.h"
#include "common/vgpu/ir/ir_internal.h"
#include "common/vgpu/ir/slice.h"

#include <stdlib.h>
#include <string.h>

enum { KERNELS = 60, THREADS = 64, INSTRUCTIONS_MAX = 200000, GLOBALS_MAX = 8 };
enum { OUT_WORDS = THREADS * KERNEL_OUT_BYTES / 4, WORDS = OUT_WORDS + KERNEL_SUM_BYTES / 4 };

typedef struct Case {
    PtxModule *ptx;
    IrModule *module;
    IrTree tree;
    uint8_t **slices; /* [pc], NULL: not asked for */
} Case;

/* The sites that stored to a word, as bits of the kernel's pcs. */
typedef struct Run {
    ExecError error;
    uint32_t words[WORDS];
    uint8_t *sites[WORDS];
    const Case *of;
    uint64_t out, sum;
} Run;

/* ---- an instruction that errs ---- */

static IrHandler right; /* the handler of the one that errs */

static void err(ExecWarp *w, const IrOperand *o, uint32_t mask)
{
    if (o->kind != IR_REG)
        return;
    uint8_t *at = (uint8_t *)warp_dst(w, o);
    if (o->bytes == 0) {
        *(uint32_t *)(void *)at ^= mask;
        return;
    }
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (mask >> lane & 1)
            at[lane * (o->bytes == 16 ? 8 : o->bytes)] ^= 0x15;
}

static void wrong(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    right(w, inst, mask);
    if (w->action != ACTION_NONE || w->next_pc != w->pc + 1)
        return;
    err(w, &inst->dst, mask);
    err(w, &inst->dst2, mask);
    for (uint32_t i = 0; i < ir_vec_dests(inst); i++)
        err(w, &inst->vec[i], mask);
}

static bool has_result(const IrInst *in)
{
    return in->dst.kind == IR_REG || in->dst2.kind == IR_REG || ir_vec_dests(in) > 0;
}

/* ---- running ---- */

static void on_access(void *self, const ExecWho *who, const ExecAccess *a)
{
    Run *r = self;
    if (a->kind == ACCESS_LOAD || a->space != SPACE_GLOBAL)
        return;
    uint32_t pc = ir_tree_base(&r->of->tree, who->function) + (uint32_t)(who->inst - who->function->insts);
    for (int lane = 0; lane < WARP_LANES; lane++)
        for (uint32_t k = 0; k < a->bytes && a->mask >> lane & 1; k += a->bytes < 4 ? a->bytes : 4) {
            uint64_t at = a->addr[lane] + k;
            size_t word = at - r->out < OUT_WORDS * 4u     ? (at - r->out) / 4
                          : at - r->sum < KERNEL_SUM_BYTES ? OUT_WORDS + (at - r->sum) / 4
                                                           : WORDS;
            if (word < WORDS)
                r->sites[word][pc / 8] |= (uint8_t)(1u << pc % 8);
        }
}

static IrInstance *instantiate(const IrModule *m, Mem *mem)
{
    uint64_t places[GLOBALS_MAX] = {0};
    MemAlloc *allocs[GLOBALS_MAX] = {NULL};
    IrInstance *instance;
    assert_in_range(m->n_globals, 0, GLOBALS_MAX);
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (m->globals[i].space == SPACE_CONST) {
            allocs[i] = mem_alloc(mem, m->globals[i].bytes, MEM_CONST_VAR, 0, m->globals[i].name);
            memset(allocs[i]->host, 0, allocs[i]->bytes);
            places[i] = allocs[i]->addr;
        }
    assert_int_equal(STATUS_OK, ir_instantiate(m, places, &instance));
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (allocs[i])
            ir_global_init(instance, i, allocs[i]->host);
    return instance;
}

static void run(const Case *c, Mem *mem, Run *r)
{
    MemAlloc *in = mem_alloc(mem, KERNEL_IN_BYTES, MEM_DEVICE, 0, NULL),
             *out = mem_alloc(mem, OUT_WORDS * 4, MEM_DEVICE, 0, NULL),
             *sum = mem_alloc(mem, KERNEL_SUM_BYTES, MEM_DEVICE, 0, NULL);
    IrInstance *instance = instantiate(c->module, mem);
    for (uint32_t i = 0; i < KERNEL_IN_BYTES / 4; i++)
        ((uint32_t *)(void *)in->host)[i] = i % 7 ? (uint32_t)rng_mix(i) : i;
    memset(out->host, 0, OUT_WORDS * 4);
    memset(sum->host, 0, KERNEL_SUM_BYTES);
    struct {
        uint64_t in, out, sum;
        uint32_t n;
    } params = {in->addr, out->addr, sum->addr, 50};
    r->of = c;
    r->out = out->addr;
    r->sum = sum->addr;
    for (size_t i = 0; i < WORDS; i++)
        memset(r->sites[i], 0, c->tree.n_insts / 8 + 1);
    ExecObserver observer = {.self = r, .access = on_access};
    ExecLaunch launch = {.instance = instance,
                         .function = (uint32_t)ir_find_function(c->module, "k"),
                         .grid = {1, 1, 1},
                         .block = {THREADS, 1, 1},
                         .params = (const uint8_t *)&params,
                         .mem = mem,
                         .narrow = true,
                         .jobs = 1,
                         .max_instructions = INSTRUCTIONS_MAX,
                         .observers = &observer,
                         .n_observers = 1};
    ExecResult result;
    exec_launch(&launch, &result);
    r->error = result.error;
    memcpy(r->words, out->host, OUT_WORDS * 4);
    memcpy(r->words + OUT_WORDS, sum->host, KERNEL_SUM_BYTES);
    ir_instance_free(instance);
}

static void run_alone(const Case *c, Run *r)
{
    Mem *mem = NULL;
    assert_int_equal(STATUS_OK, mem_create(0, 1 << 20, 1, &mem));
    run(c, mem, r);
    mem_destroy(mem);
}

/* ---- judging ---- */

static bool has(const uint8_t *bits, uint32_t pc)
{
    return bits[pc / 8] >> pc % 8 & 1;
}

static const uint8_t *slice_of(Case *c, uint32_t pc)
{
    if (!c->slices[pc]) {
        c->slices[pc] = calloc(c->tree.n_insts / 8 + 1, 1);
        assert_true(ir_tree_slice(&c->tree, pc, c->slices[pc]));
    }
    return c->slices[pc];
}

/* Is the instruction in the slice of a site that stored to the word? Sums are atomic: any that stored to them
 * counts. */
static bool is_explained(Case *c, const Run *r, size_t word, uint32_t wrong_pc)
{
    for (uint32_t pc = 0; pc < c->tree.n_insts; pc++)
        if (has(r->sites[word], pc) && has(slice_of(c, pc), wrong_pc))
            return true;
    return false;
}

static void compare(Case *c, const Run *wanted, const Run *got, uint32_t pc, const StrBuf *text)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (wanted->words[i] == got->words[i] || is_explained(c, wanted, i, pc) ||
            is_explained(c, got, i, pc))
            continue;
        bool of_sum = false; /* what an atomic gave back came from the sums */
        for (size_t k = OUT_WORDS; k < WORDS && i < OUT_WORDS; k++)
            of_sum |= is_explained(c, wanted, k, pc) && wanted->words[k] != got->words[k];
        if (!of_sum)
            fail_msg("instruction %u changes word %zu, and no slice has it\n%s", pc, i, text->text);
    }
}

static Case load(const StrBuf *text)
{
    Case c = {0};
    Diag diag = {0};
    if (ptx_parse(text->text, text->length, "random.ptx", &c.ptx, &diag) ||
        ir_decode(&c.ptx, 1, &c.module, &diag) || exec_bind(c.module, &diag))
        fail_msg("line %d: %s\n%s", diag.line, diag.message, text->text);
    assert_true(ir_tree_make(c.module, (uint32_t)ir_find_function(c.module, "k"), &c.tree));
    c.slices = calloc(c.tree.n_insts, sizeof *c.slices);
    return c;
}

static void unload(Case *c)
{
    for (uint32_t pc = 0; pc < c->tree.n_insts; pc++)
        free(c->slices[pc]);
    free(c->slices);
    ir_tree_free(&c->tree);
    ir_module_free(c->module);
    ptx_module_free(c->ptx);
}

static void make_sites(Run *r, const Case *c)
{
    for (size_t i = 0; i < WORDS; i++)
        r->sites[i] = calloc(c->tree.n_insts / 8 + 1, 1);
}

static void free_sites(Run *r)
{
    for (size_t i = 0; i < WORDS; i++)
        free(r->sites[i]);
}

/* How many of the instructions changed something, and how many could be tried. */
static void try_all(Case *c, const Run *wanted, Run *got, const StrBuf *text, uint64_t *changed,
                    uint64_t *tried)
{
    for (uint32_t i = 0; i < c->tree.n; i++) {
        const IrFunction *f = &c->module->functions[c->tree.functions[i]];
        for (uint32_t pc = 0; pc < f->n_insts; pc++) {
            IrInst *in = &f->insts[pc];
            if (!has_result(in))
                continue;
            right = in->handler;
            in->handler = wrong;
            run_alone(c, got);
            in->handler = right;
            if (got->error != EXEC_OK)
                continue; /* an address out of memory, a loop without end */
            ++*tried;
            *changed += memcmp(wanted->words, got->words, sizeof wanted->words) != 0;
            compare(c, wanted, got, c->tree.base[i] + pc, text);
        }
    }
}

static void test_what_changes_a_result_is_in_its_slice(void **state)
{
    static Run wanted, got;
    uint64_t changed = 0, tried = 0;
    (void)state;
    for (uint32_t k = 0; k < KERNELS; k++) {
        StrBuf text = {0};
        kernel_write(&text, (KernelChoices){.rng = {k * 104729 + 11}}, true);
        Case c = load(&text);
        make_sites(&wanted, &c);
        make_sites(&got, &c);
        run_alone(&c, &wanted);
        assert_int_equal(EXEC_OK, wanted.error);
        try_all(&c, &wanted, &got, &text, &changed, &tried);
        free_sites(&wanted);
        free_sites(&got);
        unload(&c);
        strbuf_free(&text);
    }
    assert_in_range(tried, 10 * KERNELS, UINT64_MAX);
    assert_in_range(changed, tried / 4, UINT64_MAX); /* it does matter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_changes_a_result_is_in_its_slice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
