// wycheproof.c: the RSA cases of Wycheproof by every implementation: EVP, the kernels alone, and in
// lanes. Reads the lines of cases.py. At the CPU level `fma` the kernel is that of doubles.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cjosecrypto.h"
#include "cjosekernels.h"
#include "keymgmt/keymgmt.h"

enum { MAX_BYTES = 512,
       MAX_LINE = 1 << 16,
       NUMBERS = 2 + JOSE_RSA_PARTS,
       LANES = JOSE_PRIVATE_BATCH_LANES };

#define need(condition)                                                                 \
    do {                                                                                \
        if (!(condition)) {                                                             \
            printf("FAILED  wycheproof: %s (%s:%d)\n", #condition, __FILE__, __LINE__); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

typedef struct {
    uint8_t bytes[1024];
    size_t len;
} text;

typedef struct {
    char name[64];
    bool is_right;
    text message, data;
} test_case;

typedef enum { VERIFY,
               VERIFY_PSS,
               SIGN,
               DECRYPT,
               KINDS } kind;

static const char *const kind_names[KINDS] = {"RsassaPkcs1Verify", "RsassaPssVerify",
                                              "RsassaPkcs1Generate", "RsaesOaepDecrypt"};

typedef struct {
    kind kind;
    jose_hash hash;
    text numbers[NUMBERS];
    size_t size;
    jose_key *key;
    test_case *cases;
    size_t count;
} group;

// MARK: counts

typedef struct {
    unsigned accepted, rejected;
} tally;

static tally tallies[KINDS];
static unsigned wrong, groups, accelerated, in_lanes;

static void expect(bool condition, const test_case *c, const char *by, const char *what)
{
    if (condition) return;
    wrong++;
    printf("WRONG  %s by %s: %s\n", c->name, by, what);
}

// MARK: implementations

typedef struct {
    const char *name;
    jose_options options;
} level;

static const level public_levels[] = {
    {"EVP", JOSE_PROVIDER_ONLY}, {"Montgomery functions", JOSE_PORTABLE}, {"a kernel", 0}};
static const level private_levels[] = {
    {"EVP", JOSE_PROVIDER_ONLY},
    {"EVP, bare", JOSE_PORTABLE},
    {"integers", JOSE_ACCELERATE_PRIVATE},
    {"any kernel", JOSE_ACCELERATE_PRIVATE | JOSE_ACCELERATE_PRIVATE_FLOATING}};
enum { PUBLIC_LEVELS = sizeof public_levels / sizeof *public_levels,
       PRIVATE_LEVELS = sizeof private_levels / sizeof *private_levels };

// Whether a kernel of this CPU level computes with such a key alone after the first uses.
static bool is_acceleratable(const group *g, jose_options options)
{
    if (g->numbers[2 + JOSE_RSA_P].len != g->size / 2 ||
        g->numbers[2 + JOSE_RSA_Q].len != g->size / 2)
        return false;
    for (int i = 0; i < JOSE_RSA_KERNELS; i++) {
        const jose_rsa_private_kernel *entry = &jose_rsa_private_kernels[i];
        if (entry->is_present() && g->size <= entry->max_one && g->size >= 256 &&
            (options & (entry->is_floating ? JOSE_ACCELERATE_PRIVATE_FLOATING
                                           : JOSE_ACCELERATE_PRIVATE)) != 0)
            return true;
    }
    return false;
}

static void expect_kernel(const group *g, const level *l, jose_private_acceleration state)
{
    if (!is_acceleratable(g, l->options)) return;
    accelerated++;
    expect(state == JOSE_PRIVATE_IN_USE, &g->cases[0], l->name, "no kernel computed");
}

// MARK: verification

static void verify(const group *g)
{
    for (int i = 0; i < PUBLIC_LEVELS; i++) {
        const level *l = &public_levels[i];
        jose_signature *verifier = NULL;
        need(jose_signature_make(&verifier, g->key,
                                 g->kind == VERIFY_PSS ? JOSE_RSA_PSS : JOSE_RSA_PKCS1, g->hash,
                                 false, l->options) == JOSE_OK);
        jose_batch *batch = NULL;
        for (size_t c = 0; c < g->count; c++) {
            const test_case *t = &g->cases[c];
            const jose_status status = jose_signature_verify(
                verifier, t->message.bytes, t->message.len, t->data.bytes, t->data.len);
            expect(status == (t->is_right ? JOSE_OK : JOSE_REJECTED), t, l->name,
                   t->is_right ? "rejected" : "accepted");
            // With seven of the same signature, so that lanes compute it.
            need((batch = jose_batch_make(8)) != NULL);
            ptrdiff_t index = -1;
            for (int lane = 0; lane < 8; lane++)
                index = jose_batch_add(batch, verifier, t->message.bytes, t->message.len,
                                       t->data.bytes, t->data.len);
            if (index >= 0) {
                jose_batch_run(batch);
                expect(jose_batch_accepted(batch, (size_t)index) == t->is_right, t,
                       "lanes of public operations", t->is_right ? "not accepted" : "accepted");
                in_lanes++;
            }
            jose_batch_free(batch);
        }
        jose_signature_free(verifier);
    }
}

// MARK: signatures

static void sign_alone(const group *g, const level *l, jose_signature *signer, const test_case *t)
{
    uint8_t made[MAX_BYTES];
    expect(jose_signature_sign(signer, made, g->size, t->message.bytes, t->message.len) ==
                   JOSE_OK &&
               memcmp(made, t->data.bytes, g->size) == 0,
           t, l->name, "another signature");
}

static void sign(const group *g)
{
    for (int i = 0; i < PRIVATE_LEVELS; i++) {
        const level *l = &private_levels[i];
        jose_signature *signer = NULL;
        need(jose_signature_make(&signer, g->key, JOSE_RSA_PKCS1, g->hash, true, l->options) ==
             JOSE_OK);
        for (int use = 0; use < 20; use++) sign_alone(g, l, signer, &g->cases[0]);
        for (size_t c = 0; c < g->count; c++) sign_alone(g, l, signer, &g->cases[c]);
        expect_kernel(g, l, jose_signature_private_acceleration(signer));
        jose_private_batch *batch = jose_private_batch_make(g->count);
        need(batch != NULL);
        bool is_added = true;
        for (size_t c = 0; c < g->count && is_added; c++)
            is_added = jose_private_batch_add_message(batch, signer, g->cases[c].message.bytes,
                                                      g->cases[c].message.len) == (ptrdiff_t)c;
        if (is_added) jose_private_batch_run(batch);
        for (size_t c = 0; c < g->count && is_added; c++) {
            uint8_t made[MAX_BYTES];
            in_lanes++;
            expect(jose_private_batch_result(batch, c, made, g->size) == JOSE_OK &&
                       memcmp(made, g->cases[c].data.bytes, g->size) == 0,
                   &g->cases[c], l->name, "another signature in a batch");
        }
        expect(is_added || (l->options & JOSE_PROVIDER_ONLY) != 0, &g->cases[0], l->name,
               "a batch does not take it");
        jose_private_batch_free(batch);
        jose_signature_free(signer);
    }
}

// MARK: decryption

// Decrypts to a content key of `len` bytes. What does not decode leaves it unchanged.
static bool opens(const jose_keymgmt *opener, const test_case *t, size_t len,
                  jose_private_item *computed)
{
    uint8_t key[MAX_BYTES];
    memset(key, 0x5a, sizeof key);
    const jose_recipient none = {0};
    const jose_unwrap call = {.recipient = &none,
                              .encrypted_key = t->data.bytes,
                              .encrypted_key_len = t->data.len,
                              .computed = computed};
    jose_keymgmt_slot *slot = jose_keymgmt_take(opener);
    need(slot != NULL && opener->entry->unwrap(opener, slot, &call, key, len));
    jose_keymgmt_put(opener, slot);
    for (size_t i = 0; i < len; i++)
        if (key[i] != 0x5a) {
            need(len != t->message.len || memcmp(key, t->message.bytes, len) == 0);
            return true;
        }
    return false;
}

static void open_case(const level *l, const jose_keymgmt *opener, const test_case *t,
                      jose_private_item *computed)
{
    const size_t len = t->message.len;
    // An empty content key says nothing; another length must not open.
    if (len > 0 && opener->entry->supports(opener, len))
        expect(opens(opener, t, len, computed) == t->is_right, t, l->name,
               t->is_right ? "does not open" : "opens");
    if (opener->entry->supports(opener, len + 1))
        expect(!opens(opener, t, len + 1, computed), t, l->name, "opens with a longer key");
    if (len > 1) expect(!opens(opener, t, len - 1, computed), t, l->name, "opens with a shorter");
}

static void decrypt(const group *g)
{
    const jose_keymgmt_rule rule = {.family = JOSE_RSA_OAEP, .hash = g->hash};
    for (int i = 0; i < PRIVATE_LEVELS; i++) {
        const level *l = &private_levels[i];
        jose_keymgmt *opener = NULL;
        need(jose_keymgmt_make(&opener, g->key, &rule, false, l->options) == JOSE_OK);
        for (int use = 0; use < 20; use++) open_case(l, opener, &g->cases[0], NULL);
        for (size_t c = 0; c < g->count; c++) open_case(l, opener, &g->cases[c], NULL);
        expect_kernel(g, l, jose_keymgmt_private_acceleration(opener));
        // What is no number below n is in no batch.
        jose_private_batch *batch = jose_private_batch_make(g->count);
        ptrdiff_t *index = calloc(g->count, sizeof *index);
        need(batch != NULL && index != NULL);
        for (size_t c = 0; c < g->count; c++)
            index[c] = jose_private_batch_add_key(batch, opener, g->cases[c].data.bytes,
                                                  g->cases[c].data.len);
        jose_private_batch_run(batch);
        for (size_t c = 0; c < g->count; c++) {
            if (index[c] < 0) continue;
            in_lanes++;
            open_case(l, opener, &g->cases[c],
                      jose_private_batch_item(batch, (size_t)index[c]));
        }
        free(index);
        jose_private_batch_free(batch);
        jose_keymgmt_free(opener);
    }
}

// MARK: reading

static char *next(char **rest)
{
    char *word = strsep(rest, " \n");
    need(word != NULL);
    return word;
}

static uint8_t digit(char c)
{
    const char *digits = "0123456789abcdef", *found = strchr(digits, c);
    need(c != 0 && found != NULL);
    return (uint8_t)(found - digits);
}

static text read_hex(const char *word)
{
    text t = {.len = strcmp(word, "-") == 0 ? 0 : strlen(word) / 2};
    need(t.len <= sizeof t.bytes && (t.len == 0 || strlen(word) % 2 == 0));
    for (size_t i = 0; i < t.len; i++)
        t.bytes[i] = (uint8_t)(digit(word[2 * i]) << 4 | digit(word[2 * i + 1]));
    return t;
}

static jose_hash hash_of(const char *name)
{
    static const struct {
        const char *name;
        jose_hash hash;
    } hashes[] = {{"SHA-1", JOSE_SHA1},
                  {"SHA-256", JOSE_SHA256},
                  {"SHA-384", JOSE_SHA384},
                  {"SHA-512", JOSE_SHA512}};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (strcmp(hashes[i].name, name) == 0) return hashes[i].hash;
    need(false);
    return JOSE_SHA1;
}

static void read_group(group *g, char *rest)
{
    const char *name = next(&rest);
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kind_names[i], name) == 0) g->kind = (kind)i;
    need(strcmp(kind_names[g->kind], name) == 0);
    g->hash = hash_of(next(&rest));
    const bool is_private = g->kind == SIGN || g->kind == DECRYPT;
    for (int i = 0; i < (is_private ? NUMBERS : 2); i++) g->numbers[i] = read_hex(next(&rest));
    static const jose_rsa_limits limits = {2048, 4096, true};
    const text *n = &g->numbers[0], *e = &g->numbers[1];
    jose_number parts[JOSE_RSA_PARTS];
    for (int i = 0; i < JOSE_RSA_PARTS; i++)
        parts[i] = (jose_number){g->numbers[2 + i].bytes, g->numbers[2 + i].len};
    g->size = n->len;
    need((is_private ? jose_rsa_private(&g->key, &limits, n->bytes, n->len, e->bytes, e->len, parts)
                     : jose_rsa_public(&g->key, &limits, n->bytes, n->len, e->bytes, e->len)) ==
         JOSE_OK);
}

static void run(group *g)
{
    if (g->count > 0) {
        static void (*const runs[KINDS])(const group *) = {verify, verify, sign, decrypt};
        runs[g->kind](g);
        groups++;
    }
    jose_key_release(g->key);
    free(g->cases);
    memset(g, 0, sizeof *g);
}

static void read_case(group *g, char *rest)
{
    g->cases = realloc(g->cases, (g->count + 1) * sizeof *g->cases);
    need(g->cases != NULL && g->key != NULL);
    test_case *t = &g->cases[g->count++];
    snprintf(t->name, sizeof t->name, "%s", next(&rest));
    t->is_right = strcmp(next(&rest), "accept") == 0;
    t->message = read_hex(next(&rest));
    t->data = read_hex(next(&rest));
    *(t->is_right ? &tallies[g->kind].accepted : &tallies[g->kind].rejected) += 1;
}

int main(int count, char **arguments)
{
    static char line[MAX_LINE];
    group g = {0};
    need(count == 2 && jose_start() == JOSE_OK && jose_kernels_off() == 0);
    FILE *file = fopen(arguments[1], "r");
    need(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        need(strchr(line, '\n') != NULL);
        char *rest = line;
        const char *word = next(&rest);
        if (strcmp(word, "group") == 0)
            run(&g), read_group(&g, rest);
        else
            read_case(&g, rest);
    }
    fclose(file);
    run(&g);
    for (int i = 0; i < KINDS; i++) {
        need(tallies[i].accepted > 0);
        printf("wycheproof  %s: %u accepted, %u rejected\n", kind_names[i], tallies[i].accepted,
               tallies[i].rejected);
    }
    printf("wycheproof  %u keys; %u times a kernel computed alone, %u cases in batches\n", groups,
           accelerated, in_lanes);
    if (wrong > 0) printf("FAILED  wycheproof: %u wrong results\n", wrong);
    return wrong > 0;
}
