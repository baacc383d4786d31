/* Values that nobody wrote, held against a judge that follows each byte of each thread. Random kernels without branches load words of
 * which some bytes were not written, pass them on through registers and memory, and use one register at the end: that is a finding when
 * a byte of it has no value in some thread, and nothing else is. Arithmetic on it is a use when the result is stored. With all warps of a block at once, warp by warp and with two workers;
 * and kernels written down for what the random ones cannot do. */
#include "common/vgpu/check/test/rig.h"

#include "common/base/rng.h"
#include "common/vgpu/exec/test/loaded.h"

#include <stdio.h>

enum { KERNELS = 600, STEPS = 14, WORDS = 4, BLOCKS = 6, THREADS = 48, ALL = BLOCKS * THREADS, R = 4, H = 4, D = 2 };

/* Bytes without a value, a bit each. */
typedef struct Lane {
    uint8_t r[R], h[H], d[D];
    uint8_t in[WORDS], mem[WORDS], shared[WORDS];
} Lane;

typedef struct Made {
    StrBuf text;
    Rng rng;
    Lane lanes[ALL];
    uint32_t undefined; /* threads whose last use is one */
    uint32_t first;     /* of them, in its block */
} Made;

static uint32_t pick(Made *m, uint32_t n)
{
    return (uint32_t)rng_below(&m->rng, n);
}

#define WRITE(...) strbuf_printf(&m->text, __VA_ARGS__)
#define EACH(l, ...)                                                                                          \
    for (uint32_t t = 0; t < ALL; t++) {                                                                      \
        Lane *l = &m->lanes[t];                                                                               \
        bool p = t % THREADS % 3 == 0;                                                                        \
        (void)p;                                                                                              \
        __VA_ARGS__;                                                                                          \
    }

static void write_step(Made *m)
{
    uint32_t a = pick(m, R), b = pick(m, R), c = pick(m, R), x = pick(m, H), y = pick(m, H), d = pick(m, D), k = pick(m, WORDS);
    switch (pick(m, 17)) {
    case 0:
    case 1:
        WRITE("ld.global.u32 %%r%u, [%%in+%u];\n", a, 4 * k);
        EACH(l, l->r[a] = l->in[k]);
        break;
    case 2:
        WRITE("ld.global.u16 %%h%u, [%%in+%u];\n", x, 4 * k + 2);
        EACH(l, l->h[x] = l->in[k] >> 2);
        break;
    case 3:
        WRITE("mov.u32 %%r%u, %%r%u;\n", a, b);
        EACH(l, l->r[a] = l->r[b]);
        break;
    case 4:
        WRITE("@%%p mov.u32 %%r%u, %%r%u;\n", a, b);
        EACH(l, l->r[a] = p ? l->r[b] : l->r[a]);
        break;
    case 5:
    case 6:
        WRITE("selp.b32 %%r%u, %%r%u, %%r%u, %%p;\n", a, b, c);
        EACH(l, l->r[a] = p ? l->r[b] : l->r[c]);
        break;
    case 7:
        WRITE("mov.b32 %%r%u, {%%h%u, %%h%u};\n", a, x, y);
        EACH(l, l->r[a] = (uint8_t)(l->h[x] | l->h[y] << 2));
        break;
    case 8:
        y = (x + 1) % H;
        WRITE("mov.b32 {%%h%u, %%h%u}, %%r%u;\n", x, y, a);
        EACH(l, l->h[x] = l->r[a] & 3; l->h[y] = l->r[a] >> 2);
        break;
    case 9:
        WRITE("mov.b64 %%d%u, {%%r%u, %%r%u};\n", d, a, b);
        EACH(l, l->d[d] = (uint8_t)(l->r[a] | l->r[b] << 4));
        break;
    case 10:
        b = (a + 1) % R;
        WRITE("mov.b64 {%%r%u, %%r%u}, %%d%u;\n", a, b, d);
        EACH(l, l->r[a] = l->d[d] & 15; l->r[b] = l->d[d] >> 4);
        break;
    case 11:
        WRITE("cvt.s32.s16 %%r%u, %%h%u;\n", a, x);
        EACH(l, l->r[a] = l->h[x] & 2 ? l->h[x] | 12 : l->h[x]);
        break;
    case 12:
        WRITE("cvt.u16.u32 %%h%u, %%r%u;\n", x, a);
        EACH(l, l->h[x] = l->r[a] & 3);
        break;
    case 13:
        WRITE("st.global.u32 [%%mem+%u], %%r%u;\n", 4 * k, a);
        EACH(l, l->mem[k] = l->r[a]);
        break;
    case 14:
        WRITE("ld.global.u32 %%r%u, [%%mem+%u];\n", a, 4 * k);
        EACH(l, l->r[a] = l->mem[k]);
        break;
    case 15:
        WRITE("st.shared.u32 [%%own+%u], %%r%u;\nld.shared.u32 %%r%u, [%%own+%u];\n", 4 * k, a, b, 4 * c);
        EACH(l, l->shared[k] = l->r[a]; l->r[b] = l->shared[c]);
        break;
    default:
        WRITE("atom.global.exch.b32 %%r%u, [%%mem+%u], 5;\n", a, 4 * k);
        EACH(l, l->r[a] = l->mem[k]; l->mem[k] = 0);
        break;
    }
}

