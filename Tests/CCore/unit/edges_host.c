// edges_host.c: entries of the host in the error queue: they stay unchanged and in order, and have
// no effect on calls of the core, even entries about memory. Calls that succeed and calls that
// reject.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "faults.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

static jose_chain *good, *swapped, *beheaded;
static jose_trust *trust, *unrelated, *listed;
static uint8_t key[32], iv[16], pkcs8[512], pkcs12[4096];
static size_t pkcs8_len, pkcs12_len;
static const uint8_t password[] = "the password";

enum { FEW = 3 };

static const faults_file *file(chain_name name)
{
    return &faults_chain_files[name];
}

static jose_chain *chain_of(chain_name first, chain_name second)
{
    const faults_file *files[] = {file(first), file(second)};
    jose_chain *chain = NULL;
    size_t failed = 0;
    need(faults_read_chain(&chain, &failed, files, 2) == JOSE_OK, "chain");
    return chain;
}

static jose_trust *trust_of(chain_name anchor, bool with_lists)
{
    const faults_file *anchors[] = {file(anchor)};
    const faults_file *lists[] = {file(CHAIN_ROOT_LIST), file(CHAIN_REVOKES_LEAF)};
    jose_trust *made = NULL;
    jose_trust_failure failure;
    need(faults_read_trust(&made, &failure, anchors, 1, lists, with_lists ? 2 : 0) == JOSE_OK,
         "store");
    return made;
}

// MARK: calls

static int read_chain(chain_name name, size_t less)
{
    faults_file changed = *file(name);
    const faults_file *files[] = {&changed};
    jose_chain *chain = NULL;
    size_t failed = 0;
    changed.len -= less;
    const jose_status status = faults_read_chain(&chain, &failed, files, 1);
    jose_chain_free(chain);
    return (int)status;
}

static int read_trust(chain_name anchor, size_t less)
{
    faults_file list = *file(CHAIN_ROOT_LIST);
    const faults_file *anchors[] = {file(anchor)}, *lists[] = {&list};
    jose_trust *made = NULL;
    jose_trust_failure failure;
    list.len -= less;
    const jose_status status = faults_read_trust(&made, &failure, anchors, 1, lists, 1);
    jose_trust_free(made);
    return (int)status;
}

static int validate(const jose_trust *by, jose_purpose purpose, int64_t at)
{
    jose_chain_report report;
    const jose_status status = jose_trust_validate(by, good, purpose, at, &report);
    need((status == JOSE_OK) == (report.failure == JOSE_CHAIN_OK), "status and report");
    return (int)report.failure;
}

static int content(jose_content which, int corruption)
{
    uint8_t text[FEW] = {1, 2, 3}, sealed[16], tag[16];
    size_t len = 0;
    const size_t sealed_len = jose_content_ciphertext_bytes(which, FEW);
    const size_t key_len = jose_content_key_bytes(which), iv_len = jose_content_iv_bytes(which);
    const jose_status status = jose_content_encrypt(which, sealed, sealed_len, tag, 16, key,
                                                    key_len, iv, iv_len, NULL, 0, text, FEW);
    if (status != JOSE_OK) return (int)status;
    tag[3] ^= (uint8_t)corruption;
    return (int)jose_content_decrypt(which, &len, sealed, sealed_len, key, key_len, iv, iv_len,
                                     NULL, 0, tag, 16);
}

static jose_status write_pkcs12(jose_pkcs12 **made, size_t less)
{
    const uint8_t *certificates[] = {file(CHAIN_LEAF)->bytes};
    const size_t lens[] = {file(CHAIN_LEAF)->len - less};
    const jose_pkcs12_contents contents = {pkcs8, pkcs8_len, certificates, lens, 1, "a name", 2};
    return jose_pkcs12_write(made, &contents, password, sizeof password - 1);
}

static int writes(size_t less)
{
    jose_pkcs12 *made = NULL;
    const jose_status status = write_pkcs12(&made, less);
    need((made != NULL) == (status == JOSE_OK), "a file and a failure");
    jose_pkcs12_free(made);
    return status == JOSE_OK;
}

