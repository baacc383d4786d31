/* Lab 04: inputs and right answers.
 *
 * Parameters: `function`, one of streams.h, and its numbers under their names there (`streams` for
 * n_streams). `again` and `stale` are the driver's; with `by_the_record` what was copied, and when the host waited, is judged, with
 * `by_copies` how long the chunks are. Readings lie between 0 and 1, dark values between 0 and 0.2.
 */
#include "judge.h"

#include "calibration.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static int is_function(JudgeCase *c, const char *name)
{
    return strcmp(judge_param_text(c, "function"), name) == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    float *in = judge_input_make_f32(c, "in", n);
    judge_fill_f32(c, in, 0, 1);
    if (judge_has_param(c, "limit") && judge_param_float(c, "limit") == 0)
        for (size_t i = 0; i < n; i += 3)
            in[i] = 0; /* as it is when it is calibrated: exactly the limit */
    if (is_function(c, "calibrate_dark")) {
        size_t chunk = (size_t)judge_param_int(c, "chunk");
        judge_fill_f32(c, judge_input_make_f32(c, "dark", chunk), 0, 0.2);
    }
}

/* dark goes to the device once: all copies together have no more bytes than what comes in, what goes out, and dark. */
static void judge_dark(JudgeCase *c, size_t n, size_t chunk)
{
    size_t n_calls = 0;
    uint64_t bytes = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++)
        bytes += strcmp(calls[i].op, "COPY") == 0 && strcmp(calls[i].error, "OK") == 0 ? calls[i].number : 0;
    size_t before = judge_has_param(c, "again") ? 2 * (n / 2) + (chunk + 1) / 2 : 0; /* as the driver has it */
    if (bytes > (2 * n + chunk + before) * sizeof(float))
        judge_refuse(c, "More was copied than the readings, the results, and dark once: copy dark in one stream, and let the others wait for an "
                        "event behind it.");
}

/* The host has waited there: for an event or a stream, or until one that it asked about was done; or its work is in the stream. */
static int is_wait(const JudgeCall *call)
{
    static const char *const ops[] = {"EVENT_SYNC", "STREAM_SYNC", "DEVICE_SYNC", "EVENT_QUERY", "STREAM_QUERY", "HOST_FUNCTION"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(call->op, ops[i]) == 0)
            return 1;
    return 0;
}

/* The streams wait for dark, and the host does not. */
static void judge_dark_wait(JudgeCase *c)
{
    size_t n_calls = 0;
    int is_begun = 0, is_copied = 0; /* a call that has something to do, up to its first launch */
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        int begins = judge_note(&calls[i], "something") != NULL, ends = judge_note(&calls[i], "nothing") || strcmp(calls[i].op, "LAUNCH") == 0;
        is_begun = begins || (is_begun && !ends);
        is_copied = is_begun && (is_copied || strcmp(calls[i].op, "COPY") == 0);
        if (is_copied && is_wait(&calls[i]))
            judge_refuse(c, "The host waited before the first kernel was launched: let the other streams wait for an event behind the copy of dark, "
                            "and not the host.");
    }
}

/* calibrate_chunk returns without waiting. */
static void judge_chunk(JudgeCase *c)
{
    size_t n_calls = 0;
    int is_inside = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        is_inside = judge_note(&calls[i], "chunk") || (is_inside && !judge_note(&calls[i], "sent"));
        if (is_inside && is_wait(&calls[i]))
            judge_refuse(c, "calibrate_chunk waited for the device: it is to put its work into the stream, and to return at once.");
    }
}

/* With a stream for each chunk nobody has to wait before the last one is on its way. */
static void judge_no_wait(JudgeCase *c)
{
    size_t n_calls = 0, launches = 0, waits = 0, between = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        waits += launches > 0 && is_wait(&calls[i]);
        if (strcmp(calls[i].op, "LAUNCH") == 0)
            launches++, between = waits;
    }
    if (between > 0)
        judge_refuse(
            c, "The host waited between two chunks that have streams of their own: put all chunks into their streams, and wait behind the loop.");
}

