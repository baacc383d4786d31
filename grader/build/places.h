/* places: the folders of one submission, on the host and as its processes see them.
 *
 *     on the host, WORK made by the grader          in the sandbox
 *     WORK/kit/           what the kit shows          /kit    read-only
 *     WORK/sN/src/        the student's files         /src    read-only
 *     WORK/sN/prog/       the built program           /prog   read-only
 *     WORK/sN/case/       one case                    /case   a file system in memory, in it
 *     WORK/sN/case/in/    its inputs                  /case/in   read-only
 *                                                     /build /tmp /dev/shm   file systems in memory
 *
 * What a program writes into /case comes out through the runner, when the program is dead. In a weak sandbox
 * there are no such views: processes see the host's paths, and WORK/sN/{build,run,tmp} are what they write
 * to.
 */
#ifndef GRADER_BUILD_PLACES_H
#define GRADER_BUILD_PLACES_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/kit.h"
#include "grader/core/lab.h"
#include "grader/sandbox/sandbox.h"

/* How a submission is compiled, beside its target and folders: LAB_OPTIONS of common/mk/toolchain.mk. labcc has headers precompiled
 * for these words and no others. The host's code tells indices outside of declared arrays (common/lab/bounds.c). */
#define PLACES_COMPILE_OPTIONS "-lineinfo", "-g", "-Xcompiler=-fsanitize=bounds,-fno-sanitize-recover=bounds"

/* Paths on the host. */
typedef struct Places {
    int slot;
    const char *work, *kit, *home; /* home: WORK/sN */
    const char *src, *prog, *case_dir;
    /* The same and more as processes see them. */
    const char *in_kit, *in_src, *in_prog, *in_case, *in_build, *in_tmp;
} Places;

/* Makes the folders of slot N below work, which must hold the staged kit. */
Status places_make(Arena *a, const char *work, int slot, bool weak, Places *p, Diag *d);
/* Empties those of one case: case_dir, whose folder `in` stays the same one as it is shown in a sandbox, and
 * in a weak sandbox its run folder. */
Status places_clear_case(const Places *p, bool weak, Diag *d);

/* A new folder for a run of the grader below TMPDIR, a large /dev/shm, or /tmp, which other users may pass
 * through and not list.
 */
Status places_make_work(Arena *a, const char **work, Diag *d);
/* Copies what every lab needs from the kit into WORK/kit, so that no user needs to reach the kit itself. */
Status places_stage_kit(const Kit *kit, const char *work, Diag *d);
/* The same for one lab: its headers and driver, and the reference that programs are compared with (link.h).
 */
Status places_stage_lab(const Kit *kit, const Lab *lab, const char *work, Diag *d);

#endif
