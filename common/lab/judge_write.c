/* The judge's `make`: a case's parameters and inputs as files. */
#include "common/lab/judge_internal.h"
#include "common/lab/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Status write_params(const JudgeCase *c, int folder_fd, Diag *diag)
{
    int fd = openat(folder_fd, "params", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return diag_set_at(diag, STATUS_IO, "params", 0, 0, "create failed: %s", strerror(errno));
    for (size_t i = 0; i < c->n_params; i++)
        fprintf(file, "%s=%s\n", c->params[i].key, c->params[i].value);
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad)
        return diag_set_at(diag, STATUS_IO, "params", 0, 0, "write failed");
    return STATUS_OK;
}

static Status write_files(const JudgeCase *c, int folder_fd, Diag *diag)
{
    Status status = write_params(c, folder_fd, diag);
    for (size_t i = 0; i < c->n_inputs && !status; i++) {
        char name[LAB_NAME_MAX + 8];
        snprintf(name, sizeof name, "%s.npy", c->inputs[i].name);
        status = npy_write(folder_fd, name, &c->inputs[i], diag);
    }
    return status;
}

Status judge_write_inputs(const JudgeCase *c, const char *folder, Diag *diag)
{
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        return diag_set_at(diag, STATUS_IO, folder, 0, 0, "mkdir failed: %s", strerror(errno));
    int case_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (case_fd < 0)
        return diag_set_at(diag, STATUS_IO, folder, 0, 0, "open failed: %s", strerror(errno));
    mkdirat(case_fd, "in", 0755);
    int in_fd = openat(case_fd, "in", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = errno;
    close(case_fd);
    if (in_fd < 0)
        return diag_set_at(diag, STATUS_IO, folder, 0, 0, "in/: %s", strerror(error));
    Status status = write_files(c, in_fd, diag);
    close(in_fd);
    return status;
}
