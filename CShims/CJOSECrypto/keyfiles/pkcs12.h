// pkcs12.h: the items of a PKCS#12 file inside this target.
#ifndef JOSE_PKCS12_H
#define JOSE_PKCS12_H

#include "cjosecrypto.h"

typedef struct {
    uint8_t *der;  // from OpenSSL's allocator
    size_t len;
    bool is_key;
} jose_pkcs12_item_bytes;

struct jose_pkcs12 {
    size_t count;
    jose_pkcs12_item_bytes items[JOSE_PKCS12_MOST_ITEMS];
};

#endif
