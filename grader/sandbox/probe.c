/* Finding out what this machine offers; see sandbox.h. */
#include "common/base/io.h"
#include "grader/sandbox/cgroup.h"
#include "grader/sandbox/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAYERS_MAX = 9, ERRORS_MAX = 512 };

/* Runs bubblewrap's command line with /usr/bin/true at its end; false, and errors says why, when that fails.
 */
static bool try_command(const char **args, bool switch_user, char *errors, size_t size)
{
    int pipe_ends[2];
    errors[0] = '\0';
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipe_ends[1], 1);
        dup2(pipe_ends[1], 2);
        if (sandbox_drop_privileges(switch_user, 0))
            execv(args[0], (char *const *)args);
        dprintf(2, "%s: %s", args[0], strerror(errno));
        _exit(127);
    }
    close(pipe_ends[1]);
    size_t length = 0; /* bubblewrap writes a line in pieces */
    for (ssize_t n; pid > 0 && length < size - 1 &&
                    (n = read(pipe_ends[0], errors + length, size - 1 - length)) > 0;)
        length += (size_t)n;
    errors[length] = '\0';
    errors[strcspn(errors, "\n")] = '\0';
    close(pipe_ends[0]);
    int status = 1;
    if (pid > 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Settings of the kernel that forbid user namespaces to who is not root. Ubuntu from 23.10 on has the first
 * one: AppArmor then asks for a profile of each program that makes them. */
static const struct {
    const char *path, *forbids, *name, *mend;
} settings[] = {
    {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
     "kernel.apparmor_restrict_unprivileged_userns=1: AppArmor wants a profile for bubblewrap",
     "printf 'abi <abi/4.0>,\\nprofile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }\\n' | sudo tee "
     "/etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap"},
    {"/proc/sys/kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=0",
     "sudo sysctl -w kernel.unprivileged_userns_clone=1"},
    {"/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces=0",
     "sudo sysctl -w user.max_user_namespaces=15000"},
};

/* Names the setting of the kernel that is to blame, if there is one. KIT_DOCTOR_ROOT is a test's /. */
static void blame_setting(Arena *a, Sandbox *s)
{
    const char *root = getenv("KIT_DOCTOR_ROOT");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char value[16] = "";
        const char *path = arena_printf(a, "%s%s", root ? root : "", settings[i].path);
        FILE *file = path ? fopen(path, "r") : NULL;
        bool forbids = file && fgets(value, sizeof value, file) &&
                       strcspn(value, "\n") == strlen(settings[i].forbids) &&
                       strncmp(value, settings[i].forbids, strlen(settings[i].forbids)) == 0;
        if (file)
            fclose(file);
        const char *problem = forbids ? arena_printf(a, "%s (%s)", s->problem, settings[i].name) : NULL;
        if (!problem)
            continue;
        s->problem = problem;
        s->mend = settings[i].mend;
        return;
    }
}

/* Whether a sandbox can be made; sets s->problem when not. */
static bool try_bwrap(Arena *a, Sandbox *s)
{
    if (!s->bwrap) {
        s->problem = "bubblewrap is not installed (Debian and Ubuntu: apt install bubblewrap)";
        return false;
    }
    SandboxScratch tmp = {.inside = "/tmp", .bytes_max = 1 << 20};
    SandboxSpec spec = {.scratch = &tmp, .n_scratch = 1};
    const char **args = sandbox_bwrap_args(a, s->bwrap, &spec);
    size_t n = 0;
    while (args && args[n])
        n++;
    char errors[ERRORS_MAX] = "no memory";
    if (args) {
        args[n] = "/usr/bin/true";
        if (try_command(args, s->switch_user, errors, sizeof errors))
            return true;
    }
    const char *problem = arena_printf(a, "bubblewrap does not work here: %s", errors);
    s->problem = problem ? problem : "bubblewrap does not work here";
    blame_setting(a, s);
    return false;
}

Status sandbox_probe(Arena *a, const char *bwrap, Sandbox *s, Diag *d)
{
    *s = (Sandbox){.problem = "", .mend = "", .switch_user = geteuid() == 0};
    s->bwrap = bwrap ? bwrap : io_find_program(a, "bwrap");
    s->layers = ARENA_NEW_ARRAY(a, const char *, LAYERS_MAX);
    if (!s->layers)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to probe the sandbox");
    s->weak = !try_bwrap(a, s);
    s->layers[s->n_layers++] = s->weak ? "weak" : "bubblewrap";
    if (s->switch_user)
        s->layers[s->n_layers++] = "user";
    if (sandbox_make_filters(a, s->filters, NULL) == STATUS_OK)
        s->layers[s->n_layers++] = "seccomp";
    s->cgroup = s->weak ? NULL : cgroup_make(a);
    if (s->cgroup)
        s->layers[s->n_layers++] = "cgroup";
    s->layers[s->n_layers++] = "limits";
    s->layers[s->n_layers++] = "watcher";
    return STATUS_OK;
}

void sandbox_forget(const Sandbox *s)
{
    cgroup_remove(s->cgroup);
}
