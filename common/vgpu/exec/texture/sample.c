/* sample: reads of textures (tex, tld4): coordinates -> texels and their weights -> values.
 *
 * Formulas of the CUDA C++ Programming Guide, "Texture Fetching", with N texels and x in texels (a normalized
 * coordinate times N): point filter     tex(x) = T[floor(x)] linear filter    xB = x - 0.5, i = floor(xB), a
 * = frac(xB) in steps of 1/256:  tex(x) = (1 - a) T[i] + a T[i + 1] and so on in two and three dimensions,
 * with weights that are whole steps of 1/256 too. An index outside [0, N) goes by the address mode: clamp to
 * the edge, border colour, and for normalized coordinates wrap (i mod N) and mirror. Measured on an H200: xB
 * is rounded to the nearest step of 1/256, a NaN is 0, an infinity is 0 where coordinates wrap, and a layer
 * too high is the last. The sum is exact here until its last rounding; hardware drops some bits of 8-bit
 * texels.
 *
 * There are no mipmaps, so that the level and the gradients change nothing.
 */
#include "common/vgpu/exec/texture/texture.h"

#include <math.h>
#include <string.h>

enum { TAPS_MAX = 8, STEPS = 256, FAR_AWAY = 1 << 30 };

/* One dimension of a lane's footprint: two neighbours, the second with weight a / 256. */
typedef struct Span {
    int64_t index[2]; /* -1: border */
    uint32_t a;
} Span;

/* What a lane reads. */
typedef struct Footprint {
    Span span[3];
    uint32_t layer; /* or face */
} Footprint;

typedef struct Results {
    uint32_t value[TEXTURE_CHANNELS][WARP_LANES];
} Results;

/* The texels that a read of some lanes touches, one a tap. */
typedef struct Reading {
    ExecWarp *w;
    const IrInst *inst;
    const ExecTexture *t;
    uint32_t lanes;
    unsigned n_dims, n_taps;
    Footprint at[WARP_LANES];
    double sum[TEXTURE_CHANNELS][WARP_LANES];
} Reading;

/* ---- coordinates ---- */

static bool repeats(const ExecTexture *t, int dim)
{
    return t->normalized_coords &&
           (t->addressing[dim] == ADDRESSING_WRAP || t->addressing[dim] == ADDRESSING_MIRROR);
}

/* In texels; repetitions taken off, so that far coordinates keep their precision. */
static double position(const ExecTexture *t, int dim, float x, uint32_t size)
{
    double u = x;
    if (isnan(u) || (isinf(u) && repeats(t, dim)))
        return 0;
    if (repeats(t, dim))
        u -= t->addressing[dim] == ADDRESSING_WRAP ? floor(u) : 2 * floor(u / 2);
    if (t->normalized_coords)
        u *= size;
    return u < -FAR_AWAY ? -FAR_AWAY : u > FAR_AWAY ? FAR_AWAY : u;
}

static int64_t addressed(const ExecTexture *t, int dim, int64_t i, int64_t size)
{
    if (repeats(t, dim)) {
        bool mirror = t->addressing[dim] == ADDRESSING_MIRROR;
        int64_t period = mirror ? 2 * size : size, rest = (i % period + period) % period;
        return rest < size ? rest : period - 1 - rest;
    }
    if (i >= 0 && i < size)
        return i;
    if (t->addressing[dim] == ADDRESSING_BORDER)
        return -1;
    return i < 0 ? 0 : size - 1;
}

static Span span_of(const ExecTexture *t, int dim, double x, uint32_t size, bool linear)
{
    Span s = {0};
    double fixed = linear ? floor((x - 0.5) * STEPS + 0.5) : floor(x) * STEPS;
    int64_t i = (int64_t)floor(fixed / STEPS);
    bool clamps = !repeats(t, dim) && t->addressing[dim] != ADDRESSING_BORDER;
    bool at_edge =
        clamps && (i < 0 || i >= (int64_t)size - 1); /* one texel then, with all the weight (measured) */
    s.a = at_edge ? 0 : (uint32_t)((int64_t)fixed - i * STEPS);
    for (int k = 0; k < 2; k++)
        s.index[k] = addressed(t, dim, i + k, size);
    return s;
}

/* tld4 reads the four texels that a linear filter would. */
static bool two_wide(const Reading *r)
{
    return r->t->linear_filter || r->inst->texture->op == TEXTURE_GATHER;
}

/* ---- cubemaps: CUDA C++ Programming Guide, "Cubemap Textures" ---- */

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The face that a direction meets, and where in [0, 1]. Where two are as near, z comes before y before x
 * (measured). */
