#!/bin/bash
# build-static.sh PRODUCT FOLDER: builds a release with a static Swift runtime, and copies the
# program and its shared libraries to FOLDER, each at the path where the loader looks for it. A
# machine needs nothing else. SCRATCH sets the build folder, default .build. The build is
# reproducible and independent of the source path.
set -euo pipefail
product=${1:?which product?} folder=${2:?which folder?} scratch=${SCRATCH:-.build}

# Swift's libraries need libstdc++ and libgcc_s. Link both statically: the linker takes the static
# libstdc++ from a folder without the shared one.
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
mkdir -p "$scratch/static-libraries"
ln -sf "$("$clang" -print-file-name=libstdc++.a)" "$scratch/static-libraries/"

# Checked targets of indirect jumps: the flag depends on the processor.
jumps=-fcf-protection
[[ $(uname -m) == x86_64 ]] || jumps=-mbranch-protection=standard

swift build -c release --product "$product" --scratch-path "$scratch" --static-swift-stdlib --disable-local-rpath \
    -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker "-L$scratch/static-libraries" -Xlinker -s \
    -Xcc -fstack-protector-strong -Xcc "$jumps" \
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
    -Xcc "-ffile-prefix-map=$PWD=/source" -Xswiftc -file-prefix-map -Xswiftc "$PWD=/source" \
    -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen

program=$scratch/release/$product
mkdir -p "$folder"
cp "$program" "$folder/"
# ldd lines with a path: "libz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x…)",
# "/lib64/ld-linux-x86-64.so.2 (0x…)".
ldd "$program" | grep -oE '/[^ ]+' | while read -r library; do
    mkdir -p "$folder${library%/*}"
    cp -L "$library" "$folder$library"
done
