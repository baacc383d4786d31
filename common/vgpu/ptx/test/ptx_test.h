/* Helpers of the parser's tests: a module from text, with or without a kernel around it. */
#ifndef COMMON_VGPU_PTX_TEST_PTX_TEST_H
#define COMMON_VGPU_PTX_TEST_PTX_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/vgpu/ptx/ptx.h"

#define PTX_HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"

/* The module, or NULL with *diag filled; line 1 of `text` is line 4 of the module. */
static inline PtxModule *parse_text(const char *text, Diag *diag)
{
    char buf[65536];
    PtxModule *m = NULL;
    int n = snprintf(buf, sizeof buf, "%s%s", PTX_HEAD, text);
    assert_in_range(n, 0, sizeof buf - 1);
    Status s = ptx_parse(buf, (size_t)n, "test.ptx", &m, diag);
    assert_int_equal(s == STATUS_OK, m != NULL);
    return m;
}

static inline PtxModule *must_parse(const char *text)
{
    Diag diag = {0};
    PtxModule *m = parse_text(text, &diag);
    if (!m)
        fail_msg("%d:%d: %s", diag.line, diag.column, diag.message);
    return m;
}

/* The same with `body` between the braces of a kernel k that has some registers; line 1 of body is line 6. */
static inline PtxModule *must_parse_body(const char *body)
{
    char buf[65536];
    snprintf(buf, sizeof buf,
             ".visible .entry k(.param .u64 a)\n"
             "{ .reg .pred %%p<9>; .reg .b16 %%rs<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 "
             "%%f<9>;\n%s\n}\n",
             body);
    return must_parse(buf);
}

#endif
