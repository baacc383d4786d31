/* provenance: launches: what each instruction read, stored and worked out. See provenance.h.
 *
 * An observer sees all loads and stores. In the usual case an allocation has one number only, and the
 * instruction has read that one before: then a load costs a comparison, however many lanes it has.
 */
#include "common/vgpu/device/memory.h"
#include "common/vgpu/device/provenance.h"

#include <stdlib.h>
#include <string.h>

enum { G = PROVENANCE_GRANULE, ID_WORDS = PROVENANCE_IDS / 64 };

/* ---- kernels ---- */

void provenance_function_free(ProvFunction *f)
{
    if (!f)
        return;
    for (uint32_t pc = 0; pc < f->n; pc++) {
        if (f->pcs)
            free(f->pcs[pc].read);
        if (f->slices)
            free(f->slices[pc]);
    }
    if (f->has_tree)
        ir_tree_free(&f->tree);
    free(f->name);
    free(f->pcs);
    free(f->merged_ids);
    free(f->constants);
    free(f->rows);
    free(f->sites);
    free(f->slices);
    free(f);
}

static ProvFunction *make_function(const IrModule *m, uint32_t entry)
{
    ProvFunction *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->name = strdup(m->functions[entry].name);
    f->module = m;
    f->entry = entry;
    f->has_tree = ir_tree_make(m, entry, &f->tree);
    f->n = f->has_tree ? f->tree.n_insts : 0;
    f->pcs = calloc(f->n + 1u, sizeof *f->pcs);
    f->merged_ids = calloc(f->n + 1u, sizeof *f->merged_ids);
    f->sites = calloc(f->n + 1u, 1);
    f->slices = calloc(f->n + 1u, sizeof *f->slices);
    if (f->name && f->has_tree && f->pcs && f->merged_ids && f->sites && f->slices)
        return f;
    provenance_function_free(f);
    return NULL;
}

/* Immediates that any kernel has say nothing: integers from -64 to 64, powers of two and those less one, and
 * their negatives; as floating point, 0, 0.5, 1 and 2 with either sign. */
static bool says_nothing(uint64_t v, unsigned bytes)
{
    uint64_t mask = bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1, sign = (mask >> 1) + 1;
    uint64_t positive = v & sign ? (0 - v) & mask : v, magnitude = v & ~sign;
    static const uint64_t floats[] = {
        0x3F000000, 0x3F800000, 0x40000000, 0x3FE0000000000000, 0x3FF0000000000000, 0x4000000000000000,
        0x3800,     0x3C00,     0x4000};
    if (positive <= 64 || (positive & (positive - 1)) == 0 || (positive & (positive + 1)) == 0)
        return true;
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++)
        if (magnitude == floats[i] && (i < 3 ? bytes == 4 : i < 6 ? bytes == 8 : bytes == 2))
            return true;
    return false;
}

typedef struct Immediates {
    Provenance *p;
    ProvFunction *f;
} Immediates;

static void note_immediate(void *self, uint32_t pc, const uint8_t *value, unsigned bytes)
{
    const Immediates *i = self;
    uint64_t v = 0, begin = provenance_begin(i->p);
    memcpy(&v, value, bytes < 8 ? bytes : 8);
    if (bytes <= 8 && says_nothing(v, bytes))
        return;
    uint8_t padded[8] = {0};
    memcpy(padded, value, bytes < 8 ? bytes : 8);
    provenance_add(i->p, padded, bytes <= 4 ? 4 : 8);
    uint16_t id = provenance_host(i->p, PROV_IMMEDIATE, begin);
    if (VEC_GROW(i->f->constants, i->f->n_constants, i->f->constants_cap))
        i->f->constants[i->f->n_constants++] = (ProvConstant){.pc = pc, .id = id};
    else
        provenance_cut(i->p, "memory");
}

