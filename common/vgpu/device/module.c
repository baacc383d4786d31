/* module: PTX text becomes code and variables on a device.
 *
 * A module's variables are allocations with a name, so that checks and messages know them like any other
 * memory.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"
#include "common/vgpu/device/queue.h"

#include <stdlib.h>
#include <string.h>

enum { OLDEST_TARGET = 75 }; /* that nvcc 13 still makes */

/* ---- loading ---- */

static Status parse_images(const DeviceMsg *m, PtxModule **parsed, Diag *diag)
{
    const char *text = m->in.data;
    for (uint32_t i = 0; i < m->module.n_images; i++) {
        Status st = ptx_parse(text, m->module.lengths[i], "PTX", &parsed[i], diag);
        if (st != STATUS_OK)
            return st;
        text += m->module.lengths[i];
    }
    return STATUS_OK;
}

static Status decode(const DeviceMsg *m, IrModule **out, Diag *diag)
{
    PtxModule **parsed = calloc(m->module.n_images, sizeof *parsed);
    if (!parsed)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a module");
    Status st = parse_images(m, parsed, diag);
    if (st == STATUS_OK)
        st = ir_decode(parsed, m->module.n_images, out, diag);
    for (uint32_t i = 0; i < m->module.n_images; i++)
        ptx_module_free(parsed[i]);
    free(parsed);
    return st;
}

static bool needs_memory(const IrGlobal *g)
{
    return (g->space == SPACE_GLOBAL || g->space == SPACE_CONST) && g->bytes > 0;
}

static MemAlloc *alloc_global(Device *d, const IrGlobal *g)
{
    if (!g->managed)
        return mem_alloc(d->mem, g->bytes, g->space == SPACE_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR, 0,
                         g->name);
    void *p = host_map(d->server, g->bytes);
    return p ? mem_register(d->mem, p, g->bytes, MEM_GLOBAL_VAR, 0) : NULL;
}

/* Places the variables, then fills them: an initialiser may hold addresses of others. */
static bool place_globals(Device *d, Module *module)
{
    const IrModule *ir = module->ir;
    uint64_t *address = calloc(ir->n_globals + 1, sizeof *address);
    module->globals = calloc(ir->n_globals + 1, sizeof *module->globals);
    module->kept_told = calloc(ir->n_globals + 1, sizeof *module->kept_told);
    module->launched = calloc(ir->n_functions + 1, sizeof *module->launched);
    bool ok = address && module->globals && module->kept_told && module->launched;
    for (uint32_t i = 0; i < ir->n_globals && ok; i++) {
        if (!needs_memory(&ir->globals[i]))
            continue;
        module->globals[i] = alloc_global(d, &ir->globals[i]);
        ok = module->globals[i] != NULL;
        if (ok)
            address[i] = module->globals[i]->addr;
    }
    ok = ok && ir_instantiate(ir, address, &module->instance) == STATUS_OK;
    for (uint32_t i = 0; i < ir->n_globals && ok; i++) {
        MemAlloc *a = module->globals[i];
        if (!a)
            continue;
        memset(a->host, 0, a->bytes);
        ir_global_init(module->instance, i, a->host);
        mem_mark_init(a, a->addr, a->bytes, true);
        if (d->server->provenance)
            provenance_variable(d->server->provenance, d, a, ir->globals[i].init == NULL);
    }
    free(address);
    return ok;
}

static void free_module(Module *module, Device *d)
{
    if (d->server->provenance)
        provenance_forget_module(d->server->provenance, module->ir);
    if (module->globals)
        for (uint32_t i = 0; i < module->ir->n_globals; i++) {
            MemAlloc *a = module->globals[i];
            if (!a)
                continue;
            void *managed = module->ir->globals[i].managed ? a->host : NULL;
            uint64_t bytes = a->bytes;
            if (d->server->provenance)
                provenance_drop(d->server->provenance, d, a);
            origin_drop(d, a->serial);
            mem_free(d->mem, a->addr, 0);
            if (managed)
                host_unmap(d->server, managed, bytes);
        }
    free(module->globals);
    free(module->kept_told);
    free(module->launched);
    if (module->instance)
        ir_instance_free(module->instance);
    ir_module_free(module->ir);
    *module = (Module){0};
}

static DeviceError load_error(Status st)
{
    return st == STATUS_NO_MEMORY     ? DEVICE_NO_MEMORY
           : st == STATUS_UNSUPPORTED ? DEVICE_UNSUPPORTED_PTX
                                      : DEVICE_INVALID_PTX;
}

uint32_t module_newest_target(const PerfModel *model)
{
    uint32_t own = model->major * 10 + model->minor;
    return own > OLDEST_TARGET ? own : OLDEST_TARGET;
}

