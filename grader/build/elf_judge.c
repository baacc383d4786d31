/* Reading and comparing the headers of a program; see elf_judge.h. */
#include "common/base/page.h"
#include "grader/build/elf_judge.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DYNAMIC_MAX = 256, QUOTED_MAX = 100 };

#define ADDRESS_MAX ((uint64_t)1 << 47) /* of a process */
#define ALIGN_MAX   ((uint64_t)1 << 30)

#ifndef PT_GNU_PROPERTY
#define PT_GNU_PROPERTY 0x6474e553
#endif
#ifndef PT_GNU_SFRAME
#define PT_GNU_SFRAME 0x6474e554
#endif
#ifndef DT_RELRSZ
#define DT_RELRSZ  35
#define DT_RELR    36
#define DT_RELRENT 37
#endif

static bool __attribute__((format(printf, 2, 3))) refuse(char why[ELF_WHY_BYTES], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, ELF_WHY_BYTES, format, args);
    va_end(args);
    return false;
}

/* Whether `size` bytes from `offset` on are among `length`. */
static bool is_within(uint64_t offset, uint64_t size, uint64_t length)
{
    return offset <= length && size <= length - offset;
}

/* The header -------------------------------------------------------------------------------------- */

static bool read_header(ElfProgram *p, char *why)
{
    Elf64_Ehdr *h = &p->header;
    if (p->length < sizeof *h)
        return refuse(why, "it is too short for a program");
    memcpy(h, p->bytes, sizeof *h);
    const unsigned char *id = h->e_ident;
    bool known_system = id[EI_OSABI] == ELFOSABI_SYSV || id[EI_OSABI] == ELFOSABI_GNU;
    if (memcmp(id, ELFMAG, SELFMAG) != 0 || id[EI_CLASS] != ELFCLASS64 || id[EI_DATA] != ELFDATA2LSB ||
        id[EI_VERSION] != EV_CURRENT || !known_system || id[EI_ABIVERSION] != 0 || h->e_version != EV_CURRENT)
        return refuse(why, "it is no 64-bit ELF program of this system");
    if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
        return refuse(why, "its ELF type is %u, which is no executable", h->e_type);
    if (h->e_ehsize != sizeof *h || h->e_phentsize != sizeof(Elf64_Phdr))
        return refuse(why, "its ELF headers have odd sizes");
    if (h->e_phnum == 0 || h->e_phnum > ELF_SEGMENTS_MAX)
        return refuse(why, "it has %u program headers", h->e_phnum);
    if (!is_within(h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr), p->length))
        return refuse(why, "its program headers are not in the file");
    p->n_segments = h->e_phnum;
    memcpy(p->segments, p->bytes + h->e_phoff, p->n_segments * sizeof *p->segments);
    return true;
}

/* Sections: nobody who starts the program reads them, but those do who look for code and lines in it. */
static bool check_sections(const ElfProgram *p, char *why)
{
    const Elf64_Ehdr *h = &p->header;
    if (h->e_shnum == 0 && h->e_shoff == 0)
        return true;
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shstrndx >= h->e_shnum ||
        !is_within(h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr), p->length))
        return refuse(why, "its table of sections is not in the file");
    for (size_t i = 0; i < h->e_shnum; i++) {
        Elf64_Shdr s;
        memcpy(&s, p->bytes + h->e_shoff + i * sizeof s, sizeof s);
        if (s.sh_type != SHT_NULL && s.sh_type != SHT_NOBITS && !is_within(s.sh_offset, s.sh_size, p->length))
            return refuse(why, "section %zu is not in the file", i);
    }
    return true;
}

/* Segments ---------------------------------------------------------------------------------------- */

/* A type of segment that the linker makes. */
typedef struct SegmentType {
    uint32_t type;
    const char *name;
    bool many, needed, loaded; /* may occur several times; must occur; lies within a loaded one */
} SegmentType;

