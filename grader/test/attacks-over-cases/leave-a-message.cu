// expect: no-gpu-work
// Leaves a message for the next case wherever it can: files, folders that nobody may enter, attributes, memory, processes. Says
// so and dies when it finds one.
#include "vector_add.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>
enum { ODD_NICENESS = 17 }; // one that nobody starts a grader with
static const char *const folders[] = {"/tmp", "/case", "/dev/shm", "/build"};
static bool there(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}
static bool found_in(const char *folder)
{
    struct stat st;
    char value[8];
    return there(folder, "file") || there(folder, "locked") || there(folder, "link") || stat(folder, &st) != 0 ||
           (st.st_mode & 07777) != 0755 || getxattr(folder, "user.message", value, sizeof value) > 0;
}
static void leave_in(const char *folder)
{
    if (chdir(folder) != 0)
        return;
    fclose(fopen("file", "w"));
    if (symlink("/proc/self/exe", "link") != 0 || mkdir("locked", 0700) != 0)
        return;
    for (int i = 0; i < 300 && mkdir("locked/d", 0700) == 0 && chdir("locked") == 0; i++)
        if (rename("d", "locked") != 0)
            break;
    fclose(fopen("inmost", "w"));
    if (chdir(folder) == 0) {
        chmod("locked", 0);
        setxattr(folder, "user.message", "1", 1, 0);
        chmod(folder, 0711);
    }
}
static int named_socket()
{
    struct sockaddr_un name = {AF_UNIX, "\0message"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return bind(fd, (struct sockaddr *)&name, sizeof name) == 0 && listen(fd, 1) == 0 ? 0 : errno;
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    static bool called; /* some cases call twice */
    const char *found = NULL;
    if (sched_getscheduler(1) != SCHED_OTHER || getpriority(PRIO_PROCESS, 1) == ODD_NICENESS)
        found = "the runner's priority";
    if (named_socket() == EADDRINUSE)
        found = "a process";
    if (shmget(77, 4096, IPC_CREAT | 0600) >= 0 || mq_open("/message", O_RDWR | O_CREAT, 0600, NULL) != (mqd_t)-1)
        found = "memory without a process";
    for (const char *folder : folders)
        if (found_in(folder))
            found = folder;
    if (found && !called) {
        fprintf(stderr, "found: %s\n", found);
        abort();
    }
    for (const char *folder : folders)
        leave_in(folder);
    called = true;
    struct sched_param idle = {0};
    sched_setscheduler(1, SCHED_IDLE, &idle);
    setpriority(PRIO_PROCESS, 1, ODD_NICENESS);
    setpriority(PRIO_USER, 0, ODD_NICENESS);
    if (fork() == 0) { /* a process that keeps the name of the socket */
        setsid();
        for (;;)
            pause();
    }
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
