/* A case folder: parameters and arrays come in, arrays, guards and values go out (docs/contracts.md, "Running
 * one case"). The folder is written by the judge before and read by it after; nothing here decides what is
 * right.
 */
#include "common/lab/guard.h"
#include "common/lab/lab_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Parameters ---- */

static Status case_read_text(int folder_fd, const char *name, char *text, size_t size, Diag *diag)
{
    int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return diag_set_at(diag, STATUS_IO, name, 0, 0, "open failed: %s", strerror(errno));
    size_t n = 0;
    ssize_t got = 0;
    while (n < size - 1 && (got = read(fd, text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    close(fd);
    text[n] = '\0';
    if (got < 0)
        return diag_set_at(diag, STATUS_IO, name, 0, 0, "read failed");
    return n < size - 1 ? STATUS_OK
                        : diag_set_at(diag, STATUS_LIMIT, name, 0, 0, "longer than %zu bytes", size - 2);
}

static Status parse_params(LabCase *c, char *text, Diag *diag)
{
    char *rest = text;
    int line = 0;
    for (char *entry; (entry = strsep(&rest, "\n"));) {
        line++;
        if (!*entry)
            continue;
        char *equals = strchr(entry, '=');
        LabText *param = &c->params[c->n_params];
        if (!equals || c->n_params == LAB_PARAMS_MAX)
            return diag_set_at(diag, STATUS_PARSE, "in/params", line, 0,
                               "expected key=value, at most %d lines", LAB_PARAMS_MAX);
        *equals = '\0';
        if (strlen(entry) >= sizeof param->key || strlen(equals + 1) >= sizeof param->value)
            return diag_set_at(diag, STATUS_LIMIT, "in/params", line, 0, "a key or value is too long");
        strcpy(param->key, entry);
        strcpy(param->value, equals + 1);
        c->n_params++;
    }
    return STATUS_OK;
}

Status lab_case_open(LabCase *c, const char *folder, Diag *diag)
{
    *c = (LabCase){.folder_fd = -1};
    c->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->folder_fd < 0)
        return diag_set_at(diag, STATUS_IO, folder, 0, 0, "no case folder: %s", strerror(errno));
    char *text = malloc(LAB_PARAMS_BYTES_MAX);
    if (!text)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for the parameters");
    Status status = case_read_text(c->folder_fd, "in/params", text, LAB_PARAMS_BYTES_MAX, diag);
    if (!status)
        status = parse_params(c, text, diag);
    free(text);
    return status;
}

void lab_case_close(LabCase *c)
{
    for (size_t i = 0; i < c->n_inputs; i++)
        guard_free(c->inputs[i].data);
    for (size_t i = 0; i < c->n_outputs; i++)
        guard_free(c->outputs[i].data);
    if (c->folder_fd >= 0)
        close(c->folder_fd);
    *c = (LabCase){.folder_fd = -1};
}

static const char *param(LabCase *c, const char *key)
{
    for (size_t i = 0; i < c->n_params; i++)
        if (strcmp(c->params[i].key, key) == 0)
            return c->params[i].value;
    return NULL;
}

static const char *param_or_fail(LabCase *c, const char *key)
{
    const char *value = param(c, key);
    if (value)
        return value;
    Diag diag;
    diag_set_at(&diag, STATUS_NOT_FOUND, "in/params", 0, 0, "no parameter '%s'", key);
    lab_fail(&diag);
}

static _Noreturn void fail_number(const char *key, const char *value)
{
    Diag diag;
    diag_set_at(&diag, STATUS_PARSE, "in/params", 0, 0, "'%s' is '%s', not the number expected", key, value);
    lab_fail(&diag);
}

int64_t lab_param_int(LabCase *c, const char *key)
{
    const char *value = param_or_fail(c, key);
    char *end = NULL;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (errno || end == value || *end)
        fail_number(key, value);
    return number;
}

double lab_param_float(LabCase *c, const char *key)
{
    const char *value = param_or_fail(c, key);
    char *end = NULL;
    double number = strtod(value, &end);
    if (end == value || *end)
        fail_number(key, value);
    return number;
}

const char *lab_param_text(LabCase *c, const char *key)
{
    return param_or_fail(c, key);
}

int lab_has_param(LabCase *c, const char *key)
{
    return param(c, key) != NULL;
}

/* ---- Arrays ---- */

static LabArray *find_array(LabArray *arrays, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(arrays[i].name, name) == 0)
            return &arrays[i];
    return NULL;
}

static size_t array_bytes(const LabArray *array)
{
    return array->elements * npy_type_bytes(array->type);
}

/* Puts a function of the virtual GPU's runtime into the pointer to a function at `at`; NULL: another runtime, which has none. */
static void find_vgpu(const char *name, void *at)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(at, &found, sizeof found);
}