// The MAC and the safe of the certificates are derivations of two iterations each.
static int reads(uint64_t work, uint32_t most, size_t less, size_t password_less)
{
    jose_pkcs12 *read = NULL;
    const jose_pkcs12_failure failure =
        jose_pkcs12_read(&read, &work, most, pkcs12, pkcs12_len - less, password,
                         sizeof password - 1 - password_less);
    need((read != NULL) == (failure == JOSE_PKCS12_OK), "a file and a failure");
    jose_pkcs12_free(read);
    return (int)failure;
}

// The first blocks of a longer text end without padding.
static int pbes2(size_t blocks)
{
    static const uint8_t salt[8] = "salt";
    const jose_pbes2 rule = {JOSE_SHA256, 2, 16, salt, sizeof salt, iv};
    uint8_t text[32], sealed[64], back[80];
    size_t sealed_len = sizeof sealed, back_len = sizeof back;
    memset(text, 0x5a, sizeof text);
    const jose_status status =
        jose_pbes2_run(&rule, true, sealed, &sealed_len, text, sizeof text, password, 4);
    if (status != JOSE_OK) return (int)status;
    need(sealed_len == 48, "size");
    memset(back, 0x33, sizeof back);
    const jose_status opened =
        jose_pbes2_run(&rule, false, back, &back_len, sealed, 16 * blocks, password, 4);
    if (opened == JOSE_OK) return JOSE_OK;
    for (size_t i = 0; i < sizeof back; i++)
        need(back[i] == 0, "a first block of a text that was rejected");
    return (int)opened;
}

static int call(int number)
{
    uint8_t bytes[1000];
    char subject[32];
    switch (number) {
    case 0: return read_chain(CHAIN_LEAF, 0) == JOSE_OK;
    case 1: return read_chain(CHAIN_LEAF, 1) == JOSE_REJECTED;
    case 2: return read_chain(CHAIN_ROOT_LIST, 0) == JOSE_REJECTED;
    case 3: return read_trust(CHAIN_ROOT, 0) == JOSE_OK;
    case 4: return read_trust(CHAIN_ROOT, 1) == JOSE_REJECTED;
    case 5: return read_trust(CHAIN_LEAF, 0) == JOSE_REJECTED;
    case 6: return read_trust(CHAIN_ROOT_LIST, 0) == JOSE_REJECTED;
    case 7: return jose_chain_is_ordered(good);
    case 8: return !jose_chain_is_ordered(swapped);
    case 9: return jose_chain_subject(good, 0, subject, sizeof subject) == 7;
    case 10: return jose_chain_subject(good, 1, subject, 4) == 0;
    case 11: return jose_chain_leaf_failure(good, JOSE_PURPOSE_SIGNATURE) == JOSE_CHAIN_OK;
    case 12: return jose_chain_leaf_failure(good, JOSE_PURPOSE_ENCRYPTION) == JOSE_CHAIN_KEY_USAGE;
    case 13:
        return jose_chain_leaf_failure(beheaded, JOSE_PURPOSE_SIGNATURE) == JOSE_CHAIN_LEAF_IS_CA;
    case 14: return validate(trust, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW) == JOSE_CHAIN_OK;
    case 15: return validate(trust, JOSE_PURPOSE_ENCRYPTION, FAULTS_NOW) == JOSE_CHAIN_KEY_USAGE;
    case 16: return validate(trust, JOSE_PURPOSE_SIGNATURE, FAULTS_END) == JOSE_CHAIN_EXPIRED;
    case 17:
        return validate(unrelated, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW) == JOSE_CHAIN_UNKNOWN_ROOT;
    case 18: return validate(listed, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW) == JOSE_CHAIN_REVOKED;
    case 19:
        return validate(listed, JOSE_PURPOSE_SIGNATURE, FAULTS_NOW - 1000) ==
               JOSE_CHAIN_REVOCATION_UNKNOWN;
    case 20: return content(JOSE_A128CBC_HS256, 0) == JOSE_OK;
    case 21: return content(JOSE_A128CBC_HS256, 1) == JOSE_REJECTED;
    case 22: return content(JOSE_A256GCM, 0) == JOSE_OK;
    case 23: return content(JOSE_A256GCM, 1) == JOSE_REJECTED;
    case 24: return writes(0);
    case 25: return !writes(1);
    case 26: return reads(4, 2, 0, 0) == JOSE_PKCS12_OK;
    case 27: return reads(4, 1, 0, 0) == JOSE_PKCS12_ITERATIONS;
    case 28: return reads(4, 2, 1, 0) == JOSE_PKCS12_MALFORMED;
    case 29: return reads(4, 2, 0, 1) == JOSE_PKCS12_PASSWORD;
    case 30: return pbes2(3) == JOSE_OK;
    case 31: return pbes2(2) == JOSE_REJECTED;
    case 32: return jose_random(bytes, 40) == JOSE_OK;
    case 33: return jose_random(bytes, sizeof bytes) == JOSE_OK;
    case 34: return jose_start() == JOSE_OK;
    case 35: return jose_ignore_configuration() == JOSE_OK;
    case 36: return reads(3, 2, 0, 0) == JOSE_PKCS12_ITERATIONS;
    case 37: return reads(1, 2, 0, 0) == JOSE_PKCS12_ITERATIONS;
    case 38: return jose_chain_issued(good, beheaded) == JOSE_OK;
    case 39: return jose_chain_issued(good, good) == JOSE_REJECTED;
    case 40: return jose_chain_compare(good, true, beheaded) == 0;
    default: return -1;
    }
}

