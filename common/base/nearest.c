/* See nearest.h. */
#include "common/base/nearest.h"

#include <string.h>

static int folded(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Row i of the table has the distance of the first i bytes of one from each beginning of the other:
 *
 *     d[i][j] = least of d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (one[i] != other[j]),
 *               and d[i-2][j-2] + 1 where the last two are exchanged
 */
size_t nearest_distance(const char *one, const char *other)
{
    size_t rows[3][NEAREST_NAME_MAX + 1], n = strlen(one), m = strlen(other);
    if (n > NEAREST_NAME_MAX || m > NEAREST_NAME_MAX)
        return NEAREST_NAME_MAX;
    for (size_t i = 0; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            int x = folded(one[i - 1]), y = folded(other[j - 1]);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == folded(other[j - 2]) && y == folded(one[i - 2]))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

/* The only name that holds the word. */
static const char *only_holder(const char *word, const char *const *names, size_t n)
{
    const char *found = NULL;
    for (size_t i = 0; i < n && strlen(word) >= 3; i++) {
        if (!strstr(names[i], word))
            continue;
        if (found)
            return NULL;
        found = names[i];
    }
    return found;
}

const char *nearest_name(const char *word, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t best_distance = NEAREST_NAME_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t distance = nearest_distance(word, names[i]), length = strlen(names[i]), own = strlen(word);
        if (distance < best_distance && distance * 3 <= (length > own ? length : own)) {
            best = names[i];
            best_distance = distance;
        }
    }
    return best ? best : only_holder(word, names, n);
}

bool nearest_is_slip(const char *one, const char *other)
{
    for (; *one && *other; one++, other++) {
        char x = *one == '_' || *one == ' ' ? '-' : *one, y = *other == '_' || *other == ' ' ? '-' : *other;
        if (folded(x) != folded(y))
            return false;
    }
    return *one == *other;
}

/* The next ASCII letter or digit from *p on, folded; 0 at the end. */
static int next_letter(const char **p)
{
    for (; **p; (*p)++) {
        int c = folded(**p);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            (*p)++;
            return c;
        }
    }
    return 0;
}

bool nearest_same_letters(const char *one, const char *other)
{
    for (int x, y;;) {
        x = next_letter(&one);
        y = next_letter(&other);
        if (x != y || !x)
            return x == y;
    }
}
