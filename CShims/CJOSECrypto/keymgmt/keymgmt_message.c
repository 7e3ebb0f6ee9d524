// keymgmt_message.c: encrypts and decrypts a whole message in one call. Except for `dir`, whose key
// is the operation's, the content encryption key is only on the stack of that call.

#include <openssl/crypto.h>

#include "runtime/host.h"
#include "keymgmt.h"
#include "runtime/random.h"

// MARK: encryption

bool jose_seal_output_is_right(const jose_content_entry *content, const jose_seal_output *out,
                               size_t plaintext_len)
{
    size_t ciphertext_len = content->ciphertext_bytes(plaintext_len);
    return out->iv_len == content->iv_bytes && out->tag_len == content->tag_bytes &&
           ciphertext_len != SIZE_MAX && out->ciphertext_len == ciphertext_len;
}

// Returns the operation's key, prepared in this slot as a content key. NULL on failure.
static const jose_content_ready *prepare_direct(const jose_keymgmt *operation,
                                                jose_keymgmt_slot *slot,
                                                const jose_content_entry *content)
{
    if (slot->direct.entry == content ||
        jose_content_ready_make(&slot->direct, content, operation->library,
                                operation->key->secret, operation->wrapping))
        return &slot->direct;
    return NULL;
}

static bool seal_directly(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                          jose_content_call message, const jose_seal_output *out,
                          const uint8_t *plaintext, size_t plaintext_len)
{
    message.key = operation->key->secret;
    message.ready = prepare_direct(operation, slot, message.entry);
    message.iv = out->iv;
    if (operation->library->is_fips) message.generated_iv = out->iv;
    return message.ready != NULL && jose_random_draw(operation->library, out->iv, out->iv_len) &&
           message.entry->encrypt(&message, out->ciphertext, out->tag, plaintext, plaintext_len) ==
               JOSE_OK;
}

static bool seal(const jose_keymgmt *operation, jose_keymgmt_slot *slot, jose_content_call message,
                 const jose_seal_output *out, const uint8_t *plaintext, size_t plaintext_len)
{
    const jose_content_entry *content = message.entry;
    if (operation->entry->is_direct)
        return seal_directly(operation, slot, message, out, plaintext, plaintext_len);
    // One draw for key, IV and seed.
    uint8_t random[JOSE_MAX_CEK + JOSE_MAX_IV + JOSE_MAX_SEED];
    uint8_t *cek = random, *iv = cek + content->key_bytes, *seed = iv + content->iv_bytes;
    size_t drawn = content->key_bytes + content->iv_bytes + operation->seed_bytes;
    if (!jose_random_draw(operation->library, random, drawn)) return false;
    message.key = cek;
    message.iv = iv;
    if (operation->library->is_fips) message.generated_iv = iv;
    const jose_wrap call = {.content = content, .encrypted_key = out->encrypted_key, .seed = seed};
    bool done =
        operation->entry->wrap(operation, slot, &call, cek, content->key_bytes) &&
        content->encrypt(&message, out->ciphertext, out->tag, plaintext, plaintext_len) == JOSE_OK;
    if (done)
        for (size_t i = 0; i < content->iv_bytes; i++) out->iv[i] = iv[i];
    OPENSSL_cleanse(random, drawn);
    return done;
}

void jose_seal_output_wipe(const jose_seal_output *out)
{
    OPENSSL_cleanse(out->iv, out->iv_len);
    OPENSSL_cleanse(out->ciphertext, out->ciphertext_len);
    OPENSSL_cleanse(out->tag, out->tag_len);
}

jose_status jose_keymgmt_seal(const jose_keymgmt *operation, jose_content content,
                              const jose_seal_output *out, const uint8_t *aad, size_t aad_len,
                              const uint8_t *plaintext, size_t plaintext_len)
{
    const jose_content_entry *entry = jose_content_entry_of(content);
    if (!operation->wrapping || operation->parameter_bytes != 0 ||
        out->encrypted_key_len != jose_keymgmt_wrapped_bytes(operation, entry) ||
        !jose_seal_output_is_right(entry, out, plaintext_len))
        return JOSE_INTERNAL;
    if (!jose_keymgmt_supports_entry(operation, entry)) return JOSE_BAD_KEY;
    if (!jose_content_is_supported(entry, operation->library)) return JOSE_UNSUPPORTED;

    JOSE_HOST_SCOPE;
    jose_keymgmt_slot *slot = jose_keymgmt_take(operation);
    jose_content_call message = {
        entry, operation->library, operation->options, NULL, NULL, NULL, aad, aad_len, NULL};
    bool done = false;
    if (slot != NULL) {
        done = seal(operation, slot, message, out, plaintext, plaintext_len);
        jose_keymgmt_put(operation, slot);
    }
    if (!done) {
        OPENSSL_cleanse(out->encrypted_key, out->encrypted_key_len);
        jose_seal_output_wipe(out);
    }
    return done ? JOSE_OK : JOSE_INTERNAL;
}

// MARK: decryption

