// edges_policies.c: chains whose policy tree grows with every certificate: one that is too large is
// rejected for that, and never reported as out of memory.

#include "faults.h"

#include "certificates/certificate.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

static jose_chain *chain_of(const faults_file files[FAULTS_POLICY_CHAIN])
{
    const faults_file *all[FAULTS_POLICY_CHAIN];
    jose_chain *chain = NULL;
    size_t failed = 0;
    for (int i = 0; i < FAULTS_POLICY_CHAIN; i++) all[i] = &files[i];
    need(faults_read_chain(&chain, &failed, all, FAULTS_POLICY_CHAIN) == JOSE_OK, "chain");
    return chain;
}

// Of four certificates with p policies each, every one mapped to f of them, the tree has about p *
// f * f * f nodes.
static jose_chain_failure fault_of(unsigned policies, unsigned fan, bool has_any, size_t *index)
{
    faults_file files[FAULTS_POLICY_CHAIN];
    const faults_file *anchor = &faults_chain_files[CHAIN_ROOT];
    jose_trust *trust = NULL;
    jose_trust_failure failure;
    jose_chain_report report;
    faults_policy_chain(files, policies, fan, has_any);
    jose_chain *chain = chain_of(files);
    need(faults_read_trust(&trust, &failure, &anchor, 1, NULL, 0) == JOSE_OK, "store");
    const jose_status status =
        jose_trust_validate(trust, chain, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW, &report);
    need((status == JOSE_OK) == (report.failure == JOSE_CHAIN_OK), "%u policies, fan %u: status",
         policies, fan);
    need(status != JOSE_INTERNAL && ERR_peek_error() == 0, "%u policies, fan %u: internal",
         policies, fan);
    // Before libcrypto builds it, not only by its own bound.
    jose_chain_report bound;
    need(jose_policies_are_bounded(chain, &bound) == (report.failure == JOSE_CHAIN_OK),
         "%u policies, fan %u: the bound", policies, fan);
    jose_trust_free(trust);
    jose_chain_free(chain);
    *index = report.index;
    return report.failure;
}

static void trees(void)
{
    static const struct {
        unsigned policies, fan;
        bool has_any, is_small;
    } entries[] = {
        {0, 0, false, true},
        {1, 0, false, true},
        {1, 1, false, true},
        {7, 0, false, true},
        {7, 0, true, true},
        {20, 0, false, true},
        {20, 1, false, true},  // renamed from authority to authority, as bridges do
        {20, 1, true, true},
        {4, 4, false, true},
        {5, 5, false, true},   // 780 nodes
        {6, 6, false, false},  // 1,554
        {6, 6, true, false},
        {7, 7, false, false},
        {20, 2, true, true},
        {20, 3, false, true},   // 800
        {15, 4, false, false},  // 1,275
    };
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        size_t index = 0;
        const jose_chain_failure failure =
            fault_of(entries[i].policies, entries[i].fan, entries[i].has_any, &index);
        need(failure == (entries[i].is_small ? JOSE_CHAIN_OK : JOSE_CHAIN_POLICIES),
             "%u policies, fan %u: %u", entries[i].policies, entries[i].fan, failure);
        need(index < FAULTS_POLICY_CHAIN, "index %zu", index);
    }
}

// The result of libcrypto for a tree of the size of its own bound, without the bound of the core.
static void by_libcrypto(unsigned fan, bool is_large)
{
    faults_file files[FAULTS_POLICY_CHAIN];
    faults_policy_chain(files, 7, fan, false);
    jose_chain *chain = chain_of(files);
    OSSL_LIB_CTX *library = jose_certificate_context();
    const faults_file *anchor_file = &faults_chain_files[CHAIN_ROOT];
    X509 *anchor = jose_certificate_read(library, anchor_file->bytes, anchor_file->len);
    STACK_OF(X509) *anchors = sk_X509_new_null(), *others = sk_X509_new_null();
    X509_STORE_CTX *context = X509_STORE_CTX_new_ex(library, NULL);
    need(anchor != NULL && context != NULL && sk_X509_push(anchors, anchor) > 0, "reference");
    for (size_t i = 1; i < chain->count; i++)
        need(sk_X509_push(others, chain->certificates[i]) > 0, "reference");
    need(X509_STORE_CTX_init(context, NULL, chain->certificates[0], others) == 1, "reference");
    X509_STORE_CTX_set0_trusted_stack(context, anchors);
    X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_time(rules, FAULTS_NOW);
    need(X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_POLICY_CHECK) == 1, "reference");
    ERR_clear_error();
    const bool done = X509_verify_cert(context) == 1;
    const int error = X509_STORE_CTX_get_error(context);
    need(done == !is_large && jose_policies_were_too_many(error) == is_large, "fan %u: error %d",
         fan, error);
    // If an allocation fails, an entry was recorded before.
    need(!jose_policies_were_too_many(X509_V_OK) &&
             !jose_policies_were_too_many(X509_V_ERR_CERT_REVOKED),
         "another error");
    ERR_clear_error();
    need(!jose_policies_were_too_many(X509_V_ERR_OUT_OF_MEM), "no entry");
    ERR_raise(ERR_LIB_X509V3, ERR_R_MALLOC_FAILURE);
    need(!jose_policies_were_too_many(X509_V_ERR_OUT_OF_MEM), "an entry of memory");
    ERR_clear_error();
    X509_STORE_CTX_free(context);
    sk_X509_free(others);
    sk_X509_free(anchors);
    X509_free(anchor);
    jose_chain_free(chain);
}

