/* Values that nobody wrote, in registers. A load of such bytes is no finding yet: the compiler loads early what it then selects away,
 * and an exchange whose result is not used reads what was there. What decides something is.
 *
 * A load leaves a mark on the register, byte by byte and lane by lane, and from there on the warp is followed, instruction by
 * instruction, until no mark is left (ExecWho.follow):
 *
 *      mov, selp, pack and unpack, conversions between integers      the mark goes with the bytes
 *      arithmetic                                                    all of the result is marked, as computed; not of `and` with 0
 *      st of an unchanged value to global or shared memory           the bytes count as not written again
 *      whatever else reads the register: a comparison, an address,   a finding, at the load; the marks of that load go
 *      a shuffle, an atomic, a store of what was computed
 *      whatever writes it                                            the mark goes
 *
 * What a shuffle reads from a lane that its mask does not name has such a mark, too (shuffle-undefined).
 *
 * A register that a kernel may read before it has written it has such a mark from the start (IrFunction.unset): a variable, or an element of an
 * array, to which the source gives no value. The first instruction that computes with it, or uses it, is the place of the finding.
 *
 * Memory that holds such bytes remembers the load that they came from, as far as there is room and within the launch: that one is
 * the place of the finding, not the load that read the copy. And what is copied to the host from there is used: a finding at the load,
 * for words of which no byte was written (padding has less).
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    MARKS_MAX = 1024,      /* of a warp */
    REG_BYTES = 16,        /* of a lane */
    COPIES_MAX = 1 << 14,  /* words of memory that remember where their bytes are from */
    KEPT_MAX = 1 << 15,    /* the same after the launch */
    KEPT_FINDINGS_MAX = 256,
    WORD_BYTES = 4,
    NOT_SHARED = 0xFFFFFFFFu,
};

/* The load that read what nobody wrote. */
typedef struct Origin {
    Place place;
    uint8_t space, access;
    uint32_t bytes;
    const MemAlloc *alloc;
    bool unset; /* no load: nothing has been written to the register; the place is NO_PLACE until something computes with it */
    bool shuffled; /* nor one: a shuffle that read a lane which its mask does not name */
} Origin;

typedef struct Mark {
    Origin origin;
    const void *frame;  /* ExecWho.frame */
    const IrInst *born; /* the instruction that wrote the register, until it has been told as done */
    uint32_t off;       /* of the register */
    uint32_t lanes;
    uint32_t bytes; /* of the register: a bit each */
    bool computed;  /* it is not what was loaded any more */
    uint64_t address[WARP_LANES];
} Mark;

/* Bytes of memory that a store has been given without a value. */
typedef struct Unwritten {
    uint8_t *bits; /* of an allocation, or of the block's shared memory */
    uint64_t from; /* the first byte's bit */
    uint32_t bytes, lane;
    uint64_t word;   /* address */
    MemAlloc *alloc; /* NULL: shared memory */
    Origin origin;
    uint64_t address;
} Unwritten;

typedef struct UndefinedWarp {
    Mark *marks;
    size_t n, cap;
    bool begun;         /* the marks of registers that nobody has written are there */
    uint32_t stored[8]; /* of each element: lanes whose value the instruction has stored as it was */
} UndefinedWarp;

struct UndefinedBlock {
    uint32_t n_marks; /* of all warps */
    Unwritten *unwritten;
    size_t n_unwritten, cap_unwritten;
    UndefinedWarp warps[];
};

/* ---- copies in memory ---- */

typedef struct Copy {
    uint64_t word;
    uint32_t block; /* NOT_SHARED: global memory */
    uint32_t serial, by_block, thread; /* of the allocation; who stored it */
    bool used;
    Origin origin;
    uint64_t address;
} Copy;

struct UndefinedCopies {
    size_t n;
    Copy at[COPIES_MAX];
};

/* The place of the word in the table, or a free one. */
static Copy *find_copy(struct UndefinedCopies *c, uint32_t block, uint64_t word)
{
    size_t at = (size_t)((word * 0x9E3779B97F4A7C15u ^ block) >> 20) % COPIES_MAX;
    while (c->at[at].used && (c->at[at].word != word || c->at[at].block != block))
        at = (at + 1) % COPIES_MAX;
    return &c->at[at];
}

