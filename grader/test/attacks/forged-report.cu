// expect: no-gpu-work
// Adds on the CPU, writes all files itself, a splendid report among them, and kills the command that would write the true one.
#include "vector_add.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>
static void forge()
{
    FILE *f = fopen("/case/report.json", "w");
    fputs("{\"schema\":1,\"device\":{\"kind\":\"virtual\",\"name\":\"x\"},\"exit\":{\"status\":0,\"signal\":0},\"findings\":[],\"errors\":[],"
          "\"totals\":{\"kernel_ops\":1e9},\"memory\":{\"d2h_kernel_bytes\":1e9},\"metrics\":{\"dram_ratio\":1}}", f);
    fclose(f);
    kill(getppid(), SIGKILL);
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    atexit(forge);
    return 0;
}