static ProvFunction *find_function(Provenance *p, const IrModule *m, uint32_t entry)
{
    for (size_t i = 0; i < p->n_functions; i++)
        if (p->functions[i]->module == m && p->functions[i]->entry == entry)
            return p->functions[i];
    if (p->n_functions >= PROVENANCE_FUNCTIONS_MAX ||
        !VEC_GROW(p->functions, p->n_functions, p->functions_cap)) {
        provenance_cut(p, "kernels");
        return NULL;
    }
    ProvFunction *f = make_function(m, entry);
    if (!f) {
        provenance_cut(p, "memory");
        return NULL;
    }
    p->functions[p->n_functions++] = f;
    ir_tree_immediates(&f->tree, note_immediate, &(Immediates){p, f});
    return f;
}

static void make_slices(Provenance *p, ProvFunction *f)
{
    for (uint32_t pc = 0; pc < f->n; pc++) {
        if (!f->sites[pc] || f->slices[pc])
            continue;
        f->slices[pc] = calloc((f->n + 7) / 8 + 1u, 1);
        if (!f->slices[pc] || !ir_tree_slice(&f->tree, pc, f->slices[pc]))
            provenance_cut(p, "memory");
    }
}

static void close_function(Provenance *p, ProvFunction *f)
{
    if (!f->module)
        return;
    make_slices(p, f);
    f->module = NULL;
    ir_tree_free(&f->tree);
    f->has_tree = false;
}

void provenance_forget_module(Provenance *p, const IrModule *m)
{
    for (size_t i = 0; i < p->n_functions; i++)
        if (!m || p->functions[i]->module == m)
            close_function(p, p->functions[i]);
}

/* ---- numbers that are read ---- */

static void note_read(Provenance *p, ProvPc *pc, uint16_t id)
{
    if (id == __atomic_load_n(&pc->last, __ATOMIC_RELAXED) || id == 0)
        return;
    uint64_t *read = __atomic_load_n(&pc->read, __ATOMIC_ACQUIRE);
    uint64_t bit = (uint64_t)1 << id % 64;
    if (!read || (__atomic_load_n(&read[id / 64], __ATOMIC_RELAXED) & bit) == 0) {
        pthread_mutex_lock(&p->lock);
        if (!pc->read) {
            read = calloc(ID_WORDS, sizeof *read);
            __atomic_store_n(&pc->read, read, __ATOMIC_RELEASE);
        }
        if (pc->read)
            __atomic_fetch_or(&pc->read[id / 64], bit, __ATOMIC_RELAXED);
        else
            provenance_cut(p, "memory");
        pthread_mutex_unlock(&p->lock);
    }
    __atomic_store_n(&pc->last, id, __ATOMIC_RELAXED);
}

static void read_range(Provenance *p, ProvPc *pc, const ProvMarks *m, uint64_t addr, uint64_t bytes)
{
    uint64_t first = (addr - m->addr) / G, end = (addr - m->addr + bytes + G - 1) / G;
    uint16_t last = pc->last;
    for (uint64_t i = first; i < end; i++)
        if (m->ids[i] != last) {
            note_read(p, pc, m->ids[i]);
            last = m->ids[i];
        }
}

/* ---- numbers that are stored ---- */

static uint16_t make_store_id(Provenance *p, uint32_t site)
{
    ProvFunction *f = p->function;
    uint16_t id = p->merged ? f->merged_ids[site] : 0;
    if (id == 0 && VEC_GROW(p->stores, p->n_stores, p->stores_cap) &&
        (id = provenance_id(p, PROV_STORE)) != 0)
        p->stores[p->n_stores++] = (ProvStore){.id = id, .group = p->group, .site = site};
    if (p->merged)
        f->merged_ids[site] = id;
    __atomic_store_n(&f->pcs[site].store_id, id, __ATOMIC_RELEASE);
    return id;
}

static bool may_store(const IrInst *in)
{
    bool global = in->space == SPACE_GLOBAL || in->space == SPACE_GENERIC;
    return ((in->opcode == PTX_ST || in->opcode == PTX_ATOM || in->opcode == PTX_RED) && global) ||
           (in->tensor && in->tensor->op == TENSOR_STORE && global) || in->async == ASYNC_BULK_STORE ||
           (in->texture && in->texture->op == SURFACE_STORE);
}

