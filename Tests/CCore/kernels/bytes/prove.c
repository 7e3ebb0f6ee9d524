// prove.c: compares every byte kernel of this processor with plain definitions: every length to
// 1,000, every byte at every index of some vectors, fences around all output.
#include "cjosebytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1000
#define FENCE 96

static const char *const names[] = {"best", "scalar", "AVX2", "AVX-512 VBMI", "NEON"};
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static unsigned long checks;

static void expect(bool good, const char *what, size_t where)
{
    checks++;
    if (!good) {
        printf("FAILED: %s at %zu\n", what, where);
        exit(1);
    }
}

static size_t text_size(size_t count)
{
    return (count * 8 + 5) / 6;
}

// encode and decode are the bitwise definition.
static void encode(uint8_t *out, const uint8_t *in, size_t count)
{
    for (size_t i = 0; i < text_size(count); i++) {
        unsigned value = 0;
        for (size_t bit = i * 6; bit < i * 6 + 6; bit++) {
            value = value << 1 | (bit < count * 8 ? in[bit / 8] >> (7 - bit % 8) & 1u : 0);
        }
        out[i] = (uint8_t)alphabet[value];
    }
}

static bool decode(uint8_t *out, const uint8_t *text, size_t count)
{
    if (count % 4 == 1) {
        return false;
    }
    unsigned held = 0, bits = 0;
    for (size_t i = 0; i < count; i++) {
        const char *found = text[i] == 0 ? NULL : strchr(alphabet, text[i]);
        if (found == NULL) {
            return false;
        }
        held = (held << 6 | (unsigned)(found - alphabet)) & 0xffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            *out++ = (uint8_t)(held >> bits);
            held &= (1u << bits) - 1;
        }
    }
    return held == 0;
}

// fenced fills a buffer; whole returns whether everything after its first count bytes is unchanged.
static void fenced(uint8_t *bytes, size_t count)
{
    memset(bytes, 0xa5, count + FENCE);
}

static bool whole(const uint8_t *bytes, size_t count)
{
    for (size_t i = count; i < count + FENCE; i++) {
        if (bytes[i] != 0xa5) {
            return false;
        }
    }
    return true;
}

__attribute__((no_sanitize("integer"))) static uint8_t noise(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint8_t)(state >> 56);
}

// exact returns a copy that ends at the end of its memory, so that the address sanitizer detects
// reads beyond.
static uint8_t *exact(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count == 0 ? 1 : count);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, bytes, count);
    return copy;
}

// compare_decoder compares a decoder with the definition, in the result and in every byte.
static void compare_decoder(const uint8_t *text, size_t count, josebytes_kernel kernel, bool secret)
{
    static const uint8_t wiped[MOST + 8];
    static uint8_t expected[MOST + 8], bytes[MOST + 8 + FENCE];
    size_t size = count % 4 == 1 ? 0 : count * 6 / 8;
    fenced(bytes, size);
    bool good = decode(expected, text, count);
    uint8_t *copy = exact(text, count);
    bool found = secret ? josebytes_base64url_decode_secret(bytes, copy, count)
                        : josebytes_base64url_decode(bytes, copy, count, kernel);
    free(copy);
    expect(found == good, "result of the decoder", count);
    expect(whole(bytes, size), "fence of the decoder", count);
    expect(!good || memcmp(bytes, expected, size) == 0, "decoder", count);
    expect(good || !secret || memcmp(bytes, wiped, size) == 0, "wipe of the decoder", count);
}

