/* Lab 08: inputs and right answers.
 *
 * Parameters: `function`, one of matrix_multiply.h; m, n, k, alpha and beta as there; `old`: C holds
 * something at first; `tile`, `fresh`, `first_beta` and `timed` are the driver's; with `again` it calls the function before, with half
 * of m, n and k, and with k = 0.
 *
 * All elements are multiples of a half, so that sums in integers differ: those of A up to 2,048, which half
 * precision cannot hold, those of B and C small. So every sum of up to 1,024 products is a multiple of a quarter
 * below 2^22 and exact in a float, in whatever order it is taken, also times an alpha of a half and with a beta
 * of a quarter: one product that is lost, or taken twice, shows.
 */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCTS_MAX = 4000000 }; /* so that all mistakes take well under a second */

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

static double factor_param(JudgeCase *c, const char *key, double otherwise)
{
    return judge_has_param(c, key) ? judge_param_float(c, key) : otherwise;
}

/* A matrix of halves of whole numbers from -largest to largest, without 0: a 0 would hide what it is multiplied
 * with. */
static void make_matrix(JudgeCase *c, const char *name, size_t rows, size_t columns, int largest)
{
    LabArray *array = judge_input_make(c, name, LAB_F32, 2, (size_t[]){rows, columns});
    float *element = array->data;
    judge_fill(c, array, -largest, largest);
    for (size_t i = 0; i < array->elements; i++)
        element[i] = 0.5f * ((float)(int)element[i] + (element[i] < 0 ? -1.0f : 1.0f));
}

void judge_inputs(JudgeCase *c)
{
    size_t m = size_param(c, "m"), n = size_param(c, "n"), k = size_param(c, "k");
    make_matrix(c, "a", m, k, 4095);
    make_matrix(c, "b", k, n, 3);
    if (judge_has_param(c, "old"))
        make_matrix(c, "old", m, n, 4095);
}

/* The product of the first m * k and k * n elements of A and B; C is the output `name`. */
static void expect(JudgeCase *c, const char *name, size_t m, size_t n, size_t k)
{
    const float *of_a = judge_input(c, "a")->data, *of_b = judge_input(c, "b")->data;
    const float *old = judge_has_param(c, "old") ? judge_input(c, "old")->data : NULL;
    double alpha = factor_param(c, "alpha", 1), beta = factor_param(c, "beta", 0);
    double *wanted = judge_expect_precise(c, name, LAB_F32, 2, (size_t[]){m, n});
    for (size_t row = 0; row < m; row++)
        for (size_t column = 0; column < n; column++) {
            double sum = 0;
            for (size_t i = 0; i < k; i++)
                sum += (double)of_a[row * k + i] * of_b[i * n + column];
            wanted[row * n + column] = alpha * sum + (old ? beta * old[row * n + column] : 0);
        }
}

void judge_reference(JudgeCase *c)
{
    size_t m = size_param(c, "m"), n = size_param(c, "n"), k = size_param(c, "k");
    expect(c, "c", m, n, k);
    if (judge_has_param(c, "again")) {
        expect(c, "c_of_half", m / 2, (n + 1) / 2, k / 2);
        expect(c, "c_for_k_0", m / 2, (n + 1) / 2, 0);
    }
    judge_expect_nothing(c);
}

/* ---- Mistakes that show by their result ---- */

