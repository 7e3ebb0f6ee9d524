// trust.c: validation of a chain to the caller's anchors: RFC 5280 by OpenSSL, then the order,
// the strength and the leaf's use by our own rules. No system store, no environment.

#include <openssl/crypto.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "certificate.h"
#include "host.h"

struct jose_trust {
    OSSL_LIB_CTX *context;
    X509_STORE *store;
    size_t crl_count;
    jose_crl crls[];
};

// MARK: making

static bool add_anchor(jose_trust *trust, const uint8_t *der, size_t len)
{
    X509 *anchor = jose_certificate_read(trust->context, der, len);
    bool done = anchor != NULL && X509_check_ca(anchor) == 1 &&
                X509_STORE_add_cert(trust->store, anchor) == 1;
    X509_free(anchor);
    return done;
}

static bool add_crl(jose_trust *trust, const uint8_t *der, size_t len)
{
    jose_crl *crl = &trust->crls[trust->crl_count];
    if (!jose_crl_read(crl, trust->context, der, len)) return false;
    trust->crl_count++;
    return X509_STORE_add_crl(trust->store, crl->list) == 1;
}

jose_status jose_trust_make(jose_trust **trust, size_t *failed,
                            const uint8_t *const *anchors, const size_t *anchor_len,
                            size_t anchor_count,
                            const uint8_t *const *crls, const size_t *crl_len, size_t crl_count)
{
    *trust = NULL;
    *failed = 0;
    jose_host host;
    jose_host_enter(&host);
    jose_status status = JOSE_INTERNAL;
    // Nobody has so many that the product wraps: all of them lie in memory.
    jose_trust *made = OPENSSL_zalloc(sizeof *made + crl_count * sizeof made->crls[0]);
    if (made == NULL) goto end;
    made->context = jose_certificate_context();
    made->store = made->context == NULL ? NULL : X509_STORE_new();
    if (made->store == NULL) goto end;
    for (size_t i = 0; i < anchor_count + crl_count; i++) {
        size_t k = i - anchor_count;
        bool done = i < anchor_count ? add_anchor(made, anchors[i], anchor_len[i])
                                     : add_crl(made, crls[k], crl_len[k]);
        if (done) continue;
        *failed = i;
        status = jose_host_fault() ? JOSE_INTERNAL : JOSE_REJECTED;
        goto end;
    }
    *trust = made;
    made = NULL;
    status = JOSE_OK;
end:
    jose_trust_free(made);
    jose_host_leave(&host);
    return status;
}

void jose_trust_free(jose_trust *trust)
{
    if (trust == NULL) return;
    for (size_t i = 0; i < trust->crl_count; i++) X509_CRL_free(trust->crls[i].list);
    X509_STORE_free(trust->store);
    OPENSSL_free(trust);
}

// MARK: OpenSSL's verdict

static jose_chain_fault fault_of(int error)
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
    case X509_V_ERR_CERT_REVOKED: return JOSE_CHAIN_REVOKED;
    case X509_V_ERR_UNABLE_TO_GET_CRL:
    case X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER:
    case X509_V_ERR_CRL_HAS_EXPIRED:
    case X509_V_ERR_CRL_NOT_YET_VALID:
    case X509_V_ERR_CRL_SIGNATURE_FAILURE: return JOSE_CHAIN_REVOCATION_UNKNOWN;
    case X509_V_ERR_OUT_OF_MEM: return JOSE_CHAIN_INTERNAL;
    default: return JOSE_CHAIN_OTHER;
    }
}

// Whether a fault is that no CRL speaks for a certificate.
static bool is_about_lists(int error)
{
    return error == X509_V_ERR_UNABLE_TO_GET_CRL || error == X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER ||
           error == X509_V_ERR_CRL_SIGNATURE_FAILURE || error == X509_V_ERR_CRL_HAS_EXPIRED ||
           error == X509_V_ERR_CRL_NOT_YET_VALID;
}

