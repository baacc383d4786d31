/* fuzz: what libFuzzer calls with any bytes, one definition a target: ptx.c, exec.c, fatbin.c, remote.c.
 *
 * A target must return whatever the bytes are: a crash, a hang, a leak or a sanitizer's report is a bug of
 * the module under it. `make fuzz TARGET=ptx MINUTES=60` runs one under libFuzzer (clang); standalone.c runs
 * the corpus and seeded mutations of it in any build, so that `make test` does.
 */
#ifndef COMMON_VGPU_FUZZ_FUZZ_H
#define COMMON_VGPU_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
