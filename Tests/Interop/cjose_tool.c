// A foreign implementation in C with libcjose: signs, verifies, encrypts and decrypts, one request
// per line.
//
// Request: OP KEY [ARGUMENT], fields separated by one space, KEY a file that holds one JWK,
// ARGUMENT a compact token or base64url bytes ("-" for none). Response: "ok RESULT" or "error
// MESSAGE".
//   new BITS       a new RSA key (KEY is written with it), result its public JWK
//   sign, verify       RS256
//   encrypt, decrypt   RSA-OAEP with A128CBC-HS256; nest encrypts with the header member cty JWT;
//   encrypt:ALG:ENC
//                      encrypts with other algorithms

#include <cjose/cjose.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cjose_err err;

// The key of a file, cached for later requests.
static cjose_jwk_t *key_of(const char *path)
{
    static char kept_path[4096];
    static cjose_jwk_t *kept;
    if (kept && strcmp(path, kept_path) == 0)
        return kept;
    static char text[65536];
    FILE *file = fopen(path, "r");
    if (!file || strlen(path) >= sizeof kept_path)
        return NULL;
    size_t count = fread(text, 1, sizeof text, file);
    fclose(file);
    cjose_jwk_release(kept);
    kept = cjose_jwk_import(text, count, &err);
    strcpy(kept_path, path);
    return kept;
}

static char *new_key(const char *path, const char *bits)
{
    cjose_jwk_t *key = cjose_jwk_create_RSA_random(strtoul(bits, NULL, 10), NULL, 0, &err);
    char *private = key ? cjose_jwk_to_json(key, true, &err) : NULL;
    char *public = key ? cjose_jwk_to_json(key, false, &err) : NULL;
    FILE *file = private ? fopen(path, "w") : NULL;
    if (!file)
        return NULL;
    fputs(private, file);
    return fclose(file) == 0 ? public : NULL;
}

static char *encoded(const uint8_t *bytes, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    if (count == 0)
        return strdup("");
    return cjose_base64url_encode(bytes, count, &text, &length, &err) ? text : NULL;
}

static cjose_header_t *header_with(const char *alg, const char *enc)
{
    cjose_header_t *header = cjose_header_new(&err);
    if (!header || !cjose_header_set(header, CJOSE_HDR_ALG, alg, &err))
        return NULL;
    return enc && !cjose_header_set(header, CJOSE_HDR_ENC, enc, &err) ? NULL : header;
}

static char *sign(const cjose_jwk_t *key, const uint8_t *payload, size_t count)
{
    cjose_header_t *header = header_with(CJOSE_HDR_ALG_RS256, NULL);
    cjose_jws_t *jws = header ? cjose_jws_sign(key, header, payload, count, &err) : NULL;
    const char *text = NULL;
    char *result = jws && cjose_jws_export(jws, &text, &err) ? strdup(text) : NULL;
    cjose_jws_release(jws);
    cjose_header_release(header);
    return result;
}

static char *verify(const cjose_jwk_t *key, const char *token)
{
    cjose_jws_t *jws = cjose_jws_import(token, strlen(token), &err);
    uint8_t *payload = NULL;
    size_t count = 0;
    char *result = NULL;
    if (jws && cjose_jws_verify(jws, key, &err) &&
        cjose_jws_get_plaintext(jws, &payload, &count, &err))
        result = encoded(payload, count);
    cjose_jws_release(jws);
    return result;
}

// names is ":ALG:ENC", or empty.
static char *encrypt(const cjose_jwk_t *key, const uint8_t *payload, size_t count, bool nested,
                     const char *names)
{
    char alg[32] = "RSA-OAEP", enc[32] = "A128CBC-HS256";
    if (*names && sscanf(names, ":%31[^:]:%31s", alg, enc) != 2)
        return NULL;
    cjose_header_t *header = header_with(alg, enc);
    if (header && nested && !cjose_header_set(header, CJOSE_HDR_CTY, "JWT", &err))
        return NULL;
    cjose_jwe_t *jwe = header ? cjose_jwe_encrypt(key, header, payload, count, &err) : NULL;
    char *result = jwe ? cjose_jwe_export(jwe, &err) : NULL;
    cjose_jwe_release(jwe);
    cjose_header_release(header);
    return result;
}

static char *decrypt(const cjose_jwk_t *key, const char *token)
{
    cjose_jwe_t *jwe = cjose_jwe_import(token, strlen(token), &err);
    size_t count = 0;
    uint8_t *payload = jwe ? cjose_jwe_decrypt(jwe, key, &count, &err) : NULL;
    char *result = payload ? encoded(payload, count) : NULL;
    free(payload);
    cjose_jwe_release(jwe);
    return result;
}

static char *answer(const char *op, const char *path, const char *argument)
{
    if (strcmp(op, "new") == 0)
        return new_key(path, argument);
    cjose_jwk_t *key = key_of(path);
    if (!key)
        return NULL;
    if (strcmp(op, "verify") == 0)
        return verify(key, argument);
    if (strcmp(op, "decrypt") == 0)
        return decrypt(key, argument);
    uint8_t *payload = NULL;
    size_t count = 0;
    if (strcmp(argument, "-") == 0)
        payload = calloc(1, 1);
    else if (!cjose_base64url_decode(argument, strlen(argument), &payload, &count, &err))
        return NULL;
    char *result = NULL;
    if (strcmp(op, "sign") == 0)
        result = sign(key, payload, count);
    else if (strcmp(op, "nest") == 0)
        result = encrypt(key, payload, count, true, "");
    else if (strncmp(op, "encrypt", 7) == 0)
        result = encrypt(key, payload, count, false, op + 7);
    free(payload);
    return result;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = 0;
        char *rest = line;
        const char *op = strsep(&rest, " ");
        const char *path = strsep(&rest, " ");
        memset(&err, 0, sizeof err);
        char *result = path ? answer(op, path, rest ? rest : "-") : NULL;
        if (result)
            printf("ok %s\n", result);
        else
            printf("error %s\n", err.message ? err.message : "no result");
        fflush(stdout);
        free(result);
    }
    free(line);
    return 0;
}
