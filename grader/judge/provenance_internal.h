/* What the files of provenance share. */
#ifndef GRADER_JUDGE_PROVENANCE_INTERNAL_H
#define GRADER_JUDGE_PROVENANCE_INTERNAL_H

#include "grader/judge/provenance.h"

/* The record (provenance_record.c) --------------------------------------------------------------- */

typedef enum OriginKind { ORIGIN_NOBODY, ORIGIN_HOST, ORIGIN_FILL, ORIGIN_STORE } OriginKind;

typedef struct RecordHost {
    uint32_t id;
    const unsigned char *bytes;
    size_t n;
    uint64_t times;
    bool copied; /* by a call for each of `times` */
    bool merged; /* stands for many: only the sum of their bytes is known */
} RecordHost;

typedef struct RecordFill {
    uint32_t id;
    uint64_t value, times;
} RecordFill;

/* Bytes of a row from `start` to the next run's. */
typedef struct RecordRun {
    uint64_t start;
    uint32_t id;
} RecordRun;

typedef struct RecordOut {
    const unsigned char *bytes;
    size_t n;
    uint64_t times;
    RecordRun *runs; /* n_runs, and one more where the row ends */
    size_t n_runs;
    uint32_t id_last; /* the greatest of its origins */
} RecordOut;

typedef struct RecordStore {
    uint32_t id, group, site;
} RecordStore;

typedef struct RecordRead {
    uint32_t pc, first, n; /* of the record's read_ids */
} RecordRead;

typedef struct RecordOp {
    uint32_t pc;
    double count;
} RecordOp;

typedef struct RecordGroup {
    uint32_t function;
    uint64_t changes; /* parameters and sizes that are not those of the kernel's launch before */
    RecordOp *ops;
    RecordRead *reads; /* by pc */
    size_t n_ops, n_reads;
} RecordGroup;

typedef struct RecordSlice {
    uint32_t site;
    const uint8_t *pcs; /* a bit for each instruction */
} RecordSlice;

typedef struct RecordFunction {
    uint32_t n;          /* instructions */
    RecordSlice *slices; /* by site */
    size_t n_slices;
} RecordFunction;

typedef struct Record {
    bool complete;
    const char *cut;
    RecordHost *hosts;
    RecordFill *fills;
    RecordOut *outs;
    RecordStore *stores;
    RecordGroup *groups;
    RecordFunction *functions;
    size_t n_hosts, n_fills, n_outs, n_stores, n_groups, n_functions;
    uint32_t *read_ids;
    size_t n_read_ids;
    struct {
        uint8_t kind; /* OriginKind */
        uint32_t at;  /* in hosts, fills or stores */
    } origins[PROVENANCE_IDS];
} Record;

/* Reads a record strictly: whatever is out of its range, twice, or of a wrong type makes it STATUS_PARSE as a
 * whole. The record is the arena's, and points into bin. */
Status record_parse(Arena *a, const char *json, size_t length, const unsigned char *bin, size_t bin_length,
                    Record **record, Diag *d);

/* Pieces (provenance_pieces.c) ------------------------------------------------------------------- */

enum { PIECE_BYTES = 16 }; /* the least that is told from chance */

typedef struct Span {
    const unsigned char *bytes;
    size_t n;
    uint32_t tag;
} Span;

/* Blocks of PIECE_BYTES of all spans, by their hash. */
typedef struct PieceIndex {
    Span *spans;
    size_t n_spans, cap_spans;
    uint32_t *heads, *next;
    unsigned char *seen; /* bits, FILTER_BITS for each head: which hash values there are */
    struct {
        uint32_t span, block;
    } * blocks;
    size_t n_blocks, mask;
} PieceIndex;

typedef struct Piece {
    const Span *span;
    size_t target, at, n; /* where in the target, where in the span, how long */
} Piece;

void pieces_add_span(PieceIndex *p, const void *bytes, size_t n, uint32_t tag);
/* After the last span. */
Status pieces_build(PieceIndex *p);
void pieces_free(PieceIndex *p);

/* May the bytes be taken from there? NULL: from everywhere. */
typedef bool PieceAllowed(void *context, const Span *span);

/* The longest run of target[at...] that begins anywhere in a span; it may begin before `at`, not before
 * `from`. False when none has PIECE_BYTES. */
bool pieces_find(const PieceIndex *p, const unsigned char *target, size_t n, size_t from, size_t at,
                 PieceAllowed *allowed, void *context, Piece *piece);

/* Closure (provenance_closure.c) ----------------------------------------------------------------- */

typedef struct Closure {
    uint8_t ids[PROVENANCE_IDS / 8];
    uint32_t *waiting; /* ids that are in, and not followed yet */
    size_t n_waiting;
    uint8_t **pcs; /* for each group, the instructions that its stores' slices reach; NULL: none yet */
} Closure;

Status closure_create(const Record *r, Closure *c);
void closure_free(const Record *r, Closure *c);
bool closure_has(const Closure *c, uint32_t id);
void closure_add(Closure *c, uint32_t id);
/* Follows what was added, until nothing changes. */
Status closure_follow(const Record *r, Closure *c);
/* Operations of the instructions that were reached. */
double closure_ops(const Record *r, const Closure *c);

/* Cover (provenance_cover.c) --------------------------------------------------------------------- */

/* Lays the outputs out with pieces of the record's out rows. Adds the origins of the pieces to the closure,
 * and to *host_made the bytes that no kernel's piece covers. */
Status cover_outputs(const Record *r, const ProvenanceCase *c, Closure *closure, uint64_t *host_made);

/* Foreign bytes (provenance_foreign.c) ----------------------------------------------------------- */

enum { FOREIGN_WORD = 4 };

typedef struct Foreign {
    uint64_t bytes;
    bool has_input;
    uint64_t outputs; /* what the outputs would count, had the host sent them; counted where bytes passes
                         PROVENANCE_FLOOR */
    bool spelled;     /* of their words that no input explains half or more are among the host's */
} Foreign;

/* Bytes that a fill says, and that the launches of the closure say. */
uint64_t foreign_fill(const RecordFill *fill);
uint64_t foreign_launches(const Record *r, const Closure *closure);

/* The usual program (provenance_plain.c): is what the host sent inputs, and PROVENANCE_FLOOR bytes at most
 * beside them? Then f has an upper bound. */
bool foreign_is_plain(const Record *r, const ProvenanceCase *c, const Closure *closure, Foreign *f);

/* Of the host rows and fills in the closure; the closure grows by what excuses them. */
Status foreign_count(const Record *r, const ProvenanceCase *c, Closure *closure, Foreign *f);

#endif
