/* Litmus tests of the race checker, judged by the axioms of PTX's memory model (PTX ISA, "Memory Consistency Model").
 *
 * A test is a shape (who does what, in the order in which it happened) and a choice for its strong accesses, its fences and who shares a
 * block with whom. Each is run twice: through the checker, and through a judge that knows nothing of it: it writes down the
 * relations of the model as matrices over the few events and closes them.
 *
 *      "0wd 0F 0Wx 1Rx 1G 1rd"    thread 0 writes d, fence, strong write of x; thread 1 strong read of x, fence, reads d
 *
 *      w r   plain write, read                 W R   strong write, read: of the choice
 *      A     atom.relaxed.gpu                  F G   fence of the writing, the reading side: of the choice, or none
 *
 * Locations are words apart from each other; once more x, y and z are bytes side by side.
 *
 * What is judged is whether some two accesses to a location race. Beyond the axioms stand the two rules that docs/vgpu.md names: a thread's
 * loads are done when a strong store of it is seen, and a volatile store without a fence that meets another strong write is told.
 * The order of fence.sc among themselves is left out: no program can say which of two came first.
 */
#include "common/vgpu/check/test/rig.h"

#include <stdlib.h>

enum { EVENTS_MAX = 16, THREADS = 4, LOCATIONS = 26 };

typedef struct Event {
    uint8_t thread, kind; /* ExecAccessKind */
    bool fence;
    uint8_t sem, scope;
    int location;
} Event;

typedef struct Test {
    Event at[EVENTS_MAX];
    int n;
    int block[THREADS]; /* of each thread */
    bool bytes;         /* x, y and z lie side by side */
} Test;

typedef bool Relation[EVENTS_MAX][EVENTS_MAX];

/* ---- the judge ---- */

static bool writes(const Event *e)
{
    return !e->fence && e->kind != ACCESS_LOAD;
}

static bool event_reads(const Event *e)
{
    return !e->fence && (e->kind == ACCESS_LOAD || e->kind == ACCESS_ATOMIC);
}

static bool changes(const Event *e) /* reads and writes in one */
{
    return !e->fence && (e->kind == ACCESS_ATOMIC || e->kind == ACCESS_REDUCTION);
}

static bool is_strong(const Event *e)
{
    return e->fence || e->sem != SEM_WEAK;
}

static bool releases(const Event *e)
{
    return e->sem == SEM_RELEASE || e->sem == SEM_ACQ_REL || e->sem == SEM_SC;
}

static bool acquires(const Event *e)
{
    return e->sem == SEM_ACQUIRE || e->sem == SEM_ACQ_REL || e->sem == SEM_SC;
}

static bool scope_takes_in(const Test *t, const Event *e, int thread)
{
    return e->scope != SCOPE_CTA || t->block[e->thread] == t->block[thread];
}

static bool morally_strong(const Test *t, const Event *a, const Event *b)
{
    if (a->thread == b->thread)
        return true;
    bool overlap = a->fence || b->fence || a->location == b->location;
    return overlap && is_strong(a) && is_strong(b) && scope_takes_in(t, a, b->thread) && scope_takes_in(t, b, a->thread);
}

static void close_over(int n, Relation r)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                r[i][j] |= r[i][k] && r[k][j];
}

/* Events are in the order in which they happened: a read gives what the last write before it left. */
static void observe(const Test *t, Relation seen)
{
    memset(seen, 0, sizeof(Relation));
    for (int r = 0; r < t->n; r++) {
        const Event *read = &t->at[r];
        int w = r - 1;
        while (w >= 0 && !(writes(&t->at[w]) && t->at[w].location == read->location))
            w--;
        if (w >= 0 && (event_reads(read) || changes(read)))
            seen[w][r] = morally_strong(t, &t->at[w], read);
    }
    for (int z = 0; z < t->n; z++)
        for (int i = 0; i < t->n && changes(&t->at[z]); i++)
            for (int j = 0; j < t->n; j++)
                seen[i][j] |= seen[i][z] && seen[z][j];
}

static bool in_order(const Test *t, int a, int b)
{
    return a < b && t->at[a].thread == t->at[b].thread;
}

