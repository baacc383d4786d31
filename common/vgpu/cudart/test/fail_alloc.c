/* fail_alloc: a library for LD_PRELOAD that makes the N-th allocation or system call of libcudart.so.13 fail, or of a program.
 *
 *      FAIL_ALLOC=N        which of them fails; 0: none
 *      FAIL_ALLOC_IN       whose calls: a program's name, and no other program's that it starts; the library's otherwise
 *      FAIL_ALLOC_FILE     holds two 64-bit numbers, kept while the program runs to its very end: how many such calls
 *                          there were, and how many allocations the library holds
 *
 * Only calls that come from the library itself count, by their return address. Allocations are found again when
 * anybody frees them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LIVE_MAX = 1 << 16 };

static uintptr_t own_start, own_end;
static unsigned long fail_at;
static struct Counts {
    unsigned long calls;
    long live;
} unseen, *counts = &unseen;
static void *live[LIVE_MAX]; /* hash of what the library holds */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static int find_library(struct dl_phdr_info *info, size_t size, void *program)
{
    (void)size;
    bool found = program ? info->dlpi_name[0] == '\0' && strcmp(program, program_invocation_short_name) == 0
                         : strstr(info->dlpi_name, "libcudart.so") != NULL;
    if (!found)
        return 0;
    own_start = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        own_start = start < own_start ? start : own_start;
        own_end = start + info->dlpi_phdr[i].p_memsz > own_end ? start + info->dlpi_phdr[i].p_memsz : own_end;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAIL_ALLOC");
    dl_iterate_phdr(find_library, getenv("FAIL_ALLOC_IN"));
    if (own_end == 0)
        return;
    fail_at = text ? strtoul(text, NULL, 10) : 0;
    int fd =
        getenv("FAIL_ALLOC_FILE") ? open(getenv("FAIL_ALLOC_FILE"), O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd < 0 || ftruncate(fd, sizeof *counts) != 0)
        return;
    void *p = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED) {
        *(struct Counts *)p = *counts;
        counts = p;
    }
    close(fd);
}

static bool from_library(void *caller)
{
    return (uintptr_t)caller >= own_start && (uintptr_t)caller < own_end;
}

static bool fails(void *caller)
{
    return from_library(caller) && __atomic_add_fetch(&counts->calls, 1, __ATOMIC_RELAXED) == fail_at;
}

static size_t slot_of(const void *p)
{
    return ((uintptr_t)p >> 4) * 2654435761u % LIVE_MAX;
}

/* Linear probing without removal marks: a free slot ends no search here, so all are looked at in a small window. */
enum { WINDOW = 64 };

static void *note(void *p, void *caller)
{
    if (!p || !from_library(caller))
        return p;
    for (size_t i = 0, k = slot_of(p); i < WINDOW; i++, k = (k + 1) % LIVE_MAX)
        if (!live[k]) {
            live[k] = p;
            counts->live++;
            return p;
        }
    return p;
}

static void forget_block(const void *p)
{
    for (size_t i = 0, k = slot_of(p); p && i < WINDOW; i++, k = (k + 1) % LIVE_MAX)
        if (live[k] == p) {
            live[k] = NULL;
            counts->live--;
            return;
        }
}

void *malloc(size_t n)
{
    void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : note(__libc_malloc(n), caller);
}

void *calloc(size_t n, size_t size)
{
    void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : note(__libc_calloc(n, size), caller);
}

void *realloc(void *p, size_t n)
{
    void *caller = __builtin_return_address(0);
    if (fails(caller))
        return NULL;
    forget_block(p);
    return note(__libc_realloc(p, n), caller);
}

void free(void *p)
{
    forget_block(p);
    __libc_free(p);
}

char *strdup(const char *text)
{
    void *caller = __builtin_return_address(0);
    char *copy = fails(caller) ? NULL : __libc_malloc(strlen(text) + 1);
    return copy ? strcpy(note(copy, caller), text) : NULL;
}

char *strndup(const char *text, size_t most)
{
    void *caller = __builtin_return_address(0);
    size_t n = strnlen(text, most);
    char *copy = fails(caller) ? NULL : __libc_calloc(n + 1, 1);
    return copy ? memcpy(note(copy, caller), text, n) : NULL;
}

/* The others by a row each: what they return and set errno to when they fail. */
#define WRAP(Type, name, parameters, arguments, failure, error)                                              \
    Type name parameters                                                                                     \
    {                                                                                                        \
        static Type(*real) parameters;                                                                       \
        if (!real)                                                                                           \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                       \
        if (fails(__builtin_return_address(0))) {                                                            \
            errno = error;                                                                                   \
            return failure;                                                                                  \
        }                                                                                                    \
        return real arguments;                                                                               \
    }
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE)
WRAP(int, mprotect, (void *p, size_t n, int prot), (p, n, prot), -1, ENOMEM)
WRAP(int, socketpair, (int domain, int type, int protocol, int fds[2]), (domain, type, protocol, fds), -1, EMFILE)
WRAP(int, ftruncate, (int fd, off_t n), (fd, n), -1, ENOSPC)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
WRAP(FILE *, tmpfile, (void), (), NULL, ENOSPC)
WRAP(pid_t, fork, (void), (), -1, EAGAIN)
WRAP(void *, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at), (p, n, prot, flags, fd, at), MAP_FAILED, ENOMEM)

int posix_memalign(void **p, size_t alignment, size_t n)
{
    void *caller = __builtin_return_address(0);
    if (fails(caller))
        return ENOMEM;
    *p = note(__libc_memalign(alignment, n), caller);
    return *p ? 0 : ENOMEM;
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    va_list args;
    va_start(args, flags);
    int mode = va_arg(args, int);
    va_end(args);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "open");
    if (fails(__builtin_return_address(0))) {
        errno = EMFILE;
        return -1;
    }
    return real(path, flags, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return fails(__builtin_return_address(0)) ? EAGAIN : real(thread, attributes, run, data);
}
