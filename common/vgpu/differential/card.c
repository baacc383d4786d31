/* The card, or what stands in for one: the driver API by dlopen of libcuda.so.1 and a handful of its
 * functions. */
#include "common/vgpu/differential/differential.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef int Result; /* CUresult */
typedef unsigned long long DevicePointer;
enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76, JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6 };

/* The functions: X(name, parameters) */
#define DRIVER_FUNCTIONS                                                                                     \
    X(cuInit, (unsigned))                                                                                    \
    X(cuDeviceGet, (int *, int))                                                                             \
    X(cuDeviceGetName, (char *, int, int))                                                                   \
    X(cuDeviceGetAttribute, (int *, int, int))                                                               \
    X(cuDevicePrimaryCtxRetain, (void **, int))                                                              \
    X(cuCtxSetCurrent, (void *))                                                                             \
    X(cuModuleLoadDataEx, (void **, const void *, unsigned, int *, void **))                                 \
    X(cuModuleGetFunction, (void **, void *, const char *))                                                  \
    X(cuModuleUnload, (void *))                                                                              \
    X(cuMemAlloc_v2, (DevicePointer *, size_t))                                                              \
    X(cuMemFree_v2, (DevicePointer))                                                                         \
    X(cuMemcpyHtoD_v2, (DevicePointer, const void *, size_t))                                                \
    X(cuMemcpyDtoH_v2, (void *, DevicePointer, size_t))                                                      \
    X(cuMemsetD8_v2, (DevicePointer, unsigned char, size_t))                                                 \
    X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, \
                       void **, void **))                                                                    \
    X(cuCtxSynchronize, (void))                                                                              \
    X(cuGetErrorName, (Result, const char **))

struct Card {
    void *library;
    char name[128];
    int capability;
    DevicePointer in, out, own;
#define X(name, parameters) Result(*name) parameters;
    DRIVER_FUNCTIONS
#undef X
};

static Status failed(const Card *card, const char *call, Result result, Diag *diag)
{
    const char *name = "?";
    card->cuGetErrorName(result, &name);
    return diag_set(diag, STATUS_INVALID, "%s: %s", call, name);
}

#define TRY(card, call, arguments)                                                                           \
    do {                                                                                                     \
        const Result try_result = (card)->call arguments;                                                    \
        if (try_result)                                                                                      \
            return failed(card, #call, try_result, diag);                                                    \
    } while (0)

static Status find_functions(Card *card, Diag *diag)
{
    card->library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!card->library)
        return diag_set(diag, STATUS_NOT_FOUND, "%s", dlerror());
#define X(name, parameters)                                                                                  \
    *(void **)&card->name = dlsym(card->library, #name);                                                     \
    if (!card->name)                                                                                         \
        return diag_set(diag, STATUS_NOT_FOUND, "libcuda.so.1 has no %s", #name);
    DRIVER_FUNCTIONS
#undef X
    return STATUS_OK;
}

static Status begin_card(Card *card, Diag *diag)
{
    int device = 0, major = 0, minor = 0;
    void *context = NULL;
    TRY(card, cuInit, (0));
    TRY(card, cuDeviceGet, (&device, 0));
    TRY(card, cuDeviceGetName, (card->name, sizeof card->name, device));
    TRY(card, cuDeviceGetAttribute, (&major, ATTRIBUTE_MAJOR, device));
    TRY(card, cuDeviceGetAttribute, (&minor, ATTRIBUTE_MINOR, device));
    card->capability = major * 10 + minor;
    TRY(card, cuDevicePrimaryCtxRetain, (&context, device));
    TRY(card, cuCtxSetCurrent, (context));
    TRY(card, cuMemAlloc_v2, (&card->in, N_CLASSES * N_INPUTS * THREADS * 8));
    TRY(card, cuMemAlloc_v2, (&card->out, SLOTS_MAX * THREADS * 8));
    TRY(card, cuMemAlloc_v2, (&card->own, OWN_BYTES));
    return STATUS_OK;
}

Status card_open(Card **card, Diag *diag)
{
    *card = calloc(1, sizeof **card);
    if (!*card)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory");
    Status status = find_functions(*card, diag);
    if (status == STATUS_OK)
        status = begin_card(*card, diag);
    if (status != STATUS_OK) {
        free(*card);
        *card = NULL;
    }
    return status;
}

void card_close(Card *card)
{
    card->cuMemFree_v2(card->in);
    card->cuMemFree_v2(card->out);
    card->cuMemFree_v2(card->own);
    free(card); /* the library stays: drivers do not like to be unloaded */
}

const char *card_name(const Card *card)
{
    return card->name;
}

int card_capability(const Card *card)
{
    return card->capability;
}

static Status launch_on_card(Card *card, void *module, Answer *answer, Diag *diag)
{
    void *function = NULL, *arguments[] = {&card->in, &card->out, &card->own};
    TRY(card, cuModuleGetFunction, (&function, module, "k"));
    TRY(card, cuMemsetD8_v2, (card->out, 0, sizeof answer->out));
    TRY(card, cuLaunchKernel, (function, BLOCKS, 1, 1, BLOCK_THREADS, 1, 1, 0, NULL, arguments, NULL));
    TRY(card, cuCtxSynchronize, ());
    TRY(card, cuMemcpyDtoH_v2, (answer->out, card->out, sizeof answer->out));
    TRY(card, cuMemcpyDtoH_v2, (answer->own, card->own, sizeof answer->own));
    return STATUS_OK;
}

Status card_run(Card *card, const Kernel *k, Answer *answer, Diag *diag)
{
    uint64_t in[N_CLASSES * N_INPUTS][THREADS], own[OWN_BYTES / 8];
    char log[1024] = "";
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log}, *module = NULL;
    inputs_make(k->seed, k->family, in, own);
    TRY(card, cuMemcpyHtoD_v2, (card->in, in, sizeof in));
    TRY(card, cuMemcpyHtoD_v2, (card->own, own, sizeof own));
    const Result result = card->cuModuleLoadDataEx(&module, k->ptx.text, 2, options, values);
    if (result) {
        log[strcspn(log, "\n")] = '\0';
        return diag_set(diag, STATUS_UNSUPPORTED, "not loaded (%d): %s", result, log);
    }
    const Status status = launch_on_card(card, module, answer, diag);
    card->cuModuleUnload(module);
    answer_fold_nans(k, answer);
    return status;
}
