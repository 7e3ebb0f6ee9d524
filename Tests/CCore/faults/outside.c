// outside.c: inputs change nothing in the process. Ten thousand crafted keys and signatures go
// through verification, batches and encryption with every implementation. Afterwards the kernels,
// the memory, the speed and the checks of own signatures are unchanged.

#include <openssl/err.h>
#include <time.h>

#include "crafted.h"
#include "signatures/pkcs1.h"
#include "cjosekernels.h"

enum { WAYS = 3,
       SIZES = 3,
       ENOUGH = 10000,
       MESSAGE = 16,
       SLOWER = 2 };

static const jose_options levels[WAYS] = {0, JOSE_PORTABLE, JOSE_PROVIDER_ONLY};
static const size_t sizes[SIZES] = {2048, 3072, 4096};

static unsigned keys, judged, accepted, sealed, jumps;

// MARK: one key

// A key with its operations.
typedef struct {
    jose_key *key;
    size_t size;
    jose_signature *pkcs1[WAYS], *pss[WAYS];
} subject;

static void encrypt_to(jose_key *key)
{
    static const jose_keymgmt_rule rule = {JOSE_RSA_OAEP, JOSE_SHA256, 0};
    static const uint8_t text[] = "to whom it may concern";
    static const jose_options how[] = {0, JOSE_ACCELERATE_ENCRYPTION, JOSE_PORTABLE,
                                       JOSE_PROVIDER_ONLY};
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++, sealed++) {
        uint8_t encrypted_key[CRAFTED_MAX], iv[16], tag[16], ciphertext[64];
        jose_keymgmt *maker = NULL;
        need(jose_keymgmt_make(&maker, key, &rule, true, how[i]) == JOSE_OK, "operation");
        const jose_seal_output out = {
            encrypted_key, jose_keymgmt_encrypted_key_bytes(maker, JOSE_A128CBC_HS256), iv, 16,
            ciphertext, jose_content_ciphertext_bytes(JOSE_A128CBC_HS256, sizeof text), tag, 16};
        need(jose_keymgmt_seal(maker, JOSE_A128CBC_HS256, &out, text, sizeof text, text,
                               sizeof text) == JOSE_OK,
             "encryption to a crafted key");
        jose_keymgmt_free(maker);
    }
}

static bool open_subject(subject *s, const crafted_key *crafted)
{
    *s = (subject){.size = crafted->size};
    const jose_status status = crafted_import(&s->key, crafted);
    need(status == JOSE_OK || status == JOSE_BAD_KEY, "import of a crafted key");
    if (status != JOSE_OK) return false;
    for (int w = 0; w < WAYS; w++)
        need(jose_signature_make(&s->pkcs1[w], s->key, JOSE_RSA_PKCS1, JOSE_SHA256, false,
                                 levels[w]) == JOSE_OK &&
                 jose_signature_make(&s->pss[w], s->key, JOSE_RSA_PSS, JOSE_SHA256, false,
                                     levels[w]) == JOSE_OK,
             "operations");
    encrypt_to(s->key);
    keys++;
    return true;
}

static void close_subject(subject *s)
{
    for (int w = 0; w < WAYS; w++) {
        jose_signature_free(s->pkcs1[w]);
        jose_signature_free(s->pss[w]);
    }
    jose_key_release(s->key);
}

// As the library does: what a batch does not accept is verified alone, and the batch gets the
// result.
static void judge_together(const jose_signature *verifier, const uint8_t *message,
                           const uint8_t *signature, size_t size, jose_status expected)
{
    jose_batch *batch = jose_batch_make(9);
    need(batch != NULL, "memory");
    for (int i = 0; i < 9; i++)  // eight in lanes, one alone
        if (jose_batch_add(batch, verifier, message, MESSAGE, signature, size) < 0) break;
    jose_batch_run(batch);
    for (size_t i = 0; i < 9; i++) {
        if (jose_batch_accepted(batch, i)) {
            need(expected == JOSE_OK, "a batch accepts");
        } else if (i % 4 == 0) {
            const jose_status alone =
                jose_signature_verify(verifier, message, MESSAGE, signature, size);
            need(alone == expected, "alone");
            if (alone == JOSE_OK) jose_batch_report_mismatch(batch, i);
        }
    }
    jose_batch_free(batch);
}

