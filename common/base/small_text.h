/* small_text: a text of at most 8 KiB, made without memory or locks, so in a signal handler too. What does not fit is left out. */
#ifndef COMMON_BASE_SMALL_TEXT_H
#define COMMON_BASE_SMALL_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { SMALL_TEXT_BYTES = 8192 };

typedef struct SmallText {
    char bytes[SMALL_TEXT_BYTES];
    size_t n;
} SmallText;

static inline void small_text_char(SmallText *t, char c)
{
    if (t->n < SMALL_TEXT_BYTES)
        t->bytes[t->n++] = c;
}

static inline void small_text_puts(SmallText *t, const char *text)
{
    for (; *text != 0; text++)
        small_text_char(t, *text);
}

/* base: 10 or 16. */
static inline void small_text_number(SmallText *t, uint64_t n, unsigned base)
{
    char digits[24];
    int k = 0;
    do
        digits[k++] = "0123456789abcdef"[n % base];
    while ((n /= base) != 0);
    while (k > 0)
        small_text_char(t, digits[--k]);
}

#endif
