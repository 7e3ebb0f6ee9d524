// stripped.c: a libcrypto without an algorithm: its entries are unsupported, all others work, by
// every implementation.

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "algorithms.h"
#include "faults.h"
#include "wraps.h"

int __llvm_profile_write_file(void) __attribute__((weak));

// MARK: what is not there

// An algorithm that fetching does not find: by name, or by the NID of a group; and the entries that
// become unsupported, where * matches any ending.
typedef struct {
    const char *call, *name;
    int group;
    const char *entries;
} absent;

#define ECDH_EC "ECDH-ES/P-* ECDH-ES+A128KW/P-* ECDH-ES+A192KW/P-* ECDH-ES+A256KW/P-* "
#define ECDH_X "ECDH-ES/X* ECDH-ES+A128KW/X* ECDH-ES+A192KW/X* ECDH-ES+A256KW/X* "
#define ECDH_ON(curve) \
    "ECDH-ES/" curve " ECDH-ES+A128KW/" curve " ECDH-ES+A192KW/" curve " ECDH-ES+A256KW/" curve " "

static const absent things[] = {
    {"EVP_MD_fetch", "SHA1", 0, "RSA-OAEP"},
    {"EVP_MD_fetch", "SHA2-256", 0,
     "RS256 PS256 ES256 ES256K HS256 RSA-OAEP-256 PBES2-HS256+A128KW A128CBC-HS256 " ECDH_EC
         ECDH_X},
    {"EVP_MD_fetch", "SHA2-384", 0,
     "RS384 PS384 ES384 HS384 RSA-OAEP-384 PBES2-HS384+A192KW A192CBC-HS384"},
    {"EVP_MD_fetch", "SHA2-512", 0,
     "RS512 PS512 ES512 HS512 RSA-OAEP-512 PBES2-HS512+A256KW A256CBC-HS512"},
    {"EVP_CIPHER_fetch", "AES-128-CBC", 0, "A128CBC-HS256"},
    {"EVP_CIPHER_fetch", "AES-192-CBC", 0, "A192CBC-HS384"},
    {"EVP_CIPHER_fetch", "AES-256-CBC", 0, "A256CBC-HS512"},
    {"EVP_CIPHER_fetch", "AES-128-GCM", 0, "A128GCM A128GCMKW"},
    {"EVP_CIPHER_fetch", "AES-192-GCM", 0, "A192GCM A192GCMKW"},
    {"EVP_CIPHER_fetch", "AES-256-GCM", 0, "A256GCM A256GCMKW"},
    {"EVP_CIPHER_fetch", "AES-128-ECB", 0, "A128KW ECDH-ES+A128KW/* PBES2-HS256+A128KW"},
    {"EVP_CIPHER_fetch", "AES-192-ECB", 0, "A192KW ECDH-ES+A192KW/* PBES2-HS384+A192KW"},
    {"EVP_CIPHER_fetch", "AES-256-ECB", 0, "A256KW ECDH-ES+A256KW/* PBES2-HS512+A256KW"},
    {"EVP_MAC_fetch", "HMAC", 0, "HS* PBES2-* A128CBC-HS256 A192CBC-HS384 A256CBC-HS512"},
    {"EVP_KDF_fetch", "PBKDF2", 0, "PBES2-*"},
    {"EVP_KEYMGMT_fetch", "RSA", 0, "RS* PS*"},
    {"EVP_SIGNATURE_fetch", "RSA", 0, "RS256 RS384 RS512 PS*"},
    {"EVP_ASYM_CIPHER_fetch", "RSA", 0, "RSA-OAEP*"},
    {"EVP_KEYMGMT_fetch", "EC", 0, "ES* " ECDH_EC},
    {"EVP_SIGNATURE_fetch", "ECDSA", 0, "ES*"},
    {"EVP_KEYEXCH_fetch", "ECDH", 0, ECDH_EC},
    {"EC_GROUP_new_by_curve_name_ex", NULL, NID_X9_62_prime256v1, "ES256 " ECDH_ON("P-256")},
    {"EC_GROUP_new_by_curve_name_ex", NULL, NID_secp384r1, "ES384 " ECDH_ON("P-384")},
    {"EC_GROUP_new_by_curve_name_ex", NULL, NID_secp521r1, "ES512 " ECDH_ON("P-521")},
    {"EC_GROUP_new_by_curve_name_ex", NULL, NID_secp256k1, "ES256K"},
    {"EVP_KEYMGMT_fetch", "ED25519", 0, "Ed25519"},
    {"EVP_SIGNATURE_fetch", "ED25519", 0, "Ed25519"},
    {"EVP_KEYMGMT_fetch", "ED448", 0, "Ed448"},
    {"EVP_SIGNATURE_fetch", "ED448", 0, "Ed448"},
    {"EVP_KEYMGMT_fetch", "X25519", 0, ECDH_ON("X25519")},
    {"EVP_KEYEXCH_fetch", "X25519", 0, ECDH_ON("X25519")},
    {"EVP_KEYMGMT_fetch", "X448", 0, ECDH_ON("X448")},
    {"EVP_KEYEXCH_fetch", "X448", 0, ECDH_ON("X448")},
    {"EVP_KEYMGMT_fetch", "ML-DSA-44", 0, "ML-DSA-44"},
    {"EVP_SIGNATURE_fetch", "ML-DSA-65", 0, "ML-DSA-65"},
    {"EVP_KEYMGMT_fetch", "ML-DSA-87", 0, "ML-DSA-87"},
    {"zlibVersion", NULL, 0, "DEF"},
};
enum { THINGS = sizeof things / sizeof things[0] };

