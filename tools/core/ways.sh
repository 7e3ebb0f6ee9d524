# shellcheck shell=bash
# The ways of computing (docs/kernels.md). A processor stands in for one with fewer instructions: JOSE_TEST_CPU hides
# ours from the test programs, OPENSSL_ia32cap libcrypto's. The shipped library reads neither of them from us.

ways="ifma fma portable"

# What libcrypto may not use: AVX-512 (bits 16, 17, 21, 28, 30, 31 of leaf 7), AVX2 (bit 5), and SHA-NI (bit 29).
declare -A way_masks=([ifma]='' [fma]=':~0xd0230000' [portable]=':~0xf0230020')
# What a way needs beyond the one after it.
declare -A way_flags=([ifma]='avx512f avx512vl avx512dq avx512bw avx512ifma bmi2' [fma]='avx2 fma' [portable]='')

# processor_flags: what the processor has, each name between spaces.
processor_flags() {
    [[ ! -r /proc/cpuinfo ]] || printf ' %s ' "$(grep -m 1 ^flags /proc/cpuinfo)"
}

# way_missing WAY: why it cannot run here; nothing where it can. What JOSE_TEST_CPU hides counts as missing.
way_missing() {
    local way hidden=no flag flags
    [[ $(uname -m) == x86_64 ]] || { [[ $1 == portable ]] || echo "a processor of this family has no kernels"; return 0; }
    flags=$(processor_flags)
    for way in $ways; do
        [[ $way == "${JOSE_TEST_CPU:-ifma}" ]] && hidden=
        if [[ $way == "$1" && -n $hidden ]]; then
            echo "hidden, as JOSE_TEST_CPU=$JOSE_TEST_CPU asks"
            return 0
        fi
    done
    for flag in ${way_flags[$1]} $([[ $1 != ifma ]] || echo ${way_flags[fma]}); do
        [[ $flags == *" $flag "* ]] || { echo "this processor lacks $flag"; return 0; }
    done
}

# best_way: the best one that is not missing.
best_way() {
    local way
    for way in $ways; do
        [[ -z $(way_missing "$way") ]] && echo "$way" && return 0
    done
}

# in_way WAY COMMAND…: runs it as if the processor had no better way, libcrypto likewise.
in_way() {
    local -x JOSE_TEST_CPU=$1 OPENSSL_ia32cap=${way_masks[$1]}
    [[ -n $OPENSSL_ia32cap ]] || unset OPENSSL_ia32cap
    shift
    "$@"
}

# for_each_way COMMAND…: runs it in each way that runs here, which is its last argument; the others are named.
for_each_way() {
    local way missing bad=0
    for way in $ways; do
        missing=$(way_missing "$way")
        if [[ -n $missing ]]; then
            echo "way $way: $missing, left out"
        else
            in_way "$way" "$@" "$way" || bad=1
        fi
    done
    return $bad
}

# step_by_way NAME COMMAND…: one step for each way that runs here.
step_by_way() {
    step_in_way() { step "$1 (${*: -1})" "${@:2:$#-2}"; }
    for_each_way step_in_way "$@"
}

# step_or_ways [--cpu-levels]: which of the two a command takes.
step_or_ways() { if [[ ${1:-} == --cpu-levels ]]; then echo step_by_way; else echo step; fi; }

#: run test-cpu-levels  runs the Swift tests except those of servers by each kernel level, with the C core optimised
cmd_test_ways() {
    need_build $test_packages
    build_tool
    step "build the tests (C optimised)" swift build --build-tests --scratch-path .build/ways -Xcc -O2
    step_by_way "swift test" tests_by_kernels
}

tests_by_kernels() {
    JOSE_TEST_TOOL="$PWD/$tool" swift test --skip-build --disable-xctest --scratch-path .build/ways -Xcc -O2 --skip "$waiting_tests" &&
        grep -qE 'Test run with [1-9][0-9]* test' "$log"
}

# A whole run may be told to stand in: `JOSE_TEST_CPU=fma .ci/run`.
if [[ -n ${JOSE_TEST_CPU:-} ]]; then
    [[ -n ${way_masks[$JOSE_TEST_CPU]+known} ]] || die "JOSE_TEST_CPU is none of: $ways"
    if [[ -n ${way_masks[$JOSE_TEST_CPU]} ]]; then export OPENSSL_ia32cap=${way_masks[$JOSE_TEST_CPU]}; fi
fi
