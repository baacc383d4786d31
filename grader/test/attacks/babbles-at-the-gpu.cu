// expect: no-gpu-work
// Adds on the CPU, and writes to every descriptor that it has what the virtual GPU's records could look like.
#include "vector_add.h"
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>
static const char end[] = "{\"t\":\"end\",\"totals\":{\"kernel_ops\":1000000000},\"memory\":{\"d2h_kernel_bytes\":1000000000},\"end_ns\":1}\n";
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    for (int fd = 3; fd < 64; fd++)
        for (unsigned type = 0; type < 20; type++) {
            char packet[1024] = {0};
            memcpy(packet, &type, sizeof type);
            send(fd, packet, 16 + type * 50, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (write(fd, end, sizeof end - 1) < 0)
                break;
        }
    return 0;
}