static void write_use(Made *m)
{
    static const char *const uses[] = {
        "setp.eq.u32 %%q, %%r%u, 1;\n",
        "red.global.add.u32 [%%none], %%r%u;\n",
        "shfl.sync.bfly.b32 %%rx, %%r%u, 0, 31, %%all;\n",
        "atom.global.exch.b32 %%rx, [%%none], %%r%u;\n",
        "st.local.b32 [stack], %%r%u;\n",
        "add.u32 %%rx, %%r%u, 1;\nst.global.u32 [%%mem], %%rx;\n",
        "and.b32 %%rx, %%r%u, 3;\nmov.u32 %%r0, %%rx;\nst.shared.u32 [%%own], %%r0;\n",
        "cvt.rn.f32.u32 %%fx, %%r%u;\nmul.f32 %%fx, %%fx, %%fx;\nst.global.f32 [%%mem], %%fx;\n",
        "mul.wide.u32 %%dx, %%r%u, 0;\nadd.s64 %%dx, %%dx, %%none;\nld.global.u32 %%rx, [%%dx];\n",
        "add.u32 %%rx, %%r%u, 1;\nst.global.v2.u32 [%%mem+8], {%%r0, %%rx};\n", /* beside one that may be as it was loaded */
        "add.u32 %%rx, %%r%u, 1;\n", /* silent, from here on */
        "and.b32 %%rx, %%r%u, 0;\nst.shared.u32 [%%own], %%rx;\n",
        "st.shared.v2.u32 [%%own], {%%r%u, %%r1};\n",
        "mul.wide.u32 %%dx, %%r%u, 4;\nmov.u64 %%dx, 0;\nst.global.u64 [%%none], %%dx;\n",
        "mul.lo.u32 %%rx, %%r%u, 9;\nsetp.eq.u32 %%q, %%t, 5000;\nselp.b32 %%rx, %%rx, 1, %%q;\nst.shared.u32 [%%own], %%rx;\n",
    };
    enum { SILENT = 5 };
    uint32_t a = pick(m, R), n = sizeof uses / sizeof *uses, use = pick(m, n);
    WRITE(uses[use], a);
    EACH(l, {
        bool bad = l->r[a] != 0 && use < n - SILENT;
        m->first = bad && !m->undefined ? t % THREADS : m->first;
        m->undefined += bad;
    });
}

static void write_kernel(Made *m, uint64_t seed)
{
    m->rng = (Rng){seed};
    EACH(l, {
        memset(l, 0, sizeof *l);
        memset(l->mem, 15, sizeof l->mem);
        memset(l->shared, 15, sizeof l->shared);
    });
    for (uint32_t k = 0; k < WORDS; k++) {
        bool whole = pick(m, 3) == 0;
        EACH(l, l->in[k] = whole || pick(m, 3) ? 0 : (uint8_t)pick(m, 16));
    }
    WRITE(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
          ".reg .pred %%p, %%q;\n.reg .b16 %%h<4>;\n.reg .b32 %%r<4>, %%rx, %%t, %%b, %%own, %%all;\n.reg .f32 %%fx;\n"
          ".reg .b64 %%d<2>, %%dx, %%in, %%mem, %%none, %%at;\n.shared .align 16 .b8 room[%u];\n.local .align 4 .b8 stack[4];\n",
          THREADS * WORDS * 4);
    WRITE("ld.param.u64 %%in, [a];\nld.param.u64 %%mem, [b];\nld.param.u64 %%none, [c];\nmov.u32 %%t, %%tid.x;\nmov.u32 %%b, %%ctaid.x;\n"
          "mov.u32 %%own, room;\nmad.lo.u32 %%own, %%t, %u, %%own;\nrem.u32 %%all, %%t, 3;\nsetp.eq.u32 %%p, %%all, 0;\n"
          "mad.lo.u32 %%b, %%b, %u, %%t;\nmul.wide.u32 %%at, %%b, %u;\nadd.s64 %%in, %%in, %%at;\nadd.s64 %%mem, %%mem, %%at;\n"
          "activemask.b32 %%all;\n",
          WORDS * 4, THREADS, WORDS * 4);
    for (int i = 0; i < R; i++)
        WRITE("mov.u32 %%r%d, 0;\nmov.u16 %%h%d, 0;\n", i, i);
    WRITE("mov.u64 %%d0, 0;\nmov.u64 %%d1, 0;\n");
    for (int i = 0; i < STEPS; i++)
        write_step(m);
    write_use(m);
    WRITE("ret;\n}\n");
}

