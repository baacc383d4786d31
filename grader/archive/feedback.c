/* feedback: see feedback.h. */
#include "grader/archive/feedback.h"
#include "grader/archive/archive_internal.h"
#include "grader/archive/layouts.h"
#include "grader/core/files.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static Status feedback_no_memory(Diag *d)
{
    return diag_set(d, STATUS_NO_MEMORY, "no memory for the feedback");
}

/* The page of the student whom a part of the download is of; NULL for nobody's. */
static FeedbackPage *page_of(const Roster *roster, const char *id, const char *name, FeedbackPage *pages,
                             size_t n)
{
    const char *student = id;
    const char *const names[] = {id, name};
    if (roster && roster->n && roster_find(roster, names, 2, &student, NULL) != STATUS_OK)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (strcmp(pages[i].student, student) == 0)
            return &pages[i];
    return NULL;
}

/* Everything up to the upload's number, and a name of ours. */
static const char *canvas_path(Arena *a, const char *path, const Placed *placed)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base) - strlen(placed->file);
    return arena_printf(a, "%.*sfeedback.html", (int)length, base);
}

static Status read_download(Arena *a, const char *path, Member **members, size_t *n, Diag *d)
{
    HandinList left = {0};
    const ReadRules rules = {.packed_max = DOWNLOAD_PACKED_MAX,
                             .total_max = DOWNLOAD_TOTAL_MAX,
                             .entries_max = DOWNLOAD_ENTRIES_MAX,
                             .left = &left};
    struct stat st;
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    Status s = folder ? handin_read_folder(a, path, &rules, members, n, d)
                      : handin_read_members(a, path, &rules, members, n, d);
    free(left.items);
    return s;
}

Status feedback_name_canvas(Arena *a, const char *download, const Roster *roster, FeedbackPage *pages,
                            size_t n, Diag *d)
{
    Arena own = {0};
    Member *members = NULL;
    size_t n_members = 0;
    int64_t *orders = ARENA_NEW_ARRAY(a, int64_t, n + 1);
    Status s = orders ? read_download(&own, download, &members, &n_members, d) : feedback_no_memory(d);
    for (size_t i = 0; s == STATUS_OK && i < n_members; i++) {
        Placed placed;
        if (!handin_place(&own, LAYOUT_CANVAS, members[i].path, &placed)) {
            s = feedback_no_memory(d);
            continue;
        }
        FeedbackPage *page = placed.who ? page_of(roster, placed.id, placed.name, pages, n) : NULL;
        /* An upload that was replaced is no part of the submission any more: the latest is. */
        if (!page || (page->path && orders[page - pages] >= placed.order))
            continue;
        page->path = canvas_path(a, members[i].path, &placed);
        orders[page - pages] = placed.order;
        s = page->path ? STATUS_OK : feedback_no_memory(d);
    }
    free(members);
    arena_free(&own);
    return s;
}

/* A name as Moodle writes it into a file's: without what none may have there, and without underscores, which
 * separate. */
static const char *moodle_name(Arena *a, const char *name)
{
    char *clean = arena_alloc(a, strlen(name) + 1), *q = clean;
    for (const char *p = name; clean && *p; p++)
        if (!strchr("&<>\"`|':\\/~", *p) && (unsigned char)*p >= ' ')
            *q++ = *p == '_' ? ' ' : *p;
    while (clean && *clean == '.')
        clean++;
    return clean;
}

Status feedback_name_moodle(Arena *a, const Roster *roster, FeedbackPage *pages, size_t n, Diag *d)
{
    for (size_t i = 0; i < n; i++) {
        const RosterRow *row = roster_row(roster, pages[i].student);
        const char *number =
            row && row->cells[ROSTER_MOODLE][0] ? row->cells[ROSTER_MOODLE] : pages[i].student;
        const char *name =
            moodle_name(a, row && row->cells[ROSTER_NAME][0] ? row->cells[ROSTER_NAME] : "student");
        if (!name)
            return feedback_no_memory(d);
        if (strspn(number, "0123456789") < strlen(number))
            continue;
        pages[i].path =
            arena_printf(a, "%s_%s_assignsubmission_file/feedback.html", name[0] ? name : "student", number);
        if (!pages[i].path)
            return feedback_no_memory(d);
    }
    return STATUS_OK;
}

/* Writing ----------------------------------------------------------------------------------------------- */

static la_ssize_t write_to_strbuf(struct archive *a, void *out, const void *bytes, size_t length)
{
    (void)a;
    strbuf_append(out, bytes, length);
    return ((StrBuf *)out)->failed ? -1 : (la_ssize_t)length;
}

static bool add_page(struct archive *zip, const FeedbackPage *page)
{
    struct archive_entry *e = archive_entry_new();
    bool fine = e;
    if (fine) {
        archive_entry_set_pathname_utf8(e, page->path);
        archive_entry_set_size(e, (la_int64_t)page->length);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_mtime(e, HANDIN_FIXED_MTIME, 0);
        fine = archive_write_header(zip, e) >= ARCHIVE_WARN &&
               archive_write_data(zip, page->html, page->length) == (la_ssize_t)page->length;
    }
    archive_entry_free(e);
    return fine;
}

Status feedback_write_zip(const char *path, const FeedbackPage *pages, size_t n, Diag *d)
{
    StrBuf out = {0};
    struct archive *zip = archive_write_new();
    bool fine = zip && archive_write_set_format_zip(zip) == ARCHIVE_OK &&
                archive_write_set_options(zip, "zip:hdrcharset=UTF-8") == ARCHIVE_OK &&
                archive_write_set_bytes_in_last_block(zip, 1) == ARCHIVE_OK &&
                archive_write_open(zip, &out, NULL, write_to_strbuf, NULL) == ARCHIVE_OK;
    for (size_t i = 0; fine && i < n; i++)
        fine = !pages[i].path || add_page(zip, &pages[i]);
    fine = fine && archive_write_close(zip) == ARCHIVE_OK && !out.failed;
    archive_write_free(zip);
    Status s = fine ? file_write_atomic(path, out.text, out.length, d)
                    : diag_set(d, STATUS_NO_MEMORY, "cannot pack %s", path);
    strbuf_free(&out);
    return s;
}
