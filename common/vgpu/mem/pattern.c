/* The pattern of fresh memory.
 *
 * Small allocations get it written. A large one is covered with private mappings of one file that holds the
 * pattern: its pages are shared until somebody writes them, and dropping them (madvise) brings the pattern
 * back.
 */
#include "common/base/rng.h"
#include "common/base/io.h"
#include "common/vgpu/mem/mem_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

Status mem_pattern_create(MemPattern *p, uint64_t seed)
{
    p->file = -1;
    p->bytes = malloc(MEM_PATTERN_BYTES);
    if (!p->bytes)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < MEM_PATTERN_BYTES; i += 8) {
        uint64_t word = rng_mix(seed + i) | 0x0101010101010101u; /* each byte is odd: no zero, and guard_is_fresh() of common/lab knows them */
        memcpy(p->bytes + i, &word, 8);
    }
    return STATUS_OK;
}

void mem_pattern_destroy(MemPattern *p)
{
    if (p->file >= 0)
        close(p->file);
    free(p->bytes);
}

static int pattern_file(const MemPattern *p)
{
    int file = memfd_create("vgpu-pattern", MFD_CLOEXEC);
    if (file < 0)
        return -2;
    for (size_t done = 0; done < MEM_PATTERN_FILE_BYTES; done += MEM_PATTERN_BYTES) {
        if (!io_write_all(file, p->bytes, MEM_PATTERN_BYTES)) {
            close(file);
            return -2;
        }
    }
    return file;
}

static void fill_by_writing(const MemPattern *p, uint8_t *host, uint64_t offset, uint64_t bytes)
{
    while (bytes) {
        uint64_t at = offset % MEM_PATTERN_BYTES;
        uint64_t n = MEM_PATTERN_BYTES - at < bytes ? MEM_PATTERN_BYTES - at : bytes;
        memcpy(host, p->bytes + at, n);
        host += n;
        offset += n;
        bytes -= n;
    }
}

/* Maps the pattern over whole pages; the number of bytes that got it (fewer when the host runs out of
 * mappings). */
static uint64_t fill_by_mapping(const MemPattern *p, uint8_t *host, uint64_t bytes)
{
    uint64_t done = 0;
    while (done + MEM_PAGE <= bytes) {
        uint64_t left = (bytes - done) & ~(uint64_t)(MEM_PAGE - 1);
        uint64_t n = left < MEM_PATTERN_FILE_BYTES ? left : MEM_PATTERN_FILE_BYTES;
        void *got =
            mmap(host + done, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, p->file, 0);
        if (got == MAP_FAILED)
            break;
        done += n;
    }
    return done;
}

void mem_pattern_fill(MemPattern *p, uint8_t *host, uint64_t offset, uint64_t bytes)
{
    uint64_t mapped = 0;
    if (bytes >= MEM_LARGE && offset % MEM_PAGE == 0) {
        if (p->file == -1)
            p->file = pattern_file(p);
        if (p->file >= 0)
            mapped = fill_by_mapping(p, host, bytes);
    }
    fill_by_writing(p, host + mapped, offset + mapped, bytes - mapped);
}