static void remember_copy(const CheckEvent *e, const Unwritten *u)
{
    CheckSet *set = e->set;
    pthread_mutex_lock(&set->lock);
    if (!set->copies)
        set->copies = calloc(1, sizeof *set->copies);
    Copy *copy = set->copies ? find_copy(set->copies, u->alloc ? NOT_SHARED : e->block->linear, u->word) : NULL;
    if (copy && (copy->used || set->copies->n < COPIES_MAX / 2)) {
        set->copies->n += !copy->used;
        *copy = (Copy){.word = u->word,
                       .block = u->alloc ? NOT_SHARED : e->block->linear,
                       .serial = u->alloc ? u->alloc->serial : 0,
                       .by_block = e->block->linear,
                       .thread = e->who->first_thread + u->lane,
                       .used = true,
                       .origin = u->origin,
                       .address = u->address};
    }
    pthread_mutex_unlock(&set->lock);
}

/* Where the bytes that a load has read are from. */
static void trace_origin(const CheckEvent *e, uint8_t space, uint64_t addr, Origin *origin, uint64_t *address)
{
    CheckSet *set = e->set;
    if (space != SPACE_GLOBAL && space != SPACE_SHARED)
        return;
    pthread_mutex_lock(&set->lock);
    if (set->copies && set->copies->n) {
        const Copy *copy = find_copy(set->copies, space == SPACE_SHARED ? e->block->linear : NOT_SHARED, addr / WORD_BYTES);
        if (copy->used) {
            *origin = copy->origin;
            *address = copy->address;
        }
    }
    pthread_mutex_unlock(&set->lock);
}

void undefined_forget_launch(CheckSet *set)
{
    if (set->copies && set->copies->n)
        memset(set->copies, 0, sizeof *set->copies);
}

/* ---- after the launch ---- */

typedef struct Kept {
    uint64_t word;
    uint32_t serial, finding; /* of the allocation: 0: free; index in `findings` */
} Kept;

typedef struct KeptFinding {
    Finding finding;
    FindingKey key;
} KeptFinding;

struct UndefinedKept {
    size_t n, n_findings;
    Kept at[KEPT_MAX];
    KeptFinding findings[KEPT_FINDINGS_MAX];
};

static Kept *find_kept(struct UndefinedKept *k, uint32_t serial, uint64_t word)
{
    size_t at = (size_t)((word * 0x9E3779B97F4A7C15u ^ serial) >> 20) % KEPT_MAX;
    while (k->at[at].serial && (k->at[at].serial != serial || k->at[at].word != word))
        at = (at + 1) % KEPT_MAX;
    return &k->at[at];
}

/* The finding that a copy of the launch would be; of several of one load the first block's. */
static size_t finding_of_copy(CheckSet *set, size_t first, const Copy *c)
{
    struct UndefinedKept *k = set->kept;
    Note n = {.key = {FINDING_UNINITIALIZED, c->origin.space, c->origin.access, 0, c->origin.place, NO_PLACE},
              .order = c->by_block,
              .block = c->by_block,
              .thread = c->thread,
              .bytes = c->origin.bytes,
              .address = c->address,
              .count = 1,
              .detail = "a copy of it goes to the host"};
    n.has_alloc = c->origin.alloc != NULL;
    if (c->origin.alloc)
        n.alloc = *c->origin.alloc;
    KeptFinding made;
    check_finding_of(set, &n, &made.finding, &made.key);
    for (size_t i = first; i < k->n_findings; i++) {
        const FindingKey *key = &k->findings[i].key;
        if (key->line == made.key.line && key->file == made.key.file && key->pc == made.key.pc && key->space == made.key.space)
            return i;
    }
    if (k->n_findings == KEPT_FINDINGS_MAX)
        return KEPT_FINDINGS_MAX;
    k->findings[k->n_findings] = made;
    return k->n_findings++;
}

static int compare_copies(const void *pa, const void *pb)
{
    const Copy *a = pa, *b = pb;
    return a->by_block != b->by_block ? (a->by_block < b->by_block ? -1 : 1) : a->word != b->word ? (a->word < b->word ? -1 : 1) : 0;
}

