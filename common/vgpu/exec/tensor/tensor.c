/* Products of matrices: mma and wmma.mma. The fragments of all lanes are brought together into matrices (B
 * transposed, so that sums run along rows), multiplied, and the result handed out again.
 */
#include "common/vgpu/exec/tensor/tensor_internal.h"

#include <string.h>

enum {
    QUADS = 4,
    A_MAX = 16 * 64, /* elements of the largest matrix: A of m16n8k64 */
};

/* A matrix as bits; quads lie one after the other. */
typedef struct Bits {
    uint32_t v[A_MAX];
} Bits;

static uint32_t columns(const TensorLayout *l)
{
    return l->part == PART_A || l->part == PART_B ? l->k : l->n;
}

static uint32_t rows(const TensorLayout *l)
{
    return l->part == PART_B ? l->n : l->m;
}

/* Index of an element in its matrix; B lies transposed. */
static uint32_t index_of(const TensorLayout *l, uint32_t lane, uint32_t reg, uint32_t element)
{
    TensorPlace p = tensor_place(l, lane, reg, element);
    uint32_t row = l->part == PART_B ? p.col : p.row, col = l->part == PART_B ? p.row : p.col;
    return p.quad * rows(l) * columns(l) + row * columns(l) + col;
}

static uint32_t element_mask(const TensorLayout *l)
{
    return l->bits == 32 ? FULL_MASK : (1u << l->bits) - 1;
}

/* PTX leaves undefined what lanes that do not execute would give: here it is 0. */
static void gather(const ExecWarp *w, uint32_t mask, const IrOperand *regs, const TensorLayout *l, Bits *to)
{
    uint32_t n = tensor_different_regs(l);
    for (uint32_t r = 0; r < n; r++) {
        const U32 *lanes = warp_src(w, &regs[r]);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            for (uint32_t e = 0; e < l->per_reg; e++)
                to->v[index_of(l, lane, r, e)] =
                    mask >> lane & 1 ? lanes[lane] >> e * l->bits % 32 & element_mask(l) : 0;
    }
}

static void scatter(ExecWarp *w, const IrOperand *regs, const TensorLayout *l, const Bits *from,
                    uint32_t mask)
{
    for (uint32_t r = 0; r < l->n_regs; r++) {
        if (regs[r].kind != IR_REG)
            continue;
        U32 *lanes = warp_dst(w, &regs[r]);
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)first_lane(left), value = 0;
            for (uint32_t e = 0; e < l->per_reg; e++)
                value |= from->v[index_of(l, lane, r, e)] << e * l->bits % 32;
            lanes[lane] = value;
        }
    }
}

/* The matrices of one instruction, and where their registers begin in vec. */
typedef struct Product {
    const IrTensor *t;
    TensorLayout layout[IR_N_PARTS];
    const IrOperand *regs[IR_N_PARTS];
    uint32_t n_quads;
} Product;

static Product product_of(const IrInst *inst)
{
    const IrTensor *t = inst->tensor;
    Product p = {.t = t, .n_quads = 1};
    const IrOperand *at = inst->vec;
    for (int part = 0; part < IR_N_PARTS; part++) {
        p.layout[part] = tensor_layout(t, part);
        p.regs[part] = at;
        at += t->n_regs[part];
    }
    if (t->op == TENSOR_MMA && t->elem[PART_A] == ELEM_F16 && t->m == 8)
        p.n_quads = QUADS;
    return p;
}

static void multiply_floats(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Product p = product_of(inst);
    const TensorSum sum = {.t = p.t, .k = p.layout[PART_A].k};
    Bits bits, c, d;
    TensorNumber a[A_MAX], b[A_MAX];
    gather(w, mask, p.regs[PART_A], &p.layout[PART_A], &bits);
    for (uint32_t i = 0; i < p.n_quads * p.t->m * sum.k; i++)
        a[i] = tensor_number((IrElem)p.t->elem[PART_A], bits.v[i]);
    gather(w, mask, p.regs[PART_B], &p.layout[PART_B], &bits);
    for (uint32_t i = 0; i < p.n_quads * p.t->n * sum.k; i++)
        b[i] = tensor_number((IrElem)p.t->elem[PART_B], bits.v[i]);
    gather(w, mask, p.regs[PART_C], &p.layout[PART_C], &c);
    for (uint32_t row = 0; row < p.n_quads * p.t->m; row++)
        for (uint32_t col = 0; col < p.t->n; col++) {
            uint32_t at = row * p.t->n + col, b_row = row / p.t->m * p.t->n + col;
            d.v[at] = tensor_sum_float(&sum, a + row * sum.k, b + b_row * sum.k, c.v[at]);
        }
    scatter(w, p.regs[PART_D], &p.layout[PART_D], &d, mask);
}

