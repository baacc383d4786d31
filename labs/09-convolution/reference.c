/* Lab 09: inputs and right answers.
 *
 * Parameters: `function`, one of convolution.h; n, or height and width; radius_x, and radius_y for images;
 * `separable`: the filter is a column times a row; with `again` the driver calls the function before for the upper half of
 * the image, or the first half of the line, with as many taps of the filter (of two, of both) turned round as half the radius has; for an image whose filter is no column times a row with all of them, and the radii
 * exchanged. No filter is the same from both ends in
 * the public cases. Sums fit into an int, but not into the 24 bits that a float has for them: a filter of 17 x 17 taps gives
 * at most 80,000 * 289 * 60 < 2^31, one that is a column times a row 80,000 * (17 * 9) * (17 * 9), a line 80,000 * 17 * 999.
 * `wide`: elements of both signs and up to 30,000,000, for which 24 bits are not enough, either; with 2 it is the taps (of a column times a row those of the
 * column) that are so large, and the elements are small. How large is what the number of taps allows: all sums fit into an int.
 *
 * judge_mistakes: a Slip says what is different from the right sum, in the taps or in the loop; most slips need one field.
 */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

static int is_line(JudgeCase *c)
{
    return judge_has_param(c, "n");
}

/* Whether the call before had as many columns of taps as this one has rows, and as many rows as this one columns. */
static int is_exchanged(JudgeCase *c)
{
    return !is_line(c) && !judge_has_param(c, "separable");
}

/* Up to `most`, and no more than so many of them fit into an int. */
static int at_most(int most, size_t n)
{
    size_t fits = INT32_MAX / n;
    return fits < 1 ? 1 : fits < (size_t)most ? (int)fits : most;
}

void judge_inputs(JudgeCase *c)
{
    size_t rows = is_line(c) ? 1 : 2 * size_param(c, "radius_y") + 1;
    size_t columns = 2 * size_param(c, "radius_x") + 1;
    int separable = judge_has_param(c, "separable");
    LabArray *in;
    if (is_line(c))
        in = judge_input_make(c, "in", LAB_I32, 1, (size_t[]){size_param(c, "n")});
    else
        in = judge_input_make(c, "in", LAB_I32, 2,
                              (size_t[]){size_param(c, "height"), size_param(c, "width")});
    int64_t wide = judge_has_param(c, "wide") ? judge_param_int(c, "wide") : 0;
    size_t n_taps = rows * columns;
    int largest = is_line(c) ? 999 : separable ? 9 : 60, of_column = largest; /* of the taps */
    int elements = 80000;
    if (wide == 1) {
        of_column = separable ? at_most(3, n_taps * 15000000) : 1;
        largest = separable ? of_column : at_most(8, n_taps * 30000000);
        elements = at_most(separable ? 15000000 : 30000000, n_taps * (size_t)(largest * of_column));
    } else if (wide == 2) {
        elements = 4;
        of_column = at_most(400000000, 3 * n_taps * (size_t)elements);
        largest = separable ? 3 : at_most(400000000, n_taps * (size_t)elements);
    }
    judge_fill(c, in, wide ? -elements : 1, elements);
    judge_fill(c, judge_input_make(c, "filter", LAB_I32, 2, (size_t[]){separable ? 1 : rows, columns}), -largest,
               largest);
    if (separable)
        judge_fill_i32(c, judge_input_make_i32(c, "column", rows), -of_column, of_column);
}

typedef struct Filter {
    const LabArray *taps; /* of a filter that is a column times a row: the row */
    const int *column;    /* NULL: it is none */
    size_t rows;          /* of the column */
    size_t radius_y, radius_x;
    int turned;
} Filter;

/* The tap of row j and column i. */
static int tap_at(const Filter *f, size_t j, size_t i)
{
    size_t at = (f->column ? 0 : j) * (2 * f->radius_x + 1) + i;
    int tap = ((const int *)f->taps->data)[f->turned ? f->taps->elements - 1 - at : at];
    return f->column ? f->column[f->turned ? f->rows - 1 - j : j] * tap : tap;
}

