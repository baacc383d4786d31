/* guard: host buffers between two zones that nobody may write, and a poison that says "nobody wrote here".
 *
 *     |<-- GUARD_BYTES: front zone -->|<-- data: bytes -->|<-- GUARD_BYTES: back zone -->|
 *                                     ^ what the lab sees, aligned to 64
 *
 * Zones and poison are NaN when they are read as float32 or float64, so that a stray read shows in the
 * result; they differ from each other and zones differ from byte to byte, so that a copy of a zone onto a
 * zone shows as well.
 */
#ifndef COMMON_LAB_GUARD_H
#define COMMON_LAB_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { GUARD_BYTES = 4096 };

/* How many bytes of each zone changed, and the distance of the nearest one to the data: 1 is the byte that
 * touches it; 0 when none changed. */
typedef struct GuardReport {
    size_t front_changed, front_nearest;
    size_t back_changed, back_nearest;
} GuardReport;

/* `bytes` bytes (0 is possible) between fresh zones; NULL when there is no memory. guard_free takes it back.
 */
void *guard_alloc(size_t bytes);
void guard_free(void *data);
GuardReport guard_check(const void *data, size_t bytes);

/* Fills with poison; and whether the element of `size` bytes at the byte `offset` of a poisoned buffer still
 * is. */
void guard_poison(void *data, size_t bytes);
bool guard_is_poison(const void *element, size_t offset, size_t size);
/* Whether these bytes may be memory of the virtual GPU that nobody wrote: each byte of its pattern is odd (common/vgpu/mem/pattern.c). One
 * element may be so by chance; many are not. */
bool guard_is_fresh(const void *bytes, size_t size);

#endif
