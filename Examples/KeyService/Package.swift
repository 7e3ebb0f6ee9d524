// swift-tools-version: 6.3
// A key service in a process of its own, and an external key that asks it. Copy Sources/External key to write one for yours.

import PackageDescription

/// Warnings are errors where the library's own repository builds this.
let strict: [SwiftSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
let strictC: [CSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let package = Package(
    name: "key-service",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        // In a copy: the library's path or address; the name stays, as the products are asked for by it.
        .package(name: "swift-jose", path: "../..")
    ],
    targets: [
        .target(
            name: "External key", dependencies: [.product(name: "JOSE", package: "swift-jose")],
            swiftSettings: strict),
        .executableTarget(
            name: "client",
            dependencies: ["External key", .product(name: "JOSE", package: "swift-jose")],
            swiftSettings: strict),

        .testTarget(
            name: "ExternalKeyTests",
            dependencies: ["External key", .product(name: "JOSE", package: "swift-jose")],
            swiftSettings: strict),

        // Stands for the service that you have; nothing to learn from here.
        .executableTarget(
            name: "key-service", dependencies: ["CServiceCrypto"], cSettings: strictC),
        .systemLibrary(
            name: "CServiceCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    ],
    cLanguageStandard: .gnu17
)