static uint32_t cube_face(double x, double y, double z, double *s, double *t)
{
    double ax = fabs(x), ay = fabs(y), az = fabs(z), sc, tc, ma;
    uint32_t face;
    if (az >= ax && az >= ay) {
        face = z < 0 ? 5 : 4;
        sc = z < 0 ? -x : x, tc = -y, ma = az;
    } else if (ay >= ax) {
        face = y < 0 ? 3 : 2;
        sc = x, tc = y < 0 ? -z : z, ma = ay;
    } else {
        face = x < 0 ? 1 : 0;
        sc = x < 0 ? z : -z, tc = -y, ma = ax;
    }
    *s = ma > 0 ? (sc / ma + 1) / 2 : 0.5;
    *t = ma > 0 ? (tc / ma + 1) / 2 : 0.5;
    return face;
}

/* Faces are filtered each for itself: no wrapping over their edges. */
static void cube_footprint(Reading *r, int lane)
{
    const ExecTexture *t = r->t;
    ExecTexture flat = *t;
    Footprint *f = &r->at[lane];
    bool layered = r->inst->texture->shape == TEXTURE_ACUBE;
    double c[3], s[2];
    for (uint32_t k = 0; k < 3; k++) {
        c[k] = float_of(texture_coord(r->w, r->inst, k + layered, lane));
        c[k] = isfinite(c[k]) ? c[k] : 0;
    }
    f->layer = cube_face(c[0], c[1], c[2], &s[0], &s[1]);
    if (layered) {
        uint32_t layer = texture_coord(r->w, r->inst, 0, lane), n = t->depth / 6;
        f->layer += 6 * (layer < n ? layer : n - 1);
    }
    flat.addressing[0] = flat.addressing[1] = ADDRESSING_CLAMP;
    for (int d = 0; d < 2; d++)
        f->span[d] = span_of(&flat, d, s[d] * t->width, t->width, two_wide(r));
}

/* ---- footprints ---- */

static void footprint(Reading *r, int lane)
{
    const ExecTexture *t = r->t;
    const uint32_t size[3] = {t->width, t->height, t->depth};
    uint8_t shape = r->inst->texture->shape;
    bool layered = shape == TEXTURE_A1D || shape == TEXTURE_A2D;
    Footprint *f = &r->at[lane];
    f->layer = layered ? texture_coord(r->w, r->inst, 0, lane) : 0;
    if (f->layer && f->layer >= t->depth)
        f->layer = t->depth ? t->depth - 1 : 0;
    uint32_t given = r->inst->texture->n_coords - layered;
    for (uint32_t d = 0; d < r->n_dims; d++) {
        float x =
            d < given ? float_of(texture_coord(r->w, r->inst, d + layered, lane)) : 0.5f / (float)size[d];
        f->span[d] = span_of(t, (int)d, position(t, (int)d, x, size[d]), size[d], two_wide(r));
    }
}

/* tex1Dfetch: outside reads 0 (CUDA C++ Programming Guide, tex1Dfetch; measured). */
static void fetch_footprint(Reading *r, int lane)
{
    int32_t i = (int32_t)texture_coord(r->w, r->inst, 0, lane);
    bool inside = i >= 0 && (uint32_t)i < r->t->width;
    r->at[lane].span[0] = (Span){.index = {inside ? i : -1, -1}};
    r->at[lane].layer = 0;
}

static void footprints(Reading *r)
{
    const ExecTexture *t = r->t;
    bool fetch = t->resource == RESOURCE_LINEAR;
    bool cube = r->inst->texture->shape >= TEXTURE_CUBE;
    r->n_dims = fetch ? 1 : cube ? 2 : t->depth && !t->layered && !t->cube ? 3 : t->height ? 2 : 1;
    r->n_taps = !fetch && two_wide(r) ? 1u << r->n_dims : 1;
    for (uint32_t left = r->lanes; left; left &= left - 1) {
        int lane = first_lane(left);
        fetch ? fetch_footprint(r, lane) : cube ? cube_footprint(r, lane) : footprint(r, lane);
    }
}

/* ---- taps ---- */

/* The part a / 256 of some steps, rounded. */
static uint32_t share(uint32_t steps, uint32_t a)
{
    return (2 * steps * a + STEPS) / (2 * STEPS);
}

/* Tap k takes the second neighbour in dimension d when bit d of k is set. Its weight in steps of 1/256: the
 * 256 are shared out over z, then over x, then over y, in whole steps, so that they never add up to more.
 * Which part is rounded, and which gets the rest, is as measured for all weights. */
static uint32_t weight(const Reading *r, int lane, unsigned k)
{
    const Span *s = r->at[lane].span;
    unsigned x = k & 1, y = k >> 1 & 1, z = k >> 2 & 1;
    uint32_t slice = r->n_dims < 3 ? STEPS : z ? s[2].a : STEPS - s[2].a;
    uint32_t right = share(slice, s[0].a), part = x ? right : slice - right;
    if (r->n_dims < 2)
        return part;
    uint32_t rounded = share(part, x ? s[1].a : STEPS - s[1].a);
    return x == y ? rounded : part - rounded;
}

