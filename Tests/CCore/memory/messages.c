// messages.c: messages for each key management algorithm, and key files.

#define _GNU_SOURCE
#include <fcntl.h>
#include <openssl/asn1t.h>
#include <openssl/crypto.h>
#include <openssl/pkcs12.h>
#include <string.h>
#include <unistd.h>

#include "external.h"
#include "cases.h"
#include "encoded.h"

static const uint8_t aad[] = "a header";

typedef message_parts message;

static void tell_message(const message *made)
{
    cores_tell(CORES_PUBLIC, "encrypted key", made->encrypted_key, made->encrypted_key_len);
    cores_tell(CORES_PUBLIC, "parameters", made->parameters, made->parameters_len);
    cores_tell(CORES_PUBLIC, "IV", made->iv, made->iv_len);
    cores_tell(CORES_PUBLIC, "tag", made->tag, made->tag_len);
    cores_tell(CORES_PUBLIC, "ciphertext", made->ciphertext, made->ciphertext_len);
}

static void seal(message *made, const encryption_algorithm *entry, jose_key *key,
                 jose_options options)
{
    jose_keymgmt *maker = NULL;
    jose_cek *cek = NULL;
    uint8_t text[TEXT];
    cases_draw(text, sizeof text);
    cores_tell(CORES_SECRET, "plaintext", text, sizeof text);
    need(jose_keymgmt_make(&maker, key, &entry->rule, true, options) == JOSE_OK);
    message_measure(made, 0, maker, entry->content, sizeof text);
    const jose_recipient recipient = {.iterations = 2};
    const jose_wrapped wrapped = message_wrapped(made);
    const jose_seal_output out = message_sealed(made);
    if (made->parameters_len == 0)
        need(jose_keymgmt_seal(maker, entry->content, &out, aad, sizeof aad, text, sizeof text) ==
             JOSE_OK);
    else
        need(jose_cek_begin(&cek, maker, entry->content, &wrapped, &recipient) == JOSE_OK &&
             jose_cek_finish(cek, &out, aad, sizeof aad, text, sizeof text) == JOSE_OK);
    OPENSSL_cleanse(text, sizeof text);
    jose_cek_free(cek);
    tell_message(made);
    // Once while the operation exists, since most programs keep it for long.
    cores_look("encryption");
    jose_keymgmt_free(maker);
}

static void open_message(const message *made, const encryption_algorithm *entry,
                         const jose_keymgmt *opener, bool is_right)
{
    uint8_t text[MESSAGE_PART], tag[MESSAGE_PART];
    size_t len = 0;
    jose_open_input in = message_opening(made, text, 2);
    memcpy(tag, made->tag, sizeof tag);
    if (!is_right) tag[1] ^= 1;
    in.tag = tag;
    const jose_status status =
        jose_keymgmt_open(opener, entry->content, &len, &in, aad, sizeof aad);
    need(status == (is_right ? JOSE_OK : JOSE_REJECTED) && len == (is_right ? TEXT : 0));
    if (is_right) OPENSSL_cleanse(text, sizeof text);
    // From base64url.
    uint8_t encoded[2 * ROOM];
    jose_open_input from = in;
    encoded_make(encoded, made->ciphertext, made->ciphertext_len);
    from.encoded = (jose_encoded){encoded, {encoded_read, JOSE_CHUNK}};
    need(jose_keymgmt_open(opener, entry->content, &len, &from, aad, sizeof aad) == status &&
         len == (is_right ? TEXT : 0));
    if (is_right) OPENSSL_cleanse(text, sizeof text);
}

