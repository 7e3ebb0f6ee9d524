// files.c: operations on certificates, key files, compressed texts and single hashes.

#include "faults.h"

#include <openssl/crypto.h>
#include <time.h>

enum { MAX_FILE = 4096 };

typedef struct {
    uint8_t bytes[MAX_FILE];
    size_t len;
} file;

static file ca, leaf, ec_ca, ec_leaf, ca_crl, pkcs8, pkcs12, clear_pkcs12;
static int64_t now;
static const uint8_t password[] = "the password";

static void read_file(file *out, const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    need(in != NULL, "no file %s", path);
    out->len = fread(out->bytes, 1, sizeof out->bytes, in);
    need(out->len > 0 && out->len < sizeof out->bytes, "%s is empty or too long", path);
    fclose(in);
}

// MARK: certificates

typedef struct {
    const char *name;
    const file *leaf, *anchor, *crl;
    jose_purpose purpose;
} chain_entry;

static const chain_entry chains[] = {
    {"RSA", &leaf, &ca, NULL, JOSE_PURPOSE_SIGNATURE},
    {"RSA with a CRL", &leaf, &ca, &ca_crl, JOSE_PURPOSE_ENCRYPTION},
    {"EC", &ec_leaf, &ec_ca, NULL, JOSE_PURPOSE_SIGNATURE},
    {"unknown root", &leaf, &ec_ca, NULL, JOSE_PURPOSE_SIGNATURE},
};

static jose_status read_chain(jose_chain **chain, const chain_entry *entry)
{
    const uint8_t *der[] = {entry->leaf->bytes};
    const size_t len[] = {entry->leaf->len};
    size_t failed = 0;
    const jose_status status = jose_chain_read(chain, &failed, der, len, 1);
    need((*chain != NULL) == (status == JOSE_OK), "a chain and a failure");
    return status;
}

static jose_status read_trust(jose_trust **trust, const chain_entry *entry)
{
    const uint8_t *anchors[] = {entry->anchor->bytes};
    const size_t anchor_len[] = {entry->anchor->len};
    const uint8_t *crls[] = {entry->crl == NULL ? NULL : entry->crl->bytes};
    const size_t crl_len[] = {entry->crl == NULL ? 0 : entry->crl->len};
    jose_trust_failure failure;
    const jose_status status =
        jose_trust_make(trust, &failure, anchors, anchor_len, 1, crls, crl_len, entry->crl != NULL);
    need((*trust != NULL) == (status == JOSE_OK), "a store and a failure");
    return status;
}

static jose_status run_chain(const operation *operation)
{
    const chain_entry *entry = operation->what;
    const bool is_good = entry->leaf != &leaf || entry->anchor == &ca;
    jose_chain *chain = NULL;
    jose_trust *trust = NULL;
    jose_chain_report report;
    char subject[256];
    jose_status status = read_trust(&trust, entry);
    if (status == JOSE_OK) status = read_chain(&chain, entry);
    if (status == JOSE_OK && jose_chain_subject(chain, 0, subject, sizeof subject) == 0)
        status = JOSE_INTERNAL;  // 0 is how it fails
    if (status == JOSE_OK) {
        const jose_chain_failure failure = jose_chain_leaf_failure(chain, entry->purpose);
        status = failure == JOSE_CHAIN_OK         ? JOSE_OK
                 : failure == JOSE_CHAIN_INTERNAL ? JOSE_INTERNAL
                                                  : JOSE_REJECTED;
    }
    if (status == JOSE_OK) {
        status = jose_trust_validate(trust, chain, entry->purpose, now, &report);
        need((status == JOSE_OK) == (report.failure == JOSE_CHAIN_OK), "status and report");
        need((status == JOSE_INTERNAL) == (report.failure == JOSE_CHAIN_INTERNAL),
             "status and report");
        if (!is_good) {
            need(status != JOSE_OK, "a stranger is trusted");
            if (report.failure == JOSE_CHAIN_UNKNOWN_ROOT) status = JOSE_OK;
        }
    }
    jose_chain_free(chain);
    jose_trust_free(trust);
    return status;
}

// MARK: key files

static jose_status status_of(jose_pkcs12_failure failure)
{
    return failure == JOSE_PKCS12_OK         ? JOSE_OK
           : failure == JOSE_PKCS12_INTERNAL ? JOSE_INTERNAL
                                             : JOSE_REJECTED;
}

static jose_status run_pkcs12_read(const operation *operation)
{
    (void)operation;
    jose_pkcs12 *read = NULL;
    uint64_t work = 20000;
    const jose_status status = status_of(jose_pkcs12_read(
        &read, &work, 10000, pkcs12.bytes, pkcs12.len, password, sizeof password - 1));
    need((read != NULL) == (status == JOSE_OK), "a file and a failure");
    if (status == JOSE_OK) need(jose_pkcs12_count(read) == 3, "items");
    jose_pkcs12_free(read);
    return status;
}

