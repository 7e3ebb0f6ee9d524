// rsa_public.c: imports RSA public keys and checks size, exponent and factors.

#include <openssl/core_names.h>
#include <openssl/crypto.h>

#include "runtime/host.h"
#include "rsa.h"

// OpenSSL reads parameters in native byte order. The words of a modulus have the same order.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are built little-endian");

void jose_rsa_public_numbers(jose_rsa_numbers *numbers, jose_number n, jose_number e)
{
    numbers->words = (n.len + 7) / 8;
    for (size_t i = 0; i < numbers->words; i++) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8 && i * 8 + k < n.len; k++)
            word |= (uint64_t)n.bytes[n.len - 1 - (i * 8 + k)] << (8 * k);
        numbers->modulus[i] = word;
    }
    numbers->exponent = 0;
    for (size_t i = 0; i < e.len; i++) numbers->exponent = numbers->exponent << 8 | e.bytes[i];
    numbers->params[0] = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, (uint8_t *)numbers->modulus,
                                                 numbers->words * 8);
    numbers->params[1] = OSSL_PARAM_construct_BN(
        OSSL_PKEY_PARAM_RSA_E, (uint8_t *)&numbers->exponent, sizeof numbers->exponent);
    numbers->params[2] = OSSL_PARAM_construct_end();
}

jose_status jose_rsa_read_public(jose_rsa_numbers *numbers, uint32_t *bits,
                                 const jose_rsa_limits *limits, jose_number n, jose_number e)
{
    if (n.len == 0 || n.len > JOSE_MAX_MODULUS || n.bytes[0] == 0) return JOSE_BAD_KEY;
    *bits = (uint32_t)(n.len * 8) - (uint32_t)__builtin_clz(n.bytes[0]) + 24;  // clz counts 32 bits
    if (*bits < limits->min_bits || *bits > limits->max_bits) return JOSE_BAD_KEY;
    if (e.len == 0 || e.len > 4 || e.bytes[0] == 0) return JOSE_BAD_KEY;

    jose_rsa_public_numbers(numbers, n, e);
    uint64_t min_exponent = limits->allows_small_exponent ? 3 : 65537;
    if (numbers->exponent < min_exponent || (numbers->exponent & 1) == 0) return JOSE_BAD_KEY;
    if ((numbers->modulus[0] & 1) == 0) return JOSE_BAD_KEY;
    if (!jose_rsa_factors_ready()) return JOSE_INTERNAL;
    if (jose_rsa_is_weak(numbers->modulus, numbers->words)) return JOSE_BAD_KEY;
    return JOSE_OK;
}

EVP_PKEY *jose_rsa_fromdata(const jose_library *library, OSSL_PARAM *params, bool is_private)
{
    EVP_PKEY *pkey;
    jose_status status = jose_key_fromdata(&pkey, library, JOSE_KEY_RSA, JOSE_NO_CURVE, params,
                                           is_private);
    return status == JOSE_OK ? pkey : NULL;
}

jose_key *jose_rsa_adopt(const jose_library *library, EVP_PKEY *pkey, bool is_private,
                         uint32_t bits, jose_number n,
                         jose_number e)
{
    jose_key_facts facts = {
        .type = JOSE_KEY_RSA,
        .is_private = is_private,
        .bits = bits,
        .numbers = {n, e},
    };
    return jose_key_adopt(library, pkey, &facts);
}

// For a prime n, a FIPS provider without OpenSSL's fix of CVE-2023-6237 computes for seconds. One
// exponentiation (a Fermat test) rejects such an n first.
static jose_status check_composite(const jose_library *library, jose_number n)
{
    BN_CTX *scratch = BN_CTX_new_ex(library->context);
    BIGNUM *modulus = BN_bin2bn(n.bytes, (int)n.len, NULL);
    const jose_status status = scratch == NULL || modulus == NULL
                                   ? JOSE_INTERNAL
                                   : jose_rsa_check_composite(modulus, scratch);
    BN_free(modulus);
    BN_CTX_free(scratch);
    return status;
}

static jose_status rsa_public(jose_key **key, const jose_library *library, uint32_t bits,
                              jose_rsa_numbers *numbers, jose_number n, jose_number e)
{
    EVP_PKEY *pkey = NULL;
    jose_status status = jose_host_replaced_rsa() ? JOSE_INTERNAL : JOSE_OK;
    // OpenSSL gets the numbers only when it needs them: usually a kernel verifies. The FIPS
    // provider gets them now and checks them.
    if (status == JOSE_OK && library->is_fips) {
        status = check_composite(library, n);
        if (status == JOSE_OK)
            status = jose_key_fromdata(&pkey, library, JOSE_KEY_RSA, JOSE_NO_CURVE, numbers->params,
                                       false);
        if (status == JOSE_OK) status = jose_key_validate(library, pkey, false);
        if (status != JOSE_OK) EVP_PKEY_free(pkey);
    }
    if (status != JOSE_OK) return status;
    *key = jose_rsa_adopt(library, pkey, false, bits, n, e);
    return *key == NULL ? JOSE_INTERNAL : JOSE_OK;
}

jose_status jose_rsa_public(jose_key **key, const jose_rsa_limits *limits, const uint8_t *modulus,
                            size_t modulus_len, const uint8_t *exponent, size_t exponent_len)
{
    *key = NULL;
    const jose_number n = {modulus, modulus_len}, e = {exponent, exponent_len};
    jose_rsa_numbers numbers;
    uint32_t bits;
    jose_status status = jose_rsa_read_public(&numbers, &bits, limits, n, e);
    if (status != JOSE_OK) return status;

    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    return library == NULL ? JOSE_INTERNAL : rsa_public(key, library, bits, &numbers, n, e);
}

static EVP_PKEY *public_copy(const jose_library *library, const jose_key *key)
{
    jose_rsa_numbers numbers;
    jose_rsa_public_numbers(&numbers, jose_key_number(key, 0), jose_key_number(key, 1));
    return jose_rsa_fromdata(library, numbers.params, false);
}

static jose_status copy(jose_key **made, const jose_library *library, const jose_key *key)
{
    if (key->is_private) return jose_rsa_copy_private(made, library, key);
    jose_rsa_numbers numbers;
    const jose_number n = jose_key_number(key, 0), e = jose_key_number(key, 1);
    jose_rsa_public_numbers(&numbers, n, e);
    return rsa_public(made, library, key->bits, &numbers, n, e);
}

const jose_key_entry jose_key_rsa = {
    .offer = &jose_key_offers[JOSE_IMPORTS_RSA],
    .replaced = jose_host_replaced_rsa,
    .public_copy = public_copy,
    .copy = copy,
};
