/* vgpu-support: the pages docs/api-support.md and docs/ptx-support.md, from the tables that the code is made
 * of.
 *
 *      vgpu-support api        from cudart/api.def, with what cudart/api_notes.def says of some functions
 *      vgpu-support ptx        from ptx/opcodes.def, ir/modifiers.def, ir/async.def, ir/tensor.def,
 *                              exec/atomic.def...
 *
 * `make support-pages` writes them, a test compares.
 */
#include "common/vgpu/ir/form.h"
#include "common/vgpu/ptx/ptx.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* ---- the runtime API ---- */

typedef struct ApiRow {
    const char *name, *support;
    bool can_fail; /* by --fail-at */
} ApiRow;

static const ApiRow apis[] = {
#define X(name, support, fail) {#name, #support, sizeof #fail != sizeof "cudaSuccess"},
#include "common/vgpu/cudart/api.def"
#undef X
};

static const struct {
    const char *pattern, *note;
} notes[] = {
#define X(pattern, note) {pattern, note},
#include "common/vgpu/cudart/api_notes.def"
#undef X
};

static const char *note_of(const char *name)
{
    for (size_t i = 0; i < COUNT(notes); i++)
        if (fnmatch(notes[i].pattern, name, 0) == 0)
            return notes[i].note;
    return "";
}

/* A variant for the per-thread default stream: cudaMemcpy_ptds, cudaLaunchKernel_ptsz. */
static bool is_variant(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && (strcmp(name + n - 5, "_ptds") == 0 || strcmp(name + n - 5, "_ptsz") == 0);
}

static bool has_variant(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < COUNT(apis); i++)
        if (is_variant(apis[i].name) && strlen(apis[i].name) == n + 5 && strncmp(apis[i].name, name, n) == 0)
            return true;
    return false;
}

static const char *word_of(const ApiRow *r)
{
    return strcmp(r->support, "SUPPORTED") == 0  ? "supported"
           : strcmp(r->support, "ACCEPTED") == 0 ? "accepted"
                                                 : "refused";
}

static void count_apis(const char *support, unsigned *n)
{
    *n = 0;
    for (size_t i = 0; i < COUNT(apis); i++)
        *n += !is_variant(apis[i].name) && apis[i].name[0] != '_' && strcmp(apis[i].support, support) == 0;
}

static void put_api(const ApiRow *r)
{
    printf("| `%s` | %s | %s%s%s |\n", r->name, word_of(r), note_of(r->name),
           note_of(r->name)[0] != 0 && has_variant(r->name) ? "; " : "",
           has_variant(r->name) ? "per-thread variant" : "");
}

static void put_apis(bool internal)
{
    printf("\n| function | here | remark |\n|---|---|---|\n");
    for (size_t i = 0; i < COUNT(apis); i++)
        if (!is_variant(apis[i].name) && (apis[i].name[0] == '_') == internal)
            put_api(&apis[i]);
}

static void api_page(void)
{
    unsigned supported, accepted, refused;
    count_apis("SUPPORTED", &supported);
    count_apis("ACCEPTED", &accepted);
    count_apis("REFUSED", &refused);
    printf(
        "# Runtime API support\n\n"
        "<!-- made by `make support-pages`; change common/vgpu/cudart/api.def and api_notes.def instead "
        "-->\n\n"
        "Every function that the runtime 13.0 exports is in the virtual GPU's `libcudart.so.13`: %u are "
        "**supported**, %u are **accepted** (the call succeeds and does nothing, which is right for what it "
        "asks), "
        "%u are **refused** (the call returns `cudaErrorNotSupported`, and says so once on standard error). "
        "\"Per-thread variant\": there is one more entry point, for programs built with "
        "`--default-stream per-thread`, which does alike.\n\n## Functions\n",
        supported, accepted, refused);
    put_apis(false);
    printf("\n## What nvcc's own code calls\n");
    put_apis(true);
}

/* ---- PTX ---- */

