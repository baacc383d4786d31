/* cudart_internal: what the files of the runtime facade share.
 *
 * A call of the runtime goes like this:
 *
 *      cudaError_t cudaThing(...)
 *      {
 *          ENTER(API_cudaThing);     takes the lock, starts the server, counts for --fail-at; or returns the error
 *          ... checks arguments, builds a DeviceMsg ...
 *          return call_leave(&call, call_send(&call, &msg, &reply));      last error, records, unlock
 *      }
 *
 * The facade keeps names and handles, and knows what the CUDA runtime calls things; devices, memory and time
 * are the device server's. The one mutable global is the table of devices and what hangs on it (facade(),
 * state.c).
 */
#ifndef COMMON_VGPU_CUDART_CUDART_INTERNAL_H
#define COMMON_VGPU_CUDART_CUDART_INTERNAL_H

#include "common/base/arena.h"
#include "common/base/strbuf.h"
#include "common/vgpu/cudart/cudart.h"
#include "common/vgpu/cudart/fatbin.h"
#include "common/vgpu/device/device.h"
#include "common/vgpu/remote/remote.h"

#include <pthread.h>
#include <signal.h>

#define EXPORT __attribute__((visibility("default")))

typedef enum Api {
#define X(name, ...) API_##name,
#include "common/vgpu/cudart/api.def"
#undef X
    N_APIS
} Api;

const char *api_name(Api api);

/* What says where a container ends is the container itself, up to this many bytes. */
#define CONTAINER_BYTES_MAX ((uint64_t)1 << 31)
#define IMAGE_CURE          "the virtual GPU runs PTX: build it with nvcc -arch=compute_75"

/* ---- what programs register (register.c) ---- */

typedef struct Kernel Kernel;
typedef struct Variable Variable;

/* How far a fat binary, kernel or variable has got on one device. */
typedef struct Loaded {
    bool tried;
    cudaError_t error; /* of the attempt */
    uint32_t id;       /* module or function */
    uint64_t address, bytes;
} Loaded;

/* Where a fat binary comes from: it is part of the program, or the program loaded it (image.c). */
typedef enum FatOrigin { FAT_REGISTERED, FAT_MODULE, FAT_LIBRARY } FatOrigin;

typedef struct FatBinary {
    FatOrigin origin;
    const void *wrapper; /* FAT_REGISTERED */
    ImageTexts texts;    /* the others */
    uint32_t device;     /* FAT_MODULE: of the server, the only one that it serves */
    Loaded on[DEVICES_MAX];
    Kernel *kernels;
    Variable *variables;
    struct FatBinary *next;
    bool ended; /* __cudaUnregisterFatBinary */
} FatBinary;

struct Kernel {
    FatBinary *fat;
    const void *host; /* address of the host stub */
    char *name;
    Loaded on[DEVICES_MAX];
    DeviceParam *params;
    uint32_t n_params, param_bytes;
    bool asked; /* there was a question that could fail (--fail-at) */
    Kernel *next;
};

struct Variable {
    FatBinary *fat;
    void *host; /* the host's shadow; of a managed variable the pointer to set */
    char *name;
    size_t bytes;
    bool managed, constant;
    Loaded on[DEVICES_MAX];
    Variable *next;
};

/* ---- the process's state (state.c) ---- */

typedef struct HostFunction {
    void (*run)(void *);
    void (*callback)(cudaStream_t, cudaError_t, void *);
    void *data;
    cudaStream_t stream;
    uint64_t token;
} HostFunction;

enum { LAB_HOST_ARRAYS_MAX = 64 }; /* those after it are not looked at */

