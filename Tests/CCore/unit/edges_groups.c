// edges_groups.c: public keys that are created from a kept group: each has its own point, the group
// has none, also with concurrent imports.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "edges_keys.h"
#include "faults.h"

#include <openssl/core_names.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keys/curve.h"
#include "keys/key.h"
#include "runtime/digest.h"
#include "runtime/library.h"
#include "runtime/pool.h"

enum { EACH = 2,
       THREADS = 8,
       IMPORTS = 150,
       QUEUE = 16,
       LARGEST = 66 };

typedef struct {
    uint8_t x[LARGEST], y[LARGEST];
} point;

static point points[JOSE_CURVES][EACH];

static bool is_ec(int curve)
{
    return jose_curve_type((jose_curve)curve) == JOSE_KEY_EC;
}

static void make_points(void)
{
    for (int curve = 0; curve < JOSE_CURVES; curve++)
        for (int i = 0; i < EACH && is_ec(curve); i++) {
            jose_key *key = NULL;
            need(jose_ec_generate(&key, JOSE_MODULE_PROCESS, (jose_curve)curve) == JOSE_OK,
                 "generate");
            for (unsigned index = 0; index < 2; index++) {
                size_t len = 0;
                const uint8_t *bytes = jose_key_public_number(key, index, &len);
                memcpy(index == 0 ? points[curve][i].x : points[curve][i].y, bytes, len);
            }
            jose_key_release(key);
        }
}

static jose_status import(jose_key **key, int curve, const uint8_t *x, const uint8_t *y)
{
    const size_t size = jose_curve_bytes((jose_curve)curve);
    return jose_ec_public(key, (jose_curve)curve, x, size, y, size);
}

// An uncompressed point, its text and the name of its group.
static bool is_it(const uint8_t *bytes, size_t len, const char *name, int curve,
                  const point *wanted)
{
    const size_t size = jose_curve_bytes((jose_curve)curve);
    return len == 1 + 2 * size && bytes[0] == 4 && memcmp(bytes + 1, wanted->x, size) == 0 &&
           memcmp(bytes + 1 + size, wanted->y, size) == 0 && name != NULL &&
           strcmp(name, jose_curve_entry_of((jose_curve)curve)->name) == 0;
}

// The key verifies with this point, and so does a key that libcrypto creates from its numbers.
static bool holds(const jose_key *key, int curve, const point *wanted)
{
    uint8_t bytes[1 + 2 * LARGEST];
    char name[32];
    const EC_GROUP *group = EC_KEY_get0_group(key->verifier);
    size_t len = EC_POINT_point2oct(group, EC_KEY_get0_public_key(key->verifier),
                                    POINT_CONVERSION_UNCOMPRESSED, bytes, sizeof bytes, NULL);
    if (key->pkey != NULL ||
        !is_it(bytes, len, OBJ_nid2sn(EC_GROUP_get_curve_name(group)), curve, wanted))
        return false;
    EVP_PKEY_CTX *context = jose_key_public_context(jose_library_get(), key);
    EVP_PKEY *pkey = context == NULL ? NULL : EVP_PKEY_CTX_get0_pkey(context);
    const bool has = pkey != NULL &&
                     EVP_PKEY_get_octet_string_param(pkey, OSSL_PKEY_PARAM_PUB_KEY, bytes,
                                                     sizeof bytes, &len) == 1 &&
                     EVP_PKEY_get_group_name(pkey, name, sizeof name, NULL) == 1 &&
                     is_it(bytes, len, name, curve, wanted);
    EVP_PKEY_CTX_free(context);
    return has;
}

// Every kept group is the complete group of its curve, without the point of a key.
static void groups_are_whole(void)
{
    const jose_library *library = jose_library_get();
    EC_GROUP *all[64];
    unsigned seen = 0;
    for (int curve = 0; curve < JOSE_CURVES; curve++) {
        unsigned count = 0;
        while (count < 64 && (all[count] = jose_pool_take(library->groups[curve])) != NULL) count++;
        need(is_ec(curve) || count == 0, "a group for no curve");
        for (unsigned i = 0; i < count; i++) {
            need(EC_GROUP_get_curve_name(all[i]) ==
                         jose_curve_entry_of((jose_curve)curve)->offer->group &&
                     EC_GROUP_check(all[i], NULL) == 1,
                 "a kept group is another");
            need(jose_pool_put(library->groups[curve], all[i]), "put");
        }
        seen += count;
    }
    need(seen > 0, "no group is kept");
    ERR_clear_error();
}

// Every kind of wrong point; the next import succeeds.
static void rejections(int curve)
{
    static const uint8_t none[LARGEST];
    uint8_t max[LARGEST];
    memset(max, 0xff, sizeof max);
    const point *a = &points[curve][0], *b = &points[curve][1];
    const uint8_t *wrong[][2] = {
        {a->x, b->y},
        {a->y, a->x},
        {none, none},
        {max, max},
        {a->x, max},
        {max, a->y},
        {none, a->y},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        jose_key *key = NULL;
        need(import(&key, curve, wrong[i][0], wrong[i][1]) == JOSE_BAD_KEY && key == NULL,
             "wrong point %zu", i);
        need(ERR_peek_error() == 0, "an error entry");
        need(import(&key, curve, b->x, b->y) == JOSE_OK && holds(key, curve, b), "the next one");
        jose_key_release(key);
    }
    // Of another curve of the same size.
    for (int other = 0; other < JOSE_CURVES; other++) {
        if (other == curve || !is_ec(other) ||
            jose_curve_bytes((jose_curve)other) != jose_curve_bytes((jose_curve)curve))
            continue;
        jose_key *key = NULL;
        need(import(&key, curve, points[other][0].x, points[other][0].y) == JOSE_BAD_KEY &&
                 key == NULL,
             "another curve");
    }
}

