/* Gradebooks of other systems, filled in: grades land in the right rows and columns, and nothing else
 * changes; what is not certain is refused.
 */
#include "grader/report/fill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "\xEF\xBB\xBFIdentifier,\"Full name\",Grade,\"Feedback, comments\"\r\n"

static Result *result_of(const char *student, const char *lab, Verdict verdict, double score)
{
    Result *r = result_create();
    assert_non_null(r);
    r->student = student;
    r->lab = lab;
    r->verdict = verdict;
    r->score = score;
    r->max_score = 100;
    return r;
}

typedef Status (*Fill)(const ReportClass *, const Sheet *, const FillOptions *, StrBuf *, StrBuf *, Diag *);

static Status fill_text(Fill fill, const ReportClass *c, const char *text, const FillOptions *options,
                        char **filled, char **notes, Diag *d)
{
    Arena a = {0};
    Sheet sheet;
    StrBuf out = {0}, said = {0};
    Status s = sheet_parse(&a, "sheet.csv", text, strlen(text), &sheet, d);
    if (s == STATUS_OK)
        s = fill(c, &sheet, options, &out, &said, d);
    *filled = out.text;
    *notes = said.text;
    arena_free(&a);
    return s;
}

/* Fills a sheet with the scores of s001 (87.5), 42 (100) and s003, who handed nothing in. */
static Status fill(const char *sheet, const char *column, char **text, Diag *d)
{
    Result *results[] = {result_of("s001", "02-vector-add", VERDICT_RACE, 87.5),
                         result_of("42", "02-vector-add", VERDICT_PASS, 100),
                         result_of("s003", "02-vector-add", VERDICT_NOT_SUBMITTED, 0)};
    ReportClass *c;
    char *notes;
    assert_int_equal(report_class_make(results, 3, &c, d), STATUS_OK);
    Status s = fill_text(report_fill_moodle, c, sheet, &(FillOptions){.column = column}, text, &notes, d);
    free(notes);
    report_class_free(c);
    return s;
}

static void test_fills(void **state)
{
    (void)state;
    char *text;
    Diag d = {0};
    assert_int_equal(fill(HEAD "Participant 42,\"A, \"\"B\"\"\nC\",\"5\",\r\nParticipant 7,s001,,kept\r\n"
                               "Participant 8,s003,-,x\r\nParticipant 9,stranger,1,",
                          "Grade", &text, &d),
                     STATUS_OK);
    assert_string_equal(text,
                        HEAD "Participant 42,\"A, \"\"B\"\"\nC\",100.00,\r\nParticipant 7,s001,87.50,kept\r\n"
                             "Participant 8,s003,-,x\r\nParticipant 9,stranger,1,");
    free(text);
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *sheet, *column, *says;
        Status status;
    } cases[] = {
        {HEAD "1,s001,,\n2,42,,\n", "Grade", "no row for s003", STATUS_NOT_FOUND},
        {HEAD "1,s001,,\n2,s001,,\n", "Grade", "several rows", STATUS_INVALID},
        {HEAD "42,s001,,\n", "Grade", "several students", STATUS_INVALID},
        {HEAD "1,s001\n", "Grade", "no cell for the grade", STATUS_INVALID},
        {HEAD "1,\"s001,,\n", "Grade", "row 2", STATUS_PARSE},
        {HEAD "1,\"s001\"x,,\n", "Grade", "row 2", STATUS_PARSE},
        {HEAD, "Bewertung", "no column 'Bewertung'", STATUS_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        Diag d = {0};
        assert_int_equal(fill(cases[i].sheet, cases[i].column, &text, &d), cases[i].status);
        assert_non_null(strstr(d.message, cases[i].says));
        free(text);
    }
}

/* Points by hand for nothing handed in are filled in; what the kit failed on stays as it was. */
static void test_what_counts(void **state)
{
    (void)state;
    Result *results[] = {result_of("s001", "02-vector-add", VERDICT_KIT_ERROR, 100),
                         result_of("s002", "02-vector-add", VERDICT_NOT_SUBMITTED, 0)};
    GradeItem set = {.set = true, .points = 12, .text = "by hand"};
    ReportClass *c;
    assert_int_equal(report_class_make(results, 2, &c, NULL), STATUS_OK);
    c->grades[1].items = &set;
    c->grades[1].n_items = 1;
    c->grades[1].final = 12;
    char *text, *notes;
    assert_int_equal(fill_text(report_fill_moodle, c, HEAD "1,s001,-,a\r\n2,s002,-,b\r\n", &(FillOptions){0},
                               &text, &notes, NULL),
                     STATUS_OK);
    assert_string_equal(text, HEAD "1,s001,-,a\r\n2,s002,12.00,b\r\n");
    free(text);
    free(notes);
    report_class_free(c);
}

