// trust.c: validates a chain to the caller's anchors, without a system store or environment
// variables. OpenSSL applies RFC 5280; other files here check order and strength before, and
// revocation and the leaf's uses after.

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "certificate.h"
#include "runtime/host.h"

struct jose_trust {
    OSSL_LIB_CTX *context;
    STACK_OF(X509) *anchors;
    bool has_policies;
    jose_crls lists;
    jose_crl crls[];
};

// CVE-2023-0464 and -0465 are fixed in 3.0.9, 3.1.1 and all later branches. A distributor may have
// fixed an older version without a new number.
bool jose_policies_have_cve_fixes(unsigned long number)
{
    return number >= 0x30100010UL || (number >= 0x30000090UL && number < 0x30100000UL);
}

// MARK: making

static bool add_anchor(jose_trust *trust, const uint8_t *der, size_t len)
{
    X509 *anchor = jose_certificate_read(trust->context, der, len);
    if (anchor != NULL && X509_check_ca(anchor) == 1 && sk_X509_push(trust->anchors, anchor) > 0)
        return true;
    X509_free(anchor);
    return false;
}

static jose_list_failure add_crl(jose_trust *trust, const uint8_t *der, size_t len)
{
    jose_crl *crl = &trust->crls[trust->lists.count];
    jose_list_failure failure = jose_crl_read(crl, trust->context, der, len);
    if (failure == JOSE_LIST_OK) trust->lists.count++;
    return failure;
}

jose_status jose_trust_make_for(unsigned long number, jose_trust **trust,
                                jose_trust_failure *failure, const uint8_t *const *anchors,
                                const size_t *anchor_len, size_t anchor_count,
                                const uint8_t *const *crls, const size_t *crl_len, size_t crl_count)
{
    *trust = NULL;
    *failure = (jose_trust_failure){0};
    JOSE_HOST_SCOPE;
    jose_status status = JOSE_INTERNAL;
    // The product cannot wrap: all CRLs are in memory.
    jose_trust *made = OPENSSL_zalloc(sizeof *made + crl_count * sizeof made->crls[0]);
    if (made == NULL) goto end;
    made->lists.all = made->crls;
    made->has_policies = jose_policies_have_cve_fixes(number);
    made->context = jose_certificate_context();
    made->anchors = made->context == NULL ? NULL : sk_X509_new_null();
    if (made->anchors == NULL) goto end;
    for (size_t i = 0; i < anchor_count + crl_count; i++) {
        size_t k = i - anchor_count;
        bool is_anchor = i < anchor_count;
        jose_list_failure list =
            is_anchor ? JOSE_LIST_OK : add_crl(made, crls[k], crl_len[k]);
        if (is_anchor ? add_anchor(made, anchors[i], anchor_len[i]) : list == JOSE_LIST_OK)
            continue;
        *failure = (jose_trust_failure){.index = i, .list = list};
        status = jose_certificate_failed() ? JOSE_INTERNAL : JOSE_REJECTED;
        goto end;
    }
    jose_anchors_arrange(made->anchors);
    *trust = made;
    made = NULL;
    status = JOSE_OK;
end:
    jose_trust_free(made);
    return status;
}

jose_status jose_trust_make(jose_trust **trust, jose_trust_failure *failure,
                            const uint8_t *const *anchors, const size_t *anchor_len,
                            size_t anchor_count,
                            const uint8_t *const *crls, const size_t *crl_len, size_t crl_count)
{
    return jose_trust_make_for(OpenSSL_version_num(), trust, failure, anchors, anchor_len,
                               anchor_count, crls, crl_len, crl_count);
}

void jose_trust_free(jose_trust *trust)
{
    if (trust == NULL) return;
    for (size_t i = 0; i < trust->lists.count; i++) jose_crl_free(&trust->crls[i]);
    sk_X509_pop_free(trust->anchors, X509_free);
    OPENSSL_free(trust);
}

// MARK: OpenSSL's result

