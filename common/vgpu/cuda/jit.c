/* jit: what compiling an image says, and files of images. */
#include "common/vgpu/cuda/cuda_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_INFO, LOG_ERROR, LOG_TEXT_MAX = 2 * DIAG_TEXT_MAX, IMAGE_FILE_MAX = 1 << 30 };

CUresult jit_read_options(unsigned n, const CUjit_option *options, void **values, JitLog *out)
{
    *out = (JitLog){0};
    if (n > 0 && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < n; i++)
        switch (options[i]) {
        case CU_JIT_INFO_LOG_BUFFER:
        case CU_JIT_ERROR_LOG_BUFFER:
            out->text[options[i] == CU_JIT_ERROR_LOG_BUFFER] = values[i];
            break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: {
            int which = options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
            out->bytes[which] = (unsigned)(uintptr_t)values[i];
            out->bytes_out[which] = &values[i];
            break;
        }
        case CU_JIT_WALL_TIME:
            out->wall_time = (float *)(void *)&values[i];
            break;
        default: /* how to compile: there is one way here */
            if ((int)options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS)
                return CUDA_ERROR_INVALID_VALUE;
            break;
        }
    return CUDA_SUCCESS;
}

static void jit_fill(const JitLog *log, int which, const char *text)
{
    size_t room = log->text[which] ? log->bytes[which] : 0, length = strlen(text);
    if (room > 0)
        snprintf(log->text[which], room, "%s", text);
    if (log->bytes_out[which])
        *log->bytes_out[which] = (void *)(uintptr_t)(room == 0 ? 0 : length < room ? length : room - 1);
}

void jit_write_log(const JitLog *log, cudaError_t error, const Diag *diag)
{
    char text[LOG_TEXT_MAX] = "";
    if (error != cudaSuccess && diag->line > 0)
        snprintf(text, sizeof text,
                 "ptxas application ptx input, line %d; error   : %s\n"
                 "ptxas fatal   : Ptx assembly aborted due to errors\n",
                 diag->line, diag->message);
    else if (error != cudaSuccess && diag->message[0] != 0)
        snprintf(text, sizeof text, "error   : %s\n", diag->message);
    jit_fill(log, LOG_INFO, "");
    jit_fill(log, LOG_ERROR, text);
    if (log->wall_time)
        *log->wall_time = 0;
    if (text[0] != 0 && (!log->text[LOG_ERROR] || log->bytes[LOG_ERROR] == 0)) {
        char line[LOG_TEXT_MAX];
        snprintf(line, sizeof line, "module cannot be loaded: %s", diag->message);
        if (diag->line > 0)
            snprintf(line, sizeof line, "module cannot be loaded: %s (line %d of its PTX)", diag->message,
                     diag->line);
        vgpu_say(line);
    }
}

CUresult jit_read_file(const char *path, char **out, size_t *bytes)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file)
        return path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
    long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = end < 0 || end > IMAGE_FILE_MAX ? NULL : malloc((size_t)end + 1);
    rewind(file);
    size_t n = text ? fread(text, 1, (size_t)end, file) : 0;
    bool whole = text && n == (size_t)end;
    fclose(file);
    if (!whole) {
        free(text);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    text[n] = 0;
    *out = text;
    *bytes = n;
    return CUDA_SUCCESS;
}
