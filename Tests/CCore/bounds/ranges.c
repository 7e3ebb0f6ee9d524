// ranges.c: arithmetic on lanes of which only the range is known. Intervals; the steps that they
// consist of are printed for bounds.py to prove.

#include "ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMB = 52 };
#define TWO(bits) ((range_number)1 << (bits))

// MARK: values

typedef enum { WORD,
               DOUBLE,
               MASK } kind;

typedef struct {
    kind kind;
    range_number low, high;
    // Of a product: its factors, the constant that it was added to, and which part this is.
    uint64_t a, b;
    range_number constant;
    enum { NO_PART,
           HIGH_PART,
           LOW_PART } part;
    uint64_t serial;
} value;

// A lane with this tag is a handle. Those of a product's high part and of what remains of it are
// used at once, so they have a ring of their own.
enum { TAG = 0x7ffd,
       RING = 1 << 12 };
#define BRIEF (UINT64_C(1) << 47)
#define NUMBER (BRIEF - 1)

static value *values, brief[RING];
static uint64_t count, capacity, brief_count;
static const char *running = "";
static int running_bits;

void range_fail(const char *what)
{
    printf("FAILED  bounds: %s %d: %s\n", running, running_bits, what);
    exit(1);
}

static bool is_handle(uint64_t lane)
{
    return lane >> 48 == TAG;
}

static value get(uint64_t lane)
{
    if (!is_handle(lane))
        return (value){.kind = WORD, .low = (int64_t)lane, .high = (int64_t)lane};
    const uint64_t number = lane & NUMBER;
    if ((lane & BRIEF) == 0) return values[number];
    if (brief[number % RING].serial != number) range_fail("a part of a product that was kept");
    return brief[number % RING];
}

static uint64_t keep(value new)
{
    if (count == capacity) {
        capacity = 2 * capacity + 1024;
        values = realloc(values, capacity * sizeof *values);
        if (values == NULL) range_fail("no memory");
    }
    values[count] = new;
    return (uint64_t)TAG << 48 | count++;
}

static uint64_t keep_briefly(value new)
{
    new.serial = ++brief_count &NUMBER;
    brief[new.serial % RING] = new;
    return (uint64_t)TAG << 48 | BRIEF | new.serial;
}

// MARK: a set of tuples, for words that exist and steps that were printed

enum { PARTS = 7,
       BUCKETS = 1 << 20 };

typedef struct entry {
    range_number parts[PARTS];
    uint64_t lane;
    struct entry *next;
} entry;

static entry *words[BUCKETS], *steps[BUCKETS];

