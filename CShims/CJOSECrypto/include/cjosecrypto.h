// cjosecrypto.h is the whole contract of the C target CJOSECrypto: keys, prepared
// operations, content encryption, hashes and random bytes over OpenSSL 3. C sees keys, digests,
// lengths and blobs, never text to interpret.
//
// Common rules. Outputs stand before inputs, a length behind each pointer; a pointer may be NULL
// where its length is 0. Numbers are big-endian. Every function that returns a status leaves
// OpenSSL's error queue exactly as it found it, and writes nothing useful to its outputs unless
// it returns JOSE_OK (secret outputs are wiped). Objects are immutable once made and may be used
// from any number of threads at once.
#ifndef CJOSECRYPTO_H
#define CJOSECRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOSE_CLOSED __attribute__((enum_extensibility(closed)))
#define JOSE_OPTIONS __attribute__((flag_enum, enum_extensibility(open)))

// What a call can end in; there is no sixth way.
typedef enum JOSE_CLOSED {
    JOSE_OK = 0,
    JOSE_REJECTED = 1,    // the signature, tag or ciphertext is not right
    JOSE_BAD_KEY = 2,     // the key breaks a rule: size, exponent, consistency, purpose
    JOSE_INTERNAL = 3,    // memory, random numbers, provider, or a caller's wrong length
    JOSE_UNSUPPORTED = 4  // the libcrypto that runs does not have what this row takes
} jose_status;

typedef enum JOSE_CLOSED {
    JOSE_SHA1 = 0,
    JOSE_SHA256 = 1,
    JOSE_SHA384 = 2,
    JOSE_SHA512 = 3
} jose_hash;

// How an operation does its work; bits may be combined.
typedef enum JOSE_OPTIONS {
    // Verify each ECDSA, EdDSA and ML-DSA signature against a public copy held apart before it leaves.
    // RSA signatures always are.
    JOSE_CHECK_SIGNATURES = 1,
    // Stay on EVP: no low-level hash, no padding of our own.
    JOSE_PROVIDER_ONLY = 2,
    // No vector kernels: OpenSSL's functions, still the fastest ones for public numbers, and libsodium's.
    JOSE_PORTABLE = 4,
    // Vector kernels also for encrypting to a public key. There the operand is secret; libcrypto compares
    // the first message and then one in 256: docs/kernels.md.
    JOSE_ACCELERATE_ENCRYPTION = 8
} jose_options;

// jose_start loads OpenSSL's provider into a context of our own and fetches what the rows share.
// All other functions call it; calling it early only moves the cost. What libcrypto does not have
// takes away the rows that need it, and nothing else: making a key or an operation of theirs ends in
// JOSE_UNSUPPORTED. JOSE_INTERNAL where nothing can be done with this libcrypto: jose_library_failure says
// why, as after any other JOSE_INTERNAL.
jose_status jose_start(void);

// What the libcrypto that runs lacks that everything needs.
typedef enum JOSE_CLOSED {
    JOSE_START_FAILURE_NONE = 0,
    JOSE_START_FAILURE_VERSION = 1,   // jose_openssl_supported says no
    JOSE_START_FAILURE_QUEUE = 2,     // its error queue lies otherwise in memory than its headers said
    JOSE_START_FAILURE_PROVIDER = 3,  // the default provider is not in it
    JOSE_START_FAILURE_GENERATOR = 4  // CTR-DRBG or SEED-SRC is not: what draws no random numbers works
} jose_start_failure;

// jose_library_failure returns what the last start found. It starts nothing and touches no error queue.
jose_start_failure jose_library_failure(void);

// JOSE_OPENSSL_MIN is the oldest libcrypto that is used, in the form of OpenSSL_version_num: 3.0.7,
// where a certificate can no longer overwrite the stack (CVE-2022-3602), nor RSA the heap (CVE-2022-2274,
// 3.0.4). JOSE_OPENSSL_PATCHED is the one older number that is: 3.0.2 of Ubuntu 22.04, which mends such
// faults without changing the number.
#define JOSE_OPENSSL_MIN 0x30000070UL
#define JOSE_OPENSSL_PATCHED 0x30000020UL

// jose_openssl_supported says whether a libcrypto of this number is used: one of these two, or a newer one
// of the same major version; the next may change what we rely on (docs/libcrypto.md).
bool jose_openssl_supported(unsigned long number);

// jose_library_number returns that of the libcrypto that runs.
unsigned long jose_library_number(void);

// jose_skip_exit_cleanup has libcrypto clear nothing up when the process ends, as the first call of any other function here
// does: for who starts something else that uses libcrypto. It works before libcrypto's first use in the process alone.
void jose_skip_exit_cleanup(void);

// jose_ignore_configuration keeps libcrypto from reading its configuration file, in the whole
// process; only for a program that owns its process, before all else. JOSE_INTERNAL if it fails.
jose_status jose_ignore_configuration(void);

// jose_library_version returns the version of the libcrypto that runs; a text that lives forever.
const char *jose_library_version(void);

// The vector kernels of docs/kernels.md.
typedef enum JOSE_OPTIONS {
    JOSE_USES_RSA = 1,        // one RSA public operation by 52-bit multipliers
    JOSE_USES_RSA_X8 = 2,     // eight at once
    JOSE_USES_RSA_FMA = 4,    // one RSA public operation by doubles
    JOSE_USES_RSA_FMA_X4 = 8  // four at once
} jose_kernel_set;

// jose_kernels returns what this processor may use: its known answers were right.
jose_kernel_set jose_kernels(void);

