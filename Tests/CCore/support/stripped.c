// stripped.c: a libcrypto that does not have what JOSE_STRIPPED names, each behind a comma: preloaded before a program.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_missing(const char *name)
{
    char list[400], wanted[60];
    const char *names = getenv("JOSE_STRIPPED");
    snprintf(list, sizeof list, ",%s,", names == NULL ? "" : names);
    snprintf(wanted, sizeof wanted, ",%s,", name);
    return strstr(list, wanted) != NULL;
}

#define FETCH(type, function)                                                                    \
    type *function(OSSL_LIB_CTX *context, const char *name, const char *properties)              \
    {                                                                                            \
        type *(*real)(OSSL_LIB_CTX *, const char *, const char *) = dlsym(RTLD_NEXT, #function); \
        if (!is_missing(name)) return real(context, name, properties);                           \
        ERR_raise(ERR_LIB_EVP, ERR_R_UNSUPPORTED);                                               \
        return NULL;                                                                             \
    }

FETCH(EVP_MD, EVP_MD_fetch)
FETCH(EVP_CIPHER, EVP_CIPHER_fetch)
FETCH(EVP_MAC, EVP_MAC_fetch)
FETCH(EVP_KDF, EVP_KDF_fetch)
FETCH(EVP_KEYMGMT, EVP_KEYMGMT_fetch)
FETCH(EVP_SIGNATURE, EVP_SIGNATURE_fetch)
FETCH(EVP_KEYEXCH, EVP_KEYEXCH_fetch)
FETCH(EVP_ASYM_CIPHER, EVP_ASYM_CIPHER_fetch)

EC_GROUP *EC_GROUP_new_by_curve_name_ex(OSSL_LIB_CTX *context, const char *properties, int nid)
{
    EC_GROUP *(*real)(OSSL_LIB_CTX *, const char *, int) = dlsym(RTLD_NEXT, "EC_GROUP_new_by_curve_name_ex");
    if (!is_missing(OBJ_nid2sn(nid))) return real(context, properties, nid);
    ERR_raise(ERR_LIB_EC, EC_R_UNKNOWN_GROUP);
    return NULL;
}

const char *zlibVersion(void)
{
    const char *(*real)(void) = dlsym(RTLD_NEXT, "zlibVersion");
    return is_missing("zlib") ? "2.0.0" : real();
}