static bool taken[THINGS];
// So many fetches of the removed algorithm fail, and all later ones succeed; 0: all fail.
static unsigned finds_after;
static unsigned asked;

static bool is_taken(const char *call, const char *name, int group)
{
    for (int i = 0; i < THINGS; i++)
        if (taken[i] && strcmp(call, things[i].call) == 0 &&
            (things[i].name != NULL ? strcmp(name, things[i].name) == 0 : group == things[i].group))
            return finds_after == 0 || ++asked <= finds_after;
    return false;
}

bool faults_call_is_missing(const char *call, const char *second, int third)
{
    if (strcmp(call, "EC_GROUP_new_by_curve_name_ex") == 0) {
        if (!is_taken(call, NULL, third)) return false;
        ERR_raise(ERR_LIB_EC, EC_R_UNKNOWN_GROUP);
        return true;
    }
    const char *last = strrchr(call, '_');
    if (last == NULL || strcmp(last, "_fetch") != 0 || !is_taken(call, second, 0)) return false;
    ERR_raise(ERR_LIB_EVP, ERR_R_UNSUPPORTED);
    return true;
}

WRAPS(const char *, zlibVersion, (void))
{
    return is_taken("zlibVersion", NULL, 0) ? "2.0.0" : __real_zlibVersion();
}

// Whether the entry is in a list of names; the part after a comma is ignored.
static bool is_listed(const char *name, const char *list)
{
    const size_t name_len = strcspn(name, ",");
    while (*list != 0) {
        const size_t len = strcspn(list, " ");
        const bool open = len > 0 && list[len - 1] == '*';
        if (len > 0 && (open ? strncmp(name, list, len - 1) == 0
                             : name_len == len && strncmp(name, list, len) == 0))
            return true;
        list += len + strspn(list + len, " ");
    }
    return false;
}

static bool is_expected_away(const char *name)
{
    for (int i = 0; i < THINGS; i++)
        if (taken[i] && is_listed(name, things[i].entries)) return true;
    return false;
}

// MARK: rows

typedef struct {
    const char *name;
    jose_key_type type;
    jose_curve curve;
    size_t size;  // bits of RSA, bytes of a symmetric key
    int family;
    jose_hash hash;
    size_t wrap;
} entry;

static entry signature_row(int i)
{
    const signature_algorithm *algorithm = &signature_algorithms[i];
    const key_kind *kind = &key_kinds[algorithm->key];
    return (entry){algorithm->name, kind->type, kind->curve, kind->size, (int)algorithm->family,
                   algorithm->hash, 0};
}