/* What is wrong in a product. */
typedef enum Slip {
    RIGHT,
    /* which products are added up, whatever the function */
    LAST_PRODUCT, /* is missing */
    FIRST_PRODUCT,
    ONLY_LAST_PRODUCT,
    WHOLE_NUMBERS,
    ELEVEN_BITS,
    A_BY_COLUMNS,
    B_BY_COLUMNS,
    N_FOR_K_IN_A,
    K_FOR_N_IN_B,
    C_BY_COLUMNS,
    /* with tiles */
    PARTIAL_TILE, /* is missing */
    LAST_TILE,
    SECOND_TILES,
    ONLY_LAST_TILE,
    ONLY_FIRST_TILE,
    LAST_OF_TILES,
    FIRST_OF_TILES,
    OLD_TAIL, /* what a partial tile does not fill is there from the one before */
    A_STAYS,
    B_STAYS,
    A_FIRST_ROWS,
    B_FIRST_COLUMNS,
    A_ON_ITS_SIDE,
    B_ON_ITS_SIDE,
    /* with several elements for each thread */
    COLUMNS_SPREAD, /* worked out for neighbours, and stored LANES apart */
    COLUMNS_TOGETHER,
    ROWS_SPREAD,
    ROWS_TOGETHER,
    BOTH_SPREAD,
    BOTH_TOGETHER,
    EXCHANGED,
    /* with alpha and beta */
    NO_ALPHA,
    ALPHA_TWICE,
    ALPHA_WHOLE, /* cut to a whole number */
    UNCHANGED, /* from here on with an old C */
    NO_OLD,
    NO_FACTORS, /* A * B alone */
    ALPHA_FOR_OLD,
    NO_BETA,
    BETA_TWICE,
    BETA_TAKEN_OFF,
    FACTORS_EXCHANGED,
    N_SLIPS
} Slip;

typedef struct Words {
    const char *sentence, *hint;
} Words;