static const SegmentType segment_types[] = {
    {PT_PHDR, "PHDR", .needed = true, .loaded = true},
    {PT_INTERP, "INTERP", .needed = true, .loaded = true},
    {PT_LOAD, "LOAD", .many = true, .needed = true},
    {PT_DYNAMIC, "DYNAMIC", .needed = true, .loaded = true},
    {PT_NOTE, "NOTE", .many = true, .loaded = true},
    {PT_TLS, "TLS", .loaded = true},
    {PT_GNU_PROPERTY, "GNU_PROPERTY", .loaded = true},
    {PT_GNU_EH_FRAME, "GNU_EH_FRAME", .loaded = true},
    {PT_GNU_SFRAME, "GNU_SFRAME", .loaded = true},
    {PT_GNU_STACK, "GNU_STACK", .needed = true},
    {PT_GNU_RELRO, "GNU_RELRO", .loaded = true},
};
enum { N_SEGMENT_TYPES = sizeof segment_types / sizeof *segment_types };

static const SegmentType *segment_type(uint32_t type)
{
    for (size_t i = 0; i < N_SEGMENT_TYPES; i++)
        if (segment_types[i].type == type)
            return &segment_types[i];
    return NULL;
}

static const Elf64_Phdr *find_segment(const ElfProgram *p, uint32_t type)
{
    for (size_t i = 0; i < p->n_segments; i++)
        if (p->segments[i].p_type == type)
            return &p->segments[i];
    return NULL;
}

static bool check_counts(const ElfProgram *p, char *why)
{
    for (size_t t = 0; t < N_SEGMENT_TYPES; t++) {
        const SegmentType *type = &segment_types[t];
        size_t n = 0;
        for (size_t i = 0; i < p->n_segments; i++)
            n += p->segments[i].p_type == type->type;
        if (n == 0 && type->needed)
            return refuse(why, "it has no segment of the type %s", type->name);
        if (n > 1 && !type->many)
            return refuse(why, "it has %zu segments of the type %s", n, type->name);
    }
    return true;
}

/* What holds for a segment of any type. */
static bool check_segment(const ElfProgram *p, const Elf64_Phdr *s, char *why)
{
    const SegmentType *type = segment_type(s->p_type);
    if (!type)
        return refuse(why, "it has a segment of the unknown type 0x%x", s->p_type);
    if (s->p_flags & ~(uint32_t)(PF_R | PF_W | PF_X))
        return refuse(why, "a segment of the type %s has unknown flags", type->name);
    if ((s->p_flags & PF_X) && s->p_type == PT_GNU_STACK)
        return refuse(why, "its stack is executable");
    if ((s->p_flags & PF_X) && (s->p_flags & PF_W))
        return refuse(why, "a segment of the type %s is both writable and executable", type->name);
    if (!is_within(s->p_offset, s->p_filesz, p->length))
        return refuse(why, "a segment of the type %s is not in the file", type->name);
    if (!is_within(s->p_vaddr, s->p_memsz, ADDRESS_MAX) || s->p_filesz > s->p_memsz)
        return refuse(why, "a segment of the type %s has an odd size", type->name);
    if (s->p_align > ALIGN_MAX || (s->p_align & (s->p_align - 1)))
        return refuse(why, "a segment of the type %s has the odd alignment 0x%llx", type->name,
                      (unsigned long long)s->p_align);
    return true;
}

static uint64_t page_end(const Elf64_Phdr *s)
{
    return (s->p_vaddr + s->p_memsz + page_bytes() - 1) / page_bytes() * page_bytes();
}

/* Loaded segments come in order, and share no page: the last one of a page would win. */
static bool check_loaded(const ElfProgram *p, char *why)
{
    uint64_t end = 0;
    for (size_t i = 0; i < p->n_segments; i++) {
        const Elf64_Phdr *s = &p->segments[i];
        if (s->p_type != PT_LOAD)
            continue;
        if (s->p_vaddr / page_bytes() * page_bytes() < end)
            return refuse(why, "segments of the type LOAD overlap");
        uint64_t align = s->p_align > page_bytes() ? s->p_align : page_bytes();
        if (s->p_offset % align != s->p_vaddr % align || !(s->p_flags & PF_R))
            return refuse(why, "a segment of the type LOAD cannot be loaded");
        end = page_end(s);
    }
    return true;
}

