/* loaded: a module of PTX text, ready to be launched, for tests. */
#ifndef COMMON_VGPU_EXEC_TEST_LOADED_H
#define COMMON_VGPU_EXEC_TEST_LOADED_H

#include "common/base/strbuf.h"
#include "common/vgpu/exec/exec.h"

typedef struct Loaded {
    PtxModule *ptx;
    IrModule *module;
    IrInstance *instance;
} Loaded;

static inline Loaded loaded_of(const StrBuf *text)
{
    Loaded l = {0};
    Diag diag = {0};
    if (ptx_parse(text->text, text->length, "random.ptx", &l.ptx, &diag) ||
        ir_decode(&l.ptx, 1, &l.module, &diag) || exec_bind(l.module, &diag) ||
        ir_instantiate(l.module, NULL, &l.instance))
        fail_msg("line %d: %s\n%s", diag.line, diag.message, text->text);
    return l;
}

static inline void loaded_free(Loaded *l)
{
    ir_instance_free(l->instance);
    ir_module_free(l->module);
    ptx_module_free(l->ptx);
}

#endif
