// A submission of lab 02 that looks around in the sandbox of a machine with a card, and says what it sees: device files, and
// which of the places that are none of its business can be opened. Used by test-gpu's part `sandbox`.
#include "vector_add.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// The test puts folders of its own in front.
#ifndef MORE_PLACES
#define MORE_PLACES
#endif

static void list(const char *name, const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *e;
    while (dir && (e = readdir(dir)))
        if (e->d_name[0] != '.')
            fprintf(stderr, "%s: %s\n", name, e->d_name);
    if (dir)
        closedir(dir);
}

extern "C" int vector_add(const float *a, const float *b, float *c, int n)
{
    static const char *const places[] = {MORE_PLACES "/root", "/home", "/etc/passwd", "/sys", "/run", "/var", "/dev/mem",
                                         "/dev/kmsg", "/dev/nvidia-modeset", "/proc/self/status"};
    (void)a, (void)b, (void)c, (void)n;
    list("dev", "/dev");
    for (const char *place : places) {
        int fd = open(place, O_RDONLY);
        if (fd >= 0) {
            fprintf(stderr, "opens: %s\n", place);
            close(fd);
        }
    }
    int count = 0;
    fprintf(stderr, "devices: error %d\n", (int)cudaGetDeviceCount(&count));
    fprintf(stderr, "devices: %d\n", count);
    _exit(9);
}
