// pkcs12_pfx.c: ASN.1 types for the outer parts of PKCS#12 (PFX) and PKCS#7. The contents may be
// plaintext keys, which libcrypto's own types do not wipe when they reject a file.

#include <openssl/asn1t.h>
#include <openssl/crypto.h>

#include "pkcs12.h"

static void content_free(ASN1_VALUE **value, const ASN1_ITEM *item)
{
    (void)item;
    ASN1_STRING_clear_free((ASN1_STRING *)*value);
    *value = NULL;
}

static int content_read(ASN1_VALUE **value, const unsigned char *bytes, int len, int type,
                        char *is_copy, const ASN1_ITEM *item)
{
    ASN1_STRING *made = ASN1_STRING_type_new(type);
    bool done = made != NULL && ASN1_STRING_set(made, bytes, len) == 1;
    // A string in several pieces was joined in a buffer, which libcrypto frees without a wipe.
    if (*is_copy) OPENSSL_cleanse((unsigned char *)bytes, (size_t)len);
    content_free(value, item);
    if (done)
        *value = (ASN1_VALUE *)made;
    else
        ASN1_STRING_free(made);
    return done;
}

static const ASN1_PRIMITIVE_FUNCS content_functions = {
    .prim_free = content_free,
    .prim_c2i = content_read,
};

// clang-format off
static_ASN1_ITEM_start(content)
    ASN1_ITYPE_PRIMITIVE, V_ASN1_ANY, NULL, 0, &content_functions, 0, "content"
ASN1_ITEM_end(content)

ASN1_SEQUENCE(jose_pkcs12_part) = {
    ASN1_SIMPLE(jose_pkcs12_part, type, ASN1_OBJECT),
    ASN1_EXP_OPT(jose_pkcs12_part, content, content, 0)
} static_ASN1_SEQUENCE_END(jose_pkcs12_part)

ASN1_SEQUENCE(jose_pkcs12_pfx) = {
    ASN1_SIMPLE(jose_pkcs12_pfx, version, ASN1_INTEGER),
    ASN1_SIMPLE(jose_pkcs12_pfx, contents, jose_pkcs12_part),
    ASN1_OPT(jose_pkcs12_pfx, mac, PKCS12_MAC_DATA)
} ASN1_SEQUENCE_END(jose_pkcs12_pfx)

ASN1_ITEM_TEMPLATE(jose_pkcs12_safes) =
    ASN1_EX_TEMPLATE_TYPE(ASN1_TFLG_SEQUENCE_OF, 0, safes, jose_pkcs12_part)
ASN1_ITEM_TEMPLATE_END(jose_pkcs12_safes)
                                                // clang-format on
