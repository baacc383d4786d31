/* remote_internal: what the files of the server's side share. */
#ifndef COMMON_VGPU_REMOTE_REMOTE_INTERNAL_H
#define COMMON_VGPU_REMOTE_REMOTE_INTERNAL_H

#include <stdbool.h>

/* From now on this process may compute, write to what it has open, talk to its client, and end (confine.c).
 */
bool confine_this_process(void);

#endif
