/* From an archive's members to a submission: which lab, which files, and whether the manifest agrees. */
#include "common/base/nearest.h"
#include "grader/archive/archive_internal.h"
#include "grader/core/sha256.h"
#include "grader/core/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static Status refuse_selection(Diag *d, const char *what, const char *name)
{
    return diag_set(d, STATUS_INVALID, "the archive is refused: %s: %s", what, name);
}

bool handin_lab_is_fit(const char *lab)
{
    if (!lab[0] || lab[0] == '.' || lab[0] == '-' || strlen(lab) > HANDIN_STUDENT_MAX)
        return false;
    for (const char *p = lab; *p; p++)
        if (!isascii(*p) || (!isalnum((unsigned char)*p) && !strchr("-_.", *p)))
            return false;
    return true;
}

/* The one MANIFEST of the members; NULL when there is none. */
static Status find_manifest(const Member *members, size_t n, const Member **manifest, Diag *d)
{
    *manifest = NULL;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(members[i].name, "MANIFEST") != 0)
            continue;
        if (*manifest)
            return refuse_selection(d, "two files of one name", "MANIFEST");
        *manifest = &members[i];
    }
    return STATUS_OK;
}

/* The lab that the manifest's second line names. */
static Status manifest_lab(Arena *a, const Member *manifest, const char **lab, Diag *d)
{
    static const char head[] = "schema 1\nlab ";
    size_t skip = sizeof head - 1;
    if (manifest->length < skip || memcmp(manifest->bytes, head, skip) != 0)
        return diag_set(d, STATUS_PARSE, "the MANIFEST does not begin with \"schema 1\" and \"lab NN-name\"");
    *lab = arena_strndup(a, manifest->bytes + skip, strcspn(manifest->bytes + skip, "\n"));
    if (!*lab)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the archive");
    return handin_lab_is_fit(*lab) ? STATUS_OK : refuse_selection(d, "the MANIFEST names no lab", *lab);
}

const char *handin_lab_of(Arena *a, const char *folder, HandinAllow allow, void *context)
{
    size_t n_files;
    if (!handin_lab_is_fit(folder))
        return NULL;
    if (allow(context, folder, &n_files))
        return folder;
    char *name = arena_strndup(a, folder, strlen(folder));
    for (char *p = name; p && *p; p++)
        *p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
    return name && allow(context, name, &n_files) ? name : NULL;
}

/* A folder of the archive that bears a lab's name, or a slip of it. */
static const char *folder_lab(Arena *a, const Member *members, size_t n, HandinAllow allow, void *context)
{
    for (size_t i = 0; i < n; i++) {
        const char *lab = handin_lab_of(a, members[i].folder, allow, context);
        if (lab)
            return lab;
    }
    return NULL;
}

/* The one member of that name, or, where there is no MANIFEST and none of that name, the only slip of it;
 * none is fine. A second one, also in another folder or case, is not. */
static Status find_member(const Handin *h, const Member *members, size_t n, const char *name,
                          const Member **found, Diag *d)
{
    const Member *slip = NULL;
    size_t n_slips = 0;
    *found = NULL;
    for (size_t i = 0; i < n; i++) {
        bool same = strcasecmp(members[i].name, name) == 0;
        if (same && *found)
            return refuse_selection(d, "two files of one name", name);
        if (same)
            *found = &members[i];
        if (nearest_is_slip(members[i].name, name)) {
            slip = &members[i];
            n_slips++;
        }
    }
    bool exact = *found && strcmp((*found)->name, name) == 0;
    if (!exact)
        *found = n_slips == 1 && !h->has_manifest ? slip : NULL;
    return STATUS_OK;
}

static Status select_take(Handin *h, const Member *members, size_t n, const char *name, Diag *d)
{
    const Member *found;
    Status s = find_member(h, members, n, name, &found, d);
    if (s != STATUS_OK || !found)
        return s;
    if (found->too_big)
        return diag_set(d, STATUS_LIMIT, "the archive is refused: %s has more than %d bytes", name,
                        HANDIN_MEMBER_MAX);
    h->files[h->n_files++] = (HandinFile){.name = name,
                                          .was = strcmp(found->name, name) == 0 ? NULL : found->name,
                                          .bytes = found->bytes,
                                          .length = found->length};
    return STATUS_OK;
}

/* "Vector_Add.cu as vector_add.cu, ...": the files whose names were slips; "" without any. */
const char *handin_slips(Arena *a, const Handin *h)
{
    const char *text = "";
    for (size_t i = 0; text && i < h->n_files; i++)
        if (h->files[i].was)
            text =
                arena_printf(a, "%s%s%s as %s", text, text[0] ? ", " : "", h->files[i].was, h->files[i].name);
    return text ? text : "";
}

