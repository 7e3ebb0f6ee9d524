// agreement_ec.c: ECDH by EC_KEY, which is deprecated (digest.h lists such files). EVP takes two
// microseconds more.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "agreement_ec.h"

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <string.h>

#include "keys/curve.h"
#include "runtime/host.h"

enum { UNCOMPRESSED = 4,
       MAX_POINT = 1 + 2 * JOSE_MAX_COORDINATE };

struct jose_agreement_ec {
    size_t bytes;     // of a coordinate
    EC_KEY *key;      // the recipient's, or each message's ephemeral one
    EC_POINT *point;  // the peer's public point
    BN_CTX *scratch;
};

static bool set_private(EC_KEY *key, const uint8_t *scalar, size_t size)
{
    BIGNUM *number = BN_secure_new();
    bool done = number != NULL && BN_bin2bn(scalar, (int)size, number) != NULL &&
                EC_KEY_set_private_key(key, number) == 1;
    BN_clear_free(number);
    return done;
}

// libcrypto 3.0.2 leaves a removed scalar in memory, so it is overwritten in place first. The key
// belongs to this object alone.
static void clear_private(EC_KEY *key)
{
    BIGNUM *number = (BIGNUM *)EC_KEY_get0_private_key(key);
    if (number != NULL) BN_clear(number);
    // NULL removes the scalar. The function then returns 0 although it did so.
    (void)EC_KEY_set_private_key(key, NULL);
}

// Rejects coordinates that are not below p, and points off the curve.
static bool set_point(jose_agreement_ec *agreement, const uint8_t *coordinates)
{
    uint8_t point[MAX_POINT] = {UNCOMPRESSED};
    memcpy(point + 1, coordinates, 2 * agreement->bytes);
    return EC_POINT_oct2point(EC_KEY_get0_group(agreement->key), agreement->point, point,
                              1 + 2 * agreement->bytes, agreement->scratch) == 1;
}

static bool compute(jose_agreement_ec *agreement, uint8_t *shared, size_t shared_len)
{
    return ECDH_compute_key(shared, shared_len, agreement->point, agreement->key, NULL) ==
           (int)shared_len;
}

jose_agreement_ec *jose_agreement_ec_make(const jose_library *library, const jose_key *key,
                                          bool sending)
{
    const jose_curve_entry *entry = jose_curve_entry_of(key->curve);
    jose_agreement_ec *made = OPENSSL_zalloc(sizeof *made);
    if (made == NULL) return NULL;
    made->bytes = entry->bytes;
    made->key =
        EC_KEY_new_by_curve_name_ex(library->context, library->properties, entry->offer->group);
    made->scratch = BN_CTX_new_ex(library->context);
    if (made->key == NULL || made->scratch == NULL) goto fail;
    made->point = EC_POINT_new(EC_KEY_get0_group(made->key));
    if (made->point == NULL) goto fail;
    // x and y are consecutive in the key.
    if (sending ? set_point(made, key->numbers)
                : set_private(made->key, key->secret, key->secret_bytes))
        return made;

fail:
    jose_agreement_ec_free(made);
    return NULL;
}

void jose_agreement_ec_free(jose_agreement_ec *agreement)
{
    if (agreement == NULL) return;
    EC_POINT_free(agreement->point);
    EC_KEY_free(agreement->key);
    BN_CTX_free(agreement->scratch);
    OPENSSL_free(agreement);
}

static bool draw(jose_agreement_ec *agreement, uint8_t *coordinates)
{
    uint8_t point[MAX_POINT];
    size_t size = 1 + 2 * agreement->bytes;
    if (jose_host_replaced_random()) return false;  // the host's generator would draw the key
    // If memory runs out, EC_KEY_generate_key frees the point of the previous key but keeps the
    // pointer, so the point is removed first.
    (void)EC_KEY_set_public_key(agreement->key, NULL);
    if (EC_KEY_generate_key(agreement->key) != 1 ||
        EC_POINT_point2oct(EC_KEY_get0_group(agreement->key),
                           EC_KEY_get0_public_key(agreement->key), POINT_CONVERSION_UNCOMPRESSED,
                           point, sizeof point, agreement->scratch) != size)
        return false;
    memcpy(coordinates, point + 1, size - 1);
    return true;
}

bool jose_agreement_ec_send(jose_agreement_ec *agreement, const jose_key *ephemeral,
                            uint8_t *coordinates, uint8_t *shared, size_t shared_len)
{
    bool done;
    if (ephemeral == NULL) {
        done = draw(agreement, coordinates);
    } else {
        memcpy(coordinates, ephemeral->numbers, 2 * agreement->bytes);
        done = set_private(agreement->key, ephemeral->secret, ephemeral->secret_bytes);
    }
    done = done && compute(agreement, shared, shared_len);
    clear_private(agreement->key);
    return done;
}

bool jose_agreement_ec_receive(jose_agreement_ec *agreement, const uint8_t *coordinates,
                               uint8_t *shared, size_t shared_len, bool *is_point)
{
    *is_point = set_point(agreement, coordinates);
    return *is_point && compute(agreement, shared, shared_len);
}
