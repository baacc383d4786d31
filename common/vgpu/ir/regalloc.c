/* Places of registers in the register file: linear scan over their lives.
 *
 *      +---------------+--------------+--------------+-------------+------------+
 *      | 128-bit slots | 64-bit slots | 32-bit slots | 16-bit slots| predicates |
 *      +---------------+--------------+--------------+-------------+------------+
 *
 * Two registers of one width whose lives do not overlap share a slot, so that a warp's registers stay in the
 * first-level cache: compilers' output names a new register for nearly every result. Lives include their
 * first and last pc, so the destination of an instruction never shares with its sources.
 */
#include "common/vgpu/ir/ir_internal.h"

#include <stdlib.h>

enum { N_WIDTHS = IR_N_WIDTHS, FILE_ALIGN = 64 };

static const uint8_t width_bytes[N_WIDTHS] = {16, 8, 4, 2, 0};

typedef struct Scan {
    const uint8_t *reg_bytes;
    const Lives *lives;
    uint32_t *slot;            /* [register] in its width */
    uint32_t *first, *next;    /* lists of registers + 1: by begin pc */
    uint32_t *last, *next_end; /* by end pc */
    uint32_t *free_slots[N_WIDTHS];
    uint32_t n_free[N_WIDTHS], n_slots[N_WIDTHS];
    uint64_t base[N_WIDTHS]; /* byte offset of the width's slots */
} Scan;

static int width_of(uint8_t bytes)
{
    int w = 0;
    while (width_bytes[w] != bytes)
        w++;
    return w;
}

/* Bytes of the register file that one slot takes. */
static uint32_t slot_bytes(int width)
{
    return width_bytes[width] ? width_bytes[width] * WARP_LANES : (uint32_t)sizeof(uint32_t);
}

/* Registers by begin and by end, so that the scan is linear. */
static void sort_lives(Scan *s)
{
    for (size_t r = s->lives->n; r-- > 0;) {
        if (s->lives->begin[r] > s->lives->end[r])
            continue;
        s->next[r] = s->first[s->lives->begin[r]];
        s->first[s->lives->begin[r]] = (uint32_t)r + 1;
        s->next_end[r] = s->last[s->lives->end[r]];
        s->last[s->lives->end[r]] = (uint32_t)r + 1;
    }
}

/* The peak of live registers, in 32-bit ones. */
static uint32_t scan(Scan *s, uint32_t n_insts)
{
    uint64_t live16 = 0, peak = 0;
    for (uint32_t pc = 0; pc < n_insts; pc++) {
        for (uint32_t r = s->first[pc]; r; r = s->next[r - 1]) {
            int w = width_of(s->reg_bytes[r - 1]);
            s->slot[r - 1] = s->n_free[w] ? s->free_slots[w][--s->n_free[w]] : s->n_slots[w]++;
            live16 += s->reg_bytes[r - 1] == 2 ? 2 : s->reg_bytes[r - 1] / 2;
        }
        peak = live16 > peak ? live16 : peak;
        for (uint32_t r = s->last[pc]; r; r = s->next_end[r - 1]) {
            int w = width_of(s->reg_bytes[r - 1]);
            s->free_slots[w][s->n_free[w]++] = s->slot[r - 1];
            live16 -= s->reg_bytes[r - 1] == 2 ? 2 : s->reg_bytes[r - 1] / 2;
        }
    }
    return (uint32_t)((peak + 1) / 2);
}

static uint64_t lay_out(Scan *s, uint32_t *reg_at)
{
    uint64_t at = 0;
    for (int w = 0; w < N_WIDTHS; w++) {
        s->base[w] = at;
        reg_at[w] = (uint32_t)at;
        at += (uint64_t)s->n_slots[w] * slot_bytes(w);
    }
    reg_at[N_WIDTHS] = (uint32_t)at;
    return (at + FILE_ALIGN - 1) / FILE_ALIGN * FILE_ALIGN;
}

static void place(void *self, IrOperand *o, bool is_dest)
{
    Scan *s = self;
    (void)is_dest;
    int w = width_of(s->reg_bytes[o->off]);
    o->off = (uint32_t)(s->base[w] + (uint64_t)s->slot[o->off] * slot_bytes(w));
}

static bool scan_allocate(Scan *s, size_t n_regs, size_t n_insts)
{
    bool ok = true;
    s->slot = calloc(n_regs + 1, sizeof *s->slot);
    s->next = calloc(n_regs + 1, sizeof *s->next);
    s->next_end = calloc(n_regs + 1, sizeof *s->next_end);
    s->first = calloc(n_insts + 1, sizeof *s->first);
    s->last = calloc(n_insts + 1, sizeof *s->last);
    for (int w = 0; w < N_WIDTHS; w++) {
        s->free_slots[w] = malloc((n_regs + 1) * sizeof *s->free_slots[w]);
        ok = ok && s->free_slots[w];
    }
    return ok && s->slot && s->next && s->next_end && s->first && s->last;
}

static void scan_free(Scan *s)
{
    free(s->slot);
    free(s->next);
    free(s->next_end);
    free(s->first);
    free(s->last);
    for (int w = 0; w < N_WIDTHS; w++)
        free(s->free_slots[w]);
}

Status regs_allocate(IrFunction *f, const uint8_t *reg_bytes, size_t n_regs, const Lives *lives)
{
    Scan s = {.reg_bytes = reg_bytes, .lives = lives};
    Status status = scan_allocate(&s, n_regs, f->n_insts) ? STATUS_OK : STATUS_NO_MEMORY;
    if (!status) {
        sort_lives(&s);
        uint32_t peak = scan(&s, f->n_insts);
        f->n_regs32 = lives->in ? f->n_regs32 : peak; /* too large for an exact look */
        uint64_t bytes = lay_out(&s, f->reg_at);
        status = bytes <= IR_REGISTER_BYTES_MAX ? STATUS_OK : STATUS_LIMIT;
        f->reg_bytes = (uint32_t)bytes;
    }
    for (uint32_t pc = 0; !status && pc < f->n_insts; pc++)
        ir_visit_regs(&f->insts[pc], place, &s);
    for (uint32_t i = 0; !status && i < f->n_unset; i++)
        place(&s, &f->unset[i], false);
    scan_free(&s);
    return status;
}
