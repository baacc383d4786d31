/* ir: the decoded form of PTX code that exec runs.
 *
 * A warp has 32 lanes. A register is an array of 32 elements (one a lane) at a fixed byte offset in the
 * register file of a function's frame; a predicate register is one uint32_t with a bit a lane:
 *
 *      register file   +-----------------------+----------------------------+--------+-----
 *                      | %r1: u32[32], 128 B   | %rd1: u64[32], 256 B       | %p1 u32| ...
 *                      +-----------------------+----------------------------+--------+-----
 *
 * An immediate, a global's address, a function's address is a register too, in the function's constant pool
 * (all 32 lanes alike), so that a handler reads every source operand the same way. Registers and constants of
 * 32 bits and more start at multiples of 64 bytes; 16-bit registers are u16[32]; .b128 is u64[2][32] (low halves first).
 *
 * What decoding promises to exec:
 *  - every source operand is IR_REG or IR_CONST, except in PTX_MOV, whose source may be IR_SREG (a special register)
 *    or IR_FRAME (the address of a local variable, or of a parameter of a device function: frame base + off).
 *    Where PTX uses such an operand elsewhere, decoding puts a PTX_MOV to a scratch register before it;
 *  - constants have the width that the operation reads, registers may be wider than the operation's type for
 *    ld, st, cvt, mov (PTX ISA 9.4.1): the operand's `bytes` tells;
 *  - a function ends with exactly one PTX_RET at `epilogue`; any other `ret` has become a branch to it;
 *  - each conditional branch carries the pc where its sides meet again (immediate post-dominator);
 *  - a predicate destination is written in the guard's lanes only;
 *  - widths fit: a register operand is exactly as wide as the operation reads or writes it (but where it may be wider,
 *    above), so a handler never leaves a register's lanes; the arguments of a direct call have their parameters' sizes
 *    (those of an indirect call are for exec to compare);
 *  - registers share storage when their lives do not overlap. No source of an instruction shares it with a destination
 *    of the same instruction unless PTX names one register twice. What a register holds before its first write is undefined;
 *  - an instruction that cannot be decoded (opcode or modifier not in the tables) is a PTX_UNSUPPORTED with its guard
 *    and `text`, so that the kernels that never reach it can run. IrModule.n_unsupported counts them.
 *
 * How some opcodes use the fields:
 *    dp4a dp2a   type, type2: those of a and b. dp2a.hi: hi
 *    shf         mode: IrShift, hi: .r
 *    shfl        src: a, b, c, membermask; dst2: p   vote                  src: p, membermask; dst a predicate but for ballot
 *    match       mode VOTE_ANY or VOTE_ALL; src: a, membermask; dst2: p (all)          redux: mode IrAtom; src: a, membermask
 *    bar         BAR_SYNC, BAR_ARRIVE: src: a, b (or NONE); BAR_RED_*: src: a, b (or NONE), predicate; BAR_WARP: src: membermask
 *    lop3        src: a, b, c; mode: the table; with .or .and: boolean, dst2 = p, src[3] = q
 *    isspacep    dst a predicate, src[0] the address           griddepcontrol mode 0: wait, 1: launch_dependents
 *    cvta        type U64 or U32                               membar: sem SC and scope; fence: sem (ACQ_REL when not given) and scope
 *    ld st       of the parameters of device functions and of call temporaries: SPACE_FRAME without a base; through a
 *                register: SPACE_LOCAL. ld.param of an entry: SPACE_PARAM, base NONE or an offset in a register
 *
 * IrModule is immutable once decoded, and shared by devices; IrInstance (addresses of globals, relocated constant
 * pools) is made for each device that loads it. Both own all they point to, in one arena each.
 */
#ifndef COMMON_VGPU_IR_IR_H
#define COMMON_VGPU_IR_IR_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/vgpu/ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

enum { WARP_LANES = 32 };

struct ExecWarp; /* exec's own; ir only stores the pointer to the handler */
struct IrInst;
typedef void (*IrHandler)(struct ExecWarp *warp, const struct IrInst *inst, uint32_t mask);

