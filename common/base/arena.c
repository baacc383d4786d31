/* Arena: see arena.h. Blocks are chained; a request larger than a block gets one of its own. */
#include "common/base/arena.h"

#include "common/base/strbuf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024, BIG_ALIGN = 64, SMALL_ALIGN = 16 };

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t used, size;
    bool is_clear; /* all of it was zero */
    char *bytes;   /* aligned to BIG_ALIGN */
} ArenaBlock;

/* A block costs what is used of it: a large one is calloc's, which need not clear what the kernel has just
 * cleared; one that may be the heap's is cleared piece by piece, as it is handed out. */
static ArenaBlock *block_new(size_t size)
{
    bool is_clear = size > BLOCK_BYTES;
    size_t bytes = sizeof(ArenaBlock) + BIG_ALIGN + size;
    ArenaBlock *block = is_clear ? calloc(1, bytes) : malloc(bytes);
    if (!block)
        return NULL;
    uintptr_t at = (uintptr_t)(block + 1);
    block->size = size;
    block->is_clear = is_clear;
    block->bytes = (char *)(block + 1) + (BIG_ALIGN - at % BIG_ALIGN);
    return block;
}

void *arena_alloc(Arena *a, size_t size)
{
    size_t align = size >= BIG_ALIGN ? BIG_ALIGN : SMALL_ALIGN;
    if (size > SIZE_MAX / 2)
        return NULL;
    ArenaBlock *block = a->blocks;
    size_t start = block ? (block->used + align - 1) & ~(align - 1) : 0;
    if (!block || start + size > block->size) {
        block = block_new(size > BLOCK_BYTES ? size : BLOCK_BYTES);
        if (!block)
            return NULL;
        block->next = a->blocks;
        a->blocks = block;
        start = 0;
    }
    block->used = start + size;
    a->total += size;
    return block->is_clear ? block->bytes + start : memset(block->bytes + start, 0, size);
}

char *arena_strndup(Arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *arena_printf(Arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : arena_alloc(a, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void arena_free(Arena *a)
{
    for (ArenaBlock *block = a->blocks; block;) {
        ArenaBlock *next = block->next;
        free(block);
        block = next;
    }
    *a = (Arena){0};
}

_Bool vec_grow(void **items, size_t n, size_t *cap, size_t item_size)
{
    if (n < *cap)
        return 1;
    size_t wanted = *cap ? *cap * 2 : 16;
    void *bigger = realloc(*items, wanted * item_size);
    if (!bigger)
        return 0;
    *items = bigger;
    *cap = wanted;
    return 1;
}

void *vec_keep(Arena *a, void *items, size_t size)
{
    void *kept = arena_alloc(a, size + 1);
    if (kept && size)
        memcpy(kept, items, size);
    free(items);
    return kept;
}

char *strbuf_keep(StrBuf *b, Arena *a)
{
    char *text = b->failed ? NULL : arena_strndup(a, b->text ? b->text : "", b->length);
    strbuf_free(b);
    return text;
}