// jose_kernels_off returns what gave a wrong known answer and is off for the life of the process.
jose_kernel_set jose_kernels_off(void);

// jose_kernels_switch_off ends the use of kernels for the life of the process.
void jose_kernels_switch_off(jose_kernel_set kernels);

// jose_kernels_watch sets who is told of each kernel that is switched off, once for each, on the
// thread that found it wrong; of those that are off already at once. NULL is nobody.
typedef void (*jose_kernels_watcher)(jose_kernel_set kernel);
void jose_kernels_watch(jose_kernels_watcher watcher);

// MARK: random numbers, time

// jose_random fills out from OpenSSL's private generator by way of a buffer of this thread.
// JOSE_INTERNAL if the generator fails; out is then wiped.
jose_status jose_random(uint8_t *out, size_t out_len);

// jose_clock_now reads the wall clock.
void jose_clock_now(int64_t *seconds, int32_t *nanoseconds);

// MARK: hash and HMAC

// jose_hash_bytes returns the digest's size.
size_t jose_hash_bytes(jose_hash hash);

// jose_hash_digest writes the digest of message; out_len is exactly its size.
jose_status jose_hash_digest(jose_hash hash, uint8_t *out, size_t out_len,
                             const uint8_t *message, size_t message_len);

// jose_hmac writes the HMAC (RFC 2104) of message; out_len is exactly the digest's size.
jose_status jose_hmac(jose_hash hash, uint8_t *out, size_t out_len,
                      const uint8_t *key, size_t key_len,
                      const uint8_t *message, size_t message_len);

// MARK: keys

typedef struct jose_key jose_key;

// kty of a JWK.
typedef enum JOSE_CLOSED {
    JOSE_KEY_RSA = 0,  // RFC 7518 section 6.3
    JOSE_KEY_EC = 1,   // section 6.2
    JOSE_KEY_OKP = 2,  // RFC 8037 section 2
    JOSE_KEY_OCT = 3,  // RFC 7518 section 6.4
    JOSE_KEY_AKP = 4   // RFC 9964 section 3
} jose_key_type;

// crv of a JWK, the first four EC, the next four OKP; behind them the parameter sets of AKP, which its alg names.
typedef enum JOSE_CLOSED {
    JOSE_P256 = 0,
    JOSE_P384 = 1,
    JOSE_P521 = 2,
    JOSE_SECP256K1 = 3,  // RFC 8812 section 3.1
    JOSE_ED25519 = 4,
    JOSE_ED448 = 5,
    JOSE_X25519 = 6,
    JOSE_X448 = 7,
    JOSE_ML_DSA_44 = 8,
    JOSE_ML_DSA_65 = 9,
    JOSE_ML_DSA_87 = 10
} jose_curve;

// A number lent for one call, or for a key's life.
typedef struct {
    const uint8_t *bytes;
    size_t len;
} jose_number;

// jose_curve_missing returns what keys on this curve, or of this parameter set, need that the libcrypto that runs does not have, by its
// name there, a text that lives forever; NULL where all is there. Like all the questions of its kind it
// names something only where that is certain: where memory or the machine fails, the row stays, and the
// call that uses it fails.
const char *jose_curve_missing(jose_curve curve);

// jose_curve_type returns the type of the keys on a curve: EC or OKP; or AKP.
jose_key_type jose_curve_type(jose_curve curve);

// jose_curve_bytes returns the size of a coordinate, of an OKP or AKP public key, and of an EC or OKP private key.
size_t jose_curve_bytes(jose_curve curve);

// jose_ec_public makes a public key. JOSE_BAD_KEY for a curve that is not EC, a coordinate that
// is not exactly jose_curve_bytes long or not below p, or a point off the curve. Release this and
// every other key with jose_key_release.
jose_status jose_ec_public(jose_key **key, jose_curve curve,
                           const uint8_t *x, size_t x_len,
                           const uint8_t *y, size_t y_len);

// jose_ec_private makes a private key. JOSE_BAD_KEY for a curve that is not EC, another size than
// jose_curve_bytes, d zero or not below the order, or d * G other than (x, y). x and y may both be
// empty: they are then computed.
jose_status jose_ec_private(jose_key **key, jose_curve curve,
                            const uint8_t *x, size_t x_len,
                            const uint8_t *y, size_t y_len,
                            const uint8_t *d, size_t d_len);

// jose_ec_generate makes a fresh private key. JOSE_BAD_KEY for a curve that is not EC.
jose_status jose_ec_generate(jose_key **key, jose_curve curve);

// jose_okp_public makes a public key. JOSE_BAD_KEY for a curve that is not OKP, another size than
// jose_curve_bytes, a coordinate that is not below p, a point off the curve or of small order, and
// for Ed25519 one outside the base point's subgroup.
jose_status jose_okp_public(jose_key **key, jose_curve curve, const uint8_t *x, size_t x_len);

// jose_okp_private makes a private key. JOSE_BAD_KEY for a curve that is not OKP, another size
// than jose_curve_bytes, or x that does not belong to d. x may be empty: it is then computed.
jose_status jose_okp_private(jose_key **key, jose_curve curve,
                             const uint8_t *x, size_t x_len,
                             const uint8_t *d, size_t d_len);

// jose_okp_generate makes a fresh private key. JOSE_BAD_KEY for a curve that is not OKP.
jose_status jose_okp_generate(jose_key **key, jose_curve curve);

enum { JOSE_AKP_SEED = 32 };

// jose_akp_public makes a public key. JOSE_BAD_KEY for what is no parameter set of AKP, or another size than
// jose_curve_bytes.
jose_status jose_akp_public(jose_key **key, jose_curve set, const uint8_t *pub, size_t pub_len);

