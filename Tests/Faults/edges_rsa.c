// edges_rsa.c: what batches accept and take, and the blocks of PSS that must be refused, signed with the
// real key, by every way of verifying.

#define OPENSSL_SUPPRESS_DEPRECATED  // PKCS1_MGF1
#include "faults.h"

#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "kernels/selftest.h"

enum { MODULUS = 256, LARGEST = 384 };

static const uint8_t message[] = "what is signed";
static const jose_rsa_limits limits = {2048, 8192, false};

// MARK: batches

// A key's two operations and a right signature.
typedef struct {
    jose_signature *signer, *verifier;
    uint8_t right[LARGEST];
    size_t len;
} pair;

static pair make_pair(jose_key *key, jose_signature_family family, jose_hash hash)
{
    pair made = {0};
    need(jose_signature_make(&made.signer, key, family, hash, true, 0) == JOSE_OK, "signer");
    need(jose_signature_make(&made.verifier, key, family, hash, false, 0) == JOSE_OK, "verifier");
    made.len = jose_signature_bytes(made.signer);
    need(jose_signature_sign(made.signer, made.right, made.len, message, sizeof message) == JOSE_OK,
         "sign");
    return made;
}

static void free_pair(pair *made)
{
    jose_signature_free(made->signer);
    jose_signature_free(made->verifier);
}

static ptrdiff_t add(jose_batch *batch, const pair *from, bool is_right)
{
    uint8_t signature[LARGEST];
    memcpy(signature, from->right, from->len);
    if (!is_right) signature[from->len - 1] ^= 1;
    return jose_batch_add(batch, from->verifier, message, sizeof message, signature, from->len);
}

// Item i belongs to pair i mod `pairs` and is right where bit i of `right` is set.
static void batch_of(const pair *all, size_t pairs, size_t count, uint64_t right)
{
    jose_batch *batch = jose_batch_make(count);
    need(batch != NULL, "batch");
    for (size_t i = 0; i < count; i++)
        need(add(batch, &all[i % pairs], right >> i & 1) == (ptrdiff_t)i, "place %zu", i);
    need(add(batch, &all[0], true) == -1, "full");
    for (size_t i = 0; i <= count; i++) need(!jose_batch_accepted(batch, i), "not run");
    jose_batch_run(batch);
    for (size_t i = 0; i < count; i++)
        need(jose_batch_accepted(batch, i) == (right >> i & 1), "item %zu of %zu", i, count);
    need(!jose_batch_accepted(batch, count) && !jose_batch_accepted(batch, count + 1), "no such item");
    jose_batch_free(batch);
}

// Only what was judged in a lane beside others, seven of them or more, speaks against the eight lanes.
static void overruling(const pair *one)
{
    for (size_t count = 1; count <= 9; count++)
        for (size_t place = 0; place <= count; place++) {
            jose_batch *batch = jose_batch_make(10);
            need(batch != NULL, "batch");
            for (size_t i = 0; i < count; i++) need(add(batch, one, false) >= 0, "place");
            jose_batch_run(batch);
            need(jose_kernels_off() == 0, "a batch alone says nothing");
            jose_batch_overruled(batch, place);
            const bool together = place < count && count >= 7 && place < 8;
            need(jose_kernels_off() == (together ? JOSE_KERNEL_RSA_X8 : 0u), "%zu of %zu", place,
                 count);
            if (together) batch_of(one, 1, 8, 0x5d);  // alone then
            atomic_store(&jose_kernels_mistrusted, 0);
            jose_batch_free(batch);
        }
}

static void batches(jose_key *key, jose_key *large)
{
    pair all[] = {make_pair(key, JOSE_RSA_PKCS1, JOSE_SHA256), make_pair(large, JOSE_RSA_PKCS1, JOSE_SHA512),
                  make_pair(key, JOSE_RSA_PKCS1, JOSE_SHA384)};
    pair pss = make_pair(key, JOSE_RSA_PSS, JOSE_SHA256);
    jose_batch *batch = jose_batch_make(1000);
    need(batch != NULL, "batch");
    need(add(batch, &pss, true) == -1, "a family without batches");
    need(jose_batch_add(batch, all[0].signer, message, 1, all[0].right, all[0].len) == -1, "signer");
    for (int by = -1; by <= 1; by += 2)
        need(jose_batch_add(batch, all[0].verifier, message, 1, all[0].right,
                            all[0].len + (size_t)by) == -1,
             "length");
    const unsigned both = JOSE_KERNEL_RSA | JOSE_KERNEL_RSA_X8;
    if ((jose_kernels() & both) == both) {
        for (size_t i = 0; i < JOSE_BATCH_MOST; i++) need(add(batch, &all[0], true) == (ptrdiff_t)i, "most");
        need(add(batch, &all[0], true) == -1, "more than the most");
        for (size_t count = 0; count <= 17; count++) {
            batch_of(all, 1, count, UINT64_MAX);
            batch_of(all, 1, count, 0);
            batch_of(all, 1, count, UINT64_C(0x9b5d3) >> count % 5);
        }
        batch_of(all, 2, 18, UINT64_C(0x2c9f5));
        batch_of(all, 3, 40, UINT64_C(0xb35d9c6a71));
        batch_of(all, 3, 11, UINT64_C(0x4a7));
        overruling(&all[0]);
    } else {
        need((jose_kernels() & JOSE_KERNEL_RSA) != 0 || add(batch, &all[0], true) == -1, "no kernel");
    }
    jose_batch_free(batch);
    for (int i = 0; i < 3; i++) free_pair(&all[i]);
    free_pair(&pss);
}

// MARK: PSS