/* The virtual GPU looks whether copies stay inside of it. */
static void tell_array(const LabArray *array)
{
    void (*tell)(const void *, size_t);
    find_vgpu("vgpu_lab_array", &tell);
    if (tell)
        tell(array->data, array_bytes(array));
}

/* Gives a new array its name and a guarded buffer. */
static Status prepare_array(LabArray *array, size_t n, const char *name, Diag *diag)
{
    if (n == LAB_ARRAYS_MAX || strlen(name) >= sizeof array->name)
        return diag_set(diag, STATUS_LIMIT, "array '%s': more than %d arrays, or its name is too long", name,
                        LAB_ARRAYS_MAX);
    strcpy(array->name, name);
    array->data = guard_alloc(array_bytes(array));
    if (!array->data)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for array '%s'", name);
    tell_array(array);
    return STATUS_OK;
}

static Status load_input(LabCase *c, const char *name, LabArray *array, Diag *diag)
{
    char path[LAB_NAME_MAX + 16];
    NpyFile file;
    snprintf(path, sizeof path, "in/%s.npy", name);
    Status status = npy_read(c->folder_fd, path, PTRDIFF_MAX, &file, diag);
    if (status)
        return status;
    *array = file.array;
    status = prepare_array(array, c->n_inputs, name, diag);
    if (!status && array->elements > 0)
        memcpy(array->data, file.array.data, array_bytes(array));
    npy_free(&file);
    return status;
}

const LabArray *lab_input(LabCase *c, const char *name)
{
    LabArray *known = find_array(c->inputs, c->n_inputs, name);
    if (known)
        return known;
    Diag diag;
    LabArray array = {0};
    if (load_input(c, name, &array, &diag))
        lab_fail(&diag);
    c->inputs[c->n_inputs] = array;
    return &c->inputs[c->n_inputs++];
}

static const void *typed_input(LabCase *c, const char *name, LabType type, size_t *n)
{
    const LabArray *array = lab_input(c, name);
    if (array->type != type) {
        Diag diag;
        diag_set(&diag, STATUS_INVALID, "input '%s' is %s, the driver asks for %s", name,
                 npy_type_name(array->type), npy_type_name(type));
        lab_fail(&diag);
    }
    if (n)
        *n = array->elements;
    return array->data;
}

const float *lab_input_f32(LabCase *c, const char *name, size_t *n)
{
    return typed_input(c, name, LAB_F32, n);
}

const int32_t *lab_input_i32(LabCase *c, const char *name, size_t *n)
{
    return typed_input(c, name, LAB_I32, n);
}

LabArray *lab_output(LabCase *c, const char *name, LabType type, int n_dims, const size_t *shape)
{
    Diag diag;
    LabArray array = {0};
    if (find_array(c->outputs, c->n_outputs, name)) {
        diag_set(&diag, STATUS_INVALID, "the driver makes output '%s' twice", name);
        lab_fail(&diag);
    }
    if (npy_set_shape(&array, type, n_dims, shape, &diag) || prepare_array(&array, c->n_outputs, name, &diag))
        lab_fail(&diag);
    guard_poison(array.data, array_bytes(&array));
    c->outputs[c->n_outputs] = array;
    return &c->outputs[c->n_outputs++];
}

float *lab_output_f32(LabCase *c, const char *name, size_t n)
{
    return lab_output(c, name, LAB_F32, 1, &n)->data;
}

int32_t *lab_output_i32(LabCase *c, const char *name, size_t n)
{
    return lab_output(c, name, LAB_I32, 1, &n)->data;
}

/* ---- Values ---- */

static void add_value(LabCase *c, const char *key, const char *text)
{
    if (c->n_values == LAB_VALUES_MAX || strlen(key) >= LAB_NAME_MAX) {
        Diag diag;
        diag_set(&diag, STATUS_LIMIT, "value '%s': more than %d values, or its name is too long", key,
                 LAB_VALUES_MAX);
        lab_fail(&diag);
    }
    LabText *value = &c->values[c->n_values++];
    strcpy(value->key, key);
    snprintf(value->value, sizeof value->value, "%s", text);
}

void lab_value(LabCase *c, const char *key, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    add_value(c, key, text);
    lab_note("value %s=%s", key, text);
}

