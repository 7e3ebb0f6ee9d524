// bench_floors.h: the raw libcrypto calls a job cannot do without, as cheap as its public functions
// allow: everything fetched once, contexts initialised once and reused, no check, no text.

#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H

#include <stddef.h>
#include <stdint.h>

// Of CJOSEBenchmark, which has the floors that are not the project's alone.
typedef struct floor_key floor_key;
typedef struct floor_lane floor_lane;

typedef struct {
    const uint8_t *bytes;  // big endian
    size_t count;
} floor_number;

// Key management beside RSA-OAEP, around the content of a lane (rows.c).
typedef struct floor_row floor_row;
typedef enum { FLOOR_KW, FLOOR_GCMKW, FLOOR_ECDH, FLOOR_PBES2 } floor_way;

// floor_row_new makes keys and contexts; wrap_bytes is the size of the AES key that wraps, 0 where none
// does; curve as OpenSSL names it. NULL if libcrypto rejects. Rows live as long as the program.
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

// floor_sha256 computes a digest and drops it.
void floor_sha256(const uint8_t *text, size_t count);

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

#endif