// Opens a message with its private operation in a batch, as one of four.
static void open_together(const message *made, const encryption_algorithm *entry,
                          const jose_keymgmt *opener)
{
    enum { COUNT = 4 };
    uint8_t text[MESSAGE_PART];
    size_t len = 0;
    jose_private_batch *batch = jose_private_batch_make(COUNT);
    need(batch != NULL);
    for (int i = 0; i < COUNT; i++)
        need(jose_private_batch_add_key(batch, opener, made->encrypted_key,
                                        made->encrypted_key_len) == i);
    jose_private_batch_run(batch);
    for (size_t i = 0; i < COUNT; i++) {
        jose_open_input in = message_opening(made, text, 2);
        in.recipient.parameters = NULL, in.recipient.parameters_len = 0;
        in.batch = batch, in.index = i;
        need(jose_keymgmt_open(opener, entry->content, &len, &in, aad, sizeof aad) == JOSE_OK &&
             len == TEXT);
        OPENSSL_cleanse(text, sizeof text);
    }
    jose_private_batch_free(batch);
}

// The right MAC of what is rejected (RFC 7518 section 5.2.2.1), if the key is the content key.
// It would allow a forgery.
static void tell_right_code(const message *made, const encryption_algorithm *entry,
                            const jose_key *key)
{
    if (entry->rule.family != JOSE_DIRECT || entry->content != JOSE_A128CBC_HS256) return;
    uint8_t bytes[ROOM], text[ROOM + 64], code[32];
    const size_t size = jose_key_secret_bytes(key);
    size_t len = 0;
    need(jose_key_secret_write(key, bytes, size) == JOSE_OK);
    memcpy(text, aad, sizeof aad), len = sizeof aad;
    memcpy(text + len, made->iv, made->iv_len), len += made->iv_len;
    memcpy(text + len, made->ciphertext, made->ciphertext_len), len += made->ciphertext_len;
    memset(text + len, 0, 8), text[len + 7] = sizeof aad * 8, len += 8;
    need(jose_hmac(JOSE_SHA256, code, sizeof code, bytes, size / 2, text, len) == JOSE_OK);
    cores_tell(CORES_SECRET, "right code", code, sizeof code);
    OPENSSL_cleanse(code, sizeof code), OPENSSL_cleanse(bytes, sizeof bytes);
}

void cases_message(const encryption_algorithm *entry, jose_options options)
{
    static message made;
    cases_name("message", entry->name, options);
    jose_key *key = cases_make(&key_kinds[entry->key]);
    jose_keymgmt *opener = NULL;
    cases_tell_members(key, CORES_LIVING);
    cases_watching = true;
    seal(&made, entry, key, options);
    need(jose_keymgmt_make(&opener, key, &entry->rule, false, options) == JOSE_OK);
    cases_watching = false;  // a private key uses a kernel only after the early uses
    for (int i = 0; i < 20 && (options & JOSE_ACCELERATE_PRIVATE) != 0; i++)
        open_message(&made, entry, opener, true);
    cases_watching = true;
    open_message(&made, entry, opener, true);
    cores_look("decryption");
    if (entry->rule.family == JOSE_RSA_OAEP && (options & JOSE_PROVIDER_ONLY) == 0) {
        open_together(&made, entry, opener);
        cores_look("decryption in a batch");
    }
    open_message(&made, entry, opener, false);
    cores_look("a wrong tag");
    made.encrypted_key_len > 0 ? (made.encrypted_key[made.encrypted_key_len / 2] ^= 1)
                               : (made.iv[0] ^= 1);
    tell_right_code(&made, entry, key);
    open_message(&made, entry, opener, false);
    cores_look("a wrong encrypted key");
    jose_keymgmt_free(opener);
    jose_key_release(key);
    cores_tell(CORES_RELEASED, "", NULL, 0);
    cores_look("release");
}