/* first: the first operation of a release pattern whose write is `write`. */
static bool is_release_pattern(const Test *t, int first, int write)
{
    const Event *f = &t->at[first], *w = &t->at[write];
    if (!writes(w) || !is_strong(w) || !releases(f))
        return false;
    if (f->fence)
        return in_order(t, first, write);
    return first == write || (in_order(t, first, write) && writes(f) && f->location == w->location);
}

static bool is_acquire_pattern(const Test *t, int read, int last)
{
    const Event *r = &t->at[read], *l = &t->at[last];
    if (!event_reads(r) || !is_strong(r) || !acquires(l))
        return false;
    if (l->fence)
        return in_order(t, read, last);
    return read == last || (in_order(t, read, last) && event_reads(l) && l->location == r->location);
}

/* base: base causality order, cause: causality order. reads_done: the same with what a strong store tells of the loads before it. */
static void order(const Test *t, Relation base, Relation cause, Relation reads_done)
{
    Relation seen;
    observe(t, seen);
    for (int a = 0; a < t->n; a++)
        for (int b = 0; b < t->n; b++)
            cause[a][b] = reads_done[a][b] = in_order(t, a, b);
    for (int w = 0; w < t->n; w++)
        for (int r = 0; r < t->n; r++) {
            if (!seen[w][r])
                continue;
            reads_done[w][r] |= t->at[w].kind == ACCESS_STORE && morally_strong(t, &t->at[w], &t->at[r]);
            for (int first = 0; first < t->n; first++)
                for (int last = 0; is_release_pattern(t, first, w) && last < t->n; last++) {
                    bool strong = morally_strong(t, &t->at[first], &t->at[last]);
                    cause[first][last] |= strong && is_acquire_pattern(t, r, last);
                    reads_done[first][last] |= strong && last == r && event_reads(&t->at[r]);
                }
        }
    for (int a = 0; a < t->n; a++)
        for (int b = 0; b < t->n; b++)
            reads_done[a][b] |= cause[a][b];
    close_over(t->n, cause);
    close_over(t->n, reads_done);
    memcpy(base, cause, sizeof(Relation));
    for (int a = 0; a < t->n; a++)
        for (int z = 0; z < t->n; z++)
            for (int b = 0; b < t->n; b++)
                cause[a][b] |= seen[a][z] && base[z][b];
}

static bool has_fenced(const Test *t, int e)
{
    for (int i = 0; i < e; i++)
        if (t->at[i].fence && in_order(t, i, e))
            return true;
    return false;
}

static bool is_told_volatile(const Test *t, int e)
{
    return t->at[e].kind == ACCESS_STORE && t->at[e].sem == SEM_VOLATILE && !has_fenced(t, e);
}

/* The checker keeps the last strong writes of a place: it may miss what an earlier one says to an access of another scope, and that the
 * latter has seen the former through an atomic in between. */
static bool is_hidden(const Test *t, int a, int b)
{
    bool hidden = false;
    for (int c = a + 1; c < b; c++)
        hidden |= writes(&t->at[c]) && t->at[c].location == t->at[a].location;
    return hidden && is_strong(&t->at[a]) && is_strong(&t->at[b]);
}

/* Locations with a race, a bit each: those that must be found, and those that may. */
typedef struct Verdict {
    uint32_t must, may;
} Verdict;

static Verdict judge(const Test *t)
{
    Relation base, cause, reads_done;
    Verdict v = {0};
    order(t, base, cause, reads_done);
    for (int b = 0; b < t->n; b++)
        for (int a = 0; a < b; a++) {
            const Event *x = &t->at[a], *y = &t->at[b];
            if (x->fence || y->fence || x->location != y->location || x->thread == y->thread || !(writes(x) || writes(y)))
                continue;
            bool told = writes(x) && writes(y) && (is_told_volatile(t, a) || is_told_volatile(t, b));
            if (morally_strong(t, x, y) && !told)
                continue;
            bool ordered = (told ? base : cause)[a][b] || (!writes(x) && reads_done[a][b]);
            bool hidden = is_hidden(t, a, b);
            v.may |= ordered && !(hidden && !base[a][b]) ? 0 : 1u << x->location;
            v.must |= ordered || hidden ? 0 : 1u << x->location;
        }
    return v;
}