typedef enum IrOperandKind { IR_NONE, IR_REG, IR_CONST, IR_FRAME, IR_SREG } IrOperandKind;

typedef struct IrOperand {
    uint8_t kind;    /* IrOperandKind */
    uint8_t bytes;   /* width of one lane: 2 4 8 16; 0 for a predicate */
    bool negated;    /* predicates: read as !p */
    uint32_t off;    /* byte offset in register file or constant pool; frame offset; PtxSreg */
} IrOperand;

typedef enum IrRound { ROUND_NONE, ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA, ROUND_RNI, ROUND_RZI, ROUND_RMI, ROUND_RPI } IrRound;
typedef enum IrCmp { /* PTX ISA 9.3.1.1, 9.3.1.2: unordered forms are true when an operand is NaN */
    CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_LO, CMP_LS, CMP_HI, CMP_HS,
    CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN
} IrCmp;
typedef enum IrBool { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR } IrBool;
typedef enum IrMul { MUL_NONE, MUL_LO, MUL_HI, MUL_WIDE } IrMul;
typedef enum IrSpace {
    SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST,
    SPACE_PARAM, /* the kernel's parameter buffer, one for all threads */
    SPACE_FRAME, /* device functions' parameters and call temporaries: frame base + offset in the lane's local memory */
} IrSpace;
typedef enum IrSem { SEM_WEAK, SEM_VOLATILE, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC, SEM_NC /* ld.global.nc */ } IrSem;
typedef enum IrScope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS } IrScope;
typedef enum IrAtom { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS, ATOM_INC, ATOM_DEC } IrAtom;
typedef enum IrShfl { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX } IrShfl;
typedef enum IrVote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT } IrVote;
typedef enum IrBar { BAR_SYNC, BAR_ARRIVE, BAR_RED_POPC, BAR_RED_AND, BAR_RED_OR, BAR_WARP } IrBar;
typedef enum IrShift { SHIFT_CLAMP, SHIFT_WRAP } IrShift; /* shf, bmsk */
typedef enum IrPrmt { PRMT_DEFAULT, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 } IrPrmt;
typedef enum IrTestp { TESTP_FINITE, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL, TESTP_SUBNORMAL } IrTestp;

/* Elements of matrices (PTX ISA 9.7.14). */
typedef enum IrElem { ELEM_NONE, ELEM_F16, ELEM_BF16, ELEM_TF32, ELEM_F32, ELEM_F64, ELEM_S8, ELEM_U8, ELEM_S4, ELEM_U4, ELEM_B1, ELEM_E4M3, ELEM_E5M2, ELEM_S32 } IrElem;
typedef enum IrTensorOp { TENSOR_NONE, TENSOR_MMA, TENSOR_WMMA, TENSOR_LOAD, TENSOR_STORE, TENSOR_LDMATRIX, TENSOR_STMATRIX, TENSOR_MOVMATRIX } IrTensorOp;
enum { PART_D, PART_A, PART_B, PART_C, IR_N_PARTS };

/* What an instruction on matrices does. IrInst.vec has the registers of its fragments: those of d (or what is loaded) first,
 * n_out of them, then those of a, b and c, or what is stored. src[0] is the address, src[1] the leading dimension, src[3] the
 * lanes that take part: always all 32. */
typedef struct IrTensor {
    uint8_t op;                 /* IrTensorOp */
    uint8_t part;               /* TENSOR_LOAD, TENSOR_STORE: which matrix */
    uint16_t m, n, k;           /* D is m x n, A m x k, B k x n */
    uint8_t elem[IR_N_PARTS];   /* IrElem of D A B C; of what is loaded or stored in [part] */
    uint8_t n_regs[IR_N_PARTS]; /* registers of a fragment of D A B C */
    bool col[IR_N_PARTS];       /* column-major: A and B of an operation; [part] */
    bool sat, trans, bit_and;   /* .satfinite; .trans; b1: and.popc, else xor.popc */
    uint8_t n_out, n_matrices;  /* ldmatrix, stmatrix: 8 x 8 matrices */
} IrTensor;

