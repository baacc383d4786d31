/* What the host put in that is no input; see provenance_internal.h.
 *
 * Of the bytes of a host row these are known: runs of 16 bytes and more of an input, as it is or converted
 * element by element; runs of what the device had sent out before; elements of inputs in any order, each no
 * more often than it is there. Order costs something: each run after a row's first counts PIECE_COST bytes.
 * Where outputs are inputs in another order (a transpose), the order is the work, and single elements are not
 * known.
 *
 * What is left counts as what it takes to say it: a run of four words that stood before costs PIECE_COST
 * bytes (LZ77), a single word that stood before as many as tell which of those it is, any other word its own four. So
 * constants between inputs, tables of one number, and structs of sizes as parameters cost little.
 *
 * A row that was copied in several times counts a word for each further time (or a byte, if it is known), as
 * which of several rows goes where is a message too.
 * So are the parameters and sizes of launches: a word for each that is not that of the kernel's launch
 * before.
 *
 * The outputs are counted in the same way: what inputs explain in them, and what repeats, nobody has to send.
 */
#include "grader/judge/provenance_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE_COST = 8,
    WORD = FOREIGN_WORD,
    MATCH_WORDS = 4,
    SEEN_MAX = 128, /* which of so many is 7 bits */
    MOVED_OF = 16,  /* one word in so many that is no input is few */
    HASH_BITS = 16,
    FORMS_ROW = 64,     /* a row of so many bytes, or ... */
    FORMS_INPUTS = 4096 /* ... inputs of no more are worth converting */
};

typedef struct WordCount {
    uint32_t word, n;
} WordCount;

/* How often each 4-byte word that is not zero is among the elements. */
typedef struct WordSet {
    WordCount *slots;
    size_t mask;
} WordSet;

typedef struct Known {
    const Record *r;
    Closure *closure;
    const ProvenanceCase *c;
    PieceIndex inputs, forms, sent; /* tag of sent: the out row */
    Arena converted;                /* what forms holds */
    bool has_forms;
    size_t input_bytes;
    WordSet words;
    bool moves;          /* outputs are inputs in another order */
    uint8_t **sent_from; /* for each out row, the ids that it comes from; NULL: not looked at yet */
    const RecordHost *host;
    uint32_t *rest; /* words that nothing explains */
    size_t n_rest, cap_rest;
    Foreign *foreign;
    Status status;
} Known;

/* Converted inputs ------------------------------------------------------------------------------- */

typedef enum Form {
    FORM_F64,
    FORM_F32,
    FORM_TF32,
    FORM_F16,
    FORM_BF16,
    FORM_BF16_CUT,
    FORM_I64,
    FORM_I32,
    FORM_I16,
    FORM_I8,
    N_FORMS
} Form;

static const uint8_t form_bytes[N_FORMS] = {8, 4, 4, 2, 2, 2, 8, 4, 2, 1};

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31)
        value = fraction ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -value : value;
}

/* To the nearest, ties to even; a fraction that is rounded up carries into the exponent. */
static uint16_t half_bits(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double a = fabs(value);
    if (isnan(value))
        return 0x7FFF;
    if (a >= 65520)
        return sign | 0x7C00;
    if (a < 0x1p-14)
        return sign | (uint16_t)nearbyint(a * 0x1p24);
    int exponent = ilogb(a);
    return (uint16_t)(sign | (((exponent + 15) << 10) + (int)nearbyint(ldexp(a, 10 - exponent)) - 1024));
}

