"""What the built kernels leave behind: residue.py OBJECT…

Disassembles the release objects. An operation on secrets must be a small function that has another
one do all the work and ends with jose_residue_clear, on its only way out; what it clears of the
stack must reach below the deepest function it called; and jose_residue_clear must clear every
vector and mask register, by each set of instructions. Arithmetic of doubles, which depends on the
rounding that is set, stands in the functions alone that run while the kernel of doubles has set it,
and that mode is set and set back in as many places. In those functions no jump and no address
depends on a limb. In the other files of private operations no jump depends on a secret. Operations
on secrets by 52-bit multipliers run with the MXCSR that Intel asks for.
"""

import re
import subprocess
import sys

# Which operations handle secrets.
ENTRIES = (
    "jose_rsa_ifma_encrypt", "jose_rsa_fma_encrypt", "ifma_private", "fma_private",
    "ifma_private_x4", "ifma_renew", "fma_renew", "ifma_renew_x4", "jose_private_prepare")
CLEAR = "jose_residue_clear"
MOVES_DOWN = "mov %rcx,%rsp"
# The general registers that are not used by the clearing itself.
CLEARED_FIRST = ("esi", "r8d", "r9d", "r10d", "r11d")
# How deep functions of libc may reach that copy or fill, their red zone included.
LIBC = {name: 256 for name in ("memcpy", "memset", "memmove", "__memcpy_chk", "__memset_chk",
    "__memmove_chk")}
# They end the process.
ENDS = {"__stack_chk_fail", "__chk_fail"}
RED_ZONE = 128
# A signal at the deepest point: its frame with the registers of AVX-512, and what a handler pushes
# before it has registers of its own.
SIGNAL = 4096 + 512
# After the clearing: only the frame and the result.
AFTER = re.compile(
    r"(mov %e?[a-z0-9]+,%[er]?a[xl]|add \$0x[0-9a-f]+,%rsp|pop %r[a-z0-9]+|leave|ret|nop.*"
    r"|xchg %ax,%ax)$")

# Instructions whose result depends on MXCSR, and where MXCSR is set. Conversions count, except
# exact ones and those that truncate. All x87 instructions count, since their settings are not
# saved.
ROUNDED = re.compile(
    r"(v?(add|sub|mul|div|sqrt|hadd|hsub|addsub|dp|round|rndscale|reduce|scalef"
    r"|fn?m(add|sub|addsub|subadd)\d+)[ps][sdh]"
    r"|v?cvt(?!t|u?dq2pd|ps2pd|ss2sd|ph2ps)\w+|f\w+)(\s|$)")
BY_DOUBLES = ("fma_products", "fma_power", "fma_x4", "fma_private_power")
# Elsewhere: integers of at most 2^52, which every double holds.
EXACT = {file: re.compile(r"v?cvtsi2sdq?\s") for file in ("fma_key", "fma_private.c")}
SETS_THE_MODE = {
    "jose_rsa_fma_run": 2, "jose_rsa_fma_run_x4": 2, "jose_fma_is_exact": 2,
    "jose_fma_private_power": 4, "jose_fma_private_step": 2, "jose_fma_blinding_factor": 2,
    "jose_fma_blinding_scale": 2, "jose_fma_blinding_square": 2}
# Operations on secrets by 52-bit multipliers, with the file of what they call. Its MXCSR: all
# exceptions masked and raised, then lfence.
SETS_THE_TIME = {
    "jose_rsa_ifma_encrypt": "ifma_public.c", "ifma_private": "private_run.c",
    "ifma_private_x4": "private_run.c", "ifma_renew": "private_run.c",
    "ifma_renew_x4": "private_run.c"}
TIME_MODE = "movl $0x1fbf,"

# The files of private operations, where everything but sizes and positions is secret. No
# instruction whose time or memory depends on its operands: masked memory, division, roots, x87,
# searches for bits, gathers, conditional stores, string instructions. Calls by address only to free
# or make a public key. No jump depends on a secret. (That no address does, MemorySanitizer and
# memcheck check.)
PRIVATE = ("ifma_private", "ifma_private_x4", "fma_private", "fma_private_power", "private_key",
    "private_crt", "private_run", "ifma_power", "ifma_limbs", "fma_limbs")
VARIABLE = re.compile(
    r"(i?div\w*|v?(div|sqrt|rcp|rsqrt)[ps][sd]|vdiv\w+|f[a-z]+\w*|bs[fr]\w*|[lt]zcnt\w*|popcnt\w*"
    r"|v?p?(gather|scatter)\w+|v?p?maskmov\w+|vp?(compress|expand)\w+|rep\w*|loop\w*"
    r"|j[er]?cxz)(\s|$)")
