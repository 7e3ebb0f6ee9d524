// edges.c: the first unit tests: the bounds of batches, the blocks of OAEP and PSS, HMAC,
// compression and pools, each against its definition or OpenSSL.

#define OPENSSL_SUPPRESS_DEPRECATED  // PKCS1_MGF1
#include "faults.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>
#include <unistd.h>

#include "runtime/digest.h"
#include "cjosekernels.h"
#include "runtime/mgf1.h"
#include "keymgmt/oaep.h"
#include "runtime/pool.h"

enum { MODULUS = 256,
       MOST = 512 };

static const char *const md_names[] = {[JOSE_SHA1] = "SHA1",
                                       [JOSE_SHA256] = "SHA256",
                                       [JOSE_SHA384] = "SHA384",
                                       [JOSE_SHA512] = "SHA512"};
static const jose_hash hashes[] = {JOSE_SHA1, JOSE_SHA256, JOSE_SHA384, JOSE_SHA512};

static void fill(uint8_t *bytes, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1103515245u + 12345u;
        bytes[i] = (uint8_t)(seed >> 16);
    }
}

static const EVP_MD *md_of(jose_hash hash)
{
    return EVP_get_digestbyname(md_names[hash]);
}

static void mask(uint8_t *bytes, size_t len, const uint8_t *seed, size_t seed_len, jose_hash hash)
{
    uint8_t by[MOST];
    need(PKCS1_MGF1(by, (long)len, seed, (long)seed_len, md_of(hash)) == 0, "reference");
    for (size_t i = 0; i < len; i++) bytes[i] ^= by[i];
}

// MARK: digests

static void masks(void)
{
    uint8_t ours[MOST], theirs[MOST], seed[100];
    fill(seed, sizeof seed, 1);
    for (int h = 0; h < 4; h++)
        for (size_t len = 0; len <= 300; len++) {
            memset(ours, 0x33, sizeof ours);
            memcpy(theirs, ours, sizeof ours);
            jose_mgf1_mask(jose_digest_entry_of(hashes[h]), ours, len, seed, len % 100);
            mask(theirs, len, seed, len % 100, hashes[h]);
            need(memcmp(ours, theirs, sizeof ours) == 0, "MGF1 of %zu bytes", len);
        }
}

static void codes(void)
{
    uint8_t key[300], message[200], ours[65], theirs[64];
    fill(key, sizeof key, 2);
    fill(message, sizeof message, 3);
    for (int h = 0; h < 4; h++) {
        const size_t bytes = jose_digest_entry_of(hashes[h])->bytes;
        for (size_t len = 0; len <= 300; len += len < 140 ? 1 : 40) {
            const size_t text = (len * 7) % 200;
            memset(ours, 0x77, sizeof ours);
            need(jose_hmac(hashes[h], ours, bytes, key, len, message, text) == JOSE_OK, "HMAC");
            need(HMAC(md_of(hashes[h]), key, (int)len, message, text, theirs, NULL) != NULL,
                 "HMAC");
            need(memcmp(ours, theirs, bytes) == 0 && ours[bytes] == 0x77, "HMAC, key of %zu", len);
        }
        need(jose_hash_bytes(hashes[h]) == bytes, "size");
        for (size_t len = bytes - 1; len <= bytes + 1; len += 2) {
            need(jose_hmac(hashes[h], ours, len, key, 1, message, 1) == JOSE_INTERNAL, "size");
            need(jose_hash_digest(hashes[h], ours, len, message, 1) == JOSE_INTERNAL, "size");
        }
    }
}

// MARK: OAEP

// The encoding as RFC 8017 section 7.1.1 defines it.
static void oaep_by_definition(uint8_t *em, jose_hash hash, const uint8_t *seed, const uint8_t *key,
                               size_t key_len)
{
    const size_t h = jose_digest_entry_of(hash)->bytes, db_len = MODULUS - h - 1;
    uint8_t *db = em + 1 + h;
    memset(em, 0, MODULUS);
    need(EVP_Digest(NULL, 0, db, NULL, md_of(hash), NULL) == 1, "reference");
    db[db_len - key_len - 1] = 1;
    memcpy(db + db_len - key_len, key, key_len);
    memcpy(em + 1, seed, h);
    mask(db, db_len, seed, h, hash);
    mask(em + 1, h, db, db_len, hash);
}

