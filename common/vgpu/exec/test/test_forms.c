/* What ptxas accepts, the virtual GPU executes, or refuses by a name that stands here: forms of instructions
 * (forms.sh), ways to write a module, and the values of constant expressions. ptxas is the judge of what
 * exists: nothing is expected that it does not take. Skipped where there is none.
 *
 * FORMS=all takes every form; otherwise one of EVERY, by a hash of its text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/rng.h"
#include "common/base/strbuf.h"
#include "common/vgpu/exec/exec.h"
#include "common/vgpu/ptx/ptx.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t n_wrong; /* constants */

enum { EVERY = 48, CHUNK = 64, LINE_MAX_ = 512, FORMS_MAX = 1 << 16, N_CONSTANTS = 512 };

static const char head[] = ".version 9.0\n.target sm_90\n.address_size 64\n";
static const char body[] =
    ".global .align 16 .b8 g[1024];\n.const .align 16 .b8 c[1024];\n.visible .func helper() { ret; }\n"
    ".visible .entry k() {\n.reg .pred %p<9>; .reg .b8 %b<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 "
    "%d<9>; "
    ".reg .b128 %q<5>; .shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[1024];\nL:\n";
enum { LINES_BEFORE = 9 }; /* of head and body */

static char folder[] = "/tmp/forms-XXXXXX";

static const char *ptxas(void)
{
    static char path[1024];
    if (!path[0]) {
        const char *nvcc = getenv("NVCC") ? getenv("NVCC") : "nvcc";
        char command[1200];
        snprintf(command, sizeof command,
                 "command -v \"$(dirname \"$(command -v %s)\")/ptxas\" || command -v ptxas", nvcc);
        FILE *p = popen(command, "r");
        if (p && !fgets(path, sizeof path, p))
            path[0] = '\0';
        if (p)
            pclose(p);
        path[strcspn(path, "\n")] = '\0';
    }
    return path;
}

/* Assembles text; the tool's messages go to folder/messages. */
static bool assemble(const char *text, const char *output)
{
    char command[4096];
    snprintf(command, sizeof command, "%s/x.ptx", folder);
    FILE *f = fopen(command, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof command, "%s -arch=sm_90 %s/x.ptx -o %s >%s/messages 2>&1", ptxas(), folder,
             output, folder);
    return system(command) == 0;
}

/* NULL, or why the module is not executed. */
static const char *refused(const char *text, size_t length)
{
    static char why[sizeof((Diag *)0)->message];
    PtxModule *parsed = NULL;
    IrModule *m = NULL;
    Diag diag = {0};
    Status s = ptx_parse(text, length, "form", &parsed, &diag);
    s = s ? s : ir_decode(&parsed, 1, &m, &diag);
    s = s ? s : exec_bind(m, &diag);
    snprintf(why, sizeof why, "%s", s ? diag.message : "");
    ir_module_free(m);
    ptx_module_free(parsed);
    return s ? why : NULL;
}

/* ---- forms of instructions ---- */

/* Parts of forms that are refused, by name: docs/ptx-support.md says so. */
static const char *const known[] = {"alloca.",         "stacksave.",     "stackrestore.", ".cas.b128",
                                    ".exch.b128",      "fma.rn.oob", "satfinite.tf32",     "ftz.f32.bf16",  "cvt.rm.f32.bf16",
                                    "cvt.rp.f32.bf16", "cvt.rz.f32.bf16"};

static bool is_known(const char *form)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(form, known[i]))
            return true;
    return false;
}

static size_t read_forms(char (*forms)[LINE_MAX_])
{
    const char *kit = getenv("KIT"), *all = getenv("FORMS");
    char command[1024];
    size_t n = 0;
    snprintf(command, sizeof command, "bash %s/common/vgpu/exec/test/forms.sh | sort -u", kit ? kit : ".");
    FILE *p = popen(command, "r");
    assert_non_null(p);
    while (n < FORMS_MAX && fgets(forms[n], LINE_MAX_, p)) {
        forms[n][strcspn(forms[n], "\n")] = '\0';
        uint32_t h = 2166136261u;
        for (const char *c = forms[n]; *c; c++)
            h = (h ^ (unsigned char)*c) * 16777619u;
        n += (all && strcmp(all, "all") == 0) || (h >> 8) % EVERY == 0;
    }
    pclose(p);
    return n;
}