// jose_akp_private makes a private key from its seed of JOSE_AKP_SEED bytes. JOSE_BAD_KEY for what is no parameter set of
// AKP, another size, or a public or expanded key (FIPS 204, table 2: RFC 9881 section 6 has both beside the seed) that does
// not follow from the seed; either may be empty.
jose_status jose_akp_private(jose_key **key, jose_curve set,
                             const uint8_t *pub, size_t pub_len,
                             const uint8_t *seed, size_t seed_len,
                             const uint8_t *expanded, size_t expanded_len);

// jose_akp_generate makes a fresh private key. JOSE_BAD_KEY for what is no parameter set of AKP.
jose_status jose_akp_generate(jose_key **key, jose_curve set);

enum { JOSE_MAX_OCT_BYTES = 65536,
       JOSE_MAX_GENERATED_OCT_BYTES = 512 };

// jose_oct makes a symmetric key of a copy of the bytes, which counts as private. JOSE_BAD_KEY
// for none, or for more than JOSE_MAX_OCT_BYTES.
jose_status jose_oct(jose_key **key, const uint8_t *bytes, size_t len);

// jose_oct_generate makes a fresh symmetric key. JOSE_BAD_KEY for no bytes or more than
// JOSE_MAX_GENERATED_OCT_BYTES.
jose_status jose_oct_generate(jose_key **key, size_t len);

// jose_key_public_number lends a public number as it was imported, for the key's life: place 0
// and 1 are n and e, x and y, x and nothing, or pub and nothing; a symmetric key has none.
const uint8_t *jose_key_public_number(const jose_key *key, unsigned index, size_t *len);

// jose_key_secret_bytes returns the size of d of an EC or OKP key, of an AKP seed or of k of a symmetric key; 0
// for RSA and public keys.
size_t jose_key_secret_bytes(const jose_key *key);

// jose_key_secret_write writes d, the seed or k; out_len is exactly jose_key_secret_bytes.
jose_status jose_key_secret_write(const jose_key *key, uint8_t *out, size_t out_len);

// The rules a caller may move: bits of the modulus, and whether e may be 3 or more.
typedef struct {
    uint32_t min_bits;
    uint32_t max_bits;
    bool allows_small_exponent;
} jose_rsa_limits;

// The members of an RSA private key, in the order of RFC 7518 section 6.3.2.
typedef enum JOSE_CLOSED {
    JOSE_RSA_D = 0,
    JOSE_RSA_P = 1,
    JOSE_RSA_Q = 2,
    JOSE_RSA_DP = 3,
    JOSE_RSA_DQ = 4,
    JOSE_RSA_QI = 5
} jose_rsa_part;

enum { JOSE_RSA_PARTS = 6 };

// jose_rsa_public makes a public key. JOSE_BAD_KEY: size outside limits, leading zero, n or e
// even, e below 65537 (3 where small ones are allowed) or above 2^32 - 1, n divisible by a prime
// below 752, or n bears the ROCA fingerprint. Release with jose_key_release.
jose_status jose_rsa_public(jose_key **key, const jose_rsa_limits *limits,
                            const uint8_t *modulus, size_t modulus_len,
                            const uint8_t *exponent, size_t exponent_len);

// jose_rsa_private makes a private key. parts holds d, p, q, dp, dq, qi; the last five are all
// there or all empty, and are then computed from n, e, d. JOSE_BAD_KEY also where the numbers do
// not fit together, or (2^e)^d is not 2 modulo p and q. Release with jose_key_release.
jose_status jose_rsa_private(jose_key **key, const jose_rsa_limits *limits,
                             const uint8_t *modulus, size_t modulus_len,
                             const uint8_t *exponent, size_t exponent_len,
                             const jose_number parts[JOSE_RSA_PARTS]);

// jose_rsa_generate makes a fresh private key with e = 65537. JOSE_BAD_KEY for a size outside
// 2048 to 8192 bits or not a multiple of 8.
jose_status jose_rsa_generate(jose_key **key, uint32_t bits);

// jose_rsa_open writes the block that a signature opens to with the public key: signature^e mod n (RSAVP1,
// RFC 8017 section 5.2.2). It explains a signature that was rejected, and decides nothing. block_len is exactly
// the size of the modulus. JOSE_REJECTED for a signature of another size or not below the modulus, JOSE_BAD_KEY
// for a key of another type. Only public numbers are used, and the key may be private.
jose_status jose_rsa_open(const jose_key *key, uint8_t *block, size_t block_len,
                          const uint8_t *signature, size_t signature_len);

// jose_key_release frees the key once no operation made from it is left; NULL is allowed.
void jose_key_release(jose_key *key);

uint32_t jose_key_bits(const jose_key *key);
bool jose_key_is_private(const jose_key *key);

// jose_rsa_part_bytes returns the size of a private member as RFC 7518 section 6.3.2 wants it
// written (no leading zero), 0 for a public key.
size_t jose_rsa_part_bytes(const jose_key *key, jose_rsa_part part);

// jose_rsa_part_write writes a private member; out_len is exactly jose_rsa_part_bytes.
jose_status jose_rsa_part_write(const jose_key *key, jose_rsa_part part,
                                uint8_t *out, size_t out_len);

// MARK: signatures

