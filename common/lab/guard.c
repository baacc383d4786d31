/* guard: see guard.h. */
#include "common/lab/guard.h"

#include <stdint.h>
#include <stdlib.h>

/* Both patterns are 32-bit words with exponent bits all ones and a fraction, in little-endian byte order. */
static const uint8_t poison_word[4] = {0xAD, 0xDE, 0xF0, 0x7F}; /* 0x7FF0DEAD */

/* Byte i of a zone: word i/4 is 0x7FF95Axx, where xx counts words from 0xA5: a stray zero is seen in the
 * first ones. */
static uint8_t zone_byte(size_t i)
{
    static const uint8_t upper[4] = {0, 0x5A, 0xF9, 0x7F};
    return i % 4 == 0 ? (uint8_t)(0xA5 + i / 4) : upper[i % 4];
}

void *guard_alloc(size_t bytes)
{
    void *memory = NULL;
    if (bytes > SIZE_MAX - 2 * GUARD_BYTES || posix_memalign(&memory, GUARD_BYTES, bytes + 2 * GUARD_BYTES))
        return NULL;
    uint8_t *front = memory;
    uint8_t *data = front + GUARD_BYTES;
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        front[i] = zone_byte(i);
        data[bytes + i] = zone_byte(i);
    }
    return data;
}

void guard_free(void *data)
{
    if (data)
        free((uint8_t *)data - GUARD_BYTES);
}

GuardReport guard_check(const void *data, size_t bytes)
{
    const uint8_t *front = (const uint8_t *)data - GUARD_BYTES;
    const uint8_t *back = (const uint8_t *)data + bytes;
    GuardReport report = {0};
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (front[i] != zone_byte(i)) {
            report.front_changed++;
            report.front_nearest = GUARD_BYTES - i;
        }
        if (back[i] != zone_byte(i)) {
            report.back_changed++;
            if (report.back_nearest == 0)
                report.back_nearest = i + 1;
        }
    }
    return report;
}

void guard_poison(void *data, size_t bytes)
{
    uint8_t *byte = data;
    for (size_t i = 0; i < bytes; i++)
        byte[i] = poison_word[i % 4];
}

bool guard_is_fresh(const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i++)
        if (byte[i] % 2 == 0)
            return false;
    return true;
}

bool guard_is_poison(const void *element, size_t offset, size_t size)
{
    const uint8_t *byte = element;
    for (size_t i = 0; i < size; i++)
        if (byte[i] != poison_word[(offset + i) % 4])
            return false;
    return true;
}
