/* What the rows of syscalls.def name: calls, their arguments, and kinds of command. */
#ifndef GRADER_SANDBOX_SYSCALLS_H
#define GRADER_SANDBOX_SYSCALLS_H

#include "grader/sandbox/sandbox.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* clone() with this bit makes a user namespace, the key to the others. */
#define CLONE_NAMESPACES CLONE_NEWUSER

/* Newer than some headers. */
#ifndef MADV_COLD
#define MADV_COLD 20
#define MADV_PAGEOUT 21
#endif
#ifndef PR_SET_MEMORY_MERGE
#define PR_SET_MEMORY_MERGE 67
#endif
#ifndef __NR_cachestat
#define __NR_cachestat 451
#endif
#ifndef __NR_quotactl_fd
#define __NR_quotactl_fd 443
#define __NR_landlock_create_ruleset 444
#define __NR_memfd_secret 447
#endif
#ifndef __NR_inotify_init
#define __NR_inotify_init (-1) /* arm64 has inotify_init1 alone */
#endif

/* The newest system call that the table was made for: mseal, with one number on all machines. */
enum { NEWEST_CALL = 462 };

/* The kinds of command for which a row holds, as bits. */
enum {
    ISOLATED = 1 << SANDBOX_FILTER_PROGRAM,
    PROGRAM = ISOLATED | 1 << SANDBOX_FILTER_PROGRAM_WITH_DEVICE,
    STUDENT = PROGRAM | 1 << SANDBOX_FILTER_TOOL,
    NO_TOOL = PROGRAM | 1 << SANDBOX_FILTER_KIT,
    ALL = NO_TOOL | STUDENT
};

#endif
