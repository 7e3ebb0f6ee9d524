// pkcs1.c: the one valid PKCS#1 v1.5 block of a digest. Verification compares whole blocks instead
// of parsing them, so a forged block cannot exploit a lenient parser.

#include "pkcs1.h"

#include <string.h>

enum { PREFIX_BYTES = 19,
       SMALLEST_PADDING = 8 };

// DER of DigestInfo up to the digest, with NULL parameters (RFC 8017 section 9.2, note 1).
static const struct {
    size_t digest_len;
    uint8_t prefix[PREFIX_BYTES];
} entries[] = {
    [JOSE_PKCS1_SHA256] = {32,
                           {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03,
                            0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20}},
    [JOSE_PKCS1_SHA384] = {48,
                           {0x30, 0x41, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03,
                            0x04, 0x02, 0x02, 0x05, 0x00, 0x04, 0x30}},
    [JOSE_PKCS1_SHA512] = {64,
                           {0x30, 0x51, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03,
                            0x04, 0x02, 0x03, 0x05, 0x00, 0x04, 0x40}},
};

bool jose_pkcs1_block(uint8_t *block, size_t size, jose_pkcs1_hash hash, const uint8_t *digest,
                      size_t digest_len)
{
    if (digest_len != entries[hash].digest_len) return false;
    const size_t info = PREFIX_BYTES + digest_len;
    if (size < info + SMALLEST_PADDING + 3) return false;
    memset(block, 0xff, size - info);
    block[0] = 0x00;
    block[1] = 0x01;
    block[size - info - 1] = 0x00;
    memcpy(block + size - info, entries[hash].prefix, PREFIX_BYTES);
    memcpy(block + size - digest_len, digest, digest_len);
    return true;
}

bool jose_pkcs1_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint8_t seen = 0;
    for (size_t i = 0; i < size; i++) seen |= a[i] ^ b[i];
    return seen == 0;
}
