// edges_random.c: random bytes are returned once and in order, from a buffer of 2,048 bytes for
// draws of up to 256, and else directly, with one more byte where a block would remain; a failed
// draw gives zeros and an empty buffer. And which kernels are in use.

#include "faults.h"

#include "cjosekernels.h"

enum { BUFFER = 2048,
       LARGEST_BUFFERED = 256,
       BLOCK = 16,
       STREAM = 60000,
       MOST = 300 };

static uint8_t stream[STREAM];  // the output of the generator from its start

// The positions of the generator and of the buffer, by the rule alone.
static struct {
    size_t drawn, next, left;
} model;

// All from the start, with the nth draw of the generator failing, or none.
static void restart(unsigned failing)
{
    faults_arm(FAULTS_RANDOM, failing);
    memset(&model, 0, sizeof model);
}

static const uint8_t *expected(size_t len)
{
    if (len > LARGEST_BUFFERED) {
        const uint8_t *given = stream + model.drawn;
        // one more byte, so that the generator keeps no part of a block
        model.drawn += len + (len % BLOCK != 0);
        return given;
    }
    if (len > model.left) {
        model.next = model.drawn;
        model.drawn += BUFFER;
        model.left = BUFFER;
    }
    model.next += len;
    model.left -= len;
    return stream + model.next - len;
}

static void draw(size_t len)
{
    uint8_t out[MOST + 16];
    memset(out, FAULTS_BLANK, sizeof out);
    const uint8_t *want = len == 0 ? out : expected(len);
    need(model.drawn <= STREAM, "the stream is too short");
    need(jose_random(out, len) == JOSE_OK && memcmp(out, want, len) == 0, "%zu bytes at %zu", len,
         model.next);
    for (size_t i = len; i < sizeof out; i++) need(out[i] == FAULTS_BLANK, "after %zu bytes", len);
}

static void fail(size_t len)
{
    uint8_t out[MOST + 16];
    memset(out, FAULTS_BLANK, sizeof out);
    need(jose_random(out, len) == JOSE_INTERNAL, "%zu bytes of a generator that fails", len);
    for (size_t i = 0; i < sizeof out; i++)
        need(out[i] == (i < len ? 0 : FAULTS_BLANK), "%zu bytes", len);
    if (len <= LARGEST_BUFFERED) model.left = 0;
}

static void orders(void)
{
    static const size_t sizes[] = {1, 16, 32, 12, 255, 256, 257, 7, 300, 0, 64, 128};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    // To the last byte of a buffer, and past it.
    for (size_t last = 1; last <= LARGEST_BUFFERED; last += 51) {
        restart(0);
        draw(1);
        while (model.left > last) {
            const size_t more = model.left - last;
            draw(more < LARGEST_BUFFERED ? more : LARGEST_BUFFERED);
        }
        draw(last);
        draw(300);
        draw(last);
        draw(0);
        draw(257);
        draw(256);
        (void)faults_disarm();
    }
    // One byte less than requested: the rest is not used.
    restart(0);
    for (int i = 0; i < 8; i++) draw(255);
    draw(9);
    draw(300);
    (void)faults_disarm();
    restart(0);
    unsigned seed = 5;
    for (int i = 0; i < 400; i++) {
        seed = seed * 1103515245u + 12345u;
        draw(sizes[(seed >> 16) % SIZES]);
        if (model.drawn > STREAM - 2 * BUFFER) break;
    }
    (void)faults_disarm();
}

static void failures(void)
{
    // Nothing was drawn yet: the state is unchanged.
    restart(1);
    fail(40);
    draw(40);
    need(faults_disarm(), "a draw failed");
    restart(1);
    fail(300);
    draw(300);
    draw(40);
    need(faults_disarm(), "a draw failed");
    // The byte that makes the generator erase its state fails: zeros are returned.
    restart(2);
    fail(300);
    model.drawn = 300;
    draw(40);
    need(faults_disarm(), "a draw failed");
    // Eight bytes remained: they are erased.
    for (size_t next = 0; next <= 8; next++) {
        restart(2);
        for (int i = 0; i < 8; i++) draw(255);
        fail(40);
        draw(next);
        draw(8);
        draw(300);
        need(faults_disarm(), "a draw failed");
    }
    // A large draw that fails leaves the buffer unchanged.
    restart(2);
    draw(40);
    fail(257);
    draw(40);
    need(faults_disarm(), "a draw failed");
}

static void kernels(void)
{
    const jose_kernel_set before = jose_kernels();
    need(jose_kernels_off() == 0, "off");
    for (jose_kernel_set set = 0; set < 2 * JOSE_KERNEL_LAST; set++) {
        jose_kernels_switch_off(set);
        need(jose_kernels_off() == set && jose_kernels() == (before & ~set), "kernels %u",
             (unsigned)set);
        atomic_store(&jose_kernels_disabled, 0);
    }
    need(jose_kernels() == before, "kernels");
}

void faults_edges_random(void)
{
    restart(0);
    need(jose_random(stream, sizeof stream) == JOSE_OK, "stream");
    (void)faults_disarm();
    orders();
    failures();
    kernels();
}
