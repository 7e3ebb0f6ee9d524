// timing.c: checks whether failures of a decryption differ in time, by Welch's t-test over
// interleaved samples, as dudect does (Reparaz, Balasch and Verbauwhede, 2017). It measures
// jose_keymgmt_open, which includes everything secret.
//
//     timing SAMPLES [ALGORITHM]    samples of all classes together

#define _GNU_SOURCE
#include <math.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "algorithms.h"
#include "cjosecrypto.h"
#include "keys/key.h"

enum { CLASSES = 4,
       VARIANTS = 64,
       CEK = 32,
       TEXT = 64,
       SEALED = 80,
       LARGEST_KEY = 256 };

#define need(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            printf("FAILED  timing: %s (line %d)\n", #condition, __LINE__); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

static const uint8_t aad[60] = "a header";

// One message that fails.
typedef struct {
    uint8_t encrypted_key[LARGEST_KEY], iv[16], sealed[SEALED], tag[32];
} message;

typedef struct {
    jose_keymgmt *opener;
    jose_content content;
    size_t key_len, sealed_len, tag_len;
    message messages[CLASSES][VARIANTS];
} work;

typedef struct {
    const char *name, *classes[CLASSES];
    void (*prepare)(work *w);
} entry;

static void random_bytes(uint8_t *out, size_t len)
{
    need(jose_random(out, len) == JOSE_OK);
}

// A valid message under cek; the classes corrupt it.
static void seal(work *w, message *m, const uint8_t *cek)
{
    uint8_t text[TEXT];
    random_bytes(text, sizeof text);
    random_bytes(m->iv, sizeof m->iv);
    w->tag_len = jose_content_tag_bytes(w->content);
    w->sealed_len = jose_content_ciphertext_bytes(w->content, TEXT);
    need(jose_content_encrypt(w->content, m->sealed, w->sealed_len, m->tag, w->tag_len, cek, CEK,
                              m->iv, jose_content_iv_bytes(w->content), aad, sizeof aad, text,
                              TEXT) == JOSE_OK);
}

static void damage_somewhere(uint8_t *bytes, size_t len)
{
    uint8_t index[2];
    random_bytes(index, sizeof index);
    bytes[index[0] % len] ^= (uint8_t)(1 + index[1] % 255);
}

// MARK: RSA-OAEP-256 and A128CBC-HS256

static void rsa_raw(const jose_key *key, uint8_t *out, const uint8_t *in, size_t in_len, bool oaep)
{
    size_t size = LARGEST_KEY;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->pkey, NULL);
    need(context != NULL && EVP_PKEY_encrypt_init(context) == 1);
    need(EVP_PKEY_CTX_set_rsa_padding(context, oaep ? RSA_PKCS1_OAEP_PADDING : RSA_NO_PADDING) ==
         1);
    if (oaep) need(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1);
    need(EVP_PKEY_encrypt(context, out, &size, in, in_len) == 1 && size == LARGEST_KEY);
    EVP_PKEY_CTX_free(context);
}

static void prepare_rsa(work *w)
{
    enum { BAD_TAG,
           BAD_PADDING,
           BAD_LENGTH,
           BAD_FIRST_BYTE };
    jose_key *key = NULL;
    const encryption_algorithm *by = encryption_named("RSA-OAEP-256 CBC");
    need(key_generate(&key, &key_kinds[by->key]) == JOSE_OK);
    need(jose_keymgmt_make(&w->opener, key, &by->rule, false, 0) == JOSE_OK);
    w->content = by->content;
    w->key_len = LARGEST_KEY;
    for (int class = 0; class < CLASSES; class ++)
        for (int i = 0; i < VARIANTS; i++) {
            message *m = &w->messages[class][i];
            uint8_t cek[CEK + 16], block[LARGEST_KEY];
            random_bytes(cek, sizeof cek);
            seal(w, m, cek);
            random_bytes(block, sizeof block);
            switch (class) {
            case BAD_TAG:
                damage_somewhere(m->tag, w->tag_len);
                rsa_raw(key, m->encrypted_key, cek, CEK, true);
                break;
            case BAD_PADDING:  // first byte 0, the rest is noise
                block[0] = 0;
                rsa_raw(key, m->encrypted_key, block, sizeof block, false);
                break;
            case BAD_LENGTH:
                rsa_raw(key, m->encrypted_key, cek, CEK + (i % 2 ? 16 : -16), true);
                break;
            case BAD_FIRST_BYTE:  // below the modulus, whose first bit is set
                block[0] = (uint8_t)(1 + block[0] % 0x7f);
                rsa_raw(key, m->encrypted_key, block, sizeof block, false);
                break;
            }
        }
    jose_key_release(key);
}

