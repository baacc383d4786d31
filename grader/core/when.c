/* when: see when.h. Days are counted from 1 March of a year 0, so that the leap day is a year's last. */
#include "grader/core/when.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DAY_S = 86400, DAYS_TO_1970 = 719468, YEAR_MIN = 1970, YEAR_MAX = 9999 };

static int64_t days_from_date(int year, int month, int day)
{
    int64_t y = month > 2 ? year : year - 1, m = (month + 9) % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - DAYS_TO_1970;
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

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

static bool read_date(const char **text, int64_t *days)
{
    int year = digits(text, 4);
    bool dash = when_take(text, '-');
    int month = digits(text, 2);
    dash = when_take(text, '-') && dash;
    int day = digits(text, 2);
    if (!dash || year < YEAR_MIN || year > YEAR_MAX || month < 1 || month > 12 || day < 1 ||
        day > days_of_month(year, month))
        return false;
    *days = days_from_date(year, month, day);
    return true;
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
    int64_t days, time, zone;
    skip_blanks(&text);
    if (!read_date(&text, &days))
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
    *seconds = days * DAY_S + time - zone;
    return *text == '\0';
}

void when_format(int64_t seconds, char text[WHEN_TEXT])
{
    int64_t days = seconds / DAY_S, rest = seconds % DAY_S;
    if (rest < 0) {
        rest += DAY_S;
        days--;
    }
    int year = YEAR_MIN, month = 1;
    while (days_from_date(year + 1, 1, 1) <= days && year < YEAR_MAX)
        year++;
    while (month < 12 && days_from_date(year, month + 1, 1) <= days)
        month++;
    int day = (int)(days - days_from_date(year, month, 1)) + 1;
    snprintf(text, WHEN_TEXT, "%04d-%02d-%02dT%02d:%02d:%02dZ", year % 10000, month % 100, day % 100,
             (int)(rest / 3600) % 100, (int)(rest / 60 % 60), (int)(rest % 60));
}