// A message that is decrypted with an external key's result, right and wrong.
void cases_answer(unsigned number)
{
    static external_message m;
    const external_case *level = &external_cases[number];
    jose_key *key = cases_make(&key_kinds[level->key]), *public = NULL;
    jose_keymgmt *maker = NULL, *opener = NULL;
    cases_name("answer", level->name, level->options);
    cases_draw(m.cek, sizeof m.cek);
    need(external_public(&public, key, level) == JOSE_OK &&
         jose_keymgmt_make(&maker, public, &level->rule, true, level->options) == JOSE_OK &&
         external_make(&m, level, maker, key) &&
         jose_keymgmt_make_external(&opener, public, &level->rule, level->options) == JOSE_OK);
    // The private key and what made the message are no longer needed.
    jose_keymgmt_free(maker);
    jose_key_release(key);
    const bool is_rsa = level->rule.family == JOSE_RSA_OAEP;
    const jose_external_result_kind kind = is_rsa ? JOSE_EXTERNAL_BLOCK : JOSE_EXTERNAL_SHARED;
    cores_tell(CORES_PUBLIC, "ciphertext", m.sealed.ciphertext,
               m.sealed.ciphertext_len);
    cores_tell(CORES_SECRET, "content key", m.cek, m.cek_len);
    cores_tell(is_rsa ? CORES_SECRET : CORES_SHARED, "answer", m.secret, m.secret_len);
    cases_watching = true;
    for (int corruption = 0; corruption < 2; corruption++) {
        uint8_t text[EXTERNAL_CAPACITY];
        size_t len = 0;
        if (corruption == 1) m.sealed.tag[0] ^= 1;
        const jose_status expected = corruption == 0 ? JOSE_OK : JOSE_REJECTED;
        need(external_open(opener, level, &m, kind, m.secret, m.secret_len, text, &len) ==
             expected);
        if (is_rsa)
            need(external_open(opener, level, &m, JOSE_EXTERNAL_KEY, m.cek, m.cek_len, text,
                               &len) == expected);
        OPENSSL_cleanse(text, sizeof text);
    }
    OPENSSL_cleanse(&m, sizeof m);
    cores_look("decryption with an external result");
    jose_keymgmt_free(opener);
    jose_key_release(public);
    cores_look("release");
}

// MARK: files

static void run_pbes2(void)
{
    uint8_t password[24], text[TEXT], sealed[TEXT + 16], back[TEXT + 32], salt[16], iv[16];
    const jose_pbes2 rule = {JOSE_SHA256, 1000, 32, salt, sizeof salt, iv};
    size_t sealed_len = sizeof sealed, back_len = sizeof back;
    cases_name("PBES2", "", 0);
    cases_draw(password, sizeof password), cases_draw(text, sizeof text);
    cases_draw(salt, sizeof salt), cases_draw(iv, sizeof iv);
    cores_tell(CORES_SECRET, "password", password, sizeof password);
    cores_tell(CORES_SECRET, "plaintext", text, sizeof text);
    cases_watching = true;
    need(jose_pbes2_run(&rule, true, sealed, &sealed_len, text, sizeof text, password,
                        sizeof password) == JOSE_OK);
    need(jose_pbes2_run(&rule, false, back, &back_len, sealed, sealed_len, password,
                        sizeof password) == JOSE_OK);
    OPENSSL_cleanse(back, sizeof back);
    OPENSSL_cleanse(text, sizeof text);
    OPENSSL_cleanse(password, sizeof password);
    cores_look("encrypting and decrypting");
}

static size_t read_file(uint8_t *out, size_t room, const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = read(file, out, room);
    need(file >= 0 && len > 0 && (size_t)len < room && close(file) == 0);
    return (size_t)len;
}

// An EC key's d follows ECPrivateKey's version (RFC 5915 section 3).
static void tell_scalar(const uint8_t *pkcs8, size_t len)
{
    static const uint8_t before[] = {0x02, 0x01, 0x01, 0x04, 0x20};
    const uint8_t *location = memmem(pkcs8, len, before, sizeof before);
    need(location != NULL);
    cores_tell(CORES_SECRET, "d", location + sizeof before, 32);
}

