/* interrupt: signals that end the program while a kernel runs.
 *
 * A kernel that does not end is ended by Ctrl-C, by `timeout`, by a limit of processor time. Where the program leaves such a
 * signal to its default, the launch that runs is ended first, and what was found and who waits where goes to the records; then
 * the signal ends the program as ever. A program that handles a signal, or blocks it, is left alone.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <signal.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGXCPU};

static volatile sig_atomic_t pending;

static void end_program(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void on_signal(int signal)
{
    const Facade *f = facade();
    if (f->server && !f->forked && device_interrupt(f->server))
        pending = signal;
    else
        end_program(signal);
}

void interrupt_install(void)
{
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction now, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        if (sigaction(ending[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
            sigaction(ending[i], &ours, NULL);
    }
}

void interrupt_deliver(void)
{
    if (pending != 0)
        end_program(pending);
}
