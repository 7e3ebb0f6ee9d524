// edges_calls.c: each outside call of a wrapping, an unwrapping and an import fails once. A failed
// import returns no key, and the same operation succeeds next time: no partial state is kept.

#include "edges_keys.h"
#include "faults.h"
#include "message.h"

#include <openssl/err.h>

#include "cjosekernels.h"

enum { TEXT = 20 };

static const uint8_t text[TEXT] = "what is encrypted", aad[] = "header";
static const jose_recipient made_for = {.iterations = 2};

static const char *const statuses[] = {"OK", "rejected", "bad key", "internal"};

// MARK: wrapping and unwrapping

typedef struct {
    const char *name;
    key_name key;
    jose_keymgmt_rule rule;
    jose_content content;
    jose_options options;
    bool
        may_be_silent;  // a failure without an entry in the queue is distinguished from a rejection
} level;

// clang-format off
static const level levels[] = {
    {"RSA", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA256, 0}, JOSE_A128GCM, 0, false},
    {"RSA, EVP", RSA_2048, {JOSE_RSA_OAEP, JOSE_SHA256, 0}, JOSE_A128GCM, JOSE_PROVIDER_ONLY,
     false},
    {"KW", OCT_16, {JOSE_AES_KW, JOSE_SHA256, 16}, JOSE_A128GCM, 0, false},
    {"GCMKW", OCT_32, {JOSE_AES_GCM_KW, JOSE_SHA256, 32}, JOSE_A128GCM, 0, false},
    {"dir", OCT_32, {JOSE_DIRECT, JOSE_SHA256, 0}, JOSE_A128CBC_HS256, 0, false},
    {"PBES2", OCT_16, {JOSE_PBES2, JOSE_SHA256, 16}, JOSE_A128GCM, 0, false},
    {"P-256", EC_256, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128GCM, 0, true},
    {"P-256, KW", EC_256, {JOSE_ECDH_ES, JOSE_SHA256, 16}, JOSE_A128GCM, 0, true},
    {"P-256, EVP", EC_256, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A256GCM, JOSE_PROVIDER_ONLY, true},
    {"X25519", X_25519, {JOSE_ECDH_ES, JOSE_SHA256, 32}, JOSE_A128GCM, 0, true},
    {"X25519, EVP", X_25519, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128GCM, JOSE_PROVIDER_ONLY,
     true},
    {"X448", X_448, {JOSE_ECDH_ES, JOSE_SHA256, 0}, JOSE_A128GCM, 0, true},
};
// clang-format on

typedef enum { OPENS,
               SEALS_IN_STEPS,
               SEALS_AT_ONCE,
               MODES } mode;

// A failure returns neither a key nor a text.
static void no_key(const level *w, const message_parts *m)
{
    need(faults_is_blank(m->encrypted_key, MESSAGE_PART) &&
             faults_is_blank(m->parameters, MESSAGE_PART),
         "%s left a key after %s", w->name, faults_failed());
}

static void no_text(const level *w, const message_parts *m)
{
    need(faults_is_blank(m->iv, sizeof m->iv) &&
             faults_is_blank(m->ciphertext, sizeof m->ciphertext) &&
             faults_is_blank(m->tag, sizeof m->tag),
         "%s left a text after %s", w->name, faults_failed());
}

static jose_status checksum(const level *w, const jose_keymgmt *maker, message_parts *m,
                            mode how)
{
    message_measure(m, FAULTS_BLANK, maker, w->content, TEXT);
    const jose_wrapped wrapped = message_wrapped(m);
    const jose_seal_output sealed = message_sealed(m);
    jose_cek *cek = NULL;
    jose_status status;
    if (how == SEALS_AT_ONCE) {
        status = jose_keymgmt_seal(maker, w->content, &sealed, aad, sizeof aad, text, TEXT);
        if (status != JOSE_OK) no_key(w, m);
    } else {
        status = jose_cek_begin(&cek, maker, w->content, &wrapped, &made_for);
        if (status != JOSE_OK) no_key(w, m);
        if (status == JOSE_OK) status = jose_cek_finish(cek, &sealed, aad, sizeof aad, text, TEXT);
        jose_cek_free(cek);
    }
    if (status != JOSE_OK) no_text(w, m);
    return status;
}

