// benchmark_floors.h: baselines: the raw libcrypto calls that a job needs, at the lowest cost of
// its public functions. Everything is fetched once, contexts are initialised once and reused,
// nothing is checked or parsed.
#ifndef BENCHMARK_FLOORS_H
#define BENCHMARK_FLOORS_H

#include <stddef.h>
#include <stdint.h>

typedef struct floor_key floor_key;    // a key, shared between threads
typedef struct floor_lane floor_lane;  // one thread's contexts and buffers for one RSA key

// floor_key_new reads a private key (PKCS#8) or a public key (SubjectPublicKeyInfo) in DER. Returns
// NULL if libcrypto rejects it.
floor_key *floor_key_new(const uint8_t *der, size_t count);
void floor_key_free(floor_key *key);

// floor_lane_new makes contexts for RSA-OAEP over SHA-1 or SHA-2 (oaep_bits 1, 256, 384 or 512) and
// buffers for payloads up to `capacity` bytes. It can decrypt only if the key is private. Returns
// NULL if libcrypto rejects, or the key is not RSA.
floor_lane *floor_lane_new(const floor_key *key, int oaep_bits, size_t capacity);
void floor_lane_free(floor_lane *lane);

// The functions below return 1 for success, as libcrypto does, and leave their output in the lane.

// floor_encrypt draws CEK and IV in one call, wraps the key and encrypts by A128CBC-HS256. The AAD
// is borrowed.
int floor_encrypt(floor_lane *lane, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                  size_t count);

// floor_take fills the lane with another encryption, as after floor_encrypt: encrypted key, IV (16
// bytes), ciphertext, tag (16 bytes) and AAD, all copied. Returns 0 if they do not fit.
int floor_take(floor_lane *lane, const uint8_t *encrypted_key, size_t encrypted_key_count,
               const uint8_t *iv, const uint8_t *text, size_t count, const uint8_t *tag,
               const uint8_t *aad, size_t aad_count);

// floor_decrypt unwraps the key, compares the MAC and decrypts the message in `sealed`.
int floor_decrypt(floor_lane *lane, const floor_lane *sealed);

// floor_content_encrypt and floor_content_decrypt do the same without RSA and random bytes.
int floor_content_encrypt(floor_lane *lane, const uint8_t *aad, size_t aad_count,
                          const uint8_t *text, size_t count);
int floor_content_decrypt(floor_lane *lane, const floor_lane *sealed);

// floor_signing_new makes the baseline of one signature algorithm, with a key in DER (PKCS#8 or
// SubjectPublicKeyInfo) or the bytes of a MAC key. Ed25519 uses libsodium, the faster of the two.
// Returns NULL for an unknown name, or if libcrypto rejects.
typedef struct floor_signing floor_signing;
floor_signing *floor_signing_new(const char *name, const uint8_t *key, size_t count);
void floor_signing_free(floor_signing *made);

// floor_signing_sign keeps the signature, which floor_signing_verify verifies. It needs a private
// key.
int floor_signing_sign(floor_signing *made, const uint8_t *text, size_t count);
int floor_signing_verify(floor_signing *made, const uint8_t *text, size_t count);

// floor_signing_take keeps another signature, in the JOSE format. Returns 0 if it cannot be one.
int floor_signing_take(floor_signing *made, const uint8_t *signature, size_t count);

// floor_crypto_version returns the version of the running libcrypto, such as "3.0.19".
const char *floor_crypto_version(void);

// floor_sodium_version returns the version of the running libsodium.
const char *floor_sodium_version(void);

#endif
