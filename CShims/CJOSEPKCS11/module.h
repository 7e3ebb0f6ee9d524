// module.h: a loaded module, and what its return values mean.
#ifndef JOSE_P11_MODULE_H
#define JOSE_P11_MODULE_H

#include "cjosepkcs11.h"

#include <p11-kit-1/p11-kit/pkcs11.h>
#include <sys/types.h>

struct jose_p11 {
    CK_FUNCTION_LIST *calls;
    pid_t owner;
};

// Whether the device had the input (a ciphertext, a point, or the bytes to sign) when a function of
// the module failed.
typedef enum { JOSE_P11_BEFORE_INPUT,
               JOSE_P11_AFTER_INPUT } jose_p11_phase;

// jose_p11_meaning maps a return value to a status. With JOSE_P11_AFTER_INPUT, only a lost session,
// login, token or device has its own status: any other difference might reveal padding.
jose_p11_status jose_p11_meaning(CK_RV rv, jose_p11_phase phase);

// jose_p11_login_meaning maps the return value of a login to a status. Only a value that means that
// the PIN was not tried maps to JOSE_P11_SESSION or JOSE_P11_GONE, which allow a retry.
// `is_operation`: the login is for one use of a key.
jose_p11_status jose_p11_login_meaning(CK_RV rv, bool is_operation);

// jose_p11_start initialises a module for this process, unless it is initialised.
jose_p11_status jose_p11_start(CK_FUNCTION_LIST *calls);

#endif
