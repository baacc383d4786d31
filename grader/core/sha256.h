/* sha256: the hash of FIPS 180-4, for submissions' digests, manifests and the seeds of hidden cases; nettle works it out. */
#ifndef GRADER_CORE_SHA256_H
#define GRADER_CORE_SHA256_H

#include <nettle/sha2.h>
#include <stddef.h>

enum { SHA256_BYTES = SHA256_DIGEST_SIZE, SHA256_HEX = 2 * SHA256_BYTES + 1 };

typedef struct sha256_ctx Sha256;

void sha256_start(Sha256 *s);
void sha256_add(Sha256 *s, const void *bytes, size_t length);
void sha256_end(Sha256 *s, unsigned char digest[SHA256_BYTES]);
/* The same as 64 lower-case hex digits and a NUL. */
void sha256_end_hex(Sha256 *s, char hex[SHA256_HEX]);

#endif
