/* A launch as its caller wrote it: <<<(4,2), (16,16), 1024>>>(#1, #2 + 4000 bytes, 300007, 0.5)
 *
 *   #2      allocation 2, as findings number them; with the bytes that a pointer lies behind its start
 *   {12}    a structure of 12 bytes
 *   another address   of the host, or of another device
 *
 * Types of parameters are those of PTX, which knows no sign: whole numbers are told as signed ones.
 */
#include "common/vgpu/check/check.h"

#include <inttypes.h>
#include <string.h>

enum { ARGUMENTS_TOLD = 12 };
#define ADDRESSES_FROM (UINT64_C(1) << 40) /* what is larger and no address here is one of another device, or of the host */

static void put_size(StrBuf *out, const uint32_t d[3])
{
    if (d[1] == 1 && d[2] == 1)
        strbuf_printf(out, "%u", d[0]);
    else if (d[2] == 1)
        strbuf_printf(out, "(%u,%u)", d[0], d[1]);
    else
        strbuf_printf(out, "(%u,%u,%u)", d[0], d[1], d[2]);
}

static void put_pointer_or_number(StrBuf *out, uint64_t value, const Mem *mem)
{
    const MemAlloc *a = mem ? mem_find_nearest(mem, value) : NULL;
    bool is_end = a && value == a->addr + a->bytes; /* past all elements, as of a part that has none */
    if (!a || a->kind == MEM_INTERNAL || value < a->addr || value > a->addr + a->bytes || (is_end && a->freed)) {
        if (value >= ADDRESSES_FROM && value <= INT64_MAX) /* which one, the system chooses anew each time */
            strbuf_puts(out, "another address");
        else
            strbuf_printf(out, "%" PRId64, (int64_t)value);
        return;
    }
    strbuf_printf(out, "#%u", a->serial);
    if (value > a->addr)
        strbuf_printf(out, " + %" PRIu64 " bytes", value - a->addr);
}

static void put_argument(StrBuf *out, const IrParam *p, const uint8_t *from, const Mem *mem)
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        uint64_t u64;
        float f32;
        double f64;
    } v = {0};
    if (p->bytes > sizeof v || (p->type == PTX_TYPE_B8 && p->bytes > 1)) {
        strbuf_printf(out, "{%u}", p->bytes);
        return;
    }
    memcpy(&v, from, p->bytes);
    if (p->type == PTX_TYPE_F32)
        strbuf_printf(out, "%.9g", v.f32);
    else if (p->type == PTX_TYPE_F64)
        strbuf_printf(out, "%.17g", v.f64);
    else if (p->bytes == 8)
        put_pointer_or_number(out, v.u64, mem);
    else
        strbuf_printf(out, "%" PRId32, p->bytes == 4 ? v.i32 : p->bytes == 2 ? v.i16 : v.i8);
}

void check_put_launch(StrBuf *out, const CheckLaunchText *l)
{
    const IrFunction *f = l->function;
    strbuf_puts(out, "<<<");
    put_size(out, l->grid);
    strbuf_puts(out, ", ");
    put_size(out, l->block);
    if (l->dynamic_shared)
        strbuf_printf(out, ", %" PRIu64, l->dynamic_shared);
    strbuf_puts(out, ">>>(");
    for (uint32_t i = 0; l->params && i < f->n_params; i++) {
        const IrParam *p = &f->params[i];
        strbuf_puts(out, i ? ", " : "");
        if (i == ARGUMENTS_TOLD) {
            strbuf_puts(out, "...");
            break;
        }
        if (p->offset + (uint64_t)p->bytes <= f->param_bytes)
            put_argument(out, p, l->params + p->offset, l->mem);
    }
    strbuf_puts(out, l->params || f->n_params == 0 ? ")" : "...)");
}