# Memory under a mask: a page without an unmasked lane is not touched, so page faults would reveal
# the mask.
MASKED = re.compile(r".*\(%.*\{%k")
# Searches for the highest bit of the public exponent.
PUBLIC_EXPONENT = ("ifma_power.c.o:jose_ifma_power", re.compile(r"bsr 0x850\(%r\w+\),"))
PUBLIC_CALLS = ("jose_rsa_private_key_new", "jose_rsa_private_key_free")

# What gives a limb to the general registers or the flags, or an address to a vector. That a general
# register is written where
# a vector register is read needs no name.
FLAGS_OR_PLACES = re.compile(
    r"v?(u?comi[sx]\w*|ptest|testp[sd]|pcmp[ei]str\w+|k(or)?test\w+|p?gather\w+|p?scatter\w+"
    r"|maskmov\w+)(\s|$)")
# At the end the limbs of the result become integers, exactly: each is stored, and nothing else is
# done with it.
TO_INTEGER = re.compile(r"v?cvttsd2si[lq]? .*,(%r\w+)$")
STORES = re.compile(r"mov[lq]? (%(?![xyz]mm)\w+|\$-?0x[0-9a-f]+),.*\)$")
# What is read from memory into general registers: constants; e and size of the key, which are
# public, 32 bits each; and
# slots of the stack that general registers were written to, or that are the caller's.
CONSTANT = re.compile(r"-?0x[0-9a-f]+\(%rip\)$")
PUBLIC = re.compile(r"(mov|bsr) 0x138[04]\((?!%rsp|%rbp)%r\w+\),%(e\w\w|r\d+d)$")
SLOT = re.compile(r"(-?0x[0-9a-f]+)?\((%rsp|%rbp)\)$")
SETS_RBP = "mov %rsp,%rbp"

faults, addresses = [], {}


def bare(name):
    return name.split(":")[-1] if name else name


def fault(name, what):
    faults.append(f"{name}: {what}")


def disassemble(path):
    """Functions by `file:name`: lists of (mnemonic and operands, name that is called or jumped
    to)."""
    text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path], capture_output=True,
        text=True, check=True)
    functions, body = {}, None
    for line in text.stdout.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            body = functions.setdefault(head[1], [])
            places = addresses.setdefault(f"{path.rsplit('/', 1)[-1]}:{head[1]}", [])
        elif body is None:
            continue
        elif reloc := re.match(r"\s+[0-9a-f]+: R_X86_64_(?:PLT32|PC32)\s+([\w.]+)", line):
            if body and re.match(r"(call|j\w+) ", body[-1][0]):
                body[-1] = (body[-1][0], reloc[1])
        elif code := re.match(r"\s+([0-9a-f]+):\t(.+?)\s*(#.*)?$", line):
            words = " ".join(code[2].split())
            places.append(int(code[1], 16))
            # A call or jump inside the file needs no relocation.
            inside = re.search(r"^(?:call|j\w+) [0-9a-f]+ <([\w.]+)>$", words)
            body.append((words, inside[1] if inside else None))
    own = {name: f"{path.rsplit('/', 1)[-1]}:{name}" for name in functions}
    return {own[name]: [(code, own.get(target, target)) for code, target in body] for name,
        body in functions.items()}


def joined(files):
    """All functions; calls from file to file by the name that the other file has."""
    functions = {name: body for each in files for name, body in each.items()}
    places = {}
    for name in functions:
        places.setdefault(name.split(":")[1], []).append(name)

    def resolve(target):
        found = places.get(target, []) if target and ":" not in target else []
        if len(found) > 1:
            fault(target, "is in two objects")
        return found[0] if found else target

    return {name: [(code, resolve(target)) for code, target in body] for name,
        body in functions.items()}, places


def frame_bytes(name, body):
    """The most that a function takes of the stack, its return address and red zone included."""
    total = 8 + RED_ZONE
    for code, _ in body:
        if code.startswith("push "):
            total += 8
        elif found := re.match(r"sub \$0x([0-9a-f]+),%rsp$", code):
            total += int(found[1], 16)
        elif found := re.match(r"and \$0x([0-9a-f]+),%rsp$", code):
            total += (1 << 64) - int(found[1], 16)
        elif re.match(r"(sub|lea|mov) .*,%rsp$",
                code) and not re.match(r"(lea -?0x[0-9a-f]+\(%rbp\)|mov %rbp),%rsp$", code):
            fault(name, f"a frame of unknown size ({code})")
    return total


