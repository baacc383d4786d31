/* .npy files: what is written is read back, what is damaged is refused, and no bytes make the reader fall
 * over. */
#include "common/base/rng.h"
#include "common/lab/npy.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int new_folder(void)
{
    char path[] = "/tmp/test_npy.XXXXXX";
    assert_non_null(mkdtemp(path));
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0);
    return fd;
}

static void remove_folder(int fd)
{
    char link[64], path[128];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    assert_true(n > 0);
    path[n] = '\0';
    close(fd);
    assert_int_equal(rmdir(path), 0);
}

/* A file's bytes: a header of the given version with this dictionary, and `data` bytes of elements. */
static size_t make_file(unsigned char *bytes, int major, const char *dictionary, size_t data)
{
    size_t length = strlen(dictionary);
    size_t start = major == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)major;
    bytes[7] = 0;
    memset(bytes + 8, 0, 4);
    bytes[8] = (unsigned char)(length & 0xFF);
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + start, dictionary, length);
    for (size_t i = 0; i < data; i++)
        bytes[start + length + i] = (unsigned char)i;
    return start + length + data;
}

static Status parse(int major, const char *dictionary, size_t data, LabArray *array, Diag *diag)
{
    static unsigned char bytes[4096]; /* the array returned points into it */
    *diag = (Diag){0};
    return npy_parse(bytes, make_file(bytes, major, dictionary, data), array, diag);
}

static void every_type_comes_back(void **state)
{
    (void)state;
    int folder = new_folder();
    for (int t = 0; t < LAB_N_TYPES; t++)
        for (int n_dims = 0; n_dims <= 4; n_dims++) {
            size_t shape[4] = {3, 1, 5, 2};
            LabArray array = {0};
            NpyFile file;
            Diag diag = {0};
            assert_int_equal(npy_set_shape(&array, (LabType)t, n_dims, shape, &diag), STATUS_OK);
            size_t bytes = array.elements * npy_type_bytes(array.type);
            unsigned char data[30 * 8];
            for (size_t i = 0; i < bytes; i++)
                data[i] = (unsigned char)(i * 37 + 11);
            array.data = data;
            assert_int_equal(npy_write(folder, "a.npy", &array, &diag), STATUS_OK);
            assert_int_equal(npy_read(folder, "a.npy", 4096, &file, &diag), STATUS_OK);
            assert_int_equal(file.array.type, t);
            assert_int_equal(file.array.n_dims, n_dims);
            assert_memory_equal(file.array.shape, shape, (size_t)n_dims * sizeof shape[0]);
            assert_memory_equal(file.array.data, data, bytes);
            npy_free(&file);
        }
    unlinkat(folder, "a.npy", 0);
    remove_folder(folder);
}

static void header_is_what_numpy_writes(void **state)
{
    (void)state;
    int folder = new_folder();
    float data[3] = {1, 2, 3};
    LabArray array = {.type = LAB_F32, .n_dims = 1, .shape = {3}, .elements = 3, .data = data};
    Diag diag;
    unsigned char bytes[256];
    assert_int_equal(npy_write(folder, "a.npy", &array, &diag), STATUS_OK);
    int fd = openat(folder, "a.npy", O_RDONLY);
    assert_int_equal(read(fd, bytes, sizeof bytes), 128 + 12);
    close(fd);
    assert_memory_equal(
        bytes, "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  ", 68);
    assert_int_equal(bytes[127], '\n');
    unlinkat(folder, "a.npy", 0);
    remove_folder(folder);
}

static void empty_arrays_are_legal(void **state)
{
    (void)state;
    LabArray array;
    Diag diag;
    assert_int_equal(
        parse(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }\n", 0, &array, &diag), STATUS_OK);
    assert_int_equal(array.elements, 0);
    assert_int_equal(
        parse(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 0, 2), }\n", 0, &array, &diag),
        STATUS_OK);
    assert_int_equal(array.elements, 0);
    assert_int_equal(array.n_dims, 3);
}

