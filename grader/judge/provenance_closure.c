/* From origins to what they were worked out from; see provenance_internal.h. */
#include "grader/judge/provenance_internal.h"

#include <stdlib.h>

Status closure_create(const Record *r, Closure *c)
{
    *c = (Closure){.waiting = calloc(PROVENANCE_IDS, sizeof *c->waiting),
                   .pcs = calloc(r->n_groups + 1, sizeof *c->pcs)};
    return c->waiting && c->pcs ? STATUS_OK : STATUS_NO_MEMORY;
}

void closure_free(const Record *r, Closure *c)
{
    for (size_t i = 0; c->pcs && i < r->n_groups; i++)
        free(c->pcs[i]);
    free(c->pcs);
    free(c->waiting);
}

bool closure_has(const Closure *c, uint32_t id)
{
    return c->ids[id / 8] >> id % 8 & 1;
}

void closure_add(Closure *c, uint32_t id)
{
    if (id == 0 || closure_has(c, id))
        return;
    c->ids[id / 8] |= (uint8_t)(1u << id % 8);
    c->waiting[c->n_waiting++] = id; /* each id once at most */
}

static const RecordSlice *find_slice(const RecordFunction *f, uint32_t site)
{
    size_t low = 0, high = f->n_slices;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->slices[middle].site < site)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->n_slices && f->slices[low].site == site ? &f->slices[low] : NULL;
}

/* The first read of an instruction. */
static size_t first_read(const RecordGroup *g, uint32_t pc)
{
    size_t low = 0, high = g->n_reads;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g->reads[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_reads(const Record *r, const RecordGroup *g, uint32_t pc, Closure *c)
{
    for (size_t i = first_read(g, pc); i < g->n_reads && g->reads[i].pc == pc; i++)
        for (size_t k = 0; k < g->reads[i].n; k++)
            closure_add(c, r->read_ids[g->reads[i].first + k]);
}

/* Adds the instructions of a slice that were not reached in this group before, and what they read. */
static Status follow_store(const Record *r, const RecordStore *s, Closure *c)
{
    const RecordGroup *g = &r->groups[s->group];
    const RecordFunction *f = &r->functions[g->function];
    const RecordSlice *slice = find_slice(f, s->site);
    size_t bytes = ((size_t)f->n + 7) / 8;
    if (!slice)
        return STATUS_OK;
    if (!c->pcs[s->group])
        c->pcs[s->group] = calloc(bytes + 1, 1);
    uint8_t *pcs = c->pcs[s->group];
    if (!pcs)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t fresh = (uint8_t)(slice->pcs[i] & ~pcs[i]);
        pcs[i] |= fresh;
        for (; fresh; fresh &= (uint8_t)(fresh - 1))
            add_reads(r, g, (uint32_t)(8 * i) + (uint32_t)__builtin_ctz(fresh), c);
    }
    return STATUS_OK;
}

Status closure_follow(const Record *r, Closure *c)
{
    Status s = STATUS_OK;
    while (c->n_waiting && s == STATUS_OK) {
        uint32_t id = c->waiting[--c->n_waiting];
        if (r->origins[id].kind == ORIGIN_STORE)
            s = follow_store(r, &r->stores[r->origins[id].at], c);
    }
    return s;
}

double closure_ops(const Record *r, const Closure *c)
{
    double ops = 0;
    for (size_t i = 0; i < r->n_groups; i++) {
        const RecordGroup *g = &r->groups[i];
        for (size_t k = 0; c->pcs[i] && k < g->n_ops; k++) {
            uint32_t pc = g->ops[k].pc;
            if (pc < r->functions[g->function].n && c->pcs[i][pc / 8] >> pc % 8 & 1)
                ops += g->ops[k].count;
        }
    }
    return ops;
}