/* Takes out what the messages name by its line; the number of those that are left. */
static size_t drop_named(const char **chunk, size_t n)
{
    char path[64], line[1024];
    bool bad[CHUNK] = {false};
    size_t left = 0;
    unsigned number;
    snprintf(path, sizeof path, "%s/messages", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, ", line ");
        if (at && sscanf(at, ", line %u", &number) == 1 && number > LINES_BEFORE &&
            number - LINES_BEFORE <= n)
            bad[number - LINES_BEFORE - 1] = true;
    }
    fclose(f);
    for (size_t i = 0; i < n; i++)
        if (!bad[i])
            chunk[left++] = chunk[i];
    return left;
}

static char *write_forms(const char *const *chunk, size_t n)
{
    StrBuf text = {0};
    strbuf_puts(&text, head);
    strbuf_puts(&text, body);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(&text, "%s\n", chunk[i]);
    strbuf_puts(&text, "ret;\n}\n");
    return text.text;
}

/* Leaves those of the chunk that ptxas takes. */
static size_t accepted(const char **chunk, size_t n)
{
    while (n) {
        char *text = write_forms(chunk, n);
        bool fine = assemble(text, "/dev/null");
        free(text);
        if (fine)
            break;
        size_t left = drop_named(chunk, n);
        assert_true(left < n);
        n = left;
    }
    return n;
}

static void test_forms(void **state)
{
    (void)state;
    if (!ptxas()[0])
        skip();
    char(*forms)[LINE_MAX_] = calloc(FORMS_MAX, LINE_MAX_);
    size_t n = read_forms(forms), n_accepted = 0, n_bad = 0;
    for (size_t first = 0; first < n; first += CHUNK) {
        const char *chunk[CHUNK];
        size_t in_chunk = n - first < CHUNK ? n - first : CHUNK;
        for (size_t i = 0; i < in_chunk; i++)
            chunk[i] = forms[first + i];
        in_chunk = accepted(chunk, in_chunk);
        n_accepted += in_chunk;
        for (size_t i = 0; i < in_chunk; i++) {
            char *text = write_forms(&chunk[i], 1);
            const char *why = refused(text, strlen(text));
            if ((why != NULL) != is_known(chunk[i])) {
                print_error("%s: %s\n", chunk[i], why ? why : "executed, and the list says refused");
                n_bad++;
            }
            free(text);
        }
    }
    free(forms);
    print_message("%zu forms, %zu of which exist\n", n, n_accepted);
    assert_int_equal(n_bad, 0);
    assert_true(n_accepted > n / 4);
}

/* ---- ways to write a module ---- */