static void all_versions_and_spellings_are_read(void **state)
{
    (void)state;
    static const char *const spellings[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }       \n",
        "{\"shape\": (2,3), \"fortran_order\": False, \"descr\": \"<f4\"}",
        "{ 'fortran_order' : False , 'descr' : '<f4' , 'shape' : ( 2 , 3 , ) , }",
    };
    for (int major = 1; major <= 3; major++)
        for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
            LabArray array;
            Diag diag;
            assert_int_equal(parse(major, spellings[i], 24, &array, &diag), STATUS_OK);
            assert_int_equal(array.type, LAB_F32);
            assert_int_equal(array.n_dims, 2);
            assert_int_equal(array.elements, 6);
            assert_int_equal(((unsigned char *)array.data)[23], 23);
        }
}

typedef struct Refusal {
    const char *dictionary;
    size_t data;
    Status status;
    const char *says;
} Refusal;

static void damaged_files_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const Refusal refusals[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 15, STATUS_PARSE, "truncated"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 17, STATUS_PARSE, "overlong"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (4,), }", 16, STATUS_UNSUPPORTED, "'>f4'"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (4,), }", 32, STATUS_UNSUPPORTED, "'<c8'"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (4,), }", 32, STATUS_UNSUPPORTED, "'|O'"},
        {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (4,), }", 16, STATUS_PARSE,
         "element type"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", 16, STATUS_UNSUPPORTED, "Fortran"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 2), }", 16, STATUS_PARSE, "True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4), }", 16, STATUS_PARSE, "','"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-4,), }", 16, STATUS_PARSE, "a length"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,,), }", 16, STATUS_PARSE, "a length"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 4, }", 16, STATUS_PARSE, "'('"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 0, STATUS_PARSE,
         "64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }", 0, STATUS_LIMIT,
         "absurd"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 0, STATUS_LIMIT,
         "absurd"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296), }", 0, STATUS_LIMIT,
         "absurd"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1), }",
         4, STATUS_UNSUPPORTED, "dimensions"},
        {"{'descr': '<f4', 'shape': (4,), }", 16, STATUS_PARSE, "keys"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 16, STATUS_PARSE,
         "once"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'x': 1}", 16, STATUS_PARSE, "once"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), } x", 16, STATUS_PARSE, "nothing after"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4,)", 16, STATUS_PARSE, "',' or '}'"},
        {"{'descr': '<f4, 'fortran_order': False, 'shape': (4,), }", 16, STATUS_UNSUPPORTED,
         "elements of type"},
        {"", 0, STATUS_PARSE, "'{'"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        LabArray array;
        Diag diag;
        Status status = parse(1, refusals[i].dictionary, refusals[i].data, &array, &diag);
        if (status != refusals[i].status || !strstr(diag.message, refusals[i].says))
            fail_msg("%s: status %d, message %s", refusals[i].dictionary, status, diag.message);
    }
}

static void short_files_are_refused(void **state)
{
    (void)state;
    unsigned char bytes[256];
    size_t length = make_file(bytes, 2, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 16);
    for (size_t n = 0; n < length; n++) {
        unsigned char *exact =
            malloc(n + 1); /* an allocation of its own, so that a read past the end is seen */
        LabArray array;
        Diag diag = {0};
        memcpy(exact, bytes, n);
        assert_int_not_equal(npy_parse(exact, n, &array, &diag), STATUS_OK);
        assert_true(diag.message[0] != '\0');
        free(exact);
    }
}

