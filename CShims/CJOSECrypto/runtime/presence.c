// presence.c: checks whether libcrypto has an algorithm, and distinguishes "missing" from "could
// not check".

#include "presence.h"

#include <openssl/ec.h>
#include <openssl/kdf.h>

#include "host.h"

// Searches once, in this context.
static bool find(OSSL_LIB_CTX *context, const jose_wanted *wanted)
{
#define FETCHED(type)                                                                   \
    {                                                                                   \
        EVP_##type *found = EVP_##type##_fetch(context, wanted->name, JOSE_PROPERTIES); \
        EVP_##type##_free(found);                                                       \
        return found != NULL;                                                           \
    }
    switch (wanted->kind) {
    case JOSE_A_DIGEST: FETCHED(MD)
    case JOSE_A_CIPHER: FETCHED(CIPHER)
    case JOSE_A_MAC: FETCHED(MAC)
    case JOSE_A_KDF: FETCHED(KDF)
    case JOSE_A_GENERATOR: FETCHED(RAND)
    case JOSE_A_KEY: FETCHED(KEYMGMT)
    case JOSE_A_SIGNATURE: FETCHED(SIGNATURE)
    case JOSE_AN_EXCHANGE: FETCHED(KEYEXCH)
    case JOSE_AN_ENCRYPTION: FETCHED(ASYM_CIPHER)
    case JOSE_A_GROUP: break;
    }
    EC_GROUP *group = EC_GROUP_new_by_curve_name_ex(context, JOSE_PROPERTIES, wanted->group);
    EC_GROUP_free(group);
    return group != NULL;
}

// If memory ran out while libcrypto first read a table of its own, the context keeps the same
// result for its life. So what was not found is searched in a new context too before it counts as
// missing.
jose_status jose_presence_lost(const jose_wanted *wanted)
{
    if (!jose_host_lacks()) return JOSE_INTERNAL;
    bool lacks = false;
    OSSL_PROVIDER *provider = NULL;
    OSSL_LIB_CTX *context = OSSL_LIB_CTX_new();
    if (context != NULL) provider = OSSL_PROVIDER_load(context, "default");
    if (provider != NULL) {
        lacks = !find(context, wanted) && jose_host_lacks();
        OSSL_PROVIDER_unload(provider);
    }
    OSSL_LIB_CTX_free(context);
    return lacks ? JOSE_UNSUPPORTED : JOSE_INTERNAL;
}

jose_status jose_presence_check(OSSL_LIB_CTX *context, const jose_wanted *wanted)
{
    return find(context, wanted) ? JOSE_OK : jose_presence_lost(wanted);
}
