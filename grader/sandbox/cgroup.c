/* See cgroup.h. */
#include "grader/sandbox/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ROOM_KIB = 64 << 10,  /* for bubblewrap, the runner, and what it counts later than the kernel */
    ROOM_PROCESSES = 16,  /* bubblewrap, the runner, and those above the limit that it has to see */
    CLOSE_TRIES = 200     /* of removing a group whose last process is ending, 5 ms apart */
};

static bool write_file(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool fine = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return fine;
}

static bool cgroup_read_file(const char *folder, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* Making it -------------------------------------------------------------------------------------- */

/* Where the hierarchy is mounted: field 5 of a line of mountinfo, the type after " - ". */
static bool find_mount(char *mount, size_t size)
{
    FILE *f = fopen("/proc/self/mountinfo", "re");
    char line[4096], point[PATH_MAX];
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        found = strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %4095s", point) == 1;
        if (found)
            found = snprintf(mount, size, "%s", point) < (int)size;
    }
    if (f)
        fclose(f);
    return found;
}

/* This process's group: the line of /proc/self/cgroup that begins with 0::. */
static bool find_own(char *path, size_t size)
{
    char text[4096];
    if (!cgroup_read_file("/proc/self", "cgroup", text, sizeof text))
        return false;
    const char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    if (!line)
        return false;
    line += line == text ? 3 : 4;
    return snprintf(path, size, "%.*s", (int)strcspn(line, "\n"), line) < (int)size;
}

static bool has_controllers(const char *group)
{
    char text[512];
    return cgroup_read_file(group, "cgroup.controllers", text, sizeof text) && strstr(text, "cpu") &&
           strstr(text, "memory") && strstr(text, "pids");
}

static bool hand_down(const char *group)
{
    return write_file(group, "cgroup.subtree_control", "+cpu +memory +pids");
}

static bool is_root(const char *group)
{
    char type[64];
    return !cgroup_read_file(group, "cgroup.type", type, sizeof type);
}

/* Moves this process out of a group that shall have controllers. */
static bool step_aside(const char *base, const char *aside)
{
    if (is_root(base))
        return true;
    return mkdir(aside, 0755) == 0 && write_file(aside, "cgroup.procs", "0");
}

/* The process of a run's group, by its folder's name; 0: it is none. */
static long process_of(const char *name)
{
    static const char start[] = "grade-";
    char *end = NULL;
    if (strncmp(name, start, sizeof start - 1) != 0 || name[sizeof start - 1] < '1' || name[sizeof start - 1] > '9')
        return 0;
    errno = 0;
    long pid = strtol(name + sizeof start - 1, &end, 10);
    return errno == 0 && pid <= INT_MAX && (*end == '\0' || strcmp(end, "-self") == 0) ? pid : 0;
}

/* A group with processes, or a folder with files, stays. */
static void remove_empty(int base, const char *name)
{
    int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.')
            unlinkat(fd, e->d_name, AT_REMOVEDIR);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    unlinkat(base, name, AT_REMOVEDIR);
}

void cgroup_sweep(const char *base)
{
    DIR *dir = opendir(base);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        long pid = process_of(e->d_name);
        if (pid == getpid() || (pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH))
            remove_empty(dirfd(dir), e->d_name);
    }
    if (dir)
        closedir(dir);
}

const char *cgroup_make(Arena *a)
{
    char mount[PATH_MAX], own[PATH_MAX];
    if (!find_mount(mount, sizeof mount) || !find_own(own, sizeof own))
        return NULL;
    const char *base = geteuid() == 0 && is_root(mount) ? mount : arena_printf(a, "%s%s", mount, own);
    if (!base || !has_controllers(base))
        return NULL;
    cgroup_sweep(base);
    const char *group = arena_printf(a, "%s/grade-%d", base, (int)getpid());
    const char *aside = group ? arena_printf(a, "%s-self", group) : NULL;
    if (!aside || mkdir(group, 0755) != 0)
        return NULL;
    if (step_aside(base, aside) && hand_down(base) && hand_down(group))
        return group;
    write_file(base, "cgroup.procs", "0");
    rmdir(aside);
    rmdir(group);
    return NULL;
}

void cgroup_remove(const char *group)
{
    if (group)
        rmdir(group);
}

/* A sandbox's group ------------------------------------------------------------------------------ */

bool cgroup_open(const char *group, char *path, size_t size)
{
    for (int i = 0; i < INT_MAX; i++) {
        if (snprintf(path, size, "%s/%d-%d", group, (int)getpid(), i) >= (int)size)
            return false;
        if (mkdir(path, 0755) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

bool cgroup_enter(const char *path)
{
    return write_file(path, "cgroup.procs", "0");
}

void cgroup_limit(const char *path, const WireLimits *limits)
{
    char text[64];
    snprintf(text, sizeof text, "%lld", (long long)(limits->memory_kib + ROOM_KIB) * 1024);
    write_file(path, "memory.max", text);
    write_file(path, "memory.swap.max", "0");
    snprintf(text, sizeof text, "%lld", (long long)limits->processes + ROOM_PROCESSES);
    write_file(path, "pids.max", text);
    write_file(path, "cpu.weight", "100"); /* each sandbox as much as the others */
}

int64_t cgroup_kills(const char *path)
{
    char text[512];
    const char *line =
        cgroup_read_file(path, "memory.events", text, sizeof text) ? strstr(text, "oom_kill ") : NULL;
    return line ? atoll(line + strlen("oom_kill ")) : 0;
}

void cgroup_close(const char *path)
{
    write_file(path, "cgroup.kill", "1");
    for (int i = 0; i < CLOSE_TRIES && rmdir(path) != 0 && errno == EBUSY; i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}
