/* See outputs.h. */
#include "grader/run/outputs.h"

#include "grader/core/files.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VALUES_BYTES_MAX = 64 << 10 };

bool outputs_value(const char *case_dir, const char *key, double *value)
{
    Arena arena = {0};
    char *text = NULL;
    size_t length, n = strlen(key);
    bool found = false;
    const char *path = arena_printf(&arena, "%s/out", case_dir);
    int dir = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (dir >= 0 &&
        file_read_untrusted(&arena, dir, "values", VALUES_BYTES_MAX, &text, &length, NULL) != STATUS_OK)
        text = NULL;
    for (char *line; text && !found && (line = strsep(&text, "\n"));) {
        if (strncmp(line, key, n) != 0 || line[n] != '=')
            continue;
        char *end;
        *value = strtod(line + n + 1, &end);
        found = end != line + n + 1 && isfinite(*value);
    }
    if (dir >= 0)
        close(dir);
    arena_free(&arena);
    return found;
}
