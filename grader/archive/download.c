/* download: see download.h.
 *
 *     files of the download -> whose is each (layouts.c) -> a submission's files together -> archives in it
 * opened
 *     -> the lab's files chosen (select.c) -> who that is (roster.c) -> the class's folder, receipts.csv
 *
 * One student's mistake is that student's: it is noted, and the rest goes on.
 */
#include "grader/archive/download.h"
#include "grader/archive/archive_internal.h"
#include "grader/archive/layouts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char METADATA[] = "submission_metadata.yml";

/* What the steps share. */
typedef struct Work {
    Arena *arena;
    const HandinDownload *in;
    HandinList *taken, *left;
    Receipts receipts;
    const Member *metadata; /* Gradescope's */
    GradescopeEntry *entries;
    size_t n_entries;
    const char *const *allowed; /* the files of in->lab */
    size_t n_allowed;
    bool keeping; /* what is put is none of the lab's files, and kept for a person */
    Diag *d;
} Work;

static Status download_no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory to import a class");
}

Status handin_note(Arena *a, HandinList *list, const char *name, const char *text)
{
    if (!VEC_GROW(list->items, list->n, list->cap))
        return STATUS_NO_MEMORY;
    HandinListItem item = {arena_strndup(a, name, strlen(name)), arena_strndup(a, text, strlen(text)), ""};
    if (!item.name || !item.text)
        return STATUS_NO_MEMORY;
    list->items[list->n++] = item;
    return STATUS_OK;
}

static Status leave_out(Work *w, const char *name, const char *why)
{
    return !why                                                     ? download_no_memory(w->d)
           : handin_note(w->arena, w->left, name, why) == STATUS_OK ? STATUS_OK
                                                                    : download_no_memory(w->d);
}

/* Whose is each file ------------------------------------------------------------------------------- */

/* What file managers and version control add. */
static bool is_hidden(const char *path)
{
    for (const char *p = path; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (*p == '.' || strncmp(p, "__MACOSX/", 9) == 0)
            return true;
    }
    return false;
}

/* Whether the path's first folder is first[0..length), and its next part is a folder, too, that names no lab:
 * then the first is around all. */
static bool is_wrapped(const Work *w, const char *path, const char *first, size_t length)
{
    if (strncmp(path, first, length) != 0 || path[length] != '/')
        return false;
    const char *next = path + length + 1, *slash = strchr(next, '/');
    if (!slash)
        return handin_is_archive(next);
    const char *name = arena_strndup(w->arena, next, (size_t)(slash - next));
    return name && !handin_lab_of(w->arena, name, w->in->allow, w->in->context);
}

/* How many bytes at the front of every path are a folder around the students' ones. */
static size_t find_wrapping(const Work *w, const Member *members, size_t n)
{
    const char *first = NULL;
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_hidden(members[i].path))
            continue;
        if (!first) {
            first = members[i].path;
            length = strcspn(first, "/");
        }
        if (!is_wrapped(w, members[i].path, first, length))
            return 0;
    }
    return first ? length + 1 : 0;
}

/* By submission; in one the latest upload first, then by path. */
static int compare_placed(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    int by_who = strcmp(x->who, y->who);
    if (by_who)
        return by_who;
    if (x->order != y->order)
        return x->order > y->order ? -1 : 1;
    return strcmp(x->member->path, y->member->path);
}

/* The folders of several labs in a student's folder are a submission each. */
static bool split_by_lab(const Work *w, Placed *p)
{
    size_t length = strcspn(p->file, "/");
    const char *name = arena_strndup(w->arena, p->file, length);
    if (!name)
        return false;
    const char *lab =
        p->file[length] == '/' ? handin_lab_of(w->arena, name, w->in->allow, w->in->context) : NULL;
    if (lab)
        p->who = arena_printf(w->arena, "%s/%s", p->who, lab);
    return p->who;
}

