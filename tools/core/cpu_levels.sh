# shellcheck shell=bash
# CPU levels (docs/kernels.md). JOSE_TEST_CPU hides instructions from the kernels of test programs,
# OPENSSL_ia32cap hides them from libcrypto. The shipped library reads neither.

cpu_levels="ifma fma portable"

# What libcrypto may not use: AVX-512 (bits 16, 17, 21, 28, 30, 31 of leaf 7), AVX2 (bit 5), and
# SHA-NI (bit 29).
declare -A cpu_level_masks=([ifma]='' [fma]=':~0xd0230000' [portable]=':~0xf0230020')
# The CPU flags that a level needs in addition to those of the next one.
declare -A cpu_level_flags=([ifma]='avx512f avx512vl avx512dq avx512bw avx512ifma bmi2' [fma]='avx2 fma' [portable]='')

# cpu_level_missing LEVEL: why LEVEL cannot run here; prints nothing if it can. Levels that
# JOSE_TEST_CPU hides are missing.
cpu_level_missing() {
    local level hidden=no flag flags=
    [[ $(uname -m) == x86_64 ]] || { [[ $1 == portable ]] || echo "a processor of this family has no kernels"; return 0; }
    [[ ! -r /proc/cpuinfo ]] || flags=" $(grep -m 1 ^flags /proc/cpuinfo) "
    for level in $cpu_levels; do
        [[ $level == "${JOSE_TEST_CPU:-ifma}" ]] && hidden=
        if [[ $level == "$1" && -n $hidden ]]; then
            echo "hidden by JOSE_TEST_CPU=$JOSE_TEST_CPU"
            return 0
        fi
    done
    for flag in ${cpu_level_flags[$1]} $([[ $1 != ifma ]] || echo ${cpu_level_flags[fma]}); do
        [[ $flags == *" $flag "* ]] || { echo "this processor lacks $flag"; return 0; }
    done
}

# for_each_cpu_level COMMAND…: runs COMMAND at each level that this processor has, with the level
# as its last argument; names the others.
for_each_cpu_level() {
    local level missing bad=0
    for level in $cpu_levels; do
        missing=$(cpu_level_missing "$level")
        if [[ -n $missing ]]; then
            echo "CPU level $level: $missing, left out"
        else
            at_cpu_level "$level" "$@" || bad=1
        fi
    done
    return $bad
}

# at_cpu_level LEVEL COMMAND…: runs COMMAND LEVEL as if the processor had no better level.
at_cpu_level() {
    local -x JOSE_TEST_CPU=$1 OPENSSL_ia32cap=${cpu_level_masks[$1]}
    [[ -n $OPENSSL_ia32cap ]] || unset OPENSSL_ia32cap
    "${@:2}" "$1"
}

# step_by_cpu_level NAME COMMAND…: one step for each level that this processor has.
step_by_cpu_level() {
    step_at_cpu_level() { step "$1 (${*: -1})" "${@:2:$#-2}"; }
    for_each_cpu_level step_at_cpu_level "$@"
}

# step_or_cpu_levels [--cpu-levels]: prints which of the two functions a command uses.
step_or_cpu_levels() { if [[ ${1:-} == --cpu-levels ]]; then echo step_by_cpu_level; else echo step; fi; }

#: run test-cpu-levels  runs the Swift tests except those of servers by each kernel level, with the C core optimised
cmd_test_cpu_levels() {
    need_build swift-tests
    build_tool
    step "build the tests (C optimised)" swift build --build-tests --scratch-path .build/cpu-levels -Xcc -O2
    step_by_cpu_level "swift test" tests_at_cpu_level
}

tests_at_cpu_level() {
    JOSE_TEST_TOOL="$PWD/$tool" swift test --skip-build --disable-xctest --scratch-path .build/cpu-levels -Xcc -O2 --skip "$waiting_tests" &&
        grep -qE 'Test run with [1-9][0-9]* test' "$log"
}

# A whole run at one level: `JOSE_TEST_CPU=fma .ci/run`.
if [[ -n ${JOSE_TEST_CPU:-} ]]; then
    [[ -n ${cpu_level_masks[$JOSE_TEST_CPU]+known} ]] || die "JOSE_TEST_CPU is none of: $cpu_levels"
    if [[ -n ${cpu_level_masks[$JOSE_TEST_CPU]} ]]; then export OPENSSL_ia32cap=${cpu_level_masks[$JOSE_TEST_CPU]}; fi
fi
