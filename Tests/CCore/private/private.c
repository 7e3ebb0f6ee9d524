// private.c: private keys that opted in to kernels, through the interface of the C core: signatures
// and decryption by every scheme. Usage: private [all|sizes|stacks|faults|batches|forks|inputs|
// hosts|levels|maps|locks|memory|measure N|timing N]

#include "private.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string.h>

#include "cjosekernels.h"
#include "keymgmt/keymgmt.h"
#include "wraps.h"

const jose_options accelerated = JOSE_ACCELERATE_PRIVATE | JOSE_ACCELERATE_PRIVATE_FLOATING;
unsigned evp_calls;

static const uint8_t message[] = "a header.a payload";
static const jose_keymgmt_rule oaep = {.family = JOSE_RSA_OAEP, .hash = JOSE_SHA256};

static evp_failure failure;
static char mark;  // the application data of the context that fails
static bool is_marked;

void evp_fail(evp_failure next)
{
    failure = next, is_marked = false;
}

static bool is_failing(EVP_PKEY_CTX *context)
{
    if (failure != EVP_CONTEXT_FAILS) return failure == EVP_FAILS;
    if (!is_marked) EVP_PKEY_CTX_set_app_data(context, &mark);
    is_marked = true;
    return EVP_PKEY_CTX_get_app_data(context) == &mark;
}

WRAPS(int, EVP_PKEY_sign,
      (EVP_PKEY_CTX * context, unsigned char *out, size_t *out_len, const unsigned char *in,
       size_t in_len))
{
    evp_calls++;
    if (is_failing(context)) return -1;
    return __real_EVP_PKEY_sign(context, out, out_len, in, in_len);
}

WRAPS(int, EVP_PKEY_decrypt,
      (EVP_PKEY_CTX * context, unsigned char *out, size_t *out_len, const unsigned char *in,
       size_t in_len))
{
    evp_calls++;
    if (failure == EVP_FAILS) {
        ERR_raise(ERR_LIB_RSA, RSA_R_BAD_SIGNATURE);
        return -1;
    }
    return __real_EVP_PKEY_decrypt(context, out, out_len, in, in_len);
}

subject subject_make(uint32_t bits)
{
    subject s = {.size = bits / 8};
    uint8_t seed[32];
    jose_keymgmt *wrapper = NULL;
    need(jose_rsa_generate(&s.key, JOSE_MODULE_PROCESS, bits) == JOSE_OK);
    need(jose_random(s.cek, CEK) == JOSE_OK && jose_random(seed, sizeof seed) == JOSE_OK);
    need(jose_keymgmt_make(&wrapper, s.key, &oaep, true, 0) == JOSE_OK);
    const jose_wrapped out = {s.encrypted_key, s.size, NULL, 0};
    const jose_recipient none = {0};
    need(jose_cek_wrap_given(wrapper, JOSE_A128CBC_HS256, s.cek, CEK, &out, &none, seed,
                             sizeof seed, NULL) == JOSE_OK);
    jose_keymgmt_free(wrapper);
    return s;
}

operation operation_make(const subject *s, kind kind, jose_options options)
{
    operation o = {.kind = kind};
    if (kind == OAEP)
        need(jose_keymgmt_make(&o.opener, s->key, &oaep, false, options) == JOSE_OK);
    else
        need(jose_signature_make(&o.signer, s->key, kind == PSS ? JOSE_RSA_PSS : JOSE_RSA_PKCS1,
                                 JOSE_SHA256, true, options) == JOSE_OK);
    return o;
}

void operation_free(operation *o)
{
    jose_signature_free(o->signer);
    jose_keymgmt_free(o->opener);
}

jose_private_acceleration operation_state(const operation *o)
{
    return o->kind == OAEP ? jose_keymgmt_private_acceleration(o->opener)
                           : jose_signature_private_acceleration(o->signer);
}

bool operation_unwrap(const operation *o, uint8_t cek[CEK], const uint8_t *encrypted_key,
                      size_t encrypted_key_len)
{
    const jose_recipient none = {0};
    const jose_unwrap call = {.recipient = &none,
                              .encrypted_key = encrypted_key,
                              .encrypted_key_len = encrypted_key_len};
    jose_keymgmt_slot *slot = jose_keymgmt_take(o->opener);
    need(slot != NULL);
    const bool done = o->opener->entry->unwrap(o->opener, slot, &call, cek, CEK);
    jose_keymgmt_put(o->opener, slot);
    return done;
}

bool operation_is_right(const operation *o, const subject *s)
{
    uint8_t signature[MAX_BYTES], cek[CEK] = {0};
    if (o->kind == OAEP)
        return operation_unwrap(o, cek, s->encrypted_key, s->size) &&
               memcmp(cek, s->cek, CEK) == 0;
    if (jose_signature_sign(o->signer, signature, s->size, message, sizeof message) != JOSE_OK)
        return false;
    jose_signature *verifier = NULL;
    need(jose_signature_make(&verifier, s->key, o->kind == PSS ? JOSE_RSA_PSS : JOSE_RSA_PKCS1,
                             JOSE_SHA256, false, JOSE_PROVIDER_ONLY) == JOSE_OK);
    const jose_status status = jose_signature_verify(verifier, message, sizeof message, signature,
                                                     s->size);
    jose_signature_free(verifier);
    return status == JOSE_OK;
}

void operation_warm(const operation *o, const subject *s)
{
    for (int i = 0; i < 64 && operation_state(o) == JOSE_PRIVATE_WAITING; i++)
        need(operation_is_right(o, s));
    need(operation_state(o) == JOSE_PRIVATE_IN_USE);
    const unsigned before = evp_calls;
    need(operation_is_right(o, s) && evp_calls == before);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*check)(void);
    } parts[] = {{"stacks", check_stacks},  // before this process tests the kernels
                 {"maps", check_maps},      // before it has a page that announces forks
                 {"inputs", check_inputs},
                 {"levels", check_levels},
                 {"locks", check_locks},
                 {"memory", check_memory},
                 {"hosts", check_hosts},
                 {"forks", check_forks},
                 {"faults", check_faults},
                 {"batches", check_batches}};
    const char *wanted = count > 1 ? arguments[1] : "all";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(wanted, "measure") == 0) {
        measure(count > 2 ? atoi(arguments[2]) : 20);
        return 0;
    }
    // Before this process tests the kernels.
    if (strcmp(wanted, "all") == 0 || strcmp(wanted, "sizes") == 0) check_other_size();
    if (strcmp(wanted, "sizes") == 0) return 0;
    if (strcmp(wanted, "all") == 0 || strcmp(wanted, "primes") == 0) check_primes();
    if (strcmp(wanted, "primes") == 0) return 0;
    if (jose_private_kernels() == 0) {
        puts("private  no kernel runs here: nothing to check");
        return 0;
    }
    if (strcmp(wanted, "timing") == 0) {
        check_timing(count > 2 ? atoi(arguments[2]) : 1000);
        return 0;
    }
    bool is_known = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(wanted, "all") != 0 && strcmp(wanted, parts[i].name) != 0) continue;
        is_known = true;
        parts[i].check();
    }
    need(is_known);
    return 0;
}
