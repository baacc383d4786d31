/* Giving up privileges for good, before bubblewrap starts; see sandbox.h. */
#include "grader/sandbox/sandbox_internal.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Empties the bounding set, so that no file can give a capability back. */
static bool drop_bounding_set(void)
{
    for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
            return false;
    return true;
}

static bool drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &header, none) == 0;
}

bool sandbox_drop_privileges(bool switch_user, int slot)
{
    if (switch_user) {
        uid_t id = sandbox_user(slot);
        if (!drop_bounding_set() || setgroups(0, NULL) != 0 || setresgid(id, id, id) != 0 ||
            setresuid(id, id, id) != 0)
            return false;
    }
    return drop_capabilities() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}
