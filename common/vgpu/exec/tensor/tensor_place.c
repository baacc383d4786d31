/* Where the elements of a matrix are (PTX ISA 9.7.14.5). With g = lane / 4, t = lane % 4, and E elements in a
 * register:
 *
 *      A, 16 rows       register   row                  columns
 *      (8 rows: no      0          g                    t*E .. t*E+E-1
 *       g+8)            1          g+8                  t*E ..
 *                       2          g                    4*E + t*E ..
 *                       3          g+8                  4*E + t*E ..        and so on
 *      B                r          4*E*r + t*E ..       g
 *      C and D          elements 0 1 at row g, columns 2t 2t+1; elements 2 3 at row g+8
 *
 * PTX leaves the fragments of wmma open. Here they are those of mma on tiles of 16 x 8: the second tile's
 * registers follow the first one's; what then is left of a fragment repeats it. m8n32 is m32n8 with
 * everything transposed.
 */
#include "common/vgpu/exec/tensor/tensor_internal.h"

TensorLayout tensor_layout(const IrTensor *t, int part)
{
    TensorLayout l = {.wmma = t->op != TENSOR_MMA,
                      .col_major = t->col[part],
                      .part = (uint8_t)part,
                      .elem = t->elem[part],
                      .n_regs = t->n_regs[part],
                      .m = t->m,
                      .n = t->n,
                      .k = t->k};
    bool bits = t->elem[part] == ELEM_B1 || t->k >= 128;
    l.bits = l.elem == ELEM_B1 ? 32 : (uint8_t)ir_elem_bits((IrElem)l.elem);
    l.k = bits ? t->k / 32 : t->k;
    l.per_reg = l.bits == 64 ? 1 : 32 / l.bits;
    return l;
}

static bool is_quads(const TensorLayout *l)
{
    return !l->wmma && l->m == 8 && l->n == 8 && l->k == 4 && l->bits <= 32 && l->elem != ELEM_B1 &&
           l->elem != ELEM_S32;
}

/* mma.m8n8k4 on f16: lanes q*4 .. q*4+3 and 16 more than these make product q. */
static TensorPlace place_in_quads(const TensorLayout *l, uint32_t lane, uint32_t reg, uint32_t element)
{
    uint32_t i = reg * l->per_reg + element, high = lane >= 16 ? 4 : 0;
    uint32_t line = lane % 4 + high; /* row of A and C, column of B */
    TensorPlace p = {.quad = (uint16_t)(lane % 16 / 4)};
    if (l->part == PART_A) {
        p.row = (uint16_t)(l->col_major ? i + high : line);
        p.col = (uint16_t)(l->col_major ? lane % 4 : i);
    } else if (l->part == PART_B) {
        p.row = (uint16_t)(l->col_major ? i : lane % 4);
        p.col = (uint16_t)(l->col_major ? line : i + high);
    } else if (l->bits == 16) {
        p.row = (uint16_t)line;
        p.col = (uint16_t)i;
    } else {
        p.row = (uint16_t)((lane & 1) + (i & 2) + high);
        p.col = (uint16_t)((i & 4) + (lane & 2) + (i & 1));
    }
    return p;
}

static TensorPlace place_a(uint32_t rows, uint32_t per_reg, uint32_t lane, uint32_t reg, uint32_t element)
{
    uint32_t g = lane / 4, t = lane % 4, tall = rows >= 16;
    return (TensorPlace){.row = (uint16_t)(g + (tall ? reg % 2 * 8 : 0)),
                         .col = (uint16_t)((reg >> tall) * 4 * per_reg + t * per_reg + element)};
}

static TensorPlace place_b(uint32_t per_reg, uint32_t lane, uint32_t reg, uint32_t element)
{
    return (TensorPlace){.row = (uint16_t)(reg * 4 * per_reg + lane % 4 * per_reg + element),
                         .col = (uint16_t)(lane / 4)};
}

static TensorPlace place_c(uint32_t per_reg, uint32_t lane, uint32_t reg, uint32_t element)
{
    uint32_t i = reg * per_reg + element;
    return (TensorPlace){.row = (uint16_t)(lane / 4 + i / 2 * 8), .col = (uint16_t)(lane % 4 * 2 + i % 2)};
}

