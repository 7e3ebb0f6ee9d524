// objects.c: finds, reads and makes objects of a token.
#include "module.h"

#include <string.h>

#define MAX_OBJECTS 256
// PKCS #11 3.1 section 6.3; the pkcs11.h of version 2.40 lacks these names.
#define CKK_EC_MONTGOMERY (0x41UL)
#define CKM_EC_MONTGOMERY_KEY_PAIR_GEN (0x1056UL)

static CK_ATTRIBUTE bytes(CK_ATTRIBUTE_TYPE type, const void *value, size_t len)
{
    return (CK_ATTRIBUTE){type, (void *)value, len};
}

static CK_OBJECT_CLASS class_of(jose_p11_kind kind)
{
    switch (kind) {
    case JOSE_P11_CERTIFICATE: return CKO_CERTIFICATE;
    case JOSE_P11_PUBLIC_KEY: return CKO_PUBLIC_KEY;
    case JOSE_P11_PRIVATE_KEY: return CKO_PRIVATE_KEY;
    }
    return CKO_VENDOR_DEFINED;
}

jose_p11_status jose_p11_find(const jose_p11 *module, uint64_t session, uint64_t *objects,
                              size_t capacity, size_t *count, jose_p11_kind kind, const uint8_t *id,
                              size_t id_len, const uint8_t *label, size_t label_len)
{
    *count = 0;
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    if (capacity >= MAX_OBJECTS) return JOSE_P11_FAILED;
    CK_OBJECT_CLASS class = class_of(kind);
    CK_ATTRIBUTE wanted[3];
    CK_ULONG used = 0;
    wanted[used++] = bytes(CKA_CLASS, &class, sizeof class);
    if (id != NULL) wanted[used++] = bytes(CKA_ID, id, id_len);
    if (label != NULL) wanted[used++] = bytes(CKA_LABEL, label, label_len);
    CK_SESSION_HANDLE handle = (CK_SESSION_HANDLE)session;
    CK_RV rv = module->calls->C_FindObjectsInit(handle, wanted, used);
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
    CK_OBJECT_HANDLE found[MAX_OBJECTS];
    CK_ULONG got = 0;
    size_t have = 0;
    // Requests one handle more than fits, to detect an excess. A module may return fewer handles
    // than requested, but none only at the end.
    while (have <= capacity) {
        CK_ULONG left = capacity + 1 - have;
        got = 0;
        rv = module->calls->C_FindObjects(handle, found + have, left, &got);
        if (rv != CKR_OK || got == 0 || got > left) break;
        have += got;
    }
    bool is_inconsistent = rv == CKR_OK && have <= capacity && got != 0;
    CK_RV ended = module->calls->C_FindObjectsFinal(handle);
    if (rv == CKR_OK) rv = ended;
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
    if (is_inconsistent) return JOSE_P11_FAILED;
    if (have > capacity) return JOSE_P11_TOO_LONG;
    for (size_t i = 0; i < have; i++) objects[i] = found[i];
    *count = have;
    return JOSE_P11_OK;
}

static CK_ATTRIBUTE_TYPE type_of(jose_p11_attribute attribute)
{
    switch (attribute) {
    case JOSE_P11_ID: return CKA_ID;
    case JOSE_P11_LABEL: return CKA_LABEL;
    case JOSE_P11_KEY_TYPE: return CKA_KEY_TYPE;
    case JOSE_P11_SIGNS: return CKA_SIGN;
    case JOSE_P11_DECRYPTS: return CKA_DECRYPT;
    case JOSE_P11_DERIVES: return CKA_DERIVE;
    case JOSE_P11_ALWAYS_AUTHENTICATE: return CKA_ALWAYS_AUTHENTICATE;
    case JOSE_P11_MODULUS: return CKA_MODULUS;
    case JOSE_P11_EXPONENT: return CKA_PUBLIC_EXPONENT;
    case JOSE_P11_EC_PARAMS: return CKA_EC_PARAMS;
    case JOSE_P11_EC_POINT: return CKA_EC_POINT;
    case JOSE_P11_VALUE: return CKA_VALUE;
    }
    return CKA_VENDOR_DEFINED;
}

static uint8_t key_type_of(CK_KEY_TYPE type)
{
    switch (type) {
    case CKK_RSA: return JOSE_P11_RSA;
    case CKK_EC: return JOSE_P11_EC;
    case CKK_EC_EDWARDS: return JOSE_P11_EDWARDS;
    case CKK_EC_MONTGOMERY: return JOSE_P11_MONTGOMERY;
    default: return JOSE_P11_OTHER_KEY;
    }
}

// Reads an attribute with one call, without a first call for the length.
static jose_p11_status read_value(const jose_p11 *module, uint64_t session, void *out,
                                  size_t capacity, size_t *len, uint64_t object,
                                  CK_ATTRIBUTE_TYPE type)
{
    CK_ATTRIBUTE attribute = {type, out, capacity};
    CK_RV rv = module->calls->C_GetAttributeValue((CK_SESSION_HANDLE)session,
                                                  (CK_OBJECT_HANDLE)object, &attribute, 1);
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
    if (attribute.ulValueLen == (CK_ULONG)-1) return JOSE_P11_ABSENT;
    if (attribute.ulValueLen > capacity) return JOSE_P11_FAILED;
    *len = attribute.ulValueLen;
    return JOSE_P11_OK;
}

