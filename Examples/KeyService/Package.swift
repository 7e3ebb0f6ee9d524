// swift-tools-version: 6.3
// A key service and an external key that uses it, and external keys for Vault, OpenBao and AWS KMS.
// Copy Sources/SocketKey or Sources/CloudKeys for your own service.

import PackageDescription

/// Warnings are errors in the library's own builds.
let strict: [SwiftSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
let strictC: [CSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let package = Package(
    name: "key-service",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        // In a copy, set the library's path or URL and keep the name.
        .package(name: "swift-jose", path: "../..")
    ],
    targets: [
        .target(
            name: "SocketKey", dependencies: [.product(name: "JOSE", package: "swift-jose")],
            swiftSettings: strict),
        .executableTarget(
            name: "client",
            dependencies: ["SocketKey", .product(name: "JOSE", package: "swift-jose")],
            swiftSettings: strict),

        .testTarget(
            name: "SocketKeyTests",
            dependencies: ["SocketKey", .product(name: "JOSE", package: "swift-jose")],
            swiftSettings: strict),

        // Keys in Vault, OpenBao and AWS KMS.
        .target(
            name: "CloudKeys",
            dependencies: [
                "CServiceCrypto", .product(name: "JOSE", package: "swift-jose"),
                .product(name: "JOSERemote", package: "swift-jose"),
            ], swiftSettings: strict),
        .testTarget(
            name: "CloudKeysTests",
            dependencies: [
                "CloudKeys", .product(name: "JOSE", package: "swift-jose"),
                .product(name: "JOSERemote", package: "swift-jose"),
            ], swiftSettings: strict),

        // Stands for your key service.
        .executableTarget(
            name: "key-service", dependencies: ["CServiceCrypto"], cSettings: strictC),
        .systemLibrary(
            name: "CServiceCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    ],
    cLanguageStandard: .gnu17
)
