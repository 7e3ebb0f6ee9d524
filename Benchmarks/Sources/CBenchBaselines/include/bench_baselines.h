// bench_baselines.h: the raw libcrypto calls a job cannot do without, as cheap as its public
// functions allow: everything fetched once, contexts initialised once and reused, no check, no
// text.

#ifndef BENCH_BASELINES_H
#define BENCH_BASELINES_H

#include <stddef.h>
#include <stdint.h>

// Of CJOSEBenchmark, which has the baselines that are not the project's alone.
typedef struct baseline_key baseline_key;
typedef struct baseline_lane baseline_lane;

typedef struct {
    const uint8_t *bytes;  // big endian
    size_t count;
} baseline_number;

// Key management beside RSA-OAEP, around the content of a lane (entries.c).
typedef struct baseline_entry baseline_entry;
typedef enum { BASELINE_KW,
               BASELINE_GCMKW,
               BASELINE_ECDH,
               BASELINE_PBES2 } baseline_method;

// baseline_entry_new makes keys and contexts; wrap_bytes is the size of the AES key that wraps, 0
// where none does; curve as OpenSSL names it. NULL if libcrypto rejects. Entries live as long as
// the program.
baseline_entry *baseline_entry_new(baseline_lane *lane, baseline_method method, size_t wrap_bytes,
                                   const char *curve);

// baseline_entry_encrypt draws or agrees, wraps and encrypts; baseline_entry_decrypt undoes the
// last one, whose lane is `sealed`, with the contexts of `into`.
int baseline_entry_encrypt(baseline_entry *entry, const uint8_t *aad, size_t aad_count,
                           const uint8_t *text, size_t count);
int baseline_entry_decrypt(baseline_entry *entry, const baseline_lane *sealed, baseline_lane *into);

// Content encryption under a key whose schedule and HMAC states were made once (contents.c): the IV
// is drawn, nothing is wrapped. baseline_content_unseal opens what baseline_content_seal left; aad
// is lent.
typedef struct baseline_content baseline_content;
baseline_content *baseline_content_new(const char *name, size_t capacity);
int baseline_content_seal(baseline_content *made, const uint8_t *aad, size_t aad_count,
                          const uint8_t *text, size_t count);
int baseline_content_unseal(baseline_content *made);

// baseline_import makes an RSA public key on a reused context and frees it again.
typedef struct baseline_importer baseline_importer;
baseline_importer *baseline_importer_new(baseline_number n, baseline_number e);
int baseline_import(baseline_importer *importer);

// baseline_proof makes a public key on P-256 from its point (65 bytes), verifies one ES256
// signature (64 bytes) with it, and frees it.
int baseline_proof(const uint8_t *point, size_t point_count, const uint8_t *text, size_t count,
                   const uint8_t *signature);

// baseline_sha256 computes a digest and drops it.
void baseline_sha256(const uint8_t *text, size_t count);

// The forms of a key file.
typedef enum {
    BASELINE_PKCS8_PEM,
    BASELINE_PKCS8_DER,
    BASELINE_PKCS1_PEM,
    BASELINE_PKCS1_DER,
    BASELINE_SPKI_PEM,
    BASELINE_SPKI_DER
} baseline_form;

// baseline_read_key reads a key file with libcrypto's readers, and frees the key.
int baseline_read_key(baseline_form form, const uint8_t *bytes, size_t count);

// baseline_write_key writes a key file; returns the count written to out, or 0.
size_t baseline_write_key(baseline_form form, const baseline_key *key, uint8_t *out,
                          size_t capacity);

// baseline_certificate writes a certificate, valid from 2023 to 2099; returns its count, or 0.
size_t baseline_certificate(const baseline_key *subject, const char *common,
                            const baseline_key *issuer, const char *issuer_common, int is_authority,
                            uint8_t *out, size_t capacity);

// baseline_validate parses a chain, leaf first, and verifies it with X509_verify_cert and one root.
typedef struct baseline_anchor baseline_anchor;
baseline_anchor *baseline_anchor_new(const uint8_t *der, size_t count);
void baseline_anchor_free(baseline_anchor *anchor);
int baseline_validate(const baseline_anchor *anchor, const uint8_t *const *der,
                      const size_t *counts, size_t count, int64_t at);

// baseline_token_new opens a session of its own with the one token of a PKCS#11 module that the
// process has loaded and logged in to, for ES256, RS256 or RSA-OAEP-256 by the private key of a
// label. NULL where there is none. Lives as long as the program.
typedef struct baseline_token baseline_token;
baseline_token *baseline_token_new(const char *path, const char *label, const char *algorithm);

// baseline_token_call makes the module's two calls for one operation; baseline_token_shim has the
// library's C make them. `in` is a digest, a DigestInfo or an encrypted key.
int baseline_token_call(baseline_token *made, const uint8_t *in, size_t count);
int baseline_token_shim(baseline_token *made, const uint8_t *in, size_t count);

// baseline_token_delay has the tests' module wait in every operation, as a device does.
int baseline_token_delay(const char *path, long microseconds);

#endif
