/* Target provenance: any bytes as a record of provenance. A line feed and a NUL end the JSON; what follows
 * are the bytes that it names, which are the case's arrays, too.
 */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/judge/provenance.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memmem(data, size, "\n\0", 2);
    size_t json = end ? (size_t)(end - data) : size, bin = end ? size - json - 2 : 0;
    const uint8_t *bytes = data + size - bin;
    Arena a = {0};
    ProvenanceFound found;
    ProvenanceArray in[] = {{'f', 4, bin / 8 * 4, bytes}, {'i', 2, bin / 4 * 2, bytes}};
    ProvenanceArray out[] = {{'f', 4, bin, bytes}, {'u', 1, bin / 2, bytes + bin - bin / 2}};
    ProvenanceCase c = {.in = in, .out = out, .n_in = 2, .n_out = 2, .min_ops = 1, .host_finish = size % 2};
    Diag diag = {0};
    Status s = provenance_judge(&a, &c, (const char *)data, json, bytes, bin, &found, &diag);
    bool pass = found.verdict == VERDICT_PASS;
    if (s != STATUS_OK || (!pass && found.verdict != VERDICT_SUSPECT && found.verdict != VERDICT_NO_GPU_WORK))
        abort();
    if (pass != (found.message[0] == '\0') || found.host_made > found.out_bytes || !(found.ops >= 0))
        abort();
    arena_free(&a);
    return 0;
}
