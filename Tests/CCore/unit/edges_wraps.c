// edges_wraps.c: which keys wrap with which implementation, the state that a thread keeps, and the
// bytes after an output.

#include "edges_keys.h"
#include "faults.h"
#include "message.h"

#include "keymgmt/keymgmt.h"

enum { TEXT = 21 };

static const uint8_t text[TEXT] = "what is encrypted", aad[] = "header";

// MARK: keys

// The keys of each family as its section of RFC 7518 defines; ECDH-ES also by RFC 8037 section 3.2.
static bool accepts_key(const key_entry *key, jose_keymgmt_family family, size_t wrap)
{
    const bool is_oct = key->type == JOSE_KEY_OCT;
    switch (family) {
    case JOSE_RSA_OAEP: return key->type == JOSE_KEY_RSA && wrap == 0;
    case JOSE_AES_KW:
    case JOSE_AES_GCM_KW: return is_oct && wrap == key->size;
    case JOSE_DIRECT: return is_oct && wrap == 0;
    case JOSE_PBES2: return is_oct && wrap > 0;
    case JOSE_ECDH_ES:
        return (key->type == JOSE_KEY_EC && key->curve != JOSE_SECP256K1) ||
               (key->type == JOSE_KEY_OKP &&
                (key->curve == JOSE_X25519 || key->curve == JOSE_X448));
    }
    return false;
}

static void keys(void)
{
    static const size_t sizes[] = {0, 16, 24, 32};
    for (int name = 0; name < keys_here(); name++) {
        jose_key *key = NULL;
        need(faults_import(&key, (key_name)name, true) == JOSE_OK, "key");
        for (int family = JOSE_RSA_OAEP; family <= JOSE_PBES2; family++)
            for (int i = 0; i < 8; i++) {
                const jose_keymgmt_rule rule = {(jose_keymgmt_family)family, JOSE_SHA256,
                                                sizes[i / 2]};
                const bool right = accepts_key(&faults_entries[name], rule.family, rule.wrap_bytes);
                jose_keymgmt *operation = NULL;
                need(jose_keymgmt_make(&operation, key, &rule, i % 2, 0) ==
                             (right ? JOSE_OK : JOSE_BAD_KEY) &&
                         (operation != NULL) == right,
                     "%s, family %d, %zu bytes", faults_entries[name].name, family,
                     rule.wrap_bytes);
                jose_keymgmt_free(operation);
            }
        jose_key_release(key);
    }
}

// MARK: what a thread keeps

typedef struct {
    const char *name;
    key_name key;
    jose_keymgmt_rule rule;
    jose_content content;
    jose_options options;
    size_t seed;                                                       // random bytes
    bool work[2], draw[2], peer[2], agreement[2], cipher[2], fast[2];  // opening, wrapping
} level;

#define BOTH       \
    {              \
        true, true \
    }
#define WRAPPING    \
    {               \
        false, true \
    }
#define OPENING     \
    {               \
        true, false \
    }
#define NEVER        \
    {                \
        false, false \
    }

