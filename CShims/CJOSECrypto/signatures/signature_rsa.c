// signature_rsa.c: what the two RSA families share: EVP on digests, and faster implementations.
// Each new signature is verified before it is returned.

#include "signature_rsa.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/rsa.h>
#include <string.h>

#include "runtime/host.h"
#include "cjosekernels.h"
#include "keys/rsa.h"
#include "keys/rsa_private_batch.h"

size_t jose_signature_rsa_bytes(const jose_key *key, const jose_digest_entry *digest)
{
    (void)digest;
    return jose_rsa_bytes(key);
}

// MARK: the faster implementations

void jose_signature_rsa_accelerate(jose_signature *operation)
{
    jose_number n = jose_key_number(operation->key, 0), e = jose_key_number(operation->key, 1);
    operation->fast = jose_rsa_fast_new(n.bytes, n.len, e.bytes, e.len,
                                        !(operation->options & JOSE_PORTABLE));
    if (operation->signing && (operation->options & JOSE_ACCELERATE_PRIVATE) != 0 &&
        !(operation->options & JOSE_PORTABLE))
        operation->private_fast = jose_rsa_private_fast_new(
            operation->library, operation->key, operation->fast,
            (operation->options & JOSE_ACCELERATE_PRIVATE_FLOATING) != 0);
}

const jose_rsa_precomp *jose_signature_rsa_precomp(const jose_signature *operation)
{
    if (operation->fast == NULL) return NULL;
    const jose_rsa_precomp *precomp = jose_rsa_fast_ready(operation->fast);
    if (precomp != NULL) return precomp;
    JOSE_HOST_SCOPE;
    precomp = jose_rsa_fast_precomp(operation->fast);
    return precomp;
}

static bool is_encoding(const jose_signature *operation, uint8_t *opened, const uint8_t *digest)
{
    return operation->entry->scheme->is_encoding(operation, opened, digest);
}

static jose_fast_check check_with(const jose_signature *operation, const jose_rsa_precomp *precomp,
                                  jose_rsa_bn_scratch **scratch, const uint8_t *digest,
                                  const uint8_t *signature)
{
    uint8_t opened[JOSE_RSA_FAST_MAX_BYTES];
    jose_fast_check seen = {JOSE_FAST_UNDECIDED, precomp};
    if (jose_rsa_fast_open(operation->fast, precomp, scratch, opened, signature) == JOSE_RSA_DONE)
        seen.result =
            is_encoding(operation, opened, digest) ? JOSE_FAST_ACCEPTED : JOSE_FAST_DIFFERS;
    return seen;
}

// Decodes the payload while the message is hashed. A hash waits for its own last result, so the
// processor can decode meanwhile. Malformed text is hashed to its end, since a wrong signature is
// reported before malformed text.
static void hash_and_decode(const jose_digest_entry *entry, uint8_t *out, const uint8_t *message,
                            size_t message_len, jose_payload *payload)
{
    const jose_decoder *decoder = &payload->decoder;
    const size_t chunk = decoder->chunk;
    const uint8_t *text = message + payload->from;
    uint8_t *bytes = payload->bytes;
    jose_digest_state state;
    entry->start(&state);
    // The first piece ends at a block of the hash, so that the others are whole blocks.
    size_t hashed = payload->from + (entry->block_bytes - payload->from % entry->block_bytes);
    if (hashed > message_len) hashed = message_len;
    entry->update(&state, message, hashed);
    bool right = true;
    for (; message_len - hashed >= chunk; hashed += chunk, text += chunk, bytes += chunk / 4 * 3) {
        right = right && decoder->decode(bytes, text, chunk);
        entry->update(&state, message + hashed, chunk);
    }
    right = right && decoder->decode(bytes, text, (size_t)(message + message_len - text));
    entry->update(&state, message + hashed, message_len - hashed);
    entry->finish(out, &state);
    if (!right) OPENSSL_cleanse(payload->bytes, payload->len);
    payload->result = right ? JOSE_PAYLOAD_DECODED : JOSE_PAYLOAD_MALFORMED;
}

