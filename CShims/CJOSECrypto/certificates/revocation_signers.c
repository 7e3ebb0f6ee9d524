// revocation_signers.c: checks whether a key signed a CRL, and caches the results for the first
// keys that are tried. A CRL may have megabytes, and a small token can cause a validation.

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "certificate.h"

// SubjectPublicKeyInfo includes the algorithm and its parameters.
static bool digest_key(uint8_t digest[32], X509 *signer)
{
    unsigned char *der = NULL;
    const int len = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(signer), &der);
    const bool done =
        len > 0 && jose_hash_digest(JOSE_SHA256, digest, 32, der, (size_t)len) == JOSE_OK;
    OPENSSL_free(der);
    return done;
}

static bool find_cached(const jose_signers *signers, const uint8_t digest[32], bool *has_signed)
{
    for (unsigned i = 0; i < JOSE_MAX_KNOWN_SIGNERS; i++) {
        // Slots are filled in any order.
        if (!atomic_load_explicit(&signers->all[i].is_ready, memory_order_acquire)) continue;
        if (memcmp(signers->all[i].key, digest, sizeof signers->all[i].key) != 0) continue;
        *has_signed = signers->all[i].has_signed;
        return true;
    }
    return false;
}

// Two threads may store the same result.
static void store(jose_signers *signers, const uint8_t digest[32], bool has_signed)
{
    if (atomic_load_explicit(&signers->taken, memory_order_relaxed) >= JOSE_MAX_KNOWN_SIGNERS)
        return;
    const unsigned slot = atomic_fetch_add_explicit(&signers->taken, 1, memory_order_relaxed);
    if (slot >= JOSE_MAX_KNOWN_SIGNERS) return;
    memcpy(signers->all[slot].key, digest, sizeof signers->all[slot].key);
    signers->all[slot].has_signed = has_signed;
    atomic_store_explicit(&signers->all[slot].is_ready, true, memory_order_release);
}

// Whether memory ran out. Puts an error entry back, since the caller checks for one too.
static bool has_failed(void)
{
    if (!jose_certificate_failed()) return false;
    ERR_raise(ERR_LIB_X509, ERR_R_MALLOC_FAILURE);
    return true;
}

bool jose_crl_is_signed_by(const jose_crl *crl, X509 *signer)
{
    uint8_t digest[32];
    bool has_signed = false;
    const bool has_digest = digest_key(digest, signer);
    if (has_digest && find_cached(crl->signers, digest, &has_signed)) return has_signed;
    EVP_PKEY *key = X509_get0_pubkey(signer);
    has_signed = X509_CRL_verify(crl->list, key) == 1;
    if (!has_digest) return has_signed;
    // Without memory, libcrypto may leave no error entry: a rejection is stored only if it repeats.
    if (has_signed || (!has_failed() && X509_CRL_verify(crl->list, key) == 0 && !has_failed()))
        store(crl->signers, digest, has_signed);
    return has_signed;
}
