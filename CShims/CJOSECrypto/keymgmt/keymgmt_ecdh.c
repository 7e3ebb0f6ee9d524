// keymgmt_ecdh.c: ECDH-ES, direct or with AES key wrapping (RFC 7518 section 4.6; RFC 8037 section
// 3.2). Each message has a fresh ephemeral key. A peer's EC point is checked before the private key
// is used. Without JOSE_PROVIDER_ONLY, libsodium computes X25519 and EC_KEY the NIST curves.

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <sodium.h>
#include <string.h>

#include "aes_wrap.h"
#include "concat.h"
#include "keys/curve.h"
#include "runtime/host.h"
#include "cjosekernels.h"
#include "keymgmt.h"
#include "runtime/random.h"

// A point as OpenSSL encodes it: for EC one prefix byte and both coordinates.
enum { POINT = 1 + 2 * JOSE_MAX_COORDINATE,
       UNCOMPRESSED = 4,
       SIZE_25519 = 32 };

static bool by_sodium(const jose_keymgmt *operation)
{
    return operation->key->curve == JOSE_X25519 && !(operation->options & JOSE_PROVIDER_ONLY);
}

static bool is_ec(const jose_keymgmt *operation)
{
    return operation->key->type == JOSE_KEY_EC;
}

static bool by_ec_key(const jose_keymgmt *operation)
{
    return is_ec(operation) && !(operation->options & JOSE_PROVIDER_ONLY);
}

static bool accepts_key(const jose_key *key, const jose_keymgmt_rule *rule)
{
    (void)rule;
    return (key->type == JOSE_KEY_EC || key->type == JOSE_KEY_OKP) &&
           jose_curve_entry_of(key->curve)->offer->exchange != NULL;
}

static size_t encrypted_key_bytes(const jose_keymgmt *operation, size_t cek_len)
{
    return operation->wrap_bytes == 0 ? 0 : cek_len + JOSE_WRAP_EXTRA;
}

static size_t parameter_bytes(const jose_keymgmt *operation)
{
    return jose_curve_bytes(operation->key->curve) * (is_ec(operation) ? 2 : 1);
}

static size_t seed_bytes(const jose_keymgmt *operation)
{
    return by_sodium(operation) ? SIZE_25519 : 0;
}

// MARK: contexts

static EVP_PKEY_CTX *drawing_context(const jose_keymgmt *operation)
{
    const char *curve = jose_curve_entry_of(operation->key->curve)->name;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(
        operation->library->context, is_ec(operation) ? "EC" : curve,
        operation->library->properties);
    if (context != NULL && EVP_PKEY_keygen_init(context) == 1 &&
        (!is_ec(operation) || EVP_PKEY_CTX_set_params(context, params) == 1))
        return context;
    EVP_PKEY_CTX_free(context);
    return NULL;
}

// Makes slot->peer: the recipient's public key, or a key that each message's point overwrites.
static EVP_PKEY *public_peer(const jose_keymgmt *operation)
{
    EVP_PKEY_CTX *context = jose_key_public_context(operation->library, operation->key);
    EVP_PKEY *peer = context == NULL ? NULL : EVP_PKEY_CTX_get0_pkey(context);
    if (peer != NULL && EVP_PKEY_up_ref(peer) != 1) peer = NULL;
    EVP_PKEY_CTX_free(context);
    return peer;
}

static bool prepare(const jose_keymgmt *operation, jose_keymgmt_slot *slot)
{
    if (by_sodium(operation)) return true;
    if (is_ec(operation) && jose_host_replaced_ec()) return false;
    if (by_ec_key(operation)) {
        slot->agreement =
            jose_agreement_ec_make(operation->library, operation->key, operation->wrapping);
        return slot->agreement != NULL;
    }
    slot->peer = public_peer(operation);
    if (slot->peer == NULL) return false;
    if (operation->wrapping) {
        slot->draw = drawing_context(operation);
        return slot->draw != NULL;
    }
    slot->work = jose_key_context(operation->library, operation->key);
    return slot->work != NULL && EVP_PKEY_derive_init(slot->work) == 1;
}

// MARK: agreement

static bool derive(const jose_keymgmt *operation, EVP_PKEY_CTX *context, EVP_PKEY *peer,
                   uint8_t *shared, size_t shared_len)
{
    size_t size = shared_len;
    // The peer's point was checked when it was read. With the FIPS provider, SP 800-56A section
    // 5.6.2.2 requires the full check here.
    return EVP_PKEY_derive_set_peer_ex(context, peer, operation->library->is_fips) == 1 &&
           EVP_PKEY_derive(context, shared, &size) == 1 && size == shared_len;
}

