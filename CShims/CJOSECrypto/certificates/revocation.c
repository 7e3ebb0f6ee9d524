// revocation.c: evaluates the CRLs for a certificate (RFC 5280 section 6.3) and how long the result
// holds. Every CRL of the issuer counts, not only the best one: a CRL that lists the certificate
// revokes it, unless a newer CRL replaces that CRL (find_newer).

#include <openssl/x509v3.h>

#include "certificate.h"

// If names cannot be compared (-2), the CRL may be of this issuer and is used.
static bool is_of(const jose_crl *crl, const X509_NAME *issuer)
{
    int order = X509_NAME_cmp(X509_CRL_get_issuer(crl->list), issuer);
    return order == 0 || order == -2;
}

static bool is_current(const jose_crl *crl, int64_t at)
{
    return crl->start <= at && at <= crl->end;
}

static bool is_listed(const jose_crl *crl, const X509 *certificate)
{
    X509_REVOKED *entry = NULL;
    return X509_CRL_get0_by_serial(crl->list, &entry, X509_get0_serialNumber(certificate)) != 0;
}

// Returns the index of the certificate in the path whose key signed the CRL, or 0. The signer is
// the issuer, or another certificate of the same authority: an authority that changes its key
// issues certificates to itself (RFC 5280 section 3.2, self-issued). The whole path was checked
// before. The search ends at the first certificate of another name, and after the first one that is
// not self-issued: an equal name further up belongs to another authority.
static int find_signer(const jose_crl *crl, STACK_OF(X509) *path, int index)
{
    for (int i = index + 1; i < sk_X509_num(path); i++) {
        X509 *signer = sk_X509_value(path, i);
        if (!is_of(crl, X509_get_subject_name(signer))) return 0;
        if ((X509_get_key_usage(signer) & X509v3_KU_CRL_SIGN) != 0 &&
            jose_crl_is_signed_by(crl, signer))
            return i;
        if ((X509_get_extension_flags(signer) & EXFLAG_SI) == 0) return 0;
    }
    return 0;
}

// MARK: scopes

// Whether two distribution points share a name. One may be relative to an issuer's name.
static bool have_common_name(const DIST_POINT_NAME *one, const DIST_POINT_NAME *other)
{
    if (one->type == 1 && other->type == 1)
        return one->dpname != NULL && other->dpname != NULL &&
               X509_NAME_cmp(one->dpname, other->dpname) == 0;
    if (one->type == 1) return have_common_name(other, one);
    for (int i = 0; i < sk_GENERAL_NAME_num(one->name.fullname); i++) {
        GENERAL_NAME *name = sk_GENERAL_NAME_value(one->name.fullname, i);
        if (other->type == 1) {
            if (name->type == GEN_DIRNAME && other->dpname != NULL &&
                X509_NAME_cmp(name->d.directoryName, other->dpname) == 0)
                return true;
            continue;
        }
        for (int k = 0; k < sk_GENERAL_NAME_num(other->name.fullname); k++)
            if (GENERAL_NAME_cmp(name, sk_GENERAL_NAME_value(other->name.fullname, k)) == 0)
                return true;
    }
    return false;
}

// Whether the certificate has this distribution point, for all reasons and for CRLs of its issuer.
static bool points_to(X509 *certificate, const DIST_POINT_NAME *name)
{
    CRL_DIST_POINTS *points =
        X509_get_ext_d2i(certificate, NID_crl_distribution_points, NULL, NULL);
    bool found = false;
    for (int i = 0; !found && i < sk_DIST_POINT_num(points); i++) {
        DIST_POINT *point = sk_DIST_POINT_value(points, i);
        found = point->distpoint != NULL && point->reasons == NULL && point->CRLissuer == NULL &&
                DIST_POINT_set_dpname(point->distpoint, X509_get_issuer_name(certificate)) == 1 &&
                have_common_name(point->distpoint, name);
    }
    CRL_DIST_POINTS_free(points);
    return found;
}

// Whether a CRL covers certificates like this one, so that a missing entry means "not revoked".
static bool covers(const jose_crl *crl, X509 *certificate)
{
    const ISSUING_DIST_POINT *scope = crl->scope;
    if (scope == NULL) return true;
    bool is_ca = (X509_get_extension_flags(certificate) & EXFLAG_CA) != 0;
    if (is_ca ? scope->onlyuser > 0 : scope->onlyCA > 0) return false;
    return scope->distpoint == NULL || points_to(certificate, scope->distpoint);
}

// MARK: newer CRLs

static bool agree(const jose_crl *one, const jose_crl *other, int kind)
{
    jose_extension *first = X509_CRL_get_ext(
        one->list, X509_CRL_get_ext_by_NID(one->list, kind, -1));
    jose_extension *second = X509_CRL_get_ext(
        other->list, X509_CRL_get_ext_by_NID(other->list, kind, -1));
    if (first == NULL || second == NULL) return first == second;
    return ASN1_OCTET_STRING_cmp(X509_EXTENSION_get_data(first),
                                 X509_EXTENSION_get_data(second)) == 0;
}

// Returns the newest CRL that replaces this one, or NULL. While a newer CRL by the same key and of
// the same scope is current, it replaces an older one, and so can remove an entry. A CRL by another
// key of the path replaces nothing: an authority may keep a register for each key.
static const jose_crl *find_newer(const jose_crl *crl, const jose_crls *crls,
                                  STACK_OF(X509) *path, int index, int signer, int64_t at)
{
    const jose_crl *newest = NULL;
    for (size_t i = 0; i < crls->count; i++) {
        const jose_crl *other = &crls->all[i];
        if (other->start > (newest == NULL ? crl : newest)->start && is_current(other, at) &&
            is_of(other, X509_CRL_get_issuer(crl->list)) &&
            agree(crl, other, NID_authority_key_identifier) &&
            agree(crl, other, NID_issuing_distribution_point) &&
            find_signer(other, path, index) == signer)
            newest = other;
    }
    return newest;
}

// MARK: result

static void narrow(jose_chain_report *report, int64_t start, int64_t end)
{
    if (start > report->not_before) report->not_before = start;
    if (end < report->not_after) report->not_after = end;
}

jose_chain_failure jose_crls_check(jose_chain_report *report, const jose_crls *crls,
                                   STACK_OF(X509) *path, int index, int64_t at)
{
    X509 *certificate = sk_X509_value(path, index);
    bool is_known = false, is_doubtful = false;
    for (size_t i = 0; i < crls->count; i++) {
        const jose_crl *crl = &crls->all[i];
        if (!is_of(crl, X509_get_issuer_name(certificate))) continue;
        if (crl->start > at) {
            // From its start on, this CRL may revoke what the current CRLs do not.
            narrow(report, INT64_MIN, crl->start - 1);
            continue;
        }
        // An ended CRL no longer shows that a certificate is good, but its revocations stay.
        bool listed = is_listed(crl, certificate);
        if (!listed && !(is_current(crl, at) && covers(crl, certificate))) continue;
        int signer = find_signer(crl, path, index);
        if (signer == 0) {
            if (listed) is_doubtful = true;  // signed by an unknown key of that name
            continue;
        }
        const jose_crl *newer = find_newer(crl, crls, path, index, signer, at);
        if (newer != NULL) {
            // A removed entry stays removed while the newer CRL is current.
            if (listed) narrow(report, newer->start, newer->end);
            continue;
        }
        if (listed) return JOSE_CHAIN_REVOKED;
        is_known = true;
        narrow(report, crl->start, crl->end);
    }
    return is_known && !is_doubtful ? JOSE_CHAIN_OK : JOSE_CHAIN_REVOCATION_UNKNOWN;
}
