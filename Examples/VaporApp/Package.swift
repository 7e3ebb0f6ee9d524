// swift-tools-version: 6.3
// A protected API and a login with Vapor. Copy the files that you need.

import PackageDescription

/// Warnings are errors in the library's own builds.
let strict: [SwiftSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let library: [Target.Dependency] = ["JOSE", "JOSEOpenID", "JOSERemote"].map {
    .product(name: $0, package: "swift-jose")
}

let package = Package(
    name: "vapor-example",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        // In a copy, set the library's path or URL and keep the name.
        .package(name: "swift-jose", path: "../.."),
        .package(url: "https://github.com/vapor/vapor.git", from: "4.122.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
    ],
    targets: [
        .executableTarget(
            name: "Service",
            dependencies: library + [
                .product(name: "Vapor", package: "vapor"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "ProtectedRoute",
            dependencies: library + [.product(name: "Vapor", package: "vapor")],
            swiftSettings: strict),
        .executableTarget(
            name: "LoginRoute",
            dependencies: library + [.product(name: "Vapor", package: "vapor")],
            swiftSettings: strict),
    ]
)
