// expect: memory-limit
#include "vector_add.h"
#include <pthread.h>
#include <unistd.h>
static void *wait_for_ever(void *) { return pause(), nullptr; }
int vector_add(const float *, const float *, float *, int)
{
    pthread_t t;
    for (;;)
        if (pthread_create(&t, nullptr, wait_for_ever, nullptr))
            usleep(1000);
}
