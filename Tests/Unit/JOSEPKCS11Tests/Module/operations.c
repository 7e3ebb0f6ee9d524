// operations.c: the private key operations of the test token, and its function list.
#include "token.h"

#include <openssl/ec.h>
#include <openssl/rsa.h>
#include <string.h>
#include <unistd.h>

static const EVP_MD *digest_of(CK_MECHANISM_TYPE hash)
{
    switch (hash) {
    case CKM_SHA_1: return EVP_sha1();
    case CKM_SHA256: return EVP_sha256();
    case CKM_SHA384: return EVP_sha384();
    case CKM_SHA512: return EVP_sha512();
    default: return NULL;
    }
}

// PKCS #11 3.0 (6.3.15): Ed448 has parameters, Ed25519 has none.
static bool takes_eddsa(const EVP_PKEY *key, const CK_MECHANISM *how)
{
    struct {
        CK_BBOOL is_prehashed;
        CK_ULONG context_len;
        CK_BYTE *context;
    } said;
    if (!EVP_PKEY_is_a(key, "ED448")) return how->pParameter == NULL && how->ulParameterLen == 0;
    if (how->pParameter == NULL || how->ulParameterLen != sizeof said) return false;
    memcpy(&said, how->pParameter, sizeof said);
    return said.is_prehashed == CK_FALSE && said.context_len == 0;
}

