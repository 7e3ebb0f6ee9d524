// private_key.c: prepares RSA private keys for the vector kernels.
//
// All numbers are computed by shifts, additions and products of words, in loops of fixed length.
// OpenSSL's functions would branch on them.

#include "private_key.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "rsa_area.h"

#if JOSE_KERNELS_X86

int jose_half_limbs(size_t size)
{
    return size == 256 ? 20 : size == 384 ? 30
                          : size == 512   ? 40
                                          : 0;
}

// Four Fletcher sums: word i counts in sum i mod 4 (jose_ifma_checksum says why they are rotated).
uint64_t jose_private_checksum(const jose_private_numbers *numbers)
{
    enum { WORDS = offsetof(jose_private_numbers, checksum) / 8,
           SUMS = 4,
           ROTATION = 29 };
    const uint64_t *words = (const uint64_t *)(const void *)numbers;
    uint64_t a[SUMS] = {1, 2, 3, 4}, b[SUMS] = {0}, sum = 0;
    for (int i = 0; i < WORDS; i++) {
        const int s = i % SUMS;
        a[s] += words[i];
        b[s] = (b[s] << ROTATION | b[s] >> (64 - ROTATION)) + a[s];
    }
    for (int s = 0; s < SUMS; s++)
        sum = (sum << 9 | sum >> 55) +
              (jose_checksum_spread(a[s]) ^ b[s]) * (uint64_t)(2 * s + 1);
    return jose_checksum_end(sum);
}

static uint64_t checksum_of(const jose_rsa_private_key *key)
{
    const uint64_t secret = (uint64_t)(uintptr_t)key->secret;
    const uint64_t modulus = (uint64_t)(uintptr_t)key->modulus;
    const uint64_t rest = (uint64_t)key->kernel << 32 | key->size;
    uint64_t sum = JOSE_CHECKSUM_FACTOR + jose_checksum_spread(secret) +
                   3 * jose_checksum_spread(modulus) + 5 * jose_checksum_spread(rest);
    for (int i = 0; i < 2; i++)
        sum += (uint64_t)(7 + 2 * i) * jose_checksum_spread((uint64_t)(uintptr_t)key->copies[i]);
    return jose_checksum_end(sum);
}

void jose_private_key_set(jose_rsa_private_key *key, const jose_private_numbers *secret,
                          const void *modulus, int kernel, size_t size)
{
    *key = (jose_rsa_private_key){
        secret, modulus, (uint32_t)kernel, (uint32_t)size, 0, {secret, secret}};
    key->checksum = checksum_of(key);
}

bool jose_private_key_is_whole(const jose_rsa_private_key *key)
{
    return checksum_of(key) == key->checksum;
}

// MARK: numbers of one prime

// times_power_of_two sets x = x * 2^times mod n, for x < n.
static void times_power_of_two(uint64_t *x, const uint64_t *n, int limbs, int times)
{
    while (times-- > 0) {
        uint64_t carry = 0;
        for (int i = 0; i < limbs; i++) {
            const uint64_t twice = (x[i] << 1) + carry;
            x[i] = twice & JOSE_HALF_MASK;
            carry = twice >> 52;  // 0 from the top limb, which has bits to spare
        }
        jose_reduce_once(x, n, limbs);
    }
}

// power_of_two_minus sets x = 2^bits - n, for 2^(bits - 1) < n < 2^bits: this is 2^bits mod n.
static void power_of_two_minus(uint64_t *x, const uint64_t *n, int limbs, int bits)
{
    uint64_t borrow = 0;
    for (int i = 0; i < limbs; i++) {
        const uint64_t limb = i == bits / 52 ? UINT64_C(1) << bits % 52 : 0;
        const uint64_t difference = limb - n[i] - borrow;
        x[i] = difference & JOSE_HALF_MASK;
        borrow = difference >> 63;
    }
}

// inverse sets v = -1/n mod 2^(52 JOSE_INVERSE_LIMBS), limb by limb. Before step i, the number
// rest = 1 + v n is a multiple of 2^(52 i). Limb i of v makes limb i of rest vanish too.
static void inverse(uint64_t *v, const uint64_t *n)
{
    uint64_t lowest = n[0];  // 1/n right to 3 bits; each round doubles them
    for (int i = 0; i < 5; i++) lowest *= 2 - n[0] * lowest;
    const uint64_t k = (0 - lowest) & JOSE_HALF_MASK;
    uint64_t rest[JOSE_INVERSE_LIMBS] = {1};
    for (int i = 0; i < JOSE_INVERSE_LIMBS; i++) {
        v[i] = rest[i] * k & JOSE_HALF_MASK;
        uint64_t carry = 0;
        for (int j = 0; i + j < JOSE_INVERSE_LIMBS; j++) {
            const unsigned __int128 sum =
                (unsigned __int128)v[i] * n[j] + rest[i + j] + carry;  // below 2^105
            rest[i + j] = (uint64_t)sum & JOSE_HALF_MASK;
            carry = (uint64_t)(sum >> 52);
        }
    }
    jose_area_wipe(rest, sizeof rest);
}

// words_from_bytes reads `count` 64-bit words, lowest first, from big-endian bytes.
static void words_from_bytes(uint64_t *words, int count, const uint8_t *bytes)
{
    for (int i = 0; i < count; i++) words[i] = jose_load_big(bytes + 8 * (count - 1 - i));
}

