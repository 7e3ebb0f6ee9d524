// rsa_private.c: imports, generates and exports RSA private keys.

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/rsa.h>
#include <string.h>

#include "runtime/host.h"
#include "cjosekernels.h"
#include "rsa.h"

static const char *const part_names[JOSE_RSA_PARTS] = {
    [JOSE_RSA_D] = OSSL_PKEY_PARAM_RSA_D,
    [JOSE_RSA_P] = OSSL_PKEY_PARAM_RSA_FACTOR1,
    [JOSE_RSA_Q] = OSSL_PKEY_PARAM_RSA_FACTOR2,
    [JOSE_RSA_DP] = OSSL_PKEY_PARAM_RSA_EXPONENT1,
    [JOSE_RSA_DQ] = OSSL_PKEY_PARAM_RSA_EXPONENT2,
    [JOSE_RSA_QI] = OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
};

// MARK: import

// Reads big-endian numbers. JOSE_BAD_KEY for a leading zero, an empty d or an incomplete CRT set.
static jose_status read_numbers(jose_rsa_private_numbers *key, jose_number n, jose_number e,
                                const jose_number parts[JOSE_RSA_PARTS], bool *has_primes)
{
    int present = 0;
    for (int i = 0; i < JOSE_RSA_PARTS; i++) {
        if (parts[i].len == 0) continue;
        if (parts[i].len > n.len || parts[i].bytes[0] == 0) return JOSE_BAD_KEY;
        present++;
    }
    if (parts[JOSE_RSA_D].len == 0 || (present != 1 && present != JOSE_RSA_PARTS))
        return JOSE_BAD_KEY;
    *has_primes = present == JOSE_RSA_PARTS;

    key->n = BN_bin2bn(n.bytes, (int)n.len, NULL);
    key->e = BN_bin2bn(e.bytes, (int)e.len, NULL);
    if (key->n == NULL || key->e == NULL) return JOSE_INTERNAL;
    for (int i = 0; i < JOSE_RSA_PARTS; i++) {
        key->part[i] = parts[i].len == 0 ? BN_new()
                                         : BN_bin2bn(parts[i].bytes, (int)parts[i].len, NULL);
        if (key->part[i] == NULL) return JOSE_INTERNAL;
        BN_set_flags(key->part[i], BN_FLG_CONSTTIME);
    }
    return JOSE_OK;
}

static void wipe_numbers(jose_rsa_private_numbers *key)
{
    BN_free(key->n);
    BN_free(key->e);
    for (int i = 0; i < JOSE_RSA_PARTS; i++) BN_clear_free(key->part[i]);
}

// Passes the numbers to libcrypto in one buffer, which is wiped.
static jose_status build(EVP_PKEY **pkey, const jose_library *library,
                         const jose_rsa_private_numbers *key, jose_rsa_numbers *public)
{
    *pkey = NULL;
    size_t size = (size_t)BN_num_bytes(key->n);
    uint8_t *buffer = OPENSSL_malloc(JOSE_RSA_PARTS * size);
    if (buffer == NULL) return JOSE_INTERNAL;
    OSSL_PARAM params[2 + JOSE_RSA_PARTS + 1] = {public->params[0], public->params[1]};
    jose_status status = JOSE_INTERNAL;
    bool fits = true;
    for (int i = 0; i < JOSE_RSA_PARTS; i++) {
        uint8_t *at = buffer + (size_t)i * size;
        size_t bytes = (size_t)BN_num_bytes(key->part[i]);
        fits &= bytes > 0 && bytes <= size &&
                BN_bn2nativepad(key->part[i], at, (int)bytes) == (int)bytes;
        params[2 + i] = OSSL_PARAM_construct_BN(part_names[i], at, bytes);
    }
    params[2 + JOSE_RSA_PARTS] = OSSL_PARAM_construct_end();
    if (fits)
        status = jose_key_fromdata(pkey, library, JOSE_KEY_RSA, JOSE_NO_CURVE, params, true);
    OPENSSL_clear_free(buffer, JOSE_RSA_PARTS * size);
    return status;
}

static jose_status import(jose_key **key, const jose_library *library, uint32_t bits,
                          jose_rsa_numbers *public, jose_number n, jose_number e,
                          const jose_number parts[JOSE_RSA_PARTS])
{
    jose_rsa_private_numbers numbers = {0};
    BN_CTX *scratch = BN_CTX_new_ex(library->context);
    bool has_primes = false;
    jose_status status =
        scratch == NULL ? JOSE_INTERNAL : read_numbers(&numbers, n, e, parts, &has_primes);
    // The FIPS provider itself checks the numbers, but computes no primes.
    if (status == JOSE_OK && !has_primes)
        status = library->is_fips ? JOSE_UNSUPPORTED : jose_rsa_recover(&numbers, scratch);
    if (status == JOSE_OK && !library->is_fips) status = jose_rsa_check_private(&numbers, scratch);
    EVP_PKEY *pkey = NULL;
    if (status == JOSE_OK) status = build(&pkey, library, &numbers, public);
    if (status == JOSE_OK && library->is_fips) status = jose_key_validate(library, pkey, true);
    if (status != JOSE_OK) {
        EVP_PKEY_free(pkey);
    } else {
        *key = jose_rsa_adopt(library, pkey, true, bits, n, e);
        if (*key == NULL)
            status = JOSE_INTERNAL;
        else
            (*key)->is_imported = true;
    }
    wipe_numbers(&numbers);
    BN_CTX_free(scratch);  // wipes its numbers
    return status;
}

