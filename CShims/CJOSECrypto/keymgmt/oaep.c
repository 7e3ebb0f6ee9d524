// oaep.c: RSAES-OAEP encoding with MGF1 over the same hash, empty label.
//
//     0 | seed ^ MGF(data) | data ^ MGF(seed)      data = hash of nothing | 0 ... 0 | 1 | key
//
// The key length is known in advance, so decoding does not search for the separator: every byte
// except seed and key has one right value.

#include "oaep.h"

#include <openssl/crypto.h>
#include <string.h>

#include "runtime/mgf1.h"

bool jose_oaep_fits(const jose_digest_entry *digest, size_t modulus_len, size_t key_len)
{
    return modulus_len >= 2 * digest->bytes + 2 + key_len;
}

void jose_oaep_encode(const jose_digest_entry *digest, const uint8_t *empty_hash,
                      uint8_t *encoded, size_t modulus_len, const uint8_t *key, size_t key_len,
                      const uint8_t *seed)
{
    uint8_t *masked_seed = encoded + 1, *data = masked_seed + digest->bytes;
    size_t data_len = modulus_len - 1 - digest->bytes;
    encoded[0] = 0;
    memcpy(masked_seed, seed, digest->bytes);
    memcpy(data, empty_hash, digest->bytes);
    memset(data + digest->bytes, 0, data_len - digest->bytes - key_len);
    data[data_len - key_len - 1] = 1;
    memcpy(data + data_len - key_len, key, key_len);
    jose_mgf1_mask(digest, data, data_len, masked_seed, digest->bytes);
    jose_mgf1_mask(digest, masked_seed, digest->bytes, data, data_len);
}

uint8_t jose_oaep_decode(const jose_digest_entry *digest, const uint8_t *empty_hash,
                         uint8_t *encoded, size_t modulus_len, size_t key_len)
{
    uint8_t *seed = encoded + 1, *data = seed + digest->bytes;
    size_t data_len = modulus_len - 1 - digest->bytes;
    jose_mgf1_mask(digest, seed, digest->bytes, data, data_len);
    jose_mgf1_mask(digest, data, data_len, seed, digest->bytes);

    uint32_t bad = encoded[0];
    for (size_t i = 0; i < digest->bytes; i++) bad |= data[i] ^ empty_hash[i];
    size_t separator = data_len - key_len - 1;
    for (size_t i = digest->bytes; i < separator; i++) bad |= data[i];
    bad |= data[separator] ^ 1;
    return (uint8_t)((bad - 1) >> 8);  // 0 wraps to all ones; 1 to 255 gives zero
}
