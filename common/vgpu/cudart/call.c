/* call: how each call of the runtime begins, talks to the devices, and ends. */
#include "common/vgpu/cudart/cudart_internal.h"
#include "common/vgpu/cudart/refused.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    cudaError_t fail; /* what --fail-at gives; cudaSuccess: not counted */
} apis[] = {
#define X(name, support, fail) {#name, fail},
#include "common/vgpu/cudart/api.def"
#undef X
};

const char *api_name(Api api)
{
    return apis[api].name;
}

const char *call_name(const Call *call)
{
    const char *driver_call = thread_state()->driver_call;
    return driver_call ? driver_call : api_name(call->api);
}

Thread *thread_state(void)
{
    static _Thread_local Thread state;
    return &state;
}

void facade_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("vgpu: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* ---- begin ---- */

bool call_must_fail(cudaError_t fail)
{
    Facade *f = facade();
    if (fail == cudaSuccess || !f->may_fail || f->is_driver || f->n_devices == 0)
        return false;
    DeviceReply reply;
    facade_send(&(DeviceMsg){.op = OP_MAY_FAIL, .device = call_device(), .token = (uint64_t)fail}, &reply);
    return reply.value == 1;
}

cudaError_t call_waited(cudaError_t error, const DeviceReply *reply)
{
    return error == cudaSuccess && reply->value != 0 && call_must_fail(cudaErrorLaunchFailure) ? cudaErrorLaunchFailure : error;
}

void vgpu_lab_begin(void)
{
    pthread_mutex_lock(&facade()->lock);
    facade_prepare();
    pthread_mutex_unlock(&facade()->lock);
}

void vgpu_lab_calls(int own)
{
    pthread_mutex_lock(&facade()->lock);
    facade()->is_driver = own != 0;
    pthread_mutex_unlock(&facade()->lock);
}

void vgpu_lab_array(const void *data, size_t bytes)
{
    Facade *f = facade();
    pthread_mutex_lock(&f->lock);
    if (f->n_lab_arrays < LAB_HOST_ARRAYS_MAX) {
        f->lab_arrays[f->n_lab_arrays].data = data;
        f->lab_arrays[f->n_lab_arrays++].bytes = bytes;
    }
    pthread_mutex_unlock(&f->lock);
}

void vgpu_lab_note(const char *text)
{
    Facade *f = facade();
    pthread_mutex_lock(&f->lock);
    if (facade_start() == cudaSuccess && facade_is_served()) {
        DeviceReply reply;
        facade_send(&(DeviceMsg){.op = OP_NOTE, .in = {.data = (void *)text, .bytes = strlen(text) + 1}}, &reply);
    }
    pthread_mutex_unlock(&f->lock);
}

static bool must_fail(Call *call)
{
    if (thread_state()->driver_call) /* vgpu_begin has counted it */
        return false;
    if (!call_must_fail(apis[call->api].fail))
        return false;
    call->error = apis[call->api].fail;
    return true;
}

bool call_enter_light(Call *call, Api api)
{
    *call = (Call){.api = api, .locked = true};
    pthread_mutex_lock(&facade()->lock);
    __atomic_fetch_add(&facade()->n_calls, 1, __ATOMIC_RELAXED);
    call->error = facade_start();
    if (call->error != cudaSuccess)
        return false;
    return !must_fail(call);
}

void call_tick(void)
{
    facade_send(&(DeviceMsg){.op = OP_CALL, .device = call_device()}, NULL);
}

bool call_enter_query(Call *call, Api api)
{
    if (!call_enter_light(call, api))
        return false;
    if (facade()->n_devices == 0) {
        call->error = facade()->no_device;
        return false;
    }
    return true;
}

/* The runtime makes a device's primary context, and binds it to the thread, with the first call that needs
 * one. */
void call_use_context(ThreadContext wanted)
{
    Thread *t = thread_state();
    t->context = wanted;
    facade()->runtime_used = true;
    if (wanted == CONTEXT_PRIMARY)
        facade()->primary_used[t->device] = true;
}

bool call_enter_question(Call *call, Api api)
{
    if (!call_enter_query(call, api))
        return false;
    ThreadContext now = thread_state()->context;
    if (!thread_state()->driver_call)
        call_use_context(now == CONTEXT_NONE ? CONTEXT_PRIMARY : now);
    return true;
}

bool call_enter(Call *call, Api api)
{
    if (!call_enter_question(call, api))
        return false;
    if (!thread_state()->driver_call) /* what a call of the driver does is one call */
        call_tick();
    return true;
}

/* ---- talk ---- */

uint32_t call_device(void)
{
    return facade()->visible[thread_state()->device];
}

uint64_t call_site(Call *call)
{
    if (call->site == 0)
        call->site = site_here();
    return call->site;
}

static void show_output(const DeviceReply *reply)
{
    if (reply->output_bytes > 0) {
        fwrite(reply->output, 1, reply->output_bytes, stdout);
        fflush(stdout);
    }
    if (reply->message_bytes > 0)
        fwrite(reply->messages, 1, reply->message_bytes, stderr);
}

/* Takes a host function that is due out of the list. */
static bool take_host_function(uint64_t token, HostFunction *out)
{
    Facade *f = facade();
    for (size_t i = 0; i < f->n_host_functions; i++)
        if (f->host_functions[i].token == token) {
            *out = f->host_functions[i];
            f->host_functions[i] = f->host_functions[--f->n_host_functions];
            return true;
        }
    return false;
}

/* Runs a host function without the lock: it may wait for other threads, though not call the runtime. */
static void run_host_function(uint32_t device, uint64_t token)
{
    Facade *f = facade();
    HostFunction fn;
    if (take_host_function(token, &fn)) {
        f->n_host_functions_running++;
        pthread_mutex_unlock(&f->lock);
        if (fn.run)
            fn.run(fn.data);
        else
            fn.callback(fn.stream, cudaSuccess, fn.data);
        pthread_mutex_lock(&f->lock);
        f->n_host_functions_running--;
    }
    facade_send(&(DeviceMsg){.op = OP_HOST_DONE, .device = device, .token = token}, NULL);
}

cudaError_t call_send_to(Call *call, uint32_t device, DeviceMsg *msg, DeviceReply *reply)
{
    cudaError_t error;
    DeviceReply unread;
    reply = reply ? reply : &unread;
    if (facade()->graphs && capture_divert(call, device, msg, reply, &error))
        return error;
    return call_send_now(call, device, msg, reply);
}

cudaError_t call_send_now(Call *call, uint32_t device, DeviceMsg *msg, DeviceReply *reply)
{
    DeviceReply unread;
    reply = reply ? reply : &unread;
    msg->device = device;
    msg->call = call_name(call);
    msg->site = call->site;
    for (;;) {
        managed_before(msg);
        facade_send(msg, reply);
        managed_after(msg, reply);
        show_output(reply);
        if (reply->error != DEVICE_HOST_WORK)
            break;
        msg->resume = reply->resume;
        run_host_function(device, reply->token);
    }
    bool is_work = msg->op == OP_LAUNCH || msg->op == OP_COPY || msg->op == OP_FILL || msg->op == OP_ALLOC;
    thread_state()->failed.went_on |= is_work && reply->error == DEVICE_OK;
    return error_of_device(reply->error);
}

cudaError_t call_send(Call *call, DeviceMsg *msg, DeviceReply *reply)
{
    return call_send_to(call, call_device(), msg, reply);
}

static void send_advice(Call *call, const void *address, const char *message, const char *hint, DeviceAdvice what)
{
    StrBuf text = {0};
    strbuf_append(&text, message, strlen(message) + 1);
    strbuf_append(&text, hint, strlen(hint) + 1);
    DeviceMsg msg = {.op = OP_ADVICE,
                     .in = {.data = text.text, .bytes = text.length},
                     .range = {.addr = (uint64_t)(uintptr_t)address, .bytes = what}};
    call_site(call);
    if (!text.failed) /* advice is not worth an error */
        call_send(call, &msg, NULL);
    strbuf_free(&text);
}

void call_advise(Call *call, const void *address, const char *message, const char *hint)
{
    send_advice(call, address, message, hint, ADVICE_MISUSE);
    thread_state()->advised = call->site;
}

void call_tell_leak(uint64_t site, const char *what)
{
    Call call = {.site = site};
    send_advice(&call, NULL, what, "", ADVICE_LEAK);
}

void call_tell_overread(Call *call, const char *detail)
{
    send_advice(call, NULL, detail, "", ADVICE_HOST_OVERREAD);
}

void call_tell_direction(Call *call)
{
    send_advice(call, NULL, "", "", ADVICE_COPY_DIRECTION);
}

/* ---- end ---- */

/* A program that loops over a call that fails must not fill the machine. */
enum { ERROR_RECORDS_MAX = 1000 };

void call_record_error(Call *call, int code, const char *name)
{
    Facade *f = facade();
    if (!call->locked || !f->has_records || !facade_is_served() || f->n_devices == 0)
        return;
    if (f->n_error_records++ >= ERROR_RECORDS_MAX)
        return;
    DeviceReply reply;
    DeviceMsg msg = {
        .op = OP_FAILED, .device = call_device(), .site = call_site(call), .token = (uint64_t)code};
    facade_send(&(DeviceMsg){.op = OP_DEVICE_ERROR, .device = call_device()}, &reply);
    msg.sticky = reply.error != DEVICE_OK && (int)error_of_device(reply.error) == code;
    StrBuf names = {0};
    strbuf_puts(&names, call_name(call));
    if (call->why[0])
        strbuf_printf(&names, ": %s", call->why);
    strbuf_append(&names, "", 1);
    strbuf_append(&names, name, strlen(name) + 1);
    msg.in = (DeviceSpan){.data = names.text, .bytes = names.length};
    if (!names.failed)
        facade_send(&msg, &reply);
    strbuf_free(&names);
}

/* Programs try whether there is memory, a peer or a feature, and what a failed kernel leaves is told of as its finding. But nobody
 * copies, fills or records in a way that is an error to see whether it is. */
static bool is_mistake(const Call *call, cudaError_t error)
{
    static const char *const working[] = {"cudaMemcpy", "cudaMemset", "cudaLaunch", "cudaStream", "cudaEvent"};
    bool by_kind = error < cudaErrorIllegalAddress && error != cudaErrorMemoryAllocation && error != cudaErrorNotPermitted;
    for (size_t i = 0; by_kind && i < sizeof working / sizeof *working; i++)
        if (strncmp(api_name(call->api), working[i], strlen(working[i])) == 0)
            return true;
    return false;
}

static void remember_failed(Call *call, cudaError_t error)
{
    Thread *t = thread_state();
    if (t->failed.site != 0 || !call->locked || facade()->may_fail || !is_mistake(call, error))
        return;
    if (call_site(call) != t->advised)
        t->failed = (FailedCall){.site = call->site, .name = api_name(call->api), .error = error};
}

void call_tell_failed(void)
{
    Thread *t = thread_state();
    const char *name = t->failed.name;
    StrBuf text = {0};
    Call call = {.site = t->failed_launch};
    if (call.site != 0)
        call_advise(&call, NULL, "this launch failed, and the program never asked: <<<...>>> returns nothing",
                    "call cudaGetLastError after each launch, and look at what it returns");
    call = (Call){.site = t->failed.site};
    strbuf_printf(&text, "%s returned %s, and the program went on and never asked for an error", name ? name : "",
                  error_name(t->failed.error));
    if (call.site != 0 && t->failed.went_on && !text.failed)
        call_advise(&call, NULL, text.text, "it has done nothing: look at what each call returns");
    strbuf_free(&text);
    thread_asked();
}

/* "Not ready" is an answer, not an error (CUDA Runtime API, cudaStreamQuery). */
cudaError_t call_leave(Call *call, cudaError_t error)
{
    bool failed = error != cudaSuccess && error != cudaErrorNotReady;
    if (failed && !thread_state()->driver_call) {
        thread_state()->last = error;
        thread_state()->last_of_launch = call->api == API___cudaLaunchKernel;
        call_record_error(call, (int)error, error_name(error));
        remember_failed(call, error);
    }
    if (call->locked)
        pthread_mutex_unlock(&facade()->lock);
    call->locked = false;
    return error;
}

cudaError_t call_leave_quietly(Call *call, cudaError_t error)
{
    call_leave(call, cudaSuccess);
    return error;
}

/* ---- entry points that are not there ---- */

static bool say_once(const char *name)
{
    Facade *f = facade();
    for (unsigned i = 0; i < N_APIS; i++)
        if (strcmp(apis[i].name, name) == 0) {
            bool said = f->refused_said[i / 32] >> i % 32 & 1;
            f->refused_said[i / 32] |= 1u << i % 32;
            return !said;
        }
    return false;
}

void api_say_refused(const char *name, const char *where)
{
    if (say_once(name))
        facade_say("%s is not supported by the virtual GPU%s: it returns cudaErrorNotSupported", name, where);
}

int api_refuse(const char *name)
{
    pthread_mutex_lock(&facade()->lock);
    api_say_refused(name, "");
    pthread_mutex_unlock(&facade()->lock);
    thread_state()->last = cudaErrorNotSupported;
    return cudaErrorNotSupported;
}

int api_accept(void)
{
    return cudaSuccess;
}