jose_p11_status jose_p11_read(const jose_p11 *module, uint64_t session, uint8_t *out,
                              size_t capacity, size_t *len, uint64_t object,
                              jose_p11_attribute attribute)
{
    *len = 0;
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    if (attribute != JOSE_P11_KEY_TYPE)
        return read_value(module, session, out, capacity, len, object, type_of(attribute));
    CK_KEY_TYPE type = 0;
    size_t size = 0;
    jose_p11_status status =
        read_value(module, session, &type, sizeof type, &size, object, CKA_KEY_TYPE);
    if (status != JOSE_P11_OK) return status;
    if (size != sizeof type || capacity < 1) return JOSE_P11_FAILED;
    out[0] = key_type_of(type);
    *len = 1;
    return JOSE_P11_OK;
}

static CK_MECHANISM_TYPE generation_of(jose_p11_key_type type)
{
    switch (type) {
    case JOSE_P11_RSA: return CKM_RSA_PKCS_KEY_PAIR_GEN;
    case JOSE_P11_EC: return CKM_EC_KEY_PAIR_GEN;
    case JOSE_P11_EDWARDS: return CKM_EC_EDWARDS_KEY_PAIR_GEN;
    case JOSE_P11_MONTGOMERY: return CKM_EC_MONTGOMERY_KEY_PAIR_GEN;
    case JOSE_P11_OTHER_KEY: break;
    }
    return CKM_VENDOR_DEFINED;
}

jose_p11_status jose_p11_make_pair(const jose_p11 *module, uint64_t session, uint64_t made[2],
                                   const jose_p11_pair *pair)
{
    made[0] = made[1] = 0;
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ULONG bits = pair->rsa_bits;
    static const uint8_t exponent[] = {1, 0, 1};
    const bool is_rsa = pair->type == JOSE_P11_RSA;
    const CK_ATTRIBUTE id = bytes(CKA_ID, pair->id, pair->id_len);
    const CK_ATTRIBUTE label = bytes(CKA_LABEL, pair->label, pair->label_len);
    const CK_ATTRIBUTE token = bytes(CKA_TOKEN, &yes, sizeof yes);

    CK_ATTRIBUTE public[8] = {token, id, label};
    CK_ULONG public_used = 3;
    if (is_rsa) {
        public[public_used++] = bytes(CKA_MODULUS_BITS, &bits, sizeof bits);
        public[public_used++] = bytes(CKA_PUBLIC_EXPONENT, exponent, sizeof exponent);
    } else {
        public[public_used++] = bytes(CKA_EC_PARAMS, pair->params, pair->params_len);
    }
    if (pair->signs) {
        public[public_used++] = bytes(CKA_VERIFY, &yes, sizeof yes);
    } else if (is_rsa) {
        public[public_used++] = bytes(CKA_ENCRYPT, &yes, sizeof yes);
    }

    CK_ATTRIBUTE private[12] = {token, id, label};
    CK_ULONG private_used = 3;
    private[private_used++] = bytes(CKA_PRIVATE, &yes, sizeof yes);
    private[private_used++] = bytes(CKA_SENSITIVE, &yes, sizeof yes);
    private[private_used++] = bytes(CKA_EXTRACTABLE, &no, sizeof no);
    private[private_used++] = bytes(CKA_SIGN, pair->signs ? &yes : &no, sizeof yes);
    if (is_rsa) {
        private[private_used++] = bytes(CKA_DECRYPT, pair->signs ? &no : &yes, sizeof yes);
    } else {
        private[private_used++] = bytes(CKA_DERIVE, pair->signs ? &no : &yes, sizeof yes);
    }
    CK_MECHANISM mechanism = {generation_of(pair->type), NULL, 0};
    CK_OBJECT_HANDLE handles[2] = {0, 0};
    CK_RV rv = module->calls->C_GenerateKeyPair((CK_SESSION_HANDLE)session, &mechanism, public,
                                                public_used, private, private_used, &handles[0],
                                                &handles[1]);
    made[0] = handles[0];
    made[1] = handles[1];
    return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
}

jose_p11_status jose_p11_put_certificate(const jose_p11 *module, uint64_t session,
                                         const uint8_t *der, size_t der_len, const uint8_t *subject,
                                         size_t subject_len, const uint8_t *id, size_t id_len,
                                         const uint8_t *label, size_t label_len)
{
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_OBJECT_CLASS class = CKO_CERTIFICATE;
    CK_CERTIFICATE_TYPE type = CKC_X_509;
    CK_ATTRIBUTE made[] = {
        bytes(CKA_CLASS, &class, sizeof class),
        bytes(CKA_CERTIFICATE_TYPE, &type, sizeof type),
        bytes(CKA_TOKEN, &yes, sizeof yes),
        bytes(CKA_PRIVATE, &no, sizeof no),
        bytes(CKA_SUBJECT, subject, subject_len),
        bytes(CKA_ID, id, id_len),
        bytes(CKA_LABEL, label, label_len),
        bytes(CKA_VALUE, der, der_len),
    };
    CK_OBJECT_HANDLE object = 0;
    CK_RV rv = module->calls->C_CreateObject((CK_SESSION_HANDLE)session, made,
                                             sizeof made / sizeof *made, &object);
    return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
}

jose_p11_status jose_p11_destroy(const jose_p11 *module, uint64_t session, uint64_t object)
{
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_RV rv = module->calls->C_DestroyObject((CK_SESSION_HANDLE)session, (CK_OBJECT_HANDLE)object);
    return rv == CKR_OBJECT_HANDLE_INVALID ? JOSE_P11_OK
                                           : jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
}
