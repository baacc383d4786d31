/* escape: text of unknown origin made harmless for one kind of file, each kind in one function.
 *
 * Whatever names, messages and logs contain, what comes out is valid UTF-8 that the reader shows as text:
 *
 *     bytes that are not UTF-8            U+FFFD
 *     control characters                  a picture of them (U+2400 + code, so that a log shows what it holds);
 *                                         C1: U+FFFD
 *     characters that reorder or hide     U+FFFD (bidirectional controls, zero-width spaces)
 *     newline and tab                     kept in blocks (HTML, XML, Markdown block, terminal block), a space
 *                                         in lines
 *
 * and then the few characters that mean something in the format are replaced. No other place of the grader
 * does this.
 */
#ifndef GRADER_TEXT_ESCAPE_H
#define GRADER_TEXT_ESCAPE_H

#include "common/base/strbuf.h"

#include <stddef.h>

/* HTML text and attribute values (in double or single quotes). */
void escape_html(StrBuf *out, const char *text, size_t length);

/* XML 1.0 text and attribute values; right inside no CDATA section, as it ends none. */
void escape_xml(StrBuf *out, const char *text, size_t length);

/* A CSV cell (RFC 4180), quotes included where needed. What a spreadsheet could take for a formula
 * (csv_is_formula) gets a leading ', which csv_unguarded takes off again. */
void escape_csv(StrBuf *out, const char *text, size_t length);

/* One line of Markdown: every character that could begin a construct is escaped, newlines are spaces. */
void escape_markdown(StrBuf *out, const char *text, size_t length);

/* One line on a terminal: no control character leaves the program. */
void escape_terminal(StrBuf *out, const char *text, size_t length);

/* Several lines on a terminal: newlines stay, each followed by `indent` (not escaped); tabs become spaces. */
void escape_terminal_block(StrBuf *out, const char *text, size_t length, const char *indent);

/* A name for a file of the report made from any bytes: lower-case letters, digits, dot, dash and underscore
 * stay, others become ~XX. Two different texts never give one name, also where case does not count; of a text
 * too long for that the name ends in its hash. */
enum { ESCAPE_FILE_NAME_MAX = 120 };
void escape_file_name(StrBuf *out, const char *text, size_t length);

#endif