static jose_chain_failure failure_of_error(int error)
{
    switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return JOSE_CHAIN_EXPIRED;
    case X509_V_ERR_CERT_NOT_YET_VALID: return JOSE_CHAIN_NOT_YET_VALID;
    case X509_V_ERR_INVALID_CA:
    case X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
    case X509_V_ERR_CA_CERT_MISSING_KEY_USAGE:
    case X509_V_ERR_CA_BCONS_NOT_CRITICAL: return JOSE_CHAIN_NOT_A_CA;
    case X509_V_ERR_PATH_LENGTH_EXCEEDED:
    case X509_V_ERR_PATHLEN_INVALID_FOR_NON_CA:
    case X509_V_ERR_PATHLEN_WITHOUT_KU_KEY_CERT_SIGN: return JOSE_CHAIN_PATH_LENGTH;
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: return JOSE_CHAIN_SIGNATURE;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED: return JOSE_CHAIN_UNKNOWN_ROOT;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return JOSE_CHAIN_SELF_SIGNED;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: return JOSE_CHAIN_UNKNOWN_ROOT;
    case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: return JOSE_CHAIN_CRITICAL_EXTENSION;
    case X509_V_ERR_PERMITTED_VIOLATION:
    case X509_V_ERR_EXCLUDED_VIOLATION:
    case X509_V_ERR_SUBTREE_MINMAX:
    case X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE:
    case X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX:
    case X509_V_ERR_UNSUPPORTED_NAME_SYNTAX: return JOSE_CHAIN_NAME_CONSTRAINTS;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL: return JOSE_CHAIN_WEAK_KEY;
    case X509_V_ERR_CA_MD_TOO_WEAK: return JOSE_CHAIN_WEAK_SIGNATURE;
    case X509_V_ERR_OUT_OF_MEM: return JOSE_CHAIN_INTERNAL;
    default: return JOSE_CHAIN_OTHER;
    }
}

// OpenSSL rejects the last second of validity; RFC 5280 section 4.1.2.5 accepts it.
static int accept_notAfter(int ok, X509_STORE_CTX *context)
{
    if (ok) return 1;
    if (X509_STORE_CTX_get_error(context) != X509_V_ERR_CERT_HAS_EXPIRED) return 0;
    int64_t end = 0, at = X509_VERIFY_PARAM_get_time(X509_STORE_CTX_get0_param(context));
    X509 *certificate = X509_STORE_CTX_get_current_cert(context);
    if (certificate == NULL || !jose_time_read(&end, X509_get0_notAfter(certificate))) return 0;
    return at == end;
}

// MARK: validation

// An anchor needs no CRL: it is trusted as it is.
static bool check_revocation(const jose_trust *trust, STACK_OF(X509) *path, int64_t at,
                             jose_chain_report *report)
{
    for (int i = 0; trust->lists.count > 0 && i + 1 < sk_X509_num(path); i++) {
        jose_chain_failure failure = jose_crls_check(report, &trust->lists, path, i, at);
        if (failure == JOSE_CHAIN_OK) continue;
        *report = (jose_chain_report){.failure = failure, .index = (size_t)i};
        return false;
    }
    return true;
}

static bool prepare(const jose_trust *trust, const jose_chain *chain, X509_STORE_CTX *context,
                    STACK_OF(X509) *untrusted, STACK_OF(X509) *anchors, int64_t at)
{
    for (size_t i = 1; i < chain->count; i++)
        if (sk_X509_push(untrusted, chain->certificates[i]) == 0) return false;
    if (X509_STORE_CTX_init(context, NULL, chain->certificates[0], untrusted) != 1) return false;
    X509_STORE_CTX_set0_trusted_stack(context, anchors);
    X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(context);
    unsigned long flags = X509_V_FLAG_X509_STRICT | X509_V_FLAG_PARTIAL_CHAIN;
    if (trust->has_policies) flags |= X509_V_FLAG_POLICY_CHECK;
    X509_VERIFY_PARAM_set_time(rules, (time_t)at);
    X509_VERIFY_PARAM_set_depth(rules, JOSE_MAX_CHAIN);
    X509_VERIFY_PARAM_set_auth_level(rules, 2);
    X509_STORE_CTX_set_verify_cb(context, accept_notAfter);
    return X509_VERIFY_PARAM_set_flags(rules, flags) == 1;
}

