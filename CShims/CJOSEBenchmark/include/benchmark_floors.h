// benchmark_floors.h: the raw libcrypto calls a job cannot do without, as cheap as its public functions
// allow: everything fetched once, contexts initialised once and reused, no check, no text.
#ifndef BENCHMARK_FLOORS_H
#define BENCHMARK_FLOORS_H

#include <stddef.h>
#include <stdint.h>

typedef struct floor_key floor_key;    // a key, shared between threads
typedef struct floor_lane floor_lane;  // one thread's contexts and buffers for one RSA key

// floor_key_new reads a private key (PKCS#8) or a public one (SubjectPublicKeyInfo) in DER. Returns NULL
// if libcrypto rejects.
floor_key *floor_key_new(const uint8_t *der, size_t count);
void floor_key_free(floor_key *key);

// floor_lane_new makes the contexts for RSA-OAEP over SHA-1 or SHA-2 (oaep_bits 1, 256, 384 or
// 512), the one that decrypts only where the key is private, and buffers for payloads up to
// capacity bytes. NULL if libcrypto rejects, or if the key is none of RSA.
floor_lane *floor_lane_new(const floor_key *key, int oaep_bits, size_t capacity);
void floor_lane_free(floor_lane *lane);

// All below return 1 for success, as libcrypto does, and leave their output in the lane.

// floor_encrypt draws CEK and IV in one call, wraps, encrypts A128CBC-HS256. The AAD is lent.
int floor_encrypt(floor_lane *lane, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                  size_t count);

// floor_take has the lane hold another's encryption, as after floor_encrypt: encrypted key, IV (16 bytes),
// ciphertext, tag (16 bytes) and AAD, all copied. Returns 0 where they do not fit.
int floor_take(floor_lane *lane, const uint8_t *encrypted_key, size_t encrypted_key_count,
               const uint8_t *iv, const uint8_t *text, size_t count, const uint8_t *tag,
               const uint8_t *aad, size_t aad_count);

// floor_decrypt unwraps, compares the MAC, decrypts what a floor_encrypt on any lane left behind.
int floor_decrypt(floor_lane *lane, const floor_lane *sealed);

// floor_content_encrypt and floor_content_decrypt are the same without RSA and random bytes.
int floor_content_encrypt(floor_lane *lane, const uint8_t *aad, size_t aad_count,
                          const uint8_t *text, size_t count);
int floor_content_decrypt(floor_lane *lane, const floor_lane *sealed);

// floor_signing_new makes the floor of one row of the signature table with a key: PKCS#8 or
// SubjectPublicKeyInfo in DER, of a MAC its bytes. Ed25519 is libsodium's, the faster of the two. NULL for
// an unknown name, or where libcrypto rejects.
typedef struct floor_signing floor_signing;
floor_signing *floor_signing_new(const char *name, const uint8_t *key, size_t count);
void floor_signing_free(floor_signing *made);

// floor_signing_sign keeps the signature, which floor_signing_verify looks at; it needs a private key.
int floor_signing_sign(floor_signing *made, const uint8_t *text, size_t count);
int floor_signing_verify(floor_signing *made, const uint8_t *text, size_t count);

// floor_signing_take keeps another's signature in the form of JOSE. Returns 0 where it cannot be one.
int floor_signing_take(floor_signing *made, const uint8_t *signature, size_t count);

// floor_crypto_version names the libcrypto that runs, such as "3.0.19".
const char *floor_crypto_version(void);

// floor_sodium_version names the libsodium that runs.
const char *floor_sodium_version(void);

#endif