/* Numbers in the order of the instructions, not of who comes first, which depends on how blocks are run. */
static void make_store_ids(Provenance *p)
{
    const IrTree *t = &p->function->tree;
    for (uint32_t i = 0; i < t->n; i++) {
        const IrFunction *f = &t->module->functions[t->functions[i]];
        for (uint32_t pc = 0; pc < f->n_insts; pc++)
            if (may_store(&f->insts[pc]))
                make_store_id(p, t->base[i] + pc);
    }
}

static uint16_t store_id(Provenance *p, ProvPc *pc)
{
    uint32_t site = (uint32_t)(pc - p->function->pcs);
    uint16_t id = __atomic_load_n(&pc->store_id, __ATOMIC_ACQUIRE);
    if (id == 0) {
        pthread_mutex_lock(&p->lock);
        id = pc->store_id != 0 ? pc->store_id : make_store_id(p, site);
        pthread_mutex_unlock(&p->lock);
    }
    if (!p->used[id])
        p->used[id] = p->function->sites[site] = 1;
    return id;
}

/* What a part of is stored keeps something of what it was: the instruction has read it. */
static void store_part(Provenance *p, ProvPc *pc, ProvMarks *m, uint64_t granule, uint16_t id)
{
    uint16_t before = m->ids[granule];
    if (before == id)
        return;
    note_read(p, pc, before);
    m->ids[granule] = id;
}

static void store_range(Provenance *p, ProvPc *pc, ProvMarks *m, uint64_t addr, uint64_t bytes, uint16_t id)
{
    uint64_t from = addr - m->addr, to = from + bytes, first = (from + G - 1) / G, last = to / G;
    if (to == m->bytes)
        last = m->n;
    if (from % G != 0)
        store_part(p, pc, m, from / G, id);
    for (uint64_t i = first; i < last; i++)
        if (m->ids[i] != id) /* workers would take turns at it */
            m->ids[i] = id;
    if (to % G != 0 && last < m->n && (last >= first || from % G == 0))
        store_part(p, pc, m, last, id);
}

/* The launch has stored somewhere in [from, to). */
static void note_stored(Provenance *p, ProvMarks *m, uint64_t from, uint64_t to, uint16_t id)
{
    if (!m->mixed && m->same != id) {
        pthread_mutex_lock(&p->lock);
        marks_mix(m);
        pthread_mutex_unlock(&p->lock);
    }
    if (!m->changed)
        m->changed = true;
    if (!m->shared)
        return;
    uint64_t low = (from - m->addr) / G, high = (to - m->addr + G - 1) / G;
    pthread_mutex_lock(&p->lock);
    m->low = low < m->low ? low : m->low;
    m->high = high > m->high ? high : m->high;
    pthread_mutex_unlock(&p->lock);
}

/* ---- accesses ---- */

static ProvPc *pc_of(const Provenance *p, const ExecWho *who)
{
    const IrTree *t = &p->function->tree;
    if (!who->inst)
        return NULL;
    uint32_t base =
        who->function == &t->module->functions[t->functions[0]] ? 0 : ir_tree_base(t, who->function);
    return base == IR_NO_PC ? NULL : &p->function->pcs[base + (uint32_t)(who->inst - who->function->insts)];
}

/* NULL: no memory, and the record says so. */
static ProvMarks *marks_at(Provenance *p, ProvPc *pc, const MemAlloc *a)
{
    bool alone = p->server->jobs == 1;
    ProvMarks *m = alone && pc->alloc == a && pc->serial == a->serial ? pc->marks : NULL;
    if (!m) {
        pthread_mutex_lock(&p->lock);
        m = marks_find(p, p->device, a);
        pthread_mutex_unlock(&p->lock);
        if (alone) {
            pc->alloc = a;
            pc->serial = a->serial;
            pc->marks = m;
        }
    }
    if (m && m->shared && m->looked != p->launch) {
        pthread_mutex_lock(&p->lock);
        if (m->looked != p->launch)
            marks_look(p, m, m->addr, m->bytes, m->host);
        m->looked = p->launch;
        pthread_mutex_unlock(&p->lock);
    }
    return m;
}

