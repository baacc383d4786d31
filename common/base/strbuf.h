/* StrBuf: text that grows; and JSON written into one.
 *
 * A StrBuf owns its bytes (strbuf_free). Errors stick: after a failed allocation every append is ignored
 * and `failed` is set, so that a writer checks once at the end.
 */
#ifndef COMMON_BASE_STRBUF_H
#define COMMON_BASE_STRBUF_H

#include "common/base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct StrBuf {
    char *text; /* NUL-terminated; NULL when empty */
    size_t length, cap;
    bool failed;
} StrBuf;

void strbuf_append(StrBuf *b, const char *bytes, size_t length);
void strbuf_puts(StrBuf *b, const char *text);
void strbuf_printf(StrBuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(StrBuf *b, const char *format, va_list args);
/* 1234 as "1,234". */
void strbuf_grouped(StrBuf *b, uint64_t n);
void strbuf_free(StrBuf *b);
/* Moves the text into the arena; NULL when there was no memory for all of it. The StrBuf is empty afterwards. */
char *strbuf_keep(StrBuf *b, Arena *a);
/* Prints the text and frees the StrBuf; false when there was no memory for all of it. */
bool strbuf_print(StrBuf *b, FILE *to);

/* A JSON string literal with its quotes. Bytes that are not UTF-8 become U+FFFD; C0 controls are escaped. */
void strbuf_json_string(StrBuf *b, const char *text, size_t length);
/* A JSON number: shortest text that reads back as the same double; NaN and infinities become null. */
void strbuf_json_number(StrBuf *b, double value);

/* Bytes in base64 (RFC 4648), with padding. */
void strbuf_base64(StrBuf *b, const void *bytes, size_t n);

#endif
