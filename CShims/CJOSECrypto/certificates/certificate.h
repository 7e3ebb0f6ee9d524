// certificate.h: certificates, CRLs and their checks, shared by the files of this folder.
#ifndef JOSE_CERTIFICATE_H
#define JOSE_CERTIFICATE_H

#include <openssl/x509v3.h>
#include <stdatomic.h>

#include "runtime/library.h"

struct jose_chain {
    size_t count;
    X509 *certificates[JOSE_MAX_CHAIN];
};

// From 4.0 on, libcrypto returns the extensions of certificates and CRLs as const.
#if OPENSSL_VERSION_MAJOR >= 4
typedef const X509_EXTENSION jose_extension;
#else
typedef X509_EXTENSION jose_extension;
#endif

// jose_certificate_context returns the library context of certificates, which lives as long as the
// process, or NULL if it cannot be made. It is separate because OpenSSL searches all algorithms of
// a context for the decoder of a public key: with ciphers in it, parsing takes a fifth longer. With
// the FIPS provider it is that provider's context: a second one would run the self-tests again.
OSSL_LIB_CTX *jose_certificate_context(void);

// jose_certificate_failed does what jose_library_failed does, for calls with that context.
bool jose_certificate_failed(void);

// jose_certificate_properties returns the property query of every fetch from that context.
const char *jose_certificate_properties(void);

// jose_certificate_read parses exactly one DER certificate, or returns NULL.
X509 *jose_certificate_read(OSSL_LIB_CTX *context, const uint8_t *der, size_t len);

// jose_time_read converts an ASN.1 time to seconds since 1970. Returns false for a malformed one.
bool jose_time_read(int64_t *seconds, const ASN1_TIME *time);

// jose_certificate_strength returns JOSE_CHAIN_OK, JOSE_CHAIN_OLD_VERSION, JOSE_CHAIN_WEAK_KEY or
// JOSE_CHAIN_WEAK_SIGNATURE. An anchor's own signature proves nothing: it is not checked.
jose_chain_failure jose_certificate_strength(X509 *certificate, bool is_anchor);

// jose_signature_is_strong returns whether certificates and CRLs may be signed with algorithm.
bool jose_signature_is_strong(const X509_ALGOR *algorithm);

// jose_certificate_leaf_use checks keyUsage, extendedKeyUsage and basicConstraints of a leaf.
jose_chain_failure jose_certificate_leaf_use(X509 *leaf, jose_purpose purpose);

// jose_chain_check checks order and strength of a chain. Returns false with the failure in report.
bool jose_chain_check(const jose_chain *chain, jose_chain_report *report);

// jose_path_check checks the path that OpenSSL found, anchor last: it must begin with the chain,
// which may end in the anchor. If has_policies is false, OpenSSL processed no policies, and no
// certificate below the anchor may have policy constraints. False with the failure in report.
bool jose_path_check(const jose_chain *chain, STACK_OF(X509) *path, bool has_policies,
                     jose_chain_report *report);

// jose_path_bound narrows the times in report to those of each certificate. Returns false if one is
// malformed.
bool jose_path_bound(STACK_OF(X509) *path, jose_chain_report *report);

// The anchors that may end a chain, in the order in which they are tried. More than JOSE_MAX_ENDS
// with one name and key identifier do not occur in an honest store.
enum { JOSE_MAX_ENDS = 8 };
typedef struct {
    size_t count;
    X509 *all[JOSE_MAX_ENDS];
} jose_anchors;

// jose_anchors_arrange sorts the anchors, latest notAfter first, and removes duplicates.
void jose_anchors_arrange(STACK_OF(X509) *anchors);

// jose_anchors_of finds the anchors that may end a chain. Returns false if there is none.
bool jose_anchors_of(jose_anchors *ends, STACK_OF(X509) *anchors, const jose_chain *chain);

// jose_report_is_more_specific compares why a chain of `count` certificates was rejected with two
// anchors. Returns whether the failure in `report` is closer to the leaf than that in `other`.
bool jose_report_is_more_specific(const jose_chain_report *report, const jose_chain_report *other,
                                  size_t count);

// Cached results of whether a key signed a CRL, by the SHA-256 of its SubjectPublicKeyInfo: a CRL
// is hashed once for each key, not for each chain. Threads may add entries, which never change.
enum { JOSE_MAX_KNOWN_SIGNERS = 8 };
typedef struct {
    atomic_uint taken;  // entries in use or being filled; may exceed JOSE_MAX_KNOWN_SIGNERS
    struct {
        atomic_bool is_ready;
        bool has_signed;
        uint8_t key[32];
    } all[JOSE_MAX_KNOWN_SIGNERS];
} jose_signers;

// A CRL, the time in which it is current, inclusive, and its scope.
typedef struct {
    X509_CRL *list;
    jose_signers *signers;
    ISSUING_DIST_POINT *scope;  // NULL: all certificates of its issuer
    int64_t start;              // thisUpdate
    int64_t end;                // nextUpdate
} jose_crl;

typedef struct {
    size_t count;
    jose_crl *all;
} jose_crls;

// jose_crl_read parses exactly one DER CRL and returns why it is rejected.
jose_list_failure jose_crl_read(jose_crl *crl, OSSL_LIB_CTX *context, const uint8_t *der,
                                size_t len);
void jose_crl_free(jose_crl *crl);

// jose_crl_is_signed_by returns whether the certificate's key signed the CRL. It caches results.
bool jose_crl_is_signed_by(const jose_crl *crl, X509 *signer);

// jose_crls_check checks whether certificate `index` of the path is revoked at a time. OpenSSL has
// validated the path; its anchor is last. Returns JOSE_CHAIN_OK, JOSE_CHAIN_REVOKED or
// JOSE_CHAIN_REVOCATION_UNKNOWN (also without memory). It narrows the times in report.
jose_chain_failure jose_crls_check(jose_chain_report *report, const jose_crls *lists,
                                   STACK_OF(X509) *path, int index, int64_t at);

// jose_policies_are_bounded returns whether the policy tree of a chain (RFC 5280 section 6.1.2) has
// no more nodes than libcrypto builds. Returns false with the failure in report.
bool jose_policies_are_bounded(const jose_chain *chain, jose_chain_report *report);

// jose_policies_were_too_many returns whether libcrypto rejected a policy tree for its size, which
// it reports as out of memory. Call it before the error queue is emptied.
bool jose_policies_were_too_many(int error);

// jose_policies_have_cve_fixes returns whether the libcrypto whose OpenSSL_version_num is `number`
// has the fixes of CVE-2023-0464 and CVE-2023-0465. Without them policies are not processed, and a
// chain with policy constraints is rejected.
bool jose_policies_have_cve_fixes(unsigned long number);

// jose_trust_make_for does what jose_trust_make does, as with an OpenSSL_version_num of `number`.
jose_status jose_trust_make_for(unsigned long number, jose_trust **trust,
                                jose_trust_failure *failure, const uint8_t *const *anchors,
                                const size_t *anchor_len, size_t anchor_count,
                                const uint8_t *const *crls, const size_t *crl_len,
                                size_t crl_count);

#endif
