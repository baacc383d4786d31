/* elf_judge: what the linker made of a submission, judged before it is started.
 *
 * A line of inline assembler can write into any section of the program: its interpreter, its list of
 * libraries, the stack's permissions. Then the kernel or the dynamic loader refuses the program, or does
 * something else first. So the headers that those two read are read here, and compared with those of a
 * reference that the same link line makes of the kit's own objects (link.c).
 *
 *     header            64 bit, little endian; type and machine are the reference's; it begins in code
 *     segments          known types, once each but LOAD and NOTE; in the file; loaded ones in order, apart,
 *                       none both writable and executable; the others within loaded ones; no executable stack
 *     interpreter       the reference's
 *     dynamic section   entries of elf_tags.def; libraries are among the reference's; RPATH, RUNPATH and flags
 *                       are the reference's
 *     sections          in the file (debuggers read them)
 *
 * The bytes are hostile: nothing is read outside of them, and no count in them is believed. What code does
 * once it runs is not looked at.
 */
#ifndef GRADER_BUILD_ELF_JUDGE_H
#define GRADER_BUILD_ELF_JUDGE_H

#include "common/base/status.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_SEGMENTS_MAX = 64, ELF_NEEDED_MAX = 64, ELF_TEXT_MAX = 4096, ELF_WHY_BYTES = 512 };

/* The headers of a program. Texts point into its bytes, and end in them. */
typedef struct ElfProgram {
    const unsigned char *bytes;
    size_t length;
    Elf64_Ehdr header;
    Elf64_Phdr segments[ELF_SEGMENTS_MAX];
    size_t n_segments;
    const char *interpreter;
    const char *needed[ELF_NEEDED_MAX];
    size_t n_needed;
    const char *rpath, *runpath; /* "" for none */
    uint64_t flags, flags_1;
} ElfProgram;

/* Reads and checks the headers; false, and `why` is a sentence about the program ("it has ..."), where one is
 * not as the linker makes it. The sentence may quote the program, and is not cleaned. */
bool elf_read(const void *bytes, size_t length, ElfProgram *p, char why[ELF_WHY_BYTES]);
/* Whether a program that was read has the reference's interpreter, libraries and flags; else why not. */
bool elf_fits(const ElfProgram *p, const ElfProgram *reference, char why[ELF_WHY_BYTES]);

/* Both, of files; `why` is "" when the program is right. Not OK when a file cannot be opened, or when the
 * reference itself is wrong. */
Status elf_judge(const char *program, const char *reference, char why[ELF_WHY_BYTES], Diag *d);

#endif
