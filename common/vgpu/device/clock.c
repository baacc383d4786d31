/* clock: where on the modelled time line an operation lies.
 *
 * A device has engines: multiprocessors, a copy engine each way, one for copies within the device. An
 * operation takes a share of its engine (a kernel with few blocks a part, a copy all of it) from the first
 * moment on at which that share is free for its whole duration. Operations run late and out of order, so the
 * gaps left by earlier ones are looked for. Intervals that ended before the host's clock can matter to nobody
 * who asks later, and are dropped.
 *
 * Each thread of the host has a clock of its own: a wait moves that of the thread that waits. A thread begins where the first
 * one is; when a thread has ended, the first one's next call comes after it, as after a join. So threads that work each with
 * a device of their own have the same times in each run; what they ask of one engine takes turns in the order in which it comes.
 */
#include "common/vgpu/device/queue.h"

#include <stdlib.h>

/* The most intervals that are kept: beyond it the oldest are forgotten, and the engine counts as free there.
 */
enum { INTERVALS_MAX = 4096 };

/* The share in use at time t, and the next moment at which it can get less. */
static double used_at(const EngineTimes *e, uint64_t t, uint64_t *next_end)
{
    double used = 0;
    *next_end = UINT64_MAX;
    for (size_t i = 0; i < e->n; i++)
        if (e->items[i].start <= t && t < e->items[i].end) {
            used += e->items[i].share;
            if (e->items[i].end < *next_end)
                *next_end = e->items[i].end;
        }
    return used;
}

/* Is `share` free from `start` to `end`? If not, *retry is the earliest moment worth trying next. */
static bool fits(const EngineTimes *e, uint64_t start, uint64_t end, double share, uint64_t *retry)
{
    uint64_t next_end;
    if (used_at(e, start, &next_end) + share > 1.0001) {
        *retry = next_end;
        return false;
    }
    for (size_t i = 0; i < e->n; i++) {
        uint64_t t = e->items[i].start;
        if (t > start && t < end && used_at(e, t, &next_end) + share > 1.0001) {
            *retry = next_end;
            return false;
        }
    }
    return true;
}

static void forget_before(EngineTimes *e, uint64_t t)
{
    size_t kept = 0;
    size_t drop = e->n > INTERVALS_MAX ? e->n - INTERVALS_MAX : 0;
    for (size_t i = drop; i < e->n; i++)
        if (e->items[i].end > t)
            e->items[kept++] = e->items[i];
    e->n = kept;
}

/* No operation that is queued or yet to come can start before this moment. */
static uint64_t earliest_start(const Device *d)
{
    uint64_t earliest = d->server->host_ns;
    for (size_t i = 0; i < d->server->n_clocks; i++)
        if (d->server->clocks[i].alive && d->server->clocks[i].ns < earliest)
            earliest = d->server->clocks[i].ns;
    for (size_t i = 0; i < d->n_streams; i++) {
        const Stream *s = d->streams[i];
        uint64_t start = s->end_ns > s->first_asked_ns ? s->end_ns : s->first_asked_ns;
        if (s->n_queued > 0 && start < earliest)
            earliest = start;
    }
    return earliest;
}

/* Places an operation and returns its start. */
uint64_t clock_place(Device *d, Engine engine, uint64_t ready_ns, uint64_t duration_ns, double share)
{
    EngineTimes *e = &d->engines[engine];
    uint64_t start = ready_ns;
    forget_before(e, earliest_start(d));
    while (!fits(e, start, start + duration_ns, share, &start)) {
    }
    if (VEC_GROW(e->items, e->n, e->cap))
        e->items[e->n++] = (Interval){.start = start, .end = start + duration_ns, .share = share};
    return start;
}

void clock_enter(DeviceServer *s, uint32_t thread)
{
    while (s->n_clocks <= thread && s->n_clocks < DEVICE_THREADS_MAX && VEC_GROW(s->clocks, s->n_clocks, s->clocks_cap))
        s->clocks[s->n_clocks++] = (HostClock){0};
    if (s->n_clocks == 0)
        return;
    HostClock *first = &s->clocks[0], *clock = thread < s->n_clocks ? &s->clocks[thread] : first;
    if (!clock->alive)
        *clock = (HostClock){.ns = first->ns, .alive = true};
    if (clock == first && clock->ns < s->ended_ns)
        clock->ns = s->ended_ns;
    s->host_ns = clock->ns;
}

void clock_leave(DeviceServer *s, uint32_t thread)
{
    if (s->n_clocks > 0)
        s->clocks[thread < s->n_clocks ? thread : 0].ns = s->host_ns;
}

void thread_end(DeviceServer *s, const DeviceMsg *m)
{
    if (m->thread == 0 || m->thread >= s->n_clocks)
        return;
    if (s->ended_ns < s->host_ns)
        s->ended_ns = s->host_ns;
    s->clocks[m->thread].alive = false;
}

void clock_count(Device *d, uint64_t start_ns, uint64_t duration_ns)
{
    if (d->busy_ns == 0 || start_ns < d->first_ns)
        d->first_ns = start_ns;
    d->busy_ns += duration_ns;
    if (d->last_ns < start_ns + duration_ns)
        d->last_ns = start_ns + duration_ns;
}

double clock_overlap(const DeviceServer *s)
{
    uint64_t busy = 0, first = UINT64_MAX, last = 0;
    for (uint32_t i = 0; i < s->n_devices; i++) {
        const Device *d = s->devices[i];
        if (d->busy_ns == 0)
            continue;
        busy += d->busy_ns;
        first = d->first_ns < first ? d->first_ns : first;
        last = d->last_ns > last ? d->last_ns : last;
    }
    return busy == 0 ? 0 : (double)busy / (double)(last - first);
}

void clock_free(Device *d)
{
    for (int i = 0; i < N_ENGINES; i++) {
        free(d->engines[i].items);
        d->engines[i] = (EngineTimes){0};
    }
}
