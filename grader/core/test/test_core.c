/* Verdicts, hashes, text, files and results. */
#include "grader/core/files.h"
#include "grader/core/result.h"
#include "grader/core/sha256.h"
#include "grader/core/text.h"
#include "grader/core/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/core-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return dir_remove(folder, NULL);
}

/* Verdicts ------------------------------------------------------------------------------------- */

static void test_verdict_order(void **state)
{
    (void)state;
    static const char *const words[] = {
        "kit-error",      "not-submitted", "build-error",    "forbidden-call", "timeout",
        "memory-limit",   "output-limit",  "out-of-bounds",  "misaligned",     "invalid-free",
        "race",           "uninitialized", "barrier",        "crash",          "cuda-error",
        "missing-output", "host-overrun",  "input-modified", "wrong-result",   "no-gpu-work",
        "misuse",         "leak",          "slow",           "suspect",        "inconclusive",
        "pass",
    };
    assert_int_equal(sizeof words / sizeof *words, VERDICT_N);
    for (int i = 0; i < VERDICT_N; i++) {
        Verdict v = VERDICT_N;
        assert_string_equal(words[i], verdict_word((Verdict)i));
        assert_true(verdict_from_word(words[i], &v));
        assert_int_equal(i, v);
        size_t n = strlen(verdict_meaning(v));
        assert_true(n > 0 && verdict_meaning(v)[n - 1] == '.');
    }
}

static void test_verdict_rules(void **state)
{
    (void)state;
    Verdict v = VERDICT_RACE;
    assert_false(verdict_from_word("nonsense", &v));
    assert_int_equal(VERDICT_RACE, v);
    assert_int_equal(VERDICT_RACE, verdict_worse(VERDICT_WRONG_RESULT, VERDICT_RACE));
    assert_int_equal(VERDICT_SLOW, verdict_worse(VERDICT_PASS, VERDICT_SLOW));
    for (int i = 0; i < VERDICT_N; i++) {
        bool finding = (i >= VERDICT_OUT_OF_BOUNDS && i <= VERDICT_BARRIER) || i == VERDICT_MISUSE || i == VERDICT_LEAK;
        assert_int_equal(finding, verdict_credit((Verdict)i) == CREDIT_FINDING);
    }
    assert_int_equal(CREDIT_OPEN, verdict_credit(VERDICT_KIT_ERROR));
    assert_int_equal(CREDIT_FULL, verdict_credit(VERDICT_INCONCLUSIVE));
    assert_true(verdict_needs_person(VERDICT_SUSPECT));
    assert_false(verdict_needs_person(VERDICT_PASS));
}

/* Hashes --------------------------------------------------------------------------------------- */

static const char *hash_of(const char *text, size_t piece)
{
    static char hex[SHA256_HEX];
    Sha256 s;
    sha256_start(&s);
    for (size_t i = 0, n = strlen(text); i < n; i += piece)
        sha256_add(&s, text + i, n - i < piece ? n - i : piece);
    sha256_end_hex(&s, hex);
    return hex;
}

/* The examples of FIPS 180-4's companion page, in one piece and byte by byte. */
static void test_sha256(void **state)
{
    (void)state;
    assert_string_equal("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", hash_of("", 1));
    assert_string_equal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                        hash_of("abc", 3));
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (size_t piece = 1; piece < 60; piece++)
        assert_string_equal("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                            hash_of(two_blocks, piece));
    char million[1001];
    memset(million, 'a', 1000);
    million[1000] = '\0';
    Sha256 s;
    char hex[SHA256_HEX];
    sha256_start(&s);
    for (int i = 0; i < 1000; i++)
        sha256_add(&s, million, 1000);
    sha256_end_hex(&s, hex);
    assert_string_equal("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", hex);
}

/* Text ----------------------------------------------------------------------------------------- */

static void test_text_strip_folder(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"/w/s0/src/a.cu:50: undefined", "/w/s0/src", "a.cu:50: undefined"},
        {"ld: /build/a.o: in `f' (/build/b.o)", "/build", "ld: a.o: in `f' (b.o)"},
        {"/usr/src/x.h: /usr/build/src/y", "/src", "/usr/src/x.h: /usr/build/src/y"},
        {"/src /srcs/x /src", "/src", "/src /srcs/x /src"},
        {"/src//src/a", "/src", "/src/a"},
        {"as it is", "", "as it is"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", rows[i][0]);
        text_strip_folder(text, rows[i][1]);
        assert_string_equal(rows[i][2], text);
    }
    text_strip_folder((char *)"a constant", "/src"); /* is not written to */
}