static void convolve(const int *image, int *out, size_t height, size_t width, const Filter *f)
{
    size_t radius_y = f->radius_y, radius_x = f->radius_x;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t j = 0; j <= 2 * radius_y; j++)
                for (size_t i = 0; i <= 2 * radius_x; i++) {
                    /* Below 0 they wrap round, and are too large as well. */
                    size_t from_y = y + radius_y - j, from_x = x + radius_x - i;
                    if (from_y < height && from_x < width)
                        out[y * width + x] += tap_at(f, j, i) * image[from_y * width + from_x];
                }
}

void judge_reference(JudgeCase *c)
{
    const LabArray *in = judge_input(c, "in");
    size_t height = is_line(c) ? 1 : in->shape[0], width = in->shape[is_line(c) ? 0 : 1];
    Filter filter = {.taps = judge_input(c, "filter"),
                     .radius_y = is_line(c) ? 0 : size_param(c, "radius_y"),
                     .radius_x = size_param(c, "radius_x")};
    if (judge_has_param(c, "separable"))
        filter.column = judge_input_i32(c, "column", &filter.rows);
    convolve(in->data, judge_expect(c, "out", LAB_I32, in->n_dims, in->shape), height, width, &filter);
    if (!judge_has_param(c, "again"))
        return;
    if (height > 1)
        height /= 2;
    else
        width /= 2;
    filter.turned = 1;
    if (is_exchanged(c)) {
        filter.radius_y = size_param(c, "radius_x");
        filter.radius_x = size_param(c, "radius_y");
    } else {
        filter.radius_y /= 2;
        filter.radius_x /= 2;
    }
    convolve(in->data, judge_expect(c, "out_of_half", LAB_I32, 2, (size_t[]){height, width}), height, width, &filter);
}

/* ---- What mistakes give ---- */

enum { RADIUS_MAX = 8, TAPS_MAX = (2 * RADIUS_MAX + 1) * (2 * RADIUS_MAX + 1), TILE_X = 32, TILE_Y = 16 };

/* One call of the function, and the output that comes of it. */
typedef struct Call {
    const char *output;
    int height, width, radius_y, radius_x;
    int taps[TAPS_MAX + 1]; /* of the whole filter, row after row; the rest is 0 */
} Call;

typedef enum Outside { ZERO, CLAMPED, WRAPPED, RUNS_ON, MIRRORED, REFLECTED } Outside; /* what counts outside of the image */
typedef enum Copied { ALL, BYTES, ROW, SQUARE_X, SQUARE_Y, NONE } Copied;              /* how much of the filter comes to the device */
enum { LEFT = 1, RIGHT = 2, TOP = 4, BOTTOM = 8, AROUND = LEFT | RIGHT | TOP | BOTTOM, CORNERS = 16 }; /* parts of a tile's halo */
enum { ENDS_X = 1, ENDS_Y = 2, ENDS_ALL = 4 | ENDS_X | ENDS_Y };                                       /* loops, or both at once */
typedef enum Border { SUMS, ZEROS, AS_BEFORE } Border; /* what elements become that have a neighbour outside */
enum { LINES = 1, IMAGES = 2, SEPARABLE = 4, PLANES = IMAGES | SEPARABLE, ANY = LINES | PLANES };

typedef struct Slip {
    unsigned of; /* functions */
    const char *sentence, *hint;
    int ahead_y, ahead_x;                             /* the sign of j and of i: in(y + j, x + i) */
    int first_y, first_x, last_y, last_x;             /* so many turns of the loop are left out at its beginning and end */
    int from_middle;                                  /* the loops begin at 0, not at -radius */
    int no_middle;                                    /* the tap in the middle is left out */
    int moved_y, moved_x;                             /* 1: by the radius */
    int lost_top, lost_left, lost_bottom, lost_right; /* this row or column of the image counts as 0 */
    int assigns;                                      /* 1: sum = for sum +=; 2: for products that are 0 as well */
    int radii_exchanged, taps_exchanged;              /* of the filter */
    int pitch_of_height, short_pitch;                 /* a row of the filter has 2 * radius_y + 1 taps, or one tap too few */
    int image_pitch;                                  /* a row of the image has `height` elements */
    unsigned no_halo;                                 /* these parts of a tile's halo are 0 */
    unsigned ends;                                    /* these loops end at the first tap outside */
    int backwards;                                    /* and go from radius to -radius */
    Border border;
    Outside outside;
    Copied copied;
} Slip;

