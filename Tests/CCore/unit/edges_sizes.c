// edges_sizes.c: every size argument of an encryption, one less and one more, and every operation
// used for another purpose: rejected with the right status, and nothing is written.

#include "edges_keys.h"
#include "encoded.h"
#include "faults.h"
#include "message.h"

enum { TEXT = 37 };

static const uint8_t text[TEXT] = "the text", aad[] = "what is authenticated";
static const jose_recipient made_for = {.iterations = 2};

typedef struct {
    const char *name;
    key_name key, other;  // other: a private key that does not suit
    jose_keymgmt_rule rule;
    jose_content content;
    bool determines_cek;
    size_t seed;  // random bytes that a wrapping uses
} entry;

// clang-format off
static const entry entries[] = {
    {"RSA-OAEP", RSA_2048, EC_256, {JOSE_RSA_OAEP, JOSE_SHA1, 0}, JOSE_A128CBC_HS256, false, 20},
    {"A256KW", OCT_32, OCT_24, {JOSE_AES_KW, JOSE_SHA256, 32}, JOSE_A256CBC_HS512, false, 0},
    {"A128GCMKW", OCT_16, OCT_32, {JOSE_AES_GCM_KW, JOSE_SHA256, 16}, JOSE_A256GCM, false, 12},
    {"dir", OCT_48, RSA_2048, {JOSE_DIRECT, JOSE_SHA256, 0}, JOSE_A192CBC_HS384, true, 0},
    {"ECDH-ES", EC_256, ED_25519, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128GCM, true, 0},
    {"ECDH-ES+A128KW", X_25519, ED_25519, {JOSE_ECDH_ES, JOSE_SHA256, 16}, JOSE_A192GCM, false, 32},
    {"ECDH-ES+A192KW", EC_521, EC_K1, {JOSE_ECDH_ES, JOSE_SHA256, 24}, JOSE_A128CBC_HS256, false,
     0},
    {"PBES2", OCT_32, EC_256, {JOSE_PBES2, JOSE_SHA256, 16}, JOSE_A128GCM, false, 16},
};
// clang-format on

static void measure(message_parts *p, const jose_keymgmt *maker, jose_content content)
{
    message_measure(p, FAULTS_BLANK, maker, content, TEXT);
}

static bool untouched(const message_parts *p)
{
    const uint8_t *bytes = (const uint8_t *)p;
    for (size_t i = 0; i < offsetof(message_parts, encrypted_key_len); i++)
        if (bytes[i] != FAULTS_BLANK) return false;
    return true;
}

static jose_status open(const jose_keymgmt *opener, jose_content content, const message_parts *p)
{
    uint8_t in_place[MESSAGE_PART];
    size_t len = 12345;
    const jose_open_input in = message_opening(p, in_place, made_for.iterations);
    const jose_status status = jose_keymgmt_open(opener, content, &len, &in, aad, sizeof aad);
    need(len == (status == JOSE_OK ? TEXT : 0), "the length of the plaintext");
    if (status == JOSE_OK) need(memcmp(in_place, text, TEXT) == 0, "the plaintext");
    // The same from base64url, and from malformed text.
    uint8_t encoded[2 * MESSAGE_PART];
    const size_t count = encoded_make(encoded, p->ciphertext, p->ciphertext_len);
    for (int wrong = 0; wrong < 2; wrong++) {
        jose_open_input from = in;
        from.encoded = (jose_encoded){encoded, {encoded_read, JOSE_CHUNK}};
        // A chunk size that does not fit a hash: nothing is read.
        static const size_t turns[] = {0, 1, JOSE_CHUNK / 2, JOSE_CHUNK + 4};
        for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
            from.encoded.decoder.chunk = turns[i];
            len = 12345;
            memset(in_place, 0x66, sizeof in_place);
            need(jose_keymgmt_open(opener, content, &len, &from, aad, sizeof aad) ==
                         JOSE_INTERNAL &&
                     len == 0 && in_place[0] == 0x66,
                 "chunks of %zu", turns[i]);
        }
        from.encoded.decoder.chunk = JOSE_CHUNK;
        if (wrong && count > 0) encoded[count / 3] = '.';
        memset(in_place, 0, sizeof in_place);
        const jose_status other = jose_keymgmt_open(opener, content, &len, &from, aad, sizeof aad);
        need(other == (wrong && count > 0 && status == JOSE_OK ? JOSE_REJECTED : status),
             "from text: %d for %d", (int)other, (int)status);
        need(len == (other == JOSE_OK ? TEXT : 0) &&
                 (other != JOSE_OK || memcmp(in_place, text, TEXT) == 0),
             "the plaintext from base64url");
    }
    return status;
}

