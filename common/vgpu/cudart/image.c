/* image: modules and libraries that a program loads while it runs, from PTX text, fat binaries, or what the
 * driver's linker made.
 *
 * An image is a FatBinary that the program owns: its kernels are Kernels like those that nvcc registers, so
 * that every call that takes a kernel takes theirs.
 *
 * A linked image is a block of memory of our own making, which programs may also keep in a file:
 *
 *      u64 magic "VGPULINK"   u64 bytes in all   u64 n   n times: u64 length, text, NUL
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdlib.h>
#include <string.h>

#define LINKED_MAGIC 0x4B4E494C55504756u /* "VGPULINK", least significant byte first */

enum { LINKED_HEADER_BYTES = 24, WRAPPER_BYTES = 24 };

static const uint32_t wrapper_magic = 0x466243b1u, container_magic = 0xBA55ED50u;

/* ---- texts ---- */

void vgpu_texts_free(ImageTexts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free(texts->items[i].text);
    free(texts->items);
    *texts = (ImageTexts){0};
}

/* Takes text over. */
static Status add_text(ImageTexts *texts, char *text, uint64_t length, Diag *diag)
{
    if (!text || !VEC_GROW(texts->items, texts->n, texts->cap)) {
        free(text);
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a module's PTX");
    }
    texts->items[texts->n++] = (ImageText){.text = text, .length = length};
    return STATUS_OK;
}

Status image_extract(const void *container, uint64_t bytes_max, uint32_t arch, ImageTexts *texts,
                     uint32_t *highest, Diag *diag)
{
    FatbinText text;
    uint32_t seen = 0;
    Status st = fatbin_extract(container, bytes_max, arch, &text, &seen, diag);
    *highest = seen > *highest ? seen : *highest;
    return st == STATUS_OK ? add_text(texts, text.text, text.length, diag) : st;
}

void *vgpu_texts_pack(const ImageTexts *texts, size_t *bytes)
{
    uint64_t header[3] = {LINKED_MAGIC, LINKED_HEADER_BYTES, texts->n};
    for (size_t i = 0; i < texts->n; i++)
        header[1] += 8 + texts->items[i].length + 1;
    char *out = malloc(header[1]), *at = out;
    *bytes = header[1];
    if (!out)
        return NULL;
    memcpy(at, header, sizeof header);
    at += sizeof header;
    for (size_t i = 0; i < texts->n; i++) {
        const ImageText *t = &texts->items[i];
        memcpy(at, &t->length, 8);
        memcpy(at + 8, t->text, t->length + 1);
        at += 8 + t->length + 1;
    }
    return out;
}

static Status read_linked(const char *p, size_t bytes, ImageTexts *out, Diag *diag)
{
    uint64_t header[3], at = LINKED_HEADER_BYTES;
    memcpy(header, p, sizeof header);
    if (bytes != 0 && header[1] > bytes)
        return diag_set(diag, STATUS_PARSE, "a linked image claims more bytes than there are");
    for (uint64_t i = 0; i < header[2]; i++) {
        uint64_t length;
        if (header[1] - at < 9)
            return diag_set(diag, STATUS_PARSE, "a linked image contradicts itself");
        memcpy(&length, p + at, 8);
        if (length > header[1] - at - 9)
            return diag_set(diag, STATUS_PARSE, "a linked image contradicts itself");
        Status st = add_text(out, strndup(p + at + 8, length), strnlen(p + at + 8, length), diag);
        if (st != STATUS_OK)
            return st;
        at += 8 + length + 1;
    }
    return STATUS_OK;
}

/* ---- what kind of image? ---- */

static uint32_t current_arch(void)
{
    DeviceInfo info = {0};
    facade_send(&(DeviceMsg){.op = OP_DEVICE_INFO,
                             .device = call_device(),
                             .out = {.data = &info, .bytes = sizeof info}},
                NULL);
    return info.newest_target;
}

Status image_has_no_code(const char *what, uint32_t highest, uint32_t arch, Diag *diag)
{
    if (highest <= arch)
        return diag_set(diag, STATUS_NOT_FOUND, "the %s holds machine code only; " IMAGE_CURE, what);
    return diag_set(diag, STATUS_NOT_FOUND,
                    "the %s is for compute capability %u.%u and above, and this device has %u.%u: build it "
                    "with nvcc -arch=compute_%u, "
                    "or run it on a newer card with --device=NAME (vgpu --list-devices)",
                    what, highest / 10, highest % 10, arch / 10, arch % 10, arch);
}

