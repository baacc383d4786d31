/* relocatable: objects whose device code calls that of other objects (-rdc=true).
 *
 * Of each such object clang makes a constructor that calls __cudaRegisterLinkedBinary_<module>(register,
 * wrapper, name, remember), which a device link is to define. Ours defines them all: the last of them that is
 * called registers one fat binary, whose wrapper (version 2) lists the containers of all, and then what each
 * object has. The runtime hands the PTX of all containers to the device as one module.
 */
#include "common/base/strbuf.h"
#include "common/cuda/driver/driver.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_PREFIX "__cudaRegisterLinkedBinary"

static const char stub_begin[] = "typedef void (*Register)(void **);\n"
                                 "typedef struct Wrapper { unsigned magic, version; const void *container; "
                                 "const void *const *list; } Wrapper;\n"
                                 "void **__cudaRegisterFatBinary(void *);\n"
                                 "void __cudaRegisterFatBinaryEnd(void **);\n"
                                 "void __cudaUnregisterFatBinary(void **);\n"
                                 "int atexit(void (*)(void));\n"
                                 "static Register registers[N];\n"
                                 "static const void *containers[N + 1];\n"
                                 "static Wrapper all = {0x466243b1u, 2, 0, 0};\n"
                                 "static unsigned n;\n"
                                 "static void **handle;\n"
                                 "static void end(void) { __cudaUnregisterFatBinary(handle); }\n"
                                 "static void add(Register reg, const Wrapper *wrapper)\n"
                                 "{\n"
                                 "    registers[n] = reg;\n"
                                 "    containers[n++] = wrapper->container;\n"
                                 "    if (n < N)\n"
                                 "        return;\n"
                                 "    all.container = containers[0];\n"
                                 "    all.list = containers + 1;\n"
                                 "    handle = __cudaRegisterFatBinary(&all);\n"
                                 "    for (unsigned i = 0; i < N; i++)\n"
                                 "        registers[i](handle);\n"
                                 "    __cudaRegisterFatBinaryEnd(handle);\n"
                                 "    atexit(end);\n"
                                 "}\n";

char *relocatable_stub(Arena *a, const char *const *names, size_t n)
{
    StrBuf text = {0};
    strbuf_printf(&text, "enum { N = %zu };\n%s", n, stub_begin);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(
            &text,
            "void %s(Register reg, const Wrapper *wrapper, const void *name, void (*remember)(void *))\n"
            "{\n    (void)name, (void)remember;\n    add(reg, wrapper);\n}\n",
            names[i]);
    return strbuf_keep(&text, a);
}

/* ---- the names ---- */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static Status add_name(Arena *a, Words *names, const char *name, Diag *d)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->items[i], name) == 0)
            return STATUS_OK;
    for (const char *c = name; *c; c++)
        if (!is_name_char(*c) || *c == '.')
            return diag_set(d, STATUS_PARSE, "an object calls %s, which is no name in C", name);
    return words_add(names, arena_strndup(a, name, strlen(name)))
               ? STATUS_OK
               : diag_set(d, STATUS_NO_MEMORY, "no memory for names");
}

/* Undefined symbols of an ELF object whose names begin as they must. */
static Status names_of_object(Arena *a, const uint8_t *bytes, size_t length, Words *names, Diag *d)
{
    Elf64_Ehdr h;
    Status s = STATUS_OK;
    if (length < sizeof h || memcmp(bytes, ELFMAG, SELFMAG) != 0 || bytes[EI_CLASS] != ELFCLASS64)
        return STATUS_OK;
    memcpy(&h, bytes, sizeof h);
    if (h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shoff > length ||
        (size_t)h.e_shnum * sizeof(Elf64_Shdr) > length - h.e_shoff)
        return STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < h.e_shnum; i++) {
        Elf64_Shdr table, strings;
        memcpy(&table, bytes + h.e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= h.e_shnum || table.sh_offset > length ||
            table.sh_size > length - table.sh_offset)
            continue;
        memcpy(&strings, bytes + h.e_shoff + table.sh_link * sizeof strings, sizeof strings);
        if (strings.sh_offset > length || strings.sh_size > length - strings.sh_offset)
            continue;
        const char *texts = (const char *)bytes + strings.sh_offset;
        for (size_t at = 0; s == STATUS_OK && at + sizeof(Elf64_Sym) <= table.sh_size;
             at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, bytes + table.sh_offset + at, sizeof symbol);
            if (symbol.st_shndx != SHN_UNDEF || symbol.st_name >= strings.sh_size ||
                !memchr(texts + symbol.st_name, 0, strings.sh_size - symbol.st_name))
                continue;
            const char *name = texts + symbol.st_name;
            if (strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) == 0)
                s = add_name(a, names, name, d);
        }
    }
    return s;
}

/* The members of an archive, each with its header of 60 bytes; its size in decimals at 48. */
static Status names_of_archive(Arena *a, const uint8_t *bytes, size_t length, Words *names, Diag *d)
{
    enum { MAGIC = 8, HEADER = 60, SIZE_AT = 48, SIZE_BYTES = 10 };
    Status s = STATUS_OK;
    for (size_t at = MAGIC; s == STATUS_OK && at + HEADER <= length;) {
        char digits[SIZE_BYTES + 1] = "";
        unsigned long long size = 0;
        memcpy(digits, bytes + at + SIZE_AT, SIZE_BYTES);
        if (sscanf(digits, "%llu", &size) != 1 || size > length - at - HEADER)
            break;
        uint8_t *member = arena_alloc(a, size + 1); /* aligned as the object's tables need it */
        if (!member)
            return diag_set(d, STATUS_NO_MEMORY, "no memory for an archive");
        memcpy(member, bytes + at + HEADER, size);
        s = names_of_object(a, member, size, names, d);
        at += HEADER + size + size % 2;
    }
    return s;
}

Status relocatable_names(Arena *a, const Words *files, Words *names, Diag *d)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < files->n; i++) {
        int fd = open(files->items[i], O_RDONLY | O_CLOEXEC);
        struct stat st;
        if (fd < 0 || fstat(fd, &st) != 0 || st.st_size == 0) {
            if (fd >= 0)
                close(fd);
            continue; /* the linker says what is wrong with it */
        }
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        close(fd);
        if (bytes == MAP_FAILED)
            return diag_set(d, STATUS_IO, "cannot read %s", files->items[i]);
        s = st.st_size >= 8 && memcmp(bytes, "!<arch>\n", 8) == 0
                ? names_of_archive(a, bytes, (size_t)st.st_size, names, d)
                : names_of_object(a, bytes, (size_t)st.st_size, names, d);
        munmap(bytes, (size_t)st.st_size);
    }
    return s;
}
