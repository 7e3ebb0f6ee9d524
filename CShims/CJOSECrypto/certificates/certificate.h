// certificate.h: parsed certificates inside this target.
#ifndef JOSE_CERTIFICATE_H
#define JOSE_CERTIFICATE_H

#include <openssl/x509v3.h>
#include <stdatomic.h>

#include "runtime/library.h"

struct jose_chain {
    size_t count;
    X509 *certificates[JOSE_MAX_CHAIN];
};

// jose_certificate_context returns the context of certificates, which lives as long as the
// process; NULL if it cannot be made. OpenSSL looks for the decoder of a public key among all
// that was fetched in a context: one that has ciphers too makes each certificate a fifth dearer.
OSSL_LIB_CTX *jose_certificate_context(void);

// jose_certificate_read parses exactly one DER certificate; NULL if it is none.
X509 *jose_certificate_read(OSSL_LIB_CTX *context, const uint8_t *der, size_t len);

// jose_time_read converts an ASN.1 time to seconds since 1970; false for a malformed one.
bool jose_time_read(int64_t *seconds, const ASN1_TIME *time);

// jose_certificate_strength returns JOSE_CHAIN_OK, JOSE_CHAIN_OLD_VERSION,
// JOSE_CHAIN_WEAK_SIGNATURE or JOSE_CHAIN_WEAK_KEY. An anchor's own signature proves nothing and is not looked at.
jose_chain_failure jose_certificate_strength(X509 *certificate, bool is_anchor);

// jose_signature_is_strong tells whether certificates and lists may be signed with the algorithm.
bool jose_signature_is_strong(const X509_ALGOR *algorithm);

// jose_certificate_leaf_use judges keyUsage, extendedKeyUsage and basicConstraints of a leaf.
jose_chain_failure jose_certificate_leaf_use(X509 *leaf, jose_purpose purpose);

// jose_chain_check judges the order and the strength of what was sent; false with the fault in report.
bool jose_chain_check(const jose_chain *chain, jose_chain_report *report);

// jose_path_check judges the path that OpenSSL found, the anchor last: it is the chain, and where policies are not
// processed nothing constrains them. False with the fault in report.
bool jose_path_check(const jose_chain *chain, STACK_OF(X509) *path, bool has_policies,
                     jose_chain_report *report);

// jose_path_bound narrows the span of a report to the validity of each certificate; false for a malformed time.
bool jose_path_bound(STACK_OF(X509) *path, jose_chain_report *report);

// The anchors at which a chain may end, in the order in which they are tried. More than these have no name and key
// identifier in common, unless somebody means mischief with his own store.
enum { JOSE_MAX_ENDS = 8 };
typedef struct {
    size_t count;
    X509 *all[JOSE_MAX_ENDS];
} jose_anchors;

// jose_anchors_arrange leaves each anchor once, in an order that does not depend on the one that it finds.
void jose_anchors_arrange(STACK_OF(X509) *anchors);

// jose_anchors_of finds the anchors at which a chain may end; false where there is none.
bool jose_anchors_of(jose_anchors *ends, STACK_OF(X509) *anchors, const jose_chain *chain);

// jose_report_is_more_specific compares the rejections of a chain of so many certificates by two of its anchors.
bool jose_report_is_more_specific(const jose_chain_report *report, const jose_chain_report *other, size_t count);

// The keys that were asked whether they signed a list, by the SHA-256 of their
// SubjectPublicKeyInfo: a list is hashed once for each key, and not for each chain. Entries are
// added and never changed, by any thread.
enum { JOSE_MAX_KNOWN_SIGNERS = 8 };
typedef struct {
    atomic_uint taken;  // places that are used or being filled; it may count beyond the last one
    struct {
        atomic_bool is_ready;
        bool has_signed;
        uint8_t key[32];
    } all[JOSE_MAX_KNOWN_SIGNERS];
} jose_signers;

// A CRL, the span of time in which it is current, inclusive, and what it is for.
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
} jose_lists;

// jose_crl_read parses exactly one DER CRL, and says why it is none that is taken. The caller frees the list.
jose_list_failure jose_crl_read(jose_crl *crl, OSSL_LIB_CTX *context, const uint8_t *der, size_t len);
void jose_crl_free(jose_crl *crl);

// jose_crl_is_signed_by tells whether the key of this certificate signed the list, and remembers
// it.
bool jose_crl_is_signed_by(const jose_crl *crl, X509 *signer);

// jose_lists_check says whether a certificate of a path that is otherwise valid, the anchor last, is revoked at that
// time: JOSE_CHAIN_OK, JOSE_CHAIN_REVOKED or JOSE_CHAIN_REVOCATION_UNKNOWN. It narrows the span of the report to
// the time for which that holds. A fault of memory is JOSE_CHAIN_REVOCATION_UNKNOWN.
jose_chain_failure jose_lists_check(jose_chain_report *report, const jose_lists *lists,
                                  STACK_OF(X509) *path, int index, int64_t at);

// jose_policies_are_bounded tells whether the policy tree of a chain (RFC 5280 section 6.1.2) has
// at most so many nodes as libcrypto builds; false with the fault in report.
bool jose_policies_are_bounded(const jose_chain *chain, jose_chain_report *report);

// jose_policies_were_too_many tells whether libcrypto gave up a policy tree for its size, which it
// calls a want of memory. Asked before the error queue is emptied.
bool jose_policies_were_too_many(int error);

// jose_policies_are_fixed tells by the number of a libcrypto whether its policy tree can be used.
bool jose_policies_are_fixed(unsigned long number);

// jose_trust_make_for is jose_trust_make beside a libcrypto of that number.
jose_status jose_trust_make_for(unsigned long number, jose_trust **trust, jose_trust_failure *failure,
                                const uint8_t *const *anchors, const size_t *anchor_len,
                                size_t anchor_count, const uint8_t *const *crls,
                                const size_t *crl_len, size_t crl_count);

#endif