static void run_pkcs12(const char *folder)
{
    static uint8_t sealed[4096];
    uint8_t pkcs8[ROOM], leaf[ROOM], password[24];
    jose_pkcs12 *file = NULL;
    uint64_t work = 100000;
    size_t len = 0;
    bool is_key = true;
    cases_name("PKCS#12", "", 0);
    for (size_t i = 0; i < sizeof password; i += 8) {
        // Letters, since it is text; no two programs have the same.
        uint8_t drawn[8];
        cases_draw(drawn, sizeof drawn);
        for (size_t k = 0; k < 8; k++) password[i + k] = (uint8_t)('a' + drawn[k] % 26);
    }
    const size_t leaf_len = read_file(leaf, ROOM, folder, "leaf.der"),
                 pkcs8_len = read_file(pkcs8, ROOM, folder, "leaf.p8");
    const uint8_t *certificates[] = {leaf};
    const jose_pkcs12_contents contents = {pkcs8, pkcs8_len, certificates, &leaf_len,
                                           1, "a name", 1000};
    tell_scalar(pkcs8, pkcs8_len);
    cores_tell(CORES_SECRET, "password", password, sizeof password);
    need(jose_pkcs12_write(&file, &contents, password, sizeof password) == JOSE_OK);
    OPENSSL_cleanse(pkcs8, sizeof pkcs8);
    const uint8_t *der = jose_pkcs12_item(file, 0, &len, &is_key);
    need(len <= sizeof sealed);
    memcpy(sealed, der, len);
    jose_pkcs12_free(file);
    need(jose_pkcs12_read(&file, &work, 10000, sealed, len, password, sizeof password) ==
         JOSE_PKCS12_OK);
    jose_pkcs12_free(file);
    password[0] ^= 1;
    need(jose_pkcs12_read(&file, &work, 10000, sealed, len, password, sizeof password) ==
         JOSE_PKCS12_PASSWORD);
    OPENSSL_cleanse(password, sizeof password);
    cores_look("writing and reading");
}

// One more safe after the others that is none: a NULL. The MAC is right.
static size_t spoil(uint8_t *file, size_t room, size_t len)
{
    static uint8_t contents[ROOM * 2];
    const unsigned char *from = file;
    unsigned char *to = file;
    PKCS12 *p12 = d2i_PKCS12(NULL, &from, (long)len);
    need(p12 != NULL);
    // libcrypto has no accessor for the contents; the ASN.1 description of the type has the offset.
    PKCS7 *part = *(PKCS7 **)((char *)p12 + ASN1_ITEM_rptr(PKCS12)->templates[1].offset);
    ASN1_OCTET_STRING *text = part->d.data;
    const size_t count = (size_t)ASN1_STRING_length(text);
    const uint8_t *data = ASN1_STRING_get0_data(text);
    need(count + 2 <= sizeof contents && data[0] == 0x30 && data[1] == 0x82 && data[3] < 0xfe);
    memcpy(contents, data, count);
    contents[3] += 2;
    memcpy(contents + count, (const uint8_t[]){0x05, 0x00}, 2);
    OPENSSL_cleanse((uint8_t *)data, count);
    need(ASN1_STRING_set(text, contents, (int)count + 2) == 1);
    need(PKCS12_set_mac(p12, "abc", 3, NULL, 0, 1, EVP_sha256()) == 1);
    const int more = i2d_PKCS12(p12, NULL);
    need(more > 0 && (size_t)more <= room && i2d_PKCS12(p12, &to) == more);
    OPENSSL_cleanse((uint8_t *)ASN1_STRING_get0_data(text), count + 2);
    OPENSSL_cleanse(contents, sizeof contents);
    PKCS12_free(p12);
    return (size_t)more;
}

