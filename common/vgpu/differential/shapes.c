/* Families of more than single instructions: carry chains, memory, atomics, branches, barriers.
 *
 * What runs in an order that a card may choose is kept from the results: a thread writes its own region,
 * reads another's after a barrier, and atomics on shared cells commute and drop what they return.
 */
#include "common/vgpu/differential/differential.h"

#include <stdio.h>

/* ---- carry ---- */

static void chain_source(Kernel *k, char letter, char *text, size_t size)
{
    snprintf(text, size, "%%%c%u", letter, kernel_below(k, N_INPUTS));
}

/* One link: whether it takes and leaves a carry depends on where it stands. */
static void make_link(Kernel *k, int kind, int link, bool last, Class class, bool is_signed)
{
    static const char *const names[][2] = {{"add", "addc"}, {"sub", "subc"}, {"mad", "madc"}};
    const char letter = class_letter(class);
    char a[8], b[8], c[8], part[4] = "", line[SLOT_TEXT];
    chain_source(k, letter, a, sizeof a);
    chain_source(k, letter, b, sizeof b);
    chain_source(k, letter, c, sizeof c);
    if (kind == 2)
        snprintf(part, sizeof part, ".%s", kernel_below(k, 2) ? "lo" : "hi");
    const int reg = k->n_used[class]++;
    snprintf(line, sizeof line, "%s%s%s.%c%d %%%c%d, %s, %s%s%s", names[kind][link > 0], part,
             last ? "" : ".cc", is_signed ? 's' : 'u', class == CLASS_D ? 64 : 32, letter, reg, a, b,
             kind == 2 ? ", " : "", kind == 2 ? c : "");
    kernel_line(k, "%s;", line);
}

void make_carry(Kernel *k)
{
    while (k->n_slots + 4 <= SLOTS_MAX) {
        const Class class = kernel_below(k, 2) ? CLASS_D : CLASS_R;
        const int kind = (int)kernel_below(k, 3), links = 2 + (int)kernel_below(k, 3),
                  first = k->n_used[class];
        const bool is_signed = kernel_below(k, 2);
        for (int i = 0; i < links; i++)
            make_link(k, kind, i, i + 1 == links, class, is_signed);
        for (int i = 0; i < links; i++) {
            char text[SLOT_TEXT];
            snprintf(text, sizeof text, "link %d of a chain of %d, %%%c%d", i, links, class_letter(class),
                     first + i);
            kernel_store(k, class, first + i, text);
        }
    }
}

/* ---- memory ---- */

/* Where a thread's region of 64 bytes lies, by the space named in the instruction. */
static const struct {
    const char *space;
    int address;
} places[] = {{".global", 1021}, {".shared", 1010}, {".local", 1011}, {"", 1021}, {"", 1012}, {"", 1013}};
enum { N_PLACES = 6 };

static void make_regions(Kernel *k)
{
    kernel_line(
        k, "mov.u64 %%d1010, shm; mul.wide.u32 %%d1019, %%r1023, 64; add.u64 %%d1010, %%d1010, %%d1019;");
    kernel_line(k,
                "mov.u64 %%d1011, loc; cvta.shared.u64 %%d1012, %%d1010; cvta.local.u64 %%d1013, %%d1011;");
    for (int i = 0; i < REGION_BYTES; i += 8) {
        kernel_line(k, "ld.global.u64 %%d1000, [%%d1021+%d];", i);
        kernel_line(k, "st.shared.u64 [%%d1010+%d], %%d1000; st.local.u64 [%%d1011+%d], %%d1000;", i, i);
    }
}

typedef struct Move {
    const char *space;
    int address, offset, width, elements;
    char type[8];
    Class class;
} Move;

/* A random access in the region, naturally aligned; registers may be wider than a load's or store's type. */
static Move random_move(Kernel *k)
{
    static const char kinds[] = "bus";
    const uint32_t place = kernel_below(k, N_PLACES);
    Move m = {.space = places[place].space, .address = places[place].address};
    m.width = 1 << kernel_below(k, 4);
    m.elements = 1 << kernel_below(k, 3);
    while (m.elements * m.width > 16)
        m.elements /= 2;
    m.offset = (int)kernel_below(k, (uint32_t)(REGION_BYTES / (m.width * m.elements))) * m.width * m.elements;
    const bool is_float = m.width >= 4 && kernel_below(k, 4) == 0;
    snprintf(m.type, sizeof m.type, "%c%d", is_float ? 'f' : kinds[kernel_below(k, 3)], m.width * 8);
    if (is_float)
        m.class = m.width == 4 ? CLASS_F : CLASS_E;
    else
        m.class = m.width == 8 || kernel_below(k, 3) == 0 ? CLASS_D
                  : m.width == 4 || kernel_below(k, 2)    ? CLASS_R
                                                          : CLASS_H;
    return m;
}

