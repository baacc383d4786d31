/* Matrices between registers and memory: wmma.load, wmma.store (PTX ISA 9.7.14.4.3 and .4), ldmatrix,
 * stmatrix, movmatrix (PTX ISA 9.7.14.5.15 to .17).
 *
 * wmma moves a register at a time: one access of 4 or 8 bytes when its elements lie side by side in memory,
 * else one for each element. Registers that repeat others cost no access. ldmatrix and stmatrix move rows of
 * 16 bytes: lane 8*i + j gives the address of row j of matrix i, and its elements are in lanes 4*j to 4*j+3
 * of register i.
 */
#include "common/vgpu/exec/tensor/tensor_internal.h"
#include "common/vgpu/exec/transfer.h"

#include <string.h>

enum { ROW_BYTES = 16, ROWS = 8 };

/* ---- wmma.load and wmma.store ---- */

typedef struct Fragment {
    const IrInst *inst;
    TensorLayout layout;
    uint64_t base[WARP_LANES], stride[WARP_LANES]; /* stride in elements */
} Fragment;

static void read_lanes(const ExecWarp *w, const IrOperand *o, uint64_t *to)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        to[lane] = o->kind == IR_NONE ? 0 : operand_value(w, o, lane);
}

/* Base and offset; 32-bit addresses wrap. */
static void read_addresses(const ExecWarp *w, const IrInst *inst, uint64_t *to)
{
    bool narrow = inst->src[0].kind != IR_NONE && inst->src[0].bytes == 4;
    uint64_t offset = (uint64_t)inst->offset + (inst->space == SPACE_FRAME ? w->frame_base : 0);
    read_lanes(w, &inst->src[0], to);
    for (int lane = 0; lane < WARP_LANES; lane++)
        to[lane] = narrow ? (uint32_t)(to[lane] + offset) : to[lane] + offset;
}

/* What the programming guide asks of load_matrix_sync and store_matrix_sync: a pointer of 256 bits, and lines
 * that are whole pieces of 16 bytes for elements of 16 and 32 bits (it names no other). One note for each of
 * the two. */
static void note_alignment(ExecWarp *w, const Fragment *f, uint32_t mask)
{
    enum { POINTER_BYTES = 32, LINE_BYTES = 16 };
    uint32_t bytes = f->layout.bits / 8u, pointers = 0, lines = 0;
    if (f->layout.elem == ELEM_B1 || bytes == 0 || bytes > 4)
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        pointers |= (uint32_t)(f->base[lane] % POINTER_BYTES != 0) << lane;
        lines |= (uint32_t)(bytes > 1 && f->stride[lane] * bytes % LINE_BYTES != 0) << lane;
    }
    ExecFault fault = {
        .kind = FAULT_MATRIX_ALIGNMENT, .mask = pointers, .space = f->inst->space, .addr = f->base};
    fault.detail = "its pointer must be a multiple of 32 bytes (256 bits)";
    if (pointers)
        exec_note(w, w->frame->function, f->inst, fault);
    fault.mask = lines;
    fault.detail = bytes == 4 ? "its leading dimension must be a multiple of 4 (floats: 16 bytes)"
                              : "its leading dimension must be a multiple of 8 (halves: 16 bytes)";
    if (lines)
        exec_note(w, w->frame->function, f->inst, fault);
}

static Fragment fragment_of(const ExecWarp *w, const IrInst *inst)
{
    const IrTensor *t = inst->tensor;
    Fragment f = {.inst = inst, .layout = tensor_layout(t, t->part)};
    read_addresses(w, inst, f.base);
    read_lanes(w, &inst->src[1], f.stride);
    return f;
}

/* Bits from the matrix' first element to this one. b1 is taken in words, its stride counts bits. */
static uint64_t bit_offset(const Fragment *f, uint32_t lane, uint32_t reg, uint32_t element)
{
    const TensorLayout *l = &f->layout;
    TensorPlace p = tensor_place(l, lane, reg, element);
    uint64_t line = l->col_major ? p.col : p.row, along = l->col_major ? p.row : p.col;
    if (l->elem == ELEM_B1)
        return line * f->stride[lane] + along * 32;
    return (line * f->stride[lane] + along) * l->bits;
}

