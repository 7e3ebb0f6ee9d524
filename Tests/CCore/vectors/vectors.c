// vectors.c: the published vectors, and the hostile inputs that the core has to reject, directly at
// the core: for processors without a Swift build here. tables.py creates the tables from Vectors.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cjosecrypto.h"

enum { LARGEST = 1 << 16,
       LONGEST_CHAIN = 32 };

typedef struct {
    jose_key_type type;
    jose_curve curve;
    jose_number numbers[2], secret, parts[JOSE_RSA_PARTS];
    bool is_private;
} key_entry;

typedef struct {
    const char *name;
    jose_signature_family family;
    jose_hash hash;
    key_entry key;
    jose_number message, signature;
    bool repeats, is_right;
} signature_entry;

typedef struct {
    const char *name;
    jose_content content;
    jose_number cek, iv, aad, plaintext, ciphertext, tag;
} content_entry;

typedef struct {
    const char *name;
    jose_keymgmt_rule rule;
    jose_content content;
    key_entry key;
    jose_number parameters, party_u, party_v, aad, encrypted_key, iv, ciphertext, tag;
    uint32_t iterations;
    jose_number plaintext;
    bool is_right;
} message_entry;

typedef struct {
    const char *name;
    size_t count;
    jose_number certificates[LONGEST_CHAIN];
    size_t anchor_count;
    jose_number anchors[LONGEST_CHAIN];
    int64_t at;
    jose_purpose purpose;
    bool is_right;
} chain_entry;

#include "tables.h"

static unsigned wrong;

static void expect(bool condition, const char *name, const char *what)
{
    if (condition) return;
    wrong++;
    printf("WRONG  %s: %s\n", name, what);
}

static bool is_same(jose_number a, const uint8_t *bytes, size_t len)
{
    return a.len == len && (len == 0 || memcmp(a.bytes, bytes, len) == 0);
}

static jose_status import(jose_key **key, const key_entry *entry)
{
    static const jose_rsa_limits limits = {2048, 8192, false};
    const jose_number a = entry->numbers[0], b = entry->numbers[1], d = entry->secret;
    switch (entry->type) {
    case JOSE_KEY_RSA:
        return entry->is_private
                   ? jose_rsa_private(key, &limits, a.bytes, a.len, b.bytes, b.len, entry->parts)
                   : jose_rsa_public(key, &limits, a.bytes, a.len, b.bytes, b.len);
    case JOSE_KEY_EC:
        return entry->is_private
                   ? jose_ec_private(key, entry->curve, a.bytes, a.len, b.bytes, b.len, d.bytes,
                                     d.len)
                   : jose_ec_public(key, entry->curve, a.bytes, a.len, b.bytes, b.len);
    case JOSE_KEY_OKP:
        return entry->is_private
                   ? jose_okp_private(key, entry->curve, a.bytes, a.len, d.bytes, d.len)
                   : jose_okp_public(key, entry->curve, a.bytes, a.len);
    case JOSE_KEY_OCT: return jose_oct(key, d.bytes, d.len);
    case JOSE_KEY_AKP: break;  // Debian 12's libcrypto has none, and tables.py skips them
    }
    return JOSE_INTERNAL;
}

// MARK: signatures

