/* Lab 01: inputs and right answers.
 *
 * Parameters: `function`, one of indexing.h, and its sizes under their names there; `pitch` counts bytes. All
 * values are integers, so results are compared exactly. 32-bit sums wrap around in unsigned arithmetic, as on
 * the device.
 */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

static size_t size_param(JudgeCase *c, const char *key)
{
    return (size_t)judge_param_int(c, key);
}

/* The shape of a map's array, slowest length first; the number of dimensions. */
static int shape_of_map(JudgeCase *c, size_t shape[3])
{
    const char *function = judge_param_text(c, "function");
    if (strcmp(function, "map_1d") == 0) {
        shape[0] = size_param(c, "n");
        return 1;
    }
    int n = 0;
    if (strcmp(function, "map_3d") == 0)
        shape[n++] = size_param(c, "depth");
    shape[n++] = size_param(c, "height");
    shape[n++] = size_param(c, "width");
    return n;
}

void judge_inputs(JudgeCase *c)
{
    const char *function = judge_param_text(c, "function");
    if (strcmp(function, "add_stride") == 0) {
        size_t n = size_param(c, "n");
        judge_fill_i32(c, judge_input_make_i32(c, "sum", n), -1000, 1000);
        judge_fill_i32(c, judge_input_make_i32(c, "x", n), 1, 9999);
    } else if (strcmp(function, "add_strip") == 0) {
        size_t shape[2] = {size_param(c, "rows"), size_param(c, "width")};
        judge_fill(c, judge_input_make(c, "strip", LAB_I32, 2, shape), 0, 255);
    } else {
        size_t shape[3];
        int n_dims = shape_of_map(c, shape);
        judge_fill(c, judge_input_make(c, "in", LAB_I32, n_dims, shape), 0, 49999999);
    }
}

static void refer_map(JudgeCase *c)
{
    static const uint32_t weights[4][3] = {{0}, {1}, {1000, 1}, {10000, 100, 1}}; /* by dimensions, slowest first */
    size_t shape[3] = {1, 1, 1};
    int n_dims = shape_of_map(c, shape);
    const int32_t *in = judge_input(c, "in")->data;
    int32_t *out = judge_expect(c, "out", LAB_I32, n_dims, shape);
    size_t i = 0;
    for (size_t p = 0; p < shape[0]; p++)
        for (size_t q = 0; q < shape[1]; q++)
            for (size_t r = 0; r < shape[2]; r++, i++) {
                const uint32_t *w = weights[n_dims];
                uint32_t ramp = w[0] * (uint32_t)p + w[1] * (uint32_t)q + w[2] * (uint32_t)r;
                out[i] = (int32_t)((uint32_t)in[i] + ramp);
            }
}

static void refer_stride(JudgeCase *c)
{
    size_t n = 0;
    const int32_t *sum = judge_input_i32(c, "sum", &n);
    const int32_t *x = judge_input_i32(c, "x", NULL);
    int32_t *after = judge_expect_i32(c, "sum_after", n);
    for (size_t i = 0; i < n; i++)
        after[i] = sum[i] + x[i];
}

static void refer_strip(JudgeCase *c)
{
    const LabArray *strip = judge_input(c, "strip");
    int32_t amount = (int32_t)judge_param_int(c, "amount");
    int32_t *after = judge_expect(c, "strip_after", LAB_I32, 2, strip->shape);
    for (size_t i = 0; i < strip->elements; i++)
        after[i] = ((const int32_t *)strip->data)[i] + amount;
    judge_expect_value(c, "bytes_changed_between_the_rows", 0);
}

/* Each launch of add_stride has the blocks and threads that the caller asks for. */
static void judge_grid(JudgeCase *c)
{
    size_t n_calls = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++)
        if (strcmp(calls[i].op, "LAUNCH") == 0 &&
            (calls[i].number != size_param(c, "blocks") || strtoull(calls[i].text, NULL, 10) != size_param(c, "threads")))
            judge_refuse(c,
                         "A launch had another number of blocks, or of threads in a block, than the caller asks for: it is to have exactly these.");
}

