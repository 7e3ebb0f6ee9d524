#!/usr/bin/env python3
"""Do the tests bite? Mutants of the C core and of the verdict code, all in one build, each run against the tests.

usage: mutate.py [--critical] [--seconds N] [--files REGEX] [--programs]
"""

import argparse
import concurrent.futures
import functools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import c_sites
import names
import swift_sites
from critical import CRITICAL, topic
from sites import Numbers

ROOT = Path(__file__).resolve().parents[2]
STATE = ROOT / ".build/mutation"
TREE = STATE / "tree"
TESTS = ["JOSEBytesTests", "JOSECryptoTests", "JOSETests"]
C_FILES = ["CShims/CJOSEBytes/*.c", "CShims/CJOSECrypto/*/*.c", "CShims/CJOSEKernels/*.c", "CShims/CJOSEKernels/ifma_*.h", "CShims/CJOSEKernels/fma_*.h"]
# What decides: headers, claims, selection, layers, chains, and the readers below them.
SWIFT_FILES = [
    "Sources/JOSE/Algorithms/HeaderMember.swift", "Sources/JOSE/Header/*.swift",
    "Sources/JOSE/JWS/SignatureCheck*.swift", "Sources/JOSE/JWS/SignatureHeaderPolicy.swift", "Sources/JOSE/JWS/JWSVerifier*.swift",
    "Sources/JOSE/JWS/JWSText.swift", "Sources/JOSE/JWE/JWEOpening*.swift", "Sources/JOSE/JWE/JWEDecrypter*.swift",
    "Sources/JOSE/JWE/JWEText.swift", "Sources/JOSE/JWE/EncryptedMessage.swift",
    "Sources/JOSE/PreparedKeys/SigningKey.swift", "Sources/JOSE/PreparedKeys/ExternalDecryption.swift", "Sources/JOSE/JWE/RecipientParameters.swift",
    "Sources/JOSE/JWT/ClaimsCheck.swift", "Sources/JOSE/JWT/ClaimsPolicy.swift", "Sources/JOSE/JWT/JWTLayers*.swift",
    "Sources/JOSE/JWT/JWTVerifier.swift", "Sources/JOSE/JWT/IssuerTable.swift", "Sources/JOSE/JWT/RegisteredClaims.swift",
    "Sources/JOSE/JWT/TokenHash.swift", "Sources/JOSE/JWK/KeySelection.swift", "Sources/JOSE/JWK/KeyIDTable.swift",
    "Sources/JOSE/JWK/KeyTrust.swift", "Sources/JOSE/JWK/JWKFields.swift", "Sources/JOSE/JWK/JWKDocument*.swift",
    "Sources/JOSE/JWK/JWKOutline.swift",
    "Sources/JOSE/JWK/PublicJWKSet*.swift", "Sources/JOSE/PreparedKeys/KeyQuery.swift",
    "Sources/JOSE/KeySelection/VerificationKeys.swift", "Sources/JOSE/KeySelection/DecryptionKeys.swift",
    "Sources/JOSE/PreparedKeys/PreparedKey.swift", "Sources/JOSE/Certificates/*.swift", "Sources/JOSE/Coding/NumericDate.swift",
    "Sources/JOSE/PreparedKeys/RSAKeyMaterial+DER.swift", "Sources/JOSE/PreparedKeys/CurveKeyMaterial+DER.swift",
    "Sources/JOSE/PreparedKeys/KeyMaterial.swift",
    "Sources/JOSEBytes/Secrets.swift", "Sources/JOSEBytes/JSONScanner*.swift", "Sources/JOSEBytes/JSON+*.swift",
    "Sources/JOSECrypto/SignatureOperation.swift", "Sources/JOSECrypto/KeyManagementOperation.swift",
]
# A statement that only gives memory back: leaks are the leak checker's to find, not the tests'.
CLEANUP = re.compile(r"^without: (\(void\)|\( void \)|\w*_free|OPENSSL_free|free|sk_\w+_free)")


