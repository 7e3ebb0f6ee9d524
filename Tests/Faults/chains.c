// chains.c: a small authority, made by libcrypto: root, middle and leaf, and what they revoke. Operations on
// chains of two certificates below an anchor, with lists.

#include "faults.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

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

// Not signed yet; the span is that of the root, shorter by so much at either end.
static X509 *draft(EVP_PKEY *key, const char *name, const authority *by, long serial, int shorter)
{
    X509 *made = X509_new();
    need(made != NULL, "reference");
    X509_NAME *subject = X509_get_subject_name(made);
    need(X509_set_version(made, X509_VERSION_3) == 1 &&
             ASN1_INTEGER_set(X509_get_serialNumber(made), serial) == 1 &&
             X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
                                        0) == 1 &&
             X509_set_issuer_name(made, by == NULL ? subject : X509_get_subject_name(by->certificate)) == 1 &&
             ASN1_TIME_set(X509_getm_notBefore(made), FAULTS_START + shorter) != NULL &&
             ASN1_TIME_set(X509_getm_notAfter(made), FAULTS_END - shorter) != NULL &&
             X509_set_pubkey(made, key) == 1,
         "reference: %s", name);
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

static authority certify(chain_name file, const char *name, const authority *by, long serial, int shorter)
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

static void forget(authority *made)
{
    EVP_PKEY_free(made->key);
    X509_free(made->certificate);
}

// A list from `before` seconds before now to `after` seconds after; it revokes one number, or none.
static void list(chain_name file, const authority *by, int before, int after, long revoked)
{
    faults_file *out = &faults_chain_files[file];
    uint8_t *at = out->bytes;
    X509_CRL *made = X509_CRL_new();
    ASN1_TIME *start = ASN1_TIME_set(NULL, FAULTS_NOW - before), *end = ASN1_TIME_set(NULL, FAULTS_NOW + after);
    need(made != NULL && start != NULL && end != NULL && X509_CRL_set_version(made, X509_CRL_VERSION_2) == 1 &&
             X509_CRL_set_issuer_name(made, X509_get_subject_name(by->certificate)) == 1 &&
             X509_CRL_set1_lastUpdate(made, start) == 1 && X509_CRL_set1_nextUpdate(made, end) == 1,
         "reference");
    if (revoked != 0) {
        X509_REVOKED *entry = X509_REVOKED_new();
        ASN1_INTEGER *number = ASN1_INTEGER_new();
        need(entry != NULL && number != NULL && ASN1_INTEGER_set(number, revoked) == 1 &&
                 X509_REVOKED_set_serialNumber(entry, number) == 1 &&
                 X509_REVOKED_set_revocationDate(entry, start) == 1 && X509_CRL_add0_revoked(made, entry) == 1,
             "reference");
        ASN1_INTEGER_free(number);
    }
    need(X509_CRL_sign(made, by->key, EVP_sha256()) > 0, "reference");
    const int len = i2d_X509_CRL(made, NULL);
    need(len > 0 && (size_t)len <= sizeof out->bytes && i2d_X509_CRL(made, &at) == len, "reference");
    out->len = (size_t)len;
    ASN1_TIME_free(start);
    ASN1_TIME_free(end);
    X509_CRL_free(made);
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
    forget(&stranger);
    forget(&middle);
    forget(&leaf);
    ERR_clear_error();
}

void faults_leaf_of(faults_file *out, EVP_PKEY *key)
{
    X509 *made = draft(key, "a key", &root, 7, 0);
    finish(out, made, root.key);
    X509_free(made);
}

// MARK: reading

static uint8_t another;

static void lend(const uint8_t **bytes, size_t *lens, const faults_file *const *files, size_t count)
{
    need(count <= JOSE_LONGEST_CHAIN + 1, "too many files");
    for (size_t i = 0; i < count; i++) {
        bytes[i] = files[i]->bytes;
        lens[i] = files[i]->len;
    }
}

