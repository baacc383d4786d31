/* Variables of the source, out of debug information that is written here by hand; and such as ends early or has been damaged, which must
 * leave the module as good as without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/rng.h"
#include "common/base/strbuf.h"
#include "common/vgpu/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

static const char code[] =
    ".version 8.0\n.target sm_75, debug\n.address_size 64\n"
    ".visible .entry k(.param .u64 p)\n{\n.local .align 8 .b8 __local_depot0[32];\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n.reg .f32 %f<3>;\n"
    "$L__func_begin0:\nmov.u32 %r1, 1;\n$L__tmp0:\nmov.u32 %r2, 2;\n$L__tmp1:\nmov.u32 %r3, 3;\n$L__tmp2:\nmov.f32 %f1, 0f00000000;\nret;\n$L__func_end0:\n}\n";
enum { INSTS = 5 };

/* Lines of a section: as many bytes as `most`, with one of them changed. */
typedef struct Section {
    StrBuf text;
    size_t n, most, damaged;
    unsigned damage;
} Section;

static void put_byte(Section *s, unsigned value)
{
    unsigned v = s->n == s->damaged ? value ^ s->damage : value;
    if (s->n++ < s->most)
        strbuf_printf(&s->text, ".b8 %u\n", v & 255);
}

static void put_bytes(Section *s, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_byte(s, (unsigned char)bytes[i]);
}

static void put_word(Section *s, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        put_byte(s, value >> 8 * i & 255);
}

static void put_label(Section *s, const char *label)
{
    if (s->n < s->most)
        strbuf_printf(&s->text, ".b64 %s\n", label);
    s->n += 8;
}

static void put_name(Section *s, const char *name)
{
    put_bytes(s, name, strlen(name) + 1);
}

#define BYTES(s, ...) put_bytes(s, (const char[]){__VA_ARGS__}, sizeof((const char[]){__VA_ARGS__}))

enum { UNIT = 1, BASE, FUNCTION, VARIABLE, LISTED, ARRAY, COUNT, ALIAS, STRUCTURE, BLOCK };

static void put_abbreviations(Section *s)
{
    BYTES(s, UNIT, 0x11, 1, 0x03, 0x08, 0, 0);
    BYTES(s, BASE, 0x24, 0, 0x03, 0x08, 0x3e, 0x0b, 0x0b, 0x0b, 0, 0);
    BYTES(s, FUNCTION, 0x2e, 1, 0x11, 0x01, 0x12, 0x01, 0x03, 0x08, 0, 0);
    BYTES(s, VARIABLE, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x0a, 0, 0);
    BYTES(s, LISTED, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x06, 0, 0);
    BYTES(s, ARRAY, 0x01, 1, 0x49, 0x13, 0, 0);
    BYTES(s, COUNT, 0x21, 0, 0x37, 0x0b, 0, 0);
    BYTES(s, ALIAS, 0x16, 0, 0x49, 0x13, 0, 0);
    BYTES(s, STRUCTURE, 0x13, 0, 0x0b, 0x0b, 0, 0);
    BYTES(s, BLOCK, 0x0b, 1, 0x11, 0x01, 0x12, 0x01, 0, 0);
    put_byte(s, 0);
}

/* DW_OP_regx of a name: seven bits a byte, the last character lowest. */
static unsigned register_number(const char *name, char out[10])
{
    uint64_t number = 0;
    unsigned n = 0;
    for (; *name; name++)
        number = number << 8 | (unsigned char)*name;
    out[n++] = (char)0x90;
    for (; number >= 128; number >>= 7)
        out[n++] = (char)(number % 128 + 128);
    out[n++] = (char)number;
    return n;
}

static void put_register(Section *s, const char *name)
{
    char bytes[10];
    unsigned n = register_number(name, bytes);
    put_byte(s, n);
    put_bytes(s, bytes, n);
}

static void put_local(Section *s, const char *name, uint32_t type, unsigned offset)
{
    put_byte(s, VARIABLE);
    put_name(s, name);
    put_word(s, type);
    BYTES(s, 11, 0x03);
    put_label(s, "__local_depot0");
    BYTES(s, 0x23, (char)offset);
}

static void put_info(Section *s)
{
    put_word(s, 4096); /* longer than it is: it ends with the section */
    BYTES(s, 2, 0, 0, 0, 0, 0, 8);
    put_byte(s, UNIT);
    put_name(s, "k.cu");
    uint32_t integer = (uint32_t)s->n;
    put_byte(s, BASE);
    put_name(s, "int");
    BYTES(s, 5, 4);
    uint32_t real = (uint32_t)s->n;
    put_byte(s, BASE);
    put_name(s, "float");
    BYTES(s, 4, 4);
    uint32_t array = (uint32_t)s->n;
    put_byte(s, ARRAY);
    put_word(s, real);
    BYTES(s, COUNT, 4, 0);
    uint32_t alias = (uint32_t)s->n;
    put_byte(s, ALIAS);
    put_word(s, integer);
    uint32_t structure = (uint32_t)s->n;
    BYTES(s, STRUCTURE, 12);
    put_byte(s, FUNCTION);
    put_label(s, "$L__func_begin0");
    put_label(s, "$L__func_end0");
    put_name(s, "k");
    put_byte(s, VARIABLE);
    put_name(s, "first");
    put_word(s, alias);
    put_register(s, "%r1");
    put_byte(s, BLOCK);
    put_label(s, "$L__tmp0");
    put_label(s, "$L__tmp2");
    put_byte(s, VARIABLE);
    put_name(s, "inner");
    put_word(s, integer);
    put_register(s, "%r8");
    put_byte(s, VARIABLE); /* no such register */
    put_name(s, "nowhere");
    put_word(s, integer);
    put_register(s, "%r9");
    put_byte(s, 0); /* the block */
    put_byte(s, LISTED);
    put_name(s, "moved");
    put_word(s, real);
    put_word(s, 0);
    put_local(s, "four", array, 8);
    put_local(s, "all", structure, 0);
    put_local(s, "one", integer, 24);
    BYTES(s, 0, 0); /* the function, the unit */
}

