/* Runs a target without a fuzzer: each file of the corpus, then seeded mutations of them.
 *
 *   fuzz-TARGET [--mutations=N] [--seed=N] FILE...
 *
 * Mutations change bytes, drop and copy pieces (from other files too), and put lines of another file in. An
 * input lies in an allocation of its own size, so that a sanitizer sees a read past its end. Exit status: 0;
 * 2: a file cannot be read. With --print the mutant of the given number is written out instead of run, to
 * keep one that failed.
 */
#include "common/base/rng.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 64 << 10, FILES_MAX = 512 };

typedef struct Input {
    uint8_t *bytes;
    size_t size;
} Input;

static bool read_input(const char *path, Input *in)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    in->bytes = malloc(FILE_MAX);
    in->size = in->bytes ? fread(in->bytes, 1, FILE_MAX, f) : 0;
    const bool good = in->bytes && !ferror(f);
    fclose(f);
    return good;
}

static void run_input(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

/* Puts a piece in at a place, as far as there is room. */
static size_t insert(uint8_t *buf, size_t n, size_t at, const uint8_t *piece, size_t length)
{
    if (n + length > FILE_MAX)
        return n;
    memmove(buf + at + length, buf + at, n - at);
    memcpy(buf + at, piece, length);
    return n + length;
}

/* A line of an input, with its end. */
static size_t random_line(Rng *rng, const Input *in, const uint8_t **line)
{
    size_t at = rng_below(rng, in->size);
    while (at > 0 && in->bytes[at - 1] != '\n')
        at--;
    const uint8_t *end = memchr(in->bytes + at, '\n', in->size - at);
    *line = in->bytes + at;
    return end ? (size_t)(end + 1 - *line) : in->size - at;
}

static size_t mutate_once(Rng *rng, uint8_t *buf, size_t n, const Input *other)
{
    static const char digits[] = "0123456789";
    uint8_t piece[64];
    const uint8_t *line;
    const size_t at = rng_below(rng, n);
    size_t length = 1 + rng_below(rng, 24);
    length = at + length > n ? n - at : length;
    switch (rng_below(rng, 7)) {
    case 0:
        buf[at] = (uint8_t)rng_next(rng);
        return n;
    case 1:
        buf[at] ^= (uint8_t)(1u << rng_below(rng, 8));
        return n;
    case 2:
        memmove(buf + at, buf + at + length, n - at - length);
        return n - length;
    case 3:
        memcpy(piece, buf + at, length);
        return insert(buf, n, rng_below(rng, n), piece, length);
    case 4: /* another number */
        for (size_t i = at; i < n; i++)
            if (buf[i] >= '0' && buf[i] <= '9') {
                buf[i] = (uint8_t)digits[rng_below(rng, 10)];
                break;
            }
        return n;
    default:
        length = random_line(rng, other, &line);
        for (size_t i = at; i < n; i++)
            if (buf[i] == '\n')
                return insert(buf, n, i + 1, line, length);
        return n;
    }
}

static size_t mutate(Rng *rng, const Input *inputs, size_t n_inputs, uint8_t *buf)
{
    const Input *from = &inputs[rng_below(rng, n_inputs)];
    size_t n = from->size;
    memcpy(buf, from->bytes, n);
    for (uint64_t changes = 1 + rng_below(rng, 5); changes > 0 && n > 0; changes--)
        n = mutate_once(rng, buf, n, &inputs[rng_below(rng, n_inputs)]);
    return n;
}

int main(int argc, char **argv)
{
    static Input inputs[FILES_MAX];
    static uint8_t buf[FILE_MAX];
    size_t n = 0;
    unsigned long mutations = 0, print = 0;
    Rng rng = {1};
    for (int i = 1; i < argc; i++) {
        if (sscanf(argv[i], "--mutations=%lu", &mutations) == 1 ||
            sscanf(argv[i], "--seed=%lu", &rng.state) == 1 || sscanf(argv[i], "--print=%lu", &print) == 1)
            continue;
        if (n == FILES_MAX || !read_input(argv[i], &inputs[n]) || inputs[n].size == 0) {
            fprintf(stderr, "fuzz: cannot read %s\n", argv[i]);
            return 2;
        }
        run_input(inputs[n].bytes, inputs[n].size);
        n++;
    }
    for (unsigned long i = 1; n > 0 && i <= mutations; i++) {
        const size_t size = mutate(&rng, inputs, n, buf);
        if (print == i) {
            fwrite(buf, 1, size, stdout);
            return 0;
        }
        if (!print)
            run_input(buf, size);
    }
    printf("%zu files and %lu mutants: no crash\n", n, mutations);
    for (size_t i = 0; i < n; i++)
        free(inputs[i].bytes);
    return 0;
}
