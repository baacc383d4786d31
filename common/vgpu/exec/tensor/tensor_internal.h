/* What the files of matrix instructions share.
 *
 *   tensor_place.c   which element of a matrix a lane holds in which register
 *   tensor_math.c    sums of products            tensor.c         mma and wmma.mma
 *   tensor_memory.c  wmma.load, wmma.store, ldmatrix, stmatrix, movmatrix
 */
#ifndef COMMON_VGPU_EXEC_TENSOR_TENSOR_INTERNAL_H
#define COMMON_VGPU_EXEC_TENSOR_TENSOR_INTERNAL_H

#include "common/vgpu/exec/access.h"

/* An element's row and column; quad: which of the four products of mma.m8n8k4 on f16, else 0. */
typedef struct TensorPlace {
    uint16_t row, col, quad;
} TensorPlace;

/* One matrix of an instruction, as its fragments hold it. Bits of b1 are taken in words of 32. */
typedef struct TensorLayout {
    bool wmma, col_major;
    uint8_t part;     /* PART_D PART_A PART_B PART_C */
    uint8_t elem;     /* IrElem */
    uint8_t bits;     /* of an element; 32 for b1 */
    uint8_t n_regs;   /* of a lane */
    uint8_t per_reg;  /* elements */
    uint16_t m, n, k; /* of the product; k in words for b1 */
} TensorLayout;

TensorLayout tensor_layout(const IrTensor *t, int part);
TensorPlace tensor_place(const TensorLayout *l, uint32_t lane, uint32_t reg, uint32_t element);
/* Where elements are in their matrix (B transposed, quads one after the other): the sum of what a lane adds and what an element of a
 * register does. */
enum { TENSOR_REGS_MAX = 32, TENSOR_EACH_MAX = 8 };
typedef struct TensorIndexes {
    uint32_t lane[WARP_LANES], element[TENSOR_REGS_MAX][TENSOR_EACH_MAX];
} TensorIndexes;
void tensor_indexes(const TensorLayout *l, uint32_t n_regs, TensorIndexes *x);
/* Registers that repeat earlier ones follow these. */
uint32_t tensor_different_regs(const TensorLayout *l);

/* Sums of products; see tensor_math.c for their order and rounding. a and b have k elements. */
typedef struct TensorSum {
    const IrTensor *t;
    uint32_t k;
} TensorSum;
/* significand * 2^(exponent - fraction_bits); infinities and NaNs have their sign there. */
typedef enum TensorNumberKind { TENSOR_FINITE, TENSOR_INFINITY, TENSOR_NAN } TensorNumberKind;
typedef struct TensorNumber {
    int32_t significand;
    int16_t exponent;
    uint8_t fraction_bits, kind;
} TensorNumber;

/* The value of an element's bits: floats of 32 bits and less, integers. */
TensorNumber tensor_number(IrElem elem, uint32_t bits);
int32_t tensor_int(IrElem elem, uint32_t bits);
/* Bits of f16 or f32 (t->elem[PART_D]) from bits of the element of C. */
uint32_t tensor_sum_float(const TensorSum *s, const TensorNumber *a, const TensorNumber *b, uint32_t c);

/* A matrix of finite numbers: significands as whole numbers, so that products of two are exact. A zero's exponent is below that of all
 * others. */
enum { TENSOR_MAX = 16 * 64 /* elements of the largest matrix: A of m16n8k64 */, TENSOR_ROW = 8 };
typedef struct TensorNumbers {
    float significand[TENSOR_MAX];
    int32_t exponent[TENSOR_MAX];
} TensorNumbers;
/* True when the sums of this product can be made by rows. */
bool tensor_goes_by_rows(const TensorSum *s);
/* n elements, a multiple of 8. False: some are infinite or not numbers. */
bool tensor_numbers(IrElem elem, const uint32_t *bits, uint32_t n, TensorNumbers *out);
/* What tensor_sum_float gives, for TENSOR_ROW results side by side: from a's element `a_at` on k elements, from b's `b_at` on k rows, each
 * `stride` elements on, and from c's `at` on. */
typedef struct TensorRow {
    const TensorNumbers *a, *b, *c;
    uint32_t a_at, b_at, stride, at;
} TensorRow;
void tensor_sum_row(const TensorSum *s, const TensorRow *row, uint32_t *d);

double tensor_sum_double(const TensorSum *s, const double *a, const double *b, double c);
int32_t tensor_sum_int(const TensorSum *s, const int32_t *a, const int32_t *b, int32_t c);

IrHandler exec_tensor_memory_handler(const IrInst *inst);

#endif
