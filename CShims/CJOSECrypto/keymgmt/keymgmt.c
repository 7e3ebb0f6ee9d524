// keymgmt.c: the table of key management families, and prepared operations of all families.

#include "keymgmt.h"

#include <openssl/crypto.h>

#include "aes_wrap.h"
#include "runtime/host.h"

static const jose_keymgmt_entry *const entries[] = {
    [JOSE_RSA_OAEP] = &jose_keymgmt_rsa_oaep,
    [JOSE_AES_KW] = &jose_keymgmt_aes_kw,
    [JOSE_DIRECT] = &jose_keymgmt_direct,
    [JOSE_ECDH_ES] = &jose_keymgmt_ecdh,
    [JOSE_AES_GCM_KW] = &jose_keymgmt_gcm_kw,
    [JOSE_PBES2] = &jose_keymgmt_pbes2,
};

// MARK: slots

static void slot_free(void *item)
{
    jose_keymgmt_slot *slot = item;
    if (slot == NULL) return;
    EVP_PKEY_CTX_free(slot->work);
    EVP_PKEY_CTX_free(slot->draw);
    EVP_PKEY_free(slot->peer);
    jose_agreement_ec_free(slot->agreement);
    EVP_CIPHER_CTX_free(slot->cipher);
    jose_content_ready_free(&slot->direct);
    jose_rsa_blinding_slot_clear(&slot->blinding);
    OPENSSL_free(slot);
}

static void *slot_make(const void *owner)
{
    const jose_keymgmt *operation = owner;
    jose_keymgmt_slot *slot = OPENSSL_zalloc(sizeof *slot);
    if (slot == NULL) return NULL;
    if (operation->entry->prepare == NULL || operation->entry->prepare(operation, slot))
        return slot;
    slot_free(slot);
    return NULL;
}

jose_keymgmt_slot *jose_keymgmt_take(const jose_keymgmt *operation)
{
    return jose_slots_take(&operation->slots, operation);
}

void jose_keymgmt_put(const jose_keymgmt *operation, jose_keymgmt_slot *slot)
{
    jose_slots_put(&operation->slots, slot);
}

// MARK: making

static jose_keymgmt *make(const jose_library *library, jose_key *key,
                          const jose_keymgmt_rule *rule, bool wrapping, bool external,
                          jose_options options)
{
    jose_keymgmt *operation = OPENSSL_zalloc(sizeof *operation);
    if (operation == NULL) return NULL;
    const jose_keymgmt_entry *entry = entries[rule->family];
    operation->entry = entry;
    operation->library = library;
    operation->digest = jose_digest_entry_of(rule->hash);
    // For oaep.c, which the FIPS library does not use.
    if (!library->is_fips) jose_digest_once(operation->digest, operation->empty_hash, NULL, 0);
    operation->key = jose_key_retain(key);
    operation->wrap_bytes = rule->wrap_bytes;
    operation->determines_cek = entry->determines_cek && rule->wrap_bytes == 0;
    operation->wrapping = wrapping;
    operation->external = external;
    operation->options = options;
    operation->parameter_bytes =
        entry->parameter_bytes == NULL ? 0 : entry->parameter_bytes(operation);
    operation->seed_bytes = entry->seed_bytes == NULL ? 0 : entry->seed_bytes(operation);
    if (!jose_slots_open(&operation->slots, slot_make, slot_free)) goto fail;
    if (entry->accelerate != NULL && !(options & JOSE_PROVIDER_ONLY)) entry->accelerate(operation);
    return operation;

fail:
    jose_keymgmt_free(operation);
    return NULL;
}

static bool is_wrap_size(size_t wrap_bytes)
{
    return wrap_bytes == 0 || wrap_bytes == 16 || wrap_bytes == 24 || wrap_bytes == 32;
}

static jose_parts parts_of(const jose_keymgmt_rule *rule)
{
    const jose_keymgmt_entry *entry = entries[rule->family];
    jose_parts parts = entry->parts;
    if (entry->has_hash) parts |= jose_part_digest(rule->hash);
    if (rule->wrap_bytes != 0)
        parts |= jose_part_cipher(jose_aes_cipher(entry->wrap_cipher_128, rule->wrap_bytes));
    return parts;
}

const char *jose_keymgmt_missing(const jose_keymgmt_rule *rule, jose_key_type type,
                                 jose_curve curve)
{
    if (!is_wrap_size(rule->wrap_bytes)) return "AES key wrapping with a key of this size";
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? NULL : jose_key_missing(library, type, curve, parts_of(rule));
}

static jose_status prepare(jose_keymgmt **operation, jose_key *key, const jose_keymgmt_rule *rule,
                           bool wrapping, bool external, jose_options options)
{
    *operation = NULL;
    if (!is_wrap_size(rule->wrap_bytes)) return JOSE_INTERNAL;
    if (!entries[rule->family]->accepts_key(key, rule)) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = key->library;
    jose_status status = jose_key_has(library, key->type, key->curve, parts_of(rule));
    if (status != JOSE_OK) return status;
    *operation = make(library, key, rule, wrapping, external,
                      (jose_options)(options | library->forced));
    return *operation == NULL ? JOSE_INTERNAL : JOSE_OK;
}

jose_status jose_keymgmt_make(jose_keymgmt **operation, jose_key *key,
                              const jose_keymgmt_rule *rule, bool wrapping, jose_options options)
{
    *operation = NULL;
    if (is_wrap_size(rule->wrap_bytes) && !wrapping && !key->is_private) return JOSE_BAD_KEY;
    return prepare(operation, key, rule, wrapping, false, options);
}

jose_status jose_keymgmt_make_external(jose_keymgmt **operation, jose_key *key,
                                       const jose_keymgmt_rule *rule, jose_options options)
{
    *operation = NULL;
    if (entries[rule->family]->use_external == NULL || key->is_private) return JOSE_BAD_KEY;
    return prepare(operation, key, rule, false, true, options);
}

void jose_keymgmt_free(jose_keymgmt *operation)
{
    if (operation == NULL) return;
    jose_slots_close(&operation->slots);
    jose_rsa_private_fast_free(operation->private_fast);
    jose_rsa_fast_free(operation->fast);
    OPENSSL_free(operation->crosscheck);
    jose_key_release(operation->key);
    OPENSSL_free(operation);
}

jose_private_acceleration jose_keymgmt_private_acceleration(const jose_keymgmt *operation)
{
    return jose_rsa_private_fast_state(operation->private_fast);
}

bool jose_keymgmt_uses_lanes(const jose_keymgmt *operation)
{
    return jose_rsa_private_fast_has_lanes(operation->private_fast);
}

// MARK: sizes

bool jose_keymgmt_supports_entry(const jose_keymgmt *operation, const jose_content_entry *content)
{
    return operation->entry->supports == NULL ||
           operation->entry->supports(operation, content->key_bytes);
}

size_t jose_keymgmt_wrapped_bytes(const jose_keymgmt *operation, const jose_content_entry *content)
{
    if (operation->entry->encrypted_key_bytes == NULL) return 0;
    return operation->entry->encrypted_key_bytes(operation, content->key_bytes);
}

bool jose_keymgmt_supports(const jose_keymgmt *operation, jose_content content)
{
    return jose_keymgmt_supports_entry(operation, jose_content_entry_of(content));
}

size_t jose_keymgmt_encrypted_key_bytes(const jose_keymgmt *operation, jose_content content)
{
    return jose_keymgmt_wrapped_bytes(operation, jose_content_entry_of(content));
}

size_t jose_keymgmt_parameter_bytes(const jose_keymgmt *operation)
{
    return operation->parameter_bytes;
}