unsigned ir_elem_bits(IrElem elem);

/* Textures and surfaces (PTX ISA 9.7.10, 9.7.11), through handles: bindless, as nvcc writes them. */
typedef enum IrTextureOp { TEXTURE_SAMPLE, TEXTURE_GATHER, TEXTURE_QUERY, SURFACE_LOAD, SURFACE_STORE, SURFACE_QUERY } IrTextureOp;
typedef enum IrTextureShape { TEXTURE_1D, TEXTURE_2D, TEXTURE_3D, TEXTURE_A1D, TEXTURE_A2D, TEXTURE_CUBE, TEXTURE_ACUBE } IrTextureShape;
typedef enum IrTextureBound { TEXTURE_TRAP, TEXTURE_CLAMP, TEXTURE_ZERO } IrTextureBound; /* a surface access outside */
typedef enum IrTextureQuery {
    QUERY_WIDTH, QUERY_HEIGHT, QUERY_DEPTH, QUERY_ARRAY_SIZE, QUERY_CHANNEL_DATA_TYPE, QUERY_CHANNEL_ORDER,
    QUERY_NORMALIZED_COORDS, QUERY_FORCE_UNNORMALIZED, QUERY_FILTER_MODE, QUERY_ADDR_MODE_0, QUERY_ADDR_MODE_1,
    QUERY_ADDR_MODE_2, QUERY_MIPMAP_LEVELS, QUERY_SAMPLES, QUERY_MEMORY_LAYOUT,
} IrTextureQuery;

/* What a texture or surface instruction does. src[0] is the handle. IrInst.vec: n_out registers that are written, then n_coords
 * coordinates (the layer of an array first), then what a store writes. type: of the elements, type2: of the coordinates (S32 or
 * F32; surfaces: S32). dst2: a predicate that becomes true (residency of sparse textures), or NONE. dst: a query's result. The
 * level and the gradients are decoded away: there are no mipmaps. */
typedef struct IrTexture {
    uint8_t op, shape;      /* IrTextureOp, IrTextureShape */
    uint8_t n_out, n_coords, n_values;
    uint8_t component;      /* TEXTURE_GATHER: 0 to 3 */
    uint8_t bound, query;   /* IrTextureBound, IrTextureQuery */
    bool level, grad;       /* operands for them follow */
} IrTexture;

/* Video instructions (PTX ISA 9.7.18), and cvt.pack (9.7.9.22): operations on parts of 32-bit registers. Scalar ones (n_parts 1)
 * work on a byte, a half or all of a and b, sign- or zero-extended; SIMD ones on n_parts halves or bytes side by side, picked
 * from both sources (a's parts count from 0, b's follow). src: a, b, c. */
typedef enum IrVideoOp { VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_AVRG, VIDEO_SET, VIDEO_SHL, VIDEO_SHR, VIDEO_MAD, VIDEO_PACK } IrVideoOp;
typedef enum IrVideoSecond { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX } IrVideoSecond;
typedef struct IrVideo {
    uint8_t op;                  /* IrVideoOp */
    uint8_t n_parts;             /* 1 2 4; VIDEO_PACK: 1 */
    uint8_t second;              /* IrVideoSecond: with c; SIMD: SECOND_ADD adds the parts up, and c */
    bool d_signed, a_signed, b_signed, sat;
    bool clamp;                  /* shifts: counts stop at 32, else they are taken modulo 32 */
    bool plus_one;               /* vmad.po */
    uint8_t scale;               /* vmad: 0, 7, 15 */
    uint8_t pack_bits;           /* VIDEO_PACK: 2 4 8 16 */
    bool a_minus, b_minus, c_minus; /* vmad */
    struct { uint8_t bytes, index; } d, a, b; /* scalar: the part; 4 bytes: all of it. d: the rest is c's */
    uint8_t mask;                /* SIMD: bit i: part i of d is written, or added up */
    uint8_t a_pick[4], b_pick[4]; /* SIMD: part i of a and of b */
} IrVideo;

