/* places: the source line of a host call, from the stack of return addresses that the runtime noted.
 *
 * The program's own source is wanted: frames in the toolkit's and the system's headers are passed over, since
 * the runtime's calls are wrapped in templates there. Debug information is read with elfutils' libdw.
 */
#include "common/vgpu/tool/tool.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN_BITS = 40, FRAMES_MAX = 8, FUNCTION_MAX = 256, LINE_MAX_SHOWN = 400 };
enum { OBJECT_BYTES_MAX = 1 << 30, SOURCE_BYTES_MAX = 16 << 20 };

typedef struct Object {
    char *path;
    int fd;
    Dwarf *dwarf; /* NULL: no debug information */
} Object;

typedef struct Frame {
    uint32_t object;
    uint64_t address;
    bool in_file; /* the address is an offset in the object's file */
} Frame;

typedef struct Place {
    Frame frames[FRAMES_MAX];
    int n_frames;
    bool looked_up, found;
    const char *file;
    char *function;
    uint32_t line;
} Place;

/* A source file, read whole once. */
typedef struct Source {
    char *name, *text;
} Source;

/* Places of one process, by token - 1. */
typedef struct PlaceList {
    Place *items;
    size_t n, cap;
} PlaceList;

struct Places {
    const char *folder; /* of sources; NULL: any */
    Object *objects;
    size_t n_objects, objects_cap;
    PlaceList lists[TOOL_PROCESSES_MAX + 1]; /* the last: of faults, whose tokens are ours */
    Source *sources;
    size_t n_sources, sources_cap;
    char line[LINE_MAX_SHOWN + 1];
};

Places *places_new(const char *sources)
{
    Places *p = calloc(1, sizeof *p);
    if (p)
        p->folder = sources;
    return p;
}

void places_free(Places *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n_objects; i++) {
        dwarf_end(p->objects[i].dwarf);
        if (p->objects[i].fd >= 0)
            close(p->objects[i].fd);
        free(p->objects[i].path);
    }
    for (size_t i = 0; i <= TOOL_PROCESSES_MAX; i++) {
        for (size_t k = 0; k < p->lists[i].n; k++)
            free(p->lists[i].items[k].function);
        free(p->lists[i].items);
    }
    for (size_t i = 0; i < p->n_sources; i++) {
        free(p->sources[i].name);
        free(p->sources[i].text);
    }
    free(p->objects);
    free(p->sources);
    free(p);
}

/* ---- noting ---- */

/* An object's debug information; NULL when it has none of its own. One that says that parts of it are in
 * another file would have libdw open that, whatever it is. */
static Dwarf *open_dwarf(int fd)
{
    Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
    const char *other = NULL;
    const void *id = NULL;
    if (!dwarf || dwelf_dwarf_gnu_debugaltlink(dwarf, &other, &id) == 0)
        return dwarf;
    dwarf_end(dwarf);
    return NULL;
}

/* Index of an object file, opened on first sight. */
static bool find_object(Places *p, const char *path, uint32_t *index)
{
    for (size_t i = 0; i < p->n_objects; i++)
        if (strcmp(p->objects[i].path, path) == 0) {
            *index = (uint32_t)i;
            return true;
        }
    char *copy = strdup(path);
    if (!copy || !VEC_GROW(p->objects, p->n_objects, p->objects_cap)) {
        free(copy);
        return false;
    }
    Object *o = &p->objects[p->n_objects];
    *o = (Object){.path = copy, .fd = untrusted_open(path, OBJECT_BYTES_MAX)};
    o->dwarf = open_dwarf(o->fd);
    *index = (uint32_t)p->n_objects++;
    return true;
}

uint64_t places_token(uint32_t process, uint64_t token)
{
    return token == 0 ? 0 : (uint64_t)process << TOKEN_BITS | token;
}