void undefined_end_launch(CheckSet *set)
{
    struct UndefinedCopies *c = set->copies;
    if (!c || !c->n || (!set->kept && !(set->kept = calloc(1, sizeof *set->kept))))
        return;
    size_t first = set->kept->n_findings, n = 0;
    for (size_t i = 0; i < COPIES_MAX; i++)
        if (c->at[i].used && c->at[i].serial)
            c->at[n++] = c->at[i];
    qsort(c->at, n, sizeof *c->at, compare_copies);
    for (size_t i = 0; i < n; i++) {
        Kept *to = find_kept(set->kept, c->at[i].serial, c->at[i].word);
        size_t finding = finding_of_copy(set, first, &c->at[i]);
        if (finding == KEPT_FINDINGS_MAX || (!to->serial && set->kept->n == KEPT_MAX / 2))
            continue;
        set->kept->n += !to->serial;
        *to = (Kept){c->at[i].word, c->at[i].serial, (uint32_t)finding};
    }
    memset(c, 0, sizeof *c);
}

bool undefined_host_read(CheckSet *set, const MemAlloc *a, uint64_t addr, uint64_t bytes)
{
    const struct UndefinedKept *k = set->kept;
    const Kept *first = NULL;
    uint64_t count = 0;
    for (size_t i = 0; k && k->n && i < KEPT_MAX; i++) {
        const Kept *at = &k->at[i];
        uint64_t from = at->word * WORD_BYTES;
        if (at->serial != a->serial || from < addr || from + WORD_BYTES > addr + bytes)
            continue;
        uint32_t missing = 0;
        for (uint64_t bit = from - a->addr; bit < from - a->addr + WORD_BYTES; bit++)
            missing += !(a->init[bit / 8] >> bit % 8 & 1);
        if (missing < WORD_BYTES)
            continue;
        count++;
        first = !first || at->word < first->word ? at : first;
    }
    if (!first)
        return false;
    Finding f = k->findings[first->finding].finding;
    f.count = count;
    check_add_finding(set, &f, &k->findings[first->finding].key);
    return true;
}

/* ---- marks ---- */

static uint32_t n_warps_of(const CheckBlock *b)
{
    return (b->n_threads + WARP_LANES - 1) / WARP_LANES;
}

static void free_marks(struct UndefinedBlock *u, uint32_t n_warps)
{
    for (uint32_t i = 0; i < n_warps; i++)
        free(u->warps[i].marks);
    free(u->unwritten);
    free(u);
}

void undefined_free_block(CheckBlock *b)
{
    if (b->undefined)
        free_marks(b->undefined, b->undefined_warps);
    b->undefined = NULL;
}

void undefined_begin_block(CheckBlock *b)
{
    if (!b->undefined)
        return;
    if (b->undefined_warps < n_warps_of(b)) {
        undefined_free_block(b);
        return;
    }
    for (uint32_t i = 0; i < b->undefined_warps; i++) {
        b->undefined->warps[i].n = 0;
        b->undefined->warps[i].begun = false;
    }
    b->undefined->n_marks = 0;
    b->undefined->n_unwritten = 0;
}

static UndefinedWarp *warp_of_event(const CheckEvent *e, bool make)
{
    CheckBlock *b = e->block;
    if (!b->undefined && make) {
        uint32_t n = n_warps_of(b);
        b->undefined = calloc(1, sizeof *b->undefined + n * sizeof *b->undefined->warps);
        b->undefined_warps = n;
    }
    return b->undefined && e->who->warp < b->undefined_warps ? &b->undefined->warps[e->who->warp] : NULL;
}

static Mark *new_mark(const CheckEvent *e, UndefinedWarp *w)
{
    if (w->n == MARKS_MAX || !VEC_GROW(w->marks, w->n, w->cap))
        return NULL;
    e->block->undefined->n_marks++;
    return &w->marks[w->n++];
}

static bool is_on_register(const Mark *m, const ExecWho *who, const IrOperand *o)
{
    return o->kind == IR_REG && m->frame == who->frame && m->off == o->off;
}

static bool same_origin(const Origin *a, const Origin *b)
{
    return a->unset == b->unset && a->shuffled == b->shuffled && a->place == b->place && a->space == b->space && a->access == b->access;
}