static void prove(josebytes_kernel kernel, bool secret)
{
    static uint8_t in[MOST], expected[2 * MOST], text[2 * MOST + FENCE];
    for (size_t count = 0; count <= MOST; count++) {
        for (size_t i = 0; i < count; i++) {
            in[i] = noise();
        }
        size_t size = text_size(count);
        encode(expected, in, count);
        fenced(text, size);
        uint8_t *copy = exact(in, count);
        if (secret) {
            josebytes_base64url_encode_secret(text, copy, count);
        } else {
            josebytes_base64url_encode(text, copy, count, kernel);
        }
        free(copy);
        expect(whole(text, size) && memcmp(text, expected, size) == 0, "encoder", count);
        if (!secret) {
            fenced(text, size);
            memcpy(text + size - count, in, count);
            josebytes_base64url_encode(text, text + size - count, count, kernel);
            expect(whole(text, size) && memcmp(text, expected, size) == 0, "in place", count);
        }
        if (size <= MOST) {
            compare_decoder(expected, size, kernel, secret);
        }
    }
    static const size_t sizes[] = {1, 2, 3, 4, 6, 7, 31, 32, 44, 63, 64, 66, 67, 88, 128, 151, 159};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t i = 0; i < sizes[s]; i++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                memset(text, 'A', sizes[s]);
                text[i] = (uint8_t)byte;
                compare_decoder(text, sizes[s], kernel, secret);
            }
        }
    }
}

static void prove_available(void)
{
    bool avx2 = false, avx512 = false, neon = false;
#if defined(__x86_64__)
    avx2 = __builtin_cpu_supports("avx2") != 0;
    avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512vbmi") != 0;
#elif defined(__aarch64__)
    neon = true;
#endif
    const bool runs[] = {true, true, avx2, avx512, neon};
    for (size_t kernel = 0; kernel < sizeof runs; kernel++) {
        bool found = josebytes_kernel_available((josebytes_kernel)kernel);
        expect(found == runs[kernel], "kernel that runs", kernel);
        // A kernel that is not available is replaced.
        compare_decoder((const uint8_t *)"Zm9vYmE", 7, (josebytes_kernel)kernel, false);
    }
    const size_t chunk = josebytes_base64url_chunk();
    expect(chunk == (avx2 && !avx512 ? 256 : 512), "chunk size", chunk);
}

static bool needs_escape(uint8_t byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\';
}

// The last bytes of a text alone, however few.
static void expect_last(const uint8_t *text, size_t count)
{
    for (size_t rest = 0; rest < 16 && count >= 16; rest++) {
        size_t plain = josebytes_plain_count(text + count - rest, rest);
        expect(josebytes_plain_last(text + count, rest) == plain, "run at the end", rest);
    }
}

static void prove_runs(void)
{
    uint8_t text[64];
    for (size_t count = 0; count <= 48; count++) {
        memset(text, 'x', sizeof text);
        // Bytes after the text do not count.
        expect(josebytes_plain_count(text, count) == count, "run in a text", count);
        uint8_t *copy = exact(text, count);
        expect(josebytes_plain_count(copy, count) == count, "run", count);
        for (size_t i = 0; i < count; i++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                copy[i] = (uint8_t)byte;
                size_t end = byte >= 0x80 || needs_escape(copy[i]) ? i : count;
                expect(josebytes_plain_count(copy, count) == end, "stop", i);
                expect_last(copy, count);
            }
            copy[i] = 'x';
        }
        for (size_t i = count; i > 0; i--) {
            copy[i - 1] = '\\';
            expect(josebytes_plain_count(copy, count) == i - 1, "first of many stops", i);
            expect_last(copy, count);
        }
        free(copy);
    }
}

// sequence is the definition (RFC 3629 section 4): the number of bytes of the character at the
// start of text, or 0.
static size_t sequence(const uint8_t *text, size_t count)
{
    const uint8_t lead = text[0];
    if (lead < 0x80) return needs_escape(lead) ? 0 : 1;
    const size_t length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3
                                                         : lead >= 0xc2 && lead < 0xe0   ? 2
                                                                                         : 0;
    if (length == 0 || length > count) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    const uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90
                                                           : 0x80;
    const uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f
                                                            : 0xbf;
    return text[1] >= low && text[1] <= high ? length : 0;
}

