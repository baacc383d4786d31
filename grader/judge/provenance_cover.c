/* Which bytes of the outputs went from device memory to the host; see provenance_internal.h.
 *
 *   output  |---------------|-----|==|--------------|
 *   pieces   row 0, 0..4095  row 3  |  row 1, 64...     a piece: 16 bytes or more
 *                                   whole short rows    each as often as it was sent
 *
 * Rows of fewer than 16 bytes cover SHORT_BYTES of an output at most: with rows of single bytes from a table
 * a host could spell anything.
 */
#include "grader/judge/provenance_internal.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_BYTES = 1024, SMALL_ROW = 256 };

typedef struct Cover {
    const Record *r;
    Closure *closure;
    PieceIndex index; /* tag: the out row */
    uint64_t *left;   /* of each out row: how often it can still be taken whole */
    uint64_t from_kernels;
    size_t short_left;
} Cover;

/* May bytes of this origin be part of a result? Those that a kernel stored, and zeros of a fill. */
static bool is_from_device(const Record *r, uint32_t id)
{
    switch (r->origins[id].kind) {
    case ORIGIN_STORE:
        return true;
    case ORIGIN_FILL:
        return r->fills[r->origins[id].at].value == 0;
    default:
        return false;
    }
}

/* A copy of zeros from the host, which does what a fill does. */
static bool are_zeros_of_host(const Record *r, uint32_t id, const unsigned char *bytes, size_t n)
{
    size_t i = 0;
    while (i < n && bytes[i] == 0)
        i++;
    return r->origins[id].kind == ORIGIN_HOST && i == n;
}