def depth(name, functions, above=()):
    """How far below its caller a function reaches, with all it calls."""
    if name in LIBC or name in ENDS:
        return LIBC.get(name, 0)
    if name not in functions:
        fault(above[-1] if above else name, f"calls {name}, which is not among the objects")
        return 0
    if name in above:
        fault(name, "calls itself")
        return 0
    body = functions[name]
    called = {target for code, target in body if target and target != name}
    for code, target in body:
        if code.startswith("call ") and target is None:
            fault(name, f"calls what cannot be known ({code})")
    return frame_bytes(name,
        body) + max((depth(each, functions, above + (name,)) for each in called), default=0)


def check_entry(name, functions, places):
    if len(places.get(name, [])) != 1:
        return fault(name, "is not among the objects")
    name = places[name][0]
    body = [step for step in functions[name]
        if not step[0].startswith(("nop", "cs nop", "data16", "xchg %ax,%ax", "endbr64"))]
    clears = [i for i, (_, target) in enumerate(body) if bare(target) == CLEAR]
    if not clears:
        return fault(name, f"returns without {CLEAR}")
    if any(re.match(r"j\w+ ", code) and bare(target) != CLEAR for code, target in body):
        return fault(name, "has more than one way out")
    sizes = [re.match(r"mov \$0x([0-9a-f]+),%edi$", code) for code, _ in body[: clears[-1]]]
    sizes = [int(size[1], 16) for size in sizes if size]
    if not sizes:
        return fault(name, "does not say how much of the stack is to be cleared")
    if not body[clears[-1]][0].startswith("jmp "):
        for code, _ in body[clears[-1] + 1:]:
            if not AFTER.match(code):
                fault(name, f"goes on after {CLEAR} ({code})")
    own = frame_bytes(name, body) - RED_ZONE
    if own > 96:
        fault(name, f"keeps a frame of {own} bytes, which nobody clears")
    reached = own + SIGNAL + max(depth(target, functions) for _,
        target in body if target and bare(target) != CLEAR)
    if reached > sizes[-1]:
        fault(name,
            f"clears {sizes[-1]} bytes of the stack, but what it calls reaches {reached} deep")
    print(f"  {bare(name)}: clears registers and {sizes[-1]} bytes, "
            f"{reached} of which may have been in use")


def check_clear(functions, places):
    if len(places.get(CLEAR, [])) != 1:
        return fault(CLEAR, "is not among the objects")
    clear = places[CLEAR][0]
    ways = {bare(target): target for _, target in functions[clear] if target and target != clear}
    for last in [code for code, _ in functions[clear] if code == "ret"]:
        fault(CLEAR, f"a way out that clears nothing ({last})")
    wanted = {
        "clear_avx512": ["vzeroall"] + [f"vpxorq %zmm{i},%zmm{i},%zmm{i}" for i in range(16, 32)]
        + [f"kxorq %k{i},%k{i},%k{i}" for i in range(8)],
        "clear_avx": ["vzeroall"],
        "clear_sse": [f"pxor %xmm{i},%xmm{i}" for i in range(16)],
    }
    if set(ways) != set(wanted):
        fault(CLEAR, f"ends in {sorted(ways)}")
    for way, codes in wanted.items():
        body = [code for code, _ in functions.get(ways.get(way), [])]
        for code in codes + [MOVES_DOWN]:
            if code not in body:
                fault(way, f"lacks {code}")
        # A signal from there on saves the registers below the cleared stack.
        before = body[:body.index(MOVES_DOWN)] if MOVES_DOWN in body else []
        for code in codes + [f"xor %{name},%{name}" for name in CLEARED_FIRST]:
            if code not in before:
                fault(way, f"does not clear by {code} before the stack pointer moves")
        for code in body:
            # Only register 0 is used, and only as the zero that is stored.
            if re.search(r"mm|%k",
                    code) and code not in codes and not re.match(r"v?movdq[au](64)? %[xyz]mm0,",
                    code):
                fault(way, f"uses a register besides ({code})")


