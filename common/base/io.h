/* io: writing whole, and the clock. */
#ifndef COMMON_BASE_IO_H
#define COMMON_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all bytes; false, and errno, when that fails. May be called in a signal handler. */
bool io_write_all(int fd, const void *bytes, size_t length);
/* Seconds of a clock that only goes forward. */
double io_now_s(void);

#endif