/* "ld.shared.v2.u32", with some cache operator or .volatile */
static void name_move(Kernel *k, const Move *m, bool is_store, char *text, size_t size)
{
    static const char *const loads[] = {"", "", ".ca", ".cg", ".cs"}, *const stores[] = {"", "", ".wb", ".cg",
                                                                                         ".cs"};
    const bool is_volatile = kernel_below(k, 6) == 0 && m->address != 1011;
    const char *cache =
        is_volatile || m->address != 1021 ? "" : (is_store ? stores : loads)[kernel_below(k, 5)];
    const char *vector = m->elements == 4 ? ".v4" : m->elements == 2 ? ".v2" : "";
    snprintf(text, size, "%s%s%s%s%s.%s", is_store ? "st" : "ld", is_volatile ? ".volatile" : "", m->space,
             cache, vector, m->type);
}

static void list_registers(const Move *m, const int *regs, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%s", m->elements > 1 ? "{" : "");
    for (int i = 0; i < m->elements; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%%%c%d", i ? ", " : "", class_letter(m->class), regs[i]);
    snprintf(text + n, size - n, "%s", m->elements > 1 ? "}" : "");
}

static void make_move(Kernel *k, bool is_store)
{
    const Move m = random_move(k);
    char name[48], list[48], line[SLOT_TEXT * 2];
    int regs[4];
    for (int i = 0; i < m.elements; i++)
        regs[i] = is_store ? (int)kernel_below(k, N_INPUTS) : k->n_used[m.class]++;
    name_move(k, &m, is_store, name, sizeof name);
    list_registers(&m, regs, list, sizeof list);
    if (is_store)
        snprintf(line, sizeof line, "%s [%%d%d+%d], %s", name, m.address, m.offset, list);
    else
        snprintf(line, sizeof line, "%s %s, [%%d%d+%d]", name, list, m.address, m.offset);
    kernel_line(k, "%s;", line);
    for (int i = 0; i < m.elements && !is_store; i++)
        kernel_store(k, m.class, regs[i], line);
}

/* Another thread's region of shared memory, between two barriers. */
static void make_look_aside(Kernel *k)
{
    char line[SLOT_TEXT];
    const int reg = k->n_used[CLASS_D]++;
    kernel_line(k, "bar.sync 0; mov.u64 %%d1014, shm; xor.b32 %%r1000, %%r1023, %u;",
                1 + kernel_below(k, BLOCK_THREADS - 1));
    kernel_line(k, "mul.wide.u32 %%d1019, %%r1000, 64; add.u64 %%d1014, %%d1014, %%d1019;");
    snprintf(line, sizeof line, "ld.shared.b64 %%d%d, [%%d1014+%u]", reg, 8 * kernel_below(k, 8));
    kernel_line(k, "%s; bar.sync 0;", line);
    kernel_store(k, CLASS_D, reg, line);
}

void make_memory(Kernel *k)
{
    make_regions(k);
    while (k->n_slots < SLOTS_MAX)
        switch (kernel_below(k, 16)) {
        case 0:
            make_look_aside(k);
            break;
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
            make_move(k, true);
            break;
        default:
            make_move(k, false);
        }
}

/* ---- atomics ---- */

static const struct {
    const char *op, *type;
    Class class;
    bool commutes;
} atomics[] = {
    {"add", "u32", CLASS_R, true},          {"add", "s32", CLASS_R, true},
    {"add", "u64", CLASS_D, true},          {"add", "f32", CLASS_F, false},
    {"add", "f64", CLASS_E, false},         {"min", "u32", CLASS_R, true},
    {"min", "s32", CLASS_R, true},          {"min", "u64", CLASS_D, true},
    {"min", "s64", CLASS_D, true},          {"max", "u32", CLASS_R, true},
    {"max", "s32", CLASS_R, true},          {"max", "u64", CLASS_D, true},
    {"max", "s64", CLASS_D, true},          {"and", "b32", CLASS_R, true},
    {"and", "b64", CLASS_D, true},          {"or", "b32", CLASS_R, true},
    {"or", "b64", CLASS_D, true},           {"xor", "b32", CLASS_R, true},
    {"xor", "b64", CLASS_D, true},          {"exch", "b32", CLASS_R, false},
    {"exch", "b64", CLASS_D, false},        {"cas", "b32", CLASS_R, false},
    {"cas", "b64", CLASS_D, false},         {"inc", "u32", CLASS_R, false},
    {"dec", "u32", CLASS_R, false},         {"add.noftz", "f16", CLASS_G, false},
    {"add.noftz", "f16x2", CLASS_X, false}, {"cas", "b16", CLASS_H, false},
};
enum { N_ATOMICS = sizeof atomics / sizeof atomics[0] };

static int bytes_of(Class class)
{
    return class == CLASS_D || class == CLASS_E ? 8 : class == CLASS_G || class == CLASS_H ? 2 : 4;
}

/* On the thread's own region: the value that comes back is certain. */
static void make_own_atomic(Kernel *k)
{
    static const char *const orders[] = {
        "", "", ".relaxed.gpu", ".acquire.cta", ".release.sys", ".acq_rel.gpu", ".relaxed.cta"};
    const uint32_t place = kernel_below(k, 4), i = kernel_below(k, N_ATOMICS);
    const int address = place == 0 ? 1021 : place == 1 ? 1010 : place == 2 ? 1012 : 1021;
    const int general = address == 1010 ? 1012 : address; /* the same place as a generic address */
    const char *space = place == 0 ? ".global" : place == 1 ? ".shared" : "";
    const Class class = atomics[i].class;
    const int reg = k->n_used[class]++;
    char line[SLOT_TEXT * 2], third[12] = "";
    const uint32_t offset =
        kernel_below(k, (uint32_t)(REGION_BYTES / bytes_of(class))) * (uint32_t)bytes_of(class);
    uint32_t operand = kernel_below(k, N_INPUTS);
    if (class == CLASS_E) { /* a NaN's bits are not fixed, and would be seen: both sides below 2 */
        kernel_line(k, "ld.b64 %%d1001, [%%d%d+%u]; and.b64 %%d1001, %%d1001, 0xBFFFFFFFFFFFFFFF;", general,
                    offset);
        kernel_line(k, "st.b64 [%%d%d+%u], %%d1001; mov.b64 %%d1001, %%e%u;", general, offset, operand);
        kernel_line(k, "and.b64 %%d1001, %%d1001, 0xBFFFFFFFFFFFFFFF; mov.b64 %%e1001, %%d1001;");
        operand = 1001;
    }
    if (atomics[i].op[0] == 'c')
        snprintf(third, sizeof third, ", %%%c%u", class_letter(class), kernel_below(k, N_INPUTS));
    snprintf(line, sizeof line, "atom%s%s.%s.%s %%%c%d, [%%d%d+%u], %%%c%u%s", orders[kernel_below(k, 7)],
             space, atomics[i].op, atomics[i].type, class_letter(class), reg, address, offset,
             class_letter(class), operand, third);
    kernel_line(k, "%s;", line);
    kernel_store(k, class, reg, line);
}

/* All threads on one cell, one operation a cell. */
static void make_common_atomics(Kernel *k, bool shared)
{
    for (int cell = 0; cell < CELLS; cell++) {
        uint32_t i = kernel_below(k, N_ATOMICS);
        while (!atomics[i].commutes)
            i = kernel_below(k, N_ATOMICS);
        const char letter = class_letter(atomics[i].class);
        const uint32_t operand = kernel_below(k, N_INPUTS);
        kernel_line(k, "@%%p%u red.%s.%s.%s [%%d%d+%d], %%%c%u;", kernel_below(k, N_INPUTS),
                    shared ? "shared" : "global", atomics[i].op, atomics[i].type, shared ? 1015 : 1020,
                    cell * 8, letter, operand);
    }
}

void make_atomic(Kernel *k)
{
    make_regions(k);
    kernel_line(k,
                "mov.u64 %%d1015, cells; setp.ge.u32 %%p1000, %%r1023, %d; mul.wide.u32 %%d1019, %%r1023, 8;",
                CELLS);
    kernel_line(
        k, "add.u64 %%d1016, %%d1015, %%d1019; @!%%p1000 st.shared.u64 [%%d1016], 0x123456789; bar.sync 0;");
    make_common_atomics(k, true);
    make_common_atomics(k, false);
    kernel_line(k, "bar.sync 0;");
    for (int cell = 0; cell < 8; cell++) {
        const int reg = k->n_used[CLASS_D]++;
        char text[SLOT_TEXT];
        snprintf(text, sizeof text, "cell %d of shared memory after all threads' atomics", cell);
        kernel_line(k, "ld.shared.u64 %%d%d, [%%d1015+%d];", reg, cell * 8);
        kernel_store(k, CLASS_D, reg, text);
    }
    while (k->n_slots < SLOTS_MAX)
        make_own_atomic(k);
}

/* ---- branches ---- */

enum { VARIABLES = 8, FIRST_VARIABLE = 900, DEPTH_MAX = 4 };

static int variable(Kernel *k)
{
    return FIRST_VARIABLE + (int)kernel_below(k, VARIABLES);
}

static void make_statement(Kernel *k)
{
    static const char *const ops[] = {"add.u32", "sub.u32", "xor.b32", "mul.lo.u32",
                                      "min.s32", "max.u32", "and.b32"};
    const char *op = ops[kernel_below(k, 7)];
    const bool guarded = kernel_below(k, 4) == 0;
    const int b = variable(k), a = variable(k), d = variable(k);
    if (guarded)
        kernel_line(k, "@%%p%u %s %%r%d, %%r%d, %%r%d;", kernel_below(k, N_INPUTS), op, d, a, b);
    else
        kernel_line(k, "%s %%r%d, %%r%d, %%r%d;", op, d, a, b);
}

static void make_condition(Kernel *k, int predicate)
{
    static const char *const comparisons[] = {"eq", "ne", "lt", "ge"};
    if (kernel_below(k, 3)) {
        const char *comparison = kernel_below(k, 2) ? "eq" : "ne";
        const uint32_t bits = 1 + kernel_below(k, 15);
        kernel_line(k, "and.b32 %%r1002, %%r%d, %u; setp.%s.u32 %%p%d, %%r1002, 0;", variable(k), bits, comparison, predicate);
    } else {
        const int b = variable(k), a = variable(k);
        kernel_line(k, "setp.%s.s32 %%p%d, %%r%d, %%r%d;", comparisons[kernel_below(k, 4)], predicate, a, b);
    }
}

static void make_body(Kernel *k, int depth);

static void make_if(Kernel *k, int depth)
{
    const int label = k->n_labels++, predicate = 100 + label;
    make_condition(k, predicate);
    kernel_line(k, "@%s%%p%d bra ELSE%d;", kernel_below(k, 2) ? "!" : "", predicate, label);
    make_body(k, depth + 1);
    kernel_line(k, "bra END%d;\nELSE%d:", label, label);
    if (kernel_below(k, 3))
        make_body(k, depth + 1);
    kernel_line(k, "END%d:", label);
}

/* As many rounds as the thread's value says, with a way out in the middle now and then. */
static void make_loop(Kernel *k, int depth)
{
    const int label = k->n_labels++, counter = 500 + label, predicate = 100 + label;
    const int rounds_max = kernel_below(k, 2) ? 3 : 7;
    kernel_line(k, "and.b32 %%r%d, %%r%d, %d;\nLOOP%d:", counter, variable(k), rounds_max, label);
    make_body(k, depth + 1);
    if (kernel_below(k, 2)) {
        make_condition(k, predicate);
        kernel_line(k, "@%%p%d bra OUT%d;", predicate, label);
        make_statement(k);
    }
    kernel_line(k, "sub.u32 %%r%d, %%r%d, 1; setp.ge.s32 %%p%d, %%r%d, 0;", counter, counter, predicate,
                counter);
    kernel_line(k, "@%%p%d bra LOOP%d;\nOUT%d:", predicate, label, label);
}

/* Sides that jump into one another: no structure to rely on. */
static void make_tangle(Kernel *k)
{
    const int label = k->n_labels++, predicate = 100 + label;
    for (int side = 0; side < 3; side++) {
        make_condition(k, predicate);
        kernel_line(k, "@%%p%d bra T%d_%u;", predicate, label,
                    (uint32_t)side + kernel_below(k, (uint32_t)(4 - side)));
        make_statement(k);
        kernel_line(k, "T%d_%d:", label, side);
        make_statement(k);
    }
    kernel_line(k, "T%d_3:", label);
}

static void make_body(Kernel *k, int depth)
{
    for (uint32_t n = 1 + kernel_below(k, 3); n > 0; n--)
        switch (depth < DEPTH_MAX && k->n_labels < 60 ? kernel_below(k, 6) : 5) {
        case 0:
        case 1:
            make_if(k, depth);
            break;
        case 2:
            make_loop(k, depth);
            break;
        case 3:
            make_tangle(k);
            break;
        default:
            make_statement(k);
        }
}

static void store_variables(Kernel *k, const char *when)
{
    for (int i = 0; i < VARIABLES; i++) {
        char text[SLOT_TEXT];
        snprintf(text, sizeof text, "variable %d %s", i, when);
        kernel_store(k, CLASS_R, FIRST_VARIABLE + i, text);
    }
}

static void make_variables(Kernel *k)
{
    for (int i = 0; i < VARIABLES; i++)
        if (i < N_INPUTS)
            kernel_line(k, "mov.u32 %%r%d, %%r%d;", FIRST_VARIABLE + i, i);
        else
            kernel_line(k, "mov.b32 %%r%d, %%x%d;", FIRST_VARIABLE + i, i - N_INPUTS);
}

void make_branch(Kernel *k)
{
    static const char *const when[] = {"after the first part", "after the second part",
                                       "after the third part", "after the fourth part",
                                       "after the fifth part"};
    make_variables(k);
    for (int part = 0; part < 5; part++) {
        make_body(k, 0);
        store_variables(k, when[part]);
        kernel_line(k,
                    "bar.warp.sync 0xffffffff; and.b32 %%r1000, %%r%d, 1; setp.ne.u32 %%p1000, %%r1000, 0;",
                    variable(k));
        kernel_line(k, "vote.sync.ballot.b32 %%r1001, %%p1000, 0xffffffff; xor.b32 %%r%d, %%r%d, %%r1001;",
                    FIRST_VARIABLE, FIRST_VARIABLE);
    }
}

/* ---- barriers ---- */

/* A barrier that gives something back. */
static void make_reduction(Kernel *k)
{
    char line[SLOT_TEXT];
    const uint32_t kind = kernel_below(k, 3), from = kernel_below(k, N_INPUTS);
    const int reg = kind == 0 ? k->n_used[CLASS_R]++ : k->n_used[CLASS_P]++;
    if (kind == 0)
        snprintf(line, sizeof line, "bar.red.popc.u32 %%r%d, %u, %%p%u", reg, kernel_below(k, 16), from);
    const char *sign = kind == 0 ? "" : kernel_below(k, 2) ? "!" : "";
    if (kind != 0)
        snprintf(line, sizeof line, "bar.red.%s.pred %%p%d, %u, %s%%p%u", kind == 1 ? "and" : "or", reg,
                 kernel_below(k, 16), sign, from);
    kernel_line(k, "%s;", line);
    kernel_store(k, kind == 0 ? CLASS_R : CLASS_P, reg, line);
}

/* Threads take different ways, write, meet, and read what another wrote. */
static void make_exchange(Kernel *k)
{
    static const char *const names[] = {"bar.sync", "bar.sync", "barrier.sync", "barrier.sync.aligned"};
    const uint32_t kind = kernel_below(k, 4);
    char line[SLOT_TEXT], barrier[40];
    const int reg = k->n_used[CLASS_R]++;
    make_body(k, DEPTH_MAX - 1);
    kernel_line(k, "bar.warp.sync 0xffffffff; mov.u64 %%d1014, shm; mul.wide.u32 %%d1019, %%r1023, 4;");
    kernel_line(k, "add.u64 %%d1010, %%d1014, %%d1019; st.shared.u32 [%%d1010], %%r%d;", variable(k));
    snprintf(barrier, sizeof barrier, "%s %u%s;", names[kind], kernel_below(k, 16), kind == 1 ? ", 64" : "");
    kernel_line(k, "%s add.u32 %%r1000, %%r1023, %u; and.b32 %%r1000, %%r1000, 63;", barrier,
                kernel_below(k, BLOCK_THREADS));
    snprintf(line, sizeof line, "ld.shared.u32 %%r%d, [%%d1014]", reg);
    kernel_line(k, "mul.wide.u32 %%d1019, %%r1000, 4; add.u64 %%d1014, %%d1014, %%d1019; %s;", line);
    kernel_line(k, "bar.sync 0; xor.b32 %%r%d, %%r%d, %%r%d;", FIRST_VARIABLE, FIRST_VARIABLE, reg);
    kernel_store(k, CLASS_R, reg, line);
}

void make_barrier(Kernel *k)
{
    make_variables(k);
    while (k->n_slots < 12)
        if (kernel_below(k, 2))
            make_reduction(k);
        else
            make_exchange(k);
    store_variables(k, "at the end");
}