typedef enum JOSE_CLOSED {
    JOSE_RSA_PKCS1 = 0,  // RFC 7518 section 3.3
    JOSE_RSA_PSS = 1,    // section 3.5; the salt is as long as the digest, MGF1 has the same hash
    JOSE_ECDSA = 2,      // section 3.4; the curve asks for its hash
    JOSE_EDDSA = 3,      // RFC 8037 section 3.1; the curve decides, the hash is not looked at
    JOSE_HMAC = 4,       // RFC 7518 section 3.2; a key at least as long as the digest
    JOSE_ML_DSA = 5      // RFC 9964 section 5; the parameter set decides, the hash is not looked at
} jose_signature_family;

// A key made ready to sign or to verify in one way, with its pool of initialised contexts.
typedef struct jose_signature jose_signature;

// jose_signature_missing returns what this row takes with keys of this type that the libcrypto that runs
// does not have, as jose_curve_missing; curve is looked at for EC, OKP and AKP.
const char *jose_signature_missing(jose_signature_family family, jose_hash hash, jose_key_type type,
                                   jose_curve curve);

// jose_signature_make prepares the operation; it keeps the key alive. JOSE_BAD_KEY if the key's
// type, curve or size does not suit the family and hash. Free with jose_signature_free.
jose_status jose_signature_make(jose_signature **operation, jose_key *key,
                                jose_signature_family family, jose_hash hash, bool signing,
                                jose_options options);
void jose_signature_free(jose_signature *operation);

// jose_signature_bytes returns the exact size of a signature.
size_t jose_signature_bytes(const jose_signature *operation);

// jose_signature_sign writes exactly jose_signature_bytes. JOSE_INTERNAL also where the signature was
// verified (RSA always, others by JOSE_CHECK_SIGNATURES) and found wrong; the context is then
// dropped. JOSE_BAD_KEY in place of it for an RSA key that was imported: its primes may be none.
jose_status jose_signature_sign(const jose_signature *operation,
                                uint8_t *signature, size_t signature_len,
                                const uint8_t *message, size_t message_len);

// jose_signature_verify returns JOSE_OK for the right signature and JOSE_REJECTED for any other.
jose_status jose_signature_verify(const jose_signature *operation,
                                  const uint8_t *message, size_t message_len,
                                  const uint8_t *signature, size_t signature_len);

// Who decodes base64url: `decode` writes the bytes of so many characters and says false for a malformed text. It is asked for
// pieces, in order: all of whole groups of four but the one that ends the text, behind which there may be one of no characters.
// `chunk` is how many characters it takes at a time where a hash runs beside it, a multiple of JOSE_CHUNK; the last pieces are as
// the text leaves them, shorter or longer.
typedef struct {
    bool (*decode)(uint8_t *out, const uint8_t *text, size_t text_len);
    size_t chunk;
} jose_decoder;

// The text of whole blocks of SHA-256 and itself whole blocks of every SHA-2.
enum { JOSE_CHUNK = 256 };

// What became of a payload.
typedef enum JOSE_CLOSED {
    JOSE_PAYLOAD_NOT_DECODED,       // nothing that is known: its place holds nothing of it
    JOSE_PAYLOAD_DECODED,       // its place holds it
    JOSE_PAYLOAD_MALFORMED,  // its place was wiped
} jose_payload_result;

// A payload that ends a message as base64url, and who decodes it.
typedef struct {
    size_t from;     // where in the message its text begins
    uint8_t *bytes;  // its place, of exactly its size
    size_t len;
    jose_decoder decoder;
    jose_payload_result result;
} jose_payload;

// jose_signature_verify_decoding does the same, and decodes the payload while the message is hashed where it has a way to do so.
// Its fate is told only with JOSE_OK. Of a message that is rejected nothing stays in the payload's place.
jose_status jose_signature_verify_decoding(const jose_signature *operation,
                                          const uint8_t *message, size_t message_len,
                                          jose_payload *payload,
                                          const uint8_t *signature, size_t signature_len);

// Many signatures at once: up to eight RSA operations side by side. For one thread.
typedef struct jose_batch jose_batch;

enum { JOSE_BATCH_MAX = 64 };

// jose_batch_make makes room for capacity signatures, JOSE_BATCH_MAX at the most; NULL without
// memory. Free with jose_batch_free.
jose_batch *jose_batch_make(size_t capacity);
void jose_batch_free(jose_batch *batch);

// jose_batch_add hashes the message and copies the signature; the operation must live as long as the
// batch. Returns its place, or -1 where it was not taken.
ptrdiff_t jose_batch_add(jose_batch *batch, const jose_signature *operation,
                         const uint8_t *message, size_t message_len,
                         const uint8_t *signature, size_t signature_len);

// jose_batch_run looks at all that were added, each for itself.
void jose_batch_run(jose_batch *batch);

// jose_batch_accepted says whether the signature at this place is right. False says nothing: ask
// jose_signature_verify.
bool jose_batch_accepted(const jose_batch *batch, size_t index);

// jose_batch_report_mismatch tells that jose_signature_verify accepted what the batch did not. Where the
// batch found another block, that is held against this key's form, never against others.
void jose_batch_report_mismatch(const jose_batch *batch, size_t index);

// MARK: content encryption and key management

typedef enum JOSE_CLOSED {
    JOSE_A128CBC_HS256 = 0,  // RFC 7518 section 5.2.3
    JOSE_A192CBC_HS384 = 1,  // section 5.2.4
    JOSE_A256CBC_HS512 = 2,  // section 5.2.5
    JOSE_A128GCM = 3,        // section 5.3
    JOSE_A192GCM = 4,
    JOSE_A256GCM = 5
} jose_content;

// jose_content_missing returns what this row takes that the libcrypto that runs does not have, as
// jose_curve_missing. Making and opening messages then ends in JOSE_UNSUPPORTED.
const char *jose_content_missing(jose_content content);

