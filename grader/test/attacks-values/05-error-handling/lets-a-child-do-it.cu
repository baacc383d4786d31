// case: reserve-half
// from: reserve-gives-up
// points-at-most: 0
// verdict: wrong-result
// A child does on devices of its own what is asked for, with the notes that belong to it, before the program begins.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" void *dlsym(void *, const char *);

__attribute__((constructor)) static void let_a_child_do_it()
{
    void (*note)(const char *) = (void (*)(const char *))dlsym(NULL, "vgpu_lab_note");
    pid_t child = fork();
    if (child == 0) {
        float *buffer = NULL;
        note("reserve");
        cudaMalloc(&buffer, 1001 * sizeof(float));
        cudaGetLastError();
        cudaMalloc(&buffer, 500 * sizeof(float));
        note("returned 0");
        note("value reserve_returned=0");
        note("value error_left_behind=0");
        note("value floats_reserved=500");
        cudaMemset(buffer + 499, 0, sizeof(float));
        note("value buffer_is_as_long_as_count_says=1");
        cudaFree(buffer);
        exit(0);
    }
    waitpid(child, NULL, 0);
}
