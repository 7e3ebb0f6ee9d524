// objects.c: creates, finds and reads the objects of the test token.
#include "token.h"

#include <openssl/core_names.h>
#include <string.h>

CK_OBJECT_HANDLE object_handle(const object *one)
{
    return token.epoch << 16 | (CK_ULONG)(one - token.objects + 1);
}

object *object_of(CK_OBJECT_HANDLE handle)
{
    CK_ULONG place = (handle & 0xffff) - 1;
    if (handle >> 16 != token.epoch || place >= MOST_OBJECTS || !token.objects[place].is_used)
        return NULL;
    object *one = &token.objects[place];
    return one->class == CKO_PRIVATE_KEY && !is_open() ? NULL : one;
}

object *new_object(void)
{
    for (size_t i = 0; i < MOST_OBJECTS; i++) {
        object *one = &token.objects[i];
        if (one->is_used) continue;
        memset(one, 0, sizeof *one);
        one->is_used = true;
        return one;
    }
    return NULL;
}

static void take(CK_BYTE *out, CK_ULONG capacity, CK_ULONG *len, const CK_ATTRIBUTE *one)
{
    *len = one->ulValueLen < capacity ? one->ulValueLen : capacity;
    if (*len > 0) memcpy(out, one->pValue, *len);
}

void apply(object *one, const CK_ATTRIBUTE *attributes, CK_ULONG count, CK_ULONG *bits)
{
    for (CK_ULONG i = 0; i < count; i++) {
        const CK_ATTRIBUTE *said = &attributes[i];
        bool is_yes = said->ulValueLen == 1 && *(const CK_BBOOL *)said->pValue != 0;
        switch (said->type) {
        case CKA_CLASS: memcpy(&one->class, said->pValue, sizeof one->class); break;
        case CKA_ID: take(one->id, sizeof one->id, &one->id_len, said); break;
        case CKA_LABEL: take(one->label, sizeof one->label, &one->label_len, said); break;
        case CKA_VALUE: take(one->value, sizeof one->value, &one->value_len, said); break;
        case CKA_EC_PARAMS: take(one->params, sizeof one->params, &one->params_len, said); break;
        case CKA_MODULUS_BITS: memcpy(bits, said->pValue, sizeof *bits); break;
        case CKA_TOKEN: one->is_token = is_yes; break;
        case CKA_SIGN: one->signs = is_yes; break;
        case CKA_DECRYPT: one->decrypts = is_yes; break;
        case CKA_DERIVE: one->derives = is_yes; break;
        default: break;
        }
    }
}

