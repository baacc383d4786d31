/* npy: shapes, and .npy files as files. The header's text is npy_header.c's matter. */
#include "common/lab/npy.h"

#include "common/base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct TypeRow {
    const char *descr, *name;
    size_t bytes;
    char kind;
} TypeRow;

static const TypeRow types[LAB_N_TYPES] = {
#define X(NAME, descr_, bytes_, kind_, words) [LAB_##NAME] = {descr_, words, bytes_, kind_},
#include "common/lab/types.def"
#undef X
};

size_t npy_type_bytes(LabType type)
{
    return types[type].bytes;
}

const char *npy_type_descr(LabType type)
{
    return types[type].descr;
}

const char *npy_type_name(LabType type)
{
    return types[type].name;
}

char npy_type_kind(LabType type)
{
    return types[type].kind;
}

Status npy_set_shape(LabArray *array, LabType type, int n_dims, const size_t *shape, Diag *diag)
{
    if (n_dims < 0 || n_dims > LAB_DIMS_MAX)
        return diag_set(diag, STATUS_INVALID, "%d dimensions; 0 to %d are possible", n_dims, LAB_DIMS_MAX);
    /* Checked over the lengths that are not 0, so that (0, 2^63, 2^63) is absurd whatever the order. */
    size_t bytes = npy_type_bytes(type);
    size_t elements = 1;
    for (int d = 0; d < n_dims; d++) {
        if (shape[d] != 0 && (__builtin_mul_overflow(bytes, shape[d], &bytes) || bytes > PTRDIFF_MAX))
            return diag_set(diag, STATUS_LIMIT, "absurd shape: its bytes do not fit in memory addresses");
        elements *= shape[d];
    }
    array->type = type;
    array->n_dims = n_dims;
    if (n_dims > 0)
        memcpy(array->shape, shape, (size_t)n_dims * sizeof *shape);
    array->elements = elements;
    return STATUS_OK;
}

void npy_format_shape(const LabArray *array, char *buf, size_t size)
{
    size_t n = (size_t)snprintf(buf, size, "(");
    for (int d = 0; d < array->n_dims && n < size; d++)
        n += (size_t)snprintf(buf + n, size - n, "%s%zu", d ? ", " : "", array->shape[d]);
    if (n < size)
        snprintf(buf + n, size - n, array->n_dims == 1 ? ",)" : ")");
}

static Status system_error(Diag *diag, const char *name, const char *doing)
{
    int error = errno;
    Status code = error == ENOENT ? STATUS_NOT_FOUND : STATUS_IO;
    return diag_set_at(diag, code, name, 0, 0, "%s failed: %s", doing, strerror(error));
}

/* Reads up to size bytes; the number read, or -1 with errno. */
static ssize_t read_all(int fd, char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

/* Opens a regular file without following a link or waiting for a pipe's other end; its size goes to *size. */
static Status open_regular(int folder_fd, const char *name, size_t bytes_max, int *fd, size_t *size,
                           Diag *diag)
{
    *fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0 && errno == ELOOP)
        return diag_set_at(diag, STATUS_INVALID, name, 0, 0, "a symbolic link, not a regular file");
    if (*fd < 0)
        return system_error(diag, name, "open");
    struct stat info;
    Status status = STATUS_OK;
    if (fstat(*fd, &info) != 0)
        status = system_error(diag, name, "stat");
    else if (!S_ISREG(info.st_mode))
        status = diag_set_at(diag, STATUS_INVALID, name, 0, 0, "not a regular file");
    else if ((uintmax_t)info.st_size > bytes_max)
        status = diag_set_at(diag, STATUS_LIMIT, name, 0, 0, "%jd bytes, more than the %zu expected",
                             (intmax_t)info.st_size, bytes_max);
    if (status)
        close(*fd);
    else
        *size = (size_t)info.st_size;
    return status;
}

/* Moves the elements to the start of the buffer when a header of odd length left them misaligned. */
static void align_elements(NpyFile *file)
{
    size_t bytes = npy_type_bytes(file->array.type);
    if ((uintptr_t)file->array.data % bytes == 0)
        return;
    memmove(file->buffer, file->array.data, bytes * file->array.elements);
    file->array.data = file->buffer;
}

Status npy_read(int folder_fd, const char *name, size_t bytes_max, NpyFile *file, Diag *diag)
{
    *file = (NpyFile){0};
    int fd = -1;
    size_t size = 0;
    Status status = open_regular(folder_fd, name, bytes_max, &fd, &size, diag);
    if (status)
        return status;
    file->buffer = malloc(size + 1);
    ssize_t got = file->buffer ? read_all(fd, file->buffer, size) : 0;
    if (!file->buffer)
        status = diag_set_at(diag, STATUS_NO_MEMORY, name, 0, 0, "no memory for its %zu bytes", size);
    else if (got < 0)
        status = system_error(diag, name, "read");
    close(fd);
    if (!status) {
        status = npy_parse(file->buffer, (size_t)got, &file->array, diag);
        if (status && diag)
            snprintf(diag->file, sizeof diag->file, "%s", name);
    }
    if (status) {
        npy_free(file);
        return status;
    }
    align_elements(file);
    return STATUS_OK;
}

void npy_free(NpyFile *file)
{
    free(file->buffer);
    *file = (NpyFile){0};
}

enum { HEADER_MAX = 1024, HEADER_ALIGN = 64, PREFIX_BYTES = 10 };

/* The header of a version 1.0 file, padded so that the elements start at a multiple of 64. Its length. */
static size_t format_header(const LabArray *array, char *header)
{
    char shape[HEADER_MAX - 128];
    npy_format_shape(array, shape, sizeof shape);
    int n = snprintf(header, HEADER_MAX,
                     "\x93NUMPY%c%c%c%c{'descr': '%s', 'fortran_order': False, 'shape': %s, }", 1, 1, 1, 1,
                     npy_type_descr(array->type), shape);
    size_t used = (size_t)n;
    size_t total = (used + 1 + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN;
    memset(header + used, ' ', total - used - 1);
    header[total - 1] = '\n';
    header[7] = 0; /* the version is 1.0; snprintf had to be kept from an early NUL */
    header[8] = (char)((total - PREFIX_BYTES) & 0xFF);
    header[9] = (char)((total - PREFIX_BYTES) >> 8);
    return total;
}

Status npy_write(int folder_fd, const char *name, const LabArray *array, Diag *diag)
{
    char header[HEADER_MAX];
    size_t header_bytes = format_header(array, header);
    unlinkat(folder_fd, name, 0);
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        return system_error(diag, name, "create");
    bool written = io_write_all(fd, header, header_bytes) &&
                   io_write_all(fd, array->data, array->elements * npy_type_bytes(array->type));
    Status status = written ? STATUS_OK : system_error(diag, name, "write");
    if (close(fd) != 0 && !status)
        status = system_error(diag, name, "close");
    return status;
}
