/* Writing an archive: sorted, without dates and owners, so that the same files give the same bytes. */
#include "common/base/strbuf.h"
#include "grader/archive/archive_internal.h"
#include "grader/core/files.h"
#include "grader/core/sha256.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

static la_ssize_t write_to_strbuf(struct archive *a, void *out, const void *bytes, size_t length)
{
    (void)a;
    strbuf_append(out, bytes, length);
    return ((StrBuf *)out)->failed ? -1 : (la_ssize_t)length;
}

static bool add_member(struct archive *tar, const char *lab, const char *name, const char *bytes,
                       size_t length)
{
    struct archive_entry *e = archive_entry_new();
    StrBuf path = {0};
    strbuf_printf(&path, "%s/%s", lab, name);
    bool fine = e && !path.failed;
    if (fine) {
        archive_entry_set_pathname(e, path.text);
        archive_entry_set_size(e, (la_int64_t)length);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_mtime(e, HANDIN_FIXED_MTIME, 0);
        fine = archive_write_header(tar, e) == ARCHIVE_OK &&
               archive_write_data(tar, bytes, length) == (la_ssize_t)length;
    }
    strbuf_free(&path);
    archive_entry_free(e);
    return fine;
}

static int compare_member_names(const void *a, const void *b)
{
    return strcmp(((const HandinFile *)a)->name, ((const HandinFile *)b)->name);
}

static Status read_files(Arena *a, const char *dir, const char *const *names, size_t n, HandinFile *files,
                         Diag *d)
{
    for (size_t i = 0; i < n; i++) {
        char *bytes = NULL;
        const char *path = arena_printf(a, "%s/%s", dir, names[i]);
        if (!path)
            return diag_set(d, STATUS_NO_MEMORY, "no memory to read %s", names[i]);
        Status s = file_read(a, path, HANDIN_MEMBER_MAX, &bytes, &files[i].length, d);
        if (s != STATUS_OK)
            return s;
        files[i].name = names[i];
        files[i].bytes = bytes;
    }
    qsort(files, n, sizeof *files, compare_member_names);
    return STATUS_OK;
}

static void write_manifest(StrBuf *out, const char *lab, const HandinFile *files, size_t n)
{
    strbuf_printf(out, "schema 1\nlab %s\n", lab);
    for (size_t i = 0; i < n; i++) {
        Sha256 hash;
        char hex[SHA256_HEX];
        sha256_start(&hash);
        sha256_add(&hash, files[i].bytes, files[i].length);
        sha256_end_hex(&hash, hex);
        strbuf_printf(out, "%s  %zu  %s\n", hex, files[i].length, files[i].name);
    }
}

/* The archive's bytes in out; false without memory. */
static bool pack(StrBuf *out, const char *lab, const StrBuf *manifest, const HandinFile *files, size_t n)
{
    struct archive *tar = archive_write_new();
    bool fine = tar && archive_write_add_filter_gzip(tar) == ARCHIVE_OK &&
                archive_write_set_format_ustar(tar) == ARCHIVE_OK &&
                archive_write_set_options(tar, "gzip:!timestamp,gzip:compression-level=9") == ARCHIVE_OK &&
                archive_write_open(tar, out, NULL, write_to_strbuf, NULL) == ARCHIVE_OK &&
                add_member(tar, lab, "MANIFEST", manifest->text, manifest->length);
    for (size_t i = 0; fine && i < n; i++)
        fine = add_member(tar, lab, files[i].name, files[i].bytes, files[i].length);
    fine = fine && archive_write_close(tar) == ARCHIVE_OK;
    archive_write_free(tar);
    return fine && !out->failed;
}

Status handin_write(const char *path, const char *dir, const char *lab, const char *const *names, size_t n,
                    Diag *d)
{
    Arena arena = {0};
    StrBuf manifest = {0}, out = {0};
    HandinFile *files = ARENA_NEW_ARRAY(&arena, HandinFile, n + 1);
    Status s = !files ? diag_set(d, STATUS_NO_MEMORY, "no memory to write %s", path)
                      : read_files(&arena, dir, names, n, files, d);
    if (s == STATUS_OK) {
        write_manifest(&manifest, lab, files, n);
        s = !manifest.failed && pack(&out, lab, &manifest, files, n)
                ? file_write_atomic(path, out.text, out.length, d)
                : diag_set(d, STATUS_NO_MEMORY, "cannot pack %s", path);
    }
    strbuf_free(&manifest);
    strbuf_free(&out);
    arena_free(&arena);
    return s;
}