/* The loaded segment whose file part holds `size` bytes of the address; NULL when none does. */
static const Elf64_Phdr *loaded_with(const ElfProgram *p, uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < p->n_segments; i++) {
        const Elf64_Phdr *s = &p->segments[i];
        if (s->p_type == PT_LOAD && address >= s->p_vaddr &&
            is_within(address - s->p_vaddr, size, s->p_filesz))
            return s;
    }
    return NULL;
}

/* The kernel reads by offset, the loader by address: both must see the same bytes. */
static bool check_places(const ElfProgram *p, char *why)
{
    for (size_t i = 0; i < p->n_segments; i++) {
        const Elf64_Phdr *s = &p->segments[i];
        const SegmentType *type = segment_type(s->p_type);
        if (!type->loaded || s->p_filesz == 0)
            continue; /* such as thread-local zeros */
        const Elf64_Phdr *load = loaded_with(p, s->p_vaddr, s->p_filesz);
        if (!load || s->p_offset - load->p_offset != s->p_vaddr - load->p_vaddr)
            return refuse(why, "a segment of the type %s is not where it is loaded", type->name);
        if (s->p_type == PT_GNU_RELRO && s->p_vaddr + s->p_memsz > page_end(load))
            return refuse(why, "a segment of the type GNU_RELRO is larger than what is loaded");
    }
    const Elf64_Phdr *phdr = find_segment(p, PT_PHDR);
    if (phdr->p_offset != p->header.e_phoff || phdr->p_filesz != p->n_segments * sizeof *p->segments)
        return refuse(why, "its program headers are not where they are said to be");
    const Elf64_Phdr *code = loaded_with(p, p->header.e_entry, 1);
    if (!code || !(code->p_flags & PF_X))
        return refuse(why, "it does not begin in code");
    return true;
}

static bool check_segments(const ElfProgram *p, char *why)
{
    for (size_t i = 0; i < p->n_segments; i++)
        if (!check_segment(p, &p->segments[i], why))
            return false;
    return check_counts(p, why) && check_loaded(p, why) && check_places(p, why);
}

static bool read_interpreter(ElfProgram *p, char *why)
{
    const Elf64_Phdr *s = find_segment(p, PT_INTERP);
    const char *text = (const char *)p->bytes + s->p_offset;
    if (s->p_filesz < 2 || s->p_filesz > ELF_TEXT_MAX || strnlen(text, s->p_filesz) != s->p_filesz - 1)
        return refuse(why, "the path of its interpreter (section .interp) is no path");
    p->interpreter = text;
    return true;
}

/* The dynamic section ----------------------------------------------------------------------------- */

typedef enum TagKind { TAG_VALUE, TAG_NAME, TAG_ADDRESS, TAG_SIZE, TAG_REFUSED } TagKind;

typedef struct Tag {
    int64_t tag;
    const char *name;
    TagKind kind;
} Tag;

static const Tag tags[] = {
#define TAG(name, kind) {DT_##name, #name, TAG_##kind},
#include "grader/build/elf_tags.def"
#undef TAG
};
enum { N_TAGS = sizeof tags / sizeof *tags };

/* The entries by their rows in the table; of NEEDED the last one. */
typedef struct Dynamic {
    bool has[N_TAGS];
    uint64_t value[N_TAGS];
    uint64_t needed[ELF_NEEDED_MAX];
    size_t n_needed;
} Dynamic;

static size_t tag_row(int64_t tag)
{
    size_t i = 0;
    while (i < N_TAGS && tags[i].tag != tag)
        i++;
    return i;
}