jose_status faults_read_chain(jose_chain **chain, size_t *failed, const faults_file *const *files, size_t count)
{
    const uint8_t *bytes[JOSE_LONGEST_CHAIN + 1] = {0};
    size_t lens[JOSE_LONGEST_CHAIN + 1] = {0};
    lend(bytes, lens, files, count);
    *chain = (void *)&another;
    *failed = 12345;
    const jose_status status = jose_chain_read(chain, failed, bytes, lens, count);
    need((*chain != NULL) == (status == JOSE_OK), "a chain and a failure");
    need(*failed < count || *failed == 0, "no such place");
    return status;
}

jose_status faults_read_trust(jose_trust **trust, size_t *failed, const faults_file *const *anchors,
                              size_t anchor_count, const faults_file *const *lists, size_t list_count)
{
    const uint8_t *bytes[JOSE_LONGEST_CHAIN + 1] = {0}, *list_bytes[JOSE_LONGEST_CHAIN + 1] = {0};
    size_t lens[JOSE_LONGEST_CHAIN + 1] = {0}, list_lens[JOSE_LONGEST_CHAIN + 1] = {0};
    lend(bytes, lens, anchors, anchor_count);
    lend(list_bytes, list_lens, lists, list_count);
    *trust = (void *)&another;
    *failed = 12345;
    const jose_status status = jose_trust_make(trust, failed, bytes, lens, anchor_count, list_bytes, list_lens,
                                               list_count);
    need((*trust != NULL) == (status == JOSE_OK), "a store and a failure");
    need(*failed < anchor_count + list_count || *failed == 0, "no such place");
    return status;
}

// MARK: operations

typedef struct {
    const char *name;
    chain_name lists[2];
    jose_chain_fault fault;
} row;

static const row rows[] = {
    {"two below the root", {CHAIN_ROOT_LIST, CHAIN_MIDDLE_LIST}, JOSE_CHAIN_FINE},
    {"a revoked leaf", {CHAIN_ROOT_LIST, CHAIN_REVOKES_LEAF}, JOSE_CHAIN_REVOKED},
    {"a revoked middle", {CHAIN_REVOKES_MIDDLE, CHAIN_MIDDLE_LIST}, JOSE_CHAIN_REVOKED},
};

// What is wrong stays refused, whatever fails, and the span of what is right stays the same.
static jose_status run(const operation *operation)
{
    const row *row = operation->what;
    const faults_file *files = faults_chain_files;
    const faults_file *sent[] = {&files[CHAIN_LEAF], &files[CHAIN_MIDDLE]}, *anchor = &files[CHAIN_ROOT];
    const faults_file *lists[] = {&files[row->lists[0]], &files[row->lists[1]]};
    jose_chain *chain = NULL;
    jose_trust *trust = NULL;
    jose_chain_report report = {0};
    size_t failed = 0;
    jose_status status = faults_read_trust(&trust, &failed, &anchor, 1, lists, 2);
    if (status == JOSE_OK) status = faults_read_chain(&chain, &failed, sent, 2);
    if (status == JOSE_OK) {
        status = jose_trust_validate(trust, chain, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW, &report);
        need((status == JOSE_OK) == (report.fault == JOSE_CHAIN_FINE), "status and report");
        need((status == JOSE_INTERNAL) == (report.fault == JOSE_CHAIN_INTERNAL), "status and report");
        need(row->fault == JOSE_CHAIN_FINE || status != JOSE_OK, "%s is trusted", row->name);
        if (status == JOSE_OK && !faults_was_answer())
            need(report.not_before == FAULTS_NOW - 40 && report.not_after == FAULTS_NOW + 90, "another span");
        if (status == JOSE_REJECTED && report.fault == row->fault) status = JOSE_OK;
    }
    jose_chain_free(chain);
    jose_trust_free(trust);
    return status;
}

const operation *faults_chains(void)
{
    static operation all[sizeof rows / sizeof rows[0] + 1];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) all[i] = (operation){"chain", run, &rows[i]};
    return all;
}
