// libjwt 1: signatures only; it takes a PEM key and reads it in every call.

#include "worker.h"

#include <jwt.h>

static input private_key, public_key, claims_text, token;

static jwt_t *decoded(void)
{
    jwt_t *read = NULL;
    if (jwt_decode(&read, token.bytes, (const unsigned char *)public_key.bytes,
                   (int)public_key.count) != 0) {
        return NULL;
    }
    return read;
}

static bool verify(void)
{
    jwt_t *read = decoded();
    const bool good = read != NULL && jwt_get_alg(read) == JWT_ALG_RS256;
    jwt_free(read);
    return good;
}

static bool claims(void)
{
    jwt_t *read = decoded();
    if (read == NULL) return false;
    const char *issuer = jwt_get_grant(read, "iss"), *audience = jwt_get_grant(read, "aud");
    const bool good = jwt_get_alg(read) == JWT_ALG_RS256 && issuer != NULL && strcmp(issuer, ISSUER) == 0 && audience != NULL && strcmp(audience, AUDIENCE) == 0 && jwt_get_grant_int(read, "exp") > time(NULL);
    jwt_free(read);
    return good;
}

static bool sign(void)
{
    jwt_t *made = NULL;
    if (jwt_new(&made) != 0) return false;
    char *text = NULL;
    if (jwt_add_grants_json(made, claims_text.bytes) == 0 &&
        jwt_add_header(made, "kid", PICKED) == 0 &&
        jwt_set_alg(made, JWT_ALG_RS256, (const unsigned char *)private_key.bytes,
                    (int)private_key.count) == 0) {
        text = jwt_encode_str(made);
    }
    const bool good = text != NULL;
    free(text);
    jwt_free(made);
    return good;
}

int main(int count, char **words)
{
    if (count != 2) return 1;
    input_folder = words[1];
    private_key = input_read("sig-private.pem"), public_key = input_read("sig-public.pem");
    claims_text = input_read("claims.json"), token = input_read("jws.txt");
    const operation operations[] = {
        {"verify", verify}, {"claims", claims}, {"sign", sign}, {NULL, NULL}};
    return worker_serve("libjwt", PEER_VERSION, operations);
}