// Returns the entry for these parts, which is new if *is_new is set.
static entry *find(entry **set, const range_number parts[PARTS], bool *is_new)
{
    uint64_t hash = 1;
    for (int i = 0; i < PARTS; i++) {
        hash = (hash ^ (uint64_t)parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ (uint64_t)(parts[i] >> 64) ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    entry **at = &set[hash >> 44];
    for (entry *found = *at; found != NULL; found = found->next)
        if (memcmp(found->parts, parts, sizeof found->parts) == 0) return *is_new = false, found;
    entry *made = calloc(1, sizeof *made);
    if (made == NULL) range_fail("no memory");
    memcpy(made->parts, parts, sizeof made->parts);
    made->next = *at;
    return *is_new = true, *at = made;
}

static void print_number(range_number number)
{
    char digits[48];
    int at = sizeof digits - 1;
    const bool is_negative = number < 0;
    digits[at] = 0;
    do {
        const int digit = (int)(number % 10);
        digits[--at] = (char)('0' + (digit < 0 ? -digit : digit));
    } while ((number /= 10) != 0);
    printf(" %s%s", is_negative ? "-" : "", digits + at);
}

// Prints a step once: its name and numbers.
static void step(const char *name, int used, const range_number *numbers)
{
    range_number parts[PARTS] = {0};
    bool is_new;
    memcpy(parts, name, strlen(name) < 15 ? strlen(name) : 15);
    memcpy(parts + 1, numbers, sizeof *numbers * (size_t)used);
    (void)find(steps, parts, &is_new);
    if (!is_new) return;
    printf("step %s", name);
    for (int i = 0; i < used; i++) print_number(numbers[i]);
    puts("");
}

#define STEP(name, ...)                                                      \
    step(name, sizeof((range_number[]){__VA_ARGS__}) / sizeof(range_number), \
         (range_number[]){__VA_ARGS__})

uint64_t range_word(range_number low, range_number high)
{
    if (high - low >= TWO(64)) range_fail("a word of which nothing is known");
    const range_number moved = ((low + TWO(63)) & (TWO(64) - 1)) - TWO(63) - low;
    low += moved, high += moved;
    if (low == high && !is_handle((uint64_t)low)) return (uint64_t)low;
    bool is_new;
    entry *found = find(words, (range_number[PARTS]){low, high}, &is_new);
    if (is_new) found->lane = keep((value){.kind = WORD, .low = low, .high = high});
    return found->lane;
}

uint64_t range_double(range_number low, range_number high)
{
    return keep((value){.kind = DOUBLE, .low = low, .high = high});
}

static value word(uint64_t lane)
{
    const value a = get(lane);
    if (a.kind != WORD) range_fail("a double as a word");
    return a;
}

// A word that is its number: neither negative nor at or above 2^64.
static value plain(uint64_t lane)
{
    const value a = word(lane);
    if (a.low < 0 || a.high >= TWO(64)) range_fail("a sum that leaves its range");
    return a;
}

static bool is_exact(uint64_t lane)
{
    return !is_handle(lane);
}

static range_number smaller(range_number a, range_number b)
{
    return a < b ? a : b;
}

static range_number larger(range_number a, range_number b)
{
    return a < b ? b : a;
}

// MARK: parts of the run

static range_number sum_low, sum_high, limb_low, limb_high;

void range_begin(const char *kernel, int bits)
{
    running = kernel, running_bits = bits;
    sum_low = limb_low = TWO(100);
    sum_high = limb_high = -TWO(100);
}

static void print_range(const char *name, range_number low, range_number high)
{
    if (low > high) return;
    printf("range %s %d %s", running, running_bits, name);
    print_number(low);
    print_number(high);
    puts("");
}

void range_end(void)
{
    print_range("sum", sum_low, sum_high);
    print_range("limb", limb_low, limb_high);
}

// MARK: words

// The last results of sums of words, which have one handle for each range.
typedef struct {
    uint64_t a, b, sum;
} known_sum;

static known_sum known_sums[1 << 14];

static uint64_t add(uint64_t a, uint64_t b)
{
    const value x = word(a), y = word(b);
    if (x.low >= 0 && y.low >= 0 && x.high + y.high < TWO(63) && !is_exact(a) && !is_exact(b))
        STEP("add", x.high, y.high, x.high + y.high);
    return range_word(x.low + y.low, x.high + y.high);
}

// A lane that may be kept: a sum that begins with a high part has its bits.
static uint64_t kept(uint64_t lane)
{
    if (!is_handle(lane) || (lane & BRIEF) == 0) return lane;
    const value a = word(lane);
    return range_word(a.low, a.high);
}

uint64_t range_add(uint64_t a, uint64_t b)
{
    known_sum *known = &known_sums[(a * 31 ^ b) * UINT64_C(0x9e3779b97f4a7c15) >> 50];
    if (a == 0 || b == 0) return kept(a | b);
    if (known->a != a || known->b != b) *known = (known_sum){a, b, add(a, b)};
    return known->sum;
}

uint64_t range_subtract(uint64_t a, uint64_t b)
{
    const value x = word(a), y = word(b);
    return range_word(x.low - y.high, x.high - y.low);
}

uint64_t range_either(uint64_t a, uint64_t b)
{
    if (a == b) return a;
    const value x = get(a), y = get(b);
    const range_number low = smaller(x.low, y.low), high = larger(x.high, y.high);
    if (x.kind == WORD && y.kind == WORD) return range_word(low, high);
    if ((x.kind == DOUBLE || a == 0) && (y.kind == DOUBLE || b == 0))
        return range_double(low, high);
    range_fail("a word or a double");
}

uint64_t range_and(uint64_t a, uint64_t b)
{
    const value x = get(a), y = get(b);
    if (is_exact(a) && is_exact(b)) return a & b;
    if (x.kind == MASK) return range_either(0, b);
    if (x.kind != WORD || y.kind != WORD || y.low != y.high || (y.low & (y.low + 1)) != 0)
        range_fail("a mask that is not of the lowest bits");
    if (x.low >= 0 && x.high <= y.high) return a;
    STEP("and", y.high);
    return range_word(0, y.high);
}

uint64_t range_or(uint64_t a, uint64_t b)
{
    if (a == 0 || a == b) return b;
    if (b == 0) return a;
    const value x = get(a), y = get(b);
    // The table of the kernel of doubles is read so: all entries but one are zero.
    if (x.kind == DOUBLE && y.kind == DOUBLE) return range_either(a, b);
    if (x.kind != WORD || y.kind != WORD) range_fail("bits of a double");
    if (is_exact(a) && is_exact(b)) return a | b;
    if (is_exact(b) && x.low >= 0 && x.high < TWO(LIMB) && (y.low & (TWO(LIMB) - 1)) == 0) {
        STEP("join", x.high, y.low);
        return range_add(a, b);
    }
    return range_word(0, TWO(64) - 1);
}

uint64_t range_shift_right(uint64_t a, int bits)
{
    if (bits >= 64) return 0;
    if (is_exact(a)) return a >> bits;
    const value x = plain(a);
    return range_word(x.low >> bits, x.high >> bits);
}

uint64_t range_carry(uint64_t a, int bits)
{
    const value x = plain(a);
    sum_low = smaller(sum_low, x.low), sum_high = larger(sum_high, x.high);
    if (!is_exact(a)) STEP("carry", x.low, x.high, bits, x.low >> bits, x.high >> bits);
    return range_shift_right(a, bits);
}

uint64_t range_shift_left(uint64_t a, int bits)
{
    if (bits >= 64) return 0;
    return is_exact(a) ? a << bits : range_word(0, TWO(64) - 1);
}

uint64_t range_sign(uint64_t a)
{
    const value x = word(a);
    if (x.high >= TWO(63)) range_fail("a difference that is not below 2^63");
    return range_word(x.low < 0 ? -1 : 0, x.high < 0 ? -1 : 0);
}

uint64_t range_equal(uint64_t a, uint64_t b)
{
    if (word(a).kind != WORD || word(b).kind != WORD) range_fail("doubles that are compared");
    return keep((value){.kind = MASK});
}

void range_check_carry(uint64_t limb, uint64_t mask)
{
    const value x = plain(limb), y = plain(mask);
    STEP("one", x.high, y.high);
    if (x.high + 1 > 2 * y.high + 1) range_fail("a limb that carries more than 1");
}

uint64_t range_add_product(uint64_t sum, uint64_t a, uint64_t b, bool upper)
{
    const range_number mask = TWO(LIMB) - 1;
    const range_number x = smaller(plain(a).high, mask), y = smaller(plain(b).high, mask);
    const range_number part = upper ? x * y >> LIMB : smaller(x * y, mask);
    STEP(upper ? "upper" : "lower", x, y, part);
    return range_add(sum, range_word(0, part));
}

// MARK: doubles

// The number that a positive double with these bits is.
static range_number decode(range_number bits)
{
    const int exponent = (int)(bits >> LIMB) - 1075;
    const range_number digits = TWO(LIMB) | (bits & (TWO(LIMB) - 1));
    if (bits == 0) return 0;
    if (bits < 0 || exponent > 60 || exponent < -LIMB) range_fail("a double out of range");
    if (exponent >= 0) return digits << exponent;
    if ((digits & (TWO(-exponent) - 1)) != 0) range_fail("a double that is no integer");
    return digits >> -exponent;
}

// The value of a lane as a double. Words of one binade are in order.
static value number(uint64_t lane)
{
    value a = get(lane);
    if (a.kind == DOUBLE) return a;
    if (a.kind != WORD || a.low >> LIMB != a.high >> LIMB) range_fail("a word as a double");
    a.low = decode(a.low), a.high = decode(a.high);
    return a;
}

// The weight of the last bit of the doubles from `low` to `high`, which are of one binade.
static range_number last_bit(range_number low, range_number high)
{
    int bits = 0;
    while (bits < 120 && TWO(bits + 1) <= low) bits++;
    if (low <= 0 || high >= TWO(bits + 1) || bits < LIMB) range_fail("a double leaves its binade");
    return TWO(bits - LIMB);
}

static uint64_t bits_of(range_number number, range_number last)
{
    int exponent = 1075;
    for (; last > 1; last >>= 1, exponent++) number >>= 1;
    return (uint64_t)exponent << LIMB | ((uint64_t)number & ((UINT64_C(1) << LIMB) - 1));
}

static void factors(uint64_t a, uint64_t b, value *x, value *y, range_number *low,
                    range_number *high)
{
    *x = number(a), *y = number(b);
    const range_number corners[] = {x->low * y->low, x->low * y->high, x->high * y->low,
                                    x->high * y->high};
    *low = *high = corners[0];
    for (int i = 1; i < 4; i++)
        *low = smaller(*low, corners[i]), *high = larger(*high, corners[i]);
}

uint64_t range_fused(uint64_t a, uint64_t b, uint64_t c)
{
    value x, y;
    range_number low, high;
    const value z = get(c);
    factors(a, b, &x, &y, &low, &high);
    if (z.part == LOW_PART) {
        if (z.a != a || z.b != b) range_fail("the low part of another product");
        if (z.constant != TWO(LIMB)) range_fail("a low part that is not added to 2^52");
        const uint64_t bits = bits_of(z.constant, 1);
        return range_word(bits, bits + TWO(LIMB) - 1);
    }
    if (!is_exact(c)) range_fail("a product that is added to an unknown double");
    const range_number constant = number(c).low;
    const range_number last = last_bit(constant + low, constant + high);
    if (last != TWO(LIMB) || (constant & (last - 1)) != 0)
        range_fail("a high part that does not begin at 2^52");
    STEP("high", x.low, x.high, y.low, y.high, constant);
    const range_number bits = bits_of(constant, last);
    // >> rounds down.
    return keep_briefly((value){.kind = WORD,
                                .low = bits + (low >> LIMB),
                                .high = bits + (high >> LIMB),
                                .a = a,
                                .b = b,
                                .constant = constant,
                                .part = HIGH_PART});
}

uint64_t range_double_subtract(uint64_t a, uint64_t b)
{
    const value x = number(a), y = number(b);
    if (y.part == HIGH_PART) {
        if (!is_exact(a)) range_fail("an unknown double, less a high part");
        value p, q;
        range_number low, high;
        factors(y.a, y.b, &p, &q, &low, &high);
        STEP("low", p.low, p.high, q.low, q.high, y.constant, x.low);
        return keep_briefly((value){.kind = DOUBLE,
                                    .low = x.low - y.high,
                                    .high = x.high - y.low,
                                    .a = y.a,
                                    .b = y.b,
                                    .constant = x.low - y.constant,
                                    .part = LOW_PART});
    }
    if (last_bit(x.low, x.high) != 1 || last_bit(y.low, y.high) != 1)
        range_fail("a difference that is rounded");
    STEP("difference", x.low, x.high, y.low, y.high);
    limb_low = smaller(limb_low, x.low - y.high), limb_high = larger(limb_high, x.high - y.low);
    return range_double(x.low - y.high, x.high - y.low);
}
