// edges_rejections.c: a rejection writes no output, whatever the output was before; signatures and
// private members of a wrong size; and integers of ECDSA of every length, which are never failures.

#include "faults.h"

#include <openssl/err.h>

enum { ROOM = 600 };

static const uint8_t message[] = "what is signed";

// MARK: outputs

static uint8_t junk;

// `call` with the name `out` for the address of a pointer that another call set.
#define gives_nothing(type, status, call)                      \
    do {                                                       \
        type *made = (void *)&junk, **out = &made;             \
        need((call) == (status) && made == NULL, "%s", #call); \
    } while (0)

static void outputs(void)
{
    static const jose_rsa_limits limits = {2048, 8192, false};
    static const uint8_t bytes[66] = {1}, even[256] = {0x80}, exponent[] = {1, 0, 1};
    static const jose_number none[JOSE_RSA_PARTS];
    static const jose_keymgmt_rule rule = {JOSE_AES_KW, JOSE_SHA256, 16};
    const jose_pkcs12_contents contents = {bytes, sizeof bytes, NULL, NULL, 0, NULL, 0};
    uint64_t work = 1;
    jose_key *curve = NULL;
    need(faults_import(&curve, EC_256, true) == JOSE_OK, "key");
    gives_nothing(jose_key, JOSE_BAD_KEY,
                  jose_rsa_public(out, &limits, even, sizeof even, exponent, 3));
    gives_nothing(jose_key, JOSE_BAD_KEY,
                  jose_rsa_private(out, &limits, even, sizeof even, exponent, 3, none));
    for (uint32_t by = 1; by < 8; by++)
        gives_nothing(jose_key, JOSE_BAD_KEY,
                      jose_rsa_generate(out, JOSE_MODULE_PROCESS, 2048 + by));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_rsa_generate(out, JOSE_MODULE_PROCESS, 0));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_rsa_generate(out, JOSE_MODULE_PROCESS, 2040));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_rsa_generate(out, JOSE_MODULE_PROCESS, 2047));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_rsa_generate(out, JOSE_MODULE_PROCESS, 8193));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_rsa_generate(out, JOSE_MODULE_PROCESS, 8200));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_ec_public(out, JOSE_X25519, bytes, 32, bytes, 32));
    gives_nothing(jose_key, JOSE_BAD_KEY,
                  jose_ec_private(out, JOSE_X25519, bytes, 32, bytes, 32, bytes, 32));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_ec_generate(out, JOSE_MODULE_PROCESS, JOSE_ED25519));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_okp_public(out, JOSE_P256, bytes, 32));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_okp_private(out, JOSE_P256, bytes, 32, bytes, 32));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_okp_generate(out, JOSE_MODULE_PROCESS, JOSE_P384));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_oct(out, bytes, 0));
    gives_nothing(jose_key, JOSE_BAD_KEY, jose_oct_generate(out, JOSE_MODULE_PROCESS, 0));
    gives_nothing(jose_keymgmt, JOSE_BAD_KEY, jose_keymgmt_make(out, curve, &rule, true, 0));
    gives_nothing(jose_signature, JOSE_BAD_KEY,
                  jose_signature_make(out, curve, JOSE_HMAC, JOSE_SHA256, true, 0));
    gives_nothing(jose_pkcs12, JOSE_PKCS12_MALFORMED,
                  jose_pkcs12_read(out, &work, 1, bytes, 0, message, 1));
    gives_nothing(jose_pkcs12, JOSE_PKCS12_LONG_PASSWORD,
                  jose_pkcs12_read(out, &work, 1, bytes, 66, message, 1025));
    gives_nothing(jose_pkcs12, JOSE_PKCS12_LONG_PASSWORD,
                  jose_pkcs12_read(out, &work, 1, bytes, 0, message, 1025));
    gives_nothing(jose_pkcs12, JOSE_PKCS12_MALFORMED,
                  jose_pkcs12_read(out, &work, 1, bytes, 66, message, 1));
    gives_nothing(jose_pkcs12, JOSE_REJECTED, jose_pkcs12_write(out, &contents, message, 1));
    jose_key_release(curve);
}

// MARK: signatures

static bool is_all(const uint8_t *bytes, size_t len, uint8_t value)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != value) return false;
    return true;
}