/* The launch of a map has threads for many elements: one for each 64, or 10,000. */
static void judge_threads(JudgeCase *c)
{
    size_t shape[3] = {1, 1, 1};
    shape_of_map(c, shape);
    size_t n_calls = 0, share = shape[0] * shape[1] * shape[2] / 64, fewest = share < 10000 ? share : 10000, most = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        size_t threads = strcmp(calls[i].op, "LAUNCH") == 0 ? calls[i].number * strtoull(calls[i].text, NULL, 10) : 0;
        most = threads > most ? threads : most;
    }
    if (most > 0 && most < fewest) /* without any it is no work of the GPU's */
        judge_refuse(c, "The launch had far fewer threads than there are elements: start a thread for each of them.");
}

void judge_reference(JudgeCase *c)
{
    const char *function = judge_param_text(c, "function");
    if (strcmp(function, "add_stride") == 0) {
        refer_stride(c);
        judge_grid(c);
    } else if (strcmp(function, "add_strip") == 0)
        refer_strip(c);
    else {
        refer_map(c);
        judge_threads(c);
    }
    if (judge_has_param(c, "n") && judge_param_int(c, "n") == 0)
        judge_expect_nothing(c);
    size_t calls_before = !judge_has_param(c, "again") ? 0 : strcmp(function, "map_2d") == 0 ? 3 : strcmp(function, "add_strip") == 0 ? 2 : 1;
    judge_expect_launches_at_most(c, calls_before + 1);
}

/* ---- What certain mistakes give: maps ---- */

/* Element i of a map's input, and where it lies. */
typedef struct Place {
    const int32_t *in;
    uint32_t i, x, y, z, width, height, depth;
} Place;

typedef enum Gives {
    WITHOUT_IN,
    IN_LESS_RAMP,
    IN_TIMES_RAMP,
    BLOCK_OF_LINE,
    THREAD_OF_LINE,
    THREAD_IN_X,
    THREAD_IN_Y,
    THREAD_IN_Z,
    X_MISSING,
    Y_MISSING,
    Z_MISSING,
    X_FOR_Y,
    Y_FOR_Z,
    X_FOR_Z,
    FACTOR_OF_SUM,
    FACTOR_OF_OTHER_TODO,
    NUMBER_OF_ELEMENT,
    IN_BY_COLUMNS,
    ALL_BY_COLUMNS,
    ORDER_YXZ,
    ORDER_XYZ,
    ORDER_YZX
} Gives;

enum { LINE_BLOCK = 256, BLOCK_X = 32, BLOCK_Y = 4, BLOCK_Z = 2 }; /* of the launches that are given */

/* What the map adds at (x, y, z). */
static uint32_t ramp(int n_dims, uint32_t x, uint32_t y, uint32_t z)
{
    return n_dims == 1 ? x : n_dims == 2 ? x + 1000 * y : x + 100 * y + 10000 * z;
}

static uint32_t value_of(Gives gives, int n_dims, const Place *p)
{
    uint32_t in = (uint32_t)p->in[p->i], x = p->x, y = p->y, z = p->z, i = p->i;
    uint32_t right = ramp(n_dims, x, y, z);
    switch (gives) {
    case WITHOUT_IN:
        return right;
    case IN_LESS_RAMP:
        return in - right;
    case IN_TIMES_RAMP:
        return in * right;
    case BLOCK_OF_LINE:
        return in + x / LINE_BLOCK;
    case THREAD_OF_LINE:
        return in + x % LINE_BLOCK;
    case THREAD_IN_X:
        return in + ramp(n_dims, x % BLOCK_X, y, z);
    case THREAD_IN_Y:
        return in + ramp(n_dims, x, y % BLOCK_Y, z);
    case THREAD_IN_Z:
        return in + ramp(n_dims, x, y, z % BLOCK_Z);
    case X_MISSING:
        return in + ramp(n_dims, 0, y, z);
    case Y_MISSING:
        return in + ramp(n_dims, x, 0, z);
    case Z_MISSING:
        return in + ramp(n_dims, x, y, 0);
    case X_FOR_Y:
        return in + ramp(n_dims, y, x, z);
    case Y_FOR_Z:
        return in + ramp(n_dims, x, z, y);
    case X_FOR_Z:
        return in + ramp(n_dims, z, y, x);
    case FACTOR_OF_SUM:
        return in + (x + 1000) * y;
    case FACTOR_OF_OTHER_TODO:
        return in + x + (n_dims == 2 ? 100 : 1000) * y + 10000 * z;
    case NUMBER_OF_ELEMENT:
        return in + i;
    case IN_BY_COLUMNS:
        return (uint32_t)p->in[x * p->height + y] + right;
    case ALL_BY_COLUMNS:
        return in + ramp(2, i / p->height, i % p->height, 0);
    case ORDER_YXZ:
        return in + ramp(3, i / p->height % p->width, i % p->height, i / p->height / p->width);
    case ORDER_XYZ:
        return in + ramp(3, i / p->depth / p->height, i / p->depth % p->height, i % p->depth);
    case ORDER_YZX:
        return in + ramp(3, i % p->width, i / p->width / p->depth, i / p->width % p->depth);
    }
    return 0;
}

