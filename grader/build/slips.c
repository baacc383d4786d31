/* See slips.h. */
#include "grader/build/slips.h"

#include "common/base/nearest.h"
#include "grader/core/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_MAX = 200, SHOWN_MAX = 6, SHOWN_NAME_MAX = 80 };

/* Names of a folder, hidden ones left out, in order. */
typedef struct Names {
    const char *items[ENTRIES_MAX];
    size_t n;
} Names;

static void list_names(Arena *a, int dir, Names *names)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    names->n = 0;
    if (!d && copy >= 0)
        close(copy);
    for (struct dirent *e; d && names->n < ENTRIES_MAX && (e = readdir(d));) {
        const char *name = e->d_name[0] == '.' ? NULL : arena_strndup(a, e->d_name, strlen(e->d_name));
        if (name)
            names->items[names->n++] = name;
    }
    if (d)
        closedir(d);
    if (names->n)
        qsort(names->items, names->n, sizeof *names->items, text_compare);
}

static bool is_folder(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int open_folder(int dir, const char *name)
{
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A name as it may be shown: whoever made it chose its bytes. */
static const char *shown(Arena *a, const char *name)
{
    const char *clean = text_clean(a, name, strnlen(name, SHOWN_NAME_MAX), 4 * SHOWN_NAME_MAX);
    return clean ? clean : "?";
}

/* Adds a line to a text. */
static void add_line(Arena *a, const char **text, const char *line)
{
    const char *both = line ? arena_printf(a, "%s%s%s", *text, (*text)[0] ? "\n" : "", line) : NULL;
    *text = both ? both : *text;
}

/* The only name of the folder that is a slip of this one, and a folder or not. */
static const char *only_slip(Arena *a, int dir, const char *name, bool folder)
{
    Names *names = ARENA_NEW(a, Names);
    const char *found = NULL;
    if (!names)
        return NULL;
    list_names(a, dir, names);
    for (size_t i = 0; i < names->n; i++) {
        if (!nearest_is_slip(names->items[i], name) || is_folder(dir, names->items[i]) != folder)
            continue;
        if (found)
            return NULL;
        found = names->items[i];
    }
    return found;
}

static bool has_a_file(Arena *a, const Lab *lab, int dir)
{
    struct stat st;
    for (size_t i = 0; i < lab->n_files; i++)
        if (fstatat(dir, lab->files[i], &st, AT_SYMLINK_NOFOLLOW) == 0 ||
            only_slip(a, dir, lab->files[i], false))
            return true;
    return false;
}

/* Goes into the only folder inside the lab's, when the files are there and not here. */
static int go_down(Arena *a, const Lab *lab, int dir, Slips *s)
{
    Names *names = ARENA_NEW(a, Names);
    const char *only = NULL;
    if (!names || has_a_file(a, lab, dir))
        return dir;
    list_names(a, dir, names);
    for (size_t i = 0; i < names->n; i++) {
        if (!is_folder(dir, names->items[i]))
            continue;
        if (only)
            return dir;
        only = names->items[i];
    }
    int inner = only ? open_folder(dir, only) : -1;
    if (inner < 0 || !has_a_file(a, lab, inner)) {
        if (inner >= 0)
            close(inner);
        return dir;
    }
    close(dir);
    add_line(a, &s->taken, arena_printf(a, "Taken from the folder %s/%s.", lab->lab, shown(a, only)));
    return inner;
}

/* The folder above, and what `from` is called in it. */
static int open_above(Arena *a, const char *from, const char **name)
{
    const char *slash = strrchr(from, '/');
    const char *above = slash ? arena_strndup(a, from, (size_t)(slash - from)) : ".";
    *name = slash ? slash + 1 : from;
    return above && **name ? open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* A folder beside `from` whose name is a slip of it; -1 without one. */
static int open_slip(Arena *a, const char *from, Slips *s)
{
    const char *name;
    int above = open_above(a, from, &name);
    const char *other = above >= 0 ? only_slip(a, above, name, true) : NULL;
    int dir = other ? open_folder(above, other) : -1;
    if (dir >= 0)
        add_line(a, &s->taken, arena_printf(a, "Taken: the folder %s as %s.", shown(a, other), name));
    if (above >= 0)
        close(above);
    return dir;
}

int slips_open(Arena *a, const Lab *lab, const char *from, Slips *s)
{
    *s = (Slips){"", ""};
    int dir = open(from, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 && errno == ENOENT)
        dir = open_slip(a, from, s);
    else if (dir < 0)
        add_line(a, &s->found,
                 errno == EACCES
                     ? arena_printf(a,
                                    "The folder %s cannot be read: `chmod -R u+rX` on the student's folder "
                                    "mends that.",
                                    lab->lab)
                     : arena_printf(a, "%s is no folder: hand in a folder of this name with %s in it.",
                                    lab->lab, lab->files[0]));
    return dir < 0 ? -1 : go_down(a, lab, dir, s);
}

const char *slips_file(Arena *a, int dir, const char *name, Slips *s)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
        return name;
    const char *other = only_slip(a, dir, name, false);
    if (other)
        add_line(a, &s->taken, arena_printf(a, "Taken: %s as %s.", shown(a, other), name));
    return other;
}

/* Looking ------------------------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcasecmp(name + n - m, suffix) == 0;
}

static bool is_archive(const char *name)
{
    static const char *const suffixes[] = {".zip", ".tar", ".tgz", ".gz", ".xz", ".rar", ".7z", ".bz2"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ends_in(name, suffixes[i]))
            return true;
    return false;
}

/* The lab's file that this one should be: the same letters before the first dot. */
static const char *meant_file(const Lab *lab, const char *name)
{
    char stem[SHOWN_NAME_MAX], right[SHOWN_NAME_MAX];
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < lab->n_files; i++) {
        size_t own = strcspn(lab->files[i], ".");
        if (length >= sizeof stem || own >= sizeof right)
            continue;
        memcpy(stem, name, length);
        memcpy(right, lab->files[i], own);
        stem[length] = right[own] = '\0';
        size_t near = nearest_distance(stem, right);
        if (nearest_same_letters(stem, right) || near * 4 <= own)
            return lab->files[i];
    }
    return NULL;
}

/* A list of what was found, in the making. */
typedef struct Finds {
    Arena *arena;
    const Lab *lab;
    Slips *slips;
    size_t n;
} Finds;

static void add_find(Finds *f, const char *where, const char *name)
{
    Arena *a = f->arena;
    const char *meant = meant_file(f->lab, name);
    const char *path = arena_printf(a, "%s%s", where, shown(a, name));
    if (!path || f->n++ >= SHOWN_MAX)
        return;
    if (is_archive(name))
        add_line(a, &f->slips->found,
                 arena_printf(a, "Found: %s, an archive. `grade import --students STUDENT %s` unpacks it.",
                              path, path));
    else if (meant)
        add_line(a, &f->slips->found,
                 arena_printf(a,
                              "Found: %s. It should be %s: `grade import accept STUDENT %s as %s` takes it.",
                              path, meant, path, meant));
    else
        add_line(a, &f->slips->found, arena_printf(a, "Found: %s.", path));
}

/* The files of a folder, and those of the folders in it. */
static void look_into(Finds *f, int dir, const char *where, int depth)
{
    Names *names = ARENA_NEW(f->arena, Names);
    if (!names)
        return;
    list_names(f->arena, dir, names);
    for (size_t i = 0; i < names->n; i++) {
        const char *name = names->items[i];
        if (!is_folder(dir, name)) {
            add_find(f, where, name);
            continue;
        }
        int inner = depth > 0 ? open_folder(dir, name) : -1;
        const char *inside = arena_printf(f->arena, "%s%s/", where, shown(f->arena, name));
        if (inner >= 0 && inside)
            look_into(f, inner, inside, depth - 1);
        if (inner >= 0)
            close(inner);
    }
}

/* The first number in a name; -1 without one. */
static int number_in(const char *name)
{
    name += strcspn(name, "0123456789");
    return *name ? atoi(name) : -1;
}

/* Whether a folder's name may mean the lab: its number, or without a number nearly its words. */
static bool may_mean(const char *name, const char *lab)
{
    const char *words = lab + strspn(lab, "0123456789-");
    if (strlen(name) > SHOWN_NAME_MAX)
        return false;
    if (number_in(name) >= 0)
        return number_in(name) == number_in(lab);
    return nearest_same_letters(name, words) || nearest_distance(name, words) * 4 <= strlen(words);
}

/* What lies beside the folder that is missing and may be meant for it. */
static void look_beside(Finds *f, const char *from)
{
    const char *right;
    int above = open_above(f->arena, from, &right);
    Names *names = above >= 0 ? ARENA_NEW(f->arena, Names) : NULL;
    if (names)
        list_names(f->arena, above, names);
    for (size_t i = 0; names && i < names->n; i++) {
        const char *name = names->items[i];
        bool folder = is_folder(above, name);
        if (folder && strcmp(name, right) != 0 && may_mean(name, f->lab->lab))
            add_line(f->arena, &f->slips->found,
                     arena_printf(f->arena, "Found: a folder %s. Rename it %s if that is what it is.",
                                  shown(f->arena, name), f->lab->lab));
        else if (!folder && (meant_file(f->lab, name) || (is_archive(name) && may_mean(name, f->lab->lab))))
            add_find(f, "", name);
    }
    if (above >= 0)
        close(above);
}

void slips_look(Arena *a, const Lab *lab, const char *from, int dir, Slips *s)
{
    Finds f = {.arena = a, .lab = lab, .slips = s};
    const char *where = arena_printf(a, "%s/", lab->lab);
    if (dir >= 0 && where)
        look_into(&f, dir, where, 1);
    else if (dir < 0)
        look_beside(&f, from);
    if (f.n > SHOWN_MAX)
        add_line(a, &s->found, arena_printf(a, "And %zu more.", f.n - SHOWN_MAX));
}

bool slips_has_folder(const char *student_folder, const char *lab)
{
    Arena a = {0};
    struct stat st;
    int dir = open(student_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool has = dir >= 0 &&
               ((fstatat(dir, lab, &st, 0) == 0 && S_ISDIR(st.st_mode)) || only_slip(&a, dir, lab, true));
    if (dir >= 0)
        close(dir);
    arena_free(&a);
    return has;
}