static bool take_entry(Dynamic *dynamic, const Elf64_Dyn *e, char *why)
{
    size_t row = tag_row(e->d_tag);
    if (row == N_TAGS)
        return refuse(why, "its dynamic section has an entry of the kind 0x%llx",
                      (unsigned long long)e->d_tag);
    if (tags[row].kind == TAG_REFUSED)
        return refuse(why, "its dynamic section has an entry of the kind %s", tags[row].name);
    if (e->d_tag == DT_NEEDED) {
        if (dynamic->n_needed == ELF_NEEDED_MAX)
            return refuse(why, "it needs more than %d libraries", ELF_NEEDED_MAX);
        dynamic->needed[dynamic->n_needed++] = e->d_un.d_val;
    } else if (dynamic->has[row]) {
        return refuse(why, "its dynamic section has two entries of the kind %s", tags[row].name);
    }
    dynamic->has[row] = true;
    dynamic->value[row] = e->d_un.d_val;
    return true;
}

static bool read_entries(const ElfProgram *p, Dynamic *dynamic, char *why)
{
    const Elf64_Phdr *s = find_segment(p, PT_DYNAMIC);
    size_t n = s->p_filesz / sizeof(Elf64_Dyn);
    for (size_t i = 0; i < n && i < DYNAMIC_MAX; i++) {
        Elf64_Dyn e;
        memcpy(&e, p->bytes + s->p_offset + i * sizeof e, sizeof e);
        if (e.d_tag == DT_NULL)
            return true;
        if (!take_entry(dynamic, &e, why))
            return false;
    }
    return refuse(why, "its dynamic section has no end");
}

/* Addresses, with the sizes that stand behind them in the table, are of what is loaded from the file. */
static bool check_entries(const ElfProgram *p, const Dynamic *dynamic, char *why)
{
    for (size_t i = 0; i < N_TAGS; i++) {
        bool sized = i + 1 < N_TAGS && tags[i + 1].kind == TAG_SIZE;
        if (tags[i].kind != TAG_ADDRESS)
            continue;
        if (sized && dynamic->has[i] != dynamic->has[i + 1])
            return refuse(why, "its dynamic section has only one of %s and %s", tags[i].name,
                          tags[i + 1].name);
        if (dynamic->has[i] && !loaded_with(p, dynamic->value[i], sized ? dynamic->value[i + 1] : 1))
            return refuse(why, "%s of its dynamic section is not in the file", tags[i].name);
    }
    if (!dynamic->has[tag_row(DT_STRTAB)] || !dynamic->has[tag_row(DT_SYMTAB)])
        return refuse(why, "its dynamic section has no symbols");
    return true;
}

/* The text at an offset into the table of names; NULL when it does not end there. */
static const char *name_at(const ElfProgram *p, const Dynamic *dynamic, uint64_t offset)
{
    uint64_t table = dynamic->value[tag_row(DT_STRTAB)], size = dynamic->value[tag_row(DT_STRSZ)];
    const Elf64_Phdr *load = loaded_with(p, table, size);
    if (!load || offset >= size)
        return NULL;
    const char *text = (const char *)p->bytes + load->p_offset + (table - load->p_vaddr) + offset;
    uint64_t room = size - offset;
    return memchr(text, '\0', room < ELF_TEXT_MAX ? (size_t)room : ELF_TEXT_MAX) ? text : NULL;
}

static bool read_dynamic(ElfProgram *p, char *why)
{
    Dynamic dynamic = {0};
    if (!read_entries(p, &dynamic, why) || !check_entries(p, &dynamic, why))
        return false;
    for (size_t i = 0; i < dynamic.n_needed; i++) {
        p->needed[i] = name_at(p, &dynamic, dynamic.needed[i]);
        if (!p->needed[i])
            return refuse(why, "a library that it needs has no name");
    }
    p->n_needed = dynamic.n_needed;
    size_t rpath = tag_row(DT_RPATH), runpath = tag_row(DT_RUNPATH);
    p->rpath = dynamic.has[rpath] ? name_at(p, &dynamic, dynamic.value[rpath]) : "";
    p->runpath = dynamic.has[runpath] ? name_at(p, &dynamic, dynamic.value[runpath]) : "";
    if (!p->rpath || !p->runpath)
        return refuse(why, "the folders of its libraries have no names");
    p->flags = dynamic.value[tag_row(DT_FLAGS)];
    p->flags_1 = dynamic.value[tag_row(DT_FLAGS_1)];
    return true;
}

