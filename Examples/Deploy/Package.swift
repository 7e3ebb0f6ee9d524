// swift-tools-version: 6.3
// A minimal service that links the library. In your own package use the library's URL.

import PackageDescription

let package = Package(
    name: "deploy-example",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [.package(name: "swift-jose", path: "../..")],
    targets: [
        .executableTarget(
            name: "service", dependencies: [.product(name: "JOSE", package: "swift-jose")])
    ]
)
