/* Bank conflicts. Shared memory has 32 banks of 4 bytes; one pass (wavefront) serves one word of each bank,
 * and any number of lanes that want the same word. Lanes of 8 bytes go in two halves of a warp, of 16 bytes
 * in four quarters (CUDA C++ Programming Guide, compute capability 5.x and later). The least is one pass for
 * each group of lanes that has an active one.
 */
#include "common/vgpu/perf/perf_internal.h"

enum { BANKS = 32 };

/* Passes for the lanes of `mask`: the most words that one bank has to give. */
static unsigned group_passes(const ExecAccess *a, uint32_t mask)
{
    uint64_t words[BANKS][BANKS]; /* different words of each bank; only the first n[bank] are set. A group has
                                     32 words at most */
    uint8_t n[BANKS] = {0};
    unsigned most = 0, words_each = a->bytes <= 4 ? 1 : a->bytes / 4;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t first = a->addr[__builtin_ctz(rest)] / 4;
        for (uint64_t word = first; word < first + words_each; word++) {
            unsigned bank = word % BANKS, i = 0;
            while (i < n[bank] && words[bank][i] != word)
                i++;
            if (i == n[bank])
                words[bank][n[bank]++] = word;
            most = n[bank] > most ? n[bank] : most;
        }
    }
    return most;
}

void bank_wavefronts(const ExecAccess *a, unsigned *wavefronts, unsigned *least)
{
    unsigned groups = a->bytes <= 4 ? 1 : a->bytes <= 8 ? 2 : 4, lanes = WARP_LANES / groups;
    *wavefronts = *least = a->pattern == PATTERN_UNIFORM;
    if (a->pattern == PATTERN_UNIFORM)
        return;
    for (unsigned g = 0; g < groups; g++) {
        uint32_t mask = a->mask & (uint32_t)((((uint64_t)1 << lanes) - 1) << g * lanes);
        if (!mask)
            continue;
        *wavefronts += a->pattern == PATTERN_UNIT_STRIDE ? 1 : group_passes(a, mask);
        *least += 1;
    }
}
