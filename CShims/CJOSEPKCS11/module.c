// module.c: loads each module once, initialises it once in each process, and keeps it loaded.
#include "module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A module that this process, or its parent before a fork, loaded.
typedef struct loaded {
    struct loaded *next;
    CK_FUNCTION_LIST *calls;
    pid_t owner;
} loaded;

// Guards `all`.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Held while a module starts, which may take forever. Only the holder changes `all`.
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static loaded *all;
// The ID of this process, or 0 before it is known. Operations read it here, without a system call.
// The operating system zeroes its page in every child, whichever system call made the child. NULL
// if the operating system has no such pages.
static _Atomic pid_t *self;

static void make_self(void)
{
#ifdef MADV_WIPEONFORK
    const long size = sysconf(_SC_PAGESIZE);
    if (size <= 0) return;
    void *page =
        mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (madvise(page, (size_t)size, MADV_WIPEONFORK) == 0)
        self = page;
    else
        munmap(page, (size_t)size);
#endif
}

static pid_t process(void)
{
    if (self == NULL) return getpid();
    pid_t known = atomic_load_explicit(self, memory_order_relaxed);
    if (known != 0) return known;
    known = getpid();
    atomic_store_explicit(self, known, memory_order_relaxed);
    return known;
}

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
    pthread_mutex_unlock(&lock);
}

// The thread that held `starting` does not exist in a child of fork, so the child resets the mutex.
static void begin_as_child(void)
{
    starting = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    give_lock();
}

// A child of fork finds `lock` free. A fork does not wait for a module that starts.
static void watch_forks(void)
{
    pthread_atfork(take_lock, give_lock, begin_as_child);
    make_self();
}

static bool is_whole(const CK_FUNCTION_LIST *calls)
{
    return (calls->version.major == 2 || calls->version.major == 3) &&
           calls->C_Initialize != NULL && calls->C_GetInfo != NULL &&
           calls->C_GetSlotList != NULL && calls->C_GetSlotInfo != NULL &&
           calls->C_GetTokenInfo != NULL && calls->C_GetMechanismInfo != NULL &&
           calls->C_OpenSession != NULL && calls->C_CloseSession != NULL &&
           calls->C_GetSessionInfo != NULL && calls->C_Login != NULL &&
           calls->C_CreateObject != NULL && calls->C_DestroyObject != NULL &&
           calls->C_GetAttributeValue != NULL && calls->C_FindObjectsInit != NULL &&
           calls->C_FindObjects != NULL && calls->C_FindObjectsFinal != NULL &&
           calls->C_DecryptInit != NULL && calls->C_Decrypt != NULL && calls->C_SignInit != NULL &&
           calls->C_Sign != NULL && calls->C_GenerateKeyPair != NULL && calls->C_DeriveKey != NULL;
}

static jose_p11_status initialise(CK_FUNCTION_LIST *calls)
{
    CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
    CK_RV rv = calls->C_Initialize(&arguments);
    if (rv == CKR_CRYPTOKI_ALREADY_INITIALIZED) return JOSE_P11_OK;
    return jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
}

jose_p11_status jose_p11_start(CK_FUNCTION_LIST *calls)
{
    pthread_mutex_lock(&starting);
    jose_p11_status status = initialise(calls);
    pthread_mutex_unlock(&starting);
    return status;
}

static loaded *find_loaded(const CK_FUNCTION_LIST *calls)
{
    take_lock();
    loaded *entry = all;
    while (entry != NULL && entry->calls != calls) entry = entry->next;
    give_lock();
    return entry;
}

// Finds or makes the module's entry. Initialises the module if this process has not. The caller
// holds `starting`.
static jose_p11_status keep(CK_FUNCTION_LIST *calls, bool *is_known)
{
    loaded *entry = find_loaded(calls);
    *is_known = entry != NULL;
    if (entry != NULL && entry->owner == process()) return JOSE_P11_OK;
    jose_p11_status status = initialise(calls);
    if (status != JOSE_P11_OK) return status;
    loaded *made = entry == NULL ? calloc(1, sizeof *made) : NULL;
    if (entry == NULL && made == NULL) return JOSE_P11_FAILED;
    take_lock();
    if (entry == NULL) {
        entry = made;
        entry->calls = calls;
        entry->next = all;
        all = entry;
    }
    entry->owner = process();
    give_lock();
    return JOSE_P11_OK;
}