size_t jose_content_key_bytes(jose_content content);
size_t jose_content_iv_bytes(jose_content content);
size_t jose_content_tag_bytes(jose_content content);

// jose_content_checks_first: the tag is judged before anything is decrypted, so that a rejected
// ciphertext is still there and may be tried with another key.
bool jose_content_checks_first(jose_content content);

// jose_content_ciphertext_bytes returns the exact size, or SIZE_MAX if the text is too long.
size_t jose_content_ciphertext_bytes(jose_content content, size_t plaintext_len);

// What seal writes, each with its exact length.
typedef struct {
    uint8_t *encrypted_key;
    size_t encrypted_key_len;
    uint8_t *iv;
    size_t iv_len;
    uint8_t *ciphertext;
    size_t ciphertext_len;
    uint8_t *tag;
    size_t tag_len;
} jose_sealed;

// What stands in the header besides names, as bytes.
typedef struct {
    const uint8_t *parameters;  // opening: jose_keymgmt_parameter_bytes of them
    size_t parameters_len;
    const uint8_t *party_u;  // apu and apv of ECDH-ES (RFC 7518 sections 4.6.1.2 and 4.6.1.3)
    size_t party_u_len;
    const uint8_t *party_v;
    size_t party_v_len;
    uint32_t iterations;  // p2c of PBES2
} jose_recipient;

// A ciphertext that is still text, and who decodes it.
typedef struct {
    const uint8_t *text;  // as many characters as ciphertext_len bytes have, exactly; NULL: the bytes are there
    jose_decoder decoder;
} jose_encoded;

// What open reads.
typedef struct {
    const uint8_t *encrypted_key;
    size_t encrypted_key_len;
    const uint8_t *iv;
    size_t iv_len;
    uint8_t *ciphertext;  // becomes the plaintext
    size_t ciphertext_len;
    const uint8_t *tag;
    size_t tag_len;
    jose_recipient recipient;
    jose_encoded encoded;  // the ciphertext, where it has only its place yet
} jose_opened;

// What somebody else made of a message with the private key.
typedef enum JOSE_CLOSED {
    JOSE_EXTERNAL_NONE = 0,   // no result, or nobody was asked: the random key goes on to the tag
    JOSE_EXTERNAL_KEY = 1,    // of RSA-OAEP: the content encryption key
    JOSE_EXTERNAL_BLOCK = 2,  // of RSA-OAEP: the result of the bare operation, still encoded
    JOSE_EXTERNAL_SHARED = 3  // of ECDH-ES: the shared secret
} jose_external_result_kind;

typedef struct {
    jose_external_result_kind kind;
    const uint8_t *bytes;  // secret; NULL where there are none
    size_t len;
} jose_external_result;

// jose_content_encrypt encrypts with a given key and IV, for published vectors;
// ciphertext_len is exactly jose_content_ciphertext_bytes.
jose_status jose_content_encrypt(jose_content content,
                                 uint8_t *ciphertext, size_t ciphertext_len,
                                 uint8_t *tag, size_t tag_len,
                                 const uint8_t *key, size_t key_len,
                                 const uint8_t *iv, size_t iv_len,
                                 const uint8_t *aad, size_t aad_len,
                                 const uint8_t *plaintext, size_t plaintext_len);

// jose_content_decrypt decrypts in place if the tag is right. JOSE_REJECTED leaves the ciphertext
// (CBC with HMAC) or zeros in the buffer, never plaintext.
jose_status jose_content_decrypt(jose_content content, size_t *plaintext_len,
                                 uint8_t *ciphertext, size_t ciphertext_len,
                                 const uint8_t *key, size_t key_len,
                                 const uint8_t *iv, size_t iv_len,
                                 const uint8_t *aad, size_t aad_len,
                                 const uint8_t *tag, size_t tag_len);

typedef enum JOSE_CLOSED {
    JOSE_RSA_OAEP = 0,    // RFC 7518 section 4.3, with any hash; MGF1 has the same one
    JOSE_AES_KW = 1,      // section 4.4
    JOSE_DIRECT = 2,      // section 4.5
    JOSE_ECDH_ES = 3,     // section 4.6
    JOSE_AES_GCM_KW = 4,  // section 4.7
    JOSE_PBES2 = 5        // section 4.8; JOSE_BAD_KEY where it is not compiled in
} jose_keymgmt_family;

// One row of a family.
typedef struct {
    jose_keymgmt_family family;
    jose_hash hash;     // of RSA-OAEP and PBES2
    size_t wrap_bytes;  // size of the AES key that wraps: 16, 24, 32; 0 where none does
} jose_keymgmt_rule;

// A key made ready to wrap or to unwrap content encryption keys in one way.
typedef struct jose_keymgmt jose_keymgmt;

// jose_keymgmt_missing returns what this row takes with keys of this type that the libcrypto that runs does
// not have, as jose_curve_missing; curve is looked at for EC and OKP.
const char *jose_keymgmt_missing(const jose_keymgmt_rule *rule, jose_key_type type, jose_curve curve);

// jose_keymgmt_make prepares the operation; it keeps the key alive. JOSE_BAD_KEY if the key
// cannot do it. Free with jose_keymgmt_free.
jose_status jose_keymgmt_make(jose_keymgmt **operation, jose_key *key,
                              const jose_keymgmt_rule *rule, bool wrapping, jose_options options);
void jose_keymgmt_free(jose_keymgmt *operation);

