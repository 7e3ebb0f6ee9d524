// swift-tools-version: 6.3
// The package: the C targets in CShims, the modules of docs/design.md above them, the tool josectl.

import PackageDescription

/// Warnings are errors where the project checks itself (`./dev` sets this), never for packages that
/// depend on it.
let isStrict = Context.environment["JOSE_STRICT"] != nil
let strictC: [CSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []
let tests: [SwiftSetting] =
    [.enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("ExistentialAny")]
    + (isStrict ? [.treatAllWarnings(as: .error)] : [])
let swift = tests + [.enableUpcomingFeature("MemberImportVisibility"), .strictMemorySafety()]
/// Hardening that a manifest may carry; the rest are flags of `./dev` (docs/security/build.md).
let hardened: [CSetting] = [
    .define("_FORTIFY_SOURCE", to: "3", .when(platforms: [.linux], configuration: .release))
]
/// Code of a trait is compiled with it alone: the vector kernels (docs/kernels.md), encryption to
/// passwords.
let kernels: [CSetting] = [.define("JOSE_KERNELS", .when(traits: ["Kernels"]))]
let pbes2: [CSetting] = [.define("JOSE_PBES2_COMPILED", .when(traits: ["PBES2"]))]
typealias Names = [Target.Dependency]
func system(_ name: String, pkgConfig: String? = nil, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "CShims/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])])
}
func shim(
    _ name: String, _ needs: Names = [], path: String? = nil, settings: [CSetting] = [],
    linker: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: needs, path: path ?? "CShims/\(name)",
        cSettings: settings + hardened + strictC, linkerSettings: linker)
}
func module(_ name: String, _ needs: Names) -> Target {
    .target(name: name, dependencies: needs, swiftSettings: swift)
}
func program(
    _ name: String, _ needs: Names, path: String? = nil, exclude: [String] = [],
    resources: [Resource] = [], settings: [SwiftSetting] = swift
) -> Target {
    .executableTarget(
        name: name, dependencies: needs, path: path, exclude: exclude, resources: resources,
        swiftSettings: settings)
}

/// What to build where not all tests are wanted (other traits, sanitizers, mutants): test targets
/// and the programs that they need, with files and folders where not all are wanted:
/// `JOSEBytesTests JOSETests:Support,JWK josectl`.
let chosen = Context.environment["JOSE_TESTS"].map { names in
    names.split(separator: " ").reduce(into: [String: [String]]()) { chosen, entry in
        let parts = entry.split { $0 == ":" || $0 == "," }.map(String.init)
        chosen[parts[0], default: []] += parts.dropFirst()
    }
}
func isWanted(_ name: String) -> Bool { chosen == nil || chosen?[name] != nil }

func suite(_ name: String, _ needs: Names, path: String? = nil, exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: needs + ["CTestWay"], path: path ?? "Tests/Unit/\(name)",
        exclude: exclude, sources: chosen?[name].flatMap { $0.isEmpty ? nil : $0 },
        swiftSettings: tests)
}

/// The fuzz targets: a program with libFuzzer's `main` where it is chosen, else replayed by the
/// tests.
let isFuzzing = chosen?["Fuzz"] != nil
let fuzzed: Names = [
    "JOSE", "JOSEFoundation", "JOSEOpenID", "JOSEPKCS11", "JOSEBytes", "JOSECrypto", "CFuzz",
]
let fuzzData =
    ["C", "Corpus", "jose.dict", "seeds.py", "differential.py"] + [isFuzzing ? "Replay" : "Entry"]
let fuzz =
    isFuzzing
    ? program("Fuzz", fuzzed, path: "Tests/Fuzz", exclude: fuzzData, settings: tests)
    : suite("FuzzTests", fuzzed, path: "Tests/Fuzz", exclude: fuzzData)

