// fips.c: every algorithm by a FIPS provider, for the process and for single keys, and that no step
// leaves the provider.
//
//     fips process|keys|measure|late|broken MODULE CONFIGURATION
//     fips stopped[-sign|-verify|-verify-rsa|-tag] MODULE CONFIGURATION

#include "fips.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms.h"

enum { TEXT = 300,
       LARGEST = 4700 };

static unsigned failures;

bool need(bool holds, const char *format, ...)
{
    if (holds) return true;
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    failures++;
    return false;
}

static const uint8_t text[TEXT] = {'t', 'e', 'x', 't'};

// The kinds of keys that are rejected with every FIPS provider.
static bool is_rejected(const key_kind *kind)
{
    return (kind->type == JOSE_KEY_EC && kind->curve == JOSE_SECP256K1) ||
           (kind->type == JOSE_KEY_OKP &&
            (kind->curve == JOSE_X25519 || kind->curve == JOSE_X448));
}

// All kernels are requested. The provider's library must not use them.
static const jose_options all_kernels =
    (jose_options)(JOSE_ACCELERATE_ENCRYPTION | JOSE_ACCELERATE_PRIVATE |
                   JOSE_ACCELERATE_PRIVATE_FLOATING);

// MARK: signatures

static void sign_and_verify(const signature_algorithm *algorithm, jose_key *key, bool checks)
{
    jose_signature *signer = NULL, *verifier = NULL;
    const jose_options options = checks ? JOSE_CHECK_SIGNATURES : all_kernels;
    uint8_t signature[LARGEST];
    if (!need(jose_signature_make(&signer, key, algorithm->family, algorithm->hash, true,
                                  options) == JOSE_OK,
              "%s: signer", algorithm->name) ||
        !need(jose_signature_make(&verifier, key, algorithm->family, algorithm->hash, false, 0) ==
                  JOSE_OK,
              "%s: verifier", algorithm->name))
        goto done;
    const size_t size = jose_signature_bytes(signer);
    for (int i = 0; i < 2; i++) {
        need(jose_signature_sign(signer, signature, size, text, TEXT) == JOSE_OK, "%s: sign",
             algorithm->name);
        need(jose_signature_verify(verifier, text, TEXT, signature, size) == JOSE_OK,
             "%s: verify", algorithm->name);
        need(jose_signature_verify(verifier, text, TEXT - 1, signature, size) == JOSE_REJECTED,
             "%s: another text", algorithm->name);
        signature[size / 2] ^= 1;
        need(jose_signature_verify(verifier, text, TEXT, signature, size) == JOSE_REJECTED,
             "%s: a wrong signature", algorithm->name);
        memset(signature, 0, size);
        need(jose_signature_verify(verifier, text, TEXT, signature, size) == JOSE_REJECTED,
             "%s: zeros", algorithm->name);
    }
done:
    jose_signature_free(signer);
    jose_signature_free(verifier);
}

// MARK: encryption

typedef struct {
    uint8_t key[512], parameters[256], iv[16], text[TEXT + 16], tag[32];
    size_t key_len, parameters_len, iv_len, text_len, tag_len;
} message;

static bool encrypt(const encryption_algorithm *algorithm, const jose_keymgmt *wrapper,
                    message *out)
{
    jose_cek *cek = NULL;
    out->key_len = jose_keymgmt_encrypted_key_bytes(wrapper, algorithm->content);
    out->parameters_len = jose_keymgmt_parameter_bytes(wrapper);
    out->iv_len = jose_content_iv_bytes(algorithm->content);
    out->tag_len = jose_content_tag_bytes(algorithm->content);
    out->text_len = jose_content_ciphertext_bytes(algorithm->content, TEXT);
    const jose_wrapped wrapped = {out->key, out->key_len, out->parameters, out->parameters_len};
    const jose_seal_output sealed = {out->key, out->key_len, out->iv, out->iv_len, out->text,
                                     out->text_len, out->tag, out->tag_len};
    if (out->parameters_len == 0)
        return jose_keymgmt_seal(wrapper, algorithm->content, &sealed, text, 10, text, TEXT) ==
               JOSE_OK;
    const bool done = jose_cek_begin(&cek, wrapper, algorithm->content, &wrapped,
                                     &(jose_recipient){.iterations = 1000}) == JOSE_OK &&
                      jose_cek_finish(cek, &sealed, text, 10, text, TEXT) == JOSE_OK;
    jose_cek_free(cek);
    return done;
}

static jose_status decrypt(const encryption_algorithm *algorithm, const jose_keymgmt *unwrapper,
                           const message *in, size_t *len, uint8_t *plain)
{
    memcpy(plain, in->text, in->text_len);
    const jose_open_input opened = {
        .encrypted_key = in->key,
        .encrypted_key_len = in->key_len,
        .iv = in->iv,
        .iv_len = in->iv_len,
        .ciphertext = plain,
        .ciphertext_len = in->text_len,
        .tag = in->tag,
        .tag_len = in->tag_len,
        .recipient = {.parameters = in->parameters,
                      .parameters_len = in->parameters_len,
                      .iterations = 1000},
    };
    return jose_keymgmt_open(unwrapper, algorithm->content, len, &opened, text, 10);
}

