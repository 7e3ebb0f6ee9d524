// ifma_key.c: public keys prepared for the kernel of 52-bit multipliers, and their checksum.

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "ifma_arith.h"
#include "ifma_power.h"
#include "private_key.h"

#if JOSE_KERNELS_X86

// The checksum is a Fletcher sum in each lane (a += word, b = rotated b + a); the lanes are then
// folded. It detects lost, changed and swapped words, and changes that cancel in a. Without the
// rotation the highest bit would reach no other bit. The factors are odd, so that no bit of a lane
// is lost. It detects memory errors, not an attacker who writes to memory.
__attribute__((target(JOSE_IFMA_TARGET))) uint64_t jose_ifma_checksum(const jose_rsa_ifma_key *key)
{
    enum { VECTORS = offsetof(jose_rsa_ifma_key, k0) / sizeof(jose_vec),
           ROTATION = 29 };
    jose_vec a = _mm512_set_epi64(8, 7, 6, 5, 4, 3, 2, 1);
    jose_vec b = _mm512_setzero_si512();
    for (int i = 0; i < VECTORS; i++) {
        a = jose_sum(a, ((const jose_vec *)(const void *)key)[i]);
        b = jose_sum(_mm512_rol_epi64(b, ROTATION), a);
    }
    const jose_vec factors = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    a = _mm512_xor_si512(a, _mm512_srli_epi64(a, 32));
    a = _mm512_mullo_epi64(a, _mm512_set1_epi64((long long)JOSE_CHECKSUM_FACTOR));
    a = _mm512_mullo_epi64(_mm512_xor_si512(a, b), factors);
    const uint64_t sum = (uint64_t)_mm512_reduce_add_epi64(a) + 3 * jose_checksum_spread(key->k0) +
                         5 * jose_checksum_spread(key->k1);
    return jose_checksum_end(sum + jose_checksum_spread((uint64_t)key->e << 32 | key->size));
}

static bool spread(uint64_t *limbs, const BIGNUM *number, int size)
{
    uint8_t bytes[JOSE_RSA_KERNEL_MAX_BYTES] = {0};
    if (BN_bn2binpad(number, bytes, size) != size) return false;
    jose_ifma_limbs_read(limbs, -1, bytes, (size_t)size);
    return true;
}

// fill_pairs computes k1 and `upper` for ifma_pairs.h, with beta = 2^52. k0 n0 + 1 = beta t, and k1
// makes t + k0 n1 + k1 n0 vanish modulo beta.
static void fill_pairs(jose_rsa_ifma_key *key)
{
    enum { V = 5 };  // for JOSE_LIMB
    uint64_t n[JOSE_IFMA_PAIR_WORDS], upper[JOSE_IFMA_PAIR_WORDS];
    jose_limbs_from_bytes(n, JOSE_IFMA_PAIR_WORDS, key->modulus, key->size);
    const uint64_t t = (uint64_t)((unsigned __int128)key->k0 * n[0] >> 52) + 1;
    key->k1 = (t + key->k0 * n[1]) * key->k0 & JOSE_LIMB_MASK;
    jose_ifma_upper(upper, n, key->k0, key->k1, JOSE_IFMA_PAIR_WORDS);
    for (int i = 0; i < JOSE_IFMA_PAIR_WORDS; i++) JOSE_LIMB(key->upper, i) = upper[i];
}

static bool fill(jose_rsa_ifma_key *key, const BIGNUM *n, const BIGNUM *e, int size)
{
    BN_CTX *context = BN_CTX_new();
    BIGNUM *r2 = BN_new();
    bool done = false;
    if (context == NULL || r2 == NULL) goto end;
    if (BN_set_bit(r2, 2 * 52 * jose_ifma_rows((size_t)size)) != 1) goto end;
    if (BN_mod(r2, r2, n, context) != 1) goto end;
    if (!spread(key->n, n, size) || !spread(key->r2, r2, size)) goto end;
    if (BN_bn2binpad(n, key->modulus, size) != size) goto end;

    uint64_t inverse = key->n[0];  // right to 3 bits; each round doubles them
    for (int i = 0; i < 5; i++) inverse *= 2 - key->n[0] * inverse;
    key->k0 = (0 - inverse) & JOSE_LIMB_MASK;
    if (((key->n[0] * key->k0 + 1) & JOSE_LIMB_MASK) != 0) goto end;
    key->e = (uint32_t)BN_get_word(e);
    key->size = (uint32_t)size;
    if (size == 256) fill_pairs(key);
    key->checksum = jose_ifma_checksum(key);
    done = true;
end:
    BN_free(r2);
    BN_CTX_free(context);
    return done;
}

bool jose_rsa_ifma_takes(const BIGNUM *n, const BIGNUM *e)
{
    return jose_rsa_vector_takes(n, e) && jose_kernel_has_ifma();
}

jose_rsa_ifma_key *jose_rsa_ifma_key_new(const BIGNUM *n, const BIGNUM *e)
{
    if (!jose_rsa_ifma_takes(n, e)) return NULL;
    jose_rsa_ifma_key *key = aligned_alloc(64, sizeof(jose_rsa_ifma_key));
    if (key == NULL) return NULL;
    memset(key, 0, sizeof *key);
    if (!fill(key, n, e, BN_num_bits(n) / 8)) {
        jose_rsa_ifma_key_free(key);
        return NULL;
    }
    return key;
}

void jose_rsa_ifma_key_free(jose_rsa_ifma_key *key)
{
    if (key == NULL) return;
    OPENSSL_cleanse(key, sizeof *key);  // a key used after this has no right checksum
    free(key);
}

#endif