static const Words words[N_SLIPS] = {
    [LAST_PRODUCT] = {"the last product of each sum, that of i = k - 1, is missing", "How far does the loop over i go, and with tiles the loop over these?"},
    [FIRST_PRODUCT] = {"the first product of each sum, that of i = 0, is missing", "Where does the loop over i begin?"},
    [ONLY_LAST_PRODUCT] = {"each element is the last product alone, that of i = k - 1",
                           "Is it = where the products are added up, or is the sum set to 0 in the loop?"},
    [WHOLE_NUMBERS] = {"each sum is cut to a whole number whenever a product is added",
                       "Of which type is the variable that the products are added to?"},
    [ELEVEN_BITS] = {"it is the product of an A whose elements have 11 bits, as in half precision or TF32",
                     "Of which type are the tiles, or what the elements of A are multiplied in? A float has 24 bits."},
    [A_BY_COLUMNS] = {"A is read column after column, as if it had k rows of m",
                      "Which element of A is (row, i)? A row has k elements: a[row * k + i]."},
    [B_BY_COLUMNS] = {"B is read column after column, as if it had n rows of k",
                      "Which element of B is (i, column)? A row has n elements: b[i * n + column]."},
    [N_FOR_K_IN_A] = {"A is read as if a row of it had n elements",
                      "How many elements has a row of A, and by what is the row multiplied in its index? If that is right: does the launch pass m, n and k in the kernel's order?"},
    [K_FOR_N_IN_B] = {"B is read as if a row of it had k elements",
                      "How many elements has a row of B, and by what is i multiplied in its index? If that is right: does the launch pass m, n and k in the kernel's order?"},
    [C_BY_COLUMNS] = {"C is stored column after column", "Where does element (row, column) of C lie? A row of C has n elements."},
    [PARTIAL_TILE] = {"the products of the last pair of tiles, which is not full, are missing",
                      "How many turns does the loop over the tiles make? A division such as k / TILE rounds down: is there a turn for the part that is left?"},
    [LAST_TILE] = {"the products of the last pair of tiles are missing",
                   "Until when does the loop over the tiles go on? With `first` the first of a tile's columns it is first < k."},
    [SECOND_TILES] = {"the products of every second pair of tiles are missing", "By how much does the loop over the tiles go on from turn to turn?"},
    [ONLY_LAST_TILE] = {"each element has the products of the last pair of tiles only",
                        "Where is the sum set to 0: before the loop over the tiles, or in it? And is it = where the products are added up?"},
    [ONLY_FIRST_TILE] = {"each element has the products of the first pair of tiles only",
                         "Does the loop over the tiles go on until k, and does what is loaded move with it?"},
    [LAST_OF_TILES] = {"the last product of each pair of tiles is missing", "How far does the loop over the products of a pair of tiles go?"},
    [FIRST_OF_TILES] = {"the first product of each pair of tiles is missing", "Where does the loop over the products of a pair of tiles begin?"},
    [OLD_TAIL] = {"products of the pair of tiles before the last are in it twice: the last pair is not full, and the rest of it still holds what was there before",
                  "What must stand in a tile where A or B has no element, and who writes it there?"},
    [A_STAYS] = {"in each turn the first tile of A meets the next one of B", "Which column of A is loaded in a turn? It moves with `first`."},
    [B_STAYS] = {"in each turn the next tile of A meets the first one of B", "Which row of B is loaded in a turn? It moves with `first`."},
    [A_FIRST_ROWS] = {"all blocks use the first rows of A", "Which row of A does a block load? It depends on blockIdx.y."},
    [B_FIRST_COLUMNS] = {"all blocks use the first columns of B", "Which column of B does a block load? It depends on blockIdx.x."},
    [A_ON_ITS_SIDE] = {"the tiles of A are used on their side: rows for columns",
                       "Is the tile of A loaded and used with the same order of its indexes? tile_a[y][i] is row y of it."},
    [B_ON_ITS_SIDE] = {"the tiles of B are used on their side: rows for columns",
                       "Is the tile of B loaded and used with the same order of its indexes? tile_b[i][x] is column x of it."},
    [COLUMNS_SPREAD] = {"right values stand in other columns: worked out for neighbouring columns x * EACH + s, and stored to columns x + s * LANES",
                        "Which columns does a thread take of tile_b, and to which does it store? They have to be the same ones."},
    [COLUMNS_TOGETHER] = {"right values stand in other columns: worked out for columns x + s * LANES, and stored to neighbouring columns x * EACH + s",
                          "Which columns does a thread take of tile_b, and to which does it store? They have to be the same ones."},
    [ROWS_SPREAD] = {"right values stand in other rows: worked out for neighbouring rows y * EACH + r, and stored to rows y + r * LANES",
                     "Which rows does a thread take of tile_a, and to which does it store? They have to be the same ones."},
    [ROWS_TOGETHER] = {"right values stand in other rows: worked out for rows y + r * LANES, and stored to neighbouring rows y * EACH + r",
                       "Which rows does a thread take of tile_a, and to which does it store? They have to be the same ones."},
    [BOTH_SPREAD] = {"right values stand in other places: worked out for neighbouring rows and columns, and stored LANES apart",
                     "Which rows and columns does a thread take of the tiles, and to which does it store? They have to be the same ones."},
    [BOTH_TOGETHER] = {"right values stand in other places: worked out for rows and columns LANES apart, and stored to neighbours",
                       "Which rows and columns does a thread take of the tiles, and to which does it store? They have to be the same ones."},
    [EXCHANGED] = {"right values stand in other places: in each thread's square of elements rows and columns are exchanged",
                   "Is sum[r][s] that of row r and column s both where products are added and where it is stored?"},
    [NO_ALPHA] = {"the sums are multiplied by 1, and not by alpha",
                  "Where does alpha come in, and of which type is it wherever it is passed on? An int cuts 1.5 to 1."},
    [ALPHA_TWICE] = {"the sums are multiplied by alpha twice", "At how many places does alpha come in?"},
    [ALPHA_WHOLE] = {"it is what comes out when alpha is cut to a whole number",
                     "Of which type is alpha wherever it is passed on, up to the kernel's parameter? An int cuts 0.5 to 0."},
    [NO_FACTORS] = {"it is A * B alone, without alpha and without beta times the old C",
                    "What is stored: the sum as it is? If alpha and beta do come in: of which type are they wherever they are passed on? An int cuts 1.5 to 1 and -0.25 to 0."},
    [ALPHA_FOR_OLD] = {"the old C is multiplied by alpha, too", "Is it alpha * (sum + beta * old), or alpha * sum + beta * old?"},
    [NO_OLD] = {"it is alpha * A * B alone: beta times the old C is missing",
                "When is beta * C added? beta may be below 0; only a beta of 0 leaves it out. And of which type is beta wherever it is passed on? An int cuts -0.25 to 0."},
    [NO_BETA] = {"the old C is added as it is, and not beta times it", "Where does beta come in?"},
    [BETA_TWICE] = {"the old C is multiplied by beta twice", "At how many places does beta come in?"},
    [BETA_TAKEN_OFF] = {"beta times the old C is taken off, where it is to be added", "Which sign has beta * C?"},
    [FACTORS_EXCHANGED] = {"alpha and beta are exchanged",
                           "In which order does the launch pass alpha and beta, and in which does the kernel take them?"},
    [UNCHANGED] = {"C is as it was before",
                   "Does sgemm return before its launch? If k or alpha is 0, C still becomes beta * C; only with m or n of 0 there is nothing to do."},
};