// OpenSSL refuses at the very second of notAfter and nextUpdate; RFC 5280 section 4.1.2.5 does
// not. An anchor needs no CRL: that of its issuer, where there is one, could not be checked either.
// Everything else stays as OpenSSL says, and the first fault ends the work.
static int judge(int ok, X509_STORE_CTX *context)
{
    if (ok) return 1;
    int error = X509_STORE_CTX_get_error(context);
    int depth = X509_STORE_CTX_get_error_depth(context);
    bool is_anchor = depth > 0 && depth == sk_X509_num(X509_STORE_CTX_get0_chain(context)) - 1;
    if (is_anchor && is_about_lists(error)) return 1;
    int64_t end = 0, at = X509_VERIFY_PARAM_get_time(X509_STORE_CTX_get0_param(context));
    if (error == X509_V_ERR_CERT_HAS_EXPIRED) {
        X509 *certificate = X509_STORE_CTX_get_current_cert(context);
        if (certificate == NULL || !jose_time_read(&end, X509_get0_notAfter(certificate))) return 0;
        return at == end;
    }
    if (error == X509_V_ERR_CRL_HAS_EXPIRED) {
        X509_CRL *crl = X509_STORE_CTX_get0_current_crl(context);
        if (crl == NULL || !jose_time_read(&end, X509_CRL_get0_nextUpdate(crl))) return 0;
        return at == end;
    }
    return 0;
}

// MARK: our own rules

// Each certificate once, each issued by the next, as RFC 7517 section 4.7 demands.
static bool check_order(const jose_chain *chain, jose_chain_report *report)
{
    for (size_t i = 0; i < chain->count; i++) {
        for (size_t k = i + 1; k < chain->count; k++) {
            if (X509_cmp(chain->certificates[i], chain->certificates[k]) != 0) continue;
            *report = (jose_chain_report){.fault = JOSE_CHAIN_DUPLICATE, .place = k};
            return false;
        }
        if (i + 1 == chain->count) continue;
        if (X509_NAME_cmp(X509_get_issuer_name(chain->certificates[i]),
                          X509_get_subject_name(chain->certificates[i + 1])) != 0) {
            *report = (jose_chain_report){.fault = JOSE_CHAIN_ORDER, .place = i};
            return false;
        }
    }
    return true;
}

bool jose_chain_is_ordered(const jose_chain *chain)
{
    jose_chain_report report;
    jose_host host;
    jose_host_enter(&host);
    bool ordered = check_order(chain, &report);
    jose_host_leave(&host);
    return ordered;
}

// Strength before signatures are checked: nothing weak is worth the arithmetic.
static bool check_strength(const jose_chain *chain, jose_chain_report *report)
{
    for (size_t i = 0; i < chain->count; i++) {
        // A self-issued last certificate can only count by being an anchor.
        bool is_root = i + 1 == chain->count && i > 0 &&
                       (X509_get_extension_flags(chain->certificates[i]) & EXFLAG_SS);
        jose_chain_fault fault = jose_certificate_strength(chain->certificates[i], is_root);
        if (fault == JOSE_CHAIN_FINE) continue;
        *report = (jose_chain_report){.fault = fault, .place = i};
        return false;
    }
    return true;
}

// The path that OpenSSL found must be what was sent, and an anchor at its end.
static bool check_path(const jose_chain *chain, STACK_OF(X509) *path, jose_chain_report *report)
{
    size_t found = (size_t)sk_X509_num(path);
    for (size_t i = 0; i < chain->count; i++) {
        if (i < found && X509_cmp(sk_X509_value(path, (int)i), chain->certificates[i]) == 0)
            continue;
        *report = (jose_chain_report){.fault = JOSE_CHAIN_SURPLUS, .place = i};
        return false;
    }
    X509 *anchor = sk_X509_value(path, (int)found - 1);
    jose_chain_fault fault = jose_certificate_strength(anchor, true);
    if (fault == JOSE_CHAIN_FINE && found < 2) fault = JOSE_CHAIN_SELF_SIGNED;
    if (fault != JOSE_CHAIN_FINE)
        *report = (jose_chain_report){.fault = fault, .place = chain->count};
    return fault == JOSE_CHAIN_FINE;
}

