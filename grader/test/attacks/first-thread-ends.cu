// expect: memory-limit
// A process whose first thread has ended: its own files in /proc tell of no memory any more.
#include "vector_add.h"
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *hog(void *)
{
    for (;;)
        if (void *p = malloc(64 << 20))
            memset(p, 1, 64 << 20);
}
int vector_add(const float *, const float *, float *, int)
{
    pthread_t t;
    pthread_create(&t, nullptr, hog, nullptr);
    syscall(SYS_exit, 0);
    return 0;
}