static void oaep(jose_hash hash, size_t key_len)
{
    const jose_digest_entry *entry = jose_digest_entry_of(hash);
    const size_t h = entry->bytes, db_len = MODULUS - h - 1, least = 2 * h + 2 + key_len;
    uint8_t seed[64], key[64], empty[64], em[MODULUS + 16], want[MODULUS], block[MODULUS];
    fill(seed, sizeof seed, 4);
    fill(key, sizeof key, 5);
    need(!jose_oaep_fits(entry, least - 1, key_len) && jose_oaep_fits(entry, least, key_len) &&
             jose_oaep_fits(entry, least + 1, key_len),
         "OAEP fits");
    if (!jose_oaep_fits(entry, MODULUS, key_len)) return;
    jose_digest_once(entry, empty, NULL, 0);
    memset(em, 0x77, sizeof em);
    jose_oaep_encode(entry, empty, em, MODULUS, key, key_len, seed);
    oaep_by_definition(want, hash, seed, key, key_len);
    need(memcmp(em, want, MODULUS) == 0 && em[MODULUS] == 0x77, "OAEP of %zu bytes", key_len);

    for (unsigned first = 0; first < 256; first++) {
        memcpy(block, want, MODULUS);
        block[0] = (uint8_t)first;
        const uint8_t mask = jose_oaep_decode(entry, empty, block, MODULUS, key_len);
        need(mask == (first == 0 ? 0xff : 0), "OAEP's first byte %u", first);
        need(memcmp(block + MODULUS - key_len, key, key_len) == 0, "the key");
    }
    // A changed bit of the unmasked data: every bit except those of the key itself matters.
    for (size_t bit = 0; bit < 8 * db_len; bit += bit / 8 + key_len + 2 >= db_len ? 1 : 5) {
        uint8_t *db = block + 1 + h;
        memcpy(block, want, MODULUS);
        db[bit / 8] ^= (uint8_t)(1u << bit % 8);
        memcpy(block + 1, seed, h);
        mask(block + 1, h, db, db_len, hash);
        const uint8_t mask = jose_oaep_decode(entry, empty, block, MODULUS, key_len);
        need(mask == (bit / 8 < db_len - key_len ? 0 : 0xff), "OAEP's bit %zu", bit);
    }
    // A key of another length is rejected.
    for (int by = -1; by <= 1; by += 2) {
        memcpy(block, want, MODULUS);
        need(jose_oaep_decode(entry, empty, block, MODULUS, key_len + (size_t)by) == 0, "length");
    }
}

// MARK: compression