typedef struct Facade {
    pthread_mutex_t lock;
    DeviceServer *server; /* in this process, or */
    Remote *remote;       /* in another; neither: no devices */
    bool has_records;     /* somebody reads what is found */
    bool started, finished, forked;
    bool has_looked; /* at CUDA_VISIBLE_DEVICES */
    cudaError_t start_error;
    int n_devices;                 /* visible */
    uint32_t n_devices_there;      /* the server's */
    uint32_t visible[DEVICES_MAX]; /* server's index of each */
    unsigned flags[DEVICES_MAX];   /* cudaSetDeviceFlags */
    size_t persisting_l2[DEVICES_MAX]; /* cudaLimitPersistingL2CacheSize, by ordinal */
    size_t fetch_bytes[DEVICES_MAX];   /* cudaLimitMaxL2FetchGranularity, + 1; 0: never set */
    bool may_fail;  /* the devices' server chooses a call that fails, and is told of all that can */
    bool fail_questions; /* of the first question about each device, too */
    bool asked[DEVICES_MAX];
    bool is_driver; /* the calls are the lab's own (vgpu_lab_calls), and none fails */
    struct {
        const char *data;
        size_t bytes;
    } lab_arrays[LAB_HOST_ARRAYS_MAX]; /* vgpu_lab_array */
    size_t n_lab_arrays;
    int stream_fd;                  /* of a server in this process */
    bool runtime_used;              /* by calls of the runtime itself */
    bool primary_used[DEVICES_MAX]; /* the same, by device */
    FatBinary *fats;
    uint32_t *stream_device, *event_device; /* by id: server's device index + 1, 0: destroyed */
    unsigned *event_flags;
    size_t n_streams, streams_cap, n_events, events_cap, n_event_flags, event_flags_cap;
    HostFunction *host_functions;
    size_t n_host_functions, host_functions_cap;
    uint64_t last_token;
    uint32_t refused_said[(N_APIS + 31) / 32];
    struct Sites *sites; /* site.c */
    char *program;       /* its path, once it was asked for; site.c */
    struct {
        uintptr_t start, end;
    } own[2];                           /* where this library is mapped, and the driver's; site.c */
    struct Pool *pools;                 /* pool.c */
    struct Graphs *graphs;              /* graph_internal.h */
    struct Mappings *mappings;          /* map.c */
    struct Advices *advices;            /* range.c */
    struct Managed *managed;            /* managed.c */
    uint32_t n_host_functions_running;
    struct StreamValues *stream_values; /* attribute.c */
    cudaError_t no_device;              /* why n_devices is 0 */
    bool shares_memory;                 /* with its kernels: pinned, mapped, managed */
    uint64_t n_calls;  /* atomic, as is the next: progress.c reads them without the lock */
    uint64_t n_places; /* of managed memory that the host came to while a launch could reach it */
    bool watching, watcher_stops; /* progress.c */
    pthread_t watcher;
    pthread_mutex_t watcher_lock;
    pthread_cond_t watcher_wakes;
    struct Array *arrays;   /* array.c */
    struct Object *objects; /* texture.c: texture and surface objects */
    uint32_t n_error_records;
    struct {
        uintptr_t base, bytes; /* where the addresses of each device lie */
    } windows[DEVICES_MAX];
    struct sigaction signals_before[6]; /* host_fault.c */
    void *signal_stack;
    uint32_t n_host_faults;
} Facade;

Facade *facade(void);
/* Has the server ready: a call that follows may still choose among its devices. */
cudaError_t facade_prepare(void);
/* The same at the first call, which looks at CUDA_VISIBLE_DEVICES. */
cudaError_t facade_start(void);
/* Is there a server? */
bool facade_is_served(void);
/* Sends a message to it, wherever it is. */
void facade_send(const DeviceMsg *msg, DeviceReply *reply);

/* ---- signals that end the program (interrupt.c) ---- */

void interrupt_install(void);
/* The devices have answered: the program ends now, if it was told to meanwhile. */
void interrupt_deliver(void);

/* ---- work that no call waits for (progress.c) ---- */

/* A kernel was queued: from now on it runs in time, also when no call asks for it. */
void progress_watch(void);
void progress_end(void);

/* ---- CUDA_VISIBLE_DEVICES (visible.c) ---- */

/* Which of the server's devices the program sees: fills visible and n_devices. */
void visible_read(const char *text, uint32_t n_devices);
/* The 16 bytes of a device's UUID, by its index in the server. */
void visible_uuid(uint32_t device, unsigned char bytes[16]);

/* ---- what each host thread has ---- */

typedef struct LaunchConfig {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    uint64_t site;
} LaunchConfig;

enum { CONFIGS_MAX = 8 };

/* A call that failed in a way that no program asks for on purpose. */
typedef struct FailedCall {
    uint64_t site;
    const char *name;
    cudaError_t error;
    bool went_on; /* more work was asked for since */
} FailedCall;

