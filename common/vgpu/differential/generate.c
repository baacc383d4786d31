/* Kernels from seeds: the frame that all families share, and the family maker that takes one random form of
 * forms.def a slot. Operands are inputs, earlier results of the class, or immediates; every result is stored,
 * so that a difference points at its instruction.
 *
 * Registers: %x0 to %x3 of each class hold inputs, results follow, those from 1000 on are scratch; the
 * largest of %d are addresses (HEAD).
 */
#include "common/vgpu/differential/differential.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct FamilyRow {
    const char *name;
    int target;
    void (*make)(Kernel *k);
} FamilyRow;

static const FamilyRow families[] = {
#define X(name, text, target, maker) {text, target, make_##maker},
#include "common/vgpu/differential/families.def"
#undef X
};

typedef struct Form {
    Family family;
    const char *text, *operands;
    double relative, absolute;
} Form;

static const Form forms[] = {
#define X(family, text, operands, relative, absolute) {FAMILY_##family, text, operands, relative, absolute},
#include "common/vgpu/differential/forms.def"
#undef X
};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* %d1023: in + thread * 8   %d1022: out + thread * 8   %d1021: own memory of the thread   %d1020: cells of
 * all %r1023: thread in the block   %r1022: thread in the grid */
static const char HEAD[] =
    ".address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 own)\n{\n"
    ".reg .b32 %r<1024>; .reg .b64 %d<1024>; .reg .b16 %h<1024>; .reg .f32 %f<1024>; .reg .f64 %e<1024>;\n"
    ".reg .b16 %g<1024>; .reg .b32 %x<1024>; .reg .pred %p<1024>;\n"
    ".shared .align 16 .b8 shm[4096]; .shared .align 16 .b8 cells[128]; .local .align 16 .b8 loc[64];\n"
    "ld.param.u64 %d1023, [in]; ld.param.u64 %d1022, [out]; ld.param.u64 %d1021, [own];\n"
    "mov.u32 %r1023, %tid.x; mov.u32 %r1021, %ctaid.x; mad.lo.u32 %r1022, %r1021, 64, %r1023;\n"
    "mul.wide.u32 %d1019, %r1022, 8; add.u64 %d1023, %d1023, %d1019; add.u64 %d1022, %d1022, %d1019;\n"
    "add.u64 %d1020, %d1021, 8192; mul.wide.u32 %d1019, %r1022, 64; add.u64 %d1021, %d1021, %d1019;\n";

const char *family_name(Family f)
{
    return families[f].name;
}

int family_target(Family f)
{
    return families[f].target;
}

Family family_find(const char *name)
{
    for (int f = 0; f < N_FAMILIES; f++)
        if (strcmp(name, families[f].name) == 0)
            return (Family)f;
    return N_FAMILIES;
}

char class_letter(Class class)
{
    return "rdhfegxp"[class]; /* ORDER CLASS */
}

uint32_t kernel_below(Kernel *k, uint32_t bound)
{
    return (uint32_t)rng_below(&k->rng, bound);
}

void kernel_line(Kernel *k, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vprintf(&k->ptx, format, args);
    va_end(args);
    strbuf_puts(&k->ptx, "\n");
}

/* Widens a register to %d1000. */
static void widen(Kernel *k, Class class, int reg)
{
    switch (class) {
    case CLASS_R:
    case CLASS_X:
        kernel_line(k, "cvt.u64.u32 %%d1000, %%%c%d;", class_letter(class), reg);
        break;
    case CLASS_H:
    case CLASS_G:
        kernel_line(k, "cvt.u64.u16 %%d1000, %%%c%d;", class_letter(class), reg);
        break;
    case CLASS_F:
        kernel_line(k, "mov.b32 %%r1000, %%f%d; cvt.u64.u32 %%d1000, %%r1000;", reg);
        break;
    case CLASS_P:
        kernel_line(k, "selp.u64 %%d1000, 1, 0, %%p%d;", reg);
        break;
    default:
        kernel_line(k, "mov.b64 %%d1000, %%%c%d;", class_letter(class), reg);
    }
}

void kernel_store(Kernel *k, Class class, int reg, const char *text)
{
    if (k->n_slots == SLOTS_MAX)
        return;
    Slot *slot = &k->slots[k->n_slots];
    slot->class = class;
    snprintf(slot->text, sizeof slot->text, "%s", text);
    widen(k, class, reg);
    kernel_line(k, "st.global.u64 [%%d1022+%d], %%d1000;", k->n_slots * THREADS * 8);
    k->n_slots++;
}