static void compression(void)
{
    static const size_t longest = (size_t)1 << 30;
    static const uint8_t abc[64] = {0x4b, 0x4c, 0x4a, 0x06, 0x00}, none[64] = {0x03, 0x00};
    static const struct {
        const uint8_t *in;
        size_t in_len, capacity, len;
        jose_status status;
        bool is_longer;
    } entries[] = {
        {abc, 5, 3, 3, JOSE_OK, false},
        {abc, 5, 4, 3, JOSE_OK, false},
        {abc, 5, 2, 0, JOSE_REJECTED, true},
        {abc, 5, 1, 0, JOSE_REJECTED, true},
        {abc, 5, 0, 0, JOSE_REJECTED, true},
        {abc, 6, 3, 0, JOSE_REJECTED, false},
        {abc, 6, 9, 0, JOSE_REJECTED, false},
        {abc, 4, 9, 0, JOSE_REJECTED, false},
        {abc, 1, 9, 0, JOSE_REJECTED, false},
        {abc, 0, 9, 0, JOSE_REJECTED, false},
        {none, 2, 0, 0, JOSE_OK, false},
        {none, 2, 1, 0, JOSE_OK, false},
        {none, 3, 0, 0, JOSE_REJECTED, false},
        {abc, 5, longest, 3, JOSE_OK, false},
        {abc, 5, longest + 1, 0, JOSE_INTERNAL, false},
        {abc, longest, 9, 0, JOSE_REJECTED, false},
        {abc, longest + 1, 9, 0, JOSE_INTERNAL, false},
    };
    uint8_t out[64];
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        size_t len = entries[i].capacity;
        bool is_longer = true;
        memset(out, FAULTS_BLANK, sizeof out);
        need(jose_inflate(out, &len, &is_longer, entries[i].in, entries[i].in_len) ==
                 entries[i].status,
             "inflate, case %zu", i);
        need(len == entries[i].len && is_longer == entries[i].is_longer, "inflate, case %zu", i);
        need(entries[i].status == JOSE_OK ? memcmp(out, "abc", len) == 0 : faults_is_blank(out, 64),
             "inflate, case %zu", i);
    }
    static const struct {
        size_t in_len, capacity, len;
        jose_status status;
    } makes[] = {{3, 6, 5, JOSE_OK},
                 {3, 64, 5, JOSE_OK},
                 {3, 4, 0, JOSE_INTERNAL},
                 {3, 2 * longest, 5, JOSE_OK},
                 {3, 2 * longest + 1, 0, JOSE_INTERNAL},
                 {longest + 1, 64, 0, JOSE_INTERNAL}};
    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++) {
        size_t len = makes[i].capacity;
        memset(out, FAULTS_BLANK, sizeof out);
        need(jose_deflate(out, &len, (const uint8_t *)"abc", makes[i].in_len) == makes[i].status,
             "deflate, case %zu", i);
        need(len == makes[i].len, "deflate, case %zu", i);
        need(len == 5 ? memcmp(out, abc, 5) == 0 : faults_is_blank(out, sizeof out), "deflate");
    }
    need(jose_deflate_bound(longest) > longest && jose_deflate_bound(longest + 1) == 0, "bound");
}

// MARK: pools

static unsigned freed;

static void count_freed(void *item)
{
    need(item != NULL, "an empty slot is freed");
    freed++;
}

// Two slots for each processor, a power of two from 4 to 64.
static void pools(void)
{
    static uint8_t items[128], seen[128];
    size_t slots = 4, count = 0;
    while (slots < 64 && (long)slots < 2 * sysconf(_SC_NPROCESSORS_ONLN)) slots *= 2;
    jose_pool *pool = jose_pool_make();
    need(pool != NULL && jose_pool_take(pool) == NULL, "a new pool is empty");
    for (int round = 0; round < 3; round++) {
        for (count = 0; count < sizeof items && jose_pool_put(pool, items + count); count++) {}
        need(count == slots, "%zu slots for %zu", count, slots);
        if (round == 2) break;
        memset(seen, 0, sizeof seen);
        for (size_t i = 0; i < count; i++) {
            const uint8_t *item = jose_pool_take(pool);
            need(item != NULL && seen[item - items]++ == 0, "each item once");
        }
        need(jose_pool_take(pool) == NULL, "empty again");
    }
    need(jose_pool_take(pool) != NULL, "one is removed");
    jose_pool_free(pool, count_freed);
    need(freed == slots - 1, "idle objects are freed");
    jose_pool_free(NULL, count_freed);
    jose_pool_free(jose_pool_make(), NULL);
}

void faults_edges(void)
{
    masks();
    codes();
    for (int h = 0; h < 4; h++)
        for (size_t key_len = 16; key_len <= 64; key_len *= 2) oaep(hashes[h], key_len);
    compression();
    pools();
    need(!jose_openssl_supported(JOSE_OPENSSL_MIN - 1), "older");
    need(jose_openssl_supported(JOSE_OPENSSL_MIN), "oldest");
    need(jose_openssl_supported(0x3fffffffUL) && jose_openssl_supported(~0UL), "newer");
    need(jose_openssl_tested(JOSE_OPENSSL_MIN) && jose_openssl_tested(0x400fffffUL) &&
             !jose_openssl_tested(0x30400000UL) && !jose_openssl_tested(0x40100000UL) &&
             !jose_openssl_tested(~0UL),
         "tested series");
    faults_edges_rsa();
    faults_edges_forged();
    ERR_clear_error();
    puts("edges        hold");
}
