/* Forms of asynchronous copies, barriers in memory and clusters: the words of a variant that matter -> a row
 * of async.def. */
#include "common/vgpu/ir/form.h"

#include <string.h>

enum { WORDS_MAX = 96 };

typedef struct AsyncRow {
    uint16_t opcode;
    const char *words;
    uint8_t operation;
    const char *shape;
} AsyncRow;

static const AsyncRow rows[] = {
#define X(opcode, words, operation, shape) {PTX_##opcode, words, ASYNC_##operation, shape},
#include "common/vgpu/ir/async.def"
#undef X
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static bool starts_with(const char *word, size_t length, const char *text)
{
    return length >= strlen(text) && memcmp(word, text, strlen(text)) == 0;
}

static bool is_one_of(const char *word, size_t length, const char *const *list)
{
    while (*list && !form_word_is(word, length, *list))
        list++;
    return *list != NULL;
}

/* Words that say nothing of what is done. */
static bool is_left_out(uint16_t opcode, const char *word, size_t length)
{
    static const char *const always[] = {
        "sync", "aligned", "bulk_group", "mbarrier::complete_tx::bytes", "ca", "cg", "cta", "L2", NULL};
    bool names_cluster = opcode == PTX_BARRIER;
    return is_one_of(word, length, always) || starts_with(word, length, "L2::") ||
           starts_with(word, length, "L1::") || (form_word_is(word, length, "cluster") && !names_cluster);
}

static bool set_order(IrInst *in, const char *word, size_t length)
{
    static const struct {
        const char *text;
        uint8_t sem;
    } orders[] = {{"relaxed", SEM_RELAXED}, {"acquire", SEM_ACQUIRE}, {"release", SEM_RELEASE}};
    for (int i = 0; i < 3; i++)
        if (form_word_is(word, length, orders[i].text)) {
            in->sem = orders[i].sem;
            return true;
        }
    return false;
}

static bool is_shared(const char *word, size_t length)
{
    return form_word_is(word, length, "shared") || form_word_is(word, length, "shared::cta") ||
           form_word_is(word, length, "shared::cluster");
}

/* The words that matter of a variant's text, joined by dots; what others say goes into `in`. */
static void collect_async_words(const PtxVariant *v, IrInst *in, char *words)
{
    size_t n = 0;
    words[0] = '\0';
    for (const char *word = strchr(v->text, '.'), *end; word; word = end) {
        end = strchr(++word, '.');
        size_t length = end ? (size_t)(end - word) : strlen(word);
        PtxType type = form_type_named(word, length);
        bool shared = is_shared(word, length);
        if (shared)
            in->space = SPACE_SHARED;
        if (form_word_is(word, length, "cluster"))
            in->scope = SCOPE_CLUSTER;
        if (type != PTX_TYPE_NONE) {
            in->type = (uint8_t)type;
            continue;
        }
        bool drop_shared =
            shared && (v->opcode == PTX_MBARRIER || v->opcode == PTX_MAPA || v->opcode == PTX_GETCTARANK);
        if (drop_shared || set_order(in, word, length) || is_left_out((uint16_t)v->opcode, word, length))
            continue;
        const char *text = shared ? "shared" : word;
        size_t text_length = shared ? strlen("shared") : length;
        if (n + text_length + 2 > WORDS_MAX)
            return;
        if (n)
            words[n++] = '.';
        memcpy(words + n, text, text_length);
        n += text_length;
        words[n] = '\0';
    }
}

/* An arrival releases and a wait acquires, for the block, when nothing else is said (PTX ISA 9.7.13.15). */
static void set_default_order(IrInst *in)
{
    bool waits = in->async == ASYNC_MBAR_TEST || in->async == ASYNC_MBAR_TEST_PARITY;
    bool counts = in->async == ASYNC_MBAR_EXPECT_TX || in->async == ASYNC_MBAR_COMPLETE_TX;
    if (in->sem == SEM_WEAK)
        in->sem = waits ? SEM_ACQUIRE : counts ? SEM_RELAXED : SEM_RELEASE;
    if (in->scope == SCOPE_NONE)
        in->scope = SCOPE_CTA;
}

bool form_decode_async(const PtxVariant *variant, IrForm *form)
{
    char words[WORDS_MAX];
    bool may = false;
    for (int i = 0; i < N_ROWS; i++)
        may |= rows[i].opcode == variant->opcode;
    if (!may)
        return false;
    IrInst in = form->inst;
    collect_async_words(variant, &in, words);
    for (int i = 0; i < N_ROWS; i++) {
        if (rows[i].opcode != variant->opcode || strcmp(rows[i].words, words) != 0)
            continue;
        in.async = rows[i].operation;
        set_default_order(&in);
        form->inst = in;
        form->shape = rows[i].shape;
        return true;
    }
    return false;
}
