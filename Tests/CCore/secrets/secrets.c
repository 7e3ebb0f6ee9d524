// secrets.c: no branch and no index of our code depends on a secret while keys are unwrapped,
// derived and used. Runs under valgrind's memcheck: secrets are marked as undefined, and it reports
// each branch and address that depends on them. The code marks what is public by jose_declassify
// and jose_declassify_size.

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "algorithms.h"
#include "external.h"
#include "cjosecrypto.h"
#include "encoded.h"
#include "keys/key.h"
#include "runtime/password.h"
#include "wraps.h"

#define need(condition)                                                      \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("FAILED  secrets: %s (line %d)\n", #condition, __LINE__); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

enum { TEXT = 800,  // several pieces
       ROOM = 1024 };

static const uint8_t aad[] = "header";
static bool marking, decodes_by_provider;
static unsigned marks, cases;

static void hide(void *bytes, size_t len)
{
    if (!marking) return;
    marks++;
    VALGRIND_MAKE_MEM_UNDEFINED(bytes, len);
}

static void show(void *bytes, size_t len)
{
    VALGRIND_MAKE_MEM_DEFINED(bytes, len);
}

// Outputs of libraries are secret from here on; their own code is trusted.

WRAPS(int, EVP_PKEY_decrypt,
      (EVP_PKEY_CTX * context, unsigned char *out, size_t *len, const unsigned char *in,
       size_t in_len))
{
    const size_t room = *len;
    const int done = __real_EVP_PKEY_decrypt(context, out, len, in, in_len);
    if (!decodes_by_provider) {
        if (done == 1) hide(out, *len);
        return done;
    }
    // Whether the block decoded, and to what length, is as secret as its content.
    int secret = done;
    hide(out, room);
    hide(len, sizeof *len);
    hide(&secret, sizeof secret);
    return secret;
}

WRAPS(int, EVP_PKEY_derive, (EVP_PKEY_CTX * context, unsigned char *out, size_t *len))
{
    const int done = __real_EVP_PKEY_derive(context, out, len);
    if (done == 1) hide(out, *len);
    return done;
}

WRAPS(int, ECDH_compute_key, (void *out, size_t len, const void *point, const void *key, void *kdf))
{
    const int size = __real_ECDH_compute_key(out, len, point, key, kdf);
    if (size > 0) hide(out, (size_t)size);
    return size;
}

WRAPS(int, crypto_scalarmult_curve25519,
      (unsigned char *out, const unsigned char *scalar, const unsigned char *point))
{
    int done = __real_crypto_scalarmult_curve25519(out, scalar, point);
    const int secret = done;
    show(&done, sizeof done);
    if (done == 0) hide(out, 32);
    return secret;
}

WRAPS(int, EVP_KDF_derive, (void *context, unsigned char *key, size_t len, const void *params))
{
    const int done = __real_EVP_KDF_derive(context, key, len, params);
    if (done == 1) hide(key, len);
    return done;
}

WRAPS(int, EVP_RAND_generate,
      (void *context, unsigned char *out, size_t len, unsigned strength, int resistance,
       const unsigned char *more, size_t more_len))
{
    const int done =
        __real_EVP_RAND_generate(context, out, len, strength, resistance, more, more_len);
    if (done == 1) hide(out, len);
    return done;
}

// MARK: rows

static jose_key *symmetric(size_t len)
{
    uint8_t bytes[64];
    jose_key *key = NULL;
    need(len <= sizeof bytes);
    for (size_t i = 0; i < len; i++) bytes[i] = (uint8_t)(37 * i + 11);
    hide(bytes, len);
    need(jose_oct(&key, bytes, len) == JOSE_OK);
    return key;
}