// The options that an implementation of RSA private operations needs.
static const jose_options private_levels[] = {
    0, JOSE_ACCELERATE_PRIVATE, JOSE_ACCELERATE_PRIVATE | JOSE_ACCELERATE_PRIVATE_FLOATING,
    JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
static unsigned accelerated, in_lanes;

static void run_signature(const signature_entry *entry)
{
    jose_key *key = NULL;
    jose_signature *operation = NULL;
    static const jose_options levels[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
    expect(import(&key, &entry->key) == JOSE_OK, entry->name, "the key is not accepted");
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        expect(jose_signature_make(&operation, key, entry->family, entry->hash, false, levels[i]) ==
                   JOSE_OK,
               entry->name, "no verifier");
        if (operation == NULL) continue;
        const jose_number message = entry->message, signature = entry->signature;
        expect(jose_signature_verify(operation, message.bytes, message.len, signature.bytes,
                                     signature.len) == (entry->is_right ? JOSE_OK : JOSE_REJECTED),
               entry->name,
               entry->is_right ? "the signature is rejected" : "a wrong signature is accepted");
        jose_signature_free(operation);
        operation = NULL;
    }
    if (!entry->repeats || (!entry->key.is_private && entry->key.type != JOSE_KEY_OCT)) {
        jose_key_release(key);
        return;
    }
    for (size_t i = 0; i < sizeof private_levels / sizeof private_levels[0]; i++) {
        uint8_t made[1024];
        expect(jose_signature_make(&operation, key, entry->family, entry->hash, true,
                                   private_levels[i]) == JOSE_OK,
               entry->name, "no signer");
        const size_t len = operation == NULL ? 0 : jose_signature_bytes(operation);
        expect(operation != NULL && len <= sizeof made &&
                   jose_signature_sign(operation, made, len, entry->message.bytes,
                                       entry->message.len) == JOSE_OK &&
                   is_same(entry->signature, made, len),
               entry->name, "another signature is made");
        if (operation == NULL) continue;
        accelerated += jose_signature_private_acceleration(operation) == JOSE_PRIVATE_IN_USE;
        jose_signature_free(operation);
        operation = NULL;
    }
    jose_key_release(key);
}

// MARK: content

static void run_content(const content_entry *entry)
{
    static uint8_t text[LARGEST];
    uint8_t tag[64];
    size_t len = 0;
    const size_t tag_len = jose_content_tag_bytes(entry->content);
    if (entry->ciphertext.len > sizeof text || entry->plaintext.len > sizeof text) {
        expect(false, entry->name, "too long for this program");
        return;
    }
    expect(jose_content_encrypt(entry->content, text, entry->ciphertext.len, tag, tag_len,
                                entry->cek.bytes, entry->cek.len, entry->iv.bytes, entry->iv.len,
                                entry->aad.bytes, entry->aad.len, entry->plaintext.bytes,
                                entry->plaintext.len) == JOSE_OK &&
               is_same(entry->ciphertext, text, entry->ciphertext.len) &&
               is_same(entry->tag, tag, tag_len),
           entry->name, "another ciphertext is made");
    for (int chunk = 0; chunk < 2; chunk++) {
        memcpy(text, entry->ciphertext.bytes, entry->ciphertext.len);
        memcpy(tag, entry->tag.bytes, tag_len);
        tag[tag_len - 1] ^= (uint8_t)chunk;
        const jose_status status = jose_content_decrypt(
            entry->content, &len, text, entry->ciphertext.len, entry->cek.bytes, entry->cek.len,
            entry->iv.bytes, entry->iv.len, entry->aad.bytes, entry->aad.len, tag, tag_len);
        if (chunk == 0)
            expect(status == JOSE_OK && is_same(entry->plaintext, text, len), entry->name,
                   "it does not open");
        else
            expect(status == JOSE_REJECTED, entry->name, "a wrong tag is accepted");
    }
}

// MARK: messages

// Opens an entry's message. With a batch, the private operation runs there, several times, so that
// lanes compute it.
static void open_message(const message_entry *entry, const jose_keymgmt *opener, bool in_batch)
{
    static uint8_t text[LARGEST];
    size_t len = 0;
    expect(entry->ciphertext.len <= sizeof text, entry->name, "too long for this program");
    if (entry->ciphertext.len > sizeof text) return;
    jose_private_batch *batch = in_batch ? jose_private_batch_make(4) : NULL;
    ptrdiff_t index = -1;
    for (int i = 0; i < 4 && batch != NULL; i++)
        index = jose_private_batch_add_key(batch, opener, entry->encrypted_key.bytes,
                                           entry->encrypted_key.len);
    if (index >= 0) jose_private_batch_run(batch), in_lanes++;
    if (entry->ciphertext.len > 0) memcpy(text, entry->ciphertext.bytes, entry->ciphertext.len);
    const jose_open_input in = {
        .encrypted_key = entry->encrypted_key.bytes,
        .encrypted_key_len = entry->encrypted_key.len,
        .iv = entry->iv.bytes,
        .iv_len = entry->iv.len,
        .ciphertext = text,
        .ciphertext_len = entry->ciphertext.len,
        .tag = entry->tag.bytes,
        .tag_len = entry->tag.len,
        .recipient = {entry->parameters.bytes, entry->parameters.len, entry->party_u.bytes,
                      entry->party_u.len, entry->party_v.bytes, entry->party_v.len,
                      entry->iterations},
        .batch = index >= 0 ? batch : NULL,
        .index = index >= 0 ? (size_t)index : 0,
    };
    const jose_status status =
        jose_keymgmt_open(opener, entry->content, &len, &in, entry->aad.bytes, entry->aad.len);
    if (entry->is_right)
        expect(status == JOSE_OK && is_same(entry->plaintext, text, len), entry->name,
               "it does not open");
    else
        expect(status == JOSE_REJECTED, entry->name,
               "a wrong message is opened, or rejected otherwise");
    jose_private_batch_free(batch);
}

// RSA by each implementation, alone and in a batch.
static void run_message(const message_entry *entry)
{
    jose_key *key = NULL;
    jose_keymgmt *opener = NULL;
    const bool is_rsa = entry->rule.family == JOSE_RSA_OAEP;
    const size_t levels = is_rsa ? sizeof private_levels / sizeof private_levels[0] : 1;
    expect(import(&key, &entry->key) == JOSE_OK, entry->name, "the key is not accepted");
    for (size_t i = 0; i < levels; i++) {
        expect(jose_keymgmt_make(&opener, key, &entry->rule, false, private_levels[i]) == JOSE_OK,
               entry->name, "no decrypter");
        if (opener == NULL) continue;
        open_message(entry, opener, false);
        if (is_rsa) open_message(entry, opener, true);
        accelerated += jose_keymgmt_private_acceleration(opener) == JOSE_PRIVATE_IN_USE;
        jose_keymgmt_free(opener);
        opener = NULL;
    }
    jose_key_release(key);
}

// MARK: chains

static void spread(const jose_number *numbers, size_t count, const uint8_t **bytes, size_t *len)
{
    for (size_t i = 0; i < count; i++) bytes[i] = numbers[i].bytes, len[i] = numbers[i].len;
}

static void run_chain(const chain_entry *entry)
{
    const uint8_t *bytes[LONGEST_CHAIN];
    size_t len[LONGEST_CHAIN], failed = 0;
    jose_chain *chain = NULL;
    jose_trust *trust = NULL;
    jose_trust_failure failure;
    jose_chain_report report = {0};
    spread(entry->certificates, entry->count, bytes, len);
    bool is_valid = jose_chain_read(&chain, &failed, bytes, len, entry->count) == JOSE_OK;
    spread(entry->anchors, entry->anchor_count, bytes, len);
    is_valid = is_valid && jose_trust_make(&trust, &failure, bytes, len, entry->anchor_count, NULL,
                                           NULL, 0) == JOSE_OK;
    is_valid = is_valid &&
               jose_trust_validate(trust, chain, entry->purpose, entry->at, &report) == JOSE_OK;
    expect(is_valid == entry->is_right, entry->name,
           entry->is_right ? "the chain is rejected" : "the chain is accepted");
    jose_trust_free(trust);
    jose_chain_free(chain);
}

#define RUN_ALL(entries, run)                                                                \
    do {                                                                                     \
        const size_t count = sizeof entries / sizeof entries[0];                             \
        size_t right = 0;                                                                    \
        for (size_t i = 0; i < count; i++) right += entries[i].is_right, run(&entries[i]);   \
        printf("vectors  " #entries ": %zu accepted, %zu rejected\n", right, count - right); \
    } while (0)

int main(void)
{
    if (jose_start() != JOSE_OK || jose_kernels_off() != 0) {
        printf("FAILED  the library does not start\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) run_content(&contents[i]);
    printf("vectors  contents: %zu made, opened and rejected\n",
           sizeof contents / sizeof contents[0]);
    RUN_ALL(signatures, run_signature);
    RUN_ALL(messages, run_message);
    RUN_ALL(chains, run_chain);
    printf("vectors  %u by the kernels of private operations, %u batches\n", accelerated, in_lanes);
    expect(in_lanes > 0 && (accelerated > 0 || jose_private_kernels() == 0), "private keys",
           "no kernel computed");
    if (wrong > 0) printf("FAILED  %u results of the vectors\n", wrong);
    return wrong > 0;
}