static bool write_public(const jose_keymgmt *operation, EVP_PKEY *ephemeral, uint8_t *out)
{
    uint8_t point[POINT];
    size_t prefix = is_ec(operation) ? 1 : 0, size = 0;
    if (EVP_PKEY_get_octet_string_param(ephemeral, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, point,
                                        sizeof point, &size) != 1 ||
        size != operation->parameter_bytes + prefix || (prefix == 1 && point[0] != UNCOMPRESSED))
        return false;
    memcpy(out, point + prefix, operation->parameter_bytes);
    return true;
}

static bool agree_by_provider(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                              const jose_wrap *call, uint8_t *shared, size_t shared_len)
{
    EVP_PKEY *ephemeral = call->ephemeral == NULL ? NULL : call->ephemeral->pkey;
    if (ephemeral != NULL ? EVP_PKEY_up_ref(ephemeral) != 1
                          : jose_host_replaced_random() ||  // the host would draw the key
                                EVP_PKEY_generate(slot->draw, &ephemeral) != 1)
        return false;
    EVP_PKEY_CTX *context =
        EVP_PKEY_CTX_new_from_pkey(operation->library->context, ephemeral,
                                   operation->library->properties);
    bool done = context != NULL &&
                (call->ephemeral != NULL ||
                 jose_random_forget(operation->library, jose_curve_bytes(operation->key->curve))) &&
                EVP_PKEY_derive_init(context) == 1 &&
                write_public(operation, ephemeral, call->parameters) &&
                derive(operation, context, slot->peer, shared, shared_len);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(ephemeral);
    return done;
}

// Also writes the ephemeral public key to the parameters.
static bool agree_as_sender(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                            const jose_wrap *call, uint8_t *shared, size_t shared_len)
{
    if (by_ec_key(operation))
        return jose_agreement_ec_send(slot->agreement, call->ephemeral, call->parameters, shared,
                                      shared_len);
    if (!by_sodium(operation))
        return agree_by_provider(operation, slot, call, shared, shared_len);
    const uint8_t *scalar = call->ephemeral == NULL ? call->seed : call->ephemeral->secret;
    // libsodium rejects an all-zero shared secret (RFC 8037 section 3.2.1).
    return crypto_scalarmult_curve25519_base(call->parameters, scalar) == 0 &&
           jose_declassify(crypto_scalarmult_curve25519(
                               shared, scalar, jose_key_number(operation->key, 0).bytes) == 0);
}

// Whether an agreement failed because of the message. libcrypto leaves an error entry if it rejects
// a point. With a valid EC point, only a system failure is possible.
static bool is_rejection(const jose_keymgmt *operation, bool is_point)
{
    if (is_point && is_ec(operation)) return false;
    return jose_host_first_library() != 0 && !jose_take_system_failure();
}

// *usable is false if the message's ephemeral key is not on this curve or the secret is zero; both
// facts are public. Returns false only after a system failure (host.h).
static bool agree_as_recipient(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                               const uint8_t *ephemeral, uint8_t *shared, size_t shared_len,
                               bool *usable)
{
    if (by_sodium(operation)) {
        *usable = jose_declassify(
            crypto_scalarmult_curve25519(shared, operation->key->secret, ephemeral) == 0);
        return true;
    }
    if (by_ec_key(operation)) {
        bool is_point;
        *usable =
            jose_agreement_ec_receive(slot->agreement, ephemeral, shared, shared_len, &is_point);
        return *usable || is_rejection(operation, is_point);
    }
    uint8_t point[POINT] = {UNCOMPRESSED};
    size_t prefix = is_ec(operation) ? 1 : 0;
    memcpy(point + prefix, ephemeral, operation->parameter_bytes);
    // This rejects coordinates that are not below p and points off the curve.
    bool is_point = EVP_PKEY_set1_encoded_public_key(slot->peer, point,
                                                     operation->parameter_bytes + prefix) == 1;
    *usable = is_point && derive(operation, slot->work, slot->peer, shared, shared_len);
    return *usable || is_rejection(operation, is_point);
}

// MARK: wrapping and unwrapping

