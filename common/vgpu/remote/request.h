/* request: a client's message as the server may use it. */
#ifndef COMMON_VGPU_REMOTE_REQUEST_H
#define COMMON_VGPU_REMOTE_REQUEST_H

#include "common/vgpu/remote/wire.h"

enum { REQUEST_CALL_MAX = 96 };

/* The buffers live until the next message; request_free gives them back. */
typedef struct Request {
    DeviceMsg msg;
    uint64_t n_calls;
    bool no_reply;
    uint64_t out_bytes; /* as wanted; msg.out has room for any answer of fixed size */
    char call[REQUEST_CALL_MAX];
    uint8_t *payload, *out;
    size_t payload_cap, out_cap;
} Request;

/* Takes in the message that has just come. False: it is not what a client of ours sends, or there is no
 * memory for it; the wire is broken then. */
bool request_take(Wire *w, Request *q);
/* May the message go to a device? All numbers in it are within what the devices expect of a caller. */
bool request_is_fit(Request *q);
void request_free(Request *q);

#endif
