// cjosecrypto.h: keys, signatures, encryption, hashes, random bytes, certificates and key files
// over OpenSSL 3 and 4. This header is the whole contract of the C target CJOSECrypto. The target
// parses no JSON. It decodes base64url only through the caller's `jose_decoder`.
//
// Rules for all functions, except where a comment says otherwise:
// - Objects and algorithms come first, then outputs, then inputs. A length follows each pointer to
//   bytes. A pointer may be NULL if its length is 0. Lengths are in bytes, numbers are big-endian.
// - Inputs are borrowed for the call. Outputs and inputs must not overlap.
// - A function that returns a status leaves OpenSSL's error queue as it found it. Outputs are valid
//   only with JOSE_OK. Otherwise nothing secret stays in them: they are wiped, or were not written.
// - Objects are immutable once made, and threads may share them.
// - A function that makes an object sets the pointer to it to NULL if it fails. The caller frees
//   the object by the *_free function of its type, which allows NULL.
#ifndef CJOSECRYPTO_H
#define CJOSECRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOSE_CLOSED __attribute__((enum_extensibility(closed)))
#define JOSE_OPTIONS __attribute__((flag_enum, enum_extensibility(open)))

typedef enum JOSE_CLOSED {
    JOSE_OK = 0,
    JOSE_REJECTED = 1,    // the signature, tag, ciphertext or other input is wrong
    JOSE_BAD_KEY = 2,     // the key breaks a rule: size, exponent, consistency, purpose
    JOSE_INTERNAL = 3,    // memory, random numbers or provider failed; or a wrong length was passed
    JOSE_UNSUPPORTED = 4  // the running libcrypto lacks something that this algorithm needs
} jose_status;

typedef enum JOSE_CLOSED {
    JOSE_SHA1 = 0,
    JOSE_SHA256 = 1,
    JOSE_SHA384 = 2,
    JOSE_SHA512 = 3
} jose_hash;

// Options of an operation; bits may be combined.
typedef enum JOSE_OPTIONS {
    // Verify each ECDSA, EdDSA and ML-DSA signature with a separate copy of the public key before
    // returning it. RSA signatures are always verified.
    JOSE_CHECK_SIGNATURES = 1,
    // Use EVP only: no low-level hash functions, and OpenSSL's padding instead of this target's.
    JOSE_PROVIDER_ONLY = 2,
    // Use no vector kernels (docs/kernels.md): OpenSSL computes RSA.
    JOSE_PORTABLE = 4,
    // Use vector kernels also to encrypt to an RSA public key; their operand is then secret. EVP
    // checks the first message and every 256th (docs/kernels.md).
    JOSE_ACCELERATE_ENCRYPTION = 8,
    // Use vector kernels of integer instructions also for RSA private operations: signing and
    // decryption. Each result is checked with the public key before it is used. If the check fails,
    // EVP computes the result (docs/kernels.md).
    JOSE_ACCELERATE_PRIVATE = 16,
    // With JOSE_ACCELERATE_PRIVATE: use kernels of floating-point instructions too. No vendor
    // promises that these take the same time for all operands.
    JOSE_ACCELERATE_PRIVATE_FLOATING = 32
} jose_options;

// The state of JOSE_ACCELERATE_PRIVATE for an operation. EVP computes in all states except
// JOSE_PRIVATE_IN_USE.
typedef enum JOSE_CLOSED {
    JOSE_PRIVATE_NOT_REQUESTED = 0,  // or no effect with this algorithm, option or build
    JOSE_PRIVATE_WAITING = 1,        // not prepared yet: no use yet, no memory, or no kernel to
                                     // check results with (as in the first uses of the process)
    JOSE_PRIVATE_IN_USE = 2,
    JOSE_PRIVATE_UNAVAILABLE = 3,  // no kernel for this key or processor, or all gave wrong results
    JOSE_PRIVATE_NOT_LOCKED = 4    // no locked memory for the key (jose_unlocked_keys_watch)
} jose_private_acceleration;

// jose_start loads OpenSSL's default provider into a library context of its own and fetches the
// shared algorithms. Each function that needs the context does the same at its first use; calling
// jose_start early only moves the cost. Later, a key or an operation of an algorithm that libcrypto
// lacks gives JOSE_UNSUPPORTED. Returns JOSE_INTERNAL if this libcrypto cannot be used or memory
// runs out; jose_library_failure distinguishes the two. The next call tries again.
jose_status jose_start(void);

// Why the running libcrypto cannot be used, or cannot generate random numbers.
typedef enum JOSE_CLOSED {
    JOSE_START_FAILURE_NONE = 0,      // no start yet, a start without a problem, or no memory
    JOSE_START_FAILURE_VERSION = 1,   // jose_openssl_supported returns false, or the major version
                                      // is not that of the headers
    JOSE_START_FAILURE_QUEUE = 2,     // its error queue does not match OpenSSL's headers
    JOSE_START_FAILURE_PROVIDER = 3,  // it has no default provider
    JOSE_START_FAILURE_GENERATOR = 4  // it has no CTR-DRBG or SEED-SRC; jose_start returns JOSE_OK,
                                      // and only operations that draw random numbers fail
} jose_start_failure;

// jose_library_failure returns the problem that the last start found. It starts nothing and does
// not touch the error queue.
jose_start_failure jose_library_failure(void);

// The oldest supported libcrypto, as OpenSSL_version_num returns it: 3.0.7. It fixes CVE-2022-3602
// (a certificate overwrites the stack) and CVE-2022-2274 (RSA overwrites the heap, only in 3.0.4).
// JOSE_OPENSSL_PATCHED, 3.0.2, is supported too: Ubuntu 22.04 fixes it without a new number.
#define JOSE_OPENSSL_MIN 0x30000070UL
#define JOSE_OPENSSL_PATCHED 0x30000020UL

// jose_openssl_supported returns whether a libcrypto with this number is supported:
// JOSE_OPENSSL_PATCHED, or JOSE_OPENSSL_MIN and above.
bool jose_openssl_supported(unsigned long number);

// jose_openssl_tested returns whether the number has a tested major and minor version: 3.0, 3.5 or
// 4.0. Others are used too, and the self-test reports them: they may change what this target relies
// on (docs/libcrypto.md).
bool jose_openssl_tested(unsigned long number);

// jose_library_number returns the number of the running libcrypto.
unsigned long jose_library_number(void);

// MARK: FIPS

// The provider that a key belongs to. JOSE_MODULE_PROCESS is the default provider, or the FIPS
// provider after jose_fips_use.
typedef enum JOSE_CLOSED {
    JOSE_MODULE_PROCESS = 0,
    JOSE_MODULE_FIPS = 1
} jose_module;

typedef enum JOSE_CLOSED {
    JOSE_FIPS_OK = 0,
    JOSE_FIPS_NO_MODULE,    // the module's file cannot be read
    JOSE_FIPS_PATH,         // the path is not absolute, or has a character that is not allowed
    JOSE_FIPS_NOT_STARTED,  // integrity check or self-test failed, or the file is no FIPS module
    JOSE_FIPS_OTHER,        // the FIPS provider is loaded with another module or other settings
    JOSE_FIPS_LATE,         // the process uses the default provider already
    JOSE_FIPS_UNUSABLE,     // libcrypto cannot be used: jose_library_failure has the reason
    JOSE_FIPS_INTERNAL      // no memory, an argument that is not allowed, no loaded provider, or
                            // libcrypto failed otherwise
} jose_fips_failure;

