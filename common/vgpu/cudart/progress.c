/* progress: queued work gets done although the host makes no call.
 *
 * Work runs as late as the calls allow, so a host that only looks at memory which a kernel is to change (a
 * mapped flag, a managed array) would look for ever. Where the program shares memory with its kernels, a
 * thread watches: when work is queued, and for a second no call has been made and no other place of managed memory has been
 * used than the one before (managed.c), it runs what is queued, to its end.
 *
 * That is late enough to show a missing wait in any program that does not spend a second between a launch and
 * its use. What runs so counts as waited for by nobody: neither the modelled clock of the host nor the search
 * for races of streams changes, and the report is the same whether or not the watcher was there.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <signal.h>
#include <time.h>

enum { IDLE_SECONDS = 1 };

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

/* A host that copies a large array step by step (managed.c) does not look for what a kernel is to change. */
static uint64_t n_signs_of_life(const Facade *f)
{
    return f->n_calls + f->n_places;
}

static void *watch(void *unused)
{
    Facade *f = facade();
    uint64_t ran_at = 0; /* number of signs when queued work was run last */
    (void)unused;
    pthread_mutex_lock(&f->lock);
    while (!f->watcher_stops) {
        uint64_t seen = n_signs_of_life(f);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += IDLE_SECONDS;
        pthread_cond_timedwait(&f->watcher_wakes, &f->lock, &until);
        if (!f->watcher_stops && n_signs_of_life(f) == seen && ran_at != seen) {
            run_queued();
            ran_at = n_signs_of_life(f);
        }
    }
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

/* Signals are the program's: the watcher takes none. */
void progress_watch(void)
{
    Facade *f = facade();
    sigset_t all, before;
    if (!f->shares_memory || f->watching)
        return;
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
    pthread_mutex_lock(&f->lock);
    f->watcher_stops = true;
    pthread_cond_signal(&f->watcher_wakes);
    pthread_mutex_unlock(&f->lock);
    if (!pthread_equal(f->watcher, pthread_self()))
        pthread_join(f->watcher, NULL);
    f->watching = false;
}