static CK_RV begin(CK_SESSION_HANDLE handle, CK_MECHANISM *how, CK_OBJECT_HANDLE named,
                   char operation)
{
    CK_RV answer;
    pthread_mutex_lock(&token.lock);
    session *in = session_of(handle, &answer);
    object *one = in != NULL ? object_of(named) : NULL;
    if (answer == CKR_OK && in->operation != 0) answer = CKR_OPERATION_ACTIVE;
    if (answer == CKR_OK && !is_open()) answer = CKR_USER_NOT_LOGGED_IN;
    if (answer == CKR_OK && one == NULL) answer = CKR_KEY_HANDLE_INVALID;
    if (answer == CKR_OK && !(operation == 's' ? one->signs : one->decrypts))
        answer = CKR_KEY_FUNCTION_NOT_PERMITTED;
    if (answer == CKR_OK && token.begin_count > 0) {
        token.begin_count--;
        answer = token.begin_response;
    }
    if (answer == CKR_OK) {
        in->mechanism = how->mechanism;
        if (how->mechanism == CKM_EDDSA && !takes_eddsa(one->key, how))
            answer = CKR_MECHANISM_PARAM_INVALID;
        if (how->mechanism == CKM_RSA_PKCS_PSS) {
            if (how->ulParameterLen != sizeof in->pss)
                answer = CKR_MECHANISM_PARAM_INVALID;
            else
                memcpy(&in->pss, how->pParameter, sizeof in->pss);
        } else if (how->mechanism == CKM_RSA_PKCS_OAEP) {
            if (how->ulParameterLen != sizeof in->oaep)
                answer = CKR_MECHANISM_PARAM_INVALID;
            else
                memcpy(&in->oaep, how->pParameter, sizeof in->oaep);
            // Like SoftHSM 2.6 only one hash, and also SHA-256, so that both code paths are
            // tested.
            if (answer == CKR_OK && in->oaep.hashAlg != CKM_SHA_1 && in->oaep.hashAlg != CKM_SHA256)
                answer = CKR_ARGUMENTS_BAD;
        }
    }
    if (answer == CKR_OK) {
        in->operation = operation;
        in->key = named;
        in->wants_pin = one->asks;
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_SignInit(CK_SESSION_HANDLE handle, CK_MECHANISM *how, CK_OBJECT_HANDLE named)
{
    return begin(handle, how, named, 's');
}

CK_RV C_DecryptInit(CK_SESSION_HANDLE handle, CK_MECHANISM *how, CK_OBJECT_HANDLE named)
{
    return begin(handle, how, named, 'd');
}

// The state of a final call, moved out of the session so that it runs concurrently with others.
typedef struct {
    session state;
    EVP_PKEY *key;
    int misbehaviour;
    unsigned delay_us;
} work;

static CK_RV take(work *made, CK_SESSION_HANDLE handle, char operation)
{
    CK_RV answer;
    memset(made, 0, sizeof *made);
    pthread_mutex_lock(&token.lock);
    session *in = session_of(handle, &answer);
    object *one = in != NULL ? object_of(in->key) : NULL;
    if (answer == CKR_OK && in->operation != operation) answer = CKR_OPERATION_NOT_INITIALIZED;
    if (answer == CKR_OK && in->wants_pin) answer = CKR_USER_NOT_LOGGED_IN;
    if (answer == CKR_OK && one == NULL) answer = CKR_KEY_HANDLE_INVALID;
    if (answer == CKR_OK) token.operations++;
    if (answer == CKR_OK && token.end_count > 0) {
        token.end_count--;
        answer = token.end_response;
    }
    if (in != NULL && token.misbehaviour != MISBEHAVIOUR_SESSION_BUSY) in->operation = 0;
    made->delay_us = token.delay_us;
    if (answer == CKR_OK) {
        made->state = *in;
        made->misbehaviour = token.misbehaviour;
        made->key = one->key;
        if (token.misbehaviour == MISBEHAVIOUR_OTHER_KEY)
            made->key = other_key(one->key);
        else
            EVP_PKEY_up_ref(made->key);
        if (token.operations == token.swap_at) put_in(true);
    }
    pthread_mutex_unlock(&token.lock);
    if (made->delay_us > 0) usleep(made->delay_us);
    return answer;
}

static bool sign_ecdsa(EVP_PKEY_CTX *context, EVP_PKEY *key, CK_BYTE *out, size_t *len,
                       const CK_BYTE *in, size_t in_len)
{
    CK_BYTE der[256];
    size_t der_len = sizeof der;
    const CK_BYTE *at = der;
    const int half = (EVP_PKEY_get_bits(key) + 7) / 8;
    if (EVP_PKEY_sign(context, der, &der_len, in, in_len) != 1) return false;
    ECDSA_SIG *both = d2i_ECDSA_SIG(NULL, &at, (long)der_len);
    bool good = both != NULL && *len >= 2 * (size_t)half &&
                BN_bn2binpad(ECDSA_SIG_get0_r(both), out, half) == half &&
                BN_bn2binpad(ECDSA_SIG_get0_s(both), out + half, half) == half;
    ECDSA_SIG_free(both);
    *len = 2 * (size_t)half;
    return good;
}

static bool sign(const work *made, CK_BYTE *out, size_t *len, const CK_BYTE *in, size_t in_len)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(made->key, NULL);
    EVP_MD_CTX *whole = EVP_MD_CTX_new();
    bool good = false;
    switch (made->state.mechanism) {
    case CKM_RSA_PKCS:
        good = EVP_PKEY_sign_init(context) == 1 &&
               EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 &&
               EVP_PKEY_sign(context, out, len, in, in_len) == 1;
        break;
    case CKM_RSA_PKCS_PSS:
        good = EVP_PKEY_sign_init(context) == 1 &&
               EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
               EVP_PKEY_CTX_set_signature_md(context, digest_of(made->state.pss.hashAlg)) == 1 &&
               EVP_PKEY_CTX_set_rsa_pss_saltlen(context, (int)made->state.pss.sLen) == 1 &&
               EVP_PKEY_sign(context, out, len, in, in_len) == 1;
        break;
    case CKM_ECDSA:
        good = EVP_PKEY_sign_init(context) == 1 &&
               sign_ecdsa(context, made->key, out, len, in, in_len);
        break;
    case CKM_EDDSA:
        good = EVP_DigestSignInit(whole, NULL, NULL, NULL, made->key) == 1 &&
               EVP_DigestSign(whole, out, len, in, in_len) == 1;
        break;
    default: break;
    }
    EVP_MD_CTX_free(whole);
    EVP_PKEY_CTX_free(context);
    return good;
}

CK_RV C_Sign(CK_SESSION_HANDLE handle, CK_BYTE *in, CK_ULONG in_len, CK_BYTE *out,
             CK_ULONG *out_len)
{
    work made;
    CK_RV answer = take(&made, handle, 's');
    size_t len = *out_len;
    if (answer == CKR_OK && !sign(&made, out, &len, in, in_len)) answer = CKR_FUNCTION_FAILED;
    EVP_PKEY_free(made.key);
    if (answer != CKR_OK) return answer;
    static const CK_BYTE nonsense[] = {0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00};
    switch (made.misbehaviour) {
    case MISBEHAVIOUR_SIGNATURE_WRONG: out[len / 2] ^= 0x10; break;
    case MISBEHAVIOUR_SIGNATURE_SHORT: len -= 1; break;
    case MISBEHAVIOUR_SIGNATURE_LONG: len = *out_len + 100; break;
    case MISBEHAVIOUR_SIGNATURE_HUGE: len = 1UL << 63; break;
    case MISBEHAVIOUR_SIGNATURE_DER:
        memcpy(out, nonsense, sizeof nonsense);
        len = sizeof nonsense;
        break;
    default: break;
    }
    *out_len = len;
    return CKR_OK;
}

CK_RV C_Decrypt(CK_SESSION_HANDLE handle, CK_BYTE *in, CK_ULONG in_len, CK_BYTE *out,
                CK_ULONG *out_len)
{
    work made;
    CK_RV answer = take(&made, handle, 'd');
    if (answer != CKR_OK) return answer;
    CK_BYTE room[2048];
    size_t len = sizeof room;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(made.key, NULL);
    bool good = EVP_PKEY_decrypt_init(context) == 1;
    if (made.state.mechanism == CKM_RSA_PKCS_OAEP) {
        const EVP_MD *hash = digest_of(made.state.oaep.hashAlg);
        good = good && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1 &&
               EVP_PKEY_CTX_set_rsa_oaep_md(context, hash) == 1 &&
               EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash) == 1;
    } else {
        good = good && EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1;
    }
    good = good && EVP_PKEY_decrypt(context, room, &len, in, in_len) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(made.key);
    // SoftHSM returns this for wrong padding.
    if (!good) return CKR_GENERAL_ERROR;
    if (len > *out_len) return CKR_BUFFER_TOO_SMALL;
    memcpy(out, room, len);
    if (made.misbehaviour == MISBEHAVIOUR_PLAINTEXT_LONG) len = *out_len + 1;
    if (made.misbehaviour == MISBEHAVIOUR_PLAINTEXT_SHORT) len -= 1;
    *out_len = len;
    return CKR_OK;
}