// A setting of the module: a name and its value in the section that openssl-fipsinstall writes.
typedef struct {
    const char *name;
    const char *value;
} jose_fips_setting;

// jose_fips_load loads the FIPS and the base provider into a library context of their own, and runs
// the FIPS provider's self-tests. No configuration is read: the module gets only these settings.
//
// `module` is the absolute path of the module's file, which consists of letters, digits and
// `-_.:/+@,~`; another path gives JOSE_FIPS_PATH. A name consists of lower-case letters, digits and
// at least one `-`. A value consists of letters, digits and `-_.:/+`, and is not "default". Other
// settings give JOSE_FIPS_INTERNAL.
//
// After a success, a call with the same arguments returns JOSE_FIPS_OK, or JOSE_FIPS_NOT_STARTED if
// the provider stopped. After a failure the next call tries again, but a module whose self-test
// failed stays stopped until the process ends.
jose_fips_failure jose_fips_load(const char *module, const jose_fips_setting *settings,
                                 size_t count);

// jose_fips_use makes the loaded FIPS provider the provider of the process, until the process ends.
// Returns JOSE_FIPS_LATE if a function that needs a provider was called before. Returns
// JOSE_FIPS_NOT_STARTED if the provider stopped, and JOSE_FIPS_INTERNAL if none is loaded.
jose_fips_failure jose_fips_use(void);

// jose_fips_is_used returns whether the process uses the FIPS provider.
bool jose_fips_is_used(void);

enum { JOSE_FIPS_TEXT = 128 };

// What the loaded provider reports about itself (OSSL_PROV_PARAM_NAME and so on).
typedef struct {
    char name[JOSE_FIPS_TEXT], version[JOSE_FIPS_TEXT], build[JOSE_FIPS_TEXT];
    bool is_running;  // its status: no self-test failed
} jose_fips_description;

// jose_fips_describe returns false if no FIPS provider is loaded or its parameters cannot be read.
bool jose_fips_describe(jose_fips_description *out);

// jose_fips_default_module writes the path of fips.so (or the system's extension) in libcrypto's
// folder of modules, jose_fips_default_configuration that of fipsmodule.cnf in its configuration
// folder. No environment variable changes the paths. Returns false if the path does not fit.
bool jose_fips_default_module(char *out, size_t capacity);
bool jose_fips_default_configuration(char *out, size_t capacity);

// jose_fips_read reads a whole file. *len is the capacity before the call and the size after it.
// JOSE_REJECTED: the file cannot be read, is not a regular file or does not fit.
jose_status jose_fips_read(const char *path, uint8_t *out, size_t *len);

// jose_skip_exit_cleanup keeps libcrypto from cleaning up when the process exits, because other
// threads may still use it then. The first function here that uses libcrypto does the same. Both
// have no effect after libcrypto's first use in the process. So if other code of the program uses
// libcrypto, call jose_skip_exit_cleanup before that code runs.
void jose_skip_exit_cleanup(void);

// jose_ignore_configuration keeps libcrypto from reading its configuration file, in the whole
// process. Only for programs that own their process. Call it before any other use of libcrypto.
jose_status jose_ignore_configuration(void);

// jose_library_version returns the running libcrypto's version, such as "3.0.19". Static.
const char *jose_library_version(void);

// The vector kernels of docs/kernels.md.
typedef enum JOSE_OPTIONS {
    JOSE_USES_RSA = 1,              // one RSA public operation by 52-bit multipliers
    JOSE_USES_RSA_X8 = 2,           // eight at once
    JOSE_USES_RSA_FMA = 4,          // one RSA public operation by doubles
    JOSE_USES_RSA_FMA_X4 = 8,       // four at once
    JOSE_USES_RSA_PRIVATE = 16,     // one RSA private operation by 52-bit multipliers
    JOSE_USES_RSA_PRIVATE_X4 = 32,  // four at once
    JOSE_USES_RSA_PRIVATE_FMA = 64  // one RSA private operation by doubles
} jose_kernel_set;

// jose_kernels returns the kernels of RSA public operations that may be used: the processor has the
// instructions, the known answers were right, and the kernel is not switched off. It first tests
// untested kernels, for all modulus sizes: a few milliseconds once in a process.
jose_kernel_set jose_kernels(void);

// jose_private_kernels does the same for the kernels of private operations. Their tests take tens
// of milliseconds, once in a process.
jose_kernel_set jose_private_kernels(void);

// jose_kernels_off returns the kernels that are off until the process ends, after a wrong known
// answer or by jose_kernels_switch_off. It first tests untested kernels of public operations.
jose_kernel_set jose_kernels_off(void);

// jose_kernels_switch_off switches kernels off until the process ends, and calls the watcher.
void jose_kernels_switch_off(jose_kernel_set kernels);

// jose_kernels_watch sets the function to call when a kernel is switched off; NULL removes it. Each
// kernel is reported once in a process. Kernels that are off and were not reported yet are reported
// before jose_kernels_watch returns. The function may run on any thread.
typedef void (*jose_kernels_watcher)(jose_kernel_set kernel);
void jose_kernels_watch(jose_kernels_watcher watcher);

// jose_unlocked_keys_watch sets the function to call when an RSA private key with
// JOSE_ACCELERATE_PRIVATE stays with EVP for lack of locked memory; NULL removes it. Usual causes:
// RLIMIT_MEMLOCK, or 4,096 prepared operations in the process. `bits` is the modulus size. Each
// operation reports once, on the thread that uses it. It reports again in a child of fork, unless
// memory that fork wipes (MADV_WIPEONFORK) is missing. The 256th use, the 512th, the 1,024th and so
// on try to lock memory again, and report nothing.
typedef void (*jose_unlocked_watcher)(uint32_t bits);
void jose_unlocked_keys_watch(jose_unlocked_watcher watcher);

// MARK: random numbers, time

// jose_random fills out with random bytes of OpenSSL's private generator. Up to 256 bytes may come
// from a buffer of the thread, which a child of fork drops. JOSE_INTERNAL: the generator fails.
jose_status jose_random(uint8_t *out, size_t out_len);

// jose_clock_now reads the wall clock: seconds and nanoseconds since 1970.
void jose_clock_now(int64_t *seconds, int32_t *nanoseconds);

// MARK: hash and HMAC

// jose_hash_bytes returns the size of a digest: 20, 32, 48 or 64.
size_t jose_hash_bytes(jose_hash hash);

// jose_hash_digest writes the digest of message. JOSE_INTERNAL: out_len is not jose_hash_bytes.
jose_status jose_hash_digest(jose_hash hash, uint8_t *out, size_t out_len,
                             const uint8_t *message, size_t message_len);

// jose_hmac writes the HMAC of message (RFC 2104). JOSE_INTERNAL: out_len is not jose_hash_bytes.
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
    JOSE_KEY_AKP = 4   // AKP (algorithm key pair): ML-DSA, RFC 9964 section 3
} jose_key_type;

// crv of a JWK (four EC and four OKP curves), or the parameter set of an AKP key, which alg names.
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

// Borrowed big-endian bytes: valid for the call or, as a number of a key, for the key's life.
typedef struct {
    const uint8_t *bytes;
    size_t len;
} jose_number;

// jose_curve_missing returns libcrypto's name of what it lacks for keys on this curve or of this
// parameter set: an algorithm, a kind of key or a group. It returns NULL if nothing is missing. The
// string is static. All *_missing functions name only what is certainly missing. After a system
// failure, such as lack of memory, they return NULL, and the call that uses the algorithm fails.
const char *jose_curve_missing(jose_curve curve);

