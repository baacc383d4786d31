/* cudart: what libcudart.so.13 lends to libcuda.so.1.
 *
 * The driver API is a second door to the same devices. Its library (common/vgpu/cuda) holds contexts and
 * names; devices, streams, events, kernels and memory stay here, and it reaches them through the runtime's
 * own functions and the few below. A handle of the one API is a handle of the other, as with hardware:
 * CUstream and cudaStream_t, CUevent and cudaEvent_t, CUfunction, CUkernel and cudaKernel_t.
 *
 * While a thread is between vgpu_begin and vgpu_end, what it calls of the runtime goes by the driver call's
 * name in findings and records, is not counted for --fail-at, and leaves cudaGetLastError alone.
 *
 * These symbols have the version VGPU_PRIVATE; programs do not see them.
 */
#ifndef COMMON_VGPU_CUDART_CUDART_H
#define COMMON_VGPU_CUDART_CUDART_H

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICES_MAX = 64 };

#pragma GCC visibility push(default)

/* A driver call begins: starts the devices if need be. vgpu_end comes after it in any case. */
cudaError_t vgpu_begin(const char *name);
/* Counts the call for --fail-at: `fail` when it is the one (cudaSuccess: never). */
cudaError_t vgpu_count(cudaError_t fail);
/* Has the devices ready, so that what comes has them to tell of it; why it cannot, calls say. Which of them are visible the first call asks. */
void vgpu_lab_begin(void);
/* From now on calls are a lab's own, and none of them is made to fail; 0: the student's again. */
void vgpu_lab_calls(int own);
/* An array of a lab's on the host, which stays to the end: a copy that begins in it and reads past its end is told. */
void vgpu_lab_array(const void *data, size_t bytes);
/* A line of at most 255 printable characters for the record of calls (device/calls.c). */
void vgpu_lab_note(const char *text);
/* Has the program reset a device? */
int vgpu_lab_was_reset(void);
/* It ends; error_name is NULL, or the name of the error that it returns. */
void vgpu_end(int code, const char *error_name);
/* Has this process used the runtime's devices, so that the driver counts as initialised? */
bool vgpu_runtime_used(void);
/* A line on standard error. */
void vgpu_say(const char *text);
/* Advice about the call under way. */
void vgpu_advise(const void *address, const char *message, const char *hint);
/* Frames of the library that holds this address are not the program's. */
void vgpu_own_library(const void *address);

/* The calling thread's device (an ordinal), and which context of it: none, the primary one that the runtime
 * uses, or one that the program made. */
typedef enum ThreadContext { CONTEXT_NONE, CONTEXT_PRIMARY, CONTEXT_MADE } ThreadContext;
int vgpu_thread_device(ThreadContext *context);
void vgpu_thread_bind(int device, ThreadContext context);
/* Does the runtime use the device's primary context? */
bool vgpu_primary_used(int device);

/* ---- images: PTX text, fat binaries and what the linker made, loaded while the program runs ---- */

/* The texts of an image. The caller frees them with vgpu_texts_free. */
typedef struct ImageText {
    char *text; /* NUL-terminated */
    uint64_t length;
} ImageText;

typedef struct ImageTexts {
    ImageText *items;
    size_t n, cap;
} ImageTexts;

/* Appends the PTX in `data`. bytes: how many there are, 0: not known, the data says itself where it ends.
 * cudaErrorInvalidKernelImage, cudaErrorNoKernelImageForDevice: diag says why. */
cudaError_t vgpu_texts_read(const void *data, size_t bytes, ImageTexts *out, Diag *diag);
void vgpu_texts_free(ImageTexts *texts);
/* One block of memory that vgpu_texts_read understands; the caller frees it. NULL: no memory. */
void *vgpu_texts_pack(const ImageTexts *texts, size_t *bytes);

typedef struct FatBinary Image;

/* Takes the texts over. A module is loaded now, on the current device, and serves it alone; a library is
 * loaded on each device that uses it, when it does. diag has the place in the PTX that is not understood. */
cudaError_t vgpu_image_open(ImageTexts *texts, bool module, Image **out, Diag *diag);
/* Whether they would load on the current device; nothing stays. */
cudaError_t vgpu_image_try(const ImageTexts *texts, Diag *diag);
cudaError_t vgpu_image_close(Image *image);
bool vgpu_image_exists(const Image *image, bool module);
/* cudaErrorSymbolNotFound: there is no such kernel, or no such variable. */
cudaError_t vgpu_image_kernel(Image *image, const char *name, cudaKernel_t *out);
cudaError_t vgpu_image_variable(Image *image, const char *name, void **address, size_t *bytes);
/* The image of a kernel's handle; NULL: no such kernel, or one that is part of the program. */
Image *vgpu_kernel_image(cudaKernel_t kernel);
bool vgpu_kernel_exists(cudaKernel_t kernel);

/* ---- memory ---- */

/* Fills rows of width elements of 1, 2 or 4 bytes in stream order. */
cudaError_t vgpu_fill(void *dst, size_t pitch, uint32_t value, unsigned element, size_t width, size_t height,
                      cudaStream_t stream);

/* The allocation that holds an address: false when there is none. */
bool vgpu_find_memory(const void *p, uint64_t *base, uint64_t *bytes, uint32_t *serial);

/* ---- virtual memory management (map.c): device ordinals; a handle stands for memory, with a reference for each time it was given ---- */

cudaError_t vgpu_map_create(uint64_t *handle, size_t bytes, int device);
cudaError_t vgpu_map_release(uint64_t handle);
/* What vgpu_map_create was told. */
cudaError_t vgpu_map_properties(uint64_t handle, int *device);
/* The handle of what is mapped there, with one more reference. */
cudaError_t vgpu_map_retain(const void *address, uint64_t *handle);
cudaError_t vgpu_map_reserve(uintptr_t *address, size_t bytes, size_t align, uintptr_t wanted);
cudaError_t vgpu_map_unreserve(uintptr_t address, size_t bytes);
cudaError_t vgpu_map_map(uintptr_t address, size_t bytes, uint64_t handle);
cudaError_t vgpu_map_unmap(uintptr_t address, size_t bytes);
cudaError_t vgpu_map_set_access(uintptr_t address, size_t bytes, int device, bool may);
cudaError_t vgpu_map_get_access(uintptr_t address, int device, bool *may);

#pragma GCC visibility pop

#endif
