/* Target runner: any bytes as the answer of the process that stood in a sandbox beside a student's program.
 * It never says more than was asked for, and nothing is saved outside the folder: here there is none to save
 * to but one in memory. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/sandbox/step.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int pair[2], bytes = BUFFER_BYTES;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        abort();
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    if (size > BUFFER_BYTES / 4 || send(pair[0], data, size, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)size)
        size = 0;
    close(pair[0]);
    const char *const args[] = {"/prog/program", NULL}, *const collect[] = {"/case/out", NULL};
    const SandboxStep step = {.dir = "/case",
                              .args = args,
                              .collect = collect,
                              .collect_from = "/case",
                              .limits = {.wall_ms = 1000, .collect_bytes = 1 << 16}};
    SandboxProcess process = {.socket = pair[1], .errors = -1};
    SandboxAnswer answer;
    Arena arena = {0};
    Diag diag = {0};
    if (sandbox_answer(&process, &step, &arena, &answer, &diag) == STATUS_OK) {
        if (strlen(answer.out) > answer.out_bytes || answer.n_files > size || answer.end >= WIRE_N_ENDS)
            abort();
        for (size_t i = 0; i < answer.n_files; i++)
            if (answer.files[i].name[0] == '/' || strstr(answer.files[i].name, ".."))
                abort();
        sandbox_find_file(&answer, "out/c.npy");
    }
    arena_free(&arena);
    close(pair[1]);
    return 0;
}