def write(path, text):
    """Writes only what differs, so that nothing is built without need."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def prepare():
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", "Package.swift", "Sources", "CShims", "Tests", "Vectors", "Examples", "Benchmarks/Inner", "README.md"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")
    for name in filter(None, listed):
        source, target = ROOT / name, TREE / name
        # What will be mutated is written later, once.
        is_mutated = any(Path(name).match(pattern) for pattern in C_FILES + SWIFT_FILES)
        if source.exists() and not is_mutated and not (target.exists() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def sites():
    numbers, c_files, swift_files = Numbers(), {}, {}
    for pattern in C_FILES:
        for path in sorted(ROOT.glob(pattern)):
            if path.name not in ("base64url_neon.c",):
                name = str(path.relative_to(ROOT))
                c_files[name] = c_sites.CFile(name, path.read_text(), numbers)
    for pattern in SWIFT_FILES:
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            if name not in swift_files:
                swift_files[name] = swift_sites.SwiftFile(name, path.read_text(), numbers)
    return c_files, swift_files


def put(c_files, swift_files):
    for name, c_file in c_files.items():
        write(TREE / name, c_sites.written(c_file))
    for module in ("CJOSEBytes", "CJOSECrypto", "CJOSEKernels"):
        # Each library may define it: hidden, each has its own.
        write(
            TREE / f"CShims/{module}/mutant.c",
            "#include <stdlib.h>\n__attribute__((visibility(\"hidden\"), weak)) int jose_mutant;\n"
            "__attribute__((constructor)) static void choose(void)\n{\n"
            "    const char *number = getenv(\"JOSE_MUTANT\");\n    if (number != NULL) jose_mutant = atoi(number);\n}\n",
        )
    modules = {}
    for name, swift_file in swift_files.items():
        write(TREE / name, swift_file.text.written())
        kept = {m.number for site in swift_file.text.sites for m in site.mutants}
        used = [(number, sign) for number, sign in swift_file.operators if number in kept]
        modules.setdefault(name.split("/")[1], []).extend(used)
    for module, operators in modules.items():
        write(TREE / f"Sources/{module}/Mutants.swift", swift_sites.support(operators))


def error_lines(output):
    found = {}
    for match in re.finditer(r"^(\S+?\.(?:c|h|swift)):(\d+):\d+: error:", output, re.M):
        path = Path(match.group(1))
        try:
            name = str(path.resolve().relative_to(TREE.resolve()))
        except ValueError:
            continue
        found.setdefault(name, set()).add(int(match.group(2)))
    return found


def widened(errors):
    return {name: {line - back for line in lines for back in range(-3, 12)} for name, lines in errors.items()}


def run(command, **more):
    return subprocess.run(command, cwd=TREE, capture_output=True, text=True, **more)


def drop(files, errors):
    gone = 0
    for name, lines in errors.items():
        if name in files:
            gone += files[name].text.drop(lines)
    return gone


def c_flags(name):
    target = TREE / "CShims" / name.split("/")[1]
    kernels, core = TREE / "CShims/CJOSEKernels", TREE / "CShims/CJOSECrypto"
    folders = [target / "include", target, kernels / "include", kernels, core]
    return ["-DJOSE_KERNELS", "-DJOSE_PBES2_COMPILED", "-std=gnu17", "-w", *[f"-I{x}" for x in folders]]


def readers(folder, header):
    """The C files of a folder that include a header, also by another one."""
    found, names = set(), {header}
    while names:
        included = re.compile("|".join(f'#include "{re.escape(name)}"' for name in names))
        names = {path.name for path in folder.iterdir() if path.is_file() and included.search(path.read_text())} - found
        found |= names
    return sorted(name for name in found if name.endswith(".c"))


@functools.cache
def compiled(name, number):
    """The optimised code of a C file with one mutant in it, or with none; of a header, that of all files that include it."""
    folder, name = (TREE / name).parent, Path(name).name
    code = []
    with tempfile.TemporaryDirectory() as copy:
        for path in folder.glob("*.[ch]"):
            (Path(copy) / path.name).write_text(path.read_text().replace(c_sites.PRELUDE, "", 1))
        for source in [name] if name.endswith(".c") else readers(folder, name):
            text = f"enum {{ jose_mutant = {number} }};" + (Path(copy) / source).read_text()
            flags = [f"-I{copy}", *c_flags(str((folder / source).relative_to(TREE))), "-O2", "-iquote", copy]
            made = subprocess.run(["clang", *flags, "-x", "c", "-c", "-o", "-", "-"], input=text.encode(), cwd=TREE, capture_output=True)
            if made.returncode:
                sys.exit(f"{source} does not compile with mutant {number} alone\n" + made.stderr.decode())
            code.append(made.stdout)
    return b"".join(code)


def build(c_files, swift_files, programs):
    """Builds, and forgets what does not compile; the plain C programs alone need nothing of Swift."""
    environment = {k: v for k, v in os.environ.items() if k != "JOSE_STRICT"} | {"JOSE_TESTS": " ".join(TESTS)}
    put(c_files, swift_files)
    dropped = 0
    for _ in range(12):
        errors = {}
        for name in c_files:
            result = run(["clang", "-fsyntax-only", "-ferror-limit=0", *c_flags(name), "-x", "c", name])
            if result.returncode:
                output = re.sub(r"^(CShims)", f"{TREE}/\\1", result.stderr, flags=re.M)
                for file, lines in error_lines(output).items():
                    errors.setdefault(file, set()).update(lines)
        # An argument of a macro is complained of where the macro begins.
        gone = drop(c_files, errors) or drop(c_files, widened(errors))
        dropped += gone
        if not gone:
            break
        put(c_files, swift_files)
    for attempt in range(0 if programs else 30):
        result = run(["swift", "build", "--build-tests", "--traits", "Kernels,PBES2"], env=environment)
        output = result.stdout + result.stderr
        (STATE / "build.log").write_text(output)
        if result.returncode == 0:
            return dropped
        errors = error_lines(output)
        gone = drop(swift_files, errors) + drop(c_files, errors)
        if not gone:
            # The cause stands before the place that is complained of, as a statement that was the value of a closure.
            wide = widened(errors)
            gone = drop(swift_files, wide) + drop(c_files, wide)
        dropped += gone
        print(f"build {attempt + 1}: {gone} mutants do not compile and are left out", flush=True)
        if not gone:
            sys.exit(f"the mutated tree does not build: {STATE}/build.log")
        put(c_files, swift_files)
    if not programs:
        sys.exit("the mutated tree does not build")
    return dropped


def build_programs(stages):
    """The checks that are plain C programs, of the mutated sources: those that these stages run."""
    commands = [stage[-1] for stage in stages if stage[0] == "bash"]
    for name in ("faults", "memory", "kernels", "private", "bytes"):
        if not any(f".build/ccore/{name}" in command for command in commands):
            continue
        result = run(["bash", "Tests/CCore/run", name], env=dict(os.environ, CHECK_MUTANTS="1", CC="clang"))
        if result.returncode:
            sys.exit(f"the C tests of {name} do not build with mutants\n" + result.stdout + result.stderr)


class Runner:
    def __init__(self, programs):
        self.programs = programs
        self.program = TREE / ".build/debug/swift-josePackageTests.xctest"
        self.times = {}

    def tests(self, number, stage, limit=3600):
        """Runs a stage within so much processor time; a mutant's run ends with the first issue that a test records."""
        environment = dict(os.environ, JOSE_MUTANT=str(number), SWIFT_BACKTRACE="enable=no")
        said, failed = [], False
        command = [self.program, "--testing-library", "swift-testing", "--filter", stage[0], "--skip", stage[1]]
        if stage[0] == "bash":
            command = stage
        process = subprocess.Popen(
            ["prlimit", f"--cpu={int(limit)}", *command],
            cwd=TREE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )
        # What waits for ever uses no processor; the wall's limit is wide, since the machine may be busy.
        timer = threading.Timer(100 * limit, process.kill)
        timer.start()
        for line in process.stdout:
            said.append(line)
            if number and b"recorded an issue" in line:
                failed = True
                process.kill()
                break
        process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        if number == 0 and (process.returncode or not (stage[0] == "bash" or any(b"Test run with" in line for line in said))):
            sys.exit(f"the tests fail without a mutant: {stage}\n" + b"".join(said).decode()[-3000:])
        return 1 if failed else process.returncode, used.ru_utime + used.ru_stime

    def stages(self, mutant):
        stages = [
            (name, stage) for name, stage in STAGED[stage_order(mutant)] if not self.programs or stage[0] == "bash"
        ]
        return stages

    def judge(self, mutant):
        for index, (name, stage) in enumerate(self.stages(mutant)):
            code, _ = self.tests(mutant.number, stage, 5 + 5 * self.times[name])
            if code:
                return "killed", name if code not in (-signal.SIGXCPU, -signal.SIGKILL) else f"{name}, by time"
            # Most are killed by the first stage, which costs less than the compiler.
            if index == 0 and mutant.file.startswith("CShims"):
                if compiled(mutant.file, mutant.number) == compiled(mutant.file, 0):
                    return "same code", ""
        return "survived", "the programs" if self.programs else ""