typedef struct Thread {
    uint32_t number; /* to the devices (state.c) */
    bool is_first;
    int device;
    ThreadContext context;
    const char *driver_call; /* the call of the driver API that is under way, else NULL */
    cudaError_t last;
    bool waits_after; /* an asynchronous call under way stands for one that waits */
    LaunchConfig configs[CONFIGS_MAX];
    int n_configs;
    enum cudaStreamCaptureMode capture_mode;
    uint64_t launch_site;   /* of the configuration popped last */
    bool popped;            /* it was, and no launch came since */
    uint64_t failed_launch; /* site of a <<<>>> that failed, while nobody has asked for the last error */
    FailedCall failed;      /* the first one, while nobody has asked for an error since; site 0: none */
    uint64_t advised;       /* site of the call that was last told as advice */
    bool last_of_launch;    /* `last` is a <<<>>>'s */
    cudaError_t taken;      /* of a launch, by cudaGetLastError */
    uint64_t taken_calls;   /* how many calls there had been then */
    uintptr_t taken_at;     /* where it returned to */
    uint32_t default_stream[DEVICES_MAX]; /* per-thread default stream, 0: not made yet */
    uintptr_t stepping[2]; /* addresses that the instruction touches which runs as a single step (host_fault.c) */
    int n_stepping;
} Thread;

Thread *thread_state(void);
/* The program has looked at an error. */
void thread_asked(void);
const char *error_name(cudaError_t error);

/* ---- calls (call.c) ---- */

typedef struct Call {
    Api api;
    bool locked;
    cudaError_t error;
    uint64_t site; /* 0: not asked for yet */
    /* Stream capture and graphs (capture.c): */
    struct GraphNode *node;      /* what would be queued becomes the work of this node */
    bool diverted;               /* it became a node's work: nothing was queued */
    const struct Kernel *kernel; /* of a launch */
    const struct HostFunction *host;
    bool external; /* an event's record or wait is to be part of the graph */
    char why[80];  /* of a call that fails: more than its error says, for the record; "" */
} Call;

/* False: call->error says why the call cannot go on. */
bool call_enter(Call *call, Api api);
/* The same for calls that only ask: they take no time on the modelled time line. */
bool call_enter_question(Call *call, Api api);
/* The same for those that only ask about devices: they make no context either. */
bool call_enter_query(Call *call, Api api);
/* The same without a device: for calls that work where there is none. */
bool call_enter_light(Call *call, Api api);
/* How an exported function begins: declares `call`, and returns where the call cannot go on. */
#define ENTER_BY(enter, ...)                                                                                 \
    Call call;                                                                                               \
    if (!enter(&call, __VA_ARGS__))                                                                          \
    return call_leave(&call, call.error)
#define ENTER(api)          ENTER_BY(call_enter, api)
#define ENTER_QUESTION(api) ENTER_BY(call_enter_question, api)
#define ENTER_QUERY(api)    ENTER_BY(call_enter_query, api)
#define ENTER_LIGHT(api)    ENTER_BY(call_enter_light, api)

/* Ends a call: remembers and records an error. */
cudaError_t call_leave(Call *call, cudaError_t error);
/* The same where the error is another one's to tell of. */
cudaError_t call_leave_quietly(Call *call, cudaError_t error);
uint64_t call_site(Call *call);
/* Sends a message to the current device (or msg->device where set_device), runs host functions that are due.
 * reply: NULL where nothing of it is read. */
cudaError_t call_send(Call *call, DeviceMsg *msg, DeviceReply *reply);
cudaError_t call_send_to(Call *call, uint32_t device, DeviceMsg *msg, DeviceReply *reply);
/* The same past captures: the message goes to the device in any case. */
cudaError_t call_send_now(Call *call, uint32_t device, DeviceMsg *msg, DeviceReply *reply);
/* Server's index of the current device. */
uint32_t call_device(void);
cudaError_t error_of_device(DeviceError e);
/* Advice about this call. */
void call_advise(Call *call, const void *address, const char *message, const char *hint);
/* The same of a finding of the kind host-overread: detail says how much of what was read. */
void call_tell_overread(Call *call, const char *detail);
/* The same of advice of the kind copy-direction. */
void call_tell_direction(Call *call);
/* The program ends: advice about what failed, where it has not asked. */
void call_tell_failed(void);
/* The program ends, and something that it made at site was never destroyed. what: "a graph". */
void call_tell_leak(uint64_t site, const char *what);
/* The same of all graphs. */
void graph_leaks(void);
void facade_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

