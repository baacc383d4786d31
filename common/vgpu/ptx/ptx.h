/* ptx: the text of a PTX module -> tables (PtxModule). Enumerations come from types.def, opcodes.def,
 * sregs.def.
 *
 * Parsing knows the grammar and the scopes of names, and nothing of what an instruction means: an instruction
 * is its variant ("mad.lo.s32", looked up once for the whole module) and its operands with their places in
 * the text. Names of registers, variables and labels are resolved here; names of functions and of symbols of
 * other modules stay names. An instruction whose opcode is not in opcodes.def is kept as PTX_UNSUPPORTED with
 * its text and without operands, so that the rest of the module can be used.
 *
 * A PtxModule owns everything its tables point to, a copy of the text too (ptx_module_free).
 * Input may be hostile: sizes are limited by the PTX_*_MAX constants, and hitting one is STATUS_LIMIT.
 */
#ifndef COMMON_VGPU_PTX_PTX_H
#define COMMON_VGPU_PTX_PTX_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum PtxType {
#define X(name, text, bits, class) PTX_TYPE_##name,
#include "common/vgpu/ptx/types.def"
#undef X
    PTX_N_TYPES
} PtxType;

typedef enum PtxTypeClass {
    PTX_TYPES_BITS,
    PTX_TYPES_UNSIGNED,
    PTX_TYPES_SIGNED,
    PTX_TYPES_FLOAT,
    PTX_TYPES_PACKED,
    PTX_TYPES_PREDICATE,
    PTX_TYPES_OPAQUE
} PtxTypeClass;

typedef enum PtxOpcode {
#define X(name, ...) PTX_##name,
#include "common/vgpu/ptx/opcodes.def"
#undef X
    PTX_N_OPCODES
} PtxOpcode;

/* What kind of instruction an opcode is: the third column of opcodes.def. */
typedef enum PtxClass {
    PTX_CLASS_ARITH,
    PTX_CLASS_FLOAT,
    PTX_CLASS_SPECIAL,
    PTX_CLASS_MEMORY,
    PTX_CLASS_ATOMIC,
    PTX_CLASS_CONTROL,
    PTX_CLASS_SYNC,
    PTX_CLASS_WARP,
    PTX_CLASS_TENSOR,
    PTX_CLASS_TEXTURE,
    PTX_CLASS_MISC,
    PTX_N_CLASSES
} PtxClass;

/* Special registers (PTX ISA 10): TID_X .. NCTAID_Z, LANEID, WARPID, CLOCK... rows of sregs.def: X(NAME,
 * text, bits). */
typedef enum PtxSreg {
#define X(name, ...) PTX_SREG_##name,
#include "common/vgpu/ptx/sregs.def"
#undef X
    PTX_N_SREGS
} PtxSreg;

/* Limits on what a module may hold; one past any of them is STATUS_LIMIT. */
enum {
    PTX_TEXT_MAX = 1 << 30,          /* bytes of text */
    PTX_FUNCTION_REGS_MAX = 1 << 20, /* registers that one function declares */
    PTX_MODULE_REGS_MAX = 1 << 23,   /* registers that all functions declare */
    PTX_NESTING_MAX = 64,    /* nested { } scopes; nested ( ) of expressions; nested { } of initialisers */
    PTX_OPERANDS_MAX = 64,   /* operands of an instruction, elements of a vector, parameters of a call */
    PTX_PARAMS_MAX = 4096,   /* parameters of a function */
    PTX_DIMENSIONS_MAX = 8,  /* of an array variable */
    PTX_FILES_MAX = 1 << 16, /* highest index of a .file */
    PTX_INIT_BYTES_MAX = 1 << 28, /* bytes of an initialiser, up to its last element that is not left out */
    PTX_ALIGN_MAX = 1 << 16,
};
#define PTX_VARIABLE_BYTES_MAX ((uint64_t)1 << 40)

typedef enum PtxSpace {
    PTX_SPACE_REG,
    PTX_SPACE_PARAM,
    PTX_SPACE_LOCAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_CONST
} PtxSpace;