static Status place_all(Work *w, const Member *members, size_t n, Placed **placed, size_t *n_placed)
{
    size_t skip = w->in->layout == LAYOUT_FOLDERS ? find_wrapping(w, members, n) : 0;
    Placed *list = ARENA_NEW_ARRAY(w->arena, Placed, n + 1);
    Status s = list ? STATUS_OK : download_no_memory(w->d);
    *placed = list;
    *n_placed = 0;
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        Placed *p = &list[*n_placed];
        if (is_hidden(members[i].path) || &members[i] == w->metadata)
            continue;
        p->member = &members[i];
        if (!handin_place(w->arena, w->in->layout, members[i].path + skip, p))
            s = download_no_memory(w->d);
        else if (p->why)
            s = leave_out(w, members[i].path, p->why);
        else if (w->in->layout == LAYOUT_FOLDERS && !split_by_lab(w, p))
            s = download_no_memory(w->d);
        else
            (*n_placed)++;
    }
    if (*n_placed)
        qsort(list, *n_placed, sizeof *list, compare_placed);
    return s;
}

/* Gradescope's file lies at the top, or in the folder around all; one in a submission's folder is a
 * student's. */
static Status read_metadata(Work *w, const Member *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool at_top = strcmp(members[i].path, METADATA) == 0;
        bool around = strncmp(members[i].path, "submission_", 11) != 0 && !is_hidden(members[i].path) &&
                      strcmp(members[i].name, METADATA) == 0 &&
                      strchr(members[i].path, '/') == strrchr(members[i].path, '/');
        if (!at_top && !around)
            continue;
        if (w->metadata)
            return diag_set(w->d, STATUS_INVALID, "the download holds two files %s", METADATA);
        w->metadata = &members[i];
    }
    if (!w->metadata)
        return diag_set(w->d, STATUS_NOT_FOUND, "the download holds no %s", METADATA);
    if (w->metadata->too_big)
        return diag_set(w->d, STATUS_LIMIT, "%s is too large", METADATA);
    return gradescope_read(w->arena, w->metadata->bytes, w->metadata->length, &w->entries, &w->n_entries,
                           w->d);
}

/* A submission's files --------------------------------------------------------------------------------- */

/* The files of one submission, those in its archive beside the loose ones. */
typedef struct Draft {
    Member *items;
    size_t n, cap;
} Draft;

static Status add_member(Work *w, Draft *draft, Member m, const char *name, const char *path)
{
    m.name = w->n_allowed ? handin_usual_name(w->arena, name, w->allowed, w->n_allowed) : name;
    m.path = path;
    if (!m.name || !m.path || !VEC_GROW(draft->items, draft->n, draft->cap))
        return download_no_memory(w->d);
    draft->items[draft->n++] = m;
    return STATUS_OK;
}

/* Adds what is in a student's archive; one that is refused is noted. */
static Status open_archive(Work *w, Draft *draft, const Placed *p)
{
    Member *inner = NULL;
    size_t n = 0;
    Diag odd;
    if (p->member->too_big)
        return leave_out(w, p->member->path, "an archive with too many bytes");
    Status s = handin_read_nested(w->arena, p->member, &inner, &n, &odd);
    if (s == STATUS_NO_MEMORY || s == STATUS_IO) {
        free(inner);
        return diag_set(w->d, s, "%s", odd.message);
    }
    if (s != STATUS_OK) {
        free(inner);
        return leave_out(w, p->member->path, handin_reason(odd.message));
    }
    for (size_t i = 0; s == STATUS_OK && i < n; i++)
        if (!is_hidden(inner[i].path))
            s = add_member(w, draft, inner[i], inner[i].name,
                           arena_printf(w->arena, "%s: %s", p->member->path, inner[i].path));
    free(inner);
    return s;
}

/* The file's own name, without what the system put before it. */
static const char *own_name(const Placed *p)
{
    const char *slash = strrchr(p->file, '/');
    return slash ? slash + 1 : p->file;
}

