// expect: wrong-result
// Traces and signals whoever started it.
#include "vector_add.h"
#include <csignal>
#include <cstring>
#include <sys/ptrace.h>
#include <unistd.h>
int vector_add(const float *, const float *, float *c, int n)
{
    memset(c, 0, n * sizeof(float));
    ptrace(PTRACE_ATTACH, getppid(), 0, 0);
    ptrace(PTRACE_ATTACH, 1, 0, 0);
    kill(1, SIGTERM);
    kill(1, SIGSTOP);
    return 0;
}
