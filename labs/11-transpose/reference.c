/* Lab 11: inputs and right answers.
 *
 * Parameters: `function`, one of transpose.h; width and height, or n and factor for transpose_in_place.
 * `timed` is the driver's. Elements are moved, and factors are powers of two, so every element must be
 * exactly right. The factor is there so that a matrix in place is written as a whole: its diagonal stays
 * where it is.
 *
 * judge_mistakes: a Slip says which element of `in` a place of `out` has after a mistake, and times what.
 */
#include "judge.h"

#include <string.h>

static int is_in_place(JudgeCase *c)
{
    return strcmp(judge_param_text(c, "function"), "transpose_in_place") == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t shape[2] = {(size_t)judge_param_int(c, is_in_place(c) ? "n" : "height"),
                       (size_t)judge_param_int(c, is_in_place(c) ? "n" : "width")};
    judge_fill(c, judge_input_make(c, "in", LAB_F32, 2, shape), -1000, 1000);
}

/* What the function does with memory, by the record, between the driver's notes. */
static void judge_memory(JudgeCase *c)
{
    size_t n = 0, arrays = 0, fills = 0;
    int own = 0;
    const JudgeCall *calls = judge_calls(c, &n);
    for (size_t i = 0; calls && i < n; i++) {
        own = judge_note(&calls[i], "transposes") || (own && !judge_note(&calls[i], "transposed"));
        arrays += own && strcmp(calls[i].op, "ALLOC") == 0;
        fills += own && strcmp(calls[i].op, "FILL") == 0;
    }
    if (arrays > 0)
        judge_refuse(c, "The function takes memory for another array on the device: a tile in shared memory is all the room that it has.");
    if (fills > 0)
        judge_refuse(c, "The result is filled before the kernel stores it: each element is stored once.");
}

void judge_reference(JudgeCase *c)
{
    judge_expect_nothing(c);
    judge_expect_destroyed(c);
    judge_memory(c);
    const LabArray *in = judge_input(c, "in");
    size_t height = in->shape[0], width = in->shape[1], shape[2] = {width, height};
    const float *from = in->data;
    float factor = is_in_place(c) ? (float)judge_param_float(c, "factor") : 1;
    float *to = judge_expect(c, "out", LAB_F32, 2, shape);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            to[x * height + y] = factor * from[y * width + x];
}

/* ---- What mistakes give ---- */

enum { TILE = 32, ROWS = 8 };

typedef struct Call {
    int64_t width, height; /* of in */
    float factor;
} Call;

/* A place of out has factor times element `from` of in; below 0: what is right. */
typedef struct Source {
    int64_t from;
    float factor;
} Source;

enum { OUT_OF_PLACE = 1, IN_PLACE = 2, BOTH = 3 };

typedef struct Slip {
    unsigned of; /* functions */
    const char *sentence, *hint;
    Source (*source)(const Call *, int64_t row, int64_t column); /* of out */
    int whole;                                                   /* what stands behind the point is lost */
} Slip;

/* Element (x, y) of in. */
static Source element(const Call *c, int64_t x, int64_t y)
{
    return (Source){x < c->width && y < c->height ? y * c->width + x : -1, c->factor};
}

/* ---- Places ---- */

static Source unchanged(const Call *c, int64_t row, int64_t column)
{
    return (Source){row * c->height + column, 1};
}

static Source only_multiplied(const Call *c, int64_t row, int64_t column)
{
    return (Source){row * c->height + column, c->factor};
}

static Source tile_stays(const Call *c, int64_t row, int64_t column)
{
    return element(c, column - column % TILE + row % TILE, row - row % TILE + column % TILE);
}

static Source tile_not_turned(const Call *c, int64_t row, int64_t column)
{
    return element(c, row - row % TILE + column % TILE, column - column % TILE + row % TILE);
}

static Source same_columns(const Call *c, int64_t row, int64_t column)
{
    return element(c, row - row % TILE + row % ROWS, column);
}

static Source same_rows(const Call *c, int64_t row, int64_t column)
{
    return element(c, row, column - column % TILE + column % ROWS);
}

static Source upside_down(const Call *c, int64_t row, int64_t column)
{
    return element(c, c->width - 1 - row, column);
}

static Source right_to_left(const Call *c, int64_t row, int64_t column)
{
    return element(c, row, c->height - 1 - column);
}

static Source both_ends(const Call *c, int64_t row, int64_t column)
{
    return element(c, c->width - 1 - row, c->height - 1 - column);
}

