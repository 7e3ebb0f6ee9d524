#!/usr/bin/env python3
"""Proves with Gappa and z3 the bounds of the RSA kernels (docs/decisions/0024-machine-checked-bounds.md).

usage: bounds.py FILE    FILE is what `bounds` printed: constants of the headers, ranges, and every different step

Numbers come from FILE, so from the kernels' own code. A theorem of z3 holds if its negation has no model.
"""

import ast
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "CShims/CJOSEKernels"
LIMB = 52  # the bits that the multipliers read, and of a double's fraction


def fail(what):
    sys.exit(f"FAILED  bounds: {what}")


class Facts:
    """What the run over ranges printed."""

    def __init__(self, path):
        self.constants, self.sizes, self.ranges, self.steps = {}, [], {}, {}
        for line in Path(path).read_text().splitlines():
            kind, *rest = line.split()
            if kind == "constant":
                self.constants[rest[0]] = int(rest[1])
            elif kind == "size":
                self.sizes.append((int(rest[0]), rest[1], [int(x) for x in rest[2:]]))
            elif kind == "range":
                self.ranges[rest[0], int(rest[1]), rest[2]] = (int(rest[3]), int(rest[4]))
            elif kind == "step":
                self.steps.setdefault(rest[0], set()).add(tuple(int(x) for x in rest[1:]))
            else:
                fail(f"the run over ranges printed: {line}")

    def hull(self, kind, kernels):
        """The range of all these kernels together."""
        found = [value for (kernel, _, what), value in self.ranges.items() if what == kind and kernel in kernels]
        if not found:
            fail(f"no {kind} of {kernels}")
        return min(low for low, _ in found), max(high for _, high in found)


# MARK: z3


class Theorems:
    """Theorems for one run of z3, each in a scope of its own. What is given must not contradict itself."""

    def __init__(self):
        self.names, self.text = [], []

    def add(self, name, sorts, given, goal):
        """`sorts` declares variables: {"Int": "a b"}. All of `given` implies `goal`."""
        self.names.append(name)
        lines = ["(push)"]
        for sort, variables in sorts.items():
            lines += [f"(declare-const {variable} {sort})" for variable in variables.split()]
        lines += [f"(assert {one})" for one in given]
        self.text += [*lines, "(set-option :rlimit 100000)", "(check-sat)", "(set-option :rlimit 20000000)"]
        self.text += [f"(assert (not {goal}))", "(check-sat)", "(pop)"]

    def prove(self):
        result = subprocess.run(["z3", "-in", "-T:1000"], input="\n".join(self.text), capture_output=True, text=True)
        answers = result.stdout.split()
        if len(answers) != 2 * len(self.names):
            fail(f"z3: {result.stdout[-300:]}{result.stderr}")
        for name, given, goal in zip(self.names, answers[::2], answers[1::2]):
            if given not in ("sat", "unknown"):  # unknown: not within that many steps
                fail(f"what is given contradicts itself: {name} ({given})")
            if goal != "unsat":
                fail(f"z3 does not prove: {name} ({goal})")
        return len(self.names)


BV = "(_ BitVec 64)"


def word(number):
    return f"(_ bv{number % 2**64} 64)"


def real(number):
    number = Fraction(number)
    text = f"(/ {abs(number.numerator)}.0 {number.denominator}.0)"
    return f"(- {text})" if number < 0 else text


def integer(number):
    return str(number) if number >= 0 else f"(- {-number})"


def between(low, name, high):
    return f"(and (<= {integer(low)} {name}) (<= {name} {integer(high)}))"


