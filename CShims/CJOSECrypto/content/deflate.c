// deflate.c: raw DEFLATE (RFC 1951) by zlib, as RFC 7516 section 4.1.3 requires: no zlib or gzip
// frame, nothing after the end. The memory of zlib is wiped.

#include <openssl/crypto.h>
#include <string.h>
#include <zlib.h>

#include "cjosecrypto.h"
#include "runtime/host.h"

enum { RAW = -15,
       MEMORY_LEVEL = 8 };

// zlib lengths are unsigned int.
static const size_t max_len = (size_t)1 << 30;

// MARK: memory with its size

// Since OpenSSL 3.2, libcrypto's allocator leaves an error entry if it fails.
static void *zlib_alloc(void *unused, uInt count, uInt size)
{
    (void)unused;
    size_t bytes = (size_t)count * size;
    size_t *memory = OPENSSL_zalloc(16 + bytes);
    if (memory == NULL) return NULL;
    memory[0] = bytes;
    return (uint8_t *)memory + 16;
}

static void zlib_free(void *unused, void *pointer)
{
    (void)unused;
    if (pointer == NULL) return;
    size_t *memory = (size_t *)((uint8_t *)pointer - 16);
    OPENSSL_clear_free(memory, 16 + memory[0]);
}

// MARK: public functions

bool jose_deflate_available(void)
{
    // zlib itself checks the same: a new major version changes its structures.
    return zlibVersion()[0] == ZLIB_VERSION[0];
}

static jose_status expand(uint8_t *out, size_t *out_len, bool *is_longer, const uint8_t *in,
                          size_t in_len)
{
    size_t capacity = *out_len;
    *out_len = 0;
    *is_longer = false;
    if (in_len > max_len || capacity > max_len) return JOSE_INTERNAL;
    if (in_len == 0) return JOSE_REJECTED;
    if (!jose_deflate_available()) return JOSE_UNSUPPORTED;
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (inflateInit2(&stream, RAW) != Z_OK) return JOSE_INTERNAL;
    uint8_t beyond;  // where the first byte over the limit goes
    stream.next_in = (uint8_t *)in;
    stream.avail_in = (uInt)in_len;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    int result = capacity == 0 ? Z_OK : inflate(&stream, Z_NO_FLUSH);
    size_t written = capacity - stream.avail_out;
    if ((result == Z_OK || result == Z_BUF_ERROR) && stream.avail_out == 0) {
        stream.next_out = &beyond;
        stream.avail_out = 1;
        result = inflate(&stream, Z_NO_FLUSH);
        *is_longer = stream.avail_out == 0;
    }
    bool done = result == Z_STREAM_END && !*is_longer && stream.avail_in == 0;
    inflateEnd(&stream);
    OPENSSL_cleanse(&beyond, 1);
    if (!done) {
        OPENSSL_cleanse(out, written);
        return result == Z_MEM_ERROR ? JOSE_INTERNAL : JOSE_REJECTED;
    }
    *out_len = written;
    return JOSE_OK;
}

jose_status jose_inflate(uint8_t *out, size_t *out_len, bool *is_longer, const uint8_t *in,
                         size_t in_len)
{
    JOSE_HOST_SCOPE;
    return expand(out, out_len, is_longer, in, in_len);
}

size_t jose_deflate_bound(size_t len)
{
    return len > max_len ? 0 : len + len / 1000 + 64;
}

static jose_status shrink(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len)
{
    size_t capacity = *out_len;
    *out_len = 0;
    if (in_len > max_len || capacity > 2 * max_len) return JOSE_INTERNAL;
    if (!jose_deflate_available()) return JOSE_UNSUPPORTED;
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return JOSE_INTERNAL;
    stream.next_in = (uint8_t *)in;
    stream.avail_in = (uInt)in_len;
    stream.next_out = out;
    stream.avail_out = (uInt)capacity;
    bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&stream);
    if (!done) {
        OPENSSL_cleanse(out, capacity);
        return JOSE_INTERNAL;
    }
    *out_len = capacity - stream.avail_out;
    return JOSE_OK;
}

jose_status jose_deflate(uint8_t *out, size_t *out_len, const uint8_t *in, size_t in_len)
{
    JOSE_HOST_SCOPE;
    return shrink(out, out_len, in, in_len);
}