DeviceError module_load(Device *d, const DeviceMsg *m, DeviceReply *r)
{
    DeviceServer *s = d->server;
    Module *module = calloc(1, sizeof *module);
    if (!module || !VEC_GROW(s->modules, s->n_modules, s->modules_cap)) {
        free(module);
        return DEVICE_NO_MEMORY;
    }
    Status st = decode(m, &module->ir, &r->diag);
    if (st == STATUS_OK && module->ir->target > module_newest_target(d->model)) {
        diag_set(&r->diag, STATUS_UNSUPPORTED,
                 "its .target sm_%u is newer than this device, compute capability %u.%u", module->ir->target,
                 d->model->major, d->model->minor);
        ir_module_free(module->ir);
        free(module);
        return DEVICE_NO_IMAGE;
    }
    if (st == STATUS_OK && m->module.use != MODULE_OF_PROGRAM && r->diag.code == STATUS_UNSUPPORTED) {
        ir_module_free(module->ir); /* a just-in-time compiler would not take it either */
        st = STATUS_UNSUPPORTED;
    }
    if (st == STATUS_OK && m->module.use == MODULE_TRIED)
        ir_module_free(module->ir);
    if (st != STATUS_OK || m->module.use == MODULE_TRIED) {
        free(module);
        return st == STATUS_OK ? DEVICE_OK : load_error(st);
    }
    exec_bind(module->ir,
              &r->diag); /* what it does not know stops the kernel that gets there, and no other */
    r->diag = (Diag){0};
    module->device = d->index;
    module->owned = m->module.use == MODULE_OWNED;
    module->site = m->site;
    d->n_allocs++;
    if (!place_globals(d, module)) {
        free_module(module, d);
        free(module);
        return DEVICE_NO_MEMORY;
    }
    s->modules[s->n_modules++] = module;
    r->value = s->n_modules;
    return DEVICE_OK;
}

static Module *find_module(DeviceServer *s, uint32_t id)
{
    return id > 0 && id <= s->n_modules && s->modules[id - 1]->ir ? s->modules[id - 1] : NULL;
}

DeviceError module_unload(DeviceServer *s, const DeviceMsg *m)
{
    Module *module = find_module(s, m->module.id);
    if (!module)
        return DEVICE_INVALID_HANDLE;
    Device *d = s->devices[module->device];
    DeviceError error = queue_run_device(d);
    if (error == DEVICE_OK)
        free_module(module, d);
    return error;
}

void module_free_all(DeviceServer *s, uint32_t device)
{
    for (size_t i = 0; i < s->n_modules; i++)
        if (s->modules[i]->ir && s->modules[i]->device == device)
            free_module(s->modules[i], s->devices[device]);
}

void module_leaks(DeviceServer *s, uint32_t device)
{
    for (size_t i = 0; i < s->n_modules; i++)
        if (s->modules[i]->ir && s->modules[i]->device == device && s->modules[i]->owned)
            check_module_leak(s->devices[device]->check, s->modules[i]->site);
}

/* ---- functions ---- */

static Function *find_function(DeviceServer *s, uint32_t id)
{
    return id > 0 && id <= s->n_functions && find_module(s, s->functions[id - 1].module)
               ? &s->functions[id - 1]
               : NULL;
}

const IrFunction *function_ir(DeviceServer *s, uint32_t id)
{
    const Function *f = find_function(s, id);
    return f ? &find_module(s, f->module)->ir->functions[f->index] : NULL;
}

static uint32_t const_bytes(const IrModule *ir)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < ir->n_globals; i++)
        if (ir->globals[i].space == SPACE_CONST)
            bytes += ir->globals[i].bytes;
    return (uint32_t)bytes;
}

/* The largest block that a kernel can have: its launch bounds, the card's limit, and the registers of a
 * multiprocessor, in whole warps. */
static uint32_t most_threads(const PerfModel *model, const IrFunction *ir)
{
    uint32_t most = ir->max_threads > 0 && ir->max_threads < model->threads_per_block
                        ? ir->max_threads
                        : model->threads_per_block;
    PerfOccupancy o;
    for (uint32_t threads = most; threads > WARP_LANES; threads = (threads - 1) / WARP_LANES * WARP_LANES) {
        PerfBlockNeeds needs = launch_needs(ir, threads, 0);
        perf_occupancy(model, &needs, &o);
        if (o.by_regs > 0)
            return threads;
    }
    return most < WARP_LANES ? most : WARP_LANES;
}

uint32_t function_threads_max(DeviceServer *s, uint32_t id)
{
    const Module *module = find_module(s, find_function(s, id)->module);
    return most_threads(s->devices[module->device]->model, function_ir(s, id));
}

