// search.c: the list of secrets, and the search for every eight bytes of them.

#define _GNU_SOURCE
#include "cores.h"

#include <fcntl.h>
#include <openssl/aes.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/objects.h>
#include <openssl/sha.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW = 8,
       MOST = 256,
       TABLE = 1 << 17 };

typedef struct {
    cores_kind kind;
    char name[CORES_NAME];
    uint8_t bytes[CORES_MOST];
    size_t len;
} known;

static known list[MOST];
static unsigned count, windows;

// Every eight bytes of what must be gone, as numbers, in buckets by their lowest bits.
static struct {
    uint64_t window;
    const known *of;
} table[TABLE];

static void add(cores_kind kind, const char *name, const char *suffix, const uint8_t *bytes,
                size_t len)
{
    need(count < MOST && len <= CORES_MOST);
    known *it = &list[count++];
    it->kind = kind;
    snprintf(it->name, sizeof it->name, "%s%s", name, suffix);
    memcpy(it->bytes, bytes, len);
    it->len = len;
}

static void add_mac_key(const char *name, const uint8_t *bytes, size_t len);

// A digest in the words of its hash, each in native byte order, as a state of libcrypto stores it.
static void add_words(const char *name, const uint8_t *digest, size_t len, size_t word)
{
    uint8_t words[SHA512_DIGEST_LENGTH];
    for (size_t i = 0; i < len; i++) words[i] = digest[i / word * word + word - 1 - i % word];
    add(CORES_SECRET, name, ", words", words, len);
    OPENSSL_cleanse(words, sizeof words);
}

static void add_effective_key(const char *name, const uint8_t *digest, size_t len, size_t word)
{
    add_words(name, digest, len, word);
    add_mac_key(name, digest, len);
}

static void add_mac_key(const char *name, const uint8_t *bytes, size_t len)
{
    uint8_t block[SHA512_CBLOCK];
    if (len > SHA256_CBLOCK) {
        // A key longer than a block is hashed first (RFC 2104 section 2).
        SHA256(bytes, len, block);
        add_effective_key(name, block, SHA256_DIGEST_LENGTH, sizeof(uint32_t));
    }
    if (len > SHA512_CBLOCK) {
        SHA384(bytes, len, block);
        add_effective_key(name, block, SHA384_DIGEST_LENGTH, sizeof(uint64_t));
        SHA512(bytes, len, block);
        add_effective_key(name, block, SHA512_DIGEST_LENGTH, sizeof(uint64_t));
        return;
    }
    for (int outer = 0; outer < 2; outer++) {
        memset(block, outer ? 0x5c : 0x36, sizeof block);
        for (size_t i = 0; i < len && i < sizeof block; i++) block[i] ^= bytes[i];
        add(CORES_SECRET, name, ", padded", block, len);
        SHA256_CTX small;
        SHA512_CTX large;
        SHA256_Init(&small);
        SHA256_Update(&small, block, SHA256_CBLOCK);
        if (len <= SHA256_CBLOCK)
            add(CORES_SECRET, name, ", state", (const uint8_t *)small.h, sizeof small.h);
        for (int is_384 = 0; is_384 < 2; is_384++) {
            is_384 ? SHA384_Init(&large) : SHA512_Init(&large);
            SHA512_Update(&large, block, SHA512_CBLOCK);
            add(CORES_SECRET, name, ", state", (const uint8_t *)large.h, sizeof large.h);
        }
    }
}

// A number in words of fewer bits than they can hold, lowest first, as libcrypto and libsodium
// compute on curves. A word has seven consecutive bytes of it, never eight: as bytes it is found
// only if a zero follows by chance.
static void add_limbs(const char *name, const uint8_t *bytes, size_t len, unsigned bits,
                      size_t count_of_words, bool is_big_endian)
{
    uint8_t words[9 * 8] = {0};
    for (size_t i = 0; i < len * 8; i++) {
        const unsigned bit = bytes[is_big_endian ? len - 1 - i / 8 : i / 8] >> i % 8 & 1;
        const size_t word = i / bits, at = i % bits;
        if (word >= count_of_words) break;  // a bit of P-256, which has no such words
        if (bit) words[word * 8 + at / 8] |= (uint8_t)(1U << at % 8);
    }
    char suffix[16];
    snprintf(suffix, sizeof suffix, ", %u a word", bits);
    add(CORES_SECRET, name, suffix, words, count_of_words * 8);
}

// A number as curve code stores it between multiplications: times 2^bits modulo the prime.
static void add_product(const char *name, const uint8_t *bytes, size_t len, int nid)
{
    uint8_t product[48];
    BN_CTX *scratch = BN_CTX_new();
    BIGNUM *x = BN_bin2bn(bytes, (int)len, NULL), *prime = BN_new();
    EC_GROUP *group = EC_GROUP_new_by_curve_name(nid);
    need(x != NULL && prime != NULL && EC_GROUP_get_curve(group, prime, NULL, NULL, scratch) == 1 &&
         BN_lshift(x, x, (int)len * 8) == 1 && BN_nnmod(x, x, prime, scratch) == 1 &&
         BN_bn2binpad(x, product, (int)len) == (int)len);
    add(CORES_SECRET, name, ", Montgomery's", product, len);
    OPENSSL_cleanse(product, sizeof product);
    BN_clear_free(x), BN_free(prime), EC_GROUP_free(group), BN_CTX_free(scratch);
}

