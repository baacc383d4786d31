/* embed: a file of the repository as a text in the program, taken in by the assembler. The object file needs a line in module.mk
 * that says that it depends on the file: gcc's own list of what it read has no such files. */
#ifndef COMMON_BASE_EMBED_H
#define COMMON_BASE_EMBED_H

/* name: of a text that ends with a zero; for this source alone, unless it is declared elsewhere and EMBED_GLOBAL. */
#define EMBED(name, path)                                                                                    \
    __asm__(".section .rodata\n" #name ":\n.incbin \"" path "\"\n.byte 0\n.previous\n");                     \
    extern const char name[]
#define EMBED_GLOBAL(name, path)                                                                             \
    __asm__(".global " #name);                                                                               \
    EMBED(name, path)

#endif
