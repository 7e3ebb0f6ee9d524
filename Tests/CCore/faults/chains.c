// chains.c: a small certificate authority made by libcrypto (root, middle and leaf) and its CRLs,
// and operations on chains of two certificates below an anchor.

#include "faults.h"

#include "certificates/certificate.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <limits.h>

typedef struct {
    EVP_PKEY *key;
    X509 *certificate;
} authority;

faults_file faults_chain_files[CHAIN_FILES];

static authority root;

// MARK: making

static void extend(X509 *to, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, to, NULL, NULL, 0);
    X509_EXTENSION *made = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    need(made != NULL && X509_add_ext(to, made, -1) == 1, "reference: %s", value);
    X509_EXTENSION_free(made);
}

// Makes an unsigned certificate. Its validity is that of the root, shortened by `shorter` seconds
// at both ends.
static X509 *draft(EVP_PKEY *key, const char *name, const authority *by, long serial, int shorter)
{
    X509 *made = X509_new();
    need(made != NULL, "reference");
    X509_NAME *subject = X509_NAME_new();
    need(subject != NULL && X509_set_version(made, X509_VERSION_3) == 1 &&
             ASN1_INTEGER_set(X509_get_serialNumber(made), serial) == 1 &&
             X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name,
                                        -1, -1, 0) == 1 &&
             X509_set_subject_name(made, subject) == 1 &&
             X509_set_issuer_name(made,
                                  by == NULL ? subject : X509_get_subject_name(by->certificate)) == 1 &&
             ASN1_TIME_set(X509_getm_notBefore(made), FAULTS_START + shorter) != NULL &&
             ASN1_TIME_set(X509_getm_notAfter(made), FAULTS_END - shorter) != NULL &&
             X509_set_pubkey(made, key) == 1,
         "reference: %s", name);
    X509_NAME_free(subject);
    extend(made, made, NID_subject_key_identifier, "hash");
    if (by != NULL) extend(made, by->certificate, NID_authority_key_identifier, "keyid");
    return made;
}

static void finish(faults_file *out, X509 *made, EVP_PKEY *signer)
{
    uint8_t *at = out->bytes;
    need(X509_sign(made, signer, EVP_sha256()) > 0, "reference");
    const int len = i2d_X509(made, NULL);
    need(len > 0 && (size_t)len <= sizeof out->bytes && i2d_X509(made, &at) == len, "reference");
    out->len = (size_t)len;
}

