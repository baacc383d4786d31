/* provenance: the record: numbers, rows and their bytes. See provenance.h. */
#include "common/vgpu/device/provenance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

Provenance *provenance_new(DeviceServer *s)
{
    Provenance *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->server = s;
    p->n_ids = 1;
    p->kinds = calloc(PROVENANCE_IDS, 3); /* as one the three are large enough to come cleared from the kernel */
    p->untold = p->kinds ? p->kinds + PROVENANCE_IDS : NULL;
    p->used = p->kinds ? p->untold + PROVENANCE_IDS : NULL;
    p->n_marks = calloc(s->n_devices + 1, sizeof *p->n_marks);
    p->marks_cap = calloc(s->n_devices + 1, sizeof *p->marks_cap);
    p->marks = calloc(s->n_devices + 1, sizeof *p->marks);
    p->orders = calloc(s->n_devices + 1, sizeof *p->orders);
    p->bin = mmap(NULL, PROVENANCE_BIN_MAX, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    pthread_mutex_init(&p->lock, NULL);
    if (p->bin == MAP_FAILED)
        p->bin = NULL;
    if (p->kinds && p->n_marks && p->marks_cap && p->marks && p->orders && p->bin)
        return p;
    provenance_free(p);
    return NULL;
}

void provenance_free(Provenance *p)
{
    if (!p)
        return;
    marks_free(p);
    for (size_t i = 0; i < p->n_functions; i++)
        provenance_function_free(p->functions[i]);
    for (size_t i = 0; i < p->n_groups; i++) {
        free(p->groups[i].ops);
        free(p->groups[i].reads);
        free(p->groups[i].ids);
    }
    if (p->bin)
        munmap(p->bin, PROVENANCE_BIN_MAX);
    void *parts[] = {p->kinds,  p->dead,   p->n_marks, p->marks_cap,
                     p->marks,  p->shared, p->hosts,     p->fills,  p->outs,    p->runs,
                     p->stores, p->groups, p->functions, p->orders, p};
    pthread_mutex_destroy(&p->lock);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        free(parts[i]);
}

void provenance_cut(Provenance *p, const char *why)
{
    if (!p->cut)
        p->cut = why;
}

uint16_t provenance_id(Provenance *p, ProvKind kind)
{
    if (p->n_ids == PROVENANCE_IDS) {
        provenance_cut(p, "numbers");
        return 0;
    }
    p->kinds[p->n_ids] = (uint8_t)kind;
    return (uint16_t)p->n_ids++;
}

/* ---- bytes ---- */

uint64_t provenance_begin(const Provenance *p)
{
    return p->n_bin;
}

/* Takes the pages of what comes next at once, where the kernel knows how: one by one they cost more than the
 * copy. */
static void take_pages(Provenance *p, uint64_t n)
{
#ifdef MADV_POPULATE_WRITE
    enum { PIECE = 1 << 16 };
    uint64_t end = (p->n_bin + n + PIECE - 1) / PIECE * PIECE;
    if (end > p->n_pages && n >= PIECE / 4)
        madvise(p->bin + p->n_pages, end - p->n_pages, MADV_POPULATE_WRITE);
    p->n_pages = end > p->n_pages ? end : p->n_pages;
#else
    (void)p, (void)n;
#endif
}

void provenance_add(Provenance *p, const void *bytes, uint64_t n)
{
    uint64_t room = PROVENANCE_BIN_MAX - p->n_bin, kept = n < room ? n : room;
    if (kept < n)
        provenance_cut(p, "bytes");
    take_pages(p, kept);
    memcpy(p->bin + p->n_bin, bytes, kept);
    p->n_bin += kept;
}

/* Mixes eight bytes at a time, in four lanes so that none waits for another. */
static uint64_t hash_bytes(const uint8_t *bytes, uint64_t n)
{
    static const uint64_t k = 0x9E3779B97F4A7C15u;
    uint64_t h[4] = {n + 1, k, ~k, k >> 7}, w[4];
    for (; n >= sizeof w; n -= sizeof w, bytes += sizeof w) {
        memcpy(w, bytes, sizeof w);
        for (int i = 0; i < 4; i++) {
            h[i] = (h[i] ^ w[i]) * k;
            h[i] ^= h[i] >> 29;
        }
    }
    for (uint64_t i = 0; i < n; i++)
        h[0] = (h[0] ^ bytes[i]) * k;
    uint64_t all = h[0];
    for (int i = 1; i < 4; i++)
        all = ((all ^ all >> 31) * k) ^ h[i];
    return all ^ all >> 32;
}

/* ---- rows ---- */

/* All that comes too late: one row, of which only the sum of bytes is known. */
static uint16_t add_to_many(Provenance *p, ProvHow how, uint64_t begin)
{
    uint64_t bytes = p->n_bin - begin;
    p->n_bin = begin;
    for (size_t i = 0; i < p->n_hosts && p->many != 0; i++)
        if (p->hosts[i].id == p->many) {
            p->hosts[i].bytes += bytes;
            p->hosts[i].times++;
            return p->many;
        }
    if (!VEC_GROW(p->hosts, p->n_hosts, p->hosts_cap)) {
        provenance_cut(p, "memory");
        return 0;
    }
    p->many = provenance_id(p, PROV_HOST);
    p->hosts[p->n_hosts++] = (ProvHost){
        .id = p->many, .how = (uint8_t)how, .merged = true, .at = begin, .bytes = bytes, .times = 1};
    return p->many;
}

uint16_t provenance_host(Provenance *p, ProvHow how, uint64_t begin)
{
    uint64_t bytes = p->n_bin - begin, hash = hash_bytes(p->bin + begin, bytes);
    uint32_t *bucket = &p->host_buckets[hash % PROV_BUCKETS];
    if (bytes == 0)
        return 0;
    for (uint32_t i = *bucket; i != 0; i = p->hosts[i - 1].next) {
        ProvHost *h = &p->hosts[i - 1];
        if (h->hash != hash || h->bytes != bytes || h->how != how ||
            memcmp(p->bin + h->at, p->bin + begin, bytes) != 0)
            continue;
        h->times++;
        p->n_bin = begin;
        return h->id;
    }
    if (p->n_ids >= PROVENANCE_HOST_IDS_MAX || p->n_hosts >= PROVENANCE_ROWS_MAX)
        return add_to_many(p, how, begin);
    if (!VEC_GROW(p->hosts, p->n_hosts, p->hosts_cap)) {
        provenance_cut(p, "memory");
        return 0;
    }
    uint16_t id = provenance_id(p, PROV_HOST);
    p->hosts[p->n_hosts++] = (ProvHost){.id = id,
                                        .how = (uint8_t)how,
                                        .at = begin,
                                        .bytes = bytes,
                                        .hash = hash,
                                        .times = 1,
                                        .next = *bucket};
    *bucket = (uint32_t)p->n_hosts;
    return id;
}

uint16_t provenance_fill_id(Provenance *p, uint32_t value)
{
    for (size_t i = 0; i < p->n_fills; i++)
        if (p->fills[i].value == value) {
            p->fills[i].times++;
            return p->fills[i].id;
        }
    if (p->n_ids >= PROVENANCE_HOST_IDS_MAX || !VEC_GROW(p->fills, p->n_fills, p->fills_cap)) {
        provenance_cut(p, "fills");
        return 0;
    }
    uint16_t id = provenance_id(p, PROV_FILL);
    p->fills[p->n_fills++] = (ProvFill){.id = id, .value = value, .times = 1};
    return id;
}

void provenance_run(Provenance *p, size_t first_run, uint64_t bytes, uint16_t id)
{
    if (p->n_runs > first_run && p->runs[p->n_runs - 1].id == id) {
        p->runs[p->n_runs - 1].bytes += bytes;
        return;
    }
    if (p->n_runs >= PROVENANCE_RUNS_MAX || !VEC_GROW(p->runs, p->n_runs, p->runs_cap)) {
        provenance_cut(p, "runs");
        return;
    }
    p->runs[p->n_runs++] = (ProvRun){.bytes = bytes, .id = id};
}

static bool same_runs(const ProvRun *a, const ProvRun *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].bytes != b[i].bytes || a[i].id != b[i].id)
            return false;
    return true;
}