jose_fast_check jose_signature_rsa_check_fast(const jose_signature *operation,
                                              const uint8_t *message, size_t message_len,
                                              jose_payload *payload, const uint8_t *signature)
{
    uint8_t digest[JOSE_MAX_DIGEST];
    const jose_rsa_precomp *precomp = jose_signature_rsa_precomp(operation);
    if (precomp == NULL || precomp->kernel == NULL)
        return (jose_fast_check){JOSE_FAST_NONE, precomp};
    if (payload == NULL)
        jose_digest_once(operation->digest, digest, message, message_len);
    else
        hash_and_decode(operation->digest, digest, message, message_len, payload);
    return check_with(operation, precomp, NULL, digest, signature);
}

// MARK: the second check

// Makes a key for OpenSSL's Montgomery functions, from the numbers of EVP's own key.
static jose_rsa_bn_key *recheck_key_new(EVP_PKEY_CTX *context)
{
    EVP_PKEY *pkey = EVP_PKEY_CTX_get0_pkey(context);
    BIGNUM *n = NULL, *e = NULL;
    jose_rsa_bn_key *key = NULL;
    if (EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &n) == 1 &&
        EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &e) == 1)
        key = jose_rsa_bn_key_new(n, e);
    BN_free(n);
    BN_free(e);
    return key;
}

// Checks again a signature that opened to another block, with a separate copy of n and e. If both
// checks find the signature wrong, EVP is not needed.
static jose_fast_check recheck(const jose_signature *operation, jose_signature_slot *slot,
                               const uint8_t *digest, const uint8_t *signature)
{
    uint8_t opened[JOSE_RSA_FAST_MAX_BYTES];
    jose_fast_check seen = {JOSE_FAST_UNDECIDED, NULL};
    if (slot->recheck_key == NULL) slot->recheck_key = recheck_key_new(slot->work);
    if (slot->scratch == NULL) slot->scratch = jose_rsa_bn_scratch_new();
    if (slot->recheck_key == NULL || slot->scratch == NULL) return seen;
    if (jose_rsa_bn_run(slot->recheck_key, slot->scratch, opened, signature) == JOSE_RSA_DONE)
        seen.result =
            is_encoding(operation, opened, digest) ? JOSE_FAST_ACCEPTED : JOSE_FAST_DIFFERS;
    return seen;
}

// MARK: EVP

static bool make_check(const jose_signature *operation, jose_signature_slot *slot)
{
    OSSL_PARAM params[JOSE_RSA_PARAMS];
    operation->entry->scheme->fill(params, operation);
    return jose_signature_make_check(operation, slot, params);
}

bool jose_signature_rsa_prepare(const jose_signature *operation, jose_signature_slot *slot)
{
    OSSL_PARAM params[JOSE_RSA_PARAMS];
    operation->entry->scheme->fill(params, operation);
    return jose_signature_make_work(operation, slot, params) &&
           (!operation->signing || operation->fast != NULL || make_check(operation, slot));
}

static bool is_other_block(const jose_signature *operation, const uint8_t *digest,
                           const uint8_t *signature)
{
    uint8_t opened[JOSE_MAX_MODULUS];
    const bool is_open =
        jose_rsa_open_by_evp(operation->library, operation->key, opened, signature);
    return is_open && !is_encoding(operation, opened, digest);
}

// EVP rejects a wrong signature with an error entry of libcrypto's RSA code. With PKCS#1, EVP may
// also reject a signature without an entry: if nothing follows the padding. So the block is then
// computed once more, and another block means a wrong signature. All else is a failure.
static jose_status verify_by_evp(const jose_signature *operation, EVP_PKEY_CTX *context,
                                 const uint8_t *digest, const uint8_t *signature)
{
    if (EVP_PKEY_verify(context, signature, operation->bytes, digest, operation->digest->bytes) ==
        1)
        return JOSE_OK;
    bool is_explained = jose_host_first_library() == ERR_LIB_RSA;
    if (jose_library_failed(operation->library)) return JOSE_INTERNAL;
    if (is_explained) return JOSE_REJECTED;
    return operation->entry->scheme->may_reject_without_error &&
                   is_other_block(operation, digest, signature)
               ? JOSE_REJECTED
               : JOSE_INTERNAL;
}

