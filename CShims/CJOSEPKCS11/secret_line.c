// secret_line.c: reads a short file, such as a PIN, into memory that the caller wipes.
#include "cjosepkcs11.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

jose_p11_status jose_p11_read_line(uint8_t *out, size_t capacity, size_t *len, const char *path)
{
    *len = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return JOSE_P11_ABSENT;
    size_t have = 0;
    jose_p11_status status = JOSE_P11_OK;
    for (;;) {
        // If the buffer is full, one more byte is read to detect an excess.
        uint8_t beyond;
        ssize_t got =
            have < capacity ? read(file, out + have, capacity - have) : read(file, &beyond, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = JOSE_P11_ABSENT;
        if (got > 0 && have == capacity) status = JOSE_P11_TOO_LONG;
        if (got <= 0 || status != JOSE_P11_OK) break;
        have += (size_t)got;
    }
    close(file);
    if (have > 0 && out[have - 1] == '\n') {
        have--;
        if (have > 0 && out[have - 1] == '\r') have--;
    }
    *len = status == JOSE_P11_OK ? have : 0;
    return status;
}