static bool derive_key(const jose_keymgmt *operation, const jose_content_entry *content,
                       const jose_recipient *recipient, uint8_t *out, const uint8_t *shared,
                       size_t shared_len)
{
    static const char *const names[] = {"ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW"};
    size_t kek_len = operation->wrap_bytes;
    return jose_concat_derive(operation->library, operation->options, out,
                              kek_len == 0 ? content->key_bytes : kek_len, shared, shared_len,
                              kek_len == 0 ? content->name : names[kek_len / 8 - 2], recipient);
}

// libcrypto leaves limbs of the shared secret on the stack; jose_residue_clear wipes them.
static bool wrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_wrap *call,
                 uint8_t *cek, size_t cek_len)
{
    uint8_t shared[JOSE_MAX_COORDINATE], kek[JOSE_MAX_CEK];
    size_t shared_len = jose_curve_bytes(operation->key->curve), kek_len = operation->wrap_bytes;
    bool done = agree_as_sender(operation, slot, call, shared, shared_len) &&
                derive_key(operation, call->content, call->recipient, kek_len == 0 ? cek : kek,
                           shared, shared_len) &&
                (kek_len == 0 || jose_aes_wrap_under(operation->library, kek, kek_len,
                                                     call->encrypted_key, cek, cek_len));
    OPENSSL_cleanse(shared, sizeof shared);
    OPENSSL_cleanse(kek, sizeof kek);
    jose_residue_clear(JOSE_RESIDUE_AGREEMENT);
    return done;
}

static bool unwrap_with(const jose_keymgmt *operation, const jose_unwrap *call,
                        const uint8_t *shared, size_t shared_len, uint8_t *cek, size_t cek_len)
{
    size_t kek_len = operation->wrap_bytes;
    uint8_t kek[JOSE_MAX_CEK];
    bool done = derive_key(operation, call->content, call->recipient, kek_len == 0 ? cek : kek,
                           shared, shared_len) &&
                (kek_len == 0 ||
                 jose_aes_unwrap_under(operation->library, kek, kek_len, cek, cek_len,
                                       call->encrypted_key, call->encrypted_key_len));
    OPENSSL_cleanse(kek, sizeof kek);
    return done;
}

static bool unwrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_unwrap *call,
                   uint8_t *cek, size_t cek_len)
{
    size_t shared_len = jose_curve_bytes(operation->key->curve);
    if (call->encrypted_key_len != encrypted_key_bytes(operation, cek_len)) return true;
    uint8_t shared[JOSE_MAX_COORDINATE];
    bool usable = false;
    bool done = agree_as_recipient(operation, slot, call->recipient->parameters, shared, shared_len,
                                   &usable);
    if (usable) done = unwrap_with(operation, call, shared, shared_len, cek, cek_len);
    OPENSSL_cleanse(shared, sizeof shared);
    jose_residue_clear(JOSE_RESIDUE_AGREEMENT);
    return done;
}

// RFC 8037 section 3.2.1: an all-zero secret is rejected, also from an external key.
static bool is_zero(const uint8_t *shared, size_t shared_len)
{
    uint8_t bits = 0;
    for (size_t i = 0; i < shared_len; i++) bits |= shared[i];
    return jose_declassify(bits == 0);
}

static bool use_external(const jose_keymgmt *operation, const jose_unwrap *call,
                         const jose_external_result *external, uint8_t *cek, size_t cek_len)
{
    size_t shared_len = jose_curve_bytes(operation->key->curve);
    if (call->encrypted_key_len != encrypted_key_bytes(operation, cek_len) ||
        external->kind != JOSE_EXTERNAL_SHARED || external->len != shared_len ||
        (!is_ec(operation) && is_zero(external->bytes, shared_len)))
        return true;
    bool done = unwrap_with(operation, call, external->bytes, shared_len, cek, cek_len);
    jose_residue_clear(JOSE_RESIDUE_AGREEMENT);
    return done;
}

const jose_keymgmt_entry jose_keymgmt_ecdh = {
    .parts = JOSE_PART_KEY | JOSE_PART_EXCHANGE | 1 << JOSE_SHA256,  // the Concat KDF's hash
    .wrap_cipher_128 = JOSE_AES_128_KW,
    .determines_cek = true,
    .accepts_key = accepts_key,
    .encrypted_key_bytes = encrypted_key_bytes,
    .parameter_bytes = parameter_bytes,
    .seed_bytes = seed_bytes,
    .prepare = prepare,
    .wrap = wrap,
    .unwrap = unwrap,
    .use_external = use_external,
};