static Status read_container(const void *p, size_t bytes, ImageTexts *out, Diag *diag)
{
    uint32_t highest = 0, arch = current_arch();
    Status st = image_extract(p, bytes == 0 ? CONTAINER_BYTES_MAX : bytes, arch, out, &highest, diag);
    return st == STATUS_NOT_FOUND ? image_has_no_code("image", highest, arch, diag) : st;
}

static Status read_wrapper(const void *p, ImageTexts *out, Diag *diag)
{
    const void **containers = calloc(FATBIN_IMAGES_MAX, sizeof *containers);
    uint32_t n = 0;
    if (!containers)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for an image");
    Status st = fatbin_containers(p, containers, FATBIN_IMAGES_MAX, &n, diag);
    for (uint32_t i = 0; i < n && st == STATUS_OK; i++)
        st = read_container(containers[i], 0, out, diag);
    free(containers);
    return st;
}

static Status image_read_text(const char *p, size_t bytes, ImageTexts *out, Diag *diag)
{
    size_t length = bytes == 0 ? strlen(p) : strnlen(p, bytes);
    if (length == 0)
        return diag_set(diag, STATUS_PARSE, "the image is empty");
    if (length > FATBIN_PTX_MAX)
        return diag_set(diag, STATUS_LIMIT, "PTX of %zu bytes, the limit is %d", length, FATBIN_PTX_MAX);
    return add_text(out, strndup(p, length), length, diag);
}

/* Reads no byte beyond the first that says what it is not: the image may be a short text. */
static bool starts_with(const void *data, size_t bytes, size_t needs, const void *magic, size_t length)
{
    return (bytes == 0 || bytes >= needs) && strncmp(data, magic, length) == 0;
}

static Status read_image(const void *p, size_t bytes, ImageTexts *out, Diag *diag)
{
    const uint64_t linked_magic = LINKED_MAGIC;
    if (starts_with(p, bytes, WRAPPER_BYTES, &wrapper_magic, 4) && bytes == 0)
        return read_wrapper(p, out, diag);
    if (starts_with(p, bytes, 4, &container_magic, 4))
        return read_container(p, bytes, out, diag);
    if (starts_with(p, bytes, LINKED_HEADER_BYTES, &linked_magic, 8))
        return read_linked(p, bytes, out, diag);
    if (starts_with(p, bytes, 4, "\177ELF", 4))
        return diag_set(diag, STATUS_NOT_FOUND, "the image is machine code (a cubin); " IMAGE_CURE);
    return image_read_text(p, bytes, out, diag);
}

static cudaError_t image_error(Status st)
{
    switch (st) {
    case STATUS_OK:
        return cudaSuccess;
    case STATUS_NO_MEMORY:
        return cudaErrorMemoryAllocation;
    case STATUS_NOT_FOUND:
        return cudaErrorNoKernelImageForDevice;
    default:
        return cudaErrorInvalidKernelImage;
    }
}

/* ---- opening and closing ---- */

/* Part of a call of the driver's library or of library.c, which says what failed under its own name. */
#define ENTER_IMAGE                                                                                          \
    Call call;                                                                                               \
    if (!call_enter(&call, API___cudaInitModule))                                                            \
    return call_leave_quietly(&call, call.error)

cudaError_t vgpu_texts_read(const void *data, size_t bytes, ImageTexts *out, Diag *diag)
{
    ENTER_IMAGE;
    return call_leave_quietly(&call, image_error(read_image(data, bytes, out, diag)));
}

static void free_image(FatBinary *fat)
{
    while (fat->kernels) {
        Kernel *k = fat->kernels;
        fat->kernels = k->next;
        kernel_free(k);
    }
    vgpu_texts_free(&fat->texts);
    free(fat);
}

