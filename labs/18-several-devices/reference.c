/* Lab 18: inputs and right answers.
 *
 * Parameters: `function`, one of several_devices.h, its numbers under their names there, and `devices` for
 * n_devices; `current` is the device that is current before; with `fails` only the device is asked for that is current afterwards. Readings lie between 0 and 1, temperatures between 0 and 100; samples between -1 and 1, and what
 * y is made of is no linear function of them, so that errors stay.
 */
#include "judge.h"

#include "model.h"
#include "several_devices.h"

#include <stdlib.h>
#include <string.h>

static int is_function(JudgeCase *c, const char *name)
{
    return strcmp(judge_param_text(c, "function"), name) == 0;
}

/* The one that is current before the call, and after it. */
static int current_device(JudgeCase *c)
{
    return (int)(judge_has_param(c, "current") ? judge_param_int(c, "current") : (judge_param_int(c, "devices") - 1) / 2);
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    if (is_function(c, "train")) {
        judge_fill_f32(c, judge_input_make_f32(c, "x", n * FEATURES), -1, 1);
        judge_fill_f32(c, judge_input_make_f32(c, "y", n), -2, 2);
        judge_fill_f32(c, judge_input_make_f32(c, "first", FEATURES), -0.5, 0.5);
    } else if (!is_function(c, "share_of")) {
        judge_fill_f32(c, judge_input_make_f32(c, "in", n), 0, is_function(c, "heat") ? 100 : 1);
    }
}

static void refer_shares(JudgeCase *c)
{
    int n = (int)judge_param_int(c, "n"), n_devices = (int)judge_param_int(c, "devices"), next = 0;
    int32_t *first = judge_expect_i32(c, "first", (size_t)n_devices);
    int32_t *count = judge_expect_i32(c, "count", (size_t)n_devices);
    for (int d = 0; d < n_devices; d++) {
        first[d] = next;
        count[d] = n / n_devices + (d < n % n_devices ? 1 : 0);
        next += count[d];
    }
}