/* A class of s001 (race, 87.5), s002 (pass, 100) and s003 (nothing handed in) with what a roster knows of
 * them. */
static ReportClass *roster_class(const Roster *roster)
{
    Result *results[] = {result_of("s001", "02-vector-add", VERDICT_RACE, 87.5),
                         result_of("s002", "02-vector-add", VERDICT_PASS, 100),
                         result_of("s003", "02-vector-add", VERDICT_NOT_SUBMITTED, 0)};
    ReportClass *c;
    assert_int_equal(report_class_make(results, 3, &c, NULL), STATUS_OK);
    c->roster = roster;
    return c;
}

#define ROW(id, name, canvas, sis, login, moodle, email)                                                     \
    {                                                                                                        \
        .cells = { id, name, canvas, sis, login, moodle, email, "", "", "", "" }                             \
    }
static RosterRow rows[] = {ROW("s001", "One, Student", "1201", "30001", "st1", "4711", "st1@example.org"),
                           ROW("s002", "Two, Student", "", "30002", "", "4712", ""),
                           ROW("s003", "Three, Student", "", "", "", "", "")};
static const Roster roster = {.rows = rows, .n = 3};

/* The comment is what the student may read, escaped; what a person wrote before it stays, and ours is
 * replaced when it is filled in again. Points are in the maximum's scale. */