let package = Package(
    name: "swift-jose",
    platforms: [.macOS(.v26)],  // the first with Span; not tried
    products: [
        "JOSE", "JOSEFoundation", "JOSEOpenID", "JOSERemote", "JOSERedis", "JOSEPKCS11",
    ].map { .library(name: $0, targets: [$0]) } + [
        .library(name: "JOSEBenchmark", targets: ["JOSEBenchmark", "CJOSEBenchmarkCounters"])
    ] + (isWanted("josectl") ? [.executable(name: "josectl", targets: ["josectl"])] : []),
    traits: [
        .trait(name: "Kernels", description: "Faster RSA public operations and content encryption"),
        .trait(name: "PBES2", description: "Encryption of tokens to passwords (RFC 7518, 4.8)"),
        .default(enabledTraits: ["Kernels"]),
    ],
    targets: [
        system("CLibCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        system("CLibSodium", pkgConfig: "libsodium", apt: "libsodium-dev", brew: "libsodium"),
        system("CLibCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
        system("CLibZ", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
        // Not pkgConfig: "hiredis", whose -D_FILE_OFFSET_BITS makes SwiftPM warn at every build.
        system("CLibHiredis", apt: "libhiredis-dev", brew: "hiredis"),
        shim("CJOSEBytes"),
        // Vector code, with the trait `Kernels` alone; without it, what answers that there is none.
        shim("CJOSEKernels", ["CLibCrypto"], settings: kernels),
        shim(
            "CJOSECrypto", ["CJOSEKernels", "CLibCrypto", "CLibSodium", "CLibZ"],
            settings: [.headerSearchPath(".")] + kernels + pbes2),
        shim("CJOSEThread"),
        shim("CJOSERemote", ["CLibCurl", "CJOSEThread"]),
        shim("CJOSERedis", ["CLibHiredis", "CJOSEThread"], linker: [.linkedLibrary("hiredis")]),
        // Modules are loaded at run time: of PKCS#11 there is a header alone.
        shim("CJOSEPKCS11"),
        shim(
            "CJOSEBenchmark",
            ["CJOSEBytes", "CJOSECrypto", "CJOSEKernels", "CLibCrypto", "CLibSodium"]),
        // Another malloc, for programs that link the product; no target here depends on it.
        shim("CJOSEBenchmarkCounters", ["CJOSEBenchmark"]),
        module("JOSEBytes", ["CJOSEBytes"]),
        module("JOSECrypto", ["CJOSEBytes", "CJOSECrypto", "JOSEBytes"]),
        module("JOSE", ["JOSEBytes", "JOSECrypto"]),
        module("JOSEFoundation", ["JOSE", "JOSEBytes"]),
        module("JOSEOpenID", ["JOSE", "JOSEBytes", "JOSECrypto"]),
        module("JOSERemote", ["JOSE", "JOSEBytes", "CJOSERemote"]),
        module("JOSERedis", ["JOSE", "JOSEBytes", "CJOSERedis"]),
        module("JOSEPKCS11", ["JOSE", "JOSEBytes", "JOSECrypto", "CJOSEPKCS11", "CJOSEThread"]),
        // For the benchmark programs of packages that depend on this; in no other target.
        module("JOSEBenchmark", ["JOSE", "JOSEBytes", "CJOSEBenchmark"]),
        program(
            "josectl", ["JOSEOpenID", "JOSEPKCS11", "JOSE", "JOSEBytes", "JOSECrypto"],
            resources: [.embedInCode("Selftest/known.json")]),
        program(
            "demo", ["JOSEOpenID", "JOSEPKCS11", "JOSE", "JOSEBytes"], path: "Examples/Demo"),
        // The excluded folders are separate packages; Demo is the target above.
        program(
            "openid-example", ["JOSEOpenID", "JOSE"], path: "Examples",
            exclude: ["Demo", "Deploy", "KeyService", "Login", "PerformanceCI"]),
        // The other side of foreign OpenID implementations in `tools/run interop`; in no product.
        program(
            "openid-peer", ["JOSEOpenID", "JOSE"], path: "Tests/Interop/Peer", settings: tests),
        // A name server that never answers, around the C target alone; in no product.
        program("silent-name", ["CJOSERemote"], path: "Tests/Unit/JOSERemoteTests/Server/Silent"),
        // Benchmarks below the public library: in no product, since `package` symbols end here.
        program("BenchInner", ["JOSE", "JOSEBytes"], path: "Benchmarks/Inner"),
        suite("josectlTests", ["josectl", "demo", "JOSE"]),
        suite("JOSEBytesTests", ["JOSEBytes"]),
        suite("JOSECryptoTests", ["JOSECrypto", "JOSEBytes", "JOSE", "JOSEFoundation"]),
        suite("JOSETests", ["JOSE", "JOSEFoundation", "JOSEOpenID", "JOSEBytes", "JOSECrypto"]),
        suite("JOSEOpenIDTests", ["JOSEOpenID", "JOSE", "openid-example"]),
        suite(
            "JOSERemoteTests", ["JOSERemote", "JOSEOpenID", "JOSE", "JOSEBytes", "silent-name"],
            exclude: ["Server"]),
        suite("JOSERedisTests", ["JOSERedis", "JOSEOpenID", "JOSE", "JOSEBytes"]),
        suite(
            "JOSEPKCS11Tests", ["JOSEPKCS11", "JOSEOpenID", "JOSE", "JOSEBytes", "JOSECrypto"],
            exclude: ["Module"]),
        suite("JOSEBenchmarkTests", ["JOSEBenchmark", "JOSE"]),
        // Takes the way of computing that JOSE_TEST_WAY names, in programs of tests alone.
        .target(
            name: "CTestWay", dependencies: ["CJOSEKernels", "CJOSEBytes"],
            path: "Tests/CCore/support", sources: ["way.c"], publicHeadersPath: ".",
            cSettings: kernels + strictC),
        shim("CFuzz", ["CLibCrypto"], path: "Tests/Fuzz/C"),
        fuzz,
    ].filter { ($0.type != .test && $0.type != .executable) || isWanted($0.name) },
    cLanguageStandard: .gnu17
)
