// presence.c: checks whether libcrypto has an algorithm: yes, no, or unknown after a failure.

#include "presence.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>

#include "host.h"

// libcrypto's own table of groups does not show whether the provider has the group.
static bool provider_has_group(const jose_library *library, int group)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)OBJ_nid2sn(group), 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *made = NULL;
    EVP_PKEY_CTX *importer =
        EVP_PKEY_CTX_new_from_name(library->context, "EC", library->properties);
    const bool found = importer != NULL && EVP_PKEY_fromdata_init(importer) == 1 &&
                       EVP_PKEY_fromdata(importer, &made, EVP_PKEY_KEY_PARAMETERS,
                                         (OSSL_PARAM *)params) == 1;
    EVP_PKEY_free(made);
    EVP_PKEY_CTX_free(importer);
    return found;
}

static bool find(OSSL_LIB_CTX *context, const char *properties, const jose_wanted *wanted)
{
#define FETCHED(type)                                                              \
    {                                                                              \
        EVP_##type *found = EVP_##type##_fetch(context, wanted->name, properties); \
        EVP_##type##_free(found);                                                  \
        return found != NULL;                                                      \
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
    EC_GROUP *group = EC_GROUP_new_by_curve_name_ex(context, properties, wanted->group);
    EC_GROUP_free(group);
    return group != NULL;
}

// If memory ran out while libcrypto first read a table, the context keeps that result for its life.
// So an algorithm counts as missing only if a new context lacks it too.
jose_status jose_presence_of_failed_fetch(const jose_library *library, const jose_wanted *wanted)
{
    // Another context would start the FIPS provider and its self-tests again.
    if (library->is_fips) return jose_library_failed(library) ? JOSE_INTERNAL : JOSE_UNSUPPORTED;
    if (!jose_take_unsupported()) return JOSE_INTERNAL;
    bool lacks = false;
    OSSL_PROVIDER *provider = NULL;
    OSSL_LIB_CTX *context = OSSL_LIB_CTX_new();
    if (context != NULL) provider = OSSL_PROVIDER_load(context, "default");
    if (provider != NULL) {
        lacks = !find(context, library->properties, wanted) && jose_take_unsupported();
        OSSL_PROVIDER_unload(provider);
    }
    OSSL_LIB_CTX_free(context);
    return lacks ? JOSE_UNSUPPORTED : JOSE_INTERNAL;
}

jose_status jose_presence_check(const jose_library *library, const jose_wanted *wanted)
{
    const bool found = library->is_fips && wanted->kind == JOSE_A_GROUP
                           ? provider_has_group(library, wanted->group)
                           : find(library->context, library->properties, wanted);
    return found ? JOSE_OK : jose_presence_of_failed_fetch(library, wanted);
}