/* ---- the checker ---- */

enum { APART = 256, FIRST_BYTE = 'x' - 'a' };

static uint64_t place_of(const Test *t, int location)
{
    return t->bytes && location > FIRST_BYTE ? FIRST_BYTE * APART + (uint64_t)(location - FIRST_BYTE) : (uint64_t)location * APART;
}

static int location_at(uint64_t place)
{
    return (int)(place / APART + (place / APART == FIRST_BYTE ? place % APART : 0));
}

static uint32_t check_outcome(const Test *t)
{
    Rig *r = rig_new(CHECK_RACE, 1);
    MemAlloc *a = mem_alloc(r->mem, LOCATIONS * APART, MEM_DEVICE, 0, NULL);
    rig_begin(r, THREADS, THREADS * 32);
    for (uint32_t b = 0; b < THREADS; b++)
        rig_block(r, b, 0);
    for (int i = 0; i < t->n; i++) {
        const Event *e = &t->at[i];
        rig_at(r, (uint32_t)t->block[e->thread], 0);
        RigAccess x = {.kind = e->kind, .space = SPACE_GLOBAL, .sem = e->sem, .scope = e->scope, .inst = (uint32_t)i, .warp = e->thread,
                       .mask = 1, .base = a->addr + place_of(t, e->location), .bytes = t->bytes && e->location >= FIRST_BYTE ? 1 : 4, .alloc = a, .value = (uint32_t)i + 1};
        if (e->fence)
            r->o->fence(r->o->self, (rig_who(r, (uint32_t)i, e->thread), &r->who), 1, (IrSem)e->sem, (IrScope)e->scope);
        else
            rig_access(r, x);
    }
    rig_end(r);
    uint32_t races = 0;
    for (size_t i = 0; check_finding(r->set, i); i++) {
        const Finding *f = check_finding(r->set, i);
        if (finding_kind(f) == FINDING_RACE)
            races |= 1u << location_at(f->address - a->addr);
    }
    rig_free(r);
    return races;
}

/* ---- the table ---- */

typedef struct Choice {
    const char *name;
    uint8_t kind, sem, scope;
} Choice;

#define THREE_SCOPES(name, kind, sem)                                                                        \
    {name ".cta", kind, sem, SCOPE_CTA}, {name ".gpu", kind, sem, SCOPE_GPU}, {name ".sys", kind, sem, SCOPE_SYS}

static const Choice write_choices[] = {
    {"st", ACCESS_STORE, SEM_WEAK, SCOPE_NONE},
    {"st.volatile", ACCESS_STORE, SEM_VOLATILE, SCOPE_NONE},
    THREE_SCOPES("st.relaxed", ACCESS_STORE, SEM_RELAXED),
    THREE_SCOPES("st.release", ACCESS_STORE, SEM_RELEASE),
    THREE_SCOPES("atom.relaxed", ACCESS_ATOMIC, SEM_RELAXED),
    THREE_SCOPES("atom.acq_rel", ACCESS_ATOMIC, SEM_ACQ_REL),
    THREE_SCOPES("red.relaxed", ACCESS_REDUCTION, SEM_RELAXED),
    THREE_SCOPES("red.release", ACCESS_REDUCTION, SEM_RELEASE),
};
static const Choice read_choices[] = {
    {"ld", ACCESS_LOAD, SEM_WEAK, SCOPE_NONE},
    {"ld.volatile", ACCESS_LOAD, SEM_VOLATILE, SCOPE_NONE},
    THREE_SCOPES("ld.relaxed", ACCESS_LOAD, SEM_RELAXED),
    THREE_SCOPES("ld.acquire", ACCESS_LOAD, SEM_ACQUIRE),
    THREE_SCOPES("atom.relaxed", ACCESS_ATOMIC, SEM_RELAXED),
    THREE_SCOPES("atom.acq_rel", ACCESS_ATOMIC, SEM_ACQ_REL),
};
static const Choice fence_choices[] = {
    {"no fence", 0, SEM_WEAK, SCOPE_NONE},
    {"fence.sc.cta", 0, SEM_SC, SCOPE_CTA},
    {"fence.sc.gpu", 0, SEM_SC, SCOPE_GPU},
    {"fence.acq_rel.sys", 0, SEM_ACQ_REL, SCOPE_SYS},
};
enum {
    N_WRITES = sizeof write_choices / sizeof *write_choices,
    N_READS = sizeof read_choices / sizeof *read_choices,
    N_FENCES = sizeof fence_choices / sizeof *fence_choices,
};

