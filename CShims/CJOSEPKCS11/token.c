// token.c: slots, their descriptions, sessions and the user's login.
#include "module.h"

#include <string.h>

_Static_assert(sizeof(CK_SLOT_ID) <= sizeof(uint64_t), "a slot ID fits in 64 bits");

jose_p11_status jose_p11_slots(const jose_p11 *module, uint64_t *slots, size_t capacity,
                               size_t *count)
{
    *count = 0;
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    if (capacity > JOSE_P11_MAX_SLOTS) capacity = JOSE_P11_MAX_SLOTS;
    CK_SLOT_ID found[JOSE_P11_MAX_SLOTS];
    CK_ULONG found_count = 0;
    // Called without a buffer, a module scans its slots again. Its count is not trusted.
    CK_RV rv = module->calls->C_GetSlotList(CK_TRUE, NULL, &found_count);
    if (rv == CKR_CRYPTOKI_NOT_INITIALIZED) {
        // Other code in the process finalised the module.
        jose_p11_status started = jose_p11_start(module->calls);
        if (started != JOSE_P11_OK) return started;
        rv = module->calls->C_GetSlotList(CK_TRUE, NULL, &found_count);
    }
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
    found_count = capacity;
    rv = module->calls->C_GetSlotList(CK_TRUE, found, &found_count);
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
    if (found_count > capacity) return JOSE_P11_FAILED;
    for (size_t i = 0; i < found_count; i++) slots[i] = found[i];
    *count = found_count;
    return JOSE_P11_OK;
}

jose_p11_status jose_p11_describe(const jose_p11 *module, jose_p11_token *token, uint64_t slot)
{
    memset(token, 0, sizeof *token);
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_INFO library = {0};
    CK_SLOT_INFO slot_info = {0};
    CK_TOKEN_INFO info = {0};
    CK_RV rv = module->calls->C_GetInfo(&library);
    if (rv == CKR_OK) rv = module->calls->C_GetSlotInfo((CK_SLOT_ID)slot, &slot_info);
    if (rv == CKR_OK) rv = module->calls->C_GetTokenInfo((CK_SLOT_ID)slot, &info);
    if (rv != CKR_OK) return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
    memcpy(token->label, info.label, sizeof token->label);
    memcpy(token->manufacturer, info.manufacturerID, sizeof token->manufacturer);
    memcpy(token->model, info.model, sizeof token->model);
    memcpy(token->serial, info.serialNumber, sizeof token->serial);
    memcpy(token->slot_description, slot_info.slotDescription, sizeof token->slot_description);
    memcpy(token->slot_manufacturer, slot_info.manufacturerID, sizeof token->slot_manufacturer);
    memcpy(token->library_description, library.libraryDescription,
           sizeof token->library_description);
    memcpy(token->library_manufacturer, library.manufacturerID, sizeof token->library_manufacturer);
    token->library_major = library.libraryVersion.major;
    token->library_minor = library.libraryVersion.minor;
    token->is_initialised = (info.flags & CKF_TOKEN_INITIALIZED) != 0;
    token->needs_login = (info.flags & CKF_LOGIN_REQUIRED) != 0;
    token->has_keypad = (info.flags & CKF_PROTECTED_AUTHENTICATION_PATH) != 0;
    token->is_count_low = (info.flags & CKF_USER_PIN_COUNT_LOW) != 0;
    token->is_final_try = (info.flags & CKF_USER_PIN_FINAL_TRY) != 0;
    token->is_locked = (info.flags & CKF_USER_PIN_LOCKED) != 0;
    return JOSE_P11_OK;
}

jose_p11_status jose_p11_open(const jose_p11 *module, uint64_t *session, uint64_t slot, bool writes)
{
    *session = 0;
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_SESSION_HANDLE made = 0;
    CK_FLAGS flags = CKF_SERIAL_SESSION | (writes ? CKF_RW_SESSION : 0);
    CK_RV rv = module->calls->C_OpenSession((CK_SLOT_ID)slot, flags, NULL, NULL, &made);
    *session = made;
    return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
}

void jose_p11_close(const jose_p11 *module, uint64_t session)
{
    if (jose_p11_is_same_process(module)) module->calls->C_CloseSession((CK_SESSION_HANDLE)session);
}

jose_p11_status jose_p11_is_logged_in(const jose_p11 *module, bool *is, uint64_t session)
{
    *is = false;
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_SESSION_INFO info = {0};
    CK_RV rv = module->calls->C_GetSessionInfo((CK_SESSION_HANDLE)session, &info);
    if (rv == CKR_OK)
        *is = info.state == CKS_RO_USER_FUNCTIONS || info.state == CKS_RW_USER_FUNCTIONS;
    return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
}

jose_p11_status jose_p11_login(const jose_p11 *module, uint64_t session, const uint8_t *pin,
                               size_t pin_len)
{
    if (!jose_p11_is_same_process(module)) return JOSE_P11_FORKED;
    CK_RV rv =
        module->calls->C_Login((CK_SESSION_HANDLE)session, CKU_USER, (CK_BYTE *)pin, pin_len);
    return jose_p11_login_meaning(rv, false);
}
