/* npy_header: the text in a .npy file that says what its bytes are.
 *
 *   \x93NUMPY  1 0  76 00  {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }    \n  elements...
 *   magic      ver  length  a Python dictionary, padded with blanks to a multiple of 64
 *
 * The length has 2 bytes in version 1.0 and 4 from 2.0 on. The dictionary has these three keys, in any order.
 */
#include "common/lab/npy.h"

#include <ctype.h>
#include <string.h>

/* A cursor over the dictionary's text. `base` is where the whole file starts, for offsets in messages. */
typedef struct Scan {
    const char *base, *at, *end;
    Diag *diag;
} Scan;

typedef enum Key { KEY_DESCR, KEY_FORTRAN, KEY_SHAPE, N_KEYS } Key;
static const char *const key_names[N_KEYS] = {"descr", "fortran_order", "shape"};

static Status npy_fail(const Scan *s, const char *expected)
{
    return diag_set(s->diag, STATUS_PARSE, "bad .npy header at byte %zu: expected %s",
                    (size_t)(s->at - s->base), expected);
}

static void skip_blanks(Scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t'))
        s->at++;
}

static bool npy_header_take(Scan *s, char c)
{
    skip_blanks(s);
    if (s->at >= s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

/* A quoted string without escapes, copied into out. */
static bool take_string(Scan *s, char *out, size_t size)
{
    skip_blanks(s);
    if (s->at >= s->end || (*s->at != '\'' && *s->at != '"'))
        return false;
    char quote = *s->at;
    const char *start = s->at + 1;
    const char *stop = memchr(start, quote, (size_t)(s->end - start));
    if (!stop || (size_t)(stop - start) >= size)
        return false;
    memcpy(out, start, (size_t)(stop - start));
    out[stop - start] = '\0';
    s->at = stop + 1;
    return true;
}

static bool take_word(Scan *s, const char *word)
{
    skip_blanks(s);
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

static Status take_size(Scan *s, size_t *value)
{
    skip_blanks(s);
    if (s->at >= s->end || !isdigit((unsigned char)*s->at))
        return npy_fail(s, "a length in the shape");
    *value = 0;
    for (; s->at < s->end && isdigit((unsigned char)*s->at); s->at++)
        if (__builtin_mul_overflow(*value, (size_t)10, value) ||
            __builtin_add_overflow(*value, (size_t)(*s->at - '0'), value))
            return npy_fail(s, "a length that fits in 64 bits");
    return STATUS_OK;
}

static Status take_shape(Scan *s, size_t *shape, int *n_dims)
{
    *n_dims = 0;
    if (!npy_header_take(s, '('))
        return npy_fail(s, "'(' of the shape");
    while (!npy_header_take(s, ')')) {
        if (*n_dims == LAB_DIMS_MAX)
            return diag_set(s->diag, STATUS_UNSUPPORTED, "the array has more than %d dimensions",
                            LAB_DIMS_MAX);
        Status status = take_size(s, &shape[*n_dims]);
        if (status)
            return status;
        bool comma = npy_header_take(s, ',');
        *n_dims += 1;
        if (comma)
            continue;
        if (*n_dims == 1) /* (3) is a number in Python, (3,) a shape */
            return npy_fail(s, "',' after the only length");
        return npy_header_take(s, ')') ? STATUS_OK : npy_fail(s, "',' or ')' in the shape");
    }
    return STATUS_OK;
}

static Status type_of_descr(const Scan *s, const char *descr, LabType *type)
{
    for (int t = 0; t < LAB_N_TYPES; t++) {
        const char *known = npy_type_descr((LabType)t);
        bool one_byte = known[0] == '|'; /* the order of single bytes does not matter */
        if (strcmp(descr, known) == 0 ||
            (one_byte && strchr("<>=|", descr[0]) && strcmp(descr + 1, known + 1) == 0)) {
            *type = (LabType)t;
            return STATUS_OK;
        }
    }
    diag_set(s->diag, STATUS_UNSUPPORTED, "elements of type '%.40s' are not read here", descr);
    diag_hint(s->diag, "float16/32/64 and (u)int8/16/32/64, little-endian, are: array.astype('<f4')");
    return STATUS_UNSUPPORTED;
}

static Status take_value(Scan *s, Key key, LabType *type, size_t *shape, int *n_dims)
{
    char descr[64];
    switch (key) {
    case KEY_DESCR:
        if (!take_string(s, descr, sizeof descr))
            return npy_fail(s, "the element type in quotes, such as '<f4'");
        return type_of_descr(s, descr, type);
    case KEY_FORTRAN:
        if (take_word(s, "False"))
            return STATUS_OK;
        if (!take_word(s, "True"))
            return npy_fail(s, "True or False");
        diag_set(s->diag, STATUS_UNSUPPORTED, "the array is in Fortran order; C order is expected");
        diag_hint(s->diag, "numpy.save(name, numpy.ascontiguousarray(array))");
        return STATUS_UNSUPPORTED;
    default:
        return take_shape(s, shape, n_dims);
    }
}

static Status take_dictionary(Scan *s, LabArray *array)
{
    bool seen[N_KEYS] = {false};
    LabType type = LAB_F32;
    size_t shape[LAB_DIMS_MAX];
    int n_dims = 0;
    if (!npy_header_take(s, '{'))
        return npy_fail(s, "'{'");
    while (!npy_header_take(s, '}')) {
        char name[32];
        if (!take_string(s, name, sizeof name))
            return npy_fail(s, "a key in quotes");
        int key = 0;
        while (key < N_KEYS && strcmp(name, key_names[key]) != 0)
            key++;
        if (key == N_KEYS || seen[key])
            return npy_fail(s, "each of 'descr', 'fortran_order', 'shape' once");
        seen[key] = true;
        if (!npy_header_take(s, ':'))
            return npy_fail(s, "':'");
        Status status = take_value(s, (Key)key, &type, shape, &n_dims);
        if (status)
            return status;
        if (!npy_header_take(s, ',') && (skip_blanks(s), s->at >= s->end || *s->at != '}'))
            return npy_fail(s, "',' or '}'");
    }
    skip_blanks(s);
    if (s->at != s->end)
        return npy_fail(s, "nothing after '}'");
    if (!seen[KEY_DESCR] || !seen[KEY_FORTRAN] || !seen[KEY_SHAPE])
        return npy_fail(s, "the keys 'descr', 'fortran_order' and 'shape'");
    return npy_set_shape(array, type, n_dims, shape, s->diag);
}

/* Where the dictionary starts and how long it is. */
static Status find_dictionary(const unsigned char *bytes, size_t length, size_t *start, size_t *size,
                              Diag *diag)
{
    if (length < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return diag_set(diag, STATUS_PARSE, "not a .npy file: it does not start with \\x93NUMPY");
    int major = bytes[6];
    if (major < 1 || major > 3)
        return diag_set(diag, STATUS_UNSUPPORTED, ".npy format version %d.%d is not known here", major,
                        bytes[7]);
    *start = major == 1 ? 10 : 12;
    if (length < *start)
        return diag_set(diag, STATUS_PARSE, "truncated .npy file: %zu bytes", length);
    *size = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (major > 1)
        *size |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (*size > length - *start)
        return diag_set(diag, STATUS_PARSE, "truncated .npy file: a header of %zu bytes in a file of %zu",
                        *size, length);
    return STATUS_OK;
}

Status npy_parse(const void *bytes, size_t length, LabArray *array, Diag *diag)
{
    size_t start = 0, size = 0;
    Status status = find_dictionary(bytes, length, &start, &size, diag);
    if (status)
        return status;
    const char *base = bytes;
    Scan scan = {.base = base, .at = base + start, .end = base + start + size, .diag = diag};
    status = take_dictionary(&scan, array);
    if (status)
        return status;
    size_t wanted = array->elements * npy_type_bytes(array->type);
    size_t present = length - start - size;
    char shape[256];
    npy_format_shape(array, shape, sizeof shape);
    if (present != wanted)
        return diag_set(
            diag, STATUS_PARSE, "%s .npy file: shape %s of %s needs %zu bytes, %zu follow the header",
            present < wanted ? "truncated" : "overlong", shape, npy_type_name(array->type), wanted, present);
    array->data = (char *)bytes + start + size;
    return STATUS_OK;
}