/* False: the tap lies outside. */
static bool tap_address(const Reading *r, int lane, unsigned k, uint64_t *addr)
{
    const ExecTexture *t = r->t;
    const Footprint *f = &r->at[lane];
    const uint64_t step[3] = {texel_bytes(t), t->pitch, t->slice};
    *addr = t->addr + f->layer * t->slice;
    for (unsigned d = 0; d < r->n_dims; d++) {
        int64_t i = f->span[d].index[k >> d & 1];
        if (i < 0)
            return false;
        *addr += (uint64_t)i * step[d];
    }
    return true;
}

/* The values of tap k in the lanes that have a use for it. */
static bool read_tap(Reading *r, unsigned k, uint32_t wanted, Results *out)
{
    const Transfer transfer = {.w = r->w,
                               .function = r->w->frame->function,
                               .inst = r->inst,
                               .kind = ACCESS_LOAD,
                               .space = SPACE_GLOBAL,
                               .sem = SEM_NC,
                               .texture = k ? ACCESS_TEXTURE_MORE : ACCESS_TEXTURE,
                               .bytes = texel_bytes(r->t),
                               .align = texel_bytes(r->t)};
    uint64_t addr[WARP_LANES] = {0};
    uint8_t *host[WARP_LANES];
    uint32_t inside = 0, value[TEXTURE_CHANNELS];
    for (uint32_t left = wanted; left; left &= left - 1)
        if (tap_address(r, first_lane(left), k, &addr[first_lane(left)]))
            inside |= 1u << first_lane(left);
    if (inside && !transfer_reach(&transfer, inside, addr, host))
        return false;
    for (uint32_t left = wanted; left; left &= left - 1) {
        int lane = first_lane(left);
        if (inside >> lane & 1)
            texel_read(r->t, host[lane], value);
        else if (r->t->resource == RESOURCE_LINEAR)
            memset(value, 0, sizeof value);
        else
            texel_border(r->t, value);
        for (int c = 0; c < TEXTURE_CHANNELS; c++)
            out->value[c][lane] = value[c];
    }
    return true;
}

/* ---- reads ---- */

static bool read_filtered(Reading *r, Results *out)
{
    for (unsigned k = 0; k < r->n_taps; k++) {
        uint32_t wanted = 0;
        for (uint32_t left = r->lanes; left; left &= left - 1)
            wanted |= weight(r, first_lane(left), k) ? 1u << first_lane(left) : 0;
        if (wanted && !read_tap(r, k, wanted, out))
            return false;
        for (uint32_t left = wanted; left; left &= left - 1)
            for (int c = 0; c < TEXTURE_CHANNELS; c++)
                r->sum[c][first_lane(left)] += (double)weight(r, first_lane(left), k) / STEPS *
                                               (double)float_of(out->value[c][first_lane(left)]);
    }
    for (uint32_t left = r->lanes; left; left &= left - 1)
        for (int c = 0; c < TEXTURE_CHANNELS; c++) {
            float sum = (float)r->sum[c][first_lane(left)];
            memcpy(&out->value[c][first_lane(left)], &sum, sizeof sum);
        }
    return true;
}

/* One channel of four texels: (i, j+1) (i+1, j+1) (i+1, j) (i, j), as measured. */
static bool read_gathered(Reading *r, Results *out)
{
    static const unsigned taps[TEXTURE_CHANNELS] = {2, 3, 1, 0};
    Results texels;
    for (int i = 0; i < TEXTURE_CHANNELS; i++) {
        if (!read_tap(r, r->n_dims < 2 ? taps[i] & 1 : taps[i], r->lanes, &texels))
            return false;
        memcpy(out->value[i], texels.value[r->inst->texture->component], sizeof out->value[i]);
    }
    return true;
}

static bool read_object(ExecWarp *w, const IrInst *inst, const ExecTexture *t, uint32_t lanes, void *to)
{
    Results mine = {0}, *out = to;
    Reading r = {.w = w, .inst = inst, .t = t, .lanes = lanes};
    if (t) {
        footprints(&r);
        bool ok = inst->texture->op == TEXTURE_GATHER ? read_gathered(&r, &mine)
                  : r.n_taps > 1                      ? read_filtered(&r, &mine)
                                                      : read_tap(&r, 0, lanes, &mine);
        if (!ok)
            return false;
    }
    for (uint32_t left = lanes; left; left &= left - 1)
        for (int c = 0; c < TEXTURE_CHANNELS; c++)
            out->value[c][first_lane(left)] = mine.value[c][first_lane(left)];
    return true;
}

/* Registers are written last: a coordinate may be one of them. */
void texture_sample(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    Results results;
    if (!texture_each(w, inst, mask, read_object, &results))
        return;
    for (int c = 0; c < inst->texture->n_out; c++) {
        const IrOperand *o = &inst->vec[c];
        for (uint32_t left = o->kind == IR_REG ? mask : 0; left; left &= left - 1)
            ((U32 *)warp_dst(w, o))[first_lane(left)] = results.value[c][first_lane(left)];
    }
    if (inst->dst2.kind == IR_REG)
        warp_set_pred(w, &inst->dst2, mask, mask);
}