// compare_run checks that the kernel's run has whole characters only and ends near the end of the
// true one.
static void compare_run(const uint8_t *text, size_t count)
{
    static const size_t nearest = 20;
    const size_t said = josebytes_text_count(text, count);
    size_t end = 0, length = 1;
    bool is_whole = said == 0;
    while (end < count && (length = sequence(text + end, count - end)) > 0) {
        end += length;
        is_whole |= end == said;
    }
    expect(is_whole && said <= end, "run of text", said);
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("ssse3")) return;
#elif !defined(__aarch64__)
    return;
#endif
    expect(end - said < nearest, "end of the run", end);
}

// One to four bytes at every index of texts of each kind of character: all pairs, all triples, all
// groups of four with a lead byte; then random whole characters with one byte changed.
static void prove_text(void)
{
    static const char *const around[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    enum { COUNT = 48 };
    for (size_t kind = 0; kind < 4; kind++) {
        uint8_t text[COUNT];
        const size_t length = kind + 1;
        for (size_t index = 0; index + 4 <= COUNT; index += length) {
            for (size_t i = 0; i < COUNT; i++) text[i] = (uint8_t)around[kind][i % length];
            for (unsigned pair = 0; pair < 0x10000; pair++) {
                text[index] = (uint8_t)(pair >> 8), text[index + 1] = (uint8_t)pair;
                compare_run(text, COUNT);
            }
            for (unsigned four = 0; four < 0x40000; four++) {
                // a lead byte, then bytes at the edges of their ranges
                static const uint8_t edges[8] = {0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0};
                text[index] = (uint8_t)(0xc0 + (four >> 12)),
                text[index + 1] = edges[four >> 9 & 7];
                text[index + 2] = edges[four >> 6 & 7], text[index + 3] = edges[four >> 3 & 7];
                if (four % 8 == 0) compare_run(text, COUNT);
            }
        }
    }
    uint8_t text[256 + 4];
    for (int round = 0; round < 200000; round++) {
        size_t count = 0;
        while (count < 200) {
            const char *next = around[noise() % 4];
            memcpy(text + count, next, strlen(next));
            count += strlen(next);
        }
        count -= noise() % 24;
        if (round % 4 != 0) text[noise() % count] = (uint8_t)noise();
        uint8_t *copy = exact(text, count);
        compare_run(copy, count);
        free(copy);
    }
}

static void copied(const uint8_t *text, size_t count, bool plain)
{
    enum { BEFORE = 8 };
    static uint8_t out[BEFORE + MOST + FENCE];
    fenced(out, BEFORE + count);
    uint8_t *copy = exact(text, count);
    bool good = josebytes_copy_unescaped(out + BEFORE, copy, count);
    free(copy);
    expect(good == plain, "result of the copy", count);
    expect(!good || memcmp(out + BEFORE, text, count) == 0, "copy", count);
    expect(whole(out, BEFORE + count) && memcmp(out, out + BEFORE + count, BEFORE) == 0,
           "fences of the copy", count);
}

// prove_copies puts the edge bytes at every index of every length, and every byte where steps end.
static void prove_copies(void)
{
    static const uint8_t edges[] = {0, 0x1f, 0x20, '"', '\\', 0x7f, 0x80, 0xff};
    uint8_t text[200];
    for (size_t count = 0; count <= sizeof text; count++) {
        for (size_t i = 0; i < count; i++) {
            text[i] = (uint8_t)('\\' + 1 + noise() % 163);
        }
        copied(text, count, true);
        bool all = count < 20 || (count > 62 && count < 67) || count == 129;
        for (size_t i = 0; i < count; i++) {
            uint8_t kept = text[i];
            for (unsigned n = 0; n < (all ? 256 : sizeof edges); n++) {
                text[i] = all ? (uint8_t)n : edges[n];
                copied(text, count, !needs_escape(text[i]));
            }
            text[i] = kept;
        }
    }
}

// prove_search also puts the searched byte after the text.
static void prove_search(void)
{
    static uint8_t text[MOST + 1];
    for (size_t count = 0; count <= MOST; count++) {
        size_t places[JOSEBYTES_MAX_POSITIONS] = {0}, found = 0, signs = 0;
        for (size_t i = 0; i < sizeof text; i++) {
            text[i] = i >= count ? ',' : (uint8_t) ",,:[{}];xZz\xfb\xdb"[noise() % 13];
            signs += i < count && text[i] != 0 && strchr(",:[{", text[i]) != NULL;
            if (i < count && text[i] == ',' && found < JOSEBYTES_MAX_POSITIONS) {
                places[found++] = i;
            }
        }
        expect(josebytes_count_structural(text, count) == signs, "signs", count);
        josebytes_positions all = josebytes_find(text, count, ',');
        expect(all.count == found && memcmp(all.position, places, found * sizeof *places) == 0,
               "places", count);
        // The first three positions, then the last one if it is near the end. Only otherwise five
        // or more are returned.
        enum { FRONT = JOSEBYTES_MAX_POSITIONS - 2,
               BACK = 64 };
        size_t last = count;
        while (last > 0 && text[last - 1] != ',') last--;
        josebytes_positions outer = josebytes_find_first_and_last(text, count, ',');
        if (found > FRONT && count - last < BACK) {
            places[FRONT] = last - 1;
            found = FRONT + 1;
        }
        expect(outer.count == found && memcmp(outer.position, places, found * sizeof *places) == 0,
               "outer positions", count);
        for (size_t few = 0; few <= JOSEBYTES_MAX_POSITIONS + 1; few++) {
            for (size_t behind = 0; behind <= BACK + 2 && few * 2 + behind <= count; behind++) {
                memset(text, 'x', sizeof text);
                for (size_t i = 0; i < few; i++)
                    text[i + 1 < few ? i * 2 : count - behind - 1] = ',';
                outer = josebytes_find_first_and_last(text, count, ',');
                all = josebytes_find(text, count, ',');
                const bool near = few > FRONT && behind < BACK;
                expect(outer.count == (near ? FRONT + 1 : all.count), "outer positions", count);
                expect(memcmp(outer.position, all.position,
                              (near ? FRONT : all.count) * sizeof *places) == 0,
                       "first positions", count);
                expect(!near || outer.position[FRONT] == count - behind - 1, "last position",
                       count);
            }
        }
        memset(text, '{', sizeof text);
        expect(josebytes_count_structural(text, count) == count, "signs only", count);
        // The searched byte is after the text and not in it.
        memset(text, '!', sizeof text);
        text[count] = ' ';
        expect(!josebytes_has_space_or('=', text, count), "no space", count);
        for (size_t i = 0; i < count; i++) {
            text[i] = (uint8_t) "\x00\n ="[noise() % 4];
            expect(josebytes_has_space_or('=', text, count), "space", count);
            text[i] = 0xff;
        }
        expect(!josebytes_has_space_or('=', text, count), "no space among high bytes", count);
    }
}

static void prove_wipe(void)
{
    static const uint8_t wiped[100];
    uint8_t bytes[sizeof wiped + FENCE];
    for (size_t count = 0; count <= sizeof wiped; count++) {
        fenced(bytes, count);
        josebytes_wipe(bytes, count);
        expect(whole(bytes, count) && memcmp(bytes, wiped, count) == 0, "wipe", count);
    }
}

static void run(const char *what, void (*proof)(void))
{
    checks = 0;
    proof();
    printf("%-25s %8lu checks\n", what, checks);
}

int main(void)
{
    run("available kernels", prove_available);
    for (int kernel = JOSEBYTES_BEST; kernel <= JOSEBYTES_NEON; kernel++) {
        if (josebytes_kernel_available((josebytes_kernel)kernel)) {
            checks = 0;
            prove((josebytes_kernel)kernel, false);
            printf("base64url, %-14s %8lu checks\n", names[kernel], checks);
        }
    }
    checks = 0;
    prove(JOSEBYTES_BEST, true);
    printf("base64url, %-14s %8lu checks\n", "for secrets", checks);
    run("plain runs", prove_runs);
    run("runs of text", prove_text);
    run("plain copies", prove_copies);
    run("positions and signs", prove_search);
    run("wipe", prove_wipe);
    return 0;
}
