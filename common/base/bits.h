/* bits: counting them without the instruction, which the oldest x86-64 lacks. */
#ifndef COMMON_BASE_BITS_H
#define COMMON_BASE_BITS_H

#include <stdint.h>

static inline uint32_t bits_count(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24;
}

#endif