static Source rows_as_long_as_high(const Call *c, int64_t row, int64_t column)
{
    int64_t from = column * c->height + row;
    return (Source){from < c->width * c->height ? from : -1, c->factor};
}

static Source sizes_exchanged(const Call *c, int64_t row, int64_t column)
{
    int64_t place = row * c->height + column;
    return (Source){place % c->width * c->height + place / c->width, c->factor};
}

/* ---- In place ---- */

static Source no_factor(const Call *c, int64_t row, int64_t column)
{
    return (Source){element(c, row, column).from, 1};
}

static Source factor_squared(const Call *c, int64_t row, int64_t column)
{
    return (Source){element(c, row, column).from, c->factor * c->factor};
}

static Source factor_divides(const Call *c, int64_t row, int64_t column)
{
    return (Source){element(c, row, column).from, 1 / c->factor};
}

static Source factor_as_int(const Call *c, int64_t row, int64_t column)
{
    return (Source){element(c, row, column).from, (float)(int)c->factor};
}

static Source factor_without_sign(const Call *c, int64_t row, int64_t column)
{
    return (Source){element(c, row, column).from, c->factor < 0 ? -c->factor : c->factor};
}

static Source right_place(const Call *c, int64_t row, int64_t column)
{
    return element(c, row, column);
}

/* -1, 0 and 1: above the diagonal, on it, below. */
static int side_of_tile(int64_t row, int64_t column)
{
    return (row / TILE > column / TILE) - (row / TILE < column / TILE);
}

static int side_of_element(int64_t row, int64_t column)
{
    return (row > column) - (row < column);
}

/* One function in some places, and what is right in the others. */
#define WHERE(name, condition, what)                                                                                                                 \
    static Source name(const Call *c, int64_t row, int64_t column)                                                                                   \
    {                                                                                                                                                \
        return (condition) ? what(c, row, column) : element(c, row, column);                                                                         \
    }
WHERE(diagonal_without_factor, row == column, no_factor)
WHERE(diagonal_tiles_unchanged, side_of_tile(row, column) == 0, unchanged)
WHERE(diagonal_tiles_multiplied, side_of_tile(row, column) == 0, only_multiplied)
WHERE(diagonal_tiles_without_factor, side_of_tile(row, column) == 0, no_factor)
WHERE(diagonal_tiles_squared, side_of_tile(row, column) == 0, factor_squared)
WHERE(diagonal_tiles_alone, side_of_tile(row, column) != 0, unchanged)
WHERE(tiles_above_unchanged, side_of_tile(row, column) < 0, unchanged)
WHERE(tiles_below_unchanged, side_of_tile(row, column) > 0, unchanged)
WHERE(above_unchanged, side_of_element(row, column) < 0, unchanged)
WHERE(below_unchanged, side_of_element(row, column) > 0, unchanged)
WHERE(tiles_above_multiplied, side_of_tile(row, column) < 0, only_multiplied)
WHERE(tiles_below_multiplied, side_of_tile(row, column) > 0, only_multiplied)
WHERE(above_multiplied, side_of_element(row, column) < 0, only_multiplied)
WHERE(below_multiplied, side_of_element(row, column) > 0, only_multiplied)
WHERE(tiles_above_without_factor, side_of_tile(row, column) < 0, no_factor)
WHERE(tiles_below_without_factor, side_of_tile(row, column) > 0, no_factor)
WHERE(above_without_factor, side_of_element(row, column) < 0, no_factor)
WHERE(below_without_factor, side_of_element(row, column) > 0, no_factor)
WHERE(tiles_above_squared, side_of_tile(row, column) < 0, factor_squared)
WHERE(tiles_below_squared, side_of_tile(row, column) > 0, factor_squared)
WHERE(all_but_diagonal_squared, side_of_tile(row, column) != 0, factor_squared)
WHERE(tiles_above_stay, side_of_tile(row, column) < 0, tile_stays)
WHERE(tiles_below_stay, side_of_tile(row, column) > 0, tile_stays)
WHERE(part_unchanged, row >= c->height / TILE * TILE || column >= c->width / TILE * TILE, unchanged)
WHERE(rows_unchanged, row % TILE >= ROWS, unchanged)