// The file contains the plaintext key: each copy of it is wiped, whatever fails.
static jose_status run_pkcs12_clear(const operation *operation)
{
    (void)operation;
    enum { FROM_THE_END = 300,
           WATCHED = 32 };  // in the midst of its last numbers
    jose_pkcs12 *read = NULL;
    uint64_t work = 20000;
    faults_watch(pkcs8.bytes + pkcs8.len - FROM_THE_END, WATCHED);
    const jose_status status = status_of(jose_pkcs12_read(
        &read, &work, 10000, clear_pkcs12.bytes, clear_pkcs12.len, password, sizeof password - 1));
    need((read != NULL) == (status == JOSE_OK), "a file and a failure");
    if (status == JOSE_OK) need(jose_pkcs12_count(read) == 2, "items");
    jose_pkcs12_free(read);
    need(faults_watched() == 0, "a plaintext key was freed without a wipe");
    faults_watch(NULL, 0);
    return status;
}

static jose_status write_pkcs12(jose_pkcs12 **made)
{
    const uint8_t *certificates[] = {leaf.bytes, ca.bytes};
    const size_t lens[] = {leaf.len, ca.len};
    const jose_pkcs12_contents contents = {pkcs8.bytes, pkcs8.len, certificates, lens, 2, "a name",
                                           1};  // each iteration allocates
    return jose_pkcs12_write(made, &contents, password, sizeof password - 1);
}

static jose_status run_pkcs12_write(const operation *operation)
{
    (void)operation;
    jose_pkcs12 *made = NULL;
    const jose_status status = write_pkcs12(&made);
    need((made != NULL) == (status == JOSE_OK), "a file and a failure");
    if (status == JOSE_OK) {
        size_t len = 0;
        bool is_key = true;
        const uint8_t *der = jose_pkcs12_item(made, 0, &len, &is_key);
        jose_pkcs12 *read = NULL;
        uint64_t work = 20000;
        faults_pause();
        need(jose_pkcs12_read(&read, &work, 10000, der, len, password, sizeof password - 1) ==
                     JOSE_PKCS12_OK &&
                 jose_pkcs12_count(read) == 3,
             "the written file cannot be read");
        jose_pkcs12_free(read);
        faults_resume();
    }
    jose_pkcs12_free(made);
    return status;
}

static jose_status run_pbes2(const operation *operation)
{
    (void)operation;
    static const uint8_t salt[8] = "salt", iv[16] = "iv", text[40] = "plain";
    const jose_pbes2 rule = {JOSE_SHA256, 1000, 32, salt, sizeof salt, iv};
    uint8_t sealed[64], back[80];
    size_t sealed_len = sizeof sealed, back_len = sizeof back;
    memset(sealed, FAULTS_BLANK, sizeof sealed);
    memset(back, FAULTS_BLANK, sizeof back);
    jose_status status = jose_pbes2_run(&rule, true, sealed, &sealed_len, text, sizeof text,
                                        password, sizeof password);
    if (status != JOSE_OK) {
        need(faults_is_blank(sealed, sizeof sealed), "PBES2 left output");
        return status;
    }
    status = jose_pbes2_run(&rule, false, back, &back_len, sealed, sealed_len, password,
                            sizeof password);
    need(status == JOSE_OK ? back_len == sizeof text && memcmp(back, text, back_len) == 0
                           : faults_is_blank(back, sizeof back),
         "PBES2 left output");
    return status;
}

// MARK: compression and hashes

static jose_status run_deflate(const operation *operation)
{
    (void)operation;
    uint8_t text[3000], packed[4096], back[4000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * i >> 3);
    size_t packed_len = jose_deflate_bound(sizeof text), back_len = sizeof back;
    bool is_longer = false;
    memset(packed, FAULTS_BLANK, sizeof packed);
    memset(back, FAULTS_BLANK, sizeof back);
    jose_status status = jose_deflate(packed, &packed_len, text, sizeof text);
    if (status != JOSE_OK) {
        need(faults_is_blank(packed, sizeof packed), "deflate left output");
        return status;
    }
    status = jose_inflate(back, &back_len, &is_longer, packed, packed_len);
    need(status == JOSE_OK ? back_len == sizeof text && memcmp(back, text, back_len) == 0
                           : back_len == 0 && !is_longer && faults_is_blank(back, sizeof back),
         "inflate left output");
    return status;
}

