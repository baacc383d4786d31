/* See work.h. */
#include "grader/submission/work.h"

#include "grader/core/files.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { ARRAY_BYTES_MAX = 1 << 30, HEADER_BYTES = 12 };

bool work_is_judged(const LabCase *c)
{
    return c->run && c->gpu_work && c->check_output;
}

/* Kind and width from the header of a .npy file: 'descr': '<f4'. What is not known is taken for bytes. */
static void read_type(const char *header, size_t n, ProvenanceArray *array)
{
    static const char key[] = "'descr': '";
    const char *at = memmem(header, n, key, sizeof key - 1);
    const char *type = at ? at + sizeof key : header; /* behind the byte order */
    bool known = at && (size_t)(header + n - type) >= 2 && strchr("fiu", type[0]) && type[0] &&
                 strchr("1248", type[1]) && type[1];
    array->kind = known ? type[0] : 'u';
    array->width = known ? (size_t)(type[1] - '0') : 1;
}

/* magic (6), version (2), length of the header (2 or 4), header, data. */
static bool read_npy(const char *bytes, size_t n, ProvenanceArray *array)
{
    const unsigned char *head = (const unsigned char *)bytes;
    if (n < HEADER_BYTES || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return false;
    size_t begin = head[6] == 1 ? 10 : 12;
    size_t header = head[6] == 1
                        ? head[8] + 256u * head[9]
                        : head[8] + 256u * head[9] + 65536u * head[10] + 16777216u * (size_t)head[11];
    if (header > n - begin)
        return false;
    read_type(bytes + begin, header, array);
    array->data = head + begin + header;
    array->bytes = n - begin - header;
    array->bytes -= array->bytes % array->width;
    return true;
}

/* An array that is not there, or is none, has no bytes. */
static Status add_array(Arena *a, int dir, const char *name, ProvenanceArray *arrays, size_t *n, Diag *d)
{
    char *bytes;
    size_t length;
    Status s = file_read_untrusted(a, dir, name, ARRAY_BYTES_MAX, &bytes, &length, d);
    if (s == STATUS_OK)
        *n += read_npy(bytes, length, &arrays[*n]);
    return s == STATUS_NO_MEMORY ? s : STATUS_OK;
}

static bool is_npy(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".npy") == 0;
}

static Status read_inputs(Arena *a, const char *case_dir, ProvenanceCase *c, Diag *d)
{
    const char **names, *path = arena_printf(a, "%s/in", case_dir);
    size_t n;
    Status s = path ? dir_list(a, path, &names, &n, d) : STATUS_NO_MEMORY;
    ProvenanceArray *arrays = s == STATUS_OK ? ARENA_NEW_ARRAY(a, ProvenanceArray, n + 1) : NULL;
    int dir = arrays ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (dir < 0)
        return diag_set(d, STATUS_IO, "cannot read the inputs of a case again");
    for (size_t i = 0; i < n && s == STATUS_OK; i++)
        if (is_npy(names[i]))
            s = add_array(a, dir, names[i], arrays, &c->n_in, d);
    c->in = arrays;
    close(dir);
    return s;
}

static Status read_outputs(Arena *a, const char *case_dir, const JudgeAnswer *answer, ProvenanceCase *c,
                           Diag *d)
{
    Status s = STATUS_OK;
    const char *path = arena_printf(a, "%s/out", case_dir);
    ProvenanceArray *arrays = ARENA_NEW_ARRAY(a, ProvenanceArray, answer->n_outputs + 1);
    int dir = path && arrays ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (dir < 0)
        return diag_set(d, STATUS_IO, "cannot read the outputs of a case again");
    for (size_t i = 0; i < answer->n_outputs && s == STATUS_OK; i++) {
        const char *name = arena_printf(a, "%s.npy", answer->outputs[i].name);
        s = name ? add_array(a, dir, name, arrays, &c->n_out, d) : STATUS_NO_MEMORY;
    }
    c->out = arrays;
    close(dir);
    return s;
}

static Status judge_record(Arena *a, Arena *files, const char *case_dir, const ProvenanceCase *c,
                           ProvenanceFound *found, Diag *d)
{
    char *json = NULL, *bin = NULL;
    size_t n_json, n_bin;
    int dir = open(case_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool there = dir >= 0 &&
                 file_read_untrusted(files, dir, "provenance.json", PROVENANCE_JSON_MAX, &json, &n_json,
                                     NULL) == STATUS_OK &&
                 file_read_untrusted(files, dir, "provenance.json.bin", PROVENANCE_BYTES_MAX, &bin, &n_bin,
                                     NULL) == STATUS_OK;
    if (dir >= 0)
        close(dir);
    if (there)
        return provenance_judge(a, c, json, n_json, (const unsigned char *)bin, n_bin, found, d);
    provenance_missing(c, found);
    return STATUS_OK;
}

Status work_judge(Arena *a, const LabCase *c, const char *case_dir, const JudgeAnswer *answer,
                  Language language, ProvenanceFound *found, Diag *d)
{
    Arena files = {0};
    ProvenanceCase pc = {.host_finish = c->host_finish,
                         .min_ops = c->min_ops,
                         .host_bytes = c->host_bytes,
                         .language = language};
    Status s = read_inputs(&files, case_dir, &pc, d);
    if (s == STATUS_OK)
        s = read_outputs(&files, case_dir, answer, &pc, d);
    if (s == STATUS_OK)
        s = judge_record(a, &files, case_dir, &pc, found, d);
    arena_free(&files);
    return s == STATUS_NO_MEMORY ? diag_set(d, s, "no memory to judge where outputs come from") : s;
}