static size_t run_of(const RecordOut *out, uint64_t at)
{
    size_t low = 0, high = out->n_runs;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (out->runs[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The origins of a row's bytes. */
static void cover_take(Cover *c, uint32_t row, size_t at, size_t n)
{
    const RecordOut *out = &c->r->outs[row];
    for (size_t i = run_of(out, at); i < out->n_runs && out->runs[i].start < at + n; i++) {
        uint64_t start = out->runs[i].start, end = out->runs[i + 1].start;
        start = start > at ? start : at;
        end = end < at + n ? end : at + n;
        if (end <= start)
            continue;
        closure_add(c->closure, out->runs[i].id);
        if (is_from_device(c->r, out->runs[i].id) || are_zeros_of_host(c->r, out->runs[i].id, out->bytes + start, end - start))
            c->from_kernels += end - start;
    }
}

/* Where a gap of fewer than 16 bytes stands in a row: at its beginning or end, or anywhere in a small one. */
static bool find_in_row(const RecordOut *out, const unsigned char *bytes, size_t n, size_t *at)
{
    size_t last = out->n < n ? 0 : out->n - n, step = out->n <= SMALL_ROW || last == 0 ? 1 : last;
    for (*at = 0; out->n >= n && *at <= last; *at += step)
        if (memcmp(out->bytes + *at, bytes, n) == 0)
            return true;
    return false;
}

/* A row that is the gap and nothing else is better than one that holds it. */
static bool take_part(Cover *c, const unsigned char *bytes, size_t n)
{
    for (int whole = 1; whole >= 0; whole--)
        for (size_t i = 0; i < c->r->n_outs; i++) {
            const RecordOut *out = &c->r->outs[i];
            size_t at;
            if ((out->n == n) == whole && find_in_row(out, bytes, n, &at)) {
                cover_take(c, (uint32_t)i, at, n);
                return true;
            }
        }
    return false;
}

/* The longest short row that stands at the beginning of a gap; its length, 0 for none. */
static size_t take_short(Cover *c, const unsigned char *bytes, size_t n)
{
    size_t best = SIZE_MAX, length = 0;
    for (size_t i = 0; i < c->r->n_outs; i++) {
        const RecordOut *out = &c->r->outs[i];
        if (out->n < PIECE_BYTES && out->n > length && out->n <= n && out->n <= c->short_left && c->left[i] &&
            memcmp(out->bytes, bytes, out->n) == 0) {
            best = i;
            length = out->n;
        }
    }
    if (best == SIZE_MAX)
        return 0;
    c->left[best]--;
    c->short_left -= length;
    cover_take(c, (uint32_t)best, 0, length);
    return length;
}

/* What no piece of 16 bytes covers. */
static void cover_gap(Cover *c, const unsigned char *bytes, size_t n)
{
    if (n == 0 || (n < PIECE_BYTES && take_part(c, bytes, n)))
        return;
    for (size_t at = 0; at < n && c->short_left > 0;) {
        size_t length = take_short(c, bytes + at, n - at);
        at += length ? length : 1;
        c->short_left -= !length; /* so that a long gap is not searched byte by byte */
    }
}

/* The longest row that stands there as a whole, the first of those as long; n_outs: none. */
static size_t find_whole_row(const Record *r, const unsigned char *bytes, size_t n)
{
    size_t best = r->n_outs, length = PIECE_BYTES - 1;
    for (size_t i = 0; i < r->n_outs; i++) {
        const RecordOut *out = &r->outs[i];
        if (out->n <= length || out->n > n || memcmp(out->bytes, bytes, out->n) != 0)
            continue;
        best = i;
        length = out->n;
    }
    return best;
}

/* The usual output is one row, or a few whole rows one after the other. False: it is not, and nothing was
 * taken. */
static bool cover_with_rows(Cover *c, const ProvenanceArray *array)
{
    enum { ROWS_MAX = 64 };
    const Record *r = c->r;
    size_t rows[ROWS_MAX], n = 0;
    for (size_t at = 0; at < array->bytes; at += r->outs[rows[n++]].n)
        if (n == ROWS_MAX || (rows[n] = find_whole_row(r, array->data + at, array->bytes - at)) == r->n_outs)
            return false;
    for (size_t i = 0; i < n; i++)
        cover_take(c, (uint32_t)rows[i], 0, r->outs[rows[i]].n);
    return true;
}

/* Any pieces of rows. */
static void cover_with_pieces(Cover *c, const ProvenanceArray *array)
{
    size_t covered = 0, at = 0;
    c->short_left = SHORT_BYTES;
    while (at < array->bytes) {
        Piece piece;
        if (!pieces_find(&c->index, array->data, array->bytes, covered, at, NULL, NULL, &piece)) {
            at++;
            continue;
        }
        cover_gap(c, array->data + covered, piece.target - covered);
        cover_take(c, piece.span->tag, piece.at, piece.n);
        covered = at = piece.target + piece.n;
    }
    cover_gap(c, array->data + covered, array->bytes - covered);
}

/* The host may have worked on whatever went to it. */
static void take_all(Cover *c)
{
    for (size_t i = 0; i < c->r->n_outs; i++)
        cover_take(c, (uint32_t)i, 0, c->r->outs[i].n);
}

Status cover_outputs(const Record *r, const ProvenanceCase *pc, Closure *closure, uint64_t *host_made)
{
    Cover c = {.r = r, .closure = closure, .left = calloc(r->n_outs + 1, sizeof *c.left)};
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->n_outs; i++)
        pieces_add_span(&c.index, r->outs[i].bytes, r->outs[i].n, (uint32_t)i);
    Status s = c.left ? STATUS_OK : STATUS_NO_MEMORY;
    for (size_t i = 0; i < r->n_outs && s == STATUS_OK; i++)
        c.left[i] = r->outs[i].times;
    if (s == STATUS_OK && pc->host_finish)
        take_all(&c);
    for (size_t i = 0; i < pc->n_out && s == STATUS_OK && !pc->host_finish; i++) {
        bytes += pc->out[i].bytes;
        if (cover_with_rows(&c, &pc->out[i]))
            continue;
        if (!c.index.heads)
            s = pieces_build(&c.index);
        if (s == STATUS_OK)
            cover_with_pieces(&c, &pc->out[i]);
    }
    *host_made = bytes > c.from_kernels ? bytes - c.from_kernels : 0;
    pieces_free(&c.index);
    free(c.left);
    return s;
}
