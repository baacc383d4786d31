/* progress: queued work gets done although the host makes no call.
 *
 * Work runs as late as the calls allow, so a host that only looks at memory which a kernel is to change (a
 * mapped flag, a managed array) would look for ever. Where the program shares memory with its kernels, a
 * thread watches: when work is queued, and for a second no call has been made and no other place of managed memory has been
 * used than the one before (managed.c), it runs what is queued, to its end. The second is counted in steps, so that one in
 * which the whole machine or the process stood still is none.
 *
 * That is late enough to show a missing wait in any program that does not spend a second between a launch and
 * its use. What runs so counts as waited for by nobody: neither the modelled clock of the host nor the search
 * for races of streams changes, and the report is the same whether or not the watcher was there.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <signal.h>
#include <time.h>

enum { STEP_MS = 50, IDLE_STEPS = 20 };

/* Runs all that is queued on every device, host functions too. */
static void run_queued(void)
{
    Facade *f = facade();
    for (int i = 0; i < f->n_devices && facade_is_served(); i++) {
        Call call = {.api = API_cudaStreamQuery};
        DeviceReply reply;
        call_send_now(&call, f->visible[i], &(DeviceMsg){.op = OP_DEVICE_RUN}, &reply);
    }
}

/* A host that copies a large array step by step (managed.c) does not look for what a kernel is to change. The runtime's lock is
 * left alone: a host that comes to guarded memory meanwhile could not tell of it. */
static uint64_t n_signs_of_life(const Facade *f)
{
    return __atomic_load_n(&f->n_calls, __ATOMIC_RELAXED) + __atomic_load_n(&f->n_places, __ATOMIC_RELAXED);
}

static void *watch(void *unused)
{
    Facade *f = facade();
    uint64_t seen = 0, ran_at = 0; /* number of signs when they were counted, and when queued work was run last */
    int idle = 0;                  /* steps since there was a new one */
    (void)unused;
    pthread_mutex_lock(&f->watcher_lock);
    while (!f->watcher_stops) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += STEP_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&f->watcher_wakes, &f->watcher_lock, &until);
        uint64_t now = n_signs_of_life(f);
        idle = now == seen ? idle + 1 : 0;
        seen = now;
        if (f->watcher_stops || idle < IDLE_STEPS || ran_at == now)
            continue;
        idle = 0;
        if (pthread_mutex_trylock(&f->lock) != 0) /* a call is being made */
            continue;
        run_queued();
        pthread_mutex_unlock(&f->lock);
        ran_at = n_signs_of_life(f);
    }
    pthread_mutex_unlock(&f->watcher_lock);
    return NULL;
}

/* Signals are the program's: the watcher takes none. */
void progress_watch(void)
{
    Facade *f = facade();
    sigset_t all, before;
    if (!f->shares_memory || f->watching)
        return;
    pthread_mutex_init(&f->watcher_lock, NULL); /* a child of fork() comes here again */
    pthread_cond_init(&f->watcher_wakes, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    f->watching = pthread_create(&f->watcher, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_end(void)
{
    Facade *f = facade();
    if (!f->watching)
        return;
    pthread_mutex_lock(&f->watcher_lock);
    f->watcher_stops = true;
    pthread_cond_signal(&f->watcher_wakes);
    pthread_mutex_unlock(&f->watcher_lock);
    if (!pthread_equal(f->watcher, pthread_self()))
        pthread_join(f->watcher, NULL);
    f->watching = false;
}
