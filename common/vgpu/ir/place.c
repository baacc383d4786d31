/* Places in the source that a person looks for. */
#include "common/vgpu/ir/ir.h"

#include <string.h>

bool ir_is_system_file(const char *file)
{
    return strncmp(file, "/usr/", 5) == 0 || strncmp(file, "/opt/", 5) == 0 ||
           strstr(file, "/targets/x86_64-linux/include/");
}

const IrLoc *ir_place(const IrModule *m, const IrFunction *f, uint32_t pc)
{
    if (pc >= f->n_insts || f->insts[pc].loc >= f->n_locs)
        return NULL;
    const IrLoc *l = &f->locs[f->insts[pc].loc];
    while (l->parent >= 0 && ir_is_system_file(m->files[l->file]))
        l = &f->locs[l->parent];
    return l->line == 0 ? NULL : l;
}
