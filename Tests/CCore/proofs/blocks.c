// blocks.c: decrypted blocks, whose bytes an attacker chooses: OAEP, PKCS#7 padding of CBC, and the
// comparison with a PKCS#1 block.

#include "proofs.h"

#include "content/content_cbc_hmac.c"
#include "keymgmt/oaep.h"
#include "signatures/pkcs1.h"

// The mask has any bytes; it is not written beyond the data.
void jose_mgf1_mask(const jose_digest_entry *digest, uint8_t *data, size_t data_len,
                    const uint8_t *seed, size_t seed_len)
{
    (void)digest;
    __CPROVER_assert(__CPROVER_r_ok(seed, seed_len), "the seed");
    __CPROVER_assert(__CPROVER_w_ok(data, data_len), "the data");
    for (size_t i = 0; i < data_len; i++) data[i] = nondet_byte();
}

void prove_oaep_decode(void)
{
    jose_digest_entry digest;
    const size_t modulus_len = any_size_to(LENGTH), key_len = any_size_to(64);
    digest.bytes = any_size_to(JOSE_MAX_DIGEST);
    __CPROVER_assume(jose_oaep_fits(&digest, modulus_len, key_len));
    uint8_t *encoded = any_bytes(modulus_len), *empty_hash = any_bytes(digest.bytes);
    (void)jose_oaep_decode(&digest, empty_hash, encoded, modulus_len, key_len);
}

void prove_padding(void)
{
    uint8_t *last = any_bytes(BLOCK);
    uint32_t padding = 0;
    const uint32_t padded = check_padding(last, &padding);
    __CPROVER_assert(padded == 0 || padded == 0xffffffff, "neither");
    if (padded == 0) return;
    __CPROVER_assert(padding > 0 && padding <= BLOCK, "more than a block");
    for (size_t i = 0; i < BLOCK; i++)
        if (i >= BLOCK - padding) __CPROVER_assert(last[i] == padding, "other padding");
}
