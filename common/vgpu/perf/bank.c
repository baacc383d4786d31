/* Bank conflicts. Shared memory has 32 banks of 4 bytes; one pass (wavefront) serves one word of each bank,
 * and any number of lanes that want the same word. Lanes of 8 bytes go in two halves of a warp, of 16 bytes
 * in four quarters (CUDA C++ Programming Guide, compute capability 5.x and later). The least is one pass for
 * each group of lanes that has an active one.
 */
#include "common/vgpu/perf/perf_internal.h"

#include <string.h>

enum { BANKS = 32 };

/* Different words of each bank. A group of lanes has 32 words at most, and most banks have one. */
typedef struct Banks {
    uint8_t n[BANKS];
    uint32_t words[BANKS][BANKS]; /* only the first n[bank] are set */
    unsigned most;
} Banks;

static void banks_add_word(Banks *b, uint32_t word)
{
    unsigned bank = word % BANKS, n = b->n[bank], i = 0;
    while (i < n && b->words[bank][i] != word)
        i++;
    if (i < n)
        return;
    b->words[bank][n] = word;
    b->n[bank] = (uint8_t)(n + 1);
    b->most = n + 1 > b->most ? n + 1 : b->most;
}

/* Words near one another, as most are: a row of 128 bytes has a bit for each bank. */
enum { NEAR_ROWS = 64 };

typedef struct NearRows {
    uint32_t words[NEAR_ROWS];
    uint64_t used; /* rows */
} NearRows;

/* False: some lane lies outside. */
static bool fill_rows(NearRows *r, const ExecAccess *a, uint32_t mask, unsigned words_each)
{
    uint32_t bits = (uint32_t)(((uint64_t)1 << words_each) - 1), far = 0,
             base = (uint32_t)(a->addr[__builtin_ctz(mask)] / 4 / BANKS) - NEAR_ROWS / 2;
    memset(r, 0, sizeof *r);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t word = (uint32_t)(a->addr[__builtin_ctz(rest)] / 4), row = word / BANKS - base;
        far |= row;
        r->words[row % NEAR_ROWS] |= bits << word % BANKS; /* aligned to its size: in one row */
        r->used |= (uint64_t)1 << row % NEAR_ROWS;
    }
    return far < NEAR_ROWS;
}

/* The most rows in which one bank has its bit: counted for all banks at once, a binary digit in each of
 * `digit`. */
static unsigned most_rows(const NearRows *r)
{
    enum { DIGITS = 6 }; /* 32 lanes: 32 rows at most */
    uint32_t digit[DIGITS] = {0}, those = 0xFFFFFFFFu;
    unsigned most = 0;
    for (uint64_t rest = r->used; rest; rest &= rest - 1) {
        uint32_t carry = r->words[__builtin_ctzll(rest)];
        for (int i = 0; carry && i < DIGITS; i++) {
            uint32_t both = digit[i] & carry;
            digit[i] ^= carry;
            carry = both;
        }
    }
    for (int i = DIGITS - 1; i >= 0; i--)
        if (digit[i] & those) {
            those &= digit[i];
            most |= 1u << i;
        }
    return most;
}

/* Passes for the lanes of `mask`: the most words that one bank has to give. */
static unsigned group_passes(const ExecAccess *a, uint32_t mask)
{
    Banks b;
    NearRows near;
    unsigned words_each = a->bytes <= 4 ? 1 : a->bytes / 4;
    if (fill_rows(&near, a, mask, words_each))
        return most_rows(&near);
    memset(b.n, 0, sizeof b.n);
    b.most = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t first = (uint32_t)(a->addr[__builtin_ctz(rest)] / 4);
        for (uint32_t word = first; word < first + words_each; word++)
            banks_add_word(&b, word);
    }
    return b.most;
}

/* Two rows of 16 lanes of 4 bytes, each one word, or 16 side by side: two passes where a bank has to give a
 * word of each. */
static unsigned passes_of_rows(const ExecAccess *a)
{
    uint32_t length = a->group_pattern == PATTERN_UNIFORM ? 1 : WARP_LANES / 2;
    uint32_t from = (uint32_t)(a->addr[0] / 4), to = (uint32_t)(a->addr[WARP_LANES / 2] / 4);
    uint32_t apart = from < to ? to - from : from - to;
    bool overlap = apart < length, banks_meet = apart % BANKS < length || BANKS - apart % BANKS < length;
    return !overlap && banks_meet ? 2 : 1;
}

void perf_wavefronts(const ExecAccess *a, unsigned *wavefronts, unsigned *least)
{
    unsigned groups = a->bytes <= 4 ? 1 : a->bytes <= 8 ? 2 : 4, lanes = WARP_LANES / groups;
    *wavefronts = *least = a->pattern == PATTERN_UNIFORM;
    if (a->pattern == PATTERN_UNIFORM)
        return;
    if (a->group_lanes == WARP_LANES / 2 && a->bytes == 4) {
        *least = 1;
        *wavefronts = passes_of_rows(a);
        return;
    }
    for (unsigned g = 0; g < groups; g++) {
        uint32_t mask = a->mask & (uint32_t)((((uint64_t)1 << lanes) - 1) << g * lanes);
        if (!mask)
            continue;
        *wavefronts += a->pattern == PATTERN_UNIT_STRIDE ? 1 : group_passes(a, mask);
        *least += 1;
    }
}