def check_rounding(functions):
    """Checks that floating point runs only in the kernels' rounding mode: the function that sets
    MXCSR calls the kernel and then restores it."""
    places, rounded = {}, 0
    for name, body in functions.items():
        sets = [i for i, (code, _) in enumerate(body) if code.startswith(("ldmxcsr", "vldmxcsr"))]
        if sets:
            places[bare(name)] = len(sets)
        inside = [i for first, last in zip(sets[::2], sets[1::2]) for i in range(first, last)]
        for first, last in zip(sets[::2], sets[1::2]):
            called = [target for code, target in body[first:last] if code.startswith("call ")]
            by = SETS_THE_TIME.get(bare(name))
            if by and (body[first + 1][0] != "lfence"
                       or not any(code.startswith(TIME_MODE) for code, _ in body[:first])):
                fault(bare(name), "sets another MXCSR, or does not wait for it")
            if len(called) != 1 or not called[0].startswith(by or BY_DOUBLES):
                fault(bare(name), f"calls {called} with the mode set")
            if any(ROUNDED.match(code) for code, _ in body[first:last]):
                fault(bare(name), "computes with the mode set")
        sums = [code for code, _ in body if ROUNDED.match(code)]
        if name.startswith(BY_DOUBLES):
            rounded += len(sums)
            continue
        for code in sums:
            if not any(name.startswith(file) and exact.match(code) for file,
                    exact in EXACT.items()):
                fault(name, f"has arithmetic that depends on the rounding ({code})")
        for i, (code, target) in enumerate(body):
            if target and target.startswith(BY_DOUBLES) and i not in inside:
                fault(name, f"calls {bare(target)} without setting the mode")
    if places != SETS_THE_MODE | dict.fromkeys(SETS_THE_TIME, 2):
        fault("MXCSR", f"is set in {places}")
    if not rounded:
        fault("the kernel of doubles", "has no arithmetic: the check sees nothing")


def operands(code):
    """What stands between the commas that are not of an address."""
    words = code.split(" ", 1)
    return re.findall(r"(?:[^,(]|\([^)]*\))+", words[1]) if len(words) > 1 else []


def alias(register):
    """The 64-bit register that this one is a part of."""
    named = re.match(r"%[er]?([abcd])[xlh]$", register) or re.match(r"%[er]?([sd]i|[sb]p)l?$",
        register)
    if named:
        return f"%r{named[1]}x" if len(named[1]) == 1 else f"%r{named[1]}"
    return re.sub(r"^(%r\d+)[dwb]$", r"\1", register)


def mentioned(text):
    return {alias(register) for register in re.findall(r"%\w+", text)}


def following(name, body):
    """Where each instruction of a function may go on within it; None where it leaves for another
    place than its caller."""
    index = {place: i for i, place in enumerate(addresses[name])}
    ways = []
    for i, (code, target) in enumerate(body):
        jump = re.match(r"(j\w+) ([0-9a-f]+) <[\w.]+\+0x", code)
        if jump and not target:  # a jump out of the function has a relocation
            ways.append([index[int(jump[2], 16)]] + ([] if jump[1] == "jmp" else [i + 1]))
        elif code.startswith(("jmp", "notrack jmp")) or target and code.startswith("j"):
            ways.append(None)
        else:
            ways.append([] if code.startswith("ret") or bare(target) in ENDS else [i + 1])
    return ways


def outlives(body, ways, first, register):
    """The instruction that does more with a limb in a general register than store it, or None."""
    seen, ahead = set(), [first]
    while ahead:
        i = ahead.pop()
        if i in seen:
            continue
        seen.add(i)
        code = body[i][0]
        to = (operands(code) or [""])[-1]
        if ways[i] is None or code.startswith("call") and bare(body[i][1]) not in ENDS:
            return code
        if register in mentioned(code):
            before = mentioned(code[: len(code) - len(to)])
            if re.match(r"(mov\w*|lea|v?cvttsd2si[lq]?|pop) ",
                    code) and alias(to) == register and register not in before:
                continue
            if not STORES.match(code) or register in mentioned(to) or SLOT.match(to):
                return code
        ahead += ways[i]
    return None


def kept_slots(body, ways):
    """Before each instruction: the slots of the stack that a general register was written to last,
    whichever way led there."""
    kept, ahead = [None] * len(body), [(0, frozenset())]
    while ahead:
        i, slots = ahead.pop()
        if kept[i] is not None:
            slots &= kept[i]
            if slots == kept[i]:
                continue
        kept[i] = slots
        code = body[i][0]
        to = (operands(code) or [""])[-1]
        slot = SLOT.match(to)
        if STORES.match(code) and slot:
            slots |= {to}
        elif slot and "mm" in code:
            first = int(slot[1] or "0", 16)
            size = 8 if re.match(r"vmov(s[sd]|[lh]p[sd]|[dq]) ",
                code) else 16 if re.match(r"vextract|.*%xmm\d+,[^%]", code) else 32
            slots = {each for each in slots if (own := SLOT.match(each))[2] != slot[2]
                     or not first - 8 < int(own[1] or "0", 16) < first + size}
        elif code.startswith(("push", "pop")) or to == "%rsp":
            slots = {each for each in slots if not each.endswith("(%rsp)")}
        ahead += [(after, frozenset(slots)) for after in ways[i] or []]
    return kept


