// operations.c: signs, decrypts and agrees with a private key.
#include "module.h"

// PKCS #11 3.1 section 6.3.15; the pkcs11.h of version 2.40 lacks this type.
struct eddsa_params {
    CK_BBOOL is_prehashed;
    CK_ULONG context_len;
    CK_BYTE *context;
};

// A mechanism, and the parameters that it points to: it must not move.
typedef struct {
    CK_MECHANISM mechanism;
    union {
        struct ck_rsa_pkcs_pss_params pss;
        struct ck_rsa_pkcs_oaep_params oaep;
        struct ck_ecdh1_derive_params ecdh;
        struct eddsa_params eddsa;
    } params;
} native_mechanism;

static const struct {
    CK_MECHANISM_TYPE digest;
    CK_ULONG mask, bytes;
} hashes[] = {
    {CKM_SHA_1, CKG_MGF1_SHA1, 20},
    {CKM_SHA256, CKG_MGF1_SHA256, 32},
    {CKM_SHA384, CKG_MGF1_SHA384, 48},
    {CKM_SHA512, CKG_MGF1_SHA512, 64},
};

static CK_MECHANISM_TYPE mechanism_of(jose_p11_mechanism mechanism)
{
    switch (mechanism) {
    case JOSE_P11_SIGN_PKCS1: return CKM_RSA_PKCS;
    case JOSE_P11_SIGN_PSS: return CKM_RSA_PKCS_PSS;
    case JOSE_P11_SIGN_ECDSA: return CKM_ECDSA;
    case JOSE_P11_SIGN_ED25519:
    case JOSE_P11_SIGN_ED448: return CKM_EDDSA;
    case JOSE_P11_DECRYPT_OAEP: return CKM_RSA_PKCS_OAEP;
    case JOSE_P11_DECRYPT_RAW: return CKM_RSA_X_509;
    case JOSE_P11_AGREE: return CKM_ECDH1_DERIVE;
    }
    return CKM_VENDOR_DEFINED;
}

static void prepare(native_mechanism *made, const jose_p11_use *use)
{
    made->mechanism = (CK_MECHANISM){mechanism_of(use->mechanism), NULL, 0};
    if (use->mechanism == JOSE_P11_SIGN_PSS) {
        made->params.pss = (struct ck_rsa_pkcs_pss_params){
            hashes[use->hash].digest, hashes[use->hash].mask, hashes[use->hash].bytes};
        made->mechanism.pParameter = &made->params.pss;
        made->mechanism.ulParameterLen = sizeof made->params.pss;
    } else if (use->mechanism == JOSE_P11_DECRYPT_OAEP) {
        made->params.oaep = (struct ck_rsa_pkcs_oaep_params){
            hashes[use->hash].digest, hashes[use->hash].mask, CKZ_DATA_SPECIFIED, NULL, 0};
        made->mechanism.pParameter = &made->params.oaep;
        made->mechanism.ulParameterLen = sizeof made->params.oaep;
    } else if (use->mechanism == JOSE_P11_SIGN_ED448) {
        // Without parameters CKM_EDDSA means Ed25519.
        made->params.eddsa = (struct eddsa_params){CK_FALSE, 0, NULL};
        made->mechanism.pParameter = &made->params.eddsa;
        made->mechanism.ulParameterLen = sizeof made->params.eddsa;
    }
}

bool jose_p11_offers(const jose_p11 *module, uint64_t slot, jose_p11_mechanism mechanism)
{
    if (!jose_p11_is_same_process(module)) return false;
    CK_MECHANISM_INFO info = {0};
    if (module->calls->C_GetMechanismInfo((CK_SLOT_ID)slot, mechanism_of(mechanism), &info) !=
        CKR_OK)
        return false;
    switch (mechanism) {
    case JOSE_P11_DECRYPT_OAEP:
    case JOSE_P11_DECRYPT_RAW: return (info.flags & CKF_DECRYPT) != 0;
    case JOSE_P11_AGREE: return (info.flags & CKF_DERIVE) != 0;
    default: return (info.flags & CKF_SIGN) != 0;
    }
}

