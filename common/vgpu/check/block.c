/* The blocks that run, by their slot (ExecWho.slot): what was made for a slot serves one block after the
 * other.
 *
 * Nothing is locked but the making of a chunk of slots: a slot's block is one worker's at a time, and exec
 * orders what one worker did with it before what the next one does.
 */
#include "common/vgpu/check/check_internal.h"

#include <stdlib.h>

enum { CHUNK_SLOTS = 64 };

static CheckBlock **make_chunk(CheckSet *set, uint32_t chunk)
{
    pthread_mutex_lock(&set->lock);
    CheckBlock **slots = set->blocks[chunk];
    if (!slots) {
        slots = calloc(CHUNK_SLOTS, sizeof *slots);
        __atomic_store_n(&set->blocks[chunk], slots, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&set->lock);
    return slots;
}

/* NULL: there is none, and none is to be made, or there is no memory. */
static CheckBlock **slot_of(CheckSet *set, uint32_t slot, bool make)
{
    uint32_t chunk = slot / CHUNK_SLOTS;
    if (chunk >= CHECK_BLOCK_CHUNKS)
        return NULL;
    CheckBlock **slots = __atomic_load_n(&set->blocks[chunk], __ATOMIC_ACQUIRE);
    if (!slots && make)
        slots = make_chunk(set, chunk);
    return slots ? &slots[slot % CHUNK_SLOTS] : NULL;
}

CheckBlock *block_find(CheckSet *set, const ExecWho *who)
{
    CheckBlock **at = slot_of(set, who->slot, false), *b = at ? *at : NULL;
    return b && b->opened == set->n_launches && b->linear == who->block_linear ? b : NULL;
}

CheckBlock *block_take(CheckSet *set, const ExecWho *who)
{
    CheckBlock **at = slot_of(set, who->slot, true);
    if (!at || (!*at && !(*at = calloc(1, sizeof **at))))
        return NULL;
    (*at)->linear = who->block_linear;
    (*at)->opened = set->n_launches;
    return *at;
}

void check_each_block(CheckSet *set, void (*visit)(void *self, CheckBlock *b), void *self)
{
    for (uint32_t i = 0; i < CHECK_BLOCK_CHUNKS; i++)
        for (uint32_t k = 0; set->blocks[i] && k < CHUNK_SLOTS; k++)
            if (set->blocks[i][k] && set->blocks[i][k]->opened == set->n_launches)
                visit(self, set->blocks[i][k]);
}

static void free_block(CheckBlock *b)
{
    race_free_block(b);
    free(b->shared_init);
    free(b->local.unwritten);
    undefined_free_block(b);
    free(b->wide.at);
    free(b);
}

void check_free_blocks(CheckSet *set)
{
    for (uint32_t i = 0; i < CHECK_BLOCK_CHUNKS; i++) {
        for (uint32_t k = 0; set->blocks[i] && k < CHUNK_SLOTS; k++)
            if (set->blocks[i][k])
                free_block(set->blocks[i][k]);
        free(set->blocks[i]);
    }
}
