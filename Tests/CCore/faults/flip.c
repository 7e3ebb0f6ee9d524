// flip.c: flips each bit of a private key in memory; no wrong signature may be returned (Boneh,
// DeMillo and Lipton, 1997). Keys are searched in all memory that libcrypto and the library
// allocated.

#include "faults.h"

#include <openssl/core_names.h>

#include "signatures/signature.h"

enum { MOST_PLACES = 64,
       LONGEST = 8192 };

// What verifies the signatures of an RSA key: the fastest implementation of its options, the next
// one if the vector kernels are switched off, or the last one if this key may use no faster one.
typedef enum { FASTEST,
               SWITCHED_OFF,
               NO_WAY,
               LOOKS } look;

static const uint8_t message[] = "the message that a faulty key signs";

// What is corrupted, and how the key signs.
typedef struct {
    const char *name;
    key_name key;
    jose_signature_family family;
    jose_options options;
    jose_number number;
    look look;
    unsigned low_bits;  // of each four bytes only so many flip; 0: all
} target;

// A key that has signed once, so that libcrypto has everything in memory.
typedef struct {
    jose_key *key;
    jose_signature *signer;
    uint8_t *places[MOST_PLACES];
    size_t count;
} victim;

static victim current;

static void note(uint8_t *location)
{
    need(current.count < MOST_PLACES, "more locations than expected");
    current.places[current.count++] = location;
}

static bool sign(uint8_t *signature)
{
    return jose_signature_sign(current.signer, signature, jose_signature_bytes(current.signer),
                               message, sizeof message) == JOSE_OK;
}

// Leaves only this check to a signer that has used a better one.
static void lose_ways(look look)
{
    if (look == SWITCHED_OFF) jose_kernels_switch_off(FAULTS_EVERY_KERNEL);
    jose_rsa_fast *fast = current.signer->fast;
    for (int i = 0;
         i < JOSE_RSA_IMPL_EVP * JOSE_RSA_MAX_DIFFERENCES && look == NO_WAY && fast != NULL; i++)
        jose_rsa_fast_report_mismatch(fast, jose_rsa_fast_precomp(fast));
}

static void begin(const target *t)
{
    uint8_t signature[LONGEST], turned[LONGEST];
    current = (victim){0};
    atomic_store(&jose_kernels_disabled, 0);
    faults_arm(FAULTS_MEMORY, 0);
    need(faults_import(&current.key, t->key, true) == JOSE_OK, "import");
    need(jose_signature_make(&current.signer, current.key, t->family, JOSE_SHA256, true,
                             t->options) == JOSE_OK &&
             sign(signature),
         "sign");
    lose_ways(t->look);
    need(sign(signature), "signing with what is left");
    const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(current.signer->fast);
    need(t->look != SWITCHED_OFF || precomp == NULL || precomp->kernel == NULL,
         "%s: a kernel that is switched off", t->name);
    need(t->look != NO_WAY || precomp == NULL || precomp->impl == JOSE_RSA_IMPL_EVP,
         "%s: implementation %d is left", t->name, precomp->impl);
    // libcrypto stores numbers in reverse byte order.
    for (size_t i = 0; i < t->number.len; i++) turned[i] = t->number.bytes[t->number.len - 1 - i];
    faults_each_location(t->number.bytes, t->number.len, note);
    faults_each_location(turned, t->number.len, note);
    need(current.count > 0, "%s: the number is nowhere", t->name);
}

static void end(void)
{
    jose_signature_free(current.signer);
    jose_key_release(current.key);
    atomic_store(&jose_kernels_disabled, 0);
}

static bool is_right(jose_signature *verifier, const uint8_t *signature)
{
    return jose_signature_verify(verifier, message, sizeof message, signature,
                                 jose_signature_bytes(verifier)) == JOSE_OK;
}

