/* when: see when.h. */
#include "grader/core/when.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

enum { YEAR_MIN = 1970 };

/* Exactly n digits at *text; -1 when they are not there. */
static int digits(const char **text, int n)
{
    int value = 0;
    for (int i = 0; i < n; i++, (*text)++) {
        if (!isdigit((unsigned char)**text))
            return -1;
        value = 10 * value + (**text - '0');
    }
    return value;
}

static bool when_take(const char **text, char c)
{
    bool there = **text == c;
    *text += there;
    return there;
}

static void skip_blanks(const char **text)
{
    while (**text == ' ')
        (*text)++;
}

static bool read_date(const char **text, int64_t *seconds)
{
    struct tm t = {.tm_year = digits(text, 4) - 1900};
    bool dash = when_take(text, '-');
    t.tm_mon = digits(text, 2) - 1;
    dash = when_take(text, '-') && dash;
    t.tm_mday = digits(text, 2);
    const struct tm said = t;
    *seconds = timegm(&t); /* which makes of a day that there is not another one */
    return dash && said.tm_year >= YEAR_MIN - 1900 && t.tm_mon == said.tm_mon && t.tm_mday == said.tm_mday;
}

/* "23:59", "23:59:00", "23:59:00.123"; a 60th second counts as the 59th. */
static bool read_time(const char **text, int64_t *seconds)
{
    int hour = digits(text, 2);
    bool colon = when_take(text, ':');
    int minute = digits(text, 2), second = when_take(text, ':') ? digits(text, 2) : 0;
    if (!colon || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
        return false;
    if (when_take(text, '.')) {
        const char *start = *text;
        while (isdigit((unsigned char)**text))
            (*text)++;
        if (*text == start)
            return false;
    }
    *seconds = hour * 3600 + minute * 60 + (second < 60 ? second : 59);
    return true;
}

/* East of UTC, in seconds. */
static bool read_zone(const char **text, int64_t *seconds)
{
    *seconds = 0;
    if (when_take(text, 'Z'))
        return true;
    if (strncmp(*text, "UTC", 3) == 0) {
        *text += 3;
        return true;
    }
    int sign = when_take(text, '+') ? 1 : when_take(text, '-') ? -1 : 0;
    int hours = sign ? digits(text, 2) : -1, minutes = 0;
    if (hours >= 0 && (when_take(text, ':') || isdigit((unsigned char)**text)))
        minutes = digits(text, 2);
    *seconds = sign * (hours * 3600 + minutes * 60);
    return hours >= 0 && hours <= 14 && minutes >= 0 && minutes <= 59;
}

bool when_parse(const char *text, int64_t *seconds)
{
    int64_t day, time, zone;
    skip_blanks(&text);
    if (!read_date(&text, &day))
        return false;
    if (!when_take(&text, 'T')) {
        if (*text != ' ')
            return false;
        skip_blanks(&text);
    }
    if (!read_time(&text, &time))
        return false;
    skip_blanks(&text);
    if (!read_zone(&text, &zone))
        return false;
    skip_blanks(&text);
    *seconds = day + time - zone;
    return *text == '\0';
}

void when_format(int64_t seconds, char text[WHEN_TEXT])
{
    struct tm t;
    time_t time = seconds;
    if (!gmtime_r(&time, &t) || strftime(text, WHEN_TEXT, "%Y-%m-%dT%H:%M:%SZ", &t) == 0)
        text[0] = '\0';
}
