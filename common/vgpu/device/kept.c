/* Variables of the device that keep something from one launch to the next: a counter that nobody sets back, a sum that goes on.
 *
 * Before a launch of the host's, each small variable that its kernel names is compared with what it began with. One in which a byte is another one,
 * and was last written by a kernel, is noted in the record of calls, once: `kept NAME`. It is a mistake in some programs and meant in
 * others: who reads the record tells of it where a result is wrong. An array that a kernel finds changed when it is launched for the first time
 * is how kernels hand on what they work out, and has no note. A counter that is kept is told to the checks, too, for a race that it may explain.
 *
 * Not looked at: constants, managed variables, and those of more than VARIABLE_BYTES_MAX.
 */
#include "common/vgpu/device/memory.h"

#include <stdlib.h>
#include <string.h>

enum { VARIABLE_BYTES_MAX = 4096, ELEMENT_BYTES_MAX = 8 };

static const Module *module_of(const DeviceServer *s, const IrInstance *instance)
{
    for (size_t i = 0; i < s->n_modules; i++)
        if (s->modules[i] && s->modules[i]->instance == instance)
            return s->modules[i];
    return NULL;
}

/* Names are known for the function itself; what it calls may name any. */
static bool names(const IrModule *ir, uint32_t function, uint32_t global)
{
    for (uint32_t i = 0; i < ir->n_functions; i++) {
        const IrFunction *f = &ir->functions[i];
        bool is_asked = i == function || !f->is_entry;
        for (uint32_t k = 0; is_asked && k < f->n_relocs; k++)
            if (!f->relocs[k].is_function && f->relocs[k].symbol == global)
                return true;
    }
    return false;
}

static bool is_kept(const Device *d, const Module *module, uint32_t global)
{
    const MemAlloc *a = module->globals[global];
    uint8_t first[VARIABLE_BYTES_MAX] = {0};
    if (!a || a->kind != MEM_GLOBAL_VAR || module->ir->globals[global].managed || a->bytes > sizeof first)
        return false;
    ir_global_init(module->instance, global, first);
    for (uint64_t i = 0; i < a->bytes; i++)
        if (a->host[i] != first[i] && origin_count(d, a, a->addr + i, 1) > 0)
            return true;
    return false;
}

void kept_tell(Device *d, const Grid *g)
{
    const Module *module = d->server->options.calls_fd > 0 && !g->launcher ? module_of(d->server, g->instance) : NULL;
    check_set_kept(d->check, NULL);
    for (uint32_t i = 0; module && i < module->ir->n_globals; i++) {
        if (!names(module->ir, g->function, i) || !is_kept(d, module, i))
            continue;
        const char *name = module->ir->globals[i].name;
        bool is_element = module->globals[i]->bytes <= ELEMENT_BYTES_MAX;
        if (is_element)
            check_set_kept(d->check, record_demangle(d->server, name));
        if (!module->kept_told[i] && (is_element || module->launched[g->function]))
            calls_kept(d->server, name);
        module->kept_told[i] = true;
    }
    if (module)
        module->launched[g->function] = true;
}