cudaError_t vgpu_image_open(ImageTexts *texts, bool module, Image **out, Diag *diag)
{
    Call call;
    FatBinary *fat = calloc(1, sizeof *fat);
    if (!fat || !call_enter(&call, API___cudaInitModule)) {
        free(fat);
        return fat ? call_leave_quietly(&call, call.error) : cudaErrorMemoryAllocation;
    }
    fat->origin = module ? FAT_MODULE : FAT_LIBRARY;
    fat->device = call_device();
    fat->texts = *texts;
    *texts = (ImageTexts){0};
    Loaded *on = &fat->on[call_device()];
    call_site(&call);
    cudaError_t error = texts_load(&call, &fat->texts, MODULE_OWNED, &on->id, diag);
    if (error != cudaSuccess) {
        free_image(fat);
        return call_leave_quietly(&call, error);
    }
    on->tried = true;
    fat->next = facade()->fats;
    facade()->fats = fat;
    *out = fat;
    return call_leave_quietly(&call, cudaSuccess);
}

cudaError_t vgpu_image_try(const ImageTexts *texts, Diag *diag)
{
    Call call;
    uint32_t none = 0;
    if (!call_enter(&call, API___cudaInitModule))
        return call_leave_quietly(&call, call.error);
    return call_leave_quietly(&call, texts_load(&call, texts, MODULE_TRIED, &none, diag));
}

cudaError_t vgpu_image_close(Image *image)
{
    cudaError_t error = cudaSuccess;
    ENTER_IMAGE;
    for (uint32_t i = 0; i < DEVICES_MAX; i++) {
        DeviceReply reply;
        DeviceMsg msg = {.op = OP_MODULE_UNLOAD};
        if (!image->on[i].tried || image->on[i].error != cudaSuccess)
            continue;
        msg.module.id = image->on[i].id;
        cudaError_t e = call_send_to(&call, i, &msg, &reply);
        error = error == cudaSuccess ? e : error;
    }
    FatBinary **link = &facade()->fats;
    while (*link != image)
        link = &(*link)->next;
    *link = image->next;
    free_image(image);
    return call_leave_quietly(&call, error);
}

/* ---- finding ---- */

bool vgpu_image_exists(const Image *image, bool module)
{
    bool found = false;
    pthread_mutex_lock(&facade()->lock);
    for (const FatBinary *fat = facade()->fats; fat; fat = fat->next)
        found = found || (fat == image && !fat->ended && fat->origin == (module ? FAT_MODULE : FAT_LIBRARY));
    pthread_mutex_unlock(&facade()->lock);
    return found;
}

bool vgpu_kernel_exists(cudaKernel_t kernel)
{
    pthread_mutex_lock(&facade()->lock);
    bool found = kernel && kernel_of(kernel);
    pthread_mutex_unlock(&facade()->lock);
    return found;
}

Image *vgpu_kernel_image(cudaKernel_t kernel)
{
    pthread_mutex_lock(&facade()->lock);
    const Kernel *k = kernel ? kernel_of(kernel) : NULL;
    Image *image = !k || k->fat->origin == FAT_REGISTERED ? NULL : k->fat;
    pthread_mutex_unlock(&facade()->lock);
    return image;
}

static Kernel *find_kernel(const FatBinary *fat, const char *name)
{
    Kernel *k = fat->kernels;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k;
}

cudaError_t vgpu_image_kernel(Image *image, const char *name, cudaKernel_t *out)
{
    uint32_t function;
    ENTER_IMAGE;
    Kernel *k = find_kernel(image, name);
    if (!k) {
        k = kernel_add(image, NULL, name);
        if (!k)
            return call_leave_quietly(&call, cudaErrorMemoryAllocation);
        k->host = k; /* no stub on the host: the handle stands for it */
        cudaError_t error = kernel_load(&call, k, &function);
        if (error != cudaSuccess) {
            image->kernels = k->next;
            kernel_free(k);
            return call_leave_quietly(&call,
                               error == cudaErrorInvalidDeviceFunction ? cudaErrorSymbolNotFound : error);
        }
    }
    *out = (cudaKernel_t)k;
    return call_leave_quietly(&call, cudaSuccess);
}

cudaError_t vgpu_image_variable(Image *image, const char *name, void **address, size_t *bytes)
{
    Variable v = {.fat = image, .name = (char *)(uintptr_t)name};
    uint64_t at = 0;
    ENTER_IMAGE;
    cudaError_t error = variable_load(&call, &v, &at);
    *address = (void *)(uintptr_t)at;
    *bytes = v.on[call_device()].bytes;
    return call_leave_quietly(&call, error == cudaErrorInvalidSymbol ? cudaErrorSymbolNotFound : error);
}