typedef struct MapMistake {
    int n_dims;
    Gives gives;
    const char *sentence, *hint;
} MapMistake;

static const MapMistake map_mistakes[] = {
    {1, WITHOUT_IN, "element i is i alone", "Is in[i] in the sum?"},
    {1, IN_LESS_RAMP, "i is taken off in[i], and is to be added", "Which operator stands between in[i] and i?"},
    {1, IN_TIMES_RAMP, "element i is in[i] times i, and not in[i] plus i", "Which operator stands between in[i] and i?"},
    {1, THREAD_OF_LINE, "what is added to in[i] begins with 0 again every 256 elements",
     "Is i, the number in the whole line, added, or threadIdx.x, the number in the block?"},
    {1, BLOCK_OF_LINE, "what is added to in[i] is i / 256, the number of a block of 256",
     "Is i, the number in the whole line, added, or blockIdx.x?"},
    {2, WITHOUT_IN, "what is in the picture is missing: pixel (x, y) is x + 1000 * y alone", "Is in(x, y) in the sum?"},
    {2, IN_LESS_RAMP, "x + 1000 * y is taken off, and is to be added", "Which operator stands behind in(x, y)?"},
    {2, X_MISSING, "1000 * y is added, and x is not", "Which terms are added to in(x, y)?"},
    {2, Y_MISSING, "x is added, and 1000 * y is not", "Which terms are added to in(x, y)? Is y the row of this turn, with blockIdx.y in it?"},
    {2, X_FOR_Y, "y + 1000 * x is added, where x + 1000 * y belongs",
     "x is the column and y the row: is one of them worked out from the other's blockIdx and threadIdx, or are they exchanged in the sum?"},
    {2, FACTOR_OF_SUM, "(x + 1000) * y is added, where x + 1000 * y belongs", "What does * bind: where are the parentheses?"},
    {2, FACTOR_OF_OTHER_TODO, "x + 100 * y is added, where x + 1000 * y belongs", "What is y multiplied by in the sum?"},
    {2, NUMBER_OF_ELEMENT, "y * width + x, the number of the element, is added, where x + 1000 * y belongs", "What is y multiplied by in the sum?"},
    {2, THREAD_IN_X, "in what is added, x begins with 0 again every 32 columns", "Is the x that is added the column, or threadIdx.x alone?"},
    {2, THREAD_IN_Y, "in what is added, y begins with 0 again every 4 rows", "Is the y that is added the row, or threadIdx.y alone?"},
    {2, IN_BY_COLUMNS, "what is added is right, and is added to in[x * height + y]",
     "Both arrays are stored row after row: which element of in is pixel (x, y)?"},
    {2, ALL_BY_COLUMNS, "the pictures are taken to be stored column after column: pixel (x, y) is element x * height + y in this result",
     "How many elements is it from a pixel to the one below it? Row y begins at element y * width."},
    {3, WITHOUT_IN, "what is in the volume is missing: voxel (x, y, z) is x + 100 * y + 10000 * z alone", "Is in(x, y, z) in the sum?"},
    {3, IN_LESS_RAMP, "x + 100 * y + 10000 * z is taken off, and is to be added", "Which operator stands behind in(x, y, z)?"},
    {3, X_MISSING, "100 * y + 10000 * z is added, and x is not", "Which terms are added to in(x, y, z)?"},
    {3, Y_MISSING, "x + 10000 * z is added, and 100 * y is not", "Which terms are added to in(x, y, z)?"},
    {3, Z_MISSING, "x + 100 * y is added, and 10000 * z is not", "Which terms are added to in(x, y, z)?"},
    {3, X_FOR_Y, "in what is added, x and y are exchanged",
     "Which of x, y and z is multiplied by 100 in the sum, and from which variables is each worked out?"},
    {3, Y_FOR_Z, "in what is added, y and z are exchanged", "Which of x, y and z is multiplied by 100 in the sum, and which by 10000?"},
    {3, X_FOR_Z, "in what is added, x and z are exchanged",
     "Which of x, y and z is multiplied by 10000 in the sum, and from which variables is each worked out?"},
    {3, FACTOR_OF_OTHER_TODO, "1000 * y is added, where 100 * y belongs", "What is y multiplied by in the sum?"},
    {3, NUMBER_OF_ELEMENT, "the number of the element is added, where x + 100 * y + 10000 * z belongs", "What are y and z multiplied by in the sum?"},
    {3, THREAD_IN_X, "in what is added, x begins with 0 again every 32 columns", "Is the x that is added that of the volume, or threadIdx.x alone?"},
    {3, THREAD_IN_Y, "in what is added, y begins with 0 again every 4 rows", "Is the y that is added that of the volume, or threadIdx.y alone?"},
    {3, THREAD_IN_Z, "in what is added, z begins with 0 again every 2 pictures", "Is the z that is added that of the volume, or threadIdx.z alone?"},
    {3, ORDER_YXZ, "voxel (x, y, z) is element (z * width + x) * height + y in this result",
     "Row after row: the next voxel in x is the next element, and the next row begins width elements further. Which length is y multiplied by?"},
    {3, ORDER_XYZ, "voxel (x, y, z) is element (x * height + y) * depth + z in this result",
     "Picture after picture: the next voxel in x is the next element, and the next z is a whole picture further. Which of x, y and z is multiplied "
     "twice?"},
    {3, ORDER_YZX, "voxel (x, y, z) is element (y * depth + z) * width + x in this result",
     "Picture after picture: the next row is width elements further, and the next z a whole picture of height rows. Which of y and z is multiplied "
     "twice?"},
};