static void encryption(jose_key *key, jose_keymgmt_rule rule, jose_content content,
                       jose_options options)
{
    jose_keymgmt *maker = NULL, *opener = NULL;
    need(jose_keymgmt_make(&maker, key, &rule, true, options) == JOSE_OK);
    need(jose_keymgmt_make(&opener, key, &rule, false, options) == JOSE_OK);
    uint8_t encrypted[ROOM], parameters[ROOM], iv[16], tag[32], sealed[ROOM],
        text[TEXT] = "the plaintext";
    const size_t encrypted_len = jose_keymgmt_encrypted_key_bytes(maker, content);
    const size_t parameters_len = jose_keymgmt_parameter_bytes(maker);
    const size_t sealed_len = jose_content_ciphertext_bytes(content, TEXT);
    const jose_recipient recipient = {.iterations = 2};
    const jose_wrapped wrapped = {encrypted, encrypted_len, parameters, parameters_len};
    const jose_seal_output out = {NULL, 0, iv, jose_content_iv_bytes(content), sealed, sealed_len,
                                  tag, jose_content_tag_bytes(content)};
    jose_cek *cek = NULL;
    hide(text, sizeof text);
    need(jose_cek_begin(&cek, maker, content, &wrapped, &recipient) == JOSE_OK);
    need(jose_cek_finish(cek, &out, aad, sizeof aad, text, sizeof text) == JOSE_OK);
    jose_cek_free(cek);
    // What is sent is public.
    show(encrypted, encrypted_len);
    show(parameters, parameters_len);
    show(iv, sizeof iv);
    show(sealed, sealed_len);
    show(tag, sizeof tag);
    // Right; a wrong tag; a wrong encrypted key; wrong parameters. All run the same path of our
    // code.
    for (int corruption = 0; corruption < 4; corruption++) {
        uint8_t key_copy[ROOM], opened[ROOM], tag_copy[32], parameter_copy[ROOM];
        memcpy(key_copy, encrypted, encrypted_len);
        memcpy(opened, sealed, sealed_len);
        memcpy(tag_copy, tag, sizeof tag);
        memcpy(parameter_copy, parameters, parameters_len);
        if (corruption == 1) tag_copy[1] ^= 1;
        if (corruption == 2 && encrypted_len > 0) key_copy[encrypted_len / 2] ^= 1;
        if (corruption == 3 && parameters_len > 0) parameter_copy[parameters_len - 1] ^= 1;
        const jose_open_input in = {
            key_copy,
            encrypted_len,
            iv,
            out.iv_len,
            opened,
            sealed_len,
            tag_copy,
            out.tag_len,
            {.parameters = parameter_copy, .parameters_len = parameters_len, .iterations = 2}};
        size_t len = 0;
        const jose_status status = jose_keymgmt_open(opener, content, &len, &in, aad, sizeof aad);
        const bool is_damaged = corruption == 1 || (corruption == 2 && encrypted_len > 0) ||
                                (corruption == 3 && parameters_len > 0);
        need(is_damaged ? status == JOSE_REJECTED : status == JOSE_OK && len == TEXT);
        // From base64url, which is public too.
        uint8_t encoded[2 * ROOM];
        jose_open_input from = in;
        encoded_make(encoded, sealed, sealed_len);
        from.encoded = (jose_encoded){encoded, {encoded_read, JOSE_CHUNK}};
        need(jose_keymgmt_open(opener, content, &len, &from, aad, sizeof aad) == status &&
             len == (is_damaged ? 0 : TEXT));
        cases++;
    }
    jose_keymgmt_free(maker);
    jose_keymgmt_free(opener);
    jose_key_release(key);
}

// One of each kind: generating them is libcrypto's code, and takes most of the time under valgrind.
static jose_key *pair(int kind)
{
    static jose_key *made[KEYS];
    const bool was = marking;
    marking = false;
    if (made[kind] == NULL) need(key_generate(&made[kind], &key_kinds[kind]) == JOSE_OK);
    marking = was;
    return jose_key_retain(made[kind]);
}

static jose_key *key_for(const encryption_algorithm *entry, jose_content content)
{
    const key_kind *kind = &key_kinds[entry->key];
    if (kind->type == JOSE_KEY_OCT)
        return symmetric(entry->rule.family == JOSE_DIRECT ? jose_content_key_bytes(content)
                                                           : kind->size);
    return pair(entry->key);
}

// Each algorithm, and each with every content encryption, except RSA, which ends where a content
// encryption begins.
static void encryptions(jose_options options)
{
    decodes_by_provider = (options & JOSE_PROVIDER_ONLY) != 0;
    for (int i = 0; i < ENCRYPTIONS; i++) {
        const encryption_algorithm *entry = &encryption_algorithms[i];
        for (int content = JOSE_A128CBC_HS256; content <= JOSE_A256GCM; content++) {
            if (entry->rule.family == JOSE_RSA_OAEP && (jose_content)content != entry->content)
                continue;
            encryption(key_for(entry, (jose_content)content), entry->rule, (jose_content)content,
                       options);
        }
    }
}

