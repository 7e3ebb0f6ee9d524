// benchmark_baselines.h: the raw libcrypto calls a job cannot do without, as cheap as its public functions
// allow: everything fetched once, contexts initialised once and reused, no check, no text.
#ifndef BENCHMARK_BASELINES_H
#define BENCHMARK_BASELINES_H

#include <stddef.h>
#include <stdint.h>

typedef struct baseline_key baseline_key;    // a key, shared between threads
typedef struct baseline_lane baseline_lane;  // one thread's contexts and buffers for one RSA key

// baseline_key_new reads a private key (PKCS#8) or a public one (SubjectPublicKeyInfo) in DER. Returns NULL
// if libcrypto rejects.
baseline_key *baseline_key_new(const uint8_t *der, size_t count);
void baseline_key_free(baseline_key *key);

// baseline_lane_new makes the contexts for RSA-OAEP over SHA-1 or SHA-2 (oaep_bits 1, 256, 384 or
// 512), the one that decrypts only where the key is private, and buffers for payloads up to
// capacity bytes. NULL if libcrypto rejects, or if the key is none of RSA.
baseline_lane *baseline_lane_new(const baseline_key *key, int oaep_bits, size_t capacity);
void baseline_lane_free(baseline_lane *lane);

// All below return 1 for success, as libcrypto does, and leave their output in the lane.

// baseline_encrypt draws CEK and IV in one call, wraps, encrypts A128CBC-HS256. The AAD is lent.
int baseline_encrypt(baseline_lane *lane, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                  size_t count);

// baseline_take has the lane hold another's encryption, as after baseline_encrypt: encrypted key, IV (16 bytes),
// ciphertext, tag (16 bytes) and AAD, all copied. Returns 0 where they do not fit.
int baseline_take(baseline_lane *lane, const uint8_t *encrypted_key, size_t encrypted_key_count,
               const uint8_t *iv, const uint8_t *text, size_t count, const uint8_t *tag,
               const uint8_t *aad, size_t aad_count);

// baseline_decrypt unwraps, compares the MAC, decrypts what a baseline_encrypt on any lane left behind.
int baseline_decrypt(baseline_lane *lane, const baseline_lane *sealed);

// baseline_content_encrypt and baseline_content_decrypt are the same without RSA and random bytes.
int baseline_content_encrypt(baseline_lane *lane, const uint8_t *aad, size_t aad_count,
                          const uint8_t *text, size_t count);
int baseline_content_decrypt(baseline_lane *lane, const baseline_lane *sealed);

// baseline_signing_new makes the baseline of one row of the signature table with a key: PKCS#8 or
// SubjectPublicKeyInfo in DER, of a MAC its bytes. Ed25519 is libsodium's, the faster of the two. NULL for
// an unknown name, or where libcrypto rejects.
typedef struct baseline_signing baseline_signing;
baseline_signing *baseline_signing_new(const char *name, const uint8_t *key, size_t count);
void baseline_signing_free(baseline_signing *made);

// baseline_signing_sign keeps the signature, which baseline_signing_verify looks at; it needs a private key.
int baseline_signing_sign(baseline_signing *made, const uint8_t *text, size_t count);
int baseline_signing_verify(baseline_signing *made, const uint8_t *text, size_t count);

// baseline_signing_take keeps another's signature in the form of JOSE. Returns 0 where it cannot be one.
int baseline_signing_take(baseline_signing *made, const uint8_t *signature, size_t count);

// baseline_crypto_version names the libcrypto that runs, such as "3.0.19".
const char *baseline_crypto_version(void);

// baseline_sodium_version names the libsodium that runs.
const char *baseline_sodium_version(void);

#endif