// jose_curve_type returns the type of the keys on a curve: EC, OKP or AKP.
jose_key_type jose_curve_type(jose_curve curve);

// jose_curve_bytes returns the size of a coordinate and of d (EC, OKP), or of pub (AKP).
size_t jose_curve_bytes(jose_curve curve);

// jose_key_to_fips makes the same key with the loaded FIPS provider, checked as at import.
// JOSE_BAD_KEY: it rejects the key. JOSE_UNSUPPORTED: it has no such keys, or is not loaded.
jose_status jose_key_to_fips(jose_key **made, const jose_key *key);

// jose_key_is_fips returns whether the key belongs to the FIPS provider.
bool jose_key_is_fips(const jose_key *key);

// The functions below make keys and copy all numbers. Release each key with jose_key_release. A key
// belongs to the provider of the process, unless the function has a module parameter. JOSE_BAD_KEY
// is for a curve of another type, a number of another size, and the reasons named below. The
// *_generate functions make private keys.

// jose_ec_public makes a public key. JOSE_BAD_KEY: a coordinate is not below p, or the point is not
// on the curve.
jose_status jose_ec_public(jose_key **key, jose_curve curve,
                           const uint8_t *x, size_t x_len,
                           const uint8_t *y, size_t y_len);

// jose_ec_private makes a private key. If x and y are both empty, they are computed
// (JOSE_UNSUPPORTED with the FIPS provider). JOSE_BAD_KEY: d is zero or not below the order, or
// d * G is not (x, y).
jose_status jose_ec_private(jose_key **key, jose_curve curve,
                            const uint8_t *x, size_t x_len,
                            const uint8_t *y, size_t y_len,
                            const uint8_t *d, size_t d_len);

jose_status jose_ec_generate(jose_key **key, jose_module module, jose_curve curve);

// jose_okp_public makes a public key. JOSE_BAD_KEY: the coordinate is not below p, the point has
// small order, or an Ed25519 or Ed448 point is not on the curve. An Ed25519 point outside the base
// point's subgroup is JOSE_BAD_KEY too, except with the FIPS provider.
jose_status jose_okp_public(jose_key **key, jose_curve curve, const uint8_t *x, size_t x_len);

// jose_okp_private makes a private key. An empty x is computed; a wrong x gives JOSE_BAD_KEY.
jose_status jose_okp_private(jose_key **key, jose_curve curve,
                             const uint8_t *x, size_t x_len,
                             const uint8_t *d, size_t d_len);

jose_status jose_okp_generate(jose_key **key, jose_module module, jose_curve curve);

enum { JOSE_AKP_SEED = 32 };

// jose_akp_public makes a public key. Every string of jose_curve_bytes bytes is a public key.
jose_status jose_akp_public(jose_key **key, jose_curve set, const uint8_t *pub, size_t pub_len);

// jose_akp_private makes a private key from its seed of JOSE_AKP_SEED bytes. pub may be empty, and
// so may expanded, the expanded private key (FIPS 204, table 2; RFC 9881 section 6). JOSE_BAD_KEY:
// one of them does not follow from the seed.
jose_status jose_akp_private(jose_key **key, jose_curve set,
                             const uint8_t *pub, size_t pub_len,
                             const uint8_t *seed, size_t seed_len,
                             const uint8_t *expanded, size_t expanded_len);

jose_status jose_akp_generate(jose_key **key, jose_module module, jose_curve set);

enum { JOSE_MAX_OCT_BYTES = 65536,
       JOSE_MAX_GENERATED_OCT_BYTES = 512 };

// jose_oct makes a symmetric key from 1 to JOSE_MAX_OCT_BYTES bytes. It counts as private.
jose_status jose_oct(jose_key **key, const uint8_t *bytes, size_t len);

// jose_oct_generate makes a symmetric key of 1 to JOSE_MAX_GENERATED_OCT_BYTES random bytes.
jose_status jose_oct_generate(jose_key **key, jose_module module, size_t len);

// jose_key_public_number borrows a public number, as it was imported, for the key's life. Index 0
// is n (RSA), x (EC and OKP) or pub (AKP). Index 1 is e (RSA) or y (EC). Returns NULL, with a
// length of 0, for a number that does not exist, as for every index of a symmetric key.
const uint8_t *jose_key_public_number(const jose_key *key, unsigned index, size_t *len);

// jose_key_secret_bytes returns the size of an EC or OKP d, an AKP seed or a symmetric k; 0 for RSA
// and public keys.
size_t jose_key_secret_bytes(const jose_key *key);

// jose_key_secret_write writes these bytes. JOSE_INTERNAL: out_len is not jose_key_secret_bytes.
jose_status jose_key_secret_write(const jose_key *key, uint8_t *out, size_t out_len);

// The caller's limits for RSA keys: modulus size in bits, and whether e may be as small as 3.
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

// jose_rsa_public makes a public key. JOSE_BAD_KEY: the modulus size is outside limits, a number
// has a leading zero, n or e is even, e is below 65537 (3 if small ones are allowed) or above
// 2^32 - 1, n is divisible by a prime below 752, or n has the ROCA fingerprint (CVE-2017-15361).
jose_status jose_rsa_public(jose_key **key, const jose_rsa_limits *limits,
                            const uint8_t *modulus, size_t modulus_len,
                            const uint8_t *exponent, size_t exponent_len);

// jose_rsa_private makes a private key. parts are d, p, q, dp, dq, qi. The last five are all given,
// or all empty and then computed (JOSE_UNSUPPORTED with the FIPS provider). JOSE_BAD_KEY: a reason
// of jose_rsa_public, inconsistent numbers, or (2^e)^d is not 2 modulo p or modulo q.
jose_status jose_rsa_private(jose_key **key, const jose_rsa_limits *limits,
                             const uint8_t *modulus, size_t modulus_len,
                             const uint8_t *exponent, size_t exponent_len,
                             const jose_number parts[JOSE_RSA_PARTS]);

// jose_rsa_generate generates a private key with e = 65537. JOSE_BAD_KEY: bits is outside 2048 to
// 8192 or not a multiple of 8.
jose_status jose_rsa_generate(jose_key **key, jose_module module, uint32_t bits);

// jose_rsa_open writes the block inside a signature: signature^e mod n (RSAVP1, RFC 8017 section
// 5.2.2). It is for diagnosis after a rejection: JOSE_OK does not mean that the signature is valid.
// It uses only public numbers; the key may be private. block_len must equal the modulus size.
// Returns JOSE_REJECTED if the signature has another size or is not below the modulus, JOSE_BAD_KEY
// for a key of another type.
jose_status jose_rsa_open(const jose_key *key, uint8_t *block, size_t block_len,
                          const uint8_t *signature, size_t signature_len);

// jose_key_release releases the caller's reference; it allows NULL. The key is freed once all
// operations made from it are freed too.
void jose_key_release(jose_key *key);

// jose_key_bits returns the size of the modulus (RSA), of the curve's field (EC and OKP: 255 for
// Ed25519 and X25519), of the public key (AKP) or of the key itself (symmetric), in bits.
uint32_t jose_key_bits(const jose_key *key);

// jose_key_is_private returns whether the key has a private part. Symmetric keys count as private.
bool jose_key_is_private(const jose_key *key);

// jose_rsa_part_bytes returns the size of a private member without leading zeros (RFC 7518 section
// 6.3.2), or 0 for a public key.
size_t jose_rsa_part_bytes(const jose_key *key, jose_rsa_part part);

