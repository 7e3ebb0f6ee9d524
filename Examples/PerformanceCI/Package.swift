// swift-tools-version: 6.3
// A service that reads orders from JWTs, and its benchmark. Copy Benchmarks/ and a workflow.

import PackageDescription

let package = Package(
    name: "orders",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        // In a copy, set the library's path or URL and keep the name.
        .package(name: "swift-jose", path: "../..")
    ],
    targets: [
        .target(
            name: "Orders", dependencies: [.product(name: "JOSE", package: "swift-jose")]),
        .executableTarget(
            name: "orders-benchmark",
            dependencies: ["Orders", .product(name: "JOSEBenchmark", package: "swift-jose")],
            path: "Benchmarks/Orders"),
    ]
)

// Warnings are errors in the library's own builds.
if Context.environment["JOSE_STRICT"] != nil {
    for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
}
