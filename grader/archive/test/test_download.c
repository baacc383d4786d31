/* Downloads of a class in each system's form, as a folder and as a zip: who gets which files, what is kept of
 * times, and that what is odd, hostile or not asked for is listed and harms nobody else. */
#include "common/base/strbuf.h"
#include "grader/archive/download.h"
#include "grader/archive/layouts.h"
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

static const char LAB[] = "02-vector-add", OTHER[] = "01-indexing";
static const char *const FILES[] = {"vector_add.cu", "notes.txt"};
static const char *const OTHER_FILES[] = {"indexing.cu"};

static const char *const *allow(void *context, const char *lab, size_t *n)
{
    (void)context;
    *n = strcmp(lab, LAB) == 0 ? 2 : 1;
    return strcmp(lab, LAB) == 0 ? FILES : strcmp(lab, OTHER) == 0 ? OTHER_FILES : NULL;
}

typedef struct Place {
    char dir[32], in[64], zip[64], out[64];
    Arena arena;
    HandinList taken, left;
} Place;

static int make_place(void **state)
{
    Place *p = calloc(1, sizeof *p);
    strcpy(p->dir, "/tmp/test-download-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->in, sizeof p->in, "%s/in", p->dir);
    snprintf(p->zip, sizeof p->zip, "%s/in.zip", p->dir);
    snprintf(p->out, sizeof p->out, "%s/class", p->dir);
    *state = p;
    return 0;
}

static int drop_place(void **state)
{
    Place *p = *state;
    free(p->taken.items);
    free(p->left.items);
    assert_int_equal(dir_remove(p->dir, NULL), STATUS_OK);
    arena_free(&p->arena);
    free(p);
    return 0;
}

typedef struct File {
    const char *path, *text;
} File;

static void put_download_file(Place *p, const char *path, const char *bytes, size_t length)
{
    char *full = arena_printf(&p->arena, "%s/%s", p->in, path), *slash = strrchr(full, '/');
    *slash = '\0';
    assert_int_equal(dir_make(full, NULL), STATUS_OK);
    *slash = '/';
    assert_int_equal(file_write_atomic(full, bytes, length, NULL), STATUS_OK);
}

/* The same files as a folder and as a zip. Names beyond ASCII are flagged as UTF-8 in the zip, as systems do.
 */
static void make_download(Place *p, const File *files, size_t n)
{
    struct archive *zip = archive_write_new();
    archive_write_set_format_zip(zip);
    archive_write_set_options(zip, "zip:hdrcharset=UTF-8");
    assert_int_equal(archive_write_open_filename(zip, p->zip), ARCHIVE_OK);
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(files[i].text);
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname_utf8(e, files[i].path);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_size(e, (la_int64_t)length);
        assert_true(archive_write_header(zip, e) >= ARCHIVE_WARN);
        archive_write_data(zip, files[i].text, length);
        archive_entry_free(e);
        put_download_file(p, files[i].path, files[i].text, length);
    }
    assert_int_equal(archive_write_close(zip), ARCHIVE_OK);
    archive_write_free(zip);
}
#define DOWNLOAD(p, ...)                                                                                     \
    make_download(p, (const File[]){__VA_ARGS__}, sizeof((const File[]){__VA_ARGS__}) / sizeof(File))

static Status import(Place *p, bool zip, HandinLayout layout, const char *lab, const Roster *roster, Diag *d)
{
    HandinDownload in = {.path = zip ? p->zip : p->in,
                         .out_dir = p->out,
                         .layout = layout,
                         .lab = lab,
                         .roster = roster,
                         .allow = allow};
    free(p->taken.items);
    free(p->left.items);
    p->taken = p->left = (HandinList){0};
    *d = (Diag){0};
    return handin_import_download(&p->arena, &in, &p->taken, &p->left, d);
}