// In one call: each length wrong, then all right.
static void seal(const entry *entry, const jose_keymgmt *maker, const jose_keymgmt *opener)
{
    message_parts p;
    measure(&p, maker, entry->content);
    if (p.parameters_len != 0) {
        const jose_seal_output out = message_sealed(&p);
        need(jose_keymgmt_seal(maker, entry->content, &out, aad, sizeof aad, text, TEXT) ==
                     JOSE_INTERNAL &&
                 untouched(&p),
             "%s goes to the header", entry->name);
        return;
    }
    size_t *const lengths[] = {&p.encrypted_key_len, &p.iv_len, &p.ciphertext_len, &p.tag_len};
    for (int i = 0; i < 4; i++)
        for (int by = -1; by <= 1; by += 2) {
            if (*lengths[i] == 0 && by < 0) continue;
            *lengths[i] += (size_t)by;
            const jose_seal_output out = message_sealed(&p);
            need(jose_keymgmt_seal(maker, entry->content, &out, aad, sizeof aad, text, TEXT) ==
                         JOSE_INTERNAL &&
                     untouched(&p),
                 "%s: length %d by %d", entry->name, i, by);
            *lengths[i] -= (size_t)by;
        }
    const jose_seal_output out = message_sealed(&p);
    need(jose_keymgmt_seal(opener, entry->content, &out, aad, sizeof aad, text, TEXT) ==
                 JOSE_INTERNAL &&
             untouched(&p),
         "%s: an opener encrypts", entry->name);
    need(jose_keymgmt_seal(maker, entry->content, &out, aad, sizeof aad, text, TEXT) == JOSE_OK,
         "%s encrypts", entry->name);
    need(open(opener, entry->content, &p) == JOSE_OK, "%s opens", entry->name);
    need(open(maker, entry->content, &p) == JOSE_INTERNAL, "%s: a sealer opens", entry->name);
}