static bool inside(const ProvMarks *m, uint64_t addr, uint64_t bytes)
{
    uint64_t at = addr - m->addr;
    return at <= m->bytes && bytes <= m->bytes - at;
}

static void one(Provenance *p, ProvPc *pc, ProvMarks *m, uint8_t kind, uint64_t addr, uint64_t bytes)
{
    if (!inside(m, addr, bytes))
        return;
    if (kind != ACCESS_STORE) {
        if (m->mixed)
            read_range(p, pc, m, addr, bytes);
        else
            note_read(p, pc, m->same);
    }
    if (kind == ACCESS_LOAD)
        return;
    uint16_t id = store_id(p, pc);
    if (!m->mixed && m->same == id && !m->shared)
        return;
    note_stored(p, m, addr, addr + bytes, id);
    if (m->mixed)
        store_range(p, pc, m, addr, bytes, id);
}

/* ---- values that are stored to memory that the host shares ---- */

/* Element k of a thread's value lies at value[k]. */
static void know(ProvMarks *m, uint64_t addr, const uint8_t *const *value, size_t skip, uint32_t n_values,
                 uint32_t bytes)
{
    uint32_t each = bytes / n_values;
    if (inside(m, addr, bytes))
        for (uint32_t k = 0; k < n_values; k++)
            memcpy(m->known + (addr - m->addr) + k * each, value[k] + skip, each);
}

static void know_lane(Provenance *p, ProvPc *pc, ProvMarks *m, const ExecAccess *a, int lane)
{
    if (!m->shared || a->kind == ACCESS_LOAD)
        return;
    if (a->kind == ACCESS_STORE && a->n_values > 0)
        know(m, a->addr[lane], a->value, (size_t)lane * a->value_stride, a->n_values, a->bytes);
    else
        p->untold[store_id(p, pc)] = 1;
}

static void know_block(Provenance *p, ProvPc *pc, ProvMarks *m, const ExecWho *who, const ExecWideAccess *a)
{
    const uint32_t *dim = who->block_dim;
    if (!m->shared || a->kind != ACCESS_STORE)
        return;
    if (a->n_values == 0)
        p->untold[store_id(p, pc)] = 1;
    for (uint32_t t = 0; a->n_values > 0 && t < a->n_threads; t++) {
        uint64_t at = a->base + (uint64_t)a->step[0] * (t % dim[0]) +
                      (uint64_t)a->step[1] * (t / dim[0] % dim[1]) +
                      (uint64_t)a->step[2] * (t / dim[0] / dim[1]);
        size_t skip = t / WARP_LANES * a->warp_stride + (size_t)(t % WARP_LANES) * a->value_stride;
        know(m, at, a->value, skip, a->n_values, a->bytes);
    }
}

/* A warp loads or stores global memory or constants. */
static void provenance_on_access(void *self, const ExecWho *who, const ExecAccess *a)
{
    Provenance *p = self;
    if ((a->space != SPACE_GLOBAL && a->space != SPACE_CONST) || a->mask == 0)
        return;
    ProvPc *pc = pc_of(p, who);
    if (!pc)
        return;
    ProvMarks *m = a->alloc ? marks_at(p, pc, a->alloc) : NULL;
    if (a->alloc && !m)
        return;
    if (m && a->kind == ACCESS_LOAD && !m->mixed) {
        note_read(p, pc, m->same);
        return;
    }
    int first = __builtin_ctz(a->mask), last = 31 - __builtin_clz(a->mask);
    bool dense = a->mask >> first == 0xFFFFFFFFu >> (31 - (last - first));
    if (m && m->shared)
        for (uint32_t mask = a->mask; mask != 0; mask &= mask - 1)
            know_lane(p, pc, m, a, __builtin_ctz(mask));
    if (m && a->pattern != PATTERN_OTHER && dense) {
        one(p, pc, m, a->kind, a->addr[first], a->addr[last] - a->addr[first] + a->bytes);
        return;
    }
    for (uint32_t mask = a->mask; mask != 0; mask &= mask - 1) {
        uint64_t addr = a->addr[__builtin_ctz(mask)];
        Device *owner;
        if (!a->alloc) {
            const MemAlloc *of = mem_find(p->device->mem, addr);
            of = of ? of : device_find(p->server, addr, &owner);
            m = of ? marks_at(p, pc, of) : NULL;
            if (m)
                know_lane(p, pc, m, a, __builtin_ctz(mask));
        }
        if (m)
            one(p, pc, m, a->kind, addr, a->bytes);
    }
}