static void mistake_maps(JudgeCase *c)
{
    size_t shape[3] = {1, 1, 1}, n = 1;
    int n_dims = shape_of_map(c, shape);
    for (int d = 0; d < n_dims; d++)
        n *= shape[d];
    Place p = {.in = judge_input(c, "in")->data,
               .width = (uint32_t)shape[n_dims - 1],
               .height = n_dims > 1 ? (uint32_t)shape[n_dims - 2] : 1,
               .depth = n_dims > 2 ? (uint32_t)shape[0] : 1};
    for (size_t m = 0; m < sizeof map_mistakes / sizeof *map_mistakes; m++) {
        if (map_mistakes[m].n_dims != n_dims)
            continue;
        int32_t *out = judge_mistake(c, "out", map_mistakes[m].sentence, map_mistakes[m].hint);
        for (p.i = 0; out && p.i < n; p.i++) {
            p.x = p.i % p.width;
            p.y = p.i / p.width % p.height;
            p.z = p.i / p.width / p.height;
            out[p.i] = (int32_t)value_of(map_mistakes[m].gives, n_dims, &p);
        }
    }
}

/* ---- What certain mistakes give: the loop ---- */

static void mistake_stride(JudgeCase *c)
{
    enum {
        SET,
        TAKEN_OFF,
        ONE_TURN,
        FIRST_TURN_MISSING,
        PART_MISSING,
        LAST_MISSING,
        LAST_MISSING_BUT_ONE,
        EVERY_SECOND,
        X_OF_FIRST_TURN,
        FIRST_ALONE_MISSING,
        LAST_ALONE_MISSING,
        ADDED_TWICE,
        FIRST_X,
        N_MISTAKES
    };
    static const char *const texts[N_MISTAKES][2] = {
        [SET] = {"element i is x[i], without the sum that was there", "Is x[i] added to sum[i], with +=, or is it put in its place, with =?"},
        [TAKEN_OFF] = {"x[i] is taken off sum[i], and is to be added", "Which operator stands between the two?"},
        [ONE_TURN] = {"only the first elements are done, one for each thread, and all others are as they were",
                      "Does each thread go on in a loop, by as many elements as the grid has threads, as long as there is an element?"},
        [FIRST_TURN_MISSING] = {"the first turn is left out: as many elements as there are threads are as they were, and all others are right",
                                "With which element does a thread begin: with its own number in the grid, or a stride behind it?"},
        [PART_MISSING] = {"the last turn, for which there are not enough elements for all threads, is left out",
                          "Does a thread go on while there is an element for it, or for a number of turns that is rounded down?"},
        [LAST_MISSING] = {"the last elements, as many as there are threads, are left out",
                          "Does a thread go on while there is an element for it, or only while there is one a stride further, too?"},
        [LAST_MISSING_BUT_ONE] = {"the last elements, one fewer than there are threads, are left out",
                                  "Does a thread go on while there is an element for it, or only while there is one a stride further, too?"},
        [EVERY_SECOND] = {"every second turn is left out",
                          "Is the stride added once in each turn, and is it the threads of the grid, and not twice as many?"},
        [X_OF_FIRST_TURN] = {"what is added in each turn is the x of the thread's first element", "Are sum and x both read at the i of this turn?"},
        [FIRST_ALONE_MISSING] = {"all is right but element 0, which is as it was",
                                 "Thread 0 of the grid begins with element 0: does a test keep it off, or is 1 added to its number?"},
        [LAST_ALONE_MISSING] = {"all is right but the last element, which is as it was",
                                "What is i compared with: is n - 1 the last element that is done?"},
        [ADDED_TWICE] = {"x[i] is added twice", "How often is x[i] added in a turn, and does a thread come to an element again?"},
        [FIRST_X] = {"x[0] is added to each element", "With which index is x read? A pointer without an index is its first element."},
    };
    size_t n = 0, threads = size_param(c, "blocks") * size_param(c, "threads");
    const int32_t *sum = judge_input_i32(c, "sum", &n), *x = judge_input_i32(c, "x", NULL);
    for (int m = 0; m < N_MISTAKES; m++) {
        if (threads >= n && m >= ONE_TURN && m <= X_OF_FIRST_TURN) /* a single turn: without it nothing is done */
            continue;
        int32_t *after = judge_mistake(c, "sum_after", texts[m][0], texts[m][1]);
        for (size_t i = 0; after && i < n; i++) {
            size_t turn = i / threads;
            int is_left_out = (m == ONE_TURN && turn > 0) || (m == FIRST_TURN_MISSING && turn == 0) || (m == PART_MISSING && turn == n / threads) ||
                              (m == LAST_MISSING && i + threads >= n) || (m == LAST_MISSING_BUT_ONE && i + threads > n) ||
                              (m == EVERY_SECOND && turn % 2 == 1) || (m == FIRST_ALONE_MISSING && i == 0) || (m == LAST_ALONE_MISSING && i == n - 1);
            int32_t addend = m == X_OF_FIRST_TURN ? x[i % threads]
                             : m == TAKEN_OFF     ? -x[i]
                             : m == ADDED_TWICE   ? 2 * x[i]
                             : m == FIRST_X       ? x[0]
                                                  : x[i];
            after[i] = is_left_out ? sum[i] : m == SET ? x[i] : sum[i] + addend;
        }
    }
}

