// signature_rsa.c: what the two RSA families share: EVP_PKEY_sign and EVP_PKEY_verify on digests, and
// the faster public operations beside them. Each signature of ours is looked at before it leaves.

#include "signature_rsa.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/rsa.h>

#include "runtime/host.h"
#include "cjosekernels.h"
#include "keys/rsa.h"

size_t jose_signature_rsa_bytes(const jose_key *key, const jose_digest_row_t *digest)
{
    (void)digest;
    return jose_rsa_bytes(key);
}

// MARK: the faster ways

void jose_signature_rsa_accelerate(jose_signature *operation)
{
    jose_number n = jose_key_number(operation->key, 0), e = jose_key_number(operation->key, 1);
    operation->fast = jose_rsa_fast_new(n.bytes, n.len, e.bytes, e.len,
                                        !(operation->options & JOSE_PORTABLE));
}

const jose_rsa_form *jose_signature_rsa_form(const jose_signature *operation)
{
    if (operation->fast == NULL) return NULL;
    const jose_rsa_form *form = jose_rsa_fast_ready(operation->fast);
    if (form != NULL) return form;
    JOSE_HOST_SCOPE;
    form = jose_rsa_fast_form(operation->fast);
    return form;
}

static bool is_encoding(const jose_signature *operation, uint8_t *opened, const uint8_t *digest)
{
    return operation->row->scheme->is_encoding(operation, opened, digest);
}

static jose_look look(const jose_signature *operation, const jose_rsa_form *form,
                      jose_rsa_bn_scratch **scratch, const uint8_t *digest,
                      const uint8_t *signature)
{
    uint8_t opened[JOSE_RSA_FAST_MAX_BYTES];
    jose_look seen = {JOSE_LOOK_DECLINED, form};
    if (jose_rsa_fast_opens(operation->fast, form, scratch, opened, signature) == JOSE_RSA_DONE)
        seen.said = is_encoding(operation, opened, digest) ? JOSE_LOOK_ACCEPTED : JOSE_LOOK_DIFFERS;
    return seen;
}

// Hashes a message in turns with the payload that it ends in. A hash waits for itself, so that a processor decodes the text beside
// it where the two stand close to each other. A malformed text is hashed to its end: the signature is judged first.
static void hash_reading(const jose_digest_row_t *row, uint8_t *out, const uint8_t *message, size_t message_len,
                         jose_payload *payload)
{
    const jose_decoder *decoder = &payload->decoder;
    const size_t turn = decoder->turn;
    const uint8_t *text = message + payload->from;
    uint8_t *bytes = payload->bytes;
    jose_digest_state state;
    row->start(&state);
    // The first piece ends where a block of the hash does, so that the others are such blocks.
    size_t hashed = payload->from + (row->block_bytes - payload->from % row->block_bytes);
    if (hashed > message_len) hashed = message_len;
    row->update(&state, message, hashed);
    bool right = true;
    for (; message_len - hashed >= turn; hashed += turn, text += turn, bytes += turn / 4 * 3) {
        right = right && decoder->decode(bytes, text, turn);
        row->update(&state, message + hashed, turn);
    }
    right = right && decoder->decode(bytes, text, (size_t)(message + message_len - text));
    row->update(&state, message + hashed, message_len - hashed);
    row->finish(out, &state);
    if (!right) OPENSSL_cleanse(payload->bytes, payload->len);
    payload->fate = right ? JOSE_PAYLOAD_READ : JOSE_PAYLOAD_MALFORMED;
}

jose_look jose_signature_rsa_at_once(const jose_signature *operation, const uint8_t *message,
                                     size_t message_len, jose_payload *payload,
                                     const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    const jose_rsa_form *form = jose_signature_rsa_form(operation);
    if (form == NULL || form->kernel == NULL) return (jose_look){JOSE_LOOK_NONE, form};
    if (payload == NULL)
        jose_digest_once(operation->digest, digest, message, message_len);
    else
        hash_reading(operation->digest, digest, message, message_len, payload);
    return look(operation, form, NULL, digest, signature);
}

// MARK: the second look

// OpenSSL's Montgomery functions, on the numbers of EVP's own key.
static jose_rsa_bn_key *judge_new(EVP_PKEY_CTX *context)
{
    EVP_PKEY *pkey = EVP_PKEY_CTX_get0_pkey(context);
    BIGNUM *n = NULL, *e = NULL;
    jose_rsa_bn_key *judge = NULL;
    if (EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &n) == 1 &&
        EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &e) == 1)
        judge = jose_rsa_bn_key_new(n, e);
    BN_free(n);
    BN_free(e);
    return judge;
}

// Looks at a signature again that opened to something else. Whatever the first look worked with, this one has a key of its
// own: made once for a slot, from numbers that are not those of the first. What both call wrong needs no third judge.
static jose_look look_again(const jose_signature *operation, jose_signature_slot *slot,
                            const uint8_t *digest, const uint8_t *signature)
{
    uint8_t opened[JOSE_RSA_FAST_MAX_BYTES];
    jose_look seen = {JOSE_LOOK_DECLINED, NULL};
    if (slot->judge == NULL) slot->judge = judge_new(slot->work);
    if (slot->scratch == NULL) slot->scratch = jose_rsa_bn_scratch_new();
    if (slot->judge == NULL || slot->scratch == NULL) return seen;
    if (jose_rsa_bn_run(slot->judge, slot->scratch, opened, signature) == JOSE_RSA_DONE)
        seen.said = is_encoding(operation, opened, digest) ? JOSE_LOOK_ACCEPTED : JOSE_LOOK_DIFFERS;
    return seen;
}