// jose_rsa_part_write writes a private member. JOSE_INTERNAL: out_len is not jose_rsa_part_bytes.
jose_status jose_rsa_part_write(const jose_key *key, jose_rsa_part part,
                                uint8_t *out, size_t out_len);

// MARK: signatures

typedef enum JOSE_CLOSED {
    JOSE_RSA_PKCS1 = 0,  // RFC 7518 section 3.3
    JOSE_RSA_PSS = 1,    // section 3.5; the salt is as long as the digest, MGF1 uses the same hash
    JOSE_ECDSA = 2,      // section 3.4; the curve requires its hash
    JOSE_EDDSA = 3,      // RFC 8037 section 3.1; the curve decides, the hash is ignored
    JOSE_HMAC = 4,       // RFC 7518 section 3.2; the key is at least as long as the digest
    JOSE_ML_DSA = 5      // RFC 9964 section 5; the parameter set decides, the hash is ignored
} jose_signature_family;

// A key prepared to sign or to verify with one algorithm.
typedef struct jose_signature jose_signature;

// jose_signature_missing returns the name of what libcrypto lacks for this algorithm with keys of
// this type, or NULL, as jose_curve_missing does. curve is used for EC, OKP and AKP only.
const char *jose_signature_missing(jose_signature_family family, jose_hash hash,
                                   jose_key_type type, jose_curve curve);

// jose_signature_make prepares an operation that either signs (`signing`) or verifies, and retains
// the key. JOSE_BAD_KEY: the key does not suit the family and hash, or a public key is to sign.
jose_status jose_signature_make(jose_signature **operation, jose_key *key,
                                jose_signature_family family, jose_hash hash, bool signing,
                                jose_options options);
void jose_signature_free(jose_signature *operation);

// jose_signature_private_acceleration returns the state of JOSE_ACCELERATE_PRIVATE.
jose_private_acceleration jose_signature_private_acceleration(const jose_signature *operation);

// jose_signature_uses_lanes returns whether jose_private_batch_run would now compute several
// signatures of this operation at once, in lanes. It tests and prepares nothing: it returns false
// until a use has prepared the key and the kernel has been tested.
bool jose_signature_uses_lanes(const jose_signature *operation);

// jose_signature_bytes returns the exact size of a signature.
size_t jose_signature_bytes(const jose_signature *operation);

// jose_signature_sign signs. signature_len must equal jose_signature_bytes and the operation must
// be made for signing, else JOSE_INTERNAL. The new signature is verified before it is returned (RSA
// always, HMAC never, others with JOSE_CHECK_SIGNATURES). A wrong one gives JOSE_INTERNAL, and the
// context that made it is dropped. With an imported RSA key it gives JOSE_BAD_KEY: p or q might be
// composite, which makes signatures wrong.
jose_status jose_signature_sign(const jose_signature *operation,
                                uint8_t *signature, size_t signature_len,
                                const uint8_t *message, size_t message_len);

// jose_signature_verify returns JOSE_OK for a valid signature and JOSE_REJECTED for a wrong one or
// one of another size. JOSE_INTERNAL: the operation was made for signing, or memory or libcrypto
// failed, so that nothing is known about the signature.
jose_status jose_signature_verify(const jose_signature *operation,
                                  const uint8_t *message, size_t message_len,
                                  const uint8_t *signature, size_t signature_len);

// The caller's base64url decoder. `decode` writes the bytes of text_len characters and returns
// false for malformed text. Calls for one text pass its pieces in order. Each piece consists of
// whole groups of four characters, except the piece that ends the text. An empty piece may follow
// that one. A piece decoded while a hash runs has `chunk` characters; others have any size. `chunk`
// is a multiple of JOSE_CHUNK above 0; otherwise functions with a decoder return JOSE_INTERNAL.
typedef struct {
    bool (*decode)(uint8_t *out, const uint8_t *text, size_t text_len);
    size_t chunk;
} jose_decoder;

// No chunk splits a block of a hash. Verification hashes the 256 characters: whole blocks of 64 or
// 128 bytes. Decryption hashes the 192 decoded bytes, only by SHA-256: whole blocks of 64 bytes.
enum { JOSE_CHUNK = 256 };

typedef enum JOSE_CLOSED {
    JOSE_PAYLOAD_NOT_DECODED,  // the caller decodes; `bytes` holds nothing of the payload
    JOSE_PAYLOAD_DECODED,      // `bytes` holds the payload
    JOSE_PAYLOAD_MALFORMED,    // the payload is not base64url; `bytes` was wiped
} jose_payload_result;

// A base64url payload at the end of a message.
typedef struct {
    size_t from;     // index of its first character in the message
    uint8_t *bytes;  // output; has exactly the decoded size
    size_t len;
    jose_decoder decoder;
    jose_payload_result result;  // output
} jose_payload;

// jose_signature_verify_decoding verifies as jose_signature_verify does. If the implementation can,
// it decodes the payload while it hashes the message. JOSE_OK means only that the signature is
// valid: the caller must check payload->result, which may be any of the three. With another status
// the result is JOSE_PAYLOAD_NOT_DECODED, and nothing of the payload stays in payload->bytes.
jose_status jose_signature_verify_decoding(const jose_signature *operation,
                                           const uint8_t *message, size_t message_len,
                                           jose_payload *payload,
                                           const uint8_t *signature, size_t signature_len);

// Signatures to verify together: vector kernels compute up to eight RSA operations at once. A batch
// only accepts; a signature that it does not accept needs jose_signature_verify. For one thread at
// a time.
typedef struct jose_batch jose_batch;

enum { JOSE_BATCH_MAX = 64 };

// jose_batch_make allocates a batch for `capacity` signatures; more than JOSE_BATCH_MAX counts as
// JOSE_BATCH_MAX. Returns NULL if memory runs out.
jose_batch *jose_batch_make(size_t capacity);
void jose_batch_free(jose_batch *batch);

// jose_batch_add hashes the message and copies the signature; both may be freed afterwards. The
// operation must outlive the batch. Returns the index in the batch. Returns -1 if the signature was
// not added: the batch is full, the operation was made for signing, the size is wrong, or no vector
// kernel is ready for this algorithm and key.
ptrdiff_t jose_batch_add(jose_batch *batch, const jose_signature *operation,
                         const uint8_t *message, size_t message_len,
                         const uint8_t *signature, size_t signature_len);

// jose_batch_run verifies all signatures that were added. One wrong signature does not affect the
// others. Call it after the last jose_batch_add.
void jose_batch_run(jose_batch *batch);

// jose_batch_accepted returns true if the signature at this index is valid. False means undecided,
// not rejected: call jose_signature_verify.
bool jose_batch_accepted(const jose_batch *batch, size_t index);

// jose_batch_report_mismatch reports that jose_signature_verify accepted a signature that the batch
// did not accept. If the batch had computed a wrong block, the key's precomputed constants are
// dropped and recomputed at the next use. If it had computed no block, nothing happens.
void jose_batch_report_mismatch(const jose_batch *batch, size_t index);

// MARK: RSA private operations together

// A key prepared to wrap or to unwrap content encryption keys with one algorithm.
typedef struct jose_keymgmt jose_keymgmt;

// RSA signatures and RSA-OAEP decryptions to compute together, with any keys. Keys with
// JOSE_ACCELERATE_PRIVATE run four at once if their kernel can; the others run one after the other.
// The batch holds secrets between jose_private_batch_run and jose_private_batch_free. For one
// thread at a time.
typedef struct jose_private_batch jose_private_batch;

