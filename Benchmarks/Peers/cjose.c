// cjose with prepared keys. It reads no claims and no key sets: jansson, which it stands on, does.

#include "worker.h"

#include <cjose/cjose.h>
#include <jansson.h>

static cjose_err fault;
static cjose_jwk_t *signing, *verifying, *encrypting, *decrypting;
static cjose_header_t *signed_header, *sealed_header, *nested_header;
static input claims_text, small, large, jws, jwe_small, jwe_large, nested, key_set;

static cjose_jwk_t *key(const char *name)
{
    input text = input_read(name);
    cjose_jwk_t *made = cjose_jwk_import(text.bytes, text.count, &fault);
    if (made == NULL) exit(1);
    return made;
}

static cjose_header_t *header(const char *alg, const char *enc, const char *kid, const char *cty)
{
    cjose_header_t *made = cjose_header_new(&fault);
    cjose_header_set(made, CJOSE_HDR_ALG, alg, &fault);
    if (enc != NULL) cjose_header_set(made, CJOSE_HDR_ENC, enc, &fault);
    cjose_header_set(made, CJOSE_HDR_KID, kid, &fault);
    if (cty != NULL) cjose_header_set(made, CJOSE_HDR_CTY, cty, &fault);
    return made;
}

static bool claims_hold(const char *text, size_t count)
{
    json_t *claims = json_loadb(text, count, JSON_REJECT_DUPLICATES, NULL);
    const char *issuer = json_string_value(json_object_get(claims, "iss"));
    const char *audience = json_string_value(json_object_get(claims, "aud"));
    const bool good = issuer != NULL && strcmp(issuer, ISSUER) == 0 && audience != NULL && strcmp(audience, AUDIENCE) == 0 && json_integer_value(json_object_get(claims, "exp")) > time(NULL);
    json_decref(claims);
    return good;
}

static bool verified(const char *token, size_t count, bool with_claims)
{
    uint8_t *payload = NULL;
    size_t payload_count = 0;
    cjose_jws_t *read = cjose_jws_import(token, count, &fault);
    bool good = read != NULL && cjose_jws_verify(read, verifying, &fault) && cjose_jws_get_plaintext(read, &payload, &payload_count, &fault);
    if (good && with_claims) good = claims_hold((const char *)payload, payload_count);
    cjose_jws_release(read);
    return good;
}

static bool verify(void)
{
    return verified(jws.bytes, jws.count, false);
}
static bool claims(void)
{
    return verified(jws.bytes, jws.count, true);
}

static cjose_jws_t *made_jws(const char **text)
{
    cjose_jws_t *made = cjose_jws_sign(
        signing, signed_header, (const uint8_t *)claims_text.bytes, claims_text.count, &fault);
    if (made == NULL || !cjose_jws_export(made, text, &fault)) return NULL;
    return made;
}

static bool sign(void)
{
    const char *text;
    cjose_jws_t *made = made_jws(&text);
    if (made == NULL) return false;
    cjose_jws_release(made);
    return true;
}

static bool encrypted(const char *payload, size_t count, cjose_header_t *with)
{
    cjose_jwe_t *made =
        cjose_jwe_encrypt(encrypting, with, (const uint8_t *)payload, count, &fault);
    char *text = made == NULL ? NULL : cjose_jwe_export(made, &fault);
    const bool good = text != NULL;
    cjose_get_dealloc()(text);
    cjose_jwe_release(made);
    return good;
}

static bool encrypt_small(void)
{
    return encrypted(small.bytes, small.count, sealed_header);
}
static bool encrypt_large(void)
{
    return encrypted(large.bytes, large.count, sealed_header);
}

static uint8_t *decrypted(const input *token, size_t *count)
{
    cjose_jwe_t *read = cjose_jwe_import(token->bytes, token->count, &fault);
    uint8_t *payload = read == NULL ? NULL : cjose_jwe_decrypt(read, decrypting, count, &fault);
    cjose_jwe_release(read);
    return payload;
}

static bool decrypted_to(const input *token, const input *expected)
{
    size_t count = 0;
    uint8_t *payload = decrypted(token, &count);
    const bool good = payload != NULL && count == expected->count && memcmp(payload, expected->bytes, count) == 0;
    cjose_get_dealloc()(payload);
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
    const char *text;
    cjose_jws_t *made = made_jws(&text);
    if (made == NULL) return false;
    const bool good = encrypted(text, strlen(text), nested_header);
    cjose_jws_release(made);
    return good;
}

static bool nested_open(void)
{
    size_t count = 0;
    uint8_t *inner = decrypted(&nested, &count);
    const bool good = inner != NULL && verified((const char *)inner, count, true);
    cjose_get_dealloc()(inner);
    return good;
}

static bool set_pick(void)
{
    json_t *set = json_loadb(key_set.bytes, key_set.count, JSON_REJECT_DUPLICATES, NULL);
    cjose_jwk_t *found = NULL;
    size_t index;
    json_t *one;
    json_array_foreach(json_object_get(set, "keys"), index, one)
    {
        const char *kid = json_string_value(json_object_get(one, "kid"));
        if (kid == NULL || strcmp(kid, PICKED) != 0) continue;
        found = cjose_jwk_import_json((cjose_header_t *)one, &fault);
        break;
    }
    json_decref(set);
    const bool good = found != NULL;
    cjose_jwk_release(found);
    return good;
}

int main(int count, char **words)
{
    if (count != 2) return 1;
    input_folder = words[1];
    signing = key("sig-private.json"), verifying = key("sig-public.json");
    encrypting = key("enc-public.json"), decrypting = key("enc-private.json");
    signed_header = header("RS256", NULL, PICKED, NULL);
    sealed_header = header("RSA-OAEP", "A128CBC-HS256", "enc-2048", NULL);
    nested_header = header("RSA-OAEP", "A128CBC-HS256", "enc-2048", "JWT");
    claims_text = input_read("claims.json"), key_set = input_read("jwks10.json");
    small = input_read("payload-600.txt"), large = input_read("payload-65536.txt");
    jws = input_read("jws.txt"), nested = input_read("nested.txt");
    jwe_small = input_read("jwe-600.txt"), jwe_large = input_read("jwe-65536.txt");
    const operation operations[] = {
        {"verify", verify}, {"claims", claims}, {"sign", sign}, {"encrypt-600", encrypt_small}, {"encrypt-64k", encrypt_large}, {"decrypt-600", decrypt_small}, {"decrypt-64k", decrypt_large}, {"nested-make", nested_make}, {"nested-open", nested_open}, {"set-pick", set_pick}, {NULL, NULL}};
    return worker_serve("cjose", cjose_version(), operations);
}
