/* Files that debug information names: regular ones below the folder are read, and nothing else is. */
#include "common/vgpu/tool/tool.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { BYTES_MAX = 1000 };

static char top[64]; /* top/src is the folder; top/secret lies beside it */

static const char *in(const char *name)
{
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

static void put_untrusted(const char *name, const char *text)
{
    FILE *file = fopen(in(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(top, "/tmp/untrusted-test-XXXXXX");
    assert_non_null(mkdtemp(top));
    assert_int_equal(0, mkdir(in("src"), 0755) | mkdir(in("src/sub"), 0755) | mkdir(in("src-2"), 0755));
    put_untrusted("secret", "secret\n");
    put_untrusted("src-2/a.cu", "of another folder\n");
    put_untrusted("src/a.cu", "line 1\nline 2\n");
    put_untrusted("src/sub/b.cuh", "line 1 of b\n");
    put_untrusted("src/empty", "");
    put_untrusted("src/full", "");
    put_untrusted("src/large", "");
    assert_int_equal(0, truncate(in("src/full"), BYTES_MAX) | truncate(in("src/large"), BYTES_MAX + 1));
    assert_int_equal(0, mkfifo(in("src/fifo"), 0644));
    assert_int_equal(0, symlink(in("secret"), in("src/link")));
    assert_int_equal(0, symlink("a.cu", in("src/link-within")));
    assert_int_equal(0, symlink("/", in("src/folder-link")));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", top);
    return system(command);
}

static bool opens(int fd)
{
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void test_below(void **state)
{
    (void)state;
    static const char *const taken[] = {"src/a.cu", "src/sub/b.cuh", "src//sub///b.cuh", "src/full",
                                        "src/./a.cu"};
    static const char *const refused[] = {"src",
                                          "src/sub",
                                          "src/none.cu",
                                          "src/empty",
                                          "src/large",
                                          "src/fifo",
                                          "src/link",
                                          "src/link-within",
                                          "src/folder-link/etc/passwd",
                                          "src/../secret",
                                          "src/sub/../../secret",
                                          "secret",
                                          "src-2/a.cu",
                                          "src/a.cu/x"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!opens(untrusted_open_below(in("src"), in(taken[i]), BYTES_MAX)))
            fail_msg("%s was refused", taken[i]);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (opens(untrusted_open_below(in("src"), in(refused[i]), BYTES_MAX)))
            fail_msg("%s was opened", refused[i]);
    assert_true(opens(untrusted_open_below(in("src"), "sub/b.cuh", BYTES_MAX)));
    assert_true(opens(untrusted_open_below(in("src/"), in("src/a.cu"), BYTES_MAX)));
    assert_false(opens(untrusted_open_below(in("src"), "/dev/zero", BYTES_MAX)));
    assert_false(opens(untrusted_open_below(in("src"), "", BYTES_MAX)));
    assert_false(opens(untrusted_open_below(in("none"), in("none/a.cu"), BYTES_MAX)));
}

/* Without a folder any file, if it is regular and has a size. */
static void test_anywhere(void **state)
{
    (void)state;
    static const char *const refused[] = {"/dev/zero",      "/dev/null", "/proc/self/environ",
                                          "/proc/self/mem", "/etc",      "/no/such/file"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (opens(untrusted_open(refused[i], BYTES_MAX)))
            fail_msg("%s was opened", refused[i]);
    assert_true(opens(untrusted_open(in("secret"), BYTES_MAX)));
    assert_false(opens(untrusted_open(in("src/fifo"), BYTES_MAX)));
    assert_false(opens(untrusted_open(in("src/large"), BYTES_MAX)));
}

static void test_lines(void **state)
{
    (void)state;
    Places *p = places_new(in("src"));
    assert_string_equal("line 2", places_source_line(p, in("src/a.cu"), 2));
    assert_null(places_source_line(p, in("src/a.cu"), 3));
    assert_null(places_source_line(p, in("src/full"), 1)); /* NUL bytes only */
    assert_null(places_source_line(p, in("secret"), 1));
    assert_null(places_source_line(p, "/dev/zero", 1));
    assert_null(places_source_line(p, "/proc/self/environ", 1));
    places_free(p);
    p = places_new(NULL);
    assert_string_equal("secret", places_source_line(p, in("secret"), 1));
    places_free(p);
}

/* Objects that records name: a FIFO is not waited for, a device not read. */
static void test_objects(void **state)
{
    (void)state;
    char text[512];
    snprintf(text, sizeof text,
             "{\"id\":1,\"frames\":[[\"%s\",16],[\"/dev/zero\",16],[\"/proc/self/mem\",16]]}",
             in("src/fifo"));
    json_t *record = json_loads(text, 0, NULL);
    Places *p = places_new(NULL);
    FindingSite site = {.token = places_token(0, 1)};
    places_add(p, 0, record);
    assert_false(places_find(p, &site));
    places_free(p);
    json_decref(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_below), cmocka_unit_test(test_anywhere),
                                       cmocka_unit_test(test_lines), cmocka_unit_test(test_objects)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
