"""What the built kernels leave behind: residue.py OBJECT…

Disassembles the release objects. An operation on secrets must be a small function that has another one do all the work
and ends with jose_residue_clear, on its only way out; what it clears of the stack must reach below the deepest function
it called; and jose_residue_clear must clear every vector and mask register, by each set of instructions. Arithmetic of
doubles, which depends on the rounding that is set, stands in the functions alone that run while the kernel of doubles has
set it, and that mode is set and set back in as many places.
"""

import re
import subprocess
import sys

# Which operations handle secrets, and whether all that they call is ours: libcrypto's frames are its own.
ENTRIES = {
    "jose_content_kernel_prepare": True,
    "jose_content_kernel_encrypt": True,
    "jose_content_kernel_agrees": False,
    "jose_rsa_ifma_encrypt": True,
    "jose_rsa_fma_encrypt": True,
}
CLEAR = "jose_residue_clear"
# How deep functions of libc may reach that copy or fill, their red zone included.
LIBC = {name: 256 for name in ("memcpy", "memset", "memmove", "__memcpy_chk", "__memset_chk", "__memmove_chk")}
# They end the process.
ENDS = {"__stack_chk_fail", "__chk_fail"}
RED_ZONE = 128
# After the clearing: only the frame and the result.
AFTER = re.compile(r"(mov %e?[a-z0-9]+,%[er]?a[xl]|add \$0x[0-9a-f]+,%rsp|pop %r[a-z0-9]+|leave|ret|nop.*|xchg %ax,%ax)$")

# Arithmetic whose result depends on MXCSR, where it may stand, and where that is set.
ROUNDED = re.compile(r"v?(add|sub|mul|div|sqrt|fn?m(add|sub)\d+)[ps][sd] ")
BY_DOUBLES = ("fma_products", "fma_power", "fma_x4")
SETS_THE_MODE = {"jose_rsa_fma_run": 2, "jose_rsa_fma_run_x4": 2, "jose_fma_is_exact": 2}

faults = []


def bare(name):
    return name.split(":")[-1] if name else name


def fault(name, what):
    faults.append(f"{name}: {what}")


def disassemble(path):
    """Functions by `file:name`: lists of (mnemonic and operands, name that is called or jumped to)."""
    text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path], capture_output=True, text=True, check=True)
    functions, body = {}, None
    for line in text.stdout.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            body = functions.setdefault(head[1], [])
        elif body is None:
            continue
        elif reloc := re.match(r"\s+[0-9a-f]+: R_X86_64_(?:PLT32|PC32)\s+([\w.]+)", line):
            if body and re.match(r"(call|j\w+) ", body[-1][0]):
                body[-1] = (body[-1][0], reloc[1])
        elif code := re.match(r"\s+[0-9a-f]+:\t(.+?)\s*(#.*)?$", line):
            words = " ".join(code[1].split())
            # A call or jump inside the file needs no relocation.
            inside = re.search(r"^(?:call|j\w+) [0-9a-f]+ <([\w.]+)>$", words)
            body.append((words, inside[1] if inside else None))
    own = {name: f"{path.rsplit('/', 1)[-1]}:{name}" for name in functions}
    return {own[name]: [(code, own.get(target, target)) for code, target in body] for name, body in functions.items()}


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

    return {name: [(code, resolve(target)) for code, target in body] for name, body in functions.items()}, places


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
        elif re.match(r"(sub|lea|mov) .*,%rsp$", code) and not re.match(r"(lea -?0x[0-9a-f]+\(%rbp\)|mov %rbp),%rsp$", code):
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
    return frame_bytes(name, body) + max((depth(each, functions, above + (name,)) for each in called), default=0)


def check_entry(name, functions, places, all_ours):
    if len(places.get(name, [])) != 1:
        return fault(name, "is not among the objects")
    name = places[name][0]
    body = [step for step in functions[name] if not step[0].startswith(("nop", "cs nop", "data16", "xchg %ax,%ax", "endbr64"))]
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
    reached = 0
    if all_ours:
        reached = own + max(depth(target, functions) for _, target in body if target and bare(target) != CLEAR)
        if reached > sizes[-1]:
            fault(name, f"clears {sizes[-1]} bytes of the stack, but what it calls reaches {reached} deep")
    print(f"  {bare(name)}: clears registers and {sizes[-1]} bytes"
          + (f", {reached} of which may have been in use" if all_ours else "; below lies libcrypto"))


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
        for code in codes + ["sub %rdi,%rsp"]:
            if code not in body:
                fault(way, f"lacks {code}")
        for code in body:
            # Only register 0 is used, and only as the zero that is stored.
            if re.search(r"mm|%k", code) and code not in codes and not re.match(r"v?movdq[au](64)? %[xyz]mm0,", code):
                fault(way, f"uses a register besides ({code})")


def check_rounding(functions):
    """By doubles is computed in the mode alone, and whoever sets it calls the kernel between setting it and setting it back."""
    places, rounded = {}, 0
    for name, body in functions.items():
        sets = [i for i, (code, _) in enumerate(body) if code.startswith(("ldmxcsr", "vldmxcsr"))]
        if sets:
            places[bare(name)] = len(sets)
        for first, last in zip(sets[::2], sets[1::2]):
            called = [target for code, target in body[first:last] if code.startswith("call ")]
            if len(called) != 1 or not called[0].startswith(BY_DOUBLES):
                fault(bare(name), f"calls {called} with the mode set")
            if any(ROUNDED.match(code) for code, _ in body[first:last]):
                fault(bare(name), "computes with the mode set")
        sums = sum(1 for code, _ in body if ROUNDED.match(code))
        rounded += sums
        if sums and not name.startswith(BY_DOUBLES):
            fault(name, "has arithmetic that depends on the rounding")
    if places != SETS_THE_MODE:
        fault("MXCSR", f"is set in {places}")
    if not rounded:
        fault("the kernel of doubles", "has no arithmetic: the check sees nothing")


def main():
    functions, places = joined(disassemble(path) for path in sys.argv[1:])
    for name, all_ours in ENTRIES.items():
        check_entry(name, functions, places, all_ours)
    check_clear(functions, places)
    check_rounding(functions)
    for each in sorted(set(faults)):
        print(f"FAILED  residue: {each}")
    print("residue  the built operations on secrets clear what they used" if not faults else f"residue  {len(faults)} faults")
    return bool(faults)


sys.exit(main())
