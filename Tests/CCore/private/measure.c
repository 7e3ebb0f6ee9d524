// measure.c: accelerated private operations next to EVP in the same run, everything included.
//
// EVP renews its blinding every 32 operations, so a round has 64 of each kind, one after the other
// in turn, and each keeps its best time by its number in the round: the mean of these has EVP's
// renewals, and no interruption. Our renewals are rarer and at random, so their share is added.

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string.h>
#include <time.h>

#include "cjosekernels.h"
#include "keys/key.h"
#include "keys/rsa_private_fast.h"
#include "private.h"

enum { OPERATIONS_A_ROUND = 64,
       LANES = JOSE_RSA_PRIVATE_LANES };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

// The best times by number in the round.
typedef struct {
    double best[OPERATIONS_A_ROUND];
} series;

static void keep(series *s, int number, double took)
{
    if (s->best[number] == 0 || took < s->best[number]) s->best[number] = took;
}

static double mean(const series *s)
{
    double sum = 0;
    for (int i = 0; i < OPERATIONS_A_ROUND; i++) sum += s->best[i];
    return sum / OPERATIONS_A_ROUND;
}

// Four at once with the check of each, as a batch would run them.
typedef struct {
    jose_rsa_private_key *key;
    jose_rsa_blinding *blinding;
    void *check;
} lanes;

static bool lanes_make(lanes *l, const subject *s)
{
    static const char *const names[] = {"rsa-factor1", "rsa-factor2", "rsa-exponent1",
                                        "rsa-exponent2", "rsa-coefficient1"};
    uint8_t parts[5][MAX_BYTES / 2], random[MAX_BYTES];
    BIGNUM *n = NULL, *e = NULL;
    need(EVP_PKEY_get_bn_param(s->key->pkey, "n", &n) == 1 &&
         EVP_PKEY_get_bn_param(s->key->pkey, "e", &e) == 1);
    for (int i = 0; i < 5; i++) {
        BIGNUM *part = NULL;
        need(EVP_PKEY_get_bn_param(s->key->pkey, names[i], &part) == 1);
        need(BN_bn2binpad(part, parts[i], (int)s->size / 2) == (int)s->size / 2);
        BN_free(part);
    }
    const jose_rsa_crt crt = {n, e, parts[0], parts[1], parts[2], parts[3], parts[4]};
    const bool is_made = jose_rsa_private_key_new(&l->key, 0, &crt) == JOSE_RSA_PREPARED;
    if (is_made) {
        l->check = jose_rsa_kernels[0].key_new(n, e);
        l->blinding = jose_rsa_blinding_new();
        do need(jose_random(random, s->size) == JOSE_OK);
        while (jose_rsa_blinding_renew(l->key, l->blinding, random) != JOSE_RSA_DONE);
    }
    BN_free(n), BN_free(e);
    return is_made;
}

static void lanes_run(const lanes *l, const uint8_t *in, size_t size)
{
    uint8_t out[LANES][MAX_BYTES], *outs[LANES], opened[MAX_BYTES];
    const uint8_t *ins[LANES];
    const jose_rsa_private_key *keys[LANES];
    jose_rsa_blinding *blindings[LANES];
    for (int i = 0; i < LANES; i++)
        keys[i] = l->key, blindings[i] = l->blinding, outs[i] = out[i], ins[i] = in;
    need(jose_rsa_private_run_together(keys, blindings, outs, ins).done == (1u << LANES) - 1);
    for (int i = 0; i < LANES; i++)
        need(jose_rsa_kernels[0].encrypt(l->check, opened, out[i]) == JOSE_RSA_DONE &&
             memcmp(opened, in, size) == 0);
}

// Eight of one operation in a batch, with everything that a caller needs: adding, running, results.
static void batch_run(const operation *o, const subject *s)
{
    enum { ITEMS = 8 };
    uint8_t out[MAX_BYTES], message[32] = {1};
    jose_private_batch *batch = jose_private_batch_make(ITEMS);
    for (int i = 0; i < ITEMS; i++)
        need((o->kind == OAEP
                  ? jose_private_batch_add_key(batch, o->opener, s->encrypted_key, s->size)
                  : jose_private_batch_add_message(batch, o->signer, message, sizeof message)) ==
             i);
    jose_private_batch_run(batch);
    for (size_t i = 0; i < ITEMS; i++)
        need(jose_private_batch_result(batch, i, out, s->size) == JOSE_OK);
    jose_private_batch_free(batch);
}