/* Where k and alpha are 0, several mistakes give the same. */
static const Words words_for_k_0[N_SLIPS] = {
    [NO_OLD] = {"it is 0 everywhere, and should be beta times the old C",
                "Here k and alpha are 0, and beta is not: is beta * C left out where there is no product? Or is the old C multiplied by alpha, too, which is 0: is it alpha * (sum + beta * old), or alpha * sum + beta * old? Are alpha and beta exchanged, or is one of them an int?"},
    [UNCHANGED] = {"C is as it was before, and should be beta times that",
                   "Here k and alpha are 0. Does sgemm return before its launch? If k or alpha is 0, C still becomes beta * C; only with m or n of 0 there is nothing to do. Or is the old C added as it is, without beta?"},
};

static const Words *words_of(Slip slip, size_t k)
{
    return k == 0 && words_for_k_0[slip].sentence ? &words_for_k_0[slip] : &words[slip];
}

/* A product with a mistake: of tiles `depth` deep, in blocks that do `side` x `side` elements, `each` x `each` a thread. */
typedef struct Product {
    const float *a, *b, *old;
    size_t m, n, k;
    double alpha, beta;
    size_t side, depth, each;
    Slip slip;
    const double *sums; /* of products, as they come out */
} Product;

static double eleven_bits(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(fraction, 11)), exponent - 11);
}

/* How often product i is added. */
static int times(const Product *p, size_t i)
{
    size_t in_tile = i % p->depth, last_tile = (p->k - 1) / p->depth * p->depth, full = p->k / p->depth * p->depth;
    switch (p->slip) {
    case LAST_PRODUCT:
        return i < p->k - 1;
    case FIRST_PRODUCT:
        return i > 0;
    case ONLY_LAST_PRODUCT:
        return i == p->k - 1;
    case PARTIAL_TILE:
        return i < full;
    case LAST_TILE:
        return i < last_tile;
    case SECOND_TILES:
        return i / p->depth % 2 == 0;
    case ONLY_LAST_TILE:
        return i >= last_tile;
    case ONLY_FIRST_TILE:
        return i < p->depth;
    case LAST_OF_TILES:
        return in_tile < p->depth - 1;
    case FIRST_OF_TILES:
        return in_tile > 0;
    case OLD_TAIL:
        return full < p->k && i < full && i + p->depth >= full && in_tile >= p->k % p->depth ? 2 : 1;
    default:
        return 1;
    }
}

static double element_of_a(const Product *p, size_t row, size_t i)
{
    size_t in_tile = i % p->depth, first = i - in_tile;
    switch (p->slip) {
    case ELEVEN_BITS:
        return eleven_bits(p->a[row * p->k + i]);
    case A_BY_COLUMNS:
        return p->a[i * p->m + row];
    case N_FOR_K_IN_A:
        return p->a[row * p->n + i];
    case A_STAYS:
        return p->a[row * p->k + in_tile];
    case A_FIRST_ROWS:
        return p->a[row % p->side * p->k + i];
    case A_ON_ITS_SIDE: {
        size_t from = row - row % p->side + in_tile, at = first + row % p->side;
        return from < p->m && at < p->k ? p->a[from * p->k + at] : 0;
    }
    default:
        return p->a[row * p->k + i];
    }
}