static void signatures(key_name name, key_name other, jose_signature_family family, jose_hash hash)
{
    jose_key *key = NULL, *half = NULL, *unrelated = NULL;
    jose_signature *signer = NULL, *verifier = NULL;
    uint8_t made[ROOM];
    const bool is_secret = faults_entries[name].type == JOSE_KEY_OCT;
    need(faults_import(&key, name, true) == JOSE_OK &&
             faults_import(&half, name, is_secret) == JOSE_OK &&
             faults_import(&unrelated, other, true) == JOSE_OK,
         "keys");
    for (int signing = 0; signing < 2; signing++)
        gives_nothing(jose_signature, JOSE_BAD_KEY,
                      jose_signature_make(out, unrelated, family, hash, signing, 0));
    if (!is_secret)
        gives_nothing(jose_signature, JOSE_BAD_KEY,
                      jose_signature_make(out, half, family, hash, true, 0));
    need(jose_signature_make(&signer, key, family, hash, true, 0) == JOSE_OK &&
             jose_signature_make(&verifier, half, family, hash, false, 0) == JOSE_OK,
         "operations");
    const size_t len = jose_signature_bytes(signer);
    need(len > 2 && 2 * len < ROOM && jose_signature_bytes(verifier) == len, "size");
    memset(made, FAULTS_BLANK, sizeof made);
    const size_t sizes[] = {0, 1, len / 2, len - 1, len + 1, 2 * len};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        need(jose_signature_sign(signer, made, sizes[i], message, sizeof message) == JOSE_INTERNAL,
             "a signature of %zu bytes", sizes[i]);
    need(jose_signature_sign(verifier, made, len, message, sizeof message) == JOSE_INTERNAL,
         "a verifier signs");
    need(is_all(made, sizeof made, FAULTS_BLANK), "nothing is written");
    need(jose_signature_sign(signer, made, len, message, sizeof message) == JOSE_OK, "sign");
    need(is_all(made + len, sizeof made - len, FAULTS_BLANK), "after the signature");
    need(jose_signature_verify(signer, message, sizeof message, made, len) == JOSE_INTERNAL,
         "a signer verifies");
    need(jose_signature_verify(verifier, message, sizeof message, made, len) == JOSE_OK, "verify");
    for (int by = -1; by <= 1; by += 2)
        need(jose_signature_verify(verifier, message, sizeof message, made, len + (size_t)by) ==
                 JOSE_REJECTED,
             "a signature of another size");
    need(jose_signature_verify(verifier, message, sizeof message - 1, made, len) == JOSE_REJECTED,
         "another text");
    jose_signature_free(signer);
    jose_signature_free(verifier);
    jose_key_release(key);
    jose_key_release(half);
    jose_key_release(unrelated);
}

// A number with so many leading zeros, or none.
static void number(uint8_t *out, size_t size, size_t zeros, uint8_t first)
{
    memset(out, 0, size);
    if (zeros == size) return;
    memset(out + zeros, 0x5a, size - zeros);
    out[zeros] = first;
}

// libcrypto accepts one DER encoding of each number, and reports any other as an error rather than
// a rejection.
static void numbers(key_name name, jose_hash hash)
{
    static const uint8_t firsts[] = {0x01, 0x80};
    jose_key *key = NULL;
    jose_signature *verifier = NULL;
    uint8_t signature[2 * 66];
    need(faults_import(&key, name, false) == JOSE_OK &&
             jose_signature_make(&verifier, key, JOSE_ECDSA, hash, false, 0) == JOSE_OK,
         "verifier");
    const size_t half = jose_signature_bytes(verifier) / 2, few[] = {0, 1, half - 1, half};
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++)
        for (size_t zeros = 0; zeros <= half; zeros++)
            for (size_t f = 0; f < sizeof firsts; f++) {
                number(signature, half, few[i], firsts[f]);
                number(signature + half, half, zeros, firsts[1 - f]);
                need(jose_signature_verify(verifier, message, sizeof message, signature,
                                           2 * half) == JOSE_REJECTED,
                     "%s: %zu and %zu zeros, %zu", faults_entries[name].name, few[i], zeros, f);
            }
    jose_signature_free(verifier);
    jose_key_release(key);
}

// MARK: private members

