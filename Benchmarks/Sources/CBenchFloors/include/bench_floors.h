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
// or SHA-2 (oaep_bits 1, 256, 384 or 512), and buffers for payloads up to capacity bytes.
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

// Key management beside RSA-OAEP, around the content of a lane (rows.c).
typedef struct floor_row floor_row;
typedef enum { FLOOR_KW, FLOOR_GCMKW, FLOOR_ECDH, FLOOR_PBES2 } floor_way;

// floor_row_new makes keys and contexts; wrap_bytes is the size of the AES key that wraps, 0 where none
// does; curve as OpenSSL names it. NULL if libcrypto refuses. Rows live as long as the program.
floor_row *floor_row_new(floor_lane *lane, floor_way way, size_t wrap_bytes, const char *curve);

// floor_row_encrypt draws or agrees, wraps and encrypts; floor_row_decrypt undoes the last one, whose
// lane is `sealed`, with the contexts of `into`.
int floor_row_encrypt(floor_row *row, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                      size_t count);
int floor_row_decrypt(floor_row *row, const floor_lane *sealed, floor_lane *into);

// Content encryption under a key whose schedule and HMAC states were made once (contents.c): the IV is
// drawn, nothing is wrapped. floor_content_unseal opens what floor_content_seal left; aad is lent.
typedef struct floor_content floor_content;
floor_content *floor_content_new(const char *name, size_t capacity);
int floor_content_seal(floor_content *made, const uint8_t *aad, size_t aad_count,
                       const uint8_t *text, size_t count);
int floor_content_unseal(floor_content *made);

// floor_import makes an RSA public key on a reused context and frees it again.
typedef struct floor_importer floor_importer;
floor_importer *floor_importer_new(floor_number n, floor_number e);
int floor_import(floor_importer *importer);

// floor_proof makes a public key on P-256 from its point (65 bytes), verifies one ES256 signature (64
// bytes) with it, and frees it.
int floor_proof(const uint8_t *point, size_t point_count, const uint8_t *text, size_t count,
                const uint8_t *signature);

// The forms of a key file.
typedef enum {
    FLOOR_PKCS8_PEM, FLOOR_PKCS8_DER, FLOOR_PKCS1_PEM, FLOOR_PKCS1_DER, FLOOR_SPKI_PEM, FLOOR_SPKI_DER
} floor_form;

// floor_read_key reads a key file with libcrypto's readers, and frees the key.
int floor_read_key(floor_form form, const uint8_t *bytes, size_t count);

// floor_write_key writes a key file; returns the count written to out, or 0.
size_t floor_write_key(floor_form form, const floor_key *key, uint8_t *out, size_t capacity);

// floor_certificate writes a certificate, valid from 2023 to 2099; returns its count, or 0.
size_t floor_certificate(const floor_key *subject, const char *common, const floor_key *issuer,
                         const char *issuer_common, int is_authority, uint8_t *out,
                         size_t capacity);

// floor_validate parses a chain, leaf first, and has X509_verify_cert judge it by one root.
typedef struct floor_anchor floor_anchor;
floor_anchor *floor_anchor_new(const uint8_t *der, size_t count);
void floor_anchor_free(floor_anchor *anchor);
int floor_validate(const floor_anchor *anchor, const uint8_t *const *der, const size_t *counts,
                   size_t count, int64_t at);

// floor_signing_new makes the floor of one row of the signature table, with its own key; the RSA
// rows take the given one. Ed25519 is libsodium's, the faster of the two. NULL for an unknown name.
typedef struct floor_signing floor_signing;
floor_signing *floor_signing_new(const char *name, const floor_key *rsa);
void floor_signing_free(floor_signing *made);

// floor_signing_sign keeps the signature, which floor_signing_verify looks at.
int floor_signing_sign(floor_signing *made, const uint8_t *text, size_t count);
int floor_signing_verify(floor_signing *made, const uint8_t *text, size_t count);

// floor_token_new opens a session of its own with the one token of a PKCS#11 module that the process has
// loaded and logged in to, for ES256, RS256 or RSA-OAEP-256 by the private key of a label. NULL where
// there is none. Lives as long as the program.
typedef struct floor_token floor_token;
floor_token *floor_token_new(const char *path, const char *label, const char *algorithm);

// floor_token_call makes the module's two calls for one operation; floor_token_shim has the library's C
// make them. `in` is a digest, a DigestInfo or an encrypted key.
int floor_token_call(floor_token *made, const uint8_t *in, size_t count);
int floor_token_shim(floor_token *made, const uint8_t *in, size_t count);

// floor_token_delay has the tests' module wait in every operation, as a device does.
int floor_token_delay(const char *path, long microseconds);

// floor_crypto_version names the libcrypto that runs, such as "3.0.19".
const char *floor_crypto_version(void);

// floor_sodium_version names the libsodium that runs.
const char *floor_sodium_version(void);

#endif
