/* link: the one link line, for submissions in their sandbox and for the reference that they are compared
 * with.
 *
 * The reference is what the same line makes of the lab's driver and library alone. It is never started: from
 * it the interpreter, libraries and flags of a right program are known (elf_judge.h), whatever the machine's
 * linker and toolkit are.
 */
#ifndef GRADER_BUILD_LINK_H
#define GRADER_BUILD_LINK_H

#include "common/base/arena.h"
#include "common/base/status.h"
#include "grader/core/kit.h"
#include "grader/core/lab.h"

/* The reference's name in WORK/kit/labs/LAB. */
#define LINK_REFERENCE "reference"

typedef struct LinkLine {
    CompilerKind compiler;
    const char *kit_folder, *cuda_home; /* as the linker sees them */
    const Lab *lab;
    const char *const *objects;
    size_t n_objects;
    const char *program; /* what it writes */
    bool reference;
} LinkLine;

/* The command and its arguments, NULL-terminated; NULL without memory. */
const char *const *link_arguments(Arena *a, const LinkLine *line);
/* Links the lab's reference, outside of any sandbox, of the kit's own files in WORK/kit. */
Status link_reference(const Kit *kit, const Lab *lab, const char *work, Diag *d);

#endif