def step_theorems(facts, theorems):
    """What each kind of step says, for all bounds; and that each printed step is one."""
    beta = 2**LIMB
    words = {BV: "a b A B"}
    theorems.add(
        "a sum of bounded words is bounded and does not wrap", words,
        ["(bvule a A)", "(bvule b B)", "(bvule A (bvadd A B))"],
        "(and (bvule (bvadd a b) (bvadd A B)) (bvule a (bvadd a b)))",
    )
    for a, b, total in facts.steps["add"]:
        if a + b != total or total >= 2**63:
            fail(f"step add {a} {b} {total}")
    theorems.add(
        "the carry of a bounded word is bounded", words, ["(bvule A a)", "(bvule a B)"],
        f"(and (bvule (bvlshr A {word(LIMB)}) (bvlshr a {word(LIMB)})) (bvule (bvlshr a {word(LIMB)}) (bvlshr B {word(LIMB)})))",
    )
    for low, high, bits, low_carry, high_carry in facts.steps["carry"]:
        if bits != LIMB:
            fail(f"a carry that is taken above {bits} bits")
        if not 0 <= low <= high < 2**64 or (low >> bits, high >> bits) != (low_carry, high_carry):
            fail(f"step carry {low} {high}")
    for (mask,) in facts.steps["and"]:
        theorems.add(f"the lowest bits of a word: {mask}", {BV: "a"}, [], f"(bvule (bvand a {word(mask)}) {word(mask)})")
    for high, joined in facts.steps["join"]:
        theorems.add(
            "digits that are joined to a double's exponent are added", {BV: "a"}, [f"(bvule a {word(high)})"],
            f"(= (bvor a {word(joined)}) (bvadd a {word(joined)}))",
        )
    for limb, mask in facts.steps["one"]:
        theorems.add(
            f"a limb up to {limb} carries 0 or 1", {"Int": "a c q"},
            [between(0, "a", limb), between(0, "c", 1), f"(<= (* {mask + 1} q) (+ a c))", f"(< (+ a c) (* {mask + 1} (+ q 1)))"],
            between(0, "q", 1),
        )
    bounded = ["(<= 0 a)", "(<= a A)", "(<= 0 b)", "(<= b B)"]
    theorems.add("a product of bounded factors is bounded", {"Int": "a b A B"}, bounded, "(<= (* a b) (* A B))")
    theorems.add(
        "the upper and lower half of a bounded product are bounded", {"Int": "p P q r Q R"},
        ["(<= 0 p)", "(<= p P)", f"(= (+ (* {beta} q) r) p)", f"(= (+ (* {beta} Q) R) P)", between(0, "r", beta - 1), between(0, "R", beta - 1)],
        f"(and (<= q Q) (<= r P) (<= r {beta - 1}))",
    )
    for a, b, part in facts.steps["upper"]:
        if part != a * b >> LIMB or max(a, b) >= beta:
            fail(f"step upper {a} {b} {part}")
    for a, b, part in facts.steps["lower"]:
        if part != min(a * b, beta - 1) or max(a, b) >= beta:
            fail(f"step lower {a} {b} {part}")


def translated(expression):
    """An expression of C in +, <<, >>, &, |, ^, which Python reads alike, for z3."""
    names = {ast.Add: "bvadd", ast.LShift: "bvshl", ast.RShift: "bvlshr", ast.BitAnd: "bvand", ast.BitOr: "bvor", ast.BitXor: "bvxor"}

    def text(node):
        if isinstance(node, ast.BinOp):
            return f"({names[type(node.op)]} {text(node.left)} {text(node.right)})"
        return word(node.value) if isinstance(node, ast.Constant) else node.id

    return text(ast.parse(expression, mode="eval").body)


def carry_theorems(theorems):
    """jose_carries, whose expressions are read here: all carries at once by one addition."""
    source = (KERNELS / "ifma_arith.h").read_text()

    def expression(pattern):
        found = re.findall(pattern, source)
        if len(found) != 1:
            fail(f"ifma_arith.h has {len(found)} times: {pattern}")
        return translated(found[0])

    def one(name, width, make, passed, entering, low, leaving):
        """A limb gets a carry if the one below makes one, or passes on its own."""
        mask = word(2**width - 1)
        sets = [f"(= (bvand {make} {passed}) {word(0)})", f"(bvule {make} {mask})", f"(bvule {passed} {mask})"]
        next_carries = f"(bvor {make} (bvand {passed} (bvand low {mask})))"
        theorems.add(
            name, {BV: f"{make} {passed} low leaving carry"}, [*sets, f"(bvule carry {word(1)})", f"(= low {low})", f"(= leaving {leaving})"],
            f"(and (= (bvand low {mask}) (bvand (bvor (bvshl {next_carries} {word(1)}) {entering}) {mask}))"
            f" (= leaving (bvand (bvlshr {next_carries} {word(width - 1)}) {word(1)})))",
        )

    t0, t1 = expression(r"t0 = (.*);"), expression(r"t1 = (.*) \+ c\.out;")
    low, high = expression(r"c\.low = (t0.*);"), expression(r"c\.high = (.*);")
    out0, out1 = expression(r"c\.out = (t0.*);"), expression(r"c\.out = (t1.*);")
    whole = expression(r"c\.low = (\(p0.*);")
    top, sum_text = re.search(r"c\.out = \((.*)\) \| \(\((.*) < p0\) \? 1u : 0u\);", source).groups()

    def at(text, **values):
        for name, value in values.items():
            text = re.sub(rf"\b{name}\b", value, text)
        return text

    one("64 carries at once", 64, "m0", "p0", word(0), whole,
        f"(bvor {translated(top)} (ite (bvult {translated(sum_text)} p0) {word(1)} {word(0)}))")
    one("40 carries at once", 40, "m0", "p0", word(0), at(low, t0=t0), at(out0, t0=t0, width=word(40)))
    t1 = f"(bvadd {t1} carry)"
    one("40 more", 40, "m1", "p1", "carry", at(high, t1=t1), at(out1, t1=t1, width=word(40)))