static const struct Shape {
    const char *name, *events;
    bool all_scopes;
} shapes[] = {
    {"message passing", "0wd 0F 0Wx 1Rx 1G 1rd", true},
    {"message passing, read then written", "0rd 0F 0Wx 1Rx 1G 1wd", false},
    {"message passing, written twice", "0wd 0F 0Wx 1Rx 1G 1wd", false},
    {"a message that is not seen", "1Rx 1G 0wd 0F 0Wx 1rd", false},
    {"written after the fence", "0F 0wd 0Wx 1Rx 1G 1rd", false},
    {"read before the fence", "0wd 0F 0Wx 1Rx 1rd 1G", false},
    {"another place is published", "0wd 0Wy 0Wx 1Rx 1G 1rd", false},
    {"another place is acquired", "0wd 0F 0Wx 1Rx 1Ry 1rd", false},
    {"a neighbour publishes", "0wd 0F 0Wx 1Wy 2Rx 2G 2rd", false},
    {"the neighbour is read", "0wd 0F 0Wx 1Wy 2Ry 2G 2rd", false},
    {"published again", "0wd 0F 0Wx 0Wx 1Rx 1G 1rd", false},
    {"read again", "0wd 0F 0Wx 1Rx 1Rx 1G 1rd", false},
    {"store buffering", "0Wx 0F 0Ry 1Wy 1G 1Rx", false},
    {"load buffering", "0Rx 0F 0Wy 1Ry 1G 1Wx", false},
    {"coherence of one writer", "0Wx 1Rx 1G 1Wx 0Rx", false},
    {"a lock", "0Rx 0G 0rd 0wd 0F 0Wx 1Rx 1G 1rd 1wd 1F 1Wx", true},
    {"a lock that one forgets", "0Rx 0G 0wd 0F 0Wx 1wd 1F 1Wx", false},
    {"coherence", "0Wx 1Wx 2Rx 2G 2Rx", false},
    {"handed on", "0wd 0F 0Wx 1Rx 1G 1F 1Wy 2Ry 2G 2rd", false},
    {"handed on by an atomic", "0wd 0F 0Wx 1Ax 2Rx 2G 2rd", false},
    {"overwritten", "0wd 0F 0Wx 1Wx 2Rx 2G 2rd", false},
    {"two writers, two readers", "0Wx 1Wy 2Rx 2G 2Ry 3Ry 3G 3Rx", false},
};

/* Blocks of the threads: one digit each. */
static const char *const placements[] = {"0000", "0123", "0012", "0112", "0102", "0011"};

static Test make_litmus(const char *events, const Choice *w, const Choice *r, const Choice *f,
                        const Choice *g, const char *blocks)
{
    Test t = {0};
    for (int i = 0; i < THREADS; i++)
        t.block[i] = blocks[i] - '0';
    for (const char *at = events; *at; at += strcspn(at, " "), at += *at == ' ') {
        Event e = {.thread = (uint8_t)(at[0] - '0')};
        const Choice *of = at[1] == 'W' ? w : at[1] == 'R' ? r : at[1] == 'F' ? f : at[1] == 'G' ? g : NULL;
        e.fence = at[1] == 'F' || at[1] == 'G';
        e.location = e.fence ? -1 : at[2] - 'a';
        if (of)
            e.kind = of->kind, e.sem = of->sem, e.scope = of->scope;
        else if (at[1] == 'A')
            e.kind = ACCESS_ATOMIC, e.sem = SEM_RELAXED, e.scope = SCOPE_GPU;
        else
            e.kind = at[1] == 'w' ? ACCESS_STORE : ACCESS_LOAD;
        if (!e.fence || e.sem != SEM_WEAK)
            t.at[t.n++] = e;
    }
    return t;
}