jose_p11_status jose_p11_load(jose_p11 **module, const char *path)
{
    *module = NULL;
    pthread_once(&once, watch_forks);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return JOSE_P11_NO_MODULE;
    CK_C_GetFunctionList get = NULL;
    // ISO C cannot convert an object pointer to a function pointer, so the bytes are copied.
    void *symbol = dlsym(library, "C_GetFunctionList");
    memcpy(&get, &symbol, sizeof get);
    CK_FUNCTION_LIST *calls = NULL;
    if (get == NULL || get(&calls) != CKR_OK || calls == NULL || !is_whole(calls)) {
        dlclose(library);
        return JOSE_P11_NO_MODULE;
    }
    jose_p11 *made = calloc(1, sizeof *made);
    bool is_known = false;
    pthread_mutex_lock(&starting);
    jose_p11_status status = made == NULL ? JOSE_P11_FAILED : keep(calls, &is_known);
    pthread_mutex_unlock(&starting);
    // The first handle is never closed: threads of the module may run its code.
    if (is_known) dlclose(library);
    if (status != JOSE_P11_OK) {
        free(made);
        return status;
    }
    made->calls = calls;
    made->owner = process();
    *module = made;
    return JOSE_P11_OK;
}

void jose_p11_free(jose_p11 *module)
{
    free(module);
}

bool jose_p11_is_same_process(const jose_p11 *module)
{
    return module->owner == process();
}

jose_p11_status jose_p11_meaning(CK_RV rv, jose_p11_phase phase)
{
    switch (rv) {
    case CKR_OK: return JOSE_P11_OK;
    case CKR_SESSION_HANDLE_INVALID:
    case CKR_SESSION_CLOSED: return JOSE_P11_SESSION;
    case CKR_USER_NOT_LOGGED_IN: return JOSE_P11_LOGIN;
    case CKR_CRYPTOKI_NOT_INITIALIZED:
    case CKR_SLOT_ID_INVALID:
    case CKR_TOKEN_NOT_PRESENT:
    case CKR_DEVICE_REMOVED: return JOSE_P11_GONE;
    default: break;
    }
    if (phase == JOSE_P11_AFTER_INPUT) return JOSE_P11_FAILED;
    switch (rv) {
    case CKR_OPERATION_ACTIVE: return JOSE_P11_BUSY;
    case CKR_BUFFER_TOO_SMALL: return JOSE_P11_TOO_LONG;
    case CKR_KEY_HANDLE_INVALID:
    case CKR_OBJECT_HANDLE_INVALID: return JOSE_P11_OBJECT;
    case CKR_SESSION_COUNT:
    case CKR_TOKEN_NOT_RECOGNIZED:
    case CKR_DEVICE_ERROR: return JOSE_P11_GONE;
    case CKR_PIN_INCORRECT:
    case CKR_PIN_INVALID:
    case CKR_PIN_LEN_RANGE: return JOSE_P11_PIN;
    case CKR_PIN_EXPIRED:
    case CKR_PIN_LOCKED:
    case CKR_USER_PIN_NOT_INITIALIZED: return JOSE_P11_LOCKED;
    case CKR_ATTRIBUTE_SENSITIVE:
    case CKR_ATTRIBUTE_TYPE_INVALID:
    case CKR_MECHANISM_INVALID:
    case CKR_MECHANISM_PARAM_INVALID:
    case CKR_ARGUMENTS_BAD:
    case CKR_CURVE_NOT_SUPPORTED:
    case CKR_DOMAIN_PARAMS_INVALID:
    case CKR_FUNCTION_NOT_SUPPORTED: return JOSE_P11_ABSENT;
    default: return JOSE_P11_FAILED;
    }
}

jose_p11_status jose_p11_login_meaning(CK_RV rv, bool is_operation)
{
    // CKR_USER_ALREADY_LOGGED_IN is success for CKU_USER. For CKU_CONTEXT_SPECIFIC, which permits
    // one operation, it is an unexpected failure: JOSE_P11_UNSURE.
    if (rv == CKR_USER_ALREADY_LOGGED_IN && !is_operation) return JOSE_P11_OK;
    jose_p11_status status = jose_p11_meaning(rv, JOSE_P11_BEFORE_INPUT);
    switch (status) {
    case JOSE_P11_OK:
    case JOSE_P11_PIN:
    case JOSE_P11_LOCKED: return status;
    case JOSE_P11_SESSION:
    case JOSE_P11_GONE:
        // The three values below mean that the PIN was not tried. If the session was closed
        // meanwhile, or the device was removed or failed, that is unknown.
        if (rv == CKR_SESSION_HANDLE_INVALID) return status;
        if (rv == CKR_CRYPTOKI_NOT_INITIALIZED || rv == CKR_TOKEN_NOT_PRESENT) return status;
        return JOSE_P11_UNSURE;
    default: return JOSE_P11_UNSURE;
    }
}
