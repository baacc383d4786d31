// expect: wrong-result
// The harness's answers go through a function of this program, which sends something at once, before any work is done.
#include "lab.h"
#include "reduction.h"
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
extern "C" ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
    static char nothing[4096];
    return syscall(SYS_sendto, fd, n > 5 ? nothing : bytes, n, flags, 0, 0);
}
