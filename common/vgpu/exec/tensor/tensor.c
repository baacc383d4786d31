/* Products of matrices: mma and wmma.mma. The fragments of all lanes are brought together into matrices (B
 * transposed, so that sums run along rows), multiplied, and the result handed out again.
 */
#include "common/vgpu/exec/tensor/tensor_internal.h"

#include <string.h>

enum { QUADS = 4, A_MAX = TENSOR_MAX };

/* A matrix as bits; quads lie one after the other. */
typedef struct Bits {
    uint32_t v[A_MAX];
} Bits;

static uint32_t element_mask(const TensorLayout *l)
{
    return l->bits == 32 ? FULL_MASK : (1u << l->bits) - 1;
}

/* PTX leaves undefined what lanes that do not execute would give: here it is 0. */
static void gather(const ExecWarp *w, uint32_t mask, const IrOperand *regs, const TensorLayout *l, Bits *to)
{
    const uint32_t n = tensor_different_regs(l), wanted = element_mask(l);
    TensorIndexes x;
    tensor_indexes(l, n, &x);
    for (uint32_t r = 0; r < n; r++) {
        const U32 *lanes = warp_src(w, &regs[r]);
        for (uint32_t e = 0; e < l->per_reg; e++) {
            uint32_t *at = to->v + x.element[r][e], shift = e * l->bits % 32;
            for (uint32_t lane = 0; lane < WARP_LANES; lane++)
                at[x.lane[lane]] = mask >> lane & 1 ? lanes[lane] >> shift & wanted : 0;
        }
    }
}

static void scatter(ExecWarp *w, const IrOperand *regs, const TensorLayout *l, const Bits *from,
                    uint32_t mask)
{
    TensorIndexes x;
    tensor_indexes(l, l->n_regs, &x);
    for (uint32_t r = 0; r < l->n_regs; r++) {
        if (regs[r].kind != IR_REG)
            continue;
        U32 *lanes = warp_dst(w, &regs[r]);
        uint32_t value[WARP_LANES] = {0};
        for (uint32_t e = 0; e < l->per_reg; e++) {
            const uint32_t *at = from->v + x.element[r][e], shift = e * l->bits % 32;
            for (uint32_t lane = 0; lane < WARP_LANES; lane++)
                value[lane] |= at[x.lane[lane]] << shift;
        }
        for (uint32_t left = mask; left; left &= left - 1)
            lanes[first_lane(left)] = value[first_lane(left)];
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

/* False: some are infinite or not numbers. */
static bool multiply_rows(const Product *p, const TensorSum *sum, const Bits *a, const Bits *b, const Bits *c, Bits *d)
{
    const IrTensor *t = p->t;
    const uint32_t m = t->m, n = t->n, k = sum->k;
    Bits upright; /* B as it is, not transposed */
    TensorNumbers a_numbers, b_numbers, c_numbers;
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t col = 0; col < n; col++)
            upright.v[i * n + col] = b->v[col * k + i];
    if (!tensor_numbers((IrElem)t->elem[PART_A], a->v, m * k, &a_numbers) ||
        !tensor_numbers((IrElem)t->elem[PART_B], upright.v, n * k, &b_numbers) ||
        !tensor_numbers((IrElem)t->elem[PART_C], c->v, m * n, &c_numbers))
        return false;
    TensorRow row = {.a = &a_numbers, .b = &b_numbers, .c = &c_numbers, .stride = n};
    for (; row.at < m * n; row.at += TENSOR_ROW) {
        row.a_at = row.at / n * k;
        row.b_at = row.at % n;
        tensor_sum_row(sum, &row, d->v + row.at);
    }
    return true;
}

static void multiply_each(const Product *p, const TensorSum *sum, const Bits *a_bits, const Bits *b_bits, const Bits *c, Bits *d)
{
    const IrTensor *t = p->t;
    TensorNumber a[A_MAX], b[A_MAX];
    for (uint32_t i = 0; i < p->n_quads * t->m * sum->k; i++)
        a[i] = tensor_number((IrElem)t->elem[PART_A], a_bits->v[i]);
    for (uint32_t i = 0; i < p->n_quads * t->n * sum->k; i++)
        b[i] = tensor_number((IrElem)t->elem[PART_B], b_bits->v[i]);
    for (uint32_t row = 0; row < p->n_quads * t->m; row++)
        for (uint32_t col = 0; col < t->n; col++) {
            uint32_t at = row * t->n + col, b_row = row / t->m * t->n + col;
            d->v[at] = tensor_sum_float(sum, a + row * sum->k, b + b_row * sum->k, c->v[at]);
        }
}

static void multiply_floats(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Product p = product_of(inst);
    const TensorSum sum = {.t = p.t, .k = p.layout[PART_A].k};
    Bits a, b, c, d;
    gather(w, mask, p.regs[PART_A], &p.layout[PART_A], &a);
    gather(w, mask, p.regs[PART_B], &p.layout[PART_B], &b);
    gather(w, mask, p.regs[PART_C], &p.layout[PART_C], &c);
    if (!tensor_goes_by_rows(&sum) || !multiply_rows(&p, &sum, &a, &b, &c, &d))
        multiply_each(&p, &sum, &a, &b, &c, &d);
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
    TensorIndexes x;
    tensor_indexes(l, l->n_regs, &x);
    for (uint32_t r = 0; r < l->n_regs; r++) {
        const uint8_t *lanes = warp_src(w, &regs[r]);
        double *at = to + x.element[r][0];
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if (mask >> lane & 1)
                memcpy(&at[x.lane[lane]], lanes + 8 * lane, 8);
            else
                at[x.lane[lane]] = 0;
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
    TensorIndexes x;
    tensor_indexes(&p.layout[PART_D], p.t->n_regs[PART_D], &x);
    for (uint32_t r = 0; r < p.t->n_regs[PART_D]; r++) {
        if (p.regs[PART_D][r].kind != IR_REG)
            continue;
        uint8_t *lanes = warp_dst(w, &p.regs[PART_D][r]);
        const double *at = c + x.element[r][0];
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)first_lane(left);
            memcpy(lanes + 8 * lane, &at[x.lane[lane]], 8);
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
