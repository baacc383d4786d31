/* alu_harness: one decoded instruction on a warp of made-up registers, for the tests of the arithmetic
 * handlers.
 *
 * A case's text becomes a small PTX kernel, parsed and decoded by the real front end; its first instruction
 * is the one under test. Every handler runs in every variant that the machine has, under the full mask and
 * under partial ones, and lanes that are off must stay as they were.
 */
#ifndef COMMON_VGPU_EXEC_TEST_ALU_HARNESS_H
#define COMMON_VGPU_EXEC_TEST_ALU_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "common/vgpu/exec/exec_internal.h"
#include "common/vgpu/exec/alu/alu_table.h"
#include "common/vgpu/ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HARNESS_ROWS_MAX = 4096, HARNESS_POISON = 0xA5 };

typedef struct Harness {
    IrModule *module;
    const IrInst *inst;
    ExecWarp warp;
    uint8_t *regs;
    uint32_t reg_bytes;
} Harness;

/* Rows that some test has run (indexes are those of the base variant; the variants' tables are alike). */
static bool harness_row_seen[HARNESS_ROWS_MAX];

static inline void harness_mark(const AluRow *row, AluVariant v)
{
    size_t n;
    const AluRow *rows = alu_rows(v, &n);
    assert_true(n < HARNESS_ROWS_MAX);
    harness_row_seen[row - rows] = true;
}

/* Decodes a kernel whose body is `body`; false (with a message in diag) when the front end refuses it. */
static inline bool harness_try(Harness *h, const char *body, Diag *diag)
{
    static const char head[] =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .b64 %d<12>; .reg .b32 %r<12>; .reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %e<8>; "
        ".reg .pred %p<8>; .reg .b128 %q<2>;\n";
    char text[2048];
    PtxModule *parsed = NULL;
    *h = (Harness){0};
    int length = snprintf(text, sizeof text, "%s%s;\nret;\n}\n", head, body);
    Status status = ptx_parse(text, (size_t)length, "case.ptx", &parsed, diag);
    if (status == STATUS_OK)
        status = ir_decode(&parsed, 1, &h->module, diag);
    ptx_module_free(parsed);
    if (status != STATUS_OK)
        return false;
    const IrFunction *f = &h->module->functions[0];
    h->inst = &f->insts[0];
    h->reg_bytes = (f->reg_bytes + 63) / 64 * 64 + 64;
    h->regs = aligned_alloc(64, h->reg_bytes);
    assert_non_null(h->regs);
    memset(h->regs, HARNESS_POISON, h->reg_bytes);
    h->warp = (ExecWarp){.regs = h->regs, .pool = f->pool, .live = FULL_MASK};
    return true;
}

/* The same, with the message printed. */
static inline bool harness_decode(Harness *h, const char *body)
{
    Diag diag = {0};
    if (harness_try(h, body, &diag))
        return true;
    print_error("%s: %s\n", body, diag.message);
    return false;
}

static inline void harness_free(Harness *h)
{
    free(h->regs);
    ir_module_free(h->module);
    *h = (Harness){0};
}

/* The element of a lane in a register of the given width; 0 is a predicate. */
static inline uint64_t harness_get(const Harness *h, const IrOperand *o, int lane)
{
    const uint8_t *base = (o->kind == IR_CONST ? h->warp.pool : h->regs) + o->off;
    uint64_t value = 0;
    if (o->bytes)
        memcpy(&value, base + (size_t)o->bytes * (size_t)lane, o->bytes);
    else
        value = *(const uint32_t *)(const void *)base >> lane & 1;
    return value;
}

static inline void harness_set(Harness *h, const IrOperand *o, int lane, uint64_t value)
{
    if (o->kind != IR_REG)
        return;
    uint8_t *base = h->regs + o->off;
    if (o->bytes) {
        memcpy(base + (size_t)o->bytes * (size_t)lane, &value, o->bytes);
    } else {
        uint32_t *bits = (uint32_t *)(void *)base;
        *bits = (*bits & ~((uint32_t)1 << lane)) | (uint32_t)(value & 1) << lane;
    }
}

/* The result of a lane as alu_cases.def has it. */
static inline uint64_t harness_result(const Harness *h, int lane)
{
    uint64_t value = harness_get(h, &h->inst->dst, lane);
    if (h->inst->dst2.kind == IR_REG)
        value |= harness_get(h, &h->inst->dst2, lane) << (h->inst->dst.bytes ? 32 : 1);
    return value;
}

static inline void harness_poison_results(Harness *h)
{
    for (int lane = 0; lane < WARP_LANES; lane++) {
        harness_set(h, &h->inst->dst, lane, 0xA5A5A5A5A5A5A5A5u);
        harness_set(h, &h->inst->dst2, lane, 1);
    }
}

/* The handler in a variant: the lane handlers have one. NULL, with a message, when there is none. */
static inline IrHandler harness_handler(const Harness *h, AluVariant v, const char *text)
{
    const AluRow *row = alu_find_row(v, h->inst);
    if (row) {
        harness_mark(row, v);
        return row->handler;
    }
    IrHandler handler = h->inst->video ? exec_video_handler(h->inst) : exec_lanes_handler(h->inst);
    if (!handler)
        print_error("%s: no handler\n", text);
    return handler;
}

/* Rows that need more than a single plain instruction, or whose result hardware leaves open: test_alu.c and
 * test_math.c have them; all others must be in alu_cases.def. */
static inline bool row_is_by_hand(const AluRow *row)
{
    switch (row->opcode) {
    case PTX_ADDC:
    case PTX_SUBC:
    case PTX_MADC:
    case PTX_MOV:
    case PTX_CVTA:
    case PTX_ISSPACEP:
        return true;
    case PTX_LOP3:
        return (row->selector & ALU_BOOL) != 0;
    default:
        return row->type == PTX_TYPE_PRED || row->selector & (ALU_CARRY_OUT | ALU_APPROX | ALU_FULL);
    }
}

static inline bool row_is_approximate(const AluRow *row)
{
    return (row->selector & (ALU_APPROX | ALU_FULL)) != 0;
}

#endif