/* A new place with the frames of a record; NULL without memory. */
static Place *add_place(Places *p, PlaceList *list, const json_t *frames, bool in_file)
{
    if (!VEC_GROW(list->items, list->n, list->cap))
        return NULL;
    Place *place = &list->items[list->n++];
    *place = (Place){0};
    for (size_t i = 0; i < json_array_size(frames) && place->n_frames < FRAMES_MAX; i++) {
        const json_t *frame = json_array_get(frames, i);
        const char *path = json_string_value(json_array_get(frame, 0));
        Frame *f = &place->frames[place->n_frames];
        if (!path || !find_object(p, path, &f->object))
            continue;
        f->address = (uint64_t)json_integer_value(json_array_get(frame, 1));
        f->in_file = in_file;
        place->n_frames++;
    }
    return place;
}

void places_add(Places *p, uint32_t process, const json_t *record)
{
    PlaceList *list = &p->lists[process];
    uint64_t id = (uint64_t)json_integer_value(json_object_get(record, "id"));
    if (id == list->n + 1) /* tokens come in order */
        add_place(p, list, json_object_get(record, "frames"), false);
}

uint64_t places_add_fault(Places *p, const json_t *record)
{
    PlaceList *list = &p->lists[TOOL_PROCESSES_MAX];
    if (!add_place(p, list, json_object_get(record, "frames"), true))
        return 0;
    return places_token(TOOL_PROCESSES_MAX, list->n);
}

/* ---- looking up ---- */

/* Not the program's own source: headers of the toolkit, the compiler and the system, and what nvcc generates.
 */
static bool is_foreign(const char *file)
{
    static const char *const parts[] = {
        "/usr/include/",  "/usr/lib/gcc/",     "/targets/x86_64-linux/include/",
        "/cuda/include/", "/include/cuda/",    "/usr/lib/llvm-",
        "/cccl/",         "cuda_runtime.h",    ".cudafe1.",
        ".stub.c",        "crt/host_runtime.h"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(file, parts[i]))
            return true;
    return false;
}

/* The compilation unit of an address. Not every unit is in .debug_aranges, so all are tried in the end. */
static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *out)
{
    if (dwarf_addrdie(dwarf, address, out))
        return true;
    Dwarf_CU *unit = NULL;
    Dwarf_Half version;
    uint8_t type;
    while (dwarf_get_units(dwarf, unit, &unit, &version, &type, out, NULL) == 0) /* no unit of another file */
        if (dwarf_haspc(out, address) > 0)
            return true;
    return false;
}

static char *function_name(Dwarf_Die *unit, uint64_t address)
{
    Dwarf_Die *scopes = NULL;
    char *name = NULL;
    int n = dwarf_getscopes(unit, address, &scopes);
    for (int i = 0; i < n && !name; i++) {
        const char *text = dwarf_tag(&scopes[i]) == DW_TAG_subprogram ? dwarf_diename(&scopes[i]) : NULL;
        if (text)
            name = strndup(text, FUNCTION_MAX);
    }
    free(scopes);
    return name;
}