static double element_of_b(const Product *p, size_t i, size_t column)
{
    size_t in_tile = i % p->depth, first = i - in_tile;
    switch (p->slip) {
    case B_BY_COLUMNS:
        return p->b[column * p->k + i];
    case K_FOR_N_IN_B:
        return p->b[i * p->k + column];
    case B_STAYS:
        return p->b[in_tile * p->n + column];
    case B_FIRST_COLUMNS:
        return p->b[i * p->n + column % p->side];
    case B_ON_ITS_SIDE: {
        size_t from = first + column % p->side, at = column - column % p->side + in_tile;
        return from < p->k && at < p->n ? p->b[from * p->n + at] : 0;
    }
    default:
        return p->b[i * p->n + column];
    }
}

static double *doubles(size_t n)
{
    double *all = malloc((n + 1) * sizeof *all);
    if (!all)
        abort();
    return all;
}

/* The sums of products of all elements, m * n of them, malloc'd. What is multiplied is laid out before, so that the loop is short. */
static double *slip_sums(const Product *p)
{
    double *of_a = doubles(p->m * p->k), *of_b = doubles(p->k * p->n), *sums = doubles(p->m * p->n);
    for (size_t i = 0; i < p->k; i++) {
        int n = times(p, i);
        for (size_t row = 0; row < p->m; row++)
            of_a[row * p->k + i] = n == 0 ? 0 : n * element_of_a(p, row, i);
        for (size_t column = 0; column < p->n; column++)
            of_b[column * p->k + i] = n == 0 ? 0 : element_of_b(p, i, column);
    }
    for (size_t row = 0; row < p->m; row++)
        for (size_t column = 0; column < p->n; column++) {
            const double *x = of_a + row * p->k, *y = of_b + column * p->k;
            double sum = 0;
            for (size_t i = 0; i < p->k; i++) {
                sum += x[i] * y[i];
                if (p->slip == WHOLE_NUMBERS)
                    sum = trunc(sum);
            }
            sums[row * p->n + column] = sum;
        }
    free(of_a);
    free(of_b);
    return sums;
}

/* Row or column `at` as x * EACH + s, where it is x + s * LANES; or the other way round. */
static size_t spread(const Product *p, size_t at)
{
    size_t lanes = p->side / p->each, in_block = at % p->side;
    return at - in_block + in_block % lanes * p->each + in_block / lanes;
}

static size_t together(const Product *p, size_t at)
{
    size_t lanes = p->side / p->each, in_block = at % p->side;
    return at - in_block + in_block % p->each * lanes + in_block / p->each;
}

/* Of which row and column the value is that stands there. */
static void find_place(const Product *p, size_t *row, size_t *column)
{
    size_t lanes = p->side / p->each, r = *row % p->side / lanes, s = *column % p->side / lanes;
    if (p->slip == ROWS_SPREAD || p->slip == BOTH_SPREAD)
        *row = spread(p, *row);
    if (p->slip == ROWS_TOGETHER || p->slip == BOTH_TOGETHER)
        *row = together(p, *row);
    if (p->slip == COLUMNS_SPREAD || p->slip == BOTH_SPREAD)
        *column = spread(p, *column);
    if (p->slip == COLUMNS_TOGETHER || p->slip == BOTH_TOGETHER)
        *column = together(p, *column);
    if (p->slip == EXCHANGED) {
        *row = *row - r * lanes + s * lanes;
        *column = *column - s * lanes + r * lanes;
    }
}

static double slip_element(const Product *p, size_t row, size_t column)
{
    double alpha = p->alpha, beta = p->beta, old = p->old ? p->old[row * p->n + column] : 0;
    find_place(p, &row, &column);
    double sum = row < p->m && column < p->n ? p->sums[row * p->n + column] : 0;
    switch (p->slip) {
    case NO_ALPHA:
        return sum + beta * old;
    case ALPHA_TWICE:
        return alpha * alpha * sum + beta * old;
    case ALPHA_FOR_OLD:
        return alpha * (sum + beta * old);
    case ALPHA_WHOLE:
        return trunc(alpha) * sum + beta * old;
    case NO_OLD:
        return alpha * sum;
    case NO_FACTORS:
        return sum;
    case NO_BETA:
        return alpha * sum + old;
    case BETA_TWICE:
        return alpha * sum + beta * beta * old;
    case BETA_TAKEN_OFF:
        return alpha * sum - beta * old;
    case FACTORS_EXCHANGED:
        return beta * sum + alpha * old;
    case UNCHANGED:
        return old;
    default:
        return alpha * sum + beta * old;
    }
}

