/* npy: arrays in NumPy's .npy files ("NEP 1: A simple file format for NumPy arrays").
 *
 * Reads versions 1.0, 2.0 and 3.0, writes 1.0: C order, little-endian, the types of types.def, up to
 * LAB_DIMS_MAX dimensions. Files come from programs that are not trusted: everything is checked before it is
 * used, and what is wrong is said with the byte offset. Linked into student programs: needs libc only.
 */
#ifndef COMMON_LAB_NPY_H
#define COMMON_LAB_NPY_H

#include "common/base/status.h"
#include "common/lab/array.h"

/* An array read from a file; npy_free gives its memory back. array.data points into buffer. */
typedef struct NpyFile {
    LabArray array;
    void *buffer;
} NpyFile;

/* Bytes of an element, its .npy descr ("<f4"), its name in messages ("float32"), and 'f', 'i' or 'u'. */
size_t npy_type_bytes(LabType type);
const char *npy_type_descr(LabType type);
const char *npy_type_name(LabType type);
char npy_type_kind(LabType type);

/* Sets type, shape and elements of *array, and keeps its name and data. STATUS_INVALID when the shape has too
 * many dimensions, STATUS_LIMIT when its bytes do not fit in a size_t. */
Status npy_set_shape(LabArray *array, LabType type, int n_dims, const size_t *shape, Diag *diag);
/* Writes the shape as "(3, 4)" into buf, cut to size. */
void npy_format_shape(const LabArray *array, char *buf, size_t size);

/* Understands the `length` bytes of a whole file: fills *array, whose data points into bytes (at any
 * alignment; npy_read aligns it). STATUS_PARSE when they are
 * no .npy file, are truncated or have bytes left over, STATUS_UNSUPPORTED for a legal file that the kit does
 * not read. */
Status npy_parse(const void *bytes, size_t length, LabArray *array, Diag *diag);

/* Reads folder_fd/name: a regular file of at most bytes_max bytes, never through a link (STATUS_INVALID for
 * others). */
Status npy_read(int folder_fd, const char *name, size_t bytes_max, NpyFile *file, Diag *diag);
void npy_free(NpyFile *file);

/* Writes the array as a new file folder_fd/name (replaces a file that is there). */
Status npy_write(int folder_fd, const char *name, const LabArray *array, Diag *diag);

#endif
