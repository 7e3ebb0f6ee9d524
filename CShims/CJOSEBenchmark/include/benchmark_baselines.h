// benchmark_baselines.h: the baselines: the raw libcrypto calls that a job needs, at the lowest
// cost of its public functions. All is fetched and initialised once; nothing is checked or parsed.
#ifndef BENCHMARK_BASELINES_H
#define BENCHMARK_BASELINES_H

#include <stddef.h>
#include <stdint.h>

typedef struct baseline_key baseline_key;    // a key, shared between threads
typedef struct baseline_lane baseline_lane;  // one thread's contexts and buffers for one RSA key

// baseline_key_new reads a private key (PKCS#8) or a public key (SubjectPublicKeyInfo) in DER.
// Returns NULL if libcrypto rejects the key. The caller frees it with baseline_key_free.
baseline_key *baseline_key_new(const uint8_t *der, size_t count);
void baseline_key_free(baseline_key *key);

// baseline_lane_new makes contexts for RSA-OAEP over SHA-1 or SHA-2 (oaep_bits 1, 256, 384 or 512)
// and buffers for payloads up to `capacity` bytes. A lane of a public key cannot decrypt. Returns
// NULL if the key is not RSA or libcrypto fails. The caller frees it with baseline_lane_free.
baseline_lane *baseline_lane_new(const baseline_key *key, int oaep_bits, size_t capacity);
void baseline_lane_free(baseline_lane *lane);

// The functions below return 1 for success, as libcrypto does, and leave their output in the lane.

// baseline_encrypt draws CEK and IV in one call, wraps the key and encrypts by A128CBC-HS256. `aad`
// must live as long as the encryption is used.
int baseline_encrypt(baseline_lane *lane, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                     size_t count);

// baseline_take fills the lane with a copy of another encryption: encrypted key, IV (16 bytes),
// ciphertext, tag (16 bytes) and AAD, but not the CEK. Returns 0 if they do not fit.
int baseline_take(baseline_lane *lane, const uint8_t *encrypted_key, size_t encrypted_key_count,
                  const uint8_t *iv, const uint8_t *text, size_t count, const uint8_t *tag,
                  const uint8_t *aad, size_t aad_count);

// baseline_decrypt unwraps the key, compares the MAC and decrypts the message in `sealed`.
int baseline_decrypt(baseline_lane *lane, const baseline_lane *sealed);

// baseline_content_encrypt and baseline_content_decrypt do the same without RSA and random bytes:
// they use the CEK and IV of the lane, and of `sealed`.
int baseline_content_encrypt(baseline_lane *lane, const uint8_t *aad, size_t aad_count,
                             const uint8_t *text, size_t count);
int baseline_content_decrypt(baseline_lane *lane, const baseline_lane *sealed);

// baseline_signing_new makes the baseline of one signature algorithm, with a key in DER (PKCS#8 or
// SubjectPublicKeyInfo) or the bytes of a MAC key. Ed25519 uses libsodium, which is faster than
// libcrypto. Returns NULL for an unknown name, or if the key does not match or libcrypto fails. The
// caller frees it with baseline_signing_free.
typedef struct baseline_signing baseline_signing;
baseline_signing *baseline_signing_new(const char *name, const uint8_t *key, size_t count);
void baseline_signing_free(baseline_signing *made);

// baseline_signing_sign needs a private key. It keeps the signature for baseline_signing_verify.
int baseline_signing_sign(baseline_signing *made, const uint8_t *text, size_t count);
int baseline_signing_verify(baseline_signing *made, const uint8_t *text, size_t count);

// baseline_signing_take keeps another signature, in the JOSE format. Returns 0 if it cannot be one.
int baseline_signing_take(baseline_signing *made, const uint8_t *signature, size_t count);

// baseline_crypto_version returns the version of the running libcrypto, such as "3.0.19".
const char *baseline_crypto_version(void);

const char *baseline_sodium_version(void);

#endif