static void test_moodle_comments(void **state)
{
    (void)state;
    static const char head[] =
        "Identifier,Full name,Feedback comments,Maximum Grade,Grade,Grade can be changed\n";
    ReportClass *c = roster_class(&roster);
    CaseResult one = {.name = "<b>",
                      .max_points = 100,
                      .verdict = VERDICT_RACE,
                      .message = "a < b\n\"=1\"",
                      .lesson = "",
                      .hint = "",
                      .replay = ""};
    c->results[0]->cases = &one;
    c->results[0]->n_cases = 1;
    c->results[0]->submission_sha256 = c->results[0]->kit_version = "";
    char sheet[512], *once, *twice, *notes, *more;
    snprintf(sheet, sizeof sheet,
             "%sParticipant 4711,x,seen,\"10,00\",-,Yes\nParticipant 4712,y,,10,,Yes\nParticipant 9,\"Three, "
             "Student\",,10,,Yes\n",
             head);
    Diag d = {0};
    if (fill_text(report_fill_moodle, c, sheet, &(FillOptions){0}, &once, &notes, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    assert_non_null(strstr(once, "Participant 4711,x,\"seen<p>CUDA Lab Kit: race, "
                                 "87.5/100.</p><ul><li>&lt;b&gt;: race, 0/100<pre>a &lt; b\n"));
    assert_non_null(strstr(once, ",8.75,Yes\n"));
    assert_non_null(strstr(once, ",10,10.00,Yes\n"));
    assert_string_equal(notes, "02-vector-add: 100 points are 10 there: the grades are written in those\n");
    assert_int_equal(fill_text(report_fill_moodle, c, once, &(FillOptions){0}, &twice, &more, NULL),
                     STATUS_OK);
    assert_string_equal(once, twice);
    free(once), free(twice), free(notes), free(more);
    static const struct {
        const char *row, *says;
    } bad[] = {{"Participant 4711,x,,10,,No\n", "locked"},
               {"Participant 4711,x,,10,,Yes\n", "no row for s002"}};
    for (size_t i = 0; i < 2; i++) {
        snprintf(sheet, sizeof sheet, "%s%s", head, bad[i].row);
        assert_int_not_equal(fill_text(report_fill_moodle, c, sheet, &(FillOptions){0}, &once, &notes, &d),
                             STATUS_OK);
        assert_non_null(strstr(d.message, bad[i].says));
        free(once), free(notes);
    }
    report_class_free(c);
}

#define CANVAS "Student,ID,SIS User ID,SIS Login ID,Section,"
static const char canvas[] = CANVAS "02-vector-add (77),Essay (78),Final Score\n"
                                    ",,,,,Manual Posting,,\n"
                                    "    Points Possible,,,,,100.00,10,(read only)\n"
                                    "\"One, Student\",1201,30001,st1,A,,5,1\n"
                                    "\"Other, Some\",1299,30099,st99,A,3,5,1\n"
                                    "\"Two, Student\",1202,30002,st2,\"A, B\",50.00,5,1\n"
                                    "\"Three, Student\",1203,30003,st3,A,EX,5,1\n";

static void test_canvas(void **state)
{
    (void)state;
    ReportClass *c = roster_class(&roster);
    char *text, *notes;
    Diag d = {0};
    if (fill_text(report_fill_canvas, c, canvas, &(FillOptions){0}, &text, &notes, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    assert_string_equal(text, CANVAS "02-vector-add (77),Essay (78),Final Score\n"
                                     ",,,,,Manual Posting,,\n"
                                     "    Points Possible,,,,,100.00,10,(read only)\n"
                                     "\"One, Student\",1201,30001,st1,A,87.50,5,1\n"
                                     "\"Other, Some\",1299,30099,st99,A,3,5,1\n"
                                     "\"Two, Student\",1202,30002,st2,\"A, B\",100.00,5,1\n"
                                     "\"Three, Student\",1203,30003,st3,A,EX,5,1\n");
    assert_null(notes);
    free(text);
    assert_int_equal(
        fill_text(report_fill_canvas, c, canvas, &(FillOptions){.column = "Essay"}, &text, &notes, NULL),
        STATUS_OK);
    assert_non_null(strstr(text, "st1,A,,8.75,1\n"));
    assert_non_null(strstr(notes, "100 points are 10 there"));
    free(text), free(notes);
    report_class_free(c);
}

/* An assignment that Canvas does not have; semicolons; a row that is too short; cells that are empty. */
static void test_canvas_new_column(void **state)
{
    (void)state;
    ReportClass *c = roster_class(&roster);
    char *text, *notes;
    static const char sheet[] =
        "Student;ID;SIS Login ID;Section;Old (1)\r\nPoints Possible;;;;10\r\n"
        "One, Student;1201;st1;A\r\nTwo, Student;1202;x;\"A;B\";2,5\r\nThree, Student;1203;y;A;";
    assert_int_equal(fill_text(report_fill_canvas, c, sheet, &(FillOptions){0}, &text, &notes, NULL),
                     STATUS_OK);
    assert_string_equal(
        text, "Student;ID;SIS Login ID;Section;Old (1);02-vector-add\r\nPoints Possible;;;;10;100.00\r\n"
              "One, Student;1201;st1;A;;87.50\r\nTwo, Student;1202;x;\"A;B\";2,5;100.00\r\nThree, "
              "Student;1203;y;A;");
    assert_non_null(strstr(notes, "will make one"));
    free(text), free(notes);
    report_class_free(c);
}

static void test_canvas_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *sheet, *column, *says;
    } bad[] = {
        {"a,b\n1,2\n", NULL, "no gradebook of Canvas's"},
        {"", NULL, "empty"},
        {"\xFF\xFEI\0", NULL, "not CSV in UTF-8"},
        {CANVAS "Lab (1)\n", "Labb", "no assignment Labb"},
        {CANVAS "Lab (1),Lab (2)\n", "Lab", "2 assignments"},
        {CANVAS "Lab\nPoints Possible,,,,,(read only)\n", "Lab", "works the column of Lab out"},
        {CANVAS "Lab\n\"One, Student\",1201,,,A,\n", NULL, "no row for s002"},
        {CANVAS "Lab\nx,1201,,,A,\ny,,30001,,A,\n", NULL, "s001 has several rows in the gradebook: 2 and 3"},
        {CANVAS "Lab\nx,1201,30002,,A,\n", NULL, "row 2 of the gradebook fits several"},
        {CANVAS "Lab\n\"x,1201\n", NULL, "row 2 is no CSV"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ReportClass *c = roster_class(&roster);
        char *text, *notes;
        Diag d = {0};
        assert_int_not_equal(fill_text(report_fill_canvas, c, bad[i].sheet,
                                       &(FillOptions){.column = bad[i].column}, &text, &notes, &d),
                             STATUS_OK);
        if (!strstr(d.message, bad[i].says))
            fail_msg("%zu: %s", i, d.message);
        free(text), free(notes);
        report_class_free(c);
    }
    Result *results[] = {result_of("s001", "03-Final Score", VERDICT_PASS, 100)};
    ReportClass *c;
    char *text, *notes;
    Diag d = {0};
    assert_int_equal(report_class_make(results, 1, &c, NULL), STATUS_OK);
    assert_int_equal(
        fill_text(report_fill_canvas, c, CANVAS "Lab\nx,,,s001,A,\n", &(FillOptions){0}, &text, &notes, &d),
        STATUS_INVALID);
    assert_non_null(strstr(d.message, "03-Final Score"));
    free(text), free(notes);
    c->results[0]->score = c->grades[0].final = 120;
    assert_int_equal(fill_text(report_fill_canvas, c, CANVAS "Lab\nx,,,s001,A,\n",
                               &(FillOptions){.column = "Lab"}, &text, &notes, &d),
                     STATUS_INVALID);
    assert_non_null(strstr(d.message, "120.00 of 100.00 points"));
    free(text), free(notes);
    report_class_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fills),         cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_what_counts),   cmocka_unit_test(test_moodle_comments),
        cmocka_unit_test(test_canvas),        cmocka_unit_test(test_canvas_new_column),
        cmocka_unit_test(test_canvas_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
