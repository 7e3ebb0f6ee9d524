// cases.c: the operations, each in a process of its own that wipes its own copies and requests a
// search.

#define _GNU_SOURCE
#include "cores.h"

#include <openssl/crypto.h>
#include <string.h>
#include <sys/random.h>

#include "cjosecrypto.h"
#include "external.h"
#include "cases.h"
#include "keys/key.h"

void cases_name(const char *what, const char *entry, jose_options options)
{
    char title[CORES_NAME];
    snprintf(title, sizeof title, "%s %s (options %u)", what, entry, options);
    cores_look(title);
}

void cases_draw(uint8_t *bytes, size_t len)
{
    need(getrandom(bytes, len, 0) == (ssize_t)len);
}

// MARK: keys

// Reports all private members, living or not.
void cases_tell_members(const jose_key *key, cores_kind kind)
{
    uint8_t bytes[ROOM];
    for (unsigned index = 0; index < 2; index++) {
        size_t len = 0;
        const uint8_t *number = jose_key_public_number(key, index, &len);
        if (len > 0) cores_tell(CORES_PUBLIC, "a public number", number, len);
    }
    const size_t size = jose_key_secret_bytes(key);
    if (size > 0) {
        need(jose_key_secret_write(key, bytes, size) == JOSE_OK);
        cores_tell(kind, key->type == JOSE_KEY_OCT ? "k" : "d", bytes, size);
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

jose_key *cases_make(const key_kind *kind)
{
    jose_key *key = NULL;
    need(key_generate(&key, kind) == JOSE_OK);
    return key;
}

static void run_make(const key_kind *entry)
{
    cases_name("make", entry->name, 0);
    jose_key *key = cases_make(entry);
    cases_tell_members(key, CORES_LIVING);
    jose_key_release(key);
    cores_tell(CORES_RELEASED, "", NULL, 0);
    cores_look("making");
}

// Imports from the members of a JWK. without_rest: only d for RSA, only d and no point for the
// others.
static void run_import(const key_kind *entry, bool without_rest)
{
    cases_name(without_rest ? "recover" : "import", entry->name, 0);
    static const jose_rsa_limits limits = {2048, 8192, false};
    uint8_t bytes[JOSE_RSA_PARTS][512];
    jose_number parts[JOSE_RSA_PARTS] = {0};
    jose_key *key = cases_make(entry), *again = NULL;
    size_t a_len = 0, b_len = 0;
    uint8_t a[MAX_SIGNATURE], b[512];
    const uint8_t *number = jose_key_public_number(key, 0, &a_len);
    if (a_len > 0) memcpy(a, number, a_len);
    number = jose_key_public_number(key, 1, &b_len);
    if (b_len > 0) memcpy(b, number, b_len);
    cases_tell_members(key, CORES_LIVING);
    const size_t size = jose_key_secret_bytes(key);
    if (size > 0) need(jose_key_secret_write(key, bytes[0], size) == JOSE_OK);
    for (int part = 0; part < JOSE_RSA_PARTS && entry->type == JOSE_KEY_RSA; part++) {
        const size_t len = jose_rsa_part_bytes(key, (jose_rsa_part)part);
        need(jose_rsa_part_write(key, (jose_rsa_part)part, bytes[part], len) == JOSE_OK);
        if (part == 0 || !without_rest) parts[part] = (jose_number){bytes[part], len};
    }
    jose_key_release(key);
    switch (entry->type) {
    case JOSE_KEY_RSA:
        need(jose_rsa_private(&again, &limits, a, a_len, b, b_len, parts) == JOSE_OK);
        break;
    case JOSE_KEY_EC:
        need(jose_ec_private(&again, entry->curve, a, without_rest ? 0 : a_len, b,
                             without_rest ? 0 : b_len, bytes[0], size) == JOSE_OK);
        break;
    case JOSE_KEY_OKP:
        need(jose_okp_private(&again, entry->curve, a, without_rest ? 0 : a_len, bytes[0], size) ==
             JOSE_OK);
        break;
    case JOSE_KEY_OCT: need(jose_oct(&again, bytes[0], size) == JOSE_OK); break;
    case JOSE_KEY_AKP:
        need(jose_akp_private(&again, entry->curve, a, without_rest ? 0 : a_len, bytes[0], size,
                              NULL, 0) == JOSE_OK);
        break;
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    jose_key_release(again);
    cores_tell(CORES_RELEASED, "", NULL, 0);
    cores_look("import");
}

// MARK: signatures

// The right MAC of a rejected message: it would allow a forgery.
static void reject_by_code(const jose_signature *signer, const jose_signature *verifier, size_t len)
{
    static const uint8_t message[TEXT] = "another message";
    uint8_t code[64];
    need(jose_signature_sign(signer, code, len, message, sizeof message) == JOSE_OK);
    cores_tell(CORES_SECRET, "right code", code, len);
    OPENSSL_cleanse(code, sizeof code);
    need(jose_signature_verify(verifier, message, sizeof message, code, len) == JOSE_REJECTED);
    cores_look("a rejection");
}

static void run_signature(const signature_algorithm *entry, jose_options options)
{
    cases_name("sign", entry->name, options);
    static const uint8_t message[TEXT] = "a message";
    uint8_t signature[MAX_SIGNATURE];
    jose_key *key = cases_make(&key_kinds[entry->key]);
    jose_signature *signer = NULL, *verifier = NULL;
    cases_tell_members(key, CORES_LIVING);
    need(jose_signature_make(&signer, key, entry->family, entry->hash, true, options) == JOSE_OK);
    const size_t len = jose_signature_bytes(signer);
    // Private keys use a kernel only after the early uses.
    for (int i = 0; i < (options & JOSE_ACCELERATE_PRIVATE ? 20 : 2); i++)
        need(jose_signature_sign(signer, signature, len, message, sizeof message) == JOSE_OK);
    need(jose_signature_make(&verifier, key, entry->family, entry->hash, false, options) ==
         JOSE_OK);
    need(jose_signature_verify(verifier, message, sizeof message, signature, len) == JOSE_OK);
    signature[3] ^= 1;
    need(jose_signature_verify(verifier, message, sizeof message, signature, len) == JOSE_REJECTED);
    if (entry->family == JOSE_HMAC) {
        reject_by_code(signer, verifier, len);
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

// Keeps a secret on the stack, on the heap and in the program's data: the search must find all
// three.
static void run_leak(void)
{
    static uint8_t data[32];
    // volatile, since unused writes would be removed.
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

enum { OPTIONS = 5,
       PRIVATE = JOSE_ACCELERATE_PRIVATE | JOSE_ACCELERATE_PRIVATE_FLOATING };
static const jose_options signing[OPTIONS] = {0, JOSE_CHECK_SIGNATURES, JOSE_PROVIDER_ONLY,
                                              JOSE_PORTABLE, PRIVATE};
static const jose_options sealing[OPTIONS] = {0, JOSE_PROVIDER_ONLY, JOSE_PORTABLE,
                                              JOSE_ACCELERATE_ENCRYPTION, PRIVATE};

enum { MAKING = 1,
       SIGNING = MAKING + KEYS * 3,
       SEALING = SIGNING + SIGNATURES * OPTIONS,
       ANSWERS = SEALING + ENCRYPTIONS * OPTIONS,
       FILES = ANSWERS + EXTERNAL_CASES };

unsigned cores_number(const char *name)
{
    for (unsigned i = 0; i < SIGNATURES; i++)
        if (strcmp(signature_algorithms[i].name, name) == 0) return SIGNING + i * OPTIONS;
    return SEALING + (unsigned)(encryption_named(name) - encryption_algorithms) * OPTIONS;
}

bool cores_is_here(unsigned number)
{
    if (number >= SEALING || number < MAKING) return true;
    return number >= SIGNING ? (int)(number - SIGNING) / OPTIONS < signatures_here()
                             : (int)(number - MAKING) / 3 < keys_here();
}

bool cores_run(unsigned number, const char *folder)
{
    need(jose_start() == JOSE_OK &&
         jose_kernels_off() == 0);  // the kernels are searched from the first use on
    if (number >= FILES) return cases_file(number - FILES, folder);
    if (number >= ANSWERS) {
        cases_answer(number - ANSWERS);
    } else if (number >= SEALING) {
        number -= SEALING;
        cases_message(&encryption_algorithms[number / OPTIONS], sealing[number % OPTIONS]);
    } else if (number >= SIGNING) {
        number -= SIGNING;
        run_signature(&signature_algorithms[number / OPTIONS], signing[number % OPTIONS]);
    } else if (number >= MAKING) {
        number -= MAKING;
        const key_kind *entry = &key_kinds[number / 3];
        number % 3 == 0 ? run_make(entry) : run_import(entry, number % 3 == 2);
    } else {
        run_leak();
    }
    return true;
}
