// swift-tools-version: 6.3
// The package: the C targets in CShims, the modules of docs/design.md above them, the tool josectl.

import PackageDescription

/// Warnings are errors in the project's own builds (`./dev`), never in those of its users.
let isStrict = Context.environment["JOSE_STRICT"] != nil
let tests: [SwiftSetting] =
    [.enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("ExistentialAny")]
    + (isStrict ? [.treatAllWarnings(as: .error)] : [])
let swift = tests + [.enableUpcomingFeature("MemberImportVisibility"), .strictMemorySafety()]
/// The traits, and one flag of hardening; `./dev` adds the others (docs/security/build.md).
let c: [CSetting] =
    [
        .define("JOSE_KERNELS", .when(traits: ["Kernels"])),
        .define("JOSE_PBES2_COMPILED", .when(traits: ["PBES2"])),
        .define("_FORTIFY_SOURCE", to: "3", .when(platforms: [.linux], configuration: .release)),
        .headerSearchPath("."),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])
typealias Names = [Target.Dependency]
/// A library: its module, its name for pkg-config, and its packages for apt, yum and brew.
func system(_ name: String, _ pkgConfig: String?, _ packages: String...) -> Target {
    .systemLibrary(
        name: name, path: "CShims/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([packages[0]]), .yum([packages[1]]), .brew([packages[2]])])
}
func shim(
    _ name: String, _ needs: Names = [], path: String? = nil, linker: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: needs, path: path ?? "CShims/\(name)", cSettings: c,
        linkerSettings: linker)
}
func module(_ name: String, _ needs: Names) -> Target {
    .target(name: name, dependencies: needs, swiftSettings: swift)
}
func program(
    _ name: String, _ needs: Names, path: String? = nil, exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: needs, path: path, exclude: exclude, resources: resources,
        swiftSettings: path?.hasPrefix("Tests/") == true ? tests : swift)
}

/// The test targets, with files or folders of them, and programs to build: `JOSETests:JWK josectl`.
let chosen = Context.environment["JOSE_TESTS"]?.split(separator: " ").map {
    $0.split { $0 == ":" || $0 == "," }.map(String.init)
}
func isWanted(_ name: String) -> Bool { chosen?.contains { $0[0] == name } ?? true }

func suite(_ name: String, _ needs: Names, path: String? = nil, exclude: [String] = []) -> Target {
    let files = chosen?.filter { $0[0] == name }.flatMap { $0.dropFirst() } ?? []
    return .testTarget(
        name: name, dependencies: needs + ["CTestCPU"], path: path ?? "Tests/Unit/\(name)",
        exclude: exclude, sources: files.isEmpty ? nil : files, swiftSettings: tests)
}

/// The fuzz targets: a program with libFuzzer's `main` where it is chosen, else tests.
let isFuzzing = chosen != nil && isWanted("Fuzz")
let fuzzed: Names = [
    "JOSE", "JOSEFoundation", "JOSEOpenID", "JOSEPKCS11", "JOSEBytes", "JOSECrypto", "CFuzz",
]
let fuzzData =
    ["C", "Corpus", "jose.dict", "seeds.py", "differential.py"] + [isFuzzing ? "Replay" : "Entry"]

