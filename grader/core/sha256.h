/* sha256: the hash of FIPS 180-4, for submissions' digests, manifests and the seeds of hidden cases. */
#ifndef GRADER_CORE_SHA256_H
#define GRADER_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 65 };

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t length;
    unsigned char block[64];
    void (*compress)(uint32_t state[8], const unsigned char *block); /* as the processor can */
} Sha256;

void sha256_start(Sha256 *s);
/* The same without the processor's instructions for it, which gives the same digests. */
void sha256_start_plain(Sha256 *s);
void sha256_add(Sha256 *s, const void *bytes, size_t length);
void sha256_end(Sha256 *s, unsigned char digest[SHA256_BYTES]);
/* The same as 64 lower-case hex digits and a NUL. */
void sha256_end_hex(Sha256 *s, char hex[SHA256_HEX]);

#endif