/* A block does. */
static bool provenance_on_access_wide(void *self, const ExecWho *who, const ExecWideAccess *a)
{
    Provenance *p = self;
    const uint32_t *dim = who->block_dim;
    if (a->space != SPACE_GLOBAL)
        return true;
    ProvPc *pc = pc_of(p, who);
    ProvMarks *m = pc ? marks_at(p, pc, a->alloc) : NULL;
    if (!m)
        return true;
    if (a->kind == ACCESS_LOAD && !m->mixed) {
        note_read(p, pc, m->same);
        return true;
    }
    know_block(p, pc, m, who, a);
    uint32_t row = a->n_threads < dim[0] ? a->n_threads : dim[0], n = 1;
    uint64_t bytes = a->bytes;
    if (a->step[0] == (int64_t)a->bytes)
        bytes *= row;
    else if (a->step[0] != 0)
        n = row;
    for (uint32_t y = 0; y < a->n_threads / row; y++) {
        uint64_t at = a->base + (uint64_t)a->step[1] * (y % dim[1]) + (uint64_t)a->step[2] * (y / dim[1]);
        for (uint32_t x = 0; x < n; x++)
            one(p, pc, m, a->kind, at + (uint64_t)a->step[0] * x, bytes);
    }
    return true;
}

/* ---- operations ---- */

static void provenance_on_retired_code(void *self, const ExecWho *who, const IrFunction *f,
                                       const struct ExecInstCount *counts)
{
    (void)who;
    Provenance *p = self;
    uint32_t base = ir_tree_base(&p->function->tree, f);
    if (base == IR_NO_PC)
        return;
    for (uint32_t pc = 0; pc < f->n_insts; pc++) {
        ProvPc *of = &p->function->pcs[base + pc];
        of->ran |= counts[pc].thread_insts > 0;
        of->ops += exec_ops(&f->insts[pc], &counts[pc]);
    }
}

/* ---- a launch ---- */

static bool is_address(Provenance *p, uint64_t v)
{
    for (uint32_t i = 0; i < p->server->n_devices; i++)
        if (mem_in_window(p->server->devices[i]->mem, v) || texture_of(p->server->devices[i], v))
            return true;
    return device_find(p->server, v, NULL) != NULL;
}

/* The row of a parameter: its bytes without addresses. */
static uint16_t parameter_row(Provenance *p, const IrParam *param, const uint8_t *bytes)
{
    uint64_t begin = provenance_begin(p);
    for (uint32_t at = 0; at < param->bytes;) {
        uint64_t v = 0;
        uint32_t n = param->bytes - at < 8 ? param->bytes - at : 8;
        memcpy(&v, bytes + param->offset + at, n);
        if (n < 8 || !is_address(p, v))
            provenance_add(p, bytes + param->offset + at, n);
        at += n;
    }
    return provenance_host(p, PROV_PARAMETER, begin);
}

/* The numbers that a child's parameters have, which its launcher has stored. */
static void read_child_params(Provenance *p, ProvPc *pc, const Grid *g, uint32_t at, uint32_t bytes)
{
    ProvMarks *m = marks_of(p, p->device, g->params_at);
    if (m && !m->mixed)
        note_read(p, pc, m->same);
    else if (m && inside(m, m->addr + at, bytes))
        read_range(p, pc, m, m->addr + at, bytes);
}