/* Whether a later upload of this submission has the file's name, too. */
static bool is_outdated(const Work *w, const Placed *files, const Placed *p)
{
    const char *name = handin_usual_name(w->arena, own_name(p), w->allowed, w->n_allowed);
    for (const Placed *q = files; q < p; q++) {
        bool both_archives = handin_is_archive(own_name(p)) && handin_is_archive(own_name(q));
        const char *other = handin_usual_name(w->arena, own_name(q), w->allowed, w->n_allowed);
        if (q->order > p->order && (both_archives || (name && other && strcmp(name, other) == 0)))
            return true;
    }
    return false;
}

static Status draft_files(Work *w, const Placed *files, size_t n, Draft *draft)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        const Placed *p = &files[i];
        if (is_outdated(w, files, p))
            s = leave_out(w, p->member->path, "there is a later one");
        else if (handin_is_archive(own_name(p)))
            s = open_archive(w, draft, p);
        else
            s = add_member(w, draft, *p->member, own_name(p), p->member->path);
    }
    return s;
}

/* Notes what of a submission is no file of the lab. */
static Status leave_others(Work *w, const Draft *draft, const Handin *h)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < draft->n; i++) {
        bool taken = strcmp(draft->items[i].name, "MANIFEST") == 0;
        for (size_t j = 0; j < h->n_files && !taken; j++)
            taken = h->files[j].bytes == draft->items[i].bytes;
        if (!taken)
            s = leave_out(w, draft->items[i].path, "not a file of the lab");
    }
    return s;
}

/* Who it is -------------------------------------------------------------------------------------------- */

/* Up to three names that the download has for a student; the first that is not empty is the id without a
 * roster. */
typedef struct Names {
    const char *names[3];
} Names;

static Status identify(const Work *w, const Names *names, const char **student, Diag *odd)
{
    *student = "";
    if (w->in->roster)
        return roster_find(w->in->roster, names->names, 3, student, odd);
    for (size_t i = 0; i < 3 && !(*student)[0]; i++)
        *student = names->names[i];
    return handin_student_is_fit(*student)
               ? STATUS_OK
               : diag_set(odd, STATUS_INVALID, "the download's name for the student cannot name a folder");
}

static bool is_taken(const Work *w, const char *where)
{
    for (size_t i = 0; i < w->taken->n; i++)
        if (strcmp(w->taken->items[i].text, where) == 0)
            return true;
    return false;
}

/* Puts the chosen files into one student's folder. */
static Status put_as(Work *w, const Handin *h, const char *student, const Receipt *receipt, const char *who)
{
    Diag odd;
    const char *where = arena_printf(w->arena, "%s/%s/%s", w->in->out_dir, student, h->lab);
    if (!where)
        return download_no_memory(w->d);
    if (is_taken(w, where))
        return leave_out(w, who, "another submission of the same student was taken");
    if (handin_refuse_twin_in(w->in->out_dir, student, &odd) != STATUS_OK)
        return leave_out(w, who, odd.message);
    if (w->keeping && access(where, F_OK) == 0)
        return STATUS_OK; /* what was handed in before stays */
    Receipt r = *receipt;
    r.student = student;
    r.lab = arena_strndup(w->arena, h->lab, strlen(h->lab));
    Status s = r.lab ? handin_put_files(w->arena, h, w->in->out_dir, student, &where, w->d)
                     : download_no_memory(w->d);
    bool told = r.has_time || r.late || receipts_find(&w->receipts, r.student, r.lab);
    if (s == STATUS_OK && told)
        s = receipts_put(&w->receipts, &r, w->d);
    if (s == STATUS_OK && w->keeping)
        return leave_out(w, who,
                         arena_printf(w->arena, "kept in %s for a person: grade import accept", where));
    if (s == STATUS_OK && handin_note(w->arena, w->taken, student, where) != STATUS_OK)
        s = download_no_memory(w->d);
    if (s == STATUS_OK)
        w->taken->items[w->taken->n - 1].note = handin_slips(w->arena, h);
    return s;
}