// All implementations agree, and none reports a failure of the machine.
static void verify(const subject *s, const uint8_t *message, const uint8_t *signature,
                   const char *what, int expected)
{
    jose_status first = JOSE_INTERNAL;
    for (int w = 0; w < WAYS; w++) {
        const jose_status status =
            jose_signature_verify(s->pkcs1[w], message, MESSAGE, signature, s->size);
        need(status == JOSE_OK || status == JOSE_REJECTED,
             "%s, implementation %d: a failure of the machine", what, w);
        need(expected < 0 || status == (jose_status)expected, "%s, implementation %d: %d", what, w,
             status);
        need(w == 0 || status == first, "%s: implementation %d differs", what, w);
        first = status;
    }
    if (judged % 4 == 0 || first == JOSE_OK)
        judge_together(s->pkcs1[0], message, signature, s->size, first);
    for (int w = 0; w < WAYS && judged % 4 == 0; w++) {
        const jose_status pss =
            jose_signature_verify(s->pss[w], message, MESSAGE, signature, s->size);
        need(pss == JOSE_REJECTED, "%s by PSS, implementation %d: %d", what, w, pss);
    }
    need(ERR_peek_error() == 0, "%s: an error entry is left", what);
    judged++;
    accepted += first == JOSE_OK;
}

// MARK: what is sent

static void message_of(uint8_t message[MESSAGE], unsigned number)
{
    for (int i = 0; i < MESSAGE; i++) message[i] = (uint8_t)(number >> (i % 4 * 8));
}

// The block that the signature of a message opens to.
static void block_of(uint8_t *block, size_t size, const uint8_t message[MESSAGE])
{
    uint8_t digest[32];
    need(jose_hash_digest(JOSE_SHA256, digest, sizeof digest, message, MESSAGE) == JOSE_OK &&
             jose_pkcs1_block(block, size, JOSE_PKCS1_SHA256, digest, sizeof digest),
         "block");
}

static void judge_numbers(const subject *s, const crafted_key *crafted, const uint8_t *message,
                          const char *what)
{
    uint8_t number[CRAFTED_MAX];
    for (unsigned i = 0; crafted_number(crafted, i, number); i++)
        verify(s, message, number, what, JOSE_REJECTED);
}

// Keys under which a message's block is its own signature, and others under which bare padding is.
static void send_jumps(unsigned from, unsigned count)
{
    crafted_key crafted;
    uint8_t message[MESSAGE], block[CRAFTED_MAX];
    for (unsigned i = from; i < from + count; i++) {
        const size_t bits = sizes[i % 5 < 3 ? 0 : i % 5 - 2];
        message_of(message, i);
        block_of(block, bits / 8, message);
        const bool is_bare = i % 8 == 7;
        if (is_bare)
            memset(block + 2, 0xff, bits / 8 - 3 - i % 16),
                memset(block + bits / 8 - 1 - i % 16, 0, 1 + i % 16);
        subject s;
        if (!crafted_jump(&crafted, bits, block) || !open_subject(&s, &crafted)) continue;
        verify(&s, message, block,
               is_bare ? "padding that opens to itself" : "a block that opens to itself",
               is_bare ? JOSE_REJECTED : JOSE_OK);
        judge_numbers(&s, &crafted, message, "a number of a jump");
        jumps++;
        close_subject(&s);
    }
}

// Keys under which every block is its own signature.
static void send_stills(unsigned from, unsigned count)
{
    crafted_key crafted;
    uint8_t message[MESSAGE], block[CRAFTED_MAX];
    for (unsigned i = from; i < from + count; i++) {
        subject s;
        crafted_still(&crafted, sizes[i % SIZES], i);
        need(open_subject(&s, &crafted), "a key that leaves all numbers as they are");
        for (unsigned k = 0; k < 50; k++) {
            message_of(message, 1000 * i + k);
            block_of(block, s.size, message);
            verify(&s, message, block, "a block under a still key", JOSE_OK);
            message[0] ^= 1;
            verify(&s, message, block, "another's block under a still key", JOSE_REJECTED);
        }
        judge_numbers(&s, &crafted, message, "a number under a still key");
        close_subject(&s);
    }
}

static void send_edges(unsigned from, unsigned count)
{
    crafted_key crafted;
    uint8_t message[MESSAGE], block[CRAFTED_MAX];
    for (unsigned i = from; i < from + count; i++) {
        subject s;
        if (!crafted_edge(&crafted, sizes[i / 16 % SIZES], i) || !open_subject(&s, &crafted))
            continue;
        message_of(message, i);
        block_of(block, s.size, message);
        verify(&s, message, block, "a block under an edge", JOSE_REJECTED);
        judge_numbers(&s, &crafted, message, "a number under an edge");
        close_subject(&s);
    }
}

// MARK: the process

typedef struct {
    unsigned kernels, off;
    size_t held;
    double verify[WAYS], batch, sign;  // seconds, the best of many
} condition;

static unsigned heard;