/* ---- running ---- */

typedef struct Way {
    const char *name;
    bool narrow;
    unsigned jobs;
    uint64_t seed;
} Way;

static const Way ways[] = {{"together", false, 1, 0}, {"warp by warp", true, 1, 0}, {"two workers", false, 2, 0}, {"another order", false, 1, 7}};

typedef struct Said {
    uint64_t count;
    uint32_t thread, n;
    bool others; /* a finding of another kind */
} Said;

static Said run(const Loaded *l, const Made *m, const Way *way)
{
    Mem *mem;
    CheckSet *set;
    assert_int_equal(mem_create(0, 1 << 20, 1, &mem), STATUS_OK);
    assert_int_equal(check_create(&(CheckOptions){.tools = CHECK_ALL, .jobs = way->jobs}, &set), STATUS_OK);
    const MemAlloc *bufs[3];
    for (int i = 0; i < 3; i++)
        bufs[i] = mem_alloc(mem, ALL * WORDS * 4, MEM_DEVICE, 0, NULL);
    mem_mark_init(mem_find(mem, bufs[2]->addr), bufs[2]->addr, 4, true);
    MemAlloc *in = mem_find(mem, bufs[0]->addr);
    for (uint32_t t = 0; t < ALL; t++)
        for (uint32_t byte = 0; byte < WORDS * 4; byte++)
            if (!(m->lanes[t].in[byte / 4] >> byte % 4 & 1))
                mem_mark_init(in, in->addr + t * WORDS * 4 + byte, 1, true);
    const uint64_t params[3] = {bufs[0]->addr, bufs[1]->addr, bufs[2]->addr};
    ExecLaunch launch = {.instance = l->instance,
                         .grid = {BLOCKS, 1, 1},
                         .block = {THREADS, 1, 1},
                         .params = (const uint8_t *)params,
                         .mem = mem,
                         .jobs = way->jobs,
                         .narrow = way->narrow,
                         .seed = way->seed,
                         .observers = check_observer(set),
                         .n_observers = 1};
    ExecResult result;
    exec_launch(&launch, &result);
    assert_int_equal(result.error, EXEC_OK);
    Said said = {0};
    for (size_t i = 0; i < check_n_findings(set); i++) {
        const Finding *f = check_finding(set, i);
        bool mine = finding_kind(f) == FINDING_UNINITIALIZED;
        said.others |= !mine && !f->advice;
        said.thread = mine && (!said.n || f->thread[0] < said.thread) ? f->thread[0] : said.thread;
        said.n += mine;
        said.count += mine ? f->count : 0;
    }
    check_destroy(set);
    mem_destroy(mem);
    return said;
}

/* A register of a thread has up to four bytes from different loads, each of which is told. */
static void judge(const Made *m, const Said *said, const Said *first, uint64_t seed, const Way *way)
{
    bool right = !said->others && (said->n > 0) == (m->undefined > 0) && said->count >= m->undefined && said->count <= m->undefined * 4 &&
                 said->count == first->count && said->n == first->n && (!m->undefined || way->seed || said->thread <= m->first);
    if (!right)
        fail_msg("kernel %llu, %s: %u findings, %llu threads; %u use what nobody wrote, first %u, told %u%s\n%s", (unsigned long long)seed, way->name,
                 said->n, (unsigned long long)said->count, m->undefined, m->first, said->thread,
                 said->others ? "; and others" : "", strstr(m->text.text, "activemask"));
}

static void random_kernels(void **state)
{
    (void)state;
    static Made m;
    uint32_t fire = 0, silent = 0;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        m = (Made){0};
        write_kernel(&m, seed);
        Loaded l = loaded_of(&m.text);
        Said first = {0};
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            Said said = run(&l, &m, &ways[w]);
            first = w ? first : said;
            judge(&m, &said, &first, seed, &ways[w]);
        }
        fire += m.undefined > 0;
        silent += m.undefined == 0;
        loaded_free(&l);
        strbuf_free(&m.text);
    }
    print_message("%u kernels use what nobody wrote, %u do not\n", fire, silent);
    assert_true(fire > KERNELS / 10 && silent > KERNELS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
