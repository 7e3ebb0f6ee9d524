// edges_rsa.c: the limits of batches, and blocks of PSS that must be rejected, signed with the real
// key, by every implementation.

#define OPENSSL_SUPPRESS_DEPRECATED  // PKCS1_MGF1
#include "faults.h"

#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "cjosekernels.h"
#include "precomps.h"
#include "signatures/signature.h"

enum { MODULUS = 256,
       LARGEST = 384 };

static const uint8_t message[] = "what is signed";
static const jose_rsa_limits limits = {2048, 8192, false};

// MARK: batches

// The two operations of a key and a right signature.
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
        need(add(batch, &all[i % pairs], right >> i & 1) == (ptrdiff_t)i, "slot %zu", i);
    need(add(batch, &all[0], true) == -1, "full");
    for (size_t i = 0; i <= count; i++) need(!jose_batch_accepted(batch, i), "not run");
    jose_batch_run(batch);
    for (size_t i = 0; i < count; i++)
        need(jose_batch_accepted(batch, i) == (right >> i & 1), "item %zu of %zu", i, count);
    need(!jose_batch_accepted(batch, count) && !jose_batch_accepted(batch, count + 1),
         "no such item");
    jose_batch_free(batch);
}

// Whether this key still uses the kernel under test.
static bool has_kernel(const pair *one)
{
    const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(one->verifier->fast);
    need(precomp != NULL, "precomputed constants");
#if JOSE_KERNELS_X86
    for (int i = 0; i < JOSE_RSA_KERNELS; i++)
        if (jose_kernel_usable(jose_rsa_kernels[i].one))
            return precomp->kernel == &jose_rsa_kernels[i];
#endif
    return false;
}

// A reported mismatch of a batch counts for this key, never for another or the kernel: its values
// are computed again, then it stops using the kernel. A mismatch of an unused slot has no effect.
static void overruling(jose_key *key, const pair *other)
{
    for (size_t count = 1; count <= 9; count += 4)
        for (size_t index = 0; index <= count; index++) {
            pair one = make_pair(key, JOSE_RSA_PKCS1, JOSE_SHA256);
            for (int time = 1; time <= JOSE_RSA_MAX_DIFFERENCES; time++) {
                jose_batch *batch = jose_batch_make(10);
                need(batch != NULL && has_kernel(&one), "batch");
                for (size_t i = 0; i < count; i++) need(add(batch, &one, i % 2) >= 0, "index");
                jose_batch_run(batch);
                const bool counts = index < count && !jose_batch_accepted(batch, index);
                need(counts == (index < count && index % 2 == 0), "accepted");
                const void *before = fast_vector(one.verifier->fast);
                jose_batch_report_mismatch(batch, index);
                jose_batch_report_mismatch(batch, index);
                need((fast_vector(one.verifier->fast) == before) == !counts, "computed again");
                need(has_kernel(&one) == (!counts || time < JOSE_RSA_MAX_DIFFERENCES),
                     "%zu of %zu, time %d", index, count, time);
                jose_batch_free(batch);
            }
            need(jose_kernels_off() == 0 && has_kernel(other), "another key");
            need(jose_signature_verify(one.verifier, message, sizeof message, one.right, one.len) ==
                     JOSE_OK,
                 "right");
            free_pair(&one);
        }
}

// Each flipped bit of the precomputed values of a key is detected and not reported, and the next
// verification computes them again.
static void corrupted_numbers(jose_key *key)
{
    pair one = make_pair(key, JOSE_RSA_PKCS1, JOSE_SHA256);
    for (int time = 1; time <= JOSE_RSA_MAX_CORRUPTIONS; time++) {
        uint64_t *words = fast_vector(one.verifier->fast);
        need(words != NULL && has_kernel(&one), "kernel");
        words[time] ^= 4;
        jose_batch *batch = time == 2 ? jose_batch_make(8) : NULL;
        for (int i = 0; i < 8 && batch != NULL; i++) need(add(batch, &one, true) == i, "index");
        if (batch != NULL) jose_batch_run(batch);
        for (size_t i = 0; i < 8 && batch != NULL; i++)
            need(!jose_batch_accepted(batch, i), "by a corrupted key");
        jose_batch_free(batch);
        need(jose_signature_verify(one.verifier, message, sizeof message, one.right, one.len) ==
                 JOSE_OK,
             "right");
        need(has_kernel(&one) == (time < JOSE_RSA_MAX_CORRUPTIONS), "computed again");
    }
    uint8_t wrong[LARGEST];
    memcpy(wrong, one.right, one.len);
    wrong[9] ^= 1;
    need(jose_signature_verify(one.verifier, message, sizeof message, wrong, one.len) ==
             JOSE_REJECTED,
         "wrong");
    need(jose_kernels_off() == 0, "a kernel was blamed");
    free_pair(&one);
}