/* Marks without lanes are no more. */
static void sweep_marks(const CheckEvent *e, UndefinedWarp *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->marks[i].lanes)
            w->marks[kept++] = w->marks[i];
    e->block->undefined->n_marks -= (uint32_t)(w->n - kept);
    w->n = kept;
    if (!kept && e->who->follow)
        *e->who->follow = false;
}

/* The load of an operand's bytes (a bit each) that nobody wrote in a lane. */
static bool mark_lane(const CheckEvent *e, const Origin *own, const IrOperand *o, unsigned lane, uint32_t bytes, uint64_t address)
{
    Origin origin = *own;
    UndefinedWarp *w = warp_of_event(e, true);
    if (!w)
        return false;
    trace_origin(e, own->space, address, &origin, &address);
    Mark *m = NULL;
    for (size_t i = 0; i < w->n && !m; i++) {
        Mark *old = &w->marks[i];
        bool same = old->born == e->who->inst && is_on_register(old, e->who, o) && old->bytes == bytes &&
                    same_origin(&old->origin, &origin);
        m = same ? old : NULL;
    }
    if (!m) {
        m = new_mark(e, w);
        if (!m)
            return false;
        *m = (Mark){.origin = origin, .frame = e->who->frame, .born = e->who->inst, .off = o->off, .bytes = bytes};
    }
    m->lanes |= 1u << lane;
    m->address[lane] = address;
    *e->who->follow = true;
    return true;
}

/* ---- loads ---- */

static bool is_exchange(const IrInst *inst)
{
    return inst->opcode == PTX_ATOM && inst->mode == ATOM_EXCH && inst->n_vec <= 1;
}

static bool can_be_followed(const CheckEvent *e)
{
    const IrInst *inst = e->who->inst;
    return inst && e->who->follow && (inst->opcode == PTX_LD || inst->opcode == PTX_LDU || is_exchange(inst));
}

