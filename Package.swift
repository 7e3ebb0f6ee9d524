// swift-tools-version: 6.3
// The package: the C targets in CShims, the modules of docs/design.md above them, the tool josectl.

import PackageDescription

/// Warnings are errors where the project itself is checked (`./dev` sets this), never for those who depend on it.
let strict: [SwiftSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
let strictC: [CSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// Hardening that a manifest may carry; the rest are flags of `./dev` (docs/security/build.md).
let hardened: [CSetting] = [
    .define("_FORTIFY_SOURCE", to: "3", .when(platforms: [.linux], configuration: .release))
]

/// The vector kernels of docs/kernels.md; without the trait no vector code is compiled.
let kernels: [CSetting] = [.define("JOSE_KERNELS", .when(traits: ["Kernels"]))]

/// Encryption to passwords; without the trait no row and no code of it exists.
let pbes2: [CSetting] = [.define("JOSE_PBES2_COMPILED", .when(traits: ["PBES2"]))]

let swift: [SwiftSetting] =
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
        .strictMemorySafety(),
    ] + strict

let tests: [SwiftSetting] =
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
    ] + strict

/// The tests to build, where `./dev` needs some of them only (with other traits, under a sanitizer, mutated): names of
/// targets, each with its files and folders where not all are wanted, as in `JOSEBytesTests JOSETests:Support,Rules`;
/// `Conformance` stands for its folder there. Programs then are built only where they are named too, or a test needs them.
let chosenTests: [String: [String]]? = Context.environment["JOSE_TESTS"].map { chosen in
    var tests: [String: [String]] = [:]
    for entry in chosen.split(separator: " ") {
        let parts = entry.split(separator: ":")
        let files = parts.count < 2 ? [] : parts[1].split(separator: ",").map(String.init)
        tests[String(parts[0]), default: []] += files
    }
    return tests
}

func isWanted(_ target: String) -> Bool {
    let needed = [
        "josectl": "josectlTests", "demo": "josectlTests", "openid-example": "JOSEOpenIDTests",
        "silent-name": "JOSERemoteTests",
    ]
    guard let chosenTests else { return true }
    return chosenTests[target] != nil || needed[target].map { chosenTests[$0] != nil } == true
}

/// The targets of Swift tests, each a folder in `Tests/Unit`, and those that have one in `Tests/Conformance` too.
let unitTests = [
    "josectlTests", "JOSEBytesTests", "JOSECryptoTests", "JOSETests", "JOSEOpenIDTests",
    "JOSERemoteTests",
    "JOSERedisTests", "JOSEPKCS11Tests", "JOSEBenchmarkTests",
]
let conformanceTests = ["JOSECryptoTests", "JOSETests", "JOSEOpenIDTests"]

func testTarget(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [])
    -> Target
{
    let (unit, conformance) = ("Unit/\(name)", "Conformance/\(name)")
    var sources = conformanceTests.contains(name) ? [unit, conformance] : [unit]
    if let files = chosenTests?[name], !files.isEmpty {
        sources = files.map { $0 == "Conformance" ? conformance : "\(unit)/\($0)" }
    }
    let others =
        unitTests.filter { $0 != name }.map { "Unit/\($0)" }
        + conformanceTests.filter { $0 != name }.map { "Conformance/\($0)" }
    return .testTarget(
        name: name, dependencies: dependencies + ["CTestWay"], path: "Tests",
        exclude: ["CCore", "Fuzz", "Interop", "Shells"] + others + exclude.map { "\(unit)/\($0)" },
        sources: sources, swiftSettings: tests)
}

/// The fuzz targets: replayed by the tests, or (`./dev fuzz` sets this) one program with libFuzzer's `main`.
let fuzzing = Context.environment["JOSE_FUZZ"] != nil
let fuzzDependencies: [Target.Dependency] = [
    "JOSE", "JOSEFoundation", "JOSEOpenID", "JOSEPKCS11", "JOSEBytes", "JOSECrypto", "CFuzz",
]
let fuzzData = ["C", "Corpus", "jose.dict", "seeds.py", "differential.py"]
let fuzz: Target =
    fuzzing
    ? .executableTarget(
        name: "Fuzz", dependencies: fuzzDependencies, path: "Tests/Fuzz",
        exclude: fuzzData + ["Replay"], swiftSettings: tests)
    : .testTarget(
        name: "FuzzTests", dependencies: fuzzDependencies, path: "Tests/Fuzz",
        exclude: fuzzData + ["Entry"], swiftSettings: tests)

