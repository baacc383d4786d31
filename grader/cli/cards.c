/* The cards of this machine, as a run on them needs them: device files, how many, and their name.
 *
 * Tests put a folder of theirs before /dev and /proc (KIT_DOCTOR_ROOT), as for `grade doctor`. */
#include "grader/cli/cli.h"
#include "grader/core/files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INFORMATION_BYTES_MAX = 1 << 16 };

static const char *path_of(Arena *a, const char *path)
{
    const char *root = getenv("KIT_DOCTOR_ROOT"), *full = arena_printf(a, "%s%s", root ? root : "", path);
    return full ? full : path;
}

/* What a program needs of the driver's device files: the cards, what controls them, their memory, and the
 * parts of cards. The others are for displays, switches and disks. */
static bool is_needed(const char *name)
{
    static const char *const exact[] = {"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-caps",
                                        "nvidia-caps-imex-channels"};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(name, exact[i]) == 0)
            return true;
    return strncmp(name, "nvidia", 6) == 0 && isdigit((unsigned char)name[6]);
}

static Status list_device_files(Arena *a, GradeRun *run, Diag *d)
{
    const char **names, *dir = path_of(a, "/dev");
    size_t n;
    Status s = dir_list(a, dir, &names, &n, d);
    run->gpu_devices = s == STATUS_OK ? ARENA_NEW_ARRAY(a, const char *, n + 1) : NULL;
    for (size_t i = 0; run->gpu_devices && i < n; i++)
        if (is_needed(names[i])) {
            run->gpu_devices[run->n_gpu_devices++] = arena_printf(a, "%s/%s", dir, names[i]);
            run->n_gpus += isdigit((unsigned char)names[i][6]) != 0; /* nvidia0; the others serve them all */
        }
    size_t visible = 0; /* of a cluster's node, where a job may have some of its cards only */
    if (getenv("CUDA_VISIBLE_DEVICES") && cli_split(a, getenv("CUDA_VISIBLE_DEVICES"), &visible) &&
        visible < run->n_gpus)
        run->n_gpus = visible;
    return s;
}

/* The name of the first card, as the driver tells it; "" where it tells none. */
static const char *name_card(Arena *a)
{
    static const char key[] = "Model:";
    const char **names, *dir = path_of(a, "/proc/driver/nvidia/gpus");
    size_t n, length;
    char *text;
    if (dir_list(a, dir, &names, &n, NULL) != STATUS_OK || n == 0)
        return "";
    const char *path = arena_printf(a, "%s/%s/information", dir, names[0]);
    if (!path || file_read(a, path, INFORMATION_BYTES_MAX, &text, &length, NULL) != STATUS_OK)
        return "";
    const char *at = strstr(text, key);
    at = at ? at + strlen(key) + strspn(at + strlen(key), " \t") : "";
    const char *name = arena_strndup(a, at, strcspn(at, "\n"));
    return name ? name : "";
}

bool cli_has_card(Arena *a)
{
    return access(path_of(a, "/dev/nvidiactl"), F_OK) == 0;
}

Status cli_find_cards(Arena *a, GradeRun *run, Diag *d)
{
    if (!cli_has_card(a))
        return diag_set(d, STATUS_NOT_FOUND, "no GPU answers on this machine (there is no /dev/nvidiactl)");
    run->gpu_name = name_card(a);
    return list_device_files(a, run, d);
}