# Quick and telling suites first; what keeps time limits, measures or starts many threads is left out everywhere.
SKIP = "Concurrency|ReadmeTests|PageBlockTests|FaultTests|SecretsTests|100,000 members|256 MB"
RULES = (
    "ClaimTests|ClaimTimeTests|HeaderTests|LimitTests|BoundTests|KeySelectionTests|NestedTests|ErrorTests|"
    "CertificateRuleTests|ChainAtUseTests|RevocationTests|JSONSignature|JSONEncryption|DetachedPayload|CompressionTests|"
    "KeySetTests|DecryptionKeyTests|RecipientParameterTests|ExactTextTests|IssuerExpirationTests|BatchTests|PasswordTests|"
    "CertificateOutlineTests|CertificateUseTests|RevocationTimeTests|TrustMemoryTests|NumericDate|CurvePointFormTests|KeyFileTests|PKCS12|"
    "ClaimPositionTests|MediaTypeTests|ParameterOffsetTests|SelectionModelTests|WholeExplanationTests|JSONBoundTests|"
    "JSONRankTests|KeyReasonTests|PayloadBufferTests"
)
CRYPTO = (
    "ContentTests|CurveKeyTests|CurveSignatureTests|HashTests|KeyFamily|KeyManagementTests|JOSECryptoTests.KeyTests|"
    "SaltTests|SignatureFamilyTests|SignatureTests|SymmetricKeyTests|KernelTests|DerivedKeyTests|ModulusRuleTests|"
    "OctetKeyTests|PasswordCryptoTests|RSAConsistencyTests|PredictableKeyTests|PKCS12"
)
# What the library does where libcrypto fails it, and what it leaves in memory: plain C programs.
EDGES = ("edges", ("bash", "-c", ".build/ccore/faults/faults .build/ccore/faults 100003"))  # each first failure too
FAULTS = ("faults", ("bash", "-c", ".build/ccore/faults/faults .build/ccore/faults 61"))
MORE_FAULTS = ("more faults", ("bash", "-c", ".build/ccore/faults/faults .build/ccore/faults 5"))
CONTENT_FAULTS = ("faults of content", ("bash", "-c", "FAULTS_ONLY=content .build/ccore/faults/faults .build/ccore/faults 1"))
CODE_FAULTS = ("faults of codes", ("bash", "-c", "FAULTS_ONLY=verify .build/ccore/faults/faults .build/ccore/faults 1"))
CHAIN_EDGES = ("edges of chains", ("bash", "-c", "FAULTS_ONLY='edges of chains' .build/ccore/faults/faults .build/ccore/faults 1"))
FAILING_CALLS = ("edges of signatures", ("bash", "-c", "FAULTS_ONLY='edges of signatures' .build/ccore/faults/faults .build/ccore/faults 1"))
CHAIN_FAULTS = ("faults of chains", ("bash", "-c", "FAULTS_ONLY=chain .build/ccore/faults/faults .build/ccore/faults 3"))
MEMORY = (
    "memory",
    # codes, CBC under a wrapped key, GCM under another, and CBC with the key itself
    ("bash", "-c", "export LD_BIND_NOW=1 CORES_LEAST=16; for n in HS256 A128KW A256KW dir; do .build/ccore/memory/memory .build/ccore/memory $n || exit 1; done"),
)
ALL_MEMORY = ("all memory", ("bash", "-c", "LD_BIND_NOW=1 CORES_LEAST=16 .build/ccore/memory/memory .build/ccore/memory"))
# For what is not judged to the last, after the suites of its subject; without the two that read docs, which are not there.
EVERYTHING = ("everything", (".", SKIP + "|AlgorithmPageTests|CatalogueTests"))
# The proofs against OpenSSL and against the definition, for a short time.
KERNELS = ("proof of kernels", ("bash", "-c", ".build/ccore/kernels-plain/kernels 3"))
BLOCKS = ("proof of blocks", ("bash", "-c", ".build/ccore/kernels-plain/kernels 0 7 blocks"))
PRIVATE = ("proof of private operations", ("bash", "-c", ".build/ccore/kernels-plain/kernels 1 7 private"))
OPTED_IN = ("private keys that opted in", ("bash", "-c", ".build/ccore/private/private all"))
DOUBLES = ("proof of doubles", ("bash", "-c", ".build/ccore/kernels-plain/kernels 1 7 doubles"))
BYTE_KERNELS = ("proof of bytes", ("bash", "-c", ".build/ccore/bytes-plain/bytes"))
VECTORS = ("vectors", ("HostileTests|PublishedVectorTests", SKIP))
STAGED = {
    "bytes": [VECTORS, ("bytes", ("^JOSEBytesTests", SKIP)), EVERYTHING],
    "byte kernels": [BYTE_KERNELS, VECTORS, ("bytes", ("^JOSEBytesTests", SKIP)), EVERYTHING],
    "wipes": [ALL_MEMORY, VECTORS, ("crypto", (CRYPTO, SKIP)), FAULTS],
    "crypto": [VECTORS, EDGES, ("crypto", (CRYPTO, SKIP)), FAULTS, EVERYTHING, MORE_FAULTS],
    "kernels": [KERNELS, VECTORS, ("crypto", (CRYPTO, SKIP)), EVERYTHING],
    "verdicts": [VECTORS, ("rules", (RULES, SKIP)), EVERYTHING],
    # What must be killed has tests of its own.
    "tag compare": [
        ("tags", ("SymmetricKeyTests|SignatureFamilyTests|JOSEBytesTests.MemoryTests|ErrorTests", SKIP)), VECTORS,
        ("content", ("ContentTests|EncryptionTableTests", SKIP)), EDGES, CONTENT_FAULTS, CODE_FAULTS, MEMORY, FAULTS,
    ],
    "MAC before decrypt": [
        ("errors", ("ErrorTests", SKIP)), VECTORS, ("content", ("ContentTests|EncryptionTableTests", SKIP)), EDGES, CONTENT_FAULTS,
        MEMORY, FAULTS, ("host", ("HostTests", SKIP)),
    ],
    "RSA verdict": [BLOCKS, FAILING_CALLS, VECTORS, EDGES, ("signatures", ("SignatureTests|SignatureFamilyTests|AccelerationTests|ForgedBlockTests", SKIP)), FAULTS],
    "private operations": [PRIVATE, OPTED_IN, KERNELS, FAULTS],
    "kernel of doubles": [DOUBLES, FAILING_CALLS, KERNELS, EDGES],
    "algorithm admission": [
        ("admission",
         ("HeaderTests|EncryptionTableTests|SignatureTableTests|CompressionTests", SKIP)), VECTORS,
        ("limits", ("BoundTests|LimitTests", SKIP)), ("JSON signatures", ("JSONSignature|JSONRank|JSONBound", SKIP)),
        ("known headers",
         ("HeaderCacheTests|RecipientParameterTests|ChainAtUse|TrustMemory", SKIP)),
    ],
    "crit": [("header", ("HeaderTests|DetachedPayloadTests|BoundTests|LimitTests", SKIP)), VECTORS],
    "leaf key equality": [("chains", ("Certificate|Chain|LeafKey|Revocation|TrustMemory", SKIP)), VECTORS],
    "chain verdict": [CHAIN_EDGES, ("chains", ("Certificate|Chain|LeafKey|Revocation|TrustMemory", SKIP)), VECTORS, CHAIN_FAULTS],
    "exp, aud, iss": [("claims", ("ClaimTests|ClaimTimeTests|NumericDateArithmetic|IssuerExpirationTests|NestedTests|ExactTextTests|ClaimPositionTests", SKIP)), VECTORS],
}