static uint32_t float_bits(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* A float's upper bits, to the nearest, ties to even. */
static uint32_t round_bits(uint32_t bits, int dropped)
{
    uint32_t half = (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
    return (bits + half) >> dropped << dropped;
}

static double element_of(const ProvenanceArray *a, size_t i)
{
    const unsigned char *from = a->data + i * a->width;
    union {
        double d;
        float f;
        int64_t l;
        int32_t i;
        int16_t s;
        uint64_t ul;
        uint32_t u;
        uint16_t us;
    } v = {0};
    memcpy(&v, from, a->width <= sizeof v ? a->width : sizeof v);
    switch (a->width) {
    case 8:
        return a->kind == 'f' ? v.d : a->kind == 'i' ? (double)v.l : (double)v.ul;
    case 4:
        return a->kind == 'f' ? (double)v.f : a->kind == 'i' ? (double)v.i : (double)v.u;
    case 2:
        return a->kind == 'f' ? half_value(v.us) : a->kind == 'i' ? (double)v.s : (double)v.us;
    default:
        return a->kind == 'i' ? (double)(int8_t)*from : (double)*from;
    }
}

static int64_t whole_of(double value)
{
    return value > -0x1p62 && value < 0x1p62 ? (int64_t)value : 0;
}

static void convert(unsigned char *to, Form form, double value)
{
    int64_t whole = whole_of(value);
    uint32_t word = float_bits(value);
    uint16_t half;
    switch (form) {
    case FORM_F64:
        memcpy(to, &value, 8);
        return;
    case FORM_TF32:
        word = round_bits(word, 13);
        break;
    case FORM_F32:
        break;
    case FORM_F16:
        half = half_bits(value);
        memcpy(to, &half, 2);
        return;
    case FORM_BF16:
        word = round_bits(word, 16);
        /* fall through */
    case FORM_BF16_CUT:
        half = (uint16_t)(word >> 16);
        memcpy(to, &half, 2);
        return;
    default:
        memcpy(to, &whole, form_bytes[form]); /* little-endian */
        return;
    }
    memcpy(to, &word, 4);
}

static void add_form(Known *k, const ProvenanceArray *a, Form form)
{
    size_t n = a->bytes / a->width;
    unsigned char *to = arena_alloc(&k->converted, n * form_bytes[form] + 1);
    if (!to) {
        k->status = STATUS_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < n; i++)
        convert(to + i * form_bytes[form], form, element_of(a, i));
    pieces_add_span(&k->forms, to, n * form_bytes[form], 0);
}

/* Only where a row asks for it: few do. */
static void make_forms(Known *k)
{
    if (k->has_forms)
        return;
    k->has_forms = true;
    for (size_t i = 0; i < k->c->n_in; i++)
        for (int form = 0; form < N_FORMS && k->status == STATUS_OK; form++)
            add_form(k, &k->c->in[i], (Form)form);
    if (k->status == STATUS_OK)
        k->status = pieces_build(&k->forms);
}

/* Elements in any order ---------------------------------------------------------------------------- */

static WordCount *slot_of(const WordSet *set, uint32_t word)
{
    size_t i = (size_t)(word * 0x9E3779B97F4A7C15u >> 32) & set->mask; /* floats end in zeros */
    while (set->slots[i].n != 0 && set->slots[i].word != word)
        i = (i + 1) & set->mask;
    return &set->slots[i];
}

static void count_span(WordSet *set, const Span *span)
{
    for (size_t i = 0; i + WORD <= span->n; i += WORD) {
        uint32_t word;
        memcpy(&word, span->bytes + i, WORD);
        if (word == 0)
            continue;
        WordCount *slot = slot_of(set, word);
        slot->word = word;
        slot->n += slot->n < UINT32_MAX;
    }
}

/* Counts begin at 1 for a word that is there, so that one that was used up is told from none. */
static Status count_words(WordSet *set, const PieceIndex *spans)
{
    size_t n = 0, slots = 64;
    for (size_t i = 0; i < spans->n_spans; i++)
        n += spans->spans[i].n / WORD;
    while (slots < 2 * n)
        slots *= 2;
    *set = (WordSet){.slots = calloc(slots, sizeof *set->slots), .mask = slots - 1};
    if (!set->slots)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < spans->n_spans; i++)
        count_span(set, &spans->spans[i]);
    for (size_t i = 0; i < slots; i++)
        set->slots[i].n += set->slots[i].n != 0;
    return STATUS_OK;
}

static bool has_word(const WordSet *set, uint32_t word)
{
    return word != 0 && slot_of(set, word)->n != 0;
}

static bool take_word(WordSet *set, uint32_t word)
{
    WordCount *slot = slot_of(set, word);
    if (word == 0 || slot->n <= 1)
        return false;
    slot->n--;
    return true;
}

/* Are the outputs' words inputs, each no more often than it is there? A few may not be, such as borders. */
static bool outputs_move(Known *k, const ProvenanceCase *c)
{
    size_t n = 0, found = 0;
    WordSet left;
    k->status = count_words(&left, &k->inputs);
    for (size_t i = 0; i < c->n_out && k->status == STATUS_OK; i++)
        for (size_t at = 0; at + WORD <= c->out[i].bytes; at += WORD) {
            uint32_t word;
            memcpy(&word, c->out[i].data + at, WORD);
            n += word != 0;
            found += take_word(&left, word);
        }
    free(left.slots);
    return n > 0 && MOVED_OF * (n - found) <= n;
}

/* What is left ------------------------------------------------------------------------------------- */

static void keep_rest(Known *k, uint32_t word)
{
    if (!VEC_GROW(k->rest, k->n_rest, k->cap_rest))
        k->status = STATUS_NO_MEMORY;
    else
        k->rest[k->n_rest++] = word;
}

static uint32_t hash_words(const uint32_t *w)
{
    uint64_t h = 0;
    for (int i = 0; i < MATCH_WORDS; i++)
        h = (h ^ w[i]) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> (64 - HASH_BITS));
}

