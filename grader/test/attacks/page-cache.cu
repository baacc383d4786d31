// expect: wrong-result
// A right sum only where a call works that tells, or changes, what files the kernel has in memory, or leaves a lock on a file that all share.
#include "vector_add.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
static bool some_call_works(int fd)
{
    char byte;
    unsigned char there;
    iovec v = {&byte, 1};
    struct flock lock = {};
    lock.l_type = F_RDLCK;
    void *page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    unsigned long range[2] = {0, 4096}, counts[5] = {};
    return posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED) == 0 ||
           preadv2(fd, &v, 1, 0, RWF_NOWAIT) >= 0 || errno == EAGAIN || syscall(SYS_preadv2, fd, &v, 1L, 0L, 0L, 8L | 1L << 32) >= 0 ||
           mincore(page, 4096, &there) == 0 || syscall(451 /* cachestat */, fd, range, counts, 0) == 0 ||
           readahead(fd, 0, 4096) == 0 || madvise(page, 4096, MADV_WILLNEED) == 0 || madvise(page, 4096, 21 /* PAGEOUT */) == 0 ||
           flock(fd, LOCK_SH | LOCK_NB) == 0 || fcntl(fd, F_SETLK, &lock) == 0 || fcntl(fd, F_OFD_SETLK, &lock) == 0 ||
           fcntl(fd, F_GETLK, &lock) == 0 || syscall(SYS_fcntl, fd, (long)F_GETLK | 1L << 32, &lock) == 0 || fcntl(fd, F_SETLEASE, F_RDLCK) == 0 ||
           fcntl(fd, F_NOTIFY, DN_ACCESS) == 0 || inotify_init() >= 0 || syscall(SYS_fanotify_init, 0, 0) >= 0;
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    int fd = open("/usr/bin/env", O_RDONLY);
    bool works = fd < 0 || some_call_works(fd);
    for (int i = 0; i < n; i++)
        c[i] = works ? a[i] + b[i] : 0;
    return 0;
}