/* The matrix as m32n8 and m16n16 have it: for m8n32 the transposed one. */
static TensorLayout upright(const TensorLayout *l)
{
    TensorLayout u = *l;
    if (!(l->m == 8 && l->n == 32))
        return u;
    u.m = l->n;
    u.n = l->m;
    u.part = l->part == PART_A ? PART_B : l->part == PART_B ? PART_A : l->part;
    return u;
}

/* Registers of one tile: 16 (or 8) x k of A, k x 8 of B, 16 (or 8) x 8 of C and D. */
static uint32_t tile_regs(const TensorLayout *l)
{
    uint32_t rows = l->m >= 16 ? 16 : 8;
    uint32_t elements = l->part == PART_A ? rows * l->k : l->part == PART_B ? l->k * 8u : rows * 8;
    return elements / WARP_LANES / l->per_reg;
}

static uint32_t n_tiles(const TensorLayout *l)
{
    uint32_t down = l->m >= 16 ? l->m / 16u : 1, across = l->n / 8u;
    return l->part == PART_A ? down : l->part == PART_B ? across : down * across;
}

uint32_t tensor_different_regs(const TensorLayout *l)
{
    TensorLayout u = upright(l);
    uint32_t n = tile_regs(&u) * n_tiles(&u);
    return n < l->n_regs && !is_quads(l) ? n : l->n_regs;
}

/* A matrix in tiles. */
typedef struct Tiling {
    const TensorLayout *l;
    TensorLayout upright;
    uint32_t each, tiles; /* registers of one; how many */
    bool quads;
} Tiling;

static Tiling tiling_of(const TensorLayout *l)
{
    Tiling t = {.l = l, .upright = upright(l), .quads = is_quads(l)};
    t.each = tile_regs(&t.upright);
    t.tiles = n_tiles(&t.upright);
    return t;
}

static TensorPlace place_in_tiling(const Tiling *t, uint32_t lane, uint32_t reg, uint32_t element)
{
    if (t->quads)
        return place_in_quads(t->l, lane, reg, element);
    const TensorLayout *u = &t->upright;
    uint32_t tile = reg < t->each ? 0 : reg / t->each % t->tiles, in_tile = reg < t->each ? reg : reg % t->each;
    TensorPlace p;
    if (u->part == PART_A)
        p = place_a(u->m, u->per_reg, lane, in_tile, element);
    else if (u->part == PART_B)
        p = place_b(u->per_reg, lane, in_tile, element);
    else
        p = place_c(u->per_reg, lane, in_tile, element);
    bool down = u->part == PART_A || (u->part != PART_B && u->m == 32);
    p.row = (uint16_t)(p.row + (down ? tile * 16 : 0));
    p.col = (uint16_t)(p.col + (down ? 0 : tile * 8));
    if (u->m != t->l->m)
        p = (TensorPlace){.row = p.col, .col = p.row};
    return p;
}

TensorPlace tensor_place(const TensorLayout *l, uint32_t lane, uint32_t reg, uint32_t element)
{
    const Tiling t = tiling_of(l);
    return place_in_tiling(&t, lane, reg, element);
}

/* Index of an element in its matrix; B lies transposed. */
static uint32_t index_of(const Tiling *t, uint32_t lane, uint32_t reg, uint32_t element)
{
    const TensorLayout *l = t->l;
    const TensorPlace p = place_in_tiling(t, lane, reg, element);
    const uint32_t rows = l->part == PART_B ? l->n : l->m, columns = l->part == PART_A || l->part == PART_B ? l->k : l->n;
    const uint32_t row = l->part == PART_B ? p.col : p.row, col = l->part == PART_B ? p.row : p.col;
    return (p.quad * rows + row) * columns + col;
}

void tensor_indexes(const TensorLayout *l, uint32_t n_regs, TensorIndexes *x)
{
    const Tiling t = tiling_of(l);
    x->lane[0] = 0; /* as all is at lane 0, register 0, element 0 */
    for (uint32_t bit = 1; bit < WARP_LANES; bit *= 2) {
        const uint32_t more = index_of(&t, bit, 0, 0);
        for (uint32_t lane = 0; lane < bit; lane++)
            x->lane[bit + lane] = x->lane[lane] + more;
    }
    for (uint32_t reg = 0; reg < n_regs; reg++)
        for (uint32_t e = 0; e < l->per_reg; e++)
            x->element[reg][e] = index_of(&t, 0, reg, e);
}
