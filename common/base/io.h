/* io: writing whole, the clock, and programs of PATH. */
#ifndef COMMON_BASE_IO_H
#define COMMON_BASE_IO_H

#include "common/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes all bytes; false, and errno, when that fails. May be called in a signal handler. */
bool io_write_all(int fd, const void *bytes, size_t length);
/* Seconds of a clock that only goes forward. */
double io_now_s(void);
/* The first executable of that name in PATH, owned by the arena; NULL where there is none. */
const char *io_find_program(Arena *a, const char *name);

#endif
