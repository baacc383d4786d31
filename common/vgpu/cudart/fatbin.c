/* fatbin: see fatbin.h for the format, which was read from programs that nvcc 13.0 built. */
#include "common/vgpu/cudart/fatbin.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WRAPPER_MAGIC   0x466243b1u
#define CONTAINER_MAGIC 0xBA55ED50u

enum {
    CONTAINER_HEADER_BYTES = 16,
    ENTRY_HEADER_BYTES = 64,
    KIND_PTX = 1,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
};

typedef struct Entry {
    uint32_t kind, header_bytes, compressed_bytes, arch;
    uint64_t payload_bytes, flags, uncompressed_bytes;
    const uint8_t *payload;
} Entry;

static uint16_t read_u16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t read_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t read_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The entry at p, with `left` bytes of the container after it; *next is how far the following one is. */
static Status read_entry(const uint8_t *p, uint64_t left, Entry *out, uint64_t *next, Diag *diag)
{
    if (left < ENTRY_HEADER_BYTES)
        return diag_set(diag, STATUS_PARSE, "fat binary: an entry of %llu bytes is shorter than its header",
                        (unsigned long long)left);
    *out = (Entry){
        .kind = read_u16(p),
        .header_bytes = read_u32(p + 4),
        .payload_bytes = read_u64(p + 8),
        .compressed_bytes = read_u32(p + 16),
        .arch = read_u32(p + 28),
        .flags = read_u64(p + 40),
        .uncompressed_bytes = read_u64(p + 56),
    };
    if (out->header_bytes < ENTRY_HEADER_BYTES || out->header_bytes > left ||
        out->payload_bytes > left - out->header_bytes)
        return diag_set(diag, STATUS_PARSE, "fat binary: an entry claims more bytes than its container has");
    out->payload = p + out->header_bytes;
    *next = out->header_bytes + out->payload_bytes;
    return STATUS_OK;
}

/* ---- the text of an entry ---- */

static Status plain_text(const Entry *e, FatbinText *out, Diag *diag)
{
    uint64_t length = strnlen((const char *)e->payload, e->payload_bytes);
    out->text = strndup((const char *)e->payload, length);
    out->length = length;
    return out->text ? STATUS_OK : diag_set(diag, STATUS_NO_MEMORY, "no memory for a module's PTX");
}

/* Bytes written, or -1. */
static int64_t decompress(const Entry *e, char *to)
{
    const char *from = (const char *)e->payload;
    if (e->flags & FLAG_ZSTD) {
        size_t n = ZSTD_decompress(to, e->uncompressed_bytes, from, e->compressed_bytes);
        return ZSTD_isError(n) ? -1 : (int64_t)n;
    }
    return LZ4_decompress_safe(from, to, (int)e->compressed_bytes, (int)e->uncompressed_bytes);
}

static Status compressed_text(const Entry *e, FatbinText *out, Diag *diag)
{
    if (e->compressed_bytes > e->payload_bytes)
        return diag_set(diag, STATUS_PARSE, "fat binary: compressed PTX is longer than its entry");
    if (e->uncompressed_bytes == 0 || e->uncompressed_bytes > FATBIN_PTX_MAX)
        return diag_set(diag, STATUS_LIMIT, "fat binary: PTX of %llu bytes, the limit is %d",
                        (unsigned long long)e->uncompressed_bytes, FATBIN_PTX_MAX);
    out->text = malloc(e->uncompressed_bytes + 1);
    if (!out->text)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for a module's PTX");
    int64_t n = decompress(e, out->text);
    if (n < 0 || (uint64_t)n != e->uncompressed_bytes) {
        free(out->text);
        out->text = NULL;
        return diag_set(diag, STATUS_PARSE, "fat binary: compressed PTX is damaged");
    }
    out->text[n] = 0;
    out->length = strlen(out->text);
    return STATUS_OK;
}

/* ---- containers ---- */

static Status open_container(const uint8_t *p, uint64_t bytes_max, uint64_t *first, uint64_t *end, Diag *diag)
{
    if (bytes_max < CONTAINER_HEADER_BYTES || read_u32(p) != CONTAINER_MAGIC)
        return diag_set(diag, STATUS_PARSE, "fat binary: not a container");
    uint64_t header = read_u16(p + 6), bytes = read_u64(p + 8);
    if (header < CONTAINER_HEADER_BYTES || header > bytes_max || bytes > bytes_max - header)
        return diag_set(diag, STATUS_PARSE, "fat binary: a container claims more bytes than there are");
    *first = header;
    *end = header + bytes;
    return STATUS_OK;
}

Status fatbin_extract(const void *container, uint64_t bytes_max, uint32_t arch, FatbinText *out,
                      uint32_t *highest, Diag *diag)
{
    const uint8_t *p = container;
    uint64_t at = 0, end = 0;
    *out = (FatbinText){0};
    *highest = 0;
    Status st = open_container(p, bytes_max, &at, &end, diag);
    Entry best = {0};
    while (st == STATUS_OK && at < end) {
        Entry e;
        uint64_t next = 0;
        st = read_entry(p + at, end - at, &e, &next, diag);
        if (st != STATUS_OK)
            return st;
        if (e.arch > *highest)
            *highest = e.arch;
        if (e.kind == KIND_PTX && e.arch <= arch && e.arch > best.arch)
            best = e;
        at += next;
    }
    if (st != STATUS_OK)
        return st;
    if (!best.payload)
        return STATUS_NOT_FOUND;
    out->arch = best.arch;
    return best.flags & (FLAG_ZSTD | FLAG_LZ4) ? compressed_text(&best, out, diag)
                                               : plain_text(&best, out, diag);
}

Status fatbin_containers(const void *wrapper, const void **out, uint32_t out_max, uint32_t *n, Diag *diag)
{
    const uint8_t *p = wrapper;
    uint32_t version = read_u32(p + 4);
    if (read_u32(p) != WRAPPER_MAGIC || version < 1 || version > 2)
        return diag_set(diag, STATUS_PARSE, "fat binary: not a wrapper that this runtime knows");
    const void *const *list = NULL;
    memcpy(&out[0], p + 8, sizeof out[0]);
    *n = 1;
    if (version == 2)
        memcpy(&list, p + 16, sizeof list);
    for (; list && *list; list++) {
        if (*n == out_max)
            return diag_set(diag, STATUS_LIMIT, "fat binary: more than %u modules to link", out_max);
        out[(*n)++] = *list;
    }
    return STATUS_OK;
}