let package = Package(
    name: "swift-jose",
    platforms: [.macOS(.v26)],  // the first with Array.span and InlineArray; not run
    products: [
        "JOSE", "JOSEFoundation", "JOSEOpenID", "JOSERemote", "JOSERedis", "JOSEPKCS11",
    ].map { .library(name: $0, targets: [$0]) } + [
        .library(name: "JOSEBenchmark", targets: ["JOSEBenchmark", "CJOSEBenchmarkCounters"])
    ] + (isWanted("josectl") ? [.executable(name: "josectl", targets: ["josectl"])] : []),
    traits: [
        .trait(name: "Kernels", description: "Faster RSA operations"),
        .trait(name: "PBES2", description: "Encryption of tokens to passwords (RFC 7518, 4.8)"),
        .default(enabledTraits: ["Kernels"]),
    ],
    targets: [
        system("CLibCrypto", "libcrypto", "libssl-dev", "openssl-devel", "openssl@3"),
        system("CLibSodium", "libsodium", "libsodium-dev", "libsodium-devel", "libsodium"),
        system("CLibCurl", "libcurl", "libcurl4-openssl-dev", "libcurl-devel", "curl"),
        system("CLibZ", "zlib", "zlib1g-dev", "zlib-devel", "zlib"),
        // Not by pkg-config's "hiredis", whose -D_FILE_OFFSET_BITS makes SwiftPM warn.
        system("CLibHiredis", nil, "libhiredis-dev", "hiredis-devel", "hiredis"),
        shim("CJOSEBytes"),
        // Vector code, with the trait `Kernels` alone; without it, what answers that there is none.
        shim("CJOSEKernels", ["CLibCrypto"]),
        shim("CJOSECrypto", ["CJOSEKernels", "CLibCrypto", "CLibSodium", "CLibZ"]),
        shim("CJOSEThread"),
        shim("CJOSERemote", ["CLibCurl", "CJOSEThread"]),
        shim("CJOSERedis", ["CLibHiredis", "CJOSEThread"], linker: [.linkedLibrary("hiredis")]),
        shim("CJOSEPKCS11"),
        shim(
            "CJOSEBenchmark",
            ["CJOSEBytes", "CJOSECrypto", "CJOSEKernels", "CLibCrypto", "CLibSodium"]),
        // Another malloc, for programs that link the product; no target here depends on it.
        shim("CJOSEBenchmarkCounters", ["CJOSEBenchmark"]),
        module("JOSEBytes", ["CJOSEBytes"]),
        module("JOSECrypto", ["CJOSEBytes", "CJOSECrypto", "CJOSEThread", "JOSEBytes"]),
        module("JOSE", ["JOSEBytes", "JOSECrypto"]),
        module("JOSEFoundation", ["JOSE", "JOSEBytes"]),
        module("JOSEOpenID", ["JOSE", "JOSEBytes", "JOSECrypto"]),
        module("JOSERemote", ["JOSE", "JOSEBytes", "CJOSERemote"]),
        module("JOSERedis", ["JOSE", "JOSEBytes", "CJOSERedis"]),
        module("JOSEPKCS11", ["JOSE", "JOSEBytes", "JOSECrypto", "CJOSEPKCS11"]),
        // For the benchmark programs of packages that depend on this; in no other target.
        module("JOSEBenchmark", ["JOSE", "JOSEBytes", "CJOSEBenchmark"]),
        program(
            "josectl", ["JOSEOpenID", "JOSEPKCS11", "JOSE", "JOSEBytes", "JOSECrypto"],
            resources: [.embedInCode("Selftest/known.json")]),
        program(
            "demo", ["JOSEOpenID", "JOSEPKCS11", "JOSE", "JOSEBytes"], path: "Examples/Demo"),
        // The excluded folders are separate packages; Demo is the target above.
        program(
            "openid-example", ["JOSERemote", "JOSEOpenID", "JOSE"], path: "Examples",
            exclude: [
                "Demo", "Deploy", "HummingbirdApp", "KeyService", "Login", "PerformanceCI",
                "VaporApp",
            ]),
        // In no product: other sides for tests, and benchmarks of `package` symbols.
        program("openid-peer", ["JOSEOpenID", "JOSE"], path: "Tests/Interop/Peer"),
        program("silent-name", ["CJOSERemote"], path: "Tests/Unit/JOSERemoteTests/Server/Silent"),
        program("BenchInner", ["JOSE", "JOSEBytes"], path: "Benchmarks/Inner"),
        suite("josectlTests", ["josectl", "demo", "JOSE", "JOSECrypto"]),
        suite("JOSEBytesTests", ["JOSEBytes"]),
        suite("JOSECryptoTests", ["JOSECrypto", "JOSEBytes", "JOSE", "JOSEFoundation"]),
        suite("JOSETests", ["JOSE", "JOSEFoundation", "JOSEOpenID", "JOSEBytes", "JOSECrypto"]),
        suite("JOSEOpenIDTests", ["JOSERemote", "JOSEOpenID", "JOSE", "openid-example"]),
        suite(
            "JOSERemoteTests", ["JOSERemote", "JOSEOpenID", "JOSE", "JOSEBytes", "silent-name"],
            exclude: ["Server"]),
        suite("JOSERedisTests", ["JOSERedis", "JOSEOpenID", "JOSE", "JOSEBytes"]),
        suite(
            "JOSEPKCS11Tests", ["JOSEPKCS11", "JOSEOpenID", "JOSE", "JOSEBytes", "JOSECrypto"],
            exclude: ["Module"]),
        suite("JOSEBenchmarkTests", ["JOSEBenchmark", "JOSE"]),
        // Takes the way of computing that JOSE_TEST_CPU names, in programs of tests alone.
        .target(
            name: "CTestCPU", dependencies: ["CJOSEKernels", "CJOSEBytes"],
            path: "Tests/CCore/support", sources: ["cpu.c"], publicHeadersPath: ".", cSettings: c),
        shim("CFuzz", ["CLibCrypto"], path: "Tests/Fuzz/C"),
        isFuzzing
            ? program("Fuzz", fuzzed, path: "Tests/Fuzz", exclude: fuzzData)
            : suite("FuzzTests", fuzzed, path: "Tests/Fuzz", exclude: fuzzData),
    ].filter { ($0.type != .test && $0.type != .executable) || isWanted($0.name) },
    cLanguageStandard: .gnu17
)
