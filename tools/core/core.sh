# shellcheck shell=bash
# What runs over the C core alone: plain C programs, all built by Tests/CCore/run (docs/security/faults.md, timing.md,
# secrets.md, docs/kernels.md).

# ccore PROGRAM [ARGUMENT…]
ccore() { CC=$(c_compiler) Tests/CCore/run "$@"; }

#: run core-check  checks the C core in short: each 4,001st failure, and the kernels against OpenSSL
cmd_core_check() {
    need_build openssl
    step "the C core with each 4,001st failing" ccore faults all 4001
    step "kernels against OpenSSL" ccore kernels plain 2
}

#: run failures [STRIDE]  fails each allocation, draw and call of the C core once; flips bits of keys; crafted keys; forks
cmd_failures() {
    need_build openssl
    local stride=${1:-1}
    ccore faults all "$stride"
    FAULTS_ONLY=chain ccore faults all 1009 # the first chain of a process
    ccore faults cold "$stride"
    ccore faults first "$stride"
    ccore faults flip "$stride"
    ccore faults outside
    ccore faults fork
    ccore faults exit
    ccore faults stripped
}

#: run failures-check [--cpu-levels]  `failures` in short: each 401st failure; `--cpu-levels` each 61st, by each kernel level
cmd_failures_check() {
    need_build openssl
    local run stride=401
    run=$(step_or_cpu_levels "$@")
    [[ ${1:-} != --cpu-levels ]] || stride=61
    "$run" "the C core with each ${stride}th failing" ccore faults all "$stride"
    FAULTS_ONLY=chain step "chains, the first of a process too" ccore faults all 1009
    "$run" "bits of private keys, each 4,099th" ccore faults flip 4099
    "$run" "ten thousand crafted keys and signatures" ccore faults outside
    step "first uses of keys, forks within the start" ccore faults first 7
    step "random values after a fork" ccore faults fork
    step "the end of the process" ccore faults exit
    step "a libcrypto that lacks something" ccore faults stripped
    [[ ${1:-} != --cpu-levels ]] || step "a libcrypto without engines" ccore engineless
}

#: run timing [SAMPLES [CASE]]  compares the times of failed decryptions: a million samples; `timing --cpu-levels N` by each kernel level
cmd_timing() {
    need_build
    if [[ ${1:-} == --cpu-levels ]]; then
        step_by_cpu_level "failures of a decryption take one time" ccore timing "${@:2}"
        return
    fi
    ccore timing "${@:-1000000}"
}

#: run secrets-check  checks with valgrind that no branch and no index of the C core depends on a secret (portable code)
cmd_secrets_check() {
    need_build valgrind
    step "no branch on a secret in the C core" ccore secrets
}

#: run memory-search [--cpu-levels]  searches writable memory after each operation for keys and plaintexts; `--cpu-levels` by each kernel level
cmd_memory_search() {
    need_build openssl
    "$(step_or_cpu_levels "$@")" "no secret stays in memory" ccore memory
    grep '^memory' "$log"
}

#: run prove-kernels [SECONDS [SEED]]  compares the vector kernels with OpenSSL, with sanitizers and the check for branches on secrets
cmd_prove_kernels() {
    need_build
    local seconds=${1:-60}
    ccore kernels secrets
    ccore kernels address "$((seconds / 4 + 1))" "${@:2}"
    ccore kernels plain "$seconds" "${@:2}"
}

