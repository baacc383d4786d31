/* What the files of ir share: linking (Linker) and decoding of one function (Decoder). */
#ifndef COMMON_VGPU_IR_IR_INTERNAL_H
#define COMMON_VGPU_IR_IR_INTERNAL_H

#include "common/vgpu/ir/form.h"
#include "common/vgpu/ir/ir.h"

/* ---- symbols.c: names -> functions and globals; names without .visible belong to their module ---- */

enum { SYMBOL_EXPORTED = UINT32_MAX }; /* in place of the module's index */
typedef enum SymbolKind { SYMBOL_FUNCTION, SYMBOL_GLOBAL } SymbolKind;

typedef struct Symbol {
    const char *name;
    uint32_t module; /* or SYMBOL_EXPORTED */
    uint8_t kind;    /* SymbolKind */
    bool weak;
    uint32_t index;
    uint32_t hash;
} Symbol;

typedef struct SymbolTable {
    Symbol *symbols;
    size_t n, cap;
    uint32_t *slots; /* index in symbols + 1 */
    size_t n_slots;
} SymbolTable;

Symbol *symbols_find(const SymbolTable *t, uint32_t module, const char *name);
bool symbols_add(SymbolTable *t, const Symbol *s);
void symbols_free(SymbolTable *t);

/* ---- the link of all modules ---- */

/* What a function refers to, for shared memory and for facts that entries inherit. */
typedef struct FunctionUses {
    uint32_t *callees;
    size_t n_callees, cap_callees;
    uint32_t *shared; /* globals in shared memory, the dynamic one too */
    size_t n_shared, cap_shared;
    bool calls_indirectly, address_taken, grid_sync;
} FunctionUses;

/* A shared variable's address in a function's pool: known when shared memory has been laid out. */
typedef struct SharedRef {
    uint32_t function, off, global;
    uint8_t bytes;
    int64_t addend;
} SharedRef;

typedef struct FunctionSource {
    uint32_t module;
    const PtxFunction *function;
} FunctionSource;

typedef struct VariableSource {
    uint32_t module;
    const PtxVariable *variable;
} VariableSource;

typedef struct Linker {
    IrModule *m;
    Arena *arena; /* &m->arena */
    Diag *diag;
    Status status;
    PtxModule *const *modules;
    size_t n_modules;
    SymbolTable symbols;
    FunctionSource *sources; /* [function] */
    FunctionUses *uses;      /* [function] */
    size_t n_functions, cap_functions, cap_sources, cap_uses;
    VariableSource *variables; /* [global] */
    size_t n_globals, cap_globals, cap_variables;
    uint32_t **variable_global; /* [module][variable] -> global */
    uint32_t *file_base;        /* [module]: index in IrModule.files of its file 0 */
    IrForm **forms;             /* [module][variant], decoded on first use */
    SharedRef *shared_refs;
    size_t n_shared_refs, cap_shared_refs;
    bool noted_unsupported; /* the diag names the first one */
} Linker;

