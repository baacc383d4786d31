/* What a lab forbids: imported symbols, read from the object's symbol table, and included headers, read from
 * the compiler's dependency file. See build.h. */
#include "grader/build/build.h"

#include "grader/core/files.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

enum { DEPENDENCIES_BYTES_MAX = 4 << 20, NAME_BYTES_MAX = 200 };

static void say(StrBuf *why, const char *source, const char *what, const LabForbid *rule)
{
    strbuf_printf(why, "%s uses %s, which this lab does not allow: %s\n", source, what, rule->why);
}

/* What a library that is loaded at run time does, no symbol tells. */
static void check_loading(const Lab *lab, const char *name, const char *source, StrBuf *why, size_t *n)
{
    static const LabForbid loading = {.why = "it can load what the lab forbids"};
    bool forbids_symbols = false;
    for (size_t i = 0; i < lab->n_forbid; i++)
        forbids_symbols = forbids_symbols || lab->forbid[i].symbol[0];
    if (!forbids_symbols || (strcmp(name, "dlopen") != 0 && strcmp(name, "dlmopen") != 0))
        return;
    say(why, source, name, &loading);
    ++*n;
}

static void check_symbol(const Lab *lab, const char *name, const char *source, StrBuf *why, size_t *n)
{
    check_loading(lab, name, source, why, n);
    for (size_t i = 0; i < lab->n_forbid; i++) {
        const LabForbid *rule = &lab->forbid[i];
        if (!rule->symbol[0] || strlen(name) > NAME_BYTES_MAX || fnmatch(rule->symbol, name, 0) != 0)
            continue;
        say(why, source, name, rule);
        ++*n;
    }
}

/* Goes through the undefined symbols of a symbol table. */
static void check_table(const Lab *lab, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                        const char *source, StrBuf *why, size_t *n)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && name[0])
            check_symbol(lab, name, source, why, n);
    }
}

Status forbidden_symbols(const Lab *lab, const char *object, const char *source, StrBuf *why, size_t *n,
                         Diag *d)
{
    elf_version(EV_CURRENT);
    int fd = open(object, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    bool readable = elf && elf_kind(elf) == ELF_K_ELF;
    for (Elf_Scn *section = NULL; readable && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            check_table(lab, elf, section, &header, source, why, n);
    }
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return readable ? STATUS_OK
                    : diag_set(d, STATUS_PARSE, "%s: no object file came out of the compiler", source);
}

/* Whether a header's path ends in the pattern, at the start of a name. */
static bool path_ends_in(const char *path, const char *pattern)
{
    for (const char *p = path; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (fnmatch(pattern, p, 0) == 0)
            return true;
    }
    return false;
}

static void check_include(const Lab *lab, const char *path, const char *source, StrBuf *why, size_t *n)
{
    for (size_t i = 0; i < lab->n_forbid; i++) {
        const LabForbid *rule = &lab->forbid[i];
        if (!rule->include[0] || !path_ends_in(path, rule->include))
            continue;
        const char *last = strrchr(path, '/');
        say(why, source, last ? last + 1 : path, rule);
        ++*n;
    }
}

Status forbidden_includes(const Lab *lab, const char *dependencies, const char *source, StrBuf *why,
                          size_t *n, Diag *d)
{
    Arena arena = {0};
    char *text;
    size_t length;
    Status s = file_read(&arena, dependencies, DEPENDENCIES_BYTES_MAX, &text, &length, d);
    /* "x.o: a.cu \<newline> /usr/include/b.h ...": all words but the target's, the colon and the backslashes.
     */
    char *rest = s == STATUS_OK ? text : NULL;
    for (char *word; rest && (word = strsep(&rest, " \t\n"));)
        if (word[0] && strcmp(word, "\\") != 0 && word[strlen(word) - 1] != ':')
            check_include(lab, word, source, why, n);
    arena_free(&arena);
    return s;
}
