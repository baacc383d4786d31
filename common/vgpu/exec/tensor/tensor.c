/* Products of matrices: mma and wmma.mma. The fragments of all lanes are brought together into matrices (B
 * transposed, so that sums run along rows), multiplied, and the result handed out again.
 */
#include "common/vgpu/exec/tensor/tensor_internal.h"

#include <stdlib.h>
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

/* The matrices of one instruction: where their registers begin in vec, and where the elements of these are. */
typedef struct Product {
    const IrTensor *t;
    TensorLayout layout[IR_N_PARTS];
    TensorIndexes indexes[IR_N_PARTS];
    uint32_t first[IR_N_PARTS];
    uint32_t n_quads;
    bool by_rows; /* B lies as it is, not transposed */
} Product;

static TensorSum sum_of(const Product *p)
{
    return (TensorSum){.t = p->t, .k = p->layout[PART_A].k};
}

/* From B transposed to B as it is: both parts of an index are sums of what row and column add. */
static uint32_t upright_index(const Product *p, uint32_t at)
{
    const uint32_t k = p->layout[PART_B].k;
    return at % k * p->t->n + at / k;
}

static void make_product(Product *p, const IrInst *inst)
{
    const IrTensor *t = inst->tensor;
    uint32_t first = 0;
    p->t = t;
    p->n_quads = t->op == TENSOR_MMA && t->elem[PART_A] == ELEM_F16 && t->m == 8 ? QUADS : 1;
    for (int part = 0; part < IR_N_PARTS; part++) {
        p->layout[part] = tensor_layout(t, part);
        p->first[part] = first;
        first += t->n_regs[part];
        tensor_indexes(&p->layout[part], t->n_regs[part], &p->indexes[part]);
    }
    const TensorSum sum = sum_of(p);
    const bool floats = t->elem[PART_D] == ELEM_F32 || t->elem[PART_D] == ELEM_F16;
    p->by_rows = floats && tensor_goes_by_rows(&sum);
    TensorIndexes *b = &p->indexes[PART_B];
    for (uint32_t lane = 0; p->by_rows && lane < WARP_LANES; lane++)
        b->lane[lane] = upright_index(p, b->lane[lane]);
    for (uint32_t r = 0; p->by_rows && r < t->n_regs[PART_B]; r++)
        for (uint32_t e = 0; e < p->layout[PART_B].per_reg; e++)
            b->element[r][e] = upright_index(p, b->element[r][e]);
}

/* Kept with the instruction; in `room` where the host has no memory. */
static const Product *product_of(ExecWarp *w, const IrInst *inst, Product *room)
{
    ExecPc *at = &w->pcs[inst - w->insts];
    if (at->tensor)
        return at->tensor;
    Product *p = at->tensor = malloc(sizeof *p);
    make_product(p ? p : room, inst);
    return p ? p : room;
}

/* PTX leaves undefined what lanes that do not execute would give: here it is 0. */
static void gather(const ExecWarp *w, uint32_t mask, const IrInst *inst, const Product *p, int part, Bits *to)
{
    const TensorLayout *l = &p->layout[part];
    const TensorIndexes *x = &p->indexes[part];
    const uint32_t n = tensor_different_regs(l), wanted = element_mask(l);
    for (uint32_t r = 0; r < n; r++) {
        const U32 *lanes = warp_src(w, &inst->vec[p->first[part] + r]);
        for (uint32_t e = 0; e < l->per_reg; e++) {
            uint32_t *at = to->v + x->element[r][e], shift = e * l->bits % 32;
            for (uint32_t lane = 0; lane < WARP_LANES; lane++)
                at[x->lane[lane]] = lanes[lane] >> shift & wanted;
            for (uint32_t off = ~mask; off; off &= off - 1)
                at[x->lane[first_lane(off)]] = 0;
        }
    }
}

static void scatter(ExecWarp *w, const IrInst *inst, const Product *p, const Bits *from, uint32_t mask)
{
    const TensorLayout *l = &p->layout[PART_D];
    const TensorIndexes *x = &p->indexes[PART_D];
    for (uint32_t r = 0; r < l->n_regs; r++) {
        const IrOperand *o = &inst->vec[p->first[PART_D] + r];
        if (o->kind != IR_REG)
            continue;
        U32 *lanes = warp_dst(w, o);
        uint32_t value[WARP_LANES] = {0};
        for (uint32_t e = 0; e < l->per_reg; e++) {
            const uint32_t *at = from->v + x->element[r][e], shift = e * l->bits % 32;
            for (uint32_t lane = 0; lane < WARP_LANES; lane++)
                value[lane] |= at[x->lane[lane]] << shift;
        }
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            lanes[lane] = mask >> lane & 1 ? value[lane] : lanes[lane];
    }
}