static void check_clean(const char *wanted, const char *text, size_t length, size_t max)
{
    Arena a = {0};
    assert_string_equal(wanted, text_clean(&a, text, length, max));
    arena_free(&a);
}

#define CLEAN(wanted, text) check_clean(wanted, text, sizeof(text) - 1, 1000)

static void test_text(void **state)
{
    (void)state;
    CLEAN("plain\n\ttext", "plain\n\ttext");
    CLEAN("red", "\033[31mred\033[0m");
    CLEAN("title", "\033]0;evil\007title");
    CLEAN("link", "\033]8;;http://x\033\\link\033]8;;\033\\");
    CLEAN("", "\033");
    CLEAN("", "\033[12;");
    CLEAN("a?b?c", "a\0b\001c");
    CLEAN("line\nnext", "line\r\nnext");
    CLEAN("a\xEF\xBF\xBD"
          "b",
          "a\xff"
          "b");
    CLEAN("\xEF\xBF\xBDtxt", "\xE2\x80\xAEtxt"); /* right-to-left override */
    CLEAN("\xC3\xA9", "\xC3\xA9");
    check_clean("abcde", "abcde", 5, 5);
    check_clean("abcd\n[... 1 more bytes cut]\n", "abcde", 5, 4);
}

/* Files ---------------------------------------------------------------------------------------- */

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *text)
{
    assert_int_equal(STATUS_OK, file_write_atomic(path_of(name), text, strlen(text), NULL));
}