// jose_keymgmt_make_external prepares an operation that opens by the answers of somebody else, who has
// the private key: RSA-OAEP and ECDH-ES, with a public key. It computes nothing with a key of its own.
jose_status jose_keymgmt_make_external(jose_keymgmt **operation, jose_key *key,
                                       const jose_keymgmt_rule *rule, jose_options options);

// jose_keymgmt_supports tells whether keys of this content encryption can be carried.
bool jose_keymgmt_supports(const jose_keymgmt *operation, jose_content content);

// jose_keymgmt_encrypted_key_bytes returns the exact size of an encrypted key, which may be 0.
size_t jose_keymgmt_encrypted_key_bytes(const jose_keymgmt *operation, jose_content content);

// jose_keymgmt_parameter_bytes returns the exact size of what goes to the header: x, or x and y, of
// the ephemeral key of ECDH-ES; IV and tag of AES-GCM key wrapping; the salt of PBES2; 0 for the
// others.
size_t jose_keymgmt_parameter_bytes(const jose_keymgmt *operation);

// jose_keymgmt_seal draws a content encryption key and an IV, encrypts plaintext under it and
// wraps the key. plaintext and the outputs do not overlap. Only without parameters.
jose_status jose_keymgmt_seal(const jose_keymgmt *operation, jose_content content,
                              const jose_sealed *out,
                              const uint8_t *aad, size_t aad_len,
                              const uint8_t *plaintext, size_t plaintext_len);

// jose_keymgmt_open unwraps the key, checks the tag and decrypts in place. Whatever is wrong, a
// random key is used, the content is authenticated with it, and the answer is the one
// JOSE_REJECTED (RFC 7516 section 11.5); the buffer then holds the ciphertext or zeros. Malformed text is JOSE_REJECTED too,
// before a key is used or while the tag is computed; the buffer then holds what was decoded of it.
jose_status jose_keymgmt_open(const jose_keymgmt *operation, jose_content content,
                              size_t *plaintext_len, const jose_opened *in,
                              const uint8_t *aad, size_t aad_len);

// jose_keymgmt_open_external does the same with the answer to what is in the message; a wrong kind or
// size of answer is a failed unwrapping like any other.
jose_status jose_keymgmt_open_external(const jose_keymgmt *operation, jose_content content,
                                       size_t *plaintext_len, const jose_opened *in,
                                       const jose_external_result *external, const uint8_t *aad, size_t aad_len);

// MARK: a message whose header depends on its key

// The content encryption key of one message, between wrapping and encrypting; for one thread.
typedef struct jose_cek jose_cek;

// What wrapping a key gives, each with its exact length.
typedef struct {
    uint8_t *encrypted_key;
    size_t encrypted_key_len;
    uint8_t *parameters;
    size_t parameters_len;
} jose_wrapped;

// jose_cek_begin draws a content encryption key, or agrees on one, and wraps it; of recipient only
// what the caller chooses is read. Release with jose_cek_free.
jose_status jose_cek_begin(jose_cek **cek, const jose_keymgmt *operation, jose_content content,
                           const jose_wrapped *out, const jose_recipient *recipient);

// jose_cek_wrap_again wraps the same key for a further recipient. JOSE_BAD_KEY where either
// recipient's way gives the key itself, as direct encryption and ECDH-ES without wrapping do. The content is
// encrypted in a way that every recipient's operation allows.
jose_status jose_cek_wrap_again(jose_cek *cek, const jose_keymgmt *operation,
                                const jose_wrapped *out, const jose_recipient *recipient);

// jose_cek_finish draws an IV and encrypts; once for each key. encrypted_key of out is not looked
// at.
jose_status jose_cek_finish(jose_cek *cek, const jose_sealed *out,
                            const uint8_t *aad, size_t aad_len,
                            const uint8_t *plaintext, size_t plaintext_len);

// jose_cek_free wipes the key; NULL is allowed.
void jose_cek_free(jose_cek *cek);

// jose_cek_wrap_given wraps a given content encryption key with given random bytes or a given
// ephemeral key, for published vectors. cek takes the key that is agreed upon, where one is.
jose_status jose_cek_wrap_given(const jose_keymgmt *operation, jose_content content,
                                uint8_t *cek, size_t cek_len, const jose_wrapped *out,
                                const jose_recipient *recipient,
                                const uint8_t *seed, size_t seed_len, jose_key *ephemeral);

// MARK: compression

// jose_deflate_available says whether the zlib that runs is of the version that was compiled against; it
// is used only then, and the calls below end in JOSE_UNSUPPORTED otherwise.
bool jose_deflate_available(void);

// jose_inflate decompresses raw DEFLATE (RFC 1951). *out_len is the most that is wanted, and then
// the size. JOSE_REJECTED for anything but one whole stream, or, with *is_longer, for a longer one.
jose_status jose_inflate(uint8_t *out, size_t *out_len, bool *is_longer,
                         const uint8_t *in, size_t in_len);

// jose_deflate_bound returns how much room jose_deflate wants; 0 for a text that is too long.
size_t jose_deflate_bound(size_t len);

// jose_deflate compresses; *out_len is jose_deflate_bound, and then the size.
jose_status jose_deflate(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len);

// MARK: certificates

enum { JOSE_MAX_CHAIN = 16 };