static bool validate(const jose_trust *trust, const jose_chain *chain, jose_purpose purpose,
                     int64_t at, X509_STORE_CTX *context, jose_chain_report *report)
{
    if (trust->has_policies && !jose_policies_are_bounded(chain, report)) return false;
    if (X509_verify_cert(context) != 1) {
        int depth = X509_STORE_CTX_get_error_depth(context),
            error = X509_STORE_CTX_get_error(context);
        report->failure = failure_of_error(error);
        report->index = depth < 0 ? 0 : (size_t)depth;
        if (jose_policies_were_too_many(error)) {
            // This libcrypto has a smaller bound of its own.
            *report = (jose_chain_report){.failure = JOSE_CHAIN_POLICIES, .index = 0};
            ERR_clear_error();
        }
        return false;
    }
    STACK_OF(X509) *path = X509_STORE_CTX_get0_chain(context);
    if (!jose_path_check(chain, path, trust->has_policies, report)) return false;
    report->not_before = INT64_MIN;
    report->not_after = INT64_MAX;
    if (!check_revocation(trust, path, at, report)) return false;
    jose_chain_failure use = jose_certificate_leaf_use(chain->certificates[0], purpose);
    if (use != JOSE_CHAIN_OK) {
        *report = (jose_chain_report){.failure = use, .index = 0};
        return false;
    }
    if (!jose_path_bound(path, report)) return false;
    report->failure = JOSE_CHAIN_OK;
    return true;
}

// The report before the checks end.
static const jose_chain_report unchecked = {.failure = JOSE_CHAIN_INTERNAL, .index = 0};

// Marks a rejection as internal if memory ran out: libcrypto may then reject a good certificate.
static bool reject(jose_chain_report *report)
{
    if (jose_certificate_failed()) *report = unchecked;
    return false;
}

// Validates the chain to this anchor, or to any if anchor is NULL.
static bool validate_to(const jose_trust *trust, const jose_chain *chain, jose_purpose purpose,
                        int64_t at, X509 *anchor, jose_chain_report *report)
{
    *report = unchecked;
    X509_STORE_CTX *context = X509_STORE_CTX_new_ex(trust->context, jose_certificate_properties());
    STACK_OF(X509) *untrusted = sk_X509_new_null(), *one = sk_X509_new_null();
    bool done = context != NULL && untrusted != NULL && one != NULL &&
                (anchor == NULL || sk_X509_push(one, anchor) > 0) &&
                prepare(trust, chain, context, untrusted,
                        anchor == NULL ? trust->anchors : one, at) &&
                validate(trust, chain, purpose, at, context, report);
    X509_STORE_CTX_free(context);
    sk_X509_free(untrusted);
    sk_X509_free(one);
    return done || reject(report);
}

// Tries each anchor until one succeeds, one shows a revocation, or memory runs out. A revocation
// counts for every anchor, even if only this anchor's key signed the CRL.
static bool validate_to_each(const jose_trust *trust, const jose_chain *chain, jose_purpose purpose,
                             int64_t at, const jose_anchors *ends, jose_chain_report *report)
{
    for (size_t i = 0; i < ends->count; i++) {
        jose_chain_report found;
        bool done = validate_to(trust, chain, purpose, at, ends->all[i], &found);
        bool is_last =
            done || found.failure == JOSE_CHAIN_INTERNAL || found.failure == JOSE_CHAIN_REVOKED;
        if (i == 0 || is_last || jose_report_is_more_specific(&found, report, chain->count))
            *report = found;
        if (is_last) return done;
    }
    return false;
}

jose_status jose_trust_validate(const jose_trust *trust, const jose_chain *chain,
                                jose_purpose purpose, int64_t at, jose_chain_report *report)
{
    JOSE_HOST_SCOPE;
    jose_anchors ends;
    bool done = false;
    if (!jose_chain_check(chain, report)) {
        (void)reject(report);
    } else if (jose_anchors_of(&ends, trust->anchors, chain)) {
        done = validate_to_each(trust, chain, purpose, at, &ends, report);
    } else {
        // No anchor ends the chain. OpenSSL gets all anchors and finds what is missing or unused.
        done = validate_to(trust, chain, purpose, at, NULL, report);
    }
    if (done) return JOSE_OK;
    return report->failure == JOSE_CHAIN_INTERNAL ? JOSE_INTERNAL : JOSE_REJECTED;
}