static authority certify(chain_name file, const char *name, const authority *by, long serial,
                         int shorter)
{
    authority made = {.key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")};
    need(made.key != NULL, "reference");
    made.certificate = draft(made.key, name, by, serial, shorter);
    if (file == CHAIN_LEAF) {
        extend(made.certificate, NULL, NID_basic_constraints, "critical,CA:FALSE");
        extend(made.certificate, NULL, NID_key_usage, "critical,digitalSignature");
    } else {
        extend(made.certificate, NULL, NID_basic_constraints, "critical,CA:TRUE");
        extend(made.certificate, NULL, NID_key_usage, "critical,keyCertSign,cRLSign");
    }
    finish(&faults_chain_files[file], made.certificate, by == NULL ? made.key : by->key);
    return made;
}

// Makes another certificate of the same key and name, with one more extension.
static void vary(chain_name file, const char *name, const authority *same, const authority *by,
                 long serial, int nid, const char *value)
{
    X509 *made = draft(same->key, name, by, serial, by == NULL ? 0 : 20);
    const bool is_leaf = file != CHAIN_POLICY_MIDDLE && file != CHAIN_POLICY_ROOT;
    extend(made, NULL, NID_basic_constraints, is_leaf ? "critical,CA:FALSE" : "critical,CA:TRUE");
    extend(made, NULL, NID_key_usage,
           is_leaf ? "critical,digitalSignature" : "critical,keyCertSign,cRLSign");
    extend(made, NULL, nid, value);
    // Without policies, libcrypto 3.0 does not free the constraints that it parsed.
    if (nid == NID_policy_constraints)
        extend(made, NULL, NID_certificate_policies, "DER:3007300506032a0304");
    // This extension comes first.
    if (nid == NID_inhibit_any_policy) {
        X509_EXTENSION *first = X509_delete_ext(made, X509_get_ext_count(made) - 1);
        need(first != NULL && X509_add_ext(made, first, 0) == 1, "reference: %s", name);
        X509_EXTENSION_free(first);
    }
    finish(&faults_chain_files[file], made, by == NULL ? same->key : by->key);
    X509_free(made);
}

static void narrow(const authority *same)
{
    X509 *made = draft(same->key, "root", NULL, 2, -5);
    extend(made, NULL, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    extend(made, NULL, NID_key_usage, "critical,keyCertSign,cRLSign");
    finish(&faults_chain_files[CHAIN_NARROW_ROOT], made, same->key);
    X509_free(made);
}

static void forget(authority *made)
{
    EVP_PKEY_free(made->key);
    X509_free(made->certificate);
}

// The properties of a CRL besides its times; all are optional.
typedef struct {
    long revoked;
    const EVP_PKEY *signer;  // instead of the issuer
    const EVP_MD *digest;    // instead of SHA-256
    int nid, again;          // an extension of the list, and how often more
    const char *value;       // as in openssl.cnf; DER: for an unknown extension
    int entry_nid;           // an extension of the entry
    const char *entry_value;
} kind;

static X509_EXTENSION *extension(const X509_CRL *to, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, NULL, NULL, NULL, (X509_CRL *)to, 0);
    X509_EXTENSION *made = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    need(made != NULL, "reference: %s", value);
    return made;
}

static void revoke(X509_CRL *list, const ASN1_TIME *at, const kind *kind)
{
    X509_REVOKED *entry = X509_REVOKED_new();
    ASN1_INTEGER *number = ASN1_INTEGER_new();
    need(entry != NULL && number != NULL && ASN1_INTEGER_set(number, kind->revoked) == 1 &&
             X509_REVOKED_set_serialNumber(entry, number) == 1 &&
             X509_REVOKED_set_revocationDate(entry, (ASN1_TIME *)at) == 1,
         "reference");
    ASN1_INTEGER_free(number);
    if (kind->entry_value != NULL) {
        X509_EXTENSION *more = extension(list, kind->entry_nid, kind->entry_value);
        need(X509_REVOKED_add_ext(entry, more, -1) == 1, "reference");
        X509_EXTENSION_free(more);
    }
    need(X509_CRL_add0_revoked(list, entry) == 1, "reference");
}

// Makes a CRL from `before` seconds before now to `after` seconds after, or without nextUpdate if
// after is INT_MIN.
static void list_of(chain_name file, const authority *by, int before, int after, const kind *kind)
{
    faults_file *out = &faults_chain_files[file];
    uint8_t *at = out->bytes;
    X509_CRL *made = X509_CRL_new();
    ASN1_TIME *start = ASN1_TIME_set(NULL, FAULTS_NOW - before),
              *end = ASN1_TIME_set(NULL, FAULTS_NOW + after);
    need(made != NULL && start != NULL && end != NULL &&
             X509_CRL_set_version(made, X509_CRL_VERSION_2) == 1 &&
             X509_CRL_set_issuer_name(made, X509_get_subject_name(by->certificate)) == 1 &&
             X509_CRL_set1_lastUpdate(made, start) == 1 &&
             (after == INT_MIN || X509_CRL_set1_nextUpdate(made, end) == 1),
         "reference");
    if (kind->revoked != 0) revoke(made, start, kind);
    for (int i = 0; kind->value != NULL && i <= kind->again; i++) {
        X509_EXTENSION *more = extension(made, kind->nid, kind->value);
        need(X509_CRL_add_ext(made, more, -1) == 1, "reference");
        X509_EXTENSION_free(more);
    }
    need(X509_CRL_sign(made, kind->signer == NULL ? by->key : (EVP_PKEY *)kind->signer,
                       kind->digest == NULL ? EVP_sha256() : kind->digest) > 0,
         "reference");
    const int len = i2d_X509_CRL(made, NULL);
    need(len > 0 && (size_t)len <= sizeof out->bytes && i2d_X509_CRL(made, &at) == len,
         "reference");
    out->len = (size_t)len;
    ASN1_TIME_free(start);
    ASN1_TIME_free(end);
    X509_CRL_free(made);
}

static void list(chain_name file, const authority *by, int before, int after, long revoked)
{
    list_of(file, by, before, after, &(kind){.revoked = revoked});
}

// From 4.0 on libcrypto itself does not parse some of them.
#define UNPARSED_FROM_4(failure) (OPENSSL_VERSION_MAJOR >= 4 ? JOSE_LIST_MALFORMED : (failure))

const jose_list_failure faults_rejected_lists[CHAIN_REJECTED_END - CHAIN_REJECTED_LISTS] = {
    JOSE_LIST_NO_NEXT_UPDATE,
    JOSE_LIST_DELTA,
    JOSE_LIST_REMOVE_FROM_CRL,
    JOSE_LIST_INDIRECT,
    UNPARSED_FROM_4(JOSE_LIST_INDIRECT),
    JOSE_LIST_SOME_REASONS,
    JOSE_LIST_ATTRIBUTES,
    JOSE_LIST_SCOPE,
    UNPARSED_FROM_4(JOSE_LIST_SCOPE),
    JOSE_LIST_CRITICAL_EXTENSION,
    JOSE_LIST_CRITICAL_EXTENSION,
    JOSE_LIST_WEAK_SIGNATURE,
};

#define POINT "fullname:URI:https://a.example/1.crl"

// Each of these would show that the leaf is not revoked, or replace a CRL that does.
static void rejected_lists(const authority *by)
{
    const int scope = NID_issuing_distribution_point;
    const kind kinds[CHAIN_REJECTED_END - CHAIN_REJECTED_LISTS] = {
        {0},
        {.nid = NID_delta_crl, .value = "DER:020101"},  // not critical either
        {.revoked = 6, .entry_nid = NID_crl_reason, .entry_value = "DER:0a0108"},
        {.nid = scope, .value = "critical,indirectCRL:TRUE"},
        {.revoked = 9,
         .entry_nid = NID_certificate_issuer,
         .entry_value = "DER:300b8209612e6578616d706c65"},
        {.nid = scope, .value = "critical,onlysomereasons:keyCompromise"},
        {.nid = scope, .value = "onlyAA:TRUE"},
        {.nid = scope, .value = "critical,onlyuser:TRUE,onlyCA:TRUE"},
        {.nid = scope, .value = "critical,DER:30020500"},
        {.nid = NID_crl_number, .value = "critical,DER:020101"},
        {.revoked = 9,
         .entry_nid = NID_invalidity_date,
         .entry_value = "critical,DER:180f32303235303130313030303030305a"},
        {.digest = EVP_sha1()},
    };
    for (int i = 0; i < CHAIN_REJECTED_END - CHAIN_REJECTED_LISTS; i++)
        list_of(CHAIN_REJECTED_LISTS + i, by, 20, i == 0 ? INT_MIN : 60, &kinds[i]);
}

void faults_make_chains(void)
{
    root = certify(CHAIN_ROOT, "root", NULL, 1, 0);
    authority stranger = certify(CHAIN_STRANGER, "stranger", NULL, 1, 0);
    authority middle = certify(CHAIN_MIDDLE, "middle", &root, 5, 10);
    authority leaf = certify(CHAIN_LEAF, "leaf", &middle, 6, 20);
    list(CHAIN_ROOT_LIST, &root, 50, 100, 0);
    list(CHAIN_MIDDLE_LIST, &middle, 40, 90, 0);
    list(CHAIN_REVOKES_MIDDLE, &root, 50, 100, 5);
    list(CHAIN_REVOKES_LEAF, &middle, 40, 90, 6);
    list(CHAIN_LATER_LIST, &middle, -30, 500, 6);
    list(CHAIN_ENDED_LIST, &middle, 40, -30, 6);
    list(CHAIN_NEWER_LIST, &middle, 20, 60, 0);
    list_of(CHAIN_NEWER_USER_LIST, &middle, 20, 60,
            &(kind){.nid = NID_issuing_distribution_point, .value = "critical,onlyuser:TRUE"});
    list_of(CHAIN_NEWER_CA_LIST, &root, 20, 60,
            &(kind){.nid = NID_issuing_distribution_point, .value = "critical,onlyCA:TRUE"});
    list_of(CHAIN_NEWER_POINT_LIST, &middle, 20, 60,
            &(kind){.nid = NID_issuing_distribution_point, .value = "critical," POINT});
    list_of(CHAIN_FORGED_LIST, &middle, 20, 60, &(kind){.signer = stranger.key});
    list_of(CHAIN_FORGED_REVOKES, &middle, 20, 60, &(kind){.signer = stranger.key, .revoked = 6});
    rejected_lists(&middle);
    vary(CHAIN_POINTED_LEAF, "leaf", &leaf, &middle, 6, NID_crl_distribution_points,
         "URI:https://a.example/1.crl");
    vary(CHAIN_POLICY_LEAVES, "leaf", &leaf, &middle, 6, NID_policy_constraints,
         "critical,inhibitPolicyMapping:0");
    vary(CHAIN_POLICY_LEAVES + 1, "leaf", &leaf, &middle, 6, NID_inhibit_any_policy, "critical,0");
    vary(CHAIN_POLICY_LEAVES + 2, "leaf", &leaf, &middle, 6, NID_policy_mappings,
         "1.2.3.4:1.2.3.5");
    vary(CHAIN_POLICY_MIDDLE, "middle", &middle, &root, 5, NID_policy_constraints,
         "requireExplicitPolicy:0");
    narrow(&root);
    vary(CHAIN_POLICY_ROOT, "root", &root, NULL, 1, NID_policy_constraints,
         "requireExplicitPolicy:0");
    forget(&stranger);
    forget(&middle);
    forget(&leaf);
    ERR_clear_error();
}

// Adds policies of one byte each, 1.n, and mappings of each to the next ones, in hexadecimal as
// openssl.cnf has it.
static void add_policies(X509 *to, unsigned policies, unsigned fan, bool has_any)
{
    char value[2048] = "DER:";
    size_t at = strlen(value);
    if (policies == 0) return;
    at += (size_t)snprintf(value + at, sizeof value - at, "3081%02x",
                           policies * 5 + (has_any ? 8 : 0));
    for (unsigned i = 0; i < policies; i++)
        at += (size_t)snprintf(value + at, sizeof value - at, "30030601%02x", 0x29 + i);
    if (has_any) at += (size_t)snprintf(value + at, sizeof value - at, "30060604551d2000");
    extend(to, NULL, NID_certificate_policies, value);
    if (fan == 0) return;
    at = (size_t)snprintf(value, sizeof value, "DER:3082%04x", policies * fan * 8);
    for (unsigned i = 0; i < policies; i++)
        for (unsigned k = 0; k < fan; k++)
            at += (size_t)snprintf(value + at, sizeof value - at, "30060601%02x0601%02x", 0x29 + i,
                                   0x29 + (i + k) % policies);
    need(at < sizeof value, "too many policies");
    extend(to, NULL, NID_policy_mappings, value);
}

void faults_policy_chain(faults_file out[FAULTS_POLICY_CHAIN], unsigned policies, unsigned fan,
                         bool has_any)
{
    static const char *const names[] = {"leaf", "low", "middle", "high"};
    authority above = {0};
    for (int i = FAULTS_POLICY_CHAIN; i-- > 0;) {
        authority made = {.key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")};
        const authority *by = above.key == NULL ? &root : &above;
        need(made.key != NULL, "reference");
        made.certificate = draft(made.key, names[i], by, 20 + i, 30);
        extend(made.certificate, NULL, NID_basic_constraints,
               i == 0 ? "critical,CA:FALSE" : "critical,CA:TRUE");
        extend(made.certificate, NULL, NID_key_usage,
               i == 0 ? "critical,digitalSignature" : "critical,keyCertSign,cRLSign");
        add_policies(made.certificate, policies, i == 0 ? 0 : fan, has_any);
        finish(&out[i], made.certificate, by->key);
        forget(&above);
        above = made;
    }
    forget(&above);
}

void faults_leaf_of(faults_file *out, EVP_PKEY *key)
{
    X509 *made = draft(key, "a key", &root, 7, 0);
    finish(out, made, root.key);
    X509_free(made);
}

// MARK: reading

static uint8_t another;

static void borrow(const uint8_t **bytes, size_t *lens, const faults_file *const *files,
                   size_t count)
{
    need(count <= JOSE_MAX_CHAIN + 1, "too many files");
    for (size_t i = 0; i < count; i++) {
        bytes[i] = files[i]->bytes;
        lens[i] = files[i]->len;
    }
}

jose_status faults_read_chain(jose_chain **chain, size_t *failed, const faults_file *const *files,
                              size_t count)
{
    const uint8_t *bytes[JOSE_MAX_CHAIN + 1] = {0};
    size_t lens[JOSE_MAX_CHAIN + 1] = {0};
    borrow(bytes, lens, files, count);
    *chain = (void *)&another;
    *failed = 12345;
    const jose_status status = jose_chain_read(chain, failed, bytes, lens, count);
    need((*chain != NULL) == (status == JOSE_OK), "a chain and a failure");
    need(*failed < count || *failed == 0, "no such index");
    return status;
}

jose_status faults_read_trust_for(unsigned long number, jose_trust **trust,
                                  jose_trust_failure *failure, const faults_file *const *anchors,
                                  size_t anchor_count, const faults_file *const *lists,
                                  size_t list_count)
{
    const uint8_t *bytes[JOSE_MAX_CHAIN + 1] = {0}, *list_bytes[JOSE_MAX_CHAIN + 1] = {0};
    size_t lens[JOSE_MAX_CHAIN + 1] = {0}, list_lens[JOSE_MAX_CHAIN + 1] = {0};
    borrow(bytes, lens, anchors, anchor_count);
    borrow(list_bytes, list_lens, lists, list_count);
    *trust = (void *)&another;
    memset(failure, 0x5a, sizeof *failure);
    const jose_status status =
        number == 0 ? jose_trust_make(trust, failure, bytes, lens, anchor_count, list_bytes,
                                      list_lens, list_count)
                    : jose_trust_make_for(number, trust, failure, bytes, lens, anchor_count,
                                          list_bytes, list_lens, list_count);
    need((*trust != NULL) == (status == JOSE_OK), "a store and a failure");
    need(failure->index < anchor_count + list_count || failure->index == 0, "no such index");
    need(failure->list == JOSE_LIST_OK || failure->index >= anchor_count,
         "an index that is no CRL");
    return status;
}

jose_status faults_read_trust(jose_trust **trust, jose_trust_failure *failure,
                              const faults_file *const *anchors, size_t anchor_count,
                              const faults_file *const *lists, size_t list_count)
{
    return faults_read_trust_for(0, trust, failure, anchors, anchor_count, lists, list_count);
}

// MARK: operations

typedef struct {
    const char *name;
    chain_name lists[3];
    jose_chain_failure failure;
    chain_name leaf;   // instead of CHAIN_LEAF
    chain_name other;  // another anchor
} entry;

static const entry entries[] = {
    {"two below the root", {CHAIN_ROOT_LIST, CHAIN_MIDDLE_LIST}, JOSE_CHAIN_OK},
    {"a revoked leaf", {CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF}, JOSE_CHAIN_REVOKED},
    {"a revoked middle", {CHAIN_REVOKES_MIDDLE, CHAIN_MIDDLE_LIST}, JOSE_CHAIN_REVOKED},
    {"a revoked leaf with another CRL",
     {CHAIN_ROOT_LIST, CHAIN_NEWER_USER_LIST, CHAIN_REVOKES_LEAF},
     JOSE_CHAIN_REVOKED},
    {"a revoked leaf with a distribution point",
     {CHAIN_REVOKES_LEAF, CHAIN_NEWER_POINT_LIST, CHAIN_ROOT_LIST},
     JOSE_CHAIN_REVOKED,
     CHAIN_POINTED_LEAF},
    {"two below a root that has a second certificate",
     {CHAIN_ROOT_LIST, CHAIN_MIDDLE_LIST},
     JOSE_CHAIN_OK,
     .other = CHAIN_NARROW_ROOT},
    {"a revoked leaf below that one",
     {CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF},
     JOSE_CHAIN_REVOKED,
     .other = CHAIN_NARROW_ROOT},
};

// A wrong chain stays rejected whatever fails, and the validity of a right one is unchanged.
static jose_status run(const operation *operation)
{
    const entry *entry = operation->what;
    const faults_file *files = faults_chain_files;
    const faults_file *sent[] = {&files[entry->leaf == CHAIN_NONE ? CHAIN_LEAF : entry->leaf],
                                 &files[CHAIN_MIDDLE]};
    const faults_file *anchors[] = {&files[CHAIN_ROOT], &files[entry->other]};
    const faults_file *lists[] = {&files[entry->lists[0]], &files[entry->lists[1]],
                                  &files[entry->lists[2]]};
    jose_chain *chain = NULL;
    jose_trust *trust = NULL;
    jose_chain_report report = {0};
    jose_trust_failure failure;
    size_t failed = 0;
    jose_status status =
        faults_read_trust(&trust, &failure, anchors, entry->other == CHAIN_NONE ? 1 : 2, lists,
                          entry->lists[2] == CHAIN_NONE ? 2 : 3);
    if (status == JOSE_OK) status = faults_read_chain(&chain, &failed, sent, 2);
    if (status == JOSE_OK) {
        status = jose_trust_validate(trust, chain, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW, &report);
        need((status == JOSE_OK) == (report.failure == JOSE_CHAIN_OK), "status and report");
        need((status == JOSE_INTERNAL) == (report.failure == JOSE_CHAIN_INTERNAL),
             "status and report");
        need(entry->failure == JOSE_CHAIN_OK || status != JOSE_OK, "%s is trusted", entry->name);
        if (status == JOSE_OK && !faults_was_data())
            need(report.not_before == FAULTS_NOW - 40 && report.not_after == FAULTS_NOW + 90,
                 "another span");
        if (status == JOSE_REJECTED && report.failure == entry->failure) status = JOSE_OK;
    }
    jose_chain_free(chain);
    jose_trust_free(trust);
    return status;
}

typedef struct {
    const char *name;
    chain_name of, by;
    jose_status wanted;
} issued_entry;

static const issued_entry issued_entries[] = {
    {"the leaf by the middle", CHAIN_LEAF, CHAIN_MIDDLE, JOSE_OK},
    {"the leaf by the root", CHAIN_LEAF, CHAIN_ROOT, JOSE_REJECTED},
    {"the root by itself", CHAIN_ROOT, CHAIN_ROOT, JOSE_OK},
};

// A certificate that did not issue another one never did, whatever fails.
static jose_status run_issued(const operation *operation)
{
    const issued_entry *entry = operation->what;
    const faults_file *of = &faults_chain_files[entry->of], *by = &faults_chain_files[entry->by];
    jose_chain *chain = NULL, *issuer = NULL;
    size_t failed = 0;
    jose_status status = faults_read_chain(&chain, &failed, &of, 1);
    if (status == JOSE_OK) status = faults_read_chain(&issuer, &failed, &by, 1);
    if (status == JOSE_OK) {
        status = jose_chain_issued(chain, issuer);
        need(entry->wanted == JOSE_OK || status != JOSE_OK, "%s", entry->name);
        if (status == entry->wanted) status = JOSE_OK;
    }
    jose_chain_free(chain);
    jose_chain_free(issuer);
    return status;
}

const operation *faults_chains(void)
{
    enum { COUNT = sizeof entries / sizeof entries[0],
           ISSUED = sizeof issued_entries / sizeof issued_entries[0] };
    static operation all[COUNT + ISSUED + 1];
    for (size_t i = 0; i < COUNT; i++) all[i] = (operation){"chain", run, &entries[i]};
    for (size_t i = 0; i < ISSUED; i++)
        all[COUNT + i] = (operation){"issued", run_issued, &issued_entries[i]};
    return all;
}
