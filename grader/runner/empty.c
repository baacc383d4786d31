/* Emptying a folder between two commands, when no process is left that could fill it again; see runner.h.
 *
 * What is in there was made by hostile code: names of any kind, folders without permissions, trees deeper
 * than any path or stack. So nothing is descended into. A folder that is not empty has its entries moved up
 * into the topmost one under new names, one level a time, until there is only one level:
 *
 *     top/a/b/c  ->  top/a, top/.moved-0/c  ->  top/.moved-0, top/.moved-1  ->  top
 *
 * Mount points (the inputs in /case/in) stay: they are read-only, and not the command's. The folder itself
 * gets back its mode, its times and no extended attributes, which could carry a message too.
 */
#include "grader/runner/runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { ATTRIBUTE_NAMES_BYTES = 1 << 16, FOLDER_MODE = 0755 };

typedef struct Emptying {
    int top;
    dev_t device;
    unsigned long n_moved;
    bool changed; /* something was removed or moved in this pass */
    bool left;    /* something is still there that should not be */
} Emptying;

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A file, or a folder with nothing in it. */
static bool remove_entry(int dir, const char *name)
{
    return unlinkat(dir, name, 0) == 0 || unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

/* The entries of a folder, from its start; dir stays the caller's. */
static DIR *open_list(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !list)
        close(fd);
    return list;
}

/* Moves a folder that lies in another into the topmost one. Moving a folder takes the right to write to it.
 */
static void move_up(Emptying *e, int dir, const char *name)
{
    char fresh[64];
    fchmodat(dir, name, 0700, 0);
    do
        snprintf(fresh, sizeof fresh, ".moved-%lu", e->n_moved++);
    while (faccessat(e->top, fresh, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
    if (renameat(dir, name, e->top, fresh) == 0)
        e->changed = e->left = true; /* for the next pass */
}

/* Removes a folder of the topmost one; its files go at once, its folders move up. */
static void remove_folder(Emptying *e, const char *name)
{
    struct stat st;
    if (fstatat(e->top, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_dev != e->device)
        return;
    fchmodat(e->top, name, 0700, 0);
    DIR *list = open_list(e->top, name);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (is_dots(entry->d_name))
            continue;
        if (remove_entry(dirfd(list), entry->d_name))
            e->changed = true;
        else
            move_up(e, dirfd(list), entry->d_name);
    }
    if (list)
        closedir(list);
    if (unlinkat(e->top, name, AT_REMOVEDIR) == 0)
        e->changed = true;
    else
        e->left = true;
}

static void remove_entries(Emptying *e)
{
    DIR *list = open_list(e->top, ".");
    e->changed = false;
    e->left = !list;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (is_dots(entry->d_name))
            continue;
        if (remove_entry(e->top, entry->d_name))
            e->changed = true;
        else
            remove_folder(e, entry->d_name);
    }
    if (list)
        closedir(list);
}

/* Whether nothing is in the folder now but mount points. */
static bool is_empty(const Emptying *e)
{
    DIR *list = open_list(e->top, ".");
    bool empty = list != NULL;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        struct stat st;
        if (!is_dots(entry->d_name) &&
            (fstatat(e->top, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_dev == e->device))
            empty = false;
    }
    if (list)
        closedir(list);
    return empty;
}

static bool reset_attributes(int dir)
{
    static char names[ATTRIBUTE_NAMES_BYTES];
    ssize_t n = flistxattr(dir, names, sizeof names);
    if (n < 0 && errno != ENOTSUP)
        return false;
    for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1)
        if (fremovexattr(dir, name) != 0 && strncmp(name, "security.", 9) != 0)
            return false;
    static const struct timespec times[2] = {{.tv_sec = 0}, {.tv_sec = 0}};
    return fchmod(dir, FOLDER_MODE) == 0 && futimens(dir, times) == 0;
}

bool runner_empty(const char *path)
{
    struct stat st;
    chmod(path, FOLDER_MODE); /* it may have taken the right to look into it from itself */
    Emptying e = {.top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (e.top < 0)
        return errno == ENOENT;
    bool fine = fstat(e.top, &st) == 0;
    e.device = st.st_dev;
    do
        remove_entries(&e);
    while (fine && e.left && e.changed);
    fine = fine && is_empty(&e) && reset_attributes(e.top);
    close(e.top);
    return fine;
}