static int n_threads(const char *events)
{
    int most = 0;
    for (const char *at = events; *at; at += strcspn(at, " "), at += *at == ' ')
        most = at[0] - '0' > most ? at[0] - '0' : most;
    return most + 1;
}

/* The same blocks as an earlier placement, as far as the shape's threads go. */
static bool is_repeated(unsigned placement, int threads)
{
    for (unsigned i = 0; i < placement; i++) {
        bool same = true;
        for (int a = 0; a < threads; a++)
            for (int b = 0; b < a; b++)
                same &= (placements[i][a] == placements[i][b]) == (placements[placement][a] == placements[placement][b]);
        if (same)
            return true;
    }
    return false;
}

typedef struct Tally {
    int rows, races, clean, wrong;
} Tally;

/* Of so many rows one is judged: a number that divides none of those of choices. */
static int each = 1;

static void run_litmus(Tally *tally, const struct Shape *s, const Choice *w, const Choice *r, const Choice *f,
                       const Choice *g, const char *blocks, bool bytes)
{
    if (tally->rows++ % each != 0)
        return;
    Test t = make_litmus(s->events, w, r, f, g, blocks);
    t.bytes = bytes;
    Verdict expected = judge(&t);
    uint32_t found = check_outcome(&t);
    tally->races += expected.must != 0;
    tally->clean += expected.may == 0;
    if (!(expected.must & ~found) && !(found & ~expected.may))
        return;
    if (tally->wrong++ < 12)
        print_message("%s (%s), %s, %s, %s, %s, blocks %s%s: locations 0x%x race (0x%x may), 0x%x are found\n", s->name, s->events, w->name, r->name,
                      f->name, g->name, blocks, bytes ? ", bytes" : "", expected.must, expected.may, found);
}

/* .sys is .gpu to threads of one card: the shapes that most programs are made of have it, the others go without. */
static void run_shape(Tally *tally, const struct Shape *s, bool bytes)
{
    int threads = n_threads(s->events);
    bool fences = strchr(s->events, 'F'), more_fences = strchr(s->events, 'G');
    for (unsigned p = 0; p < sizeof placements / sizeof *placements; p++)
        for (int w = 0; w < N_WRITES && !is_repeated(p, threads); w++)
            for (int r = 0; r < N_READS; r++)
                for (int f = 0; f < (fences ? N_FENCES : 1); f++)
                    for (int g = 0; g < (more_fences ? N_FENCES : 1); g++) {
                        bool sys = write_choices[w].scope == SCOPE_SYS || read_choices[r].scope == SCOPE_SYS ||
                                   fence_choices[f].scope == SCOPE_SYS || fence_choices[g].scope == SCOPE_SYS;
                        if ((s->all_scopes && !bytes) || !sys)
                            run_litmus(tally, s, &write_choices[w], &read_choices[r], &fence_choices[f],
                                       &fence_choices[g], placements[p], bytes);
                    }
}

static void litmus(void **state)
{
    (void)state;
    Tally all = {0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        Tally t = {0};
        bool neighbours = strstr(shapes[i].name, "neighbour");
        if (!neighbours)
            run_shape(&t, &shapes[i], false);
        if (neighbours || strstr(shapes[i].name, "another") || strstr(shapes[i].name, "two writers"))
            run_shape(&t, &shapes[i], true);
        print_message("%-36s %6d rows, %6d race, %6d do not, %6d wrong\n", shapes[i].name, t.rows, t.races, t.clean, t.wrong);
        assert_true(t.races > 0);
        all.rows += t.rows;
        all.clean += t.clean;
        all.wrong += t.wrong;
    }
    assert_true(all.rows > 20000 && all.clean > 5000 / each);
    if (each > 1)
        print_message("# left out: %d outcomes of litmus tests\n", all.rows - (all.rows + each - 1) / each);
    assert_int_equal(all.wrong, 0);
}

int main(void)
{
    const char *is_short = getenv("SHORT"); /* common/mk/test/short.sh */
    each = is_short && *is_short ? 11 : 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(litmus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