// Lengths are public: a wrong one may be rejected at once.
static bool are_lengths_right(const jose_keymgmt *operation, const jose_content_entry *content,
                              const jose_open_input *in)
{
    return in->iv_len == content->iv_bytes && in->tag_len == content->tag_bytes &&
           content->ciphertext_possible(in->ciphertext_len) &&
           (in->recipient.parameters_len == operation->parameter_bytes ||
            operation->entry->reads_any_parameter_size);
}

bool jose_keymgmt_may_open(const jose_keymgmt *operation, jose_content content,
                           const jose_open_input *in)
{
    const jose_content_entry *entry = jose_content_entry_of(content);
    return are_lengths_right(operation, entry, in) &&
           in->encrypted_key_len == jose_keymgmt_wrapped_bytes(operation, entry) &&
           (operation->entry->may_unwrap == NULL ||
            operation->entry->may_unwrap(operation, in->encrypted_key));
}

// Decodes the ciphertext, unless content decryption does that: *left is what remains to be decoded.
static bool decode_before(const jose_keymgmt *operation, const jose_content_entry *content,
                          const jose_open_input *in, jose_encoded *left)
{
    *left = in->encoded;
    if (left->text == NULL || (content->decodes && !(operation->options & JOSE_PROVIDER_ONLY)))
        return true;
    left->text = NULL;
    return in->encoded.decoder.decode(in->ciphertext, in->encoded.text,
                                      jose_encoded_bytes(in->ciphertext_len));
}

// If the key cannot be unwrapped, the random key is used and the tag decides. Only a system failure
// makes `unwrap` return false.
static jose_status open(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                        jose_content_call message, size_t *plaintext_len, const jose_open_input *in,
                        const jose_external_result *external)
{
    const jose_content_entry *content = message.entry;
    jose_encoded encoded;
    if (!decode_before(operation, content, in, &encoded)) return JOSE_REJECTED;
    // RFC 7516 section 5.2, step 10: there must be no encrypted key. If there is one, the random
    // key below is used, and the tag rejects the token.
    if (operation->entry->is_direct && in->encrypted_key_len == 0) {
        message.key = operation->key->secret;
        message.ready = prepare_direct(operation, slot, content);
        if (message.ready == NULL) return JOSE_INTERNAL;
        return content->decrypt(&message, plaintext_len, in->ciphertext, in->ciphertext_len,
                                &encoded, in->tag);
    }
    uint8_t cek[JOSE_MAX_CEK];
    message.key = cek;
    if (!jose_random_draw(operation->library, cek, content->key_bytes)) return JOSE_INTERNAL;
    const jose_unwrap call = {
        .content = content,
        .recipient = &in->recipient,
        .encrypted_key = in->encrypted_key,
        .encrypted_key_len = in->encrypted_key_len,
        .computed = in->batch == NULL ? NULL : jose_private_batch_item(in->batch, in->index),
    };
    jose_status status = JOSE_INTERNAL;
    if (external == NULL
            ? operation->entry->unwrap(operation, slot, &call, cek, content->key_bytes)
            : operation->entry->use_external(operation, &call, external, cek, content->key_bytes))
        status = content->decrypt(&message, plaintext_len, in->ciphertext, in->ciphertext_len,
                                  &encoded, in->tag);
    OPENSSL_cleanse(cek, content->key_bytes);
    return status;
}

static jose_status open_message(const jose_keymgmt *operation, jose_content content,
                                size_t *plaintext_len, const jose_open_input *in,
                                const jose_external_result *external, const uint8_t *aad,
                                size_t aad_len)
{
    *plaintext_len = 0;
    const jose_content_entry *entry = jose_content_entry_of(content);
    if (operation->wrapping || operation->external != (external != NULL) ||
        (in->encoded.text != NULL && !jose_decoder_can_interleave(&in->encoded.decoder)))
        return JOSE_INTERNAL;
    if (!are_lengths_right(operation, entry, in)) return JOSE_REJECTED;
    if (!jose_keymgmt_supports_entry(operation, entry)) return JOSE_BAD_KEY;
    if (!jose_content_is_supported(entry, operation->library)) return JOSE_UNSUPPORTED;

    JOSE_HOST_SCOPE;
    jose_content_call message = {
        entry, operation->library, operation->options, NULL, NULL, in->iv, aad, aad_len, NULL};
    // An external result needs no context: no key of this library is used.
    if (external != NULL) return open(operation, NULL, message, plaintext_len, in, external);
    jose_keymgmt_slot *slot = jose_keymgmt_take(operation);
    if (slot == NULL) return JOSE_INTERNAL;
    const jose_status status = open(operation, slot, message, plaintext_len, in, NULL);
    jose_keymgmt_put(operation, slot);
    return status;
}

jose_status jose_keymgmt_open(const jose_keymgmt *operation, jose_content content,
                              size_t *plaintext_len, const jose_open_input *in, const uint8_t *aad,
                              size_t aad_len)
{
    return open_message(operation, content, plaintext_len, in, NULL, aad, aad_len);
}

jose_status jose_keymgmt_open_external(const jose_keymgmt *operation, jose_content content,
                                       size_t *plaintext_len, const jose_open_input *in,
                                       const jose_external_result *external, const uint8_t *aad,
                                       size_t aad_len)
{
    return open_message(operation, content, plaintext_len, in, external, aad, aad_len);
}