static void test_atomic_write(void **state)
{
    (void)state;
    put_file("whole", "old");
    put_file("whole", "new text");
    Arena a = {0};
    char *bytes;
    size_t n;
    assert_int_equal(STATUS_OK, file_read(&a, path_of("whole"), 100, &bytes, &n, NULL));
    assert_string_equal("new text", bytes);
    /* A write that fails half way (here at a size limit) leaves the old file and nothing beside it. */
    struct rlimit before, small = {.rlim_cur = 10, .rlim_max = RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    small.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    Diag d;
    assert_int_equal(STATUS_IO, file_write_atomic(path_of("whole"), "more than ten bytes", 19, &d));
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(STATUS_OK, file_read(&a, path_of("whole"), 100, &bytes, &n, NULL));
    assert_string_equal("new text", bytes);
    const char **names;
    assert_int_equal(STATUS_OK, dir_list(&a, folder, &names, &n, NULL));
    assert_int_equal(1, n);
    assert_int_not_equal(STATUS_OK, file_write_atomic(path_of("no/such/folder"), "x", 1, &d));
    arena_free(&a);
}

/* The kernel's own files have no size, and something in them; an empty file has neither. */
static void test_kernel_files(void **state)
{
    (void)state;
    Arena a = {0};
    char *bytes;
    size_t n;
    assert_int_equal(STATUS_OK, file_read(&a, "/proc/version", 1000, &bytes, &n, NULL));
    assert_int_equal(strlen(bytes), n);
    assert_int_equal(0, strncmp(bytes, "Linux ", 6));
    assert_int_equal(STATUS_OK, file_read(&a, "/proc/version", 5, &bytes, &n, NULL));
    assert_string_equal("Linux", bytes);
    put_file("empty", "");
    assert_int_equal(STATUS_OK, file_read(&a, path_of("empty"), 1000, &bytes, &n, NULL));
    assert_int_equal(0, n);
    assert_int_equal(0, unlink(path_of("empty")));
    arena_free(&a);
}

static Status read_untrusted(const char *name, size_t max, Diag *d)
{
    Arena a = {0};
    char *bytes;
    size_t n;
    int dir = open(folder, O_RDONLY | O_DIRECTORY);
    Status s = file_read_untrusted(&a, dir, name, max, &bytes, &n, d);
    close(dir);
    arena_free(&a);
    return s;
}

static void test_untrusted_files(void **state)
{
    (void)state;
    Diag d;
    put_file("plain", "12345");
    assert_int_equal(STATUS_OK, read_untrusted("plain", 5, &d));
    assert_int_equal(STATUS_LIMIT, read_untrusted("plain", 4, &d));
    assert_int_equal(STATUS_NOT_FOUND, read_untrusted("absent", 5, &d));
    assert_int_equal(0, symlink("/etc/hostname", path_of("link")));
    assert_int_equal(STATUS_INVALID, read_untrusted("link", 100, &d));
    assert_string_equal("link is a symbolic link", d.message);
    assert_int_equal(0, mkfifo(path_of("fifo"), 0644));
    assert_int_equal(STATUS_INVALID, read_untrusted("fifo", 100, &d)); /* and does not wait for a writer */
    assert_int_equal(0, mkdir(path_of("inner"), 0755));
    assert_int_equal(STATUS_INVALID, read_untrusted("inner", 100, &d));
    assert_int_equal(0, link(path_of("plain"), path_of("second")));
    assert_int_equal(STATUS_INVALID, read_untrusted("plain", 100, &d));
    int fd = open(path_of("sparse"), O_WRONLY | O_CREAT, 0644);
    assert_int_equal(0, ftruncate(fd, (off_t)1 << 40));
    close(fd);
    assert_int_equal(STATUS_LIMIT, read_untrusted("sparse", 1 << 20, &d));
}

static void test_folders(void **state)
{
    (void)state;
    assert_int_equal(STATUS_OK, dir_make(path_of("a/b/c"), NULL));
    assert_int_equal(STATUS_OK, dir_make(path_of("a/b/c"), NULL));
    put_file("a/b/file", "x");
    assert_int_equal(STATUS_IO, dir_make(path_of("a/b/file/d"), NULL));
    put_file("precious", "x");
    assert_int_equal(0, symlink(folder, path_of("a/b/c/out")));
    assert_int_equal(STATUS_OK, dir_remove(path_of("a"), NULL));
    assert_int_equal(0, access(path_of("precious"), F_OK));
    assert_int_equal(-1, access(path_of("a"), F_OK));
    assert_int_equal(STATUS_OK, dir_remove(path_of("a"), NULL));
}

/* Puts one file after another into the folder, as long as it is there. */
static void *write_late(void *path)
{
    for (int fd; (fd = open(path, O_CREAT | O_WRONLY, 0600)) >= 0;)
        close(fd);
    return NULL;
}

static void test_folder_somebody_writes_to(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        char late[128];
        pthread_t writer;
        assert_int_equal(STATUS_OK, dir_make(path_of("busy/deep"), NULL));
        snprintf(late, sizeof late, "%s", path_of("busy/deep/late"));
        assert_int_equal(0, pthread_create(&writer, NULL, write_late, late));
        while (access(late, F_OK) != 0)
            ;
        Status s = dir_remove(path_of("busy"), NULL);
        for (int left = 1000000; s != STATUS_OK && left > 0 && access(late, F_OK) == 0; left--) {
            unlink(late);
            rmdir(path_of("busy/deep"));
        }
        pthread_join(writer, NULL);
        assert_int_equal(STATUS_OK, s);
    }
}

/* Results -------------------------------------------------------------------------------------- */

static Result *example(void)
{
    static Finding finding = {.kind = "out-of-bounds",
                              .verdict = "out-of-bounds",
                              .kernel = "add",
                              .place.file = "vector_add.cu",
                              .place.line = 23,
                              .has_thread = true,
                              .block = {3, 0, 0},
                              .thread = {232, 0, 0},
                              .has_address = true,
                              .address = 0x700000000190,
                              .bytes = 4,
                              .count = 24,
                              .message = "write past the end",
                              .hint = "",
                              .text = "vector_add.cu:23: write past the end"};
    static ResultMetric metric = {"dram_ratio", 1.125};
    static ResultSpan span = {"kernel",   "add",           .device = 1, .stream = 3,
                              .bytes = 0, .start_us = 1.5, .end_us = 4};
    static CaseResult cases[2] = {
        {.name = "odd",
         .points = 3.5,
         .max_points = 7,
         .verdict = VERDICT_OUT_OF_BOUNDS,
         .message = "m\n\xC3\xA9",
         .lesson = "l",
         .hint = "h",
         .replay = "make run CASE=odd",
         .findings = &finding,
         .n_findings = 1,
         .metrics = &metric,
         .n_metrics = 1,
         .spans = &span,
         .n_spans = 1,
         .spans_left_out = 2},
        {.name = "secret",
         .hidden = true,
         .points = 93,
         .max_points = 93,
         .verdict = VERDICT_PASS,
         .message = "",
         .lesson = "",
         .hint = "",
         .replay = ""},
    };
    static const char *layers[] = {"bubblewrap", "seccomp"};
    Result *r = result_create();
    r->student = "s001";
    r->lab = "02-vector-add";
    r->submission_sha256 = "00ff";
    r->kit_version = "1";
    r->seed = (UINT64_C(1) << 53) - 1;
    r->device_kind = "virtual";
    r->device_name = "card";
    r->compiler = "nvcc";
    r->compiler_version = "13.0.88";
    r->sandbox = layers;
    r->n_sandbox = 2;
    r->build_log = "log";
    r->cases = cases;
    r->n_cases = 2;
    result_sum_up(r);
    return r;
}

