// swift-tools-version: 6.3
// The package: the C targets in CShims, the modules of docs/design.md above them, the tool josectl.

import PackageDescription

/// Warnings are errors where the project itself is checked (`./dev` sets this), never for those who depend on it.
let strict: [SwiftSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
let strictC: [CSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// The vector kernels of docs/kernels.md; without the trait no vector code is compiled.
let kernels: [CSetting] = [.define("JOSE_KERNELS", .when(traits: ["Kernels"]))]

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

let package = Package(
    name: "swift-jose",
    products: [
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "JOSEFoundation", targets: ["JOSEFoundation"]),
        .library(name: "JOSERemote", targets: ["JOSERemote"]),
        .executable(name: "josectl", targets: ["josectl"]),
    ],
    traits: [
        .trait(name: "Kernels", description: "Faster RSA public operations and content encryption"),
        .default(enabledTraits: ["Kernels"]),
    ],
    targets: [
        .systemLibrary(
            name: "CLibCrypto", path: "CShims/CLibCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CLibSodium", path: "CShims/CLibSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CLibCurl", path: "CShims/CLibCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CJOSEBytes", path: "CShims/CJOSEBytes", cSettings: strictC),
        .target(
            name: "CJOSECrypto", dependencies: ["CLibCrypto", "CLibSodium"],
            path: "CShims/CJOSECrypto", cSettings: kernels + strictC),
        .target(
            name: "CJOSERemote", dependencies: ["CLibCurl"], path: "CShims/CJOSERemote",
            cSettings: strictC),

        .target(name: "JOSEBytes", dependencies: ["CJOSEBytes"], swiftSettings: swift),
        .target(
            name: "JOSECrypto", dependencies: ["CJOSECrypto", "JOSEBytes"], swiftSettings: swift),
        .target(name: "JOSE", dependencies: ["JOSEBytes", "JOSECrypto"], swiftSettings: swift),
        .target(name: "JOSEFoundation", dependencies: ["JOSE", "JOSEBytes"], swiftSettings: swift),
        .target(
            name: "JOSERemote", dependencies: ["JOSE", "CJOSERemote"], swiftSettings: swift),
        .executableTarget(
            name: "josectl", dependencies: ["JOSE", "JOSEBytes", "JOSECrypto"],
            swiftSettings: swift),
        // Benchmarks below the public library: in no product, since `package` symbols end here.
        .executableTarget(
            name: "BenchInner", dependencies: ["JOSE", "JOSEBytes"], path: "Benchmarks/Inner",
            swiftSettings: swift),

        .testTarget(name: "josectlTests", dependencies: ["josectl"], swiftSettings: tests),
        .testTarget(name: "JOSEBytesTests", dependencies: ["JOSEBytes"], swiftSettings: tests),
        .testTarget(name: "JOSECryptoTests", dependencies: ["JOSECrypto"], swiftSettings: tests),
        .testTarget(
            name: "JOSETests", dependencies: ["JOSE", "JOSEFoundation", "JOSEBytes", "JOSECrypto"],
            swiftSettings: tests),
        .testTarget(
            name: "JOSERemoteTests", dependencies: ["JOSERemote", "JOSE"], exclude: ["Server"],
            swiftSettings: tests),
    ],
    cLanguageStandard: .gnu17
)
