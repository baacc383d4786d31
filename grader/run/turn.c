/* See turn.h. */
#include "grader/run/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static int lock_file(const char *work, const char *thing, const char *ending, int operation)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.%s", work, thing, ending);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (fd >= 0 && flock(fd, operation) != 0 && errno == EINTR)
        ;
    return fd;
}

int turn_take(const char *work, const char *thing, bool alone)
{
    int queue = lock_file(work, thing, "queue", LOCK_EX);
    int turn = lock_file(work, thing, "turn", alone ? LOCK_EX : LOCK_SH);
    if (queue >= 0)
        close(queue);
    return turn;
}
