/* Archives: what is written reads back; what is hostile is refused, and nothing of it reaches a folder. */
#include "grader/archive/archive.h"
#include "grader/core/files.h"

#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char LAB[] = "02-vector-add";
static const char *const FILES[] = {"vector_add.cu", "notes.txt"};

static const char *const *allow(void *context, const char *lab, size_t *n)
{
    (void)context;
    *n = 2;
    return strcmp(lab, LAB) == 0 ? FILES : NULL;
}

typedef struct Place {
    char dir[32], tar[64], out[64];
    Arena arena;
} Place;

static int make_place(void **state)
{
    Place *p = calloc(1, sizeof *p);
    strcpy(p->dir, "/tmp/test-archive-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->tar, sizeof p->tar, "%s/s001_02-vector-add.tar.gz", p->dir);
    snprintf(p->out, sizeof p->out, "%s/class", p->dir);
    *state = p;
    return 0;
}

static int drop_place(void **state)
{
    Place *p = *state;
    assert_int_equal(dir_remove(p->dir, NULL), STATUS_OK);
    arena_free(&p->arena);
    free(p);
    return 0;
}

static void put_archive_file(Place *p, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", p->dir, name);
    assert_int_equal(file_write_atomic(path, text, strlen(text), NULL), STATUS_OK);
}

static char *get_archive_file(Place *p, const char *path, size_t *length)
{
    char *bytes;
    Diag d = {0};
    if (file_read(&p->arena, path, 1 << 20, &bytes, length, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    return bytes;
}

/* An entry of a hostile archive. */
typedef struct Entry {
    const char *name, *data, *link;
    mode_t type;    /* 0 = regular */
    size_t padding; /* zero bytes after data */
} Entry;

typedef struct Packer {
    struct archive *a;
} Packer;

static Packer packer_open(const Place *p, bool zip)
{
    Packer k = {archive_write_new()};
    if (zip) {
        archive_write_set_format_zip(k.a);
    } else {
        archive_write_add_filter_gzip(k.a);
        archive_write_set_format_pax_restricted(k.a);
    }
    assert_int_equal(archive_write_open_filename(k.a, p->tar), ARCHIVE_OK);
    return k;
}

static void packer_add(Packer k, const Entry *e)
{
    static const char zeros[65536];
    size_t length = e->data ? strlen(e->data) : 0;
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, e->name);
    archive_entry_set_filetype(entry, e->type ? e->type : AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)(length + e->padding));
    if (e->link && e->type == AE_IFLNK)
        archive_entry_set_symlink(entry, e->link);
    else if (e->link)
        archive_entry_set_hardlink(entry, e->link);
    assert_true(archive_write_header(k.a, entry) >= ARCHIVE_WARN);
    archive_write_data(k.a, e->data, length);
    for (size_t left = e->padding; left > 0;) {
        size_t n = left < sizeof zeros ? left : sizeof zeros;
        archive_write_data(k.a, zeros, n);
        left -= n;
    }
    archive_entry_free(entry);
}

static void pack(const Place *p, bool zip, const Entry *entries, size_t n)
{
    Packer k = packer_open(p, zip);
    for (size_t i = 0; i < n; i++)
        packer_add(k, &entries[i]);
    assert_int_equal(archive_write_close(k.a), ARCHIVE_OK);
    archive_write_free(k.a);
}
#define PACK(p, ...)                                                                                         \
    pack(p, false, (const Entry[]){__VA_ARGS__}, sizeof((const Entry[]){__VA_ARGS__}) / sizeof(Entry))

static Status import(Place *p, const char *student, const char **where, Diag *d)
{
    HandinImport i = {.path = p->tar, .out_dir = p->out, .student = student, .allow = allow};
    *d = (Diag){0};
    HandinPlaced placed;
    Status s = handin_import(&p->arena, &i, &placed, d);
    *where = placed.where;
    return s;
}

/* The archive is refused with these words, and the class's folder stays as it was. */
static void expect_refusal(Place *p, Status wanted, const char *words)
{
    const char *where;
    Diag d;
    Status s = import(p, NULL, &where, &d);
    if (s != wanted || !strstr(d.message, words))
        fail_msg("wanted %s (%s), got %s: %s", status_name(wanted), words, status_name(s), d.message);
    assert_int_not_equal(access(p->out, F_OK), 0);
}

static void test_round_trip(void **state)
{
    Place *p = *state;
    Diag d = {0};
    put_archive_file(p, "vector_add.cu", "__global__ void k() {}\n");
    put_archive_file(p, "notes.txt", "");
    assert_int_equal(handin_write(p->tar, p->dir, LAB, FILES, 2, &d), STATUS_OK);
    size_t length, again;
    char *bytes = get_archive_file(p, p->tar, &length);
    sleep(1); /* another second: no date may reach the bytes */
    assert_int_equal(handin_write(p->tar, p->dir, LAB, FILES, 2, &d), STATUS_OK);
    char *second = get_archive_file(p, p->tar, &again);
    assert_int_equal(again, length);
    assert_memory_equal(second, bytes, length);
    const char *where;
    if (import(p, NULL, &where, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    char wanted[128];
    snprintf(wanted, sizeof wanted, "%s/s001/02-vector-add", p->out);
    assert_string_equal(where, wanted);
    assert_string_equal(get_archive_file(p, arena_printf(&p->arena, "%s/vector_add.cu", where), &length),
                        "__global__ void k() {}\n");
    Handin *h;
    assert_int_equal(handin_read(p->tar, NULL, allow, NULL, &h, &d), STATUS_OK);
    assert_true(h->has_manifest);
    assert_int_equal(h->n_files, 2);
    handin_free(h);
    assert_int_equal(handin_read(p->tar, "01-indexing", allow, NULL, &h, &d), STATUS_INVALID);
}

static void test_missing_file(void **state)
{
    Place *p = *state;
    Diag d = {0};
    put_archive_file(p, "vector_add.cu", "x");
    assert_int_equal(handin_write(p->tar, p->dir, LAB, FILES, 2, &d), STATUS_NOT_FOUND);
    assert_non_null(strstr(d.message, "notes.txt"));
    assert_int_not_equal(access(p->tar, F_OK), 0);
}

/* What browsers, Finder and Explorer make: folders, hidden files, zip, no manifest. */
static void test_friendly(void **state)
{
    Place *p = *state;
    const Entry entries[] = {{.name = "me/02-vector-add/", .type = AE_IFDIR},
                             {.name = "me/02-vector-add/vector_add.cu", .data = "right"},
                             {.name = "me/02-vector-add/Makefile", .data = "all: ; rm -rf /"},
                             {.name = "me/02-vector-add/build/a.out", .data = "x"},
                             {.name = "__MACOSX/02-vector-add/._vector_add.cu", .data = "x"},
                             {.name = "me/02-vector-add/\xFF\xFE.txt", .data = "x"}};
    const char *where, **names;
    Diag d;
    size_t n, length;
    for (int zip = 0; zip < 2; zip++) {
        pack(p, zip, entries, sizeof entries / sizeof entries[0] - (size_t)zip);
        if (import(p, "s007", &where, &d) != STATUS_OK)
            fail_msg("%s", d.message);
        assert_int_equal(dir_list(&p->arena, where, &names, &n, NULL), STATUS_OK);
        assert_int_equal(n, 1);
        assert_string_equal(get_archive_file(p, arena_printf(&p->arena, "%s/vector_add.cu", where), &length),
                            "right");
    }
}

/* An import replaces what was there as a whole. */
static void test_replaces(void **state)
{
    Place *p = *state;
    const char *where, **names;
    Diag d;
    size_t n;
    PACK(p, {.name = "02-vector-add/vector_add.cu", .data = "1"},
         {.name = "02-vector-add/notes.txt", .data = "1"});
    assert_int_equal(import(p, NULL, &where, &d), STATUS_OK);
    PACK(p, {.name = "02-vector-add/vector_add.cu", .data = "2"});
    assert_int_equal(import(p, NULL, &where, &d), STATUS_OK);
    assert_int_equal(dir_list(&p->arena, where, &names, &n, NULL), STATUS_OK);
    assert_int_equal(n, 1);
}

static void test_names(void **state)
{
    Place *p = *state;
    Entry good = {.name = "02-vector-add/vector_add.cu", .data = "x"};
    static const struct {
        const char *name, *words;
    } bad[] = {
        {"../vector_add.cu", "leads out"},
        {"02-vector-add/../../vector_add.cu", "leads out"},
        {"/tmp/vector_add.cu", "absolute"},
        {"..\\vector_add.cu", "backslash"},
        {"02-vector-add/a\nb", "control"},
        {"02-vector-add/\x1b[31m", "control"},
        {"1/2/3/4/5/6/7/8/9", "too many folders"},
        {"other/vector_add.cu", "two files of one name"},
        {"02-vector-add/Vector_Add.cu", "two files of one name"},
        {"02-vector-add/vector_add.cu", "two files of one name"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        PACK(p, good, {.name = bad[i].name, .data = "y"});
        expect_refusal(p, STATUS_INVALID, bad[i].words);
    }
    char longest[HANDIN_NAME_MAX + 2];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    PACK(p, good, {.name = longest});
    expect_refusal(p, STATUS_INVALID, "too long");
}

static void test_kinds(void **state)
{
    Place *p = *state;
    Entry good = {.name = "02-vector-add/notes.txt", .data = "x"};
    PACK(p, good, {.name = "02-vector-add/vector_add.cu", .type = AE_IFLNK, .link = "/etc/passwd"});
    expect_refusal(p, STATUS_INVALID, "symbolic link");
    PACK(p, good, {.name = "02-vector-add", .type = AE_IFLNK, .link = "/tmp"},
         {.name = "02-vector-add/vector_add.cu", .data = "x"});
    expect_refusal(p, STATUS_INVALID, "symbolic link");
    PACK(p, good, {.name = "02-vector-add/vector_add.cu", .link = "02-vector-add/notes.txt"});
    expect_refusal(p, STATUS_INVALID, "hard link");
    PACK(p, good, {.name = "02-vector-add/vector_add.cu", .type = AE_IFIFO});
    expect_refusal(p, STATUS_INVALID, "FIFO");
    PACK(p, good, {.name = "02-vector-add/null", .type = AE_IFCHR});
    expect_refusal(p, STATUS_INVALID, "device");
}

static void test_limits(void **state)
{
    Place *p = *state;
    const char *where;
    Diag d;
    PACK(p, {.name = "02-vector-add/vector_add.cu", .padding = HANDIN_MEMBER_MAX});
    if (import(p, NULL, &where, &d) != STATUS_OK)
        fail_msg("at the limit: %s", d.message);
    assert_int_equal(dir_remove(p->out, NULL), STATUS_OK);
    PACK(p, {.name = "02-vector-add/vector_add.cu", .padding = HANDIN_MEMBER_MAX + 1});
    expect_refusal(p, STATUS_LIMIT, "more than");
    PACK(p, {.name = "02-vector-add/vector_add.cu", .data = "x"},
         {.name = "bomb", .padding = HANDIN_TOTAL_MAX});
    expect_refusal(p, STATUS_LIMIT, "too much comes out");
    PACK(p, {.name = "02-vector-add/vector_add.cu", .data = "x"},
         {.name = "bomb", .padding = HANDIN_RATIO_FREE + (1 << 20)});
    expect_refusal(p, STATUS_LIMIT, "too much comes out"); /* zeros pack a thousandfold */
    Packer k = packer_open(p, false);
    for (int i = 0; i <= HANDIN_ENTRIES_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        packer_add(k, &(Entry){.name = name});
    }
    archive_write_free(k.a);
    expect_refusal(p, STATUS_LIMIT, "entries");
    assert_int_equal(truncate(p->tar, HANDIN_PACKED_MAX + 1), 0);
    expect_refusal(p, STATUS_LIMIT, "bytes");
}

/* One header block of type 'g' (attributes for all that follows) with no data. */
static void special_header(char block[512])
{
    memset(block, 0, 512);
    strcpy(block, "pax_global_header");
    strcpy(block + 100, "0000644");
    strcpy(block + 124, "00000000000");
    strcpy(block + 136, "00000000000");
    memset(block + 148, ' ', 8);
    block[156] = 'g';
    memcpy(block + 257, "ustar\00000", 8);
    unsigned sum = 0;
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", sum);
}

/* A tar of headers alone, without a member: 300 MB in 1 MB. */
static void test_header_bomb(void **state)
{
    Place *p = *state;
    char command[128], block[512];
    snprintf(command, sizeof command, "gzip -1 > %s", p->tar);
    special_header(block);
    FILE *gzip = popen(command, "w");
    for (int i = 0; i < 600000; i++)
        fwrite(block, 1, sizeof block, gzip);
    assert_int_equal(pclose(gzip), 0);
    const char *where;
    Diag d;
    assert_int_not_equal(import(p, NULL, &where, &d), STATUS_OK);
    assert_int_not_equal(access(p->out, F_OK), 0);
}

static void overwrite(const char *path, const char *bytes, size_t length)
{
    FILE *f = fopen(path, "w");
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    fclose(f);
}

static void test_damage(void **state)
{
    Place *p = *state;
    Diag d = {0};
    put_archive_file(p, "vector_add.cu", "__global__ void k() {}\n");
    put_archive_file(p, "notes.txt", "note");
    assert_int_equal(handin_write(p->tar, p->dir, LAB, FILES, 2, &d), STATUS_OK);
    size_t length;
    char *whole = get_archive_file(p, p->tar, &length);
    for (size_t cut = 0; cut < length; cut++) { /* every truncation */
        overwrite(p->tar, whole, cut);
        Handin *h;
        if (handin_read(p->tar, NULL, allow, NULL, &h, &d) == STATUS_OK)
            assert_int_equal(h->n_files, 2); /* only the gzip trailer is missing */
        handin_free(h);
    }
    for (size_t i = 0; i < length; i++) { /* every byte damaged */
        whole[i] = (char)(whole[i] ^ 0x55);
        overwrite(p->tar, whole, length);
        Handin *h;
        if (handin_read(p->tar, NULL, allow, NULL, &h, &d) == STATUS_OK)
            assert_int_equal(h->n_files, 2);
        handin_free(h);
        whole[i] = (char)(whole[i] ^ 0x55);
    }
}

static void test_manifest(void **state)
{
    Place *p = *state;
    /* sha256 of "x" */
    static const char X[] = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    Entry file = {.name = "02-vector-add/vector_add.cu", .data = "x"};
    char manifest[512];
    const char *where;
    Diag d;
#define MANIFEST(...)                                                                                        \
    (snprintf(manifest, sizeof manifest, __VA_ARGS__),                                                       \
     (Entry){.name = "02-vector-add/MANIFEST", .data = manifest})
    PACK(p, file, MANIFEST("schema 1\nlab 02-vector-add\n%s  1  vector_add.cu\n", X));
    if (import(p, NULL, &where, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    assert_int_equal(dir_remove(p->out, NULL), STATUS_OK);
    PACK(p, file, MANIFEST("schema 1\nlab 02-vector-add\n%s  2  vector_add.cu\n", X));
    expect_refusal(p, STATUS_INVALID, "not the file");
    PACK(p, file, MANIFEST("schema 1\nlab 02-vector-add\n%s  1  vector_add.cu\n%s  1  notes.txt\n", X, X));
    expect_refusal(p, STATUS_INVALID, "lists 2 files");
    PACK(p, file, MANIFEST("schema 1\nlab ../..\n"));
    expect_refusal(p, STATUS_INVALID, "names no lab");
    PACK(p, file, MANIFEST("schema 1\nlab 09-none\n"));
    expect_refusal(p, STATUS_NOT_FOUND, "no lab 09-none");
    PACK(p, file, MANIFEST("schema 2\n"));
    expect_refusal(p, STATUS_PARSE, "MANIFEST");
    PACK(p, file, {.name = "a/MANIFEST"}, {.name = "b/MANIFEST"});
    expect_refusal(p, STATUS_INVALID, "two files");
    PACK(p, {.name = "homework/vector_add.cu", .data = "x"});
    expect_refusal(p, STATUS_NOT_FOUND, "which lab");
    PACK(p, {.name = "02-vector-add/other.cu", .data = "x"});
    expect_refusal(p, STATUS_NOT_FOUND, "none of the files");
}

static void test_no_archives(void **state)
{
    Place *p = *state;
    const char *where;
    Diag d;
    assert_int_equal(import(p, NULL, &where, &d), STATUS_NOT_FOUND);
    put_archive_file(p, "s001_02-vector-add.tar.gz", "this is text");
    expect_refusal(p, STATUS_PARSE, "no archive");
    put_archive_file(p, "s001_02-vector-add.tar.gz", "");
    assert_int_not_equal(import(p, NULL, &where, &d), STATUS_OK);
    unlink(p->tar);
    assert_int_equal(mkfifo(p->tar, 0600), 0);
    assert_int_equal(import(p, NULL, &where, &d), STATUS_INVALID);
}

static void test_students(void **state)
{
    Place *p = *state;
    static const struct {
        const char *path, *student;
    } rows[] = {
        {"x/s001_02-vector-add.tar.gz", "s001"},
        {"s001-02-vector-add.tgz", "s001"},
        {"s001-02-vector-add (1).tar.gz", "s001"},
        {"a.b@x.org 02-vector-add.zip", "a.b@x.org"},
        {"s002.zip", "s002"},
        {"M\xC3\xBCller_02-vector-add.tar", "M\xC3\xBCller"},
        {"x/02-vector-add.tar.gz", NULL},
        {".._02-vector-add.tar.gz", NULL},
        {"-rf_02-vector-add.tar.gz", NULL},
        {"\xFF_02-vector-add.tar.gz", NULL},
        {"a\nb_02-vector-add.tar.gz", NULL},
        {"\xE2\x80\xAE"
         "evil_02-vector-add.tar.gz",
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *student = NULL;
        Diag d = {0};
        Status s = handin_student(&p->arena, rows[i].path, LAB, &student, &d);
        if ((s == STATUS_OK) != (rows[i].student != NULL))
            fail_msg("%s: %s", rows[i].path, status_name(s));
        if (s == STATUS_OK)
            assert_string_equal(student, rows[i].student);
    }
    assert_false(handin_student_is_fit(""));
    assert_false(handin_student_is_fit("a/b"));
    assert_false(handin_student_is_fit("trailing "));
    assert_true(
        handin_student_is_fit("$(touch x)")); /* a name like any other: nothing here goes through a shell */
}

/* Case, normal forms, width, ligatures and what is not seen; and ids that a person tells apart. */
static void test_twins(void **state)
{
    Place *p = *state;
    static const struct {
        const char *one, *other;
        bool twins;
    } pairs[] = {
        {"s001", "S001", true},
        {"jos\xC3\xA9", "jose\xCC\x81", true},
        {"JOS\xC3\x89", "jose\xCC\x81", true},
        {"s001",
         "\xEF\xBD\x93"
         "001",
         true}, /* a wide s */
        {"stra\xC3\x9F"
         "e",
         "STRASSE", true}, /* sharp s */
        {"o\xEF\xAC\x83"
         "ce",
         "office", true}, /* a ligature */
        {"a\xC2\xAD"
         "b",
         "ab", true},                   /* a soft hyphen */
        {"\xCE\xA3", "\xCF\x82", true}, /* the sigmas */
        {"s001", "s0O1", false},
        {"s001", "s01", false},
        {"jose", "jos\xC3\xA9", false},
        {"s001", "s001", false}, /* one id twice is one student */
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *students[] = {"aa", pairs[i].one, "mm", pairs[i].other, "zz"};
        Diag d = {0};
        Status s = handin_refuse_twins(students, 5, &d);
        if (s != (pairs[i].twins ? STATUS_INVALID : STATUS_OK))
            fail_msg("%s and %s: %s", pairs[i].one, pairs[i].other, d.message);
        if (s != STATUS_OK && (!strstr(d.message, pairs[i].one) || !strstr(d.message, pairs[i].other)))
            fail_msg("%s and %s are not named: %s", pairs[i].one, pairs[i].other, d.message);
        char *folder = arena_printf(&p->arena, "%s/twins%zu", p->dir, i);
        assert_int_equal(STATUS_OK, handin_refuse_twin_in(folder, pairs[i].one, &d)); /* not there yet */
        assert_int_equal(STATUS_OK, dir_make(arena_printf(&p->arena, "%s/%s", folder, pairs[i].one), &d));
        assert_int_equal(s, handin_refuse_twin_in(folder, pairs[i].other, &d));
    }
    assert_int_equal(STATUS_OK, handin_refuse_twins(NULL, 0, NULL));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, make_place, drop_place)
    const struct CMUnitTest tests[] = {
        T(test_round_trip),  T(test_missing_file), T(test_friendly),    T(test_replaces), T(test_names),
        T(test_kinds),       T(test_limits),       T(test_header_bomb), T(test_damage),   T(test_manifest),
        T(test_no_archives), T(test_students),     T(test_twins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
