// external.c: messages for external keys, and the external keys' results.

#include "external.h"

#include <openssl/evp.h>
#include <string.h>

#include "cjosekernels.h"
#include "keymgmt/keymgmt.h"
#include "keymgmt/oaep.h"

const uint8_t external_text[EXTERNAL_TEXT] = "what is encrypted", external_aad[7] = "header";

const external_case external_cases[EXTERNAL_CASES] = {
    {"RSA-OAEP", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA1, 0}, JOSE_A128CBC_HS256, 0},
    {"RSA-OAEP-256", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA256, 0}, JOSE_A256GCM, JOSE_PORTABLE},
    {"RSA-OAEP-512", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA512, 0}, JOSE_A256CBC_HS512, 0},
    {"P-256", EC_256, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128GCM, 0},
    {"P-521", EC_521, {JOSE_ECDH_ES, JOSE_SHA256, 32}, JOSE_A256CBC_HS512, 0},
    {"P-384, EVP", EC_384, {JOSE_ECDH_ES, JOSE_SHA256, 16}, JOSE_A128GCM, JOSE_PROVIDER_ONLY},
    {"X25519", X_25519, {JOSE_ECDH_ES, JOSE_SHA256, 16}, JOSE_A128CBC_HS256, 0},
    {"X448", X_448, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A256GCM, 0},
};

// The secret that a key shares with itself; 0 if libcrypto fails.
static size_t shared_with_itself(jose_key *key, uint8_t *out)
{
    EVP_PKEY_CTX *context = jose_key_context(jose_library_get(), key);
    size_t len = EXTERNAL_CAPACITY;
    const bool done = context != NULL && EVP_PKEY_derive_init(context) == 1 &&
                      EVP_PKEY_derive_set_peer(context, EVP_PKEY_CTX_get0_pkey(context)) == 1 &&
                      EVP_PKEY_derive(context, out, &len) == 1;
    EVP_PKEY_CTX_free(context);
    // Clears the stack, so that a search afterwards finds only what others left.
    jose_residue_clear(JOSE_RESIDUE_AGREEMENT);
    return done ? len : 0;
}

bool external_make(external_message *made, const external_case *level, const jose_keymgmt *maker,
                   jose_key *key)
{
    message_parts *m = &made->sealed;
    uint8_t seed[JOSE_MAX_SEED];
    memset(seed, 0x5a, sizeof seed);
    made->cek_len = jose_content_key_bytes(level->content);
    message_measure(m, 0, maker, level->content, EXTERNAL_TEXT);
    const bool is_rsa = level->rule.family == JOSE_RSA_OAEP;
    const jose_wrapped out = message_wrapped(m);
    const jose_recipient recipient = {0};
    if (jose_cek_wrap_given(maker, level->content, made->cek, made->cek_len, &out, &recipient,
                            is_rsa ? seed : NULL, is_rsa ? maker->seed_bytes : 0,
                            is_rsa ? NULL : key) != JOSE_OK ||
        jose_content_encrypt(level->content, m->ciphertext, m->ciphertext_len, m->tag, m->tag_len,
                             made->cek, made->cek_len, m->iv, m->iv_len, external_aad,
                             sizeof external_aad, external_text, EXTERNAL_TEXT) != JOSE_OK)
        return false;
    if (is_rsa) {
        made->secret_len = m->encrypted_key_len;
        jose_oaep_encode(maker->digest, maker->empty_hash, made->secret, made->secret_len,
                         made->cek, made->cek_len, seed);
    } else {
        made->secret_len = shared_with_itself(key, made->secret);
    }
    return made->secret_len > 0;
}

jose_status external_open(const jose_keymgmt *opener, const external_case *level,
                          const external_message *m, jose_external_result_kind kind,
                          const uint8_t *bytes, size_t len, uint8_t text[EXTERNAL_CAPACITY],
                          size_t *text_len)
{
    const jose_open_input in = message_opening(&m->sealed, text, 0);
    const jose_external_result answer = {kind, bytes, len};
    return jose_keymgmt_open_external(opener, level->content, text_len, &in, &answer, external_aad,
                                      sizeof external_aad);
}

jose_status external_public(jose_key **public, const jose_key *key, const external_case *level)
{
    static const jose_rsa_limits limits = {2048, 8192, false};
    size_t a_len = 0, b_len = 0;
    const uint8_t *a = jose_key_public_number(key, 0, &a_len),
                  *b = jose_key_public_number(key, 1, &b_len);
    const jose_curve curve = key_kinds[level->key].curve;
    switch (key_kinds[level->key].type) {
    case JOSE_KEY_RSA: return jose_rsa_public(public, &limits, a, a_len, b, b_len);
    case JOSE_KEY_EC: return jose_ec_public(public, curve, a, a_len, b, b_len);
    default: return jose_okp_public(public, curve, a, a_len);
    }
}