// The key is created, wrapped again and used; each length wrong before it is right.
static void steps(const entry *entry, const jose_keymgmt *maker, const jose_keymgmt *opener)
{
    message_parts p, again;
    jose_cek *cek = NULL;
    measure(&p, maker, entry->content);
    size_t *const places[] = {&p.encrypted_key_len, &p.parameters_len};
    for (int i = 0; i < 2; i++)
        for (int by = -1; by <= 1; by += 2) {
            if (*places[i] == 0 && by < 0) continue;
            *places[i] += (size_t)by;
            const jose_wrapped out = message_wrapped(&p);
            need(jose_cek_begin(&cek, maker, entry->content, &out, &made_for) == JOSE_INTERNAL &&
                     cek == NULL && untouched(&p),
                 "%s creates, argument %d", entry->name, i);
            *places[i] -= (size_t)by;
        }
    const jose_wrapped out = message_wrapped(&p);
    need(jose_cek_begin(&cek, opener, entry->content, &out, &made_for) == JOSE_INTERNAL &&
             cek == NULL,
         "%s: an opener begins", entry->name);
    need(jose_cek_begin(&cek, maker, entry->content, &out, &made_for) == JOSE_OK, "%s begins",
         entry->name);

    measure(&again, maker, entry->content);
    size_t *const second[] = {&again.encrypted_key_len, &again.parameters_len};
    for (int i = 0; i < 2; i++)
        for (int by = -1; by <= 1; by += 2) {
            if (*second[i] == 0 && by < 0) continue;
            *second[i] += (size_t)by;
            const jose_wrapped wrong = message_wrapped(&again);
            need(jose_cek_wrap_again(cek, maker, &wrong, &made_for) == JOSE_INTERNAL &&
                     untouched(&again),
                 "%s wraps again, argument %d", entry->name, i);
            *second[i] -= (size_t)by;
        }
    const jose_wrapped more = message_wrapped(&again);
    need(jose_cek_wrap_again(cek, opener, &more, &made_for) == JOSE_INTERNAL, "%s: an opener",
         entry->name);
    need(jose_cek_wrap_again(cek, maker, &more, &made_for) ==
             (entry->determines_cek ? JOSE_BAD_KEY : JOSE_OK),
         "%s wraps again", entry->name);

    size_t *const lengths[] = {&p.iv_len, &p.ciphertext_len, &p.tag_len};
    for (int i = 0; i < 3; i++)
        for (int by = -1; by <= 1; by += 2) {
            *lengths[i] += (size_t)by;
            const jose_seal_output wrong = message_sealed(&p);
            need(jose_cek_finish(cek, &wrong, aad, sizeof aad, text, TEXT) == JOSE_INTERNAL,
                 "%s ends, length %d", entry->name, i);
            *lengths[i] -= (size_t)by;
        }
    const jose_seal_output end = message_sealed(&p);
    need(jose_cek_finish(cek, &end, aad, sizeof aad, text, TEXT) == JOSE_OK, "%s ends",
         entry->name);
    need(open(opener, entry->content, &p) == JOSE_OK, "%s opens", entry->name);
    need(jose_cek_finish(cek, &end, aad, sizeof aad, text, TEXT) == JOSE_INTERNAL, "used twice");
    jose_cek_free(cek);
    if (!entry->determines_cek) {  // the key that was wrapped again is the same one
        memcpy(again.iv, p.iv, MESSAGE_PART);
        memcpy(again.ciphertext, p.ciphertext, MESSAGE_PART);
        memcpy(again.tag, p.tag, MESSAGE_PART);
        need(open(opener, entry->content, &again) == JOSE_OK, "%s opens, wrapped again",
             entry->name);
    }
    const bool any_parameters = entry->rule.family == JOSE_PBES2;
    size_t *const read[] = {&p.encrypted_key_len, &p.iv_len, &p.ciphertext_len, &p.tag_len,
                            &p.parameters_len};
    for (int i = 0; i < (any_parameters ? 4 : 5); i++)
        for (int by = -1; by <= 1; by += 2) {
            if (*read[i] == 0 && by < 0) continue;
            *read[i] += (size_t)by;
            need(open(opener, entry->content, &p) == JOSE_REJECTED, "%s opens, length %d",
                 entry->name, i);
            *read[i] -= (size_t)by;
        }
    need(open(opener, entry->content, &p) == JOSE_OK, "%s opens at the end", entry->name);
}

