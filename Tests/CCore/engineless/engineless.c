// engineless.c: the C core with other libcryptos. Without openssl/engine.h and the engine functions
// (`run` renames them to absent names), nothing replaces RSA and EC, and both work. With an error
// queue of another layout or size nothing is used, and the host's entries stay.

#include <stdio.h>

#include "cjosecrypto.h"
#include "runtime/host.h"

static bool is_other;

#ifdef JOSE_QUEUE_BY_ENTRIES

#undef ERR_count_to_mark  // by that name the core, and the header, have the function below

int ERR_count_to_mark(void);

int other_count_to_mark(void)
{
    const int count = ERR_count_to_mark();
    return is_other && count > JOSE_QUEUE_ENTRIES / 2 ? JOSE_QUEUE_ENTRIES + 1 : count;
}

#else

#undef ERR_peek_error_all

unsigned long ERR_peek_error_all(const char **file, int *line, const char **function,
                                 const char **data, int *flags);

unsigned long other_peek_error_all(const char **file, int *line, const char **function,
                                   const char **data, int *flags)
{
    const unsigned long code = ERR_peek_error_all(file, line, function, data, flags);
    if (is_other) *line += 1;
    return code;
}

#endif

static int wrong;

static void need(bool is_so, const char *what)
{
    if (!is_so) wrong++, printf("WRONG  engineless: %s\n", what);
}

static bool works(jose_key *key, jose_signature_family family)
{
    jose_signature *signer = NULL;
    uint8_t signature[512];
    const bool done =
        jose_signature_make(&signer, key, family, JOSE_SHA256, true, JOSE_PROVIDER_ONLY) ==
            JOSE_OK &&
        jose_signature_sign(signer, signature, jose_signature_bytes(signer), NULL, 0) == JOSE_OK;
    jose_signature_free(signer);
    return done;
}

// With and without entries of the host.
static void begin_with_another_queue(int entries)
{
    uint8_t bytes[8];
    for (int i = 0; i < entries; i++) ERR_raise_data(ERR_LIB_USER, 100 + i, "of the host's, %d", i);
    is_other = true;
    need(jose_start() == JOSE_INTERNAL && jose_library_failure() == JOSE_START_FAILURE_QUEUE,
         "another queue layout is accepted");
    need(jose_random(bytes, sizeof bytes) == JOSE_INTERNAL,
         "something works with another queue layout");
    is_other = false;
    for (int i = 0; i < entries; i++)
        need(ERR_GET_REASON(ERR_get_error()) == 100 + i, "an entry of the host is lost");
    need(ERR_get_error() == 0, "an entry of the core stays");
}

int main(void)
{
    jose_key *rsa = NULL, *ec = NULL;
    begin_with_another_queue(0);
    begin_with_another_queue(3);
    need(jose_start() == JOSE_OK && jose_library_failure() == JOSE_START_FAILURE_NONE,
         "the queue layout is rejected");
#ifdef JOSE_HAS_ENGINES
    need(ENGINE_get_default_RSA == NULL && ENGINE_get_default_EC == NULL && ENGINE_finish == NULL,
         "engines");
#endif
    need(!jose_host_replaced_rsa() && !jose_host_replaced_ec(), "something was replaced");
    need(jose_rsa_generate(&rsa, JOSE_MODULE_PROCESS, 2048) == JOSE_OK &&
             jose_ec_generate(&ec, JOSE_MODULE_PROCESS, JOSE_P256) == JOSE_OK,
         "keys");
    need(rsa != NULL && works(rsa, JOSE_RSA_PKCS1) && ec != NULL && works(ec, JOSE_ECDSA),
         "signatures");
    jose_key_release(rsa);
    jose_key_release(ec);
    printf("engineless   another libcrypto: %d wrong\n", wrong);
    return wrong > 0;
}
