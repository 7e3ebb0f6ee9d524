// cek.c: the content encryption key of a message that is encrypted in steps (docs/decisions/0011):
// its header depends on key wrapping, or it has several recipients.

#include <openssl/crypto.h>

#include "runtime/host.h"
#include "keymgmt.h"
#include "runtime/random.h"

struct jose_cek {
    const jose_library *library;
    const jose_content_entry *content;
    jose_options options;  // for the content: all recipients' options combined
    bool is_determined;    // the recipient's algorithm determines the key: no second recipient
    bool is_used;
    uint8_t key[JOSE_MAX_CEK];
};

static jose_cek *cek_take(const jose_keymgmt *operation, const jose_content_entry *content)
{
    jose_cek *cek = jose_pool_take(operation->library->cek_pool);
    if (cek == NULL) cek = OPENSSL_zalloc(sizeof *cek);
    if (cek == NULL) return NULL;
    cek->library = operation->library;
    cek->content = content;
    cek->options = operation->options;
    cek->is_determined = operation->determines_cek;
    cek->is_used = false;
    return cek;
}

void jose_cek_free(jose_cek *cek)
{
    if (cek == NULL) return;
    OPENSSL_cleanse(cek->key, sizeof cek->key);
    if (!jose_pool_put(cek->library->cek_pool, cek)) OPENSSL_free(cek);
}

static bool are_outputs_sized(const jose_keymgmt *operation, const jose_content_entry *content,
                              const jose_wrapped *out)
{
    return operation->wrapping && out->parameters_len == operation->parameter_bytes &&
           out->encrypted_key_len == jose_keymgmt_wrapped_bytes(operation, content);
}

static bool wrap(const jose_keymgmt *operation, const jose_content_entry *content, uint8_t *cek,
                 const jose_wrapped *out, const jose_recipient *recipient, const uint8_t *seed,
                 const jose_key *ephemeral)
{
    const jose_wrap call = {
        .content = content,
        .recipient = recipient,
        .encrypted_key = out->encrypted_key,
        .parameters = out->parameters,
        .seed = seed,
        .ephemeral = ephemeral,
    };
    jose_keymgmt_slot *slot = jose_keymgmt_take(operation);
    bool done = false;
    if (slot != NULL) {
        done = operation->entry->wrap(operation, slot, &call, cek, content->key_bytes);
        jose_keymgmt_put(operation, slot);
    }
    if (!done) {
        OPENSSL_cleanse(out->encrypted_key, out->encrypted_key_len);
        OPENSSL_cleanse(out->parameters, out->parameters_len);
    }
    return done;
}

static bool wrap_fresh(const jose_keymgmt *operation, const jose_content_entry *content,
                       uint8_t *cek, const jose_wrapped *out, const jose_recipient *recipient)
{
    uint8_t seed[JOSE_MAX_SEED];
    bool done = jose_random_draw(operation->library, seed, operation->seed_bytes) &&
                wrap(operation, content, cek, out, recipient, seed, NULL);
    OPENSSL_cleanse(seed, sizeof seed);
    return done;
}

jose_status jose_cek_begin(jose_cek **cek, const jose_keymgmt *operation, jose_content content,
                           const jose_wrapped *out, const jose_recipient *recipient)
{
    *cek = NULL;
    const jose_content_entry *entry = jose_content_entry_of(content);
    if (!are_outputs_sized(operation, entry, out)) return JOSE_INTERNAL;
    if (!jose_keymgmt_supports_entry(operation, entry)) return JOSE_BAD_KEY;
    if (!jose_content_is_supported(entry, operation->library)) return JOSE_UNSUPPORTED;
    JOSE_HOST_SCOPE;
    jose_cek *made = cek_take(operation, entry);
    if (made != NULL && jose_random_draw(operation->library, made->key, entry->key_bytes) &&
        wrap_fresh(operation, entry, made->key, out, recipient))
        *cek = made;
    else
        jose_cek_free(made);
    return *cek == NULL ? JOSE_INTERNAL : JOSE_OK;
}

jose_status jose_cek_wrap_again(jose_cek *cek, const jose_keymgmt *operation,
                                const jose_wrapped *out, const jose_recipient *recipient)
{
    if (!are_outputs_sized(operation, cek->content, out)) return JOSE_INTERNAL;
    if (cek->is_determined || operation->determines_cek || cek->library != operation->library ||
        !jose_keymgmt_supports_entry(operation, cek->content))
        return JOSE_BAD_KEY;
    cek->options = (jose_options)(cek->options | operation->options);
    uint8_t key[JOSE_MAX_CEK];
    size_t key_len = cek->content->key_bytes;
    for (size_t i = 0; i < key_len; i++) key[i] = cek->key[i];
    JOSE_HOST_SCOPE;
    bool done = wrap_fresh(operation, cek->content, key, out, recipient);
    OPENSSL_cleanse(key, sizeof key);
    return done ? JOSE_OK : JOSE_INTERNAL;
}

jose_status jose_cek_finish(jose_cek *cek, const jose_seal_output *out, const uint8_t *aad,
                            size_t aad_len, const uint8_t *plaintext, size_t plaintext_len)
{
    const jose_content_entry *entry = cek->content;
    if (cek->is_used || !jose_seal_output_is_right(entry, out, plaintext_len)) return JOSE_INTERNAL;
    cek->is_used = true;
    JOSE_HOST_SCOPE;
    jose_status status = JOSE_INTERNAL;
    if (jose_random_draw(cek->library, out->iv, out->iv_len))
        status = entry->encrypt(&(jose_content_call){entry, cek->library, cek->options, cek->key,
                                                     NULL, out->iv, aad, aad_len,
                                                     cek->library->is_fips ? out->iv : NULL},
                                out->ciphertext, out->tag, plaintext, plaintext_len);
    if (status != JOSE_OK) jose_seal_output_wipe(out);
    return status;
}

jose_status jose_cek_wrap_given(const jose_keymgmt *operation, jose_content content, uint8_t *cek,
                                size_t cek_len, const jose_wrapped *out,
                                const jose_recipient *recipient, const uint8_t *seed,
                                size_t seed_len, jose_key *ephemeral)
{
    const jose_content_entry *entry = jose_content_entry_of(content);
    if (!are_outputs_sized(operation, entry, out) || cek_len != entry->key_bytes ||
        (ephemeral == NULL && seed_len != operation->seed_bytes))
        return JOSE_INTERNAL;
    if (!jose_keymgmt_supports_entry(operation, entry) ||
        (ephemeral != NULL &&
         (ephemeral->type != operation->key->type || ephemeral->curve != operation->key->curve ||
          ephemeral->library != operation->library || !ephemeral->is_private)))
        return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    return wrap(operation, entry, cek, out, recipient, seed, ephemeral) ? JOSE_OK : JOSE_INTERNAL;
}