/* All elements of a register lie side by side, in order. */
static bool is_packed(const Fragment *f)
{
    const TensorLayout *l = &f->layout;
    return l->per_reg == 1 || bit_offset(f, 0, 0, 1) == bit_offset(f, 0, 0, 0) + l->bits;
}

static Transfer transfer_of(ExecWarp *w, const IrInst *inst, uint8_t kind, uint32_t bytes)
{
    return (Transfer){.w = w,
                      .function = w->frame->function,
                      .inst = inst,
                      .kind = kind,
                      .space = inst->space,
                      .bytes = bytes,
                      .align = bytes};
}

static bool move_piece(ExecWarp *w, const Fragment *f, uint32_t reg, uint32_t element, uint32_t bytes,
                       uint32_t mask, uint8_t (*data)[8])
{
    bool load = f->inst->tensor->op == TENSOR_LOAD;
    uint64_t addr[WARP_LANES];
    uint8_t *host[WARP_LANES];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        addr[lane] = f->base[lane] + bit_offset(f, lane, reg, element) / 8;
    Transfer t = transfer_of(w, f->inst, load ? ACCESS_LOAD : ACCESS_STORE, bytes);
    uint32_t at = element * f->layout.bits / 8;
    t.data = load ? NULL : data[0] + at;
    t.data_stride = sizeof data[0];
    if (!transfer_reach(&t, mask, addr, host))
        return false;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        if (load)
            memcpy(data[lane] + at, host[lane], bytes);
        else
            memcpy(host[lane], data[lane] + at, bytes);
    }
    return true;
}

static bool move_register(ExecWarp *w, const Fragment *f, uint32_t reg, uint32_t mask, uint8_t (*data)[8])
{
    const TensorLayout *l = &f->layout;
    if (is_packed(f))
        return move_piece(w, f, reg, 0, l->per_reg * l->bits / 8u, mask, data);
    for (uint32_t e = 0; e < l->per_reg; e++)
        if (!move_piece(w, f, reg, e, l->bits / 8u, mask, data))
            return false;
    return true;
}

/* Values of a register, as bytes. */
static void put_register(ExecWarp *w, const IrOperand *o, uint32_t mask, uint8_t (*data)[8])
{
    uint8_t *lanes = o->kind == IR_REG ? warp_dst(w, o) : NULL;
    for (uint32_t left = lanes ? mask : 0; left; left &= left - 1)
        memcpy(lanes + o->bytes * (size_t)first_lane(left), data[first_lane(left)], o->bytes);
}

static void load_fragment(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Fragment f = fragment_of(w, inst);
    note_alignment(w, &f, mask);
    uint32_t n = tensor_different_regs(&f.layout);
    uint8_t data[16][WARP_LANES][8]; /* all is read before a register is written: one may hold the address */
    for (uint32_t r = 0; r < n; r++)
        if (!move_register(w, &f, r, mask, data[r]))
            return;
    for (uint32_t r = 0; r < f.layout.n_regs; r++)
        put_register(w, &inst->vec[r], mask, data[r % n]);
}

static void store_fragment(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Fragment f = fragment_of(w, inst);
    uint8_t data[WARP_LANES][8];
    note_alignment(w, &f, mask);
    w->polls = 0;
    for (uint32_t r = 0; r < f.layout.n_regs; r++) {
        const uint8_t *lanes = warp_src(w, &inst->vec[r]);
        for (int lane = 0; lane < WARP_LANES; lane++)
            memcpy(data[lane], lanes + inst->vec[r].bytes * (size_t)lane, inst->vec[r].bytes);
        if (!move_register(w, &f, r, mask, data))
            return;
    }
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

/* Elements of an 8 x 8 matrix of 16-bit elements <-> its register: element e of lane 4*row + i is in column
 * 2*i + e. */
static void spread(uint16_t matrix[ROWS][ROWS], bool trans, uint32_t *lanes)
{
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t line = lane / 4, at = lane % 4 * 2;
        uint32_t low = trans ? matrix[at][line] : matrix[line][at];
        uint32_t high = trans ? matrix[at + 1][line] : matrix[line][at + 1];
        lanes[lane] = low | high << 16;
    }
}