static void members(void)
{
    jose_key *key = NULL, *half = NULL, *curve = NULL;
    uint8_t out[ROOM];
    need(faults_import(&key, RSA_2048, true) == JOSE_OK &&
             faults_import(&half, RSA_2048, false) == JOSE_OK &&
             faults_import(&curve, EC_256, true) == JOSE_OK,
         "keys");
    for (int part = 0; part < JOSE_RSA_PARTS; part++) {
        const jose_rsa_part which = (jose_rsa_part)part;
        const jose_number want = faults_entries[RSA_2048].parts[part];
        need(jose_rsa_part_bytes(key, which) == want.len && jose_rsa_part_bytes(half, which) == 0 &&
                 jose_rsa_part_bytes(curve, which) == 0,
             "part %d", part);
        for (int by = -1; by <= 1; by++) {
            const size_t len = want.len + (size_t)by;
            memset(out, FAULTS_BLANK, sizeof out);
            need(jose_rsa_part_write(key, which, out, len) == (by == 0 ? JOSE_OK : JOSE_INTERNAL),
                 "part %d", part);
            need(by == 0 ? memcmp(out, want.bytes, len) == 0 : is_all(out, len, 0),
                 "part %d, by %d", part, by);
            need(is_all(out + len, sizeof out - len, FAULTS_BLANK), "after part %d", part);
        }
        need(jose_rsa_part_write(key, which, out, 0) == JOSE_INTERNAL &&
                 jose_rsa_part_write(key, which, NULL, want.len) == JOSE_INTERNAL &&
                 jose_rsa_part_write(half, which, out, want.len) == JOSE_INTERNAL &&
                 jose_rsa_part_write(curve, which, out, want.len) == JOSE_INTERNAL,
             "part %d of another key", part);
    }
    jose_key_release(key);
    jose_key_release(half);
    jose_key_release(curve);
}

// RFC 7518 section 6.3.2: d alone, or d with all of the others; every other choice is rejected.
static void choices(void)
{
    static const jose_rsa_limits limits = {2048, 8192, false};
    const key_entry *entry = &faults_entries[RSA_2048];
    enum { ALL = (1 << JOSE_RSA_PARTS) - 1 };
    for (int chosen = 0; chosen <= ALL; chosen++) {
        jose_number parts[JOSE_RSA_PARTS] = {0};
        for (int part = 0; part < JOSE_RSA_PARTS; part++)
            if (chosen >> part & 1) parts[part] = entry->parts[part];
        const bool is_one = chosen == 1 << JOSE_RSA_D || chosen == ALL;
        jose_key *key = (void *)&junk;
        need(jose_rsa_private(&key, &limits, entry->numbers[0].bytes, entry->numbers[0].len,
                              entry->numbers[1].bytes, entry->numbers[1].len,
                              parts) == (is_one ? JOSE_OK : JOSE_BAD_KEY) &&
                 (key != NULL) == is_one,
             "members %#x", (unsigned)chosen);
        for (int part = 0; part < JOSE_RSA_PARTS && is_one; part++)
            need(jose_rsa_part_bytes(key, (jose_rsa_part)part) > 0, "part %d of members %#x", part,
                 (unsigned)chosen);
        jose_key_release(key);
    }
}

void faults_edges_rejections(void)
{
    outputs();
    signatures(RSA_2048, EC_256, JOSE_RSA_PKCS1, JOSE_SHA512);
    signatures(RSA_2048, OCT_64, JOSE_RSA_PSS, JOSE_SHA384);
    signatures(EC_256, EC_384, JOSE_ECDSA, JOSE_SHA256);
    signatures(EC_384, EC_521, JOSE_ECDSA, JOSE_SHA384);
    signatures(EC_521, EC_256, JOSE_ECDSA, JOSE_SHA512);
    signatures(EC_K1, ED_25519, JOSE_ECDSA, JOSE_SHA256);
    signatures(ED_25519, X_25519, JOSE_EDDSA, JOSE_SHA256);
    signatures(ED_448, X_448, JOSE_EDDSA, JOSE_SHA256);
    signatures(OCT_32, OCT_24, JOSE_HMAC, JOSE_SHA256);
    signatures(OCT_64, OCT_48, JOSE_HMAC, JOSE_SHA512);
    numbers(EC_256, JOSE_SHA256);
    numbers(EC_384, JOSE_SHA384);
    numbers(EC_521, JOSE_SHA512);
    numbers(EC_K1, JOSE_SHA256);
    members();
    choices();
    ERR_clear_error();
}
