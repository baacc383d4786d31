/* device: the virtual GPUs of one process, driven by plain messages.
 *
 * A DeviceServer holds all virtual devices. Whoever drives it (the runtime facade, a test) sends one
 * DeviceMsg at a time and gets one DeviceReply. Messages hold numbers, texts and spans of the caller's bytes,
 * never pointers into the server's state, so that the server can live in another process
 * (common/vgpu/remote): then what lies in the caller's memory is fetched and put back through a DeviceHost.
 *
 * Work on streams is queued and runs as late as it can: when somebody waits for it. So a program that forgets
 * to wait always sees that it forgot. Host functions in a stream run on the caller's side: a reply
 * DEVICE_HOST_WORK names the function that is due; the caller runs it, sends OP_HOST_DONE and repeats its
 * message.
 *
 * Not thread-safe: one message at a time. The server owns everything that replies point to, until the next
 * message.
 */
#ifndef COMMON_VGPU_DEVICE_DEVICE_H
#define COMMON_VGPU_DEVICE_DEVICE_H

#include "common/base/status.h"
#include "common/vgpu/check/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of errors.def: X(NAME, sticky, meaning). A sticky error stays with the device until it is reset. */
typedef enum DeviceError {
#define X(name, ...) DEVICE_##name,
#include "common/vgpu/device/errors.def"
#undef X
    DEVICE_N_ERRORS
} DeviceError;

bool device_error_sticky(DeviceError e);

/* Rows of ops.def, which says what each message is for and what its reply holds. */
typedef enum DeviceOp {
#define X(NAME, ...) OP_##NAME,
#include "common/vgpu/device/ops.def"
#undef X
    DEVICE_N_OPS
} DeviceOp;

typedef struct DeviceSpan {
    void *data;
    uint64_t bytes;
} DeviceSpan;

/* Stream 0 is the device's legacy default stream, which waits for the blocking streams and they for it. */
enum { DEVICE_STREAM_LEGACY = 0, DEVICE_STREAM_NONBLOCKING = 1 };

/* Numbers of memory pools: those of the devices first, by index. Host threads that have a clock of their own. */
enum { DEVICE_POOLS_MAX = 256, DEVICE_THREADS_MAX = 4096 };

/* Of OP_NOTE, with the NUL. */
enum { DEVICE_NOTE_BYTES_MAX = 256 };

/* range.to: not a device. */
#define DEVICE_HOST UINT32_MAX

typedef enum DeviceMemoryKind {
    DEVICE_MEMORY_NONE,    /* an address that the device does not know: pageable host memory */
    DEVICE_MEMORY_NOWHERE, /* inside a device's window, in no live allocation */
    DEVICE_MEMORY_DEVICE,
    DEVICE_MEMORY_POOL,
    DEVICE_MEMORY_MANAGED,
    DEVICE_MEMORY_PINNED,
    DEVICE_MEMORY_REGISTERED,
    DEVICE_MEMORY_VARIABLE,
    DEVICE_MEMORY_ARRAY, /* to allocate and free: a CUDA array's; OP_POINTER says DEVICE */
} DeviceMemoryKind;

typedef enum DeviceLimit {
    DEVICE_LIMIT_STACK,
    DEVICE_LIMIT_PRINTF,
    DEVICE_LIMIT_HEAP,
    DEVICE_LIMIT_PENDING, /* grids that kernels have launched and that have not begun */
    DEVICE_N_LIMITS
} DeviceLimit;

/* A copy of depth slices of height rows of width bytes. Host sides that the device does not know (pageable)
 * are given as spans; pinned and managed memory is shared, and named by its address. */
typedef struct DeviceCopy {
    uint64_t dst, src;
    uint64_t dst_pitch, src_pitch, dst_slice, src_slice;
    uint64_t width, height, depth;
    DeviceSpan host_dst, host_src; /* data NULL: that side is device, pinned or managed memory */
    bool async;
} DeviceCopy;

typedef enum DeviceTextureResource {
    DEVICE_TEXTURE_ARRAY,
    DEVICE_TEXTURE_LINEAR,
    DEVICE_TEXTURE_PITCHED
} DeviceTextureResource;
typedef enum DeviceChannel {
    DEVICE_CHANNEL_UNSIGNED,
    DEVICE_CHANNEL_SIGNED,
    DEVICE_CHANNEL_FLOAT
} DeviceChannel;

/* A texture or surface object. Texel (x, y, z or layer) lies at addr + z * slice + y * pitch + x * (bytes of
 * a texel). */
