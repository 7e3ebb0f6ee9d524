// base64url_neon.c: base64url code for 64-bit ARM, 64 characters a step, by structured loads.
#include "base64url_alphabet.h"
#include "base64url_kernels.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#define ENTRY(c) (uint8_t)(VALUE(c) < 0 ? 0x80 : VALUE(c))

static const uint8_t alphabet[64] = {TIMES64(CHARACTER, 0)};
static const uint8_t values_low[64] = {TIMES64(ENTRY, 0)};
static const uint8_t values_high[64] = {TIMES64(ENTRY, 64)};

void base64url_encode_neon(uint8_t *out, const uint8_t *in, size_t count)
{
    const uint8x16x4_t characters = vld1q_u8_x4(alphabet);
    // `in` may be at the end of `out`. Each step loads before it stores, and the written text never
    // passes the first unread byte (see base64url_encode_scalar).
    while (count >= 48) {
        uint8x16x3_t bytes = vld3q_u8(in);
        uint8x16_t a = vshrq_n_u8(bytes.val[0], 2);
        uint8x16_t b = vsliq_n_u8(vshrq_n_u8(bytes.val[1], 4), bytes.val[0], 4);
        uint8x16_t c = vsliq_n_u8(vshrq_n_u8(bytes.val[2], 6), bytes.val[1], 2);
        const uint8x16_t six = vdupq_n_u8(63);
        uint8x16x4_t text = {{
            vqtbl4q_u8(characters, a),
            vqtbl4q_u8(characters, vandq_u8(b, six)),
            vqtbl4q_u8(characters, vandq_u8(c, six)),
            vqtbl4q_u8(characters, vandq_u8(bytes.val[2], six)),
        }};
        vst4q_u8(out, text);
        in += 48;
        out += 64;
        count -= 48;
    }
    base64url_encode_scalar(out, in, count);
}

bool base64url_decode_neon(uint8_t *out, const uint8_t *text, size_t count)
{
    const uint8x16x4_t low = vld1q_u8_x4(values_low), high = vld1q_u8_x4(values_high);
    uint8x16_t bad = vdupq_n_u8(0);
    while (count >= 64) {
        uint8x16x4_t c = vld4q_u8(text);
        uint8x16_t v[4];
        for (int i = 0; i < 4; i++) {
            // Characters of the upper table get 0 from the first lookup and their value from the
            // second. Bytes above 0x7f get 0 from both, so their own upper bit counts.
            v[i] = vqtbl4q_u8(low, c.val[i]);
            v[i] = vqtbx4q_u8(v[i], high, veorq_u8(c.val[i], vdupq_n_u8(64)));
            bad = vorrq_u8(bad, vorrq_u8(v[i], c.val[i]));
        }
        uint8x16x3_t bytes = {{
            vorrq_u8(vshlq_n_u8(v[0], 2), vshrq_n_u8(v[1], 4)),
            vorrq_u8(vshlq_n_u8(v[1], 4), vshrq_n_u8(v[2], 2)),
            vorrq_u8(vshlq_n_u8(v[2], 6), v[3]),
        }};
        vst3q_u8(out, bytes);
        text += 64;
        out += 48;
        count -= 64;
    }
    bool tail = base64url_decode_scalar(out, text, count);
    return tail && vmaxvq_u8(bad) < 0x80;
}

#endif
