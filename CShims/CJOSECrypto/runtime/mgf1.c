// mgf1.c: the mask generation function of OAEP and PSS (RFC 8017 appendix B.2.1).

#include "mgf1.h"

#include <openssl/crypto.h>
#include <string.h>

void jose_mgf1_mask(const jose_digest_entry *digest, uint8_t *out, size_t out_len,
                    const uint8_t *seed, size_t seed_len)
{
    jose_digest_state seeded, state;
    uint8_t block[JOSE_MAX_DIGEST];
    digest->start(&seeded);
    digest->update(&seeded, seed, seed_len);
    uint32_t counter = 0;
    for (size_t done = 0; done < out_len; counter++) {
        uint8_t number[4] = {(uint8_t)(counter >> 24), (uint8_t)(counter >> 16),
                             (uint8_t)(counter >> 8), (uint8_t)counter};
        memcpy(&state, &seeded, sizeof state);
        digest->update(&state, number, sizeof number);
        digest->finish(block, &state);
        size_t now = out_len - done < digest->bytes ? out_len - done : digest->bytes;
        for (size_t i = 0; i < now; i++) out[done + i] ^= block[i];
        done += now;
    }
    OPENSSL_cleanse(&seeded, sizeof seeded);
    OPENSSL_cleanse(&state, sizeof state);
    OPENSSL_cleanse(block, sizeof block);
}