static void describe(DeviceServer *s, uint32_t id, DeviceFunctionInfo *out)
{
    const Function *f = find_function(s, id);
    const Module *module = find_module(s, f->module);
    const IrFunction *ir = &module->ir->functions[f->index];
    const PerfModel *model = s->devices[module->device]->model;
    uint32_t regs = ir->n_regs32 > model->regs_per_thread_max ? model->regs_per_thread_max : ir->n_regs32;
    *out = (DeviceFunctionInfo){
        .n_params = ir->n_params,
        .param_bytes = ir->param_bytes,
        .static_shared = ir->static_shared_bytes,
        .local_bytes = ir->frame_bytes,
        .registers = regs,
        .threads_max = function_threads_max(s, id),
        .const_bytes = const_bytes(module->ir),
        .dynamic_shared_max = f->dynamic_shared_max,
        .target = module->ir->target,
        .ptx_version = module->ir->ptx_version,
        .has_lines = ir->has_lines,
    };
}

DeviceError function_find(DeviceServer *s, const DeviceMsg *m, DeviceReply *r)
{
    const Module *module = find_module(s, m->module.id);
    int32_t index = module ? ir_find_function(module->ir, m->in.data) : -1;
    if (index < 0 || !module->ir->functions[index].is_entry)
        return DEVICE_INVALID_FUNCTION;
    if (!VEC_GROW(s->functions, s->n_functions, s->functions_cap))
        return DEVICE_NO_MEMORY;
    uint32_t shared = s->devices[module->device]->model->shared_per_block;
    uint32_t used = module->ir->functions[index].static_shared_bytes;
    const char *title = record_demangle(s, module->ir->functions[index].name);
    s->functions[s->n_functions++] = (Function){.module = m->module.id,
                                                .index = (uint32_t)index,
                                                .dynamic_shared_max = shared > used ? shared - used : 0,
                                                .title = strdup(title)};
    r->value = s->n_functions;
    if (m->out.data)
        describe(s, (uint32_t)r->value, m->out.data);
    return DEVICE_OK;
}

DeviceError function_params(DeviceServer *s, const DeviceMsg *m, DeviceReply *r)
{
    const IrFunction *f = function_ir(s, m->function.id);
    if (!f)
        return DEVICE_INVALID_FUNCTION;
    DeviceParam *out = m->out.data;
    for (uint32_t i = 0; i < f->n_params && (i + 1) * sizeof *out <= m->out.bytes; i++)
        out[i] = (DeviceParam){.offset = f->params[i].offset, .bytes = f->params[i].bytes};
    r->value = f->n_params;
    return DEVICE_OK;
}

DeviceError function_info(DeviceServer *s, const DeviceMsg *m)
{
    if (!find_function(s, m->function.id))
        return DEVICE_INVALID_FUNCTION;
    find_function(s, m->function.id)->told = true;
    describe(s, m->function.id, m->out.data);
    return DEVICE_OK;
}

DeviceError function_set(DeviceServer *s, const DeviceMsg *m)
{
    Function *f = find_function(s, m->function.id);
    if (!f)
        return DEVICE_INVALID_FUNCTION;
    const Module *module = find_module(s, f->module);
    uint64_t limit = s->devices[module->device]->model->shared_per_block_optin;
    uint64_t used = module->ir->functions[f->index].static_shared_bytes;
    if (m->function.dynamic_shared_max + used > limit)
        return DEVICE_INVALID_VALUE;
    f->dynamic_shared_max = m->function.dynamic_shared_max;
    return DEVICE_OK;
}

DeviceError function_occupancy(DeviceServer *s, const DeviceMsg *m, DeviceReply *r)
{
    Function *f = find_function(s, m->function.id);
    if (!f)
        return DEVICE_INVALID_FUNCTION;
    f->told = true;
    const PerfModel *model = s->devices[find_module(s, f->module)->device]->model;
    const IrFunction *ir = function_ir(s, m->function.id);
    if (m->function.block_threads > (ir->max_threads > 0 ? ir->max_threads : model->threads_per_block) ||
        m->function.dynamic_shared > model->shared_per_sm)
        return DEVICE_OK;
    PerfBlockNeeds needs = launch_needs(ir, m->function.block_threads, m->function.dynamic_shared);
    PerfOccupancy o;
    perf_occupancy(model, &needs, &o);
    r->value = o.blocks_per_sm;
    return DEVICE_OK;
}

DeviceError variable_find(DeviceServer *s, const DeviceMsg *m, DeviceReply *r)
{
    const Module *module = find_module(s, m->module.id);
    int32_t i = module ? ir_find_global(module->ir, m->in.data) : -1;
    if (i < 0 || !module->globals[i])
        return DEVICE_INVALID_SYMBOL;
    r->value = module->globals[i]->addr;
    r->value2 = module->globals[i]->bytes;
    return DEVICE_OK;
}