typedef struct {
    const char *name;
    int salt_more;               // longer or shorter than the digest
    uint8_t trailer, top, one;   // changes of the last byte, the first bit, the byte before the salt
    int odd;                     // a byte of the padding that is odd, from 1; -1: the last; 0: none
    uint8_t hash_first, hash_last;
} shape;

static const shape shapes[] = {
    {.name = "right"},
    {"a salt one shorter", .salt_more = -1},
    {"a salt one longer", .salt_more = 1},
    {"no salt", .salt_more = -1000},
    {"trailer bd", .trailer = 1},
    {"trailer 3c", .trailer = 0x80},
    {"trailer cc", .trailer = 0x70},
    {"the first bit", .top = 0x80},
    {"00 before the salt", .one = 1},
    {"03 before the salt", .one = 2},
    {"81 before the salt", .one = 0x80},
    {"odd at the start", .odd = 1},
    {"odd second", .odd = 2},
    {"odd inside", .odd = 40},
    {"odd at the end", .odd = -1},
    {"another hash", .hash_first = 0x80},
    {"another hash at its end", .hash_last = 1},
};

static void block_of(uint8_t em[MODULUS], const shape *s, const EVP_MD *md, const uint8_t *digest,
                     unsigned attempt)
{
    const size_t h = (size_t)EVP_MD_get_size(md), db_len = MODULUS - h - 1;
    const size_t salt_len = s->salt_more < -100 ? 0 : h + (size_t)s->salt_more;
    uint8_t text[8 + 64 + 65] = {0}, by[MODULUS], *hash = em + db_len;
    memcpy(text + 8, digest, h);
    for (size_t i = 0; i < salt_len; i++) text[8 + h + i] = (uint8_t)(i * 37 + attempt * 11 + 5);
    need(EVP_Digest(text, 8 + h + salt_len, hash, NULL, md, NULL) == 1, "reference");
    hash[0] ^= s->hash_first;
    hash[h - 1] ^= s->hash_last;
    const size_t one = db_len - salt_len - 1;
    memset(em, 0, db_len);
    em[one] = 1 ^ s->one;
    memcpy(em + one + 1, text + 8 + h, salt_len);
    if (s->odd != 0) em[s->odd < 0 ? one - 1 : (size_t)s->odd - 1] ^= 2;
    need(PKCS1_MGF1(by, (long)db_len, hash, (long)h, md) == 0, "reference");
    for (size_t i = 0; i < db_len; i++) em[i] ^= by[i];
    em[0] = (uint8_t)((em[0] & 0x7f) | s->top);
    em[MODULUS - 1] = 0xbc ^ s->trailer;
}

static void forged(EVP_PKEY_CTX *raw, jose_key *key, jose_hash hash, const EVP_MD *md)
{
    static const jose_options ways[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
    jose_signature *verifiers[3];
    for (int w = 0; w < 3; w++)
        need(jose_signature_make(&verifiers[w], key, JOSE_RSA_PSS, hash, false, ways[w]) == JOSE_OK,
             "verifier");
    uint8_t digest[64], em[MODULUS], signature[MODULUS];
    need(EVP_Digest(message, sizeof message, digest, NULL, md, NULL) == 1, "reference");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        // A block that is not below the modulus cannot be signed: with another salt it may be.
        size_t len = 0;
        for (unsigned attempt = 0; len != MODULUS && attempt < 500; attempt++) {
            block_of(em, &shapes[i], md, digest, attempt);
            len = MODULUS;
            if (EVP_PKEY_decrypt(raw, signature, &len, em, MODULUS) != 1) len = 0;
        }
        if (len != MODULUS) continue;  // a modulus that is hardly above 2^2047
        for (int w = 0; w < 3; w++)
            for (int again = 0; again < 2; again++)
                need(jose_signature_verify(verifiers[w], message, sizeof message, signature, MODULUS) ==
                         (i == 0 ? JOSE_OK : JOSE_REJECTED),
                     "PSS, way %d: %s", w, shapes[i].name);
        need(jose_kernels_off() == 0, "a kernel was overruled: %s", shapes[i].name);
    }
    for (int w = 0; w < 3; w++) jose_signature_free(verifiers[w]);
}

// The number as the key's big-endian bytes.
static size_t number_of(const EVP_PKEY *pair, const char *name, uint8_t *bytes)
{
    BIGNUM *number = NULL;
    need(EVP_PKEY_get_bn_param(pair, name, &number) == 1, "reference");
    const size_t len = (size_t)BN_bn2bin(number, bytes);
    BN_free(number);
    return len;
}

static void pss(void)
{
    EVP_PKEY *made = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)(8 * MODULUS));
    need(made != NULL, "reference");
    EVP_PKEY_CTX *raw = EVP_PKEY_CTX_new(made, NULL);
    need(raw != NULL && EVP_PKEY_decrypt_init(raw) == 1 &&
             EVP_PKEY_CTX_set_rsa_padding(raw, RSA_NO_PADDING) == 1,
         "reference");
    uint8_t n[MODULUS], e[8];
    const size_t n_len = number_of(made, "n", n), e_len = number_of(made, "e", e);
    jose_key *key = NULL;
    need(jose_rsa_public(&key, &limits, n, n_len, e, e_len) == JOSE_OK, "import");
    forged(raw, key, JOSE_SHA256, EVP_sha256());
    forged(raw, key, JOSE_SHA384, EVP_sha384());
    forged(raw, key, JOSE_SHA512, EVP_sha512());
    jose_key_release(key);
    EVP_PKEY_CTX_free(raw);
    EVP_PKEY_free(made);
}

void faults_edges_rsa(void)
{
    jose_key *key = NULL, *large = NULL;
    need(jose_rsa_generate(&key, 2048) == JOSE_OK && jose_rsa_generate(&large, 3072) == JOSE_OK, "keys");
    batches(key, large);
    jose_key_release(key);
    jose_key_release(large);
    pss();
}
