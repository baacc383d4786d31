/* What the files of ptx share: names, the scanner, the parser's state. */
#ifndef COMMON_VGPU_PTX_PTX_INTERNAL_H
#define COMMON_VGPU_PTX_PTX_INTERNAL_H

#include "common/vgpu/ptx/ptx.h"

typedef enum Keyword {
    KEYWORD_NONE,
#define X(name, text) KEYWORD_##name,
#include "common/vgpu/ptx/keywords.def"
#undef X
} Keyword;

/* ---- names.c: each distinct spelling once ---- */

/* What a name stands for in the scope being parsed; `outer` is what it stood for outside. */
typedef enum DeclKind { DECL_REG, DECL_RANGE, DECL_VARIABLE, DECL_TARGETS, DECL_PROTOTYPE } DeclKind;
typedef struct Decl {
    struct Decl *outer;
    struct Name *name;
    uint64_t order;      /* how many declarations came before it */
    uint8_t kind;        /* DeclKind */
    uint8_t type;        /* PtxType of registers */
    uint8_t n_vec;       /* elements of a vector register, else 1 */
    uint32_t reg, count; /* first register, how many; TARGETS: index of the list */
    PtxVariable *variable;
} Decl;

typedef struct Name {
    const char *text;
    uint32_t length, hash, id;
    uint8_t keyword;  /* Keyword */
    uint8_t type;     /* PtxType, for ".b32" */
    uint8_t sreg;     /* PtxSreg + 1 */
    uint8_t opcode;   /* PtxOpcode + 1 */
    uint32_t variant; /* index + 1 */
    Decl *decl;            /* of exactly this name */
    Decl *range;           /* of this name and a number: %r<8> */
    PtxFunction *function; /* declared or defined so far */
    int64_t debug_offset;  /* labels of sections: the offset there + 1 */
    PtxFunction *label_function; /* labels of code: the last function that has one of this name, and the */
    uint32_t label_inst;         /* instruction that follows it */
} Name;

typedef struct NameTable {
    Arena *arena;
    Name **slots;
    uint32_t n, cap; /* cap: a power of two */
} NameTable;

/* Fills the table with keywords, types, opcodes and special registers; false without memory. */
bool names_init(NameTable *t, Arena *arena);
void names_free(NameTable *t);
/* The one Name of this spelling, or NULL: not there (find), no memory (intern). */
Name *names_find(const NameTable *t, const char *text, size_t length);
Name *names_intern(NameTable *t, const char *text, size_t length);

/* ---- scan.c: text -> tokens, one at a time ---- */

typedef enum TokenKind {
    TOKEN_END,
    TOKEN_NAME,      /* identifier: foo %r1 $L_1 */
    TOKEN_DIRECTIVE, /* .word, .shared::cta, .2d */
    TOKEN_INT,       /* value */
    TOKEN_FLOAT,     /* value: bits; type says F32 or F64 */
    TOKEN_STRING,    /* text without its quotes */
    TOKEN_PUNCT,     /* punct: one character, or a PunctPair */
    TOKEN_BAD,       /* why in `error` */
} TokenKind;

typedef enum PunctPair { SHIFT_LEFT = 256, SHIFT_RIGHT, LESS_EQUAL, GREATER_EQUAL, EQUAL_EQUAL, NOT_EQUAL, AND_AND, OR_OR } PunctPair;

typedef struct Token {
    uint8_t kind; /* TokenKind */
    uint8_t type; /* PtxType of FLOAT */
    int punct;
    const char *text;
    size_t length;
    uint64_t value;
    bool is_unsigned; /* INT: it ends in U */
    int line, column;
    const char *error;
} Token;

typedef struct Scanner {
    const char *at, *end; /* *end is NUL */
    const char *line_start;
    int line;
} Scanner;

void scan_start(Scanner *s, const char *text, size_t length);
void scan_next(Scanner *s, Token *t);
/* Lengthens a NAME token by what follows directly: all of .suffix.suffix (mnemonics), or one suffix (%tid.x).
 */
void scan_suffixes(Scanner *s, Token *t, bool all);

/* ---- the parser ---- */

typedef struct LabelRef { /* a label's use: *operand becomes LABEL, or insts[0] of a list is filled */
    Name *name;
    uint32_t scope;
    int line, column;
    PtxOperand *operand;
    uint32_t *inst;
} LabelRef;

typedef struct Label {
    uint32_t name_id, scope, inst;
    int line, column;
    const char *name;
} Label;

/* What of a function's body grows while it is parsed (malloc'd; copied into the arena at its end). */
typedef struct Body {
    PtxFunction *function;
    PtxInst *insts;
    size_t n_insts, cap_insts;
    PtxLoc *locs;
    size_t n_locs, cap_locs;
    uint32_t *loc_slots; /* hash of (file, line, column) -> last loc there + 1 */
    size_t n_loc_slots;
    PtxVariable **variables;
    size_t n_variables, cap_variables;
    uint8_t *reg_types;
    size_t n_regs, cap_regs;
    PtxRegName *reg_names;
    size_t n_reg_names, cap_reg_names;
    Label *labels;
    size_t n_labels, cap_labels;
    LabelRef *refs;
    size_t n_refs, cap_refs;
    uint32_t *scope_parent; /* [scope] */
    size_t n_scopes, cap_scopes;
    PtxTargetList *lists;
    size_t n_lists, cap_lists;
    uint32_t scope, depth;
    uint32_t loc; /* current */
} Body;

