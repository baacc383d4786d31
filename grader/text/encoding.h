/* encoding: in which encoding a source was saved. Compilers want UTF-8; editors on some systems save UTF-16,
 * which no compiler reads, or an 8-bit code page, which it reads and of which only comments and texts are
 * odd. */
#ifndef GRADER_TEXT_ENCODING_H
#define GRADER_TEXT_ENCODING_H

#include "common/base/strbuf.h"

#include <stddef.h>

typedef enum Encoding {
    ENCODING_UTF8,     /* ASCII too, with or without a byte order mark */
    ENCODING_UTF16_LE, /* by its byte order mark, or by the zeros that ASCII has in it */
    ENCODING_UTF16_BE,
    ENCODING_8BIT,   /* no UTF-8, and no zeros: Latin-1 or another code page */
    ENCODING_BINARY, /* zeros elsewhere: no text */
} Encoding;

Encoding encoding_of(const char *bytes, size_t length);
/* "UTF-16", "Latin-1 or another 8-bit code page"... */
const char *encoding_word(Encoding e);
/* Appends the text as UTF-8, without a byte order mark, an 8-bit one as Latin-1; what is no character becomes
 * U+FFFD. */
void encoding_to_utf8(StrBuf *out, Encoding e, const char *bytes, size_t length);

#endif