// MARK: A128KW and A128CBC-HS256

static void prepare_kw(work *w)
{
    enum { BAD_TAG,
           BAD_FIRST_BLOCK,
           BAD_LAST_BLOCK,
           NOISE };
    jose_key *key = NULL;
    jose_keymgmt *maker = NULL;
    const encryption_algorithm *by = encryption_named("A128KW");
    need(key_generate(&key, &key_kinds[by->key]) == JOSE_OK);
    need(jose_keymgmt_make(&w->opener, key, &by->rule, false, 0) == JOSE_OK &&
         jose_keymgmt_make(&maker, key, &by->rule, true, 0) == JOSE_OK);
    w->content = by->content;
    w->key_len = CEK + 8;
    const jose_recipient none = {0};
    for (int class = 0; class < CLASSES; class ++)
        for (int i = 0; i < VARIANTS; i++) {
            message *m = &w->messages[class][i];
            uint8_t cek[CEK];
            random_bytes(cek, sizeof cek);
            seal(w, m, cek);
            const jose_wrapped out = {m->encrypted_key, w->key_len, NULL, 0};
            need(jose_cek_wrap_given(maker, w->content, cek, CEK, &out, &none, NULL, 0, NULL) ==
                 JOSE_OK);
            switch (class) {
            case BAD_TAG: damage_somewhere(m->tag, w->tag_len); break;
            case BAD_FIRST_BLOCK: damage_somewhere(m->encrypted_key, 8); break;
            case BAD_LAST_BLOCK: damage_somewhere(m->encrypted_key + CEK, 8); break;
            case NOISE: random_bytes(m->encrypted_key, w->key_len); break;
            }
        }
    jose_keymgmt_free(maker);
    jose_key_release(key);
}

// MARK: direct encryption

static void prepare_direct(work *w, const encryption_algorithm *by)
{
    enum { BAD_FIRST_BYTE,
           BAD_LAST_BYTE,
           BAD_TEXT,
           NOISE };
    uint8_t cek[CEK];
    jose_key *key = NULL;
    random_bytes(cek, sizeof cek);
    need(jose_oct(&key, cek, sizeof cek) == JOSE_OK);
    need(jose_keymgmt_make(&w->opener, key, &by->rule, false, 0) == JOSE_OK);
    w->content = by->content;
    w->key_len = 0;
    for (int class = 0; class < CLASSES; class ++)
        for (int i = 0; i < VARIANTS; i++) {
            message *m = &w->messages[class][i];
            seal(w, m, cek);
            switch (class) {
            case BAD_FIRST_BYTE: damage_somewhere(m->tag, 1); break;
            case BAD_LAST_BYTE: damage_somewhere(m->tag + w->tag_len - 1, 1); break;
            case BAD_TEXT: damage_somewhere(m->sealed, w->sealed_len); break;
            case NOISE: random_bytes(m->tag, w->tag_len); break;
            }
        }
    jose_key_release(key);
}

static void prepare_cbc(work *w)
{
    prepare_direct(w, encryption_named("dir"));
}

static void prepare_gcm(work *w)
{
    prepare_direct(w, encryption_named("dir GCM"));
}

static const entry entries[] = {
    {"rsa",
     {"bad tag", "bad OAEP block", "CEK of another length", "first byte not 0"},
     prepare_rsa},
    {"kw", {"bad tag", "bad first block", "bad last block", "noise"}, prepare_kw},
    {"cbc", {"tag, first byte", "tag, last byte", "ciphertext", "noise as tag"}, prepare_cbc},
    {"gcm", {"tag, first byte", "tag, last byte", "ciphertext", "noise as tag"}, prepare_gcm},
};
enum { ROWS = sizeof entries / sizeof entries[0] };

static work shared;

