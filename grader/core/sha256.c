/* See sha256.h. */
#include "grader/core/sha256.h"

#include <stdio.h>

void sha256_start(Sha256 *s)
{
    sha256_init(s);
}

void sha256_add(Sha256 *s, const void *bytes, size_t length)
{
    sha256_update(s, length, bytes);
}

void sha256_end(Sha256 *s, unsigned char digest[SHA256_BYTES])
{
    sha256_digest(s, SHA256_BYTES, digest);
}

void sha256_end_hex(Sha256 *s, char hex[SHA256_HEX])
{
    unsigned char digest[SHA256_BYTES];
    sha256_end(s, digest);
    for (int i = 0; i < SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