// Call it if the signature is valid. If `seen` differs, the faster implementation made an error.
static void report_mismatch(const jose_signature *operation, jose_fast_check seen)
{
    if (seen.result == JOSE_FAST_DIFFERS)
        jose_rsa_fast_report_mismatch(operation->fast, seen.precomp);
}

// MARK: public functions

// is_explained: the arithmetic failed or the new signature is wrong, without a system failure. If
// the key was imported, its numbers are then the cause.
static jose_status failure_of(const jose_signature *operation, bool is_explained)
{
    return operation->key->is_imported && is_explained ? JOSE_BAD_KEY : JOSE_INTERNAL;
}

// Verifies with a separate copy of n and e before the signature is returned: libcrypto accepts a
// corrupted modulus, and a wrong signature might reveal the key.
static jose_status check_own(const jose_signature *operation, jose_signature_slot *slot,
                             const uint8_t *digest, const uint8_t *signature)
{
    jose_fast_check seen = check_with(operation, jose_signature_rsa_precomp(operation),
                                      &slot->scratch, digest, signature);
    if (seen.result == JOSE_FAST_ACCEPTED) return JOSE_OK;
    if (slot->check == NULL && !make_check(operation, slot)) return JOSE_INTERNAL;
    const jose_status status = verify_by_evp(operation, slot->check, digest, signature);
    if (status != JOSE_OK) return failure_of(operation, status == JOSE_REJECTED);
    report_mismatch(operation, seen);
    return JOSE_OK;
}

// jose_rsa_private_fast_run compares the public operation's result with the whole block. The block
// must still encode the digest afterwards. Returns false if EVP must sign.
static bool sign_fast(const jose_signature *operation, jose_signature_slot *slot,
                      uint8_t *signature, const uint8_t *digest)
{
    uint8_t block[JOSE_MAX_MODULUS];
    return operation->entry->scheme->encode(operation, block, digest) &&
           jose_rsa_private_fast_run(operation->private_fast, &slot->blinding, signature, block) &&
           is_encoding(operation, block, digest);
}

// Whether EVP would let the host's random generator draw the salt. Then nothing is signed, so that
// success does not depend on which implementation would sign.
static bool would_have_hosts_salt(const jose_signature *operation)
{
    return operation->entry->scheme->has_salt && jose_host_replaced_random();
}

static jose_status sign_digest(const jose_signature *operation, jose_signature_slot *slot,
                               uint8_t *signature, const uint8_t *digest)
{
    size_t size = operation->bytes;
    if (would_have_hosts_salt(operation)) return JOSE_INTERNAL;
    if (operation->private_fast != NULL) {
        uint8_t original_digest[JOSE_MAX_DIGEST];
        memcpy(original_digest, digest, operation->digest->bytes);
        const bool is_signed = sign_fast(operation, slot, signature, digest);
        // If the digest changed in the meantime, the signature is valid for the changed digest.
        if (memcmp(original_digest, digest, operation->digest->bytes) != 0) {
            OPENSSL_cleanse(signature, size);
            return JOSE_INTERNAL;
        }
        if (is_signed) return JOSE_OK;
    }
    const int result =
        EVP_PKEY_sign(slot->work, signature, &size, digest, operation->digest->bytes);
    jose_residue_clear(JOSE_RESIDUE_LIBCRYPTO_RSA);
    if (result != 1 || size != operation->bytes) {
        // The arithmetic leaves an entry of BN or RSA, the random generator one of another part.
        const int library = jose_host_first_library();
        const bool is_explained = library == ERR_LIB_BN || library == ERR_LIB_RSA;
        return failure_of(operation, is_explained && !jose_take_system_failure());
    }
    return check_own(operation, slot, digest, signature);
}

jose_status jose_signature_rsa_sign(const jose_signature *operation, jose_signature_slot *slot,
                                    uint8_t *signature, const uint8_t *message, size_t message_len)
{
    uint8_t digest[JOSE_MAX_DIGEST];
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    return sign_digest(operation, slot, signature, digest);
}

