// rsa_provider.c: EVP's bare RSA public operation, for the race between the ways, and what the race found.

#include "rsa_provider.h"

#include <openssl/core_names.h>
#include <openssl/rsa.h>

#include "runtime/host.h"
#include "rsa.h"

// MARK: EVP

static EVP_PKEY_CTX *context_on(const jose_library *library, EVP_PKEY *pkey)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE,
                                         (char *)OSSL_PKEY_RSA_PAD_MODE_NONE, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(library->context, pkey, JOSE_PROPERTIES);
    if (context == NULL || EVP_PKEY_encrypt_init_ex(context, params) == 1) return context;
    EVP_PKEY_CTX_free(context);
    return NULL;
}

static void *key_new(const uint8_t *modulus, size_t size)
{
    static const uint8_t exponent[] = {1, 0, 1};
    jose_rsa_numbers numbers;
    const jose_library *library = jose_library_get();
    jose_rsa_public_numbers(&numbers, modulus, size, exponent, sizeof exponent);
    EVP_PKEY *pkey = library == NULL ? NULL : jose_rsa_fromdata(library, numbers.params, false);
    EVP_PKEY_CTX *context = pkey == NULL ? NULL : context_on(library, pkey);
    EVP_PKEY_free(pkey);
    return context;
}

static bool run(void *key, uint8_t *out, const uint8_t *in, size_t size)
{
    size_t len = size;
    return EVP_PKEY_encrypt(key, out, &len, in, size) == 1 && len == size;
}

static void key_free(void *key)
{
    EVP_PKEY_CTX_free(key);
}

const jose_rsa_provider jose_rsa_evp = {.key_new = key_new, .run = run, .key_free = key_free};

// MARK: what was measured

bool jose_rsa_measure(jose_rsa_measured found[JOSE_RSA_MEASURED], uint32_t bits)
{
    const size_t size = bits / 8;
    jose_host host;
    jose_host_enter(&host);
    const bool is_raced = jose_rsa_race_run(size, &jose_rsa_evp);
    jose_host_leave(&host);
    const int first = jose_rsa_race_first(size);
    bool is_settled = false;  // which one goes before the others
    for (int place = 0; place < JOSE_RSA_MEASURED; place++) found[place] = (jose_rsa_measured){.name = NULL};
    for (int way = 0; way < JOSE_RSA_WAYS; way++) {
        jose_rsa_measured *row = &found[way];
        row->name = way == JOSE_RSA_WAY_EVP ? "evp" : way == JOSE_RSA_WAY_BN ? "bn"
                                                                             : jose_rsa_kernels[way].name;
        row->nanoseconds = jose_rsa_race_time(size, way);
        row->is_first = first == JOSE_RSA_WAY_NONE ? row->nanoseconds > 0 && !is_settled : way == first;
        is_settled |= row->is_first;
    }
    return is_raced;
}