static Status put_for(Work *w, const Handin *h, const Names *names, const Receipt *receipt, const char *who)
{
    Diag odd;
    const char *student;
    if (identify(w, names, &student, &odd) != STATUS_OK)
        return leave_out(w, who, odd.message);
    return put_as(w, h, student, receipt, who);
}

/* Puts the files into the folder of each student whom the roster has in that team; *n counts them. */
static Status put_for_team(Work *w, const Handin *h, const char *team, const Receipt *receipt,
                           const char *who, size_t *n)
{
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && w->in->roster && i < w->in->roster->n; i++) {
        const RosterRow *row = &w->in->roster->rows[i];
        if (!roster_in_group(row, team) || roster_is_dropped(row))
            continue;
        s = put_as(w, h, row->cells[ROSTER_STUDENT], receipt, who);
        (*n)++;
    }
    return s;
}

static const GradescopeEntry *find_entry(const Work *w, const char *folder)
{
    for (size_t i = 0; i < w->n_entries; i++)
        if (strcmp(w->entries[i].folder, folder) == 0)
            return &w->entries[i];
    return NULL;
}

/* Gradescope knows one submission's several students. */
static Status put_for_all(Work *w, const Handin *h, const char *who)
{
    const GradescopeEntry *entry = find_entry(w, who);
    if (!entry || entry->n_students == 0)
        return leave_out(w, who, "submission_metadata.yml names nobody who handed it in");
    Receipt receipt = {.has_time = entry->has_time, .received_at = entry->received_at};
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < entry->n_students; i++) {
        const GradescopeStudent *g = &entry->students[i];
        s = put_for(w, h, &(Names){{g->id, g->email, g->name}}, &receipt, who);
    }
    return s;
}

static Status put_submission(Work *w, const Handin *h, const Placed *files, size_t n)
{
    Receipt receipt = {0};
    if (w->in->layout == LAYOUT_GRADESCOPE)
        return put_for_all(w, h, files->who);
    for (size_t i = 0; i < n; i++)
        receipt.late = receipt.late || files[i].late;
    Diag odd;
    const char *id = files->id;
    if (w->in->layout == LAYOUT_FOLDERS && handin_is_archive(id) &&
        handin_student(w->arena, files->id, h->lab, &id, &odd) != STATUS_OK)
        return leave_out(w, files->who, odd.message);
    size_t n_members = 0;
    Status s = w->in->layout == LAYOUT_MOODLE
                   ? put_for_team(w, h, files->name, &receipt, files->who, &n_members)
                   : STATUS_OK;
    return s != STATUS_OK || n_members ? s
                                       : put_for(w, h, &(Names){{id, files->name, ""}}, &receipt, files->who);
}

/* One submission after the other ----------------------------------------------------------------------- */

static bool is_among(const Handin *h, const char *name)
{
    for (size_t i = 0; i < h->n_files; i++)
        if (strcmp(h->files[i].name, name) == 0)
            return true;
    return false;
}

/* Keeps what could be meant for the lab's files, as it is called. */
static Status keep_for_person(Work *w, const Draft *draft, Handin *h, const Placed *files, size_t n)
{
    enum { KEPT_MAX = 20 };
    h->files = ARENA_NEW_ARRAY(w->arena, HandinFile, KEPT_MAX);
    h->n_files = 0;
    for (size_t i = 0; h->files && i < draft->n && h->n_files < KEPT_MAX; i++) {
        const Member *m = &draft->items[i];
        if (!m->too_big && handin_student_is_fit(m->name) && !is_among(h, m->name))
            h->files[h->n_files++] = (HandinFile){.name = m->name, .bytes = m->bytes, .length = m->length};
    }
    if (!h->n_files)
        return h->files ? STATUS_OK : download_no_memory(w->d);
    w->keeping = true;
    Status s = put_submission(w, h, files, n);
    w->keeping = false;
    return s;
}