static void refer_heat(JudgeCase *c, const float *in, size_t n)
{
    size_t shape = n;
    double *now = judge_expect_precise(c, "out", LAB_F32, 1, &shape);
    double *before = malloc(n * sizeof *before);
    if (before == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        now[i] = in[i];
    for (int64_t step = judge_param_int(c, "steps"); step > 0; step--) {
        memcpy(before, now, n * sizeof *before);
        for (size_t i = 1; i + 1 < n; i++)
            now[i] = before[i] + 0.25 * (before[i - 1] - 2 * before[i] + before[i + 1]);
    }
    free(before);
}

/* One step of train. */
static void refer_step(const float *x, const float *y, size_t n, double rate, double *w)
{
    double g[FEATURES] = {0};
    for (size_t i = 0; i < n; i++) {
        double error = -(double)y[i];
        for (int j = 0; j < FEATURES; j++)
            error += x[i * FEATURES + j] * w[j];
        for (int j = 0; j < FEATURES; j++)
            g[j] += error * x[i * FEATURES + j];
    }
    for (int j = 0; j < FEATURES; j++)
        w[j] -= rate * g[j] / (double)n;
}

static void refer_train(JudgeCase *c)
{
    size_t n = 0, n_w = 0;
    const float *y = judge_input_f32(c, "y", &n), *first = judge_input_f32(c, "first", &n_w);
    const float *x = judge_input_f32(c, "x", NULL);
    double *w = judge_expect_precise(c, "w", LAB_F32, 1, &n_w);
    for (int j = 0; j < FEATURES; j++)
        w[j] = first[j];
    int64_t calls = judge_has_param(c, "calls") ? judge_param_int(c, "calls") : 1;
    for (int64_t step = calls * judge_param_int(c, "steps"); step > 0; step--)
        refer_step(x, y, n, judge_param_float(c, "rate"), w);
}

/* Each piece of at most `micro` samples takes a kernel at least: who works on more at a time launches fewer. */
static void judge_pieces(JudgeCase *c)
{
    size_t n_calls = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    int64_t n = judge_param_int(c, "n"), n_devices = judge_param_int(c, "devices"), micro = judge_param_int(c, "micro"), pieces = 0, launches = 0;
    for (int64_t d = 0; d < n_devices; d++)
        pieces += (n / n_devices + (d < n % n_devices ? 1 : 0) + micro - 1) / micro;
    for (size_t i = 0; i < n_calls; i++)
        launches += strcmp(calls[i].op, "LAUNCH") == 0 && strcmp(calls[i].error, "OK") == 0;
    if (launches > 0 && launches < pieces * judge_param_int(c, "steps"))
        judge_refuse(c, "Fewer kernels ran than there are pieces: no device works on more than `micro` samples at a time, and each piece takes a kernel in each step.");
}

/* Two arrays of each device's share, or three, are what a rod takes; a whole rod on each device takes `devices` times as much. Memory that is taken
 * step by step counts each time, and small rods have more at their sides than of their own: many cells and few steps tell. */
static void judge_room(JudgeCase *c, size_t n)
{
    enum { DEVICES = 4, CELLS = 100000, STEPS = 2, ARRAYS = 6 };
    size_t n_calls = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    uint64_t bytes = 0;
    for (size_t i = 0; calls && i < n_calls; i++)
        if (strcmp(calls[i].op, "ALLOC") == 0 && strcmp(calls[i].error, "OK") == 0 && strcmp(calls[i].text, "pinned") != 0)
            bytes += calls[i].number;
    if (judge_param_int(c, "devices") >= DEVICES && n >= CELLS && judge_param_int(c, "steps") <= STEPS && bytes > ARRAYS * n * sizeof(float))
        judge_refuse(c, "The devices take memory for the whole rod each, and not for their shares: a device has the cells of its share, and one more at each side.");
}

void judge_reference(JudgeCase *c)
{
    size_t n = 0;
    if (is_function(c, "share_of")) {
        refer_shares(c);
        return;
    }
    judge_expect_destroyed(c);
    judge_expect_value(c, "current_device", current_device(c));
    judge_expect_value(c, "elements_that_changed_and_should_not", 0);
    if (judge_has_param(c, "fails"))
        return;
    if (is_function(c, "train")) {
        refer_train(c);
        judge_pieces(c);
        return;
    }
    const float *in = judge_input_f32(c, "in", &n);
    if (is_function(c, "heat")) {
        refer_heat(c, in, n);
        judge_room(c, n);
        return;
    }
    float *out = judge_expect_f32(c, "out", n);
    for (size_t i = 0; i < n; i++)
        out[i] = transformed(in[i]);
}

/* ---- Mistakes in shares ---- */

enum { SHARE_RIGHT, BY_QUOTIENT, ROUNDED_UP, LAST_HAS_REST, REST_LOST, LONGER_LAST, PLACES_WITHOUT_REST, PLACES_BY_OWN_COUNT, N_SHARES };

static const struct {
    const char *sentence, *hint;
} of_shares[N_SHARES] = {
    [BY_QUOTIENT] = {"the shares are those of n * d / n_devices, and the longer ones lie among the shorter",
                     "Whose are the elements that are left over, by the contract? The devices with the lower numbers have one more."},
    [ROUNDED_UP] = {"each share has n / n_devices, rounded up, and the last ones what is left, so that counts differ by more than one",
                    "How many elements does each device have at least (rounded down), how many are left over, and whose are they?"},
    [LAST_HAS_REST] = {"the last device has all the elements that are left over", "The counts differ by at most one: how many devices get one of those that are left over?"},
    [REST_LOST] = {"all shares are equal, and the elements that are left over belong to nobody", "How many are left over (n % n_devices), and whose are they?"},
    [LONGER_LAST] = {"the devices with the higher numbers have one more", "Which devices have one more, by the contract?"},
    [PLACES_WITHOUT_REST] = {"it is d times n / n_devices, rounded down, as if no device before had one more", "How many of the devices before d have one more, by the contract?"},
    [PLACES_BY_OWN_COUNT] = {"it is d times the device's own count", "The devices before d may have more elements than d has: how many do they have together?"},
};

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

static Share wrong_share(int n, int n_devices, int d, int mistake)
{
    int each = n / n_devices, rest = n % n_devices, up = each + (rest > 0);
    Share s = {d * each + at_most(d, rest), each + (d < rest)};
    if (mistake == BY_QUOTIENT) {
        s.first = (int)((int64_t)n * d / n_devices);
        s.count = (int)((int64_t)n * (d + 1) / n_devices) - s.first;
    } else if (mistake == ROUNDED_UP) {
        s.first = at_most(n, d * up);
        s.count = at_most(n - s.first, up);
    } else if (mistake == LAST_HAS_REST) {
        s = (Share){d * each, d == n_devices - 1 ? each + rest : each};
    } else if (mistake == REST_LOST) {
        s = (Share){d * each, each};
    } else if (mistake == LONGER_LAST) {
        int before = d - (n_devices - rest);
        s = (Share){d * each + (before > 0 ? before : 0), each + (before >= 0)};
    } else if (mistake == PLACES_WITHOUT_REST) {
        s.first = d * each;
    } else if (mistake == PLACES_BY_OWN_COUNT) {
        s.first = d * s.count;
    }
    return s;
}

static void name_shares(JudgeCase *c)
{
    int n = (int)judge_param_int(c, "n"), n_devices = (int)judge_param_int(c, "devices");
    for (int mistake = SHARE_RIGHT + 1; mistake < N_SHARES; mistake++) {
        int tells_first = mistake != LAST_HAS_REST && mistake != REST_LOST; /* whose places are those of PLACES_WITHOUT_REST */
        int32_t *first = tells_first ? judge_mistake(c, "first", of_shares[mistake].sentence, of_shares[mistake].hint) : NULL;
        int32_t *count = judge_mistake(c, "count", of_shares[mistake].sentence, of_shares[mistake].hint);
        for (int d = 0; d < n_devices; d++) {
            Share s = wrong_share(n, n_devices, d, mistake);
            if (first)
                first[d] = s.first;
            if (count)
                count[d] = s.count;
        }
    }
}

/* ---- Mistakes in transform ---- */

static void name_transformed(JudgeCase *c)
{
    size_t n = 0;
    int n_devices = (int)judge_param_int(c, "devices");
    const float *in = judge_input_f32(c, "in", &n);
    float *of_first = judge_mistake(c, "out", "each device has transformed the first readings of all, and not those of its share", "From where in `in` does a device copy? s.first says where its share begins.");
    float *one_block = judge_mistake(c, "out", "of each share only the first 256 readings are transformed, and the others are as they were", "How many blocks does the launch have: enough for s.count?");
    float *as_is = judge_mistake(c, "out", "it is `in`, and nothing is transformed", "Is the kernel launched between the two copies, in the same stream, on the device whose memory it is?");
    float *twice = judge_mistake(c, "out", "each reading is transformed twice", "How often is the kernel launched for a share?");
    for (int d = 0; of_first && one_block && as_is && twice && d < n_devices; d++) {
        Share s = wrong_share((int)n, n_devices, d, SHARE_RIGHT);
        for (int i = 0; i < s.count; i++) {
            int place = s.first + i;
            of_first[place] = transformed(in[i]);
            one_block[place] = i < 256 ? transformed(in[place]) : in[place];
            as_is[place] = in[place];
            twice[place] = transformed(transformed(in[place]));
        }
    }
}

/* ---- Mistakes in heat ---- */

enum { HEAT_CELLS_MAX = 100000 }; /* of a rod whose mistakes are told */

enum { LEFT_FIRST, LEFT_BEFORE_LAST, LEFT_OWN_COUNT, RIGHT_LAST, RIGHT_SECOND, RIGHT_OWN_COUNT, CELLS_OF_BEFORE, N_HALOS };

static const struct {
    const char *sentence, *hint;
} of_halos[N_HALOS] = {
    [LEFT_FIRST] = {"the cell that comes from the left neighbour is its first", "Which cell of the left neighbour lies next to this share, and in which of its elements is it?"},
    [LEFT_OWN_COUNT] = {"the place of the left neighbour's last cell is taken from the own count", "Where is the left neighbour's last cell? The shares need not be equally long."},
    [LEFT_BEFORE_LAST] = {"the cell that comes from the left neighbour is the one before its last", "Cell i of a share is element i + 1. In which element is the left neighbour's last cell, by its count, which may be another than the own?"},
    [RIGHT_LAST] = {"the cell that comes from the right neighbour is its last", "Which cell of the right neighbour lies next to this share, and in which of its elements is it?"},
    [RIGHT_SECOND] = {"the cell that comes from the right neighbour is its second", "Cell i of a share is element i + 1. In which element is the right neighbour's first cell?"},
    [RIGHT_OWN_COUNT] = {"the place of the right neighbour's cell is taken from the own count", "In which of its elements has the right neighbour its first cell?"},
    [CELLS_OF_BEFORE] = {"the neighbours' cells are those of a step before", "From which of its two arrays does a neighbour's cell come: the one that the step has read, or the one that it has written?"},
};

/* Device d's array k: count cells, and one more at each side. */
typedef struct Rod {
    Share share[DEVICES_MAX];
    double *array[DEVICES_MAX][2];
    int n_devices;
} Rod;

static void rod_step(Rod *r, int now, int n)
{
    for (int d = 0; d < r->n_devices; d++)
        for (int i = 1; i <= r->share[d].count; i++) {
            const double *a = r->array[d][now];
            int cell = r->share[d].first + i - 1;
            r->array[d][1 - now][i] = cell == 0 || cell == n - 1 ? a[i] : a[i] + 0.25 * (a[i - 1] - 2 * a[i] + a[i + 1]);
        }
}

static void rod_exchange(Rod *r, int k, int mistake)
{
    int from = mistake == CELLS_OF_BEFORE ? 1 - k : k;
    for (int d = 0; d < r->n_devices; d++) {
        int own = r->share[d].count;
        if (d > 0) {
            int last = r->share[d - 1].count;
            int i = mistake == LEFT_FIRST ? 1 : mistake == LEFT_OWN_COUNT ? at_most(own, last + 1) : mistake == LEFT_BEFORE_LAST ? last - 1 : last;
            r->array[d][k][0] = r->array[d - 1][from][i];
        }
        if (d + 1 < r->n_devices) {
            int last = r->share[d + 1].count;
            int i = mistake == RIGHT_LAST ? last : mistake == RIGHT_SECOND ? 2 : mistake == RIGHT_OWN_COUNT ? at_most(own, last + 1) : 1;
            r->array[d][k][own + 1] = r->array[d + 1][from][i];
        }
    }
}

static void wrong_heat(JudgeCase *c, const float *in, int n, int mistake, double *out)
{
    Rod r = {.n_devices = (int)judge_param_int(c, "devices")};
    int now = 0;
    for (int d = 0; d < r.n_devices; d++) {
        Share s = r.share[d] = wrong_share(n, r.n_devices, d, SHARE_RIGHT);
        for (int k = 0; k < 2; k++)
            if ((r.array[d][k] = calloc((size_t)s.count + 2, sizeof(double))) == NULL)
                abort();
        for (int i = 0; i < s.count + 2; i++)
            if (s.first + i >= 1 && s.first + i <= n)
                r.array[d][0][i] = in[s.first + i - 1];
    }
    for (int64_t step = judge_param_int(c, "steps"); step > 0; step--, now = 1 - now) {
        rod_step(&r, now, n);
        rod_exchange(&r, 1 - now, mistake);
    }
    for (int d = 0; d < r.n_devices; d++) {
        memcpy(out + r.share[d].first, r.array[d][now] + 1, (size_t)r.share[d].count * sizeof(double));
        free(r.array[d][0]);
        free(r.array[d][1]);
    }
}

static void name_heat(JudgeCase *c)
{
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    if (n > HEAT_CELLS_MAX)
        return;
    for (int mistake = 0; mistake < N_HALOS; mistake++) {
        double *out = judge_mistake(c, "out", of_halos[mistake].sentence, of_halos[mistake].hint);
        if (out)
            wrong_heat(c, in, (int)n, mistake, out);
    }
}

/* ---- Mistakes in train ---- */

enum {
    NOT_DIVIDED,
    BY_DEVICES,
    BY_MICRO,
    BY_SHARE_OF_FIRST,
    MEAN_OF_MEANS,
    NO_RATE,
    OTHERS_NOT_ADDED,
    LAST_NOT_ADDED,
    FIRST_ADDED_TWICE,
    OTHERS_KEEP_WEIGHTS,
    OTHERS_A_STEP_BEHIND,
    BYTES_OF_WEIGHTS,
    ONE_WEIGHT,
    LAST_KEEPS_WEIGHTS,
    NEVER_RESET,
    RESET_IN_PIECES,
    LAST_PIECE_LOST,
    FIRST_PIECE_ALONE,
    SAMPLES_STAY,
    VALUES_STAY,
    SHARE_BY_FLOATS,
    SAMPLES_OF_FIRST,
    VALUES_OF_FIRST,
    BOTH_OF_FIRST,
    SAMPLES_BY_FLOATS,
    BYTES_OF_RESULT,
    NOT_MOVED,
    N_TRAINED
};

static const char *const factor_hint = "By what is the sum of all devices divided, and where? It is divided once, by the number of all samples, and multiplied by the rate.";

static const struct {
    const char *sentence, *hint;
} of_training[N_TRAINED] = {
    [NOT_DIVIDED] = {"the gradient is the sum over all samples, not divided by their number", "What makes a mean of the sum, and where is that done?"},
    [BY_DEVICES] = {"the sum of the gradient is divided by the number of devices", factor_hint},
    [BY_MICRO] = {"the sum of the gradient is divided by `micro`", factor_hint},
    [BY_SHARE_OF_FIRST] = {"the sum of the gradient is divided by the number of samples that device 0 has", factor_hint},
    [MEAN_OF_MEANS] = {"it is the mean of the devices' means, and they have not equally many samples", "Who divides by its own number of samples? Add up sums, and divide once, by the number of all samples."},
    [NO_RATE] = {"the rate is missing", factor_hint},
    [OTHERS_NOT_ADDED] = {"only the samples of device 0 count", "Where does device 0 add the other devices' gradients to its own, and for which d?"},
    [LAST_NOT_ADDED] = {"the samples of the last device do not count", "For which devices d does device 0 add a gradient?"},
    [FIRST_ADDED_TWICE] = {"the samples of device 0 count twice", "With which device does the loop that adds gradients begin? Device 0's own is there."},
    [OTHERS_KEEP_WEIGHTS] = {"the other devices keep the first weights in all steps", "With which weights does each device begin the next step, and how do they get there?"},
    [OTHERS_A_STEP_BEHIND] = {"the other devices have the weights of a step before", "What does the copy of the weights wait for: the event behind the update of this step?"},
    [BYTES_OF_WEIGHTS] = {"of the new weights only the first 4 reach the other devices: FEATURES bytes are 4 floats", "How many bytes does the copy of the weights take?"},
    [ONE_WEIGHT] = {"of the new weights only the first reaches the other devices", "How many bytes does the copy of the weights take?"},
    [LAST_KEEPS_WEIGHTS] = {"the last device keeps the first weights in all steps", "Which devices get the new weights?"},
    [NEVER_RESET] = {"the gradients of the steps before are still in the sum", "What is in G when a step begins? It has to be 0, on each device and in each step."},
    [RESET_IN_PIECES] = {"of each device's samples only the last piece counts", "When is G set to 0: once for each step, or once for each piece?"},
    [LAST_PIECE_LOST] = {"the last, shorter piece of each device is left out", "Up to which sample does the loop over pieces go, and how long is the last one?"},
    [FIRST_PIECE_ALONE] = {"of each device's samples only the first piece counts", "How many pieces does the loop over the samples take?"},
    [SAMPLES_STAY] = {"every piece takes the x of the first piece", "Where does a piece begin in the array X?"},
    [VALUES_STAY] = {"every piece takes the y of the first piece", "Where does a piece begin in the array Y?"},
    [SHARE_BY_FLOATS] = {"a share that begins with sample i has the x from float i on, and not from float i * FEATURES", "From where in `x` does a device copy its samples? A sample has FEATURES floats."},
    [SAMPLES_OF_FIRST] = {"each device has the x of the first samples of all, and not of its share", "From where in `x` does a device copy? s.first says with which sample its share begins."},
    [VALUES_OF_FIRST] = {"each device has the y of the first samples of all, and not of its share", "From where in `y` does a device copy? s.first says with which sample its share begins."},
    [BOTH_OF_FIRST] = {"each device has the first samples of all, and not those of its share", "From where in `x` and `y` does a device copy? s.first says with which sample its share begins."},
    [SAMPLES_BY_FLOATS] = {"a piece's x begins i floats behind the first, and not i samples", "How many floats has a sample, and so where does sample i begin in X?"},
    [BYTES_OF_RESULT] = {"only the first 4 weights came back, and the others are the first weights: FEATURES bytes are 4 floats", "How many bytes does the copy of the result take?"},
    [NOT_MOVED] = {"the weights are as they were before the first step", "Is the update launched, with a factor that is no whole number (rate / n), and are the weights copied back behind it?"},
};

typedef struct Training {
    const float *x, *y;
    double w[DEVICES_MAX][FEATURES], g[DEVICES_MAX][FEATURES];
    Share share[DEVICES_MAX];
    int n, n_devices, micro, mistake;
    double rate;
} Training;

/* Adds a piece of device d's samples, from its sample i on, to its gradient. */
static void add_piece(Training *t, int d, int i, int count)
{
    int of_first = t->mistake == BOTH_OF_FIRST, first = t->share[d].first;
    const float *x = t->x + (of_first || t->mistake == SAMPLES_OF_FIRST ? 0 : t->mistake == SHARE_BY_FLOATS ? first : first * FEATURES);
    const float *y = t->y + (of_first || t->mistake == VALUES_OF_FIRST ? 0 : first);
    x += t->mistake == SAMPLES_STAY ? 0 : t->mistake == SAMPLES_BY_FLOATS ? i : i * FEATURES;
    y += t->mistake == VALUES_STAY ? 0 : i;
    for (int sample = 0; sample < count; sample++, x += FEATURES) {
        double error = -(double)y[sample];
        for (int j = 0; j < FEATURES; j++)
            error += x[j] * t->w[d][j];
        for (int j = 0; j < FEATURES; j++)
            t->g[d][j] += error * x[j];
    }
}

static void accumulate(Training *t, int d)
{
    int count = t->share[d].count, stop = t->mistake == FIRST_PIECE_ALONE ? at_most(1, count) : count;
    for (int j = 0; j < FEATURES && t->mistake != NEVER_RESET; j++)
        t->g[d][j] = 0;
    for (int i = 0; i < stop; i += t->micro) {
        if (t->mistake == LAST_PIECE_LOST && count - i < t->micro)
            break;
        for (int j = 0; j < FEATURES && t->mistake == RESET_IN_PIECES; j++)
            t->g[d][j] = 0;
        add_piece(t, d, i, at_most(t->micro, count - i));
    }
    for (int j = 0; j < FEATURES && t->mistake == MEAN_OF_MEANS && count > 0; j++)
        t->g[d][j] /= count;
}

static double factor_of(const Training *t)
{
    switch (t->mistake) {
    case NOT_DIVIDED:
        return t->rate;
    case BY_DEVICES:
    case MEAN_OF_MEANS:
        return t->rate / t->n_devices;
    case BY_MICRO:
        return t->rate / t->micro;
    case BY_SHARE_OF_FIRST:
        return t->rate / t->share[0].count;
    case NO_RATE:
        return 1.0 / t->n;
    case NOT_MOVED:
        return 0;
    default:
        return t->rate / t->n;
    }
}

static void update_and_share(Training *t)
{
    int stop = t->mistake == OTHERS_NOT_ADDED ? 1 : t->mistake == LAST_NOT_ADDED ? t->n_devices - 1 : t->n_devices;
    int reached = t->mistake == OTHERS_KEEP_WEIGHTS ? 0 : t->mistake == ONE_WEIGHT ? 1 : t->mistake == BYTES_OF_WEIGHTS ? FEATURES / 4 : FEATURES;
    int last = t->mistake == LAST_KEEPS_WEIGHTS ? t->n_devices - 1 : t->n_devices;
    double before[FEATURES];
    memcpy(before, t->w[0], sizeof before);
    for (int d = t->mistake == FIRST_ADDED_TWICE ? 0 : 1; d < stop; d++)
        for (int j = 0; j < FEATURES; j++)
            t->g[0][j] += t->g[d][j];
    for (int j = 0; j < FEATURES; j++)
        t->w[0][j] -= factor_of(t) * t->g[0][j];
    for (int d = 1; d < last; d++)
        memcpy(t->w[d], t->mistake == OTHERS_A_STEP_BEHIND ? before : t->w[0], (size_t)reached * sizeof(double));
}

static void wrong_training(JudgeCase *c, int mistake, double *w)
{
    size_t n = 0;
    Training t = {.y = judge_input_f32(c, "y", &n), .x = judge_input_f32(c, "x", NULL), .mistake = mistake, .rate = judge_param_float(c, "rate")};
    const float *first = judge_input_f32(c, "first", NULL);
    t.n = (int)n;
    t.n_devices = (int)judge_param_int(c, "devices");
    t.micro = (int)judge_param_int(c, "micro");
    for (int d = 0; d < t.n_devices; d++)
        t.share[d] = wrong_share(t.n, t.n_devices, d, SHARE_RIGHT);
    for (int j = 0; j < FEATURES; j++)
        w[j] = first[j];
    for (int64_t call = judge_has_param(c, "calls") ? judge_param_int(c, "calls") : 1; call > 0; call--) {
        memset(t.g, 0, sizeof t.g);
        for (int d = 0; d < t.n_devices; d++)
            memcpy(t.w[d], w, sizeof t.w[d]);
        for (int64_t step = judge_param_int(c, "steps"); step > 0; step--) {
            for (int d = 0; d < t.n_devices; d++)
                accumulate(&t, d);
            update_and_share(&t);
        }
        memcpy(w, t.w[0], (mistake == BYTES_OF_RESULT ? FEATURES / 4 : FEATURES) * sizeof *w);
    }
}

static void name_training(JudgeCase *c)
{
    for (int mistake = 0; mistake < N_TRAINED; mistake++) {
        const char *sentence = of_training[mistake].sentence;
        if (mistake == BY_DEVICES && judge_param_int(c, "devices") == judge_param_int(c, "micro"))
            sentence = "the sum of the gradient is divided by the number of devices, or by `micro`, which is the same here";
        double *w = judge_mistake(c, "w", sentence, of_training[mistake].hint);
        if (w)
            wrong_training(c, mistake, w);
    }
}

void judge_mistakes(JudgeCase *c)
{
    if (is_function(c, "share_of")) {
        name_shares(c);
        return;
    }
    for (int d = 0; d < DEVICES_MAX; d++)
        if (d != current_device(c))
            judge_mistake_value(c, "current_device", d, "Which device was current when the function was called, and who makes it so again at the end, behind all that sets a device, on each way out?");
    if (judge_has_param(c, "fails"))
        return;
    if (is_function(c, "transform"))
        name_transformed(c);
    else if (is_function(c, "heat"))
        name_heat(c);
    else
        name_training(c);
}