void link_fail(Linker *l, Status status, const PtxModule *m, int line, int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void link_no_memory(Linker *l);
void *link_alloc(Linker *l, size_t n, size_t size);
char *link_text(Linker *l, const char *text);
/* Functions, globals and files of all modules; then parameters. */
void link_symbols(Linker *l);
uint32_t link_add_global(Linker *l, uint32_t module, const PtxVariable *v);
/* Copies initialisers, with the addresses in them resolved. */
void link_initialisers(Linker *l);
/* The function or global that a name means in a module, or NULL. */
const Symbol *link_find(const Linker *l, uint32_t module, const char *name);
/* shared.c: offsets of shared variables, sizes of entries, addresses in pools; facts inherited by entries. */
void link_shared(Linker *l);

/* ---- one function ---- */

typedef enum PoolKind { POOL_VALUE, POOL_PRED, POOL_GLOBAL, POOL_FUNCTION, POOL_SHARED } PoolKind;

typedef struct PoolEntry {
    uint8_t kind, bytes; /* PoolKind */
    uint32_t symbol, off;
    uint64_t value; /* or addend */
} PoolEntry;

typedef struct Pool {
    PoolEntry *entries;
    size_t n, cap;
    uint32_t *slots;
    size_t n_slots;
    uint32_t bytes;
} Pool;

enum { DECODE_REASON_MAX = 200 };

typedef struct Decoder {
    Linker *l;
    uint32_t module, index; /* of the function */
    const PtxModule *pm;
    const PtxFunction *pf;
    IrFunction *f;
    FunctionUses *uses;
    IrInst *insts;
    size_t n_insts, cap_insts;
    uint8_t *reg_bytes; /* of each register, scratch ones too: 0 2 4 8 16 */
    size_t n_regs, cap_regs;
    Pool pool;
    uint32_t *variable_place; /* [function variable]: offset in the frame, or global */
    uint32_t *inst_pc;        /* [PTX instruction] */
    uint32_t return_pc;       /* where `ret` goes */
    uint32_t frame_end;
    uint32_t loc; /* of the instruction being decoded */
    uint32_t line;
    IrOperand guard;
    char reason[DECODE_REASON_MAX]; /* why the instruction being decoded is not supported */
} Decoder;

/* names.c: what decoding keeps of PTX's names for those who show registers and variables */
/* Before registers have their places: which ones each instruction writes. */
bool names_note_writes(Decoder *d);
/* After: where they are. */
void names_place_writes(IrFunction *f);
/* Names of registers, and variables of the source. */
void names_copy(Decoder *d);

/* array.c: before registers have their places: IrFunction.shared_variable. False: no memory. */
bool arrays_find(Decoder *d);

/* decode.c */
void decode_function(Linker *l, uint32_t index);
/* False, with the reason kept, so that a caller writes `return decode_refuse(d, ...)`. */
bool decode_refuse(Decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool decode_emit(Decoder *d, const IrInst *inst);

/* inst.c */
bool decode_instruction(Decoder *d, const PtxInst *inst);

/* operand.c: PTX operands -> IrOperands */
unsigned type_reg_bytes(PtxType type); /* 0 for a predicate */
IrOperand decode_scratch(Decoder *d, unsigned bytes);
/* A source of `bytes` (0: predicate) for an operation on `type`. wider: a register may be wider. */
bool decode_source(Decoder *d, const PtxOperand *o, unsigned bytes, PtxType type, bool wider, IrOperand *out);
bool decode_dest(Decoder *d, const PtxOperand *o, unsigned bytes, bool wider, IrOperand *out);
/* The address of a variable or of a named symbol, plus offset, as a value of `bytes` (4 or 8). IR_FRAME or
 * IR_CONST. */
bool decode_symbol(Decoder *d, const PtxOperand *o, unsigned bytes, IrOperand *out);
/* Base, offset and space of in->src[0] from [..]. in->space is what the instruction says. */
bool decode_address(Decoder *d, const PtxOperand *o, IrInst *in);
/* Elements of {a, b} into in->vec. */
bool decode_vector(Decoder *d, const PtxOperand *o, unsigned bytes, PtxType type, bool is_dest, bool wider,
                   IrInst *in);

/* The address in [..] as a value. */
bool decode_address_value(Decoder *d, const PtxOperand *o, unsigned bytes, IrOperand *out);

/* tensor.c: fragments, address and leading dimension of an instruction on matrices. */
bool decode_tensor(Decoder *d, const PtxInst *pi, const IrForm *form, IrInst *in);

/* texture.c: handle, coordinates and values of an instruction on textures or surfaces. */
bool decode_texture(Decoder *d, const PtxInst *pi, const IrForm *form, IrInst *in);

/* video.c: registers, their parts and signs. */
bool decode_video(Decoder *d, const PtxInst *pi, const IrForm *form, IrInst *in);

/* call.c */
bool decode_call(Decoder *d, const PtxInst *inst, IrInst *in);
/* Loads of results that are registers, after the call. */
bool decode_call_results(Decoder *d, const PtxInst *inst, const IrCall *call);
/* Loads of parameters that are registers, stores of results that are. */
void decode_prologue(Decoder *d);
void decode_results(Decoder *d);

/* frame.c */
/* Places of parameters: entry: in the parameter buffer; device function: in the frame. */
void frame_params(Linker *l, IrFunction *f, const PtxFunction *pf, const PtxModule *pm);
void frame_layout(Decoder *d);
/* A place for one more temporary; its offset. */
uint32_t frame_add(Decoder *d, uint32_t bytes, uint32_t align);

/* pool.c */
bool pool_add(Decoder *d, PoolKind kind, unsigned bytes, uint32_t symbol, uint64_t value, IrOperand *out);
/* The constant at an offset that pool_add gave. */
const PoolEntry *pool_entry(const Pool *p, uint32_t off);
void pool_finish(Decoder *d);
void pool_put(uint8_t *pool, uint32_t off, unsigned bytes, uint64_t value);
void const_pool_free(Pool *p);

/* cfg.c: basic blocks and immediate post-dominators */
typedef struct Cfg {
    uint32_t *block_of; /* [pc] */
    uint32_t *start;    /* [block], and the end: n_blocks + 1 of them */
    uint32_t n_blocks;
    uint32_t *succ, *succ_begin; /* successors of block b: succ[succ_begin[b] .. succ_begin[b + 1]) */
    uint32_t *ipdom;             /* [block]: block, or IR_NO_PC */
} Cfg;

bool cfg_build(const IrFunction *f, Cfg *cfg);
/* Immediate post-dominators where each end of a thread counts alike: what comes after a branch to an exit depends
 * on that branch. */
bool cfg_thread_postdominators(const Cfg *cfg, uint32_t *ipdom);
void cfg_free(Cfg *cfg);
void cfg_set_reconvergence(IrFunction *f, const Cfg *cfg);
/* postdom.c: immediate post-dominators of a graph whose blocks `ends` leave; succ as in Cfg. */
bool postdom_compute(uint32_t n, const uint32_t *succ, const uint32_t *succ_begin, const bool *ends,
                     uint32_t *ipdom);

/* live.c, regalloc.c */
typedef struct Lives {
    uint32_t *begin, *end; /* [register]: first and last pc where it is live; begin > end: never used */
    uint32_t *n_uses;      /* [register] */
    size_t n;
    /* Registers that live over the end of a block: in[block * words..] has those that a block begins with, each a
     * bit; wide_reg says which register. NULL: there are too many to say. */
    uint64_t *in;
    uint32_t *wide_reg;
    size_t words;
} Lives;

typedef void (*RegVisitor)(void *self, IrOperand *o, bool is_dest);
/* Calls visit for each register operand of an instruction: sources first. */
void ir_visit_regs(IrInst *in, RegVisitor visit, void *self);
bool live_compute(IrFunction *f, size_t n_regs, const Cfg *cfg, Lives *lives);
void live_free(Lives *lives);
/* Gives registers their places in the register file, and rewrites all operands. STATUS_LIMIT,
 * STATUS_NO_MEMORY. */
Status regs_allocate(IrFunction *f, const uint8_t *reg_bytes, size_t n_regs, const Lives *lives);


/* pressure.c: f->n_regs32 and n_regs32_least, before registers get their places. False: no memory. */
bool pressure_compute(IrFunction *f, const uint8_t *reg_bytes, const Cfg *cfg, const Lives *lives);

#endif
