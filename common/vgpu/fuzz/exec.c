/* Target exec: any bytes as a module; what decodes is bound, put into memory, and each of its first kernels
 * launched with two blocks of 48 threads (a full warp and half a one) under an instruction budget. Parameters
 * are addresses of a buffer, so that loads and stores find something. Modules that want more than a small
 * device has are left out. */
#include "common/vgpu/exec/exec.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUDGET = 2000, /* warp instructions of a launch */
    KERNELS_MAX = 3,
    BUFFER_BYTES = 4096,
    GLOBAL_MAX = 1 << 16,
    SHARED_MAX = 48 << 10,
    PARAM_MAX = 4096,
    REGISTERS_MAX = 1 << 20,
    MEMORY_BYTES = 8 << 20,
};

static uint64_t refuse_alloc(void *self, uint64_t bytes, uint64_t site)
{
    (void)self, (void)bytes, (void)site;
    return 0;
}

static bool refuse_free(void *self, uint64_t addr)
{
    (void)self, (void)addr;
    return false;
}

static void ignore_text(void *self, const char *text, size_t length)
{
    (void)self, (void)text, (void)length;
}

static bool is_small(const IrModule *m)
{
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (m->globals[i].bytes > GLOBAL_MAX)
            return false;
    for (uint32_t i = 0; i < m->n_functions; i++) {
        const IrFunction *f = &m->functions[i];
        if (f->static_shared_bytes > SHARED_MAX || f->param_bytes > PARAM_MAX ||
            f->reg_bytes > REGISTERS_MAX || f->frame_bytes > GLOBAL_MAX)
            return false;
    }
    return m->n_globals < 64;
}

/* Places for the module's variables; false when memory is full. */
static bool place_globals(const IrModule *m, Mem *mem, MemAlloc **allocs, uint64_t *places)
{
    for (uint32_t i = 0; i < m->n_globals; i++) {
        const IrGlobal *g = &m->globals[i];
        if (g->space == SPACE_SHARED || !g->bytes)
            continue;
        allocs[i] =
            mem_alloc(mem, g->bytes, g->space == SPACE_CONST ? MEM_CONST_VAR : MEM_GLOBAL_VAR, 0, g->name);
        if (!allocs[i])
            return false;
        places[i] = allocs[i]->addr;
        memset(allocs[i]->host, 0, allocs[i]->bytes);
    }
    return true;
}

static void launch(const IrInstance *instance, uint32_t function, uint32_t param_bytes, Mem *mem,
                   uint64_t buffer)
{
    static const ExecHost host = {.print = ignore_text, .heap_alloc = refuse_alloc, .heap_free = refuse_free};
    uint64_t params[PARAM_MAX / 8 + 1];
    for (uint32_t i = 0; i <= param_bytes / 8; i++)
        params[i] = buffer;
    const ExecLaunch l = {.instance = instance,
                          .function = function,
                          .grid = {2, 1, 1},
                          .block = {48, 1, 1},
                          .dynamic_shared = 256,
                          .params = (const uint8_t *)params,
                          .mem = mem,
                          .max_instructions = BUDGET,
                          .stack_limit = 1024,
                          .n_sms = 2,
                          .jobs = 1,
                          .host = &host};
    ExecResult result = {0};
    exec_launch(&l, &result);
}

static void run_kernels(IrModule *m, Mem *mem)
{
    uint64_t places[64] = {0};
    MemAlloc *allocs[64] = {NULL};
    IrInstance *instance = NULL;
    MemAlloc *buffer = mem_alloc(mem, BUFFER_BYTES, MEM_DEVICE, 0, NULL);
    if (!buffer || !place_globals(m, mem, allocs, places) ||
        ir_instantiate(m, places, &instance) != STATUS_OK)
        return;
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (allocs[i])
            ir_global_init(instance, i, allocs[i]->host);
    int n = 0;
    for (uint32_t i = 0; i < m->n_functions && n < KERNELS_MAX; i++)
        if (m->functions[i].is_entry && !m->functions[i].is_extern) {
            launch(instance, i, m->functions[i].param_bytes, mem, buffer->addr);
            n++;
        }
    ir_instance_free(instance);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PtxModule *parsed = NULL;
    IrModule *module = NULL;
    Mem *mem = NULL;
    Diag diag = {0};
    if (ptx_parse((const char *)data, size, "fuzz.ptx", &parsed, &diag) != STATUS_OK)
        return 0;
    if (ir_decode(&parsed, 1, &module, &diag) == STATUS_OK && is_small(module) &&
        mem_create(0, MEMORY_BYTES, 1, &mem) == STATUS_OK) {
        exec_bind(module, NULL);
        run_kernels(module, mem);
    }
    mem_destroy(mem);
    ir_module_free(module);
    ptx_module_free(parsed);
    return 0;
}
