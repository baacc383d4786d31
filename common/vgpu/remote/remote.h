/* remote: the virtual GPUs in a process of their own (theory of operation).
 *
 * A program's libcudart.so.13 is then only a client: device memory, code, launches, findings and counters are
 * the server's, and nothing of them lies in the program's reach. What passes between the two:
 *
 *      vgpu, or the grader                      the program
 *           |                                        |
 *      front door  <== one end of a pair ==  remote_connect (each process of the program that uses a device)
 *           |                                        |
 *      fork: a server for the connection  <======>  its client
 *               request ->                           each DeviceMsg, with the bytes that it names
 *               <- read, write                       the server wants bytes of the program's memory, or gives some
 *               <- has                               does the program have memory at an address?
 *               <- map, unmap                        pinned and managed memory: a sealed memory file, one address
 *               answer ->                            to each of these
 *               access ->                            host code touched device memory (from the signal handler)
 *               <- reply                             each DeviceReply
 *
 * Sockets are SOCK_SEQPACKET: a packet comes whole or not at all, so that the signal handler's may come
 * between any two others. A message's bytes follow in packets of their own where they do not fit in one
 * (wire.h).
 *
 * The server believes nothing that a client sends: numbers are checked before they are used (request.c),
 * texts end where the packet ends, a client that does not keep to the order of messages is left. What it
 * shares with the program, data of pinned and managed memory, is never anything but data. The server's
 * processes cannot be traced, and after their start may only compute, write records and talk to their client
 * (confine.c).
 */
#ifndef COMMON_VGPU_REMOTE_REMOTE_H
#define COMMON_VGPU_REMOTE_REMOTE_H

#include "common/base/status.h"
#include "common/vgpu/device/device.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a program finds the front door: the number of an inherited descriptor. */
#define REMOTE_ENVIRONMENT "VGPU_SERVER_FD"

/* ---- the client's side (client.c) ---- */

typedef struct Remote Remote;

/* What the server tells first. */
typedef struct RemoteHello {
    uint32_t n_devices;
    bool may_fail; /* the server asks to be told of calls that can fail (OP_MAY_FAIL) */
    bool fail_questions; /* of questions about a device, too */
    bool has_records;
} RemoteHello;

/* STATUS_IO: nobody answers behind the door; STATUS_INVALID: the server's options are at fault. */
Status remote_connect(int door, Remote **out, RemoteHello *hello, Diag *diag);
/* device_send, by way of the server. A server that is gone answers DEVICE_UNAVAILABLE for ever. */
void remote_send(Remote *r, const DeviceMsg *msg, DeviceReply *reply);
/* Tells of an access by the host; a signal handler may call it at any time. */
void remote_tell_access(Remote *r, const DeviceHostAccess *access);
/* In a forked child: the connection stays the parent's. */
void remote_forked(Remote *r);
void remote_close(Remote *r);

/* ---- the server's side (serve.c) ---- */

typedef struct RemoteOptions {
    DeviceOptions device; /* host is set by the server */
    bool watched; /* it has a sandbox without the program, whose first process counts its memory and must see its files */
} RemoteOptions;

/* Serves everybody who comes through the door, each in a process of their own, until nobody can any more, or
 * until `stop` (a descriptor, or -1) is readable: who is not done soon after that is ended. True: all servers
 * ended as they should. */
bool remote_serve(int door, int stop, const RemoteOptions *options);
/* Launches that run in the servers of this process are to end (device_interrupt). A signal handler may call it. */
void remote_interrupt(void);

/* One connection, in this process, until its client is gone (tests and fuzzing). */
Status remote_serve_one(int socket, const RemoteOptions *options, Diag *diag);

#endif