def check_flow(functions):
    """No jump and no address depends on a limb: limbs stay in vector registers and in the memory
    that only those read."""
    looked = 0
    for name, body in functions.items():
        if not name.startswith(BY_DOUBLES):
            continue
        ways = following(name, body)
        kept = kept_slots(body, ways)
        for i, (code, _) in enumerate(body):
            parts = operands(code)
            looked += 1
            to = parts[-1] if parts else ""
            if FLAGS_OR_PLACES.match(code) or re.search(r"\([^)]*%[xyz]mm", code):
                fault(name, f"lets a jump or an address depend on a limb ({code})")
            elif integer := TO_INTEGER.match(code):
                if more := outlives(body, ways, i + 1, alias(integer[1])):
                    fault(name, f"does more with a limb than store it ({code}; {more})")
            elif re.search(r"%[xyz]mm|%k[0-7]", code) or re.match(r"v[a-z]+\d* ", code):
                if re.match(r"%[er]?\w+$", to) and not re.match(r"%([xyz]mm|k)\d", to):
                    fault(name, f"moves a limb into a general register ({code})")
            elif re.match(r"(notrack )?(jmp|call) \*", code):
                fault(name, f"goes to where cannot be known ({code})")
            elif "(" in code and not code.startswith(("lea ", "nop", "cs nop",
                    "data16")) and not STORES.match(code):
                where = [part for part in parts if "(" in part]
                slot = SLOT.match(where[0])
                given = slot and int(slot[1] or "0",
                    16) >= (16 if slot[2] == "%rbp" else frame_bytes(name, body) - RED_ZONE)
                if slot and slot[2] == "%rbp" and not any(SETS_RBP == code for code, _ in body):
                    slot = given = None
                if len(where) != 1 or not (CONSTANT.match(where[0]) or PUBLIC.match(code) or given
                                           or slot and where[0] in (kept[i] or ())):
                    fault(name, f"reads what may be a limb into a general register ({code})")
    if not looked:
        fault("the kernel of doubles", "is not among the objects")


def check_private(functions):
    """No instruction of variable time in the files of private operations."""
    looked = 0
    for name, body in functions.items():
        if not name.startswith(tuple(file + ".c" for file in PRIVATE)):
            continue
        for code, _ in body:
            looked += 1
            if name == PUBLIC_EXPONENT[0] and PUBLIC_EXPONENT[1].match(code):
                continue
            if VARIABLE.match(code):
                fault(name, f"has an instruction of variable time ({code})")
            elif MASKED.match(code):
                fault(name, f"touches memory under a mask ({code})")
            elif re.match(r"(notrack )?(jmp|call) \*", code) and not name.endswith(PUBLIC_CALLS):
                fault(name, f"goes to where cannot be known ({code})")
    if not looked:
        fault("private operations", "are not among the objects")
    print(f"  private operations: {looked} instructions, none of variable time or with masked "
        "memory")


# Instructions that set the flags, of these those that write nothing else, and those that read what
# they write: of integers, and of vectors.
SETS_FLAGS = re.compile(
    r"(add|sub|adc|sbb|and|or|xor|neg|inc|dec|cmp|test|bt[scr]?|sh[lr]d?|sal|sar|ro[lr]|i?mul"
    r"|andn|bzhi|bls\w+|bextr|ad[co]x|v?u?comis[sd]|v?ptest|vtestp[sd]|k(or)?test[bwdq])[bwlq]?$")
WRITES_FLAGS_ALONE = re.compile(
    r"(cmp|test|bt|v?u?comis[sd]|v?ptest|vtestp[sd]|k(or)?test)[bwlqd]?$")
USES_FLAGS = re.compile(r"(adc|sbb|adcx|adox|rc[lr]|set\w+|cmov\w+)[bwlq]?$")
WRITES_ONLY = re.compile(
    r"(v?mov\w*|lea\w*|set\w+|rorx|s[ah][lr]x|pdep|pext|andn|bzhi|bextr)[bwlq]?$")
VECTOR_TOO = re.compile(r"v(pmadd|fn?m|pternlog|perm[it]2|pdp)\w+$")
ONE_REGISTER = re.compile(r"(v?p?xor\w*|sub[lq]?|vpsub\w|kxor[bwdq]) (%\w+)(,\2)+$")
# What is public in memory: sizes, checksums, places and kernels of keys, and the arrays of pointers
# that a caller passes.
SIZES = r"(0xe2[08]|0x85[048]|0x138[048])\((?!%r[sb]p)%\w+\)"
PUBLIC_MEMORY = {file: re.compile(SIZES + "$").match for file in PRIVATE}
PUBLIC_MEMORY["private_run"] = re.compile(
    SIZES + r"|(0x(8|10|14|18))?\(%(?!r[sb]p)\w+(,%\w+,8)?\)$").match
