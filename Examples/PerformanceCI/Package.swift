// swift-tools-version: 6.3
// A service that reads orders from tokens, and the benchmark of its hot path. Copy Benchmarks/ and a workflow.

import PackageDescription

let package = Package(
    name: "orders",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        // In a copy: the library's path or address; the name stays, as the products are asked for by it.
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

// Warnings are errors where the library's own repository builds this.
if Context.environment["JOSE_STRICT"] != nil {
    for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
}