def stage_order(mutant):
    if topic(mutant):
        return topic(mutant)
    if "without: OPENSSL_cleanse" in mutant.what:
        return "wipes"
    if any(name in mutant.file for name in ("CJOSEKernels", "rsa_bn.c", "rsa_fast.c", "pkcs1.c")):
        return "kernels"
    if "CJOSEBytes" in mutant.file:
        return "byte kernels"
    if "JOSEBytes" in mutant.file:
        return "bytes"
    if mutant.file.startswith("CShims") or "JOSECrypto" in mutant.file:
        return "crypto"
    return "verdicts"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=1200)
    parser.add_argument("--files", default=".")
    parser.add_argument("--critical", action="store_true", help="what must be killed to the last, not the others in a random order")
    parser.add_argument("--programs", action="store_true", help="by the plain C programs alone")
    options = parser.parse_args()
    STATE.mkdir(parents=True, exist_ok=True)
    prepare()
    c_files, swift_files = sites()
    complaints = names.missing(CRITICAL, c_files | swift_files, C_FILES + SWIFT_FILES, STAGED)
    if complaints:
        sys.exit("named and not there:\n" + "\n".join(complaints))
    dropped = build(c_files, swift_files, options.programs)
    mutants = [
        mutant
        for file in (c_files | swift_files).values()
        for site in file.text.sites
        for mutant in site.mutants
    ]
    cleanup = [mutant for mutant in mutants if CLEANUP.match(mutant.what)]
    print(f"{len(mutants) - len(cleanup)} mutants; {dropped} did not compile; {len(cleanup)} only free memory", flush=True)
    queue = [
        mutant
        for mutant in mutants
        if not CLEANUP.match(mutant.what) and re.search(options.files, mutant.file) and bool(topic(mutant)) == options.critical
    ]
    # In the same order each time, so that a run that is cut short has seen something of each file and verdict.
    random.Random(7).shuffle(queue)
    runner = Runner(options.programs)
    stages = dict(stage for mutant in queue for stage in runner.stages(mutant))
    build_programs(stages.values())
    for name, stage in stages.items():
        _, runner.times[name] = runner.tests(0, stage)
        print(f"{name}: {runner.times[name]:.1f} s of processor time without a mutant", flush=True)
    end = time.monotonic() + options.seconds
    results = {}
    with open(STATE / "results.tsv", "w") as out, concurrent.futures.ThreadPoolExecutor(2) as pool:

        def work(mutant):
            if time.monotonic() > end:
                return
            verdict, where = runner.judge(mutant)
            results[mutant.number] = verdict
            place = f"{mutant.file}:{mutant.line}"
            print(verdict, topic(mutant) or "", place, mutant.function, mutant.what, where, sep="\t", file=out, flush=True)

        list(pool.map(work, queue))
    report(queue, results)


def report(queue, results):
    same = sum(result == "same code" for result in results.values())
    print(f"{len(results)} of {len(queue)} mutants ran; {same} are the same code to the compiler, and left out")
    groups = {}
    for mutant in queue:
        if results.get(mutant.number, "same code") != "same code":
            names = [topic(mutant) or ("CShims" if mutant.file.startswith("CShims") else "Swift, the rest")]
            for name in names + ["all"]:
                killed, ran = groups.get(name, (0, 0))
                groups[name] = (killed + (results[mutant.number] == "killed"), ran + 1)
    for name, (killed, ran) in groups.items():
        print(f"{name:24} {killed:5} of {ran:5} killed, {100 * killed / ran:.1f} %")
    for mutant in queue:
        if results.get(mutant.number) == "survived":
            print(f"survived {mutant.number}: {mutant.file}:{mutant.line} {mutant.function}: {mutant.what}")


if __name__ == "__main__":
    main()