static void encrypt_and_decrypt(const encryption_algorithm *algorithm, jose_key *key)
{
    jose_keymgmt *wrapper = NULL, *unwrapper = NULL;
    message sent, other;
    uint8_t plain[TEXT + 16];
    size_t len = 0;
    if (!need(jose_keymgmt_make(&wrapper, key, &algorithm->rule, true, all_kernels) == JOSE_OK,
              "%s: wrapper", algorithm->name) ||
        !need(jose_keymgmt_make(&unwrapper, key, &algorithm->rule, false, all_kernels) == JOSE_OK,
              "%s: unwrapper", algorithm->name))
        goto done;
    for (int i = 0; i < 2; i++) {
        if (!need(encrypt(algorithm, wrapper, &sent) && encrypt(algorithm, wrapper, &other),
                  "%s: encrypt", algorithm->name))
            goto done;
        need(memcmp(sent.iv, other.iv, sent.iv_len) != 0, "%s: the IV repeats", algorithm->name);
        need(decrypt(algorithm, unwrapper, &sent, &len, plain) == JOSE_OK && len == TEXT &&
                 memcmp(plain, text, TEXT) == 0,
             "%s: decrypt", algorithm->name);
        sent.tag[0] ^= 1;
        need(decrypt(algorithm, unwrapper, &sent, &len, plain) == JOSE_REJECTED,
             "%s: a wrong tag", algorithm->name);
        sent.tag[0] ^= 1;
        if (sent.key_len > 0) {
            sent.key[sent.key_len / 2] ^= 1;
            need(decrypt(algorithm, unwrapper, &sent, &len, plain) == JOSE_REJECTED,
                 "%s: a wrong encrypted key", algorithm->name);
            sent.key[sent.key_len / 2] ^= 1;
        }
        if (sent.parameters_len > 0) {
            sent.parameters[0] ^= 1;
            need(decrypt(algorithm, unwrapper, &sent, &len, plain) == JOSE_REJECTED,
                 "%s: wrong parameters", algorithm->name);
        }
    }
done:
    jose_keymgmt_free(wrapper);
    jose_keymgmt_free(unwrapper);
}

// MARK: everything

static bool uses_pbes2(const encryption_algorithm *algorithm)
{
    return algorithm->rule.family == JOSE_PBES2;
}

// Runs every algorithm with keys that `make` gives. Returns how many.
static unsigned run_all(jose_status (*make)(jose_key **key, const key_kind *kind))
{
    unsigned count = 0;
    jose_key *keys[KEYS] = {0};
    for (int i = 0; i < KEYS; i++) {
        const key_kind *kind = &key_kinds[i];
        const jose_status status = make(&keys[i], kind);
        if (is_rejected(kind))
            need(status != JOSE_OK && keys[i] == NULL, "%s: not approved, made", kind->name);
        else if (kind->type == JOSE_KEY_AKP || kind->type == JOSE_KEY_OKP)
            need(status == JOSE_OK || status == JOSE_UNSUPPORTED, "%s: %d", kind->name, status);
        else
            need(status == JOSE_OK, "%s: %d", kind->name, status);
        if (keys[i] != NULL) need(jose_key_is_fips(keys[i]), "%s: not the provider's", kind->name);
    }
    for (int i = 0; i < SIGNATURES; i++) {
        const signature_algorithm *algorithm = &signature_algorithms[i];
        if (keys[algorithm->key] == NULL) {
            printf("rejected: %s\n", algorithm->name);
            continue;
        }
        sign_and_verify(algorithm, keys[algorithm->key], false);
        sign_and_verify(algorithm, keys[algorithm->key], true);
        count++;
    }
    for (int i = 0; i < ENCRYPTIONS; i++) {
        const encryption_algorithm *algorithm = &encryption_algorithms[i];
        jose_key *key = keys[algorithm->key];
        jose_keymgmt *operation = NULL;
        if (key == NULL) {
            printf("rejected: %s\n", algorithm->name);
        } else if (uses_pbes2(algorithm)) {
            need(jose_keymgmt_make(&operation, key, &algorithm->rule, true, 0) ==
                     JOSE_UNSUPPORTED,
                 "%s: made", algorithm->name);
        } else {
            encrypt_and_decrypt(algorithm, key);
            count++;
        }
    }
    for (int i = 0; i < KEYS; i++) jose_key_release(keys[i]);
    return count;
}

static jose_status generate_by_default(jose_key **key, const key_kind *kind)
{
    jose_key *ours = NULL;
    *key = NULL;
    jose_status status = key_generate(&ours, kind);
    if (status == JOSE_OK) status = jose_key_to_fips(key, ours);
    jose_key_release(ours);
    return status;
}

