/* Symbols by name: one table for what modules export and for what they keep to themselves. */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_symbol(uint32_t module, const char *name)
{
    uint32_t h = 2166136261u ^ module;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h ^ h >> 15;
}

static uint32_t *symbol_find_slot(const SymbolTable *t, uint32_t module, const char *name, uint32_t hash)
{
    for (size_t i = hash & (t->n_slots - 1);; i = (i + 1) & (t->n_slots - 1)) {
        const Symbol *s = t->slots[i] ? &t->symbols[t->slots[i] - 1] : NULL;
        if (!s || (s->hash == hash && s->module == module && strcmp(s->name, name) == 0))
            return &t->slots[i];
    }
}

Symbol *symbols_find(const SymbolTable *t, uint32_t module, const char *name)
{
    if (t->n_slots == 0)
        return NULL;
    uint32_t slot = *symbol_find_slot(t, module, name, hash_symbol(module, name));
    return slot ? &t->symbols[slot - 1] : NULL;
}

static bool symbol_table_grow(SymbolTable *t)
{
    size_t n_slots = t->n_slots ? t->n_slots * 2 : 256;
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->n_slots = n_slots;
    for (size_t i = 0; i < t->n; i++)
        *symbol_find_slot(t, t->symbols[i].module, t->symbols[i].name, t->symbols[i].hash) = (uint32_t)i + 1;
    return true;
}

bool symbols_add(SymbolTable *t, const Symbol *s)
{
    if (!VEC_GROW(t->symbols, t->n, t->cap) || (t->n * 2 >= t->n_slots && !symbol_table_grow(t)))
        return false;
    uint32_t hash = hash_symbol(s->module, s->name);
    t->symbols[t->n] = *s;
    t->symbols[t->n++].hash = hash;
    *symbol_find_slot(t, s->module, s->name, hash) = (uint32_t)t->n;
    return true;
}

void symbols_free(SymbolTable *t)
{
    free(t->symbols);
    free(t->slots);
    *t = (SymbolTable){0};
}
