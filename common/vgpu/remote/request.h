/* request: a client's message as the server may use it. */
#ifndef COMMON_VGPU_REMOTE_REQUEST_H
#define COMMON_VGPU_REMOTE_REQUEST_H

#include "common/vgpu/remote/wire.h"

/* Limits on what a message may hold. */
enum { REQUEST_CALL_MAX = 96 };
#define REQUEST_IN_MAX      ((uint64_t)1 << 30)
#define REQUEST_OUT_MAX     ((uint64_t)1 << 20)
#define REQUEST_AFTER_MAX   ((uint64_t)1 << 20)
#define REQUEST_IMAGES_MAX  ((uint64_t)1 << 12)
#define REQUEST_CALLS_MAX   ((uint64_t)1 << 20)
#define REQUEST_ADDRESS_MAX ((uint64_t)1 << 47)
#define REQUEST_SHARED_MAX  ((uint64_t)1 << 30)

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
/* May the message go to a device? All numbers in it are within what the devices expect of a caller
 * (fields.def); flags are true or false afterwards. */
bool request_is_fit(Request *q);

/* A member that a message's handler reads: a row of fields.def. */
typedef enum RequestRule { REQUEST_AT_MOST, REQUEST_FLAG, REQUEST_DEVICE, REQUEST_ANY } RequestRule;
typedef struct RequestField {
    DeviceOp op;
    const char *member;
    uint16_t at, bytes; /* in a DeviceMsg */
    RequestRule rule;
    uint64_t limit;
} RequestField;
/* Row i; NULL behind the last one. */
const RequestField *request_field(size_t i);
void request_free(Request *q);

#endif