static void add_shared(const char *name, const uint8_t *bytes, size_t len)
{
    switch (len) {
    case 32:  // X25519 or P-256
        add_limbs(name, bytes, len, 51, 5, false);
        add_product(name, bytes, len, NID_X9_62_prime256v1);
        break;
    case 48: add_product(name, bytes, len, NID_secp384r1); break;
    case 56: add_limbs(name, bytes, len, 56, 8, false); break;
    case 66: add_limbs(name, bytes, len, 58, 9, true); break;
    default: need(false);
    }
}

void cores_hear(cores_kind kind, const char *name, const uint8_t *bytes, size_t len)
{
    if (kind == CORES_RELEASED) {
        for (unsigned i = 0; i < count; i++)
            if (list[i].kind == CORES_LIVING) list[i].kind = CORES_SECRET;
        return;
    }
    if (kind == CORES_MAC_KEY) add_mac_key(name, bytes, len);
    if (kind == CORES_SHARED) add_shared(name, bytes, len);
    if (kind == CORES_AES_KEY) {
        AES_KEY key;
        uint8_t zero[16] = {0};
        need(AES_set_encrypt_key(bytes, (int)len * 8, &key) == 0);
        AES_encrypt(zero, zero, &key);
        add(CORES_SECRET, name, ", of GCM", zero, sizeof zero);
    }
    const bool is_more = kind == CORES_MAC_KEY || kind == CORES_AES_KEY || kind == CORES_SHARED;
    add(is_more ? CORES_SECRET : kind, name, "", bytes, len);
}

void cores_forget(void)
{
    explicit_bzero(list, sizeof list);
    explicit_bzero(table, sizeof table);
    count = 0;
}

static uint64_t window_at(const uint8_t *bytes)
{
    uint64_t window;
    memcpy(&window, bytes, WINDOW);
    return window;
}

static size_t place_of(uint64_t window)
{
    return (size_t)((window * 0x9e3779b97f4a7c15U) >> 47);
}

static const known *find(uint64_t window)
{
    for (size_t i = place_of(window); table[i].of != NULL; i = (i + 1) % TABLE)
        if (table[i].window == window) return table[i].of;
    return NULL;
}

// Runs of one byte are no secret.
static bool is_plain(const uint8_t *bytes)
{
    for (int i = 1; i < WINDOW; i++)
        if (bytes[i] != bytes[0]) return false;
    return true;
}

static bool is_excused(uint64_t window)
{
    for (unsigned i = 0; i < count; i++) {
        if (list[i].kind == CORES_SECRET) continue;
        for (size_t k = 0; k + WINDOW <= list[i].len; k++) {
            const uint64_t there = window_at(list[i].bytes + k);
            if (there == window || __builtin_bswap64(there) == window) return true;
        }
    }
    return false;
}

static void put(const known *of, uint64_t window)
{
    if (find(window) != NULL) return;
    need(++windows < TABLE / 2);
    size_t i = place_of(window);
    while (table[i].of != NULL) i = (i + 1) % TABLE;
    table[i].window = window;
    table[i].of = of;
}

// Forwards, and backwards as libcrypto stores large numbers.
static void fill(void)
{
    explicit_bzero(table, sizeof table);
    windows = 0;
    for (unsigned i = 0; i < count; i++) {
        if (list[i].kind != CORES_SECRET) continue;
        // One draw gives a key, an IV and a seed: a window with a byte of the IV may occur next to
        // the IV by chance.
        size_t open = 0, looked = 0;  // after the last byte that is no secret, so far
        for (size_t k = 0; k + WINDOW <= list[i].len; k++) {
            for (; looked < k + WINDOW && looked + WINDOW <= list[i].len; looked++)
                if (is_excused(window_at(list[i].bytes + looked))) open = looked + WINDOW;
            if (k < open || is_plain(list[i].bytes + k)) continue;
            put(&list[i], window_at(list[i].bytes + k));
            put(&list[i], __builtin_bswap64(window_at(list[i].bytes + k)));
        }
    }
}

// Searches one piece of memory; a run of windows of one secret is reported once.
static unsigned look_at(const uint8_t *memory, size_t len, uint64_t start, const char *where,
                        const char *of, const char *after)
{
    // A compiler may spill a register anywhere: the mutants' build requires more than eight bytes.
    const size_t least =
        getenv("CORES_LEAST") == NULL ? WINDOW : (size_t)atoi(getenv("CORES_LEAST"));
    unsigned found = 0;
    const known *last = NULL;
    size_t run = 0, begin = 0;
    for (size_t i = 0; i + WINDOW <= len; i++) {
        const known *it = find(window_at(memory + i));
        if (it != NULL && it == last) {
            run++;
            continue;
        }
        if (last != NULL && run + WINDOW >= least) {
            printf("FOUND  %s, after %s: %zu bytes of %s at %#llx in %s\n", of, after, run + WINDOW,
                   last->name, (unsigned long long)(start + begin), where);
            found++;
        }
        last = it;
        run = 0;
        begin = i;
    }
    return found;
}

unsigned cores_search(int process, const char *of, const char *after)
{
    char path[64], line[512];
    unsigned found = 0;
    fill();
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    const int memory = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "re");
    need(memory >= 0 && maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end;
        char rights[8], where[256] = "memory of its own";
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255[^\n]", &start, &end, rights, where) < 3)
            continue;
        if (rights[1] != 'w') continue;
        uint8_t *copy = malloc(end - start);
        need(copy != NULL);
        // What cannot be read is no memory, such as [vvar].
        if (pread(memory, copy, end - start, (off_t)start) == (ssize_t)(end - start))
            found += look_at(copy, end - start, start, where, of, after);
        free(copy);
    }
    fclose(maps);
    close(memory);
    return found;
}