static jose_status open(const level *w, const jose_keymgmt *opener, const message_parts *m)
{
    uint8_t in_place[MESSAGE_PART];
    size_t len = 12345;
    const jose_open_input in = message_opening(m, in_place, made_for.iterations);
    const jose_status status = jose_keymgmt_open(opener, w->content, &len, &in, aad, sizeof aad);
    need(len == (status == JOSE_OK ? TEXT : 0), "%s: the length", w->name);
    if (status == JOSE_OK) need(memcmp(in_place, text, TEXT) == 0, "%s: the text", w->name);
    return status;
}

// Injects a failure into call n and runs the operation; then runs it again without a failure.
// Returns false if n is beyond the last call.
static bool fail(const level *w, jose_key *key, const jose_keymgmt *verify,
                 const message_parts *right, mode how, unsigned n, bool silently)
{
    const bool sealing = how != OPENS;
    jose_keymgmt *operation = NULL;
    message_parts made;
    need(jose_keymgmt_make(&operation, key, &w->rule, sealing, w->options) == JOSE_OK, "%s",
         w->name);
    faults_forget();
    faults_silently(silently);
    faults_arm(FAULTS_CALLS, n);
    const jose_status status =
        sealing ? checksum(w, operation, &made, how) : open(w, operation, right);
    const bool failed = faults_disarm();
    faults_silently(false);
    need(ERR_peek_error() == 0, "%s leaves an entry where %s fails", w->name, faults_failed());
    atomic_store(&jose_kernels_disabled, 0);
    need(status == JOSE_OK || status == JOSE_INTERNAL || faults_was_data(),
         "%s is %s where %s fails", w->name, statuses[status], faults_failed());
    need(failed || status == JOSE_OK, "%s fails by itself", w->name);
    if (sealing && status == JOSE_OK)
        need(open(w, verify, &made) == JOSE_OK, "%s fails to encrypt although %s failed before",
             w->name, faults_failed());
    for (int i = 0; i < 2; i++) {
        need((sealing ? checksum(w, operation, &made, how) : open(w, operation, right)) == JOSE_OK,
             "%s does not work again after %s", w->name, faults_failed());
        if (sealing)
            need(open(w, verify, &made) == JOSE_OK, "%s after %s", w->name, faults_failed());
    }
    jose_keymgmt_free(operation);
    return failed;
}

static void wraps(const level *w)
{
    jose_key *key = NULL;
    jose_keymgmt *maker = NULL, *verify = NULL;
    message_parts right;
    need(faults_import(&key, w->key, true) == JOSE_OK, "key");
    need(jose_keymgmt_make(&maker, key, &w->rule, true, w->options) == JOSE_OK &&
             jose_keymgmt_make(&verify, key, &w->rule, false, w->options) == JOSE_OK &&
             checksum(w, maker, &right, SEALS_IN_STEPS) == JOSE_OK &&
             open(w, verify, &right) == JOSE_OK,
         "%s", w->name);
    for (int silently = 0; silently <= w->may_be_silent; silently++)
        for (int how = OPENS; how < MODES; how++) {
            if (how == SEALS_AT_ONCE && right.parameters_len != 0) continue;
            unsigned n = 1;
            while (fail(w, key, verify, &right, (mode)how, n, silently)) n++;
            need(n > 1, "%s makes no call", w->name);
        }
    jose_keymgmt_free(maker);
    jose_keymgmt_free(verify);
    jose_key_release(key);
}

// MARK: import

typedef jose_status (*maker)(jose_key **key, key_name name);

