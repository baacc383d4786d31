/* Everything that nvcc makes of the programs in test/cu decodes, with no instruction left unsupported; and
 * the facts that these programs were written to show are there. Skipped where there is no nvcc. */
#include "common/vgpu/ir/test/ir_test.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 24 };

static bool have_nvcc(void)
{
    return system("${NVCC:-nvcc} --version >/dev/null 2>&1") == 0;
}

/* The folder with the programs: beside this file, from the root of the kit. */
static void source_path(char *buf, size_t size, const char *name)
{
    const char *kit = getenv("KIT");
    snprintf(buf, size, "%s/common/vgpu/ir/test/cu/%s.cu", kit ? kit : ".", name);
}

/* Compiles one program to PTX with further flags, decodes it; the caller frees the result. */
static IrModule *compile(const char *name, const char *flags)
{
    char source[1024], command[2048], folder[] = "/tmp/ir-nvcc-XXXXXX", output[64];
    assert_non_null(mkdtemp(folder));
    snprintf(output, sizeof output, "%s/out.ptx", folder);
    source_path(source, sizeof source, name);
    snprintf(command, sizeof command, "${NVCC:-nvcc} -ptx -arch=compute_75 %s -o %s %s >&2", flags, output,
             source);
    assert_int_equal(system(command), 0);
    char *text = malloc(TEXT_MAX);
    FILE *file = fopen(output, "r");
    assert_non_null(file);
    size_t n = fread(text, 1, TEXT_MAX, file);
    fclose(file);
    unlink(output);
    rmdir(folder);
    PtxModule *parsed = NULL;
    IrModule *m = NULL;
    Diag diag = {0};
    if (ptx_parse(text, n, name, &parsed, &diag) || ir_decode(&parsed, 1, &m, &diag) || diag.code)
        fail_msg("%s %s: %d:%d: %s", name, flags, diag.line, diag.column, diag.message);
    ptx_module_free(parsed);
    free(text);
    return m;
}

#define SKIP_WITHOUT_NVCC()                                                                                  \
    (void)state;                                                                                             \
    if (!have_nvcc())                                                                                        \
    skip()

static const IrFunction *kernel(const IrModule *m, const char *part)
{
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (m->functions[i].is_entry && strstr(m->functions[i].name, part))
            return &m->functions[i];
    fail_msg("no kernel %s", part);
    return NULL;
}

static void test_language(void **state)
{
    SKIP_WITHOUT_NVCC();
    IrModule *m = compile("language", "-lineinfo -g");
    const IrFunction *k = kernel(m, "everything");
    assert_true(k->uses_dynamic_shared && k->has_lines);
    assert_int_equal(k->max_threads, 128);
    assert_int_equal(k->min_blocks, 2);
    assert_int_equal(k->static_shared_bytes, 64 * 4 + 3 * 8 + 8);
    bool indirect = false, print = false, inlined = false;
    for (uint32_t pc = 0; pc < k->n_insts; pc++) {
        const IrInst *in = &k->insts[pc];
        indirect = indirect || (in->call && in->src[0].kind == IR_REG);
        print = print || (in->call && in->call->builtin == BUILTIN_VPRINTF);
        inlined = inlined || k->locs[in->loc].parent >= 0;
    }
    assert_true(indirect && print && inlined);
    assert_true(ir_find_global(m, "table") >= 0);
    assert_int_equal(m->globals[ir_find_global(m, "table")].n_relocs, 2);
    assert_true(m->globals[ir_find_global(m, "managed")].managed);
    ir_module_free(m);
}

static void test_debug_and_relocatable(void **state)
{
    SKIP_WITHOUT_NVCC();
    ir_module_free(compile("language", "-G -rdc=true"));
}

static void test_lanes_and_groups(void **state)
{
    SKIP_WITHOUT_NVCC();
    IrModule *m = compile("lanes", "-std=c++17 -lineinfo");
    assert_true(kernel(m, "grid")->uses_grid_sync);
    assert_false(kernel(m, "shuffles")->uses_grid_sync);
    ir_module_free(m);
}

static void test_arithmetic(void **state)
{
    SKIP_WITHOUT_NVCC();
    ir_module_free(compile("arithmetic", "-lineinfo"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_language),
        cmocka_unit_test(test_debug_and_relocatable),
        cmocka_unit_test(test_lanes_and_groups),
        cmocka_unit_test(test_arithmetic),
    };
    return cmocka_run_group_tests_name("ir nvcc", tests, NULL, NULL);
}