# Their jumps depend on what is public: guard words, and tables of kernels.
PUBLIC_JUMPS = ("are_guards_intact", "jose_rsa_private_key_new", "jose_rsa_private_key_free",
    "jose_rsa_blinding_set")


def flow(name, body, is_public):
    """The instructions that jump by flags that may depend on a secret. Registers are public if all
    that they were computed from is: constants, arguments, results of calls, slots of the stack that
    a public register was stored to last, and memory that `is_public` names."""
    ways = [each if each is not None else [i + 1] if re.match(r"j(?!mp)", body[i][0]) else []
        for i, each in enumerate(following(name, body))]
    general = {f"%r{each}" for each in "ax bx cx dx si di bp sp 8 9 10 11 12 13 14 15".split()}
    before, ahead, found = [None] * len(body), [(0, frozenset(general))], {}
    while ahead:
        i, public = ahead.pop()
        if i >= len(body):
            continue
        if before[i] is not None:
            public &= before[i]
            if public == before[i]:
                continue
        before[i] = public
        code, target = body[i]
        if re.match(r"j(?!mp)\w+ ", code) and "flags" not in public:
            found[i] = code
        after = frozenset(step(code, target, set(public), is_public))
        ahead += [(each, after) for each in ways[i]]
    return list(found.values())


def wide(register):
    """Vectors and masks by their widest name."""
    register = re.sub(r"^%[xy]mm", "%zmm", register)
    return register if "mm" in register or register.startswith("%k") else alias(register)


def step(code, target, public, is_public):
    """What is public after an instruction."""
    op, parts = code.split(" ")[0], operands(code)
    if op in ("lock", "notrack", "bnd", "data16", "cs"):
        return public

    def registers(text):
        return {wide(each) for each in re.findall(r"%\w+", text)}

    def place(slot):
        return slot[2], int(slot[1] or "0", 16)

    def known(part):
        if part.startswith(("$", "%fs:0x28")):
            return True
        if "(" not in part:
            return registers(part) <= public
        slot = SLOT.match(part)
        return bool(CONSTANT.match(part) or is_public(part)) or slot is not None and any(
            each[:2] == place(slot) for each in public if isinstance(each, tuple))

    def write(part, value):
        if "(" not in part:
            (public.update if value else public.difference_update)(registers(part.split("{")[0]))
        elif slot := SLOT.match(part):
            base, first = place(slot)
            size = 64 if "zmm" in code else 32 if "ymm" in code else 16 if "xmm" in code else 8
            if re.match(r"\w+l \$|\w+ %(e|r\d+d)", code):
                size = 4
            public.difference_update([each for each in public if isinstance(each, tuple)
                and each[0] == base and each[1] < first + size and first < each[1] + each[2]])
            if value and "mm" not in code:
                public.add((base, first, size))

    if op.startswith("call"):
        public.difference_update(["flags", "%rcx", "%rdx", "%rsi", "%rdi", "%r8", "%r9", "%r10",
            "%r11"] + [each for each in public if isinstance(each, str)
                and ("mm" in each or each.startswith("%k"))])
        public.add("%rax")
    elif op.startswith(("push", "pop")):
        public.difference_update([each for each in public if each[0] == "%rsp"])
        if op == "pop":
            public.update(registers(parts[0]))
    elif op in ("cqto", "cltd"):
        (public.add if "%rax" in public else public.discard)("%rdx")
    elif op == "mulx":
        value = known(parts[0]) and "%rdx" in public
        write(parts[1], value)
        write(parts[2], value)
    elif op in ("mul", "mulq", "mull", "imulq") and len(parts) == 1:
        value = known(parts[0]) and "%rax" in public
        for each in ("%rax", "%rdx", "flags"):
            (public.add if value else public.discard)(each)
    elif parts and not op.startswith(("j", "nop", "ret", "endbr", "prefetch")):
        to = parts[-1]
        if op.startswith("lea"):
            value = registers(parts[0]) <= public
        elif ONE_REGISTER.match(code):
            value = True
        else:
            value = all(known(each) for each in parts[:-1])
            reads_too = not WRITES_ONLY.match(op) and (
                bool(VECTOR_TOO.match(op)) or "{%k" in to or not op.startswith(("v", "k")))
            if len(parts) == 1 and not op.startswith("set") or reads_too and not (
                    op.startswith("imul") and len(parts) == 3):
                value = value and known(to.split("{")[0])
            if "{%k" in to:
                value = value and registers(to) <= public
        if USES_FLAGS.match(op):
            value = value and "flags" in public
        if SETS_FLAGS.match(op):
            (public.add if value else public.discard)("flags")
        if not WRITES_FLAGS_ALONE.match(op):
            write(to, value)
        if op.startswith("xchg"):
            write(parts[0], value)
    return public