/* Each chunk goes and comes back in copies of its own, and is as long as the caller says. */
static void judge_copies(JudgeCase *c, size_t n, size_t chunk)
{
    size_t n_calls = 0, n_copies = 0, wanted = 0, n_streams = 0;
    int is_chunk = 1;
    const struct {
        size_t n, chunk;
    } rounds[2] = {{n, chunk}, {judge_has_param(c, "again") ? n / 2 : 0, (chunk + 1) / 2}};
    for (int r = 0; r < 2; r++)
        wanted += (rounds[r].n + rounds[r].chunk - 1) / rounds[r].chunk;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    for (size_t i = 0; calls && i < n_calls; i++) {
        n_streams += strcmp(calls[i].op, "STREAM_CREATE") == 0;
        if (strcmp(calls[i].op, "COPY") != 0)
            continue;
        int fits = 0;
        for (int r = 0; r < 2; r++)
            fits |= rounds[r].n > 0 &&
                    (calls[i].number == rounds[r].chunk * sizeof(float) || calls[i].number == rounds[r].n % rounds[r].chunk * sizeof(float));
        is_chunk &= fits;
        n_copies++;
    }
    if (calls && n_copies > 0 && (n_copies != 2 * wanted || !is_chunk))
        judge_refuse(
            c, "What was copied is not each chunk, to the device and back: a chunk has `chunk` readings, the last one what is left, and nothing "
               "else is copied.");
    size_t streams = (size_t)judge_param_int(c, "streams"), n_chunks = (n + chunk - 1) / chunk;
    if (calls && streams > 1 && n_chunks > 1 && n_streams < (streams < n_chunks ? streams : n_chunks))
        judge_refuse(c, "Fewer streams were made than the caller asks for.");
    if (calls && n_chunks > 1 && n_chunks <= streams && !judge_has_param(c, "again") && !judge_has_param(c, "limit"))
        judge_no_wait(c);
}

/* Who counts chunk by chunk waits for some of them before the last one is launched, or for each of them behind it. Only where there are
 * more chunks than streams, which need not wait otherwise. */
static void judge_count(JudgeCase *c, size_t n)
{
    size_t n_calls = 0, waits = 0, chunk = (size_t)judge_param_int(c, "chunk"), n_chunks = (n + chunk - 1) / chunk;
    int early = 0, launched = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    if (n_chunks <= (size_t)judge_param_int(c, "streams"))
        return;
    for (size_t i = 0; calls && i < n_calls; i++) {
        int is_launch = strcmp(calls[i].op, "LAUNCH") == 0;
        if (launched && !early && strncmp(calls[i].op, "FREE", 4) == 0)
            break; /* nor what is waited for to clean up */
        launched |= is_launch;
        waits += (size_t)(launched && is_wait(&calls[i])); /* what is waited for before that is no chunk */
        early |= waits > 0 && is_launch;
    }
    if (calls && !early && waits < n_chunks)
        judge_refuse(c, "The host waited only when all chunks were on their way, and then not for each: it is to count a chunk while the device "
                        "works on later ones. "
                        "Before a stream gets its next chunk, wait for the event of its last one, and count that.");
}

static void refer_dark(JudgeCase *c, const float *in, float *out, size_t n)
{
    size_t chunk = 0;
    const float *dark = judge_input_f32(c, "dark", &chunk);
    for (size_t i = 0; i < n; i++)
        out[i] = calibrated(in[i] - dark[i % chunk]);
}

