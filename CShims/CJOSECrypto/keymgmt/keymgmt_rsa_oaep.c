// keymgmt_rsa_oaep.c: RSAES-OAEP (RFC 7518 section 4.3). oaep.c encodes for the bare RSA operation
// of EVP. With JOSE_PROVIDER_ONLY, OpenSSL encodes instead.

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/rsa.h>
#include <string.h>

#include "runtime/choose.h"
#include "runtime/host.h"
#include "cjosekernels.h"
#include "keymgmt.h"
#include "oaep.h"
#include "keys/rsa.h"

static bool accepts_key(const jose_key *key, const jose_keymgmt_rule *rule)
{
    return key->type == JOSE_KEY_RSA && rule->wrap_bytes == 0;
}

static size_t modulus_bytes(const jose_keymgmt *operation)
{
    return jose_rsa_bytes(operation->key);
}

static size_t encrypted_key_bytes(const jose_keymgmt *operation, size_t cek_len)
{
    (void)cek_len;
    return modulus_bytes(operation);
}

static bool provider_only(const jose_keymgmt *operation)
{
    return operation->options & JOSE_PROVIDER_ONLY;
}

static size_t seed_bytes(const jose_keymgmt *operation)
{
    return provider_only(operation) ? 0 : operation->digest->bytes;
}

static bool supports(const jose_keymgmt *operation, size_t cek_len)
{
    return jose_oaep_fits(operation->digest, modulus_bytes(operation), cek_len);
}

static bool prepare(const jose_keymgmt *operation, jose_keymgmt_slot *slot)
{
    slot->work = jose_key_context(operation->library, operation->key);
    if (slot->work == NULL) return false;
    bool oaep = provider_only(operation);
    char *padding = (char *)(oaep ? OSSL_PKEY_RSA_PAD_MODE_OAEP : OSSL_PKEY_RSA_PAD_MODE_NONE);
    char *digest = (char *)operation->digest->name;
    char *properties = (char *)operation->library->properties;
    OSSL_PARAM params[6], *next = params;
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, padding, 0);
    if (oaep) {
        *next++ = OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, digest, 0);
        *next++ = OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST_PROPS,
                                                   properties, 0);
        *next++ = OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, digest, 0);
        *next++ = OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST_PROPS,
                                                   properties, 0);
    }
    *next = OSSL_PARAM_construct_end();
    return (operation->wrapping ? EVP_PKEY_encrypt_init_ex(slot->work, params)
                                : EVP_PKEY_decrypt_init_ex(slot->work, params)) == 1;
}

static void accelerate(jose_keymgmt *operation)
{
    jose_number n = jose_key_number(operation->key, 0), e = jose_key_number(operation->key, 1);
    const jose_options options = operation->options;
    if (options & JOSE_PORTABLE) return;
    if (operation->wrapping && (options & JOSE_ACCELERATE_ENCRYPTION) != 0) {
        operation->crosscheck = OPENSSL_zalloc(sizeof *operation->crosscheck);
        if (operation->crosscheck != NULL)
            operation->fast = jose_rsa_fast_new(n.bytes, n.len, e.bytes, e.len, true);
    } else if (!operation->wrapping && operation->key->is_private &&
               (options & JOSE_ACCELERATE_PRIVATE) != 0) {
        operation->fast = jose_rsa_fast_new(n.bytes, n.len, e.bytes, e.len, true);
        operation->private_fast = jose_rsa_private_fast_new(
            operation->library, operation->key, operation->fast,
            (options & JOSE_ACCELERATE_PRIVATE_FLOATING) != 0);
    }
}

static bool encrypt_by_provider(const jose_keymgmt *operation, jose_keymgmt_slot *slot,
                                uint8_t *out, const uint8_t *encoded)
{
    size_t size = modulus_bytes(operation);
    return EVP_PKEY_encrypt(slot->work, out, &size, encoded, size) == 1 &&
           size == modulus_bytes(operation);
}

// Encrypts by the kernel. Returns false if EVP must encrypt.
static bool encrypt_by_kernel(const jose_keymgmt *operation, const jose_rsa_precomp *precomp,
                              uint8_t *out, const uint8_t *encoded)
{
    const jose_rsa_outcome outcome = precomp->kernel->encrypt(precomp->vector, out, encoded);
    if (outcome == JOSE_RSA_CORRUPTED) jose_rsa_fast_report_corruption(operation->fast, precomp);
    return outcome == JOSE_RSA_DONE;
}