static size_t match_length(const uint32_t *words, size_t from, size_t at, size_t n)
{
    size_t length = 0;
    while (at + length < n && words[from + length] == words[at + length])
        length++;
    return length;
}

/* The words that stood before, the first SEEN_MAX of them. */
typedef struct Seen {
    uint32_t words[SEEN_MAX];
    size_t n;
} Seen;

/* Bytes for one word: a bit says whether it stood before, and the others which it is. */
static uint64_t word_cost(Seen *seen, uint32_t word)
{
    for (size_t i = 0; i < seen->n; i++)
        if (seen->words[i] == word)
            return 1;
    if (seen->n < SEEN_MAX)
        seen->words[seen->n++] = word;
    return WORD;
}

/* Bytes that it takes to say the words. */
static uint64_t cost_of(const uint32_t *words, size_t n, uint32_t *last)
{
    uint64_t cost = 0;
    Seen seen = {.n = 0};
    memset(last, 0xFF, sizeof *last << HASH_BITS);
    for (size_t at = 0; at < n;) {
        size_t length = 0;
        if (at + MATCH_WORDS <= n) {
            uint32_t *slot = &last[hash_words(words + at)];
            length = *slot == UINT32_MAX ? 0 : match_length(words, *slot, at, n);
            *slot = (uint32_t)at;
        }
        size_t n_said = length >= MATCH_WORDS ? length : 1;
        uint64_t said = 0;
        for (size_t i = 0; i < n_said && said < PIECE_COST; i++)
            said += word_cost(&seen, words[at + i]);
        cost += said < PIECE_COST ? said : PIECE_COST;
        at += n_said;
    }
    return cost;
}

/* Host rows ---------------------------------------------------------------------------------------- */

/* The ids that an out row comes from. */
static const uint8_t *origins_of(Known *k, uint32_t row)
{
    if (k->sent_from[row])
        return k->sent_from[row];
    Closure from;
    const RecordOut *out = &k->r->outs[row];
    Status s = closure_create(k->r, &from);
    for (size_t i = 0; i < out->n_runs && s == STATUS_OK; i++)
        closure_add(&from, out->runs[i].id);
    if (s == STATUS_OK)
        s = closure_follow(k->r, &from);
    if (s == STATUS_OK)
        k->sent_from[row] = malloc(sizeof from.ids);
    if (k->sent_from[row])
        memcpy(k->sent_from[row], from.ids, sizeof from.ids);
    else
        k->status = STATUS_NO_MEMORY;
    closure_free(k->r, &from);
    return k->sent_from[row];
}

/* A row excuses what came in later, and what it was not made from itself: ids are given in the order of time.
 */
static bool sent_before(void *context, const Span *span)
{
    Known *k = context;
    if (k->r->outs[span->tag].id_last >= k->host->id)
        return false;
    const uint8_t *from = origins_of(k, span->tag);
    return from && !(from[k->host->id / 8] >> k->host->id % 8 & 1);
}

static void count_gap(Known *k, const unsigned char *bytes, size_t n)
{
    for (size_t at = 0; at < n; at += WORD) {
        uint32_t word = 0;
        memcpy(&word, bytes + at, n - at < WORD ? n - at : WORD);
        k->foreign->has_input = k->foreign->has_input || has_word(&k->words, word);
        if (k->moves || !take_word(&k->words, word))
            keep_rest(k, word);
    }
}

/* Is the row one of the spans as it is? */
static bool is_whole_span(const PieceIndex *p, const RecordHost *h)
{
    for (size_t i = 0; i < p->n_spans; i++)
        if (p->spans[i].n == h->n && memcmp(p->spans[i].bytes, h->bytes, h->n) == 0)
            return true;
    return false;
}

