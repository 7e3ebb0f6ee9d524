// concat.c: the Concat KDF with SHA-256 (NIST SP 800-56A section 5.8.1; RFC 7518 section 4.6.2).

#include "concat.h"

#include <openssl/crypto.h>
#include <string.h>

#include "runtime/digest.h"

enum { HASH = 32,
       MAX_HASH = 2 * HASH,
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

static bool hash_by_provider(const jose_library *library, uint8_t *out, const jose_number *pieces)
{
    const EVP_MD *sha256 = library->digests[JOSE_SHA256];
    unsigned size = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = context != NULL && EVP_DigestInit_ex2(context, sha256, NULL) == 1 &&
                EVP_MD_CTX_get0_md(context) == sha256;  // not a host's engine
    for (int i = 0; i < PIECES && done; i++)
        done = EVP_DigestUpdate(context, pieces[i].bytes, pieces[i].len) == 1;
    done = done && EVP_DigestFinal_ex(context, out, &size) == 1 && size == HASH;
    EVP_MD_CTX_free(context);
    return done;
}

bool jose_concat_derive(const jose_library *library, jose_options options, uint8_t *out,
                        size_t out_len, const uint8_t *secret, size_t secret_len,
                        const char *algorithm, const jose_recipient *recipient)
{
    uint8_t counter[4], name_len[4], u_len[4], v_len[4], bits[4], hash[MAX_HASH];
    if (out_len > MAX_HASH || recipient->party_u_len > UINT32_MAX ||
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
    bool done = true;
    for (size_t round = 0; round * HASH < out_len && done; round++) {
        put(counter, round + 1);
        if (options & JOSE_PROVIDER_ONLY)
            done = hash_by_provider(library, hash + round * HASH, pieces);
        else
            hash_directly(hash + round * HASH, pieces);
    }
    if (done) memcpy(out, hash, out_len);
    OPENSSL_cleanse(hash, sizeof hash);
    return done;
}