// The key in a bag that is not encrypted: each copy of the contents has it.
static void run_clear_pkcs12(const char *folder)
{
    uint8_t pkcs8[ROOM], file_bytes[ROOM * 2];
    jose_pkcs12 *file = NULL;
    uint64_t work = 100000;
    cases_name("PKCS#12 in the clear", "", 0);
    const size_t pkcs8_len = read_file(pkcs8, ROOM, folder, "leaf.p8");
    const size_t len = read_file(file_bytes, sizeof file_bytes, folder, "clear.p12");
    tell_scalar(pkcs8, pkcs8_len);
    OPENSSL_cleanse(pkcs8, sizeof pkcs8);
    need(jose_pkcs12_read(&file, &work, 10000, file_bytes, len, (const uint8_t *)"abc", 3) ==
         JOSE_PKCS12_OK);
    need(jose_pkcs12_count(file) == 2);
    jose_pkcs12_free(file);
    need(jose_pkcs12_read(&file, &work, 10000, file_bytes, len, (const uint8_t *)"abd", 3) ==
         JOSE_PKCS12_PASSWORD);
    // An error after the contents: more bytes, or the MAC's last part, its iterations (INTEGER
    // 2048).
    file_bytes[len] = 0;
    need(jose_pkcs12_read(&file, &work, 10000, file_bytes, len + 1, (const uint8_t *)"abc", 3) ==
         JOSE_PKCS12_MALFORMED);
    need(file_bytes[len - 4] == 0x02);
    file_bytes[len - 4] = 0x01;
    need(jose_pkcs12_read(&file, &work, 10000, file_bytes, len, (const uint8_t *)"abc", 3) ==
         JOSE_PKCS12_MALFORMED);
    file_bytes[len - 4] = 0x02;
    // Their own length, one byte less than the enclosing tag has.
    uint8_t *inner = memmem(file_bytes, 64, (const uint8_t[]){0x04, 0x82}, 2);
    need(inner != NULL);
    inner[3]--;
    need(jose_pkcs12_read(&file, &work, 10000, file_bytes, len, (const uint8_t *)"abc", 3) ==
         JOSE_PKCS12_MALFORMED);
    inner[3]++;
    const size_t longer = spoil(file_bytes, sizeof file_bytes, len);
    need(jose_pkcs12_read(&file, &work, 10000, file_bytes, longer, (const uint8_t *)"abc", 3) ==
         JOSE_PKCS12_MALFORMED);
    OPENSSL_cleanse(file_bytes, sizeof file_bytes);
    cores_look("reading and rejecting");
}

static void run_deflate(void)
{
    static uint8_t text[3000], packed[4096], back[4000];
    size_t packed_len = jose_deflate_bound(sizeof text), back_len = sizeof back;
    bool is_longer = false;
    cases_name("DEFLATE", "", 0);
    // Each byte twice, so that compression pays.
    cases_draw(text, sizeof text);
    memcpy(text + sizeof text / 2, text, sizeof text / 2);
    cores_tell(CORES_SECRET, "plaintext", text, sizeof text);
    need(jose_deflate(packed, &packed_len, text, sizeof text) == JOSE_OK);
    need(jose_inflate(back, &back_len, &is_longer, packed, packed_len) == JOSE_OK &&
         back_len == sizeof text);
    OPENSSL_cleanse(text, sizeof text);
    OPENSSL_cleanse(back, sizeof back);
    OPENSSL_cleanse(packed, sizeof packed);
    cores_look("compressing and decompressing");
}

// Keys longer than a block of the hash: their digest is the effective key.
static void run_long_keys(jose_hash hash)
{
    uint8_t key[LONGEST_OCT], code[64];
    cases_name("HMAC, long key", "", (jose_options)hash);
    cases_draw(key, sizeof key);
    need(jose_hmac(hash, code, jose_hash_bytes(hash), key, sizeof key, aad, sizeof aad) == JOSE_OK);
    cores_tell(CORES_MAC_KEY, "k", key, sizeof key);
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(code, sizeof code);
    cores_look("a code");
}

bool cases_file(unsigned number, const char *folder)
{
    switch (number) {
    case 0: run_pbes2(); return true;
    case 1: run_pkcs12(folder); return true;
    case 2: run_deflate(); return true;
    case 3: run_clear_pkcs12(folder); return true;
    case 4: run_long_keys(JOSE_SHA256); return true;
    case 5: run_long_keys(JOSE_SHA384); return true;
    case 6: run_long_keys(JOSE_SHA512); return true;
    default: return false;
    }
}
