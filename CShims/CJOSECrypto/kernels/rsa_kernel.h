// rsa_kernel.h: RSA public operations, m^e mod n, by vector arithmetic and by OpenSSL's BN functions.
#ifndef JOSE_RSA_KERNEL_H
#define JOSE_RSA_KERNEL_H

#include <openssl/bn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOSE_RSA_KERNEL_MAX_BYTES = 512, JOSE_RSA_KERNEL_LANES = 8, JOSE_IFMA_WORDS = 80 };

// A public key prepared for the vector kernel. Immutable once made.
typedef struct jose_rsa_ifma_key {
    _Alignas(64) uint64_t n[JOSE_IFMA_WORDS];   // the modulus, 52-bit limbs, strided (ifma_arith.h)
    _Alignas(64) uint64_t r2[JOSE_IFMA_WORDS];  // R^2 mod n, likewise
    uint8_t modulus[JOSE_RSA_KERNEL_MAX_BYTES];  // big endian, `size` bytes
    uint64_t k0;                                 // -1/n mod 2^52
    uint32_t e;
    uint32_t size;  // 256, 384 or 512
    uint64_t seal;  // checksum of all the above; a key without it is declined
} jose_rsa_ifma_key;

// jose_rsa_ifma_key_new prepares a key. Returns NULL where the modulus is even or not of exactly
// 2048, 3072 or 4096 bits, the exponent is even, below 3 or above 32 bits, memory fails, or the
// processor lacks the instructions. Free it with jose_rsa_ifma_key_free.
jose_rsa_ifma_key *jose_rsa_ifma_key_new(const BIGNUM *n, const BIGNUM *e);
void jose_rsa_ifma_key_free(jose_rsa_ifma_key *key);

// jose_rsa_ifma_public_op computes out = in^e mod n; both are key->size bytes, big endian, apart.
// Returns true only if in < n, out < n, out differs from in, and every guard held. Otherwise out is
// zero and nothing is said about the input: ask OpenSSL. Branches and addresses do not depend on
// the value of in, only the verdict does.
bool jose_rsa_ifma_public_op(const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in);

// jose_rsa_ifma_encrypt does the same for a message that is secret, and leaves nothing of it in
// registers or on the stack (residue.h). The other two are for public data, such as signatures.
bool jose_rsa_ifma_encrypt(const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in);

// jose_rsa_ifma_public_op_x8 does the same for up to eight keys of one size with e = 65537, one in
// each lane; a lane whose key is NULL is left alone. Returns a bit for each lane that is done.
unsigned jose_rsa_ifma_public_op_x8(const jose_rsa_ifma_key *const keys[JOSE_RSA_KERNEL_LANES],
                                    uint8_t *const out[JOSE_RSA_KERNEL_LANES],
                                    const uint8_t *const in[JOSE_RSA_KERNEL_LANES]);

// The portable path: the same operation by OpenSSL's Montgomery functions, any odd modulus. The
// library still verifies with EVP whatever this one refuses. A key is immutable and shared; a
// scratch belongs to one thread at a time.
typedef struct jose_rsa_bn_key jose_rsa_bn_key;
typedef struct jose_rsa_bn_scratch jose_rsa_bn_scratch;

// jose_rsa_bn_key_new returns NULL for an even or small modulus, an exponent as above, or without
// memory.
jose_rsa_bn_key *jose_rsa_bn_key_new(const BIGNUM *n, const BIGNUM *e);
void jose_rsa_bn_key_free(jose_rsa_bn_key *key);
jose_rsa_bn_scratch *jose_rsa_bn_scratch_new(void);
void jose_rsa_bn_scratch_free(jose_rsa_bn_scratch *scratch);

// jose_rsa_bn_public_op computes out = in^e mod n, big endian, as long as the modulus. Returns
// false, with nothing said about the input, where in >= n or OpenSSL fails. For public data only.
bool jose_rsa_bn_public_op(const jose_rsa_bn_key *key, jose_rsa_bn_scratch *scratch, uint8_t *out,
                           const uint8_t *in);

#endif