static const struct {
    const char *text, *class, *section, *shape;
    uint32_t types;
    uint64_t modifiers;
} opcodes[] = {
#define X(name, text, class, section, shape, types, modifiers)                                               \
    {text, #class, section, shape, types, modifiers},
#include "common/vgpu/ptx/opcodes.def"
#undef X
};

static const char *const type_names[] = {
#define X(name, text, ...) text,
#include "common/vgpu/ptx/types.def"
#undef X
};

static const struct {
    const char *text;
    int group;
} modifiers[] = {
#define X(text, group, value) {text, MOD_##group},
#include "common/vgpu/ir/modifiers.def"
#undef X
};

static const struct {
    const char *opcode, *words;
} variants[] = {
#define X(opcode, words, operation, shape) {#opcode, words},
#include "common/vgpu/ir/async.def"
#undef X
};

static const struct {
    const char *kind, *elements;
    int m, n, k;
} shapes[] = {
#define X(kind, elements, m, n, k, ...) {#kind, #elements, m, n, k},
#include "common/vgpu/ir/tensor.def"
#undef X
};

static const char *const registers[] = {
#define X(name, text, ...) text,
#include "common/vgpu/ptx/sregs.def"
#undef X
};

static const struct {
    const char *op, *type;
} atomics[] = {
#define X(op, type, ...) {#op, #type},
#include "common/vgpu/exec/atomic.def"
#undef X
};

/* What the tables do not say. The first that fits. */
static const struct {
    const char *opcode, *note;
} ptx_notes[] = {
#define X(opcode, note) {opcode, note},
#include "common/vgpu/support/ptx_notes.def"
#undef X
};

static bool is_decoded(size_t i)
{
    return strcmp(opcodes[i].shape, "!") != 0;
}

static void put_types(uint32_t set)
{
    const char *separator = "";
    for (size_t t = 0; t < COUNT(type_names); t++)
        if (set >> t & 1) {
            printf("%s%s", separator, type_names[t]);
            separator = " ";
        }
}

/* Modifiers of the groups in the set, each text once. */
static void put_modifiers(uint64_t set)
{
    const char *separator = "";
    for (size_t i = 0; i < COUNT(modifiers); i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = set >> modifiers[k].group & 1 && strcmp(modifiers[k].text, modifiers[i].text) == 0;
        if (!seen && set >> modifiers[i].group & 1) {
            printf("%s.%s", separator, modifiers[i].text);
            separator = " ";
        }
    }
}

static bool same_word(const char *upper, const char *lower)
{
    for (; *upper != 0 && *lower != 0; upper++, lower++)
        if ((*upper | 0x20) != *lower)
            return false;
    return *upper == *lower;
}

/* Forms of opcodes that have a table of their own. */
static void put_forms(const char *opcode)
{
    const char *separator = "";
    for (size_t i = 0; i < COUNT(variants); i++)
        if (same_word(variants[i].opcode, opcode)) {
            printf("%s%s%s", separator, variants[i].words[0] == 0 ? "" : ".", variants[i].words);
            separator = ", ";
        }
    for (size_t i = 0; i < COUNT(shapes); i++)
        if (same_word(shapes[i].kind, opcode)) {
            printf("%s%s m%dn%dk%d", separator, shapes[i].elements, shapes[i].m, shapes[i].n, shapes[i].k);
            separator = ", ";
        }
}

static const char *ptx_note(const char *opcode)
{
    for (size_t i = 0; i < COUNT(ptx_notes); i++)
        if (strcmp(ptx_notes[i].opcode, opcode) == 0)
            return ptx_notes[i].note;
    return "";
}

static void put_opcode(size_t i)
{
    bool forms = strcmp(opcodes[i].shape, "async") == 0 || strcmp(opcodes[i].shape, "tensor") == 0;
    printf("| `%s` | %s | ", opcodes[i].text, opcodes[i].section);
    put_types(opcodes[i].types);
    printf(" | ");
    if (forms)
        put_forms(opcodes[i].text);
    else
        put_modifiers(opcodes[i].modifiers);
    printf(" | %s |\n", ptx_note(opcodes[i].text));
}

static void put_atomics(void)
{
    printf("\n## Atomic operations\n\n`atom` and `red`:");
    for (size_t i = 0; i < COUNT(atomics); i++) {
        bool first = i == 0 || strcmp(atomics[i].op, atomics[i - 1].op) != 0;
        printf("%s%s.%s", first ? i == 0 ? " " : "; " : " ", first ? atomics[i].op : "", atomics[i].type);
    }
    printf(".\n");
}

static void ptx_page(void)
{
    unsigned n = 0, decoded = 0;
    for (size_t i = 0; i < COUNT(opcodes); i++) {
        n += opcodes[i].section[0] != 0;
        decoded += is_decoded(i);
    }
    printf("# PTX support\n\n"
           "<!-- made by `make support-pages` from the tables of common/vgpu/ptx, ir and exec -->\n\n"
           "%u of %u opcodes are executed. A module may be made for any target up to the card's compute capability: 7.5 "
           "for the default card, `--list-devices` names the others. Whether a target has an instruction is not asked "
           "again: nvcc has. What is not in the tables is refused by name when a kernel reaches it: the launch fails with "
           "a finding `unsupported`.\n\n"
           "## Opcodes\n\nSections are those of the PTX ISA, edition 9.1. Matrix and asynchronous instructions have a "
           "list of their "
           "forms in place of modifiers.\n\n| opcode | section | types | modifiers or forms | limits "
           "|\n|---|---|---|---|---|\n",
           decoded, n);
    for (size_t i = 0; i < COUNT(opcodes); i++)
        if (is_decoded(i))
            put_opcode(i);
    printf("\n## Opcodes that are refused\n\n| opcode | section | remark |\n|---|---|---|\n");
    for (size_t i = 0; i < COUNT(opcodes); i++)
        if (!is_decoded(i) && opcodes[i].section[0] != 0)
            printf("| `%s` | %s | %s |\n", opcodes[i].text, opcodes[i].section, ptx_note(opcodes[i].text));
    put_atomics();
    printf("\n## Special registers\n\n");
    for (size_t i = 0; i < COUNT(registers); i++)
        printf("%s`%s`", i == 0 ? "" : ", ", registers[i]);
    printf(".\n");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "api") == 0)
        api_page();
    else if (argc == 2 && strcmp(argv[1], "ptx") == 0)
        ptx_page();
    else {
        fprintf(stderr, "usage: vgpu-support api|ptx\n");
        return 2;
    }
    return 0;
}