static uint32_t low_bits(uint32_t n)
{
    return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

/* A byte that the sign is taken from fills the rest of the register. */
static uint32_t extend_sign(uint32_t bytes, uint32_t from, uint32_t to, uint8_t type)
{
    bool fills = from < to && bytes >> (from - 1) & 1 && ptx_type_class((PtxType)type) == PTX_TYPES_SIGNED;
    return fills ? bytes | (low_bits(to) & ~low_bits(from)) : bytes;
}

bool undefined_load(const CheckEvent *e, const ExecAccess *a, unsigned lane, uint32_t missing, uint64_t address, const MemAlloc *alloc)
{
    const IrInst *inst = e->who->inst;
    if (!can_be_followed(e) || a->bytes > 32)
        return false;
    const Origin own = {.place = check_place(e->set, e->who), .space = a->space, .access = a->kind, .bytes = a->bytes, .alloc = alloc};
    uint32_t n = inst->vec ? inst->n_vec : 1, element = a->bytes / n;
    bool marked = true;
    for (uint32_t k = 0; k < n; k++) {
        const IrOperand *o = inst->vec ? &inst->vec[k] : &inst->dst;
        uint32_t bytes = missing >> (k * element) & low_bits(element);
        if (!bytes || o->kind != IR_REG)
            continue;
        bytes = extend_sign(bytes, element, o->bytes, inst->type);
        marked &= mark_lane(e, &own, o, lane, bytes, address);
    }
    return marked;
}

bool undefined_local(const CheckEvent *e, const ExecAccess *a, const IrOperand *o, uint32_t lanes, uint64_t address)
{
    if (!can_be_followed(e))
        return false;
    const Origin own = {.place = check_place(e->set, e->who), .space = SPACE_LOCAL, .access = a->kind, .bytes = a->bytes};
    bool marked = true;
    for (uint32_t left = o->kind == IR_REG ? lanes : 0; left; left &= left - 1)
        marked &= mark_lane(e, &own, o, (unsigned)__builtin_ctz(left), low_bits(o->bytes), address);
    return marked;
}

void undefined_shuffle(const CheckEvent *e, uint32_t lanes)
{
    const IrInst *inst = e->who->inst;
    const Origin own = {.place = check_place(e->set, e->who), .space = SPACE_LOCAL, .access = ACCESS_LOAD, .shuffled = true};
    for (uint32_t left = inst && e->who->follow && inst->dst.kind == IR_REG ? lanes : 0; left; left &= left - 1)
        mark_lane(e, &own, &inst->dst, (unsigned)__builtin_ctz(left), low_bits(inst->dst.bytes), 0);
}

/* ---- stores ---- */

/* Of lanes that store to one place the last one wins. */
static bool is_overwritten(const ExecAccess *a, unsigned lane)
{
    for (unsigned later = lane + 1; later < WARP_LANES; later++)
        if (a->mask >> later & 1 && a->addr[later] == a->addr[lane])
            return true;
    return false;
}

static void note_unwritten(const CheckEvent *e, const ExecAccess *a, const Mark *m, unsigned lane, uint32_t k, uint32_t element)
{
    uint64_t addr = a->addr[lane] + (uint64_t)k * element;
    uint32_t bytes = m->bytes & low_bits(element);
    struct UndefinedBlock *u = e->block->undefined;
    bool shared = a->space == SPACE_SHARED;
    MemAlloc *alloc = shared ? NULL : a->alloc ? a->alloc : mem_find(e->set->launch->mem, addr);
    uint8_t *bits = shared ? e->block->shared_init : alloc ? alloc->init : NULL;
    bool host_sees = alloc && (alloc->kind == MEM_MANAGED || alloc->kind == MEM_PINNED || alloc->kind == MEM_REGISTERED);
    if (!bits || host_sees) /* it is used as it is stored */
        return;
    u->warps[e->who->warp].stored[k] |= 1u << lane;
    if (is_overwritten(a, lane) || !VEC_GROW(u->unwritten, u->n_unwritten, u->cap_unwritten))
        return;
    u->unwritten[u->n_unwritten++] = (Unwritten){.bits = bits,
                                                 .from = addr - (alloc ? alloc->addr : 0),
                                                 .bytes = bytes,
                                                 .lane = lane,
                                                 .word = addr / WORD_BYTES,
                                                 .alloc = alloc,
                                                 .origin = m->origin,
                                                 .address = m->address[lane]};
}

void undefined_store(const CheckEvent *e, const ExecAccess *a)
{
    const IrInst *inst = e->who->inst;
    const UndefinedWarp *w = warp_of_event(e, false);
    if (!w || !w->n || inst->opcode != PTX_ST || (a->space != SPACE_GLOBAL && a->space != SPACE_SHARED))
        return;
    uint32_t n = inst->vec ? inst->n_vec : 1, element = a->bytes / n;
    for (uint32_t k = 0; k < n; k++) {
        const IrOperand *o = inst->vec ? &inst->vec[k] : &inst->src[1];
        for (size_t i = 0; i < w->n; i++) {
            const Mark *m = &w->marks[i];
            uint32_t bytes = m->computed || m->origin.shuffled ? 0 : m->bytes & low_bits(element);
            uint32_t lanes = is_on_register(m, e->who, o) && bytes ? m->lanes & a->mask : 0;
            for (; lanes; lanes &= lanes - 1) {
                unsigned lane = (unsigned)__builtin_ctz(lanes);
                note_unwritten(e, a, m, lane, k, element);
            }
        }
    }
}

/* The store has been done, and what it wrote has been marked as written. */
static void take_back(const CheckEvent *e)
{
    struct UndefinedBlock *u = e->block->undefined;
    for (size_t i = 0; i < u->n_unwritten; i++) {
        const Unwritten *x = &u->unwritten[i];
        for (uint32_t left = x->bytes; left; left &= left - 1) {
            uint64_t bit = x->from + (uint64_t)__builtin_ctz(left);
            __atomic_fetch_and(&x->bits[bit / 8], (uint8_t)~(1u << bit % 8), __ATOMIC_RELAXED);
        }
        for (uint32_t k = 0; k < REG_BYTES; k += WORD_BYTES)
            if (x->bytes >> k & low_bits(WORD_BYTES)) {
                Unwritten word = *x;
                word.word += k / WORD_BYTES;
                remember_copy(e, &word);
            }
        wide_forget_written(e, x->alloc);
    }
    u->n_unwritten = 0;
}

/* ---- uses ---- */

static void report_use(const CheckEvent *e, const Mark *m, uint32_t lanes)
{
    NoteKey key = {.kind = FINDING_UNINITIALIZED, .space = m->origin.space, .access = m->origin.access, .place = m->origin.place, .other = NO_PLACE};
    if (m->origin.unset) {
        key.kind = FINDING_UNSET;
        key.place = key.place == NO_PLACE ? check_place(e->set, e->who) : key.place;
    }
    if (m->origin.shuffled)
        key = (NoteKey){.kind = FINDING_SHUFFLE_UNDEFINED, .place = key.place, .other = NO_PLACE};
    unsigned first = (unsigned)__builtin_ctz(lanes);
    Note *n = check_note(e, &key, e->who->first_thread + first, (uint64_t)__builtin_popcount(lanes));
    if (!n)
        return;
    n->address = m->address[first];
    n->bytes = m->origin.bytes;
    n->has_alloc = m->origin.alloc != NULL;
    if (m->origin.alloc)
        n->alloc = *m->origin.alloc;
    n->use = check_place(e->set, e->who);
    n->has_use = true;
}

/* Lanes of a mark that use the register before the instruction has written it. */
static uint32_t lanes_met(const CheckEvent *e, const Mark *m, const IrOperand *o, uint32_t lanes)
{
    return is_on_register(m, e->who, o) && m->born != e->who->inst ? m->lanes & lanes : 0;
}

/* What a shuffle gave is used where it goes to memory that others see. A comparison may be one of several that decide together, as in lane + d < n && other >
 * own, another shuffle may give it to lanes that do nothing with it, and code without optimisation keeps it in a variable of the thread's own. */
static bool is_passed_round(const CheckEvent *e, const Mark *m)
{
    const IrInst *inst = e->who->inst;
    bool seen = inst->space == SPACE_GLOBAL || inst->space == SPACE_SHARED || inst->space == SPACE_GENERIC;
    return m->origin.shuffled && !(seen && (inst->opcode == PTX_ST || inst->opcode == PTX_ATOM || inst->opcode == PTX_RED));
}

/* An object without members, as most lambdas are, is passed and kept as bytes that nobody set. */
static bool is_kept_aside(const CheckEvent *e, const Mark *m)
{
    const IrInst *inst = e->who->inst;
    return m->origin.unset && !m->computed && inst->opcode == PTX_ST && (inst->space == SPACE_FRAME || inst->space == SPACE_LOCAL);
}

/* The lanes use the register's bytes. One load is told of once. */
static void use_register(const CheckEvent *e, UndefinedWarp *w, const IrOperand *o, uint32_t lanes)
{
    for (size_t i = 0; i < w->n; i++) {
        const Mark *m = &w->marks[i], *first = m;
        uint32_t met = lanes_met(e, m, o, lanes);
        const Origin origin = m->origin;
        for (size_t k = i + 1; met && k < w->n; k++) {
            uint32_t more = same_origin(&w->marks[k].origin, &origin) ? lanes_met(e, &w->marks[k], o, lanes) : 0;
            first = more && (more & -more) < (met & -met) ? &w->marks[k] : first;
            met |= more;
        }
        if (!met || is_kept_aside(e, m) || is_passed_round(e, m))
            continue;
        report_use(e, first, met);
        for (size_t k = 0; k < w->n; k++)
            if (same_origin(&w->marks[k].origin, &origin) && w->marks[k].born != e->who->inst)
                w->marks[k].lanes &= ~met;
    }
}

/* Bytes [from, from + n) of the source are the bytes from `to` on of the register written. */
typedef struct Move {
    const IrOperand *from, *to;
    uint32_t lanes, at, n, put;
    uint8_t extends; /* PtxType of the source: its sign fills the register; NONE: it does not */
    bool computes;   /* any byte of the source makes all of the register */
} Move;

/* A mark that says so of another register already, but for lanes; or a new one. */
static Mark *mark_like(const CheckEvent *e, UndefinedWarp *w, const Mark *m)
{
    for (size_t i = 0; i < w->n; i++) {
        Mark *old = &w->marks[i];
        if (old->born == m->born && old->frame == m->frame && old->off == m->off && old->bytes == m->bytes &&
            old->computed == m->computed && same_origin(&old->origin, &m->origin))
            return old;
    }
    Mark *made = new_mark(e, w);
    if (made) {
        *made = *m;
        made->lanes = 0;
    }
    return made;
}

static void move_marks(const CheckEvent *e, UndefinedWarp *w, const Move *x)
{
    size_t n = w->n;
    for (size_t i = 0; i < n && x->to->kind == IR_REG; i++) {
        Mark m = w->marks[i];
        uint32_t bytes = m.bytes >> x->at & low_bits(x->n);
        if (!is_on_register(&m, e->who, x->from) || m.born == e->who->inst || !bytes || !(m.lanes & x->lanes))
            continue;
        bytes = (x->extends ? extend_sign(bytes, x->n, x->to->bytes, x->extends) : bytes) << x->put;
        m.born = e->who->inst;
        m.off = x->to->off;
        m.lanes &= x->lanes;
        m.bytes = x->computes ? low_bits(x->to->bytes) : bytes & low_bits(x->to->bytes);
        m.computed |= x->computes;
        if (x->computes && m.origin.unset && m.origin.place == NO_PLACE)
            m.origin.place = check_place(e->set, e->who);
        Mark *to = mark_like(e, w, &m);
        for (uint32_t left = to ? m.lanes & ~to->lanes : 0; left; left &= left - 1)
            to->address[__builtin_ctz(left)] = m.address[__builtin_ctz(left)];
        if (to)
            to->lanes |= m.lanes;
    }
}

/* A shuffle gives lane i what lane from[i] has. */
static void pass_round(const CheckEvent *e, UndefinedWarp *w, const ExecDone *done)
{
    const IrInst *inst = e->who->inst;
    size_t n = w->n;
    for (size_t i = 0; i < n && inst->dst.kind == IR_REG; i++) {
        Mark m = w->marks[i];
        uint32_t lanes = 0;
        if (!m.origin.shuffled || !is_on_register(&m, e->who, &inst->src[0]) || m.born == inst)
            continue;
        for (uint32_t left = done->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            lanes |= (m.lanes >> done->from[lane] & 1) << lane;
        }
        m.born = inst;
        m.off = inst->dst.off;
        Mark *to = lanes ? mark_like(e, w, &m) : NULL;
        if (to)
            to->lanes |= lanes;
    }
}

static void move_parts(const CheckEvent *e, UndefinedWarp *w, uint32_t lanes)
{
    const IrInst *inst = e->who->inst;
    bool unpacks = inst->dst.kind == IR_NONE;
    uint32_t element = ptx_type_bits((PtxType)inst->type) / 8 / inst->n_vec;
    for (uint32_t k = 0; k < inst->n_vec; k++) {
        Move x = {.from = unpacks ? &inst->src[0] : &inst->vec[k], .to = unpacks ? &inst->vec[k] : &inst->dst, .lanes = lanes, .n = element};
        *(unpacks ? &x.at : &x.put) = k * element;
        move_marks(e, w, &x);
    }
}

static bool is_integer(uint8_t type)
{
    PtxTypeClass c = ptx_type_class((PtxType)type);
    return c == PTX_TYPES_SIGNED || c == PTX_TYPES_UNSIGNED || c == PTX_TYPES_BITS;
}

/* The result is a number that nobody has asked anything of yet. */
static bool is_arithmetic(const IrInst *inst)
{
    PtxClass c = ptx_opcode_class((PtxOpcode)inst->opcode);
    return (c == PTX_CLASS_ARITH || c == PTX_CLASS_FLOAT || c == PTX_CLASS_SPECIAL) && inst->dst.kind == IR_REG && inst->dst.bytes > 0 &&
           inst->dst2.kind == IR_NONE && !inst->vec && !inst->carry_in && !inst->carry_out;
}

static bool pass_result(const CheckEvent *e, UndefinedWarp *w, const ExecDone *done)
{
    const IrInst *inst = e->who->inst;
    for (int i = 0; i < 4; i++) {
        uint32_t lanes = done->mask & ~(i < 2 ? done->zero[1 - i] : 0);
        move_marks(e, w, &(Move){.from = &inst->src[i], .to = &inst->dst, .lanes = lanes, .n = REG_BYTES, .computes = true});
    }
    return true;
}

/* True: the instruction decides nothing. */
static bool pass_on(const CheckEvent *e, UndefinedWarp *w, const ExecDone *done)
{
    const IrInst *inst = e->who->inst;
    uint32_t type_bytes = ptx_type_bits((PtxType)(inst->opcode == PTX_CVT ? inst->type2 : inst->type)) / 8;
    Move x = {.from = &inst->src[0], .to = &inst->dst, .lanes = done->mask, .n = type_bytes};
    switch (inst->opcode) {
    case PTX_MOV:
        if (inst->vec)
            move_parts(e, w, done->mask);
        else
            move_marks(e, w, &x);
        return true;
    case PTX_SELP:
        x.lanes = done->mask & done->first;
        move_marks(e, w, &x);
        x.from = &inst->src[1];
        x.lanes = done->mask & ~done->first;
        move_marks(e, w, &x);
        return true;
    case PTX_CVT:
        if (!is_integer(inst->type) || !is_integer(inst->type2) || inst->sat || inst->vec)
            break;
        x.extends = inst->type2;
        move_marks(e, w, &x);
        return true;
    default:
        break;
    }
    return is_arithmetic(inst) && pass_result(e, w, done);
}

static void use_sources(const CheckEvent *e, UndefinedWarp *w, uint32_t lanes)
{
    const IrInst *inst = e->who->inst;
    bool stores = inst->opcode == PTX_ST;
    for (int i = 0; i < 4; i++)
        use_register(e, w, &inst->src[i], stores && i == 1 ? lanes & ~w->stored[0] : lanes);
    for (uint32_t i = ir_vec_dests(inst); inst->vec && i < inst->n_vec; i++)
        use_register(e, w, &inst->vec[i], stores ? lanes & ~w->stored[i] : lanes);
}

static void overwrite_register(const CheckEvent *e, UndefinedWarp *w, const IrOperand *o, uint32_t lanes)
{
    for (size_t i = 0; i < w->n; i++)
        if (is_on_register(&w->marks[i], e->who, o) && w->marks[i].born != e->who->inst)
            w->marks[i].lanes &= ~lanes;
}

static void overwrite_results(const CheckEvent *e, UndefinedWarp *w, uint32_t lanes)
{
    const IrInst *inst = e->who->inst;
    overwrite_register(e, w, &inst->dst, lanes);
    overwrite_register(e, w, &inst->dst2, lanes);
    for (uint32_t i = 0; i < ir_vec_dests(inst); i++)
        overwrite_register(e, w, &inst->vec[i], lanes);
    for (size_t i = 0; i < w->n; i++) {
        Mark *m = &w->marks[i];
        if (inst->opcode == PTX_RET && m->frame == e->who->frame)
            m->lanes &= ~lanes;
        m->born = NULL;
    }
}

/* Before the warp's first instruction has done anything. */
static void begin_warp(const CheckEvent *e, UndefinedWarp *w)
{
    const ExecLaunch *l = e->set->launch;
    const IrFunction *f = &l->instance->module->functions[l->function];
    w->begun = true;
    for (uint32_t i = 0; f == e->who->function && i < f->n_unset; i++) {
        Mark *m = new_mark(e, w);
        if (m)
            *m = (Mark){.origin = {.place = NO_PLACE, .space = SPACE_LOCAL, .access = ACCESS_LOAD, .bytes = f->unset[i].bytes, .unset = true},
                        .frame = e->who->frame,
                        .off = f->unset[i].off,
                        .lanes = UINT32_MAX,
                        .bytes = low_bits(f->unset[i].bytes)};
    }
}

void undefined_follow(const CheckEvent *e, const ExecDone *done)
{
    UndefinedWarp *w = warp_of_event(e, check_has(e->set, CHECK_INIT));
    if (!w) {
        if (e->who->follow)
            *e->who->follow = false;
        return;
    }
    if (!w->begun)
        begin_warp(e, w);
    if (e->who->inst->opcode == PTX_SHFL && done->from)
        pass_round(e, w, done);
    if (!pass_on(e, w, done))
        use_sources(e, w, done->mask);
    overwrite_results(e, w, done->mask);
    take_back(e);
    memset(w->stored, 0, sizeof w->stored);
    sweep_marks(e, w);
}