static const char
    SIGNS[] =
        "Which sign has d, j or i in the index of the tap, and which one in the index of the element? One of the two is minus, in each direction.",
    BOUNDS[] = "With which value does this loop begin, and with which one does it end? It has 2 * radius + 1 turns.",
    EXISTS[] = "In the test whether a neighbour exists: is it >= 0, and < the length, and not > 0 or < the length - 1?",
    ORIGIN[] = "Which element belongs to the tap in the middle? Look at where radius is added and where it is subtracted: in the index of the tap, "
               "in the origin of the tile, and where the sum reads.",
    OUTSIDE[] =
        "What stands for a neighbour that does not exist? Its row must be in the image and its column too; otherwise 0 counts, not another element.",
    COPY[] =
        "How many bytes does cudaMemcpyToSymbol copy? It is rows * columns * sizeof(int), with 2 * radius_y + 1 rows and 2 * radius_x + 1 columns.",
    TAP[] = "What is the index of tap (j, i)? The filter has 2 * radius_y + 1 rows of 2 * radius_x + 1 taps each.",
    TURNED[] = "Which index of the filter goes along the rows of the image? The tap of row j and column i belongs to the element j rows above and i "
               "columns to the left.",
    HALO[] = "Does the tile get its halo from the image, on all four sides and at the corners? A place of the halo is 0 only where the image has no "
             "element.",
    NOTHING[] = "Is the filter in `taps` before the kernel is launched, at the place where the sum reads it? cudaMemcpyToSymbol counts bytes, in its "
                "offset too. Then: has the stored sum all products, and does the loop go on behind a tap outside?",
    GOES_ON[] =
        "Near this edge the loop meets taps that lie outside. Does it go on behind them (continue), or does it or the thread end there (break, "
        "return)? And is a sum made for elements without all neighbours, too?",
    KEEPS[] = "In the loop, is each product added to the sum (+=), or does it take its place (=)?";