// A changed bit of a prepared key's size: fewer bytes would be compared, and at 3072 bits the first
// 256 are the same for all messages.
static void changed_sizes(jose_key *large)
{
    static const uint8_t other[] = "what is not signed";
    pair one = make_pair(large, JOSE_RSA_PKCS1, JOSE_SHA512);
    need(has_kernel(&one), "kernel");
    jose_rsa_precomp *precomp = (jose_rsa_precomp *)jose_rsa_fast_precomp(one.verifier->fast);
    for (int bit = 0; bit < 32; bit++) {
        jose_batch *batch = jose_batch_make(8);
        need(batch != NULL, "batch");
        for (int i = 0; i < 8; i++)
            need(jose_batch_add(batch, one.verifier, other, sizeof other, one.right, one.len) == i,
                 "index");
        precomp->size ^= UINT32_C(1) << bit;
        jose_batch_run(batch);
        precomp->size ^= UINT32_C(1) << bit;
        for (size_t i = 0; i < 8; i++)
            need(!jose_batch_accepted(batch, i), "another message with bit %d changed", bit);
        jose_batch_free(batch);
    }
    free_pair(&one);
}

static void batches(jose_key *key, jose_key *large)
{
    pair all[] = {make_pair(key, JOSE_RSA_PKCS1, JOSE_SHA256),
                  make_pair(large, JOSE_RSA_PKCS1, JOSE_SHA512),
                  make_pair(key, JOSE_RSA_PKCS1, JOSE_SHA384)};
    pair pss = make_pair(key, JOSE_RSA_PSS, JOSE_SHA256);
    jose_batch *batch = jose_batch_make(1000);
    need(batch != NULL, "batch");
    need(add(batch, &pss, true) == -1, "a family without batches");
    need(jose_batch_add(batch, all[0].signer, message, 1, all[0].right, all[0].len) == -1,
         "signer");
    for (int by = -1; by <= 1; by += 2)
        need(jose_batch_add(batch, all[0].verifier, message, 1, all[0].right,
                            all[0].len + (size_t)by) == -1,
             "length");
    const unsigned ifma = JOSE_KERNEL_RSA | JOSE_KERNEL_RSA_X8,
                   fma = JOSE_KERNEL_RSA_FMA | JOSE_KERNEL_RSA_FMA_X4;
    if ((jose_kernels() & ifma) == ifma || (jose_kernels() & fma) == fma) {
        for (size_t i = 0; i < JOSE_BATCH_MAX; i++)
            need(add(batch, &all[0], true) == (ptrdiff_t)i, "most");
        need(add(batch, &all[0], true) == -1, "more than the maximum");
        for (size_t count = 0; count <= 17; count++) {
            batch_of(all, 1, count, UINT64_MAX);
            batch_of(all, 1, count, 0);
            batch_of(all, 1, count, UINT64_C(0x9b5d3) >> count % 5);
        }
        batch_of(all, 2, 18, UINT64_C(0x2c9f5));
        batch_of(all, 3, 40, UINT64_C(0xb35d9c6a71));
        batch_of(all, 3, 11, UINT64_C(0x4a7));
        overruling(key, &all[0]);
        corrupted_numbers(key);
        changed_sizes(large);
    } else {
        need((jose_kernels() & (JOSE_KERNEL_RSA | JOSE_KERNEL_RSA_FMA)) != 0 ||
                 add(batch, &all[0], true) == -1,
             "no kernel");
    }
    jose_batch_free(batch);
    for (int i = 0; i < 3; i++) free_pair(&all[i]);
    free_pair(&pss);
}

// MARK: PSS

typedef struct {
    const char *name;
    int salt_more;              // longer or shorter than the digest
    uint8_t trailer, top, one;  // changes of the last byte, the first bit, the byte before the salt
    int odd;                    // a wrong byte of padding or salt; -1: the last one
    uint8_t hash_first, hash_last;
} shape;

