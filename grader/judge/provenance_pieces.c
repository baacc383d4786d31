/* Runs of bytes that stand in a set of spans; see provenance_internal.h.
 *
 * Every span is cut into blocks of 16 bytes, which a hash table finds. A run of 31 bytes or more holds such a
 * block whole, wherever it begins; one that begins where its span does is found from 16 bytes on. A block
 * that stands in many places (zeros) is kept at the first of them and where spans begin: what follows differs
 * there.
 *
 * Most blocks that are looked for are in no span. A bitmap of hash values, small enough for a cache, says so
 * of most of them, where the table would cost several reads of memory.
 */
#include "grader/judge/provenance_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES_MAX = 8, /* of one block that are kept */
    BEGINS_MAX = 64,
    FILTER_BITS = 8,
    CHAIN_MAX = 256 /* blocks of one hash value: who makes more of them has fewer pieces */
};

void pieces_add_span(PieceIndex *p, const void *bytes, size_t n, uint32_t tag)
{
    if (p->spans || p->n_spans == 0) {
        if (!VEC_GROW(p->spans, p->n_spans, p->cap_spans)) {
            free(p->spans);
            p->spans = NULL;
            p->n_spans = 1; /* pieces_build tells */
            return;
        }
        p->spans[p->n_spans++] = (Span){.bytes = bytes, .n = n, .tag = tag};
    }
}

static uint64_t hash_block(const unsigned char *bytes)
{
    uint64_t word[2];
    memcpy(word, bytes, sizeof word);
    uint64_t h = word[0] * 0x9E3779B97F4A7C15u ^ (word[1] + 0x632BE59BD9B4E019u) * 0xC2B2AE3D27D4EB4Fu;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return h ^ h >> 32;
}

static size_t filter_bit(const PieceIndex *p, uint64_t hash)
{
    return hash & ((p->mask + 1) * FILTER_BITS - 1);
}

static const unsigned char *block_bytes(const PieceIndex *p, uint32_t i)
{
    return p->spans[p->blocks[i].span].bytes + (size_t)p->blocks[i].block * PIECE_BYTES;
}

static void keep_block(PieceIndex *p, uint32_t span, uint32_t block)
{
    const unsigned char *bytes = p->spans[span].bytes + (size_t)block * PIECE_BYTES;
    uint64_t hash = hash_block(bytes);
    uint32_t *head = &p->heads[hash & p->mask];
    int same = 0, all = 0;
    for (uint32_t i = *head; i != UINT32_MAX; i = p->next[i], all++)
        same += memcmp(bytes, block_bytes(p, i), PIECE_BYTES) == 0;
    if (same >= (block == 0 ? BEGINS_MAX : PLACES_MAX) || all >= CHAIN_MAX)
        return;
    uint32_t i = (uint32_t)p->n_blocks++;
    p->blocks[i].span = span;
    p->blocks[i].block = block;
    p->next[i] = *head;
    *head = i;
    size_t bit = filter_bit(p, hash);
    p->seen[bit / 8] |= (unsigned char)(1u << bit % 8);
}

Status pieces_build(PieceIndex *p)
{
    size_t n = 0, heads = 64;
    if (!p->spans && p->n_spans)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < p->n_spans; i++)
        n += p->spans[i].n / PIECE_BYTES;
    while (heads < n)
        heads *= 2;
    p->mask = heads - 1;
    p->heads = malloc(heads * sizeof *p->heads);
    p->next = malloc((n + 1) * sizeof *p->next);
    p->blocks = malloc((n + 1) * sizeof *p->blocks);
    p->seen = calloc(heads * FILTER_BITS / 8, 1);
    if (!p->heads || !p->next || !p->blocks || !p->seen || n >= UINT32_MAX)
        return STATUS_NO_MEMORY;
    memset(p->heads, 0xFF, heads * sizeof *p->heads);
    for (size_t i = 0; i < p->n_spans; i++)
        for (size_t k = 0; k < p->spans[i].n / PIECE_BYTES; k++)
            keep_block(p, (uint32_t)i, (uint32_t)k);
    return STATUS_OK;
}

void pieces_free(PieceIndex *p)
{
    free(p->spans);
    free(p->heads);
    free(p->next);
    free(p->seen);
    free(p->blocks);
    *p = (PieceIndex){0};
}

static size_t common_length(const unsigned char *a, const unsigned char *b, size_t most)
{
    size_t n = 0;
    while (n + 64 <= most && memcmp(a + n, b + n, 64) == 0)
        n += 64;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* Extends a block that agrees as far as the bytes agree. */
static Piece extend(const Span *span, size_t block_at, const unsigned char *target, size_t n, size_t from,
                    size_t at)
{
    size_t right = n - at < span->n - block_at ? n - at : span->n - block_at, back = 0;
    size_t length = common_length(target + at, span->bytes + block_at, right);
    while (back < block_at && back < at - from && target[at - back - 1] == span->bytes[block_at - back - 1])
        back++;
    return (Piece){.span = span, .target = at - back, .at = block_at - back, .n = length + back};
}

bool pieces_find(const PieceIndex *p, const unsigned char *target, size_t n, size_t from, size_t at,
                 PieceAllowed *allowed, void *context, Piece *piece)
{
    *piece = (Piece){0};
    if (p->n_blocks == 0 || n - at < PIECE_BYTES)
        return false;
    uint64_t hash = hash_block(target + at);
    size_t bit = filter_bit(p, hash);
    if (!(p->seen[bit / 8] >> bit % 8 & 1))
        return false;
    for (uint32_t i = p->heads[hash & p->mask]; i != UINT32_MAX; i = p->next[i]) {
        const Span *span = &p->spans[p->blocks[i].span];
        if (memcmp(target + at, block_bytes(p, i), PIECE_BYTES) != 0 || (allowed && !allowed(context, span)))
            continue;
        Piece found = extend(span, (size_t)p->blocks[i].block * PIECE_BYTES, target, n, from, at);
        /* Of two that are as long, the one that was sent first. */
        if (found.n >= piece->n)
            *piece = found;
    }
    return piece->n >= PIECE_BYTES;
}
