/* wire: packets between a client and its server.
 *
 *      packet    WireHead, then `fixed` bytes of a structure, then bytes of the message's payload
 *      message   a packet; where its payload does not fit, WIRE_DATA packets with the rest
 *
 * Both sides are of one build, so that structures go as they are; WIRE_HELLO tells their sizes, to be sure.
 */
#ifndef COMMON_VGPU_REMOTE_WIRE_H
#define COMMON_VGPU_REMOTE_WIRE_H

#include "common/vgpu/device/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_PACKET_MAX = 64 << 10, WIRE_FIXED_MAX = 8 << 10, WIRE_PARTS_MAX = 5 };

typedef enum WireType {
    WIRE_HELLO,   /* server: WireHello; payload: why there are no devices */
    WIRE_REQUEST, /* client: WireRequest; payload: call, after, lengths, in */
    WIRE_REPLY,   /* server: WireReply; payload: out, output, messages, name, diag */
    WIRE_READ,    /* server: DeviceBox */
    WIRE_WRITE,   /* server: DeviceBox; payload: rows */
    WIRE_MAP,     /* server: DeviceBox (addr, width); with a descriptor */
    WIRE_UNMAP,   /* server: DeviceBox (addr, width) */
    WIRE_HAS,     /* server: DeviceBox (addr) */
    WIRE_ANSWER,  /* client: nothing; payload: rows for WIRE_READ; to WIRE_MAP and WIRE_HAS a byte for yes */
    WIRE_ACCESS,  /* client: DeviceHostAccess, at any time, without an answer */
    WIRE_DATA,
    WIRE_N_TYPES
} WireType;

typedef struct WireHead {
    uint32_t type;
    uint32_t fixed;   /* bytes of the structure */
    uint64_t payload; /* bytes of the message, in this packet and those that follow */
} WireHead;

typedef struct WireHello {
    uint32_t bytes_of_message, bytes_of_reply;
    uint32_t status; /* Status */
    uint32_t n_devices;
    uint32_t may_fail, fail_questions, has_records;
} WireHello;

typedef struct WireRequest {
    DeviceMsg msg;    /* pointers mean nothing; of the spans of a copy `data` is an address of the client's */
    uint64_t n_calls; /* OP_CALL, that often, before this message */
    uint32_t call_bytes; /* of the payload's parts; n_after and in.bytes are in msg */
    uint32_t no_reply;
} WireRequest;

typedef struct WireReply {
    DeviceReply reply; /* without its diag; pointers mean nothing */
    uint64_t out_bytes;
    uint32_t name_bytes, diag_bytes;
} WireReply;

typedef struct WirePart {
    const void *data;
    size_t bytes;
} WirePart;

typedef struct Wire {
    int fd;
    bool broken; /* the other side is gone, or does not keep to the rules */
    void *self;
    void (*on_access)(void *self, const DeviceHostAccess *access); /* NULL: access packets are a fault */
    WireType type;                                                 /* of the message under way */
    size_t fixed;                                                  /* bytes of its structure, in the buffer */
    uint64_t payload;                                              /* bytes that have not been taken yet */
    const uint8_t *here;                                           /* of them in the buffer, */
    size_t n_here;                                                 /* that many */
    int passed; /* descriptor that came with it, -1: none */
    _Alignas(16) uint8_t in[WIRE_PACKET_MAX], out[WIRE_PACKET_MAX];
} Wire;

void wire_init(Wire *w, int fd);
/* Sends a message; pass: a descriptor, or -1. */
bool wire_send(Wire *w, WireType type, const void *fixed, size_t fixed_bytes, const WirePart *parts,
               size_t n_parts, int pass);
/* Waits for the next message: its structure is at w->in + sizeof(WireHead). */
bool wire_next(Wire *w);
/* The message's structure; NULL unless it has exactly this type and size. */
const void *wire_fixed(const Wire *w, WireType type, size_t bytes);
/* The next bytes of its payload. */
bool wire_take(Wire *w, void *to, size_t bytes);

/* Sends rows of this process's memory as a message of their own (payload of `type`); takes rows. */
bool wire_send_box(Wire *w, WireType type, const DeviceBox *box);
bool wire_take_box(Wire *w, const DeviceBox *box);
/* Bytes of the rows; false when they overflow. */
bool wire_box_bytes(const DeviceBox *box, uint64_t *bytes);

#endif