jose_status jose_rsa_private(jose_key **key, const jose_rsa_limits *limits, const uint8_t *modulus,
                             size_t modulus_len, const uint8_t *exponent, size_t exponent_len,
                             const jose_number parts[JOSE_RSA_PARTS])
{
    *key = NULL;
    const jose_number n = {modulus, modulus_len}, e = {exponent, exponent_len};
    jose_rsa_numbers public;
    uint32_t bits;
    jose_status status = jose_rsa_read_public(&public, &bits, limits, n, e);
    if (status != JOSE_OK) return status;

    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_get();
    status = library == NULL ? JOSE_INTERNAL
                             : jose_key_has(library, JOSE_KEY_RSA, JOSE_NO_CURVE, JOSE_PART_KEY);
    if (status != JOSE_OK) return status;
    status = import(key, library, bits, &public, n, e, parts);
    jose_residue_clear(JOSE_RESIDUE_LIBCRYPTO_RSA);
    return status;
}

// MARK: generation

static jose_status generate(jose_key **key, const jose_library *library, uint32_t bits)
{
    if (jose_host_replaced_rsa() || jose_host_replaced_random()) return JOSE_INTERNAL;
    jose_status status = jose_key_has(library, JOSE_KEY_RSA, JOSE_NO_CURVE, JOSE_PART_KEY);
    if (status != JOSE_OK) return status;
    status = JOSE_INTERNAL;
    uint8_t modulus[JOSE_MAX_MODULUS];
    static const uint8_t exponent[] = {1, 0, 1};
    EVP_PKEY *pkey = NULL;
    BIGNUM *n = NULL;
    EVP_PKEY_CTX *generator =
        EVP_PKEY_CTX_new_from_name(library->context, "RSA", library->properties);
    if (generator == NULL || EVP_PKEY_keygen_init(generator) != 1) goto done;
    // The public exponent is 65537 by default.
    if (EVP_PKEY_CTX_set_rsa_keygen_bits(generator, (int)bits) != 1) goto done;
    if (EVP_PKEY_generate(generator, &pkey) != 1) goto done;
    if (EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &n) != 1) goto done;
    if (BN_num_bits(n) != (int)bits || BN_bn2binpad(n, modulus, (int)bits / 8) != (int)bits / 8)
        goto done;
    *key = jose_rsa_adopt(library, pkey, true, bits, (jose_number){modulus, bits / 8},
                          (jose_number){exponent, sizeof exponent});
    pkey = NULL;
    if (*key != NULL) status = JOSE_OK;

done:
    BN_free(n);
    EVP_PKEY_free(pkey);
    EVP_PKEY_CTX_free(generator);
    return status;
}

jose_status jose_rsa_generate(jose_key **key, jose_module module, uint32_t bits)
{
    *key = NULL;
    if (bits < 2048 || bits > 8192 || bits % 8 != 0) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_of(module);
    return library == NULL ? JOSE_INTERNAL : generate(key, library, bits);
}

// MARK: export

// Reads a private member, or only its size if out is NULL. Returns 0 on failure.
static size_t read_part(const jose_key *key, jose_rsa_part part, uint8_t *out, size_t out_len)
{
    if (key->type != JOSE_KEY_RSA || !key->is_private) return 0;
    BIGNUM *number = NULL;
    size_t size = 0;
    // Without memory for its list of primes, libcrypto returns another prime and an error entry.
    if (EVP_PKEY_get_bn_param(key->pkey, part_names[part], &number) == 1 &&
        !jose_take_system_failure()) {
        size = (size_t)BN_num_bytes(number);
        if (out != NULL &&
            (size != out_len || BN_bn2binpad(number, out, (int)out_len) != (int)out_len))
            size = 0;
    }
    BN_clear_free(number);
    return size;
}

size_t jose_rsa_part_bytes(const jose_key *key, jose_rsa_part part)
{
    JOSE_HOST_SCOPE;
    return read_part(key, part, NULL, 0);
}

jose_status jose_rsa_part_write(const jose_key *key, jose_rsa_part part, uint8_t *out,
                                size_t out_len)
{
    if (out == NULL || out_len == 0) return JOSE_INTERNAL;
    JOSE_HOST_SCOPE;
    bool done = read_part(key, part, out, out_len) == out_len;
    if (!done) OPENSSL_cleanse(out, out_len);
    return done ? JOSE_OK : JOSE_INTERNAL;
}

// MARK: a copy for another library context

jose_status jose_rsa_copy_private(jose_key **made, const jose_library *library, const jose_key *key)
{
    *made = NULL;
    const jose_number n = jose_key_number(key, 0), e = jose_key_number(key, 1);
    const size_t size = n.len;
    uint8_t *buffer = OPENSSL_malloc(JOSE_RSA_PARTS * size);
    if (buffer == NULL) return JOSE_INTERNAL;
    jose_number parts[JOSE_RSA_PARTS];
    jose_status status = JOSE_OK;
    for (int i = 0; i < JOSE_RSA_PARTS; i++) {
        uint8_t *part = buffer + (size_t)i * size;
        parts[i] = (jose_number){part, read_part(key, (jose_rsa_part)i, NULL, 0)};
        if (parts[i].len == 0 || parts[i].len > size ||
            read_part(key, (jose_rsa_part)i, part, parts[i].len) != parts[i].len)
            status = JOSE_INTERNAL;
    }
    jose_rsa_numbers public;
    jose_rsa_public_numbers(&public, n, e);
    if (status == JOSE_OK) status = import(made, library, key->bits, &public, n, e, parts);
    OPENSSL_clear_free(buffer, JOSE_RSA_PARTS * size);
    return status;
}