typedef struct LocName { /* function_name of a loc, filled in when .debug_str has been read */
    PtxFunction *function;
    uint32_t loc;
    Name *label;
    uint64_t offset;
} LocName;

typedef struct DebugReloc { /* where a section refers to a label */
    size_t at;
    Name *label;
    uint64_t offset; /* from it */
} DebugReloc;

typedef enum DebugSectionKind { DEBUG_STR, DEBUG_ABBREV, DEBUG_INFO, DEBUG_LOC, N_DEBUG_SECTIONS } DebugSectionKind;
typedef struct DebugSection {
    uint8_t *bytes;
    size_t n, cap;
    DebugReloc *relocs; /* by ascending place */
    size_t n_relocs, cap_relocs;
} DebugSection;

typedef struct Parser {
    PtxModule *m;
    Arena *arena; /* &m->arena */
    Diag *diag;
    Status status; /* first error; the token is END from then on */
    Scanner scanner;
    Token token; /* the current one */
    NameTable names;
    Decl **decls; /* undo list of declarations, by scope */
    size_t n_decls, cap_decls;
    uint64_t n_declared; /* so far, in scope or not */
    uint64_t n_regs_module;
    int nesting;      /* of ( ) [ ] { } in the operand or expression being parsed */
    bool unsupported; /* the instruction being parsed has a form that has no table entry */
    Body body;
    PtxOperand *operands; /* rest of a block of operands in the arena */
    size_t n_operands_free;
    PtxFunction **functions;
    size_t n_functions, cap_functions;
    PtxVariable **variables;
    size_t n_variables, cap_variables;
    PtxVariant *variants;
    size_t n_variants, cap_variants;
    const char **files;
    size_t n_files, cap_files;
    DebugSection sections[N_DEBUG_SECTIONS];
    LocName *loc_names;
    size_t n_loc_names, cap_loc_names;
} Parser;

/* Records the first error, at a place or at the current token, and ends the input. */
void parse_fail_at(Parser *p, Status status, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void parse_fail(Parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void parse_no_memory(Parser *p);
void parse_advance(Parser *p);
bool parse_is(const Parser *p, int punct);
bool parse_accept(Parser *p, int punct);
bool parse_expect(Parser *p, int punct, const char *where);
Keyword parse_keyword(const Parser *p);
/* The current NAME token as a Name; fails when it is none. */
Name *parse_name(Parser *p, const char *what);
void *parse_alloc(Parser *p, size_t size);
/* A copy of n items in the arena; NULL when n is 0. */
void *parse_copy(Parser *p, const void *items, size_t n, size_t size);
/* The current token is this name. */
bool parse_is_name(const Parser *p, const char *text);
/* parse_operand.c: constant integer expression (PTX ISA 4.5.4). */
uint64_t parse_constant(Parser *p);

/* parse_vars.c */
bool parse_is_space(const Parser *p, PtxSpace *space);
/* A declaration from its state space on, to before its ';': one or several variables of one type, registers
 * too. */
void parse_variables(Parser *p, PtxLinkage linkage);
/* Parameter lists: ( .param ... , ... ) into *list, *n. */
void parse_params(Parser *p, PtxRole role, PtxVariable ***list, uint32_t *n);
void parse_declare(Parser *p, Name *name, const Decl *decl);
void parse_scope_leave(Parser *p, size_t n_decls);

/* parse_body.c */
void parse_body(Parser *p, PtxFunction *f);
/* Notes that *operand, or *inst when operand is NULL, names a label of this or an outer scope. */
void parse_label_ref(Parser *p, Name *name, int line, int column, PtxOperand *operand, uint32_t *inst);

/* parse_inst.c */
/* An instruction whose mnemonic's first word has been read; guard may be NONE. */
void parse_instruction(Parser *p, Token mnemonic, const PtxOperand *guard);
/* @p or @!p */
PtxOperand parse_guard(Parser *p);

/* parse_operand.c */
/* A register, number, symbol, vector, address or pair. Unknown names become NAME. */
PtxOperand parse_operand(Parser *p);
PtxOperand *parse_new_operands(Parser *p, size_t n);
/* One operand after another, separated by commas, up to (not with) the token `close`; at most
 * PTX_OPERANDS_MAX. */
PtxOperand *parse_operand_list(Parser *p, int close, uint32_t *n);

/* debug_info.c */
void parse_debug_variables(Parser *p);

/* parse_debug.c */
void parse_file(Parser *p);
void parse_loc(Parser *p);
void parse_section(Parser *p);
void parse_resolve_loc_names(Parser *p);

#endif