def ifma_theorems(facts, theorems):
    """Montgomery's reduction by 52-bit multipliers."""
    beta, mask = 2**LIMB, facts.constants["limb_mask"]
    _, top = facts.hull("sum", ["ifma", "ifma_x8", "private", "private_x4"])
    theorems.add(
        "a lowest limb that a quotient makes vanish carries (low + beta - 1) >> 52", {BV: "low part"},
        [f"(bvule low {word(top)})", f"(bvule part {word(beta - 1)})", f"(= (bvand (bvadd low part) {word(beta - 1)}) {word(0)})"],
        f"(= (bvlshr (bvadd low part) {word(LIMB)}) (bvlshr (bvadd low {word(mask)}) {word(LIMB)}))",
    )
    # m = l k - beta u, where k n + 1 = beta t, times l.
    theorems.add(
        "a quotient makes the lowest limb vanish", {"Int": "l k n t u"},
        [f"(= (+ (* l k n) l) (* {beta} (* l t)))"],
        f"(= (+ l (* (- (* l k) (* {beta} u)) n)) (* {beta} (- (* l t) (* u n))))",
    )
    # ifma_pairs.h: the quotients lo and a + hi + b of the limbs l and h, h with what l carries.
    theorems.add(
        "two quotients at a time", {"Int": "l h k0 k1 hi lo a b v w"},
        [f"(= (* l k0) (+ (* {beta} hi) lo))", f"(= (* h k0) (+ (* {beta} v) a))", f"(= (* l k1) (+ (* {beta} w) b))"],
        f"(= (+ (* l k0) (* {beta} h k0) (* {beta} l k1) (* {beta**2} h k1)) (+ lo (* {beta} (+ a hi b)) (* {beta**2} (+ v w (* h k1)))))",
    )
    # ifma_pairs.h: with t = m + beta^2 h, m = t0 + t1 beta and n mu = beta^2 u - 1, t + m n mu = beta^2 (h + m u).
    theorems.add(
        "the two lowest limbs are the quotients of a number that is -1 modulo beta^2", {"Int": "t m h n mu u"},
        [f"(= t (+ m (* {beta**2} h)))", f"(= (* m n mu) (- (* {beta**2} m u) m))"],
        f"(= (+ t (* m n mu)) (* {beta**2} (+ h (* m u))))",
    )
    theorems.add(
        "upper is at most n", {"Int": "n mu u"},
        ["(<= 1 n)", f"(<= (* n mu) (* n {beta**2 - 1}))", f"(= (* {beta**2} u) (+ (* n mu) 1))"], "(<= u n)",
    )
    for bits, kernel, numbers in facts.sizes:
        limbs = numbers[0]
        if kernel == "ifma":
            ratio, factor = Fraction(2**bits, beta**limbs), Fraction(1, 2**30)
        elif kernel == "private":
            ratio, factor = Fraction(2 ** (bits // 2), beta**limbs), Fraction(1, 2**14)
        else:
            continue
        # In units of n: factors a and b, n = r R, quotient m = q R. The rows of ifma_pairs.h but the last four
        # add less than v n: their quotient is below R/beta^4, and n mu below beta^2 n.
        unknowns, bounds = {"Real": "a b q r"}, ["(<= 0.0 a)", "(<= 0.0 b)", "(<= 0.0 q)", "(< q 1.0)", "(< 0.0 r)", f"(< r {real(ratio)})"]
        result = "(+ (* a b r) q)"
        theorems.add(
            f"{kernel} {bits}: factors below 2n give a result below n (1 + {factor})", unknowns, [*bounds, "(< a 2.0)", "(< b 2.0)"],
            f"(< {result} {real(1 + factor)})",
        )
        if kernel == "private" or bits == 2048:
            pairs = [*bounds, "(<= 0.0 v)", f"(< v {real(Fraction(1, beta**2))})"]
            for a, b in (2, 2), (3, 1):
                theorems.add(
                    f"{kernel} {bits}: factors below {a}n and {b}n give a result below n (1 + {2 * factor}) by pairs of rows",
                    {"Real": "a b q r v"}, [*pairs, f"(< a {real(a)})", f"(< b {real(b)})"], f"(< (+ {result} v) {real(1 + 2 * factor)})",
                )
            # A sum s of two rows becomes s/beta^2 + m u + two rows of a b, with m < beta^2, u <= n and a < 3n.
            theorems.add(
                f"{kernel} {bits}: the sum of two rows is below 8 beta^2 n", {"Real": "s"}, [f"(< s {real(8 * beta**2)})"],
                f"(< (+ (/ s {real(beta**2)}) {real(beta**2)} {real(3 * beta**2)}) {real(8 * beta**2)})",
            )
            lanes, vectors, n = (8, numbers[1], 2**bits) if kernel == "ifma" else (4, -(-limbs // 4), 2 ** (bits // 2))
            if 8 * beta**2 * n >= beta ** (vectors * lanes + 2):
                fail(f"{kernel} {bits}: the sum of two rows does not fit its slots")
        if kernel == "private":
            theorems.add(
                f"private {bits}: factors below 3n and n", unknowns, [*bounds, "(< a 3.0)", "(< b 1.0)"], f"(< {result} {real(1 + factor)})"
            )
            # a below R, which is 1/r in units of n, and b = 1: (a + m n)/R < 1 + n, so at most n.
            theorems.add(
                f"private {bits}: leaving Montgomery form gives at most n", {"Int": "a m n R y"},
                ["(<= 0 a)", "(< a R)", "(<= 0 m)", "(< m R)", "(< 0 n)", "(= (* y R) (+ a (* m n)))", "(<= (* m n) (* (- R 1) n))"],
                "(<= (* y R) (- (+ (* R n) (- R n)) 1))",
            )
            # The other rows of ifma_pairs.h add up to n/beta^2.
            theorems.add(
                f"private {bits}: leaving Montgomery form by ifma_pairs.h gives less than 2n", {"Int": "a m v n R y"},
                ["(<= 0 a)", "(< a R)", f"(<= {beta} n)", "(<= 1 R)", "(= (* y R) (+ a (* m n) v))",
                 "(<= (* m n) (* (- R 1) n))", f"(<= (* {beta} v) (* R n))"],
                "(< (* y R) (* 2 R n))",
            )
            # c = c0 + c1 R < 2^bits: c0/R is at most n, c1 below 2^bits/R.
            theorems.add(
                f"private {bits}: entering, (c0/R + c1) is below 2n", {"Real": "x c1 n"},
                [f"(<= {real(2 ** (bits // 2 - 1))} n)", f"(<= x (* {real(1 + Fraction(1, beta))} n))",
                 f"(< c1 {real(Fraction(2**bits, beta**limbs))})"],
                "(< (+ x c1) (* 2.0 n))",
            )
            # The sum's highest limb is at most its value over beta^(limbs - 1).
            theorems.add(
                f"private {bits}: nothing leaves the highest limb", {"Real": "x n"},
                [f"(< n {real(2 ** (bits // 2))})", "(< x (* 2.0 n))"], f"(< (/ x {real(beta ** (limbs - 1))}) {real(2 ** 37)})",
            )
        else:
            theorems.add(
                f"ifma {bits}: the sum of a row, below 3n, fits the vectors", {"Real": "s n"},
                [f"(< n {real(2**bits)})", "(< s (* 3.0 n))"], f"(< s {real(beta ** (8 * numbers[1]))})",
            )


def crt_theorems(facts, theorems):
    """private_crt.c."""
    mask = facts.constants["half_mask"]
    limbs = max(numbers[0] for _, kernel, numbers in facts.sizes if kernel == "private")
    theorems.add(
        "the carries of a difference are between -1 and 4", {"Int": "xp xq p c s d"},
        [*(between(0, x, mask) for x in ("xp", "xq", "p")), between(-1, "c", 4), "(= s (+ (- xp xq) (* 2 p) c))",
         f"(<= (* {mask + 1} d) s)", f"(< s (* {mask + 1} (+ d 1)))"],
        f"(and {between(-1, 'd', 4)} {between(-2**62, 's', 2**62)})",
    )
    for bits in sorted({bits for bits, kernel, _ in facts.sizes if kernel == "private"}):
        half = bits // 2
        theorems.add(
            f"private {bits}: the difference is positive and below 3p", {"Int": "xp xq p q"},
            [between(2 ** (half - 1), "p", 2**half - 1), between(2 ** (half - 1), "q", 2**half - 1), "(<= 0 xp)", "(< xp p)", "(<= 0 xq)", "(< xq q)"],
            "(and (< 0 (+ (- xp xq) (* 2 p))) (< (+ (- xp xq) (* 2 p)) (* 3 p)))",
        )
    theorems.add(
        "the sum of a column of the recombination fits 128 bits", {"Int": "s c d"},
        [between(0, "c", 2**58 - 1), between(0, "s", limbs * mask**2 + mask), f"(<= (* {mask + 1} d) (+ s c))"],
        f"(and (< (+ s c) {2**110}) (< d {2**58}))",
    )
    theorems.add(
        "the recombined number is below n", {"Int": "p q h x"}, ["(< 0 q)", "(<= h (- p 1))", "(<= x (- q 1))", "(<= (* q h) (* q (- p 1)))"],
        "(< (+ x (* q h)) (* p q))",
    )


FMA = ["fma", "fma_x4", "private_fma"]


def fma_theorems(facts, theorems):
    """From sums to limbs, and the reduction by doubles."""
    beta, mask = 2**LIMB, facts.constants["fma_mask"]
    bias, no_carry = facts.constants["bias"], facts.constants["no_carry"]
    low, high = facts.hull("sum", FMA)
    low, high = low - bias, high - bias
    theorems.add(
        "a sum is its limb and its carry", {BV: "s"}, [f"(bvsle {word(low)} s)", f"(bvsle s {word(high)})"],
        f"(= s (bvadd (bvsub (bvand (bvadd s {word(bias)}) {word(mask)}) {word(2**51)})"
        f" (bvshl (bvsub (bvlshr (bvadd s {word(bias)}) {word(LIMB)}) {word(no_carry)}) {word(LIMB)})))",
    )
    # The columns below R together are k R; all but the highest are below one limb.
    rest = Fraction(max(-low, high), beta - 1)
    theorems.add(
        "the highest column below R gives the carry", {"Int": "column k got", "Real": "rest"},
        [f"(= (+ (to_real column) rest) (* {real(beta)} (to_real k)))", f"(<= {real(-rest)} rest)", f"(<= rest {real(rest)})",
         f"(<= (* {beta} (+ got {no_carry})) (+ column {bias}))", f"(< (+ column {bias}) (* {beta} (+ got {no_carry} 1)))"],
        "(= got k)",
    )
    limb = max(abs(x) for x in facts.hull("limb", FMA))
    for bits, kernel, numbers in facts.sizes:
        if kernel not in ("fma", "private_fma"):
            continue
        limbs, half = numbers[0], kernel == "private_fma"
        ratio = Fraction(2 ** (bits // 2 if half else bits), beta**limbs)
        quotient = Fraction(limb, beta - 1)  # |M|/R at most
        theorems.add(
            f"{kernel} {bits}: a result is below 0.51 n", {"Real": "a b q r x"},
            [*(f"(and (<= (- {bound}) {name}) (<= {name} {bound}))" for name, bound in (("a", "3.0" if half else "1.0"), ("b", "1.0"), ("q", real(quotient)))),
             "(< 0.0 r)", f"(< r {real(ratio)})", "(= x (+ (* a b r) q))"],
            "(and (< (- 0.51) x) (< x 0.51))",
        )
    # In the mode of fma_mode.h the high part is C + p rounded down to a multiple of beta.
    for constant, both in sorted({step[4:] for step in facts.steps["low"]}):
        theorems.add(
            "the low part of a product is between 2^52 and 2^53 - 1", {"Int": "p q high"},
            [f"(= high (* {beta} q))", f"(<= high (+ {constant} p))", f"(< (+ {constant} p) (+ high {beta}))"],
            between(beta, f"(+ p (- {both} high))", 2 * beta - 1),
        )


# MARK: Gappa


def gappa(name, script):
    result = subprocess.run(["gappa", "-Eprecision=300"], input="@rnd = float<ieee_64, dn>;\n" + script, capture_output=True, text=True)
    if result.returncode != 0:
        fail(f"Gappa does not prove: {name}\n{script}\n{result.stderr}")


def hull(pairs):
    return min(low for low, _ in pairs), max(high for _, high in pairs)


def product_scripts(facts):
    """Both parts of a product are exact, for the largest limbs of all."""
    for constant, both in sorted({step[4:] for step in facts.steps["low"]}):
        mine = [step for step in facts.steps["high"] | facts.steps["low"] if step[4] == constant]
        low, high = hull([step[:2] for step in mine] + [step[2:4] for step in mine])
        given = f"@FIX(a, 0) /\\ @FIX(b, 0) /\\ a in [{low}, {high}] /\\ b in [{low}, {high}]"
        top = 1 << constant.bit_length() - 1
        names = f"p = a * b; high = rnd({constant} + p); rest = rnd({both} - high);\n"
        yield "the high part of a product is a multiple of 2^52", (
            names + f"{{ {given} -> high in [{top}, {2 * top}] /\\ @FIX(high, {LIMB}) /\\ rest - ({both} - high) in [0, 0] }}"
        )
        # That p + rest is below 2^53 is a theorem for z3.
        yield "the low part of a product is not rounded", (
            names + f"low = rnd(p + rest);\n"
            f"{{ {given} /\\ p + rest in [{2**52}, {2**53 - 1}] -> low - (p + rest) in [0, 0] /\\ low in [{2**52}, {2**53 - 1}] }}"
        )
    for step in facts.steps["high"]:
        if step[4] not in {low[4] for low in facts.steps["low"]}:
            fail("a product is added to a constant that no low part has")


def limb_scripts(facts):
    steps = facts.steps["difference"]
    (a, b), (c, d) = hull([step[:2] for step in steps]), hull([step[2:] for step in steps])
    yield "a limb is an exact difference", (
        f"x = rnd(a - b); {{ @FIX(a, 0) /\\ @FIX(b, 0) /\\ a in [{a}, {b}] /\\ b in [{c}, {d}] -> x - (a - b) in [0, 0] /\\ x in [{a - d}, {b - c}] }}"
    )


# MARK: what the sources state

# Of these kernels this range is within the bound that stands in this file's text.
STATED = [
    (["private"], "sum", "ifma_private.c", r"less than (4 \* 31 \* 2\^52) < 2\^59"),
    (["private_x4"], "sum", "ifma_x8.h", r"(4 \* 80 \* 2\^52 \+ 2\^9) < 2\^60.4"),
    (["ifma", "ifma_x8"], "sum", "../../docs/decisions/0005-rsa-by-vector-arithmetic.md", r"(320·2\^52 \+ 2\^9) < 2\^60.4"),
    (FMA, "limb", "fma_arith.h", r"\|limb\| <= (2\^51 \+ 2\^8)"),
    (["fma", "fma_x4"], "column", "../../docs/decisions/0017-rsa-by-doubles.md", r"between −2\^57.4 and (2\^59.7), carries included"),
    (["private_fma"], "column", "fma_private_power.c", r"is below\s+//\s+(2\^57.8) in size"),
]


def check_stated(facts):
    bias = facts.constants["bias"]
    for kernels, kind, name, pattern in STATED:
        found = re.search(pattern, (KERNELS / name).read_text())
        if found is None:
            fail(f"{name} does not state {pattern}")
        bound = sum(
            2 ** float(term[2:]) if "." in term else eval(term.replace("^", "**").replace("·", "*"), {})
            for term in found.group(1).split(" + ")
        )
        low, high = facts.hull("sum" if kind == "column" else kind, kernels)
        if kind == "column":
            low, high = low - bias, high - bias
        if max(-low, high) > bound:
            fail(f"{', '.join(kernels)}: {name} states {found.group(1)}, but a {kind} is between {low} and {high}")


def main():
    facts = Facts(sys.argv[1])
    theorems = Theorems()
    step_theorems(facts, theorems)
    carry_theorems(theorems)
    ifma_theorems(facts, theorems)
    crt_theorems(facts, theorems)
    fma_theorems(facts, theorems)
    scripts = [*product_scripts(facts), *limb_scripts(facts)]
    for name, script in scripts:
        gappa(name, script)
    count = theorems.prove()
    check_stated(facts)
    steps = sum(len(some) for some in facts.steps.values())
    print(f"bounds       {steps} different steps of {len({key[:2] for key in facts.ranges})} runs; {count} theorems by z3, {len(scripts)} by Gappa")


if __name__ == "__main__":
    main()
