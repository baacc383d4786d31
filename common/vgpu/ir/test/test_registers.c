/* Registers of the solutions' kernels, held against what ptxas takes. Skipped where there is no nvcc. */
#include "common/vgpu/ir/test/ir_test.h"

#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 24, KERNELS_MAX = 100 };

typedef struct Kernel {
    char name[256];
    uint32_t ptxas, estimate, least;
} Kernel;

static const char *const solved[] = {"06-reduction/reduction", "08-matrix-multiply/matrix_multiply",
                                     "09-convolution/convolution",
                                     "13-launch-configuration/launch_configuration", "20-capstone/capstone"};

static bool run_kit_script(const char *kit, const char *lab, const char *folder)
{
    char command[4096];
    int dir = (int)strcspn(lab, "/");
    snprintf(command, sizeof command,
             "cd %s && ${NVCC:-nvcc} -ptx -arch=compute_75 -Ilabs/%.*s -Icommon/lab -I. -o %s/k.ptx "
             "solutions/%s.cu && "
             "$(dirname \"$(command -v ${NVCC:-nvcc})\")/ptxas -v -arch=sm_75 -o %s/k.o %s/k.ptx 2>%s/k.txt",
             kit ? kit : ".", dir, lab, folder, lab, folder, folder, folder);
    return system(command) == 0;
}

/* Lines "Compiling entry function 'NAME' for..." and "Used N registers..." in turn. */
static size_t read_ptxas(const char *folder, Kernel *k)
{
    char path[128], line[1024];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/k.txt", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) && n < KERNELS_MAX) {
        const char *used = strstr(line, "Used ");
        if (sscanf(line, "ptxas info : Compiling entry function '%255[^']", k[n].name) != 1 && used &&
            sscanf(used, "Used %u registers", &k[n].ptxas) == 1)
            n++;
    }
    fclose(f);
    return n;
}

static void read_ours(const char *folder, Kernel *k, size_t n)
{
    char path[128], *text = malloc(TEXT_MAX);
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    FILE *f = fopen(path, "r");
    assert_true(f && text);
    size_t bytes = fread(text, 1, TEXT_MAX, f);
    fclose(f);
    PtxModule *parsed = NULL;
    IrModule *m = NULL;
    Diag diag = {0};
    assert_int_equal(STATUS_OK, ptx_parse(text, bytes, "k", &parsed, &diag));
    assert_int_equal(STATUS_OK, ir_decode(&parsed, 1, &m, &diag));
    for (size_t i = 0; i < n; i++) {
        int32_t at = ir_find_function(m, k[i].name);
        assert_int_not_equal(at, -1);
        k[i].estimate = m->functions[at].n_regs32;
        k[i].least = m->functions[at].n_regs32_least;
    }
    ir_module_free(m);
    ptx_module_free(parsed);
    free(text);
}

/* A kernel that needs many registers is estimated well, since only there the number decides what fits; the
 * least is never far above what ptxas found enough. */
static void test_against_ptxas(void **state)
{
    (void)state;
    if (system("${NVCC:-nvcc} --version >/dev/null 2>&1") != 0)
        skip();
    size_t many = 0;
    for (size_t l = 0; l < sizeof solved / sizeof solved[0]; l++) {
        static Kernel k[KERNELS_MAX + 1];
        char folder[] = "/tmp/ir-registers-XXXXXX", command[64];
        assert_non_null(mkdtemp(folder));
        assert_true(run_kit_script(getenv("KIT"), solved[l], folder));
        size_t n = read_ptxas(folder, k);
        assert_true(n > 0);
        read_ours(folder, k, n);
        snprintf(command, sizeof command, "rm -r %s", folder);
        assert_int_equal(0, system(command));
        for (size_t i = 0; i < n; i++) {
            double ratio = (double)k[i].estimate / k[i].ptxas;
            if (k[i].least > k[i].ptxas * 1.2 || (k[i].ptxas > 60 && (ratio < 0.75 || ratio > 1.25)))
                fail_msg("%s %s: ptxas takes %u, estimated %u, least %u", solved[l], k[i].name, k[i].ptxas,
                         k[i].estimate, k[i].least);
            many += k[i].ptxas > 60;
        }
    }
    assert_true(many >= 5);
}

/* What must be in registers at once: values that were used, and will be. */
static uint32_t least_of(const char *text)
{
    IrModule *m = must_decode(text);
    uint32_t least = find_function(m, "k")->n_regs32_least;
    ir_module_free(m);
    return least;
}

static void test_least(void **state)
{
    (void)state;
    char text[8192], loads[3000] = "", twice[3000] = "";
    for (int i = 0; i < 40; i++) {
        snprintf(loads + strlen(loads), sizeof loads - strlen(loads), "ld.global.f32 %%x%d, [%%a+%d];\n", i,
                 4 * i);
        snprintf(twice + strlen(twice), sizeof twice - strlen(twice), "add.f32 %%s, %%s, %%x%d;\n", i);
    }
    const char *const frame =
        ".entry k(.param .u64 a) { .reg .f32 %%x<40>; .reg .f32 %%s; .reg .b64 %%a;\n"
        "ld.param.u64 %%a, [a]; mov.f32 %%s, 0f00000000;\n%s%s%s st.global.f32 [%%a], %%s; }";
    snprintf(text, sizeof text, frame, loads, twice, ""); /* each could be loaded when it is added */
    assert_true(least_of(text) <= 4);
    snprintf(text, sizeof text, frame, loads, twice, twice); /* added twice: all stay */
    assert_in_range(least_of(text), 40, 43);
    char *many = calloc(1, 1 << 16); /* more than a thread can have are spilled */
    assert_non_null(many);
    strcpy(many, ".entry k(.param .u64 a) { .reg .f32 %x<400>; .reg .f32 %s; .reg .b64 %a;\nld.param.u64 %a, [a]; mov.f32 %s, 0f00000000;\n");
    for (int i = 0; i < 1200; i++)
        snprintf(many + strlen(many), 64, i < 400 ? "ld.global.f32 %%x%d, [%%a+%d];\n" : "add.f32 %%s, %%s, %%x%d;\n", i % 400, 4 * i);
    strcat(many, "st.global.f32 [%a], %s; }");
    assert_int_equal(255, least_of(many));
    free(many);
    char bounded[8300];
    snprintf(bounded, sizeof bounded, ".entry k(.param .u64 a) .maxnreg 24 {%s", strchr(text, '{') + 1);
    assert_int_equal(24, least_of(bounded));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_ptxas), cmocka_unit_test(test_least)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