bool elf_read(const void *bytes, size_t length, ElfProgram *p, char why[ELF_WHY_BYTES])
{
    *p = (ElfProgram){.bytes = bytes, .length = length};
    why[0] = '\0';
    return read_header(p, why) && check_sections(p, why) && check_segments(p, why) &&
           read_interpreter(p, why) && read_dynamic(p, why);
}

/* Comparing --------------------------------------------------------------------------------------- */

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the link line can bring in a library: the reference has all that it names, and the C library's own
 * parts for thread-local storage and vectors are there where they are needed (libc.so and libm.so say so). */
static bool may_need(const ElfProgram *reference, const char *name)
{
    for (size_t i = 0; i < reference->n_needed; i++)
        if (strcmp(reference->needed[i], name) == 0)
            return true;
    return strcmp(name, file_of(reference->interpreter)) == 0 || strcmp(name, "libmvec.so.1") == 0;
}

static bool libraries_fit(const ElfProgram *p, const ElfProgram *reference, char *why)
{
    bool has_c = false;
    for (size_t i = 0; i < p->n_needed; i++) {
        if (!may_need(reference, p->needed[i]))
            return refuse(why, "it needs the library '%.*s'", QUOTED_MAX, p->needed[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(p->needed[i], p->needed[j]) == 0)
                return refuse(why, "it needs the library '%.*s' twice", QUOTED_MAX, p->needed[i]);
        has_c = has_c || strncmp(p->needed[i], "libc.so", 7) == 0;
    }
    return has_c || refuse(why, "it does not need the C library");
}

bool elf_fits(const ElfProgram *p, const ElfProgram *reference, char why[ELF_WHY_BYTES])
{
    const uint64_t free_flags = DF_BIND_NOW | DF_STATIC_TLS, free_flags_1 = DF_1_NOW;
    if (p->header.e_machine != reference->header.e_machine || p->header.e_type != reference->header.e_type ||
        p->header.e_flags != reference->header.e_flags)
        return refuse(why, "it is of another type or for another machine than this link makes");
    if (strcmp(p->interpreter, reference->interpreter) != 0)
        return refuse(why, "its interpreter (section .interp) is '%.*s', not '%s'", QUOTED_MAX,
                      p->interpreter, reference->interpreter);
    if (strcmp(p->rpath, reference->rpath) != 0 || strcmp(p->runpath, reference->runpath) != 0)
        return refuse(why, "it looks for libraries in '%.*s%.*s'", QUOTED_MAX, p->rpath, QUOTED_MAX,
                      p->runpath);
    if (((p->flags ^ reference->flags) & ~free_flags) || ((p->flags_1 ^ reference->flags_1) & ~free_flags_1))
        return refuse(why, "its dynamic section has other flags than this link makes");
    return libraries_fit(p, reference, why);
}

/* A file's bytes; NULL when it cannot be read. Files in the grader's folders, which nobody else writes to. */
static void *map_file(const char *path, size_t *length)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    void *bytes = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        bytes = mmap(NULL, *length = (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    return bytes == MAP_FAILED ? NULL : bytes;
}

Status elf_judge(const char *program, const char *reference, char why[ELF_WHY_BYTES], Diag *d)
{
    ElfProgram p, wanted;
    size_t length = 0, wanted_length = 0;
    void *bytes = map_file(program, &length), *wanted_bytes = map_file(reference, &wanted_length);
    Status s = STATUS_OK;
    why[0] = '\0';
    if (!bytes || !wanted_bytes)
        s = diag_set(d, STATUS_IO, "cannot read %s", bytes ? reference : program);
    else if (!elf_read(wanted_bytes, wanted_length, &wanted, why))
        s = diag_set(d, STATUS_INVALID, "the kit's own program is not as expected: %s", why);
    else if (elf_read(bytes, length, &p, why))
        elf_fits(&p, &wanted, why);
    if (bytes)
        munmap(bytes, length);
    if (wanted_bytes)
        munmap(wanted_bytes, wanted_length);
    return s;
}