/* Operations around asynchronous copies (rows of async.def), and what goes with thread block clusters: a block is a cluster
 * of its own here. */
typedef enum IrAsync {
    ASYNC_NONE,
    ASYNC_NOP,            /* hints, and fences between proxies */
    ASYNC_ZERO,           /* dst = 0: createpolicy, getctarank */
    ASYNC_MAPA,           /* dst = src[0] */
    ASYNC_COPY,           /* src: to, from, bytes to read (or NONE), predicate: read nothing (or NONE); offset: bytes to write */
    ASYNC_COMMIT, ASYNC_WAIT_GROUP /* mode: groups that may be left */, ASYNC_WAIT_ALL,
    ASYNC_ARRIVE_AFTER, ASYNC_ARRIVE_AFTER_NOINC, /* cp.async.mbarrier.arrive; src: barrier */
    ASYNC_BULK_LOAD,      /* src: to (shared), from (global or shared: ASYNC_BULK_LOAD_SHARED), bytes, barrier */
    ASYNC_BULK_LOAD_SHARED,
    ASYNC_BULK_STORE,     /* src: to (global), from (shared), bytes */
    ASYNC_BULK_COMMIT, ASYNC_BULK_WAIT,
    ASYNC_MBAR_INIT, ASYNC_MBAR_INVAL,            /* src[0]: the barrier, here and below */
    ASYNC_MBAR_ARRIVE, ASYNC_MBAR_ARRIVE_TX,      /* dst: state, or NONE; src[1]: count (or NONE), bytes to come */
    ASYNC_MBAR_DROP, ASYNC_MBAR_DROP_TX,
    ASYNC_MBAR_EXPECT_TX, ASYNC_MBAR_COMPLETE_TX, /* src[1]: bytes */
    ASYNC_MBAR_TEST, ASYNC_MBAR_TEST_PARITY,      /* dst: predicate; src[1]: state, parity */
    ASYNC_MBAR_PENDING,                           /* dst: count; src[0]: state */
    ASYNC_CLUSTER_ARRIVE, ASYNC_CLUSTER_WAIT,
} IrAsync;

enum { IR_NO_PC = 0xFFFFFFFFu, IR_N_WIDTHS = 5 };

/* Limits; one past any of them is STATUS_LIMIT. */
enum {
    IR_FRAME_BYTES_MAX = 512 * 1024,    /* local memory of one function's frame (CUDA: 512 KiB a thread) */
    IR_PARAM_BYTES_MAX = 32764,         /* a kernel's parameters (CUDA 12.1 and newer, PTX ISA 5.1.6.1) */
    IR_SHARED_VARIABLES_MAX = 4096,     /* in a module */
    IR_SHARED_BYTES_MAX = 1 << 24,      /* static shared memory of one kernel, to keep sums small; devices allow far less */
    IR_REGISTER_BYTES_MAX = 1 << 28,    /* register file of one frame, for a warp */
    IR_POOL_BYTES_MAX = 1 << 28,        /* constants of one function */
};

typedef struct IrCall IrCall;

