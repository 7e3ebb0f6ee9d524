// edges.c: what a FIPS library rejects, and random numbers after a fork.

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <openssl/self_test.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fips.h"
#include "runtime/library.h"

enum { SIZE = 256 };

static const uint8_t order_8[32] = {0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0,
                                    0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
                                    0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39,
                                    0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05};

// Counts the tests of a generated pair.
static int count_pairs(const OSSL_PARAM params[], void *pairs)
{
    const OSSL_PARAM *phase = OSSL_PARAM_locate_const(params, OSSL_PROV_PARAM_SELF_TEST_PHASE);
    const OSSL_PARAM *type = OSSL_PARAM_locate_const(params, OSSL_PROV_PARAM_SELF_TEST_TYPE);
    *(unsigned *)pairs += phase != NULL && type != NULL &&
                          strcmp(phase->data, OSSL_SELF_TEST_PHASE_START) == 0 &&
                          strcmp(type->data, OSSL_SELF_TEST_TYPE_PCT) == 0;
    return 1;
}

// The provider tests every pair that it generates.
static void check_generated(void)
{
    static const jose_curve curves[] = {JOSE_P256, JOSE_ED25519, JOSE_ED448, JOSE_ML_DSA_44};
    unsigned pairs = 0;
    OSSL_LIB_CTX *context = jose_library_get()->context;
    OSSL_SELF_TEST_set_callback(context, count_pairs, &pairs);
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        jose_key *key = NULL;
        const jose_key_type type = jose_curve_type(curves[i]);
        if (jose_curve_missing(curves[i]) != NULL) continue;
        pairs = 0;
        const jose_status status =
            type == JOSE_KEY_EC    ? jose_ec_generate(&key, JOSE_MODULE_PROCESS, curves[i])
            : type == JOSE_KEY_OKP ? jose_okp_generate(&key, JOSE_MODULE_PROCESS, curves[i])
                                   : jose_akp_generate(&key, JOSE_MODULE_PROCESS, curves[i]);
        need(status == JOSE_OK && pairs > 0, "curve %d: generated, not tested", (int)curves[i]);
        jose_key_release(key);
    }
    OSSL_SELF_TEST_set_callback(context, NULL, NULL);
}

// An RSA key of a certificate needs a public exponent above 2^16. The provider would use a smaller.
static void check_exponents(void)
{
    static const unsigned exponents[] = {65537, 65539, 65535, 3};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        BIGNUM *e = BN_new();
        EVP_PKEY *pkey = NULL;
        EVP_PKEY_CTX *generator = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, NULL);
        need(BN_set_word(e, exponents[i]) == 1 && EVP_PKEY_keygen_init(generator) == 1 &&
                 EVP_PKEY_CTX_set_rsa_keygen_bits(generator, 2048) == 1 &&
                 EVP_PKEY_CTX_set1_rsa_keygen_pubexp(generator, e) == 1 &&
                 EVP_PKEY_generate(generator, &pkey) == 1,
             "a key");
        jose_chain *chain = chain_make(pkey);
        need((jose_chain_leaf_failure(chain, JOSE_PURPOSE_SIGNATURE) == JOSE_CHAIN_WEAK_KEY) ==
                 (exponents[i] < 65536),
             "a certificate with e = %u", exponents[i]);
        jose_chain_free(chain);
        EVP_PKEY_free(pkey);
        EVP_PKEY_CTX_free(generator);
        BN_free(e);
    }
}

// A batch does not hash for a key of the provider.
static void check_batch(jose_key *key)
{
    jose_signature *signer = NULL;
    jose_private_batch *batch = jose_private_batch_make(4);
    need(jose_signature_make(&signer, key, JOSE_RSA_PKCS1, JOSE_SHA256, true,
                             JOSE_ACCELERATE_PRIVATE) == JOSE_OK &&
             jose_private_batch_add_message(batch, signer, order_8, sizeof order_8) == -1,
         "a message in a batch");
    jose_private_batch_free(batch);
    jose_signature_free(signer);
}

