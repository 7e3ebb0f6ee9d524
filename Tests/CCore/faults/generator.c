// generator.c: a random generator for libcrypto that repeats its numbers and fails on demand, to
// test failing draws.

#include "faults.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#include "runtime/library.h"

static uint64_t state;
static unsigned draws;
static bool is_ours;

// The library draws ahead, so its buffer is emptied too.
void faults_generator_restart(void)
{
    if (!is_ours) return;
    uint8_t bytes[256];
    const unsigned before = draws;
    while (draws == before) need(jose_random(bytes, sizeof bytes) == JOSE_OK, "draw");
    for (int i = 0; i < 7; i++) need(jose_random(bytes, sizeof bytes) == JOSE_OK, "draw");
    state = 8;  // an RSA key comes quickly from these numbers
}

static void *new_context(void *provider, void *parent, const OSSL_DISPATCH *parent_calls)
{
    static char context;
    (void)provider, (void)parent, (void)parent_calls;
    return &context;
}

static void free_context(void *context)
{
    (void)context;
}

static int instantiate(void *context, unsigned strength, int resistance, const unsigned char *text,
                       size_t text_len, const OSSL_PARAM params[])
{
    (void)context, (void)strength, (void)resistance, (void)text, (void)text_len, (void)params;
    return 1;
}

static int uninstantiate(void *context)
{
    (void)context;
    return 1;
}

static int generate(void *context, unsigned char *out, size_t out_len, unsigned strength,
                    int resistance, const unsigned char *more, size_t more_len)
{
    (void)context, (void)strength, (void)resistance, (void)more, (void)more_len;
    draws++;
    if (faults_generator_fails()) return 0;
    for (size_t i = 0; i < out_len; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        out[i] = (unsigned char)((z ^ (z >> 31)) >> 24);
    }
    return 1;
}

static int lock(void *context)
{
    (void)context;
    return 1;
}

static void unlock(void *context)
{
    (void)context;
}

static int get_params(void *context, OSSL_PARAM params[])
{
    (void)context;
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STATE);
    if (p != NULL && OSSL_PARAM_set_int(p, EVP_RAND_STATE_READY) != 1) return 0;
    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STRENGTH);
    if (p != NULL && OSSL_PARAM_set_uint(p, 256) != 1) return 0;
    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_MAX_REQUEST);
    return p == NULL || OSSL_PARAM_set_size_t(p, 1 << 16) == 1;
}

static const OSSL_PARAM *gettable(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_int(OSSL_RAND_PARAM_STATE, NULL),
        OSSL_PARAM_uint(OSSL_RAND_PARAM_STRENGTH, NULL),
        OSSL_PARAM_size_t(OSSL_RAND_PARAM_MAX_REQUEST, NULL),
        OSSL_PARAM_END,
    };
    (void)context, (void)provider;
    return params;
}

static const OSSL_DISPATCH generator[] = {
    {OSSL_FUNC_RAND_NEWCTX, (void (*)(void))new_context},
    {OSSL_FUNC_RAND_FREECTX, (void (*)(void))free_context},
    {OSSL_FUNC_RAND_INSTANTIATE, (void (*)(void))instantiate},
    {OSSL_FUNC_RAND_UNINSTANTIATE, (void (*)(void))uninstantiate},
    {OSSL_FUNC_RAND_GENERATE, (void (*)(void))generate},
    {OSSL_FUNC_RAND_ENABLE_LOCKING, (void (*)(void))lock},
    {OSSL_FUNC_RAND_LOCK, (void (*)(void))lock},
    {OSSL_FUNC_RAND_UNLOCK, (void (*)(void))unlock},
    {OSSL_FUNC_RAND_GET_CTX_PARAMS, (void (*)(void))get_params},
    {OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS, (void (*)(void))gettable},
    {0, NULL},
};

static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache)
{
    static const OSSL_ALGORITHM all[] = {{"FAULTS", "provider=faults", generator, NULL},
                                         {NULL, NULL, NULL, NULL}};
    (void)provider;
    *no_cache = 0;
    return operation == OSSL_OP_RAND ? all : NULL;
}

static int start(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                 void **context)
{
    static const OSSL_DISPATCH functions[] = {
        {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
        {0, NULL},
    };
    (void)in;
    *out = functions;
    *context = (void *)core;
    return 1;
}

void faults_draw_from_us(void)
{
    OSSL_LIB_CTX *context = jose_library_get()->context;
    need(OSSL_PROVIDER_add_builtin(context, "faults", start) == 1, "add_builtin");
    need(OSSL_PROVIDER_load(context, "faults") != NULL, "load");
    need(RAND_set_DRBG_type(context, "FAULTS", "provider=faults", NULL, NULL) == 1, "set type");
    is_ours = true;
}