typedef struct IrInst {
    IrHandler handler;  /* exec binds it; NULL until then */
    uint16_t opcode;    /* PtxOpcode */
    uint8_t type;       /* PtxType of the operation (of the result in cvt, set, slct, dp4a, wide forms: of the sources in mul.wide) */
    uint8_t type2;      /* second type: source of cvt and set, comparison of slct, b operand of dp4a; else NONE */
    IrOperand guard;    /* predicate register of @p or @!p (negated), or IR_NONE */

    IrOperand dst;      /* d */
    IrOperand dst2;     /* q of setp p|q, shfl d|p, carry-free; IR_NONE */
    IrOperand src[4];   /* a b c d. ld/st/atom/red: src[0] is the address base (IR_NONE: offset alone), src[1..] the values */
    int64_t offset;     /* ld/st/atom/red/prefetch: added to the base */
    IrOperand *vec;     /* .v2 .v4 .v8: the n_vec registers of ld's result or st's value (IR_NONE for '_'); else NULL.
                         * mov: {a,b} packed into dst (src[0] is IR_NONE; sources may be IR_CONST), or src[0] unpacked into {a,b}
                         * (dst is IR_NONE; IR_NONE for '_'); each element has bits(type) / n_vec bits, lowest first.
                         * atom on vectors: old values, then operands (n_vec counts both); red: operands */

    uint8_t n_vec;      /* 1 when scalar */
    uint8_t round;      /* IrRound */
    uint8_t cmp;        /* IrCmp */
    uint8_t boolean;    /* IrBool: combines with predicate src[2] in setp, src[2] in set */
    uint8_t mode;       /* by opcode: IrMul IrAtom IrShfl IrVote IrBar IrShift IrPrmt IrTestp; lop3: the table (immLut) */
    uint8_t space;      /* IrSpace of ld st atom red cvta isspacep */
    uint8_t sem, scope; /* IrSem, IrScope */
    bool ftz, sat, approx, full; /* full: div.full; approx: .approx */
    bool carry_in, carry_out;    /* addc subc madc; .cc */
    bool to;            /* cvta.to.space (generic -> space); false: space -> generic */
    bool abs, nan, xorsign; /* min/max.NaN.xorsign.abs; set by their modifiers */
    bool relu;
    bool finite;        /* cvt.satfinite to 16 bits: the largest number in place of infinity */
    bool result_unused; /* atom: nobody reads the result, so it commutes like red */
    bool uniform;       /* bra.uni, call.uni; bar, barrier.aligned: all threads of a warp come by the same instruction */
    bool shiftamt, hi;  /* bfind.shiftamt; hi: dp2a.hi, shf.r (right) */

    uint32_t target;     /* bra: pc */
    uint32_t reconverge; /* conditional bra, brx.idx, indirect call: pc where the sides meet; IR_NO_PC: at the function's end */
    uint32_t loc;        /* index in IrFunction.locs */
    IrCall *call;        /* call; else NULL */
    uint32_t *targets;   /* brx.idx: n_targets pcs */
    uint32_t n_targets;
    const IrTensor *tensor; /* wmma mma ldmatrix stmatrix movmatrix; else NULL */
    const IrTexture *texture; /* tex tld4 txq suld sust suq; else NULL */
    const IrVideo *video; /* vadd .. vset4, cvt.pack; else NULL */
    uint8_t wide;        /* exec binds it: what it does when it runs for a whole block (exec/wide.h) */
    uint8_t n_src;       /* exec binds it: src[n_src] and those after it are IR_NONE */
    uint8_t async;       /* IrAsync; `space` is that of a barrier's address, or of both addresses of a copy: see there */
    const char *text;    /* PTX_UNSUPPORTED: its PTX text and what is not supported; else NULL */
    uint32_t ptx_line;   /* line in the module's PTX text; 0 for what decoding added */
} IrInst;

/* One argument or result of a call: a .param variable's place in a frame. */
typedef struct IrParam {
    const char *name;
    uint32_t offset; /* kernel: in the parameter buffer; device function: in the frame */
    uint32_t bytes, align;
    uint8_t type;    /* PtxType; B8 with bytes > 1 for structures */
} IrParam;

typedef enum IrBuiltin {
    BUILTIN_NONE,
#define X(name, ...) BUILTIN_##name,
#include "common/vgpu/ir/builtins.def"
#undef X
    BUILTIN_UNRESOLVED
} IrBuiltin;

struct IrCall {
    int32_t function;    /* index in IrModule.functions; -1: indirect through src[0] of the instruction */
    uint8_t builtin;     /* IrBuiltin, for extern functions that the device itself provides */
    const char *name;    /* callee's name, for messages; "" when indirect */
    IrParam *args, *results; /* caller's .param temporaries: offsets in the caller's frame */
    uint32_t n_args, n_results;
};

