/* Places in local memory and in the parameter buffer.
 *
 *      frame of a device function, for a lane
 *      +--------+---------+------------------------------+-----------------+
 *      | params | results | call temporaries (.param of  | .local variables|
 *      |        |         | { } scopes, overlaid)        |                 |
 *      +--------+---------+------------------------------+-----------------+
 *
 * The temporaries of one call sequence are dead when its scope ends, so scopes side by side share their
 * place.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static uint32_t place_param(IrParam *to, Linker *l, const PtxVariable *v, uint64_t at)
{
    uint64_t bytes = v->bytes ? v->bytes : v->space == PTX_SPACE_REG ? 4 : 0;
    uint32_t align = v->align ? v->align : 1;
    at = align_up(at, align);
    *to = (IrParam){.name = link_text(l, v->name), .offset = (uint32_t)at, .align = align, .type = v->type};
    to->bytes = bytes > IR_FRAME_BYTES_MAX ? IR_FRAME_BYTES_MAX : (uint32_t)bytes;
    return (uint32_t)(at + to->bytes);
}

static IrParam *place_params(Linker *l, PtxVariable *const *from, uint32_t n, uint64_t *end)
{
    IrParam *list = link_alloc(l, n, sizeof *list);
    for (uint32_t i = 0; i < n && list && *end <= IR_FRAME_BYTES_MAX; i++)
        *end = place_param(&list[i], l, from[i], *end);
    return list;
}

void frame_params(Linker *l, IrFunction *f, const PtxFunction *pf, const PtxModule *pm)
{
    uint64_t end = 0, limit = f->is_entry ? IR_PARAM_BYTES_MAX : IR_FRAME_BYTES_MAX;
    f->params = place_params(l, pf->params, pf->n_params, &end);
    f->results = place_params(l, pf->results, pf->n_results, &end);
    f->n_params = l->status ? 0 : pf->n_params;
    f->n_results = l->status ? 0 : pf->n_results;
    if (end > limit)
        link_fail(l, STATUS_LIMIT, pm, pf->line, pf->column,
                  "the parameters of '%s' take more than %llu bytes", pf->name, (unsigned long long)limit);
    f->param_bytes = f->is_entry ? (uint32_t)end : 0;
    f->frame_bytes = f->is_entry ? 0 : (uint32_t)end;
}

/* Reserves bytes at or after `at`; its offset is *place, its end the result. Fails the link when frames get
 * too large. */
static uint64_t reserve_in_frame(Decoder *d, uint64_t at, uint64_t bytes, uint32_t align, uint32_t *place)
{
    at = align_up(at, align ? align : 1);
    *place = (uint32_t)at;
    if (bytes > IR_FRAME_BYTES_MAX || at + bytes > IR_FRAME_BYTES_MAX) {
        link_fail(d->l, STATUS_LIMIT, d->pm, d->pf->line, d->pf->column,
                  "'%s' needs more than %d bytes of local memory", d->pf->name, IR_FRAME_BYTES_MAX);
        return IR_FRAME_BYTES_MAX;
    }
    return at + bytes;
}

/* Call temporaries: a stack of those whose scopes are open. */
static uint64_t place_temporaries(Decoder *d, uint64_t base)
{
    const PtxFunction *pf = d->pf;
    uint64_t top = base, highest = base;
    struct Open {
        uint32_t scope_end;
        uint64_t below;
    } *open = calloc(pf->n_variables + 1, sizeof *open);
    size_t n_open = 0;
    if (!open) {
        link_no_memory(d->l);
        return base;
    }
    for (uint32_t i = 0; i < pf->n_variables && !d->l->status; i++) {
        const PtxVariable *v = pf->variables[i];
        if (v->space != PTX_SPACE_PARAM)
            continue;
        while (n_open > 0 && open[n_open - 1].scope_end <= v->scope_begin)
            top = open[--n_open].below;
        open[n_open].scope_end = v->scope_end;
        open[n_open++].below = top;
        top = reserve_in_frame(d, top, v->bytes, v->align, &d->variable_place[i]);
        highest = top > highest ? top : highest;
    }
    free(open);
    return highest;
}

static void place_locals(Decoder *d)
{
    for (uint32_t i = 0; i < d->pf->n_variables && !d->l->status; i++) {
        const PtxVariable *v = d->pf->variables[i];
        if (v->space == PTX_SPACE_LOCAL)
            d->frame_end =
                (uint32_t)reserve_in_frame(d, d->frame_end, v->bytes, v->align, &d->variable_place[i]);
        else if (v->space != PTX_SPACE_PARAM)
            d->variable_place[i] = link_add_global(d->l, d->module, v);
    }
}

void frame_layout(Decoder *d)
{
    d->variable_place = calloc(d->pf->n_variables + 1, sizeof *d->variable_place);
    if (!d->variable_place) {
        link_no_memory(d->l);
        return;
    }
    d->frame_end = (uint32_t)place_temporaries(d, d->f->frame_bytes);
    d->f->locals_begin = d->frame_end;
    place_locals(d);
    d->f->locals_end = d->frame_end;
}

uint32_t frame_add(Decoder *d, uint32_t bytes, uint32_t align)
{
    uint32_t place = 0;
    d->frame_end = (uint32_t)reserve_in_frame(d, d->frame_end, bytes, align, &place);
    return place;
}
