// module.c: slots, sessions and the login of the test token, and the controls for misbehaviour.
#include "token.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct token token = {.lock = PTHREAD_MUTEX_INITIALIZER, .tries_left = 3, .epoch = 1};

#define PIN "123456"

// The slot of the token. A twin token is in the other slot.
static CK_SLOT_ID home(void)
{
    return token.is_moved ? 8 : 7;
}

static CK_RV present(CK_SLOT_ID slot)
{
    if (!token.is_initialised) return CKR_CRYPTOKI_NOT_INITIALIZED;
    if (slot != home() && !(slot == 15 - home() && token.has_twin)) return CKR_SLOT_ID_INVALID;
    return token.is_removed ? CKR_TOKEN_NOT_PRESENT : CKR_OK;
}

session *session_of(CK_SESSION_HANDLE handle, CK_RV *answer)
{
    *answer = CKR_CRYPTOKI_NOT_INITIALIZED;
    if (!token.is_initialised) return NULL;
    *answer = token.is_removed ? CKR_DEVICE_REMOVED : CKR_SESSION_HANDLE_INVALID;
    if (handle == 0 || token.is_removed) return NULL;
    for (size_t i = 0; i < MOST_SESSIONS; i++) {
        if (token.sessions[i].handle != handle) continue;
        *answer = CKR_OK;
        return &token.sessions[i];
    }
    return NULL;
}

bool is_open(void)
{
    return token.is_logged_in || token.misbehaviour == MISBEHAVIOUR_NO_LOGIN;
}

static void log_out(void)
{
    if (token.is_logged_in) token.epoch++;
    token.is_logged_in = false;
}

static void close_all(void)
{
    for (size_t i = 0; i < MOST_SESSIONS; i++) token.sessions[i].handle = 0;
    // Session objects end with their session.
    for (size_t i = 0; i < MOST_OBJECTS; i++) {
        if (token.objects[i].class == CKO_SECRET_KEY)
            memset(&token.objects[i], 0, sizeof token.objects[i]);
    }
    log_out();
}

void put_in(bool other)
{
    token.is_other = other;
    close_all();
    token.epoch++;
}