static void hear(jose_kernel_set kernel)
{
    heard |= (unsigned)kernel;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#define BEST(best, times, code)                            \
    do {                                                   \
        const double start_ = now();                       \
        for (int i_ = 0; i_ < (times); i_++) code;         \
        const double took_ = (now() - start_) / (times);   \
        if ((best) == 0 || took_ < (best)) (best) = took_; \
    } while (0)

// An honest key and its operations, made before the flood and used after it.
typedef struct {
    jose_key *key;
    jose_signature *signer, *verifiers[WAYS];
    uint8_t message[MESSAGE], signature[CRAFTED_MAX];
    size_t size;
} citizen;

static void settle(citizen *c)
{
    *c = (citizen){.size = 256};
    need(faults_import(&c->key, RSA_2048, true) == JOSE_OK &&
             jose_signature_make(&c->signer, c->key, JOSE_RSA_PKCS1, JOSE_SHA256, true, 0) ==
                 JOSE_OK &&
             jose_signature_sign(c->signer, c->signature, c->size, c->message, MESSAGE) == JOSE_OK,
         "sign");
    for (int w = 0; w < WAYS; w++)
        need(jose_signature_make(&c->verifiers[w], c->key, JOSE_RSA_PKCS1, JOSE_SHA256, false,
                                 levels[w]) == JOSE_OK,
             "verifier");
}

static void leave(citizen *c)
{
    for (int w = 0; w < WAYS; w++) jose_signature_free(c->verifiers[w]);
    jose_signature_free(c->signer);
    jose_key_release(c->key);
}

static void verify_eight(const citizen *c)
{
    jose_batch *batch = jose_batch_make(8);
    need(batch != NULL, "memory");
    for (int i = 0; i < 8; i++)
        jose_batch_add(batch, c->verifiers[0], c->message, MESSAGE, c->signature, c->size);
    jose_batch_run(batch);
    jose_batch_free(batch);
}

static condition look_at(const citizen *c)
{
    condition seen = {
        .kernels = jose_kernels(), .off = jose_kernels_off(), .held = faults_allocated()};
    uint8_t signature[CRAFTED_MAX];
    for (int round = 0; round < 40; round++) {
        for (int w = 0; w < WAYS; w++)
            BEST(seen.verify[w], 10,
                 need(jose_signature_verify(c->verifiers[w], c->message, MESSAGE, c->signature,
                                            c->size) == JOSE_OK,
                      "an honest signature"));
        BEST(seen.batch, 3, verify_eight(c));
        BEST(
            seen.sign, 1,
            need(jose_signature_sign(c->signer, signature, c->size, c->message, MESSAGE) == JOSE_OK,
                 "sign"));
    }
    return seen;
}

static void compare(const condition *before, const condition *after)
{
    need(after->off == before->off && after->kernels == before->kernels && heard == 0,
         "kernels %u became %u, off are %u, reported %u", before->kernels, after->kernels,
         after->off, heard);
    // The entries of the error queue keep their strings, two each.
    need(after->held <= before->held + 2 * FAULTS_QUEUE, "%zu pieces of memory became %zu",
         before->held, after->held);
    for (int w = 0; w < WAYS; w++)
        need(after->verify[w] < SLOWER * before->verify[w],
             "a verification, implementation %d: %.2f us became %.2f", w, before->verify[w] * 1e6,
             after->verify[w] * 1e6);
    need(after->batch < SLOWER * before->batch, "a batch: %.2f us became %.2f", before->batch * 1e6,
         after->batch * 1e6);
    need(after->sign < SLOWER * before->sign, "a signature: %.2f us became %.2f",
         before->sign * 1e6, after->sign * 1e6);
}

int faults_outside(void)
{
    citizen honest;
    faults_make_keys();
    jose_kernels_watch(hear);
    need(jose_kernels_off() == 0, "before");
    settle(&honest);
    send_stills(0, 1);  // allocated at the first use and kept
    send_edges(0, 40);
    send_jumps(0, 8);
    need(jose_kernels_off() == 0 && heard == 0, "a first crafted key switched a kernel off");
    look_at(&honest);
    const condition before = look_at(&honest);
    for (unsigned from = 0; judged < ENOUGH; from += 40) {
        send_jumps(from, 40);
        send_edges(8 * from, 320);
        send_stills(from / 8, 5);
    }
    need(jumps > 50 && accepted > 500, "%u keys of one block, %u right signatures", jumps,
         accepted);
    const condition after = look_at(&honest);
    compare(&before, &after);
    leave(&honest);
    printf("outside      %u keys, %u signatures (%u right), %u messages: nothing changed\n", keys,
           judged, accepted, sealed);
    faults_flip_modulus(97);
    return 0;
}