/* The address that the object's headers give to an offset in its file; false: to none. */
static bool address_in_file(Dwarf *dwarf, uint64_t *address)
{
    Elf *elf = dwarf_getelf(dwarf);
    size_t n = 0;
    if (!elf || elf_getphdrnum(elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
            continue;
        if (*address >= header.p_offset && *address - header.p_offset < header.p_filesz) {
            *address += header.p_vaddr - header.p_offset;
            return true;
        }
    }
    return false;
}

static bool is_function(Dwarf_Die *scope)
{
    int tag = dwarf_tag(scope);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/* Where an inlined function was called: DW_AT_call_file and DW_AT_call_line (DWARF 5, 3.3.8.2). */
static bool call_of(Dwarf_Die *unit, Dwarf_Die *scope, Place *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files = NULL;
    size_t n_files = 0;
    if (dwarf_tag(scope) != DW_TAG_inlined_subroutine ||
        dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line) != 0 ||
        dwarf_getsrcfiles(unit, &files, &n_files) != 0 || file >= n_files || line == 0 || line > UINT32_MAX)
        return false;
    out->file = dwarf_filesrc(files, file, NULL, NULL);
    out->line = (uint32_t)line;
    return out->file && !is_foreign(out->file);
}

/* The address lies in a function of the toolkit's headers that the compiler has put into the program's: a template such as cudaMalloc<T>.
 * The innermost call of such a one from the program's own source is the place. */
static bool resolve_inlined(Dwarf_Die *unit, uint64_t address, Place *out)
{
    Dwarf_Die *innermost = NULL, *scopes = NULL; /* from the innermost outwards: dwarf_getscopes leads to where it was written instead */
    int n = dwarf_getscopes(unit, address, &innermost) > 0 ? dwarf_getscopes_die(&innermost[0], &scopes) : 0, i = 0;
    free(innermost);
    while (i < n && !call_of(unit, &scopes[i], out))
        i++;
    bool found = i < n;
    for (i++; found && i < n && !is_function(&scopes[i]);)
        i++;
    const char *name = found && i < n ? dwarf_diename(&scopes[i]) : NULL;
    out->function = name ? strndup(name, FUNCTION_MAX) : NULL;
    free(scopes);
    return found;
}

static bool resolve_frame(Places *p, const Frame *f, Place *out)
{
    Dwarf *dwarf = p->objects[f->object].dwarf;
    Dwarf_Die unit;
    uint64_t address = f->address;
    if (!dwarf || (f->in_file && !address_in_file(dwarf, &address)) || !find_unit(dwarf, address, &unit))
        return false;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;
    if (file && is_foreign(file))
        return resolve_inlined(&unit, address, out);
    if (!file || dwarf_lineno(line, &number) != 0 || number <= 0)
        return false;
    out->file = file; /* lives as long as the object's debug information */
    out->line = (uint32_t)number;
    out->function = function_name(&unit, address);
    return true;
}

bool places_has_debug(const Places *p)
{
    for (size_t i = 0; i < p->n_objects; i++)
        if (p->objects[i].dwarf)
            return true;
    return false;
}

bool places_find(Places *p, FindingSite *site)
{
    uint64_t process = site->token >> TOKEN_BITS, id = site->token & (((uint64_t)1 << TOKEN_BITS) - 1);
    if (process > TOOL_PROCESSES_MAX || id == 0 || id > p->lists[process].n)
        return false;
    Place *place = &p->lists[process].items[id - 1];
    for (int i = 0; i < place->n_frames && !place->looked_up && !place->found; i++)
        place->found = resolve_frame(p, &place->frames[i], place);
    place->looked_up = true;
    if (place->found)
        *site = (FindingSite){site->token, place->file, place->function, place->line};
    return place->found;
}

/* ---- source lines ---- */

static char *read_source(const Places *p, const char *name)
{
    int fd = p->folder ? untrusted_open_below(p->folder, name, SOURCE_BYTES_MAX)
                       : untrusted_open(name, SOURCE_BYTES_MAX);
    char *text = untrusted_read(fd, SOURCE_BYTES_MAX);
    if (fd >= 0)
        close(fd);
    return text;
}

const char *places_source(Places *p, const char *name)
{
    for (size_t i = 0; i < p->n_sources; i++)
        if (strcmp(p->sources[i].name, name) == 0)
            return p->sources[i].text;
    char *copy = strdup(name);
    if (!copy || !VEC_GROW(p->sources, p->n_sources, p->sources_cap)) {
        free(copy);
        return NULL;
    }
    p->sources[p->n_sources++] = (Source){.name = copy, .text = read_source(p, name)};
    return p->sources[p->n_sources - 1].text;
}

const char *places_source_line(void *self, const char *file, uint32_t line)
{
    Places *p = self;
    const char *at = places_source(p, file);
    for (uint32_t i = 1; i < line && at; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (!at || *at == 0)
        return NULL;
    size_t length = strcspn(at, "\r\n");
    if (length > LINE_MAX_SHOWN)
        return NULL;
    memcpy(p->line, at, length);
    p->line[length] = 0;
    return p->line;
}