// clang-format off
static const level levels[] = {
    {"RSA", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA256, 0}, JOSE_A256GCM, 0, 32, .work = BOTH},
    {"RSA, fast", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA1, 0}, JOSE_A128GCM, JOSE_ACCELERATE_ENCRYPTION,
     20, .work = BOTH, .fast = WRAPPING},
    {"RSA, portable", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA512, 0}, JOSE_A128GCM,
     JOSE_ACCELERATE_ENCRYPTION | JOSE_PORTABLE, 64, .work = BOTH},
    {"RSA, EVP", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA384, 0}, JOSE_A128GCM, JOSE_ACCELERATE_ENCRYPTION
     | JOSE_PROVIDER_ONLY, 0, .work = BOTH},
    {"KW", OCT_24, {JOSE_AES_KW, JOSE_SHA256, 24}, JOSE_A256CBC_HS512, 0, 0, .cipher = BOTH},
    {"GCMKW", OCT_16, {JOSE_AES_GCM_KW, JOSE_SHA256, 16}, JOSE_A128CBC_HS256, 0, 12, .cipher =
     BOTH},
    {"dir", OCT_32, {JOSE_DIRECT, JOSE_SHA256, 0}, JOSE_A128CBC_HS256, 0, 0, .work = NEVER},
    {"PBES2", OCT_24, {JOSE_PBES2, JOSE_SHA384, 24}, JOSE_A192GCM, 0, 16, .work = NEVER},
    {"P-256", EC_256, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128GCM, 0, 0, .agreement = BOTH},
    {"P-384", EC_384, {JOSE_ECDH_ES, JOSE_SHA256, 32}, JOSE_A128GCM, 0, 0, .agreement = BOTH},
    {"P-521", EC_521, {JOSE_ECDH_ES, JOSE_SHA256, 16}, JOSE_A256CBC_HS512, 0, 0, .agreement = BOTH},
    {"P-521, EVP", EC_521, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A256CBC_HS512, JOSE_PROVIDER_ONLY,
     0, .work = OPENING, .draw = WRAPPING, .peer = BOTH},
    {"X25519", X_25519, {JOSE_ECDH_ES, JOSE_SHA256, 24}, JOSE_A128GCM, 0, 32, .work = NEVER},
    {"X25519, EVP", X_25519, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128GCM, JOSE_PROVIDER_ONLY, 0,
     .work = OPENING, .draw = WRAPPING, .peer = BOTH},
    {"X448", X_448, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A192CBC_HS384, 0, 0, .work = OPENING, .draw
     = WRAPPING, .peer = BOTH},
};
// clang-format on
enum { IMPLEMENTATIONS = sizeof levels / sizeof levels[0] };

static void kept(const level *w, const jose_keymgmt *operation, bool wrapping)
{
    need(operation->seed_bytes == w->seed, "%s: random bytes", w->name);
    need((operation->fast != NULL) == w->fast[wrapping], "%s: the fast implementation", w->name);
    jose_keymgmt_slot *slot = jose_keymgmt_take(operation);
    need(slot != NULL, "%s: memory", w->name);
    need((slot->work != NULL) == w->work[wrapping] && (slot->draw != NULL) == w->draw[wrapping] &&
             (slot->peer != NULL) == w->peer[wrapping] &&
             (slot->agreement != NULL) == w->agreement[wrapping] &&
             (slot->cipher != NULL) == w->cipher[wrapping] && slot->direct.entry == NULL,
         "%s: contexts", w->name);
    jose_keymgmt_put(operation, slot);
    need(jose_keymgmt_take(operation) == slot, "%s: it comes again", w->name);
    jose_keymgmt_put(operation, slot);
}

// MARK: outputs

static bool behind(const uint8_t bytes[MESSAGE_PART], size_t len)
{
    for (size_t i = len; i < MESSAGE_PART; i++)
        if (bytes[i] != FAULTS_BLANK) return false;
    return true;
}

// Nothing is written after the key and the parameters, and after the text if there is one.
static void unwritten(const level *w, const message_parts *p, bool has_text)
{
    need(behind(p->encrypted_key, p->encrypted_key_len), "%s: after the encrypted key", w->name);
    need(behind(p->parameters, p->parameters_len), "%s: after the parameters", w->name);
    need(behind(p->iv, has_text ? p->iv_len : 0), "%s: after the IV", w->name);
    need(behind(p->ciphertext, has_text ? p->ciphertext_len : 0), "%s: after the text", w->name);
    need(behind(p->tag, has_text ? p->tag_len : 0), "%s: after the tag", w->name);
}

static jose_status opens(const jose_keymgmt *opener, const level *w, const message_parts *p)
{
    uint8_t in_place[MESSAGE_PART];
    size_t len = 0;
    const jose_open_input in = message_opening(p, in_place, 3);
    const jose_status status = jose_keymgmt_open(opener, w->content, &len, &in, aad, sizeof aad);
    if (status == JOSE_OK) {
        need(len == TEXT && memcmp(in_place, text, TEXT) == 0, "%s: the text", w->name);
        need(behind(in_place, p->ciphertext_len), "%s: after the text", w->name);
    }
    return status;
}

