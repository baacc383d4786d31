/* number: numbers as NVIDIA's profilers print them. */
#include "common/profile/profile_internal.h"

#include <math.h>
#include <stdlib.h>

double profile_number(const char *text)
{
    char plain[64];
    size_t n = 0;
    for (; *text; text++) {
        if (*text == ',')
            continue;
        if (n + 1 == sizeof plain)
            return NAN;
        plain[n++] = *text;
    }
    plain[n] = 0;
    char *end;
    double value = strtod(plain, &end);
    return n == 0 || *end ? NAN : value;
}
