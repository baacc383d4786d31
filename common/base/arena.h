/* Arena: memory that lives and dies together (one a module, a launch, a submission).
 *
 * The arena owns everything it returns; arena_free gives it all back. Not thread-safe.
 */
#ifndef COMMON_BASE_ARENA_H
#define COMMON_BASE_ARENA_H

#include <stddef.h>

typedef struct Arena {
    struct ArenaBlock *blocks;
    size_t total; /* bytes handed out */
} Arena;

/* `size` zeroed bytes aligned to 16, or to 64 from 64 bytes on; NULL when the machine has none. */
void *arena_alloc(Arena *a, size_t size);
/* A copy of length bytes of text, with a NUL after it. */
char *arena_strndup(Arena *a, const char *text, size_t length);
char *arena_printf(Arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(Arena *a);

#define ARENA_NEW(a, Type)            ((Type *)arena_alloc((a), sizeof(Type)))
#define ARENA_NEW_ARRAY(a, Type, n)   ((Type *)arena_alloc((a), sizeof(Type) * (size_t)(n)))

/* Grows a plain malloc'd vector: makes room for one more element. On failure leaves it as it was and is false. */
#define VEC_GROW(items, n, cap) vec_grow((void **)&(items), (n), &(cap), sizeof *(items))
_Bool vec_grow(void **items, size_t n, size_t *cap, size_t item_size);
/* Moves such a vector of n elements into the arena; NULL when that has no memory. The vector is given back either way. */
#define VEC_KEEP(a, items, n) vec_keep((a), (items), (n) * sizeof *(items))
void *vec_keep(Arena *a, void *items, size_t size);

#endif
