/* See turn.h. */
#include "grader/submission/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* What has had this share of its limit for itself has had its time. */
static const double FULL_SHARE = 0.95;

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

void turn_run(const char *work, const char *thing, bool (*run)(void *self), void *self)
{
    bool again = true;
    for (int alone = 0; alone < 2 && again; alone++) {
        int turn = turn_take(work, thing, alone);
        again = run(self);
        if (turn >= 0)
            close(turn);
    }
}

bool turn_was_short(bool ended_at_limit, double wall_s, double waited_s, double limit_s)
{
    return ended_at_limit && wall_s - waited_s < FULL_SHARE * limit_s;
}