// MARK: EVP, the judge

static bool make_checks(const jose_signature *operation, jose_signature_slot *slot)
{
    OSSL_PARAM params[JOSE_RSA_PARAMS];
    operation->row->scheme->fill(params, operation);
    return jose_signature_checks(operation, slot, params);
}

bool jose_signature_rsa_prepare(const jose_signature *operation, jose_signature_slot *slot)
{
    OSSL_PARAM params[JOSE_RSA_PARAMS];
    operation->row->scheme->fill(params, operation);
    return jose_signature_contexts(operation, slot, params) &&
           (!operation->signing || operation->fast != NULL || make_checks(operation, slot));
}

// Whether the signature opens to a block that is no encoding of the digest, by EVP's bare operation.
static bool is_other_block(const jose_signature *operation, const uint8_t *digest,
                           const uint8_t *signature)
{
    uint8_t opened[JOSE_LARGEST_MODULUS];
    const bool is_open = jose_rsa_open_by_evp(operation->library, operation->key, opened, signature);
    return is_open && !is_encoding(operation, opened, digest);
}

// libcrypto says why it rejects: with an entry of its RSA, or one of memory. Without any it failed, or
// (PKCS#1) found nothing behind the padding. Then the signature is opened once more and what is in it
// decides; what cannot be opened is the machine's fault.
static jose_status judge(const jose_signature *operation, EVP_PKEY_CTX *context,
                         const uint8_t *digest, const uint8_t *signature)
{
    if (EVP_PKEY_verify(context, signature, operation->bytes, digest, operation->digest->bytes) == 1)
        return JOSE_OK;
    bool is_explained = jose_host_first_library() == ERR_LIB_RSA;
    if (jose_take_host_failure()) return JOSE_INTERNAL;
    if (is_explained) return JOSE_REJECTED;
    return operation->row->scheme->is_rejected_silently &&
                   is_other_block(operation, digest, signature)
               ? JOSE_REJECTED
               : JOSE_INTERNAL;
}

// A better judge accepted what a look did not. A difference cannot come of what was sent; a look that was declined
// says nothing.
static void overrule(const jose_signature *operation, jose_look seen)
{
    if (seen.said == JOSE_LOOK_DIFFERS) jose_rsa_fast_differs(operation->fast, seen.form);
}

// MARK: the contract

// Whose failure a wrong signature, or none, is: with numbers of somebody else's it is the key's,
// unless libcrypto says that it was the machine's or does not say why.
static jose_status failure_of(const jose_signature *operation, bool is_explained)
{
    return operation->key->is_imported && is_explained ? JOSE_BAD_KEY : JOSE_INTERNAL;
}

// Verifies a signature before it leaves, by the fastest way that is left, on numbers held apart from
// those that signed: libcrypto lets a damaged modulus pass, and from a wrong signature the key might be
// found.
static jose_status check_own(const jose_signature *operation, jose_signature_slot *slot,
                             const uint8_t *digest, const uint8_t *signature)
{
    jose_look seen = look(operation, jose_signature_rsa_form(operation), &slot->scratch, digest,
                          signature);
    if (seen.said == JOSE_LOOK_ACCEPTED) return JOSE_OK;
    if (slot->check == NULL && !make_checks(operation, slot)) return JOSE_INTERNAL;
    const jose_status status = judge(operation, slot->check, digest, signature);
    if (status != JOSE_OK) return failure_of(operation, status == JOSE_REJECTED);
    overrule(operation, seen);
    return JOSE_OK;
}

jose_status jose_signature_rsa_sign(const jose_signature *operation, jose_signature_slot *slot,
                                    uint8_t *signature, const uint8_t *message, size_t message_len)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    size_t size = operation->bytes;
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    if (EVP_PKEY_sign(slot->work, signature, &size, digest, operation->digest->bytes) != 1 ||
        size != operation->bytes) {
        // Of its arithmetic: what draws random numbers leaves an entry of another part.
        const int library = jose_host_first_library();
        const bool is_explained = library == ERR_LIB_BN || library == ERR_LIB_RSA;
        return failure_of(operation, is_explained && !jose_take_host_failure());
    }
    return check_own(operation, slot, digest, signature);
}

jose_status jose_signature_rsa_verify(const jose_signature *operation, jose_signature_slot *slot,
                                      const uint8_t *message, size_t message_len,
                                      const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    jose_look seen = slot->at_once;
    if (seen.said == JOSE_LOOK_NONE)
        seen = look(operation, seen.form, &slot->scratch, digest, signature);
    if (seen.said == JOSE_LOOK_ACCEPTED) return JOSE_OK;
    jose_look again = {JOSE_LOOK_DECLINED, NULL};
    if (seen.said == JOSE_LOOK_DIFFERS)
        again = look_again(operation, slot, digest, signature);
    if (again.said == JOSE_LOOK_DIFFERS) return JOSE_REJECTED;
    jose_status status = again.said == JOSE_LOOK_ACCEPTED
                             ? JOSE_OK
                             : judge(operation, slot->work, digest, signature);
    if (status == JOSE_OK) overrule(operation, seen);
    return status;
}
