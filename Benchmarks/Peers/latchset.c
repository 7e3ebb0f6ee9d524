// latchset jose: works on JSON objects; the compact form is taken apart and put together by hand.

#include "worker.h"

#include <jose/jose.h>

static json_t *signing, *verifying;
static input claims_text, token, key_set;

static json_t *key(const char *name)
{
    input text = input_read(name);
    json_t *made = json_loads(text.bytes, 0, NULL);
    if (made == NULL) exit(1);
    return made;
}

static json_t *flattened(const char *text, size_t count)
{
    const char *first = memchr(text, '.', count);
    const char *second = first == NULL ? NULL : strchr(first + 1, '.');
    if (second == NULL) return NULL;
    return json_pack("{s:s%,s:s%,s:s%}", "protected", text, (size_t)(first - text), "payload",
                     first + 1, (size_t)(second - first - 1), "signature", second + 1,
                     (size_t)(text + count - second - 1));
}

static bool verified(bool with_claims)
{
    json_auto_t *read = flattened(token.bytes, token.count);
    if (read == NULL || !jose_jws_ver(NULL, read, NULL, verifying, false)) return false;
    const json_t *payload = json_object_get(read, "payload");
    if (!with_claims) {
        const size_t count = jose_b64_dec(payload, NULL, 0);
        char *bytes = malloc(count);
        const bool good = jose_b64_dec(payload, bytes, count) == count;
        free(bytes);
        return good;
    }
    json_auto_t *claims = jose_b64_dec_load(payload);
    const char *issuer = json_string_value(json_object_get(claims, "iss"));
    const char *audience = json_string_value(json_object_get(claims, "aud"));
    return issuer != NULL && strcmp(issuer, ISSUER) == 0 && audience != NULL && strcmp(audience, AUDIENCE) == 0 && json_integer_value(json_object_get(claims, "exp")) > time(NULL);
}

static bool verify(void)
{
    return verified(false);
}
static bool claims(void)
{
    return verified(true);
}

static bool sign(void)
{
    json_auto_t *made =
        json_pack("{s:o}", "payload", jose_b64_enc(claims_text.bytes, claims_text.count));
    json_auto_t *header =
        json_pack("{s:{s:s,s:s,s:s}}", "protected", "alg", "RS256", "kid", PICKED, "typ", "JWT");
    if (!jose_jws_sig(NULL, made, header, signing)) return false;
    const char *parts[3] = {
        json_string_value(json_object_get(made, "protected")),
        json_string_value(json_object_get(made, "payload")),
        json_string_value(json_object_get(made, "signature"))};
    char text[8192];
    return snprintf(text, sizeof text, "%s.%s.%s", parts[0], parts[1], parts[2]) > 0;
}

static bool set_pick(void)
{
    json_auto_t *set = json_loadb(key_set.bytes, key_set.count, JSON_REJECT_DUPLICATES, NULL);
    size_t index;
    json_t *one;
    json_array_foreach(json_object_get(set, "keys"), index, one)
    {
        const char *kid = json_string_value(json_object_get(one, "kid"));
        if (kid != NULL && strcmp(kid, PICKED) == 0) return true;
    }
    return false;
}

int main(int count, char **words)
{
    if (count != 2) return 1;
    input_folder = words[1];
    signing = key("sig-private.json"), verifying = key("sig-public.json");
    claims_text = input_read("claims.json"), token = input_read("jws.txt");
    key_set = input_read("jwks10.json");
    const operation operations[] = {{"verify", verify},
                                    {"claims", claims},
                                    {"sign", sign},
                                    {"set-pick", set_pick},
                                    {NULL, NULL}};
    return worker_serve("latchset-jose", PEER_VERSION, operations);
}