static bool is_short_input(Known *k, const RecordHost *h)
{
    if (h->n == 0 || h->n >= PIECE_BYTES)
        return false;
    if (h->copied && k->input_bytes <= FORMS_INPUTS)
        make_forms(k);
    return k->has_forms && k->status == STATUS_OK && is_whole_span(&k->forms, h);
}

/* A piece of the row in an index that is built when the first row asks for it: most are whole inputs. */
static bool find_in(Known *k, PieceIndex *index, const RecordHost *h, size_t from, size_t at,
                    PieceAllowed *allowed, Piece *piece)
{
    if (h->n - at < PIECE_BYTES || k->status != STATUS_OK)
        return false;
    if (!index->heads)
        k->status = pieces_build(index);
    return k->status == STATUS_OK && pieces_find(index, h->bytes, h->n, from, at, allowed, k, piece);
}

static bool find_input(Known *k, const RecordHost *h, size_t from, size_t at, Piece *piece)
{
    if (find_in(k, &k->inputs, h, from, at, NULL, piece))
        return true;
    if (h->copied && (h->n >= FORMS_ROW || k->input_bytes <= FORMS_INPUTS))
        make_forms(k);
    return k->has_forms && k->status == STATUS_OK &&
           pieces_find(&k->forms, h->bytes, h->n, from, at, NULL, NULL, piece);
}

static void excuse(Known *k, const Piece *piece)
{
    const RecordOut *out = &k->r->outs[piece->span->tag];
    for (size_t i = 0; i < out->n_runs; i++)
        if (out->runs[i].start < piece->at + piece->n && out->runs[i + 1].start > piece->at)
            closure_add(k->closure, out->runs[i].id);
}

/* Is the row made of words of the inputs in another order, each no more often than it is there? Then they are
 * used up. Zeros are free. */
static bool is_permuted(Known *k, const RecordHost *h)
{
    size_t at = 0;
    uint32_t word = 0;
    if (k->moves || h->n % WORD != 0 || h->n < PIECE_BYTES)
        return false;
    for (; at < h->n; at += WORD) {
        memcpy(&word, h->bytes + at, WORD);
        if (word != 0 && !take_word(&k->words, word))
            break;
    }
    if (at == h->n)
        return true;
    while (at > 0) {
        at -= WORD;
        memcpy(&word, h->bytes + at, WORD);
        if (word != 0)
            slot_of(&k->words, word)->n++;
    }
    return false;
}

static void count_host(Known *k, const RecordHost *h)
{
    size_t covered = 0, at = 0, n_pieces = 0, rest = k->n_rest;
    k->host = h;
    if (h->merged) {
        k->foreign->bytes += h->n;
        return;
    }
    if (is_whole_span(&k->inputs, h) || is_short_input(k, h) || is_permuted(k, h)) {
        k->foreign->has_input = true;
        covered = at = h->n;
    }
    while (at < h->n) {
        Piece piece;
        bool input = find_input(k, h, covered, at, &piece);
        if (!input && !find_in(k, &k->sent, h, covered, at, sent_before, &piece)) {
            at++;
            continue;
        }
        count_gap(k, h->bytes + covered, piece.target - covered);
        k->foreign->has_input = k->foreign->has_input || input;
        if (!input)
            excuse(k, &piece);
        k->foreign->bytes += n_pieces++ ? PIECE_COST : 0;
        covered = at = piece.target + piece.n;
    }
    count_gap(k, h->bytes + covered, h->n - covered);
    if (h->copied && h->times > 1)
        k->foreign->bytes += (h->times - 1) * (k->n_rest > rest ? WORD : 1);
}

/* A fill with zero says where, and no more. */
uint64_t foreign_fill(const RecordFill *fill)
{
    return fill->value ? WORD * fill->times : fill->times / WORD;
}

/* Which of a few parameters a launch gets, and of what size it is, are words of the host's. */
uint64_t foreign_launches(const Record *r, const Closure *closure)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->n_groups; i++)
        if (closure->pcs[i])
            bytes += WORD * r->groups[i].changes;
    return bytes;
}