// Why a chain is rejected; the order has no meaning.
typedef enum JOSE_CLOSED {
    JOSE_CHAIN_OK = 0,
    JOSE_CHAIN_EXPIRED,
    JOSE_CHAIN_NOT_YET_VALID,
    JOSE_CHAIN_NOT_A_CA,  // an issuer is no CA or may not sign certificates
    JOSE_CHAIN_PATH_LENGTH,
    JOSE_CHAIN_SIGNATURE,
    JOSE_CHAIN_ORDER,  // not each certified by the next
    JOSE_CHAIN_DUPLICATE,
    JOSE_CHAIN_UNUSED_CERTIFICATE,  // certificates that lead nowhere
    JOSE_CHAIN_UNKNOWN_ROOT,
    JOSE_CHAIN_SELF_SIGNED,
    JOSE_CHAIN_CRITICAL_EXTENSION,
    JOSE_CHAIN_NAME_CONSTRAINTS,
    JOSE_CHAIN_WEAK_SIGNATURE,  // not SHA-2 with RSA or ECDSA, EdDSA or ML-DSA
    JOSE_CHAIN_WEAK_KEY,
    JOSE_CHAIN_OLD_VERSION,  // not X.509 version 3
    JOSE_CHAIN_REVOKED,
    JOSE_CHAIN_REVOCATION_UNKNOWN,  // no current CRL by a key of the path speaks for it
    JOSE_CHAIN_KEY_USAGE,           // the leaf's keyUsage does not allow the purpose
    JOSE_CHAIN_EXTENDED_KEY_USAGE,
    JOSE_CHAIN_LEAF_IS_CA,
    JOSE_CHAIN_POLICIES,  // more policies and mappings than are processed
    JOSE_CHAIN_OTHER,     // anything else that RFC 5280 forbids
    JOSE_CHAIN_INTERNAL   // memory or provider
} jose_chain_failure;

// What validation found.
typedef struct {
    jose_chain_failure failure;
    size_t index;        // which certificate: 0 the leaf; the count of the chain means the anchor
    int64_t not_before;  // the latest of the path and its CRLs, seconds since 1970
    int64_t not_after;   // the earliest notAfter, or end of a CRL that was used; inclusive
} jose_chain_report;

typedef enum JOSE_CLOSED {
    JOSE_PURPOSE_SIGNATURE = 0,
    JOSE_PURPOSE_ENCRYPTION = 1
} jose_purpose;

// Parsed certificates, leaf first; immutable and safe to share.
typedef struct jose_chain jose_chain;

// jose_chain_read parses count certificates, each of which must fill its bytes. The caller has
// checked that they are strict DER. JOSE_REJECTED with *failed set if one is no certificate.
jose_status jose_chain_read(jose_chain **chain, size_t *failed, const uint8_t *const *der,
                            const size_t *der_len, size_t count);
void jose_chain_free(jose_chain *chain);

// jose_chain_is_ordered tells whether each certificate stands once and names the next as its
// issuer.
bool jose_chain_is_ordered(const jose_chain *chain);

// jose_chain_issued tells whether the first certificate of chain was issued by that of issuer,
// which may be the same object: its name as RFC 5280 section 7.1 compares it, and the signature.
// Dates, extensions and strength do not count. JOSE_OK; JOSE_REJECTED where it was not;
// JOSE_UNSUPPORTED where the name is right and libcrypto does not know the algorithm of the
// signature, whatever the issuer's key is; JOSE_INTERNAL. A key that libcrypto cannot decode has
// issued nothing.
jose_status jose_chain_issued(const jose_chain *chain, const jose_chain *issuer);

// jose_chain_compare puts names in an order (RFC 5280 section 7.1): the subject of the first
// certificate of chain, or its issuer, against the subject of that of other. Below 0, 0 or above.
int jose_chain_compare(const jose_chain *chain, bool by_issuer, const jose_chain *other);

// jose_chain_leaf_failure judges the leaf's version, strength and uses, and nothing else.
jose_chain_failure jose_chain_leaf_failure(const jose_chain *chain, jose_purpose purpose);

// jose_chain_subject writes the subject of a certificate in RFC 2253 form, UTF-8 with control
// characters escaped; returns its length without the NUL, or 0 if it does not fit.
size_t jose_chain_subject(const jose_chain *chain, size_t index, char *out, size_t capacity);

// Trust anchors and CRLs; immutable and safe to share.
typedef struct jose_trust jose_trust;

// Why a revocation list is not taken; the order has no meaning.
typedef enum JOSE_CLOSED {
    JOSE_LIST_OK = 0,
    JOSE_LIST_MALFORMED,
    JOSE_LIST_NO_NEXT_UPDATE,   // no nextUpdate
    JOSE_LIST_DELTA,     // only what changed since another
    JOSE_LIST_REMOVE_FROM_CRL,   // an entry that only a delta list may have
    JOSE_LIST_INDIRECT,  // of certificates of other issuers too
    JOSE_LIST_SOME_REASONS,
    JOSE_LIST_ATTRIBUTES,          // of attribute certificates
    JOSE_LIST_SCOPE,               // an issuing distribution point that cannot be read
    JOSE_LIST_CRITICAL_EXTENSION,  // not understood, of the list or of an entry
    JOSE_LIST_WEAK_SIGNATURE       // as JOSE_CHAIN_WEAK_SIGNATURE
} jose_list_failure;

// What is wrong with the makings of a store.
typedef struct {
    size_t index;          // among the anchors, then the CRLs
    jose_list_failure list;  // JOSE_LIST_OK for an anchor
} jose_trust_failure;

// jose_trust_make takes CA certificates as the only roots, and complete, direct CRLs; with CRLs, every certificate below
// an anchor needs a current one. JOSE_REJECTED with *fault set if an anchor is no CA or a CRL is not taken.
jose_status jose_trust_make(jose_trust **trust, jose_trust_failure *failure,
                            const uint8_t *const *anchors, const size_t *anchor_len,
                            size_t anchor_count,
                            const uint8_t *const *crls, const size_t *crl_len, size_t crl_count);