enum { JOSE_PRIVATE_BATCH_MAX = 64,
       JOSE_PRIVATE_BATCH_LANES = 4 };

// jose_private_batch_worthwhile returns the smallest number of operations that is faster together
// than alone, if a kernel runs them in lanes. modulus_len is the size of their moduli.
size_t jose_private_batch_worthwhile(size_t modulus_len);

// jose_private_batch_make allocates a batch for `capacity` operations; more than
// JOSE_PRIVATE_BATCH_MAX counts as JOSE_PRIVATE_BATCH_MAX. Returns NULL if memory runs out.
// jose_private_batch_free wipes the batch.
jose_private_batch *jose_private_batch_make(size_t capacity);
void jose_private_batch_free(jose_private_batch *batch);

// jose_private_batch_add_message hashes a message to sign, which may be freed afterwards. The
// operation must outlive the batch. Returns the index in the batch. Returns -1 if nothing was
// added: the batch is full, the operation does not sign, it is not RSA, its modulus exceeds 8,192
// bits, it has JOSE_PROVIDER_ONLY, or random numbers fail. Then call jose_signature_sign.
ptrdiff_t jose_private_batch_add_message(jose_private_batch *batch, const jose_signature *operation,
                                         const uint8_t *message, size_t message_len);

// jose_private_batch_add_digest does the same with the digest of the message. A digest of another
// size than the operation's hash gives -1 too.
ptrdiff_t jose_private_batch_add_digest(jose_private_batch *batch, const jose_signature *operation,
                                        const uint8_t *digest, size_t digest_len);

// jose_private_batch_add_key adds the bare RSA decryption of an encrypted key. The operation must
// outlive the batch. Returns the index in the batch. Returns -1 if nothing was added: the batch is
// full, the operation does not unwrap with RSA-OAEP and a private key of at most 8,192 bits, it has
// JOSE_PROVIDER_ONLY, or the encrypted key is not as long as the modulus or not from 2 to n - 2.
ptrdiff_t jose_private_batch_add_key(jose_private_batch *batch, const jose_keymgmt *operation,
                                     const uint8_t *encrypted_key, size_t encrypted_key_len);

// jose_private_batch_run computes all operations that were added. One that fails does not affect
// the others. Call it once, after the last operation was added.
void jose_private_batch_run(jose_private_batch *batch);

// jose_private_batch_result copies the result of one operation, which has the modulus size: a
// verified signature, or the secret block of an encrypted key, still OAEP-encoded. Returns the
// status of the operation, for a signature as jose_signature_sign does.
jose_status jose_private_batch_result(const jose_private_batch *batch, size_t index, uint8_t *out,
                                      size_t out_len);

// MARK: content encryption and key management

typedef enum JOSE_CLOSED {
    JOSE_A128CBC_HS256 = 0,  // RFC 7518 section 5.2.3
    JOSE_A192CBC_HS384 = 1,  // section 5.2.4
    JOSE_A256CBC_HS512 = 2,  // section 5.2.5
    JOSE_A128GCM = 3,        // section 5.3
    JOSE_A192GCM = 4,
    JOSE_A256GCM = 5
} jose_content;

// jose_content_missing returns the name of what libcrypto lacks for this algorithm, or NULL, as
// jose_curve_missing does. If something is missing, encryption and decryption return
// JOSE_UNSUPPORTED.
const char *jose_content_missing(jose_content content);

// jose_content_key_bytes returns the size of the content encryption key: 32, 48 or 64 for CBC with
// HMAC, 16, 24 or 32 for GCM.
size_t jose_content_key_bytes(jose_content content);

// jose_content_iv_bytes returns the size of the IV: 16 for CBC with HMAC, 12 for GCM.
size_t jose_content_iv_bytes(jose_content content);

// jose_content_tag_bytes returns the size of the tag: 16, 24 or 32 for CBC with HMAC, 16 for GCM.
size_t jose_content_tag_bytes(jose_content content);

// jose_content_checks_tag_first returns whether the tag is checked before anything is decrypted. If
// so, a ciphertext with a wrong tag is unchanged and may be tried with another key.
bool jose_content_checks_tag_first(jose_content content);

// jose_content_ciphertext_bytes returns the exact size of a ciphertext, or SIZE_MAX if the
// plaintext is too long.
size_t jose_content_ciphertext_bytes(jose_content content, size_t plaintext_len);

// The outputs of encryption, each with its exact length.
typedef struct {
    uint8_t *encrypted_key;
    size_t encrypted_key_len;
    uint8_t *iv;
    size_t iv_len;
    uint8_t *ciphertext;
    size_t ciphertext_len;
    uint8_t *tag;
    size_t tag_len;
} jose_seal_output;

// The header parameters of one recipient, decoded.
typedef struct {
    // For decryption: jose_keymgmt_parameter_bytes bytes; for PBES2 up to 128 bytes of salt.
    const uint8_t *parameters;
    size_t parameters_len;
    const uint8_t *party_u;  // apu and apv of ECDH-ES (RFC 7518 sections 4.6.1.2 and 4.6.1.3)
    size_t party_u_len;
    const uint8_t *party_v;
    size_t party_v_len;
    uint32_t iterations;  // p2c of PBES2
} jose_recipient;

// A ciphertext that is still base64url.
typedef struct {
    const uint8_t *text;  // base64url of exactly ciphertext_len bytes; NULL: decoded already
    jose_decoder decoder;
} jose_encoded;

// The inputs of decryption.
typedef struct {
    const uint8_t *encrypted_key;
    size_t encrypted_key_len;
    const uint8_t *iv;
    size_t iv_len;
    uint8_t *ciphertext;  // replaced by the plaintext
    size_t ciphertext_len;
    const uint8_t *tag;
    size_t tag_len;
    jose_recipient recipient;
    jose_encoded encoded;  // set if `ciphertext` is only the buffer to decode to
    // A batch that has run with this encrypted key (jose_private_batch_add_key), or NULL, and the
    // index in the batch. The batch's block is used once, then wiped.
    jose_private_batch *batch;
    size_t index;
} jose_open_input;

// The kind of result of an external key, such as a key in an HSM.
typedef enum JOSE_CLOSED {
    JOSE_EXTERNAL_NONE = 0,   // no result: decryption goes on with a random key
    JOSE_EXTERNAL_KEY = 1,    // RSA-OAEP: the content encryption key
    JOSE_EXTERNAL_BLOCK = 2,  // RSA-OAEP: the output of the bare RSA operation, still OAEP-encoded
    JOSE_EXTERNAL_SHARED = 3  // ECDH-ES: the shared secret
} jose_external_result_kind;

// What an external key computed for one message.
typedef struct {
    jose_external_result_kind kind;
    const uint8_t *bytes;  // secret; NULL for JOSE_EXTERNAL_NONE
    size_t len;
} jose_external_result;

// jose_content_encrypt encrypts with a given key and IV, for published vectors only. Each length
// must be exact, and ciphertext_len that of jose_content_ciphertext_bytes; else JOSE_INTERNAL.
jose_status jose_content_encrypt(jose_content content,
                                 uint8_t *ciphertext, size_t ciphertext_len,
                                 uint8_t *tag, size_t tag_len,
                                 const uint8_t *key, size_t key_len,
                                 const uint8_t *iv, size_t iv_len,
                                 const uint8_t *aad, size_t aad_len,
                                 const uint8_t *plaintext, size_t plaintext_len);

