// concat.c: the Concat KDF with SHA-256 (NIST SP 800-56A section 5.8.1; RFC 7518 section 4.6.2).

#include "concat.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <string.h>

#include "runtime/digest.h"

enum { HASH = 32,
       MAX_KEY = 2 * HASH,
       PIECES = 9 };

static void put(uint8_t out[4], size_t number)
{
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void hash_directly(uint8_t *out, const jose_number *pieces)
{
    const jose_digest_entry *sha256 = jose_digest_entry_of(JOSE_SHA256);
    jose_digest_state state;
    sha256->start(&state);
    for (int i = 0; i < PIECES; i++) sha256->update(&state, pieces[i].bytes, pieces[i].len);
    sha256->finish(out, &state);
    OPENSSL_cleanse(&state, sizeof state);
}

// The provider's one-step KDF (SP 800-56C section 4) hashes a counter, the secret and the pieces
// after it, in that order.
static bool derive_by_provider(const jose_library *library, uint8_t *out, size_t out_len,
                               const jose_number *pieces)
{
    const jose_number secret = pieces[1];
    size_t info_len = 0;
    for (int i = 2; i < PIECES; i++) info_len += pieces[i].len;
    uint8_t *info = OPENSSL_malloc(info_len), *next = info;
    if (info == NULL) return false;
    for (int i = 2; i < PIECES; i++) {
        if (pieces[i].len > 0) memcpy(next, pieces[i].bytes, pieces[i].len);
        next += pieces[i].len;
    }
    const char *digest = jose_digest_entry_of(JOSE_SHA256)->name;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_PROPERTIES, (char *)library->properties, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret.bytes, secret.len),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info, info_len),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(library->one_step);
    const bool done = context != NULL && EVP_KDF_derive(context, out, out_len, params) == 1;
    EVP_KDF_CTX_free(context);
    OPENSSL_free(info);
    return done;
}

bool jose_concat_derive(const jose_library *library, jose_options options, uint8_t *out,
                        size_t out_len, const uint8_t *secret, size_t secret_len,
                        const char *algorithm, const jose_recipient *recipient)
{
    uint8_t counter[4], name_len[4], u_len[4], v_len[4], bits[4], hash[MAX_KEY];
    if (out_len > MAX_KEY || recipient->party_u_len > UINT32_MAX ||
        recipient->party_v_len > UINT32_MAX)
        return false;
    put(name_len, strlen(algorithm));
    put(u_len, recipient->party_u_len);
    put(v_len, recipient->party_v_len);
    put(bits, out_len * 8);
    const jose_number pieces[PIECES] = {
        {counter, sizeof counter},
        {secret, secret_len},
        {name_len, sizeof name_len},
        {(const uint8_t *)algorithm, strlen(algorithm)},
        {u_len, sizeof u_len},
        {recipient->party_u, recipient->party_u_len},
        {v_len, sizeof v_len},
        {recipient->party_v, recipient->party_v_len},
        {bits, sizeof bits},
    };
    if (library->is_fips) return derive_by_provider(library, out, out_len, pieces);
    bool done = true;
    for (size_t round = 0; round * HASH < out_len && done; round++) {
        put(counter, round + 1);
        if (options & JOSE_PROVIDER_ONLY)
            done = jose_library_digest(library, JOSE_SHA256, hash + round * HASH, pieces, PIECES);
        else
            hash_directly(hash + round * HASH, pieces);
    }
    if (done) memcpy(out, hash, out_len);
    OPENSSL_cleanse(hash, sizeof hash);
    return done;
}