/* Is the kernel another one than followed on the last launches before? */
static bool is_other_order(ProvOrder *o, uint32_t function)
{
    uint64_t hash = 0;
    for (int i = 0; i < PROV_BEFORE; i++)
        hash = (hash + o->before[i]) * 0x9E3779B97F4A7C15u;
    uint32_t *follows = &o->follows[(hash >> 32) % PROV_ORDERS], last = *follows;
    memmove(o->before, o->before + 1, (PROV_BEFORE - 1) * sizeof *o->before);
    o->before[PROV_BEFORE - 1] = *follows = function + 1;
    return last == 0 ? ++o->fresh % PROV_FRESH_FREE == 0 : last != function + 1;
}

/* What this launch by the host has in another way than the kernel's last one. */
static void count_changes(Provenance *p, const DeviceLaunchMsg *shape, const uint16_t *rows, uint32_t n)
{
    ProvFunction *f = p->function;
    uint32_t now[7] = {shape->grid[0],
                       shape->grid[1],
                       shape->grid[2],
                       shape->block[0],
                       shape->block[1],
                       shape->block[2],
                       (uint32_t)shape->dynamic_shared};
    p->groups[p->group].changes += is_other_order(&p->orders[p->device->index], p->groups[p->group].function);
    for (size_t i = 0; i < sizeof now / sizeof now[0]; i++) {
        p->groups[p->group].changes += f->launched && f->shape[i] != now[i];
        f->shape[i] = now[i];
    }
    for (uint32_t i = 0; i < n && f->rows; i++)
        p->groups[p->group].changes += f->rows[i] != rows[i];
    f->launched = true;
}

static void read_params(Provenance *p, const Grid *g)
{
    ProvFunction *f = p->function;
    const IrFunction *entry = &f->module->functions[f->entry];
    uint16_t *rows = calloc(entry->n_params + 1u, sizeof *rows);
    if (!rows) {
        provenance_cut(p, "memory");
        return;
    }
    for (uint32_t i = 0; i < entry->n_params && !g->params_at; i++)
        rows[i] = parameter_row(p, &entry->params[i], g->params);
    if (!g->params_at)
        count_changes(p, &g->shape, rows, entry->n_params);
    for (uint32_t pc = 0; pc < f->n; pc++) {
        uint32_t from, bytes;
        if (!ir_tree_param(&f->tree, pc, &from, &bytes))
            continue;
        if (g->params_at)
            read_child_params(p, &f->pcs[pc], g, bytes == 0 ? 0 : from,
                              bytes == 0 ? entry->param_bytes : bytes);
        for (uint32_t i = 0; i < entry->n_params; i++) {
            const IrParam *q = &entry->params[i];
            if (bytes == 0 || (from < q->offset + q->bytes && q->offset < from + bytes))
                note_read(p, &f->pcs[pc], rows[i]);
        }
    }
    if (!g->params_at) {
        free(f->rows);
        f->rows = rows;
    } else
        free(rows);
}

/* The group of a launch that begins; false: no memory. */
static bool begin_group(Provenance *p)
{
    ProvFunction *f = p->function;
    p->merged = p->n_groups >= PROVENANCE_GROUPS_MAX || p->n_ids >= PROVENANCE_GROUP_IDS_MAX;
    if (p->merged && f->merged_group != 0) {
        p->group = f->merged_group - 1;
        return true;
    }
    if (!VEC_GROW(p->groups, p->n_groups, p->groups_cap))
        return false;
    p->group = (uint32_t)p->n_groups++;
    uint32_t index = 0;
    while (p->functions[index] != f)
        index++;
    p->groups[p->group] = (ProvGroup){.function = index};
    if (p->merged)
        f->merged_group = p->group + 1;
    return true;
}

/* A group that goes on begins with what it has. */
static void reset_pcs(Provenance *p)
{
    ProvFunction *f = p->function;
    const ProvGroup *g = &p->groups[p->group];
    for (uint32_t pc = 0; pc < f->n; pc++) {
        ProvPc *c = &f->pcs[pc];
        if (c->read)
            memset(c->read, 0, ID_WORDS * sizeof *c->read);
        *c = (ProvPc){.read = c->read, .store_id = p->merged ? f->merged_ids[pc] : 0};
    }
    for (size_t i = 0; i < g->n_ops; i++)
        f->pcs[g->ops[i].pc].ops = g->ops[i].count;
    for (size_t i = 0; i < g->n_reads; i++)
        for (uint32_t k = 0; k < g->reads[i].n; k++) {
            note_read(p, &f->pcs[g->reads[i].pc], g->ids[g->reads[i].first + k]);
            f->pcs[g->reads[i].pc].ran = true;
        }
}