static void name_mistake(JudgeCase *c, const char *name, const Product *p)
{
    const Words *w = words_of(p->slip, p->k);
    double *wrong = judge_mistake(c, name, w->sentence, w->hint);
    for (size_t i = 0; i < p->m * p->n && wrong; i++) {
        size_t row = i / p->n, column = i % p->n;
        if (p->slip == C_BY_COLUMNS) {
            row = i % p->m;
            column = i / p->m;
        }
        wrong[i] = slip_element(p, row, column);
    }
}

static void name_mistakes(JudgeCase *c, const char *name, Product p, Slip from, Slip before)
{
    for (p.slip = from; p.slip < before; p.slip++) {
        int inside = (p.slip != N_FOR_K_IN_A || p.n < p.k) && (p.slip != K_FOR_N_IN_B || p.k < p.n) &&
                     (p.slip < A_ON_ITS_SIDE || p.slip > B_ON_ITS_SIDE || p.side == p.depth);
        if (!words[p.slip].sentence || !inside)
            continue;
        double *own = p.slip < COLUMNS_SPREAD ? slip_sums(&p) : NULL; /* the others have the right sums */
        Product with = p;
        if (own)
            with.sums = own;
        name_mistake(c, name, &with);
        free(own);
    }
}

static void name_all(JudgeCase *c, const char *name, size_t m, size_t n, size_t k, size_t tile)
{
    const char *function = judge_param_text(c, "function");
    Product p = {.a = judge_input(c, "a")->data,
                 .b = judge_input(c, "b")->data,
                 .old = judge_has_param(c, "old") ? judge_input(c, "old")->data : NULL,
                 .m = m,
                 .n = n,
                 .k = k,
                 .alpha = k == 0 ? 0 : factor_param(c, "alpha", 1), /* as the driver has it */
                 .beta = factor_param(c, "beta", 0),
                 .side = tile,
                 .depth = tile,
                 .each = 1};
    double *right = slip_sums(&p);
    p.sums = right;
    if (strcmp(function, "sgemm") == 0)
        name_mistakes(c, name, p, NO_ALPHA, p.old ? N_SLIPS : UNCHANGED);
    if (k > 0)
        name_mistakes(c, name, p, LAST_PRODUCT, PARTIAL_TILE);
    if (k > 0 && strcmp(function, "multiply_tiled") == 0)
        name_mistakes(c, name, p, PARTIAL_TILE, COLUMNS_SPREAD);
    if (k > 0 && (strcmp(function, "multiply_registers") == 0 || strcmp(function, "sgemm") == 0)) {
        p.side = 64;
        p.depth = 16;
        p.each = 4;
        name_mistakes(c, name, p, PARTIAL_TILE, NO_ALPHA);
    }
    if (k > 0 && strcmp(function, "sgemm") == 0) { /* the larger blocks of the handout */
        p.side = 128;
        p.depth = 8;
        p.each = 8;
        name_mistakes(c, name, p, PARTIAL_TILE, NO_ALPHA);
    }
    free(right);
}

void judge_mistakes(JudgeCase *c)
{
    size_t m = size_param(c, "m"), n = size_param(c, "n"), k = size_param(c, "k");
    size_t tile = judge_has_param(c, "tile") ? size_param(c, "tile") : 16;
    if (judge_has_param(c, "again")) /* first, as the judge keeps a limited number of mistakes */
        name_all(c, "c_for_k_0", m / 2, (n + 1) / 2, 0, tile);
    if (m * n * k > PRODUCTS_MAX)
        return;
    name_all(c, "c", m, n, k, tile);
    if (judge_has_param(c, "again"))
        name_all(c, "c_of_half", m / 2, (n + 1) / 2, k / 2, 48 - tile);
}
