/* Each distinct spelling of a module once, with what it means: a keyword, a type, an opcode, a declaration in
 * scope. */
#include "common/vgpu/ptx/ptx_internal.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 1024 };

static uint32_t hash_text(const char *text, size_t length)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

/* The slot that holds the spelling, or the empty one where it belongs. */
static Name **name_find_slot(const NameTable *t, const char *text, size_t length, uint32_t hash)
{
    for (uint32_t i = hash & (t->cap - 1);; i = (i + 1) & (t->cap - 1)) {
        Name *name = t->slots[i];
        if (!name || (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0))
            return &t->slots[i];
    }
}

static bool name_table_grow(NameTable *t)
{
    uint32_t cap = t->cap * 2;
    Name **slots = calloc(cap, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < t->cap; i++) {
        if (!t->slots[i])
            continue;
        uint32_t j = t->slots[i]->hash & (cap - 1);
        while (slots[j])
            j = (j + 1) & (cap - 1);
        slots[j] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->cap = cap;
    return true;
}

Name *names_find(const NameTable *t, const char *text, size_t length)
{
    return *name_find_slot(t, text, length, hash_text(text, length));
}

Name *names_intern(NameTable *t, const char *text, size_t length)
{
    uint32_t hash = hash_text(text, length);
    Name **slot = name_find_slot(t, text, length, hash);
    if (*slot)
        return *slot;
    if (t->n + t->n / 2 >= t->cap) {
        if (!name_table_grow(t))
            return NULL;
        slot = name_find_slot(t, text, length, hash);
    }
    Name *name = ARENA_NEW(t->arena, Name);
    char *copy = arena_strndup(t->arena, text, length);
    if (!name || !copy)
        return NULL;
    name->text = copy;
    name->length = (uint32_t)length;
    name->hash = hash;
    name->id = t->n++;
    *slot = name;
    return name;
}

/* Interns a word of the language; the caller marks what it is. Without memory it is *spare. */
static Name *word(NameTable *t, const char *text, Name *spare)
{
    Name *name = names_intern(t, text, strlen(text));
    if (name)
        return name;
    spare->id++;
    return spare;
}

static bool add_words(NameTable *t)
{
    Name spare = {0}; /* counts failures in its id */
#define X(name, text) word(t, text, &spare)->keyword = KEYWORD_##name;
#include "common/vgpu/ptx/keywords.def"
#undef X
#define X(name, text, bits, class) word(t, "." text, &spare)->type = PTX_TYPE_##name;
#include "common/vgpu/ptx/types.def"
#undef X
#define X(name, text, ...) word(t, text, &spare)->opcode = PTX_##name + 1;
#include "common/vgpu/ptx/opcodes.def"
#undef X
#define X(name, text, ...) word(t, text, &spare)->sreg = PTX_SREG_##name + 1;
#include "common/vgpu/ptx/sregs.def"
#undef X
    return spare.id == 0;
}

bool names_init(NameTable *t, Arena *arena)
{
    *t = (NameTable){.arena = arena, .cap = FIRST_CAP};
    t->slots = calloc(t->cap, sizeof *t->slots);
    return t->slots && add_words(t);
}

void names_free(NameTable *t)
{
    free(t->slots);
    *t = (NameTable){0};
}