def check_jumps(functions):
    """No jump of the files of private operations depends on a secret."""
    seen = 0
    for name, body in functions.items():
        file = name.split(".c")[0]
        if file not in PRIVATE or file in BY_DOUBLES or bare(name) in PUBLIC_JUMPS:
            continue
        for code in flow(name, body, PUBLIC_MEMORY.get(file, lambda part: None)):
            fault(name, f"may jump by a secret ({code})")
        seen += sum(bool(re.match(r"j(?!mp)\w+ ", code)) for code, _ in body)
    print(f"  private operations: {seen} jumps, each by what is public")


# The check itself is checked: each of these must be found, and the one after them be taken.
LEAKS = (
    "vmovq %xmm0,%rax", "vmovd %xmm0,%eax", "vpextrq $0x1,%xmm0,%rax", "vmovmskpd %ymm0,%eax",
    "vpmovmskb %ymm0,%eax",
    "vptest %ymm0,%ymm0", "vtestpd %ymm0,%ymm0", "vucomisd %xmm1,%xmm0", "comisd %xmm1,%xmm0",
    "kmovb %k1,%eax",
    "vgatherqpd %ymm1,(%rax,%ymm2,8),%ymm0", "vcvtsd2si %xmm0,%rax", "jmp *%rax", "call *(%rdi)",
    "mov 0x20(%rdi,%rax,8),%rcx", "cmp %rax,(%rsi)", "mov 0x1380(%rdi),%rax", "mov 0x20(%rsp),%rax",
    "vcvttsd2si (%rdi),%rax; cmp $0x0,%rax", "vcvttsd2si (%rdi),%rax; mov %rax,(%rsi,%rax,8)",
    "vcvttsd2si (%rdi),%rax; je 2 <f+0x2>; shl $0x4,%eax",
    "vcvttsd2si (%rdi),%rax; mov %rax,0x20(%rsp)",
    "mov %rax,0x20(%rsp); vmovdqa %ymm0,0x8(%rsp); mov 0x20(%rsp),%rcx",
    "mov %rax,0x20(%rsp); je 3 <f+0x3>; vmovq %xmm0,0x20(%rsp); mov 0x20(%rsp),%rcx",
    "mov %rax,0x20(%rbp); mov 0x20(%rbp),%rcx",
)
CLEAN = (
    "mov %rax,0x20(%rsp); vmovapd %ymm0,0x40(%rsp); mov 0x20(%rsp),%rcx; cmp %rax,%rcx; "
        "jne 1 <f+0x1>; mov 0x1380(%rdi),%ecx; vcvttsd2si (%rdi),%rax; mov %rax,(%rsi); "
        "jne 6 <f+0x6>; vmovq %rcx,%xmm0; vmovq %xmm0,(%rsi)")
TAKES_ANY_TIME = ("div %rcx", "idivq (%rdi)", "vdivpd %ymm0,%ymm1,%ymm2", "sqrtsd %xmm0,%xmm1",
    "bsf %rax,%rcx", "bsr %rax,%rcx", "tzcnt %rax,%rcx", "vpgatherqq (%rax,%ymm1,8),%ymm0{%k1}",
    "rep stos %al,%es:(%rdi)", "fld %st(0)", "vpcompressq %zmm0,(%rax){%k1}")
TAKES_ONE_TIME = ("imul %rax,%rcx", "mulx %rax,%rcx,%rdx", "vpmadd52luq %zmm0,%zmm1,%zmm2",
    "pdep %rax,%rcx,%rdx", "vfmadd231pd %ymm0,%ymm1,%ymm2", "vpblendd $0x33,%ymm0,%ymm1,%ymm2")
MASKS_MEMORY = ("vmovdqa64 0x100(%rsp,%rax,1),%zmm0{%k1}", "vmovdqu64 %zmm0,(%rdi){%k2}",
    "vpaddq 0x40(%rsp){1to8},%zmm0,%zmm0{%k1}{z}")
MASKS_REGISTERS = ("vmovdqa64 %zmm1,%zmm0{%k1}", "vpermq $0x39,%zmm0,%zmm0{%k1}{z}",
    "vmovdqa64 0x100(%rsp,%rax,1),%zmm0")
