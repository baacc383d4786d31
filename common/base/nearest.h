/* nearest: the name that somebody may have meant. */
#ifndef COMMON_BASE_NEAREST_H
#define COMMON_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

enum { NEAREST_NAME_MAX = 128 }; /* longer names are near none */

/* How many characters must be put in, taken out, replaced, or changed with their neighbour to make one name
 * of the other (restricted Damerau-Levenshtein distance over bytes); ASCII letters are compared without case.
 * NEAREST_NAME_MAX when one of them is longer than that. */
size_t nearest_distance(const char *one, const char *other);

/* The name of the list that is nearest to the word, the first of equals: at a distance of a third of the
 * longer one at most, else the only one that holds the word (three letters or more). NULL when none is near.
 */
const char *nearest_name(const char *word, const char *const *names, size_t n);

/* Whether two names differ in nothing but the case of ASCII letters, and underscores and blanks for dashes.
 */
bool nearest_is_slip(const char *one, const char *other);
/* Whether they have the same ASCII letters and digits in the same order, without case, whatever stands
 * between. */
bool nearest_same_letters(const char *one, const char *other);

#endif