typedef enum PtxRole { PTX_ROLE_VARIABLE, PTX_ROLE_PARAM, PTX_ROLE_RESULT } PtxRole;
typedef enum PtxLinkage {
    PTX_LINK_LOCAL,
    PTX_LINK_EXTERN,
    PTX_LINK_VISIBLE,
    PTX_LINK_WEAK,
    PTX_LINK_COMMON
} PtxLinkage;

/* An address inside an initialiser: (address of name + addend) >> shift, its lowest `bytes` bytes. */
typedef struct PtxReloc {
    uint64_t offset; /* in the initialiser */
    const char *name;
    int64_t addend;
    uint8_t bytes;
    uint8_t shift; /* of 0xFF00(symbol) and the like, else 0 */
    int line, column;
} PtxReloc;

typedef struct PtxVariable {
    const char *name;
    uint8_t space;   /* PtxSpace; REG for parameters that are registers */
    uint8_t type;    /* PtxType of an element */
    uint8_t linkage; /* PtxLinkage */
    uint8_t role;    /* PtxRole */
    bool managed;
    bool is_array, unsized; /* name[]: bytes is 0 */
    bool in_function;       /* declared in a function's body */
    uint32_t align;
    uint64_t bytes;
    uint32_t reg;   /* REG: number in the function */
    uint32_t index; /* in PtxFunction.variables, .params or .results, or in PtxModule.variables */
    uint32_t scope_begin,
        scope_end; /* in_function: instructions from its declaration to the end of its { } */
    uint8_t *init; /* NULL: zeros */
    uint64_t init_bytes;
    PtxReloc *relocs;
    uint32_t n_relocs;
    int line, column;
} PtxVariable;

typedef enum PtxOperandKind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REG,      /* reg, type */
    PTX_OPERAND_SREG,     /* reg is a PtxSreg */
    PTX_OPERAND_INT,      /* value */
    PTX_OPERAND_FLOAT,    /* value is the bits of an f32 (type F32) or an f64 (type F64) */
    PTX_OPERAND_VARIABLE, /* variable + offset: its address */
    PTX_OPERAND_NAME,     /* name + offset: a function, or a symbol of another module */
    PTX_OPERAND_LABEL,    /* value: index of the instruction that follows the label */
    PTX_OPERAND_TARGETS,  /* value: index in PtxFunction.target_lists (.branchtargets) */
    PTX_OPERAND_VECTOR,   /* {elems} */
    PTX_OPERAND_PAIR,     /* elems[0] | elems[1] */
    PTX_OPERAND_ADDRESS,  /* [elems[0] + offset], in texture instructions [elems[0], elems[1]...] */
    PTX_OPERAND_SINK,     /* _ */
} PtxOperandKind;

/* Selectors of video instructions (PTX ISA 9.7.18): up to four digits of three bits, the last one written in
 * bits 0 to 2; how many there are in bits 12 to 14; bit 15 is set for .h, clear for .b. */
#define PTX_SELECTOR_DIGIT(s, i) ((s) >> 3 * (i) & 7)
#define PTX_SELECTOR_COUNT(s)    ((s) >> 12 & 7)
#define PTX_SELECTOR_IS_HALF(s)  ((s) >> 15 != 0)

typedef struct PtxOperand {
    uint8_t kind; /* PtxOperandKind */
    uint8_t type; /* PtxType of a register, of a special register, of a float literal */
    bool negated : 1; /* !p */
    bool minus : 1;   /* -r, of vmad */
    uint8_t n_elems;
    uint16_t column;
    uint16_t selector; /* REG: the part that .b0, .h1, .b3210 name (PTX_SELECTOR_...), or 0 */
    int line;
    uint32_t reg;
    union {
        uint64_t value;
        const PtxVariable *variable;
        const char *name;
        struct PtxOperand *elems;
    };
    int64_t offset;
} PtxOperand;

/* A distinct spelling of opcode and modifiers in a module. */
typedef struct PtxVariant {
    PtxOpcode opcode;
    const char *text; /* "mad.lo.s32" */
} PtxVariant;

/* The lists of a call: call (results), target, (args), prototype; */
typedef struct PtxCall {
    PtxOperand target;
    PtxOperand *args, *results;
    uint32_t n_args, n_results;
} PtxCall;