// Results of an external key, right and wrong in each byte: all run the same path too.
static void answers(void)
{
    for (int i = 0; i < EXTERNAL_CASES; i++) {
        const external_case *level = &external_cases[i];
        static external_message m;
        jose_key *const key = pair(level->key), *public = NULL;
        jose_keymgmt *maker = NULL, *opener = NULL;
        const bool was = marking, is_rsa = level->rule.family == JOSE_RSA_OAEP;
        marking = false;
        memset(m.cek, 0x31, sizeof m.cek);
        for (unsigned index = 0; index < 2; index++) {
            size_t len = 0;
            const uint8_t *number = jose_key_public_number(key, index, &len);
            show((void *)number, len);
        }
        need(external_public(&public, key, level) == JOSE_OK &&
             jose_keymgmt_make(&maker, public, &level->rule, true, level->options) == JOSE_OK &&
             jose_keymgmt_make_external(&opener, public, &level->rule, level->options) == JOSE_OK &&
             external_make(&m, level, maker, key));
        marking = was;
        const jose_external_result_kind kinds[] = {
            is_rsa ? JOSE_EXTERNAL_BLOCK : JOSE_EXTERNAL_SHARED, JOSE_EXTERNAL_KEY};
        for (int kind = 0; kind < (is_rsa ? 2 : 1); kind++) {
            const uint8_t *right = kind == 0 ? m.secret : m.cek;
            const size_t len = kind == 0 ? m.secret_len : m.cek_len;
            // Right, then with a bit flipped in each byte; zeros at last.
            for (size_t index = 0; index < len + 2; index++) {
                uint8_t answer[EXTERNAL_CAPACITY], text[EXTERNAL_CAPACITY];
                size_t text_len = 0;
                memcpy(answer, right, len);
                if (index > 0 && index <= len) answer[index - 1] ^= 1;
                if (index > len) memset(answer, 0, len);
                hide(answer, len);
                const jose_status status =
                    external_open(opener, level, &m, kinds[kind], answer, len, text, &text_len);
                need(status == (index == 0 ? JOSE_OK : JOSE_REJECTED));
                cases++;
            }
        }
        jose_keymgmt_free(maker), jose_keymgmt_free(opener);
        jose_key_release(public), jose_key_release(key);
    }
}

// Every padding, right and wrong, under a right tag.
static void padding(void)
{
    for (int size = 0; size <= 48; size++) {
        uint8_t key[32] = "key", iv[16] = "iv", tag[16], sealed[64], text[48] = {0};
        hide(key, sizeof key);
        hide(text, sizeof text);
        const size_t len = jose_content_ciphertext_bytes(JOSE_A128CBC_HS256, (size_t)size);
        need(jose_content_encrypt(JOSE_A128CBC_HS256, sealed, len, tag, 16, key, 32, iv, 16, aad, 3,
                                  text, (size_t)size) == JOSE_OK);
        show(sealed, sizeof sealed);
        show(tag, sizeof tag);
        size_t opened = 0;
        need(jose_content_decrypt(JOSE_A128CBC_HS256, &opened, sealed, len, key, 32, iv, 16, aad, 3,
                                  tag, 16) == JOSE_OK &&
             opened == (size_t)size);
        cases++;
    }
}

static void hmac(jose_options options)
{
    static const uint8_t message[] = "message";
    for (int hash = JOSE_SHA256; hash <= JOSE_SHA512; hash++) {
        jose_key *key = symmetric(64);
        jose_signature *signer = NULL, *verifier = NULL;
        uint8_t code[64];
        need(jose_signature_make(&signer, key, JOSE_HMAC, (jose_hash)hash, true, options) ==
                 JOSE_OK &&
             jose_signature_make(&verifier, key, JOSE_HMAC, (jose_hash)hash, false, options) ==
                 JOSE_OK);
        const size_t len = jose_signature_bytes(signer);
        need(jose_signature_sign(signer, code, len, message, sizeof message) == JOSE_OK);
        show(code, sizeof code);
        need(jose_signature_verify(verifier, message, sizeof message, code, len) == JOSE_OK);
        code[len - 1] ^= 1;
        need(jose_signature_verify(verifier, message, sizeof message, code, len) == JOSE_REJECTED);
        jose_signature_free(signer);
        jose_signature_free(verifier);
        jose_key_release(key);
        cases++;
    }
}

int main(int count, char **arguments)
{
    need(jose_start() == JOSE_OK);
    // Valgrind rounds every fused product to nearest, so that kernel counts as absent, not as
    // wrong.
    need(jose_kernels_off() == 0);
    need((jose_kernels() & (JOSE_USES_RSA_FMA | JOSE_USES_RSA_FMA_X4)) == 0);
    marking = true;
    if (count > 1 && strcmp(arguments[1], "leak") == 0) {
        // Tests the check itself: this must be reported.
        uint8_t secret = (uint8_t)count;
        hide(&secret, 1);
        static volatile uint8_t table[256];
        table[secret] = 1;
        return 0;
    }
    encryptions(0);
    encryptions(JOSE_PROVIDER_ONLY);
    answers();
    padding();
    hmac(0);
    hmac(JOSE_PROVIDER_ONLY);
    printf(
        "secrets  no branch and no index of our code depends on a secret (%u cases, %u secrets)\n",
        cases, marks);
    return 0;
}
