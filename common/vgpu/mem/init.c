/* The init bitmap: bit i of an allocation says that byte i was written.
 *
 * Blocks on several threads may mark neighbouring bytes at once: whole bitmap bytes are stored plainly (all
 * writers store the same 0xFF), parts of one are set by an atomic or.
 */
#include "common/vgpu/mem/mem.h"

#include <string.h>

static void set_bits(uint8_t *byte, uint8_t bits, bool on)
{
    uint8_t now = __atomic_load_n(byte, __ATOMIC_RELAXED);
    if (on && (now & bits) != bits)
        __atomic_fetch_or(byte, bits, __ATOMIC_RELAXED);
    if (!on && (now & bits))
        __atomic_fetch_and(byte, (uint8_t)~bits, __ATOMIC_RELAXED);
}

void mem_mark_init(MemAlloc *a, uint64_t addr, uint64_t bytes, bool initialised)
{
    if (!a->init || bytes == 0)
        return;
    uint64_t first = addr - a->addr, end = first + bytes;
    uint8_t first_bits = (uint8_t)(0xFF << (first % 8)), end_bits = (uint8_t)((1 << (end % 8)) - 1);
    if (first / 8 == end / 8) {
        set_bits(a->init + first / 8, first_bits & end_bits, initialised);
        return;
    }
    if (first % 8)
        set_bits(a->init + first / 8, first_bits, initialised);
    uint64_t whole = (first + 7) / 8;
    if (end / 8 > whole)
        memset(a->init + whole, initialised ? 0xFF : 0, end / 8 - whole);
    if (end % 8)
        set_bits(a->init + end / 8, end_bits, initialised);
}

static uint64_t load_word(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

uint64_t mem_first_uninit(const MemAlloc *a, uint64_t addr, uint64_t bytes)
{
    if (!a->init)
        return bytes;
    uint64_t first = addr - a->addr, end = first + bytes;
    for (uint64_t i = first; i < end;) {
        if (i % 64 == 0 && end - i >= 64 && load_word(a->init + i / 8) == UINT64_MAX) {
            i += 64;
            continue;
        }
        if (!(a->init[i / 8] >> (i % 8) & 1))
            return i - first;
        i++;
    }
    return bytes;
}