/* False: some are infinite or not numbers. */
static bool multiply_rows(const Product *p, const TensorSum *sum, const Bits *a, const Bits *b, const Bits *c, Bits *d)
{
    const IrTensor *t = p->t;
    const uint32_t m = t->m, n = t->n, k = sum->k;
    TensorNumbers a_numbers, b_numbers, c_numbers;
    if (!tensor_numbers((IrElem)t->elem[PART_A], a->v, m * k, &a_numbers) ||
        !tensor_numbers((IrElem)t->elem[PART_B], b->v, n * k, &b_numbers) ||
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
        b[i] = tensor_number((IrElem)t->elem[PART_B], b_bits->v[p->by_rows ? upright_index(p, i) : i]);
    for (uint32_t row = 0; row < p->n_quads * t->m; row++)
        for (uint32_t col = 0; col < t->n; col++) {
            uint32_t at = row * t->n + col, b_row = row / t->m * t->n + col;
            d->v[at] = tensor_sum_float(sum, a + row * sum->k, b + b_row * sum->k, c->v[at]);
        }
}

static void multiply_floats(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Product room;
    const Product *p = product_of(w, inst, &room);
    const TensorSum sum = sum_of(p);
    Bits a, b, c, d;
    gather(w, mask, inst, p, PART_A, &a);
    gather(w, mask, inst, p, PART_B, &b);
    gather(w, mask, inst, p, PART_C, &c);
    if (!p->by_rows || !multiply_rows(p, &sum, &a, &b, &c, &d))
        multiply_each(p, &sum, &a, &b, &c, &d);
    scatter(w, inst, p, &d, mask);
}

static void multiply_ints(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Product room;
    const Product *p = product_of(w, inst, &room);
    const TensorSum sum = sum_of(p);
    Bits bits, c, d;
    int32_t a[A_MAX], b[A_MAX];
    gather(w, mask, inst, p, PART_A, &bits);
    for (uint32_t i = 0; i < p->t->m * sum.k; i++)
        a[i] = tensor_int((IrElem)p->t->elem[PART_A], bits.v[i]);
    gather(w, mask, inst, p, PART_B, &bits);
    for (uint32_t i = 0; i < p->t->n * sum.k; i++)
        b[i] = tensor_int((IrElem)p->t->elem[PART_B], bits.v[i]);
    gather(w, mask, inst, p, PART_C, &c);
    for (uint32_t row = 0; row < p->t->m; row++)
        for (uint32_t col = 0; col < p->t->n; col++) {
            uint32_t at = row * p->t->n + col;
            d.v[at] = (uint32_t)tensor_sum_int(&sum, a + row * sum.k, b + col * sum.k, (int32_t)c.v[at]);
        }
    scatter(w, inst, p, &d, mask);
}

/* f64 has one element a register. */
static void gather_doubles(const ExecWarp *w, uint32_t mask, const IrInst *inst, const Product *p, int part, double *to)
{
    const TensorIndexes *x = &p->indexes[part];
    for (uint32_t r = 0; r < p->layout[part].n_regs; r++) {
        const uint8_t *lanes = warp_src(w, &inst->vec[p->first[part] + r]);
        double *at = to + x->element[r][0];
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            if (mask >> lane & 1)
                memcpy(&at[x->lane[lane]], lanes + 8 * lane, 8);
            else
                at[x->lane[lane]] = 0;
    }
}

static void multiply_doubles(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Product room;
    const Product *p = product_of(w, inst, &room);
    const TensorSum sum = sum_of(p);
    const TensorIndexes *x = &p->indexes[PART_D];
    double a[16 * 16], b[16 * 8], c[16 * 8];
    gather_doubles(w, mask, inst, p, PART_A, a);
    gather_doubles(w, mask, inst, p, PART_B, b);
    gather_doubles(w, mask, inst, p, PART_C, c);
    for (uint32_t row = 0; row < p->t->m; row++)
        for (uint32_t col = 0; col < p->t->n; col++) {
            double *at = &c[row * p->t->n + col];
            *at = tensor_sum_double(&sum, a + row * sum.k, b + col * sum.k, *at);
        }
    for (uint32_t r = 0; r < p->t->n_regs[PART_D]; r++) {
        const IrOperand *o = &inst->vec[p->first[PART_D] + r];
        if (o->kind != IR_REG)
            continue;
        uint8_t *lanes = warp_dst(w, o);
        const double *at = c + x->element[r][0];
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)first_lane(left);
            memcpy(lanes + 8 * lane, &at[x->lane[lane]], 8);
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