static void fill_half(jose_half *half, const uint8_t *prime, const uint8_t *exponent, int limbs,
                      int bytes)
{
    uint64_t power[JOSE_HALF_LIMBS];
    jose_limbs_from_bytes(half->prime, limbs, prime, (size_t)bytes);
    power_of_two_minus(power, half->prime, limbs, 8 * bytes);
    times_power_of_two(power, half->prime, limbs, 52 * limbs - 8 * bytes);
    memcpy(half->one, power, sizeof half->one[0] * (size_t)limbs);
    times_power_of_two(power, half->prime, limbs, 2 * 52 * limbs);
    memcpy(half->r3, power, sizeof half->r3[0] * (size_t)limbs);
    inverse(half->inverse, half->prime);
    jose_area_wipe(power, sizeof power);

    uint64_t *d = half->exponents[JOSE_EXPONENT_D];
    uint64_t *minus_d = half->exponents[JOSE_EXPONENT_MINUS_D];
    const int words = bytes / 8;
    words_from_bytes(d, words, exponent);
    words_from_bytes(minus_d, words, prime);
    minus_d[0] -= 1;  // the prime is odd
    unsigned __int128 difference = 0;
    for (int i = 0; i < words; i++) {
        difference = (unsigned __int128)minus_d[i] - d[i] - (uint64_t)(difference >> 127);
        minus_d[i] = (uint64_t)difference;
    }
}

// The primes' highest and lowest bits are the same for every key that is taken, so they are public.
static __attribute__((noinline)) bool is_prime_shaped(const uint8_t *prime, size_t bytes)
{
    return jose_declassify((prime[0] >> 7 & prime[bytes - 1]) != 0);
}

bool jose_private_fill(jose_private_numbers *numbers, const jose_rsa_crt *key, size_t size)
{
    const size_t bytes = size / 2;
    const int limbs = jose_half_limbs(size);
    if (!is_prime_shaped(key->p, bytes) || !is_prime_shaped(key->q, bytes)) return false;
    fill_half(&numbers->p, key->p, key->dp, limbs, (int)bytes);
    fill_half(&numbers->q, key->q, key->dq, limbs, (int)bytes);
    jose_limbs_from_bytes(numbers->coefficient, limbs, key->qi, bytes);
    times_power_of_two(numbers->coefficient, numbers->p.prime, limbs, 52 * limbs);
    numbers->size = size;
    numbers->checksum = jose_private_checksum(numbers);
    return true;
}

// MARK: public functions

static void release(jose_private_numbers *secret, void *modulus, int kernel)
{
    jose_secret_pages_free(secret, sizeof *secret);
    jose_rsa_kernels[kernel].key_free(modulus);
}

jose_rsa_preparation jose_rsa_private_key_new(jose_rsa_private_key **out, int kernel,
                                              const jose_rsa_crt *numbers)
{
    *out = NULL;
    const jose_rsa_private_kernel *entry = &jose_rsa_private_kernels[kernel];
    if (!entry->is_present() || !jose_rsa_vector_takes(numbers->n, numbers->e))
        return JOSE_RSA_NOT_TAKEN;
    const size_t size = (size_t)BN_num_bytes(numbers->n);
    if (size > entry->max_one && size > entry->max_together) return JOSE_RSA_NOT_TAKEN;

    jose_rsa_preparation result = JOSE_RSA_NO_MEMORY;
    jose_private_numbers *secret = NULL;
    void *modulus = NULL;
    jose_rsa_private_key *key = OPENSSL_zalloc(sizeof *key);
    if (key == NULL) return result;
    modulus = jose_rsa_kernels[kernel].key_new(numbers->n, numbers->e);
    if (modulus == NULL) goto fail;
    secret = jose_secret_pages_new(sizeof *secret);
    if (secret == NULL) {
        result = JOSE_RSA_NOT_LOCKED;
        goto fail;
    }
    if (!jose_private_prepare(secret, numbers, size)) {
        result = JOSE_RSA_NOT_TAKEN;
        goto fail;
    }
    if (!jose_secret_pages_protect(secret, sizeof *secret)) {
        result = JOSE_RSA_NOT_LOCKED;
        goto fail;
    }
    jose_private_key_set(key, secret, modulus, kernel, size);
    *out = key;
    return JOSE_RSA_PREPARED;

fail:
    release(secret, modulus, kernel);
    OPENSSL_free(key);
    return result;
}

// Returns the secret's address; each bit is the majority of the three copies.
static jose_private_numbers *secret_of(const jose_rsa_private_key *key)
{
    const uintptr_t a = (uintptr_t)key->secret, b = (uintptr_t)key->copies[0],
                    c = (uintptr_t)key->copies[1];
    return (jose_private_numbers *)((a & b) | (a & c) | (b & c));
}

void jose_rsa_private_key_free(jose_rsa_private_key *key)
{
    if (key == NULL) return;
    // The modulus is public. It is not freed if the key is corrupted: its address may be wrong.
    if (jose_private_key_is_whole(key))
        jose_rsa_kernels[key->kernel].key_free((void *)(uintptr_t)key->modulus);
    jose_secret_pages_free(secret_of(key), sizeof *key->secret);
    OPENSSL_free(key);
}

size_t jose_rsa_private_key_bytes(const jose_rsa_private_key *key)
{
    return key->size;
}

jose_rsa_blinding *jose_rsa_blinding_new(void)
{
    jose_rsa_blinding *blinding = aligned_alloc(64, sizeof *blinding);
    if (blinding != NULL) memset(blinding, 0, sizeof *blinding);
    return blinding;
}

void jose_rsa_blinding_free(jose_rsa_blinding *blinding)
{
    if (blinding == NULL) return;
    OPENSSL_cleanse(blinding, sizeof *blinding);
    free(blinding);
}

#endif