static char *dump(const Result *r)
{
    json_t *json = result_to_json(r);
    assert_non_null(json);
    char *text = json_dumps(json, JSON_INDENT(1));
    json_decref(json);
    return text;
}

static void test_sums(void **state)
{
    (void)state;
    Result *r = example();
    assert_true(r->score == 96.5 && r->max_score == 100);
    assert_int_equal(VERDICT_OUT_OF_BOUNDS, r->verdict);
    result_free(r);
}

static void test_result_round_trip(void **state)
{
    (void)state;
    Result *r = example(), *again = NULL;
    char *text = dump(r);
    Timing t = {.started_at = 1, .total_s = 0.1234};
    assert_int_equal(STATUS_OK, result_save(r, &t, path_of("results/s001"), NULL));
    Diag d;
    if (result_load(path_of("results/s001/result.json"), &again, &d) != STATUS_OK)
        fail_msg("%s", d.message);
    char *text_again = dump(again);
    assert_string_equal(text, text_again);
    assert_non_null(strstr(text, "\"score\": 96.5"));
    assert_non_null(strstr(text, "\"max_score\": 100,"));
    assert_string_equal("nvcc", again->compiler);
    assert_string_equal("13.0.88", again->compiler_version);
    free(text);
    free(text_again);
    result_free(r);
    result_free(again);
}

/* A result of a kit that knew one compiler is read, and written as it was. */
static void test_result_without_compiler(void **state)
{
    (void)state;
    Result *r = example(), *again = NULL;
    r->compiler = r->compiler_version = "";
    json_t *json = result_to_json(r), *json_again;
    assert_null(json_object_get(json, "compiler"));
    assert_int_equal(STATUS_OK, result_from_json(json, &again, NULL));
    assert_string_equal("", again->compiler);
    json_again = result_to_json(again);
    assert_true(json_equal(json, json_again));
    json_decref(json);
    json_decref(json_again);
    result_free(r);
    result_free(again);
}

static void test_bad_results(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "[]", "{}", "{\"schema\": 2}", "{\"schema\": 1}", "{\"schema\": 1, \"schema\": 1}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Result *r;
        Diag d = {0};
        put_file("bad.json", bad[i]);
        assert_int_equal(STATUS_PARSE, result_load(path_of("bad.json"), &r, &d));
        assert_null(r);
        assert_true(d.message[0]);
    }
    Result *r = example(), *again;
    json_t *json = result_to_json(r);
    json_object_set_new(json, "verdict", json_string("splendid"));
    Diag d;
    assert_int_equal(STATUS_PARSE, result_from_json(json, &again, &d));
    assert_string_equal("a result's 'verdict' must be a verdict", d.message);
    json_decref(json);
    result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdict_order),
        cmocka_unit_test(test_verdict_rules),
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_text_strip_folder),
        cmocka_unit_test(test_text),
        cmocka_unit_test_setup_teardown(test_atomic_write, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kernel_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_untrusted_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_folders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_folder_somebody_writes_to, set_up, tear_down),
        cmocka_unit_test(test_sums),
        cmocka_unit_test_setup_teardown(test_result_round_trip, set_up, tear_down),
        cmocka_unit_test(test_result_without_compiler),
        cmocka_unit_test_setup_teardown(test_bad_results, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