// Compares the results of kernel and EVP, which are public, and uses EVP's. A recipient cannot
// distinguish a wrong result of the kernel from a message for another key.
static bool encrypt_by_both(const jose_keymgmt *operation, const jose_rsa_precomp *precomp,
                            jose_keymgmt_slot *slot, uint8_t *out, const uint8_t *encoded)
{
    uint8_t by_kernel[JOSE_RSA_KERNEL_MAX_BYTES];
    const bool done = encrypt_by_kernel(operation, precomp, by_kernel, encoded);
    if (!encrypt_by_provider(operation, slot, out, encoded)) return false;
    if (!done) return true;
    if (memcmp(by_kernel, out, modulus_bytes(operation)) == 0)
        atomic_store_explicit(&operation->crosscheck->agreed, precomp, memory_order_relaxed);
    else
        jose_rsa_fast_report_mismatch(operation->fast, precomp);
    return true;
}

static bool encrypt_block(const jose_keymgmt *operation, jose_keymgmt_slot *slot, uint8_t *out,
                          const uint8_t *encoded)
{
    const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(operation->fast);
    if (precomp != NULL && precomp->kernel != NULL) {
        jose_keymgmt_crosscheck *crosscheck = operation->crosscheck;
        const unsigned number =
            atomic_fetch_add_explicit(&crosscheck->messages, 1, memory_order_relaxed);
        if (number % JOSE_RSA_CROSSCHECK_INTERVAL == 0 ||
            atomic_load_explicit(&crosscheck->agreed, memory_order_relaxed) != precomp)
            return encrypt_by_both(operation, precomp, slot, out, encoded);
        if (encrypt_by_kernel(operation, precomp, out, encoded)) return true;
    }
    return encrypt_by_provider(operation, slot, out, encoded);
}

static bool wrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_wrap *call,
                 uint8_t *cek, size_t cek_len)
{
    size_t size = modulus_bytes(operation);
    if (provider_only(operation))
        return !jose_host_replaced_random() &&  // the host would draw the seed
               EVP_PKEY_encrypt(slot->work, call->encrypted_key, &size, cek, cek_len) == 1 &&
               size == modulus_bytes(operation);
    uint8_t encoded[JOSE_MAX_MODULUS];
    jose_oaep_encode(operation->digest, operation->empty_hash, encoded, size, cek, cek_len,
                     call->seed);
    bool done = encrypt_block(operation, slot, call->encrypted_key, encoded);
    OPENSSL_cleanse(encoded, modulus_bytes(operation));
    return done;
}

// Whether 1 < c < n - 1 (SP 800-56B Rev. 2, section 7.1.2); both numbers are public. 0, 1 and n - 1
// are their own powers, and none of them encodes a key. A public kernel declines a power that
// equals its base, so EVP would compute these again.
static bool is_in_range(const jose_keymgmt *operation, const uint8_t *c)
{
    static const uint8_t zeros[JOSE_MAX_MODULUS];
    const uint8_t *n = operation->key->numbers;  // odd
    const size_t last = modulus_bytes(operation) - 1;
    const int order = memcmp(c, n, last);
    if (order == 0) return c[last] + 1 < n[last];
    return order < 0 && (c[last] > 1 || memcmp(c, zeros, last) != 0);
}

// Whether the provider succeeds and how long the key is are secrets, so one path handles all cases
// and always checks for a system failure. Only libcrypto's own code that writes and removes error
// entries differs (docs/security/secrets.md).
static bool unwrap_by_provider(jose_keymgmt_slot *slot, uint8_t *decoded, size_t capacity,
                               const jose_unwrap *call, uint8_t *cek, size_t cek_len)
{
    size_t size = capacity;
    memset(decoded, 0, cek_len);  // the provider writes nothing if it rejects
    const int done = EVP_PKEY_decrypt(slot->work, decoded, &size, call->encrypted_key,
                                      call->encrypted_key_len);
    jose_residue_clear(JOSE_RESIDUE_LIBCRYPTO_RSA);
    const uint64_t wrong = ((uint64_t)(unsigned)done ^ 1) | ((uint64_t)size ^ cek_len);
    // `wrong` is below 2^56, so the top byte of wrong - 1 is 0xff only for wrong = 0.
    jose_choose(cek, decoded, cek_len, (uint8_t)((wrong - 1) >> 56));
    return !jose_take_system_failure();
}

// By the vector kernel if the key opted in, else by EVP.
static bool decrypt_block(const jose_keymgmt *operation, jose_keymgmt_slot *slot, uint8_t *decoded,
                          const uint8_t *encrypted_key)
{
    size_t size = modulus_bytes(operation);
    if (operation->private_fast != NULL &&
        jose_rsa_private_fast_run(operation->private_fast, &slot->blinding, decoded, encrypted_key))
        return true;
    const int result = EVP_PKEY_decrypt(slot->work, decoded, &size, encrypted_key, size);
    jose_residue_clear(JOSE_RESIDUE_LIBCRYPTO_RSA);
    return result == 1 && size == modulus_bytes(operation);
}

// MARK: batches

static jose_rsa_private_fast *fast_of(const void *operation)
{
    return ((const jose_keymgmt *)operation)->private_fast;
}