static const char *const modules[] = {
    ".visible .entry k(.param .u64 a) { .reg .v2 .b32 v; .reg .v4 .f32 q; .reg .b32 %r<4>; .reg .b64 %d; "
    "ld.param.u64 %d, [a]; ld.global.v2.b32 v, [%d]; "
    "add.s32 %r1, v.x, v.y; mov.b32 v.x, %r1; st.global.v2.b32 [%d], v; ld.global.v4.f32 q, [%d]; mov.b64 "
    "%d, v; add.f32 q.w, q.x, q.r; ret; }",
    ".visible .entry k(.param .u64 a) { .reg .v4 .u16 v; .reg .u16 %h; .reg .b64 %d; ld.param.u64 %d, [a]; "
    "ld.global.v4.u16 v, [%d]; mov.u16 %h, v.z; mov.b64 v, %d; ret; }",
    ".func (.reg .b32 a, .reg .b32 b) f(.reg .b32 x) { add.s32 a, x, 1; add.s32 b, x, 2; ret; }\n.visible "
    ".entry k() { .reg .b32 %r<4>; call (%r1, %r2), f, (%r0); ret; }",
    ".func (.reg .b32 a, .reg .f32 c) f(.reg .b32 b, .reg .f32 d) { mov.b32 a, b; mov.f32 c, d; ret; "
    "}\n.visible .entry k() { .reg .f32 %f; .reg .b32 %r<3>; "
    "call (%r1, %f), f, (7, 0f3F800000); call (_, %f), f, (%r1, %f); ret; }",
    ".visible .entry k() { .reg .b32 %n<8>; .reg .b32 %n; mov.u32 %n, 1; mov.u32 %n3, %n; ret; }",
    ".visible .entry k() { .reg .b32 %n; .reg .b32 %n<8>; mov.u32 %n, 1; mov.u32 %n3, %n; ret; }",
    ".visible .entry k() { .reg .b32 %n<8>; .reg .b32 %n12; mov.u32 %n12, 1; mov.u32 %n3, %n12; ret; }",
    ".visible .entry k() { .reg .b32 %n<8>; { .reg .f32 %n3; mov.f32 %n3, 0f00000000; } mov.u32 %n3, 1; ret; "
    "}",
    ".visible .entry k() { .reg .f32 %n3; { .reg .b32 %n<8>; mov.u32 %n3, 1; } mov.f32 %n3, 0f00000000; ret; "
    "}",
    ".func f() { ret; }\n.visible .entry k() { call f; call.uni f; call f, (); ret; }",
    ".func (.reg .b32 a) f(.reg .b32 b) { mov.b32 a, b; ret; }\n.visible .entry k() { .reg .b64 %d; .reg "
    ".b32 %r<3>; mov.u64 %d, f; P: .callprototype (.reg .b32 _) _ (.reg .b32 _); "
    "call (%r1), %d, (%r2), P; T: .calltargets f; call (%r1), %d, (%r2), T; ret; }",
    ".visible .entry k() { .reg .b32 %r; mov.u32 %r, 1; ts: .branchtargets A, B; brx.idx %r, ts; A: ret; B: "
    "ret; }",
    ".visible .entry k() { .reg .b32 %r; .reg .b64 %d; mov.u32 %r, %pm3; mov.u64 %d, %pm2_64; mov.u32 %r, "
    "%envreg31; mov.u64 %d, %current_graph_exec; "
    "mov.u32 %r, %reserved_smem_offset_begin; ret; }",
    ".visible .entry k() { .reg .b16 %h; mov.u16 %h, %tid.x; cvt.u16.u32 %h, %ntid.y; ret; }",
    ".visible .entry k() { .reg .b32 %r; mov.u32 %r, 0b1011; mov.u32 %r, 0777; mov.u32 %r, 0xFFU; mov.u32 "
    "%r, (3+4)*2; mov.u32 %r, 1 ? 5 : 6; mov.u32 %r, (.s64) 5; "
    "mov.u32 %r, !5; mov.u32 %r, 1 && 0; mov.u32 %r, 3 == 3; ret; }",
    ".visible .entry k(.param .align 4 .b8 a[12], .param .u64 .ptr .global .align 16 b) { .reg .b32 %r<4>; "
    ".reg .b64 %d; ld.param.b32 %r1, [a+8]; mov.b64 %d, b; "
    "ld.param.u64 %d, [b]; ld.param.v2.b32 {%r1,%r2}, [a]; ret; }",
    ".visible .func f() { ret; }\n.visible .func g();\n.alias g, f;\n.visible .entry k() { call g; ret; }",
    ".global .v4 .f32 t = {1.0, 2.0, 3.0, 4.0}; .global .b32 m[2][3] = {{1,2,3},{4,5,6}}; .global .u64 p = "
    "m; .global .u64 q[2] = {m, generic(m)+4};\n.visible .entry k() { ret; }",
};

static void test_modules(void **state)
{
    (void)state;
    if (!ptxas()[0])
        skip();
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        StrBuf text = {0};
        strbuf_printf(&text, "%s%s\n", head, modules[i]);
        if (!assemble(text.text, "/dev/null"))
            fail_msg("ptxas does not take %s", modules[i]);
        const char *why = refused(text.text, text.length);
        if (why)
            fail_msg("%s: %s", modules[i], why);
        strbuf_free(&text);
    }
}

/* ---- constant expressions ---- */

