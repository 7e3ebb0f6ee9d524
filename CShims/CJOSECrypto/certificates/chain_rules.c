// chain_rules.c: rules for a whole chain in addition to OpenSSL: order and strength before its
// validation, path and policies after.

#include <openssl/x509v3.h>

#include "certificate.h"
#include "runtime/host.h"

// MARK: the chain

// Each certificate occurs once and names the next as its issuer (RFC 7517 section 4.7).
static bool check_order(const jose_chain *chain, jose_chain_report *report)
{
    for (size_t i = 0; i < chain->count; i++) {
        for (size_t k = i + 1; k < chain->count; k++) {
            if (X509_cmp(chain->certificates[i], chain->certificates[k]) != 0) continue;
            *report = (jose_chain_report){.failure = JOSE_CHAIN_DUPLICATE, .index = k};
            return false;
        }
        if (i + 1 == chain->count) continue;
        if (X509_NAME_cmp(X509_get_issuer_name(chain->certificates[i]),
                          X509_get_subject_name(chain->certificates[i + 1])) != 0) {
            *report = (jose_chain_report){.failure = JOSE_CHAIN_ORDER, .index = i};
            return false;
        }
    }
    return true;
}

bool jose_chain_is_ordered(const jose_chain *chain)
{
    jose_chain_report report;
    JOSE_HOST_SCOPE;
    return check_order(chain, &report);
}

// Strength comes before signatures, so that no time is spent on weak ones.
static bool check_strength(const jose_chain *chain, jose_chain_report *report)
{
    for (size_t i = 0; i < chain->count; i++) {
        // A self-signed last certificate can count only as an anchor.
        bool is_root = i + 1 == chain->count && i > 0 &&
                       (X509_get_extension_flags(chain->certificates[i]) & EXFLAG_SS);
        jose_chain_failure failure = jose_certificate_strength(chain->certificates[i], is_root);
        if (failure == JOSE_CHAIN_OK) continue;
        *report = (jose_chain_report){.failure = failure, .index = i};
        return false;
    }
    return true;
}

bool jose_chain_check(const jose_chain *chain, jose_chain_report *report)
{
    return check_order(chain, report) && check_strength(chain, report);
}

// MARK: the path

static bool check_path(const jose_chain *chain, STACK_OF(X509) *path, jose_chain_report *report)
{
    size_t found = (size_t)sk_X509_num(path);
    for (size_t i = 0; i < chain->count; i++) {
        if (i < found && X509_cmp(sk_X509_value(path, (int)i), chain->certificates[i]) == 0)
            continue;
        *report = (jose_chain_report){.failure = JOSE_CHAIN_UNUSED_CERTIFICATE, .index = i};
        return false;
    }
    X509 *anchor = sk_X509_value(path, (int)found - 1);
    jose_chain_failure failure = jose_certificate_strength(anchor, true);
    if (failure == JOSE_CHAIN_OK && found < 2) failure = JOSE_CHAIN_SELF_SIGNED;
    if (failure != JOSE_CHAIN_OK)
        *report = (jose_chain_report){.failure = failure, .index = chain->count};
    return failure == JOSE_CHAIN_OK;
}

// Without the policy tree, nothing processes policy constraints (RFC 5280 sections 4.2.1.5,
// 4.2.1.11, 4.2.1.14), so they are rejected. The constraints of an anchor are never processed.
static bool check_policies(STACK_OF(X509) *path, jose_chain_report *report)
{
    static const int kinds[] = {NID_policy_mappings, NID_policy_constraints,
                                NID_inhibit_any_policy};
    for (int i = 0; i + 1 < sk_X509_num(path); i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (X509_get_ext_by_NID(sk_X509_value(path, i), kinds[k], -1) < 0) continue;
            *report = (jose_chain_report){.failure = JOSE_CHAIN_CRITICAL_EXTENSION,
                                          .index = (size_t)i};
            return false;
        }
    return true;
}

bool jose_path_check(const jose_chain *chain, STACK_OF(X509) *path, bool has_policies,
                     jose_chain_report *report)
{
    return check_path(chain, path, report) && (has_policies || check_policies(path, report));
}

bool jose_path_bound(STACK_OF(X509) *path, jose_chain_report *report)
{
    for (int i = 0; i < sk_X509_num(path); i++) {
        int64_t start, end;
        X509 *certificate = sk_X509_value(path, i);
        if (!jose_time_read(&start, X509_get0_notBefore(certificate)) ||
            !jose_time_read(&end, X509_get0_notAfter(certificate)))
            return false;
        if (start > report->not_before) report->not_before = start;
        if (end < report->not_after) report->not_after = end;
    }
    return true;
}