# What the release objects leave in registers and on the stack: josectl's and, where they are of today's sources, the
# benchmarks', which have the flags of any package that depends on this one.
kernels_residue() {
    local objects object
    for objects in .build/tool/release/CJOSEKernels.build "$bench_scratch/release/CJOSEKernels.build"; do
        if [[ $objects != .build/tool/* ]]; then
            [[ -e $objects/residue.c.o && -z $(find CShims/CJOSEKernels -newer "$objects/residue.c.o") ]] || continue
        fi
        echo "$objects"
        for object in "$objects"/*.o; do # those of files that were renamed
            [[ -e CShims/CJOSEKernels/$(basename "$object" .o) ]] || rm "$object"
        done
        ccore residue "$objects" || return 1
    done
}

# Operations of each implementation for each of 10^4 keys: 10^7 in all at 2048 bits, 10^6 at 3072 and 4096.
declare -A private_operations=([2048]=334 [3072]=50 [4096]=100)

#: run prove-private [BITS...]  compares RSA private operations of the kernels with OpenSSL: 10^7 at 2048 bits, 10^6 at 3072 and 4096, over 10^4 keys each; goes on where it was ended
cmd_prove_private() {
    need_build
    local bits level=${JOSE_TEST_CPU:-ifma} folder=.build/ccore/private-campaign
    mkdir -p "$folder"
    (( $# )) || set -- 2048 3072 4096
    for bits; do
        [[ -n ${private_operations[$bits]:-} ]] || die "prove-private: not a size of private kernels: $bits"
        ccore kernels plain 0 1 private "$bits" 10000 "${private_operations[$bits]}" "$folder/$bits-$level" || return 1
        cat "$folder/$bits-$level"
    done
}

#: run prove-private-check [KEYS]  `prove-private` in short: 60 keys of each size, others each time
cmd_prove_private_check() {
    need_build
    local bits seed=$RANDOM
    for bits in 2048 3072 4096; do
        step "private operations, $bits bits, seed $seed" ccore kernels plain 0 "$seed" private "$bits" "${1:-60}" "${private_operations[$bits]}"
    done
}

#: run wycheproof  runs Wycheproof's RSA cases by EVP and each kernel, by each kernel level; JOSE_WYCHEPROOF=FOLDER for a local copy of its repository
cmd_wycheproof() {
    need_build python3
    local folder=${JOSE_WYCHEPROOF:-.build/dev/wycheproof}
    if [[ -z ${JOSE_WYCHEPROOF:-} && ! -d $folder/testvectors_v1 ]]; then
        rm -rf "$folder"
        GIT_TERMINAL_PROMPT=0 timeout 300 git clone -q --depth 1 https://github.com/C2SP/wycheproof.git "$folder" 2>/dev/null ||
            not_run "no network, and JOSE_WYCHEPROOF names no copy of github.com/C2SP/wycheproof"
    fi
    [[ -d $folder/testvectors_v1 ]] || die "JOSE_WYCHEPROOF=$folder has no testvectors_v1"
    for_each_cpu_level wycheproof_at "$folder/testvectors_v1"
    grep '^wycheproof.*rejected' "$log"
}

wycheproof_at() {
    step "RSA cases of Wycheproof ($2)" ccore wycheproof "$1"
    grep '^wycheproof.*kernel' "$log"
}

#: run measure-private [ROUNDS]  compares accelerated RSA private operations with EVP, by each kernel level
cmd_measure_private() {
    need_build
    for_each_cpu_level measure_private_at "${1:-40}"
}

measure_private_at() {
    echo "CPU level $2"
    ccore private measure "$1"
}

#: run kernels-check  `prove-kernels` in short, by each kernel level; checks that the release objects leave no secret behind
cmd_kernels_check() {
    need_build python3 valgrind
    step_by_cpu_level "kernels against OpenSSL" ccore kernels plain 2
    step "no branch on a secret" ccore kernels secrets
    step "no branch on a secret where no AVX-512 is needed" ccore kernels memcheck
    step_by_cpu_level "private keys that opted in" ccore private all
    build_tool
    step "no secret left by the release objects" kernels_residue
    grep '^residue' "$log"
}

#: run prove-bounds  runs the kernels over ranges; proves with z3 and Gappa that no sum wraps and no double is rounded; wrong constants must fail
cmd_prove_bounds() {
    need_build gappa z3 python3
    step "bounds of the RSA kernels" ccore bounds
    grep '^bounds' "$log"
    step "no proof with a wrong constant" ccore bounds wrong
    grep '^bounds' "$log"
}

#: run prove-bytes  compares the base64url code with its definition, with sanitizers, NEON by emulation
cmd_prove_bytes() {
    arm64_root
    local mode
    for mode in plain address integer secrets; do
        step "byte kernels, $mode" ccore bytes "$mode"
    done
    step "byte kernels, NEON" arm64 bytes
}

#: run prove-parsers  proves by CBMC 6 that the C code that reads foreign bytes stays in bounds; without it here, on a bare Debian 13 (root)
cmd_prove_parsers() {
    if [[ $(cbmc --version 2>/dev/null) == 6.* ]]; then
        Tests/CCore/run proofs
        return
    fi
    need_root
    fresh_root trixie
    step "unpack the sources" fresh_sources "$fresh_root/src"
    step "carry the host's network settings in" fresh_network "$fresh_root" trixie \
        'apt-get -qq update; DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends cbmc gcc libc6-dev libssl-dev >/dev/null; cd /src; Tests/CCore/run proofs'
    fresh_enter
}

# ---- arm64, by emulation ------------------------------------------------------------------------

arm64_folder=.build/arm64

# Debian's arm64 libraries in a folder of their own: what this machine has installed stays as it is.
arm64_root() {
    need_build qemu-user debootstrap openssl python3
    [[ -e $arm64_folder/made ]] || step "arm64 libraries (kept for the next time)" arm64_unpack
}

arm64_unpack() {
    need_root
    local mirror package
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Created-By: Packages' 2>/dev/null | head -n 1)
    rm -rf "$arm64_folder"
    mkdir -p "$arm64_folder"
    debootstrap --arch=arm64 --foreign --variant=minbase --include=libssl-dev,libsodium-dev,zlib1g-dev,libc6-dev,libgcc-12-dev \
        bookworm "$arm64_folder" ${mirror:-http://deb.debian.org/debian}
    for package in "$arm64_folder"/var/cache/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$arm64_folder"
    done
    rm -f "$arm64_folder"/var/cache/apt/archives/*.deb
    touch "$arm64_folder/made"
}

# arm64 PROGRAM [ARGUMENT…]: as `ccore`.
arm64() { ARCH=aarch64 ROOT=$PWD/$arm64_folder ccore "$@"; }

#: run arm64  runs the C core for arm64 by qemu: vectors, unit and edge tests, byte kernels, forks
cmd_arm64() {
    arm64_root
    step "arm64: published vectors" arm64 vectors
    grep '^vectors' "$log"
    step "arm64: byte kernels, NEON" arm64 bytes
    step "arm64: unit and edge tests of the C core" arm64 faults all 100003
    step "arm64: random values after a fork" arm64 faults fork
}