static bool note_times(const jose_trust *trust, STACK_OF(X509) *path, int64_t at,
                       jose_chain_report *report)
{
    report->not_before = INT64_MIN;
    report->not_after = INT64_MAX;
    for (int i = 0; i < sk_X509_num(path); i++) {
        int64_t start, end;
        X509 *certificate = sk_X509_value(path, i);
        if (!jose_time_read(&start, X509_get0_notBefore(certificate)) ||
            !jose_time_read(&end, X509_get0_notAfter(certificate)))
            return false;
        if (start > report->not_before) report->not_before = start;
        if (end < report->not_after) report->not_after = end;
        if (i + 1 < sk_X509_num(path))
            jose_crl_bound(report, trust->crls, trust->crl_count, certificate, at);
    }
    return true;
}

// MARK: validation

static bool prepare(const jose_trust *trust, const jose_chain *chain, X509_STORE_CTX *context,
                    STACK_OF(X509) *untrusted, int64_t at)
{
    for (size_t i = 1; i < chain->count; i++)
        if (sk_X509_push(untrusted, chain->certificates[i]) == 0) return false;
    if (X509_STORE_CTX_init(context, trust->store, chain->certificates[0], untrusted) != 1)
        return false;
    X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(context);
    unsigned long flags = X509_V_FLAG_X509_STRICT | X509_V_FLAG_PARTIAL_CHAIN |
                          X509_V_FLAG_POLICY_CHECK;
    if (trust->crl_count > 0) flags |= X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL;
    X509_VERIFY_PARAM_set_time(rules, (time_t)at);
    X509_VERIFY_PARAM_set_depth(rules, JOSE_LONGEST_CHAIN);
    X509_VERIFY_PARAM_set_auth_level(rules, 2);
    X509_STORE_CTX_set_verify_cb(context, judge);
    return X509_VERIFY_PARAM_set_flags(rules, flags) == 1;
}

static bool validate(const jose_trust *trust, const jose_chain *chain, jose_purpose purpose,
                     int64_t at, X509_STORE_CTX *context, STACK_OF(X509) *untrusted,
                     jose_chain_report *report)
{
    if (!check_order(chain, report) || !check_strength(chain, report)) return false;
    if (!prepare(trust, chain, context, untrusted, at)) return false;
    if (X509_verify_cert(context) != 1) {
        int depth = X509_STORE_CTX_get_error_depth(context);
        report->fault = fault_of(X509_STORE_CTX_get_error(context));
        report->place = depth < 0 ? 0 : (size_t)depth;
        return false;
    }
    STACK_OF(X509) *path = X509_STORE_CTX_get0_chain(context);
    if (!check_path(chain, path, report)) return false;
    jose_chain_fault use = jose_certificate_leaf_use(chain->certificates[0], purpose);
    if (use != JOSE_CHAIN_FINE) {
        *report = (jose_chain_report){.fault = use, .place = 0};
        return false;
    }
    if (!note_times(trust, path, at, report)) return false;
    report->fault = JOSE_CHAIN_FINE;
    return true;
}

jose_status jose_trust_validate(const jose_trust *trust, const jose_chain *chain,
                                jose_purpose purpose, int64_t at, jose_chain_report *report)
{
    // Refused until everything was checked.
    *report = (jose_chain_report){.fault = JOSE_CHAIN_INTERNAL, .place = 0};
    jose_host host;
    jose_host_enter(&host);
    X509_STORE_CTX *context = X509_STORE_CTX_new_ex(trust->context, JOSE_PROPERTIES);
    STACK_OF(X509) *untrusted = sk_X509_new_null();
    bool done = context != NULL && untrusted != NULL &&
                validate(trust, chain, purpose, at, context, untrusted, report);
    // Some of libcrypto's answers about a certificate hide that there was no memory to give them.
    if (!done && jose_host_fault()) report->fault = JOSE_CHAIN_INTERNAL;
    X509_STORE_CTX_free(context);
    sk_X509_free(untrusted);
    jose_host_leave(&host);
    if (done) return JOSE_OK;
    return report->fault == JOSE_CHAIN_INTERNAL ? JOSE_INTERNAL : JOSE_REJECTED;
}