typedef struct DeviceTexture {
    bool surface;
    uint8_t resource;                  /* DeviceTextureResource */
    bool layered, cube;                /* depth counts layers; six faces for each cube */
    uint8_t channel, bits, n_channels; /* DeviceChannel; bits of one channel */
    bool normalized_coords, linear_filter, srgb, normalized_read;
    uint8_t addressing[3];         /* wrap, clamp, mirror, border */
    uint32_t width, height, depth; /* in texels; height, depth 0: there is no such dimension */
    uint64_t addr, pitch, slice;
    float border[4];
} DeviceTexture;

/* How the condition of a branch chooses among its bodies: 0 where it is not 0, else 1 if there is one; 0 as long as it is
 * not 0; the body of that number, if there is one. */
typedef enum DeviceBranch { DEVICE_BRANCH_IF, DEVICE_BRANCH_WHILE, DEVICE_BRANCH_SWITCH } DeviceBranch;

typedef struct DeviceLaunchMsg {
    uint32_t function;
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared;
    bool cooperative;
} DeviceLaunchMsg;

/* Where an operation goes. A graph's operations lie inside a stream's: each waits for those that `after`
 * names by number, no other of the stream's waits for it. A stream's operation may name some to wait for,
 * too. */
typedef enum DevicePlace {
    PLACE_STREAM, /* after everything that its stream holds */
    PLACE_GRAPH,  /* only after those that `after` names */
    PLACE_CHECK,  /* nowhere: the answer says whether it could be queued */
} DevicePlace;

/* Of a module: the program's own code; one that the program loads and unloads, so that one that stays is a leak of msg.site; one
 * of which only is asked whether it would load, and nothing stays. */
typedef enum ModuleUse { MODULE_OF_PROGRAM, MODULE_OWNED, MODULE_TRIED } ModuleUse;

typedef struct DeviceMsg {
    DeviceOp op;
    uint32_t device;
    uint32_t stream;
    uint32_t thread;  /* of the host, whose clock it is: 0 the first one, others in the order of their first calls */
    uint64_t site;    /* place of the host's call, 0 unknown */
    const char *call; /* name of the runtime call, for findings */
    DeviceSpan in, out;
    uint64_t token;
    bool sticky; /* OP_FAILED: the error is what the device's state gives */
    DevicePlace place;
    const uint64_t *after; /* numbers of operations (DeviceReply.seq), of any device */
    size_t n_after;
    uint64_t inside; /* PLACE_GRAPH: number of the OP_BRANCH that decides whether it runs, 0: none */
    uint32_t body;   /* which of the branch's bodies it belongs to */
    uint64_t resume; /* the message is repeated after DEVICE_HOST_WORK: that reply's resume */
    union {
        struct {
            uint32_t which;
            uint64_t value;
        } limit;
        struct {
            uint32_t peer;
            enum { PEER_QUERY, PEER_ENABLE, PEER_DISABLE } what;
        } peer;
        struct {
            uint64_t bytes;
            uint8_t kind;  /* DeviceMemoryKind */
            uint16_t pool; /* POOL: its number */
        } alloc;
        struct {
            uint32_t number, peer;
            bool may;
        } pool;
        struct {
            uint64_t addr, bytes, align;
            uint32_t physical; /* its number */
            uint32_t peer;
            bool may;
        } map;
        struct {
            uint64_t addr;
            uint8_t kind; /* DEVICE: device or managed; PINNED: host; POOL: on the stream */
        } free;
        struct {
            uint64_t addr, bytes;
            uint32_t to; /* device; DEVICE_HOST */
            bool flag;
        } range;
        DeviceCopy copy;
        struct {
            uint64_t dst, pitch, width, height, depth, slice; /* width in bytes */
            uint32_t value;
            uint8_t element; /* bytes of an element: 1, 2 or 4 */
        } fill;
        struct {
            uint32_t id, n_images;
            const uint64_t *lengths;
            uint8_t use; /* ModuleUse */
        } module;
        struct {
            uint32_t id;
            uint64_t dynamic_shared_max;
            uint32_t block_threads;
            uint64_t dynamic_shared;
        } function;
        DeviceLaunchMsg launch;
        struct {
            uint32_t flags;
            int32_t priority;
        } stream_flags;
        struct {
            uint32_t id, other;
            bool timing;
        } event;
        struct {
            uint64_t handle;
            uint32_t value, n_bodies;
            uint8_t kind; /* DeviceBranch */
            bool assign;
        } condition;
    };
} DeviceMsg;