// An ephemeral key of the default provider is no key of the FIPS library.
static void check_ephemeral(void)
{
    static const jose_keymgmt_rule rule = {JOSE_ECDH_ES, JOSE_SHA256, 0};
    jose_key *ours = NULL, *theirs = NULL;
    jose_keymgmt *wrapper = NULL;
    uint8_t cek[16], parameters[64];
    need(jose_ec_generate(&ours, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_OK &&
             jose_key_to_fips(&theirs, ours) == JOSE_OK &&
             jose_keymgmt_make(&wrapper, theirs, &rule, true, 0) == JOSE_OK,
         "ECDH-ES");
    const jose_wrapped out = {NULL, 0, parameters, jose_keymgmt_parameter_bytes(wrapper)};
    const jose_recipient recipient = {0};
    need(jose_cek_wrap_given(wrapper, JOSE_A128GCM, cek, 16, &out, &recipient, NULL, 0, ours) ==
             JOSE_BAD_KEY,
         "an ephemeral key of another provider");
    need(jose_cek_wrap_given(wrapper, JOSE_A128GCM, cek, 16, &out, &recipient, NULL, 0, theirs) ==
             JOSE_OK,
         "an ephemeral key");
    jose_keymgmt_free(wrapper);
    jose_key_release(theirs);
    jose_key_release(ours);
}

static void check_random(void)
{
    uint8_t one[64] = {0}, other[64] = {0};
    need(jose_random(one, sizeof one) == JOSE_OK && jose_random(other, sizeof other) == JOSE_OK &&
             memcmp(one, other, sizeof one) != 0,
         "random bytes");
}

// FIPS 180-4: the digest of "abc".
static void check_digest(void)
{
    static const uint8_t right[4] = {0xba, 0x78, 0x16, 0xbf};
    uint8_t out[32];
    need(jose_hash_digest(JOSE_SHA256, out, sizeof out, (const uint8_t *)"abc", 3) == JOSE_OK &&
             memcmp(out, right, sizeof right) == 0,
         "digest");
    need(jose_hmac(JOSE_SHA256, out, sizeof out, text, 32, text, TEXT) == JOSE_OK, "HMAC");
}

static void describe(void)
{
    jose_fips_description described;
    if (need(jose_fips_describe(&described), "no description"))
        printf("%s %s (%s), running: %d\n", described.name, described.version, described.build,
               described.is_running);
}

int main(int count, char **arguments)
{
    if (count != 4) return 2;
    setvbuf(stdout, NULL, _IONBF, 0);
    const char *mode = arguments[1], *module = arguments[2], *path = arguments[3];
    unsigned tested = 0;
    watch_begin();
    if (strcmp(mode, "late") == 0) need(jose_start() == JOSE_OK, "start");
    const jose_fips_failure failure = settings_load(module, path);
    if (strcmp(mode, "broken") == 0) {
        need(failure == JOSE_FIPS_NOT_STARTED, "a broken module: %d", failure);
        // It would load a module that the configuration does not name.
        need(watch_loads() == 0, "OSSL_PROVIDER_load was called");
        need(jose_fips_use() == JOSE_FIPS_INTERNAL && !jose_fips_is_used(), "it is used");
        need(settings_load("/absent/fips.so", path) == JOSE_FIPS_NO_MODULE, "no module");
        goto done;
    }
    if (!need(failure == JOSE_FIPS_OK, "not loaded: %d", failure)) return 1;
    describe();
    need(settings_load(module, path) == JOSE_FIPS_OK, "not loaded again");
    need(jose_fips_load(module, NULL, 0) == JOSE_FIPS_OTHER, "loaded with other settings");
    if (strcmp(mode, "late") == 0) {
        need(jose_fips_use() == JOSE_FIPS_LATE && !jose_fips_is_used(), "used too late");
    } else if (strcmp(mode, "process") == 0) {
        need(jose_fips_use() == JOSE_FIPS_OK && jose_fips_is_used(), "not used");
        need(jose_fips_use() == JOSE_FIPS_OK, "not used again");
        tested = run_all(key_generate);
        check_random();
        check_digest();
        check_edges();
        need(watch_escapes() == 0, "%u calls left the provider", watch_escapes());
        need(watch_fetches() > 0, "no fetch was seen");
    } else if (strcmp(mode, "keys") == 0) {
        tested = run_all(generate_by_default);
        check_ephemeral();
        check_digest();
        need(watch_escapes() > 0, "the watch sees nothing");
    } else if (strcmp(mode, "stopped") == 0) {
        need(jose_fips_use() == JOSE_FIPS_OK, "not used");
        check_stopped();
        need(settings_load(module, path) == JOSE_FIPS_NOT_STARTED, "loaded again");
    } else if (strncmp(mode, "stopped-", 8) == 0) {
        need(jose_fips_use() == JOSE_FIPS_OK, "not used");
        check_stopped_within(mode + 8);
    } else if (strcmp(mode, "measure") == 0) {
        need(jose_fips_use() == JOSE_FIPS_OK, "not used");
        const double worst = measure();
        need(worst <= 1.05, "%.3f of the raw calls", worst);
    }
done:
    printf("fips %s: %u algorithms, %u failures\n", mode, tested, failures);
    return failures == 0 ? 0 : 1;
}
