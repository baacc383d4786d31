/* A decoded module on a device: pools and initialisers with real addresses; and look-ups by name. */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>
#include <string.h>

static uint64_t reloc_value(const IrInstance *in, const IrReloc *r)
{
    uint64_t base = r->is_function ? IR_FUNCTION_WINDOW + (uint64_t)IR_FUNCTION_STRIDE * r->symbol
                                   : in->global_address[r->symbol];
    return (base + (uint64_t)r->addend) >> r->shift;
}

static bool make_pool(IrInstance *in, uint32_t i)
{
    const IrFunction *f = &in->module->functions[i];
    if (f->pool_bytes == 0)
        return true;
    in->pools[i] = arena_alloc(&in->arena, f->pool_bytes < 64 ? 64 : f->pool_bytes);
    if (!in->pools[i])
        return false;
    memcpy(in->pools[i], f->pool, f->pool_bytes);
    for (uint32_t j = 0; j < f->n_relocs; j++)
        pool_put(in->pools[i], f->relocs[j].off, f->relocs[j].bytes, reloc_value(in, &f->relocs[j]));
    return true;
}

static bool instance_fill(IrInstance *in, const uint64_t *global_address)
{
    const IrModule *m = in->module;
    in->pools = ARENA_NEW_ARRAY(&in->arena, uint8_t *, m->n_functions + 1);
    in->global_address = ARENA_NEW_ARRAY(&in->arena, uint64_t, m->n_globals + 1);
    if (!in->pools || !in->global_address)
        return false;
    for (uint32_t i = 0; i < m->n_globals; i++)
        in->global_address[i] =
            m->globals[i].space == SPACE_SHARED ? m->globals[i].shared_offset : global_address[i];
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (!make_pool(in, i))
            return false;
    return true;
}

Status ir_instantiate(const IrModule *m, const uint64_t *global_address, IrInstance **out)
{
    *out = NULL;
    IrInstance *in = calloc(1, sizeof *in);
    if (!in)
        return STATUS_NO_MEMORY;
    in->module = m;
    if (!instance_fill(in, global_address)) {
        ir_instance_free(in);
        return STATUS_NO_MEMORY;
    }
    *out = in;
    return STATUS_OK;
}

void ir_global_init(const IrInstance *instance, uint32_t i, uint8_t *buf)
{
    const IrGlobal *g = &instance->module->globals[i];
    if (g->init_bytes)
        memcpy(buf, g->init, g->init_bytes);
    for (uint32_t j = 0; j < g->n_relocs; j++) {
        uint64_t value = reloc_value(instance, &g->relocs[j]);
        memcpy(buf + g->relocs[j].off, &value, g->relocs[j].bytes);
    }
}

void ir_instance_free(IrInstance *instance)
{
    if (!instance)
        return;
    arena_free(&instance->arena);
    free(instance);
}

int32_t ir_find_function(const IrModule *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_functions; i++)
        if (strcmp(m->functions[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

int32_t ir_find_global(const IrModule *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (strcmp(m->globals[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}
