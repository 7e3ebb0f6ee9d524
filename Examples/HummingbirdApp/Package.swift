// swift-tools-version: 6.3
// A protected API, a login and a small provider with Hummingbird. Copy the files that you need.

import PackageDescription

/// Warnings are errors in the library's own builds.
let strict: [SwiftSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let library: [Target.Dependency] = ["JOSE", "JOSEOpenID", "JOSERemote"].map {
    .product(name: $0, package: "swift-jose")
}
let hummingbird: [Target.Dependency] = [.product(name: "Hummingbird", package: "hummingbird")]
let asyncHTTPClient: [Target.Dependency] = [
    .product(name: "AsyncHTTPClient", package: "async-http-client")
]
let observability: [Target.Dependency] = [
    .product(name: "Logging", package: "swift-log"),
    .product(name: "Metrics", package: "swift-metrics"),
    .product(name: "Tracing", package: "swift-distributed-tracing"),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]

let package = Package(
    name: "hummingbird-example",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        // In a copy, set the library's path or URL and keep the name.
        .package(name: "swift-jose", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.9.0"),
    ],
    targets: [
        .executableTarget(
            name: "Service",
            dependencies: library + hummingbird + asyncHTTPClient + observability,
            swiftSettings: strict),
        .executableTarget(
            name: "ProtectedRoute", dependencies: library + hummingbird, swiftSettings: strict),
        .executableTarget(
            name: "LoginRoute", dependencies: library + hummingbird, swiftSettings: strict),
        .executableTarget(
            name: "Clients", dependencies: library + hummingbird + asyncHTTPClient,
            swiftSettings: strict),
        .executableTarget(
            name: "provider",
            dependencies: library + hummingbird + [
                .product(name: "HummingbirdTLS", package: "hummingbird")
            ], swiftSettings: strict),
    ]
)
