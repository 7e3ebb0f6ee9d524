// swift-tools-version: 6.3
// The benchmarks: a package of its own, so that nobody who uses the library builds or links it.

import PackageDescription

/// SwiftPM calls a local package by the name of its folder, whatever the manifest says.
let folders = Context.packageDirectory.split(separator: "/")
let root = folders.count > 1 ? String(folders[folders.count - 2]) : "swift-jose"

let warnings: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra"])]

let package = Package(
    name: "swift-jose-benchmarks",
    platforms: [.macOS(.v26)],  // the library's
    // Every row of the registry, those of passwords too.
    dependencies: [.package(path: "..", traits: [.defaults, "PBES2"])],
    targets: [
        .target(
            name: "CBenchHarness", cxxSettings: [.unsafeFlags(["-Wall", "-Wextra"])],
            linkerSettings: [.linkedLibrary("benchmark"), .linkedLibrary("pthread")]),
        .target(
            name: "CBenchProbe", cSettings: warnings),
        .target(
            name: "CBenchBaselines", cSettings: warnings,
            linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("sodium")]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "CBenchHarness", "CBenchProbe", "CBenchBaselines",
                .product(name: "JOSEBenchmark", package: root),
                .product(name: "JOSE", package: root),
                .product(name: "JOSEOpenID", package: root),
                .product(name: "JOSEPKCS11", package: root),
            ]),
        .target(
            name: "CCampaigns", cSettings: warnings, linkerSettings: [.linkedLibrary("pthread")]),
        // Bounded work, quiet and concurrency: docs/security.
        .executableTarget(
            name: "Campaigns",
            dependencies: [
                "CCampaigns", .product(name: "JOSE", package: root),
                .product(name: "JOSEOpenID", package: root),
            ]),
        .executableTarget(
            name: "ColdVerify", dependencies: [.product(name: "JOSE", package: root)]),
        .executableTarget(
            name: "ColdEmpty", dependencies: [.product(name: "JOSE", package: root)]),
    ],
    cLanguageStandard: .gnu17,
    cxxLanguageStandard: .cxx17
)