static void *take_slot(const void *operation)
{
    return jose_keymgmt_take(operation);
}

static void put_slot(const void *operation, void *slot, bool failed)
{
    (void)failed;
    jose_keymgmt_put(operation, slot);
}

static jose_rsa_blinding_slot *blinding_of(void *slot)
{
    return &((jose_keymgmt_slot *)slot)->blinding;
}

static jose_status decrypt_alone(const void *operation, void *slot, jose_private_item *item)
{
    return decrypt_block(operation, slot, item->out, item->in) ? JOSE_OK : JOSE_INTERNAL;
}

// is_intact is NULL: take_block compares the encrypted key.
static const jose_private_family family = {
    fast_of, take_slot, put_slot, blinding_of, NULL, decrypt_alone};

ptrdiff_t jose_private_batch_add_key(jose_private_batch *batch, const jose_keymgmt *operation,
                                     const uint8_t *encrypted_key, size_t encrypted_key_len)
{
    jose_private_item *item = jose_private_batch_next(batch);
    if (item == NULL || operation->entry != &jose_keymgmt_rsa_oaep || operation->wrapping ||
        operation->external || provider_only(operation) ||
        encrypted_key_len != modulus_bytes(operation) || encrypted_key_len > sizeof item->in ||
        !is_in_range(operation, encrypted_key))
        return -1;
    item->family = &family;
    item->operation = operation;
    item->size = encrypted_key_len;
    memcpy(item->in, encrypted_key, encrypted_key_len);
    return jose_private_batch_take(batch);
}

// Takes the block that a batch computed of this encrypted key, or computes it now. The block is
// wiped in the batch, which may live long.
static bool take_block(const jose_keymgmt *operation, jose_keymgmt_slot *slot, uint8_t *decoded,
                       const jose_unwrap *call)
{
    jose_private_item *item = call->computed;
    const size_t size = modulus_bytes(operation);
    if (item == NULL || item->operation != operation || item->status != JOSE_OK ||
        memcmp(item->in, call->encrypted_key, size) != 0)
        return decrypt_block(operation, slot, decoded, call->encrypted_key);
    memcpy(decoded, item->out, size);
    OPENSSL_cleanse(item->out, size);
    item->status = JOSE_INTERNAL;
    return true;
}

static bool unwrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_unwrap *call,
                   uint8_t *cek, size_t cek_len)
{
    const uint8_t *encrypted_key = call->encrypted_key;
    size_t encrypted_key_len = call->encrypted_key_len;
    // Size and range are public. If one is wrong, the random key stays and fails at the tag.
    if (encrypted_key_len != modulus_bytes(operation) || !is_in_range(operation, encrypted_key))
        return true;
    uint8_t decoded[JOSE_MAX_MODULUS];
    size_t size = modulus_bytes(operation);
    bool done;
    if (provider_only(operation)) {
        done = unwrap_by_provider(slot, decoded, size, call, cek, cek_len);
    } else {
        done = take_block(operation, slot, decoded, call);
        if (done) {
            uint8_t right = jose_oaep_decode(operation->digest, operation->empty_hash, decoded,
                                             size, cek_len);
            jose_choose(cek, decoded + size - cek_len, cek_len, right);
        }
    }
    OPENSSL_cleanse(decoded, modulus_bytes(operation));
    return done;
}

// A device that decodes OAEP returns a key, of any size. Other devices return the block.
static bool use_external(const jose_keymgmt *operation, const jose_unwrap *call,
                         const jose_external_result *external, uint8_t *cek, size_t cek_len)
{
    (void)call;
    uint8_t decoded[JOSE_MAX_MODULUS];
    size_t size = modulus_bytes(operation);
    if (external->kind == JOSE_EXTERNAL_KEY && external->len == cek_len) {
        memcpy(cek, external->bytes, cek_len);
    } else if (external->kind == JOSE_EXTERNAL_BLOCK && external->len == size &&
               !operation->library->is_fips) {
        memcpy(decoded, external->bytes, size);
        uint8_t right = jose_oaep_decode(operation->digest, operation->empty_hash, decoded, size,
                                         cek_len);
        jose_choose(cek, decoded + size - cek_len, cek_len, right);
        OPENSSL_cleanse(decoded, size);
    }
    return true;
}

const jose_keymgmt_entry jose_keymgmt_rsa_oaep = {
    .parts = JOSE_PART_KEY | JOSE_PART_ENCRYPTION,
    .has_hash = true,
    .accepts_key = accepts_key,
    .encrypted_key_bytes = encrypted_key_bytes,
    .accelerate = accelerate,
    .seed_bytes = seed_bytes,
    .may_unwrap = is_in_range,
    .supports = supports,
    .prepare = prepare,
    .wrap = wrap,
    .unwrap = unwrap,
    .use_external = use_external,
};
