// stripped.c: a preloaded libcrypto without what JOSE_STRIPPED names, separated by commas. "queue"
// is another error queue. JOSE_LIBCRYPTO is the version that it reports, such as
// 3.0.2.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
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
FETCH(EVP_RAND, EVP_RAND_fetch)
FETCH(EVP_KEYMGMT, EVP_KEYMGMT_fetch)
FETCH(EVP_SIGNATURE, EVP_SIGNATURE_fetch)
FETCH(EVP_KEYEXCH, EVP_KEYEXCH_fetch)
FETCH(EVP_ASYM_CIPHER, EVP_ASYM_CIPHER_fetch)

EC_GROUP *EC_GROUP_new_by_curve_name_ex(OSSL_LIB_CTX *context, const char *properties, int nid)
{
    EC_GROUP *(*real)(OSSL_LIB_CTX *, const char *, int) =
        dlsym(RTLD_NEXT, "EC_GROUP_new_by_curve_name_ex");
    if (!is_missing(OBJ_nid2sn(nid))) return real(context, properties, nid);
    ERR_raise(ERR_LIB_EC, EC_R_UNKNOWN_GROUP);
    return NULL;
}

// A missing algorithm is still searched, so that libcrypto itself reports it.
OSSL_PROVIDER *OSSL_PROVIDER_load(OSSL_LIB_CTX *context, const char *name)
{
    OSSL_PROVIDER *(*real)(OSSL_LIB_CTX *, const char *) = dlsym(RTLD_NEXT, "OSSL_PROVIDER_load");
    return real(context, is_missing(name) ? "not there" : name);
}

unsigned long ERR_peek_error_all(const char **file, int *line, const char **func, const char **data,
                                 int *flags)
{
    unsigned long (*real)(const char **, int *, const char **, const char **, int *) =
        dlsym(RTLD_NEXT, "ERR_peek_error_all");
    const unsigned long code = real(file, line, func, data, flags);
    if (is_missing("queue")) *line += 1;
    return code;
}

// Called from 4.0 on only. The start fills the queue to see how much it holds.
int ERR_count_to_mark(void)
{
    int (*real)(void) = dlsym(RTLD_NEXT, "ERR_count_to_mark");
    const int count = real();
    return is_missing("queue") && count > 10 ? 17 : count;
}

static const char *version(void)
{
    return getenv("JOSE_LIBCRYPTO");
}

unsigned long OpenSSL_version_num(void)
{
    unsigned long (*real)(void) = dlsym(RTLD_NEXT, "OpenSSL_version_num");
    unsigned major, minor, patch;
    if (version() == NULL || sscanf(version(), "%u.%u.%u", &major, &minor, &patch) != 3)
        return real();
    return major << 28 | minor << 20 | patch << 4;
}

const char *OpenSSL_version(int type)
{
    const char *(*real)(int) = dlsym(RTLD_NEXT, "OpenSSL_version");
    return version() == NULL ? real(type) : version();
}

const char *zlibVersion(void)
{
    const char *(*real)(void) = dlsym(RTLD_NEXT, "zlibVersion");
    return is_missing("zlib") ? "2.0.0" : real();
}