/* ---- What certain mistakes give: the strip ---- */

/* How many bytes of an int of padding (driver.c) are others when the amount has been added to it. */
static int changed_bytes(int32_t amount)
{
    uint32_t before = 0x6b6b6b6b, differ = before ^ (before + (uint32_t)amount);
    int n = 0;
    for (int byte = 0; byte < 4; byte++)
        n += (differ >> 8 * byte & 255) != 0;
    return n;
}

/* Some pixels of the strip are as they were. */
static void mistake_pixels_left(JudgeCase *c, const int32_t *in, size_t rows, size_t width)
{
    enum { FIRST_ROW, LAST_ROW, FIRST_COLUMN, LAST_COLUMN, PART_OF_32_COLUMNS, PART_OF_4_ROWS, N_LEFT };
    static const char *const texts[N_LEFT][2] = {
        [FIRST_ROW] = {"all is right but the first row of the strip, which is as it was",
                       "The strip begins with first_row itself: which row does thread row 0 of the grid do?"},
        [LAST_ROW] = {"all is right but the last row of the strip, which is as it was",
                      "What is the row compared with: is rows - 1 the last one that is done? And is the number of blocks rounded up in y?"},
        [FIRST_COLUMN] = {"all is right but the first pixel of each row, which is as it was",
                          "Column 0 belongs to thread column 0 of the grid: does a test keep it off, or is 1 added to its number?"},
        [LAST_COLUMN] = {"all is right but the last pixel of each row, which is as it was",
                         "What is x compared with: is width - 1 the last one that is done? And is the number of blocks rounded up in x?"},
        [PART_OF_32_COLUMNS] = {"all is right but the last columns, fewer than 32, which are as they were",
                                "Is the number of blocks rounded up in x?"},
        [PART_OF_4_ROWS] = {"all is right but the last rows, fewer than 4, which are as they were", "Is the number of blocks rounded up in y?"},
    };
    for (int m = 0; m < N_LEFT; m++) {
        int32_t *after = judge_mistake(c, "strip_after", texts[m][0], texts[m][1]); /* begins with what is right */
        for (size_t i = 0; after && i < rows * width; i++) {
            size_t x = i % width, row = i / width;
            if ((m == FIRST_ROW && row == 0) || (m == LAST_ROW && row == rows - 1) || (m == FIRST_COLUMN && x == 0) ||
                (m == LAST_COLUMN && x == width - 1) || (m == PART_OF_32_COLUMNS && x >= width / BLOCK_X * BLOCK_X) ||
                (m == PART_OF_4_ROWS && row >= rows / BLOCK_Y * BLOCK_Y))
                after[i] = in[i];
        }
    }
}