#define ON(curve, type, name)                                                    \
    {"ECDH-ES/" name, type, curve, 0, JOSE_ECDH_ES, JOSE_SHA256, 0},             \
        {"ECDH-ES+A128KW/" name, type, curve, 0, JOSE_ECDH_ES, JOSE_SHA256, 16}, \
        {"ECDH-ES+A192KW/" name, type, curve, 0, JOSE_ECDH_ES, JOSE_SHA256, 24}, \
    {                                                                            \
        "ECDH-ES+A256KW/" name, type, curve, 0, JOSE_ECDH_ES, JOSE_SHA256, 32    \
    }

static const entry wraps[] = {
    {"RSA-OAEP", JOSE_KEY_RSA, 0, 2048, JOSE_RSA_OAEP, JOSE_SHA1},
    {"RSA-OAEP-256", JOSE_KEY_RSA, 0, 2048, JOSE_RSA_OAEP, JOSE_SHA256},
    {"RSA-OAEP-384", JOSE_KEY_RSA, 0, 2048, JOSE_RSA_OAEP, JOSE_SHA384},
    {"RSA-OAEP-512", JOSE_KEY_RSA, 0, 2048, JOSE_RSA_OAEP, JOSE_SHA512},
    {"A128KW", JOSE_KEY_OCT, 0, 16, JOSE_AES_KW, JOSE_SHA256, 16},
    {"A192KW", JOSE_KEY_OCT, 0, 24, JOSE_AES_KW, JOSE_SHA256, 24},
    {"A256KW", JOSE_KEY_OCT, 0, 32, JOSE_AES_KW, JOSE_SHA256, 32},
    {"dir", JOSE_KEY_OCT, 0, 0, JOSE_DIRECT, JOSE_SHA256, 0},
    ON(JOSE_P256, JOSE_KEY_EC, "P-256"),
    ON(JOSE_P384, JOSE_KEY_EC, "P-384"),
    ON(JOSE_P521, JOSE_KEY_EC, "P-521"),
    ON(JOSE_X25519, JOSE_KEY_OKP, "X25519"),
    ON(JOSE_X448, JOSE_KEY_OKP, "X448"),
    {"A128GCMKW", JOSE_KEY_OCT, 0, 16, JOSE_AES_GCM_KW, JOSE_SHA256, 16},
    {"A192GCMKW", JOSE_KEY_OCT, 0, 24, JOSE_AES_GCM_KW, JOSE_SHA256, 24},
    {"A256GCMKW", JOSE_KEY_OCT, 0, 32, JOSE_AES_GCM_KW, JOSE_SHA256, 32},
    {"PBES2-HS256+A128KW", JOSE_KEY_OCT, 0, 20, JOSE_PBES2, JOSE_SHA256, 16},
    {"PBES2-HS384+A192KW", JOSE_KEY_OCT, 0, 20, JOSE_PBES2, JOSE_SHA384, 24},
    {"PBES2-HS512+A256KW", JOSE_KEY_OCT, 0, 20, JOSE_PBES2, JOSE_SHA512, 32},
};
enum { WRAPS = sizeof wraps / sizeof wraps[0] };

static const char *const contents[] = {
    [JOSE_A128CBC_HS256] = "A128CBC-HS256",
    [JOSE_A192CBC_HS384] = "A192CBC-HS384",
    [JOSE_A256CBC_HS512] = "A256CBC-HS512",
    [JOSE_A128GCM] = "A128GCM",
    [JOSE_A192GCM] = "A192GCM",
    [JOSE_A256GCM] = "A256GCM",
};
enum { CONTENTS = sizeof contents / sizeof contents[0] };