// jose_content_decrypt decrypts in place if the tag is right. For published vectors only. After
// JOSE_REJECTED the buffer holds the ciphertext or zeros, never plaintext.
jose_status jose_content_decrypt(jose_content content, size_t *plaintext_len,
                                 uint8_t *ciphertext, size_t ciphertext_len,
                                 const uint8_t *key, size_t key_len,
                                 const uint8_t *iv, size_t iv_len,
                                 const uint8_t *aad, size_t aad_len,
                                 const uint8_t *tag, size_t tag_len);

typedef enum JOSE_CLOSED {
    JOSE_RSA_OAEP = 0,    // RFC 7518 section 4.3, with any hash; MGF1 uses the same one
    JOSE_AES_KW = 1,      // section 4.4
    JOSE_DIRECT = 2,      // section 4.5
    JOSE_ECDH_ES = 3,     // section 4.6
    JOSE_AES_GCM_KW = 4,  // section 4.7
    JOSE_PBES2 = 5        // section 4.8; JOSE_BAD_KEY if it is not compiled in
} jose_keymgmt_family;

// One algorithm of a family.
typedef struct {
    jose_keymgmt_family family;
    jose_hash hash;     // RSA-OAEP and PBES2
    size_t wrap_bytes;  // size of the AES key that wraps, in bytes: 16, 24 or 32; 0: none wraps
} jose_keymgmt_rule;

// jose_keymgmt_missing returns the name of what libcrypto lacks for this algorithm with keys of
// this type, or NULL, as jose_curve_missing does. curve is used for EC and OKP only.
const char *jose_keymgmt_missing(const jose_keymgmt_rule *rule, jose_key_type type,
                                 jose_curve curve);

// jose_keymgmt_make prepares an operation that wraps or unwraps, and retains the key. JOSE_BAD_KEY:
// the key does not match the algorithm, or a public key is to unwrap.
jose_status jose_keymgmt_make(jose_keymgmt **operation, jose_key *key,
                              const jose_keymgmt_rule *rule, bool wrapping, jose_options options);
void jose_keymgmt_free(jose_keymgmt *operation);

// jose_keymgmt_private_acceleration returns the state of JOSE_ACCELERATE_PRIVATE.
jose_private_acceleration jose_keymgmt_private_acceleration(const jose_keymgmt *operation);

// jose_keymgmt_uses_lanes does the same as jose_signature_uses_lanes, for encrypted keys.
bool jose_keymgmt_uses_lanes(const jose_keymgmt *operation);

// jose_keymgmt_make_external prepares an operation that decrypts with the results of an external
// key. `key` is its public key. JOSE_BAD_KEY: the family is not RSA-OAEP or ECDH-ES, or `key` is
// private or does not match the algorithm.
jose_status jose_keymgmt_make_external(jose_keymgmt **operation, jose_key *key,
                                       const jose_keymgmt_rule *rule, jose_options options);

// jose_keymgmt_supports returns whether the operation can wrap, or agree on, a key of the size that
// this content encryption needs. For direct encryption, the operation's key must have this size.
bool jose_keymgmt_supports(const jose_keymgmt *operation, jose_content content);

// jose_keymgmt_encrypted_key_bytes returns the exact size of an encrypted key; 0 if there is none.
size_t jose_keymgmt_encrypted_key_bytes(const jose_keymgmt *operation, jose_content content);

// jose_keymgmt_parameter_bytes returns the exact size of the header parameters: x, or x and y, of
// the ephemeral key (ECDH-ES), IV and tag (AES-GCM key wrapping), or the salt (PBES2); else 0.
size_t jose_keymgmt_parameter_bytes(const jose_keymgmt *operation);

// jose_keymgmt_seal draws a content encryption key and an IV, encrypts plaintext and wraps the key.
// Direct encryption uses the operation's key and draws only the IV. JOSE_INTERNAL: an output has
// another length, the operation was made for unwrapping, or it has header parameters (use
// jose_cek_begin). JOSE_BAD_KEY: jose_keymgmt_supports returns false.
jose_status jose_keymgmt_seal(const jose_keymgmt *operation, jose_content content,
                              const jose_seal_output *out,
                              const uint8_t *aad, size_t aad_len,
                              const uint8_t *plaintext, size_t plaintext_len);

// jose_keymgmt_open unwraps the key, checks the tag and decrypts in place. If unwrapping fails, a
// random key replaces the content encryption key and the tag decides. So a wrong encrypted key, tag
// or length is always JOSE_REJECTED (RFC 7516 section 11.5). Malformed base64url is JOSE_REJECTED
// too. JOSE_INTERNAL: memory or libcrypto failed, or the operation was made for wrapping.
// JOSE_BAD_KEY: jose_keymgmt_supports returns false. Without JOSE_OK, *plaintext_len is 0, and the
// buffer holds the ciphertext, its decoded part or zeros, never plaintext.
jose_status jose_keymgmt_open(const jose_keymgmt *operation, jose_content content,
                              size_t *plaintext_len, const jose_open_input *in,
                              const uint8_t *aad, size_t aad_len);

// jose_keymgmt_may_open returns false for a message that jose_keymgmt_open rejects by public facts,
// without a private operation: the length of a part or of the parameters is wrong, or an encrypted
// key of RSA-OAEP is not a number from 2 to n - 2. Only lengths and the encrypted key are read;
// in->ciphertext may be NULL.
bool jose_keymgmt_may_open(const jose_keymgmt *operation, jose_content content,
                           const jose_open_input *in);

// jose_keymgmt_open_external does what jose_keymgmt_open does, with an operation of
// jose_keymgmt_make_external and the result of the external key. A result of the wrong kind or size
// counts as a failed unwrapping: the random key is used, which gives JOSE_REJECTED.
jose_status jose_keymgmt_open_external(const jose_keymgmt *operation, jose_content content,
                                       size_t *plaintext_len, const jose_open_input *in,
                                       const jose_external_result *external,
                                       const uint8_t *aad, size_t aad_len);

// MARK: a message whose header depends on its key

// The content encryption key of one message, from wrapping to encrypting. For one thread at a time.
typedef struct jose_cek jose_cek;

// The outputs of wrapping, each with its exact length.
typedef struct {
    uint8_t *encrypted_key;
    size_t encrypted_key_len;
    uint8_t *parameters;
    size_t parameters_len;
} jose_wrapped;

// jose_cek_begin draws a content encryption key, or agrees on one, and wraps it. It reads only the
// sender's choices in `recipient`: party_u, party_v, iterations. JOSE_INTERNAL: an output has
// another length than jose_keymgmt_encrypted_key_bytes or jose_keymgmt_parameter_bytes.
// JOSE_BAD_KEY: jose_keymgmt_supports returns false. The operation may be freed after this call.
jose_status jose_cek_begin(jose_cek **cek, const jose_keymgmt *operation, jose_content content,
                           const jose_wrapped *out, const jose_recipient *recipient);

// jose_cek_wrap_again wraps the same key for another recipient. JOSE_BAD_KEY: either recipient's
// algorithm determines the key itself (direct encryption, ECDH-ES without wrapping), their keys
// have different providers, or jose_keymgmt_supports returns false. The content is encrypted with
// the options of all recipients' operations, combined by OR.
jose_status jose_cek_wrap_again(jose_cek *cek, const jose_keymgmt *operation,
                                const jose_wrapped *out, const jose_recipient *recipient);