static const Slip slips[] = {
    {ANY, "all elements are 0, as if all taps were", NOTHING, .copied = NONE},
    {LINES, "it is the correlation: the filter is not turned round", SIGNS, .ahead_x = 1},
    {PLANES, "along the rows the filter is not turned round", SIGNS, .ahead_x = 1},
    {PLANES, "along the columns the filter is not turned round", SIGNS, .ahead_y = 1},
    {PLANES, "the filter is turned round in no direction", SIGNS, .ahead_y = 1, .ahead_x = 1},
    {LINES, "the first tap of the filter is left out", BOUNDS, .first_x = 1},
    {LINES, "the last tap of the filter is left out", BOUNDS, .last_x = 1},
    {LINES, "the first and the last tap are left out", BOUNDS, .first_x = 1, .last_x = 1},
    {PLANES, "the first column of the filter is left out", BOUNDS, .first_x = 1},
    {PLANES, "the last column of the filter is left out", BOUNDS, .last_x = 1},
    {PLANES, "the first row of the filter is left out", BOUNDS, .first_y = 1},
    {PLANES, "the last row of the filter is left out", BOUNDS, .last_y = 1},
    {PLANES, "the last row and the last column of the filter are left out", BOUNDS, .last_y = 1, .last_x = 1},
    {ANY, "only the taps from the middle on count", BOUNDS, .from_middle = 1},
    {ANY, "the tap in the middle is left out", BOUNDS, .no_middle = 1},
    {LINES, "it is the right result moved by `radius` to the right", ORIGIN, .moved_x = -1},
    {LINES, "it is the right result moved by `radius` to the left", ORIGIN, .moved_x = 1},
    {PLANES, "it is the right result moved down and to the right, by radius_y and radius_x", ORIGIN, .moved_y = -1, .moved_x = -1},
    {PLANES, "it is the right result moved up and to the left, by radius_y and radius_x", ORIGIN, .moved_y = 1, .moved_x = 1},
    {PLANES, "it is the right result moved to the right by radius_x", ORIGIN, .moved_x = -1},
    {PLANES, "it is the right result moved to the left by radius_x", ORIGIN, .moved_x = 1},
    {PLANES, "it is the right result moved down by radius_y", ORIGIN, .moved_y = -1},
    {PLANES, "it is the right result moved up by radius_y", ORIGIN, .moved_y = 1},
    {LINES, "in[0] counts as 0", EXISTS, .lost_left = 1},
    {LINES, "the last element of `in` counts as 0", EXISTS, .lost_right = 1},
    {PLANES, "the first column of the image counts as 0", EXISTS, .lost_left = 1},
    {PLANES, "the last column of the image counts as 0", EXISTS, .lost_right = 1},
    {PLANES, "the first row of the image counts as 0", EXISTS, .lost_top = 1},
    {PLANES, "the last row of the image counts as 0", EXISTS, .lost_bottom = 1},
    {PLANES, "the first row and the first column of the image count as 0", EXISTS, .lost_top = 1, .lost_left = 1},
    {PLANES, "the last row and the last column of the image count as 0", EXISTS, .lost_bottom = 1, .lost_right = 1},
    {ANY, "outside, the nearest element at the edge counts and not 0", OUTSIDE, .outside = CLAMPED},
    {ANY, "outside, the elements at the other end count and not 0", OUTSIDE, .outside = WRAPPED},
    {PLANES, "rows run on into each other: left of a row its neighbour is the end of the row above", OUTSIDE, .outside = RUNS_ON},
    {ANY, "outside, the elements mirrored at the edge count and not 0", OUTSIDE, .outside = MIRRORED},
    {ANY, "outside, the elements mirrored at the edge count and not 0", OUTSIDE, .outside = REFLECTED},
    {PLANES, "at the edge of each tile of 32 x 16 the elements of the next tile count as 0", HALO, .no_halo = AROUND},
    {PLANES, "the halo left of each tile of 32 x 16 counts as 0", HALO, .no_halo = LEFT},
    {PLANES, "the halo right of each tile of 32 x 16 counts as 0", HALO, .no_halo = RIGHT},
    {PLANES, "the halo above each tile of 32 x 16 counts as 0", HALO, .no_halo = TOP},
    {PLANES, "the halo below each tile of 32 x 16 counts as 0", HALO, .no_halo = BOTTOM},
    {PLANES, "the halo on the left and on the right of each tile of 32 x 16 counts as 0", HALO, .no_halo = LEFT | RIGHT},
    {PLANES, "the halo above and below each tile of 32 x 16 counts as 0", HALO, .no_halo = TOP | BOTTOM},
    {PLANES, "the corners of the halo of each tile of 32 x 16 count as 0", HALO, .no_halo = CORNERS},
    {ANY, "each element is its last product alone", KEEPS, .assigns = 1},
    {ANY, "each element is its last product alone", KEEPS, .assigns = 2},
    {IMAGES, "the filter is taken with 2 * radius_x + 1 rows and 2 * radius_y + 1 columns",
     "Are radius_y and radius_x exchanged, in the loops or in the arguments of the launch? y goes with rows, x with columns.", .radii_exchanged = 1},
    {PLANES, "rows and columns of the filter are exchanged", TURNED, .taps_exchanged = 1},
    {PLANES, "rows and columns of the filter are exchanged", TURNED, .taps_exchanged = 1, .pitch_of_height = 1},
    {IMAGES, "rows of the filter are taken for 2 * radius_y + 1 taps long", TAP, .pitch_of_height = 1},
    {IMAGES, "rows of the filter are taken for 2 * radius_x taps long", TAP, .short_pitch = 1},
    {IMAGES, "rows of the image are taken for `height` elements long",
     "What is the index of element (y, x) of the image? Its rows have `width` elements.", .image_pitch = 1},
    {ANY, "as many bytes of the filter were copied as it has taps; all other taps were 0", COPY, .copied = BYTES},
    {IMAGES, "only the first row of the filter counts, as if all other taps were 0",
     "Which bytes does cudaMemcpyToSymbol copy, rows * columns * sizeof(int)? And does the sum read tap (row, column) where it was copied to: rows of the filter lie "
     "directly behind one another, 2 * radius_x + 1 taps each, and not as far apart as rows of a constant array for the largest filter.",
     .copied = ROW},
    {IMAGES, "only (2 * radius_x + 1) * (2 * radius_x + 1) taps were copied, as if the filter were square", COPY, .copied = SQUARE_X},
    {IMAGES, "only (2 * radius_y + 1) * (2 * radius_y + 1) taps were copied, as if the filter were square", COPY, .copied = SQUARE_Y},
    {LINES, "the last `radius` elements are 0", GOES_ON, .ends = ENDS_X},
    {LINES, "the first `radius` elements are 0", GOES_ON, .ends = ENDS_X, .backwards = 1},
    {PLANES, "the last radius_x columns are 0", GOES_ON, .ends = ENDS_X},
    {PLANES, "the first radius_x columns are 0", GOES_ON, .ends = ENDS_X, .backwards = 1},
    {PLANES, "the last radius_y rows are 0", GOES_ON, .ends = ENDS_Y},
    {PLANES, "the first radius_y rows are 0", GOES_ON, .ends = ENDS_Y, .backwards = 1},
    {PLANES, "the last radius_y rows and the last radius_x columns are 0", GOES_ON, .ends = ENDS_Y | ENDS_X},
    {PLANES, "the first radius_y rows and the first radius_x columns are 0", GOES_ON, .ends = ENDS_Y | ENDS_X, .backwards = 1},
    {PLANES, "near the edges only the products before the first tap outside are in the sum", GOES_ON, .ends = ENDS_ALL},
    {PLANES, "near the edges only the products before the first tap outside are in the sum", GOES_ON, .ends = ENDS_ALL, .backwards = 1},
    {LINES, "the first and the last `radius` elements are 0", GOES_ON, .border = ZEROS},
    {LINES, "the first and the last `radius` elements are those of `in`", GOES_ON, .border = AS_BEFORE},
    {PLANES, "all elements that have a neighbour outside are 0", GOES_ON, .border = ZEROS},
    {PLANES, "all elements that have a neighbour outside are those of `in`", GOES_ON, .border = AS_BEFORE},
};

