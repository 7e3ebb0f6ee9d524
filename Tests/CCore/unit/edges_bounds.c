// edges_bounds.c: the bounds of salts of PBES2, of party information of the Concat KDF, of
// encrypted keys next to the modulus, and the lengths that a message can have.

#include "edges_keys.h"
#include "faults.h"
#include "message.h"

#include <openssl/evp.h>

#include "keymgmt/concat.h"

enum { TEXT = 21 };

static const uint8_t text[TEXT] = "what is encrypted", aad[] = "header";

static jose_status opens(const jose_keymgmt *opener, jose_content content, const message_parts *m,
                         uint32_t iterations)
{
    uint8_t in_place[MESSAGE_PART];
    size_t len = 0;
    const jose_open_input in = message_opening(m, in_place, iterations);
    const jose_status status = jose_keymgmt_open(opener, content, &len, &in, aad, sizeof aad);
    if (status == JOSE_OK) need(len == TEXT && memcmp(in_place, text, TEXT) == 0, "the text");
    return status;
}

// RFC 7518 section 4.8.1.1: a salt of any length up to 128 bytes is accepted, compared with the
// definition of the key.
static void salts(void)
{
    static const size_t sizes[] = {8, 15, 16, 17, 64, 127, 128, 129, 160};
    static const char name[] = "PBES2-HS512+A256KW";  // with a zero byte after it
    static const jose_keymgmt_rule rule = {JOSE_PBES2, JOSE_SHA512, 32},
                                   plain = {JOSE_AES_KW, JOSE_SHA256, 32};
    const jose_number password = faults_entries[OCT_48].secret;
    const jose_recipient recipient = {0};
    jose_key *key = NULL;
    jose_keymgmt *opener = NULL;
    need(faults_import(&key, OCT_48, true) == JOSE_OK, "key");
    need(jose_keymgmt_make(&opener, key, &rule, false, 0) == JOSE_OK, "opener");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        message_parts m = {.iv = "a new one", .encrypted_key_len = 24};
        m.parameters_len = sizes[i], m.iv_len = 12, m.ciphertext_len = TEXT, m.tag_len = 16;
        uint8_t salt[sizeof name + 160], kek[32], cek[16];
        memset(cek, 0x5c, sizeof cek);
        memcpy(salt, name, sizeof name);
        for (size_t k = 0; k < sizes[i]; k++)
            salt[sizeof name + k] = m.parameters[k] = (uint8_t)(k * 3 + i);
        need(PKCS5_PBKDF2_HMAC((const char *)password.bytes, (int)password.len, salt,
                               (int)(sizeof name + sizes[i]), 5, EVP_sha512(), 32, kek) == 1,
             "reference");
        jose_key *wrapping = NULL;
        jose_keymgmt *maker = NULL;
        const jose_wrapped out = {m.encrypted_key, 24, NULL, 0};
        need(jose_oct(&wrapping, kek, 32) == JOSE_OK &&
                 jose_keymgmt_make(&maker, wrapping, &plain, true, 0) == JOSE_OK &&
                 jose_cek_wrap_given(maker, JOSE_A128GCM, cek, 16, &out, &recipient, NULL, 0,
                                     NULL) == JOSE_OK,
             "wraps");
        need(jose_content_encrypt(JOSE_A128GCM, m.ciphertext, TEXT, m.tag, 16, cek, 16, m.iv, 12,
                                  aad, sizeof aad, text, TEXT) == JOSE_OK,
             "encrypts");
        need(opens(opener, JOSE_A128GCM, &m, 5) == (sizes[i] <= 128 ? JOSE_OK : JOSE_INTERNAL),
             "a salt of %zu", sizes[i]);
        if (sizes[i] <= 128)
            need(opens(opener, JOSE_A128GCM, &m, 6) == JOSE_REJECTED, "other iterations");
        jose_keymgmt_free(maker);
        jose_key_release(wrapping);
    }
    jose_keymgmt_free(opener);
    jose_key_release(key);
}

// RFC 7518 section 4.6.2 counts in 32 bits: longer values are rejected without being read.
static void parties(void)
{
    const jose_library *library = jose_library_get();
    const size_t longer = (size_t)UINT32_MAX + 1;
    const uint8_t secret[32] = {1}, party[1] = {2};
    uint8_t out[80];
    const struct {
        size_t out_len;
        jose_recipient recipient;
        bool right;
    } entries[] = {
        {64, {.party_u = party, .party_u_len = 1, .party_v = party, .party_v_len = 1}, true},
        {16, {0}, true},
        {65, {0}, false},
        {80, {.party_u = party, .party_u_len = 1}, false},
        {32, {.party_u = party, .party_u_len = longer}, false},
        {32, {.party_v = party, .party_v_len = longer}, false},
        {32, {.party_u = party, .party_u_len = SIZE_MAX}, false},
        {32, {.party_v = party, .party_v_len = SIZE_MAX}, false},
    };
    for (int provider = 0; provider < 2; provider++)
        for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
            memset(out, FAULTS_BLANK, sizeof out);
            need(jose_concat_derive(library, provider ? JOSE_PROVIDER_ONLY : 0, out,
                                    entries[i].out_len, secret, sizeof secret, "A128GCM",
                                    &entries[i].recipient) == entries[i].right,
                 "Concat KDF, case %zu", i);
            for (size_t k = entries[i].right ? entries[i].out_len : 0; k < sizeof out; k++)
                need(out[k] == FAULTS_BLANK, "Concat KDF, case %zu: byte %zu", i, k);
        }
}