/* Lanes that do not execute give 0. */
static void unite(const U32 *lanes, uint32_t mask, bool trans, uint16_t matrix[ROWS][ROWS])
{
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        for (uint32_t e = 0; e < 2; e++) {
            uint32_t line = lane / 4, at = lane % 4 * 2 + e;
            uint16_t value = mask >> lane & 1 ? (uint16_t)(lanes[lane] >> 16 * e) : 0;
            *(trans ? &matrix[at][line] : &matrix[line][at]) = value;
        }
}

static void put_lanes(ExecWarp *w, const IrOperand *o, const uint32_t *values, uint32_t mask)
{
    U32 *lanes = o->kind == IR_REG ? warp_dst(w, o) : NULL;
    for (uint32_t left = lanes ? mask : 0; left; left &= left - 1)
        lanes[first_lane(left)] = values[first_lane(left)];
}

/* Host addresses of the rows: of the lanes that give one. */
static bool reach_rows(ExecWarp *w, const IrInst *inst, uint8_t kind, uint32_t mask,
                       uint16_t rows[WARP_LANES][ROWS], uint8_t **host)
{
    uint32_t n = inst->tensor->n_matrices * (uint32_t)ROWS;
    uint32_t givers = n == WARP_LANES ? FULL_MASK : (1u << n) - 1;
    uint64_t addr[WARP_LANES];
    read_addresses(w, inst, addr);
    Transfer t = transfer_of(w, inst, kind, ROW_BYTES);
    if (kind == ACCESS_STORE) {
        t.data = (const uint8_t *)rows;
        t.data_stride = ROW_BYTES;
    }
    return (mask & givers) == 0 || transfer_reach(&t, mask & givers, addr, host);
}

static void load_matrices(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const IrTensor *t = inst->tensor;
    uint16_t rows[WARP_LANES][ROWS] = {{0}};
    uint8_t *host[WARP_LANES] = {NULL};
    if (!reach_rows(w, inst, ACCESS_LOAD, mask, rows, host))
        return;
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (host[lane])
            memcpy(rows[lane], host[lane], ROW_BYTES);
    for (uint32_t i = 0; i < t->n_matrices; i++) {
        uint32_t values[WARP_LANES];
        spread(&rows[i * ROWS], t->trans, values);
        put_lanes(w, &inst->vec[i], values, mask);
    }
}

static void store_matrices(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const IrTensor *t = inst->tensor;
    uint16_t rows[WARP_LANES][ROWS] = {{0}};
    uint8_t *host[WARP_LANES] = {NULL};
    w->polls = 0;
    for (uint32_t i = 0; i < t->n_matrices; i++)
        unite(warp_src(w, &inst->vec[i]), mask, t->trans, &rows[i * ROWS]);
    if (!reach_rows(w, inst, ACCESS_STORE, mask, rows, host))
        return;
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (host[lane])
            memcpy(host[lane], rows[lane], ROW_BYTES);
}

static void transpose(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    uint16_t matrix[ROWS][ROWS];
    uint32_t values[WARP_LANES];
    unite(warp_src(w, &inst->src[0]), mask, false, matrix);
    spread(matrix, true, values);
    put_lanes(w, &inst->dst, values, mask);
}

/* Elements of less than a byte come in whole registers only. */
static bool moves_bytes(const IrTensor *t)
{
    TensorLayout l = tensor_layout(t, t->part);
    bool along_k = t->part == PART_A ? !l.col_major : l.col_major;
    return (l.bits >= 8 && l.elem != ELEM_B1) || along_k;
}

IrHandler exec_tensor_memory_handler(const IrInst *inst)
{
    switch ((IrTensorOp)inst->tensor->op) {
    case TENSOR_LOAD:
        return moves_bytes(inst->tensor) ? load_fragment : NULL;
    case TENSOR_STORE:
        return store_fragment;
    case TENSOR_LDMATRIX:
        return load_matrices;
    case TENSOR_STMATRIX:
        return store_matrices;
    case TENSOR_MOVMATRIX:
        return inst->tensor->trans ? transpose : NULL;
    default:
        return NULL;
    }
}
