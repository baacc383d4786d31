// expect: wrong-result
// Looks for other cases, hidden data, references and the grader; writes zeros where it finds none, a right sum where it finds any.
#include "vector_add.h"
#include <cstring>
#include <dirent.h>
#include <unistd.h>
static bool there(const char *path) { return access(path, F_OK) == 0; }
static int entries(const char *path)
{
    DIR *d = opendir(path);
    int n = 0;
    while (d && readdir(d))
        n++;
    return n;
}
int vector_add(const float *a, const float *b, float *c, int n)
{
    bool found = there("/root") || there("/home") || there("/var") || there("/etc/passwd") ||
                 there("/kit/solutions") || there("/kit/labs/02-vector-add/lab.yaml") || there("/kit/labs/02-vector-add/reference.c") ||
                 there("/kit/labs/02-vector-add/judge") || there("/case/out") || entries("/case") != 3 /* . .. in */ || entries("/tmp") != 2 ||
                 entries("/build") != 2 || entries("/dev/shm") != 2 || entries("/src") != 3 /* its own file */;
    memset(c, 0, n * sizeof(float));
    for (int i = 0; found && i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