static const shape shapes[] = {
    {.name = "right"},
    {"a salt of one byte less", .salt_more = -1},
    {"a salt of one byte more", .salt_more = 1},
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
    uint8_t text[8 + 64 + MODULUS] = {0}, by[MODULUS], *hash = em + db_len;
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

// The raw private operation of the key, and its verifiers with one hash.
typedef struct {
    EVP_PKEY_CTX *raw;
    const EVP_MD *md;
    uint8_t digest[64];
    jose_signature *verifiers[3];
    unsigned verified;
} pss_subject;

static void verify(pss_subject *s, const shape *shape, jose_status expected)
{
    uint8_t em[MODULUS], signature[MODULUS];
    // A block that is not below the modulus cannot be signed: it may be with another salt.
    size_t len = 0;
    for (unsigned attempt = 0; len != MODULUS && attempt < 500; attempt++) {
        block_of(em, shape, s->md, s->digest, attempt);
        len = MODULUS;
        if (EVP_PKEY_decrypt(s->raw, signature, &len, em, MODULUS) != 1) len = 0;
    }
    if (len != MODULUS) return;  // a modulus that is hardly above 2^2047
    for (int w = 0; w < 3; w++)
        for (int again = 0; again < 2; again++)
            need(jose_signature_verify(s->verifiers[w], message, sizeof message, signature,
                                       MODULUS) == expected,
                 "PSS, implementation %d: %s", w, shape->name);
    need(jose_kernels_off() == 0, "a kernel was switched off: %s", shape->name);
    s->verified++;
}

// Each byte before the hash, each other size of salt, each other trailer, bits of the hash.
static void verify_all(pss_subject *s)
{
    const int h = EVP_MD_get_size(s->md), db_len = MODULUS - h - 1;
    for (int i = 1; i <= db_len; i++)
        verify(s, &(shape){.name = "a byte is odd", .odd = i, .salt_more = 0}, JOSE_REJECTED);
    for (int more = -h; h + more < db_len; more++)
        if (more != 0)
            verify(s, &(shape){.name = "a salt of another size", .salt_more = more}, JOSE_REJECTED);
    for (unsigned change = 1; change < 256; change++) {
        verify(s, &(shape){.name = "another trailer", .trailer = (uint8_t)change}, JOSE_REJECTED);
        verify(s, &(shape){.name = "another byte before the salt", .one = (uint8_t)change},
               JOSE_REJECTED);
    }
    for (int bit = 0; bit < 8; bit++) {
        verify(s, &(shape){.name = "the hash begins otherwise", .hash_first = (uint8_t)(1 << bit)},
               JOSE_REJECTED);
        verify(s, &(shape){.name = "the hash ends otherwise", .hash_last = (uint8_t)(1 << bit)},
               JOSE_REJECTED);
    }
    need(s->verified > 500, "%u blocks", s->verified);
}

static void forged(EVP_PKEY_CTX *raw, jose_key *key, jose_hash hash, const EVP_MD *md)
{
    static const jose_options levels[] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
    pss_subject s = {.raw = raw, .md = md};
    for (int w = 0; w < 3; w++)
        need(jose_signature_make(&s.verifiers[w], key, JOSE_RSA_PSS, hash, false, levels[w]) ==
                 JOSE_OK,
             "verifier");
    need(EVP_Digest(message, sizeof message, s.digest, NULL, md, NULL) == 1, "reference");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        verify(&s, &shapes[i], i == 0 ? JOSE_OK : JOSE_REJECTED);
    if (hash == JOSE_SHA256) verify_all(&s);
    for (int w = 0; w < 3; w++) jose_signature_free(s.verifiers[w]);
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
    const size_t n_len = faults_number_of(made, "n", n), e_len = faults_number_of(made, "e", e);
    jose_key *key = NULL;
    need(jose_rsa_public(&key, &limits, n, n_len, e, e_len) == JOSE_OK, "import");
    forged(raw, key, JOSE_SHA256, EVP_sha256());
    forged(raw, key, JOSE_SHA384, EVP_sha384());
    forged(raw, key, JOSE_SHA512, EVP_sha512());
    jose_key_release(key);
    EVP_PKEY_CTX_free(raw);
    EVP_PKEY_free(made);
}

// MARK: blocks

static void opens(const jose_key *key, size_t size, const uint8_t *signature, const uint8_t *block,
                  const char *name)
{
    uint8_t found[LARGEST];
    memset(found, 0x5a, sizeof found);
    need(jose_rsa_open(key, found, size, signature, size) == JOSE_OK &&
             memcmp(found, block, size) == 0,
         "%s", name);
    for (size_t i = size; i < sizeof found; i++)
        need(found[i] == 0x5a, "after the block: %s", name);
}

static void stays_shut(const jose_key *key, size_t block_len, const uint8_t *signature, size_t len,
                       jose_status wanted, const char *name)
{
    uint8_t found[LARGEST];
    memset(found, 0x5a, sizeof found);
    need(jose_rsa_open(key, found, block_len, signature, len) == wanted, "%s", name);
    for (size_t i = 0; i < sizeof found; i++)
        need(found[i] == 0x5a, "something was written: %s", name);
}

// The block of a signature is the input of the private operation; numbers of n and above are
// rejected.
static void opened(size_t size)
{
    EVP_PKEY *made = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", 8 * size);
    need(made != NULL, "reference");
    EVP_PKEY_CTX *raw = EVP_PKEY_CTX_new(made, NULL);
    need(raw != NULL && EVP_PKEY_decrypt_init(raw) == 1 &&
             EVP_PKEY_CTX_set_rsa_padding(raw, RSA_NO_PADDING) == 1,
         "reference");
    uint8_t n[LARGEST], e[8], block[LARGEST], signature[LARGEST + 1];
    const size_t n_len = faults_number_of(made, "n", n), e_len = faults_number_of(made, "e", e);
    jose_key *key = NULL, *other = NULL;
    need(n_len == size && jose_rsa_public(&key, &limits, n, n_len, e, e_len) == JOSE_OK, "import");
    for (int i = 0; i < 16; i++) {
        size_t len = size;
        need(jose_random(block, size) == JOSE_OK, "random");
        // Blocks that begin with zeros keep their size.
        memset(block, 0, (size_t)i * size / 16 + 1);
        need(EVP_PKEY_decrypt(raw, signature, &len, block, size) == 1 && len == size, "reference");
        opens(key, size, signature, block, "a block");
    }
    memset(block, 0, size);
    opens(key, size, block, block, "0");
    block[size - 1] = 1;
    opens(key, size, block, block, "1");
    memcpy(signature, n, size);
    signature[size - 1] -= 1;  // n is odd
    opens(key, size, signature, signature, "n - 1");
    stays_shut(key, size, n, size, JOSE_REJECTED, "n");
    memcpy(signature, n, size);
    signature[size - 1] |= 2;
    if (memcmp(signature, n, size) > 0)
        stays_shut(key, size, signature, size, JOSE_REJECTED, "above n");
    memset(signature, 0xff, sizeof signature);
    stays_shut(key, size, signature, size, JOSE_REJECTED, "all ones");
    memset(signature, 0, sizeof signature);
    stays_shut(key, size, signature, 0, JOSE_REJECTED, "nothing");
    stays_shut(key, size, signature, size - 1, JOSE_REJECTED, "a byte less");
    stays_shut(key, size, signature, size + 1, JOSE_REJECTED, "a byte more");
    stays_shut(key, size - 1, signature, size, JOSE_INTERNAL, "a small block");
    stays_shut(key, size + 1, signature, size, JOSE_INTERNAL, "a large block");
    need(jose_ec_generate(&other, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_OK, "another key");
    stays_shut(other, size, signature, size, JOSE_BAD_KEY, "a key of another type");
    jose_key_release(other);
    // A private key verifies with its public numbers.
    need(jose_rsa_generate(&other, JOSE_MODULE_PROCESS, (uint32_t)(8 * size)) == JOSE_OK,
         "another key");
    memset(block, 0, size);
    block[size - 1] = 1;
    opens(other, size, block, block, "1, by a private key");
    jose_key_release(other);
    jose_key_release(key);
    EVP_PKEY_CTX_free(raw);
    EVP_PKEY_free(made);
}

void faults_edges_rsa(void)
{
    jose_key *key = NULL, *large = NULL;
    need(jose_rsa_generate(&key, JOSE_MODULE_PROCESS, 2048) == JOSE_OK &&
             jose_rsa_generate(&large, JOSE_MODULE_PROCESS, 3072) == JOSE_OK,
         "keys");
    batches(key, large);
    jose_key_release(key);
    jose_key_release(large);
    pss();
    opened(MODULUS);
    opened(LARGEST);
}
