/* Target similar: any bytes as two submissions, the first half and the second, and the first again. */
#include "grader/similar/similar.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const SimilarFile first = {"a.cu", text, size / 2}, second = {"b.cu", text + size / 2, size - size / 2};
    const SimilarWork works[] = {
        {"s001", &first, 1, false}, {"s002", &second, 1, false}, {"s003", &first, 1, false}};
    const SimilarSettings settings = {.percent = 1, .common = 3};
    Arena arena = {0};
    SimilarPair *pairs = NULL;
    size_t n = 0;
    Diag diag = {0};
    if (similar_find(&arena, works, 3, &second, size % 2, &settings, &pairs, &n, &diag) != STATUS_OK)
        abort();
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < pairs[i].n_passages; k++) {
            const SimilarPassage *p = &pairs[i].passages[k];
            if (p->first[0] < 1 || p->last[0] < p->first[0] || p->file[0] != 0 || p->file[1] != 0)
                abort();
        }
    arena_free(&arena);
    return 0;
}