void provenance_out(Provenance *p, ProvHow how, uint64_t begin, size_t first_run)
{
    uint64_t bytes = p->n_bin - begin, hash = hash_bytes(p->bin + begin, bytes);
    size_t n_runs = p->n_runs - first_run;
    uint32_t *bucket = &p->out_buckets[hash % PROV_BUCKETS];
    for (uint32_t i = *bucket; i != 0; i = p->outs[i - 1].next) {
        ProvOut *o = &p->outs[i - 1];
        if (o->hash != hash || o->bytes != bytes || o->how != how || o->n_runs != n_runs ||
            !same_runs(p->runs + o->first_run, p->runs + first_run, n_runs) ||
            memcmp(p->bin + o->at, p->bin + begin, bytes) != 0)
            continue;
        o->times++;
        p->n_bin = begin;
        p->n_runs = first_run;
        return;
    }
    if (p->n_outs >= PROVENANCE_ROWS_MAX || !VEC_GROW(p->outs, p->n_outs, p->outs_cap)) {
        provenance_cut(p, "rows");
        p->n_bin = begin;
        p->n_runs = first_run;
        return;
    }
    p->outs[p->n_outs++] = (ProvOut){.how = (uint8_t)how,
                                     .at = begin,
                                     .bytes = bytes,
                                     .hash = hash,
                                     .times = 1,
                                     .first_run = first_run,
                                     .n_runs = n_runs,
                                     .next = *bucket};
    *bucket = (uint32_t)p->n_outs;
}