# Jumps by secrets and by what is public, in a function whose first argument is in rdi.
JUMPS_BY_SECRETS = (
    "mov (%rdi),%rax; test %rax,%rax; jns 3 <f+0x3>",
    "mov (%rdi),%rax; sub (%rsi),%rax; jb 3 <f+0x3>",
    "mov (%rdi),%rax; sbb %rcx,%rcx; mov %rax,0x20(%rsp); cmpq $0x0,0x20(%rsp); je 5 <f+0x5>",
    "vmovq %xmm0,%rax; and $0x1,%eax; je 3 <f+0x3>", "kortestb %k1,%k1; je 2 <f+0x2>",
    "mov (%rdi),%rax; shr $0x3f,%rax; neg %rax; lea 0x1(%rax),%rcx; dec %rcx; jne 6 <f+0x6>",
    "mov (%rdi),%rdx; mulx %rsi,%rax,%rcx; test %rcx,%rcx; je 4 <f+0x4>",
    "mov (%rdi),%rax; add %rax,%rax; setb %cl; test %cl,%cl; je 5 <f+0x5>",
    "xor %eax,%eax; test %rsi,%rsi; je 4 <f+0x4>; mov (%rdi),%rax; test %rax,%rax; je 6 <f+0x6>")
JUMPS_BY_PUBLIC = (
    "cmp $0x100,%rsi; je 2 <f+0x2>",
    "mov %rsi,0x20(%rsp); mov (%rdi),%rax; mov 0x20(%rsp),%rcx; dec %rcx; jne 5 <f+0x5>",
    "mov (%rdi),%rax; xor %eax,%eax; inc %rax; cmp $0x14,%rax; jne 4 <f+0x4>",
    "mov 0xe20(%rdi),%rax; cmp $0x200,%rax; je 3 <f+0x3>")
ROUNDS = ("vaddpd", "vfmadd231pd", "vfmaddsub132pd", "sqrtsd", "vroundpd", "roundsd", "cvtsi2sd",
    "vcvtsi2sdq", "cvtdq2ps",
          "vcvtpd2dq", "cvtsd2si", "vcvtpd2ps", "cvtsd2ss", "vcvtqq2pd", "vcvtps2ph", "vdppd",
          "haddpd", "fld", "fadd")
DOES_NOT = ("vpaddq", "sub", "vcvttsd2si", "cvtdq2pd", "vcvtps2pd", "cvtss2sd", "vmovapd", "vxorpd")


def check_the_check():
    name, kept = BY_DOUBLES[0] + ".c.o:f", list(faults)
    for sample in LEAKS + (CLEAN,):
        body = [(code, None) for code in f"sub $0x100,%rsp; {sample}; ret".split("; ")]
        addresses[name] = list(range(-1, len(body) - 1))
        faults.clear()
        check_flow({name: body})
        if bool(faults) != (sample is not CLEAN):
            kept.append(f"the check: {'takes' if sample is not CLEAN else 'rejects'} {sample}")
    faults[:] = kept
    name = "private_crt.c.o:f"
    for sample in JUMPS_BY_SECRETS + JUMPS_BY_PUBLIC:
        body = [(code, None) for code in f"sub $0x100,%rsp; {sample}; ret".split("; ")]
        addresses[name] = list(range(-1, len(body) - 1))
        if bool(flow(name, body, PUBLIC_MEMORY["private_crt"])) != (sample in JUMPS_BY_SECRETS):
            fault("the check", f"is wrong about the jumps of {sample}")
    for code in TAKES_ANY_TIME + TAKES_ONE_TIME:
        if bool(VARIABLE.match(code)) != (code in TAKES_ANY_TIME):
            fault("the check", f"is wrong about the time of {code}")
    for code in MASKS_MEMORY + MASKS_REGISTERS:
        if bool(MASKED.match(code)) != (code in MASKS_MEMORY):
            fault("the check", f"is wrong about the mask of {code}")
    for code in ROUNDS + DOES_NOT:
        if bool(ROUNDED.match(code + " ")) != (code in ROUNDS):
            fault("the check", f"is wrong about the rounding of {code}")


def main():
    functions, places = joined(disassemble(path) for path in sys.argv[1:])
    for name in ENTRIES:
        check_entry(name, functions, places)
    check_clear(functions, places)
    check_rounding(functions)
    check_flow(functions)
    check_private(functions)
    check_jumps(functions)
    check_the_check()
    for each in sorted(set(faults)):
        print(f"FAILED  residue: {each}")
    print("residue  the built operations on secrets clear what they used" if not faults
        else f"residue  {len(faults)} faults")
    return bool(faults)


sys.exit(main())