/* How many bytes of the filter come to the device. */
static size_t bytes_copied(const Call *call, Copied copied)
{
    size_t columns = 2 * (size_t)call->radius_x + 1, rows = 2 * (size_t)call->radius_y + 1;
    size_t bytes[] = {[ALL] = TAPS_MAX * sizeof(int),         [BYTES] = rows * columns,
                      [ROW] = columns * sizeof(int),          [SQUARE_X] = columns * columns * sizeof(int),
                      [SQUARE_Y] = rows * rows * sizeof(int), [NONE] = 0};
    return bytes[copied] < bytes[ALL] ? bytes[copied] : bytes[ALL];
}

/* The call as its kernel sees it. */
static Call call_with(const Call *call, const Slip *s)
{
    Call seen = *call;
    memset(seen.taps, 0, sizeof seen.taps);
    memcpy(seen.taps, call->taps, bytes_copied(call, s->copied));
    if (s->radii_exchanged) {
        seen.radius_y = call->radius_x;
        seen.radius_x = call->radius_y;
    }
    return seen;
}

/* The tap for turn j and i of the loops, both from 0 on. */
static int tap_of(const Call *call, const Slip *s, int j, int i)
{
    int pitch = 2 * (s->pitch_of_height ? call->radius_y : call->radius_x) + 1 - s->short_pitch;
    int at = s->taps_exchanged ? i * pitch + j : j * pitch + i;
    return at < TAPS_MAX ? call->taps[at] : 0;
}

static int is_outside(int i, int n)
{
    return i < 0 || i >= n;
}

