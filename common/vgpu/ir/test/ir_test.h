/* Helpers of the decoder's tests: PTX text -> decoded module, and its listing. */
#ifndef COMMON_VGPU_IR_TEST_IR_TEST_H
#define COMMON_VGPU_IR_TEST_IR_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/vgpu/ir/ir.h"

#define PTX_HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"
enum { IR_TEST_MODULES = 4 };

/* Parses and decodes n texts as one module; NULL with *diag filled when decoding fails. */
static inline IrModule *decode_texts(const char *const *texts, size_t n, Diag *diag)
{
    PtxModule *parsed[IR_TEST_MODULES] = {0};
    IrModule *m = NULL;
    for (size_t i = 0; i < n; i++) {
        char name[16], buf[65536];
        snprintf(name, sizeof name, "m%zu.ptx", i);
        int length = snprintf(buf, sizeof buf, "%s%s", PTX_HEAD, texts[i]);
        assert_in_range(length, 0, sizeof buf - 1);
        if (ptx_parse(buf, (size_t)length, name, &parsed[i], diag))
            fail_msg("%s:%d:%d: %s", name, diag->line, diag->column, diag->message);
    }
    Status s = ir_decode(parsed, n, &m, diag);
    assert_int_equal(s == STATUS_OK, m != NULL);
    for (size_t i = 0; i < n; i++)
        ptx_module_free(parsed[i]);
    return m;
}

static inline IrModule *must_decode(const char *text)
{
    Diag diag = {0};
    IrModule *m = decode_texts(&text, 1, &diag);
    if (!m)
        fail_msg("%d:%d: %s", diag.line, diag.column, diag.message);
    if (diag.code)
        fail_msg("%s", diag.message);
    return m;
}

/* A kernel `k` of parameters a (u64) and n (u32), with registers of all kinds, around `body`. */
static inline IrModule *decode_body_diag(const char *globals, const char *body, Diag *diag)
{
    char buf[60000];
    const char *text = buf;
    snprintf(
        buf, sizeof buf,
        "%s\n.visible .entry k(.param .u64 a, .param .u32 n)\n"
        "{ .reg .pred %%p<9>; .reg .b16 %%rs<9>; .reg .b32 %%r<20>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; "
        ".reg .f64 %%fd<9>; .reg .b128 %%q<3>;\n%s\n}\n",
        globals, body);
    return decode_texts(&text, 1, diag);
}

static inline const IrFunction *find_function(const IrModule *m, const char *name)
{
    int32_t i = ir_find_function(m, name);
    if (i < 0)
        fail_msg("no function %s", name);
    return &m->functions[i];
}

/* All instructions of a function, one a line. */
static inline void list_function(const IrModule *m, const IrFunction *f, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    for (uint32_t pc = 0; pc < f->n_insts && n < size; pc++) {
        char line[512];
        ir_print(m, f, pc, line, sizeof line);
        n += (size_t)snprintf(buf + n, size - n, "%s\n", line);
    }
}

/* Decodes `body` in the kernel k and compares its listing, the final "ret" line left out. */
static inline void expect_listing(const char *globals, const char *body, const char *wanted)
{
    char buf[16384], with_ret[16384];
    Diag diag = {0};
    IrModule *m = decode_body_diag(globals, body, &diag);
    if (!m)
        fail_msg("%s", diag.message);
    list_function(m, find_function(m, "k"), buf, sizeof buf);
    snprintf(with_ret, sizeof with_ret, "%sret\n", wanted);
    assert_string_equal(buf, with_ret);
    ir_module_free(m);
}

#endif
