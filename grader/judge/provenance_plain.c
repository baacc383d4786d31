/* The usual program, judged without tables: its host rows are inputs, as they are or a run of one, and a few
 * parameters. See provenance_internal.h.
 *
 * What is small counts in full here, also where the inputs would explain it. So the count is an upper bound,
 * and where it is within what any program may send, the full count (provenance_foreign.c) can change no
 * verdict.
 */
#include "grader/judge/provenance_internal.h"

#include <string.h>

enum { PLACES = 4 }; /* of a row's beginning in an input that are tried */

/* Do the bytes stand somewhere in an input? A run that begins like many others in it may be missed. */
static bool is_run_of(const ProvenanceArray *in, const RecordHost *h)
{
    const unsigned char *at = in->data;
    size_t left = in->bytes;
    if (h->n > left || h->n < PIECE_BYTES)
        return false;
    for (int i = 0; i < PLACES && left >= h->n; i++) {
        const unsigned char *found = memmem(at, left - h->n + PIECE_BYTES, h->bytes, PIECE_BYTES);
        if (!found)
            return false;
        if (memcmp(found, h->bytes, h->n) == 0)
            return true;
        left -= (size_t)(found - at) + 1;
        at = found + 1;
    }
    return false;
}

static bool is_input(const ProvenanceCase *c, const RecordHost *h)
{
    for (size_t i = 0; i < c->n_in; i++)
        if (c->in[i].bytes == h->n && memcmp(c->in[i].data, h->bytes, h->n) == 0)
            return true;
    for (size_t i = 0; i < c->n_in; i++)
        if (is_run_of(&c->in[i], h))
            return true;
    return false;
}

static void count_row(const ProvenanceCase *c, const RecordHost *h, Foreign *f)
{
    uint64_t word = FOREIGN_WORD;
    bool input = !h->merged && h->n > 0 && is_input(c, h);
    f->has_input |= input;
    f->bytes += input ? 0 : (h->n + word - 1) / word * word;
    if (h->copied && h->times > 1)
        f->bytes += (h->times - 1) * (input ? 1 : word);
}

bool foreign_is_plain(const Record *r, const ProvenanceCase *c, const Closure *closure, Foreign *f)
{
    *f = (Foreign){.bytes = foreign_launches(r, closure)};
    for (size_t i = 0; i < r->n_fills; i++)
        if (closure_has(closure, r->fills[i].id))
            f->bytes += foreign_fill(&r->fills[i]);
    for (size_t i = 0; i < r->n_hosts && f->bytes <= PROVENANCE_FLOOR; i++)
        if (closure_has(closure, r->hosts[i].id))
            count_row(c, &r->hosts[i], f);
    return f->bytes <= PROVENANCE_FLOOR && (f->has_input || c->n_in == 0);
}
