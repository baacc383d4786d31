/* inspect: what kind of program is this file? Read from its ELF headers, before it runs. */
#include "common/vgpu/tool/tool.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- finding the file ---- */

static bool is_executable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool find_program(const char *name, char *path, size_t size)
{
    const char *dirs = getenv("PATH");
    if (strchr(name, '/') || !dirs) {
        snprintf(path, size, "%s", name);
        return is_executable(path);
    }
    while (*dirs != 0) {
        size_t length = strcspn(dirs, ":");
        snprintf(path, size, "%.*s/%s", (int)length, dirs, name);
        if (length > 0 && is_executable(path))
            return true;
        dirs += length + (dirs[length] == ':');
    }
    return false;
}

/* ---- reading it ---- */

typedef struct Facts {
    bool has_modules; /* a source compiled by nvcc is in it, perhaps without a kernel */
    bool has_symbols, has_kernels; /* its symbols are there; host stubs of kernels are among them */
    bool has_runtime, has_driver, has_debug;
    bool has_malloc;
    char other_runtime[64];
} Facts;

/* Libraries that bring a malloc: the sanitizers' of gcc and clang, jemalloc, tcmalloc, mimalloc. One of the program's own comes before all that
 * is preloaded. */
static bool brings_malloc(const char *name)
{
    static const char *const parts[] = {"libasan", "libtsan", "liblsan", "libhwasan", "libclang_rt.", "malloc"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static void note_needed(const char *name, Facts *facts)
{
    facts->has_malloc = facts->has_malloc || brings_malloc(name);
    if (strcmp(name, "libcudart.so.13") == 0)
        facts->has_runtime = true;
    else if (strcmp(name, "libcuda.so.1") == 0)
        facts->has_driver = true;
    else if (strncmp(name, "libcudart.so", 12) == 0)
        snprintf(facts->other_runtime, sizeof facts->other_runtime, "%s", name);
}

static void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, Facts *facts)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = !data || header->sh_entsize == 0 ? 0 : header->sh_size / header->sh_entsize;
    for (size_t i = 0; i < n; i++) {
        GElf_Dyn dyn;
        if (!gelf_getdyn(data, (int)i, &dyn) || dyn.d_tag != DT_NEEDED)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, dyn.d_un.d_val);
        if (name)
            note_needed(name, facts);
    }
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, Facts *facts)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = !data || header->sh_entsize == 0 ? 0 : header->sh_size / header->sh_entsize;
    facts->has_symbols = n > 0;
    for (size_t i = 0; i < n && !facts->has_kernels; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        facts->has_kernels = name && strstr(name, "__device_stub__");
    }
}

static void read_sections(Elf *elf, Facts *facts)
{
    size_t names;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        if (!name)
            continue;
        facts->has_modules =
            facts->has_modules || strcmp(name, "__nv_module_id") == 0 || strcmp(name, "__nv_relfatbin") == 0;
        facts->has_debug = facts->has_debug || strcmp(name, ".debug_line") == 0;
        if (header.sh_type == SHT_DYNAMIC)
            read_dynamic(elf, section, &header, facts);
        if (header.sh_type == SHT_SYMTAB)
            read_symbols(elf, section, &header, facts);
    }
}

/* nvcc links its static runtime and a fat binary of its own into all that it links: neither says that the program uses them.
 * Kernels do. A program without them that calls the static runtime is told so when it does (common/vgpu/cuda/call.c). */
static void classify(const Facts *facts, Program *out)
{
    out->has_debug = facts->has_debug;
    out->has_malloc = facts->has_malloc;
    if (facts->has_runtime)
        out->kind = PROGRAM_CUDA;
    else if (facts->other_runtime[0] != 0) {
        out->kind = PROGRAM_OTHER_RUNTIME;
        snprintf(out->runtime, sizeof out->runtime, "%s", facts->other_runtime);
    } else if (!facts->has_driver && (facts->has_symbols ? facts->has_kernels : facts->has_modules)) {
        out->kind = PROGRAM_STATIC;
    } else {
        out->kind = facts->has_driver ? PROGRAM_CUDA : PROGRAM_PLAIN;
    }
}

Status program_inspect(const char *name, Program *out)
{
    *out = (Program){.kind = PROGRAM_PLAIN};
    if (!find_program(name, out->path, sizeof out->path))
        return STATUS_NOT_FOUND;
    int fd = open(out->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
        return STATUS_OK; /* it may still run */
    Facts facts = {0};
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        read_sections(elf, &facts);
    elf_end(elf);
    close(fd);
    classify(&facts, out);
    return STATUS_OK;
}
