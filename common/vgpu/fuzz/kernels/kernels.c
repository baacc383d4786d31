/* See kernels.h. A statement is a form of a family, with its places filled in, or statements within control
 * flow. */
#include "common/vgpu/fuzz/kernels/kernels.h"

#include <stdio.h>
#include <string.h>

enum {
    DEPTH_MAX = 3,
    STATEMENTS = 12,
    IN_LAST = 1023,   /* index of a load of up to 16 bytes, and 16 more may follow */
    TABLE_LAST = 511, /* of one of up to 8 */
};
enum { N_R = 8, N_D = 4, N_H = 4, N_F = 4, N_E = 2, N_P = 4 };

typedef enum Family {
    FAMILY_INTEGER,
    FAMILY_LONG,
    FAMILY_SHORT,
    FAMILY_FLOAT,
    FAMILY_PREDICATE,
    FAMILY_LOAD,
    FAMILY_TABLE,
    FAMILY_OWN,
    FAMILY_SELF,
    FAMILY_SMALL,
    FAMILY_COMMON,
    FAMILY_LANES,
    FAMILY_MEETING,
    FAMILY_VOTE,
    FAMILY_ODD,
    N_FAMILIES
} Family;

typedef struct Form {
    Family family;
    unsigned bytes;
    const char *text;
} Form;

static const Form forms[] = {
#define X(family, bytes, text) {FAMILY_##family, bytes, text},
#include "common/vgpu/fuzz/kernels/forms.def"
#undef X
};
enum { N_FORMS = sizeof forms / sizeof *forms };

typedef struct Writer {
    StrBuf *text;
    KernelChoices choices;
    bool whole_warps;
    bool calm; /* no branch and no address depends on what was loaded, so that it can be worked out before the
                  launch */
    bool together; /* all threads of the block come here, but those that have exited */
    int labels, depth;
    int loop_end; /* label; 0: not in a loop that may be left early */
} Writer;

static uint32_t pick_below(Writer *w, uint32_t n)
{
    KernelChoices *c = &w->choices;
    if (!c->n)
        return (uint32_t)rng_below(&c->rng, n);
    c->n--;
    return *c->bytes++ % n;
}

#define PICK(w, list) list[pick_below(w, sizeof list / sizeof *list)]

/* ---- forms ---- */

static void write_word(Writer *w)
{
    static const char *const numbers[] = {"0",  "1",          "2",           "4",          "-1",
                                          "31", "2147483647", "-2147483648", "1073741824", "100"};
    if (pick_below(w, 3))
        strbuf_printf(w->text, "%%r%u", pick_below(w, N_R));
    else
        strbuf_puts(w->text, PICK(w, numbers));
}

/* Arguments of a call are evaluated in an order that compilers choose: of a line with two numbers one is drawn before. */
static void write_guard(Writer *w)
{
    if (pick_below(w, 6) != 5 || w->calm)
        return;
    const uint32_t guard = pick_below(w, N_P);
    strbuf_printf(w->text, "@%s%%p%u ", pick_below(w, 2) ? "!" : "", guard);
}

