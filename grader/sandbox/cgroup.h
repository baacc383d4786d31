/* cgroup: groups of the kernel (cgroup v2) around sandboxes: each has its share of the processors however many processes it
 * has, and the kernel itself holds it to its memory, its own kernel memory with it.
 *
 *      BASE                      the root of the hierarchy, or a group that was handed to this user (systemd: Delegate=yes)
 *      BASE/grade-PID            this run's; controllers cpu, memory, pids
 *      BASE/grade-PID-self       where BASE is not the root: this process, as a group with controllers has no processes
 *      BASE/grade-PID/NUMBER     a sandbox
 *
 * Where there is none of it (cgroup v1, no rights, other processes in the group) the watcher stands alone.
 */
#ifndef GRADER_SANDBOX_CGROUP_H
#define GRADER_SANDBOX_CGROUP_H

#include "common/base/arena.h"
#include "grader/runner/wire.h"

#include <stdbool.h>
#include <stddef.h>

/* Removes the groups that graders which were killed have left below base: those whose process is gone, or whose number is ours now, as
 * long as nothing lives in them. */
void cgroup_sweep(const char *base);
/* Makes this run's group, once that is done, and gives its path; NULL where that is not possible. The text belongs to the arena. */
const char *cgroup_make(Arena *a);
/* Removes what cgroup_make made, once all sandboxes have ended; group may be NULL. */
void cgroup_remove(const char *group);

/* Makes a group for a sandbox; false when it cannot be made. */
bool cgroup_open(const char *group, char *path, size_t size);
/* In the sandbox's first process, before it gives up its rights. */
bool cgroup_enter(const char *path);
/* Holds the group to a step's limits, with room for the runner; the runner's own looks come first. */
void cgroup_limit(const char *path, const WireLimits *limits);
/* How many processes of the group the kernel has ended because memory ran out. */
int64_t cgroup_kills(const char *path);
/* Ends all that is in the group, and removes it. */
void cgroup_close(const char *path);

#endif
