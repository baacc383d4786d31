/* Lab 04: inputs and right answers.
 *
 * Parameters: `function`, one of streams.h, and its numbers under their names there (`streams` for
 * n_streams). `again` and `stale` are the driver's; with `by_the_record` what was copied, and when the host waited, is judged. Readings lie between 0 and 1, dark values between 0 and 0.2.
 */
#include "judge.h"

#include "calibration.h"

#include <stdint.h>
#include <string.h>

static int is_function(JudgeCase *c, const char *name)
{
    return strcmp(judge_param_text(c, "function"), name) == 0;
}

void judge_inputs(JudgeCase *c)
{
    size_t n = (size_t)judge_param_int(c, "n");
    judge_fill_f32(c, judge_input_make_f32(c, "in", n), 0, 1);
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
    if (bytes > (2 * n + chunk) * sizeof(float))
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

/* Who counts chunk by chunk waits for some of them before the last one is launched, or for each of them behind it. Only where there are
 * more chunks than streams, which need not wait otherwise. */
static void judge_count(JudgeCase *c, size_t n)
{
    size_t n_calls = 0, waits = 0, chunk = (size_t)judge_param_int(c, "chunk"), n_chunks = (n + chunk - 1) / chunk;
    int early = 0;
    const JudgeCall *calls = judge_calls(c, &n_calls);
    if (n_chunks <= (size_t)judge_param_int(c, "streams"))
        return;
    for (size_t i = 0; calls && i < n_calls; i++) {
        waits += (size_t)is_wait(&calls[i]);
        early |= waits > 0 && strcmp(calls[i].op, "LAUNCH") == 0;
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
        judge_expect_value(c, "an_array_without_room_is_NULL", 1);
    }
    if (judge_param_int(c, "n") == 0)
        judge_expect_nothing(c);
    size_t n = 0;
    const float *in = judge_input_f32(c, "in", &n);
    float *out = judge_expect_f32(c, "out", n);
    if (is_function(c, "calibrate_dark")) {
        refer_dark(c, in, out, n);
        if (judge_has_param(c, "by_the_record"))
            judge_dark(c, n, (size_t)judge_param_int(c, "chunk"));
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = calibrated(in[i]);
    if (!is_function(c, "calibrate_count"))
        return;
    int n_over = 0;
    float limit = (float)judge_param_float(c, "limit");
    for (size_t i = 0; i < n; i++)
        n_over += out[i] > limit;
    judge_expect_value(c, "n_over", n_over);
    if (judge_has_param(c, "by_the_record"))
        judge_count(c, n);
}