// MARK: the queue

// Each time with new entries, so that none can be of an earlier call.
static void beside(int number, int count)
{
    static int reason = 1000;
    unsigned long codes[FAULTS_QUEUE];
    ERR_clear_error();
    for (int i = 0; i < count; i++) {
        const int what = i == 1 ? (int)ERR_R_MALLOC_FAILURE : reason++;
        ERR_raise(ERR_LIB_USER, what);
        codes[i] = ERR_PACK(ERR_LIB_USER, 0, what);
    }
    need(call(number) == 1, "call %d with %d entries", number, count);
    for (int i = 0; i < count; i++)
        need(ERR_get_error() == codes[i], "entry %d after call %d", i, number);
    need(ERR_get_error() == 0, "an entry more after call %d", number);
}

static void prepare(void)
{
    good = chain_of(CHAIN_LEAF, CHAIN_MIDDLE);
    swapped = chain_of(CHAIN_LEAF, CHAIN_ROOT);
    beheaded = chain_of(CHAIN_MIDDLE, CHAIN_ROOT);
    trust = trust_of(CHAIN_ROOT, false);
    unrelated = trust_of(CHAIN_STRANGER, false);
    listed = trust_of(CHAIN_ROOT, true);

    EVP_PKEY *made = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    PKCS8_PRIV_KEY_INFO *info = made == NULL ? NULL : EVP_PKEY2PKCS8(made);
    uint8_t *at = pkcs8;
    const int len = info == NULL ? 0 : i2d_PKCS8_PRIV_KEY_INFO(info, NULL);
    need(len > 0 && (size_t)len <= sizeof pkcs8 && i2d_PKCS8_PRIV_KEY_INFO(info, &at) == len,
         "reference");
    pkcs8_len = (size_t)len;
    PKCS8_PRIV_KEY_INFO_free(info);
    EVP_PKEY_free(made);

    jose_pkcs12 *written = NULL;
    bool is_key = true;
    need(write_pkcs12(&written, 0) == JOSE_OK && jose_pkcs12_count(written) == 1, "PKCS#12");
    const uint8_t *der = jose_pkcs12_item(written, 0, &pkcs12_len, &is_key);
    need(pkcs12_len <= sizeof pkcs12 && !is_key, "PKCS#12");
    memcpy(pkcs12, der, pkcs12_len);
    jose_pkcs12_free(written);
}

// The salts and the IV of a file would be those of the host's generator.
static void with_host_generator(void)
{
    const RAND_METHOD *random = RAND_get_rand_method();
    RAND_METHOD other = *random;
    jose_pkcs12 *made = NULL;
    RAND_set_rand_method(&other);
    need(write_pkcs12(&made, 0) == JOSE_INTERNAL && made == NULL,
         "PKCS#12 with the host's generator");
    RAND_set_rand_method(random);
    need(writes(0) == 1, "PKCS#12");
}

void faults_edges_host(void)
{
    static const int counts[] = {0, 1, 2, 3, FAULTS_QUEUE - 1};
    prepare();
    int number = 0;
    for (; call(number) >= 0; number++)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) beside(number, counts[i]);
    need(number == 41, "%d calls", number);
    with_host_generator();
    jose_chain_free(good);
    jose_chain_free(swapped);
    jose_chain_free(beheaded);
    jose_trust_free(trust);
    jose_trust_free(unrelated);
    jose_trust_free(listed);
}
