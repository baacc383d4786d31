/* untrusted: opening files that a program's debug information or its library's records name.
 *
 * Names are the program's to choose: a device, a FIFO or a file of /proc under the name of a source must not
 * be read, and nothing may be read for ever. Only regular files of a bounded size that is known beforehand
 * are opened; sources, where a folder is given, only below it and through no link.
 */
#include "common/vgpu/tool/tool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_SHOWN = 255 };

/* O_NONBLOCK: opening a FIFO waits for nobody. */
enum { OPEN_FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

/* The descriptor again, or -1 and it is closed: files of /proc have no size. */
static int only_regular(int fd, int64_t bytes_max)
{
    struct stat st;
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= bytes_max)
        return fd;
    close(fd);
    return -1;
}

int untrusted_open(const char *path, int64_t bytes_max)
{
    return only_regular(open(path, OPEN_FLAGS), bytes_max);
}

/* The next name of a path, without slashes; false at its end, and for "..", which leads out. */
static bool next_name(const char **path, char name[NAME_MAX_SHOWN + 1])
{
    const char *at = *path + strspn(*path, "/");
    size_t length = strcspn(at, "/");
    *path = at + length;
    if (length == 0 || length > NAME_MAX_SHOWN)
        return false;
    memcpy(name, at, length);
    name[length] = '\0';
    return strcmp(name, "..") != 0;
}

/* Name by name from the folder on, so that no link is followed. */
static int open_below(const char *folder, const char *path)
{
    char name[NAME_MAX_SHOWN + 1];
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0) {
        bool found = next_name(&path, name), last = path[strspn(path, "/")] == '\0';
        int next =
            !found ? -1
                   : openat(at, name, O_NOFOLLOW | (last ? OPEN_FLAGS : O_PATH | O_DIRECTORY | O_CLOEXEC));
        close(at);
        if (last || next < 0)
            return next;
        at = next;
    }
    return -1;
}

int untrusted_open_below(const char *folder, const char *path, int64_t bytes_max)
{
    size_t length = strlen(folder);
    while (length > 0 && folder[length - 1] == '/')
        length--;
    if (path[0] == '/' && (strncmp(path, folder, length) != 0 || path[length] != '/'))
        return -1;
    return only_regular(open_below(folder, path[0] == '/' ? path + length : path), bytes_max);
}

char *untrusted_read(int fd, int64_t bytes_max)
{
    struct stat st;
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size <= bytes_max)
        text = malloc((size_t)st.st_size + 1);
    size_t n = 0;
    for (ssize_t got = 1; text && got > 0 && n<(size_t)st.st_size; n += got> 0 ? (size_t)got : 0)
        got = read(fd, text + n, (size_t)st.st_size - n);
    for (size_t i = 0; i < n; i++)
        text[i] = text[i] ? text[i] : '?';
    if (text)
        text[n] = '\0';
    return text;
}