// If the key requires a login for each use, logs in for the operation that was begun.
static jose_p11_status login_for_use(const jose_p11 *module, const jose_p11_use *use)
{
    if (!use->always_authenticate) return JOSE_P11_OK;
    CK_RV rv = module->calls->C_Login((CK_SESSION_HANDLE)use->session, CKU_CONTEXT_SPECIFIC,
                                      (CK_BYTE *)use->pin, use->pin_len);
    return jose_p11_login_meaning(rv, true);
}

jose_p11_status jose_p11_begin_decryption(const jose_p11 *module, const jose_p11_use *use)
{
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    native_mechanism made;
    prepare(&made, use);
    CK_RV rv = module->calls->C_DecryptInit((CK_SESSION_HANDLE)use->session, &made.mechanism,
                                            (CK_OBJECT_HANDLE)use->object);
    return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
}

// C_SignInit has the parameters of C_DecryptInit, and C_Sign those of C_Decrypt.
static jose_p11_status run(const jose_p11 *module, const jose_p11_use *use, CK_C_SignInit begin,
                           CK_C_Sign end, uint8_t *out, size_t capacity, size_t *len,
                           const uint8_t *in, size_t in_len)
{
    *len = 0;
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_SESSION_HANDLE session = (CK_SESSION_HANDLE)use->session;
    native_mechanism made;
    prepare(&made, use);
    CK_RV rv = begin(session, &made.mechanism, (CK_OBJECT_HANDLE)use->object);
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
    jose_p11_status login = login_for_use(module, use);
    if (login != JOSE_P11_OK) return login;
    CK_ULONG written = capacity;
    rv = end(session, (CK_BYTE *)in, in_len, out, &written);
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_AFTER_INPUT);
    if (written > capacity) return JOSE_P11_FAILED;
    *len = written;
    return JOSE_P11_OK;
}

jose_p11_status jose_p11_sign(const jose_p11 *module, const jose_p11_use *use, uint8_t *out,
                              size_t capacity, size_t *len, const uint8_t *in, size_t in_len)
{
    return run(module, use, module->calls->C_SignInit, module->calls->C_Sign, out, capacity, len,
               in, in_len);
}

jose_p11_status jose_p11_decrypt(const jose_p11 *module, const jose_p11_use *use, uint8_t *out,
                                 size_t capacity, size_t *len, const uint8_t *in, size_t in_len)
{
    return run(module, use, module->calls->C_DecryptInit, module->calls->C_Decrypt, out, capacity,
               len, in, in_len);
}

jose_p11_status jose_p11_agree(const jose_p11 *module, const jose_p11_use *use, uint8_t *out,
                               size_t out_len, const uint8_t *point, size_t point_len)
{
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_SESSION_HANDLE session = (CK_SESSION_HANDLE)use->session;
    native_mechanism made = {
        .mechanism = {CKM_ECDH1_DERIVE, &made.params.ecdh, sizeof made.params.ecdh}};
    made.params.ecdh =
        (struct ck_ecdh1_derive_params){CKD_NULL, 0, NULL, point_len, (CK_BYTE *)point};
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_OBJECT_CLASS class = CKO_SECRET_KEY;
    CK_KEY_TYPE type = CKK_GENERIC_SECRET;
    CK_ULONG size = out_len;
    CK_ATTRIBUTE secret[] = {
        {CKA_CLASS, &class, sizeof class},
        {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_TOKEN, &no, sizeof no},
        {CKA_SENSITIVE, &no, sizeof no},
        {CKA_EXTRACTABLE, &yes, sizeof yes},
        {CKA_VALUE_LEN, &size, sizeof size},
    };
    CK_OBJECT_HANDLE object = 0;
    CK_RV rv = module->calls->C_DeriveKey(session, &made.mechanism, (CK_OBJECT_HANDLE)use->object,
                                          secret, sizeof secret / sizeof *secret, &object);
    if (rv != CKR_OK) {
        jose_p11_status before = jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
        // C_DeriveKey gets the key and the point in one call. An error about the key's handle
        // reveals nothing about the point.
        return before == JOSE_P11_OBJECT ? before : jose_p11_meaning(rv, JOSE_P11_AFTER_INPUT);
    }
    CK_ATTRIBUTE value = {CKA_VALUE, out, out_len};
    rv = module->calls->C_GetAttributeValue(session, object, &value, 1);
    module->calls->C_DestroyObject(session, object);
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_AFTER_INPUT);
    return value.ulValueLen == out_len ? JOSE_P11_OK : JOSE_P11_FAILED;
}
