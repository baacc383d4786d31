/* See hostile.h. */
#include "grader/sandbox/test/hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 6, MIB = 1 << 20, PAGE = 4096, MANY = 200 * MIB };

static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void spin_ms(long ms) /* of this process's own time */
{
    struct timespec t;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

/* Each of the children uses little. */
static int spin_in_children(bool ignored)
{
    if (ignored)
        signal(SIGCHLD, SIG_IGN); /* nobody waits for them: the kernel forgets what they used */
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0) {
            setsid();
            spin_ms(400);
            _exit(0);
        }
    while (wait(NULL) > 0 || errno == EINTR)
        ;
    wait_ms(200); /* for a last look */
    return 0;
}

static int children(void)
{
    return spin_in_children(false);
}

static int forgotten_children(void)
{
    return spin_in_children(true);
}

/* Waits for processors that its own children have. */
static int crowd(void)
{
    for (int i = 0; i < 12; i++)
        if (fork() == 0) {
            setsid();
            spin_ms(60000);
        }
    spin_ms(60000);
    return 0;
}

static int alone(void)
{
    spin_ms(60000);
    return 0;
}

static void *touch_much(void *unused)
{
    char *p = mmap(NULL, MANY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    wait_ms(50);
    for (size_t i = 0; p != MAP_FAILED && i < MANY; i += PAGE)
        p[i] = 1;
    wait_ms(1000);
    exit(0);
    return unused;
}

/* The first thread ends: the process's own files in /proc then say that it has no memory. */
static int headless(void)
{
    pthread_t t;
    pthread_create(&t, NULL, touch_much, NULL);
    pthread_exit(NULL);
}

/* Reads one page in 2 MiB: the page is the kernel's page of zeros, but each read needs a page table. */
static int page_tables(void)
{
    const size_t bytes = (size_t)MANY * 512;
    volatile char *p = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise((void *)p, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; p != MAP_FAILED && i < bytes; i += 2 * MIB)
        (void)p[i];
    wait_ms(1000);
    return 0;
}

/* Four processes, each with as many sockets as it may have, all full. */
static int sockets(void)
{
    static char block[PAGE];
    int pair[2];
    for (int i = 0; i < 3 && fork() != 0; i++)
        ;
    while (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0)
        for (int end = 0; end < 2; end++)
            while (write(pair[end], block, sizeof block) > 0)
                ;
    wait_ms(1000);
    return 0;
}

/* Eight processes with many small mappings, none of which has a page. */
static int mappings(void)
{
    for (int i = 0; i < 7 && fork() != 0; i++)
        ;
    char *p = mmap(NULL, 60000 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; p != MAP_FAILED && i < 60000; i += 2)
        mprotect(p + (size_t)i * PAGE, PAGE, PROT_READ);
    wait_ms(1500);
    return 0;
}

/* Bit i of the status: the i-th way to memory that belongs to no process is open. */
static int nobodys_memory(void)
{
    int zero = open("/dev/zero", O_RDWR);
    char byte = 1;
    bool reads = zero >= 0 && read(zero, &byte, 1) == 1 && byte == 0;
    const int both = PROT_READ | PROT_WRITE;
    int open_ways = 0;
    open_ways |= (syscall(SYS_memfd_create, "x", 0) >= 0) << 0;
    open_ways |= (mmap(NULL, PAGE, both, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) << 1;
    open_ways |= (mmap(NULL, PAGE, both, MAP_SHARED, zero, 0) != MAP_FAILED) << 2;
    open_ways |= !reads << 3; /* it is there to be read all the same */
    open_ways |= (syscall(SYS_shmget, 0, PAGE, 01600) >= 0) << 4;
    return open_ways;
}

static const struct {
    const char *name;
    int (*run)(void);
} commands[] = {
    {"children", children},       {"forgotten-children", forgotten_children},
    {"crowd", crowd},             {"alone", alone},
    {"headless", headless},
    {"page-tables", page_tables}, {"sockets", sockets},
    {"mappings", mappings},       {"nobodys-memory", nobodys_memory},
};

int hostile_run(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run();
    return 99;
}