static void outputs(const level *w, const jose_keymgmt *maker, const jose_keymgmt *opener,
                    jose_key *key)
{
    const jose_recipient recipient = {.iterations = 3};
    message_parts p;
    jose_cek *cek = NULL;
    message_measure(&p, FAULTS_BLANK, maker, w->content, TEXT);
    const jose_wrapped out = message_wrapped(&p);
    const jose_seal_output all = message_sealed(&p);
    need(jose_cek_begin(&cek, maker, w->content, &out, &recipient) == JOSE_OK, "%s begins",
         w->name);
    unwritten(w, &p, false);
    need(jose_cek_finish(cek, &all, aad, sizeof aad, text, TEXT) == JOSE_OK, "%s ends", w->name);
    jose_cek_free(cek);
    unwritten(w, &p, true);
    need(opens(opener, w, &p) == JOSE_OK, "%s opens", w->name);
    message_measure(&p, FAULTS_BLANK, maker, w->content, TEXT);
    if (p.parameters_len == 0) {
        need(jose_keymgmt_seal(maker, w->content, &all, aad, sizeof aad, text, TEXT) == JOSE_OK,
             "%s encrypts", w->name);
        unwritten(w, &p, true);
        need(opens(opener, w, &p) == JOSE_OK, "%s opens", w->name);
    }
    if (w->rule.family != JOSE_ECDH_ES) return;
    uint8_t given[JOSE_MAX_CEK + 1];
    memset(given, FAULTS_BLANK, sizeof given);
    message_measure(&p, FAULTS_BLANK, maker, w->content, TEXT);
    const size_t cek_len = jose_content_key_bytes(w->content);
    need(jose_cek_wrap_given(maker, w->content, given, cek_len, &out, &recipient, NULL, 0, key) ==
             JOSE_OK,
         "%s with a given key", w->name);
    unwritten(w, &p, false);
    need(given[cek_len] == FAULTS_BLANK, "%s: after the key", w->name);
    // A symmetric key is rejected as an ephemeral key, although its curve field is 0.
    jose_key *other = NULL;
    need(faults_import(&other, OCT_32, true) == JOSE_OK, "key");
    need(jose_cek_wrap_given(maker, w->content, given, cek_len, &out, &recipient, NULL, 0, other) ==
             JOSE_BAD_KEY,
         "%s with a symmetric key", w->name);
    jose_key_release(other);
}

static void shapes(void)
{
    for (size_t i = 0; i < IMPLEMENTATIONS; i++) {
        const level *w = &levels[i];
        jose_key *key = NULL;
        jose_keymgmt *maker = NULL, *opener = NULL;
        need(faults_import(&key, w->key, true) == JOSE_OK, "key");
        need(jose_keymgmt_make(&maker, key, &w->rule, true, w->options) == JOSE_OK &&
                 jose_keymgmt_make(&opener, key, &w->rule, false, w->options) == JOSE_OK,
             "%s", w->name);
        kept(w, maker, true);
        kept(w, opener, false);
        outputs(w, maker, opener, key);
        jose_keymgmt_free(maker);
        jose_keymgmt_free(opener);
        jose_key_release(key);
    }
}

void faults_edges_wraps(void)
{
    keys();
    shapes();
}

jose_status faults_open_point(const jose_keymgmt *opener, const uint8_t *point)
{
    static const uint8_t zeros[16];
    uint8_t text[1] = {0};
    size_t len = 12345;
    const size_t point_len = jose_keymgmt_parameter_bytes(opener);
    const jose_open_input in = {
        NULL, 0, zeros, 12, text, 1, zeros, 16, {.parameters = point, .parameters_len = point_len}};
    const jose_status status = jose_keymgmt_open(opener, JOSE_A128GCM, &len, &in, NULL, 0);
    need(len == 0, "nothing is opened");
    return status;
}