/* Random changes of good files: any answer but a crash, and an accepted array lies inside the file. */
static void mutated_files_never_break_the_reader(void **state)
{
    (void)state;
    Rng rng = {.state = 20};
    size_t accepted = 0;
    for (int round = 0; round < 60000; round++) {
        unsigned char bytes[512];
        size_t length = make_file(bytes, 1 + round % 3,
                                  "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }", 32);
        int changes = 1 + (int)rng_below(&rng, 4);
        for (int i = 0; i < changes; i++) {
            size_t at = rng_below(&rng, length);
            static const unsigned char likely[] = "0123456789(),:'{}<>|fiuTF \n\xFF";
            bytes[at] =
                rng_below(&rng, 2) ? likely[rng_below(&rng, sizeof likely)] : (unsigned char)rng_next(&rng);
        }
        if (rng_below(&rng, 4) == 0)
            length = rng_below(&rng, length + 1);
        unsigned char *exact = malloc(length + 1);
        memcpy(exact, bytes, length);
        LabArray array = {0};
        Diag diag = {0};
        if (npy_parse(exact, length, &array, &diag) == STATUS_OK) {
            accepted++;
            unsigned char *data = array.data;
            assert_true(data >= exact &&
                        data + array.elements * npy_type_bytes(array.type) == exact + length);
        } else {
            assert_true(diag.message[0] != '\0');
        }
        free(exact);
    }
    assert_true(accepted > 100); /* changes of elements and blanks do no harm */
}

static void only_regular_files_are_read(void **state)
{
    (void)state;
    int folder = new_folder();
    NpyFile file;
    Diag diag = {0};
    assert_int_equal(symlinkat("/etc/passwd", folder, "link.npy"), 0);
    assert_int_equal(mkfifoat(folder, "fifo.npy", 0600), 0);
    assert_int_equal(mkdirat(folder, "folder.npy", 0700), 0);
    assert_int_equal(npy_read(folder, "link.npy", 4096, &file, &diag), STATUS_INVALID);
    assert_non_null(strstr(diag.message, "symbolic link"));
    assert_int_equal(npy_read(folder, "fifo.npy", 4096, &file, &diag), STATUS_INVALID);
    assert_int_equal(npy_read(folder, "folder.npy", 4096, &file, &diag), STATUS_INVALID);
    assert_int_equal(npy_read(folder, "none.npy", 4096, &file, &diag), STATUS_NOT_FOUND);
    unlinkat(folder, "link.npy", 0);
    unlinkat(folder, "fifo.npy", 0);
    unlinkat(folder, "folder.npy", AT_REMOVEDIR);
    remove_folder(folder);
}

static void a_file_at_its_limit_is_read_and_one_past_is_not(void **state)
{
    (void)state;
    int folder = new_folder();
    float data[3] = {1, 2, 3};
    LabArray array = {.type = LAB_F32, .n_dims = 1, .shape = {3}, .elements = 3, .data = data};
    NpyFile file;
    Diag diag;
    assert_int_equal(npy_write(folder, "a.npy", &array, &diag), STATUS_OK);
    assert_int_equal(npy_read(folder, "a.npy", 140, &file, &diag), STATUS_OK);
    npy_free(&file);
    assert_int_equal(npy_read(folder, "a.npy", 139, &file, &diag), STATUS_LIMIT);
    unlinkat(folder, "a.npy", 0);
    remove_folder(folder);
}

static void elements_after_an_odd_header_are_aligned(void **state)
{
    (void)state;
    int folder = new_folder();
    unsigned char bytes[256];
    size_t length = make_file(bytes, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 16);
    int fd = openat(folder, "a.npy", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, bytes, length), length);
    close(fd);
    NpyFile file;
    Diag diag;
    assert_int_equal(npy_read(folder, "a.npy", 4096, &file, &diag), STATUS_OK);
    assert_int_equal((uintptr_t)file.array.data % 8, 0);
    assert_int_equal(((unsigned char *)file.array.data)[15], 15);
    npy_free(&file);
    unlinkat(folder, "a.npy", 0);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back),
        cmocka_unit_test(header_is_what_numpy_writes),
        cmocka_unit_test(empty_arrays_are_legal),
        cmocka_unit_test(all_versions_and_spellings_are_read),
        cmocka_unit_test(damaged_files_are_refused_with_a_reason),
        cmocka_unit_test(short_files_are_refused),
        cmocka_unit_test(mutated_files_never_break_the_reader),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(a_file_at_its_limit_is_read_and_one_past_is_not),
        cmocka_unit_test(elements_after_an_odd_header_are_aligned),
    };
    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