static void mistake_strip(JudgeCase *c)
{
    const LabArray *strip = judge_input(c, "strip");
    const int32_t *in = strip->data;
    size_t rows = strip->shape[0], width = strip->shape[1], pitch = size_param(c, "pitch") / sizeof(int32_t), without_padding = 0;
    int32_t amount = (int32_t)judge_param_int(c, "amount");
    int32_t *set = judge_mistake(c, "strip_after", "each pixel is the amount, without what was there",
                                 "Is the amount added to the pixel, with +=, or is it put in its place, with =?");
    int32_t *less = judge_mistake(c, "strip_after", "the amount is taken off each pixel, and is to be added", "Which operator stands before amount?");
    int32_t *dense =
        judge_mistake(c, "strip_after", "the rows are taken to follow each other without padding: width * sizeof(int) bytes apart",
                      "How many bytes after a row does the next one begin? Is the row's number within the strip multiplied by the pitch, too?");
    for (size_t i = 0; i < rows * width; i++) {
        if (set)
            set[i] = amount;
        if (less)
            less[i] = in[i] - amount;
        if (dense)
            dense[i] = i / width * pitch + i % width < rows * width ? in[i] + amount : in[i];
    }
    mistake_pixels_left(c, in, rows, width);
    for (size_t k = 0; k < rows * width; k++)
        without_padding += k % pitch >= width;
    judge_mistake_value(c, "bytes_changed_between_the_rows", (double)(without_padding * (size_t)changed_bytes(amount)),
                        "The rows are taken to follow each other without padding: does each one begin pitch bytes behind the one before?");
    judge_mistake_value(c, "bytes_changed_between_the_rows", (double)(rows * (pitch - width) * (size_t)changed_bytes(amount)),
                        "The amount is added to all of the padding: is x compared with the width, or with what a row has with its padding?");
}

void judge_mistakes(JudgeCase *c)
{
    const char *function = judge_param_text(c, "function");
    if (strcmp(function, "add_stride") == 0)
        mistake_stride(c);
    else if (strcmp(function, "add_strip") == 0)
        mistake_strip(c);
    else
        mistake_maps(c);
}
