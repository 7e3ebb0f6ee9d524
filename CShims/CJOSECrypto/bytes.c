// bytes.c: wiping, constant-time comparison, memory for secrets, and the wall clock.

#include "cjosecrypto.h"

#include <openssl/crypto.h>
#include <time.h>

void jose_wipe(void *bytes, size_t bytes_len)
{
    if (bytes_len > 0) OPENSSL_cleanse(bytes, bytes_len);
}

bool jose_equal(const uint8_t *left, const uint8_t *right, size_t len)
{
    return len == 0 || CRYPTO_memcmp(left, right, len) == 0;
}

uint8_t *jose_secret_make(size_t len)
{
    return OPENSSL_zalloc(len > 0 ? len : 1);
}

void jose_secret_free(uint8_t *secret, size_t len)
{
    OPENSSL_clear_free(secret, len);
}

void jose_clock_now(int64_t *seconds, int32_t *nanoseconds)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    *seconds = now.tv_sec;
    *nanoseconds = (int32_t)now.tv_nsec;
}
