// hostile_engine.c: a hostile OpenSSL engine for HostTests. It provides RSA, AES-128-CBC and random
// numbers as the process's default. A call of any of them ends the process with status 3.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/engine.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <unistd.h>

static int rsa(int len, const unsigned char *from, unsigned char *to, RSA *key, int padding)
{
    (void)len, (void)from, (void)to, (void)key, (void)padding;
    _exit(3);
}

static int exponentiate(BIGNUM *result, const BIGNUM *input, RSA *key, BN_CTX *scratch)
{
    (void)result, (void)input, (void)key, (void)scratch;
    _exit(3);
}

static int bytes(unsigned char *out, int len)
{
    (void)out, (void)len;
    _exit(3);
}

static int status(void)
{
    return 1;
}

static int start_cipher(EVP_CIPHER_CTX *context, const unsigned char *key, const unsigned char *iv,
                        int encrypting)
{
    (void)context, (void)key, (void)iv, (void)encrypting;
    _exit(3);
}

// What the engine made; freed with it, so that the leak check finds nothing.
static EVP_CIPHER *own_cipher;
static RSA_METHOD *own_rsa;

static int destroy(ENGINE *engine)
{
    (void)engine;
    EVP_CIPHER_meth_free(own_cipher);
    RSA_meth_free(own_rsa);
    own_cipher = NULL;
    own_rsa = NULL;
    return 1;
}

static int ciphers(ENGINE *engine, const EVP_CIPHER **cipher, const int **names, int name)
{
    static const int offered[] = {NID_aes_128_cbc};
    (void)engine, (void)name;
    if (cipher == NULL) {
        *names = offered;
        return 1;
    }
    if (own_cipher == NULL) {
        own_cipher = EVP_CIPHER_meth_new(NID_aes_128_cbc, 16, 16);
        EVP_CIPHER_meth_set_iv_length(own_cipher, 16);
        EVP_CIPHER_meth_set_flags(own_cipher, EVP_CIPH_CBC_MODE);
        EVP_CIPHER_meth_set_init(own_cipher, start_cipher);
    }
    *cipher = own_cipher;
    return 1;
}

static int bind(ENGINE *engine, const char *id)
{
    static RAND_METHOD random = {NULL, bytes, NULL, NULL, bytes, status};
    (void)id;
    own_rsa = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    RSA_meth_set_pub_enc(own_rsa, rsa);
    RSA_meth_set_pub_dec(own_rsa, rsa);
    RSA_meth_set_priv_enc(own_rsa, rsa);
    RSA_meth_set_priv_dec(own_rsa, rsa);
    RSA_meth_set_mod_exp(own_rsa, exponentiate);
    return ENGINE_set_id(engine, "hostile") && ENGINE_set_name(engine, "hostile") &&
           ENGINE_set_RSA(engine, own_rsa) && ENGINE_set_RAND(engine, &random) &&
           ENGINE_set_destroy_function(engine, destroy) &&
           ENGINE_set_ciphers(engine, ciphers);
}

IMPLEMENT_DYNAMIC_BIND_FN(bind)
IMPLEMENT_DYNAMIC_CHECK_FN()