const char *call_name(const Call *call);
/* Whether a call that can fail must, with this error (--fail-at); cudaSuccess: it cannot fail. */
bool call_must_fail(cudaError_t fail);
/* The end of a wait, which --fail-at counts here: one that fails has waited all the same, since what fails is the work before it. A wait for what
 * the host has waited for before cannot fail, nor one for memory that is given back behind that (cudaFreeAsync). */
cudaError_t call_waited(cudaError_t error, const DeviceReply *reply);
/* A call costs the host time, on the modelled clock. */
void call_tick(void);
/* The runtime uses this context of the thread's device. */
void call_use_context(ThreadContext wanted);
/* Writes the record of a failed call. */
void call_record_error(Call *call, int code, const char *name);

/* ---- places of calls (site.c) ---- */

/* A token for the stack of calls that led here; its record goes out when it is new. */
uint64_t site_here(void);
/* The same in a signal handler, of the instruction that the signal came at. */
uint64_t site_of_signal(uintptr_t pc);
/* The return addresses of the stack, from the caller on, at most `max`: how many. What backtrace(3) gives, which loads a library for it. */
int site_walk(void **stack, int max);
/* Is an address in this library, or in the driver API's? */
bool site_is_own(const void *address);

/* ---- host code that touches device memory (host_fault.c) ---- */

/* Takes SIGSEGV, SIGBUS and SIGTRAP, once the devices are there; gives them back. */
void host_fault_install(void);
void host_fault_remove(void);

/* ---- stream capture (capture.c) ---- */

/* Does a message become a node, or is it an error because of a capture? If not, it is to be sent. */
bool capture_divert(Call *call, uint32_t device, DeviceMsg *msg, DeviceReply *reply, cudaError_t *error);
/* A device was reset: its captures end. */
void capture_forget(uint32_t device);
/* A stream is destroyed: so is a capture that began with it. */
void capture_drop_stream(uint32_t stream);
void capture_drop_event(uint32_t event);

/* ---- handles (stream.c) ---- */

/* What a stream handle stands for: the server's stream and device. False: no such stream. */
bool stream_of(Call *call, cudaStream_t handle, uint32_t *stream, uint32_t *device);
/* Whether the stream is the device's; if not, says so ("a stream of device 0 is given to <what> device 1").
 */
bool stream_fits(Call *call, cudaStream_t handle, uint32_t device, const char *what);
bool event_of(cudaEvent_t handle, uint32_t *event, uint32_t *device);
/* The handle of an event that the devices have made. */
cudaError_t event_adopt(cudaEvent_t *event, uint64_t id, unsigned flags);
/* May other processes know of it? */
bool event_for_processes(cudaEvent_t event, uint32_t *id);
/* The messages of calls that are also made for the nodes of a graph. */
cudaError_t stream_send_host_function(Call *call, cudaStream_t stream, const HostFunction *fn);
cudaError_t stream_send_event(Call *call, cudaEvent_t event, cudaStream_t stream, bool record);

/* ---- registered things (register.c) ---- */

Kernel *kernel_of(const void *host_or_handle);
/* Makes sure that a kernel is loaded on the current device. */
cudaError_t kernel_load(Call *call, Kernel *k, uint32_t *function);
Variable *variable_of(const void *host);
cudaError_t variable_load(Call *call, Variable *v, uint64_t *address);
/* PTX texts become a module on the current device. diag NULL: what is wrong is said on standard error. */
cudaError_t texts_load(Call *call, const ImageTexts *texts, ModuleUse use, uint32_t *module, Diag *diag);
/* Adds a container's PTX for a device to texts; *highest grows to the highest architecture seen (image.c). */
Status image_extract(const void *container, uint64_t bytes_max, uint32_t arch, ImageTexts *texts,
                     uint32_t *highest, Diag *diag);
