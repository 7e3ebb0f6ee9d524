// key_oct.c: symmetric keys (RFC 7518 section 6.4).

#include <openssl/crypto.h>

#include "runtime/host.h"
#include "key.h"
#include "runtime/random.h"

static jose_status adopt(jose_key **key, const jose_library *library, const uint8_t *bytes,
                         size_t len)
{
    jose_key_facts facts = {
        .type = JOSE_KEY_OCT,
        .is_private = true,
        .bits = (uint32_t)len * 8,
        .secret = {bytes, len},
    };
    *key = library == NULL ? NULL : jose_key_adopt(library, NULL, &facts);
    return *key == NULL ? JOSE_INTERNAL : JOSE_OK;
}

static jose_status copy(jose_key **made, const jose_library *library, const jose_key *key)
{
    return adopt(made, library, key->secret, key->secret_bytes);
}

const jose_key_entry jose_key_symmetric = {.copy = copy};

jose_status jose_oct(jose_key **key, const uint8_t *bytes, size_t len)
{
    *key = NULL;
    if (len == 0 || len > JOSE_MAX_OCT_BYTES) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    return adopt(key, jose_library_get(), bytes, len);
}

jose_status jose_oct_generate(jose_key **key, jose_module module, size_t len)
{
    *key = NULL;
    uint8_t bytes[JOSE_MAX_GENERATED_OCT_BYTES];
    if (len == 0 || len > sizeof bytes) return JOSE_BAD_KEY;
    JOSE_HOST_SCOPE;
    const jose_library *library = jose_library_of(module);
    bool drawn = library != NULL && jose_random_draw(library, bytes, len);
    jose_status status = drawn ? adopt(key, library, bytes, len) : JOSE_INTERNAL;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return status;
}
