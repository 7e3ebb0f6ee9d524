// The raw calls of a PKCS#11 module: one session, one private key, the operation and nothing else.

#include "bench_baselines.h"

#include "../../../CShims/CJOSEPKCS11/include/cjosepkcs11.h"

#include <dlfcn.h>
#include <p11-kit-1/p11-kit/pkcs11.h>
#include <stdlib.h>
#include <string.h>

struct baseline_token {
    CK_FUNCTION_LIST *calls;
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE key;
    CK_MECHANISM how;
    CK_RSA_PKCS_OAEP_PARAMS oaep;
    int decrypts;
    jose_p11 *module;  // the same by the library's own C
    jose_p11_use use;
    uint8_t out[512];
};

static int find(baseline_token *made, const char *label)
{
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE wanted[] = {{CKA_CLASS, &class, sizeof class},
                             {CKA_LABEL, (void *)label, strlen(label)}};
    CK_ULONG count = 0;
    return made->calls->C_FindObjectsInit(made->session, wanted, 2) == CKR_OK && made->calls->C_FindObjects(made->session, &made->key, 1, &count) == CKR_OK && count == 1 && made->calls->C_FindObjectsFinal(made->session) == CKR_OK;
}

static int choose(baseline_token *made, const char *algorithm)
{
    made->use =
        (jose_p11_use){.session = made->session, .object = made->key, .hash = JOSE_P11_SHA256};
    if (strcmp(algorithm, "ES256") == 0) {
        made->how.mechanism = CKM_ECDSA;
        made->use.mechanism = JOSE_P11_SIGN_ECDSA;
    } else if (strcmp(algorithm, "RS256") == 0) {
        made->how.mechanism = CKM_RSA_PKCS;
        made->use.mechanism = JOSE_P11_SIGN_PKCS1;
    } else if (strcmp(algorithm, "RSA-OAEP-256") == 0) {
        made->oaep =
            (CK_RSA_PKCS_OAEP_PARAMS){CKM_SHA256, CKG_MGF1_SHA256, CKZ_DATA_SPECIFIED, NULL, 0};
        made->how = (CK_MECHANISM){CKM_RSA_PKCS_OAEP, &made->oaep, sizeof made->oaep};
        made->use.mechanism = JOSE_P11_DECRYPT_OAEP;
        made->decrypts = 1;
    } else {
        return 0;
    }
    return 1;
}

baseline_token *baseline_token_new(const char *path, const char *label, const char *algorithm)
{
    CK_C_GetFunctionList get = NULL;
    CK_SLOT_ID slot = 0;
    CK_ULONG count = 1;
    baseline_token *made = calloc(1, sizeof *made);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    void *symbol = library == NULL ? NULL : dlsym(library, "C_GetFunctionList");
    if (made == NULL || symbol == NULL) return NULL;
    memcpy(&get, &symbol, sizeof get);
    if (get(&made->calls) != CKR_OK ||
        made->calls->C_GetSlotList(CK_TRUE, &slot, &count) != CKR_OK || count != 1 ||
        made->calls->C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &made->session) !=
            CKR_OK ||
        !find(made, label) || !choose(made, algorithm) ||
        jose_p11_load(&made->module, path) != JOSE_P11_OK) {
        return NULL;
    }
    return made;
}

int baseline_token_call(baseline_token *made, const uint8_t *in, size_t count)
{
    CK_ULONG size = sizeof made->out;
    if (made->decrypts) {
        return made->calls->C_DecryptInit(made->session, &made->how, made->key) == CKR_OK &&
               made->calls->C_Decrypt(made->session, (CK_BYTE *)in, count, made->out, &size) ==
                   CKR_OK;
    }
    return made->calls->C_SignInit(made->session, &made->how, made->key) == CKR_OK && made->calls->C_Sign(made->session, (CK_BYTE *)in, count, made->out, &size) == CKR_OK;
}

int baseline_token_shim(baseline_token *made, const uint8_t *in, size_t count)
{
    size_t size = 0;
    if (made->decrypts) {
        return jose_p11_decrypt(made->module, &made->use, made->out, sizeof made->out, &size, in,
                                count) == JOSE_P11_OK;
    }
    return jose_p11_sign(made->module, &made->use, made->out, sizeof made->out, &size, in, count) ==
           JOSE_P11_OK;
}

int baseline_token_delay(const char *path, long microseconds)
{
    void (*delay)(long) = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    void *symbol = library == NULL ? NULL : dlsym(library, "token_delay");
    if (symbol == NULL) return 0;
    memcpy(&delay, &symbol, sizeof delay);
    delay(microseconds);
    return 1;
}
