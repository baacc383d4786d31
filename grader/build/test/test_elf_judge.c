/* The headers of a program: this test's own, and what becomes of it when one field is another. */
#include "grader/build/elf_judge.h"
#include "grader/core/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Arena arena;
static char *own; /* the bytes of this program */
static size_t own_length;

static int set_up(void **state)
{
    (void)state;
    return file_read(&arena, "/proc/self/exe", (size_t)256 << 20, &own, &own_length, NULL) == STATUS_OK ? 0
                                                                                                        : -1;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* A copy of this program, to be changed. */
typedef struct Copy {
    char *bytes;
    Elf64_Ehdr *header;
    Elf64_Phdr *segments;
} Copy;

static Copy copy_own(void)
{
    Copy c = {.bytes = malloc(own_length)};
    assert_non_null(c.bytes);
    memcpy(c.bytes, own, own_length);
    c.header = (Elf64_Ehdr *)c.bytes;
    c.segments = (Elf64_Phdr *)(c.bytes + c.header->e_phoff);
    return c;
}

/* The n-th segment of a type. */
static Elf64_Phdr *segment(const Copy *c, uint32_t type, int n)
{
    for (size_t i = 0; i < c->header->e_phnum; i++)
        if (c->segments[i].p_type == type && n-- == 0)
            return &c->segments[i];
    fail_msg("this program has no segment of the type 0x%x", type);
    return NULL;
}

static Elf64_Dyn *entry(const Copy *c, int64_t tag)
{
    Elf64_Dyn *e = (Elf64_Dyn *)(c->bytes + segment(c, PT_DYNAMIC, 0)->p_offset);
    while (e->d_tag != tag && e->d_tag != DT_NULL)
        e++;
    assert_int_equal(tag, e->d_tag);
    return e;
}

static char *interpreter(const Copy *c)
{
    return c->bytes + segment(c, PT_INTERP, 0)->p_offset;
}

static char *first_library(const Copy *c)
{
    Elf64_Phdr *load = segment(c, PT_LOAD, 0); /* the table of names stands in the first */
    return c->bytes + load->p_offset + (entry(c, DT_STRTAB)->d_un.d_val - load->p_vaddr) +
           entry(c, DT_NEEDED)->d_un.d_val;
}

/* X(name, what is changed in the copy `c`, a part of the sentence) */
#define CHANGES                                                                                              \
    X(magic, c.bytes[1] = 'F', "no 64-bit ELF program")                                                      \
    X(class_32, c.bytes[EI_CLASS] = ELFCLASS32, "no 64-bit ELF program")                                     \
    X(big_endian, c.bytes[EI_DATA] = ELFDATA2MSB, "no 64-bit ELF program")                                   \
    X(system, c.bytes[EI_OSABI] = ELFOSABI_FREEBSD, "no 64-bit ELF program")                                 \
    X(object, c.header->e_type = ET_REL, "is no executable")                                                 \
    X(core, c.header->e_type = ET_CORE, "is no executable")                                                  \
    X(other_machine, c.header->e_machine = EM_RISCV, "another machine")                                      \
    X(header_size, c.header->e_phentsize = 32, "odd sizes")                                                  \
    X(no_segments, c.header->e_phnum = 0, "0 program headers")                                               \
    X(many_segments, c.header->e_phnum = ELF_SEGMENTS_MAX + 1, "65 program headers")                         \
    X(headers_outside, c.header->e_phoff = own_length - 8, "not in the file")                                \
    X(headers_far, c.header->e_phoff = UINT64_MAX - 8, "not in the file")                                    \
    X(sections_outside, c.header->e_shoff = own_length - 8, "table of sections")                             \
    X(section_outside, ((Elf64_Shdr *)(c.bytes + c.header->e_shoff))[1].sh_size = UINT64_MAX, "section 1")   \
    X(section_names, c.header->e_shstrndx = c.header->e_shnum, "table of sections")                          \
    X(entry_in_data, c.header->e_entry = segment(&c, PT_DYNAMIC, 0)->p_vaddr, "begin in code")               \
    X(entry_nowhere, c.header->e_entry = (uint64_t)1 << 40, "begin in code")                                 \
    X(unknown_type, segment(&c, PT_NOTE, 0)->p_type = 0x65a3dbe6, "unknown type 0x65a3dbe6")                 \
    X(two_interpreters, segment(&c, PT_NOTE, 0)->p_type = PT_INTERP, "2 segments of the type INTERP")        \
    X(no_interpreter, segment(&c, PT_INTERP, 0)->p_type = PT_NOTE, "no segment of the type INTERP")          \
    X(no_stack, segment(&c, PT_GNU_STACK, 0)->p_type = PT_NOTE, "no segment of the type GNU_STACK")          \
    X(stack, segment(&c, PT_GNU_STACK, 0)->p_flags |= PF_X, "its stack is executable")                       \
    X(writable_code, segment(&c, PT_LOAD, 1)->p_flags |= PF_W | PF_X, "both writable and executable")        \
    X(unknown_flags, segment(&c, PT_LOAD, 1)->p_flags |= 8, "unknown flags")                                 \
    X(unreadable, segment(&c, PT_LOAD, 1)->p_flags &= ~(uint32_t)PF_R, "cannot be loaded")                   \
    X(outside, segment(&c, PT_LOAD, 1)->p_offset = own_length, "not in the file")                            \
    X(file_size, segment(&c, PT_LOAD, 1)->p_filesz = UINT64_MAX, "not in the file")                          \
    X(less_memory, segment(&c, PT_LOAD, 1)->p_memsz = 1, "odd size")                                         \
    X(much_memory, segment(&c, PT_LOAD, 1)->p_memsz = UINT64_MAX, "odd size")                                \
    X(beyond, segment(&c, PT_LOAD, 1)->p_vaddr = (uint64_t)1 << 47, "odd size")                              \
    X(alignment, segment(&c, PT_LOAD, 1)->p_align = 3, "odd alignment 0x3")                                  \
    X(far_alignment, segment(&c, PT_LOAD, 1)->p_align = (uint64_t)1 << 46, "odd alignment 0x400000000000")   \
    X(off_page, segment(&c, PT_LOAD, 1)->p_vaddr += 8, "cannot be loaded")                                   \
    X(overlap, segment(&c, PT_LOAD, 1)->p_vaddr = segment(&c, PT_LOAD, 0)->p_vaddr, "overlap")               \
    X(dynamic_elsewhere, segment(&c, PT_DYNAMIC, 0)->p_vaddr += 16, "not where it is loaded")                \
    X(interp_elsewhere, segment(&c, PT_INTERP, 0)->p_offset += 1, "not where it is loaded")                  \
    X(relro, segment(&c, PT_GNU_RELRO, 0)->p_memsz = (uint64_t)1 << 40, "larger than what is loaded")        \
    X(phdr_size, segment(&c, PT_PHDR, 0)->p_filesz -= 56, "where they are said to be")                       \
    X(no_path, segment(&c, PT_INTERP, 0)->p_filesz -= 1, "no path")                                          \
    X(short_path, interpreter(&c)[3] = '\0', "no path")                                                      \
    X(other_path, interpreter(&c)[3] = '!', "its interpreter (section .interp) is '/li!")                    \
    X(unknown_tag, entry(&c, DT_DEBUG)->d_tag = 0x60000123, "of the kind 0x60000123")                        \
    X(auditor, entry(&c, DT_DEBUG)->d_tag = DT_AUDIT, "of the kind AUDIT")                                   \
    X(filter, entry(&c, DT_DEBUG)->d_tag = DT_FILTER, "of the kind FILTER")                                  \
    X(preinit, entry(&c, DT_DEBUG)->d_tag = DT_PREINIT_ARRAY, "of the kind PREINIT_ARRAY")                   \
    X(relocated_code, entry(&c, DT_DEBUG)->d_tag = DT_TEXTREL, "of the kind TEXTREL")                        \
    X(twice, entry(&c, DT_DEBUG)->d_tag = DT_SYMTAB, "two entries of the kind SYMTAB")                       \
    X(run_path, *entry(&c, DT_DEBUG) = ((Elf64_Dyn){DT_RUNPATH, {1}}), "looks for libraries in")             \
    X(run_path_far, *entry(&c, DT_DEBUG) = ((Elf64_Dyn){DT_RUNPATH, {1 << 30}}), "have no names")            \
    X(flags, *entry(&c, DT_DEBUG) = ((Elf64_Dyn){DT_FLAGS, {DF_SYMBOLIC}}), "other flags")                   \
    X(no_names, entry(&c, DT_STRSZ)->d_un.d_val = UINT64_MAX, "STRTAB of its dynamic section")               \
    X(symbols, entry(&c, DT_SYMTAB)->d_un.d_val = (uint64_t)1 << 40, "SYMTAB of its dynamic section")        \
    X(init_array, entry(&c, DT_INIT_ARRAYSZ)->d_un.d_val = (uint64_t)1 << 40, "INIT_ARRAY of its")           \
    X(half_a_pair, entry(&c, DT_INIT_ARRAYSZ)->d_tag = DT_BIND_NOW, "only one of INIT_ARRAY and")            \
    X(library_far, entry(&c, DT_NEEDED)->d_un.d_val = (uint64_t)1 << 40, "has no name")                      \
    X(other_library, first_library(&c)[3] = '!', "needs the library 'lib!")                                  \
    X(no_end, segment(&c, PT_DYNAMIC, 0)->p_filesz = 48, "has no end")                                       \
    X(emptied, entry(&c, DT_NEEDED)->d_tag = DT_NULL, "has no symbols")

typedef struct Change {
    const char *name, *says;
    void (*make)(Copy c);
} Change;

#define X(name, change, says)                                                                                \
    static void change_##name(Copy c)                                                                        \
    {                                                                                                        \
        change;                                                                                              \
    }
CHANGES
#undef X

static const Change changes[] = {
#define X(name, change, says) {#name, says, change_##name},
    CHANGES
#undef X
};

static void test_own(void **state)
{
    (void)state;
    ElfProgram p;
    char why[ELF_WHY_BYTES] = "";
    if (!elf_read(own, own_length, &p, why) || !elf_fits(&p, &p, why))
        fail_msg("%s", why);
    assert_true(strncmp(p.interpreter, "/lib", 4) == 0);
    assert_true(p.n_needed > 1);
}

static void test_changes(void **state)
{
    (void)state;
    ElfProgram p, reference;
    char why[ELF_WHY_BYTES] = "";
    assert_true(elf_read(own, own_length, &reference, why));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        Copy c = copy_own();
        changes[i].make(c);
        if (elf_read(c.bytes, own_length, &p, why) && elf_fits(&p, &reference, why))
            fail_msg("%s: was taken", changes[i].name);
        if (!strstr(why, changes[i].says))
            fail_msg("%s: wanted '%s' in '%s'", changes[i].name, changes[i].says, why);
        free(c.bytes);
    }
}

/* Cut anywhere, it is refused or read within what is left. */
static void test_cut(void **state)
{
    (void)state;
    ElfProgram p;
    char why[ELF_WHY_BYTES];
    for (size_t length = 0; length < own_length; length += length < 4096 ? 1 : 4093) {
        char *bytes = malloc(length + 1);
        memcpy(bytes, own, length);
        assert_false(elf_read(bytes, length, &p, why));
        free(bytes);
    }
}

static void test_files(void **state)
{
    (void)state;
    Diag d;
    char why[ELF_WHY_BYTES], self[4096];
    assert_non_null(realpath("/proc/self/exe", self));
    assert_int_equal(STATUS_OK, elf_judge(self, self, why, &d));
    assert_string_equal("", why);
    assert_int_equal(STATUS_OK, elf_judge("/etc/passwd", self, why, &d));
    assert_non_null(strstr(why, "no 64-bit ELF program"));
    assert_int_equal(STATUS_INVALID, elf_judge(self, "/etc/passwd", why, &d));
    assert_int_equal(STATUS_IO, elf_judge(self, "/nothing", why, &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