static void write_hole(Writer *w, char what)
{
    static const struct {
        char what;
        const char *prefix;
        unsigned n;
    } numbered[] = {{'r', "%r", N_R},  {'d', "%rd", N_D}, {'h', "%h", N_H}, {'f', "%f", N_F},
                    {'e', "%fd", N_E}, {'p', "%p", N_P},  {'i', "", 8},     {'s', "", 36},
                    {'S', "", 70},     {'b', "", 200}};
    static const char *const tests[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (numbered[i].what == what)
            strbuf_printf(w->text, "%s%u", numbered[i].prefix, pick_below(w, numbered[i].n));
    if (what == 'w')
        write_word(w);
    else if (what == 'g')
        write_guard(w);
    else if (what == 'c')
        strbuf_puts(w->text, PICK(w, tests));
    else if (what == 't' || what == 'T' || what == 'H')
        strbuf_printf(w->text, "%c%d", pick_below(w, 2) ? 'u' : 's',
                      what == 't'   ? 32
                      : what == 'T' ? 64
                                    : 16);
}

/* A place that stays inside: a formula, or anything cut to it. */
static void write_place(Writer *w, uint32_t last)
{
    static const char *const from[] = {"%lin", "%x", "%y", "0"};
    const uint32_t room = last > KERNEL_THREADS_MAX + 200 ? 200 : last - KERNEL_THREADS_MAX;
    const bool formula = pick_below(w, 3) != 0 || w->calm, is_sum = formula && pick_below(w, 2);
    const uint32_t offset = formula ? pick_below(w, room) : 0;
    if (is_sum)
        strbuf_printf(w->text, "add.u32 %%at, %s, %u; ", PICK(w, from), offset);
    else if (formula)
        strbuf_printf(w->text, "mad.lo.u32 %%at, %%lin, %u, %u; ",
                      pick_below(w, (last - room) / KERNEL_THREADS_MAX + 1), offset);
    else
        strbuf_printf(w->text, "mov.u32 %%at, %%r%u; ", pick_below(w, N_R));
    if (!formula || (pick_below(w, 8) == 0 && !w->calm))
        strbuf_printf(w->text, "%s %%at, %%at, %u; ", pick_below(w, 2) ? "min.u32" : "and.b32", last);
}

static void write_form(Writer *w, Family family)
{
    uint32_t of_family[N_FORMS], n = 0;
    for (uint32_t i = 0; i < N_FORMS; i++)
        if (forms[i].family == family)
            of_family[n++] = i;
    const Form *f = &forms[of_family[pick_below(w, n)]];
    const bool shared = strstr(f->text, "[%ts") != NULL;
    if (f->bytes)
        write_place(w, shared ? TABLE_LAST : IN_LAST);
    if (f->bytes && shared)
        strbuf_printf(w->text, "mov.u32 %%s, table; mad.lo.u32 %%ts, %%at, %u, %%s;\n", f->bytes);
    else if (f->bytes)
        strbuf_printf(w->text, "mul.wide.u32 %%to, %%at, %u; add.s64 %%to, %%to, %%in;\n", f->bytes);
    for (const char *at = f->text; *at; at++)
        if (*at == '$')
            write_hole(w, *++at);
        else
            strbuf_append(w->text, at, 1);
    strbuf_puts(w->text, "\n");
}

/* ---- control flow ---- */

static void write_block(Writer *w);

/* A predicate that parts the threads, or in %q one that does not. True: it does not. */
static bool write_condition(Writer *w, char *name, size_t size)
{
    static const char *const alike[] = {"setp.eq.u32 %q, %cta, 1;\n", "setp.gt.u32 %q, %n, 3;\n",
                                        "setp.ne.u32 %q, %n, %n;\n"};
    const bool is_alike = pick_below(w, 4) == 3;
    snprintf(name, size, "%%q");
    if (is_alike) {
        strbuf_puts(w->text, PICK(w, alike));
        return true;
    }
    if (w->calm) {
        strbuf_printf(w->text, "setp.ge.u32 %%q, %%lin, %u;\n", 1 + pick_below(w, 100));
        return false;
    }
    write_form(w, FAMILY_PREDICATE);
    const uint32_t number = pick_below(w, N_P);
    snprintf(name, size, "%s%%p%u", pick_below(w, 3) ? "" : "!", number);
    return false;
}

static void write_if(Writer *w)
{
    const int otherwise = ++w->labels, end = ++w->labels;
    const bool together = w->together;
    char condition[16];
    w->together = write_condition(w, condition, sizeof condition) && together;
    strbuf_printf(w->text, "@%s bra L%d;\n", condition, otherwise);
    write_block(w);
    strbuf_printf(w->text, "bra L%d;\nL%d:\n", end, otherwise);
    if (pick_below(w, 2) && !w->calm)
        write_block(w);
    strbuf_printf(w->text, "L%d:\n", end);
    w->together = together;
}

/* Rounds that are the same for all, or a thread's own; some loops may be left from within. */
static void write_loop(Writer *w)
{
    const int start = ++w->labels, end = ++w->labels, outer_end = w->loop_end;
    const bool together = w->together, alike = pick_below(w, 2) == 0 || w->calm,
               leaves = pick_below(w, 3) == 2 && !w->calm;
    if (alike)
        strbuf_printf(w->text, "mov.u32 %%m%d, %u;\n", w->depth, 1 + pick_below(w, 3));
    else
        strbuf_printf(w->text, "and.b32 %%m%d, %%lin, 3;\n", w->depth);
    w->together = together && alike && !leaves;
    w->loop_end = leaves ? end : 0;
    strbuf_printf(w->text, "L%d:\n", start);
    write_block(w);
    strbuf_printf(w->text, "sub.s32 %%m%d, %%m%d, 1; setp.gt.s32 %%q, %%m%d, 0;\n@%%q bra L%d;\nL%d:\n",
                  w->depth, w->depth, w->depth, start, end);
    w->loop_end = outer_end;
    w->together = together;
}

static void write_switch(Writer *w)
{
    const int first = w->labels + 1, end = first + 3;
    const bool together = w->together;
    w->labels += 4;
    w->together = false;
    strbuf_printf(w->text,
                  "and.b32 %%at, %%r%u, 3; min.u32 %%at, %%at, 2;\nT%d: .branchtargets L%d, L%d, L%d;\n",
                  pick_below(w, N_R), first, first, first + 1, first + 2);
    strbuf_printf(w->text, "brx.idx %%at, T%d;\n", first);
    for (int i = 0; i < 3; i++) {
        strbuf_printf(w->text, "L%d:\n", first + i);
        write_block(w);
        if (pick_below(w, 3)) /* else it falls into the next */
            strbuf_printf(w->text, "bra L%d;\n", end);
    }
    strbuf_printf(w->text, "L%d:\n", end);
    w->together = together;
}

/* Some threads leave the loop, or end here. */
static void write_departure(Writer *w)
{
    if (w->loop_end && pick_below(w, 4))
        strbuf_printf(w->text, "@%%p%u bra L%d;\n", pick_below(w, N_P), w->loop_end);
    else if (pick_below(w, 2))
        strbuf_printf(w->text, "@%%p%u bra GONE;\n", pick_below(w, N_P));
    else
        strbuf_printf(w->text, "@%%p%u exit;\n", pick_below(w, N_P));
}

static bool write_flow(Writer *w)
{
    const uint32_t kind = pick_below(w, 24);
    const bool deep = w->depth > DEPTH_MAX;
    if (kind < 3 && !deep)
        write_if(w);
    else if (kind < 5 && !deep)
        write_loop(w);
    else if (kind == 5 && !deep && !w->calm)
        write_switch(w);
    else if (kind == 6 && !w->calm && (w->loop_end || pick_below(w, 4) == 3))
        write_departure(w);
    else if (kind < 10 && w->together)
        write_form(w, pick_below(w, 4) == 3 && !w->calm ? FAMILY_VOTE : FAMILY_MEETING);
    else if (kind == 10 && w->together && w->whole_warps && !w->calm)
        write_form(w, FAMILY_LANES);
    else
        return false;
    return true;
}

static void write_statement(Writer *w)
{
    static const Family usual[] = {FAMILY_INTEGER,   FAMILY_INTEGER,   FAMILY_INTEGER, FAMILY_INTEGER,
                                   FAMILY_LONG,      FAMILY_LONG,      FAMILY_FLOAT,   FAMILY_FLOAT,
                                   FAMILY_PREDICATE, FAMILY_PREDICATE, FAMILY_LOAD,    FAMILY_LOAD,
                                   FAMILY_TABLE,     FAMILY_OWN,       FAMILY_OWN,     FAMILY_SHORT,
                                   FAMILY_SMALL,     FAMILY_SELF,      FAMILY_COMMON};
    enum { N_USUAL = sizeof usual / sizeof *usual, N_CALM = N_USUAL - 3 };
    if (write_flow(w))
        return;
    const bool odd = pick_below(w, 32) == 31 && !w->calm;
    write_form(w, odd ? FAMILY_ODD : usual[pick_below(w, w->calm ? N_CALM : N_USUAL)]);
}

static void write_block(Writer *w)
{
    uint32_t n = w->depth ? 1 + pick_below(w, 5) : STATEMENTS;
    w->depth++;
    while (n--)
        write_statement(w);
    w->depth--;
}

/* ---- the frame ---- */

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".const .align 4 .u32 numbers[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};\n"
    ".func (.param .b32 z) twist(.param .b32 a)\n{\n.reg .u32 %r<4>; .reg .pred %p<2>;\n"
    "ld.param.b32 %r0, [a]; and.b32 %r1, %r0, 3;\n"
    "M: mad.lo.u32 %r0, %r0, 5, %r1; setp.eq.u32 %p0, %r1, 0; @%p0 bra N; sub.u32 %r1, %r1, 1; bra M;\n"
    "N: st.param.b32 [z], %r0; ret;\n}\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum, .param .u32 n)\n{\n"
    ".reg .pred %p<4>; .reg .pred %q; .reg .u16 %h<4>; .reg .u16 %k; .reg .f32 %f<4>; .reg .f64 %fd<2>;\n"
    ".reg .u32 %r<8>; .reg .u32 %m<8>; .reg .u64 %rd<4>; .reg .u64 %w;\n"
    ".reg .u32 %lin, %n, %cta, %at, %s, %u, %v, %own, %its, %ts, %x, %y; .reg .u64 %in, %to, %mine, %sum, "
    "%gown;\n"
    ".shared .align 8 .b8 words[2048];\n.shared .align 8 .b8 table[4096];\n.shared .align 8 .b8 counts[64];\n"
    ".local .align 8 .b8 own[64];\n"
    "ld.param.u64 %in, [in]; ld.param.u64 %mine, [out]; ld.param.u64 %sum, [sum]; ld.param.u32 %r6, [n];\n"
    "mov.u32 %n, %r6; mov.u32 %cta, %ctaid.x; mov.u32 %at, %ctaid.y; mov.u32 %s, %nctaid.x; mad.lo.u32 %cta, "
    "%at, %s, %cta; mov.u32 %x, %tid.x; mov.u32 %y, %tid.y;\n"
    /* %lin: the thread's number; %s: how many there are */
    "mov.u32 %at, %tid.z; mov.u32 %s, %ntid.y; mad.lo.u32 %lin, %at, %s, %y; mov.u32 %at, %ntid.x;\n"
    "mad.lo.u32 %lin, %lin, %at, %x; mul.lo.u32 %s, %s, %at; mov.u32 %at, %ntid.z; mul.lo.u32 %s, %s, %at;\n"
    "mov.u32 %at, words; mad.lo.u32 %own, %lin, 8, %at; sub.u32 %its, %s, %lin; sub.u32 %its, %its, 1;\n"
    "mad.lo.u32 %its, %its, 8, %at; cvt.u64.u32 %gown, %own; cvta.shared.u64 %gown, %gown;\n"
    "mad.lo.u32 %at, %s, %cta, %lin; mul.wide.u32 %to, %at, 8; add.s64 %mine, %mine, %to;\n"
    "mov.u32 %r0, %x; mov.u32 %r1, %y; mov.u32 %r2, %tid.z; mov.u32 %r3, %cta; mov.u32 %r4, %ntid.x;\n"
    "mov.u32 %r5, %lin; mov.u32 %r7, 77; mov.u64 %rd0, 5; cvt.u64.u32 %rd1, %lin; mul.wide.s32 %rd2, %x, "
    "-3;\n"
    "mov.u64 %rd3, -1; setp.lt.u32 %p0, %lin, 40; setp.eq.u32 %p1, %cta, 1; setp.ne.u32 %p2, %r4, 0;\n"
    "setp.gt.u32 %p3, %y, 1; mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f3F800000; cvt.rn.f32.u32 %f2, %lin;\n"
    "mov.f32 %f3, 0fC0200000; mov.f64 %fd0, 0d3FF0000000000000; mov.f64 %fd1, 0d0000000000000000;\n"
    "mov.u16 %h0, 0; mov.u16 %h1, 3; mov.u16 %h2, %h1; cvt.u16.u32 %h3, %lin;\n"
    "st.shared.u64 [%own], %rd1; mul.lo.u32 %at, %lin, 40503; mov.u32 %s, table; mad.lo.u32 %s, %lin, 4, "
    "%s;\n"
    "st.shared.u32 [%s], %at;\n";
static const char clear[] =
    "setp.eq.u32 %q, %lin, 0; @!%q bra READY; mov.u64 %w, 0;\n"
    "st.shared.u64 [counts], %w; st.shared.u64 [counts+8], %w; st.shared.u64 [counts+16], %w;\n"
    "st.shared.u64 [counts+32], %w; st.shared.u64 [counts+40], %w;\nREADY:\n";

/* Everything that registers and shared memory hold goes into the thread's two words. */
static void write_results(Writer *w)
{
    static const char *const sums[] = {"counts", "counts+8", "counts+16", "counts+32", "counts+36", "%own"};
    strbuf_puts(w->text, "bar.sync 0;\ncvt.u32.u16 %s, %h1;\n");
    for (int i = 0; i < N_R; i++)
        strbuf_printf(w->text, "mad.lo.u32 %%s, %%s, 31, %%r%d;\n", i);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        strbuf_printf(w->text, "ld.shared.u32 %%at, [%s]; mad.lo.u32 %%s, %%s, 37, %%at;\n", sums[i]);
    for (int i = 0; i < N_F; i++)
        strbuf_printf(w->text, "mov.b32 %%at, %%f%d; xor.b32 %%s, %%s, %%at;\n", i);
    for (int i = 0; i < N_D; i++)
        strbuf_printf(w->text,
                      "mul.lo.u64 %%to, %%rd%d, 2654435761; shr.u64 %%to, %%to, 7; cvt.u32.u64 %%at, %%to; "
                      "xor.b32 %%s, %%s, %%at;\n",
                      i);
    for (int i = 0; i < N_P; i++)
        strbuf_printf(w->text, "selp.b32 %%at, %d, 0, %%p%d; add.u32 %%s, %%s, %%at;\n", 1 << i, i);
    strbuf_puts(w->text, "st.global.v2.u32 [%mine], {%s, %r1};\nret;\n"
                         "GONE: st.global.u32 [%mine+4], %r5;\nret;\n}\n");
}

void kernel_write(StrBuf *text, KernelChoices choices, bool whole_warps)
{
    Writer w = {.text = text, .choices = choices, .whole_warps = whole_warps, .together = true};
    strbuf_puts(text, head);
    w.calm = pick_below(&w, 3) == 1;
    strbuf_printf(text, "%sbar.sync 0;\n", w.calm ? "" : clear);
    write_block(&w);
    write_results(&w);
}