/* Read back from where the other half has been stored. */
static Source twice_moved(const Call *c, int64_t row, int64_t column)
{
    return (Source){row * c->height + column, c->factor * c->factor};
}
WHERE(tiles_above_twice, side_of_tile(row, column) < 0, twice_moved)
WHERE(tiles_below_twice, side_of_tile(row, column) > 0, twice_moved)
WHERE(above_twice, side_of_element(row, column) < 0, twice_moved)
WHERE(below_twice, side_of_element(row, column) > 0, twice_moved)

static const char
    PLACE[] =
        "To which place of `out` does element (x, y) of `in` go? Its row there is x and its column y, and a row of `out` has `height` elements.",
    MIRROR[] = "Which tile of `out` does a block write? blockIdx.y goes along the row of `out` now, and blockIdx.x down its columns.",
    TURN[] = "When the tile is read again: are its indexes exchanged, tile[threadIdx.x][threadIdx.y + ...]? The threads still go along rows.",
    BELOW[] = "Each thread moves four elements, ROWS apart. Is this distance added in both loops, on both sides of each =?",
    COUNTS[] = "Is an index counted from the wrong end, as by width - 1 - x? A transposition exchanges row and column, and turns nothing round.",
    LENGTHS[] = "How long is a row of `in`, and how long one of `out`? `width`, and `height`. Look at both indexes, and at the order of the "
                "arguments of the launch.",
    TIMES[] = "Where is the factor multiplied? Each element once, whichever tile it comes from.",
    DIAGONAL[] =
        "What happens to a tile on the diagonal? It is its own partner: its elements are exchanged across the diagonal as well, and multiplied.",
    HALVES[] =
        "A pair has two tiles, or two elements. Is each of them kept, before the first is overwritten, and is each stored in the place of the other?",
    TYPES[] = "Is each parameter, variable and tile that holds the factor or an element a float? An int makes 0 of 0.25, and 7 of 7.9: look at the "
              "parameters of the kernel and of its functions, too.",
    LAST[] = "How many blocks are launched? n / TILE is to be rounded up in both directions; guards see to the rest.";

