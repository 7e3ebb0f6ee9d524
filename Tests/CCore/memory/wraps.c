// wraps.c: reports what is drawn, agreed, decrypted and derived inside the core.

#include "cases.h"

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

#include "cjosekernels.h"
#include "keymgmt/concat.h"
#include "runtime/password.h"
#include "runtime/random.h"
#include "wraps.h"

bool cases_watching;

// By one name and size the searcher derives what else must not stay.
static void report(const char *name, const uint8_t *bytes, size_t len)
{
    if (!cases_watching || len < 8) return;
    const bool is_aes = len == 16 || len == 24 || len == 32;
    cores_tell(is_aes ? CORES_AES_KEY : CORES_SECRET, name, bytes, len);
    if (len == 32 || len == 48 || len == 64) cores_tell(CORES_MAC_KEY, name, bytes, len / 2);
}

WRAPS(bool, jose_random_draw, (const jose_library *library, uint8_t *out, size_t out_len))
{
    const bool done = __real_jose_random_draw(library, out, out_len);
    report("drawn bytes", out, out_len);
    return done;
}

WRAPS(bool, jose_concat_derive,
      (const jose_library *library, jose_options options, uint8_t *out, size_t out_len,
       const uint8_t *secret, size_t secret_len, const char *algorithm,
       const jose_recipient *recipient))
{
    const bool done = __real_jose_concat_derive(library, options, out, out_len, secret, secret_len,
                                                algorithm, recipient);
    if (cases_watching) cores_tell(CORES_SHARED, "shared secret", secret, secret_len);
    report("derived key", out, out_len);
    return done;
}

WRAPS(bool, jose_pbkdf2,
      (const jose_library *library, const jose_digest_entry *digest, uint8_t *key, size_t key_len,
       const uint8_t *password, size_t password_len, const uint8_t *salt, size_t salt_len,
       uint32_t iteration_count))
{
    const bool done = __real_jose_pbkdf2(library, digest, key, key_len, password, password_len,
                                         salt, salt_len, iteration_count);
    report("key of a password", key, key_len);
    return done;
}

WRAPS(jose_rsa_outcome, jose_rsa_private_run,
      (const jose_rsa_private_key *key, jose_rsa_blinding *blinding, uint8_t *out,
       const uint8_t *in))
{
    const jose_rsa_outcome outcome = __real_jose_rsa_private_run(key, blinding, out, in);
    if (outcome == JOSE_RSA_DONE) report("decrypted block", out, 256);
    return outcome;
}

WRAPS(jose_rsa_lanes, jose_rsa_private_run_together,
      (const jose_rsa_private_key *const *keys, jose_rsa_blinding *const *blindings,
       uint8_t *const *out, const uint8_t *const *in))
{
    const jose_rsa_lanes lanes = __real_jose_rsa_private_run_together(keys, blindings, out, in);
    for (int i = 0; i < JOSE_RSA_PRIVATE_LANES; i++)
        if ((lanes.done >> i & 1) != 0) report("decrypted block", out[i], 256);
    return lanes;
}

WRAPS(int, EVP_PKEY_decrypt,
      (EVP_PKEY_CTX * context, unsigned char *out, size_t *len, const unsigned char *in,
       size_t in_len))
{
    const int done = __real_EVP_PKEY_decrypt(context, out, len, in, in_len);
    if (done == 1 && cases_watching) cores_tell(CORES_SECRET, "decrypted block", out, *len);
    return done;
}

WRAPS(int, EVP_PKEY_encrypt,
      (EVP_PKEY_CTX * context, unsigned char *out, size_t *len, const unsigned char *in,
       size_t in_len))
{
    if (cases_watching && out != NULL) cores_tell(CORES_SECRET, "block to encrypt", in, in_len);
    return __real_EVP_PKEY_encrypt(context, out, len, in, in_len);
}

// Ephemeral keys that libcrypto draws itself.

WRAPS(int, EC_KEY_generate_key, (EC_KEY * key))
{
    const int done = __real_EC_KEY_generate_key(key);
    uint8_t scalar[80];
    if (done == 1 && cases_watching) {
        const int len = BN_bn2bin(EC_KEY_get0_private_key(key), scalar);
        cores_tell(CORES_SECRET, "ephemeral d", scalar, (size_t)len);
        OPENSSL_cleanse(scalar, sizeof scalar);
    }
    return done;
}

// As libcrypto 3.0.2 does: setting no scalar leaves the old one in memory.
WRAPS(int, EC_KEY_set_private_key, (EC_KEY * key, const BIGNUM *number))
{
    return number == NULL ? 0 : __real_EC_KEY_set_private_key(key, number);
}

WRAPS(int, EVP_PKEY_generate, (EVP_PKEY_CTX * context, EVP_PKEY **key))
{
    const int done = __real_EVP_PKEY_generate(context, key);
    if (done != 1 || !cases_watching) return done;
    uint8_t scalar[80];
    size_t len = 0;
    BIGNUM *d = NULL;
    if (EVP_PKEY_get_bn_param(*key, OSSL_PKEY_PARAM_PRIV_KEY, &d) == 1)
        len = (size_t)BN_bn2bin(d, scalar);
    else
        need(EVP_PKEY_get_octet_string_param(*key, OSSL_PKEY_PARAM_PRIV_KEY, scalar, sizeof scalar,
                                             &len) == 1);
    cores_tell(CORES_SECRET, "ephemeral d", scalar, len);
    OPENSSL_cleanse(scalar, sizeof scalar);
    BN_clear_free(d);
    return done;
}
