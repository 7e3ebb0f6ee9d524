// watch.c: counts what leaves the FIPS provider. The linker sends these calls here (run: --wrap).

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <string.h>

#include "fips.h"

static unsigned escapes, fetches, public_checks, loads;

void watch_begin(void)
{
    escapes = fetches = public_checks = loads = 0;
}

unsigned watch_escapes(void)
{
    return escapes;
}

unsigned watch_fetches(void)
{
    return fetches;
}

unsigned watch_public_checks(void)
{
    return public_checks;
}

unsigned watch_loads(void)
{
    return loads;
}

static void escape(const char *name)
{
    escapes++;
    printf("left the provider: %s\n", name);
}

static void fetched(const char *name, const char *properties)
{
    if (properties != NULL && strcmp(properties, "fips=yes") == 0) {
        fetches++;
    } else {
        escape(name);
    }
}

#define FETCH(type, function)                                                          \
    type *__real_##function(OSSL_LIB_CTX *, const char *, const char *);               \
    type *__wrap_##function(OSSL_LIB_CTX *context, const char *name, const char *used) \
    {                                                                                  \
        fetched(#function, used);                                                      \
        return __real_##function(context, name, used);                                 \
    }
FETCH(EVP_MD, EVP_MD_fetch)
FETCH(EVP_CIPHER, EVP_CIPHER_fetch)
FETCH(EVP_MAC, EVP_MAC_fetch)
FETCH(EVP_KDF, EVP_KDF_fetch)
FETCH(EVP_KEYMGMT, EVP_KEYMGMT_fetch)
FETCH(EVP_SIGNATURE, EVP_SIGNATURE_fetch)
FETCH(EVP_PKEY_CTX, EVP_PKEY_CTX_new_from_name)

EVP_PKEY_CTX *__real_EVP_PKEY_CTX_new_from_pkey(OSSL_LIB_CTX *, EVP_PKEY *, const char *);
EVP_PKEY_CTX *__wrap_EVP_PKEY_CTX_new_from_pkey(OSSL_LIB_CTX *context, EVP_PKEY *pkey,
                                                const char *used)
{
    fetched("EVP_PKEY_CTX_new_from_pkey", used);
    return __real_EVP_PKEY_CTX_new_from_pkey(context, pkey, used);
}

int __real_EVP_PKEY_public_check(EVP_PKEY_CTX *);
int __wrap_EVP_PKEY_public_check(EVP_PKEY_CTX *context)
{
    public_checks++;
    return __real_EVP_PKEY_public_check(context);
}

// A power with the modulus as its exponent is public: the check that a modulus is composite.
int __real_BN_mod_exp(BIGNUM *, const BIGNUM *, const BIGNUM *, const BIGNUM *, BN_CTX *);
int __wrap_BN_mod_exp(BIGNUM *power, const BIGNUM *base, const BIGNUM *exponent,
                      const BIGNUM *modulus, BN_CTX *scratch)
{
    if (exponent != modulus) escape("BN_mod_exp");
    return __real_BN_mod_exp(power, base, exponent, modulus, scratch);
}

OSSL_PROVIDER *__real_OSSL_PROVIDER_load(OSSL_LIB_CTX *, const char *);
OSSL_PROVIDER *__wrap_OSSL_PROVIDER_load(OSSL_LIB_CTX *context, const char *name)
{
    if (strcmp(name, "default") == 0) escape("OSSL_PROVIDER_load of default");
    loads += strcmp(name, "fips") == 0;
    return __real_OSSL_PROVIDER_load(context, name);
}

static void (*act_within)(void);

void watch_within(void (*act)(void))
{
    act_within = act;
}

static void act_once(void)
{
    void (*act)(void) = act_within;
    act_within = NULL;
    if (act != NULL) act();
}

int __real_EVP_DigestFinal_ex(EVP_MD_CTX *, unsigned char *, unsigned *);
int __wrap_EVP_DigestFinal_ex(EVP_MD_CTX *context, unsigned char *digest, unsigned *size)
{
    const int done = __real_EVP_DigestFinal_ex(context, digest, size);
    act_once();
    return done;
}

int __real_EVP_CipherFinal_ex(EVP_CIPHER_CTX *, unsigned char *, int *);
int __wrap_EVP_CipherFinal_ex(EVP_CIPHER_CTX *context, unsigned char *out, int *size)
{
    act_once();
    return __real_EVP_CipherFinal_ex(context, out, size);
}

// Functions that no provider serves. Their arguments, at most six, are passed on as they are.
#define ESCAPE(name)                                                   \
    long __real_##name(long, long, long, long, long, long);            \
    long __wrap_##name(long a, long b, long c, long d, long e, long f) \
    {                                                                  \
        escape(#name);                                                 \
        return __real_##name(a, b, c, d, e, f);                        \
    }
#include "escapes.h"