static void flip_all(const target *t, unsigned stride)
{
    jose_key *public_key = NULL;
    jose_signature *verifier = NULL;
    unsigned flips = 0, rejected = 0;
    need(faults_import(&public_key, t->key, false) == JOSE_OK &&
             jose_signature_make(&verifier, public_key, t->family, JOSE_SHA256, false,
                                 JOSE_PROVIDER_ONLY) == JOSE_OK,
         "verifier");
    begin(t);
    const size_t places = current.count;
    for (size_t i = 0; i < places; i++)
        for (size_t bit = i % stride; bit < 8 * t->number.len; bit += stride) {
            if (t->low_bits != 0 && bit % 32 >= t->low_bits) continue;
            flips++;
            uint8_t *byte = current.places[i] + bit / 8, mask = (uint8_t)(1 << bit % 8);
            uint8_t signature[LONGEST];
            *byte ^= mask;
            // Twice: the first signature may corrupt the second.
            bool done = sign(signature);
            need(!done || is_right(verifier, signature),
                 "%s (options %u, check %d): a wrong signature, bit %zu", t->name, t->options,
                 t->look, bit);
            if (done) {
                done = sign(signature);
                need(!done || is_right(verifier, signature), "%s: a wrong second signature",
                     t->name);
            }
            if (done) {
                *byte ^= mask;
                continue;
            }
            // The corrupted memory may be freed already, so it is not restored.
            rejected++;
            end();
            begin(t);
            need(current.count == places, "%s: other locations", t->name);
        }
    end();
    jose_signature_free(verifier);
    jose_key_release(public_key);
    printf("%-14s options %-2u check %d %zu locations: %u flips, %u rejected, no wrong signature\n",
           t->name, t->options, t->look, places, flips, rejected);
}

// Corrupts a modulus, which libcrypto accepts, and fails memory or a call while the signature is
// verified. A signature that could not be verified must not be returned either.
static void flip_and_fail(const target *t, faults_kind kind)
{
    jose_key *public_key = NULL;
    jose_signature *verifier = NULL;
    need(faults_import(&public_key, t->key, false) == JOSE_OK &&
             jose_signature_make(&verifier, public_key, t->family, JOSE_SHA256, false,
                                 JOSE_PROVIDER_ONLY) == JOSE_OK,
         "verifier");
    bool failed = true;
    unsigned failures = 0;
    for (unsigned n = 1; failed; n++) {
        begin(t);
        for (size_t i = 0; i < current.count; i++) current.places[i][t->number.len / 2] ^= 1;
        uint8_t signature[LONGEST];
        faults_arm(kind, n);
        bool done = sign(signature);
        failed = faults_disarm();
        failures += failed;
        need(!done || is_right(verifier, signature),
             "%s (options %u, check %d): a wrong signature, failure %u, %s", t->name, t->options,
             t->look, n, faults_failed());
        end();
    }
    jose_signature_free(verifier);
    jose_key_release(public_key);
    printf("%-12s options %-2u check %d %u additional failures, no wrong signature\n", t->name,
           t->options, t->look, failures);
}

// libcrypto accepts a corrupted modulus: the check that detects it is ours, with every
// implementation.
void faults_flip_modulus(unsigned stride)
{
    const jose_number n = faults_entries[RSA_2048].numbers[0];
    flip_all(&(target){"n", RSA_2048, JOSE_RSA_PKCS1, 0, n}, stride);
    flip_all(&(target){"n", RSA_2048, JOSE_RSA_PSS, 0, n}, 16 * stride);
}

static void flip_modulus_by_each_look(unsigned stride)
{
    static const jose_options all[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
    const jose_number n = faults_entries[RSA_2048].numbers[0];
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (look look = FASTEST; look < LOOKS; look++) {
            flip_all(&(target){"n", RSA_2048, JOSE_RSA_PKCS1, all[i], n, look}, stride);
            flip_all(&(target){"n", RSA_2048, JOSE_RSA_PSS, all[i], n, look}, 16 * stride);
            for (faults_kind kind = FAULTS_MEMORY; kind < FAULTS_KINDS; kind++) {
                flip_and_fail(&(target){"n", RSA_2048, JOSE_RSA_PKCS1, all[i], n, look}, kind);
                flip_and_fail(&(target){"n", RSA_2048, JOSE_RSA_PSS, all[i], n, look}, kind);
            }
        }
}

// Others are verified if requested.
static void flip_curves(unsigned stride)
{
    static const jose_options all[] = {JOSE_CHECK_SIGNATURES, JOSE_CHECK_SIGNATURES | JOSE_PORTABLE,
                                       JOSE_CHECK_SIGNATURES | JOSE_PROVIDER_ONLY};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        flip_all(&(target){"P-256 d", EC_256, JOSE_ECDSA, all[i], faults_entries[EC_256].secret},
                 stride);
        flip_all(
            &(target){"Ed25519 d", ED_25519, JOSE_EDDSA, all[i], faults_entries[ED_25519].secret},
            stride);
        flip_all(&(target){"Ed25519 x", ED_25519, JOSE_EDDSA, all[i],
                           faults_entries[ED_25519].numbers[0]},
                 stride);
        flip_all(&(target){"Ed448 d", ED_448, JOSE_EDDSA, all[i], faults_entries[ED_448].secret},
                 stride);
    }
}

// MARK: ML-DSA

// The parameter sets (FIPS 204, table 1).
typedef struct {
    key_name key;
    size_t k, l;
    unsigned eta, eta_bits;
} parameter_set;