void jose_trust_free(jose_trust *trust);

// jose_trust_validate judges a chain at a time (RFC 5280 section 6, and the rules of its
// faults), by each anchor that may end it: one is enough. Times are inclusive at both ends. JOSE_OK, or JOSE_REJECTED with the fault in report.
jose_status jose_trust_validate(const jose_trust *trust, const jose_chain *chain,
                                jose_purpose purpose, int64_t at, jose_chain_report *report);

// MARK: key files

// The parameters of PBES2 with PBKDF2 and AES-CBC (RFC 8018).
typedef struct {
    jose_hash prf;  // HMAC with this hash
    uint32_t iterations;
    size_t key_len;  // 16, 24 or 32
    const uint8_t *salt;
    size_t salt_len;
    const uint8_t *iv;  // 16 bytes
} jose_pbes2;

// jose_pbes2_run encrypts or decrypts with a key from the password. *out_len is the capacity, at
// least in_len + 16, and then the size. JOSE_REJECTED for bad padding: mostly a wrong password,
// but one in some 250 goes unnoticed here.
jose_status jose_pbes2_run(const jose_pbes2 *rule, bool encrypting, uint8_t *out, size_t *out_len,
                           const uint8_t *in, size_t in_len,
                           const uint8_t *password, size_t password_len);

// jose_work_spend takes from *work what so many iterations over this hash cost, before they are
// computed. Work is counted in iterations of PBKDF2 with HMAC-SHA-256; those of SHA-384 and SHA-512
// take about twice as long and count twice, those of the MAC of PKCS#12 are shorter and count as
// the others. Returns false where less is left, and then takes nothing.
bool jose_work_spend(uint64_t *work, jose_hash hash, uint64_t iterations);

enum { JOSE_PKCS12_MAX_ITEMS = 32,
       JOSE_PKCS12_MAX_NAME = 2048,     // bytes of a friendlyName
       JOSE_PKCS12_MAX_KEY_ID = 256 };  // bytes of a localKeyID

typedef enum JOSE_CLOSED {
    JOSE_PKCS12_OK = 0,
    JOSE_PKCS12_MALFORMED,
    JOSE_PKCS12_LEGACY,  // not PBES2 with HMAC-SHA-2 and AES-CBC, or a MAC with an old hash
    JOSE_PKCS12_SCRYPT,  // PBES2 with scrypt, which is not old and not read
    JOSE_PKCS12_PBMAC1,  // a MAC of RFC 9579, likewise
    JOSE_PKCS12_NO_MAC,
    JOSE_PKCS12_ITERATIONS,     // more than the caller allows, in one derivation or in all
    JOSE_PKCS12_PASSWORD,       // the MAC does not match: wrong password or damage
    JOSE_PKCS12_TOO_MANY,       // more than JOSE_PKCS12_MAX_ITEMS keys and certificates
    JOSE_PKCS12_LONG_PASSWORD,  // more than 1,024 bytes; nothing was read
    JOSE_PKCS12_INTERNAL
} jose_pkcs12_failure;

// What a PKCS#12 file holds; wiped when it is freed.
typedef struct jose_pkcs12 jose_pkcs12;

// jose_pkcs12_read checks the MAC, then takes the keys and certificates out. Free with
// jose_pkcs12_free. The MAC and each encrypted safe are a derivation, of at most max_iterations
// and paid from *work before it is computed.
jose_pkcs12_failure jose_pkcs12_read(jose_pkcs12 **file, uint64_t *work, uint32_t max_iterations,
                                   const uint8_t *der, size_t len,
                                   const uint8_t *password, size_t password_len);
void jose_pkcs12_free(jose_pkcs12 *file);

size_t jose_pkcs12_count(const jose_pkcs12 *file);

// What goes into a PKCS#12 file: one PKCS#8 key, and certificates with the key's own first.
typedef struct {
    const uint8_t *key;
    size_t key_len;
    const uint8_t *const *certificates;
    const size_t *certificate_len;
    size_t certificate_count;
    const char *name;     // friendlyName, UTF-8; NULL for none
    uint32_t iterations;  // for the key, the certificates and the MAC alike
} jose_pkcs12_contents;

// jose_pkcs12_write seals contents under a password without a NUL: PBES2 with HMAC-SHA-256 and
// AES-256-CBC, and a MAC with SHA-256. The result is one item of *file, neither key nor
// certificate; free with jose_pkcs12_free. Costs the iterations three times.
jose_status jose_pkcs12_write(jose_pkcs12 **file, const jose_pkcs12_contents *contents,
                              const uint8_t *password, size_t password_len);

// jose_pkcs12_item lends the DER of an item for the file's life: a PKCS#8 key, encrypted or not,
// or a certificate.
const uint8_t *jose_pkcs12_item(const jose_pkcs12 *file, size_t index, size_t *len, bool *is_key);

// The attributes of an item (RFC 7292 section 4.2): lent for the file's life; NULL where it has
// none, or a longer one than the limits.
typedef struct {
    const uint8_t *name;  // friendlyName: UTF-16, big-endian
    size_t name_len;
    const uint8_t *key_id;  // localKeyID, which a key and its certificate share
    size_t key_id_len;
} jose_pkcs12_attributes;

// jose_pkcs12_item_attributes returns the attributes of an item.
jose_pkcs12_attributes jose_pkcs12_item_attributes(const jose_pkcs12 *file, size_t index);

// jose_pkcs12_other_count returns how many bags were left out: revocation lists, secrets and bags
// in bags.
size_t jose_pkcs12_other_count(const jose_pkcs12 *file);

#endif
