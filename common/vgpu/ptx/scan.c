/* The scanner: text -> tokens (PTX ISA 4). One pass, no table of tokens; every token knows its line and
 * column.
 *
 * A mnemonic (add.rn.f32) starts as a NAME; only the parser knows that one stands there, and lengthens it by
 * scan_suffixes. Bytes that fit nothing give a BAD token with the reason.
 */
#include "common/vgpu/ptx/ptx_internal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_ptx_word_char(int c)
{
    return is_letter(c) || is_digit(c);
}

/* The value of c as a digit, 99 when it is none. */
static unsigned digit_value(int c)
{
    if (is_digit(c))
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10 : 99;
}

void scan_start(Scanner *s, const char *text, size_t length)
{
    *s = (Scanner){.at = text, .end = text + length, .line_start = text, .line = 1};
}

static void new_line(Scanner *s)
{
    s->line++;
    s->line_start = s->at;
}

/* Skips a comment that starts at s->at; false when it does not end. */
static bool skip_block_comment(Scanner *s)
{
    for (s->at += 2; s->at < s->end; s->at++) {
        if (s->at[0] == '*' && s->at[1] == '/') {
            s->at += 2;
            return true;
        }
        if (s->at[0] == '\n') {
            s->line++;
            s->line_start = s->at + 1;
        }
    }
    return false;
}

static bool skip_blanks(Scanner *s)
{
    for (;;) {
        char c = *s->at;
        if (c == '\n') {
            s->at++;
            new_line(s);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            s->at++;
        } else if (c == '/' && s->at[1] == '/') {
            const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
            s->at = newline ? newline : s->end;
        } else if (c == '/' && s->at[1] == '*') {
            if (!skip_block_comment(s))
                return false;
        } else {
            return true;
        }
    }
}

static void bad(Token *t, const char *why)
{
    t->kind = TOKEN_BAD;
    t->error = why;
}

/* 0f3F800000 and 0d3FF0000000000000: the bits themselves. */
static void scan_float_bits(Scanner *s, Token *t, int digits)
{
    uint64_t bits = 0;
    s->at += 2;
    for (int i = 0; i < digits; i++, s->at++) {
        if (digit_value(*s->at) > 15) {
            bad(t, digits == 8 ? "a 0f literal needs 8 hexadecimal digits"
                               : "a 0d literal needs 16 hexadecimal digits");
            return;
        }
        bits = bits << 4 | digit_value(*s->at);
    }
    if (is_ptx_word_char(*s->at)) {
        bad(t, "a floating-point literal has too many digits");
        return;
    }
    t->kind = TOKEN_FLOAT;
    t->type = digits == 8 ? PTX_TYPE_F32 : PTX_TYPE_F64;
    t->value = bits;
}

/* 1.5e-3: always f64. The text ends in NUL, so that strtod stops; the locale of the program does not count.
 */
static void scan_decimal_float(Scanner *s, Token *t)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        bad(t, "no memory for a floating-point literal");
        return;
    }
    char *after = NULL;
    double value = strtod_l(t->text, &after, plain);
    freelocale(plain);
    s->at = after;
    if (after == t->text || is_ptx_word_char(*after)) {
        bad(t, "a malformed floating-point literal");
        return;
    }
    t->kind = TOKEN_FLOAT;
    t->type = PTX_TYPE_F64;
    memcpy(&t->value, &value, sizeof value);
}

static void scan_integer(Scanner *s, Token *t, unsigned base)
{
    uint64_t value = 0;
    const char *first = s->at;
    for (; digit_value(*s->at) < base; s->at++) {
        unsigned digit = digit_value(*s->at);
        if (value > (UINT64_MAX - digit) / base) {
            bad(t, "an integer literal needs more than 64 bits");
            return;
        }
        value = value * base + digit;
    }
    bool empty = s->at == first;
    t->is_unsigned = *s->at == 'U';
    s->at += t->is_unsigned;
    if (empty || is_ptx_word_char(*s->at)) {
        bad(t, "a malformed integer literal");
        return;
    }
    t->kind = TOKEN_INT;
    t->value = value;
}

static void scan_number(Scanner *s, Token *t)
{
    int second = s->at[0] == '0' ? s->at[1] | 0x20 : 0;
    const char *c = s->at;
    if (second == 'f' || second == 'd') {
        scan_float_bits(s, t, second == 'f' ? 8 : 16);
        return;
    }
    if (second == 'x' || second == 'b') {
        s->at += 2;
        scan_integer(s, t, second == 'x' ? 16 : 2);
        return;
    }
    while (is_digit(*c))
        c++;
    if ((*c == '.' && is_digit(c[1])) || (*c | 0x20) == 'e')
        scan_decimal_float(s, t);
    else
        scan_integer(s, t, *s->at == '0' ? 8 : 10);
}

static void scan_word(Scanner *s)
{
    while (is_ptx_word_char(*s->at))
        s->at++;
}

/* .word or .word::word */
static void scan_directive_word(Scanner *s)
{
    s->at++;
    scan_word(s);
    while (s->at[0] == ':' && s->at[1] == ':' && is_ptx_word_char(s->at[2])) {
        s->at += 2;
        scan_word(s);
    }
}

static void scan_string(Scanner *s, Token *t)
{
    t->text = ++s->at;
    while (s->at < s->end && *s->at != '"' && *s->at != '\n')
        s->at += s->at[0] == '\\' && s->at + 1 < s->end && s->at[1] != '\n' ? 2 : 1;
    if (*s->at != '"') {
        bad(t, "a string does not end on its line");
        return;
    }
    t->kind = TOKEN_STRING;
    t->length = (size_t)(s->at++ - t->text);
}

static void scan_punct(Scanner *s, Token *t)
{
    t->kind = TOKEN_PUNCT;
    static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"}; /* as PunctPair */
    t->punct = (unsigned char)*s->at++;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (t->punct == pairs[i][0] && *s->at == pairs[i][1]) {
            t->punct = SHIFT_LEFT + (int)i;
            s->at++;
            break;
        }
    if (!memchr("{}()[],;:+-*/%<>&|^~!@=?", t->punct & 0xFF, 24) && t->punct < 256)
        bad(t, "a character that has no meaning here");
}

void scan_next(Scanner *s, Token *t)
{
    bool closed = skip_blanks(s);
    *t = (Token){.text = s->at, .line = s->line, .column = (int)(s->at - s->line_start) + 1};
    char c = *s->at;
    if (!closed)
        bad(t, "a comment does not end");
    else if (s->at >= s->end)
        t->kind = TOKEN_END;
    else if (is_letter(c) || (c == '%' && is_letter(s->at[1]))) {
        t->kind = TOKEN_NAME;
        s->at++;
        scan_word(s);
    } else if (c == '.' && is_ptx_word_char(s->at[1])) {
        t->kind = TOKEN_DIRECTIVE;
        scan_directive_word(s);
    } else if (is_digit(c))
        scan_number(s, t);
    else if (c == '"')
        scan_string(s, t);
    else
        scan_punct(s, t);
    if (t->kind != TOKEN_STRING)
        t->length = (size_t)(s->at - t->text);
}

void scan_suffixes(Scanner *s, Token *t, bool all)
{
    do {
        if (s->at[0] != '.' || !is_ptx_word_char(s->at[1]))
            break;
        scan_directive_word(s);
    } while (all);
    t->length = (size_t)(s->at - t->text);
}