static void measure_size(uint32_t bits, int rounds)
{
    subject s = subject_make(bits);
    EVP_PKEY_CTX *sign = EVP_PKEY_CTX_new(s.key->pkey, NULL);
    EVP_PKEY_CTX *raw = EVP_PKEY_CTX_new(s.key->pkey, NULL);
    need(EVP_PKEY_sign_init(sign) == 1 &&
         EVP_PKEY_CTX_set_rsa_padding(sign, RSA_PKCS1_PADDING) == 1 &&
         EVP_PKEY_CTX_set_signature_md(sign, EVP_sha256()) == 1);
    need(EVP_PKEY_decrypt_init(raw) == 1 && EVP_PKEY_CTX_set_rsa_padding(raw, RSA_NO_PADDING) == 1);
    operation fast[OPERATIONS], plain[OPERATIONS];
    static series by_fast[OPERATIONS], by_plain[OPERATIONS], batched[OPERATIONS], signing,
        decrypting, together;
    memset(batched, 0, sizeof batched);
    memset(by_fast, 0, sizeof by_fast), memset(by_plain, 0, sizeof by_plain);
    memset(&signing, 0, sizeof signing), memset(&decrypting, 0, sizeof decrypting);
    memset(&together, 0, sizeof together);
    for (int kind = 0; kind < OPERATIONS; kind++) {
        fast[kind] = operation_make(&s, kind, accelerated);
        plain[kind] = operation_make(&s, kind, 0);
        for (int i = 0; i < 20; i++) need(operation_is_right(&fast[kind], &s));
    }
    lanes four = {NULL, NULL, NULL};
    const bool has_lanes = lanes_make(&four, &s);
    double renewal = 0;
    const uint8_t digest[32] = {1};
    uint8_t out[MAX_BYTES], cek[CEK];
    for (int i = 0; i < rounds * OPERATIONS_A_ROUND; i++) {
        const int number = i % OPERATIONS_A_ROUND;
        size_t size = s.size;
        double start = now();
        need(EVP_PKEY_sign(sign, out, &size, digest, sizeof digest) == 1);
        keep(&signing, number, now() - start);
        size = s.size;
        start = now();
        need(EVP_PKEY_decrypt(raw, out, &size, s.encrypted_key, s.size) == 1);
        keep(&decrypting, number, now() - start);
        for (int kind = 0; kind < OPERATIONS; kind++)
            for (int is_plain = 0; is_plain < 2; is_plain++) {
                const operation *o = is_plain ? &plain[kind] : &fast[kind];
                start = now();
                if (kind == OAEP)
                    need(operation_unwrap(o, cek, s.encrypted_key, s.size));
                else
                    need(jose_signature_sign(o->signer, out, s.size, digest, sizeof digest) ==
                         JOSE_OK);
                keep(is_plain ? &by_plain[kind] : &by_fast[kind], number, now() - start);
            }
        for (int kind = 0; kind < OPERATIONS; kind++) {
            start = now();
            batch_run(&fast[kind], &s);
            keep(&batched[kind], number, (now() - start) / 8);
        }
        if (!has_lanes) continue;
        start = now();
        lanes_run(&four, s.encrypted_key, s.size);
        keep(&together, number, (now() - start) / LANES);
        uint8_t random[MAX_BYTES];
        need(jose_random(random, s.size) == JOSE_OK);
        start = now();
        if (number % 16 == 0 &&
            jose_rsa_blinding_renew(four.key, four.blinding, random) == JOSE_RSA_DONE &&
            (renewal == 0 || now() - start < renewal))
            renewal = now() - start;
    }
    if (!has_lanes) renewal = mean(&by_fast[OAEP]);  // one more operation
    renewal /= 1.5 * JOSE_RSA_BLINDING_MIN_USES;
    printf("private %u: EVP sign %.1f us, raw decryption %.1f; our renewals %.2f each\n", bits,
           mean(&signing), mean(&decrypting), renewal);
    static const char *const names[OPERATIONS] = {"PKCS#1 signature", "PSS signature",
                                                  "OAEP decryption"};
    for (int kind = 0; kind < OPERATIONS; kind++) {
        const double evp = mean(kind == OAEP ? &decrypting : &signing);
        const double ours = mean(&by_fast[kind]) + renewal, usual = mean(&by_plain[kind]);
        const double batch = mean(&batched[kind]) + renewal;
        printf("  %-17s accelerated %.1f (%.3f of EVP), eight in a batch %.1f each (%.3f), not "
               "accelerated %.1f (%.3f), state %d\n",
               names[kind], ours, ours / evp, batch, batch / evp, usual, usual / evp,
               (int)operation_state(&fast[kind]));
    }
    if (has_lanes)
        printf("  four at once, each %.1f (%.3f of EVP)\n", mean(&together) + renewal,
               (mean(&together) + renewal) / mean(&decrypting));
    for (int kind = 0; kind < OPERATIONS; kind++)
        operation_free(&fast[kind]), operation_free(&plain[kind]);
    if (has_lanes) {
        jose_rsa_kernels[0].key_free(four.check);
        jose_rsa_private_key_free(four.key);
        jose_rsa_blinding_free(four.blinding);
    }
    EVP_PKEY_CTX_free(sign), EVP_PKEY_CTX_free(raw);
    jose_key_release(s.key);
}

void measure(int rounds)
{
    for (uint32_t bits = 2048; bits <= 4096; bits += 1024)
        measure_size(bits, bits == 2048 ? rounds : (rounds + 3) / 4);
}