/* STATUS_NOT_FOUND, and why nothing of what was found runs on a device that takes targets up to `arch`; highest: the newest target seen. */
Status image_has_no_code(const char *what, uint32_t highest, uint32_t arch, Diag *diag);
/* A kernel of this name. NULL: no memory. */
Kernel *kernel_add(FatBinary *fat, const void *host, const char *name);
void kernel_free(Kernel *k);
/* A device was reset: everything has to be loaded anew. */
void registered_forget(uint32_t device);

/* ---- managed memory (memory.c, range.c, managed.c) ---- */

void managed_allocated(uint32_t device, uint64_t addr, uint64_t bytes);
/* Around each message: what the host has used of it is told, what queued launches reach is guarded. */
void managed_before(const DeviceMsg *msg);
void managed_after(const DeviceMsg *msg, const DeviceReply *reply);
/* In a signal handler: was it a touch of guarded memory, which can go on now? pc: the instruction. *again: the page is to
 * be guarded again behind it. */
bool managed_touched(uintptr_t address, bool write, uintptr_t pc, bool *again);
void managed_guard_again(uintptr_t address);
void managed_end(void);

/* Do these bytes lie in one managed allocation? Then its serial number. */
bool memory_is_managed(Call *call, const void *p, size_t bytes, uint32_t *serial);
void range_prefetched(uint32_t serial, struct cudaMemLocation where);
bool range_advise(uint32_t serial, enum cudaMemoryAdvise advice, struct cudaMemLocation where);

/* ---- copies (copy.c) ---- */

typedef struct CopyShape {
    size_t dst_pitch, src_pitch, dst_slice, src_slice, width, height, depth;
} CopyShape;

/* kernel<<<...>>> (launch.c), for a call that has begun. */
cudaError_t launch_kernel(Call *call, const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t handle, bool cooperative);
cudaError_t copy_send_box(Call *call, const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool async);
cudaError_t fill_send(Call *call, const struct cudaMemsetParams *p, size_t slice, size_t depth,
                      cudaStream_t stream);
/* The place of a variable of the device, or why there is none (symbol.c). */
cudaError_t symbol_find(Call *call, const void *symbol, uint64_t *address, size_t *bytes);
cudaError_t copy_any(Call *call, void *dst, const void *src, const CopyShape *shape, enum cudaMemcpyKind kind,
                     cudaStream_t stream, bool async);

/* ---- arrays (array.c) ---- */

/* Texels one after the other, rows without gaps; a handle is the address of the first. */
typedef struct Array {
    uint64_t addr;
    uint32_t device; /* server's index */
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* as asked for: height or depth may be 0 */
    unsigned flags;
    size_t texel, row, slice; /* bytes */
    struct Array *next;
} Array;

/* How the elements of a channel descriptor lie in memory; bits 0: it is not valid. */
typedef struct ChannelFormat {
    uint8_t channel; /* DeviceChannel */
    uint8_t bits, n_channels;
    bool normalized; /* of the kinds that are read as normalized floats only */
} ChannelFormat;

/* cudaErrorInvalidChannelDescriptor, cudaErrorNotSupported. */
cudaError_t channel_format(const struct cudaChannelFormatDesc *desc, ChannelFormat *out);
/* NULL: there is no such array. */
Array *array_of(cudaArray_const_t handle);
/* A device was reset. */
void arrays_forget(uint32_t device);
void objects_forget(uint32_t device);

/* A stream argument of an _ptds or _ptsz entry point: 0 is the thread's own stream there. */
static inline cudaStream_t per_thread(cudaStream_t stream)
{
    return stream ? stream : cudaStreamPerThread;
}

/* A function of such a stream and its _ptsz variant, a call of its own in reports: what both answer, of `api` and the
 * parameters, one of which is `stream`. */
#define WITH_STREAM(name, params, answer)                                                                    \
    cudaError_t name params                                                                                  \
    {                                                                                                        \
        const Api api = API_##name;                                                                          \
        return answer;                                                                                       \
    }                                                                                                        \
    cudaError_t name##_ptsz params;                                                                          \
    EXPORT cudaError_t name##_ptsz params                                                                    \
    {                                                                                                        \
        const Api api = API_##name##_ptsz;                                                                   \
        stream = per_thread(stream);                                                                         \
        return answer;                                                                                       \
    }

#endif