void provenance_launch_begin(Provenance *p, Device *d, const Grid *g)
{
    p->device = d;
    p->launch++;
    p->function = find_function(p, g->instance->module, g->function);
    p->observer = (ExecObserver){.self = p};
    if (!p->function)
        return;
    if (!begin_group(p)) {
        provenance_cut(p, "memory");
        p->function = NULL;
        return;
    }
    marks_launch_begin(p);
    reset_pcs(p);
    read_params(p, g);
    make_store_ids(p);
    p->observer = (ExecObserver){.self = p,
                                 .access = provenance_on_access,
                                 .access_wide = provenance_on_access_wide,
                                 .retired_code = provenance_on_retired_code};
}

/* ---- its end ---- */

static bool add_id(ProvGroup *g, uint16_t id)
{
    if (!VEC_GROW(g->ids, g->n_ids, g->ids_cap))
        return false;
    g->ids[g->n_ids++] = id;
    return true;
}

static bool keep_reads(ProvGroup *g, const ProvPc *c, uint32_t pc, size_t words)
{
    size_t first = g->n_ids;
    for (size_t w = 0; w < words; w++)
        for (uint64_t bits = c->read[w]; bits != 0; bits &= bits - 1)
            if (!add_id(g, (uint16_t)(w * 64 + (unsigned)__builtin_ctzll(bits))))
                return false;
    if (g->n_ids > first)
        g->reads[g->n_reads++] = (ProvReads){.pc = pc, .n = (uint32_t)(g->n_ids - first), .first = first};
    return true;
}

static bool keep_group(const Provenance *p, ProvGroup *g)
{
    const ProvFunction *f = p->function;
    size_t n_ops = 0, n_reads = 0;
    for (uint32_t pc = 0; pc < f->n; pc++) {
        n_ops += f->pcs[pc].ops > 0;
        n_reads += f->pcs[pc].read != NULL && f->pcs[pc].ran;
    }
    free(g->ops);
    free(g->reads);
    g->n_ops = g->n_reads = g->n_ids = 0;
    g->ops = malloc((n_ops + 1) * sizeof *g->ops);
    g->reads = malloc((n_reads + 1) * sizeof *g->reads);
    if (!g->ops || !g->reads)
        return false;
    for (uint32_t pc = 0; pc < f->n; pc++) {
        const ProvPc *c = &f->pcs[pc];
        if (c->ops > 0)
            g->ops[g->n_ops++] = (ProvOps){.pc = pc, .count = c->ops};
        if (c->read && c->ran && !keep_reads(g, c, pc, (p->n_ids + 63) / 64))
            return false;
    }
    return true;
}

/* What the host wrote while the kernel ran any of its loads may have read. */
static void read_taken(Provenance *p)
{
    ProvFunction *f = p->function;
    if (p->n_taken > PROVENANCE_TAKEN_MAX)
        provenance_cut(p, "the host wrote while kernels ran");
    for (size_t i = 0; i < p->n_taken && i < PROVENANCE_TAKEN_MAX; i++)
        for (uint32_t pc = 0; pc < f->n; pc++)
            if (f->pcs[pc].read && (f->pcs[pc].alloc || p->server->jobs > 1))
                note_read(p, &f->pcs[pc], p->taken[i]);
}

void provenance_launch_end(Provenance *p)
{
    ProvFunction *f = p->function;
    if (!f)
        return;
    marks_launch_end(p);
    read_taken(p);
    for (size_t i = 0; i < f->n_constants; i++)
        if (f->pcs[f->constants[i].pc].ran)
            note_read(p, &f->pcs[f->constants[i].pc], f->constants[i].id);
    ProvGroup *g = &p->groups[p->group];
    g->launches++;
    if (!keep_group(p, g))
        provenance_cut(p, "memory");
    p->function = NULL;
}
