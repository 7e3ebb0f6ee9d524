// rhonabwy over GnuTLS. Keys stay JWK objects: it turns them into GnuTLS keys in every call.

#include "worker.h"

#include <rhonabwy.h>

static jwk_t *signing, *verifying, *encrypting, *decrypting;
static input claims_text, small, large, jws, jwe_small, jwe_large, nested, key_set;

static jwk_t *key(const char *name)
{
    input text = input_read(name);
    jwk_t *made = NULL;
    if (r_jwk_init(&made) != RHN_OK || r_jwk_import_from_json_str(made, text.bytes) != RHN_OK)
        exit(1);
    return made;
}

static bool verify(void)
{
    size_t count = 0;
    jws_t *read = NULL;
    const bool good = r_jws_init(&read) == RHN_OK &&
                      r_jws_compact_parsen(read, jws.bytes, jws.count, 0) == RHN_OK &&
                      r_jws_get_alg(read) == R_JWA_ALG_RS256 &&
                      r_jws_verify_signature(read, verifying, 0) == RHN_OK &&
                      r_jws_get_payload(read, &count) != NULL;
    r_jws_free(read);
    return good;
}

static bool claims_hold(jwt_t *read)
{
    return r_jwt_validate_claims(read, R_JWT_CLAIM_ISS, ISSUER, R_JWT_CLAIM_AUD, AUDIENCE,
                                 R_JWT_CLAIM_EXP, R_JWT_CLAIM_NOW, R_JWT_CLAIM_NOP) == RHN_OK;
}

static bool claims(void)
{
    jwt_t *read = NULL;
    const bool good = r_jwt_init(&read) == RHN_OK &&
                      r_jwt_parsen(read, jws.bytes, jws.count, 0) == RHN_OK &&
                      r_jwt_get_sign_alg(read) == R_JWA_ALG_RS256 &&
                      r_jwt_verify_signature(read, verifying, 0) == RHN_OK && claims_hold(read);
    r_jwt_free(read);
    return good;
}

static char *signed_text(void)
{
    jws_t *made = NULL;
    char *text = NULL;
    if (r_jws_init(&made) == RHN_OK && r_jws_set_alg(made, R_JWA_ALG_RS256) == RHN_OK &&
        r_jws_set_header_str_value(made, "kid", PICKED) == RHN_OK &&
        r_jws_set_payload(made, (const unsigned char *)claims_text.bytes, claims_text.count) ==
            RHN_OK) {
        text = r_jws_serialize(made, signing, 0);
    }
    r_jws_free(made);
    return text;
}

static bool sign(void)
{
    char *text = signed_text();
    const bool good = text != NULL;
    r_free(text);
    return good;
}

static bool encrypted(const char *payload, size_t count, const char *cty)
{
    jwe_t *made = NULL;
    char *text = NULL;
    if (r_jwe_init(&made) == RHN_OK && r_jwe_set_alg(made, R_JWA_ALG_RSA_OAEP) == RHN_OK && r_jwe_set_enc(made, R_JWA_ENC_A128CBC) == RHN_OK && r_jwe_set_header_str_value(made, "kid", "enc-2048") == RHN_OK && (cty == NULL || r_jwe_set_header_str_value(made, "cty", cty) == RHN_OK) && r_jwe_set_payload(made, (const unsigned char *)payload, count) == RHN_OK) {
        text = r_jwe_serialize(made, encrypting, 0);
    }
    const bool good = text != NULL;
    r_free(text);
    r_jwe_free(made);
    return good;
}

static bool encrypt_small(void)
{
    return encrypted(small.bytes, small.count, NULL);
}
static bool encrypt_large(void)
{
    return encrypted(large.bytes, large.count, NULL);
}

static bool decrypted_to(const input *token, const input *expected)
{
    jwe_t *read = NULL;
    size_t count = 0;
    const unsigned char *payload = NULL;
    if (r_jwe_init(&read) == RHN_OK &&
        r_jwe_compact_parsen(read, token->bytes, token->count, 0) == RHN_OK &&
        r_jwe_decrypt(read, decrypting, 0) == RHN_OK) {
        payload = r_jwe_get_payload(read, &count);
    }
    // It leaves a whole block of padding on where the payload fills its last block.
    const bool good = payload != NULL && count >= expected->count &&
                      memcmp(payload, expected->bytes, expected->count) == 0;
    r_jwe_free(read);
    return good;
}

static bool decrypt_small(void)
{
    return decrypted_to(&jwe_small, &small);
}
static bool decrypt_large(void)
{
    return decrypted_to(&jwe_large, &large);
}

static bool nested_make(void)
{
    char *inner = signed_text();
    const bool good = inner != NULL && encrypted(inner, strlen(inner), "JWT");
    r_free(inner);
    return good;
}

static bool nested_open(void)
{
    jwt_t *read = NULL;
    const bool good =
        r_jwt_init(&read) == RHN_OK &&
        r_jwt_parsen(read, nested.bytes, nested.count, 0) == RHN_OK &&
        r_jwt_decrypt_verify_signature_nested(read, verifying, 0, decrypting, 0) == RHN_OK &&
        claims_hold(read);
    r_jwt_free(read);
    return good;
}

static bool set_pick(void)
{
    jwks_t *set = NULL;
    jwk_t *found = NULL;
    if (r_jwks_init(&set) == RHN_OK && r_jwks_import_from_json_str(set, key_set.bytes) == RHN_OK) {
        found = r_jwks_get_by_kid(set, PICKED);
    }
    const bool good = found != NULL;
    r_jwk_free(found);
    r_jwks_free(set);
    return good;
}

int main(int count, char **words)
{
    if (count != 2 || r_global_init() != RHN_OK) return 1;
    input_folder = words[1];
    signing = key("sig-private.json"), verifying = key("sig-public.json");
    encrypting = key("enc-public.json"), decrypting = key("enc-private.json");
    claims_text = input_read("claims.json"), key_set = input_read("jwks10.json");
    small = input_read("payload-600.txt"), large = input_read("payload-65536.txt");
    jws = input_read("jws.txt"), nested = input_read("nested.txt");
    jwe_small = input_read("jwe-600.txt"), jwe_large = input_read("jwe-65536.txt");
    const operation operations[] = {
        {"verify", verify}, {"claims", claims}, {"sign", sign}, {"encrypt-600", encrypt_small}, {"encrypt-64k", encrypt_large}, {"decrypt-600", decrypt_small}, {"decrypt-64k", decrypt_large}, {"nested-make", nested_make}, {"nested-open", nested_open}, {"set-pick", set_pick}, {NULL, NULL}};
    return worker_serve("rhonabwy", RHONABWY_VERSION_STR, operations);
}