/* A place in the student's source. Inlined code has a chain: parent is the place it was inlined into. */
typedef struct IrLoc {
    uint32_t file;      /* index in IrModule.files; 0 with line 0: unknown */
    uint32_t line, column;
    int32_t parent;     /* index in locs, or -1 */
    const char *function; /* name of the inlined function, or NULL */
} IrLoc;

/* A value that is known only when a module is loaded: symbol's address + addend, written to all lanes. */
typedef struct IrReloc {
    uint32_t off;       /* in the constant pool, or in a global's initialiser */
    uint8_t bytes;      /* 8; in initialisers 1 to 8 */
    uint8_t is_function;
    uint32_t symbol;    /* index in IrModule.globals or .functions */
    int64_t addend;
    uint8_t shift;      /* initialisers only, with bytes 1: this byte of the address is (address >> shift) & 255 */
} IrReloc;

/* How PTX spells registers: number first is name, or of a range name and 0, the next name and 1, and so on. */
typedef struct IrRegName {
    const char *name;
    uint32_t first, count;
    bool is_range;
} IrRegName;

/* A register that an instruction writes. */
typedef struct IrWrite {
    uint32_t reg;  /* PTX's own: its number */
    uint32_t off;  /* in the register file */
    uint8_t bytes; /* as in IrOperand */
} IrWrite;

/* Where a variable of the source is in instructions [begin, end): from debug information. */
typedef struct IrVariable {
    const char *name;
    uint8_t type;   /* PtxType of an element; B64: an address */
    uint32_t count; /* elements of an array; 0: it is none */
    bool in_local;
    uint32_t place; /* a register's number, or bytes from the beginning of the function's frame */
    uint32_t begin, end;
} IrVariable;

typedef struct IrFunction {
    const char *name;
    bool is_entry, is_extern;
    IrInst *insts;
    uint32_t n_insts, epilogue;
    IrLoc *locs;
    uint32_t n_locs;
    IrRegName *reg_names;
    uint32_t n_reg_names, n_regs; /* n_regs: that PTX declares */
    IrWrite *writes;
    uint32_t *write_at; /* [pc]: an instruction's first one; those of pc end where those of pc + 1 begin */
    IrVariable *variables;
    uint32_t n_variables;
    uint32_t reg_bytes;   /* register file of one frame, for a warp */
    uint32_t reg_at[IR_N_WIDTHS + 1]; /* where the registers of 16, 8, 4, 2 bytes a lane and the predicates begin; the end */
    IrOperand *unset;     /* entry: registers that may be read before anything is written to them, but for predicates */
    uint32_t n_unset;
    uint32_t n_regs32;    /* 32-bit registers a thread would need, an estimate for attributes and occupancy */
    uint32_t n_regs32_least; /* those that no compilation does without; launch bounds make it spill */
    uint8_t *pool;        /* constant pool before relocation */
    uint32_t pool_bytes;
    IrReloc *relocs;
    uint32_t n_relocs;
    uint32_t frame_bytes; /* local memory of one frame, for a lane: params, results, call temporaries, local variables; multiple of 16 */
    uint32_t locals_begin, locals_end; /* where its local variables lie in the frame; equal: it has none */
    IrParam *params, *results;
    uint32_t n_params, n_results;
    uint32_t *shared_variable; /* [pc] of an access: which shared variable its address is a place of, the index of the global + 1; 0: not known. NULL: it uses none */
    uint32_t param_bytes; /* entry: size of the parameter buffer */
    uint32_t static_shared_bytes;  /* entry: static shared memory it and its callees use */
    uint32_t max_threads, req_ntid[3], min_blocks; /* .maxntid (product), .reqntid, .minnctapersm; 0: not given */
    uint32_t cluster[3];                           /* .reqnctapercluster; 0: not given */
    bool uses_dynamic_shared, uses_grid_sync /* reads %envreg1 or 2 */, uses_clock /* it, or what it may call; exec binds it */, has_lines /* .loc seen */;
} IrFunction;