static void put_ranges(Section *s)
{
    const char *const labels[] = {"$L__func_begin0", "$L__tmp1", "$L__func_end0"};
    for (int i = 0; i < 2; i++) {
        char bytes[10];
        unsigned n = register_number(i ? "%f2" : "%f1", bytes);
        put_label(s, labels[i]);
        put_label(s, labels[i + 1]);
        BYTES(s, (char)n, 0);
        put_bytes(s, bytes, n);
    }
    for (int i = 0; i < 16; i++)
        put_byte(s, 0);
}

typedef struct Sections {
    Section abbreviations, info, ranges;
} Sections;

static const Section whole = {.most = SIZE_MAX, .damaged = SIZE_MAX};

/* Puts the text together, and parses it. */
static PtxModule *parse_with(Sections *s)
{
    StrBuf text = {0};
    PtxModule *m;
    Diag diag = {0};
    put_abbreviations(&s->abbreviations);
    put_info(&s->info);
    put_ranges(&s->ranges);
    strbuf_printf(&text, "%s.section .debug_abbrev\n{\n%s}\n.section .debug_info\n{\n%s}\n.section .debug_loc\n{\n%s}\n", code,
                  s->abbreviations.text.text ? s->abbreviations.text.text : "", s->info.text.text ? s->info.text.text : "",
                  s->ranges.text.text ? s->ranges.text.text : "");
    if (ptx_parse(text.text, text.length, "k.ptx", &m, &diag))
        fail_msg("line %d: %s", diag.line, diag.message);
    assert_int_equal(INSTS, m->functions[0]->n_insts);
    strbuf_free(&text);
    strbuf_free(&s->abbreviations.text);
    strbuf_free(&s->info.text);
    strbuf_free(&s->ranges.text);
    return m;
}

static void expect(const PtxDebugVariable *v, const char *name, PtxType type, uint32_t count, bool in_local, uint32_t place, uint32_t offset,
                   uint32_t begin, uint32_t end)
{
    assert_string_equal(name, v->name);
    assert_int_equal(type, v->type);
    assert_int_equal(count, v->count);
    assert_int_equal(in_local, v->in_local);
    assert_int_equal(place, v->place);
    assert_int_equal(offset, v->offset);
    assert_int_equal(begin, v->begin);
    assert_int_equal(end, v->end);
}

static void test_variables(void **state)
{
    (void)state;
    Sections s = {whole, whole, whole};
    PtxModule *m = parse_with(&s);
    const PtxFunction *f = m->functions[0];
    const uint32_t f1 = 9 + 3 + 1; /* behind nine %r, three %rd, and %f0 */
    assert_int_equal(6, f->n_debug_variables);
    const PtxDebugVariable *v = f->debug_variables;
    expect(&v[0], "first", PTX_TYPE_S32, 0, false, 1, 0, 0, INSTS);
    expect(&v[1], "inner", PTX_TYPE_S32, 0, false, 8, 0, 1, 3);
    expect(&v[2], "moved", PTX_TYPE_F32, 0, false, f1, 0, 0, 2);
    expect(&v[3], "moved", PTX_TYPE_F32, 0, false, f1 + 1, 0, 2, INSTS);
    expect(&v[4], "four", PTX_TYPE_F32, 4, true, 0, 8, 0, INSTS);
    expect(&v[5], "one", PTX_TYPE_S32, 0, true, 0, 24, 0, INSTS);
    ptx_module_free(m);
}

static void check_places(const PtxFunction *f)
{
    for (uint32_t i = 0; i < f->n_debug_variables; i++) {
        const PtxDebugVariable *v = &f->debug_variables[i];
        assert_true(v->begin < v->end && v->end <= f->n_insts);
        assert_true(v->in_local ? v->place < f->n_variables && v->offset < f->variables[v->place]->bytes : v->place < f->n_regs);
    }
}

static void test_sections_end_early(void **state)
{
    (void)state;
    Sections all = {whole, whole, whole};
    ptx_module_free(parse_with(&all));
    for (size_t most = 0; most < all.info.n || most < all.abbreviations.n || most < all.ranges.n; most++)
        for (int k = 0; k < 3; k++) {
            Sections s = {whole, whole, whole};
            (k == 0 ? &s.abbreviations : k == 1 ? &s.info : &s.ranges)->most = most;
            PtxModule *m = parse_with(&s);
            check_places(m->functions[0]);
            ptx_module_free(m);
        }
}

static void test_damage(void **state)
{
    (void)state;
    Rng rng = {42};
    Sections all = {whole, whole, whole};
    ptx_module_free(parse_with(&all));
    for (int k = 0; k < 1500; k++) {
        Sections s = {whole, whole, whole};
        Section *one = k % 3 == 0 ? &s.abbreviations : k % 3 == 1 ? &s.info : &s.ranges;
        one->damaged = (size_t)rng_below(&rng, all.info.n);
        one->damage = 1 + (unsigned)rng_below(&rng, 255);
        PtxModule *m = parse_with(&s);
        check_places(m->functions[0]);
        ptx_module_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_variables), cmocka_unit_test(test_sections_end_early), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