CK_RV C_Initialize(void *arguments)
{
    (void)arguments;
    while (getenv("JOSE_TEST_TOKEN_HANG") != NULL) pause();
    pthread_mutex_lock(&token.lock);
    CK_RV answer = token.is_initialised ? CKR_CRYPTOKI_ALREADY_INITIALIZED : CKR_OK;
    if (!token.is_initialised) load_token();
    token.is_initialised = true;
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_Finalize(void *reserved)
{
    (void)reserved;
    pthread_mutex_lock(&token.lock);
    close_all();
    token.is_initialised = false;
    pthread_mutex_unlock(&token.lock);
    return CKR_OK;
}

static void pad(CK_UTF8CHAR *field, size_t size, const char *text)
{
    memset(field, ' ', size);
    memcpy(field, text, strlen(text));
}

CK_RV C_GetInfo(CK_INFO *info)
{
    memset(info, 0, sizeof *info);
    info->cryptokiVersion = (CK_VERSION){2, 40};
    info->libraryVersion = (CK_VERSION){1, 5};
    pad(info->manufacturerID, sizeof info->manufacturerID, "swift-jose");
    pad(info->libraryDescription, sizeof info->libraryDescription, "tests");
    return CKR_OK;
}

CK_RV C_GetSlotList(CK_BBOOL present_only, CK_SLOT_ID *slots, CK_ULONG *count)
{
    (void)present_only;
    pthread_mutex_lock(&token.lock);
    CK_RV answer = token.is_initialised ? CKR_OK : CKR_CRYPTOKI_NOT_INITIALIZED;
    CK_ULONG have = token.is_removed ? 0 : token.has_twin ? 2
                                                          : 1;
    for (CK_ULONG i = 0; answer == CKR_OK && slots != NULL && i < have && i < *count; i++)
        slots[i] = i == 0 ? home() : 15 - home();
    *count = token.misbehaviour == MISBEHAVIOUR_SLOTS ? 1UL << 40 : have;
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_GetSlotInfo(CK_SLOT_ID slot, CK_SLOT_INFO *info)
{
    (void)slot;
    memset(info, 0, sizeof *info);
    pad(info->slotDescription, sizeof info->slotDescription, "a slot; of tests");
    pad(info->manufacturerID, sizeof info->manufacturerID, "swift-jose");
    return CKR_OK;
}

CK_RV C_GetTokenInfo(CK_SLOT_ID slot, CK_TOKEN_INFO *info)
{
    pthread_mutex_lock(&token.lock);
    CK_RV answer = present(slot);
    if (answer == CKR_OK) {
        memset(info, 0, sizeof *info);
        pad(info->label, sizeof info->label, "jose tests");
        pad(info->manufacturerID, sizeof info->manufacturerID, "swift-jose");
        pad(info->model, sizeof info->model, "memory");
        pad(info->serialNumber, sizeof info->serialNumber,
            slot != home() && !token.is_copied ? "0002"
            : token.is_other                   ? "0003"
                                               : "0001");
        info->flags = CKF_TOKEN_INITIALIZED | CKF_USER_PIN_INITIALIZED;
        if (token.misbehaviour != MISBEHAVIOUR_NO_LOGIN) info->flags |= CKF_LOGIN_REQUIRED;
        if (token.misbehaviour == MISBEHAVIOUR_KEYPAD)
            info->flags |= CKF_PROTECTED_AUTHENTICATION_PATH;
        if (token.tries_left < 3) info->flags |= CKF_USER_PIN_COUNT_LOW;
        if (token.tries_left == 1) info->flags |= CKF_USER_PIN_FINAL_TRY;
        if (token.tries_left == 0) info->flags |= CKF_USER_PIN_LOCKED;
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_OpenSession(CK_SLOT_ID slot, CK_FLAGS flags, void *application, CK_NOTIFY notify,
                    CK_SESSION_HANDLE *made)
{
    (void)application, (void)notify;
    pthread_mutex_lock(&token.lock);
    CK_RV answer = present(slot);
    if (answer == CKR_OK) {
        answer = CKR_SESSION_COUNT;
        for (size_t i = 0; i < MOST_SESSIONS && answer != CKR_OK; i++) {
            session *one = &token.sessions[i];
            if (one->handle != 0) continue;
            memset(one, 0, sizeof *one);
            one->handle = *made = ++token.last_session;
            one->slot = slot;
            one->writes = (flags & CKF_RW_SESSION) != 0;
            answer = CKR_OK;
        }
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_CloseSession(CK_SESSION_HANDLE handle)
{
    CK_RV answer;
    pthread_mutex_lock(&token.lock);
    session *one = session_of(handle, &answer);
    bool is_last = true;
    if (one != NULL) {
        one->handle = 0;
        for (size_t i = 0; i < MOST_SESSIONS; i++) is_last &= token.sessions[i].handle == 0;
        if (is_last) log_out();
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_CloseAllSessions(CK_SLOT_ID slot)
{
    (void)slot;
    pthread_mutex_lock(&token.lock);
    close_all();
    pthread_mutex_unlock(&token.lock);
    return CKR_OK;
}

CK_RV C_GetSessionInfo(CK_SESSION_HANDLE handle, CK_SESSION_INFO *info)
{
    CK_RV answer;
    pthread_mutex_lock(&token.lock);
    session *one = session_of(handle, &answer);
    if (one != NULL) {
        info->slotID = one->slot;
        info->flags = CKF_SERIAL_SESSION;
        info->state = token.is_logged_in
                          ? (one->writes ? CKS_RW_USER_FUNCTIONS : CKS_RO_USER_FUNCTIONS)
                          : (one->writes ? CKS_RW_PUBLIC_SESSION : CKS_RO_PUBLIC_SESSION);
    }
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_Login(CK_SESSION_HANDLE handle, CK_USER_TYPE user, CK_UTF8CHAR *pin, CK_ULONG pin_len)
{
    CK_RV answer;
    pthread_mutex_lock(&token.lock);
    session *one = session_of(handle, &answer);
    if (one != NULL) token.logins++;
    bool is_right = pin != NULL ? pin_len == strlen(PIN) && memcmp(pin, PIN, pin_len) == 0
                                : token.misbehaviour == MISBEHAVIOUR_KEYPAD;
    if (one == NULL) {
        // the error of session_of
    } else if (token.login_count > 0) {
        token.login_count--;
        answer = token.login_response;
        if (token.misbehaviour == MISBEHAVIOUR_LOGIN_COUNTS && token.tries_left > 0)
            token.tries_left--;
    } else if (user == CKU_CONTEXT_SPECIFIC && one->operation == 0) {
        answer = CKR_OPERATION_NOT_INITIALIZED;
    } else if (user == CKU_USER && token.is_logged_in) {
        answer = CKR_USER_ALREADY_LOGGED_IN;
    } else if (token.tries_left == 0) {
        answer = CKR_PIN_LOCKED;
    } else if (!is_right) {
        token.tries_left--;
        answer = CKR_PIN_INCORRECT;
    } else {
        token.tries_left = 3;
        if (user == CKU_USER)
            token.is_logged_in = true;
        else
            one->wants_pin = false;
    }
    store_token();
    pthread_mutex_unlock(&token.lock);
    return answer;
}

CK_RV C_GetMechanismInfo(CK_SLOT_ID slot, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO *info)
{
    (void)slot;
    info->ulMinKeySize = 0;
    info->ulMaxKeySize = 16384;
    switch (type) {
    case CKM_RSA_PKCS: info->flags = CKF_SIGN | CKF_DECRYPT; break;
    case CKM_RSA_PKCS_PSS:
    case CKM_ECDSA:
    case CKM_EDDSA: info->flags = CKF_SIGN; break;
    case CKM_RSA_PKCS_OAEP:
    case CKM_RSA_X_509: info->flags = CKF_DECRYPT; break;
    case CKM_ECDH1_DERIVE: info->flags = CKF_DERIVE; break;
    default: return CKR_MECHANISM_INVALID;
    }
    return CKR_OK;
}

// Controls for the tests, each with a number, and counters.

#define CONTROL(name, number, work)        \
    void name(long number)                 \
    {                                      \
        pthread_mutex_lock(&token.lock);   \
        work;                              \
        pthread_mutex_unlock(&token.lock); \
    }

#define ASKED(name, work)                  \
    long name(void)                        \
    {                                      \
        long count = 0;                    \
        pthread_mutex_lock(&token.lock);   \
        work;                              \
        pthread_mutex_unlock(&token.lock); \
        return count;                      \
    }

static void lose_sessions(void)
{
    close_all();
    token.epoch++;
}

CONTROL(token_misbehave, value, token.misbehaviour = (int)value)
CONTROL(token_remove, removed, token.is_removed = removed != 0; lose_sessions())
CONTROL(token_swap, other, put_in(other != 0))
// Moves the token to this slot.
CONTROL(token_move, slot, token.is_moved = slot != 7; lose_sessions())
// Puts a twin with the same identity into the other slot.
CONTROL(token_copy, has, token.has_twin = token.is_copied = has != 0)
CONTROL(token_twin, has, token.has_twin = has != 0)
CONTROL(token_ask_next, asks, token.asks_next = asks != 0)
CONTROL(token_twin_next, kind, token.twin_next = (int)kind)
CONTROL(token_delay, microseconds, token.delay_us = (unsigned)microseconds)
CONTROL(token_tries, left, token.tries_left = (CK_ULONG)left)

// Sets the return value of the next operation starts, operation ends or logins: the count in the
// upper half, the return value in the lower.
#define RESPONSE(name, both)                          \
    token.name##_response = (CK_RV)(both)&0xffffffff; \
    token.name##_count = (CK_ULONG)(both) >> 32
CONTROL(token_begin_response, both, RESPONSE(begin, both))
CONTROL(token_end_response, both, RESPONSE(end, both))
CONTROL(token_login_response, both, RESPONSE(login, both))

ASKED(token_logins, count = (long)token.logins)
ASKED(token_operations, count = (long)token.operations)
ASKED(token_sessions,
      for (size_t i = 0; i < MOST_SESSIONS; i++) count += token.sessions[i].handle != 0)