typedef struct IrGlobal {
    const char *name;
    uint8_t space;      /* SPACE_GLOBAL, SPACE_CONST; SPACE_SHARED: `address` is its offset in the block's shared memory */
    bool managed, is_extern, is_dynamic_shared;
    uint64_t bytes;     /* 0 for extern arrays without size */
    uint32_t align;
    uint32_t shared_offset;
    uint8_t *init;      /* NULL: zeros */
    uint32_t init_bytes;
    IrReloc *relocs;    /* addresses in the initialiser */
    uint32_t n_relocs;
    uint8_t type;       /* PtxType; texref etc. for the opaque ones */
} IrGlobal;

typedef struct IrModule {
    Arena arena;
    IrFunction *functions;
    uint32_t n_functions;
    IrGlobal *globals;
    uint32_t n_globals;
    const char **files; /* [0] is "" */
    uint32_t n_files;
    uint32_t target;    /* 75 for sm_75 */
    uint32_t ptx_version; /* 90 for 9.0 */
    uint32_t n_unsupported; /* instructions that stand as PTX_UNSUPPORTED */
} IrModule;

/* A module loaded on a device: addresses and relocated pools. */
typedef struct IrInstance {
    const IrModule *module;
    Arena arena;
    uint8_t **pools;          /* [function] */
    uint64_t *global_address; /* [global]; shared: the offset */
} IrInstance;

/* Decodes n parsed modules linked into one (more than one: relocatable device code; duplicate definitions and
 * undefined variables are errors that name them; a call of an undefined function is BUILTIN_UNRESOLVED). The result
 * owns nothing of the PtxModules. STATUS_PARSE, STATUS_LIMIT, STATUS_NO_MEMORY. An unsupported instruction is no
 * error (see above): then the result is STATUS_OK and diag->code is STATUS_UNSUPPORTED, with line and PTX text of the first. */
Status ir_decode(PtxModule *const *modules, size_t n, IrModule **out, Diag *diag);
void ir_module_free(IrModule *m);

/* Relocates the pools for a device. global_address[i] is where the caller placed globals[i] (ignored for SPACE_SHARED). */
Status ir_instantiate(const IrModule *m, const uint64_t *global_address, IrInstance **out);
/* The initial bytes of globals[i] with addresses filled in, into buf (globals[i].bytes long, zero-filled by the caller). */
void ir_global_init(const IrInstance *instance, uint32_t i, uint8_t *buf);
void ir_instance_free(IrInstance *instance);

/* Index of a function or global by name, -1 when there is none. */
int32_t ir_find_function(const IrModule *m, const char *name);
int32_t ir_find_global(const IrModule *m, const char *name);

/* Headers of the toolkit and the system: a student looks for the line of their own that led there. */
bool ir_is_system_file(const char *file);
/* The place of an instruction: where code of such a header was inlined, the place that it was inlined into. NULL: not known. */
const IrLoc *ir_place(const IrModule *m, const IrFunction *f, uint32_t pc);

/* Device addresses of functions: FUNCTION_WINDOW + 16 * index, so that a wrong indirect call is recognised. */
#define IR_FUNCTION_WINDOW 0x0000600000000000u
#define IR_FUNCTION_STRIDE 16u

/* Number of a register -> its name in PTX, in buf. */
const char *ir_reg_name(const IrFunction *f, uint32_t reg, char *buf, size_t size);

/* How many registers at the front of in->vec it writes. */
uint32_t ir_vec_dests(const IrInst *in);

/* Where an instruction leads: to the places of a branch, ir_n_targets of them, and to the next instruction where it goes on. */
uint32_t ir_n_targets(const IrInst *in);
uint32_t ir_target_at(const IrInst *in, uint32_t i);
bool ir_goes_on(const IrInst *in);

/* Text of one decoded instruction, for traces and tests: "add.f32 %0, %4, %8" style with pcs of targets. */
void ir_print(const IrModule *m, const IrFunction *f, uint32_t pc, char *buf, size_t size);

#endif
