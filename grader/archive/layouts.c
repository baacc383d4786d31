/* layouts: see layouts.h; what each system's names look like is at the top of download.h.
 *
 * Names are taken apart from the left, because what stands on the right is the student's to choose. Canvas
 * takes
 * "_12_" out of students' names for that reason.
 */
#include "grader/archive/layouts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *word, *meaning;
} words[] = {
#define LAYOUT(NAME, word, place, meaning) {word, meaning},
#include "grader/archive/layouts.def"
#undef LAYOUT
};

const char *handin_layout_word(HandinLayout layout)
{
    return words[layout].word;
}

bool handin_layout_from_word(const char *word, HandinLayout *layout)
{
    for (int i = 0; i < LAYOUT_N; i++) {
        if (strcmp(words[i].word, word) != 0)
            continue;
        *layout = (HandinLayout)i;
        return true;
    }
    return false;
}

bool handin_is_archive(const char *name)
{
    static const char *const suffixes[] = {".tar.gz", ".tgz", ".tar", ".zip"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(suffixes[i]);
        if (length > n && strcasecmp(name + length - n, suffixes[i]) == 0)
            return true;
    }
    return false;
}

/* A stem that ends in "-1" or " (1)", without that. */
static size_t strip_number(const char *stem, size_t length)
{
    bool bracket = length > 0 && stem[length - 1] == ')';
    size_t end = length - bracket, i = end;
    while (i > 0 && isdigit((unsigned char)stem[i - 1]))
        i--;
    if (i == end || i == 0)
        return length;
    if (bracket)
        return i >= 2 && stem[i - 1] == '(' ? i - 1 - (stem[i - 2] == ' ' || stem[i - 2] == '_') : length;
    return stem[i - 1] == '-' ? i - 1 : length;
}

const char *handin_usual_name(Arena *a, const char *name, const char *const *allowed, size_t n)
{
    const char *dot = strrchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : strlen(name), stem = strip_number(name, length);
    const char *usual = arena_printf(a, "%.*s%s", (int)stem, name, dot ? dot : "");
    for (size_t i = 0; i < n; i++)
        if (strcmp(allowed[i], name) == 0)
            return name;
    for (size_t i = 0; usual && i < n; i++)
        if (strcmp(allowed[i], usual) == 0)
            return usual;
    return name;
}

/* Whether text[0..length) is all digits, and some. */
static bool is_number(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)text[i]))
            return false;
    return length > 0 && length <= 18;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The next '_' from p on, NULL when there is none. */
static const char *word_end(const char *p)
{
    return p ? strchr(p, '_') : NULL;
}

/* USER_FILE_name at p: fills id, order and file. An anonymous USER is "anon_x1y2z". */
static bool take_canvas_ids(Arena *a, const char *p, Placed *out)
{
    bool anonymous = strncmp(p, "anon_", 5) == 0;
    const char *user = word_end(p + (anonymous ? 5 : 0)), *upload = user ? word_end(user + 1) : NULL;
    if (!upload || !upload[1] || !is_number(user + 1, (size_t)(upload - user - 1)))
        return false;
    if (!anonymous && !is_number(p, (size_t)(user - p)))
        return false;
    out->id = arena_strndup(a, p, (size_t)(user - p));
    out->order = strtoll(user + 1, NULL, 10);
    out->file = upload + 1;
    return true;
}

/* NAME_[LATE_]USER_FILE_name. A link or a text that was handed in instead of a file has no FILE. */
static bool place_canvas(Arena *a, const char *path, Placed *p)
{
    const char *name = last_part(path), *word = name;
    while (word && !take_canvas_ids(a, word, p)) {
        const char *end = word_end(word);
        word = end ? end + 1 : NULL;
    }
    if (!word) {
        p->why = "its name is not one that Canvas gives";
        return true;
    }
    size_t before = (size_t)(word - name); /* "studentone_LATE_" */
    p->late = before >= 5 && strncasecmp(word - 5, "LATE_", 5) == 0 && (before == 5 || word[-6] == '_');
    before -= p->late ? 5 : 0;
    p->name = arena_strndup(a, name, before ? before - 1 : 0);
    p->who = p->id;
    return p->id && p->name;
}

/* Whether rest, behind "_assignsubmission_", begins what a student handed in as a file: "file/" (today's
 * folders), "file_/" (those of older releases) or "file_NAME" (flat). *file is what follows. */
static bool take_moodle_file(const char *rest, const char **file)
{
    static const char kind[] = "file";
    const char *end = rest + strlen(kind);
    if (strncmp(rest, kind, strlen(kind)) != 0 || (*end != '/' && *end != '_'))
        return false;
    end += *end == '_';
    *file = end + (*end == '/');
    return true;
}

/* NAME_ID_assignsubmission_PLUGIN begins the folder's or, flat, the file's name. A team's folder bears the
 * team's name and number, and that of all who are in no team only a name. Moodle makes underscores in names
 * blanks, so the first mark is its own. */
static bool place_moodle(Arena *a, const char *path, Placed *p)
{
    static const char mark[] = "_assignsubmission_";
    const char *found = strstr(path, mark), *start = found, *id = found;
    while (found && start > path && start[-1] != '/')
        start--;
    if (!found || start == found) {
        p->why = "its name is not one that Moodle gives";
        return true;
    }
    while (id > start && isdigit((unsigned char)id[-1]))
        id--;
    if (!take_moodle_file(found + strlen(mark), &p->file)) {
        p->why = "a text or a comment, not a file";
        return true;
    }
    bool numbered = id < found && id > start + 1 && id[-1] == '_';
    p->name = arena_strndup(a, start, (size_t)((numbered ? id - 1 : found) - start));
    p->id = numbered ? arena_strndup(a, id, (size_t)(found - id)) : p->name;
    p->who = arena_strndup(a, start, (size_t)(found - start));
    return p->id && p->name && p->who;
}

/* submission_5501/...; who that is stands in submission_metadata.yml. */
static bool place_gradescope(Arena *a, const char *path, Placed *p)
{
    static const char mark[] = "submission_";
    const char *start = path, *slash = strchr(path, '/');
    if (slash && strncmp(path, mark, strlen(mark)) != 0) { /* assignment_77_export/ */
        start = slash + 1;
        slash = strchr(start, '/');
    }
    if (!slash || strncmp(start, mark, strlen(mark)) != 0) {
        p->why = "it is in no folder of a submission";
        return true;
    }
    p->who = p->id = arena_strndup(a, start, (size_t)(slash - start));
    p->file = slash + 1;
    return p->who;
}

/* STUDENT/... or STUDENT.tar.gz; what all files share at the front is off already. */
static bool place_folders(Arena *a, const char *path, Placed *p)
{
    const char *slash = strchr(path, '/');
    if (!slash && !handin_is_archive(path)) {
        p->why = "it is in no folder of a student";
        return true;
    }
    const char *end = slash ? slash : path + strlen(path);
    p->who = p->id = arena_strndup(a, path, (size_t)(end - path));
    p->file = slash ? slash + 1 : path;
    return p->who;
}

bool handin_place(Arena *a, HandinLayout layout, const char *path, Placed *p)
{
    static bool (*const place[])(Arena *, const char *, Placed *) = {
#define LAYOUT(NAME, word, function, meaning) function,
#include "grader/archive/layouts.def"
#undef LAYOUT
    };
    p->who = p->why = NULL;
    p->id = p->name = p->file = "";
    p->order = 0;
    p->late = false;
    return place[layout](a, path, p);
}
