/* text: making what a program printed safe to show.
 *
 * Whatever reaches a terminal, a page or JSON from a submission goes through text_clean: valid UTF-8, no
 * control characters but newline and tab, no escape sequences, no bidirectional overrides, at most so many
 * bytes.
 */
#ifndef GRADER_CORE_TEXT_H
#define GRADER_CORE_TEXT_H

#include "common/base/arena.h"

#include <stddef.h>

/* The cleaned text, owned by the arena. Past bytes_max it is cut, and a line says how many bytes are missing.
 * What is not valid UTF-8 becomes U+FFFD; terminal escape sequences vanish; other control characters become
 * '?'. */
char *text_clean(Arena *a, const char *bytes, size_t length, size_t bytes_max);

/* Takes every "FOLDER/" that begins a path out of the text, in place: a student need not read where the
 * grader built and ran the work. Writes nothing where there is none; "" is no folder. */
void text_strip_folder(char *text, const char *folder);

/* For qsort and bsearch of texts: their order by bytes. */
int text_compare(const void *a, const void *b);

#endif