void judge_reference(JudgeCase *c)
{
    judge_expect_destroyed(c);
    if (judge_has_param(c, "no_room")) {
        judge_expect_value(c, "an_array_without_room_is_an_error", 1);
        judge_expect_value(c, "the_code_is_that_of_CUDA", 1);
        judge_expect_value(c, "an_array_without_room_is_NULL", 1);
        judge_expect_value(c, "arrays_are_pinned", 1);
    }
    judge_expect_nothing(c);
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    float *out = judge_expect_f32(c, "out", n);
    if (is_function(c, "calibrate_dark")) {
        refer_dark(c, in, out, n);
        if (judge_has_param(c, "by_the_record")) {
            judge_dark(c, n, (size_t)judge_param_int(c, "chunk"));
            judge_dark_wait(c);
        }
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = calibrated(in[i]);
    if (is_function(c, "calibrate_chunk"))
        judge_chunk(c);
    if (judge_has_param(c, "by_copies"))
        judge_copies(c, n, (size_t)judge_param_int(c, "chunk"));
    if (!is_function(c, "calibrate_count"))
        return;
    int n_over = 0;
    float limit = (float)judge_param_float(c, "limit");
    for (size_t i = 0; i < n; i++)
        n_over += out[i] > limit;
    judge_expect_value(c, "n_over", n_over);
    if (judge_has_param(c, "again"))
        judge_expect_value(c, "n_over_of_no_readings", 0);
    if (judge_has_param(c, "by_the_record"))
        judge_count(c, n);
}

/* ---- What certain mistakes give ---- */

typedef enum Gives {
    NOT_CALIBRATED,
    CALIBRATED_TWICE,
    FIRST_CHUNK_AGAIN,
    ONE_BLOCK_OF_CHUNK,
    WHOLE_BLOCKS_OF_CHUNK,
    BLOCKS_OF_CALL_BEFORE,
    LAST_OF_CHUNK_AS_SENT,
    LAST_CHUNK_AS_SENT,
    CHUNKS_A_READING_APART,
    DARK_LEFT_OUT, /* from here on: of calibrate_dark */
    DARK_ADDED,
    DARK_TWICE,
    DARK_BEHIND,
    DARK_ALONE,
    DARK_OF_FIRST_CHUNK,
    DARK_OF_FIRST_BLOCK,
    DARK_OF_FIRST_STREAM,
    DARK_OF_ALL_BUT_LAST_CHUNK,
    N_GIVES
} Gives;

enum { BLOCK = 256 }; /* as streams.cu has it */

static const char *const texts[N_GIVES][2] = {
    [NOT_CALIBRATED] = {"the readings came back as they were sent, not calibrated",
                        "Is calibrate_kernel launched in the stream, between the two copies, with the device memory that they use?"},
    [CALIBRATED_TWICE] = {"each reading is calibrated twice", "How often is calibrate_kernel launched for a chunk, or a chunk sent?"},
    [FIRST_CHUNK_AGAIN] = {"each chunk of out holds what belongs to the readings of the first chunk",
                           "Which part of in is copied for a chunk: does the pointer move on with it?"},
    [ONE_BLOCK_OF_CHUNK] = {"the first 256 readings of each chunk are calibrated, and the others are as they were sent",
                            "How many blocks of BLOCK threads does the launch start for the readings of a chunk?"},
    [WHOLE_BLOCKS_OF_CHUNK] = {"the last readings of a chunk, fewer than a block does, are as they were sent",
                               "Is the number of blocks rounded up, for the length of this chunk?"},
    [BLOCKS_OF_CALL_BEFORE] =
        {"the first readings of each chunk are right, as many as the blocks do that a chunk of the first call needs, and the others "
         "are as they were sent",
         "Is the number of blocks worked out for each chunk, or does a static or global variable keep it from the first call?"},
    [LAST_OF_CHUNK_AS_SENT] = {"all is right but the last reading of each chunk, which is as it was sent",
                               "How many readings is the kernel given, and with what does it compare the number of its own?"},
    [LAST_CHUNK_AS_SENT] = {"all is right but the last chunk, which came back as it was sent",
                            "Is the kernel launched for the last chunk, too, with blocks for its own length?"},
    [CHUNKS_A_READING_APART] = {"chunk i of out holds what belongs to the readings from in[i] on, and not from in[i * chunk] on",
                                "How many readings does the pointer into `in` move on from chunk to chunk?"},
    [DARK_LEFT_OUT] = {"dark is not subtracted", "Is subtract_kernel launched for each chunk, in its stream, before calibrate_kernel?"},
    [DARK_ADDED] = {"dark is added, and is to be subtracted", "Which sign has dark?"},
    [DARK_TWICE] = {"dark is subtracted twice", "How often is subtract_kernel launched for a chunk?"},
    [DARK_BEHIND] = {"dark is subtracted from the calibrated readings", "In which order are the two kernels launched? dark is subtracted before."},
    [DARK_ALONE] = {"dark is subtracted, and nothing is calibrated", "Is calibrate_kernel launched for each chunk, behind subtract_kernel?"},
    [DARK_OF_FIRST_CHUNK] = {"dark is subtracted from the readings of the first chunk alone",
                             "Is subtract_kernel launched for each chunk, in its stream, before calibrate_kernel?"},
    [DARK_OF_FIRST_BLOCK] = {"dark is subtracted from the first 256 readings of each chunk alone",
                             "How many blocks of BLOCK threads does the launch of subtract_kernel start for the readings of a chunk?"},
    [DARK_OF_FIRST_STREAM] =
        {"dark is subtracted from the chunks of stream 0 alone",
         "Is subtract_kernel launched for the chunks of all streams? Those other than stream 0 wait for an event behind the copy of "
         "dark before that."},
    [DARK_OF_ALL_BUT_LAST_CHUNK] = {"all is right but the last chunk, from which dark is not subtracted",
                                    "Is subtract_kernel launched for the last chunk, too, with blocks for its own length?"},
};

typedef struct Work {
    const float *in, *dark;                 /* dark: NULL where there is none */
    size_t n, chunk, streams, chunk_before; /* chunk_before: of the call before; 0 where there was none */
} Work;

static float less_dark(const Work *w, size_t i)
{
    return w->dark ? w->in[i] - w->dark[i % w->chunk] : w->in[i];
}

/* Reading i after the mistake; `right` is what it should be. */
static float reading_with(const Work *w, Gives gives, size_t i, float right)
{
    size_t first = i / w->chunk * w->chunk, length = w->n - first < w->chunk ? w->n - first : w->chunk;
    float dark = w->dark ? w->dark[i % w->chunk] : 0;
    switch (gives) {
    case NOT_CALIBRATED:
        return w->in[i];
    case CALIBRATED_TWICE:
        return calibrated(right);
    case FIRST_CHUNK_AGAIN:
        return calibrated(less_dark(w, i % w->chunk));
    case ONE_BLOCK_OF_CHUNK:
        return i - first < BLOCK ? right : less_dark(w, i);
    case WHOLE_BLOCKS_OF_CHUNK:
        return i - first < length / BLOCK * BLOCK ? right : less_dark(w, i);
    case BLOCKS_OF_CALL_BEFORE:
        return i - first < (w->chunk_before + BLOCK - 1) / BLOCK * BLOCK ? right : w->in[i];
    case LAST_OF_CHUNK_AS_SENT:
        return i - first < length - 1 ? right : w->in[i];
    case LAST_CHUNK_AS_SENT:
        return first + length < w->n ? right : w->in[i];
    case CHUNKS_A_READING_APART:
        return calibrated(w->in[i / w->chunk + i % w->chunk] - dark);
    case DARK_LEFT_OUT:
        return calibrated(w->in[i]);
    case DARK_ADDED:
        return calibrated(w->in[i] + dark);
    case DARK_TWICE:
        return calibrated(w->in[i] - dark - dark);
    case DARK_BEHIND:
        return calibrated(w->in[i]) - dark;
    case DARK_ALONE:
        return w->in[i] - dark;
    case DARK_OF_FIRST_CHUNK:
        return first == 0 ? right : calibrated(w->in[i]);
    case DARK_OF_FIRST_BLOCK:
        return i - first < BLOCK ? right : calibrated(w->in[i]);
    case DARK_OF_FIRST_STREAM:
        return i / w->chunk % w->streams == 0 ? right : calibrated(w->in[i]);
    case DARK_OF_ALL_BUT_LAST_CHUNK:
        return first + length < w->n ? right : calibrated(w->in[i]);
    case N_GIVES:
        break;
    }
    return right;
}

static int count_over(const float *readings, size_t from, size_t to, float limit)
{
    int n_over = 0;
    for (size_t i = from; i < to; i++)
        n_over += readings[i] > limit;
    return n_over;
}

static void mistake_count(JudgeCase *c, const float *in, const float *out, size_t n, size_t chunk)
{
    float limit = (float)judge_param_float(c, "limit");
    size_t n_chunks = (n + chunk - 1) / chunk, streams = (size_t)judge_param_int(c, "streams");
    size_t last = n_chunks > 0 ? (n_chunks - 1) * chunk : 0, in_flight = n_chunks > streams ? (n_chunks - streams) * chunk : 0;
    size_t of_streams = n < streams * chunk ? n : streams * chunk, first = n < chunk ? n : chunk;
    int right = count_over(out, 0, n, limit), again = 0, from_limit = count_over(out, 0, n, nextafterf(limit, -INFINITY));
    for (size_t at = 0; at < n; at += chunk)
        again += count_over(out, 0, n - at < chunk ? n - at : chunk, limit);
    const struct {
        int gives;
        const char *hint;
    } counts[] = {
        {from_limit, "Readings that are exactly limit are in it. What is greater is asked for: what do you compare with, > or >=, and what is not "
                     "smaller may be equal."},
        {count_over(in, 0, n, limit), "So many readings of `in` are over the limit. Which array is counted? The calibrated readings are in out."},
        {right + (1 << 30), "This is the right number, added to what the caller's variable held before: what does *n_over begin with?"},
        {0, "Does the host wait before it reads a chunk of out? cudaEventSynchronize waits; cudaEventQuery only asks, and who leaves a chunk out "
            "then has to "
            "ask again; cudaStreamWaitEvent lets a stream wait. And is each count added to *n_over?"},
        {count_over(out, 0, in_flight, limit),
         "The last chunk of each stream is not in it. Which chunks are still to be waited for and counted when the last one has been sent?"},
        {count_over(out, 0, last, limit),
         "The last chunk is not in it. Which chunks are still to be waited for and counted when the last one has been sent?"},
        {count_over(out, last, n, limit),
         "This is the count of the last chunk alone: is each count added to *n_over, with +=, or put in its place, with =?"},
        {count_over(out, first, n, limit), "The first chunk is not in it. Which chunk is counted first?"},
        {count_over(out, of_streams, n, limit), "The first chunk of each stream is not in it. Which chunk is counted first?"},
        {count_over(out, 0, of_streams, limit),
         "Only the first chunk of each stream is in it. Is a chunk counted each time before its stream gets the next one, and in the end?"},
        {again, "The first chunk is counted again and again: which part of out is given to count_over?"},
        {(int)n, "This is the number of all readings. Is limit a float all the way (an int makes 0 of 0.5), and is it what a reading is compared "
                 "with? Does the "
                 "host read a chunk of out only when it is back? What stood there before is not to count."},
        {count_over(out, 0, n, (float)(int)limit),
         "So many readings are over the limit without what is behind its point: is it a float all the way, and never an int?"},
        {(int)n - right, "These are the readings that are not over the limit: how are reading and limit compared?"},
        {2 * right, "Each reading is counted twice: is what was counted in the loop counted again behind it?"},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        judge_mistake_value(c, "n_over", counts[i].gives, counts[i].hint);
}

void judge_mistakes(JudgeCase *c)
{
    Work w = {0};
    judge_mistake_value(c, "the_code_is_that_of_CUDA", 0,
                        "A call of CUDA failed in host_array_create: is its code returned as it is, and not a number of your own?");
    w.in = judge_input_f32(c, "in", &w.n);
    w.dark = is_function(c, "calibrate_dark") ? judge_input_f32(c, "dark", NULL) : NULL;
    w.chunk = is_function(c, "calibrate_chunk") ? (w.n + 1) / 2 : (size_t)judge_param_int(c, "chunk"); /* as the driver has it */
    w.streams = judge_has_param(c, "streams") ? (size_t)judge_param_int(c, "streams") : 2;
    w.chunk_before = judge_has_param(c, "again") ? (w.chunk + 1) / 2 : 0;
    if (w.n == 0)
        return;
    for (Gives gives = 0; gives < (w.dark ? N_GIVES : DARK_LEFT_OUT); gives++) {
        if (gives == BLOCKS_OF_CALL_BEFORE && w.chunk_before == 0)
            continue;
        float *out = judge_mistake(c, "out", texts[gives][0], texts[gives][1]); /* begins with what is right */
        if (out && gives == 0 && is_function(c, "calibrate_count"))
            mistake_count(c, w.in, out, w.n, w.chunk);
        for (size_t i = 0; out && i < w.n; i++)
            out[i] = reading_with(&w, gives, i, out[i]);
    }
}