static const Slip slips[] = {
    {OUT_OF_PLACE, "the elements are those of `in`, in the same order", PLACE, .source = unchanged},
    {BOTH, "each tile is turned, and lies where it lay", MIRROR, .source = tile_stays},
    {BOTH, "the tiles have changed places, and none is turned", TURN, .source = tile_not_turned},
    {BOTH, "in each tile the rows of `out` from 8 on are those from 0 to 7 again", BELOW, .source = same_columns},
    {BOTH, "in each tile the columns of `out` from 8 on are those from 0 to 7 again", BELOW, .source = same_rows},
    {BOTH, "it is a transpose whose rows are in the opposite order: the matrix turned by a quarter", COUNTS, .source = upside_down},
    {BOTH, "it is a transpose whose columns are in the opposite order: the matrix turned by a quarter", COUNTS, .source = right_to_left},
    {BOTH, "it is mirrored on the other diagonal", COUNTS, .source = both_ends},
    {OUT_OF_PLACE, "rows of `in` are taken for `height` elements long", LENGTHS, .source = rows_as_long_as_high},
    {OUT_OF_PLACE, "it is the transpose of a matrix of `width` rows and `height` columns", LENGTHS, .source = sizes_exchanged},
    {IN_PLACE, "it is the transpose, without the factor", TIMES, .source = no_factor},
    {IN_PLACE, "it is the transpose, and multiplied by the factor twice", TIMES, .source = factor_squared},
    {IN_PLACE, "it is the transpose, divided by the factor", TIMES, .source = factor_divides},
    {IN_PLACE, "all elements are 0, as if the factor were", TYPES, .source = factor_as_int},
    {IN_PLACE, "it is the transpose times the factor without its sign", TYPES, .source = factor_without_sign},
    {BOTH, "what the elements have behind the point is lost", TYPES, .source = right_place, .whole = 1},
    {IN_PLACE, "all elements are multiplied by the factor, and none has changed places", PLACE, .source = only_multiplied},
    {IN_PLACE, "the elements on the diagonal are not multiplied by the factor",
     "What happens to an element whose row and column are the same? It stays where it is, and is multiplied as all others are.",
     .source = diagonal_without_factor},
    {IN_PLACE, "the tiles on the diagonal are as they were", DIAGONAL, .source = diagonal_tiles_unchanged},
    {IN_PLACE, "the tiles on the diagonal are multiplied, and not transposed", DIAGONAL, .source = diagonal_tiles_multiplied},
    {IN_PLACE, "the tiles on the diagonal are transposed, and not multiplied", DIAGONAL, .source = diagonal_tiles_without_factor},
    {IN_PLACE, "the tiles on the diagonal are multiplied twice",
     "On the diagonal both tiles of a pair are the same one: is the second one read from the matrix after the first one is stored?",
     .source = diagonal_tiles_squared},
    {IN_PLACE, "only the tiles on the diagonal are done",
     "Which blocks return at once? Those on one side of the diagonal; the ones on the other side move both tiles of a pair.", .source = diagonal_tiles_alone},
    {IN_PLACE, "the tiles above the diagonal are as they were", HALVES, .source = tiles_above_unchanged},
    {IN_PLACE, "the tiles below the diagonal are as they were", HALVES, .source = tiles_below_unchanged},
    {IN_PLACE, "the elements above the diagonal are as they were", HALVES, .source = above_unchanged},
    {IN_PLACE, "the elements below the diagonal are as they were", HALVES, .source = below_unchanged},
    {IN_PLACE, "the tiles above the diagonal are multiplied, and have not changed places", HALVES, .source = tiles_above_multiplied},
    {IN_PLACE, "the tiles below the diagonal are multiplied, and have not changed places", HALVES, .source = tiles_below_multiplied},
    {IN_PLACE, "the elements above the diagonal are multiplied, and have not changed places", HALVES, .source = above_multiplied},
    {IN_PLACE, "the elements below the diagonal are multiplied, and have not changed places", HALVES, .source = below_multiplied},
    {IN_PLACE, "the tiles above the diagonal are not multiplied by the factor", TIMES, .source = tiles_above_without_factor},
    {IN_PLACE, "the tiles below the diagonal are not multiplied by the factor", TIMES, .source = tiles_below_without_factor},
    {IN_PLACE, "the elements above the diagonal are not multiplied by the factor", TIMES, .source = above_without_factor},
    {IN_PLACE, "the elements below the diagonal are not multiplied by the factor", TIMES, .source = below_without_factor},
    {IN_PLACE, "the tiles above the diagonal are multiplied by the factor twice", TIMES, .source = tiles_above_squared},
    {IN_PLACE, "the tiles below the diagonal are multiplied by the factor twice", TIMES, .source = tiles_below_squared},
    {IN_PLACE, "the tiles beside the diagonal are multiplied by the factor twice", TIMES, .source = all_but_diagonal_squared},
    {IN_PLACE, "the tiles above the diagonal are turned, and lie where they lay", HALVES, .source = tiles_above_stay},
    {IN_PLACE, "the tiles below the diagonal are turned, and lie where they lay", HALVES, .source = tiles_below_stay},
    {IN_PLACE, "the tiles above the diagonal have their own elements again, multiplied twice", HALVES, .source = tiles_above_twice},
    {IN_PLACE, "the tiles below the diagonal have their own elements again, multiplied twice", HALVES, .source = tiles_below_twice},
    {IN_PLACE, "the elements above the diagonal are their own again, multiplied twice", HALVES, .source = above_twice},
    {IN_PLACE, "the elements below the diagonal are their own again, multiplied twice", HALVES, .source = below_twice},
    {IN_PLACE, "the tiles that are not full are as they were", LAST, .source = part_unchanged},
    {IN_PLACE, "in each tile the rows from 8 on are as they were", BELOW, .source = rows_unchanged},
};

static void transpose_wrongly(const Call *c, const Slip *s, const float *in, float *out)
{
    for (int64_t row = 0; row < c->width && out; row++)
        for (int64_t column = 0; column < c->height; column++) {
            Source source = s->source(c, row, column);
            if (source.from >= 0)
                out[row * c->height + column] = source.factor * (s->whole ? (float)(int)in[source.from] : in[source.from]);
        }
}

void judge_mistakes(JudgeCase *c)
{
    const LabArray *in = judge_input(c, "in");
    Call call = {.height = (int64_t)in->shape[0], .width = (int64_t)in->shape[1]};
    call.factor = is_in_place(c) ? (float)judge_param_float(c, "factor") : 1;
    for (size_t k = 0; k < sizeof slips / sizeof slips[0]; k++)
        if (slips[k].of & (is_in_place(c) ? IN_PLACE : OUT_OF_PLACE))
            transpose_wrongly(&call, &slips[k], in->data, judge_mistake(c, "out", slips[k].sentence, slips[k].hint));
}