// With given random bytes or a given ephemeral key, for published vectors.
static void given(const entry *entry, const jose_keymgmt *maker, const jose_keymgmt *opener,
                  jose_key *other)
{
    static const uint8_t seed[65] = {9, 8, 7};
    const size_t cek_len = jose_content_key_bytes(entry->content);
    uint8_t cek[65];
    message_parts p;
    memset(cek, 0x31, sizeof cek);
    measure(&p, maker, entry->content);
    const jose_wrapped out = message_wrapped(&p);
    for (int by = -1; by <= 1; by += 2) {
        need(jose_cek_wrap_given(maker, entry->content, cek, cek_len + (size_t)by, &out, &made_for,
                                 seed, entry->seed, NULL) == JOSE_INTERNAL &&
                 untouched(&p),
             "%s: the key's length", entry->name);
        if (entry->seed + (size_t)by > sizeof seed) continue;
        need(jose_cek_wrap_given(maker, entry->content, cek, cek_len, &out, &made_for, seed,
                                 entry->seed + (size_t)by, NULL) == JOSE_INTERNAL &&
                 untouched(&p),
             "%s: the random bytes' length", entry->name);
    }
    need(jose_cek_wrap_given(opener, entry->content, cek, cek_len, &out, &made_for, seed,
                             entry->seed, NULL) == JOSE_INTERNAL &&
             untouched(&p),
         "%s: an opener", entry->name);
    const key_entry *own = &faults_entries[entry->key], *foreign = &faults_entries[entry->other];
    if (own->type != foreign->type || own->curve != foreign->curve)
        need(jose_cek_wrap_given(maker, entry->content, cek, cek_len, &out, &made_for, seed,
                                 entry->seed, other) == JOSE_BAD_KEY &&
                 untouched(&p),
             "%s: another kind of ephemeral key", entry->name);
    need(jose_cek_wrap_given(maker, entry->content, cek, cek_len, &out, &made_for, seed,
                             entry->seed, NULL) == JOSE_OK,
         "%s wraps a given key", entry->name);
    if (entry->rule.family != JOSE_ECDH_ES) return;
    jose_key *half = NULL, *whole = NULL;
    need(faults_import(&half, entry->key, false) == JOSE_OK &&
             faults_import(&whole, entry->key, true) == JOSE_OK,
         "keys");
    need(jose_cek_wrap_given(maker, entry->content, cek, cek_len, &out, &made_for, NULL, 0, half) ==
             JOSE_BAD_KEY,
         "%s: a public ephemeral key", entry->name);
    need(jose_cek_wrap_given(maker, entry->content, cek, cek_len, &out, &made_for, NULL, 0,
                             whole) == JOSE_OK,
         "%s: an ephemeral key", entry->name);
    const jose_number *numbers = faults_entries[entry->key].numbers;
    need(memcmp(p.parameters, numbers[0].bytes, numbers[0].len) == 0, "%s: its coordinate",
         entry->name);
    jose_key_release(half);
    jose_key_release(whole);
}

static void make(const entry *entry)
{
    jose_key *key = NULL, *other = NULL;
    jose_keymgmt *maker = NULL, *opener = NULL, *none = NULL;
    need(faults_import(&key, entry->key, true) == JOSE_OK &&
             faults_import(&other, entry->other, true) == JOSE_OK,
         "keys");
    for (size_t size = 0; size <= 40; size++) {
        jose_keymgmt_rule rule = entry->rule;
        rule.wrap_bytes = size;
        if (size == 0 || size == 16 || size == 24 || size == 32) continue;
        need(jose_keymgmt_make(&none, key, &rule, true, 0) == JOSE_INTERNAL && none == NULL, "%zu",
             size);
    }
    for (int wrapping = 0; wrapping < 2; wrapping++)
        need(jose_keymgmt_make(&none, other, &entry->rule, wrapping, 0) == JOSE_BAD_KEY &&
                 none == NULL,
             "%s with another key", entry->name);
    if (faults_entries[entry->key].type != JOSE_KEY_OCT) {
        jose_key *half = NULL;
        need(faults_import(&half, entry->key, false) == JOSE_OK, "public key");
        need(jose_keymgmt_make(&none, half, &entry->rule, false, 0) == JOSE_BAD_KEY && none == NULL,
             "%s with a public key", entry->name);
        jose_key_release(half);
    }
    need(jose_keymgmt_make(&maker, key, &entry->rule, true, 0) == JOSE_OK, "%s", entry->name);
    need(jose_keymgmt_make(&opener, key, &entry->rule, false, 0) == JOSE_OK, "%s", entry->name);
    seal(entry, maker, opener);
    steps(entry, maker, opener);
    given(entry, maker, opener, other);
    jose_keymgmt_free(maker);
    jose_keymgmt_free(opener);
    jose_key_release(key);
    jose_key_release(other);
}

void faults_edges_sizes(void)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) make(&entries[i]);
    faults_edges_keys();
    faults_edges_groups();
    faults_edges_wraps();
    faults_edges_external();
    faults_edges_bounds();
    faults_edges_calls();
    faults_edges_queue();
    faults_edges_replaced();
}