/* Host rows may excuse themselves by rows that other host rows are in: until nothing changes. */
static void count_all(Known *k)
{
    uint8_t *done = calloc(PROVENANCE_IDS / 8, 1);
    bool more = done != NULL;
    k->status = done ? k->status : STATUS_NO_MEMORY;
    while (more && k->status == STATUS_OK) {
        more = false;
        for (uint32_t id = 1; id < PROVENANCE_IDS; id++) {
            if (!closure_has(k->closure, id) || done[id / 8] >> id % 8 & 1)
                continue;
            done[id / 8] |= (uint8_t)(1u << id % 8);
            more = true;
            uint32_t at = k->r->origins[id].at;
            if (k->r->origins[id].kind == ORIGIN_HOST)
                count_host(k, &k->r->hosts[at]);
            else if (k->r->origins[id].kind == ORIGIN_FILL)
                k->foreign->bytes += foreign_fill(&k->r->fills[at]);
        }
        if (more && k->status == STATUS_OK)
            k->status = closure_follow(k->r, k->closure);
    }
    free(done);
}

static void known_prepare(Known *k, const ProvenanceCase *c)
{
    for (size_t i = 0; i < c->n_in; i++) {
        pieces_add_span(&k->inputs, c->in[i].data, c->in[i].bytes, 0);
        k->input_bytes += c->in[i].bytes;
    }
    k->status = count_words(&k->words, &k->inputs);
    for (size_t i = 0; i < k->r->n_outs; i++)
        pieces_add_span(&k->sent, k->r->outs[i].bytes, k->r->outs[i].n, (uint32_t)i);
    k->moves = k->status == STATUS_OK && outputs_move(k, c);
}

/* The outputs by the same measure, as if the host had sent them in. */
static void count_outputs(Known *k, uint32_t *last)
{
    Foreign counted = {0};
    Known o = *k;
    o.foreign = &counted;
    o.sent = (PieceIndex){0};
    o.rest = NULL;
    o.n_rest = o.cap_rest = 0;
    o.status = count_words(&o.words, &o.inputs);
    for (size_t i = 0; i < k->c->n_out && o.status == STATUS_OK; i++)
        count_host(&o, &(RecordHost){.bytes = k->c->out[i].data, .n = k->c->out[i].bytes, .copied = true});
    uint64_t cost = o.status == STATUS_OK ? counted.bytes + cost_of(o.rest, o.n_rest, last) : 0;
    WordSet sent = {0};
    PieceIndex rest = {0};
    pieces_add_span(&rest, k->rest, k->n_rest * WORD, 0);
    if (o.status == STATUS_OK)
        o.status = count_words(&sent, &rest);
    size_t found = 0;
    for (size_t i = 0; i < o.n_rest && o.status == STATUS_OK; i++)
        found += has_word(&sent, o.rest[i]);
    k->foreign->outputs = cost;
    k->foreign->spelled = o.n_rest > 0 && 2 * found >= o.n_rest;
    k->status = o.status;
    k->inputs = o.inputs;
    k->forms = o.forms;
    k->converted = o.converted;
    k->has_forms = o.has_forms;
    free(sent.slots);
    free(o.words.slots);
    free(o.rest);
    pieces_free(&o.sent);
    pieces_free(&rest);
}

static void count(Known *k, const ProvenanceCase *c, uint32_t *last)
{
    known_prepare(k, c);
    if (k->status == STATUS_OK)
        count_all(k);
    if (k->status != STATUS_OK)
        return;
    k->foreign->bytes += foreign_launches(k->r, k->closure) + cost_of(k->rest, k->n_rest, last);
    if (k->foreign->bytes > PROVENANCE_FLOOR)
        count_outputs(k, last);
}

Status foreign_count(const Record *r, const ProvenanceCase *c, Closure *closure, Foreign *f)
{
    *f = (Foreign){0};
    uint32_t *last = malloc(sizeof *last << HASH_BITS);
    Known k = {.r = r,
               .c = c,
               .closure = closure,
               .foreign = f,
               .sent_from = calloc(r->n_outs + 1, sizeof *k.sent_from)};
    if (last && k.sent_from)
        count(&k, c, last);
    else
        k.status = STATUS_NO_MEMORY;
    for (size_t i = 0; k.sent_from && i < r->n_outs; i++)
        free(k.sent_from[i]);
    free(k.sent_from);
    free(k.rest);
    free(k.words.slots);
    free(last);
    pieces_free(&k.inputs);
    pieces_free(&k.forms);
    pieces_free(&k.sent);
    arena_free(&k.converted);
    return k.status;
}