static const jose_options levels[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
enum { IMPLEMENTATIONS = sizeof levels / sizeof levels[0] };

static const uint8_t message[50] = "what is signed and encrypted";

static jose_status generate(jose_key **key, const entry *entry)
{
    switch (entry->type) {
    case JOSE_KEY_RSA: {
        // Created once: this takes long.
        static jose_key *made;
        jose_status status = JOSE_OK;
        if (made == NULL) status = jose_rsa_generate(&made, JOSE_MODULE_PROCESS, 2048);
        *key = made;
        return status;
    }
    case JOSE_KEY_EC: return jose_ec_generate(key, JOSE_MODULE_PROCESS, entry->curve);
    case JOSE_KEY_OKP: return jose_okp_generate(key, JOSE_MODULE_PROCESS, entry->curve);
    case JOSE_KEY_OCT: return jose_oct_generate(key, JOSE_MODULE_PROCESS, entry->size);
    case JOSE_KEY_AKP: return jose_akp_generate(key, JOSE_MODULE_PROCESS, entry->curve);
    }
    return JOSE_INTERNAL;
}

static void drop(jose_key *key, const entry *entry)
{
    if (entry->type != JOSE_KEY_RSA) jose_key_release(key);
}

// The first status that is not JOSE_OK; a wrong signature must be rejected.
static jose_status try_signature(const entry *entry, jose_options how)
{
    jose_key *key = NULL;
    jose_signature *signer = NULL, *verifier = NULL;
    uint8_t signature[MAX_SIGNATURE];
    jose_status status = generate(&key, entry);
    if (status == JOSE_OK)
        status = jose_signature_make(&signer, key, (jose_signature_family)entry->family,
                                     entry->hash, true, how);
    if (status == JOSE_OK)
        status = jose_signature_make(&verifier, key, (jose_signature_family)entry->family,
                                     entry->hash, false, how);
    if (status == JOSE_OK) {
        const size_t len = jose_signature_bytes(signer);
        status = jose_signature_sign(signer, signature, len, message, sizeof message);
        if (status == JOSE_OK)
            status = jose_signature_verify(verifier, message, sizeof message, signature, len);
        if (status == JOSE_OK) {
            signature[len / 3] ^= 1;
            need(jose_signature_verify(verifier, message, sizeof message, signature, len) ==
                     JOSE_REJECTED,
                 "%s accepts a wrong signature", entry->name);
        }
    }
    jose_signature_free(signer);
    jose_signature_free(verifier);
    drop(key, entry);
    return status;
}

// Content alone, by an unrelated key: rejected if the content encryption is available.
static jose_status try_content(jose_content content)
{
    uint8_t key[64] = {0}, iv[16] = {0}, tag[32] = {0}, text[80] = {0};
    size_t len = 0;
    const jose_status status =
        jose_content_decrypt(content, &len, text, jose_content_ciphertext_bytes(content, 16), key,
                             jose_content_key_bytes(content), iv, jose_content_iv_bytes(content),
                             NULL, 0, tag, jose_content_tag_bytes(content));
    return status == JOSE_REJECTED ? JOSE_OK : status;
}

// A message with this key management and this content encryption, encrypted and decrypted.
static jose_status try_message(const entry *given, jose_content content, jose_options how)
{
    entry entry = *given;
    if (entry.family == JOSE_DIRECT) entry.size = jose_content_key_bytes(content);
    const jose_keymgmt_rule rule = {(jose_keymgmt_family)entry.family, entry.hash, entry.wrap};
    const jose_recipient choice = {.iterations = 2};
    jose_key *key = NULL;
    jose_keymgmt *maker = NULL, *opener = NULL;
    jose_cek *cek = NULL;
    uint8_t encrypted_key[512], parameters[160], iv[16], tag[32], text[80];
    jose_status status = generate(&key, &entry);
    if (status == JOSE_OK) status = jose_keymgmt_make(&maker, key, &rule, true, how);
    if (status == JOSE_OK) status = jose_keymgmt_make(&opener, key, &rule, false, how);
    size_t text_len = 0;
    if (status == JOSE_OK) {
        const size_t key_len = jose_keymgmt_encrypted_key_bytes(maker, content);
        const size_t parameters_len = jose_keymgmt_parameter_bytes(maker);
        const jose_wrapped wrapped = {encrypted_key, key_len, parameters, parameters_len};
        const jose_seal_output sealed = {encrypted_key,
                                         key_len,
                                         iv,
                                         jose_content_iv_bytes(content),
                                         text,
                                         jose_content_ciphertext_bytes(content, sizeof message),
                                         tag,
                                         jose_content_tag_bytes(content)};
        status = jose_cek_begin(&cek, maker, content, &wrapped, &choice);
        if (status == JOSE_OK)
            status = jose_cek_finish(cek, &sealed, message, 3, message, sizeof message);
        jose_open_input in = {encrypted_key, key_len, iv, sealed.iv_len, text,
                              sealed.ciphertext_len};
        in.tag = tag, in.tag_len = sealed.tag_len;
        in.recipient = (jose_recipient){parameters, parameters_len, NULL, 0, NULL, 0, 2};
        jose_status opened = jose_keymgmt_open(opener, content, &text_len, &in, message, 3);
        if (status == JOSE_OK) {
            need(opened != JOSE_OK ||
                     (text_len == sizeof message && memcmp(text, message, text_len) == 0),
                 "text");
            status = opened;
        } else {
            need(opened == status && text_len == 0, "opening and making return %d and %d", opened,
                 status);
        }
    }
    jose_cek_free(cek);
    jose_keymgmt_free(maker);
    jose_keymgmt_free(opener);
    drop(key, &entry);
    return status;
}

// Whether the reported missing algorithm is one that was removed for this entry.
static bool is_named(const char *missing, const char *entry)
{
    for (int i = 0; i < THINGS; i++) {
        const char *thing = things[i].name != NULL ? things[i].name
                            : things[i].group != 0 ? OBJ_nid2sn(things[i].group)
                                                   : "zlib";
        if (taken[i] && is_listed(entry, things[i].entries) && strcmp(missing, thing) == 0)
            return true;
    }
    return false;
}

static void verify(const char *name, const char *missing, jose_status status)
{
    const jose_status right = is_expected_away(name) ? JOSE_UNSUPPORTED : JOSE_OK;
    need(status == right, "%s ends in %d, not in %d", name, status, right);
    need((missing == NULL) == (right == JOSE_OK), "%s lacks %s", name,
         missing == NULL ? "nothing" : missing);
    need(missing == NULL || is_named(missing, name), "%s is reported to lack %s", name, missing);
    need(ERR_peek_error() == 0, "%s leaves an error entry", name);
}

static void try_deflate(void)
{
    uint8_t packed[200], text[sizeof message];
    size_t len = jose_deflate_bound(sizeof message), text_len = sizeof text;
    bool is_longer;
    need(len <= sizeof packed, "room");
    jose_status status = jose_deflate(packed, &len, message, sizeof message);
    if (status == JOSE_OK) {
        status = jose_inflate(text, &text_len, &is_longer, packed, len);
        need(text_len == sizeof message && memcmp(text, message, text_len) == 0, "text");
    } else {
        need(jose_inflate(text, &text_len, &is_longer, message, 5) == status, "inflate");
    }
    verify("DEF", jose_deflate_available() ? NULL : "zlib", status);
}

static void try_password(void)
{
    uint8_t sealed[64], iv[16] = {0}, salt[16] = {1};
    const jose_pbes2 rule = {JOSE_SHA256, 2, 32, salt, sizeof salt, iv};
    size_t len = sizeof sealed;
    const bool lacks = is_expected_away("HS256") || is_expected_away("PBES2-HS256+A128KW") ||
                       is_expected_away("A256CBC-HS512");
    const jose_status status = jose_pbes2_run(&rule, true, sealed, &len, message, 40, message, 8);
    // A digest or cipher may be a part of another: only the certain cases.
    if (!lacks) need(status == JOSE_OK, "a key file: %d", status);
    need(status == JOSE_OK || status == JOSE_UNSUPPORTED, "a key file: %d", status);
}

static void try_all(void)
{
    uint8_t bytes[40];
    need(jose_start() == JOSE_OK && jose_random(bytes, sizeof bytes) == JOSE_OK, "start");
    (void)jose_kernels();
    for (int w = 0; w < IMPLEMENTATIONS; w++) {
        for (int i = 0; i < signatures_here(); i++) {
            const entry entry = signature_row(i);
            verify(entry.name,
                   jose_signature_missing((jose_signature_family)entry.family, entry.hash,
                                          entry.type, entry.curve),
                   try_signature(&entry, levels[w]));
        }
        // With an available content encryption, and each content encryption with an available key
        // management.
        int neighbour = 0;
        while (neighbour < CONTENTS && is_expected_away(contents[neighbour])) neighbour++;
        for (int i = 0; i < WRAPS && neighbour < CONTENTS; i++) {
            const jose_keymgmt_rule rule = {(jose_keymgmt_family)wraps[i].family, wraps[i].hash,
                                            wraps[i].wrap};
            verify(wraps[i].name, jose_keymgmt_missing(&rule, wraps[i].type, wraps[i].curve),
                   try_message(&wraps[i], (jose_content)neighbour, levels[w]));
        }
        for (int i = 0; i < CONTENTS; i++) {
            const char *missing = jose_content_missing((jose_content)i);
            verify(contents[i], missing,
                   try_message(&(entry){"dir", JOSE_KEY_OCT, 0, 0, JOSE_DIRECT, JOSE_SHA256, 0},
                               (jose_content)i, levels[w]));
            verify(contents[i], missing, try_content((jose_content)i));
        }
    }
    static const struct {
        jose_curve curve;
        const char *entries;
    } curves[] = {{JOSE_P256, "ES256"}, {JOSE_SECP256K1, "ES256K"}};
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++)
        if (!is_expected_away(curves[i].entries))
            need(jose_curve_missing(curves[i].curve) == NULL, "curve %zu", i);
    try_deflate();
    try_password();
}

