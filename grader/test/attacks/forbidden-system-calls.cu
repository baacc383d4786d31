// expect: wrong-result
// A right sum only where one of the calls works that open ways into the kernel.
#include "vector_add.h"
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
int vector_add(const float *a, const float *b, float *c, int n)
{
    struct io_uring_params ring = {};
    union bpf_attr program = {};
    struct perf_event_attr event = {};
    event.type = PERF_TYPE_SOFTWARE;
    event.size = sizeof event;
    bool open = syscall(SYS_io_uring_setup, 4, &ring) >= 0 || syscall(SYS_bpf, BPF_MAP_CREATE, &program, sizeof program) >= 0 ||
                syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0 || syscall(SYS_userfaultfd, O_CLOEXEC) >= 0 ||
                syscall(SYS_add_key, "user", "a", "b", 1, -1) >= 0 || syscall(SYS_keyctl, 0, -1, 1) >= 0 ||
                socket(AF_NETLINK, SOCK_RAW, 0) >= 0 || socket(AF_PACKET, SOCK_RAW, 0) >= 0 || socket(AF_INET, SOCK_STREAM, 0) >= 0 ||
                syscall(SYS_kexec_load, 0, 0, 0, 0) == 0 || syscall(SYS_swapon, "/tmp", 0) == 0 || syscall(SYS_acct, NULL) == 0;
    for (int i = 0; i < n; i++)
        c[i] = open ? a[i] + b[i] : 0;
    return 0;
}