jose_status jose_signature_rsa_verify(const jose_signature *operation, jose_signature_slot *slot,
                                      const uint8_t *message, size_t message_len,
                                      const uint8_t *signature)
{
    uint8_t digest[JOSE_MAX_DIGEST];
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    jose_fast_check seen = slot->fast_check;
    if (seen.result == JOSE_FAST_NONE)
        seen = check_with(operation, seen.precomp, &slot->scratch, digest, signature);
    if (seen.result == JOSE_FAST_ACCEPTED) return JOSE_OK;
    jose_fast_check again = {JOSE_FAST_UNDECIDED, NULL};
    if (seen.result == JOSE_FAST_DIFFERS)
        again = recheck(operation, slot, digest, signature);
    if (again.result == JOSE_FAST_DIFFERS) return JOSE_REJECTED;
    jose_status status = again.result == JOSE_FAST_ACCEPTED
                             ? JOSE_OK
                             : verify_by_evp(operation, slot->work, digest, signature);
    if (status == JOSE_OK) report_mismatch(operation, seen);
    return status;
}

// MARK: batches

static jose_rsa_private_fast *fast_of(const void *operation)
{
    return ((const jose_signature *)operation)->private_fast;
}

static void *take_slot(const void *operation)
{
    return jose_slots_take(&((const jose_signature *)operation)->slots, operation);
}

// A context that failed once may have a corrupted key: it never signs again.
static void put_slot(const void *operation, void *slot, bool failed)
{
    const jose_slots *slots = &((const jose_signature *)operation)->slots;
    if (failed)
        slots->release(slot);
    else
        jose_slots_put(slots, slot);
}

static jose_rsa_blinding_slot *blinding_of(void *slot)
{
    return &((jose_signature_slot *)slot)->blinding;
}

// Whether the signed block encodes the digest. is_encoding changes its block, so it gets a copy.
static bool is_intact(const void *operation, const jose_private_item *item)
{
    uint8_t block[JOSE_RSA_FAST_MAX_BYTES];
    memcpy(block, item->in, sizeof block);
    return is_encoding(operation, block, item->digest);
}

static jose_status sign_alone(const void *operation, void *slot, jose_private_item *item)
{
    const jose_signature *signer = operation;
    if (memcmp(item->original_digest, item->digest, signer->digest->bytes) != 0)
        return JOSE_INTERNAL;
    return sign_digest(signer, slot, item->out, item->digest);
}

static const jose_private_family family = {fast_of, take_slot, put_slot,
                                           blinding_of, is_intact, sign_alone};

ptrdiff_t jose_private_batch_add_digest(jose_private_batch *batch, const jose_signature *operation,
                                        const uint8_t *digest, size_t digest_len)
{
    jose_private_item *item = jose_private_batch_next(batch);
    if (item == NULL || !operation->signing || operation->entry->scheme == NULL ||
        (operation->options & JOSE_PROVIDER_ONLY) != 0 || operation->bytes > sizeof item->in ||
        digest_len != operation->digest->bytes)
        return -1;
    item->family = &family;
    item->operation = operation;
    item->size = operation->bytes;
    memcpy(item->digest, digest, digest_len);
    memcpy(item->original_digest, digest, digest_len);
    JOSE_HOST_SCOPE;
    if (would_have_hosts_salt(operation)) return -1;
    // Only a vector kernel needs the block: EVP gets the digest.
    if (operation->private_fast != NULL &&
        !operation->entry->scheme->encode(operation, item->in, digest))
        return -1;
    return jose_private_batch_take(batch);
}

ptrdiff_t jose_private_batch_add_message(jose_private_batch *batch, const jose_signature *operation,
                                         const uint8_t *message, size_t message_len)
{
    uint8_t digest[JOSE_MAX_DIGEST];
    if (operation->entry->scheme == NULL || (operation->options & JOSE_PROVIDER_ONLY) != 0)
        return -1;
    jose_digest_once(operation->digest, digest, message, message_len);
    return jose_private_batch_add_digest(batch, operation, digest, operation->digest->bytes);
}
