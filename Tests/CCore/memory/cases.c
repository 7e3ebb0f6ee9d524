// cases.c: the operations, each in a process of its own that wipes what it made itself and asks for a search.

#define _GNU_SOURCE
#include "cores.h"

#include <openssl/crypto.h>
#include <string.h>
#include <sys/random.h>

#include "cjosecrypto.h"
#include "cases.h"

void cases_name(const char *what, const char *row, jose_options options)
{
    char title[CORES_NAME];
    snprintf(title, sizeof title, "%s %s (options %u)", what, row, options);
    cores_look(title);
}

void cases_draw(uint8_t *bytes, size_t len)
{
    need(getrandom(bytes, len, 0) == (ssize_t)len);
}

// MARK: keys

const key_row cases_keys[KEYS] = {
    {"RSA", JOSE_KEY_RSA, JOSE_P256, 2048},     {"P-256", JOSE_KEY_EC, JOSE_P256, 0},
    {"P-384", JOSE_KEY_EC, JOSE_P384, 0},       {"P-521", JOSE_KEY_EC, JOSE_P521, 0},
    {"secp256k1", JOSE_KEY_EC, JOSE_SECP256K1, 0}, {"Ed25519", JOSE_KEY_OKP, JOSE_ED25519, 0},
    {"Ed448", JOSE_KEY_OKP, JOSE_ED448, 0},     {"X25519", JOSE_KEY_OKP, JOSE_X25519, 0},
    {"X448", JOSE_KEY_OKP, JOSE_X448, 0},       {"oct", JOSE_KEY_OCT, JOSE_P256, 16},
    {"oct", JOSE_KEY_OCT, JOSE_P256, 24},       {"oct", JOSE_KEY_OCT, JOSE_P256, 32},
    {"oct", JOSE_KEY_OCT, JOSE_P256, 48},       {"oct", JOSE_KEY_OCT, JOSE_P256, 64},
    {"oct", JOSE_KEY_OCT, JOSE_P256, 200},
};

