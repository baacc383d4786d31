/* Target elf: any bytes as the program that a linker made. What is understood ends within the bytes, and a
 * program fits itself, where it needs the C library and each library once. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/build/elf_judge.h"

#include <stdlib.h>
#include <string.h>

static void check_text(const ElfProgram *p, const char *text)
{
    const char *bytes = (const char *)p->bytes;
    bool inside = text >= bytes && text < bytes + p->length;
    if (inside ? !memchr(text, '\0', p->length - (size_t)(text - bytes)) : text[0] != '\0')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ElfProgram p;
    char why[ELF_WHY_BYTES];
    uint8_t *copy = malloc(size + 1); /* aligned, and its end is where the bytes end */
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    copy = realloc(copy, size ? size : 1);
    if (elf_read(copy, size, &p, why)) {
        check_text(&p, p.interpreter);
        check_text(&p, p.rpath);
        check_text(&p, p.runpath);
        for (size_t i = 0; i < p.n_needed; i++)
            check_text(&p, p.needed[i]);
        if (why[0])
            abort();
        elf_fits(&p, &p, why);
    } else if (!why[0]) {
        abort();
    }
    free(copy);
    return 0;
}
