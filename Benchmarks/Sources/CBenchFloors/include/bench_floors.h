// bench_floors.h: the raw libcrypto calls a job cannot do without, as cheap as its public functions
// allow: everything fetched once, contexts initialised once and reused, no check, no text.

#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H

#include <stddef.h>
#include <stdint.h>

typedef struct floor_key floor_key;    // an RSA key, shared between threads
typedef struct floor_lane floor_lane;  // one thread's contexts and buffers for one key

typedef struct {
    const uint8_t *bytes;  // big endian
    size_t count;
} floor_number;

// floor_key_new imports n, e, d, p, q, dp, dq, qi. Returns NULL if libcrypto refuses.
floor_key *floor_key_new(const floor_number *numbers);

// floor_lane_new makes the contexts for RSASSA-PKCS1-v1_5 over SHA-256 and for RSA-OAEP over SHA-1
// or SHA-256 (oaep_bits 1 or 256), and buffers for payloads up to capacity bytes.
floor_lane *floor_lane_new(const floor_key *key, int oaep_bits, size_t capacity);
void floor_lane_free(floor_lane *lane);

// All below return 1 for success, as libcrypto does, and leave their output in the lane.
int floor_sha256(floor_lane *lane, const uint8_t *text, size_t count);
int floor_sign(floor_lane *lane, const uint8_t *text, size_t count);
int floor_verify(floor_lane *lane, const uint8_t *text, size_t count, const uint8_t *signature,
                 size_t signature_count);

// floor_signature copies the signature or encrypted key that the lane holds; returns its count, or 0.
size_t floor_signature(const floor_lane *lane, uint8_t *out, size_t capacity);

// floor_encrypt draws CEK and IV in one call, wraps, encrypts A128CBC-HS256.
int floor_encrypt(floor_lane *lane, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                  size_t count);

// floor_decrypt unwraps, compares the MAC, decrypts what a floor_encrypt on any lane left behind.
int floor_decrypt(floor_lane *lane, const floor_lane *sealed);

// floor_content_encrypt and floor_content_decrypt are the same without RSA and random bytes.
int floor_content_encrypt(floor_lane *lane, const uint8_t *aad, size_t aad_count,
                          const uint8_t *text, size_t count);
int floor_content_decrypt(floor_lane *lane, const floor_lane *sealed);

// floor_import makes an RSA public key on a reused context and frees it again.
typedef struct floor_importer floor_importer;
floor_importer *floor_importer_new(floor_number n, floor_number e);
int floor_import(floor_importer *importer);

// floor_read_pem and floor_read_der read a private key with libcrypto's readers, and free it.
int floor_read_pem(const char *text, size_t count);
int floor_read_der(const uint8_t *bytes, size_t count);

// floor_private_der and floor_private_pem write the key as PKCS #8, floor_public_pem as SPKI; they
// return the count written to out, or 0.
size_t floor_private_der(const floor_key *key, uint8_t *out, size_t capacity);
size_t floor_private_pem(const floor_key *key, char *out, size_t capacity);

size_t floor_public_pem(const floor_key *key, char *out, size_t capacity);

// floor_crypto_version names the libcrypto that runs, such as "3.0.19".
const char *floor_crypto_version(void);

#endif