// Tells all private members; they are living, or not.
void cases_tell_members(const jose_key *key, cores_kind kind)
{
    uint8_t bytes[ROOM];
    for (unsigned place = 0; place < 2; place++) {
        size_t len = 0;
        const uint8_t *number = jose_key_public_number(key, place, &len);
        if (len > 0) cores_tell(CORES_PUBLIC, "a public number", number, len);
    }
    const size_t size = jose_key_secret_bytes(key);
    if (size > 0) {
        need(jose_key_secret_write(key, bytes, size) == JOSE_OK);
        cores_tell(kind, jose_key_type_of(key) == JOSE_KEY_OCT ? "k" : "d", bytes, size);
    }
    static const char *const names[] = {"d", "p", "q", "dp", "dq", "qi"};
    for (int part = 0; part < JOSE_RSA_PARTS; part++) {
        const size_t len = jose_rsa_part_bytes(key, (jose_rsa_part)part);
        if (len == 0) continue;
        need(jose_rsa_part_write(key, (jose_rsa_part)part, bytes, len) == JOSE_OK);
        cores_tell(kind, names[part], bytes, len);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
}

jose_key *cases_make(const key_row *row)
{
    jose_key *key = NULL;
    switch (row->type) {
    case JOSE_KEY_RSA: need(jose_rsa_generate(&key, (uint32_t)row->size) == JOSE_OK); break;
    case JOSE_KEY_EC: need(jose_ec_generate(&key, row->curve) == JOSE_OK); break;
    case JOSE_KEY_OKP: need(jose_okp_generate(&key, row->curve) == JOSE_OK); break;
    case JOSE_KEY_OCT: need(jose_oct_generate(&key, row->size) == JOSE_OK); break;
    }
    return key;
}

static void run_make(const key_row *row)
{
    cases_name("make", row->name, 0);
    jose_key *key = cases_make(row);
    cases_tell_members(key, CORES_LIVING);
    jose_key_release(key);
    cores_tell(CORES_RELEASED, "", NULL, 0);
    cores_look("making");
}

// From its members, as a JWK has them; without_rest: of RSA only d, of the others only d and no point.
static void run_import(const key_row *row, bool without_rest)
{
    cases_name(without_rest ? "recover" : "import", row->name, 0);
    static const jose_rsa_limits limits = {2048, 8192, false};
    uint8_t bytes[JOSE_RSA_PARTS][512];
    jose_number parts[JOSE_RSA_PARTS] = {0};
    jose_key *key = cases_make(row), *again = NULL;
    size_t a_len = 0, b_len = 0;
    uint8_t a[512], b[512];
    const uint8_t *number = jose_key_public_number(key, 0, &a_len);
    if (a_len > 0) memcpy(a, number, a_len);
    number = jose_key_public_number(key, 1, &b_len);
    if (b_len > 0) memcpy(b, number, b_len);
    cases_tell_members(key, CORES_LIVING);
    const size_t size = jose_key_secret_bytes(key);
    if (size > 0) need(jose_key_secret_write(key, bytes[0], size) == JOSE_OK);
    for (int part = 0; part < JOSE_RSA_PARTS && row->type == JOSE_KEY_RSA; part++) {
        const size_t len = jose_rsa_part_bytes(key, (jose_rsa_part)part);
        need(jose_rsa_part_write(key, (jose_rsa_part)part, bytes[part], len) == JOSE_OK);
        if (part == 0 || !without_rest) parts[part] = (jose_number){bytes[part], len};
    }
    jose_key_release(key);
    switch (row->type) {
    case JOSE_KEY_RSA:
        need(jose_rsa_private(&again, &limits, a, a_len, b, b_len, parts) == JOSE_OK);
        break;
    case JOSE_KEY_EC:
        need(jose_ec_private(&again, row->curve, a, without_rest ? 0 : a_len, b, without_rest ? 0 : b_len, bytes[0],
                             size) == JOSE_OK);
        break;
    case JOSE_KEY_OKP:
        need(jose_okp_private(&again, row->curve, a, without_rest ? 0 : a_len, bytes[0], size) == JOSE_OK);
        break;
    case JOSE_KEY_OCT: need(jose_oct(&again, bytes[0], size) == JOSE_OK); break;
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    jose_key_release(again);
    cores_tell(CORES_RELEASED, "", NULL, 0);
    cores_look("import");
}

// MARK: signatures

typedef struct {
    const char *name;
    int key;
    jose_signature_family family;
    jose_hash hash;
} signature_row;

static const signature_row signatures[] = {
    {"RS256", RSA_KEY, JOSE_RSA_PKCS1, JOSE_SHA256}, {"PS256", RSA_KEY, JOSE_RSA_PSS, JOSE_SHA256},
    {"ES256", P256, JOSE_ECDSA, JOSE_SHA256},    {"ES384", P384, JOSE_ECDSA, JOSE_SHA384},
    {"ES512", P521, JOSE_ECDSA, JOSE_SHA512},    {"ES256K", K1, JOSE_ECDSA, JOSE_SHA256},
    {"Ed25519", ED25519, JOSE_EDDSA, JOSE_SHA256}, {"Ed448", ED448, JOSE_EDDSA, JOSE_SHA256},
    {"HS256", OCT32, JOSE_HMAC, JOSE_SHA256},    {"HS384", OCT48, JOSE_HMAC, JOSE_SHA384},
    {"HS512", OCT64, JOSE_HMAC, JOSE_SHA512},    {"HS256, long key", OCT200, JOSE_HMAC, JOSE_SHA256},
};
enum { SIGNATURES = sizeof signatures / sizeof signatures[0] };

// The right code of a message that is refused: who reads it has forged.
static void refuse_by_code(const jose_signature *signer, const jose_signature *verifier, size_t len)
{
    static const uint8_t message[TEXT] = "another message";
    uint8_t code[64];
    need(jose_signature_sign(signer, code, len, message, sizeof message) == JOSE_OK);
    cores_tell(CORES_SECRET, "right code", code, len);
    OPENSSL_cleanse(code, sizeof code);
    need(jose_signature_verify(verifier, message, sizeof message, code, len) == JOSE_REJECTED);
    cores_look("a refusal");
}

static void run_signature(const signature_row *row, jose_options options)
{
    cases_name("sign", row->name, options);
    static const uint8_t message[TEXT] = "a message";
    uint8_t signature[512];
    jose_key *key = cases_make(&cases_keys[row->key]);
    jose_signature *signer = NULL, *verifier = NULL;
    cases_tell_members(key, CORES_LIVING);
    need(jose_signature_make(&signer, key, row->family, row->hash, true, options) == JOSE_OK);
    const size_t len = jose_signature_bytes(signer);
    for (int i = 0; i < 2; i++)
        need(jose_signature_sign(signer, signature, len, message, sizeof message) == JOSE_OK);
    need(jose_signature_make(&verifier, key, row->family, row->hash, false, options) == JOSE_OK);
    need(jose_signature_verify(verifier, message, sizeof message, signature, len) == JOSE_OK);
    signature[3] ^= 1;
    need(jose_signature_verify(verifier, message, sizeof message, signature, len) == JOSE_REJECTED);
    if (row->family == JOSE_HMAC) {
        refuse_by_code(signer, verifier, len);
        uint8_t bytes[LONGEST_OCT];
        const size_t size = jose_key_secret_bytes(key);
        need(jose_key_secret_write(key, bytes, size) == JOSE_OK);
        jose_signature_free(signer), jose_signature_free(verifier), jose_key_release(key);
        cores_tell(CORES_MAC_KEY, "k", bytes, size);
        OPENSSL_cleanse(bytes, sizeof bytes);
    } else {
        jose_signature_free(signer), jose_signature_free(verifier), jose_key_release(key);
    }
    cores_tell(CORES_RELEASED, "", NULL, 0);
    cores_look("release");
}

// MARK: the list

// Keeps a secret on the stack, on the heap and in the program's data: the search must find all three.
static void run_leak(void)
{
    static uint8_t data[32];
    // volatile: what nobody reads would not be written.
    volatile uint8_t stack[32], *heap = malloc(sizeof data);
    need(heap != NULL);
    cases_name("a secret", "kept on purpose", 0);
    cases_draw(data, sizeof data);
    for (size_t i = 0; i < sizeof data; i++) {
        stack[i] = data[i];
        heap[sizeof data - 1 - i] = data[i];
    }
    cores_tell(CORES_SECRET, "a secret", data, sizeof data);
    cores_look("keeping it");
    free((void *)heap);
}

static const jose_options signing[] = {0, JOSE_CHECK_SIGNATURES, JOSE_PROVIDER_ONLY, JOSE_PORTABLE};
static const jose_options sealing[] = {0, JOSE_PROVIDER_ONLY, JOSE_PORTABLE, JOSE_ACCELERATE_ENCRYPTION};

bool cores_run(unsigned number, const char *folder)
{
    need(jose_start() == JOSE_OK);
    if (number == 0) return run_leak(), true;
    number--;
    if (number < KEYS * 3) {
        const key_row *row = &cases_keys[number / 3];
        number % 3 == 0 ? run_make(row) : run_import(row, number % 3 == 2);
        return true;
    }
    number -= KEYS * 3;
    if (number < SIGNATURES * 4) return run_signature(&signatures[number / 4], signing[number % 4]), true;
    number -= SIGNATURES * 4;
    if (number < cases_messages() * 4) return cases_message(number / 4, sealing[number % 4]), true;
    number -= cases_messages() * 4;
    return cases_file(number, folder);
}