// Always from the same memory, so that no class has its own address.
static uint32_t open_one(const work *w, int class, unsigned variant)
{
    static message m;
    size_t len = 0;
    m = w->messages[class][variant % VARIANTS];
    const jose_open_input in = {m.encrypted_key,
                                w->key_len,
                                m.iv,
                                jose_content_iv_bytes(w->content),
                                m.sealed,
                                w->sealed_len,
                                m.tag,
                                w->tag_len,
                                {0}};
    _mm_lfence();
    const uint64_t start = __rdtsc();
    _mm_lfence();
    const jose_status status = jose_keymgmt_open(w->opener, w->content, &len, &in, aad, sizeof aad);
    _mm_lfence();
    const uint64_t end = __rdtsc();
    need(status == JOSE_REJECTED && len == 0);
    return end - start > UINT32_MAX ? UINT32_MAX : (uint32_t)(end - start);
}

// MARK: statistics

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

typedef struct {
    double n, mean, spread;
} moments;

static moments of_class(const uint32_t *times, const uint8_t *classes, size_t count, int class,
                        uint32_t below)
{
    moments m = {0};
    for (size_t i = 0; i < count; i++) {
        if (classes[i] != class || times[i] > below) continue;
        m.n++;
        const double delta = times[i] - m.mean;
        m.mean += delta / m.n;
        m.spread += delta * (times[i] - m.mean);
    }
    m.spread /= m.n - 1;
    return m;
}

// Returns the largest |t| over all pairs of classes and all croppings.
static double largest_t(const entry *r, const uint32_t *times, const uint8_t *classes, size_t count)
{
    static const double kept[] = {1, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25};
    uint32_t *sorted = malloc(count * sizeof *sorted);
    need(sorted != NULL);
    memcpy(sorted, times, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    double worst = 0;
    for (size_t k = 0; k < sizeof kept / sizeof kept[0]; k++) {
        moments m[CLASSES];
        double here = 0;
        const uint32_t below = sorted[(size_t)((double)(count - 1) * kept[k])];
        for (int class = 0; class < CLASSES; class ++)
            m[class] = of_class(times, classes, count, class, below);
        for (int a = 0; a < CLASSES; a++)
            for (int b = a + 1; b < CLASSES; b++) {
                const double t = fabs(m[a].mean - m[b].mean) /
                                 sqrt(m[a].spread / m[a].n + m[b].spread / m[b].n);
                if (t > here) here = t;
            }
        printf("  the fastest %3.0f %%: means %.0f %.0f %.0f %.0f cycles, largest |t| %.2f\n",
               kept[k] * 100, m[0].mean, m[1].mean, m[2].mean, m[3].mean, here);
        if (here > worst) worst = here;
    }
    free(sorted);
    printf("%s: %s / %s / %s / %s; %zu samples, largest |t| %.2f\n", r->name, r->classes[0],
           r->classes[1], r->classes[2], r->classes[3], count, worst);
    return worst;
}

static double measure(const entry *r, size_t count)
{
    uint32_t *times = malloc(count * sizeof *times);
    uint8_t *classes = malloc(count);
    uint64_t state = __rdtsc() | 1;
    need(times != NULL && classes != NULL);
    r->prepare(&shared);
    for (unsigned i = 0; i < 2000; i++) (void)open_one(&shared, (int)(i % CLASSES), i);
    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        classes[i] = (uint8_t)(state >> 62);
        times[i] = open_one(&shared, classes[i], (unsigned)(state >> 32));
    }
    const double worst = largest_t(r, times, classes, count);
    free(times);
    free(classes);
    jose_keymgmt_free(shared.opener);
    return worst;
}

int main(int count, char **arguments)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    need(count >= 2 && jose_start() == JOSE_OK &&
         jose_kernels_off() == 0);  // they are timed from the first use on
    // One processor, so that there is one clock.
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    (void)sched_setaffinity(0, sizeof set, &set);
    const size_t samples = (size_t)atoll(arguments[1]);
    double worst = 0;
    for (int i = 0; i < ROWS; i++) {
        if (count > 2 && strcmp(entries[i].name, arguments[2]) != 0) continue;
        const double here = measure(&entries[i], samples);
        if (here > worst) worst = here;
    }
    printf("largest |t| of all: %.2f, allowed 4.5\n", worst);
    return worst >= 4.5;
}