typedef struct DeviceReply {
    DeviceError error;
    uint64_t value, value2;
    uint64_t seq;           /* number of the operation that was queued, 0: none */
    uint64_t oldest_launch; /* number of the oldest launch that has not run, 0: none */
    uint64_t token, resume; /* DEVICE_HOST_WORK: which function; for the repeated message */
    struct {
        uint8_t kind; /* DeviceMemoryKind */
        uint32_t device;
        uint64_t base,
            bytes; /* of the allocation; NOWHERE: of the nearest one, a freed one too (bytes 0: none) */
        uint32_t serial;
        bool freed;
        uint64_t site, free_site;
        const char *name; /* of a variable, else NULL */
    } pointer;
    const char *output; /* kernels' printf since the last reply; not NUL-terminated */
    size_t output_bytes;
    const char *messages; /* for standard error: failed assertions, findings when no record stream is open */
    size_t message_bytes;
    Diag diag; /* why, where the error alone does not say */
} DeviceReply;

/* What OP_ADVICE tells. */
typedef enum DeviceAdvice { ADVICE_MISUSE, ADVICE_LEAK, ADVICE_HOST_OVERREAD, ADVICE_COPY_DIRECTION } DeviceAdvice;

/* Host code touched a device's memory, or what is no memory at all, or was ended by abort(), or divided by 0 (cudart/host_fault.c). */
enum { DEVICE_FRAMES_MAX = 8, DEVICE_PATH_BYTES = 512 };
enum { HOST_TOUCHED_DEVICE, HOST_TOUCHED_NOTHING, HOST_STACK_FULL, HOST_ABORTED, HOST_DIVIDED, HOST_INDEXED, HOST_ACCESSES };

typedef struct DeviceHostAccess {
    uint64_t address;
    uint32_t device, n_frames, what; /* what: one of those above */
    bool write;
    struct {
        uint64_t offset; /* of the call, in the file */
        char path[DEVICE_PATH_BYTES];
    } frames[DEVICE_FRAMES_MAX];
} DeviceHostAccess;

typedef struct DeviceInfo {
    char name[64];
    uint32_t major, minor, n_sms;
    uint32_t newest_target; /* of PTX that it runs: 75 for sm_75 */
    uint32_t clock_khz, memory_clock_khz, memory_bus_bits;
    uint64_t memory_bytes;
    uint32_t l2_bytes, shared_per_block, shared_per_block_optin, shared_per_sm, shared_reserved;
    uint32_t regs_per_block, regs_per_sm;
    uint32_t threads_per_block, threads_per_sm, blocks_per_sm;
    uint32_t copy_engines;
    uint64_t window_base, window_bytes; /* where the addresses of its memory lie */
} DeviceInfo;

/* What hardware of every supported compute capability has in common (CUDA C++ Programming Guide, "Compute
 * Capabilities"). */
enum {
    DEVICE_GRID_X_MAX = 2147483647,
    DEVICE_GRID_YZ_MAX = 65535,
    DEVICE_BLOCK_XY_MAX = 1024,
    DEVICE_BLOCK_Z_MAX = 64,
    DEVICE_CONST_BYTES = 65536,
    DEVICE_PRIORITY_HIGHEST = -5,
    DEVICE_LAUNCHES_QUEUED_MAX = 1024,
};

typedef struct DeviceFunctionInfo {
    uint32_t n_params, param_bytes;
    uint32_t static_shared, local_bytes, registers, threads_max;
    uint32_t const_bytes; /* of the module */
    uint64_t dynamic_shared_max;
    uint32_t target, ptx_version;
    bool has_lines;
} DeviceFunctionInfo;

typedef struct DeviceParam {
    uint32_t offset, bytes;
} DeviceParam;

/* Rows of the caller's memory: depth slices of height rows of width bytes. */
typedef struct DeviceBox {
    uint64_t addr, pitch, slice, width, height, depth;
} DeviceBox;

/* The caller's memory, where that is another process's. `read` and `write` move rows without gaps on this
 * side; false, or NULL, when the caller is gone or has no room. */
typedef struct DeviceHost {
    void *self;
    bool (*read)(void *self, const DeviceBox *from, void *to);
    bool (*write)(void *self, const DeviceBox *to, const void *from);
    /* Zeroed memory that both share, under one address: `wanted` if that is free. */
    void *(*map)(void *self, uint64_t wanted, uint64_t bytes);
    void (*unmap)(void *self, void *p, uint64_t bytes);
    /* Has the caller anything at an address? */
    bool (*has)(void *self, uint64_t addr);
} DeviceHost;