static void put_expression(Rng *rng, StrBuf *out, int depth)
{
    static const char *const binary[] = {"+",  "-",  "*",  "/",  "%", "<<", ">>", "<",  ">",
                                         "<=", ">=", "==", "!=", "&", "|",  "^",  "&&", "||"};
    static const char *const unary[] = {"-", "~", "!", "+", "(.s64)", "(.u64)"};
    static const char *const literals[] = {"0",
                                           "1",
                                           "2",
                                           "7",
                                           "63",
                                           "5U",
                                           "0x7FFFFFFFFFFFFFFF",
                                           "0x8000000000000000U",
                                           "0xFFFFFFFFFFFFFFFF",
                                           "017",
                                           "0b101",
                                           "WARP_SZ"};
    unsigned kind = (unsigned)(rng_next(rng) % (depth > 0 ? 8 : 1));
    if (kind == 0) {
        strbuf_puts(out, literals[rng_next(rng) % (sizeof literals / sizeof literals[0])]);
    } else if (kind == 1) {
        strbuf_printf(out, "%s(", unary[rng_next(rng) % 6]);
        put_expression(rng, out, depth - 1);
        strbuf_puts(out, ")");
    } else if (kind == 2) {
        strbuf_puts(out, "(");
        put_expression(rng, out, depth - 1);
        strbuf_puts(out, " ? ");
        put_expression(rng, out, depth - 1);
        strbuf_puts(out, " : ");
        put_expression(rng, out, depth - 1);
        strbuf_puts(out, ")");
    } else {
        bool braces = rng_next(rng) % 2;
        strbuf_puts(out, braces ? "(" : "");
        put_expression(rng, out, depth - 1);
        strbuf_printf(out, " %s ", binary[rng_next(rng) % 18]);
        put_expression(rng, out, depth - 1);
        strbuf_puts(out, braces ? ")" : "");
    }
}

/* The numbers that ptxas makes of x[n]: its first section of initialised globals. */
static void read_values(uint64_t *values, size_t n)
{
    char path[64];
    static uint8_t bytes[1 << 16];
    snprintf(path, sizeof path, "%s/x.cubin", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(size > sizeof(Elf64_Ehdr) && size < sizeof bytes);
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    Elf64_Shdr sections[64];
    assert_true(header.e_shnum <= 64);
    memcpy(sections, bytes + header.e_shoff, header.e_shnum * sizeof *sections);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        const char *name = (const char *)bytes + sections[header.e_shstrndx].sh_offset + sections[i].sh_name;
        if (strcmp(name, ".nv.global.init") != 0)
            continue;
        assert_int_equal(sections[i].sh_size, 8 * n);
        memcpy(values, bytes + sections[i].sh_offset, 8 * n);
        return;
    }
    fail_msg("no initialised globals");
}

static char *write_constants(const char *const *expressions, size_t n)
{
    StrBuf text = {0};
    strbuf_printf(&text, "%s\n\n\n\n\n.visible .global .u64 x[%zu] = {\n", head, n);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(&text, "%s%s\n", expressions[i], i + 1 < n ? "," : "");
    strbuf_puts(&text, "};\n.visible .entry k() { ret; }\n");
    return text.text;
}

static void compare_constants(const char **expressions, size_t n)
{
    char output[64];
    uint64_t values[CHUNK];
    snprintf(output, sizeof output, "%s/x.cubin", folder);
    for (;;) {
        char *text = write_constants(expressions, n);
        bool fine = assemble(text, output);
        if (fine) {
            PtxModule *m = NULL;
            Diag diag = {0};
            if (ptx_parse(text, strlen(text), "constants", &m, &diag))
                fail_msg("line %d: %s: %s", diag.line,
                         diag.line > LINES_BEFORE ? expressions[diag.line - LINES_BEFORE - 1] : "",
                         diag.message);
            read_values(values, n);
            for (size_t i = 0; i < n; i++) {
                uint64_t ours = 0;
                if (8 * i < m->variables[0]->init_bytes)
                    memcpy(&ours, m->variables[0]->init + 8 * i, 8);
                if (ours != values[i])
                    print_error("%s: 0x%llx, ptxas has 0x%llx\n", expressions[i], (unsigned long long)ours,
                                (unsigned long long)values[i]);
                n_wrong += ours != values[i];
            }
            ptx_module_free(m);
        }
        free(text);
        if (fine)
            return;
        size_t left = drop_named(expressions, n);
        assert_true(left < n);
        n = left;
    }
}

static void test_constants(void **state)
{
    (void)state;
    if (!ptxas()[0])
        skip();
    Rng rng = {.state = 11};
    for (int round = 0; round < N_CONSTANTS / CHUNK; round++) {
        StrBuf texts[CHUNK] = {{0}};
        const char *expressions[CHUNK];
        for (size_t i = 0; i < CHUNK; i++) {
            put_expression(&rng, &texts[i], 3);
            expressions[i] = texts[i].text;
        }
        compare_constants(expressions, CHUNK);
        for (size_t i = 0; i < CHUNK; i++)
            strbuf_free(&texts[i]);
    }
    assert_int_equal(n_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_constants),
    };
    if (!mkdtemp(folder))
        return 2;
    int bad = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || bad;
}
