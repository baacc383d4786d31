/* pack: a container's header, and for each image an entry's header and the text, padded to eight bytes. See
 * common/vgpu/cudart/fatbin.h for the picture. */
#include "common/cuda/driver/pack.h"

#define CONTAINER_MAGIC 0xBA55ED50u

enum {
    CONTAINER_HEADER_BYTES = 16,
    CONTAINER_VERSION = 1,
    ENTRY_HEADER_BYTES = 64,
    ENTRY_VERSION = 0x101,
    KIND_PTX = 1,
    FLAGS_LINUX_64 = 0x11,
    ALIGNMENT = 8,
};

static void put_little_endian(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* With the NUL that ends the text. */
static size_t padded(size_t length)
{
    return (length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void pack_image(StrBuf *out, const PackImage *image)
{
    static const char zeros[ALIGNMENT] = "";
    uint8_t header[ENTRY_HEADER_BYTES] = {0};
    put_little_endian(header, KIND_PTX, 2);
    put_little_endian(header + 2, ENTRY_VERSION, 2);
    put_little_endian(header + 4, ENTRY_HEADER_BYTES, 4);
    put_little_endian(header + 8, padded(image->length), 8);
    put_little_endian(header + 28, image->arch, 4);
    put_little_endian(header + 40, FLAGS_LINUX_64, 8);
    strbuf_append(out, (const char *)header, sizeof header);
    strbuf_append(out, image->text, image->length);
    strbuf_append(out, zeros, padded(image->length) - image->length);
}

void pack_container(StrBuf *out, const PackImage *images, size_t n)
{
    uint8_t header[CONTAINER_HEADER_BYTES] = {0};
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += ENTRY_HEADER_BYTES + padded(images[i].length);
    put_little_endian(header, CONTAINER_MAGIC, 4);
    put_little_endian(header + 4, CONTAINER_VERSION, 2);
    put_little_endian(header + 6, CONTAINER_HEADER_BYTES, 2);
    put_little_endian(header + 8, bytes, 8);
    strbuf_append(out, (const char *)header, sizeof header);
    for (size_t i = 0; i < n; i++)
        pack_image(out, &images[i]);
}