/* Instructions of warps after which a launch is ended where nothing else is said: many minutes. */
#define DEVICE_INSTRUCTIONS_MAX 100000000000u

typedef struct DeviceOptions {
    const char *model; /* name of a device model; NULL: the default */
    uint32_t n_devices;
    const char *checks; /* "all", "none", "memory,race"...; NULL: all */
    const char *raised; /* advice that counts as findings: "barrier-exited"...; NULL: none */
    uint64_t seed;      /* order of blocks and warps, pattern of fresh memory; 0: blocks in ascending order */
    uint64_t max_seconds;      /* of processor time in the devices' process, after which a launch ends as timed out; 0: no limit */
    uint64_t max_instructions; /* of one launch; 0: no limit. From the environment: DEVICE_INSTRUCTIONS_MAX unless it says another */
    uint64_t memory_bytes;     /* of a card; 0: as many as the model has */
    unsigned jobs;             /* 0: one */
    bool part_lanes;           /* activemask names some of the lanes that run together, as if they had parted */
    uint64_t fail_at;          /* which call of those that can fail (OP_MAY_FAIL) does; 0: none, and none is told */
    bool fail_questions;       /* the first question about a device is one of them, too */
    bool timeline;             /* write a record for each operation */
    bool lines;                /* counters by line of the source in the record of each launch */
    int stream_fd;             /* record stream; -1: none, findings come as text in replies */
    int provenance_fd;         /* where the record of who wrote which bytes goes at the end; 0: nobody wants it */
    int calls_fd;              /* where the record of calls goes (calls.c); 0: nobody wants it */
    int shared_fd;             /* what the processes of one run share (device_shared_file); 0: nothing */
    int film_fd;               /* where a film of a launch goes (common/vgpu/film); 0: nobody wants one */
    const char *film_launch, *film_blocks; /* FilmOptions */
    bool film_registers;
    bool quiet;                /* no text for findings */
    const DeviceHost *host;    /* NULL: the caller's memory is this process's */
} DeviceOptions;

/* Options from the environment: VGPU_DEVICE VGPU_DEVICES VGPU_CHECK VGPU_SEED VGPU_JOBS VGPU_MAX_INSTRUCTIONS
 * VGPU_FAIL_AT VGPU_TIMELINE VGPU_LINES VGPU_MEMORY VGPU_RAISE VGPU_STREAM_FD VGPU_PROVENANCE_FD VGPU_CALLS_FD
 * VGPU_SHARED_FD.
 * STATUS_INVALID: one is not a number. */
Status device_options_read(DeviceOptions *out, Diag *diag);
/* A number of the environment, `fallback` where it is not set. */
Status device_option_number(const char *name, uint64_t fallback, uint64_t *out, Diag *diag);

typedef struct DeviceServer DeviceServer;

/* A file through which the devices of several processes share memory; -1: none can be had. inherited: executed programs keep it. */
int device_shared_file(bool inherited);

/* STATUS_INVALID: unknown model, checks or advice (the message lists the known ones). */
Status device_server_create(const DeviceOptions *options, DeviceServer **out, Diag *diag);
void device_server_destroy(DeviceServer *s);
/* A launch that runs is to end, and its warps to say what they wait for. False: none runs. A signal handler may call it. */
bool device_interrupt(DeviceServer *s);
/* Writes the record of who wrote which bytes, if somebody wants it and it is not written. OP_FINISH does. */
void device_write_provenance(DeviceServer *s);
/* Handles one message. */
void device_send(DeviceServer *s, const DeviceMsg *msg, DeviceReply *reply);
/* What lies at the address of an access by the host: fills reply->pointer. At any time, also while a message
 * is handled; takes no memory. */
void device_look_up(DeviceServer *s, uint64_t address, DeviceReply *reply);
/* What is found where host code touched HOST_...; what: below HOST_ACCESSES. */
FindingKind device_access_kind(uint32_t what);
/* Bytes before (< 0) or after (> 0) the allocation, as in a finding. */
int64_t device_access_distance(uint64_t address, const DeviceReply *where);
/* Writes the record of an access by the host; where->pointer.bytes 0: no allocation is known. Takes no memory
 * and no lock: a signal handler may call it. */
void device_record_access(int stream_fd, const DeviceHostAccess *access, const DeviceReply *where);

#endif
