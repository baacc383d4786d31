/* utf8: bytes of unknown origin, one character at a time, and how many columns of a terminal they take.
 *
 * File names, compiler messages and what a student's program prints are bytes until proven UTF-8. Every
 * escape reads them through utf8_next, so that none can disagree about where a character ends.
 */
#ifndef GRADER_TEXT_UTF8_H
#define GRADER_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UTF8_REPLACEMENT = 0xFFFD };

/* One character of a text. */
typedef struct Utf8Char {
    uint32_t code; /* UTF8_REPLACEMENT where the byte begins no valid sequence */
    size_t bytes;  /* consumed: 1 to 4 */
    bool valid;
} Utf8Char;

/* The character at text, which has length > 0 bytes. Overlong forms, surrogates and codes past U+10FFFF are
 * not valid. */
Utf8Char utf8_next(const char *text, size_t length);

bool utf8_is_valid(const char *text, size_t length);

/* The number of bytes that code takes, written to out. */
size_t utf8_append(uint32_t code, char out[4]);

/* Controls C0, DEL and C1: they move cursors, ring bells and start escape sequences. */
bool utf8_is_control(uint32_t code);

/* Characters that reorder or hide their neighbours: bidirectional controls, zero-width spaces, byte order
 * marks, tags. */
bool utf8_is_deceptive(uint32_t code);

/* Columns on a terminal: 0 for combining marks, 2 for wide characters (East Asian, emoji), 1 for the rest. */
int utf8_width(uint32_t code);

/* Columns of a whole text without controls. */
size_t utf8_text_width(const char *text, size_t length);

#endif