typedef struct PtxInst {
    uint32_t variant; /* index in PtxModule.variants */
    uint32_t loc;     /* index in PtxFunction.locs */
    int line;
    uint16_t column;
    uint8_t n_operands;
    uint32_t text, text_length; /* in PtxModule.text, without the guard and the semicolon */
    PtxOperand guard;           /* REG of type PRED, or NONE */
    PtxOperand *operands;
    PtxCall *call;
} PtxInst;

/* .loc: a place in a source file; parent is the place it was inlined into, index in the same table, or -1. */
typedef struct PtxLoc {
    uint32_t file, line, column;
    int32_t parent;
    const char *function; /* name of the inlined function from .debug_str, or NULL */
} PtxLoc;

typedef struct PtxTargetList {
    uint32_t *insts; /* instruction indexes */
    uint32_t n;
} PtxTargetList;

/* How registers are spelled: the register `first` is name, or of a range name and 0, the next one name and 1, and so on. */
typedef struct PtxRegName {
    const char *name;
    uint32_t first, count;
    bool is_range;
} PtxRegName;

/* Where a variable of the source is in instructions [begin, end): in a register, or in a .local variable. */
typedef struct PtxDebugVariable {
    const char *name;
    uint8_t type;    /* PtxType of an element; B64: an address */
    uint32_t count;  /* elements of an array; 0: it is none */
    bool in_local;
    uint32_t place;  /* register, or index in PtxFunction.variables */
    uint32_t offset; /* in the .local variable */
    uint32_t begin, end;
} PtxDebugVariable;

typedef struct PtxFunction {
    const char *name;
    uint8_t linkage; /* PtxLinkage */
    bool is_entry, has_body, noreturn;
    bool has_lines; /* .loc seen */
    int line, column;
    PtxVariable **params, **results;
    uint32_t n_params, n_results;
    PtxVariable **variables; /* .local .shared .param .global .const variables of the body */
    uint32_t n_variables;
    uint8_t *reg_types; /* PtxType of each register */
    uint32_t n_regs;
    PtxRegName *reg_names;
    uint32_t n_reg_names;
    PtxDebugVariable *debug_variables; /* from .debug_info, as far as it can be read */
    uint32_t n_debug_variables;
    PtxInst *insts;
    uint32_t n_insts;
    PtxLoc *locs; /* [0] is "unknown" */
    uint32_t n_locs;
    PtxTargetList *target_lists;
    uint32_t n_target_lists;
    uint32_t max_ntid[3], req_ntid[3], cluster[3], min_blocks, max_regs; /* 0: not given */
} PtxFunction;

typedef struct PtxModule {
    Arena arena;
    const char *name; /* for diagnostics */
    const char *text;
    uint32_t version;      /* 90 for 9.0 */
    uint32_t target;       /* 75 for sm_75 */
    uint32_t address_size; /* 64 */
    const char **files;    /* by index of .file; NULL where none was given */
    uint32_t n_files;
    PtxFunction **functions;
    uint32_t n_functions;
    PtxVariable **variables; /* of module scope */
    uint32_t n_variables;
    PtxVariant *variants;
    uint32_t n_variants;
} PtxModule;

/* Parses length bytes of text; name stands for the file in diagnostics. STATUS_PARSE with line and column,
 * STATUS_LIMIT, STATUS_UNSUPPORTED (32-bit addresses), STATUS_NO_MEMORY. *out is NULL after an error. */
Status ptx_parse(const char *text, size_t length, const char *name, PtxModule **out, Diag *diag);
void ptx_module_free(PtxModule *m);

/* Columns of the tables. */
const char *ptx_opcode_name(PtxOpcode opcode);
PtxClass ptx_opcode_class(PtxOpcode opcode);
const char *ptx_type_name(PtxType type);
unsigned ptx_type_bits(PtxType type);
PtxTypeClass ptx_type_class(PtxType type);
const char *ptx_sreg_name(PtxSreg sreg);
unsigned ptx_sreg_bits(PtxSreg sreg);

#endif
