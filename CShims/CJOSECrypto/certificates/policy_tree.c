// policy_tree.c: bounds the policy tree of a chain (RFC 5280 section 6.1.2). Mappings multiply its
// nodes: four certificates of a kilobyte each can have thousands. libcrypto stops at a thousand
// (CVE-2023-0464) and reports out of memory, so the size is computed first.

#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "certificate.h"
#include "runtime/host.h"

enum { MAX_NODES = 1000,
       MAX_OF_A_CERTIFICATE = 256 };

typedef struct {
    size_t policies;  // that the certificate asserts, or that its mappings add through anyPolicy
    size_t fan;       // the most mappings of one of its policies; at least 1
    bool has_any;     // whether it asserts anyPolicy
} growth;

static bool holds(const CERTIFICATEPOLICIES *policies, const ASN1_OBJECT *policy)
{
    for (int i = 0; i < sk_POLICYINFO_num(policies); i++)
        if (OBJ_cmp(sk_POLICYINFO_value(policies, i)->policyid, policy) == 0) return true;
    return false;
}

static void add_mappings(growth *found, const CERTIFICATEPOLICIES *policies,
                         const POLICY_MAPPINGS *mappings)
{
    for (int i = 0; i < sk_POLICY_MAPPING_num(mappings); i++) {
        const ASN1_OBJECT *from = sk_POLICY_MAPPING_value(mappings, i)->issuerDomainPolicy;
        size_t count = 1;  // of this policy, up to here
        for (int k = 0; k < i; k++)
            count += OBJ_cmp(sk_POLICY_MAPPING_value(mappings, k)->issuerDomainPolicy, from) == 0;
        if (count > found->fan) found->fan = count;
        // A policy that only anyPolicy covers is added once.
        if (count == 1 && found->has_any && !holds(policies, from)) found->policies++;
    }
}

// Returns false for more policies or mappings than a real certificate has. An extension that cannot
// be parsed counts as none: libcrypto rejects it.
static bool read_growth(growth *found, X509 *certificate)
{
    CERTIFICATEPOLICIES *policies =
        X509_get_ext_d2i(certificate, NID_certificate_policies, NULL, NULL);
    POLICY_MAPPINGS *mappings = X509_get_ext_d2i(certificate, NID_policy_mappings, NULL, NULL);
    const int own = policies == NULL ? 0 : sk_POLICYINFO_num(policies);
    const int mapped = mappings == NULL ? 0 : sk_POLICY_MAPPING_num(mappings);
    const bool is_small = own <= MAX_OF_A_CERTIFICATE && mapped <= MAX_OF_A_CERTIFICATE;
    if (is_small) {
        *found = (growth){.policies = (size_t)own, .fan = 1};
        found->has_any = own > 0 && holds(policies, OBJ_nid2obj(NID_any_policy));
        if (mapped > 0) add_mappings(found, policies, mappings);
    }
    CERTIFICATEPOLICIES_free(policies);
    sk_POLICY_MAPPING_pop_free(mappings, POLICY_MAPPING_free);
    return is_small;
}

bool jose_policies_are_bounded(const jose_chain *chain, jose_chain_report *report)
{
    // From the anchor down. In the next certificate a node has at most one child for each mapping
    // of its policy, or one child without mappings. While all certificates above have anyPolicy,
    // the anyPolicy node adds a child for each policy, including anyPolicy.
    size_t count = chain->count, nodes = 0, sum = 1, fan = 1;
    bool is_any = true;
    // A self-signed last certificate can count only as an anchor, whose policies are not processed.
    if (count > 1 && (X509_get_extension_flags(chain->certificates[count - 1]) & EXFLAG_SS) != 0)
        count--;
    for (size_t i = count; i-- > 0;) {
        growth found;
        const bool is_small = read_growth(&found, chain->certificates[i]);
        if (is_small) {
            nodes = nodes * fan + (is_any ? found.policies : 0);
            sum += nodes;
            fan = found.fan;
            is_any = is_any && found.has_any;
        }
        if (is_small && sum <= MAX_NODES) continue;
        *report = (jose_chain_report){.failure = JOSE_CHAIN_POLICIES, .index = i};
        return false;
    }
    return true;
}

bool jose_policies_were_too_many(int error)
{
    const char *function = NULL;
    return error == X509_V_ERR_OUT_OF_MEM && ERR_peek_error_func(&function) != 0 &&
           strcmp(function, "check_policy") == 0;
}