/* Loads the inputs of each class. */
static void load_inputs(Kernel *k)
{
    for (int c = 0; c < N_CLASSES; c++)
        for (int i = 0; i < N_INPUTS; i++) {
            const int at = (c * N_INPUTS + i) * THREADS * 8;
            const char letter = class_letter((Class)c);
            if (c == CLASS_P)
                kernel_line(k, "ld.global.u32 %%r1000, [%%d1023+%d]; setp.ne.u32 %%p%d, %%r1000, 0;", at, i);
            else
                kernel_line(k, "ld.global.%s %%%c%d, [%%d1023+%d];",
                            c == CLASS_D || c == CLASS_E   ? "b64"
                            : c == CLASS_H || c == CLASS_G ? "b16"
                                                           : "b32",
                            letter, i, at);
        }
    for (int c = 0; c < N_CLASSES; c++)
        k->n_used[c] = N_INPUTS;
}

/* "{a,b}.c" -> "a.c" or "b.c" */
static void expand(Kernel *k, const char *pattern, char *text, size_t size)
{
    size_t n = 0;
    while (*pattern && n + 1 < size) {
        if (*pattern != '{') {
            text[n++] = *pattern++;
            continue;
        }
        const char *end = strchr(pattern, '}');
        uint32_t choices = 1;
        for (const char *c = pattern; c < end; c++)
            choices += *c == ',';
        const char *from = pattern + 1;
        for (uint32_t choice = kernel_below(k, choices); choice > 0; choice--)
            from = strchr(from, ',') + 1;
        while (*from != ',' && *from != '}' && n + 1 < size)
            text[n++] = *from++;
        pattern = end + 1;
    }
    text[n] = '\0';
}

/* The class of a type's registers; N_CLASSES when the word is no type. */
static Class class_of_word(const char *word, size_t length)
{
    static const struct {
        const char *type;
        Class class;
    } types[] = {{"u8", CLASS_R},    {"s8", CLASS_R},  {"b16", CLASS_H},   {"u16", CLASS_H},
                 {"s16", CLASS_H},   {"b32", CLASS_R}, {"u32", CLASS_R},   {"s32", CLASS_R},
                 {"b64", CLASS_D},   {"u64", CLASS_D}, {"s64", CLASS_D},   {"f32", CLASS_F},
                 {"f64", CLASS_E},   {"f16", CLASS_G}, {"f16x2", CLASS_X}, {"bf16", CLASS_G},
                 {"bf16x2", CLASS_X}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].type) == length && memcmp(types[i].type, word, length) == 0)
            return types[i].class;
    return N_CLASSES;
}

/* The classes of the first and the last type in "setp.lt.and.s32". */
static void find_classes(const char *text, Class *first, Class *last)
{
    *first = *last = CLASS_R;
    bool found = false;
    for (const char *word = text; *word;) {
        const size_t length = strcspn(word, ".");
        const Class c = class_of_word(word, length);
        if (c != N_CLASSES) {
            *first = found ? *first : c;
            *last = c;
            found = true;
        }
        word += length + (word[length] == '.');
    }
}

static Class operand_class(char letter, Class first, Class last)
{
    switch (letter) {
    case 'T':
    case 'i':
    case 'o':
        return first;
    case 'S':
        return last;
    case 'W':
        return first == CLASS_H ? CLASS_R : CLASS_D;
    case 'p':
    case 'P':
    case 'Q':
        return CLASS_P;
    case 'a':
        return CLASS_F;
    default:
        return CLASS_R;
    }
}

/* An input mostly, else an earlier result. */
static int source_register(Kernel *k, Class class)
{
    return kernel_below(k, 4) ? (int)kernel_below(k, N_INPUTS)
                              : (int)kernel_below(k, (uint32_t)k->n_used[class]);
}

static int class_bits(Class class)
{
    return class == CLASS_D || class == CLASS_E ? 64 : class == CLASS_H || class == CLASS_G ? 16 : 32;
}

/* Writes one source operand, and before it what makes it. */
static void make_source(Kernel *k, char letter, Class class, char *text, size_t size)
{
    static const uint32_t segments[] = {0x1F, 0, 0x181F, 0x1C1F, 0x1800, 0x1C00, 0x1E03, 0x100F};
    const int reg = letter == 'i' ? (int)kernel_below(k, N_INPUTS) : source_register(k, class);
    if (letter == 'm') {
        snprintf(text, size, "0xffffffff");
    } else if (letter == 'c') {
        snprintf(text, size, "%u", segments[kernel_below(k, 8)]);
    } else if (letter == 'k') {
        snprintf(text, size, "%u", kernel_below(k, 256));
    } else if (letter == 'o') {
        kernel_line(k, "or.b%d %%%c1001, %%%c%d, 1;", class_bits(class), class_letter(class),
                    class_letter(class), reg);
        snprintf(text, size, "%%%c1001", class_letter(class));
    } else if (letter == 'b') {
        const int scratch = 1002 + (int)k->n_bytes++ % 2; /* a form has two at most */
        kernel_line(k, "and.b32 %%r%d, %%r%d, 255;", scratch, reg);
        snprintf(text, size, "%%r%d", scratch);
    } else if (letter == 'a') {
        kernel_line(k, "cvt.rn.f32.s16 %%f1001, %%h%d; mul.rn.f32 %%f1001, %%f1001, 0f3A490FDB;",
                    reg % N_INPUTS);
        snprintf(text, size, "%%f1001");
    } else if ((class == CLASS_R || class == CLASS_H || class == CLASS_D) && letter != 'r' &&
               kernel_below(k, 8) == 0) {
        snprintf(text, size, "%u", kernel_below(k, letter == 'u' || kernel_below(k, 2) ? 70 : 32768));
    } else {
        snprintf(text, size, "%%%c%d", class_letter(class), reg);
    }
}

