/* What the files of the sandbox share. */
#ifndef GRADER_SANDBOX_SANDBOX_INTERNAL_H
#define GRADER_SANDBOX_SANDBOX_INTERNAL_H

#include "grader/sandbox/sandbox.h"

/* filter.c: the seccomp filters, their instructions owned by the arena. STATUS_UNSUPPORTED where the kernel has none;
 * where it fails there are no filters. */
Status sandbox_make_filters(Arena *a, struct sock_fprog filters[SANDBOX_N_FILTERS], Diag *d);

/* bwrap.c: bubblewrap's command line for a spec, NULL-terminated, up to and without the command to run. */
const char **sandbox_bwrap_args(Arena *a, const char *bwrap, const SandboxSpec *spec);

/* user.c: in a forked child: gives up every privilege for good, and becomes the slot's user when switch_user.
 * False when any of it fails. */
bool sandbox_drop_privileges(bool switch_user, int slot);

#endif