// jose_cek_finish draws an IV and encrypts, once: a second call returns JOSE_INTERNAL, also if the
// first one failed to encrypt. out->encrypted_key is ignored. Call jose_cek_free in any case.
jose_status jose_cek_finish(jose_cek *cek, const jose_seal_output *out,
                            const uint8_t *aad, size_t aad_len,
                            const uint8_t *plaintext, size_t plaintext_len);

// jose_cek_free wipes the key.
void jose_cek_free(jose_cek *cek);

// jose_cek_wrap_given wraps a given content encryption key, for published vectors only. An
// algorithm that determines the key writes it to cek; a failure leaves cek undefined. Pass `seed`,
// the random bytes, or `ephemeral`, a private key of the operation's type, curve and provider (else
// JOSE_BAD_KEY). With `ephemeral` the seed is ignored. JOSE_INTERNAL: seed_len is not this:
//
//     RSA-OAEP               the digest's size; 0 with JOSE_PROVIDER_ONLY
//     AES-GCM key wrapping   12
//     PBES2                  16
//     ECDH-ES with X25519    32; 0 with JOSE_PROVIDER_ONLY
//     others                 0
jose_status jose_cek_wrap_given(const jose_keymgmt *operation, jose_content content,
                                uint8_t *cek, size_t cek_len, const jose_wrapped *out,
                                const jose_recipient *recipient,
                                const uint8_t *seed, size_t seed_len, jose_key *ephemeral);

// MARK: compression

// jose_deflate_available returns whether the running zlib has the major version that this target
// was compiled for. Otherwise jose_inflate and jose_deflate return JOSE_UNSUPPORTED.
bool jose_deflate_available(void);

// jose_inflate decompresses raw DEFLATE (RFC 1951). *out_len is the capacity before the call and
// the size after it. Returns JOSE_REJECTED if `in` is not exactly one whole stream, or if the
// output exceeds the capacity; *is_longer distinguishes the two. Returns JOSE_INTERNAL if the input
// or the capacity exceeds 2^30 bytes, or if memory runs out. After a failure *out_len is 0.
jose_status jose_inflate(uint8_t *out, size_t *out_len, bool *is_longer,
                         const uint8_t *in, size_t in_len);

// jose_deflate_bound returns the capacity that jose_deflate needs; 0 if the input is too long.
size_t jose_deflate_bound(size_t len);

// jose_deflate compresses to raw DEFLATE. *out_len is the capacity before the call, at least
// jose_deflate_bound of in_len, and the size after it. Returns JOSE_INTERNAL if the capacity is too
// small, the input is too long or memory runs out; *out_len is then 0.
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
    JOSE_CHAIN_ORDER,  // a certificate's issuer is not the next certificate
    JOSE_CHAIN_DUPLICATE,
    JOSE_CHAIN_UNUSED_CERTIFICATE,  // not part of the path to the anchor
    JOSE_CHAIN_UNKNOWN_ROOT,
    JOSE_CHAIN_SELF_SIGNED,
    JOSE_CHAIN_CRITICAL_EXTENSION,
    JOSE_CHAIN_NAME_CONSTRAINTS,
    JOSE_CHAIN_WEAK_SIGNATURE,  // neither SHA-2 with RSA or ECDSA, nor EdDSA or ML-DSA
    JOSE_CHAIN_WEAK_KEY,
    JOSE_CHAIN_OLD_VERSION,  // not X.509 version 3
    JOSE_CHAIN_REVOKED,
    JOSE_CHAIN_REVOCATION_UNKNOWN,  // no usable CRL covers it, or one by an unknown key lists it
    JOSE_CHAIN_KEY_USAGE,           // the leaf's keyUsage does not allow the purpose
    JOSE_CHAIN_EXTENDED_KEY_USAGE,
    JOSE_CHAIN_LEAF_IS_CA,
    JOSE_CHAIN_POLICIES,  // more policies and mappings than are processed
    JOSE_CHAIN_OTHER,     // anything else that RFC 5280 forbids
    JOSE_CHAIN_INTERNAL   // memory or provider
} jose_chain_failure;

typedef struct {
    jose_chain_failure failure;
    size_t index;  // of the certificate: 0 is the leaf, the chain's count is the anchor
    // The first and the last second, since 1970, at which the result holds: the latest start and
    // the earliest end of the path's certificates and of the CRLs that were used. not_after is
    // also before each future thisUpdate in the CRLs of the path's issuers.
    int64_t not_before, not_after;
} jose_chain_report;

typedef enum JOSE_CLOSED {
    JOSE_PURPOSE_SIGNATURE = 0,
    JOSE_PURPOSE_ENCRYPTION = 1
} jose_purpose;

// Parsed certificates, leaf first.
typedef struct jose_chain jose_chain;

// jose_chain_read parses `count` certificates and copies them. der and der_len are arrays of
// `count` elements. Each certificate must fill its bytes, which the caller must have checked to be
// strict DER. Returns JOSE_REJECTED with *failed set to the index of the first one that is not a
// certificate, or to 0 if count is not 1 to JOSE_MAX_CHAIN.
jose_status jose_chain_read(jose_chain **chain, size_t *failed, const uint8_t *const *der,
                            const size_t *der_len, size_t count);
void jose_chain_free(jose_chain *chain);

// jose_chain_is_ordered returns whether each certificate occurs once and names the next as issuer.
bool jose_chain_is_ordered(const jose_chain *chain);

// jose_chain_issued checks whether the first certificate of `issuer` issued the first one of
// `chain`: by name (RFC 5280 section 7.1) and signature. It does not check dates, extensions or
// strength. Both arguments may be the same object. Returns JOSE_OK or JOSE_REJECTED. An issuer key
// that libcrypto cannot decode, that is too large or that has explicit curve parameters is
// JOSE_REJECTED. Returns JOSE_UNSUPPORTED if the names match and libcrypto does not know the
// signature's algorithm. JOSE_INTERNAL: memory or libcrypto failed.
jose_status jose_chain_issued(const jose_chain *chain, const jose_chain *issuer);

// jose_chain_compare orders names (RFC 5280 section 7.1). It compares the subject of the first
// certificate of `chain`, or its issuer if by_issuer is true, with the subject of the first one of
// `other`. Returns a number below 0, 0 or above 0. The order has no meaning of its own.
int jose_chain_compare(const jose_chain *chain, bool by_issuer, const jose_chain *other);

// jose_chain_leaf_failure checks only the leaf's version, strength and uses, without anchors, dates
// or signatures. Returns JOSE_CHAIN_OK, the first failure, or JOSE_CHAIN_INTERNAL.
jose_chain_failure jose_chain_leaf_failure(const jose_chain *chain, jose_purpose purpose);

// jose_chain_subject writes the subject of a certificate in the form of RFC 2253, in UTF-8 with
// control characters escaped, and a NUL. Returns its length without the NUL. Returns 0 with an
// empty string if the subject is empty or does not fit, or if memory runs out. Returns 0 and writes
// nothing if index is outside the chain or capacity is 0.
size_t jose_chain_subject(const jose_chain *chain, size_t index, char *out, size_t capacity);

// Trust anchors and CRLs.
typedef struct jose_trust jose_trust;