static const parameter_set parameter_sets[] = {
    {ML_DSA_44, 4, 4, 2, 3}, {ML_DSA_65, 6, 5, 4, 4}, {ML_DSA_87, 8, 7, 2, 3}};

// Polynomials as libcrypto stores them: four bytes for each coefficient, below the prime. In an
// encoding a coefficient has `bits` bits and stores top minus its value, or its value if top is 0
// (FIPS 204, 7.1).
static jose_number unpack(const uint8_t *from, size_t polynomials, unsigned width, uint32_t top)
{
    enum { PRIME = 8380417 };
    const size_t count = 256 * polynomials;
    uint32_t *out = calloc(count, sizeof *out);
    need(out != NULL, "memory");
    for (size_t i = 0; i < count; i++) {
        uint32_t value = 0;
        for (size_t bit = 0; bit < width; bit++) {
            const size_t at = i * width + bit;
            value |= (uint32_t)(from[at / 8] >> at % 8 & 1) << bit;
        }
        out[i] = top == 0 ? value : (top + PRIME - value) % PRIME;
    }
    return (jose_number){(uint8_t *)out, count * sizeof *out};
}

// The parts of a key (FIPS 204, 7.2), from both encodings. With a high bit of s1 or t0 every
// signature is too long: libcrypto then retries forever and returns none.
static void flip_parameter_set(const parameter_set *set, unsigned stride)
{
    enum { ENOUGH = 14,
           UNPACKED = 5,  // the first of the parts that are made here
           PARTS = 9 };
    const key_entry *entry = &faults_entries[set->key];
    const uint8_t *pub = entry->numbers[0].bytes;
    uint8_t own[4896];
    size_t size = 0;
    jose_key *key = NULL;
    need(faults_import(&key, set->key, true) == JOSE_OK, "import");
    need(EVP_PKEY_get_octet_string_param(key->pkey, OSSL_PKEY_PARAM_PRIV_KEY, own, sizeof own,
                                         &size) == 1,
         "the expanded key");
    jose_key_release(key);
    const size_t s = 32 * set->eta_bits;  // bytes of a polynomial of s1 or s2
    const uint8_t *s1 = own + 128, *s2 = s1 + set->l * s, *t0 = s2 + set->k * s;
    need(t0 + set->k * 416 == own + size, "%s: another encoding", entry->name);
    const struct {
        const char *name;
        jose_number number;
        unsigned low_bits;
    } parts[PARTS] = {
        {"seed", entry->secret, 0},
        {"rho", {own, 32}, 0},
        {"K", {own + 32, 32}, 0},
        {"tr", {own + 64, 64}, 0},
        {"pub", entry->numbers[0], 0},
        {"s1", unpack(s1, set->l, set->eta_bits, set->eta), ENOUGH},
        {"s2", unpack(s2, set->k, set->eta_bits, set->eta), 0},
        {"t0", unpack(t0, set->k, 13, 1 << 12), ENOUGH},
        {"t1", unpack(pub + 32, set->k, 10, 0), 0},
    };
    for (size_t i = 0; i < PARTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s %s", entry->name, parts[i].name);
        flip_all(&(target){name, set->key, JOSE_ML_DSA, JOSE_CHECK_SIGNATURES, parts[i].number,
                           .low_bits = parts[i].low_bits},
                 stride);
    }
    for (size_t i = UNPACKED; i < PARTS; i++) free((void *)parts[i].number.bytes);
}

// Those that this libcrypto has; missing ones are named. The larger ones use the same code.
static void flip_parameter_sets(unsigned stride)
{
    if (keys_here() < KEYS) return;
    for (size_t i = 0; i < sizeof parameter_sets / sizeof parameter_sets[0]; i++)
        flip_parameter_set(&parameter_sets[i], i == 0 ? stride : 16 * stride);
}

int faults_flip(unsigned stride)
{
    static const char *const names[] = {"d", "p", "q", "dp", "dq", "qi"};
    static const jose_options all[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY, JOSE_CHECK_SIGNATURES};
    faults_make_keys();
    const key_entry *rsa = &faults_entries[RSA_2048];
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int part = 0; part < JOSE_RSA_PARTS; part++) {
            flip_all(&(target){names[part], RSA_2048, JOSE_RSA_PKCS1, all[i], rsa->parts[part]},
                     stride);
            flip_all(&(target){names[part], RSA_2048, JOSE_RSA_PSS, all[i], rsa->parts[part]},
                     16 * stride);
        }
    flip_curves(stride);
    flip_parameter_sets(stride);
    flip_modulus_by_each_look(stride);
    return 0;
}