// One list, one key: it is hashed for the first chain only, and again for other keys.
static void signers(void)
{
    const faults_file *anchor = &faults_chain_files[CHAIN_ROOT], *files[2];
    const faults_file *good[] = {&faults_chain_files[CHAIN_ROOT_LIST],
                                 &faults_chain_files[CHAIN_MIDDLE_LIST]};
    const faults_file *forged[] = {&faults_chain_files[CHAIN_ROOT_LIST],
                                   &faults_chain_files[CHAIN_FORGED_LIST]};
    const struct {
        const faults_file **lists;
        chain_name leaf;
        jose_chain_failure failure;
        unsigned calls;  // of the first chain
    } entries[] = {
        {good, CHAIN_LEAF, JOSE_CHAIN_OK, 2},
        {good, CHAIN_POINTED_LEAF, JOSE_CHAIN_OK, 2},
        // A failed verification is repeated once, and then remembered too.
        {forged, CHAIN_LEAF, JOSE_CHAIN_REVOCATION_UNKNOWN, 2},
    };
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        jose_trust *trust = NULL;
        jose_trust_failure failure;
        need(faults_read_trust(&trust, &failure, &anchor, 1, entries[i].lists, 2) == JOSE_OK,
             "store");
        for (int round = 0; round < 3; round++) {
            jose_chain *chain = NULL;
            jose_chain_report report;
            size_t failed = 0;
            files[0] = &faults_chain_files[entries[i].leaf];
            files[1] = &faults_chain_files[CHAIN_MIDDLE];
            need(faults_read_chain(&chain, &failed, files, 2) == JOSE_OK, "chain");
            faults_count_calls("X509_CRL_verify");
            (void)jose_trust_validate(trust, chain, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW, &report);
            const unsigned calls = faults_counted();
            faults_count_calls(NULL);
            need(report.failure == entries[i].failure, "case %zu: %u", i, report.failure);
            need(calls == (round == 0 ? entries[i].calls : 0), "case %zu, round %d: %u calls", i,
                 round, calls);
            jose_chain_free(chain);
        }
        jose_trust_free(trust);
    }
}

// More keys than are remembered: each is verified, with the right result.
static void many_signers(void)
{
    enum { KEYS_ASKED = 2 * JOSE_MAX_KNOWN_SIGNERS };
    static faults_file files[KEYS_ASKED];
    X509 *signers[KEYS_ASKED + 1];
    OSSL_LIB_CTX *library = jose_certificate_context();
    const faults_file *list = &faults_chain_files[CHAIN_ROOT_LIST],
                      *right = &faults_chain_files[CHAIN_ROOT];
    jose_crl crl;
    need(jose_crl_read(&crl, library, list->bytes, list->len) == JOSE_LIST_OK, "list");
    for (int i = 0; i < KEYS_ASKED; i++) {
        EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
        faults_leaf_of(&files[i], key);
        signers[i] = jose_certificate_read(library, files[i].bytes, files[i].len);
        EVP_PKEY_free(key);
    }
    signers[KEYS_ASKED] = jose_certificate_read(library, right->bytes, right->len);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i <= KEYS_ASKED; i++)
            need(jose_crl_is_signed_by(&crl, signers[i]) == (i == KEYS_ASKED), "key %d", i);
    for (int i = 0; i <= KEYS_ASKED; i++) X509_free(signers[i]);
    jose_crl_free(&crl);
    ERR_clear_error();
}

void faults_edges_policies(void)
{
    trees();
    by_libcrypto(0, false);
    by_libcrypto(1, false);
    by_libcrypto(7, true);
    signers();
    many_signers();
}