/* A result's register and, for p|q and d|p, the predicate beside it. */
static int new_register(Kernel *k, Class class)
{
    return k->n_used[class]++;
}

/* min and max of a register and itself: an assembler may leave the register as it is, NaN and all. */
static bool is_folded(const char *text, const char *operands)
{
    const char *second = strchr(operands + 1, ',');
    const size_t length = second ? (size_t)(second - operands) : 0;
    return (strncmp(text, "min", 3) == 0 || strncmp(text, "max", 3) == 0) && strlen(second) == length &&
           memcmp(operands, second, length) == 0;
}

/* The ISA leaves a NaN's bits open for doubles, and where only a sign changes; a conversion that changes
 * nothing may be a move. */
static bool is_any_nan(const char *text, Class class)
{
    const bool sign =
        strncmp(text, "abs", 3) == 0 || strncmp(text, "neg", 3) == 0 || strncmp(text, "copysign", 8) == 0;
    const bool moved = strcmp(text, "cvt.f32.f32") == 0;
    return class == CLASS_E || moved || (sign && (class == CLASS_F || class == CLASS_G || class == CLASS_X));
}

/* Warp operations need all lanes. A guarded set is left out: ptxas 13.0 makes the number of set.f32 by a
 * conversion that heeds no guard, so that a lane whose guard is false loses what it had. */
static bool may_be_guarded(const Kernel *k, const char *text, Class class)
{
    return k->family != FAMILY_WARP && k->family != FAMILY_NEWER && class != CLASS_P &&
           strncmp(text, "set.", 4) != 0;
}

static void make_form(Kernel *k, const Form *form)
{
    char text[SLOT_TEXT], operands[64] = "", source[24], line[SLOT_TEXT * 2];
    Class first, last;
    expand(k, form->text, text, sizeof text);
    find_classes(text, &first, &last);
    const char d = form->operands[0];
    const bool approximate = form->relative > 0 || form->absolute > 0;
    for (const char *letter = form->operands + 1; *letter; letter++) {
        make_source(k, *letter, operand_class(*letter, first, last), source, sizeof source);
        strcat(strcat(operands, ", "), source);
    }
    if (is_folded(text, operands))
        return;
    const Class class = operand_class(d, first, last);
    const int reg = new_register(k, class), beside = d == 'Q' || d == 'M' ? new_register(k, CLASS_P) : 0;
    const bool guarded = may_be_guarded(k, text, class) && kernel_below(k, 8) == 0;
    const uint32_t guard = guarded ? kernel_below(k, N_INPUTS) : 0;
    if (guarded)
        kernel_line(k, "mov.b%d %%%c%d, %%%c0; @%s%%p%u", class_bits(class), class_letter(class), reg,
                    class_letter(class), kernel_below(k, 2) ? "!" : "", guard);
    if (beside)
        snprintf(line, sizeof line, "%s %%%c%d|%%p%d%s", text, class_letter(class), reg, beside, operands);
    else
        snprintf(line, sizeof line, "%s %%%c%d%s", text, class_letter(class), reg, operands);
    kernel_line(k, "%s;", line);
    Slot *slot = &k->slots[k->n_slots];
    slot->relative = form->relative;
    slot->absolute = form->absolute;
    slot->any_nan = is_any_nan(text, class);
    kernel_store(k, class, reg, line);
    if (beside)
        kernel_store(k, CLASS_P, beside, line);
    if (approximate) /* an error must not travel on */
        k->n_used[class]--;
}

void make_forms(Kernel *k)
{
    int mine[N_FORMS], n = 0;
    for (int i = 0; i < N_FORMS; i++)
        if (forms[i].family == k->family)
            mine[n++] = i;
    while (k->n_slots < SLOTS_MAX)
        make_form(k, &forms[mine[kernel_below(k, (uint32_t)n)]]);
}

Status kernel_make(Kernel *k, Family family, uint64_t seed, Diag *diag)
{
    *k = (Kernel){.family = family, .seed = seed, .rng = {rng_mix(seed + 1) ^ (uint64_t)family}};
    kernel_line(k, ".version 7.8\n.target sm_%d\n%s", family_target(family), HEAD);
    load_inputs(k);
    families[family].make(k);
    kernel_line(k, "ret;\n}");
    if (k->ptx.failed) {
        generated_free(k);
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a kernel");
    }
    return STATUS_OK;
}

void generated_free(Kernel *k)
{
    strbuf_free(&k->ptx);
}