void lab_own_calls(int own)
{
    void (*tell)(int);
    find_vgpu("vgpu_lab_calls", &tell);
    if (tell)
        tell(own);
}

void lab_leave_work(void *device, size_t bytes)
{
    enum { BYTES = 4 };
    void *copy = NULL;
    lab_own_calls(1);
    if (bytes >= BYTES) {
        CUDA_CHECK(cudaMallocAsync(&copy, BYTES, cudaStreamLegacy));
        CUDA_CHECK(cudaMemcpyAsync(copy, device, BYTES, cudaMemcpyDeviceToDevice, cudaStreamLegacy));
        CUDA_CHECK(cudaMemcpyAsync(device, copy, BYTES, cudaMemcpyDeviceToDevice, cudaStreamLegacy));
        CUDA_CHECK(cudaFreeAsync(copy, cudaStreamLegacy));
    }
    lab_own_calls(0);
}

/* What free() leaves behind; new memory of malloc holds the other bits, which are 0x6B: large floats and ints, and no pointers. */
enum { HEAP_FILL = 0x94 };

/* A crash before the first call of CUDA is told with its place too. What a program reads of memory that it never wrote is no 0 by chance. */
void lab_begin(void)
{
    mallopt(M_PERTURB, HEAP_FILL);
    void (*begin)(void);
    find_vgpu("vgpu_lab_begin", &begin);
    if (begin)
        begin();
}

void lab_note(const char *format, ...)
{
    char text[LAB_NOTE_MAX];
    void (*tell)(const char *);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    find_vgpu("vgpu_lab_note", &tell);
    if (tell)
        tell(text);
}

void lab_status(LabCase *c, const char *function, int status)
{
    lab_value(c, function, status);
    if (status == 0)
        return;
    if (!c->function_failed)
        lab_value(c, "returned", status);
    c->function_failed = true;
    fflush(stdout);
    fprintf(stderr, "%s returned %d\n", function, status);
    lab_print_error(status, stderr);
}

int lab_next_status(LabCase *c, const char *function, int status)
{
    if (c->function_failed && status != 0)
        lab_value(c, "returned_again", status);
    lab_status(c, function, status);
    return !c->function_failed;
}

/* ---- What is left behind ---- */

static Status write_arrays(LabCase *c, const char *folder, const LabArray *arrays, size_t n, Diag *diag)
{
    char path[LAB_NAME_MAX + 16];
    if (mkdirat(c->folder_fd, folder, 0755) != 0 && errno != EEXIST)
        return diag_set_at(diag, STATUS_IO, folder, 0, 0, "mkdir failed: %s", strerror(errno));
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s.npy", folder, arrays[i].name);
        Status status = npy_write(c->folder_fd, path, &arrays[i], diag);
        if (status)
            return status;
    }
    return STATUS_OK;
}

static FILE *create(LabCase *c, const char *path, Diag *diag)
{
    int fd = openat(c->folder_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        diag_set_at(diag, STATUS_IO, path, 0, 0, "create failed: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    return file;
}

static Status finish_file(FILE *file, const char *path, Diag *diag)
{
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad)
        return diag_set_at(diag, STATUS_IO, path, 0, 0, "write failed");
    return STATUS_OK;
}

static void print_guards(FILE *file, const LabArray *arrays, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        GuardReport g = guard_check(arrays[i].data, array_bytes(&arrays[i]));
        fprintf(file, "%s front %zu %zu back %zu %zu\n", arrays[i].name, g.front_changed, g.front_nearest,
                g.back_changed, g.back_nearest);
    }
}

static Status write_texts(LabCase *c, Diag *diag)
{
    FILE *file = create(c, "out/guards", diag);
    if (!file)
        return STATUS_IO;
    print_guards(file, c->inputs, c->n_inputs);
    print_guards(file, c->outputs, c->n_outputs);
    Status status = finish_file(file, "out/guards", diag);
    if (status)
        return status;
    file = create(c, "out/values", diag);
    if (!file)
        return STATUS_IO;
    for (size_t i = 0; i < c->n_values; i++)
        fprintf(file, "%s=%s\n", c->values[i].key, c->values[i].value);
    return finish_file(file, "out/values", diag);
}

Status lab_case_finish(LabCase *c, Diag *diag)
{
    Status status = write_arrays(c, "out", c->outputs, c->n_outputs, diag);
    if (!status)
        status = write_arrays(c, "after", c->inputs, c->n_inputs, diag);
    if (!status)
        status = write_texts(c, diag);
    return status;
}
