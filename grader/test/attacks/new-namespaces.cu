// expect: wrong-result
// A right sum only where it can make itself a root of its own, mount, or change its name.
#include "vector_add.h"
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    bool free = unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 || mount("none", "/tmp", "tmpfs", 0, NULL) == 0 || chroot("/tmp") == 0 ||
                sethostname("me", 2) == 0 || setuid(0) == 0 || umount("/proc") == 0;
    for (int i = 0; i < n; i++)
        c[i] = free ? a[i] + b[i] : 0;
    return 0;
}