// Several keys of one group at once: each has its own point, and they outlive the group.
static void together(int curve)
{
    jose_key *keys[EACH] = {NULL};
    for (int i = 0; i < EACH; i++)
        need(import(&keys[i], curve, points[curve][i].x, points[curve][i].y) == JOSE_OK, "import");
    for (int i = 0; i < EACH; i++) need(holds(keys[i], curve, &points[curve][i]), "its own point");
    for (int i = 0; i < EACH; i++) jose_key_release(keys[i]);
}

static void import_once(const void *what)
{
    const int curve = *(const int *)what;
    jose_key *key = NULL;
    need(import(&key, curve, points[curve][0].x, points[curve][0].y) == JOSE_OK, "import");
    jose_key_release(key);
    need(import(&key, curve, points[curve][0].x, points[curve][1].y) == JOSE_BAD_KEY,
         "wrong point");
}

// A signature whose two products add up to the point at infinity: of the key 1, r = n - e and s =
// 1. It is rejected like any other, by each implementation; libcrypto reports an error.
static void no_point(int curve)
{
    static const uint8_t message[] = "e";
    const jose_curve_entry *entry = jose_curve_entry_of((jose_curve)curve);
    const size_t size = entry->bytes;
    uint8_t generator[1 + 2 * LARGEST], signature[2 * LARGEST] = {0}, digest[64];
    EC_GROUP *group = EC_GROUP_new_by_curve_name(entry->offer->group);
    BIGNUM *e = BN_new(), *r = BN_new();
    BN_CTX *scratch = BN_CTX_new();
    need(group != NULL && e != NULL && r != NULL && scratch != NULL, "a group");
    need(EC_POINT_point2oct(group, EC_GROUP_get0_generator(group), POINT_CONVERSION_UNCOMPRESSED,
                            generator, 1 + 2 * size, NULL) == 1 + 2 * size,
         "the generator");
    const jose_digest_entry *hash = jose_digest_entry_of(entry->hash);
    jose_digest_once(hash, digest, message, sizeof message);
    const BIGNUM *order = EC_GROUP_get0_order(group);
    need(BN_bin2bn(digest, (int)hash->bytes, e) != NULL && BN_mod(e, e, order, scratch) == 1 &&
             BN_sub(r, order, e) == 1 && BN_bn2binpad(r, signature, (int)size) == (int)size,
         "r");
    signature[2 * size - 1] = 1;
    const jose_options levels[] = {0, JOSE_PROVIDER_ONLY};
    for (int i = 0; i < 2; i++) {
        jose_key *key = NULL;
        jose_signature *operation = NULL;
        need(import(&key, curve, generator + 1, generator + 1 + size) == JOSE_OK &&
                 jose_signature_make(&operation, key, JOSE_ECDSA, entry->hash, false, levels[i]) ==
                     JOSE_OK,
             "an operation");
        need(jose_signature_verify(operation, message, sizeof message, signature, 2 * size) ==
                 JOSE_REJECTED,
             "%s: no point, implementation %d", entry->name, i);
        need(ERR_peek_error() == 0, "an error entry");
        jose_signature_free(operation);
        jose_key_release(key);
    }
    BN_free(e);
    BN_free(r);
    BN_CTX_free(scratch);
    EC_GROUP_free(group);
}

// MARK: threads

static atomic_uint mistakes;

static void *import_all(void *from)
{
    unsigned at = (unsigned)(uintptr_t)from;
    for (int i = 0; i < IMPORTS; i++, at++) {
        const int curve = (int)(at % JOSE_CURVES);
        if (!is_ec(curve)) continue;
        const point *a = &points[curve][at & 1], *b = &points[curve][~at & 1];
        jose_key *key = NULL;
        const bool is_good = at % 3 != 0;
        const jose_status status = import(&key, curve, a->x, is_good ? a->y : b->y);
        const bool is_right = is_good ? status == JOSE_OK && holds(key, curve, a)
                                      : status == JOSE_BAD_KEY && key == NULL;
        if (!is_right) atomic_fetch_add(&mistakes, 1);
        jose_key_release(key);
    }
    return NULL;
}

// Threads at once; then parent and child processes, each with a copy of the kept groups.
static void fast_check(void)
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        need(pthread_create(&threads[i], NULL, import_all, (void *)(i * 7)) == 0, "thread");
    for (int i = 0; i < THREADS; i++) need(pthread_join(threads[i], NULL) == 0, "thread");
    need(atomic_load(&mistakes) == 0, "%u wrong imports", atomic_load(&mistakes));
    pid_t children[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        children[i] = fork();
        need(children[i] >= 0, "fork");
        if (children[i] > 0) continue;
        import_all((void *)(i * 5));
        _exit(atomic_load(&mistakes) == 0 ? 0 : 1);
    }
    import_all(NULL);
    for (int i = 0; i < THREADS; i++) {
        int status = 0;
        need(waitpid(children[i], &status, 0) == children[i] && status == 0, "child");
    }
    need(atomic_load(&mistakes) == 0, "%u wrong imports with child processes",
         atomic_load(&mistakes));
}

void faults_edges_groups(void)
{
    make_points();
    for (int curve = 0; curve < JOSE_CURVES; curve++) {
        if (!is_ec(curve)) continue;
        rejections(curve);
        no_point(curve);
        together(curve);
        // The error queue of libcrypto keeps the strings of its sixteen entries once each was used.
        for (int i = 0; i < QUEUE; i++) import_once(&curve);
        faults_rounds("points of a group", import_once, &curve);
    }
    fast_check();
    groups_are_whole();
}
