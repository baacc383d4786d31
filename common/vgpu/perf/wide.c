/* Shapes: what one access of a whole block touches, worked out once and remembered.
 *
 * Thread t of the access lies at base + (an affine function of t), so that what its warps touch follows from
 * the steps, the width, the block and base modulo 128 alone: lines relative to the first one, their sectors,
 * the passes of shared memory. A kernel's instruction has few such keys (a matrix row read along k has 32),
 * so that each worker keeps a table of shapes by instruction and key. A shape is made by the same functions
 * that count a single warp's access; adding it up is what remains for the block.
 *
 * Not for shapes whose list of lines is long (LINES_OF_BLOCK_MAX), or reaches beyond 32 bits: those go warp
 * by warp.
 */
#include "common/vgpu/perf/perf_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINES_OF_BLOCK_MAX = 1024,
    CREDIT_MAX = 8, /* uses that a shape is ahead of another one that wants its place */
};

/* Where shapes are worked out: far from both ends of 64 bits and, as a word of shared memory, of 32, for
 * negative steps. */
#define ORIGIN ((uint64_t)1 << 62 | (uint64_t)1 << 33)

void wide_free(WideTable *t)
{
    for (unsigned i = 0; i < WIDE_SHAPES + WIDE_PLACES; i++)
        free(t->shape[i]);
}

/* ---- the access of one warp ---- */

static void lanes_of(const WideKey *k, unsigned warp, uint64_t addr[WARP_LANES])
{
    uint32_t first = warp * WARP_LANES, x = first % k->dim[0], row = first / k->dim[0], y = row % k->dim[1],
             z = row / k->dim[1];
    for (int lane = 0; lane < WARP_LANES; lane++) {
        addr[lane] = ORIGIN + k->offset + x * (uint64_t)k->step[0] + y * (uint64_t)k->step[1] +
                     z * (uint64_t)k->step[2];
        if (++x < k->dim[0])
            continue;
        x = 0;
        if (++y < k->dim[1])
            continue;
        y = 0;
        z++;
    }
}

static ExecPattern pattern_of(const uint64_t *addr, unsigned n, uint32_t bytes)
{
    bool alike = true, stride = true;
    for (unsigned i = 1; i < n; i++) {
        alike &= addr[i] == addr[0];
        stride &= addr[i] == addr[0] + (uint64_t)i * bytes;
    }
    return alike ? PATTERN_UNIFORM : stride ? PATTERN_UNIT_STRIDE : PATTERN_OTHER;
}

static ExecAccess access_of(const WideKey *k, unsigned warp, uint64_t addr[WARP_LANES])
{
    uint32_t left = k->n_threads - warp * WARP_LANES, n = left < WARP_LANES ? left : WARP_LANES;
    lanes_of(k, warp, addr);
    return (ExecAccess){.space = k->space,
                        .pattern = (uint8_t)pattern_of(addr, n, k->bytes),
                        .bytes = k->bytes,
                        .mask = n == WARP_LANES ? 0xFFFFFFFFu : (1u << n) - 1,
                        .addr = addr};
}

/* ---- shapes ---- */

static bool add_global(WideCost *s, unsigned warp, const ExecAccess *a, WideLine *lines)
{
    SectorList list;
    sector_list(a, &list);
    if (s->n_lines + list.n > LINES_OF_BLOCK_MAX)
        return false;
    for (unsigned i = 0; i < list.n; i++) {
        int64_t line = (int64_t)(list.line[i] - ORIGIN / LINE_BYTES);
        if (line != (int32_t)line)
            return false;
        lines[s->n_lines++] = (WideLine){(int32_t)line, list.sectors[i], (uint8_t)warp};
    }
    s->n_sectors += list.n_sectors;
    return true;
}

static void add_shared(WideCost *s, const ExecAccess *a)
{
    unsigned wavefronts, least;
    perf_wavefronts(a, &wavefronts, &least);
    s->wavefronts += wavefronts;
    s->least += least;
}

/* NULL: no memory, or too much of it touched. */
static WideCost *wide_cost_new(const WideKey *k)
{
    WideLine lines[LINES_OF_BLOCK_MAX];
    WideCost s = {.key = *k, .credit = 1, .n_warps = (k->n_threads + WARP_LANES - 1) / WARP_LANES};
    for (unsigned warp = 0; warp < s.n_warps; warp++) {
        uint64_t addr[WARP_LANES];
        const ExecAccess a = access_of(k, warp, addr);
        if (k->space == SPACE_SHARED)
            add_shared(&s, &a);
        else if (!add_global(&s, warp, &a, lines))
            return NULL;
    }
    WideCost *out = malloc(sizeof *out + s.n_lines * sizeof *out->line);
    if (!out)
        return NULL;
    *out = s;
    memcpy(out->line, lines, s.n_lines * sizeof *out->line);
    return out;
}

/* ---- the table ---- */

static WideKey key_of(const ExecWho *who, const ExecWideAccess *a)
{
    return (WideKey){.step = {a->step[0], a->step[1], a->step[2]},
                     .dim = {who->block_dim[0], who->block_dim[1]},
                     .n_threads = a->n_threads,
                     .bytes = (uint16_t)a->bytes,
                     .offset = a->base % LINE_BYTES,
                     .space = a->space};
}

static bool fits(const WideKey *k, const ExecWho *who, const ExecWideAccess *a)
{
    uint64_t differ = ((uint64_t)k->step[0] ^ (uint64_t)a->step[0]) |
                      ((uint64_t)k->step[1] ^ (uint64_t)a->step[1]) |
                      ((uint64_t)k->step[2] ^ (uint64_t)a->step[2]);
    uint32_t others = (k->dim[0] ^ who->block_dim[0]) | (k->dim[1] ^ who->block_dim[1]) |
                      (k->n_threads ^ a->n_threads) | (k->bytes ^ a->bytes) |
                      (k->offset ^ (uint32_t)(a->base % LINE_BYTES)) | (k->space ^ (uint32_t)a->space);
    return !(differ | others);
}

/* Instructions lie some cache lines apart. */
static unsigned wide_place(const ExecWho *who, const ExecWideAccess *a)
{
    uint64_t mixed = ((uintptr_t)who->inst / 64 ^ (uint64_t)a->step[0]) * 0x9E3779B97F4A7C15u;
    return (unsigned)((mixed >> 40) + a->base % LINE_BYTES / 4) % WIDE_SHAPES;
}

const WideCost *wide_cost(WideTable *t, const ExecWho *who, const ExecWideAccess *a)
{
    unsigned at = wide_place(who, a);
    WideCost **place = &t->shape[at], *s;
    for (unsigned i = 0; i < WIDE_PLACES && (s = t->shape[at + i]); i++)
        if (fits(&s->key, who, a)) {
            s->credit += s->credit < CREDIT_MAX;
            return s;
        }
    for (unsigned i = 0; i < WIDE_PLACES && *place;
         i++) /* the first free one, or that with the least credit */
        if (!t->shape[at + i] || t->shape[at + i]->credit < (*place)->credit)
            place = &t->shape[at + i];
    if (*place && (*place)->credit > 0) {
        (*place)->credit--;
        return NULL;
    }
    const WideKey key = key_of(who, a);
    if (!key.dim[0] || !key.dim[1] || a->n_threads == 0 || a->n_threads > WIDE_THREADS_MAX)
        return NULL;
    WideCost *made = wide_cost_new(&key);
    if (made) {
        free(*place);
        *place = made;
    }
    return made;
}