/* A submission of which nothing is taken. */
static Status leave_all(Work *w, const Draft *draft, Handin *h, Status chosen, const Diag *odd,
                        const Placed *files, size_t n)
{
    size_t n_files;
    Status s = leave_out(w, files->who, handin_reason(odd->message));
    bool of_a_lab = chosen == STATUS_NOT_FOUND && h->lab && w->in->allow(w->in->context, h->lab, &n_files);
    return s == STATUS_OK && of_a_lab ? keep_for_person(w, draft, h, files, n) : s;
}

static Status import_submission(Work *w, const Placed *files, size_t n)
{
    Draft draft = {0};
    Handin h = {0};
    Diag odd = {0};
    Status s = draft_files(w, files, n, &draft);
    if (s == STATUS_OK && draft.n) {
        Status chosen =
            handin_select(&h, draft.items, draft.n, w->in->lab, w->in->allow, w->in->context, &odd);
        if (chosen == STATUS_NO_MEMORY)
            s = download_no_memory(w->d);
        else if (chosen != STATUS_OK)
            s = leave_all(w, &draft, &h, chosen, &odd, files, n);
        else
            s = leave_others(w, &draft, &h);
        if (s == STATUS_OK && chosen == STATUS_OK)
            s = put_submission(w, &h, files, n);
    }
    free(draft.items);
    arena_free(&h.arena);
    return s;
}

static Status import_all(Work *w, const Placed *placed, size_t n)
{
    Status s = STATUS_OK;
    for (size_t i = 0, end; s == STATUS_OK && i < n; i = end) {
        end = i + 1;
        while (end < n && strcmp(placed[end].who, placed[i].who) == 0)
            end++;
        s = import_submission(w, &placed[i], end - i);
    }
    return s;
}

static Status read_download(Work *w, Member **members, size_t *n)
{
    const ReadRules rules = {.packed_max = DOWNLOAD_PACKED_MAX,
                             .total_max = DOWNLOAD_TOTAL_MAX,
                             .entries_max = DOWNLOAD_ENTRIES_MAX,
                             .left = w->left};
    struct stat st;
    bool folder = stat(w->in->path, &st) == 0 && S_ISDIR(st.st_mode);
    return folder ? handin_read_folder(w->arena, w->in->path, &rules, members, n, w->d)
                  : handin_read_members(w->arena, w->in->path, &rules, members, n, w->d);
}

Status handin_import_download(Arena *a, const HandinDownload *in, HandinList *taken, HandinList *left,
                              Diag *d)
{
    Work w = {.arena = a, .in = in, .taken = taken, .left = left, .d = d};
    Member *members = NULL;
    Placed *placed;
    size_t n = 0, n_placed;
    if (in->lab && !(w.allowed = in->allow(in->context, in->lab, &w.n_allowed)))
        return diag_set(d, STATUS_NOT_FOUND, "there is no lab %s", in->lab);
    Status s = read_download(&w, &members, &n);
    if (s == STATUS_OK && in->layout == LAYOUT_GRADESCOPE)
        s = read_metadata(&w, members, n);
    if (s == STATUS_OK)
        s = place_all(&w, members, n, &placed, &n_placed);
    if (s == STATUS_OK)
        s = receipts_load(a, in->out_dir, &w.receipts, d);
    if (s == STATUS_OK) {
        s = import_all(&w, placed, n_placed);
        Status kept =
            w.receipts.n ? receipts_save(&w.receipts, in->out_dir, s == STATUS_OK ? d : NULL) : STATUS_OK;
        s = s == STATUS_OK ? kept : s; /* what was taken before a failure keeps its receipt, too */
    }
    if (s == STATUS_OK && taken->n == 0 && left->n == 0)
        s = diag_set_at(d, STATUS_NOT_FOUND, in->path, 0, 0, "the download holds no file");
    free(w.receipts.items);
    free(members);
    return s;
}
