// edges_external.c: messages that are opened with the results of an external private key: every
// wrong kind, size and byte of a result leads to the same rejection.

#include "edges_keys.h"
#include "faults.h"

#include <string.h>

#include "external.h"
#include "keymgmt/keymgmt.h"
#include "runtime/mgf1.h"

enum { TEXT = EXTERNAL_TEXT,
       ROOM = EXTERNAL_CAPACITY };

typedef external_case level;
typedef external_message message;

static jose_status opens(const jose_keymgmt *opener, const level *w, const message *m,
                         jose_external_result_kind kind, const uint8_t *bytes, size_t len)
{
    uint8_t in_place[ROOM];
    size_t out_len = 12345;
    const jose_status status = external_open(opener, w, m, kind, bytes, len, in_place, &out_len);
    if (status == JOSE_OK)
        need(out_len == TEXT && memcmp(in_place, external_text, TEXT) == 0, "%s: the text",
             w->name);
    else
        need(out_len == 0 && memcmp(in_place, external_text, TEXT) != 0, "%s: no text", w->name);
    return status;
}

static void rejects(const jose_keymgmt *opener, const level *w, const message *m,
                    jose_external_result_kind kind, const uint8_t *bytes, size_t len,
                    const char *why)
{
    need(opens(opener, w, m, kind, bytes, len) == JOSE_REJECTED, "%s: %s", w->name, why);
}

// One bit of every byte, and sizes next to the right one.
static void corrupted(const jose_keymgmt *opener, const level *w, const message *m,
                      jose_external_result_kind kind, const uint8_t *right, size_t len)
{
    uint8_t bytes[ROOM + 1] = {0};
    memcpy(bytes, right, len);
    need(opens(opener, w, m, kind, bytes, len) == JOSE_OK, "%s opens", w->name);
    for (size_t i = 0; i < len; i++) {
        bytes[i] ^= (uint8_t)(1 << i % 8);
        rejects(opener, w, m, kind, bytes, len, "a changed byte");
        bytes[i] = right[i];
    }
    rejects(opener, w, m, kind, bytes, len - 1, "a byte less");
    rejects(opener, w, m, kind, bytes, len + 1, "a byte more");
    rejects(opener, w, m, kind, NULL, 0, "no byte");
    memset(bytes, 0, sizeof bytes);
    rejects(opener, w, m, kind, bytes, len, "zeros");
}

// Faults of a block before it is masked: each class of its bytes, first and last byte.
static void paddings(const jose_keymgmt *opener, const level *w, const message *m)
{
    const size_t hash = opener->digest->bytes, data_len = m->secret_len - 1 - hash;
    const size_t separator = data_len - m->cek_len - 1;
    const size_t places[] = {0, hash - 1, hash, separator - 1, separator};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        uint8_t block[ROOM];
        memcpy(block, m->secret, m->secret_len);
        uint8_t *seed = block + 1, *data = seed + hash;
        jose_mgf1_mask(opener->digest, seed, hash, data, data_len);
        jose_mgf1_mask(opener->digest, data, data_len, seed, hash);
        data[places[i]] ^= 1;
        jose_mgf1_mask(opener->digest, data, data_len, seed, hash);
        jose_mgf1_mask(opener->digest, seed, hash, data, data_len);
        rejects(opener, w, m, JOSE_EXTERNAL_BLOCK, block, m->secret_len, "a padding");
    }
}

static void answers(const level *w)
{
    jose_key *key = NULL, *public = NULL;
    jose_keymgmt *maker = NULL, *opener = NULL, *here = NULL;
    message m = {0};
    for (size_t i = 0; i < sizeof m.cek; i++) m.cek[i] = (uint8_t)(3 * i + 1);
    need(faults_import(&key, w->key, true) == JOSE_OK &&
             faults_import(&public, w->key, false) == JOSE_OK,
         "keys");
    need(jose_keymgmt_make_external(&opener, key, &w->rule, w->options) == JOSE_BAD_KEY &&
             opener == NULL,
         "%s: a private key", w->name);
    need(jose_keymgmt_make(&maker, public, &w->rule, true, w->options) == JOSE_OK &&
             jose_keymgmt_make(&here, key, &w->rule, false, w->options) == JOSE_OK &&
             jose_keymgmt_make_external(&opener, public, &w->rule, w->options) == JOSE_OK,
         "%s", w->name);
    need(external_make(&m, w, maker, key), "%s: a message", w->name);
    const bool is_rsa = w->rule.family == JOSE_RSA_OAEP;
    const jose_external_result_kind kind = is_rsa ? JOSE_EXTERNAL_BLOCK : JOSE_EXTERNAL_SHARED;
    corrupted(opener, w, &m, kind, m.secret, m.secret_len);
    if (is_rsa) {
        corrupted(opener, w, &m, JOSE_EXTERNAL_KEY, m.cek, m.cek_len);
        paddings(opener, w, &m);
        rejects(opener, w, &m, JOSE_EXTERNAL_SHARED, m.cek, m.cek_len, "another kind");
    } else {
        rejects(opener, w, &m, JOSE_EXTERNAL_KEY, m.cek, m.cek_len, "another kind");
        rejects(opener, w, &m, JOSE_EXTERNAL_BLOCK, m.secret, m.secret_len, "another kind");
    }
    rejects(opener, w, &m, JOSE_EXTERNAL_NONE, NULL, 0, "no result");
    rejects(opener, w, &m, JOSE_EXTERNAL_NONE, m.secret, m.secret_len, "no result, with bytes");
    // Neither kind of operation accepts the calls of the other.
    need(opens(here, w, &m, kind, m.secret, m.secret_len) == JOSE_INTERNAL &&
             opens(maker, w, &m, kind, m.secret, m.secret_len) == JOSE_INTERNAL,
         "%s: an operation without external results", w->name);
    uint8_t in_place[ROOM];
    size_t len = 1;
    const jose_open_input in = message_opening(&m.sealed, in_place, 0);
    need(jose_keymgmt_open(opener, w->content, &len, &in, external_aad, sizeof external_aad) ==
                 JOSE_INTERNAL &&
             len == 0,
         "%s: without a result", w->name);
    need(jose_keymgmt_open(here, w->content, &len, &in, external_aad, sizeof external_aad) ==
                 JOSE_OK &&
             len == TEXT,
         "%s: the same message by the private key", w->name);
    jose_keymgmt_free(maker);
    jose_keymgmt_free(here);
    jose_keymgmt_free(opener);
    jose_key_release(public);
    jose_key_release(key);
}

// Families with shared keys have no external operation.
static void shared_keys(void)
{
    static const jose_keymgmt_family families[] = {JOSE_AES_KW, JOSE_DIRECT, JOSE_AES_GCM_KW,
                                                   JOSE_PBES2};
    jose_key *key = NULL;
    need(faults_import(&key, OCT_16, true) == JOSE_OK, "key");
    for (int i = 0; i < 4; i++) {
        const jose_keymgmt_rule rule = {families[i], JOSE_SHA256,
                                        families[i] == JOSE_DIRECT ? 0 : 16};
        jose_keymgmt *operation = NULL;
        need(jose_keymgmt_make_external(&operation, key, &rule, 0) == JOSE_BAD_KEY &&
                 operation == NULL,
             "family %d", families[i]);
    }
    jose_key_release(key);
}

void faults_edges_external(void)
{
    for (size_t i = 0; i < EXTERNAL_CASES; i++) answers(&external_cases[i]);
    shared_keys();
}