// MARK: processes

static int in_child(void (*run)(void))
{
    fflush(stdout);
    const pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        run();
        fflush(stdout);
        if (__llvm_profile_write_file != NULL) (void)__llvm_profile_write_file();
        _exit(__lsan_do_recoverable_leak_check() != 0);
    }
    int status = 0;
    need(waitpid(child, &status, 0) == child, "wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

static unsigned wrong;

static void run_stripped(const char *what, void (*run)(void))
{
    const int end = in_child(run);
    if (end != 0) wrong++, printf("WRONG  without %s: ends with %d\n", what, end);
}

// A fetch that fails once may be a transient failure of libcrypto: it is repeated.
static void lose(void)
{
    uint8_t bytes[40];
    finds_after = 1;
    const jose_status first = jose_start();
    need(first == JOSE_OK || first == JOSE_INTERNAL, "the start ends in %d", first);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < signatures_here() + WRAPS; i++) {
            const bool signs = i < signatures_here();
            const entry entry = signs ? signature_row(i) : wraps[i - signatures_here()];
            const jose_status status =
                signs ? try_signature(&entry, 0) : try_message(&entry, JOSE_A128GCM, 0);
            need(status == JOSE_OK || (round == 0 && status == JOSE_INTERNAL), "%s ends in %d",
                 entry.name, status);
        }
    need(jose_start() == JOSE_OK && jose_random(bytes, sizeof bytes) == JOSE_OK,
         "the second start");
}

int faults_stripped(void)
{
    (void)signatures_here();  // named once, before the processes
    for (int i = 0; i < THINGS; i++) {
        memset(taken, 0, sizeof taken);
        taken[i] = true;
        char what[100];
        snprintf(what, sizeof what, "%s %s %d", things[i].call,
                 things[i].name == NULL ? "" : things[i].name, things[i].group);
        run_stripped(what, try_all);
        if (strcmp(things[i].call, "zlibVersion") != 0) run_stripped(what, lose);
    }
    // A distribution that removes curves, and one that removes all.
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < THINGS; i++)
        taken[i] = things[i].group == NID_secp256k1 ||
                   (things[i].name != NULL &&
                    (strcmp(things[i].name, "ED448") == 0 || strcmp(things[i].name, "X448") == 0));
    run_stripped("secp256k1, Ed448, X448", try_all);
    memset(taken, 1, sizeof taken);
    run_stripped("anything", try_all);
    memset(taken, 0, sizeof taken);
    run_stripped("nothing", try_all);
    printf("stripped     %d algorithms in turn, and several: %u wrong\n", THINGS, wrong);
    return wrong > 0;
}