/* Imports and wants no failure, with so many taken and left. */
static void expect_download(Place *p, bool zip, HandinLayout layout, const char *lab, const Roster *roster,
                            size_t taken, size_t left)
{
    Diag d;
    assert_int_equal(dir_remove(p->out, NULL), STATUS_OK);
    if (import(p, zip, layout, lab, roster, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    if (p->taken.n == taken && p->left.n == left)
        return;
    for (size_t i = 0; i < p->taken.n; i++)
        print_message("taken: %s\n", p->taken.items[i].text);
    for (size_t i = 0; i < p->left.n; i++)
        print_message("left: %s: %s\n", p->left.items[i].name, p->left.items[i].text);
    fail_msg("wanted %zu taken and %zu left", taken, left);
}

static const char *content(Place *p, const char *path)
{
    char *bytes;
    size_t length;
    const char *full = arena_printf(&p->arena, "%s/%s", p->out, path);
    return file_read(&p->arena, full, 1 << 20, &bytes, &length, NULL) == STATUS_OK ? bytes : "(absent)";
}

static bool is_left(const Place *p, const char *name, const char *why)
{
    for (size_t i = 0; i < p->left.n; i++)
        if (strcmp(p->left.items[i].name, name) == 0 && strstr(p->left.items[i].text, why))
            return true;
    return false;
}

/* Whose each name is --------------------------------------------------------------------------------- */

static void test_canvas_names(void **state)
{
    Place *p = *state;
    static const struct {
        const char *path, *id, *name, *file;
        int64_t order;
        bool late;
    } rows[] = {
        {"studentone_1201_98001_vector_add.cu", "1201", "studentone", "vector_add.cu", 98001, false},
        {"studentone_LATE_1201_98001_vector_add.cu", "1201", "studentone", "vector_add.cu", 98001, true},
        {"submissions/studentone_late_1201_98001_a_1_2_b.cu", "1201", "studentone", "a_1_2_b.cu", 98001,
         true},
        {"o_one_LATE_7_8_x", "7", "o_one", "x", 8, true},
        {"anon_x1Y2z_98001_vector_add.cu", "anon_x1Y2z", "", "vector_add.cu", 98001, false},
        {"LATE_anon_x1Y2z_98001_v.cu", "anon_x1Y2z", "", "v.cu", 98001, true},
        {"late_1201_98001_v.cu", "1201", "", "v.cu", 98001, true},
        {"translate_1201_98001_v.cu", "1201", "translate", "v.cu", 98001, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Placed out;
        assert_true(handin_place(&p->arena, LAYOUT_CANVAS, rows[i].path, &out));
        assert_non_null(out.who);
        assert_string_equal(rows[i].id, out.id);
        assert_string_equal(rows[i].name, out.name);
        assert_string_equal(rows[i].file, out.file);
        assert_int_equal(rows[i].order, out.order);
        assert_int_equal(rows[i].late, out.late);
    }
    static const char *const others[] = {"vector_add.cu",
                                         "studentone_1201_text.html",
                                         "studentone_1201_98001_",
                                         "_",
                                         "",
                                         "studentone_12x_98001_v.cu",
                                         "anon_"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Placed out;
        assert_true(handin_place(&p->arena, LAYOUT_CANVAS, others[i], &out));
        assert_null(out.who);
        assert_non_null(out.why);
    }
}

static void test_moodle_names(void **state)
{
    Place *p = *state;
    static const char *const rows[][4] = {
        {"Student One_4711_assignsubmission_file_/vector_add.cu", "4711", "Student One", "vector_add.cu"},
        {"Student One_4711_assignsubmission_file_/src/vector_add.cu", "4711", "Student One",
         "src/vector_add.cu"},
        {"Student One_4711_assignsubmission_file_vector_add.cu", "4711", "Student One", "vector_add.cu"},
        {"all/Participant_4711_assignsubmission_file_/v.cu", "4711", "Participant", "v.cu"},
        {"A_1_assignsubmission_file_/B_2_assignsubmission_file_/v.cu", "1", "A",
         "B_2_assignsubmission_file_/v.cu"},
        {"Student One_4711_assignsubmission_file/vector_add.cu", "4711", "Student One", "vector_add.cu"},
        {"Student One_4711_assignsubmission_file/src/vector_add.cu", "4711", "Student One",
         "src/vector_add.cu"},
        {"Student_von_One_4711_assignsubmission_file/v.cu", "4711", "Student_von_One", "v.cu"},
        {"Student One_4711_assignsubmission_file_my_assignsubmission_file_1.cu", "4711", "Student One",
         "my_assignsubmission_file_1.cu"},
        {"course_x-lab_02-88/Student One_4711_assignsubmission_file/v.cu", "4711", "Student One", "v.cu"},
        {"Team A_17_assignsubmission_file/v.cu", "17", "Team A", "v.cu"},
        {"Default group_assignsubmission_file/v.cu", "Default group", "Default group", "v.cu"},
        {"Default group_assignsubmission_file_v.cu", "Default group", "Default group", "v.cu"},
        {"4711_assignsubmission_file/v.cu", "4711", "4711", "v.cu"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Placed out;
        assert_true(handin_place(&p->arena, LAYOUT_MOODLE, rows[i][0], &out));
        assert_non_null(out.who);
        assert_string_equal(rows[i][1], out.id);
        assert_string_equal(rows[i][2], out.name);
        assert_string_equal(rows[i][3], out.file);
    }
    static const char *const others[] = {"Student One_4711_assignsubmission_onlinetext_/onlinetext.html",
                                         "vector_add.cu",
                                         "Student One_4711_assignsubmission_onlinetext/onlinetext.html",
                                         "Student One_4711_assignsubmission_onlinetext_onlinetext.html",
                                         "Student One_4711_assignsubmission_filebox/vector_add.cu",
                                         "Student One_4711_assignsubmission_file",
                                         "_assignsubmission_file_/x",
                                         "a/_assignsubmission_file/x"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Placed out;
        assert_true(handin_place(&p->arena, LAYOUT_MOODLE, others[i], &out));
        assert_null(out.who);
    }
}

static void test_usual_names(void **state)
{
    Place *p = *state;
    static const char *const rows[][2] = {
        {"vector_add.cu", "vector_add.cu"},
        {"vector_add-1.cu", "vector_add.cu"},
        {"vector_add-12.cu", "vector_add.cu"},
        {"vector_add (1).cu", "vector_add.cu"},
        {"vector_add_(3).cu", "vector_add.cu"},
        {"vector_add(3).cu", "vector_add.cu"},
        {"vector_add-.cu", "vector_add-.cu"},
        {"vector_add1.cu", "vector_add1.cu"},
        {"other-1.cu", "other-1.cu"},
        {"-1.cu", "-1.cu"},
        {"(1).cu", "(1).cu"},
        {"1", "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(rows[i][1], handin_usual_name(&p->arena, rows[i][0], FILES, 2));
}

/* Whole downloads ------------------------------------------------------------------------------------- */

static void test_canvas(void **state)
{
    Place *p = *state;
    DOWNLOAD(p, {"studentone_1201_98001_vector_add.cu", "old"},
             {"studentone_1201_98107_vector_add-1.cu", "new"}, {"studentone_1201_98002_notes.txt", "n"},
             {"studentone_1201_98003_virus.exe", "x"}, {"studenttwo_LATE_1202_98004_vector_add.cu", "late"},
             {"studentthree_1203_98005_essay.pdf", "x"}, {"studentone_1201_text.html", "x"},
             {".DS_Store", "x"});
    for (int zip = 0; zip < 2; zip++) {
        expect_download(p, zip, LAYOUT_CANVAS, LAB, NULL, 2, 5);
        assert_string_equal("x", content(p, "1203/02-vector-add/essay.pdf"));
        assert_string_equal("new", content(p, "1201/02-vector-add/vector_add.cu"));
        assert_string_equal("n", content(p, "1201/02-vector-add/notes.txt"));
        assert_string_equal("late", content(p, "1202/02-vector-add/vector_add.cu"));
        assert_true(is_left(p, "studentone_1201_98001_vector_add.cu", "later"));
        assert_true(is_left(p, "studentone_1201_98003_virus.exe", "not a file of the lab"));
        assert_true(is_left(p, "1203", "none of the files"));
        assert_true(is_left(p, "studentone_1201_text.html", "not one that Canvas gives"));
        assert_string_equal("student,lab,received,late\r\n1202,02-vector-add,,yes\r\n",
                            content(p, "receipts.csv"));
    }
}

static void test_moodle(void **state)
{
    Place *p = *state;
    DOWNLOAD(p, {"Stud\xC3\xABnt \xC3\x96ne_4711_assignsubmission_file_/vector_add.cu", "1"},
             {"Student Two_4712_assignsubmission_file_vector_add.cu", "2"},
             {"Student Two_4712_assignsubmission_onlinetext_/onlinetext.html", "x"});
    Roster roster;
    Diag d = {0};
    static const char csv[] =
        "\xEF\xBB\xBFName,student,Number\r\n\"Stud\xC3\xABnt \xC3\x96ne\",s001,\r\nStudent Two,s002,4712\r\n";
    put_download_file(p, "../roster.csv", csv, strlen(csv));
    const char *path = arena_printf(&p->arena, "%s/roster.csv", p->dir);
    if (roster_load(&p->arena, path, &roster, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    for (int zip = 0; zip < 2; zip++) {
        expect_download(p, zip, LAYOUT_MOODLE, LAB, &roster, 2, 1);
        assert_string_equal("1", content(p, "s001/02-vector-add/vector_add.cu"));
        assert_string_equal("2", content(p, "s002/02-vector-add/vector_add.cu"));
        assert_string_equal("(absent)", content(p, "receipts.csv"));
        expect_download(p, zip, LAYOUT_MOODLE, LAB, NULL, 2, 1);
        assert_string_equal("1", content(p, "4711/02-vector-add/vector_add.cu"));
    }
}

static Roster read_roster(Place *p, const char *csv)
{
    Roster roster;
    Diag d = {0};
    put_download_file(p, "../roster.csv", csv, strlen(csv));
    if (roster_load(&p->arena, arena_printf(&p->arena, "%s/roster.csv", p->dir), &roster, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    return roster;
}

/* Names as Moodle writes them into a zip: an underscore becomes a blank, and what a file name cannot have
 * goes. */
static void test_moodle_of_today(void **state)
{
    Place *p = *state;
    DOWNLOAD(p, {"course-lab-88/Student One_4711_assignsubmission_file/vector_add.cu", "1"},
             {"course-lab-88/Student One_4711_assignsubmission_onlinetext/onlinetext.html", "x"},
             {"course-lab-88/Student ONeill_4712_assignsubmission_file/src/vector_add.cu", "2"},
             {"course-lab-88/student 3_4713_assignsubmission_file_vector_add.cu", "3"},
             {"course-lab-88/Student Four_4714_assignsubmission_onlinetext/onlinetext.html", "x"});
    Roster roster = read_roster(p, "student,name\r\ns001,Student One\r\ns002,Student O'Neill\r\n"
                                   "s003,student_3\r\ns004,Student Four\r\n");
    for (int zip = 0; zip < 2; zip++) {
        expect_download(p, zip, LAYOUT_MOODLE, LAB, &roster, 3, 2);
        assert_string_equal("1", content(p, "s001/02-vector-add/vector_add.cu"));
        assert_string_equal("2", content(p, "s002/02-vector-add/vector_add.cu"));
        assert_string_equal("3", content(p, "s003/02-vector-add/vector_add.cu"));
        expect_download(p, zip, LAYOUT_MOODLE, LAB, NULL, 3, 2);
        assert_string_equal("2", content(p, "4712/02-vector-add/vector_add.cu"));
    }
}

static void test_moodle_teams(void **state)
{
    Place *p = *state;
    DOWNLOAD(p, {"Team A_17_assignsubmission_file/vector_add.cu", "A"},
             {"Team B_18_assignsubmission_file/vector_add.cu", "B"},
             {"Default group_assignsubmission_file/vector_add.cu", "none"},
             {"Team X_19_assignsubmission_file/vector_add.cu", "X"});
    Roster roster = read_roster(p, "student,number,group\r\ns001,17,Team_B\r\ns002,18,Lecture 1; Team A\r\n"
                                   "s003,19999,Team A;Lecture 2\r\ns004,20,Default group\r\n");
    for (int zip = 0; zip < 2; zip++) {
        expect_download(p, zip, LAYOUT_MOODLE, LAB, &roster, 4, 1);
        assert_string_equal("B", content(p, "s001/02-vector-add/vector_add.cu"));
        assert_string_equal("A", content(p, "s002/02-vector-add/vector_add.cu"));
        assert_string_equal("A", content(p, "s003/02-vector-add/vector_add.cu"));
        assert_string_equal("none", content(p, "s004/02-vector-add/vector_add.cu"));
        assert_true(is_left(p, "Team X_19", "the roster has nobody of this name"));
    }
}

static const char METADATA[] = "---\n"
                               "submission_5501:\n"
                               "  :submitters:\n"
                               "  - :name: Student One\n"
                               "    :sid: '30001'\n"
                               "    :email: s001@example.org\n"
                               "  - :name: Student Two\n"
                               "    :sid:\n"
                               "    :email: s002@example.org\n"
                               "  :created_at: 2026-10-12 14:14:03.120 -07:00\n"
                               "  :score: 3.0\n"
                               "  :results:\n"
                               "    :tests:\n"
                               "    - :name: a\n"
                               "      :output: [1, {b: c}]\n"
                               "submission_5502:\n"
                               "  :submitters: []\n"
                               "submission_5503:\n"
                               "  :submitters:\n"
                               "  - :sid: ../../etc\n"
                               "  :created_at: soon\n";

static void test_gradescope(void **state)
{
    Place *p = *state;
    DOWNLOAD(p, {"assignment_77_export/submission_metadata.yml", METADATA},
             {"assignment_77_export/submission_5501/src/vector_add.cu", "both"},
             {"assignment_77_export/submission_5501/submission_metadata.yml", "submission_5501: mine"},
             {"assignment_77_export/submission_5502/vector_add.cu", "x"},
             {"assignment_77_export/submission_5503/vector_add.cu", "x"},
             {"assignment_77_export/submission_5504/vector_add.cu", "x"}, {"stray.cu", "x"});
    for (int zip = 0; zip < 2; zip++) {
        expect_download(p, zip, LAYOUT_GRADESCOPE, LAB, NULL, 2, 5);
        assert_string_equal("both", content(p, "30001/02-vector-add/vector_add.cu"));
        assert_string_equal("both", content(p, "s002@example.org/02-vector-add/vector_add.cu"));
        assert_true(is_left(p, "submission_5502", "names nobody"));
        assert_true(is_left(p, "submission_5503", "cannot name a folder"));
        assert_true(is_left(p, "submission_5504", "names nobody"));
        assert_true(is_left(p, "stray.cu", "no folder of a submission"));
        assert_string_equal("student,lab,received,late\r\n30001,02-vector-add,2026-10-12T21:14:03Z,\r\n"
                            "s002@example.org,02-vector-add,2026-10-12T21:14:03Z,\r\n",
                            content(p, "receipts.csv"));
    }
}

static void test_gradescope_metadata(void **state)
{
    Place *p = *state;
    GradescopeEntry *entries;
    size_t n;
    Diag d = {0};
    StrBuf deep = {0};
    static const char *const bad[] = {
        "", "[]", "a: *b", "a: &b {}\nc: *b", "{a: [}", "? [x]\n: y", "a: {':submitters': [x]}", "\xFF\xFE"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(STATUS_PARSE, gradescope_read(&p->arena, bad[i], strlen(bad[i]), &entries, &n, &d));
    strbuf_puts(&deep, "a: ");
    for (int i = 0; i < 70; i++)
        strbuf_puts(&deep, "[");
    assert_int_equal(STATUS_PARSE, gradescope_read(&p->arena, deep.text, deep.length, &entries, &n, &d));
    assert_non_null(strstr(d.message, "levels"));
    strbuf_free(&deep);
    for (size_t cut = 0; cut < strlen(METADATA); cut++) /* every truncation */
        gradescope_read(&p->arena, METADATA, cut, &entries, &n, &d);
    assert_int_equal(STATUS_OK, gradescope_read(&p->arena, METADATA, strlen(METADATA), &entries, &n, &d));
    assert_int_equal(3, n);
    assert_int_equal(2, entries[0].n_students);
    assert_false(entries[2].has_time);
    DOWNLOAD(p, {"submission_5501/submission_metadata.yml", METADATA});
    assert_int_equal(STATUS_NOT_FOUND, import(p, true, LAYOUT_GRADESCOPE, LAB, NULL, &d));
}

static void test_folders(void **state)
{
    Place *p = *state;
    DOWNLOAD(p, {"class/s001/02-vector-add/vector_add.cu", "1"}, {"class/s001/01-indexing/indexing.cu", "i"},
             {"class/s002/01-indexing/build/x.o", "x"}, {"class/s003/02-vector-add/vector_add.cu", "3"},
             {"class/s003/.git/config", "x"});
    for (int zip = 0; zip < 2; zip++) {
        expect_download(p, zip, LAYOUT_FOLDERS, NULL, NULL, 3, 1);
        assert_string_equal("1", content(p, "s001/02-vector-add/vector_add.cu"));
        assert_string_equal("i", content(p, "s001/01-indexing/indexing.cu"));
        assert_string_equal("3", content(p, "s003/02-vector-add/vector_add.cu"));
    }
    assert_int_equal(dir_remove(p->in, NULL), STATUS_OK);
    DOWNLOAD(p, {"s001/vector_add.cu", "1"}, {"s002/vector_add (1).cu", "2"}, {"vector_add.cu", "x"});
    for (int zip = 0; zip < 2; zip++) {
        expect_download(p, zip, LAYOUT_FOLDERS, LAB, NULL, 2, 1);
        assert_string_equal("2", content(p, "s002/02-vector-add/vector_add.cu"));
    }
}

/* What students made with `make submit`, in a download; and a hostile one beside it. */
static void test_archives_inside(void **state)
{
    Place *p = *state;
    Diag d = {0};
    DOWNLOAD(p, {"x", "x"});
    put_download_file(p, "../vector_add.cu", "packed", 6);
    char tar[96], *bytes;
    snprintf(tar, sizeof tar, "%s/h.tar.gz", p->dir);
    assert_int_equal(STATUS_OK, handin_write(tar, p->dir, LAB, FILES, 1, &d));
    size_t length;
    assert_int_equal(STATUS_OK, file_read(&p->arena, tar, 1 << 20, &bytes, &length, &d));
    unlink(arena_printf(&p->arena, "%s/x", p->in));
    put_download_file(p, "a_1_10_02-vector-add.tar.gz", bytes, length);
    put_download_file(p, "a_1_9_02-vector-add-1.tar.gz", "broken", 6);
    put_download_file(p, "b_2_11_02-vector-add.tar.gz", "no archive", 10);
    put_download_file(p, "c_3_12_vector_add.cu", "loose", 5);
    expect_download(p, false, LAYOUT_CANVAS, NULL, NULL, 1,
                    3); /* b: the archive; c: which lab; a: an older one */
    assert_string_equal("packed", content(p, "1/02-vector-add/vector_add.cu"));
    expect_download(p, false, LAYOUT_CANVAS, LAB, NULL, 2, 2);
    assert_string_equal("loose", content(p, "3/02-vector-add/vector_add.cu"));
    assert_true(is_left(p, "b_2_11_02-vector-add.tar.gz", "no archive"));
    assert_int_equal(dir_remove(p->in, NULL), STATUS_OK);
    put_download_file(p, "s001_02-vector-add.tar.gz", bytes, length);
    put_download_file(p, "s002.tar.gz", bytes, length);
    put_download_file(p, "02-vector-add.tar.gz", bytes, length);
    expect_download(p, false, LAYOUT_FOLDERS, NULL, NULL, 2, 1);
    assert_string_equal("packed", content(p, "s001/02-vector-add/vector_add.cu"));
    assert_string_equal("packed", content(p, "s002/02-vector-add/vector_add.cu"));
}

/* Links and FIFOs on disk, names that lead out or deceive in a zip: each is its own, and nothing is followed
 * or waited for. */
static void test_hostile(void **state)
{
    Place *p = *state;
    put_download_file(p, "s001/vector_add.cu", "fine", 4);
    put_download_file(p, "s005/notes.txt", "n", 1);
    put_download_file(p, "s006/vector_add.cu", "1", 1);
    put_download_file(p, "s006/sub/vector_add.cu", "2", 1);
    put_download_file(p, "\xFF\xFE/vector_add.cu", "x", 1);
    put_download_file(p, "=1+1/vector_add.cu", "x", 1);
    put_download_file(p, "<script>alert(1)<\\script>/vector_add.cu", "x", 1);
    static const char *const folders[] = {"s002", "s003"};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(0, mkdir(arena_printf(&p->arena, "%s/%s", p->in, folders[i]), 0755));
    assert_int_equal(0, symlink("/etc/passwd", arena_printf(&p->arena, "%s/s002/vector_add.cu", p->in)));
    assert_int_equal(0, mkfifo(arena_printf(&p->arena, "%s/s003/vector_add.cu", p->in), 0644));
    assert_int_equal(0, symlink("s001", arena_printf(&p->arena, "%s/s004", p->in)));
    assert_int_equal(0, link(arena_printf(&p->arena, "%s/s005/notes.txt", p->in),
                             arena_printf(&p->arena, "%s/s005/vector_add.cu", p->in)));
    expect_download(p, false, LAYOUT_FOLDERS, LAB, NULL, 2, 8);
    assert_string_equal("fine", content(p, "s001/02-vector-add/vector_add.cu"));
    assert_string_equal("x", content(p, "=1+1/02-vector-add/vector_add.cu"));
    assert_true(is_left(p, "s002/vector_add.cu", "symbolic link"));
    assert_true(is_left(p, "s003/vector_add.cu", "FIFO"));
    assert_true(is_left(p, "s004", "symbolic link"));
    assert_true(is_left(p, "s006", "two files of one name"));
    assert_true(is_left(p, "\xFF\xFE", "cannot name a folder"));
    assert_int_equal(dir_remove(p->in, NULL), STATUS_OK);
    make_download(p, (const File[]){{"s001/vector_add.cu", "fine"}}, 1);
    struct archive *zip = archive_write_new();
    archive_write_set_format_pax_restricted(zip);
    assert_int_equal(archive_write_open_filename(zip, p->zip), ARCHIVE_OK);
    static const char *const names[] = {"s001/vector_add.cu",         "s002/../../../vector_add.cu",
                                        "/s003/vector_add.cu",        "s004\\vector_add.cu",
                                        "s005/\x1b[31mvector_add.cu", "s006/vector_add.cu"};
    for (size_t i = 0; i < 6; i++) {
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname(e, names[i]);
        archive_entry_set_filetype(e, i == 5 ? AE_IFLNK : AE_IFREG);
        if (i == 5)
            archive_entry_set_symlink(e, "/etc/passwd");
        archive_entry_set_size(e, 0);
        assert_true(archive_write_header(zip, e) >= ARCHIVE_WARN);
        archive_entry_free(e);
    }
    archive_write_free(zip);
    expect_download(p, true, LAYOUT_FOLDERS, LAB, NULL, 1, 5);
    assert_int_not_equal(0, access(arena_printf(&p->arena, "%s/vector_add.cu", p->dir), F_OK));
}

/* Roster and receipts ----------------------------------------------------------------------------------- */

static void test_roster(void **state)
{
    Place *p = *state;
    Roster roster;
    Diag d = {0};
    const char *path = arena_printf(&p->arena, "%s/roster.csv", p->in), *student;
    static const char good[] =
        "student,name,mail\ns001,Student One,s001@example.org\ns002,Student One,s002@example.org\n\n";
    put_download_file(p, "roster.csv", good, strlen(good));
    assert_int_equal(STATUS_OK, roster_load(&p->arena, path, &roster, &d));
    assert_int_equal(2, roster.n);
    assert_int_equal(STATUS_OK,
                     roster_find(&roster, (const char *[]){"", "S002@example.org"}, 2, &student, &d));
    assert_string_equal("s002", student);
    assert_int_equal(STATUS_INVALID, roster_find(&roster, (const char *[]){"Student One"}, 1, &student, &d));
    assert_int_equal(STATUS_NOT_FOUND,
                     roster_find(&roster, (const char *[]){"Student", ""}, 2, &student, &d));
    static const char *const bad[] = {"", "student\n", "student\n\"open\n", "student\n../x\n",
                                      "student\n-x\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_download_file(p, "roster.csv", bad[i], strlen(bad[i]));
        assert_int_not_equal(STATUS_OK, roster_load(&p->arena, path, &roster, &d));
    }
}

static void test_receipts(void **state)
{
    Place *p = *state;
    Receipts receipts;
    Diag d = {0};
    static const char good[] =
        "student,lab,received,late\r\n\"=a,b\",02-vector-add,2026-10-12T23:59:00+02:00,\r\n"
        "s001,01-indexing,,yes\r\n";
    put_download_file(p, "receipts.csv", good, strlen(good));
    if (receipts_load(&p->arena, p->in, &receipts, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    const Receipt *r = receipts_find(&receipts, "=a,b", LAB);
    assert_non_null(r);
    assert_true(r->has_time && !r->late);
    assert_null(receipts_find(&receipts, "s001", LAB));
    assert_int_equal(STATUS_OK, receipts_put(&receipts, &(Receipt){.student = "s001", .lab = OTHER}, &d));
    assert_int_equal(2, receipts.n);
    assert_int_equal(STATUS_OK, dir_make(p->out, NULL));
    assert_int_equal(STATUS_OK, receipts_save(&receipts, p->out, &d));
    assert_string_equal("student,lab,received,late\r\n\"'=a,b\",02-vector-add,2026-10-12T21:59:00Z,\r\n"
                        "s001,01-indexing,,\r\n",
                        content(p, "receipts.csv"));
    free(receipts.items);
    static const char *const bad[] = {"",
                                      "student,lab\r\n",
                                      "student,lab,received,late\r\ns001,x\r\n",
                                      "student,lab,received,late\r\ns001,x,yesterday,\r\n",
                                      "student,lab,received,late\r\ns001,x,2026-10-12T23:59:00,\r\n",
                                      "student,lab,received,late\r\ns001,x,,maybe\r\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_download_file(p, "receipts.csv", bad[i], strlen(bad[i]));
        assert_int_equal(STATUS_PARSE, receipts_load(&p->arena, p->in, &receipts, &d));
        free(receipts.items);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, drop_place)
    const struct CMUnitTest tests[] = {
        TEST(test_canvas_names), TEST(test_moodle_names),    TEST(test_usual_names),
        TEST(test_canvas),       TEST(test_moodle),          TEST(test_moodle_of_today),
        TEST(test_moodle_teams), TEST(test_gradescope),      TEST(test_gradescope_metadata),
        TEST(test_folders),      TEST(test_archives_inside), TEST(test_hostile),
        TEST(test_roster),       TEST(test_receipts)};
    return cmocka_run_group_tests_name("download", tests, NULL, NULL);
}