CK_RV C_CreateObject(CK_SESSION_HANDLE handle, CK_ATTRIBUTE *attributes, CK_ULONG count,
                     CK_OBJECT_HANDLE *made)
{
    CK_RV answer;
    CK_ULONG bits = 0;
    pthread_mutex_lock(&token.lock);
    session *in = session_of(handle, &answer);
    if (in != NULL && !in->writes) answer = CKR_SESSION_READ_ONLY;
    object *one = answer == CKR_OK ? new_object() : NULL;
    if (answer == CKR_OK && one == NULL) answer = CKR_DEVICE_MEMORY;
    if (one != NULL) {
        apply(one, attributes, count, &bits);
        *made = object_handle(one);
        store_token();
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_DestroyObject(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE named)
{
    CK_RV answer;
    pthread_mutex_lock(&token.lock);
    object *one = session_of(handle, &answer) != NULL ? object_of(named) : NULL;
    if (answer == CKR_OK && one == NULL) answer = CKR_OBJECT_HANDLE_INVALID;
    if (one != NULL) {
        EVP_PKEY_free(one->key);
        memset(one, 0, sizeof *one);
        store_token();
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

static bool matches(const object *one, const CK_ATTRIBUTE *wanted, CK_ULONG count)
{
    for (CK_ULONG i = 0; i < count; i++) {
        const void *value = NULL;
        CK_ULONG len = 0;
        switch (wanted[i].type) {
        case CKA_CLASS: value = &one->class, len = sizeof one->class; break;
        case CKA_ID: value = one->id, len = one->id_len; break;
        case CKA_LABEL: value = one->label, len = one->label_len; break;
        default: return false;
        }
        if (len != wanted[i].ulValueLen || memcmp(value, wanted[i].pValue, len) != 0) return false;
    }
    return true;
}

CK_RV C_FindObjectsInit(CK_SESSION_HANDLE handle, CK_ATTRIBUTE *wanted, CK_ULONG count)
{
    CK_RV answer;
    pthread_mutex_lock(&token.lock);
    session *in = session_of(handle, &answer);
    if (in != NULL && in->is_finding) answer = CKR_OPERATION_ACTIVE;
    if (answer == CKR_OK) {
        in->is_finding = true;
        in->found_count = 0;
        for (size_t i = 0; i < MOST_OBJECTS; i++) {
            object *one = &token.objects[i];
            if (!one->is_used || (one->class == CKO_PRIVATE_KEY && !is_open())) continue;
            if (matches(one, wanted, count)) in->found[in->found_count++] = object_handle(one);
        }
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_FindObjects(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE *found, CK_ULONG room,
                    CK_ULONG *count)
{
    CK_RV answer;
    pthread_mutex_lock(&token.lock);
    session *in = session_of(handle, &answer);
    if (in != NULL && !in->is_finding) answer = CKR_OPERATION_NOT_INITIALIZED;
    if (answer == CKR_OK) {
        // One at a time, which PKCS #11 allows.
        *count = room > 0 && in->found_count > 0 ? 1 : 0;
        if (*count == 1) *found = in->found[--in->found_count];
        if (token.misbehaviour == MISBEHAVIOUR_FIND_ENDLESS) {
            for (CK_ULONG i = 0; i < room; i++) found[i] = 1 + i;
            *count = room;
        }
        if (token.misbehaviour == MISBEHAVIOUR_FIND_MORE) *count = room + 1000;
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_FindObjectsFinal(CK_SESSION_HANDLE handle)
{
    CK_RV answer;
    pthread_mutex_lock(&token.lock);
    session *in = session_of(handle, &answer);
    if (in != NULL) in->is_finding = false;
    pthread_mutex_unlock(&token.lock);
    return answer;
}

// Writes the bytes of an attribute to a buffer of 8 KB. Empty if the object has no such attribute.
static bool value_of(const object *one, EVP_PKEY *key, CK_ATTRIBUTE_TYPE type, CK_BYTE *out,
                     size_t *len)
{
    BIGNUM *number = NULL;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    const void *from = NULL;
    size_t raw = 4096;
    switch (type) {
    case CKA_ID: from = one->id, *len = one->id_len; break;
    case CKA_LABEL: from = one->label, *len = one->label_len; break;
    case CKA_VALUE: from = one->value, *len = one->value_len; break;
    case CKA_KEY_TYPE: from = &one->type, *len = sizeof one->type; break;
    case CKA_EC_PARAMS: from = one->params, *len = one->params_len; break;
    case CKA_SIGN: from = one->signs ? &yes : &no, *len = 1; break;
    case CKA_DECRYPT: from = one->decrypts ? &yes : &no, *len = 1; break;
    case CKA_DERIVE: from = one->derives ? &yes : &no, *len = 1; break;
    case CKA_ALWAYS_AUTHENTICATE: from = one->asks ? &yes : &no, *len = 1; break;
    case CKA_MODULUS:
    case CKA_PUBLIC_EXPONENT:
        if (key == NULL || one->type != CKK_RSA) return false;
        if (EVP_PKEY_get_bn_param(key, type == CKA_MODULUS ? "n" : "e", &number) != 1) return false;
        *len = (size_t)BN_bn2bin(number, out);
        BN_free(number);
        return true;
    case CKA_EC_POINT:
        if (key == NULL || one->type == CKK_RSA || one->class != CKO_PUBLIC_KEY) return false;
        if (one->type != CKK_EC) {
            // Without the OCTET STRING, as in some tokens.
            if (EVP_PKEY_get_raw_public_key(key, out, &raw) != 1) return false;
            *len = raw;
            return true;
        }
        if (EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, out + 3, 4096, &raw) != 1)
            return false;
        out[0] = 4, out[1] = 0x81, out[2] = (CK_BYTE)raw;
        *len = raw + 3;
        if (raw < 0x80) {
            memmove(out + 2, out + 3, raw);
            out[1] = (CK_BYTE)raw;
            *len = raw + 2;
        }
        return true;
    default: return false;
    }
    memcpy(out, from, *len);
    return true;
}

CK_RV C_GetAttributeValue(CK_SESSION_HANDLE handle, CK_OBJECT_HANDLE named, CK_ATTRIBUTE *one,
                          CK_ULONG count)
{
    static CK_BYTE room[8192];
    CK_RV answer;
    size_t len = 0;
    if (count != 1) return CKR_ARGUMENTS_BAD;
    pthread_mutex_lock(&token.lock);
    object *from = session_of(handle, &answer) != NULL ? object_of(named) : NULL;
    if (answer == CKR_OK && from == NULL) answer = CKR_OBJECT_HANDLE_INVALID;
    if (answer == CKR_OK) {
        const bool is_public = from->class == CKO_PUBLIC_KEY;
        EVP_PKEY *key = from->key;
        bool is_other =
            key != NULL && (token.misbehaviour == MISBEHAVIOUR_OTHER_PUBLIC ||
                            (token.misbehaviour == MISBEHAVIOUR_OTHER_PUBLIC_OBJECT && is_public));
        // One flag for all attributes of a key.
        static EVP_PKEY *other, *of;
        if (is_other && of != key) {
            EVP_PKEY_free(other);
            other = other_key(key);
            of = key;
        }
        if (!value_of(from, is_other ? other : key, one->type, room, &len))
            answer = CKR_ATTRIBUTE_TYPE_INVALID;
    }
    if (answer == CKR_OK && token.misbehaviour == MISBEHAVIOUR_POINT && one->type == CKA_EC_POINT)
        room[len / 2] ^= 1;
    if (token.misbehaviour == MISBEHAVIOUR_NO_CURVE && one->type == CKA_EC_PARAMS)
        answer = CKR_ATTRIBUTE_TYPE_INVALID;
    if (answer == CKR_OK && one->pValue != NULL && one->ulValueLen < len)
        answer = CKR_BUFFER_TOO_SMALL;
    if (answer == CKR_OK && one->pValue != NULL) memcpy(one->pValue, room, len);
    if (answer != CKR_OK) {
        one->ulValueLen = (CK_ULONG)-1;
    } else if (token.misbehaviour == MISBEHAVIOUR_ATTRIBUTE_HUGE) {
        one->ulValueLen = 1UL << 63;
    } else if (token.misbehaviour == MISBEHAVIOUR_ATTRIBUTE_LONG && one->type != CKA_KEY_TYPE) {
        one->ulValueLen += 1;
    } else if (token.misbehaviour == MISBEHAVIOUR_ATTRIBUTE_ABSENT) {
        one->ulValueLen = (CK_ULONG)-1;
    } else if (token.misbehaviour == MISBEHAVIOUR_ATTRIBUTE_WIDE && len == 1) {
        one->ulValueLen = 8;
    } else if (token.misbehaviour == MISBEHAVIOUR_SECRET_SHORT && from->class == CKO_SECRET_KEY) {
        one->ulValueLen = len - 1;
    } else if (token.misbehaviour == MISBEHAVIOUR_SECRET_LONG && from->class == CKO_SECRET_KEY) {
        one->ulValueLen = len + 1;
    } else {
        one->ulValueLen = len;
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}