/* "it holds none of the files of LAB, but a.cu and b.cu" */
static Status none_of_the_files(Handin *h, const Member *members, size_t n, Diag *d)
{
    enum { SHOWN_MAX = 3, NAME_MAX_SHOWN = 80 };
    const char *list = "";
    for (size_t i = 0; list && i < n && i < SHOWN_MAX; i++) {
        const char *name = text_clean(&h->arena, members[i].name, strnlen(members[i].name, NAME_MAX_SHOWN),
                                      4 * NAME_MAX_SHOWN);
        list = arena_printf(&h->arena, "%s%s%s", list, i ? ", " : ", but ", name ? name : "?");
    }
    return diag_set(d, STATUS_NOT_FOUND, "it holds none of the files of %s%s%s", h->lab, list ? list : "",
                    n > SHOWN_MAX ? " and more" : "");
}

/* Whether the manifest has the file's line: "sha256  size  name". */
static bool manifest_agrees(const Member *manifest, const HandinFile *file)
{
    Sha256 hash;
    char hex[SHA256_HEX], line[SHA256_HEX + 64 + HANDIN_NAME_MAX];
    sha256_start(&hash);
    sha256_add(&hash, file->bytes, file->length);
    sha256_end_hex(&hash, hex);
    snprintf(line, sizeof line, "\n%s  %zu  %s\n", hex, file->length, file->name);
    return memmem(manifest->bytes, manifest->length, line, strlen(line)) != NULL;
}

/* Files in the manifest; the first two lines are no files. */
static size_t manifest_files(const Member *manifest)
{
    size_t lines = 0;
    for (size_t i = 0; i < manifest->length; i++)
        lines += manifest->bytes[i] == '\n';
    return lines > 2 ? lines - 2 : 0;
}

static Status check_manifest(const Handin *h, const Member *manifest, Diag *d)
{
    for (size_t i = 0; i < h->n_files; i++)
        if (!manifest_agrees(manifest, &h->files[i]))
            return refuse_selection(d, "not the file that its MANIFEST describes", h->files[i].name);
    if (manifest_files(manifest) != h->n_files)
        return diag_set(d, STATUS_INVALID,
                        "the archive is refused: its MANIFEST lists %zu files, and %zu are there",
                        manifest_files(manifest), h->n_files);
    return STATUS_OK;
}

Status handin_select(Handin *h, const Member *members, size_t n, const char *lab, HandinAllow allow,
                     void *context, Diag *d)
{
    const Member *manifest;
    Status s = find_manifest(members, n, &manifest, d);
    h->has_manifest = manifest != NULL;
    h->lab = lab;
    if (s == STATUS_OK && manifest)
        s = manifest_lab(&h->arena, manifest, &h->lab, d);
    if (s != STATUS_OK)
        return s;
    if (!h->lab)
        h->lab = folder_lab(&h->arena, members, n, allow, context);
    if (!h->lab)
        return diag_set(d, STATUS_NOT_FOUND,
                        "it does not say which lab it is for: no MANIFEST, no folder of a lab's name");
    if (lab && strcmp(lab, h->lab) != 0)
        return diag_set(d, STATUS_INVALID, "the archive is for the lab %s, not %s", h->lab, lab);
    h->lab = arena_strndup(&h->arena, h->lab, strlen(h->lab));
    size_t n_names = 0;
    const char *const *names = h->lab ? allow(context, h->lab, &n_names) : NULL;
    if (!names)
        return diag_set(d, STATUS_NOT_FOUND, "there is no lab %s", h->lab ? h->lab : "");
    h->files = ARENA_NEW_ARRAY(&h->arena, HandinFile, n_names + 1);
    if (!h->files)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read the archive");
    for (size_t i = 0; i < n_names && s == STATUS_OK; i++)
        s = select_take(h, members, n, names[i], d);
    if (s == STATUS_OK && h->n_files == 0)
        s = none_of_the_files(h, members, n, d);
    return s == STATUS_OK && manifest ? check_manifest(h, manifest, d) : s;
}

Status handin_read(const char *path, const char *lab, HandinAllow allow, void *context, Handin **handin,
                   Diag *d)
{
    *handin = NULL;
    Handin *h = calloc(1, sizeof *h);
    if (!h)
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read %s", path);
    Member *members = NULL;
    size_t n = 0;
    Status s = handin_read_members(&h->arena, path, &handin_one_student, &members, &n, d);
    if (s == STATUS_OK) {
        s = handin_select(h, members, n, lab, allow, context, d);
        if (s != STATUS_OK && d)
            snprintf(d->file, sizeof d->file, "%s", path);
    }
    free(members);
    if (s == STATUS_OK)
        *handin = h;
    else
        handin_free(h);
    return s;
}

void handin_free(Handin *handin)
{
    if (!handin)
        return;
    Arena arena = handin->arena;
    arena_free(&arena);
    free(handin);
}