// An encrypted key is a number below the modulus, compared to the last byte.
static void below_modulus(void)
{
    static const jose_keymgmt_rule rule = {JOSE_RSA_OAEP, JOSE_SHA256, 0};
    const uint8_t first = faults_entries[RSA_2048].numbers[0].bytes[0];
    jose_key *key = NULL;
    jose_keymgmt *maker = NULL, *opener = NULL;
    need(faults_import(&key, RSA_2048, true) == JOSE_OK, "key");
    need(jose_keymgmt_make(&maker, key, &rule, true, 0) == JOSE_OK &&
             jose_keymgmt_make(&opener, key, &rule, false, 0) == JOSE_OK,
         "RSA-OAEP-256");
    message_parts m;
    message_measure(&m, 0, maker, JOSE_A256GCM, TEXT);
    const jose_seal_output out = message_sealed(&m);
    bool found = false;
    // At least 1 in 256 has this byte: the probability that none of 20,000 has it is below 2^-100.
    for (int i = 0; i < 20000 && !found; i++) {
        need(jose_keymgmt_seal(maker, JOSE_A256GCM, &out, aad, sizeof aad, text, TEXT) == JOSE_OK,
             "seals");
        found = m.encrypted_key[0] == first - 1;
    }
    need(found, "no encrypted key begins with %u", first - 1u);
    need(opens(opener, JOSE_A256GCM, &m, 0) == JOSE_OK, "an encrypted key just below the modulus");
    jose_keymgmt_free(maker);
    jose_keymgmt_free(opener);
    jose_key_release(key);
}

// Whether public facts allow to open a message: every part, with one changed at a time.
static void possible(void)
{
    static const jose_keymgmt_rule rule = {JOSE_RSA_OAEP, JOSE_SHA256, 0};
    const uint8_t *modulus = faults_entries[RSA_2048].numbers[0].bytes;
    uint8_t encrypted_key[256], n_1[256], n_2[256], zero[256] = {0}, one[256] = {0}, two[256] = {0};
    memcpy(n_1, modulus, 256), memcpy(n_2, modulus, 256);
    n_1[255] -= 1, n_2[255] -= 2, one[255] = 1, two[255] = 2;
    need(modulus[255] > 2, "the key was chosen so that two can be subtracted");
    memset(encrypted_key, 0x5a, sizeof encrypted_key);
    const struct {
        const uint8_t *encrypted_key;
        size_t encrypted_key_len, iv_len, ciphertext_len, tag_len, parameters_len;
        bool by_gcm, by_cbc;
    } entries[] = {
        {encrypted_key, 256, 12, 32, 16, 0, true, false},
        {encrypted_key, 256, 16, 32, 16, 0, false, true},
        {encrypted_key, 256, 12, 0, 16, 0, true, false},
        {encrypted_key, 256, 16, 0, 16, 0, false, false},
        {encrypted_key, 256, 16, 31, 16, 0, false, false},
        {encrypted_key, 256, 16, 33, 16, 0, false, false},
        {encrypted_key, 256, 11, 32, 16, 0, false, false},
        {encrypted_key, 256, 0, 32, 16, 0, false, false},
        {encrypted_key, 256, 12, 32, 15, 0, false, false},
        {encrypted_key, 256, 16, 32, 17, 0, false, false},
        {encrypted_key, 256, 12, 32, 16, 1, false, false},
        {encrypted_key, 255, 12, 32, 16, 0, false, false},
        {NULL, 0, 12, 32, 16, 0, false, false},
        {zero, 256, 12, 32, 16, 0, false, false},
        {one, 256, 12, 32, 16, 0, false, false},
        {two, 256, 12, 32, 16, 0, true, false},
        {n_2, 256, 12, 32, 16, 0, true, false},
        {n_1, 256, 12, 32, 16, 0, false, false},
        {modulus, 256, 12, 32, 16, 0, false, false},
    };
    for (int external = 0; external < 2; external++) {
        jose_key *key = NULL;
        jose_keymgmt *opener = NULL;
        need(faults_import(&key, RSA_2048, external == 0) == JOSE_OK, "key");
        need((external ? jose_keymgmt_make_external(&opener, key, &rule, 0)
                       : jose_keymgmt_make(&opener, key, &rule, false, 0)) == JOSE_OK,
             "RSA-OAEP-256");
        for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
            const jose_open_input in = {
                .encrypted_key = entries[i].encrypted_key,
                .encrypted_key_len = entries[i].encrypted_key_len,
                .iv_len = entries[i].iv_len,
                .ciphertext_len = entries[i].ciphertext_len,
                .tag_len = entries[i].tag_len,
                .recipient = {.parameters_len = entries[i].parameters_len},
            };
            need(jose_keymgmt_may_open(opener, JOSE_A256GCM, &in) == entries[i].by_gcm,
                 "A256GCM, case %zu", i);
            need(jose_keymgmt_may_open(opener, JOSE_A128CBC_HS256, &in) == entries[i].by_cbc,
                 "A128CBC-HS256, case %zu", i);
        }
        jose_keymgmt_free(opener);
        jose_key_release(key);
    }
}

void faults_edges_bounds(void)
{
    salts();
    parties();
    below_modulus();
    possible();
}