static int limited(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* Mirrored at both ends as often as it takes; `twice`: the element at the end is its own neighbour. */
static int mirrored(int i, int n, int twice)
{
    int period = 2 * (twice ? n : n - 1);
    if (period == 0)
        return 0;
    int at = (i % period + period) % period;
    return at < n ? at : period - at - twice;
}

/* The element that counts for the place (y, x) outside of the image; NULL: 0. */
static const int *outside_of(const Call *call, const Slip *s, const int *image, int y, int x)
{
    int64_t height = call->height, width = call->width, at = y * width + x;
    if (s->outside == CLAMPED)
        return &image[limited(y, call->height) * width + limited(x, call->width)];
    if (s->outside == MIRRORED || s->outside == REFLECTED)
        return &image[mirrored(y, call->height, s->outside == MIRRORED) * width + mirrored(x, call->width, s->outside == MIRRORED)];
    if (s->outside == WRAPPED)
        return &image[(y + 2 * RADIUS_MAX * height) % height * width + (x + 2 * RADIUS_MAX * width) % width];
    return s->outside == RUNS_ON && at >= 0 && at < height * width ? &image[at] : NULL;
}

/* In which parts of the halo of a tile that begins at (tile_y, tile_x) the place (y, x) lies. */
static unsigned halo_at(int y, int x, int tile_y, int tile_x)
{
    unsigned beside = (x < tile_x ? LEFT : 0) | (x >= tile_x + TILE_X ? RIGHT : 0);
    unsigned above = (y < tile_y ? TOP : 0) | (y >= tile_y + TILE_Y ? BOTTOM : 0);
    return beside | above | (beside && above ? CORNERS : 0);
}

/* The element at (y, x), for a sum of the tile that begins at (tile_y, tile_x); NULL: 0. */
static const int *element_at(const Call *call, const Slip *s, const int *image, int y, int x, int tile_y, int tile_x)
{
    if (is_outside(y, call->height) || is_outside(x, call->width))
        return outside_of(call, s, image, y, x);
    if (y < s->lost_top || y >= call->height - s->lost_bottom || x < s->lost_left || x >= call->width - s->lost_right)
        return NULL;
    if (s->no_halo && (s->no_halo & halo_at(y, x, tile_y, tile_x)))
        return NULL;
    return &image[(int64_t)y * (s->image_pitch ? call->height : call->width) + x];
}

/* No product of this turn of the outer loop is in the sum: one of its own first, or of the turns before, lay outside. What lies outside
 * at the end of a loop is 0 anyway. */
static int has_ended(const Call *call, const Slip *s, int y, int x, int turn)
{
    int ry = s->backwards ? -call->radius_y : call->radius_y, rx = s->backwards ? -call->radius_x : call->radius_x;
    return ((s->ends & ENDS_X) && is_outside(x + rx, call->width)) || ((s->ends & ENDS_Y) && is_outside(y + ry, call->height)) ||
           (s->ends == ENDS_ALL && turn > 0 && is_outside(x - rx, call->width));
}

static int has_all_neighbours(const Call *call, int y, int x)
{
    int ry = call->radius_y, rx = call->radius_x;
    return y >= ry && y + ry < call->height && x >= rx && x + rx < call->width;
}

static int sum_at(const Call *call, const Slip *s, const int *image, int y, int x)
{
    int ry = call->radius_y, rx = call->radius_x, tile_y = y / TILE_Y * TILE_Y, tile_x = x / TILE_X * TILE_X;
    int from_j = s->from_middle ? 0 : s->first_y - ry, from_i = s->from_middle ? 0 : s->first_x - rx;
    int64_t sum = 0;
    for (int j = from_j; j <= ry - s->last_y; j++)
        for (int i = from_i; i <= rx - s->last_x && !(s->ends && has_ended(call, s, y, x, s->backwards ? ry - j : j + ry)); i++) {
            int from_y = y + s->moved_y * ry + (s->ahead_y ? j : -j), from_x = x + s->moved_x * rx + (s->ahead_x ? i : -i);
            const int *at = element_at(call, s, image, from_y, from_x, tile_y, tile_x);
            if ((!at && s->assigns < 2) || (s->no_middle && j == 0 && i == 0))
                continue;
            int64_t product = at ? (int64_t)tap_of(call, s, ry + j, rx + i) * *at : 0;
            sum = s->assigns ? product : sum + product;
        }
    return (int)sum;
}

static void convolve_wrongly(const Call *call, const Slip *s, const int *image, int *out)
{
    if (!out || (s->image_pitch && call->height > call->width))
        return;
    Call seen = call_with(call, s);
    for (int y = 0; y < call->height; y++)
        for (int x = 0; x < call->width; x++) {
            size_t at = (size_t)y * (size_t)call->width + (size_t)x;
            if (s->border == SUMS || has_all_neighbours(call, y, x))
                out[at] = sum_at(&seen, s, image, y, x);
            else
                out[at] = s->border == ZEROS ? 0 : image[at];
        }
}

/* The taps of `rows` rows and `columns` columns whose products of `column` and `row` they are. */
static void multiply(Call *call, const int *column, const int *row, int radius_y, int radius_x)
{
    call->radius_y = radius_y;
    call->radius_x = radius_x;
    for (int j = 0; j <= 2 * radius_y; j++)
        for (int i = 0; i <= 2 * radius_x; i++)
            call->taps[j * (2 * radius_x + 1) + i] = column[j] * row[i];
}

static const char ARGUMENTS[] = "In both passes: which image goes in, which filter, and what are its radius_y and radius_x? The row is a filter with "
                                "radius_y = 0, the column one with radius_x = 0.";

/* Both passes along x, or both along y. */
static void name_one_direction(JudgeCase *c, const Call *call, const int *image, const int *column, const int *row)
{
    static const Slip none = {.of = SEPARABLE};
    static const int one = 1;
    static const char *const sentences[] = {"row and column both went along x", "row and column both went along y"};
    int *scratch = calloc((size_t)call->height * (size_t)call->width + 1, sizeof(int));
    for (int along_y = 0; along_y < 2 && scratch; along_y++) {
        Call first = {.height = call->height, .width = call->width}, second = first;
        multiply(&first, along_y ? row : &one, along_y ? &one : row, along_y ? call->radius_x : 0, along_y ? 0 : call->radius_x);
        multiply(&second, along_y ? column : &one, along_y ? &one : column, along_y ? call->radius_y : 0, along_y ? 0 : call->radius_y);
        convolve_wrongly(&first, &none, image, scratch);
        convolve_wrongly(&second, &none, scratch, judge_mistake(c, call->output, sentences[along_y], ARGUMENTS));
    }
    free(scratch);
}

/* What becomes of the two passes of TODO 4. */
static void name_passes(JudgeCase *c, const Call *call, const int *image, const int *column, const int *row)
{
    static const Slip none = {.of = SEPARABLE};
    static const int one = 1;
    int ry = call->radius_y, rx = call->radius_x;
    struct {
        const char *sentence;
        const int *column, *row;
        int radius_y, radius_x;
    } passes[] = {{"it is what the row alone makes of the image", &one, row, 0, rx},
                  {"it is what the column alone makes of the image", column, &one, ry, 0},
                  {"the row went along y, and the column along x", row, column, rx, ry},
                  {"the row served in both passes, and the column in none", row, row, ry, rx},
                  {"the column served in both passes, and the row in none", column, column, ry, rx}};
    for (size_t k = 0; k < sizeof passes / sizeof passes[0]; k++) {
        if ((k == 3 && ry > rx) || (k == 4 && rx > ry))
            continue; /* more taps than there are */
        Call wrong = {.height = call->height, .width = call->width};
        multiply(&wrong, passes[k].column, passes[k].row, passes[k].radius_y, passes[k].radius_x);
        convolve_wrongly(&wrong, &none, image, judge_mistake(c, call->output, passes[k].sentence, ARGUMENTS));
    }
}

/* The filter of the last call before, of which both the row and the column, if there are such, end in another tap. */
static void name_last_tap(JudgeCase *c, const Call *call, const int *image)
{
    static const Slip none = {.of = ANY};
    Call wrong = *call;
    int rows = 2 * call->radius_y + 1, columns = 2 * call->radius_x + 1, separable = judge_has_param(c, "separable");
    for (int k = 0; k < rows * columns; k++) {
        if (separable ? k / columns == rows - 1 || k % columns == columns - 1 : k == rows * columns - 1)
            wrong.taps[k] = 0;
    }
    convolve_wrongly(&wrong, &none, image,
                     judge_mistake(c, call->output, "it is made with the filter of the call before, which differs in its last tap alone",
                                   "Does the function find that the filter is on the device already? All taps would have to be compared, and memcmp counts bytes. Is it copied in each call?"));
}

/* The filter that the driver's calls before had: with another last tap; with the same radius or half of it, and from the other end. */
static void name_filters_before(JudgeCase *c, const Call *call, const int *image)
{
    static const Slip none = {.of = ANY};
    static const char *const hint =
        "If the cases before are right: constant memory keeps what is in it. Is the filter copied in each call, and before the kernel is launched?";
    int n_taps = (2 * call->radius_y + 1) * (2 * call->radius_x + 1);
    int n_half = is_exchanged(c) ? n_taps : (2 * (call->radius_y / 2) + 1) * (2 * (call->radius_x / 2) + 1);
    const char *sentences[] = {"it is made with this filter from its other end, as the call before had it",
                               "it is made with the filter of a call before"};
    name_last_tap(c, call, image);
    for (int turn = 0; turn < (n_half < n_taps ? 2 : 1); turn++) {
        Call wrong = *call;
        memset(wrong.taps, 0, sizeof wrong.taps);
        for (int k = 0; k < (turn ? n_half : n_taps); k++)
            wrong.taps[k] = call->taps[n_taps - 1 - k];
        convolve_wrongly(&wrong, &none, image, judge_mistake(c, call->output, sentences[turn], hint));
    }
}

/* `turned`: the filter from the other end, for the call before. */
static Call read_call(JudgeCase *c, int turned)
{
    const LabArray *in = judge_input(c, "in"), *taps = judge_input(c, "filter");
    Filter filter = {.taps = taps, .turned = turned};
    filter.radius_y = is_line(c) ? 0 : size_param(c, "radius_y");
    filter.radius_x = size_param(c, "radius_x");
    if (judge_has_param(c, "separable"))
        filter.column = judge_input_i32(c, "column", &filter.rows);
    int exchanged = turned && is_exchanged(c), halved = turned && !exchanged;
    Call call = {.output = turned ? "out_of_half" : "out",
                 .height = is_line(c) ? 1 : (int)in->shape[0],
                 .width = (int)in->shape[is_line(c) ? 0 : 1],
                 .radius_y = (int)(exchanged ? filter.radius_x : filter.radius_y) >> halved,
                 .radius_x = (int)(exchanged ? filter.radius_y : filter.radius_x) >> halved};
    if (turned && call.height > 1)
        call.height /= 2;
    else if (turned)
        call.width /= 2;
    filter.radius_x = (size_t)call.radius_x;
    for (int j = 0; j <= 2 * call.radius_y; j++)
        for (int i = 0; i <= 2 * call.radius_x; i++)
            call.taps[j * (2 * call.radius_x + 1) + i] = tap_at(&filter, (size_t)j, (size_t)i);
    return call;
}

static void name_slips(JudgeCase *c, const Call *call, const int *image)
{
    unsigned of = is_line(c) ? LINES : judge_has_param(c, "separable") ? SEPARABLE : IMAGES;
    for (size_t k = 0; k < sizeof slips / sizeof slips[0]; k++)
        if (slips[k].of & of)
            convolve_wrongly(call, &slips[k], image, judge_mistake(c, call->output, slips[k].sentence, slips[k].hint));
}

void judge_mistakes(JudgeCase *c)
{
    const int *image = judge_input(c, "in")->data;
    Call call = read_call(c, 0);
    if (judge_has_param(c, "again"))
        name_filters_before(c, &call, image);
    name_slips(c, &call, image);
    if (judge_has_param(c, "separable")) {
        const int *column = judge_input_i32(c, "column", NULL), *row = judge_input(c, "filter")->data;
        name_passes(c, &call, image, column, row);
        name_one_direction(c, &call, image, column, row);
    }
    if (judge_has_param(c, "again")) {
        call = read_call(c, 1);
        name_slips(c, &call, image);
    }
}