static jose_status run_content(const operation *operation)
{
    const jose_content content =
        *(const jose_content *)((const char *)operation->what + sizeof(char *));
    uint8_t key[64] = "key", iv[16] = "iv", tag[32], sealed[64], text[48] = "text";
    const size_t key_len = jose_content_key_bytes(content), iv_len = jose_content_iv_bytes(content);
    const size_t tag_len = jose_content_tag_bytes(content);
    const size_t sealed_len = jose_content_ciphertext_bytes(content, sizeof text);
    memset(sealed, FAULTS_BLANK, sizeof sealed);
    jose_status status = jose_content_encrypt(content, sealed, sealed_len, tag, tag_len, key,
                                              key_len, iv, iv_len, text, 5, text, sizeof text);
    if (status != JOSE_OK) {
        need(faults_is_blank(sealed, sizeof sealed), "encryption left output");
        return status;
    }
    // Decryption needs its own context.
    faults_forget();
    uint8_t opened[64];
    for (int corruption = 1; corruption >= 0; corruption--) {
        size_t len = sizeof opened + 1;  // of another call
        memcpy(opened, sealed, sealed_len);
        tag[tag_len - 1] ^= corruption;
        status = jose_content_decrypt(content, &len, opened, sealed_len, key, key_len, iv, iv_len,
                                      text, 5, tag, tag_len);
        tag[tag_len - 1] ^= corruption;
        if (status == JOSE_OK)
            need(!corruption && len == sizeof text && memcmp(opened, text, len) == 0, "text");
        else
            need(len == 0 && (memcmp(opened, sealed, sealed_len) == 0 ||
                              faults_is_blank(opened, sealed_len)),
                 "decryption left plaintext");
        if (status != JOSE_OK && status != JOSE_REJECTED) return status;
    }
    return status;
}

static jose_status run_hash(const operation *operation)
{
    (void)operation;
    uint8_t out[32];
    jose_status status = jose_hash_digest(JOSE_SHA256, out, sizeof out, password, sizeof password);
    return status == JOSE_OK ? jose_hmac(JOSE_SHA256, out, sizeof out, password, 3, out, sizeof out)
                             : status;
}

static jose_status run_random(const operation *operation)
{
    (void)operation;
    uint8_t few[40], many[3000];
    memset(few, FAULTS_BLANK, sizeof few);
    memset(many, FAULTS_BLANK, sizeof many);
    jose_status status = jose_random(few, sizeof few);
    if (status != JOSE_OK) need(faults_is_blank(few, sizeof few), "random bytes");
    if (status == JOSE_OK) {
        status = jose_random(many, sizeof many);
        if (status != JOSE_OK) need(faults_is_blank(many, sizeof many), "random bytes");
    }
    return status;
}

// MARK: the list

static const struct {
    const char *name;
    jose_content content;
} contents[] = {
    {"A128CBC-HS256", JOSE_A128CBC_HS256},
    {"A192CBC-HS384", JOSE_A192CBC_HS384},
    {"A256CBC-HS512", JOSE_A256CBC_HS512},
    {"A128GCM", JOSE_A128GCM},
    {"A192GCM", JOSE_A192GCM},
    {"A256GCM", JOSE_A256GCM},
};

const operation *faults_files(const char *folder)
{
    static const char *const name = "", *const in_the_clear = "in the clear";
    static operation list[32];
    int count = 0;
    now = (int64_t)time(NULL);
    read_file(&ca, folder, "ca.der");
    read_file(&leaf, folder, "leaf.der");
    read_file(&ec_ca, folder, "ec-ca.der");
    read_file(&ec_leaf, folder, "ec-leaf.der");
    read_file(&ca_crl, folder, "ca.crl");
    read_file(&pkcs8, folder, "leaf.p8");
    read_file(&clear_pkcs12, folder, "clear.p12");
    jose_pkcs12 *made = NULL;
    size_t len = 0;
    bool is_key = true;
    need(write_pkcs12(&made) == JOSE_OK, "PKCS#12");
    const uint8_t *der = jose_pkcs12_item(made, 0, &len, &is_key);
    need(len <= sizeof pkcs12.bytes, "PKCS#12 is too long");
    memcpy(pkcs12.bytes, der, len);
    pkcs12.len = len;
    jose_pkcs12_free(made);
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++)
        list[count++] = (operation){"chain", run_chain, &chains[i]};
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++)
        list[count++] = (operation){"content", run_content, &contents[i]};
    list[count++] = (operation){"read PKCS#12", run_pkcs12_read, &name};
    list[count++] = (operation){"read PKCS#12", run_pkcs12_clear, &in_the_clear};
    list[count++] = (operation){"write PKCS#12", run_pkcs12_write, &name};
    list[count++] = (operation){"PBES2 of key files", run_pbes2, &name};
    list[count++] = (operation){"deflate and inflate", run_deflate, &name};
    list[count++] = (operation){"hash and HMAC", run_hash, &name};
    list[count++] = (operation){"random bytes", run_random, &name};
    list[count] = (operation){0};
    return list;
}