static void multiply_ints(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Product p = product_of(inst);
    const TensorSum sum = {.t = p.t, .k = p.layout[PART_A].k};
    Bits bits, c, d;
    int32_t a[A_MAX], b[A_MAX];
    gather(w, mask, p.regs[PART_A], &p.layout[PART_A], &bits);
    for (uint32_t i = 0; i < p.t->m * sum.k; i++)
        a[i] = tensor_int((IrElem)p.t->elem[PART_A], bits.v[i]);
    gather(w, mask, p.regs[PART_B], &p.layout[PART_B], &bits);
    for (uint32_t i = 0; i < p.t->n * sum.k; i++)
        b[i] = tensor_int((IrElem)p.t->elem[PART_B], bits.v[i]);
    gather(w, mask, p.regs[PART_C], &p.layout[PART_C], &c);
    for (uint32_t row = 0; row < p.t->m; row++)
        for (uint32_t col = 0; col < p.t->n; col++) {
            uint32_t at = row * p.t->n + col;
            d.v[at] = (uint32_t)tensor_sum_int(&sum, a + row * sum.k, b + col * sum.k, (int32_t)c.v[at]);
        }
    scatter(w, p.regs[PART_D], &p.layout[PART_D], &d, mask);
}

/* f64 has one element a register. */
static void gather_doubles(const ExecWarp *w, uint32_t mask, const IrOperand *regs, const TensorLayout *l,
                           double *to)
{
    for (uint32_t r = 0; r < l->n_regs; r++) {
        const uint8_t *lanes = warp_src(w, &regs[r]);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if (mask >> lane & 1)
                memcpy(&to[index_of(l, lane, r, 0)], lanes + 8 * lane, 8);
            else
                to[index_of(l, lane, r, 0)] = 0;
    }
}

static void multiply_doubles(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Product p = product_of(inst);
    const TensorSum sum = {.t = p.t, .k = p.layout[PART_A].k};
    double a[16 * 16], b[16 * 8], c[16 * 8];
    gather_doubles(w, mask, p.regs[PART_A], &p.layout[PART_A], a);
    gather_doubles(w, mask, p.regs[PART_B], &p.layout[PART_B], b);
    gather_doubles(w, mask, p.regs[PART_C], &p.layout[PART_C], c);
    for (uint32_t row = 0; row < p.t->m; row++)
        for (uint32_t col = 0; col < p.t->n; col++) {
            double *at = &c[row * p.t->n + col];
            *at = tensor_sum_double(&sum, a + row * sum.k, b + col * sum.k, *at);
        }
    for (uint32_t r = 0; r < p.t->n_regs[PART_D]; r++) {
        if (p.regs[PART_D][r].kind != IR_REG)
            continue;
        uint8_t *lanes = warp_dst(w, &p.regs[PART_D][r]);
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)first_lane(left);
            memcpy(lanes + 8 * lane, &c[index_of(&p.layout[PART_D], lane, r, 0)], 8);
        }
    }
}

IrHandler exec_tensor_handler(const IrInst *inst)
{
    if (!inst->tensor)
        return NULL;
    if (inst->tensor->op != TENSOR_MMA && inst->tensor->op != TENSOR_WMMA)
        return exec_tensor_memory_handler(inst);
    switch (inst->tensor->elem[PART_D]) {
    case ELEM_F64:
        return inst->round == ROUND_NONE || inst->round == ROUND_RN ? multiply_doubles : NULL;
    case ELEM_S32:
        return multiply_ints;
    default:
        return multiply_floats;
    }
}
