// secrets.c: poisons secret bytes for clang's MemorySanitizer, which then reports any branch and
// any address that depends on them. Built with -DLEAK it must report one.
#include "cjosebytes.h"

#include <sanitizer/msan_interface.h>
#include <stdio.h>

#define MOST 200

int main(void)
{
    uint8_t secret[MOST], text[2 * MOST], back[MOST];
    for (size_t count = 0; count < MOST; count++) {
        size_t size = (count * 8 + 5) / 6;
        for (size_t i = 0; i < count; i++) {
            secret[i] = (uint8_t)(i * 7 + count);
        }
        __msan_poison(secret, count);
#ifdef LEAK
        josebytes_base64url_encode(text, secret, count, JOSEBYTES_SCALAR);
#else
        josebytes_base64url_encode_secret(text, secret, count);
#endif
        // The result is public; this is the only branch.
        if (!josebytes_base64url_decode_secret(back, text, count == 0 ? 0 : size)) {
            return 1;
        }
        if (!josebytes_equal_constant_time(back, secret, count)) {
            return 1;
        }
    }
    puts("no branch and no address depends on secret bytes");
    return 0;
}
