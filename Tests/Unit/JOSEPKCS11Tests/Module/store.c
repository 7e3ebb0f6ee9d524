// store.c: keeps the test token between processes, if the environment names a file for it.
#include "token.h"

#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The file, or NULL for a token in memory only.
static const char *place(void)
{
    return getenv("JOSE_TEST_TOKEN_FILE");
}

static bool is_beside(const char *path, const char *ending)
{
    char beside[4200];
    snprintf(beside, sizeof beside, "%s%s", path, ending);
    return access(beside, F_OK) == 0;
}

void load_token(void)
{
    const char *path = place();
    if (path == NULL) return;
    // Misbehaviour is set at start, since a test cannot change another process.
    const char *misbehaviour = getenv("JOSE_TEST_TOKEN_MISBEHAVIOUR");
    if (misbehaviour != NULL) token.misbehaviour = atoi(misbehaviour);
    const char *login = getenv("JOSE_TEST_TOKEN_LOGIN");
    if (login != NULL) {
        token.login_response = (CK_RV)strtoul(login, NULL, 0);
        token.login_count = 1000;
    }
    token.has_twin = getenv("JOSE_TEST_TOKEN_TWIN") != NULL;
    const char *swap = getenv("JOSE_TEST_TOKEN_SWAP");
    if (swap != NULL) token.swap_at = strtoul(swap, NULL, 0);
    token.is_removed = is_beside(path, ".removed");
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    bool good = fread(&token.tries_left, sizeof token.tries_left, 1, file) == 1 &&
                fread(&token.logins, sizeof token.logins, 1, file) == 1;
    for (size_t i = 0; good && i < MOST_OBJECTS; i++) {
        object *one = &token.objects[i];
        CK_BYTE der[16384];
        const CK_BYTE *at = der;
        long len = 0;
        if (fread(one, sizeof *one, 1, file) != 1) break;
        good = fread(&len, sizeof len, 1, file) == 1 && len <= (long)sizeof der &&
               (len == 0 || fread(der, (size_t)len, 1, file) == 1);
        one->key = len > 0 ? d2i_AutoPrivateKey(NULL, &at, len) : NULL;
    }
    fclose(file);
}

void store_token(void)
{
    const char *path = place();
    if (path == NULL) return;
    char made[4200];
    snprintf(made, sizeof made, "%s.%d", path, getpid());
    FILE *file = fopen(made, "w");
    if (file == NULL) return;
    fwrite(&token.tries_left, sizeof token.tries_left, 1, file);
    fwrite(&token.logins, sizeof token.logins, 1, file);
    for (size_t i = 0; i < MOST_OBJECTS; i++) {
        const object *one = &token.objects[i];
        if (!one->is_used || !one->is_token) continue;
        CK_BYTE *der = NULL;
        long len = one->key != NULL ? i2d_PrivateKey(one->key, &der) : 0;
        fwrite(one, sizeof *one, 1, file);
        fwrite(&len, sizeof len, 1, file);
        if (len > 0) fwrite(der, (size_t)len, 1, file);
        OPENSSL_free(der);
    }
    fclose(file);
    rename(made, path);
}
