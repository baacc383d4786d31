// expect: memory-limit
// Memory in the buffers of sockets, in as many processes as there may be.
#include "vector_add.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
int vector_add(const float *, const float *, float *, int)
{
    static char block[1 << 14];
    int pair[2];
    for (int i = 0; i < 50 && fork() != 0; i++)
        ;
    while (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0)
        for (int end = 0; end < 2; end++)
            while (write(pair[end], block, sizeof block) > 0)
                ;
    sleep(2);
    return 0;
}