CK_RV C_DeriveKey(CK_SESSION_HANDLE handle, CK_MECHANISM *how, CK_OBJECT_HANDLE named,
                  CK_ATTRIBUTE *wanted, CK_ULONG count, CK_OBJECT_HANDLE *made_object)
{
    CK_RV answer;
    object secret = {.class = CKO_SECRET_KEY, .is_used = true};
    if (how->mechanism != CKM_ECDH1_DERIVE) return CKR_MECHANISM_INVALID;
    CK_ECDH1_DERIVE_PARAMS *params = how->pParameter;
    for (CK_ULONG i = 0; i < count; i++) {
        if (wanted[i].type == CKA_TOKEN && *(CK_BBOOL *)wanted[i].pValue)
            return CKR_TEMPLATE_INCONSISTENT;
    }
    pthread_mutex_lock(&token.lock);
    session *in = session_of(handle, &answer);
    object *one = in != NULL ? object_of(named) : NULL;
    if (answer == CKR_OK && !is_open()) answer = CKR_USER_NOT_LOGGED_IN;
    if (answer == CKR_OK && one == NULL) answer = CKR_KEY_HANDLE_INVALID;
    if (answer == CKR_OK && !one->derives) answer = CKR_KEY_FUNCTION_NOT_PERMITTED;
    if (answer == CKR_OK) token.operations++;
    if (answer == CKR_OK && token.end_count > 0) {
        token.end_count--;
        answer = token.end_response;
    }
    EVP_PKEY *key = answer == CKR_OK ? one->key : NULL;
    if (key != NULL && token.misbehaviour == MISBEHAVIOUR_OTHER_KEY)
        key = other_key(key);
    else if (key != NULL)
        EVP_PKEY_up_ref(key);
    CK_KEY_TYPE type = answer == CKR_OK ? one->type : 0;
    pthread_mutex_unlock(&token.lock);
    if (answer != CKR_OK) return answer;
    EVP_PKEY *peer = NULL;
    if (type == CKK_EC) {
        peer = EVP_PKEY_new();
        if (EVP_PKEY_copy_parameters(peer, key) != 1 ||
            EVP_PKEY_set1_encoded_public_key(peer, params->pPublicData, params->ulPublicDataLen) !=
                1)
            answer = CKR_MECHANISM_PARAM_INVALID;
    } else {
        peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_get_base_id(key), NULL, params->pPublicData,
                                           params->ulPublicDataLen);
    }
    size_t len = sizeof secret.value;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    if (peer == NULL || answer != CKR_OK || EVP_PKEY_derive_init(context) != 1 ||
        EVP_PKEY_derive_set_peer_ex(context, peer, 0) != 1 ||
        EVP_PKEY_derive(context, secret.value, &len) != 1)
        answer = CKR_MECHANISM_PARAM_INVALID;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(key);
    if (answer != CKR_OK) return answer;
    secret.value_len = len;
    pthread_mutex_lock(&token.lock);
    answer = CKR_DEVICE_MEMORY;
    for (size_t i = 0; i < MOST_OBJECTS && answer != CKR_OK; i++) {
        if (token.objects[i].is_used) continue;
        token.objects[i] = secret;
        *made_object = object_handle(&token.objects[i]);
        answer = CKR_OK;
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list)
{
    static CK_FUNCTION_LIST calls = {
        .version = {2, 40},
        .C_Initialize = C_Initialize,
        .C_Finalize = C_Finalize,
        .C_GetInfo = C_GetInfo,
        .C_GetFunctionList = C_GetFunctionList,
        .C_GetSlotList = C_GetSlotList,
        .C_GetSlotInfo = C_GetSlotInfo,
        .C_GetTokenInfo = C_GetTokenInfo,
        .C_GetMechanismInfo = C_GetMechanismInfo,
        .C_OpenSession = C_OpenSession,
        .C_CloseSession = C_CloseSession,
        .C_CloseAllSessions = C_CloseAllSessions,
        .C_GetSessionInfo = C_GetSessionInfo,
        .C_Login = C_Login,
        .C_CreateObject = C_CreateObject,
        .C_DestroyObject = C_DestroyObject,
        .C_GetAttributeValue = C_GetAttributeValue,
        .C_FindObjectsInit = C_FindObjectsInit,
        .C_FindObjects = C_FindObjects,
        .C_FindObjectsFinal = C_FindObjectsFinal,
        .C_DecryptInit = C_DecryptInit,
        .C_Decrypt = C_Decrypt,
        .C_SignInit = C_SignInit,
        .C_Sign = C_Sign,
        .C_GenerateKeyPair = C_GenerateKeyPair,
        .C_DeriveKey = C_DeriveKey,
    };
    *list = &calls;
    return CKR_OK;
}
