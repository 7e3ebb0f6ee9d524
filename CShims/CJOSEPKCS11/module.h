// module.h: what the files of this target share: the loaded module, and what its answers mean.
#ifndef JOSE_P11_MODULE_H
#define JOSE_P11_MODULE_H

#include "cjosepkcs11.h"

#include <p11-kit-1/p11-kit/pkcs11.h>
#include <sys/types.h>

struct jose_p11 {
    CK_FUNCTION_LIST *calls;
    pid_t owner;
};

// When an answer came: before the device had what is to be worked on, or afterwards.
typedef enum { JOSE_P11_BEFORE,
               JOSE_P11_AFTER } jose_p11_phase;

// jose_p11_meaning is the status of an answer. Afterwards only what is gone is told apart: any other
// difference might be one of a padding.
jose_p11_status jose_p11_meaning(CK_RV rv, jose_p11_phase phase);

// jose_p11_login_meaning is the status of the answer to a login: only what is said before a PIN is looked at may be
// mended and tried again.
jose_p11_status jose_p11_login_meaning(CK_RV rv, bool is_operation);

// jose_p11_start initialises a module for this process, unless somebody did.
jose_p11_status jose_p11_start(CK_FUNCTION_LIST *calls);

#endif
