/* when: moments as texts, the way download files and policies write them, and as seconds since 1970 UTC.
 *
 * Every moment says its distance from UTC: "2026-10-12T23:59:00+02:00", "2026-10-12 21:59:00.25 Z",
 * "2026-10-12T21:59Z". So no machine's time zone, and no table of time zones, ever decides about points.
 */
#ifndef GRADER_CORE_WHEN_H
#define GRADER_CORE_WHEN_H

#include <stdbool.h>
#include <stdint.h>

enum { WHEN_TEXT = 24 };

/* False where the text is no moment: year 1970 to 9999, T or blanks between date and time, seconds and their
 * fraction (which is dropped) may be left out, then Z, UTC, +hh:mm, +hhmm or +hh (or -). */
bool when_parse(const char *text, int64_t *seconds);
/* "2026-10-12T21:59:00Z". */
void when_format(int64_t seconds, char text[WHEN_TEXT]);

#endif