static jose_status import_public(jose_key **key, key_name name)
{
    return faults_import(key, name, false);
}

static jose_status import_private(jose_key **key, key_name name)
{
    return faults_import(key, name, true);
}

// The coordinates are computed.
static jose_status import_alone(jose_key **key, key_name name)
{
    const key_entry *entry = &faults_entries[name];
    if (entry->type == JOSE_KEY_EC)
        return jose_ec_private(key, entry->curve, NULL, 0, NULL, 0, entry->secret.bytes,
                               entry->secret.len);
    return jose_okp_private(key, entry->curve, NULL, 0, entry->secret.bytes, entry->secret.len);
}

static jose_status generate(jose_key **key, key_name name)
{
    return jose_ec_generate(key, JOSE_MODULE_PROCESS, faults_entries[name].curve);
}

// Every failing call matters, except those of the error queue itself.
static void import(key_name name, maker make, bool silently)
{
    const char *what = faults_entries[name].name;
    for (unsigned n = 1;; n++) {
        jose_key *key = NULL;
        faults_forget();
        faults_silently(silently);
        faults_arm(FAULTS_CALLS, n);
        const jose_status status = make(&key, name);
        const bool failed = faults_disarm();
        faults_silently(false);
        need((key != NULL) == (status == JOSE_OK) && ERR_peek_error() == 0, "%s where %s fails",
             what, faults_failed());
        need(status == JOSE_OK || status == JOSE_INTERNAL || faults_was_data(),
             "%s is %s where %s fails", what, statuses[status], faults_failed());
        need(failed ? status != JOSE_OK || strcmp(faults_failed(), "ERR_get_state") == 0
                    : status == JOSE_OK,
             "%s is %s where %s fails", what, statuses[status], faults_failed());
        jose_key_release(key);
        need(make(&key, name) == JOSE_OK, "%s is not imported again after %s", what,
             faults_failed());
        jose_key_release(key);
        if (!failed) return;
    }
}

// A point that is not on the curve; a y of Ed448 without a point (RFC 8032 section 5.2.3).
static jose_status import_wrong(jose_key **key, key_name name)
{
    const key_entry *entry = &faults_entries[name];
    static const uint8_t two[57] = {2};
    if (entry->curve == JOSE_ED448) return jose_okp_public(key, JOSE_ED448, two, sizeof two);
    uint8_t y[66];
    memcpy(y, entry->numbers[1].bytes, entry->numbers[1].len);
    y[entry->numbers[1].len - 1] ^= 1;
    return jose_ec_public(key, entry->curve, entry->numbers[0].bytes, entry->numbers[0].len, y,
                          entry->numbers[1].len);
}

// A rejection stays a rejection when a call fails.
static void reject(key_name name)
{
    for (unsigned n = 1;; n++) {
        jose_key *key = NULL;
        faults_forget();
        faults_arm(FAULTS_CALLS, n);
        const jose_status status = import_wrong(&key, name);
        const bool failed = faults_disarm();
        need(key == NULL && (status == JOSE_BAD_KEY || (failed && status == JOSE_INTERNAL)),
             "wrong %s is %s where %s fails", faults_entries[name].name, statuses[status],
             faults_failed());
        if (!failed) return;
    }
}

void faults_edges_calls(void)
{
    static const key_name ec[] = {EC_256, EC_384, EC_521, EC_K1},
                          okp[] = {ED_25519, ED_448, X_25519, X_448};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) wraps(&levels[i]);
    for (int i = 0; i < 4; i++) {
        import(ec[i], generate, false);
        reject(ec[i]);
        import(okp[i], import_public, false);
        for (int silently = 0; silently < 2; silently++) {
            import(ec[i], import_public, silently);
            import(ec[i], import_private, silently);
            import(ec[i], import_alone, silently);
            import(okp[i], import_private, silently);
            import(okp[i], import_alone, silently);
        }
    }
    reject(ED_448);
}