static void check_ec(void)
{
    jose_key *key = NULL, *other = NULL;
    uint8_t d[32], x[32], y[32], zeros[32] = {0}, ones[32];
    size_t len = 0;
    memset(ones, 0xff, sizeof ones);
    need(jose_ec_generate(&key, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_OK &&
             jose_key_secret_write(key, d, sizeof d) == JOSE_OK,
         "a key");
    memcpy(x, jose_key_public_number(key, 0, &len), 32);
    memcpy(y, jose_key_public_number(key, 1, &len), 32);
    need(jose_ec_private(&other, JOSE_P256, x, 32, y, 32, d, 32) == JOSE_OK, "the key again");
    jose_key_release(other);
    need(jose_ec_private(&other, JOSE_P256, NULL, 0, NULL, 0, d, 32) == JOSE_UNSUPPORTED,
         "a scalar alone");
    need(jose_ec_private(&other, JOSE_P256, x, 32, y, 32, zeros, 32) == JOSE_BAD_KEY, "d = 0");
    need(jose_ec_private(&other, JOSE_P256, x, 32, y, 32, ones, 32) == JOSE_BAD_KEY, "d > n");
    d[31] ^= 1;
    need(jose_ec_private(&other, JOSE_P256, x, 32, y, 32, d, 32) == JOSE_BAD_KEY, "another d");
    need(jose_ec_public(&other, JOSE_P256, x, 32, x, 32) == JOSE_BAD_KEY, "no point");
    need(jose_ec_public(&other, JOSE_P256, ones, 32, y, 32) == JOSE_BAD_KEY, "x > p");
    need(jose_ec_public(&other, JOSE_P256, zeros, 32, zeros, 32) == JOSE_BAD_KEY, "zeros");
    need(jose_ec_public(&other, JOSE_SECP256K1, x, 32, y, 32) != JOSE_OK, "secp256k1");
    need(other == NULL, "a rejected key is left");
    jose_key_release(key);
}

static void check_rsa(void)
{
    jose_key *key = NULL, *other = NULL;
    uint8_t bytes[JOSE_RSA_PARTS][SIZE];
    jose_number parts[JOSE_RSA_PARTS];
    const jose_rsa_limits limits = {2048, 8192, false};
    size_t n_len = 0, e_len = 0;
    need(jose_rsa_generate(&key, JOSE_MODULE_PROCESS, 2048) == JOSE_OK, "a key");
    for (int i = 0; i < JOSE_RSA_PARTS; i++) {
        const size_t len = jose_rsa_part_bytes(key, (jose_rsa_part)i);
        need(jose_rsa_part_write(key, (jose_rsa_part)i, bytes[i], len) == JOSE_OK, "part %d", i);
        parts[i] = (jose_number){bytes[i], len};
    }
    const uint8_t *n = jose_key_public_number(key, 0, &n_len),
                  *e = jose_key_public_number(key, 1, &e_len);
    need(jose_rsa_private(&other, &limits, n, n_len, e, e_len, parts) == JOSE_OK, "the key again");
    jose_key_release(other);
    for (int i = 0; i < JOSE_RSA_PARTS; i++) {
        bytes[i][parts[i].len - 1] ^= 2;
        need(jose_rsa_private(&other, &limits, n, n_len, e, e_len, parts) == JOSE_BAD_KEY &&
                 other == NULL,
             "another part %d", i);
        bytes[i][parts[i].len - 1] ^= 2;
    }
    const jose_number alone[JOSE_RSA_PARTS] = {parts[JOSE_RSA_D]};
    need(jose_rsa_private(&other, &limits, n, n_len, e, e_len, alone) == JOSE_UNSUPPORTED,
         "d alone");
    // A modulus that a small prime divides.
    uint8_t modulus[SIZE];
    memset(modulus, 0xff, sizeof modulus);
    need(jose_rsa_public(&other, &limits, modulus, SIZE, e, e_len) == JOSE_BAD_KEY, "a weak n");
    const unsigned before = watch_public_checks();
    need(jose_rsa_public(&other, &limits, n, n_len, e, e_len) == JOSE_OK &&
             watch_public_checks() == before + 1,
         "the public key");
    jose_key_release(other);
    check_batch(key);
    jose_key_release(key);
}

// The provider does not get a modulus that is a prime or the square of one: that check is slow.
static void check_composite(int exponent_of_prime)
{
    jose_key *key = NULL;
    uint8_t bytes[SIZE];
    static const uint8_t e[] = {1, 0, 1};
    const jose_rsa_limits limits = {2040, 8192, false};
    BN_CTX *scratch = BN_CTX_new();
    BIGNUM *p = BN_new(), *n = BN_new();
    need(scratch != NULL && n != NULL && p != NULL &&
             BN_generate_prime_ex(p, 8 * SIZE / exponent_of_prime, 0, NULL, NULL, NULL) == 1 &&
             BN_copy(n, p) != NULL && (exponent_of_prime == 1 || BN_sqr(n, p, scratch) == 1),
         "a prime");
    const int size = BN_bn2bin(n, bytes);
    const unsigned before = watch_public_checks();
    need(jose_rsa_public(&key, &limits, bytes, (size_t)size, e, sizeof e) == JOSE_BAD_KEY,
         "a prime to the power of %d", exponent_of_prime);
    need(watch_public_checks() == before, "a prime to the power of %d, given to the provider",
         exponent_of_prime);
    BN_free(p);
    BN_free(n);
    BN_CTX_free(scratch);
}

// A public key aB + T, with T of order 8, and R = T: for one of eight hashes h, S = ha is a valid
// signature by the equation SB = R + hA.
static void check_mixed_order(void)
{
    uint8_t a[32] = {7}, message = 0, hash[64], h[32], signature[64], public[32];
    jose_key *key = NULL;
    jose_signature *verifier = NULL;
    if (jose_curve_missing(JOSE_ED25519) != NULL) return;
    if (!need(crypto_scalarmult_ed25519_base_noclamp(public, a) == 0 &&
                  crypto_core_ed25519_add(public, public, order_8) == 0 &&
                  jose_okp_public(&key, JOSE_ED25519, public, 32) == JOSE_OK &&
                  jose_signature_make(&verifier, key, JOSE_EDDSA, JOSE_SHA512, false, 0) == JOSE_OK,
              "a key of mixed order"))
        return;
    for (; message < 200; message++) {
        crypto_hash_sha512_state state;
        crypto_hash_sha512_init(&state);
        crypto_hash_sha512_update(&state, order_8, 32);
        crypto_hash_sha512_update(&state, public, 32);
        crypto_hash_sha512_update(&state, &message, 1);
        crypto_hash_sha512_final(&state, hash);
        crypto_core_ed25519_scalar_reduce(h, hash);
        memcpy(signature, order_8, 32);
        crypto_core_ed25519_scalar_mul(signature + 32, h, a);
        need(jose_signature_verify(verifier, &message, 1, signature, 64) == JOSE_REJECTED,
             "R of order 8, message %d, h mod 8 = %d", message, h[0] & 7);
    }
    jose_signature_free(verifier);
    jose_key_release(key);
}

// The points of small order, canonical ones that are on no curve, and encodings beyond p.
static void check_ed25519(void)
{
    jose_key *key = NULL;
    uint8_t point[32];
    if (jose_curve_missing(JOSE_ED25519) != NULL) return;
    for (int i = 0; i < 2; i++) {
        memset(point, 0, sizeof point);
        point[0] = (uint8_t)i;
        need(jose_okp_public(&key, JOSE_ED25519, point, 32) == JOSE_BAD_KEY, "y = %d", i);
        point[31] = 0x80;
        need(jose_okp_public(&key, JOSE_ED25519, point, 32) == JOSE_BAD_KEY, "-x, y = %d", i);
    }
    memcpy(point, order_8, sizeof point);
    need(jose_okp_public(&key, JOSE_ED25519, point, 32) == JOSE_BAD_KEY, "order 8");
    point[31] |= 0x80;
    need(jose_okp_public(&key, JOSE_ED25519, point, 32) == JOSE_BAD_KEY, "order 8, -x");
    memset(point, 0xff, sizeof point);
    need(jose_okp_public(&key, JOSE_ED25519, point, 32) == JOSE_BAD_KEY, "beyond p");
    unsigned rejected = 0;
    for (int i = 2; i < 34; i++) {
        memset(point, 0, sizeof point);
        point[0] = (uint8_t)i;
        const jose_status status = jose_okp_public(&key, JOSE_ED25519, point, 32);
        need(status == JOSE_OK || status == JOSE_BAD_KEY, "y = %d: %d", i, status);
        rejected += status == JOSE_BAD_KEY;
        jose_key_release(key);
        key = NULL;
    }
    need(rejected > 4 && rejected < 28, "%u of 32 are on no curve", rejected);
}

static void check_files(void)
{
    uint8_t out[64], in[16] = {0}, salt[16] = {1}, iv[16] = {2};
    uint64_t work = 100000;
    const uint8_t password[] = "password";
    jose_pbes2 rule = {JOSE_SHA256, 1000, 32, salt, 16, iv};
    size_t len = sizeof out;
    need(jose_pbes2_run(&rule, true, out, &len, in, 16, password, 8) == JOSE_OK, "PBES2");
    const size_t lens[] = {15, 16, 16}, passwords[] = {8, 8, 7};
    const uint32_t iterations[] = {1000, 999, 1000};
    for (int i = 0; i < 3; i++) {
        rule.salt_len = lens[i];
        rule.iterations = iterations[i];
        len = sizeof out;
        need(jose_pbes2_run(&rule, true, out, &len, in, 16, password, passwords[i]) ==
                 JOSE_UNSUPPORTED,
             "PBES2 below bound %d", i);
    }
    jose_pkcs12 *file = NULL;
    need(jose_pkcs12_read(&file, &work, 1000, in, 16, password, 8) == JOSE_PKCS12_NO_FIPS,
         "PKCS#12");
    const jose_pkcs12_contents contents = {.key = in, .key_len = 16, .iterations = 1000};
    need(jose_pkcs12_write(&file, &contents, password, 8) == JOSE_UNSUPPORTED, "PKCS#12, written");
}

// A child of fork draws other numbers than its parent.
static void check_fork(void)
{
    uint8_t ours[32] = {0}, theirs[32] = {0};
    int ends[2];
    (void)jose_random(ours, sizeof ours);
    if (!need(pipe(ends) == 0, "pipe")) return;
    const pid_t child = fork();
    if (child == 0) {
        const bool done = jose_random(theirs, sizeof theirs) == JOSE_OK &&
                          write(ends[1], theirs, sizeof theirs) == sizeof theirs;
        _exit(done ? 0 : 1);
    }
    int status = 1;
    need(jose_random(ours, sizeof ours) == JOSE_OK && waitpid(child, &status, 0) == child &&
             status == 0 && read(ends[0], theirs, sizeof theirs) == sizeof theirs &&
             memcmp(ours, theirs, sizeof ours) != 0,
         "random numbers after a fork");
    close(ends[0]);
    close(ends[1]);
}

// A value that names a section would stand for the content of that section.
static void check_settings(void)
{
    static const jose_fips_setting wrong[] = {
        {"a-b", "default"},
        {"a-b", "jose~fips"},
        {"a-b", ""},
        {"a-b", "a b"},
        {"a-b", "$x"},
        {"a::b", "1"},
        {"", "1"},
        {"A", "1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        need(jose_fips_load("/absent/fips.so", &wrong[i], 1) == JOSE_FIPS_INTERNAL, "setting %zu",
             i);
    static const char *const paths[] = {"", "fips.so", "/a b/fips.so", "/$a/fips.so",
                                        "/a\\b", "/a#b", "/\"a\"", "/a\nb",
                                        "/a=b", "~/fips", "/\xc3\xa9"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        need(jose_fips_load(paths[i], NULL, 0) == JOSE_FIPS_PATH, "path %zu", i);
    static const jose_fips_setting right = {"a-b", "start"};
    need(jose_fips_load("/absent/fips.so", &right, 1) == JOSE_FIPS_OTHER, "a setting");
}

// The size of a file of /proc is 0, but it has content.
static void check_reading(void)
{
    uint8_t out[16];
    size_t len = sizeof out;
    need(jose_fips_read("/proc/self/maps", out, &len) == JOSE_REJECTED, "a file that grows");
}

void check_edges(void)
{
    check_ec();
    check_rsa();
    check_composite(1);
    check_composite(2);
    check_ed25519();
    check_mixed_order();
    check_files();
    check_fork();
    check_settings();
    check_reading();
    check_generated();
    check_exponents();
}