let package = Package(
    name: "swift-jose",
    platforms: [.macOS(.v26)],  // the first with Span; not tried
    products: [
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "JOSEFoundation", targets: ["JOSEFoundation"]),
        .library(name: "JOSEOpenID", targets: ["JOSEOpenID"]),
        .library(name: "JOSERemote", targets: ["JOSERemote"]),
        .library(name: "JOSERedis", targets: ["JOSERedis"]),
        .library(name: "JOSEPKCS11", targets: ["JOSEPKCS11"]),
        .library(name: "JOSEBenchmark", targets: ["JOSEBenchmark", "CJOSEBenchmarkCounters"]),
        .executable(name: "josectl", targets: ["josectl"]),
    ].filter { $0.name != "josectl" || isWanted("josectl") },
    traits: [
        .trait(name: "Kernels", description: "Faster RSA public operations and content encryption"),
        .trait(name: "PBES2", description: "Encryption of tokens to passwords (RFC 7518, 4.8)"),
        .default(enabledTraits: ["Kernels"]),
    ],
    targets: [
        .systemLibrary(
            name: "CLibCrypto", path: "CShims/CLibCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CLibSodium", path: "CShims/CLibSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(
            name: "CLibCurl", path: "CShims/CLibCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CLibZ", path: "CShims/CLibZ", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // Not pkgConfig: "hiredis", whose -D_FILE_OFFSET_BITS makes SwiftPM warn at every build.
        .systemLibrary(
            name: "CLibHiredis", path: "CShims/CLibHiredis",
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(name: "CJOSEBytes", path: "CShims/CJOSEBytes", cSettings: hardened + strictC),
        .target(
            name: "CJOSECrypto", dependencies: ["CLibCrypto", "CLibSodium", "CLibZ"],
            path: "CShims/CJOSECrypto",
            cSettings: [.headerSearchPath(".")] + kernels + pbes2 + hardened + strictC),
        .target(name: "CJOSEThread", path: "CShims/CJOSEThread", cSettings: hardened + strictC),
        .target(
            name: "CJOSERemote", dependencies: ["CLibCurl", "CJOSEThread"],
            path: "CShims/CJOSERemote",
            cSettings: hardened + strictC),
        .target(
            name: "CJOSERedis", dependencies: ["CLibHiredis", "CJOSEThread"],
            path: "CShims/CJOSERedis",
            cSettings: hardened + strictC, linkerSettings: [.linkedLibrary("hiredis")]),
        // Modules are loaded at run time: of PKCS#11 there is a header alone.
        .target(name: "CJOSEPKCS11", path: "CShims/CJOSEPKCS11", cSettings: hardened + strictC),

        .target(
            name: "CJOSEBenchmark",
            dependencies: ["CJOSEBytes", "CJOSECrypto", "CLibCrypto", "CLibSodium"],
            path: "CShims/CJOSEBenchmark", cSettings: hardened + strictC),
        // Another malloc, for programs that link the product; no target here depends on it.
        .target(
            name: "CJOSEBenchmarkCounters", dependencies: ["CJOSEBenchmark"],
            path: "CShims/CJOSEBenchmarkCounters", cSettings: hardened + strictC),

        .target(name: "JOSEBytes", dependencies: ["CJOSEBytes"], swiftSettings: swift),
        .target(
            name: "JOSECrypto", dependencies: ["CJOSEBytes", "CJOSECrypto", "JOSEBytes"],
            swiftSettings: swift),
        .target(name: "JOSE", dependencies: ["JOSEBytes", "JOSECrypto"], swiftSettings: swift),
        .target(name: "JOSEFoundation", dependencies: ["JOSE", "JOSEBytes"], swiftSettings: swift),
        .target(
            name: "JOSEOpenID", dependencies: ["JOSE", "JOSEBytes", "JOSECrypto"],
            swiftSettings: swift),
        .target(
            name: "JOSERemote", dependencies: ["JOSE", "JOSEBytes", "CJOSERemote"],
            swiftSettings: swift),
        .target(
            name: "JOSERedis", dependencies: ["JOSE", "JOSEBytes", "CJOSERedis"],
            swiftSettings: swift),
        .target(
            name: "JOSEPKCS11",
            dependencies: ["JOSE", "JOSEBytes", "JOSECrypto", "CJOSEPKCS11", "CJOSEThread"],
            swiftSettings: swift),
        // For the benchmark programs of those who depend on this; in no other target.
        .target(
            name: "JOSEBenchmark", dependencies: ["JOSE", "JOSEBytes", "CJOSEBenchmark"],
            swiftSettings: swift),
        .executableTarget(
            name: "josectl",
            dependencies: ["JOSEOpenID", "JOSEPKCS11", "JOSE", "JOSEBytes", "JOSECrypto"],
            resources: [.embedInCode("Selftest/known.json")], swiftSettings: swift),
        .executableTarget(
            name: "openid-example", dependencies: ["JOSEOpenID", "JOSE"], path: "Examples",
            exclude: ["Demo", "Deploy", "KeyService", "Login", "PerformanceCI"],
            swiftSettings: swift),
        .executableTarget(
            name: "demo", dependencies: ["JOSEOpenID", "JOSEPKCS11", "JOSE", "JOSEBytes"],
            path: "Examples/Demo", swiftSettings: swift),
        // The other side of foreign OpenID implementations in `./dev interop`; in no product.
        .executableTarget(
            name: "openid-peer", dependencies: ["JOSEOpenID", "JOSE"], path: "Tests/Interop/Peer",
            swiftSettings: tests),
        // A name server that never answers, around the C target alone; in no product.
        .executableTarget(
            name: "silent-name", dependencies: ["CJOSERemote"],
            path: "Tests/Unit/JOSERemoteTests/Server/Silent", cSettings: strictC),
        // Benchmarks below the public library: in no product, since `package` symbols end here.
        .executableTarget(
            name: "BenchInner", dependencies: ["JOSE", "JOSEBytes"], path: "Benchmarks/Inner",
            swiftSettings: swift),

        testTarget("josectlTests", ["josectl", "demo", "JOSE"]),
        testTarget("JOSEBytesTests", ["JOSEBytes"]),
        testTarget("JOSECryptoTests", ["JOSECrypto", "JOSEBytes", "JOSE", "JOSEFoundation"]),
        testTarget(
            "JOSETests", ["JOSE", "JOSEFoundation", "JOSEOpenID", "JOSEBytes", "JOSECrypto"]),
        testTarget("JOSEOpenIDTests", ["JOSEOpenID", "JOSE", "openid-example"]),
        testTarget(
            "JOSERemoteTests", ["JOSERemote", "JOSEOpenID", "JOSE", "JOSEBytes", "silent-name"],
            exclude: ["Server"]),
        testTarget("JOSERedisTests", ["JOSERedis", "JOSEOpenID", "JOSE", "JOSEBytes"]),
        testTarget(
            "JOSEPKCS11Tests", ["JOSEPKCS11", "JOSEOpenID", "JOSE", "JOSEBytes", "JOSECrypto"],
            exclude: ["Module"]),
        testTarget("JOSEBenchmarkTests", ["JOSEBenchmark", "JOSE"]),
        // Takes the way of computing that JOSE_TEST_WAY names, in programs of tests alone.
        .target(
            name: "CTestWay", dependencies: ["CJOSECrypto", "CJOSEBytes"],
            path: "Tests/CCore/support", sources: ["way.c"], publicHeadersPath: ".",
            cSettings: kernels + strictC),
        .target(
            name: "CFuzz", dependencies: ["CLibCrypto"], path: "Tests/Fuzz/C", cSettings: strictC),
        fuzz,
    ].filter { ($0.type != .test && $0.type != .executable) || isWanted($0.name) },
    cLanguageStandard: .gnu17
)