// Why a CRL is rejected; the order has no meaning.
typedef enum JOSE_CLOSED {
    JOSE_LIST_OK = 0,
    JOSE_LIST_MALFORMED,
    JOSE_LIST_NO_NEXT_UPDATE,
    JOSE_LIST_DELTA,            // only the changes since another CRL
    JOSE_LIST_REMOVE_FROM_CRL,  // an entry that only a delta CRL may have
    JOSE_LIST_INDIRECT,         // covers certificates of other issuers too
    JOSE_LIST_SOME_REASONS,
    JOSE_LIST_ATTRIBUTES,          // of attribute certificates
    JOSE_LIST_SCOPE,               // its issuing distribution point is malformed or contradictory
    JOSE_LIST_CRITICAL_EXTENSION,  // an unknown one, of the CRL or of an entry
    JOSE_LIST_WEAK_SIGNATURE       // as JOSE_CHAIN_WEAK_SIGNATURE
} jose_list_failure;

// Why jose_trust_make rejects its input.
typedef struct {
    size_t index;            // of the anchor, or anchor_count + index of the CRL
    jose_list_failure list;  // JOSE_LIST_OK for an anchor
} jose_trust_failure;

// jose_trust_make copies trust anchors, which are CA certificates, and CRLs, which must be complete
// and direct. Validation uses no other anchors. If there is a CRL, every certificate below an
// anchor needs a current CRL that covers it. Returns JOSE_REJECTED with *failure set if an anchor
// is not a CA or a CRL is rejected.
jose_status jose_trust_make(jose_trust **trust, jose_trust_failure *failure,
                            const uint8_t *const *anchors, const size_t *anchor_len,
                            size_t anchor_count,
                            const uint8_t *const *crls, const size_t *crl_len, size_t crl_count);
void jose_trust_free(jose_trust *trust);

// jose_trust_validate validates a chain at the time `at`, in seconds since 1970 (RFC 5280 section
// 6, and the rules that jose_chain_failure lists). notBefore and notAfter are inclusive. It tries
// each anchor that may end the chain; one is enough. It always writes the failure in *report:
// JOSE_CHAIN_INTERNAL with JOSE_INTERNAL, the reason with JOSE_REJECTED. The times in it are valid
// only with JOSE_OK.
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

// jose_pbes2_run encrypts or decrypts with a key derived from the password. *out_len is the
// capacity before the call, at least in_len + 16, and the size after JOSE_OK. Decryption returns
// JOSE_REJECTED if `in` is not whole blocks or its padding is bad. The usual cause is a wrong
// password, but about one wrong password in 250 gives right padding. JOSE_INTERNAL: an empty input,
// a capacity that is too small, iterations of 0 or another key_len. With the FIPS provider, a salt
// below 16 bytes, fewer than 1,000 iterations or a password below 8 bytes gives JOSE_UNSUPPORTED.
jose_status jose_pbes2_run(const jose_pbes2 *rule, bool encrypting, uint8_t *out, size_t *out_len,
                           const uint8_t *in, size_t in_len,
                           const uint8_t *password, size_t password_len);

// jose_budget_spend subtracts the cost of `iterations` from *budget, before they are computed. The
// unit is one iteration of PBKDF2 with HMAC-SHA-256. An iteration with SHA-384 or SHA-512 costs
// two. An iteration of PKCS#12's MAC counts the same, though it takes less time. Returns false, and
// subtracts nothing, if less is left.
bool jose_budget_spend(uint64_t *budget, jose_hash hash, uint64_t iterations);

enum { JOSE_PKCS12_MAX_ITEMS = 32,
       JOSE_PKCS12_MAX_NAME = 2048,     // bytes of a friendlyName
       JOSE_PKCS12_MAX_KEY_ID = 256 };  // bytes of a localKeyID

typedef enum JOSE_CLOSED {
    JOSE_PKCS12_OK = 0,
    JOSE_PKCS12_MALFORMED,
    JOSE_PKCS12_LEGACY,  // not PBES2 with HMAC-SHA-2 and AES-CBC, or a MAC with an old hash
    JOSE_PKCS12_SCRYPT,  // PBES2 with scrypt: not old, but not supported
    JOSE_PKCS12_PBMAC1,  // a MAC of RFC 9579: not old, but not supported
    JOSE_PKCS12_NO_MAC,
    JOSE_PKCS12_NO_FIPS,        // the process uses the FIPS provider, which cannot check the MAC
    JOSE_PKCS12_ITERATIONS,     // more than the caller allows, in one derivation or in all
    JOSE_PKCS12_PASSWORD,       // wrong password or corrupted file
    JOSE_PKCS12_TOO_MANY,       // more than JOSE_PKCS12_MAX_ITEMS keys and certificates
    JOSE_PKCS12_LONG_PASSWORD,  // more than 1,024 bytes; nothing was read
    JOSE_PKCS12_INTERNAL
} jose_pkcs12_failure;

// The contents of a PKCS#12 file. Freeing it wipes the keys and certificates.
typedef struct jose_pkcs12 jose_pkcs12;

// jose_pkcs12_read checks the MAC, then reads the keys and certificates. The MAC and each encrypted
// safe need a derivation of at most max_iterations iterations. Each derivation is subtracted from
// *budget before it is computed (jose_budget_spend), also if reading fails later. Keys in encrypted
// bags stay encrypted and cost nothing here.
jose_pkcs12_failure jose_pkcs12_read(jose_pkcs12 **file, uint64_t *budget, uint32_t max_iterations,
                                     const uint8_t *der, size_t len,
                                     const uint8_t *password, size_t password_len);
void jose_pkcs12_free(jose_pkcs12 *file);

// jose_pkcs12_count returns the number of items: keys and certificates, in the order of the file.
size_t jose_pkcs12_count(const jose_pkcs12 *file);

// What to write to a PKCS#12 file: one PKCS#8 key, and certificates with the key's own first.
typedef struct {
    const uint8_t *key;
    size_t key_len;
    const uint8_t *const *certificates;
    const size_t *certificate_len;
    size_t certificate_count;
    const char *name;     // friendlyName, UTF-8; NULL for none
    uint32_t iterations;  // each for the key, the certificates and the MAC
} jose_pkcs12_contents;

// jose_pkcs12_write encrypts contents with a password of 1 to 1,024 bytes without NUL: PBES2 with
// HMAC-SHA-256 and AES-256-CBC, and a MAC with SHA-256. Item 0 of *file, the only item, is the DER
// of the new file. Returns JOSE_REJECTED for any other password, an empty key, iterations of 0, or
// JOSE_PKCS12_MAX_ITEMS certificates or more. No budget counts its two or three derivations.
jose_status jose_pkcs12_write(jose_pkcs12 **file, const jose_pkcs12_contents *contents,
                              const uint8_t *password, size_t password_len);

// jose_pkcs12_item borrows the DER of an item for the file's life: a PKCS#8 key, encrypted or not,
// or a certificate. index is below jose_pkcs12_count.
const uint8_t *jose_pkcs12_item(const jose_pkcs12 *file, size_t index, size_t *len, bool *is_key);

// The attributes of an item (RFC 7292 section 4.2), borrowed for the file's life. An attribute is
// NULL if the item lacks it, or if it is empty or exceeds its limit above.
typedef struct {
    const uint8_t *name;  // friendlyName: UTF-16, big-endian
    size_t name_len;
    const uint8_t *key_id;  // localKeyID, which a key and its certificate share
    size_t key_id_len;
} jose_pkcs12_attributes;

jose_pkcs12_attributes jose_pkcs12_item_attributes(const jose_pkcs12 *file, size_t index);

// jose_pkcs12_other_count returns how many bags were skipped: CRLs, secrets, nested bags.
size_t jose_pkcs12_other_count(const jose_pkcs12 *file);

#endif
