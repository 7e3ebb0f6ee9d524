// pkcs12.h: the items of a PKCS#12 file, and its outer ASN.1 types.
#ifndef JOSE_PKCS12_H
#define JOSE_PKCS12_H

#include <openssl/asn1.h>
#include <openssl/pkcs12.h>

#include "cjosecrypto.h"

typedef struct {
    uint8_t *der;  // from OpenSSL's allocator
    size_t len;
    bool is_key;
    uint8_t *name;  // may be NULL
    size_t name_len;
    uint8_t *key_id;  // may be NULL
    size_t key_id_len;
} jose_pkcs12_item_bytes;

struct jose_pkcs12 {
    size_t count;
    size_t other_count;
    jose_pkcs12_item_bytes items[JOSE_PKCS12_MAX_ITEMS];
};

// ContentInfo of PKCS#7 (RFC 2315 section 7).
typedef struct {
    ASN1_OBJECT *type;
    ASN1_STRING *content;  // may be NULL; the value of an OCTET STRING, all bytes of a SEQUENCE
} jose_pkcs12_part;

typedef struct {
    ASN1_INTEGER *version;
    jose_pkcs12_part *contents;
    PKCS12_MAC_DATA *mac;  // may be NULL
} jose_pkcs12_pfx;

DEFINE_STACK_OF(jose_pkcs12_part)

// The ASN.1 types of a file and its safes, for ASN1_item_d2i. They wipe contents, also on failure.
const ASN1_ITEM *jose_pkcs12_pfx_it(void);
const ASN1_ITEM *jose_pkcs12_safes_it(void);

#endif
